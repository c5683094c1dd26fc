// SPDX-License-Identifier: GPL-2.0
/*
 * The policies that are built, for their KUnit suite, which may be a module; without it, no module
 * gets at them.
 */
#include <linux/export.h>
#include <linux/kconfig.h>

#include "kunit.h"

#define NUMA_POLICY_BUILT(_sym, _name, _text)							\
	IS_ENABLED(CONFIG_NUMA_POLICY_##_sym) ? &numa_policy_##_name : NULL,

const struct numa_policy_ops * const numa_policies_tested[NR_NUMA_POLICIES] = {
	NUMA_POLICIES(NUMA_POLICY_BUILT)
};

#ifdef CONFIG_NUMA_POLICY_KUNIT_TEST_MODULE
EXPORT_SYMBOL_GPL(numa_policies_tested);
#endif
