// SPDX-License-Identifier: GPL-2.0
/*
 * The first program of a guest of "make stress". Its environment, which is what the kernel did not
 * know of its command line, says for how long (stress_seconds) and how often the policy is to be
 * switched in that time (stress_switches). It closes with a line of all that was done.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "stress.h"

/* How many times as long as asked it may take on a slow host to switch as often as asked. */
#define STRESS_PATIENCE 6

#define KCSAN "/sys/kernel/debug/kcsan"

struct stress *stress;
char *stress_policy[STRESS_POLICIES_MAX];
int stress_policies;

static __thread unsigned int random_state = 1;
static int leak_scans;

static const char *const counter_names[NR_STRESS_COUNTERS] = {
	[STRESS_SWITCHES] = "switches",
	[STRESS_PROCESS_SWITCHES] = "process_switches",
	[STRESS_REFUSED] = "refused",
	[STRESS_DISAGREED] = "disagreed",
	[STRESS_SHADOW_TOGGLES] = "shadow_toggles",
	[STRESS_STATS_READS] = "stats_reads",
	[STRESS_SHADOW_READS] = "shadow_reads",
	[STRESS_RESETS] = "resets",
	[STRESS_BALANCING_TOGGLES] = "balancing_toggles",
	[STRESS_TUNINGS] = "tunings",
	[STRESS_CPU_OFFLINES] = "cpu_offlines",
	[STRESS_TRACED] = "traced",
	[STRESS_FAILED_ALLOCATIONS] = "failed_allocations",
	[STRESS_FAILED_CALLS] = "failed_calls",
	[STRESS_MAPS] = "maps",
	[STRESS_UNMAPS] = "unmaps",
	[STRESS_SPLITS] = "splits",
	[STRESS_MERGES] = "merges",
	[STRESS_FAULTS] = "faults",
	[STRESS_FORKS] = "forks",
	[STRESS_EXECS] = "execs",
	[STRESS_EXITS] = "exits",
	[STRESS_THREADS] = "threads",
};

static const char *const counters[] = {
	"numa_pte_updates", "numa_huge_pte_updates", "numa_hint_faults", "numa_pages_migrated",
	"thp_fault_alloc", "thp_split_page",
};

/**
 * stress_now_ms() - milliseconds of guest time since it booted
 *
 * Return: the time.
 */
unsigned long stress_now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000UL + ts.tv_nsec / 1000000;
}

/**
 * stress_sleep() - sleep for a time
 * @ms: milliseconds
 */
void stress_sleep(long ms)
{
	struct timespec ts = { ms / 1000, ms % 1000 * 1000000 };

	nanosleep(&ts, NULL);
}

/**
 * stress_seed() - begin a thread's own sequence of random numbers
 * @seed: where it begins
 */
void stress_seed(unsigned int seed)
{
	random_state = seed;
}

/**
 * stress_random() - a random number
 * @below: what it is less than, not 0
 *
 * Return: the number.
 */
unsigned int stress_random(unsigned int below)
{
	return rand_r(&random_state) % below;
}

/**
 * stress_write() - write to a file of the kernel's, in one call
 * @path: the file
 * @text: what is written
 *
 * Return: 0, or a negative errno.
 */
int stress_write(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC), err = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, text, strlen(text)) < 0)
		err = -errno;
	close(fd);
	return err;
}

/**
 * stress_read() - read a file of the kernel's
 * @path: the file
 * @text: where its content goes, as much as there is room for; always terminated
 * @size: the room
 *
 * Return: bytes read, or a negative errno.
 */
long stress_read(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t len = 0;
	ssize_t n = 0;

	text[0] = '\0';
	if (fd < 0)
		return -errno;
	while (len < size - 1 && (n = read(fd, text + len, size - 1 - len)) > 0)
		len += n;
	if (n < 0)
		n = -errno;
	close(fd);
	text[len] = '\0';
	return n < 0 ? n : (long)len;
}

static void mount_all(void)
{
	static const char *const mounts[][2] = {
		{ "proc", "/proc" }, { "sysfs", "/sys" }, { "devtmpfs", "/dev" },
		{ "tmpfs", "/tmp" }, { "debugfs", "/sys/kernel/debug" },
		{ "tracefs", "/sys/kernel/tracing" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(mounts); i++)
		if (mount(mounts[i][0], mounts[i][1], mounts[i][0], 0, NULL) && errno != EBUSY)
			printf("stress: cannot mount %s: %s\n", mounts[i][1], strerror(errno));
}

static void power_off(void)
{
	fflush(stdout);
	/* The console must have been sent, and the last reports must be in it. */
	stress_sleep(500);
	reboot(RB_POWER_OFF);
	for (;;)
		pause();
}

/*
 * Kernels from v6.12 on warn now and then when a CPU goes off line for which the fair class has a
 * deadline server, and lockdep ends with that, as the warning comes with the run queue locked.
 */
static void stop_fair_servers(void)
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF), i;
	char path[80];

	for (i = 0; i < cpus; i++) {
		snprintf(path, sizeof(path),
			 "/sys/kernel/debug/sched/fair_server/cpu%ld/runtime", i);
		stress_write(path, "0");
	}
}

static void find_policies(void)
{
	static char text[400];
	char *name, *rest = NULL;

	stress_read(STRESS_D "available", text, sizeof(text));
	for (name = strtok_r(text, " \n", &rest); name && stress_policies < STRESS_POLICIES_MAX;
	     name = strtok_r(NULL, " \n", &rest))
		stress_policy[stress_policies++] = name;
}

/* The number behind a name at the beginning of a line; -1 if there is none. */
static long number_in(const char *path, const char *name)
{
	static char text[16384];
	char *p;

	stress_read(path, text, sizeof(text));
	for (p = text; (p = strstr(p, name)); p++)
		if ((p == text || strchr("\n ", p[-1])) && strchr(" :", p[strlen(name)]))
			return atol(p + strlen(name) + 1);
	return -1;
}

/* Keep as many processes as there are to be. */
static void keep_workers(void)
{
	pid_t pid;
	int i;

	for (i = 0; i < STRESS_WORKERS; i++)
		if (!stress->worker[i]) {
			pid = fork();
			if (!pid)
				stress_work(i);
			stress->worker[i] = pid > 0 ? pid : 0;
		}
	while ((pid = waitpid(-1, NULL, WNOHANG)) > 0)
		for (i = 0; i < STRESS_WORKERS; i++)
			if (stress->worker[i] == pid)
				stress->worker[i] = 0;
}

static void end_workers(void)
{
	int i;

	stress->stop = true;
	for (i = 0; i < STRESS_WORKERS; i++)
		if (stress->worker[i] > 0)
			kill(stress->worker[i], SIGKILL);
	/* Those that had been forked are ours now. */
	for (i = 0; i < 100; i++) {
		while (waitpid(-1, NULL, WNOHANG) > 0)
			;
		stress_sleep(50);
	}
}

static void print_state(const char *what, unsigned long start)
{
	int i, decided = 0, scanned = 0;
	size_t c;

	for (i = 0; i < stress_policies; i++) {
		decided += stress->decided[i] > 0;
		scanned += stress->scanned[i] > 0;
	}
	printf("stress: %s seconds=%ld", what, (stress_now_ms() - start) / 1000);
	for (c = 0; c < NR_STRESS_COUNTERS; c++)
		printf(" %s=%ld", counter_names[c], stress->count[c]);
	printf(" policies=%d decided_by=%d scanned_by=%d shadowed=%ld", stress_policies, decided,
	       scanned, stress->shadowed);
	for (c = 0; c < ARRAY_SIZE(counters); c++)
		printf(" %s=%ld", counters[c], number_in("/proc/vmstat", counters[c]));
	/* Whether what looks for mistakes still does. */
	printf(" debug_locks=%ld watchpoints=%ld leak_scans=%d",
	       number_in("/proc/lockdep_stats", "debug_locks"),
	       number_in(KCSAN, "setup_watchpoints"), leak_scans);
	printf("\n");
	fflush(stdout);
}

/* What nobody refers to any more although it was not freed; where the kernel looks for that. */
static void print_leaks(void)
{
	static char text[65536];

	if (stress_write("/sys/kernel/debug/kmemleak", "scan"))
		return;
	stress_sleep(6000);
	stress_write("/sys/kernel/debug/kmemleak", "scan");
	if (stress_read("/sys/kernel/debug/kmemleak", text, sizeof(text)) > 0)
		printf("stress: leaks\n%sstress: end of leaks\n", text);
	leak_scans++;
	fflush(stdout);
}

static long environment(const char *name, long otherwise)
{
	const char *text = getenv(name);
	long value;

	return text && !np_parse_long(text, 1, 1000000, &value) ? value : otherwise;
}

/* For as long as asked, and for as many switches, within reason. */
static bool goes_on(unsigned long ms, long seconds, long switches)
{
	if (ms < seconds * 1000UL)
		return true;
	return stress_policies && stress->count[STRESS_SWITCHES] < switches &&
	       ms < seconds * 1000UL * STRESS_PATIENCE;
}

int main(int argc, char **argv)
{
	long seconds = environment("stress_seconds", 60);
	long switches = environment("stress_switches", 200);
	unsigned long start, said;

	if (argc > 1 && !strcmp(argv[1], "--exec"))
		stress_exec_child();
	mount_all();
	stress = mmap(NULL, sizeof(*stress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		      -1, 0);
	if (stress == MAP_FAILED) {
		printf("stress: no memory\n");
		power_off();
	}
	/* Reports are warnings at least; nothing below is of interest. */
	stress_write("/proc/sys/kernel/printk", "5");
	stress_write("/proc/sys/debug/exception-trace", "0");
	/* A huge page that is read first is to be one of its own. */
	stress_write("/sys/kernel/mm/transparent_hugepage/use_zero_page", "0");
	/* Where it is there. Nothing of interest raced so far. */
	stress_write(KCSAN, "on");
	stop_fair_servers();
	find_policies();
	start = stress_now_ms();
	said = start;
	print_state("begin", start);
	/* What turns things is not to wait for what there is too much of. */
	setpriority(PRIO_PROCESS, 0, -10);
	stress_control(seconds, switches);
	while (goes_on(stress_now_ms() - start, seconds, switches)) {
		keep_workers();
		if (stress_now_ms() - said >= 10000) {
			said = stress_now_ms();
			print_state("at", start);
		}
		stress_sleep(50);
	}
	end_workers();
	stress_last_look();
	print_leaks();
	print_state("done", start);
	power_off();
}
