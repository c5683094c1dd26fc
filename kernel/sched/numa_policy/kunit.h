/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the KUnit suite tests, wherever it is.
 */
#ifndef _NUMA_POLICY_KUNIT_H
#define _NUMA_POLICY_KUNIT_H

#include "policies.h"

/** numa_policies_tested - the policies, in the order of their table; NULL: not built */
extern const struct numa_policy_ops * const numa_policies_tested[NR_NUMA_POLICIES];

#endif /* _NUMA_POLICY_KUNIT_H */
