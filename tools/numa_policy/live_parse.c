// SPDX-License-Identifier: GPL-2.0
/*
 * What the kernel says about its scan policies, understood.
 *
 * It is read strictly. A kernel that prints something else is newer or older than this program,
 * and a number taken from a line that was misread would be worse than none.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "live.h"
#include "results.h"
#include "util.h"

/* More words than any line has. */
#define WORDS_MAX 8

#define REASON_NAME(_sym, _text)	\
	[NUMA_POLICY_##_sym] = _text,

/** np_live_reason_names - how the kernel's files spell the reasons */
const char * const np_live_reason_names[NP_LIVE_REASONS] = {
	NUMA_POLICY_REASON_TEXTS(REASON_NAME)
	[NP_LIVE_FORCED] = "forced",
	[NP_LIVE_SCAN] = "scan",
};

/** np_live_event_names - how /proc/vmstat spells the events */
const char * const np_live_event_names[NP_LIVE_EVENTS] = {
	[NP_LIVE_PTE_UPDATES] = "numa_pte_updates",
	[NP_LIVE_HUGE_PTE_UPDATES] = "numa_huge_pte_updates",
	[NP_LIVE_HINT_FAULTS] = "numa_hint_faults",
	[NP_LIVE_HINT_FAULTS_LOCAL] = "numa_hint_faults_local",
	[NP_LIVE_PAGES_MIGRATED] = "numa_pages_migrated",
};

/* ---- lines and words ---- */

/* A text taken apart: the words of one line at a time. */
struct lines {
	const char *file;
	char *copy;
	char *next;
	int line;
	char *words[WORDS_MAX];
	int n;
	bool cut;
};

static void lines_begin(struct lines *r, const char *text, const char *file)
{
	*r = (struct lines) { .file = file };
	r->copy = np_strdup(text);
	r->next = r->copy;
}

/* False at the end; a line with too many words has WORDS_MAX of them. */
static bool lines_next(struct lines *r)
{
	char *line = r->next, *end = strchr(line, '\n'), *save;

	if (!*line)
		return false;
	r->line++;
	r->next = end ? end + 1 : line + strlen(line);
	r->cut = !end;
	if (end)
		*end = '\0';
	r->n = 0;
	for (char *w = strtok_r(line, " \t", &save); w && r->n < WORDS_MAX;
	     w = strtok_r(NULL, " \t", &save))
		r->words[r->n++] = w;
	return true;
}

/* The words of the line, for messages and to compare. */
static char *lines_text(const struct lines *r)
{
	struct np_buf b = { 0 };
	char *text;

	for (int i = 0; i < r->n; i++)
		np_buf_printf(&b, "%s%s", i ? " " : "", r->words[i]);
	text = b.s ? np_text_clean(b.s, b.len) : np_strdup("");
	np_buf_free(&b);
	return text;
}

static char *lines_wrong(const struct lines *r, const char *what)
{
	char *text = lines_text(r);
	char *error = np_asprintf("%s: line %d: %s: '%s'", r->file, r->line, what, text);

	free(text);
	return error;
}

/* The first line must be this one. */
static char *lines_header(struct lines *r, const char *header)
{
	char *error = NULL, *text;

	if (!lines_next(r))
		return np_asprintf("%s: it is empty; it must begin with '%s'", r->file, header);
	text = lines_text(r);
	if (strcmp(text, header))
		error = np_asprintf("%s: line 1: not '%s': '%s'", r->file, header, text);
	free(text);
	return error;
}

static bool is_policy(const char *word)
{
	size_t n = strspn(word, "abcdefghijklmnopqrstuvwxyz0123456789_");

	return n && !word[n] && n < NUMA_POLICY_NAME_MAX;
}

static int find_reason(const char *word)
{
	for (int i = 0; i < NP_LIVE_REASONS; i++)
		if (!strcmp(np_live_reason_names[i], word))
			return i;
	return -1;
}

static bool is_count(const char *word, uint64_t *value)
{
	if (!*word || word[strspn(word, "0123456789")])
		return false;
	errno = 0;
	*value = strtoull(word, NULL, 10);
	return !errno;
}

static void keep_name(char to[NUMA_POLICY_NAME_MAX], const char *name)
{
	snprintf(to, NUMA_POLICY_NAME_MAX, "%s", name);
}

/**
 * np_live_parse_name() - understand the text of a file that has the name of one policy
 * @text: the text
 * @file: its name, for messages
 * @name: filled in
 *
 * Return: NULL, or a message to be freed.
 */
char *np_live_parse_name(const char *text, const char *file, char name[NUMA_POLICY_NAME_MAX])
{
	size_t n = strcspn(text, "\n");
	char *word = np_strndup(text, n), *error = NULL, *shown;

	if (is_policy(word) && (!text[n] || !text[n + 1])) {
		keep_name(name, word);
	} else {
		shown = np_text_clean(text, strlen(text));
		error = np_asprintf("%s: not the name of a policy: '%s'", file, shown);
		free(shown);
	}
	free(word);
	return error;
}

/**
 * np_live_parse_available() - understand the text of the file "available"
 * @text: the text
 * @file: its name, for messages
 * @p: the names are added
 *
 * Return: NULL, or a message to be freed.
 */
char *np_live_parse_available(const char *text, const char *file, struct np_live_policies *p)
{
	char *copy = np_strdup(text), *error = NULL, *save, *shown, *w;

	for (w = strtok_r(copy, " \t\n", &save); w; w = strtok_r(NULL, " \t\n", &save)) {
		if (!is_policy(w)) {
			shown = np_text_clean(w, strlen(w));
			error = np_asprintf("%s: not the name of a policy: '%s'", file, shown);
			free(shown);
			break;
		}
		p->names = np_realloc(p->names, (p->n + 1) * sizeof(*p->names));
		keep_name(p->names[p->n++], w);
	}
	if (!error && !p->n)
		error = np_asprintf("%s: it names no policy", file);
	free(copy);
	return error;
}

static const struct np_live_count *find_count(const struct np_live_stats *s, const char *policy,
					      int reason)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->v[i].reason == reason && !strcmp(s->v[i].policy, policy))
			return &s->v[i];
	return NULL;
}

static void add_count(struct np_live_stats *s, const struct np_live_count *c)
{
	s->v = np_realloc(s->v, (s->n + 1) * sizeof(*s->v));
	s->v[s->n++] = *c;
}

static char *parse_count(const struct lines *r, struct np_live_stats *s)
{
	struct np_live_count c;

	if (r->cut)
		return lines_wrong(r, "it is cut");
	if (r->n != 4)
		return lines_wrong(r, "not POLICY REASON DECISIONS PAGES");
	if (!is_policy(r->words[0]))
		return lines_wrong(r, "it does not begin with the name of a policy");
	keep_name(c.policy, r->words[0]);
	c.reason = find_reason(r->words[1]);
	if (c.reason < 0 || c.reason == NP_LIVE_SCAN)
		return lines_wrong(r, "its second word is no reason");
	if (!is_count(r->words[2], &c.decisions) || !is_count(r->words[3], &c.pages))
		return lines_wrong(r, "it does not end with two counts");
	if (find_count(s, c.policy, c.reason))
		return lines_wrong(r, "this policy and reason were there before");
	add_count(s, &c);
	return NULL;
}

/**
 * np_live_parse_stats() - understand the text of the file "stats"
 * @text: the text
 * @file: its name, for messages
 * @s: filled in; to be freed by np_live_stats_free(), also after an error
 *
 * Return: NULL, or a message to be freed.
 */
char *np_live_parse_stats(const char *text, const char *file, struct np_live_stats *s)
{
	struct lines r;
	char *error;

	*s = (struct np_live_stats) { 0 };
	lines_begin(&r, text, file);
	error = lines_header(&r, "policy reason decisions pages");
	while (!error && lines_next(&r))
		error = parse_count(&r, s);
	free(r.copy);
	return error;
}

/**
 * np_live_stats_since() - what was counted between two readings
 * @before: the first
 * @now: the second
 * @diff: filled in: all that @now has, less what @before had; to be freed by np_live_stats_free()
 *
 * Return: true; false if a count went down, because somebody reset the statistics in between. Then
 * @diff is empty.
 */
bool np_live_stats_since(const struct np_live_stats *before, const struct np_live_stats *now,
			 struct np_live_stats *diff)
{
	const struct np_live_count *was;
	size_t found = 0;

	*diff = (struct np_live_stats) { 0 };
	for (size_t i = 0; i < now->n; i++) {
		struct np_live_count c = now->v[i];

		was = find_count(before, c.policy, c.reason);
		if (was && (was->decisions > c.decisions || was->pages > c.pages))
			break;
		found += !!was;
		c.decisions -= was ? was->decisions : 0;
		c.pages -= was ? was->pages : 0;
		add_count(diff, &c);
	}
	if (diff->n == now->n && found == before->n)
		return true;
	np_live_stats_free(diff);
	return false;
}

static const struct np_live_cell *find_cell(const struct np_live_matrix *m,
					    const struct np_live_cell *c)
{
	for (size_t i = 0; i < m->n; i++) {
		const struct np_live_cell *v = &m->v[i];

		if (v->says == c->says && v->other_says == c->other_says &&
		    !strcmp(v->policy, c->policy) && !strcmp(v->other, c->other))
			return v;
	}
	return NULL;
}

static void add_cell(struct np_live_matrix *m, const struct np_live_cell *c)
{
	m->v = np_realloc(m->v, (m->n + 1) * sizeof(*m->v));
	m->v[m->n++] = *c;
}

/* Both skip, both scan, or one skips and the other has a reason not to. */
static bool is_pair(int a, int b)
{
	if (a < 0 || b < 0 || a == NP_LIVE_FORCED || b == NP_LIVE_FORCED)
		return false;
	if (a == NP_LIVE_SCAN || b == NP_LIVE_SCAN)
		return a == b;
	return a == NUMA_POLICY_SKIP || b == NUMA_POLICY_SKIP;
}

static char *parse_cell(const struct lines *r, struct np_live_matrix *m)
{
	struct np_live_cell c;

	if (r->cut)
		return lines_wrong(r, "it is cut");
	if (r->n != 5)
		return lines_wrong(r, "not POLICY SAYS OTHER SAYS DECISIONS");
	if (!is_policy(r->words[0]) || !is_policy(r->words[2]))
		return lines_wrong(r, "its first and third word are not names of policies");
	keep_name(c.policy, r->words[0]);
	keep_name(c.other, r->words[2]);
	c.says = find_reason(r->words[1]);
	c.other_says = find_reason(r->words[3]);
	if (!is_pair(c.says, c.other_says))
		return lines_wrong(r, "two policies cannot say its second and fourth word");
	if (!is_count(r->words[4], &c.decisions))
		return lines_wrong(r, "it does not end with a count");
	if (find_cell(m, &c))
		return lines_wrong(r, "these were there before");
	add_cell(m, &c);
	return NULL;
}

/**
 * np_live_parse_matrix() - understand the text of the file "shadow_matrix"
 * @text: the text
 * @file: its name, for messages
 * @m: filled in; to be freed by np_live_matrix_free(), also after an error
 *
 * Return: NULL, or a message to be freed.
 */
char *np_live_parse_matrix(const char *text, const char *file, struct np_live_matrix *m)
{
	struct lines r;
	char *error;

	*m = (struct np_live_matrix) { 0 };
	lines_begin(&r, text, file);
	error = lines_header(&r, "policy says other says decisions");
	while (!error && lines_next(&r))
		error = parse_cell(&r, m);
	free(r.copy);
	return error;
}

/* How often another policy was asked when one said what it says here, to scan or not to. */
static uint64_t asked(const struct np_live_matrix *m, const struct np_live_cell *c)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < m->n; i++)
		if (!m->v[i].says == !c->says && !strcmp(m->v[i].policy, c->policy) &&
		    !strcmp(m->v[i].other, c->other))
			sum += m->v[i].decisions;
	return sum;
}

/*
 * Did this count go down because it was reset? The kernel does not count how often two policies
 * agreed: that is the rest of what was asked. A decision on its way is in the rest for a moment,
 * so that it may go down; what was asked does not.
 */
static bool was_reset(const struct np_live_matrix *before, const struct np_live_matrix *now,
		      const struct np_live_cell *was)
{
	const struct np_live_cell *c = find_cell(now, was);

	if (c && c->decisions >= was->decisions)
		return false;
	return was->says != was->other_says || asked(now, was) < asked(before, was);
}

/**
 * np_live_matrix_since() - what was added to the shadow matrix between two readings
 * @before: the first
 * @now: the second
 * @diff: filled in: all that @now has, less what @before had; to be freed by
 *	np_live_matrix_free()
 *
 * Return: true; false if a count went down, because somebody reset the matrix in between. Then
 * @diff is empty.
 */
bool np_live_matrix_since(const struct np_live_matrix *before, const struct np_live_matrix *now,
			  struct np_live_matrix *diff)
{
	*diff = (struct np_live_matrix) { 0 };
	for (size_t i = 0; i < before->n; i++)
		if (was_reset(before, now, &before->v[i]))
			return false;
	for (size_t i = 0; i < now->n; i++) {
		struct np_live_cell c = now->v[i];
		const struct np_live_cell *was = find_cell(before, &c);

		if (was)
			c.decisions -= c.decisions < was->decisions ? c.decisions : was->decisions;
		add_cell(diff, &c);
	}
	return true;
}

/**
 * np_live_parse_vmstat() - find NUMA balancing's events in the text of /proc/vmstat
 * @text: the text
 * @file: its name, for messages
 * @s: filled in
 *
 * Return: NULL, or a message to be freed.
 */
char *np_live_parse_vmstat(const char *text, const char *file, struct np_live_vmstat *s)
{
	bool found[NP_LIVE_EVENTS] = { 0 };
	char *error = NULL;
	struct lines r;

	lines_begin(&r, text, file);
	while (!error && lines_next(&r)) {
		for (int i = 0; i < NP_LIVE_EVENTS && !error; i++) {
			if (!r.n || strcmp(r.words[0], np_live_event_names[i]))
				continue;
			found[i] = true;
			if (r.cut || r.n != 2 || !is_count(r.words[1], &s->v[i]))
				error = lines_wrong(&r, "not NAME COUNT");
		}
	}
	for (int i = 0; i < NP_LIVE_EVENTS && !error; i++)
		if (!found[i])
			error = np_asprintf("%s has no %s: no CONFIG_NUMA_BALANCING?", file,
					    np_live_event_names[i]);
	free(r.copy);
	return error;
}

/**
 * np_live_vmstat_since() - what NUMA balancing did between two readings
 * @before: the first
 * @now: the second
 * @diff: filled in
 *
 * Return: true; false if a count went down, which it may for a moment while a CPU goes off line.
 */
bool np_live_vmstat_since(const struct np_live_vmstat *before, const struct np_live_vmstat *now,
			  struct np_live_vmstat *diff)
{
	for (int i = 0; i < NP_LIVE_EVENTS; i++) {
		if (before->v[i] > now->v[i])
			return false;
		diff->v[i] = now->v[i] - before->v[i];
	}
	return true;
}

