/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What init and the workloads of a guest share.
 *
 * A workload runs in a process of its own. It tells init of its phases and of its failure
 * through a pipe, and of the memory it touches through a table in shared memory; init reads
 * where that memory is from outside.
 */
#ifndef NP_GUEST_H
#define NP_GUEST_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdnoreturn.h>
#include <sys/types.h>

#include "../util.h"
#include "../workloads.h"

#define NP_NODES_MAX 64
#define NP_CPUS_MAX 256
#define NP_AREAS_MAX 2048
#define NP_THREADS_MAX 1024
#define NP_PAGE 4096UL

/* Bytes kept of the output of a program that is not ours. */
#define NP_OUTPUT_MAX 4096

/* First argument of the guest program when it is one of the processes of "forks". */
#define NP_FORK_MODE "--forked"

/*
 * First argument of the guest program on a running machine; the second names the file for its
 * records.
 */
#define NP_NATIVE_MODE "--native"

/* The toucher of an area that all threads of a process work on. */
#define NP_ALL_THREADS (-1)

/* Where the tunables of NUMA balancing are. */
#define NP_TUNABLES "/sys/kernel/debug/sched/numa_balancing"

/**
 * struct np_node - a NUMA node of the guest
 * @id: its number
 * @ncpus: how many CPUs it has
 * @cpus: their numbers
 * @mem_kb: its memory in KiB; 0 if it has none
 */
struct np_node {
	int id;
	int ncpus;
	int cpus[NP_CPUS_MAX];
	long mem_kb;
};

/**
 * struct np_area - a stretch of memory that threads of one process touch
 * @name: what it is called in records of decisions; "" if nothing
 * @start: first byte
 * @len: bytes
 * @thread: index of the toucher in the table; NP_ALL_THREADS: every thread of the process
 * @pid: process that has it mapped; written last, 0 while the entry is not valid
 */
struct np_area {
	char name[8];
	unsigned long start;
	unsigned long len;
	int thread;
	atomic_int pid;
};

/**
 * struct np_thread - a thread that touches areas
 * @pid: its process; written last, 0 while the entry is not valid
 * @tid: its own number
 * @cpu: CPU it was last seen on, by itself
 * @node: node of that CPU
 */
struct np_thread {
	atomic_int pid;
	int tid;
	atomic_int cpu;
	atomic_int node;
};

/**
 * struct np_table - what the workload publishes
 * @next_addr: where the next area may be mapped
 * @areas: entries of @area handed out
 * @threads: entries of @thread handed out
 * @ready: counter for the workload's own use (see np_meet())
 * @output_bytes: what a program that is not ours has written in all
 * @area: the areas
 * @thread: the threads
 * @output: the end of that; byte n is at n modulo the size
 */
struct np_table {
	atomic_ulong next_addr;
	atomic_int areas;
	atomic_int threads;
	atomic_int ready;
	atomic_ulong output_bytes;
	struct np_area area[NP_AREAS_MAX];
	struct np_thread thread[NP_THREADS_MAX];
	char output[NP_OUTPUT_MAX];
};

/* Messages from the workload to init. */
enum np_msg_kind {
	NP_MSG_PHASE,
	NP_MSG_RECORD,
	NP_MSG_ERROR,
	NP_MSG_DONE,
};

/**
 * struct np_msg - a message from the workload to init
 * @ns: when it was sent (CLOCK_MONOTONIC)
 * @kind: what it says
 * @measured: NP_MSG_PHASE: the measured phase begins
 * @text: name of the phase, the record, or what failed
 */
struct np_msg {
	unsigned long ns;
	enum np_msg_kind kind;
	bool measured;
	char text[600];
};

/**
 * struct np_guest - everything a workload needs to know
 * @w: the workload
 * @param: values of its parameters, in the order of the table
 * @seed: where all its random numbers come from
 * @windows: history windows of the kernel
 * @scan_delay_ms: the tunable of that name
 * @nnodes: NUMA nodes
 * @node: the nodes
 * @table: the shared table
 * @msg_fd: pipe to init
 * @go_fd: pipe from init; end of file tells the workload to exit
 * @native: this is no guest but a running machine, which has other things to do
 */
struct np_guest {
	const struct np_workload *w;
	long param[NP_PARAMS_MAX];
	unsigned long seed;
	long windows;
	long scan_delay_ms;
	int nnodes;
	struct np_node node[NP_NODES_MAX];
	struct np_table *table;
	int msg_fd;
	int go_fd;
	bool native;
};

extern struct np_guest guest;

/* The workloads: run to their end in their own process. */
void np_run_sleeper(void);
void np_run_late_vma(void);
void np_run_threadlocal(void);
void np_run_numa01(void);
void np_run_numa02(void);
void np_run_bigvma(void);
void np_run_forks(void);
void np_run_rules(void);
void np_run_histories(void);
void np_run_known(void);

/* work.c */
unsigned long np_now(void);
long np_get(const char *param);
__printf(1, 2) noreturn void np_fail(const char *fmt, ...);
void np_phase(const char *name, bool measured);
void np_record(struct np_buf *record);
void np_done(void);
void np_tune(const char *tunable, long value);
int np_pid_bit(pid_t pid);
void np_sleep_until(unsigned long ns);
void np_futex_wait(atomic_int *word, int value, long ms);
void np_futex_wake(atomic_int *word);

/**
 * struct np_rng - a stream of random numbers
 * @state: where it stands
 */
struct np_rng {
	unsigned long state;
};

void np_rng_init(struct np_rng *rng, unsigned long stream);
unsigned long np_rng_next(struct np_rng *rng);
unsigned long np_rng_below(struct np_rng *rng, unsigned long n);

int np_work_nodes(int *nodes);
void np_pin(const struct np_node *node);
long np_cpus(void);
void np_thread_start(void *(*run)(void *arg), void *arg);
int np_thread_add(void);
void np_thread_refresh(int thread);
char *np_map(size_t len);
void np_area_add(char *start, size_t len, int thread, const char *name);
void np_meet(int n);
noreturn void np_stay(void);

/**
 * struct np_walk - the order in which the pages of an area are visited
 * @start: the area
 * @pages: how many pages it has
 * @first: page that is visited first
 * @step: from a page to the next, modulo @pages, with which it has no divisor in common
 *
 * The order is computed, not looked up: accesses to a table would be counted as the workload's.
 */
struct np_walk {
	char *start;
	size_t pages;
	size_t first;
	size_t step;
};

/**
 * np_touch() - write to memory, with one load and one store that the compiler leaves alone
 * @p: where
 */
static inline void np_touch(char *p)
{
	atomic_char *a = (atomic_char *)p;

	atomic_store_explicit(a, atomic_load_explicit(a, memory_order_relaxed) + 1,
			      memory_order_relaxed);
}

void np_walk_init(struct np_walk *walk, char *start, size_t len, struct np_rng *rng);
void np_walk_touch(const struct np_walk *walk);
void np_zero(char *start, size_t len);
void np_calibrate(void);
void np_spin(double ms);
double np_rate(void);
void np_rate_set(double rate);
int np_fork_child(const char *kb, const char *ms, const char *rate);

/* trace.c */

/**
 * struct np_trace_event - an event of the kernel's about a VMA that a scan pass came by
 * @decided: it is a decision of the policy; otherwise it says that the VMA was passed over
 * @tid: the thread whose pass it was
 * @ns: when (CLOCK_MONOTONIC)
 * @start: the VMA's first address
 * @offset: where the mm's scan stood
 * @reason: the policy's reason, or why the VMA was passed over
 * @policy: of a decision: name of the policy
 * @seq: of a decision: the mm's scan sequence
 * @prev_seq: of a decision: the one in which the VMA was last scanned to its end
 * @threads: of a decision: threads in the process
 */
struct np_trace_event {
	bool decided;
	int tid;
	unsigned long ns;
	unsigned long start;
	unsigned long offset;
	char reason[24];
	char policy[16];
	int seq;
	int prev_seq;
	int threads;
};

/* Whole scans of a VMA that are taken note of. */
#define NP_SCANS 3

int np_trace_start(const char *filter);
bool np_trace_scanned(int scans, double *ms);
void np_trace_records(unsigned long t0);
void np_trace_open(void);
int np_trace_next(struct np_trace_event *e);

#endif /* NP_GUEST_H */
