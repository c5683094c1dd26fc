// SPDX-License-Identifier: GPL-2.0
/*
 * The statistics behind the table.
 */
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>

#include "stats.h"

/**
 * np_sample() - mean and variance of some values
 * @x: the values
 * @n: how many
 *
 * Return: the sample.
 */
struct np_sample np_sample(const double *x, int n)
{
	struct np_sample s = { .n = n };

	if (n > 0)
		s.mean = gsl_stats_mean(x, 1, n);
	if (n > 1)
		s.var = gsl_stats_variance_m(x, 1, n, s.mean);
	return s;
}

/**
 * np_welch() - test whether two samples differ in their means
 * @a: the sample in question
 * @base: what it is compared with
 *
 * Return: the difference, its confidence interval and the test.
 */
struct np_welch np_welch(const struct np_sample *a, const struct np_sample *base)
{
	struct np_welch w = { .diff = a->mean - base->mean, .p = 1 };
	double va, vb, se;

	if (a->n < 2 || base->n < 2)
		return w;
	w.tested = true;
	va = a->var / a->n;
	vb = base->var / base->n;
	se = sqrt(va + vb);
	if (se == 0) {
		w.significant = w.diff != 0;
		w.p = w.significant ? 0 : 1;
		return w;
	}
	w.t = w.diff / se;
	w.df = (va + vb) * (va + vb) /
	       (va * va / (a->n - 1) + vb * vb / (base->n - 1));
	if (!isfinite(w.df)) {
		w.tested = false;
		return w;
	}
	w.half = gsl_cdf_tdist_Pinv(0.975, w.df) * se;
	w.p = 2 * gsl_cdf_tdist_Q(fabs(w.t), w.df);
	w.significant = w.p < 0.05;
	return w;
}
