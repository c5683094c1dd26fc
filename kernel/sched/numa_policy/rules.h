/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The rules that scan policies are composed of.
 *
 * A rule looks at the snapshot and returns its reason if it says yes, NUMA_POLICY_SKIP (0) if it
 * does not. A policy is therefore a chain of rules joined by "?:": the first that says yes
 * decides, and its name is the decision's reason.
 */
#ifndef _NUMA_POLICY_RULES_H
#define _NUMA_POLICY_RULES_H

#include <linux/numa_policy.h>

#include "look.h"
#include "policies.h"

#ifdef CONFIG_NUMA_BALANCING
/* Inlined, the snapshot is never made: each rule reads what it needs, when it is asked. */
#define NUMA_POLICY_DECIDE_VMA(_scope, _function, _decide)				\
_scope enum numa_policy_reason _function(const struct mm_struct *mm,			\
					 const struct vm_area_struct *vma)		\
{											\
	struct numa_policy_snapshot snap;						\
											\
	numa_policy_look(&snap, mm, vma);						\
	return _decide(&snap);								\
}

#define NUMA_POLICY_SET_DECIDE_VMA(_function) .decide_vma = _function,
#else
#define NUMA_POLICY_DECIDE_VMA(_scope, _function, _decide)
#define NUMA_POLICY_SET_DECIDE_VMA(_function)
#endif

/* Decisions on snapshots are asked for by tests and by those that look on, and built with them. */
#if !defined(CONFIG_NUMA_BALANCING) || defined(CONFIG_NUMA_POLICY_TRACE) ||		\
	defined(CONFIG_NUMA_POLICY_STATS) || defined(CONFIG_NUMA_POLICY_KUNIT_TEST) ||	\
	defined(CONFIG_NUMA_POLICY_KUNIT_TEST_MODULE)
#define NUMA_POLICY_DECIDE(_scope, _function, _decide)					\
_scope enum numa_policy_reason _function(const struct numa_policy_snapshot *snap)	\
{											\
	return _decide(snap);								\
}

#define NUMA_POLICY_SET_DECIDE(_function) .decide = _function,
#else
#define NUMA_POLICY_DECIDE(_scope, _function, _decide)
#define NUMA_POLICY_SET_DECIDE(_function)
#endif

#ifdef NUMA_POLICY_INLINE
#define NUMA_POLICY_SCOPE static __always_inline
#define NUMA_POLICY_OPS_SCOPE static __maybe_unused
#define NUMA_POLICY_NAME(_name) numa_policy_inlined
#define NUMA_POLICY_DEFAULT_IS(_name) \
	static const struct numa_policy_ops * const __maybe_unused numa_policy_default =	\
		&numa_policy_##_name;
#else
#define NUMA_POLICY_SCOPE
#define NUMA_POLICY_OPS_SCOPE
#define NUMA_POLICY_NAME(_name) numa_policy_##_name
#define NUMA_POLICY_DEFAULT_IS(_name)
#endif

/**
 * DEFINE_NUMA_POLICY() - make a policy of a decision function
 * @_name: the policy's name; its decision is NAME_decide(), static __always_inline
 * @...: further members of struct numa_policy_ops, as designated initialisers
 *
 * The scan loop includes the source of the policy that Kconfig has made the default with
 * NUMA_POLICY_INLINE defined, and makes its decision itself. With NUMA_POLICY_DECISION_ONLY,
 * nothing is made but the decision function.
 */
#define DEFINE_NUMA_POLICY(_name, ...)							\
	__DEFINE_NUMA_POLICY(_name, NUMA_POLICY_NAME(_name), __VA_ARGS__)
#define __DEFINE_NUMA_POLICY(_name, _ops, ...)						\
	___DEFINE_NUMA_POLICY(_name, _ops, __VA_ARGS__)
#ifndef NUMA_POLICY_DECISION_ONLY
#define ___DEFINE_NUMA_POLICY(_name, _ops, ...)						\
NUMA_POLICY_DEFAULT_IS(_name)								\
											\
NUMA_POLICY_DECIDE(NUMA_POLICY_SCOPE, _ops##_decide, _name##_decide)			\
											\
NUMA_POLICY_DECIDE_VMA(NUMA_POLICY_SCOPE, _ops##_decide_vma, _name##_decide)		\
											\
NUMA_POLICY_OPS_SCOPE const struct numa_policy_ops _ops = {					\
	NUMA_POLICY_SET_DECIDE(_ops##_decide)						\
	NUMA_POLICY_SET_DECIDE_VMA(_ops##_decide_vma)					\
	.name = #_name,									\
	.index = NUMA_POLICY_INDEX_##_name,						\
	__VA_ARGS__									\
}
#else
#define ___DEFINE_NUMA_POLICY(_name, _ops, ...)						\
	extern const struct numa_policy_ops numa_policy_##_name
#endif

/*
 * Each rule expects to say no: a pass over many VMAs consists of refusals, and the straight line is
 * theirs. Expected less firmly than by unlikely(): GCC moves reading what only a later rule needs
 * behind an earlier one only where that is passed over often enough (its limit is 75 %).
 */
#ifdef __CHECKER__ /* sparse knows the weaker one only */
#define numa_seldom(_condition) unlikely(_condition)
#elif CONFIG_GCC_VERSION >= 90000 || defined(CONFIG_CC_IS_CLANG)
#define numa_seldom(_condition) __builtin_expect_with_probability(!!(_condition), 0, 0.7)
#else
#define numa_seldom(_condition) unlikely(_condition)
#endif

/* Sequences that passed from @then to @now: right as long as fewer than 2^31 did. */
static inline int numa_seq_delta(int now, int then)
{
	return (int)((unsigned int)now - (unsigned int)then);
}

/* All PIDs in the newest @windows windows; those that fault just now may be in it or not. */
static inline unsigned long numa_pids(const struct numa_policy_snapshot *snap,
				      unsigned int windows)
{
	unsigned long pids = data_race(snap->state->pids_active[0]);
	unsigned int i;

	for (i = 1; i < windows; i++)
		pids |= data_race(snap->state->pids_active[i]);
	return pids;
}

/*
 * The VMA is new: scan it in its first two sequences whoever accesses it, or nothing would ever
 * trap there and show who does.
 */
static inline enum numa_policy_reason numa_rule_initial(const struct numa_policy_snapshot *snap)
{
	if (numa_seldom(numa_seq_delta(snap->scan_seq, data_race(snap->state->start_scan_seq)) < 2))
		return NUMA_POLICY_INITIAL;
	return NUMA_POLICY_SKIP;
}

/* The same, counted from the start of the process: a VMA that comes later has no such grace. */
static inline enum numa_policy_reason numa_rule_initial_mm(const struct numa_policy_snapshot *snap)
{
	if (numa_seldom(snap->scan_seq < 2))
		return NUMA_POLICY_INITIAL_MM;
	return NUMA_POLICY_SKIP;
}

/* The task that would scan accessed the VMA in one of the newest @windows windows. */
static inline enum numa_policy_reason numa_rule_pid(const struct numa_policy_snapshot *snap,
						    unsigned int windows)
{
	if (numa_seldom(numa_pids(snap, windows) >> numa_policy_pid_bit(snap->pid) & 1))
		return NUMA_POLICY_PID;
	return NUMA_POLICY_SKIP;
}

/*
 * An earlier pass stopped inside the VMA: finish it, whoever accesses it, or the rest of a large
 * VMA might wait for ever for a task that does.
 */
static inline enum numa_policy_reason numa_rule_partial(const struct numa_policy_snapshot *snap)
{
	if (numa_seldom(snap->scan_offset > snap->vma_start))
		return NUMA_POLICY_PARTIAL;
	return NUMA_POLICY_SKIP;
}

/*
 * More sequences than the process has threads went by without a scan of the VMA: had each thread
 * had one turn, one of them would have scanned it by now.
 */
static inline enum numa_policy_reason numa_rule_seq_delta(const struct numa_policy_snapshot *snap)
{
	int delta = numa_seq_delta(snap->scan_seq, data_race(snap->state->prev_scan_seq));

	if (numa_seldom(delta > snap->nr_threads))
		return NUMA_POLICY_SEQ_DELTA;
	return NUMA_POLICY_SKIP;
}

/* Some task, whichever, accessed the VMA in the current window. */
static inline enum numa_policy_reason numa_rule_hot(const struct numa_policy_snapshot *snap)
{
	if (numa_seldom(numa_pids(snap, 1)))
		return NUMA_POLICY_HOT;
	return NUMA_POLICY_SKIP;
}

/* At least @threshold tasks (those that collide count once) accessed it in all of the windows. */
static inline enum numa_policy_reason numa_rule_shared(const struct numa_policy_snapshot *snap,
						       unsigned int threshold)
{
	if (numa_seldom(hweight_long(numa_pids(snap, NUMA_POLICY_WINDOWS)) >= threshold))
		return NUMA_POLICY_SHARED;
	return NUMA_POLICY_SKIP;
}

#endif /* _NUMA_POLICY_RULES_H */
