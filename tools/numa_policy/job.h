/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Programs of the host that run in guests: what to run, and how the guest is told.
 */
#ifndef NP_JOB_H
#define NP_JOB_H

#include <jansson.h>

#include "workloads.h"

/* Name of the job's file in a guest's directory. */
#define NP_JOB "job"

/**
 * struct np_job - a program to run in a guest
 * @argv: its arguments, the program first, up to NULL
 * @env: its environment, NAME=VALUE, up to NULL
 * @cwd: the directory it starts in, absolute
 */
struct np_job {
	char **argv;
	char **env;
	const char *cwd;
};

struct np_job *np_job_make(const struct np_workload *w, const json_t *params);
void np_job_free(struct np_job *job);
char *np_job_missing(const struct np_workload *w);
int np_job_write(const struct np_job *job, const char *path);
char *np_job_encode(const char *path);

#endif /* NP_JOB_H */
