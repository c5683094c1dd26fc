// SPDX-License-Identifier: GPL-2.0
/*
 * Makes a history about which model and policy disagree as small and as plain as it gets.
 */
#include <limits.h>
#include <string.h>

#include "oracle.h"

/* How often, and with how many events more, a difference of states is to become one of answers. */
#define TAILS 20000
#define TAIL_EVENTS 12

/* Is this a pass that stops before the VMA though it begins further behind? */
static bool contradicts(const struct model *m, const struct oracle_event *event)
{
	return event->what == NUMA_HISTORY_PASS && event->end == NUMA_HISTORY_BEFORE &&
	       !event->again && m->offset > MODEL_START;
}

/* Says whether the history makes sense. */
static bool judge(const struct oracle_case *c, const struct oracle_history *history,
		  struct oracle_verdict *verdict)
{
	struct oracle_outcome expected, got;
	struct subject s;
	struct model m;
	unsigned int i;

	memset(verdict, 0, sizeof(*verdict));
	model_start(&m, c->policy, c->config, history);
	subject_start(&s, c->ops, history);
	for (i = 0; i < history->nr_events; i++) {
		const struct oracle_event *event = &history->events[i];

		if (contradicts(&m, event))
			return false;
		expected = model_event(&m, event);
		got = subject_event(&s, event);
		if (expected.answer != got.answer || expected.asked != got.asked) {
			verdict->answers = true;
			verdict->answer_event = i;
			verdict->expected = expected;
			verdict->got = got;
		}
		if (!verdict->states && !subject_is_like(&s, &m)) {
			verdict->states = true;
			verdict->state_event = i;
		}
		if (verdict->answers)
			break;
	}
	return true;
}

/**
 * oracle_judge() - find out whether model and policy disagree about a history
 * @c: the policy
 * @history: the history
 * @verdict: what there is to say; it ends with the first answer that differs
 */
void oracle_judge(const struct oracle_case *c, const struct oracle_history *history,
		  struct oracle_verdict *verdict)
{
	judge(c, history, verdict);
}

/**
 * oracle_extend() - let a history go on until a difference of states shows in an answer
 * @c: the policy
 * @history: the history; if it can be done, with the events that do it afterwards
 * @seed: for the dice
 *
 * Return: whether it could be done.
 */
bool oracle_extend(const struct oracle_case *c, struct oracle_history *history, uint64_t seed)
{
	struct oracle_random random = { seed };
	struct oracle_history scratch, longer;
	struct oracle_author author;
	struct oracle_verdict verdict;
	struct model m;
	unsigned int room, i, n;

	room = oracle_has_letters(history) ? ORACLE_EVENTS_LETTERS : ORACLE_EVENTS_MAX;
	for (i = 0; i < TAILS; i++) {
		oracle_author_start(&author, &random, c->config, &scratch);
		/* The tasks with letters are in every history. */
		for (n = 0; n < author.nr_tasks; n++)
			author.tasks[n] %= ORACLE_TASKS_LETTERS;
		longer = *history;
		model_start(&m, c->policy, c->config, &longer);
		for (n = 0; n < longer.nr_events; n++)
			model_event(&m, &longer.events[n]);
		for (n = 0; n < TAIL_EVENTS && longer.nr_events < room; n++) {
			struct oracle_event *event = &longer.events[longer.nr_events++];

			oracle_author_event(&author, &m, 1, event);
			model_event(&m, event);
		}
		if (judge(c, &longer, &verdict) && verdict.answers) {
			*history = longer;
			return true;
		}
	}
	return false;
}

/* ---- what is smaller ---- */

/* What makes a history large, what counts most first. */
enum {
	STRANGE_PIDS,		/* tasks that the history language has no letter for */
	EVENTS,
	SETTINGS,		/* settings, modifiers, events for which there are plainer ones */
	VALUES,			/* size of numbers */
	LENGTH,			/* time of the last event */
	TIMES,			/* different times */
	TIME_SUM,
	TASK_SUM,
	NR_COSTS
};

struct cost {
	unsigned long long of[NR_COSTS];
};

/* Numbers are the plainer the nearer they are to 0, and else to an int's ends. */
static unsigned long long number_cost(int value)
{
	long long v = value, size = v < 0 ? -v * 2 + 1 : v * 2, ends;

	ends = 1000 + (v < 0 ? v - INT_MIN : INT_MAX - v) * 2;
	return size < ends ? size : ends;
}

static bool has_task(const struct oracle_event *event)
{
	return event->what == NUMA_HISTORY_ACCESS || event->what == NUMA_HISTORY_TOUCH ||
	       event->what == NUMA_HISTORY_PASS;
}

/**
 * oracle_is_strange() - is an event by a task that the history language cannot name?
 * @history: the history
 * @i: the event's index
 *
 * Return: whether there is no letter for its task or the letter is another PID's.
 */
bool oracle_is_strange(const struct oracle_history *history, unsigned int i)
{
	unsigned int task = history->events[i].task;

	return has_task(&history->events[i]) &&
	       (task >= ORACLE_TASKS_LETTERS || history->pids[task] != numa_history_pids[task]);
}

static unsigned int event_settings(const struct oracle_event *event)
{
	unsigned int n = event->alone + event->again + event->fails;

	switch (event->what) {
	case NUMA_HISTORY_PASS:
		return n + (event->end != NUMA_HISTORY_END);
	case NUMA_HISTORY_TOUCH:
	case NUMA_HISTORY_MERGE:
		return n + 1;
	case NUMA_HISTORY_FORK:
		return n + 2;
	case NUMA_HISTORY_SEQ:
		return n + !event->relative;
	}
	return n;
}

static struct cost cost_of(const struct oracle_history *history)
{
	bool seen[ORACLE_TASKS_MAX] = { false };
	struct cost cost = { { 0 } };
	unsigned int i, last = 0;

	cost.of[EVENTS] = history->nr_events;
	cost.of[SETTINGS] = (history->seq != 0) + (history->ticks != ORACLE_JIFFIES) +
			    (history->threads != 1);
	cost.of[VALUES] = number_cost(history->seq) + number_cost(history->threads) +
			  (history->ticks == ORACLE_JIFFIES ? 0 : number_cost(history->ticks));
	for (i = 0; i < history->nr_events; i++) {
		const struct oracle_event *event = &history->events[i];

		if (has_task(event)) {
			cost.of[TASK_SUM] += event->task;
			if (!seen[event->task])
				cost.of[STRANGE_PIDS] += oracle_is_strange(history, i);
			seen[event->task] = true;
		}
		cost.of[SETTINGS] += event_settings(event);
		if (event->what == NUMA_HISTORY_SEQ || event->what == NUMA_HISTORY_THREADS)
			cost.of[VALUES] += number_cost(event->value);
		cost.of[TIMES] += event->ms != last;
		cost.of[TIME_SUM] += event->ms;
		last = event->ms;
	}
	cost.of[LENGTH] = last;
	return cost;
}

static bool cheaper(const struct cost *a, const struct cost *b)
{
	int i;

	for (i = 0; i < NR_COSTS; i++)
		if (a->of[i] != b->of[i])
			return a->of[i] < b->of[i];
	return false;
}

/**
 * oracle_has_letters() - can the history language name all tasks of a history?
 * @history: the history
 *
 * Return: whether it can.
 */
bool oracle_has_letters(const struct oracle_history *history)
{
	return !cost_of(history).of[STRANGE_PIDS];
}

/* ---- making it smaller ---- */

struct shrinker {
	const struct oracle_case *c;
	struct oracle_history *best;
	struct cost cost;
	bool by_answer;		/* they must go on answering differently */
};

/* What the history language's reader accepts, as far as dropping events may break it. */
static bool readable(const struct oracle_history *history)
{
	bool mapped = false, asked = false;
	unsigned int i;

	for (i = 0; i < history->nr_events; i++) {
		const struct oracle_event *event = &history->events[i];

		switch (event->what) {
		case NUMA_HISTORY_MAP:
			if (mapped)
				return false;
			mapped = true;
			break;
		case NUMA_HISTORY_SEQ:
		case NUMA_HISTORY_THREADS:
			break;
		default:
			if (!mapped)
				return false;
			mapped = event->what != NUMA_HISTORY_UNMAP;
			asked |= event->what == NUMA_HISTORY_PASS;
			break;
		}
	}
	return asked;
}

/* Takes a candidate for the best if it is smaller and they still disagree about it. */
static bool try(struct shrinker *s, struct oracle_history *candidate)
{
	struct oracle_verdict verdict;
	struct cost cost = cost_of(candidate);

	if (!cheaper(&cost, &s->cost) || !readable(candidate) ||
	    !judge(s->c, candidate, &verdict) ||
	    !(s->by_answer ? verdict.answers : verdict.states))
		return false;
	candidate->nr_events = (s->by_answer ? verdict.answer_event : verdict.state_event) + 1;
	s->cost = cost_of(candidate);
	*s->best = *candidate;
	return true;
}

static void drop(struct oracle_history *history, unsigned int from, unsigned int n)
{
	memmove(&history->events[from], &history->events[from + n],
		(history->nr_events - from - n) * sizeof(history->events[0]));
	history->nr_events -= n;
}

static bool drop_events(struct shrinker *s)
{
	struct oracle_history h;
	unsigned int n, i, j;
	bool any = false;

	for (n = s->best->nr_events / 2; n; n /= 2) {
		for (i = 0; i + n <= s->best->nr_events;) {
			h = *s->best;
			drop(&h, i, n);
			if (try(s, &h))
				any = true;
			else
				i++;
		}
	}
	/* Pairs that need each other, as unmap and map. */
	for (i = 0; s->best->nr_events <= 40 && i < s->best->nr_events; i++) {
		for (j = i + 1; j < s->best->nr_events;) {
			h = *s->best;
			drop(&h, j, 1);
			drop(&h, i, 1);
			if (try(s, &h))
				any = true;
			else
				j++;
		}
	}
	return any;
}

/* One event for two: for passes that only make the sequence advance, and for unmap and map. */
static bool join_events(struct shrinker *s)
{
	struct oracle_history h;
	bool any = false;
	unsigned int i;
	int n;

	for (i = 0; i + 1 < s->best->nr_events; i++) {
		for (n = 0; n < 8 && i + 1 < s->best->nr_events; n++) {
			struct oracle_event *event = &h.events[i];

			h = *s->best;
			drop(&h, i, 1);
			*event = (struct oracle_event) {
				.ms = event->ms,
				.what = n ? NUMA_HISTORY_SEQ : NUMA_HISTORY_SPLIT,
				.relative = n,
				.value = n,
			};
			any |= try(s, &h);
		}
	}
	return any;
}

static bool drop_settings(struct shrinker *s)
{
	static const uint8_t plainer[] = {
		NUMA_HISTORY_ACCESS, NUMA_HISTORY_SPLIT, NUMA_HISTORY_MERGE,
	};
	struct oracle_history h;
	bool any = false;
	unsigned int i, j;

	h = *s->best;
	h.seq = 0;
	any |= try(s, &h);
	h = *s->best;
	h.half = false;
	h.ticks = ORACLE_JIFFIES;
	any |= try(s, &h);
	h = *s->best;
	h.threads = 1;
	any |= try(s, &h);

	for (i = 0; i < s->best->nr_events; i++) {
		for (j = 0; j < 4 && i < s->best->nr_events; j++) {
			h = *s->best;
			if (j == 0)
				h.events[i].alone = false;
			else if (j == 1)
				h.events[i].again = false;
			else if (j == 2)
				h.events[i].fails = false;
			else
				h.events[i].end = NUMA_HISTORY_END;
			any |= try(s, &h);
		}
		for (j = 0; j < sizeof(plainer) && i < s->best->nr_events; j++) {
			h = *s->best;
			if (h.events[i].what == NUMA_HISTORY_PASS)
				continue;
			h.events[i].what = plainer[j];
			any |= try(s, &h);
		}
	}
	return any;
}

/* Numbers to be tried in place of @value, one after the other; one bit less is among them. */
#define NR_PLAINER 46

static int plainer_value(int value, int n)
{
	static const int fixed[] = { 0, 1, 2, 3, -1, INT_MAX, INT_MAX - 1, INT_MIN, INT_MIN + 1 };

	switch (n) {
	case 9:
		return value / 2;
	case 10:
		return value - value / 4;
	case 11:
		return value - value / 64;
	case 12:
		return model_int((int64_t)value - 1);
	case 13:
		return model_int((int64_t)value + 1);
	}
	return n < 9 ? fixed[n] : model_int(value & ~(1u << (n - 14)));
}

/* Threads and an advance of the sequence, which are compared with each other, both by as much. */
static bool reduce_together(struct shrinker *s)
{
	struct oracle_history h;
	bool any = false;
	unsigned int i, j;
	int less;

	for (less = 1 << 30; less; less /= 2) {
		for (i = 0; i < s->best->nr_events; i++) {
			for (j = 0; j <= i && i < s->best->nr_events; j++) {
				int *threads = j ? &h.events[j - 1].value : &h.threads;
				struct oracle_event *event = &h.events[i];

				h = *s->best;
				if (event->what != NUMA_HISTORY_SEQ || event->value <= less ||
				    (j && h.events[j - 1].what != NUMA_HISTORY_THREADS) ||
				    *threads <= less)
					continue;
				event->value -= less;
				*threads -= less;
				any |= try(s, &h);
			}
		}
	}
	return any;
}

static bool reduce_values(struct shrinker *s)
{
	struct oracle_history h;
	bool any = false;
	unsigned int i;
	int n;

	for (n = 0; n < NR_PLAINER; n++) {
		h = *s->best;
		h.seq = plainer_value(h.seq, n);
		any |= try(s, &h);
		h = *s->best;
		h.ticks = plainer_value(h.ticks, n);
		any |= try(s, &h);
		h = *s->best;
		h.threads = plainer_value(h.threads, n);
		any |= h.threads > 0 && try(s, &h);
	}
	for (i = 0; i < s->best->nr_events; i++) {
		for (n = 0; n < 2 * NR_PLAINER && i < s->best->nr_events; n++) {
			struct oracle_event *event = &h.events[i];

			h = *s->best;
			if (event->what != NUMA_HISTORY_SEQ && event->what != NUMA_HISTORY_THREADS)
				break;
			event->value = plainer_value(event->value, n % NR_PLAINER);
			if (n >= NR_PLAINER)
				event->relative = event->what == NUMA_HISTORY_SEQ;
			if (event->what == NUMA_HISTORY_THREADS && event->value < 1)
				continue;
			any |= try(s, &h);
		}
	}
	return any;
}

/*
 * Moves an event nearer to the one before it; along with it go all behind it, or only those at the
 * same time, or none.
 */
static bool reduce_times(struct shrinker *s)
{
	static const unsigned int less[] = { 1000000, 100000, 10000, 1000, 100, 10, 1 };
	unsigned int i, n, j, ms, pause, wanted;
	struct oracle_history h;
	bool any = false;

	for (i = 0; i < s->best->nr_events; i++) {
		for (n = 0; n < 30 && i < s->best->nr_events; n++) {
			h = *s->best;
			ms = h.events[i].ms;
			pause = ms - (i ? h.events[i - 1].ms : 0);
			if (!pause)
				break;
			if (n % 10 == 0)
				wanted = 0;
			else if (n % 10 == 1)
				wanted = 1;
			else if (n % 10 == 2)
				wanted = pause / 2;
			else if (pause > less[n % 10 - 3])
				wanted = pause - less[n % 10 - 3];
			else
				continue;
			for (j = i; j < h.nr_events; j++)
				if (n < 10 || j == i || (n < 20 && h.events[j].ms == ms))
					h.events[j].ms -= pause - wanted;
			any |= try(s, &h);
		}
	}
	return any;
}

static bool reduce_tasks(struct shrinker *s)
{
	struct oracle_history h;
	unsigned int i, from, to;
	bool any = false;

	/* The PIDs that letters stand for: all of them at once, then one by one. */
	h = *s->best;
	memcpy(h.pids, numa_history_pids, ORACLE_TASKS_LETTERS * sizeof(h.pids[0]));
	any |= try(s, &h);
	for (i = 0; i < ORACLE_TASKS_LETTERS; i++) {
		h = *s->best;
		h.pids[i] = numa_history_pids[i];
		any |= try(s, &h);
	}
	/* A task for another one, first wherever it acts, then in one event. */
	for (from = 0; from < ORACLE_TASKS_MAX; from++) {
		for (to = 0; to < ORACLE_TASKS_LETTERS; to++) {
			bool acts = false;

			h = *s->best;
			for (i = 0; i < h.nr_events; i++) {
				if (!has_task(&h.events[i]) || h.events[i].task != from)
					continue;
				h.events[i].task = to;
				acts = true;
			}
			if (!acts)
				break;
			any |= try(s, &h);
		}
	}
	for (i = 0; i < s->best->nr_events; i++) {
		for (to = 0; to < ORACLE_TASKS_LETTERS && i < s->best->nr_events; to++) {
			h = *s->best;
			if (!has_task(&h.events[i]))
				break;
			h.events[i].task = to;
			any |= try(s, &h);
		}
	}
	return any;
}

/**
 * oracle_shrink() - make a history small
 * @c: the policy
 * @history: the history, about which model and policy disagree; so they do afterwards, by an
 *	answer if it was by one before
 */
void oracle_shrink(const struct oracle_case *c, struct oracle_history *history)
{
	struct shrinker s = { .c = c, .best = history };
	struct oracle_verdict verdict;
	bool any;

	judge(c, history, &verdict);
	s.by_answer = verdict.answers;
	if (!verdict.answers && !verdict.states)
		return;
	history->nr_events = (verdict.answers ? verdict.answer_event : verdict.state_event) + 1;
	s.cost = cost_of(history);
	do {
		any = drop_events(&s);
		any |= join_events(&s);
		any |= drop_settings(&s);
		any |= reduce_values(&s);
		any |= reduce_together(&s);
		any |= reduce_times(&s);
		any |= reduce_tasks(&s);
	} while (any);
}
