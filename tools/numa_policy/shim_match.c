// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: Finding places by the hashes of their statements
 *
 * A source file is cut into tokens, without comments and white space. A scope (a function,
 * struct, enum or array with its values, found by its name) is cut into statements behind each ; {
 * and }, a list of names or values also at its commas; a line of the preprocessor is a statement of
 * its own. A statement is known by a hash over its tokens. The description gives rows of such
 * hashes, and each row has to stand in its scope exactly once. Layout, comments and line numbers do
 * not matter, any other difference does.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "shim_match.h"

/* @pp counts the preprocessor's lines from 1; 0 is ordinary code. */
struct token {
	size_t from, to;
	int pp;
};

struct source {
	const char *s;
	struct token *t;
	int n;
};

/* Tokens @first to @last, both included. */
struct stmt {
	int first, last;
	unsigned int hash;
};

struct body {
	int first, last;
	struct stmt *v;
	int n;
};

static size_t skip_comment(const char *s, size_t i)
{
	const char *end;

	if (s[i + 1] == '/')
		return i + strcspn(s + i, "\n");
	end = strstr(s + i + 2, "*/");
	return end ? (size_t)(end + 2 - s) : i + strlen(s + i);
}

static size_t token_end(const char *s, size_t i)
{
	static const char * const ops[] = {
		"<<=", ">>=", "...", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=",
		"&&", "||", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "##",
	};
	size_t k;

	if (isalnum((unsigned char)s[i]) || s[i] == '_') {
		while (isalnum((unsigned char)s[i]) || s[i] == '_')
			i++;
		return i;
	}
	if (s[i] == '"' || s[i] == '\'') {
		char quote = s[i++];

		while (s[i] && s[i] != quote && s[i] != '\n')
			i += s[i] == '\\' && s[i + 1] ? 2 : 1;
		return s[i] == quote ? i + 1 : i;
	}
	for (k = 0; k < ARRAY_SIZE(ops); k++)
		if (!strncmp(s + i, ops[k], strlen(ops[k])))
			return i + strlen(ops[k]);
	return i + 1;
}

static struct source lex(const char *s)
{
	struct source src = { .s = s };
	bool bol = true;
	size_t i = 0;
	int pp = 0, pps = 0;

	while (s[i]) {
		struct token *t;

		if (s[i] == '\n') {
			bol = true;
			pp = 0;
			i++;
		} else if (s[i] == '\\' && s[i + 1] == '\n') {
			i += 2;
		} else if (isspace((unsigned char)s[i])) {
			i++;
		} else if (s[i] == '/' && (s[i + 1] == '*' || s[i + 1] == '/')) {
			i = skip_comment(s, i);
		} else {
			if (bol && s[i] == '#')
				pp = ++pps;
			bol = false;
			src.t = pool_more(src.t, src.n, sizeof(*src.t));
			t = &src.t[src.n++];
			t->from = i;
			i = token_end(s, i);
			t->to = i;
			t->pp = pp;
		}
	}
	return src;
}

/* Whether token @i is @text, in code. */
static bool is(const struct source *src, int i, const char *text)
{
	size_t len = strlen(text);

	if (i < 0 || i >= src->n || src->t[i].pp)
		return false;
	return src->t[i].to - src->t[i].from == len &&
	       !memcmp(src->s + src->t[i].from, text, len);
}

static bool is_word(const struct source *src, int i)
{
	char c = i >= 0 && i < src->n && !src->t[i].pp ? src->s[src->t[i].from] : ' ';

	return isalnum((unsigned char)c) || c == '_';
}

/* The token that closes the bracket at @i, or -1. */
static int closing(const struct source *src, int i, const char *open, const char *close)
{
	int depth = 0;

	for (; i < src->n; i++) {
		if (is(src, i, open))
			depth++;
		else if (is(src, i, close) && !--depth)
			return i;
	}
	return -1;
}

/* FNV-1a, 32 bits. */
#define FNV_START 2166136261u
#define FNV(h, c) (((h) ^ (c)) * 16777619u)

static unsigned int hash_tokens(const struct source *src, int first, int last)
{
	unsigned int h = FNV_START;
	int i;

	for (i = first; i <= last; i++) {
		size_t k;

		for (k = src->t[i].from; k < src->t[i].to; k++)
			h = FNV(h, (unsigned char)src->s[k]);
		h = FNV(h, ' ');
	}
	return h;
}

static void add_stmt(const struct source *src, struct body *b, int first, int last)
{
	struct stmt *st;

	if (first > last)
		return;
	b->v = pool_more(b->v, b->n, sizeof(*b->v));
	st = &b->v[b->n++];
	st->first = first;
	st->last = last;
	st->hash = hash_tokens(src, first, last);
}

static void cut(const struct source *src, struct body *b, bool commas)
{
	int i, start = b->first, depth = 0;

	for (i = b->first; i <= b->last; i++) {
		if (src->t[i].pp) {
			add_stmt(src, b, start, i - 1);
			start = i;
			while (i < b->last && src->t[i + 1].pp == src->t[start].pp)
				i++;
			add_stmt(src, b, start, i);
			start = i + 1;
		} else if (is(src, i, "(")) {
			depth++;
		} else if (is(src, i, ")")) {
			depth--;
		} else if (depth > 0) {
			continue;
		} else if (is(src, i, ";") || is(src, i, "{") || is(src, i, "}")) {
			if (is(src, i, "}"))
				add_stmt(src, b, start, i - 1);
			add_stmt(src, b, is(src, i, "}") ? i : start, i);
			start = i + 1;
		} else if (commas && is(src, i, ",")) {
			add_stmt(src, b, start, i - 1);
			start = i + 1;
		}
	}
	add_stmt(src, b, start, b->last);
}

/* The extent of a scope whose name is token @i; false if that is no definition. */
static bool extent(const struct source *src, const struct shim_scope *sc, int i, struct body *b)
{
	static const char * const keys[] = {
		[SHIM_STRUCT] = "struct",
		[SHIM_ENUM] = "enum",
	};
	int open = i + 1;

	b->first = i - 1;
	if (sc->kind == SHIM_FUNCTION) {
		if (!is_word(src, i - 1) && !is(src, i - 1, "*"))
			return false;
		if (!is(src, open, "("))
			return false;
		open = closing(src, open, "(", ")") + 1;
		while (b->first > 0 && !src->t[b->first - 1].pp &&
		       !is(src, b->first - 1, ";") && !is(src, b->first - 1, "}"))
			b->first--;
	} else if (sc->kind == SHIM_TABLE) {
		if (!is(src, open, "["))
			return false;
		open = closing(src, open, "[", "]") + 1;
		if (!open || !is(src, open++, "="))
			return false;
	} else if (!is(src, i - 1, keys[sc->kind])) {
		return false;
	}
	if (!open || !is(src, open, "{"))
		return false;
	b->last = closing(src, open, "{", "}");
	while (sc->kind != SHIM_FUNCTION && b->last >= 0 && !is(src, b->last, ";"))
		b->last = b->last + 1 < src->n ? b->last + 1 : -1;
	return b->last >= 0;
}

/* All definitions of a scope, those with an empty body (stubs) included. */
static struct body *find_scopes(const struct source *src, const struct shim_scope *sc, int *n)
{
	struct body *list = NULL;
	int i;

	*n = 0;
	for (i = 1; i < src->n; i++) {
		struct body b = {};

		if (!is(src, i, sc->name) || !extent(src, sc, i, &b))
			continue;
		cut(src, &b, sc->kind == SHIM_ENUM || sc->kind == SHIM_TABLE);
		list = pool_more(list, *n, sizeof(*list));
		list[(*n)++] = b;
	}
	return list;
}

static bool is_stub(const struct body *b)
{
	return b->n <= 2;
}

static const char *scope_name(const struct shim_scope *sc)
{
	switch (sc->kind) {
	case SHIM_STRUCT:
		return pool_printf("struct %s", sc->name);
	case SHIM_ENUM:
		return pool_printf("enum %s", sc->name);
	case SHIM_TABLE:
		return pool_printf("%s[]", sc->name);
	default:
		return pool_printf("%s()", sc->name);
	}
}

static const char *stmt_word(const struct shim_scope *sc)
{
	static const char * const words[] = {
		[SHIM_FUNCTION] = "statement",
		[SHIM_STRUCT] = "member",
		[SHIM_ENUM] = "name",
		[SHIM_TABLE] = "entry",
	};

	return words[sc->kind];
}

/**
 * shim_line_of() - the number of a line
 * @text: a file's text
 * @at: a byte of it
 *
 * Return: the line's number, from 1.
 */
long shim_line_of(const char *text, size_t at)
{
	long line = 1;

	while (at)
		line += text[--at] == '\n';
	return line;
}

/* A statement's text for a message: comments gone, white space folded, cut if it is long. */
static char *show(const struct source *src, const struct stmt *st, size_t max)
{
	struct np_buf b = {};
	int i;

	for (i = st->first; i <= st->last; i++) {
		if (i > st->first && src->t[i].from > src->t[i - 1].to)
			np_buf_puts(&b, " ");
		np_buf_add(&b, src->s + src->t[i].from, src->t[i].to - src->t[i].from);
	}
	if (b.len > max)
		memcpy(b.s + max - 3, "...", 4);
	return pool_keep(b.s);
}

static long stmt_line(const struct source *src, const struct stmt *st)
{
	return shim_line_of(src->s, src->t[st->first].from);
}

/* Where the variant's row stands in the body; the number of times it does. */
static int occurrences(const struct shim_variant *v, const struct body *b, bool whole, int *at)
{
	int i, k, count = 0;

	if (whole && v->n != b->n)
		return 0;
	for (i = 0; i + v->n <= b->n; i++) {
		for (k = 0; k < v->n; k++)
			if (v->stmts[k].hash != b->v[i + k].hash)
				break;
		if (k == v->n && !count++)
			*at = i;
	}
	return count;
}

/* A lone closing brace resembles every other one. */
static bool is_brace(const struct shim_stmt *st)
{
	return st->hash == FNV(FNV(FNV_START, '}'), ' ');
}

/*
 * Align the variant's row with the part of the body that resembles it most. Return the number
 * of differences; the first one is where statement *@want should be, at *@found.
 */
static int nearest(const struct shim_variant *v, const struct body *b, bool whole,
		   int *want, int *found)
{
	int rows = v->n + 1, cols = b->n + 1;
	int *cost = pool_alloc(sizeof(*cost) * rows * cols);
	int i, j, start = 0;

	for (i = v->n; i >= 0; i--) {
		for (j = b->n; j >= 0; j--) {
			int *c = &cost[i * cols + j];

			if (i == v->n) {
				*c = whole ? b->n - j : 0;
				continue;
			}
			*c = cost[(i + 1) * cols + j] + 1;
			if (j == b->n)
				continue;
			if (i && c[1] + 1 < *c)
				*c = c[1] + 1;
			if (whole && !i && c[1] + 1 < *c)
				*c = c[1] + 1;
			if (v->stmts[i].hash == b->v[j].hash)
				*c = cost[(i + 1) * cols + j + 1];
			else if (cost[(i + 1) * cols + j + 1] + 1 < *c)
				*c = cost[(i + 1) * cols + j + 1] + 1;
		}
	}
	for (j = 1; !whole && j < cols; j++)
		if (cost[j] < cost[start])
			start = j;
	i = 0;
	j = start;
	while (i < v->n && j < b->n && v->stmts[i].hash == b->v[j].hash) {
		i++;
		j++;
	}
	*want = i;
	*found = j;
	return cost[start];
}

/* Say how a place differs from what the description wants. */
static void explain(const struct source *src, const struct shim_file *f,
		    const struct shim_scope *sc, const struct shim_place *pl,
		    const struct body *b)
{
	int i, best = -1, least = 0, want = 0, found = 0, known = 0;
	const struct shim_variant *v;
	const char *label;

	for (i = 0; i < pl->n; i++) {
		int w, at, c = nearest(&pl->variants[i], b, pl->whole, &w, &at);

		if (best < 0 || c < least) {
			best = i;
			least = c;
			want = w;
			found = at;
		}
	}
	v = &pl->variants[best];
	for (i = 0; i < v->n; i++)
		known += !is_brace(&v->stmts[i]);
	if (least >= known && !pl->whole) {
		np_error("%s:%ld: %s: expected the %s '%s', found nothing like it", f->path,
			 stmt_line(src, &b->v[0]), scope_name(sc), stmt_word(sc),
			 v->n == 1 ? v->stmts[0].label : pl->label);
		return;
	}
	label = want < v->n ? v->stmts[want].label : "end";
	if (found >= b->n)
		np_error("%s:%ld: %s: expected the %s '%s' here, found the end", f->path,
			 stmt_line(src, &b->v[b->n - 1]), scope_name(sc), stmt_word(sc), label);
	else
		np_error("%s:%ld: %s: expected the %s '%s' here, found `%s`", f->path,
			 stmt_line(src, &b->v[found]), scope_name(sc), stmt_word(sc), label,
			 show(src, &b->v[found], 140));
}

static void add_edit(struct shim_edits *e, size_t from, size_t to, const char *text,
		     const char *label)
{
	struct shim_edit *ed;

	e->v = pool_more(e->v, e->n, sizeof(*e->v));
	ed = &e->v[e->n++];
	ed->from = from;
	ed->to = to;
	ed->text = text;
	ed->label = label;
}

static size_t line_start(const char *s, size_t at)
{
	while (at && s[at - 1] != '\n')
		at--;
	return at;
}

static size_t line_end(const char *s, size_t at)
{
	at += strcspn(s + at, "\n");
	return s[at] ? at + 1 : at;
}

static bool blank(const char *s, size_t from, size_t to)
{
	while (from < to && isspace((unsigned char)s[from]))
		from++;
	return from == to;
}

/* Replace a range inside of lines, with the indentation of its first line. */
static void add_replace(struct shim_edits *e, const char *s, size_t from, size_t to,
			const char *put, const char *label)
{
	size_t start = line_start(s, from), end = line_end(s, to);
	int indent = strspn(s + start, " \t");
	struct np_buf b = {};

	if (put) {
		while (*put) {
			size_t len = strcspn(put, "\n");

			if (b.len)
				np_buf_printf(&b, "\n%.*s", len ? indent : 0, s + start);
			np_buf_add(&b, put, len);
			put += len + 1;
		}
		add_edit(e, from, to, pool_keep(b.s), label);
		return;
	}
	if (blank(s, start, from) && blank(s, to, end)) {
		bool above = start && blank(s, line_start(s, start - 1), start);

		from = start;
		to = end;
		if (above && s[end] && blank(s, end, line_end(s, end)))
			to = line_end(s, end);
	}
	add_edit(e, from, to, "", label);
}

/* Where a line ends behind @at, comments included; short of that, at more code. */
static size_t behind_comments(const char *s, size_t at)
{
	for (;;) {
		at += strspn(s + at, " \t");
		if (s[at] == '/' && (s[at + 1] == '*' || s[at + 1] == '/'))
			at = skip_comment(s, at);
		else
			return s[at] == '\n' ? at + 1 : at;
	}
}

/* Put text behind a statement that stays, on lines of its own, with the indentation of its line. */
static void add_behind(struct shim_edits *e, const struct source *src, const struct stmt *st,
		       const char *put, const char *label)
{
	size_t start = line_start(src->s, src->t[st->first].from);
	int indent = strspn(src->s + start, " \t");
	int last = st->last + is(src, st->last + 1, ",");
	size_t end = behind_comments(src->s, src->t[last].to);
	struct np_buf b = {};

	/* More code on the same line stays behind the text. */
	if (end && src->s[end - 1] != '\n')
		np_buf_puts(&b, "\n");
	while (*put) {
		size_t len = strcspn(put, "\n");

		/* The preprocessor's lines begin at the margin. */
		if (len && *put != '#')
			np_buf_printf(&b, "%.*s", indent, src->s + start);
		np_buf_add(&b, put, len);
		np_buf_puts(&b, "\n");
		put += len + 1;
	}
	add_edit(e, end, end, pool_keep(b.s), label);
}

/* Turn the dropped statements of a row found at @at, and what goes behind others, into edits. */
static void edit_place(const struct source *src, const struct shim_place *pl,
		       const struct shim_variant *v, const struct body *b, int at,
		       const char *where, bool *dropped, struct shim_edits *e)
{
	int i, k, t;

	for (i = 0; i < v->n; i = k + 1) {
		const char *put = NULL;
		int first, last;

		for (k = i; k < v->n && v->stmts[k].drop; k++)
			if (v->stmts[k].put)
				put = v->stmts[k].put;
		if (k == i) {
			if (v->stmts[i].put)
				add_behind(e, src, &b->v[at + i], v->stmts[i].put,
					   pool_printf("%s: behind %s", where, v->stmts[i].label));
			continue;
		}
		first = b->v[at + i].first;
		last = b->v[at + k - 1].last;
		for (t = first; t <= last; t++)
			dropped[t] = true;
		add_replace(e, src->s, src->t[first].from, src->t[last].to, put,
			    pool_printf("%s: %s", where, pl->whole ? pl->label :
					v->stmts[i].label));
	}
}

static void set_var(struct shim_desc *d, const struct shim_variant *v)
{
	if (!v->set)
		return;
	d->vars = pool_more(d->vars, d->nvars, sizeof(*d->vars));
	d->vars[d->nvars].name = v->set;
	d->vars[d->nvars++].value = v->value;
}

/* The innermost condition of the preprocessor's that is open in front of statement @at, or NULL. */
static const struct stmt *condition(const struct source *src, const struct body *b, int at)
{
	int depth = 0;

	while (at--) {
		const struct token *t = &src->t[b->v[at].first];

		if (!t->pp || b->v[at].first == b->v[at].last)
			continue;
		/* Read backwards, an #endif hides what it ends. */
		if (!strncmp(src->s + t[1].from, "endif", 5))
			depth++;
		else if (!strncmp(src->s + t[1].from, "if", 2) && !depth--)
			return &b->v[at];
	}
	return NULL;
}

/* Whether the tokens are those of "#ifndef NAME", and "#define NAME" follows. */
static bool is_guard(const struct source *src, const struct stmt *st)
{
	const struct token *t = &src->t[st->first];
	size_t len = t[2].to - t[2].from;

	return st->last == st->first + 2 && st->last + 3 < src->n &&
	       !strncmp(src->s + t[1].from, "ifndef", 6) &&
	       !strncmp(src->s + t[4].from, "define", 6) && t[5].to - t[5].from == len &&
	       !memcmp(src->s + t[2].from, src->s + t[5].from, len);
}

/*
 * The innermost condition of the preprocessor's that a scope stands under, or NULL; not what is
 * true wherever NUMA balancing is built, nor the guard of a header.
 */
static const struct stmt *outer_condition(const struct source *src, const struct body *b)
{
	static const char *const fine[] = { "#ifdef CONFIG_NUMA_BALANCING", "#ifdef CONFIG_SMP" };
	struct body open = {};
	int i, k, next;

	for (i = 0; i < b->first; i = next) {
		const char *key;

		next = i + 1;
		if (!src->t[i].pp)
			continue;
		while (next < src->n && src->t[next].pp == src->t[i].pp)
			next++;
		if (next == i + 1)
			continue;
		key = src->s + src->t[i + 1].from;
		if ((!strncmp(key, "el", 2) || !strncmp(key, "endif", 5)) && open.n)
			open.n--;
		if (!strncmp(key, "if", 2) || !strncmp(key, "el", 2))
			add_stmt(src, &open, i, next - 1);
	}
	for (k = open.n - 1; k >= 0; k--) {
		const struct stmt *st = &open.v[k];
		const char *line = show(src, st, 140);
		bool known = !k && is_guard(src, st);

		for (i = 0; i < (int)ARRAY_SIZE(fine); i++)
			known = known || !strcmp(line, fine[i]);
		if (!known) {
			struct stmt *found = pool_alloc(sizeof(*found));

			*found = *st;
			return found;
		}
	}
	return NULL;
}

/* How many braces of the scope are open in front of statement @at. */
static int depth_of(const struct source *src, const struct body *b, int at)
{
	int i, depth = 0;

	for (i = b->first; i < b->v[at].first; i++)
		depth += is(src, i, "{") - is(src, i, "}");
	return depth;
}

/* Look at one scope; the number of refusals. */
static int match_scope(struct shim_desc *d, const struct shim_file *f,
		       const struct shim_scope *sc, const struct source *src, bool *dropped,
		       struct shim_edits *e)
{
	const char *name = scope_name(sc);
	struct body *list, *b = NULL;
	int i, k, n, end = 0, real = 0;
	const struct stmt *under;

	list = find_scopes(src, sc, &n);
	for (i = 0; i < n; i++) {
		if (is_stub(&list[i]))
			continue;
		real++;
		b = &list[i];
	}
	if (real != 1) {
		if (!real)
			np_error("%s: %s: expected its definition, found %s", f->path, name,
				 n ? "only an empty one" : "none");
		else
			np_error("%s:%ld: %s: expected one definition, found %d", f->path,
				 stmt_line(src, &b->v[0]), name, real);
		return 1;
	}
	under = outer_condition(src, b);
	if (under) {
		np_error("%s:%ld: expected %s under no condition, found it under `%s`", f->path,
			 stmt_line(src, &b->v[0]), name, show(src, under, 140));
		return 1;
	}
	for (i = 0; i < sc->n; i++) {
		const struct shim_place *pl = &sc->places[i];
		int at = 0, count = 0, depth;

		for (k = 0; k < pl->n && !count; k++)
			count = occurrences(&pl->variants[k], b, pl->whole, &at);
		if (!count) {
			explain(src, f, sc, pl, b);
			return 1;
		}
		if (count > 1) {
			np_error("%s:%ld: %s: expected '%s' once, found it %d times", f->path,
				 stmt_line(src, &b->v[at]), name, pl->label, count);
			return 1;
		}
		if (at < end) {
			np_error("%s:%ld: %s: expected '%s' after '%s', found it before",
				 f->path, stmt_line(src, &b->v[at]), name, pl->label,
				 sc->places[i - 1].label);
			return 1;
		}
		under = condition(src, b, at);
		if (under) {
			np_error("%s:%ld: %s: expected '%s' under no condition, found it under `%s`",
				 f->path, stmt_line(src, &b->v[at]), name, pl->label,
				 show(src, under, 140));
			return 1;
		}
		k--;
		depth = depth_of(src, b, at);
		if (!pl->whole && depth != pl->variants[k].depth) {
			np_error("%s:%ld: %s: expected '%s' inside of %d braces, found it inside of %d",
				 f->path, stmt_line(src, &b->v[at]), name, pl->label,
				 pl->variants[k].depth, depth);
			return 1;
		}
		end = at + pl->variants[k].n;
		edit_place(src, pl, &pl->variants[k], b, at, name, dropped, e);
		set_var(d, &pl->variants[k]);
	}
	return 0;
}

/* Whether two lines are the same but for white space. */
static bool same_line(const char *a, const char *b)
{
	for (;; a++, b++) {
		while (*a != '\n' && isspace((unsigned char)*a))
			a++;
		while (*b != '\n' && isspace((unsigned char)*b))
			b++;
		if (!*a || *a == '\n')
			return !*b || *b == '\n';
		if (*a != *b)
			return false;
	}
}

/* Lines that get inserted must not be there already; the number of refusals. */
static int check_new(const struct shim_file *f, const char *s, const char *text)
{
	while (*text) {
		size_t len = strcspn(text, "\n");
		size_t at;

		for (at = 0; !blank(text, 0, 1) && s[at]; at = line_end(s, at)) {
			if (!same_line(s + at, text))
				continue;
			np_error("%s:%ld: expected to insert `%.*s`, found it here already",
				 f->path, shim_line_of(s, at), (int)len, text);
			return 1;
		}
		text += len + (text[len] == '\n');
	}
	return 0;
}

/*
 * Insert an #include behind the last one of <linux/...> in the first block of them. The block
 * ends at the first code, or at a #define that is not the guard's; what stands under a
 * condition inside of it does not count.
 */
static int match_include(const struct shim_file *f, const struct source *src,
			 struct shim_edits *e)
{
	char *line = pool_printf("#include <%s>\n", f->include), *text = line;
	int i, base = 0, depth = 0, last = -1, next;

	for (i = 0; i < src->n && src->t[i].pp; i = next) {
		const char *key = src->s + src->t[i].from + 1;

		for (next = i; next < src->n && src->t[next].pp == src->t[i].pp; next++)
			;
		key += strspn(key, " \t");
		if (!strncmp(key, "ifndef", 6) && src->t[i].pp == 1)
			base = 1;
		if (!strncmp(key, "if", 2))
			depth++;
		else if (!strncmp(key, "endif", 5))
			depth--;
		else if (!strncmp(key, "define", 6) && depth == base && src->t[i].pp > 2)
			break;
		else if (!strncmp(key, "include", 7) && depth == base &&
			 !strncmp(key + 7 + strspn(key + 7, " \t"), "<linux/", 7))
			last = next - 1;
	}
	if (last < 0) {
		np_error("%s: expected a block of #include <linux/...> at the top, found none",
			 f->path);
		return 1;
	}
	if (check_new(f, src->s, line))
		return 1;
	if (f->include_if)
		text = pool_printf("#ifdef %s\n%s#endif\n", f->include_if, line);
	next = line_end(src->s, src->t[last].to);
	add_edit(e, next, next, text, "the inserted #include");
	return 0;
}

/* Insert text between a Kconfig entry and what follows it. */
static int match_entry(const struct shim_file *f, const char *s, struct shim_edits *e)
{
	const char *head = pool_printf("config %s", f->entry);
	size_t at, end = 0;
	int found = 0;

	for (at = 0; s[at]; at = line_end(s, at)) {
		size_t len = line_end(s, at) - at;

		while (len && isspace((unsigned char)s[at + len - 1]))
			len--;
		if (len != strlen(head) || strncmp(s + at, head, len))
			continue;
		found++;
		end = line_end(s, at);
	}
	if (found != 1) {
		np_error("%s: expected the entry '%s' once, found it %d times", f->path, head,
			 found);
		return 1;
	}
	for (at = end; s[at]; at = line_end(s, at)) {
		/* A comment at the margin ends nothing. */
		if (blank(s, at, line_end(s, at)) || s[at] == '#')
			continue;
		if (s[at] != ' ' && s[at] != '\t')
			break;
		end = line_end(s, at);
	}
	if (check_new(f, s, f->entry_text))
		return 1;
	add_edit(e, end, end, pool_printf("%s%s", s[end - 1] == '\n' ? "\n" : "\n\n",
					  f->entry_text), pool_printf("text behind '%s'", head));
	return 0;
}

/* Identifiers that must not be used but in dropped statements. */
static int check_gone(const struct shim_file *f, const struct source *src, const bool *dropped)
{
	int i, k, refused = 0;

	for (k = 0; k < f->ngone; k++) {
		size_t len = strlen(f->gone[k]);

		for (i = 0; i < src->n; i++) {
			if (dropped[i] || src->t[i].to - src->t[i].from != len ||
			    memcmp(src->s + src->t[i].from, f->gone[k], len))
				continue;
			np_error("%s:%ld: expected `%s` only at the edited places, found it here",
				 f->path, shim_line_of(src->s, src->t[i].from), f->gone[k]);
			refused++;
			break;
		}
	}
	return refused;
}

/* Whether the last line that is not blank has a backslash at its end. */
static bool goes_on(const char *text)
{
	size_t end = strlen(text);

	while (end && isspace((unsigned char)text[end - 1]))
		end--;
	return end && text[end - 1] == '\\';
}

/**
 * shim_match() - find the places of one file
 * @d: the description, whose variables are set
 * @f: the file's part of it
 * @text: the file
 * @edits: where its edits are added
 *
 * Each refusal is printed.
 *
 * Return: the number of refusals.
 */
int shim_match(struct shim_desc *d, const struct shim_file *f, const char *text,
	       struct shim_edits *edits)
{
	bool lexed = f->nscopes || f->include || f->ngone;
	size_t end = strlen(text);
	int i, refused = 0;

	if (lexed) {
		struct source src = lex(text);
		bool *dropped = pool_alloc(src.n + 1);

		if (f->include)
			refused += match_include(f, &src, edits);
		for (i = 0; i < f->nscopes; i++)
			refused += match_scope(d, f, &f->scopes[i], &src, dropped, edits);
		if (!refused)
			refused += check_gone(f, &src, dropped);
	}
	if (f->entry)
		refused += match_entry(f, text, edits);
	if (f->append) {
		refused += check_new(f, text, f->append);
		if (goes_on(text)) {
			np_error("%s:%ld: expected the last line to end, found that it goes on (\\)",
				 f->path, shim_line_of(text, end));
			refused++;
		}
		add_edit(edits, end, end, pool_printf("%s%s", end && text[end - 1] != '\n' ?
						      "\n" : "", f->append), "the line at the end");
	}
	return refused;
}

/* Put the variables' values into a text. */
static const char *expand(const struct shim_desc *d, const char *text)
{
	int i;

	for (i = 0; i < d->nvars; i++) {
		char *name = pool_printf("@%s@", d->vars[i].name);
		const char *at;

		while ((at = strstr(text, name)))
			text = pool_printf("%.*s%s%s", (int)(at - text), text, d->vars[i].value,
					   at + strlen(name));
	}
	return text;
}

static int by_place(const void *a, const void *b)
{
	const struct shim_edit *x = a, *y = b;

	return x->from < y->from ? -1 : x->from > y->from;
}

/* The last @n lines of s[0..end]. */
static char *lines_above(const char *s, size_t end, int n)
{
	size_t from = end;

	while (from && n--)
		from = line_start(s, from - 1);
	return pool_strndup(s + from, end - from);
}

static char *lines_below(const char *s, size_t from, int n)
{
	size_t to = from;

	while (s[to] && n--)
		to = line_end(s, to);
	return pool_strndup(s + from, to - from);
}

#define CONTEXT 3

/**
 * shim_build() - carry out edits
 * @d: the description, for its variables
 * @text: the file
 * @edits: the edits, which are sorted
 * @hunks: set to what was replaced, in whole lines
 * @nhunks: set to their number
 *
 * Return: the new text.
 */
char *shim_build(const struct shim_desc *d, const char *text, struct shim_edits *edits,
		 struct shim_hunk **hunks, int *nhunks)
{
	struct np_buf out = {};
	size_t pos = 0, *at = pool_alloc(sizeof(*at) * (edits->n + 1) * 2);
	int i, k;

	*hunks = NULL;
	*nhunks = 0;
	if (edits->n)
		qsort(edits->v, edits->n, sizeof(*edits->v), by_place);
	for (i = 0; i < edits->n; i = k) {
		struct shim_edit *e = &edits->v[i];
		const char *put = expand(d, e->text);
		size_t len = strlen(put), from = line_start(text, e->from), to = e->to, cur;
		bool lines;
		struct shim_hunk *h;

		lines = from == e->from && (!len || put[len - 1] == '\n') &&
			(to == from || to == line_start(text, to));
		if (!lines)
			to = line_end(text, to);
		for (k = i + 1; k < edits->n && edits->v[k].from < to; k++)
			if (line_end(text, edits->v[k].to) > to)
				to = line_end(text, edits->v[k].to);
		*hunks = pool_more(*hunks, *nhunks, sizeof(**hunks));
		h = &(*hunks)[*nhunks];
		h->label = e->label;
		h->before = pool_strndup(text + from, to - from);
		np_buf_add(&out, text + pos, from - pos);
		at[2 * *nhunks] = out.len;
		for (cur = from; i < k; i++) {
			e = &edits->v[i];
			np_buf_add(&out, text + cur, e->from - cur);
			np_buf_puts(&out, expand(d, e->text));
			cur = e->to;
		}
		np_buf_add(&out, text + cur, to - cur);
		at[2 * (*nhunks)++ + 1] = out.len;
		pos = to;
	}
	np_buf_puts(&out, text + pos);
	for (i = 0; i < *nhunks; i++) {
		struct shim_hunk *h = &(*hunks)[i];

		h->line = shim_line_of(out.s, at[2 * i]);
		h->after = pool_strndup(out.s + at[2 * i], at[2 * i + 1] - at[2 * i]);
		h->pre = lines_above(out.s, at[2 * i], CONTEXT);
		h->post = lines_below(out.s, at[2 * i + 1], CONTEXT);
	}
	return pool_keep(out.s);
}

/**
 * shim_scope_edits() - whether anything in a scope is edited, and not only looked at
 * @sc: the scope
 *
 * Return: true if so.
 */
bool shim_scope_edits(const struct shim_scope *sc)
{
	int p, v, s;

	for (p = 0; p < sc->n; p++)
		for (v = 0; v < sc->places[p].n; v++)
			for (s = 0; s < sc->places[p].variants[v].n; s++)
				if (sc->places[p].variants[v].stmts[s].drop ||
				    sc->places[p].variants[v].stmts[s].put)
					return true;
	return false;
}

static const char *known_as(const struct shim_scope *sc, unsigned int hash)
{
	int p, v, s;

	for (p = 0; p < sc->n; p++)
		for (v = 0; v < sc->places[p].n; v++)
			for (s = 0; s < sc->places[p].variants[v].n; s++)
				if (sc->places[p].variants[v].stmts[s].hash == hash)
					return sc->places[p].variants[v].stmts[s].label;
	return "?";
}

/**
 * shim_fingerprint() - print the statements of a file's scopes
 * @f: the file's part of the description
 * @text: the file
 */
void shim_fingerprint(const struct shim_file *f, const char *text)
{
	struct source src = lex(text);
	int i, k, n, s;

	printf("file %s\n", f->path);
	for (i = 0; i < f->nscopes; i++) {
		const struct shim_scope *sc = &f->scopes[i];
		struct body *list = find_scopes(&src, sc, &n);

		if (!n)
			printf("  # %s: not found\n", scope_name(sc));
		for (k = 0; k < n; k++) {
			printf("  # %s, line %ld%s\n", scope_name(sc),
			       stmt_line(&src, &list[k].v[0]),
			       is_stub(&list[k]) ? ", a stub" : "");
			for (s = 0; s < list[k].n; s++)
				printf("    %08x %-34s # %ld: %s\n", list[k].v[s].hash,
				       known_as(sc, list[k].v[s].hash),
				       stmt_line(&src, &list[k].v[s]),
				       show(&src, &list[k].v[s], 120));
		}
	}
}
