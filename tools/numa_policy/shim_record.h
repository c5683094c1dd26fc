/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The record of what was done to a kernel tree.
 */
#ifndef NP_SHIM_RECORD_H
#define NP_SHIM_RECORD_H

#include <stdbool.h>

#include "shim_match.h"
#include "util.h"

/**
 * struct record_file - an edited file
 * @path: from the top of the tree
 * @orig: hash of its text before
 * @now: hash of its text after
 * @hunks: what was replaced
 * @nhunks: how many
 */
struct record_file {
	const char *path;
	unsigned long long orig;
	unsigned long long now;
	struct shim_hunk *hunks;
	int nhunks;
};

/**
 * struct record_copy - a copied file
 * @path: from the top of the tree
 * @hash: of its text
 * @text: its text in the library; NULL when read from a record
 */
struct record_copy {
	const char *path;
	unsigned long long hash;
	const char *text;
};

/**
 * struct record - what was done to a tree
 * @files: edited files
 * @nfiles: how many
 * @copies: copied files
 * @ncopies: how many
 * @dirs: directories that were made, outer ones first
 * @ndirs: how many
 */
struct record {
	struct record_file *files;
	int nfiles;
	struct record_copy *copies;
	int ncopies;
	const char **dirs;
	int ndirs;
};

unsigned long long shim_hash(const char *s);
void record_put(struct np_buf *b, const struct record *r);
bool record_get(struct record *r, const char *s);
char *record_reverse(const char *s, const struct record_file *f,
		     const struct shim_hunk **lost);

#endif /* NP_SHIM_RECORD_H */
