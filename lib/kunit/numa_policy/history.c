// SPDX-License-Identifier: GPL-2.0
/*
 * Scripted histories of a VMA: reading them, and playing them to a scan policy.
 *
 * Needs neither KUnit nor a kernel with NUMA balancing; user-space tools compile it, too.
 */
#include <linux/bitops.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "../../../kernel/sched/numa_policy/policies.h"
#include "history.h"

/* The clock of histories: a jiffy is 1 ms, whatever HZ is, and the tunables have their defaults. */
#define DELAY 1000
#define PERIOD (4 * DELAY)
#define JIFFIES 100000

/* The VMA, and how far a pass that stops inside comes. */
#define VMA_START 0x40000000UL
#define VMA_END 0x40400000UL
#define STEP 0x1000UL

/*
 * The tasks and their PIDs. A to H have different bits in a window, even in one of 32; a to d
 * each collide with their capital in one of 64, and so in one of 32, too; X and Y collide in a
 * window of 32 bits only. L has the lowest bit of 64, which is B's of 32, and M the highest of
 * both.
 */
const char numa_history_tasks[] = "ABCDEFGHabcdXYLM";
const unsigned int numa_history_pids[] = {
	1001, 1008, 1015, 1029, 1043, 1050, 1057, 1064,
	2043, 2050, 2091, 2105,
	3001, 3069,
	4003, 4037,
};

static const char * const policy_names[] = {
#define NAME(_sym, _name, _text) #_name,
	NUMA_POLICIES(NAME)
#undef NAME
};

static_assert(ARRAY_SIZE(policy_names) <= NUMA_HISTORY_POLICIES_MAX);

static const char * const answer_texts[] = {
#define TEXT(_sym, _text) [NUMA_POLICY_##_sym] = _text,
	NUMA_POLICY_REASON_TEXTS(TEXT)
#undef TEXT
	[NUMA_HISTORY_FORCED] = "forced",
	[NUMA_HISTORY_DELAYED] = "delayed",
	[NUMA_HISTORY_SAME_SEQ] = "same_seq",
	[NUMA_HISTORY_NO_STATE] = "no_state",
	[NUMA_HISTORY_UNMET] = "unmet",
	[NUMA_HISTORY_FAULT] = "fault",
};

static_assert(ARRAY_SIZE(answer_texts) == NR_NUMA_HISTORY_ANSWERS);

/* ---- reading ---- */

/* A word of a line; not terminated. */
struct word {
	const char *at;
	unsigned int len;
};

/* A line of the text, of which words are taken. */
struct line {
	const char *at;
	const char *end;
};

static bool blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static bool next_word(struct line *line, struct word *word)
{
	while (line->at < line->end && blank(*line->at))
		line->at++;
	word->at = line->at;
	while (line->at < line->end && !blank(*line->at))
		line->at++;
	word->len = line->at - word->at;
	return word->len;
}

static bool is(const struct word *word, const char *text)
{
	return word->len == strlen(text) && !memcmp(word->at, text, word->len);
}

/* For "%.*s". */
#define WORD(_word) (int)(_word)->len, (_word)->at

static bool read_digits(const char *at, unsigned int len, unsigned int max, unsigned int *value)
{
	unsigned int n = 0, i;

	if (!len)
		return false;
	for (i = 0; i < len; i++) {
		unsigned int digit = (unsigned char)at[i] - '0';

		if (digit > 9 || digit > max || n > (max - digit) / 10)
			return false;
		n = n * 10 + digit;
	}
	*value = n;
	return true;
}

/* An int, all of them. */
static bool read_int(const struct word *word, int *value)
{
	unsigned int n, minus = word->len && word->at[0] == '-';

	if (!read_digits(word->at + minus, word->len - minus, 0x7fffffffU + minus, &n))
		return false;
	*value = (int)(minus ? 0 - n : n);
	return true;
}

/* Seconds with three decimals, as ms. */
static bool read_time(const struct word *word, unsigned int *ms)
{
	unsigned int s, frac;

	if (word->len < 5 || word->at[word->len - 4] != '.' ||
	    !read_digits(word->at, word->len - 4, 1000000, &s) ||
	    !read_digits(word->at + word->len - 3, 3, 999, &frac))
		return false;
	*ms = s * 1000 + frac;
	return true;
}

__printf(3, 4)
static int fault(struct numa_history_reader *reader, const struct numa_history *history,
		 const char *fmt, ...)
{
	unsigned int len;
	va_list args;

	len = snprintf(reader->error, sizeof(reader->error), "%s:%u: ", reader->name,
		       reader->line);
	if (history && history->name[0])
		len += snprintf(reader->error + len, sizeof(reader->error) - len, "history %s: ",
				history->name);
	va_start(args, fmt);
	vsnprintf(reader->error + len, sizeof(reader->error) - len, fmt, args);
	va_end(args);
	return -1;
}

/* The names that there are, for messages. */
static const char *names(char *buf, unsigned int size, const char * const *texts, unsigned int n)
{
	unsigned int len = 0, i;

	buf[0] = '\0';
	for (i = 0; i < n && len < size; i++)
		len += snprintf(buf + len, size - len, " %s", texts[i]);
	return buf;
}

static int read_columns(struct numa_history_reader *reader, struct line *line)
{
	struct word word;
	char buf[160];
	unsigned int i, j, k;

	if (!next_word(line, &word) || !is(&word, "|"))
		return fault(reader, NULL, "after \"answers\" come a \"|\" and the policies that answer");
	for (i = 0; next_word(line, &word); i++) {
		if (i == NUMA_HISTORY_POLICIES_MAX)
			return fault(reader, NULL, "more columns than there can be policies");
		for (j = 0; j < ARRAY_SIZE(policy_names); j++)
			if (is(&word, policy_names[j]))
				break;
		if (j == ARRAY_SIZE(policy_names))
			return fault(reader, NULL, "unknown policy \"%.*s\"; there are:%s",
				     WORD(&word), names(buf, sizeof(buf), policy_names,
							ARRAY_SIZE(policy_names)));
		for (k = 0; k < i; k++)
			if (reader->columns[k] == j)
				return fault(reader, NULL, "policy %s has two columns",
					     policy_names[j]);
		reader->columns[i] = j;
	}
	reader->nr_columns = i;
	if (!i)
		return fault(reader, NULL, "no policy answers");
	return 0;
}

/* ANSWER, or ANSWER/N for ANSWER with N windows or more, or ANSWER/N/ELSE. */
static int read_answer(struct numa_history_reader *reader, struct numa_history *history,
		       const struct word *cell, u8 *answer)
{
	struct word part[3];
	unsigned int nr = 0, i, j, from = 0, found[2] = { NUMA_POLICY_SKIP, NUMA_POLICY_SKIP };
	const char *at = cell->at, *end = cell->at + cell->len;
	char buf[200];

	while (nr < 3) {
		part[nr].at = at;
		while (at < end && *at != '/')
			at++;
		part[nr].len = at - part[nr].at;
		nr++;
		if (at == end)
			break;
		at++;
	}
	if (at != end || (nr > 1 && !read_digits(part[1].at, part[1].len, 8, &from)) ||
	    (nr > 1 && (from < 3 || from > 8)))
		return fault(reader, history,
			     "answer \"%.*s\": must be ANSWER, ANSWER/N or ANSWER/N/ELSE, N windows from 3 to 8",
			     WORD(cell));
	for (i = 0; i < nr; i += 2) {
		if (is(&part[i], "-"))
			continue;
		if (is(&part[i], "?")) {
			found[i / 2] = NUMA_HISTORY_UNSAID;
			continue;
		}
		for (j = 0; j < ARRAY_SIZE(answer_texts); j++)
			if (is(&part[i], answer_texts[j]))
				break;
		if (j == ARRAY_SIZE(answer_texts))
			return fault(reader, history, "unknown reason \"%.*s\"; there are: - ?%s",
				     WORD(&part[i]), names(buf, sizeof(buf), answer_texts,
							   ARRAY_SIZE(answer_texts)));
		found[i / 2] = j;
	}
	*answer = from <= NUMA_POLICY_WINDOWS ? found[0] : found[1];
	return 0;
}

static int read_answers(struct numa_history_reader *reader, struct numa_history *history,
			struct numa_history_event *event, struct line *line)
{
	struct word cell;
	unsigned int i;
	u8 answer = NUMA_HISTORY_UNSAID;

	for (i = 0; next_word(line, &cell); i++) {
		if (i == reader->nr_columns)
			return fault(reader, history, "more answers than policies, which are %u",
				     reader->nr_columns);
		if (read_answer(reader, history, &cell, &answer))
			return -1;
		if (answer != NUMA_HISTORY_UNSAID && event->what == NUMA_HISTORY_PASS &&
		    answer == NUMA_HISTORY_FAULT)
			return fault(reader, history, "a pass takes no hinting fault");
		if (answer != NUMA_HISTORY_UNSAID && event->what == NUMA_HISTORY_TOUCH &&
		    answer != NUMA_HISTORY_FAULT && answer != NUMA_POLICY_SKIP)
			return fault(reader, history, "\"%.*s\": what comes of a touch is \"fault\" or \"-\"",
				     WORD(&cell));
		event->answers[reader->columns[i]] = answer;
	}
	/* One answer is everybody's. */
	if (i == 1)
		for (; i < reader->nr_columns; i++)
			event->answers[reader->columns[i]] = event->answers[reader->columns[0]];
	if (i != reader->nr_columns)
		return fault(reader, history, "%u answers for %u policies: must be one for each, or one for all",
			     i, reader->nr_columns);
	return 0;
}

static const struct {
	const char *word;
	u8 what;
	bool task;
	bool before_map;	/* may happen while there is no VMA */
	bool guest;		/* can be acted out by a program */
} whats[] = {
	{ "map", NUMA_HISTORY_MAP, false, true, true },
	{ "unmap", NUMA_HISTORY_UNMAP, false, false, true },
	{ "split", NUMA_HISTORY_SPLIT, false, false, false },
	{ "merge", NUMA_HISTORY_MERGE, false, false, false },
	{ "fork", NUMA_HISTORY_FORK, false, false, false },
	{ "access", NUMA_HISTORY_ACCESS, true, false, true },
	{ "touch", NUMA_HISTORY_TOUCH, true, false, false },
	{ "pass", NUMA_HISTORY_PASS, true, false, true },
	{ "seq", NUMA_HISTORY_SEQ, false, true, true },
	{ "threads", NUMA_HISTORY_THREADS, false, true, true },
	{ "local", NUMA_HISTORY_LOCAL, false, false, false },
	{ "remote", NUMA_HISTORY_REMOTE, false, false, false },
};

static int read_end(struct numa_history_reader *reader, struct numa_history *history,
		    struct numa_history_event *event, struct line *line)
{
	struct word word;

	if (!next_word(line, &word))
		word.len = 0;
	if (is(&word, "before"))
		event->end = NUMA_HISTORY_BEFORE;
	else if (is(&word, "inside"))
		event->end = NUMA_HISTORY_INSIDE;
	else if (is(&word, "at-end"))
		event->end = NUMA_HISTORY_AT_END;
	else if (is(&word, "behind"))
		event->end = NUMA_HISTORY_BEHIND;
	else
		return fault(reader, history, "a pass stops before, inside, at-end or behind, not \"%.*s\"",
			     WORD(&word));
	return 0;
}

/* Was this word about a pass said before? */
static bool said(const struct word *word, const struct numa_history_event *event)
{
	return (is(word, "alone") && event->alone) || (is(word, "again") && event->again) ||
	       (is(word, "fails") && event->fails) ||
	       (is(word, "stops") && event->end != NUMA_HISTORY_END);
}

/* What is known of the VMA while a history is read. */
struct known {
	bool mapped;
	bool has_state;		/* a pass met it */
	bool inside;		/* the next pass may begin inside of it or behind it */
};

/* What a pass says must fit what came before it. */
static int check_pass(struct numa_history_reader *reader, struct numa_history *history,
		      const struct numa_history_event *event, struct known *known)
{
	bool before = event->end == NUMA_HISTORY_BEFORE;

	if (event->again)
		known->inside = false;
	if (before && known->inside)
		return fault(reader, history, "the pass begins inside or behind the VMA, and cannot stop before it");
	if (event->fails && known->has_state)
		return fault(reader, history, "fails, but the VMA has its state already");
	if (!before && !event->fails && !known->inside)
		known->has_state = true;
	known->inside = event->end != NUMA_HISTORY_END && !before;
	return 0;
}

/* TIME WHAT [TASK] ..., up to the "|" or the end of the line. */
static int read_event(struct numa_history_reader *reader, struct numa_history *history,
		      const struct word *time, struct line *line, struct known *known)
{
	struct numa_history_event *event = &history->events[history->nr_events];
	struct word what, word;
	unsigned int i;
	const char *task;

	if (!history->nr_events && history->guest && (history->seq || history->jiffies != JIFFIES))
		return fault(reader, history, "such a start cannot be acted out in a guest");
	if (history->nr_events == NUMA_HISTORY_EVENTS_MAX)
		return fault(reader, history, "more than %d events", NUMA_HISTORY_EVENTS_MAX);
	memset(event, 0, sizeof(*event));
	memset(event->answers, NUMA_HISTORY_UNSAID, sizeof(event->answers));
	event->line = reader->line;
	event->text = time->at;
	if (!read_time(time, &event->ms))
		return fault(reader, history,
			     "\"%.*s\": neither a setting nor a time; a time is in seconds with three decimals, as 12.500",
			     WORD(time));
	if (history->nr_events && event->ms < event[-1].ms)
		return fault(reader, history, "time goes backwards, from %u.%03u to %u.%03u",
			     event[-1].ms / 1000, event[-1].ms % 1000,
			     event->ms / 1000, event->ms % 1000);

	if (!next_word(line, &what))
		return fault(reader, history, "nothing happens at %.*s", WORD(time));
	for (i = 0; i < ARRAY_SIZE(whats); i++)
		if (is(&what, whats[i].word))
			break;
	if (i == ARRAY_SIZE(whats))
		return fault(reader, history, "unknown event \"%.*s\"", WORD(&what));
	event->what = whats[i].what;
	if (!known->mapped && !whats[i].before_map)
		return fault(reader, history, "%s before there is a VMA", whats[i].word);
	if (known->mapped && event->what == NUMA_HISTORY_MAP)
		return fault(reader, history, "map of a VMA that is there already");
	if (event->what == NUMA_HISTORY_MAP || event->what == NUMA_HISTORY_UNMAP)
		known->mapped = event->what == NUMA_HISTORY_MAP;
	if (event->what >= NUMA_HISTORY_UNMAP && event->what <= NUMA_HISTORY_FORK)
		known->has_state = false;
	if (event->what == NUMA_HISTORY_SEQ)
		known->inside = false;

	if (history->guest && (!whats[i].guest ||
			       (event->what == NUMA_HISTORY_SEQ && known->mapped)))
		return fault(reader, history, "%s cannot be acted out in a guest", whats[i].word);

	if (whats[i].task) {
		task = next_word(line, &word) && word.len == 1 ?
		       strchr(numa_history_tasks, *word.at) : NULL;
		if (!task)
			return fault(reader, history, "%s by \"%.*s\": a task is one of %s",
				     whats[i].word, WORD(&word), numa_history_tasks);
		event->task = task - numa_history_tasks;
	} else if (event->what == NUMA_HISTORY_SEQ) {
		if (!next_word(line, &word))
			return fault(reader, history, "seq needs N or +N");
		event->relative = word.len && word.at[0] == '+';
		word.at += event->relative;
		word.len -= event->relative;
		if (!read_int(&word, &event->value))
			return fault(reader, history, "seq \"%.*s\": must be N or +N, an int",
				     WORD(&word));
	} else if (event->what == NUMA_HISTORY_THREADS) {
		if (!next_word(line, &word) || !read_int(&word, &event->value) || event->value < 1)
			return fault(reader, history, "threads \"%.*s\": must be 1 or more",
				     WORD(&word));
	}
	event->len = line->at - event->text;

	while (next_word(line, &word)) {
		if (is(&word, "|") && (event->what == NUMA_HISTORY_PASS ||
				       event->what == NUMA_HISTORY_TOUCH)) {
			if (history->guest && (event->again || event->fails ||
					       (event->end != NUMA_HISTORY_END &&
						event->end != NUMA_HISTORY_INSIDE)))
				return fault(reader, history, "such a pass cannot be acted out in a guest");
			if (event->what == NUMA_HISTORY_PASS &&
			    check_pass(reader, history, event, known))
				return -1;
			if (read_answers(reader, history, event, line))
				return -1;
			history->nr_events++;
			return 0;
		}
		if (event->what != NUMA_HISTORY_PASS)
			return fault(reader, history, "\"%.*s\" says nothing about %s", WORD(&word),
				     whats[i].word);
		if (said(&word, event))
			return fault(reader, history, "\"%.*s\" is said twice", WORD(&word));
		if (is(&word, "alone"))
			event->alone = true;
		else if (is(&word, "again"))
			event->again = true;
		else if (is(&word, "fails"))
			event->fails = true;
		else if (!is(&word, "stops"))
			return fault(reader, history,
				     "\"%.*s\": a pass is \"alone\", \"again\", \"fails\" or \"stops\"",
				     WORD(&word));
		else if (read_end(reader, history, event, line))
			return -1;
		event->len = line->at - event->text;
	}
	if (event->what == NUMA_HISTORY_PASS)
		return fault(reader, history, "a pass without \"|\" and what the policies must answer");
	history->nr_events++;
	return 0;
}

static int read_range(struct numa_history_reader *reader, struct numa_history *history,
		      const struct word *word)
{
	unsigned int i, min, max;

	for (i = 0; i < word->len && word->at[i] != '.'; i++)
		;
	if (!read_digits(word->at, i, 8, &min))
		min = 0;
	max = min;
	if (i < word->len && (word->len < i + 2 || word->at[i + 1] != '.' ||
			      !read_digits(word->at + i + 2, word->len - i - 2, 8, &max)))
		max = 0;
	if (min < 2 || min > max)
		return fault(reader, history, "only windows \"%.*s\": must be N or N..M, from 2 to 8",
			     WORD(word));
	history->windows_min = min;
	history->windows_max = max;
	return 0;
}

/* Takes "half" off the front of a number: from where the sign of jiffies changes. */
static bool take_half(struct word *word)
{
	unsigned int sign = word->len > 4 && word->at[4] == '+';

	if (word->len < 5 || memcmp(word->at, "half", 4))
		return false;
	word->at += 4 + sign;
	word->len -= 4 + sign;
	return true;
}

/* Did a line of this history, before this one, have the same first two words? */
static bool twice(const struct numa_history_reader *reader, const struct word *second)
{
	struct line this = { reader->at, second->at };
	struct word first, word;
	const char *at;

	next_word(&this, &first);
	for (at = reader->begin; at < reader->at; at = strchr(at, '\n') + 1) {
		struct line line = { at, strchr(at, '\n') };

		if (next_word(&line, &word) && word.len == first.len &&
		    !memcmp(word.at, first.at, first.len) && next_word(&line, &word) &&
		    word.len == second->len && !memcmp(word.at, second->at, word.len))
			return true;
	}
	return false;
}

/* A line before the first event. Says by 1 that it is none of these. */
static int read_setting(struct numa_history_reader *reader, struct numa_history *history,
			const struct word *first, struct line *line)
{
	struct word what, word = { .at = line->at };
	int value;

	if (is(first, "guest")) {
		if (history->guest)
			return fault(reader, history, "guest is said twice");
		history->guest = true;
	} else if (is(first, "only")) {
		if (!next_word(line, &what) || !next_word(line, &word))
			return fault(reader, history, "\"only\" needs two words more");
		if (twice(reader, &what))
			return fault(reader, history, "only %.*s is said twice", WORD(&what));
		if (is(&what, "windows"))
			return read_range(reader, history, &word);
		if (is(&what, "buckets") && (is(&word, "32") || is(&word, "64")))
			history->buckets = is(&word, "32") ? 32 : 64;
		else if (is(&what, "threshold") && read_int(&word, &value) &&
			 value > 0 && value <= 32)
			history->threshold = value;
		else
			return fault(reader, history, "\"only %.*s %.*s\": must be windows N..M, buckets 32 or 64, or threshold 1 to 32",
				     WORD(&what), WORD(&word));
	} else if (is(first, "start")) {
		bool half = false;

		if (next_word(line, &what) && next_word(line, &word) && is(&what, "jiffies"))
			half = take_half(&word);
		if (!read_int(&word, &value))
			return fault(reader, history, "\"start\" needs seq, jiffies or threads, and a number");
		if (twice(reader, &what))
			return fault(reader, history, "start %.*s is said twice", WORD(&what));
		if (is(&what, "seq"))
			history->seq = value;
		else if (is(&what, "jiffies"))
			history->jiffies = (half ? ULONG_MAX / 2 + 1 : 0) + value;
		else if (is(&what, "threads") && value > 0)
			history->threads = value;
		else
			return fault(reader, history, "\"start %.*s %.*s\": must be seq N, jiffies N, or threads N from 1",
				     WORD(&what), WORD(&word));
	} else {
		return 1;
	}
	if (next_word(line, &word))
		return fault(reader, history, "\"%.*s\": nothing may follow here", WORD(&word));
	return 0;
}

/* Is there a history of this name before @line? */
static bool name_taken(const struct numa_history_reader *reader, const char *name)
{
	const char *at = reader->text;
	unsigned int n;

	for (n = 1; n < reader->line; n++) {
		const char *end = strchr(at, '\n');
		struct line line = { at, end };
		struct word word;

		if (next_word(&line, &word) && is(&word, "history") && next_word(&line, &word) &&
		    is(&word, name))
			return true;
		at = end + 1;
	}
	return false;
}

static int read_name(struct numa_history_reader *reader, struct numa_history *history,
		     struct line *line)
{
	struct word word, rest;
	unsigned int i;

	if (!next_word(line, &word) || next_word(line, &rest) || word.len >= NUMA_HISTORY_NAME_MAX)
		return fault(reader, NULL, "a history needs a name, one word of at most %d letters",
			     NUMA_HISTORY_NAME_MAX - 1);
	for (i = 0; i < word.len; i++)
		if (!(word.at[i] >= 'a' && word.at[i] <= 'z') && word.at[i] != '_' &&
		    !(word.at[i] >= '0' && word.at[i] <= '9'))
			return fault(reader, NULL, "history \"%.*s\": a name is of a-z, 0-9 and _",
				     WORD(&word));
	memcpy(history->name, word.at, word.len);
	history->name[word.len] = '\0';
	if (name_taken(reader, history->name))
		return fault(reader, history, "there is another of this name");
	return 0;
}

/**
 * numa_history_start() - begin to read a text
 * @reader: what is read with
 * @name: what the text is called in messages
 * @text: the text, ending with a NUL; must stay as long as its histories do
 */
void numa_history_start(struct numa_history_reader *reader, const char *name, const char *text)
{
	memset(reader, 0, sizeof(*reader));
	reader->name = name;
	reader->text = text;
	reader->at = text;
	reader->line = 1;
}

/**
 * numa_history_read() - read the next history
 * @reader: where from
 * @history: where to
 *
 * Return: 1 if there was one, 0 at the end of the text, -1 if something is wrong with it, which
 * @reader->error then says.
 */
int numa_history_read(struct numa_history_reader *reader, struct numa_history *history)
{
	struct known known = { false };
	bool asked = false;
	unsigned int i;
	int ret;

	memset(history, 0, sizeof(*history));
	history->windows_min = 2;
	history->windows_max = 8;
	history->jiffies = JIFFIES;
	history->threads = 1;

	for (; *reader->at; reader->line++) {
		const char *end = strchr(reader->at, '\n');
		struct line line = { reader->at, end };
		struct word word;

		if (!end)
			return fault(reader, history, "the last line has no end");
		if (!next_word(&line, &word) || *word.at == '#') {
			reader->at = end + 1;
			continue;
		}
		if (is(&word, "history") || is(&word, "answers")) {
			if (history->name[0])
				break;
			if (is(&word, "answers")) {
				if (read_columns(reader, &line))
					return -1;
			} else if (read_name(reader, history, &line)) {
				return -1;
			} else if (!reader->nr_columns) {
				return fault(reader, history, "an \"answers\" line must come first");
			}
			history->line = reader->line;
			reader->at = end + 1;
			reader->begin = reader->at;
			continue;
		}
		if (!history->name[0])
			return fault(reader, NULL, "\"%.*s\" before any history", WORD(&word));
		ret = history->nr_events ? 1 : read_setting(reader, history, &word, &line);
		if (ret < 0 || (ret > 0 && read_event(reader, history, &word, &line, &known)))
			return -1;
		reader->at = end + 1;
	}
	if (!history->name[0])
		return 0;
	for (i = 0; i < history->nr_events; i++)
		asked |= history->events[i].what == NUMA_HISTORY_PASS;
	if (!asked)
		return fault(reader, history, "there is no pass in it, so no policy is asked anything");
	return 1;
}

/**
 * numa_history_answer_text() - how an answer is written
 * @answer: from enum numa_policy_reason or enum numa_history_answer
 *
 * Return: its text, also for what is no answer.
 */
const char *numa_history_answer_text(unsigned int answer)
{
	return answer < ARRAY_SIZE(answer_texts) ? answer_texts[answer] : "nonsense";
}

/**
 * numa_history_policy_name() - a policy's name, also of one that is not built
 * @policy: its index in NUMA_POLICIES()
 *
 * Return: the name, or NULL if there is no such policy.
 */
const char *numa_history_policy_name(unsigned int policy)
{
	return policy < ARRAY_SIZE(policy_names) ? policy_names[policy] : NULL;
}

/* ---- playing ---- */

/**
 * numa_history_unfit() - does a history not hold in this build?
 * @history: the history
 *
 * Return: NULL if it does, otherwise why not.
 */
const char *numa_history_unfit(const struct numa_history *history)
{
	if (history->windows_min > NUMA_POLICY_WINDOWS ||
	    history->windows_max < NUMA_POLICY_WINDOWS)
		return "is for another number of windows";
	if (history->buckets && history->buckets != BITS_PER_LONG)
		return "is for another number of buckets";
	if (history->threshold && history->threshold != CONFIG_NUMA_POLICY_SHARED_THRESHOLD)
		return "is for another number of sharers";
	return NULL;
}

/**
 * numa_history_says() - does a history say anything about a policy?
 * @history: the history
 * @policy: the policy's index in NUMA_POLICIES()
 *
 * Return: whether there is an answer to check.
 */
bool numa_history_says(const struct numa_history *history, unsigned int policy)
{
	unsigned int i;

	for (i = 0; i < history->nr_events; i++)
		if (history->events[i].answers[policy] != NUMA_HISTORY_UNSAID)
			return true;
	return false;
}

/* The process as it is while a history is played. */
struct process {
	const struct numa_history_asked *asked;
	unsigned long now;
	unsigned long scan_offset;
	int scan_seq;
	int threads;
	bool has_state;
	bool traps;		/* a scan came by since the VMA was last touched */
	bool local;		/* the VMA's pages are where the tasks are */
	bool wrote;
	struct vma_numab_state state;
};

static void drop_state(struct process *p)
{
	memset(&p->state, 0, sizeof(p->state));
	p->has_state = false;
}

static void next_seq(struct process *p)
{
	p->scan_seq = (int)((unsigned int)p->scan_seq + 1);
	p->scan_offset = 0;
}

static unsigned int decide(struct process *p, unsigned int pid)
{
	struct numa_policy_snapshot snap = {
		.state = &p->state,
		.scan_offset = p->scan_offset,
		.vma_start = VMA_START,
		.pid = pid,
		.scan_seq = p->scan_seq,
		.nr_threads = p->threads,
	};
	struct vma_numab_state before = p->state;
	unsigned int reason = p->asked->decide(&snap, p->asked->data);

	if (memcmp(&before, &p->state, sizeof(before)))
		p->wrote = true;
	return reason;
}

/* What the scan loop does with the VMA before and until it asks; then what came of it. */
static unsigned int meet(struct process *p, const struct numa_history_event *event)
{
	unsigned int reason;

	if (!p->has_state) {
		if (event->fails)
			return NUMA_HISTORY_NO_STATE;
		numa_policy_init_state(&p->state, p->scan_seq, p->now, DELAY, PERIOD);
		p->has_state = true;
	}
	if (p->scan_seq && (long)(p->now - p->state.next_scan) < 0)
		return NUMA_HISTORY_DELAYED;
	numa_policy_age(&p->state, p->scan_seq, p->now, PERIOD);
	if (p->state.prev_scan_seq == p->scan_seq)
		return NUMA_HISTORY_SAME_SEQ;

	reason = decide(p, numa_history_pids[event->task]);
	if (reason != NUMA_POLICY_SKIP || !event->alone || p->asked->no_forced_pass)
		return reason;

	/* Going round again is a pass of its own, but for the decision. */
	numa_policy_age(&p->state, p->scan_seq, p->now, PERIOD);
	return NUMA_HISTORY_FORCED;
}

/*
 * A pass, and those after it by which the end of the address space is reached and the sequence
 * advances, unless the pass stops before that. Other memory is scanned in them as it may be.
 */
static unsigned int pass(struct process *p, const struct numa_history_event *event)
{
	bool scanned, rest;
	unsigned int answer;

	if (event->again)
		p->scan_offset = 0;
	if (event->end == NUMA_HISTORY_BEFORE || p->scan_offset >= VMA_END) {
		if (event->end == NUMA_HISTORY_BEFORE)
			p->scan_offset = VMA_START;
		else if (event->end == NUMA_HISTORY_END)
			next_seq(p);
		return NUMA_HISTORY_UNMET;
	}

	answer = meet(p, event);
	scanned = answer == NUMA_HISTORY_FORCED ||
		  (answer > NUMA_POLICY_SKIP && answer < NR_NUMA_POLICY_REASONS);
	rest = scanned && (event->end == NUMA_HISTORY_INSIDE || event->end == NUMA_HISTORY_AT_END);
	if (scanned) {
		/* The only thread's local pages are left alone: there is nothing to learn. */
		if (p->threads > 1 || !p->local)
			p->traps = true;
		if (!rest)
			p->state.prev_scan_seq = p->scan_seq;
	}

	if (rest && event->end == NUMA_HISTORY_INSIDE)
		p->scan_offset = (p->scan_offset > VMA_START ? p->scan_offset : VMA_START) + STEP;
	else if (rest || event->end == NUMA_HISTORY_BEHIND)
		p->scan_offset = VMA_END;
	else
		next_seq(p);
	return answer;
}

static unsigned int happen(struct process *p, const struct numa_history_event *event)
{
	switch (event->what) {
	case NUMA_HISTORY_MAP:
		p->traps = false;
		break;
	case NUMA_HISTORY_FORK:
		/* The child's mm is a copy; where it has one user, the kernel counts anew. */
		if (p->threads == 1)
			p->scan_seq = 0;
		p->threads = 1;
		fallthrough;
	case NUMA_HISTORY_UNMAP:
	case NUMA_HISTORY_SPLIT:
	case NUMA_HISTORY_MERGE:
		drop_state(p);
		break;
	case NUMA_HISTORY_TOUCH:
		if (!p->traps)
			return NUMA_POLICY_SKIP;
		p->traps = false;
		fallthrough;
	case NUMA_HISTORY_ACCESS:
		if (p->has_state)
			numa_policy_record_access(&p->state, numa_history_pids[event->task]);
		return NUMA_HISTORY_FAULT;
	case NUMA_HISTORY_SEQ:
		if (event->relative)
			p->scan_seq = (int)((unsigned int)p->scan_seq + (unsigned int)event->value);
		else
			p->scan_seq = event->value;
		p->scan_offset = 0;
		break;
	case NUMA_HISTORY_THREADS:
		p->threads = event->value;
		break;
	case NUMA_HISTORY_LOCAL:
	case NUMA_HISTORY_REMOTE:
		p->local = event->what == NUMA_HISTORY_LOCAL;
		break;
	case NUMA_HISTORY_PASS:
		return pass(p, event);
	}
	return NUMA_HISTORY_UNSAID;
}

/**
 * numa_history_play() - play a history to a policy
 * @history: the history
 * @policy: the policy's index in NUMA_POLICIES()
 * @asked: how it is asked
 * @failure: where it first fails; the event is NULL if it does not
 *
 * Return: whether the policy answered as it must, all the time.
 */
bool numa_history_play(const struct numa_history *history, unsigned int policy,
		       const struct numa_history_asked *asked,
		       struct numa_history_failure *failure)
{
	struct process p = {
		.asked = asked,
		.scan_seq = history->seq,
		.threads = history->threads,
	};
	unsigned int i;

	for (i = 0; i < history->nr_events; i++) {
		const struct numa_history_event *event = &history->events[i];
		unsigned int expected = event->answers[policy], got;

		p.now = history->jiffies + event->ms;
		got = happen(&p, event);
		if (p.wrote || (expected != NUMA_HISTORY_UNSAID && got != expected)) {
			failure->event = event;
			failure->expected = expected;
			failure->got = got;
			failure->wrote = p.wrote;
			return false;
		}
	}
	failure->event = NULL;
	return true;
}

/**
 * numa_history_explain() - put into words where a policy failed
 * @text: where the words go, one line without its end
 * @size: bytes there
 * @history: the history that was played
 * @policy: the policy's index in NUMA_POLICIES()
 * @failure: where it failed; must have an event
 *
 * Return: bytes written, without the NUL.
 */
int numa_history_explain(char *text, unsigned int size, const struct numa_history *history,
			 unsigned int policy, const struct numa_history_failure *failure)
{
	const struct numa_history_event *event = failure->event;

	if (failure->wrote)
		return snprintf(text, size,
				"%s, history %s, line %u, event \"%.*s\": the decision wrote to the VMA's state",
				policy_names[policy], history->name, event->line, (int)event->len,
				event->text);
	return snprintf(text, size, "%s, history %s, line %u, event \"%.*s\": expected %s, got %s",
			policy_names[policy], history->name, event->line, (int)event->len,
			event->text, numa_history_answer_text(failure->expected),
			numa_history_answer_text(failure->got));
}
