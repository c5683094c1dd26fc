// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: The description of the places in a kernel tree
 *
 * shim/hooks says which files are copied, which places are edited and what else is relied on.
 * A place is a row of statements, each given by a hash and a label in our own words, so that
 * the description carries no text of the kernel's. The file itself explains its format.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "shim_match.h"

/* Memory that lives until the command ends. */
static void **pool;
static size_t pool_n;

/**
 * pool_keep() - have memory freed by pool_free()
 * @p: from malloc()
 *
 * Return: @p.
 */
void *pool_keep(void *p)
{
	if (!(pool_n & (pool_n - 1)))
		pool = np_realloc(pool, (pool_n ? pool_n * 2 : 1) * sizeof(*pool));
	pool[pool_n++] = p;
	return p;
}

/**
 * pool_alloc() - zeroed memory
 * @size: bytes
 *
 * Return: the memory, never NULL.
 */
void *pool_alloc(size_t size)
{
	return pool_keep(np_alloc(size));
}

/**
 * pool_strndup() - a copy of part of a string
 * @s: the string
 * @n: bytes of it to take at most
 *
 * Return: the copy.
 */
char *pool_strndup(const char *s, size_t n)
{
	return pool_keep(np_strndup(s, n));
}

/**
 * pool_printf() - a formatted string
 * @fmt: printf format
 *
 * Return: the string.
 */
char *pool_printf(const char *fmt, ...)
{
	va_list ap;
	char *s;

	va_start(ap, fmt);
	s = np_vasprintf(fmt, ap);
	va_end(ap);
	return pool_keep(s);
}

/**
 * pool_more() - room for one more element, zeroed
 * @old: the array; NULL for an empty one
 * @n: elements in it, all added through this function
 * @size: bytes of one
 *
 * Return: the array, which may have moved.
 */
void *pool_more(void *old, int n, size_t size)
{
	char *v = old;

	if (!(n & (n - 1))) {
		v = pool_alloc((n ? n * 2 : 1) * size);
		if (n)
			memcpy(v, old, n * size);
	}
	memset(v + n * size, 0, size);
	return v;
}

/**
 * pool_file() - a whole text file
 * @path: the file
 * @err: set to 0 or a negative errno; -EILSEQ if the file is not text
 *
 * Return: the text, or NULL.
 */
char *pool_file(const char *path, int *err)
{
	struct np_buf b = {};

	*err = np_read_file(path, &b);
	if (!*err && strlen(b.s) != b.len)
		*err = -EILSEQ;
	if (*err) {
		np_buf_free(&b);
		return NULL;
	}
	return pool_keep(b.s);
}

/**
 * pool_free() - free everything
 */
void pool_free(void)
{
	while (pool_n)
		free(pool[--pool_n]);
	free(pool);
	pool = NULL;
}

/* Where the parser is: the innermost things that are open. */
struct parser {
	const char *path;
	int line;
	struct shim_desc *d;
	struct shim_file *file;
	struct shim_scope *scope;
	struct shim_place *place;
	struct shim_variant *variant;
	int depth;
	const char **text;
};

static void bad(struct parser *p, const char *what)
{
	np_die(NP_FAIL, "%s:%d: %s", p->path, p->line, what);
}

/* The next word of @s, which moves on; the rest of the line if @rest. */
static const char *word(struct parser *p, char **s, bool rest)
{
	char *w = *s + strspn(*s, " \t"), *end;

	end = w + (rest ? strlen(w) : strcspn(w, " \t"));
	*s = *end ? end + 1 : end;
	*end = '\0';
	if (!*w)
		bad(p, "something is missing on this line");
	return w;
}

static void parse_text(struct parser *p, const char *line)
{
	if (!p->text)
		bad(p, "text without a place for it");
	*p->text = pool_printf("%s%s\n", *p->text ? *p->text : "", line);
}

static void parse_scope(struct parser *p, char *s)
{
	static const char * const kinds[] = {
		[SHIM_FUNCTION] = "function",
		[SHIM_STRUCT] = "struct",
		[SHIM_ENUM] = "enum",
		[SHIM_TABLE] = "table",
	};
	struct shim_file *f = p->file;
	const char *kind = word(p, &s, false);
	size_t k;

	for (k = 0; k < ARRAY_SIZE(kinds); k++)
		if (!strcmp(kinds[k], kind))
			break;
	if (k == ARRAY_SIZE(kinds))
		bad(p, "a scope is a function, struct, enum or table");
	f->scopes = pool_more(f->scopes, f->nscopes, sizeof(*f->scopes));
	p->scope = &f->scopes[f->nscopes++];
	p->scope->kind = k;
	p->scope->name = word(p, &s, false);
}

static void parse_variant(struct parser *p, const char *name)
{
	struct shim_place *pl = p->place;

	pl->variants = pool_more(pl->variants, pl->n, sizeof(*pl->variants));
	p->variant = &pl->variants[pl->n++];
	p->variant->name = name;
	p->variant->depth = p->depth;
}

static void parse_stmt(struct parser *p, char *s, bool drop)
{
	struct shim_variant *v;
	struct shim_stmt *st;
	const char *hash;
	char *end;

	if (!p->variant)
		parse_variant(p, NULL);
	v = p->variant;
	v->stmts = pool_more(v->stmts, v->n, sizeof(*v->stmts));
	st = &v->stmts[v->n++];
	hash = word(p, &s, false);
	st->hash = strtoul(hash, &end, 16);
	if (end != hash + 8 || *end)
		bad(p, "a hash has eight hexadecimal digits");
	st->label = word(p, &s, true);
	st->drop = drop;
	p->text = &st->put;
}

/* Lines that stand directly in a file's block; false if @key is none of them. */
static bool parse_in_file(struct parser *p, const char *key, char *s)
{
	struct shim_file *f = p->file;

	if (!strcmp(key, "scope")) {
		p->place = NULL;
		p->variant = NULL;
		parse_scope(p, s);
	} else if (!strcmp(key, "include")) {
		f->include = word(p, &s, false);
		if (*s && strcmp(word(p, &s, false), "if"))
			bad(p, "behind the header there may be \"if SYMBOL\"");
		else if (*s)
			f->include_if = word(p, &s, false);
	} else if (!strcmp(key, "behind-entry")) {
		f->entry = word(p, &s, false);
		p->text = &f->entry_text;
	} else if (!strcmp(key, "append")) {
		p->text = &f->append;
	} else if (!strcmp(key, "gone")) {
		f->gone = pool_more(f->gone, f->ngone, sizeof(*f->gone));
		f->gone[f->ngone++] = word(p, &s, false);
	} else {
		return false;
	}
	return true;
}

static void parse_line(struct parser *p, char *s)
{
	struct shim_desc *d = p->d;
	const char *key;

	s += strspn(s, " \t");
	if (*s == '|') {
		parse_text(p, s + 1);
		return;
	}
	p->text = NULL;
	if (!*s || *s == '#')
		return;
	key = word(p, &s, false);
	if (!strcmp(key, "copy")) {
		d->copies = pool_more(d->copies, d->ncopies, sizeof(*d->copies));
		d->copies[d->ncopies++] = word(p, &s, false);
	} else if (!strcmp(key, "file")) {
		d->files = pool_more(d->files, d->nfiles, sizeof(*d->files));
		p->file = &d->files[d->nfiles++];
		p->file->path = word(p, &s, false);
		p->scope = NULL;
		p->place = NULL;
		p->variant = NULL;
	} else if (p->file && parse_in_file(p, key, s)) {
		return;
	} else if (p->scope && (!strcmp(key, "place") || !strcmp(key, "whole"))) {
		struct shim_scope *sc = p->scope;

		sc->places = pool_more(sc->places, sc->n, sizeof(*sc->places));
		p->place = &sc->places[sc->n++];
		p->place->whole = *key == 'w';
		p->depth = 1;
		p->place->label = word(p, &s, true);
		p->variant = NULL;
	} else if (p->place && !strcmp(key, "variant")) {
		parse_variant(p, word(p, &s, true));
	} else if (p->variant && !strcmp(key, "set")) {
		p->variant->set = word(p, &s, false);
		p->variant->value = word(p, &s, false);
	} else if (p->place && !strcmp(key, "depth")) {
		const char *depth = word(p, &s, false);
		char *end;

		p->depth = strtoul(depth, &end, 10);
		if (p->variant)
			p->variant->depth = p->depth;
		if (!isdigit((unsigned char)*depth) || *end)
			bad(p, "behind depth there must be a number of braces");
	} else if (p->place && (!strcmp(key, "keep") || !strcmp(key, "drop"))) {
		parse_stmt(p, s, *key == 'd');
	} else {
		bad(p, "not understood, or not at its place");
	}
}

/**
 * shim_parse() - read the description
 * @d: where it goes
 * @path: its file; the program ends if it cannot be read or understood
 */
void shim_parse(struct shim_desc *d, const char *path)
{
	struct parser p = { .path = path, .d = d };
	char *s, *next;
	int err;

	memset(d, 0, sizeof(*d));
	s = pool_file(path, &err);
	if (!s)
		np_die(NP_FAIL, "%s: %s", path, strerror(-err));
	for (; s && *s; s = next) {
		next = strchr(s, '\n');
		if (next)
			*next++ = '\0';
		p.line++;
		parse_line(&p, s);
	}
}
