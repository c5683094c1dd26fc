// SPDX-License-Identifier: GPL-2.0
/*
 * A plugin of QEMU's emulator: counts the instructions of the kernel's NUMA balancing.
 *
 *   -plugin numa-policy-bench.so,map=FILE,out=FILE
 *
 * FILE is the guest kernel's System.map: functions are known by their addresses, so the kernel must
 * not be relocated. Lines are written to the other file in the order of what happened:
 *
 *   pass insns=N visits=N scans=N switches=N irqs=N
 *   fault insns=N own=N switches=N irqs=N
 *   say TEXT
 *
 * A pass is everything from the first instruction of task_numa_work() until control is back in
 * task_work_run(), callees included. Its visits are calls of mas_find(), one for each VMA that the
 * scan loop comes to and one at the end; its scans are calls of change_prot_numa(). A fault is
 * everything from the first instruction of handle_mm_fault() until control is back in the fault's
 * entry, if NUMA balancing saw it; own is what numa_migrate_check() executed itself, without its
 * callees: an access is recorded there.
 *
 * Instructions of interrupts are left out. When another task ran meanwhile (switches), the count is
 * of no use.
 *
 * Text comes from the guest, see marks.h. Guests have one vCPU, so nothing here needs a lock.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../traffic/mark-insn.h"
#include "marks.h"

#define KERNEL_HALF (1UL << 63)
#define TEXT_MAX 256
#define IRQS_MAX 64
#define NAME_MAX 128

/* A function of the kernel: from @start to before @end. */
struct range {
	uint64_t start;
	uint64_t end;
};

/* What is counted all the time, in kernel code. */
struct counters {
	uint64_t insns;
	uint64_t own;
	uint64_t visits;
	uint64_t scans;
	uint64_t switches;
	uint64_t irqs;
};

/* A pass or a fault that is going on: @from is how the counters stood when it began. */
struct span {
	bool active;
	bool hinting;
	struct counters from;
};

enum function { PASS, WORK, VISIT, SCAN, FAULT, ENTRY, USER_FAULT, CHECK, SWITCH, IRET, FUNCTIONS };

/* Their names, and an earlier one. */
static const char * const function_names[FUNCTIONS][2] = {
	[PASS] = { "task_numa_work" },
	[WORK] = { "task_work_run" },
	[VISIT] = { "mas_find" },
	[SCAN] = { "change_prot_numa" },
	[FAULT] = { "handle_mm_fault" },
	[ENTRY] = { "exc_page_fault" },
	[USER_FAULT] = { "do_user_addr_fault" },
	[CHECK] = { "numa_migrate_check", "numa_migrate_prep" },
	[SWITCH] = { "__schedule" },
	[IRET] = { "native_irq_return_iret" },
};

static struct range functions[FUNCTIONS];
static uint64_t irq_entries[IRQS_MAX];
static unsigned int nr_irq_entries;

static struct counters now;
static struct span pass, fault;
static FILE *out;

/* Interrupts inside each other, and when the outermost began. */
static unsigned int irq_depth;
static uint64_t irq_start;

static char text[TEXT_MAX];
static unsigned int nibbles;

static void begin(struct span *span)
{
	span->active = true;
	span->hinting = false;
	span->from = now;
}

static void begin_pass(unsigned int vcpu, void *arg)
{
	if (!irq_depth)
		begin(&pass);
}

static void end_pass(unsigned int vcpu, void *arg)
{
	if (!pass.active || irq_depth)
		return;
	pass.active = false;
	fprintf(out, "pass insns=%" PRIu64 " visits=%" PRIu64 " scans=%" PRIu64 " switches=%" PRIu64
		" irqs=%" PRIu64 "\n", now.insns - pass.from.insns, now.visits - pass.from.visits,
		now.scans - pass.from.scans, now.switches - pass.from.switches,
		now.irqs - pass.from.irqs);
}

static void begin_fault(unsigned int vcpu, void *arg)
{
	begin(&fault);
}

static void see_hinting(unsigned int vcpu, void *arg)
{
	fault.hinting = true;
}

static void end_fault(unsigned int vcpu, void *arg)
{
	if (!fault.active || irq_depth)
		return;
	fault.active = false;
	if (fault.hinting)
		fprintf(out, "fault insns=%" PRIu64 " own=%" PRIu64 " switches=%" PRIu64 " irqs=%"
			PRIu64 "\n", now.insns - fault.from.insns, now.own - fault.from.own,
			now.switches - fault.from.switches, now.irqs - fault.from.irqs);
}

static void enter_irq(unsigned int vcpu, void *arg)
{
	if (!pass.active && !fault.active)
		return;
	now.irqs++;
	if (!irq_depth++)
		irq_start = now.insns;
}

/* What the interrupt executed is not counted, the return from it included. */
static void leave_irq(unsigned int vcpu, void *arg)
{
	if (irq_depth && !--irq_depth)
		now.insns = irq_start;
}

static void hear(unsigned int vcpu, void *arg)
{
	unsigned int i = nibbles++ / 2;

	text[i] = text[i] << 4 | (uintptr_t)arg;
	if (nibbles % 2)
		return;
	if (text[i] == '\n') {
		text[i] = '\0';
		fprintf(out, "say %s\n", text);
		fflush(out);
		nibbles = 0;
	} else if (i == TEXT_MAX - 1) {
		nibbles = 0;
	}
}

static void call(struct qemu_plugin_insn *insn, void (*cb)(unsigned int vcpu, void *arg), void *arg)
{
	qemu_plugin_register_vcpu_insn_exec_cb(insn, cb, QEMU_PLUGIN_CB_NO_REGS, arg);
}

static void count(struct qemu_plugin_insn *insn, uint64_t *counter)
{
	qemu_plugin_register_vcpu_insn_exec_inline(insn, QEMU_PLUGIN_INLINE_ADD_U64, counter, 1);
}

static bool inside(enum function f, uint64_t at)
{
	return at - functions[f].start < functions[f].end - functions[f].start;
}

/* What is called back comes first, so that it sees the counters before the instruction. */
static void watch_entries(struct qemu_plugin_insn *insn, uint64_t at)
{
	unsigned int i;

	if (at == functions[PASS].start)
		call(insn, begin_pass, NULL);
	else if (at == functions[FAULT].start)
		call(insn, begin_fault, NULL);
	else if (at == functions[CHECK].start)
		call(insn, see_hinting, NULL);
	else if (at == functions[IRET].start)
		call(insn, leave_irq, NULL);
	else if (inside(WORK, at))
		call(insn, end_pass, NULL);
	else if (inside(ENTRY, at) || inside(USER_FAULT, at))
		call(insn, end_fault, NULL);
	for (i = 0; i < nr_irq_entries; i++)
		if (at == irq_entries[i])
			call(insn, enter_irq, NULL);
}

static void translate_kernel(struct qemu_plugin_tb *tb)
{
	size_t i, n = qemu_plugin_tb_n_insns(tb);

	for (i = 0; i < n; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		uint64_t at = qemu_plugin_insn_vaddr(insn);

		watch_entries(insn, at);
		/* The return from an interrupt sets this counter. */
		if (at != functions[IRET].start)
			count(insn, &now.insns);
		if (inside(CHECK, at))
			count(insn, &now.own);
		if (at == functions[VISIT].start)
			count(insn, &now.visits);
		else if (at == functions[SCAN].start)
			count(insn, &now.scans);
		else if (at == functions[SWITCH].start)
			count(insn, &now.switches);
	}
}

static void translate_user(struct qemu_plugin_tb *tb)
{
	size_t i, n = qemu_plugin_tb_n_insns(tb);

	for (i = 0; i < n; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		uint32_t mark = np_mark_of(insn, NP_BENCH_MAGIC, NP_BENCH_MARKS);

		if (mark != NP_BENCH_MARKS)
			call(insn, hear, (void *)(uintptr_t)mark);
	}
}

static void translate(uint64_t id, struct qemu_plugin_tb *tb)
{
	if (qemu_plugin_tb_vaddr(tb) & KERNEL_HALF)
		translate_kernel(tb);
	else
		translate_user(tb);
}

/* An interrupt's entry from the table of its kind; exceptions belong to who raises them. */
static bool is_irq_entry(const char *name)
{
	return !strncmp(name, "asm_sysvec_", 11) || !strcmp(name, "asm_common_interrupt") ||
	       !strcmp(name, "asm_exc_nmi");
}

/* A line of System.map; the address behind a function is that of the next symbol. */
static void read_symbol(uint64_t addr, const char *name)
{
	static enum function open = FUNCTIONS;
	unsigned int f, i;

	if (open != FUNCTIONS && addr > functions[open].start) {
		functions[open].end = addr;
		open = FUNCTIONS;
	}
	if (is_irq_entry(name) && nr_irq_entries < IRQS_MAX)
		irq_entries[nr_irq_entries++] = addr;
	for (f = 0; f < FUNCTIONS; f++) {
		for (i = 0; i < 2; i++) {
			if (!function_names[f][i] || strcmp(name, function_names[f][i]))
				continue;
			functions[f].start = addr;
			open = f;
		}
	}
}

static bool read_map(const char *path)
{
	FILE *map = fopen(path, "re");
	char name[NAME_MAX], type;
	uint64_t addr;
	unsigned int f;

	if (!map) {
		fprintf(stderr, "bench plugin: %s: %s\n", path, strerror(errno));
		return false;
	}
	while (fscanf(map, "%" SCNx64 " %c %127s", &addr, &type, name) == 3)
		read_symbol(addr, name);
	fclose(map);
	for (f = 0; f < FUNCTIONS; f++) {
		/* The compiler makes one function of these two if it likes. */
		if (functions[f].end || f == USER_FAULT)
			continue;
		fprintf(stderr, "bench plugin: %s: there is no %s in it\n", path,
			function_names[f][0]);
		return false;
	}
	return true;
}

static bool read_option(const char *option)
{
	if (!strncmp(option, "map=", 4))
		return read_map(option + 4);
	if (strncmp(option, "out=", 4))
		return false;
	out = fopen(option + 4, "we");
	if (!out)
		fprintf(stderr, "bench plugin: %s: %s\n", option + 4, strerror(errno));
	return out;
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
	    info->system.max_vcpus != 1) {
		fputs("bench plugin: wants an x86_64 machine of one vCPU\n", stderr);
		return -1;
	}
	for (i = 0; i < argc; i++) {
		if (read_option(argv[i]))
			continue;
		fprintf(stderr, "bench plugin: bad option '%s'\n", argv[i]);
		return -1;
	}
	if (!out || !functions[PASS].end) {
		fputs("bench plugin: wants map=FILE and out=FILE\n", stderr);
		return -1;
	}
	qemu_plugin_register_vcpu_tb_trans_cb(id, translate);
	return 0;
}
