// SPDX-License-Identifier: GPL-2.0
/*
 * Reads what the plugin bench/plugin.c wrote of a guest that runs bench/init.c.
 *
 * A pass counts only if it is what it is taken for: the phase that the guest announced, so many
 * VMAs come by and so many scanned, all of which follows from the number of VMAs. One process of
 * each number of VMAs runs with the kernel's trace on; there the trace must say the same of every
 * VMA.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "util.h"

/** np_bench_sizes - numbers of VMAs that a pass comes to */
const int np_bench_sizes[NP_BENCH_SIZES] = { 10, 1000, 10000 };

/* A process of the guest's, as it announced itself. */
struct process {
	int vmas;
	int extra;
	int below;
	int above;
	int verify;
};

/* A pass or a fault, as the plugin wrote it. */
struct span {
	long insns;
	long own;
	int visits;
	int scans;
	int switches;
	int irqs;
};

/* Where the reader stands. @kind is that of the last pass, @asked its VMAs that were refused. */
struct reader {
	struct np_bench_log *log;
	struct np_bench_policy *policy;
	struct process process;
	char phase[16];
	int size;
	enum np_bench_kind kind;
	int asked;
	bool aged;
};

static void add(struct np_bench_counts *counts, long value)
{
	counts->v = np_realloc(counts->v, (counts->n + 1) * sizeof(*counts->v));
	counts->v[counts->n++] = value;
}

/*
 * What a pass is. Its first way through the VMAs comes by those below the ones that are meant
 * (unless it begins among them), by these, by those above, and to the end. If it is forced to scan
 * one, a second way leads there.
 */
static enum np_bench_kind classify(struct reader *r, const struct span *s)
{
	const struct process *p = &r->process;
	int whole = p->below + p->vmas + p->above + 1;
	bool aged = !strcmp(r->phase, "aged");

	r->asked = 0;
	if (aged || !strcmp(r->phase, "refused")) {
		if (s->scans == 1 && s->visits == whole + p->extra + p->below + 1)
			r->asked = p->vmas + p->extra;
		else if (s->scans == 1)
			r->asked = s->visits - p->above - 2;
		else if (!s->scans && s->visits == whole + p->extra)
			r->asked = p->vmas + p->extra;
		/* The windows move once in this phase, so in its first pass only. */
		if (aged && r->aged)
			return NP_BENCH_PASSES;
		r->aged = aged;
		if (!aged && s->scans && r->asked != p->vmas)
			return NP_BENCH_PASSES;
		return aged ? NP_BENCH_AGED : NP_BENCH_REFUSED;
	}
	if ((!strcmp(r->phase, "first") || !strcmp(r->phase, "again")) && s->scans == p->vmas &&
	    s->visits == whole)
		return NP_BENCH_SCANNED;
	if (!strcmp(r->phase, "completed") && s->scans == p->vmas + 1 &&
	    s->visits == whole + 1 + p->below + p->vmas + 1)
		return NP_BENCH_COMPLETED;
	return NP_BENCH_PASSES;
}

static void take_pass(struct reader *r, const struct span *s)
{
	enum np_bench_kind kind = NP_BENCH_PASSES;

	if (r->size < NP_BENCH_SIZES)
		kind = classify(r, s);
	r->kind = kind;
	if (kind == NP_BENCH_PASSES || r->process.verify)
		return;
	if (s->switches) {
		r->log->disturbed++;
		return;
	}
	add(&r->policy->pass[kind][r->size], s->insns);
	r->policy->vmas[kind][r->size] = r->asked ? r->asked : r->process.vmas;
}

/* Only in undisturbed processes, and of the kernel's own choice of policy. */
static void take_fault(struct reader *r, const struct span *s)
{
	enum np_bench_access access;

	if (r->process.verify || r->policy != r->log->policy || r->size == NP_BENCH_SIZES)
		return;
	if (!strcmp(r->phase, "first"))
		access = NP_BENCH_FIRST;
	else if (!strcmp(r->phase, "again"))
		access = NP_BENCH_AGAIN;
	else
		return;
	if (s->switches) {
		r->log->disturbed++;
		return;
	}
	add(&r->log->own[access], s->own);
	add(&r->log->fault[access], s->insns);
}

/* What the trace says of the last pass must be what it was taken for. */
static char *take_trace(struct reader *r, const char *text)
{
	int delayed, refused, completed, partial, other, vmas = r->process.vmas;
	bool right;

	if (sscanf(text, "delayed=%d refused=%d completed=%d partial=%d other=%d", &delayed,
		   &refused, &completed, &partial, &other) != 5)
		return np_asprintf("no counts: %s", text);
	if (r->kind == NP_BENCH_PASSES)
		return NULL;
	right = !delayed && !partial && !other;
	if (r->kind == NP_BENCH_COMPLETED)
		right = right && completed == vmas && refused == 1;
	else
		right = right && !completed && refused == r->asked;
	if (!right)
		return np_asprintf("a pass over %d VMAs in phase %s was not what it seemed: %s",
				   vmas, r->phase, text);
	r->log->traced[r->kind][r->size]++;
	return NULL;
}

static char *take_process(struct reader *r, const char *text)
{
	struct process *p = &r->process;

	if (sscanf(text, "vmas=%d extra=%d below=%d above=%d verify=%d", &p->vmas, &p->extra,
		   &p->below, &p->above, &p->verify) != 5)
		return np_asprintf("no process: %s", text);
	for (r->size = 0; r->size < NP_BENCH_SIZES; r->size++)
		if (np_bench_sizes[r->size] == p->vmas)
			break;
	r->phase[0] = '\0';
	r->kind = NP_BENCH_PASSES;
	return NULL;
}

static char *take_policy(struct reader *r, const char *name)
{
	if (r->log->npolicies == NP_BENCH_POLICIES)
		return np_strdup("too many policies");
	r->policy = &r->log->policy[r->log->npolicies++];
	snprintf(r->policy->name, sizeof(r->policy->name), "%s", name);
	return NULL;
}

/* What the guest said. */
static char *take_text(struct reader *r, const char *text)
{
	if (!strncmp(text, "error ", 6))
		return np_asprintf("the guest says: %s", text + 6);
	if (!strncmp(text, "process ", 8))
		return take_process(r, text + 8);
	if (!strncmp(text, "trace ", 6))
		return take_trace(r, text + 6);
	if (!strncmp(text, "policy ", 7))
		return take_policy(r, text + 7);
	if (!strncmp(text, "phase ", 6)) {
		snprintf(r->phase, sizeof(r->phase), "%s", text + 6);
		r->kind = NP_BENCH_PASSES;
		r->aged = false;
	} else if (sscanf(text, "state bytes=%ld", &r->log->state_bytes) != 1) {
		r->log->ended = !strcmp(text, "end");
	}
	return NULL;
}

static char *take_line(struct reader *r, const char *line)
{
	struct span s = { 0 };

	if (!strncmp(line, "say ", 4))
		return take_text(r, line + 4);
	if (sscanf(line, "pass insns=%ld visits=%d scans=%d switches=%d irqs=%d", &s.insns,
		   &s.visits, &s.scans, &s.switches, &s.irqs) == 5)
		take_pass(r, &s);
	else if (sscanf(line, "fault insns=%ld own=%ld switches=%d irqs=%d", &s.insns, &s.own,
			&s.switches, &s.irqs) == 4)
		take_fault(r, &s);
	else if (*line)
		return np_asprintf("malformed: %s", line);
	return NULL;
}

/**
 * np_bench_read() - read a plugin's file
 * @log: filled in; to be freed by np_bench_free() in any case
 * @path: the file
 *
 * Return: NULL, or what is wrong, to be freed.
 */
char *np_bench_read(struct np_bench_log *log, const char *path)
{
	struct reader r = { .log = log, .size = NP_BENCH_SIZES, .kind = NP_BENCH_PASSES };
	struct np_buf b = { 0 };
	char *error, *what, **lines;
	int n, err;

	memset(log, 0, sizeof(*log));
	error = take_policy(&r, "");
	err = np_read_file(path, &b);
	if (err)
		return np_asprintf("cannot read %s: %s", path, strerror(-err));
	np_buf_puts(&b, "");
	lines = np_split(b.s, '\n', &n);
	for (int i = 0; i < n && !error; i++) {
		what = take_line(&r, lines[i]);
		if (what)
			error = np_asprintf("%s, line %d: %s", path, i + 1, what);
		free(what);
	}
	np_split_free(lines, n);
	np_buf_free(&b);
	if (!error && !log->ended)
		error = np_asprintf("%s: the guest did not come to its end", path);
	return error;
}

static void free_counts(struct np_bench_counts *counts)
{
	free(counts->v);
	memset(counts, 0, sizeof(*counts));
}

/**
 * np_bench_free() - free what np_bench_read() allocated
 * @log: what was read
 */
void np_bench_free(struct np_bench_log *log)
{
	for (int i = 0; i < log->npolicies; i++)
		for (int j = 0; j < NP_BENCH_PASSES; j++)
			for (int k = 0; k < NP_BENCH_SIZES; k++)
				free_counts(&log->policy[i].pass[j][k]);
	for (int i = 0; i < NP_BENCH_ACCESSES; i++) {
		free_counts(&log->own[i]);
		free_counts(&log->fault[i]);
	}
}

static int compare_counts(const void *a, const void *b)
{
	const long x = *(const long *)a, y = *(const long *)b;

	return (x > y) - (x < y);
}

/**
 * np_bench_stat() - say counts in short
 * @counts: the counts; they are sorted
 *
 * Return: median, extremes and how often the median was met; all 0 without counts.
 */
struct np_bench_stat np_bench_stat(const struct np_bench_counts *counts)
{
	struct np_bench_stat s = { .n = counts->n };

	if (!s.n)
		return s;
	qsort(counts->v, s.n, sizeof(*counts->v), compare_counts);
	s.min = counts->v[0];
	s.max = counts->v[s.n - 1];
	s.value = counts->v[(s.n - 1) / 2];
	for (int i = 0; i < s.n; i++)
		s.same += counts->v[i] == s.value;
	return s;
}

/**
 * np_bench_per_vma() - what one more VMA adds to a pass
 * @p: what was measured under a policy
 * @kind: the kind of passes
 * @from: the size with fewer VMAs
 * @to: the size with more
 *
 * Return: instructions; negative if there was no such pass.
 */
double np_bench_per_vma(const struct np_bench_policy *p, enum np_bench_kind kind, int from, int to)
{
	struct np_bench_stat less = np_bench_stat(&p->pass[kind][from]);
	struct np_bench_stat more = np_bench_stat(&p->pass[kind][to]);
	int vmas = p->vmas[kind][to] - p->vmas[kind][from];

	if (!less.n || !more.n || vmas <= 0)
		return -1;
	return (double)(more.value - less.value) / vmas;
}
