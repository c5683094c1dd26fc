// SPDX-License-Identifier: GPL-2.0
/*
 * wander MEGABYTES SECONDS CPU...: a process with memory that it goes through again and again, on
 * each of these CPUs in turn, 0.1 s each. With CPUs on several nodes NUMA balancing finds its pages
 * where it is not: those of a process with one thread are made to trap only there.
 */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#define PAGE 4096
#define SOME 64
#define STAY 0.1

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static void move_to(const char *cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(atoi(cpu), &set);
	if (sched_setaffinity(0, sizeof(set), &set)) {
		fprintf(stderr, "wander: CPU %s: %s\n", cpu, strerror(errno));
		exit(1);
	}
}

int main(int argc, char **argv)
{
	double begun = now(), moved = 0, t;
	char *memory;
	size_t size, i, j;
	int next = 3;

	if (argc < 4) {
		fprintf(stderr, "usage: wander MEGABYTES SECONDS CPU...\n");
		return 2;
	}
	size = strtoul(argv[1], NULL, 10) << 20;
	memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED) {
		fprintf(stderr, "wander: %s MB: %s\n", argv[1], strerror(errno));
		return 1;
	}
	/* A look at the clock for some pages each: touching all at first takes long. */
	for (i = 0; (t = now()) - begun < atof(argv[2]); i = (i + SOME * PAGE) % size) {
		if (t - moved >= STAY) {
			move_to(argv[next]);
			next = next + 1 < argc ? next + 1 : 3;
			moved = t;
		}
		for (j = 0; j < SOME; j++)
			memory[i + j * PAGE]++;
		/* Each is an access; none may be put together with the next. */
		__asm__ volatile("" : : : "memory");
	}
	return 0;
}
