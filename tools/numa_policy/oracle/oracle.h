/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The oracle: the scan policies against a second, naive model of their specification.
 *
 * Random histories are played to both, event by event, and both must give the same answers and be
 * in the same state after each. model.c is the model, subject.c plays to the code under test,
 * random.c invents histories, shrink.c makes one small and report.c prints it.
 */
#ifndef NP_ORACLE_H
#define NP_ORACLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../../../lib/kunit/numa_policy/history.h"

/* Policies that the oracle compares, at most. */
#define ORACLE_POLICIES_MAX NUMA_HISTORY_POLICIES_MAX

/* The history language's clock, in ms, and its address space, in pages from the VMA's start. */
#define ORACLE_DELAY 1000
#define ORACLE_PERIOD 4000
#define ORACLE_JIFFIES 100000
#define ORACLE_MS_MAX 1000000999u

/* Events of a history whose tasks have letters, and of one whose tasks are a crowd. */
#define ORACLE_EVENTS_LETTERS NUMA_HISTORY_EVENTS_MAX
#define ORACLE_EVENTS_MAX 160
#define ORACLE_TASKS_LETTERS 14
#define ORACLE_TASKS_MAX 64

/**
 * struct oracle_event - an event of a random history; as in struct numa_history_event
 * @ms: time since the history's beginning
 * @value: threads, or a sequence
 * @what: enum numa_history_what
 * @end: enum numa_history_end
 * @task: index of the task, a letter if below ORACLE_TASKS_LETTERS
 * @alone: see @alone of struct numa_history_event
 * @again: likewise
 * @fails: likewise
 * @relative: likewise
 */
struct oracle_event {
	uint32_t ms;
	int32_t value;
	uint8_t what;
	uint8_t end;
	uint8_t task;
	bool alone;
	bool again;
	bool fails;
	bool relative;
};

/**
 * struct oracle_history - a random history
 * @seq: the mm's sequence at the beginning
 * @half: whether jiffies begin at where their sign changes, plus @ticks
 * @ticks: jiffies at the beginning; the history language can say any int
 * @threads: threads at the beginning
 * @nr_events: how many events there are
 * @pids: the tasks' PIDs; those of letters are mostly what the history language says
 * @events: the events
 */
struct oracle_history {
	int seq;
	bool half;
	int ticks;
	int threads;
	unsigned int nr_events;
	unsigned int pids[ORACLE_TASKS_MAX];
	struct oracle_event events[ORACLE_EVENTS_MAX];
};

/**
 * struct oracle_outcome - what came of an event
 * @asked: whether the policy was asked
 * @reason: what it said, if it was
 * @answer: what the history language says of that; NUMA_HISTORY_UNSAID if it says nothing
 */
struct oracle_outcome {
	bool asked;
	uint8_t reason;
	uint8_t answer;
};

/* ---- model.c ---- */

struct model_policy;

/**
 * struct model_config - what a kernel is built with, as far as policies depend on it
 * @windows: N, windows of PIDs
 * @buckets: to how many buckets PIDs are hashed
 * @threshold: SHARED's
 */
struct model_config {
	int windows;
	int buckets;
	int threshold;
};

#define MODEL_WINDOWS_MAX 8
#define MODEL_BUCKETS_MAX 64

/* Where the scan of the mm goes on, in pages from the VMA's start. */
#define MODEL_FRONT (-1)
#define MODEL_START 0
#define MODEL_END 1024
#define MODEL_BEHIND 2048

/**
 * struct model - a VMA and its process, as the specification sees them
 * @policy: whom it asks
 * @config: the build
 * @pids: the tasks' PIDs
 * @now: true time in ms since the history's beginning; never wraps
 * @seq: the mm's scan sequence, in the range of an int
 * @threads: threads in the process
 * @mapped: whether there is a VMA
 * @local: whether its pages are where the tasks run
 * @traps: whether a scan made it trap since the last touch
 * @offset: where the next pass begins
 * @has_state: whether it has state, which is what follows
 * @next_scan: in ms like @now
 * @pids_active_reset: in ms like @now
 * @start_scan_seq: in the range of an int
 * @prev_scan_seq: in the range of an int
 * @window: each window as a set of buckets; [0] is the current one
 */
struct model {
	const struct model_policy *policy;
	const struct model_config *config;
	const unsigned int *pids;
	int64_t now;
	int64_t seq;
	int64_t threads;
	bool mapped;
	bool local;
	bool traps;
	int64_t offset;
	bool has_state;
	int64_t next_scan;
	int64_t pids_active_reset;
	int64_t start_scan_seq;
	int64_t prev_scan_seq;
	bool window[MODEL_WINDOWS_MAX][MODEL_BUCKETS_MAX];
};

const struct model_policy *model_policy_find(const char *name);
int model_policy_windows(const struct model_policy *policy, const struct model_config *config);
bool model_policy_forces(const struct model_policy *policy);
bool model_policy_refuses(const struct model_policy *policy);
bool model_policy_can(const struct model_policy *policy, const struct model_config *config,
		      unsigned int answer);
int model_bucket(const struct model_config *config, unsigned int pid);
int64_t model_int(int64_t n);
void model_start(struct model *m, const struct model_policy *policy,
		 const struct model_config *config, const struct oracle_history *history);
struct oracle_outcome model_event(struct model *m, const struct oracle_event *event);

/* ---- subject.c ---- */

/**
 * struct subject - a VMA and its process, with the code under test
 * @ops: the policy
 * @pids: the tasks' PIDs
 * @jiffies: jiffies at the history's beginning
 * @now: jiffies
 * @seq: the mm's scan sequence
 * @threads: threads in the process
 * @mapped: whether there is a VMA
 * @local: whether its pages are where the tasks run
 * @traps: whether a scan made it trap since the last touch
 * @offset: the mm's scan offset
 * @has_state: whether @state is any
 * @state: the VMA's state
 */
struct subject {
	const struct numa_policy_ops *ops;
	const unsigned int *pids;
	unsigned long jiffies;
	unsigned long now;
	int seq;
	int threads;
	bool mapped;
	bool local;
	bool traps;
	unsigned long offset;
	bool has_state;
	struct vma_numab_state state;
};

void subject_start(struct subject *s, const struct numa_policy_ops *ops,
		   const struct oracle_history *history);
struct oracle_outcome subject_event(struct subject *s, const struct oracle_event *event);
bool subject_is_like(const struct subject *s, const struct model *m);
void subject_difference(const struct subject *s, const struct model *m, char *text, size_t size);

/* ---- random.c ---- */

/**
 * struct oracle_random - a sequence of random numbers
 * @state: of splitmix64
 */
struct oracle_random {
	uint64_t state;
};

/**
 * struct oracle_author - invents a history, event after event
 * @random: where it throws dice
 * @config: the build
 * @wanted: how many events it shall have
 * @tasks: the tasks that act in it
 * @nr_tasks: how many they are
 * @burst: how many accesses by one task after the other are left to come
 * @burst_at: index in @tasks of the next one
 * @restless: chance in 1000 that an event rids the VMA of its state
 * @jumpy: chance in 1000 that an event is one of the sequence
 * @hasty: chance in 100 that no time passes before an event
 */
struct oracle_author {
	struct oracle_random *random;
	const struct model_config *config;
	unsigned int wanted;
	uint8_t tasks[ORACLE_TASKS_MAX];
	unsigned int nr_tasks;
	unsigned int burst;
	unsigned int burst_at;
	unsigned int restless;
	unsigned int jumpy;
	unsigned int hasty;
};

uint64_t oracle_random(struct oracle_random *random);
unsigned int oracle_below(struct oracle_random *random, unsigned int n);
void oracle_author_start(struct oracle_author *author, struct oracle_random *random,
			 const struct model_config *config, struct oracle_history *history);
void oracle_author_event(struct oracle_author *author, const struct model *models,
			 unsigned int nr_models, struct oracle_event *event);

/* ---- shrink.c ---- */

/**
 * struct oracle_case - a policy that is compared
 * @index: its index in NUMA_POLICIES()
 * @name: its name
 * @ops: the code under test
 * @policy: the model of it, or NULL if there is none
 * @config: the build
 */
struct oracle_case {
	unsigned int index;
	const char *name;
	const struct numa_policy_ops *ops;
	const struct model_policy *policy;
	const struct model_config *config;
};

/**
 * struct oracle_verdict - whether and where the two disagree about a history
 * @answers: they answered differently
 * @answer_event: where they did first
 * @expected: what the model answered there
 * @got: what the code under test answered there
 * @states: they were in different states after an event
 * @state_event: after which one first
 */
struct oracle_verdict {
	bool answers;
	unsigned int answer_event;
	struct oracle_outcome expected;
	struct oracle_outcome got;
	bool states;
	unsigned int state_event;
};

void oracle_judge(const struct oracle_case *c, const struct oracle_history *history,
		  struct oracle_verdict *verdict);
bool oracle_extend(const struct oracle_case *c, struct oracle_history *history, uint64_t seed);
void oracle_shrink(const struct oracle_case *c, struct oracle_history *history);
bool oracle_is_strange(const struct oracle_history *history, unsigned int i);
bool oracle_has_letters(const struct oracle_history *history);

/* ---- report.c ---- */

void oracle_report(const struct oracle_case *c, const struct oracle_history *history,
		   uint64_t seed);

#endif /* NP_ORACLE_H */
