// SPDX-License-Identifier: GPL-2.0
/*
 * The html report: accesses to each node over time.
 */
#include <math.h>
#include <stdlib.h>

#include "gnuplot.h"
#include "html_figure.h"
#include "html_plots.h"

/* Nodes with lines of their own. */
#define NODES_MAX 8

static double rate_max(const struct np_panel *p)
{
	double most = 0;

	for (int n = 0; n < p->nodes; n++) {
		for (int i = 0; i < NP_GRID; i++) {
			const struct np_flow *f = &p->flow[n * NP_GRID + i];

			if (p->seconds[i] > 0)
				most = fmax(most, fmax(f->local, f->remote) / p->seconds[i]);
		}
	}
	return most;
}

static void traffic_data(struct np_buf *b, const struct np_panel *p, double end_s, double unit)
{
	np_buf_puts(b, "$t << EOD\n");
	for (int i = 0; i < NP_GRID; i++) {
		/* A sliver of a run says nothing of the interval. */
		if (p->seconds[i] < .3 * p->traffic_runs * end_s / NP_GRID) {
			np_buf_puts(b, "\n");
			continue;
		}
		np_buf_printf(b, "%.6g", (i + .5) * end_s / NP_GRID);
		for (int n = 0; n < p->nodes && n < NODES_MAX; n++) {
			const struct np_flow *f = &p->flow[n * NP_GRID + i];

			np_buf_printf(b, " %.6g %.6g", f->local / p->seconds[i] / unit,
				      f->remote / p->seconds[i] / unit);
		}
		np_buf_puts(b, "\n");
	}
	np_buf_puts(b, "EOD\n");
}

/* A round step that divides an axis into three to six parts, or a little less. */
static double tic_step(double most)
{
	double step = pow(10, floor(log10(most / 2))), parts = most / step;

	return parts >= 12 ? 5 * step : parts >= 6 ? 2 * step : parts >= 3 ? step : step / 2;
}

static void draw_traffic(struct np_buf *b, const struct np_figure *fig, const struct np_look *look)
{
	struct np_layout l = { .look = look, .left = 74, .height = 150 };
	struct np_scale scale = np_scale_for(fig->ymax);
	char *ylabel = np_asprintf("accesses/s%s", scale.name);
	int least, most;

	l.ylabel = ylabel;
	l.shown = np_alloc(fig->rep->ncolumns * sizeof(*l.shown));
	l.n = NP_SHOWN(fig, traffic_runs, l.shown, &least, &most);
	np_layout_begin(b, &l);
	np_buf_printf(b, "set yrange [0:%.6g]\nset ytics %.6g\n", fig->ymax / scale.factor,
		      tic_step(fig->ymax / scale.factor));
	for (int i = 0; i < l.n; i++) {
		const struct np_panel *p = &fig->s->panels[l.shown[i]];

		np_layout_panel(b, &l, fig, i);
		np_plot_phases(b, fig->s, p);
		traffic_data(b, p, fig->s->end_s, scale.factor);
		for (int n = 0; n < p->nodes && n < NODES_MAX; n++) {
			np_buf_printf(b, "%s $t using 1:%d with lines lw 2 ", n ? "," : "plot",
				      2 * n + 2);
			np_plot_color(b, np_color_of(n));
			np_buf_printf(b, ", $t using 1:%d with lines lw 2 dt (6,4) ", 2 * n + 3);
			np_plot_color(b, np_color_of(n));
		}
		np_buf_puts(b, "\n");
	}
	np_buf_puts(b, "unset multiplot\n");
	free(l.shown);
	free(ylabel);
}

static void traffic_legend(struct np_buf *page, int nodes)
{
	np_buf_puts(page, "<ul class=\"legend\">");
	for (int i = 0; i < 2 * nodes && i < 2 * NODES_MAX; i++)
		np_buf_printf(page, NP_KEY_OPEN
			      "<path d=\"M0 7H24\" fill=\"none\" stroke-width=\"3\"\n"
			      "stroke=\"var(--c%d)\"%s/>"
			      NP_KEY_CLOSE "node %d, %s</li>", np_color_of(i / 2),
			      i % 2 ? " stroke-dasharray=\"6 4\"" : "", i / 2,
			      i % 2 ? "remote" : "local");
	np_buf_puts(page, "</ul>\n");
}

static void flow_row(struct np_buf *page, const char *label, int vcpu, const struct np_flow *f,
		     int runs)
{
	double all = f->local + f->remote;

	np_buf_puts(page, "<tr><th scope=\"row\">");
	np_html_escape(page, label);
	np_buf_puts(page, "</th>");
	if (vcpu >= 0)
		np_buf_printf(page, "<td>%d</td>", vcpu);
	else
		np_buf_puts(page, "<td>all</td>");
	np_buf_printf(page, "<td>%.0f</td><td>%.0f</td>", f->local / runs, f->remote / runs);
	if (all > 0)
		np_buf_printf(page, "<td>%.2f %%</td>", 100 * f->remote / all);
	else
		np_buf_puts(page, "<td>–</td>");
	np_buf_printf(page, "<td>%.1f</td><td>%.1f</td></tr>\n",
		      f->local_bytes / runs / (1 << 20), f->remote_bytes / runs / (1 << 20));
}

static void flow_table(struct np_buf *page, const struct np_figure *fig, const int *shown, int n,
		       bool each)
{
	np_buf_printf(page, "<div class=\"scroll\" role=\"region\" tabindex=\"0\"\n"
		      "aria-label=\"Accesses%s\"><table><caption>Accesses from user space in a run,\n"
		      "mean of the runs</caption><thead><tr><th scope=\"col\">policy</th>\n"
		      "<th scope=\"col\">vCPU</th><th scope=\"col\">local</th>\n"
		      "<th scope=\"col\">remote</th><th scope=\"col\">remote share</th>\n"
		      "<th scope=\"col\">MiB local</th><th scope=\"col\">MiB remote</th>\n"
		      "</tr></thead><tbody>\n", each ? " by vCPU" : "");
	for (int i = 0; i < n; i++) {
		const struct np_panel *p = &fig->s->panels[shown[i]];
		const char *label = fig->rep->columns[shown[i]].label;

		if (!each)
			flow_row(page, label, -1, &p->total, p->traffic_runs);
		for (int v = 0; each && v < p->nvcpus; v++)
			flow_row(page, label, v, &p->vcpus[v], p->traffic_runs);
	}
	np_buf_puts(page, "</tbody></table></div>\n");
}

static void traffic_tables(struct np_buf *page, const struct np_figure *fig, const int *shown,
			   int n)
{
	flow_table(page, fig, shown, n, false);
	np_buf_puts(page, "<details><summary>By vCPU</summary>\n");
	flow_table(page, fig, shown, n, true);
	np_buf_puts(page, "</details>\n");
}

/**
 * np_plot_traffic() - accesses to each node's memory over time, per policy
 * @page: the page; nothing is added where no run has counted accesses
 * @rep: the report
 * @w: number of the workload
 * @s: what there is to show
 *
 * Return: NULL, or what went wrong, to be freed.
 */
char *np_plot_traffic(struct np_buf *page, const struct np_report *rep, int w,
		      const struct np_series *s)
{
	struct np_figure fig = { .rep = rep, .w = w, .s = s, .kind = "traffic",
			      .draw = draw_traffic };
	int *shown = np_alloc(rep->ncolumns * sizeof(*shown)), least, most, nodes = 0;
	int n = NP_SHOWN(&fig, traffic_runs, shown, &least, &most);
	char *error = NULL;

	for (int i = 0; i < n; i++) {
		const struct np_panel *p = &s->panels[shown[i]];

		fig.ymax = fmax(fig.ymax, 1.05 * rate_max(p));
		nodes = p->nodes > nodes ? p->nodes : nodes;
	}
	if (n) {
		fig.ymax = fig.ymax > 0 ? fig.ymax : 1;
		np_buf_printf(&fig.label, "Line plots of local and remote accesses per second to\n"
			      "each node’s memory over guest time under %s; the table below has the\n"
			      "totals", rep->workloads[w]);
		np_figure_open(page, &fig, "Traffic per node over time");
		traffic_legend(page, nodes);
		error = np_figure_put(page, &fig);
		np_buf_puts(page, "<figcaption>Loads and stores of user space per guest second,\n"
			    "by the node that the memory is on. Solid: from CPUs of that node; dashed:\n"
			    "from others. Mean of ");
		np_say_runs(page, least, most);
		np_buf_puts(page, "; the scale is the same for all.");
		if (nodes > NODES_MAX)
			np_buf_printf(page, " Only the first %d nodes are drawn.", NODES_MAX);
		np_say_phases(page, s);
		np_buf_puts(page, "</figcaption>\n");
		traffic_tables(page, &fig, shown, n);
		np_buf_puts(page, "</figure>\n");
	}
	free(shown);
	return error;
}
