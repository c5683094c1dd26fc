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

/* numa_policy_inlined, of which numa_policy_default is the form in a file of its own. */
#define NUMA_POLICY_INLINE
#include CONFIG_NUMA_POLICY_DEFAULT_FILE
#undef NUMA_POLICY_INLINE

#ifdef CONFIG_NUMA_POLICY_TRACE
DECLARE_TRACEPOINT(numa_policy_decide);
#endif

/*
 * A pass over the address space.
 *
 * @policy: decides for all of it, whatever is switched meanwhile
 * @counts: where its decisions are counted
 * @reason: of the newest decision to scan
 */
struct numa_policy_pass {
	const struct numa_policy_ops *policy;
#ifdef CONFIG_NUMA_POLICY_STATS
	struct numa_policy_counts __percpu *counts;
	unsigned int reason;
#endif
};

/* The current task begins a pass; its process may have a policy of its own. */
static __always_inline struct numa_policy_pass numa_policy_begin_pass(void)
{
	struct numa_policy_pass pass = {};

#ifdef NUMA_POLICY_ONLY_ONE
	pass.policy = &numa_policy_inlined;
#elif defined(CONFIG_NUMA_POLICY_SWITCH)
	pass.policy = READ_ONCE(current->signal->numa_scan_policy) ?:
		      READ_ONCE(numa_policy_in_force);
#else
	pass.policy = READ_ONCE(numa_policy_in_force);
#endif
#ifdef CONFIG_NUMA_POLICY_STATS
	pass.counts = &numa_policy_stats.policy[pass.policy->index];
#endif
	return pass;
}

#if defined(CONFIG_NUMA_POLICY_TRACE) || defined(CONFIG_NUMA_POLICY_STATS)
/* Does somebody want to know what decisions are based on? */
static __always_inline bool numa_policy_observed(void)
{
#ifdef CONFIG_NUMA_POLICY_TRACE
	if (tracepoint_enabled(numa_policy_decide))
		return true;
#endif
	return numa_policy_shadowed();
}
#endif

static __always_inline enum numa_policy_reason
numa_policy_decide(const struct numa_policy_pass *pass, struct mm_struct *mm,
		   struct vm_area_struct *vma)
{
#if defined(CONFIG_NUMA_POLICY_TRACE) || defined(CONFIG_NUMA_POLICY_STATS)
	if (numa_policy_observed())
		return numa_policy_decide_observed(pass->policy, mm, vma);
#endif
#ifdef NUMA_POLICY_ONLY_ONE
	return numa_policy_inlined_decide_vma(mm, vma);
#else
	/* Who never switches pays for this comparison and no call. */
	if (likely(pass->policy == numa_policy_default))
		return numa_policy_inlined_decide_vma(mm, vma);
#ifndef CONFIG_HAVE_STATIC_CALL
	/* A static call would follow a pointer. */
	return numa_policy_decide_named(pass->policy, mm, vma);
#elif defined(CONFIG_NUMA_POLICY_SWITCH)
	/* The load pairs with the release in numa_policy_switch(). */
	if (pass->policy != smp_load_acquire(&numa_policy_called))
		return numa_policy_decide_named(pass->policy, mm, vma);
#endif
	return static_call(numa_policy_decide_vma)(mm, vma);
#endif
}

/* Should the current task scan @vma now? The mmap lock is held for reading. */
static __always_inline bool numa_policy_should_scan(struct numa_policy_pass *pass,
						    struct mm_struct *mm,
						    struct vm_area_struct *vma)
{
	enum numa_policy_reason reason = numa_policy_decide(pass, mm, vma);

#ifdef CONFIG_NUMA_POLICY_STATS
	this_cpu_inc(pass->counts->decisions[reason]);
#endif

	if (likely(reason == NUMA_POLICY_SKIP))
		return false;

#ifdef CONFIG_NUMA_POLICY_STATS
	pass->reason = reason;
#endif
	/* The scheduler's own event for this case. */
	if (reason == NUMA_POLICY_PARTIAL)
		trace_sched_skip_vma_numa(mm, vma, NUMAB_SKIP_IGNORE_PID);
	return true;
}

/* Part of a VMA was scanned, which made so many @pages trap; @forced: without asking. */
static __always_inline void numa_policy_scanned(struct numa_policy_pass *pass, unsigned long pages,
						bool forced)
{
#ifdef CONFIG_NUMA_POLICY_STATS
	if (forced && pass->reason != NUMA_POLICY_FORCED) {
		pass->reason = NUMA_POLICY_FORCED;
		this_cpu_inc(pass->counts->decisions[NUMA_POLICY_FORCED]);
	}
	this_cpu_add(pass->counts->pages[pass->reason], pages);
#endif
}

/* May a pass that the policy refused a VMA go round again and scan one regardless? */
static __always_inline bool numa_policy_may_force(const struct numa_policy_pass *pass)
{
	return !pass->policy->no_forced_pass;
}

#endif /* _NUMA_POLICY_FAIR_H */
