/* SPDX-License-Identifier: GPL-2.0 */
/*
 * numa-policy top: samples of the running kernel, and what happened between two of them.
 */
#ifndef NP_TOP_H
#define NP_TOP_H

#include <jansson.h>
#include <stdbool.h>

#include "live.h"
#include "options.h"

/**
 * struct np_top_sample - what the kernel said at one moment
 * @at: seconds of the monotonic clock
 * @policies: the policies; what is not known is empty
 * @balancing: the value of kernel.numa_balancing; -1: not known
 * @has_stats: @stats could be read
 * @stats: decisions
 * @has_matrix: @shadow and @matrix could be read
 * @shadow: the shadow was on
 * @matrix: the shadow matrix
 * @has_vmstat: @vmstat could be read
 * @vmstat: events
 * @errors: what could not be read, and what would be right
 */
struct np_top_sample {
	double at;
	struct np_live_policies policies;
	long balancing;
	bool has_stats;
	struct np_live_stats stats;
	bool has_matrix;
	bool shadow;
	struct np_live_matrix matrix;
	bool has_vmstat;
	struct np_live_vmstat vmstat;
	struct np_list errors;
};

/**
 * struct np_top_interval - what happened between two samples
 * @before: the first; kept by the caller
 * @now: the second; kept by the caller
 * @seconds: time between them
 * @has_stats: @stats is known
 * @stats: decisions in the interval
 * @has_matrix: @matrix is known
 * @matrix: what was added to the shadow matrix
 * @has_vmstat: @vmstat is known
 * @vmstat: events in the interval
 * @reset: names of files whose counts went down
 * @notes: what a reader must know to read the rest
 */
struct np_top_interval {
	const struct np_top_sample *before;
	const struct np_top_sample *now;
	double seconds;
	bool has_stats;
	struct np_live_stats stats;
	bool has_matrix;
	struct np_live_matrix matrix;
	bool has_vmstat;
	struct np_live_vmstat vmstat;
	struct np_list reset;
	struct np_list notes;
};

void np_top_sample(const struct np_live *l, double at, struct np_top_sample *s);
void np_top_sample_free(struct np_top_sample *s);
void np_top_between(const struct np_top_sample *before, const struct np_top_sample *now,
		    struct np_top_interval *iv);
void np_top_interval_free(struct np_top_interval *iv);
double np_top_local_share(const struct np_top_interval *iv);

json_t *np_top_json(const struct np_top_interval *iv);
void np_top_lines(const struct np_top_interval *iv, int width, struct np_list *lines);

bool np_screen_usable(void);
void np_screen_enter(void);
void np_screen_leave(void);
int np_screen_width(void);
bool np_screen_show(const struct np_list *lines);

#endif /* NP_TOP_H */
