// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: The record of what was done to a kernel tree
 *
 * For each edited file the hashes of its old and new content, and the lines that were replaced
 * with some lines around them; the files that were copied, with their hashes; the directories
 * that were made. Edits are found again by their content, so that the user may go on editing
 * elsewhere.
 */
#include <string.h>

#include "shim_match.h"
#include "shim_record.h"
#include "util.h"

/**
 * shim_hash() - hash a file's text (FNV-1a, 64 bits)
 * @s: the text
 *
 * Return: the hash.
 */
unsigned long long shim_hash(const char *s)
{
	unsigned long long h = 14695981039346656037ull;

	while (*s)
		h = (h ^ (unsigned char)*s++) * 1099511628211ull;
	return h;
}

/**
 * record_put() - write a record: lines, with lengths in front of the bytes they announce
 * @b: where it is added; empty before
 * @r: the record
 */
void record_put(struct np_buf *b, const struct record *r)
{
	int i, k;

	np_buf_puts(b, "numa-policy record 1\n");
	for (i = 0; i < r->nfiles; i++) {
		const struct record_file *f = &r->files[i];

		np_buf_printf(b, "file %016llx %016llx %s\n", f->orig, f->now, f->path);
		for (k = 0; k < f->nhunks; k++) {
			const struct shim_hunk *h = &f->hunks[k];

			np_buf_printf(b, "hunk %ld %zu %zu %zu %zu %zu\n", h->line,
				      strlen(h->label), strlen(h->pre), strlen(h->before),
				      strlen(h->after), strlen(h->post));
			np_buf_printf(b, "%s%s%s%s%s\n", h->label, h->pre, h->before, h->after,
				      h->post);
		}
	}
	for (i = 0; i < r->ncopies; i++)
		np_buf_printf(b, "copy %016llx %s\n", r->copies[i].hash, r->copies[i].path);
	for (i = 0; i < r->ndirs; i++)
		np_buf_printf(b, "dir %s\n", r->dirs[i]);
	np_buf_printf(b, "end %016llx\n", shim_hash(b->s));
}

/* Take @len bytes at *@s, or NULL. */
static char *take(const char **s, size_t len)
{
	char *part;

	if (strnlen(*s, len) < len)
		return NULL;
	part = pool_strndup(*s, len);
	*s += len;
	return part;
}

static bool get_hunk(struct record_file *f, const char *line, const char **s)
{
	struct shim_hunk *h;
	size_t len[5];

	f->hunks = pool_more(f->hunks, f->nhunks, sizeof(*f->hunks));
	h = &f->hunks[f->nhunks++];
	if (sscanf(line, "hunk %ld %zu %zu %zu %zu %zu", &h->line, &len[0], &len[1], &len[2],
		   &len[3], &len[4]) != 6)
		return false;
	h->label = take(s, len[0]);
	h->pre = h->label ? take(s, len[1]) : NULL;
	h->before = h->pre ? take(s, len[2]) : NULL;
	h->after = h->before ? take(s, len[3]) : NULL;
	h->post = h->after ? take(s, len[4]) : NULL;
	return h->post && *(*s)++ == '\n';
}

/**
 * record_get() - read a record
 * @r: where its entries are added
 * @s: its text
 *
 * Return: true, or false if the text is not just what record_put() wrote.
 */
bool record_get(struct record *r, const char *s)
{
	const char *top = s;
	unsigned long long a, b;
	char *line;
	int n;

	for (n = 0; *s; n++) {
		line = take(&s, strcspn(s, "\n"));
		if (*s != '\n')
			return false;
		s++;
		if (!n) {
			if (strcmp(line, "numa-policy record 1"))
				return false;
		} else if (!strncmp(line, "file ", 5) && strlen(line) > 39) {
			struct record_file *f;

			r->files = pool_more(r->files, r->nfiles, sizeof(*r->files));
			f = &r->files[r->nfiles++];
			if (sscanf(line, "file %llx %llx", &a, &b) != 2)
				return false;
			f->orig = a;
			f->now = b;
			f->path = line + 39;
		} else if (!strncmp(line, "hunk ", 5) && r->nfiles) {
			if (!get_hunk(&r->files[r->nfiles - 1], line, &s))
				return false;
		} else if (!strncmp(line, "copy ", 5) && strlen(line) > 22) {
			r->copies = pool_more(r->copies, r->ncopies, sizeof(*r->copies));
			if (sscanf(line, "copy %llx", &a) != 1)
				return false;
			r->copies[r->ncopies].hash = a;
			r->copies[r->ncopies++].path = line + 22;
		} else if (!strncmp(line, "dir ", 4)) {
			r->dirs = pool_more(r->dirs, r->ndirs, sizeof(*r->dirs));
			r->dirs[r->ndirs++] = line + 4;
		} else if (sscanf(line, "end %llx", &a) == 1) {
			char *all = pool_strndup(top, s - top - strlen(line) - 1);

			return !*s && shim_hash(all) == a;
		} else {
			return false;
		}
	}
	return false;
}

/* How often @needle stands at the start of a line; the first place in *@at. */
static int count_at(const char *s, const char *needle, size_t *at)
{
	const char *p = s;
	int n = 0;

	while ((p = strstr(p, needle))) {
		if ((p == s || p[-1] == '\n') && !n++)
			*at = p - s;
		p++;
	}
	return n;
}

static const char *last_lines(const char *s, int n)
{
	const char *p = s + strlen(s);

	while (n-- && p > s)
		for (p--; p > s && p[-1] != '\n'; p--)
			;
	return p;
}

static char *first_lines(const char *s, int n)
{
	const char *p = s;

	while (n-- && *p)
		p += strcspn(p, "\n") + (p[strcspn(p, "\n")] == '\n');
	return pool_strndup(s, p - s);
}

/* Find where a hunk's new lines stand; with as much of the lines around them as is still there. */
static bool locate(const char *s, const struct shim_hunk *h, size_t *at)
{
	int k, n;

	for (k = 3; k >= 0; k--) {
		const char *pre = last_lines(h->pre, k);

		if (!k && !*h->after)
			break;
		n = count_at(s, pool_printf("%s%s%s", pre, h->after, first_lines(h->post, k)), at);
		*at += strlen(pre);
		if (n == 1)
			return true;
		if (n && *h->after)
			return false;
	}
	/* Nothing stands there: the lines on one side have to do. */
	for (k = 3; k > 0 && !*h->after; k--) {
		const char *pre = last_lines(h->pre, k), *post = first_lines(h->post, k);

		n = *pre ? count_at(s, pre, at) : 0;
		*at += strlen(pre);
		if (n == 1)
			return true;
		if (*post && count_at(s, post, at) == 1)
			return true;
	}
	return false;
}

/**
 * record_reverse() - take the edits of a file back
 * @s: the file as it is
 * @f: what was done to it
 * @lost: set to the edit that is not found
 *
 * Return: the file as it was, with the user's own edits; NULL if an edit is not found.
 */
char *record_reverse(const char *s, const struct record_file *f,
		     const struct shim_hunk **lost)
{
	struct np_buf out = {};
	size_t pos = 0, at = 0;
	int i;

	np_buf_puts(&out, "");
	for (i = 0; i < f->nhunks; i++) {
		const struct shim_hunk *h = &f->hunks[i];

		if (!locate(s, h, &at) || at < pos) {
			*lost = h;
			np_buf_free(&out);
			return NULL;
		}
		np_buf_add(&out, s + pos, at - pos);
		np_buf_puts(&out, h->before);
		pos = at + strlen(h->after);
	}
	np_buf_puts(&out, s + pos);
	return pool_keep(out.s);
}
