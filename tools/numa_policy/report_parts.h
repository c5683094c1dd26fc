/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the reports in plain text are made of.
 */
#ifndef NP_REPORT_PARTS_H
#define NP_REPORT_PARTS_H

#include <stdio.h>

#include "report.h"

/* Columns of a report that is mailed, and of paragraphs in all of them. */
#define NP_LKML_WIDTH 80

/**
 * struct np_grid_row - a row of a grid
 * @label: its label
 * @texts: one text per column
 */
struct np_grid_row {
	char *label;
	char **texts;
};

/**
 * struct np_grid - a table of texts, printed in pieces where it is too wide
 * @columns: number of columns
 * @min: least width of a column
 * @heads: rows of headings, printed above every piece
 * @nheads: how many
 * @rows: the rows
 * @n: how many
 */
struct np_grid {
	int columns;
	int min;
	struct np_grid_row *heads;
	int nheads;
	struct np_grid_row *rows;
	int n;
};

char **np_grid_head(struct np_grid *g);
char **np_grid_row(struct np_grid *g, char *label);
void np_grid_gap(struct np_grid *g);
void np_grid_print(FILE *f, const struct np_grid *g, int width);
void np_grid_free(struct np_grid *g);

int np_text_width(const char *s);
void np_print_para(FILE *f, const char *first, int indent, const char *text);
void np_print_command(FILE *f, const char *first, int indent, const char *command);

int np_block_columns(const struct np_report *rep, int block, int *columns);
void np_grid_name_columns(struct np_grid *g, const struct np_report *rep, const int *columns,
			  bool narrow);

void np_print_claims(FILE *f, const struct np_report *rep);
void np_print_traffic(FILE *f, const struct np_report *rep, int w, int block, int width);

#endif /* NP_REPORT_PARTS_H */
