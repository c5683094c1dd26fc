// SPDX-License-Identifier: GPL-2.0
/*
 * The oracle: plays random histories to every scan policy and to a model of its specification,
 * and compares what they answer and in what state they are after each event.
 */
#include <errno.h>
#include <linux/kernel.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "../../../kernel/sched/numa_policy/policies.h"
#include "oracle.h"

#define DECISIONS_DEFAULT 1000000ULL
#define DECISIONS_MAX 1000000000000000ULL

/* From so many decisions on, every answer that a policy can give must have been seen. */
#define DECISIONS_ALL_SEEN 1000000ULL

#define EXIT_DISAGREE 1
#define EXIT_USAGE 2

static const struct model_config build = {
	.windows = NUMA_POLICY_WINDOWS,
	.buckets = BITS_PER_LONG,
	.threshold = CONFIG_NUMA_POLICY_SHARED_THRESHOLD,
};

static const struct {
	const char *name;
	const struct numa_policy_ops *ops;
} table[] = {
#define POLICY(_sym, _name, _text) { #_name, &numa_policy_##_name },
	NUMA_POLICIES(POLICY)
#undef POLICY
};

#define NR_POLICIES ARRAY_SIZE(table)

static struct options {
	unsigned long long decisions;
	uint64_t seed;
	const char *policy;
} options = { .decisions = DECISIONS_DEFAULT };

static struct oracle_case cases[NR_POLICIES];
static unsigned int nr_cases, nr_failed, nr_out, nr_unknown;
static bool failed[NR_POLICIES];	/* does not agree with its model */
static bool out[NR_POLICIES];		/* does not take part in further histories */
static unsigned long long seen[NR_POLICIES][NR_NUMA_HISTORY_ANSWERS];
static unsigned long long nr_decisions, nr_histories, nr_events, nr_disagreements;

static void fail(unsigned int i)
{
	if (!failed[i])
		nr_failed++;
	failed[i] = true;
}

static void leave_out(unsigned int i)
{
	fail(i);
	out[i] = true;
	nr_out++;
}

/* ---- options ---- */

static const char option_list[] = "--decisions N, --seed S, --policy P, --help";

static const char usage[] =
	"usage: oracle [--decisions N] [--seed S] [--policy P]\n"
	"\n"
	"Compares the scan policies with a model of their specification, by random histories.\n"
	"\n"
	"  --decisions N   compare so many decisions (default: 1000000)\n"
	"  --seed S        repeat the run that began with this seed (default: a fresh one)\n"
	"  --policy P      compare this policy only (default: all)\n";

__printf(1, 2) __attribute__((__noreturn__))
static void bad_option(const char *fmt, ...)
{
	va_list args;

	fputs("oracle: ", stderr);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fputc('\n', stderr);
	exit(EXIT_USAGE);
}

/* A whole number, also with 0x before it; nothing else. */
static bool parse(const char *s, unsigned long long max, unsigned long long *value)
{
	int base = s[0] == '0' && (s[1] == 'x' || s[1] == 'X') ? 16 : 10;
	const char *digits = base == 16 ? "0123456789abcdefABCDEF" : "0123456789";

	s += base == 16 ? 2 : 0;
	errno = 0;
	*value = strtoull(s, NULL, base);
	return *s && !s[strspn(s, digits)] && !errno && *value <= max;
}

static void list_policies(char *text, size_t size)
{
	size_t len = 0, i;

	for (i = 0; i < NR_POLICIES && len < size; i++)
		len += snprintf(text + len, size - len, " %s", table[i].name);
}

static const char *find_policy(const char *name)
{
	char list[512];
	size_t i;

	for (i = 0; i < NR_POLICIES; i++)
		if (!strcmp(table[i].name, name))
			return table[i].name;
	list_policies(list, sizeof(list));
	bad_option("--policy \"%s\": no such policy; there are:%s", name, list);
}

static void read_options(int argc, char **argv)
{
	unsigned long long value;
	bool has_seed = false;
	int i;

	for (i = 1; i < argc; i += 2) {
		const char *option = argv[i], *arg = i + 1 < argc ? argv[i + 1] : NULL;

		if (!strcmp(option, "--help")) {
			fputs(usage, stdout);
			exit(EXIT_SUCCESS);
		}
		if (strcmp(option, "--decisions") && strcmp(option, "--seed") &&
		    strcmp(option, "--policy"))
			bad_option("unknown option \"%s\"; there are: %s", option, option_list);
		if (!arg)
			bad_option("%s: needs a value", option);
		if (!strcmp(option, "--policy")) {
			options.policy = find_policy(arg);
		} else if (!strcmp(option, "--seed")) {
			if (!parse(arg, UINT64_MAX, &value))
				bad_option("--seed \"%s\": must be a 64-bit number, as 17 or 0x11",
					   arg);
			options.seed = value;
			has_seed = true;
		} else {
			if (!parse(arg, DECISIONS_MAX, &value) || !value)
				bad_option("--decisions \"%s\": must be a number from 1 to %llu",
					   arg, DECISIONS_MAX);
			options.decisions = value;
		}
	}
	if (!has_seed && getrandom(&options.seed, sizeof(options.seed), 0) !=
	    (ssize_t)sizeof(options.seed))
		options.seed = (uint64_t)time(NULL) * 0x9e3779b97f4a7c15;
}

/* ---- what does not depend on histories ---- */

static void wrong(unsigned int i, const char *what, int expected, int got)
{
	if (expected == got)
		return;
	printf("oracle: policy %s: %s must be %d, is %d\n", cases[i].name, what, expected, got);
	nr_disagreements++;
	fail(i);
}

static void choose_cases(void)
{
	size_t j;

	for (j = 0; j < NR_POLICIES; j++) {
		struct oracle_case *c = &cases[nr_cases];

		if (options.policy && strcmp(options.policy, table[j].name))
			continue;
		c->index = j;
		c->name = table[j].name;
		c->ops = table[j].ops;
		c->policy = model_policy_find(c->name);
		c->config = &build;
		nr_cases++;
		if (!c->policy) {
			printf("oracle: policy %s: left out, model.c has no model of it\n",
			       c->name);
			out[nr_cases - 1] = true;
			nr_out++;
			nr_unknown++;
			continue;
		}
		if (strcmp(c->ops->name, c->name)) {
			printf("oracle: policy %s: calls itself %s\n", c->name, c->ops->name);
			nr_disagreements++;
			fail(nr_cases - 1);
		}
		wrong(nr_cases - 1, "windows", model_policy_windows(c->policy, &build),
		      c->ops->windows);
		if (model_policy_refuses(c->policy))
			wrong(nr_cases - 1, "no_forced_pass", !model_policy_forces(c->policy),
			      c->ops->no_forced_pass);
	}
}

/* ---- the comparison ---- */

/* They disagree about @history, of which the last event just happened. */
static void disagree(unsigned int i, struct oracle_history *history)
{
	static struct oracle_history longer;
	const struct oracle_case *c = &cases[i];
	struct oracle_verdict verdict;

	nr_disagreements++;
	leave_out(i);
	oracle_judge(c, history, &verdict);
	oracle_shrink(c, history);
	if (!verdict.answers) {
		longer = *history;
		if (oracle_extend(c, &longer, options.seed)) {
			*history = longer;
			oracle_shrink(c, history);
		}
	}
	oracle_report(c, history, options.seed);
}

/* One history, as it is invented, for all policies. */
static void compare(struct oracle_random *random)
{
	static struct oracle_history history, copy;
	static struct subject subjects[NR_POLICIES];
	static struct model models[NR_POLICIES];
	unsigned int active[NR_POLICIES], nr = 0, i, j;
	struct oracle_author author;

	oracle_author_start(&author, random, &build, &history);
	for (i = 0; i < nr_cases; i++) {
		if (out[i])
			continue;
		model_start(&models[nr], cases[i].policy, &build, &history);
		subject_start(&subjects[nr], cases[i].ops, &history);
		active[nr++] = i;
	}
	nr_histories++;
	while (history.nr_events < author.wanted && nr && nr_decisions < options.decisions) {
		struct oracle_event *event = &history.events[history.nr_events++];

		oracle_author_event(&author, models, nr, event);
		nr_events++;
		for (j = 0; j < nr; j++) {
			struct oracle_outcome expected = model_event(&models[j], event);
			struct oracle_outcome got = subject_event(&subjects[j], event);

			nr_decisions += got.asked;
			if (expected.asked)
				seen[active[j]][expected.reason]++;
			if (expected.answer != NUMA_HISTORY_UNSAID &&
			    !(expected.asked && expected.answer == expected.reason))
				seen[active[j]][expected.answer]++;
			if (expected.answer == got.answer && expected.asked == got.asked &&
			    subject_is_like(&subjects[j], &models[j]))
				continue;
			copy = history;
			disagree(active[j], &copy);
		}
		/* What failed does not take part any more. */
		for (i = j = 0; j < nr; j++) {
			if (out[active[j]])
				continue;
			if (i != j) {
				models[i] = models[j];
				subjects[i] = subjects[j];
				active[i] = active[j];
			}
			i++;
		}
		nr = i;
	}
}

/* ---- what came of it ---- */

static bool counts(unsigned int answer)
{
	return answer != NUMA_HISTORY_FAULT;
}

/* How often a pass had which answer; refused by the policy are also those that were forced. */
static void print_seen(void)
{
	unsigned int i, answer;

	printf("%-15s", "answers");
	for (answer = 0; answer < NR_NUMA_HISTORY_ANSWERS; answer++)
		if (counts(answer))
			printf(" %11s", numa_history_answer_text(answer));
	printf("\n");
	for (i = 0; i < nr_cases; i++) {
		if (!cases[i].policy)
			continue;
		printf("%-15s", cases[i].name);
		for (answer = 0; answer < NR_NUMA_HISTORY_ANSWERS; answer++) {
			if (!counts(answer))
				continue;
			if (model_policy_can(cases[i].policy, &build, answer) ||
			    seen[i][answer])
				printf(" %11llu", seen[i][answer]);
			else
				printf(" %11s", ".");
		}
		printf("\n");
	}
}

/* A comparison that never came by a rule did not compare it. */
static void check_seen(void)
{
	unsigned int i, answer;

	if (options.decisions < DECISIONS_ALL_SEEN)
		return;
	for (i = 0; i < nr_cases; i++) {
		if (out[i])
			continue;
		for (answer = 0; answer < NR_NUMA_HISTORY_ANSWERS; answer++) {
			if (!counts(answer) || seen[i][answer] ||
			    !model_policy_can(cases[i].policy, &build, answer))
				continue;
			printf("oracle: policy %s: no history led to the answer %s\n",
			       cases[i].name, numa_history_answer_text(answer));
			fail(i);
		}
	}
}

int main(int argc, char **argv)
{
	struct oracle_random random;

	read_options(argc, argv);
	printf("oracle: seed 0x%llx, %d windows, %d buckets, threshold %d\n",
	       (unsigned long long)options.seed, build.windows, build.buckets, build.threshold);
	fflush(stdout);
	if (strlen(numa_history_tasks) < ORACLE_TASKS_LETTERS) {
		fprintf(stderr, "oracle: histories have %zu tasks, must have %d or more\n",
			strlen(numa_history_tasks), ORACLE_TASKS_LETTERS);
		return EXIT_DISAGREE;
	}
	random.state = options.seed;
	choose_cases();
	while (nr_decisions < options.decisions && nr_out < nr_cases)
		compare(&random);
	check_seen();

	print_seen();
	printf("oracle: %llu decisions along %llu histories, %llu events, %llu disagreements\n",
	       nr_decisions, nr_histories, nr_events, nr_disagreements);
	printf("%u passed, %u failed\n", nr_cases - nr_failed - nr_unknown, nr_failed);
	return nr_failed || !nr_decisions ? EXIT_DISAGREE : EXIT_SUCCESS;
}
