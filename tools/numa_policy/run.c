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
#define OUT_NATIVE "build/results-native"
#define WORKLOAD "command"

static const char usage_text[] =
"Usage: numa-policy run [OPTION]... -- COMMAND [ARGUMENT]...\n"
"       numa-policy run --native [OPTION]... -- COMMAND [ARGUMENT]...\n"
"       numa-policy run --native [OPTION]... --workloads X,Y\n"
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
"  --out DIR            where results go (default " OUT_DEFAULT "; with --native\n"
"                       " OUT_NATIVE ")\n";

static const char native_text[] =
"\n"
"On this machine instead of in guests:\n"
"  --native             switch the running kernel's policy (CONFIG_NUMA_POLICY_SWITCH, as root) for\n"
"                       each run, in an order that is random within each repetition and made from\n"
"                       the seed; one at a time. Policy and tunables are set back in the end. What\n"
"                       the program writes stays, and the counters are those of the whole machine.\n"
"                       --policies: default are all that the kernel has. Of the options above,\n"
"                       --topology, --jobs and those about QEMU, its guests and what it counts do\n"
"                       not go with it; guest seconds are seconds\n"
"  --workloads X,Y      run these, as compare does, instead of a program\n"
"  --set W.PARAM=VALUE  a parameter of workload W; may be repeated\n"
"  --resume             keep what is ok in DIR of the same boot, run only what is missing or failed\n"
"  --list-cells         run nothing, print the cells in the order in which they would be run\n"
"  --root DIR           DIR/proc and DIR/sys stand in for the kernel's files, for tests\n"
"\n";

static const char usage_end[] =
"  --dry-run            run nothing, only check these options\n"
"  --help               print this\n"
"\n"
"Exit status: 0 if every run is fine, 1 if one failed or was not run, 2 for bad usage.\n";

/* A program, or on this machine workloads. */
static void check_what(const struct np_options *o)
{
	if (o->nrest && !*o->rest[0])
		np_die(NP_USAGE, "which program? See numa-policy run --help");
	if (!o->nrest && !o->workloads.n)
		np_die(NP_USAGE, "which program%s? See numa-policy run --help",
		       o->native ? ", or which --workloads" : "");
	if (o->nrest && o->workloads.n)
		np_die(NP_USAGE, "a program or --workloads, not both: '%s'", o->rest[0]);
	if (o->nrest && o->set.n)
		np_die(NP_USAGE, "--set is about workloads, a program has no parameters");
}

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

	np_options_init(&o, "run", NULL);
	np_options_parse(&o, NP_FOR_RUN, argc, argv);
	if (!o.out)
		o.out = o.native ? OUT_NATIVE : OUT_DEFAULT;
	if (o.help) {
		fputs(usage_text, stdout);
		fputs(np_options_run_help, stdout);
		fputs(native_text, stdout);
		fputs(usage_end, stdout);
		goto out;
	}
	check_what(&o);
	if (!cwd)
		np_die(NP_FAIL, "cannot tell the current directory: %s", strerror(err));
	job.argv = o.rest;
	job.cwd = cwd;
	if (o.nrest)
		np_list_set(&o.workloads, WORKLOAD);
	np_matrix_check(&m, &o);
	m.job = o.nrest ? &job : NULL;
	if (o.list_cells) {
		np_matrix_list(&m, argc, argv);
	} else if (!o.dry_run) {
		np_matrix_prepare(&m, argc, argv);
		status = np_matrix_run_and_print(&m);
	}
	np_matrix_free(&m);
out:
	np_options_free(&o);
	free(cwd);
	return status;
}
