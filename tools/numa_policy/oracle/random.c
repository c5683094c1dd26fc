// SPDX-License-Identifier: GPL-2.0
/*
 * Random histories: everything that the history language can say, and mostly what is next to a
 * boundary of some rule.
 */
#include <limits.h>
#include <string.h>

#include "oracle.h"

/**
 * oracle_random() - the next random number
 * @random: the sequence
 *
 * This is splitmix64: the same numbers everywhere for the same seed.
 *
 * Return: 64 random bits.
 */
uint64_t oracle_random(struct oracle_random *random)
{
	uint64_t z = random->state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

/**
 * oracle_below() - a random number in a range
 * @random: the sequence
 * @n: the range's end, 1 or more
 *
 * Return: a number from 0 to @n - 1.
 */
unsigned int oracle_below(struct oracle_random *random, unsigned int n)
{
	return (oracle_random(random) >> 32) * n >> 32;
}

static bool chance(struct oracle_random *random, unsigned int percent)
{
	return oracle_below(random, 100) < percent;
}

/* A number from @min to @max. */
static int between(struct oracle_random *random, int min, int max)
{
	return min + (int)oracle_below(random, max - min + 1);
}

static int any_int(struct oracle_random *random)
{
	return (int)model_int(oracle_random(random) >> 32);
}

/* ---- how a history begins ---- */

static int first_seq(struct oracle_random *random)
{
	switch (oracle_below(random, 10)) {
	case 0:
		return between(random, 1, 10);
	case 1:
		return INT_MAX - between(random, 0, 8);
	case 2:
		return between(random, 0, 1) ? INT_MIN + between(random, 0, 4) :
					       between(random, -6, -1);
	case 3:
		return any_int(random);
	default:
		return 0;
	}
}

/* The wrap-around of 64 bits, of 32 bits, and of what is signed in 32 bits. */
static int first_jiffies(struct oracle_random *random)
{
	switch (oracle_below(random, 10)) {
	case 0:
	case 1:
		return between(random, -20000, -1);
	case 2:
		return between(random, 0, 5000);
	case 3:
		return INT_MAX - between(random, 0, 20000);
	case 4:
		return INT_MIN + between(random, 0, 5000);
	case 5:
		return any_int(random);
	default:
		return ORACLE_JIFFIES;
	}
}

static int some_threads(struct oracle_random *random)
{
	switch (oracle_below(random, 20)) {
	case 0:
		return between(random, 6, 200);
	case 1:
		return chance(random, 50) ? INT_MAX - between(random, 0, 2) :
					    1 + (int)(oracle_random(random) >> 34);
	default:
		return between(random, 1, 5);
	}
}

/* PIDs that are not the letters', but anything. */
static void random_pids(struct oracle_random *random, unsigned int *pids)
{
	unsigned int i;

	for (i = 0; i < ORACLE_TASKS_LETTERS; i++) {
		switch (oracle_below(random, 5)) {
		case 0:
			pids[i] = oracle_random(random);
			break;
		case 1:
			pids[i] = i ? pids[i - 1] + 1 : oracle_below(random, 2);
			break;
		case 2:
			pids[i] = UINT_MAX - oracle_below(random, 100);
			break;
		case 3:
			pids[i] = 1u << oracle_below(random, 32);
			break;
		default:
			pids[i] = oracle_below(random, 4194304);
			break;
		}
	}
}

/* A task for each bucket, in random order. */
static void crowd(struct oracle_author *author, unsigned int *pids)
{
	bool taken[MODEL_BUCKETS_MAX] = { false };
	int n = 0;

	while (n < author->config->buckets) {
		unsigned int pid = oracle_below(author->random, 4194304);
		int bucket = model_bucket(author->config, pid);

		if (taken[bucket])
			continue;
		taken[bucket] = true;
		author->tasks[n] = n;
		pids[n++] = pid;
	}
	author->nr_tasks = n;
}

/* A few tasks, so that they meet again; sometimes all of them. */
static void choose_tasks(struct oracle_author *author)
{
	unsigned int i;

	if (chance(author->random, 25)) {
		author->nr_tasks = ORACLE_TASKS_LETTERS;
		for (i = 0; i < author->nr_tasks; i++)
			author->tasks[i] = i;
		return;
	}
	author->nr_tasks = between(author->random, 1, 5);
	for (i = 0; i < author->nr_tasks; i++)
		author->tasks[i] = oracle_below(author->random, ORACLE_TASKS_LETTERS);
}

/**
 * oracle_author_start() - invent how a history begins, and of what kind it is
 * @author: who invents it
 * @random: where dice are thrown
 * @config: the build
 * @history: the history, without events afterwards
 */
void oracle_author_start(struct oracle_author *author, struct oracle_random *random,
			 const struct model_config *config, struct oracle_history *history)
{
	static const unsigned int restless[] = { 0, 20, 120 }, jumpy[] = { 0, 60, 200 };
	unsigned int kind = oracle_below(random, 100);

	author->random = random;
	author->config = config;
	author->wanted = between(random, 2, ORACLE_EVENTS_LETTERS);
	author->burst = 0;
	author->restless = restless[oracle_below(random, 3)];
	author->jumpy = jumpy[oracle_below(random, 3)];
	author->hasty = between(random, 10, 80);

	history->seq = first_seq(random);
	history->half = chance(random, 10);
	history->ticks = history->half ? between(random, -20000, 5000) : first_jiffies(random);
	history->threads = chance(random, 50) ? 1 : some_threads(random);
	history->nr_events = 0;
	memset(history->pids, 0, sizeof(history->pids));
	memcpy(history->pids, numa_history_pids, ORACLE_TASKS_LETTERS * sizeof(*history->pids));

	/* What needs more sharers than there are letters is for crowds. */
	if (kind < (config->threshold > 8 ? 30 : 3)) {
		author->wanted = between(random, 2, ORACLE_EVENTS_MAX);
		crowd(author, history->pids);
		return;
	}
	if (kind < 40)
		random_pids(random, history->pids);
	choose_tasks(author);
}

/* ---- events ---- */

/* Time until the next event. */
static int64_t pause(struct oracle_author *author, const struct model *m)
{
	struct oracle_random *random = author->random;
	int64_t boundary;

	if (chance(random, author->hasty))
		return 0;
	switch (oracle_below(random, 16)) {
	case 0:
		return between(random, 1, 3);
	case 1:
	case 2:
	case 3:
		return between(random, 1, 1500);
	case 4:
	case 5:
	case 6:
		boundary = m->next_scan;
		break;
	case 7:
		/* When the windows have moved at last, or one period earlier or later. */
		boundary = m->pids_active_reset + ORACLE_PERIOD * between(random, 1, 8);
		break;
	case 8:
	case 9:
		return between(random, 0, 2 * ORACLE_PERIOD + 1000);
	case 10:
		return between(random, 1, author->config->windows + 2) * ORACLE_PERIOD +
		       between(random, -2, 2);
	case 11:
		return chance(random, 10) ? between(random, 0, 100000000) :
					    between(random, 0, 100000);
	default:
		boundary = m->pids_active_reset;
		break;
	}
	if (!m->has_state)
		return between(random, 0, 1000);
	boundary += between(random, -1, 1);
	return boundary > m->now ? boundary - m->now : 0;
}

static void sequence(struct oracle_author *author, const struct model *m,
		     struct oracle_event *event)
{
	static const int extremes[] = {
		0, 1, 2, 3, -1, -2, INT_MAX, INT_MAX - 1, INT_MIN, INT_MIN + 1,
	};
	struct oracle_random *random = author->random;
	bool any = false;

	event->what = NUMA_HISTORY_SEQ;
	switch (oracle_below(random, 20)) {
	case 0:
	case 1:
		event->value = model_int(m->prev_scan_seq + m->threads + between(random, -1, 2));
		break;
	case 2:
		event->value = model_int(m->start_scan_seq + between(random, 0, 3));
		break;
	case 3:
		event->value = model_int(m->prev_scan_seq + between(random, -1, 1));
		break;
	case 4:
	case 5:
		event->value = extremes[oracle_below(random, 10)];
		break;
	case 6:
		any = true;
		event->value = any_int(random);
		break;
	case 7:
		/* Half the way round, from where the rules look back to. */
		any = true;
		event->value = model_int((chance(random, 50) ? m->prev_scan_seq :
							       m->start_scan_seq) +
					 INT_MAX + between(random, -1, 2));
		break;
	case 8:
		event->relative = true;
		event->value = chance(random, 50) ? INT_MAX - between(random, 0, 2) :
						    (int)(oracle_random(random) >> 33);
		break;
	case 9:
	case 10:
	case 11:
		event->relative = true;
		event->value = model_int(m->threads + between(random, -1, 2));
		if (event->value < 1)
			event->value = 1;
		break;
	default:
		event->relative = true;
		event->value = between(random, 1, 4);
		break;
	}
	/* Sequences in disorder leave INITIAL in charge for long; not too much of that. */
	if (any && chance(random, 50)) {
		event->relative = true;
		event->value = 1;
	}
}

static void pass(struct oracle_author *author, const struct model *models, unsigned int nr_models,
		 struct oracle_event *event)
{
	struct oracle_random *random = author->random;
	unsigned int i;

	event->what = NUMA_HISTORY_PASS;
	event->alone = chance(random, 25);
	event->again = chance(random, 6);
	event->fails = chance(random, 4);
	switch (oracle_below(random, 16)) {
	case 0:
		event->end = NUMA_HISTORY_BEFORE;
		/* What began further behind does not come to where the VMA begins. */
		for (i = 0; i < nr_models; i++)
			event->again |= models[i].offset > MODEL_START;
		break;
	case 1:
	case 2:
		event->end = NUMA_HISTORY_INSIDE;
		break;
	case 3:
		event->end = NUMA_HISTORY_AT_END;
		break;
	case 4:
		event->end = NUMA_HISTORY_BEHIND;
		break;
	}
}

/* As many accesses, by different tasks, as the rule for shared VMAs wants, or nearly. */
static void burst(struct oracle_author *author)
{
	struct oracle_random *random = author->random;
	int n = author->config->threshold + between(random, -1, 1);

	if (chance(random, 10))
		n = oracle_below(random, author->nr_tasks + 1);
	author->burst = n < 1 ? 1 : n;
	author->burst_at = oracle_below(random, author->nr_tasks);
}

static void access(struct oracle_author *author, struct oracle_event *event)
{
	event->what = NUMA_HISTORY_ACCESS;
	if (!author->burst)
		return;
	author->burst--;
	author->burst_at = (author->burst_at + 1) % author->nr_tasks;
	event->task = author->tasks[author->burst_at];
}

/* What rids the VMA of its state, or is rare for other reasons. */
static void upset(struct oracle_author *author, struct oracle_event *event)
{
	static const uint8_t whats[] = {
		NUMA_HISTORY_UNMAP, NUMA_HISTORY_SPLIT, NUMA_HISTORY_MERGE, NUMA_HISTORY_FORK,
	};

	event->what = whats[oracle_below(author->random, sizeof(whats))];
}

/**
 * oracle_author_event() - invent the next event
 * @author: who invents it
 * @models: the models that the history is played to; boundaries are chosen by one of them
 * @nr_models: how many they are
 * @event: where the event goes
 */
void oracle_author_event(struct oracle_author *author, const struct model *models,
			 unsigned int nr_models, struct oracle_event *event)
{
	struct oracle_random *random = author->random;
	const struct model *m = &models[oracle_below(random, nr_models)];
	int64_t ms = m->now;
	unsigned int dice;

	memset(event, 0, sizeof(*event));
	event->task = author->tasks[oracle_below(random, author->nr_tasks)];
	if (!author->burst || !m->mapped)
		ms += pause(author, m);
	event->ms = ms > ORACLE_MS_MAX ? ORACLE_MS_MAX : ms;

	if (!m->mapped) {
		author->burst = 0;
		dice = oracle_below(random, 10);
		if (dice == 0) {
			sequence(author, m, event);
		} else if (dice == 1) {
			event->what = NUMA_HISTORY_THREADS;
			event->value = some_threads(random);
		} else {
			event->what = NUMA_HISTORY_MAP;
		}
		return;
	}
	if (author->burst) {
		access(author, event);
		return;
	}
	dice = oracle_below(random, 1000);
	if (dice < author->restless) {
		upset(author, event);
		return;
	}
	dice = oracle_below(random, 1000);
	if (dice < author->jumpy) {
		sequence(author, m, event);
		return;
	}
	dice = oracle_below(random, 100);
	if (dice < 62) {
		pass(author, models, nr_models, event);
	} else if (dice < 78) {
		access(author, event);
	} else if (dice < 84) {
		burst(author);
		access(author, event);
	} else if (dice < 92) {
		event->what = NUMA_HISTORY_TOUCH;
	} else if (dice < 96) {
		event->what = NUMA_HISTORY_THREADS;
		event->value = some_threads(random);
	} else {
		event->what = dice < 98 ? NUMA_HISTORY_LOCAL : NUMA_HISTORY_REMOTE;
	}
}
