// SPDX-License-Identifier: GPL-2.0
/*
 * numa-policy compare: workloads under scan policies in guests, and the table of it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "commands.h"
#include "matrix.h"
#include "policies.h"
#include "table.h"
#include "util.h"
#include "workloads.h"

#define OUT_DEFAULT "build/results"

static const char usage_text[] =
"Usage: numa-policy compare [OPTION]...\n"
"       numa-policy compare --print DIR [--base P]\n"
"Runs workloads under scan policies of NUMA balancing in guests, writes DIR/results.json and\n"
"prints a table.\n"
"\n"
"What to compare:\n"
"  --policies A,B       scan policies (default: all)\n"
"  --workloads X,Y      workloads (default: all)\n"
"  --base P             policy to compare the others with (default pids_active, or the first)\n"
"  --topology T         nodes of the guests (default 2x2), see below\n"
"  --reps N             repetitions of each workload under each policy (default 5)\n"
"  --seed S             the repetitions' seeds are made from it (default 1); all policies get\n"
"                       the same seeds\n"
"  --set W.PARAM=VALUE  a parameter of workload W; may be repeated\n"
"  --tune NAME=VALUE    a tunable of NUMA balancing, in the guest; may be repeated\n"
"\n"
"How to run it:\n"
"  --out DIR            where results go (default build/results)\n";

static const char usage_end[] =
"\n"
"  --print DIR          run nothing, print the table of DIR/results.json; --base P compares with\n"
"                       another of its policies\n"
"  --dry-run            run nothing, only check these options\n"
"  --help               print this\n"
"\n"
"Exit status: 0 if every cell is fine, 1 if one failed or was not run, 2 for bad usage.\n";

static void print_help(void)
{
	const struct np_workload *w;
	const struct np_param *p;

	fputs(usage_text, stdout);
	fputs(np_options_run_help, stdout);
	fputs(usage_end, stdout);
	printf("\n%s", np_topology_help);
	fputs("\nScan policies:\n", stdout);
	for (size_t i = 0; i < np_policies_count; i++)
		printf("  %-12s %s\n", np_policies[i].name, np_policies[i].help);
	fputs("\nWorkloads and their parameters:\n", stdout);
	for (w = np_workloads; w->name; w++) {
		if (w->hidden)
			continue;
		printf("  %-12s %s\n", w->name, w->help);
		for (p = w->params; p && p->name; p++)
			printf("    %-12s %s (%ld to %ld, default %ld)\n", p->name, p->help, p->min,
			       p->max, p->def);
	}
	np_options_print_tunables();
}

/* Compare with another policy of the results than the one they were made to be compared with. */
static int choose_base(struct np_results *r, const char *base)
{
	for (int i = 0; base && i < r->npolicies; i++) {
		if (strcmp(r->policies[i], base))
			continue;
		r->base = r->policies[i];
		return NP_OK;
	}
	if (base)
		np_error("--base %s: this policy is not in the results", base);
	return base ? NP_USAGE : NP_OK;
}

static int print_only(const char *dir, const char *base)
{
	struct np_results r;
	struct stat st;
	char *path, *error;
	int status = NP_OK;

	if (!stat(dir, &st) && !S_ISDIR(st.st_mode))
		path = np_strdup(dir);
	else
		path = np_asprintf("%s/results.json", dir);
	error = np_results_load(&r, path);
	free(path);
	if (error) {
		np_error("%s", error);
		free(error);
		status = NP_FAIL;
	} else {
		status = choose_base(&r, base);
		if (!status)
			status = np_table_print_all(&r);
	}
	for (int i = 0; i < r.ncells && !status; i++)
		if (r.cells[i].status != NP_CELL_OK)
			status = NP_FAIL;
	np_results_free(&r);
	return status;
}

/**
 * cmd_compare() - the subcommand "compare"
 * @argc: number of arguments
 * @argv: the arguments, from the subcommand's name on
 *
 * Return: NP_OK if every cell is fine, NP_FAIL, or NP_USAGE.
 */
int cmd_compare(int argc, char **argv)
{
	struct np_options o;
	struct np_matrix m;
	int status = NP_OK;

	np_options_init(&o, "compare", OUT_DEFAULT);
	np_options_parse(&o, NP_FOR_COMPARE, argc, argv);
	if (o.help) {
		print_help();
	} else if (o.print) {
		status = print_only(o.print, o.base);
	} else {
		np_matrix_check(&m, &o);
		if (!o.dry_run) {
			np_matrix_prepare(&m, argc, argv);
			status = np_matrix_run_and_print(&m);
		}
		np_matrix_free(&m);
	}
	np_options_free(&o);
	return status;
}
