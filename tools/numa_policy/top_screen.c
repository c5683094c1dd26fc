// SPDX-License-Identifier: GPL-2.0
/*
 * numa-policy top: the terminal, by itself and as it was before.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/param.h>
#include <termios.h>
#include <unistd.h>

#include "top.h"
#include "util.h"

/* Sizes where the terminal does not say. */
#define WIDTH 80
#define HEIGHT 24

/* Another screen without a cursor, and back. */
#define ENTER "\033[?1049h\033[?25l"
#define LEAVE "\033[?25h\033[?1049l"

static struct termios was;
static bool entered, keys;

/**
 * np_screen_usable() - whether standard output is a terminal that can be drawn on
 *
 * Return: whether it is.
 */
bool np_screen_usable(void)
{
	const char *term = getenv("TERM");

	return isatty(STDOUT_FILENO) && term && *term && strcmp(term, "dumb");
}

/* False if the terminal is gone. */
static bool put(const char *s, size_t len)
{
	while (len) {
		ssize_t n = write(STDOUT_FILENO, s, len);

		if (n <= 0)
			return false;
		s += n;
		len -= n;
	}
	return true;
}

/**
 * np_screen_enter() - take the terminal: keys come one by one and are not shown
 */
void np_screen_enter(void)
{
	struct termios raw;

	fflush(stdout);
	keys = !tcgetattr(STDIN_FILENO, &was);
	if (keys) {
		raw = was;
		raw.c_lflag &= ~(ICANON | ECHO);
		raw.c_cc[VMIN] = 1;
		raw.c_cc[VTIME] = 0;
		tcsetattr(STDIN_FILENO, TCSANOW, &raw);
	}
	entered = put(ENTER, strlen(ENTER));
}

/**
 * np_screen_leave() - give the terminal back as it was; may be called at any time
 */
void np_screen_leave(void)
{
	if (keys)
		tcsetattr(STDIN_FILENO, TCSANOW, &was);
	if (entered)
		put(LEAVE, strlen(LEAVE));
	keys = false;
	entered = false;
}

static struct winsize size(void)
{
	struct winsize w = { 0 };

	ioctl(STDOUT_FILENO, TIOCGWINSZ, &w);
	if (!w.ws_col)
		w.ws_col = WIDTH;
	if (!w.ws_row)
		w.ws_row = HEIGHT;
	return w;
}

/**
 * np_screen_width() - how wide the terminal is now
 *
 * Return: its columns.
 */
int np_screen_width(void)
{
	return size().ws_col;
}

/**
 * np_screen_show() - draw lines from the top; what does not fit is cut, and it is said
 * @lines: the lines
 *
 * Return: false if the terminal is gone.
 */
bool np_screen_show(const struct np_list *lines)
{
	struct winsize w = size();
	int shown = MIN(lines->n, (int)w.ws_row);
	struct np_buf b = { 0 };
	char *more = NULL;
	bool good;

	if (shown < lines->n)
		more = np_asprintf("(%d more lines in a higher terminal)", lines->n - shown + 1);
	np_buf_puts(&b, "\033[H");
	for (int i = 0; i < shown; i++) {
		const char *line = more && i == shown - 1 ? more : lines->v[i];

		/* No newline behind the last line: that would scroll. */
		np_buf_printf(&b, "%s%.*s\033[K", i ? "\r\n" : "", (int)w.ws_col, line);
	}
	good = put(b.s, b.len);
	np_buf_free(&b);
	free(more);
	return good;
}
