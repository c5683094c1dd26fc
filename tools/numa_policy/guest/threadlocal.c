// SPDX-License-Identifier: GPL-2.0
/*
 * Workload "threadlocal": processes whose main thread touches a common area first, on one
 * node, and whose threads then each work on a share of it.
 *
 * The threads are spread over the nodes and pinned there, which one where decided by the
 * seed. Left to the scheduler they may all gather at the memory instead of drawing it to
 * them; then one run is about the scheduler's luck and says little about scanning.
 */
#include <errno.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "guest.h"

static int nodes[NP_NODES_MAX], nnodes;
static long nprocs, nthreads;
static double round_ms;
static size_t share;

/* What a thread needs to know. */
struct job {
	char *start;
	int node;
	long number;
};

static void *worker(void *arg)
{
	struct job *job = arg;
	struct np_walk walk;
	struct np_rng rng;
	long t;
	int self;

	np_rng_init(&rng, job->number + 2);
	np_pin(np_get("pin") ? &guest.node[job->node] : NULL);
	self = np_thread_add();
	np_area_add(job->start, share, self, "");
	np_walk_init(&walk, job->start, share, &rng);
	np_meet(nprocs * nthreads + 1);
	for (t = 0; t < np_get("run_ms"); t += round_ms) {
		np_thread_refresh(self);
		np_walk_touch(&walk);
		np_spin(round_ms / (nprocs * nthreads));
	}
	np_meet(2 * (nprocs * nthreads + 1));
	np_stay();
}

/* One process: touch everything, let the threads work. */
static void process(long number)
{
	struct np_rng rng;
	long i, first, turn;
	size_t at;
	char *p;

	/* The same for all processes: a main thread on each node in turn, threads likewise. */
	np_rng_init(&rng, 1);
	first = np_rng_below(&rng, nnodes) + number;
	turn = np_rng_below(&rng, nnodes);
	np_pin(&guest.node[nodes[first % nnodes]]);
	p = np_map(share * nthreads);
	for (at = 0; at < share * nthreads; at += NP_PAGE)
		np_touch(p + at);
	for (i = 0; i < nthreads; i++) {
		struct job *job = np_alloc(sizeof(*job));

		job->start = p + i * share;
		job->number = number * nthreads + i;
		job->node = nodes[(job->number + turn) % nnodes];
		np_thread_start(worker, job);
	}
}

void np_run_threadlocal(void)
{
	long i;

	nprocs = np_get("procs");
	nthreads = np_get("threads");
	round_ms = np_get("round_ms");
	share = np_get("share_kb") * 1024;
	nnodes = np_work_nodes(nodes);
	if (nnodes < 2)
		np_fail("needs two nodes with CPUs and memory, there are %d", nnodes);
	np_phase("first_touch", false);
	for (i = 0; i < nprocs; i++) {
		pid_t pid = fork();
		char c;

		if (pid < 0)
			np_fail("cannot create process %ld: %s", i, strerror(errno));
		if (pid)
			continue;
		process(i);
		/* All threads stay until init has seen them. */
		while (read(guest.go_fd, &c, 1) < 0 && errno == EINTR)
			;
		_exit(0);
	}
	np_meet(nprocs * nthreads + 1);
	np_phase("work", true);
	np_meet(2 * (nprocs * nthreads + 1));
	np_done();
	for (i = 0; i < nprocs; i++) {
		int status;

		if (wait(&status) < 0 || status)
			np_fail("a process of the workload ended with status 0x%x", status);
	}
}
