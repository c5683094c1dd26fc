// SPDX-License-Identifier: GPL-2.0
/*
 * Workloads "numa02" and "numa02_smt", after the programs of those names in the autonuma benchmark.
 *
 * One process zeroes an array from its main thread; then as many threads as there are CPUs, or
 * half as many in numa02_smt, zero a slice of it each, again and again. The scheduler places the
 * threads, unless they are to be pinned; which CPU the program begins on, and so where the array
 * is at first, is left to the seed.
 */
#include <string.h>

#include "guest.h"

static int nodes[NP_NODES_MAX], nnodes;
static long nthreads, passes;
static char *memory;
static size_t slice;

static void *worker(void *arg)
{
	char *start = memory + (long)arg * slice;
	long i = (long)arg, pass;
	int self;

	np_pin(np_get("pin") ? &guest.node[nodes[i * nnodes / nthreads]] : NULL);
	self = np_thread_add();
	np_area_add(start, slice, self, "");
	np_meet(nthreads + 1);
	for (pass = 0; pass < passes; pass++) {
		np_thread_refresh(self);
		np_zero(start, slice);
	}
	np_meet(0);
	np_stay();
}

/**
 * np_run_numa02() - the workloads of numa02.c
 */
void np_run_numa02(void)
{
	bool half = !strcmp(guest.w->name, "numa02_smt");
	struct np_rng rng;
	long i;

	nnodes = np_work_nodes(nodes);
	if (nnodes < 2)
		np_fail("needs two nodes with CPUs and memory, there are %d", nnodes);
	nthreads = np_get("threads") ?: half ? (np_cpus() + 1) / 2 : np_cpus();
	passes = np_get("passes");
	slice = (np_get("mem_mb") << 20) / nthreads & -NP_PAGE;
	np_rng_init(&rng, 1);
	np_pin(&guest.node[nodes[np_rng_below(&rng, nnodes)]]);
	np_phase("first_touch", false);
	memory = np_map(slice * nthreads);
	np_zero(memory, slice * nthreads);
	np_pin(NULL);
	for (i = 0; i < nthreads; i++)
		np_thread_start(worker, (void *)i);
	np_meet(nthreads + 1);
	np_phase("work", true);
	np_meet(2 * (nthreads + 1));
	np_done();
}
