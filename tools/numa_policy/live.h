/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The scan policies of the running kernel: debugfs, /proc/vmstat and tunables, read and written.
 *
 * Every function that can fail returns NULL if all is well, or else a message to be freed: it names
 * the file and what would be right (run as root, mount debugfs, build with an option).
 *
 *	struct np_live l;
 *	char *error;
 *
 *	np_live_init(&l, NULL);
 *	error = np_live_switch(&l, "mm_seq");
 */
#ifndef NP_LIVE_H
#define NP_LIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <linux/numa_policy.h>

/*
 * What may stand where the kernel's files have a reason: the reasons of enum numa_policy_reason, a
 * VMA that a forced pass scanned without asking (statistics only), and in the shadow matrix a
 * scan whose reason is not kept because both policies wanted it.
 */
#define NP_LIVE_FORCED NR_NUMA_POLICY_REASONS
#define NP_LIVE_SCAN (NP_LIVE_FORCED + 1)
#define NP_LIVE_REASONS (NP_LIVE_SCAN + 1)

/* Events of NUMA balancing in /proc/vmstat. */
enum np_live_event {
	NP_LIVE_PTE_UPDATES,
	NP_LIVE_HUGE_PTE_UPDATES,
	NP_LIVE_HINT_FAULTS,
	NP_LIVE_HINT_FAULTS_LOCAL,
	NP_LIVE_PAGES_MIGRATED,
	NP_LIVE_EVENTS
};

/**
 * struct np_live - where the files of a running kernel are
 * @root: what stands before /proc and /sys: nothing for the running kernel
 * @dir: the library's directory in debugfs
 */
struct np_live {
	char *root;
	char *dir;
};

/**
 * struct np_live_policies - the policies that a kernel has
 * @in_force: the one in force for the system; empty if the kernel does not say
 * @names: those that are built, in the kernel's order
 * @n: how many; 0 if the kernel does not say
 */
struct np_live_policies {
	char in_force[NUMA_POLICY_NAME_MAX];
	char (*names)[NUMA_POLICY_NAME_MAX];
	size_t n;
};

/**
 * struct np_live_count - how often a policy decided for a reason
 * @policy: the policy
 * @reason: an enum numa_policy_reason or NP_LIVE_FORCED
 * @decisions: decisions; for NP_LIVE_FORCED: VMAs scanned without asking
 * @pages: page-table entries made to trap because of them
 */
struct np_live_count {
	char policy[NUMA_POLICY_NAME_MAX];
	int reason;
	uint64_t decisions;
	uint64_t pages;
};

/**
 * struct np_live_stats - the decisions of all policies
 * @v: policies and reasons with decisions, no two of the same
 * @n: how many
 */
struct np_live_stats {
	struct np_live_count *v;
	size_t n;
};

/**
 * struct np_live_cell - what another policy would have said when one decided
 * @policy: the policy that decided
 * @says: its reason, NUMA_POLICY_SKIP or NP_LIVE_SCAN
 * @other: the policy that was asked too
 * @other_says: what that would have said, likewise. Both skip, both are NP_LIVE_SCAN, or one skips
 *	and the other has a reason
 * @decisions: how often
 */
struct np_live_cell {
	char policy[NUMA_POLICY_NAME_MAX];
	int says;
	char other[NUMA_POLICY_NAME_MAX];
	int other_says;
	uint64_t decisions;
};

/**
 * struct np_live_matrix - the shadow matrix
 * @v: its cells that are not zero, no two of the same
 * @n: how many
 */
struct np_live_matrix {
	struct np_live_cell *v;
	size_t n;
};

/**
 * struct np_live_vmstat - counters of /proc/vmstat since boot
 * @v: the count of each event
 */
struct np_live_vmstat {
	uint64_t v[NP_LIVE_EVENTS];
};

extern const char * const np_live_reason_names[NP_LIVE_REASONS];
extern const char * const np_live_event_names[NP_LIVE_EVENTS];

void np_live_init(struct np_live *l, const char *root);
void np_live_free(struct np_live *l);
char *np_live_path(const struct np_live *l, const char *name);

char *np_live_read_policies(const struct np_live *l, struct np_live_policies *p);
void np_live_policies_free(struct np_live_policies *p);
char *np_live_parse_name(const char *text, const char *file, char name[NUMA_POLICY_NAME_MAX]);
char *np_live_parse_available(const char *text, const char *file, struct np_live_policies *p);
char *np_live_switch(const struct np_live *l, const char *policy);
char *np_live_read_process(const struct np_live *l, pid_t pid, char policy[NUMA_POLICY_NAME_MAX]);
char *np_live_switch_process(const struct np_live *l, pid_t pid, const char *policy);

char *np_live_read_stats(const struct np_live *l, struct np_live_stats *s);
char *np_live_reset_stats(const struct np_live *l);
char *np_live_parse_stats(const char *text, const char *file, struct np_live_stats *s);
bool np_live_stats_since(const struct np_live_stats *before, const struct np_live_stats *now,
			 struct np_live_stats *diff);
void np_live_stats_free(struct np_live_stats *s);

char *np_live_read_shadow(const struct np_live *l, bool *on);
char *np_live_set_shadow(const struct np_live *l, bool on);
char *np_live_read_matrix(const struct np_live *l, struct np_live_matrix *m);
char *np_live_reset_matrix(const struct np_live *l);
char *np_live_parse_matrix(const char *text, const char *file, struct np_live_matrix *m);
bool np_live_matrix_since(const struct np_live_matrix *before, const struct np_live_matrix *now,
			  struct np_live_matrix *diff);
void np_live_matrix_free(struct np_live_matrix *m);

char *np_live_read_vmstat(const struct np_live *l, struct np_live_vmstat *s);
char *np_live_parse_vmstat(const char *text, const char *file, struct np_live_vmstat *s);
bool np_live_vmstat_since(const struct np_live_vmstat *before, const struct np_live_vmstat *now,
			  struct np_live_vmstat *diff);

char *np_live_read_balancing(const struct np_live *l, long *mode);
char *np_live_set_balancing(const struct np_live *l, long mode);
char *np_live_read_tunable(const struct np_live *l, const char *name, long *value);
char *np_live_set_tunable(const struct np_live *l, const char *name, long value);

#endif /* NP_LIVE_H */
