// SPDX-License-Identifier: GPL-2.0
/*
 * The workloads of the guests and their parameters.
 *
 * The sizes are small because the guest is a slow machine: with instruction counting at
 * shift 5 all its CPUs together execute about 30 million instructions per guest second,
 * and a page that faults and migrates takes thousands of them.
 */
#include <stddef.h>
#include <string.h>

#include "workloads.h"

static const struct np_param sleeper_params[] = {
	{ "vmas", 48, 2, 512, "memory areas, each a VMA of its own" },
	{ "vma_kb", 256, 4, 65536, "size of each area in KiB" },
	{ "round_ms", 200, 10, 10000, "work per round over the areas, in ms of an idle guest" },
	{ "settle_ms", 4000, 0, 600000, "work on all areas before staying away, in ms" },
	{ "away_ms", 0, 0, 3600000, "work on the first area only, in ms; 0: windows get empty" },
	{ "return_ms", 90000, 100, 3600000, "work on all areas after coming back, in ms" },
	{ 0 }
};

static const struct np_param late_vma_params[] = {
	{ "threads", 4, 1, 64, "threads, each with an area of its own" },
	{ "vma_kb", 2048, 4, 65536, "size of each area in KiB" },
	{ "round_ms", 200, 10, 10000, "work per round over an area, in ms of an idle guest" },
	{ "warmup_ms", 10000, 0, 600000, "work before the areas are created, in ms" },
	{ "run_ms", 30000, 100, 3600000, "work on the areas, in ms" },
	{ 0 }
};

static const struct np_param threadlocal_params[] = {
	{ "procs", 2, 1, 16, "processes" },
	{ "threads", 2, 1, 32, "threads of each process" },
	{ "share_kb", 2048, 4, 65536, "each thread's share of the process's area in KiB" },
	{ "round_ms", 200, 10, 10000, "work per round over the share, in ms of an idle guest" },
	{ "run_ms", 30000, 100, 3600000, "work on the shares, in ms" },
	{ "pin", 1, 0, 1, "1: spread the threads over the nodes, pinned; 0: scheduler decides" },
	{ 0 }
};

static const struct np_param rules_params[] = {
	{ "run_ms", 24000, 1000, 600000, "how long it acts, in ms" },
	{ "trace", 1, 0, 1, "1: record the decisions; 0: only act" },
	{ 0 }
};

static const struct np_param histories_params[] = {
	{ 0 }
};

static const struct np_param known_params[] = {
	{ "accesses", 100000, 1, 1000000000, "loads of the first loop; stores are half as many" },
	{ "fill_mb", 0, 0, 65536, "memory of the first node to touch before, in MB" },
	{ 0 }
};

const struct np_workload np_workloads[] = {
	{ "sleeper", "one thread leaves its memory until it is forgotten, moves and comes back",
	  6, 600, sleeper_params, false },
	{ "late_vma", "threads create their memory after many scan sequences",
	  5, 300, late_vma_params, false },
	{ "threadlocal", "threads work on shares of memory first touched by another thread",
	  5, 300, threadlocal_params, false },
	{ "rules", "acts out the situations that the rules tell apart, and records the decisions",
	  4, 300, rules_params, true },
	{ "histories", "acts out the scripted histories that can be, and records the answers",
	  4, 3600, histories_params, true },
	{ "known", "every CPU loads from and stores to every node, as often as its records say",
	  4, 600, known_params, true },
	{ 0 }
};

/**
 * np_workload_find() - look a workload up
 * @name: its name
 *
 * Return: the workload, or NULL if there is none of that name.
 */
const struct np_workload *np_workload_find(const char *name)
{
	const struct np_workload *w;

	for (w = np_workloads; w->name; w++)
		if (!strcmp(w->name, name))
			return w;
	return NULL;
}

/**
 * np_param_find() - look a workload's parameter up
 * @w: the workload
 * @name: the parameter's name
 *
 * Return: the parameter, or NULL if the workload has none of that name.
 */
const struct np_param *np_param_find(const struct np_workload *w, const char *name)
{
	const struct np_param *p;

	for (p = w->params; p->name; p++)
		if (!strcmp(p->name, name))
			return p;
	return NULL;
}
