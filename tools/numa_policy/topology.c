// SPDX-License-Identifier: GPL-2.0
/*
 * Topologies of guests: how they are written and checked in the guest.
 */
#include <stdlib.h>
#include <string.h>

#include "topology.h"
#include "util.h"

/** np_topology_help - the grammar, for a help text */
const char np_topology_help[] =
"A topology is NODESxCPUS (CPUs of each node), then any of these, after commas:\n"
"  mem=MB[/MB...]   memory of every node, or of each (default 256; 0: a node without memory)\n"
"  cpus=N/N...      CPUs of each node instead of the same number (0: without CPUs; last)\n"
"  tier=MB          one more node, with memory only; may be repeated\n"
"  dist=D           distance between any two nodes (default 20; a node to itself is 10)\n"
"  dist=R/R...      one row per node, each with its distances to all nodes: 10:20/20:10\n"
"Counting instructions, QEMU gives every CPU its turn, also those that are idle: a guest of 16\n"
"CPUs boots in about 10 s, one of 64 CPUs takes many minutes, and needs a longer --stall.\n"
"Examples: 2x2    8x2,mem=128    2x2,tier=512    3x1,mem=256/256/0\n"
"          2x2,dist=10:21/21:10    3x2,cpus=2/2/0,mem=256/256/512\n";

static char *parse_counts(const char *part, long *nodes, long *cpus)
{
	const char *x = strchr(part, 'x');
	char *left;
	int bad;

	if (!x)
		return np_asprintf("'%s' is not NODESxCPUS, for example 2x2", part);
	left = np_strndup(part, x - part);
	bad = np_parse_long(left, 1, NP_MAX_NODES, nodes);
	free(left);
	if (bad)
		return np_asprintf("'%s': the number of nodes is not from 1 to %d", part,
				   NP_MAX_NODES);
	if (np_parse_long(x + 1, 0, NP_MAX_CPUS, cpus))
		return np_asprintf("'%s': the number of CPUs per node is not from 0 to %d", part,
				   NP_MAX_CPUS);
	return NULL;
}

/* One number for all nodes where @single allows it, or one for each. */
static char *parse_list(const char *key, const char *value, int nodes, bool single, long max,
			long *out)
{
	char *error = NULL, **list;
	int n, i;

	list = np_split(value, '/', &n);
	if (n != nodes && !(single && n == 1))
		error = np_asprintf("%s=%s names %d nodes, the topology has %d", key, value, n,
				    nodes);
	for (i = 0; i < nodes && !error; i++) {
		const char *s = list[n == 1 ? 0 : i];

		if (np_parse_long(s, 0, max, &out[i]))
			error = np_asprintf("%s=%s: '%s' is not a number from 0 to %ld", key, value,
					    s, max);
	}
	np_split_free(list, n);
	return error;
}

static char *parse_distance(int from, int to, const char *s, int *dist)
{
	bool local = from == to;
	int min = local ? NP_DIST_LOCAL : NP_DIST_LOCAL + 1;
	int max = local ? NP_DIST_LOCAL : NP_DIST_MAX;
	long d;

	if (!np_parse_long(s, min, max, &d)) {
		*dist = d;
		return NULL;
	}
	if (local)
		return np_asprintf("dist: node %d to itself is '%s', not %d", from, s, min);
	return np_asprintf("dist: node %d to node %d is '%s', not a number from %d to %d", from,
			   to, s, min, max);
}

static char *parse_dist(struct np_topology *t, const char *value)
{
	char *error = NULL, **rows, **row;
	int nrows, n, i, j;
	long d;

	rows = np_split(value, '/', &nrows);
	if (nrows == 1 && !strchr(value, ':')) {
		if (np_parse_long(value, NP_DIST_LOCAL + 1, NP_DIST_MAX, &d))
			error = np_asprintf("dist=%s: a distance is a number from %d to %d", value,
					    NP_DIST_LOCAL + 1, NP_DIST_MAX);
		for (i = 0; i < t->nodes && !error; i++)
			for (j = 0; j < t->nodes; j++)
				t->dist[i][j] = i == j ? NP_DIST_LOCAL : d;
		goto out;
	}
	if (nrows != t->nodes)
		error = np_asprintf("dist=%s has %d rows, the topology has %d nodes", value, nrows,
				    t->nodes);
	for (i = 0; i < t->nodes && !error; i++) {
		row = np_split(rows[i], ':', &n);
		if (n != t->nodes)
			error = np_asprintf("dist: row %d (%s) has %d distances for %d nodes", i,
					    rows[i], n, t->nodes);
		for (j = 0; j < t->nodes && !error; j++)
			error = parse_distance(i, j, row[j], &t->dist[i][j]);
		np_split_free(row, n);
	}
out:
	np_split_free(rows, nrows);
	return error;
}

static char *check_nodes(struct np_topology *t)
{
	int i, j;

	t->symmetric = true;
	t->cpus = 0;
	t->mem_mb = 0;
	for (i = 0; i < t->nodes; i++) {
		struct np_node *node = &t->node[i];

		/* Linux numbers nodes as the firmware names them, and it names CPUs first. */
		if (node->cpus && i && !t->node[i - 1].cpus)
			return np_asprintf("node %d has CPUs, node %d has none: those come last", i,
					   i - 1);
		node->first_cpu = t->cpus;
		t->cpus += node->cpus;
		t->mem_mb += node->mem_mb;
		if (!node->cpus && !node->mem_mb)
			return np_asprintf("node %d has neither CPUs nor memory", i);
		if (node->mem_mb && node->mem_mb < NP_NODE_MB_MIN)
			return np_asprintf("node %d has %ld MB of memory, neither 0 nor %d or more",
					   i, node->mem_mb, NP_NODE_MB_MIN);
		for (j = 0; j < i; j++)
			if (t->dist[i][j] != t->dist[j][i])
				t->symmetric = false;
	}
	if (!t->cpus)
		return np_strdup("no node has a CPU");
	if (t->cpus > NP_MAX_CPUS)
		return np_asprintf("%d CPUs in all, at most %d are possible", t->cpus, NP_MAX_CPUS);
	if (!t->node[0].mem_mb)
		return np_strdup("node 0 has no memory; the guest's kernel starts there");
	if (t->node[0].mem_mb < NP_NODE0_MB_MIN)
		return np_asprintf("node 0 has %ld MB of memory; the guest's kernel needs %d there",
				   t->node[0].mem_mb, NP_NODE0_MB_MIN);
	return NULL;
}

static char *parse_parts(char **parts, int n, struct np_topology *t)
{
	long mem[NP_MAX_NODES], cpus[NP_MAX_NODES], nodes, each, mb;
	const char *mem_text = NULL, *cpus_text = NULL, *dist_text = NULL;
	char *error;
	int i, tiers = 0;

	error = parse_counts(parts[0], &nodes, &each);
	if (error)
		return error;
	t->nodes = nodes;
	for (i = 1; i < n; i++) {
		const char *value = strchr(parts[i], '=');
		const char **text = NULL;

		if (!value)
			return np_asprintf("'%s' is not KEY=VALUE", parts[i]);
		value++;
		if (!strncmp(parts[i], "mem=", 4)) {
			text = &mem_text;
		} else if (!strncmp(parts[i], "cpus=", 5)) {
			text = &cpus_text;
		} else if (!strncmp(parts[i], "dist=", 5)) {
			text = &dist_text;
		} else if (!strncmp(parts[i], "tier=", 5)) {
			if (np_parse_long(value, 1, NP_NODE_MB_MAX, &mb))
				return np_asprintf("%s: not a number of megabytes from 1 to %d",
						   parts[i], NP_NODE_MB_MAX);
			if (t->nodes + tiers >= NP_MAX_NODES)
				return np_asprintf("more than %d nodes", NP_MAX_NODES);
			t->node[t->nodes + tiers++].mem_mb = mb;
			continue;
		} else {
			return np_asprintf("'%s': the keys are mem, cpus, tier and dist", parts[i]);
		}
		if (*text)
			return np_asprintf("'%s' is given twice", parts[i]);
		*text = value;
	}
	for (i = 0; i < t->nodes; i++) {
		cpus[i] = each;
		mem[i] = NP_NODE_MB;
	}
	if (mem_text)
		error = parse_list("mem", mem_text, t->nodes, true, NP_NODE_MB_MAX, mem);
	if (!error && cpus_text)
		error = parse_list("cpus", cpus_text, t->nodes, false, NP_MAX_CPUS, cpus);
	if (error)
		return error;
	for (i = 0; i < t->nodes; i++) {
		t->node[i].cpus = cpus[i];
		t->node[i].mem_mb = mem[i];
	}
	t->nodes += tiers;
	for (i = 0; i < t->nodes; i++)
		for (int j = 0; j < t->nodes; j++)
			t->dist[i][j] = i == j ? NP_DIST_LOCAL : NP_DIST_REMOTE;
	if (dist_text)
		error = parse_dist(t, dist_text);
	return error ? error : check_nodes(t);
}

/**
 * np_topology_parse() - read a topology as a user writes it
 * @text: the text; np_topology_help has the grammar
 * @t: filled in; to be freed by np_topology_free() on success
 *
 * Return: NULL, or what is wrong, to be freed.
 */
char *np_topology_parse(const char *text, struct np_topology *t)
{
	char *error, **parts;
	int n;

	memset(t, 0, sizeof(*t));
	parts = np_split(text, ',', &n);
	error = parse_parts(parts, n, t);
	np_split_free(parts, n);
	if (!error)
		t->text = np_strdup(text);
	return error;
}

/**
 * np_topology_free() - free what np_topology_parse() allocated
 * @t: the topology
 */
void np_topology_free(struct np_topology *t)
{
	free(t->text);
	t->text = NULL;
}

/**
 * np_topology_json() - a topology for results.json
 * @t: the topology
 *
 * Return: a new JSON object.
 */
json_t *np_topology_json(const struct np_topology *t)
{
	json_t *nodes = json_array();

	for (int i = 0; i < t->nodes; i++) {
		json_t *cpus = json_array(), *dist = json_array();

		for (int j = 0; j < t->node[i].cpus; j++)
			json_array_append_new(cpus, json_integer(t->node[i].first_cpu + j));
		for (int j = 0; j < t->nodes; j++)
			json_array_append_new(dist, json_integer(t->dist[i][j]));
		json_array_append_new(nodes, json_pack("{s:i, s:o, s:I, s:o}", "id", i,
						       "cpus", cpus, "mem_mb",
						       (json_int_t)t->node[i].mem_mb,
						       "distance", dist));
	}
	return json_pack("{s:s, s:o}", "text", t->text, "nodes", nodes);
}

/* The numbers of a JSON array as text, for messages. */
static char *number_list(const json_t *array)
{
	struct np_buf b = { 0 };
	json_t *v;
	size_t i;

	np_buf_puts(&b, json_array_size(array) ? "" : "none");
	json_array_foreach((json_t *)array, i, v)
		np_buf_printf(&b, "%s%lld", i ? " " : "", (long long)json_integer_value(v));
	return b.s;
}

static char *list_differs(const char *what, int id, const json_t *want, const json_t *got)
{
	char *w, *g, *error = NULL;

	if (json_equal(want, got))
		return NULL;
	w = number_list(want);
	g = number_list(got);
	error = np_asprintf("node %d has %s %s in the guest, not %s", id, what, g, w);
	free(w);
	free(g);
	return error;
}

/*
 * The kernel keeps some memory for itself (its image, the page structures) before it counts what
 * a node has, so a node may show less than it was given, but not less than half.
 */
static char *node_differs(const struct np_topology *t, int id, const json_t *want,
			  const json_t *got)
{
	json_int_t mb = t->node[id].mem_mb, kb;
	char *error;

	if (json_integer_value(json_object_get(got, "id")) != id)
		return np_asprintf("the guest's node list has no node %d", id);
	error = list_differs("CPUs", id, json_object_get(want, "cpus"),
			     json_object_get(got, "cpus"));
	if (!error)
		error = list_differs("distances", id, json_object_get(want, "distance"),
				     json_object_get(got, "distance"));
	if (error)
		return error;
	kb = json_integer_value(json_object_get(got, "mem_kb"));
	if (kb > mb * 1024 || kb < mb * 512)
		return np_asprintf("node %d has %lld KB of memory in the guest, not about %lld MB",
				   id, (long long)kb, (long long)mb);
	return NULL;
}

/**
 * np_topology_differs() - compare what a guest saw with what it was given
 * @t: what it was given
 * @nodes: the node list of the guest's begin record
 *
 * Return: NULL if they agree, or the first difference, to be freed.
 */
char *np_topology_differs(const struct np_topology *t, const json_t *nodes)
{
	json_t *want, *list;
	char *error = NULL;

	if (!json_is_array(nodes))
		return np_strdup("the begin record has no node list");
	if (json_array_size(nodes) != (size_t)t->nodes)
		return np_asprintf("the guest has %zu nodes, not %d", json_array_size(nodes),
				   t->nodes);
	want = np_topology_json(t);
	list = json_object_get(want, "nodes");
	for (int i = 0; i < t->nodes && !error; i++)
		error = node_differs(t, i, json_array_get(list, i), json_array_get(nodes, i));
	json_decref(want);
	return error;
}

/**
 * np_nodes_differ() - compare what a running machine had with what a run on it saw
 * @found: the nodes that were found, as in results.json
 * @nodes: the node list of the run's begin record
 *
 * Return: NULL if they and their CPUs are the same, or the first difference, to be freed.
 */
char *np_nodes_differ(const json_t *found, const json_t *nodes)
{
	const json_t *node;
	size_t i;

	if (json_array_size(found) != json_array_size(nodes))
		return np_asprintf("the machine had %zu nodes in the run, not %zu",
				   json_array_size(nodes), json_array_size(found));
	json_array_foreach((json_t *)found, i, node) {
		const json_t *other = json_array_get(nodes, i);

		if (!json_equal(json_object_get(node, "id"), json_object_get(other, "id")) ||
		    !json_equal(json_object_get(node, "cpus"), json_object_get(other, "cpus")))
			return np_asprintf("node %lld had other CPUs in the run than before",
					   (long long)json_integer_value(json_object_get(node,
											 "id")));
	}
	return NULL;
}
