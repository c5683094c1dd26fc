// SPDX-License-Identifier: GPL-2.0
/*
 * What a comparison shows, in sentences: none says more than its interval does.
 */
#include <math.h>
#include <stdlib.h>

#include "report_parts.h"
#include "util.h"

/* Digits behind the point that leave two that count of the smallest of some figures. */
static int digits_for(double a, double b, double c)
{
	double least = fmin(fabs(a), fmin(fabs(b), fabs(c)));
	int digits = 1;

	while (digits < 6 && least < 1) {
		least *= 10;
		digits++;
	}
	return digits;
}

/* A probability below 0.05 must not be rounded to it. */
static void add_p(struct np_buf *b, double p)
{
	int digits = 4;

	if (p < .0001) {
		np_buf_puts(b, "p < 0.0001");
		return;
	}
	while (digits < 8 && p < NP_ALPHA && p + .5 * pow(10, -digits) >= NP_ALPHA)
		digits++;
	np_buf_printf(b, "p = %.*f", digits, p);
}

/* "41.2 % lower (95 % CI 30.1 to 52.3 %, n = 5 and 5, Welch, p = 0.0003 after Holm)" */
static void add_change(struct np_buf *b, const struct np_metric *metric,
		       const struct np_summary *sum, const struct np_summary *base)
{
	bool lower = sum->change < 0;
	const char *unit = sum->relative ? " %" : "";
	double low = lower ? -sum->high : sum->low, high = lower ? -sum->low : sum->high;
	int digits = digits_for(sum->change, low, high);

	np_buf_printf(b, "%s %.*f%s %s (", metric->title, digits, fabs(sum->change), unit,
		      lower ? "lower" : "higher");
	if (!sum->relative)
		np_buf_puts(b, "the base's mean is 0; ");
	if (sum->constant) {
		np_buf_puts(b, "the runs of either do not differ among themselves, ");
		np_buf_printf(b, "n = %d and %d)", sum->s.n, base->s.n);
		return;
	}
	np_buf_printf(b, "95 %% CI %.*f to %.*f%s, n = %d and %d, Welch, ", digits, low, digits,
		      high, unit, sum->s.n, base->s.n);
	add_p(b, sum->p_corrected);
	np_buf_puts(b, " after Holm)");
}

static void add_untested(struct np_buf *b, const struct np_metric *metric,
			 const struct np_summary *sum, const struct np_summary *base)
{
	np_buf_printf(b, "%s%s (", b->s ? "; " : "", metric->title);
	if (sum->s.n < sum->ok || base->s.n < base->ok)
		np_buf_printf(b, "%d of %d and %d of %d runs have it", sum->s.n, sum->ok,
			      base->s.n, base->ok);
	else
		np_buf_printf(b, "n = %d and %d", sum->s.n, base->s.n);
	np_buf_puts(b, ")");
}

static void print_list(FILE *f, const char *head, const char *what, struct np_buf *list)
{
	char *text;

	if (!list->s)
		return;
	text = np_asprintf("%s: %s: %s.", head, what, list->s);
	np_print_para(f, "  - ", 4, text);
	free(text);
	np_buf_free(list);
}

/* What one workload says about one column and its base. */
static void print_pair(FILE *f, const struct np_report *rep, int w, int c)
{
	const struct np_column *column = &rep->columns[c], *to = &rep->columns[column->base];
	struct np_buf none = { 0 }, untested = { 0 };
	bool any = false;
	char *head, *text;

	if (rep->other)
		head = np_asprintf("%s against %s, %s under %s", column->label, to->label,
				   rep->workloads[w], column->policy);
	else
		head = np_asprintf("%s against %s, %s", column->label, to->label,
				   rep->workloads[w]);
	for (int m = 0; m < np_metrics_count; m++) {
		const struct np_summary *sum = np_report_summary(rep, w, m, c);
		const struct np_summary *base = np_report_summary(rep, w, m, column->base);
		struct np_buf b = { 0 };

		if (!sum->present)
			continue;
		any = true;
		if (!sum->tested) {
			add_untested(&untested, &np_metrics[m], sum, base);
		} else if (!sum->significant) {
			np_buf_printf(&none, "%s%s", none.s ? "; " : "", np_metrics[m].title);
		} else {
			np_buf_printf(&b, "%s: ", head);
			add_change(&b, &np_metrics[m], sum, base);
			np_buf_puts(&b, ".");
			np_print_para(f, "  - ", 4, b.s);
			np_buf_free(&b);
		}
	}
	print_list(f, head, "no significant difference in", &none);
	print_list(f, head, "not tested", &untested);
	text = any ? NULL : np_asprintf("%s: not compared, no run counts.", head);
	if (text)
		np_print_para(f, "  - ", 4, text);
	free(text);
	free(head);
}

/**
 * np_print_claims() - print what differs significantly, and what does not
 * @f: where to
 * @rep: the report
 */
void np_print_claims(FILE *f, const struct np_report *rep)
{
	char *text;

	if (rep->ncolumns < 2)
		return;
	if (!rep->comparisons) {
		fputs("\nNothing was tested: that takes two runs or more on both sides.\n", f);
		return;
	}
	text = np_asprintf("What differs, by Welch's test at 95 %%, with Holm's correction for\n"
			   "the %d comparisons of this report (the intervals are not corrected):",
			   rep->comparisons);
	fputc('\n', f);
	np_print_para(f, "", 0, text);
	free(text);
	for (int w = 0; w < rep->nworkloads; w++) {
		fputc('\n', f);
		for (int c = 0; c < rep->ncolumns; c++)
			if (rep->columns[c].base != c)
				print_pair(f, rep, w, c);
	}
}
