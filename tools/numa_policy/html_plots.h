/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The plots of the html report.
 */
#ifndef NP_HTML_PLOTS_H
#define NP_HTML_PLOTS_H

#include "html_data.h"
#include "util.h"

char *np_plot_locality(struct np_buf *page, const struct np_report *rep, int w,
		       const struct np_series *s);
char *np_plot_benefit(struct np_buf *page, const struct np_report *rep, int w,
		      const struct np_series *s);
char *np_plot_map(struct np_buf *page, const struct np_report *rep, int w,
		  const struct np_series *s);
char *np_plot_traffic(struct np_buf *page, const struct np_report *rep, int w,
		      const struct np_series *s);

#endif /* NP_HTML_PLOTS_H */
