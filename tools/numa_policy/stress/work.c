// SPDX-License-Identifier: GPL-2.0
/*
 * A process whose threads change and touch one address space: they map and unmap, split VMAs and
 * have them merged, fork, start threads that end at once, and move from CPU to CPU. Sooner or
 * later it exits with all of that going on, or is killed.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "stress.h"

#define PAGE 4096UL
#define HUGE (2UL << 20)

/* Each thread changes regions of its own, one mapping each; all threads touch all regions. */
#define REGIONS 4
#define REGION_PAGES 64UL

/* Where they are: fixed, with gaps that keep them from merging with each other. */
#define BASE 0x100000000000UL
#define STRIDE (4 * REGION_PAGES * PAGE)

/* A region of huge pages behind them, and one of a file that all processes share. */
#define HUGE_AT (BASE + (1UL << 36))
#define HUGE_SIZE (2 * HUGE)
#define SHARED_AT (BASE + (2UL << 36))

static __thread sigjmp_buf out;
static __thread atomic_bool may_jump;
static __thread unsigned long touched;

/* Others unmap and protect what a thread touches: it goes on with something else. */
static void on_fault(int sig)
{
	if (may_jump) {
		may_jump = 0;
		siglongjmp(out, 1);
	}
	signal(sig, SIG_DFL);
	raise(sig);
}

static char *region_at(unsigned int thread, unsigned int region)
{
	return (char *)(BASE + (thread * REGIONS + region) * STRIDE);
}

static void touch(char *start, unsigned long pages, bool write)
{
	unsigned long i;

	if (!sigsetjmp(out, 1)) {
		may_jump = 1;
		for (i = 0; i < pages; i++) {
			atomic_char *p = (atomic_char *)(start + i * PAGE);

			if (write)
				atomic_store_explicit(p, i, memory_order_relaxed);
			else
				atomic_load_explicit(p, memory_order_relaxed);
			touched++;
		}
	}
	may_jump = 0;
	if (stress && touched >= 1000) {
		atomic_fetch_add(&stress->count[STRESS_FAULTS], touched / 1000);
		touched %= 1000;
	}
}

static void touch_something(void)
{
	unsigned int what = stress_random(8);
	unsigned long first;

	if (what == 0) {
		touch((char *)HUGE_AT, HUGE_SIZE / PAGE, stress_random(2));
	} else if (what == 1) {
		touch((char *)SHARED_AT, REGION_PAGES, stress_random(2));
	} else {
		first = stress_random(REGION_PAGES);
		touch(region_at(stress_random(STRESS_WORKER_THREADS), stress_random(REGIONS)) +
		      first * PAGE, REGION_PAGES - first, stress_random(4));
	}
}

static void map_region(char *at)
{
	if (mmap(at, REGION_PAGES * PAGE, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == at)
		stress_count(STRESS_MAPS);
}

static void unmap_some(char *at)
{
	unsigned long first = stress_random(REGION_PAGES);
	unsigned long pages = 1 + stress_random(REGION_PAGES - first);

	if (stress_random(2)) {
		first = 0;
		pages = REGION_PAGES;
	}
	if (!munmap(at + first * PAGE, pages * PAGE))
		stress_count(STRESS_UNMAPS);
	map_region(at);
}

/* How many VMAs the region consists of now. */
static int vmas(const char *at)
{
	unsigned long start, end, from = (unsigned long)at, to = from + REGION_PAGES * PAGE;
	FILE *f = fopen("/proc/self/maps", "re");
	char line[400];
	int n = 0;

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "%lx-%lx", &start, &end) == 2 && start < to && end > from)
			n++;
	if (f)
		fclose(f);
	return n;
}

/* Take a part out of the middle and put it back; look now and then whether the kernel did. */
static void split_and_merge(char *at)
{
	unsigned long first = 1 + stress_random(REGION_PAGES / 2);
	unsigned long pages = 1 + stress_random(REGION_PAGES / 2 - 1);
	char *part = at + first * PAGE;
	bool look = !stress_random(3), split;
	bool advise = stress_random(2);

	if (advise)
		madvise(part, pages * PAGE, MADV_DONTFORK);
	else
		mprotect(part, pages * PAGE, PROT_READ);
	touch(at, REGION_PAGES, false);
	split = look && vmas(at) > 1;
	if (split)
		stress_count(STRESS_SPLITS);
	if (advise)
		madvise(part, pages * PAGE, MADV_DOFORK);
	else
		mprotect(part, pages * PAGE, PROT_READ | PROT_WRITE);
	touch(at, REGION_PAGES, true);
	if (split && vmas(at) == 1)
		stress_count(STRESS_MERGES);
}

/* Away and back: the VMA is copied without its state. */
static void move_region(char *at)
{
	char *there = at + 2 * REGION_PAGES * PAGE;

	if (mremap(at, REGION_PAGES * PAGE, REGION_PAGES * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED,
		   there) == there)
		mremap(there, REGION_PAGES * PAGE, REGION_PAGES * PAGE,
		       MREMAP_MAYMOVE | MREMAP_FIXED, at);
	map_region(at);
}

static void set_own_policy(void)
{
	const char *name = "default";

	if (stress_policies && stress_random(4))
		name = stress_policy[stress_random(stress_policies)];
	if (!stress_write("/proc/self/numa_scan_policy", name))
		stress_count(STRESS_PROCESS_SWITCHES);
}

/* A child that touches what it inherited, splits it, and exits or becomes another program. */
static void fork_one(void)
{
	bool exec = !stress_random(6);
	int i, status;
	pid_t pid = fork();

	if (!pid) {
		for (i = 0; i < 20; i++)
			touch_something();
		split_and_merge(region_at(0, 0));
		if (!stress_random(3))
			set_own_policy();
		if (exec)
			execl("/init", "init", "--exec", NULL);
		_exit(0);
	}
	if (pid < 0)
		return;
	if (exec)
		stress_count(STRESS_EXECS);
	stress_count(STRESS_FORKS);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
}

static void *short_thread(void *arg)
{
	int i;

	stress_seed((unsigned int)(size_t)arg);
	for (i = 0; i < 4; i++)
		touch_something();
	return NULL;
}

static void start_thread(void)
{
	pthread_attr_t attr;
	pthread_t thread;

	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&attr, 65536);
	if (!pthread_create(&thread, &attr, short_thread, (void *)(size_t)stress_random(1 << 30)))
		stress_count(STRESS_THREADS);
	pthread_attr_destroy(&attr);
}

/* To a CPU that may be off line, or to all. */
static void change_cpu(void)
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF), i;
	cpu_set_t set;

	CPU_ZERO(&set);
	if (stress_random(3))
		CPU_SET(stress_random(cpus), &set);
	else
		for (i = 0; i < cpus; i++)
			CPU_SET(i, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

static void *churn(void *arg)
{
	unsigned int thread = (unsigned int)(size_t)arg;
	char *at;

	stress_seed(thread + 1 + 16 * getpid());
	while (!stress->stop) {
		at = region_at(thread, stress_random(REGIONS));
		switch (stress_random(32)) {
		case 0:
			unmap_some(at);
			break;
		case 1 ... 4:
			split_and_merge(at);
			break;
		case 5:
			move_region(at);
			break;
		case 6:
			fork_one();
			break;
		case 7:
			start_thread();
			break;
		case 8 ... 9:
			change_cpu();
			break;
		case 10:
			if (!stress_random(8))
				set_own_policy();
			madvise(at, REGION_PAGES * PAGE, MADV_DONTNEED);
			break;
		case 11:
			if (!thread && !stress_random(4))
				madvise((void *)HUGE_AT, HUGE_SIZE, MADV_DONTNEED);
			break;
		default:
			touch_something();
		}
	}
	return NULL;
}

static void map_common(void)
{
	int fd = open("/tmp/shared", O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	if (fd >= 0 && !ftruncate(fd, REGION_PAGES * PAGE))
		mmap((void *)SHARED_AT, REGION_PAGES * PAGE, PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_FIXED, fd, 0);
	if (fd >= 0)
		close(fd);
	mmap((void *)HUGE_AT, HUGE_SIZE, PROT_READ | PROT_WRITE,
	     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	madvise((void *)HUGE_AT, HUGE_SIZE, MADV_HUGEPAGE);
}

/**
 * stress_work() - be a process that maps and faults, for some seconds
 * @worker: which of them
 *
 * Does not return.
 */
void stress_work(int worker)
{
	struct sigaction sa = { .sa_handler = on_fault, .sa_flags = SA_NODEFER };
	pthread_t thread;
	unsigned int i, j;

	setpriority(PRIO_PROCESS, 0, 0);
	stress_seed(worker + 64 * getpid());
	sigaction(SIGSEGV, &sa, NULL);
	sigaction(SIGBUS, &sa, NULL);
	map_common();
	for (i = 0; i < STRESS_WORKER_THREADS; i++)
		for (j = 0; j < REGIONS; j++)
			map_region(region_at(i, j));
	for (i = 0; i < STRESS_WORKER_THREADS; i++)
		pthread_create(&thread, NULL, churn, (void *)(size_t)i);
	stress_sleep(2000 + stress_random(8000));
	stress_count(STRESS_EXITS);
	if (stress_random(2))
		kill(getpid(), SIGKILL);
	_exit(0);
}

/**
 * stress_exec_child() - what a forked process becomes: one that ends as soon as it has had a fault
 *
 * Does not return.
 */
void stress_exec_child(void)
{
	char text[64];
	int i;

	stress_read("/proc/self/numa_scan_policy", text, sizeof(text));
	mmap(region_at(0, 0), REGION_PAGES * PAGE, PROT_READ | PROT_WRITE,
	     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	for (i = 0; i < 8; i++)
		touch(region_at(0, 0), REGION_PAGES, true);
	_exit(0);
}
