/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A matrix: workloads under policies, repeated, from the options to results.json.
 */
#ifndef NP_MATRIX_H
#define NP_MATRIX_H

#include <time.h>

#include "options.h"
#include "results.h"
#include "runner.h"
#include "setup.h"

/**
 * struct np_matrix - a matrix
 * @o: its options; np_matrix_check() completes them
 * @plan: how its cells are run
 * @topology: nodes of the guests
 * @results: its cells and their head
 * @params: JSON object: workload to object of parameters to numbers
 * @tune: JSON object: tunables to numbers
 * @setup: what guests are made of
 * @job: what the workload "command" runs; NULL: it is not run
 * @results_path: where results.json goes
 * @out_fd: the directory for results, locked; -1: not open
 * @saved: when results.json was written last
 * @save_error: why it could not be written, a negative errno; 0 if it could
 */
struct np_matrix {
	struct np_options *o;
	struct np_plan plan;
	struct np_topology topology;
	struct np_results results;
	json_t *params;
	json_t *tune;
	struct np_setup setup;
	const struct np_job *job;
	char *results_path;
	int out_fd;
	time_t saved;
	int save_error;
};

void np_matrix_check(struct np_matrix *m, struct np_options *o);
void np_matrix_prepare(struct np_matrix *m, int argc, char **argv);
int np_matrix_run(struct np_matrix *m, enum np_run_end *end);
int np_matrix_run_and_print(struct np_matrix *m);
void np_matrix_free(struct np_matrix *m);

#endif /* NP_MATRIX_H */
