/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the guests of numa-policy bench measured.
 */
#ifndef NP_BENCH_H
#define NP_BENCH_H

#include <stdbool.h>

/* Numbers of VMAs that a pass comes to. */
#define NP_BENCH_SIZES 3

/* Policies that a kernel may be switched to, and the one that it boots with. */
#define NP_BENCH_POLICIES 33

extern const int np_bench_sizes[NP_BENCH_SIZES];

/**
 * enum np_bench_kind - what is counted
 * @NP_BENCH_REFUSED: passes in which the policy refuses every VMA
 * @NP_BENCH_AGED: the same, and the windows of every VMA move
 * @NP_BENCH_SCANNED: passes in which every VMA is scanned
 * @NP_BENCH_COMPLETED: the same, and each is come by a second time, just before the policy is asked
 * @NP_BENCH_PASSES: how many kinds of passes there are
 */
enum np_bench_kind {
	NP_BENCH_REFUSED,
	NP_BENCH_AGED,
	NP_BENCH_SCANNED,
	NP_BENCH_COMPLETED,
	NP_BENCH_PASSES
};

/**
 * enum np_bench_access - hinting faults, by what recording the access finds
 * @NP_BENCH_FIRST: the task's bit is not set in the current window
 * @NP_BENCH_AGAIN: it is
 * @NP_BENCH_ACCESSES: how many there are
 */
enum np_bench_access {
	NP_BENCH_FIRST,
	NP_BENCH_AGAIN,
	NP_BENCH_ACCESSES
};

/**
 * struct np_bench_counts - instructions counted of the same thing again and again
 * @v: the counts
 * @n: how many
 */
struct np_bench_counts {
	long *v;
	int n;
};

/**
 * struct np_bench_policy - what was measured under one policy
 * @name: its name; "" if it was the kernel's own choice
 * @pass: instructions of whole passes
 * @vmas: of these passes, VMAs that the policy was asked about; by its forced pass, a policy may be
 *	asked about some more than the number that stands for the size
 */
struct np_bench_policy {
	char name[16];
	struct np_bench_counts pass[NP_BENCH_PASSES][NP_BENCH_SIZES];
	int vmas[NP_BENCH_PASSES][NP_BENCH_SIZES];
};

/**
 * struct np_bench_log - what was measured in one guest
 * @npolicies: entries of @policy; the first is the kernel's own choice
 * @policy: what was measured under each
 * @own: instructions of numa_migrate_check() itself, where an access is recorded
 * @fault: instructions of a whole hinting fault
 * @traced: passes of each kind and size that the kernel's trace confirmed, VMA by VMA
 * @state_bytes: size of a VMA's state, as it was allocated; 0: not seen
 * @disturbed: passes and faults that do not count because another task ran meanwhile
 * @ended: the guest came to its end
 */
struct np_bench_log {
	int npolicies;
	struct np_bench_policy policy[NP_BENCH_POLICIES];
	struct np_bench_counts own[NP_BENCH_ACCESSES];
	struct np_bench_counts fault[NP_BENCH_ACCESSES];
	int traced[NP_BENCH_PASSES][NP_BENCH_SIZES];
	long state_bytes;
	int disturbed;
	bool ended;
};

/**
 * struct np_bench_stat - counts in short
 * @value: their median, the lower one of two
 * @n: how many there are
 * @same: how many are @value
 * @min: the lowest
 * @max: the highest
 */
struct np_bench_stat {
	long value;
	int n;
	int same;
	long min;
	long max;
};

char *np_bench_read(struct np_bench_log *log, const char *path);
void np_bench_free(struct np_bench_log *log);
struct np_bench_stat np_bench_stat(const struct np_bench_counts *counts);
double np_bench_per_vma(const struct np_bench_policy *p, enum np_bench_kind kind, int from, int to);

#endif /* NP_BENCH_H */
