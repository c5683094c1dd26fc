// SPDX-License-Identifier: GPL-2.0
/*
 * Where the workload's memory is, read from outside of it.
 *
 * /proc/PID/pagemap gives the page frame of every page, and the nodes' zones say which node
 * a frame belongs to. That takes a few instructions a page, so that all pages are looked at,
 * every time. At the end of a run the kernel's own account (/proc/PID/numa_maps) must agree.
 *
 * While somebody reads its pagemap a process looks as if it had one more user, and the
 * kernel treats the local pages of a process with a single user differently. So a process
 * with a single thread is read from that thread's CPU with real-time priority: the thread
 * cannot scan meanwhile.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "guest.h"
#include "locality.h"
#include "records.h"

#define PM_PRESENT 0x8000000000000000UL
#define PM_SWAP 0x4000000000000000UL
#define PM_FRAME 0x7fffffffffffffUL

/* Frames of a zone of a node, or of a block of memory. */
struct range {
	unsigned long start;
	unsigned long end;
	int node;
};

static struct range *ranges;
static int nranges;

/* The frame that stands in for memory that was only read. */
static unsigned long zero_frame;

/* An open pagemap; processes are few. */
struct pagemap {
	int pid;
	int fd;
	int threads;
	int cpu;
};

static struct pagemap *maps;
static int nmaps;

static int by_start(const void *a, const void *b)
{
	const struct range *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

/* Read a fresh page, and see which frame is there. */
static void find_zero_frame(void)
{
	volatile char *p = mmap(NULL, NP_PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	unsigned long entry = 0;

	if (p != MAP_FAILED && !*p && fd >= 0 &&
	    pread(fd, &entry, sizeof(entry), (uintptr_t)p / NP_PAGE * sizeof(entry)) > 0 &&
	    entry & PM_PRESENT)
		zero_frame = entry & PM_FRAME;
	if (fd >= 0)
		close(fd);
}

static void add_frames(unsigned long start, unsigned long end, int node)
{
	ranges = np_realloc(ranges, (nranges + 1) * sizeof(*ranges));
	ranges[nranges++] = (struct range){ start, end, node };
}

/* Sort the ranges. Returns the first of two that overlap, or -1. */
static int first_overlap(void)
{
	int i;

	qsort(ranges, nranges, sizeof(*ranges), by_start);
	for (i = 0; i + 1 < nranges; i++)
		if (ranges[i + 1].start < ranges[i].end)
			return i;
	return -1;
}

/* The blocks of memory that a node has: each has a link in the node's directory. */
static void add_blocks(int node, unsigned long frames)
{
	char path[64];
	struct dirent *e;
	unsigned long n;
	DIR *dir;

	snprintf(path, sizeof(path), "/sys/devices/system/node/node%d", node);
	dir = opendir(path);
	while (dir && (e = readdir(dir)))
		if (sscanf(e->d_name, "memory%lu", &n) == 1)
			add_frames(n * frames, (n + 1) * frames, node);
	if (dir)
		closedir(dir);
}

/*
 * Zones tell where a node's memory begins and ends. Where that of another node lies in between, as
 * on some large machines, look at blocks of memory. Returns -1 if even a block is on two nodes.
 */
static int use_blocks(void)
{
	struct np_buf b = { 0 };
	unsigned long size = 0;
	int i;

	if (!np_read_file("/sys/devices/system/memory/block_size_bytes", &b))
		size = strtoul(b.s, NULL, 16);
	np_buf_free(&b);
	nranges = 0;
	for (i = 0; size && i < guest.nnodes; i++)
		add_blocks(guest.node[i].id, size / NP_PAGE);
	return nranges && first_overlap() < 0 ? 0 : -1;
}

/**
 * np_locality_init() - learn which page frames belong to which node
 *
 * Return: 0, or -1 after an error record.
 */
int np_locality_init(void)
{
	struct np_buf b = { 0 };
	unsigned long start, spanned = 0;
	int i, n, err, node = -1;
	char **line;

	find_zero_frame();
	err = np_read_file("/proc/zoneinfo", &b);
	if (err) {
		np_rec_error("/proc/zoneinfo: %s", strerror(-err));
		return -1;
	}
	line = np_split(b.s, '\n', &n);
	for (i = 0; i < n; i++) {
		if (sscanf(line[i], "Node %d, zone", &node) == 1)
			spanned = 0;
		else if (sscanf(line[i], " spanned %lu", &spanned) == 1)
			continue;
		else if (sscanf(line[i], " start_pfn: %lu", &start) == 1 && spanned)
			add_frames(start, start + spanned, node);
	}
	np_split_free(line, n);
	np_buf_free(&b);
	if (!nranges) {
		np_rec_error("/proc/zoneinfo names no zone");
		return -1;
	}
	i = first_overlap();
	if (i >= 0) {
		int a = ranges[i].node, c = ranges[i + 1].node;

		if (!use_blocks())
			return 0;
		np_rec_error("memory of nodes %d and %d overlaps", a, c);
		return -1;
	}
	return 0;
}

/* The node of a page frame, or -1. @hint is the range of the last call. */
static int frame_node(unsigned long frame, int *hint)
{
	int lo = 0, hi = nranges;

	if (frame >= ranges[*hint].start && frame < ranges[*hint].end)
		return ranges[*hint].node;
	while (hi - lo > 1) {
		int mid = (lo + hi) / 2;

		if (frame < ranges[mid].start)
			hi = mid;
		else
			lo = mid;
	}
	if (frame < ranges[lo].start || frame >= ranges[lo].end)
		return -1;
	*hint = lo;
	return ranges[lo].node;
}

static struct pagemap *pagemap_of(int pid)
{
	char path[64];
	int i;

	for (i = 0; i < nmaps; i++)
		if (maps[i].pid == pid)
			return &maps[i];
	snprintf(path, sizeof(path), "/proc/%d/pagemap", pid);
	i = open(path, O_RDONLY | O_CLOEXEC);
	if (i < 0) {
		np_rec_error("%s: %s", path, strerror(errno));
		return NULL;
	}
	maps = np_realloc(maps, (nmaps + 1) * sizeof(*maps));
	maps[nmaps] = (struct pagemap){ .pid = pid, .fd = i };
	return &maps[nmaps++];
}

/**
 * np_count_range() - count the pages in a range of addresses of a process
 * @fd: the process's pagemap
 * @start: first byte
 * @end: first byte behind
 * @count: pages per node are added to it, room for NP_NODES_MAX
 * @moving: pages that are in the middle of a migration are added to it
 *
 * The page of zeros that stands in for memory only read so far is not counted.
 *
 * Return: 0, -ESRCH if the process is gone, or another negative errno after an error record.
 */
int np_count_range(int fd, unsigned long start, unsigned long end, long *count, long *moving)
{
	static unsigned long entry[8192];
	unsigned long page = start / NP_PAGE;
	int hint = 0;

	end /= NP_PAGE;
	while (page < end) {
		size_t want = end - page < ARRAY_SIZE(entry) ? end - page : ARRAY_SIZE(entry);
		ssize_t i, got = pread(fd, entry, want * 8, page * 8);

		/* Nothing to read: the process has lost its memory, it is ending or has ended. */
		if (!got)
			return -ESRCH;
		if (got < 0 || got % 8) {
			np_rec_error("pagemap at 0x%lx: %s", page * NP_PAGE,
				     got < 0 ? strerror(errno) : "cut short");
			return -EIO;
		}
		got /= 8;
		for (i = 0; i < got; i++) {
			unsigned long frame = entry[i] & PM_FRAME;
			int node;

			if (entry[i] & PM_SWAP)
				(*moving)++;
			if (!(entry[i] & PM_PRESENT) || frame == zero_frame)
				continue;
			node = frame_node(frame, &hint);
			if (node < 0 || node >= NP_NODES_MAX) {
				np_rec_error("page frame 0x%lx belongs to no node", frame);
				return -EIO;
			}
			count[node]++;
		}
		page += got;
	}
	return 0;
}

/* The same for an area. */
static int count_area(const struct np_area *a, long *count, long *moving)
{
	struct pagemap *m = pagemap_of(a->pid);

	if (!m)
		return -EIO;
	return np_count_range(m->fd, a->start, a->start + a->len, count, moving);
}

/* Run where this process's only thread runs, or anywhere if it has several. */
static void sit_with(const struct pagemap *m)
{
	cpu_set_t set;
	int i;

	CPU_ZERO(&set);
	if (m && m->threads == 1)
		CPU_SET(m->cpu, &set);
	else
		for (i = 0; i < CPU_SETSIZE; i++)
			CPU_SET(i, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

/* Find out how many threads each process has, and where a single one is. */
static int look_at_threads(void)
{
	struct np_table *t = guest.table;
	int i, n = atomic_load(&t->threads);

	for (i = 0; i < nmaps; i++)
		maps[i].threads = 0;
	for (i = 0; i < n; i++) {
		int pid = atomic_load(&t->thread[i].pid);
		struct pagemap *m;

		if (!pid)
			continue;
		m = pagemap_of(pid);
		if (!m)
			return -1;
		m->threads++;
		m->cpu = atomic_load(&t->thread[i].cpu);
	}
	return 0;
}

/*
 * Pages of an area that are where they are touched. Where all threads of a process touch it, they
 * are taken to do so alike: the mean over the threads.
 */
static double local_pages(const struct np_area *a, const long *count)
{
	struct np_table *t = guest.table;
	int i, n = atomic_load(&t->threads), threads = 0;
	long sum = 0;

	if (a->thread != NP_ALL_THREADS)
		return count[atomic_load(&t->thread[a->thread].node)];
	for (i = 0; i < n; i++) {
		if (atomic_load(&t->thread[i].pid) != a->pid)
			continue;
		sum += count[atomic_load(&t->thread[i].node)];
		threads++;
	}
	return threads ? (double)sum / threads : 0;
}

/**
 * np_locality_sample() - count the touched pages and how many are where they are touched
 * @l: the result
 *
 * A page in the middle of a migration counts as touched, not as local.
 *
 * Return: 0, the negative of a process that is gone, or 1 after an error record.
 */
int np_locality_sample(struct np_locality *l)
{
	struct np_table *t = guest.table;
	int i, j, n = atomic_load(&t->areas), last = 0, err = 0;
	double local = 0;

	memset(l, 0, sizeof(*l));
	if (look_at_threads())
		return 1;
	for (i = 0; i < n && !err; i++) {
		long count[NP_NODES_MAX] = { 0 }, moving = 0;
		struct np_area *a = &t->area[i];

		if (!atomic_load(&a->pid))
			continue;
		if (a->pid != last)
			sit_with(pagemap_of(a->pid));
		last = a->pid;
		err = count_area(a, count, &moving);
		for (j = 0; j < NP_NODES_MAX; j++)
			l->pages += count[j];
		l->pages += moving;
		local += local_pages(a, count);
	}
	l->local = local + .5;
	sit_with(NULL);
	return err == -ESRCH ? -last : !!err;
}

/**
 * np_numa_maps_line() - add what a line of numa_maps says
 * @line: the line
 * @count: pages per node, room for NP_NODES_MAX
 */
void np_numa_maps_line(const char *line, long *count)
{
	const char *p = line;
	int node, used;
	long pages;

	while ((p = strchr(p, ' '))) {
		p++;
		if (sscanf(p, "N%d=%ld%n", &node, &pages, &used) == 2 && node >= 0 &&
		    node < NP_NODES_MAX)
			count[node] += pages;
	}
}

/* Compare the kernel's account of a process with ours. The process must stand still. */
static int check_process(int pid)
{
	struct np_table *t = guest.table;
	long ours[NP_NODES_MAX] = { 0 }, theirs[NP_NODES_MAX] = { 0 }, moving = 0;
	int i, j, n, err, areas = atomic_load(&t->areas);
	struct np_buf b = { 0 };
	char path[64], **line;

	snprintf(path, sizeof(path), "/proc/%d/numa_maps", pid);
	err = np_read_file(path, &b);
	if (err) {
		np_rec_error("%s: %s", path, strerror(-err));
		return -1;
	}
	line = np_split(b.s, '\n', &n);
	err = 0;
	for (i = 0; i < n; i++) {
		unsigned long start = strtoull(line[i], NULL, 16), end = ULONG_MAX;
		bool inside = false;

		if (!line[i][0])
			continue;
		if (i + 1 < n && line[i + 1][0])
			end = strtoull(line[i + 1], NULL, 16);
		/* The areas in a VMA cover it; several may share one. */
		for (j = 0; j < areas && !err; j++) {
			const struct np_area *a = &t->area[j];

			if (a->pid != pid || a->start < start || a->start >= end)
				continue;
			inside = true;
			err = count_area(a, ours, &moving);
		}
		if (inside)
			np_numa_maps_line(line[i], theirs);
	}
	np_split_free(line, n);
	np_buf_free(&b);
	for (i = 0; i < NP_NODES_MAX && !err; i++) {
		if (ours[i] == theirs[i])
			continue;
		np_rec_error("process %d: pagemap finds %ld pages on node %d, numa_maps %ld", pid,
			     ours[i], i, theirs[i]);
		err = -1;
	}
	return err;
}

/**
 * np_locality_check() - compare pagemap with numa_maps for all areas
 *
 * The workload's processes are stopped meanwhile.
 *
 * Return: 0, or -1 after an error record.
 */
int np_locality_check(void)
{
	int i, err = look_at_threads();

	for (i = 0; i < nmaps && !err; i++) {
		if (kill(maps[i].pid, SIGSTOP)) {
			np_rec_error("cannot stop process %d: %s", maps[i].pid, strerror(errno));
			return -1;
		}
	}
	for (i = 0; i < nmaps && !err; i++)
		err = check_process(maps[i].pid);
	for (i = 0; i < nmaps; i++)
		kill(maps[i].pid, SIGCONT);
	return err;
}
