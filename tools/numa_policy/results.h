/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Results: what a guest's records must look like, and results.json: reading, writing, merging.
 */
#ifndef NP_RESULTS_H
#define NP_RESULTS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "topology.h"

#ifndef NP_VERSION
#define NP_VERSION "0.1"
#endif

#define NP_RESULTS_SCHEMA "numa-policy-results"
#define NP_RESULTS_VERSION 1
#define NP_RECORDS_VERSION 1

/* Below the directory of a run: what was run cell by cell, a file like results.json for each. */
#define NP_CELLS_DONE "cells-done"

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

/* What must be said below figures of a running machine. */
extern const char np_native_legend[];

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
 * enum np_part - the bulky parts of a cell, which are kept packed
 * @NP_PART_BEGIN: its first record, an object
 * @NP_PART_RECORDS: the records between the first and the last, an array
 * @NP_PART_TRAFFIC: its memory accesses, if they were counted: an object as results.md describes it
 * @NP_PARTS: how many parts there are
 *
 * To add a part, name it here and in part_names; it is then saved, loaded and merged.
 */
enum np_part {
	NP_PART_BEGIN,
	NP_PART_RECORDS,
	NP_PART_TRAFFIC,
	NP_PARTS,
};

/**
 * struct np_packed - JSON text, compressed
 * @data: the compressed text; NULL if there is none
 * @packed: bytes of it
 * @size: bytes of the text
 */
struct np_packed {
	void *data;
	uint32_t packed;
	uint32_t size;
};

/**
 * struct np_cell - one run of one workload under one policy
 * @workload: name of the workload
 * @policy: name of the scan policy
 * @rep: number of the repetition, from 1
 * @seed: seed of the workload
 * @order: of a run on a running machine: its number in the order of all of them; 0: in a guest,
 *	or not run
 * @status: what became of it
 * @reason: why it failed or was not run; NULL if it is fine
 * @host_s: seconds that it took on the host
 * @guest_s: seconds that the workload took in the guest, as far as records tell
 * @metrics: metrics of its last record; NULL if there is none
 * @parts: what else it sent, see np_cell_part()
 */
struct np_cell {
	char *workload;
	char *policy;
	int rep;
	long seed;
	int order;
	enum np_status status;
	char *reason;
	double host_s;
	double guest_s;
	json_t *metrics;
	struct np_packed parts[NP_PARTS];
};

/**
 * struct np_expect - what a cell's records are held against
 * @release: release of the kernel
 * @topology: topology of the guest; NULL: it was no guest
 * @nodes: the nodes of the machine, if it was no guest
 * @params: JSON object with the parameters given to the workload; may be NULL
 * @tunables: JSON object with the tunables given to the kernel; may be NULL
 * @assume: the kernel need not say which policy is in force
 */
struct np_expect {
	const char *release;
	const struct np_topology *topology;
	const json_t *nodes;
	const json_t *params;
	const json_t *tunables;
	bool assume;
};

struct np_index;

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
 * @index: finds cells; NULL without a head
 * @source: the file they were read from, or NULL
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
	struct np_index *index;
	char *source;
};

char *np_text_clean(const char *s, size_t len);
json_t *np_json_text(const char *s);

void np_cell_clear(struct np_cell *cell);
char *np_cell_id(const struct np_cell *cell);
void np_cell_set_part(struct np_cell *cell, enum np_part part, const json_t *value);
void np_cell_set_part_text(struct np_cell *cell, enum np_part part, const char *text, size_t len);
bool np_cell_has_part(const struct np_cell *cell, enum np_part part);
char *np_cell_part_text(const struct np_cell *cell, enum np_part part);
json_t *np_cell_part(const struct np_cell *cell, enum np_part part);
void np_cell_judge(struct np_cell *cell, const char *path, const struct np_expect *expect);

/**
 * np_cell_begin() - a cell's first record
 * @cell: the cell
 *
 * Return: a new reference, or NULL if there is none.
 */
static inline json_t *np_cell_begin(const struct np_cell *cell)
{
	return np_cell_part(cell, NP_PART_BEGIN);
}

/**
 * np_cell_records() - a cell's records between the first and the last
 * @cell: the cell
 *
 * Return: a new reference to an array, or NULL if there is none.
 */
static inline json_t *np_cell_records(const struct np_cell *cell)
{
	return np_cell_part(cell, NP_PART_RECORDS);
}

/**
 * np_cell_traffic() - a cell's memory accesses
 * @cell: the cell
 *
 * Return: a new reference to an object, or NULL if they were not counted.
 */
static inline json_t *np_cell_traffic(const struct np_cell *cell)
{
	return np_cell_part(cell, NP_PART_TRAFFIC);
}

bool np_results_native(const struct np_results *r);
char *np_results_place(const struct np_results *r);
char *np_results_index(struct np_results *r);
struct np_cell *const *np_results_cells(const struct np_results *r, int w, int p, int *n);
struct np_cell *np_results_find(const struct np_results *r, const char *id);
struct np_cell *np_results_add(struct np_results *r);
void np_results_moved(struct np_results *r);
int np_results_save(const struct np_results *r, const char *path);
char *np_results_load(struct np_results *r, const char *path);
char *np_results_load_dirs(struct np_results *r, char *const *paths, int n);
char *np_results_merge(struct np_results *into, struct np_results *from);
char *np_results_fit(const struct np_results *a, const struct np_results *b);
void np_results_complete(struct np_results *r);
void np_results_free(struct np_results *r);

#endif /* NP_RESULTS_H */
