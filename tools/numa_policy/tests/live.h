/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the player of histories checks beside the histories: switching, processes' own policies,
 * statistics and shadows. Part of histories.c, which includes it.
 */

/* ---- statistics: everything that was asked is counted a second time here ---- */

#ifdef CONFIG_NUMA_POLICY_STATS
static unsigned long counted[NR_NUMA_POLICIES][NR_NUMA_POLICY_COUNTS];
static unsigned long counted_pages[NR_NUMA_POLICIES][NR_NUMA_POLICY_COUNTS];

/* By policy, what it said, other policy, what that would have said. */
static unsigned long shadowed[NR_NUMA_POLICIES][NR_NUMA_POLICY_REASONS][NR_NUMA_POLICIES]
			     [NR_NUMA_POLICY_REASONS];

/* How many allocations succeed from now on; negative: all. */
static int allocs = -1;

bool np_may_alloc(void)
{
	return allocs < 0 || (allocs && allocs--);
}

static void count(const struct numa_policy_snapshot *snap, unsigned int reason, bool shadow)
{
	unsigned int p = asked_policy()->index;

	numa_policy_set_shadow(shadow);
	counted[p][reason]++;
	for (unsigned int q = 0; shadow && q < NR_NUMA_POLICIES; q++)
		if (numa_policies[q] && q != p)
			shadowed[p][reason][q][numa_policies[q]->decide(snap)]++;
}

static int lines;
static bool lines_right;
static char lines_text[200000];

/* Have the file's text made, and its head looked at. */
static void show_file(int (*show)(struct seq_file *m), const char *head)
{
	struct seq_file m = { .out = fmemopen(lines_text, sizeof(lines_text), "w") };

	lines = 0;
	lines_right = !show(&m) && !fclose(m.out) && !strncmp(lines_text, head, strlen(head));
	for (const char *s = lines_text; (s = strchr(s, '\n')); s++)
		lines++;
}

/* Is there a line with these words, which may be any blanks apart? */
static bool has_line(const char *words)
{
	char text[200], *t = text;
	static char squeezed[sizeof(lines_text)];
	char *q = squeezed;

	for (const char *s = lines_text; *s; s++)
		if (*s != ' ' || (s > lines_text && s[-1] != ' '))
			*q++ = *s;
	*q = '\0';
	snprintf(text, sizeof(text), "\n%s\n", words);
	return strstr(squeezed, t);
}

static const char *reason_text(unsigned int r)
{
#define NP_TEXT(_sym, _text) [NUMA_POLICY_##_sym] = _text,
	static const char * const texts[] = {
		NUMA_POLICY_REASON_TEXTS(NP_TEXT)
		[NUMA_POLICY_FORCED] = "forced",
	};

	return texts[r];
}

static bool stats_right(void)
{
	int n = 1;

	show_file(numa_policy_show_stats, "policy ");
	for (unsigned int p = 0; p < NR_NUMA_POLICIES; p++)
		for (unsigned int r = 0; r < NR_NUMA_POLICY_COUNTS; r++) {
			char words[100];

			if (!counted[p][r] && !counted_pages[p][r])
				continue;
			n++;
			snprintf(words, sizeof(words), "%s %s %lu %lu", numa_history_policy_name(p),
				 reason_text(r), counted[p][r], counted_pages[p][r]);
			lines_right &= has_line(words);
		}
	return lines_right && n == lines;
}

static bool cell_right(unsigned int p, const char *says, unsigned int q, const char *other,
		       unsigned long count, int *n)
{
	char words[100];

	if (!count)
		return true;
	++*n;
	snprintf(words, sizeof(words), "%s %s %s %s %lu", numa_history_policy_name(p), says,
		 numa_history_policy_name(q), other, count);
	return has_line(words);
}

static bool pair_right(unsigned int p, unsigned int q, int *n)
{
	unsigned long both_skip = shadowed[p][NUMA_POLICY_SKIP][q][NUMA_POLICY_SKIP], both_scan = 0;
	bool right = cell_right(p, "skip", q, "skip", both_skip, n);

	for (unsigned int r = 1; r < NR_NUMA_POLICY_REASONS; r++) {
		right &= cell_right(p, "skip", q, reason_text(r), shadowed[p][0][q][r], n);
		right &= cell_right(p, reason_text(r), q, "skip", shadowed[p][r][q][0], n);
		for (unsigned int s = 1; s < NR_NUMA_POLICY_REASONS; s++)
			both_scan += shadowed[p][r][q][s];
	}
	return right & cell_right(p, "scan", q, "scan", both_scan, n);
}

static bool shadow_right(void)
{
	int n = 1;

	show_file(numa_policy_show_shadow, "policy ");
	for (unsigned int p = 0; p < NR_NUMA_POLICIES; p++)
		for (unsigned int q = 0; q < NR_NUMA_POLICIES; q++)
			lines_right &= pair_right(p, q, &n);
	return lines_right && n == lines;
}

/* Before anything was asked. */
static void no_stats(void)
{
	const struct vma_numab_state fresh = { .start_scan_seq = 100, .prev_scan_seq = 99 };
	const struct numa_policy_snapshot shown = {
		.state = &fresh, .vma_start = 0x10000, .pid = 1001, .scan_seq = 100,
		.nr_threads = 1,
	};
	const struct numa_policy_ops *policy = numa_policy_in_force;

	for (int i = 0; i < 2; i++) {
		allocs = i;
		expect(numa_policy_set_shadow(true) == -ENOMEM && !numa_policy_get_shadow() &&
		       !numa_policy_shadow_counts && !shadow_base,
		       "without memory after %d pieces, shadow stays off", i);
	}
	allocs = 0;
	expect(numa_policy_show_stats(NULL) == -ENOMEM && numa_policy_show_shadow(NULL) == -ENOMEM,
	       "without memory, nothing is shown");
	allocs = -1;
	expect(numa_policy_shadow(policy, &shown) == policy->decide(&shown),
	       "without counters, the policy in force decides all the same");
	numa_policy_reset_shadow();
	expect(!numa_policy_set_shadow(false) && !numa_policy_get_shadow(), "shadow can be off");
	expect(stats_right() && lines == 1, "nothing was counted yet");
	expect(shadow_right() && lines == 1, "nothing was shadowed yet");
}

static void all_stats(void)
{
	struct vma_numab_state state = { .start_scan_seq = 100, .prev_scan_seq = 99 };
	const struct numa_policy_snapshot snap = {
		.state = &state, .scan_offset = 0x20000, .vma_start = 0x10000, .pid = 1001,
		.scan_seq = 100, .nr_threads = 1,
	};
	struct numa_policy_pass pass = numa_policy_begin_pass();
	unsigned int p = pass.policy->index, reason = pass.policy->decide(&snap);

	expect(stats_right() && lines > 1, "decisions were counted as they were taken");
	expect(shadow_right() && (lines > 1) == (NR_NUMA_POLICIES_BUILT > 1),
	       "what others would have said was counted");

	count(&snap, reason, true);
	expect(numa_policy_get_shadow(), "shadow can be on");
	count(&snap, reason, false);
	look(&snap);
	numa_policy_set_shadow(false);
	numa_policy_should_scan(&pass, &mm, &vma);
	numa_policy_set_shadow(true);
	numa_policy_should_scan(&pass, &mm, &vma);
	numa_policy_set_shadow(false);
	numa_policy_scanned(&pass, 70, false);
	numa_policy_scanned(&pass, 7, false);
	counted_pages[p][reason] += 77;
	expect(stats_right(), "pages count for the decision that led to them");
	numa_policy_scanned(&pass, 500, true);
	numa_policy_scanned(&pass, 55, true);
	counted[p][NUMA_POLICY_FORCED]++;
	counted_pages[p][NUMA_POLICY_FORCED] += 555;
	expect(stats_right(), "pages of a forced pass count for it, and that it was one, once");

	numa_policy_reset_stats();
	memset(counted, 0, sizeof(counted));
	memset(counted_pages, 0, sizeof(counted_pages));
	expect(stats_right() && lines == 1, "decisions can be reset");
	numa_policy_scanned(&pass, 9, true);
	counted_pages[p][NUMA_POLICY_FORCED] = 9;
	expect(stats_right() && lines == 2, "pages of a decision before that are shown");
	numa_policy_reset_stats();
	memset(counted_pages, 0, sizeof(counted_pages));
	expect(shadow_right() && (lines > 1) == (NR_NUMA_POLICIES_BUILT > 1),
	       "which leaves the shadows");
	numa_policy_reset_shadow();
	memset(shadowed, 0, sizeof(shadowed));
	expect(shadow_right() && lines == 1, "shadows can be reset");
	count(&snap, reason, true);
	numa_policy_should_scan(&pass, &mm, &vma);
	expect(stats_right() && shadow_right() && lines > 1 - (NR_NUMA_POLICIES_BUILT == 1),
	       "then it is counted on");

	/* Where memory is weakly ordered, a count may be seen before the total that has it. */
	for (unsigned int q = 0; q < NR_NUMA_POLICIES; q++)
		numa_policy_shadow_counts->row[p][true].differs[q][NUMA_POLICY_INITIAL] += 1000;
	show_file(numa_policy_show_shadow, "policy ");
	expect(!strstr(lines_text, "1844674") && !strstr(lines_text, "42949"),
	       "no count is shown as less than none");
}
#else
static void count(const struct numa_policy_snapshot *snap, unsigned int reason, bool shadow)
{
}

static void no_stats(void)
{
}

static void all_stats(void)
{
}
#endif

/* ---- switching ---- */

#ifdef CONFIG_NUMA_POLICY_SWITCH
static bool may_look = true;
static int security_says;

bool ptrace_may_access(struct task_struct *t, unsigned int mode)
{
	return may_look && t == &task && mode == PTRACE_MODE_READ_FSCREDS;
}

int security_task_setscheduler(struct task_struct *t)
{
	return t == &task ? security_says : -EFAULT;
}

/* Does a pass answer as the policy does, along states that tell policies apart? */
static bool answers(struct numa_policy_pass *pass, const struct numa_policy_ops *policy)
{
	unsigned int i;

	for (i = 0; i < 64; i++) {
		struct vma_numab_state state = {
			.pids_active = { i & 1, i & 2 ? ~0UL : 0 },
			.start_scan_seq = i & 4 ? 99 : 50,
			.prev_scan_seq = i & 8 ? 99 : 50,
		};
		const struct numa_policy_snapshot snap = {
			.state = &state, .scan_offset = i & 16 ? 0x20000 : 0x10000,
			.vma_start = 0x10000, .pid = 1001, .scan_seq = i & 32 ? 1 : 100,
			.nr_threads = 1,
		};
		unsigned int reason = policy->decide(&snap);

		look(&snap);
		count(&snap, reason, false);
		if (pass->policy != policy ||
		    numa_policy_should_scan(pass, &mm, &vma) != (reason != NUMA_POLICY_SKIP))
			return false;
	}
	return true;
}

/* From this policy to each other, and to the policy itself. */
static void switch_from(const struct numa_policy_ops *old)
{
	for (size_t i = 0; i < ARRAY_SIZE(numa_policies); i++) {
		const struct numa_policy_ops *new = numa_policies[i];
		struct numa_policy_pass before, pass;
		bool right;

		if (!new)
			continue;
		tracing = false;
		numa_policy_switch(old);
		before = numa_policy_begin_pass();
		right = answers(&before, old);

		/* As another CPU sees it in the middle of the switch. */
		numa_policy_called = NULL;
		right &= answers(&before, old);
		numa_policy_called = old;

		numa_policy_switch(new);
		pass = numa_policy_begin_pass();
		expect(right && in_force(new->name) && numa_policy_called == new &&
		       answers(&pass, new), "from %s to %s: the next pass asks the new one",
		       old->name, new->name);
#ifdef CONFIG_NUMA_POLICY_STATS
		/* Its counts are the old policy's, too. */
		expect(before.counts == &numa_policy_stats.policy[old->index],
		       "from %s to %s: a pass that began before counts for the old one", old->name,
		       new->name);
#endif
		right = before.policy == old;
		if (right) {
			struct numa_policy_pass now = numa_policy_begin_pass();

			/* count() counts for the policy of a new pass: make that the old one. */
			process.numa_scan_policy = old;
			right = answers(&before, old);
			process.numa_scan_policy = NULL;
			right &= now.policy == new;
		}
		expect(right, "from %s to %s: a pass that began before goes on with the old one",
		       old->name, new->name);
	}
}

static bool own(const char *name)
{
	return !strcmp(numa_policy_process_name(&task), name);
}

/* The process has the policy of its own, whatever the system's is. */
static void give_process(const struct numa_policy_ops *policy)
{
	for (size_t i = 0; i < ARRAY_SIZE(numa_policies); i++) {
		struct numa_policy_pass pass;
		bool right;

		if (!numa_policies[i])
			continue;
		numa_policy_switch(numa_policies[i]);
		right = !numa_policy_set_process(&task, policy->name) && own(policy->name);
		pass = numa_policy_begin_pass();
		right &= answers(&pass, policy) && in_force(numa_policies[i]->name);
		expect(right, "a process with %s asks that under %s", policy->name,
		       numa_policies[i]->name);
		right = !numa_policy_set_process(&task, "default") && own("default");
		pass = numa_policy_begin_pass();
		expect(right && answers(&pass, numa_policies[i]), "and without it the system's");
	}
}

static void refuse_process(const struct numa_policy_ops *policy)
{
	const char *name = policy->name;

	task.flags = PF_KTHREAD;
	expect(numa_policy_set_process(&task, name) == -EINVAL && own("default"),
	       "a kernel thread has no policy");
	task.flags = 0;
	expect(numa_policy_set_process(&task, "nonsense") == -EINVAL && own("default"),
	       "an unknown policy is refused to a process that has none");
	expect(!numa_policy_set_process(&task, name) && own(name) &&
	       numa_policy_set_process(&task, "") == -EINVAL && own(name),
	       "and to one that has %s", name);
	may_look = false;
	security_says = -EACCES;
	expect(numa_policy_set_process(&task, "default") == -EPERM && own(name),
	       "which is asked first");
	security_says = 0;
	expect(numa_policy_set_process(&task, "default") == -EPERM && own(name),
	       "who may not look into a process cannot change it");
	may_look = true;
	security_says = -EACCES;
	expect(numa_policy_set_process(&task, "default") == -EACCES && own(name),
	       "a security module has its say");
	security_says = 0;
	expect(!numa_policy_set_process(&task, "default") && own("default"), "and then it is done");
}

static bool copies(const char *written, const char *name)
{
	char buf[NUMA_POLICY_NAME_BUF];
	const char *copy = numa_policy_copy_name(buf, written, strlen(written));

	return !strcmp(copy, name);
}

/* Names as they are written to files. */
static void copy_names(void)
{
	char buf[NUMA_POLICY_NAME_BUF];

	expect(copies("always", "always") && copies("always\n", "always") &&
	       copies(" always \n", "always") && copies("", "") && copies("\n", ""),
	       "a name may have blanks at either end");
	expect(copies("fifteen_letters\n", "fifteen_letters"), "the longest has a newline");
	expect(numa_policy_copy_name(buf, "seventeen_letters", 17) == ERR_PTR(-EINVAL),
	       "one more letter is refused");
	expect(numa_policy_copy_name(buf, "always\0", 7) == ERR_PTR(-EINVAL) &&
	       numa_policy_copy_name(buf, "always\0a", 8) == ERR_PTR(-EINVAL),
	       "so is a name with a NUL in it");
	expect(numa_policy_copy_name(buf, NULL, 3) == ERR_PTR(-EFAULT), "as is what is not there");
}

static void switching(const struct numa_policy_ops *policy)
{
	copy_names();
	switch_from(policy);
	give_process(policy);
	refuse_process(policy);
	numa_policy_switch(policy);
}

/* The histories again, under a policy of the process's own. */
static void play_own(unsigned int policy, const char *path, const char *text)
{
	for (size_t i = 0; i < ARRAY_SIZE(numa_policies); i++)
		if (numa_policies[i] && i != policy)
			numa_policy_switch(numa_policies[i]);
	numa_policy_set_process(&task, numa_policies[policy]->name);
	play_all(policy, path, text);
	numa_policy_set_process(&task, "default");
	numa_policy_switch(numa_policies[policy]);
}
#else
static void switching(const struct numa_policy_ops *policy)
{
}

static void play_own(unsigned int policy, const char *path, const char *text)
{
}
#endif
