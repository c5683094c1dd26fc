// SPDX-License-Identifier: GPL-2.0
/*
 * Workload "known": every CPU in turn makes a known number of loads and stores to memory of every
 * node in turn, a different one each time. A test holds the plugin's counts against them.
 *
 * Each of these loops is between two marks and does nothing else that touches memory, so that the
 * plugin's counts must grow by exactly what the record says, and by nothing elsewhere.
 */
#include <errno.h>
#include <linux/mempolicy.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../traffic/marks.h"
#include "guest.h"
#include "traffic.h"

#ifdef __x86_64__
/* Loads of 8 bytes, stores of 2, between two marks. */
static void access_known(void *p, unsigned long loads, unsigned long stores)
{
	asm volatile(NP_MARK_ASM
		     "1: mov (%[p]), %%rax\n\t"
		     "dec %[loads]\n\t"
		     "jnz 1b\n\t"
		     "2: movw $1, 8(%[p])\n\t"
		     "dec %[stores]\n\t"
		     "jnz 2b\n\t"
		     NP_MARK_ASM
		     : [loads] "+r" (loads), [stores] "+r" (stores)
		     : [p] "r" (p), [mark] "i" (NP_MARK_MAGIC + NP_MARK_PROBE)
		     : "rax", "cc", "memory");
}
#else
static void access_known(void *p __attribute__((unused)),
			 unsigned long loads __attribute__((unused)),
			 unsigned long stores __attribute__((unused)))
{
	np_fail("the workload 'known' is for x86_64");
}
#endif

/* Memory of a node, all of it there. */
static char *memory_of(const struct np_node *node, size_t len)
{
	const unsigned long mask = 1UL << node->id;
	char *p = np_map(len);
	size_t i;

	if (syscall(SYS_mbind, p, len, MPOL_BIND, &mask, NP_NODES_MAX + 1, 0))
		np_fail("no memory of node %d: %s", node->id, strerror(errno));
	for (i = 0; i < len; i += NP_PAGE)
		np_touch(p + i);
	return p;
}

static void pin_to(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		np_fail("cannot move to CPU %d: %s", cpu, strerror(errno));
}

static void probe(int cpu, const struct np_node *node, char *p)
{
	static unsigned long n;
	unsigned long loads = np_get("accesses") + 1000 * n, stores = loads / 2 + n + 1;
	struct np_buf b = { 0 };

	n++;
	access_known(p, loads, stores);
	np_buf_printf(&b, "{\"type\":\"expect\",\"cpu\":%d,\"node\":%d,\"phys\":%lu,\"loads\":%lu,",
		      cpu, node->id, np_phys(p), loads);
	np_buf_printf(&b, "\"stores\":%lu,\"bytes\":%lu}", stores, 8 * loads + 2 * stores);
	np_record(&b);
}

/* Every node's memory from a CPU; of the first node's, both ends. */
static void probe_all(int cpu, char **memory, size_t len)
{
	int i;

	pin_to(cpu);
	for (i = 0; i < guest.nnodes; i++)
		if (memory[i])
			probe(cpu, &guest.node[i], memory[i]);
	if (len > NP_PAGE)
		probe(cpu, &guest.node[0], memory[0] + len - NP_PAGE);
}

void np_run_known(void)
{
	size_t len = np_get("fill_mb") << 20;
	char *memory[NP_NODES_MAX] = { 0 };
	int i, j;

	len = len ? len : NP_PAGE;
	np_phase("fill", false);
	for (i = 0; i < guest.nnodes; i++)
		if (guest.node[i].mem_kb)
			memory[i] = memory_of(&guest.node[i], i ? NP_PAGE : len);
	np_phase("work", true);
	for (i = 0; i < guest.nnodes; i++)
		for (j = 0; j < guest.node[i].ncpus; j++)
			probe_all(guest.node[i].cpus[j], memory, len);
	np_done();
}
