// SPDX-License-Identifier: GPL-2.0
/*
 * pids_active: the check of v6.7 to v6.11.
 *
 * A VMA is scanned in its first two sequences, then by the tasks that faulted in it during this
 * window or the one before; a scan that stopped inside a VMA is finished by any task. Cheap, but
 * a process of few threads that returns to a VMA after both windows emptied finds nobody to scan
 * it, and its pages stay where they are.
 */
#include "rules.h"

static __always_inline enum numa_policy_reason
pids_active_decide(const struct numa_policy_snapshot *snap)
{
	return numa_rule_initial(snap) ?: numa_rule_pid(snap, 2) ?:
	       numa_rule_partial(snap);
}

DEFINE_NUMA_POLICY(pids_active,
		   .windows = 2);
