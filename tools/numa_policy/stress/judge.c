// SPDX-License-Identifier: GPL-2.0
/*
 * Judges the console of a guest of "make stress": which reports there are, whether they are about
 * the scan-policy library, and whether everything was done that was to be done.
 *
 * A report is about the library if a function or file of it, or one that it is inlined into, is
 * named in it. KCSAN's are told apart more finely, because the scan loop around the library has
 * races of its own: a data race is the library's if an access that is not marked as meant to race
 * comes from one of its lines, also where those are inlined, as the kernel's debug information
 * says. All others are listed with their numbers, and do not count.
 *
 * judge [--label NAME] [--vmlinux FILE] [--at-least NAME=N]... [--at-most NAME=N]... CONSOLE
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "../util.h"

/* Lines of a report at most; a kernel that does not stop must not make one of everything. */
#define REPORT_LINES 400

/* Lines behind the end of a stack that still belong to a report. */
#define AFTER_STACK 12

/* How reports begin. */
static const char *const beginnings[] = {
	"BUG: ", "WARNING: ", "UBSAN: ", "INFO: task ", "INFO: trying to register",
	"INFO: possible", "INFO: lockdep is turned off", "rcu: INFO:", "rcu_preempt kthread",
	"Kernel panic", "Oops: ", "general protection fault", "unable to handle",
	"refcount_t: ", "list_add ", "list_del ", "unreferenced object ", "watchdog: BUG",
	"kernel BUG at", "usercopy: ", "double fault", "stack-protector",
};

/* The library's own names, and the functions that it is inlined into. */
static const char *const names[] = {
	"numa_policy", "numa_scan_policy", "numa_rule_", "task_numa_work", "vma_is_accessed",
	"vma_set_access_pid_bit", "numab_state", "_decide+0x", "numa_migrate_check",
};

/* Where the library's lines are. */
static const char *const files[] = {
	"sched/numa_policy/", "include/linux/numa_policy", "trace/events/numa_policy.h",
	"proc/numa_scan_policy.c",
};

/*
 * Lines of the kernel's that every trace event's function has in it: whether the event is on is
 * read there while it is turned on or off.
 */
static const char *const machinery[] = {
	"include/linux/trace_events.h", "include/linux/tracepoint.h",
};

/* What says that something that looks for mistakes went off. */
static const char *const off[] = {
	"turning off the locking correctness validator",
	"Kernel memory leak detector disabled",
	"lockdep is turned off",
	"Disabling lock debugging",
};

/* What does not change the question whose access it was: functions that copy or compare bytes. */
static const char *const helpers[] = {
	"memcpy", "memmove", "memset", "memcmp", "strcmp", "strlen", "strscpy", "strnlen",
	"__memcpy", "__memmove", "__memset", "sized_strscpy", "_copy_from_user", "_copy_to_user",
};

struct report {
	int first;		/* line */
	int last;
	bool race;
	bool ours;
	bool fatal;
	char *title;
};

/* A function of the kernel's: where it is. */
struct symbol {
	char *name;
	unsigned long start;
	unsigned long size;
};

static char **lines;
static int nlines;
static struct report *reports;
static int nreports;
static struct symbol *symbols;
static int nsymbols;
static const char *vmlinux;
static const char *label = "stress";
static int passed, failed;

__printf(2, 3) static bool check(bool good, const char *fmt, ...)
{
	va_list ap;

	if (good)
		passed++;
	else
		failed++;
	printf("%s %d - %s: ", good ? "ok" : "not ok", passed + failed, label);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
	return good;
}

static bool any_in(const char *s, const char *const *list, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (strstr(s, list[i]))
			return true;
	return false;
}

/* Whether the kernel's time stamp is here: "[   12.345678] ". Where it ends, or NULL. */
static char *after_time(char *s)
{
	if (*s != '[')
		return NULL;
	s += 1 + strspn(s + 1, " ");
	if (!isdigit((unsigned char)*s))
		return NULL;
	s += strspn(s, "0123456789");
	if (*s != '.')
		return NULL;
	s += 1 + strspn(s + 1, "0123456789");
	return !strncmp(s, "] ", 2) ? s + 2 : *s == ']' ? s + 1 : NULL;
}

static void add_line(char *s)
{
	s[strcspn(s, "\r")] = '\0';
	lines = np_realloc(lines, (nlines + 1) * sizeof(*lines));
	lines[nlines++] = s;
}

/*
 * Into lines, without the kernel's time stamps. The kernel may begin in the middle of a line of
 * the guest's program.
 */
static void split_lines(char *text)
{
	char *next, *p, *rest;

	for (; *text; text = next) {
		next = strchrnul(text, '\n');
		if (*next)
			*next++ = '\0';
		for (p = text; (p = strchr(p, '[')); p++) {
			rest = after_time(p);
			if (!rest)
				continue;
			if (p > text) {
				*p = '\0';
				add_line(text);
			}
			text = rest;
			p = rest - 1;
		}
		add_line(text);
	}
}

static bool begins(const char *s)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(beginnings); i++)
		if (!strncmp(s, beginnings[i], strlen(beginnings[i])))
			return true;
	return false;
}

static bool is_rule(const char *s)
{
	return strlen(s) >= 10 && strspn(s, "=") == strlen(s);
}

/* The last line of the report that begins here. */
static int report_end(int first)
{
	const char *head = lines[first];
	bool ruled = !strncmp(head, "BUG: KASAN", 10) || !strncmp(head, "BUG: KCSAN", 10);
	int i, end = -1;

	for (i = first + 1; i < nlines && i < first + REPORT_LINES; i++) {
		const char *s = lines[i];

		if (ruled && is_rule(s))
			return i - 1;
		if (!ruled && (begins(s) || (is_rule(s) && i > first + 3)))
			return i - 1;
		if (strstr(s, "---[ end trace"))
			return i;
		if (!ruled && end < 0 && strstr(s, "</TASK>"))
			end = i + AFTER_STACK;
		if (end >= 0 && i >= end)
			return i;
		if (!strncmp(s, "stress: done", 12))
			return i - 1;
	}
	return i - 1;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct symbol *)a)->name, ((const struct symbol *)b)->name);
}

/* Where the kernel's functions are. */
static void read_symbols(void)
{
	char *command = np_asprintf("nm -S '%s'", vmlinux);
	FILE *f = popen(command, "r");
	char s[600], name[500], type;
	unsigned long start, size;

	while (f && fgets(s, sizeof(s), f)) {
		if (sscanf(s, "%lx %lx %c %499s", &start, &size, &type, name) != 4 ||
		    !strchr("tTwW", type))
			continue;
		symbols = np_realloc(symbols, (nsymbols + 1) * sizeof(*symbols));
		symbols[nsymbols++] = (struct symbol){ np_strdup(name), start, size };
	}
	if (!f || pclose(f) || !nsymbols)
		np_die(NP_USAGE, "%s: no symbols to be had from it", vmlinux);
	free(command);
	qsort(symbols, nsymbols, sizeof(*symbols), by_name);
}

/*
 * The address of "name+0xoffset/0xsize"; 0 if it cannot be told. The kernel takes a function to
 * reach up to the next one; of several of a name it is the one that fills most of that.
 */
static unsigned long find_address(const char *place)
{
	unsigned long offset, size, best = 0, address = 0;
	char name[200];
	int i;

	if (sscanf(place, " %199[^+ ]+%lx/%lx", name, &offset, &size) != 3)
		return 0;
	for (i = 0; i < nsymbols; i++) {
		const struct symbol *s = &symbols[i];

		if (!strcmp(s->name, name) && s->size <= size && s->size > best) {
			best = s->size;
			address = s->start + offset;
		}
	}
	return address;
}

/*
 * Whether the call that returns to this place is from the library, inlined or not. What the tracing
 * machinery does for itself is not, though the functions of the library's events have it inlined.
 */
static bool from_library(const char *place)
{
	unsigned long address = find_address(place);
	bool innermost = true, tracing = false, ours = false;
	char *command, s[1000];
	FILE *f;

	if (!address)
		return any_in(place, names, ARRAY_SIZE(names));
	command = np_asprintf("addr2line -i -e '%s' %lx", vmlinux, address - 1);
	f = popen(command, "r");
	while (f && fgets(s, sizeof(s), f)) {
		if (innermost)
			tracing = any_in(s, machinery, ARRAY_SIZE(machinery));
		ours = ours || any_in(s, files, ARRAY_SIZE(files));
		innermost = false;
	}
	if (!f || pclose(f))
		np_die(NP_FAIL, "addr2line does not work (package binutils)");
	free(command);
	return ours && !tracing;
}

/* One access of a race, from the line that describes it: the library's, and not marked? */
static bool access_is_ours(int line, int last)
{
	const char *s = lines[line];
	int i;

	if (strstr(s, "(marked)"))
		return false;
	for (i = line + 1; i <= last; i++) {
		s = lines[i];
		if (*s != ' ')
			return false;
		s += strspn(s, " ");
		if (!any_in(s, helpers, ARRAY_SIZE(helpers)) || strstr(s, "numa"))
			return from_library(lines[i]);
	}
	return false;
}

static bool race_is_ours(const struct report *r)
{
	int i;

	for (i = r->first; i <= r->last; i++) {
		const char *s = lines[i];

		if ((!strncmp(s, "write", 5) || !strncmp(s, "read", 4) ||
		     !strncmp(s, "assert", 6) || strstr(s, "with read to") ||
		     strstr(s, "with write to") || strstr(s, "with read-write to")) &&
		    strstr(s, " bytes by ") && access_is_ours(i, r->last))
			return true;
	}
	return false;
}

/* An interrupt's report also shows what was interrupted, which has nothing to do with it. */
static bool names_library(const struct report *r)
{
	bool interrupted = false;
	int i;

	for (i = r->first; i <= r->last; i++) {
		const char *s = lines[i];

		if (strstr(s, "</IRQ>"))
			interrupted = true;
		if (strstr(s, "</TASK>"))
			interrupted = false;
		/* What the guest's program says may come in between. */
		if (!interrupted && strncmp(s, "stress: ", 8) &&
		    any_in(s, names, ARRAY_SIZE(names)))
			return true;
	}
	return strstr(lines[r->first], "do_numa_page") ||
	       strstr(lines[r->first], "do_huge_pmd_numa_page");
}

/* "name+0x12/0x34" is "name" in a title, so that equal reports have equal ones. */
static char *make_title(const char *s)
{
	char *title = np_strdup(s), *p, *q;

	while ((p = strstr(title, "+0x"))) {
		q = p + strcspn(p, " ,)");
		memmove(p, q, strlen(q) + 1);
	}
	return title;
}

static void find_reports(void)
{
	struct report *r;
	int i;

	for (i = 0; i < nlines; i++) {
		if (!begins(lines[i]))
			continue;
		reports = np_realloc(reports, (nreports + 1) * sizeof(*reports));
		r = &reports[nreports++];
		*r = (struct report){ .first = i, .last = report_end(i) };
		r->race = !strncmp(lines[i], "BUG: KCSAN", 10);
		r->ours = r->race && vmlinux ? race_is_ours(r) : names_library(r);
		r->title = make_title(lines[i]);
		i = r->last;
	}
}

static void print_report(const struct report *r)
{
	int i;

	for (i = r->first; i <= r->last; i++)
		printf("    %s\n", lines[i]);
}

/* The reports about other code: each title once, with how often. */
static void print_others(void)
{
	int i, j, n;

	for (i = 0; i < nreports; i++) {
		if (reports[i].ours || !reports[i].title)
			continue;
		n = 1;
		for (j = i + 1; j < nreports; j++)
			if (!reports[j].ours && reports[j].title &&
			    !strcmp(reports[i].title, reports[j].title)) {
				free(reports[j].title);
				reports[j].title = NULL;
				n++;
			}
		printf("# %s: %d x not this code: %s\n", label, n, reports[i].title);
	}
}

static void judge_reports(void)
{
	int i, ours = 0, others = 0;

	for (i = 0; i < nreports; i++) {
		if (reports[i].ours)
			ours++;
		else
			others++;
	}
	check(!ours, "no report from this code (%d from it, %d from other code)", ours, others);
	for (i = 0; i < nreports; i++)
		if (reports[i].ours)
			print_report(&reports[i]);
	print_others();
	for (i = 0; i < nlines; i++)
		if (strncmp(lines[i], "stress: ", 8) && any_in(lines[i], off, ARRAY_SIZE(off)))
			check(false, "a detector went off: %s", lines[i]);
}

/* The line of counts at the end; NULL if the guest did not come to it. */
static const char *closing_line(void)
{
	int i;
	char *p = NULL;

	for (i = nlines - 1; i >= 0 && !p; i--)
		p = strstr(lines[i], "stress: done ");
	return p;
}

/* "NAME=N": the closing line must have NAME with at least, or at most, N. */
static void judge_count(const char *closing, const char *want, bool least)
{
	const char *equals = strchr(want, '=');
	long bound, is = -1;
	char *name, *p;

	if (!equals || np_parse_long(equals + 1, 0, 1L << 60, &bound))
		np_die(NP_USAGE, "judge: '%s': must be NAME=NUMBER", want);
	name = np_asprintf(" %.*s=", (int)(equals - want), want);
	p = strstr(closing, name);
	if (p)
		is = atol(p + strlen(name));
	check(p && (least ? is >= bound : is <= bound), "%.*s: %ld, must be at %s %ld",
	      (int)(equals - want), want, is, least ? "least" : "most", bound);
	free(name);
}

static const char *value_of(char **argv, int i)
{
	if (!argv[i])
		np_die(NP_USAGE, "judge: %s: needs a value", argv[i - 1]);
	return argv[i];
}

int main(int argc, char **argv)
{
	const char *console = NULL, *closing;
	struct np_buf text = { 0 };
	int i, err;

	for (i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--vmlinux"))
			vmlinux = value_of(argv, ++i);
		else if (!strcmp(argv[i], "--label"))
			label = value_of(argv, ++i);
		else if (!strcmp(argv[i], "--at-least") || !strcmp(argv[i], "--at-most"))
			value_of(argv, ++i);
		else if (argv[i][0] == '-' || console)
			np_die(NP_USAGE, "judge: unexpected argument '%s'", argv[i]);
		else
			console = argv[i];
	}
	if (!console)
		np_die(NP_USAGE, "usage: judge [OPTION VALUE]... CONSOLE");
	err = np_read_file(console, &text);
	if (err)
		np_die(NP_USAGE, "%s: %s", console, strerror(-err));
	split_lines(text.s);
	if (vmlinux)
		read_symbols();
	find_reports();
	judge_reports();
	closing = closing_line();
	if (check(closing, "the guest came to its end")) {
		for (i = 1; i < argc - 1; i++)
			if (!strcmp(argv[i], "--at-least") || !strcmp(argv[i], "--at-most"))
				judge_count(closing, argv[i + 1], !strcmp(argv[i], "--at-least"));
	}
	printf("%d passed, %d failed\n", passed, failed);
	return failed ? NP_FAIL : NP_OK;
}
