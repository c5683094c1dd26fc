/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The table of a comparison, for people.
 */
#ifndef NP_TABLE_H
#define NP_TABLE_H

#include <stdio.h>

#include "results.h"

void np_table_print(FILE *f, const struct np_results *r);
int np_table_print_all(const struct np_results *r);

#endif /* NP_TABLE_H */
