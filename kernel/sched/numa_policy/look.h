/* SPDX-License-Identifier: GPL-2.0 */
/*
 * From a live VMA to what decisions are based on.
 */
#ifndef _NUMA_POLICY_LOOK_H
#define _NUMA_POLICY_LOOK_H

#ifdef CONFIG_NUMA_BALANCING
#include <linux/mm_types.h>
#include <linux/numa_policy.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>

/**
 * numa_policy_look() - what there is to decide on, for the current task and a live VMA
 * @snap: filled in
 * @mm: the task's mm; the mmap lock is held for reading
 * @vma: one of its VMAs, which has a state
 *
 * Another pass of the same mm may move the offset, and threads may come and go: marked as a race
 * that is meant, as are the reads of the state by the rules.
 */
static __always_inline void numa_policy_look(struct numa_policy_snapshot *snap,
					     const struct mm_struct *mm,
					     const struct vm_area_struct *vma)
{
	/* First, so that the others can be read as late as they are needed. */
	snap->scan_seq = READ_ONCE(mm->numa_scan_seq);
	snap->state = data_race(vma->numab_state);
	snap->scan_offset = data_race(mm->numa_scan_offset);
	snap->vma_start = vma->vm_start;
	snap->pid = current->pid;
	snap->nr_threads = data_race(get_nr_threads(current));
}
#endif

#endif /* _NUMA_POLICY_LOOK_H */
