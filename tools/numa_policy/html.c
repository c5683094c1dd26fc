// SPDX-License-Identifier: GPL-2.0
/*
 * The report as one page of HTML that needs nothing besides itself.
 *
 * Everything is laid out before the first byte is written: where gnuplot fails there is no page
 * instead of one with holes.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gnuplot.h"
#include "html_data.h"
#include "html_plots.h"
#include "report.h"
#include "report_parts.h"
#include "util.h"

/* What a reader must not miss. */
#define ALARM "<section class=\"alarm\" role=\"alert\">\n"

/* Failed cells that are listed one by one. */
#define FAILURES_MAX 50

static const char style[] =
	":root { color-scheme: light dark; --bg: #fff; --fg: #1a1c1f; --dim: #55595f;\n"
	"  --line: #c8ccd1; --soft: #f3f4f6; --bad: #a3141f; --badbg: #fdecec;\n"
	"  --c1: #0069a6; --c2: #c94f00; --c3: #007a5e; --c4: #aa3377; --c5: #8a6a00;\n"
	"  --c6: #4334a8; --c7: #7a1f0a; --c8: #14809f; --c9: #882255; --c10: #707479; }\n"
	"@media (prefers-color-scheme: dark) { :root { --bg: #14171a; --fg: #e6e8ea; --dim: #a9afb6;\n"
	"  --line: #434951; --soft: #1f2429; --bad: #ff9c9c; --badbg: #3a1a1c;\n"
	"  --c1: #56b4e9; --c2: #ff9249; --c3: #2fc59b; --c4: #ea8cc6; --c5: #ecd04a;\n"
	"  --c6: #a99dff; --c7: #e0a377; --c8: #97e5ff; --c9: #ff9aae; --c10: #9aa0a6; } }\n"
	"* { box-sizing: border-box; }\n"
	"body { margin: 0 auto; padding: 1rem 1.5rem 3rem; max-width: 72rem; background: var(--bg);\n"
	"  color: var(--fg); font: 16px/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }\n"
	"h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 .5rem; }\n"
	"h2 { font-size: 1.3rem; margin: 2.5rem 0 .5rem; padding-top: .5rem;\n"
	"  border-top: 2px solid var(--line); }\n"
	"h3 { font-size: 1.1rem; margin: 1.5rem 0 .5rem; }\n"
	"h4 { font-size: 1rem; margin: 0 0 .25rem; }\n"
	"a { color: var(--c1); }\n"
	"code, pre { font-family: ui-monospace, monospace; font-size: .875rem; }\n"
	"pre { background: var(--soft); padding: .6rem .8rem; margin: .25rem 0; border-radius: 4px;\n"
	"  white-space: pre-wrap; }\n"
	"nav ul, .legend { list-style: none; display: flex; flex-wrap: wrap; gap: .25rem 1.1rem;\n"
	"  padding: 0; margin: .25rem 0 .5rem; }\n"
	".legend { font-size: .9rem; }\n"
	"dl { display: grid; grid-template-columns: 8rem minmax(0, 1fr); gap: .25rem .75rem; margin: 0; }\n"
	"dt { color: var(--dim); }\n"
	"dd { margin: 0; }\n"
	".alarm { border: 2px solid var(--bad); background: var(--badbg); padding: .5rem 1rem;\n"
	"  margin: 1rem 0; border-radius: 4px; }\n"
	".alarm h2 { border: 0; margin: 0; padding: 0; color: var(--bad); }\n"
	".alarm ul { padding-left: 1.2rem; margin: .25rem 0; }\n"
	".scroll { overflow-x: auto; margin: .5rem 0; }\n"
	"table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: .9rem;\n"
	"  overflow-wrap: normal; }\n"
	"caption { text-align: left; color: var(--dim); padding-bottom: .25rem; }\n"
	"th, td { padding: .25rem .6rem; text-align: right; vertical-align: top; white-space: nowrap;\n"
	"  border-bottom: 1px solid var(--line); }\n"
	"th:first-child { text-align: left; position: sticky; left: 0; background: var(--bg);\n"
	"  min-width: 9rem; white-space: normal; }\n"
	".claims { padding-left: 1.2rem; margin: .25rem 0; }\n"
	"th small { font-weight: 400; color: var(--dim); }\n"
	"td small { display: block; color: var(--dim); font-size: .8125rem; }\n"
	"td small.sig { color: var(--fg); font-weight: 600; }\n"
	"tr.first th, tr.first td { border-top: 2px solid var(--line); }\n"
	"figure { margin: 1.5rem 0; }\n"
	"figcaption, .note { color: var(--dim); font-size: .9rem; max-width: 50rem; }\n"
	"figcaption b { color: var(--fg); }\n"
	"details { margin: .5rem 0; }\n"
	"summary { cursor: pointer; color: var(--c1); }\n"
	"svg.plot { display: block; width: 100%; height: auto; color: var(--fg);\n"
	"  font-family: system-ui, sans-serif; }\n"
	"svg.wide { max-width: 60rem; }\n"
	"svg.narrow { display: none; max-width: 34rem; margin: 0 auto; }\n"
	"svg.key { width: 24px; height: 14px; margin-right: .4rem; vertical-align: -2px; }\n"
	"@media (max-width: 719px) {\n"
	"  body { padding: .75rem .75rem 2rem; }\n"
	"  svg.wide { display: none; }\n"
	"  svg.narrow { display: block; }\n"
	"  dl { grid-template-columns: minmax(0, 1fr); gap: 0; }\n"
	"  dd { margin-bottom: .5rem; }\n"
	"  th:first-child { min-width: 6.5rem; }\n"
	"}\n"
	"@media print { .scroll { overflow: visible; } figure { break-inside: avoid; } }\n";

__printf(2, 3)
static void put_escaped(struct np_buf *b, const char *fmt, ...)
{
	va_list ap;
	char *text;

	va_start(ap, fmt);
	text = np_vasprintf(fmt, ap);
	va_end(ap);
	np_html_escape(b, text);
	free(text);
}

static void put_item(struct np_buf *b, const char *name, char *text)
{
	np_buf_printf(b, "<dt>%s</dt><dd>", name);
	np_html_escape(b, text);
	np_buf_puts(b, "</dd>\n");
	free(text);
}

/* ---- the head ---- */

static char *values_text(const json_t *list)
{
	struct np_buf b = { 0 };
	json_t *v;
	size_t i;

	np_buf_puts(&b, "");
	json_array_foreach((json_t *)list, i, v)
		np_buf_printf(&b, "%s%lld", i ? " " : "", (long long)json_integer_value(v));
	return b.s;
}

static char *object_text(const json_t *object)
{
	struct np_buf b = { 0 };
	const char *key;
	json_t *v;

	np_buf_puts(&b, "");
	json_object_foreach((json_t *)object, key, v)
		np_buf_printf(&b, "%s%s=%.10g", b.len ? " " : "", key, json_number_value(v));
	return b.s;
}

static char *topology_text(const struct np_results *r)
{
	const json_t *nodes = json_object_get(json_object_get(r->head, "topology"), "nodes"), *v;
	struct np_buf b = { 0 };
	size_t i;

	np_buf_puts(&b, np_head_text(r, "topology", "text"));
	json_array_foreach((json_t *)nodes, i, v) {
		char *distance = values_text(json_object_get(v, "distance"));

		np_buf_printf(&b, "; node %lld: %zu CPUs, %lld MB, distances %s",
			      (long long)json_integer_value(json_object_get(v, "id")),
			      json_array_size(json_object_get(v, "cpus")),
			      (long long)json_integer_value(json_object_get(v, "mem_mb")),
			      distance);
		free(distance);
	}
	return b.s;
}

static void put_config(struct np_buf *b, const struct np_results *r)
{
	const json_t *lines = json_object_get(json_object_get(r->head, "kernel"), "config"), *v;
	size_t i;

	if (!json_array_size(lines))
		return;
	np_buf_puts(b, "<details><summary>Configuration of NUMA balancing</summary><pre>");
	json_array_foreach((json_t *)lines, i, v)
		put_escaped(b, "%s\n", json_string_value(v) ? json_string_value(v) : "");
	np_buf_puts(b, "</pre></details>\n");
}

static void put_settings(struct np_buf *b, const struct np_results *r)
{
	const json_t *list = json_object_get(r->head, "workloads"), *v;
	char *text = object_text(json_object_get(r->head, "tunables"));
	size_t i;

	put_item(b, "tunables", *text ? np_strdup(text) : np_strdup("the kernel’s defaults"));
	free(text);
	np_buf_puts(b, "<dt>workloads</dt><dd>");
	json_array_foreach((json_t *)list, i, v) {
		const json_t *name = json_object_get(v, "name");

		text = object_text(json_object_get(v, "params"));
		put_escaped(b, "%s: %s", json_string_value(name), *text ? text : "no parameters");
		np_buf_puts(b, "<br>\n");
		free(text);
	}
	np_buf_puts(b, "</dd>\n");
}

static void put_head(struct np_buf *b, const struct np_report *rep, const struct np_results *r)
{
	const json_t *library = json_object_get(json_object_get(r->head, "kernel"),
						"library_sha256");

	np_buf_puts(b, "<dl>\n");
	put_item(b, "kernel", np_strdup(np_head_text(r, "kernel", "release")));
	if (np_results_native(r))
		put_item(b, "version", np_strdup(np_head_text(r, "kernel", "version")));
	else
		put_item(b, "configuration",
			 np_asprintf("SHA-256 %s", np_head_text(r, "kernel", "config_sha256")));
	if (json_is_string(library))
		put_item(b, "library", np_asprintf("SHA-256 %s", json_string_value(library)));
	put_item(b, "topology", topology_text(r));
	put_item(b, np_results_native(r) ? "machine" : "guests", np_results_place(r));
	put_item(b, "date", np_strdup(np_head_text(r, NULL, "started")));
	if (rep->base)
		put_item(b, "base", np_strdup(rep->base));
	put_item(b, "runs", np_asprintf("%d per workload and policy", r->reps));
	put_item(b, "seeds", values_text(json_object_get(r->head, "seeds")));
	put_settings(b, r);
	np_buf_puts(b, "</dl>\n<p class=\"note\">The command that measures this again:</p>\n<pre>");
	np_html_escape(b, np_head_text(r, NULL, "reproduce"));
	np_buf_puts(b, "</pre>\n");
	put_config(b, r);
}

/* ---- what a reader must know first ---- */

static void put_failed(struct np_buf *b, const struct np_results *r, enum np_status status,
		       const char *title)
{
	int n = 0, shown = 0;

	for (int i = 0; i < r->ncells; i++)
		n += r->cells[i].status == status;
	if (!n)
		return;
	np_buf_printf(b, ALARM "<h2>%s: %d of %d</h2>\n<ul>\n", title, n, r->ncells);
	for (int i = 0; i < r->ncells && shown < FAILURES_MAX; i++) {
		const struct np_cell *c = &r->cells[i];

		if (c->status != status)
			continue;
		np_buf_puts(b, "<li>");
		put_escaped(b, "%s under %s, repetition %d: %s", c->workload, c->policy, c->rep,
			    c->reason ? c->reason : "no reason given");
		np_buf_puts(b, "</li>\n");
		shown++;
	}
	if (shown < n)
		np_buf_printf(b, "<li>and %d more</li>\n", n - shown);
	np_buf_puts(b, "</ul>\n<p>They are part of no figure below.</p></section>\n");
}

static void put_alarms(struct np_buf *b, const struct np_report *rep, const struct np_results *r)
{
	if (json_is_true(json_object_get(r->head, "interrupted")))
		np_buf_puts(b, ALARM "<h2>Interrupted</h2><p>This is what was finished.</p>\n"
			    "</section>\n");
	put_failed(b, r, NP_CELL_FAILED, "Failed cells");
	put_failed(b, r, NP_CELL_NOT_RUN, "Cells not run or not finished");
	if (!rep->nnotes)
		return;
	np_buf_puts(b, "<section class=\"alarm\"><h2>To be known</h2><ul>\n");
	for (int i = 0; i < rep->nnotes; i++) {
		np_buf_puts(b, "<li>");
		np_html_escape(b, rep->notes[i]);
		np_buf_puts(b, "</li>\n");
	}
	np_buf_puts(b, "</ul></section>\n");
}

/* Sentences by whether they say that something differs. */
struct sentences {
	struct np_buf intro;
	struct np_buf differ;
	struct np_buf others;
};

static void sort_sentence(struct sentences *to, const char *text, bool item)
{
	bool other = strstr(text, "no significant difference") || strstr(text, "not tested");
	struct np_buf *b = !item ? &to->intro : other ? &to->others : &to->differ;

	if (!*text)
		return;
	np_buf_puts(b, item ? "<li>" : "<p>");
	np_html_escape(b, text);
	np_buf_puts(b, item ? "</li>\n" : "</p>\n");
}

/* Sentences that were laid out for 80 columns flow again: "  - " begins one, an indent goes on. */
static void read_sentences(struct sentences *to, const char *text)
{
	struct np_buf now = { 0 };
	bool item = false;
	char **lines;
	int n;

	lines = np_split(text, '\n', &n);
	np_buf_puts(&now, "");
	for (int i = 0; i < n; i++) {
		const char *words = lines[i] + strspn(lines[i], " ");
		bool begins = words > lines[i] && !strncmp(words, "- ", 2);

		if (begins || !*words) {
			sort_sentence(to, now.s, item);
			np_buf_free(&now);
			np_buf_puts(&now, begins ? words + 2 : "");
			item = begins;
		} else {
			np_buf_printf(&now, "%s%s", now.len ? " " : "", words);
		}
	}
	sort_sentence(to, now.s, item);
	np_buf_free(&now);
	np_split_free(lines, n);
}

static void put_sentences(struct np_buf *b, const char *text)
{
	struct sentences s = { 0 };

	read_sentences(&s, text);
	if (s.intro.len)
		np_buf_puts(b, s.intro.s);
	if (s.differ.len)
		np_buf_printf(b, "<ul class=\"claims\">\n%s</ul>\n", s.differ.s);
	else if (!strstr(text, "Nothing was tested"))
		np_buf_puts(b, "<p><b>Nothing differs significantly.</b></p>\n");
	if (s.others.len)
		np_buf_printf(b, "<details><summary>What does not differ significantly or was not\n"
			      "tested</summary>\n<ul class=\"claims\">\n%s</ul></details>\n",
			      s.others.s);
	np_buf_free(&s.intro);
	np_buf_free(&s.differ);
	np_buf_free(&s.others);
}

static void put_claims(struct np_buf *b, const struct np_report *rep)
{
	size_t size;
	char *text;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		np_die(NP_FAIL, "out of memory");
	np_print_claims(f, rep);
	if (fclose(f))
		np_die(NP_FAIL, "out of memory");
	if (*text) {
		np_buf_puts(b, "<h2 id=\"claims\">What it shows</h2>\n");
		put_sentences(b, text);
	}
	free(text);
}

/* ---- tables ---- */

static int decimals(const struct np_metric *metric, double value)
{
	if (!metric->decimals && fabs(value) < 100 && value != round(value))
		return 1;
	return metric->decimals;
}

static void put_number(struct np_buf *b, const struct np_metric *metric, double value)
{
	if (isnan(value))
		np_buf_puts(b, "–");
	else
		np_buf_printf(b, "%.*f", decimals(metric, value), value);
}

/* A figure that is rounded to 0 has no sign. */
static double unsigned_zero(double value, int digits)
{
	return fabs(value) < .5 * pow(10, -digits) ? 0 : value;
}

static void put_change(struct np_buf *b, const struct np_summary *s, const struct np_metric *metric)
{
	const char *unit = s->relative ? " %" : "";
	int digits = s->relative ? 1 : decimals(metric, s->change);

	if (isnan(s->change)) {
		np_buf_puts(b, "<small>n/a</small>");
		return;
	}
	np_buf_printf(b, "<small%s>%+.*f%s%s", s->significant ? " class=\"sig\"" : "", digits,
		      unsigned_zero(s->change, digits), unit, s->significant ? " *" : "");
	if (s->constant)
		np_buf_puts(b, "<br>no run differs");
	else if (s->tested)
		np_buf_printf(b, "<br>[%+.*f, %+.*f]", digits, unsigned_zero(s->low, digits),
			      digits, unsigned_zero(s->high, digits));
	else
		np_buf_puts(b, "<br>not tested");
	np_buf_puts(b, "</small>");
}

static void put_cell(struct np_buf *b, const struct np_report *rep, int w, int m, int c)
{
	const struct np_summary *s = np_report_summary(rep, w, m, c);

	np_buf_puts(b, "<td>");
	if (!s->ok)
		np_buf_puts(b, "–");
	else if (!s->s.n)
		np_buf_puts(b, strcmp(np_metrics[m].name, "t90_ms") ? "n/a" : "never");
	else
		put_number(b, &np_metrics[m], s->s.amean);
	if (s->s.n && s->s.n < s->ok)
		np_buf_printf(b, " (%d/%d)", s->s.n, s->ok);
	if (rep->columns[c].base == c)
		np_buf_puts(b, "<small>base</small>");
	else
		put_change(b, s, &np_metrics[m]);
	np_buf_puts(b, "</td>");
}

static void put_columns(struct np_buf *b, const struct np_report *rep, int w, const char *first)
{
	np_buf_printf(b, "<thead><tr><th scope=\"col\">%s</th>", first);
	for (int c = 0; c < rep->ncolumns; c++) {
		const struct np_summary *s = np_report_summary(rep, w, 0, c);

		np_buf_puts(b, "<th scope=\"col\">");
		np_html_escape(b, rep->columns[c].label);
		np_buf_printf(b, "<br><small>%d of %d runs</small></th>", s->ok, s->runs);
	}
	np_buf_puts(b, "</tr></thead>\n<tbody>\n");
}

static void open_table(struct np_buf *b, const struct np_report *rep, int w, const char *what)
{
	np_buf_puts(b, "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"");
	put_escaped(b, "%s of %s", what, rep->workloads[w]);
	np_buf_puts(b, "\"><table>\n");
}

static bool has_metric(const struct np_report *rep, int w, int m)
{
	return np_report_summary(rep, w, m, 0)->present;
}

static void put_means(struct np_buf *b, const struct np_report *rep, int w)
{
	open_table(b, rep, w, "Means");
	put_columns(b, rep, w, "mean");
	for (int m = 0; m < np_metrics_count; m++) {
		if (!has_metric(rep, w, m))
			continue;
		np_buf_puts(b, "<tr><th scope=\"row\">");
		np_html_escape(b, np_metrics[m].title);
		np_buf_puts(b, "</th>");
		for (int c = 0; c < rep->ncolumns; c++)
			put_cell(b, rep, w, m, c);
		np_buf_puts(b, "</tr>\n");
	}
	np_buf_puts(b, "</tbody></table></div>\n");
}

/* A statistic by the name that mmtests has for it. */
static const struct {
	const char *name;
	size_t member;
} statistics[] = {
	{ "Min", offsetof(struct np_stats, min) },
	{ "Amean", offsetof(struct np_stats, amean) },
	{ "Stddev", offsetof(struct np_stats, stddev) },
	{ "CoeffVar", offsetof(struct np_stats, coeffvar) },
	{ "Max", offsetof(struct np_stats, max) },
	{ "BAmean-50", offsetof(struct np_stats, bamean50) },
	{ "BAmean-95", offsetof(struct np_stats, bamean95) },
	{ "BAmean-99", offsetof(struct np_stats, bamean99) },
};

static void put_p(struct np_buf *b, double p)
{
	if (isnan(p))
		np_buf_puts(b, "<td>–</td>");
	else if (p < .0001)
		np_buf_puts(b, "<td>&lt; 0.0001</td>");
	else
		np_buf_printf(b, "<td>%.4f</td>", p);
}

static void put_figure(struct np_buf *b, double value, int digits)
{
	if (isnan(value))
		np_buf_puts(b, "<td>–</td>");
	else
		np_buf_printf(b, "<td>%.*f</td>", digits, value);
}

static void put_statistics(struct np_buf *b, const struct np_report *rep, int w, int m)
{
	int digits = np_metrics[m].decimals > 2 ? np_metrics[m].decimals : 2;

	for (size_t i = 0; i < ARRAY_SIZE(statistics); i++) {
		np_buf_printf(b, "<tr%s><th scope=\"row\">%s ", i ? "" : " class=\"first\"",
			      statistics[i].name);
		np_html_escape(b, np_metrics[m].title);
		np_buf_puts(b, "</th>");
		for (int c = 0; c < rep->ncolumns; c++) {
			const struct np_stats *s = &np_report_summary(rep, w, m, c)->s;
			const char *at = (const char *)s + statistics[i].member;

			put_figure(b, *(const double *)at, digits);
		}
		np_buf_puts(b, "</tr>\n");
	}
	np_buf_puts(b, "<tr><th scope=\"row\">p (Welch)</th>");
	for (int c = 0; c < rep->ncolumns; c++)
		put_p(b, np_report_summary(rep, w, m, c)->p);
	np_buf_puts(b, "</tr>\n<tr><th scope=\"row\">p after Holm</th>");
	for (int c = 0; c < rep->ncolumns; c++)
		put_p(b, np_report_summary(rep, w, m, c)->p_corrected);
	np_buf_puts(b, "</tr>\n");
}

static void put_all_statistics(struct np_buf *b, const struct np_report *rep, int w)
{
	np_buf_puts(b, "<details><summary>All statistics</summary>\n");
	open_table(b, rep, w, "Statistics");
	put_columns(b, rep, w, "statistic");
	for (int m = 0; m < np_metrics_count; m++)
		if (has_metric(rep, w, m))
			put_statistics(b, rep, w, m);
	np_buf_puts(b, "</tbody></table></div>\n</details>\n");
}

static void put_legend(struct np_buf *b, const struct np_report *rep)
{
	np_buf_puts(b, "<h2 id=\"reading\">How to read it</h2>\n");
	np_buf_printf(b, "<p>Means of the runs that are ok. Below each: the change against the\n"
		      "base in percent of its mean (without %%: that mean is 0, and it is the difference), and\n"
		      "in brackets the 95 %% confidence interval of the difference (Welch).\n"
		      "*: significant at 95 %% by Welch’s test after Holm’s correction for the %d\n"
		      "comparisons of this report. (3/5): so many runs got there, and the mean is\n"
		      "theirs; never: none did.</p>\n<dl>\n", rep->comparisons);
	for (int m = 0; m < np_metrics_count; m++) {
		bool any = false;

		for (int w = 0; w < rep->nworkloads; w++)
			any |= has_metric(rep, w, m);
		if (any)
			put_item(b, np_metrics[m].title, np_strdup(np_metrics[m].help));
	}
	if (np_results_native(rep->r)) {
		np_buf_printf(b, "</dl>\n<p class=\"note\">%s</p>\n", np_native_legend);
		return;
	}
	np_buf_puts(b, "</dl>\n<p class=\"note\">In guests that count instructions, remote memory\n"
		    "is not slower than local memory: elapsed time shows what scanning and faulting\n"
		    "cost, and the benefit is in where the pages are.</p>\n");
}

/* ---- a workload ---- */

static bool any_ok(const struct np_report *rep, int w)
{
	for (int c = 0; c < rep->ncolumns; c++)
		if (np_report_summary(rep, w, 0, c)->ok)
			return true;
	return false;
}

static char *put_plots(struct np_buf *b, const struct np_report *rep, int w)
{
	struct np_series s = { 0 };
	char *error;

	np_series_make(&s, rep, w);
	error = np_plot_benefit(b, rep, w, &s);
	if (!error)
		error = np_plot_locality(b, rep, w, &s);
	if (!error)
		error = np_plot_map(b, rep, w, &s);
	if (!error)
		error = np_plot_traffic(b, rep, w, &s);
	np_series_free(&s);
	return error;
}

static char *put_workload(struct np_buf *b, const struct np_report *rep, int w)
{
	char *error;

	np_buf_printf(b, "<section>\n<h2 id=\"w%d\">", w);
	np_html_escape(b, rep->workloads[w]);
	np_buf_puts(b, "</h2>\n");
	if (!any_ok(rep, w)) {
		np_buf_puts(b, "<p>No run of it is ok.</p></section>\n");
		return NULL;
	}
	put_means(b, rep, w);
	put_all_statistics(b, rep, w);
	error = put_plots(b, rep, w);
	np_buf_puts(b, "</section>\n");
	return error;
}

static void put_nav(struct np_buf *b, const struct np_report *rep)
{
	np_buf_puts(b, "<nav aria-label=\"Contents\"><ul>");
	for (int w = 0; w < rep->nworkloads; w++) {
		np_buf_printf(b, "<li><a href=\"#w%d\">", w);
		np_html_escape(b, rep->workloads[w]);
		np_buf_puts(b, "</a></li>");
	}
	np_buf_puts(b, "<li><a href=\"#reading\">how to read it</a></li>\n"
		    "<li><a href=\"#made\">how it was made</a></li></ul></nav>\n");
}

static char *put_page(struct np_buf *b, const struct np_report *rep)
{
	const char *where = np_results_native(rep->r) ? "on a running machine" : "in guests";
	char *error = NULL;

	np_buf_puts(b, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
		    "<link rel=\"icon\" href=\"data:,\">\n");
	np_buf_printf(b, "<title>Scan policies of NUMA balancing, compared %s</title>\n<style>\n",
		      where);
	np_buf_puts(b, style);
	np_buf_printf(b, "</style>\n</head>\n<body>\n<main>\n"
		      "<h1>Scan policies of NUMA balancing, compared %s</h1>\n", where);
	put_escaped(b, "%s, %s, %s", np_head_text(rep->r, "kernel", "release"),
		    np_head_text(rep->r, "topology", "text"),
		    np_head_text(rep->r, NULL, "started"));
	put_nav(b, rep);
	put_alarms(b, rep, rep->r);
	put_claims(b, rep);
	for (int w = 0; w < rep->nworkloads && !error; w++)
		error = put_workload(b, rep, w);
	put_legend(b, rep);
	np_buf_puts(b, "<h2 id=\"made\">How it was made</h2>\n");
	put_head(b, rep, rep->r);
	np_buf_puts(b, "</main>\n</body>\n</html>\n");
	return error;
}

/**
 * np_report_html() - write a report as one page with plots
 * @f: where to; nothing is written if the plots cannot be made
 * @rep: the report
 *
 * Return: NP_OK or NP_FAIL; what went wrong was said.
 */
int np_report_html(FILE *f, const struct np_report *rep)
{
	struct np_buf b = { 0 };
	char *error = put_page(&b, rep);
	int status = NP_OK;

	if (error) {
		np_error("%s", error);
		status = NP_FAIL;
	} else if (fwrite(b.s, 1, b.len, f) != b.len || fflush(f)) {
		np_error("cannot write the report: %s", strerror(errno));
		status = NP_FAIL;
	}
	free(error);
	np_buf_free(&b);
	return status;
}
