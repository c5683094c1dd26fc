// SPDX-License-Identifier: GPL-2.0
/*
 * numa-policy top: an interval as lines of text.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "top.h"
#include "util.h"

/* Columns of a line that is not wrapped. */
#define ENDLESS 0

static __printf(2, 3) void add(struct np_list *lines, const char *fmt, ...)
{
	va_list ap;
	char *text;

	va_start(ap, fmt);
	text = np_vasprintf(fmt, ap);
	va_end(ap);
	np_list_add(lines, text);
	free(text);
}

/* Break a text between words, the following lines indented. */
static void add_wrapped(struct np_list *lines, int width, const char *first, const char *text)
{
	int n = strlen(first), room = width - n;

	while (width != ENDLESS && room > n && (int)strlen(text) > room) {
		int cut = room;

		while (cut > 0 && text[cut] != ' ')
			cut--;
		/* A word that is too long is broken anywhere. */
		add(lines, "%s%.*s", first, cut ? cut : room, text);
		text += cut ? cut + 1 : room;
		first = "      ";
		n = strlen(first);
		room = width - n;
	}
	add(lines, "%s%s", first, text);
}

static void add_head(const struct np_top_interval *iv, int width, struct np_list *lines)
{
	const struct np_live_policies *p = &iv->now->policies;
	struct np_buf b = { 0 };

	add(lines, "policy in force: %s; interval: %.2f s", *p->in_force ? p->in_force : "unknown",
	    iv->seconds);
	for (size_t i = 0; i < p->n; i++)
		np_buf_printf(&b, "%s%s", i ? " " : "", p->names[i]);
	if (b.len)
		add_wrapped(lines, width, "available: ", b.s);
	np_buf_free(&b);
	for (int i = 0; i < iv->notes.n; i++)
		add_wrapped(lines, width, "note: ", iv->notes.v[i]);
}

static void add_event(const struct np_top_interval *iv, struct np_list *lines, const char *what,
		      enum np_live_event event)
{
	add(lines, "%-27s %11.1f %16llu", what, iv->vmstat.v[event] / iv->seconds,
	    (unsigned long long)iv->now->vmstat.v[event]);
}

static void add_events(const struct np_top_interval *iv, struct np_list *lines)
{
	double share = np_top_local_share(iv);

	if (!iv->has_vmstat)
		return;
	add(lines, "%s", "");
	add(lines, "%-27s %11s %16s", "", "per second", "since boot");
	add_event(iv, lines, "PTE updates", NP_LIVE_PTE_UPDATES);
	if (iv->now->vmstat.v[NP_LIVE_HUGE_PTE_UPDATES])
		add_event(iv, lines, "huge PTE updates", NP_LIVE_HUGE_PTE_UPDATES);
	add_event(iv, lines, "hinting faults", NP_LIVE_HINT_FAULTS);
	if (isnan(share))
		add_event(iv, lines, "  local", NP_LIVE_HINT_FAULTS_LOCAL);
	else
		add(lines, "  %3.0f %% local %12s %11.1f %16llu", 100 * share, "",
		    iv->vmstat.v[NP_LIVE_HINT_FAULTS_LOCAL] / iv->seconds,
		    (unsigned long long)iv->now->vmstat.v[NP_LIVE_HINT_FAULTS_LOCAL]);
	add_event(iv, lines, "pages migrated", NP_LIVE_PAGES_MIGRATED);
}

static void add_decisions(const struct np_top_interval *iv, struct np_list *lines)
{
	if (!iv->has_stats)
		return;
	add(lines, "%s", "");
	add(lines, "%-15s %-11s %11s %16s %11s", "decisions", "reason", "per second", "since reset",
	    "pages/s");
	for (size_t i = 0; i < iv->stats.n; i++) {
		const struct np_live_count *c = &iv->stats.v[i];

		add(lines, "%-15s %-11s %11.1f %16llu %11.1f", c->policy,
		    np_live_reason_names[c->reason], c->decisions / iv->seconds,
		    (unsigned long long)iv->now->stats.v[i].decisions, c->pages / iv->seconds);
	}
	if (!iv->stats.n)
		add(lines, "none since the counts were reset");
}

/* ---- the shadow matrix: a line per pair of policies, reasons below where they differ ---- */

/* What a pair of policies said: both the same, or one of them a reason. */
struct pair {
	double skip;
	double scan;
	double other;
	double own;
	struct np_buf reasons;
};

static void add_to_pair(struct pair *p, const struct np_live_cell *c, double rate)
{
	int reason = c->says ? c->says : c->other_says;
	bool other = !c->says;

	if (c->says == NP_LIVE_SCAN) {
		p->scan += rate;
	} else if (!reason) {
		p->skip += rate;
	} else {
		*(other ? &p->other : &p->own) += rate;
		if (c->decisions)
			np_buf_printf(&p->reasons, " %c%s %.1f", other ? '+' : '-',
				      np_live_reason_names[reason], rate);
	}
}

static bool same_pair(const struct np_live_cell *a, const struct np_live_cell *b)
{
	return !strcmp(a->policy, b->policy) && !strcmp(a->other, b->other);
}

static bool is_first_of_pair(const struct np_live_matrix *m, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (same_pair(&m->v[i], &m->v[at]))
			return false;
	return true;
}

static void add_pair(const struct np_top_interval *iv, size_t at, struct np_list *lines)
{
	const struct np_live_cell *first = &iv->matrix.v[at];
	struct pair p = { 0 };

	for (size_t i = at; i < iv->matrix.n; i++)
		if (same_pair(first, &iv->matrix.v[i]))
			add_to_pair(&p, &iv->matrix.v[i],
				    iv->matrix.v[i].decisions / iv->seconds);
	add(lines, "%-15s %-15s %10.1f %10.1f %11.1f %11.1f", first->policy, first->other, p.skip,
	    p.scan, p.other, p.own);
	if (p.reasons.len)
		add(lines, "   %s", p.reasons.s);
	np_buf_free(&p.reasons);
}

static void add_matrix(const struct np_top_interval *iv, struct np_list *lines)
{
	if (!iv->has_matrix)
		return;
	add(lines, "%s", "");
	if (!iv->now->shadow && !iv->before->shadow) {
		add(lines, "the shadow is off (--shadow turns it on while this runs)");
		return;
	}
	add(lines, "shadow, decisions per second; reasons: + the other's to scan, - the policy's");
	add(lines, "%-15s %-15s %10s %10s %11s %11s", "policy", "other", "both skip", "both scan",
	    "only other", "only policy");
	for (size_t i = 0; i < iv->matrix.n; i++)
		if (is_first_of_pair(&iv->matrix, i))
			add_pair(iv, i, lines);
	if (!iv->matrix.n)
		add(lines, "none since the matrix was reset");
}

/**
 * np_top_lines() - an interval for people
 * @iv: the interval
 * @width: columns to wrap long texts at; 0: they are not wrapped
 * @lines: lines are added; those of tables may be wider
 */
void np_top_lines(const struct np_top_interval *iv, int width, struct np_list *lines)
{
	add_head(iv, width, lines);
	add_events(iv, lines);
	add_decisions(iv, lines);
	add_matrix(iv, lines);
}
