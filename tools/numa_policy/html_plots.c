// SPDX-License-Identifier: GPL-2.0
/*
 * The plots of the html report.
 *
 * Every plot is drawn twice, for wide and for narrow windows; the page shows the one that fits.
 */
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <linux/numa_policy.h>

#include "gnuplot.h"
#include "html_plots.h"

/* A sample of what a legend explains. */
#define KEY_OPEN "<li><svg class=\"key\" viewBox=\"0 0 24 14\" aria-hidden=\"true\">\n"
#define KEY_CLOSE "</svg>\n"

/* Letters that label phases. */
#define PHASES_MAX 26
/* Rows of a map that are labelled one by one. */
#define LABELS_MAX 16
#define LABEL_CHARS 12

/**
 * struct look - a rendering
 * @class: class of the SVG
 * @width: its width, in the pixels of the page
 * @font: size of its text
 * @columns: panels side by side
 */
struct look {
	const char *class;
	int width;
	int font;
	int columns;
};

static const struct look looks[] = {
	{ "plot wide", 900, 15, 2 },
	{ "plot narrow", 376, 13, 1 },
};

/**
 * struct figure - a plot as it is being made
 * @rep: the report
 * @w: number of the workload
 * @s: what there is to show
 * @kind: its kind, for identifiers
 * @label: the text in its place for those who do not see it
 * @ymax: end of the vertical axis that all panels have
 * @draw: draws it
 */
struct figure {
	const struct np_report *rep;
	int w;
	const struct np_series *s;
	const char *kind;
	struct np_buf label;
	double ymax;
	void (*draw)(struct np_buf *b, const struct figure *fig, const struct look *look);
};

static char *figure_put(struct np_buf *page, struct figure *fig)
{
	struct np_buf script = { 0 }, svg = { 0 };
	const char *next;
	char *error;

	np_buf_puts(&script, "set encoding utf8\n");
	for (size_t i = 0; i < ARRAY_SIZE(looks); i++)
		fig->draw(&script, fig, &looks[i]);
	error = np_gnuplot(script.s, &svg);
	next = svg.s;
	for (size_t i = 0; i < ARRAY_SIZE(looks) && !error; i++) {
		char *id = np_asprintf("%s%d%c", fig->kind, fig->w, looks[i].class[5]);

		error = np_gnuplot_adopt(page, &next, id, looks[i].class, fig->label.s);
		free(id);
	}
	np_buf_free(&script);
	np_buf_free(&svg);
	np_buf_free(&fig->label);
	return error;
}

static int color_of(int n)
{
	return n % NP_COLORS + 1;
}

static void put_color(struct np_buf *b, int color)
{
	np_buf_printf(b, "lc rgb '#0a00%02x'", color);
}

static void set_terminal(struct np_buf *b, const struct look *look, int height)
{
	np_buf_printf(b, "reset\nset terminal svg size %d,%d dynamic enhanced \\\n"
		      "font 'sans-serif,%d'\n", look->width, height, look->font);
	np_buf_puts(b, "set border 3\nset tics nomirror out scale 0.5\n");
}

/**
 * struct scale - a unit for an axis, so that its figures are short
 * @factor: what a value is divided by
 * @name: what to append to the axis's name
 */
struct scale {
	double factor;
	const char *name;
};

static struct scale scale_for(double most)
{
	if (most >= 2e9)
		return (struct scale) { 1e9, " (billions)" };
	if (most >= 2e6)
		return (struct scale) { 1e6, " (millions)" };
	if (most >= 2e4)
		return (struct scale) { 1e3, " (thousands)" };
	return (struct scale) { 1, "" };
}

/* A round step that divides an axis into three to six parts, or a little less. */
static double tic_step(double most)
{
	double step = pow(10, floor(log10(most / 2))), parts = most / step;

	return parts >= 12 ? 5 * step : parts >= 6 ? 2 * step : parts >= 3 ? step : step / 2;
}

/* ---- panels: one per column, side by side or one below the other ---- */

/**
 * struct layout - where panels are
 * @look: the rendering
 * @shown: columns that have a panel
 * @n: how many
 * @ylabel: what the vertical axes show
 * @left: pixels left of a panel's axes
 * @height: pixels of a panel's axes
 * @total: pixels of the whole
 */
struct layout {
	const struct look *look;
	int *shown;
	int n;
	const char *ylabel;
	int left;
	int height;
	int total;
};

#define ABOVE 46
#define BELOW 36
#define BOTTOM 26
#define RIGHT 16

static void layout_begin(struct np_buf *b, struct layout *l)
{
	int rows = (l->n + l->look->columns - 1) / l->look->columns;

	l->total = rows * (ABOVE + l->height + BELOW) + BOTTOM;
	set_terminal(b, l->look, l->total);
	np_buf_puts(b, "set multiplot\nunset key\n");
}

/* Text at a place in pixels: gnuplot's own places for titles move with what else there is. */
static void put_text(struct np_buf *b, const struct layout *l, const char *text, double x, double y,
		     const char *how)
{
	np_buf_puts(b, "set label ");
	np_gnuplot_text(b, text, 44);
	np_buf_printf(b, " at screen %.5f, screen %.5f %s noenhanced\n", x / l->look->width,
		      1 - y / l->total, how);
}

static void layout_panel(struct np_buf *b, const struct layout *l, const struct figure *fig, int i)
{
	int columns = l->look->columns, width = l->look->width / columns;
	int x = i % columns * width, y = i / columns * (ABOVE + l->height + BELOW) + ABOVE;
	double w = l->look->width, h = l->total;

	np_buf_puts(b, "unset arrow\nunset label\n");
	np_buf_printf(b, "set lmargin at screen %.5f\nset rmargin at screen %.5f\n",
		      (x + l->left) / w, (x + width - RIGHT) / w);
	np_buf_printf(b, "set tmargin at screen %.5f\nset bmargin at screen %.5f\n",
		      1 - y / h, 1 - (y + l->height) / h);
	np_buf_printf(b, "set xrange [0:%.9g]\n", fig->s->end_s);
	put_text(b, l, fig->rep->columns[l->shown[i]].label, x + l->left, y - 30, "left");
	put_text(b, l, l->ylabel, x + 14, y + l->height / 2., "center rotate by 90");
	if (i + columns >= l->n)
		put_text(b, l, "guest time (s)", x + (l->left + width - RIGHT) / 2.,
			 y + l->height + BELOW + 12, "center");
}

/* Phases as lines with letters; what begins too close to the one before shares its line. */
static void put_phases(struct np_buf *b, const struct np_series *s, const struct np_panel *p,
		       const struct np_panel *names)
{
	struct np_buf letters = { 0 };
	double last = -1;

	for (int i = 0; i < names->nphases && i < PHASES_MAX; i++) {
		for (int k = 0; k < p->nphases; k++) {
			double t = p->phases[k].sum_s / p->phases[k].n;

			if (strcmp(p->phases[k].name, names->phases[i].name))
				continue;
			if (last >= 0 && t - last < .05 * s->end_s) {
				np_buf_printf(&letters, "%c", 'a' + i);
			} else {
				np_buf_free(&letters);
				np_buf_printf(&letters, "%c", 'a' + i);
				last = t;
				np_buf_printf(b, "set arrow from %.9g,graph 0 to %.9g,graph 1 \\\n"
					      "nohead dt 3 lc rgb '#0a0000'\n", t, t);
			}
			np_buf_printf(b, "set label %d '%s' at %.9g,graph 1.05 center\n",
				      (int)(100 + last * 1000), letters.s, last);
		}
	}
	np_buf_free(&letters);
}

/* The panel whose phases give the letters: the first with most of them. */
static const struct np_panel *phase_names(const struct np_series *s)
{
	const struct np_panel *most = &s->panels[0];

	for (int c = 1; c < s->npanels; c++)
		if (s->panels[c].nphases > most->nphases)
			most = &s->panels[c];
	return most;
}

static void say_phases(struct np_buf *page, const struct np_series *s)
{
	const struct np_panel *p = phase_names(s);

	if (!p->nphases)
		return;
	np_buf_puts(page, " Dotted lines: where phases begin, mean of the runs:");
	for (int i = 0; i < p->nphases && i < PHASES_MAX; i++) {
		np_buf_printf(page, "%s <b>%c</b> ", i ? "," : "", 'a' + i);
		np_html_escape(page, p->phases[i].name);
	}
	np_buf_puts(page, ".");
}

static void say_runs(struct np_buf *page, int least, int most)
{
	if (least == most)
		np_buf_printf(page, "%d run%s", most, most == 1 ? "" : "s");
	else
		np_buf_printf(page, "%d to %d runs", least, most);
}

static void say_name(struct np_buf *page, const struct figure *fig)
{
	np_html_escape(page, fig->rep->workloads[fig->w]);
}

/* Columns that have something to show, by a count in their panels. */
static int shown_columns(const struct figure *fig, size_t member, int *shown, int *least, int *most)
{
	int n = 0;

	*least = *most = 0;
	for (int c = 0; c < fig->s->npanels; c++) {
		int count = *(const int *)((const char *)&fig->s->panels[c] + member);

		if (!count)
			continue;
		*least = !n || count < *least ? count : *least;
		*most = count > *most ? count : *most;
		shown[n++] = c;
	}
	return n;
}

#define SHOWN(fig, member, shown, least, most) \
	shown_columns(fig, offsetof(struct np_panel, member), shown, least, most)

static void figure_open(struct np_buf *page, const struct figure *fig, const char *title)
{
	np_buf_printf(page, "<figure class=\"%s\">\n<h4>%s: ", fig->kind, title);
	say_name(page, fig);
	np_buf_puts(page, "</h4>\n");
}

/* ---- locality over time ---- */

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

static void draw_locality(struct np_buf *b, const struct figure *fig, const struct look *look)
{
	struct layout l = { .look = look, .ylabel = "local (%)", .left = 66,
			    .height = 150 };
	const struct np_report *rep = fig->rep;
	double step = fig->s->end_s / NP_GRID;
	int least, most;

	l.shown = np_alloc(rep->ncolumns * sizeof(*l.shown));
	l.n = SHOWN(fig, runs, l.shown, &least, &most);
	layout_begin(b, &l);
	np_buf_puts(b, "set yrange [0:100]\nset ytics 25\n");
	for (int i = 0; i < l.n; i++) {
		int c = l.shown[i], base = rep->columns[c].base;
		const struct np_panel *p = &fig->s->panels[c];

		layout_panel(b, &l, fig, i);
		put_phases(b, fig->s, p, phase_names(fig->s));
		curve_data(b, "$own", p, step);
		curve_data(b, "$base", &fig->s->panels[base], step);
		np_buf_puts(b, "plot $own using 1:3:4 with filledcurves ");
		put_color(b, color_of(c));
		np_buf_puts(b, " fs transparent solid 0.3 noborder");
		if (base != c && fig->s->panels[base].runs)
			np_buf_puts(b, ", $base using 1:2 with lines lw 1.5 dt 2 lc rgb '#0a0000'");
		np_buf_puts(b, ", $own using 1:2 with lines lw 2.5 ");
		put_color(b, color_of(c));
		np_buf_puts(b, "\n");
	}
	np_buf_puts(b, "unset multiplot\n");
	free(l.shown);
}

static void label_locality(struct figure *fig, const int *shown, int n)
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
	struct figure fig = { .rep = rep, .w = w, .s = s, .kind = "locality",
			      .draw = draw_locality };
	int *shown = np_alloc(rep->ncolumns * sizeof(*shown)), least, most;
	int n = SHOWN(&fig, runs, shown, &least, &most);
	char *error = NULL;

	if (n) {
		label_locality(&fig, shown, n);
		figure_open(page, &fig, "Locality over time");
		error = figure_put(page, &fig);
		np_buf_puts(page, "<figcaption>Share of touched pages on their toucher’s node.\n"
			    "Line: mean of ");
		say_runs(page, least, most);
		np_buf_puts(page, "; band: least to greatest; shown while at least half of\n"
			    "the runs go on.");
		if (n > 1)
			np_buf_puts(page, " Dashed: the mean of the base.");
		say_phases(page, s);
		np_buf_puts(page, "</figcaption>\n</figure>\n");
	}
	free(shown);
	return error;
}

/* ---- benefit against cost ---- */

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
static int find_metric(const struct figure *fig, const char *name)
{
	for (int m = 0; m < np_metrics_count; m++)
		if (!strcmp(np_metrics[m].name, name) &&
		    np_report_summary(fig->rep, fig->w, m, 0)->present)
			return m;
	return -1;
}

static struct estimate estimate_metric(const struct figure *fig, int m, int c)
{
	const struct np_stats *s;

	if (m < 0)
		return (struct estimate) { 0 };
	s = &np_report_summary(fig->rep, fig->w, m, c)->s;
	return s->n ? estimate(s->amean, s->stddev, s->n) : (struct estimate) { 0 };
}

static struct estimate cost_of(const struct figure *fig, int c)
{
	return estimate_metric(fig, find_metric(fig, "pte_updates"), c);
}

/* Accesses say more than where pages are, where they were counted. */
static int benefit_metric(const struct figure *fig)
{
	int m = find_metric(fig, "remote_accesses");

	return m < 0 ? find_metric(fig, "remote_page_s") : m;
}

static struct estimate benefit_of(const struct figure *fig, int c)
{
	return estimate_metric(fig, benefit_metric(fig), c);
}

static const char *benefit_name(const struct figure *fig)
{
	int m = benefit_metric(fig);

	return m < 0 ? "" : np_metrics[m].title;
}

static const int point_types[] = { 7, 5, 9, 11, 13, 15, 6, 4, 8, 10, 12, 14 };

/* The greatest ends of the intervals, of costs or of benefits. */
static double greatest(const struct figure *fig,
		       struct estimate (*get)(const struct figure *fig, int c))
{
	double most = 0;

	for (int c = 0; c < fig->rep->ncolumns; c++) {
		struct estimate e = get(fig, c);

		if (e.valid)
			most = fmax(most, e.mean + e.half);
	}
	return most;
}

static void benefit_axes(struct np_buf *b, const struct figure *fig, bool wide,
			 const struct scale *sx, const struct scale *sy)
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

static void draw_benefit(struct np_buf *b, const struct figure *fig, const struct look *look)
{
	struct scale sx = scale_for(greatest(fig, cost_of));
	struct scale sy = scale_for(greatest(fig, benefit_of));
	int n = fig->rep->ncolumns, drawn = 0;
	bool wide = look == &looks[0];

	set_terminal(b, look, wide ? 420 : 340 + 22 * ((n + 1) / 2));
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
		put_color(b, color_of(c));
		np_buf_puts(b, " title ");
		np_gnuplot_text(b, fig->rep->columns[c].label, wide ? 24 : 16);
		np_buf_puts(b, " noenhanced");
	}
	np_buf_puts(b, "\n");
}

static int label_benefit(struct figure *fig)
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
	struct figure fig = { .rep = rep, .w = w, .s = s, .kind = "benefit",
			      .draw = draw_benefit };
	char *error;

	if (!label_benefit(&fig)) {
		np_buf_free(&fig.label);
		return NULL;
	}
	figure_open(page, &fig, "Benefit against cost");
	error = figure_put(page, &fig);
	np_buf_printf(page, "<figcaption>Across: PTE updates, the cost of scanning. Up: %s (%s),\n"
		      "less of which is the benefit. Means of the runs with their 95 %% intervals\n"
		      "(Student); without bars: one run, or all alike.</figcaption>\n</figure>\n",
		      benefit_name(&fig), np_metrics[benefit_metric(&fig)].help);
	return error;
}

/* ---- the map of VMAs and time ---- */

static const int reason_colors[NR_NUMA_POLICY_REASONS] = {
	[NUMA_POLICY_SKIP] = 10, [NUMA_POLICY_ALWAYS] = 1, [NUMA_POLICY_INITIAL] = 3,
	[NUMA_POLICY_INITIAL_MM] = 8, [NUMA_POLICY_PID] = 2, [NUMA_POLICY_PARTIAL] = 4,
	[NUMA_POLICY_SEQ_DELTA] = 5, [NUMA_POLICY_HOT] = 7, [NUMA_POLICY_SHARED] = 6,
};

/* Boxes of one reason, fields side by side in one. */
static void map_boxes(struct np_buf *b, const struct np_map_row *map, int rows, int reason,
		      double field)
{
	double half = reason == NUMA_POLICY_SKIP ? .1 : .42;

	for (int y = 0; y < rows; y++) {
		for (int x = 0, from; x < NP_MAP_COLUMNS; x++) {
			if (map[y].reason[x] != reason)
				continue;
			for (from = x; x + 1 < NP_MAP_COLUMNS && map[y].reason[x + 1] == reason;)
				x++;
			np_buf_printf(b, "%.6g %d %.6g %.6g %.2f %.2f\n", from * field, y + 1,
				      from * field, (x + 1) * field, y + 1 - half, y + 1 + half);
		}
	}
}

static bool map_has(const struct np_map_row *map, int rows, int reason)
{
	for (int y = 0; y < rows; y++)
		if (memchr(map[y].reason, reason, NP_MAP_COLUMNS))
			return true;
	return false;
}

static void map_tics(struct np_buf *b, const struct np_map_row *map, int rows)
{
	int every = (rows + LABELS_MAX - 1) / LABELS_MAX;

	np_buf_puts(b, "set ytics (");
	for (int y = 0; y < rows; y += every) {
		np_buf_puts(b, y ? ", " : "");
		np_gnuplot_text(b, map[y].label, LABEL_CHARS);
		np_buf_printf(b, " %d", y + 1);
	}
	np_buf_puts(b, ") noenhanced\n");
}

static void map_panel(struct np_buf *b, const struct figure *fig, const struct np_map_row *map,
		      int rows)
{
	int drawn = 0;

	np_buf_printf(b, "set yrange [0.4:%.1f]\n", rows + .6);
	map_tics(b, map, rows);
	for (int r = 0; r < NR_NUMA_POLICY_REASONS; r++) {
		if (!map_has(map, rows, r))
			continue;
		np_buf_printf(b, "$r%d << EOD\n", r);
		map_boxes(b, map, rows, r, fig->s->end_s / NP_MAP_COLUMNS);
		np_buf_puts(b, "EOD\n");
	}
	for (int r = 0; r < NR_NUMA_POLICY_REASONS; r++) {
		if (!map_has(map, rows, r))
			continue;
		np_buf_printf(b, "%s $r%d with boxxyerror fs solid 1 noborder ",
			      drawn++ ? "," : "plot", r);
		put_color(b, reason_colors[r]);
	}
	np_buf_puts(b, "\n");
}

/* Characters that a label takes on an axis; @least if that is more. */
static int text_chars(const char *s, int least)
{
	int n = 0;

	for (; *s && n <= LABEL_CHARS; s++)
		n += (*s & 0xc0) != 0x80;
	return n > least ? n : least;
}

static void draw_map(struct np_buf *b, const struct figure *fig, const struct look *look)
{
	struct layout l = { .look = look, .ylabel = "VMA" };
	int least, most, n = fig->rep->ncolumns;
	struct np_map_row **maps = np_alloc(n * sizeof(*maps));
	int *rows = np_alloc(n * sizeof(*rows)), per_row, high = 0, chars = 3;

	l.shown = np_alloc(n * sizeof(*l.shown));
	l.n = SHOWN(fig, map_rep, l.shown, &least, &most);
	for (int i = 0; i < l.n; i++) {
		maps[i] = np_map_make(&fig->s->panels[l.shown[i]], fig->s->end_s, &rows[i],
				      &per_row);
		high = rows[i] > high ? rows[i] : high;
		for (int y = 0; y < rows[i]; y++)
			chars = text_chars(maps[i][y].label, chars);
	}
	l.left = 46 + chars * look->font * .62;
	l.height = high < 8 ? 136 : high < 16 ? 17 * high : 272;
	layout_begin(b, &l);
	for (int i = 0; i < l.n; i++) {
		layout_panel(b, &l, fig, i);
		put_phases(b, fig->s, &fig->s->panels[l.shown[i]], phase_names(fig->s));
		map_panel(b, fig, maps[i], rows[i]);
		np_map_free(maps[i], rows[i]);
	}
	np_buf_puts(b, "unset multiplot\n");
	free(l.shown);
	free(maps);
	free(rows);
}

static void map_legend(struct np_buf *page, const struct figure *fig)
{
	np_buf_puts(page, "<ul class=\"legend\">");
	for (int r = 0; r < NR_NUMA_POLICY_REASONS; r++) {
		bool any = false;

		for (int c = 0; c < fig->s->npanels; c++)
			any |= fig->s->panels[c].map_rep && fig->s->panels[c].reasons[r];
		if (!any)
			continue;
		np_buf_printf(page, KEY_OPEN
			      "<rect x=\"2\" width=\"20\" y=\"%d\" height=\"%d\" fill=\"var(--c%d)\"/>"
			      KEY_CLOSE "%s</li>", r == NUMA_POLICY_SKIP ? 5 : 1,
			      r == NUMA_POLICY_SKIP ? 3 : 12, reason_colors[r],
			      r == NUMA_POLICY_SKIP ? "not scanned (skip)" : np_reason_names[r]);
	}
	np_buf_puts(page, "</ul>\n");
}

static void map_counts(struct np_buf *page, const struct figure *fig, const int *shown, int n)
{
	np_buf_puts(page, "<div class=\"scroll\" role=\"region\" tabindex=\"0\"\n"
		    "aria-label=\"Decisions by reason\"><table><caption>Decisions by reason in\n"
		    "these runs</caption><thead><tr><th scope=\"col\">reason</th>");
	for (int i = 0; i < n; i++) {
		np_buf_puts(page, "<th scope=\"col\">");
		np_html_escape(page, fig->rep->columns[shown[i]].label);
		np_buf_puts(page, "</th>");
	}
	np_buf_puts(page, "</tr></thead><tbody>\n");
	for (int r = 0; r < NR_NUMA_POLICY_REASONS; r++) {
		int all = 0;

		for (int i = 0; i < n; i++)
			all += fig->s->panels[shown[i]].reasons[r];
		if (!all)
			continue;
		np_buf_printf(page, "<tr><th scope=\"row\">%s</th>", np_reason_names[r]);
		for (int i = 0; i < n; i++)
			np_buf_printf(page, "<td>%d</td>", fig->s->panels[shown[i]].reasons[r]);
		np_buf_puts(page, "</tr>\n");
	}
	np_buf_puts(page, "</tbody></table></div>\n");
}

/* VMAs that share a row of the map, at most. */
static int vmas_per_row(const struct figure *fig, const int *shown, int n)
{
	int most = 1;

	for (int i = 0; i < n; i++) {
		int rows, per_row;

		np_map_free(np_map_make(&fig->s->panels[shown[i]], fig->s->end_s, &rows, &per_row),
			    rows);
		most = per_row > most ? per_row : most;
	}
	return most;
}

static void map_caption(struct np_buf *page, const struct figure *fig, const int *shown, int n,
			int least, int most)
{
	int per_row = vmas_per_row(fig, shown, n);

	np_buf_puts(page, "<figcaption>Up: the VMAs by address");
	if (per_row > 1)
		np_buf_printf(page, ", up to %d in a row", per_row);
	np_buf_printf(page, ". Across: guest time, in fields of %.2g s. The colour is the reason\n"
		      "of the decision; where a field has several, one that scans goes before a\n"
		      "refusal, and the last before earlier ones. Blank: nothing was decided. One\n"
		      "run each: repetition %d", fig->s->end_s / NP_MAP_COLUMNS, least);
	if (least != most)
		np_buf_printf(page, " to %d", most);
	np_buf_puts(page, ", the first that has decisions.");
	say_phases(page, fig->s);
	np_buf_puts(page, "</figcaption>\n");
}

/**
 * np_plot_map() - every decision, by VMA and time
 * @page: the page; nothing is added where no run has decisions
 * @rep: the report
 * @w: number of the workload
 * @s: what there is to show
 *
 * Return: NULL, or what went wrong, to be freed.
 */
char *np_plot_map(struct np_buf *page, const struct np_report *rep, int w,
		  const struct np_series *s)
{
	struct figure fig = { .rep = rep, .w = w, .s = s, .kind = "map", .draw = draw_map };
	int *shown = np_alloc(rep->ncolumns * sizeof(*shown)), least, most;
	int n = SHOWN(&fig, map_rep, shown, &least, &most);
	char *error = NULL;

	if (n) {
		np_buf_printf(&fig.label, "Maps of VMAs and guest time, coloured by the reason of\n"
			      "the decision, under %s; the table below counts them",
			      rep->workloads[w]);
		figure_open(page, &fig, "What was scanned, and why");
		map_legend(page, &fig);
		error = figure_put(page, &fig);
		map_caption(page, &fig, shown, n, least, most);
		map_counts(page, &fig, shown, n);
		np_buf_puts(page, "</figure>\n");
	}
	free(shown);
	return error;
}

/* ---- traffic ---- */

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

static void draw_traffic(struct np_buf *b, const struct figure *fig, const struct look *look)
{
	struct layout l = { .look = look, .left = 74, .height = 150 };
	struct scale scale = scale_for(fig->ymax);
	char *ylabel = np_asprintf("accesses/s%s", scale.name);
	int least, most;

	l.ylabel = ylabel;
	l.shown = np_alloc(fig->rep->ncolumns * sizeof(*l.shown));
	l.n = SHOWN(fig, traffic_runs, l.shown, &least, &most);
	layout_begin(b, &l);
	np_buf_printf(b, "set yrange [0:%.6g]\nset ytics %.6g\n", fig->ymax / scale.factor,
		      tic_step(fig->ymax / scale.factor));
	for (int i = 0; i < l.n; i++) {
		const struct np_panel *p = &fig->s->panels[l.shown[i]];

		layout_panel(b, &l, fig, i);
		put_phases(b, fig->s, p, phase_names(fig->s));
		traffic_data(b, p, fig->s->end_s, scale.factor);
		for (int n = 0; n < p->nodes && n < NODES_MAX; n++) {
			np_buf_printf(b, "%s $t using 1:%d with lines lw 2 ", n ? "," : "plot",
				      2 * n + 2);
			put_color(b, color_of(n));
			np_buf_printf(b, ", $t using 1:%d with lines lw 2 dt (6,4) ", 2 * n + 3);
			put_color(b, color_of(n));
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
		np_buf_printf(page, KEY_OPEN
			      "<path d=\"M0 7H24\" fill=\"none\" stroke-width=\"3\"\n"
			      "stroke=\"var(--c%d)\"%s/>"
			      KEY_CLOSE "node %d, %s</li>", color_of(i / 2),
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

static void flow_table(struct np_buf *page, const struct figure *fig, const int *shown, int n,
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

static void traffic_tables(struct np_buf *page, const struct figure *fig, const int *shown, int n)
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
	struct figure fig = { .rep = rep, .w = w, .s = s, .kind = "traffic",
			      .draw = draw_traffic };
	int *shown = np_alloc(rep->ncolumns * sizeof(*shown)), least, most, nodes = 0;
	int n = SHOWN(&fig, traffic_runs, shown, &least, &most);
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
		figure_open(page, &fig, "Traffic per node over time");
		traffic_legend(page, nodes);
		error = figure_put(page, &fig);
		np_buf_puts(page, "<figcaption>Loads and stores of user space per guest second,\n"
			    "by the node that the memory is on. Solid: from CPUs of that node; dashed:\n"
			    "from others. Mean of ");
		say_runs(page, least, most);
		np_buf_puts(page, "; the scale is the same for all.");
		if (nodes > NODES_MAX)
			np_buf_printf(page, " Only the first %d nodes are drawn.", NODES_MAX);
		say_phases(page, s);
		np_buf_puts(page, "</figcaption>\n");
		traffic_tables(page, &fig, shown, n);
		np_buf_puts(page, "</figure>\n");
	}
	free(shown);
	return error;
}
