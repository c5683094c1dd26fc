// SPDX-License-Identifier: GPL-2.0
/*
 * Mutation testing: would the scripted histories notice if a policy were wrong?
 *
 * Each mutant is the policies' source with one small mistake in it. It is caught if, in one of the
 * builds of the histories' player, the histories fail: a check does, or the player crashes or does
 * not end. What no build catches survives, and the file "survivors" beside this one must say why.
 *
 * Assertions are not mutated (they are checks themselves), nor is what strings say.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <glob.h>
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../util.h"

#define ENOUGH 95	/* percent of the mutants that must be caught */
#define CPU_S 2		/* a player that takes longer does not end */
#define WALL_S 60	/* ... whatever else the machine has to do */

#define POLICIES "kernel/sched/numa_policy/"

static const char usage[] =
	"usage: mutate [OPTION...] --build NAME COMMAND... [--build NAME COMMAND...]...\n"
	"\n"
	"Run in the repository. NAME is a build of the player, COMMAND the compiler with the options\n"
	"and sources that make it; builds are tried in this order until one catches the mutant.\n"
	"\n"
	"  --list            print the mutants instead of running them\n"
	"  --file FILE       only the mutants of this file (or of files whose names end so)\n"
	"  --mutant N        only this one, by its number in the list\n"
	"  --jobs N          mutants at once (default: one per CPU)\n"
	"  --histories FILE  play these (default: lib/kunit/numa_policy/histories)\n"
	"  --verbose         say of each mutant what became of it\n"
	"\n"
	"Exit status: 0 enough mutants were caught and every survivor is explained; 1 not so;\n"
	"2 bad usage.\n";

/* ---- what there is ---- */

enum kind {
	IDENT,
	NUMBER,
	STRING,
	PUNCT,
};

/**
 * struct token - a token of C
 * @at: where it begins in the file
 * @end: where it ends
 * @kind: what it is
 * @match: index of the bracket that belongs to this one, or -1
 * @body: whether it is in a function's body
 * @keep: whether it is not to be mutated
 * @context: the function, type, variable or macro that it is in
 */
struct token {
	size_t at;
	size_t end;
	enum kind kind;
	int match;
	bool body;
	bool keep;
	const char *context;
};

/* Tokens that belong together: all of the code, the body of a macro, or the condition of an #if. */
struct unit {
	struct source *source;
	enum { CODE, MACRO, CONDITION } kind;
	const char *context;
	struct token *t;
	int nr;
};

/* A function, by the indices of its tokens. */
struct function {
	int name;
	int open, close;	/* the parentheses of its parameters */
	int begin, end;		/* the braces of its body */
};

struct source {
	char *path;
	struct np_buf text;
	struct unit *units;
	int nr_units;
	struct function *functions;
	int nr_functions;
};

/**
 * struct mutant - a mistake in a source
 * @source: the source
 * @at: where the mistake begins
 * @len: bytes that it replaces
 * @text: what it replaces them with
 * @operator: how it was made
 * @context: the function, type, variable or macro that it is in
 * @before: the lines as they are, as one line without superfluous blanks
 * @after: the lines with the mistake
 * @nth: its number among those that are the same in all of this, from 1
 * @chosen: whether it is to be run
 */
struct mutant {
	struct source *source;
	size_t at;
	size_t len;
	char *text;
	const char *operator;
	const char *context;
	char *before;
	char *after;
	int nth;
	bool chosen;
};

/* A part of a build that is compiled by itself. */
struct object {
	char *source;
	char *path;
	bool *needs;		/* by source: whether this object must be compiled anew for it */
};

struct build {
	const char *name;
	char **options;		/* the compiler first */
	int nr_options;
	struct object *objects;
	int nr_objects;
};

enum fate {
	UNTRIED,
	INVALID,	/* does not compile */
	CAUGHT,
	SURVIVED,
};

/* What became of a mutant. In memory that the workers share. */
struct result {
	enum fate fate;
	int build;
	char how[160];
};

/* An entry of the file "survivors". */
struct record {
	int line;
	char *path;
	char *context;
	int nth;
	char *before;
	char *after;
	char *reason;
};

static struct source *sources;
static int nr_sources;
static struct mutant *mutants;
static int nr_mutants;
static struct build *builds;
static int nr_builds;
static struct record *records;
static int nr_records;
static struct result *results;

static const char *histories = "lib/kunit/numa_policy/histories";
static char *work;		/* where everything is built */
static char *here;		/* the repository */
static char *exec;		/* what runs a player: see exec.sh */
static int jobs;
static bool verbose;

static void *grow(void *array, int nr, size_t size)
{
	array = np_realloc(array, (nr + 1) * size);
	memset((char *)array + nr * size, 0, size);
	return array;
}

/* Appends an element to an array: where it is. */
#define ADD(_array, _nr) \
	((_array) = grow((_array), (_nr), sizeof(*(_array))), &(_array)[(_nr)++])

/* ---- tokens ---- */

static bool is(const struct unit *u, int i, const char *text)
{
	return i >= 0 && i < u->nr && u->t[i].end - u->t[i].at == strlen(text) &&
	       !memcmp(u->source->text.s + u->t[i].at, text, strlen(text));
}

static bool is_any(const struct unit *u, int i, const char * const *texts)
{
	for (; *texts; texts++)
		if (is(u, i, *texts))
			return true;
	return false;
}

static bool begins(const struct unit *u, int i, const char *text)
{
	return i >= 0 && i < u->nr && u->t[i].end - u->t[i].at >= strlen(text) &&
	       !memcmp(u->source->text.s + u->t[i].at, text, strlen(text));
}

/* The text from token @from to token @to; to be freed. */
static char *text_of(const struct unit *u, int from, int to)
{
	return np_strndup(u->source->text.s + u->t[from].at, u->t[to].end - u->t[from].at);
}

/* Strings that are kept until the end. */
static const char *intern(char *text)
{
	static char **kept;
	static int nr;

	for (int i = 0; i < nr; i++) {
		if (!strcmp(kept[i], text)) {
			free(text);
			return kept[i];
		}
	}
	*ADD(kept, nr) = text;
	return text;
}

static size_t token_end(const char *s, size_t at, enum kind *kind)
{
	static const char * const puncts[] = {
		"<<=", ">>=", "...", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&",
		"||", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "##",
	};
	size_t end = at + 1;

	if (isalpha(s[at]) || s[at] == '_' || isdigit(s[at])) {
		*kind = isdigit(s[at]) ? NUMBER : IDENT;
		while (isalnum(s[end]) || s[end] == '_')
			end++;
		return end;
	}
	if (s[at] == '"' || s[at] == '\'') {
		*kind = STRING;
		while (s[end] && s[end] != s[at])
			end += s[end] == '\\' && s[end + 1] ? 2 : 1;
		return s[end] ? end + 1 : end;
	}
	*kind = PUNCT;
	for (size_t i = 0; i < ARRAY_SIZE(puncts); i++)
		if (!strncmp(s + at, puncts[i], strlen(puncts[i])))
			return at + strlen(puncts[i]);
	return end;
}

/* The first character from @at on that is neither blank nor comment. */
static size_t skip_blanks(const char *s, size_t at)
{
	for (;;) {
		const char *end;

		if (s[at] && strchr(" \t\n\\", s[at])) {
			at++;
		} else if (s[at] == '/' && s[at + 1] == '*') {
			end = strstr(s + at + 2, "*/");
			at = end ? (size_t)(end - s) + 2 : strlen(s);
		} else if (s[at] == '/' && s[at + 1] == '/') {
			at += strcspn(s + at, "\n");
		} else {
			return at;
		}
	}
}

/* The end of the line, or of the lines that backslashes make one. */
static size_t line_end(const char *s, size_t at)
{
	while (s[at] && !(s[at] == '\n' && (!at || s[at - 1] != '\\')))
		at++;
	return at;
}

static void add_mutant(struct source *source, size_t at, size_t end, char *text,
		       const char *operator, const char *context);

/*
 * A preprocessor line: what is to be mutated of it becomes a unit. Which of two branches is
 * compiled is the one thing that an #ifdef can have wrong.
 */
static void read_directive(struct source *source, size_t at, size_t end)
{
	const char *s = source->text.s;
	struct unit *u;
	enum kind kind;
	size_t word = skip_blanks(s, at + 1), next = token_end(s, word, &kind);
	char *name = np_strndup(s + word, next - word);

	at = skip_blanks(s, next);
	if (!strcmp(name, "ifdef")) {
		add_mutant(source, word, next, np_strdup("ifndef"), "condition", "#ifdef");
	} else if (!strcmp(name, "if") || !strcmp(name, "elif") || !strcmp(name, "define")) {
		u = ADD(source->units, source->nr_units);
		u->source = source;
		u->kind = *name == 'd' ? MACRO : CONDITION;
		u->context = "#if";
		if (u->kind == MACRO) {
			next = token_end(s, at, &kind);
			u->context = intern(np_strndup(s + at, next - at));
			at = s[next] == '(' ? next + strcspn(s + next, ")") + 1 : next;
		}
		while ((at = skip_blanks(s, at)) < end) {
			struct token *t = ADD(u->t, u->nr);

			t->at = at;
			at = token_end(s, at, &t->kind);
			t->end = at;
			t->context = u->context;
		}
	}
	free(name);
}

static void match_brackets(struct unit *u)
{
	int *open = np_alloc(u->nr * sizeof(*open)), depth = 0;

	for (int i = 0; i < u->nr; i++) {
		const char *s = u->source->text.s + u->t[i].at;

		u->t[i].match = -1;
		if (u->t[i].kind != PUNCT || u->t[i].end - u->t[i].at != 1)
			continue;
		if (strchr("([{", *s)) {
			open[depth++] = i;
		} else if (strchr(")]}", *s)) {
			if (!depth)
				np_die(NP_FAIL, "%s: brackets do not match", u->source->path);
			u->t[i].match = open[--depth];
			u->t[open[depth]].match = i;
		}
	}
	if (depth)
		np_die(NP_FAIL, "%s: brackets do not match", u->source->path);
	free(open);
}

static void read_tokens(struct source *source)
{
	const char *s = source->text.s;
	struct unit code = { .source = source, .kind = CODE };
	size_t at = 0;

	(void)ADD(source->units, source->nr_units);
	while (s[at = skip_blanks(s, at)]) {
		struct token *t;

		if (s[at] == '#') {
			size_t end = line_end(s, at);

			read_directive(source, at, end);
			at = end;
			continue;
		}
		t = ADD(code.t, code.nr);
		t->at = at;
		at = token_end(s, at, &t->kind);
		t->end = at;
	}
	source->units[0] = code;
	for (int i = 0; i < source->nr_units; i++)
		match_brackets(&source->units[i]);
}

/* The name of what is declared from @from on, with the first brace at @brace or none before @to. */
static int declared(const struct unit *u, int from, int brace, int to)
{
	int i = brace;

	if (brace < to && is(u, brace - 1, ")") && u->t[u->t[brace - 1].match - 1].kind == IDENT)
		return u->t[brace - 1].match - 1;
	for (; i > from && brace < to; i--)
		if (u->t[i].kind == IDENT && !begins(u, i, "__"))
			return i;
	for (i = from; i < to && !(u->t[i].kind == IDENT && is(u, i + 1, "(")); i++)
		;
	return i < to ? i : from;
}

/* What is declared at the outermost level, and which of it are functions. */
static void read_declarations(struct source *source)
{
	struct unit *u = &source->units[0];
	int from = 0;

	while (from < u->nr) {
		int brace = u->nr, to, name;
		const char *context;
		bool function;

		for (to = from; to < u->nr && !is(u, to, ";"); to++) {
			if (u->t[to].match < to)
				continue;
			if (is(u, to, "{") && brace == u->nr)
				brace = to;
			to = u->t[to].match;
			if (brace < u->nr && is(u, brace - 1, ")"))
				break;
		}
		if (to == u->nr)
			to--;
		function = brace < u->nr && is(u, brace - 1, ")");
		name = declared(u, from, brace, to);
		context = intern(text_of(u, name, name));
		for (int i = from; i <= to; i++) {
			u->t[i].context = context;
			u->t[i].body = function && i > brace;
			u->t[i].keep = is(u, from, "static_assert");
		}
		if (function) {
			struct function *f = ADD(source->functions, source->nr_functions);

			f->name = name;
			f->open = name + 1;
			f->close = brace - 1;
			f->begin = brace;
			f->end = u->t[brace].match;
		}
		from = to + 1;
	}

	/* An assertion that a macro makes is one, too. */
	for (int k = 1; k < source->nr_units; k++)
		for (int i = 0; i < source->units[k].nr; i++)
			source->units[k].t[i].keep = is(&source->units[k], 0, "static_assert");
}

static int compare_strings(const void *a, const void *b)
{
	return strcmp(*(char **)a, *(char **)b);
}

static void read_sources(void)
{
	static const char * const patterns[] = {
		POLICIES "*.c", POLICIES "*.h", "include/linux/numa_policy*.h",
	};
	char **paths = NULL;
	int nr = 0;

	for (size_t i = 0; i < ARRAY_SIZE(patterns); i++) {
		glob_t found;

		if (glob(patterns[i], 0, NULL, &found))
			np_die(NP_USAGE, "mutate: there is no %s here; run it in the repository",
			       patterns[i]);
		for (size_t j = 0; j < found.gl_pathc; j++)
			*ADD(paths, nr) = np_strdup(found.gl_pathv[j]);
		globfree(&found);
	}
	qsort(paths, nr, sizeof(*paths), compare_strings);

	sources = np_alloc(nr * sizeof(*sources));
	nr_sources = nr;
	for (int i = 0; i < nr; i++) {
		sources[i].path = paths[i];
		if (np_read_file(paths[i], &sources[i].text))
			np_die(NP_FAIL, "mutate: cannot read %s", paths[i]);
		read_tokens(&sources[i]);
		read_declarations(&sources[i]);
	}
	free(paths);
}

/* ---- making mutants ---- */

/* One line of what is several, with single blanks. */
static char *one_line(const char *s)
{
	struct np_buf b = { 0 };

	np_buf_puts(&b, "");
	for (; *s; s++) {
		if (*s == '\\' && (s[1] == '\n' || !s[1]))
			continue;
		if (isspace(*s) && (!b.len || b.s[b.len - 1] == ' '))
			continue;
		np_buf_add(&b, isspace(*s) ? " " : s, 1);
	}
	if (b.len && b.s[b.len - 1] == ' ')
		b.s[b.len - 1] = '\0';
	return b.s;
}

static void add_mutant(struct source *source, size_t at, size_t end, char *text,
		       const char *operator, const char *context)
{
	const char *s = source->text.s;
	struct np_buf b = { 0 };
	size_t from = at, to = end;
	struct mutant *m;
	char *lines;

	for (int i = 0; i < nr_mutants; i++) {
		m = &mutants[i];
		if (m->source == source && m->at == at && m->len == end - at &&
		    !strcmp(m->text, text)) {
			free(text);
			return;
		}
	}
	m = ADD(mutants, nr_mutants);
	m->source = source;
	m->at = at;
	m->len = end - at;
	m->text = text;
	m->operator = operator;
	m->context = context;

	while (from && s[from - 1] != '\n')
		from--;
	to += strcspn(s + to, "\n");
	lines = np_strndup(s + from, to - from);
	m->before = one_line(lines);
	free(lines);
	np_buf_add(&b, s + from, at - from);
	np_buf_puts(&b, text);
	np_buf_add(&b, s + end, to - end);
	m->after = one_line(b.s);
	np_buf_free(&b);
}

/* Tokens @from to @to are replaced. */
static void replace(struct unit *u, int from, int to, const char *operator, char *text)
{
	for (int i = from; i <= to; i++) {
		if (u->t[i].keep) {
			free(text);
			return;
		}
	}
	add_mutant(u->source, u->t[from].at, u->t[to].end, text, operator, u->t[from].context);
}

static void replace_by(struct unit *u, int i, const char *operator, const char *text)
{
	if (!is(u, i, text))
		replace(u, i, i, operator, np_strdup(text));
}

/* Is token @i the end of a value, so that what follows is a binary operator? */
static bool operand(const struct unit *u, int i)
{
	static const char * const words[] = { "return", "case", "sizeof", "else", NULL };

	if (i < 0)
		return u->kind == MACRO;
	return u->t[i].kind == NUMBER || u->t[i].kind == STRING || is(u, i, ")") || is(u, i, "]") ||
	       (u->t[i].kind == IDENT && !is_any(u, i, words));
}

/* The name of the function that is called with token @i among its arguments, or -1. */
static int called(const struct unit *u, int i)
{
	for (i--; i > 0; i--) {
		if (is(u, i, "("))
			return u->t[i - 1].kind == IDENT ? i - 1 : -1;
		if (is(u, i, ";") || is(u, i, "{"))
			return -1;
		if (u->t[i].match >= 0 && u->t[i].match < i)
			i = u->t[i].match;
	}
	return -1;
}

/* Is token @i a number of windows: a rule's argument, or the member of that name? */
static bool windows(const struct unit *u, int i)
{
	int name = called(u, i);

	return begins(u, name, "numa_rule_") || is(u, name, "numa_pids") ||
	       (is(u, i - 1, "=") && is(u, i - 2, "windows"));
}

static const char * const relations[] = { "<", "<=", ">", ">=", "==", "!=", NULL };

/* Operators that are taken for one another. */
static const char * const swaps[][3] = {
	{ "&&", "||", "logic" },
	{ "+", "-", "arithmetic" },
	{ "-", "+", "arithmetic" },
	{ "+=", "-=", "arithmetic" },
	{ "+=", "=", "assignment" },
	{ "-=", "+=", "arithmetic" },
	{ "-=", "=", "assignment" },
	{ "|=", "=", "assignment" },
	{ "|=", "&=", "bits" },
	{ "&=", "=", "assignment" },
	{ "&=", "|=", "bits" },
	{ "&", "|", "bits" },
	{ "|", "&", "bits" },
	{ ">>", "<<", "shift" },
	{ "<<", ">>", "shift" },
	{ "++", "--", "arithmetic" },
	{ "--", "++", "arithmetic" },
	{ "||", "&&", "logic" },
	{ "true", "false", "literal" },
	{ "false", "true", "literal" },
};

static void mutate_operator(struct unit *u, int i)
{
	if (is_any(u, i, relations)) {
		if (is(u, i, "==") || is(u, i, "!="))
			replace_by(u, i, "comparison", is(u, i, "==") ? "!=" : "==");
		else
			for (int k = 0; relations[k]; k++)
				replace_by(u, i, "comparison", relations[k]);
	}
	if (is(u, i, "!"))
		replace_by(u, i, "negation", "");
	for (size_t k = 0; k < ARRAY_SIZE(swaps); k++) {
		/* A sign, or an address, is none of these. */
		if (is(u, i, swaps[k][0]) &&
		    (u->t[i].end - u->t[i].at != 1 || operand(u, i - 1)))
			replace_by(u, i, swaps[k][2], swaps[k][1]);
	}
}

static void mutate_number(struct unit *u, int i)
{
	const char *s = u->source->text.s + u->t[i].at;
	const char *fmt = s[0] == '0' && isdigit(s[1]) ? "0%lo%.*s" : "%ld%.*s";
	char *suffix;
	long n = strtol(s, &suffix, 0);
	int len = u->t[i].end - u->t[i].at - (suffix - s);

	replace(u, i, i, "constant",
		n ? np_asprintf(fmt, n - 1, len, suffix) : np_strdup("(-1)"));
	replace(u, i, i, "constant", np_asprintf(fmt, n + 1, len, suffix));
	if (n)
		replace_by(u, i, "constant", "0");
	if (windows(u, i))
		replace_by(u, i, "windows", "NUMA_POLICY_WINDOWS");
}

/* Members of structs that are taken for one another. */
static const char * const fields[][2] = {
	{ "start_scan_seq", "prev_scan_seq" },
	{ "scan_offset", "vma_start" },
	{ "next_scan", "pids_active_reset" },
	{ "pid", "nr_threads" },
	{ "scan_seq", "nr_threads" },
	{ "numa_scan_offset", "numa_scan_seq" },
	{ "vm_start", "vm_end" },
};

/* The reasons that there are, in the order of their enum. */
static const char **reasons;
static int nr_reasons;

static void find_reasons(void)
{
	for (int k = 0; k < nr_sources; k++) {
		const struct unit *u = &sources[k].units[0];

		for (int i = 0; i < u->nr; i++)
			if (begins(u, i, "NUMA_POLICY_") && !u->t[i].body &&
			    !strcmp(u->t[i].context, "numa_policy_reason"))
				*ADD(reasons, nr_reasons) = intern(text_of(u, i, i));
	}
}

static bool a_reason(const struct unit *u, int i)
{
	for (int k = 0; k < nr_reasons; k++)
		if (is(u, i, reasons[k]))
			return true;
	return false;
}

static void mutate_ident(struct unit *u, int i)
{
	static const char * const not_values[] = { "IS_ENABLED", "defined", NULL };
	char *name;

	if (is(u, i - 1, ".") || is(u, i - 1, "->")) {
		for (size_t k = 0; k < ARRAY_SIZE(fields); k++) {
			if (is(u, i, fields[k][0]))
				replace_by(u, i, "field", fields[k][1]);
			if (is(u, i, fields[k][1]))
				replace_by(u, i, "field", fields[k][0]);
		}
		return;
	}
	if (is(u, i, "NUMA_POLICY_WINDOWS")) {
		replace_by(u, i, "windows", "1");
		replace_by(u, i, "windows", "2");
		replace_by(u, i, "windows", "3");
		replace_by(u, i, "windows", "(NUMA_POLICY_WINDOWS - 1)");
	} else if (is(u, i, "BITS_PER_LONG")) {
		replace_by(u, i, "constant", "32");
		replace_by(u, i, "constant", "64");
	} else if (begins(u, i, "CONFIG_") && !is_any(u, called(u, i), not_values) &&
		   !is(u, i + 1, "##")) {
		replace_by(u, i, "option", "2");
		replace_by(u, i, "option", "3");
		replace_by(u, i, "option", "4");
		name = text_of(u, i, i);
		replace(u, i, i, "option", np_asprintf("(%s - 1)", name));
		replace(u, i, i, "option", np_asprintf("(%s + 1)", name));
		free(name);
	} else if (u->t[i].body && a_reason(u, i)) {
		for (int k = 0; k < nr_reasons; k++)
			replace_by(u, i, "reason", reasons[k]);
	}
}

/* An index that is one too small or too large. */
static void mutate_index(struct unit *u, int i)
{
	char *name;

	if (!u->t[i].body || u->t[i].match != i + 2 || u->t[i + 1].kind != IDENT ||
	    isupper(u->source->text.s[u->t[i + 1].at]) || !operand(u, i - 1))
		return;
	name = text_of(u, i + 1, i + 1);
	replace(u, i + 1, i + 1, "index", np_asprintf("%s - 1", name));
	replace(u, i + 1, i + 1, "index", np_asprintf("%s + 1", name));
	free(name);
}

/* The token before which what begins at @i ends, a comma or closing bracket that is not inside. */
static int part_end(const struct unit *u, int i, int to)
{
	for (; i < to && !is(u, i, ",") && !is(u, i, ")") && !is(u, i, "}"); i++)
		if (u->t[i].match > i)
			i = u->t[i].match;
	return i;
}

/* A designated initialiser that is missing. */
static void mutate_member(struct unit *u, int i)
{
	int end;

	if (!is(u, i, ".") || !is(u, i + 2, "=") ||
	    !(is(u, i - 1, ",") || is(u, i - 1, "{") || is(u, i - 1, "(")))
		return;
	end = part_end(u, i, u->nr);
	if (is(u, end, ","))
		replace(u, i, end, "member", np_strdup(""));
	else if (is(u, i - 1, ","))
		replace(u, i - 1, end - 1, "member", np_strdup(""));
	else
		replace(u, i, end - 1, "member", np_strdup(""));
}

/* What is done with the care that wrap-around needs, or the hash: without. */
static void mutate_care(struct unit *u, int i, int last)
{
	int comma = part_end(u, i + 2, last);
	char *one, *two, *relation;

	if (!is(u, comma, ","))
		return;
	one = text_of(u, i + 2, comma - 1);
	two = text_of(u, comma + 1, last - 1);
	if (is(u, i, "time_after")) {
		replace(u, i, last, "wrap-around", np_asprintf("(%s > %s)", one, two));
		replace(u, i, last, "comparison", np_asprintf("(!time_after(%s, %s))", two, one));
	}
	if (is(u, i, "numa_seq_delta")) {
		replace(u, i, last, "wrap-around", np_asprintf("(%s - %s)", one, two));
		if (is_any(u, last + 1, relations)) {
			relation = text_of(u, last + 1, last + 1);
			replace(u, i, last + 1, "wrap-around",
				np_asprintf("%s %s %s +", one, relation, two));
			free(relation);
		}
	}
	if (is(u, i, "hash_32"))
		replace(u, i, last, "hash", np_asprintf("%s & (BITS_PER_LONG - 1)", one));
	free(one);
	free(two);
}

/* Arguments of a call that are exchanged with their neighbours. */
static void mutate_call(struct unit *u, int i)
{
	static const char * const words[] = {
		"if", "for", "while", "switch", "return", "sizeof", NULL
	};
	const char *s = u->source->text.s;
	int from, to, last;

	if (u->t[i].kind != IDENT || !is(u, i + 1, "(") || !u->t[i].body || is_any(u, i, words))
		return;
	last = u->t[i + 1].match;
	mutate_care(u, i, last);
	for (from = i + 2; (to = part_end(u, from, last)) < last; from = to + 1) {
		int end = part_end(u, to + 1, last);

		replace(u, from, end - 1, "argument",
			np_asprintf("%.*s, %.*s", (int)(u->t[end - 1].end - u->t[to + 1].at),
				    s + u->t[to + 1].at,
				    (int)(u->t[to - 1].end - u->t[from].at), s + u->t[from].at));
	}
}

/* A type that is too narrow, or has no sign, for a parameter, a member, a result or a sum. */
static void mutate_type(struct unit *u, int i)
{
	bool sign = is(u, i, "unsigned");
	int type = i + sign, name = type + 1, next = name + 1;

	if (u->kind != CODE || next >= u->nr || is(u, i - 1, "unsigned") ||
	    (!is(u, type, "int") && !is(u, type, "long")) ||
	    u->t[name].kind != IDENT || begins(u, name, "__"))
		return;
	if (u->t[i].body ? !is(u, next, "=") : is(u, next, "(") && !is(u, i - 1, "inline"))
		return;

	if (is(u, type, "long")) {
		replace(u, i, type, "type", np_strdup(sign ? "unsigned int" : "int"));
	} else if (!sign) {
		replace(u, i, type, "type", np_strdup("short"));
		/* To a parameter, which is converted, the sign makes no difference. */
		if (!is(u, next, ",") && !is(u, next, ")"))
			replace(u, i, type, "type", np_strdup("unsigned int"));
	} else if (is(u, name, "pid")) {
		replace(u, i, type, "type", np_strdup("unsigned short"));
	}
}

/* A cast that is missing. */
static void mutate_cast(struct unit *u, int i)
{
	static const char * const types[] = { "unsigned", "int", "long", NULL };
	int last = u->t[i].match;

	if (!is(u, i, "(") || operand(u, i - 1) || last == i + 1)
		return;
	for (int k = i + 1; k < last; k++)
		if (!is_any(u, k, types))
			return;
	replace(u, i, last, "cast", np_strdup(""));
}

/* A policy that is defined without a member: with it. */
static void mutate_definition(struct unit *u, int i)
{
	int end;

	if (!is(u, i, "DEFINE_NUMA_POLICY") || u->kind != CODE)
		return;
	end = u->t[i + 1].match;
	for (int k = i; k < end; k++)
		if (is(u, k, "no_forced_pass"))
			return;
	replace(u, end, end, "member", np_strdup(", .no_forced_pass = true)"));
}

/* A condition that is the other way round, or always the same. */
static void mutate_condition(struct unit *u, int from, int to)
{
	char *text = text_of(u, from, to);

	replace(u, from, to, "condition", np_asprintf("!(%s)", text));
	replace(u, from, to, "condition", np_strdup("1"));
	replace(u, from, to, "condition", np_strdup("0"));
	free(text);
}

/* A macro that chooses by a condition, which is its beginning. */
static void mutate_choice(struct unit *u)
{
	for (int i = 0; i < u->nr && u->kind == MACRO; i++) {
		if (is(u, i, "?") && !is(u, i + 1, ":") && i)
			return mutate_condition(u, 0, i - 1);
		if (u->t[i].match > i)
			i = u->t[i].match;
	}
}

static void mutate_tokens(struct unit *u)
{
	for (int i = 0; i < u->nr; i++) {
		mutate_operator(u, i);
		if (u->t[i].kind == NUMBER)
			mutate_number(u, i);
		if (u->t[i].kind == IDENT)
			mutate_ident(u, i);
		if (is(u, i, "["))
			mutate_index(u, i);
		mutate_member(u, i);
		mutate_call(u, i);
		mutate_type(u, i);
		mutate_cast(u, i);
		mutate_definition(u, i);
	}
	mutate_choice(u);
}

/* A rule, called as the one from @from to @to is; NULL if it wants what nobody knows. */
static char *rule_call(const struct unit *u, int from, int to, const struct source *source,
		       const struct function *f)
{
	const struct unit *code = &source->units[0];
	char *name = text_of(code, f->name, f->name), *call = NULL;
	int comma = part_end(u, from + 2, to), second = part_end(code, f->open + 1, f->close);
	char *first = text_of(u, from + 2, comma - 1);

	if (second == f->close)
		call = np_asprintf("%s(%s)", name, first);
	else if (is(code, f->close - 1, "threshold"))
		call = np_asprintf("%s(%s, CONFIG_NUMA_POLICY_SHARED_THRESHOLD)", name, first);
	else if (is(code, f->close - 1, "windows"))
		call = np_asprintf("%s(%s, 2)", name, first);
	free(name);
	free(first);
	return call;
}

/*
 * Each rule there is instead of the one from @from to @to, behind the text @before, unless it is
 * among those from @chain on: such a rule would be the same or could never be the first.
 */
static void other_rules(struct unit *u, int from, int to, const char *operator, const char *before,
			int chain)
{
	for (int k = 0; k < nr_sources; k++) {
		for (int j = 0; j < sources[k].nr_functions; j++) {
			struct function *f = &sources[k].functions[j];
			char *name = text_of(&sources[k].units[0], f->name, f->name), *call = NULL;
			bool known = false;

			for (int i = chain; i <= to; i++)
				known |= is(u, i, name);
			if (!strncmp(name, "numa_rule_", strlen("numa_rule_")) && !known)
				call = rule_call(u, from, to, &sources[k], f);
			free(name);
			if (call)
				replace(u, from, to, operator, np_asprintf("%s%s", before, call));
			free(call);
		}
	}
}

/* A chain of rules joined by "?:": one that is wrong, missing, too much, or in the wrong place. */
static void mutate_chain(struct unit *u, int from, int to)
{
	const char *s = u->source->text.s;
	int begin[64], end[64], n = 0;
	char *last, *before;

	if (!begins(u, from, "numa_rule_"))
		return;
	begin[0] = from;
	for (int i = from; i <= to; i++) {
		if (u->t[i].match > i)
			i = u->t[i].match;
		if (!is(u, i + 1, "?") && i < to)
			continue;
		end[n++] = i;
		i += 2;
		if (n == (int)ARRAY_SIZE(begin))
			np_die(NP_FAIL, "%s: more rules than can be", u->source->path);
		begin[n] = i + 1;
	}
	for (int k = 0; k < n; k++) {
		other_rules(u, begin[k], end[k], "wrong rule", "", begin[k]);
		if (k < n - 1) {
			int next = begin[k + 1], len = u->t[next].at - u->t[end[k]].end;
			char *one = text_of(u, begin[k], end[k]);
			char *two = text_of(u, next, end[k + 1]);

			replace(u, begin[k], end[k + 1], "rule order",
				np_asprintf("%s%.*s%s", two, len, s + u->t[end[k]].end, one));
			replace(u, begin[k], next - 1, "missing rule", np_strdup(""));
			free(one);
			free(two);
		} else if (k) {
			replace(u, end[k - 1] + 1, end[k], "missing rule", np_strdup(""));
		}
	}

	/* A rule too much, at the end. */
	last = text_of(u, begin[n - 1], end[n - 1]);
	before = np_asprintf("%s ?: ", last);
	other_rules(u, begin[n - 1], end[n - 1], "rule too much", before, from);
	free(before);
	free(last);
}

static int statement_end(const struct unit *u, int i)
{
	for (; i < u->nr && !is(u, i, ";"); i++)
		if (u->t[i].match > i)
			i = u->t[i].match;
	return i;
}

static void mutate_for(struct unit *u, int open)
{
	int from = statement_end(u, open + 1) + 1, to = statement_end(u, from);

	if (from < to)
		replace(u, from, to - 1, "condition", np_strdup("0"));
}

static void mutate_return(struct unit *u, int i, int end)
{
	static const char * const constants[] = { "NULL", "false", "true", NULL };

	if (end <= i + 1)
		return;
	mutate_chain(u, i + 1, end - 1);
	if (end > i + 2 || (u->t[i + 1].kind == IDENT && !is_any(u, i + 1, constants) &&
			    !a_reason(u, i + 1)))
		replace(u, i + 1, end - 1, "result", np_strdup("0"));
}

/* The statements of a function's body: conditions, results, and what is done or is not. */
static void mutate_statements(struct unit *u, const struct function *f)
{
	static const char * const types[] = {
		"const", "struct", "enum", "unsigned", "signed", "int", "long", "bool", "char",
		"static", "u8", "size_t", "void", NULL
	};
	int i = f->begin;

	while (i < f->end) {
		if (is(u, i, "if") || is(u, i, "while")) {
			mutate_condition(u, i + 2, u->t[i + 1].match - 1);
			i = u->t[i + 1].match + 1;
		} else if (is(u, i, "for")) {
			mutate_for(u, i + 1);
			i = u->t[i + 1].match + 1;
		} else if (is(u, i, "{") || is(u, i, "}") || is(u, i, ";") || is(u, i, "else") ||
			   is(u, i, "do")) {
			i++;
		} else {
			int end = statement_end(u, i);

			if (is(u, i, "return"))
				mutate_return(u, i, end);
			else if (!is_any(u, i, types))
				replace(u, i, end - 1, "statement", np_strdup(""));
			i = end + 1;
		}
	}
}

/* A parameter of a function, by the indices of its first token and its name, which is the last. */
struct parameter {
	int from;
	int name;
};

static bool same_type(const struct unit *u, const struct parameter *a, const struct parameter *b)
{
	char *one, *two;
	bool same;

	if (a->from == a->name || b->from == b->name)
		return false;
	one = text_of(u, a->from, a->name - 1);
	two = text_of(u, b->from, b->name - 1);
	same = !strcmp(one, two);
	free(one);
	free(two);
	return same;
}

/* In a function's body, parameter @b instead of @a; and sums with @b instead of increments. */
static void mutate_parameter(struct unit *u, const struct function *f, const struct parameter *a,
			     const struct parameter *b)
{
	char *name = text_of(u, a->name, a->name), *other = text_of(u, b->name, b->name);

	for (int i = f->begin; i < f->end; i++) {
		if (a != b && is(u, i, name) && !is(u, i - 1, ".") && !is(u, i - 1, "->") &&
		    same_type(u, a, b))
			replace_by(u, i, "parameter", other);
		if (a == b && is(u, i, "+=") && is(u, b->from, "unsigned") && !is(u, i + 1, other))
			replace(u, i, i, "parameter", np_asprintf("= %s +", other));
	}
	free(name);
	free(other);
}

static void mutate_parameters(struct unit *u, const struct function *f)
{
	struct parameter parameters[16];
	int n = 0, end;

	for (int from = f->open + 1; from < f->close; from = end + 1) {
		end = part_end(u, from, f->close);
		if (n == (int)ARRAY_SIZE(parameters))
			np_die(NP_FAIL, "%s: more parameters than can be", u->source->path);
		parameters[n++] = (struct parameter){ from, end - 1 };
	}
	for (int i = 0; i < n; i++)
		for (int k = 0; k < n; k++)
			mutate_parameter(u, f, &parameters[i], &parameters[k]);
}

static int compare_mutants(const void *a, const void *b)
{
	const struct mutant *m = a, *n = b;

	if (m->source != n->source)
		return m->source < n->source ? -1 : 1;
	if (m->at != n->at)
		return m->at < n->at ? -1 : 1;
	if (m->len != n->len)
		return m->len < n->len ? -1 : 1;
	return strcmp(m->text, n->text);
}

static void make_mutants(void)
{
	find_reasons();
	for (int k = 0; k < nr_sources; k++) {
		struct source *source = &sources[k];

		for (int i = 0; i < source->nr_functions; i++) {
			mutate_statements(&source->units[0], &source->functions[i]);
			mutate_parameters(&source->units[0], &source->functions[i]);
		}
		for (int i = 0; i < source->nr_units; i++)
			mutate_tokens(&source->units[i]);
	}
	qsort(mutants, nr_mutants, sizeof(*mutants), compare_mutants);

	for (int i = 0; i < nr_mutants; i++) {
		struct mutant *m = &mutants[i];

		m->nth = 1;
		for (int k = 0; k < i; k++)
			if (mutants[k].source == m->source &&
			    !strcmp(mutants[k].context, m->context) &&
			    !strcmp(mutants[k].before, m->before) &&
			    !strcmp(mutants[k].after, m->after))
				m->nth++;
	}
}

static unsigned int line_of(const struct mutant *m)
{
	unsigned int line = 1;

	for (size_t i = 0; i < m->at; i++)
		line += m->source->text.s[i] == '\n';
	return line;
}

/* As in the file "survivors". */
static void print_mutant(int i)
{
	const struct mutant *m = &mutants[i];

	printf("%s %s", m->source->path, m->context);
	if (m->nth > 1)
		printf(" #%d", m->nth);
	printf("\n# mutant %d, line %u: %s\n", i + 1, line_of(m), m->operator);
	printf("- %s\n+ %s\n", m->before, m->after);
}

/* ---- survivors that are known ---- */

#define SURVIVORS "tools/numa_policy/tests/survivors"

/* FILE NAME [#N]: where mistakes are, the latter in a function, type, variable or macro. */
static void read_header(const char *text, int line, struct record *head)
{
	int n;
	char **words = np_split(text, ' ', &n);
	long nth = 1;

	if (n < 2 || n > 3 || (n == 3 && (words[2][0] != '#' ||
					  np_parse_long(words[2] + 1, 2, 1000, &nth))))
		np_die(NP_FAIL, "mutate: survivors:%d: \"%s\": must be FILE NAME or FILE NAME #N",
		       line, text);
	memset(head, 0, sizeof(*head));
	head->line = line;
	head->path = np_strdup(words[0]);
	head->context = np_strdup(words[1]);
	head->nth = nth;
	np_split_free(words, n);
}

/* A line of the entry @head, whose mistakes are records from @first on; is it right there? */
static bool read_line(const char *s, int line, struct record *head, int first)
{
	char *reason = first < nr_records ? records[first].reason : NULL, *longer;

	if (*s == '-' && !head->before) {
		head->before = one_line(s + 1);
	} else if (*s == '+' && head->before && !reason) {
		struct record *r = ADD(records, nr_records);

		*r = *head;
		r->line = line;
		r->after = one_line(s + 1);
	} else if (first < nr_records &&
		   (reason ? *s == '\t' : !strncmp(s, "equivalent: ", strlen("equivalent: ")) ||
					  !strncmp(s, "missing: ", strlen("missing: ")))) {
		longer = reason ? np_asprintf("%s\n%s", reason, s) : np_strdup(s);
		for (int k = first; k < nr_records; k++)
			records[k].reason = longer;
		free(reason);
	} else {
		return false;
	}
	return true;
}

/*
 * An entry is a paragraph: a header, a line as it is, lines with a mistake, and the reason why
 * those survive, which may go on in indented lines.
 */
static void read_survivors(void)
{
	struct np_buf text = { 0 };
	struct record head = { 0 };
	char **lines;
	int n, first = 0;

	if (np_read_file(SURVIVORS, &text))
		np_die(NP_FAIL, "mutate: cannot read " SURVIVORS);
	lines = np_split(text.s, '\n', &n);
	for (int i = 0; i <= n; i++) {
		const char *s = i < n ? lines[i] : "";

		if (*s == '#')
			continue;
		if (!*s) {
			if (head.path && (first == nr_records || !records[first].reason))
				np_die(NP_FAIL, "mutate: survivors:%d: an entry without a reason",
				       i + 1);
			head.path = NULL;
		} else if (!head.path) {
			read_header(s, i + 1, &head);
			first = nr_records;
		} else if (!read_line(s, i + 1, &head, first)) {
			np_die(NP_FAIL, "mutate: survivors:%d: \"%s\": cannot come here", i + 1, s);
		}
	}
	np_split_free(lines, n);
	np_buf_free(&text);
}

static bool same_mutant(const struct record *r, const struct mutant *m)
{
	return !strcmp(r->path, m->source->path) && !strcmp(r->context, m->context) &&
	       r->nth == m->nth && !strcmp(r->before, m->before) && !strcmp(r->after, m->after);
}

static struct record *record_of(const struct mutant *m)
{
	for (int i = 0; i < nr_records; i++)
		if (same_mutant(&records[i], m))
			return &records[i];
	return NULL;
}

/* ---- running ---- */

/* Is at a worker's tree now. */
static void enter(int worker)
{
	char *dir = np_asprintf("%s/tree-%d", work, worker);

	if (chdir(dir))
		np_die(NP_FAIL, "mutate: %s: %s", dir, strerror(errno));
	free(dir);
}

/*
 * Runs a command with its output in the files "out" and "err" of the present directory.
 * Returns its status as waitpid() has it.
 */
static int run(char **argv, bool limited)
{
	int status;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (pid < 0)
		np_die(NP_FAIL, "mutate: fork: %s", strerror(errno));
	if (!pid) {
		const struct rlimit no_core = { 0, 0 }, cpu = { CPU_S, CPU_S + 1 };
		const struct rlimit size = { 64 << 20, 64 << 20 };

		if (!freopen("/dev/null", "r", stdin) || !freopen("out", "w", stdout) ||
		    !freopen("err", "w", stderr))
			_exit(126);
		setrlimit(RLIMIT_CORE, &no_core);
		if (limited) {
			setrlimit(RLIMIT_CPU, &cpu);
			setrlimit(RLIMIT_FSIZE, &size);
			alarm(WALL_S);
		}
		execvp(argv[0], argv);
		perror(argv[0]);
		_exit(127);
	}
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			np_die(NP_FAIL, "mutate: waitpid: %s", strerror(errno));
	return status;
}

/* A command being put together. */
struct command {
	char **argv;
	int nr;
};

static void add_word(struct command *c, const char *word)
{
	*ADD(c->argv, c->nr) = word ? np_strdup(word) : NULL;
}

static void begin_compiling(struct command *c, const struct build *build)
{
	/* What is no C is not a mistake that tests are needed for. */
	static const char * const options[] = {
		"-std=gnu11", "-D_GNU_SOURCE", "-O0", "-pipe", "-Werror=int-conversion",
		"-Werror=incompatible-pointer-types", "-Werror=implicit-function-declaration",
	};

	memset(c, 0, sizeof(*c));
	for (int i = 0; i < build->nr_options; i++)
		add_word(c, build->options[i]);
	for (size_t i = 0; i < ARRAY_SIZE(options); i++)
		add_word(c, options[i]);
}

static int run_command(struct command *c, bool limited)
{
	int status;

	add_word(c, NULL);
	status = run(c->argv, limited);
	for (int i = 0; i < c->nr; i++)
		free(c->argv[i]);
	free(c->argv);
	return status;
}

static int play(void)
{
	struct command c = { 0 };

	add_word(&c, exec);
	add_word(&c, "./player");
	add_word(&c, histories);
	return run_command(&c, true);
}

/* The first line of a file that has @text in it, cut to what there is room for. */
static bool find_line(const char *path, const char *text, char *line, size_t size)
{
	struct np_buf b = { 0 };
	const char *at;

	if (np_read_file(path, &b)) {
		np_buf_free(&b);
		return false;
	}
	at = strstr(b.s, text);
	if (at && line) {
		while (at > b.s && at[-1] != '\n')
			at--;
		snprintf(line, size, "%.*s", (int)strcspn(at, "\n"), at);
	}
	np_buf_free(&b);
	return at;
}

/* Makes a build of the sources as they are, and plays the histories with it. */
static void make_base(int worker, int index)
{
	struct build *build = &builds[index];
	struct result *result = &results[index];
	struct command c;

	enter(worker);
	result->fate = INVALID;
	for (int i = 0; i < build->nr_objects; i++) {
		begin_compiling(&c, build);
		add_word(&c, "-MD");
		add_word(&c, "-c");
		add_word(&c, build->objects[i].source);
		add_word(&c, "-o");
		add_word(&c, build->objects[i].path);
		if (run_command(&c, false))
			goto failed;
	}
	begin_compiling(&c, build);
	add_word(&c, "-o");
	add_word(&c, "player");
	for (int i = 0; i < build->nr_objects; i++)
		add_word(&c, build->objects[i].path);
	if (run_command(&c, false))
		goto failed;

	result->fate = play() ? CAUGHT : SURVIVED;
	if (result->fate == SURVIVED)
		return;
failed:
	if (!find_line("out", "not ok", result->how, sizeof(result->how)) &&
	    !find_line("err", "error", result->how, sizeof(result->how)))
		find_line("err", "", result->how, sizeof(result->how));
}

/* Says whether it is settled what becomes of the mutant. */
static bool try_build(struct mutant *m, struct build *build, struct result *result)
{
	struct command c;
	bool needed = false;
	int status;

	for (int i = 0; i < build->nr_objects; i++)
		needed |= build->objects[i].needs[m->source - sources];
	if (!needed)
		return false;

	begin_compiling(&c, build);
	add_word(&c, "-o");
	add_word(&c, "player");
	for (int i = 0; i < build->nr_objects; i++)
		add_word(&c, build->objects[i].needs[m->source - sources] ?
			 build->objects[i].source : build->objects[i].path);
	if (run_command(&c, false)) {
		bool asserted = find_line("err", "static assertion failed", result->how,
					  sizeof(result->how));

		if (!asserted && !find_line("err", "error", result->how, sizeof(result->how)))
			find_line("err", "", result->how, sizeof(result->how));
		result->fate = asserted ? CAUGHT : INVALID;
		return true;
	}

	status = play();
	if (!status)
		return false;
	result->fate = CAUGHT;
	if (WIFSIGNALED(status) && (WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGALRM ||
				    WTERMSIG(status) == SIGKILL))
		snprintf(result->how, sizeof(result->how), "does not end");
	else if (WIFSIGNALED(status))
		snprintf(result->how, sizeof(result->how), "crashes: %s",
			 strsignal(WTERMSIG(status)));
	else if (!find_line("out", "not ok", result->how, sizeof(result->how)) &&
		 !find_line("err", "error", result->how, sizeof(result->how)))
		find_line("err", "", result->how, sizeof(result->how));
	return true;
}

static void run_mutant(int worker, int index)
{
	struct mutant *m = &mutants[index];
	struct result *result = &results[index];
	struct np_buf text = { 0 };
	char *original = np_asprintf("%s/%s", here, m->source->path);

	if (!m->chosen)
		goto out;
	enter(worker);
	np_buf_add(&text, m->source->text.s, m->at);
	np_buf_puts(&text, m->text);
	np_buf_puts(&text, m->source->text.s + m->at + m->len);
	unlink(m->source->path);
	if (np_write_file(m->source->path, text.s, text.len))
		np_die(NP_FAIL, "mutate: cannot write %s/tree-%d/%s", work, worker,
		       m->source->path);

	for (result->build = 0; result->build < nr_builds; result->build++)
		if (try_build(m, &builds[result->build], result))
			break;
	if (result->build == nr_builds)
		result->fate = SURVIVED;

	if (unlink(m->source->path) || symlink(original, m->source->path))
		np_die(NP_FAIL, "mutate: cannot restore %s/tree-%d/%s", work, worker,
		       m->source->path);
out:
	np_buf_free(&text);
	free(original);
}

/* Does @nr things, several at once, each in a process of its own with a tree of its own. */
static void do_all(int nr, void (*fn)(int worker, int index))
{
	atomic_int *next = mmap(NULL, sizeof(*next), PROT_READ | PROT_WRITE,
				MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	bool failed = false, terminal = isatty(STDERR_FILENO);
	int status, left = jobs;

	if (next == MAP_FAILED)
		np_die(NP_FAIL, "mutate: mmap: %s", strerror(errno));
	fflush(NULL);
	for (int worker = 0; worker < jobs; worker++) {
		pid_t pid = fork();
		int i;

		if (pid < 0)
			np_die(NP_FAIL, "mutate: fork: %s", strerror(errno));
		if (pid)
			continue;
		prctl(PR_SET_PDEATHSIG, SIGTERM);
		while ((i = atomic_fetch_add(next, 1)) < nr) {
			if (terminal)
				fprintf(stderr, "\r%d/%d\r", i, nr);
			fn(worker, i);
		}
		_exit(0);
	}
	while (left) {
		if (wait(&status) < 0)
			continue;
		left--;
		failed |= status;
	}
	munmap(next, sizeof(*next));
	if (failed)
		np_die(NP_FAIL, "mutate: a worker failed");
}

static void new_results(int nr)
{
	results = mmap(NULL, (nr + 1) * sizeof(*results), PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (results == MAP_FAILED)
		np_die(NP_FAIL, "mutate: mmap: %s", strerror(errno));
}

/* ---- trees and objects ---- */

static void remove_work(void)
{
	pid_t pid = fork();

	if (!pid) {
		execlp("rm", "rm", "-rf", "--", work, NULL);
		_exit(127);
	}
	if (pid > 0)
		waitpid(pid, NULL, 0);
}

/* Symbolic links to the files that the player is made of, in directories of the same names. */
static void link_files(int worker, const char *pattern)
{
	glob_t found;

	if (glob(pattern, GLOB_MARK, NULL, &found))
		return;
	for (size_t i = 0; i < found.gl_pathc; i++) {
		const char *path = found.gl_pathv[i];
		char *to = np_asprintf("%s/tree-%d/%s", work, worker, path);
		char *from = np_asprintf("%s/%s", here, path);

		if (path[strlen(path) - 1] == '/') {
			char *inner = np_asprintf("%s*", path);

			if (np_mkdirs(to))
				np_die(NP_FAIL, "mutate: cannot make %s", to);
			link_files(worker, inner);
			free(inner);
		} else if (symlink(from, to) && errno != EEXIST) {
			np_die(NP_FAIL, "mutate: %s: %s", to, strerror(errno));
		}
		free(from);
		free(to);
	}
	globfree(&found);
}

static bool ends_with(const char *s, const char *end)
{
	return strlen(s) >= strlen(end) && !strcmp(s + strlen(s) - strlen(end), end);
}

static void add_object(struct build *build, char *source)
{
	struct object *o = ADD(build->objects, build->nr_objects);

	o->source = source;
	o->path = np_asprintf("%s/base/%s-%d.o", work, build->name, build->nr_objects - 1);
	o->needs = np_alloc(nr_sources * sizeof(*o->needs));
}

/*
 * The policies' sources are compiled as one, for speed; each of the others by itself, among them
 * the one that includes the policies.
 */
static void make_trees(void)
{
	for (int k = 0; k < jobs; k++) {
		static const char * const parts[] = { "kernel/", "include/", "lib/", "tools/" };

		for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
			link_files(k, parts[i]);
	}
	for (int b = 0; b < nr_builds; b++) {
		struct build *build = &builds[b];
		struct np_buf all = { 0 };
		int kept = 0;

		for (int i = 0; i < build->nr_options; i++) {
			char *word = build->options[i];
			size_t len = strlen(word);

			if (len < 3 || strcmp(word + len - 2, ".c"))
				build->options[kept++] = word;
			else if (!strncmp(word, POLICIES, strlen(POLICIES)) &&
				 !ends_with(word, "/shadow.c"))
				np_buf_printf(&all, "#include \"%s\"\n", word);
			else
				add_object(build, np_strdup(word));
		}
		build->nr_options = kept;
		if (!all.len)
			continue;
		add_object(build, np_asprintf("policies-%s.c", build->name));
		for (int k = 0; k < jobs; k++) {
			char *path = np_asprintf("%s/tree-%d/policies-%s.c", work, k, build->name);

			if (np_write_file(path, all.s, all.len))
				np_die(NP_FAIL, "mutate: cannot write %s", path);
			free(path);
		}
		np_buf_free(&all);
	}
}

/* A path without "x/..", in place. */
static void simplify(char *path)
{
	char *up;

	while ((up = strstr(path, "/../")) && up != path) {
		char *from = up;

		while (from > path && from[-1] != '/')
			from--;
		memmove(from, up + 4, strlen(up + 4) + 1);
	}
}

/* What an object is made of, as the compiler says. */
static void read_needs(struct object *o)
{
	char *path = np_asprintf("%.*s.d", (int)strlen(o->path) - 2, o->path), **words;
	struct np_buf text = { 0 };
	int n;

	if (np_read_file(path, &text))
		np_die(NP_FAIL, "mutate: cannot read %s", path);
	for (size_t i = 0; i < text.len; i++)
		if (strchr("\\\n", text.s[i]))
			text.s[i] = ' ';
	words = np_split(text.s, ' ', &n);
	for (int i = 0; i < n; i++) {
		simplify(words[i]);
		for (int k = 0; k < nr_sources; k++)
			o->needs[k] |= !strcmp(words[i], sources[k].path);
	}
	np_split_free(words, n);
	np_buf_free(&text);
	free(path);
}

static void prepare(void)
{
	char *base = np_asprintf("%s/base", work);
	int fd;

	fd = open(np_self_dir(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB))
		np_die(NP_FAIL, "mutate: %s is in use", np_self_dir());
	remove_work();
	if (np_mkdirs(base))
		np_die(NP_FAIL, "mutate: cannot make %s", base);
	free(base);
	make_trees();

	new_results(nr_builds);
	do_all(nr_builds, make_base);
	for (int b = 0; b < nr_builds; b++) {
		if (results[b].fate == INVALID)
			np_die(NP_FAIL, "mutate: the build %s fails without any mistake: %s",
			       builds[b].name, results[b].how);
		if (results[b].fate == CAUGHT)
			np_die(NP_FAIL, "mutate: the histories fail in %s without any mistake: %s",
			       builds[b].name, results[b].how);
		for (int i = 0; i < builds[b].nr_objects; i++)
			read_needs(&builds[b].objects[i]);
	}
	munmap(results, (nr_builds + 1) * sizeof(*results));
}

/* ---- what came of it ---- */

struct count {
	int mutants;
	int caught;
	int survivors;
	int invalid;
	int equivalent;
	int missing;
	int unexplained;
};

static void count_mutant(struct count *c, int i)
{
	const struct record *r = record_of(&mutants[i]);

	if (results[i].fate == INVALID)
		c->invalid++;
	if (results[i].fate == CAUGHT)
		c->caught++;
	if (results[i].fate == SURVIVED) {
		c->survivors++;
		if (!r)
			c->unexplained++;
		else if (*r->reason == 'e')
			c->equivalent++;
		else
			c->missing++;
	}
	c->mutants = c->caught + c->survivors;
}

/* Rounded down: 94.99 % are not 95. */
static void print_percent(int n, int of)
{
	int tenths = of ? (int)(1000LL * n / of) : 1000;

	printf("%d.%d %%", tenths / 10, tenths % 10);
}

static void print_table(void)
{
	printf("%-40s %8s %8s %10s %12s\n", "", "mutants", "caught", "survivors", "not compiled");
	for (int k = 0; k < nr_sources; k++) {
		struct count c = { 0 };

		for (int i = 0; i < nr_mutants; i++)
			if (mutants[i].source == &sources[k] && mutants[i].chosen)
				count_mutant(&c, i);
		if (c.mutants || c.invalid)
			printf("%-40s %8d %8d %10d %12d\n", sources[k].path, c.mutants, c.caught,
			       c.survivors, c.invalid);
	}
	printf("\n%-40s %8s\n", "", "caught");
	for (int b = 0; b < nr_builds; b++) {
		int n = 0;

		for (int i = 0; i < nr_mutants; i++)
			n += results[i].fate == CAUGHT && results[i].build == b;
		if (n)
			printf("by %-37s %8d\n", builds[b].name, n);
	}
}

/* Entries of what is no survivor any more, or cannot be one. */
static int print_stale(bool all)
{
	static const char * const words[] = {
		[INVALID] = "it does not compile", [CAUGHT] = "it is caught",
	};
	int stale = 0;

	for (int k = 0; k < nr_records; k++) {
		const struct record *r = &records[k];
		const char *why = all ? "there is no such mutant" : NULL;

		for (int i = 0; i < nr_mutants; i++)
			if (same_mutant(r, &mutants[i]))
				why = results[i].fate == INVALID || results[i].fate == CAUGHT ?
				      words[results[i].fate] : NULL;
		if (!why)
			continue;
		stale++;
		printf("\nsurvivors:%d: this is no survivor any more, %s:\n+ %s\n", r->line, why,
		       r->after);
	}
	return stale;
}

static bool report(bool all, time_t seconds)
{
	struct count c = { 0 };
	int stale;

	for (int i = 0; i < nr_mutants; i++) {
		static const char * const words[] = {
			[UNTRIED] = "", [INVALID] = "does not compile", [CAUGHT] = "caught",
			[SURVIVED] = "survives",
		};
		struct record *r = record_of(&mutants[i]);

		if (!mutants[i].chosen)
			continue;
		count_mutant(&c, i);
		if (!verbose && results[i].fate != SURVIVED)
			continue;
		print_mutant(i);
		if (results[i].fate == SURVIVED)
			printf("%s\n\n", r ? r->reason : "UNEXPLAINED");
		else
			printf("# %s by %s: %s\n\n", words[results[i].fate],
			       builds[results[i].build].name, results[i].how);
	}
	print_table();
	stale = print_stale(all);

	printf("\n%d mutants, %d caught (", c.mutants, c.caught);
	print_percent(c.caught, c.mutants);
	printf("; ");
	print_percent(c.caught, c.mutants - c.equivalent);
	printf(" of those not equivalent)\n");
	printf("%d survivors: %d equivalent, %d missed, %d unexplained\n", c.survivors,
	       c.equivalent, c.missing, c.unexplained);
	printf("%d more do not compile; %ld s, %d at once\n", c.invalid, (long)seconds, jobs);
	if (all && 100LL * c.caught < (long long)ENOUGH * c.mutants)
		printf("Fewer than %d %% are caught.\n", ENOUGH);
	return !c.unexplained && !stale &&
	       (!all || 100LL * c.caught >= (long long)ENOUGH * c.mutants);
}

/* ---- options ---- */

static void read_builds(int argc, char **argv)
{
	for (int i = 0; i < argc; i++) {
		if (!strcmp(argv[i], "--build")) {
			struct build *build = ADD(builds, nr_builds);

			if (i + 2 >= argc || !strcmp(argv[i + 2], "--build"))
				np_die(NP_USAGE, "mutate: --build needs a name and a command");
			build->name = argv[++i];
		} else {
			struct build *build = &builds[nr_builds - 1];

			*ADD(build->options, build->nr_options) = argv[i];
		}
	}
}

/* A number from 1 on. */
static int count_option(const char *name, const char *value, int max)
{
	long n;

	if (np_parse_long(value, 1, max, &n))
		np_die(NP_USAGE, "mutate: --%s %s: must be a number from 1 to %d", name, value,
		       max);
	return n;
}

int main(int argc, char **argv)
{
	static const struct option longs[] = {
		{ "list", no_argument, NULL, 'l' },
		{ "file", required_argument, NULL, 'f' },
		{ "mutant", required_argument, NULL, 'm' },
		{ "jobs", required_argument, NULL, 'j' },
		{ "histories", required_argument, NULL, 'H' },
		{ "verbose", no_argument, NULL, 'v' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 }
	};
	const char *file = NULL, *mutant = NULL;
	int own = 1, c, chosen = 0, only = 0;
	struct timespec from, to;
	bool list = false, right;

	/* What belongs to the builds is for the compiler. */
	while (own < argc && strcmp(argv[own], "--build"))
		own++;
	read_builds(argc - own, argv + own);
	argv[0] = "mutate";
	jobs = sysconf(_SC_NPROCESSORS_ONLN);
	while ((c = getopt_long(own, argv, "+h", longs, NULL)) != -1) {
		switch (c) {
		case 'l':
			list = true;
			break;
		case 'f':
			file = optarg;
			break;
		case 'm':
			mutant = optarg;
			break;
		case 'j':
			jobs = count_option("jobs", optarg, 1024);
			break;
		case 'H':
			histories = optarg;
			break;
		case 'v':
			verbose = true;
			break;
		case 'h':
			fputs(usage, stdout);
			return NP_OK;
		default:
			fputs(usage, stderr);
			return NP_USAGE;
		}
	}
	if (optind < own)
		np_die(NP_USAGE, "mutate: unexpected argument '%s'", argv[optind]);

	read_sources();
	make_mutants();
	if (mutant)
		only = count_option("mutant", mutant, nr_mutants);
	for (int i = 0; i < nr_mutants; i++) {
		mutants[i].chosen = (!only || i == only - 1) &&
				    (!file || ends_with(mutants[i].source->path, file));
		chosen += mutants[i].chosen;
	}
	if (!chosen)
		np_die(NP_USAGE, "mutate: %s%s: there are no such mutants; see --list",
		       file ? file : mutant, file && mutant ? " with this number" : "");
	if (list) {
		for (int i = 0; i < nr_mutants; i++)
			if (mutants[i].chosen)
				print_mutant(i);
		return NP_OK;
	}
	if (!nr_builds)
		np_die(NP_USAGE, "mutate: no --build; see --help, or run 'make mutate'");
	if (access(histories, R_OK))
		np_die(NP_USAGE, "mutate: cannot read %s: %s", histories, strerror(errno));

	clock_gettime(CLOCK_MONOTONIC, &from);
	here = realpath(".", NULL);
	exec = np_asprintf("%s/tools/numa_policy/tests/exec.sh", here);
	histories = realpath(histories, NULL);
	work = np_asprintf("%s/mutate.work", np_self_dir());
	read_survivors();
	prepare();
	new_results(nr_mutants);
	do_all(nr_mutants, run_mutant);
	clock_gettime(CLOCK_MONOTONIC, &to);
	right = report(chosen == nr_mutants, to.tv_sec - from.tv_sec);
	remove_work();
	return right ? NP_OK : NP_FAIL;
}
