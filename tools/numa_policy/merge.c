// SPDX-License-Identifier: GPL-2.0
/*
 * Results of several runs put together: what may be, and how.
 *
 * Cells may stand in one table only if all but the policy, the workload and the repetition were
 * the same for them. Everything that the head says about that is compared here.
 */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "results.h"
#include "util.h"

/* Longest value that a message shows whole. */
#define SHOWN 100

/* What must be the same for all cells, apart from what each workload has for itself. */
static const struct same {
	const char *object;
	const char *key;
	const char *what;
} same[] = {
	{ "kernel", "release", "release of the kernel" },
	{ "kernel", "config_sha256", "configuration of the kernel (SHA-256)" },
	{ "kernel", "image_sha256", "image of the kernel (SHA-256)" },
	{ "kernel", "library_sha256", "library in the kernel (SHA-256)" },
	{ "kernel", "version", "version of the kernel" },
	{ "native", "cpu", "machine (model of its CPUs)" },
	{ "native", "boot", "boot of the machine" },
	{ "native", "transparent_hugepage", "use of transparent huge pages" },
	{ "guest", "initrd_sha256", "initramfs of the guests (SHA-256)" },
	{ "qemu", "version", "version of QEMU" },
	{ "qemu", "accel", "accelerator of QEMU" },
	{ "topology", "nodes", "topology" },
	{ "tool", "version", "version of numa-policy" },
	{ NULL, "tunables", "tunables" },
	{ NULL, "seed", "seed" },
	{ NULL, "sample_ms", "time between samples" },
	{ NULL, "decisions", "recording of decisions" },
	{ NULL, "assumed", "whether the policy was assumed (--assume)" },
	{ NULL, "traffic", "recording of traffic" },
};

static const char *text_of(const json_t *object, const char *key)
{
	const char *s = json_string_value(json_object_get(object, key));

	return s ? s : "";
}

static const char *source(const struct np_results *r)
{
	return r->source ? r->source : "this run";
}

static char *shown(const json_t *v)
{
	char *text = v ? json_dumps(v, JSON_ENCODE_ANY | JSON_COMPACT |
				   JSON_REAL_PRECISION(12)) : NULL;

	if (text && strlen(text) > SHOWN)
		memcpy(text + SHOWN - 3, "...", 4);
	return text ? text : np_strdup("not known");
}

/* Return: NULL if two values are equal, else a sentence. Null and false are as if not there. */
static char *differ(const char *what, const struct np_results *a, const json_t *va,
		    const struct np_results *b, const json_t *vb)
{
	char *sa, *sb, *error;

	if (json_is_null(va) || json_is_false(va))
		va = NULL;
	if (json_is_null(vb) || json_is_false(vb))
		vb = NULL;
	if ((!va && !vb) || json_equal(va, vb))
		return NULL;
	/* What records something is off where it is absent. */
	sa = va || strncmp(what, "recording", 9) ? shown(va) : np_strdup("off");
	sb = vb || strncmp(what, "recording", 9) ? shown(vb) : np_strdup("off");
	error = np_asprintf("%s differs: %s in %s, %s in %s", what, sa, source(a), sb, source(b));
	free(sa);
	free(sb);
	return error;
}

static char *workloads_differ(const struct np_results *a, const struct np_results *b)
{
	const json_t *la = json_object_get(a->head, "workloads");
	const json_t *lb = json_object_get(b->head, "workloads");
	char *error = NULL;
	const char *key;
	json_t *v;

	for (int i = 0; i < a->nworkloads; i++) {
		for (int j = 0; j < b->nworkloads && !error; j++) {
			json_t *wa = json_array_get(la, i), *wb = json_array_get(lb, j);
			json_t *all;

			if (strcmp(a->workloads[i], b->workloads[j]))
				continue;
			all = json_copy(wa);
			json_object_update_missing(all, wb);
			json_object_foreach(all, key, v) {
				char *what = np_asprintf("workload %s: %s", a->workloads[i], key);

				error = error ?: differ(what, a, json_object_get(wa, key),
							b, json_object_get(wb, key));
				free(what);
			}
			json_decref(all);
		}
	}
	return error;
}

static char *seeds_differ(const struct np_results *a, const struct np_results *b)
{
	const json_t *sa = json_object_get(a->head, "seeds");
	const json_t *sb = json_object_get(b->head, "seeds");
	char *error = NULL;

	for (size_t i = 0; i < json_array_size(sa) && i < json_array_size(sb) && !error; i++) {
		char *what = np_asprintf("seed of repetition %zu", i + 1);

		error = differ(what, a, json_array_get(sa, i), b, json_array_get(sb, i));
		free(what);
	}
	return error;
}

/**
 * np_results_fit() - whether cells of two results may stand in one table
 * @a: results
 * @b: others
 *
 * Return: NULL, or what differs and how; to be freed.
 */
char *np_results_fit(const struct np_results *a, const struct np_results *b)
{
	char *error = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(same) && !error; i++) {
		const struct same *s = &same[i];
		const json_t *oa = s->object ? json_object_get(a->head, s->object) : a->head;
		const json_t *ob = s->object ? json_object_get(b->head, s->object) : b->head;

		error = differ(s->what, a, json_object_get(oa, s->key), b,
			       json_object_get(ob, s->key));
	}
	return error ?: workloads_differ(a, b) ?: seeds_differ(a, b);
}

/* ---- which cells were planned ---- */

/* The matrices that results are made of; usually one: all policies, workloads and repetitions. */
static json_t *plans_of(const struct np_results *r)
{
	json_t *list = json_object_get(r->head, "matrices"), *names, *policies;

	if (json_is_array(list))
		return json_copy(list);
	policies = json_copy(json_object_get(r->head, "policies"));
	names = json_array();
	for (int i = 0; i < r->nworkloads; i++)
		json_array_append_new(names, json_string(r->workloads[i]));
	return json_pack("[{s:o, s:o, s:i}]", "policies", policies,
			 "workloads", names, "reps", r->reps);
}

static bool has_all(const json_t *list, const json_t *of)
{
	size_t i, j;
	json_t *v;

	json_array_foreach((json_t *)of, i, v) {
		for (j = 0; j < json_array_size(list); j++)
			if (json_equal(v, json_array_get(list, j)))
				break;
		if (j == json_array_size(list))
			return false;
	}
	return true;
}

static bool covers(const json_t *a, const json_t *b)
{
	return has_all(json_object_get(a, "policies"), json_object_get(b, "policies")) &&
	       has_all(json_object_get(a, "workloads"), json_object_get(b, "workloads")) &&
	       json_integer_value(json_object_get(a, "reps")) >=
	       json_integer_value(json_object_get(b, "reps"));
}

static bool all_covered(const json_t *plans, const json_t *by)
{
	size_t i, j;
	json_t *v;

	json_array_foreach((json_t *)plans, i, v) {
		for (j = 0; j < json_array_size(by); j++)
			if (covers(json_array_get(by, j), v))
				break;
		if (j == json_array_size(by))
			return false;
	}
	return true;
}

/* Return: those of @a and @b that no other of them covers. */
static json_t *unite_plans(const json_t *a, const json_t *b)
{
	json_t *list = json_array(), *v;
	size_t i;

	json_array_foreach((json_t *)a, i, v) {
		json_t *one = json_pack("[O]", v);

		if (!all_covered(one, b))
			json_array_append(list, v);
		json_decref(one);
	}
	json_array_extend(list, (json_t *)b);
	return list;
}

/* ---- the heads ---- */

static json_t *origins_of(const struct np_results *r)
{
	json_t *list = json_object_get(r->head, "merged_from"), *entry;
	int n = 0;

	if (json_is_array(list))
		return json_deep_copy(list);
	for (int i = 0; i < r->ncells; i++)
		n += r->cells[i].status != NP_CELL_NOT_RUN;
	entry = json_object();
	if (r->source)
		json_object_set_new(entry, "file", np_json_text(r->source));
	json_object_set(entry, "host", json_object_get(r->head, "host"));
	json_object_set(entry, "started", json_object_get(r->head, "started"));
	json_object_set(entry, "ended", json_object_get(r->head, "ended"));
	json_object_set_new(entry, "cells", json_integer(n));
	return json_pack("[o]", entry);
}

/* The times are texts whose order is that of time. */
static void earliest(json_t *into, const json_t *from, const char *key, int sign)
{
	json_t *v = json_object_get(from, key);

	if (json_is_string(v) && (!json_is_string(json_object_get(into, key)) ||
				  sign * strcmp(text_of(from, key), text_of(into, key)) < 0))
		json_object_set(into, key, v);
}

/* Files of single cells come by the thousand: those of one host and directory get one entry. */
static void add_origin(json_t *list, json_t *origin)
{
	json_int_t n;
	json_t *v;
	size_t i;

	json_array_foreach(list, i, v) {
		if (strcmp(text_of(v, "file"), text_of(origin, "file")) ||
		    strcmp(text_of(v, "host"), text_of(origin, "host")))
			continue;
		earliest(v, origin, "started", 1);
		earliest(v, origin, "ended", -1);
		n = json_integer_value(json_object_get(v, "cells"));
		n += json_integer_value(json_object_get(origin, "cells"));
		json_object_set_new(v, "cells", json_integer(n));
		return;
	}
	json_array_append(list, origin);
}

static void unite_origins(struct np_results *into, const struct np_results *from)
{
	json_t *list = json_object_get(into->head, "merged_from"), *more = origins_of(from), *v;
	size_t i;

	if (!list) {
		list = origins_of(into);
		json_object_set_new(into->head, "merged_from", list);
	}
	json_array_foreach(more, i, v)
		add_origin(list, v);
	json_decref(more);
}

static bool named(const json_t *list, const char *key, const json_t *v)
{
	json_t *other;
	size_t i;

	json_array_foreach((json_t *)list, i, other)
		if (key ? !strcmp(text_of(other, key), text_of(v, key)) : json_equal(other, v))
			return true;
	return false;
}

/* Append to a list of the head what only the other head's has. */
static void unite_list(json_t *into, const json_t *from, const char *list, const char *key)
{
	json_t *mine = json_object_get(into, list), *v;
	size_t i;

	json_array_foreach(json_object_get(from, list), i, v)
		if (!named(mine, key, v))
			json_array_append(mine, v);
}

/* The command that makes all cells: the one that makes more, or both, one after the other. */
static void unite_commands(struct np_results *into, const struct np_results *from,
			   const json_t *mine, const json_t *others)
{
	const char *a = text_of(into->head, "reproduce"), *b = text_of(from->head, "reproduce");
	char *both;

	if (!*b || all_covered(others, mine))
		return;
	if (all_covered(mine, others)) {
		json_object_set(into->head, "reproduce", json_object_get(from->head, "reproduce"));
		return;
	}
	both = np_asprintf("%s && %s", a, b);
	json_object_set_new(into->head, "reproduce", np_json_text(both));
	free(both);
}

static void unite_heads(struct np_results *into, const struct np_results *from)
{
	json_t *mine = plans_of(into), *others = plans_of(from), *head = into->head;
	json_t *a = json_object_get(head, "seeds"), *b = json_object_get(from->head, "seeds");
	bool interrupted = json_is_true(json_object_get(head, "interrupted")) ||
			   json_is_true(json_object_get(from->head, "interrupted"));

	unite_origins(into, from);
	unite_commands(into, from, mine, others);
	json_object_set_new(head, "matrices", unite_plans(mine, others));
	json_decref(mine);
	json_decref(others);
	unite_list(head, from->head, "policies", NULL);
	unite_list(head, from->head, "workloads", "name");
	if (json_array_size(b) > json_array_size(a))
		json_object_set(head, "seeds", b);
	if (from->reps > into->reps)
		json_object_set_new(head, "reps", json_integer(from->reps));
	earliest(head, from->head, "started", 1);
	earliest(head, from->head, "ended", -1);
	json_object_set_new(head, "interrupted", json_boolean(interrupted));
}

/* ---- the cells ---- */

/* Two runs of a cell that both count: they must be the same run. */
static char *results_differ(const struct np_results *a, const struct np_cell *x,
			    const struct np_results *b, const struct np_cell *y)
{
	char *sx, *sy, *error = NULL;

	for (int i = 0; i < np_metrics_count && !error; i++) {
		const char *name = np_metrics[i].name;

		sx = shown(json_object_get(x->metrics, name));
		sy = shown(json_object_get(y->metrics, name));
		if (strcmp(sx, sy))
			error = np_asprintf("%s/%s/%d was run twice: %s is %s in %s, %s in %s",
					    x->workload, x->policy, x->rep, name, sx, source(a),
					    sy, source(b));
		free(sx);
		free(sy);
	}
	return error;
}

static char *check_cells(const struct np_results *into, const struct np_results *from)
{
	char *error = NULL;

	for (int i = 0; i < from->ncells && !error; i++) {
		const struct np_cell *c = &from->cells[i], *mine;
		char *id = np_cell_id(c);

		mine = np_results_find(into, id);
		free(id);
		if (mine && mine->status == NP_CELL_OK && c->status == NP_CELL_OK)
			error = results_differ(into, mine, from, c);
	}
	return error;
}

/* A good cell is better than a failed one, which is better than none. */
static int worth(const struct np_cell *c)
{
	static const int worths[] = {
		[NP_CELL_NOT_RUN] = 0, [NP_CELL_FAILED] = 1, [NP_CELL_OK] = 2,
	};

	return worths[c->status];
}

static void swap(struct np_cell *a, struct np_cell *b)
{
	struct np_cell was = *a;

	*a = *b;
	*b = was;
}

/**
 * np_results_merge() - put the cells of two results together
 * @into: gets the cells; unchanged if they do not go together
 * @from: loses those that @into gets
 *
 * Return: NULL, or why they do not go together; to be freed.
 */
char *np_results_merge(struct np_results *into, struct np_results *from)
{
	char *error = np_results_fit(into, from) ?: check_cells(into, from);

	if (error)
		return error;
	unite_heads(into, from);
	error = np_results_index(into);
	for (int i = 0; i < from->ncells && !error; i++) {
		char *id = np_cell_id(&from->cells[i]);
		struct np_cell *mine = np_results_find(into, id);

		free(id);
		if (!mine)
			mine = np_results_add(into);
		else if (worth(mine) >= worth(&from->cells[i]))
			continue;
		swap(mine, &from->cells[i]);
	}
	return error;
}

static void add_missing(struct np_results *r, const char *workload, const char *policy, int rep)
{
	char *id = np_asprintf("%s/%s/%d", workload, policy, rep);
	struct np_cell *c;

	if (!np_results_find(r, id)) {
		c = np_results_add(r);
		c->workload = np_strdup(workload);
		c->policy = np_strdup(policy);
		c->rep = rep;
		c->seed = json_integer_value(json_array_get(json_object_get(r->head, "seeds"),
							    rep - 1));
		c->reason = np_strdup("missing");
	}
	free(id);
}

/**
 * np_results_complete() - add the cells that were planned and are in no file
 * @r: the results; such cells are not run
 */
void np_results_complete(struct np_results *r)
{
	json_t *plans = plans_of(r), *plan, *w, *p;
	bool all = true;
	size_t i, j, k;

	json_array_foreach(plans, i, plan) {
		json_int_t reps = json_integer_value(json_object_get(plan, "reps"));

		for (int rep = 1; rep <= reps && rep <= r->reps; rep++)
			json_array_foreach(json_object_get(plan, "workloads"), j, w)
				json_array_foreach(json_object_get(plan, "policies"), k, p)
					add_missing(r, json_string_value(w), json_string_value(p),
						    rep);
	}
	json_decref(plans);
	for (int c = 0; c < r->ncells; c++)
		all &= r->cells[c].status != NP_CELL_NOT_RUN;
	if (all && r->head)
		json_object_set_new(r->head, "interrupted", json_false());
}

/* ---- files and directories ---- */

/* One more file. @origin is what the head shall say that the cells came from; NULL: the file. */
static char *load_one(struct np_results *r, const char *path, const char *origin)
{
	struct np_results more;
	char *error;

	error = np_results_load(&more, path);
	if (!error && origin) {
		free(more.source);
		more.source = np_strdup(origin);
	}
	if (!error && r->head) {
		error = np_results_merge(r, &more);
	} else if (!error) {
		*r = more;
		return NULL;
	}
	np_results_free(&more);
	return error;
}

static int is_json(const struct dirent *d)
{
	size_t len = strlen(d->d_name);

	return len > 5 && *d->d_name != '.' && !strcmp(d->d_name + len - 5, ".json");
}

/* The files of single cells in a directory. */
static char *load_single(struct np_results *r, const char *dir, int *files)
{
	struct dirent **list;
	char *error = NULL;
	int n = scandir(dir, &list, is_json, versionsort);

	if (n < 0 && errno == ENOENT)
		return NULL;
	if (n < 0)
		return np_asprintf("cannot read %s: %s", dir, strerror(errno));
	for (int i = 0; i < n; i++) {
		char *path = np_asprintf("%s/%s", dir, list[i]->d_name);

		if (!error)
			error = load_one(r, path, dir);
		++*files;
		free(path);
		free(list[i]);
	}
	free(list);
	return error;
}

static char *load_path(struct np_results *r, const char *path)
{
	char *file, *dir, *error;
	struct stat st;
	bool has_file;
	int files = 0;

	if (!stat(path, &st) && !S_ISDIR(st.st_mode))
		return load_one(r, path, NULL);
	file = np_asprintf("%s/results.json", path);
	dir = np_asprintf("%s/" NP_CELLS_DONE, path);
	has_file = !stat(file, &st);
	error = has_file ? load_one(r, file, NULL) : NULL;
	error = error ?: load_single(r, dir, &files);
	if (!error && !has_file && !files)
		error = np_asprintf("cannot read %s: No such file; compare --out DIR makes results",
				    file);
	free(file);
	free(dir);
	return error;
}

/**
 * np_results_load_dirs() - read results of several runs and put them together
 * @r: filled in; to be freed by np_results_free() in any case
 * @paths: for each run, results.json or the directory with it; what compare --cell left in such a
 *	directory is read too
 * @n: how many
 *
 * Cells that were planned and are in no file are added as not run.
 *
 * Return: NULL, or what is wrong, with the file's name in it; to be freed.
 */
char *np_results_load_dirs(struct np_results *r, char *const *paths, int n)
{
	char *error = NULL;

	memset(r, 0, sizeof(*r));
	for (int i = 0; i < n && !error; i++)
		error = load_path(r, paths[i]);
	if (!error)
		np_results_complete(r);
	return error;
}
