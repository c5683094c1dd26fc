// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: Putting the library into a kernel tree and taking it out again
 *
 * Everything is worked out in memory first. What does not fit is refused before a byte is
 * written. Then all new files are written into DIR/.numa_policy, and only when that has
 * succeeded are they renamed to their places.
 *
 * DIR/.numa_policy/record tells what was done. While files are being replaced the record of
 * the new state stands beside the old one as record.new, so that whatever an interruption left
 * can be told.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "commands.h"
#include "shim_match.h"
#include "shim_record.h"
#include "util.h"

#define HOOKS "tools/numa_policy/shim/hooks"
#define STATE ".numa_policy"

/* A file to be written, or removed if @text is NULL. */
struct change {
	const char *path;
	const char *old;
	const char *text;
	bool done;
};

struct job {
	const char *dir;
	const char *from;
	const char *lib;
	int lock;
	struct record rec;
	struct change *changes;
	int nchanges;
	int refused;
};

static const char *why(int err)
{
	return err == -EILSEQ ? "not a text file" : strerror(-err);
}

static char *in(const char *dir, const char *path)
{
	return pool_printf("%s/%s", dir, path);
}

static bool exists(const char *path)
{
	struct stat st;

	return !lstat(path, &st);
}

__printf(2, 3)
static void refuse(struct job *j, const char *fmt, ...)
{
	va_list ap;
	char *s;

	va_start(ap, fmt);
	s = np_vasprintf(fmt, ap);
	va_end(ap);
	np_error("%s", (char *)pool_keep(s));
	j->refused++;
}

/* The value of a line NAME = VALUE of the top Makefile, or NULL. */
static char *make_var(const char *text, const char *name)
{
	size_t len = strlen(name);

	for (; text; text = strchr(text, '\n')) {
		const char *p;

		text += *text == '\n';
		p = text + len + (strncmp(text, name, len) ? 0 : strspn(text + len, " \t"));
		if (strncmp(text, name, len) || *p != '=')
			continue;
		p += 1 + strspn(p + 1, " \t");
		return pool_strndup(p, strcspn(p, " \t\n"));
	}
	return NULL;
}

/* The version of the tree, or the end of the program if this is none. */
static char *check_tree(const char *dir, bool with_fair)
{
	const char *fair = in(dir, "kernel/sched/fair.c");
	char *text, *version, *level;
	struct stat st;
	int err;

	if (stat(dir, &st))
		np_die(NP_FAIL, "%s: %s", dir, strerror(errno));
	if (!S_ISDIR(st.st_mode))
		np_die(NP_FAIL, "%s: %s", dir, strerror(ENOTDIR));
	text = pool_file(in(dir, "Makefile"), &err);
	if (!text && err != -ENOENT)
		np_die(NP_FAIL, "%s/Makefile: %s", dir, why(err));
	version = text ? make_var(text, "VERSION") : NULL;
	level = text ? make_var(text, "PATCHLEVEL") : NULL;
	if (!version || !level)
		np_die(NP_FAIL, "%s is no kernel tree: %s", dir, text ?
		       "its Makefile gives no VERSION and PATCHLEVEL" : "it has no Makefile");
	if (with_fair && !exists(fair))
		np_die(NP_FAIL, "%s is no kernel tree: it has no kernel/sched/fair.c", dir);
	return pool_printf("%s.%s", version, level);
}

static void lock(struct job *j)
{
	j->lock = open(j->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (j->lock < 0)
		np_die(NP_FAIL, "%s: %s", j->dir, strerror(errno));
	if (!flock(j->lock, LOCK_EX | LOCK_NB))
		return;
	if (errno == EWOULDBLOCK) {
		np_error("%s: waiting for another numa-policy that is at work there", j->dir);
		while (flock(j->lock, LOCK_EX))
			if (errno != EINTR)
				np_die(NP_FAIL, "%s: %s", j->dir, strerror(errno));
	} else {
		np_die(NP_FAIL, "%s: cannot be locked: %s", j->dir, strerror(errno));
	}
}

/* Read what the tree says was done to it; false if it says nothing. */
static bool load_record(struct job *j)
{
	static const char * const names[] = { STATE "/record", STATE "/record.new" };
	bool any = false;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		char *text;
		int err;

		text = pool_file(in(j->dir, names[i]), &err);
		if (!text && err == -ENOENT)
			continue;
		if (!text)
			np_die(NP_FAIL, "%s/%s: %s", j->dir, names[i], why(err));
		if (!record_get(&j->rec, text))
			np_die(NP_FAIL, "%s/%s is damaged: it cannot be told what was done",
			       j->dir, names[i]);
		any = true;
	}
	return any;
}

/*
 * A recorded file as it would be without the library; NULL if that cannot be told. *@by is the
 * part of the record that was taken back, or NULL if nothing had to be.
 */
static char *reverse(struct job *j, const char *path, char *s, const struct record_file **by)
{
	unsigned long long hash = shim_hash(s);
	const struct shim_hunk *lost = NULL;
	char *was = NULL;
	int i;

	*by = NULL;
	for (i = 0; i < j->rec.nfiles; i++) {
		const struct record_file *f = &j->rec.files[i];

		if (strcmp(f->path, path) || f->now != hash)
			continue;
		was = record_reverse(s, f, &lost);
		if (was && shim_hash(was) == f->orig) {
			*by = f;
			return was;
		}
	}
	for (i = 0; i < j->rec.nfiles; i++)
		if (!strcmp(j->rec.files[i].path, path) && j->rec.files[i].orig == hash)
			return s;
	for (i = 0; i < j->rec.nfiles; i++) {
		if (strcmp(j->rec.files[i].path, path))
			continue;
		was = record_reverse(s, &j->rec.files[i], &lost);
		if (was) {
			*by = &j->rec.files[i];
			return was;
		}
	}
	refuse(j, "%s:%ld: %s: the lines put there were changed since; if something else put the tree's own files back, remove what was copied and %s/" STATE " as well", path,
	       lost->line, lost->label, j->dir);
	return NULL;
}

static bool is_recorded(const struct job *j, const char *path)
{
	int i;

	for (i = 0; i < j->rec.nfiles; i++)
		if (!strcmp(j->rec.files[i].path, path))
			return true;
	return false;
}

static void add_change(struct job *j, const char *path, const char *old, const char *text)
{
	struct change *c;

	if (old && text && !strcmp(old, text))
		return;
	j->changes = pool_more(j->changes, j->nchanges, sizeof(*j->changes));
	c = &j->changes[j->nchanges++];
	c->path = path;
	c->old = old;
	c->text = text;
}

/*
 * The first part of a path that is a symbolic link, or NULL. Behind one there may be another tree,
 * which must not be edited as a part of this one.
 */
static const char *link_in(const char *dir, const char *path)
{
	const char *end = path;
	struct stat st;

	while (*end) {
		char *part;

		end += strspn(end, "/");
		end += strcspn(end, "/");
		part = pool_strndup(path, end - path);
		if (!lstat(in(dir, part), &st) && S_ISLNK(st.st_mode))
			return part;
	}
	return NULL;
}

/* Read a file that is edited; NULL if it cannot be, or could not be replaced. */
static char *read_edited(struct job *j, const char *dir, const char *path, bool write)
{
	char *full = in(dir, path), *text;
	const char *link = link_in(dir, path);
	int err;

	if (link) {
		refuse(j, "%s: a symbolic link; the library needs a tree of its own", link);
		return NULL;
	}
	text = pool_file(full, &err);
	if (!text)
		refuse(j, "%s: %s", path, why(err));
	else if (write && access(full, W_OK))
		refuse(j, "%s: not writable: %s", path, strerror(errno));
	else
		return text;
	return NULL;
}

/* Files that a build or an editor leaves behind. */
static bool is_litter(const char *name)
{
	static const char * const ends[] = {
		".o", ".a", ".cmd", ".d", ".ko", ".mod", ".order", ".s", ".i", ".orig", ".rej", "~",
	};
	size_t i, len = strlen(name);

	/* kunit.py finds a directory's tests by this one. */
	if (*name == '.')
		return strcmp(name, ".kunitconfig");
	for (i = 0; i < ARRAY_SIZE(ends); i++)
		if (len > strlen(ends[i]) && !strcmp(name + len - strlen(ends[i]), ends[i]))
			return true;
	return false;
}

/* Add a path of the library's, a file or a directory, to the files to be copied. */
static void list_copies(const char *lib, const char *path, struct record *r)
{
	char *full = in(lib, path), *text;
	struct dirent **names;
	struct stat st;
	int i, n, err;

	if (stat(full, &st))
		np_die(NP_FAIL, "%s: %s; is %s the library?", full, strerror(errno), lib);
	if (S_ISDIR(st.st_mode)) {
		n = scandir(full, &names, NULL, alphasort);
		if (n < 0)
			np_die(NP_FAIL, "%s: %s", full, strerror(errno));
		for (i = 0; i < n; i++)
			if (!is_litter(names[i]->d_name))
				list_copies(lib, in(path, names[i]->d_name), r);
		for (i = 0; i < n; i++)
			free(names[i]);
		free(names);
		return;
	}
	text = pool_file(full, &err);
	if (!text)
		np_die(NP_FAIL, "%s: %s", full, why(err));
	r->copies = pool_more(r->copies, r->ncopies, sizeof(*r->copies));
	r->copies[r->ncopies].path = path;
	r->copies[r->ncopies].text = text;
	r->copies[r->ncopies++].hash = shim_hash(text);
}

/* Whether a path that is copied as a whole stands in a tree, as something else than ours. */
static bool is_taken(const char *dir, const char *path)
{
	char *full = in(dir, path);
	struct dirent *de;
	bool taken = false;
	struct stat st;
	DIR *d;

	if (lstat(full, &st))
		return false;
	if (!S_ISDIR(st.st_mode))
		return true;
	d = opendir(full);
	if (!d)
		return true;
	while (!taken && (de = readdir(d)))
		taken = !is_litter(de->d_name);
	closedir(d);
	return taken;
}

/* Whether the record knows of a file at or below a path. */
static bool is_ours(const struct record *r, const char *path)
{
	size_t len = strlen(path);
	int i;

	for (i = 0; i < r->ncopies; i++)
		if (!strncmp(r->copies[i].path, path, len) &&
		    (!r->copies[i].path[len] || r->copies[i].path[len] == '/'))
			return true;
	return false;
}

static const struct record_copy *find_copy(const struct record *r, const char *path,
					   unsigned long long hash)
{
	int i;

	for (i = 0; i < r->ncopies; i++)
		if (!strcmp(r->copies[i].path, path) && (!hash || r->copies[i].hash == hash))
			return &r->copies[i];
	return NULL;
}

/* A copied file in the tree; NULL if it is missing, or in the way, which is refused. */
static char *read_copied(struct job *j, const char *path, const char *wanted)
{
	int err;
	char *text = pool_file(in(j->dir, path), &err);

	if (!text) {
		if (err != -ENOENT && err != -ENOTDIR)
			refuse(j, "%s: %s", path, why(err));
		return NULL;
	}
	if (j->from || find_copy(&j->rec, path, shim_hash(text)) ||
	    (wanted && !strcmp(text, wanted)))
		return text;
	if (find_copy(&j->rec, path, 0))
		refuse(j, "%s: changed in the tree since it was put there", path);
	else
		refuse(j, "%s: the tree has a file of that name already", path);
	return NULL;
}

/* The directories above a path that the tree lacks; they are ours to remove again. */
static void need_dirs(struct job *j, struct record *r, const char *path)
{
	const char *slash = strchr(path, '/');
	int i;

	for (; slash; slash = strchr(slash + 1, '/')) {
		char *dir = pool_strndup(path, slash - path);
		bool ours = false;

		for (i = 0; i < r->ndirs; i++)
			if (!strcmp(r->dirs[i], dir))
				break;
		if (i < r->ndirs)
			continue;
		for (i = 0; i < j->rec.ndirs; i++)
			ours |= !strcmp(j->rec.dirs[i], dir);
		if (!ours && exists(in(j->dir, dir)))
			continue;
		r->dirs = pool_more(r->dirs, r->ndirs, sizeof(*r->dirs));
		r->dirs[r->ndirs++] = dir;
	}
}

/* Give what was made by root to the owner of what it replaces or of the tree. */
static void set_owner(const char *path, const struct stat *st)
{
	if (!geteuid() && lchown(path, st->st_uid, st->st_gid))
		return;
}

static int make_dir(struct job *j, const char *path)
{
	char *full = in(j->dir, path);
	struct stat st;

	if (mkdir(full, 0777))
		return errno == EEXIST ? 0 : -errno;
	if (!stat(j->dir, &st))
		set_owner(full, &st);
	return 1;
}

static char *stage_path(struct job *j, int i)
{
	return pool_printf("%s/" STATE "/new.%d", j->dir, i);
}

/* Remove DIR/.numa_policy as far as it holds what we know. */
static void clear_state(struct job *j, bool records)
{
	struct dirent *de;
	DIR *d = opendir(in(j->dir, STATE));

	while (d && (de = readdir(d))) {
		if (!strncmp(de->d_name, "new.", 4) ||
		    (records && !strncmp(de->d_name, "record", 6)))
			unlink(pool_printf("%s/" STATE "/%s", j->dir, de->d_name));
	}
	if (d)
		closedir(d);
	rmdir(in(j->dir, STATE));
}

/* Write all new files into the state directory; 0 or a negative errno, the file in *@path. */
static int stage(struct job *j, const struct record *r, const char **path)
{
	struct np_buf b = {};
	struct stat st;
	int i, err = 0;

	for (i = 0; i < j->nchanges && !err; i++) {
		struct change *c = &j->changes[i];
		char *full = in(j->dir, c->path), *tmp = stage_path(j, i);
		char *slash;

		*path = c->path;
		slash = strrchr(full, '/');
		*slash = '\0';
		if (access(full, W_OK | X_OK))
			err = -errno;
		*slash = '/';
		if (err || !c->text)
			continue;
		err = np_write_file(tmp, c->text, strlen(c->text));
		if (err)
			break;
		if (!lstat(full, &st)) {
			set_owner(tmp, &st);
			err = chmod(tmp, st.st_mode & 07777) ? -errno : 0;
		} else if (!stat(j->dir, &st)) {
			set_owner(tmp, &st);
		}
	}
	if (err || !r)
		return err;
	*path = STATE "/record";
	record_put(&b, r);
	pool_keep(b.s);
	err = np_write_file(in(j->dir, STATE "/record.new"), b.s, b.len);
	if (!stat(j->dir, &st))
		set_owner(in(j->dir, STATE "/record.new"), &st);
	return err;
}

/* Bring the files to their places; 0 or a negative errno, the file in *@path. */
static int commit(struct job *j, const char **path)
{
	int i;

	for (i = 0; i < j->nchanges; i++) {
		struct change *c = &j->changes[i];
		char *full = in(j->dir, c->path);

		*path = c->path;
		if (c->text ? rename(stage_path(j, i), full) : unlink(full))
			return -errno;
		c->done = true;
	}
	return 0;
}

static void roll_back(struct job *j)
{
	int i;

	for (i = j->nchanges - 1; i >= 0; i--) {
		struct change *c = &j->changes[i];
		char *full = in(j->dir, c->path);
		int err = 0;

		if (!c->done)
			continue;
		if (!c->old)
			err = unlink(full) ? -errno : 0;
		else
			err = np_write_file(full, c->old, strlen(c->old));
		if (err)
			np_error("%s: could not be restored: %s", full, why(err));
	}
}

/* After an interruption there are two records, or only the new one: make them the old one. */
static int settle_record(struct job *j)
{
	char *path = in(j->dir, STATE "/record"), *next = in(j->dir, STATE "/record.new");
	struct np_buf b = {};
	int err;

	if (!exists(next))
		return 0;
	record_put(&b, &j->rec);
	err = np_write_file(path, b.s, b.len);
	np_buf_free(&b);
	return err ? err : unlink(next) ? -errno : 0;
}

/*
 * Carry out the changes. @r is the record of the new state, or NULL where none is kept.
 * Either all of it is done, or nothing.
 */
static int carry_out(struct job *j, const struct record *r)
{
	bool *made = pool_alloc((r ? r->ndirs : 0) + 1), keep = r && !j->from;
	const char *path = STATE;
	sigset_t all, old;
	int i, err, state;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &old);
	state = make_dir(j, STATE);
	err = state < 0 ? state : 0;
	if (!err && keep)
		err = settle_record(j);
	for (i = 0; r && i < r->ndirs && !err; i++) {
		int ret = make_dir(j, r->dirs[i]);

		path = r->dirs[i];
		made[i] = ret > 0;
		err = ret < 0 ? ret : 0;
	}
	if (!err)
		err = stage(j, keep ? r : NULL, &path);
	if (!err)
		err = commit(j, &path);
	if (!err && keep) {
		path = STATE "/record";
		err = rename(in(j->dir, STATE "/record.new"), in(j->dir, path)) ? -errno : 0;
	}
	if (err) {
		roll_back(j);
		for (i = r ? r->ndirs - 1 : -1; i >= 0; i--)
			if (made[i])
				rmdir(in(j->dir, r->dirs[i]));
		if (keep)
			unlink(in(j->dir, STATE "/record.new"));
		refuse(j, "%s/%s: %s", j->dir, path, why(err));
	}
	clear_state(j, !err && !keep);
	sigprocmask(SIG_SETMASK, &old, NULL);
	return err;
}

/* An edited file while it is worked out: as it is, and without the library. */
struct work {
	char *cur;
	char *orig;
	const struct record_file *by;
	struct shim_edits edits;
};

static void find_places(struct job *j, struct shim_desc *d, const struct shim_file *f,
			struct work *w)
{
	w->cur = read_edited(j, j->from ? j->from : j->dir, f->path, !j->from);
	w->orig = w->cur;
	if (w->cur && is_recorded(j, f->path))
		w->orig = reverse(j, f->path, w->cur, &w->by);
	if (w->orig)
		j->refused += shim_match(d, f, w->orig, &w->edits);
}

static bool same_hunks(const struct record_file *a, const struct record_file *b)
{
	int i;

	for (i = 0; i < a->nhunks && i < b->nhunks; i++)
		if (strcmp(a->hunks[i].before, b->hunks[i].before) ||
		    strcmp(a->hunks[i].after, b->hunks[i].after))
			return false;
	return a->nhunks == b->nhunks;
}

static void edit_file(struct job *j, struct shim_desc *d, const char *path, struct record *r,
		      struct work *w)
{
	struct record_file *f;
	char *text;
	int err;

	r->files = pool_more(r->files, r->nfiles, sizeof(*r->files));
	f = &r->files[r->nfiles++];
	f->path = path;
	text = shim_build(d, w->orig, &w->edits, &f->hunks, &f->nhunks);
	f->orig = shim_hash(w->orig);
	f->now = shim_hash(text);
	if (w->by && same_hunks(w->by, f)) {
		/* Nothing new; the user's own lines may have come between. */
		*f = *w->by;
		return;
	}
	if (j->from) {
		need_dirs(j, r, path);
		w->cur = pool_file(in(j->dir, path), &err);
		if (err && err != -ENOENT)
			refuse(j, "%s/%s: %s", j->dir, path, why(err));
	}
	add_change(j, path, w->cur, text);
}

static void plan_edits(struct job *j, struct shim_desc *d, struct record *r)
{
	struct work *w = pool_alloc(sizeof(*w) * (d->nfiles + 1));
	int i, k;

	for (i = 0; i < d->nfiles; i++)
		find_places(j, d, &d->files[i], &w[i]);
	if (j->refused)
		return;
	/* All variables are set now. */
	for (i = 0; i < d->nfiles; i++)
		if (w[i].edits.n)
			edit_file(j, d, d->files[i].path, r, &w[i]);
	/* Files that an earlier description edited and this one does not. */
	for (i = 0; i < j->rec.nfiles; i++) {
		const char *path = j->rec.files[i].path;

		for (k = 0; k < r->nfiles && strcmp(r->files[k].path, path); k++)
			;
		if (k < r->nfiles)
			continue;
		w->cur = read_edited(j, j->dir, path, true);
		w->orig = w->cur ? reverse(j, path, w->cur, &w->by) : NULL;
		if (w->orig)
			add_change(j, path, w->cur, w->orig);
	}
}

static void plan_copies(struct job *j, const struct shim_desc *d, struct record *r)
{
	const char *tree = j->from ? j->from : j->dir;
	int i;

	for (i = 0; i < d->ncopies; i++) {
		const char *link = link_in(j->dir, d->copies[i]);

		if (link)
			refuse(j, "%s: a symbolic link; the library needs a tree of its own", link);
		if (!is_ours(&j->rec, d->copies[i]) && is_taken(tree, d->copies[i]))
			refuse(j, "%s: the tree has this already, and not from this library",
			       d->copies[i]);
		list_copies(j->lib, d->copies[i], r);
	}
	if (j->refused)
		return;
	for (i = 0; i < r->ncopies; i++) {
		const struct record_copy *c = &r->copies[i];

		need_dirs(j, r, c->path);
		add_change(j, c->path, read_copied(j, c->path, c->text), c->text);
	}
	for (i = 0; i < j->rec.ncopies; i++) {
		const char *path = j->rec.copies[i].path, *cur;

		if (find_copy(r, path, 0) || &j->rec.copies[i] != find_copy(&j->rec, path, 0))
			continue;
		cur = read_copied(j, path, NULL);
		if (cur)
			add_change(j, path, cur, NULL);
	}
}

static void usage_apply(void)
{
	puts("usage: numa-policy apply [--lib DIR] [--from KSRC] DIR\n"
	     "       numa-policy apply [--lib DIR] --list-files\n"
	     "\n"
	     "Put the scan-policy library into the kernel tree DIR (v6.8 to v7.1). A tree that does\n"
	     "not fit is refused, with the file and the place, and nothing is changed. What was done\n"
	     "is kept in DIR/.numa_policy; \"numa-policy unapply DIR\" takes it back. On a tree that\n"
	     "has the library only what differs is brought up to date.\n"
	     "\n"
	     "  --from KSRC   DIR is a copy of the tree KSRC, without the files that are edited or\n"
	     "                copied: write these from KSRC's, and only those that differ\n"
	     "  --lib DIR     take the library from DIR (default: the directory above the one that\n"
	     "                holds this program)\n"
	     "  --list-files  print the paths that are edited or copied, one on a line\n"
	     "  --help        this text");
}

static void usage_unapply(void)
{
	puts("usage: numa-policy unapply DIR\n"
	     "\n"
	     "Take the scan-policy library out of the kernel tree DIR, which is then as it was before\n"
	     "\"numa-policy apply\", with your own edits elsewhere kept. Where lines that apply put in\n"
	     "were changed since, nothing is done.\n"
	     "\n"
	     "  --help  this text");
}

static void usage_fingerprint(void)
{
	puts("usage: numa-policy fingerprint [--lib DIR] DIR\n"
	     "\n"
	     "Print the statements of the functions, structs and enums of the kernel tree DIR that the\n"
	     "library relies on: for each its hash, the label that the description\n"
	     "(" HOOKS ") has for it or a question mark, its line and text.\n"
	     "\n"
	     "  --lib DIR  take the description from DIR (default: the directory above the one that\n"
	     "             holds this program)\n"
	     "  --help     this text");
}

enum {
	OPT_LIB = 1,
	OPT_FROM = 2,
	OPT_LIST = 4,
};

/* The command line; NP_OK, NP_USAGE, or -1 if all is done. */
static int parse_args(struct job *j, int argc, char **argv, int allowed, void (*usage)(void))
{
	static const struct option options[] = {
		{ "lib", required_argument, NULL, OPT_LIB },
		{ "from", required_argument, NULL, OPT_FROM },
		{ "list-files", no_argument, NULL, OPT_LIST },
		{ "help", no_argument, NULL, 'h' },
		{ }
	};
	int c, seen = 0, which = 0;

	memset(j, 0, sizeof(*j));
	j->lock = -1;
	optind = 0;
	opterr = 0;
	while ((c = getopt_long(argc, argv, "+:h", options, &which)) != -1) {
		if (c == 'h') {
			usage();
			return -1;
		}
		if (c == ':') {
			np_error("%s: %s needs an argument", argv[0], argv[optind - 1]);
			return NP_USAGE;
		}
		if (c == '?') {
			np_error("%s: unknown option %s; see numa-policy %s --help", argv[0],
				 argv[optind - 1], argv[0]);
			return NP_USAGE;
		}
		if (!(c & allowed)) {
			np_error("%s: does not take --%s; see numa-policy %s --help", argv[0],
				 options[which].name, argv[0]);
			return NP_USAGE;
		}
		seen |= c;
		if (c == OPT_LIB)
			j->lib = optarg;
		if (c == OPT_FROM)
			j->from = optarg;
	}
	if (!j->lib) {
		const char *self = np_self_dir(), *slash = strrchr(self, '/');

		j->lib = slash && slash > self ? pool_strndup(self, slash - self) :
			 slash ? "/" : "..";
	}
	if (seen & OPT_LIST) {
		if (optind != argc || j->from) {
			np_error("%s: --list-files goes alone", argv[0]);
			return NP_USAGE;
		}
		return NP_OK;
	}
	if (argc - optind != 1 || !*argv[optind]) {
		np_error("%s: one kernel tree is needed; see numa-policy %s --help", argv[0],
			 argv[0]);
		return NP_USAGE;
	}
	j->dir = argv[optind];
	return NP_OK;
}

static int finish(struct job *j, int status)
{
	if (j->lock >= 0)
		close(j->lock);
	pool_free();
	return status;
}

static void list_files(const struct shim_desc *d)
{
	int i, k;

	for (i = 0; i < d->nfiles; i++) {
		const struct shim_file *f = &d->files[i];
		bool edited = f->include || f->entry || f->append;

		for (k = 0; k < f->nscopes && !edited; k++)
			edited = shim_scope_edits(&f->scopes[k]);
		if (edited)
			puts(f->path);
	}
	for (i = 0; i < d->ncopies; i++)
		puts(d->copies[i]);
}

/* What --from must hold; the end of the program otherwise. */
static void check_from(struct job *j)
{
	struct stat a, b;

	check_tree(j->from, true);
	if (!stat(j->from, &a) && !stat(j->dir, &b) && a.st_dev == b.st_dev &&
	    a.st_ino == b.st_ino)
		np_die(NP_FAIL, "--from %s: the same tree as %s", j->from, j->dir);
	if (exists(in(j->from, STATE)))
		np_die(NP_FAIL, "%s has the library applied already: build from it directly",
		       j->from);
	if (exists(in(j->dir, STATE "/record")))
		np_die(NP_FAIL, "%s has the library applied by itself: take it out first", j->dir);
}

/**
 * cmd_apply() - numa-policy apply
 * @argc: number of arguments
 * @argv: the arguments, the command's name first
 *
 * Return: the exit status.
 */
int cmd_apply(int argc, char **argv)
{
	struct record new = {};
	struct shim_desc d;
	bool applied = false;
	char *version;
	struct job j;
	int i, edited = 0, ret;

	ret = parse_args(&j, argc, argv, OPT_LIB | OPT_FROM | OPT_LIST, usage_apply);
	if (ret)
		return finish(&j, ret < 0 ? NP_OK : ret);
	shim_parse(&d, in(j.lib, HOOKS));
	if (!j.dir) {
		list_files(&d);
		return finish(&j, NP_OK);
	}
	version = check_tree(j.dir, !j.from);
	if (j.from)
		check_from(&j);
	lock(&j);
	if (!j.from)
		applied = load_record(&j);
	plan_edits(&j, &d, &new);
	plan_copies(&j, &d, &new);
	if (!j.refused && j.nchanges)
		carry_out(&j, &new);
	if (j.refused) {
		np_error("%s: refused, nothing was changed", j.dir);
		return finish(&j, NP_FAIL);
	}
	if (!j.nchanges) {
		printf("%s (Linux %s) has the library as it is; nothing to do\n", j.dir, version);
		return finish(&j, NP_OK);
	}
	for (i = 0; i < j.nchanges; i++)
		edited += !find_copy(&new, j.changes[i].path, 0) &&
			  !find_copy(&j.rec, j.changes[i].path, 0);
	printf("%s (Linux %s): %s the library, %d files edited, %d copied or removed\n", j.dir,
	       version, applied ? "updated" : "put in", edited, j.nchanges - edited);
	return finish(&j, NP_OK);
}

/**
 * cmd_unapply() - numa-policy unapply
 * @argc: number of arguments
 * @argv: the arguments, the command's name first
 *
 * Return: the exit status.
 */
int cmd_unapply(int argc, char **argv)
{
	struct job j;
	int i, k, ret;

	ret = parse_args(&j, argc, argv, 0, usage_unapply);
	if (ret)
		return finish(&j, ret < 0 ? NP_OK : ret);
	check_tree(j.dir, true);
	lock(&j);
	if (!load_record(&j)) {
		clear_state(&j, false);
		printf("%s does not have the library; nothing to take out\n", j.dir);
		return finish(&j, NP_OK);
	}
	for (i = 0; i < j.rec.nfiles; i++) {
		const char *path = j.rec.files[i].path;
		const struct record_file *by;
		char *cur, *was;

		for (k = 0; k < i && strcmp(j.rec.files[k].path, path); k++)
			;
		if (k < i)
			continue;
		cur = read_edited(&j, j.dir, path, true);
		was = cur ? reverse(&j, path, cur, &by) : NULL;
		if (was)
			add_change(&j, path, cur, was);
	}
	for (i = 0; i < j.rec.ncopies; i++) {
		const char *path = j.rec.copies[i].path, *cur;

		if (&j.rec.copies[i] != find_copy(&j.rec, path, 0))
			continue;
		cur = read_copied(&j, path, NULL);
		if (cur)
			add_change(&j, path, cur, NULL);
	}
	if (!j.refused)
		carry_out(&j, NULL);
	if (j.refused) {
		np_error("%s: refused, nothing was changed", j.dir);
		return finish(&j, NP_FAIL);
	}
	for (i = j.rec.ndirs - 1; i >= 0; i--)
		if (rmdir(in(j.dir, j.rec.dirs[i])) && errno == ENOTEMPTY)
			printf("%s: left, as it holds other files\n", j.rec.dirs[i]);
	printf("%s: took the library out\n", j.dir);
	return finish(&j, NP_OK);
}

/**
 * cmd_fingerprint() - numa-policy fingerprint
 * @argc: number of arguments
 * @argv: the arguments, the command's name first
 *
 * Return: the exit status.
 */
int cmd_fingerprint(int argc, char **argv)
{
	struct shim_desc d;
	struct job j;
	int i, ret;

	ret = parse_args(&j, argc, argv, OPT_LIB, usage_fingerprint);
	if (ret)
		return finish(&j, ret < 0 ? NP_OK : ret);
	shim_parse(&d, in(j.lib, HOOKS));
	check_tree(j.dir, true);
	for (i = 0; i < d.nfiles; i++) {
		char *text;

		if (!d.files[i].nscopes)
			continue;
		text = read_edited(&j, j.dir, d.files[i].path, false);
		if (text)
			shim_fingerprint(&d.files[i], text);
	}
	return finish(&j, j.refused ? NP_FAIL : NP_OK);
}
