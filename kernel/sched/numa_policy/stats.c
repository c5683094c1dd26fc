// SPDX-License-Identifier: GPL-2.0
/*
 * How often which policy decided what, and what the others would have said.
 *
 * All counters are per CPU and only ever count up: a reset takes note of where they stand, so
 * that it needs to stop nobody.
 */
#include <linux/jump_label.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "in_force.h"
#include "stats.h"

DEFINE_PER_CPU(struct numa_policy_stats, numa_policy_stats);
DEFINE_STATIC_KEY_FALSE(numa_policy_shadow_key);

struct numa_policy_shadow_counts __percpu *numa_policy_shadow_counts;

/* Where the counters stood when they were reset; the lock is for that and for turning shadow on. */
static DEFINE_MUTEX(stats_mutex);
static struct numa_policy_stats stats_base;
static struct numa_policy_shadow_counts *shadow_base;

/**
 * numa_policy_get_shadow() - whether the other policies are asked
 *
 * Return: true if so.
 */
bool numa_policy_get_shadow(void)
{
	return static_key_enabled(&numa_policy_shadow_key);
}

/* Once made, they stay: somebody may be counting, and will want to read them. */
static int make_shadow_counts(void)
{
	struct numa_policy_shadow_counts __percpu *counts;

	shadow_base = kzalloc(sizeof(*shadow_base), GFP_KERNEL);
	if (!shadow_base)
		return -ENOMEM;
	counts = alloc_percpu(struct numa_policy_shadow_counts);
	if (!counts) {
		kfree(shadow_base);
		shadow_base = NULL;
		return -ENOMEM;
	}
	/* Pairs with the load in numa_policy_shadow(). */
	smp_store_release(&numa_policy_shadow_counts, counts);
	return 0;
}

/**
 * numa_policy_set_shadow() - have all policies asked, or stop that
 * @on: which
 *
 * Return: 0, or -ENOMEM.
 */
int numa_policy_set_shadow(bool on)
{
	int err = 0;

	mutex_lock(&stats_mutex);
	if (on && !numa_policy_shadow_counts)
		err = make_shadow_counts();
	if (!err && on)
		static_branch_enable(&numa_policy_shadow_key);
	else if (!err)
		static_branch_disable(&numa_policy_shadow_key);
	mutex_unlock(&stats_mutex);
	return err;
}

/* Add up a struct of counters over all CPUs: they have only unsigned longs in them. */
static void sum_up(unsigned long *sum, unsigned long __percpu *counts, size_t n)
{
	int cpu;
	size_t i;

	memset(sum, 0, n * sizeof(*sum));
	for_each_possible_cpu(cpu)
		for (i = 0; i < n; i++)
			sum[i] += READ_ONCE(per_cpu_ptr(counts, cpu)[i]);
}

static void subtract(unsigned long *sum, const unsigned long *base, size_t n)
{
	while (n--)
		sum[n] -= base[n];
}

#define STATS_COUNTERS (sizeof(struct numa_policy_stats) / sizeof(long))
#define SHADOW_COUNTERS (sizeof(struct numa_policy_shadow_counts) / sizeof(long))

static void stats_sum(struct numa_policy_stats *sum)
{
	sum_up((unsigned long *)sum, (unsigned long __percpu *)&numa_policy_stats, STATS_COUNTERS);
}

static void shadow_sum(struct numa_policy_shadow_counts *sum)
{
	sum_up((unsigned long *)sum, (unsigned long __percpu *)numa_policy_shadow_counts,
	       SHADOW_COUNTERS);
}

/**
 * numa_policy_reset_stats() - begin to count decisions and pages anew
 */
void numa_policy_reset_stats(void)
{
	mutex_lock(&stats_mutex);
	stats_sum(&stats_base);
	mutex_unlock(&stats_mutex);
}

/**
 * numa_policy_reset_shadow() - begin to count what other policies would have said anew
 */
void numa_policy_reset_shadow(void)
{
	mutex_lock(&stats_mutex);
	if (numa_policy_shadow_counts)
		shadow_sum(shadow_base);
	mutex_unlock(&stats_mutex);
}

#define NUMA_POLICY_NAME_OF(_sym, _name, _text) #_name,
#define NUMA_POLICY_REASON_NAME(_sym, _text) [NUMA_POLICY_##_sym] = _text,

static const char * const policy_names[] = { NUMA_POLICIES(NUMA_POLICY_NAME_OF) };
static const char * const reason_names[] = {
	NUMA_POLICY_REASON_TEXTS(NUMA_POLICY_REASON_NAME)
	[NUMA_POLICY_FORCED] = "forced",
};

/**
 * numa_policy_show_stats() - print decisions and pages
 * @m: where
 *
 * Return: 0, or -ENOMEM.
 */
int numa_policy_show_stats(struct seq_file *m)
{
	struct numa_policy_stats *sum = kmalloc(sizeof(*sum), GFP_KERNEL);
	int p, r;

	if (!sum)
		return -ENOMEM;
	mutex_lock(&stats_mutex);
	stats_sum(sum);
	subtract((unsigned long *)sum, (unsigned long *)&stats_base, STATS_COUNTERS);
	mutex_unlock(&stats_mutex);

	seq_puts(m, "policy          reason            decisions           pages\n");
	for (p = 0; p < NR_NUMA_POLICIES; p++) {
		const struct numa_policy_counts *c = &sum->policy[p];

		for (r = 0; r < NR_NUMA_POLICY_COUNTS; r++)
			if (c->decisions[r] || c->pages[r])
				seq_printf(m, "%-15s %-10s %16lu %15lu\n", policy_names[p],
					   reason_names[r], c->decisions[r], c->pages[r]);
	}
	kfree(sum);
	return 0;
}

static void show_cell(struct seq_file *m, int policy, const char *says, int other,
		      const char *other_says, unsigned long n)
{
	if (n)
		seq_printf(m, "%-15s %-10s %-15s %-10s %16lu\n", policy_names[policy], says,
			   policy_names[other], other_says, n);
}

/* What one other policy would have said, where @policy skipped (@scans false) or did not. */
static void show_row(struct seq_file *m, const struct numa_policy_shadow_row *row, int policy,
		     int other, bool scans)
{
	unsigned long same = row->asked;
	int r;

	for (r = 0; r < NR_NUMA_POLICY_REASONS; r++)
		same -= row->differs[other][r];
	/* Less than none after a reset, or where memory is weakly ordered. */
	if ((long)same > 0)
		show_cell(m, policy, scans ? "scan" : "skip", other, scans ? "scan" : "skip", same);
	for (r = 0; r < NR_NUMA_POLICY_REASONS; r++)
		show_cell(m, policy, scans ? reason_names[r] : "skip", other,
			  scans ? "skip" : reason_names[r], row->differs[other][r]);
}

/**
 * numa_policy_show_shadow() - print what the other policies would have said
 * @m: where
 *
 * A decision that is taken meanwhile may be in some of the figures and not in others; if that is
 * during a reset, it stays so until the next one.
 *
 * Return: 0, or -ENOMEM.
 */
int numa_policy_show_shadow(struct seq_file *m)
{
	struct numa_policy_shadow_counts *sum = kzalloc(sizeof(*sum), GFP_KERNEL);
	int p, other;

	if (!sum)
		return -ENOMEM;
	mutex_lock(&stats_mutex);
	if (numa_policy_shadow_counts) {
		shadow_sum(sum);
		subtract((unsigned long *)sum, (unsigned long *)shadow_base, SHADOW_COUNTERS);
	}
	mutex_unlock(&stats_mutex);

	seq_puts(m, "policy          says       other           says              decisions\n");
	for (p = 0; p < NR_NUMA_POLICIES; p++) {
		for (other = 0; other < NR_NUMA_POLICIES; other++) {
			if (other == p || !numa_policy_find(policy_names[other]))
				continue;
			show_row(m, &sum->row[p][0], p, other, false);
			show_row(m, &sum->row[p][1], p, other, true);
		}
	}
	kfree(sum);
	return 0;
}
