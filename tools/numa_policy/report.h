/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reports: the statistics of a comparison, made once, and the formats they are written in.
 */
#ifndef NP_REPORT_H
#define NP_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "results.h"
#include "stats.h"

#define NP_REPORT_SCHEMA "numa-policy-report"
#define NP_REPORT_VERSION 1

/**
 * struct np_summary - one metric of one workload in one column
 * @present: a run of this workload has the metric, in whichever column; it gets no row otherwise
 * @runs: cells that there are
 * @ok: of these, runs that count
 * @failed: cells that failed
 * @not_run: cells that were not run or not finished
 * @s: statistics of the values, in the table's unit; s.n is below @ok where runs lack the metric
 *	(90 % local was never reached)
 * @tested: there is a test against the base: two values or more on both sides, and every run that
 *	counts has one
 * @constant: tested, but neither side varies: the interval has no width
 * @relative: @change, @low and @high are in percent of the base's mean; where that mean is 0 they
 *	are differences in the table's unit
 * @change: the mean less the base's mean: above 0 is more than the base, whatever is better.
 *	NAN where either has no value
 * @low: lower end of the 95 % confidence interval of @change (Welch); NAN if not tested
 * @high: its upper end
 * @p: two-sided probability by chance (Welch); NAN if not tested
 * @p_corrected: @p after Holm, over all comparisons of the report
 * @significant: @p_corrected is below 0.05
 */
struct np_summary {
	bool present;
	int runs;
	int ok;
	int failed;
	int not_run;
	struct np_stats s;
	bool tested;
	bool constant;
	bool relative;
	double change;
	double low;
	double high;
	double p;
	double p_corrected;
	bool significant;
};

/**
 * struct np_column - a column of a report: a policy, on one kernel
 * @r: the results that its cells are in
 * @set: number of these results, 0 or 1
 * @policy: name of the policy
 * @label: what it is called in sentences
 * @base: number of the column that it is compared with; its own if it is a base
 * @block: columns with the same number are printed side by side
 */
struct np_column {
	const struct np_results *r;
	int set;
	const char *policy;
	char *label;
	int base;
	int block;
};

/**
 * struct np_group - the cells of one workload in one column
 * @cells: the cells, by repetition
 * @n: how many
 */
struct np_group {
	const struct np_cell **cells;
	int n;
};

/**
 * struct np_report - a comparison, ready to be written
 * @r: the results; the first ones where two are compared
 * @other: the second results, or NULL
 * @labels: what the two results are called, if there are two
 * @base: the base policy; NULL where two results are compared
 * @workloads: names of the workloads
 * @nworkloads: how many
 * @columns: the columns: without @other one per policy, in the order of @r->policies
 * @ncolumns: how many
 * @notes: what a reader must know first, such as settings that differ
 * @nnotes: how many
 * @comparisons: how many tests there are: what Holm's correction is for
 * @groups: the cells, see np_report_group()
 * @summaries: the statistics, see np_report_summary()
 */
struct np_report {
	const struct np_results *r;
	const struct np_results *other;
	char *labels[2];
	const char *base;
	const char **workloads;
	int nworkloads;
	struct np_column *columns;
	int ncolumns;
	char **notes;
	int nnotes;
	int comparisons;
	struct np_group *groups;
	struct np_summary *summaries;
};

/**
 * np_report_group() - the cells of a workload in a column
 * @rep: the report
 * @w: number of the workload
 * @c: number of the column; without @rep->other that of the policy
 *
 * Return: the cells.
 */
static inline const struct np_group *np_report_group(const struct np_report *rep, int w, int c)
{
	return &rep->groups[w * rep->ncolumns + c];
}

/**
 * np_report_summary() - a metric of a workload in a column
 * @rep: the report
 * @w: number of the workload
 * @m: number of the metric in np_metrics
 * @c: number of the column; without @rep->other that of the policy
 *
 * Return: the statistics.
 */
static inline const struct np_summary *np_report_summary(const struct np_report *rep, int w, int m,
							 int c)
{
	return &rep->summaries[(w * np_metrics_count + m) * rep->ncolumns + c];
}

char *np_report_make(struct np_report *rep, const struct np_results *r, const char *base);
char *np_report_pair(struct np_report *rep, const struct np_results *a,
		     const struct np_results *b, const char * const *labels, bool force);
void np_report_free(struct np_report *rep);

const char *np_metric_row(const struct np_metric *metric);
double np_metric_value(const struct np_metric *metric, const struct np_cell *cell);
const char *np_head_text(const struct np_results *r, const char *object, const char *key);

int np_report_text(FILE *f, const struct np_report *rep);
int np_report_lkml(FILE *f, const struct np_report *rep);
int np_report_csv(FILE *f, const struct np_report *rep, bool summary);
int np_report_json(FILE *f, const struct np_report *rep);
int np_report_html(FILE *f, const struct np_report *rep);

#endif /* NP_REPORT_H */
