// SPDX-License-Identifier: GPL-2.0
/*
 * altered TOOL LIBRARY PRISTINE WORKDIR: "numa-policy apply" on kernel trees that were altered near
 * the places that it edits or relies on, each in one way.
 *
 * The alterations are made from the description of the places and from what "fingerprint" says of
 * PRISTINE, by a scanner of their own: each token of each statement changed, each statement left
 * out, said twice, moved, put under a condition, another put in between, each name renamed
 * throughout its file, and so on. Each tree must be refused, with file and scope named and nothing
 * changed; of the many with one token or statement changed, that is asked of the matcher only. What
 * must not matter (comments, white space, other statements beside the places) must make the same
 * code, or be applied and taken out again without a trace.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../shim_match.h"

#define MAX 4096
#define HOOKS "tools/numa_policy/shim/hooks"

/* A file of the pristine tree. */
struct file {
	char *path;
	char *text;
	size_t len;
};

/* A statement that "fingerprint" printed, with where it stands. */
struct stmt {
	struct file *file;
	int scope;
	char hash[9];
	size_t from, to;
	bool in_row;
};

/* A scope: statements @first to @first + @n - 1. */
struct scope {
	struct file *file;
	char *name;
	int first, n;
	bool stub;
};

/* A place of the description, found in a scope. */
struct row {
	int scope;
	char *label;
	int first, n;
	bool whole;
};

static struct file files[64];
static struct stmt stmts[MAX];
static struct scope scopes[64];
static struct row rows[64];
static char *gone[64][2];
static char *variants[64];
static int nfiles, nstmts, nscopes, nrows, ngone, nvariants;

static const char *tool, *lib, *pristine;
static char *tree;
static int passed, failed, tried, wrong;

static void die(const char *what, const char *why)
{
	fprintf(stderr, "altered: %s: %s\n", what, why);
	exit(1);
}

static char *format(const char *fmt, ...) __printf(1, 2);

static char *format(const char *fmt, ...)
{
	va_list ap;
	char *s;

	va_start(ap, fmt);
	if (vasprintf(&s, fmt, ap) < 0)
		die("memory", "none left");
	va_end(ap);
	return s;
}

static char *slurp(const char *path, size_t *len)
{
	struct np_buf b = {};
	int err = np_read_file(path, &b);

	if (err)
		die(path, strerror(-err));
	if (len)
		*len = b.len;
	return b.s ?: np_strdup("");
}

static void write_file(const struct file *f, const char *text)
{
	char *path = format("%s/%s", tree, f->path);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	size_t len = strlen(text);

	if (fd < 0 || write(fd, text, len) != (ssize_t)len || close(fd))
		die(path, strerror(errno));
	free(path);
}

/* Run the tool; its exit status, and all that it printed. */
static int run(const char *command, const char *dir, char **said)
{
	static char buf[1 << 18];
	size_t len = 0;
	int fd[2], status;
	ssize_t got;
	pid_t pid;

	if (pipe(fd))
		die("pipe", strerror(errno));
	fflush(stdout);
	pid = fork();
	if (pid < 0)
		die("fork", strerror(errno));
	if (!pid) {
		dup2(fd[1], 1);
		dup2(fd[1], 2);
		close(fd[0]);
		close(fd[1]);
		if (!strcmp(command, "unapply"))
			execl(tool, tool, command, dir, NULL);
		else
			execl(tool, tool, command, "--lib", lib, dir, NULL);
		_exit(127);
	}
	close(fd[1]);
	while ((got = read(fd[0], buf + len, sizeof(buf) - 1 - len)) > 0)
		len += got;
	close(fd[0]);
	buf[len] = '\0';
	*said = buf;
	if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return -1;
	return WEXITSTATUS(status);
}

/* ---- what the tree and the description have ---- */

static struct file *file_of(const char *path)
{
	int i;

	for (i = 0; i < nfiles; i++)
		if (!strcmp(files[i].path, path))
			return &files[i];
	die(path, "not a file of the pristine tree");
	return NULL;
}

static int entries;

static int count_entry(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	entries++;
	return 0;
}

static int take_file(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	struct file *f = &files[nfiles];

	entries++;
	if (flag != FTW_F)
		return 0;
	f->path = np_strdup(path + strlen(pristine) + 1);
	f->text = slurp(path, &f->len);
	nfiles++;
	return 0;
}

/* Past white space and comments. */
static size_t skip_space(const char *s, size_t i)
{
	for (;;) {
		if (isspace((unsigned char)s[i]) || (s[i] == '\\' && s[i + 1] == '\n'))
			i++;
		else if (s[i] == '/' && s[i + 1] == '*')
			i = strstr(s + i, "*/") + 2 - s;
		else if (s[i] == '/' && s[i + 1] == '/')
			i += strcspn(s + i, "\n");
		else
			return i;
	}
}

/* Whether the statement of which fingerprint printed @shown stands at @at. */
static bool stands(struct stmt *st, const char *shown, size_t at)
{
	const char *s = st->file->text;
	size_t k = 0;

	st->from = skip_space(s, at);
	for (at = st->from; shown[k]; at++, k++) {
		k += strspn(shown + k, " ");
		/* Where it was cut, it goes on to its end. */
		if (!strcmp(shown + k, "...") && s[skip_space(s, at)] != '.') {
			at += strcspn(s + at, ";{") + 1;
			break;
		}
		at = skip_space(s, at);
		if (s[at] != shown[k])
			return false;
	}
	st->to = at;
	return true;
}

static void read_fingerprint(void)
{
	char *said, *line, *next, *text;
	struct file *f = NULL;

	if (run("fingerprint", pristine, &said))
		die("fingerprint", said);
	text = np_strdup(said);
	for (line = text; line && *line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		if (!strncmp(line, "file ", 5)) {
			f = file_of(line + 5);
		} else if (!strncmp(line, "  # ", 4)) {
			struct scope *sc = &scopes[nscopes++];

			sc->file = f;
			sc->stub = strstr(line, ", a stub");
			sc->name = np_strndup(line + 4, strcspn(line + 4, ","));
			sc->first = nstmts;
		} else {
			struct stmt *st = &stmts[nstmts++];
			struct scope *sc = &scopes[nscopes - 1];
			char *hash = strstr(line, " # "), *shown;
			size_t at = 0;
			long n;

			st->file = f;
			st->scope = nscopes - 1;
			memcpy(st->hash, line + 4, 8);
			n = strtol(hash + 3, &shown, 10);
			if (sc->n)
				at = st[-1].to;
			else
				while (--n)
					at = strchr(f->text + at, '\n') + 1 - f->text;
			/* The comma between entries is no part of them. */
			at = skip_space(f->text, at);
			if (f->text[at] == ',' && shown[2] != ',')
				at++;
			/* A table's begins in the middle of a line. */
			while (!stands(st, shown + 2, at))
				if (sc->n || f->text[at++] == '\n')
					die(f->path, shown);
			sc->n++;
		}
	}
	free(text);
}

/* A variant's hashes, found in its scope: a row. */
static bool add_row(int scope, const char *label, bool whole, char hashes[][9], int n)
{
	const struct scope *sc = &scopes[scope];
	int i, k;

	for (i = 0; i + n <= sc->n; i++) {
		for (k = 0; k < n && !strcmp(stmts[sc->first + i + k].hash, hashes[k]); k++)
			;
		if (k < n)
			continue;
		rows[nrows++] = (struct row){ scope, np_strdup(label), sc->first + i, n, whole };
		for (k = 0; k < n; k++)
			stmts[sc->first + i + k].in_row = true;
		return true;
	}
	return false;
}

static void read_hooks(void)
{
	char *text = slurp(format("%s/%s", lib, HOOKS), NULL), *line, *next;
	char path[256] = "", label[256] = "", a[256], b[256], hashes[64][9];
	bool whole = false, open = false, found = false;
	int n = 0, scope = -1;

	for (line = text; line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		line += strspn(line, "\t ");
		if (*line == '|' || *line == '#')
			continue;
		if (!strncmp(line, "keep ", 5) || !strncmp(line, "drop ", 5)) {
			memcpy(hashes[n], line + 5, 8);
			hashes[n++][8] = '\0';
			continue;
		}
		/* Anything else ends a row, but what a variant sets. */
		if (!*line || !strncmp(line, "set ", 4) || !strncmp(line, "depth ", 6)) {
			if (next)
				continue;
		}
		if (n) {
			struct np_buf b = {};
			int i;

			for (i = 0; i < n; i++)
				np_buf_puts(&b, hashes[i]);
			variants[nvariants++] = b.s;
			found = found || add_row(scope, label, whole, hashes, n);
		}
		n = 0;
		if (!strncmp(line, "variant ", 8))
			continue;
		if (open && !found)
			die(label, "no variant of this place is in the pristine tree");
		open = false;
		if (sscanf(line, "file %255s", a) == 1) {
			snprintf(path, sizeof(path), "%s", a);
		} else if (sscanf(line, "gone %255s", a) == 1) {
			gone[ngone][0] = np_strdup(path);
			gone[ngone++][1] = np_strdup(a);
		} else if (sscanf(line, "scope %255s %255s", a, b) == 2) {
			for (scope = nscopes - 1; scope >= 0; scope--)
				if (!scopes[scope].stub && strstr(scopes[scope].name, b))
					break;
			if (scope < 0)
				die(b, "not in the fingerprint");
		} else if (!strncmp(line, "place ", 6) || !strncmp(line, "whole ", 6)) {
			whole = *line == 'w';
			snprintf(label, sizeof(label), "%s", line + 6);
			open = true;
			found = false;
		}
	}
	free(text);
}

/* ---- trying a tree ---- */

static bool unchanged(const struct file *f, const char *text)
{
	int i;

	for (i = 0; i < nfiles; i++) {
		char *path = format("%s/%s", tree, files[i].path);
		char *is = slurp(path, NULL);
		bool same = !strcmp(is, &files[i] == f ? text : files[i].text);

		free(is);
		free(path);
		if (!same)
			return false;
	}
	i = entries;
	entries = 0;
	nftw(tree, count_entry, 16, FTW_PHYS);
	if (i != entries) {
		entries = i;
		return false;
	}
	return true;
}

static void complain(const char *what, const char *why, const char *said)
{
	if (wrong++ < 10)
		printf("# %s: %s\n#   %.*s\n", what, why, (int)strcspn(said, "\n"), said);
}

/* Code without comments and white space. */
static char *bare(const char *s)
{
	char *out = np_alloc(strlen(s) + 1), *p = out;
	size_t i = 0;

	while (s[i = skip_space(s, i)])
		*p++ = s[i++];
	return out;
}

/* What the matcher makes of a file's text: the new code, or NULL with what it said. */
static char *matched(const struct file *f, const char *text, char **said)
{
	struct shim_edits edits = {};
	struct shim_hunk *hunks;
	FILE *real = stderr;
	struct shim_desc d;
	char *code = NULL;
	int i, n;
	size_t len;

	*said = NULL;
	stderr = open_memstream(said, &len);
	shim_parse(&d, format("%s/%s", lib, HOOKS));
	for (i = 0; i < d.nfiles; i++)
		if (!strcmp(d.files[i].path, f->path) && !shim_match(&d, &d.files[i], text, &edits))
			code = bare(shim_build(&d, text, &edits, &hunks, &n));
	fclose(stderr);
	stderr = real;
	pool_free();
	return code;
}

/* The matcher must refuse @text for a file, naming that file, and @name. */
static void mismatched(const char *what, const struct file *f, char *text, const char *name)
{
	char *said, *code = matched(f, text, &said);

	tried++;
	if (code)
		complain(what, "fits", "");
	else if (!strstr(said, f->path) || !strstr(said, name) || !strstr(said, "expected "))
		complain(what, "not named", said);
	free(code);
	free(said);
	free(text);
}

/* It must make the same code of @text as of the file itself. */
static void alike(const char *what, const struct file *f, char *text)
{
	char *said[2], *code[2] = { matched(f, f->text, &said[0]), matched(f, text, &said[1]) };
	int i;

	tried++;
	if (!code[0] || !code[1])
		complain(what, "does not fit", said[1]);
	else if (strcmp(code[0], code[1]))
		complain(what, "makes other code", "");
	for (i = 0; i < 2; i++) {
		free(code[i]);
		free(said[i]);
	}
	free(text);
}

/* The tree with @text for a file must be refused: with that file named, and @name. */
static void refused(const char *what, const struct file *f, char *text, const char *name)
{
	char *said;
	int status;

	tried++;
	write_file(f, text);
	status = run("apply", tree, &said);
	if (!status) {
		complain(what, "applied", "");
		run("unapply", tree, &said);
	} else if (status != 1) {
		complain(what, "not refused in the usual way", said);
	} else if (!strstr(said, f->path) || !strstr(said, name) || !strstr(said, "expected ")) {
		complain(what, "not named", said);
	} else if (!strstr(said, "nothing was changed") || !unchanged(f, text)) {
		complain(what, "something was changed", said);
	}
	write_file(f, f->text);
	free(text);
}

/* It must be applied, and taken out without a trace. */
static void applied(const char *what, const struct file *f, char *text)
{
	char *said;

	tried++;
	write_file(f, text);
	if (run("apply", tree, &said))
		complain(what, "refused", said);
	else if (run("unapply", tree, &said) || !unchanged(f, text))
		complain(what, "not taken out", said);
	write_file(f, f->text);
	free(text);
}

/* A group of alterations is done. */
static void report(const char *what, const char *scope)
{
	if (wrong || !tried) {
		failed++;
		printf("not ok %d - %s: %s: %d of %d\n", passed + failed, scope, what, wrong, tried);
	} else {
		passed++;
		printf("ok %d - %s: %s (%d trees)\n", passed + failed, scope, what, tried);
	}
	wrong = 0;
	tried = 0;
}

/* A copy of the file with s[from..to] replaced. */
static char *with(const struct file *f, size_t from, size_t to, const char *put)
{
	return format("%.*s%s%s", (int)from, f->text, put, f->text + to);
}

/* ---- alterations ---- */

static size_t token_end(const char *s, size_t i)
{
	static const char twice[] = "<>=&|+-";

	if (isalnum((unsigned char)s[i]) || s[i] == '_') {
		while (isalnum((unsigned char)s[i]) || s[i] == '_')
			i++;
		return i;
	}
	if (s[i] == '"')
		return strchr(s + i + 1, '"') + 1 - s;
	if (s[i] == '-' && s[i + 1] == '>')
		return i + 2;
	if (strchr(twice, s[i]) && (s[i + 1] == s[i] || s[i + 1] == '='))
		return i + 2;
	return s[i] == '!' && s[i + 1] == '=' ? i + 2 : i + 1;
}

/* Another token for this one. */
static char *other(const char *s, size_t from, size_t to)
{
	static const char * const swaps[][2] = {
		{ "==", "!=" }, { "!=", "==" }, { "<", "<=" }, { ">", ">=" }, { "<=", "<" },
		{ ">=", ">" }, { "&&", "||" }, { "||", "&&" }, { "|", "&" }, { "&", "&&" },
		{ "+", "-" }, { "-", "+" }, { "=", "|=" }, { "->", "." }, { "*", "&" },
		{ "!", "" }, { ";", "" }, { ",", ";" }, { "(", "((" }, { ")", "" },
		{ "{", "" }, { "}", "" }, { "[", "(" }, { "]", ")" },
	};
	size_t k, len = to - from;

	if (isdigit((unsigned char)s[from]))
		return format("%.*s1", (int)len, s + from);
	if (isalpha((unsigned char)s[from]) || s[from] == '_')
		return format("np_%.*s", (int)len, s + from);
	if (s[from] == '"')
		return format("%.*s.\"", (int)len - 1, s + from);
	for (k = 0; k < ARRAY_SIZE(swaps); k++)
		if (strlen(swaps[k][0]) == len && !strncmp(swaps[k][0], s + from, len))
			return np_strdup(swaps[k][1]);
	die("no other token for", s + from);
	return NULL;
}

/* Something harmless by itself, where statements like those of the scope stand. */
static const char *mine(const struct scope *sc)
{
	if (!strncmp(sc->name, "struct ", 7))
		return "int np_mine;\n";
	if (strstr(sc->name, "[]"))
		return "NP_MINE(),\n";
	return strncmp(sc->name, "enum ", 5) ? "np_mine();\n" : "NP_MINE,\n";
}

/* Where a statement really ends: entries have their comma behind them. */
static size_t behind(const struct stmt *st)
{
	const char *s = st->file->text;
	size_t at = skip_space(s, st->to);

	return s[at] == ',' ? at + 1 : st->to;
}

static void each_token(const struct row *r)
{
	int i;

	for (i = r->first; i < r->first + r->n; i++) {
		const struct stmt *st = &stmts[i];
		const char *s = st->file->text;
		size_t at, end;

		for (at = st->from; at < st->to; at = skip_space(s, end)) {
			char *put;

			end = token_end(s, at);
			put = other(s, at, end);
			mismatched(format("token `%.*s` of `%.*s`", (int)(end - at), s + at,
					  (int)(st->to - st->from), s + st->from),
				   st->file, with(st->file, at, end, put), scopes[r->scope].name);
			free(put);
		}
	}
	report(format("'%s', each token changed", r->label), scopes[r->scope].name);
}

/* Whether a row without one of its statements is another form that the description knows. */
static bool is_variant(const struct row *r, int without)
{
	struct np_buf b = {};
	bool known = false;
	int i;

	for (i = r->first; i < r->first + r->n; i++)
		if (i != without)
			np_buf_puts(&b, stmts[i].hash);
	for (i = 0; i < nvariants; i++)
		known |= b.s && !strcmp(variants[i], b.s);
	np_buf_free(&b);
	return known;
}

static void each_statement(const struct row *r)
{
	const struct scope *sc = &scopes[r->scope];
	struct file *f = sc->file;
	const char *s = f->text;
	int i;

	for (i = r->first; i < r->first + r->n; i++) {
		const struct stmt *st = &stmts[i], *next = st + 1;
		int len = st->to - st->from;
		bool inside = i > r->first && i < r->first + r->n - 1;
		bool last = i == r->first + r->n - 1;
		char *t;

		t = format("`%.*s`", len, s + st->from);
		if (!is_variant(r, i))
			mismatched(format("%s left out", t), f, with(f, st->from, st->to, ""), sc->name);
		/* At a place's rim that is a statement beside it; one more } is no C. */
		if ((inside || r->n == 1) && s[st->from] != '}')
			mismatched(format("%s twice", t), f,
				   with(f, behind(st), behind(st),
					format("%.*s", (int)(behind(st) - st->from), s + st->from)), sc->name);
		mismatched(format("%s under #ifdef", t), f,
			   with(f, st->from, behind(st),
				format("\n#ifdef NP_MINE\n%.*s\n#endif\n", (int)(behind(st) - st->from),
				       s + st->from)), sc->name);
		if (last)
			continue;
		mismatched(format("another behind %s", t), f, with(f, behind(st), behind(st), mine(sc)),
			   sc->name);
		mismatched(format("a directive behind %s", t), f,
			   with(f, behind(st), behind(st), "\n#include \"np_mine.h\"\n"), sc->name);
		if (strcmp(st->hash, next->hash))
			mismatched(format("%s behind the next", t), f,
				   with(f, st->from, next->to,
					format("%.*s\n%.*s", (int)(next->to - next->from), s + next->from,
					       len, s + st->from)), sc->name);
	}
	report(format("'%s', each statement left out, twice, moved, conditional", r->label), sc->name);
}

/* The place as a whole: under conditions, left out, twice, at the scope's end. */
static void each_place(const struct row *r)
{
	static const char * const conditions[] = {
		"#if 0", "#ifdef CONFIG_MINE", "#ifndef CONFIG_MINE",
	};
	const struct scope *sc = &scopes[r->scope];
	struct file *f = sc->file;
	size_t from = stmts[r->first].from, to = behind(&stmts[r->first + r->n - 1]);
	char *text = np_strndup(f->text + from, to - from);
	size_t i;

	for (i = 0; !r->whole && i < ARRAY_SIZE(conditions); i++) {
		refused(conditions[i], f, with(f, from, to, format("\n%s\n%s\n#endif\n",
								   conditions[i], text)), sc->name);
		refused(format("%s, in the other branch", conditions[i]), f,
			with(f, from, to, format("\n%s\n%s#else\n%s\n#endif\n", conditions[i],
						 mine(sc), text)), sc->name);
	}
	refused("left out", f, with(f, from, to, ""), sc->name);
	refused("twice", f, with(f, to, to, format("\n%s\n", text)), sc->name);
	report(format("'%s', the place conditional, left out, twice", r->label), sc->name);
	free(text);
}

/* Rename an identifier wherever it stands in a file. */
static char *renamed(const struct file *f, const char *name, size_t len)
{
	struct np_buf b = {};
	const char *s = f->text;
	size_t i = 0;

	while (s[i]) {
		size_t end = i + 1;

		if (isalpha((unsigned char)s[i]) || s[i] == '_') {
			end = token_end(s, i);
			if (end - i == len && !strncmp(s + i, name, len))
				np_buf_puts(&b, "np_");
		} else if (isdigit((unsigned char)s[i])) {
			end = token_end(s, i);
		}
		np_buf_add(&b, s + i, end - i);
		i = end;
	}
	return b.s;
}

static void each_name(const struct scope *sc)
{
	const char *seen[256];
	size_t lens[256];
	int i, k, n = 0;

	for (i = sc->first; i < sc->first + sc->n; i++) {
		const struct stmt *st = &stmts[i];
		const char *s = st->file->text;
		size_t at, end;

		for (at = st->from; st->in_row && at < st->to; at = skip_space(s, end)) {
			end = token_end(s, at);
			if (!isalpha((unsigned char)s[at]) && s[at] != '_')
				continue;
			for (k = 0; k < n; k++)
				if (lens[k] == end - at && !strncmp(seen[k], s + at, end - at))
					break;
			if (k < n)
				continue;
			seen[n] = s + at;
			lens[n++] = end - at;
			mismatched(format("`%.*s` renamed", (int)(end - at), s + at), st->file,
				   renamed(st->file, s + at, end - at), sc->name);
		}
	}
	report("each name renamed throughout the file", sc->name);
}

/* The scope as a whole: renamed, defined twice, in two branches, emptied, gone. */
static void each_scope(const struct scope *sc)
{
	struct file *f = sc->file;
	const struct stmt *head = &stmts[sc->first], *end = &stmts[sc->first + sc->n - 1];
	const char *word = strchr(sc->name, ' ') ? strchr(sc->name, ' ') + 1 : sc->name;
	size_t len = strcspn(word, "(["), from = head->from, to = end->to;
	char *at, *text;

	/* A table's type and a function's line stand in front of its name. */
	while (from && f->text[from - 1] != '\n')
		from--;
	text = np_strndup(f->text + from, to - from);
	at = strstr(f->text + from, word = np_strndup(word, len));
	refused("renamed", f, with(f, at - f->text, at - f->text, "np_"), sc->name);
	refused("twice", f, with(f, to, to, format("\n\n%s\n", text)), sc->name);
	refused("twice, at the end of the file", f, with(f, f->len, f->len, text), sc->name);
	refused("in two branches", f,
		with(f, from, to, format("#ifdef CONFIG_MINE\n%s\n#else\n%s\n#endif\n", text, text)),
		sc->name);
	refused("left out", f, with(f, from, to, ""), sc->name);
	refused("left in a comment", f,
		with(f, from, to, format("\n#define NP_MINE \"%.*s\"\n", (int)len, word)), sc->name);
	at = strchr(f->text + from, '{');
	refused("emptied", f, with(f, at + 1 - f->text, strrchr(text, '}') - text + from, ""), sc->name);
	report("renamed, defined twice, left out, emptied", sc->name);
	free(text);
}

static void each_gone(void)
{
	static const char * const uses[] = {
		"\nint np_mine(struct vma_numab_state *s)\n{\n\treturn !!s->%s;\n}\n",
		"\n#define np_mine(s) ((s)->%s)\n",
	};
	size_t k;
	int i;

	for (i = 0; i < ngone; i++) {
		struct file *f = file_of(gone[i][0]);
		char *use;

		for (k = 0; k < ARRAY_SIZE(uses); k++) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
			use = format(uses[k], gone[i][1]);
#pragma GCC diagnostic pop
			refused(format("%s in %s", gone[i][1], f->path), f,
				with(f, f->len, f->len, use), format("`%s`", gone[i][1]));
			/* In front of all other code, in C and in directives. */
			refused(format("%s at the top of %s", gone[i][1], f->path), f,
				with(f, 0, 0, use), format("`%s`", gone[i][1]));
			free(use);
		}
	}
	report("used elsewhere in the file", "what the library replaces");
}

/* ---- what must not matter ---- */

static void each_layout(const struct row *r)
{
	const struct scope *sc = &scopes[r->scope];
	struct file *f = sc->file;
	const char *s = f->text;
	struct np_buf wide = {}, noted = {}, lines = {};
	size_t pos = 0;
	int i;

	for (i = r->first; i < r->first + r->n; i++) {
		const struct stmt *st = &stmts[i];
		size_t at, end;

		np_buf_add(&wide, s + pos, st->from - pos);
		np_buf_add(&noted, s + pos, st->from - pos);
		np_buf_add(&lines, s + pos, st->from - pos);
		np_buf_puts(&noted, "/* { mine; } */ ");
		for (at = st->from; at < st->to; at = skip_space(s, end)) {
			end = token_end(s, at);
			np_buf_printf(&wide, "%.*s \t ", (int)(end - at), s + at);
			np_buf_printf(&noted, "%.*s /* \" ' } */ ", (int)(end - at), s + at);
			np_buf_printf(&lines, "%.*s // {\n\n", (int)(end - at), s + at);
		}
		pos = st->to;
	}
	alike("white space", f, format("%s%s", wide.s, s + pos));
	alike("comments", f, format("%s%s", noted.s, s + pos));
	alike("line breaks", f, format("%s%s", lines.s, s + pos));
	np_buf_free(&wide);
	np_buf_free(&noted);
	np_buf_free(&lines);
	report(format("'%s', layout and comments do not matter", r->label), sc->name);
}

static void each_neighbour(const struct scope *sc)
{
	struct file *f = sc->file;
	struct np_buf b = {};
	size_t pos = 0;
	int i, n = 0;

	/* In front of everything that is not in a row behind something else in one. */
	for (i = sc->first + 1; i < sc->first + sc->n - 1; i++) {
		if (stmts[i].in_row && stmts[i - 1].in_row)
			continue;
		np_buf_add(&b, f->text + pos, stmts[i].from - pos);
		np_buf_puts(&b, mine(sc));
		pos = stmts[i].from;
		n++;
	}
	if (n)
		applied("statements beside the places", f, format("%s%s", b.s, f->text + pos));
	np_buf_free(&b);
	applied("code at the end", f, with(f, f->len, f->len, "\nstatic int np_mine;\n"));
	applied("a comment at the top", f, with(f, 0, 0, "/* mine { */\n\n\n"));
	report("other statements do not matter", sc->name);
}

/* ---- files that have no scopes ---- */

/* @was becomes @is at its first occurrence; the whole line goes if @is is NULL. */
static void edited(const char *path, const char *was, const char *is, const char *name)
{
	struct file *f = file_of(path);
	char *at = strstr(f->text, was);

	if (!at)
		die(path, was);
	refused(format("%s: `%.*s`", path, (int)strcspn(was + 1, "\n") + 1, was), f,
		with(f, at - f->text, at - f->text + strlen(was), is), name);
}

static void others(void)
{
	static const char entry[] = "config NUMA_BALANCING";
	int i;

	edited("init/Kconfig", "\nconfig NUMA_BALANCING\n", "\nconfig NUMA_BALANCE\n", entry);
	edited("init/Kconfig", "\nconfig NUMA_BALANCING\n", "\nmenuconfig NUMA_BALANCING\n", entry);
	edited("init/Kconfig", "\nconfig NUMA_BALANCING\n",
	       "\nconfig NUMA_BALANCING\n\tbool\n\nconfig NUMA_BALANCING\n", entry);
	report("the entry renamed, of another kind, twice", "init/Kconfig");
	edited("include/linux/mm_types.h", "#include <linux/",
	       "#include <linux/numa_policy_state.h>\n#include <linux/", "numa_policy_state.h");
	report("our own header included already", "include/linux/mm_types.h");
	for (i = 0; i < nfiles; i++) {
		struct file *f = &files[i];
		char *path, *said;

		if (!strstr(f->path, "Kconfig") && !strstr(f->path, "fs/proc/") &&
		    !strstr(f->path, "sched/Makefile") && !strstr(f->path, "kunit/Makefile") &&
		    !strstr(f->path, ".h") && !strstr(f->path, ".c"))
			continue;
		if (strstr(f->path, "trace/") || strstr(f->path, "scripts/"))
			continue;
		tried++;
		path = format("%s/%s", tree, f->path);
		unlink(path);
		if (run("apply", tree, &said) != 1 || !strstr(said, f->path))
			complain(f->path, "is gone, and not missed", said);
		write_file(f, f->text);
		free(path);
	}
	report("each of them gone", "all files");
}

int main(int argc, char **argv)
{
	int i;

	if (argc != 5) {
		fprintf(stderr, "usage: altered TOOL LIBRARY PRISTINE WORKDIR\n");
		return 2;
	}
	tool = argv[1];
	lib = argv[2];
	pristine = argv[3];
	tree = format("%s/tree", argv[4]);
	if (nftw(pristine, take_file, 16, FTW_PHYS))
		die(pristine, strerror(errno));
	read_fingerprint();
	read_hooks();
	if (system(format("rm -rf '%s' && mkdir -p '%s' && cp -r '%s' '%s'", argv[4], argv[4], pristine,
			  tree)))
		die(argv[4], "cannot be made");
	for (i = 0; i < nrows; i++) {
		each_token(&rows[i]);
		each_statement(&rows[i]);
		each_place(&rows[i]);
		each_layout(&rows[i]);
	}
	for (i = 0; i < nscopes; i++) {
		if (scopes[i].stub)
			continue;
		each_name(&scopes[i]);
		each_scope(&scopes[i]);
		each_neighbour(&scopes[i]);
	}
	each_gone();
	others();
	printf("%d passed, %d failed\n", passed, failed);
	return failed > 0;
}
