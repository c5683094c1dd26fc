/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Scan policies for NUMA balancing: should this task scan this VMA now?
 *
 * Not to be confused with memory policies (<linux/mempolicy.h>), which say where pages go.
 */
#ifndef _LINUX_NUMA_POLICY_H
#define _LINUX_NUMA_POLICY_H

#include <linux/build_bug.h>
#include <linux/jiffies.h>
#include <linux/numa_policy_state.h>

/* Bytes of a policy's name at most, with the NUL; what trace events have room for. */
#define NUMA_POLICY_NAME_MAX 16

/* Four windows and the rest still come from the slab cache that two windows came from. */
static_assert(NUMA_POLICY_WINDOWS >= 2 && NUMA_POLICY_WINDOWS <= 8);
static_assert(NUMA_POLICY_WINDOWS > 4 || sizeof(struct vma_numab_state) <= 64);

/**
 * enum numa_policy_reason - why a VMA is scanned, or that it is not
 * @NUMA_POLICY_SKIP: no rule said yes; the only value that is false
 * @NUMA_POLICY_ALWAYS: the policy scans everything
 * @NUMA_POLICY_INITIAL: one of the first two sequences since the VMA's state was made
 * @NUMA_POLICY_INITIAL_MM: one of the first two sequences of the mm
 * @NUMA_POLICY_PID: the current task accessed the VMA recently
 * @NUMA_POLICY_PARTIAL: an earlier pass stopped inside the VMA
 * @NUMA_POLICY_SEQ_DELTA: more sequences than the process has threads passed since the last scan
 * @NUMA_POLICY_HOT: some task accessed the VMA in the current window
 * @NUMA_POLICY_SHARED: enough different tasks accessed the VMA in the windows
 * @NR_NUMA_POLICY_REASONS: how many there are
 */
enum numa_policy_reason {
	NUMA_POLICY_SKIP,
	NUMA_POLICY_ALWAYS,
	NUMA_POLICY_INITIAL,
	NUMA_POLICY_INITIAL_MM,
	NUMA_POLICY_PID,
	NUMA_POLICY_PARTIAL,
	NUMA_POLICY_SEQ_DELTA,
	NUMA_POLICY_HOT,
	NUMA_POLICY_SHARED,
	NR_NUMA_POLICY_REASONS
};

/* How traces and tools spell the reasons: X(symbol without NUMA_POLICY_, text) of each. */
#define NUMA_POLICY_REASON_TEXTS(X)	\
	X(SKIP,		"skip")		\
	X(ALWAYS,	"always")	\
	X(INITIAL,	"initial")	\
	X(INITIAL_MM,	"initial_mm")	\
	X(PID,		"pid")		\
	X(PARTIAL,	"partial")	\
	X(SEQ_DELTA,	"seq_delta")	\
	X(HOT,		"hot")		\
	X(SHARED,	"shared")

/**
 * struct numa_policy_snapshot - everything that a decision may look at
 * @state: the VMA's state; hinting faults may set bits in its current window meanwhile
 * @scan_offset: the address at which the mm's scan goes on
 * @vma_start: the VMA's first address
 * @pid: PID of the task that would scan
 * @scan_seq: the mm's scan sequence; any int, it wraps
 * @nr_threads: threads in that task's process, 1 or more
 */
struct numa_policy_snapshot {
	const struct vma_numab_state *state;
	unsigned long scan_offset;
	unsigned long vma_start;
	unsigned int pid;
	int scan_seq;
	int nr_threads;
};

/**
 * struct numa_policy_ops - a scan policy
 * @decide: Required. Say whether the VMA should be scanned now, and by which rule. Called once
 *	per VMA and pass from task_numa_work(), in process context with the mmap lock held for
 *	reading, for VMAs that are suitable, past their scan delay and not yet finished in this
 *	sequence. Must not write, sleep or read anything but the snapshot: it is also asked in
 *	unit tests, by other policies' shadows and in user space.
 * @name: Required. How the boot parameter, the log and the traces call it; [a-z0-9_].
 * @windows: how many of the newest windows @decide reads, 0 to NUMA_POLICY_WINDOWS
 * @no_forced_pass: when a pass ends with a VMA refused, do not go round again to scan one
 *	refused VMA regardless, as kernels before v6.7 did not
 */
struct numa_policy_ops {
	enum numa_policy_reason (*decide)(const struct numa_policy_snapshot *snap);
	const char *name;
	unsigned char windows;
	bool no_forced_pass;
};

/**
 * numa_policy_init_state() - fill in the state of a VMA that a pass meets for the first time
 * @state: the new state, zeroed
 * @scan_seq: the mm's scan sequence
 * @now: jiffies at the start of the pass
 * @delay: scan delay of a new VMA, in jiffies
 * @period: length of a window, in jiffies
 */
static inline void numa_policy_init_state(struct vma_numab_state *state, int scan_seq,
					  unsigned long now, unsigned long delay,
					  unsigned long period)
{
	state->start_scan_seq = scan_seq;
	state->next_scan = now + delay;
	state->pids_active_reset = state->next_scan + period;

	/* Anything but the present sequence, which would mean that the VMA is finished. */
	state->prev_scan_seq = (int)((unsigned int)scan_seq - 1);
}

/**
 * numa_policy_age() - move the windows by one if their time is over
 * @state: the VMA's state
 * @scan_seq: the mm's scan sequence; in the very first, nothing ages
 * @now: jiffies
 * @period: length of a window, in jiffies
 *
 * One step per call, however late: after a long sleep each pass moves the windows once until the
 * clock is caught up. The policies' published behaviour depends on it.
 */
static inline void numa_policy_age(struct vma_numab_state *state, int scan_seq,
				   unsigned long now, unsigned long period)
{
	int i;

	if (!scan_seq || !time_after(now, state->pids_active_reset))
		return;

	state->pids_active_reset += period;
	for (i = NUMA_POLICY_WINDOWS - 1; i > 0; i--)
		state->pids_active[i] = READ_ONCE(state->pids_active[i - 1]);
	state->pids_active[0] = 0;
}

#endif /* _LINUX_NUMA_POLICY_H */
