/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The table of scan policies.
 *
 * One line each: the Kconfig symbol without CONFIG_NUMA_POLICY_, the name (which is also that of
 * the source file), and what the policy is in a few words (for tools; the kernel drops it).
 * References first, then by age: where several are built and none is chosen, the order is that
 * of listings only.
 */
#ifndef _NUMA_POLICY_POLICIES_H
#define _NUMA_POLICY_POLICIES_H

#include <linux/numa_policy.h>

#define NUMA_POLICIES(X)									\
	X(ALWAYS, always, "scan everything: the upper bound on cost and on coverage")		\
	X(MM_SEQ, mm_seq, "v6.4 to v6.6: the process's first two sequences, own accesses")	\
	X(VMA_SEQ, vma_seq, "6.6-stable: the VMA's first two sequences, own accesses")		\
	X(PIDS_ACTIVE, pids_active, "v6.7 to v6.11: also finishes what a pass began")		\
	X(PID_HISTORY, pid_history, "pids_active with a longer history of accesses")		\
	X(SEQ_DELTA, seq_delta, "v6.12 on: pids_active, and VMAs not scanned for a while")	\
	X(HOT_SHARED, hot_shared, "pid_history, and VMAs that others use now or share")

#define NUMA_POLICY_INDEX(_sym, _name, _text) NUMA_POLICY_INDEX_##_name,
enum { NUMA_POLICIES(NUMA_POLICY_INDEX) NR_NUMA_POLICIES };
#undef NUMA_POLICY_INDEX

#define NUMA_POLICY_DECLARE(_sym, _name, _text)							\
	enum numa_policy_reason									\
	numa_policy_##_name##_decide(const struct numa_policy_snapshot *snap);			\
	enum numa_policy_reason									\
	numa_policy_##_name##_decide_vma(const struct mm_struct *mm,				\
					 const struct vm_area_struct *vma);			\
	extern const struct numa_policy_ops numa_policy_##_name;
NUMA_POLICIES(NUMA_POLICY_DECLARE)
#undef NUMA_POLICY_DECLARE

/* For #if: how many policies this kernel has. */
#define NUMA_POLICY_COUNT(_sym, _name, _text) + IS_ENABLED(CONFIG_NUMA_POLICY_##_sym)
#define NR_NUMA_POLICIES_BUILT (0 NUMA_POLICIES(NUMA_POLICY_COUNT))

#endif /* _NUMA_POLICY_POLICIES_H */
