/* SPDX-License-Identifier: GPL-2.0 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM numa_policy

#if !defined(_TRACE_NUMA_POLICY_H) || defined(TRACE_HEADER_MULTI_READ)
#define _TRACE_NUMA_POLICY_H

#include <linux/mm_types.h>
#include <linux/numa_policy.h>
#include <linux/tracepoint.h>

#define NUMA_POLICY_REASON(_sym, _text) TRACE_DEFINE_ENUM(NUMA_POLICY_##_sym);
NUMA_POLICY_REASON_TEXTS(NUMA_POLICY_REASON)
#undef NUMA_POLICY_REASON

/* Bytes of a long, as a number: perf understands no expression in this place. */
#ifdef CONFIG_64BIT
#define NUMA_POLICY_LONG 8
#else
#define NUMA_POLICY_LONG 4
#endif

/* A pair per reason; the end of the list is a name for what cannot be. */
#define NUMA_POLICY_REASON_TEXT(_sym, _text) { NUMA_POLICY_##_sym, _text },

/*
 * One decision of the policy in force, and all that it was based on. The windows are the hashed
 * PIDs of the tasks that accessed the VMA, newest window first; the weights, how many there are in
 * each.
 */
TRACE_EVENT(numa_policy_decide,

	TP_PROTO(struct mm_struct *mm, struct vm_area_struct *vma,
		 const struct numa_policy_ops *policy,
		 const struct numa_policy_snapshot *snap,
		 enum numa_policy_reason reason),

	TP_ARGS(mm, vma, policy, snap, reason),

	TP_STRUCT__entry(
		__field(void *, mm)
		__field(unsigned long, vm_start)
		__field(unsigned long, vm_end)
		__field(unsigned long, scan_offset)
		__field(unsigned int, reason)
		__field(unsigned int, pid)
		__field(int, scan_seq)
		__field(int, start_scan_seq)
		__field(int, prev_scan_seq)
		__field(int, nr_threads)
		__array(unsigned long, windows, NUMA_POLICY_WINDOWS)
		__array(u8, weights, NUMA_POLICY_WINDOWS)
		__array(char, policy, NUMA_POLICY_NAME_MAX)
	),

	TP_fast_assign(
		int i;

		__entry->mm = mm;
		__entry->vm_start = vma->vm_start;
		__entry->vm_end = vma->vm_end;
		__entry->scan_offset = snap->scan_offset;
		__entry->reason = reason;
		__entry->pid = snap->pid;
		__entry->scan_seq = snap->scan_seq;
		__entry->start_scan_seq = snap->state->start_scan_seq;
		__entry->prev_scan_seq = snap->state->prev_scan_seq;
		__entry->nr_threads = snap->nr_threads;
		memcpy(__entry->windows, snap->state->pids_active, sizeof(__entry->windows));
		for (i = 0; i < NUMA_POLICY_WINDOWS; i++)
			__entry->weights[i] = hweight_long(snap->state->pids_active[i]);
		strscpy(__entry->policy, policy->name, sizeof(__entry->policy));
	),

	TP_printk("mm=%p vma=%lx-%lx policy=%s reason=%s pid=%u seq=%d start_seq=%d prev_seq=%d offset=%lx threads=%d windows=%s weights=%s",
		  __entry->mm, __entry->vm_start, __entry->vm_end, __entry->policy,
		  __print_symbolic(__entry->reason,
				   NUMA_POLICY_REASON_TEXTS(NUMA_POLICY_REASON_TEXT)
				   { NR_NUMA_POLICY_REASONS, "?" }),
		  __entry->pid, __entry->scan_seq, __entry->start_scan_seq,
		  __entry->prev_scan_seq, __entry->scan_offset, __entry->nr_threads,
		  __print_array(__entry->windows, NUMA_POLICY_WINDOWS, NUMA_POLICY_LONG),
		  __print_array(__entry->weights, NUMA_POLICY_WINDOWS, 1))
);

/*
 * A hinting fault that is about to be recorded in the VMA's current window. The windows that a
 * later numa_policy_decide shows are made of these, so that the two events together are enough to
 * work out what another policy, or another number of windows, would have decided.
 */
TRACE_EVENT(numa_policy_access,

	TP_PROTO(struct vm_area_struct *vma, unsigned int pid),

	TP_ARGS(vma, pid),

	TP_STRUCT__entry(
		__field(void *, mm)
		__field(unsigned long, vm_start)
		__field(unsigned long, vm_end)
		__field(unsigned int, pid)
		__field(unsigned int, bit)
		__field(bool, first)
	),

	TP_fast_assign(
		__entry->mm = vma->vm_mm;
		__entry->vm_start = vma->vm_start;
		__entry->vm_end = vma->vm_end;
		__entry->pid = pid;
		__entry->bit = numa_policy_pid_bit(pid);
		__entry->first = !test_bit(__entry->bit, &vma->numab_state->pids_active[0]);
	),

	TP_printk("mm=%p vma=%lx-%lx pid=%u bit=%u first=%d", __entry->mm, __entry->vm_start,
		  __entry->vm_end, __entry->pid, __entry->bit, __entry->first)
);

#endif /* _TRACE_NUMA_POLICY_H */

#include <trace/define_trace.h>
