// SPDX-License-Identifier: GPL-2.0
/*
 * Reads a large JSON file piece by piece, however it is laid out.
 *
 * As trees in memory the records of a large matrix take gigabytes. Here only one piece of the
 * file is in memory at a time, as text without blanks between the tokens. That text is well
 * formed; what its strings hold is left to whoever makes a tree of it.
 */
#include <string.h>

#include "jsonread.h"

/* Deeper than anything we write, and no danger to the stack. */
#define DEPTH_MAX 64

static const char no_colon[] = "':' is missing";

static void fail(struct np_jsonread *r, const char *error)
{
	if (r->error)
		return;
	r->cut = feof(r->f);
	r->error = ferror(r->f) ? "cannot be read" : r->cut ? "the file is cut" : error;
}

/* The next character that is not blank; it is not taken. */
static int peek(struct np_jsonread *r)
{
	int c;

	do {
		c = getc_unlocked(r->f);
		r->line += c == '\n';
	} while (c == ' ' || c == '\n' || c == '\t' || c == '\r');
	if (c != EOF)
		ungetc(c, r->f);
	return c;
}

static bool take(struct np_jsonread *r, char wanted, const char *error)
{
	if (r->error)
		return false;
	if (peek(r) != wanted) {
		fail(r, error);
		return false;
	}
	getc_unlocked(r->f);
	return true;
}

static void put(struct np_buf *b, char c)
{
	if (b->len + 1 < b->cap) {
		b->s[b->len++] = c;
		b->s[b->len] = '\0';
	} else {
		np_buf_add(b, &c, 1);
	}
}

/* A string with its quotes, as it is written. */
static bool string(struct np_jsonread *r, struct np_buf *out)
{
	int c;

	if (!take(r, '"', "a string is missing"))
		return false;
	put(out, '"');
	while ((c = getc_unlocked(r->f)) != '"') {
		if (c == '\\') {
			put(out, c);
			c = getc_unlocked(r->f);
		}
		if (c < ' ') {
			fail(r, "a string has no end");
			return false;
		}
		put(out, c);
	}
	put(out, '"');
	return true;
}

static const char *digits(const char *s)
{
	const char *p = s;

	while (*p >= '0' && *p <= '9')
		p++;
	return p == s ? NULL : p;
}

static bool is_number(const char *s)
{
	const char *p;

	s += *s == '-';
	p = digits(s);
	if (!p || (*s == '0' && p > s + 1))
		return false;
	if (*p == '.')
		p = digits(p + 1);
	if (p && (*p == 'e' || *p == 'E')) {
		p++;
		p = digits(p + (*p == '+' || *p == '-'));
	}
	return p && !*p;
}

/* A number or one of the words. */
static bool word(struct np_jsonread *r, struct np_buf *out)
{
	size_t was = out->len;
	const char *s;
	int c;

	np_buf_puts(out, "");
	for (;;) {
		c = getc_unlocked(r->f);
		if (!(c >= '0' && c <= '9') && !(c >= 'a' && c <= 'z') && c != 'E' && c != '.' &&
		    c != '-' && c != '+')
			break;
		put(out, c);
	}
	if (c != EOF)
		ungetc(c, r->f);
	s = out->s + was;
	if (is_number(s) || !strcmp(s, "null") || !strcmp(s, "true") || !strcmp(s, "false"))
		return true;
	fail(r, "no value");
	return false;
}

static bool value(struct np_jsonread *r, struct np_buf *out, int depth);

/* Return: whether there is something more before @close; then the comma before it was taken. */
static bool more(struct np_jsonread *r, bool first, char close)
{
	if (r->error)
		return false;
	if (peek(r) == close) {
		getc_unlocked(r->f);
		return false;
	}
	return first || take(r, ',', close == '}' ? "',' or '}' is missing" :
			     "',' or ']' is missing");
}

static bool members(struct np_jsonread *r, struct np_buf *out, int depth)
{
	bool first = true;

	np_json_enter(r, '{');
	put(out, '{');
	for (; more(r, first, '}'); first = false) {
		if (!first)
			put(out, ',');
		if (!string(r, out) || !take(r, ':', no_colon))
			break;
		put(out, ':');
		if (!value(r, out, depth))
			break;
	}
	put(out, '}');
	return !r->error;
}

static bool elements(struct np_jsonread *r, struct np_buf *out, int depth)
{
	bool first = true;

	np_json_enter(r, '[');
	put(out, '[');
	for (; more(r, first, ']'); first = false) {
		if (!first)
			put(out, ',');
		if (!value(r, out, depth))
			break;
	}
	put(out, ']');
	return !r->error;
}

static bool value(struct np_jsonread *r, struct np_buf *out, int depth)
{
	int c;

	if (r->error)
		return false;
	c = peek(r);
	if (depth > DEPTH_MAX)
		fail(r, "nested too deeply");
	else if (c == '{')
		return members(r, out, depth + 1);
	else if (c == '[')
		return elements(r, out, depth + 1);
	else if (c == '"')
		return string(r, out);
	else
		return word(r, out);
	return false;
}

/**
 * np_json_enter() - begin to read an object or an array
 * @r: the reader
 * @open: '{' or '['
 *
 * Return: whether there is one.
 */
bool np_json_enter(struct np_jsonread *r, char open)
{
	return take(r, open, open == '{' ? "no object" : "no array");
}

/**
 * np_json_member() - go to the next member of an object, or leave the object
 * @r: the reader, in an object, behind the last member's value
 * @first: there was no member before
 * @key: the member's key, with its quotes
 *
 * Return: true if there is a member; its value is the next thing to be read.
 */
bool np_json_member(struct np_jsonread *r, bool first, struct np_buf *key)
{
	key->len = 0;
	return more(r, first, '}') && string(r, key) && take(r, ':', no_colon);
}

/**
 * np_json_element() - go to the next element of an array, or leave the array
 * @r: the reader, in an array, behind the last element
 * @first: there was no element before
 *
 * Return: true if there is an element; it is the next thing to be read.
 */
bool np_json_element(struct np_jsonread *r, bool first)
{
	return more(r, first, ']');
}

/**
 * np_json_value() - read a value of any kind
 * @r: the reader
 * @out: its text is appended here, without blanks between the tokens
 *
 * Return: whether there is one.
 */
bool np_json_value(struct np_jsonread *r, struct np_buf *out)
{
	return value(r, out, 0);
}

/**
 * np_json_end() - see that nothing follows
 * @r: the reader, behind the last value
 */
void np_json_end(struct np_jsonread *r)
{
	if (!r->error && peek(r) != EOF)
		fail(r, "something is behind the end");
	if (!r->error && ferror(r->f))
		fail(r, "");
}
