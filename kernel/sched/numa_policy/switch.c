// SPDX-License-Identifier: GPL-2.0
/*
 * Changing the scan policy of a running system, and giving a process one of its own.
 *
 * The state that VMAs keep is the same under every policy, so nothing has to be converted and no
 * pass be waited for: a pass goes on with the policy that it began with.
 */
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/mutex.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/security.h>
#include <linux/static_call.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "in_force.h"

static DEFINE_MUTEX(numa_policy_mutex);

/**
 * numa_policy_switch() - change the policy of the system
 * @policy: the new one
 *
 * Passes that began before go on with the policy they began with, by way of
 * numa_policy_decide_named(); new ones see the new policy once this returns. A pass that is
 * preempted between its look at numa_policy_called and the call may get a single decision of the
 * new policy: it was not worth a wait for all tasks.
 *
 * Context: may sleep.
 */
void numa_policy_switch(const struct numa_policy_ops *policy)
{
	mutex_lock(&numa_policy_mutex);
	if (policy != numa_policy_in_force) {
		WRITE_ONCE(numa_policy_called, NULL);
		static_call_update(numa_policy_decide_vma, policy->decide_vma);
		WRITE_ONCE(numa_policy_in_force, policy);
		/* Who sees the policy sees the call to it. */
		smp_store_release(&numa_policy_called, policy);
	}
	mutex_unlock(&numa_policy_mutex);
}

/**
 * numa_policy_copy_name() - take over the name of a policy that was written to a file
 * @buf: where it goes; NUMA_POLICY_NAME_BUF bytes
 * @ubuf: what was written
 * @count: bytes of it
 *
 * Return: the name, in @buf, without blanks at either end; or -EINVAL if it is too long for one or
 * has a NUL in it, or -EFAULT, as a pointer.
 */
char *numa_policy_copy_name(char *buf, const char __user *ubuf, size_t count)
{
	if (count >= NUMA_POLICY_NAME_BUF)
		return ERR_PTR(-EINVAL);
	if (copy_from_user(buf, ubuf, count))
		return ERR_PTR(-EFAULT);
	buf[count] = '\0';
	if (strlen(buf) != count)
		return ERR_PTR(-EINVAL);
	return strim(buf);
}

/**
 * numa_policy_set_process() - give a process a policy of its own, or take it away
 * @task: one of its tasks, on which the caller has a reference
 * @name: the policy's name; NUMA_POLICY_NAME_DEFAULT: it is to follow the system's
 *
 * Counts from each task's next pass on, and for the processes that it forks from now on; those it
 * forked before keep what they have. Not changed by execve().
 *
 * As for migrate_pages(2), the caller must be allowed to look into the process; as for
 * sched_setattr(2), a security module has a say.
 *
 * Return: 0, -EINVAL if no policy of that name is built or the task is a kernel thread, -EPERM, or
 * what the security module said.
 */
int numa_policy_set_process(struct task_struct *task, const char *name)
{
	const struct numa_policy_ops *policy = NULL;
	int err;

	if (strcmp(name, NUMA_POLICY_NAME_DEFAULT)) {
		policy = numa_policy_find(name);
		if (!policy)
			return -EINVAL;
	}
	/* Kernel threads are not scanned, and what kthreadd starts would inherit it. */
	if (task->flags & PF_KTHREAD)
		return -EINVAL;
	if (!ptrace_may_access(task, PTRACE_MODE_READ_FSCREDS))
		return -EPERM;
	err = security_task_setscheduler(task);
	if (err)
		return err;
	WRITE_ONCE(task->signal->numa_scan_policy, policy);
	return 0;
}

/**
 * numa_policy_process_name() - which policy a process has of its own
 * @task: one of its tasks, on which the caller has a reference
 *
 * Return: the policy's name, or NUMA_POLICY_NAME_DEFAULT if it follows the system's.
 */
const char *numa_policy_process_name(struct task_struct *task)
{
	const struct numa_policy_ops *policy = READ_ONCE(task->signal->numa_scan_policy);

	return policy ? policy->name : NUMA_POLICY_NAME_DEFAULT;
}
