// SPDX-License-Identifier: GPL-2.0
/*
 * Threads that turn what there is to turn while others map and fault: the policy, of the system and
 * of processes, statistics and shadow, trace events, the tunables, NUMA balancing itself, CPUs,
 * and whether there is memory for the library.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "stress.h"

#define TRACING "/sys/kernel/tracing/"
#define TUNABLES "/sys/kernel/debug/sched/numa_balancing/"
#define FAILSLAB "/sys/kernel/debug/failslab/"

/* How often allocations may fail; the kernel counts down. */
#define FAILURES 1000000000L

static long all_seconds, all_switches;

static int policy_index(const char *name)
{
	int i;

	for (i = 0; i < stress_policies; i++)
		if (!strcmp(stress_policy[i], name))
			return i;
	return -1;
}

/* One system-wide switch. Nobody else switches, so what is read back must be what was written. */
static void switch_system(void)
{
	const char *name = stress_policy[stress_random(stress_policies)];
	char text[64];
	long err;

	if (stress_write(STRESS_D "policy", name))
		return;
	stress_count(STRESS_SWITCHES);
	err = stress_read(STRESS_D "policy", text, sizeof(text));
	if (err <= 0 || strncmp(text, name, strlen(name)) || text[strlen(name)] != '\n') {
		stress_count(STRESS_DISAGREED);
		printf("stress: policy is '%s' (%ld) and not %s\n", text, err, name);
		fflush(stdout);
	}
	if (!stress_random(8) && stress_write(STRESS_D "policy", "no_such_policy") == -EINVAL)
		stress_count(STRESS_REFUSED);
}

static void switch_process(void)
{
	pid_t pid = stress->worker[stress_random(STRESS_WORKERS)];
	const char *name = "default";
	char path[64], text[64];

	if (pid <= 0)
		return;
	snprintf(path, sizeof(path), "/proc/%d/numa_scan_policy", (int)pid);
	stress_read(path, text, sizeof(text));
	if (stress_random(3))
		name = stress_policy[stress_random(stress_policies)];
	if (!stress_write(path, name))
		stress_count(STRESS_PROCESS_SWITCHES);
	if (!stress_random(8) && stress_write(path, "no_such_policy") == -EINVAL)
		stress_count(STRESS_REFUSED);
}

/* Spread the switches over the time, in bursts; catch up at the end if the machine is slow. */
static void *run_switcher(void *arg)
{
	unsigned long start = stress_now_ms();
	long due, i;

	stress_seed(101);
	while (!stress->stop && stress_policies) {
		due = (stress_now_ms() - start) * all_switches / (all_seconds * 900) + 1;
		for (i = stress->count[STRESS_SWITCHES]; i < due && !stress->stop; i++)
			switch_system();
		switch_process();
		stress_sleep(stress_random(400));
	}
	return NULL;
}

/* The numbers in the last columns of a table; @policy of the first. */
static void add_table(const char *path, bool matrix)
{
	static __thread char text[32768];
	char *line, *next, name[32];
	long decisions, pages;
	int policy;

	if (stress_read(path, text, sizeof(text)) <= 0)
		return;
	for (line = strchr(text, '\n'); line && *++line; line = next) {
		next = strchr(line, '\n');
		if (matrix && sscanf(line, "%*s %*s %*s %*s %ld", &decisions) == 1) {
			stress->shadowed += decisions;
		} else if (!matrix &&
			   sscanf(line, "%31s %*s %ld %ld", name, &decisions, &pages) == 3) {
			policy = policy_index(name);
			if (policy < 0)
				continue;
			stress->decided[policy] += decisions;
			stress->scanned[policy] += pages;
		}
	}
}

static void *run_stats(void *arg)
{
	static char text[32768];
	bool on = false;

	stress_seed(102);
	while (!stress->stop) {
		if (!stress_random(3)) {
			on = !on;
			if (!stress_write(STRESS_D "shadow", on ? "1" : "0"))
				stress_count(STRESS_SHADOW_TOGGLES);
		}
		if (stress_read(STRESS_D "stats", text, sizeof(text)) > 0)
			stress_count(STRESS_STATS_READS);
		if (stress_read(STRESS_D "shadow_matrix", text, sizeof(text)) > 0)
			stress_count(STRESS_SHADOW_READS);
		stress_read(STRESS_D "shadow", text, sizeof(text));
		stress_read(STRESS_D "available", text, sizeof(text));
		stress_read("/sys/module/kernel/parameters/numa_scan_policy", text, sizeof(text));
		if (!stress_random(4)) {
			add_table(STRESS_D "stats", false);
			if (!stress_write(STRESS_D "stats", "0"))
				stress_count(STRESS_RESETS);
		}
		if (!stress_random(4)) {
			add_table(STRESS_D "shadow_matrix", true);
			if (!stress_write(STRESS_D "shadow_matrix", "0"))
				stress_count(STRESS_RESETS);
		}
		stress_sleep(20 + stress_random(300));
	}
	return NULL;
}

/* Off and on line again, all but the first, one at a time. */
static void *run_hotplug(void *arg)
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	char path[80];

	stress_seed(103);
	while (!stress->stop && cpus > 1) {
		stress_sleep(500 + stress_random(2000));
		snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%ld/online",
			 1 + (long)stress_random(cpus - 1));
		if (!stress_write(path, "0"))
			stress_count(STRESS_CPU_OFFLINES);
		stress_sleep(stress_random(1000));
		stress_write(path, "1");
	}
	return NULL;
}

static void *run_balancing(void *arg)
{
	stress_seed(104);
	while (!stress->stop) {
		stress_sleep(300 + stress_random(1500));
		if (!stress_write("/proc/sys/kernel/numa_balancing", "0"))
			stress_count(STRESS_BALANCING_TOGGLES);
		stress_sleep(stress_random(200));
		stress_write("/proc/sys/kernel/numa_balancing", "1");
	}
	return NULL;
}

static void tune(const char *name, unsigned int value)
{
	char path[100], text[20];

	snprintf(path, sizeof(path), TUNABLES "%s", name);
	snprintf(text, sizeof(text), "%u", value);
	if (!stress_write(path, text))
		stress_count(STRESS_TUNINGS);
}

/* Passes follow each other closely enough to meet, and windows age within some of them. */
static void *run_tuner(void *arg)
{
	static const unsigned int delay[] = { 1, 2, 5, 20, 100 };

	stress_seed(105);
	while (!stress->stop) {
		tune("scan_delay_ms", delay[stress_random(ARRAY_SIZE(delay))]);
		tune("scan_period_min_ms", 1 + stress_random(4));
		tune("scan_period_max_ms", 5 + stress_random(20));
		tune("scan_size_mb", 1 + stress_random(8));
		stress_sleep(1000 + stress_random(2000));
	}
	return NULL;
}

static void *run_tracer(void *arg)
{
	static char text[65536];
	const char *p;

	stress_seed(106);
	stress_write(TRACING "buffer_size_kb", "128");
	while (!stress->stop) {
		stress_sleep(500 + stress_random(3000));
		if (stress_write(TRACING "events/numa_policy/enable", "1"))
			continue;
		stress_sleep(100 + stress_random(600));
		stress_read(TRACING "trace", text, sizeof(text));
		stress_write(TRACING "events/numa_policy/enable", "0");
		stress_write(TRACING "trace", "\n");
		for (p = text; (p = strstr(p, " numa_policy_decide: ")); p++)
			stress_count(STRESS_TRACED);
	}
	return NULL;
}

/* First and last address of a function of the kernel's. */
static bool find_function(const char *name, unsigned long *start, unsigned long *end)
{
	FILE *f = fopen("/proc/kallsyms", "re");
	char line[300], symbol[200];
	unsigned long address;

	*start = 0;
	*end = 0;
	while (f && !*end && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%lx %*c %199s", &address, symbol) != 2)
			continue;
		if (*start && address > *start)
			*end = address;
		if (!strcmp(symbol, name))
			*start = address;
	}
	if (f)
		fclose(f);
	return *end;
}

/* Opening the file may fail itself: who sets this has no memory, either. */
static void failslab(const char *name, const char *fmt, unsigned long value)
{
	char path[100], text[40];
	int tries = 1000;

	snprintf(path, sizeof(path), FAILSLAB "%s", name);
	snprintf(text, sizeof(text), fmt, value);
	while (stress_write(path, text) == -ENOMEM && tries--)
		;
}

/* How many failed since this was asked last. */
static long failures(void)
{
	static long left = FAILURES;
	char text[40];
	long was = left;

	if (stress_read(FAILSLAB "times", text, sizeof(text)) > 0)
		left = atol(text);
	return was - left;
}

/* Allocations fail that have this range in their stack; with @task, of a task that asked for it. */
static void fail_in(unsigned long start, unsigned long end, bool task, unsigned int percent)
{
	failslab("probability", "%lu", 0);
	failslab("require-start", "0x%lx", start);
	failslab("require-end", "0x%lx", end);
	failslab("task-filter", "%lu", task);
	failslab("probability", "%lu", percent);
}

/* The library's files, by a thread for which any allocation may fail. */
static void use_files(void)
{
	static const char *const file[] = {
		STRESS_D "policy", STRESS_D "stats", STRESS_D "shadow_matrix", STRESS_D "shadow",
		STRESS_D "available", "/proc/self/numa_scan_policy",
	};
	const char *path = file[stress_random(ARRAY_SIZE(file))];
	char text[4096];
	long err;

	err = stress_read(path, text, sizeof(text));
	if (err == -ENOMEM)
		stress_count(STRESS_FAILED_CALLS);
	if (strstr(path, "policy/policy"))
		err = stress_write(path, "no_such_policy");
	else if (strstr(path, "/proc/") && stress_policies)
		err = stress_write(path, stress_policy[stress_random(stress_policies)]);
	else if (strstr(path, "/stats"))
		err = stress_write(path, "0");
	else
		return;
	if (err == -ENOMEM)
		stress_count(STRESS_FAILED_CALLS);
}

static void *run_failer(void *arg)
{
	unsigned long start, end;
	char path[60];
	int i;

	stress_seed(107);
	snprintf(path, sizeof(path), "/proc/self/task/%ld/make-it-fail", syscall(SYS_gettid));
	if (!find_function("task_numa_work", &start, &end) || stress_write(path, "1"))
		return NULL;
	failslab("verbose", "%lu", 0);
	failslab("interval", "%lu", 1);
	failslab("times", "%lu", FAILURES);
	failslab("ignore-gfp-wait", "%lu", 0);
	failslab("stacktrace-depth", "%lu", 32);
	while (!stress->stop) {
		fail_in(start, end, false, 5 + stress_random(40));
		stress_sleep(3000);
		stress->count[STRESS_FAILED_ALLOCATIONS] += failures();
		fail_in(0, ULONG_MAX, true, 10);
		for (i = 0; i < 200; i++)
			use_files();
		failslab("probability", "%lu", 0);
		failures();
		stress_sleep(500);
	}
	return NULL;
}

/**
 * stress_last_look() - take the statistics into account that nobody read any more
 */
void stress_last_look(void)
{
	stress_write(STRESS_D "shadow", "0");
	add_table(STRESS_D "stats", false);
	add_table(STRESS_D "shadow_matrix", true);
}

/**
 * stress_control() - start the threads that turn things
 * @seconds: for how long everything runs
 * @switches: how often the system's policy is switched in that time
 */
void stress_control(long seconds, long switches)
{
	static void *(*const run[])(void *arg) = {
		run_switcher, run_stats, run_hotplug, run_balancing, run_tuner, run_tracer,
		run_failer,
	};
	pthread_t thread;
	size_t i;

	all_seconds = seconds;
	all_switches = switches;
	for (i = 0; i < ARRAY_SIZE(run); i++)
		pthread_create(&thread, NULL, run[i], NULL);
}
