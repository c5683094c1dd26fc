// SPDX-License-Identifier: GPL-2.0
/*
 * Programs of the host that run in guests: what to run, and how the guest is told.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "job.h"
#include "util.h"

/* Named workloads run in the same surroundings everywhere. */
static const char * const environment[] = {
	"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/root", "LANG=C",
	"TERM=dumb",
};

/* A parameter's value: as set, or its default. */
static long value_of(const struct np_param *p, const json_t *params)
{
	const json_t *set = json_object_get(params, p->name);

	return set ? json_integer_value(set) : p->def;
}

/* A word of a command, with {NAME} replaced by the value of that parameter. */
static char *substitute(const struct np_workload *w, const json_t *params, const char *word)
{
	struct np_buf b = { 0 };
	const char *p, *end;

	np_buf_puts(&b, "");
	for (p = word; *p; p++) {
		const struct np_param *param = NULL;
		char *name;

		end = *p == '{' ? strchr(p, '}') : NULL;
		if (end) {
			name = np_strndup(p + 1, end - p - 1);
			param = np_param_find(w, name);
			free(name);
		}
		if (param) {
			np_buf_printf(&b, "%ld", value_of(param, params));
			p = end;
		} else {
			np_buf_add(&b, p, 1);
		}
	}
	return b.s;
}

/* The program that stands in for a workload's usual one, or NULL. */
static const char *instead(const struct np_workload *w)
{
	const char *program = w->program_env ? getenv(w->program_env) : NULL;

	return program && *program ? program : NULL;
}

/**
 * np_job_make() - the job of a workload that is a program of the host
 * @w: the workload
 * @params: JSON object with the parameters that were set; may be NULL
 *
 * Return: the job, to be freed by np_job_free().
 */
struct np_job *np_job_make(const struct np_workload *w, const json_t *params)
{
	struct np_job *job = np_alloc(sizeof(*job));
	const char *program = instead(w);
	int i, n;

	job->argv = np_split(w->command, ' ', &n);
	job->argv = np_realloc(job->argv, (n + 1) * sizeof(*job->argv));
	job->argv[n] = NULL;
	for (i = 0; i < n; i++) {
		char *word = !i && program ? np_strdup(program) :
					     substitute(w, params, job->argv[i]);

		free(job->argv[i]);
		job->argv[i] = word;
	}
	job->env = np_alloc((ARRAY_SIZE(environment) + 1) * sizeof(*job->env));
	for (i = 0; i < (int)ARRAY_SIZE(environment); i++)
		job->env[i] = np_strdup(environment[i]);
	job->cwd = "/";
	return job;
}

static void free_words(char **list)
{
	for (char **p = list; *p; p++)
		free(*p);
	free(list);
}

/**
 * np_job_free() - free what np_job_make() made
 * @job: the job; may be NULL
 */
void np_job_free(struct np_job *job)
{
	if (!job)
		return;
	free_words(job->argv);
	free_words(job->env);
	free(job);
}

/**
 * np_job_missing() - see whether the program of a workload is there
 * @w: any workload
 *
 * Return: NULL, or a message that names the program and its package, to be freed.
 */
char *np_job_missing(const struct np_workload *w)
{
	const char *program;
	char *name, *path, *error = NULL;

	if (!w->command || !*w->command)
		return NULL;
	program = instead(w);
	if (program) {
		if (*program == '/' && !access(program, X_OK))
			return NULL;
		return np_asprintf("workload '%s': %s=%s is not the absolute path of a program that can be run",
				   w->name, w->program_env, program);
	}
	name = np_strndup(w->command, strcspn(w->command, " "));
	path = np_program_find(name);
	if (!path)
		error = np_asprintf("workload '%s' needs the program '%s' (Debian package %s)",
				    w->name, name, w->package);
	free(path);
	free(name);
	return error;
}

static void add_entry(struct np_buf *b, const char *key, const char *value)
{
	np_buf_puts(b, key);
	np_buf_add(b, value, strlen(value) + 1);
}

/**
 * np_job_write() - write a job down for the guest
 * @job: the job
 * @path: the file: strings "arg=WORD", "env=NAME=VALUE", "cwd=PATH", a NUL behind each
 *
 * Return: 0, or a negative errno.
 */
int np_job_write(const struct np_job *job, const char *path)
{
	struct np_buf b = { 0 };
	char **p;
	int err;

	add_entry(&b, "cwd=", job->cwd);
	for (p = job->argv; *p; p++)
		add_entry(&b, "arg=", *p);
	for (p = job->env; *p; p++)
		add_entry(&b, "env=", *p);
	err = np_write_file(path, b.s, b.len);
	np_buf_free(&b);
	return err;
}

/**
 * np_job_encode() - a path as one word of the kernel's command line
 * @path: the path
 *
 * Return: the path, with %XX for every character that might not pass; to be freed.
 */
char *np_job_encode(const char *path)
{
	struct np_buf b = { 0 };

	np_buf_puts(&b, "");
	for (; *path; path++) {
		unsigned char c = *path;

		if (isalnum(c) || strchr("/._-+", c))
			np_buf_add(&b, path, 1);
		else
			np_buf_printf(&b, "%%%02x", c);
	}
	return b.s;
}
