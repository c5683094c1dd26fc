// SPDX-License-Identifier: GPL-2.0
/*
 * Runs cells in guests, several at once.
 *
 * One loop looks after all guests. Signals arrive through a descriptor, so that a guest's end
 * and a Ctrl-C wake the loop and nothing happens behind its back.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "runner.h"
#include "util.h"
#include "workloads.h"

#define TICK_MS 200
#define PROGRESS_MS 1000

/* Longest time between two looks that counts: more means that we were stopped, not the guest. */
#define CLOCK_STEP_MS 5000

/* What the kernel takes: a command line on x86, and arguments for init. */
#define COMMAND_LINE_MAX 2048
#define INIT_ARGS_MAX 31

/* A file system with less space than this is full. */
#define FULL_BYTES (128 * 1024)

/* Seconds beyond its limit after which a run on this machine is ended from outside. */
#define GRACE_S 60

/* A guest slot. */
struct slot {
	struct np_guest guest;
	struct np_machine machine;
	struct np_job *job;
	struct np_cell *cell;
	double since;
};

struct run {
	const struct np_plan *plan;
	struct np_cell *cells;
	int ncells;
	int next;
	int ordered;
	struct slot *slots;
	int running;
	int finished;
	int failed;
	int signals;
	bool stopped;
	bool tty;
	long now;
	double last_look;
	double last_progress;
};

static double seconds(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

/**
 * np_plan_shift() - instruction-counting shift of a workload
 * @plan: the plan
 * @workload: name of the workload
 *
 * Return: the shift.
 */
int np_plan_shift(const struct np_plan *plan, const char *workload)
{
	return plan->shift >= 0 ? plan->shift : np_workload_find(workload)->shift;
}

/**
 * np_plan_limit() - limit of guest time of a workload
 * @plan: the plan
 * @workload: name of the workload
 *
 * Return: the limit in seconds.
 */
long np_plan_limit(const struct np_plan *plan, const char *workload)
{
	return plan->limit_s ? plan->limit_s : np_workload_find(workload)->limit_s;
}

/* The absolute path of a file in a directory that may not be there yet. */
static char *absolute(const char *dir, const char *name)
{
	char *cwd = *dir == '/' ? NULL : getcwd(NULL, 0), *path;

	path = cwd ? np_asprintf("%s/%s/%s", cwd, dir, name) : np_asprintf("%s/%s", dir, name);
	free(cwd);
	return path;
}

static char *cell_dir(const struct np_plan *plan, const struct np_cell *cell)
{
	return np_asprintf("%s/cells/%s-%s-%d", plan->out, cell->workload, cell->policy, cell->rep);
}

/* Tell the guest where its job is. */
static void add_job(struct np_buf *b, const struct np_plan *plan, const struct np_cell *cell)
{
	char *dir = cell_dir(plan, cell), *path = absolute(dir, NP_JOB);
	char *encoded = np_job_encode(path);

	np_buf_printf(b, " job=%s", encoded);
	free(encoded);
	free(path);
	free(dir);
}

static void add_settings(struct np_buf *b, const char *prefix, const json_t *settings)
{
	const char *name;
	json_t *value;

	json_object_foreach((json_t *)settings, name, value)
		np_buf_printf(b, " %s.%s=%lld", prefix, name,
			      (long long)json_integer_value(value));
}

/**
 * np_plan_args() - the arguments of the program that runs the cell's workload
 * @plan: the plan
 * @cell: the cell
 *
 * Return: the arguments, with blanks between, to be freed.
 */
char *np_plan_args(const struct np_plan *plan, const struct np_cell *cell)
{
	struct np_buf b = { 0 };

	np_buf_printf(&b, "workload=%s seed=%ld limit_s=%ld sample_ms=%ld", cell->workload,
		      cell->seed, np_plan_limit(plan, cell->workload), plan->sample_ms);
	if (plan->windows)
		np_buf_printf(&b, " windows=%d", plan->windows);
	if (plan->decisions)
		np_buf_puts(&b, " decisions=1");
	if (plan->machine.traffic)
		np_buf_puts(&b, " traffic=1");
	add_settings(&b, "p", json_object_get(plan->params, cell->workload));
	add_settings(&b, "t", plan->tunables);
	if (np_workload_find(cell->workload)->command)
		add_job(&b, plan, cell);
	return b.s;
}

/**
 * np_plan_append() - the kernel's command line for a cell
 * @plan: the plan
 * @cell: the cell
 *
 * Return: the command line, to be freed.
 */
char *np_plan_append(const struct np_plan *plan, const struct np_cell *cell)
{
	const struct np_arch *arch = plan->machine.arch ?: np_arch_usual();
	char *args = np_plan_args(plan, cell);
	struct np_buf b = { 0 };

	np_buf_printf(&b, "console=%s panic=-1 loglevel=4 kunit.enable=0", arch->console);
	if (!plan->assume)
		np_buf_printf(&b, " numa_scan_policy=%s", cell->policy);
	/* While all wait for the host, the clock jumps from tick to tick: short jumps, please. */
	if (np_workload_find(cell->workload)->command)
		np_buf_puts(&b, " nohz=off skew_tick=1");
	np_buf_printf(&b, " -- %s", args);
	free(args);
	return b.s;
}

/**
 * np_plan_check_append() - see whether the kernel would take all of a command line
 * @append: the command line
 *
 * Return: NULL, or what is wrong, to be freed.
 */
char *np_plan_check_append(const char *append)
{
	const char *p = strstr(append, " -- ");
	int words = 0;

	for (; p && *p; p++)
		words += *p == ' ';
	if (words - 1 > INIT_ARGS_MAX)
		return np_asprintf("%d settings for one guest, at most %d are possible", words - 1,
				   INIT_ARGS_MAX);
	if (strlen(append) >= COMMAND_LINE_MAX)
		return np_asprintf("the settings make a kernel command line of %zu bytes",
				   strlen(append));
	return NULL;
}

static void clear_progress(struct run *run)
{
	if (run->tty)
		fputs("\r\033[K", stderr);
	run->last_progress = 0;
}

/* What the finished cells of a workload took, and how many are left. */
struct estimate {
	const char *workload;
	double host_s;
	int finished;
	int left;
};

static struct estimate *estimate_of(struct estimate **list, int *n, const char *workload)
{
	for (int i = 0; i < *n; i++)
		if (!strcmp((*list)[i].workload, workload))
			return &(*list)[i];
	*list = np_realloc(*list, (*n + 1) * sizeof(**list));
	(*list)[*n] = (struct estimate) { .workload = workload };
	return &(*list)[(*n)++];
}

/* Mean host seconds of the finished cells of a workload; if there are none, of all. */
static double mean_host(const struct estimate *e, const struct estimate *all)
{
	if (e->finished)
		return e->host_s / e->finished;
	return all->finished ? all->host_s / all->finished : 0;
}

static double time_left(const struct run *run, double t)
{
	struct estimate *list = NULL, *e, all = { 0 };
	double left = 0;
	int n = 0;

	for (int i = 0; i < run->ncells; i++) {
		const struct np_cell *c = &run->cells[i];

		e = estimate_of(&list, &n, c->workload);
		e->left += i >= run->next && c->status == NP_CELL_NOT_RUN;
		if (c->status == NP_CELL_NOT_RUN)
			continue;
		e->host_s += c->host_s;
		e->finished++;
		all.host_s += c->host_s;
		all.finished++;
	}
	for (int i = 0; i < n; i++)
		left += list[i].left * mean_host(&list[i], &all);
	for (int i = 0; i < run->plan->jobs; i++) {
		const struct slot *s = &run->slots[i];
		double rest;

		if (!s->cell)
			continue;
		e = estimate_of(&list, &n, s->cell->workload);
		rest = mean_host(e, &all) - (t - s->since);
		left += rest > 0 ? rest : 0;
	}
	free(list);
	return left / run->plan->jobs;
}

static void progress(struct run *run)
{
	double t = seconds();
	long left;

	if (!run->tty || (run->last_progress && (t - run->last_progress) * 1000 < PROGRESS_MS))
		return;
	run->last_progress = t;
	fprintf(stderr, "\rcells %d/%d, %d failed", run->finished, run->ncells, run->failed);
	left = time_left(run, t) + .5;
	if (run->signals)
		fputs(run->plan->native ? ", ending the run" : ", ending the guests", stderr);
	else if (run->finished && left >= 60)
		fprintf(stderr, ", about %ld min %02ld s left", left / 60, left % 60);
	else if (run->finished)
		fprintf(stderr, ", about %ld s left", left);
	fputs("\033[K", stderr);
	fflush(stderr);
}

static bool disk_full(const char *dir)
{
	struct statvfs st;

	return !statvfs(dir, &st) && (unsigned long long)st.f_bavail * st.f_frsize < FULL_BYTES;
}

static void end_all(struct run *run, bool hard)
{
	for (int i = 0; i < run->plan->jobs; i++) {
		if (!run->slots[i].cell)
			continue;
		if (hard)
			np_guest_kill(&run->slots[i].guest);
		else
			np_guest_end(&run->slots[i].guest, run->now);
	}
}

static void stop(struct run *run)
{
	run->stopped = true;
	end_all(run, false);
}

/* A cell is ok or failed: count it, say so, tell the caller. */
static void count(struct run *run, struct np_cell *cell)
{
	const struct np_plan *plan = run->plan;
	char *dir;

	run->finished++;
	if (cell->status == NP_CELL_FAILED)
		run->failed++;
	if (cell->status == NP_CELL_FAILED && !plan->quiet) {
		dir = cell_dir(plan, cell);
		clear_progress(run);
		np_error("%s under %s, repetition %d failed: %s (see %s)", cell->workload,
			 cell->policy, cell->rep, cell->reason, dir);
		free(dir);
	}
	if (plan->done && plan->done(cell, plan->arg))
		stop(run);
	if (cell->status == NP_CELL_FAILED && !run->stopped && disk_full(plan->out)) {
		clear_progress(run);
		np_error("no space left on the device of %s, stopping", plan->out);
		stop(run);
	}
}

/* Go on to the next cell that has no result yet. */
static bool more_cells(struct run *run)
{
	while (run->next < run->ncells && run->cells[run->next].status == NP_CELL_OK)
		run->next++;
	return run->next < run->ncells;
}

/* The slot's machine: the plan's, with the program that the cell is to run. */
static void set_up(struct slot *slot, const struct np_plan *plan, const struct np_cell *cell)
{
	const struct np_workload *w = np_workload_find(cell->workload);

	slot->machine = plan->machine;
	if (plan->native) {
		slot->machine.timeout_s = np_plan_limit(plan, cell->workload) + GRACE_S;
		slot->machine.stall_s = slot->machine.timeout_s;
	}
	if (!w->command)
		return;
	if (*w->command)
		slot->job = np_job_make(w, json_object_get(plan->params, w->name));
	slot->machine.job = *w->command ? slot->job : plan->job;
}

/* Start a cell's guest. Return: NULL, or why it cannot be started, to be freed. */
static char *start(struct run *run, struct slot *slot, struct np_cell *cell)
{
	const struct np_plan *plan = run->plan;
	char *dir, *append, *error = NULL;
	int err;

	if (plan->native) {
		cell->order = ++run->ordered;
		error = np_native_begin(plan->native, cell->policy);
	}
	if (error)
		return error;
	dir = cell_dir(plan, cell);
	append = plan->native ? np_plan_args(plan, cell) : np_plan_append(plan, cell);
	set_up(slot, plan, cell);
	slot->since = seconds();
	err = np_guest_start(&slot->guest, &slot->machine, dir, append,
			     np_plan_shift(plan, cell->workload), run->now);
	free(dir);
	free(append);
	np_job_free(slot->job);
	slot->job = NULL;
	if (!err)
		return NULL;
	np_guest_free(&slot->guest);
	return np_asprintf("cannot start %s: %s",
			   plan->native ? plan->machine.native : "QEMU", strerror(-err));
}

static void launch(struct run *run, struct slot *slot)
{
	struct np_cell *cell = &run->cells[run->next++];
	char *error;

	np_cell_clear(cell);
	error = start(run, slot, cell);
	if (!error) {
		slot->cell = cell;
		run->running++;
		return;
	}
	cell->status = NP_CELL_FAILED;
	cell->reason = error;
	count(run, cell);
}

/* Accesses that were to be counted and were not make a cell that failed. */
static void add_traffic(const struct np_plan *plan, struct np_cell *cell, const char *dir)
{
	char *path;

	if (!plan->machine.traffic || cell->status != NP_CELL_OK)
		return;
	path = np_asprintf("%s/" NP_TRAFFIC, dir);
	cell->reason = np_traffic_join(cell, path, plan->machine.topology, &plan->latency);
	if (cell->reason)
		cell->status = NP_CELL_FAILED;
	free(path);
}

/* A run during which the machine was not as it should be has failed, whatever its records say. */
static void end_native(const struct np_plan *plan, struct np_cell *cell)
{
	char *error = plan->native ? np_native_end(plan->native, cell->policy) : NULL;

	if (!error)
		return;
	free(cell->reason);
	cell->reason = error;
	cell->status = NP_CELL_FAILED;
}

static void judge(struct run *run, struct slot *slot)
{
	const struct np_plan *plan = run->plan;
	struct np_guest *g = &slot->guest;
	struct np_cell *cell = slot->cell;
	struct np_expect expect = {
		.release = plan->release,
		.topology = plan->native ? NULL : plan->machine.topology,
		.nodes = plan->native ? json_object_get(plan->native->topology, "nodes") : NULL,
		.params = json_object_get(plan->params, cell->workload),
		.tunables = plan->tunables,
		.assume = plan->assume,
	};
	bool cut_short = g->ending && !g->finished && !g->panicked && !g->reason;
	char *records = np_asprintf("%s/" NP_RECORDS, g->dir);

	slot->cell = NULL;
	run->running--;
	if (cut_short) {
		cell->reason = np_strdup(run->signals ? "interrupted" : "stopped");
		cell->order = 0;
	} else {
		cell->host_s = seconds() - slot->since;
		cell->reason = np_guest_reason(g);
		np_cell_judge(cell, records, &expect);
		add_traffic(plan, cell, g->dir);
		end_native(plan, cell);
	}
	if (cell->status != NP_CELL_FAILED && !plan->keep)
		np_guest_remove_files(g->dir);
	np_guest_free(g);
	free(records);
	if (!cut_short)
		count(run, cell);
}

static void read_signals(struct run *run, int fd)
{
	struct signalfd_siginfo info;

	while (read(fd, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo == SIGCHLD)
			continue;
		run->signals++;
		end_all(run, run->signals > 1);
	}
}

static void advance_clock(struct run *run)
{
	double t = seconds();
	long step = (t - run->last_look) * 1000;

	run->now += step < CLOCK_STEP_MS ? step : CLOCK_STEP_MS;
	run->last_look = t;
}

static void loop(struct run *run, int fd)
{
	const struct np_plan *plan = run->plan;
	struct pollfd p = { .fd = fd, .events = POLLIN };

	for (;;) {
		for (int i = 0; i < plan->jobs; i++) {
			if (run->signals || run->stopped || !more_cells(run))
				break;
			if (!run->slots[i].cell)
				launch(run, &run->slots[i]);
		}
		progress(run);
		if (!run->running &&
		    (run->signals || run->stopped || !more_cells(run)))
			return;
		poll(&p, 1, run->running ? TICK_MS : 0);
		read_signals(run, fd);
		advance_clock(run);
		for (int i = 0; i < plan->jobs; i++) {
			struct slot *s = &run->slots[i];

			if (s->cell && np_guest_check(&s->guest, run->now))
				judge(run, s);
		}
	}
}

/* The signals that end a run, unless whoever started us had them ignored. */
static void signals_to_catch(sigset_t *set, bool native)
{
	static const int ends[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction old;

	sigemptyset(set);
	sigaddset(set, SIGCHLD);
	/* What would otherwise leave the machine with another policy. */
	if (native)
		sigaddset(set, SIGQUIT);
	for (size_t i = 0; i < ARRAY_SIZE(ends); i++)
		if (sigaction(ends[i], NULL, &old) || old.sa_handler != SIG_IGN)
			sigaddset(set, ends[i]);
}

/**
 * np_plan_run() - run cells
 * @plan: how
 * @cells: the cells, with names, repetition and seed; they are started in this order, but for
 *	those that are ok already
 * @n: how many
 *
 * No guest is left when this returns. Cells that were not started or not finished have the
 * status NP_CELL_NOT_RUN.
 *
 * Return: how it ended.
 */
enum np_run_end np_plan_run(const struct np_plan *plan, struct np_cell *cells, int n)
{
	struct run run = { .plan = plan, .cells = cells, .ncells = n, .ordered = plan->ordered };
	char *dir = np_asprintf("%s/cells", plan->out);
	sigset_t set, old;
	int fd;

	signals_to_catch(&set, plan->native);
	sigprocmask(SIG_BLOCK, &set, &old);
	fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (fd < 0)
		np_die(NP_FAIL, "cannot receive signals: %s", strerror(errno));
	run.tty = !plan->quiet && isatty(STDERR_FILENO);
	run.slots = np_alloc(plan->jobs * sizeof(*run.slots));
	run.now = 1;
	run.last_look = seconds();
	for (int i = 0; i < n; i++)
		run.finished += cells[i].status == NP_CELL_OK;
	loop(&run, fd);
	clear_progress(&run);
	/* While no signal can come in between. */
	if (plan->native)
		run.stopped |= np_native_restore(plan->native) != NP_OK;
	for (int i = 0; i < n; i++)
		if (cells[i].status == NP_CELL_NOT_RUN && !cells[i].reason)
			cells[i].reason = np_strdup(run.signals ? "interrupted" : "stopped");
	read_signals(&run, fd);
	close(fd);
	sigprocmask(SIG_SETMASK, &old, NULL);
	if (!plan->shared)
		rmdir(dir);
	free(dir);
	free(run.slots);
	if (run.signals)
		return NP_RUN_INTERRUPTED;
	return run.stopped ? NP_RUN_STOPPED : NP_RUN_COMPLETE;
}
