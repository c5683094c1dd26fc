// SPDX-License-Identifier: GPL-2.0
/*
 * Plays events to the code under test: the VMA's state and its functions as kernels have them, and
 * the policies themselves. What is between, here as in the kernel, is the scan loop.
 */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include <linux/sched.h>

#include "oracle.h"

/* The VMA, and addresses before and behind it. */
#define FRONT 0UL
#define START 0x40000000UL
#define PAGE 0x1000UL
#define END (START + MODEL_END * PAGE)
#define BEHIND (START + MODEL_BEHIND * PAGE)

/* Of the policies' other form, which the oracle does not ask. */
struct task_struct *current;

static void next_sequence(struct subject *s)
{
	s->seq = (int)((unsigned int)s->seq + 1);
	s->offset = FRONT;
}

static void trap(struct subject *s)
{
	if (!s->local || s->threads > 1)
		s->traps = true;
}

static bool meet(struct subject *s, const struct oracle_event *event, bool forced,
		 struct oracle_outcome *outcome)
{
	struct vma_numab_state *state = &s->state;
	struct numa_policy_snapshot snap;

	if (!s->has_state && event->fails) {
		outcome->answer = NUMA_HISTORY_NO_STATE;
		return false;
	}
	if (!s->has_state) {
		memset(state, 0, sizeof(*state));
		numa_policy_init_state(state, s->seq, s->now, ORACLE_DELAY, ORACLE_PERIOD);
		s->has_state = true;
	}
	/* time_before() */
	if (s->seq && time_after(state->next_scan, s->now)) {
		outcome->answer = NUMA_HISTORY_DELAYED;
		return false;
	}
	numa_policy_age(state, s->seq, s->now, ORACLE_PERIOD);
	if (state->prev_scan_seq == s->seq) {
		outcome->answer = NUMA_HISTORY_SAME_SEQ;
		return false;
	}
	if (forced) {
		outcome->answer = NUMA_HISTORY_FORCED;
		return true;
	}
	snap = (struct numa_policy_snapshot) {
		.state = state,
		.scan_offset = s->offset,
		.vma_start = START,
		.pid = s->pids[event->task],
		.scan_seq = s->seq,
		.nr_threads = s->threads,
	};
	outcome->asked = true;
	outcome->reason = s->ops->decide(&snap);
	outcome->answer = outcome->reason;
	return outcome->reason;
}

/* As in task_numa_work(): a forced pass goes the whole way to the VMA again, but does not ask. */
static void pass(struct subject *s, const struct oracle_event *event,
		 struct oracle_outcome *outcome)
{
	bool forced = false;

	if (event->again)
		s->offset = FRONT;
	if (event->end == NUMA_HISTORY_BEFORE)
		s->offset = START;
	if (event->end == NUMA_HISTORY_BEFORE || s->offset >= END) {
		outcome->answer = NUMA_HISTORY_UNMET;
		if (event->end == NUMA_HISTORY_END)
			next_sequence(s);
		return;
	}
retry:
	if (meet(s, event, forced, outcome)) {
		trap(s);
		if (event->end == NUMA_HISTORY_INSIDE) {
			s->offset = (s->offset > START ? s->offset : START) + PAGE;
			return;
		}
		if (event->end == NUMA_HISTORY_AT_END) {
			s->offset = END;
			return;
		}
		s->state.prev_scan_seq = s->seq;
	} else if (event->alone && outcome->asked && !s->ops->no_forced_pass) {
		forced = true;
		goto retry;
	}
	if (event->end == NUMA_HISTORY_BEHIND)
		s->offset = BEHIND;
	else
		next_sequence(s);
}

static void hinting_fault(struct subject *s, unsigned int task)
{
	if (s->has_state)
		numa_policy_record_access(&s->state, s->pids[task]);
}

/**
 * subject_start() - the beginning of a history
 * @s: the subject
 * @ops: the policy
 * @history: the history
 */
void subject_start(struct subject *s, const struct numa_policy_ops *ops,
		   const struct oracle_history *history)
{
	memset(s, 0, sizeof(*s));
	s->ops = ops;
	s->pids = history->pids;
	s->jiffies = (history->half ? ULONG_MAX / 2 + 1 : 0) + history->ticks;
	s->seq = history->seq;
	s->threads = history->threads;
	s->offset = FRONT;
}

/**
 * subject_event() - let an event happen
 * @s: the subject
 * @event: the event
 *
 * Return: what came of it.
 */
struct oracle_outcome subject_event(struct subject *s, const struct oracle_event *event)
{
	struct oracle_outcome outcome = { .answer = NUMA_HISTORY_UNSAID };

	s->now = s->jiffies + event->ms;
	switch (event->what) {
	case NUMA_HISTORY_MAP:
		s->mapped = true;
		s->has_state = false;
		s->traps = false;
		break;
	case NUMA_HISTORY_UNMAP:
		s->mapped = false;
		s->has_state = false;
		break;
	case NUMA_HISTORY_SPLIT:
	case NUMA_HISTORY_MERGE:
		s->has_state = false;
		break;
	case NUMA_HISTORY_FORK:
		s->has_state = false;
		if (s->threads == 1)
			s->seq = 0;
		s->threads = 1;
		break;
	case NUMA_HISTORY_ACCESS:
		hinting_fault(s, event->task);
		break;
	case NUMA_HISTORY_TOUCH:
		outcome.answer = NUMA_POLICY_SKIP;
		if (s->traps) {
			outcome.answer = NUMA_HISTORY_FAULT;
			hinting_fault(s, event->task);
			s->traps = false;
		}
		break;
	case NUMA_HISTORY_PASS:
		pass(s, event, &outcome);
		break;
	case NUMA_HISTORY_SEQ:
		if (event->relative)
			s->seq = (int)((unsigned int)s->seq + event->value);
		else
			s->seq = event->value;
		s->offset = FRONT;
		break;
	case NUMA_HISTORY_THREADS:
		s->threads = event->value;
		break;
	case NUMA_HISTORY_LOCAL:
		s->local = true;
		break;
	case NUMA_HISTORY_REMOTE:
		s->local = false;
		break;
	}
	return outcome;
}

/* ---- comparing ---- */

/* The 8 buckets that a byte of a bitmap stands for, as a set of the model. */
static bool byte_sets[256][8];

static void fill_byte_sets(void)
{
	int byte, bit;

	for (byte = 0; byte < 256; byte++)
		for (bit = 0; bit < 8; bit++)
			byte_sets[byte][bit] = byte & 1 << bit;
}

static bool same_window(unsigned long word, const bool *set)
{
	unsigned int i;

	for (i = 0; i < BITS_PER_LONG; i += 8)
		if (memcmp(byte_sets[word >> i & 0xff], set + i, 8))
			return false;
	return true;
}

static unsigned long address(int64_t offset)
{
	return offset == MODEL_FRONT ? FRONT : START + offset * PAGE;
}

/**
 * subject_is_like() - is the code under test in the state in which the model is?
 * @s: the subject
 * @m: the model
 *
 * Return: whether it is, in all that both know.
 */
bool subject_is_like(const struct subject *s, const struct model *m)
{
	int i;

	if (!byte_sets[1][0])
		fill_byte_sets();
	if (s->seq != m->seq || s->threads != m->threads || s->offset != address(m->offset) ||
	    s->mapped != m->mapped || s->local != m->local || s->traps != m->traps ||
	    s->has_state != m->has_state)
		return false;
	if (!m->has_state)
		return true;
	if (s->state.next_scan != s->jiffies + (unsigned long)m->next_scan ||
	    s->state.pids_active_reset != s->jiffies + (unsigned long)m->pids_active_reset ||
	    s->state.start_scan_seq != m->start_scan_seq ||
	    s->state.prev_scan_seq != m->prev_scan_seq)
		return false;
	for (i = 0; i < NUMA_POLICY_WINDOWS; i++)
		if (!same_window(s->state.pids_active[i], m->window[i]))
			return false;
	return true;
}

struct text {
	char *s;
	size_t size;
	size_t len;
};

#define say(_text, ...)										\
	do {											\
		struct text *_t = (_text);							\
												\
		if (_t->len < _t->size)								\
			_t->len += snprintf(_t->s + _t->len, _t->size - _t->len, __VA_ARGS__);	\
	} while (0)

static void differ(struct text *text, const char *field, long long expected, long long got)
{
	if (expected != got)
		say(text, "%s%s must be %lld, is %lld", text->len ? "; " : "", field, expected,
		    got);
}

/**
 * subject_difference() - which fields of the two differ
 * @s: the subject
 * @m: the model
 * @text: where to say it; times are in ms since the history's beginning
 * @size: bytes there
 */
void subject_difference(const struct subject *s, const struct model *m, char *text, size_t size)
{
	struct text t = { text, size, 0 };
	int i, j;

	text[0] = '\0';
	differ(&t, "the mm's sequence", m->seq, s->seq);
	differ(&t, "threads", m->threads, s->threads);
	differ(&t, "the mm's scan offset", (long long)address(m->offset), s->offset);
	differ(&t, "being mapped", m->mapped, s->mapped);
	differ(&t, "being local", m->local, s->local);
	differ(&t, "trapping", m->traps, s->traps);
	differ(&t, "having state", m->has_state, s->has_state);
	if (!m->has_state || !s->has_state)
		return;
	differ(&t, "next_scan", m->next_scan, (long)(s->state.next_scan - s->jiffies));
	differ(&t, "pids_active_reset", m->pids_active_reset,
	       (long)(s->state.pids_active_reset - s->jiffies));
	differ(&t, "start_scan_seq", m->start_scan_seq, s->state.start_scan_seq);
	differ(&t, "prev_scan_seq", m->prev_scan_seq, s->state.prev_scan_seq);
	for (i = 0; i < NUMA_POLICY_WINDOWS; i++) {
		if (same_window(s->state.pids_active[i], m->window[i]))
			continue;
		say(&t, "%spids_active[%d] must have the buckets {", t.len ? "; " : "", i);
		for (j = 0; j < BITS_PER_LONG; j++)
			if (m->window[i][j])
				say(&t, " %d", j);
		say(&t, " }, has {");
		for (j = 0; j < BITS_PER_LONG; j++)
			if (s->state.pids_active[i] >> j & 1)
				say(&t, " %d", j);
		say(&t, " }");
	}
}
