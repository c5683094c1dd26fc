// SPDX-License-Identifier: GPL-2.0
/*
 * numa-policy top: what the scan policies of the running kernel decide, again and again.
 */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "commands.h"
#include "top.h"
#include "util.h"

#define INTERVAL_S 2
#define INTERVAL_MIN_S 0.1
#define INTERVAL_MAX_S 86400

static const char usage_text[] =
"Usage: numa-policy top [OPTION]...\n"
"Shows what NUMA balancing does on this system, again and again: the policy in force and those\n"
"available, decisions per second by policy and reason and the pages that they led to, the shadow\n"
"matrix (what each other policy would have said), PTE updates, hinting faults and how many of them\n"
"were local, migrations. In a terminal it fills the screen, and q or Ctrl-C leaves; elsewhere\n"
"samples are printed one below the other.\n"
"\n"
"  --interval S         seconds between samples (0.1 to 86400, default 2)\n"
"  --count N            leave after N intervals\n"
"  --once               print one interval, without taking the screen\n"
"  --json               print a JSON object in a line per interval, without taking the screen;\n"
"                       tools/numa_policy/results.md describes it\n"
"  --shadow             turn the shadow on while this runs. What was set before is set again at the\n"
"                       end, also if that is a signal; not after SIGKILL\n"
"  --root DIR           read DIR/proc and DIR/sys instead, for tests; given again, the second\n"
"                       sample is of the second directory and so on\n"
"  --help               print this\n"
"\n"
"Decisions and the matrix need a kernel with CONFIG_NUMA_POLICY_STATS, debugfs mounted on\n"
"/sys/kernel/debug, and root. What cannot be read is named, with what would be right, and the rest\n"
"is shown. If somebody else resets the counts, that interval has none, which is said; a reset goes\n"
"unnoticed if every count has passed its earlier value again.\n"
"\n"
"Exit status: 0 if everything could be read, 1 if something could not, 2 for bad usage. A signal\n"
"ends it as usual, except for Ctrl-C while it fills the screen.\n";

/* What the command line said. */
struct options {
	double interval_s;
	long count;
	bool once;
	bool json;
	bool shadow;
	struct np_list roots;
};

enum { OPT_INTERVAL = 1, OPT_COUNT, OPT_ONCE, OPT_JSON, OPT_SHADOW, OPT_ROOT, OPT_HELP };

static const struct option long_options[] = {
	{ "interval", required_argument, NULL, OPT_INTERVAL },
	{ "count", required_argument, NULL, OPT_COUNT },
	{ "once", no_argument, NULL, OPT_ONCE },
	{ "json", no_argument, NULL, OPT_JSON },
	{ "shadow", no_argument, NULL, OPT_SHADOW },
	{ "root", required_argument, NULL, OPT_ROOT },
	{ "help", no_argument, NULL, OPT_HELP },
	{ }
};

/* Digits with at most one point among them; strtod() would take more. */
static void parse_interval(struct options *o, const char *text)
{
	size_t n = strspn(text, "0123456789");

	n += text[n] == '.' ? 1 + strspn(text + n + 1, "0123456789") : 0;
	o->interval_s = strtod(text, NULL);
	if (text[n] || !n || !strcmp(text, ".") || o->interval_s < INTERVAL_MIN_S ||
	    o->interval_s > INTERVAL_MAX_S)
		np_die(NP_USAGE, "--interval %s: not a number of seconds from %g to %d", text,
		       INTERVAL_MIN_S, INTERVAL_MAX_S);
}

static void set_option(struct options *o, int opt)
{
	switch (opt) {
	case OPT_INTERVAL:
		parse_interval(o, optarg);
		break;
	case OPT_COUNT:
		if (np_parse_long(optarg, 1, INT_MAX, &o->count))
			np_die(NP_USAGE, "--count %s: not a number from 1 to %d", optarg, INT_MAX);
		break;
	case OPT_ONCE:
		o->once = true;
		break;
	case OPT_JSON:
		o->json = true;
		break;
	case OPT_SHADOW:
		o->shadow = true;
		break;
	case OPT_ROOT:
		np_list_add(&o->roots, optarg);
		break;
	}
}

/* Return: false if there is nothing left to do but print the help. */
static bool parse_options(struct options *o, int argc, char **argv)
{
	int opt;

	optind = 0;
	opterr = 0;
	while ((opt = getopt_long(argc, argv, ":", long_options, NULL)) != -1) {
		if (opt == OPT_HELP)
			return false;
		if (opt == ':')
			np_die(NP_USAGE, "option '%s' needs a value", argv[optind - 1]);
		if (opt == '?')
			np_die(NP_USAGE, "unknown option '%s'; see numa-policy top --help",
			       argv[optind - 1]);
		set_option(o, opt);
	}
	if (optind < argc)
		np_die(NP_USAGE, "unexpected argument '%s'; see numa-policy top --help",
		       argv[optind]);
	if (o->once && o->count)
		np_die(NP_USAGE, "--once and --count exclude each other");
	if (o->once)
		o->count = 1;
	return true;
}

/* ---- what must be undone at the end, however that comes ---- */

/* The kernel whose shadow was off before; NULL: there is nothing to undo. */
static const struct np_live *shadowed;

/* Return: NULL, or a message. */
static char *restore(void)
{
	const struct np_live *l = shadowed;

	np_screen_leave();
	shadowed = NULL;
	return l ? np_live_set_shadow(l, false) : NULL;
}

static void restore_at_exit(void)
{
	free(restore());
}

static void begin_shadow(const struct np_live *l)
{
	bool on = false;
	char *error = np_live_read_shadow(l, &on);

	if (!error && !on) {
		error = np_live_set_shadow(l, true);
		shadowed = error ? NULL : l;
	}
	if (error)
		np_die(NP_FAIL, "--shadow: %s", error);
}

/* ---- signals: they are blocked, and read from a file ---- */

/* A signal that is ignored, as by nohup, stays so. */
static void add_signal(sigset_t *set, int sig)
{
	struct sigaction sa;

	sigaction(sig, NULL, &sa);
	if (sa.sa_handler != SIG_IGN)
		sigaddset(set, sig);
}

static int catch_signals(bool screen)
{
	static const int ending[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
	sigset_t set;
	int fd;

	sigemptyset(&set);
	for (size_t i = 0; i < ARRAY_SIZE(ending); i++)
		add_signal(&set, ending[i]);
	if (screen) {
		add_signal(&set, SIGTSTP);
		sigaddset(&set, SIGWINCH);
	}
	/* A reader that is gone is noticed by what writing returns. */
	signal(SIGPIPE, SIG_IGN);
	sigprocmask(SIG_BLOCK, &set, NULL);
	fd = signalfd(-1, &set, SFD_CLOEXEC);
	if (fd < 0)
		np_die(NP_FAIL, "signalfd: %s", strerror(errno));
	return fd;
}

/* Whoever started us sees what ended us. */
static void end_by_signal(int sig)
{
	sigset_t set;

	signal(sig, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, sig);
	raise(sig);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

/* ---- the run ---- */

/* A run of samples: the kernels to read, and the last two samples. */
struct run {
	const struct options *o;
	struct np_live *kernels;
	int nkernels;
	int at;
	bool screen;
	bool watch_keys;
	bool quit;
	bool failed;
	int signals;
	int ended_by;
	struct np_top_sample before;
	struct np_top_sample now;
	struct np_top_interval iv;
};

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static void take_sample(struct run *r)
{
	const struct np_live *l = &r->kernels[r->at];

	if (r->at + 1 < r->nkernels)
		r->at++;
	np_top_sample(l, seconds(), &r->now);
	r->failed |= r->now.errors.n > 0;
}

static void draw(struct run *r)
{
	struct np_list lines = { 0 };

	np_list_add(&lines, "numa-policy top: q leaves");
	if (r->iv.now)
		np_top_lines(&r->iv, np_screen_width(), &lines);
	if (!np_screen_show(&lines))
		r->quit = true;
	np_list_free(&lines);
}

static void print(struct run *r)
{
	struct np_list lines = { 0 };

	if (r->o->json) {
		json_t *json = np_top_json(&r->iv);

		json_dumpf(json, stdout, JSON_COMPACT);
		putchar('\n');
		json_decref(json);
	} else {
		np_top_lines(&r->iv, 0, &lines);
		for (int i = 0; i < lines.n; i++)
			puts(lines.v[i]);
		putchar('\n');
		np_list_free(&lines);
	}
	if (!fflush(stdout))
		return;
	if (errno == EPIPE)
		r->ended_by = SIGPIPE;
	else
		np_error("cannot write to standard output: %s", strerror(errno));
	r->failed = true;
	r->quit = true;
}

static void read_keys(struct run *r)
{
	char keys[16];
	ssize_t n = read(STDIN_FILENO, keys, sizeof(keys));

	if (n <= 0)
		r->watch_keys = false;
	for (ssize_t i = 0; i < n; i++)
		r->quit |= keys[i] == 'q' || keys[i] == 'Q';
}

/* The shell gets its terminal back while we are stopped. */
static void stop(struct run *r)
{
	np_screen_leave();
	raise(SIGSTOP);
	np_screen_enter();
	draw(r);
}

static void read_signal(struct run *r)
{
	struct signalfd_siginfo info;

	if (read(r->signals, &info, sizeof(info)) != sizeof(info))
		return;
	if (info.ssi_signo == SIGWINCH)
		draw(r);
	else if (info.ssi_signo == SIGTSTP)
		stop(r);
	else
		r->ended_by = info.ssi_signo;
}

/* Wait for a moment, or for what ends the run before. */
static void wait_until(struct run *r, double when)
{
	double left;

	while (!r->quit && !r->ended_by && (left = when - seconds()) > 0) {
		struct timespec t = { .tv_sec = left, .tv_nsec = fmod(left, 1) * 1e9 };
		struct pollfd p[] = {
			{ .fd = r->signals, .events = POLLIN },
			{ .fd = r->watch_keys ? STDIN_FILENO : -1, .events = POLLIN },
		};

		if (ppoll(p, ARRAY_SIZE(p), &t, NULL) <= 0)
			continue;
		if (p[0].revents)
			read_signal(r);
		if (p[1].revents)
			read_keys(r);
	}
}

/* One interval, which begins with the last sample and ends with a new one. */
static void interval(struct run *r)
{
	np_top_interval_free(&r->iv);
	np_top_sample_free(&r->before);
	r->before = r->now;
	take_sample(r);
	np_top_between(&r->before, &r->now, &r->iv);
	if (r->screen)
		draw(r);
	else
		print(r);
}

static bool nothing_to_see(const struct np_top_sample *s)
{
	return !s->has_vmstat && !s->has_stats;
}

/* What could not be read would be gone with the screen, or is not seen in JSON. */
static void say_errors(const struct run *r)
{
	for (int i = 0; i < r->now.errors.n; i++)
		np_error("%s", r->now.errors.v[i]);
}

static void run(struct run *r)
{
	double next = seconds();

	take_sample(r);
	if (nothing_to_see(&r->now))
		return;
	if (r->screen) {
		np_screen_enter();
		draw(r);
	}
	for (long i = 0; !r->o->count || i < r->o->count; i++) {
		next += r->o->interval_s;
		/* Late by more than an interval: it was stopped. */
		if (next < seconds())
			next = seconds() + r->o->interval_s;
		wait_until(r, next);
		if (r->quit || r->ended_by)
			return;
		interval(r);
	}
}

static int finish(struct run *r)
{
	char *error = restore();

	if (r->screen || r->o->json || nothing_to_see(&r->now))
		say_errors(r);
	if (error) {
		np_error("the shadow stays on: %s", error);
		r->failed = true;
	}
	free(error);
	if (r->ended_by && !(r->screen && r->ended_by == SIGINT))
		end_by_signal(r->ended_by);
	return r->failed ? NP_FAIL : NP_OK;
}

/**
 * cmd_top() - the subcommand "top"
 * @argc: number of arguments
 * @argv: the arguments, from the subcommand's name on
 *
 * Return: NP_OK if everything could be read, NP_FAIL, or NP_USAGE.
 */
int cmd_top(int argc, char **argv)
{
	struct options o = { .interval_s = INTERVAL_S };
	struct run r = { .o = &o };
	int status = NP_OK;

	if (!parse_options(&o, argc, argv)) {
		fputs(usage_text, stdout);
		goto out;
	}
	r.nkernels = o.roots.n ? o.roots.n : 1;
	r.kernels = np_alloc(r.nkernels * sizeof(*r.kernels));
	for (int i = 0; i < r.nkernels; i++)
		np_live_init(&r.kernels[i], o.roots.n ? o.roots.v[i] : NULL);
	r.screen = !o.once && !o.json && np_screen_usable();
	r.watch_keys = r.screen && isatty(STDIN_FILENO);
	r.signals = catch_signals(r.screen);
	atexit(restore_at_exit);
	if (o.shadow)
		begin_shadow(&r.kernels[0]);
	run(&r);
	status = finish(&r);
	close(r.signals);
	np_top_interval_free(&r.iv);
	np_top_sample_free(&r.before);
	np_top_sample_free(&r.now);
	for (int i = 0; i < r.nkernels; i++)
		np_live_free(&r.kernels[i]);
	free(r.kernels);
out:
	np_list_free(&o.roots);
	return status;
}
