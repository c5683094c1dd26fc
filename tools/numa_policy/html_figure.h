/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the plots of the html report have in common.
 */
#ifndef NP_HTML_FIGURE_H
#define NP_HTML_FIGURE_H

#include <stddef.h>

#include "html_data.h"
#include "util.h"

/* A sample of what a legend explains. */
#define NP_KEY_OPEN "<li><svg class=\"key\" viewBox=\"0 0 24 14\" aria-hidden=\"true\">\n"
#define NP_KEY_CLOSE "</svg>\n"

/**
 * struct np_look - a rendering
 * @class: class of the SVG
 * @width: its width, in the pixels of the page
 * @font: size of its text
 * @columns: panels side by side
 */
struct np_look {
	const char *class;
	int width;
	int font;
	int columns;
};

/**
 * struct np_figure - a plot as it is being made
 * @rep: the report
 * @w: number of the workload
 * @s: what there is to show
 * @kind: its kind, for identifiers
 * @label: the text in its place for those who do not see it
 * @ymax: end of the vertical axis that all panels have
 * @draw: draws it
 */
struct np_figure {
	const struct np_report *rep;
	int w;
	const struct np_series *s;
	const char *kind;
	struct np_buf label;
	double ymax;
	void (*draw)(struct np_buf *b, const struct np_figure *fig, const struct np_look *look);
};

/**
 * struct np_scale - a unit for an axis, so that its figures are short
 * @factor: what a value is divided by
 * @name: what to append to the axis's name
 */
struct np_scale {
	double factor;
	const char *name;
};

/**
 * struct np_layout - where panels are
 * @look: the rendering
 * @shown: columns that have a panel
 * @n: how many
 * @ylabel: what the vertical axes show
 * @left: pixels left of a panel's axes
 * @height: pixels of a panel's axes
 * @total: pixels of the whole
 */
struct np_layout {
	const struct np_look *look;
	int *shown;
	int n;
	const char *ylabel;
	int left;
	int height;
	int total;
};

/* Columns that have something to show, by a member of struct np_panel that counts. */
#define NP_SHOWN(fig, member, shown, least, most) \
	np_shown_columns(fig, offsetof(struct np_panel, member), shown, least, most)

int np_shown_columns(const struct np_figure *fig, size_t member, int *shown, int *least,
		     int *most);
void np_figure_open(struct np_buf *page, const struct np_figure *fig, const char *title);
char *np_figure_put(struct np_buf *page, struct np_figure *fig);
bool np_look_wide(const struct np_look *look);

int np_color_of(int n);
void np_plot_color(struct np_buf *b, int color);
void np_plot_terminal(struct np_buf *b, const struct np_look *look, int height);
struct np_scale np_scale_for(double most);

void np_layout_begin(struct np_buf *b, struct np_layout *l);
void np_layout_panel(struct np_buf *b, const struct np_layout *l, const struct np_figure *fig,
		     int i);
void np_plot_phases(struct np_buf *b, const struct np_series *s, const struct np_panel *p);

void np_say_phases(struct np_buf *page, const struct np_series *s);
void np_say_runs(struct np_buf *page, int least, int most);

#endif /* NP_HTML_FIGURE_H */
