/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NP_LINUX_SCHED_H
#define NP_LINUX_SCHED_H

/* What the scan loop knows, as far as the library looks at it. */
#include <linux/compiler.h>
#include <linux/kernel.h>

struct numa_policy_ops;
struct vma_numab_state;

struct signal_struct {
	const struct numa_policy_ops *numa_scan_policy;
};

#define PF_KTHREAD 0x00200000

struct task_struct {
	unsigned int flags;
	int pid;
	int nr_threads;
	struct signal_struct *signal;
};

struct mm_struct {
	unsigned long numa_scan_offset;
	int numa_scan_seq;
};

struct vm_area_struct {
	unsigned long vm_start;
	unsigned long vm_end;
	struct vma_numab_state *numab_state;
};

extern struct task_struct *current;

static inline int get_nr_threads(const struct task_struct *task)
{
	return task->nr_threads;
}

enum numa_vmaskip_reason {
	NUMAB_SKIP_UNSUITABLE,
	NUMAB_SKIP_IGNORE_PID,
};

void trace_sched_skip_vma_numa(struct mm_struct *mm, struct vm_area_struct *vma,
			       enum numa_vmaskip_reason reason);

#endif /* NP_LINUX_SCHED_H */
