/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Options of the subcommands that run guests: one table for all of them.
 */
#ifndef NP_OPTIONS_H
#define NP_OPTIONS_H

#include <jansson.h>
#include <stdbool.h>

#include "topology.h"
#include "traffic.h"

#define NP_BASE_DEFAULT "pids_active"

/* Which subcommands an option is for. */
#define NP_FOR_COMPARE 1U
#define NP_FOR_RUN 2U
#define NP_FOR_EXPERIMENT 4U
#define NP_FOR_VERIFY 8U
#define NP_FOR_BENCH 64U

/**
 * struct np_list - texts of an option that takes several
 * @v: the texts
 * @n: how many
 */
struct np_list {
	char **v;
	int n;
};

/**
 * struct np_options - what the command line said
 * @command: name of the subcommand
 * @policies: scan policies, in the order of the columns
 * @workloads: workloads
 * @kernels: kernels to measure
 * @base: policy to compare the others with; one of @policies once they are checked
 * @topology: nodes of the guests, as written
 * @out: directory for results
 * @kernel: directory of the kernel, or NULL
 * @initrd: the guests' initramfs, or NULL
 * @qemu: QEMU, or NULL
 * @print: directory of results to print, or NULL
 * @set: settings of workloads, as written
 * @tune: tunables, as written
 * @reps: repetitions
 * @jobs: guests at once
 * @seed: where the repetitions' seeds come from
 * @shift: instruction-counting shift; -1: the workload's
 * @sample_ms: guest milliseconds between samples
 * @limit_s: guest seconds a workload may take; 0: the workload's
 * @timeout_s: host seconds a guest may take
 * @stall_s: host seconds a guest may be silent
 * @looks: looks that an experiment takes at most
 * @kvm: run on KVM
 * @traffic: count accesses to memory
 * @latency_text: latencies for the modelled time, as written, or NULL
 * @latency: the latencies
 * @decisions: record every decision of the policy
 * @assume: the kernel cannot tell its policy, which is taken to be the one named
 * @keep: keep the files of good cells
 * @dry_run: only check the options
 * @resume: keep the cells in @out that are ok
 * @list_cells: only list the cells
 * @cell: IDs of the cells to run, as written; empty: all
 * @save: file to save what is printed in, or NULL
 * @help: print the help
 * @rest: arguments that are no options: NULL-terminated; only where the subcommand takes them
 * @nrest: how many
 * @native: run on this machine instead of in guests
 * @root: with @native: a directory that stands in for the kernel's files, for tests; or NULL
 * @of_guests: an option that was given and is about guests only, or NULL
 * @of_native: the same for runs on this machine
 * @known: the policies that there are; empty: those of the library here
 */
struct np_options {
	const char *command;
	struct np_list policies;
	struct np_list workloads;
	struct np_list kernels;
	const char *base;
	const char *topology;
	const char *out;
	const char *kernel;
	const char *initrd;
	const char *qemu;
	const char *print;
	struct np_list set;
	struct np_list tune;
	long reps;
	long jobs;
	long seed;
	long shift;
	long sample_ms;
	long limit_s;
	long timeout_s;
	long stall_s;
	long looks;
	bool kvm;
	bool traffic;
	const char *latency_text;
	struct np_latency latency;
	bool decisions;
	bool assume;
	bool keep;
	bool dry_run;
	bool resume;
	bool list_cells;
	struct np_list cell;
	const char *save;
	bool help;
	char **rest;
	int nrest;
	bool native;
	const char *root;
	const char *of_guests;
	const char *of_native;
	struct np_list known;
};

/* Tunables of NUMA balancing that can be set. */
extern const char * const np_tunables[];
extern const int np_tunables_count;

extern const char np_options_run_help[];

void np_options_init(struct np_options *o, const char *command, const char *out);
void np_options_parse(struct np_options *o, unsigned int command, int argc, char **argv);
void np_options_free(struct np_options *o);

void np_list_add(struct np_list *list, const char *text);
void np_list_set(struct np_list *list, const char *comma_separated);
void np_list_free(struct np_list *list);

void np_options_check_policies(struct np_options *o);
void np_options_check_workloads(struct np_options *o);
void np_options_check_topology(const struct np_options *o, struct np_topology *t);
json_t *np_options_check_set(const struct np_options *o);
json_t *np_options_check_tune(const struct np_options *o);
void np_options_check_traffic(struct np_options *o);
void np_options_print_tunables(void);

#endif /* NP_OPTIONS_H */
