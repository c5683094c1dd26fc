// SPDX-License-Identifier: GPL-2.0
/*
 * The records a guest sends to its host.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "records.h"

static int port_fd = -1;
static long count, errors;

/* The device of the port called @name, or NULL while there is none. */
static char *find_port(const char *name)
{
	static const char class[] = "/sys/class/virtio-ports";
	DIR *dir = opendir(class);
	struct dirent *e;
	char *dev = NULL;

	if (!dir)
		return NULL;
	while (!dev && (e = readdir(dir))) {
		char *path = np_asprintf("%s/%s/name", class, e->d_name);
		struct np_buf b = { 0 };

		if (e->d_name[0] != '.' && !np_read_file(path, &b)) {
			b.s[strcspn(b.s, "\n")] = '\0';
			if (!strcmp(b.s, name))
				dev = np_asprintf("/dev/%s", e->d_name);
		}
		np_buf_free(&b);
		free(path);
	}
	closedir(dir);
	return dev;
}

/**
 * np_rec_open() - open the port to the host, waiting until it appears
 * @port: its name
 *
 * Return: 0, or a negative errno.
 */
int np_rec_open(const char *port)
{
	const struct timespec pause = { .tv_nsec = 10000000 };
	int tries, err = -ENODEV;

	for (tries = 0; tries < 1000; tries++) {
		char *dev = find_port(port);

		if (dev) {
			port_fd = open(dev, O_WRONLY | O_CLOEXEC);
			err = port_fd < 0 ? -errno : 0;
			free(dev);
			if (!err)
				return 0;
		}
		nanosleep(&pause, NULL);
	}
	return err;
}

/**
 * np_rec_create() - let the records go into a file, where there is no port
 * @path: the file; what it had is lost
 *
 * Return: 0, or a negative errno.
 */
int np_rec_create(const char *path)
{
	port_fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666);
	return port_fd < 0 ? -errno : 0;
}

/**
 * np_rec_write() - send a record
 * @line: the record, without a newline; emptied
 *
 * A host that does not take it all cannot be told: say so on the console.
 */
void np_rec_write(struct np_buf *line)
{
	ssize_t n;

	np_buf_puts(line, "\n");
	do {
		n = write(port_fd, line->s, line->len);
	} while (n < 0 && errno == EINTR);
	if (n != (ssize_t)line->len)
		np_error("a record of %zu bytes was not written: %s", line->len,
			 n < 0 ? strerror(errno) : "cut short");
	count++;
	np_buf_free(line);
}

/**
 * np_rec() - send a record
 * @fmt: the record, without a newline
 */
void np_rec(const char *fmt, ...)
{
	struct np_buf b = { 0 };
	va_list ap;
	char *s;

	va_start(ap, fmt);
	s = np_vasprintf(fmt, ap);
	va_end(ap);
	np_buf_puts(&b, s);
	free(s);
	np_rec_write(&b);
}

/**
 * np_rec_error() - tell the host that something failed; the run has failed then
 * @fmt: what
 */
void np_rec_error(const char *fmt, ...)
{
	struct np_buf b = { 0 };
	va_list ap;
	char *s;

	va_start(ap, fmt);
	s = np_vasprintf(fmt, ap);
	va_end(ap);
	np_error("%s", s);
	np_buf_puts(&b, "{\"type\":\"error\",\"message\":");
	np_json_str(&b, s);
	np_buf_puts(&b, "}");
	free(s);
	np_rec_write(&b);
	errors++;
}

/**
 * np_rec_count() - how many records were sent
 *
 * Return: their number.
 */
long np_rec_count(void)
{
	return count;
}

/**
 * np_rec_errors() - how many of them were errors
 *
 * Return: their number.
 */
long np_rec_errors(void)
{
	return errors;
}

/**
 * np_rec_close() - wait until the host has all records, and close the port
 */
void np_rec_close(void)
{
	struct pollfd p = { .fd = port_fd, .events = POLLOUT };

	poll(&p, 1, 10000);
	close(port_fd);
}

/**
 * np_json_str() - append a string as JSON
 * @b: the buffer
 * @s: the string; bytes that are not ASCII are replaced, as they might be no UTF-8
 */
void np_json_str(struct np_buf *b, const char *s)
{
	np_buf_puts(b, "\"");
	for (; *s; s++) {
		unsigned char c = *s;

		if (c == '"' || c == '\\')
			np_buf_printf(b, "\\%c", c);
		else if (c < ' ')
			np_buf_printf(b, "\\u%04x", c);
		else
			np_buf_printf(b, "%c", c < 0x7f ? c : '?');
	}
	np_buf_puts(b, "\"");
}
