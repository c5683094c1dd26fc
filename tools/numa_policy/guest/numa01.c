// SPDX-License-Identifier: GPL-2.0
/*
 * Workloads "numa01" and "numa01_threadlocal", after the programs of those names in the autonuma
 * benchmark (numa01 and numa01_THREAD_ALLOC).
 *
 * Two processes with half as many threads each as there are CPUs. Every thread first zeroes the
 * whole memory of its process; then, in numa01, it does so again and again, so that all memory is
 * shared by all threads of its process; in numa01_threadlocal it goes on with its own slice only.
 * The scheduler places the threads, unless they are to be pinned; which CPU the program begins on
 * is left to the seed.
 */
#include <errno.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "guest.h"

#define PROCS 2

/* Threads look where they run each time they have zeroed that much. */
#define STEP (1UL << 20)

static int nodes[NP_NODES_MAX], nnodes;
static long process, nthreads, passes;
static char *memory;
static size_t size;
static bool sliced;

static void zero(int self, char *start, size_t len)
{
	size_t at;

	for (at = 0; at < len; at += STEP) {
		np_thread_refresh(self);
		np_zero(start + at, len - at < STEP ? len - at : STEP);
	}
}

/* Half of the nodes are each process's; its threads take turns at them. */
static const struct np_node *node_of(long thread)
{
	int half = nnodes / 2;

	if (!process)
		return &guest.node[nodes[thread % half]];
	return &guest.node[nodes[half + thread % (nnodes - half)]];
}

static void *worker(void *arg)
{
	long i = (long)arg, pass;
	size_t len = size;
	char *start = memory;
	int self;

	np_pin(np_get("pin") ? node_of(i) : NULL);
	self = np_thread_add();
	if (sliced) {
		len = size / nthreads & -NP_PAGE;
		start += i * len;
	}
	if (sliced || !i)
		np_area_add(start, len, sliced ? self : NP_ALL_THREADS, "");
	zero(self, memory, size);
	np_meet(0);
	for (pass = 0; pass < passes; pass++)
		zero(self, start, len);
	np_meet(0);
	np_stay();
}

static void run_process(void)
{
	long i;

	memory = np_map(size);
	for (i = 0; i < nthreads; i++)
		np_thread_start(worker, (void *)i);
}

/**
 * np_run_numa01() - the workloads of numa01.c
 */
void np_run_numa01(void)
{
	struct np_rng rng;
	pid_t child;
	int status;
	char c;

	nnodes = np_work_nodes(nodes);
	if (nnodes < 2)
		np_fail("needs two nodes with CPUs and memory, there are %d", nnodes);
	sliced = !strcmp(guest.w->name, "numa01_threadlocal");
	nthreads = np_get("threads") ?: (np_cpus() + 1) / 2;
	passes = np_get("passes");
	size = np_get("mem_mb") << 20;
	np_rng_init(&rng, 1);
	np_pin(&guest.node[nodes[np_rng_below(&rng, nnodes)]]);
	np_pin(NULL);
	np_phase("zero", false);
	child = fork();
	if (child < 0)
		np_fail("cannot create the second process: %s", strerror(errno));
	process = !child;
	run_process();
	if (!child) {
		while (read(guest.go_fd, &c, 1) < 0 && errno == EINTR)
			;
		_exit(0);
	}
	np_meet(PROCS * nthreads + 1);
	np_phase("work", true);
	np_meet(2 * (PROCS * nthreads + 1));
	np_done();
	if (wait(&status) < 0 || status)
		np_fail("the second process ended with status 0x%x", status);
}
