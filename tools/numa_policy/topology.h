/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Topologies of guests: how they are written, given to QEMU and checked in the guest.
 */
#ifndef NP_TOPOLOGY_H
#define NP_TOPOLOGY_H

#include <jansson.h>
#include <stdbool.h>

#define NP_MAX_NODES 64
#define NP_MAX_CPUS 64
#define NP_DIST_LOCAL 10
#define NP_DIST_REMOTE 20
#define NP_DIST_MAX 254
#define NP_NODE_MB 256
#define NP_NODE_MB_MIN 32
#define NP_NODE0_MB_MIN 128
#define NP_NODE_MB_MAX 65536

/**
 * struct np_node - one node of a guest
 * @first_cpu: number of its first CPU
 * @cpus: how many CPUs it has; they are numbered in a row
 * @mem_mb: its memory in megabytes
 */
struct np_node {
	int first_cpu;
	int cpus;
	long mem_mb;
};

/**
 * struct np_topology - the nodes of a guest
 * @text: as it was written
 * @nodes: number of nodes
 * @cpus: number of CPUs
 * @mem_mb: megabytes of memory in all nodes
 * @symmetric: every distance is the same in both directions
 * @node: the nodes
 * @dist: @dist[from][to], as in an ACPI SLIT
 */
struct np_topology {
	char *text;
	int nodes;
	int cpus;
	long mem_mb;
	bool symmetric;
	struct np_node node[NP_MAX_NODES];
	int dist[NP_MAX_NODES][NP_MAX_NODES];
};

extern const char np_topology_help[];

char *np_topology_parse(const char *text, struct np_topology *t);
void np_topology_free(struct np_topology *t);
json_t *np_topology_json(const struct np_topology *t);
char *np_topology_differs(const struct np_topology *t, const json_t *nodes);
char *np_nodes_differ(const json_t *found, const json_t *nodes);

#endif /* NP_TOPOLOGY_H */
