// SPDX-License-Identifier: GPL-2.0
/*
 * Memory accesses by node, where they were counted: in total, per vCPU and over time.
 */
#include <math.h>
#include <stdlib.h>

#include "report_parts.h"
#include "util.h"

#define PARTS 10

/* Accesses to the own node of a vCPU, and to others. */
struct count {
	double local;
	double remote;
};

/* What the runs of one workload in one column add up to. */
struct traffic {
	int runs;
	struct count total;
	struct count parts[PARTS];
	struct count *vcpus;
	int *nodes;
	int nvcpus;
};

static void add_count(struct count *to, const struct count *more)
{
	to->local += more->local;
	to->remote += more->remote;
}

/* The accesses of one vCPU in one interval: a number per node. */
static struct count split(const json_t *per_node, int home)
{
	struct count count = { 0 };
	json_t *v;
	size_t i;

	json_array_foreach((json_t *)per_node, i, v) {
		if ((int)i == home)
			count.local += json_number_value(v);
		else
			count.remote += json_number_value(v);
	}
	return count;
}

static void add_interval(struct traffic *t, const json_t *interval, int part)
{
	static const char * const kinds[] = { "loads", "stores" };

	for (size_t k = 0; k < ARRAY_SIZE(kinds); k++) {
		const json_t *vcpus = json_object_get(interval, kinds[k]);

		for (int v = 0; v < t->nvcpus; v++) {
			struct count n = split(json_array_get(vcpus, v), t->nodes[v]);

			add_count(&t->total, &n);
			add_count(&t->parts[part], &n);
			add_count(&t->vcpus[v], &n);
		}
	}
}

static double time_of(const json_t *interval)
{
	return json_number_value(json_object_get(interval, "t_ms"));
}

static void add_run(struct traffic *t, const json_t *traffic, double end)
{
	const json_t *home = json_object_get(traffic, "vcpu_node"), *interval;
	int n = json_array_size(home);
	size_t i;

	if (!t->vcpus) {
		t->nvcpus = n;
		t->vcpus = np_alloc(n * sizeof(*t->vcpus));
		t->nodes = np_alloc(n * sizeof(*t->nodes));
		for (int v = 0; v < n; v++)
			t->nodes[v] = json_integer_value(json_array_get(home, v));
	}
	t->runs++;
	json_array_foreach(json_object_get(traffic, "intervals"), i, interval) {
		/* What ends where a part does belongs to it. */
		int part = end > 0 ? ceil(PARTS * time_of(interval) / end) - 1 : 0;

		add_interval(t, interval, part < 0 ? 0 : part < PARTS ? part : PARTS - 1);
	}
}

/* The traffic of a cell that counts, a new reference, or NULL. */
static json_t *traffic_of(const struct np_cell *cell)
{
	return cell->status == NP_CELL_OK ? np_cell_traffic(cell) : NULL;
}

/* When the last interval of any run is. */
static double last_time(const struct np_report *rep, int w, const int *columns, int n)
{
	double last = 0;

	for (int i = 0; i < n; i++) {
		const struct np_group *g = np_report_group(rep, w, columns[i]);

		for (int k = 0; k < g->n; k++) {
			json_t *traffic = traffic_of(g->cells[k]);
			const json_t *list = json_object_get(traffic, "intervals");
			size_t count = json_array_size(list);
			double t = count ? time_of(json_array_get(list, count - 1)) : 0;

			last = t > last ? t : last;
			json_decref(traffic);
		}
	}
	return last;
}

static struct traffic add_up(const struct np_report *rep, int w, int c, double end)
{
	const struct np_group *g = np_report_group(rep, w, c);
	struct traffic t = { 0 };

	for (int k = 0; k < g->n; k++) {
		json_t *traffic = traffic_of(g->cells[k]);

		if (traffic)
			add_run(&t, traffic, end);
		json_decref(traffic);
	}
	return t;
}

static char *mean_text(double sum, int runs)
{
	return runs ? np_asprintf("%.0f", sum / runs) : np_strdup("n/a");
}

static char *share_text(const struct count *n)
{
	double all = n->local + n->remote;

	return all > 0 ? np_asprintf("%.1f", 100 * n->remote / all) : np_strdup("n/a");
}

static void add_share_row(struct np_grid *g, const struct traffic *t, const struct count *first,
			  char *label)
{
	size_t offset = (const char *)first - (const char *)t;
	char **texts = np_grid_row(g, label);

	for (int i = 0; i < g->columns; i++)
		texts[i] = share_text((const struct count *)((const char *)&t[i] + offset));
}

static void add_totals(struct np_grid *g, const struct traffic *t)
{
	char **local = np_grid_row(g, np_strdup("local accesses"));
	char **remote;

	for (int i = 0; i < g->columns; i++)
		local[i] = mean_text(t[i].total.local, t[i].runs);
	remote = np_grid_row(g, np_strdup("remote accesses"));
	for (int i = 0; i < g->columns; i++)
		remote[i] = mean_text(t[i].total.remote, t[i].runs);
	add_share_row(g, t, &t->total, np_strdup("remote, %"));
}

static void add_vcpu(struct np_grid *g, const struct traffic *t, int v, int node)
{
	static const char * const kinds[] = { "local", "remote" };

	for (int k = 0; k < 2; k++) {
		char **texts = np_grid_row(g, np_asprintf("vCPU %d (node %d) %s", v, node,
							  kinds[k]));

		for (int i = 0; i < g->columns; i++) {
			const struct count *n = v < t[i].nvcpus ? &t[i].vcpus[v] : NULL;

			texts[i] = mean_text(!n ? 0 : k ? n->remote : n->local, n ? t[i].runs : 0);
		}
	}
}

static void add_parts(struct np_grid *g, const struct traffic *t, double end)
{
	for (int k = 0; k < PARTS; k++)
		add_share_row(g, t, &t->parts[k],
			      np_asprintf("remote, %%, %.1f to %.1f s", end * k / PARTS / 1000,
					  end * (k + 1) / PARTS / 1000));
}

/**
 * np_print_traffic() - print the memory accesses of a workload, if they were counted
 * @f: where to
 * @rep: the report
 * @w: number of the workload
 * @block: number of the columns' block
 * @width: columns that a line may have; 0: any number
 */
void np_print_traffic(FILE *f, const struct np_report *rep, int w, int block, int width)
{
	int *columns = np_alloc(rep->ncolumns * sizeof(*columns));
	int n = np_block_columns(rep, block, columns), most = 0;
	struct traffic *t = np_alloc(n * sizeof(*t));
	double end = last_time(rep, w, columns, n);
	struct np_grid g = { .columns = n };

	for (int i = 0; i < n; i++) {
		t[i] = add_up(rep, w, columns[i], end);
		most = t[i].nvcpus > t[most].nvcpus ? i : most;
	}
	if (t[most].runs) {
		np_grid_name_columns(&g, rep, columns, width);
		add_totals(&g, t);
		for (int v = 0; v < t[most].nvcpus; v++)
			add_vcpu(&g, t, v, t[most].nodes[v]);
		add_parts(&g, t, end);
		fprintf(f, "\n%s: loads and stores of user space over the whole run, ",
			rep->workloads[w]);
		fputs("mean of the runs\n\n", f);
		np_grid_print(f, &g, width);
		np_grid_free(&g);
	}
	for (int i = 0; i < n; i++) {
		free(t[i].vcpus);
		free(t[i].nodes);
	}
	free(t);
	free(columns);
}
