// SPDX-License-Identifier: GPL-2.0
/*
 * Reports to be read by programs: CSV and JSON. results.md describes both.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"
#include "util.h"

static const char * const status_names[] = { "not run", "ok", "failed" };

#define SUMMARY_HEAD \
	"metric,title,runs,ok,failed,not_run,n,min,amean,stddev,coeffvar,max,bamean_50,bamean_95," \
	"bamean_99,change,ci_low,ci_high,change_unit,p,p_holm,significant\n"

/* ---- CSV: RFC 4180, lines end in a line feed ---- */

static void csv_text(FILE *f, const char *s)
{
	if (!s)
		return;
	if (!strpbrk(s, ",\"\r\n")) {
		fputs(s, f);
		return;
	}
	fputc('"', f);
	for (; *s; s++) {
		if (*s == '"')
			fputc('"', f);
		fputc(*s, f);
	}
	fputc('"', f);
}

/* A number with as many digits as it needs to be read back; nothing for one that there is not. */
static void csv_number(FILE *f, double x)
{
	char text[32];

	fputc(',', f);
	if (!isfinite(x))
		return;
	snprintf(text, sizeof(text), "%.15g", x);
	if (strtod(text, NULL) != x)
		snprintf(text, sizeof(text), "%.17g", x);
	fputs(text, f);
}

static void csv_names(FILE *f, const struct np_report *rep, int w, int c)
{
	if (rep->other) {
		csv_text(f, rep->labels[rep->columns[c].set]);
		fputc(',', f);
	}
	csv_text(f, rep->workloads[w]);
	fputc(',', f);
	csv_text(f, rep->columns[c].policy);
	fputc(',', f);
}

static void csv_cell(FILE *f, const struct np_report *rep, int w, int c,
		     const struct np_cell *cell)
{
	for (int m = 0; m < np_metrics_count; m++) {
		if (!np_report_summary(rep, w, m, c)->present && np_metrics[m].optional)
			continue;
		csv_names(f, rep, w, c);
		fprintf(f, "%d,%ld,%s,", cell->rep, cell->seed, status_names[cell->status]);
		csv_text(f, cell->reason);
		fputc(',', f);
		csv_text(f, np_metrics[m].name);
		fputc(',', f);
		csv_text(f, np_metrics[m].title);
		csv_number(f, np_metric_value(&np_metrics[m], cell));
		fputc('\n', f);
	}
}

static void csv_summary(FILE *f, const struct np_report *rep, int w, int m, int c)
{
	const struct np_summary *sum = np_report_summary(rep, w, m, c);
	const double figures[] = {
		sum->s.min, sum->s.amean, sum->s.stddev, sum->s.coeffvar, sum->s.max,
		sum->s.bamean50, sum->s.bamean95, sum->s.bamean99, sum->change, sum->low,
		sum->high,
	};

	csv_names(f, rep, w, c);
	csv_text(f, np_metrics[m].name);
	fputc(',', f);
	csv_text(f, np_metrics[m].title);
	fprintf(f, ",%d,%d,%d,%d,%d", sum->runs, sum->ok, sum->failed, sum->not_run, sum->s.n);
	for (size_t i = 0; i < ARRAY_SIZE(figures); i++)
		csv_number(f, figures[i]);
	fprintf(f, ",%s", isnan(sum->change) ? "" : sum->relative ? "%" : "absolute");
	csv_number(f, sum->p);
	csv_number(f, sum->p_corrected);
	fprintf(f, ",%s\n", !sum->tested ? "" : sum->significant ? "true" : "false");
}

/**
 * np_report_csv() - write a report as CSV
 * @f: where to
 * @rep: the report
 * @summary: a line per workload, policy and metric instead of one per run and metric
 *
 * Return: 0.
 */
int np_report_csv(FILE *f, const struct np_report *rep, bool summary)
{
	fprintf(f, "%sworkload,policy,", rep->other ? "set," : "");
	fputs(summary ? SUMMARY_HEAD : "rep,seed,status,reason,metric,title,value\n", f);
	for (int w = 0; w < rep->nworkloads; w++) {
		for (int m = 0; summary && m < np_metrics_count; m++)
			for (int c = 0; c < rep->ncolumns; c++)
				if (np_report_summary(rep, w, m, c)->present)
					csv_summary(f, rep, w, m, c);
		for (int c = 0; !summary && c < rep->ncolumns; c++) {
			const struct np_group *g = np_report_group(rep, w, c);

			for (int i = 0; i < g->n; i++)
				csv_cell(f, rep, w, c, g->cells[i]);
		}
	}
	return 0;
}

/* ---- JSON ---- */

static json_t *number(double x)
{
	return isfinite(x) ? json_real(x) : json_null();
}

static json_t *percent(const struct np_summary *sum, double x, bool relative)
{
	return sum->relative == relative ? number(x) : json_null();
}

static json_t *json_summary(const struct np_report *rep, int w, int m, int c)
{
	const struct np_summary *sum = np_report_summary(rep, w, m, c);
	const struct np_column *column = &rep->columns[c];
	json_t *v;

	v = json_pack("{s:s, s:s, s:s, s:s, s:i, s:i, s:i, s:i, s:i}",
		      "workload", rep->workloads[w], "policy", column->policy,
		      "metric", np_metrics[m].name, "title", np_metrics[m].title,
		      "runs", sum->runs, "ok", sum->ok, "failed", sum->failed,
		      "not_run", sum->not_run, "n", sum->s.n);
	if (rep->other)
		json_object_set_new(v, "set", json_integer(column->set));
	json_object_set_new(v, "min", number(sum->s.min));
	json_object_set_new(v, "amean", number(sum->s.amean));
	json_object_set_new(v, "stddev", number(sum->s.stddev));
	json_object_set_new(v, "coeffvar", number(sum->s.coeffvar));
	json_object_set_new(v, "max", number(sum->s.max));
	json_object_set_new(v, "bamean_50", number(sum->s.bamean50));
	json_object_set_new(v, "bamean_95", number(sum->s.bamean95));
	json_object_set_new(v, "bamean_99", number(sum->s.bamean99));
	json_object_set_new(v, "change_pct", percent(sum, sum->change, true));
	json_object_set_new(v, "ci_low", percent(sum, sum->low, true));
	json_object_set_new(v, "ci_high", percent(sum, sum->high, true));
	json_object_set_new(v, "diff", percent(sum, sum->change, false));
	json_object_set_new(v, "diff_low", percent(sum, sum->low, false));
	json_object_set_new(v, "diff_high", percent(sum, sum->high, false));
	json_object_set_new(v, "p", number(sum->p));
	json_object_set_new(v, "p_holm", number(sum->p_corrected));
	json_object_set_new(v, "significant",
			    sum->tested ? json_boolean(sum->significant) : json_null());
	return v;
}

/* The head of results, without what is about the machine that the tool ran on. */
static json_t *json_set(const struct np_report *rep, int set)
{
	static const char * const keys[] = {
		"tool", "reproduce", "started", "ended", "interrupted", "kernel", "native", "qemu",
		"topology", "policies", "workloads", "tunables", "reps", "seed", "seeds",
		"sample_ms",
	};
	const json_t *head = (set ? rep->other : rep->r)->head;
	json_t *v = json_object();

	if (rep->other)
		json_object_set_new(v, "label", np_json_text(rep->labels[set]));
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		if (json_object_get(head, keys[i]))
			json_object_set(v, keys[i], json_object_get(head, keys[i]));
	return v;
}

/* Runs that count in nothing, and why. */
static void json_missing(json_t *list, const struct np_report *rep, int w, int c)
{
	const struct np_group *g = np_report_group(rep, w, c);

	for (int i = 0; i < g->n; i++) {
		const struct np_cell *cell = g->cells[i];
		json_t *v;

		if (cell->status == NP_CELL_OK)
			continue;
		v = json_pack("{s:s, s:s, s:i, s:s, s:o}", "workload", cell->workload, "policy",
			      cell->policy, "rep", cell->rep, "status",
			      status_names[cell->status], "reason",
			      cell->reason ? np_json_text(cell->reason) : json_null());
		if (rep->other)
			json_object_set_new(v, "set", json_integer(rep->columns[c].set));
		json_array_append_new(list, v);
	}
}

/**
 * np_report_json() - write the statistics of a report as JSON
 * @f: where to
 * @rep: the report
 *
 * Return: 0, or NP_FAIL with a message.
 */
int np_report_json(FILE *f, const struct np_report *rep)
{
	json_t *sets = json_array(), *notes = json_array(), *missing = json_array();
	json_t *list = json_array(), *v;
	int ret;

	json_array_append_new(sets, json_set(rep, 0));
	if (rep->other)
		json_array_append_new(sets, json_set(rep, 1));
	for (int i = 0; i < rep->nnotes; i++)
		json_array_append_new(notes, np_json_text(rep->notes[i]));
	for (int w = 0; w < rep->nworkloads; w++) {
		for (int c = 0; c < rep->ncolumns; c++)
			json_missing(missing, rep, w, c);
		for (int m = 0; m < np_metrics_count; m++)
			for (int c = 0; c < rep->ncolumns; c++)
				if (np_report_summary(rep, w, m, c)->present)
					json_array_append_new(list, json_summary(rep, w, m, c));
	}
	v = json_pack("{s:s, s:i, s:o, s:s?, s:o, s:s, s:s, s:i, s:f, s:o, s:o}",
		      "schema", NP_REPORT_SCHEMA, "version", NP_REPORT_VERSION, "sets", sets,
		      "base", rep->base, "notes", notes, "test", "Welch", "correction", "Holm",
		      "comparisons", rep->comparisons, "alpha", NP_ALPHA, "missing", missing,
		      "statistics", list);
	ret = v ? json_dumpf(v, f, JSON_INDENT(1) | JSON_REAL_PRECISION(15)) : -1;
	fputc('\n', f);
	json_decref(v);
	if (ret)
		np_error("cannot write the report as JSON");
	return ret ? NP_FAIL : NP_OK;
}
