/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Claims about two policies, held against runs: an interval and a verdict.
 */
#ifndef NP_CLAIMS_H
#define NP_CLAIMS_H

#include <stdbool.h>

/**
 * struct np_pairs - runs of two policies with the same seeds
 * @n: number of pairs
 * @a: mean of the policy in question
 * @base: mean of the one that it is compared with
 * @var_a: variance of the former (n - 1)
 * @var_base: variance of the latter
 * @cov: their covariance (n - 1)
 */
struct np_pairs {
	int n;
	double a;
	double base;
	double var_a;
	double var_base;
	double cov;
};

/**
 * enum np_relation - what is claimed of a policy against a base
 * @NP_LESS: its mean is lower, by more than the margin
 * @NP_NOT_LESS: its mean is not lower by more than the margin
 * @NP_NOT_MORE: its mean is not higher by more than the margin
 * @NP_MORE: its mean is higher, by more than the margin
 * @NP_SAME: the means differ by less than the margin, either way
 * @NP_STEADIER: the standard deviation of its runs is lower; there is no margin
 * @NP_NEAR: the means differ by less than the margin, which is not in percent of the base's but
 *	in the metric's own unit: for what is next to nothing under both
 */
enum np_relation {
	NP_LESS,
	NP_NOT_LESS,
	NP_NOT_MORE,
	NP_MORE,
	NP_SAME,
	NP_STEADIER,
	NP_NEAR,
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
 * @change: the change in percent of the base's, or (NP_NEAR) the difference
 * @low: lower end
 * @high: upper end
 */
struct np_interval {
	bool known;
	bool bounded;
	double change;
	double low;
	double high;
};

struct np_pairs np_pairs(const double *a, const double *base, int n);
struct np_interval np_claim_interval(enum np_relation relation, const struct np_pairs *pairs,
				     double alpha);
enum np_verdict_kind np_claim_judge(enum np_relation relation, double margin,
				    const struct np_interval *interval);
const char *np_verdict_text(enum np_verdict_kind verdict);

#endif /* NP_CLAIMS_H */
