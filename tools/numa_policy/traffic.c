// SPDX-License-Identifier: GPL-2.0
/*
 * Memory accesses of guests: what their plugin (traffic/plugin.c) is told, and what its file says
 * about a cell.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "qemu.h"
#include "traffic.h"
#include "util.h"

/*
 * QEMU's q35 has so much memory below 4 GB if it is all there is, or, if that is not enough, so
 * much; the rest is above.
 */
#define LOW_MB_MAX 2816UL
#define LOW_MB 2048UL
#define HIGH_MB 4096UL
#define MB(_mb) ((unsigned long long)(_mb) << 20)

#define LATENCY_MAX_NS 1e6

/* What the plugin counts. */
static const char * const kinds[] = { "loads", "stores", "bytes" };

/* What is wanted of a plugin's file. */
struct snapshots {
	json_t *start;
	json_t *measured;
	json_t *end;
	json_t *samples;
	json_t *phase;
};

/**
 * np_traffic_ranges() - where the nodes' memory is
 * @t: the topology
 * @ranges: filled in, room for NP_TRAFFIC_RANGES
 *
 * QEMU's older way of telling where memory is adds the place of a node's memory in all memory to
 * that in QEMU's address space of memory, which is the same number.
 *
 * Return: how many there are, in the order of their addresses.
 */
int np_traffic_ranges(const struct np_topology *t, struct np_traffic_range *ranges)
{
	unsigned long low = t->mem_mb >= (long)LOW_MB_MAX ? LOW_MB : LOW_MB_MAX, start = 0;
	int n = 0;

	for (int i = 0; i < t->nodes; i++) {
		unsigned long at = start, end = start + t->node[i].mem_mb;

		while (at < end) {
			unsigned long stop = at < low && end > low ? low : end;

			ranges[n++] = (struct np_traffic_range) {
				.addr = MB(at < low ? at : at - low + HIGH_MB),
				.len = MB(stop - at),
				.ram = MB(start + at),
				.node = i,
			};
			at = stop;
		}
		start = end;
	}
	return n;
}

/**
 * np_traffic_option() - the value of QEMU's option -plugin
 * @plugin: file of the plugin, absolute
 * @out: file that it is to write
 * @t: topology of the guest
 *
 * Return: the value, to be freed.
 */
char *np_traffic_option(const char *plugin, const char *out, const struct np_topology *t)
{
	struct np_traffic_range ranges[NP_TRAFFIC_RANGES];
	int n = np_traffic_ranges(t, ranges);
	struct np_buf b = { 0 };

	np_buf_puts(&b, "file=");
	np_qemu_escape(&b, plugin);
	np_buf_printf(&b, ",out=%s,nodes=%d", out, t->nodes);
	for (int i = 0; i < n; i++)
		np_buf_printf(&b, ",range=%llu:%llu:%llu:%d", ranges[i].addr, ranges[i].len,
			      ranges[i].ram, ranges[i].node);
	return b.s;
}

/**
 * np_latency_parse() - read latencies as a user writes them
 * @text: "LOCAL/REMOTE", in nanoseconds
 * @latency: filled in
 *
 * Return: NULL, or what is wrong, to be freed.
 */
char *np_latency_parse(const char *text, struct np_latency *latency)
{
	double *value[] = { &latency->local_ns, &latency->remote_ns };
	const char *p = text;
	char *end;

	for (int i = 0; i < 2; i++) {
		*value[i] = strtod(p, &end);
		if (end == p || *end != (i ? '\0' : '/'))
			return np_strdup("not LOCAL/REMOTE, two numbers of nanoseconds");
		if (!(*value[i] >= 0 && *value[i] <= LATENCY_MAX_NS))
			return np_asprintf("not from 0 to %.0f ns", LATENCY_MAX_NS);
		p = end + 1;
	}
	return NULL;
}

/* Are these counts of every vCPU and node, and only that? */
static bool has_counts(const json_t *snapshot, const struct np_topology *t)
{
	const json_t *row, *v;
	size_t i, j;

	for (size_t k = 0; k < ARRAY_SIZE(kinds); k++) {
		const json_t *counts = json_object_get(snapshot, kinds[k]);

		if (json_array_size(counts) != (size_t)t->cpus)
			return false;
		json_array_foreach((json_t *)counts, i, row) {
			if (json_array_size(row) != (size_t)t->nodes)
				return false;
			json_array_foreach((json_t *)row, j, v)
				if (!json_is_integer(v))
					return false;
		}
	}
	return json_is_integer(json_object_get(snapshot, "unknown"));
}

/* Keep a snapshot where it belongs. The workload says that it is done, and init afterwards. */
static void keep(struct snapshots *s, const char *mark, json_t *line)
{
	bool sample = !strcmp(mark, "sample"), end = !strcmp(mark, "end");
	json_t **where = end ? &s->end : NULL;

	if (!strcmp(mark, "start"))
		where = &s->start;
	else if (!strcmp(mark, "measured"))
		where = &s->measured;
	if (where && !*where)
		*where = json_incref(line);
	else
		where = NULL;
	if (sample)
		json_array_append(s->samples, line);
	if (where == &s->measured || (s->measured && (where == &s->end || (sample && !s->end))))
		json_array_append(s->phase, line);
}

/* One line of the plugin's; returns what is wrong with it. */
static char *take_line(struct snapshots *s, json_t *line, const struct np_topology *t)
{
	const char *mark = json_string_value(json_object_get(line, "mark"));
	json_int_t unknown;
	char *shown, *error;

	if (mark && !strcmp(mark, "error")) {
		const char *message = json_string_value(json_object_get(line, "message"));

		shown = np_text_clean(message ? message : "", message ? strlen(message) : 0);
		error = np_asprintf("it says: %s", shown);
		free(shown);
		return error;
	}
	if (mark && !strcmp(mark, "calibrated"))
		return NULL;
	if (!mark || !has_counts(line, t))
		return np_strdup("it is malformed");
	unknown = json_integer_value(json_object_get(line, "unknown"));
	if (unknown)
		return np_asprintf("%lld accesses were to memory of no node", (long long)unknown);
	keep(s, mark, line);
	return NULL;
}

static char *read_snapshots(struct snapshots *s, const char *path, const struct np_topology *t)
{
	struct np_buf b = { 0 };
	char *error = NULL, **lines, *named;
	int n, err;

	err = np_read_file(path, &b);
	if (err)
		return np_asprintf("cannot read it: %s", strerror(-err));
	np_buf_puts(&b, "");
	lines = np_split(b.s, '\n', &n);
	for (int i = 0; i < n && !error; i++) {
		json_t *line;

		if (!*lines[i])
			continue;
		line = json_loads(lines[i], JSON_REJECT_DUPLICATES, NULL);
		error = take_line(s, line, t);
		json_decref(line);
		if (error) {
			named = np_asprintf("line %d: %s", i + 1, error);
			free(error);
			error = named;
		}
	}
	np_split_free(lines, n);
	np_buf_free(&b);
	return error;
}

/* What was counted from one snapshot to another. */
static json_t *difference(const json_t *from, const json_t *to)
{
	json_t *result = json_object();
	const json_t *row, *v;
	size_t i, j;

	for (size_t k = 0; k < ARRAY_SIZE(kinds); k++) {
		const json_t *before = json_object_get(from, kinds[k]);
		json_t *counts = json_array();

		json_array_foreach(json_object_get(to, kinds[k]), i, row) {
			json_t *less = json_array();

			json_array_foreach((json_t *)row, j, v) {
				const json_t *old = json_array_get(json_array_get(before, i), j);

				json_array_append_new(less, json_integer(json_integer_value(v) -
									 json_integer_value(old)));
			}
			json_array_append_new(counts, less);
		}
		json_object_set_new(result, kinds[k], counts);
	}
	return result;
}

static int node_of(const struct np_topology *t, int cpu)
{
	int i = 0;

	while (cpu >= t->node[i].first_cpu + t->node[i].cpus)
		i++;
	return i;
}

static json_int_t count_of(const json_t *counts, const char *kind, int cpu, int node)
{
	const json_t *row = json_array_get(json_object_get(counts, kind), cpu);

	return json_integer_value(json_array_get(row, node));
}

static json_int_t accesses(const json_t *counts, int cpu, int node)
{
	return count_of(counts, "loads", cpu, node) + count_of(counts, "stores", cpu, node);
}

/* Modelled nanoseconds of the vCPU that has most of them. */
static double most_ns(const json_t *counts, const struct np_topology *t,
		      const struct np_latency *latency)
{
	double most = 0;

	for (int cpu = 0; cpu < t->cpus; cpu++) {
		double ns = 0;

		for (int node = 0; node < t->nodes; node++) {
			bool remote = node != node_of(t, cpu);

			ns += accesses(counts, cpu, node) *
			      (remote ? latency->remote_ns : latency->local_ns);
		}
		most = ns > most ? ns : most;
	}
	return most;
}

/*
 * The modelled time is that of the busiest vCPU of each interval: a thread that moves from one to
 * another would else look faster for it.
 */
static double modelled_ns(const struct snapshots *s, const struct np_topology *t,
			  const struct np_latency *latency)
{
	double sum = 0;

	for (size_t i = 1; i < json_array_size(s->phase); i++) {
		json_t *counts = difference(json_array_get(s->phase, i - 1),
					    json_array_get(s->phase, i));

		sum += most_ns(counts, t, latency);
		json_decref(counts);
	}
	return sum;
}

static void add_metrics(json_t *metrics, const struct snapshots *s, const struct np_topology *t,
			const struct np_latency *latency)
{
	json_t *counts = difference(s->measured, s->end);
	json_int_t n[2] = { 0 }, bytes[2] = { 0 };

	for (int cpu = 0; cpu < t->cpus; cpu++) {
		for (int node = 0; node < t->nodes; node++) {
			bool remote = node != node_of(t, cpu);

			n[remote] += accesses(counts, cpu, node);
			bytes[remote] += count_of(counts, "bytes", cpu, node);
		}
	}
	json_object_set_new(metrics, "local_accesses", json_integer(n[0]));
	json_object_set_new(metrics, "remote_accesses", json_integer(n[1]));
	json_object_set_new(metrics, "local_bytes", json_integer(bytes[0]));
	json_object_set_new(metrics, "remote_bytes", json_integer(bytes[1]));
	json_object_set_new(metrics, "modelled_ms", json_real(modelled_ns(s, t, latency) / 1e6));
	json_decref(counts);
}

/* An interval for each sample record; returns what is wrong. */
static char *make_intervals(const json_t *records, const struct snapshots *s, json_t *intervals)
{
	const json_t *before = s->start, *record;
	size_t i, n = 0;

	json_array_foreach(records, i, record) {
		const char *type = json_string_value(json_object_get(record, "type"));
		json_t *now, *interval;

		if (!type || strcmp(type, "sample"))
			continue;
		now = json_array_get(s->samples, n++);
		if (!now)
			return np_asprintf("there are counts for %zu samples only", n - 1);
		interval = difference(before, now);
		json_object_set(interval, "t_ms", json_object_get(record, "t_ms"));
		json_array_append_new(intervals, interval);
		before = now;
	}
	return NULL;
}

static char *join(struct np_cell *cell, const struct snapshots *s, const struct np_topology *t,
		  const struct np_latency *latency)
{
	json_t *records, *intervals, *measured, *nodes, *cpus, *traffic;
	char *error;

	if (!s->start)
		return np_strdup("it does not say that counting began");
	if (!s->end)
		return np_strdup("it does not say that the work was done");
	intervals = json_array();
	records = np_cell_records(cell);
	error = make_intervals(records, s, intervals);
	json_decref(records);
	if (error) {
		json_decref(intervals);
		return error;
	}
	measured = s->measured ? difference(s->measured, s->end) : json_null();
	nodes = json_array();
	cpus = json_array();
	for (int i = 0; i < t->nodes; i++)
		json_array_append_new(nodes, json_integer(i));
	for (int i = 0; i < t->cpus; i++)
		json_array_append_new(cpus, json_integer(node_of(t, i)));
	traffic = json_pack("{s:o, s:o, s:o, s:o}", "nodes", nodes, "vcpu_node", cpus, "measured",
			    measured, "intervals", intervals);
	np_cell_set_part(cell, NP_PART_TRAFFIC, traffic);
	json_decref(traffic);
	if (s->measured)
		add_metrics(cell->metrics, s, t, latency);
	return NULL;
}

/**
 * np_traffic_join() - add to a cell what the plugin counted in its guest
 * @cell: the cell, which must be ok otherwise: it gets its traffic and metrics
 * @path: file that the plugin wrote
 * @t: topology of the guest
 * @latency: what accesses are taken to cost
 *
 * Return: NULL, or what is wrong, to be freed.
 */
char *np_traffic_join(struct np_cell *cell, const char *path, const struct np_topology *t,
		      const struct np_latency *latency)
{
	struct snapshots s = { .samples = json_array(), .phase = json_array() };
	char *error = read_snapshots(&s, path, t), *named;

	if (!error)
		error = join(cell, &s, t, latency);
	json_decref(s.start);
	json_decref(s.measured);
	json_decref(s.end);
	json_decref(s.samples);
	json_decref(s.phase);
	if (!error)
		return NULL;
	named = np_asprintf("the counts of memory accesses cannot be used: %s", error);
	free(error);
	return named;
}
