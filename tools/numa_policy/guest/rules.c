// SPDX-License-Identifier: GPL-2.0
/*
 * Workload "rules": acts out, again and again, the situations that the rules of the policies
 * tell apart. What the kernel decides in them is recorded through its trace event; somebody
 * else judges it.
 *
 * T0 and T1 are busy, so that their ticks start scan passes, and on different CPUs. They take
 * turns, each a few times as long as the shortest time between passes: passes then come
 * from both, which they would not if both ran all the time.
 * T2, T3 and T4 sleep but for moments. The memory:
 *
 *   V0  T0's own
 *   VA  touched by nobody
 *   VB  touched by T0 once, when its first two sequences are over, then by nobody
 *   VC  touched by T1 all the time
 *   VD  touched by T1, T2 and T3 once, each its own page, when VB is
 *   VE  several, touched by nobody: a pass is forced to scan the first memory that was
 *       refused, and memory behind it is left out as long as some other memory further up
 *       is scanned in each sequence, which the stacks of T0 and T1 are
 *   VF  created late, again and again, touched by nobody but its creator, T4
 *   VG  touched by T1 all the time, and larger than what one pass scans
 *
 * VA, VB, VC, VD and VG are replaced by new ones in each cycle: what happens to old memory
 * depends on the policy, and an access that does not fault leaves no trace. T5 to T8 only
 * sleep; they are there to be counted, so that VB and VD grow old before they count as not
 * scanned for long.
 *
 * A bit in a window stands for 1/64 of all threads: threads are created until those that
 * stay have different ones.
 */
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "guest.h"

#define HELPERS 8
#define SMALL (4 * NP_PAGE)
#define BIG (8UL << 20)
#define HUGE_STEP (2UL << 20)
#define TURN_NS 150000000UL

static atomic_uintptr_t vd;
static unsigned long begin, end, cycle_ns, first_ns;
static unsigned long buckets;
static int self[HELPERS + 1];
static const struct np_node *node0, *node1;

/* What a helper says about its birth. */
enum birth { UNBORN, STAYS, LEAVES };
static atomic_int born;

static void touch(char *p, size_t len, size_t step)
{
	size_t at;

	for (at = 0; at < len; at += step)
		np_touch(p + at);
}

static char *area(size_t len, size_t step, const char *name, int thread)
{
	char *p = np_map(len);

	np_area_add(p, len, thread, name);
	touch(p, len, step);
	return p;
}

/* The same, in place of an older one, or of NULL. */
static char *renew(char *old, size_t len, size_t step, const char *name, int thread)
{
	if (old && munmap(old, len))
		np_fail("munmap: %s", strerror(errno));
	return area(len, step, name, thread);
}

/* T0 and T1: sleep while it is the other one's turn. */
static void take_turns(unsigned int number)
{
	unsigned long turn = (np_now() - begin) / TURN_NS;

	if (turn % 2 != number)
		np_sleep_until(begin + (turn + 1) * TURN_NS);
}

/* When the @n-th cycle begins. */
static unsigned long renewal(long n)
{
	return begin + n * cycle_ns;
}

/* When VB and VD are to be touched in the @n-th cycle: they have been scanned by then. */
static unsigned long due(long n)
{
	return renewal(n) + first_ns;
}

static void helper1(void)
{
	char *vc = NULL, *vg = NULL;
	long n = 0, cycle = 0;

	np_pin(node1);
	while (np_now() < end) {
		take_turns(1);
		np_thread_refresh(self[1]);
		if (np_now() >= renewal(cycle)) {
			vc = renew(vc, SMALL, NP_PAGE, "VC", self[1]);
			vg = renew(vg, BIG, HUGE_STEP, "VG", self[1]);
			cycle++;
		}
		touch(vc, SMALL, NP_PAGE);
		touch(vg, BIG, HUGE_STEP);
		if (np_now() >= due(n)) {
			np_touch((char *)vd + NP_PAGE);
			n++;
		}
		np_spin(2);
	}
}

static void helper23(int number)
{
	long n;

	for (n = 0; due(n) < end; n++) {
		np_sleep_until(due(n));
		np_touch((char *)vd + number * NP_PAGE);
	}
}

static void helper4(void)
{
	const unsigned long life = 10 * guest.scan_delay_ms * 1000000UL;
	char *vf = NULL;
	unsigned long t;

	for (t = begin + 2000000000UL; t < end; t += life) {
		np_sleep_until(t);
		vf = renew(vf, SMALL, NP_PAGE, "VF", self[4]);
	}
}

static void *helper(void *arg)
{
	long number = (long)arg;
	unsigned long bit = 1UL << np_pid_bit(gettid());

	if (buckets & bit) {
		atomic_store(&born, LEAVES);
		return NULL;
	}
	buckets |= bit;
	self[number] = np_thread_add();
	atomic_store(&born, STAYS);
	np_meet(HELPERS + 1);
	if (number == 1)
		helper1();
	else if (number == 4)
		helper4();
	else if (number < 4)
		helper23(number);
	np_meet(2 * (HELPERS + 1));
	for (;;)
		np_meet(INT_MAX);
	return NULL;
}

static void make_helper(long number)
{
	pthread_attr_t attr;
	int tries;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 65536);
	for (tries = 0; tries < 1000; tries++) {
		pthread_t thread;
		int err;

		atomic_store(&born, UNBORN);
		err = pthread_create(&thread, &attr, helper, (void *)number);
		if (err)
			np_fail("cannot create thread %ld: %s", number, strerror(err));
		while (atomic_load(&born) == UNBORN)
			usleep(1000);
		if (atomic_load(&born) == STAYS)
			return;
		pthread_join(thread, NULL);
	}
	np_fail("no thread with a bit of its own");
}

void np_run_rules(void)
{
	int nodes[NP_NODES_MAX], n = np_work_nodes(nodes);
	char *v0, *va = NULL, *vb = NULL;
	long i, touches = 0, cycle = 0;

	if (n < 2)
		np_fail("needs two nodes with CPUs and memory, there are %d", n);
	node0 = &guest.node[nodes[0]];
	node1 = &guest.node[nodes[1]];
	first_ns = 10 * guest.scan_delay_ms * 1000000UL;
	cycle_ns = first_ns + (guest.windows + 2) * 4 * guest.scan_delay_ms * 1000000UL;

	np_pin(node0);
	self[0] = np_thread_add();
	buckets = 1UL << np_pid_bit(gettid());
	for (i = 1; i <= HELPERS; i++)
		make_helper(i);
	v0 = area(SMALL, NP_PAGE, "V0", self[0]);
	for (i = 0; i < 4; i++)
		area(SMALL, NP_PAGE, "VE", self[0]);

	np_phase("rules", false);
	begin = np_now();
	end = begin + np_get("run_ms") * 1000000UL;
	np_meet(HELPERS + 1);
	while (np_now() < end) {
		take_turns(0);
		np_thread_refresh(self[0]);
		touch(v0, SMALL, NP_PAGE);
		if (np_now() >= renewal(cycle)) {
			va = renew(va, SMALL, NP_PAGE, "VA", self[0]);
			vb = renew(vb, SMALL, NP_PAGE, "VB", self[0]);
			vd = (uintptr_t)renew((char *)vd, SMALL, NP_PAGE, "VD", self[0]);
			cycle++;
		}
		if (np_now() >= due(touches)) {
			touch(vb, SMALL, NP_PAGE);
			touches++;
		}
		np_spin(2);
	}
	np_meet(2 * (HELPERS + 1));
	np_done();
}
