// SPDX-License-Identifier: GPL-2.0
/*
 * numa-policy compare: workloads under scan policies in guests, and the table of it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "matrix.h"
#include "policies.h"
#include "table.h"
#include "util.h"
#include "workloads.h"

#define OUT_DEFAULT "build/results"

static const char usage_text[] =
"Usage: numa-policy compare [OPTION]...\n"
"       numa-policy compare --print DIR [--base P] [--save FILE] [DIR]...\n"
"Runs workloads under scan policies of NUMA balancing in guests, writes DIR/results.json and\n"
"prints a table.\n"
"\n"
"What to compare:\n"
"  --policies A,B       scan policies (default: all)\n"
"  --workloads X,Y      workloads (default: those that are not marked below)\n"
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
"Going on, and many machines:\n"
"  --resume             keep what is ok in DIR, run only what is missing or failed; more policies,\n"
"                       workloads or repetitions than before may be named\n"
"  --list-cells         run nothing, print the cells that these options run, one a line; with\n"
"                       --resume those that are missing\n"
"  --cell ID,...        run only these cells, without a table, and write a file for each below\n"
"                       DIR/" NP_CELLS_DONE "; many may do so at the same time, on many machines; may be\n"
"                       repeated\n"
"\n"
"  --print DIR          run nothing, print the table of DIR/results.json and the cells that --cell\n"
"                       left in DIR; several DIRs, or files, are put together if nothing but\n"
"                       policies, workloads and repetitions differs; --base P compares with\n"
"                       another of the policies; --save FILE saves all in one file\n"
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
		printf("  %-12s %s%s\n", w->name, w->help, w->optional ? " (only if named)" : "");
		for (p = w->params; p && p->name; p++)
			printf("    %-12s %s (%ld to %ld, default %ld)\n", p->name, p->help, p->min,
			       p->max, p->def);
	}
	np_options_print_tunables();
}

/* What came of the cells that --cell named: a line for each. */
static int run_cells(struct np_matrix *m)
{
	enum np_run_end end;
	int status = np_matrix_run(m, &end) ? NP_FAIL : NP_OK;

	for (int i = 0; i < m->to_run; i++) {
		const struct np_cell *c = &m->results.cells[i];

		printf("%s/%s/%d: %s%s%s\n", c->workload, c->policy, c->rep,
		       c->status == NP_CELL_OK ? "ok" :
		       c->status == NP_CELL_FAILED ? "failed" : "not run",
		       c->reason ? ": " : "", c->reason ? c->reason : "");
		if (c->status != NP_CELL_OK)
			status = NP_FAIL;
	}
	return status;
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

static int save_all(const struct np_results *r, const char *path)
{
	int err = np_results_save(r, path);

	if (err)
		np_error("cannot write %s: %s", path, strerror(-err));
	return err ? NP_FAIL : NP_OK;
}

/* The directories or files: that of --print, and all arguments. */
static int print_only(const struct np_options *o)
{
	struct np_list paths = { 0 };
	struct np_results r;
	int status = NP_OK;
	char *error;

	np_list_add(&paths, o->print);
	for (int i = 0; i < o->nrest; i++)
		np_list_add(&paths, o->rest[i]);
	error = np_results_load_dirs(&r, paths.v, paths.n);
	np_list_free(&paths);
	if (error) {
		np_error("%s", error);
		free(error);
		status = NP_FAIL;
	} else {
		status = choose_base(&r, o->base);
		if (!status)
			status = np_table_print_all(&r);
		if (!status && o->save)
			status = save_all(&r, o->save);
	}
	for (int i = 0; i < r.ncells && !status; i++)
		if (r.cells[i].status != NP_CELL_OK)
			status = NP_FAIL;
	np_results_free(&r);
	return status;
}

/* Options that say nothing together. */
static void check_conflicts(const struct np_options *o)
{
	if (o->print && (o->policies.n || o->workloads.n || o->resume || o->list_cells ||
			 o->cell.n || o->dry_run))
		np_die(NP_USAGE, "--print runs nothing: it takes --base and --save only");
	if (o->save && !o->print)
		np_die(NP_USAGE, "--save has no meaning without --print");
	if (o->list_cells && o->cell.n)
		np_die(NP_USAGE, "--list-cells and --cell do not go together");
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
	if (!o.help)
		check_conflicts(&o);
	if (o.help) {
		print_help();
	} else if (o.print) {
		status = print_only(&o);
	} else {
		np_matrix_check(&m, &o);
		if (o.list_cells) {
			np_matrix_list(&m, argc, argv);
		} else if (!o.dry_run) {
			np_matrix_prepare(&m, argc, argv);
			status = o.cell.n ? run_cells(&m) : np_matrix_run_and_print(&m);
		}
		np_matrix_free(&m);
	}
	np_options_free(&o);
	return status;
}
