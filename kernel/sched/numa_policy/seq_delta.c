// SPDX-License-Identifier: GPL-2.0
/*
 * seq_delta: pids_active, and no VMA is left out for ever. Mainline since v6.12.
 *
 * A VMA that was not scanned for more sequences than the process has threads is scanned by
 * whoever comes by: in a process of few threads there is nobody else who would.
 */
#include "rules.h"

static __always_inline enum numa_policy_reason
seq_delta_decide(const struct numa_policy_snapshot *snap)
{
	return numa_rule_initial(snap) ?: numa_rule_pid(snap, 2) ?:
	       numa_rule_partial(snap) ?: numa_rule_seq_delta(snap);
}

DEFINE_NUMA_POLICY(seq_delta,
		   .windows = 2);
