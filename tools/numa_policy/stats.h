/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The statistics behind tables, reports and verdicts.
 */
#ifndef NP_STATS_H
#define NP_STATS_H

#include <stdbool.h>

/* What counts as significant, and the confidence of intervals, unless somebody asks otherwise. */
#define NP_ALPHA 0.05

/**
 * struct np_sample - what is known of one column's runs
 * @n: number of values
 * @mean: their mean; 0 if there are none
 * @var: their variance (n - 1); 0 if there are fewer than two
 */
struct np_sample {
	int n;
	double mean;
	double var;
};

/**
 * struct np_welch - Welch's t test of two samples
 * @tested: there was enough to test: two values or more in both samples
 * @diff: difference of the means
 * @half: half the width of the confidence interval of @diff
 * @t: the statistic
 * @df: degrees of freedom after Welch and Satterthwaite
 * @p: two-sided probability of such a difference by chance
 * @significant: @p is below alpha
 *
 * Where neither sample varies, @half is 0 and any difference is significant: that is where the
 * test goes as the variance goes to 0.
 */
struct np_welch {
	bool tested;
	double diff;
	double half;
	double t;
	double df;
	double p;
	bool significant;
};

/**
 * struct np_ratio - how two samples differ, as a multiple
 * @valid: there is an estimate; nothing else is set otherwise
 * @tested: there is an interval and a test, too
 * @ratio: the estimate
 * @low: lower end of the confidence interval
 * @high: upper end of the confidence interval
 * @p: two-sided probability of a ratio that far from 1 by chance
 * @significant: @p is below alpha
 */
struct np_ratio {
	bool valid;
	bool tested;
	double ratio;
	double low;
	double high;
	double p;
	bool significant;
};

/**
 * struct np_stats - the figures that mmtests prints of some values
 * @n: number of values
 * @min: the least; NAN here and below where there are too few values
 * @amean: arithmetic mean
 * @stddev: standard deviation (n - 1)
 * @coeffvar: @stddev in percent of @amean; 0 where @amean is 0
 * @max: the greatest
 * @bamean50: mean of the better half of the values
 * @bamean95: mean of the better 95 % of the values
 * @bamean99: mean of the better 99 % of the values
 */
struct np_stats {
	int n;
	double min;
	double amean;
	double stddev;
	double coeffvar;
	double max;
	double bamean50;
	double bamean95;
	double bamean99;
};

struct np_sample np_sample(const double *x, int n);
struct np_welch np_welch(const struct np_sample *a, const struct np_sample *base);
struct np_welch np_welch_alpha(const struct np_sample *a, const struct np_sample *base,
			       double alpha);
struct np_ratio np_mean_ratio(const struct np_sample *a, const struct np_sample *base,
			      double alpha);
struct np_ratio np_stddev_ratio(const struct np_sample *a, const struct np_sample *base,
				double alpha);
struct np_stats np_stats(const double *x, int n, bool more_is_better);
double np_best_mean(const double *x, int n, int percent);
double np_gain(double value, double base, bool more_is_better);
void np_holm(const double *p, double *corrected, int n);

#endif /* NP_STATS_H */
