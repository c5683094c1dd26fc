// SPDX-License-Identifier: GPL-2.0
/*
 * numa-policy run: a program of the user's own under scan policies in guests.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "job.h"
#include "matrix.h"
#include "table.h"
#include "util.h"

#define OUT_DEFAULT "build/results-run"
#define WORKLOAD "command"

static const char usage_text[] =
"Usage: numa-policy run [OPTION]... -- COMMAND [ARGUMENT]...\n"
"Runs a program of this machine under scan policies in guests, writes DIR/results.json and prints\n"
"a table. Guests see this machine's file system below a layer of their own: what they write stays\n"
"in their memory and is lost with them. The program starts in the current directory, with the\n"
"environment of this command, as root of the guest, and has failed unless it exits with status 0\n"
"within its limit; the end of its output is kept as a record in results.json.\n"
"\n"
"  --policies A,B       scan policies (default: all)\n"
"  --base P             policy to compare the others with (default pids_active, or the first)\n"
"  --topology T         nodes of the guests (default 2x2); compare --help has the grammar. The\n"
"                       program and its files need room in them\n"
"  --reps N             repetitions under each policy (default 5)\n"
"  --seed S             recorded as for compare; the program does not get it\n"
"  --tune NAME=VALUE    a tunable of NUMA balancing, in the guest; may be repeated\n"
"  --out DIR            where results go (default " OUT_DEFAULT ")\n";

static const char usage_end[] =
"  --dry-run            run nothing, only check these options\n"
"  --help               print this\n"
"\n"
"Exit status: 0 if every run is fine, 1 if one failed or was not run, 2 for bad usage.\n";

/**
 * cmd_run() - the subcommand "run"
 * @argc: number of arguments
 * @argv: the arguments, from the subcommand's name on
 *
 * Return: NP_OK if every run is fine, NP_FAIL, or NP_USAGE.
 */
int cmd_run(int argc, char **argv)
{
	struct np_job job = { .env = environ };
	char *cwd = getcwd(NULL, 0);
	int err = errno, status = NP_OK;
	struct np_options o;
	struct np_matrix m;

	np_options_init(&o, "run", OUT_DEFAULT);
	np_options_parse(&o, NP_FOR_RUN, argc, argv);
	if (o.help) {
		fputs(usage_text, stdout);
		fputs(np_options_run_help, stdout);
		fputs(usage_end, stdout);
		goto out;
	}
	if (!o.nrest || !*o.rest[0])
		np_die(NP_USAGE, "which program? See numa-policy run --help");
	if (!cwd)
		np_die(NP_FAIL, "cannot tell the current directory: %s", strerror(err));
	job.argv = o.rest;
	job.cwd = cwd;
	np_list_set(&o.workloads, WORKLOAD);
	np_matrix_check(&m, &o);
	m.job = &job;
	if (!o.dry_run) {
		np_matrix_prepare(&m, argc, argv);
		status = np_matrix_run_and_print(&m);
	}
	np_matrix_free(&m);
out:
	np_options_free(&o);
	free(cwd);
	return status;
}
