// SPDX-License-Identifier: GPL-2.0
/*
 * A matrix: workloads under policies, repeated, from the options to results.json.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "job.h"
#include "matrix.h"
#include "policies.h"
#include "table.h"
#include "util.h"
#include "workloads.h"

/* Host seconds in which a guest on KVM must show that it works, and its own limit for that. */
#define PROBE_TIMEOUT 60
#define PROBE_LIMIT 2

/* Space that a run needs: a little, and some for each cell. */
#define SPACE_BYTES (4UL << 20)
#define SPACE_CELL_BYTES (64UL << 10)

/* No kernel keeps more windows of history. */
#define WINDOWS_MOST 8

/* Between two versions of results.json while the run goes on: seconds, and times the last save. */
#define SAVE_EVERY_S 5
#define SAVE_EVERY 20

static bool in_list(const struct np_list *list, const char *name)
{
	for (int i = 0; i < list->n; i++)
		if (!strcmp(list->v[i], name))
			return true;
	return false;
}

/* Cells that --cell names must be those of the options. */
static void check_cell_ids(const struct np_options *o)
{
	for (int i = 0; i < o->cell.n; i++) {
		int n, parts;
		char **ids = np_split(o->cell.v[i], ',', &n);

		for (int j = 0; j < n; j++) {
			char **part = np_split(ids[j], '/', &parts);
			long rep;

			if (parts != 3 || !in_list(&o->workloads, part[0]) ||
			    !in_list(&o->policies, part[1]) ||
			    np_parse_long(part[2], 1, o->reps, &rep))
				np_die(NP_USAGE, "--cell %s: no such cell with these options; see --list-cells",
				       ids[j]);
			np_split_free(part, parts);
		}
		np_split_free(ids, n);
	}
}

/*
 * The running machine must have all that is needed, unless nothing is run: then it is good to know
 * its policies, if it lets us.
 */
static void check_native(struct np_matrix *m, struct np_options *o)
{
	struct np_native *n = &m->native;
	bool run = !o->dry_run && !o->list_cells;
	char *error = run || o->resume ? np_native_open(n, o->root) : np_native_peek(n, o->root);

	if (!error && run)
		error = np_native_lock(n);
	if (error && (run || o->resume))
		np_die(NP_FAIL, "%s", error);
	free(error);
	for (size_t i = 0; i < n->policies.n; i++)
		np_list_add(&o->known, n->policies.names[i]);
}

/* Workloads that serve the tests need a guest of their own. */
static void check_native_workloads(const struct np_options *o)
{
	for (int i = 0; i < o->workloads.n; i++) {
		const struct np_workload *w = np_workload_find(o->workloads.v[i]);

		if (w->hidden && !w->command)
			np_die(NP_USAGE, "workload '%s' does not go with --native: it is for guests",
			       w->name);
	}
}

/**
 * np_matrix_check() - everything that can be said about the options alone
 * @m: filled in; to be freed by np_matrix_free()
 * @o: the options, which are completed; ends the program if they are bad
 *
 * With --native, what is said about the policies is about those of the running kernel.
 */
void np_matrix_check(struct np_matrix *m, struct np_options *o)
{
	*m = (struct np_matrix) { .o = o, .out_fd = -1 };
	if (o->native)
		check_native(m, o);
	np_options_check_policies(o);
	np_options_check_workloads(o);
	if (o->native)
		check_native_workloads(o);
	else
		np_options_check_topology(o, &m->topology);
	m->params = np_options_check_set(o);
	m->tune = np_options_check_tune(o);
	if (o->kvm && o->shift >= 0)
		np_die(NP_USAGE, "--shift has no meaning with --accel kvm");
	np_options_check_traffic(o);
	if (o->assume && o->policies.n != 1)
		np_die(NP_USAGE, "--assume: a kernel that cannot be asked has one policy; name it with --policies (%d are named)",
		       o->policies.n);
	check_cell_ids(o);
}

/* Everything that guests are made of; ends the program if something is missing. */
static void find_parts(struct np_matrix *m)
{
	const struct np_options *o = m->o;
	char *error = NULL;

	for (int i = 0; i < o->workloads.n && !error; i++)
		error = np_job_missing(np_workload_find(o->workloads.v[i]));
	if (!error && !o->native)
		error = np_setup_find(&m->setup, o->qemu, o->kernel, o->initrd);
	if (!error && o->traffic)
		error = np_setup_find_traffic(&m->setup);
	for (int i = 0; i < o->policies.n && !error && !o->native; i++)
		error = np_setup_lacks(&m->setup, np_policy_find(o->policies.v[i]));
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
static void keep_old(const struct np_matrix *m)
{
	static const struct {
		const char *name;
		const char *end;
	} parts[] = { { "results", ".json" }, { "cells", "" }, { NP_CELLS_DONE, "" } };
	const char *out = m->o->out;
	char stamp[32], suffix[64], *done = np_asprintf("%s/" NP_CELLS_DONE, out);
	bool has_results = !access(m->results_path, F_OK), any = has_results || !access(done, F_OK);
	int n = 0;

	if (any)
		file_time(has_results ? m->results_path : done, stamp, sizeof(stamp));
	free(done);
	if (!any)
		return;
	snprintf(suffix, sizeof(suffix), "-%s", stamp);
	for (;;) {
		char *path = np_asprintf("%s/results%s.json", out, suffix);
		char *other = np_asprintf("%s/" NP_CELLS_DONE "%s", out, suffix);
		bool taken = !access(path, F_OK) || !access(other, F_OK);

		free(path);
		free(other);
		if (!taken)
			break;
		snprintf(suffix, sizeof(suffix), "-%s-%d", stamp, ++n);
	}
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		const char *name = parts[i].name, *end = parts[i].end;
		char *from = np_asprintf("%s/%s%s", out, name, end);
		char *to = np_asprintf("%s/%s%s%s", out, name, suffix, end);

		if (!rename(from, to))
			np_error("earlier results are kept as %s", to);
		else if (errno != ENOENT)
			np_die(NP_FAIL, "cannot rename %s: %s", from, strerror(errno));
		free(from);
		free(to);
	}
}

/*
 * The directory must be writable, on a file system with some space, and ours alone unless single
 * cells are run: those write a file each.
 */
static void open_out(struct np_matrix *m)
{
	unsigned long long need, have;
	const char *out = m->o->out;
	bool single = m->o->cell.n;
	struct statvfs st;
	char *probe;
	int err;

	m->results_path = np_asprintf("%s/%s", out, single ? NP_CELLS_DONE : "results.json");
	err = np_mkdirs(single ? m->results_path : out);
	if (err)
		np_die(NP_FAIL, "cannot make the directory %s: %s", out, strerror(-err));
	m->out_fd = open(out, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (m->out_fd < 0)
		np_die(NP_FAIL, "cannot open the directory %s: %s", out, strerror(errno));
	if (flock(m->out_fd, (single ? LOCK_SH : LOCK_EX) | LOCK_NB) && errno == EWOULDBLOCK)
		np_die(NP_FAIL, "another numa-policy writes to %s", out);
	probe = np_asprintf("%s/.writable-%d", out, (int)getpid());
	err = np_write_file(probe, "x", 1);
	if (err)
		np_die(NP_FAIL, "cannot write to %s: %s", out, strerror(-err));
	unlink(probe);
	free(probe);
	need = SPACE_BYTES + (unsigned long long)m->to_run * SPACE_CELL_BYTES;
	if (!fstatvfs(m->out_fd, &st)) {
		have = (unsigned long long)st.f_bavail * st.f_frsize;
		if (have < need)
			np_die(NP_FAIL, "%s: %llu MB free, %d cells need about %llu MB", out,
			       have >> 20, m->to_run, (need >> 20) + 1);
	}
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

/*
 * On a running machine one run may leave something behind for the next, and the machine changes
 * with time: the order is random, the same for the same seed.
 */
static void shuffle(struct np_cell *cells, int n, long seed, int rep)
{
	uint64_t stream = scatter(~scatter(seed) + rep);

	for (int i = n - 1; i > 0; i--) {
		int j = scatter(stream + i) % (i + 1);
		struct np_cell was = cells[i];

		cells[i] = cells[j];
		cells[j] = was;
	}
}

/* Repetition by repetition, so that an interrupted run has all policies equally often. */
static void make_cells(struct np_matrix *m)
{
	struct np_results *r = &m->results;
	const struct np_options *o = m->o;
	int n = 0;

	r->ncells = o->reps * o->workloads.n * o->policies.n;
	m->to_run = r->ncells;
	r->cells = np_alloc(r->ncells * sizeof(*r->cells));
	for (int rep = 1; rep <= o->reps; rep++) {
		struct np_cell *first = &r->cells[n];

		for (int w = 0; w < o->workloads.n; w++)
			for (int p = 0; p < o->policies.n; p++, n++)
				r->cells[n] = (struct np_cell) {
					.workload = np_strdup(o->workloads.v[w]),
					.policy = np_strdup(o->policies.v[p]),
					.rep = rep,
					.seed = rep_seed(o->seed, rep),
				};
		if (o->native)
			shuffle(first, &r->cells[n] - first, o->seed, rep);
	}
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

static void add_list(struct np_buf *b, const char *option, const struct np_list *list)
{
	for (int i = 0; i < list->n; i++)
		np_buf_printf(b, "%s%s", i ? "," : option, list->v[i]);
}

/* Programs that stand in for a workload's usual one. */
static void add_programs(struct np_buf *b, const struct np_options *o)
{
	for (int i = 0; i < o->workloads.n; i++) {
		const char *name = np_workload_find(o->workloads.v[i])->program_env;
		const char *program = name ? getenv(name) : NULL;

		if (!program || !*program)
			continue;
		np_buf_printf(b, "%s=", name);
		add_quoted(b, program);
		np_buf_puts(b, " ");
	}
}

/* The command that measures the same again: what matters to the numbers, spelled out. */
static char *reproduce(const struct np_matrix *m)
{
	const struct np_options *o = m->o;
	struct np_buf b = { 0 };

	add_programs(&b, o);
	np_buf_printf(&b, "numa-policy %s",
		      o->native ? "run --native" : m->job ? "run" : "compare");
	add_list(&b, " --policies ", &o->policies);
	if (!m->job)
		add_list(&b, " --workloads ", &o->workloads);
	np_buf_printf(&b, " --base %s", o->base);
	if (!o->native)
		np_buf_printf(&b, " --topology %s", o->topology);
	np_buf_printf(&b, " --reps %ld --seed %ld", o->reps, o->seed);
	for (int i = 0; i < o->set.n; i++)
		np_buf_printf(&b, " --set %s", o->set.v[i]);
	for (int i = 0; i < o->tune.n; i++)
		np_buf_printf(&b, " --tune %s", o->tune.v[i]);
	if (o->shift >= 0)
		np_buf_printf(&b, " --shift %ld", o->shift);
	if (o->sample_ms != NP_SAMPLE_MS)
		np_buf_printf(&b, " --sample-ms %ld", o->sample_ms);
	if (o->traffic)
		np_buf_printf(&b, " --traffic --latency %.12g/%.12g", o->latency.local_ns,
			      o->latency.remote_ns);
	if (o->decisions)
		np_buf_puts(&b, " --decisions");
	if (o->assume)
		np_buf_puts(&b, " --assume");
	if (o->limit_s)
		np_buf_printf(&b, " --limit %ld", o->limit_s);
	if (o->kvm)
		np_buf_puts(&b, " --accel kvm");
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
	if (m->job)
		np_buf_puts(&b, " --");
	for (char **word = m->job ? m->job->argv : NULL; word && *word; word++) {
		np_buf_puts(&b, " ");
		add_quoted(&b, *word);
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

/*
 * What a workload that is a program of the host runs, into its entry. Its environment may hold
 * secrets.
 */
static void add_command(json_t *workload, const struct np_job *job)
{
	char *path = strchr(job->argv[0], '/') ? np_strdup(job->argv[0]) :
		     np_program_find(job->argv[0]), *hash = NULL;
	json_t *words = json_array();
	struct stat st;

	for (char **word = job->argv; *word; word++)
		json_array_append_new(words, np_json_text(*word));
	json_object_set_new(workload, "command", words);
	json_object_set_new(workload, "directory", np_json_text(job->cwd));
	if (path && !stat(path, &st) && S_ISREG(st.st_mode))
		free(np_file_sha256(path, &hash));
	if (hash)
		json_object_set_new(workload, "program_sha256", json_string(hash));
	free(hash);
	free(path);
}

static json_t *workload_list(const struct np_matrix *m)
{
	json_t *list = json_array();

	for (int i = 0; i < m->o->workloads.n; i++) {
		const char *name = m->o->workloads.v[i];
		const struct np_param *p = np_workload_find(name)->params;
		json_t *set = json_object_get(m->params, name), *params = json_object();
		json_t *workload;

		for (; p && p->name; p++)
			json_object_set_new(params, p->name, json_integer(p->def));
		json_object_update(params, set);
		workload = json_pack("{s:s, s:o, s:I, s:o}", "name", name, "shift",
				     m->o->kvm || m->o->native ? json_null() :
				     json_integer(np_plan_shift(&m->plan, name)),
				     "limit_s", (json_int_t)np_plan_limit(&m->plan, name),
				     "params", params);
		if (m->job) {
			add_command(workload, m->job);
		} else if (np_workload_find(name)->command) {
			struct np_job *job = np_job_make(np_workload_find(name), set);

			add_command(workload, job);
			np_job_free(job);
		}
		json_array_append_new(list, workload);
	}
	return list;
}

static void add_guest_head(const struct np_matrix *m, json_t *head)
{
	const struct np_setup *s = &m->setup;

	json_object_set_new(head, "kernel", json_pack("{s:s, s:s, s:s, s:s, s:s?, s:O}", "release",
						      s->release, "arch", s->arch->name,
						      "image_sha256", s->image_sha256,
						      "config_sha256", s->config_sha256,
						      "library_sha256", s->library, "config",
						      s->config));
	json_object_set_new(head, "guest", json_pack("{s:s}", "initrd_sha256", s->initrd_sha256));
	json_object_set_new(head, "qemu", json_pack("{s:s, s:s}", "version", s->qemu_version,
						    "accel", m->o->kvm ? "kvm" : "tcg"));
	json_object_set_new(head, "topology", np_topology_json(&m->topology));
}

static void make_head(struct np_matrix *m, int argc, char **argv)
{
	json_t *command = json_array(), *policies = json_array(), *seeds = json_array();
	json_t *head = json_object();
	const struct np_options *o = m->o;
	char *again, *error, host[256] = "";

	json_array_append_new(command, json_string("numa-policy"));
	for (int i = 0; i < argc; i++)
		json_array_append_new(command, np_json_text(argv[i]));
	for (int i = 0; i < o->policies.n; i++)
		json_array_append_new(policies, json_string(o->policies.v[i]));
	for (int rep = 1; rep <= o->reps; rep++)
		json_array_append_new(seeds, json_integer(rep_seed(o->seed, rep)));
	again = reproduce(m);

	json_object_set_new(head, "schema", json_string(NP_RESULTS_SCHEMA));
	json_object_set_new(head, "version", json_integer(NP_RESULTS_VERSION));
	json_object_set_new(head, "tool", json_pack("{s:s, s:s}", "name", "numa-policy",
						    "version", NP_VERSION));
	json_object_set_new(head, "command", command);
	json_object_set_new(head, "reproduce", np_json_text(again));
	json_object_set_new(head, "started", now_text());
	json_object_set_new(head, "ended", json_null());
	json_object_set_new(head, "interrupted", json_false());
	gethostname(host, sizeof(host) - 1);
	json_object_set_new(head, "host", np_json_text(host));
	json_object_set_new(head, "host_cpus", json_integer(sysconf(_SC_NPROCESSORS_ONLN)));
	if (o->native)
		np_native_head(&m->native, head);
	else
		add_guest_head(m, head);
	json_object_set_new(head, "policies", policies);
	json_object_set_new(head, "base", json_string(o->base));
	json_object_set_new(head, "workloads", workload_list(m));
	json_object_set_new(head, "tunables", json_deep_copy(m->tune));
	json_object_set_new(head, "reps", json_integer(o->reps));
	json_object_set_new(head, "seed", json_integer(o->seed));
	json_object_set_new(head, "seeds", seeds);
	json_object_set_new(head, "sample_ms", json_integer(o->sample_ms));
	json_object_set_new(head, "decisions", json_boolean(o->decisions));
	if (o->assume)
		json_object_set_new(head, "assumed", json_true());
	if (o->traffic)
		json_object_set_new(head, "traffic", json_pack("{s:f, s:f}", "local_ns",
							       o->latency.local_ns, "remote_ns",
							       o->latency.remote_ns));
	json_object_set_new(head, "jobs", json_integer(o->jobs));
	if (!o->native) {
		json_object_set_new(head, "timeout_s", json_integer(o->timeout_s));
		json_object_set_new(head, "stall_s", json_integer(o->stall_s));
	}
	free(again);
	m->results.head = head;
	error = np_results_index(&m->results);
	if (error)
		np_die(NP_FAIL, "%s", error);
}

static void make_plan(struct np_matrix *m)
{
	const struct np_options *o = m->o;

	m->plan = (struct np_plan) {
		.machine = {
			.arch = m->setup.arch,
			.qemu = m->setup.qemu,
			.image = m->setup.image,
			.initrd = m->setup.initrd,
			.topology = &m->topology,
			.traffic = m->setup.traffic,
			.kvm = o->kvm,
			.timeout_s = o->timeout_s,
			.stall_s = o->stall_s,
		},
		.release = m->setup.release,
		.windows = m->setup.windows,
		.out = o->out,
		.jobs = o->jobs,
		.shift = o->shift,
		.limit_s = o->limit_s,
		.sample_ms = o->sample_ms,
		.params = m->params,
		.tunables = m->tune,
		.job = m->job,
		.latency = o->latency,
		.decisions = o->decisions,
		.assume = o->assume,
		.keep = o->keep,
	};
	if (!o->native)
		return;
	m->plan.native = &m->native;
	m->plan.machine.native = m->native.program;
	m->plan.release = m->native.release;
	/* Where that is not known, the workloads wait long enough for any kernel. */
	m->plan.windows = m->native.windows ?: WINDOWS_MOST;
}

static bool is_there(const char *dir, const char *name)
{
	char *path = np_asprintf("%s/%s", dir, name);
	bool there = !access(path, F_OK);

	free(path);
	return there;
}

/* Take over what earlier runs left that is ok; what is not is run again. */
static void take_earlier(struct np_matrix *m, const char *from)
{
	char *path = np_strdup(from), *error;
	struct np_results old;

	/* Where this run's own cells come from is added when they have been run. */
	json_object_set_new(m->results.head, "merged_from", json_array());
	error = np_results_load_dirs(&old, &path, 1);
	error = error ?: np_results_merge(&m->results, &old);
	if (error)
		np_die(NP_FAIL, "--resume: %s", error);
	np_results_free(&old);
	free(path);
	for (int i = 0; i < m->to_run; i++) {
		struct np_cell *c = &m->results.cells[i];

		if (c->status == NP_CELL_OK)
			m->kept++;
		else
			np_cell_clear(c);
	}
}

static void resume(struct np_matrix *m)
{
	const char *out = m->o->out;

	if (!m->o->resume)
		return;
	if (is_there(out, "results.json") || is_there(out, NP_CELLS_DONE))
		take_earlier(m, out);
	if (m->kept)
		np_error("%d of %d cells are there already", m->kept, m->to_run);
}

static char *cell_file(const struct np_matrix *m, const struct np_cell *c)
{
	return np_asprintf("%s/%s-%s-%d.json", m->results_path, c->workload, c->policy, c->rep);
}

/* With --resume a cell that is there already is not run again. */
static void resume_cell(struct np_matrix *m, struct np_cell *c)
{
	struct np_results old;
	char *path = cell_file(m, c), *error;

	if (!m->o->resume || access(path, F_OK)) {
		free(path);
		return;
	}
	error = np_results_load(&old, path);
	error = error ?: np_results_fit(&m->results, &old);
	if (error)
		np_die(NP_FAIL, "--resume: %s", error);
	for (int i = 0; i < old.ncells; i++)
		if (old.cells[i].status == NP_CELL_OK && !strcmp(old.cells[i].policy, c->policy) &&
		    !strcmp(old.cells[i].workload, c->workload) && old.cells[i].rep == c->rep)
			c->status = NP_CELL_OK;
	np_results_free(&old);
	free(path);
}

/* The cells that --cell names, in that order; @take[i] becomes true for each. */
static int find_chosen(const struct np_matrix *m, struct np_cell *chosen, bool *take)
{
	const struct np_results *r = &m->results;
	int n, found = 0;

	for (int i = 0; i < m->o->cell.n; i++) {
		char **ids = np_split(m->o->cell.v[i], ',', &n);

		for (int j = 0; j < n; j++) {
			const struct np_cell *c = np_results_find(r, ids[j]);

			if (!c)
				np_die(NP_USAGE, "--cell %s: no such cell with these options; see --list-cells",
				       ids[j]);
			if (take[c - r->cells])
				np_die(NP_USAGE, "--cell %s: it is named twice", ids[j]);
			take[c - r->cells] = true;
			chosen[found++] = *c;
		}
		np_split_free(ids, n);
	}
	return found;
}

/* Bring the cells that --cell names to the front; only they are run. */
static void choose_cells(struct np_matrix *m)
{
	struct np_results *r = &m->results;
	struct np_cell *order;
	bool *take;
	int n;

	if (!m->o->cell.n)
		return;
	order = np_alloc(r->ncells * sizeof(*order));
	take = np_alloc(r->ncells * sizeof(*take));
	n = find_chosen(m, order, take);
	m->to_run = n;
	for (int i = 0; i < r->ncells; i++)
		if (!take[i])
			order[n++] = r->cells[i];
	free(take);
	free(r->cells);
	r->cells = order;
	np_results_moved(r);
}

/* One cell's command line is as long as another's; see whether the kernel takes it. */
static void check_appends(const struct np_matrix *m)
{
	for (int i = 0; i < m->results.ncells && !m->o->native; i++) {
		char *append = np_plan_append(&m->plan, &m->results.cells[i]);
		char *error = np_plan_check_append(append);

		if (error)
			np_die(NP_USAGE, "%s", error);
		free(append);
	}
}

static double seconds(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

static void save(struct np_matrix *m)
{
	double began = seconds();
	int err = np_results_save(&m->results, m->results_path);

	m->saved = seconds();
	m->save_took = m->saved - began;
	if (err)
		m->save_error = err;
}

/*
 * A file for one cell. Others may be at work in the directory, also on other machines, even on the
 * same cell: the file gets its name when it is whole.
 */
static void save_cell(struct np_matrix *m, struct np_cell *cell)
{
	const char *host = json_string_value(json_object_get(m->results.head, "host"));
	struct np_results one = { .head = m->results.head, .cells = cell, .ncells = 1 };
	char *path = cell_file(m, cell), *tmp;

	tmp = np_asprintf("%s.%s-%d", path, host, (int)getpid());
	json_object_set_new(one.head, "ended", now_text());
	m->save_error = np_results_save(&one, tmp);
	if (!m->save_error && rename(tmp, path))
		m->save_error = -errno;
	if (m->save_error)
		unlink(tmp);
	free(tmp);
	free(path);
}

/* Saving takes longer the more cells there are; it may take a twentieth of the time. */
static int cell_done(struct np_cell *cell, void *arg)
{
	struct np_matrix *m = arg;
	double wait = SAVE_EVERY * m->save_took;

	if (m->o->cell.n)
		save_cell(m, cell);
	else if (seconds() - m->saved >= (wait > SAVE_EVERY_S ? wait : SAVE_EVERY_S))
		save(m);
	if (m->save_error)
		np_error("cannot write %s: %s; stopping", m->results_path,
			 strerror(-m->save_error));
	return m->save_error;
}

/*
 * A guest on KVM may hang where the host's virtualisation is itself virtual. An end record is
 * wanted, of whatever content: the limit is there to make it come early.
 */
static void probe_kvm(const struct np_matrix *m)
{
	const struct np_cell *first = &m->results.cells[0];
	struct np_cell cell = {
		.workload = first->workload, .policy = first->policy, .seed = first->seed,
	};
	struct np_plan plan = m->plan;
	enum np_run_end end;

	if (access("/dev/kvm", R_OK | W_OK))
		np_die(NP_FAIL, "--accel kvm: cannot use /dev/kvm: %s", strerror(errno));
	plan.jobs = 1;
	plan.quiet = true;
	plan.limit_s = PROBE_LIMIT;
	plan.machine.timeout_s = PROBE_TIMEOUT;
	end = np_plan_run(&plan, &cell, 1);
	if (end != NP_RUN_COMPLETE || !cell.metrics)
		np_die(NP_FAIL, "--accel kvm: a first guest did not work: %s", cell.reason);
	np_cell_clear(&cell);
}

static void make(struct np_matrix *m, int argc, char **argv)
{
	find_parts(m);
	make_cells(m);
	make_plan(m);
	check_appends(m);
	make_head(m, argc, argv);
}

/**
 * np_matrix_list() - print the IDs of the cells that the options would run
 * @m: the matrix, checked
 * @argc: number of arguments of the program
 * @argv: the arguments
 *
 * Only with --resume something of the guests is looked for: whether the earlier cells fit.
 */
void np_matrix_list(struct np_matrix *m, int argc, char **argv)
{
	if (m->o->resume) {
		make(m, argc, argv);
		resume(m);
	} else {
		make_cells(m);
	}
	for (int i = 0; i < m->to_run; i++) {
		const struct np_cell *c = &m->results.cells[i];

		if (c->status != NP_CELL_OK)
			printf("%s/%s/%d\n", c->workload, c->policy, c->rep);
	}
}

/**
 * np_matrix_prepare() - find everything, make the cells, open the directory for results
 * @m: the matrix, checked
 * @argc: number of arguments of the program, for the record
 * @argv: the arguments
 *
 * Earlier results in the directory are kept under another name, or taken over with --resume. Ends
 * the program if something is missing or does not work.
 */
void np_matrix_prepare(struct np_matrix *m, int argc, char **argv)
{
	make(m, argc, argv);
	choose_cells(m);
	open_out(m);
	if (m->o->cell.n) {
		for (int i = 0; i < m->to_run; i++)
			resume_cell(m, &m->results.cells[i]);
	} else {
		resume(m);
	}
	if (m->o->kvm)
		probe_kvm(m);
	if (m->o->cell.n)
		return;
	if (!m->o->resume)
		keep_old(m);
	save(m);
	if (m->save_error)
		np_die(NP_FAIL, "cannot write %s: %s", m->results_path, strerror(-m->save_error));
}

/* Where the cells come from that were not there before. */
static void add_own_origin(struct np_matrix *m, const json_t *started)
{
	json_t *head = m->results.head, *list = json_object_get(head, "merged_from");
	int n = -m->kept;

	if (!list)
		return;
	for (int i = 0; i < m->to_run; i++)
		n += m->results.cells[i].status != NP_CELL_NOT_RUN;
	if (n > 0)
		json_array_append_new(list, json_pack("{s:O, s:O, s:O, s:i}", "host",
						      json_object_get(head, "host"), "started",
						      started, "ended",
						      json_object_get(head, "ended"), "cells", n));
}

/**
 * np_matrix_run() - run the cells and save the results
 * @m: the matrix, prepared
 * @end: how the run ended
 *
 * Return: 0, or a negative errno if the results could not be saved; that was said then.
 */
int np_matrix_run(struct np_matrix *m, enum np_run_end *end)
{
	struct np_results *r = &m->results;
	json_t *started = now_text();

	m->plan.done = cell_done;
	m->plan.arg = m;
	m->plan.shared = m->o->cell.n;
	for (int i = 0; i < r->ncells; i++)
		if (r->cells[i].order > m->plan.ordered)
			m->plan.ordered = r->cells[i].order;
	*end = np_plan_run(&m->plan, r->cells, m->to_run);
	json_object_set_new(r->head, "ended", now_text());
	json_object_set_new(r->head, "interrupted", json_boolean(*end != NP_RUN_COMPLETE));
	add_own_origin(m, started);
	json_decref(started);
	if (!m->o->cell.n)
		save(m);
	if (m->save_error)
		np_error("cannot write %s: %s; the file there, if any, is older", m->results_path,
			 strerror(-m->save_error));
	return m->save_error;
}

/**
 * np_matrix_run_and_print() - run the cells, save the results, print the table
 * @m: the matrix, prepared
 *
 * Return: NP_OK if every cell is fine, or NP_FAIL.
 */
int np_matrix_run_and_print(struct np_matrix *m)
{
	const struct np_results *r = &m->results;
	enum np_run_end end;
	int status, err;

	err = np_matrix_run(m, &end);
	status = np_table_print_all(r);
	for (int i = 0; i < r->ncells; i++)
		if (r->cells[i].status != NP_CELL_OK)
			status = NP_FAIL;
	if (end != NP_RUN_COMPLETE)
		status = NP_FAIL;
	if (end == NP_RUN_INTERRUPTED)
		np_error("interrupted; what was finished is in %s", m->results_path);
	return err ? NP_FAIL : status;
}

/**
 * np_matrix_free() - free a matrix; the directory is given up
 * @m: the matrix
 */
void np_matrix_free(struct np_matrix *m)
{
	np_results_free(&m->results);
	np_topology_free(&m->topology);
	json_decref(m->params);
	json_decref(m->tune);
	np_setup_free(&m->setup);
	np_native_close(&m->native);
	free(m->results_path);
	if (m->out_fd >= 0)
		close(m->out_fd);
}
