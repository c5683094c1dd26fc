// SPDX-License-Identifier: GPL-2.0
/*
 * Claims about two policies, held against runs: an interval and a verdict.
 */
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>

#include "claims.h"

/*
 * What "equal in every run" leaves of an interval: nothing to divide by. A change of 0, or of
 * whatever it is, without any doubt.
 */
static struct np_interval exact(double a, double base)
{
	struct np_interval v = { .known = true, .bounded = true };

	if (base == 0) {
		v.known = a == 0;
		v.bounded = v.known;
		return v;
	}
	v.change = 100 * (a - base) / fabs(base);
	v.low = v.change;
	v.high = v.change;
	return v;
}

/**
 * np_pairs() - means, variances and covariance of pairs
 * @a: values of the policy in question
 * @base: values of the other, seed by seed
 * @n: how many
 *
 * Return: the sample.
 */
struct np_pairs np_pairs(const double *a, const double *base, int n)
{
	struct np_pairs p = { .n = n };

	if (n > 0) {
		p.a = gsl_stats_mean(a, 1, n);
		p.base = gsl_stats_mean(base, 1, n);
	}
	if (n > 1) {
		p.var_a = gsl_stats_variance(a, 1, n);
		p.var_base = gsl_stats_variance(base, 1, n);
		p.cov = gsl_stats_covariance(a, 1, base, 1, n);
	}
	return p;
}

/*
 * The base's mean is an estimate too. Fieller's interval for the ratio of two means accounts for
 * that, and for what both have in common by their seeds.
 */
static struct np_interval mean_change(const struct np_pairs *p, double t)
{
	double va = p->var_a / p->n, vb = p->var_base / p->n, cov = p->cov / p->n;
	struct np_interval v = { 0 };
	double ratio, g, centre, under, half;

	if (va + vb == 0 || p->base == 0)
		return exact(p->a, p->base);
	v.known = true;
	ratio = p->a / p->base;
	v.change = 100 * (ratio - 1);
	g = t * t * vb / (p->base * p->base);
	if (g >= 1)
		return v;
	v.bounded = true;
	centre = vb > 0 ? ratio - g * cov / vb : ratio;
	under = va - 2 * ratio * cov + ratio * ratio * vb;
	if (vb > 0)
		under -= g * (va - cov * cov / vb);
	half = t / fabs(p->base) * sqrt(under > 0 ? under : 0);
	v.low = 100 * ((centre - half) / (1 - g) - 1);
	v.high = 100 * ((centre + half) / (1 - g) - 1);
	return v;
}

/* Student's interval of the mean difference. */
static struct np_interval difference(const struct np_pairs *p, double t)
{
	double var = p->var_a + p->var_base - 2 * p->cov;
	double half = t * sqrt(var > 0 ? var / p->n : 0);
	double change = p->a - p->base;

	return (struct np_interval) {
		.known = true, .bounded = true, .change = change, .low = change - half,
		.high = change + half,
	};
}

/* From the test of Pitman and Morgan for variances of paired samples; takes them to be normal. */
static struct np_interval stddev_change(const struct np_pairs *p, double alpha)
{
	double r2, k, t, ratio, root;

	if (p->var_a == 0 || p->var_base == 0)
		return exact(sqrt(p->var_a), sqrt(p->var_base));
	if (p->n < 3)
		return (struct np_interval) { 0 };
	ratio = p->var_a / p->var_base;
	r2 = p->cov * p->cov / (p->var_a * p->var_base);
	t = gsl_cdf_tdist_Pinv(1 - alpha / 2, p->n - 2);
	k = 1 + 2 * (r2 < 1 ? 1 - r2 : 0) * t * t / (p->n - 2);
	root = sqrt(k * k - 1);
	return (struct np_interval) {
		.known = true, .bounded = true, .change = 100 * (sqrt(ratio) - 1),
		.low = 100 * (sqrt(ratio * (k - root)) - 1),
		.high = 100 * (sqrt(ratio * (k + root)) - 1),
	};
}

/**
 * np_claim_interval() - the change that a claim is about
 * @relation: what is claimed
 * @pairs: the runs
 * @alpha: probability that the interval misses the true change
 *
 * Return: the change; not known for fewer than two pairs.
 */
struct np_interval np_claim_interval(enum np_relation relation, const struct np_pairs *pairs,
				     double alpha)
{
	double t;

	if (pairs->n < 2)
		return (struct np_interval) { 0 };
	t = gsl_cdf_tdist_Pinv(1 - alpha / 2, pairs->n - 1);
	switch (relation) {
	case NP_STEADIER:
		return stddev_change(pairs, alpha);
	case NP_NEAR:
		return difference(pairs, t);
	default:
		return mean_change(pairs, t);
	}
}

/* The claim that the change lies below @bound. */
static enum np_verdict_kind below(const struct np_interval *v, double bound)
{
	if (v->high < bound)
		return NP_REPRODUCED;
	return v->low >= bound ? NP_NOT_REPRODUCED : NP_INCONCLUSIVE;
}

/* The claim that it lies above @bound. */
static enum np_verdict_kind above(const struct np_interval *v, double bound)
{
	if (v->low > bound)
		return NP_REPRODUCED;
	return v->high <= bound ? NP_NOT_REPRODUCED : NP_INCONCLUSIVE;
}

static enum np_verdict_kind opposite(enum np_verdict_kind verdict)
{
	switch (verdict) {
	case NP_REPRODUCED:
		return NP_NOT_REPRODUCED;
	case NP_NOT_REPRODUCED:
		return NP_REPRODUCED;
	default:
		return NP_INCONCLUSIVE;
	}
}

/**
 * np_claim_judge() - hold a claim against an interval
 * @relation: what is claimed
 * @margin: in percent, or for NP_NEAR in the metric's unit; not negative
 * @interval: the change that was found
 *
 * Only an interval that lies wholly on one side of the margin decides.
 *
 * Return: the verdict.
 */
enum np_verdict_kind np_claim_judge(enum np_relation relation, double margin,
				    const struct np_interval *interval)
{
	if (!interval->known || !interval->bounded)
		return NP_INCONCLUSIVE;
	switch (relation) {
	case NP_LESS:
		return below(interval, -margin);
	case NP_NOT_LESS:
		return opposite(below(interval, -margin));
	case NP_MORE:
		return above(interval, margin);
	case NP_NOT_MORE:
		return opposite(above(interval, margin));
	case NP_STEADIER:
		return below(interval, 0);
	case NP_SAME:
	case NP_NEAR:
		if (interval->low > -margin && interval->high < margin)
			return NP_REPRODUCED;
		if (interval->low >= margin || interval->high <= -margin)
			return NP_NOT_REPRODUCED;
		break;
	}
	return NP_INCONCLUSIVE;
}

/**
 * np_verdict_text() - a verdict in words
 * @verdict: the verdict
 *
 * Return: the words.
 */
const char *np_verdict_text(enum np_verdict_kind verdict)
{
	switch (verdict) {
	case NP_REPRODUCED:
		return "reproduced";
	case NP_NOT_REPRODUCED:
		return "not reproduced";
	default:
		return "inconclusive";
	}
}
