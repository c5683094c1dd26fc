// SPDX-License-Identifier: GPL-2.0
/*
 * The scripted histories in user space: as the kernel would play them, through the boot
 * parameter, the policy in force and the scan loop's call.
 *
 * One build has one set of options: policies, windows, threshold, trace event, word size.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>

#include <linux/moduleparam.h>

/* The boot parameter as that header has it, and who may read and write its file. */
#undef core_param
#define core_param(_name, _var, _type, _perm)						\
	param_check_##_type(_name, &(_var));						\
	static const struct kernel_param np_param_##_name = { #_name, &param_ops_##_type, NULL }; \
	static const unsigned int np_mode_##_name = (_perm)

/* The trace events, as the library sees them. */
#ifdef CONFIG_NUMA_POLICY_TRACE
#define TRACED true
struct mm_struct;
struct vm_area_struct;
struct numa_policy_ops;
struct numa_policy_snapshot;
static void trace_numa_policy_decide(struct mm_struct *mm, struct vm_area_struct *vma,
				     const struct numa_policy_ops *policy,
				     const struct numa_policy_snapshot *snap, int reason);
static void trace_numa_policy_access(struct vm_area_struct *vma, unsigned int pid);
#else
#define TRACED false
#endif

#include "../../../kernel/sched/numa_policy/core.c"
#include "../../../kernel/sched/numa_policy/fair.h"

/* Whether the trace events are made, in the one place for it. */
#ifdef CREATE_TRACE_POINTS
#define TRACE_MADE true
#else
#define TRACE_MADE false
#endif

#ifdef CONFIG_NUMA_POLICY_SWITCH
#define SWITCHED true
#include "../../../kernel/sched/numa_policy/switch.c"
#else
#define SWITCHED false
#endif

#ifdef CONFIG_NUMA_POLICY_STATS
#define COUNTED true
#include "../../../kernel/sched/numa_policy/stats.c"
#else
#define COUNTED false
#endif

#include "../../../lib/kunit/numa_policy/history.h"
#include "../util.h"

static int passed, failed;

/* Whether there must be histories about every policy. */
static bool every;

__printf(2, 3)
static void expect(bool ok, const char *fmt, ...)
{
	va_list args;

	printf("%s %d - ", ok ? "ok" : "not ok", passed + failed + 1);
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	putchar('\n');
	if (ok)
		passed++;
	else
		failed++;
}

/* ---- what the kernel offers ---- */

static char logged[1024];

void np_printk(const char *fmt, ...)
{
	size_t len = strlen(logged);
	va_list args;

	va_start(args, fmt);
	vsnprintf(logged + len, sizeof(logged) - len, fmt, args);
	va_end(args);
}

static struct signal_struct process;
static struct task_struct task = { .signal = &process };
struct task_struct *current = &task;

static struct mm_struct mm;
static struct vm_area_struct vma;
static int partial_events;

void trace_sched_skip_vma_numa(struct mm_struct *m, struct vm_area_struct *v,
			       enum numa_vmaskip_reason reason)
{
	if (m == &mm && v == &vma && reason == NUMAB_SKIP_IGNORE_PID)
		partial_events++;
	else
		partial_events = 1000;
}

/* What the trace event showed of the last decision. */
static bool tracing;
static int traces;
static struct {
	const struct numa_policy_ops *policy;
	struct numa_policy_snapshot snap;
	struct vma_numab_state state;
	enum numa_policy_reason reason;
} trace;

#ifdef CONFIG_NUMA_POLICY_TRACE
bool trace_numa_policy_decide_enabled(void)
{
	return tracing;
}

static void trace_numa_policy_decide(struct mm_struct *m, struct vm_area_struct *v,
				     const struct numa_policy_ops *policy,
				     const struct numa_policy_snapshot *snap, int reason)
{
	if (!tracing)
		return;
	if (m == &mm && v == &vma)
		traces++;
	else
		traces = 1000;
	trace.policy = policy;
	trace.snap = *snap;
	trace.state = *snap->state;
	trace.reason = reason;
	/* Hinting faults go on meanwhile: the event must not look at the VMA's own state. */
	if (snap->state == vma.numab_state)
		traces = 2000;
}

bool trace_numa_policy_access_enabled(void)
{
	return tracing;
}

static void trace_numa_policy_access(struct vm_area_struct *v, unsigned int pid)
{
	if (v == &vma && pid == 1001)
		traces++;
}
#endif

/* ---- asking ---- */

#define LOOP_WRONG ((enum numa_policy_reason)NR_NUMA_HISTORY_ANSWERS)

static const char *wrong;

/* The policy that the scan loop asks, and how it is chosen. */
static const struct numa_policy_ops *asked_policy(void)
{
	return numa_policy_begin_pass().policy;
}

/* Is what the trace event showed what was asked and answered? */
static bool traced_right(const struct numa_policy_snapshot *snap, unsigned int reason)
{
	return traces == 1 && trace.policy == asked_policy() && trace.reason == reason &&
	       trace.snap.pid == snap->pid && trace.snap.scan_seq == snap->scan_seq &&
	       trace.snap.nr_threads == snap->nr_threads &&
	       trace.snap.scan_offset == snap->scan_offset &&
	       trace.snap.vma_start == snap->vma_start &&
	       !memcmp(&trace.state, snap->state, sizeof(trace.state));
}

static void look(const struct numa_policy_snapshot *snap)
{
	task.pid = snap->pid;
	task.nr_threads = snap->nr_threads;
	mm.numa_scan_offset = snap->scan_offset;
	mm.numa_scan_seq = snap->scan_seq;
	vma.vm_start = snap->vma_start;
	vma.vm_end = snap->vma_start + 0x400000;
	vma.numab_state = (struct vma_numab_state *)snap->state;
}

static void count(const struct numa_policy_snapshot *snap, unsigned int reason, bool shadow);

int np_static_calls;

#ifndef NUMA_POLICY_ONLY_ONE
/* The policy behind the static call; without switching, the one in force from the beginning. */
static const struct numa_policy_ops *behind_the_call(void)
{
#ifdef CONFIG_NUMA_POLICY_SWITCH
	return numa_policy_called;
#else
	return numa_policy_in_force;
#endif
}
#endif

/*
 * The static call is used if nobody looks on, there is one, and it is this policy's, unless that is
 * the default, which is inlined.
 */
static bool called_right(const struct numa_policy_pass *pass, bool observed)
{
#if defined(NUMA_POLICY_ONLY_ONE) || !defined(CONFIG_HAVE_STATIC_CALL)
	return !np_static_calls;
#else
	return np_static_calls == (!observed && pass->policy != numa_policy_default &&
				   pass->policy == behind_the_call());
#endif
}

/*
 * As the scan loop asks. The decision itself is asked once more for its reason: the loop is told
 * only whether to scan, with and without the trace event and the others' shadows.
 */
static enum numa_policy_reason ask(const struct numa_policy_snapshot *snap, void *data)
{
	struct numa_policy_pass pass = numa_policy_begin_pass();
	unsigned int reason = pass.policy->decide(snap);
	int look_on;

	look(snap);
	for (look_on = 0; look_on < 4; look_on++) {
		bool answer, shadow = look_on & 2;

		tracing = look_on & 1;
		if ((tracing && !TRACED) || (shadow && !COUNTED))
			continue;
		count(snap, reason, shadow);
		partial_events = 0;
		traces = 0;
		np_static_calls = 0;
		answer = numa_policy_should_scan(&pass, &mm, &vma);
		if (answer != (reason != NUMA_POLICY_SKIP))
			wrong = "the scan loop is told otherwise than the policy decides";
		else if (partial_events != (reason == NUMA_POLICY_PARTIAL))
			wrong = "sched_skip_vma_numa does not show what was decided";
		else if (!called_right(&pass, tracing || shadow))
			wrong = "the static call is not used where it should be, or used elsewhere";
		else if (tracing ? !traced_right(snap, reason) : traces)
			wrong = "numa_policy_decide does not show what was decided";
		else
			continue;
		return LOOP_WRONG;
	}
	return reason;
}

static bool may_force(void)
{
	struct numa_policy_pass pass = numa_policy_begin_pass();

	return numa_policy_may_force(&pass);
}

static void play_all(unsigned int policy, const char *path, const char *text)
{
	const struct numa_history_asked asked = {
		.decide = ask,
		.no_forced_pass = !may_force(),
	};
	const char *name = numa_history_policy_name(policy);
	struct numa_history_failure failure;
	struct numa_history_reader reader;
	static struct numa_history history;
	int ret, played = 0;

	numa_history_start(&reader, path, text);
	while ((ret = numa_history_read(&reader, &history)) > 0) {
		const char *unfit = numa_history_unfit(&history);
		char words[512] = "";

		if (unfit) {
			printf("# history %s %s\n", history.name, unfit);
			continue;
		}
		if (!numa_history_says(&history, policy)) {
			printf("# history %s says nothing about %s\n", history.name, name);
			continue;
		}
		wrong = NULL;
		played++;
		if (numa_history_play(&history, policy, &asked, &failure)) {
			expect(true, "%s, history %s", name, history.name);
			continue;
		}
		numa_history_explain(words, sizeof(words), &history, policy, &failure);
		expect(false, "%s%s%s", words, wrong ? ": " : "", wrong ? wrong : "");
	}
	if (ret < 0)
		np_die(NP_USAGE, "%s", reader.error);
	if (every)
		expect(played > 0, "%s: %s", name, played ? "there are histories about it" :
		       "no history says what it must answer");
}

/* Does the policy read the windows that it says it reads? */
static void read_windows(void)
{
	const struct numa_policy_ops *policy = asked_policy();
	struct vma_numab_state state = { .start_scan_seq = 10, .prev_scan_seq = 99 };
	const struct numa_policy_snapshot snap = {
		.state = &state, .scan_offset = 0x10000, .vma_start = 0x10000, .pid = 1001,
		.scan_seq = 100, .nr_threads = 1,
	};
	unsigned int none = policy->decide(&snap), newest = 0, i;

	for (i = 0; i < NUMA_POLICY_WINDOWS; i++) {
		state.pids_active[i] = ULONG_MAX;
		if (policy->decide(&snap) != none)
			newest = i + 1;
		state.pids_active[i] = 0;
	}
	expect(policy->windows == newest, "%s reads %u windows and says %u", policy->name, newest,
	       policy->windows);
}

static unsigned int decision(unsigned long scan_offset, unsigned long vma_start,
			     unsigned int accessed_by, unsigned int pid)
{
	struct vma_numab_state state = { .start_scan_seq = 10, .prev_scan_seq = 99 };
	const struct numa_policy_snapshot snap = {
		.state = &state, .scan_offset = scan_offset, .vma_start = vma_start, .pid = pid,
		.scan_seq = 100, .nr_threads = 1,
	};

	if (accessed_by)
		numa_policy_record_access(&state, accessed_by);
	return asked_policy()->decide(&snap);
}

/*
 * Numbers may be as large as a machine has them: the highest bit of an address counts, and the
 * 17th of a PID.
 */
static void read_large_numbers(void)
{
	const unsigned long start = 0x10000, inside = 0x11000, large = ~(ULONG_MAX >> 1);
	const unsigned int a = 1001, b = 1008, large_a = a + 0x10000;
	const char *name = asked_policy()->name;

	expect(decision(start | large, start, 0, a) == decision(inside, start, 0, a) &&
	       decision(inside, start | large, 0, a) == decision(start, start, 0, a),
	       "%s reads all of an address", name);
	expect(decision(start, start, large_a, large_a) == decision(start, start, a, a) &&
	       decision(start, start, large_a, a) == decision(start, start, b, a),
	       "%s reads all of a PID", name);
}

/* Delays and periods, too, may be longer than they ever are. */
static bool long_times(void)
{
	const unsigned long now = 1000, delay = 1UL << (BITS_PER_LONG - 4), period = 2 * delay;
	struct vma_numab_state state = { 0 };
	bool right;

	numa_policy_init_state(&state, 1, now, delay, period);
	right = state.next_scan == now + delay &&
		state.pids_active_reset == now + delay + period;
	numa_policy_age(&state, 2, state.pids_active_reset + 1, period);
	return right && state.pids_active_reset == now + delay + 2 * period;
}

/* With one policy the scan loop has it by itself, otherwise it asks the one in force. */
static bool asked_right(const char *name)
{
	int built = 0;

	for (size_t i = 0; i < ARRAY_SIZE(numa_policies); i++)
		built += !!numa_policies[i];
	return (asked_policy() != numa_policy_in_force) == (built == 1 && !SWITCHED) &&
	       asked_policy()->name && !strcmp(asked_policy()->name, name);
}

/* What the scan loop finds after an initcall. */
static bool starts_right(void)
{
#ifdef NUMA_POLICY_ONLY_ONE
	return true;
#else
	return behind_the_call() == numa_policy_in_force &&
	       np_static_call_numa_policy_decide_vma == numa_policy_in_force->decide_vma;
#endif
}

/* Whoever traces is told of an access before it is recorded. */
static bool access_traced(void)
{
	traces = 0;
	tracing = false;
	numa_policy_trace_access(&vma, 1001);
	if (traces)
		return false;
	tracing = true;
	numa_policy_trace_access(&vma, 1001);
	tracing = false;
	return traces == TRACED;
}

/* ---- the player itself ---- */

static const char scribbled[] =
	"answers | always\n"
	"history h\n"
	"0.000 map\n"
	"1.000 pass A | always\n";

static enum numa_policy_reason scribble(const struct numa_policy_snapshot *snap, void *data)
{
	((struct vma_numab_state *)snap->state)->pids_active[NUMA_POLICY_WINDOWS - 1] ^= 1;
	return NUMA_POLICY_ALWAYS;
}

/* A decision that writes to the state fails, whatever it answers. */
static bool writing_fails(void)
{
	const struct numa_history_asked asked = { .decide = scribble };
	struct numa_history_failure failure;
	struct numa_history_reader reader;
	static struct numa_history history;

	numa_history_start(&reader, "scribbled", scribbled);
	return numa_history_read(&reader, &history) == 1 &&
	       !numa_history_play(&history, reader.columns[0], &asked, &failure) && failure.wrote;
}

/* ---- the boot parameter ---- */

static int set(const char *name)
{
	logged[0] = '\0';
	return np_param_numa_scan_policy.ops->set(name, &np_param_numa_scan_policy);
}

/* What an initcall does after the parameters were read. */
static void start(void)
{
	char before[sizeof(logged)];

	strcpy(before, logged);
	numa_policy_start();
	strcpy(logged, before);
}

static bool in_force(const char *name)
{
	char text[64] = "", line[64];

	np_param_numa_scan_policy.ops->get(text, &np_param_numa_scan_policy);
	snprintf(line, sizeof(line), "%s\n", name);
	return !strcmp(text, line) && !strcmp(numa_policy_in_force->name, name);
}

#include "live.h"

static void choose(const char *path, const char *text)
{
	char defaults[NUMA_POLICY_NAME_MAX] = CONFIG_NUMA_POLICY_DEFAULT_FILE, line[512];
	char all[256] = "";
	unsigned int i;

	*strchr(defaults, '.') = '\0';
	expect(NUMA_POLICY_WINDOWS == CONFIG_NUMA_POLICY_WINDOWS, "there are %d windows",
	       CONFIG_NUMA_POLICY_WINDOWS);
	expect(writing_fails(), "a decision that writes fails");
	expect(long_times(), "delays and periods may be long");
	expect(access_traced(), "accesses are traced where that is built");
	expect(TRACE_MADE == TRACED, "the trace event is %smade", TRACED ? "" : "not ");
	expect(in_force(defaults), "%s is in force from the start", defaults);
	snprintf(line, sizeof(line), "info numa_policy: scan policy %s\n", defaults);
	expect(!numa_policy_start() && !strcmp(logged, line), "the policy in force is logged");
	no_stats();
	expect(np_mode_numa_scan_policy == 0444, "all may read the parameter, nobody write it");

	for (i = 0; i < ARRAY_SIZE(numa_policies); i++) {
		const char *name = numa_history_policy_name(i);

		if (numa_policies[i]) {
			snprintf(all + strlen(all), sizeof(all) - strlen(all), " %s", name);
			expect(!set(name) && in_force(name) && !logged[0], "%s can be chosen", name);
			start();
			expect(starts_right(), "%s is behind the static call", name);
			expect(asked_right(name), "%s is what the scan loop asks", name);
			play_all(i, path, text);
			play_own(i, path, text);
			switching(numa_policies[i]);
			read_windows();
			read_large_numbers();
		} else {
			expect(!set(name) && !in_force(name) && logged[0],
			       "%s, which is not built, cannot be chosen", name);
		}
	}

	all_stats();
	set(defaults);
	snprintf(line, sizeof(line),
		 "warn numa_policy: numa_scan_policy=%s: no such scan policy, keeping %s; there are:%s\n",
		 "alway", defaults, all);
	expect(!set("alway") && in_force(defaults) && !strcmp(logged, line),
	       "an unknown policy is logged, and the one in force stays");
	expect(!set("") && in_force(defaults) && logged[0], "no policy is as unknown");
}

int main(int argc, char **argv)
{
	struct np_buf text = { 0 };

	every = argc == 3 && !strcmp(argv[1], "--every");
	if (argc != 2 + every)
		np_die(NP_USAGE, "usage: %s [--every] HISTORIES", argv[0]);
	if (np_read_file(argv[argc - 1], &text))
		np_die(NP_USAGE, "%s: %s", argv[argc - 1], strerror(errno));
	if (strlen(text.s) != text.len)
		np_die(NP_USAGE, "%s: has a NUL in it", argv[argc - 1]);
	choose(argv[argc - 1], text.s);
	np_buf_free(&text);
	printf("%d passed, %d failed\n", passed, failed);
	return failed ? NP_FAIL : NP_OK;
}
