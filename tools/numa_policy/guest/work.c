// SPDX-License-Identifier: GPL-2.0
/*
 * What workloads are made of: messages to init, random numbers, placement, memory, work.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "../traffic/marks.h"
#include "guest.h"

struct np_guest guest;

/* Units of work per millisecond of this guest while nothing else runs on it. */
static double units_per_ms;

/**
 * np_now() - guest time
 *
 * Return: nanoseconds of CLOCK_MONOTONIC.
 */
unsigned long np_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

/**
 * np_get() - value of a parameter
 * @param: its name; one that the workload does not have is a bug in the workload
 *
 * Return: the value.
 */
long np_get(const char *param)
{
	const struct np_param *p = np_param_find(guest.w, param);

	if (!p)
		np_fail("workload '%s' has no parameter '%s'", guest.w->name, param);
	return guest.param[p - guest.w->params];
}

static void send_msg(enum np_msg_kind kind, bool measured, const char *text)
{
	struct np_msg msg = { .ns = np_now(), .kind = kind, .measured = measured };

	snprintf(msg.text, sizeof(msg.text), "%s", text);
	if (write(guest.msg_fd, &msg, sizeof(msg)) != sizeof(msg))
		_exit(1);
}

/**
 * np_fail() - end the workload's process as failed
 * @fmt: why
 */
void np_fail(const char *fmt, ...)
{
	char text[200];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	send_msg(NP_MSG_ERROR, false, text);
	_exit(1);
}

/**
 * np_phase() - a phase of the workload begins
 * @name: its name
 * @measured: the measured phase begins; it lasts to the end of the workload
 */
void np_phase(const char *name, bool measured)
{
	if (measured)
		np_mark(NP_MARK_MEASURED);
	send_msg(NP_MSG_PHASE, measured, name);
}

/**
 * np_record() - let init send a record
 * @record: the record, without a newline; emptied
 */
void np_record(struct np_buf *record)
{
	if (record->len >= sizeof(((struct np_msg *)0)->text))
		np_fail("a record of %zu bytes", record->len);
	send_msg(NP_MSG_RECORD, false, record->s);
	np_buf_free(record);
}

/**
 * np_done() - the work is done; wait until init has looked at everything
 */
void np_done(void)
{
	char c;

	np_mark(NP_MARK_END);
	send_msg(NP_MSG_DONE, false, "");
	while (read(guest.go_fd, &c, 1) < 0 && errno == EINTR)
		;
}

/**
 * np_tune() - set a tunable of NUMA balancing
 * @tunable: its name
 * @value: the value
 */
void np_tune(const char *tunable, long value)
{
	char *path = np_asprintf(NP_TUNABLES "/%s", tunable);
	char *text = np_asprintf("%ld", value);
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		np_fail("%s: %s", path, strerror(errno));
	close(fd);
	free(text);
	free(path);
}

/**
 * np_pid_bit() - the bit that stands for a PID in a window
 * @pid: the PID
 *
 * Not the kernel's own function: what a workload arranges must not follow a mistake there.
 *
 * Return: the upper 6 bits of a product.
 */
int np_pid_bit(pid_t pid)
{
	return (unsigned int)pid * 0x61c88647u >> 26;
}

/**
 * np_sleep_until() - sleep
 * @ns: until when (CLOCK_MONOTONIC)
 */
void np_sleep_until(unsigned long ns)
{
	const struct timespec ts = { ns / 1000000000, ns % 1000000000 };

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL) == EINTR)
		;
}

/**
 * np_futex_wait() - sleep as long as a word has a value, at most until np_futex_wake()
 * @word: the word, which other processes may share
 * @value: the value
 * @ms: for how long at most; 0: for ever
 */
void np_futex_wait(atomic_int *word, int value, long ms)
{
	const struct timespec ts = { ms / 1000, ms % 1000 * 1000000 };

	syscall(SYS_futex, word, FUTEX_WAIT, value, ms ? &ts : NULL, NULL, 0);
}

/**
 * np_futex_wake() - wake all who sleep in np_futex_wait()
 * @word: the word
 */
void np_futex_wake(atomic_int *word)
{
	syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

/**
 * np_rng_init() - start a stream of random numbers
 * @rng: the stream
 * @stream: which one; each is a different sequence, all depend on the seed
 */
void np_rng_init(struct np_rng *rng, unsigned long stream)
{
	rng->state = guest.seed * 0xd1342543de82ef95ULL + stream * 0x2545f4914f6cdd1dULL;
	np_rng_next(rng);
	np_rng_next(rng);
}

/**
 * np_rng_next() - the next random number
 * @rng: the stream
 *
 * Return: 64 random bits: an additive counter behind a bijective mixing function.
 */
unsigned long np_rng_next(struct np_rng *rng)
{
	unsigned long x = rng->state += 0x9e3779b97f4a7c15ULL;

	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
	return x ^ (x >> 31);
}

/**
 * np_rng_below() - a random number below a bound
 * @rng: the stream
 * @n: the bound, not 0
 *
 * Return: 0 to n - 1.
 */
unsigned long np_rng_below(struct np_rng *rng, unsigned long n)
{
	return np_rng_next(rng) % n;
}

/**
 * np_work_nodes() - the nodes that have both CPUs and memory
 * @nodes: their indices in guest.node, room for all nodes
 *
 * Return: how many.
 */
int np_work_nodes(int *nodes)
{
	int i, n = 0;

	for (i = 0; i < guest.nnodes; i++)
		if (guest.node[i].ncpus && guest.node[i].mem_kb)
			nodes[n++] = i;
	return n;
}

/**
 * np_pin() - run the calling thread on the CPUs of one node from now on
 * @node: the node; NULL: on any CPU
 */
void np_pin(const struct np_node *node)
{
	cpu_set_t set;
	int i, j;

	CPU_ZERO(&set);
	for (i = 0; i < guest.nnodes; i++)
		for (j = 0; j < guest.node[i].ncpus; j++)
			if (!node || node == &guest.node[i])
				CPU_SET(guest.node[i].cpus[j], &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		np_fail("cannot move to node %d: %s", node ? node->id : -1, strerror(errno));
}

/**
 * np_cpus() - how many CPUs the guest has
 *
 * Return: their number.
 */
long np_cpus(void)
{
	long n = 0;
	int i;

	for (i = 0; i < guest.nnodes; i++)
		n += guest.node[i].ncpus;
	return n;
}

/**
 * np_thread_start() - start a thread, with a small stack
 * @run: what it runs
 * @arg: its argument
 */
void np_thread_start(void *(*run)(void *arg), void *arg)
{
	pthread_attr_t attr;
	pthread_t thread;
	int err;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 65536);
	err = pthread_create(&thread, &attr, run, arg);
	if (err)
		np_fail("cannot create a thread: %s", strerror(err));
	pthread_attr_destroy(&attr);
}

/**
 * np_thread_add() - enter the calling thread into the table
 *
 * Return: its index.
 */
int np_thread_add(void)
{
	struct np_table *t = guest.table;
	int i = atomic_fetch_add(&t->threads, 1);

	if (i >= NP_THREADS_MAX)
		np_fail("more than %d threads", NP_THREADS_MAX);
	t->thread[i].tid = gettid();
	np_thread_refresh(i);
	atomic_store(&t->thread[i].pid, getpid());
	return i;
}

/**
 * np_thread_refresh() - write down where the calling thread runs
 * @thread: its index
 */
void np_thread_refresh(int thread)
{
	struct np_thread *t = &guest.table->thread[thread];
	unsigned int cpu, node;

	if (getcpu(&cpu, &node))
		np_fail("getcpu: %s", strerror(errno));
	atomic_store_explicit(&t->cpu, cpu, memory_order_relaxed);
	atomic_store_explicit(&t->node, node, memory_order_relaxed);
}

/**
 * np_map() - private memory in a VMA of its own
 * @len: bytes
 *
 * Neighbours would be merged into one VMA, so each mapping is followed by a hole, and none
 * shares a page table with another.
 *
 * Return: the memory; not touched yet.
 */
char *np_map(size_t len)
{
	const unsigned long step = 2UL << 20;
	unsigned long room = (len + 2 * step - 1) / step * step;
	unsigned long addr = atomic_fetch_add(&guest.table->next_addr, room);
	void *p = mmap((void *)addr, len, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	if (p == MAP_FAILED)
		np_fail("cannot map %zu bytes: %s", len, strerror(errno));
	return p;
}

/**
 * np_area_add() - enter memory into the table, for init to look after
 * @start: first byte
 * @len: bytes
 * @thread: index of the thread that touches it, or NP_ALL_THREADS
 * @name: what to call it in records of decisions; "" if there will be none
 */
void np_area_add(char *start, size_t len, int thread, const char *name)
{
	struct np_table *t = guest.table;
	int i = atomic_fetch_add(&t->areas, 1);

	if (i >= NP_AREAS_MAX)
		np_fail("more than %d areas", NP_AREAS_MAX);
	snprintf(t->area[i].name, sizeof(t->area[i].name), "%s", name);
	t->area[i].start = (uintptr_t)start;
	t->area[i].len = len;
	t->area[i].thread = thread;
	atomic_store(&t->area[i].pid, getpid());
}

/**
 * np_meet() - wait for other threads or processes of the workload
 * @n: go on when np_meet() was called this often in all, since the workload began; 0: be counted
 *	and go on at once
 */
void np_meet(int n)
{
	atomic_int *ready = &guest.table->ready;
	int have = atomic_fetch_add(ready, 1) + 1;

	if (have >= n) {
		np_futex_wake(ready);
		return;
	}
	while ((have = atomic_load(ready)) < n)
		np_futex_wait(ready, have, 0);
}

/**
 * np_stay() - stay where one is until the process is ended, so that init can look at it
 */
void np_stay(void)
{
	for (;;)
		pause();
}

static size_t common_divisor(size_t a, size_t b)
{
	while (b) {
		size_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/**
 * np_walk_init() - choose the order in which the pages of an area are visited
 * @walk: the walk
 * @start: the area
 * @len: bytes of it
 * @rng: the random numbers that decide
 */
void np_walk_init(struct np_walk *walk, char *start, size_t len, struct np_rng *rng)
{
	walk->start = start;
	walk->pages = len / NP_PAGE;
	walk->first = np_rng_below(rng, walk->pages);
	do {
		walk->step = 1 + np_rng_below(rng, walk->pages);
	} while (common_divisor(walk->pages, walk->step) != 1);
}

/**
 * np_walk_touch() - write to each page of an area once
 * @walk: the walk
 */
void np_walk_touch(const struct np_walk *walk)
{
	size_t i, pages = walk->pages, step = walk->step, at = walk->first;
	char *start = walk->start;

	for (i = 0; i < pages; i++) {
		np_touch(start + at * NP_PAGE);
		at += step;
		if (at >= pages)
			at -= pages;
	}
}

/**
 * np_zero() - write zeros over memory, in a way that the compiler leaves alone
 * @start: first byte
 * @len: bytes
 */
void np_zero(char *start, size_t len)
{
	memset(start, 0, len);
	asm volatile("" : : "r" (start) : "memory");
}

static inline unsigned long mix(unsigned long x)
{
	return (x ^ 0x5851f42d4c957f2dUL) + (x >> 1);
}

static inline unsigned long mix8(unsigned long x)
{
	return mix(mix(mix(mix(mix(mix(mix(mix(x))))))));
}

/* A unit of work: long straight code, which an emulator runs fastest, that touches no memory. */
static unsigned long spin_units(unsigned long n, unsigned long x)
{
	while (n--)
		x = mix8(mix8(mix8(mix8(mix8(mix8(mix8(mix8(x))))))));
	return x;
}

/* Where results go so that the compiler has to compute them. */
static atomic_ulong sink;

/**
 * np_calibrate() - find out how fast this guest is
 *
 * The best of several short tries is one that no interrupt disturbed; with instruction
 * counting it is the same in every boot.
 */
void np_calibrate(void)
{
	const unsigned long units = 64;
	unsigned long best = ULONG_MAX;
	int i;

	for (i = 0; i < 10; i++) {
		unsigned long t = np_now();

		atomic_store_explicit(&sink, spin_units(units, t), memory_order_relaxed);
		t = np_now() - t;
		if (t && t < best)
			best = t;
	}
	if (best == ULONG_MAX)
		np_fail("the guest's clock stands still");
	units_per_ms = units * 1e6 / best;
}

/**
 * np_rate() - what np_calibrate() found out, for a program that cannot do so itself
 *
 * Return: units of work per millisecond.
 */
double np_rate(void)
{
	return units_per_ms;
}

/**
 * np_rate_set() - take over what np_rate() returned elsewhere in this guest
 * @rate: units of work per millisecond
 */
void np_rate_set(double rate)
{
	units_per_ms = rate;
}

/**
 * np_spin() - a fixed amount of work that touches no memory
 * @ms: how long it takes where nothing else runs; it takes longer where something does
 */
void np_spin(double ms)
{
	unsigned long x = atomic_load_explicit(&sink, memory_order_relaxed);

	x = spin_units(ms * units_per_ms, x);
	atomic_store_explicit(&sink, x, memory_order_relaxed);
}
