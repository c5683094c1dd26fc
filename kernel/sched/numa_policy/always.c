// SPDX-License-Identifier: GPL-2.0
/*
 * always: no VMA is ever refused.
 *
 * Nobody wants this on a machine. It shows what scanning costs when nothing is left out, and how
 * fast pages can come to where they are used: the bounds that every other policy lies between.
 */
#include "rules.h"

static __always_inline enum numa_policy_reason
always_decide(const struct numa_policy_snapshot *snap)
{
	return NUMA_POLICY_ALWAYS;
}

DEFINE_NUMA_POLICY(always,
		   .windows = 0);
