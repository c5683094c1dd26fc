// SPDX-License-Identifier: GPL-2.0
/*
 * Workload "sleeper": a thread touches many VMAs, then works on the first of them only until the
 * history of the others has been forgotten, is moved to another node, and comes back to all of
 * them. Several threads all do so, together: on the same VMAs, or each on its own. Where nothing
 * shall be left to gain they come back without having been moved.
 *
 * It keeps running while it is away: a thread that sleeps is never asked to scan. What is
 * measured is how fast its memory follows it after its return.
 */
#include "guest.h"

static const struct np_node *home, *other;
static long nthreads, vmas, round_ms, away_ms;
static bool shared;
static size_t len;
static char **areas;

/* A thread's memory: what it visits, and how many areas that are. */
struct role {
	struct np_walk *walks;
	long n;
	int self;
};

/* One round: the first @n areas, then work without memory to fill the time of a round. */
static void round_over(const struct role *r, long n)
{
	long i;

	np_thread_refresh(r->self);
	for (i = 0; i < n; i++)
		np_walk_touch(&r->walks[i]);
	np_spin((double)round_ms / nthreads);
}

static void work(const struct role *r, long n, long ms)
{
	long t;

	for (t = 0; t < ms; t += round_ms)
		round_over(r, n);
}

/* The areas of thread @i: all, or its share of them. Where all are shared, the first maps them. */
static void take_areas(struct role *r, long i)
{
	long first = shared ? 0 : i * vmas / nthreads, k;
	struct np_rng rng;

	np_rng_init(&rng, i + 1);
	/* The first two of the first stream have chosen the nodes. */
	np_rng_next(&rng);
	np_rng_next(&rng);
	r->n = shared ? vmas : (i + 1) * vmas / nthreads - first;
	r->walks = np_alloc(r->n * sizeof(*r->walks));
	for (k = 0; k < r->n; k++) {
		char **p = &areas[first + k];

		if (!shared || !i) {
			*p = np_map(len);
			np_area_add(*p, len, shared ? NP_ALL_THREADS : r->self, "");
		}
		np_walk_init(&r->walks[k], *p, len, &rng);
		np_walk_touch(&r->walks[k]);
	}
}

static void sleep_and_return(long i)
{
	struct role r = { 0 };
	int meetings = 0;

	np_pin(home);
	r.self = np_thread_add();
	if (!i)
		np_phase("first_touch", false);
	if (!shared || !i)
		take_areas(&r, i);
	np_meet(++meetings * nthreads);
	if (shared && i)
		take_areas(&r, i);

	if (!i)
		np_phase("settle", false);
	work(&r, r.n, np_get("settle_ms"));
	if (!i)
		np_phase("away", false);
	work(&r, 1, away_ms);

	if (np_get("move"))
		np_pin(other);
	np_thread_refresh(r.self);
	np_meet(++meetings * nthreads);
	if (!i)
		np_phase("return", true);
	work(&r, r.n, np_get("return_ms"));
	np_meet(++meetings * nthreads);
}

static void *worker(void *arg)
{
	sleep_and_return((long)arg);
	np_stay();
}

/**
 * np_run_sleeper() - the workload "sleeper"
 */
void np_run_sleeper(void)
{
	int nodes[NP_NODES_MAX], n = np_work_nodes(nodes), a, b;
	struct np_rng rng;
	long i;

	nthreads = np_get("threads");
	vmas = np_get("vmas");
	shared = np_get("share");
	round_ms = np_get("round_ms");
	away_ms = np_get("away_ms");
	len = np_get("vma_kb") * 1024;
	if (n < 2)
		np_fail("needs two nodes with CPUs and memory, there are %d", n);
	if (!shared && vmas < nthreads)
		np_fail("vmas=%ld: fewer than threads=%ld, which do not share them", vmas, nthreads);
	np_rng_init(&rng, 1);
	a = np_rng_below(&rng, n);
	b = (a + 1 + np_rng_below(&rng, n - 1)) % n;
	home = &guest.node[nodes[a]];
	other = &guest.node[nodes[b]];
	/*
	 * A window lasts four scan delays. One more than there are must have passed, and
	 * passes come a second or so apart; the jitter makes the return fall anywhere in
	 * the scanner's own rhythm.
	 */
	if (!away_ms) {
		np_rng_init(&rng, 0);
		away_ms = (guest.windows + 1) * 4 * guest.scan_delay_ms +
			  np_rng_below(&rng, 4 * guest.scan_delay_ms + 1);
	}
	areas = np_alloc(vmas * sizeof(*areas));
	for (i = 1; i < nthreads; i++)
		np_thread_start(worker, (void *)i);
	sleep_and_return(0);
	np_done();
}
