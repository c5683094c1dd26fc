// SPDX-License-Identifier: GPL-2.0
/*
 * numa-policy report: the statistics of results.json, made once, and written in a format.
 */
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "commands.h"
#include "report.h"
#include "util.h"

/* A row's short name, as the field writes them. */
static const struct {
	const char *metric;
	const char *row;
} rows[] = {
	{ "pte_updates", "pte" },
	{ "hint_faults", "flts" },
	{ "hint_faults_local", "lflt" },
	{ "pages_migrated", "migr" },
	{ "local_mean", "locl" },
	{ "local_end", "lend" },
	{ "remote_page_s", "rpgs" },
	{ "t90_ms", "t90" },
	{ "system_ms", "syst" },
	{ "user_ms", "user" },
	{ "elapsed_ms", "elsp" },
	{ "local_accesses", "lacc" },
	{ "remote_accesses", "racc" },
	{ "local_bytes", "lbyt" },
	{ "remote_bytes", "rbyt" },
	{ "modelled_ms", "modelled" },
};

/**
 * np_metric_row() - what the rows of a metric are called
 * @metric: the metric
 *
 * Return: a short name; the metric's own where it has none.
 */
const char *np_metric_row(const struct np_metric *metric)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (!strcmp(rows[i].metric, metric->name))
			return rows[i].row;
	return metric->name;
}

/**
 * np_metric_value() - a metric of a cell, in the table's unit
 * @metric: the metric
 * @cell: the cell
 *
 * What is scaled down is divided, so that 120 ms are 0.12 s to the last bit.
 *
 * Return: the value; NAN where the cell has none.
 */
double np_metric_value(const struct np_metric *metric, const struct np_cell *cell)
{
	const json_t *v = json_object_get(cell->metrics, metric->name);

	if (!json_is_number(v))
		return NAN;
	if (metric->scale < 1)
		return json_number_value(v) / round(1 / metric->scale);
	return json_number_value(v) * metric->scale;
}

/**
 * np_head_text() - a text of the head of results
 * @r: the results
 * @object: the object that it is in; NULL: the head itself
 * @key: its key
 *
 * Return: the text; "?" where there is none.
 */
const char *np_head_text(const struct np_results *r, const char *object, const char *key)
{
	const json_t *from = object ? json_object_get(r->head, object) : r->head;
	const char *s = json_string_value(json_object_get(from, key));

	return s ? s : "?";
}

static int index_of(const char * const *names, int n, const char *name)
{
	for (int i = 0; i < n; i++)
		if (!strcmp(names[i], name))
			return i;
	return -1;
}

__printf(2, 3) static void add_note(struct np_report *rep, const char *fmt, ...)
{
	va_list ap;

	rep->notes = np_realloc(rep->notes, (rep->nnotes + 1) * sizeof(*rep->notes));
	va_start(ap, fmt);
	rep->notes[rep->nnotes++] = np_vasprintf(fmt, ap);
	va_end(ap);
}

/* ---- the cells of each workload and column ---- */

static int by_rep(const void *a, const void *b)
{
	const struct np_cell * const *x = a, * const *y = b;

	return ((*x)->rep > (*y)->rep) - ((*x)->rep < (*y)->rep);
}

static int find_column(const struct np_report *rep, int set, const char *policy)
{
	for (int c = 0; c < rep->ncolumns; c++)
		if (rep->columns[c].set == set && !strcmp(rep->columns[c].policy, policy))
			return c;
	return -1;
}

/* Two rounds: the first counts, the second fills in. */
static void index_cells(struct np_report *rep, const struct np_results *r, int set, bool fill)
{
	for (int i = 0; i < r->ncells; i++) {
		const struct np_cell *cell = &r->cells[i];
		int w = index_of(rep->workloads, rep->nworkloads, cell->workload);
		int c = find_column(rep, set, cell->policy);
		struct np_group *g;

		if (w < 0 || c < 0)
			continue;
		g = &rep->groups[w * rep->ncolumns + c];
		if (fill)
			g->cells[g->n] = cell;
		g->n++;
	}
}

static void make_groups(struct np_report *rep)
{
	int n = rep->nworkloads * rep->ncolumns;

	rep->groups = np_alloc(n * sizeof(*rep->groups));
	for (int fill = 0; fill < 2; fill++) {
		for (int i = 0; fill && i < n; i++) {
			struct np_group *g = &rep->groups[i];

			g->cells = np_alloc(g->n * sizeof(*g->cells));
			g->n = 0;
		}
		index_cells(rep, rep->r, 0, fill);
		if (rep->other)
			index_cells(rep, rep->other, 1, fill);
	}
	for (int i = 0; i < n; i++)
		qsort(rep->groups[i].cells, rep->groups[i].n, sizeof(rep->groups[i].cells[0]),
		      by_rep);
}

/* ---- their statistics ---- */

/* Fill in what one column says by itself; @x has room for all its values. */
static void summarise(struct np_summary *sum, struct np_sample *sample, const struct np_group *g,
		      const struct np_metric *metric, double *x)
{
	int n = 0;

	for (int i = 0; i < g->n; i++) {
		const struct np_cell *cell = g->cells[i];
		double value = np_metric_value(metric, cell);

		sum->runs++;
		sum->failed += cell->status == NP_CELL_FAILED;
		sum->not_run += cell->status == NP_CELL_NOT_RUN;
		if (cell->status != NP_CELL_OK)
			continue;
		sum->ok++;
		if (json_object_get(cell->metrics, metric->name))
			sum->present = true;
		if (!isnan(value))
			x[n++] = value;
	}
	sum->s = np_stats(x, n, metric->better > 0);
	*sample = np_sample(x, n);
}

/* Fill in how a column differs from its base. */
static void compare_with(struct np_summary *sum, const struct np_sample *sample,
			 const struct np_summary *base, const struct np_sample *base_sample)
{
	struct np_welch w = np_welch(sample, base_sample);
	double unit = 1;

	if (!sample->n || !base_sample->n || sample->n < sum->ok || base_sample->n < base->ok)
		return;
	sum->relative = base_sample->mean != 0;
	if (sum->relative)
		unit = 100 / fabs(base_sample->mean);
	sum->change = w.diff * unit;
	sum->tested = w.tested;
	if (!w.tested)
		return;
	sum->constant = w.half == 0;
	sum->low = (w.diff - w.half) * unit;
	sum->high = (w.diff + w.half) * unit;
	sum->p = w.p;
}

static void summarise_metric(struct np_report *rep, int w, int m, struct np_sample *samples,
			     double *x)
{
	struct np_summary *sums = &rep->summaries[(w * np_metrics_count + m) * rep->ncolumns];
	bool present = false;

	for (int c = 0; c < rep->ncolumns; c++) {
		struct np_summary *sum = &sums[c];

		sum->change = NAN;
		sum->low = NAN;
		sum->high = NAN;
		sum->p = NAN;
		sum->p_corrected = NAN;
		summarise(sum, &samples[c], np_report_group(rep, w, c), &np_metrics[m], x);
		present |= sum->present;
	}
	for (int c = 0; c < rep->ncolumns; c++) {
		int base = rep->columns[c].base;

		sums[c].present = present;
		if (base != c)
			compare_with(&sums[c], &samples[c], &sums[base], &samples[base]);
	}
}

static void correct(struct np_report *rep)
{
	int n = rep->nworkloads * np_metrics_count * rep->ncolumns;
	double *p = np_alloc(2 * n * sizeof(*p)), *corrected = p + n;

	for (int i = 0; i < n; i++)
		p[i] = rep->summaries[i].p;
	np_holm(p, corrected, n);
	for (int i = 0; i < n; i++) {
		struct np_summary *sum = &rep->summaries[i];

		sum->p_corrected = corrected[i];
		sum->significant = corrected[i] < NP_ALPHA;
		rep->comparisons += sum->tested;
	}
	free(p);
}

static void make_summaries(struct np_report *rep)
{
	struct np_sample *samples = np_alloc(rep->ncolumns * sizeof(*samples));
	int most = 0;
	double *x;

	make_groups(rep);
	for (int i = 0; i < rep->nworkloads * rep->ncolumns; i++)
		most = rep->groups[i].n > most ? rep->groups[i].n : most;
	x = np_alloc(most * sizeof(*x));
	rep->summaries = np_alloc((size_t)rep->nworkloads * np_metrics_count * rep->ncolumns *
				  sizeof(*rep->summaries));
	for (int w = 0; w < rep->nworkloads; w++)
		for (int m = 0; m < np_metrics_count; m++)
			summarise_metric(rep, w, m, samples, x);
	free(x);
	free(samples);
	correct(rep);
}

/**
 * np_report_make() - the statistics of results: every policy against the base
 * @rep: filled in; to be freed by np_report_free(), in any case
 * @r: the results; must live as long as @rep
 * @base: the policy to compare with; NULL: the one that the results name
 *
 * Return: NULL, or what is wrong, to be freed.
 */
char *np_report_make(struct np_report *rep, const struct np_results *r, const char *base)
{
	int at = index_of(r->policies, r->npolicies, base ? base : r->base);

	memset(rep, 0, sizeof(*rep));
	if (at < 0)
		return np_asprintf("--base %s: this policy is not in the results", base);
	rep->r = r;
	rep->base = r->policies[at];
	rep->workloads = np_alloc(r->nworkloads * sizeof(*rep->workloads));
	for (int w = 0; w < r->nworkloads; w++)
		rep->workloads[rep->nworkloads++] = r->workloads[w];
	rep->columns = np_alloc(r->npolicies * sizeof(*rep->columns));
	for (int p = 0; p < r->npolicies; p++)
		rep->columns[rep->ncolumns++] = (struct np_column){
			.r = r, .policy = r->policies[p], .base = at,
			.label = np_strdup(r->policies[p]),
		};
	make_summaries(rep);
	return NULL;
}

/* ---- two results side by side ---- */

static const json_t *workload_of(const struct np_results *r, const char *name)
{
	const json_t *list = json_object_get(r->head, "workloads");

	return json_array_get(list, index_of(r->workloads, r->nworkloads, name));
}

static void note_differs(struct np_report *rep, const char *what, const char *of, const json_t *a,
			 const json_t *b)
{
	char *x, *y;

	if (a == b || (a && b && json_equal(a, b)))
		return;
	x = a ? json_dumps(a, JSON_COMPACT | JSON_ENCODE_ANY) : NULL;
	y = b ? json_dumps(b, JSON_COMPACT | JSON_ENCODE_ANY) : NULL;
	add_note(rep, "%s%s%s differs: %s and %s", what, *of ? " of " : "", of, x ? x : "none",
		 y ? y : "none");
	free(x);
	free(y);
}

static void note_members(struct np_report *rep, const char *what, const char *of, const json_t *a,
			 const json_t *b)
{
	const char *key;
	json_t *v;

	json_object_foreach((json_t *)a, key, v) {
		char *name = np_asprintf("%s %s", what, key);

		note_differs(rep, name, of, v, json_object_get(b, key));
		free(name);
	}
	json_object_foreach((json_t *)b, key, v) {
		char *name = np_asprintf("%s %s", what, key);

		if (!json_object_get(a, key))
			note_differs(rep, name, of, NULL, v);
		free(name);
	}
}

/* A switch that is off may be absent. */
static void note_switch(struct np_report *rep, const char *what, const json_t *a, const json_t *b)
{
	if (json_is_true(a) != json_is_true(b))
		add_note(rep, "%s differs: %s and %s", what, json_is_true(a) ? "on" : "off",
			 json_is_true(b) ? "on" : "off");
}

/* What makes two results measurements of different things. */
static void note_settings(struct np_report *rep)
{
	static const char * const of_workloads[] = {
		"shift", "limit_s", "command", "directory", "program_sha256",
	};
	const json_t *a = rep->r->head, *b = rep->other->head;

	note_differs(rep, "topology", "", json_object_get(json_object_get(a, "topology"), "text"),
		     json_object_get(json_object_get(b, "topology"), "text"));
	if (!rep->nnotes)
		note_differs(rep, "the list of nodes", "the topology",
			     json_object_get(json_object_get(a, "topology"), "nodes"),
			     json_object_get(json_object_get(b, "topology"), "nodes"));
	note_members(rep, "tunable", "", json_object_get(a, "tunables"),
		     json_object_get(b, "tunables"));
	note_differs(rep, "accel", "QEMU", json_object_get(json_object_get(a, "qemu"), "accel"),
		     json_object_get(json_object_get(b, "qemu"), "accel"));
	note_differs(rep, "version", "QEMU", json_object_get(json_object_get(a, "qemu"), "version"),
		     json_object_get(json_object_get(b, "qemu"), "version"));
	note_differs(rep, "model", "the machine's CPUs",
		     json_object_get(json_object_get(a, "native"), "cpu"),
		     json_object_get(json_object_get(b, "native"), "cpu"));
	note_differs(rep, "sample_ms", "", json_object_get(a, "sample_ms"),
		     json_object_get(b, "sample_ms"));
	note_switch(rep, "recording of decisions", json_object_get(a, "decisions"),
		    json_object_get(b, "decisions"));
	note_differs(rep, "recording of traffic", "", json_object_get(a, "traffic"),
		     json_object_get(b, "traffic"));
	for (int w = 0; w < rep->nworkloads; w++) {
		const json_t *x = workload_of(rep->r, rep->workloads[w]);
		const json_t *y = workload_of(rep->other, rep->workloads[w]);

		for (size_t i = 0; i < ARRAY_SIZE(of_workloads); i++)
			note_differs(rep, of_workloads[i], rep->workloads[w],
				     json_object_get(x, of_workloads[i]),
				     json_object_get(y, of_workloads[i]));
		note_members(rep, "parameter", rep->workloads[w], json_object_get(x, "params"),
			     json_object_get(y, "params"));
	}
}

/* What only one of the two has, and gets no block for that. */
static void note_missing(struct np_report *rep, int set)
{
	const struct np_results *r = set ? rep->other : rep->r, *o = set ? rep->r : rep->other;

	for (int w = 0; w < r->nworkloads; w++)
		if (index_of(o->workloads, o->nworkloads, r->workloads[w]) < 0)
			add_note(rep, "workload %s is in %s only and left out", r->workloads[w],
				 rep->labels[set]);
	for (int p = 0; p < r->npolicies; p++)
		if (index_of(o->policies, o->npolicies, r->policies[p]) < 0)
			add_note(rep, "policy %s is in %s only and left out", r->policies[p],
				 rep->labels[set]);
}

static void name_sets(struct np_report *rep, const char * const *labels)
{
	for (int set = 0; set < 2; set++) {
		const struct np_results *r = set ? rep->other : rep->r;

		rep->labels[set] = labels ? np_strdup(labels[set]) :
			np_asprintf("%s/%.8s", np_head_text(r, "kernel", "release"),
				    np_head_text(r, "kernel", "library_sha256"));
	}
	if (strcmp(rep->labels[0], rep->labels[1]))
		return;
	for (int set = 0; set < 2; set++) {
		char *name = rep->labels[set];

		rep->labels[set] = np_asprintf("%s (%d)", name, set + 1);
		free(name);
	}
}

static void pair_columns(struct np_report *rep)
{
	const struct np_results *a = rep->r, *b = rep->other;
	int blocks = 0;

	rep->columns = np_alloc(2 * a->npolicies * sizeof(*rep->columns));
	for (int p = 0; p < a->npolicies; p++) {
		if (index_of(b->policies, b->npolicies, a->policies[p]) < 0)
			continue;
		for (int set = 0; set < 2; set++)
			rep->columns[rep->ncolumns++] = (struct np_column){
				.r = set ? b : a, .set = set, .policy = a->policies[p],
				.label = np_strdup(rep->labels[set]), .base = 2 * blocks,
				.block = blocks,
			};
		blocks++;
	}
}

/* Return: what is said where two results may not be compared, or NULL. */
static char *refuse(const struct np_report *rep)
{
	struct np_buf b = { 0 };

	if (!rep->nworkloads)
		return np_strdup("no workload is in both results");
	if (!rep->ncolumns)
		return np_strdup("no policy is in both results");
	for (int i = 0; i < rep->nnotes; i++)
		np_buf_printf(&b, "%s%s", i ? "\n  " : "the results are of different settings:\n  ",
			      rep->notes[i]);
	if (b.s)
		np_buf_puts(&b, "\n--force compares them all the same");
	return b.s;
}

/**
 * np_report_pair() - the statistics of two results: the second against the first
 * @rep: filled in; to be freed by np_report_free(), in any case
 * @a: the first results, which are the base; must live as long as @rep
 * @b: the second results, likewise
 * @labels: what they are called; NULL: by kernel and library
 * @force: also if they are of different settings
 *
 * Return: NULL, or what is wrong, to be freed.
 */
char *np_report_pair(struct np_report *rep, const struct np_results *a,
		     const struct np_results *b, const char * const *labels, bool force)
{
	char *error;

	memset(rep, 0, sizeof(*rep));
	rep->r = a;
	rep->other = b;
	name_sets(rep, labels);
	rep->workloads = np_alloc(a->nworkloads * sizeof(*rep->workloads));
	for (int w = 0; w < a->nworkloads; w++)
		if (index_of(b->workloads, b->nworkloads, a->workloads[w]) >= 0)
			rep->workloads[rep->nworkloads++] = a->workloads[w];
	pair_columns(rep);
	note_settings(rep);
	error = refuse(rep);
	if (error && !(force && rep->nworkloads && rep->ncolumns))
		return error;
	free(error);
	note_missing(rep, 0);
	note_missing(rep, 1);
	make_summaries(rep);
	return NULL;
}

/**
 * np_report_free() - free a report
 * @rep: the report; the results stay
 */
void np_report_free(struct np_report *rep)
{
	for (int i = 0; rep->groups && i < rep->nworkloads * rep->ncolumns; i++)
		free(rep->groups[i].cells);
	for (int c = 0; c < rep->ncolumns; c++)
		free(rep->columns[c].label);
	for (int i = 0; i < rep->nnotes; i++)
		free(rep->notes[i]);
	free(rep->labels[0]);
	free(rep->labels[1]);
	free(rep->notes);
	free(rep->groups);
	free(rep->summaries);
	free(rep->columns);
	free(rep->workloads);
	memset(rep, 0, sizeof(*rep));
}

/* ---- the command ---- */

enum {
	OPT_FORMAT = 1, OPT_BASE, OPT_OUT, OPT_SUMMARY, OPT_COMPARE, OPT_LABEL, OPT_FORCE, OPT_HELP,
};

static const struct option long_options[] = {
	{ "format", required_argument, NULL, OPT_FORMAT },
	{ "base", required_argument, NULL, OPT_BASE },
	{ "out", required_argument, NULL, OPT_OUT },
	{ "summary", no_argument, NULL, OPT_SUMMARY },
	{ "compare", no_argument, NULL, OPT_COMPARE },
	{ "label", required_argument, NULL, OPT_LABEL },
	{ "force", no_argument, NULL, OPT_FORCE },
	{ "help", no_argument, NULL, OPT_HELP },
	{ NULL, 0, NULL, 0 }
};

static const char usage_text[] =
"Usage: numa-policy report DIR... [OPTION]...\n"
"       numa-policy report --compare DIR1 DIR2 [OPTION]...\n"
"Writes DIR/results.json as a report. Several directories are parts of one comparison.\n"
"\n"
"  --format text        statistics as mmtests lays them out (default)\n"
"  --format lkml        to be mailed: at most 80 columns, a sentence for every difference\n"
"  --format csv         a line per run and metric; --summary: per workload, policy and metric\n"
"  --format json        the statistics; results.md describes them\n"
"  --format html        one file with plots\n"
"  --summary            csv: the statistics instead of the runs\n"
"  --base P             policy to compare the others with (default: as the results have it)\n"
"  --out FILE           write to FILE (default: standard output)\n"
"  --compare            set the results of DIR2 beside those of DIR1: two kernels, two trees\n"
"  --label A,B          compare: what to call the two (default: kernel and library)\n"
"  --force              compare: even if parameters, topology, tunables or shift differ\n"
"  --help               print this\n"
"\n"
"Exit status: 0 if the report was written, whatever it says; 1 if not; 2 for bad usage.\n";

static const char * const formats[] = { "text", "lkml", "csv", "json", "html" };

enum format { FORMAT_TEXT, FORMAT_LKML, FORMAT_CSV, FORMAT_JSON, FORMAT_HTML };

struct options {
	enum format format;
	const char *base;
	const char *out;
	bool summary;
	bool compare;
	char **labels;
	int nlabels;
	bool force;
	char **dirs;
	int ndirs;
};

static void set_option(struct options *o, int opt)
{
	int format;

	switch (opt) {
	case OPT_FORMAT:
		format = index_of(formats, ARRAY_SIZE(formats), optarg);
		if (format < 0)
			np_die(NP_USAGE, "--format %s: there are text, lkml, csv, json and html",
			       optarg);
		o->format = format;
		break;
	case OPT_BASE:
		o->base = optarg;
		break;
	case OPT_OUT:
		o->out = optarg;
		break;
	case OPT_SUMMARY:
		o->summary = true;
		break;
	case OPT_COMPARE:
		o->compare = true;
		break;
	case OPT_LABEL:
		np_split_free(o->labels, o->nlabels);
		o->labels = np_split(optarg, ',', &o->nlabels);
		if (o->nlabels != 2 || !*o->labels[0] || !*o->labels[1])
			np_die(NP_USAGE, "--label %s: not two names, A,B", optarg);
		break;
	case OPT_FORCE:
		o->force = true;
		break;
	}
}

static void check_options(const struct options *o)
{
	if (!o->ndirs)
		np_die(NP_USAGE,
		       "report: name a directory with results.json; see numa-policy report --help");
	if (o->summary && o->format != FORMAT_CSV)
		np_die(NP_USAGE, "--summary has a meaning with --format csv only");
	if (!o->compare && (o->labels || o->force))
		np_die(NP_USAGE, "%s has a meaning with --compare only",
		       o->labels ? "--label" : "--force");
	if (!o->compare)
		return;
	if (o->ndirs != 2)
		np_die(NP_USAGE, "--compare needs two directories, not %d", o->ndirs);
	if (o->base)
		np_die(NP_USAGE, "--base has no meaning with --compare: DIR1 is the base");
	if (o->format == FORMAT_HTML)
		np_die(NP_USAGE, "--compare: there are text, lkml, csv and json, not html");
}

/* Return: false if there is nothing left to do but print the help. */
static bool parse_options(struct options *o, int argc, char **argv)
{
	int opt, index;

	optind = 0;
	while ((opt = getopt_long(argc, argv, ":", long_options, &index)) != -1) {
		if (opt == OPT_HELP)
			return false;
		if (opt == ':')
			np_die(NP_USAGE, "option '%s' needs a value", argv[optind - 1]);
		if (opt == '?')
			np_die(NP_USAGE, "unknown option '%s'; see numa-policy report --help",
			       argv[optind - 1]);
		set_option(o, opt);
	}
	o->dirs = argv + optind;
	o->ndirs = argc - optind;
	check_options(o);
	return true;
}

static void load(struct np_results *r, char *const *dirs, int n)
{
	char *error = np_results_load_dirs(r, dirs, n);

	if (error)
		np_die(NP_FAIL, "%s", error);
}

static int write_format(FILE *f, const struct np_report *rep, const struct options *o)
{
	switch (o->format) {
	case FORMAT_LKML:
		return np_report_lkml(f, rep);
	case FORMAT_CSV:
		for (int i = 0; i < rep->nnotes; i++)
			np_error("note: %s", rep->notes[i]);
		return np_report_csv(f, rep, o->summary);
	case FORMAT_JSON:
		return np_report_json(f, rep);
	case FORMAT_HTML:
		return np_report_html(f, rep);
	default:
		return np_report_text(f, rep);
	}
}

static int write_report(const struct np_report *rep, const struct options *o)
{
	FILE *f = stdout;
	size_t len = 0;
	char *s = NULL;
	int ret, err;

	if (o->out) {
		f = open_memstream(&s, &len);
		if (!f)
			np_die(NP_FAIL, "out of memory");
	}
	ret = write_format(f, rep, o);
	err = fflush(f) || ferror(f) ? errno : 0;
	if (o->out) {
		fclose(f);
		if (!ret && !err)
			err = -np_write_file(o->out, s, len);
		free(s);
	}
	if (err)
		np_error("cannot write the report to %s: %s", o->out ? o->out : "standard output",
			 strerror(err));
	return ret || err ? NP_FAIL : NP_OK;
}

/**
 * cmd_report() - write results as a report
 * @argc: as for main()
 * @argv: as for main(), from the subcommand on
 *
 * Return: the exit status.
 */
int cmd_report(int argc, char **argv)
{
	struct np_results r = { 0 }, other = { 0 };
	struct options o = { 0 };
	struct np_report rep;
	char *error;
	int ret;

	if (!parse_options(&o, argc, argv)) {
		fputs(usage_text, stdout);
		return NP_OK;
	}
	if (o.compare) {
		load(&r, o.dirs, 1);
		load(&other, o.dirs + 1, 1);
		error = np_report_pair(&rep, &r, &other, (const char * const *)o.labels, o.force);
	} else {
		load(&r, o.dirs, o.ndirs);
		error = np_report_make(&rep, &r, o.base);
	}
	if (error) {
		np_error("%s", error);
		free(error);
		ret = o.compare ? NP_FAIL : NP_USAGE;
	} else {
		ret = write_report(&rep, &o);
	}
	np_report_free(&rep);
	np_results_free(&r);
	np_results_free(&other);
	np_split_free(o.labels, o.nlabels);
	return ret;
}
