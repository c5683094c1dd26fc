// SPDX-License-Identifier: GPL-2.0
/*
 * vma_seq: mm_seq after the fix of the start sequence, as in 6.6-stable.
 *
 * Every VMA has its own two unconditional sequences, counted from when a pass first met it.
 */
#include "rules.h"

static __always_inline enum numa_policy_reason
vma_seq_decide(const struct numa_policy_snapshot *snap)
{
	return numa_rule_initial(snap) ?: numa_rule_pid(snap, 2);
}

DEFINE_NUMA_POLICY(vma_seq,
		   .windows = 2,
		   .no_forced_pass = true);
