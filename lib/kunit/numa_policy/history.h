/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Scripted histories of a VMA: what they are made of, reading them, and playing them to a scan
 * policy. How they are written is described in the file "histories", where they are.
 */
#ifndef _NUMA_POLICY_HISTORY_H
#define _NUMA_POLICY_HISTORY_H

#include <linux/numa_policy.h>
#include <linux/types.h>

#define NUMA_HISTORY_POLICIES_MAX 32	/* policies in policies.h, at most */
#define NUMA_HISTORY_EVENTS_MAX 64	/* events of a history, at most */
#define NUMA_HISTORY_NAME_MAX 64	/* bytes of a history's name, with the NUL */
#define NUMA_HISTORY_ERROR_MAX 320	/* bytes of a message, with the NUL */

/**
 * enum numa_history_answer - what comes of a pass or a touch, besides the policy's own reasons
 * @NUMA_HISTORY_FORCED: the policy refused the VMA, and a forced pass scanned it
 * @NUMA_HISTORY_DELAYED: the policy was not asked: the VMA's scan delay is not over
 * @NUMA_HISTORY_SAME_SEQ: the policy was not asked: the VMA was finished in this sequence
 * @NUMA_HISTORY_NO_STATE: the policy was not asked: there was no memory for the VMA's state
 * @NUMA_HISTORY_UNMET: the policy was not asked: the pass did not come by the VMA
 * @NUMA_HISTORY_FAULT: the touch took a hinting fault; that it did not is NUMA_POLICY_SKIP
 * @NR_NUMA_HISTORY_ANSWERS: how many there are
 * @NUMA_HISTORY_UNSAID: the history does not say what this policy must answer
 *
 * Continues enum numa_policy_reason.
 */
enum numa_history_answer {
	NUMA_HISTORY_FORCED = NR_NUMA_POLICY_REASONS,
	NUMA_HISTORY_DELAYED,
	NUMA_HISTORY_SAME_SEQ,
	NUMA_HISTORY_NO_STATE,
	NUMA_HISTORY_UNMET,
	NUMA_HISTORY_FAULT,
	NR_NUMA_HISTORY_ANSWERS,
	NUMA_HISTORY_UNSAID = NR_NUMA_HISTORY_ANSWERS
};

/* What happens in an event. */
enum numa_history_what {
	NUMA_HISTORY_MAP,
	NUMA_HISTORY_UNMAP,
	NUMA_HISTORY_SPLIT,
	NUMA_HISTORY_MERGE,
	NUMA_HISTORY_FORK,
	NUMA_HISTORY_ACCESS,
	NUMA_HISTORY_TOUCH,
	NUMA_HISTORY_PASS,
	NUMA_HISTORY_SEQ,
	NUMA_HISTORY_THREADS,
	NUMA_HISTORY_LOCAL,
	NUMA_HISTORY_REMOTE,
};

/* Where a pass ends. */
enum numa_history_end {
	NUMA_HISTORY_END,	/* at the end of the address space */
	NUMA_HISTORY_BEFORE,	/* where the VMA begins */
	NUMA_HISTORY_INSIDE,	/* a page further in than it began or had come */
	NUMA_HISTORY_AT_END,	/* where the VMA ends: all of it was scanned, but not completed */
	NUMA_HISTORY_BEHIND,	/* somewhere behind the VMA */
};

/**
 * struct numa_history_event - an event of a history
 * @line: its line in the text, from 1
 * @ms: guest time since the history's beginning, in ms
 * @what: enum numa_history_what
 * @end: enum numa_history_end; of a pass
 * @task: index of the task's name in numa_history_tasks[]; of an access, a touch and a pass
 * @alone: whether the VMA is the first that a forced pass would find; of a pass
 * @again: whether it begins anew at the front in the same sequence; of a pass
 * @fails: whether there is no memory for the VMA's state; of a pass
 * @relative: whether @value is to be added; of a sequence
 * @value: threads in the process, or a scan sequence
 * @text: the event as it is written; not terminated
 * @len: bytes at @text
 * @answers: what must come of it by policy, in the order of NUMA_POLICIES(); from
 *	enum numa_policy_reason or enum numa_history_answer
 */
struct numa_history_event {
	unsigned int line;
	unsigned int ms;
	u8 what;
	u8 end;
	u8 task;
	bool alone;
	bool again;
	bool fails;
	bool relative;
	int value;
	const char *text;
	unsigned int len;
	u8 answers[NUMA_HISTORY_POLICIES_MAX];
};

/**
 * struct numa_history - a history
 * @name: its name
 * @line: its first line in the text, from 1
 * @windows_min: fewest windows with which it holds
 * @windows_max: most windows with which it holds
 * @buckets: buckets of hashed PIDs with which it holds, or 0 if it does with any number
 * @threshold: value of CONFIG_NUMA_POLICY_SHARED_THRESHOLD with which it holds, or 0
 * @guest: whether a program can act it out in a guest
 * @seq: the mm's scan sequence at the beginning
 * @jiffies: jiffies, here ms, at the beginning
 * @threads: threads in the process at the beginning
 * @nr_events: how many events there are
 * @events: the events
 */
struct numa_history {
	char name[NUMA_HISTORY_NAME_MAX];
	unsigned int line;
	unsigned int windows_min;
	unsigned int windows_max;
	unsigned int buckets;
	unsigned int threshold;
	bool guest;
	int seq;
	unsigned long jiffies;
	int threads;
	unsigned int nr_events;
	struct numa_history_event events[NUMA_HISTORY_EVENTS_MAX];
};

/**
 * struct numa_history_reader - a text being read
 * @name: what it is called in messages
 * @text: all of it, ending with a NUL
 * @at: where to go on
 * @begin: where the history being read begins, behind its name
 * @line: the line that begins there, from 1
 * @columns: the policy that each column of answers is for, an index in NUMA_POLICIES()
 * @nr_columns: how many there are
 * @error: what is wrong with the text, once numa_history_read() returned -1
 */
struct numa_history_reader {
	const char *name;
	const char *text;
	const char *at;
	const char *begin;
	unsigned int line;
	u8 columns[NUMA_HISTORY_POLICIES_MAX];
	unsigned int nr_columns;
	char error[NUMA_HISTORY_ERROR_MAX];
};

/**
 * struct numa_history_asked - how a policy is asked while a history is played
 * @decide: the decision about a snapshot; the history's whole way to the policy
 * @no_forced_pass: whether the policy does without forced passes
 * @data: for @decide
 */
struct numa_history_asked {
	enum numa_policy_reason (*decide)(const struct numa_policy_snapshot *snap, void *data);
	bool no_forced_pass;
	void *data;
};

/**
 * struct numa_history_failure - where a policy did not answer as it must
 * @event: the event, or NULL if there is none
 * @expected: the answer that the history expects
 * @got: the answer that came
 * @wrote: whether the decision wrote to the VMA's state, which it must not
 */
struct numa_history_failure {
	const struct numa_history_event *event;
	unsigned int expected;
	unsigned int got;
	bool wrote;
};

extern const char numa_history_tasks[];
extern const unsigned int numa_history_pids[];

const char *numa_history_answer_text(unsigned int answer);
const char *numa_history_policy_name(unsigned int policy);
void numa_history_start(struct numa_history_reader *reader, const char *name, const char *text);
int numa_history_read(struct numa_history_reader *reader, struct numa_history *history);
const char *numa_history_unfit(const struct numa_history *history);
bool numa_history_says(const struct numa_history *history, unsigned int policy);
bool numa_history_play(const struct numa_history *history, unsigned int policy,
		       const struct numa_history_asked *asked,
		       struct numa_history_failure *failure);
int numa_history_explain(char *text, unsigned int size, const struct numa_history *history,
			 unsigned int policy, const struct numa_history_failure *failure);

#endif /* _NUMA_POLICY_HISTORY_H */
