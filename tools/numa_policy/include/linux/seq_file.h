/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NP_LINUX_SEQ_FILE_H
#define NP_LINUX_SEQ_FILE_H

#include <stdio.h>

/* Where a file's text goes. */
struct seq_file {
	FILE *out;
};

#define seq_printf(_m, ...) fprintf((_m)->out, __VA_ARGS__)
#define seq_puts(_m, _s) fputs(_s, (_m)->out)

#endif /* NP_LINUX_SEQ_FILE_H */
