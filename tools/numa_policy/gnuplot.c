// SPDX-License-Identifier: GPL-2.0
/*
 * Plots: gnuplot as a child process, and its SVG made fit to stand in a page.
 *
 * Scripts name colours as #0a00NN, where NN is the number of one of the page's colours. What
 * gnuplot draws in black becomes the colour of the text around it, so that a plot follows the
 * page into the dark.
 */
#include <ctype.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gnuplot.h"

/* No plot of ours takes a second. */
#define GNUPLOT_TIMEOUT_MS 120000

#define GNUPLOT_HINT "the html format needs gnuplot with its svg terminal (Debian: gnuplot-nox)"

/**
 * np_html_escape() - append text to a page
 * @to: the page
 * @text: the text, UTF-8
 *
 * Control characters, which no page may have, become blanks.
 */
void np_html_escape(struct np_buf *to, const char *text)
{
	for (; *text; text++) {
		unsigned char c = *text;

		if (c == '&')
			np_buf_puts(to, "&amp;");
		else if (c == '<')
			np_buf_puts(to, "&lt;");
		else if (c == '>')
			np_buf_puts(to, "&gt;");
		else if (c == '"')
			np_buf_puts(to, "&quot;");
		else if (c == '\'')
			np_buf_puts(to, "&#39;");
		else if ((c < ' ' && c != '\n') || c == 0x7f)
			np_buf_puts(to, " ");
		else
			np_buf_add(to, text, 1);
	}
}

/**
 * np_gnuplot_text() - append a quoted string to a script
 * @script: the script
 * @text: the text; may come from anywhere
 * @most: characters to keep
 *
 * What gnuplot or XML could take for more than text becomes a question mark.
 */
void np_gnuplot_text(struct np_buf *script, const char *text, int most)
{
	np_buf_puts(script, "'");
	for (; *text && most; text++) {
		unsigned char c = *text;

		if (isalnum(c) || c >= 0x80 || strchr(" _.,:;()[]+-*/%=#", c))
			np_buf_add(script, text, 1);
		else
			np_buf_puts(script, "?");
		/* A character ends where the next does not go on with it. */
		most -= (text[1] & 0xc0) != 0x80;
	}
	np_buf_puts(script, *text ? "…'" : "'");
}

static int memory_file(const char *name, const char *text)
{
	int fd = memfd_create(name, MFD_CLOEXEC);
	size_t len = strlen(text);

	while (fd >= 0 && len) {
		ssize_t n = write(fd, text, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			close(fd);
			return -1;
		}
		text += n;
		len -= n;
	}
	if (fd >= 0)
		lseek(fd, 0, SEEK_SET);
	return fd;
}

static int read_back(int fd, struct np_buf *b)
{
	char chunk[65536];
	ssize_t n;

	lseek(fd, 0, SEEK_SET);
	np_buf_puts(b, "");
	while ((n = read(fd, chunk, sizeof(chunk))) > 0)
		np_buf_add(b, chunk, n);
	return n < 0 ? -errno : 0;
}

/* Return: the wait status; -1 if it had to be killed. */
static int wait_for(pid_t pid)
{
	int fd = pidfd_open(pid, 0), status, ready = 1;
	struct pollfd p = { .fd = fd, .events = POLLIN };

	if (fd >= 0) {
		do
			ready = poll(&p, 1, GNUPLOT_TIMEOUT_MS);
		while (ready < 0 && errno == EINTR);
		close(fd);
	}
	if (!ready)
		kill(pid, SIGKILL);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return ready ? status : -1;
}

static int start(pid_t *pid, const int *fds)
{
	char *const argv[] = { "gnuplot", "-d", "-", NULL };
	posix_spawn_file_actions_t actions;
	int err;

	posix_spawn_file_actions_init(&actions);
	for (int i = 0; i < 3; i++)
		posix_spawn_file_actions_adddup2(&actions, fds[i], i);
	err = posix_spawnp(pid, "gnuplot", &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	return err;
}

/* What gnuplot complains of, in one line. */
static char *complaint(int status, const char *text)
{
	char *copy = np_strdup(text), *p = copy, *said;

	for (char *q = copy; *q; q++) {
		if (isspace((unsigned char)*q) && (p == copy || p[-1] == ' '))
			continue;
		*p++ = isspace((unsigned char)*q) ? ' ' : *q;
	}
	*p = '\0';
	if (status == -1)
		said = np_asprintf("gnuplot did not end within %d s and was killed",
				   GNUPLOT_TIMEOUT_MS / 1000);
	else if (WIFSIGNALED(status))
		said = np_asprintf("gnuplot was killed by signal %d: %.300s", WTERMSIG(status),
				   copy);
	else
		said = np_asprintf("gnuplot failed with exit status %d: %.300s; " GNUPLOT_HINT,
				   WEXITSTATUS(status), *copy ? copy : "it said nothing");
	free(copy);
	return said;
}

/**
 * np_gnuplot() - have gnuplot run a script
 * @script: the script, which writes SVG to standard output
 * @svg: what it wrote is appended here
 *
 * Return: NULL, or what went wrong, to be freed.
 */
char *np_gnuplot(const char *script, struct np_buf *svg)
{
	int fds[3] = { memory_file("script", script), memory_file("svg", ""),
		       memory_file("errors", "") };
	struct np_buf errors = { 0 };
	int err = 0, status = 0;
	char *error = NULL;
	pid_t pid;

	for (int i = 0; i < 3; i++)
		if (fds[i] < 0)
			err = errno;
	if (err) {
		error = np_asprintf("cannot hand a script to gnuplot: %s", strerror(err));
		goto out;
	}
	err = start(&pid, fds);
	if (err) {
		error = np_asprintf("cannot run gnuplot: %s; " GNUPLOT_HINT, strerror(err));
		goto out;
	}
	status = wait_for(pid);
	if (read_back(fds[1], svg) || read_back(fds[2], &errors))
		error = np_strdup("cannot read back what gnuplot wrote");
	else if (status)
		error = complaint(status, errors.s);
out:
	for (int i = 0; i < 3; i++)
		if (fds[i] >= 0)
			close(fds[i]);
	np_buf_free(&errors);
	return error;
}

/* Whether @p begins with @word; then go behind it. */
static bool take(const char **p, const char *word)
{
	size_t len = strlen(word);

	if (strncmp(*p, word, len))
		return false;
	*p += len;
	return true;
}

/* One of the page's colours, as gnuplot writes it: rgb( 10,   0,   3). */
static bool take_color(const char **p, int *color)
{
	int len = 0;

	if (sscanf(*p, "rgb( 10, 0, %d)%n", color, &len) != 1 || !len)
		return false;
	*p += len;
	return true;
}

static bool skip_to(const char **p, const char *word)
{
	const char *end = strstr(*p, word);

	if (!end)
		return false;
	*p = end + strlen(word);
	return true;
}

/* A group of gnuplot's in which nothing is drawn. */
static bool skip_empty_group(const char **p)
{
	const char *q = *p;

	if (!take(&q, "<g ") || !skip_to(&q, ">"))
		return false;
	q += strspn(q, "\n\t ");
	if (!take(&q, "</g>"))
		return false;
	*p = q + strspn(q, "\n\t ");
	return true;
}

/* What a page has no use for: tool tips of gnuplot's making, filters, fonts, fixed colours. */
static bool skip_useless(const char **p)
{
	static const char * const parts[][2] = {
		{ "<title>", "</title>" }, { "<desc>", "</desc>" }, { "<filter ", "</filter>" },
		{ " font-family=\"", "\"" }, { "xmlns:xlink=\"", "\"" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		const char *q = *p;

		if (take(&q, parts[i][0]) && skip_to(&q, parts[i][1])) {
			*p = q;
			return true;
		}
	}
	return take(p, " color=\"black\"") || take(p, " color=\"white\"") ||
	       (**p == '\t' && take(p, "\t"));
}

static void adopt_body(struct np_buf *to, const char *p, const char *end, const char *id)
{
	int color;

	while (p < end) {
		if (skip_useless(&p) || skip_empty_group(&p))
			continue;
		if (take(&p, " id=\"") || take(&p, " id='")) {
			np_buf_printf(to, " id=%c%s-", p[-1], id);
		} else if (take(&p, "xlink:href='#")) {
			np_buf_printf(to, "href='#%s-", id);
		} else if (take(&p, "'black'") || take(&p, "\"black\"")) {
			np_buf_puts(to, "'currentColor'");
		} else if (*p == 'r' && take_color(&p, &color)) {
			if (color)
				np_buf_printf(to, "var(--c%d)", color);
			else
				np_buf_puts(to, "currentColor");
		} else if (*p == '\n' && to->len && to->s[to->len - 1] == '\n') {
			p++;
		} else {
			np_buf_add(to, p++, 1);
		}
	}
}

/**
 * np_gnuplot_adopt() - append one of gnuplot's SVG documents to a page
 * @to: the page
 * @svg: where to look for the document; goes behind it
 * @id: what its identifiers begin with, to be unique in the page
 * @class: its class
 * @label: the text in its place for those who do not see it
 *
 * Return: NULL, or what is wrong with the document, to be freed.
 */
char *np_gnuplot_adopt(struct np_buf *to, const char **svg, const char *id, const char *class,
		       const char *label)
{
	const char *p = strstr(*svg, "<svg"), *end = p ? strstr(p, "</svg>") : NULL;

	if (!end)
		return np_strdup("gnuplot wrote no whole SVG document; " GNUPLOT_HINT);
	np_buf_printf(to, "<svg class=\"%s\" role=\"img\" aria-label=\"", class);
	np_html_escape(to, label);
	np_buf_puts(to, "\"");
	p += strlen("<svg");
	end += strlen("</svg>");
	adopt_body(to, p, end, id);
	np_buf_puts(to, "\n");
	*svg = end;
	return NULL;
}
