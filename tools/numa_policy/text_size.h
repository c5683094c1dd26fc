/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The size of code in object files.
 */
#ifndef NP_TEXT_SIZE_H
#define NP_TEXT_SIZE_H

#include <stdbool.h>

/**
 * struct np_text_size - bytes of code in object files
 * @text: code and what is only read, without notes
 * @code: the code alone
 */
struct np_text_size {
	long text;
	long code;
};

bool np_text_size(const char *path, struct np_text_size *size);
bool np_text_size_all(const char *dir, const char *pattern, struct np_text_size *size);

#endif /* NP_TEXT_SIZE_H */
