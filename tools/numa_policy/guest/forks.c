// SPDX-License-Identifier: GPL-2.0
/*
 * Workload "forks": a fixed number of short-lived processes, several at a time. Each is a program
 * of its own that touches some memory, works on it for a while, and ends; every tenth works ten
 * times as long.
 *
 * It stands in for the compilation of a kernel: nothing lives long enough to gain from scanning.
 * The processes' memory is not looked at, they are gone too soon.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "guest.h"

/* This program, in the guest's initial file system. */
#define SELF "/proc/self/exe"

/* What a process works without looking at its memory, in milliseconds. */
#define STEP_MS 2.

static void start(long kb, long ms)
{
	char memory[24], work[24], rate[32];
	char *argv[] = { SELF, NP_FORK_MODE, memory, work, rate, NULL };
	pid_t pid;

	snprintf(memory, sizeof(memory), "%ld", kb);
	snprintf(work, sizeof(work), "%ld", ms);
	snprintf(rate, sizeof(rate), "%.6f", np_rate());
	pid = fork();
	if (pid < 0)
		np_fail("cannot create a process: %s", strerror(errno));
	if (pid)
		return;
	execv(SELF, argv);
	_exit(127);
}

static void wait_for_one(void)
{
	int status;

	if (wait(&status) < 0 || status)
		np_fail("a process of the workload ended with status 0x%x", status);
}

/**
 * np_fork_child() - be one of the short-lived processes
 * @kb: memory in KiB, as text
 * @ms: work in milliseconds of an idle guest, as text
 * @rate: how fast this guest is, as text (see np_rate())
 *
 * Return: the exit status.
 */
int np_fork_child(const char *kb, const char *ms, const char *rate)
{
	size_t len = strtoul(kb, NULL, 10) * 1024, at;
	double left = strtod(ms, NULL);
	char *p = np_alloc(len);

	np_rate_set(strtod(rate, NULL));
	for (; left > 0; left -= STEP_MS) {
		for (at = 0; at < len; at += NP_PAGE)
			np_touch(p + at);
		np_spin(left < STEP_MS ? left : STEP_MS);
	}
	free(p);
	return 0;
}

/**
 * np_run_forks() - the workload "forks"
 */
void np_run_forks(void)
{
	long procs = np_get("procs"), at_once = np_get("at_once") ?: np_cpus();
	long work_ms = np_get("work_ms"), i;
	struct np_rng rng;

	np_rng_init(&rng, 1);
	np_phase("work", true);
	for (i = 0; i < procs; i++) {
		long ms = np_rng_below(&rng, 2 * work_ms + 1);

		if (i >= at_once)
			wait_for_one();
		start(np_get("kb"), i % 10 == 9 ? 10 * ms : ms);
	}
	for (i = procs < at_once ? procs : at_once; i; i--)
		wait_for_one();
	np_done();
}
