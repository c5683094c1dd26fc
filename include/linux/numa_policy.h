/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Scan policies for NUMA balancing: should this task scan this VMA now?
 *
 * Not to be confused with memory policies (<linux/mempolicy.h>), which say where pages go.
 */
#ifndef _LINUX_NUMA_POLICY_H
#define _LINUX_NUMA_POLICY_H

#include <linux/build_bug.h>
#include <linux/compiler.h>
#include <linux/jiffies.h>
#include <linux/numa_policy_state.h>

struct mm_struct;
struct task_struct;
struct vm_area_struct;

/* Bytes of a policy's name at most, with the NUL; what trace events have room for. */
#define NUMA_POLICY_NAME_MAX 16

/* What a process is said to have that follows the system's policy: no policy may be called that. */
#define NUMA_POLICY_NAME_DEFAULT "default"

/* Four windows and the rest still come from the slab cache that two windows came from. */
static_assert(NUMA_POLICY_WINDOWS >= 2 && NUMA_POLICY_WINDOWS <= 8);
static_assert(NUMA_POLICY_WINDOWS > 4 || sizeof(struct vma_numab_state) <= 64);

/**
 * enum numa_policy_reason - why a VMA is scanned, or that it is not
 * @NUMA_POLICY_SKIP: no rule said yes; the only value that is false
 * @NUMA_POLICY_ALWAYS: the policy scans everything
 * @NUMA_POLICY_INITIAL: one of the first two sequences since the VMA's state was made
 * @NUMA_POLICY_INITIAL_MM: one of the first two sequences of the mm
 * @NUMA_POLICY_PID: the current task accessed the VMA recently
 * @NUMA_POLICY_PARTIAL: an earlier pass stopped inside the VMA
 * @NUMA_POLICY_SEQ_DELTA: more sequences than the process has threads passed since the last scan
 * @NUMA_POLICY_HOT: some task accessed the VMA in the current window
 * @NUMA_POLICY_SHARED: enough different tasks accessed the VMA in the windows
 * @NR_NUMA_POLICY_REASONS: how many there are
 */
enum numa_policy_reason {
	NUMA_POLICY_SKIP,
	NUMA_POLICY_ALWAYS,
	NUMA_POLICY_INITIAL,
	NUMA_POLICY_INITIAL_MM,
	NUMA_POLICY_PID,
	NUMA_POLICY_PARTIAL,
	NUMA_POLICY_SEQ_DELTA,
	NUMA_POLICY_HOT,
	NUMA_POLICY_SHARED,
	NR_NUMA_POLICY_REASONS
};

/* How traces and tools spell the reasons: X(symbol without NUMA_POLICY_, text) of each. */
#define NUMA_POLICY_REASON_TEXTS(X)	\
	X(SKIP,		"skip")		\
	X(ALWAYS,	"always")	\
	X(INITIAL,	"initial")	\
	X(INITIAL_MM,	"initial_mm")	\
	X(PID,		"pid")		\
	X(PARTIAL,	"partial")	\
	X(SEQ_DELTA,	"seq_delta")	\
	X(HOT,		"hot")		\
	X(SHARED,	"shared")

/**
 * struct numa_policy_snapshot - everything that a decision may look at
 * @state: the VMA's state; hinting faults may set bits in its current window meanwhile
 * @scan_offset: the address at which the mm's scan goes on
 * @vma_start: the VMA's first address
 * @pid: PID of the task that would scan
 * @scan_seq: the mm's scan sequence; any int, it wraps
 * @nr_threads: threads in that task's process, 1 or more
 */
struct numa_policy_snapshot {
	const struct vma_numab_state *state;
	unsigned long scan_offset;
	unsigned long vma_start;
	unsigned int pid;
	int scan_seq;
	int nr_threads;
};

/**
 * struct numa_policy_ops - a scan policy, as DEFINE_NUMA_POLICY() makes it
 * @decide_vma: Required. Say whether the current task should scan the VMA now, and by which rule.
 *	Called once per VMA and pass from task_numa_work(), in process context with the mmap lock
 *	held for reading, for VMAs that are suitable, past their scan delay and not yet finished
 *	in this sequence. Must not write, sleep or look at anything but what makes up a snapshot,
 *	which is not gathered first, but read where and when it is needed.
 *	Not there in kernels without a scan loop, which have the policies for their tests only.
 * @decide: The same of a snapshot, for those who look on: unit tests, other policies' shadows,
 *	user space. NULL in kernels that have neither tests, statistics nor trace events of scan
 *	policies.
 * @name: Required. How the boot parameter, the log and the traces call it; of lower-case letters,
 *	digits and underscores.
 * @index: the policy's place in the table
 * @windows: how many of the newest windows it looks at, 0 to NUMA_POLICY_WINDOWS
 * @no_forced_pass: when a pass ends with a VMA refused, do not go round again to scan one
 *	refused VMA regardless, as kernels before v6.7 did not
 */
struct numa_policy_ops {
#ifdef CONFIG_NUMA_BALANCING
	enum numa_policy_reason (*decide_vma)(const struct mm_struct *mm,
					      const struct vm_area_struct *vma);
#endif
	enum numa_policy_reason (*decide)(const struct numa_policy_snapshot *snap);
	const char *name;
	unsigned char index;
	unsigned char windows;
	bool no_forced_pass;
};

/**
 * numa_policy_init_state() - fill in the state of a VMA that a pass meets for the first time
 * @state: the new state, zeroed
 * @scan_seq: the mm's scan sequence
 * @now: jiffies at the start of the pass
 * @delay: scan delay of a new VMA, in jiffies
 * @period: length of a window, in jiffies
 */
static inline void numa_policy_init_state(struct vma_numab_state *state, int scan_seq,
					  unsigned long now, unsigned long delay,
					  unsigned long period)
{
	WRITE_ONCE(state->start_scan_seq, scan_seq);
	WRITE_ONCE(state->next_scan, now + delay);
	WRITE_ONCE(state->pids_active_reset, now + delay + period);

	/* Anything but the present sequence, which would mean that the VMA is finished. */
	WRITE_ONCE(state->prev_scan_seq, (int)((unsigned int)scan_seq - 1));
}

/**
 * numa_policy_window_over() - whether it is time to move the windows
 * @state: the VMA's state
 * @scan_seq: the mm's scan sequence; in the very first, nothing ages
 * @now: jiffies
 *
 * Return: true if numa_policy_move_windows() is due.
 */
static inline bool numa_policy_window_over(const struct vma_numab_state *state, int scan_seq,
					   unsigned long now)
{
	/* Another pass of the same mm may move them just now. */
	return scan_seq && time_after(now, data_race(state->pids_active_reset));
}

/**
 * numa_policy_move_windows() - move the windows by one
 * @state: the VMA's state
 * @period: length of a window, in jiffies
 *
 * If two passes meet here, the windows or the clock may move once more or less than due.
 */
static inline void numa_policy_move_windows(struct vma_numab_state *state, unsigned long period)
{
	int i;

	data_race(state->pids_active_reset += period);
	for (i = NUMA_POLICY_WINDOWS - 1; i > 0; i--)
		WRITE_ONCE(state->pids_active[i], READ_ONCE(state->pids_active[i - 1]));
	WRITE_ONCE(state->pids_active[0], 0);
}

/**
 * numa_policy_age() - move the windows by one if their time is over
 * @state: the VMA's state
 * @scan_seq: the mm's scan sequence; in the very first, nothing ages
 * @now: jiffies
 * @period: length of a window, in jiffies; where it has to be worked out first, as in the scan
 *	loop, the two functions above are asked one by one
 *
 * One step per call, however late: after a long sleep each pass moves the windows once until the
 * clock is caught up. The policies' published behaviour depends on it.
 */
static inline void numa_policy_age(struct vma_numab_state *state, int scan_seq,
				   unsigned long now, unsigned long period)
{
	if (numa_policy_window_over(state, scan_seq, now))
		numa_policy_move_windows(state, period);
}

#ifdef CONFIG_NUMA_POLICY_SWITCH
/* A name as it is written to a file: with a newline, and the NUL. */
#define NUMA_POLICY_NAME_BUF (NUMA_POLICY_NAME_MAX + 1)

char *numa_policy_copy_name(char *buf, const char __user *ubuf, size_t count);
int numa_policy_set_process(struct task_struct *task, const char *name);
const char *numa_policy_process_name(struct task_struct *task);
#endif

#endif /* _LINUX_NUMA_POLICY_H */
