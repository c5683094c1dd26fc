// SPDX-License-Identifier: GPL-2.0
/*
 * The program in the guests that are measured: makes the kernel do NUMA balancing passes over known
 * numbers of VMAs, and says meanwhile what it is about.
 *
 * A process for each number of VMAs. Only these VMAs can be scanned: all else of the process is
 * left out by its memory policy. The process does the same in every kernel, to the instruction:
 *
 *   new      the VMAs are there; a pass meets them for the first time and makes their states
 *   delayed  they are passed over for their scan delay
 *   refused  the policy is asked about each and refuses: nobody accessed them, their first two
 *            sequences are over, and there are more threads than sequences passed. At its end a
 *            pass is forced to scan one VMA, behind which the next pass begins: that has one VMA
 *            less. There are some more than asked for, for the passes before the one that counts
 *   aged     likewise, in a pass that also moves the windows of all VMAs
 *   first, again  only one thread is left, and it touches a page in each VMA before each pass:
 *            all are scanned. These accesses fault, and are recorded: for the first time in their
 *            window, and again
 *   completed  likewise, and one VMA above them, which nobody accesses, is refused. The pass is
 *            forced to scan that one and comes by all others again: they are passed over as scanned
 *            in this sequence, just before the policy would be asked
 *
 * The guest's clock runs by instructions, one a nanosecond. Passes come after 25 ms of CPU time,
 * and begin behind a tick, so that few have another one inside. What takes an unknown time is done
 * as a real-time task, for which the kernel makes no passes.
 *
 * In one process of each size the kernel's trace is on and says what became of every VMA in every
 * pass.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <linux/mempolicy.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "marks.h"

#define DEBUGFS "/sys/kernel/debug"
#define TUNABLES DEBUGFS "/sched/numa_balancing/"
#define POLICIES DEBUGFS "/sched/numa_policy/"
#define TRACING DEBUGFS "/tracing/"

/* Where the VMAs are, and a hole behind each, so that none become one. */
#define BASE 0x100000000000UL
#define PAGE 4096UL
#define STRIDE (2 * PAGE)

/* VMAs besides the number that is asked for. */
#define EXTRA 3

#define DELAY_MS 3000
/* The same while a process begins: it takes that much CPU time before its first pass. */
#define BEGIN_DELAY_MS 20

#define AGE_MS (5 * DELAY_MS)
#define PERIOD_MS 25
#define SCAN_MB 64

/*
 * CPU time from a pass to the next at most, and how often somebody looks. A pass with a tick inside
 * keeps the next one away for 32 times as long; those that are traced take long.
 */
#define PASS_MS 50
#define TRACED_PASS_MS 500
#define LOOK_MS 5

/* A loop of two instructions, for a millisecond. */
#define LOOPS_PER_MS 500000UL

/* Passes in which all VMAs are scanned; large ones take long. */
#define SCANS(_vmas) ((_vmas) > 1000 ? 2 : 4)

#define IDLERS 64
#define STACK_BYTES 1024

static char stacks[IDLERS + 1][STACK_BYTES] __attribute__((__aligned__(64)));
static atomic_int leave, idlers;
static bool verify, brief;
static char trace[1 << 16];

static void say_bits(unsigned int bits)
{
#define CASE(_n) case _n: np_bench_mark(_n); break
	switch (bits) {
	CASE(0); CASE(1); CASE(2); CASE(3); CASE(4); CASE(5); CASE(6); CASE(7);
	CASE(8); CASE(9); CASE(10); CASE(11); CASE(12); CASE(13); CASE(14); CASE(15);
	}
#undef CASE
}

/* Tell the plugin a line. */
__attribute__((__format__(__printf__, 1, 2)))
static void say(const char *fmt, ...)
{
	char line[200];
	va_list ap;
	char *p;

	va_start(ap, fmt);
	vsnprintf(line, sizeof(line) - 1, fmt, ap);
	va_end(ap);
	strcat(line, "\n");
	for (p = line; *p; p++) {
		say_bits(*p >> 4 & 15);
		say_bits(*p & 15);
	}
}

__attribute__((__noreturn__))
static void finish(void)
{
	sync();
	reboot(RB_AUTOBOOT);
	for (;;)
		pause();
}

__attribute__((__noreturn__))
static void fail(const char *what)
{
	say("error %s: %s", what, strerror(errno));
	if (getpid() == 1)
		finish();
	_exit(1);
}

static bool put(const char *path, const char *value)
{
	int fd = open(path, O_WRONLY | O_TRUNC);
	ssize_t len = strlen(value);
	bool ok = fd >= 0 && write(fd, value, len) == len;

	if (fd >= 0)
		close(fd);
	return ok;
}

static void must_put(const char *path, const char *value)
{
	if (!put(path, value))
		fail(path);
}

static void tune(const char *name, long value)
{
	char path[200], text[32];

	snprintf(path, sizeof(path), TUNABLES "%s", name);
	snprintf(text, sizeof(text), "%ld", value);
	must_put(path, text);
}

/* ---- what the trace says of a pass ---- */

static const char * const reasons[] = {
	"scan_delay", "pid_inactive", "seq_completed", "ignore_pid_inactive",
};

static unsigned int seen[sizeof(reasons) / sizeof(*reasons)], seen_other, traced_passes;

/* Allocations by their size; how many there are at least of the size that is looked for. */
static unsigned int allocations[256];
static unsigned int states;

static void take_line(const char *line)
{
	const char *start = strstr(line, " vm_start="), *reason = strstr(line, "reason=");
	const char *bytes = strstr(line, "bytes_req=");
	unsigned int i;

	if (bytes && strtoul(bytes + 10, NULL, 10) < 256)
		allocations[strtoul(bytes + 10, NULL, 10)]++;
	if (!start || !reason || strtoul(start + 10, NULL, 16) < BASE ||
	    strtoul(start + 10, NULL, 16) >= 2 * BASE)
		return;
	for (i = 0; i < sizeof(reasons) / sizeof(*reasons); i++)
		if (!strcmp(reason + 7, reasons[i])) {
			seen[i]++;
			return;
		}
	seen_other++;
}

/* The size of a VMA's state, from the pass that made them. */
static void say_state_bytes(void)
{
	int i;

	for (i = 0; states && i < 256; i++) {
		if (allocations[i] < states)
			continue;
		say("state bytes=%d", i);
		must_put(TRACING "events/kmem/kmalloc/enable", "0");
		states = 0;
	}
}

/* Read the trace since the last time; a line may come in two parts. */
static void look_at_trace(void)
{
	int fd = open(TRACING "trace", O_RDONLY);
	size_t held = 0;
	ssize_t n;

	memset(seen, 0, sizeof(seen));
	seen_other = 0;
	if (fd < 0)
		fail(TRACING "trace");
	while ((n = read(fd, trace + held, sizeof(trace) - 1 - held)) > 0) {
		char *line = trace, *end;

		held += n;
		trace[held] = '\0';
		while ((end = strchr(line, '\n'))) {
			*end = '\0';
			take_line(line);
			line = end + 1;
		}
		held = trace + held - line;
		memmove(trace, line, held);
	}
	close(fd);
	if (!seen[0] && !seen[1] && !seen[2] && !seen[3] && !seen_other)
		return;
	traced_passes++;
	say_state_bytes();
	say("trace delayed=%u refused=%u completed=%u partial=%u other=%u", seen[0], seen[1],
	    seen[2], seen[3], seen_other);
	must_put(TRACING "trace", "");
}

/* ---- time ---- */

/* The kernel does no passes for a real-time task: not where it does what takes unknown time. */
static void set_class(int policy)
{
	const struct sched_param param = { .sched_priority = policy == SCHED_FIFO };

	if (sched_setscheduler(0, policy, &param))
		fail("sched_setscheduler");
}

static void spin(unsigned long ms)
{
	while (ms) {
		unsigned long step = ms < LOOK_MS ? ms : LOOK_MS, loops = step * LOOPS_PER_MS;

		asm volatile("1: dec %0\n\tjnz 1b" : "+r" (loops) : : "cc");
		ms -= step;
		if (verify) {
			set_class(SCHED_FIFO);
			look_at_trace();
			set_class(SCHED_OTHER);
		}
	}
}

/* The mm's scan sequence. */
static int sequence(void)
{
	char text[8192], *p;
	int fd = open("/proc/self/sched", O_RDONLY);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = '\0';
	p = strstr(text, "mm->numa_scan_seq");
	p = p ? strchr(p, ':') : NULL;
	if (!p)
		fail("mm->numa_scan_seq in /proc/self/sched");
	return atoi(p + 1);
}

/* For so many passes, at least. */
static void spin_passes(unsigned int n)
{
	unsigned int until = traced_passes + n, ms;

	for (ms = 0; verify && ms < n * TRACED_PASS_MS && traced_passes < until; ms += LOOK_MS)
		spin(LOOK_MS);
	if (!verify)
		spin(n * PASS_MS);
}

/* Until a pass came to the end of all VMAs; a while at most. */
static void await_sequence(void)
{
	int before = sequence(), ms;

	for (ms = 0; ms < 2 * TRACED_PASS_MS && sequence() == before; ms += LOOK_MS)
		spin(LOOK_MS);
}

static unsigned long now_ms(void)
{
	struct timespec t;

	syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void sleep_until(unsigned long ms)
{
	const struct timespec t = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 };

	syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
}

/* ---- threads: system calls only, there is no room for more ---- */

static int idle(void *arg)
{
	(void)arg;
	atomic_fetch_add(&idlers, 1);
	while (!atomic_load(&leave))
		syscall(SYS_futex, &leave, FUTEX_WAIT, 0, NULL, NULL, 0);
	atomic_fetch_sub(&idlers, 1);
	syscall(SYS_exit, 0);
	return 0;
}

/* A process that shares the memory: of a process that is alone, local pages are not scanned. */
static int keep(void *arg)
{
	(void)arg;
	for (;;)
		syscall(SYS_pause);
	return 0;
}

static pid_t start(int (*run)(void *arg), int n, int flags)
{
	pid_t pid = clone(run, stacks[n] + STACK_BYTES, CLONE_VM | flags, NULL);

	if (pid < 0)
		fail("clone");
	return pid;
}

static void await_idlers(int n)
{
	while (atomic_load(&idlers) != n)
		sleep_until(now_ms() + 20);
	sleep_until(now_ms() + 20);
}

/* ---- the VMAs ---- */

static char *vma(int i)
{
	return (char *)BASE + i * STRIDE;
}

static void map(int first, int n)
{
	const unsigned long nodes = 3;
	int i;

	for (i = first; i < first + n; i++) {
		if (mmap(vma(i), PAGE, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) != vma(i))
			fail("mmap");
		if (syscall(SYS_mbind, vma(i), PAGE, MPOL_BIND | MPOL_F_NUMA_BALANCING, &nodes,
			    sizeof(nodes) * CHAR_BIT + 1, 0))
			fail("mbind");
		*(volatile char *)vma(i) = 1;
	}
}

/* VMAs of the process below the ones that are scanned, and above. */
static void count_others(int *below, int *above)
{
	FILE *f = fopen("/proc/self/maps", "re");
	unsigned long at;
	char line[300];

	if (!f)
		fail("/proc/self/maps");
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%lx", &at) != 1)
			continue;
		*below += at < BASE;
		*above += at >= 2 * BASE;
	}
	fclose(f);
}

/* Access each VMA, wait until a pass came to the end of them. */
static void touch_and_scan(int n, int rounds)
{
	int i;

	while (rounds--) {
		set_class(SCHED_FIFO);
		for (i = EXTRA; i < n + EXTRA; i++)
			*(volatile char *)vma(i) = rounds;
		set_class(SCHED_OTHER);
		await_sequence();
	}
}

/* All are scanned, and come by again because another one is refused. */
static void come_by_again(int n)
{
	say("phase apart");
	set_class(SCHED_FIFO);
	map(n + EXTRA, 1);
	set_class(SCHED_OTHER);
	touch_and_scan(n, 2);
	sleep_until(now_ms() + DELAY_MS);
	touch_and_scan(n, 1);
	say("phase completed");
	touch_and_scan(n, SCANS(n));
}

static void measure(int n)
{
	int below = 0, above = 0, i;
	const unsigned long node = 1;
	unsigned long begin;
	pid_t keeper;

	if (syscall(SYS_set_mempolicy, MPOL_BIND, &node, sizeof(node) * CHAR_BIT + 1))
		fail("set_mempolicy");
	count_others(&below, &above);
	say("process vmas=%d extra=%d below=%d above=%d verify=%d", n, EXTRA, below, above, verify);
	keeper = start(keep, IDLERS, SIGCHLD);
	for (i = 0; i < IDLERS; i++)
		start(idle, i, CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD);
	await_idlers(IDLERS);
	await_sequence();
	await_sequence();
	set_class(SCHED_FIFO);
	tune("scan_delay_ms", DELAY_MS);
	map(0, n + EXTRA);
	set_class(SCHED_OTHER);

	if (verify && n == 1000) {
		states = n;
		must_put(TRACING "events/kmem/kmalloc/enable", "1");
	}
	say("phase new");
	await_sequence();
	begin = now_ms();
	say("phase delayed");
	spin_passes(2);
	sleep_until(begin + DELAY_MS + 2 * LOOK_MS);
	say("phase refused");
	spin_passes(EXTRA + 2);
	sleep_until(begin + AGE_MS + 2 * LOOK_MS);
	say("phase aged");
	spin_passes(1);

	say("phase settle");
	munmap(vma(0), EXTRA * STRIDE);
	atomic_store(&leave, 1);
	syscall(SYS_futex, &leave, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
	await_idlers(0);
	touch_and_scan(n, 1);
	say("phase first");
	touch_and_scan(n, 1);
	say("phase again");
	touch_and_scan(n, SCANS(n));

	if (!brief)
		come_by_again(n);
	say("phase done");
	kill(keeper, SIGKILL);
	waitpid(keeper, NULL, 0);
	_exit(0);
}

/* In a process of its own, whose VMAs and threads are nobody else's. */
static void run(int n, bool traced)
{
	int status;
	pid_t pid;

	verify = traced;
	tune("scan_delay_ms", BEGIN_DELAY_MS);
	must_put(TRACING "trace", "");
	must_put(TRACING "events/sched/sched_skip_vma_numa/enable", traced ? "1" : "0");
	pid = fork();
	if (pid < 0)
		fail("fork");
	if (!pid)
		measure(n);
	if (waitpid(pid, &status, 0) != pid || status) {
		errno = 0;
		fail("the measured process did not end well");
	}
}

static void set_up(void)
{
	if (mount("proc", "/proc", "proc", 0, NULL) || mount("sys", "/sys", "sysfs", 0, NULL) ||
	    mount("debugfs", DEBUGFS, "debugfs", 0, NULL))
		fail("mount");
	must_put(TRACING "buffer_size_kb", "8192");
	tune("scan_size_mb", SCAN_MB);
	tune("scan_period_min_ms", PERIOD_MS);
	tune("scan_period_max_ms", PERIOD_MS);
}

/* Each policy that the kernel has in its turn, for the price of its decision alone. */
static void run_policies(void)
{
	char names[1024], *name;
	int fd = open(POLICIES "available", O_RDONLY);
	ssize_t n = fd < 0 ? -1 : read(fd, names, sizeof(names) - 1);

	if (n <= 0)
		fail(POLICIES "available");
	close(fd);
	names[n] = '\0';
	brief = true;
	for (name = strtok(names, " \n"); name; name = strtok(NULL, " \n")) {
		must_put(POLICIES "policy", name);
		say("policy %s", name);
		run(10, false);
		run(1000, false);
	}
}

int main(void)
{
	static const int sizes[] = { 10, 1000, 10000 };
	const char *each = getenv("bench_each"), *shadow = getenv("bench_shadow");
	unsigned int i, round;

	set_up();
	if (shadow)
		must_put(POLICIES "shadow", "1");
	for (i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
		for (round = 0; round < (sizes[i] > 1000 ? 3 : 4); round++)
			run(sizes[i], !round);
	if (each)
		run_policies();
	say("end");
	finish();
}
