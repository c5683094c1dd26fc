// SPDX-License-Identifier: GPL-2.0
/*
 * numa-policy verify - does each policy decide by its own rules in a real kernel?
 *
 * A guest acts out situations under every policy and sends every decision that the kernel traced,
 * with all that it was based on. Three things are checked: that the policy's source, compiled for
 * user space, decides the same from the same; that the situations got the answers that the rules
 * say, as written down here a second time; and that those answers tell the policy from each of
 * the others.
 *
 * Another guest acts out the scripted histories that a program can act out, and sends what the
 * kernel answered beside what it must answer.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <linux/numa_policy.h>

#include "commands.h"
#include "options.h"
#include "policies.h"
#include "results.h"
#include "runner.h"
#include "setup.h"
#include "topology.h"
#include "util.h"
#include "verify.h"

/* What is run for each policy. */
enum { RULES, HISTORIES, NR_WORKLOADS };

static const char * const workloads[NR_WORKLOADS] = { "rules", "histories" };

static const char * const reason_names[NR_NUMA_POLICY_REASONS] = {
#define REASON_NAME(_sym, _text) [NUMA_POLICY_##_sym] = _text,
	NUMA_POLICY_REASON_TEXTS(REASON_NAME)
};

/*
 * The situations. A decision is in at most one of them; all but INITIAL are past the VMA's first
 * two sequences, and all but PARTIAL without a scan to finish.
 */
enum situation {
	IDLE,		/* nobody accesses the VMA, scanned lately */
	RETURNED,	/* the task did, three or four windows ago */
	OTHERS_HOT,	/* others do now */
	OTHERS_SHARED,	/* three others did, two or more windows ago */
	FORGOTTEN,	/* nobody accesses it, and not scanned for more sequences than threads */
	LATE,		/* a new VMA in an old process, not accessed by the task */
	STOPPED,	/* an earlier pass stopped inside; not accessed by anybody but others */
	NR_SITUATIONS,
	NO_SITUATION = NR_SITUATIONS
};

static_assert(NR_SITUATIONS == NP_SITUATIONS);

static const char * const situation_names[] = {
	"an idle VMA", "back after three windows", "a VMA hot with others", "three sharers",
	"not scanned for a while", "a late VMA", "a scan stopped inside",
};

/*
 * What each policy must answer. A scan that stopped inside a VMA that is hot with others is HOT
 * for hot_shared, whose order is so; where two answers are right, both are named.
 */
static const struct answers {
	const char *policy;
	int answer[NR_SITUATIONS];
	int or_else;	/* second right answer to STOPPED */
	bool forced;
} answers[] = {
#define R(_name) NUMA_POLICY_##_name
	{ "always", { R(ALWAYS), R(ALWAYS), R(ALWAYS), R(ALWAYS), R(ALWAYS), R(ALWAYS), R(ALWAYS) },
	  R(ALWAYS), true },
	{ "mm_seq", { 0 }, 0, false },
	{ "vma_seq", { [LATE] = R(INITIAL) }, 0, false },
	{ "pids_active", { [LATE] = R(INITIAL), [STOPPED] = R(PARTIAL) }, R(PARTIAL), true },
	{ "pid_history", { [RETURNED] = R(PID), [LATE] = R(INITIAL), [STOPPED] = R(PARTIAL) },
	  R(PARTIAL), true },
	{ "seq_delta", { [FORGOTTEN] = R(SEQ_DELTA), [LATE] = R(INITIAL), [STOPPED] = R(PARTIAL) },
	  R(PARTIAL), true },
	{ "hot_shared", { [RETURNED] = R(PID), [OTHERS_HOT] = R(HOT), [OTHERS_SHARED] = R(SHARED),
			  [LATE] = R(INITIAL), [STOPPED] = R(PARTIAL) }, R(HOT), true },
#undef R
};

/* The last yes to each VMA, to tell forced scans by. */
struct vma_track {
	uint64_t start;
	int start_scan_seq;
	int yes[64];
	unsigned int n;
};

static const struct answers *find_answers(const char *policy)
{
	for (size_t i = 0; i < ARRAY_SIZE(answers); i++)
		if (!strcmp(answers[i].policy, policy))
			return &answers[i];
	return NULL;
}

static int sharers(const struct np_decision *d)
{
	uint64_t all = 0;
	int n = 0;

	for (int i = 0; i < d->nwindows; i++)
		all |= d->windows[i];
	for (; all; all &= all - 1)
		n++;
	return n;
}

/* Written from the specification, not with the policies' own helpers: it is to check those. */
static enum situation classify(const struct np_decision *d)
{
	uint64_t me = 1ull << ((uint32_t)((uint32_t)d->pid * 0x61c88647u) >> 26);
	bool initial = (int32_t)((uint32_t)d->seq - (uint32_t)d->start_scan_seq) < 2;
	bool late_scan = (int32_t)((uint32_t)d->seq - (uint32_t)d->prev_scan_seq) > d->threads;
	bool stopped = d->offset > d->start;
	int n = sharers(d);

	for (int i = 0; i < d->nwindows; i++)
		if (d->windows[i] & me)
			return !initial && !stopped && !late_scan && i >= 2 && !d->windows[0] &&
			       n < 3 ? RETURNED : NO_SITUATION;

	if (initial)
		return d->seq >= 2 && !d->windows[0] && n < 3 && !stopped && !late_scan ?
		       LATE : NO_SITUATION;
	if (stopped)
		return n < 3 && !late_scan ? STOPPED : NO_SITUATION;
	if (late_scan)
		return !d->windows[0] && n < 3 ? FORGOTTEN : NO_SITUATION;
	if (d->windows[0])
		return OTHERS_HOT;
	if (n >= 3)
		return OTHERS_SHARED;
	return n ? NO_SITUATION : IDLE;
}

static bool get_int(const json_t *o, const char *key, long long *value)
{
	const json_t *v = json_object_get(o, key);

	if (!json_is_integer(v))
		return false;
	*value = json_integer_value(v);
	return true;
}

static bool get_hex(const json_t *v, uint64_t *value)
{
	const char *s = json_string_value(v);
	char *end;

	if (!s || !*s)
		return false;
	errno = 0;
	*value = strtoull(s, &end, 16);
	return !errno && !*end;
}

/**
 * np_decision_read() - take a "decide" record apart
 * @o: the record
 * @d: where it goes
 *
 * Return: whether the record has everything that it must have.
 */
bool np_decision_read(const json_t *o, struct np_decision *d)
{
	const char *reason = json_string_value(json_object_get(o, "reason"));
	const json_t *windows = json_object_get(o, "windows"), *w;
	long long pid, seq, start_seq, prev_seq, threads;
	size_t i;

	memset(d, 0, sizeof(*d));
	d->policy = json_string_value(json_object_get(o, "policy"));
	d->vma = json_string_value(json_object_get(o, "vma"));
	if (!d->policy || !d->vma || !reason || !get_int(o, "pid", &pid) ||
	    !get_int(o, "seq", &seq) || !get_int(o, "start_seq", &start_seq) ||
	    !get_int(o, "prev_seq", &prev_seq) || !get_int(o, "threads", &threads) ||
	    !get_hex(json_object_get(o, "offset"), &d->offset) ||
	    !get_hex(json_object_get(o, "start"), &d->start))
		return false;
	d->pid = pid;
	d->seq = seq;
	d->start_scan_seq = start_seq;
	d->prev_scan_seq = prev_seq;
	d->threads = threads;

	d->nwindows = json_array_size(windows);
	if (d->nwindows < 2 || d->nwindows > NUMA_POLICY_WINDOWS)
		return false;
	json_array_foreach(windows, i, w)
		if (!get_hex(w, &d->windows[i]))
			return false;

	for (d->reason = 0; d->reason < NR_NUMA_POLICY_REASONS; d->reason++)
		if (!strcmp(reason, reason_names[d->reason]))
			return true;
	return false;
}

static int ask(const struct numa_policy_ops *policy, const struct np_decision *d)
{
	struct vma_numab_state state = {
		.start_scan_seq = d->start_scan_seq,
		.prev_scan_seq = d->prev_scan_seq,
	};
	struct numa_policy_snapshot snap = {
		.state = &state,
		.scan_offset = d->offset,
		.vma_start = d->start,
		.pid = d->pid,
		.scan_seq = d->seq,
		.nr_threads = d->threads,
	};

	for (int i = 0; i < d->nwindows; i++)
		state.pids_active[i] = d->windows[i];
	return policy->decide(&snap);
}

/*
 * Was the VMA's last complete scan one that the policy had not asked for? Then the scan loop
 * forced it. A state's first prev_scan_seq stands for no scan. Another task's pass may end the
 * sequence while the scan is under way, so a yes in the sequence before counts too.
 */
static bool was_forced(struct vma_track **tracks, int *n, const struct np_decision *d)
{
	struct vma_track *t = NULL;
	bool asked = d->prev_scan_seq == (int)((unsigned int)d->start_scan_seq - 1);

	for (int i = 0; i < *n && !t; i++)
		if ((*tracks)[i].start == d->start &&
		    (*tracks)[i].start_scan_seq == d->start_scan_seq)
			t = &(*tracks)[i];
	if (!t) {
		*tracks = np_realloc(*tracks, (*n + 1) * sizeof(**tracks));
		t = &(*tracks)[(*n)++];
		memset(t, 0, sizeof(*t));
		t->start = d->start;
		t->start_scan_seq = d->start_scan_seq;
		/* The trace may begin after the first scans. */
		asked = true;
	}
	for (unsigned int i = 0; i < t->n && i < ARRAY_SIZE(t->yes); i++)
		asked |= t->yes[i] == d->prev_scan_seq || t->yes[i] == d->prev_scan_seq - 1;
	if (d->reason != NUMA_POLICY_SKIP)
		t->yes[t->n++ % ARRAY_SIZE(t->yes)] = d->seq;
	return !asked;
}

static char *differs(size_t record, const char *what, int got, int expected)
{
	return np_asprintf("record %zu: %s: the kernel said %s, expected %s", record + 1, what,
			   reason_names[got], reason_names[expected]);
}

/**
 * np_verdict_make() - judge the decisions of one run
 * @v: the verdict, made empty first
 * @policy: name of the policy that was in force
 * @records: JSON array with the run's records
 *
 * Return: NULL, or why the records cannot be judged; to be freed.
 */
char *np_verdict_make(struct np_verdict *v, const char *policy, const json_t *records)
{
	const struct answers *mine = find_answers(policy);
	const struct np_policy *p = np_policy_find(policy);
	struct vma_track *tracks = NULL;
	int ntracks = 0;
	json_t *r;
	size_t i;

	memset(v, 0, sizeof(*v));
	if (!p)
		return np_asprintf("there is no policy '%s'", policy);

	json_array_foreach(records, i, r) {
		const char *type = json_string_value(json_object_get(r, "type"));
		struct np_decision d;
		enum situation s;
		int asked;

		if (!type || strcmp(type, "decide"))
			continue;
		if (!np_decision_read(r, &d)) {
			free(tracks);
			return np_asprintf("record %zu is no whole decision", i + 1);
		}
		if (strcmp(d.policy, policy)) {
			free(tracks);
			return np_asprintf("record %zu is a decision of %s", i + 1, d.policy);
		}
		v->decisions++;
		v->forced += was_forced(&tracks, &ntracks, &d);
		asked = ask(p->ops, &d);
		if (asked != d.reason) {
			if (!v->replay_wrong++)
				v->first_wrong = differs(i, "its source", d.reason, asked);
			continue;
		}
		s = classify(&d);
		if (s == NO_SITUATION)
			continue;
		v->seen[s]++;
		if (!mine || d.reason == mine->answer[s] ||
		    (s == STOPPED && d.reason == mine->or_else))
			continue;
		if (!v->answer_wrong++)
			v->first_answer = differs(i, situation_names[s], d.reason,
						  mine->answer[s]);
	}
	free(tracks);
	return NULL;
}

/**
 * np_verdict_free() - free what a verdict points to
 * @v: the verdict
 */
void np_verdict_free(struct np_verdict *v)
{
	free(v->first_wrong);
	free(v->first_answer);
	memset(v, 0, sizeof(*v));
}

static int checks, failures;

static __printf(2, 3) bool say(bool ok, const char *fmt, ...)
{
	va_list ap;

	checks++;
	if (!ok)
		failures++;
	printf("%s %d - ", ok ? "ok" : "not ok", checks);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
	return ok;
}

/*
 * A situation that was seen and to which the two policies answer differently; else the forced
 * pass, if one has it and the other has not, and what was seen is @a's way.
 */
static const char *told_apart(const struct np_verdict *v, const struct answers *a,
			      const struct answers *b)
{
	for (int s = 0; s < NR_SITUATIONS; s++)
		if (v->seen[s] && a->answer[s] != b->answer[s] &&
		    (s != STOPPED || a->or_else != b->answer[s]))
			return situation_names[s];
	if (a->forced != b->forced && a->forced == !!v->forced)
		return a->forced ? "a forced pass" : "never a forced pass";
	return NULL;
}

/**
 * np_verdict_print() - print the checks of one policy's run, a line each
 * @v: the verdict
 * @policy: name of the policy that was in force
 */
void np_verdict_print(const struct np_verdict *v, const char *policy)
{
	const struct answers *mine = find_answers(policy);

	say(v->decisions && !v->replay_wrong, "%s: %d decisions, %d unlike its source%s%s", policy,
	    v->decisions, v->replay_wrong, v->first_wrong ? ": " : "",
	    v->first_wrong ? v->first_wrong : "");
	if (!mine) {
		printf("# skip - %s: its rules are not written down in verify.c\n", policy);
		return;
	}

	say(!v->answer_wrong, "%s: %d answers unlike its rules%s%s", policy, v->answer_wrong,
	    v->first_answer ? ": " : "", v->first_answer ? v->first_answer : "");
	for (size_t i = 0; i < ARRAY_SIZE(answers); i++) {
		const char *by;

		if (&answers[i] == mine)
			continue;
		by = told_apart(v, mine, &answers[i]);
		say(by, "%s: told from %s by %s", policy, answers[i].policy,
		    by ? by : "nothing that happened");
	}
	if (!mine->forced)
		say(!v->forced, "%s: %d forced scans, none allowed", policy, v->forced);
	else if (strcmp(policy, "always"))
		say(v->forced, "%s: %d forced scans, some expected", policy, v->forced);
}

static __printf(2, 3) void add_line(struct np_histories *h, const char *fmt, ...)
{
	va_list ap;

	h->lines = np_realloc(h->lines, (h->nlines + 1) * sizeof(*h->lines));
	va_start(ap, fmt);
	h->lines[h->nlines++] = np_vasprintf(fmt, ap);
	va_end(ap);
}

static const char *text_of(const json_t *o, const char *key)
{
	return json_string_value(json_object_get(o, key));
}

/* A history while its answers come in: they precede the record that closes it. */
struct open_history {
	const char *name;
	int answers;
	int wrong;
};

/* Judging histories; the names are of those that were closed. */
struct histories {
	struct np_histories *h;
	const char *policy;
	json_t *names;
	bool begun;
	struct open_history open;
};

static char *take_begin(struct histories *all, const json_t *r, size_t record)
{
	long long due, unfit;

	if (all->begun)
		return np_asprintf("record %zu: the histories begin twice", record);
	if (!get_int(r, "due", &due) || !get_int(r, "unfit", &unfit) || due < 0 || unfit < 0)
		return np_asprintf("record %zu does not say how many histories are due", record);
	all->h->due = due;
	all->h->unfit = unfit;
	all->begun = true;
	return NULL;
}

static char *take_answer(struct histories *all, const json_t *r, size_t record)
{
	const char *name = text_of(r, "history"), *event = text_of(r, "event");
	const char *expected = text_of(r, "expected"), *got = text_of(r, "got");
	const char *by = text_of(r, "decided_by");
	struct open_history *open = &all->open;
	long long line;

	if (!name || !event || !expected || !got || !by || !get_int(r, "line", &line))
		return np_asprintf("record %zu is no whole answer", record);
	if (open->name && strcmp(open->name, name))
		return np_asprintf("record %zu: history %s has no end", record, open->name);
	open->name = name;
	open->answers++;
	if (*by && strcmp(by, all->policy)) {
		add_line(all->h, "%s, history %s, line %lld, event \"%s\": decided by %s",
			 all->policy, name, line, event, by);
		open->wrong++;
	} else if (strcmp(expected, got)) {
		add_line(all->h, "%s, history %s, line %lld, event \"%s\": expected %s, got %s",
			 all->policy, name, line, event, expected, got);
		open->wrong++;
	}
	return NULL;
}

static char *take_history(struct histories *all, const json_t *r, size_t record)
{
	const json_t *failed = json_object_get(r, "failed");
	const char *name = text_of(r, "history");
	struct open_history *open = &all->open;
	long long line, answers;

	if (!name || !get_int(r, "line", &line) || !get_int(r, "answers", &answers) ||
	    !(json_is_string(failed) || json_is_null(failed)))
		return np_asprintf("record %zu is no whole history", record);
	if (open->name && strcmp(open->name, name))
		return np_asprintf("record %zu: history %s has no end", record, open->name);
	if (answers != open->answers)
		return np_asprintf("record %zu: %lld answers in history %s, %d arrived", record,
				   answers, name, open->answers);
	if (json_object_get(all->names, name))
		return np_asprintf("record %zu: history %s ends twice", record, name);
	json_object_set_new(all->names, name, json_true());
	all->h->seen++;
	if (json_is_string(failed))
		add_line(all->h, "%s, history %s, line %lld: not acted out: %s", all->policy, name,
			 line, json_string_value(failed));
	else if (!answers)
		add_line(all->h, "%s, history %s, line %lld: nothing was asked", all->policy, name,
			 line);
	else if (!open->wrong)
		all->h->agreed++;
	memset(open, 0, sizeof(*open));
	return NULL;
}

static char *take_record(struct histories *all, const json_t *r, size_t record)
{
	static const struct {
		const char *type;
		char *(*take)(struct histories *all, const json_t *r, size_t record);
	} types[] = {
		{ "histories", take_begin },
		{ "answer", take_answer },
		{ "history", take_history },
	};
	const char *type = text_of(r, "type"), *policy = text_of(r, "policy");
	size_t i;

	for (i = 0; i < ARRAY_SIZE(types); i++)
		if (type && !strcmp(type, types[i].type))
			break;
	if (i == ARRAY_SIZE(types))
		return NULL;
	if (!policy || strcmp(policy, all->policy))
		return np_asprintf("record %zu is about policy %s", record, policy ? policy : "?");
	if (i && !all->begun)
		return np_asprintf("record %zu: the histories have no beginning", record);
	return types[i].take(all, r, record);
}

/**
 * np_histories_make() - judge the histories that a guest acted out
 * @h: the judgement, made empty first
 * @policy: name of the policy that was in force
 * @records: JSON array with the run's records
 *
 * Return: NULL, or why the records cannot be judged; to be freed.
 */
char *np_histories_make(struct np_histories *h, const char *policy, const json_t *records)
{
	struct histories all = { .h = h, .policy = policy, .names = json_object() };
	char *error = NULL;
	json_t *r;
	size_t i;

	memset(h, 0, sizeof(*h));
	json_array_foreach(records, i, r) {
		error = take_record(&all, r, i + 1);
		if (error)
			break;
	}
	if (!error && !all.begun)
		error = np_strdup("there is no record of histories");
	if (!error && all.open.name)
		error = np_asprintf("history %s has no end", all.open.name);
	if (!error && h->seen != h->due)
		add_line(h, "%s: %d histories were due, %d came", policy, h->due, h->seen);
	json_decref(all.names);
	return error;
}

/**
 * np_histories_print() - print how the histories of one policy went
 * @h: the judgement
 * @policy: name of the policy that was in force
 */
void np_histories_print(const struct np_histories *h, const char *policy)
{
	say(h->due && h->agreed == h->due && !h->nlines, "%s: %d of %d histories as in the corpus",
	    policy, h->agreed, h->due);
	for (int i = 0; i < h->nlines; i++)
		printf("# %s\n", h->lines[i]);
	if (h->unfit)
		printf("# skip - %s: %d histories do not hold with this kernel's options\n", policy,
		       h->unfit);
}

/**
 * np_histories_free() - free what a judgement points to
 * @h: the judgement
 */
void np_histories_free(struct np_histories *h)
{
	for (int i = 0; i < h->nlines; i++)
		free(h->lines[i]);
	free(h->lines);
	memset(h, 0, sizeof(*h));
}

static const char usage[] =
	"usage: numa-policy verify [OPTIONS]\n\n"
	"Acts out, in a guest per policy, the situations that the policies' rules tell apart, and\n"
	"checks every decision that the kernel traced: against the policy's source asked again in\n"
	"user space, and against its rules. A policy passes if what it did could have been done by\n"
	"no other policy. In another guest the scripted histories are acted out, as far as a program\n"
	"can do that, and the kernel must answer as they say. Prints a line per check.\n\n"
	"  --policies A,B    policies to check (default: all)\n"
	"  --topology T      nodes and CPUs of the guest (default: 2x2)\n"
	"  --jobs J          guests at once (default: one per CPU)\n"
	"  --seed S          seed of the workload (default: 1)\n"
	"  --out DIR         where guests' records and consoles are kept (default: verify beside\n"
	"                    this program)\n"
	"  --timeout S       host seconds a guest may take (default: 600)\n"
	"  --kernel DIR      guest kernel: directory with bzImage (arm64: Image), config, release\n"
	"  --initrd FILE     guest's initial file system\n"
	"  --qemu PROGRAM    QEMU to run (default: that of the kernel's architecture)\n";

/* A cell for each workload under each policy. */
static int make_cells(const struct np_options *o, struct np_cell **cells)
{
	int n = o->policies.n;

	*cells = np_alloc(n * NR_WORKLOADS * sizeof(**cells));
	for (int i = 0; i < n; i++) {
		for (int j = 0; j < NR_WORKLOADS; j++) {
			struct np_cell *cell = &(*cells)[i * NR_WORKLOADS + j];

			cell->workload = np_strdup(workloads[j]);
			cell->policy = np_strdup(o->policies.v[i]);
			cell->rep = 1;
			cell->seed = o->seed;
		}
	}
	return n * NR_WORKLOADS;
}

static void judge_rules(const struct np_cell *cell)
{
	struct np_verdict v;
	json_t *records = np_cell_records(cell);
	char *error = np_verdict_make(&v, cell->policy, records);

	if (error)
		say(false, "%s: %s", cell->policy, error);
	else
		np_verdict_print(&v, cell->policy);
	json_decref(records);
	free(error);
	np_verdict_free(&v);
}

static void judge_histories(const struct np_cell *cell)
{
	struct np_histories h;
	json_t *records = np_cell_records(cell);
	char *error = np_histories_make(&h, cell->policy, records);

	if (error)
		say(false, "%s: %s", cell->policy, error);
	else
		np_histories_print(&h, cell->policy);
	json_decref(records);
	free(error);
	np_histories_free(&h);
}

static void judge(const struct np_cell *cell)
{
	if (!say(cell->status == NP_CELL_OK, "%s: the guest with the %s ran%s%s", cell->policy,
		 cell->workload, cell->reason ? ": " : "", cell->reason ? cell->reason : ""))
		return;
	if (!strcmp(cell->workload, workloads[HISTORIES]))
		judge_histories(cell);
	else
		judge_rules(cell);
}

static int run(struct np_options *o)
{
	struct np_topology topology;
	struct np_setup setup;
	struct np_cell *cells;
	int n, status = NP_FAIL;
	char *error;

	np_options_check_policies(o);
	np_options_check_topology(o, &topology);
	n = make_cells(o, &cells);
	error = np_setup_find(&setup, o->qemu, o->kernel, o->initrd);
	for (int i = 0; i < n && !error; i++)
		error = np_setup_lacks(&setup, np_policy_find(cells[i].policy));
	if (!error && setup.windows != NUMA_POLICY_WINDOWS)
		error = np_asprintf("the kernel keeps %d windows, this program's policies %d; build it anew with 'make tools WINDOWS=%d'",
				    setup.windows, NUMA_POLICY_WINDOWS, setup.windows);
	if (!error) {
		int err = np_mkdirs(o->out);

		if (err)
			error = np_asprintf("cannot make the directory %s: %s", o->out,
					    strerror(-err));
	}
	if (error) {
		np_error("verify: %s", error);
		free(error);
	} else {
		struct np_plan plan = {
			.machine = {
				.arch = setup.arch,
				.qemu = setup.qemu,
				.image = setup.image,
				.initrd = setup.initrd,
				.topology = &topology,
				.timeout_s = o->timeout_s,
				.stall_s = o->stall_s,
			},
			.release = setup.release,
			.windows = setup.windows,
			.out = o->out,
			.jobs = o->jobs,
			.shift = -1,
			.sample_ms = NP_SAMPLE_MS,
			.keep = true,
		};

		if (np_plan_run(&plan, cells, n) != NP_RUN_COMPLETE)
			np_error("verify: stopped before all guests had run");
		for (int i = 0; i < n; i++)
			judge(&cells[i]);
		printf("%d passed, %d failed\n", checks - failures, failures);
		status = failures ? NP_FAIL : NP_OK;
	}

	for (int i = 0; i < n; i++)
		np_cell_clear(&cells[i]);
	free(cells);
	np_setup_free(&setup);
	np_topology_free(&topology);
	return status;
}

/**
 * cmd_verify() - act out situations and histories under the policies and judge the decisions
 * @argc: as for main()
 * @argv: as for main(), from the subcommand on
 *
 * Return: the exit status.
 */
int cmd_verify(int argc, char **argv)
{
	char *out = np_asprintf("%s/verify", np_self_dir());
	struct np_options o;
	int status = NP_OK;

	np_options_init(&o, "verify", out);
	np_options_parse(&o, NP_FOR_VERIFY, argc, argv);
	if (o.help)
		fputs(usage, stdout);
	else
		status = run(&o);
	np_options_free(&o);
	free(out);
	return status;
}
