// SPDX-License-Identifier: GPL-2.0
/*
 * What init does for the plugin that counts memory accesses (tools/numa_policy/traffic/).
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/mempolicy.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../traffic/marks.h"
#include "guest.h"
#include "records.h"
#include "traffic.h"

/* A page of a node, at the address that tells where it is; NULL after an error record. */
static void *known_page(const struct np_node *node)
{
	const unsigned long mask = 1UL << node->id;
	unsigned long addr, phys;
	void *p, *q;

	p = mmap(NULL, NP_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED ||
	    syscall(SYS_mbind, p, NP_PAGE, MPOL_BIND, &mask, NP_NODES_MAX + 1, 0)) {
		np_rec_error("traffic: no memory of node %d: %s", node->id, strerror(errno));
		return NULL;
	}
	np_touch(p);
	phys = np_phys(p);
	if (!phys || phys >> NP_CAL_NODE_SHIFT) {
		np_rec_error("traffic: cannot tell where a page of node %d is", node->id);
		return NULL;
	}
	addr = NP_CAL_WINDOW | (unsigned long)node->id << NP_CAL_NODE_SHIFT | phys;
	q = mremap(p, NP_PAGE, NP_PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, (void *)addr);
	if (q == MAP_FAILED) {
		np_rec_error("traffic: mremap: %s", strerror(errno));
		return NULL;
	}
	return q;
}

/**
 * np_phys() - where a page of the calling process is
 * @p: an address in the page
 *
 * Return: the page's physical address; 0 if it has none, or that cannot be told.
 */
unsigned long np_phys(const void *p)
{
	int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	unsigned long entry = 0;
	ssize_t n;

	n = pread(fd, &entry, sizeof(entry), (unsigned long)p / NP_PAGE * sizeof(entry));
	if (fd >= 0)
		close(fd);
	if (n != sizeof(entry) || !(entry >> 63))
		return 0;
	return (entry & ((1UL << 55) - 1)) * NP_PAGE;
}

/**
 * np_traffic_start() - touch known pages for the plugin, then have it count
 *
 * To be called by init, before the workload starts.
 *
 * Return: 0, or -1 after an error record.
 */
int np_traffic_start(void)
{
	void *page[NP_NODES_MAX];
	int i, j, n = 0;

	for (i = 0; i < guest.nnodes; i++) {
		if (!guest.node[i].mem_kb)
			continue;
		page[n] = known_page(&guest.node[i]);
		if (!page[n])
			return -1;
		n++;
	}
	np_mark(NP_MARK_CALIBRATE);
	for (i = 0; i < n; i++)
		for (j = 0; j < NP_CAL_ACCESSES; j++)
			np_touch(page[i]);
	np_mark(NP_MARK_CALIBRATED);
	for (i = 0; i < n; i++)
		munmap(page[i], NP_PAGE);
	np_mark(NP_MARK_START);
	return 0;
}
