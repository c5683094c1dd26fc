// SPDX-License-Identifier: GPL-2.0
/*
 * What every policy would have said, at the very same moment.
 *
 * All decisions are compiled as one function, so that what several of them look at is looked at
 * once: together they take less than one by one.
 */
#include <linux/percpu.h>
#include <linux/preempt.h>

#include "in_force.h"
#include "stats.h"

/* Of the policies that are built, the decision only. */
#define NUMA_POLICY_DECISION_ONLY
#ifdef CONFIG_NUMA_POLICY_ALWAYS
#include "always.c"
#endif
#ifdef CONFIG_NUMA_POLICY_MM_SEQ
#include "mm_seq.c"
#endif
#ifdef CONFIG_NUMA_POLICY_VMA_SEQ
#include "vma_seq.c"
#endif
#ifdef CONFIG_NUMA_POLICY_PIDS_ACTIVE
#include "pids_active.c"
#endif
#ifdef CONFIG_NUMA_POLICY_PID_HISTORY
#include "pid_history.c"
#endif
#ifdef CONFIG_NUMA_POLICY_SEQ_DELTA
#include "seq_delta.c"
#endif
#ifdef CONFIG_NUMA_POLICY_HOT_SHARED
#include "hot_shared.c"
#endif

#define NUMA_POLICY_ASK(_sym, _name, _text)						\
	said[NUMA_POLICY_INDEX_##_name] =						\
		NUMA_POLICY_IF(CONFIG_NUMA_POLICY_##_sym, _name##_decide(snap), NUMA_POLICY_SKIP);

/* One of the two is NUMA_POLICY_SKIP, which is 0. A policy does not differ from itself. */
#define NUMA_POLICY_COUNT_DIFFERENCE(_sym, _name, _text)				\
	if (IS_ENABLED(CONFIG_NUMA_POLICY_##_sym) &&					\
	    !reason != !said[NUMA_POLICY_INDEX_##_name])				\
		this_cpu_inc(row->differs[NUMA_POLICY_INDEX_##_name]			\
				[reason | said[NUMA_POLICY_INDEX_##_name]]);

/**
 * numa_policy_shadow() - ask all policies, and count who would have said the opposite
 * @policy: the policy that decides
 * @snap: what it decides on; nothing changes it
 *
 * Return: what @policy says, as &struct numa_policy_ops.decide.
 */
enum numa_policy_reason numa_policy_shadow(const struct numa_policy_ops *policy,
					   const struct numa_policy_snapshot *snap)
{
	struct numa_policy_shadow_counts __percpu *counts;
	struct numa_policy_shadow_row __percpu *row;
	unsigned char said[NR_NUMA_POLICIES];
	enum numa_policy_reason reason;

	NUMA_POLICIES(NUMA_POLICY_ASK)
	reason = said[policy->index];

	/* Pairs with the release in numa_policy_set_shadow(): the counters begin at 0. */
	counts = smp_load_acquire(&numa_policy_shadow_counts);
	/* Where jump labels are no barrier, the key can be seen before the counters. */
	if (unlikely(!counts))
		return reason;
	row = &counts->row[policy->index][reason != NUMA_POLICY_SKIP];
	/* All of a decision on one CPU, for who adds them up. */
	preempt_disable();
	this_cpu_inc(row->asked);
	NUMA_POLICIES(NUMA_POLICY_COUNT_DIFFERENCE)
	preempt_enable();
	return reason;
}
