/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory accesses of guests: what their plugin is told, and what its file says about a cell.
 */
#ifndef NP_TRAFFIC_H
#define NP_TRAFFIC_H

#include "results.h"
#include "topology.h"

/* Most pieces that the nodes' memory can be in: one node is cut in two by the hole below 4 GB. */
#define NP_TRAFFIC_RANGES (NP_MAX_NODES + 1)

/**
 * struct np_traffic_range - a piece of a node's memory
 * @addr: its physical address in the guest
 * @len: bytes
 * @ram: its address as QEMU up to version 8.0 tells it
 * @node: the node
 */
struct np_traffic_range {
	unsigned long long addr;
	unsigned long long len;
	unsigned long long ram;
	int node;
};

/**
 * struct np_latency - what accesses are taken to cost in the model
 * @local_ns: nanoseconds of an access to the vCPU's own node
 * @remote_ns: nanoseconds of an access to any other
 */
struct np_latency {
	double local_ns;
	double remote_ns;
};

/* The default: two sockets of Xeon Scalable, https://www.qdpma.com/ServerSystems/SingleProcessor.html */
#define NP_LATENCY_LOCAL_NS 89
#define NP_LATENCY_REMOTE_NS 139

int np_traffic_ranges(const struct np_topology *t, struct np_traffic_range *ranges);
char *np_traffic_option(const char *plugin, const char *out, const struct np_topology *t);
char *np_latency_parse(const char *text, struct np_latency *latency);
char *np_traffic_join(struct np_cell *cell, const char *path, const struct np_topology *t,
		      const struct np_latency *latency);

#endif /* NP_TRAFFIC_H */
