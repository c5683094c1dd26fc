/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where the workload's memory is, read from outside of it.
 */
#ifndef NP_LOCALITY_H
#define NP_LOCALITY_H

/**
 * struct np_locality - where the touched pages are
 * @pages: pages that exist
 * @local: those on the node where their toucher runs
 */
struct np_locality {
	long pages;
	long local;
};

int np_locality_init(void);
int np_locality_sample(struct np_locality *l);
int np_locality_check(void);
int np_count_range(int fd, unsigned long start, unsigned long end, long *count, long *moving);
void np_numa_maps_line(const char *line, long *count);

#endif /* NP_LOCALITY_H */
