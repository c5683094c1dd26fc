/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Results: what a guest's records must look like, and results.json.
 */
#ifndef NP_RESULTS_H
#define NP_RESULTS_H

#include <jansson.h>
#include <stdbool.h>

#include "topology.h"

#ifndef NP_VERSION
#define NP_VERSION "0.1"
#endif

#define NP_RESULTS_SCHEMA "numa-policy-results"
#define NP_RESULTS_VERSION 1
#define NP_RECORDS_VERSION 1

/**
 * struct np_metric - something measured at the end of a run
 * @name: what the end record calls it
 * @title: what the table calls it
 * @help: one line for the legend
 * @scale: factor from the record's unit to the table's
 * @decimals: digits behind the point in the table
 * @better: -1: less is better, 1: more is better, 0: neither by itself
 * @optional: a run may lack it; a metric that no run of a workload has gets no row
 */
struct np_metric {
	const char *name;
	const char *title;
	const char *help;
	double scale;
	int decimals;
	int better;
	bool optional;
};

extern const struct np_metric np_metrics[];
extern const int np_metrics_count;

/**
 * enum np_status - what became of a cell
 * @NP_CELL_NOT_RUN: not started, or ended by an interruption
 * @NP_CELL_OK: its metrics count
 * @NP_CELL_FAILED: it did not do what it should; the reason says what
 */
enum np_status {
	NP_CELL_NOT_RUN,
	NP_CELL_OK,
	NP_CELL_FAILED,
};

/**
 * struct np_cell - one run of one workload under one policy
 * @workload: name of the workload
 * @policy: name of the scan policy
 * @rep: number of the repetition, from 1
 * @seed: seed of the workload
 * @status: what became of it
 * @reason: why it failed or was not run; NULL if it is fine
 * @host_s: seconds that it took on the host
 * @guest_s: seconds that the workload took in the guest, as far as records tell
 * @begin: its first record; NULL if there is none
 * @records: the records between the first and the last
 * @metrics: metrics of its last record; NULL if there is none
 * @traffic: memory accesses, where they were counted; else NULL
 */
struct np_cell {
	char *workload;
	char *policy;
	int rep;
	long seed;
	enum np_status status;
	char *reason;
	double host_s;
	double guest_s;
	json_t *begin;
	json_t *records;
	json_t *metrics;
	json_t *traffic;
};

/**
 * struct np_expect - what a cell's records are held against
 * @release: release of the kernel
 * @topology: topology of the guest
 * @params: JSON object with the parameters given to the workload; may be NULL
 * @tunables: JSON object with the tunables given to the kernel; may be NULL
 */
struct np_expect {
	const char *release;
	const struct np_topology *topology;
	const json_t *params;
	const json_t *tunables;
};

/**
 * struct np_results - a whole comparison
 * @head: everything of results.json but the cells
 * @cells: the cells
 * @ncells: how many
 * @policies: names of the policies, in the order of the columns; owned by @head like all below
 * @npolicies: how many
 * @workloads: names of the workloads
 * @nworkloads: how many
 * @base: name of the policy that the others are compared with
 * @reps: number of repetitions
 */
struct np_results {
	json_t *head;
	struct np_cell *cells;
	int ncells;
	const char **policies;
	int npolicies;
	const char **workloads;
	int nworkloads;
	const char *base;
	int reps;
};

char *np_text_clean(const char *s, size_t len);
json_t *np_json_text(const char *s);

void np_cell_clear(struct np_cell *cell);
void np_cell_judge(struct np_cell *cell, const char *path, const struct np_expect *expect);

char *np_results_index(struct np_results *r);
int np_results_save(const struct np_results *r, const char *path);
char *np_results_load(struct np_results *r, const char *path);
char *np_results_merge(struct np_results *into, struct np_results *from);
void np_results_free(struct np_results *r);

#endif /* NP_RESULTS_H */
