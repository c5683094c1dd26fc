// SPDX-License-Identifier: GPL-2.0
/*
 * Reports in plain text: the layout that mmtests users know, and the one that is mailed.
 */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "report_parts.h"
#include "util.h"

#define HEAD_INDENT 11

/* Width of a column in mmtests: the figure and the change, less the blank before it. */
#define COLUMN_MIN 22

/* The rows of a metric. */
static const struct stat_row {
	const char *name;
	size_t offset;
	bool spread;
	bool starred;
} stat_rows[] = {
	{ "Min", offsetof(struct np_stats, min), false, false },
	{ "Amean", offsetof(struct np_stats, amean), false, true },
	{ "Stddev", offsetof(struct np_stats, stddev), true, false },
	{ "CoeffVar", offsetof(struct np_stats, coeffvar), true, false },
	{ "Max", offsetof(struct np_stats, max), false, false },
	{ "BAmean-50", offsetof(struct np_stats, bamean50), false, false },
	{ "BAmean-95", offsetof(struct np_stats, bamean95), false, false },
	{ "BAmean-99", offsetof(struct np_stats, bamean99), false, false },
};

static double figure(const struct stat_row *row, const struct np_summary *sum)
{
	return *(const double *)((const char *)&sum->s + row->offset);
}

/* A figure and, in brackets or between stars, what it gained over the base. */
static char *stat_text(const struct stat_row *row, const struct np_metric *metric,
		       const struct np_summary *sum, const struct np_summary *base)
{
	double value = figure(row, sum), to = figure(row, base);
	bool more = metric->better > 0 && !row->spread;
	bool star = row->starred && sum->significant;
	int digits = metric->decimals > 2 ? metric->decimals : 2;
	bool whole = sum->s.n == sum->ok && base->s.n == base->ok;

	if (isnan(value))
		return np_asprintf("n/a (%8s)", "n/a");
	if (isnan(to) || !whole)
		return np_asprintf("%.*f (%8s)", digits, value, "n/a");
	return np_asprintf("%.*f %c%7.2f%%%c", digits, value, star ? '*' : '(',
			   np_gain(value, to, more), star ? '*' : ')');
}

static void add_metric(struct np_grid *g, const struct np_report *rep, int w, int m,
		       const int *columns)
{
	const struct np_metric *metric = &np_metrics[m];
	char **texts;

	texts = np_grid_row(g, np_asprintf("%-9s %s-%s", "Samples", np_metric_row(metric),
					   rep->workloads[w]));
	for (int i = 0; i < g->columns; i++) {
		const struct np_summary *sum = np_report_summary(rep, w, m, columns[i]);

		if (sum->s.n == sum->ok)
			texts[i] = np_asprintf("%d %10s", sum->s.n, "");
		else
			texts[i] = np_asprintf("%d/%d %10s", sum->s.n, sum->ok, "");
	}
	for (size_t k = 0; k < ARRAY_SIZE(stat_rows); k++) {
		texts = np_grid_row(g, np_asprintf("%-9s %s-%s", stat_rows[k].name,
						   np_metric_row(metric), rep->workloads[w]));
		for (int i = 0; i < g->columns; i++) {
			int base = rep->columns[columns[i]].base;

			texts[i] = stat_text(&stat_rows[k], metric,
					     np_report_summary(rep, w, m, columns[i]),
					     np_report_summary(rep, w, m, base));
		}
	}
}

/* The runs that count, of those that there should be. */
static void add_runs(struct np_grid *g, const struct np_report *rep, int w, const int *columns)
{
	char **texts = np_grid_row(g, np_asprintf("%-9s %s", "Runs", rep->workloads[w]));

	for (int i = 0; i < g->columns; i++) {
		const struct np_summary *sum = np_report_summary(rep, w, 0, columns[i]);

		texts[i] = np_asprintf("%d/%d %10s", sum->ok, rep->columns[columns[i]].r->reps, "");
	}
}

/* A wide table is one grid, so that its columns line up; a narrow one has a grid per metric. */
static void print_metrics(FILE *f, const struct np_report *rep, int w, const int *columns, int n,
			  int width)
{
	struct np_grid g = { .columns = n, .min = width ? 0 : COLUMN_MIN };

	np_grid_name_columns(&g, rep, columns, width);
	add_runs(&g, rep, w, columns);
	for (int m = 0; m < np_metrics_count; m++) {
		if (!np_report_summary(rep, w, m, columns[0])->present)
			continue;
		if (width) {
			np_grid_print(f, &g, width);
			np_grid_free(&g);
			g = (struct np_grid){ .columns = n };
			np_grid_name_columns(&g, rep, columns, width);
			fputc('\n', f);
		} else {
			np_grid_gap(&g);
		}
		add_metric(&g, rep, w, m, columns);
	}
	np_grid_print(f, &g, width);
	np_grid_free(&g);
}

static void print_block(FILE *f, const struct np_report *rep, int w, int block, int width)
{
	int *columns = np_alloc(rep->ncolumns * sizeof(*columns));
	int n = np_block_columns(rep, block, columns);

	if (rep->other)
		fprintf(f, "\n== %s under %s\n\n", rep->workloads[w],
			rep->columns[columns[0]].policy);
	else
		fprintf(f, "\n== %s\n\n", rep->workloads[w]);
	print_metrics(f, rep, w, columns, n, width);
	np_print_traffic(f, rep, w, block, width);
	free(columns);
}

static void print_blocks(FILE *f, const struct np_report *rep, int width)
{
	int blocks = rep->columns[rep->ncolumns - 1].block + 1;

	for (int w = 0; w < rep->nworkloads; w++)
		for (int block = 0; block < blocks; block++)
			print_block(f, rep, w, block, width);
}

/* ---- the head ---- */

static void print_line(FILE *f, const char *label, const char *text)
{
	np_print_para(f, label, HEAD_INDENT, text);
}

static void print_seeds(FILE *f, const struct np_results *r)
{
	const json_t *seeds = json_object_get(r->head, "seeds"), *seed;
	struct np_buf b = { 0 };
	size_t i;

	np_buf_printf(&b, "%d runs per workload and policy, with the seeds", r->reps);
	json_array_foreach((json_t *)seeds, i, seed)
		np_buf_printf(&b, " %lld", (long long)json_integer_value(seed));
	print_line(f, "reps", b.s);
	np_buf_free(&b);
}

static void print_config(FILE *f, const struct np_results *r)
{
	const json_t *lines, *line;
	size_t i;

	lines = json_object_get(json_object_get(r->head, "kernel"), "config");
	if (!json_array_size(lines))
		return;
	fputs("configuration, as far as it is about scan policies:\n", f);
	json_array_foreach((json_t *)lines, i, line)
		if (json_is_string(line) && *json_string_value(line) != '#')
			fprintf(f, "  %s\n", json_string_value(line));
}

static void print_set(FILE *f, const struct np_results *r, bool mail)
{
	const json_t *tunables = json_object_get(r->head, "tunables"), *v;
	const char *key, *library = np_head_text(r, "kernel", "library_sha256");
	char *place = np_results_place(r);
	struct np_buf b = { 0 };

	print_line(f, "kernel", np_head_text(r, "kernel", "release"));
	if (np_results_native(r))
		print_line(f, "version", np_head_text(r, "kernel", "version"));
	else
		print_line(f, ".config", np_head_text(r, "kernel", "config_sha256"));
	print_line(f, "library", strcmp(library, "?") ? library : "not known");
	print_line(f, "topology", np_head_text(r, "topology", "text"));
	print_line(f, np_results_native(r) ? "machine" : "guests", place);
	free(place);
	json_object_foreach((json_t *)tunables, key, v)
		np_buf_printf(&b, "%s%s=%lld", b.s ? " " : "", key,
			      (long long)json_integer_value(v));
	if (b.s)
		print_line(f, "tunables", b.s);
	np_buf_free(&b);
	print_seeds(f, r);
	print_line(f, "date", np_head_text(r, NULL, "started"));
	fputs("to reproduce:\n", f);
	np_print_command(f, "", 2, np_head_text(r, NULL, "reproduce"));
	if (json_is_true(json_object_get(r->head, "interrupted")))
		fputs("INTERRUPTED: this is what was finished\n", f);
	if (mail)
		print_config(f, r);
}

static void print_head(FILE *f, const struct np_report *rep, bool mail)
{
	fprintf(f, "Scan policies of NUMA balancing, compared %s\n\n",
		np_results_native(rep->r) ? "on a running machine" : "in guests");
	for (int i = 0; i < rep->nnotes; i++)
		np_print_para(f, "NOTE ", 5, rep->notes[i]);
	if (rep->nnotes)
		fputc('\n', f);
	if (rep->other)
		fprintf(f, "-- %s\n", rep->labels[0]);
	print_set(f, rep->r, mail);
	if (!rep->other)
		return;
	fprintf(f, "\n-- %s\n", rep->labels[1]);
	print_set(f, rep->other, mail);
}

/* ---- runs that do not count ---- */

static void print_failed(FILE *f, const struct np_report *rep, int w, int c)
{
	const struct np_group *g = np_report_group(rep, w, c);
	const char *label = rep->other ? rep->columns[c].label : NULL;

	for (int i = 0; i < g->n; i++) {
		const struct np_cell *cell = g->cells[i];
		char *text;

		if (cell->status != NP_CELL_FAILED)
			continue;
		text = np_asprintf("%s%s%s under %s, repetition %d: %s", label ? label : "",
				   label ? ": " : "", cell->workload, cell->policy, cell->rep,
				   cell->reason ? cell->reason : "?");
		np_print_para(f, "  - ", 4, text);
		free(text);
	}
}

/* Runs that were not made: of cells that say so, and of cells that are not in the results. */
static void print_not_run(FILE *f, const struct np_report *rep, int w, int c)
{
	const struct np_group *g = np_report_group(rep, w, c);
	const struct np_column *column = &rep->columns[c];
	struct np_buf b = { 0 };
	int n = 0;

	for (int i = 0; i < g->n; i++)
		if (g->cells[i]->status == NP_CELL_NOT_RUN)
			np_buf_printf(&b, "%s %d",
				      n++ ? "" : ", not run or not finished: repetition",
				      g->cells[i]->rep);
	if (b.s) {
		char *text = np_asprintf("%s%s%s under %s%s", rep->other ? column->label : "",
					 rep->other ? ": " : "", rep->workloads[w], column->policy,
					 b.s);

		np_print_para(f, "  - ", 4, text);
		free(text);
	}
	np_buf_free(&b);
}

static void print_missing(FILE *f, const struct np_report *rep)
{
	int failed = 0, missing = 0, n = rep->nworkloads * rep->ncolumns;

	for (int i = 0; i < n; i++) {
		const struct np_summary *sum;

		sum = np_report_summary(rep, i / rep->ncolumns, 0, i % rep->ncolumns);
		failed += sum->failed;
		missing += sum->not_run;
	}
	if (failed)
		fprintf(f, "\nFailed runs (%d), not part of any figure:\n", failed);
	for (int i = 0; failed && i < n; i++)
		print_failed(f, rep, i / rep->ncolumns, i % rep->ncolumns);
	if (missing)
		fprintf(f, "\nRuns that were not made (%d):\n", missing);
	for (int i = 0; missing && i < n; i++)
		print_not_run(f, rep, i / rep->ncolumns, i % rep->ncolumns);
}

/* ---- the legend ---- */

static bool has_metric(const struct np_report *rep, int m)
{
	for (int w = 0; w < rep->nworkloads; w++)
		if (np_report_summary(rep, w, m, 0)->present)
			return true;
	return false;
}

static const char figures_help[] =
	"Samples: runs that have the figure, of those that count (3/5: two of five never got\n"
	"there). Min, Amean, Stddev (n - 1), CoeffVar, Max, and BAmean-N, the mean of the best N %\n"
	"of the runs (rounded down, at least one), are what mmtests makes of the same values, with\n"
	"one kind of mean: where more is better, it has harmonic ones. Best is least, unless more\n"
	"is better.";

#define BRACKETS_HELP \
	"In brackets: the change against %s as mmtests has it, in percent of its figure; above\n" \
	"0 is better: less, or more where more is better. n/a: too few runs, or not all have\n" \
	"the figure. Between stars: significant at 95 %%, by Welch's test with Holm's correction\n" \
	"for the %d comparisons of this report; mmtests has another test. Where the runs of\n" \
	"neither side differ among themselves, any difference is significant."

static void print_legend(FILE *f, const struct np_report *rep)
{
	char *text;

	fputs("\nRows are called after what was measured and the workload:\n", f);
	for (int m = 0; m < np_metrics_count; m++) {
		char *row;

		if (!has_metric(rep, m))
			continue;
		row = np_asprintf("  %s", np_metric_row(&np_metrics[m]));
		text = np_asprintf("%s: %s%s", np_metrics[m].title, np_metrics[m].help,
				   np_metrics[m].better > 0 ? "; more is better" : "");
		np_print_para(f, row, 11, text);
		free(text);
		free(row);
	}
	np_print_para(f, "", 0, figures_help);
	if (np_results_native(rep->r) || (rep->other && np_results_native(rep->other)))
		np_print_para(f, "", 0, np_native_legend);
	if (rep->ncolumns < 2)
		return;
	text = np_asprintf(BRACKETS_HELP, rep->other ? rep->labels[0] : rep->base,
			   rep->comparisons);
	np_print_para(f, "", 0, text);
	free(text);
}

/**
 * np_report_text() - write a report as mmtests lays it out
 * @f: where to
 * @rep: the report
 *
 * Return: 0.
 */
int np_report_text(FILE *f, const struct np_report *rep)
{
	print_head(f, rep, false);
	print_blocks(f, rep, 0);
	print_missing(f, rep);
	print_legend(f, rep);
	return 0;
}

/**
 * np_report_lkml() - write a report to be mailed: narrow, and with sentences
 * @f: where to
 * @rep: the report
 *
 * Return: 0.
 */
int np_report_lkml(FILE *f, const struct np_report *rep)
{
	print_head(f, rep, true);
	print_missing(f, rep);
	np_print_claims(f, rep);
	print_blocks(f, rep, NP_LKML_WIDTH);
	print_legend(f, rep);
	return 0;
}
