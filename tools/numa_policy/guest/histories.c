// SPDX-License-Identifier: GPL-2.0
/*
 * Workload "histories": acts out the scripted histories of a VMA that a program can act out, each
 * in a process of its own, and records what the kernel answered in each pass and what it must
 * answer. Somebody else judges it.
 *
 * The events' times count from when the history begins until a pass makes the VMA's state; from
 * then on from when it was made, as the scan delay and the windows do.
 */
#include <stdlib.h>
#include <string.h>

#include "../../../kernel/sched/numa_policy/policies.h"
#include "../../../lib/kunit/numa_policy/history.h"
#include "acting.h"
#include "records.h"

#define HISTORIES "/histories"
#define IN_FORCE "/sys/module/kernel/parameters/numa_scan_policy"

/* A tick and a little: a state that is a second old must be that in jiffies, too. */
#define GUARD_MS 8

/* What happens later than this may be behind the end of a window already. */
#define LATE_MS 400

static const struct numa_policy_ops *const policies[] = {
#define OPS(_sym, _name, _text) &numa_policy_##_name,
	NUMA_POLICIES(OPS)
#undef OPS
};

static struct numa_history history;
static char *policy;
static unsigned int column;
static unsigned long t0;

/* The history that is acted out. */
static unsigned long zero;	/* its beginning, by which its times are counted */
static bool has_state;
static int answers;
static char *why_not;

__printf(1, 2) static bool fail(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	why_not = np_vasprintf(fmt, ap);
	va_end(ap);
	return false;
}

static void begin_record(struct np_buf *b, const char *type)
{
	np_buf_printf(b, "{\"type\":\"%s\",\"t_ms\":%.3f,\"policy\":", type,
		      (np_now() - t0) / 1e6);
	np_json_str(b, policy);
}

static void add_text(struct np_buf *b, const char *key, const char *text)
{
	np_buf_printf(b, ",\"%s\":", key);
	np_json_str(b, text);
}

static char *text_of(const struct numa_history_event *event)
{
	return np_strndup(event->text, event->len);
}

static void answer_record(const struct numa_history_event *event, const struct np_pass *pass,
			  unsigned long due)
{
	unsigned int expected = event->answers[column];
	struct np_buf b = { 0 };
	char *text;

	if (expected == NUMA_HISTORY_UNSAID)
		return;
	text = text_of(event);
	begin_record(&b, "answer");
	add_text(&b, "history", history.name);
	np_buf_printf(&b, ",\"line\":%u", event->line);
	add_text(&b, "event", text);
	add_text(&b, "decided_by", pass->policy);
	add_text(&b, "expected", numa_history_answer_text(expected));
	add_text(&b, "got", pass->answer);
	np_buf_printf(&b, ",\"late_ms\":%.3f}", pass->ns ? (pass->ns - due) / 1e6 : 0);
	np_record(&b);
	free(text);
	answers++;
}

static void history_record(void)
{
	struct np_buf b = { 0 };

	begin_record(&b, "history");
	add_text(&b, "history", history.name);
	np_buf_printf(&b, ",\"line\":%u,\"answers\":%d,\"failed\":", history.line, answers);
	if (why_not)
		np_json_str(&b, why_not);
	else
		np_buf_puts(&b, "null");
	np_buf_puts(&b, "}");
	np_record(&b);
}

static enum numa_policy_reason ask(const struct numa_policy_snapshot *snap, void *data)
{
	const struct numa_policy_ops *ops = data;

	return ops->decide(snap);
}

/* Does the policy answer as the history says, as far as its source can tell? */
static bool holds(void)
{
	const struct numa_policy_ops *ops = policies[column];
	struct numa_history_asked asked = {
		.decide = ask,
		.no_forced_pass = ops->no_forced_pass,
		.data = (void *)ops,
	};
	struct numa_history_failure failure;

	return numa_history_play(&history, column, &asked, &failure);
}

/*
 * A guest's passes are always a little late, except for the one that makes the state. Do the
 * answers stay right if one of them is late, or that one and all behind it?
 */
static bool may_be_late(void)
{
	struct numa_history *on_time;
	bool made = false, ok = true;
	unsigned int i, j;

	/* What does not hold anyway must be seen to fail. */
	if (!holds())
		return true;
	on_time = np_alloc(sizeof(*on_time));
	*on_time = history;
	for (i = 0; i < history.nr_events && ok; i++) {
		if (history.events[i].what == NUMA_HISTORY_MAP)
			made = false;
		if (history.events[i].what != NUMA_HISTORY_PASS)
			continue;
		if (!made) {
			made = true;
			continue;
		}
		history.events[i].ms += LATE_MS;
		ok = holds();
		for (j = i + 1; j < history.nr_events; j++)
			history.events[j].ms += LATE_MS;
		ok = ok && holds();
		history = *on_time;
	}
	free(on_time);
	return ok ? true :
	       fail("line %u: other answers would be right if this pass were %d ms late",
		    history.events[i - 1].line, LATE_MS);
}

/* The process that the history needs. */
static bool cast(struct np_scene *scene)
{
	int i, tasks = 0, at_least = history.threads;

	memset(scene, 0, sizeof(*scene));
	scene->threads = history.threads;
	scene->blocks = 1;
	scene->pages = history.nr_events;
	scene->tasks = 1;
	for (i = 0; i < (int)history.nr_events; i++) {
		const struct numa_history_event *event = &history.events[i];

		if (event->what == NUMA_HISTORY_ACCESS || event->what == NUMA_HISTORY_PASS)
			scene->tasks |= 1U << event->task;
		if (event->what == NUMA_HISTORY_THREADS && event->value < at_least)
			at_least = event->value;
		scene->blocks += event->end == NUMA_HISTORY_INSIDE;
	}
	/* a to d have the bits of A to D, all others one of their own. */
	for (i = 0; numa_history_tasks[i]; i++)
		scene->bit[i] = numa_history_tasks[i] & ~0x20;
	for (i = 0; i < NP_ACT_TASKS; i++)
		tasks += scene->tasks >> i & 1;
	if (tasks > at_least)
		return fail("%d tasks, counting A, do not fit into %d threads", tasks, at_least);
	return true;
}

static const char *pass(const struct numa_history_event *event, int number, unsigned long due)
{
	struct np_pass p = {
		.alone = event->alone,
		.inside = event->end == NUMA_HISTORY_INSIDE,
		.event = number,
	};
	const char *error = np_act_pass(event->task, &p);

	if (error)
		return error;
	if (p.ns && !has_state) {
		zero += p.ns - due + GUARD_MS * 1000000UL;
		has_state = true;
	}
	if (p.ns > due + LATE_MS * 1000000UL)
		return "it came too late";
	answer_record(event, &p, due);
	return NULL;
}

static const char *happen(const struct numa_history_event *event, int number, unsigned long due)
{
	switch (event->what) {
	case NUMA_HISTORY_MAP:
		has_state = false;
		return np_act_map();
	case NUMA_HISTORY_UNMAP:
		return np_act_unmap();
	case NUMA_HISTORY_ACCESS:
		return np_act_access(event->task, number);
	case NUMA_HISTORY_PASS:
		return pass(event, number, due);
	case NUMA_HISTORY_SEQ:
		if (!event->relative)
			return "the sequence can only be advanced";
		return np_act_sequences(event->value);
	case NUMA_HISTORY_THREADS:
		return np_act_threads(event->value);
	}
	return "the event cannot be acted out";
}

static bool act_out(void)
{
	struct np_scene scene;
	const char *error;
	unsigned int i;

	answers = 0;
	has_state = false;
	if (!may_be_late() || !cast(&scene))
		return false;
	error = np_act_begin(&scene);
	if (error)
		return fail("%s", error);
	zero = np_now();
	for (i = 0; i < history.nr_events; i++) {
		const struct numa_history_event *event = &history.events[i];
		unsigned long due = zero + event->ms * 1000000UL;
		char *text;

		np_sleep_until(due);
		error = np_now() > due + LATE_MS * 1000000UL ? "the guest was too late for it" :
			happen(event, i, due);
		if (!error)
			continue;
		text = text_of(event);
		fail("line %u, event \"%s\": %s", event->line, text, error);
		free(text);
		return false;
	}
	return true;
}

static char *read_text(const char *path)
{
	struct np_buf b = { 0 };
	int err = np_read_file(path, &b);

	if (err)
		np_fail("%s: %s", path, strerror(-err));
	return b.s;
}

/* The column of answers of the policy in force. */
static void find_column(void)
{
	const char *name;

	policy = read_text(IN_FORCE);
	policy[strcspn(policy, "\n")] = '\0';
	for (column = 0; (name = numa_history_policy_name(column)); column++)
		if (!strcmp(name, policy))
			return;
	np_fail("the histories know no policy '%s'", policy);
}

/* Go through the histories that can be acted out and say something about the policy. */
static int each(const char *text, bool act, int *unfit)
{
	struct numa_history_reader reader;
	int ret, due = 0;

	numa_history_start(&reader, "histories", text);
	while ((ret = numa_history_read(&reader, &history)) > 0) {
		if (!history.guest || !numa_history_says(&history, column))
			continue;
		if (numa_history_unfit(&history)) {
			(*unfit)++;
			continue;
		}
		due++;
		if (!act)
			continue;
		why_not = NULL;
		act_out();
		np_act_end();
		history_record();
		free(why_not);
	}
	if (ret < 0)
		np_fail("%s", reader.error);
	return due;
}

void np_run_histories(void)
{
	struct np_buf b = { 0 };
	char *text = read_text(HISTORIES);
	int due, unfit = 0;

	t0 = np_now();
	if (guest.windows != NUMA_POLICY_WINDOWS)
		np_fail("the kernel keeps %ld windows, this program reads histories for %d: 'make tools WINDOWS=%ld'",
			guest.windows, NUMA_POLICY_WINDOWS, guest.windows);
	find_column();
	np_trace_open();
	np_phase("histories", false);
	begin_record(&b, "histories");
	due = each(text, false, &unfit);
	np_buf_printf(&b, ",\"due\":%d,\"unfit\":%d}", due, unfit);
	np_record(&b);
	each(text, true, &unfit);
	np_done();
}
