/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Claims about two policies, held against runs: an interval and a verdict.
 */
#ifndef NP_CLAIMS_H
#define NP_CLAIMS_H

#include <stdbool.h>

#include "stats.h"

/**
 * enum np_relation - what is claimed of a policy against a base
 * @NP_LESS: its mean is lower, by more than the margin
 * @NP_NOT_LESS: its mean is not lower by more than the margin
 * @NP_MORE: its mean is higher, by more than the margin
 * @NP_SAME: the means differ by less than the margin, either way
 * @NP_STEADIER: the standard deviation of its runs is lower; there is no margin
 */
enum np_relation {
	NP_LESS,
	NP_NOT_LESS,
	NP_MORE,
	NP_SAME,
	NP_STEADIER,
};

/**
 * enum np_verdict_kind - what the runs say about a claim
 * @NP_INCONCLUSIVE: they are too few, or vary too much
 * @NP_REPRODUCED: it holds here
 * @NP_NOT_REPRODUCED: it does not
 */
enum np_verdict_kind {
	NP_INCONCLUSIVE,
	NP_REPRODUCED,
	NP_NOT_REPRODUCED,
};

/**
 * struct np_interval - a change against a base, with a confidence interval
 * @known: there is an estimate
 * @bounded: the interval has two ends; a base whose mean may be 0 leaves it without
 * @change: the change in percent of the base's
 * @low: lower end, in percent
 * @high: upper end
 */
struct np_interval {
	bool known;
	bool bounded;
	double change;
	double low;
	double high;
};

struct np_interval np_mean_change(const struct np_sample *a, const struct np_sample *base,
				  double alpha);
struct np_interval np_stddev_change(const struct np_sample *a, const struct np_sample *base,
				    double alpha);
enum np_verdict_kind np_claim_judge(enum np_relation relation, double margin,
				    const struct np_interval *interval);
const char *np_verdict_text(enum np_verdict_kind verdict);

#endif /* NP_CLAIMS_H */
