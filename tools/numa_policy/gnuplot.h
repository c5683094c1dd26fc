/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Plots: gnuplot as a child process, and its SVG made fit to stand in a page.
 */
#ifndef NP_GNUPLOT_H
#define NP_GNUPLOT_H

#include "util.h"

/* Colours that the page defines: --c0 is the text's, --c1 to --c10 are told apart. */
#define NP_COLORS 10

char *np_gnuplot(const char *script, struct np_buf *svg);
char *np_gnuplot_adopt(struct np_buf *to, const char **svg, const char *id, const char *class,
		       const char *label);
void np_gnuplot_text(struct np_buf *script, const char *text, int most);
void np_html_escape(struct np_buf *to, const char *text);

#endif /* NP_GNUPLOT_H */
