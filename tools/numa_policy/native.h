/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The running machine as the place where cells are run: what it must have, its policy switched for
 * each cell, and everything set back in the end.
 */
#ifndef NP_NATIVE_H
#define NP_NATIVE_H

#include <jansson.h>
#include <stdbool.h>

#include "live.h"

/**
 * struct np_native - the running machine
 * @live: its kernel's files
 * @policies: the policies it has, and the one that was in force
 * @program: the guests' program, absolute, which runs the workloads here too
 * @release: the kernel's release
 * @version: what /proc/version says
 * @cpu: model of its CPUs
 * @boot: the kernel's identifier of this boot
 * @hugepage: whether it has transparent huge pages, as the kernel says it; NULL: it does not
 * @topology: JSON object: "text" and "nodes" as np_topology_json() has them, as found
 * @config: JSON list of the lines of its configuration that concern NUMA balancing; NULL: it is
 *	nowhere to be read
 * @windows: windows of access history that it keeps; 0: not known
 * @tunables: JSON object: the tunables of NUMA balancing as they were
 * @lock: the file that is locked while cells are run; -1: it is not
 * @changed: there is something to be set back
 */
struct np_native {
	struct np_live live;
	struct np_live_policies policies;
	char *program;
	char *release;
	char *version;
	char *cpu;
	char *boot;
	char *hugepage;
	json_t *topology;
	json_t *config;
	int windows;
	json_t *tunables;
	int lock;
	bool changed;
};

char *np_native_peek(struct np_native *n, const char *dir);
char *np_native_open(struct np_native *n, const char *dir);
char *np_native_lock(struct np_native *n);
void np_native_head(const struct np_native *n, json_t *head);
char *np_native_begin(struct np_native *n, const char *policy);
char *np_native_end(struct np_native *n, const char *policy);
int np_native_restore(struct np_native *n);
void np_native_sweep(void);
void np_native_close(struct np_native *n);

#endif /* NP_NATIVE_H */
