// SPDX-License-Identifier: GPL-2.0
/*
 * A process that does in a real kernel what the events of a history say.
 *
 * It is a child of the workload's process, which tells one task at a time what to do. Its first
 * task is its first thread; the others are threads whose PIDs have the right bits in a window,
 * and threads that only sleep make up the number. Another process shares its memory, so that a
 * scan does not leave local pages alone.
 *
 * All run as real-time tasks, for which the kernel never scans, but the one whose pass it is: that
 * one is an ordinary task until the kernel has done what the event is about. Passes are farther
 * apart than its looks at the trace and at the mm's sequence.
 */
#include <errno.h>
#include <limits.h>
#include <linux/mempolicy.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "acting.h"

/* The VMA, the ballast, and the marks behind each; see NP_ACT_FILTER. */
#define VMA 0x100000000000UL
#define MARK 0x10000f000000UL
#define BALLAST 0x100010000000UL
#define END_MARK 0x10001f000000UL

/* What a pass scans at once, more or less: its steps end on such a border. */
#define BLOCK (2UL << 20)
#define BLOCK_MB 2

/*
 * Budgets of a pass, in MB: one that the ballast uses up, whether the VMA is scanned or not; one
 * that both do not; and one that a block of the VMA does.
 */
#define WHOLE_MB(_blocks) (BLOCK_MB * ((_blocks) + 1))
#define ALONE_MB(_blocks) (2 * WHOLE_MB(_blocks))
#define INSIDE_MB 1

/* Threads that do nothing but count, at most. */
#define IDLERS_MAX 256

/* The stack of a thread. */
#define STACK_BYTES (256 << 10)

/* How long a pass with all that belongs to it may take, and how long any event may. */
#define PASS_MS 2000
#define ANSWER_MS 20000

enum what { BEGIN, DO_MAP, DO_UNMAP, DO_ACCESS, DO_PASS, DO_SEQUENCES, DO_THREADS };

/**
 * struct shared - what the process and the one that directs it share
 * @scene: what the process is like
 * @go: for each task, whether it is its turn
 * @done: whether the task whose turn it was has finished
 * @stay: how many of the threads that only sleep are to stay
 * @what: what the task is to do
 * @arg: a number that belongs to it
 * @pass: a pass that belongs to it, and its answer
 * @has_state: whether a pass has met the VMA
 * @prev_seq: the sequence in which it was last scanned to its end, as far as was seen
 * @error: why it could not be done; "" if it was
 */
struct shared {
	struct np_scene scene;
	atomic_int go[NP_ACT_TASKS];
	atomic_int done;
	atomic_int stay;
	enum what what;
	int arg;
	struct np_pass pass;
	bool has_state;
	int prev_seq;
	char error[200];
};

static struct shared *shared;
static pid_t process;

/* In the process: */
static pthread_t idlers[IDLERS_MAX];
static int nr_idlers;
static max_align_t keeper_stack[256];

/* What a thread says about its birth, and the bits that are taken: 0, or who has it. */
enum birth { UNBORN, STAYS, LEAVES };
static atomic_int born;
static char taken[64];

/* What a pass was seen to do. */
struct seen {
	bool vma;		/* it came by the VMA */
	bool asked;		/* and asked the policy */
	bool refused;		/* which refused it */
	bool end;		/* one came to the end of the address space just now */
	bool again;		/* it did not end the sequence then, but began again */
	bool scanned;		/* the next one went on from inside the VMA or from its end */
	unsigned long offset;	/* where the scan stood when the policy was asked */
	int seq;
};

__printf(1, 2) static bool fail(const char *fmt, ...)
{
	va_list ap;

	if (shared->error[0])
		return false;
	va_start(ap, fmt);
	vsnprintf(shared->error, sizeof(shared->error), fmt, ap);
	va_end(ap);
	return false;
}

/* ---- the process and its threads ---- */

static bool set_class(int policy)
{
	const struct sched_param param = { .sched_priority = policy == SCHED_FIFO };

	if (sched_setscheduler(0, policy, &param))
		return fail("sched_setscheduler: %s", strerror(errno));
	return true;
}

/* Memory that may be scanned, though the tasks' own memory policy leaves all else out. */
static bool map(unsigned long start, size_t len)
{
	unsigned long nodes = 0;
	void *p;
	int i;

	for (i = 0; i < guest.nnodes; i++)
		if (guest.node[i].mem_kb)
			nodes |= 1UL << guest.node[i].id;
	p = mmap((void *)start, len, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	if (p == MAP_FAILED)
		return fail("mmap: %s", strerror(errno));
	if (syscall(SYS_mbind, p, len, MPOL_BIND | MPOL_F_NUMA_BALANCING, &nodes,
		    sizeof(nodes) * CHAR_BIT + 1, 0))
		return fail("mbind: %s", strerror(errno));
	return true;
}

static bool map_mark(unsigned long start)
{
	void *p = mmap((void *)start, NP_PAGE, PROT_NONE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	return p == MAP_FAILED ? fail("mmap: %s", strerror(errno)) : true;
}

static void touch_page(unsigned long start, int page)
{
	np_touch((char *)start + page * NP_PAGE);
}

/*
 * A task's own pages of the ballast, one in each block. Where a scan made one of them trap, this
 * is an access that makes every policy scan the ballast in the task's next pass.
 */
static void touch_ballast(int task)
{
	int i;

	for (i = 0; i <= shared->scene.blocks; i++)
		touch_page(BALLAST + i * BLOCK, task);
}

/* Threads of the process, as the kernel counts them. */
static int count_threads(void)
{
	struct stat st;

	return stat("/proc/self/task", &st) ? -1 : (int)st.st_nlink - 2;
}

static void *idle(void *arg)
{
	int number = (long)arg, stay;

	while ((stay = atomic_load(&shared->stay)) > number)
		np_futex_wait(&shared->stay, stay, 0);
	return NULL;
}

static bool make_thread(pthread_t *thread, void *(*run)(void *), long arg)
{
	pthread_attr_t attr;
	int err;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_BYTES);
	err = pthread_create(thread, &attr, run, (void *)arg);
	return err ? fail("cannot create a thread: %s", strerror(err)) : true;
}

/* Let threads that only sleep come or go until there are @n threads in all. */
static bool set_threads(int n)
{
	int stay = n - (count_threads() - nr_idlers), tries;

	if (stay < 0 || stay > IDLERS_MAX)
		return fail("the process cannot have %d threads", n);
	atomic_store(&shared->stay, stay);
	np_futex_wake(&shared->stay);
	while (nr_idlers > stay)
		pthread_join(idlers[--nr_idlers], NULL);
	while (nr_idlers < stay) {
		if (!make_thread(&idlers[nr_idlers], idle, nr_idlers))
			return false;
		nr_idlers++;
	}
	/* The kernel counts a thread for a little longer than it can be joined. */
	for (tries = 0; count_threads() != n; tries++) {
		if (tries == 1000)
			return fail("%d threads instead of %d", count_threads(), n);
		usleep(1000);
	}
	return true;
}

/* Only shares the memory; makes no call that needs more of the C library than a stack. */
static int keep(void *arg)
{
	(void)arg;
	syscall(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL);
	for (;;)
		syscall(SYS_ppoll, NULL, 0, NULL, NULL, 0);
	return 0;
}

static void *be_task(void *arg);

/* Is this PID right for a task? */
static bool fits(int task, pid_t pid)
{
	char name = shared->scene.bit[task];
	char now = taken[np_pid_bit(pid)];

	return now ? now == name : !memchr(taken, name, sizeof(taken));
}

static bool make_task(int task)
{
	pthread_t thread;
	int tries;

	for (tries = 0; tries < 2000; tries++) {
		atomic_store(&born, UNBORN);
		if (!make_thread(&thread, be_task, task))
			return false;
		while (atomic_load(&born) == UNBORN)
			np_futex_wait(&born, UNBORN, 0);
		if (atomic_load(&born) == STAYS)
			return true;
		pthread_join(thread, NULL);
	}
	return fail("no PID with the right bit for task %d", task);
}

static bool begin(void)
{
	const struct np_scene *scene = &shared->scene;
	struct np_trace_event e;
	int task;

	/* What is left of an earlier process. */
	while (np_trace_next(&e) > 0)
		;
	if (clone(keep, keeper_stack + ARRAY_SIZE(keeper_stack), CLONE_VM | SIGCHLD, NULL) < 0)
		return fail("clone: %s", strerror(errno));
	if (!map(BALLAST, (scene->blocks + 1) * BLOCK) || !map_mark(MARK) || !map_mark(END_MARK))
		return false;
	taken[np_pid_bit(gettid())] = scene->bit[0];
	for (task = 0; task < NP_ACT_TASKS; task++) {
		if (!(scene->tasks & 1U << task))
			continue;
		touch_ballast(task);
		if (task && !make_task(task))
			return false;
	}
	return set_threads(scene->threads);
}

/* ---- passes ---- */

/* The mm's scan sequence, or -1. */
static int sequence(void)
{
	static const char key[] = "mm->numa_scan_seq";
	struct np_buf b = { 0 };
	int seq = -1;
	char *p;

	if (!np_read_file("/proc/thread-self/sched", &b)) {
		p = strstr(b.s, key);
		p = p ? strchr(p, ':') : NULL;
		if (p)
			seq = atoi(p + 1);
	}
	np_buf_free(&b);
	if (seq < 0)
		fail("no %s in /proc/thread-self/sched: needs CONFIG_SCHED_DEBUG", key);
	return seq;
}

static void set_answer(struct np_pass *pass, const char *answer)
{
	snprintf(pass->answer, sizeof(pass->answer), "%s", answer);
}

static bool meet(struct np_pass *pass, struct seen *seen, const struct np_trace_event *e)
{
	static const struct {
		const char *reason;
		const char *answer;
	} skips[] = {
		{ "scan_delay", "delayed" },
		{ "seq_completed", "same_seq" },
		/* These come with a decision. */
		{ "pid_inactive", NULL },
		{ "ignore_pid_inactive", NULL },
	};
	const char *answer = e->reason;
	size_t i;

	if (!e->decided) {
		for (i = 0; i < ARRAY_SIZE(skips); i++)
			if (!strcmp(skips[i].reason, e->reason))
				break;
		if (i == ARRAY_SIZE(skips))
			return fail("the kernel passed the VMA over as %s", e->reason);
		answer = skips[i].answer;
		if (!answer)
			return true;
	}
	if (seen->vma)
		return fail("two passes met the VMA");
	seen->vma = true;
	pass->ns = e->ns;
	set_answer(pass, answer);
	if (!shared->has_state)
		shared->prev_seq = seen->seq - 1;
	shared->has_state = true;
	if (!e->decided)
		return true;
	seen->asked = true;
	seen->refused = !strcmp(e->reason, "skip");
	seen->offset = e->offset;
	snprintf(pass->policy, sizeof(pass->policy), "%s", e->policy);
	if (e->seq != seen->seq)
		return fail("sequence %d in the trace, %d before the pass", e->seq, seen->seq);
	if (e->prev_seq != shared->prev_seq)
		return fail("last scanned in sequence %d by the trace, %d by what was seen",
			    e->prev_seq, shared->prev_seq);
	if (e->threads != count_threads())
		return fail("%d threads in the trace, %d in the process", e->threads,
			    count_threads());
	return true;
}

/* Take in what the kernel traced since the last time. */
static bool look(struct np_pass *pass, struct seen *seen)
{
	const unsigned long vma_end = VMA + shared->scene.blocks * BLOCK;
	struct np_trace_event e;
	int ret;

	while ((ret = np_trace_next(&e)) > 0) {
		if (e.tid != gettid())
			return fail("a pass by thread %d, whose turn it is not", e.tid);
		if (e.start == END_MARK) {
			seen->end = true;
		} else if (e.start == MARK) {
			if (seen->refused && e.offset > VMA && e.offset > seen->offset &&
			    e.offset <= vma_end)
				seen->scanned = true;
		} else if (e.start == BALLAST) {
			if (e.decided && !strcmp(e.reason, "skip"))
				return fail("the policy refused the ballast");
		} else if (!meet(pass, seen, &e)) {
			return false;
		}
	}
	return ret ? fail("cannot read the trace") : true;
}

/*
 * New pages wait for the LRU lists in batches of the CPUs, which refer to them; before v6.10 a pass
 * does not make a page trap that anything but one mapping refers to. Whoever asks for a page to be
 * moved has the batches emptied, even if it is where it is to be.
 */
static bool empty_batches(int task)
{
	void *page = (void *)(BALLAST + task * NP_PAGE);
	int node, status;

	if (syscall(SYS_move_pages, 0, 1UL, &page, NULL, &node, 0) || node < 0 ||
	    syscall(SYS_move_pages, 0, 1UL, &page, &node, &status, MPOL_MF_MOVE))
		return fail("move_pages: %s", strerror(errno));
	return true;
}

/* Be an ordinary task until the kernel has made the passes that are wanted. */
static bool pass_until(int task, struct np_pass *pass, struct seen *seen, int until)
{
	unsigned long limit = np_now() + PASS_MS * 1000000UL * (until - seen->seq);
	int seq = seen->seq;

	while (seq < until) {
		touch_ballast(task);
		np_spin(1);
		if (!look(pass, seen))
			return false;
		if (seen->end) {
			seq = sequence();
			if (seq < 0)
				return false;
			if (seq == seen->seq && seen->refused)
				seen->again = true;
			seen->end = false;
			/* What was moved meanwhile waits in them, too. */
			if (seq < until && !empty_batches(task))
				return false;
		}
		if (pass->inside && seen->asked && !seen->refused)
			return true;
		if (np_now() > limit)
			return fail("no pass%s within %d ms",
				    seen->vma ? " to the end of the address space" : "", PASS_MS);
	}
	if (seq > until)
		return fail("the sequence went from %d to %d", seen->seq, seq);
	return true;
}

static bool make_passes(int task, struct np_pass *pass, struct seen *seen, int n)
{
	struct np_pass before = { 0 };

	if (!empty_batches(task))
		return false;
	seen->seq = sequence();
	/* Nothing may have happened since the last event. */
	if (seen->seq < 0 || !look(&before, seen))
		return false;
	if (seen->vma || seen->end)
		return fail("there was a pass before this event");
	return set_class(SCHED_OTHER) && pass_until(task, pass, seen, seen->seq + n) &&
	       set_class(SCHED_FIFO) && look(pass, seen);
}

/*
 * A page that was never touched: touching it is no hinting fault, but then a scan has something
 * to do in that block, which is what its budget counts.
 */
static void prepare_blocks(int event)
{
	int i;

	for (i = 0; i < shared->scene.blocks; i++)
		touch_page(VMA + i * BLOCK, NP_ACT_PAGES + event);
}

static bool make_pass(int task)
{
	struct np_pass *pass = &shared->pass;
	struct seen seen = { 0 };
	int seq;

	if (pass->inside && pass->alone)
		return fail("a forced pass cannot be made to stop inside the VMA");
	if (pass->inside)
		prepare_blocks(pass->event);
	if (!make_passes(task, pass, &seen, 1))
		return false;
	seq = sequence();
	if (pass->inside && seen.asked && !seen.refused)
		return seq == seen.seq ? true : fail("the pass did not stop inside the VMA");
	if (seq != seen.seq + 1)
		return fail("the sequence went from %d to %d", seen.seq, seq);
	if (!seen.vma)
		set_answer(pass, "unmet");
	/* The ballast's own scan delay may do that, if the VMA's state is older. */
	if (seen.again && !pass->alone)
		return fail("the ballast did not end the pass before the end of the address space");
	/* Two signs of a forced pass, which must agree. */
	if (seen.again != seen.scanned)
		return fail(seen.again ? "a pass began again, but did not scan the VMA" :
			    "the VMA was scanned, though no pass began again");
	if (seen.again)
		set_answer(pass, "forced");
	if (seen.again || (seen.asked && !seen.refused))
		shared->prev_seq = seen.seq;
	return true;
}

static bool make_sequences(int task, int n)
{
	struct np_pass none = { 0 };
	struct seen seen = { 0 };

	return make_passes(task, &none, &seen, n);
}

/* ---- the other events ---- */

static bool map_vma(void)
{
	int i;

	shared->has_state = false;
	if (!map(VMA, shared->scene.blocks * BLOCK))
		return false;
	for (i = 0; i < shared->scene.pages; i++)
		touch_page(VMA, i);
	return true;
}

static bool unmap_vma(void)
{
	if (munmap((void *)VMA, shared->scene.blocks * BLOCK))
		return fail("munmap: %s", strerror(errno));
	return true;
}

static long faults(void)
{
	struct rusage ru;

	getrusage(RUSAGE_THREAD, &ru);
	return ru.ru_minflt;
}

/* The page has been there since the VMA has, so that a fault is a hinting fault. */
static bool access_vma(int page)
{
	long before = faults();

	touch_page(VMA, page);
	return faults() > before ? true : fail("the access took no hinting fault");
}

static void act(int task)
{
	switch (shared->what) {
	case BEGIN:
		begin();
		break;
	case DO_MAP:
		map_vma();
		break;
	case DO_UNMAP:
		unmap_vma();
		break;
	case DO_ACCESS:
		access_vma(shared->arg);
		break;
	case DO_PASS:
		make_pass(task);
		break;
	case DO_SEQUENCES:
		make_sequences(task, shared->arg);
		break;
	case DO_THREADS:
		set_threads(shared->arg);
		break;
	}
}

static noreturn void wait_and_act(int task)
{
	for (;;) {
		while (!atomic_load(&shared->go[task]))
			np_futex_wait(&shared->go[task], 0, 0);
		atomic_store(&shared->go[task], 0);
		act(task);
		atomic_store(&shared->done, 1);
		np_futex_wake(&shared->done);
	}
}

static void *be_task(void *arg)
{
	int task = (long)arg;
	bool stays = fits(task, gettid());

	if (stays)
		taken[np_pid_bit(gettid())] = shared->scene.bit[task];
	atomic_store(&born, stays ? STAYS : LEAVES);
	np_futex_wake(&born);
	if (stays)
		wait_and_act(task);
	return NULL;
}

/* ---- the one that directs ---- */

/* Let a task do something. */
static const char *direct(int task, enum what what, int arg)
{
	unsigned long limit = np_now() + ANSWER_MS * 1000000UL;
	int status;

	shared->what = what;
	shared->arg = arg;
	shared->error[0] = '\0';
	atomic_store(&shared->done, 0);
	atomic_store(&shared->go[task], 1);
	np_futex_wake(&shared->go[task]);
	while (!atomic_load(&shared->done)) {
		np_futex_wait(&shared->done, 0, 100);
		if (waitpid(process, &status, WNOHANG) == process) {
			fail(WIFSIGNALED(status) ? "the process was ended by signal %d" :
			     "the process ended with status %d",
			     WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
			process = 0;
			break;
		}
		if (np_now() > limit) {
			fail("the process did not answer within %d ms", ANSWER_MS);
			break;
		}
	}
	return shared->error[0] ? shared->error : NULL;
}

/* Once, in the process that directs. */
static void prepare(void)
{
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		      -1, 0);
	if (shared == MAP_FAILED)
		np_fail("mmap: %s", strerror(errno));
	if (prctl(PR_SET_CHILD_SUBREAPER, 1))
		np_fail("prctl: %s", strerror(errno));
	if (syscall(SYS_set_mempolicy, MPOL_LOCAL, NULL, 0))
		np_fail("set_mempolicy: %s", strerror(errno));
	if (!set_class(SCHED_FIFO))
		np_fail("%s", shared->error);
}

/**
 * np_act_begin() - make a process for a history
 * @scene: what it is to be like
 *
 * It is to be ended by np_act_end() in any case.
 *
 * Return: NULL, or why this could not be done. This and the texts that the other functions
 * return are good until the next call.
 */
const char *np_act_begin(const struct np_scene *scene)
{
	const char *error;

	if (!shared)
		prepare();
	memset(shared, 0, sizeof(*shared));
	shared->scene = *scene;
	np_tune("scan_size_mb", WHOLE_MB(scene->blocks));
	/* A task's first scan period is the scan delay at its birth. */
	np_tune("scan_delay_ms", NP_ACT_PERIOD_MS);
	process = fork();
	if (!process) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		wait_and_act(0);
	}
	if (process < 0)
		np_fail("fork: %s", strerror(errno));
	error = direct(0, BEGIN, 0);
	np_tune("scan_delay_ms", NP_ACT_DELAY_MS);
	return error;
}

/**
 * np_act_map() - let the VMA come into being, its pages touched
 *
 * Return: NULL, or why this could not be done.
 */
const char *np_act_map(void)
{
	return direct(0, DO_MAP, 0);
}

/**
 * np_act_unmap() - let the VMA go
 *
 * Return: NULL, or why this could not be done.
 */
const char *np_act_unmap(void)
{
	return direct(0, DO_UNMAP, 0);
}

/**
 * np_act_access() - let a task take a hinting fault in the VMA
 * @task: the task
 * @page: the page, which no task has accessed yet
 *
 * Return: NULL, or why this could not be done.
 */
const char *np_act_access(int task, int page)
{
	return direct(task, DO_ACCESS, page);
}

/**
 * np_act_pass() - let a task make a pass, and those after it that end the sequence
 * @task: the task
 * @pass: what the pass is like; what came of it is filled in
 *
 * Return: NULL, or why this could not be done.
 */
const char *np_act_pass(int task, struct np_pass *pass)
{
	const char *error;

	shared->pass = *pass;
	np_tune("scan_size_mb", pass->inside ? INSIDE_MB :
		pass->alone ? ALONE_MB(shared->scene.blocks) : WHOLE_MB(shared->scene.blocks));
	error = direct(task, DO_PASS, 0);
	*pass = shared->pass;
	return error;
}

/**
 * np_act_sequences() - let sequences go by, which do not meet the VMA
 * @n: how many, 1 or more
 *
 * Return: NULL, or why this could not be done.
 */
const char *np_act_sequences(int n)
{
	return direct(0, DO_SEQUENCES, n);
}

/**
 * np_act_threads() - change the number of threads in the process
 * @n: how many there are to be
 *
 * Return: NULL, or why this could not be done.
 */
const char *np_act_threads(int n)
{
	return direct(0, DO_THREADS, n);
}

/**
 * np_act_end() - end the process
 */
void np_act_end(void)
{
	if (process > 0)
		kill(process, SIGKILL);
	while (wait(NULL) > 0 || errno == EINTR)
		;
	process = 0;
}
