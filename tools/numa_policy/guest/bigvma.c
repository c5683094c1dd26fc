// SPDX-License-Identifier: GPL-2.0
/*
 * Workload "bigvma": one VMA of several times the scan size, first touched on one node, then worked
 * on by many threads on all nodes.
 *
 * A pass ends inside such a VMA, again and again, until it has been scanned once. Either all
 * threads visit all pages, or each mostly its slice, and of the rest a few pages a round.
 * The threads are pinned, spread over the nodes, as in "threadlocal" and for the same reason.
 */
#include "guest.h"

/* Of the pages that are not its slice, a thread visits one in so many a round. */
#define STRANGER 64

static int nodes[NP_NODES_MAX], nnodes, rotation;
static long nthreads, rounds;
static size_t size;
static char *memory;

/* A round through pages of others, a different part of them each time. */
static void visit_some(const struct np_walk *all, long round)
{
	size_t i;

	for (i = round % STRANGER; i < all->pages; i += STRANGER)
		np_touch(all->start + (all->first + i * all->step) % all->pages * NP_PAGE);
}

static void *worker(void *arg)
{
	size_t slice = size / nthreads & -NP_PAGE;
	bool sliced = np_get("slice");
	struct np_walk all, own;
	long i = (long)arg, round;
	struct np_rng rng;
	int self;

	np_rng_init(&rng, i + 2);
	np_pin(&guest.node[nodes[(i + rotation) % nnodes]]);
	self = np_thread_add();
	np_walk_init(&all, memory, size, &rng);
	np_walk_init(&own, memory + i * slice, slice, &rng);
	if (sliced)
		np_area_add(own.start, slice, self, "");
	else if (!i)
		np_area_add(memory, size, NP_ALL_THREADS, "");
	np_meet(nthreads + 1);
	for (round = 0; round < rounds; round++) {
		np_thread_refresh(self);
		np_walk_touch(sliced ? &own : &all);
		if (sliced)
			visit_some(&all, round);
		np_spin((double)np_get("round_ms") / nthreads);
	}
	np_meet(0);
	np_stay();
}

/**
 * np_run_bigvma() - the workload "bigvma"
 */
void np_run_bigvma(void)
{
	struct np_rng rng;
	size_t at;
	long i;

	nnodes = np_work_nodes(nodes);
	if (nnodes < 2)
		np_fail("needs two nodes with CPUs and memory, there are %d", nnodes);
	nthreads = np_get("threads") ?: 2 * np_cpus();
	rounds = np_get("run_ms") / np_get("round_ms");
	size = np_get("vma_mb") << 20;
	np_rng_init(&rng, 1);
	rotation = np_rng_below(&rng, nnodes);
	np_pin(&guest.node[nodes[rotation]]);
	np_phase("first_touch", false);
	memory = np_map(size);
	for (at = 0; at < size; at += NP_PAGE)
		np_touch(memory + at);
	for (i = 0; i < nthreads; i++)
		np_thread_start(worker, (void *)i);
	np_meet(nthreads + 1);
	np_phase("work", true);
	np_meet(2 * (nthreads + 1));
	np_done();
}
