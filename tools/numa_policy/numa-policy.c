// SPDX-License-Identifier: GPL-2.0
/*
 * numa-policy - compare NUMA-balancing scan policies on real kernels
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <linux/numa_policy.h>

#include "commands.h"
#include "policies.h"
#include "util.h"
#include "workloads.h"

static const struct command {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *help;
} commands[] = {
	{ "list", cmd_list, "the policies and the workloads there are" },
	{ "compare", cmd_compare, "run policies in guests, print and save a comparison" },
	{ "report", cmd_report, "write results as a report: text, lkml, csv, json or html" },
	{ "run", cmd_run, "run a program of yours likewise, in guests or on this machine" },
	{ "top", cmd_top, "show what the policies of this running system decide" },
	{ "experiment", cmd_experiment, "hold published claims against runs, with a verdict" },
	{ "verify", cmd_verify, "check in guests that each policy decides by its own rules" },
	{ "bench", cmd_bench, "measure what the library costs, in instructions of guests" },
	{ "apply", cmd_apply, "put the scan-policy library into a kernel tree" },
	{ "unapply", cmd_unapply, "take it out again" },
	{ "fingerprint", cmd_fingerprint, "print what apply looks for in a kernel tree" },
};

static void print_usage(FILE *f)
{
	fputs("usage: numa-policy COMMAND [ARGUMENTS]\n"
	      "       numa-policy COMMAND --help\n\n", f);
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		fprintf(f, "  %-12s %s\n", commands[i].name, commands[i].help);
	fputs("\nExit status: 0 all is well; 1 something failed; 2 bad usage.\n", f);
}

/**
 * cmd_list() - print the policies and the workloads
 * @argc: as for main()
 * @argv: as for main(), from the subcommand on
 *
 * Return: the exit status.
 */
int cmd_list(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "--help")) {
		puts("usage: numa-policy list\n\n"
		     "Prints every scan policy with the windows of access history that it reads and\n"
		     "whether the kernel's forced pass is on for it, and every workload with its\n"
		     "parameters, their defaults and ranges (compare --set WORKLOAD.PARAMETER=VALUE).");
		return NP_OK;
	}
	if (argc > 1) {
		np_error("list: unexpected argument '%s'; see numa-policy list --help", argv[1]);
		return NP_USAGE;
	}

	puts("Policies:                windows  forced pass");
	for (size_t i = 0; i < np_policies_count; i++)
		printf("  %-22s %7d  %-11s  %s\n", np_policies[i].name, np_policies[i].ops->windows,
		       np_policies[i].ops->no_forced_pass ? "no" : "yes", np_policies[i].help);

	puts("\nWorkloads:");
	for (const struct np_workload *w = np_workloads; w->name; w++) {
		if (w->hidden)
			continue;
		printf("  %-22s %s%s\n", w->name, w->help,
		       w->optional ? " (only if named)" : "");
		for (const struct np_param *p = w->params; p && p->name; p++)
			printf("    %-20s %ld (%ld to %ld): %s\n", p->name, p->def, p->min, p->max,
			       p->help);
	}
	return NP_OK;
}

int main(int argc, char **argv)
{
	if (argc < 2) {
		print_usage(stderr);
		return NP_USAGE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "help") || !strcmp(argv[1], "-h")) {
		print_usage(stdout);
		return NP_OK;
	}
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		if (!strcmp(argv[1], commands[i].name))
			return commands[i].run(argc - 1, argv + 1);

	np_error("unknown command '%s'; see numa-policy --help", argv[1]);
	return NP_USAGE;
}
