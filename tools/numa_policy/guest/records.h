/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The records a guest sends to its host: one JSON object a line, through a port of its own.
 */
#ifndef NP_RECORDS_H
#define NP_RECORDS_H

#include "../util.h"

int np_rec_open(const char *port);
int np_rec_create(const char *path);
void np_rec_write(struct np_buf *line);
__printf(1, 2) void np_rec(const char *fmt, ...);
__printf(1, 2) void np_rec_error(const char *fmt, ...);
long np_rec_count(void);
long np_rec_errors(void);
void np_rec_close(void);
void np_json_str(struct np_buf *b, const char *s);

#endif /* NP_RECORDS_H */
