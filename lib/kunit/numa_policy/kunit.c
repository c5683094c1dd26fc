// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of the NUMA balancing scan policies: a test for each policy, which plays all of the
 * histories to it, each a case of its own.
 */
#include <kunit/test.h>
#include <linux/err.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../../../kernel/sched/numa_policy/kunit.h"
#include "history.h"

static const char * const lines[] = {
#include "histories.inc"
};

static const char * const names[] = {
#include "names.inc"
};

static char *text;
static struct numa_history *histories;

static void describe(const char * const *name, char *desc)
{
	strscpy(desc, *name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(history, names, describe);

static enum numa_policy_reason ask(const struct numa_policy_snapshot *snap, void *data)
{
	const struct numa_policy_ops *policy = data;

	return policy->decide(snap);
}

static void play(struct kunit *test, unsigned int index)
{
	const struct numa_policy_ops *policy = numa_policies_tested[index];
	const char * const *name = test->param_value;
	const struct numa_history *history = &histories[name - names];
	struct numa_history_failure failure;
	struct numa_history_asked asked = { .decide = ask };
	const char *unfit = numa_history_unfit(history);
	char *words;

	if (!policy)
		kunit_skip(test, "is not built");
	if (unfit)
		kunit_skip(test, "%s", unfit);
	if (!numa_history_says(history, index))
		kunit_skip(test, "says nothing about this policy");

	asked.no_forced_pass = policy->no_forced_pass;
	asked.data = (void *)policy;
	if (numa_history_play(history, index, &asked, &failure))
		return;

	words = kunit_kzalloc(test, 512, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, words);
	numa_history_explain(words, 512, history, index, &failure);
	KUNIT_FAIL(test, "%s\n", words);
}

/* A test for each policy. */
#define NUMA_POLICY_TEST(_sym, _name, _text)		\
static void _name##_histories(struct kunit *test)	\
{							\
	play(test, NUMA_POLICY_INDEX_##_name);		\
}

NUMA_POLICIES(NUMA_POLICY_TEST)

/* No history, no proof. */
static void every_policy_has_histories(struct kunit *test)
{
	unsigned int policy, i, nr_built = 0;

	for (policy = 0; policy < NR_NUMA_POLICIES; policy++) {
		if (!numa_policies_tested[policy])
			continue;
		nr_built++;
		for (i = 0; i < ARRAY_SIZE(names); i++)
			if (!numa_history_unfit(&histories[i]) &&
			    numa_history_says(&histories[i], policy))
				break;
		KUNIT_EXPECT_LT_MSG(test, i, ARRAY_SIZE(names),
				    "no history says what %s must answer",
				    numa_history_policy_name(policy));
	}
	if (!nr_built)
		kunit_skip(test, "no policy is built");
}

static void free_histories(struct kunit_suite *suite)
{
	kvfree(histories);
	histories = NULL;
	kvfree(text);
	text = NULL;
}

/* The lines as one text, which the histories point into. */
static int join_lines(void)
{
	size_t size = 1, i;
	char *at;

	for (i = 0; i < ARRAY_SIZE(lines); i++)
		size += strlen(lines[i]);
	text = kvmalloc(size, GFP_KERNEL);
	if (!text)
		return -ENOMEM;
	at = text;
	for (i = 0; i < ARRAY_SIZE(lines); i++)
		at += strscpy(at, lines[i], text + size - at);
	return 0;
}

static int read_all(struct numa_history_reader *reader)
{
	unsigned int i = 0;
	int ret;

	numa_history_start(reader, "histories", text);
	while ((ret = numa_history_read(reader, &histories[i])) > 0) {
		if (i == ARRAY_SIZE(names) || strcmp(histories[i].name, names[i])) {
			pr_err("# numa_policy: history %s is not among the names\n",
			       histories[i].name);
			return -EINVAL;
		}
		i++;
	}
	if (ret < 0)
		pr_err("# numa_policy: %s\n", reader->error);
	else if (i < ARRAY_SIZE(names))
		pr_err("# numa_policy: history %s was not found\n", names[i]);
	return ret < 0 || i < ARRAY_SIZE(names) ? -EINVAL : 0;
}

static int read_histories(struct kunit_suite *suite)
{
	struct numa_history_reader *reader = kzalloc(sizeof(*reader), GFP_KERNEL);
	int ret = -ENOMEM;

	histories = kvcalloc(ARRAY_SIZE(names) + 1, sizeof(*histories), GFP_KERNEL);
	if (reader && histories)
		ret = join_lines();
	if (!ret)
		ret = read_all(reader);
	kfree(reader);
	if (ret)
		free_histories(suite);
	return ret;
}

#define NUMA_POLICY_CASE(_sym, _name, _text) \
	KUNIT_CASE_PARAM(_name##_histories, history_gen_params),

static struct kunit_case numa_policy_cases[] = {
	KUNIT_CASE(every_policy_has_histories),
	NUMA_POLICIES(NUMA_POLICY_CASE)
	{}
};

static struct kunit_suite numa_policy_suite = {
	.name = "numa_policy",
	.suite_init = read_histories,
	.suite_exit = free_histories,
	.test_cases = numa_policy_cases,
};

kunit_test_suite(numa_policy_suite);

MODULE_DESCRIPTION("KUnit suite of the NUMA balancing scan policies");
MODULE_LICENSE("GPL");
