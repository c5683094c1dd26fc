// SPDX-License-Identifier: GPL-2.0
/*
 * pid_history: pids_active that remembers for longer.
 *
 * All NUMA_POLICY_WINDOWS windows count instead of two, so that a task that comes back within
 * that time still scans the VMAs it left.
 */
#include "rules.h"

static __always_inline enum numa_policy_reason
pid_history_decide(const struct numa_policy_snapshot *snap)
{
	return numa_rule_initial(snap) ?: numa_rule_pid(snap, NUMA_POLICY_WINDOWS) ?:
	       numa_rule_partial(snap);
}

DEFINE_NUMA_POLICY(pid_history,
		   .windows = NUMA_POLICY_WINDOWS);
