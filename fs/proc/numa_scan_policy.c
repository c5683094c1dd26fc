// SPDX-License-Identifier: GPL-2.0
/*
 * /proc/PID/numa_scan_policy: the NUMA-balancing scan policy that a process has of its own.
 */
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/numa_policy.h>
#include <linux/sched/task.h>
#include <linux/seq_file.h>

#include "internal.h"

static int numa_scan_policy_show(struct seq_file *m, void *v)
{
	struct task_struct *task = get_proc_task(m->private);

	if (!task)
		return -ESRCH;
	seq_printf(m, "%s\n", numa_policy_process_name(task));
	put_task_struct(task);
	return 0;
}

static int numa_scan_policy_open(struct inode *inode, struct file *file)
{
	return single_open(file, numa_scan_policy_show, inode);
}

static ssize_t numa_scan_policy_write(struct file *file, const char __user *ubuf, size_t count,
				      loff_t *pos)
{
	char buf[NUMA_POLICY_NAME_BUF], *name = numa_policy_copy_name(buf, ubuf, count);
	struct task_struct *task;
	int err;

	if (IS_ERR(name))
		return PTR_ERR(name);
	task = get_proc_task(file_inode(file));
	if (!task)
		return -ESRCH;
	err = numa_policy_set_process(task, name);
	put_task_struct(task);
	return err ?: count;
}

const struct file_operations proc_pid_numa_scan_policy_operations = {
	.open = numa_scan_policy_open,
	.read = seq_read,
	.write = numa_scan_policy_write,
	.llseek = seq_lseek,
	.release = single_release,
};
