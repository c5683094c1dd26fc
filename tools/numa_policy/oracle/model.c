// SPDX-License-Identifier: GPL-2.0
/*
 * A second implementation of the specification of the scan policies, to compare the first with.
 *
 * It is written to be read beside the specification, and to be unlike the first: windows are sets
 * of buckets in a list, time never wraps, sequences are wide numbers brought into an int's range
 * in one place, and each policy is a list of named rules. Nothing is shared with the first but
 * the names of reasons and events.
 */
#include <linux/kernel.h>
#include <string.h>

#include "oracle.h"

/* Stands for "all N windows" in the table of policies, and for SHARED's configured threshold. */
#define CONFIGURED (-1)

/* ---- numbers ---- */

/* The remainder that is never negative. */
static int64_t modulo(int64_t n, int64_t m)
{
	return (n % m + m) % m;
}

#define TWO_TO_31 ((int64_t)2147483648)
#define TWO_TO_32 ((int64_t)4294967296)

/**
 * model_int() - what an int holds after arithmetic that wraps
 * @n: the true result
 *
 * Return: the number between INT_MIN and INT_MAX that differs from it by a multiple of 2^32.
 */
int64_t model_int(int64_t n)
{
	return modulo(n + TWO_TO_31, TWO_TO_32) - TWO_TO_31;
}

/* How far a sequence is ahead of another one, which may be across a wrap-around. */
static int64_t distance(int64_t seq, int64_t other)
{
	return model_int(seq - other);
}

/**
 * model_bucket() - the bucket of a PID, by plain arithmetic
 * @config: the build
 * @pid: the PID
 *
 * Return: a number below @config->buckets.
 */
int model_bucket(const struct model_config *config, unsigned int pid)
{
	uint64_t product = (uint64_t)pid * 1640531527;	/* 0x61c88647, of the kernel's hash_32() */
	uint64_t hash = product % TWO_TO_32;

	return hash / (TWO_TO_32 / config->buckets);
}

/* ---- rules ---- */

/* The union of the newest windows. */
static void unite(const struct model *m, int windows, bool *set)
{
	int i, j;

	memset(set, false, MODEL_BUCKETS_MAX * sizeof(*set));
	for (i = 0; i < windows; i++)
		for (j = 0; j < MODEL_BUCKETS_MAX; j++)
			set[j] = set[j] || m->window[i][j];
}

static int count(const bool *set)
{
	int i, n = 0;

	for (i = 0; i < MODEL_BUCKETS_MAX; i++)
		n += set[i];
	return n;
}

static bool says_always(const struct model *m, unsigned int pid, int number)
{
	return true;
}

static bool says_initial(const struct model *m, unsigned int pid, int number)
{
	return distance(m->seq, m->start_scan_seq) < 2;
}

static bool says_initial_mm(const struct model *m, unsigned int pid, int number)
{
	return m->seq < 2;
}

static bool says_pid(const struct model *m, unsigned int pid, int number)
{
	int windows = number == CONFIGURED ? m->config->windows : number;
	int bucket = model_bucket(m->config, pid);
	int i;

	for (i = 0; i < windows; i++)
		if (m->window[i][bucket])
			return true;
	return false;
}

static bool says_partial(const struct model *m, unsigned int pid, int number)
{
	return m->offset > MODEL_START;
}

static bool says_seq_delta(const struct model *m, unsigned int pid, int number)
{
	return distance(m->seq, m->prev_scan_seq) > m->threads;
}

static bool says_hot(const struct model *m, unsigned int pid, int number)
{
	return count(m->window[0]) > 0;
}

static bool says_shared(const struct model *m, unsigned int pid, int number)
{
	int threshold = number == CONFIGURED ? m->config->threshold : number;
	bool set[MODEL_BUCKETS_MAX];

	unite(m, m->config->windows, set);
	return count(set) >= threshold;
}

/* A rule; @number is the k of PID(k) or the t of SHARED(t). */
struct rule {
	bool (*says_yes)(const struct model *m, unsigned int pid, int number);
	enum numa_policy_reason reason;
	int number;
};

#define ALWAYS		{ says_always, NUMA_POLICY_ALWAYS, 0 }
#define INITIAL		{ says_initial, NUMA_POLICY_INITIAL, 0 }
#define INITIAL_MM	{ says_initial_mm, NUMA_POLICY_INITIAL_MM, 0 }
#define PID(_k)		{ says_pid, NUMA_POLICY_PID, _k }
#define PARTIAL		{ says_partial, NUMA_POLICY_PARTIAL, 0 }
#define SEQ_DELTA	{ says_seq_delta, NUMA_POLICY_SEQ_DELTA, 0 }
#define HOT		{ says_hot, NUMA_POLICY_HOT, 0 }
#define SHARED(_t)	{ says_shared, NUMA_POLICY_SHARED, _t }

#define RULES_MAX 5

/* A policy: the rules in order, the windows that it reads, and whether a pass may be forced. */
struct model_policy {
	const char *name;
	struct rule rules[RULES_MAX + 1];
	int windows;
	bool forced;
};

#define N CONFIGURED

static const struct model_policy policies[] = {
	{ "pids_active", { INITIAL, PID(2), PARTIAL }, 2, true },
	{ "pid_history", { INITIAL, PID(N), PARTIAL }, N, true },
	{ "seq_delta", { INITIAL, PID(2), PARTIAL, SEQ_DELTA }, 2, true },
	{ "hot_shared", { INITIAL, PID(N), HOT, SHARED(CONFIGURED), PARTIAL }, N, true },
	{ "always", { ALWAYS }, 0, true },
	{ "mm_seq", { INITIAL_MM, PID(2) }, 2, false },
	{ "vma_seq", { INITIAL, PID(2) }, 2, false },
};

#undef N

/* The first rule that says yes decides. */
static enum numa_policy_reason decide(const struct model *m, unsigned int pid)
{
	const struct rule *rule;

	for (rule = m->policy->rules; rule->says_yes; rule++)
		if (rule->says_yes(m, pid, rule->number))
			return rule->reason;
	return NUMA_POLICY_SKIP;
}

/**
 * model_policy_find() - the model of a policy
 * @name: its name
 *
 * Return: the model, or NULL if the specification has no such policy.
 */
const struct model_policy *model_policy_find(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(policies); i++)
		if (!strcmp(policies[i].name, name))
			return &policies[i];
	return NULL;
}

/**
 * model_policy_windows() - how many windows a policy reads
 * @policy: the policy
 * @config: the build
 *
 * Return: the number.
 */
int model_policy_windows(const struct model_policy *policy, const struct model_config *config)
{
	return policy->windows == CONFIGURED ? config->windows : policy->windows;
}

/**
 * model_policy_refuses() - may a policy ever say no?
 * @policy: the policy
 *
 * Return: whether it may.
 */
bool model_policy_refuses(const struct model_policy *policy)
{
	return policy->rules[0].reason != NUMA_POLICY_ALWAYS;
}

/**
 * model_policy_forces() - may a pass be forced under a policy?
 * @policy: the policy
 *
 * Return: whether it may; of no meaning for a policy that refuses nothing.
 */
bool model_policy_forces(const struct model_policy *policy)
{
	return policy->forced;
}

/**
 * model_policy_can() - can a pass have this answer under a policy?
 * @policy: the policy
 * @config: the build
 * @answer: the answer
 *
 * Return: whether it can.
 */
bool model_policy_can(const struct model_policy *policy, const struct model_config *config,
		      unsigned int answer)
{
	const struct rule *rule;

	switch (answer) {
	case NUMA_POLICY_SKIP:
		return model_policy_refuses(policy);
	case NUMA_HISTORY_FORCED:
		return model_policy_refuses(policy) && model_policy_forces(policy);
	case NUMA_HISTORY_DELAYED:
	case NUMA_HISTORY_SAME_SEQ:
	case NUMA_HISTORY_NO_STATE:
	case NUMA_HISTORY_UNMET:
		return true;
	}
	/* PID comes first and takes all passes if every bucket must be set. */
	if (answer == NUMA_POLICY_SHARED && config->threshold >= config->buckets)
		return false;
	for (rule = policy->rules; rule->says_yes; rule++)
		if (rule->reason == answer)
			return true;
	return false;
}

/* ---- events ---- */

/* "Create", unless there is no memory. */
static bool create(struct model *m, bool fails)
{
	if (m->has_state)
		return true;
	if (fails)
		return false;
	m->has_state = true;
	m->start_scan_seq = m->seq;
	m->next_scan = m->now + ORACLE_DELAY;
	m->pids_active_reset = m->next_scan + ORACLE_PERIOD;
	m->prev_scan_seq = model_int(m->seq - 1);
	memset(m->window, false, sizeof(m->window));
	return true;
}

/* "Age": one step, however late. */
static void age(struct model *m)
{
	bool moved[MODEL_WINDOWS_MAX][MODEL_BUCKETS_MAX];
	int i;

	if (m->seq == 0 || m->now <= m->pids_active_reset)
		return;
	memset(moved, false, sizeof(moved));
	for (i = 0; i + 1 < m->config->windows; i++)
		memcpy(moved[i + 1], m->window[i], sizeof(moved[i + 1]));
	memcpy(m->window, moved, sizeof(moved));
	m->pids_active_reset += ORACLE_PERIOD;
}

/* A scan reaches the VMA's end. */
static void complete(struct model *m)
{
	m->prev_scan_seq = m->seq;
}

/* A scan takes pages of the VMA away; not local ones of a process with one thread. */
static void trap(struct model *m)
{
	if (!(m->local && m->threads == 1))
		m->traps = true;
}

/* The end of the address space is reached. */
static void next_sequence(struct model *m)
{
	m->seq = model_int(m->seq + 1);
	m->offset = MODEL_FRONT;
}

/*
 * Steps 2 to 6 of a pass that meets the VMA. Says whether the VMA is to be scanned, and in
 * @outcome why or why not.
 */
static bool meet(struct model *m, const struct oracle_event *event, bool forced,
		 struct oracle_outcome *outcome)
{
	if (!create(m, event->fails)) {
		outcome->answer = NUMA_HISTORY_NO_STATE;
		return false;
	}
	if (m->seq != 0 && m->now < m->next_scan) {
		outcome->answer = NUMA_HISTORY_DELAYED;
		return false;
	}
	age(m);
	if (m->prev_scan_seq == m->seq) {
		outcome->answer = NUMA_HISTORY_SAME_SEQ;
		return false;
	}
	if (forced) {
		outcome->answer = NUMA_HISTORY_FORCED;
		return true;
	}
	outcome->asked = true;
	outcome->reason = decide(m, m->pids[event->task]);
	outcome->answer = outcome->reason;
	return outcome->reason != NUMA_POLICY_SKIP;
}

/*
 * A pass. Where it stops is where it ends, forced or not. One that begins behind the VMA and is
 * said to stop ends somewhere behind it, too.
 */
static void pass(struct model *m, const struct oracle_event *event,
		 struct oracle_outcome *outcome)
{
	bool scanned;

	if (event->again)
		m->offset = MODEL_FRONT;
	if (event->end == NUMA_HISTORY_BEFORE) {
		m->offset = MODEL_START;
		outcome->answer = NUMA_HISTORY_UNMET;
		return;
	}
	if (m->offset >= MODEL_END) {
		outcome->answer = NUMA_HISTORY_UNMET;
		if (event->end == NUMA_HISTORY_END)
			next_sequence(m);
		return;
	}

	scanned = meet(m, event, false, outcome);
	/*
	 * Nothing was scanned, because the policy refused this VMA: round again, as a forced pass.
	 * Being a pass, it meets the VMA as any other, which ages once more if it is that late.
	 */
	if (event->alone && outcome->asked && !scanned && m->policy->forced)
		scanned = meet(m, event, true, outcome);
	if (scanned) {
		trap(m);
		if (event->end == NUMA_HISTORY_INSIDE) {
			m->offset = (m->offset > MODEL_START ? m->offset : MODEL_START) + 1;
			return;
		}
		if (event->end == NUMA_HISTORY_AT_END) {
			m->offset = MODEL_END;
			return;
		}
		complete(m);
	}
	if (event->end == NUMA_HISTORY_BEHIND)
		m->offset = MODEL_BEHIND;
	else
		next_sequence(m);
}

static void hinting_fault(struct model *m, unsigned int task)
{
	if (m->has_state)
		m->window[0][model_bucket(m->config, m->pids[task])] = true;
}

/**
 * model_start() - the beginning of a history
 * @m: the model
 * @policy: the policy that it asks
 * @config: the build
 * @history: the history
 */
void model_start(struct model *m, const struct model_policy *policy,
		 const struct model_config *config, const struct oracle_history *history)
{
	memset(m, 0, sizeof(*m));
	m->policy = policy;
	m->config = config;
	m->pids = history->pids;
	m->seq = history->seq;
	m->threads = history->threads;
	m->offset = MODEL_FRONT;
}

/**
 * model_event() - let an event happen
 * @m: the model
 * @event: the event
 *
 * Return: what came of it.
 */
struct oracle_outcome model_event(struct model *m, const struct oracle_event *event)
{
	struct oracle_outcome outcome = { .answer = NUMA_HISTORY_UNSAID };

	m->now = event->ms;
	switch (event->what) {
	case NUMA_HISTORY_MAP:
		m->mapped = true;
		m->has_state = false;
		m->traps = false;
		break;
	case NUMA_HISTORY_UNMAP:
		m->mapped = false;
		m->has_state = false;
		break;
	case NUMA_HISTORY_SPLIT:
	case NUMA_HISTORY_MERGE:
		m->has_state = false;
		break;
	case NUMA_HISTORY_FORK:
		m->has_state = false;
		if (m->threads == 1)
			m->seq = 0;
		m->threads = 1;
		break;
	case NUMA_HISTORY_ACCESS:
		hinting_fault(m, event->task);
		break;
	case NUMA_HISTORY_TOUCH:
		outcome.answer = m->traps ? NUMA_HISTORY_FAULT : NUMA_POLICY_SKIP;
		if (m->traps)
			hinting_fault(m, event->task);
		m->traps = false;
		break;
	case NUMA_HISTORY_PASS:
		pass(m, event, &outcome);
		break;
	case NUMA_HISTORY_SEQ:
		m->seq = model_int((event->relative ? m->seq : 0) + event->value);
		m->offset = MODEL_FRONT;
		break;
	case NUMA_HISTORY_THREADS:
		m->threads = event->value;
		break;
	case NUMA_HISTORY_LOCAL:
		m->local = true;
		break;
	case NUMA_HISTORY_REMOTE:
		m->local = false;
		break;
	}
	return outcome;
}
