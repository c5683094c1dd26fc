// SPDX-License-Identifier: GPL-2.0
/*
 * Workload "late_vma": threads create the memory they work on long after the process began,
 * when many scan sequences have gone by.
 *
 * Each thread first touches its memory on one node and then works on it from another, so
 * that nothing but the scanner can tell where it belongs. What is measured is the work
 * on it: a policy that gives only a young process the benefit of the doubt never
 * looks at such memory.
 */
#include "guest.h"

static int nodes[NP_NODES_MAX], nnodes, rotation;
static long nthreads;
static double round_ms;

/* One round of a thread on its memory; all threads share the machine's time. */
static void round_over(int self, const struct np_walk *walk)
{
	np_thread_refresh(self);
	np_walk_touch(walk);
	np_spin(round_ms / nthreads);
}

static void *worker(void *arg)
{
	long i = (long)arg, t, start;
	const struct np_node *first = &guest.node[nodes[(i + rotation) % nnodes]];
	const struct np_node *then = &guest.node[nodes[(i + rotation + 1) % nnodes]];
	size_t len = np_get("vma_kb") * 1024;
	struct np_walk early, late;
	struct np_rng rng;
	char *p;
	int self;

	np_rng_init(&rng, i + 2);
	np_pin(first);
	self = np_thread_add();
	/* A little memory to work on from the beginning. */
	p = np_map(4 * NP_PAGE);
	np_walk_init(&early, p, 4 * NP_PAGE, &rng);
	start = np_rng_below(&rng, 4 * guest.scan_delay_ms + 1);
	for (t = -start; t < np_get("warmup_ms"); t += round_ms)
		round_over(self, &early);

	np_meet(nthreads + 1);
	if (!i)
		np_phase("create", false);
	p = np_map(len);
	np_walk_init(&late, p, len, &rng);
	np_area_add(p, len, self, "");
	np_walk_touch(&late);
	np_pin(then);
	np_thread_refresh(self);
	np_meet(2 * (nthreads + 1));
	for (t = 0; t < np_get("run_ms"); t += round_ms)
		round_over(self, &late);
	np_meet(3 * (nthreads + 1));
	np_stay();
}

void np_run_late_vma(void)
{
	struct np_rng rng;
	long i;

	nthreads = np_get("threads");
	round_ms = np_get("round_ms");
	nnodes = np_work_nodes(nodes);
	if (nnodes < 2)
		np_fail("needs two nodes with CPUs and memory, there are %d", nnodes);
	np_rng_init(&rng, 1);
	rotation = np_rng_below(&rng, nnodes);
	np_phase("warmup", false);
	for (i = 0; i < nthreads; i++)
		np_thread_start(worker, (void *)i);
	np_meet(nthreads + 1);
	np_meet(2 * (nthreads + 1));
	np_phase("work", true);
	np_meet(3 * (nthreads + 1));
	np_done();
}
