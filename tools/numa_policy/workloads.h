/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The workloads of the guests and their parameters: one table for both sides.
 */
#ifndef NP_WORKLOADS_H
#define NP_WORKLOADS_H

#include <stdbool.h>

/**
 * struct np_param - a parameter of a workload
 * @name: as written on the command line (WORKLOAD.NAME=VALUE)
 * @def: value when nothing is said
 * @min: smallest value allowed
 * @max: largest value allowed
 * @help: one line for people
 */
struct np_param {
	const char *name;
	long def;
	long min;
	long max;
	const char *help;
};

/* Most parameters a workload can have. */
#define NP_PARAMS_MAX 12

/**
 * struct np_workload - something to run in a guest
 * @name: as written on the command line
 * @help: one line for people
 * @shift: default instruction-counting shift: an instruction takes 2^shift ns of guest time
 * @limit_s: default limit in seconds of guest time
 * @params: its parameters, up to one without a name
 * @hidden: serves the tests, is in no list
 * @optional: run only if it is named
 * @command: program of the host to run, with its arguments; {NAME} is the value of a parameter. "":
 *	the plan says what to run. NULL: the guest's own program is the workload
 * @package: Debian package of the program
 * @program_env: environment variable that may name another program, by its absolute path
 */
struct np_workload {
	const char *name;
	const char *help;
	int shift;
	long limit_s;
	const struct np_param *params;
	bool hidden;
	bool optional;
	const char *command;
	const char *package;
	const char *program_env;
};

/* All workloads, up to one without a name. */
extern const struct np_workload np_workloads[];

const struct np_workload *np_workload_find(const char *name);
const struct np_param *np_param_find(const struct np_workload *w, const char *name);

#endif /* NP_WORKLOADS_H */
