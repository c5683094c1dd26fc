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

#include "policies.h"

/**
 * DEFINE_NUMA_POLICY() - make a policy of a decision function
 * @_name: the policy's name; its decision is NAME_decide()
 * @...: further members of struct numa_policy_ops, as designated initialisers
 *
 * Where it is the only policy built, the scan loop includes the policy's source with
 * NUMA_POLICY_INLINE defined and calls the decision directly.
 */
#ifdef NUMA_POLICY_INLINE
#define DEFINE_NUMA_POLICY(_name, ...)				\
static const struct numa_policy_ops numa_policy_inlined = {	\
	.decide = _name##_decide,				\
	.name = #_name,						\
	__VA_ARGS__						\
}
#else
#define DEFINE_NUMA_POLICY(_name, ...)				\
const struct numa_policy_ops numa_policy_##_name = {		\
	.decide = _name##_decide,				\
	.name = #_name,						\
	__VA_ARGS__						\
}
#endif

/* Sequences that passed from @then to @now: right as long as fewer than 2^31 did. */
static inline int numa_seq_delta(int now, int then)
{
	return (int)((unsigned int)now - (unsigned int)then);
}

/* All PIDs in the newest @windows windows. */
static inline unsigned long numa_pids(const struct numa_policy_snapshot *snap,
				      unsigned int windows)
{
	unsigned long pids = READ_ONCE(snap->state->pids_active[0]);
	unsigned int i;

	for (i = 1; i < windows; i++)
		pids |= READ_ONCE(snap->state->pids_active[i]);
	return pids;
}

/*
 * The VMA is new: scan it in its first two sequences whoever accesses it, or nothing would ever
 * trap there and show who does.
 */
static inline enum numa_policy_reason numa_rule_initial(const struct numa_policy_snapshot *snap)
{
	if (numa_seq_delta(snap->scan_seq, snap->state->start_scan_seq) < 2)
		return NUMA_POLICY_INITIAL;
	return NUMA_POLICY_SKIP;
}

/* The same, counted from the start of the process: a VMA that comes later has no such grace. */
static inline enum numa_policy_reason numa_rule_initial_mm(const struct numa_policy_snapshot *snap)
{
	if (snap->scan_seq < 2)
		return NUMA_POLICY_INITIAL_MM;
	return NUMA_POLICY_SKIP;
}

/* The task that would scan accessed the VMA in one of the newest @windows windows. */
static inline enum numa_policy_reason numa_rule_pid(const struct numa_policy_snapshot *snap,
						    unsigned int windows)
{
	if (numa_pids(snap, windows) >> numa_policy_pid_bit(snap->pid) & 1)
		return NUMA_POLICY_PID;
	return NUMA_POLICY_SKIP;
}

/*
 * An earlier pass stopped inside the VMA: finish it, whoever accesses it, or the rest of a large
 * VMA might wait for ever for a task that does.
 */
static inline enum numa_policy_reason numa_rule_partial(const struct numa_policy_snapshot *snap)
{
	if (snap->scan_offset > snap->vma_start)
		return NUMA_POLICY_PARTIAL;
	return NUMA_POLICY_SKIP;
}

/*
 * More sequences than the process has threads went by without a scan of the VMA: had each thread
 * had one turn, one of them would have scanned it by now.
 */
static inline enum numa_policy_reason numa_rule_seq_delta(const struct numa_policy_snapshot *snap)
{
	if (numa_seq_delta(snap->scan_seq, snap->state->prev_scan_seq) > snap->nr_threads)
		return NUMA_POLICY_SEQ_DELTA;
	return NUMA_POLICY_SKIP;
}

/* Some task, whichever, accessed the VMA in the current window. */
static inline enum numa_policy_reason numa_rule_hot(const struct numa_policy_snapshot *snap)
{
	if (numa_pids(snap, 1))
		return NUMA_POLICY_HOT;
	return NUMA_POLICY_SKIP;
}

/* At least @threshold tasks (those that collide count once) accessed it in all of the windows. */
static inline enum numa_policy_reason numa_rule_shared(const struct numa_policy_snapshot *snap,
						       unsigned int threshold)
{
	if (hweight_long(numa_pids(snap, NUMA_POLICY_WINDOWS)) >= threshold)
		return NUMA_POLICY_SHARED;
	return NUMA_POLICY_SKIP;
}

#endif /* _NUMA_POLICY_RULES_H */
