// SPDX-License-Identifier: GPL-2.0
/*
 * The html report: every decision, by VMA and time.
 */
#include <stdlib.h>
#include <string.h>

#include <linux/numa_policy.h>

#include "gnuplot.h"
#include "html_figure.h"
#include "html_plots.h"

/* Rows of a map that are labelled one by one, and characters of their labels. */
#define LABELS_MAX 16
#define LABEL_CHARS 12

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

static void map_panel(struct np_buf *b, const struct np_figure *fig, const struct np_map_row *map,
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
		np_plot_color(b, reason_colors[r]);
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

static void draw_map(struct np_buf *b, const struct np_figure *fig, const struct np_look *look)
{
	struct np_layout l = { .look = look, .ylabel = "VMA" };
	int least, most, n = fig->rep->ncolumns;
	struct np_map_row **maps = np_alloc(n * sizeof(*maps));
	int *rows = np_alloc(n * sizeof(*rows)), per_row, high = 0, chars = 3;

	l.shown = np_alloc(n * sizeof(*l.shown));
	l.n = NP_SHOWN(fig, map_rep, l.shown, &least, &most);
	for (int i = 0; i < l.n; i++) {
		maps[i] = np_map_make(&fig->s->panels[l.shown[i]], fig->s->end_s, &rows[i],
				      &per_row);
		high = rows[i] > high ? rows[i] : high;
		for (int y = 0; y < rows[i]; y++)
			chars = text_chars(maps[i][y].label, chars);
	}
	l.left = 46 + chars * look->font * .62;
	l.height = high < 8 ? 136 : high < 16 ? 17 * high : 272;
	np_layout_begin(b, &l);
	for (int i = 0; i < l.n; i++) {
		np_layout_panel(b, &l, fig, i);
		np_plot_phases(b, fig->s, &fig->s->panels[l.shown[i]]);
		map_panel(b, fig, maps[i], rows[i]);
		np_map_free(maps[i], rows[i]);
	}
	np_buf_puts(b, "unset multiplot\n");
	free(l.shown);
	free(maps);
	free(rows);
}

static void map_legend(struct np_buf *page, const struct np_figure *fig)
{
	np_buf_puts(page, "<ul class=\"legend\">");
	for (int r = 0; r < NR_NUMA_POLICY_REASONS; r++) {
		bool any = false;

		for (int c = 0; c < fig->s->npanels; c++)
			any |= fig->s->panels[c].map_rep && fig->s->panels[c].reasons[r];
		if (!any)
			continue;
		np_buf_printf(page, NP_KEY_OPEN
			      "<rect x=\"2\" width=\"20\" y=\"%d\" height=\"%d\" fill=\"var(--c%d)\"/>"
			      NP_KEY_CLOSE "%s</li>", r == NUMA_POLICY_SKIP ? 5 : 1,
			      r == NUMA_POLICY_SKIP ? 3 : 12, reason_colors[r],
			      r == NUMA_POLICY_SKIP ? "not scanned (skip)" : np_reason_names[r]);
	}
	np_buf_puts(page, "</ul>\n");
}

static void map_counts(struct np_buf *page, const struct np_figure *fig, const int *shown, int n)
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
static int vmas_per_row(const struct np_figure *fig, const int *shown, int n)
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

static void map_caption(struct np_buf *page, const struct np_figure *fig, const int *shown, int n,
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
	np_say_phases(page, fig->s);
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
	struct np_figure fig = { .rep = rep, .w = w, .s = s, .kind = "map", .draw = draw_map };
	int *shown = np_alloc(rep->ncolumns * sizeof(*shown)), least, most;
	int n = NP_SHOWN(&fig, map_rep, shown, &least, &most);
	char *error = NULL;

	if (n) {
		np_buf_printf(&fig.label, "Maps of VMAs and guest time, coloured by the reason of\n"
			      "the decision, under %s; the table below counts them",
			      rep->workloads[w]);
		np_figure_open(page, &fig, "What was scanned, and why");
		map_legend(page, &fig);
		error = np_figure_put(page, &fig);
		map_caption(page, &fig, shown, n, least, most);
		map_counts(page, &fig, shown, n);
		np_buf_puts(page, "</figure>\n");
	}
	free(shown);
	return error;
}
