// SPDX-License-Identifier: GPL-2.0
/*
 * Claims about two policies, held against runs: an interval and a verdict.
 */
#include <gsl/gsl_cdf.h>
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
		v.known = v.bounded = a == 0;
		return v;
	}
	v.change = v.low = v.high = 100 * (a - base) / fabs(base);
	return v;
}

/**
 * np_mean_change() - change of the mean in percent of the base's, after Fieller
 * @a: the sample in question
 * @base: the sample that it is compared with
 * @alpha: probability that the interval misses the true change
 *
 * The base's mean is an estimate too. Fieller's interval for the ratio of two means accounts for
 * that; the degrees of freedom are Welch's for the difference at the estimated ratio.
 *
 * Return: the change; unbounded if the base's mean cannot be told from 0.
 */
struct np_interval np_mean_change(const struct np_sample *a, const struct np_sample *base,
				  double alpha)
{
	struct np_interval v = { 0 };
	double va, vb, ratio, df, t, g, half;

	if (a->n < 2 || base->n < 2)
		return v;
	va = a->var / a->n;
	vb = base->var / base->n;
	if (va + vb == 0 || base->mean == 0)
		return exact(a->mean, base->mean);
	v.known = true;
	ratio = a->mean / base->mean;
	v.change = 100 * (ratio - 1);
	df = pow(va + ratio * ratio * vb, 2) /
	     (va * va / (a->n - 1) + pow(ratio * ratio * vb, 2) / (base->n - 1));
	if (!isfinite(df))
		return exact(a->mean, base->mean);
	t = gsl_cdf_tdist_Pinv(1 - alpha / 2, df);
	g = t * t * vb / (base->mean * base->mean);
	if (g >= 1)
		return v;
	v.bounded = true;
	half = t / fabs(base->mean) * sqrt(va * (1 - g) + ratio * ratio * vb);
	v.low = 100 * ((ratio - half) / (1 - g) - 1);
	v.high = 100 * ((ratio + half) / (1 - g) - 1);
	return v;
}

/**
 * np_stddev_change() - change of the standard deviation in percent of the base's
 * @a: the sample in question
 * @base: the sample that it is compared with
 * @alpha: probability that the interval misses the true change
 *
 * From the F distribution of the ratio of two variances; it takes the runs to be normal.
 *
 * Return: the change.
 */
struct np_interval np_stddev_change(const struct np_sample *a, const struct np_sample *base,
				    double alpha)
{
	struct np_interval v = { 0 };
	double ratio;

	if (a->n < 2 || base->n < 2)
		return v;
	if (a->var == 0 || base->var == 0)
		return exact(a->var, base->var);
	v.known = v.bounded = true;
	ratio = a->var / base->var;
	v.change = 100 * (sqrt(ratio) - 1);
	v.low = 100 * (sqrt(ratio / gsl_cdf_fdist_Pinv(1 - alpha / 2, a->n - 1, base->n - 1)) - 1);
	v.high = 100 * (sqrt(ratio / gsl_cdf_fdist_Pinv(alpha / 2, a->n - 1, base->n - 1)) - 1);
	return v;
}

/* The claim that the change lies below @bound. */
static enum np_verdict_kind below(const struct np_interval *v, double bound)
{
	if (v->high < bound)
		return NP_REPRODUCED;
	return v->low >= bound ? NP_NOT_REPRODUCED : NP_INCONCLUSIVE;
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
 * @margin: in percent, not negative
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
		if (interval->low > margin)
			return NP_REPRODUCED;
		return interval->high <= margin ? NP_NOT_REPRODUCED : NP_INCONCLUSIVE;
	case NP_STEADIER:
		return below(interval, 0);
	case NP_SAME:
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
