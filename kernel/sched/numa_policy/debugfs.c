// SPDX-License-Identifier: GPL-2.0
/*
 * The scan policies' files in debugfs, beside the other tunables of NUMA balancing:
 * sched/numa_policy/.
 */
#include <linux/debugfs.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/kstrtox.h>
#include <linux/seq_file.h>

#include "in_force.h"
#include "stats.h"

/* What a file shows, and what writing to it does; NULL if it cannot be written. */
struct numa_policy_file {
	const char *name;
	int (*show)(struct seq_file *m);
	int (*write)(const char __user *ubuf, size_t count);
};

static int show_available(struct seq_file *m)
{
	seq_printf(m, "%s\n", numa_policy_names);
	return 0;
}

static int show_policy(struct seq_file *m)
{
	seq_printf(m, "%s\n", READ_ONCE(numa_policy_in_force)->name);
	return 0;
}

#ifdef CONFIG_NUMA_POLICY_SWITCH
static int write_policy(const char __user *ubuf, size_t count)
{
	char buf[NUMA_POLICY_NAME_BUF], *name = numa_policy_copy_name(buf, ubuf, count);
	const struct numa_policy_ops *policy;

	if (IS_ERR(name))
		return PTR_ERR(name);
	policy = numa_policy_find(name);
	if (!policy)
		return -EINVAL;
	numa_policy_switch(policy);
	return 0;
}
#else
#define write_policy NULL
#endif

#ifdef CONFIG_NUMA_POLICY_STATS
static int write_stats(const char __user *ubuf, size_t count)
{
	numa_policy_reset_stats();
	return 0;
}

static int show_shadow(struct seq_file *m)
{
	seq_printf(m, "%d\n", numa_policy_get_shadow());
	return 0;
}

static int write_shadow(const char __user *ubuf, size_t count)
{
	bool on;

	return kstrtobool_from_user(ubuf, count, &on) ?: numa_policy_set_shadow(on);
}

static int write_shadow_matrix(const char __user *ubuf, size_t count)
{
	numa_policy_reset_shadow();
	return 0;
}
#endif

static const struct numa_policy_file numa_policy_files[] = {
	{ "available", show_available },
	{ "policy", show_policy, write_policy },
#ifdef CONFIG_NUMA_POLICY_STATS
	{ "stats", numa_policy_show_stats, write_stats },
	{ "shadow", show_shadow, write_shadow },
	{ "shadow_matrix", numa_policy_show_shadow, write_shadow_matrix },
#endif
};

static int numa_policy_file_show(struct seq_file *m, void *v)
{
	const struct numa_policy_file *f = m->private;

	return f->show(m);
}

static int numa_policy_file_open(struct inode *inode, struct file *file)
{
	return single_open(file, numa_policy_file_show, inode->i_private);
}

static ssize_t numa_policy_file_write(struct file *file, const char __user *ubuf, size_t count,
				      loff_t *pos)
{
	const struct numa_policy_file *f = file_inode(file)->i_private;

	/* Root may write to any file; not all take it. */
	if (!f->write)
		return -EINVAL;
	return f->write(ubuf, count) ?: count;
}

static const struct file_operations numa_policy_fops = {
	.open = numa_policy_file_open,
	.read = seq_read,
	.write = numa_policy_file_write,
	.llseek = seq_lseek,
	.release = single_release,
};

static int __init numa_policy_debugfs(void)
{
	struct dentry *sched = debugfs_lookup("sched", NULL), *dir;
	int i;

	/* The scheduler makes the directory only if it has something to show itself. */
	dir = debugfs_create_dir("numa_policy", sched ?: debugfs_create_dir("sched", NULL));
	dput(sched);
	for (i = 0; i < ARRAY_SIZE(numa_policy_files); i++) {
		const struct numa_policy_file *f = &numa_policy_files[i];

		debugfs_create_file(f->name, f->write ? 0644 : 0444, dir, (void *)f,
				    &numa_policy_fops);
	}
	return 0;
}

/* After the scheduler's own files, which come with late_initcall(). */
late_initcall_sync(numa_policy_debugfs);
