// SPDX-License-Identifier: GPL-2.0
/*
 * Results: what a guest's records must look like, and results.json. results.md describes both.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "results.h"
#include "util.h"

/* No metric of a guest comes near it. */
#define METRIC_MAX 1e15

/** np_metrics - the rows of the table */
const struct np_metric np_metrics[] = {
	{ "pte_updates", "PTE updates",
	  "page-table entries made inaccessible by scanning: what scanning costs", 1, 0, -1, false },
	{ "hint_faults", "hint faults",
	  "faults taken on such entries: what scanning finds out", 1, 0, -1, false },
	{ "hint_faults_local", "local hint faults",
	  "those on pages that were on the toucher's node already", 1, 0, 0, false },
	{ "pages_migrated", "pages migrated",
	  "pages moved to another node", 1, 0, 0, false },
	{ "local_mean", "local share, mean",
	  "share of the touched pages on the toucher's node, over the measured phase",
	  1, 3, 1, false },
	{ "local_end", "local share, end",
	  "the same at the end of the run", 1, 3, 1, false },
	{ "remote_page_s", "remote page-seconds",
	  "touched pages on another node than the toucher's, times the guest seconds they were there",
	  1, 0, -1, true },
	{ "local_accesses", "local accesses, M",
	  "millions of loads and stores to the vCPU's own node, over the measured phase",
	  1e-6, 3, 0, true },
	{ "remote_accesses", "remote accesses, M",
	  "the same to other nodes", 1e-6, 3, -1, true },
	{ "local_bytes", "local MB",
	  "megabytes that the local accesses moved", 1e-6, 3, 0, true },
	{ "remote_bytes", "remote MB",
	  "megabytes that the remote accesses moved", 1e-6, 3, -1, true },
	{ "modelled_ms", "modelled memory s",
	  "not measured: the busiest vCPU of each interval, as if each access took its latency",
	  .001, 3, -1, true },
	{ "t90_ms", "s until 90 % local",
	  "guest seconds from the start of the measured phase until 90 % were local",
	  .001, 1, -1, false },
	{ "covered_ms", "s until scanned once",
	  "guest seconds until every VMA worked on had been scanned to its end, as decisions show",
	  .001, 2, -1, true },
	{ "third_scan_ms", "s until scanned 3 x",
	  "the same three times; only the first two scans of a VMA come without a condition",
	  .001, 2, -1, true },
	{ "system_ms", "system s",
	  "CPU seconds of the workload in the kernel; rough where several CPUs are busy",
	  .001, 2, -1, false },
	{ "user_ms", "user s",
	  "CPU seconds of the workload outside the kernel; rough likewise", .001, 2, -1, false },
	{ "elapsed_ms", "elapsed s",
	  "guest seconds that the workload took; a fixed amount of work unless it says otherwise",
	  .001, 2, -1, false },
};

/** np_metrics_count - how many there are */
const int np_metrics_count = ARRAY_SIZE(np_metrics);

static const char * const status_names[] = { "not run", "ok", "failed" };

/**
 * np_text_clean() - foreign text made fit for one line of a message and for JSON
 * @s: the text
 * @len: bytes of it
 *
 * Return: a copy without control characters, cut where it is long; to be freed.
 */
char *np_text_clean(const char *s, size_t len)
{
	char *copy = np_strndup(s, len < 200 ? len : 200), *p;
	json_t *probe;

	for (p = copy; *p; p++)
		if ((unsigned char)*p < ' ' || *p == 0x7f)
			*p = ' ';
	while (p > copy && p[-1] == ' ')
		*--p = '\0';
	probe = json_string(copy);
	if (!probe)
		for (p = copy; *p; p++)
			if ((unsigned char)*p >= 0x80)
				*p = '?';
	json_decref(probe);
	return copy;
}

/**
 * np_json_text() - a JSON string of text that may not be UTF-8
 * @s: the text
 *
 * Return: a new JSON string; bytes that JSON cannot hold are question marks in it.
 */
json_t *np_json_text(const char *s)
{
	json_t *text = json_string(s);
	char *copy, *p;

	if (text)
		return text;
	copy = np_strdup(s);
	for (p = copy; *p; p++)
		if ((unsigned char)*p >= 0x80)
			*p = '?';
	text = json_string(copy);
	free(copy);
	return text;
}

/**
 * np_cell_clear() - forget what a run brought, and free it
 * @cell: the cell; its names and its seed stay
 */
void np_cell_clear(struct np_cell *cell)
{
	json_decref(cell->begin);
	json_decref(cell->records);
	json_decref(cell->metrics);
	json_decref(cell->traffic);
	free(cell->reason);
	cell->begin = NULL;
	cell->records = NULL;
	cell->metrics = NULL;
	cell->traffic = NULL;
	cell->reason = NULL;
	cell->status = NP_CELL_NOT_RUN;
	cell->host_s = 0;
	cell->guest_s = 0;
}

static const char *text_of(const json_t *object, const char *key)
{
	const char *s = json_string_value(json_object_get(object, key));

	return s ? s : "";
}

/* Everything asked for must be in force: a guest that ignored a setting measured something else. */
static char *settings_differ(const char *what, const json_t *wanted, const json_t *got)
{
	const char *key;
	json_t *v;

	json_object_foreach((json_t *)wanted, key, v) {
		json_t *in_force = json_object_get(got, key);

		if (!json_is_integer(in_force))
			return np_asprintf("%s %s is missing from the begin record", what, key);
		if (!json_equal(v, in_force))
			return np_asprintf("%s %s is %lld in the guest, not %lld", what, key,
					   (long long)json_integer_value(in_force),
					   (long long)json_integer_value(v));
	}
	return NULL;
}

static char *begin_differs(const struct np_cell *cell, const struct np_expect *expect)
{
	const json_t *begin = cell->begin, *policy = json_object_get(begin, "policy");
	json_int_t version = json_integer_value(json_object_get(begin, "version"));
	json_int_t seed = json_integer_value(json_object_get(begin, "seed"));
	char *error, *text;

	if (version != NP_RECORDS_VERSION)
		return np_asprintf("the records have version %lld, this program reads version %d",
				   (long long)version, NP_RECORDS_VERSION);
	if (strcmp(text_of(begin, "kernel"), expect->release))
		return np_asprintf("the guest runs kernel '%s', not '%s'", text_of(begin, "kernel"),
				   expect->release);
	text = np_topology_differs(expect->topology, json_object_get(begin, "nodes"));
	if (text) {
		error = np_asprintf("topology differs: %s", text);
		free(text);
		return error;
	}
	if (!json_is_string(policy))
		return np_strdup("the kernel has no scan policies: the library is not built in");
	if (strcmp(json_string_value(policy), cell->policy))
		return np_asprintf("scan policy in force is '%s', not '%s'",
				   json_string_value(policy), cell->policy);
	if (strcmp(text_of(begin, "workload"), cell->workload))
		return np_asprintf("the guest ran workload '%s'", text_of(begin, "workload"));
	if (seed != cell->seed)
		return np_asprintf("the guest ran with seed %lld, not %ld", (long long)seed,
				   cell->seed);
	error = settings_differ("parameter", expect->params, json_object_get(begin, "params"));
	if (!error)
		error = settings_differ("tunable", expect->tunables,
					json_object_get(begin, "tunables"));
	return error;
}

static char *end_differs(const struct np_cell *cell, const json_t *end, size_t before)
{
	const json_t *n = json_object_get(end, "records");
	const char *status = text_of(end, "status");

	if (!json_is_integer(n))
		return np_strdup("the end record does not say how many records there are");
	if (json_integer_value(n) != (json_int_t)before)
		return np_asprintf("the guest sent %lld records before the end record, %zu arrived",
				   (long long)json_integer_value(n), before);
	if (strcmp(status, "ok"))
		return np_asprintf("workload failed: the end record says '%s'", status);
	if (!cell->metrics)
		return np_strdup("the end record has no metrics");
	for (int i = 0; i < np_metrics_count; i++) {
		json_t *v = json_object_get(cell->metrics, np_metrics[i].name);

		if (!v && np_metrics[i].optional)
			continue;
		if (!(json_is_number(v) && fabs(json_number_value(v)) < METRIC_MAX) &&
		    !json_is_null(v))
			return np_asprintf("metric %s is %s the end record", np_metrics[i].name,
					   v ? "no number in" : "missing from");
	}
	return NULL;
}

/* Lines into @all up to the first that is no record; then what is wrong with that one. */
static char *parse_lines(const char *text, json_t *all)
{
	char *shown, *error;
	json_error_t e;
	json_t *record;
	int line = 0;

	while (*text) {
		const char *end = strchr(text, '\n');

		line++;
		if (!end) {
			shown = np_text_clean(text, strlen(text) < 60 ? strlen(text) : 60);
			error = np_asprintf("the last record is cut (line %d: %s)", line, shown);
			free(shown);
			return error;
		}
		record = json_loadb(text, end - text, JSON_REJECT_DUPLICATES, &e);
		if (!json_is_string(json_object_get(record, "type"))) {
			shown = np_text_clean(text, end - text < 60 ? end - text : 60);
			error = np_asprintf("malformed record in line %d (%s): %s", line,
					    record ? "no type" : e.text, shown);
			free(shown);
			json_decref(record);
			return error;
		}
		json_array_append_new(all, record);
		text = end + 1;
	}
	return NULL;
}

static bool is_type(const json_t *record, const char *type)
{
	return !strcmp(text_of(record, "type"), type);
}

/* Take the records apart and say what is wrong with them; what explains most comes first. */
static char *judge(struct np_cell *cell, const char *text, const struct np_expect *expect)
{
	const char *message = NULL;
	json_t *all = json_array(), *r, *end = NULL;
	char *broken, *error = NULL;
	size_t i, n;

	broken = parse_lines(text, all);
	n = json_array_size(all);
	cell->records = json_array();
	json_array_foreach(all, i, r) {
		double t = json_number_value(json_object_get(r, "t_ms")) / 1000;

		if (t > cell->guest_s)
			cell->guest_s = t;
		if (!message && is_type(r, "error"))
			message = text_of(r, "message");
		if (!i && is_type(r, "begin"))
			cell->begin = json_incref(r);
		else if (i == n - 1 && is_type(r, "end"))
			end = r;
		else
			json_array_append(cell->records, r);
		if (i < n - 1 && is_type(r, "end"))
			error = np_strdup("there are records behind the end record");
	}
	r = json_object_get(end, "metrics");
	if (json_is_object(r)) {
		double t = json_number_value(json_object_get(r, "elapsed_ms")) / 1000;

		cell->metrics = json_incref(r);
		if (t > cell->guest_s)
			cell->guest_s = t;
	}
	if (cell->begin) {
		char *differs = begin_differs(cell, expect);

		if (differs) {
			free(error);
			error = differs;
			goto out;
		}
	}
	if (message) {
		char *shown = np_text_clean(message, strlen(message));

		free(error);
		error = np_asprintf("workload failed: %s", shown);
		free(shown);
	} else if (error) {
		goto out;
	} else if (broken) {
		error = np_strdup(broken);
	} else if (!n) {
		error = np_strdup("the guest reset or powered off before it sent a record");
	} else if (!cell->begin) {
		error = np_strdup("the first record is not a begin record");
	} else if (!end) {
		error = np_asprintf("the guest reset or powered off before its end (%zu records)",
				    n);
	} else {
		error = end_differs(cell, end, n - 1);
	}
out:
	free(broken);
	json_decref(all);
	return error;
}

/**
 * np_cell_judge() - read a cell's records and decide whether they count
 * @cell: the cell; its names and its seed are set. Status, reason, records and metrics are
 *	filled in; a reason that it has already stays and makes it a failed cell
 * @path: file with the records; need not exist
 * @expect: what the records are held against
 */
void np_cell_judge(struct np_cell *cell, const char *path, const struct np_expect *expect)
{
	struct np_buf b = { 0 };
	char *error = NULL;
	int err;

	err = np_read_file(path, &b);
	if (err && err != -ENOENT) {
		error = np_asprintf("cannot read %s: %s", path, strerror(-err));
	} else {
		np_buf_puts(&b, "");
		error = judge(cell, b.s, expect);
		if (!error && strlen(b.s) != b.len)
			error = np_strdup("malformed records: there is a NUL byte in them");
	}
	np_buf_free(&b);
	if (cell->reason)
		free(error);
	else
		cell->reason = error;
	cell->status = cell->reason ? NP_CELL_FAILED : NP_CELL_OK;
}

static const char **name_list(const json_t *list, const char *key, int *n)
{
	const char **names;

	*n = json_array_size(list);
	names = np_alloc(*n * sizeof(*names));
	for (int i = 0; i < *n; i++) {
		const json_t *v = json_array_get(list, i);

		names[i] = json_string_value(key ? json_object_get(v, key) : v);
		if (!names[i] || !*names[i]) {
			free(names);
			return NULL;
		}
	}
	return names;
}

/**
 * np_results_index() - fill in the parts that are read from the head
 * @r: results with a head
 *
 * Return: NULL, or what is wrong with the head, to be freed.
 */
char *np_results_index(struct np_results *r)
{
	const json_t *head = r->head;
	json_int_t version = json_integer_value(json_object_get(head, "version"));
	json_int_t reps = json_integer_value(json_object_get(head, "reps"));

	if (strcmp(text_of(head, "schema"), NP_RESULTS_SCHEMA))
		return np_strdup("this is no file of results of numa-policy (schema)");
	if (version != NP_RESULTS_VERSION)
		return np_asprintf("results have version %lld, this program reads version %d",
				   (long long)version, NP_RESULTS_VERSION);
	r->policies = name_list(json_object_get(head, "policies"), NULL, &r->npolicies);
	if (!r->policies || !r->npolicies)
		return np_strdup("'policies' is not a list of names");
	r->workloads = name_list(json_object_get(head, "workloads"), "name", &r->nworkloads);
	if (!r->workloads || !r->nworkloads)
		return np_strdup("'workloads' is not a list of objects with names");
	if (reps < 1 || reps > 1000000)
		return np_strdup("'reps' is not a number of repetitions");
	r->reps = reps;
	for (int i = 0; i < r->npolicies; i++)
		if (!strcmp(r->policies[i], text_of(head, "base")))
			r->base = r->policies[i];
	if (!r->base)
		return np_strdup("'base' is none of the policies");
	return NULL;
}

static json_t *or_null(json_t *v)
{
	return v ? json_incref(v) : json_null();
}

static char *cell_text(const struct np_cell *c)
{
	json_t *json;
	char *text;

	json = json_pack("{s:s, s:s, s:i, s:I, s:s, s:o, s:f, s:f, s:o, s:o, s:o, s:o}",
			 "workload", c->workload, "policy", c->policy, "rep", c->rep,
			 "seed", (json_int_t)c->seed, "status", status_names[c->status],
			 "reason", c->reason ? np_json_text(c->reason) : json_null(),
			 "host_s", c->host_s, "guest_s", c->guest_s,
			 "begin", or_null(c->begin), "metrics", or_null(c->metrics),
			 "traffic", or_null(c->traffic),
			 "records", or_null(c->records));
	if (c->traffic)
		json_object_set(json, "traffic", c->traffic);
	text = json_dumps(json, JSON_COMPACT | JSON_REAL_PRECISION(12));
	json_decref(json);
	if (!text)
		np_die(NP_FAIL, "out of memory");
	return text;
}

/**
 * np_results_save() - write results.json, whole or not at all
 * @r: the results
 * @path: the file
 *
 * The head is laid out for reading, each cell is one line.
 *
 * Return: 0, or a negative errno.
 */
int np_results_save(const struct np_results *r, const char *path)
{
	struct np_buf b = { 0 };
	char *text;
	int err;

	text = json_dumps(r->head, JSON_INDENT(2) | JSON_REAL_PRECISION(12));
	if (!text)
		np_die(NP_FAIL, "out of memory");
	np_buf_add(&b, text, strlen(text) - 2);
	free(text);
	np_buf_puts(&b, ",\n  \"cells\": [");
	for (int i = 0; i < r->ncells; i++) {
		text = cell_text(&r->cells[i]);
		np_buf_printf(&b, "%s\n    %s", i ? "," : "", text);
		free(text);
	}
	np_buf_puts(&b, "\n  ]\n}\n");
	err = np_write_file(path, b.s, b.len);
	np_buf_free(&b);
	return err;
}

static json_t *object_or_null(const json_t *v, const char *key)
{
	json_t *part = json_object_get(v, key);

	return json_is_object(part) ? json_incref(part) : NULL;
}

static bool has_name(const char **names, int n, const char *name)
{
	while (n--)
		if (!strcmp(names[n], name))
			return true;
	return false;
}

static char *load_cell(const struct np_results *r, const json_t *v, struct np_cell *c)
{
	const char *status = text_of(v, "status");
	json_t *records;
	size_t i;

	if (!has_name(r->workloads, r->nworkloads, text_of(v, "workload")))
		return np_asprintf("its workload '%s' is not in the list", text_of(v, "workload"));
	if (!has_name(r->policies, r->npolicies, text_of(v, "policy")))
		return np_asprintf("its policy '%s' is not in the list", text_of(v, "policy"));
	c->rep = json_integer_value(json_object_get(v, "rep"));
	if (c->rep < 1 || c->rep > r->reps)
		return np_strdup("its repetition is out of range");
	for (i = 0; i < ARRAY_SIZE(status_names); i++)
		if (!strcmp(status, status_names[i]))
			break;
	if (i == ARRAY_SIZE(status_names))
		return np_asprintf("its status '%s' is unknown", status);
	c->status = i;
	c->workload = np_strdup(text_of(v, "workload"));
	c->policy = np_strdup(text_of(v, "policy"));
	c->seed = json_integer_value(json_object_get(v, "seed"));
	c->host_s = json_number_value(json_object_get(v, "host_s"));
	c->guest_s = json_number_value(json_object_get(v, "guest_s"));
	if (json_is_string(json_object_get(v, "reason")))
		c->reason = np_strdup(text_of(v, "reason"));
	c->begin = object_or_null(v, "begin");
	c->metrics = object_or_null(v, "metrics");
	c->traffic = object_or_null(v, "traffic");
	records = json_object_get(v, "records");
	c->records = json_is_array(records) ? json_incref(records) : NULL;
	if (c->status == NP_CELL_OK && !c->metrics)
		return np_strdup("it is ok but has no metrics");
	return NULL;
}

static char *load_cells(struct np_results *r, const json_t *list)
{
	char *error, *named;

	if (!json_is_array(list))
		return np_strdup("'cells' is not a list");
	r->cells = np_alloc(json_array_size(list) * sizeof(*r->cells));
	for (size_t i = 0; i < json_array_size(list); i++) {
		r->ncells++;
		error = load_cell(r, json_array_get(list, i), &r->cells[i]);
		if (error) {
			named = np_asprintf("cell %zu: %s", i + 1, error);
			free(error);
			return named;
		}
	}
	return NULL;
}

/**
 * np_results_load() - read results.json
 * @r: filled in; to be freed by np_results_free() in any case
 * @path: the file
 *
 * Return: NULL, or what is wrong, with the file's name in it; to be freed.
 */
char *np_results_load(struct np_results *r, const char *path)
{
	struct np_buf b = { 0 };
	char *error, *named;
	json_error_t e;
	int err;

	memset(r, 0, sizeof(*r));
	err = np_read_file(path, &b);
	if (err)
		return np_asprintf("cannot read %s: %s", path, strerror(-err));
	r->head = json_loadb(b.s, b.len, JSON_REJECT_DUPLICATES, &e);
	np_buf_free(&b);
	if (!r->head) {
		bool cut = json_error_code(&e) == json_error_premature_end_of_input;

		return np_asprintf("%s: line %d: %s%s", path, e.line, e.text,
				   cut ? "; the file is cut" : "");
	}
	error = np_results_index(r);
	if (!error)
		error = load_cells(r, json_object_get(r->head, "cells"));
	json_object_del(r->head, "cells");
	if (!error)
		return NULL;
	named = np_asprintf("%s: %s", path, error);
	free(error);
	return named;
}

/**
 * np_results_free() - free results
 * @r: the results; empty afterwards
 */
void np_results_free(struct np_results *r)
{
	for (int i = 0; i < r->ncells; i++) {
		np_cell_clear(&r->cells[i]);
		free(r->cells[i].workload);
		free(r->cells[i].policy);
	}
	free(r->cells);
	free(r->policies);
	free(r->workloads);
	json_decref(r->head);
	memset(r, 0, sizeof(*r));
}
