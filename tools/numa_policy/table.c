// SPDX-License-Identifier: GPL-2.0
/*
 * The table of a comparison, for people: plain text that survives a mail.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats.h"
#include "table.h"
#include "util.h"

#define LINE_WIDTH 100
#define HEAD_INDENT 11

/* A line of the table: a label and one text per policy, or a title alone. */
struct line {
	char *label;
	char **texts;
};

struct grid {
	const struct np_results *r;
	struct line *lines;
	int n;
};

/* What is known of one metric under one policy. */
struct column {
	struct np_sample sample;
	int ok;
};

static struct line *add_line(struct grid *g, char *label, bool texts)
{
	struct line *line;

	g->lines = np_realloc(g->lines, (g->n + 1) * sizeof(*g->lines));
	line = &g->lines[g->n++];
	line->label = label;
	line->texts = texts ? np_alloc(g->r->npolicies * sizeof(*line->texts)) : NULL;
	return line;
}

/* Columns that a text takes on the screen: characters, not bytes. */
static int width(const char *s)
{
	int n = 0;

	for (; *s; s++)
		n += ((unsigned char)*s & 0xc0) != 0x80;
	return n;
}

static const char *head_text(const struct np_results *r, const char *object, const char *key)
{
	const json_t *from = object ? json_object_get(r->head, object) : r->head;
	const char *s = json_string_value(json_object_get(from, key));

	return s ? s : "?";
}

static struct column column(const struct np_results *r, int w, int p,
			    const struct np_metric *metric)
{
	struct column c = { 0 };
	int ncells, n = 0;
	struct np_cell *const *cells = np_results_cells(r, w, p, &ncells);
	double *x = np_alloc(ncells * sizeof(*x));

	for (int i = 0; i < ncells; i++) {
		const json_t *v;

		if (cells[i]->status != NP_CELL_OK)
			continue;
		c.ok++;
		v = json_object_get(cells[i]->metrics, metric->name);
		if (json_is_number(v))
			x[n++] = json_number_value(v) * metric->scale;
	}
	c.sample = np_sample(x, n);
	free(x);
	return c;
}

static int decimals(const struct np_metric *metric, double value)
{
	if (!metric->decimals && fabs(value) < 100 && value != round(value))
		return 1;
	return metric->decimals;
}

/* Every text ends in a column that is a star or a blank, so that the digits line up. */
static char *mean_text(const struct np_metric *metric, const struct column *c)
{
	double mean = c->sample.mean;

	if (!c->ok)
		return np_strdup("- ");
	if (!c->sample.n)
		return np_strdup(strcmp(metric->name, "t90_ms") ? "n/a " : "never ");
	if (c->sample.n < c->ok)
		return np_asprintf("%.*f (%d/%d) ", decimals(metric, mean), mean, c->sample.n,
				   c->ok);
	return np_asprintf("%.*f ", decimals(metric, mean), mean);
}

static char *change_text(const struct np_metric *metric, const struct column *c,
			 const struct column *base)
{
	struct np_welch w = np_welch(&c->sample, &base->sample);
	const char *star = w.significant ? "*" : " ", *unit = "";
	double change = w.diff, half = w.half;
	int digits = decimals(metric, change);

	if (!c->ok || !base->ok)
		return np_strdup("n/a ");
	if (c->sample.n < c->ok || base->sample.n < base->ok)
		return np_strdup("n/a ");
	if (base->sample.mean != 0) {
		change = 100 * change / fabs(base->sample.mean);
		half = 100 * half / fabs(base->sample.mean);
		unit = "%";
		digits = fabs(change) < 10 && half < 10;
	}
	if (w.tested && w.diff == 0 && w.half == 0)
		return np_strdup("= ");
	if (!w.tested)
		return np_asprintf("%+.*f%s n/a ", digits, change, unit);
	return np_asprintf("%+.*f±%.*f%s%s", digits, change, digits, half, unit, star);
}

/* Return: whether any run is ok. */
static bool add_runs(struct grid *g, int w)
{
	struct line *line = add_line(g, np_strdup("runs"), true);
	const struct np_results *r = g->r;
	bool any = false;

	for (int p = 0; p < r->npolicies; p++) {
		int ok = 0, all;
		struct np_cell *const *cells = np_results_cells(r, w, p, &all);

		for (int i = 0; i < all; i++)
			ok += cells[i]->status == NP_CELL_OK;
		line->texts[p] = np_asprintf("%d/%d ", ok, all);
		any |= ok > 0;
	}
	return any;
}

static void add_metric(struct grid *g, int w, const struct np_metric *metric)
{
	struct line *line = add_line(g, np_strdup(metric->title), true);
	const struct np_results *r = g->r;
	struct column base = { 0 };

	for (int p = 0; p < r->npolicies; p++) {
		struct column c = column(r, w, p, metric);

		line->texts[p] = mean_text(metric, &c);
		if (!strcmp(r->policies[p], r->base))
			base = c;
	}
	if (r->npolicies < 2)
		return;
	line = add_line(g, np_strdup(""), true);
	for (int p = 0; p < r->npolicies; p++) {
		struct column c = column(r, w, p, metric);

		if (strcmp(r->policies[p], r->base))
			line->texts[p] = change_text(metric, &c, &base);
		else
			line->texts[p] = np_strdup("base ");
	}
}

/* How long a run of a workload took, on both clocks. */
static char *title(const struct np_results *r, int w)
{
	const json_t *list = json_object_get(r->head, "workloads");
	const json_t *shift = json_object_get(json_array_get(list, w), "shift");
	double guest = 0, host = 0;
	struct np_buf b = { 0 };
	const json_t *word;
	size_t i;
	int n = 0;

	np_buf_printf(&b, "== %s", r->workloads[w]);
	json_array_foreach(json_object_get(json_array_get(list, w), "command"), i, word)
		np_buf_printf(&b, "%s%s", i ? " " : ": ", json_string_value(word));
	if (json_is_integer(shift))
		np_buf_printf(&b, ", shift %lld", (long long)json_integer_value(shift));
	for (int p = 0; p < r->npolicies; p++) {
		int ncells;
		struct np_cell *const *cells = np_results_cells(r, w, p, &ncells);

		for (int i = 0; i < ncells; i++) {
			if (cells[i]->status != NP_CELL_OK)
				continue;
			guest += cells[i]->guest_s;
			host += cells[i]->host_s;
			n++;
		}
	}
	if (n && np_results_native(r))
		np_buf_printf(&b, "; a run took %.1f s", guest / n);
	else if (n)
		np_buf_printf(&b, "; a run took %.1f s in the guest and %.1f s on the host",
			      guest / n, host / n);
	return b.s;
}

static void print_padded(struct np_buf *b, const char *s, int to, bool right)
{
	int pad = to - width(s);

	if (right && pad > 0)
		np_buf_printf(b, "%*s", pad, "");
	np_buf_puts(b, s);
	if (!right && pad > 0)
		np_buf_printf(b, "%*s", pad, "");
}

static void print_grid(FILE *f, const struct grid *g)
{
	int columns = g->r->npolicies, label = 0;
	int *widths = np_alloc(columns * sizeof(*widths));

	for (int i = 0; i < g->n; i++) {
		const struct line *line = &g->lines[i];

		if (!line->texts)
			continue;
		label = width(line->label) > label ? width(line->label) : label;
		for (int p = 0; p < columns; p++)
			if (width(line->texts[p]) > widths[p])
				widths[p] = width(line->texts[p]);
	}
	for (int i = 0; i < g->n; i++) {
		const struct line *line = &g->lines[i];
		struct np_buf b = { 0 };

		print_padded(&b, line->label, line->texts ? label : 0, false);
		for (int p = 0; line->texts && p < columns; p++) {
			np_buf_puts(&b, " ");
			print_padded(&b, line->texts[p], widths[p], true);
		}
		while (b.len && b.s[b.len - 1] == ' ')
			b.s[--b.len] = '\0';
		fprintf(f, "%s\n", b.s);
		np_buf_free(&b);
	}
	free(widths);
}

/* A metric that a run may lack gets a row where a run has it. */
static bool has_metric(const struct np_results *r, int w, const struct np_metric *metric)
{
	if (!metric->optional)
		return true;
	for (int p = 0; p < r->npolicies; p++) {
		int n;
		struct np_cell *const *cells = np_results_cells(r, w, p, &n);

		while (n--)
			if (json_object_get(cells[n]->metrics, metric->name))
				return true;
	}
	return false;
}

static void print_blocks(FILE *f, const struct np_results *r)
{
	struct grid g = { .r = r };

	for (int w = 0; w < r->nworkloads; w++) {
		struct line *line;

		add_line(&g, np_strdup(""), false);
		add_line(&g, title(r, w), false);
		line = add_line(&g, np_strdup(""), true);
		for (int p = 0; p < r->npolicies; p++)
			line->texts[p] = np_asprintf("%s ", r->policies[p]);
		if (!add_runs(&g, w))
			continue;
		for (int m = 0; m < np_metrics_count; m++)
			if (has_metric(r, w, &np_metrics[m]))
				add_metric(&g, w, &np_metrics[m]);
	}
	print_grid(f, &g);
	while (g.n--) {
		for (int p = 0; g.lines[g.n].texts && p < r->npolicies; p++)
			free(g.lines[g.n].texts[p]);
		free(g.lines[g.n].texts);
		free(g.lines[g.n].label);
	}
	free(g.lines);
}

/* Words with line breaks between them; @more ends every line but the last. */
static void print_wrapped(FILE *f, const char *label, const char *text, const char *more)
{
	int n, column = HEAD_INDENT;
	char **words;

	words = np_split(text, ' ', &n);
	fprintf(f, "%-*s", HEAD_INDENT, label);
	for (int i = 0; i < n; i++) {
		if (i && column + 1 + width(words[i]) + width(more) > LINE_WIDTH) {
			fprintf(f, "%s\n%*s", more, HEAD_INDENT + 2, "");
			column = HEAD_INDENT + 2;
		} else if (i) {
			fputc(' ', f);
			column++;
		}
		fputs(words[i], f);
		column += width(words[i]);
	}
	fputc('\n', f);
	np_split_free(words, n);
}

static void print_head(FILE *f, const struct np_results *r)
{
	const json_t *seeds = json_object_get(r->head, "seeds"), *seed;
	char *place = np_results_place(r);
	struct np_buf b = { 0 };
	size_t i;

	fprintf(f, "Scan policies of NUMA balancing, compared %s\n\n",
		np_results_native(r) ? "on a running machine" : "in guests");
	fprintf(f, "%-*s%s", HEAD_INDENT, "kernel", head_text(r, "kernel", "release"));
	if (np_results_native(r)) {
		fputc('\n', f);
		print_wrapped(f, "", head_text(r, "kernel", "version"), "");
	} else {
		fprintf(f, ", SHA-256 of .config %.16s...\n", head_text(r, "kernel", "config_sha256"));
	}
	if (json_is_string(json_object_get(json_object_get(r->head, "kernel"), "library_sha256")))
		fprintf(f, "%-*sSHA-256 of its sources %.16s...\n", HEAD_INDENT, "library",
			head_text(r, "kernel", "library_sha256"));
	fprintf(f, "%-*s%s\n", HEAD_INDENT, "date",
		head_text(r, NULL, "started"));
	fprintf(f, "%-*s%s\n", HEAD_INDENT, "topology", head_text(r, "topology", "text"));
	fprintf(f, "%-*s%s\n", HEAD_INDENT, np_results_native(r) ? "machine" : "guests", place);
	free(place);
	fprintf(f, "%-*s%d runs per workload and policy, with the seeds\n", HEAD_INDENT, "reps",
		r->reps);
	json_array_foreach((json_t *)seeds, i, seed)
		np_buf_printf(&b, "%s%lld", i ? " " : "", (long long)json_integer_value(seed));
	print_wrapped(f, "", b.s ? b.s : "?", "");
	np_buf_free(&b);
	print_wrapped(f, "command", head_text(r, NULL, "reproduce"), " \\");
	if (json_is_true(json_object_get(r->head, "interrupted")))
		fputs("\nINTERRUPTED: this is what was finished\n", f);
}

static void print_not_run(FILE *f, const struct np_results *r, int w, int p)
{
	int ncells, n = 0;
	struct np_cell *const *cells = np_results_cells(r, w, p, &ncells);

	for (int i = 0; i < ncells; i++) {
		if (cells[i]->status != NP_CELL_NOT_RUN)
			continue;
		if (!n++)
			fprintf(f, "  %s under %s, repetition", r->workloads[w], r->policies[p]);
		fprintf(f, " %d", cells[i]->rep);
	}
	if (n)
		fputc('\n', f);
}

static void print_failures(FILE *f, const struct np_results *r)
{
	int failed = 0, not_run = 0;

	for (int i = 0; i < r->ncells; i++) {
		failed += r->cells[i].status == NP_CELL_FAILED;
		not_run += r->cells[i].status == NP_CELL_NOT_RUN;
	}
	if (failed)
		fprintf(f, "\nFailed cells (%d of %d), not part of the means:\n", failed,
			r->ncells);
	for (int i = 0; i < r->ncells; i++) {
		const struct np_cell *c = &r->cells[i];

		if (c->status == NP_CELL_FAILED)
			fprintf(f, "  %s under %s, repetition %d: %s\n", c->workload, c->policy,
				c->rep, c->reason ? c->reason : "?");
	}
	if (!not_run)
		return;
	fprintf(f, "\nCells not run or not finished (%d of %d):\n", not_run, r->ncells);
	for (int w = 0; w < r->nworkloads; w++)
		for (int p = 0; p < r->npolicies; p++)
			print_not_run(f, r, w, p);
}

static void print_legend(FILE *f, const struct np_results *r)
{
	fputs("\nRows:\n", f);
	for (int i = 0; i < np_metrics_count; i++)
		fprintf(f, "  %-21s%s\n", np_metrics[i].title, np_metrics[i].help);
	fputs("Means of the runs that are ok. (3/5): so many of the runs got there, and the mean\n"
	      "is theirs; never: none did.\n"
	      "Local share: what all threads of a process touch, and all memory of a program of the\n"
	      "host, counts as the mean over the process's threads.\n", f);
	if (np_results_native(r))
		fprintf(f, "%s\n", np_native_legend);
	if (r->npolicies < 2)
		return;
	fprintf(f,
		"Second lines: change against %s in percent of its mean, with half the width of the\n"
		"95 %% confidence interval of the difference (Welch); without %% where that mean is 0: the\n"
		"difference itself. *: significant at 95 %%; where neither policy's runs differ among\n"
		"themselves, any difference is. =: every run of both gave the same. n/a: too few runs to\n"
		"test, or not all got there.\n"
		"The stars are not corrected for the number of comparisons: of 20 comparisons without\n"
		"any difference one is expected to have a star.\n", r->base);
}

/**
 * np_table_print() - print a comparison
 * @f: where to
 * @r: the results
 */
void np_table_print(FILE *f, const struct np_results *r)
{
	print_head(f, r);
	print_blocks(f, r);
	print_failures(f, r);
	print_legend(f, r);
}

/**
 * np_table_print_all() - print a comparison to standard output
 * @r: the results
 *
 * A table that did not arrive is a failure.
 *
 * Return: NP_OK, or NP_FAIL after a message.
 */
int np_table_print_all(const struct np_results *r)
{
	np_table_print(stdout, r);
	if (!fflush(stdout) && !ferror(stdout))
		return NP_OK;
	np_error("cannot print the table: %s", strerror(errno));
	return NP_FAIL;
}
