// SPDX-License-Identifier: GPL-2.0
/*
 * Results of a cell: what a guest's records must look like, and how they are kept. results.md
 * describes both.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "qemu.h"
#include "results.h"
#include "util.h"

/* No metric of a guest comes near it. */
#define METRIC_MAX 1e15

/* For zlib: a window of 8 KB, and less memory to be cleared for each cell. */
#define PACK_WINDOW 13
#define PACK_MEMORY 6

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
	  "share of the touched pages on the toucher's node at the end of the run", 1, 3, 1, false },
	{ "remote_page_s", "remote page-seconds",
	  "touched pages on another node than the toucher's, times the guest seconds they were there",
	  1, 0, -1, true },
	{ "local_accesses", "local accesses, M",
	  "millions of loads and stores to the vCPU's own node, over the measured phase",
	  1e-6, 3, 1, true },
	{ "remote_accesses", "remote accesses, M",
	  "millions of loads and stores to other nodes, over the measured phase",
	  1e-6, 3, -1, true },
	{ "local_bytes", "local MB",
	  "megabytes that the local accesses moved", 1e-6, 3, 1, true },
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
	  "guest seconds until it had been three times; only the first two come without a condition",
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
	for (int i = 0; i < NP_PARTS; i++) {
		free(cell->parts[i].data);
		cell->parts[i] = (struct np_packed) { 0 };
	}
	json_decref(cell->metrics);
	free(cell->reason);
	cell->metrics = NULL;
	cell->reason = NULL;
	cell->status = NP_CELL_NOT_RUN;
	cell->order = 0;
	cell->host_s = 0;
	cell->guest_s = 0;
}

/**
 * np_cell_id() - what a cell is called on the command line
 * @cell: the cell
 *
 * Return: WORKLOAD/POLICY/REPETITION, to be freed.
 */
char *np_cell_id(const struct np_cell *cell)
{
	return np_asprintf("%s/%s/%d", cell->workload, cell->policy, cell->rep);
}

/*
 * A compressor that is made once: zlib's takes longer to set up than to compress one cell. The
 * lowest level is the fastest by far and nearly as good here.
 */
static z_stream *compressor(void)
{
	static z_stream z;

	if (z.state)
		deflateReset(&z);
	else if (deflateInit2(&z, 1, Z_DEFLATED, PACK_WINDOW, PACK_MEMORY, Z_DEFAULT_STRATEGY))
		np_die(NP_FAIL, "out of memory");
	return &z;
}

/**
 * np_cell_set_part_text() - keep a part of a cell
 * @cell: the cell
 * @part: which part; what it had is freed
 * @text: JSON text, compact
 * @len: bytes of it
 *
 * Records repeat themselves: packed, they take a fraction, and a large matrix fits in memory.
 */
void np_cell_set_part_text(struct np_cell *cell, enum np_part part, const char *text, size_t len)
{
	z_stream *z = compressor();
	uLong bound = deflateBound(z, len);
	void *data = np_realloc(NULL, bound);

	z->next_in = (Bytef *)text;
	z->avail_in = len;
	z->next_out = data;
	z->avail_out = bound;
	if (len > UINT32_MAX || deflate(z, Z_FINISH) != Z_STREAM_END)
		np_die(NP_FAIL, "cannot pack %zu bytes of records", len);
	free(cell->parts[part].data);
	cell->parts[part] = (struct np_packed) {
		.data = np_realloc(data, z->total_out), .packed = z->total_out, .size = len,
	};
}

/**
 * np_cell_set_part() - keep a part of a cell
 * @cell: the cell
 * @part: which part; what it had is freed
 * @value: the part as JSON
 */
void np_cell_set_part(struct np_cell *cell, enum np_part part, const json_t *value)
{
	char *text = json_dumps(value, JSON_COMPACT | JSON_REAL_PRECISION(12));

	if (!text)
		np_die(NP_FAIL, "out of memory");
	np_cell_set_part_text(cell, part, text, strlen(text));
	free(text);
}

/**
 * np_cell_has_part() - whether a cell has a part
 * @cell: the cell
 * @part: the part
 *
 * Return: whether it has.
 */
bool np_cell_has_part(const struct np_cell *cell, enum np_part part)
{
	return cell->parts[part].data;
}

/**
 * np_cell_part_text() - the JSON text of a part of a cell
 * @cell: the cell
 * @part: the part
 *
 * Return: the text, to be freed; NULL if there is none.
 */
char *np_cell_part_text(const struct np_cell *cell, enum np_part part)
{
	const struct np_packed *packed = &cell->parts[part];
	uLongf size = packed->size;
	char *text;

	if (!packed->data)
		return NULL;
	text = np_alloc(size + 1);
	if (uncompress((Bytef *)text, &size, packed->data, packed->packed) != Z_OK)
		np_die(NP_FAIL, "cannot unpack the records of %s under %s", cell->workload,
		       cell->policy);
	return text;
}

/**
 * np_cell_part() - a part of a cell as JSON
 * @cell: the cell
 * @part: the part
 *
 * Return: a new reference; NULL if there is none.
 */
json_t *np_cell_part(const struct np_cell *cell, enum np_part part)
{
	char *text = np_cell_part_text(cell, part);
	json_t *value;

	if (!text)
		return NULL;
	value = json_loads(text, JSON_DECODE_ANY, NULL);
	free(text);
	return value;
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

static char *begin_differs(const struct np_cell *cell, const json_t *begin,
			   const struct np_expect *expect)
{
	const json_t *policy = json_object_get(begin, "policy");
	json_int_t version = json_integer_value(json_object_get(begin, "version"));
	json_int_t seed = json_integer_value(json_object_get(begin, "seed"));
	char *error, *text;

	if (version != NP_RECORDS_VERSION)
		return np_asprintf("the records have version %lld, this program reads version %d",
				   (long long)version, NP_RECORDS_VERSION);
	if (strcmp(text_of(begin, "kernel"), expect->release))
		return np_asprintf("the guest runs kernel '%s', not '%s'", text_of(begin, "kernel"),
				   expect->release);
	text = expect->topology ?
	       np_topology_differs(expect->topology, json_object_get(begin, "nodes")) :
	       np_nodes_differ(expect->nodes, json_object_get(begin, "nodes"));
	if (text) {
		error = np_asprintf("topology differs: %s", text);
		free(text);
		return error;
	}
	if (!json_is_string(policy) && !expect->assume)
		return np_strdup("the kernel has no scan policies: the library is not built in (--assume runs it as it is)");
	if (json_is_string(policy) && strcmp(json_string_value(policy), cell->policy))
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
	json_t *all = json_array(), *records = json_array(), *r, *begin = NULL, *end = NULL;
	char *broken, *error = NULL;
	size_t i, n;

	broken = parse_lines(text, all);
	n = json_array_size(all);
	json_array_foreach(all, i, r) {
		double t = json_number_value(json_object_get(r, "t_ms")) / 1000;

		if (t > cell->guest_s)
			cell->guest_s = t;
		if (!message && is_type(r, "error"))
			message = text_of(r, "message");
		if (!i && is_type(r, "begin"))
			begin = r;
		else if (i == n - 1 && is_type(r, "end"))
			end = r;
		else
			json_array_append(records, r);
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
	np_cell_set_part(cell, NP_PART_RECORDS, records);
	if (begin) {
		char *differs = begin_differs(cell, begin, expect);

		np_cell_set_part(cell, NP_PART_BEGIN, begin);
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
	} else if (!begin) {
		error = np_strdup("the first record is not a begin record");
	} else if (!end) {
		error = np_asprintf("the guest reset or powered off before its end (%zu records)",
				    n);
	} else {
		error = end_differs(cell, end, n - 1);
	}
out:
	free(broken);
	json_decref(records);
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

/** np_native_legend - what must be said below figures of a running machine */
const char np_native_legend[] =
	"On a running machine, PTE updates, faults and migrations are those of the whole machine: what\n"
	"other processes did meanwhile is in them. Guest seconds are its seconds. The policies were run\n"
	"in random order within each repetition, on one boot. Accesses, modelled time and times until\n"
	"VMAs were scanned are known of guests only.";

/**
 * np_results_native() - were the cells run on a running machine instead of in guests?
 * @r: the results
 *
 * Return: whether they were.
 */
bool np_results_native(const struct np_results *r)
{
	return json_is_object(json_object_get(r->head, "native"));
}

/**
 * np_results_place() - what the cells were run on
 * @r: the results
 *
 * Return: a line of text, to be freed.
 */
char *np_results_place(const struct np_results *r)
{
	const json_t *qemu = json_object_get(r->head, "qemu");
	const char *version = json_string_value(json_object_get(qemu, "version"));
	const char *cpu = text_of(json_object_get(r->head, "native"), "cpu"), *arch;

	if (np_results_native(r))
		return np_asprintf("running, in real time, no guest; %s",
				   *cpu ? cpu : "model of its CPUs not known");
	arch = text_of(json_object_get(r->head, "kernel"), "arch");
	if (!strcmp(arch, np_arch_usual()->name))
		arch = "";
	return np_asprintf("QEMU %s%s%s, %s%s", version ? version : "?", *arch ? " " : "", arch,
			   strcmp(text_of(qemu, "accel"), "kvm") ? "counting instructions" :
			   "KVM (real time)",
			   json_is_true(json_object_get(r->head, "assumed")) ?
			   "; the policy is assumed, the kernel does not tell" : "");
}
