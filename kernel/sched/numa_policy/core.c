// SPDX-License-Identifier: GPL-2.0
/*
 * The choice of the NUMA balancing scan policy.
 */
#define pr_fmt(fmt) "numa_policy: " fmt

#include <linux/build_bug.h>
#include <linux/cache.h>
#include <linux/errno.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/moduleparam.h>
#include <linux/printk.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include "in_force.h"
#include "look.h"

/* Not all compilers, and kernels only since v6.12. */
#ifndef __uninitialized
#define __uninitialized
#endif

#ifdef CONFIG_NUMA_POLICY_TRACE
#define CREATE_TRACE_POINTS
#include <trace/events/numa_policy.h>
#endif

/* The policies that are built; the others leave holes, so that the order stays the table's. */
#define NUMA_POLICY_BUILT(_sym, _name, _text) \
	IS_ENABLED(CONFIG_NUMA_POLICY_##_sym) ? &numa_policy_##_name : NULL,

static const struct numa_policy_ops * const numa_policies[] = {
	NUMA_POLICIES(NUMA_POLICY_BUILT)
};

#define NUMA_POLICY_BUILT_NAME(_sym, _name, _text) \
	NUMA_POLICY_IF(CONFIG_NUMA_POLICY_##_sym, #_name " ", "")

const char numa_policy_names[] = NUMA_POLICIES(NUMA_POLICY_BUILT_NAME);

#define NUMA_POLICY_DEFAULT(_sym, _name, _text) \
	IS_ENABLED(CONFIG_NUMA_POLICY_DEFAULT_##_sym) ? &numa_policy_##_name :

#ifdef CONFIG_NUMA_POLICY_SWITCH
#define __numa_policy_chosen __read_mostly
#else
#define __numa_policy_chosen __ro_after_init
#endif

const struct numa_policy_ops *numa_policy_in_force __numa_policy_chosen =
	NUMA_POLICIES(NUMA_POLICY_DEFAULT) NULL;

#define NUMA_POLICY_NAME_FITS(_sym, _name, _text)				\
	static_assert(sizeof(#_name) <= NUMA_POLICY_NAME_MAX &&			\
		      __builtin_strcmp(#_name, NUMA_POLICY_NAME_DEFAULT));

/* To sparse, comparing strings is no constant. */
#ifndef __CHECKER__
NUMA_POLICIES(NUMA_POLICY_NAME_FITS)
#endif

/**
 * numa_policy_find() - look a policy up
 * @name: its name
 *
 * Return: the policy, or NULL if none of that name is built.
 */
const struct numa_policy_ops *numa_policy_find(const char *name)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(numa_policies); i++)
		if (numa_policies[i] && !strcmp(numa_policies[i]->name, name))
			return numa_policies[i];
	return NULL;
}

/* Runs before the first task that could be scanned, and never again: the file is read-only. */
static int __init numa_policy_param_set(const char *val, const struct kernel_param *kp)
{
	const struct numa_policy_ops *policy = numa_policy_find(val);

	if (policy) {
		numa_policy_in_force = policy;
		return 0;
	}

	pr_warn("numa_scan_policy=%s: no such scan policy, keeping %s; there are: %.*s\n",
		val, numa_policy_in_force->name, (int)strlen(numa_policy_names) - 1,
		numa_policy_names);
	return 0;
}

static int numa_policy_param_get(char *buffer, const struct kernel_param *kp)
{
	return sysfs_emit(buffer, "%s\n", READ_ONCE(numa_policy_in_force)->name);
}

static const struct kernel_param_ops param_ops_numa_policy __refconst = {
	.set = numa_policy_param_set,
	.get = numa_policy_param_get,
};

#define param_check_numa_policy(name, p) __param_check(name, p, const struct numa_policy_ops *)
core_param(numa_scan_policy, numa_policy_in_force, numa_policy, 0444);

#ifndef NUMA_POLICY_ONLY_ONE
/* Nothing is scanned before the initcall below has set it. */
DEFINE_STATIC_CALL_RET0(numa_policy_decide_vma, numa_policy_no_decision);
#ifdef CONFIG_NUMA_POLICY_SWITCH
const struct numa_policy_ops *numa_policy_called __read_mostly;
#endif

#define NUMA_POLICY_DECIDE_NAMED(_sym, _name, _text)				\
	if (IS_ENABLED(CONFIG_NUMA_POLICY_##_sym) &&				\
	    policy->index == NUMA_POLICY_INDEX_##_name)				\
		reason = numa_policy_##_name##_decide_vma(mm, vma);

/**
 * numa_policy_decide_named() - ask a policy that is not the one behind the static call
 * @policy: the policy
 * @mm: the current task's mm; the mmap lock is held for reading
 * @vma: one of its VMAs, which has a state
 *
 * No pointer is followed here either, so that a process with a policy of its own costs no indirect
 * branch.
 *
 * Return: as &struct numa_policy_ops.decide_vma.
 */
enum numa_policy_reason numa_policy_decide_named(const struct numa_policy_ops *policy,
						 const struct mm_struct *mm,
						 const struct vm_area_struct *vma)
{
	enum numa_policy_reason reason = NUMA_POLICY_SKIP;

	NUMA_POLICIES(NUMA_POLICY_DECIDE_NAMED)
	return reason;
}
#endif

#if defined(CONFIG_NUMA_POLICY_TRACE) || defined(CONFIG_NUMA_POLICY_STATS)
#define NUMA_POLICY_DECIDE_SNAP(_sym, _name, _text)				\
	if (IS_ENABLED(CONFIG_NUMA_POLICY_##_sym) &&				\
	    policy->index == NUMA_POLICY_INDEX_##_name)				\
		reason = numa_policy_##_name##_decide(snap);

static enum numa_policy_reason decide_snap(const struct numa_policy_ops *policy,
					   const struct numa_policy_snapshot *snap)
{
	enum numa_policy_reason reason = NUMA_POLICY_SKIP;

	NUMA_POLICIES(NUMA_POLICY_DECIDE_SNAP)
	return reason;
}

/**
 * numa_policy_decide_observed() - ask a policy while somebody looks on
 * @policy: the policy
 * @mm: the current task's mm; the mmap lock is held for reading
 * @vma: one of its VMAs, which has a state
 *
 * Hinting faults go on setting bits, so all that look on, and the decision itself, get the same
 * copy of the state.
 *
 * Return: as &struct numa_policy_ops.decide_vma.
 */
enum numa_policy_reason numa_policy_decide_observed(const struct numa_policy_ops *policy,
						    struct mm_struct *mm,
						    struct vm_area_struct *vma)
{
	struct numa_policy_snapshot snap __uninitialized;
	struct vma_numab_state state __uninitialized;
	enum numa_policy_reason reason;

	/* Hinting faults set bits and other passes write; an old value is as good as a new one. */
	numa_policy_look(&snap, mm, vma);
	state = data_race(*snap.state);
	snap.state = &state;
#ifdef CONFIG_NUMA_POLICY_STATS
	if (numa_policy_shadowed())
		reason = numa_policy_shadow(policy, &snap);
	else
#endif
		reason = decide_snap(policy, &snap);
#ifdef CONFIG_NUMA_POLICY_TRACE
	trace_numa_policy_decide(mm, vma, policy, &snap, reason);
#endif
	return reason;
}
#endif

#ifdef CONFIG_NUMA_POLICY_TRACE
/**
 * __numa_policy_trace_access() - emit the trace event of a recorded access
 * @vma: the VMA, which has a state
 * @pid: the faulting task's PID
 *
 * Called before the access is recorded, so that the event can tell whether it is the task's first
 * in this window.
 *
 * Context: the page-fault path; the VMA is locked or the mmap lock held for reading.
 */
void __numa_policy_trace_access(struct vm_area_struct *vma, unsigned int pid)
{
	trace_numa_policy_access(vma, pid);
}
#endif

static int __init numa_policy_start(void)
{
#ifndef NUMA_POLICY_ONLY_ONE
	static_call_update(numa_policy_decide_vma, numa_policy_in_force->decide_vma);
#endif
#ifdef CONFIG_NUMA_POLICY_SWITCH
	numa_policy_called = numa_policy_in_force;
#endif
	pr_info("scan policy %s\n", numa_policy_in_force->name);
	return 0;
}
core_initcall(numa_policy_start);
