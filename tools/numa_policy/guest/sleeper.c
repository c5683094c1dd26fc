// SPDX-License-Identifier: GPL-2.0
/*
 * Workload "sleeper": one thread touches many VMAs, then works on the first of them only
 * until the history of the others has been forgotten, is moved to another node, and comes
 * back to all of them.
 *
 * It keeps running while it is away: a thread that sleeps is never asked to scan. What is
 * measured is how fast its memory follows it after its return.
 */
#include "guest.h"

static struct np_walk *walks;
static int self;

/* One round: the first @n areas, then work without memory to fill @ms. */
static void round_over(long n, double ms)
{
	long i;

	np_thread_refresh(self);
	for (i = 0; i < n; i++)
		np_walk_touch(&walks[i]);
	np_spin(ms);
}

void np_run_sleeper(void)
{
	long vmas = np_get("vmas"), round_ms = np_get("round_ms"), away_ms = np_get("away_ms");
	size_t len = np_get("vma_kb") * 1024;
	const struct np_node *home, *other;
	int nodes[NP_NODES_MAX], n = np_work_nodes(nodes), a, b;
	struct np_rng rng;
	long i, t;

	if (n < 2)
		np_fail("needs two nodes with CPUs and memory, there are %d", n);
	np_rng_init(&rng, 1);
	a = np_rng_below(&rng, n);
	b = (a + 1 + np_rng_below(&rng, n - 1)) % n;
	home = &guest.node[nodes[a]];
	other = &guest.node[nodes[b]];

	np_pin(home);
	self = np_thread_add();
	walks = np_alloc(vmas * sizeof(*walks));
	np_phase("first_touch", false);
	for (i = 0; i < vmas; i++) {
		char *p = np_map(len);

		np_walk_init(&walks[i], p, len, &rng);
		np_area_add(p, len, self, "");
		np_walk_touch(&walks[i]);
	}

	np_phase("settle", false);
	for (t = 0; t < np_get("settle_ms"); t += round_ms)
		round_over(vmas, round_ms);

	/*
	 * A window lasts four scan delays. One more than there are must have passed, and
	 * passes come a second or so apart; the jitter makes the return fall anywhere in
	 * the scanner's own rhythm.
	 */
	np_phase("away", false);
	if (!away_ms)
		away_ms = (guest.windows + 1) * 4 * guest.scan_delay_ms +
			  np_rng_below(&rng, 4 * guest.scan_delay_ms + 1);
	for (t = 0; t < away_ms; t += round_ms)
		round_over(1, round_ms);

	np_pin(other);
	np_thread_refresh(self);
	np_phase("return", true);
	for (t = 0; t < np_get("return_ms"); t += round_ms)
		round_over(vmas, round_ms);
	np_done();
}
