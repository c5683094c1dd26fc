// SPDX-License-Identifier: GPL-2.0
/*
 * mm_seq: the first check of its kind, v6.4 to v6.6.
 *
 * A VMA is scanned by the tasks that access it, and by all of them while the process is in its
 * first two sequences. A VMA that is mapped later is not seen by any task until one has faulted
 * in it, and none can before it was scanned: kept for comparison with vma_seq, which mends that.
 */
#include "rules.h"

static __always_inline enum numa_policy_reason
mm_seq_decide(const struct numa_policy_snapshot *snap)
{
	return numa_rule_initial_mm(snap) ?: numa_rule_pid(snap, 2);
}

DEFINE_NUMA_POLICY(mm_seq,
		   .windows = 2,
		   .no_forced_pass = true);
