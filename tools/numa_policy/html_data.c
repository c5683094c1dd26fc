// SPDX-License-Identifier: GPL-2.0
/*
 * What the plots of the html report show, gathered from the cells' records, one cell at a time.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <linux/numa_policy.h>

#include "html_data.h"
#include "topology.h"
#include "util.h"

/** np_reason_names - the reasons of decisions, by number */
const char * const np_reason_names[NR_NUMA_POLICY_REASONS] = {
#define REASON_NAME(_sym, _text) [NUMA_POLICY_##_sym] = _text,
	NUMA_POLICY_REASON_TEXTS(REASON_NAME)
};

/* A new reference to a cell's records. */
static json_t *records_of(const struct np_cell *cell)
{
	return np_cell_records(cell);
}

/* A new reference to a cell's traffic. */
static json_t *traffic_of(const struct np_cell *cell)
{
	return np_cell_traffic(cell);
}

static double number(const json_t *object, const char *key)
{
	return json_number_value(json_object_get(object, key));
}

static const char *text(const json_t *object, const char *key)
{
	const char *s = json_string_value(json_object_get(object, key));

	return s ? s : "";
}

/* ---- locality ---- */

static void curve_add(struct np_curve *c, int at, double value)
{
	c->min[at] = c->n[at] ? fmin(c->min[at], value) : value;
	c->max[at] = c->n[at] ? fmax(c->max[at], value) : value;
	c->sum[at] += value;
	c->n[at]++;
}

/* The line from one sample to the next, at the points of the grid that it passes. */
static void curve_line(struct np_curve *c, double step, const double *from, const double *to,
		       bool first)
{
	for (int i = fmax(0, ceil(from[0] / step)); i <= NP_GRID && i * step <= to[0]; i++) {
		double part = (i * step - from[0]) / (to[0] - from[0]);

		/* Where one line ends and the next begins, the point is the first one's. */
		if (i * step == from[0] && !first)
			continue;
		curve_add(c, i, from[1] + part * (to[1] - from[1]));
	}
}

static void add_phase(struct np_panel *p, const json_t *record)
{
	const char *name = text(record, "name");
	int i;

	for (i = 0; i < p->nphases; i++)
		if (!strcmp(p->phases[i].name, name))
			break;
	if (i == p->nphases) {
		p->phases = np_realloc(p->phases, (i + 1) * sizeof(*p->phases));
		p->phases[p->nphases++] = (struct np_phase) { .name = np_strdup(name) };
	}
	p->phases[i].sum_s += number(record, "t_ms") / 1000;
	p->phases[i].n++;
}

static void add_locality(struct np_panel *p, const json_t *records, double step)
{
	double last[2] = { 0 };		/* seconds, share */
	const json_t *r;
	int n = 0;
	size_t i;

	json_array_foreach((json_t *)records, i, r) {
		const char *type = text(r, "type");
		double pages, now[2];

		if (!strcmp(type, "phase"))
			add_phase(p, r);
		if (strcmp(type, "sample"))
			continue;
		pages = number(r, "pages");
		if (pages <= 0)
			continue;
		now[0] = number(r, "t_ms") / 1000;
		now[1] = number(r, "local") / pages;
		if (n && now[0] > last[0])
			curve_line(&p->local, step, last, now, n == 1);
		p->runs += n++ == 1;
		memcpy(last, now, sizeof(last));
	}
}

/* ---- decisions ---- */

static int reason_of(const char *name)
{
	for (int i = 0; i < NR_NUMA_POLICY_REASONS; i++)
		if (!strcmp(np_reason_names[i], name))
			return i;
	return NP_MAP_NONE;
}

static int name_of(struct np_panel *p, const char *name)
{
	for (int i = p->nnames - 1; i >= 0; i--)
		if (!strcmp(p->names[i], name))
			return i;
	p->names = np_realloc(p->names, (p->nnames + 1) * sizeof(*p->names));
	p->names[p->nnames] = np_strdup(name);
	return p->nnames++;
}

/* Addresses come as hexadecimal text, as numbers of JSON would not hold all of them. */
static double address(const json_t *v)
{
	return json_is_string(v) ? strtoull(json_string_value(v), NULL, 16) : json_number_value(v);
}

/* The map is of the first run that has decisions: cells come by repetition. */
static void add_decisions(struct np_panel *p, const json_t *records, int rep)
{
	const json_t *r;
	size_t i;

	if (p->map_rep)
		return;
	json_array_foreach((json_t *)records, i, r) {
		int reason;

		if (strcmp(text(r, "type"), "decide"))
			continue;
		reason = reason_of(text(r, "reason"));
		if (reason == NP_MAP_NONE)
			continue;
		if (!p->nmarks) {
			p->map_rep = rep;
			p->reasons = np_alloc(NR_NUMA_POLICY_REASONS * sizeof(*p->reasons));
		}
		if (!(p->nmarks & (p->nmarks - 1)))
			p->marks = np_realloc(p->marks,
					      (2 * p->nmarks + 1) * sizeof(*p->marks));
		p->marks[p->nmarks++] = (struct np_mark) {
			.t_s = number(r, "t_ms") / 1000, .reason = reason,
			.start = address(json_object_get(r, "start")),
			.name = name_of(p, text(r, "vma")),
		};
		p->reasons[reason]++;
	}
}

static int by_vma(const void *a, const void *b)
{
	const struct np_mark *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->name != y->name)
		return x->name - y->name;
	return (x->t_s > y->t_s) - (x->t_s < y->t_s);
}

static char *row_label(const char *first, const char *last)
{
	return first == last ? np_strdup(first) : np_asprintf("%s – %s", first, last);
}

/**
 * np_map_make() - lay decisions out as a map
 * @p: the panel with the decisions
 * @end_s: where the time axis ends
 * @rows: number of rows
 * @per_row: VMAs in a row
 *
 * Rows go by the VMAs' addresses. Of decisions in one field, one that scans goes before a refusal,
 * and then a later one before an earlier one.
 *
 * Return: the rows, to be freed by np_map_free().
 */
struct np_map_row *np_map_make(const struct np_panel *p, double end_s, int *rows, int *per_row)
{
	struct np_mark *marks = np_alloc(p->nmarks * sizeof(*marks));
	struct np_map_row *map;
	const char *first = "";
	int vmas = 0, vma = -1;

	memcpy(marks, p->marks, p->nmarks * sizeof(*marks));
	qsort(marks, p->nmarks, sizeof(*marks), by_vma);
	for (int i = 0; i < p->nmarks; i++)
		vmas += !i || marks[i].start != marks[i - 1].start ||
			marks[i].name != marks[i - 1].name;
	*per_row = (vmas + NP_MAP_ROWS - 1) / NP_MAP_ROWS;
	*rows = *per_row ? (vmas + *per_row - 1) / *per_row : 0;
	map = np_alloc(*rows * sizeof(*map));
	for (int i = 0; i < p->nmarks; i++) {
		const char *name = p->names[marks[i].name];
		int column = NP_MAP_COLUMNS * marks[i].t_s / end_s;
		struct np_map_row *row;
		signed char *field;

		if (!i || marks[i].start != marks[i - 1].start ||
		    marks[i].name != marks[i - 1].name)
			vma++;
		row = &map[vma / *per_row];
		if (!row->label) {
			memset(row->reason, NP_MAP_NONE, sizeof(row->reason));
			first = name;
			row->label = row_label(name, name);
		} else if (first != name) {
			free(row->label);
			row->label = row_label(first, name);
		}
		column = column < 0 ? 0 : column < NP_MAP_COLUMNS ? column : NP_MAP_COLUMNS - 1;
		field = &row->reason[column];
		if (*field <= NUMA_POLICY_SKIP || marks[i].reason != NUMA_POLICY_SKIP)
			*field = marks[i].reason;
	}
	free(marks);
	return map;
}

/**
 * np_map_free() - free what np_map_make() returned
 * @map: the rows
 * @rows: how many
 */
void np_map_free(struct np_map_row *map, int rows)
{
	while (rows--)
		free(map[rows].label);
	free(map);
}

/* ---- traffic ---- */

/* How a stretch of time falls onto the intervals of the axis. */
struct stretch {
	double from;
	double to;
	double step;
};

static double overlap(const struct stretch *s, int interval)
{
	double from = fmax(s->from, interval * s->step);
	double to = fmin(s->to, (interval + 1) * s->step);

	return fmax(0, to - from);
}

static int first_interval(const struct stretch *s)
{
	int i = s->from / s->step;

	return i < 0 ? 0 : i;
}

static void add_flow(struct np_flow *to, const struct np_flow *more, double part)
{
	to->local += part * more->local;
	to->remote += part * more->remote;
	to->local_bytes += part * more->local_bytes;
	to->remote_bytes += part * more->remote_bytes;
}

static double at(const json_t *interval, const char *key, int vcpu, int node)
{
	const json_t *per_vcpu = json_array_get(json_object_get(interval, key), vcpu);

	return json_number_value(json_array_get(per_vcpu, node));
}

static void add_interval(struct np_panel *p, const json_t *interval, const struct stretch *s)
{
	for (int v = 0; v < p->nvcpus; v++) {
		for (int n = 0; n < p->nodes; n++) {
			double accesses = at(interval, "loads", v, n) +
					  at(interval, "stores", v, n);
			double bytes = at(interval, "bytes", v, n);
			struct np_flow flow = { 0 };

			if (n == p->vcpu_node[v])
				flow = (struct np_flow) { .local = accesses, .local_bytes = bytes };
			else
				flow = (struct np_flow) { .remote = accesses,
							  .remote_bytes = bytes };
			add_flow(&p->total, &flow, 1);
			add_flow(&p->vcpus[v], &flow, 1);
			for (int i = first_interval(s); i < NP_GRID && i * s->step < s->to; i++)
				add_flow(&p->flow[n * NP_GRID + i], &flow,
					 overlap(s, i) / (s->to - s->from));
		}
	}
	for (int i = first_interval(s); i < NP_GRID && i * s->step < s->to; i++)
		p->seconds[i] += overlap(s, i);
}

/* Return: whether the run's shape is that of the runs before it, which it must be. */
static bool traffic_shape(struct np_panel *p, const json_t *traffic)
{
	const json_t *nodes = json_object_get(traffic, "nodes");
	const json_t *vcpu_node = json_object_get(traffic, "vcpu_node");
	int nvcpus = json_array_size(vcpu_node), n = json_array_size(nodes);

	if (!n || !nvcpus || n > NP_MAX_NODES || nvcpus > NP_MAX_CPUS)
		return false;
	if (p->traffic_runs)
		return n == p->nodes && nvcpus == p->nvcpus;
	p->nodes = n;
	p->nvcpus = nvcpus;
	p->flow = np_alloc(n * NP_GRID * sizeof(*p->flow));
	p->vcpus = np_alloc(nvcpus * sizeof(*p->vcpus));
	p->vcpu_node = np_alloc(nvcpus * sizeof(*p->vcpu_node));
	for (int v = 0; v < nvcpus; v++)
		p->vcpu_node[v] = json_integer_value(json_array_get(vcpu_node, v));
	return true;
}

static void add_traffic(struct np_panel *p, const json_t *traffic, double step)
{
	struct stretch s = { .step = step };
	const json_t *interval;
	size_t i;

	if (!traffic || !traffic_shape(p, traffic))
		return;
	json_array_foreach(json_object_get(traffic, "intervals"), i, interval) {
		s.to = number(interval, "t_ms") / 1000;
		/* What was counted in no time belongs to the sum all the same. */
		if (s.to <= s.from)
			s.from = s.to - .000001;
		add_interval(p, interval, &s);
		s.from = s.to;
	}
	p->traffic_runs++;
}

/* ---- all of it ---- */

static double series_end(const struct np_report *rep, int w)
{
	double end = 0;

	for (int c = 0; c < rep->ncolumns; c++) {
		const struct np_group *g = np_report_group(rep, w, c);

		for (int i = 0; i < g->n; i++)
			if (g->cells[i]->status == NP_CELL_OK)
				end = fmax(end, g->cells[i]->guest_s);
	}
	return end > 0 ? end : 1;
}

/**
 * np_series_make() - gather what the plots of a workload show
 * @s: filled in; to be freed by np_series_free()
 * @rep: the report
 * @w: number of the workload
 *
 * Only runs that count are looked at.
 */
void np_series_make(struct np_series *s, const struct np_report *rep, int w)
{
	double step;

	s->end_s = series_end(rep, w);
	s->npanels = rep->ncolumns;
	s->panels = np_alloc(s->npanels * sizeof(*s->panels));
	step = s->end_s / NP_GRID;
	for (int c = 0; c < rep->ncolumns; c++) {
		const struct np_group *g = np_report_group(rep, w, c);
		struct np_panel *p = &s->panels[c];

		for (int i = 0; i < g->n; i++) {
			const struct np_cell *cell = g->cells[i];
			json_t *records, *traffic;

			if (cell->status != NP_CELL_OK)
				continue;
			records = records_of(cell);
			add_locality(p, records, step);
			add_decisions(p, records, cell->rep);
			json_decref(records);
			traffic = traffic_of(cell);
			add_traffic(p, traffic, step);
			json_decref(traffic);
		}
	}
}

/**
 * np_series_free() - free what np_series_make() gathered
 * @s: the series
 */
void np_series_free(struct np_series *s)
{
	for (int c = 0; c < s->npanels; c++) {
		struct np_panel *p = &s->panels[c];

		while (p->nphases--)
			free(p->phases[p->nphases].name);
		while (p->nnames--)
			free(p->names[p->nnames]);
		free(p->phases);
		free(p->names);
		free(p->marks);
		free(p->reasons);
		free(p->flow);
		free(p->vcpus);
		free(p->vcpu_node);
	}
	free(s->panels);
}
