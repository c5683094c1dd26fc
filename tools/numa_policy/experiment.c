// SPDX-License-Identifier: GPL-2.0
/*
 * numa-policy experiment: published claims, held against enough runs to decide.
 *
 * An experiment runs its policies with more and more seeds, and looks at its claims after given
 * numbers of runs. It ends when all claims are decided, or at the last look. Who looks several
 * times errs more often: each look's interval is widened so that all looks together miss the true
 * change in 5 % of all experiments at most (Bonferroni). The policies run with the same seeds, and
 * are compared seed by seed.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "experiments.h"
#include "matrix.h"
#include "report_parts.h"
#include "util.h"

#define ALPHA 0.05
#define INDENT 13

static const char usage_text[] =
"Usage: numa-policy experiment [OPTION]... NAME...\n"
"       numa-policy experiment [OPTION]... all\n"
"Runs experiments on published claims about scan policies and prints a verdict on each:\n"
"reproduced, not reproduced or inconclusive, with the effect, its 95 % interval and the number\n"
"of runs. More runs are made until the claims are decided or the experiment's limit is reached.\n"
"\n"
"  --out DIR            where results go: DIR/NAME/ARM/results.json, DIR/NAME/verdict.json\n"
"                       (default build/experiments)\n"
"  --resume             go on with the runs that are in DIR already\n"
"  --looks N            look at the claims N times at most, whatever is still undecided then\n"
"  --topology T         nodes of the guests (default 2x2)\n"
"  --seed S             the repetitions' seeds are made from it (default 1)\n"
"  --jobs J             guests at once (default: number of CPUs)\n"
"  --kernel DIR, --initrd FILE, --qemu PROGRAM, --timeout S, --stall S, --keep\n"
"                       as for compare\n"
"  --dry-run            run nothing, only check these options\n"
"  --help               print this\n"
"\n"
"Exit status: 0 if every run is fine, whatever the verdicts; 1 if one failed or was not run,\n"
"2 for bad usage.\n";

/* An arm, as far as it was run. */
struct arm_state {
	const struct np_arm *arm;
	struct np_matrix matrix;
	struct np_options options;
	char *out;
	bool loaded;
};

struct state {
	const struct np_options *given;
	const struct np_experiment *x;
	struct arm_state *arms;
	int narms;
	int look;
	int nlooks;
	bool broken;
	bool interrupted;
};

/*
 * A claim's evidence: the pairs of runs with the same seed, how many pairs lack a value, and the
 * change with its interval, as printed and as it decides.
 */
struct finding {
	struct np_pairs pairs;
	int lost;
	struct np_interval shown;
	struct np_interval deciding;
	enum np_verdict_kind verdict;
};

/* A paragraph behind a label, in lines that can be mailed. */
static void print_wrapped(FILE *f, const char *label, const char *text)
{
	char *first = np_asprintf("  %s", label);

	np_print_para(f, first, INDENT, text);
	free(first);
}

static void add_settings(struct np_list *list, const char *workload, const char *settings)
{
	char **words;
	int n;

	if (!settings)
		return;
	words = np_split(settings, ' ', &n);
	for (int i = 0; i < n; i++) {
		char *text = workload ? np_asprintf("%s.%s", workload, words[i]) :
			     np_strdup(words[i]);

		np_list_add(list, text);
		free(text);
	}
	np_split_free(words, n);
}

static void arm_options(struct np_options *o, const struct np_options *given,
			const struct np_arm *arm, const char *out)
{
	*o = *given;
	memset(&o->policies, 0, sizeof(o->policies));
	memset(&o->workloads, 0, sizeof(o->workloads));
	memset(&o->set, 0, sizeof(o->set));
	memset(&o->tune, 0, sizeof(o->tune));
	o->out = out;
	np_list_set(&o->policies, arm->policies);
	np_list_set(&o->workloads, arm->workload);
	add_settings(&o->set, arm->workload, arm->set);
	add_settings(&o->tune, NULL, arm->tune);
	o->base = o->policies.v[0];
	o->traffic = arm->traffic;
	o->decisions = arm->decisions;
}

static void forget_arm(struct arm_state *a)
{
	if (!a->loaded)
		return;
	np_matrix_free(&a->matrix);
	np_options_free(&a->options);
	a->loaded = false;
}

/* Bring an arm to @reps runs of each policy. */
static void run_arm(struct state *s, struct arm_state *a, int reps)
{
	char *argv[] = { "experiment", (char *)s->x->name, NULL };
	const struct np_results *r = &a->matrix.results;
	enum np_run_end end;

	np_error("%s: %s under %s, %d seeds each (look %d of %d)", s->x->name, a->arm->name,
		 a->arm->policies, reps, s->look + 1, s->nlooks);
	forget_arm(a);
	arm_options(&a->options, s->given, a->arm, a->out);
	a->options.reps = reps;
	a->options.resume = s->look > 0 || s->given->resume;
	np_matrix_check(&a->matrix, &a->options);
	a->loaded = true;
	np_matrix_prepare(&a->matrix, 2, argv);
	if (np_matrix_run(&a->matrix, &end))
		s->broken = true;
	if (end != NP_RUN_COMPLETE)
		s->interrupted = true;
	for (int i = 0; i < r->ncells; i++)
		if (r->cells[i].status != NP_CELL_OK && r->cells[i].rep <= reps)
			s->broken = true;
}

static const struct np_results *results_of(const struct state *s, const char *arm)
{
	for (int i = 0; i < s->narms; i++)
		if (!strcmp(s->arms[i].arm->name, arm))
			return &s->arms[i].matrix.results;
	np_die(NP_FAIL, "%s: there is no arm '%s'", s->x->name, arm);
}

/* The value of a metric under a policy in a repetition. Return: whether there is one. */
static bool value_of(const struct np_results *r, const char *policy, int rep, const char *metric,
		     double *value)
{
	for (int i = 0; i < r->ncells; i++) {
		const struct np_cell *c = &r->cells[i];
		json_t *v;

		if (c->rep != rep || strcmp(c->policy, policy))
			continue;
		v = c->status == NP_CELL_OK ? json_object_get(c->metrics, metric) : NULL;
		*value = json_number_value(v);
		return json_is_number(v);
	}
	return false;
}

/* A claim of which runs are lost is not decided: they may be lost for what is being measured. */
static struct finding look_at(const struct state *s, const struct np_claim *c)
{
	const struct np_results *r = results_of(s, c->arm);
	int reps = s->x->looks[s->look], n = 0;
	double *a = np_alloc(reps * sizeof(*a)), *base = np_alloc(reps * sizeof(*base));
	struct finding f = { 0 };

	/* Runs beyond this look, from an earlier run that went further, do not count yet. */
	for (int rep = 1; rep <= reps; rep++) {
		if (value_of(r, c->policy, rep, c->metric, &a[n]) &&
		    value_of(r, c->base, rep, c->metric, &base[n]))
			n++;
		else
			f.lost++;
	}
	f.pairs = np_pairs(a, base, n);
	f.shown = np_claim_interval(c->relation, &f.pairs, ALPHA);
	f.deciding = np_claim_interval(c->relation, &f.pairs, ALPHA / s->nlooks);
	f.verdict = f.lost ? NP_INCONCLUSIVE :
		    np_claim_judge(c->relation, c->margin, &f.deciding);
	free(a);
	free(base);
	return f;
}

/* One claim that does not hold makes the experiment "not reproduced". */
static enum np_verdict_kind verdict_of(const struct state *s)
{
	enum np_verdict_kind verdict = NP_REPRODUCED;

	for (const struct np_claim *c = s->x->claims; c->text; c++) {
		struct finding f = look_at(s, c);

		if (f.verdict == NP_NOT_REPRODUCED)
			return NP_NOT_REPRODUCED;
		if (f.verdict == NP_INCONCLUSIVE)
			verdict = NP_INCONCLUSIVE;
	}
	return verdict;
}

static bool all_decided(const struct state *s)
{
	for (const struct np_claim *c = s->x->claims; c->text; c++)
		if (look_at(s, c).verdict == NP_INCONCLUSIVE)
			return false;
	return true;
}

static const struct np_metric *metric_of(const char *name)
{
	for (int i = 0; i < np_metrics_count; i++)
		if (!strcmp(np_metrics[i].name, name))
			return &np_metrics[i];
	np_die(NP_FAIL, "there is no metric '%s'", name);
}

static char *rule_text(const struct np_claim *c)
{
	const struct np_metric *m = metric_of(c->metric);
	char *relation, *text;

	switch (c->relation) {
	case NP_LESS:
		relation = c->margin > 0 ? np_asprintf("lower by more than %g %%", c->margin) :
			   np_strdup("lower");
		break;
	case NP_NOT_LESS:
		relation = np_asprintf("not lower by more than %g %%", c->margin);
		break;
	case NP_NOT_MORE:
		relation = np_asprintf("not higher by more than %g %%", c->margin);
		break;
	case NP_MORE:
		relation = np_asprintf("higher by more than %g %%", c->margin);
		break;
	case NP_SAME:
		relation = np_asprintf("within %g %%, either way", c->margin);
		break;
	case NP_NEAR:
		relation = np_asprintf("within %g, either way", c->margin * m->scale);
		break;
	default:
		relation = np_strdup("standard deviation lower");
		break;
	}
	text = np_asprintf("%s, %s against %s: %s", m->title, c->policy, c->base, relation);
	free(relation);
	return text;
}

static char *arm_text(const struct np_arm *arm)
{
	return np_asprintf("%s: %s%s%s%s%s under %s%s%s", arm->name, arm->workload,
			   arm->set ? " with " : "", arm->set ? arm->set : "",
			   arm->tune ? ", " : "", arm->tune ? arm->tune : "", arm->policies,
			   arm->traffic ? ", accesses counted" : "",
			   arm->decisions ? ", decisions recorded" : "");
}

static void print_experiment_help(const struct np_experiment *x)
{
	struct np_buf looks = { 0 };

	printf("\n%s: %s\n", x->name, x->title);
	print_wrapped(stdout, "against", x->against);
	print_wrapped(stdout, "not shown", x->cannot);
	print_wrapped(stdout, "scan clock", x->clock);
	for (const struct np_arm *arm = x->arms; arm->name; arm++) {
		char *text = arm_text(arm);

		print_wrapped(stdout, arm == x->arms ? "runs" : "", text);
		free(text);
	}
	for (int i = 0; x->looks[i]; i++)
		np_buf_printf(&looks, "%s%d", i ? ", then " : "", x->looks[i]);
	np_buf_puts(&looks, " of each policy");
	print_wrapped(stdout, "seeds", looks.s);
	np_buf_free(&looks);
	for (const struct np_claim *c = x->claims; c->text; c++) {
		char *rule = rule_text(c);

		print_wrapped(stdout, "claim", c->text);
		print_wrapped(stdout, "", rule);
		free(rule);
	}
}

static void print_help(void)
{
	fputs(usage_text, stdout);
	fputs("\nExperiments:\n", stdout);
	for (const struct np_experiment *x = np_experiments; x->name; x++)
		print_experiment_help(x);
}

static char *effect_text(const struct np_claim *c, const struct finding *f)
{
	const struct np_metric *m = metric_of(c->metric);
	bool stddev = c->relation == NP_STEADIER, near = c->relation == NP_NEAR;
	double a = stddev ? sqrt(f->pairs.var_a) : f->pairs.a;
	double base = stddev ? sqrt(f->pairs.var_base) : f->pairs.base;
	double scale = near ? m->scale : 1;
	int digits = m->decimals ? m->decimals : 1;
	const char *unit = near ? "" : " %";
	struct np_buf text = { 0 };

	np_buf_printf(&text, "%s%.*f against %.*f", stddev ? "standard deviation " : "", digits,
		      a * m->scale, digits, base * m->scale);
	if (f->shown.known)
		np_buf_printf(&text, ": %+.*f%s", near ? digits : 1, f->shown.change * scale, unit);
	if (f->shown.bounded)
		np_buf_printf(&text, " (95 %% CI %+.*f to %+.*f%s)", near ? digits : 1,
			      f->shown.low * scale, near ? digits : 1, f->shown.high * scale, unit);
	else
		np_buf_puts(&text, " (no interval)");
	np_buf_printf(&text, ", n = %d seeds", f->pairs.n);
	if (f->lost)
		np_buf_printf(&text, "; %d more have no value, so nothing is decided", f->lost);
	return text.s;
}

static void print_arms(const struct state *s)
{
	for (int i = 0; i < s->narms; i++) {
		const struct arm_state *a = &s->arms[i];
		char *arm = arm_text(a->arm);
		char *text = np_asprintf("%s; %ld seeds each, topology %s", arm, a->options.reps,
					 a->options.topology);

		print_wrapped(stdout, i ? "" : "runs", text);
		free(text);
		free(arm);
	}
}

static void print_failures(const struct state *s)
{
	for (int i = 0; i < s->narms; i++) {
		const struct np_results *r = &s->arms[i].matrix.results;

		for (int j = 0; j < r->ncells; j++) {
			const struct np_cell *c = &r->cells[j];
			char *text;

			if (c->status == NP_CELL_OK || c->rep > s->arms[i].options.reps)
				continue;
			text = np_asprintf("%s, %s under %s, repetition %d: %s",
					   s->arms[i].arm->name, c->workload, c->policy, c->rep,
					   c->reason ? c->reason : "?");
			print_wrapped(stdout, c->status == NP_CELL_FAILED ? "failed" : "not run",
				      text);
			free(text);
		}
	}
}

static void print_findings(const struct state *s)
{
	printf("\n== %s: %s\n", s->x->name, s->x->title);
	print_wrapped(stdout, "against", s->x->against);
	print_wrapped(stdout, "not shown", s->x->cannot);
	print_wrapped(stdout, "scan clock", s->x->clock);
	print_arms(s);
	print_failures(s);
	for (const struct np_claim *c = s->x->claims; c->text; c++) {
		struct finding f = look_at(s, c);
		char *rule = rule_text(c), *effect = effect_text(c, &f);

		print_wrapped(stdout, "claim", c->text);
		print_wrapped(stdout, "", rule);
		print_wrapped(stdout, "", effect);
		print_wrapped(stdout, "", np_verdict_text(f.verdict));
		free(rule);
		free(effect);
	}
	printf("  %-*s%s\n", INDENT - 2, "verdict", np_verdict_text(verdict_of(s)));
	fflush(stdout);
}

static json_t *interval_json(const struct np_interval *v)
{
	if (!v->known || !v->bounded)
		return json_null();
	return json_pack("{s:f, s:f, s:f}", "change", v->change, "low", v->low, "high", v->high);
}

static void save_verdict(struct state *s)
{
	char *path = np_asprintf("%s/%s/verdict.json", s->given->out, s->x->name), *text;
	json_t *claims = json_array(), *all;
	int err;

	for (const struct np_claim *c = s->x->claims; c->text; c++) {
		struct finding f = look_at(s, c);

		json_array_append_new(claims, json_pack(
			"{s:s, s:s, s:s, s:s, s:s, s:f, s:b, s:o, s:o, s:i, s:i, s:s}",
			"claim", c->text, "arm", c->arm, "metric", c->metric, "policy", c->policy,
			"base", c->base, "margin", c->margin, "in_percent",
			c->relation != NP_NEAR, "ci95", interval_json(&f.shown),
			"deciding", interval_json(&f.deciding), "n", f.pairs.n,
			"lost", f.lost, "verdict", np_verdict_text(f.verdict)));
	}
	all = json_pack("{s:s, s:i, s:i, s:o, s:s}", "experiment", s->x->name, "looks",
			s->look + 1, "of_looks", s->nlooks, "claims", claims, "verdict",
			np_verdict_text(verdict_of(s)));
	text = json_dumps(all, JSON_INDENT(2) | JSON_REAL_PRECISION(6));
	err = np_write_file(path, text, strlen(text));
	if (err) {
		np_error("cannot write %s: %s", path, strerror(-err));
		s->broken = true;
	}
	free(text);
	json_decref(all);
	free(path);
}

static int run_experiment(const struct np_experiment *x, const struct np_options *given,
			  bool *interrupted)
{
	struct state s = { .given = given, .x = x };
	const struct np_arm *arm;

	for (arm = x->arms; arm->name; arm++)
		s.narms++;
	while (x->looks[s.nlooks])
		s.nlooks++;
	s.arms = np_alloc(s.narms * sizeof(*s.arms));
	for (int i = 0; i < s.narms; i++) {
		s.arms[i].arm = &x->arms[i];
		s.arms[i].out = np_asprintf("%s/%s/%s", given->out, x->name, x->arms[i].name);
	}
	for (;; s.look++) {
		for (int i = 0; i < s.narms && !s.interrupted; i++)
			run_arm(&s, &s.arms[i], x->looks[s.look]);
		if (s.interrupted || s.broken || s.look + 1 == s.nlooks ||
		    s.look + 1 == given->looks || all_decided(&s))
			break;
	}
	if (!s.interrupted) {
		print_findings(&s);
		save_verdict(&s);
	}
	for (int i = 0; i < s.narms; i++) {
		forget_arm(&s.arms[i]);
		free(s.arms[i].out);
	}
	free(s.arms);
	if (s.interrupted)
		np_error("%s: interrupted; --resume goes on with it", x->name);
	*interrupted = s.interrupted;
	return s.interrupted || s.broken ? NP_FAIL : NP_OK;
}

static void check_names(const struct np_options *o)
{
	struct np_buf known = { 0 };

	for (const struct np_experiment *x = np_experiments; x->name; x++)
		np_buf_printf(&known, "%s%s", known.len ? ", " : "", x->name);
	if (!o->nrest)
		np_die(NP_USAGE, "which experiment? There are: %s; or all", known.s);
	for (int i = 0; i < o->nrest; i++)
		if (strcmp(o->rest[i], "all") && !np_experiment_find(o->rest[i]))
			np_die(NP_USAGE, "unknown experiment '%s'; there are: %s; or all",
			       o->rest[i], known.s);
	np_buf_free(&known);
}

static bool chosen(const struct np_options *o, const struct np_experiment *x)
{
	for (int i = 0; i < o->nrest; i++)
		if (!strcmp(o->rest[i], "all") || !strcmp(o->rest[i], x->name))
			return true;
	return false;
}

/* What is wrong with an experiment or with the options is said before the first guest. */
static void check_all(const struct np_options *o)
{
	for (const struct np_experiment *x = np_experiments; x->name; x++) {
		for (const struct np_arm *arm = x->arms; arm->name && chosen(o, x); arm++) {
			struct np_options options;
			struct np_matrix m;

			arm_options(&options, o, arm, o->out);
			np_matrix_check(&m, &options);
			np_matrix_free(&m);
			np_options_free(&options);
		}
	}
}

/**
 * cmd_experiment() - the subcommand "experiment"
 * @argc: number of arguments
 * @argv: the arguments, from the subcommand's name on
 *
 * Return: NP_OK if every run is fine, NP_FAIL, or NP_USAGE.
 */
int cmd_experiment(int argc, char **argv)
{
	bool interrupted = false;
	struct np_options o;
	int status = NP_OK;

	np_options_init(&o, "experiment", "build/experiments");
	np_options_parse(&o, NP_FOR_EXPERIMENT, argc, argv);
	if (o.help) {
		print_help();
		return NP_OK;
	}
	check_names(&o);
	check_all(&o);
	for (const struct np_experiment *x = np_experiments; x->name && !o.dry_run; x++)
		if (!interrupted && chosen(&o, x) && run_experiment(x, &o, &interrupted))
			status = NP_FAIL;
	np_options_free(&o);
	return status;
}
