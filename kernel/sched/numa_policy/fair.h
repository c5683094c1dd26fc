/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The scan loop's side of the scan policies: included by kernel/sched/fair.c, where its check
 * used to be.
 */
#ifndef _NUMA_POLICY_FAIR_H
#define _NUMA_POLICY_FAIR_H

#include <linux/sched.h>
#include <linux/sched/signal.h>

#include "in_force.h"

#ifdef CONFIG_NUMA_POLICY_TRACE
#include <trace/events/numa_policy.h>
#else
static inline bool trace_numa_policy_decide_enabled(void)
{
	return false;
}

static inline void trace_numa_policy_decide(struct mm_struct *mm, struct vm_area_struct *vma,
					    const struct numa_policy_ops *policy,
					    const struct numa_policy_snapshot *snap,
					    enum numa_policy_reason reason)
{
}
#endif

/* With one policy there is nothing to look up: compile it into the loop. */
#if NR_NUMA_POLICIES_BUILT == 1
#define NUMA_POLICY_INLINE
#include CONFIG_NUMA_POLICY_DEFAULT_FILE
#undef NUMA_POLICY_INLINE

static __always_inline const struct numa_policy_ops *numa_policy_asked(void)
{
	return &numa_policy_inlined;
}
#else
static __always_inline const struct numa_policy_ops *numa_policy_asked(void)
{
	return numa_policy_in_force;
}
#endif

/* Should the current task scan @vma now? The mmap lock is held for reading. */
static __always_inline bool vma_is_accessed(struct mm_struct *mm, struct vm_area_struct *vma)
{
	struct numa_policy_snapshot snap = {
		.state = vma->numab_state,
		.scan_offset = mm->numa_scan_offset,
		.vma_start = vma->vm_start,
		.pid = current->pid,
		.scan_seq = READ_ONCE(mm->numa_scan_seq),
		.nr_threads = get_nr_threads(current),
	};
	const struct numa_policy_ops *policy = numa_policy_asked();
	enum numa_policy_reason reason;
	struct vma_numab_state copy;

	if (trace_numa_policy_decide_enabled()) {
		/* Faults go on setting bits: decide on what the event will show. */
		copy = data_race(*vma->numab_state);
		snap.state = &copy;
	}

	reason = policy->decide(&snap);
	trace_numa_policy_decide(mm, vma, policy, &snap, reason);

	/* The scheduler's own event for this case. */
	if (reason == NUMA_POLICY_PARTIAL)
		trace_sched_skip_vma_numa(mm, vma, NUMAB_SKIP_IGNORE_PID);

	return reason != NUMA_POLICY_SKIP;
}

/* May a pass that the policy refused a VMA go round again and scan one regardless? */
static __always_inline bool numa_policy_may_force(void)
{
	return !numa_policy_asked()->no_forced_pass;
}

#endif /* _NUMA_POLICY_FAIR_H */
