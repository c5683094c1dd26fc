// SPDX-License-Identifier: GPL-2.0
/*
 * Tables and paragraphs of the reports in plain text.
 */
#include <stdlib.h>
#include <string.h>

#include "report_parts.h"
#include "util.h"

static char **add_row(struct np_grid_row **rows, int *n, char *label, int columns)
{
	struct np_grid_row *row;

	*rows = np_realloc(*rows, (*n + 1) * sizeof(**rows));
	row = &(*rows)[(*n)++];
	row->label = label;
	row->texts = np_alloc(columns * sizeof(*row->texts));
	return row->texts;
}

/**
 * np_grid_head() - add a row of headings
 * @g: the grid
 *
 * Return: the texts, to be filled in.
 */
char **np_grid_head(struct np_grid *g)
{
	return add_row(&g->heads, &g->nheads, np_strdup(""), g->columns);
}

/**
 * np_grid_row() - add a row
 * @g: the grid
 * @label: the row's label; the grid frees it
 *
 * Return: the texts, to be filled in.
 */
char **np_grid_row(struct np_grid *g, char *label)
{
	return add_row(&g->rows, &g->n, label, g->columns);
}

/**
 * np_grid_gap() - add an empty line, unless the grid is empty
 * @g: the grid
 */
void np_grid_gap(struct np_grid *g)
{
	char **texts;

	if (!g->n)
		return;
	texts = np_grid_row(g, np_strdup(""));
	for (int c = 0; c < g->columns; c++)
		texts[c] = np_strdup("");
}

/**
 * np_text_width() - columns that a text takes on the screen
 * @s: the text
 *
 * Return: its characters, not its bytes.
 */
int np_text_width(const char *s)
{
	int n = 0;

	for (; *s; s++)
		n += ((unsigned char)*s & 0xc0) != 0x80;
	return n;
}

static void print_right(struct np_buf *b, const char *s, int to)
{
	int pad = to - np_text_width(s);

	np_buf_printf(b, " %*s%s", pad > 0 ? pad : 0, "", s);
}

static void print_row(FILE *f, const struct np_grid_row *row, int label, const int *widths,
		      int from, int to)
{
	struct np_buf b = { 0 };

	np_buf_printf(&b, "%s%*s", row->label, label - np_text_width(row->label), "");
	for (int c = from; c < to; c++)
		print_right(&b, row->texts[c], widths[c]);
	while (b.len && b.s[b.len - 1] == ' ')
		b.s[--b.len] = '\0';
	fprintf(f, "%s\n", b.s);
	np_buf_free(&b);
}

static void measure(const struct np_grid *g, const struct np_grid_row *rows, int n, int *label,
		    int *widths)
{
	for (int i = 0; i < n; i++) {
		int w = np_text_width(rows[i].label);

		*label = w > *label ? w : *label;
		for (int c = 0; c < g->columns; c++) {
			w = np_text_width(rows[i].texts[c]);
			widths[c] = w > widths[c] ? w : widths[c];
		}
	}
}

/**
 * np_grid_print() - print a grid
 * @f: where to
 * @g: the grid
 * @width: columns that a line may have; 0: any number. A piece has at least one column of the
 *	grid, however wide that is
 */
void np_grid_print(FILE *f, const struct np_grid *g, int width)
{
	int *widths = np_alloc(g->columns * sizeof(*widths));
	int label = 0, to;

	for (int c = 0; c < g->columns; c++)
		widths[c] = g->min;
	measure(g, g->heads, g->nheads, &label, widths);
	measure(g, g->rows, g->n, &label, widths);
	for (int from = 0; from < g->columns; from = to) {
		int line = label;

		for (to = from; to < g->columns; to++) {
			line += 1 + widths[to];
			if (width && line > width && to > from)
				break;
		}
		if (from)
			fputc('\n', f);
		for (int i = 0; i < g->nheads; i++)
			print_row(f, &g->heads[i], label, widths, from, to);
		for (int i = 0; i < g->n; i++)
			print_row(f, &g->rows[i], label, widths, from, to);
	}
	free(widths);
}

static void free_rows(struct np_grid_row *rows, int n, int columns)
{
	for (int i = 0; i < n; i++) {
		for (int c = 0; c < columns; c++)
			free(rows[i].texts[c]);
		free(rows[i].texts);
		free(rows[i].label);
	}
	free(rows);
}

/**
 * np_grid_free() - free what a grid holds
 * @g: the grid
 */
void np_grid_free(struct np_grid *g)
{
	free_rows(g->heads, g->nheads, g->columns);
	free_rows(g->rows, g->n, g->columns);
}

/* A text on its way into lines. */
struct lines {
	FILE *f;
	int room;
	int column;
	int indent;
	bool command;
	bool begun;
};

/* The end of the word at @s; blanks between quotes do not end a word of a command. */
static const char *word_end(const char *s, bool command)
{
	bool quoted = false;

	for (; *s && (quoted || (*s != ' ' && *s != '\n')); s++)
		if (command && *s == '\'')
			quoted = !quoted;
	return s;
}

/* A list that fills more than a line is broken behind commas; the shell puts it together again. */
static char *print_list(struct lines *l, char *word)
{
	while (l->command && !strchr(word, '\'') && l->column + np_text_width(word) > l->room) {
		char *comma = NULL;

		for (char *p = word; *p && l->column + (p - word) < l->room; p++)
			if (*p == ',' && p[1])
				comma = p + 1;
		if (!comma)
			break;
		fprintf(l->f, "%.*s\\\n", (int)(comma - word), word);
		l->column = 0;
		word = comma;
	}
	return word;
}

static void print_word(struct lines *l, char *word)
{
	int w = np_text_width(word);

	if (l->begun && l->column + 1 + w > l->room) {
		fprintf(l->f, "%s\n%*s", l->command ? " \\" : "", l->indent, "");
		l->column = l->indent;
	} else if (l->begun) {
		fputc(' ', l->f);
		l->column++;
	}
	word = print_list(l, word);
	fputs(word, l->f);
	l->column += np_text_width(word);
	l->begun = true;
}

static void print_words(FILE *f, const char *first, int indent, const char *text, bool command)
{
	int column = np_text_width(first);
	struct lines l = {
		.f = f, .room = NP_LKML_WIDTH - (command ? 2 : 0), .indent = indent,
		.column = column > indent ? column : indent, .command = command,
	};

	fprintf(f, "%s%*s", first, l.column - column, "");
	if (command)
		l.indent += 2;
	while (*text) {
		const char *end = word_end(text, command);
		char *word = np_strndup(text, end - text);

		print_word(&l, word);
		free(word);
		text = *end ? end + 1 : end;
	}
	fputc('\n', f);
}

/**
 * np_print_para() - print a paragraph in lines of at most NP_LKML_WIDTH columns
 * @f: where to
 * @first: what its first line begins with
 * @indent: columns that all lines are indented by, the first one by @first
 * @text: the text; a line end in it is a blank
 */
void np_print_para(FILE *f, const char *first, int indent, const char *text)
{
	print_words(f, first, indent, text, false);
}

/**
 * np_print_command() - print a shell command likewise, with a backslash at the end of lines
 * @f: where to
 * @first: what its first line begins with
 * @indent: columns that all lines are indented by
 * @command: the command; it is not broken between single quotes
 */
void np_print_command(FILE *f, const char *first, int indent, const char *command)
{
	print_words(f, first, indent, command, true);
}

/**
 * np_block_columns() - the columns of a report that are printed side by side
 * @rep: the report
 * @block: number of the block
 * @columns: filled in: their numbers, the base first; has room for all of @rep
 *
 * Return: how many; 0 if there is no such block.
 */
int np_block_columns(const struct np_report *rep, int block, int *columns)
{
	int n = 0;

	for (int c = 0; c < rep->ncolumns; c++)
		if (rep->columns[c].block == block && rep->columns[c].base == c)
			columns[n++] = c;
	for (int c = 0; c < rep->ncolumns; c++)
		if (rep->columns[c].block == block && rep->columns[c].base != c)
			columns[n++] = c;
	return n;
}

/**
 * np_grid_name_columns() - head a grid as mmtests does: the kernel above what was run on it
 * @g: the grid, with its number of columns
 * @rep: the report
 * @columns: numbers of the columns of @rep
 * @narrow: leave out the kernel where all columns have the same
 */
void np_grid_name_columns(struct np_grid *g, const struct np_report *rep, const int *columns,
			  bool narrow)
{
	char **upper = narrow && !rep->other ? NULL : np_grid_head(g);
	char **lower = np_grid_head(g);

	for (int i = 0; i < g->columns; i++) {
		const struct np_column *c = &rep->columns[columns[i]];
		const char *release = np_head_text(c->r, "kernel", "release");

		if (rep->other) {
			upper[i] = np_strdup(c->label);
			lower[i] = np_asprintf("%s %.8s", release,
					       np_head_text(c->r, "kernel", "library_sha256"));
			continue;
		}
		if (upper)
			upper[i] = np_strdup(release);
		lower[i] = np_strdup(c->policy);
	}
}
