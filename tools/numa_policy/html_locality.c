// SPDX-License-Identifier: GPL-2.0
/*
 * The html report: locality over time.
 */
#include <stdlib.h>

#include "gnuplot.h"
#include "html_figure.h"
#include "html_plots.h"

static bool curve_has(const struct np_curve *c, int i, int runs)
{
	return c->n[i] && 2 * c->n[i] >= runs;
}

static void curve_data(struct np_buf *b, const char *name, const struct np_panel *p, double step)
{
	np_buf_printf(b, "%s << EOD\n", name);
	for (int i = 0; i <= NP_GRID; i++) {
		const struct np_curve *c = &p->local;

		if (curve_has(c, i, p->runs))
			np_buf_printf(b, "%.6g %.4f %.4f %.4f\n", i * step,
				      100 * c->sum[i] / c->n[i], 100 * c->min[i], 100 * c->max[i]);
		else
			np_buf_puts(b, "\n");
	}
	np_buf_puts(b, "EOD\n");
}

static void draw_locality(struct np_buf *b, const struct np_figure *fig, const struct np_look *look)
{
	struct np_layout l = { .look = look, .ylabel = "local (%)", .left = 66,
			    .height = 150 };
	const struct np_report *rep = fig->rep;
	double step = fig->s->end_s / NP_GRID;
	int least, most;

	l.shown = np_alloc(rep->ncolumns * sizeof(*l.shown));
	l.n = NP_SHOWN(fig, runs, l.shown, &least, &most);
	np_layout_begin(b, &l);
	np_buf_puts(b, "set yrange [0:100]\nset ytics 25\n");
	for (int i = 0; i < l.n; i++) {
		int c = l.shown[i], base = rep->columns[c].base;
		const struct np_panel *p = &fig->s->panels[c];

		np_layout_panel(b, &l, fig, i);
		np_plot_phases(b, fig->s, p);
		curve_data(b, "$own", p, step);
		curve_data(b, "$base", &fig->s->panels[base], step);
		np_buf_puts(b, "plot $own using 1:3:4 with filledcurves ");
		np_plot_color(b, np_color_of(c));
		np_buf_puts(b, " fs transparent solid 0.3 noborder");
		if (base != c && fig->s->panels[base].runs)
			np_buf_puts(b, ", $base using 1:2 with lines lw 1.5 dt 2 lc rgb '#0a0000'");
		np_buf_puts(b, ", $own using 1:2 with lines lw 2.5 ");
		np_plot_color(b, np_color_of(c));
		np_buf_puts(b, "\n");
	}
	np_buf_puts(b, "unset multiplot\n");
	free(l.shown);
}

static void label_locality(struct np_figure *fig, const int *shown, int n)
{
	np_buf_printf(&fig->label, "Line plots of the share of local pages over time under %s;\n"
		      "mean over the time axis:", fig->rep->workloads[fig->w]);
	for (int i = 0; i < n; i++) {
		const struct np_panel *p = &fig->s->panels[shown[i]];
		double sum = 0;
		int points = 0;

		for (int k = 0; k <= NP_GRID; k++) {
			if (!curve_has(&p->local, k, p->runs))
				continue;
			sum += p->local.sum[k] / p->local.n[k];
			points++;
		}
		np_buf_printf(&fig->label, "%s %s %.0f %%", i ? "," : "",
			      fig->rep->columns[shown[i]].label, points ? 100 * sum / points : 0);
	}
}

/**
 * np_plot_locality() - locality over time, per policy
 * @page: the page; nothing is added where no run has samples
 * @rep: the report
 * @w: number of the workload
 * @s: what there is to show
 *
 * Return: NULL, or what went wrong, to be freed.
 */
char *np_plot_locality(struct np_buf *page, const struct np_report *rep, int w,
		       const struct np_series *s)
{
	struct np_figure fig = { .rep = rep, .w = w, .s = s, .kind = "locality",
			      .draw = draw_locality };
	int *shown = np_alloc(rep->ncolumns * sizeof(*shown)), least, most;
	int n = NP_SHOWN(&fig, runs, shown, &least, &most);
	char *error = NULL;

	if (n) {
		label_locality(&fig, shown, n);
		np_figure_open(page, &fig, "Locality over time");
		error = np_figure_put(page, &fig);
		np_buf_puts(page, "<figcaption>Share of touched pages on their toucher’s node.\n"
			    "Line: mean of ");
		np_say_runs(page, least, most);
		np_buf_puts(page, "; band: least to greatest; shown while at least half of\n"
			    "the runs go on.");
		if (n > 1)
			np_buf_puts(page, " Dashed: the mean of the base.");
		np_say_phases(page, s);
		np_buf_puts(page, "</figcaption>\n</figure>\n");
	}
	free(shown);
	return error;
}
