// SPDX-License-Identifier: GPL-2.0
/*
 * numa-policy bench: what the library costs, in instructions of a guest.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "bench.h"
#include "commands.h"
#include "options.h"
#include "qemu.h"
#include "setup.h"
#include "text_size.h"
#include "util.h"

/* One CPU, so that nothing else runs meanwhile, and two nodes, or there is no balancing. */
#define TOPOLOGY "1x1,mem=384"
#define APPEND "console=ttyS0 quiet norandmaps panic=-1 numa=fake=2"

/* Bounds: how much more than the unpatched kernel's, in percent; bytes. */
#define ONE_PERCENT 0.5
#define SWITCH_PERCENT 3
#define STATS_PERCENT 5
#define TEXT_BYTES 4096
#define STATE_BYTES 64

/* Passes of a kind and size that there must be, for their median to mean something. */
#define COUNTS_MIN 2

enum kernel { UNPATCHED, ONE, SWITCH, STATS, SHADOW, KERNELS };

/* @dir: of the kernel, below that of all; @append: for the guest's program. */
static const struct {
	const char *name;
	const char *dir;
	const char *append;
	const char *help;
} kernels[KERNELS] = {
	[UNPATCHED] = { "unpatched", "unpatched", "", "without the library" },
	[ONE] = { "one", "one", "", "one policy built, seq_delta" },
	[SWITCH] = { "switch", "switch", " bench_each=1", "all policies, switchable" },
	[STATS] = { "stats", "stats", "", "also with statistics" },
	[SHADOW] = { "shadow", "stats", " bench_shadow=1", "the same, with the shadow on" },
};

/* The library's own files, and those of the kernel in which the rest of it is. */
static const char * const library[] = {
	"kernel/sched/numa_policy/*.o", "fs/proc/numa_scan_policy.o",
};

static const char * const touched[] = {
	"kernel/sched/fair.o", "mm/memory.o", "mm/huge_memory.o", "kernel/fork.o", "fs/proc/base.o",
};

static const char * const pass_names[NP_BENCH_PASSES] = {
	[NP_BENCH_REFUSED] = "refused",
	[NP_BENCH_AGED] = "refused, windows moved",
	[NP_BENCH_SCANNED] = "scanned",
	[NP_BENCH_COMPLETED] = "scanned and come by again",
};

static const char * const access_names[NP_BENCH_ACCESSES] = {
	[NP_BENCH_FIRST] = "first in its window",
	[NP_BENCH_AGAIN] = "again",
};

/**
 * struct cell - one guest and what it measured
 * @wanted: it is to be run
 * @setup: what it is made of
 * @plugin: value of QEMU's option -plugin
 * @machine: what it runs on
 * @guest: the guest
 * @log: what was measured
 */
struct cell {
	bool wanted;
	struct np_setup setup;
	char *plugin;
	struct np_machine machine;
	struct np_guest guest;
	struct np_bench_log log;
};

static struct cell cells[KERNELS];
static int passed, failed;

__printf(2, 3)
static void check(bool ok, const char *fmt, ...)
{
	va_list ap;

	*(ok ? &passed : &failed) += 1;
	printf("%s %d - ", ok ? "ok" : "not ok", passed + failed);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
}

/* ---- guests ---- */

static long now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static char *cell_dir(const struct np_options *o, int i)
{
	return np_asprintf("%s/%s", o->out, kernels[i].name);
}

static char *start_cell(const struct np_options *o, int i)
{
	char *append = np_asprintf(APPEND "%s", kernels[i].append);
	char *dir = cell_dir(o, i), *error = NULL;
	int err = np_guest_start(&cells[i].guest, &cells[i].machine, dir, append, 0, now_ms());

	if (err)
		error = np_asprintf("cannot start a guest in %s: %s", dir, strerror(-err));
	free(append);
	free(dir);
	return error;
}

/* Read what a guest that is gone has measured. */
static char *take_cell(const struct np_options *o, int i)
{
	char *dir = cell_dir(o, i), *path = np_asprintf("%s/" NP_COUNTS, dir);
	char *error = np_guest_reason(&cells[i].guest), *named;

	error = error ?: np_bench_read(&cells[i].log, path);
	free(path);
	free(dir);
	if (!error)
		return NULL;
	named = np_asprintf("%s: %s", kernels[i].name, error);
	free(error);
	return named;
}

/* Run the guests, so many at a time. */
static char *run_cells(const struct np_options *o)
{
	int next = 0, running = 0, jobs = o->jobs ? o->jobs : sysconf(_SC_NPROCESSORS_ONLN);
	bool started[KERNELS] = { 0 };
	char *error = NULL;

	while (next < KERNELS || running) {
		for (; next < KERNELS && running < jobs && !error; next++) {
			if (!cells[next].wanted)
				continue;
			error = start_cell(o, next);
			started[next] = !error;
			running += !error;
		}
		for (int i = 0; i < KERNELS; i++) {
			if (!started[i])
				continue;
			if (error)
				np_guest_end(&cells[i].guest, now_ms());
			if (!np_guest_check(&cells[i].guest, now_ms()))
				continue;
			started[i] = false;
			running--;
			error = error ?: take_cell(o, i);
		}
		if (error && !running)
			break;
		usleep(100000);
	}
	for (int i = 0; i < KERNELS; i++)
		np_guest_free(&cells[i].guest);
	return error;
}

/* ---- numbers ---- */

static struct np_bench_stat pass_of(int kernel, enum np_bench_kind kind, int size)
{
	return np_bench_stat(&cells[kernel].log.policy[0].pass[kind][size]);
}

/*
 * The instructions of a decision: what a VMA that the policy refuses costs, less what one costs
 * that is passed over as scanned in this sequence, which is what stands before the question.
 */
static double decision(int kernel, const struct np_bench_policy *p, int from, int to)
{
	const struct np_bench_policy *own = &cells[kernel].log.policy[0];
	double refused = np_bench_per_vma(p, NP_BENCH_REFUSED, from, to);
	double completed = np_bench_per_vma(own, NP_BENCH_COMPLETED, from, to);
	double scanned = np_bench_per_vma(own, NP_BENCH_SCANNED, from, to);

	if (refused < 0 || completed < 0 || scanned < 0)
		return -1;
	return refused - (completed - scanned);
}

static double own_decision(int kernel)
{
	return decision(kernel, &cells[kernel].log.policy[0], 1, 2);
}

static double ratio(double value, double base)
{
	return base > 0 ? value / base : 0;
}

/* ---- the table ---- */

static void print_value(double value, double base, bool first)
{
	char text[32];

	if (value < 0)
		snprintf(text, sizeof(text), "-");
	else if (value != (long)value)
		snprintf(text, sizeof(text), "%.1f", value);
	else
		snprintf(text, sizeof(text), "%ld", (long)value);
	if (first || value < 0)
		printf("  %10s", text);
	else
		printf("  %10s  %6.3f", text, ratio(value, base));
}

static void print_row(const char *name, const double *value)
{
	printf("%-40s", name);
	for (int i = 0; i < KERNELS; i++)
		if (cells[i].wanted)
			print_value(value[i], value[UNPATCHED], i == UNPATCHED);
	putchar('\n');
}

static void print_head(void)
{
	printf("%-40s", "guest instructions");
	for (int i = 0; i < KERNELS; i++)
		if (cells[i].wanted)
			printf(i ? "  %10s  %6s" : "  %10s", kernels[i].name, "ratio");
	putchar('\n');
}

static void print_passes(enum np_bench_kind kind)
{
	for (int size = 0; size < NP_BENCH_SIZES; size++) {
		char *name = np_asprintf("pass, %d VMAs %s", np_bench_sizes[size],
					 pass_names[kind]);
		double value[KERNELS];

		for (int i = 0; i < KERNELS; i++)
			value[i] = pass_of(i, kind, size).value;
		print_row(name, value);
		free(name);
	}
}

static void print_table(void)
{
	double value[KERNELS], fault[KERNELS];

	print_head();
	for (int i = 0; i < KERNELS; i++)
		value[i] = cells[i].wanted ? own_decision(i) : -1;
	print_row("decision", value);
	for (int a = 0; a < NP_BENCH_ACCESSES; a++) {
		char *name = np_asprintf("access recorded, %s", access_names[a]);

		for (int i = 0; i < KERNELS; i++)
			value[i] = np_bench_stat(&cells[i].log.own[a]).value;
		print_row(name, value);
		free(name);
	}
	for (int i = 0; i < KERNELS; i++)
		fault[i] = np_bench_stat(&cells[i].log.fault[NP_BENCH_AGAIN]).value;
	print_row("  the whole hinting fault", fault);
	print_passes(NP_BENCH_REFUSED);
	print_passes(NP_BENCH_AGED);
	print_passes(NP_BENCH_SCANNED);
}

/* How much the counts of the same thing differ. */
static void print_spread(void)
{
	int n = 0, same = 0, disturbed = 0;
	double most = 0;

	for (int i = 0; i < KERNELS; i++) {
		disturbed += cells[i].log.disturbed;
		for (int kind = 0; kind < NP_BENCH_PASSES; kind++) {
			for (int size = 0; size < NP_BENCH_SIZES; size++) {
				struct np_bench_stat s = pass_of(i, kind, size);

				n += s.n;
				same += s.same;
				if (s.n && s.max - s.value > most * s.value)
					most = (double)(s.max - s.value) / s.value;
			}
		}
	}
	printf("\nEach is a median: %d of %d passes have exactly that value, none is more than %.2f %%\n"
	       "above it; %d passes and faults were left out because another task ran meanwhile.\n",
	       same, n, 100 * most, disturbed);
}

/* ---- the bounds ---- */

static void check_ratio(int kernel, const char *what, double value, double base, double percent)
{
	check(value > 0 && base > 0 && value <= base * (1 + percent / 100),
	      "%s: %s: %.1f instructions, unpatched %.1f: ratio %.3f, at most %.2f",
	      kernels[kernel].name, what, value, base, ratio(value, base), 1 + percent / 100);
}

static void check_passes(int kernel, enum np_bench_kind kind, double percent)
{
	for (int size = 0; size < NP_BENCH_SIZES; size++) {
		char *what = np_asprintf("pass, %d VMAs %s", np_bench_sizes[size],
					 pass_names[kind]);

		check_ratio(kernel, what, pass_of(kernel, kind, size).value,
			    pass_of(UNPATCHED, kind, size).value, percent);
		free(what);
	}
}

/* None more: not one instruction. */
static void check_access(int kernel)
{
	for (int a = 0; a < NP_BENCH_ACCESSES; a++) {
		char *what = np_asprintf("access recorded, %s", access_names[a]);

		check_ratio(kernel, what, np_bench_stat(&cells[kernel].log.own[a]).value,
			    np_bench_stat(&cells[UNPATCHED].log.own[a]).value, 0);
		free(what);
	}
	check_ratio(kernel, "the whole hinting fault",
		    np_bench_stat(&cells[kernel].log.fault[NP_BENCH_AGAIN]).value,
		    np_bench_stat(&cells[UNPATCHED].log.fault[NP_BENCH_AGAIN]).value, 0);
}

static void check_kernel(int kernel, double percent)
{
	check_passes(kernel, NP_BENCH_REFUSED, percent);
	check_passes(kernel, NP_BENCH_SCANNED, percent);
}

static void check_one(void)
{
	check_ratio(ONE, "decision", own_decision(ONE), own_decision(UNPATCHED), ONE_PERCENT);
	check_access(ONE);
	check_passes(ONE, NP_BENCH_REFUSED, ONE_PERCENT);
	check_passes(ONE, NP_BENCH_SCANNED, ONE_PERCENT);
	check_passes(ONE, NP_BENCH_AGED, ONE_PERCENT);
}

/*
 * The decision of a policy that refuses is measured as any. One that says yes to everything never
 * refuses a VMA: it is held against seq_delta, when both scan all; what seq_delta then asks is at
 * most what it asks to refuse.
 */
static double policy_decision(const struct np_bench_policy *p, const struct np_bench_policy *own)
{
	double refused = decision(SWITCH, p, 0, 1), scanned;

	if (refused >= 0)
		return refused;
	scanned = np_bench_per_vma(p, NP_BENCH_SCANNED, 0, 1);
	if (scanned < 0)
		return -1;
	return scanned - np_bench_per_vma(own, NP_BENCH_SCANNED, 0, 1) +
	       decision(SWITCH, own, 0, 1);
}

static void check_shadow(void)
{
	const struct np_bench_log *log = &cells[SWITCH].log;
	double sum = 0, value, shadow = own_decision(SHADOW);
	bool all = log->npolicies > 1;

	printf("\ndecision, each policy in force by itself (switch):\n");
	for (int i = 1; i < log->npolicies; i++) {
		value = policy_decision(&log->policy[i], &log->policy[0]);
		printf("  %-16s %6.1f\n", log->policy[i].name, value);
		all = all && value >= 0;
		sum += value;
	}
	printf("  %-16s %6.1f\n\n", "sum", sum);
	check(all && shadow > 0 && shadow <= sum,
	      "shadow: decision: %.1f instructions, at most the sum of the policies asked, %.1f",
	      shadow, sum);
}

/* What the guests did is what they were meant to do. */
static void check_cell(int kernel)
{
	const struct np_bench_log *log = &cells[kernel].log;
	bool enough = true, traced = true;

	for (int size = 0; size < NP_BENCH_SIZES; size++) {
		for (int kind = 0; kind < NP_BENCH_PASSES; kind++)
			enough = enough && pass_of(kernel, kind, size).n >= COUNTS_MIN;
		traced = traced && log->traced[NP_BENCH_REFUSED][size] &&
			 log->traced[NP_BENCH_AGED][size] && log->traced[NP_BENCH_COMPLETED][size];
	}
	check(enough, "%s: at least %d passes of each kind and size", kernels[kernel].name,
	      COUNTS_MIN);
	check(traced, "%s: the kernel's trace confirms the passes, VMA by VMA",
	      kernels[kernel].name);
	check(log->state_bytes > 0 && log->state_bytes <= STATE_BYTES,
	      "%s: state of a VMA: %ld bytes, at most %d", kernels[kernel].name, log->state_bytes,
	      STATE_BYTES);
}

/* The library's own files, and what it adds to the kernel's. */
static void check_text(const struct np_options *o)
{
	char *plain = np_asprintf("%s/unpatched", o->kernel);
	char *dir = np_asprintf("%s/switch", o->kernel);
	struct np_text_size before = { 0 }, after = { 0 };
	bool ok = true;

	for (size_t i = 0; i < ARRAY_SIZE(library); i++)
		ok = ok && np_text_size_all(dir, library[i], &after);
	for (size_t i = 0; i < ARRAY_SIZE(touched); i++)
		ok = ok && np_text_size_all(dir, touched[i], &after) &&
		     np_text_size_all(plain, touched[i], &before);
	check(ok && after.text - before.text < TEXT_BYTES,
	      "switch: text of the library, all policies: %ld bytes, below %d (%ld of them code)",
	      after.text - before.text, TEXT_BYTES, after.code - before.code);
	free(dir);
	free(plain);
}

static void check_bounds(const struct np_options *o)
{
	putchar('\n');
	for (int i = 0; i < KERNELS; i++)
		if (cells[i].wanted)
			check_cell(i);
	if (cells[ONE].wanted)
		check_one();
	if (cells[SWITCH].wanted) {
		check_access(SWITCH);
		check_kernel(SWITCH, SWITCH_PERCENT);
		check_text(o);
	}
	if (cells[STATS].wanted)
		check_kernel(STATS, STATS_PERCENT);
	if (cells[SHADOW].wanted && cells[SWITCH].wanted)
		check_shadow();
}

/* ---- the subcommand ---- */

static const char usage[] =
	"usage: numa-policy bench [OPTIONS]\n\n"
	"Measures what the library costs, in instructions of guests: per decision, per recorded access\n"
	"and per pass of NUMA balancing, on kernels built in several ways. Prints a table with the\n"
	"ratios to the unpatched kernel, and a line per bound; 'make bench' builds all that it needs.\n\n"
	"  --kernels A,B     besides unpatched: one, switch, stats, shadow (default: all)\n"
	"  --kernel DIR      directory with the kernels' directories (default: bench, beside this\n"
	"                    program)\n"
	"  --initrd FILE     the guests' initramfs (default: guest/bench.cpio, beside this program)\n"
	"  --jobs J          guests at once (default: one per CPU)\n"
	"  --out DIR         where guests' counts and consoles are kept (default: bench-results,\n"
	"                    beside this program)\n"
	"  --timeout S       host seconds a guest may take (default: 600)\n"
	"  --qemu PROGRAM    QEMU to run (default: qemu-system-x86_64)\n";

static void choose_kernels(const struct np_options *o)
{
	cells[UNPATCHED].wanted = true;
	for (int i = 0; i < KERNELS && !o->kernels.n; i++)
		cells[i].wanted = true;
	for (int j = 0; j < o->kernels.n; j++) {
		int i = 0;

		while (i < KERNELS && strcmp(kernels[i].name, o->kernels.v[j]))
			i++;
		if (i == KERNELS)
			np_die(NP_USAGE, "--kernels: no '%s'; there are one, switch, stats, shadow",
			       o->kernels.v[j]);
		cells[i].wanted = true;
	}
}

static char *find_cell(const struct np_options *o, int i, const struct np_topology *topology)
{
	char *dir = np_asprintf("%s/%s", o->kernel, kernels[i].dir);
	char *absolute = realpath(dir, NULL);
	char *error = np_setup_find(&cells[i].setup, o->qemu, dir, o->initrd);

	error = error ?: np_setup_find_bench(&cells[i].setup);
	if (!error) {
		struct np_buf b = { 0 };

		np_buf_puts(&b, "file=");
		np_qemu_escape(&b, cells[i].setup.bench);
		np_buf_puts(&b, ",out=" NP_COUNTS ",map=");
		np_qemu_escape(&b, absolute);
		np_buf_puts(&b, "/System.map");
		cells[i].plugin = b.s;
	}
	cells[i].machine = (struct np_machine) {
		.arch = cells[i].setup.arch,
		.qemu = cells[i].setup.qemu,
		.image = cells[i].setup.image,
		.initrd = cells[i].setup.initrd,
		.topology = topology,
		.plugin = cells[i].plugin,
		.timeout_s = o->timeout_s,
		.stall_s = o->timeout_s,
	};
	free(absolute);
	free(dir);
	return error;
}

static int run(struct np_options *o)
{
	struct np_topology topology;
	int status = NP_FAIL, err;
	char *error;

	choose_kernels(o);
	error = np_topology_parse(TOPOLOGY, &topology);
	if (error)
		np_die(NP_FAIL, "bench: %s", error);
	for (int i = 0; i < KERNELS && !error; i++)
		if (cells[i].wanted)
			error = find_cell(o, i, &topology);
	err = error ? 0 : np_mkdirs(o->out);
	if (err)
		error = np_asprintf("cannot make the directory %s: %s", o->out, strerror(-err));
	error = error ?: run_cells(o);
	if (error) {
		np_error("bench: %s", error);
		free(error);
	} else {
		print_table();
		print_spread();
		check_bounds(o);
		printf("%d passed, %d failed\n", passed, failed);
		status = failed ? NP_FAIL : NP_OK;
	}
	for (int i = 0; i < KERNELS; i++) {
		np_bench_free(&cells[i].log);
		np_setup_free(&cells[i].setup);
		free(cells[i].plugin);
	}
	np_topology_free(&topology);
	return status;
}

/**
 * cmd_bench() - measure what the library costs and hold it against the bounds
 * @argc: as for main()
 * @argv: as for main(), from the subcommand on
 *
 * Return: the exit status.
 */
int cmd_bench(int argc, char **argv)
{
	char *out = np_asprintf("%s/bench-results", np_self_dir());
	char *dir = np_asprintf("%s/bench", np_self_dir());
	char *initrd = np_asprintf("%s/guest/bench.cpio", np_self_dir());
	struct np_options o;
	int status = NP_OK;

	np_options_init(&o, "bench", out);
	o.kernel = dir;
	o.initrd = initrd;
	np_options_parse(&o, NP_FOR_BENCH, argc, argv);
	if (o.help)
		fputs(usage, stdout);
	else
		status = run(&o);
	np_options_free(&o);
	free(initrd);
	free(dir);
	free(out);
	return status;
}
