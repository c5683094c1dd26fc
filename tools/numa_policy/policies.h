/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The scan policies by name, as the host tool sees them.
 */
#ifndef NP_POLICIES_H
#define NP_POLICIES_H

#include <stddef.h>

struct numa_policy_ops;

/**
 * struct np_policy - one scan policy
 * @name: what the boot parameter and the command line call it
 * @symbol: its Kconfig symbol is CONFIG_NUMA_POLICY_ and this
 * @help: one line about it
 * @ops: the policy itself, compiled for user space
 */
struct np_policy {
	const char *name;
	const char *symbol;
	const char *help;
	const struct numa_policy_ops *ops;
};

extern const struct np_policy np_policies[];
extern const size_t np_policies_count;

const struct np_policy *np_policy_find(const char *name);

#endif /* NP_POLICIES_H */
