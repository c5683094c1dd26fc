// SPDX-License-Identifier: GPL-2.0
/*
 * The scan policies by name. The table itself belongs to the kernel side, so that a new policy
 * is known here without a line of its own.
 */
#include <string.h>

#include "../../kernel/sched/numa_policy/policies.h"
#include "policies.h"
#include "util.h"

#define NP_POLICY(_sym, _name, _text)			\
	{						\
		.name = #_name,				\
		.symbol = #_sym,			\
		.help = (_text),			\
		.ops = &numa_policy_##_name,		\
	},

/** np_policies - all policies, in the order of the table */
const struct np_policy np_policies[] = {
	NUMA_POLICIES(NP_POLICY)
};

/** np_policies_count - how many there are */
const size_t np_policies_count = ARRAY_SIZE(np_policies);

/**
 * np_policy_find() - look a policy up
 * @name: its name
 *
 * Return: the policy, or NULL.
 */
const struct np_policy *np_policy_find(const char *name)
{
	for (size_t i = 0; i < np_policies_count; i++)
		if (!strcmp(np_policies[i].name, name))
			return &np_policies[i];
	return NULL;
}
