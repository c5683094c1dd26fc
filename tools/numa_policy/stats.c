// SPDX-License-Identifier: GPL-2.0
/*
 * The statistics behind tables, reports and verdicts.
 */
#include <gsl/gsl_blas.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <gsl/gsl_vector.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stats.h"
#include "util.h"

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
 * np_welch_alpha() - test whether two samples differ in their means
 * @a: the sample in question
 * @base: what it is compared with
 * @alpha: probability of error; the interval's confidence is 1 - @alpha
 *
 * Return: the difference, its confidence interval and the test.
 */
struct np_welch np_welch_alpha(const struct np_sample *a, const struct np_sample *base,
			       double alpha)
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
	w.half = gsl_cdf_tdist_Qinv(alpha / 2, w.df) * se;
	w.p = 2 * gsl_cdf_tdist_Q(fabs(w.t), w.df);
	w.significant = w.p < alpha;
	return w;
}

/**
 * np_welch() - np_welch_alpha() at 95 %
 * @a: the sample in question
 * @base: what it is compared with
 *
 * Return: the difference, its confidence interval and the test.
 */
struct np_welch np_welch(const struct np_sample *a, const struct np_sample *base)
{
	return np_welch_alpha(a, base, NP_ALPHA);
}

/**
 * np_mean_ratio() - a mean as a multiple of another
 * @a: the sample in question
 * @base: what it is compared with
 * @alpha: probability of error; the interval's confidence is 1 - @alpha
 *
 * The interval is Welch's of the difference, divided by the base's mean as if that were exact: the
 * relative change is the ratio less 1.
 *
 * Return: the ratio; not valid where a sample is empty or the base's mean is 0.
 */
struct np_ratio np_mean_ratio(const struct np_sample *a, const struct np_sample *base,
			      double alpha)
{
	struct np_welch w = np_welch_alpha(a, base, alpha);
	double scale = fabs(base->mean);
	struct np_ratio r = { 0 };

	if (!a->n || !base->n || scale == 0)
		return r;
	r.valid = true;
	r.tested = w.tested;
	r.ratio = 1 + w.diff / scale;
	r.low = r.tested ? r.ratio - w.half / scale : NAN;
	r.high = r.tested ? r.ratio + w.half / scale : NAN;
	r.p = w.p;
	r.significant = w.significant;
	return r;
}

/**
 * np_stddev_ratio() - a standard deviation as a multiple of another
 * @a: the sample in question
 * @base: what it is compared with
 * @alpha: probability of error; the interval's confidence is 1 - @alpha
 *
 * The test is the two-sided F test of the variances, which takes the values for normal; the
 * interval is the square root of the one that belongs to it.
 *
 * Return: the ratio; not valid where a sample has fewer than two values or the base's does not
 * vary, not tested where the other does not vary.
 */
struct np_ratio np_stddev_ratio(const struct np_sample *a, const struct np_sample *base,
				double alpha)
{
	struct np_ratio r = { .p = 1 };
	double f, d1, d2, below, above;

	if (a->n < 2 || base->n < 2 || base->var <= 0)
		return r;
	r.valid = true;
	r.tested = a->var > 0;
	f = a->var / base->var;
	r.ratio = sqrt(f);
	if (!r.tested)
		return r;
	d1 = a->n - 1;
	d2 = base->n - 1;
	r.low = sqrt(f / gsl_cdf_fdist_Qinv(alpha / 2, d1, d2));
	r.high = sqrt(f / gsl_cdf_fdist_Pinv(alpha / 2, d1, d2));
	below = gsl_cdf_fdist_P(f, d1, d2);
	above = gsl_cdf_fdist_Q(f, d1, d2);
	r.p = 2 * (below < above ? below : above);
	if (r.p > 1)
		r.p = 1;
	r.significant = r.p < alpha;
	return r;
}

/*
 * Mean and standard deviation with the operations, and in the order, that mmtests has them: where
 * the digits that are printed hang by the last bit, as the mean of 0.10 and 0.13 does, the running
 * mean of gsl_stats_mean() would be rounded another way.
 */
static double plain_mean(const double *x, int n)
{
	gsl_vector_const_view v = gsl_vector_const_view_array(x, n);

	return gsl_vector_sum(&v.vector) / n;
}

static double plain_stddev(const double *x, int n, double mean)
{
	gsl_vector_const_view v = gsl_vector_const_view_array(x, n);
	gsl_vector *delta = gsl_vector_alloc(n);
	double squares;

	gsl_vector_memcpy(delta, &v.vector);
	gsl_vector_add_constant(delta, -mean);
	gsl_blas_ddot(delta, delta, &squares);
	gsl_vector_free(delta);
	return sqrt(squares / (n - 1));
}

/**
 * np_best_mean() - mean of the best of some values
 * @x: the values, the best first
 * @n: how many
 * @percent: how many percent of them are taken, rounded down but at least one value
 *
 * Return: the mean; NAN if there is no value.
 */
double np_best_mean(const double *x, int n, int percent)
{
	int count = (long)n * percent / 100;

	return n ? plain_mean(x, count > 1 ? count : 1) : NAN;
}

/**
 * np_stats() - the figures that mmtests prints of some values
 * @x: the values
 * @n: how many
 * @more_is_better: which of them are the best
 *
 * Return: the figures.
 */
struct np_stats np_stats(const double *x, int n, bool more_is_better)
{
	struct np_stats s = { n, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN };
	gsl_vector_view best;
	double *sorted;

	if (n < 1)
		return s;
	sorted = np_alloc(n * sizeof(*sorted));
	memcpy(sorted, x, n * sizeof(*sorted));
	gsl_sort(sorted, 1, n);
	s.min = sorted[0];
	s.max = sorted[n - 1];
	best = gsl_vector_view_array(sorted, n);
	if (more_is_better)
		gsl_vector_reverse(&best.vector);
	s.amean = plain_mean(sorted, n);
	if (n > 1) {
		s.stddev = plain_stddev(sorted, n, s.amean);
		s.coeffvar = s.amean == 0 ? 0 : s.stddev * 100 / s.amean;
	}
	s.bamean50 = np_best_mean(sorted, n, 50);
	s.bamean95 = np_best_mean(sorted, n, 95);
	s.bamean99 = np_best_mean(sorted, n, 99);
	free(sorted);
	return s;
}

/* Perl keeps 15 digits of a number that passes through a text, and mmtests' changes do. */
static double through_text(double x)
{
	char text[32];

	snprintf(text, sizeof(text), "%.15g", x);
	return strtod(text, NULL);
}

/**
 * np_gain() - what mmtests prints in brackets behind a figure
 * @value: the figure
 * @base: the same figure of the base
 * @more_is_better: the change counts as a gain if it is upwards
 *
 * Where the base is 0 there is no percentage; mmtests has -99 and 100 for it, and so has this. Only
 * a figure of 0 where more is better is -100 % here: mmtests would say 0 %, no change.
 *
 * Return: the gain in percent: above 0 is better, below 0 is worse.
 */
double np_gain(double value, double base, bool more_is_better)
{
	if (value == base)
		return 0;
	if (base == 0)
		return more_is_better ? 100 : -99;
	if (more_is_better)
		return through_text(value * 100 / base - 100);
	return through_text(100 - value * 100 / base);
}

struct ranked {
	double p;
	int at;
};

static int by_p(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	return (x->p > y->p) - (x->p < y->p);
}

/**
 * np_holm() - correct probabilities for their number, after Holm
 * @p: the probabilities; those that are NAN do not count
 * @corrected: what becomes of them; NAN for NAN
 * @n: how many
 */
void np_holm(const double *p, double *corrected, int n)
{
	struct ranked *list = np_alloc(n * sizeof(*list));
	double highest = 0;
	int count = 0;

	for (int i = 0; i < n; i++) {
		corrected[i] = NAN;
		if (!isnan(p[i]))
			list[count++] = (struct ranked){ p[i], i };
	}
	qsort(list, count, sizeof(*list), by_p);
	for (int i = 0; i < count; i++) {
		double q = list[i].p * (count - i);

		if (q > highest)
			highest = q < 1 ? q : 1;
		corrected[list[i].at] = highest;
	}
	free(list);
}
