/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What debugfs shows of the scan policies' decisions.
 */
#ifndef _NUMA_POLICY_STATS_H
#define _NUMA_POLICY_STATS_H

#include <linux/percpu.h>
#include <linux/types.h>

#include "policies.h"

struct seq_file;

/*
 * What the policies said that were not in force, by what the policy in force said: first if it
 * skipped, then if it did not. Only where they disagree; with the decisions in all, the rest
 * follows from that.
 *
 * @differs: decisions in which another policy, by its index, said the opposite, by the reason of
 *	the one of the two that did not skip
 * @asked: decisions in all; counted before @differs and read after it, so that it is not behind
 */
struct numa_policy_shadow_row {
	unsigned long differs[NR_NUMA_POLICIES][NR_NUMA_POLICY_REASONS];
	unsigned long asked;
};

struct numa_policy_shadow_counts {
	struct numa_policy_shadow_row row[NR_NUMA_POLICIES][2];
};

extern struct numa_policy_shadow_counts __percpu *numa_policy_shadow_counts;

int numa_policy_show_stats(struct seq_file *m);
int numa_policy_show_shadow(struct seq_file *m);
void numa_policy_reset_stats(void);
void numa_policy_reset_shadow(void);
int numa_policy_set_shadow(bool on);
bool numa_policy_get_shadow(void);

#endif /* _NUMA_POLICY_STATS_H */
