// SPDX-License-Identifier: GPL-2.0
/*
 * Helpers shared by the subcommands of numa-policy.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util.h"

static void say(const char *fmt, va_list ap)
{
	fflush(stdout);
	fputs("numa-policy: ", stderr);
	vfprintf(stderr, fmt, ap);
	fputc('\n', stderr);
}

/**
 * np_error() - print one line to standard error, behind the program's name
 * @fmt: printf format, without a newline at the end
 */
void np_error(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(fmt, ap);
	va_end(ap);
}

/**
 * np_die() - print like np_error() and exit
 * @status: NP_FAIL or NP_USAGE
 * @fmt: printf format
 */
void np_die(int status, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(fmt, ap);
	va_end(ap);
	exit(status);
}

/**
 * np_realloc() - realloc() that ends the program when memory is out
 * @p: as for realloc()
 * @size: bytes wanted
 *
 * Return: the memory, never NULL.
 */
void *np_realloc(void *p, size_t size)
{
	p = realloc(p, size ? size : 1);
	if (!p)
		np_die(NP_FAIL, "out of memory (%zu bytes wanted)", size);
	return p;
}

/**
 * np_alloc() - zeroed memory, or the end of the program
 * @size: bytes wanted
 *
 * Return: the memory, never NULL.
 */
void *np_alloc(size_t size)
{
	return memset(np_realloc(NULL, size), 0, size);
}

/**
 * np_strndup() - strndup() that ends the program when memory is out
 * @s: the string
 * @n: bytes of it to take at most
 *
 * Return: the copy, to be freed.
 */
char *np_strndup(const char *s, size_t n)
{
	size_t len = strnlen(s, n);
	char *copy = np_alloc(len + 1);

	memcpy(copy, s, len);
	return copy;
}

/**
 * np_strdup() - strdup() that ends the program when memory is out
 * @s: the string
 *
 * Return: the copy, to be freed.
 */
char *np_strdup(const char *s)
{
	return np_strndup(s, strlen(s));
}

/**
 * np_vasprintf() - a formatted string in new memory
 * @fmt: printf format
 * @ap: its arguments
 *
 * Return: the string, to be freed.
 */
char *np_vasprintf(const char *fmt, va_list ap)
{
	char *s;

	if (vasprintf(&s, fmt, ap) < 0)
		np_die(NP_FAIL, "out of memory");
	return s;
}

/**
 * np_asprintf() - a formatted string in new memory
 * @fmt: printf format
 *
 * Return: the string, to be freed.
 */
char *np_asprintf(const char *fmt, ...)
{
	va_list ap;
	char *s;

	va_start(ap, fmt);
	s = np_vasprintf(fmt, ap);
	va_end(ap);
	return s;
}

/**
 * np_buf_add() - append bytes
 * @b: the buffer
 * @data: what to append
 * @len: bytes of it
 */
void np_buf_add(struct np_buf *b, const void *data, size_t len)
{
	if (b->len + len + 1 > b->cap) {
		b->cap = (b->len + len + 1) * 2;
		b->s = np_realloc(b->s, b->cap);
	}
	if (len)
		memcpy(b->s + b->len, data, len);
	b->len += len;
	b->s[b->len] = '\0';
}

/**
 * np_buf_puts() - append a string
 * @b: the buffer
 * @s: the string
 */
void np_buf_puts(struct np_buf *b, const char *s)
{
	np_buf_add(b, s, strlen(s));
}

/**
 * np_buf_printf() - append formatted text
 * @b: the buffer
 * @fmt: printf format
 */
void np_buf_printf(struct np_buf *b, const char *fmt, ...)
{
	va_list ap;
	char *s;

	va_start(ap, fmt);
	s = np_vasprintf(fmt, ap);
	va_end(ap);
	np_buf_puts(b, s);
	free(s);
}

/**
 * np_buf_free() - give the memory back and empty the buffer
 * @b: the buffer
 */
void np_buf_free(struct np_buf *b)
{
	free(b->s);
	memset(b, 0, sizeof(*b));
}

/**
 * np_read_file() - append a whole file to a buffer
 * @path: the file
 * @b: the buffer; terminated even for an empty file
 *
 * Return: 0, or a negative errno; then the buffer is as it was.
 */
int np_read_file(const char *path, struct np_buf *b)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t was = b->len;
	char chunk[65536];
	ssize_t n;
	int err;

	if (fd < 0)
		return -errno;
	np_buf_add(b, "", 0);
	while ((n = read(fd, chunk, sizeof(chunk))) > 0)
		np_buf_add(b, chunk, n);
	err = n < 0 ? -errno : 0;
	close(fd);
	if (err) {
		b->len = was;
		b->s[was] = '\0';
	}
	return err;
}

/**
 * np_write_begin() - begin to replace a file's content in one step
 * @w: filled in; np_write_end() must follow
 * @path: the file; its mode is kept where it exists
 *
 * The content is written and synced beside the file, then renamed over it: a full disk or
 * an interruption leaves the old file whole. A symbolic link stays one; what is there and is no
 * regular file, such as a terminal, is written to as it is.
 *
 * Return: 0, or a negative errno; then there is nothing to end.
 */
int np_write_begin(struct np_writing *w, const char *path)
{
	struct stat st;
	char *target;
	int fd, err;

	*w = (struct np_writing) { .mode = 0644 };
	if (!stat(path, &st)) {
		w->mode = st.st_mode & 07777;
		w->in_place = !S_ISREG(st.st_mode);
	}
	target = realpath(path, NULL);
	w->path = target ? target : np_strdup(path);
	w->tmp = np_asprintf("%s.np-new", w->path);
	fd = w->in_place ? open(w->path, O_WRONLY | O_CLOEXEC) :
	     open(w->tmp, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, w->mode);
	if (fd < 0) {
		err = -errno;
		free(w->path);
		free(w->tmp);
		return err;
	}
	w->f = fdopen(fd, "w");
	if (!w->f)
		np_die(NP_FAIL, "out of memory");
	return 0;
}

/**
 * np_write_end() - put the new content in place, unless writing it failed
 * @w: what was begun
 *
 * Return: 0, or a negative errno; then the old file is as it was.
 */
int np_write_end(struct np_writing *w)
{
	int err = 0;

	errno = 0;
	if (ferror(w->f)) {
		/* Why an earlier write failed is not kept; one more tells. */
		clearerr(w->f);
		fputc('\n', w->f);
		err = -EIO;
	}
	if (fflush(w->f))
		err = -EIO;
	if (err && errno)
		err = -errno;
	if (!err && !w->in_place && (fchmod(fileno(w->f), w->mode) || fsync(fileno(w->f))))
		err = -errno;
	if (fclose(w->f) && !err)
		err = -errno;
	if (!err && !w->in_place && rename(w->tmp, w->path))
		err = -errno;
	if (err && !w->in_place)
		unlink(w->tmp);
	free(w->tmp);
	free(w->path);
	return err;
}

/**
 * np_write_file() - replace a file's content in one step, see np_write_begin()
 * @path: the file; its mode is kept where it exists
 * @data: the new content
 * @len: bytes of it
 *
 * Return: 0, or a negative errno.
 */
int np_write_file(const char *path, const void *data, size_t len)
{
	struct np_writing w;
	int err = np_write_begin(&w, path);

	if (err)
		return err;
	fwrite(data, 1, len, w.f);
	return np_write_end(&w);
}

/**
 * np_mkdirs() - make a directory and those above it
 * @path: the directory
 *
 * Return: 0 (also where it existed), or a negative errno.
 */
int np_mkdirs(const char *path)
{
	char *copy = np_strdup(path), *p;
	struct stat st;
	int err = *copy ? 0 : -ENOENT;

	for (p = copy + 1; !err; p++) {
		char c = *p;

		if (c && c != '/')
			continue;
		*p = '\0';
		if (mkdir(copy, 0777) && errno != EEXIST)
			err = -errno;
		*p = c;
		if (!c)
			break;
	}
	if (!err && !stat(copy, &st) && !S_ISDIR(st.st_mode))
		err = -ENOTDIR;
	free(copy);
	return err;
}

/**
 * np_self_dir() - the directory that holds this program
 *
 * Return: its path without a slash at the end; "." if it cannot be told.
 */
const char *np_self_dir(void)
{
	static char dir[PATH_MAX];
	ssize_t n;
	char *slash;

	if (dir[0])
		return dir;
	n = readlink("/proc/self/exe", dir, sizeof(dir) - 1);
	slash = n > 0 ? strrchr(dir, '/') : NULL;
	if (slash && slash != dir)
		*slash = '\0';
	else
		strcpy(dir, ".");
	return dir;
}

/**
 * np_program_find() - find a program as a shell would
 * @name: its name, without a slash
 *
 * Return: its absolute path, to be freed; NULL if no directory in PATH has it.
 */
char *np_program_find(const char *name)
{
	const char *list = getenv("PATH");
	char **dirs, *path = NULL;
	int n;

	dirs = np_split(list ? list : "/usr/bin:/bin", ':', &n);
	for (int i = 0; i < n && !path; i++) {
		char *file = np_asprintf("%s/%s", *dirs[i] ? dirs[i] : ".", name);

		if (!access(file, X_OK))
			path = realpath(file, NULL);
		free(file);
	}
	np_split_free(dirs, n);
	return path;
}

/**
 * np_parse_long() - a whole decimal number within a range
 * @s: the text
 * @min: smallest value allowed
 * @max: largest value allowed
 * @value: where it goes
 *
 * Return: 0, -EINVAL if @s is no number, -ERANGE if it is out of the range.
 */
int np_parse_long(const char *s, long min, long max, long *value)
{
	char *end;
	long v;

	errno = 0;
	v = strtol(s, &end, 10);
	if (end == s || *end)
		return -EINVAL;
	if (errno || v < min || v > max)
		return -ERANGE;
	*value = v;
	return 0;
}

/**
 * np_split() - cut a list at a separator
 * @s: the list; empty parts are kept
 * @sep: the separator
 * @n: number of parts
 *
 * Return: the parts, to be freed by np_split_free().
 */
char **np_split(const char *s, char sep, int *n)
{
	char **list = NULL;

	*n = 0;
	for (;;) {
		const char *end = strchrnul(s, sep);

		list = np_realloc(list, (*n + 1) * sizeof(*list));
		list[(*n)++] = np_strndup(s, end - s);
		if (!*end)
			return list;
		s = end + 1;
	}
}

/**
 * np_split_free() - free what np_split() returned
 * @list: the parts
 * @n: how many
 */
void np_split_free(char **list, int n)
{
	while (n--)
		free(list[n]);
	free(list);
}
