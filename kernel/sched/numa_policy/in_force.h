/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which policy decides, and how it is asked: what the scan loop and the library's own parts share.
 */
#ifndef _NUMA_POLICY_IN_FORCE_H
#define _NUMA_POLICY_IN_FORCE_H

#include <linux/static_call.h>

#include "policies.h"

/* With one policy there is nothing to choose: it is compiled into the scan loop. */
#if NR_NUMA_POLICIES_BUILT == 1
#ifndef CONFIG_NUMA_POLICY_SWITCH
#define NUMA_POLICY_ONLY_ONE
#endif
#endif

/* One of two texts, by whether the option is set: IS_ENABLED() for the preprocessor. */
#define NUMA_POLICY_IF(_option, _then, _else) __NUMA_POLICY_IF(_option, _then, _else)
#define __NUMA_POLICY_IF(_value, _then, _else) \
	___NUMA_POLICY_IF(__ARG_PLACEHOLDER_##_value, _then, _else)
#define ___NUMA_POLICY_IF(_arg_or_junk, _then, _else) __take_second_arg(_arg_or_junk _then, _else)

/*
 * The policy of the system. Set by Kconfig, then by the boot parameter numa_scan_policy= before
 * there is anything to scan, and where it can be switched at any time after; never NULL.
 */
extern const struct numa_policy_ops *numa_policy_in_force;

/* The names of the policies that are built, each with a blank behind it. */
extern const char numa_policy_names[];

const struct numa_policy_ops *numa_policy_find(const char *name);

#ifndef NUMA_POLICY_ONLY_ONE
enum numa_policy_reason numa_policy_no_decision(const struct mm_struct *mm,
						const struct vm_area_struct *vma);
DECLARE_STATIC_CALL(numa_policy_decide_vma, numa_policy_no_decision);

enum numa_policy_reason numa_policy_decide_named(const struct numa_policy_ops *policy,
						 const struct mm_struct *mm,
						 const struct vm_area_struct *vma);
#endif

#if defined(CONFIG_NUMA_POLICY_TRACE) || defined(CONFIG_NUMA_POLICY_STATS)
enum numa_policy_reason numa_policy_decide_observed(const struct numa_policy_ops *policy,
						    struct mm_struct *mm,
						    struct vm_area_struct *vma);
#endif

#ifdef CONFIG_NUMA_POLICY_SWITCH
/*
 * The policy behind the static call; NULL while that is being changed. A pass whose policy is
 * another one asks it by name.
 */
extern const struct numa_policy_ops *numa_policy_called;

void numa_policy_switch(const struct numa_policy_ops *policy);
#endif

#ifdef CONFIG_NUMA_POLICY_STATS
#include <linux/jump_label.h>
#include <linux/percpu.h>

/* Beside the policies' reasons: the VMAs that forced passes scanned without asking. */
#define NUMA_POLICY_FORCED NR_NUMA_POLICY_REASONS
#define NR_NUMA_POLICY_COUNTS (NR_NUMA_POLICY_REASONS + 1)

/**
 * struct numa_policy_counts - what a policy decided, on one CPU
 * @decisions: how often, by reason
 * @pages: PTEs that were made to trap for it, by reason
 */
struct numa_policy_counts {
	unsigned long decisions[NR_NUMA_POLICY_COUNTS];
	unsigned long pages[NR_NUMA_POLICY_COUNTS];
};

/* One per policy; they count up, and wrap. */
struct numa_policy_stats {
	struct numa_policy_counts policy[NR_NUMA_POLICIES];
};

DECLARE_PER_CPU(struct numa_policy_stats, numa_policy_stats);
DECLARE_STATIC_KEY_FALSE(numa_policy_shadow_key);

enum numa_policy_reason numa_policy_shadow(const struct numa_policy_ops *policy,
					   const struct numa_policy_snapshot *snap);

static inline bool numa_policy_shadowed(void)
{
	return static_branch_unlikely(&numa_policy_shadow_key);
}
#else
static inline bool numa_policy_shadowed(void)
{
	return false;
}
#endif

#endif /* _NUMA_POLICY_IN_FORCE_H */
