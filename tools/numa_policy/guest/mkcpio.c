// SPDX-License-Identifier: GPL-2.0
/*
 * Writes the initial file system of a guest: a few directories, a console and one program,
 * as a "newc" cpio archive. Needs no privileges, and gives the same bytes for the same
 * program.
 */
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>

#include "../util.h"

static unsigned int inode;

static void pad(struct np_buf *out)
{
	while (out->len % 4)
		np_buf_add(out, "", 1);
}

/* One entry: a header of hexadecimal fields, the name, the content; each padded to 4 bytes. */
static void add(struct np_buf *out, const char *name, unsigned int mode, unsigned int dev_major,
		unsigned int dev_minor, const void *data, size_t len)
{
	np_buf_printf(out, "070701%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x",
		      inode++, mode, 0, 0, S_ISDIR(mode) ? 2 : 1, 0, (unsigned int)len, 0, 0,
		      dev_major, dev_minor, (unsigned int)strlen(name) + 1, 0);
	np_buf_add(out, name, strlen(name) + 1);
	pad(out);
	np_buf_add(out, data, len);
	pad(out);
}

int main(int argc, char **argv)
{
	static const char *const dirs[] = { "dev", "proc", "sys", "tmp" };
	struct np_buf in = { 0 }, out = { 0 };
	size_t i;
	int err;

	if (argc != 3)
		np_die(NP_USAGE, "usage: mkcpio INIT ARCHIVE");
	err = np_read_file(argv[1], &in);
	if (err)
		np_die(NP_FAIL, "%s: %s", argv[1], strerror(-err));
	for (i = 0; i < ARRAY_SIZE(dirs); i++)
		add(&out, dirs[i], S_IFDIR | 0755, 0, 0, NULL, 0);
	add(&out, "dev/console", S_IFCHR | 0600, 5, 1, NULL, 0);
	add(&out, "init", S_IFREG | 0755, 0, 0, in.s, in.len);
	add(&out, "TRAILER!!!", 0, 0, 0, NULL, 0);
	err = np_write_file(argv[2], out.s, out.len);
	if (err)
		np_die(NP_FAIL, "%s: %s", argv[2], strerror(-err));
	return NP_OK;
}
