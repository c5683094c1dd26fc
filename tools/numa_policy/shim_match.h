/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Finding places in a kernel tree by the hashes of their statements.
 */
#ifndef NP_SHIM_MATCH_H
#define NP_SHIM_MATCH_H

#include <stdbool.h>
#include <stddef.h>

#include "util.h"

/* What a scope is, and so what its statements are called. */
enum shim_kind {
	SHIM_FUNCTION,
	SHIM_STRUCT,
	SHIM_ENUM,
	SHIM_TABLE,
};

/**
 * struct shim_stmt - a statement that the description expects
 * @hash: of its tokens
 * @drop: it is taken out; otherwise it only has to be there
 * @label: what it is, in our words
 * @put: text for the run of dropped statements that holds this one, or for behind one that stays;
 *	or NULL
 */
struct shim_stmt {
	unsigned int hash;
	bool drop;
	const char *label;
	const char *put;
};

/**
 * struct shim_variant - one form that a place has in some kernels
 * @name: its name, or NULL where there is only one
 * @depth: how many braces of the scope are open in front of it
 * @set: variable that gets a value when this form is found, or NULL
 * @value: the value
 * @stmts: its statements
 * @n: how many
 */
struct shim_variant {
	const char *name;
	int depth;
	const char *set;
	const char *value;
	struct shim_stmt *stmts;
	int n;
};

/**
 * struct shim_place - statements that stand next to each other in a scope, exactly once
 * @label: what it is, in our words
 * @whole: it is all of the scope
 * @variants: its forms
 * @n: how many
 */
struct shim_place {
	const char *label;
	bool whole;
	struct shim_variant *variants;
	int n;
};

/**
 * struct shim_scope - a function, struct, enum, or an array with its values
 * @kind: which
 * @name: its name
 * @places: places in it, in their order
 * @n: how many
 */
struct shim_scope {
	enum shim_kind kind;
	const char *name;
	struct shim_place *places;
	int n;
};

/**
 * struct shim_file - a file that is edited or relied on
 * @path: from the top of the tree
 * @scopes: scopes to look at
 * @nscopes: how many
 * @include: header to include at the end of the first block of includes, or NULL
 * @include_if: symbol that must be defined for that, or NULL
 * @entry: Kconfig entry behind which @entry_text goes, or NULL
 * @entry_text: the text
 * @append: text for the end of the file, or NULL
 * @gone: identifiers that may stand nowhere but in dropped statements
 * @ngone: how many
 */
struct shim_file {
	const char *path;
	struct shim_scope *scopes;
	int nscopes;
	const char *include;
	const char *include_if;
	const char *entry;
	const char *entry_text;
	const char *append;
	const char **gone;
	int ngone;
};

/**
 * struct shim_var - a variable of the description
 * @name: its name; @name@ stands for it in inserted text
 * @value: what the variant found has set it to
 */
struct shim_var {
	const char *name;
	const char *value;
};

/**
 * struct shim_desc - the description
 * @copies: paths to copy
 * @ncopies: how many
 * @files: files to edit or to look at
 * @nfiles: how many
 * @vars: variables set so far
 * @nvars: how many
 */
struct shim_desc {
	const char **copies;
	int ncopies;
	struct shim_file *files;
	int nfiles;
	struct shim_var *vars;
	int nvars;
};

/**
 * struct shim_edit - replace a range of a file by text
 * @from: first byte
 * @to: byte behind the last
 * @text: what goes there
 * @label: what is edited, in our words
 */
struct shim_edit {
	size_t from;
	size_t to;
	const char *text;
	const char *label;
};

/**
 * struct shim_edits - the edits of a file
 * @v: the edits
 * @n: how many
 */
struct shim_edits {
	struct shim_edit *v;
	int n;
};

/**
 * struct shim_hunk - whole lines that were replaced
 * @label: what was edited, in our words
 * @line: where, in the new file
 * @pre: some lines in front of it
 * @before: the lines as they were
 * @after: the lines as they are
 * @post: some lines behind it
 */
struct shim_hunk {
	const char *label;
	long line;
	const char *pre;
	const char *before;
	const char *after;
	const char *post;
};

void *pool_keep(void *p);
void *pool_alloc(size_t size);
char *pool_strndup(const char *s, size_t n);
__printf(1, 2) char *pool_printf(const char *fmt, ...);
void *pool_more(void *old, int n, size_t size);
char *pool_file(const char *path, int *err);
void pool_free(void);

void shim_parse(struct shim_desc *d, const char *path);
int shim_match(struct shim_desc *d, const struct shim_file *f, const char *text,
	       struct shim_edits *edits);
char *shim_build(const struct shim_desc *d, const char *text, struct shim_edits *edits,
		 struct shim_hunk **hunks, int *nhunks);
bool shim_scope_edits(const struct shim_scope *sc);
void shim_fingerprint(const struct shim_file *f, const char *text);
long shim_line_of(const char *text, size_t at);

#endif /* NP_SHIM_MATCH_H */
