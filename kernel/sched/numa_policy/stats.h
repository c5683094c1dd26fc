/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What debugfs shows of the scan policies' decisions.
 */
#ifndef _NUMA_POLICY_STATS_H
#define _NUMA_POLICY_STATS_H

#include <linux/types.h>

struct seq_file;

int numa_policy_show_stats(struct seq_file *m);
int numa_policy_show_shadow(struct seq_file *m);
void numa_policy_reset_stats(void);
void numa_policy_reset_shadow(void);
int numa_policy_set_shadow(bool on);
bool numa_policy_get_shadow(void);

#endif /* _NUMA_POLICY_STATS_H */
