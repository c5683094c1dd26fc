/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reads a large JSON file piece by piece, however it is laid out.
 */
#ifndef NP_JSONREAD_H
#define NP_JSONREAD_H

#include <stdbool.h>
#include <stdio.h>

#include "util.h"

/**
 * struct np_jsonread - a JSON file being read
 * @f: the file
 * @line: number of the line that was reached
 * @error: what is wrong; NULL: nothing so far. The first error stays, nothing is read behind it
 * @cut: the file ended too early
 */
struct np_jsonread {
	FILE *f;
	long line;
	const char *error;
	bool cut;
};

bool np_json_enter(struct np_jsonread *r, char open);
bool np_json_member(struct np_jsonread *r, bool first, struct np_buf *key);
bool np_json_element(struct np_jsonread *r, bool first);
bool np_json_value(struct np_jsonread *r, struct np_buf *out);
void np_json_end(struct np_jsonread *r);

#endif /* NP_JSONREAD_H */
