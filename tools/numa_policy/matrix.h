/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A matrix: workloads under policies, repeated, from the options to results.json.
 */
#ifndef NP_MATRIX_H
#define NP_MATRIX_H

#include "native.h"
#include "options.h"
#include "results.h"
#include "runner.h"
#include "setup.h"

/**
 * struct np_matrix - a matrix
 * @o: its options; np_matrix_check() completes them
 * @plan: how its cells are run
 * @topology: nodes of the guests; not used where there are none
 * @native: the machine, if its cells are run on it instead of in guests
 * @results: its cells and their head
 * @params: JSON object: workload to object of parameters to numbers
 * @tune: JSON object: tunables to numbers
 * @setup: what guests are made of
 * @job: what the workload "command" runs; NULL: it is not run
 * @to_run: how many of the cells, from the first on, the options ask for; with --resume others
 *	may follow that were there before
 * @kept: how many of these were ok before
 * @results_path: where results.json goes, or with --cell the directory of the cells' files
 * @out_fd: the directory for results; -1: not open
 * @saved: when results.json was written last, in seconds of a clock
 * @save_took: seconds that it took
 * @save_error: why it could not be written, a negative errno; 0 if it could
 */
struct np_matrix {
	struct np_options *o;
	struct np_plan plan;
	struct np_topology topology;
	struct np_native native;
	struct np_results results;
	json_t *params;
	json_t *tune;
	struct np_setup setup;
	const struct np_job *job;
	char *results_path;
	int to_run;
	int kept;
	int out_fd;
	double saved;
	double save_took;
	int save_error;
};

void np_matrix_check(struct np_matrix *m, struct np_options *o);
void np_matrix_prepare(struct np_matrix *m, int argc, char **argv);
void np_matrix_list(struct np_matrix *m, int argc, char **argv);
int np_matrix_run(struct np_matrix *m, enum np_run_end *end);
int np_matrix_run_and_print(struct np_matrix *m);
void np_matrix_free(struct np_matrix *m);

#endif /* NP_MATRIX_H */
