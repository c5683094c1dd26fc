// SPDX-License-Identifier: GPL-2.0
/*
 * hot_shared: pid_history, and VMAs that matter to others.
 *
 * A task also scans a VMA that anybody accessed in the current window, and one that several tasks
 * shared over the whole history, so that large VMAs worked on by many threads are covered by all
 * of them.
 */
#include "rules.h"

static __always_inline enum numa_policy_reason
hot_shared_decide(const struct numa_policy_snapshot *snap)
{
	return numa_rule_initial(snap) ?: numa_rule_pid(snap, NUMA_POLICY_WINDOWS) ?:
	       numa_rule_hot(snap) ?:
	       numa_rule_shared(snap, CONFIG_NUMA_POLICY_SHARED_THRESHOLD) ?:
	       numa_rule_partial(snap);
}

DEFINE_NUMA_POLICY(hot_shared,
		   .windows = NUMA_POLICY_WINDOWS);
