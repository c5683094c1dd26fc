// SPDX-License-Identifier: GPL-2.0
/*
 * What the plots of the html report have in common.
 *
 * Every plot is drawn twice, for wide and for narrow windows; the page shows the one that fits.
 */
#include <stdlib.h>
#include <string.h>

#include "gnuplot.h"
#include "html_figure.h"

/* Letters that label phases. */
#define PHASES_MAX 26

static const struct np_look looks[] = {
	{ "plot wide", 900, 15, 2 },
	{ "plot narrow", 376, 13, 1 },
};

/**
 * np_figure_put() - draw a plot, in every rendering
 * @page: where it goes
 * @fig: the plot; its label is freed
 *
 * Return: NULL, or what went wrong, to be freed.
 */
char *np_figure_put(struct np_buf *page, struct np_figure *fig)
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

/**
 * np_look_wide() - whether a rendering is the one for wide windows
 * @look: the rendering
 *
 * Return: whether it is.
 */
bool np_look_wide(const struct np_look *look)
{
	return look == &looks[0];
}

/**
 * np_color_of() - the colour of a policy or a node
 * @n: its number
 *
 * Return: the number of the colour in the page.
 */
int np_color_of(int n)
{
	return n % NP_COLORS + 1;
}

/**
 * np_plot_color() - append a colour to a plot command
 * @b: the script
 * @color: number of the colour in the page; 0: the text's
 */
void np_plot_color(struct np_buf *b, int color)
{
	np_buf_printf(b, "lc rgb '#0a00%02x'", color);
}

/**
 * np_plot_terminal() - begin a rendering
 * @b: the script
 * @look: the rendering
 * @height: its height
 */
void np_plot_terminal(struct np_buf *b, const struct np_look *look, int height)
{
	np_buf_printf(b, "reset\nset terminal svg size %d,%d dynamic enhanced \\\n"
		      "font 'sans-serif,%d'\n", look->width, height, look->font);
	np_buf_puts(b, "set border 3\nset tics nomirror out scale 0.5\n");
}

/**
 * np_scale_for() - the unit of an axis
 * @most: the greatest value on it
 *
 * Return: the unit.
 */
struct np_scale np_scale_for(double most)
{
	if (most >= 2e9)
		return (struct np_scale) { 1e9, " (billions)" };
	if (most >= 2e6)
		return (struct np_scale) { 1e6, " (millions)" };
	if (most >= 2e4)
		return (struct np_scale) { 1e3, " (thousands)" };
	return (struct np_scale) { 1, "" };
}

/* ---- panels: one per column, side by side or one below the other ---- */

#define ABOVE 46
#define BELOW 36
#define BOTTOM 26
#define RIGHT 16

/**
 * np_layout_begin() - begin a rendering that has panels
 * @b: the script
 * @l: the layout; its total is filled in
 */
void np_layout_begin(struct np_buf *b, struct np_layout *l)
{
	int rows = (l->n + l->look->columns - 1) / l->look->columns;

	l->total = rows * (ABOVE + l->height + BELOW) + BOTTOM;
	np_plot_terminal(b, l->look, l->total);
	np_buf_puts(b, "set multiplot\nunset key\n");
}

/* Text at a place in pixels: gnuplot's own places for titles move with what else there is. */
static void put_text(struct np_buf *b, const struct np_layout *l, const char *text, double x,
		     double y, const char *how)
{
	np_buf_puts(b, "set label ");
	np_gnuplot_text(b, text, 44);
	np_buf_printf(b, " at screen %.5f, screen %.5f %s noenhanced\n", x / l->look->width,
		      1 - y / l->total, how);
}

/**
 * np_layout_panel() - begin a panel
 * @b: the script
 * @l: the layout
 * @fig: the plot
 * @i: number of the panel
 */
void np_layout_panel(struct np_buf *b, const struct np_layout *l, const struct np_figure *fig,
		     int i)
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

/* The panel whose phases give the letters: the first with most of them. */
static const struct np_panel *phase_names(const struct np_series *s)
{
	const struct np_panel *most = &s->panels[0];

	for (int c = 1; c < s->npanels; c++)
		if (s->panels[c].nphases > most->nphases)
			most = &s->panels[c];
	return most;
}

/**
 * np_plot_phases() - mark where phases begin
 * @b: the script
 * @s: all panels: the one with most phases gives the letters
 * @p: the panel that is drawn
 *
 * A phase that begins too close to the one before shares its line.
 */
void np_plot_phases(struct np_buf *b, const struct np_series *s, const struct np_panel *p)
{
	const struct np_panel *names = phase_names(s);
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

/**
 * np_say_phases() - explain the marks of np_plot_phases()
 * @page: where to
 * @s: all panels
 */
void np_say_phases(struct np_buf *page, const struct np_series *s)
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

/**
 * np_say_runs() - say how many runs are shown
 * @page: where to
 * @least: in the panel with the fewest
 * @most: in the one with most
 */
void np_say_runs(struct np_buf *page, int least, int most)
{
	if (least == most)
		np_buf_printf(page, "%d run%s", most, most == 1 ? "" : "s");
	else
		np_buf_printf(page, "%d to %d runs", least, most);
}

/**
 * np_shown_columns() - find the columns that have something to show
 * @fig: the plot
 * @member: offset of the member of struct np_panel that counts it
 * @shown: where the columns' numbers go
 * @least: where the least count of those goes
 * @most: where the greatest goes
 *
 * Return: how many there are.
 */
int np_shown_columns(const struct np_figure *fig, size_t member, int *shown, int *least,
		     int *most)
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

/**
 * np_figure_open() - begin a figure with its heading
 * @page: where to
 * @fig: the plot
 * @title: what it shows
 */
void np_figure_open(struct np_buf *page, const struct np_figure *fig, const char *title)
{
	np_buf_printf(page, "<figure class=\"%s\">\n<h4>%s: ", fig->kind, title);
	np_html_escape(page, fig->rep->workloads[fig->w]);
	np_buf_puts(page, "</h4>\n");
}
