// SPDX-License-Identifier: GPL-2.0
/*
 * Says where a policy and the model disagree, by a history that fails among the others.
 */
#include <linux/kernel.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "oracle.h"

#define TEXT_MAX 32768

/* Letters of an event, behind which its answers stand. */
#define WIDTH 32

/* ---- in which builds the model gives the same answers ---- */

struct fit {
	int windows_min, windows_max;
	bool any_buckets, any_threshold;
};

static void answers_of(const struct oracle_case *c, const struct model_config *config,
		       const struct oracle_history *history, uint8_t *answers)
{
	struct model m;
	unsigned int i;

	model_start(&m, c->policy, config, history);
	for (i = 0; i < history->nr_events; i++)
		answers[i] = model_event(&m, &history->events[i]).answer;
}

/* Are the answers the same with this many windows, in all other builds that @fit allows? */
static bool same_answers(const struct oracle_case *c, const struct oracle_history *history,
			 const struct fit *fit, int windows)
{
	uint8_t here[ORACLE_EVENTS_MAX], there[ORACLE_EVENTS_MAX];
	struct model_config config = { .windows = windows };
	int buckets, threshold;

	answers_of(c, c->config, history, here);
	for (buckets = 32; buckets <= 64; buckets += 32) {
		for (threshold = 1; threshold <= 32; threshold++) {
			if (!fit->any_buckets && buckets != c->config->buckets)
				continue;
			if (!fit->any_threshold && threshold != c->config->threshold)
				continue;
			config.buckets = buckets;
			config.threshold = threshold;
			answers_of(c, &config, history, there);
			if (memcmp(here, there, history->nr_events))
				return false;
		}
	}
	return true;
}

static struct fit fit_of(const struct oracle_case *c, const struct oracle_history *history)
{
	int windows = c->config->windows;
	struct fit fit = { windows, windows, false, false };

	fit.any_buckets = true;
	fit.any_buckets = same_answers(c, history, &fit, windows);
	fit.any_threshold = true;
	fit.any_threshold = same_answers(c, history, &fit, windows);
	while (fit.windows_min > 2 && same_answers(c, history, &fit, fit.windows_min - 1))
		fit.windows_min--;
	while (fit.windows_max < MODEL_WINDOWS_MAX &&
	       same_answers(c, history, &fit, fit.windows_max + 1))
		fit.windows_max++;
	return fit;
}

/* ---- the history as text ---- */

struct text {
	char s[TEXT_MAX];
	size_t len;
};

__printf(2, 3)
static void add(struct text *text, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	if (text->len < sizeof(text->s))
		text->len += vsnprintf(text->s + text->len, sizeof(text->s) - text->len, fmt, args);
	va_end(args);
}

/* A task that has no letter goes by its number, which the history language does not know. */
static void add_task(struct text *text, const struct oracle_history *history, unsigned int task)
{
	if (task < ORACLE_TASKS_LETTERS)
		add(text, " %c", numa_history_tasks[task]);
	else
		add(text, " #%u", task);
}

static const char *end_text(unsigned int end)
{
	switch (end) {
	case NUMA_HISTORY_BEFORE:
		return " stops before";
	case NUMA_HISTORY_INSIDE:
		return " stops inside";
	case NUMA_HISTORY_AT_END:
		return " stops at-end";
	case NUMA_HISTORY_BEHIND:
		return " stops behind";
	}
	return "";
}

/* TIME WHAT ..., without what must come of it. */
static void add_event(struct text *text, const struct oracle_history *history,
		      const struct oracle_event *event)
{
	static const char * const whats[] = {
		[NUMA_HISTORY_MAP] = "map", [NUMA_HISTORY_UNMAP] = "unmap",
		[NUMA_HISTORY_SPLIT] = "split", [NUMA_HISTORY_MERGE] = "merge",
		[NUMA_HISTORY_FORK] = "fork", [NUMA_HISTORY_ACCESS] = "access",
		[NUMA_HISTORY_TOUCH] = "touch", [NUMA_HISTORY_PASS] = "pass",
		[NUMA_HISTORY_SEQ] = "seq", [NUMA_HISTORY_THREADS] = "threads",
		[NUMA_HISTORY_LOCAL] = "local", [NUMA_HISTORY_REMOTE] = "remote",
	};

	add(text, "%u.%03u %s", event->ms / 1000, event->ms % 1000, whats[event->what]);
	switch (event->what) {
	case NUMA_HISTORY_ACCESS:
	case NUMA_HISTORY_TOUCH:
		add_task(text, history, event->task);
		break;
	case NUMA_HISTORY_PASS:
		add_task(text, history, event->task);
		add(text, "%s%s%s%s", event->alone ? " alone" : "", event->again ? " again" : "",
		    event->fails ? " fails" : "", end_text(event->end));
		break;
	case NUMA_HISTORY_SEQ:
		add(text, event->relative ? " +%d" : " %d", event->value);
		break;
	case NUMA_HISTORY_THREADS:
		add(text, " %d", event->value);
		break;
	}
}

static void add_history(struct text *text, const struct oracle_case *c,
			const struct oracle_history *history, uint64_t seed)
{
	struct fit fit = fit_of(c, history);
	uint8_t answers[ORACLE_EVENTS_MAX];
	unsigned int i;
	size_t begin;

	add(text, "answers | %s\n\n", c->name);
	add(text, "history found_by_oracle_%llx_%s\n", (unsigned long long)seed, c->name);
	if (fit.windows_min == fit.windows_max)
		add(text, "only windows %d\n", fit.windows_min);
	else if (fit.windows_min > 2 || fit.windows_max < MODEL_WINDOWS_MAX)
		add(text, "only windows %d..%d\n", fit.windows_min, fit.windows_max);
	if (!fit.any_buckets)
		add(text, "only buckets %d\n", c->config->buckets);
	if (!fit.any_threshold)
		add(text, "only threshold %d\n", c->config->threshold);
	if (history->seq)
		add(text, "start seq %d\n", history->seq);
	if (history->half)
		add(text, "start jiffies half%+d\n", history->ticks);
	else if (history->ticks != ORACLE_JIFFIES)
		add(text, "start jiffies %d\n", history->ticks);
	if (history->threads != 1)
		add(text, "start threads %d\n", history->threads);

	answers_of(c, c->config, history, answers);
	for (i = 0; i < history->nr_events; i++) {
		const struct oracle_event *event = &history->events[i];

		add(text, "  ");
		begin = text->len;
		add_event(text, history, event);
		if (event->what == NUMA_HISTORY_PASS || event->what == NUMA_HISTORY_TOUCH)
			add(text, "%*s | %s", begin + WIDTH > text->len ?
			    (int)(begin + WIDTH - text->len) : 0, "",
			    answers[i] == NUMA_POLICY_SKIP ? "-" :
			    numa_history_answer_text(answers[i]));
		add(text, "\n");
	}
}

/* ---- is it a history, and does it fail? ---- */

static enum numa_policy_reason decide(const struct numa_policy_snapshot *snap, void *data)
{
	const struct oracle_case *c = data;

	return c->ops->decide(snap);
}

/* What else there is to say about the text: NULL if it reads well and fails where it should. */
static const char *play(const struct oracle_case *c, const char *text, unsigned int event,
			char *error, size_t size)
{
	static struct numa_history_reader reader;
	static struct numa_history history;
	struct numa_history_asked asked = {
		.decide = decide,
		.no_forced_pass = c->ops->no_forced_pass,
		.data = (void *)c,
	};
	struct numa_history_failure failure;

	numa_history_start(&reader, "found", text);
	if (numa_history_read(&reader, &history) != 1) {
		snprintf(error, size, "it does not read as a history: %s", reader.error);
		return error;
	}
	if (numa_history_unfit(&history)) {
		snprintf(error, size, "as a history it %s", numa_history_unfit(&history));
		return error;
	}
	if (numa_history_play(&history, c->index, &asked, &failure))
		return "played as a history, it does not fail";
	if (failure.event != &history.events[event])
		return "played as a history, it fails in another event";
	return NULL;
}

static void print_tasks(const struct oracle_history *history)
{
	bool seen[ORACLE_TASKS_MAX] = { false };
	unsigned int i;

	printf("# Not for the histories as it is, because it takes other PIDs than they have:\n");
	for (i = 0; i < history->nr_events; i++) {
		unsigned int task = history->events[i].task;

		if (!oracle_is_strange(history, i) || seen[task])
			continue;
		seen[task] = true;
		if (task < ORACLE_TASKS_LETTERS)
			printf("# %c is PID %u\n", numa_history_tasks[task], history->pids[task]);
		else
			printf("# #%u is PID %u\n", task, history->pids[task]);
	}
}

static void print_state(const struct oracle_case *c, const struct oracle_history *history)
{
	char difference[2048];
	struct subject s;
	struct model m;
	unsigned int i;

	model_start(&m, c->policy, c->config, history);
	subject_start(&s, c->ops, history);
	for (i = 0; i < history->nr_events; i++) {
		model_event(&m, &history->events[i]);
		subject_event(&s, &history->events[i]);
	}
	subject_difference(&s, &m, difference, sizeof(difference));
	printf("state difference, which no answer shows: %s\n", difference);
}

/**
 * oracle_report() - print a history about which model and policy disagree
 * @c: the policy
 * @history: the history, already small
 * @seed: the seed by which it was found
 */
void oracle_report(const struct oracle_case *c, const struct oracle_history *history,
		   uint64_t seed)
{
	static struct text text, event;
	struct oracle_verdict verdict;
	unsigned int last = history->nr_events - 1;
	char error[NUMA_HISTORY_ERROR_MAX + 64];
	const char *more = NULL;

	text.len = 0;
	event.len = 0;
	oracle_judge(c, history, &verdict);
	add_history(&text, c, history, seed);
	add_event(&event, history, &history->events[last]);

	printf("\n");
	if (!oracle_has_letters(history))
		print_tasks(history);
	else if (verdict.answers)
		more = play(c, text.s, last, error, sizeof(error));
	printf("%s\noracle: policy %s, event %u \"%s\": ", text.s, c->name, last + 1, event.s);
	if (!verdict.answers)
		print_state(c, history);
	else
		printf("expected %s (the model), got %s (the policy)\n",
		       numa_history_answer_text(verdict.expected.answer),
		       numa_history_answer_text(verdict.got.answer));
	if (more)
		printf("oracle: %s\n", more);
	printf("\n");
	fflush(stdout);
}
