// SPDX-License-Identifier: GPL-2.0
/*
 * A plugin of QEMU's emulator: counts loads and stores of user space per vCPU and node.
 *
 *   -plugin numa-policy-traffic.so,out=FILE,nodes=N,range=ADDRESS:BYTES:RAM:NODE[,range=...]
 *
 * Guest and plugin speak through marks (marks.h). At a mark the counters are written to FILE, one
 * line of JSON each time; they only ever grow.
 *
 * Only instructions at user addresses are watched, and of those only accesses to memory. What init
 * does is not counted: the plugin watches the kernel switch tasks, and init's task is the one that
 * executes the mark NP_MARK_START.
 *
 * The node is looked up by the physical address, which QEMU tells in one of two ways: as the guest
 * sees it, or (up to QEMU 8.0) as the place in QEMU's own memory. Init's accesses to pages that it
 * knows decide which. Nothing is remembered about virtual addresses: pages move.
 *
 * Guests run on one thread, so that nothing here needs a lock.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mark-insn.h"

#define NODES_MAX 64
#define RANGES_MAX (2 * NODES_MAX)
#define VCPUS_MAX 64
#define __printf(a, b) __attribute__((__format__(printf, a, b)))
#define KERNEL_HALF (1UL << 63)
#define STACK_INSN_BYTES 7

/* How QEMU tells physical addresses. */
enum scheme {
	SCHEME_GUEST,
	SCHEME_RAM,
	SCHEMES
};

/* A stretch of a node's memory: @start[scheme] is where it begins. */
struct range {
	uint64_t start[SCHEMES];
	uint64_t len;
	unsigned int node;
};

/* What one vCPU did to one node's memory. */
struct count {
	uint64_t loads;
	uint64_t stores;
	uint64_t bytes;
};

/* A vCPU: @task is what it runs, @last where its last access went. */
struct vcpu {
	bool ignored;
	unsigned int last;
	uint64_t task;
	struct count count[NODES_MAX];
};

static const char * const scheme_names[] = { "guest", "ram" };

static const char * const mark_names[NP_MARKS] = {
	[NP_MARK_START] = "start", [NP_MARK_SAMPLE] = "sample", [NP_MARK_MEASURED] = "measured",
	[NP_MARK_END] = "end", [NP_MARK_PROBE] = "probe",
};

static struct vcpu vcpus[VCPUS_MAX];
static struct range ranges[RANGES_MAX];
static unsigned int nvcpus, nnodes, nranges;
static enum scheme scheme;
static FILE *out;

/* A kernel runs: what is at user addresses is user space, not firmware. */
static bool armed;

/* Init's task, once it has said so. */
static uint64_t init_task;

/* Accesses to memory of no node. */
static uint64_t unknown;

/* What is seen of the calibration. */
static struct {
	bool now;
	bool right[SCHEMES];
	uint64_t loads[NODES_MAX];
	uint64_t stores[NODES_MAX];
	uint64_t other;
} cal;

__printf(1, 2)
static void complain(const char *fmt, ...)
{
	va_list ap;

	fputs("{\"mark\":\"error\",\"message\":\"", out);
	va_start(ap, fmt);
	vfprintf(out, fmt, ap);
	va_end(ap);
	fputs("\"}\n", out);
	fflush(out);
}

/* The range that holds an address, or @nranges. @hint is the range of the last call. */
static unsigned int find(uint64_t addr, unsigned int hint, enum scheme s)
{
	unsigned int i;

	if (addr - ranges[hint].start[s] < ranges[hint].len)
		return hint;
	for (i = 0; i < nranges; i++)
		if (addr - ranges[i].start[s] < ranges[i].len)
			break;
	return i;
}

/* Whether an access of the calibration is where each way of telling addresses says. */
static void calibrate(uint32_t info, uint64_t vaddr)
{
	unsigned int node = vaddr >> NP_CAL_NODE_SHIFT & (NODES_MAX - 1), i;
	uint64_t addr = vaddr & ((1UL << NP_CAL_NODE_SHIFT) - 1), told;
	struct qemu_plugin_hwaddr *hw;
	enum scheme s;

	if (vaddr & ~(2 * NP_CAL_WINDOW - 1) || !(vaddr & NP_CAL_WINDOW))
		return;
	hw = qemu_plugin_get_hwaddr(info, vaddr);
	i = find(addr, 0, SCHEME_GUEST);
	if (!hw || qemu_plugin_hwaddr_is_io(hw) || i == nranges || ranges[i].node != node) {
		cal.other++;
		return;
	}
	told = qemu_plugin_hwaddr_phys_addr(hw);
	for (s = 0; s < SCHEMES; s++)
		if (told - ranges[i].start[s] != addr - ranges[i].start[SCHEME_GUEST])
			cal.right[s] = false;
	*(qemu_plugin_mem_is_store(info) ? &cal.stores[node] : &cal.loads[node]) += 1;
}

static void count_access(unsigned int vcpu, uint32_t info, uint64_t vaddr, void *arg)
{
	struct vcpu *v = &vcpus[vcpu];
	struct qemu_plugin_hwaddr *hw;
	struct count *c;
	unsigned int i;

	if (v->ignored) {
		if (cal.now)
			calibrate(info, vaddr);
		return;
	}
	hw = qemu_plugin_get_hwaddr(info, vaddr);
	i = nranges;
	if (hw && !qemu_plugin_hwaddr_is_io(hw))
		i = find(qemu_plugin_hwaddr_phys_addr(hw), v->last, scheme);
	if (i == nranges) {
		unknown++;
		return;
	}
	v->last = i;
	c = &v->count[ranges[i].node];
	*(qemu_plugin_mem_is_store(info) ? &c->stores : &c->loads) += 1;
	c->bytes += 1UL << qemu_plugin_mem_size_shift(info);
}

/* The kernel takes up the stack of the next task: its place in the task tells which one. */
static void switch_task(unsigned int vcpu, uint32_t info, uint64_t vaddr, void *arg)
{
	struct vcpu *v = &vcpus[vcpu];

	v->task = vaddr;
	v->ignored = !init_task || v->task == init_task;
}

static void write_counts(const char *name, size_t offset)
{
	unsigned int i, j;

	fprintf(out, ",\"%s\":[", name);
	for (i = 0; i < nvcpus; i++)
		for (j = 0; j < nnodes; j++)
			fprintf(out, "%s%" PRIu64 "%s", j ? "," : i ? ",[" : "[",
				*(uint64_t *)((char *)&vcpus[i].count[j] + offset),
				j == nnodes - 1 ? "]" : "");
	fputs("]", out);
}

static void write_snapshot(enum np_mark mark, unsigned int vcpu)
{
	fprintf(out, "{\"mark\":\"%s\",\"vcpu\":%u,\"unknown\":%" PRIu64, mark_names[mark], vcpu,
		unknown);
	write_counts("loads", offsetof(struct count, loads));
	write_counts("stores", offsetof(struct count, stores));
	write_counts("bytes", offsetof(struct count, bytes));
	fputs("}\n", out);
	fflush(out);
}

static void begin_calibration(void)
{
	memset(&cal, 0, sizeof(cal));
	cal.right[SCHEME_GUEST] = true;
	cal.right[SCHEME_RAM] = true;
	cal.now = true;
}

static void end_calibration(void)
{
	unsigned int i, node;

	cal.now = false;
	if (cal.other) {
		complain("%" PRIu64 " known accesses were not to known memory", cal.other);
		return;
	}
	for (i = 0; i < nranges; i++) {
		node = ranges[i].node;
		if (cal.loads[node] == NP_CAL_ACCESSES && cal.stores[node] == NP_CAL_ACCESSES)
			continue;
		complain("node %u: %" PRIu64 " loads and %" PRIu64 " stores seen, not %d of each",
			 node, cal.loads[node], cal.stores[node], NP_CAL_ACCESSES);
		return;
	}
	if (!cal.right[SCHEME_GUEST] && !cal.right[SCHEME_RAM]) {
		complain("QEMU tells physical addresses in no known way");
		return;
	}
	scheme = cal.right[SCHEME_GUEST] ? SCHEME_GUEST : SCHEME_RAM;
	fprintf(out, "{\"mark\":\"calibrated\",\"scheme\":\"%s\"}\n", scheme_names[scheme]);
	fflush(out);
}

static void start_counting(unsigned int vcpu)
{
	unsigned int i;

	init_task = vcpus[vcpu].task;
	if (!init_task) {
		complain("no task switch of the kernel was seen: init cannot be told apart");
		return;
	}
	for (i = 0; i < nvcpus; i++)
		vcpus[i].ignored = vcpus[i].task == init_task;
	write_snapshot(NP_MARK_START, vcpu);
}

static void execute_mark(unsigned int vcpu, void *arg)
{
	enum np_mark mark = (uintptr_t)arg;

	switch (mark) {
	case NP_MARK_CALIBRATE:
		begin_calibration();
		break;
	case NP_MARK_CALIBRATED:
		end_calibration();
		break;
	case NP_MARK_START:
		start_counting(vcpu);
		break;
	default:
		write_snapshot(mark, vcpu);
	}
}

/* Is this an access to the stack pointer that a task has in its structure, at @operand? */
static bool is_stack_insn(const struct qemu_plugin_insn *insn, const unsigned char *opcode,
			  uint32_t *operand)
{
	const char *bytes = qemu_plugin_insn_data(insn);

	if (qemu_plugin_insn_size(insn) != STACK_INSN_BYTES ||
	    memcmp(bytes, opcode, STACK_INSN_BYTES - sizeof(*operand)))
		return false;
	memcpy(operand, bytes + STACK_INSN_BYTES - sizeof(*operand), sizeof(*operand));
	return true;
}

/*
 * The kernel switches tasks where it stores the stack pointer in one task and, next, loads it from
 * the same place in another: mov %rsp,X(%rdi); mov X(%rsi),%rsp. While instructions are counted a
 * block may end between the two, so that one is known by the address behind the other.
 */
static bool switches_tasks(const struct qemu_plugin_insn *insn)
{
	static const unsigned char save[] = { 0x48, 0x89, 0xa7 }, load[] = { 0x48, 0x8b, 0xa6 };
	static uint64_t load_at, found_at;
	static uint32_t saved;
	uint64_t at = qemu_plugin_insn_vaddr(insn);
	uint32_t operand;

	if (found_at)
		return at == found_at;
	if (is_stack_insn(insn, save, &saved))
		load_at = at + STACK_INSN_BYTES;
	else if (at == load_at && is_stack_insn(insn, load, &operand) && operand == saved)
		found_at = at;
	return found_at;
}

static void translate_kernel(struct qemu_plugin_tb *tb)
{
	size_t i, n = qemu_plugin_tb_n_insns(tb);

	armed = true;
	for (i = 0; i < n; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);

		if (switches_tasks(insn))
			qemu_plugin_register_vcpu_mem_cb(insn, switch_task, QEMU_PLUGIN_CB_NO_REGS,
							 QEMU_PLUGIN_MEM_RW, NULL);
	}
}

/* Loads and stores in one go: QEMU 7.2 takes one for the other where only one is asked for. */
static void translate_user(struct qemu_plugin_tb *tb)
{
	size_t i, n = qemu_plugin_tb_n_insns(tb);

	for (i = 0; i < n; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		enum np_mark mark = np_mark_of(insn, NP_MARK_MAGIC, NP_MARKS);

		if (mark != NP_MARKS)
			qemu_plugin_register_vcpu_insn_exec_cb(insn, execute_mark,
							       QEMU_PLUGIN_CB_NO_REGS,
							       (void *)(uintptr_t)mark);
		qemu_plugin_register_vcpu_mem_cb(insn, count_access, QEMU_PLUGIN_CB_NO_REGS,
						 QEMU_PLUGIN_MEM_RW, NULL);
	}
}

static void translate(uint64_t id, struct qemu_plugin_tb *tb)
{
	if (qemu_plugin_tb_vaddr(tb) & KERNEL_HALF)
		translate_kernel(tb);
	else if (armed)
		translate_user(tb);
}

static bool read_range(const char *text)
{
	struct range *r = &ranges[nranges];

	if (nranges == RANGES_MAX ||
	    sscanf(text, "%" SCNu64 ":%" SCNu64 ":%" SCNu64 ":%u", &r->start[SCHEME_GUEST], &r->len,
		   &r->start[SCHEME_RAM], &r->node) != 4)
		return false;
	nranges++;
	return r->node < nnodes;
}

static bool read_option(const char *option)
{
	if (!strncmp(option, "out=", 4)) {
		out = fopen(option + 4, "we");
		if (!out)
			fprintf(stderr, "%s: %s\n", option + 4, strerror(errno));
		return out;
	}
	if (!strncmp(option, "nodes=", 6)) {
		nnodes = atoi(option + 6);
		return nnodes && nnodes <= NODES_MAX;
	}
	return !strncmp(option, "range=", 6) && read_range(option + 6);
}

QEMU_PLUGIN_EXPORT int qemu_plugin_version = QEMU_PLUGIN_VERSION;

/**
 * qemu_plugin_install() - called by QEMU when it loads the plugin
 * @id: the plugin's number
 * @info: about this QEMU
 * @argc: number of options
 * @argv: the options
 *
 * Return: 0, or -1 after a message on standard error.
 */
int qemu_plugin_install(uint64_t id, const struct qemu_info *info, int argc, char **argv)
{
	int i;

	if (!info->system_emulation || strcmp(info->target_name, "x86_64") ||
	    info->system.max_vcpus > VCPUS_MAX) {
		fprintf(stderr, "traffic plugin: wants an x86_64 machine of at most %d vCPUs\n",
			VCPUS_MAX);
		return -1;
	}
	for (i = 0; i < argc; i++) {
		if (read_option(argv[i]))
			continue;
		fprintf(stderr, "traffic plugin: bad option '%s'\n", argv[i]);
		return -1;
	}
	if (!out || !nranges) {
		fputs("traffic plugin: wants out=FILE, nodes=N and range=ADDRESS:BYTES:RAM:NODE\n",
		      stderr);
		return -1;
	}
	nvcpus = info->system.smp_vcpus;
	for (i = 0; i < VCPUS_MAX; i++)
		vcpus[i].ignored = true;
	qemu_plugin_register_vcpu_tb_trans_cb(id, translate);
	return 0;
}
