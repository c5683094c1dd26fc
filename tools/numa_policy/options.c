// SPDX-License-Identifier: GPL-2.0
/*
 * Options of the subcommands that run guests: one table for all of them, and what can be said
 * about them before anything is looked for.
 */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "experiments.h"
#include "options.h"
#include "policies.h"
#include "runner.h"
#include "util.h"
#include "workloads.h"

#define REPS_DEFAULT 5
#define REPS_MAX 1000
#define JOBS_MAX 256
#define NUMBER_MAX 1000000

/* More CPUs than this boot very slowly while instructions are counted: the help text says more. */
#define MANY_CPUS 32

#define ALL (NP_FOR_COMPARE | NP_FOR_RUN | NP_FOR_EXPERIMENT | NP_FOR_VERIFY)
#define GUESTS (ALL | NP_FOR_BENCH)
#define MATRIX (NP_FOR_COMPARE | NP_FOR_RUN | NP_FOR_EXPERIMENT)
#define TABLE (NP_FOR_COMPARE | NP_FOR_RUN)

enum kind {
	FLAG,
	TEXT,
	NUMBER,
	LIST,		/* commas between its parts; given again, it replaces the earlier one */
	TEXTS,		/* may be repeated */
	ACCEL,
};

/* Not a subcommand: the option is about guests, and --native does without. */
#define OF_GUESTS 0x100U
/* Not one either: the subcommand "run" has the option with --native only. */
#define OF_NATIVE 0x200U

static const struct definition {
	const char *name;
	enum kind kind;
	size_t at;
	unsigned int commands;
	long min;
	long max;
} definitions[] = {
#define AT(_member) offsetof(struct np_options, _member)
	{ "policies", LIST, AT(policies), NP_FOR_COMPARE | NP_FOR_RUN | NP_FOR_VERIFY },
	{ "kernels", LIST, AT(kernels), NP_FOR_BENCH },
	{ "native", FLAG, AT(native), NP_FOR_RUN },
	{ "root", TEXT, AT(root), NP_FOR_RUN | OF_NATIVE },
	{ "workloads", LIST, AT(workloads), TABLE | OF_NATIVE },
	{ "base", TEXT, AT(base), TABLE },
	{ "topology", TEXT, AT(topology), ALL | OF_GUESTS },
	{ "reps", NUMBER, AT(reps), TABLE, 1, REPS_MAX },
	{ "seed", NUMBER, AT(seed), ALL, 0, INT32_MAX },
	{ "set", TEXTS, AT(set), TABLE | OF_NATIVE },
	{ "tune", TEXTS, AT(tune), TABLE },
	{ "out", TEXT, AT(out), GUESTS },
	{ "jobs", NUMBER, AT(jobs), GUESTS | OF_GUESTS, 1, JOBS_MAX },
	{ "kernel", TEXT, AT(kernel), GUESTS | OF_GUESTS },
	{ "initrd", TEXT, AT(initrd), GUESTS | OF_GUESTS },
	{ "qemu", TEXT, AT(qemu), GUESTS | OF_GUESTS },
	{ "accel", ACCEL, AT(kvm), TABLE | OF_GUESTS },
	{ "shift", NUMBER, AT(shift), TABLE | OF_GUESTS, 0, 10 },
	{ "sample-ms", NUMBER, AT(sample_ms), TABLE, 10, NUMBER_MAX },
	{ "limit", NUMBER, AT(limit_s), TABLE, 1, NUMBER_MAX },
	{ "timeout", NUMBER, AT(timeout_s), GUESTS | OF_GUESTS, 1, NUMBER_MAX },
	{ "stall", NUMBER, AT(stall_s), MATRIX | OF_GUESTS, 1, NUMBER_MAX },
	{ "traffic", FLAG, AT(traffic), TABLE | OF_GUESTS },
	{ "latency", TEXT, AT(latency_text), TABLE | OF_GUESTS },
	{ "looks", NUMBER, AT(looks), NP_FOR_EXPERIMENT, 1, NP_LOOKS_MAX },
	{ "resume", FLAG, AT(resume), MATRIX | OF_NATIVE },
	{ "decisions", FLAG, AT(decisions), TABLE | OF_GUESTS },
	{ "assume", FLAG, AT(assume), TABLE | OF_GUESTS },
	{ "keep", FLAG, AT(keep), MATRIX },
	{ "print", TEXT, AT(print), NP_FOR_COMPARE },
	{ "list-cells", FLAG, AT(list_cells), TABLE | OF_NATIVE },
	{ "cell", TEXTS, AT(cell), NP_FOR_COMPARE },
	{ "save", TEXT, AT(save), NP_FOR_COMPARE },
	{ "dry-run", FLAG, AT(dry_run), MATRIX },
	{ "help", FLAG, AT(help), GUESTS },
#undef AT
};

/** np_options_run_help - help on how guests are run, for the subcommands that take all of these */
const char np_options_run_help[] =
"  --jobs J             guests at once (default: number of CPUs)\n"
"  --kernel DIR         directory with bzImage (arm64: Image), config, release (default: kernel, beside this\n"
"                       program)\n"
"  --initrd FILE        the guests' initramfs (default: guest/initramfs.cpio, beside this program)\n"
"  --qemu PROGRAM       QEMU (default: that of the kernel's architecture)\n"
"  --accel tcg|kvm      tcg (default): counts instructions, a busy host changes nothing;\n"
"                       kvm: real time, and only if a first guest shows that it works\n"
"  --shift N            an instruction takes 2^N ns of guest time (0 to 10; default: the\n"
"                       workload's)\n"
"  --sample-ms N        guest milliseconds between samples (default 1000)\n"
"  --limit S            guest seconds after which a workload has failed (default: the workload's)\n"
"  --timeout S          host seconds after which a guest is ended (default 600)\n"
"  --stall S            the same without a record or any console output (default 120)\n"
"  --traffic            count loads and stores of user space per vCPU and node; not with kvm\n"
"  --latency L/R        with --traffic: ns of a local and of a remote access for the modelled\n"
"                       time (default 89/139: two sockets of Xeon Scalable,\n"
"                       https://www.qdpma.com/ServerSystems/SingleProcessor.html)\n"
"  --decisions          record every decision too, from the kernel's trace event; costs some\n"
"                       system time\n"
"  --assume             the kernel neither takes nor tells the name of a policy (it has no\n"
"                       library, or an early patch of the series only): take it that its own\n"
"                       check is the one that --policies names\n"
"  --keep               keep the guests' files of good cells too (DIR/cells)\n";

/** np_tunables - tunables of NUMA balancing that can be set */
const char * const np_tunables[] = {
	"scan_delay_ms", "scan_period_min_ms", "scan_period_max_ms", "scan_size_mb",
	"hot_threshold_ms"
};

/** np_tunables_count - how many there are */
const int np_tunables_count = ARRAY_SIZE(np_tunables);

/**
 * np_list_add() - append a text to a list
 * @list: the list
 * @text: the text, copied
 */
void np_list_add(struct np_list *list, const char *text)
{
	list->v = np_realloc(list->v, (list->n + 1) * sizeof(*list->v));
	list->v[list->n++] = np_strdup(text);
}

/**
 * np_list_set() - make a list of a text with commas
 * @list: the list; what it had before is freed
 * @comma_separated: the text
 */
void np_list_set(struct np_list *list, const char *comma_separated)
{
	np_list_free(list);
	list->v = np_split(comma_separated, ',', &list->n);
}

/**
 * np_list_free() - free a list
 * @list: the list; empty afterwards
 */
void np_list_free(struct np_list *list)
{
	np_split_free(list->v, list->n);
	list->v = NULL;
	list->n = 0;
}

/**
 * np_options_init() - the options of somebody who gave none
 * @o: the options; to be freed by np_options_free()
 * @command: name of the subcommand, for messages
 * @out: directory for results
 */
void np_options_init(struct np_options *o, const char *command, const char *out)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	*o = (struct np_options) {
		.command = command, .topology = "2x2", .out = out, .reps = REPS_DEFAULT, .seed = 1,
		.shift = -1, .sample_ms = NP_SAMPLE_MS, .timeout_s = NP_TIMEOUT_S,
		.stall_s = NP_STALL_S, .looks = NP_LOOKS_MAX,
		.jobs = cpus < 1 ? 1 : cpus > JOBS_MAX ? JOBS_MAX : cpus,
	};
}

static void store(struct np_options *o, const struct definition *d, const char *arg)
{
	void *at = (char *)o + d->at;

	switch (d->kind) {
	case FLAG:
		*(bool *)at = true;
		break;
	case TEXT:
		*(const char **)at = arg;
		break;
	case NUMBER:
		if (np_parse_long(arg, d->min, d->max, at))
			np_die(NP_USAGE, "--%s %s: not a number from %ld to %ld", d->name, arg,
			       d->min, d->max);
		break;
	case LIST:
		np_list_set(at, arg);
		break;
	case TEXTS:
		np_list_add(at, arg);
		break;
	case ACCEL:
		*(bool *)at = !strcmp(arg, "kvm");
		if (!*(bool *)at && strcmp(arg, "tcg"))
			np_die(NP_USAGE, "--accel %s: there are tcg and kvm", arg);
		break;
	}
}

/* getopt() goes on to the next word behind the last letter of a word of letters only. */
static void unknown_option(const struct np_options *o, char **argv)
{
	if (optopt)
		np_die(NP_USAGE, "unknown option '-%c'; see numa-policy %s --help", optopt,
		       o->command);
	np_die(NP_USAGE, "unknown option '%s'; see numa-policy %s --help", argv[optind - 1],
	       o->command);
}

/* Remember what goes with guests only, or without them only; one job at a time does both. */
static void note_place(struct np_options *o, const struct definition *d, unsigned int command)
{
	if (d->commands & OF_GUESTS &&
	    !(d->at == offsetof(struct np_options, jobs) && o->jobs == 1))
		o->of_guests = d->name;
	if (d->commands & OF_NATIVE && command == NP_FOR_RUN)
		o->of_native = d->name;
}

static void check_place(struct np_options *o)
{
	if (o->native && o->of_guests)
		np_die(NP_USAGE, "--%s is about guests, it does not go with --native",
		       o->of_guests);
	if (!o->native && o->of_native)
		np_die(NP_USAGE, "--%s goes with --native only; numa-policy compare has it for guests",
		       o->of_native);
	if (o->native)
		o->jobs = 1;
}

/**
 * np_options_parse() - read a command line; ends the program if it is bad
 * @o: the options, with what they are if nothing is said
 * @command: the subcommand, one of NP_FOR_*
 * @argc: as for main()
 * @argv: as for main(), from the subcommand's name on
 *
 * Only NP_FOR_RUN, NP_FOR_EXPERIMENT and --print take arguments that are no options; the first's
 * begin at the first of them.
 */
void np_options_parse(struct np_options *o, unsigned int command, int argc, char **argv)
{
	struct option longs[ARRAY_SIZE(definitions) + 1] = { 0 };
	const struct definition *defined[ARRAY_SIZE(definitions)];
	int opt, index, n = 0;

	for (size_t i = 0; i < ARRAY_SIZE(definitions); i++) {
		const struct definition *d = &definitions[i];

		if (!(d->commands & command))
			continue;
		longs[n] = (struct option) { d->name, d->kind != FLAG, NULL, 1 };
		defined[n++] = d;
	}
	optind = 0;
	opterr = 0;
	while ((opt = getopt_long(argc, argv, command == NP_FOR_RUN ? "+:" : ":", longs,
				  &index)) != -1) {
		if (opt == ':')
			np_die(NP_USAGE, "option '%s' needs a value", argv[optind - 1]);
		if (opt == '?')
			unknown_option(o, argv);
		store(o, defined[index], optarg);
		note_place(o, defined[index], command);
		if (o->help)
			return;
	}
	check_place(o);
	if (optind < argc && !o->print && !(command & (NP_FOR_RUN | NP_FOR_EXPERIMENT)))
		np_die(NP_USAGE, "unexpected argument '%s'; see numa-policy %s --help",
		       argv[optind], o->command);
	o->rest = argv + optind;
	o->nrest = argc - optind;
}

/**
 * np_options_free() - free options
 * @o: the options
 */
void np_options_free(struct np_options *o)
{
	np_list_free(&o->policies);
	np_list_free(&o->workloads);
	np_list_free(&o->kernels);
	np_list_free(&o->set);
	np_list_free(&o->tune);
	np_list_free(&o->cell);
	np_list_free(&o->known);
}

static void check_twice(const char *what, const struct np_list *list)
{
	for (int i = 0; i < list->n; i++)
		for (int j = 0; j < i; j++)
			if (!strcmp(list->v[i], list->v[j]))
				np_die(NP_USAGE, "%s '%s' is named twice", what, list->v[i]);
}

/* The base is one of the policies: the one asked for, or the usual one, or the first. */
static void check_base(struct np_options *o)
{
	const char *wanted = o->base ? o->base : NP_BASE_DEFAULT;

	for (int i = 0; i < o->policies.n; i++) {
		if (strcmp(wanted, o->policies.v[i]))
			continue;
		o->base = o->policies.v[i];
		return;
	}
	if (o->base)
		np_die(NP_USAGE, "--base %s: this policy is not compared", o->base);
	o->base = o->policies.v[0];
}

/* All policies of the library here. */
static void add_library(struct np_list *list)
{
	for (size_t i = 0; i < np_policies_count; i++)
		np_list_add(list, np_policies[i].name);
}

static bool is_known(const struct np_options *o, const char *policy)
{
	for (int i = 0; i < o->known.n; i++)
		if (!strcmp(o->known.v[i], policy))
			return true;
	return false;
}

/**
 * np_options_check_policies() - see that the policies exist, or take all; find the base
 * @o: the options; ends the program if they are bad
 */
void np_options_check_policies(struct np_options *o)
{
	const char *where = o->native && o->known.n ? "this kernel has" : "there are";
	bool none = !o->policies.v;
	struct np_buf known = { 0 };

	if (!o->known.n)
		add_library(&o->known);
	for (int i = 0; i < o->known.n; i++) {
		np_buf_printf(&known, "%s%s", i ? ", " : "", o->known.v[i]);
		if (none)
			np_list_add(&o->policies, o->known.v[i]);
	}
	for (int i = 0; i < o->policies.n; i++)
		if (!is_known(o, o->policies.v[i]))
			np_die(NP_USAGE, "unknown policy '%s'; %s: %s", o->policies.v[i], where,
			       known.s);
	check_twice("policy", &o->policies);
	if (o->base && !is_known(o, o->base))
		np_die(NP_USAGE, "--base: unknown policy '%s'; %s: %s", o->base, where, known.s);
	np_buf_free(&known);
	check_base(o);
}

/**
 * np_options_check_workloads() - see that the workloads exist, or take the usual ones
 * @o: the options; ends the program if they are bad
 */
void np_options_check_workloads(struct np_options *o)
{
	bool none = !o->workloads.v;
	struct np_buf known = { 0 };
	const struct np_workload *w;

	for (w = np_workloads; w->name; w++) {
		if (w->hidden)
			continue;
		np_buf_printf(&known, "%s%s", known.len ? ", " : "", w->name);
		if (none && !w->optional)
			np_list_add(&o->workloads, w->name);
	}
	for (int i = 0; i < o->workloads.n; i++)
		if (!np_workload_find(o->workloads.v[i]))
			np_die(NP_USAGE, "unknown workload '%s'; there are: %s", o->workloads.v[i],
			       known.s);
	check_twice("workload", &o->workloads);
	np_buf_free(&known);
}

/**
 * np_options_check_topology() - read the topology
 * @o: the options; ends the program if they are bad
 * @t: filled in; to be freed by np_topology_free()
 */
void np_options_check_topology(const struct np_options *o, struct np_topology *t)
{
	char *error = np_topology_parse(o->topology, t);
	int full = 0;

	if (error)
		np_die(NP_USAGE, "topology '%s': %s", o->topology, error);
	for (int i = 0; i < t->nodes; i++)
		full += t->node[i].cpus && t->node[i].mem_mb;
	if (full < 2)
		np_die(NP_USAGE, "topology '%s': the workloads need two nodes with CPUs and memory",
		       o->topology);
	if (!t->symmetric)
		np_error("note: distances of topology '%s' differ with the direction",
			 o->topology);
	if (t->cpus > MANY_CPUS && !o->kvm)
		np_error("note: a guest of %d CPUs may take minutes to boot; see --stall",
			 t->cpus);
}

static void unknown_param(const char *text, const struct np_workload *w, const char *name)
{
	struct np_buf known = { 0 };

	for (const struct np_param *p = w->params; p->name; p++)
		np_buf_printf(&known, " %s", p->name);
	np_die(NP_USAGE, "--set %s: workload '%s' has no parameter '%s'; it has:%s", text, w->name,
	       name, known.s ? known.s : " none");
}

static void check_one_set(const struct np_options *o, const char *text, json_t *params)
{
	const char *dot = strchr(text, '.'), *eq = strchr(text, '=');
	const struct np_workload *w;
	const struct np_param *p;
	char *workload, *name;
	json_t *of_workload;
	bool run = false;
	long value;

	if (!dot || !eq || eq < dot)
		np_die(NP_USAGE, "--set %s: not WORKLOAD.PARAM=VALUE", text);
	workload = np_strndup(text, dot - text);
	name = np_strndup(dot + 1, eq - dot - 1);
	w = np_workload_find(workload);
	if (!w)
		np_die(NP_USAGE, "--set %s: unknown workload '%s'", text, workload);
	for (int i = 0; i < o->workloads.n; i++)
		run |= !strcmp(o->workloads.v[i], workload);
	if (!run)
		np_die(NP_USAGE, "--set %s: workload '%s' is not run", text, workload);
	p = np_param_find(w, name);
	if (!p)
		unknown_param(text, w, name);
	if (np_parse_long(eq + 1, p->min, p->max, &value))
		np_die(NP_USAGE, "--set %s: '%s' is not a number from %ld to %ld", text, eq + 1,
		       p->min, p->max);
	of_workload = json_object_get(params, workload);
	if (!of_workload) {
		of_workload = json_object();
		json_object_set_new(params, workload, of_workload);
	}
	json_object_set_new(of_workload, name, json_integer(value));
	free(workload);
	free(name);
}

/**
 * np_options_check_set() - read the workloads' settings
 * @o: the options, with workloads that are checked; ends the program if they are bad
 *
 * Return: a new JSON object: workload to object of parameters to numbers.
 */
json_t *np_options_check_set(const struct np_options *o)
{
	json_t *params = json_object();

	for (int i = 0; i < o->set.n; i++)
		check_one_set(o, o->set.v[i], params);
	return params;
}

static void check_one_tune(const char *text, json_t *tune)
{
	const char *eq = strchr(text, '=');
	struct np_buf known = { 0 };
	char *name;
	long value;
	int min;

	if (!eq)
		np_die(NP_USAGE, "--tune %s: not NAME=VALUE", text);
	name = np_strndup(text, eq - text);
	for (int i = 0; i < np_tunables_count; i++) {
		np_buf_printf(&known, "%s%s", i ? ", " : "", np_tunables[i]);
		if (strcmp(name, np_tunables[i]))
			continue;
		/* The kernel divides by the scan size. */
		min = !strcmp(name, "scan_size_mb");
		if (np_parse_long(eq + 1, min, INT32_MAX, &value))
			np_die(NP_USAGE, "--tune %s: '%s' is not a number from %d to %d", text,
			       eq + 1, min, INT32_MAX);
		json_object_set_new(tune, name, json_integer(value));
		np_buf_free(&known);
		free(name);
		return;
	}
	np_die(NP_USAGE, "--tune %s: unknown tunable '%s'; there are: %s", text, name, known.s);
}

/**
 * np_options_check_tune() - read the tunables
 * @o: the options; ends the program if they are bad
 *
 * Return: a new JSON object: tunables to numbers.
 */
json_t *np_options_check_tune(const struct np_options *o)
{
	json_t *tune = json_object();

	for (int i = 0; i < o->tune.n; i++)
		check_one_tune(o->tune.v[i], tune);
	return tune;
}

/**
 * np_options_check_traffic() - see that accesses can be counted, if they are to be
 * @o: the options; ends the program if they are bad
 */
void np_options_check_traffic(struct np_options *o)
{
	char *error;

	if (o->kvm && o->traffic)
		np_die(NP_USAGE, "--traffic needs --accel tcg: accesses on KVM cannot be counted");
	o->latency = (struct np_latency) { NP_LATENCY_LOCAL_NS, NP_LATENCY_REMOTE_NS };
	if (!o->latency_text)
		return;
	if (!o->traffic)
		np_die(NP_USAGE, "--latency has no meaning without --traffic");
	error = np_latency_parse(o->latency_text, &o->latency);
	if (error)
		np_die(NP_USAGE, "--latency %s: %s", o->latency_text, error);
}

/**
 * np_options_print_tunables() - print the tunables there are, for a help text
 */
void np_options_print_tunables(void)
{
	fputs("\nTunables:", stdout);
	for (int i = 0; i < np_tunables_count; i++)
		printf(" %s", np_tunables[i]);
	fputs("\n", stdout);
}
