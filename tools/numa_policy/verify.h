/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Judges a policy by the decisions that a kernel traced, and by the histories that a guest acted
 * out.
 */
#ifndef NP_VERIFY_H
#define NP_VERIFY_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#define NP_SITUATIONS 7

/**
 * struct np_decision - a decision as the kernel's trace event shows it
 * @policy: name of the policy that decided
 * @vma: what the guest calls the VMA
 * @reason: enum numa_policy_reason
 * @pid: PID of the task that would scan
 * @seq: the mm's scan sequence
 * @start_scan_seq: the mm's scan sequence when the VMA's state was made
 * @prev_scan_seq: the mm's scan sequence when the VMA was last scanned to its end
 * @threads: threads in the task's process
 * @offset: address at which the mm's scan goes on
 * @start: the VMA's first address
 * @windows: hashed PIDs that accessed the VMA, newest window first
 * @nwindows: how many windows there are
 */
struct np_decision {
	const char *policy;
	const char *vma;
	int reason;
	int pid;
	int seq;
	int start_scan_seq;
	int prev_scan_seq;
	int threads;
	uint64_t offset;
	uint64_t start;
	uint64_t windows[8];
	int nwindows;
};

/**
 * struct np_verdict - what the decisions of one run show
 * @decisions: how many there were
 * @replay_wrong: those that the policy's source, asked again, does not make
 * @answer_wrong: those in one of the situations whose answer is not by the policy's rules
 * @forced: scans that completed without the policy having asked for them
 * @seen: decisions in each of the situations
 * @first_wrong: the first of @replay_wrong in words, or NULL
 * @first_answer: the first of @answer_wrong in words, or NULL
 */
struct np_verdict {
	int decisions;
	int replay_wrong;
	int answer_wrong;
	int forced;
	int seen[NP_SITUATIONS];
	char *first_wrong;
	char *first_answer;
};

/**
 * struct np_histories - how the histories that a guest acted out went
 * @due: how many it was to act out
 * @unfit: how many more a program can act out, but not with this kernel's options
 * @seen: how many it said something about
 * @agreed: those in which all answers were as the corpus has them
 * @lines: what was wrong, a line each, or NULL
 * @nlines: how many lines
 */
struct np_histories {
	int due;
	int unfit;
	int seen;
	int agreed;
	char **lines;
	int nlines;
};

bool np_decision_read(const json_t *o, struct np_decision *d);
char *np_verdict_make(struct np_verdict *v, const char *policy, const json_t *records);
void np_verdict_print(const struct np_verdict *v, const char *policy);
void np_verdict_free(struct np_verdict *v);
char *np_histories_make(struct np_histories *h, const char *policy, const json_t *records);
void np_histories_print(const struct np_histories *h, const char *policy);
void np_histories_free(struct np_histories *h);

#endif /* NP_VERIFY_H */
