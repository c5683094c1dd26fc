/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How the scan loop asks the policy in force.
 */
#ifndef _NUMA_POLICY_IN_FORCE_H
#define _NUMA_POLICY_IN_FORCE_H

#include "policies.h"

/*
 * The policy that decides. Set by Kconfig, or by the boot parameter numa_scan_policy= before there
 * is anything to scan; does not change afterwards, and is never NULL.
 */
extern const struct numa_policy_ops *numa_policy_in_force;

#endif /* _NUMA_POLICY_IN_FORCE_H */
