/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A process that does in a real kernel what the events of a history say.
 *
 * Only two of its VMAs can be scanned: the VMA that the history is about and, above it, the
 * ballast, which uses up what a pass may scan. Above each is a mark, which is never suitable, so
 * that a pass that comes by says so. Everything else is left out of NUMA balancing by its memory
 * policy.
 */
#ifndef NP_ACTING_H
#define NP_ACTING_H

#include "guest.h"

/* What is traced: the VMAs of the process that matter lie in here, and those of no other do. */
#define NP_ACT_FILTER "vm_start >= 0x100000000000 && vm_start < 0x100040000000"

/* Tasks that a history may name, and touched pages of its VMA. */
#define NP_ACT_TASKS 16
#define NP_ACT_PAGES 64

/* Tunables of NUMA balancing meanwhile: a window is four times the delay, passes come quickly. */
#define NP_ACT_DELAY_MS 1000
#define NP_ACT_PERIOD_MS 20

/**
 * struct np_scene - a process as a history needs it
 * @tasks: the tasks that do something, a bit for each; the first one always does
 * @bit: tasks with the same character here have the same bit in a window, others do not
 * @threads: threads in the process
 * @blocks: size of the VMA in blocks; a pass that stops inside does so behind one
 * @pages: pages of the VMA that are touched when it comes into being
 */
struct np_scene {
	unsigned int tasks;
	char bit[NP_ACT_TASKS];
	int threads;
	int blocks;
	int pages;
};

/**
 * struct np_pass - a task's pass, and what came of it
 * @alone: it is to come to the end of the address space, so that it is forced to begin again if the
 *	policy refuses the VMA
 * @inside: it is to stop behind a block of the VMA
 * @event: number of the event in the history
 * @policy: name of the policy that was asked; "" if none was
 * @answer: its answer, or what came instead
 * @ns: when the pass met the VMA; 0: it did not
 */
struct np_pass {
	bool alone;
	bool inside;
	int event;
	char policy[16];
	char answer[24];
	unsigned long ns;
};

const char *np_act_begin(const struct np_scene *scene);
const char *np_act_map(void);
const char *np_act_unmap(void);
const char *np_act_access(int task, int page);
const char *np_act_pass(int task, struct np_pass *pass);
const char *np_act_sequences(int n);
const char *np_act_threads(int n);
void np_act_end(void);

#endif /* NP_ACTING_H */
