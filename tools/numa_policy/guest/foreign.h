/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Programs that are not ours: the host's file system under them, and where their memory is.
 */
#ifndef NP_FOREIGN_H
#define NP_FOREIGN_H

#include "locality.h"

int np_foreign_prepare(const char *job_path);
void np_foreign_run(void);
void np_foreign_output(void);
char *np_foreign_last_line(void);
int np_foreign_sample(int root, struct np_locality *l);

#endif /* NP_FOREIGN_H */
