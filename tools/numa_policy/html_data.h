/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the plots of the html report show, gathered from the cells' records.
 */
#ifndef NP_HTML_DATA_H
#define NP_HTML_DATA_H

#include "report.h"

/* Points on a time axis. */
#define NP_GRID 120
/* Fields of a map along its time axis, and rows that it has at most. */
#define NP_MAP_COLUMNS 100
#define NP_MAP_ROWS 40

/* What a field of a map holds if nothing was decided then; else a reason. */
#define NP_MAP_NONE -1

/**
 * struct np_curve - something over time, of several runs
 * @n: runs that have a value at that point
 * @sum: of their values
 * @min: least of them
 * @max: greatest
 */
struct np_curve {
	int n[NP_GRID + 1];
	double sum[NP_GRID + 1];
	double min[NP_GRID + 1];
	double max[NP_GRID + 1];
};

/**
 * struct np_phase - a phase of a workload
 * @name: its name
 * @sum_s: when it began, summed over runs
 * @n: how many runs
 */
struct np_phase {
	char *name;
	double sum_s;
	int n;
};

/**
 * struct np_mark - a decision of a policy
 * @t_s: when, guest seconds
 * @start: first address of the VMA
 * @name: name of the VMA, one of the panel's
 * @reason: enum numa_policy_reason
 */
struct np_mark {
	double t_s;
	double start;
	int name;
	int reason;
};

/**
 * struct np_flow - accesses by some CPUs to some memory
 * @local: to the CPU's own node
 * @remote: to others
 * @local_bytes: bytes of the former
 * @remote_bytes: bytes of the latter
 */
struct np_flow {
	double local;
	double remote;
	double local_bytes;
	double remote_bytes;
};

/**
 * struct np_panel - the runs of one workload in one column
 * @runs: runs with samples of locality
 * @local: share of the pages that are local
 * @phases: phases, in the order in which they were met
 * @nphases: how many
 * @map_rep: repetition that the map shows; 0: no run has decisions
 * @marks: its decisions
 * @nmarks: how many
 * @names: names of its VMAs
 * @nnames: how many
 * @reasons: decisions for each reason
 * @traffic_runs: runs with counted accesses
 * @nodes: nodes of memory
 * @seconds: guest seconds counted in each interval of the time axis, over all runs
 * @flow: accesses to each node's memory in each interval: [node * NP_GRID + interval]
 * @vcpus: accesses by each vCPU
 * @vcpu_node: node of each vCPU
 * @nvcpus: how many vCPUs
 * @total: all accesses
 */
struct np_panel {
	int runs;
	struct np_curve local;
	struct np_phase *phases;
	int nphases;
	int map_rep;
	struct np_mark *marks;
	int nmarks;
	char **names;
	int nnames;
	int *reasons;
	int traffic_runs;
	int nodes;
	double seconds[NP_GRID];
	struct np_flow *flow;
	struct np_flow *vcpus;
	int *vcpu_node;
	int nvcpus;
	struct np_flow total;
};

/**
 * struct np_series - the runs of one workload
 * @end_s: where the time axis ends, guest seconds
 * @panels: one per column of the report
 * @npanels: how many
 */
struct np_series {
	double end_s;
	struct np_panel *panels;
	int npanels;
};

/**
 * struct np_map_row - a row of a map
 * @label: the VMA's name, or the first and the last one's
 * @reason: the reason in each field, or NP_MAP_NONE
 */
struct np_map_row {
	char *label;
	signed char reason[NP_MAP_COLUMNS];
};

extern const char * const np_reason_names[];

void np_series_make(struct np_series *s, const struct np_report *rep, int w);
void np_series_free(struct np_series *s);
struct np_map_row *np_map_make(const struct np_panel *p, double end_s, int *rows, int *per_row);
void np_map_free(struct np_map_row *map, int rows);

#endif /* NP_HTML_DATA_H */
