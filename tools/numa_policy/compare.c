// SPDX-License-Identifier: GPL-2.0
/*
 * numa-policy compare: workloads under scan policies in guests, and the table of it.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "commands.h"
#include "policies.h"
#include "runner.h"
#include "setup.h"
#include "table.h"
#include "util.h"
#include "workloads.h"

#define OUT_DEFAULT "build/results"
#define BASE_DEFAULT "pids_active"
#define REPS_MAX 1000
#define JOBS_MAX 256

/* More CPUs than this boot very slowly while instructions are counted: the help text says more. */
#define MANY_CPUS 32

/* Host seconds in which a guest on KVM must show that it works, and its own limit for that. */
#define PROBE_TIMEOUT 60
#define PROBE_LIMIT 2

/* Space that a run needs: a little, and some for each cell. */
#define SPACE_BYTES (4UL << 20)
#define SPACE_CELL_BYTES (64UL << 10)

/* Seconds between two versions of results.json while the run goes on. */
#define SAVE_EVERY_S 5

/* Tunables of NUMA balancing that a guest can set. */
static const char * const tunables[] = {
	"scan_delay_ms", "scan_period_min_ms", "scan_period_max_ms", "scan_size_mb",
	"hot_threshold_ms"
};

struct options {
	char **policies;
	int npolicies;
	char **workloads;
	int nworkloads;
	const char *base;
	const char *topology;
	const char *out;
	const char *kernel;
	const char *initrd;
	const char *qemu;
	const char *print;
	bool dry_run;
	const char **set;
	int nset;
	const char **tune;
	int ntune;
	long reps;
	long jobs;
	long seed;
	long shift;
	long sample_ms;
	long limit_s;
	long timeout_s;
	long stall_s;
	bool kvm;
	bool keep;
	bool traffic;
	struct np_latency latency;
};

struct compare {
	struct options o;
	struct np_plan plan;
	struct np_topology topology;
	struct np_results results;
	json_t *params;
	json_t *tune;
	struct np_setup setup;
	char *results_path;
	int out_fd;
	int unsaved;
	time_t saved;
	int save_error;
};

enum {
	OPT_POLICIES = 256, OPT_WORKLOADS, OPT_TOPOLOGY, OPT_REPS, OPT_JOBS, OPT_SEED, OPT_BASE,
	OPT_OUT, OPT_KERNEL, OPT_INITRD, OPT_SET, OPT_TUNE, OPT_SHIFT, OPT_SAMPLE, OPT_LIMIT,
	OPT_TIMEOUT, OPT_STALL, OPT_ACCEL, OPT_QEMU, OPT_KEEP, OPT_PRINT, OPT_DRY_RUN, OPT_HELP,
	OPT_TRAFFIC, OPT_LATENCY,
};

static const struct option long_options[] = {
	{ "policies", required_argument, NULL, OPT_POLICIES },
	{ "workloads", required_argument, NULL, OPT_WORKLOADS },
	{ "topology", required_argument, NULL, OPT_TOPOLOGY },
	{ "reps", required_argument, NULL, OPT_REPS },
	{ "jobs", required_argument, NULL, OPT_JOBS },
	{ "seed", required_argument, NULL, OPT_SEED },
	{ "base", required_argument, NULL, OPT_BASE },
	{ "out", required_argument, NULL, OPT_OUT },
	{ "kernel", required_argument, NULL, OPT_KERNEL },
	{ "initrd", required_argument, NULL, OPT_INITRD },
	{ "set", required_argument, NULL, OPT_SET },
	{ "tune", required_argument, NULL, OPT_TUNE },
	{ "shift", required_argument, NULL, OPT_SHIFT },
	{ "sample-ms", required_argument, NULL, OPT_SAMPLE },
	{ "limit", required_argument, NULL, OPT_LIMIT },
	{ "timeout", required_argument, NULL, OPT_TIMEOUT },
	{ "stall", required_argument, NULL, OPT_STALL },
	{ "accel", required_argument, NULL, OPT_ACCEL },
	{ "qemu", required_argument, NULL, OPT_QEMU },
	{ "keep", no_argument, NULL, OPT_KEEP },
	{ "traffic", no_argument, NULL, OPT_TRAFFIC },
	{ "latency", required_argument, NULL, OPT_LATENCY },
	{ "print", required_argument, NULL, OPT_PRINT },
	{ "dry-run", no_argument, NULL, OPT_DRY_RUN },
	{ "help", no_argument, NULL, OPT_HELP },
	{ 0 }
};

static const char usage_text[] =
"Usage: numa-policy compare [OPTION]...\n"
"       numa-policy compare --print DIR [--base P]\n"
"Runs workloads under scan policies of NUMA balancing in guests, writes DIR/results.json and\n"
"prints a table.\n"
"\n"
"What to compare:\n"
"  --policies A,B       scan policies (default: all)\n"
"  --workloads X,Y      workloads (default: all)\n"
"  --base P             policy to compare the others with (default pids_active, or the first)\n"
"  --topology T         nodes of the guests (default 2x2), see below\n"
"  --reps N             repetitions of each workload under each policy (default 5)\n"
"  --seed S             the repetitions' seeds are made from it (default 1); all policies get\n"
"                       the same seeds\n"
"  --set W.PARAM=VALUE  a parameter of workload W; may be repeated\n"
"  --tune NAME=VALUE    a tunable of NUMA balancing, in the guest; may be repeated\n"
"\n"
"How to run it:\n"
"  --out DIR            where results go (default build/results)\n"
"  --jobs J             guests at once (default: number of CPUs)\n"
"  --kernel DIR         directory with bzImage, config and release (default: kernel, beside this\n"
"                       program)\n"
"  --initrd FILE        the guests' initramfs (default: guest/initramfs.cpio, beside this program)\n"
"  --qemu PROGRAM       QEMU (default qemu-system-x86_64)\n"
"  --accel tcg|kvm      tcg (default): counts instructions, a busy host changes nothing;\n"
"                       kvm: real time, and only if a first guest shows that it works\n"
"  --shift N            an instruction takes 2^N ns of guest time (0 to 10; default: the\n"
"                       workload's)\n"
"  --sample-ms N        guest milliseconds between samples (default 1000)\n"
"  --limit S            guest seconds after which a workload has failed (default: the workload's)\n"
"  --timeout S          host seconds after which a guest is ended (default 600)\n"
"  --stall S            the same without a record or any console output (default 120)\n"
"  --keep               keep the guests' files of good cells too (DIR/cells)\n"
"  --traffic            count loads and stores of user space per vCPU and node; not with kvm\n"
"  --latency L/R        with --traffic: ns of a local and of a remote access for the modelled\n"
"                       time (default 89/139: two sockets of Xeon Scalable,\n"
"                       https://www.qdpma.com/ServerSystems/SingleProcessor.html)\n"
"\n"
"  --print DIR          run nothing, print the table of DIR/results.json; --base P compares with\n"
"                       another of its policies\n"
"  --dry-run            run nothing, only check these options\n"
"  --help               print this\n"
"\n"
"Exit status: 0 if every cell is fine, 1 if one failed or was not run, 2 for bad usage.\n";

static void print_help(void)
{
	const struct np_workload *w;
	const struct np_param *p;

	fputs(usage_text, stdout);
	printf("\n%s", np_topology_help);
	fputs("\nScan policies:\n", stdout);
	for (size_t i = 0; i < np_policies_count; i++)
		printf("  %-12s %s\n", np_policies[i].name, np_policies[i].help);
	fputs("\nWorkloads and their parameters:\n", stdout);
	for (w = np_workloads; w->name; w++) {
		if (w->hidden)
			continue;
		printf("  %-12s %s\n", w->name, w->help);
		for (p = w->params; p && p->name; p++)
			printf("    %-12s %s (%ld to %ld, default %ld)\n", p->name, p->help, p->min,
			       p->max, p->def);
	}
	fputs("\nTunables:", stdout);
	for (size_t i = 0; i < ARRAY_SIZE(tunables); i++)
		printf(" %s", tunables[i]);
	fputs("\n", stdout);
}

static void number_option(const char *name, const char *text, long min, long max, long *value)
{
	if (np_parse_long(text, min, max, value))
		np_die(NP_USAGE, "--%s %s: not a number from %ld to %ld", name, text, min, max);
}

static void latency_option(const char *text, struct np_latency *latency)
{
	char *error = np_latency_parse(text, latency);

	if (error)
		np_die(NP_USAGE, "--latency %s: %s", text, error);
}

static void add_text(const char ***list, int *n, const char *text)
{
	*list = np_realloc(*list, (*n + 1) * sizeof(**list));
	(*list)[(*n)++] = text;
}

static void one_option(struct options *o, int opt, const char *name, char *arg)
{
	switch (opt) {
	case OPT_POLICIES:
		np_split_free(o->policies, o->npolicies);
		o->policies = np_split(arg, ',', &o->npolicies);
		break;
	case OPT_WORKLOADS:
		np_split_free(o->workloads, o->nworkloads);
		o->workloads = np_split(arg, ',', &o->nworkloads);
		break;
	case OPT_TOPOLOGY:
		o->topology = arg;
		break;
	case OPT_REPS:
		number_option(name, arg, 1, REPS_MAX, &o->reps);
		break;
	case OPT_JOBS:
		number_option(name, arg, 1, JOBS_MAX, &o->jobs);
		break;
	case OPT_SEED:
		number_option(name, arg, 0, INT32_MAX, &o->seed);
		break;
	case OPT_BASE:
		o->base = arg;
		break;
	case OPT_OUT:
		o->out = arg;
		break;
	case OPT_KERNEL:
		o->kernel = arg;
		break;
	case OPT_INITRD:
		o->initrd = arg;
		break;
	case OPT_SET:
		add_text(&o->set, &o->nset, arg);
		break;
	case OPT_TUNE:
		add_text(&o->tune, &o->ntune, arg);
		break;
	case OPT_SHIFT:
		number_option(name, arg, 0, 10, &o->shift);
		break;
	case OPT_SAMPLE:
		number_option(name, arg, 10, 1000000, &o->sample_ms);
		break;
	case OPT_LIMIT:
		number_option(name, arg, 1, 1000000, &o->limit_s);
		break;
	case OPT_TIMEOUT:
		number_option(name, arg, 1, 1000000, &o->timeout_s);
		break;
	case OPT_STALL:
		number_option(name, arg, 1, 1000000, &o->stall_s);
		break;
	case OPT_ACCEL:
		o->kvm = !strcmp(arg, "kvm");
		if (!o->kvm && strcmp(arg, "tcg"))
			np_die(NP_USAGE, "--accel %s: there are tcg and kvm", arg);
		break;
	case OPT_QEMU:
		o->qemu = arg;
		break;
	case OPT_KEEP:
		o->keep = true;
		break;
	case OPT_TRAFFIC:
		o->traffic = true;
		break;
	case OPT_LATENCY:
		latency_option(arg, &o->latency);
		break;
	case OPT_DRY_RUN:
		o->dry_run = true;
		break;
	case OPT_PRINT:
		o->print = arg;
		break;
	}
}

/* Return: false if only the help was wanted. */
static bool parse_options(struct options *o, int argc, char **argv)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	int opt, index;

	*o = (struct options) {
		.topology = "2x2", .out = OUT_DEFAULT, .reps = 5, .seed = 1, .shift = -1,
		.sample_ms = NP_SAMPLE_MS, .timeout_s = NP_TIMEOUT_S,
		.stall_s = NP_STALL_S, .jobs = cpus < 1 ? 1 : cpus > JOBS_MAX ? JOBS_MAX : cpus,
	};
	o->latency.local_ns = -1;
	optind = 0;
	opterr = 0;
	while ((opt = getopt_long(argc, argv, ":", long_options, &index)) != -1) {
		if (opt == OPT_HELP) {
			print_help();
			return false;
		}
		if (opt == ':')
			np_die(NP_USAGE, "option '%s' needs a value", argv[optind - 1]);
		if (opt == '?')
			np_die(NP_USAGE, "unknown option '%s'; see numa-policy compare --help",
			       argv[optind - 1]);
		one_option(o, opt, long_options[index].name, optarg);
	}
	if (optind < argc)
		np_die(NP_USAGE, "unexpected argument '%s'; see numa-policy compare --help",
		       argv[optind]);
	return true;
}

static void check_twice(const char *what, char **list, int n)
{
	for (int i = 0; i < n; i++)
		for (int j = 0; j < i; j++)
			if (!strcmp(list[i], list[j]))
				np_die(NP_USAGE, "%s '%s' is named twice", what, list[i]);
}

static void check_policies(struct options *o)
{
	struct np_buf known = { 0 };

	for (size_t i = 0; i < np_policies_count; i++)
		np_buf_printf(&known, "%s%s", i ? ", " : "", np_policies[i].name);
	if (!o->policies) {
		o->npolicies = np_policies_count;
		o->policies = np_alloc(o->npolicies * sizeof(*o->policies));
		for (int i = 0; i < o->npolicies; i++)
			o->policies[i] = np_strdup(np_policies[i].name);
	}
	for (int i = 0; i < o->npolicies; i++) {
		if (!np_policy_find(o->policies[i]))
			np_die(NP_USAGE, "unknown policy '%s'; there are: %s", o->policies[i],
			       known.s);
		if (o->base && !strcmp(o->base, o->policies[i]))
			o->base = o->policies[i];
	}
	check_twice("policy", o->policies, o->npolicies);
	if (o->base && !np_policy_find(o->base))
		np_die(NP_USAGE, "--base: unknown policy '%s'; there are: %s", o->base, known.s);
	np_buf_free(&known);
	for (int i = 0; i < o->npolicies; i++) {
		if (o->base && !strcmp(o->base, o->policies[i]))
			return;
		if (!o->base && !strcmp(o->policies[i], BASE_DEFAULT)) {
			o->base = o->policies[i];
			return;
		}
	}
	if (o->base)
		np_die(NP_USAGE, "--base %s: this policy is not compared", o->base);
	o->base = o->policies[0];
}

static void check_workloads(struct options *o)
{
	struct np_buf known = { 0 };
	const struct np_workload *w;
	int n = 0;

	for (w = np_workloads; w->name; w++)
		if (!w->hidden)
			np_buf_printf(&known, "%s%s", n++ ? ", " : "", w->name);
	if (!o->workloads) {
		o->workloads = np_alloc(n * sizeof(*o->workloads));
		for (w = np_workloads; w->name; w++)
			if (!w->hidden)
				o->workloads[o->nworkloads++] = np_strdup(w->name);
	}
	for (int i = 0; i < o->nworkloads; i++)
		if (!np_workload_find(o->workloads[i]))
			np_die(NP_USAGE, "unknown workload '%s'; there are: %s", o->workloads[i],
			       known.s);
	check_twice("workload", o->workloads, o->nworkloads);
	np_buf_free(&known);
}

static void check_set(struct compare *c, const char *text)
{
	const char *dot = strchr(text, '.'), *eq = strchr(text, '=');
	const struct np_workload *w;
	const struct np_param *p;
	char *workload, *name;
	bool compared = false;
	json_t *of_workload;
	long value;

	if (!dot || !eq || eq < dot)
		np_die(NP_USAGE, "--set %s: not WORKLOAD.PARAM=VALUE", text);
	workload = np_strndup(text, dot - text);
	name = np_strndup(dot + 1, eq - dot - 1);
	w = np_workload_find(workload);
	if (!w)
		np_die(NP_USAGE, "--set %s: unknown workload '%s'", text, workload);
	for (int i = 0; i < c->o.nworkloads; i++)
		compared |= !strcmp(c->o.workloads[i], workload);
	if (!compared)
		np_die(NP_USAGE, "--set %s: workload '%s' is not run", text, workload);
	p = np_param_find(w, name);
	if (!p) {
		struct np_buf known = { 0 };

		for (p = w->params; p->name; p++)
			np_buf_printf(&known, " %s", p->name);
		np_die(NP_USAGE, "--set %s: workload '%s' has no parameter '%s'; it has:%s", text,
		       workload, name, known.s ? known.s : " none");
	}
	if (np_parse_long(eq + 1, p->min, p->max, &value))
		np_die(NP_USAGE, "--set %s: '%s' is not a number from %ld to %ld", text, eq + 1,
		       p->min, p->max);
	of_workload = json_object_get(c->params, workload);
	if (!of_workload) {
		of_workload = json_object();
		json_object_set_new(c->params, workload, of_workload);
	}
	json_object_set_new(of_workload, name, json_integer(value));
	free(workload);
	free(name);
}

static void check_tune(struct compare *c, const char *text)
{
	const char *eq = strchr(text, '=');
	struct np_buf known = { 0 };
	char *name;
	long value;
	int min;

	if (!eq)
		np_die(NP_USAGE, "--tune %s: not NAME=VALUE", text);
	name = np_strndup(text, eq - text);
	for (size_t i = 0; i < ARRAY_SIZE(tunables); i++) {
		np_buf_printf(&known, "%s%s", i ? ", " : "", tunables[i]);
		if (strcmp(name, tunables[i]))
			continue;
		/* The kernel divides by the scan size. */
		min = !strcmp(name, "scan_size_mb");
		if (np_parse_long(eq + 1, min, INT32_MAX, &value))
			np_die(NP_USAGE, "--tune %s: '%s' is not a number from %d to %d", text,
			       eq + 1, min, INT32_MAX);
		json_object_set_new(c->tune, name, json_integer(value));
		np_buf_free(&known);
		free(name);
		return;
	}
	np_die(NP_USAGE, "--tune %s: unknown tunable '%s'; there are: %s", text, name, known.s);
}

/* Everything that can be said about the command line alone; ends the program if it is bad. */
static void check_usage(struct compare *c)
{
	char *error;
	int full = 0;

	check_policies(&c->o);
	check_workloads(&c->o);
	error = np_topology_parse(c->o.topology, &c->topology);
	if (error)
		np_die(NP_USAGE, "topology '%s': %s", c->o.topology, error);
	for (int i = 0; i < c->topology.nodes; i++)
		full += c->topology.node[i].cpus && c->topology.node[i].mem_mb;
	if (full < 2)
		np_die(NP_USAGE, "topology '%s': the workloads need two nodes with CPUs and memory",
		       c->o.topology);
	if (!c->topology.symmetric)
		np_error("note: distances of topology '%s' differ with the direction",
			 c->o.topology);
	if (c->topology.cpus > MANY_CPUS && !c->o.kvm)
		np_error("note: a guest of %d CPUs may take minutes to boot; see --stall",
			 c->topology.cpus);
	c->params = json_object();
	c->tune = json_object();
	for (int i = 0; i < c->o.nset; i++)
		check_set(c, c->o.set[i]);
	for (int i = 0; i < c->o.ntune; i++)
		check_tune(c, c->o.tune[i]);
	if (c->o.kvm && c->o.shift >= 0)
		np_die(NP_USAGE, "--shift has no meaning with --accel kvm");
	if (c->o.kvm && c->o.traffic)
		np_die(NP_USAGE, "--traffic needs --accel tcg: accesses on KVM cannot be counted");
	if (c->o.latency.local_ns < 0)
		c->o.latency = (struct np_latency){ NP_LATENCY_LOCAL_NS, NP_LATENCY_REMOTE_NS };
	else if (!c->o.traffic)
		np_die(NP_USAGE, "--latency has no meaning without --traffic");
}

/* Everything that guests are made of; ends the program if something is missing. */
static void find_parts(struct compare *c)
{
	const struct options *o = &c->o;
	char *error;

	error = np_setup_find(&c->setup, o->qemu, o->kernel, o->initrd);
	if (!error && o->traffic)
		error = np_setup_find_traffic(&c->setup);
	for (int i = 0; i < o->npolicies && !error; i++)
		error = np_setup_lacks(&c->setup, np_policy_find(o->policies[i]));
	if (error)
		np_die(NP_FAIL, "%s", error);
}

static void file_time(const char *path, char *text, size_t size)
{
	struct stat st;
	struct tm tm;

	if (stat(path, &st))
		st.st_mtime = time(NULL);
	localtime_r(&st.st_mtime, &tm);
	strftime(text, size, "%Y%m%d-%H%M%S", &tm);
}

/* Earlier results get another name; nothing is ever overwritten. */
static void keep_old(const struct compare *c)
{
	static const char * const names[] = { "results%s.json", "cells%s" };
	const char *out = c->o.out;
	char stamp[32], suffix[64];
	int n = 0;

	if (access(c->results_path, F_OK))
		return;
	file_time(c->results_path, stamp, sizeof(stamp));
	snprintf(suffix, sizeof(suffix), "-%s", stamp);
	for (;;) {
		char *path = np_asprintf("%s/results%s.json", out, suffix);
		bool taken = !access(path, F_OK);

		free(path);
		if (!taken)
			break;
		snprintf(suffix, sizeof(suffix), "-%s-%d", stamp, ++n);
	}
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		bool results = !i;
		char *from = np_asprintf(results ? "%s/results.json" : "%s/cells", out);
		char *to = np_asprintf(results ? "%s/results%s.json" : "%s/cells%s", out, suffix);

		if (!rename(from, to))
			np_error("earlier results are kept as %s", to);
		else if (errno != ENOENT)
			np_die(NP_FAIL, "cannot rename %s: %s", from, strerror(errno));
		free(from);
		free(to);
	}
}

/* The directory must be ours alone, writable, and on a file system with some space. */
static void open_out(struct compare *c)
{
	unsigned long long need, have;
	const char *out = c->o.out;
	struct statvfs st;
	char *probe;
	int err;

	err = np_mkdirs(out);
	if (err)
		np_die(NP_FAIL, "cannot make the directory %s: %s", out, strerror(-err));
	c->out_fd = open(out, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (c->out_fd < 0)
		np_die(NP_FAIL, "cannot open the directory %s: %s", out, strerror(errno));
	if (flock(c->out_fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK)
		np_die(NP_FAIL, "another numa-policy compare writes to %s", out);
	probe = np_asprintf("%s/.writable", out);
	err = np_write_file(probe, "x", 1);
	if (err)
		np_die(NP_FAIL, "cannot write to %s: %s", out, strerror(-err));
	unlink(probe);
	free(probe);
	need = SPACE_BYTES + (unsigned long long)c->results.ncells * SPACE_CELL_BYTES;
	if (!fstatvfs(c->out_fd, &st)) {
		have = (unsigned long long)st.f_bavail * st.f_frsize;
		if (have < need)
			np_die(NP_FAIL, "%s: %llu MB free, %d cells need about %llu MB", out,
			       have >> 20, c->results.ncells, (need >> 20) + 1);
	}
	c->results_path = np_asprintf("%s/results.json", out);
}

/* Scatters the bits of @x; the constants are those of the splitmix64 generator. */
static uint64_t scatter(uint64_t x)
{
	x += 0x9e3779b97f4a7c15ULL;
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
	return x ^ (x >> 31);
}

/* The same for all workloads and policies: 1 to 2^31 - 1. */
static long rep_seed(long seed, int rep)
{
	long s = scatter(scatter(seed) + rep) & INT32_MAX;

	return s ? s : 1;
}

/* Repetition by repetition, so that an interrupted run has all policies equally often. */
static void make_cells(struct compare *c)
{
	struct np_results *r = &c->results;
	const struct options *o = &c->o;
	int n = 0;

	r->ncells = o->reps * o->nworkloads * o->npolicies;
	r->cells = np_alloc(r->ncells * sizeof(*r->cells));
	for (int rep = 1; rep <= o->reps; rep++)
		for (int w = 0; w < o->nworkloads; w++)
			for (int p = 0; p < o->npolicies; p++, n++)
				r->cells[n] = (struct np_cell) {
					.workload = np_strdup(o->workloads[w]),
					.policy = np_strdup(o->policies[p]),
					.rep = rep,
					.seed = rep_seed(o->seed, rep),
				};
}

static void add_quoted(struct np_buf *b, const char *word)
{
	const char *p = word;

	while (isalnum((unsigned char)*p) || (*p && strchr("_-+=.,:/%@", *p)))
		p++;
	if (p > word && !*p) {
		np_buf_puts(b, word);
		return;
	}
	np_buf_puts(b, "'");
	for (; *word; word++) {
		if (*word == '\'')
			np_buf_puts(b, "'\\''");
		else
			np_buf_add(b, word, 1);
	}
	np_buf_puts(b, "'");
}

static void add_list(struct np_buf *b, const char *option, char **list, int n)
{
	for (int i = 0; i < n; i++)
		np_buf_printf(b, "%s%s", i ? "," : option, list[i]);
}

/* The command that measures the same again: what matters to the numbers, spelled out. */
static char *reproduce(const struct options *o)
{
	struct np_buf b = { 0 };

	np_buf_puts(&b, "numa-policy compare");
	add_list(&b, " --policies ", o->policies, o->npolicies);
	add_list(&b, " --workloads ", o->workloads, o->nworkloads);
	np_buf_printf(&b, " --base %s --topology %s --reps %ld --seed %ld", o->base, o->topology,
		      o->reps, o->seed);
	for (int i = 0; i < o->nset; i++)
		np_buf_printf(&b, " --set %s", o->set[i]);
	for (int i = 0; i < o->ntune; i++)
		np_buf_printf(&b, " --tune %s", o->tune[i]);
	if (o->shift >= 0)
		np_buf_printf(&b, " --shift %ld", o->shift);
	if (o->sample_ms != NP_SAMPLE_MS)
		np_buf_printf(&b, " --sample-ms %ld", o->sample_ms);
	if (o->limit_s)
		np_buf_printf(&b, " --limit %ld", o->limit_s);
	if (o->kvm)
		np_buf_puts(&b, " --accel kvm");
	if (o->traffic)
		np_buf_printf(&b, " --traffic --latency %.12g/%.12g", o->latency.local_ns,
			      o->latency.remote_ns);
	if (o->kernel) {
		np_buf_puts(&b, " --kernel ");
		add_quoted(&b, o->kernel);
	}
	if (o->initrd) {
		np_buf_puts(&b, " --initrd ");
		add_quoted(&b, o->initrd);
	}
	if (o->qemu) {
		np_buf_puts(&b, " --qemu ");
		add_quoted(&b, o->qemu);
	}
	return b.s;
}

static json_t *now_text(void)
{
	time_t t = time(NULL);
	char text[40];
	struct tm tm;

	gmtime_r(&t, &tm);
	strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &tm);
	return json_string(text);
}

static json_t *workload_list(const struct compare *c)
{
	json_t *list = json_array();

	for (int i = 0; i < c->o.nworkloads; i++) {
		const char *name = c->o.workloads[i];
		const struct np_param *p = np_workload_find(name)->params;
		json_t *set = json_object_get(c->params, name), *params = json_object();

		for (; p && p->name; p++)
			json_object_set_new(params, p->name, json_integer(p->def));
		json_object_update(params, set);
		json_array_append_new(list, json_pack("{s:s, s:o, s:I, s:o}", "name", name,
						      "shift", c->o.kvm ? json_null() :
						      json_integer(np_plan_shift(&c->plan, name)),
						      "limit_s",
						      (json_int_t)np_plan_limit(&c->plan, name),
						      "params", params));
	}
	return list;
}

static void make_head(struct compare *c, int argc, char **argv)
{
	json_t *command = json_array(), *policies = json_array(), *seeds = json_array();
	json_t *head = json_object();
	const struct options *o = &c->o;
	char *again, *error;

	json_array_append_new(command, json_string("numa-policy"));
	for (int i = 0; i < argc; i++)
		json_array_append_new(command, np_json_text(argv[i]));
	for (int i = 0; i < o->npolicies; i++)
		json_array_append_new(policies, json_string(o->policies[i]));
	for (int rep = 1; rep <= o->reps; rep++)
		json_array_append_new(seeds, json_integer(rep_seed(o->seed, rep)));
	again = reproduce(o);

	json_object_set_new(head, "schema", json_string(NP_RESULTS_SCHEMA));
	json_object_set_new(head, "version", json_integer(NP_RESULTS_VERSION));
	json_object_set_new(head, "tool", json_pack("{s:s, s:s}", "name", "numa-policy",
						    "version", NP_VERSION));
	json_object_set_new(head, "command", command);
	json_object_set_new(head, "reproduce", np_json_text(again));
	json_object_set_new(head, "started", now_text());
	json_object_set_new(head, "ended", json_null());
	json_object_set_new(head, "interrupted", json_false());
	json_object_set_new(head, "host_cpus", json_integer(sysconf(_SC_NPROCESSORS_ONLN)));
	json_object_set_new(head, "kernel", json_pack("{s:s, s:s, s:s?, s:O}", "release",
						      c->setup.release, "config_sha256",
						      c->setup.config_sha256, "library_sha256",
						      c->setup.library, "config",
						      c->setup.config));
	json_object_set_new(head, "qemu", json_pack("{s:s, s:s}", "version",
						    c->setup.qemu_version, "accel",
						    o->kvm ? "kvm" : "tcg"));
	json_object_set_new(head, "topology", np_topology_json(&c->topology));
	json_object_set_new(head, "policies", policies);
	json_object_set_new(head, "base", json_string(o->base));
	json_object_set_new(head, "workloads", workload_list(c));
	json_object_set_new(head, "tunables", json_deep_copy(c->tune));
	json_object_set_new(head, "reps", json_integer(o->reps));
	json_object_set_new(head, "seed", json_integer(o->seed));
	json_object_set_new(head, "seeds", seeds);
	json_object_set_new(head, "sample_ms", json_integer(o->sample_ms));
	json_object_set_new(head, "jobs", json_integer(o->jobs));
	if (o->traffic)
		json_object_set_new(head, "traffic", json_pack("{s:f, s:f}", "local_ns",
							       o->latency.local_ns, "remote_ns",
							       o->latency.remote_ns));
	json_object_set_new(head, "timeout_s", json_integer(o->timeout_s));
	json_object_set_new(head, "stall_s", json_integer(o->stall_s));
	free(again);
	c->results.head = head;
	error = np_results_index(&c->results);
	if (error)
		np_die(NP_FAIL, "%s", error);
}

static void make_plan(struct compare *c)
{
	const struct options *o = &c->o;

	c->plan = (struct np_plan) {
		.machine = {
			.qemu = c->setup.qemu,
			.image = c->setup.image,
			.initrd = c->setup.initrd,
			.topology = &c->topology,
			.traffic = c->setup.traffic,
			.kvm = o->kvm,
			.timeout_s = o->timeout_s,
			.stall_s = o->stall_s,
		},
		.release = c->setup.release,
		.windows = c->setup.windows,
		.out = o->out,
		.jobs = o->jobs,
		.shift = o->shift,
		.limit_s = o->limit_s,
		.sample_ms = o->sample_ms,
		.params = c->params,
		.tunables = c->tune,
		.latency = o->latency,
		.keep = o->keep,
	};
}

/* One cell's command line is as long as another's; see whether the kernel takes it. */
static void check_appends(const struct compare *c)
{
	for (int i = 0; i < c->results.ncells; i++) {
		char *append = np_plan_append(&c->plan, &c->results.cells[i]);
		char *error = np_plan_check_append(append);

		if (error)
			np_die(NP_USAGE, "%s", error);
		free(append);
	}
}

static void save(struct compare *c)
{
	int err = np_results_save(&c->results, c->results_path);

	c->unsaved = 0;
	c->saved = time(NULL);
	if (err)
		c->save_error = err;
}

static int cell_done(struct np_cell *cell, void *arg)
{
	struct compare *c = arg;

	(void)cell;
	c->unsaved++;
	if (time(NULL) - c->saved >= SAVE_EVERY_S)
		save(c);
	if (c->save_error)
		np_error("cannot write %s: %s; stopping", c->results_path,
			 strerror(-c->save_error));
	return c->save_error;
}

/*
 * A guest on KVM may hang where the host's virtualisation is itself virtual. An end record is
 * wanted, of whatever content: the limit is there to make it come early.
 */
static int probe_kvm(const struct compare *c)
{
	const struct np_cell *first = &c->results.cells[0];
	struct np_cell cell = {
		.workload = first->workload, .policy = first->policy, .seed = first->seed,
	};
	struct np_plan plan = c->plan;
	enum np_run_end end;
	int status = NP_OK;

	if (access("/dev/kvm", R_OK | W_OK)) {
		np_error("--accel kvm: cannot use /dev/kvm: %s", strerror(errno));
		return NP_FAIL;
	}
	plan.jobs = 1;
	plan.quiet = true;
	plan.limit_s = PROBE_LIMIT;
	plan.machine.timeout_s = PROBE_TIMEOUT;
	end = np_plan_run(&plan, &cell, 1);
	if (end != NP_RUN_COMPLETE || !cell.metrics) {
		np_error("--accel kvm: a first guest did not work: %s", cell.reason);
		status = NP_FAIL;
	}
	np_cell_clear(&cell);
	return status;
}

/* A table that did not arrive is a failure too. */
static int print_table(const struct np_results *r)
{
	np_table_print(stdout, r);
	if (!fflush(stdout) && !ferror(stdout))
		return NP_OK;
	np_error("cannot print the table: %s", strerror(errno));
	return NP_FAIL;
}

static int run(struct compare *c)
{
	struct np_results *r = &c->results;
	enum np_run_end end;
	int status;

	c->plan.done = cell_done;
	c->plan.arg = c;
	save(c);
	if (c->save_error) {
		np_error("cannot write %s: %s", c->results_path, strerror(-c->save_error));
		return NP_FAIL;
	}
	end = np_plan_run(&c->plan, r->cells, r->ncells);
	json_object_set_new(r->head, "ended", now_text());
	json_object_set_new(r->head, "interrupted", json_boolean(end != NP_RUN_COMPLETE));
	save(c);
	status = print_table(r);
	if (c->save_error) {
		np_error("cannot write %s: %s; the file there, if any, is older", c->results_path,
			 strerror(-c->save_error));
		return NP_FAIL;
	}
	for (int i = 0; i < r->ncells; i++)
		if (r->cells[i].status != NP_CELL_OK)
			status = NP_FAIL;
	if (end == NP_RUN_INTERRUPTED)
		np_error("interrupted; what was finished is in %s", c->results_path);
	return status;
}

/* Compare with another policy of the results than the one they were made to be compared with. */
static int choose_base(struct np_results *r, const char *base)
{
	for (int i = 0; base && i < r->npolicies; i++) {
		if (strcmp(r->policies[i], base))
			continue;
		r->base = r->policies[i];
		return NP_OK;
	}
	if (base)
		np_error("--base %s: this policy is not in the results", base);
	return base ? NP_USAGE : NP_OK;
}

static int print_only(const char *dir, const char *base)
{
	struct np_results r;
	struct stat st;
	char *path, *error;
	int status = NP_OK;

	if (!stat(dir, &st) && !S_ISDIR(st.st_mode))
		path = np_strdup(dir);
	else
		path = np_asprintf("%s/results.json", dir);
	error = np_results_load(&r, path);
	free(path);
	if (error) {
		np_error("%s", error);
		free(error);
		status = NP_FAIL;
	} else {
		status = choose_base(&r, base);
		if (!status)
			status = print_table(&r);
	}
	for (int i = 0; i < r.ncells && !status; i++)
		if (r.cells[i].status != NP_CELL_OK)
			status = NP_FAIL;
	np_results_free(&r);
	return status;
}

static void free_compare(struct compare *c)
{
	struct options *o = &c->o;

	np_split_free(o->policies, o->npolicies);
	np_split_free(o->workloads, o->nworkloads);
	free(o->set);
	free(o->tune);
	np_results_free(&c->results);
	np_topology_free(&c->topology);
	json_decref(c->params);
	json_decref(c->tune);
	np_setup_free(&c->setup);
	free(c->results_path);
	if (c->out_fd >= 0)
		close(c->out_fd);
}

/**
 * cmd_compare() - the subcommand "compare"
 * @argc: number of arguments
 * @argv: the arguments, from the subcommand's name on
 *
 * Return: NP_OK if every cell is fine, NP_FAIL, or NP_USAGE.
 */
int cmd_compare(int argc, char **argv)
{
	struct compare c = { .out_fd = -1 };
	int status = NP_OK;

	if (!parse_options(&c.o, argc, argv))
		goto out;
	if (c.o.print) {
		status = print_only(c.o.print, c.o.base);
		goto out;
	}
	check_usage(&c);
	if (c.o.dry_run)
		goto out;
	find_parts(&c);
	make_cells(&c);
	make_plan(&c);
	check_appends(&c);
	make_head(&c, argc, argv);
	open_out(&c);
	if (c.o.kvm)
		status = probe_kvm(&c);
	if (!status) {
		keep_old(&c);
		status = run(&c);
	}
out:
	free_compare(&c);
	return status;
}
