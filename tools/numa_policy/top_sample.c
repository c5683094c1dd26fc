// SPDX-License-Identifier: GPL-2.0
/*
 * numa-policy top: one sample, and the difference of two.
 *
 * The kernel only counts up. A count that went down was reset by somebody; how much was counted
 * before that is lost, so nothing is said about that interval but that.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "results.h"
#include "top.h"
#include "util.h"

/* What is said of a system that does not balance, and of an interval without counts. */
#define OFF "NUMA balancing is off, nothing is scanned; as root: sysctl kernel.numa_balancing=1"
#define UNKNOWN "nothing is known about this interval"

/* Keep an error; what is wrong with two files in the same way is said once. */
static bool keep(struct np_top_sample *s, char *error)
{
	bool known = !error;

	for (int i = 0; i < s->errors.n && !known; i++)
		known = !strcmp(s->errors.v[i], error);
	if (!known)
		np_list_add(&s->errors, error);
	free(error);
	return !error;
}

/**
 * np_top_sample() - read everything once
 * @l: the kernel
 * @at: the time, in seconds
 * @s: filled in; to be freed by np_top_sample_free()
 *
 * Where the statistics cannot be read, the rest of the library's files is not tried: the reason
 * would be the same.
 */
void np_top_sample(const struct np_live *l, double at, struct np_top_sample *s)
{
	char *error;

	*s = (struct np_top_sample) { .at = at };
	if (!keep(s, np_live_read_balancing(l, &s->balancing)))
		s->balancing = -1;
	s->has_vmstat = keep(s, np_live_read_vmstat(l, &s->vmstat));
	s->has_stats = keep(s, np_live_read_stats(l, &s->stats));
	if (s->has_stats) {
		error = np_live_read_shadow(l, &s->shadow);
		s->has_matrix = keep(s, error ?: np_live_read_matrix(l, &s->matrix));
	}
	error = np_live_read_policies(l, &s->policies);
	if (s->has_stats)
		keep(s, error);
	else
		free(error);
}

/**
 * np_top_sample_free() - free a sample
 * @s: the sample
 */
void np_top_sample_free(struct np_top_sample *s)
{
	np_live_policies_free(&s->policies);
	np_live_stats_free(&s->stats);
	np_live_matrix_free(&s->matrix);
	np_list_free(&s->errors);
}

static __printf(2, 3) void note(struct np_top_interval *iv, const char *fmt, ...)
{
	va_list ap;
	char *text;

	va_start(ap, fmt);
	text = np_vasprintf(fmt, ap);
	va_end(ap);
	for (int i = 0; i < iv->notes.n && text; i++) {
		if (strcmp(iv->notes.v[i], text))
			continue;
		free(text);
		text = NULL;
	}
	if (text)
		np_list_add(&iv->notes, text);
	free(text);
}

static void note_state(struct np_top_interval *iv)
{
	const struct np_top_sample *before = iv->before, *now = iv->now;

	if (!now->balancing)
		note(iv, "/proc/sys/kernel/numa_balancing is 0: " OFF);
	else if (!before->balancing)
		note(iv, "NUMA balancing was turned on in this interval");
	if (strcmp(before->policies.in_force, now->policies.in_force))
		note(iv, "the policy was switched from %s to %s in this interval",
		     before->policies.in_force, now->policies.in_force);
	if (before->has_matrix && now->has_matrix && before->shadow != now->shadow)
		note(iv, "the shadow was turned %s in this interval, the matrix has a part of it",
		     now->shadow ? "on" : "off");
}

static void note_resets(struct np_top_interval *iv)
{
	for (int i = 0; i < iv->reset.n; i++) {
		if (!strcmp(iv->reset.v[i], "vmstat"))
			note(iv, "counts of vmstat went down (did a CPU go off line?): " UNKNOWN);
		else
			note(iv, "somebody reset %s: " UNKNOWN, iv->reset.v[i]);
	}
}

/**
 * np_top_between() - what happened between two samples
 * @before: the first; must outlive @iv
 * @now: the second; must outlive @iv
 * @iv: filled in; to be freed by np_top_interval_free()
 */
void np_top_between(const struct np_top_sample *before, const struct np_top_sample *now,
		    struct np_top_interval *iv)
{
	*iv = (struct np_top_interval) {
		.before = before, .now = now, .seconds = now->at - before->at,
	};
	for (int i = 0; i < before->errors.n; i++)
		note(iv, "%s", before->errors.v[i]);
	for (int i = 0; i < now->errors.n; i++)
		note(iv, "%s", now->errors.v[i]);
	if (before->has_stats && now->has_stats) {
		iv->has_stats = np_live_stats_since(&before->stats, &now->stats, &iv->stats);
		if (!iv->has_stats)
			np_list_add(&iv->reset, "stats");
	}
	if (before->has_matrix && now->has_matrix) {
		iv->has_matrix = np_live_matrix_since(&before->matrix, &now->matrix, &iv->matrix);
		if (!iv->has_matrix)
			np_list_add(&iv->reset, "shadow_matrix");
	}
	if (before->has_vmstat && now->has_vmstat) {
		iv->has_vmstat = np_live_vmstat_since(&before->vmstat, &now->vmstat, &iv->vmstat);
		if (!iv->has_vmstat)
			np_list_add(&iv->reset, "vmstat");
	}
	note_state(iv);
	note_resets(iv);
}

/**
 * np_top_interval_free() - free what np_top_between() filled in
 * @iv: the interval
 */
void np_top_interval_free(struct np_top_interval *iv)
{
	np_live_stats_free(&iv->stats);
	np_live_matrix_free(&iv->matrix);
	np_list_free(&iv->reset);
	np_list_free(&iv->notes);
}

/**
 * np_top_local_share() - how many of the hinting faults were on pages of the toucher's node
 * @iv: the interval
 *
 * Return: their share; NAN if there were no faults or they are not known.
 */
double np_top_local_share(const struct np_top_interval *iv)
{
	double all = iv->vmstat.v[NP_LIVE_HINT_FAULTS];

	if (!iv->has_vmstat || !all)
		return NAN;
	/* A fault is counted before it is counted as local; the reading may fall in between. */
	return fmin(iv->vmstat.v[NP_LIVE_HINT_FAULTS_LOCAL] / all, 1);
}

/* ---- JSON ---- */

static json_t *texts(const struct np_list *list)
{
	json_t *array = json_array();

	for (int i = 0; i < list->n; i++)
		json_array_append_new(array, np_json_text(list->v[i]));
	return array;
}

static json_t *name_or_null(const char *name)
{
	return *name ? json_string(name) : json_null();
}

static json_t *available(const struct np_live_policies *p)
{
	json_t *array;

	if (!p->n)
		return json_null();
	array = json_array();
	for (size_t i = 0; i < p->n; i++)
		json_array_append_new(array, json_string(p->names[i]));
	return array;
}

static void set(json_t *object, const char *key, json_t *value)
{
	json_object_set_new(object, key, value);
}

/* A count of the interval, the same per second, and the kernel's count at its end. */
static void set_count(json_t *object, const struct np_top_interval *iv, const char *name,
		      uint64_t count, uint64_t total)
{
	char key[64];

	set(object, name, json_integer(count));
	snprintf(key, sizeof(key), "%s_per_s", name);
	set(object, key, json_real(count / iv->seconds));
	snprintf(key, sizeof(key), "%s_total", name);
	set(object, key, json_integer(total));
}

/* The interval's entries and the sample's are the same, in the same order. */
static json_t *decisions(const struct np_top_interval *iv)
{
	json_t *array;

	if (!iv->has_stats)
		return json_null();
	array = json_array();
	for (size_t i = 0; i < iv->stats.n; i++) {
		const struct np_live_count *c = &iv->stats.v[i], *total = &iv->now->stats.v[i];

		json_t *entry = json_pack("{s:s, s:s}", "policy", c->policy,
					  "reason", np_live_reason_names[c->reason]);

		set_count(entry, iv, "decisions", c->decisions, total->decisions);
		set_count(entry, iv, "pages", c->pages, total->pages);
		json_array_append_new(array, entry);
	}
	return array;
}

static json_t *matrix(const struct np_top_interval *iv)
{
	json_t *array;

	if (!iv->has_matrix)
		return json_null();
	array = json_array();
	for (size_t i = 0; i < iv->matrix.n; i++) {
		const struct np_live_cell *c = &iv->matrix.v[i], *total = &iv->now->matrix.v[i];
		json_t *entry = json_pack("{s:s, s:s, s:s, s:s}", "policy", c->policy,
					  "says", np_live_reason_names[c->says], "other", c->other,
					  "other_says", np_live_reason_names[c->other_says]);

		set_count(entry, iv, "decisions", c->decisions, total->decisions);
		json_array_append_new(array, entry);
	}
	return array;
}

static json_t *events(const struct np_top_interval *iv)
{
	json_t *object;

	if (!iv->has_vmstat)
		return json_null();
	object = json_object();
	for (int i = 0; i < NP_LIVE_EVENTS; i++)
		set_count(object, iv, np_live_event_names[i], iv->vmstat.v[i],
			  iv->now->vmstat.v[i]);
	return object;
}

/**
 * np_top_json() - an interval for programs
 * @iv: the interval
 *
 * Return: a new object; results.md describes it.
 */
json_t *np_top_json(const struct np_top_interval *iv)
{
	const struct np_top_sample *now = iv->now;
	double share = np_top_local_share(iv);
	json_t *object = json_pack("{s:s, s:i, s:f}", "schema", "numa-policy-top", "version", 1,
				   "seconds", iv->seconds);

	set(object, "policy", name_or_null(now->policies.in_force));
	set(object, "policy_before", name_or_null(iv->before->policies.in_force));
	set(object, "available", available(&now->policies));
	set(object, "numa_balancing",
	    now->balancing < 0 ? json_null() : json_integer(now->balancing));
	set(object, "decisions", decisions(iv));
	set(object, "shadow", now->has_matrix ? json_boolean(now->shadow) : json_null());
	set(object, "shadow_matrix", matrix(iv));
	set(object, "events", events(iv));
	set(object, "local_share", isnan(share) ? json_null() : json_real(share));
	set(object, "reset", texts(&iv->reset));
	set(object, "notes", texts(&iv->notes));
	return object;
}
