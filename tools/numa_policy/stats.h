/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The statistics behind the table.
 */
#ifndef NP_STATS_H
#define NP_STATS_H

#include <stdbool.h>

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
 * @half: half the width of the 95 % confidence interval of @diff
 * @t: the statistic
 * @df: degrees of freedom after Welch and Satterthwaite
 * @p: two-sided probability of such a difference by chance
 * @significant: @p is below 0.05
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

struct np_sample np_sample(const double *x, int n);
struct np_welch np_welch(const struct np_sample *a, const struct np_sample *base);

#endif /* NP_STATS_H */
