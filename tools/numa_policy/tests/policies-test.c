// SPDX-License-Identifier: GPL-2.0
/*
 * The scan policies in user space: every rule at its boundaries, for every policy.
 *
 * A case is a snapshot and what each policy must answer to it. Compiled with 2, 4 and 8 windows.
 */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "../../../kernel/sched/numa_policy/policies.h"
#include "../util.h"

/* PIDs in the order of their buckets are of no use here: what matters is who shares one. */
#define CROWD (CONFIG_NUMA_POLICY_SHARED_THRESHOLD + 1)
static unsigned int me = 1000, twin, crowd[CROWD], above, below;

static unsigned long bit(unsigned int pid)
{
	return 1UL << numa_policy_pid_bit(pid);
}

/* PIDs after @me in buckets of their own, one in @me's, and one each above and below it. */
static void choose_pids(void)
{
	unsigned long taken = bit(me);
	unsigned int pid, n = 0;

	for (pid = me + 1; n < CROWD || !above || !below || !twin; pid++) {
		if (bit(pid) == bit(me))
			twin = pid;
		else if (bit(pid) > bit(me))
			above = pid;
		else
			below = pid;
		if (n == CROWD || taken & bit(pid))
			continue;
		taken |= bit(pid);
		crowd[n++] = pid;
	}
}

/* The bits of the first @n of the crowd. */
static unsigned long bits(int n)
{
	unsigned long all = 0;

	while (n--)
		all |= bit(crowd[n]);
	return all;
}

#define LAST (NUMA_POLICY_WINDOWS - 1)

/* The policies' columns in an expectation; the order is that of the table. */
#define COLUMNS 7
static const char * const columns[COLUMNS] = {
	"always", "mm_seq", "vma_seq", "pids_active", "pid_history", "seq_delta", "hot_shared",
};

enum {
	S = NUMA_POLICY_SKIP,
	A = NUMA_POLICY_ALWAYS,
	I = NUMA_POLICY_INITIAL,
	M = NUMA_POLICY_INITIAL_MM,
	P = NUMA_POLICY_PID,
	T = NUMA_POLICY_PARTIAL,
	D = NUMA_POLICY_SEQ_DELTA,
	H = NUMA_POLICY_HOT,
	R = NUMA_POLICY_SHARED,
};

static int passed, failed;
static const char * const reasons[NR_NUMA_POLICY_REASONS] = {
#define TEXT(_sym, _text) [NUMA_POLICY_##_sym] = _text,
	NUMA_POLICY_REASON_TEXTS(TEXT)
};

static const struct numa_policy_ops * const ops[] = {
#define OPS(_sym, _name, _text) &numa_policy_##_name,
	NUMA_POLICIES(OPS)
};

static void expect(bool ok, const char *what)
{
	printf("%s %d - %s\n", ok ? "ok" : "not ok", passed + failed + 1, what);
	if (ok)
		passed++;
	else
		failed++;
}

static void check(const char *what, const struct numa_policy_snapshot *snap,
		  const int (*expected)[COLUMNS])
{
	struct vma_numab_state before = *snap->state;
	char text[256];

	for (size_t i = 0; i < COLUMNS; i++) {
		int got = ops[i]->decide(snap);

		if (got == (*expected)[i]) {
			snprintf(text, sizeof(text), "%d windows, %s: %s", NUMA_POLICY_WINDOWS,
				 columns[i], what);
			expect(true, text);
		} else {
			snprintf(text, sizeof(text), "%d windows, %s: %s: expected %s, got %s",
				 NUMA_POLICY_WINDOWS, columns[i], what, reasons[(*expected)[i]],
				 got < NR_NUMA_POLICY_REASONS ? reasons[got] : "nonsense");
			expect(false, text);
		}
	}
	if (memcmp(&before, snap->state, sizeof(before)))
		expect(false, "a decision wrote to the state");
}

#define CHECK(what, snap, ...) \
	check(what, snap, &(const int[COLUMNS]){ __VA_ARGS__ })

/* A VMA long past its first sequences, scanned in the sequence before, that nobody accesses. */
static void reset(struct numa_policy_snapshot *snap, struct vma_numab_state *state)
{
	memset(state, 0, sizeof(*state));
	state->start_scan_seq = 10;
	state->prev_scan_seq = 99;
	*snap = (struct numa_policy_snapshot) {
		.state = state,
		.scan_offset = 0x10000,
		.vma_start = 0x10000,
		.pid = me,
		.scan_seq = 100,
		.nr_threads = 1,
	};
}

static void decisions(void)
{
	struct vma_numab_state st;
	struct numa_policy_snapshot s;

	reset(&s, &st);
	CHECK("idle VMA", &s, A, S, S, S, S, S, S);

	/* INITIAL and INITIAL_MM */
	reset(&s, &st);
	st.start_scan_seq = 99;
	CHECK("second sequence of a late VMA", &s, A, S, I, I, I, I, I);
	st.start_scan_seq = 98;
	CHECK("third sequence of a late VMA", &s, A, S, S, S, S, S, S);
	reset(&s, &st);
	s.scan_seq = 1;
	st.start_scan_seq = 0;
	st.prev_scan_seq = 0;
	CHECK("second sequence of an early VMA", &s, A, M, I, I, I, I, I);
	s.scan_seq = 2;
	st.prev_scan_seq = 1;
	CHECK("third sequence of an early VMA", &s, A, S, S, S, S, S, S);

	/* PID(2), PID(N) */
	for (int w = 0; w < NUMA_POLICY_WINDOWS; w++) {
		bool newest2 = w < 2;

		reset(&s, &st);
		st.pids_active[w] = bit(me);
		CHECK("own access in one of the windows", &s, A, newest2 ? P : S, newest2 ? P : S,
		      newest2 ? P : S, P, newest2 ? P : S, P);
		st.pids_active[w] = bit(twin);
		CHECK("access by a PID that collides", &s, A, newest2 ? P : S, newest2 ? P : S,
		      newest2 ? P : S, P, newest2 ? P : S, P);
		st.pids_active[w] = bit(above);
		CHECK("access by a PID of a higher bucket", &s, A, S, S, S, S, S, w ? S : H);
		st.pids_active[w] = bit(below);
		CHECK("access by a PID of a lower bucket", &s, A, S, S, S, S, S, w ? S : H);
	}
	reset(&s, &st);
	st.pids_active[0] = bit(me);
	st.pids_active[1] = bit(me);
	CHECK("own access in two windows", &s, A, P, P, P, P, P, P);
	s.scan_seq = 1;
	st.start_scan_seq = 0;
	CHECK("own access in the second sequence", &s, A, M, I, I, I, I, I);

	/* PARTIAL */
	reset(&s, &st);
	s.scan_offset = s.vma_start + 1;
	CHECK("scan stopped inside", &s, A, S, S, T, T, T, T);
	s.scan_offset = s.vma_start - 1;
	CHECK("scan has not come so far", &s, A, S, S, S, S, S, S);
	s.scan_offset = ULONG_MAX;
	s.vma_start = LONG_MAX;
	CHECK("addresses are unsigned", &s, A, S, S, T, T, T, T);

	/* SEQ_DELTA */
	for (int n = 1; n <= 1000; n *= 10) {
		reset(&s, &st);
		st.start_scan_seq = -2000;
		s.nr_threads = n;
		st.prev_scan_seq = s.scan_seq - n;
		CHECK("as many sequences without a scan as threads", &s, A, S, S, S, S, S, S);
		st.prev_scan_seq = s.scan_seq - n - 1;
		CHECK("one sequence more than threads", &s, A, S, S, S, S, D, S);
	}

	reset(&s, &st);
	st.prev_scan_seq = s.scan_seq - 65537;
	st.start_scan_seq = s.scan_seq - 65536;
	CHECK("sequences apart by more than 16 bits", &s, A, S, S, S, S, D, S);
	st.prev_scan_seq = s.scan_seq + 5;
	CHECK("scanned in a sequence to come", &s, A, S, S, S, S, S, S);
	st.start_scan_seq = s.scan_seq + 5;
	CHECK("made in a sequence to come", &s, A, S, I, I, I, I, I);

	/* SHARED and HOT */
	reset(&s, &st);
	st.pids_active[LAST] = bits(CROWD - 2);
	CHECK("one sharer too few", &s, A, S, S, S, S, S, S);
	st.pids_active[LAST] = bits(CROWD - 1);
	CHECK("just enough sharers", &s, A, S, S, S, S, S, R);
	st.pids_active[LAST] = bits(CROWD);
	CHECK("one sharer more", &s, A, S, S, S, S, S, R);
	st.pids_active[LAST] = bits(CROWD - 2);
	st.pids_active[1] |= bit(crowd[CROWD - 2]);
	CHECK("just enough over two windows", &s, A, S, S, S, S, S, R);
	st.pids_active[LAST] = bits(CROWD - 2);
	st.pids_active[1] = bits(CROWD - 2);
	CHECK("too few, the same in two windows", &s, A, S, S, S, S, S, S);

	/* Order: what comes first decides */
	reset(&s, &st);
	st.start_scan_seq = 99;
	st.prev_scan_seq = 0;
	st.pids_active[0] = bit(me) | bits(CROWD);
	s.scan_offset = s.vma_start + 1;
	CHECK("all rules at once", &s, A, P, I, I, I, I, I);
	st.start_scan_seq = 0;
	CHECK("all rules but the initial one", &s, A, P, P, P, P, P, P);
	st.pids_active[0] = bits(CROWD);
	CHECK("no access of one's own", &s, A, S, S, T, T, T, H);
	st.pids_active[1] = st.pids_active[0];
	st.pids_active[0] = 0;
	CHECK("nor anybody's in this window", &s, A, S, S, T, T, T, R);
	st.pids_active[1] = 0;
	CHECK("nor in those before", &s, A, S, S, T, T, T, T);
	s.scan_offset = 0;
	CHECK("nor a scan to finish", &s, A, S, S, S, S, D, S);

	/* Wrap-around */
	reset(&s, &st);
	s.scan_seq = INT_MIN;
	st.start_scan_seq = INT_MAX;
	st.prev_scan_seq = INT_MAX;
	CHECK("second sequence across the wrap", &s, A, M, I, I, I, I, I);
	st.start_scan_seq = INT_MAX - 1;
	CHECK("third sequence across the wrap", &s, A, M, S, S, S, S, S);
	st.prev_scan_seq = INT_MAX - 1;
	CHECK("not scanned for two sequences across the wrap", &s, A, M, S, S, S, D, S);
	s.scan_seq = INT_MAX;
	st.start_scan_seq = 0;
	st.prev_scan_seq = INT_MAX;
	CHECK("threads that carry past the wrap", &s, A, S, S, S, S, S, S);
}

static void windows(void)
{
	struct vma_numab_state st = { 0 };
	unsigned long now = ULONG_MAX - 20;
	bool right = true;
	int i;

	numa_policy_init_state(&st, 7, now, 100, 400);
	expect(st.start_scan_seq == 7 && st.prev_scan_seq == 6, "new state: sequences");
	expect(st.next_scan == 79, "new state: delay across the wrap of jiffies");
	expect(st.pids_active_reset == 479, "new state: first period");
	for (i = 0; i < NUMA_POLICY_WINDOWS; i++)
		right &= !st.pids_active[i];
	expect(right, "new state: windows are empty");
	numa_policy_init_state(&st, INT_MIN, 0, 0, 0);
	expect(st.prev_scan_seq == INT_MAX, "new state: sequence before the smallest");

	numa_policy_init_state(&st, 7, now, 100, 400);
	numa_policy_record_access(&st, me);
	expect(st.pids_active[0] == bit(me), "access is recorded in window 0");
	numa_policy_record_access(&st, me);
	numa_policy_record_access(&st, twin);
	expect(st.pids_active[0] == bit(me), "access by the same and by a twin adds nothing");
	numa_policy_record_access(&st, above);
	expect(st.pids_active[0] == (bit(me) | bit(above)), "access by another adds its bit");

	numa_policy_age(&st, 0, 10000, 400);
	expect(st.pids_active[0] && st.pids_active_reset == 479, "sequence 0: no ageing");
	numa_policy_age(&st, 1, 479, 400);
	expect(st.pids_active[0] && st.pids_active_reset == 479, "at the end of the period: not yet");
	numa_policy_age(&st, 1, now, 400);
	expect(st.pids_active[0] && st.pids_active_reset == 479, "before the wrap of jiffies: not yet");
	numa_policy_age(&st, 1, 480, 400);
	expect(!st.pids_active[0] && st.pids_active[1] == (bit(me) | bit(above)) &&
	       st.pids_active_reset == 879, "past the period: one step");

	/* Very late: one step per call, until the clock is caught up. */
	for (i = 0; i < NUMA_POLICY_WINDOWS; i++)
		st.pids_active[i] = i + 1;
	st.pids_active_reset = 1000;
	for (int step = 1; step <= NUMA_POLICY_WINDOWS; step++) {
		numa_policy_age(&st, -5, 1000000, 400);
		right = st.pids_active_reset == 1000 + 400UL * step;
		for (i = 0; i < NUMA_POLICY_WINDOWS; i++)
			right &= st.pids_active[i] == (unsigned long)(i < step ? 0 : i - step + 1);
		expect(right, "late: each call moves the windows by one");
	}
}

int main(void)
{
	choose_pids();
	for (size_t i = 0; i < ARRAY_SIZE(ops); i++) {
		if (i < COLUMNS && strcmp(ops[i]->name, columns[i])) {
			expect(false, "the columns are in the order of the table");
			return 1;
		}
	}
	decisions();
	windows();
	expect(!numa_policy_always.no_forced_pass && numa_policy_mm_seq.no_forced_pass && numa_policy_vma_seq.no_forced_pass &&
	       !numa_policy_pids_active.no_forced_pass && !numa_policy_pid_history.no_forced_pass &&
	       !numa_policy_seq_delta.no_forced_pass && !numa_policy_hot_shared.no_forced_pass,
	       "the forced pass is off for mm_seq and vma_seq only");
	expect(numa_policy_always.windows == 0 && numa_policy_mm_seq.windows == 2 &&
	       numa_policy_vma_seq.windows == 2 && numa_policy_pids_active.windows == 2 &&
	       numa_policy_seq_delta.windows == 2 &&
	       numa_policy_pid_history.windows == NUMA_POLICY_WINDOWS &&
	       numa_policy_hot_shared.windows == NUMA_POLICY_WINDOWS,
	       "the windows that each policy says it reads");
	printf("%d passed, %d failed\n", passed, failed);
	return failed ? 1 : 0;
}
