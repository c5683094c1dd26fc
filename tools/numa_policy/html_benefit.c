// SPDX-License-Identifier: GPL-2.0
/*
 * The html report: benefit against cost.
 */
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <string.h>

#include "gnuplot.h"
#include "html_figure.h"
#include "html_plots.h"

/* A mean with its 95 % interval. */
struct estimate {
	bool valid;
	double mean;
	double half;
};

static struct estimate estimate(double mean, double stddev, int n)
{
	struct estimate e = { .valid = n > 0, .mean = mean };

	if (n > 1)
		e.half = gsl_cdf_tdist_Pinv(.975, n - 1) * stddev / sqrt(n);
	return e;
}

/* Return: the number of a metric that a run of the workload has, or -1. */
static int find_metric(const struct np_figure *fig, const char *name)
{
	for (int m = 0; m < np_metrics_count; m++)
		if (!strcmp(np_metrics[m].name, name) &&
		    np_report_summary(fig->rep, fig->w, m, 0)->present)
			return m;
	return -1;
}

static struct estimate estimate_metric(const struct np_figure *fig, int m, int c)
{
	const struct np_stats *s;

	if (m < 0)
		return (struct estimate) { 0 };
	s = &np_report_summary(fig->rep, fig->w, m, c)->s;
	return s->n ? estimate(s->amean, s->stddev, s->n) : (struct estimate) { 0 };
}

static struct estimate cost_of(const struct np_figure *fig, int c)
{
	return estimate_metric(fig, find_metric(fig, "pte_updates"), c);
}

/* Accesses say more than where pages are, where they were counted. */
static int benefit_metric(const struct np_figure *fig)
{
	int m = find_metric(fig, "remote_accesses");

	return m < 0 ? find_metric(fig, "remote_page_s") : m;
}

static struct estimate benefit_of(const struct np_figure *fig, int c)
{
	return estimate_metric(fig, benefit_metric(fig), c);
}

static const char *benefit_name(const struct np_figure *fig)
{
	int m = benefit_metric(fig);

	return m < 0 ? "" : np_metrics[m].title;
}

static const int point_types[] = { 7, 5, 9, 11, 13, 15, 6, 4, 8, 10, 12, 14 };

/* The greatest ends of the intervals, of costs or of benefits. */
static double greatest(const struct np_figure *fig,
		       struct estimate (*get)(const struct np_figure *fig, int c))
{
	double most = 0;

	for (int c = 0; c < fig->rep->ncolumns; c++) {
		struct estimate e = get(fig, c);

		if (e.valid)
			most = fmax(most, e.mean + e.half);
	}
	return most;
}

static void benefit_axes(struct np_buf *b, const struct np_figure *fig, bool wide,
			 const struct np_scale *sx, const struct np_scale *sy)
{
	np_buf_printf(b, "set key %s\n", wide ? "outside right top Left reverse samplen 1" :
		      "below Left reverse maxcols 2 samplen 1");
	np_buf_puts(b, "set offsets 0, graph 0.04, graph 0.04, 0\n"
		    "set xrange [0:*]\nset yrange [0:*]\n");
	np_buf_printf(b, "set xlabel \"PTE updates%s%s\" offset 0,0.7\nset ylabel '%s%s'\n",
		      sx->name, wide ? "" : "\\n ", benefit_name(fig), sy->name);
	np_buf_puts(b, "set label 1 '↙ better' at graph 0.02,0.05 left\nset grid lw 0.5 dt 3 \\\n"
		    "lc rgb '#0a0000'\n");
}

static void draw_benefit(struct np_buf *b, const struct np_figure *fig, const struct np_look *look)
{
	struct np_scale sx = np_scale_for(greatest(fig, cost_of));
	struct np_scale sy = np_scale_for(greatest(fig, benefit_of));
	int n = fig->rep->ncolumns, drawn = 0;
	bool wide = np_look_wide(look);

	np_plot_terminal(b, look, wide ? 420 : 340 + 22 * ((n + 1) / 2));
	benefit_axes(b, fig, wide, &sx, &sy);
	for (int c = 0; c < n; c++) {
		struct estimate x = cost_of(fig, c), y = benefit_of(fig, c);

		if (!x.valid || !y.valid)
			continue;
		np_buf_printf(b, "$c%d << EOD\n%.9g %.9g %.9g %.9g %.9g %.9g\nEOD\n", c,
			      x.mean / sx.factor, y.mean / sy.factor,
			      fmax(0, x.mean - x.half) / sx.factor, (x.mean + x.half) / sx.factor,
			      fmax(0, y.mean - y.half) / sy.factor, (y.mean + y.half) / sy.factor);
	}
	for (int c = 0; c < n; c++) {
		if (!cost_of(fig, c).valid || !benefit_of(fig, c).valid)
			continue;
		np_buf_printf(b, "%s $c%d with xyerrorbars lw 1.5 ps 1.2 pt %d ",
			      drawn++ ? "," : "plot", c,
			      point_types[c % (int)ARRAY_SIZE(point_types)]);
		np_plot_color(b, np_color_of(c));
		np_buf_puts(b, " title ");
		np_gnuplot_text(b, fig->rep->columns[c].label, wide ? 24 : 16);
		np_buf_puts(b, " noenhanced");
	}
	np_buf_puts(b, "\n");
}

static int label_benefit(struct np_figure *fig)
{
	int n = 0;

	np_buf_printf(&fig->label, "Scatter plot of %s against PTE updates under %s, means:",
		      benefit_name(fig), fig->rep->workloads[fig->w]);
	for (int c = 0; c < fig->rep->ncolumns; c++) {
		struct estimate x = cost_of(fig, c), y = benefit_of(fig, c);

		if (!x.valid || !y.valid)
			continue;
		np_buf_printf(&fig->label, "%s %s %.4g for %.4g", n++ ? "," : "",
			      fig->rep->columns[c].label, y.mean, x.mean);
	}
	return n;
}

static void say_counts(struct np_buf *page, const struct np_figure *fig)
{
	int least = 0, most = 0;

	for (int c = 0; c < fig->rep->ncolumns; c++) {
		int n = np_report_summary(fig->rep, fig->w, benefit_metric(fig), c)->s.n;

		if (!n)
			continue;
		least = !least || n < least ? n : least;
		most = n > most ? n : most;
	}
	np_say_runs(page, least, most);
}

/**
 * np_plot_benefit() - benefit against cost, per policy
 * @page: the page; nothing is added where no policy has both
 * @rep: the report
 * @w: number of the workload
 * @s: what there is to show
 *
 * Return: NULL, or what went wrong, to be freed.
 */
char *np_plot_benefit(struct np_buf *page, const struct np_report *rep, int w,
		      const struct np_series *s)
{
	struct np_figure fig = { .rep = rep, .w = w, .s = s, .kind = "benefit",
			      .draw = draw_benefit };
	char *error;

	if (!label_benefit(&fig)) {
		np_buf_free(&fig.label);
		return NULL;
	}
	np_figure_open(page, &fig, "Benefit against cost");
	error = np_figure_put(page, &fig);
	np_buf_printf(page, "<figcaption>Across: PTE updates, the cost of scanning. Up: %s (%s),\n"
		      "less of which is the benefit. Means of ", benefit_name(&fig),
		      np_metrics[benefit_metric(&fig)].help);
	say_counts(page, &fig);
	np_buf_puts(page, " with their 95 % intervals (Student), which are cut off at 0; without\n"
		    "bars: one run, or all alike.</figcaption>\n</figure>\n");
	return error;
}
