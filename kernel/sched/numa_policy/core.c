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

#define NUMA_POLICY_DEFAULT(_sym, _name, _text) \
	IS_ENABLED(CONFIG_NUMA_POLICY_DEFAULT_##_sym) ? &numa_policy_##_name :

const struct numa_policy_ops *numa_policy_in_force __ro_after_init =
	NUMA_POLICIES(NUMA_POLICY_DEFAULT) NULL;

#define NUMA_POLICY_NAME_FITS(_sym, _name, _text) static_assert(sizeof(#_name) <= NUMA_POLICY_NAME_MAX);

NUMA_POLICIES(NUMA_POLICY_NAME_FITS)

static const struct numa_policy_ops * __init numa_policy_find(const char *name)
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
	char names[NUMA_POLICY_NAME_MAX * ARRAY_SIZE(numa_policies)];
	int i, len = 0;

	if (policy) {
		numa_policy_in_force = policy;
		return 0;
	}

	for (i = 0; i < ARRAY_SIZE(numa_policies); i++)
		if (numa_policies[i])
			len += scnprintf(names + len, sizeof(names) - len, " %s",
					 numa_policies[i]->name);
	pr_warn("numa_scan_policy=%s: no such scan policy, keeping %s; there are:%s\n",
		val, numa_policy_in_force->name, names);
	return 0;
}

static int numa_policy_param_get(char *buffer, const struct kernel_param *kp)
{
	return sysfs_emit(buffer, "%s\n", numa_policy_in_force->name);
}

static const struct kernel_param_ops param_ops_numa_policy __refconst = {
	.set = numa_policy_param_set,
	.get = numa_policy_param_get,
};

#define param_check_numa_policy(name, p) __param_check(name, p, const struct numa_policy_ops *)
core_param(numa_scan_policy, numa_policy_in_force, numa_policy, 0444);

static int __init numa_policy_announce(void)
{
	pr_info("scan policy %s\n", numa_policy_in_force->name);
	return 0;
}
core_initcall(numa_policy_announce);
