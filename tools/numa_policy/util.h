/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Helpers shared by the subcommands of numa-policy.
 */
#ifndef NP_UTIL_H
#define NP_UTIL_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#ifndef __printf
#define __printf(a, b) __attribute__((__format__(printf, a, b)))
#endif

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* Exit statuses of every subcommand. */
#define NP_OK 0
#define NP_FAIL 1
#define NP_USAGE 2

/**
 * struct np_buf - a growing byte string, always NUL-terminated once used
 * @s: the bytes; NULL while nothing was added
 * @len: bytes in use, without the terminating NUL
 * @cap: bytes allocated
 */
struct np_buf {
	char *s;
	size_t len;
	size_t cap;
};

/**
 * struct np_writing - a file that will replace another when it is complete
 * @f: where the content goes
 * @path: the file to be replaced
 * @tmp: the new file's name until then
 * @mode: permissions
 * @in_place: there is something that is no regular file, and it is written to
 */
struct np_writing {
	FILE *f;
	char *path;
	char *tmp;
	mode_t mode;
	bool in_place;
};

void np_buf_add(struct np_buf *b, const void *data, size_t len);
void np_buf_puts(struct np_buf *b, const char *s);
__printf(2, 3) void np_buf_printf(struct np_buf *b, const char *fmt, ...);
void np_buf_free(struct np_buf *b);

__printf(1, 2) void np_error(const char *fmt, ...);
__printf(2, 3) __attribute__((__noreturn__)) void np_die(int status, const char *fmt, ...);

void *np_alloc(size_t size);
void *np_realloc(void *p, size_t size);
char *np_strdup(const char *s);
char *np_strndup(const char *s, size_t n);
__printf(1, 0) char *np_vasprintf(const char *fmt, va_list ap);
__printf(1, 2) char *np_asprintf(const char *fmt, ...);

int np_read_file(const char *path, struct np_buf *b);
int np_write_begin(struct np_writing *w, const char *path);
int np_write_end(struct np_writing *w);
int np_write_file(const char *path, const void *data, size_t len);
int np_mkdirs(const char *path);
const char *np_self_dir(void);
char *np_program_find(const char *name);

int np_parse_long(const char *s, long min, long max, long *value);
char **np_split(const char *s, char sep, int *n);
void np_split_free(char **list, int n);

#endif /* NP_UTIL_H */
