// SPDX-License-Identifier: GPL-2.0
/*
 * results.json: writing it, reading it, finding cells in it. results.md describes it.
 *
 * Everything here takes time in proportion to the number of cells, and no more memory than the
 * packed cells and one cell's text.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "jsonread.h"
#include "results.h"
#include "util.h"

#define REPS_MAX 1000000

/**
 * struct np_index - finds cells
 * @ids: JSON object: IDs of cells to their positions
 * @known: how many cells are in @ids
 * @cap: cells that there is memory for, as far as np_results_add() got it; 0: not known
 * @ncells: how many cells there were when @sorted was made
 * @cells: where they were
 * @sorted: the cells by workload, policy and repetition
 * @first: where in @sorted each workload's and policy's cells begin, and the end of the last
 */
struct np_index {
	json_t *ids;
	int known;
	int cap;
	int ncells;
	const struct np_cell *cells;
	struct np_cell **sorted;
	int *first;
};

static const char * const status_names[] = { "not run", "ok", "failed" };
static const char * const part_names[NP_PARTS] = { "begin", "records", "traffic" };

static const char *text_of(const json_t *object, const char *key)
{
	const char *s = json_string_value(json_object_get(object, key));

	return s ? s : "";
}

static int name_position(const char **names, int n, const char *name)
{
	while (n-- && strcmp(names[n], name))
		;
	return n;
}

static struct np_index *index_of(struct np_results *r)
{
	if (!r->index)
		r->index = np_alloc(sizeof(*r->index));
	return r->index;
}

static void forget_columns(struct np_index *index)
{
	free(index->sorted);
	free(index->first);
	index->sorted = NULL;
	index->first = NULL;
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

static bool all_named(const json_t *list, const char **names, int n)
{
	const json_t *v;
	size_t i;

	json_array_foreach((json_t *)list, i, v)
		if (!json_is_string(v) || name_position(names, n, json_string_value(v)) < 0)
			return false;
	return json_is_array(list);
}

static char *check_matrices(const struct np_results *r)
{
	const json_t *list = json_object_get(r->head, "matrices"), *plan;
	size_t i;

	json_array_foreach((json_t *)list, i, plan)
		if (!all_named(json_object_get(plan, "policies"), r->policies, r->npolicies) ||
		    !all_named(json_object_get(plan, "workloads"), r->workloads, r->nworkloads))
			return np_asprintf("matrix %zu has policies or workloads that are not in the lists",
					   i + 1);
	return NULL;
}

/**
 * np_results_index() - fill in the parts that are read from the head
 * @r: results with a head; what was filled in before is replaced
 *
 * Return: NULL, or what is wrong with the head, to be freed.
 */
char *np_results_index(struct np_results *r)
{
	const json_t *head = r->head;
	json_int_t version = json_integer_value(json_object_get(head, "version"));
	json_int_t reps = json_integer_value(json_object_get(head, "reps"));

	free(r->policies);
	free(r->workloads);
	r->policies = NULL;
	r->workloads = NULL;
	r->base = NULL;
	forget_columns(index_of(r));
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
	if (reps < 1 || reps > REPS_MAX)
		return np_strdup("'reps' is not a number of repetitions");
	r->reps = reps;
	for (int i = 0; i < r->npolicies; i++)
		if (!strcmp(r->policies[i], text_of(head, "base")))
			r->base = r->policies[i];
	if (!r->base)
		return np_strdup("'base' is none of the policies");
	return check_matrices(r);
}

static int by_rep(const void *a, const void *b)
{
	const struct np_cell *x = *(struct np_cell * const *)a, *y = *(struct np_cell * const *)b;

	return (x->rep > y->rep) - (x->rep < y->rep);
}

static int column_of(const struct np_results *r, const struct np_cell *c)
{
	int w = name_position(r->workloads, r->nworkloads, c->workload);
	int p = name_position(r->policies, r->npolicies, c->policy);

	return w < 0 || p < 0 ? -1 : w * r->npolicies + p;
}

/* Sort the cells into columns: count, add up, distribute. */
static void make_columns(const struct np_results *r, struct np_index *index)
{
	int columns = r->nworkloads * r->npolicies;
	int *column = np_alloc(r->ncells * sizeof(*column)), *next;

	forget_columns(index);
	index->cells = r->cells;
	index->ncells = r->ncells;
	index->sorted = np_alloc(r->ncells * sizeof(*index->sorted));
	index->first = np_alloc((columns + 1) * sizeof(*index->first));
	for (int i = 0; i < r->ncells; i++) {
		column[i] = column_of(r, &r->cells[i]);
		if (column[i] >= 0)
			index->first[column[i] + 1]++;
	}
	for (int i = 0; i < columns; i++)
		index->first[i + 1] += index->first[i];
	next = np_alloc(columns * sizeof(*next));
	memcpy(next, index->first, columns * sizeof(*next));
	for (int i = 0; i < r->ncells; i++)
		if (column[i] >= 0)
			index->sorted[next[column[i]]++] = &r->cells[i];
	for (int i = 0; i < columns; i++)
		qsort(index->sorted + index->first[i], index->first[i + 1] - index->first[i],
		      sizeof(*index->sorted), by_rep);
	free(next);
	free(column);
}

/**
 * np_results_cells() - the cells of a workload under a policy
 * @r: the results
 * @w: position of the workload in @r->workloads
 * @p: position of the policy in @r->policies
 * @n: how many cells there are
 *
 * Return: pointers to the cells, by repetition; they stay valid until cells are added.
 */
struct np_cell *const *np_results_cells(const struct np_results *r, int w, int p, int *n)
{
	struct np_index *index = r->index;
	int column = w * r->npolicies + p;

	if (!index->sorted || index->cells != r->cells || index->ncells != r->ncells)
		make_columns(r, index);
	*n = index->first[column + 1] - index->first[column];
	return index->sorted + index->first[column];
}

/**
 * np_results_find() - find a cell by its ID
 * @r: the results
 * @id: what np_cell_id() returned
 *
 * Return: the cell; NULL if there is none.
 */
struct np_cell *np_results_find(const struct np_results *r, const char *id)
{
	struct np_index *index = r->index;
	const json_t *at;

	if (!index->ids)
		index->ids = json_object();
	for (; index->known < r->ncells; index->known++) {
		char *known = np_cell_id(&r->cells[index->known]);

		json_object_set_new(index->ids, known, json_integer(index->known));
		free(known);
	}
	at = json_object_get(index->ids, id);
	return at ? &r->cells[json_integer_value(at)] : NULL;
}

/**
 * np_results_add() - add a cell
 * @r: the results; pointers to their cells become invalid
 *
 * Return: the new cell, all zero; it must get its names before the next call to any function.
 */
struct np_cell *np_results_add(struct np_results *r)
{
	struct np_index *index = index_of(r);

	if (r->ncells >= index->cap) {
		index->cap = r->ncells < 8 ? 16 : r->ncells * 2;
		r->cells = np_realloc(r->cells, index->cap * sizeof(*r->cells));
	}
	memset(&r->cells[r->ncells], 0, sizeof(*r->cells));
	return &r->cells[r->ncells++];
}

/**
 * np_results_moved() - say that cells changed places, or that @r->cells is other memory
 * @r: the results
 */
void np_results_moved(struct np_results *r)
{
	struct np_index *index = index_of(r);

	forget_columns(index);
	json_decref(index->ids);
	index->ids = NULL;
	index->known = 0;
	index->cap = 0;
}

/* Everything of a cell but its parts, without the brace at the end. */
static char *cell_text(const struct np_cell *c)
{
	json_t *json;
	char *text;

	json = json_pack("{s:s, s:s, s:i, s:I, s:s, s:o, s:f, s:f, s:O*}",
			 "workload", c->workload, "policy", c->policy, "rep", c->rep,
			 "seed", (json_int_t)c->seed, "status", status_names[c->status],
			 "reason", c->reason ? np_json_text(c->reason) : json_null(),
			 "host_s", c->host_s, "guest_s", c->guest_s, "metrics", c->metrics);
	if (!c->metrics)
		json_object_set_new(json, "metrics", json_null());
	if (c->order)
		json_object_set_new(json, "order", json_integer(c->order));
	text = json_dumps(json, JSON_COMPACT | JSON_REAL_PRECISION(12));
	json_decref(json);
	if (!text)
		np_die(NP_FAIL, "out of memory");
	text[strlen(text) - 1] = '\0';
	return text;
}

static void write_cell(FILE *f, const struct np_cell *c)
{
	char *text = cell_text(c);

	fputs(text, f);
	free(text);
	for (int i = 0; i < NP_PARTS; i++) {
		text = np_cell_part_text(c, i);
		if (!text && i == NP_PART_TRAFFIC)
			continue;
		fprintf(f, ",\"%s\":", part_names[i]);
		fputs(text ? text : "null", f);
		free(text);
	}
	fputc('}', f);
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
	struct np_writing w;
	char *text;
	int err;

	err = np_write_begin(&w, path);
	if (err)
		return err;
	text = json_dumps(r->head, JSON_INDENT(2) | JSON_REAL_PRECISION(12));
	if (!text)
		np_die(NP_FAIL, "out of memory");
	fwrite(text, 1, strlen(text) - 2, w.f);
	free(text);
	fputs(",\n  \"cells\": [", w.f);
	for (int i = 0; i < r->ncells && !ferror(w.f); i++) {
		fputs(i ? ",\n    " : "\n    ", w.f);
		write_cell(w.f, &r->cells[i]);
	}
	fputs("\n  ]\n}\n", w.f);
	return np_write_end(&w);
}

/* What a cell says of itself, apart from its bulky parts. */
static char *take_cell(const json_t *v, struct np_cell *c)
{
	const char *status = text_of(v, "status");
	json_int_t rep = json_integer_value(json_object_get(v, "rep"));
	json_t *metrics = json_object_get(v, "metrics");
	size_t i;

	c->workload = np_strdup(text_of(v, "workload"));
	c->policy = np_strdup(text_of(v, "policy"));
	c->rep = rep;
	c->seed = json_integer_value(json_object_get(v, "seed"));
	c->order = json_integer_value(json_object_get(v, "order"));
	c->host_s = json_number_value(json_object_get(v, "host_s"));
	c->guest_s = json_number_value(json_object_get(v, "guest_s"));
	if (json_is_string(json_object_get(v, "reason")))
		c->reason = np_strdup(text_of(v, "reason"));
	c->metrics = json_is_object(metrics) ? json_incref(metrics) : NULL;
	for (i = 0; i < ARRAY_SIZE(status_names); i++)
		if (!strcmp(status, status_names[i]))
			break;
	if (i == ARRAY_SIZE(status_names))
		return np_asprintf("its status '%s' is unknown", status);
	c->status = i;
	if (rep < 1 || rep > REPS_MAX)
		return np_strdup("its repetition is out of range");
	if (c->status == NP_CELL_OK && !c->metrics)
		return np_strdup("it is ok but has no metrics");
	return NULL;
}

/* Return: the part that a key, in quotes, names; NP_PARTS if it is none. */
static int part_of(const struct np_buf *key)
{
	int i;

	for (i = 0; i < NP_PARTS; i++)
		if (key->len == strlen(part_names[i]) + 2 &&
		    !strncmp(key->s + 1, part_names[i], key->len - 2))
			break;
	return i;
}

static void add_member(struct np_buf *object, const struct np_buf *key, const struct np_buf *value)
{
	np_buf_puts(object, object->len ? "," : "{");
	np_buf_add(object, key->s, key->len);
	np_buf_puts(object, ":");
	np_buf_add(object, value->s, value->len);
}

static json_t *as_tree(struct np_buf *object, json_error_t *e)
{
	np_buf_puts(object, object->len ? "}" : "{}");
	return json_loadb(object->s, object->len, JSON_REJECT_DUPLICATES, e);
}

static char *load_cell(struct np_jsonread *in, struct np_cell *c, struct np_buf *value)
{
	struct np_buf key = { 0 }, rest = { 0 };
	bool first = true;
	char *error = NULL;
	json_error_t e;
	json_t *tree;

	np_json_enter(in, '{');
	for (; np_json_member(in, first, &key); first = false) {
		int part = part_of(&key);

		value->len = 0;
		if (!np_json_value(in, value))
			break;
		if (part == NP_PARTS)
			add_member(&rest, &key, value);
		else if (np_cell_has_part(c, part))
			error = error ?: np_asprintf("it has '%s' twice", part_names[part]);
		else if (*value->s == '{' || *value->s == '[')
			np_cell_set_part_text(c, part, value->s, value->len);
	}
	if (!in->error && !error) {
		tree = as_tree(&rest, &e);
		error = tree ? take_cell(tree, c) : np_strdup(e.text);
		json_decref(tree);
	}
	np_buf_free(&key);
	np_buf_free(&rest);
	return error;
}

/* Return: what is wrong with the first bad cell. What is wrong with the file is in @in. */
static char *load_cells(struct np_results *r, struct np_jsonread *in, struct np_buf *value)
{
	bool first = true;
	char *error;

	np_json_enter(in, '[');
	for (; np_json_element(in, first); first = false) {
		error = load_cell(in, np_results_add(r), value);
		if (error) {
			char *named = np_asprintf("cell %d: %s", r->ncells, error);

			free(error);
			return named;
		}
	}
	return NULL;
}

/* The file's members in any order; the cells apart, since they would not fit as a tree. */
static char *load_file(struct np_results *r, struct np_jsonread *in, json_error_t *e)
{
	struct np_buf key = { 0 }, value = { 0 }, head = { 0 };
	bool first = true, cells = false;
	char *error = NULL;

	np_json_enter(in, '{');
	for (; !error && np_json_member(in, first, &key); first = false) {
		if (!cells && !strcmp(key.s, "\"cells\"")) {
			cells = true;
			error = load_cells(r, in, &value);
			continue;
		}
		value.len = 0;
		if (!np_json_value(in, &value))
			break;
		add_member(&head, &key, &value);
	}
	if (!error)
		np_json_end(in);
	if (!in->error)
		r->head = as_tree(&head, e);
	if (!error && !in->error && r->head && !cells)
		error = np_strdup("'cells' is not a list");
	np_buf_free(&key);
	np_buf_free(&value);
	np_buf_free(&head);
	return error;
}

static char *check_cell(const struct np_results *r, const struct np_cell *c, json_t *ids)
{
	const json_t *seed = json_array_get(json_object_get(r->head, "seeds"), c->rep - 1);
	char *id, *error = NULL;

	if (name_position(r->workloads, r->nworkloads, c->workload) < 0)
		return np_asprintf("its workload '%s' is not in the list", c->workload);
	if (name_position(r->policies, r->npolicies, c->policy) < 0)
		return np_asprintf("its policy '%s' is not in the list", c->policy);
	if (c->rep > r->reps)
		return np_strdup("its repetition is out of range");
	if (json_is_integer(seed) && json_integer_value(seed) != c->seed)
		return np_asprintf("its seed is %ld, that of its repetition %lld", c->seed,
				   (long long)json_integer_value(seed));
	id = np_cell_id(c);
	if (json_object_get(ids, id))
		error = np_asprintf("%s is there twice", id);
	json_object_set_new(ids, id, json_true());
	free(id);
	return error;
}

static char *check_cells(const struct np_results *r)
{
	json_t *ids = json_object();
	char *error = NULL, *named = NULL;

	for (int i = 0; i < r->ncells && !error; i++) {
		error = check_cell(r, &r->cells[i], ids);
		if (error)
			named = np_asprintf("cell %d: %s", i + 1, error);
	}
	free(error);
	json_decref(ids);
	return named;
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
	struct np_jsonread in = { .line = 1 };
	char *error, *named, *of_cells;
	json_error_t e;

	memset(r, 0, sizeof(*r));
	in.f = fopen(path, "re");
	if (!in.f)
		return np_asprintf("cannot read %s: %s", path, strerror(errno));
	r->source = np_strdup(path);
	of_cells = load_file(r, &in, &e);
	fclose(in.f);
	if (in.error || !r->head) {
		free(of_cells);
		return np_asprintf("%s: line %ld: %s", path, in.line, in.error ?: e.text);
	}
	/* What is wrong with the head explains what is wrong with cells. */
	error = np_results_index(r) ?: of_cells ?: check_cells(r);
	if (error != of_cells)
		free(of_cells);
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
	if (r->index) {
		forget_columns(r->index);
		json_decref(r->index->ids);
		free(r->index);
	}
	free(r->cells);
	free(r->policies);
	free(r->workloads);
	free(r->source);
	json_decref(r->head);
	memset(r, 0, sizeof(*r));
}
