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
	{ "move", 1, 0, 1, "1: come back on another node; 0: on the same" },
	{ "threads", 1, 1, 64, "threads, all of which leave and come back together" },
	{ "share", 1, 0, 1, "1: all threads work on all areas; 0: each has its share of them" },
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

static const struct np_param numa01_params[] = {
	{ "threads", 0, 0, 64, "threads of each of the two processes; 0: half as many as CPUs" },
	{ "mem_mb", 12, 1, 4096, "memory of each process in MiB" },
	{ "passes", 75, 1, 1000000, "how often each thread zeroes its process's memory" },
	{ "pin", 0, 0, 1, "1: each process pinned to half of the nodes; 0: scheduler decides" },
	{ 0 }
};

static const struct np_param numa01_threadlocal_params[] = {
	{ "threads", 0, 0, 64, "threads of each of the two processes; 0: half as many as CPUs" },
	{ "mem_mb", 12, 1, 4096, "memory of each process in MiB" },
	{ "passes", 150, 1, 1000000, "how often each thread zeroes its slice of it" },
	{ "pin", 0, 0, 1, "1: each process pinned to half of the nodes; 0: scheduler decides" },
	{ 0 }
};

static const struct np_param numa02_params[] = {
	{ "threads", 0, 0, 64, "threads; 0: as many as CPUs, or half as many (numa02_smt)" },
	{ "mem_mb", 16, 1, 4096, "the array in MiB" },
	{ "passes", 300, 1, 1000000, "how often each thread zeroes its slice of it" },
	{ "pin", 0, 0, 1, "1: threads spread over the nodes, pinned; 0: scheduler decides" },
	{ 0 }
};

static const struct np_param bigvma_params[] = {
	{ "threads", 0, 0, 64, "threads; 0: two for each CPU" },
	{ "vma_mb", 32, 1, 4096, "size of the VMA in MiB; this workload scans 4 MiB at a time" },
	{ "slice", 0, 0, 1, "1: each thread works mostly on its slice; 0: all on all pages" },
	{ "round_ms", 500, 10, 10000, "work per round over the pages, in ms of an idle guest" },
	{ "run_ms", 30000, 100, 3600000, "work on the pages, in ms" },
	{ 0 }
};

static const struct np_param forks_params[] = {
	{ "procs", 200, 1, 1000000, "processes in all" },
	{ "at_once", 0, 0, 64, "processes at a time; 0: as many as CPUs" },
	{ "kb", 512, 4, 65536, "memory of each process in KiB" },
	{ "work_ms", 50, 0, 10000, "mean work of a process in ms; every tenth works ten times that" },
	{ 0 }
};

static const struct np_param rules_params[] = {
	{ "run_ms", 24000, 1000, 600000, "how long it acts, in ms" },
	{ "trace", 1, 0, 1, "1: record the decisions; 0: only act" },
	{ 0 }
};

static const struct np_param no_params[] = {
	{ 0 }
};

#define PERF_COMMAND \
	"perf bench numa mem -p {procs} -t {threads} -P {proc_mb} -T {thread_mb} -l {loops} " \
	"-s 0 -z -q"

#define STRESS_VM_COMMAND \
	"stress-ng --vm {workers} --vm-bytes {mb}m --vm-keep --vm-method flip --vm-ops {ops} " \
	"--metrics-brief"

static const struct np_param perf_params[] = {
	{ "procs", 2, 1, 16, "processes" },
	{ "threads", 2, 1, 32, "threads of each process" },
	{ "proc_mb", 8, 0, 1024, "memory of each process, shared by its threads, in MB" },
	{ "thread_mb", 0, 0, 1024, "memory of each thread in MB" },
	{ "loops", 20, 1, 1000000, "how often each thread goes through the memory" },
	{ 0 }
};

static const struct np_param stress_vm_params[] = {
	{ "workers", 2, 1, 64, "processes that write and check memory" },
	{ "mb", 8, 1, 1024, "memory of all of them together, in MB" },
	{ "ops", 1600, 1, 1000000000, "operations in all" },
	{ 0 }
};

static const struct np_param stress_fork_params[] = {
	{ "workers", 4, 1, 64, "processes that create others" },
	{ "ops", 300, 1, 1000000000, "processes created in all" },
	{ 0 }
};

static const struct np_param known_params[] = {
	{ "accesses", 100000, 1, 1000000000, "loads of the first loop; stores are half as many" },
	{ "fill_mb", 0, 0, 65536, "memory of the first node to touch before, in MB" },
	{ 0 }
};

const struct np_workload np_workloads[] = {
	{ "sleeper", "a thread leaves its memory until it is forgotten, moves and comes back",
	  .shift = 6, .limit_s = 600, .params = sleeper_params },
	{ "late_vma", "threads create their memory after many scan sequences",
	  .shift = 5, .limit_s = 300, .params = late_vma_params },
	{ "threadlocal", "threads work on shares of memory first touched by another thread",
	  .shift = 5, .limit_s = 300, .params = threadlocal_params },
	{ "numa01", "autonuma benchmark: two processes, threads share all their process's memory",
	  .shift = 5, .limit_s = 600, .params = numa01_params },
	{ "numa01_threadlocal", "autonuma benchmark: the same with a slice of memory per thread",
	  .shift = 5, .limit_s = 600, .params = numa01_threadlocal_params },
	{ "numa02", "autonuma benchmark: one process, each thread works on a slice of an array",
	  .shift = 5, .limit_s = 600, .params = numa02_params },
	{ "numa02_smt", "autonuma benchmark: the same with threads for half of the CPUs",
	  .shift = 5, .limit_s = 600, .params = numa02_params, .optional = true },
	{ "bigvma", "many threads on all nodes work on a VMA of several times the scan size",
	  .shift = 5, .limit_s = 600, .params = bigvma_params, .optional = true },
	{ "forks", "many short-lived processes, from which nothing can be gained",
	  .shift = 5, .limit_s = 600, .params = forks_params, .optional = true },
	{ "perf_numa_mem", "perf bench numa mem, by the distribution or as NUMA_POLICY_PERF says",
	  .shift = 5, .limit_s = 600, .params = perf_params, .optional = true,
	  .command = PERF_COMMAND,
	  .package = "linux-perf", .program_env = "NUMA_POLICY_PERF" },
	{ "stress_ng_vm", "stress-ng: processes that write and check memory",
	  .shift = 6, .limit_s = 600, .params = stress_vm_params, .optional = true,
	  .command = STRESS_VM_COMMAND,
	  .package = "stress-ng" },
	{ "stress_ng_fork", "stress-ng: processes that create and end others",
	  .shift = 5, .limit_s = 600, .params = stress_fork_params, .optional = true,
	  .command = "stress-ng --fork {workers} --fork-ops {ops} --metrics-brief",
	  .package = "stress-ng" },
	{ "command", "a program of the host",
	  .shift = 5, .limit_s = 600, .params = no_params, .hidden = true, .command = "" },
	{ "rules", "acts out the situations that the rules tell apart, and records the decisions",
	  .shift = 4, .limit_s = 300, .params = rules_params, .hidden = true },
	{ "histories", "acts out the scripted histories that can be, and records the answers",
	  .shift = 4, .limit_s = 3600, .params = no_params, .hidden = true },
	{ "known", "every CPU loads from and stores to every node, as often as its records say",
	  .shift = 4, .limit_s = 600, .params = known_params, .hidden = true },
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
