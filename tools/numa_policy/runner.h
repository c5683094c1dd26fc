/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Runs cells in guests, several at once.
 */
#ifndef NP_RUNNER_H
#define NP_RUNNER_H

#include "native.h"
#include "qemu.h"
#include "results.h"
#include "traffic.h"

/* What a plan has unless the user says otherwise; the members of struct np_plan say what it is. */
#define NP_TIMEOUT_S 600
#define NP_STALL_S 120
#define NP_SAMPLE_MS 1000

/**
 * struct np_plan - how the cells of a run are run
 * @machine: what every guest runs on
 * @native: the machine, where cells are run on it instead of in guests; NULL: in guests
 * @ordered: cells that were run on it before, for their order
 * @release: release of the kernel, as the guest must report it
 * @windows: windows of history that the kernel keeps; 0: not known
 * @out: directory of the run; guests get directories below "cells" in it
 * @jobs: guests at once
 * @shift: an instruction takes 2^@shift ns of guest time; -1: what the workload prefers
 * @limit_s: seconds of guest time; 0: what the workload prefers
 * @sample_ms: milliseconds of guest time between samples
 * @params: JSON object: workload to object of parameters to numbers; may be NULL
 * @tunables: JSON object: tunables of NUMA balancing to numbers; may be NULL
 * @decisions: have the guests record every decision
 * @assume: the kernel cannot tell which policy it has
 * @job: what the workload "command" runs; may be NULL if it is not among the cells
 * @latency: what accesses are taken to cost, where @machine counts them
 * @keep: keep the directories of good cells too
 * @shared: others run cells into the same directory at the same time
 * @quiet: say nothing of failed cells, show no progress
 * @done: called when a cell is ok or failed, if not NULL; not 0 stops the run
 * @arg: for @done
 */
struct np_plan {
	struct np_machine machine;
	struct np_native *native;
	int ordered;
	const char *release;
	int windows;
	const char *out;
	int jobs;
	int shift;
	long limit_s;
	long sample_ms;
	const json_t *params;
	const json_t *tunables;
	bool decisions;
	bool assume;
	const struct np_job *job;
	struct np_latency latency;
	bool keep;
	bool shared;
	bool quiet;
	int (*done)(struct np_cell *cell, void *arg);
	void *arg;
};

/**
 * enum np_run_end - how a run ended
 * @NP_RUN_COMPLETE: every cell was run
 * @NP_RUN_INTERRUPTED: by a signal
 * @NP_RUN_STOPPED: @done said so, or the disk is full
 */
enum np_run_end {
	NP_RUN_COMPLETE,
	NP_RUN_INTERRUPTED,
	NP_RUN_STOPPED,
};

int np_plan_shift(const struct np_plan *plan, const char *workload);
long np_plan_limit(const struct np_plan *plan, const char *workload);
char *np_plan_args(const struct np_plan *plan, const struct np_cell *cell);
char *np_plan_append(const struct np_plan *plan, const struct np_cell *cell);
char *np_plan_check_append(const char *append);
enum np_run_end np_plan_run(const struct np_plan *plan, struct np_cell *cells, int n);

#endif /* NP_RUNNER_H */
