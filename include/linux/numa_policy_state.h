/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What NUMA balancing remembers of a VMA, and how a hinting fault is recorded in it.
 *
 * Kept apart from <linux/numa_policy.h> because <linux/mm_types.h> and <linux/mm.h> need this
 * much and no more.
 */
#ifndef _LINUX_NUMA_POLICY_STATE_H
#define _LINUX_NUMA_POLICY_STATE_H

#include <linux/bitops.h>
#include <linux/compiler.h>
#include <linux/hash.h>
#include <linux/log2.h>
#include <linux/types.h>

#ifdef CONFIG_NUMA_POLICY_TRACE
#include <linux/tracepoint-defs.h>
#endif

/**
 * define NUMA_POLICY_WINDOWS - PID windows kept per VMA, 2 to 8
 *
 * CONFIG_NUMA_POLICY_WINDOWS; 2, as in an unpatched kernel, where no policy is built.
 */
#ifdef CONFIG_NUMA_POLICY_WINDOWS
#define NUMA_POLICY_WINDOWS CONFIG_NUMA_POLICY_WINDOWS
#else
#define NUMA_POLICY_WINDOWS 2
#endif

/**
 * struct vma_numab_state - NUMA-balancing state of a VMA
 * @next_scan: jiffies before which a new VMA is left alone
 * @pids_active_reset: jiffies after which @pids_active moves by one window
 * @pids_active: bitmaps of the hashed PIDs that took a hinting fault in the VMA, newest window
 *	first; [0] is the current one
 * @start_scan_seq: the mm's scan sequence when this state was made
 * @prev_scan_seq: the mm's scan sequence when the VMA was last scanned to its end
 *
 * Made by the first scan pass that reaches the VMA and freed with it; a VMA that was split,
 * merged or forked begins without one. Scan passes write it under the mmap lock held for
 * reading, so two passes of one mm may meet here; hinting faults set bits in the current window
 * with no lock against either. All of that is deliberate: a bit lost or kept for one window too
 * long costs a scan more or less, never correctness. What races for that reason is marked with
 * data_race(), which costs nothing, or READ_ONCE() and WRITE_ONCE().
 */
struct vma_numab_state {
	unsigned long next_scan;
	unsigned long pids_active_reset;
	unsigned long pids_active[NUMA_POLICY_WINDOWS];
	int start_scan_seq;
	int prev_scan_seq;
};

/**
 * numa_policy_pid_bit() - the bit that stands for a PID in a window
 * @pid: the task's PID
 *
 * A window is one word, so PIDs collide: two of them share a bit with a chance of 1 in
 * BITS_PER_LONG.
 *
 * Return: a bit number below BITS_PER_LONG.
 */
static inline unsigned int numa_policy_pid_bit(unsigned int pid)
{
	return hash_32(pid, ilog2(BITS_PER_LONG));
}

/**
 * numa_policy_record_access() - note in the current window that a task took a hinting fault
 * @state: the VMA's state
 * @pid: the faulting task's PID
 *
 * Context: the page-fault path; no lock. The bit is tested first, so that the cache line stays
 * shared among tasks that fault in the same VMA.
 */
static inline void numa_policy_record_access(struct vma_numab_state *state, unsigned int pid)
{
	unsigned int bit = numa_policy_pid_bit(pid);

	/* Of two bits set at once, one may be lost. Atomic operations would cost every fault. */
	if (!test_bit(bit, &state->pids_active[0]))
		data_race(({ __set_bit(bit, &state->pids_active[0]); 0; }));
}

struct vm_area_struct;

#ifdef CONFIG_NUMA_POLICY_TRACE
DECLARE_TRACEPOINT(numa_policy_access);
void __numa_policy_trace_access(struct vm_area_struct *vma, unsigned int pid);
#endif

/**
 * numa_policy_trace_access() - tell who traces that a hinting fault is about to be recorded
 * @vma: the VMA, which has a state
 * @pid: the faulting task's PID
 *
 * Context: the page-fault path.
 */
static __always_inline void numa_policy_trace_access(struct vm_area_struct *vma, unsigned int pid)
{
#ifdef CONFIG_NUMA_POLICY_TRACE
	if (tracepoint_enabled(numa_policy_access))
		__numa_policy_trace_access(vma, pid);
#endif
}

#endif /* _LINUX_NUMA_POLICY_STATE_H */
