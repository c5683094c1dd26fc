/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the parts of the guest program of "make stress" share.
 *
 * Processes whose threads map, fault, split, merge, fork and exit (work.c) run beside threads that
 * turn everything there is to turn (control.c). What was done is counted in shared memory.
 */
#ifndef NP_STRESS_H
#define NP_STRESS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "../util.h"

/**
 * enum stress_counter - what is counted; the closing line has it by these names
 * @STRESS_SWITCHES: switches of the system's policy, each read back
 * @STRESS_PROCESS_SWITCHES: switches of a process's policy
 * @STRESS_REFUSED: unknown names that were not accepted
 * @STRESS_DISAGREED: policies read back that are not the ones written
 * @STRESS_SHADOW_TOGGLES: shadow turned on or off
 * @STRESS_STATS_READS: statistics read
 * @STRESS_SHADOW_READS: shadow matrix read
 * @STRESS_RESETS: statistics or shadow matrix reset
 * @STRESS_BALANCING_TOGGLES: NUMA balancing turned off and on
 * @STRESS_TUNINGS: tunables of NUMA balancing set
 * @STRESS_CPU_OFFLINES: CPUs taken off line
 * @STRESS_TRACED: decisions seen in the trace
 * @STRESS_FAILED_ALLOCATIONS: allocations that failed in scan passes
 * @STRESS_FAILED_CALLS: calls of the library's files that failed for want of memory
 * @STRESS_MAPS: regions mapped
 * @STRESS_UNMAPS: regions unmapped, whole or in part
 * @STRESS_SPLITS: VMAs that were seen to have become several
 * @STRESS_MERGES: those that were seen to be one again
 * @STRESS_FAULTS: pages touched, in thousands
 * @STRESS_FORKS: forks
 * @STRESS_EXECS: those that became another program
 * @STRESS_EXITS: processes that ended with threads running
 * @STRESS_THREADS: threads started that end soon
 * @NR_STRESS_COUNTERS: how many there are
 */
enum stress_counter {
	STRESS_SWITCHES,
	STRESS_PROCESS_SWITCHES,
	STRESS_REFUSED,
	STRESS_DISAGREED,
	STRESS_SHADOW_TOGGLES,
	STRESS_STATS_READS,
	STRESS_SHADOW_READS,
	STRESS_RESETS,
	STRESS_BALANCING_TOGGLES,
	STRESS_TUNINGS,
	STRESS_CPU_OFFLINES,
	STRESS_TRACED,
	STRESS_FAILED_ALLOCATIONS,
	STRESS_FAILED_CALLS,
	STRESS_MAPS,
	STRESS_UNMAPS,
	STRESS_SPLITS,
	STRESS_MERGES,
	STRESS_FAULTS,
	STRESS_FORKS,
	STRESS_EXECS,
	STRESS_EXITS,
	STRESS_THREADS,
	NR_STRESS_COUNTERS
};

/* Policies, processes with threads, and threads of each. */
#define STRESS_POLICIES_MAX 16
#define STRESS_WORKERS 3
#define STRESS_WORKER_THREADS 3

/**
 * struct stress - what the processes share
 * @count: what was done
 * @stop: everything is to end
 * @worker: the processes that map and fault, 0 while there is none
 * @decided: decisions of each policy that the statistics showed
 * @scanned: the pages that these led to
 * @shadowed: decisions in the shadow matrix
 */
struct stress {
	atomic_long count[NR_STRESS_COUNTERS];
	atomic_bool stop;
	atomic_int worker[STRESS_WORKERS];
	atomic_long decided[STRESS_POLICIES_MAX];
	atomic_long scanned[STRESS_POLICIES_MAX];
	atomic_long shadowed;
};

extern struct stress *stress;

/* The policies that the kernel has, from its debugfs. */
extern char *stress_policy[STRESS_POLICIES_MAX];
extern int stress_policies;

/**
 * stress_count() - count something
 * @what: what was done
 */
static inline void stress_count(enum stress_counter what)
{
	atomic_fetch_add_explicit(&stress->count[what], 1, memory_order_relaxed);
}

#define STRESS_D "/sys/kernel/debug/sched/numa_policy/"

/* stress.c */
unsigned long stress_now_ms(void);
void stress_sleep(long ms);
int stress_write(const char *path, const char *text);
long stress_read(const char *path, char *text, size_t size);
unsigned int stress_random(unsigned int below);
void stress_seed(unsigned int seed);

/* work.c */
void stress_work(int worker);
void stress_exec_child(void);

/* control.c */
void stress_control(long seconds, long switches);
void stress_last_look(void);

#endif /* NP_STRESS_H */
