// SPDX-License-Identifier: GPL-2.0
/*
 * Writes the initial file system of a guest: a few directories, a console, one program and files
 * that it reads, as a "newc" cpio archive. Needs no privileges, and gives the same bytes for the
 * same files.
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

/* A file of ours, under another name. */
static void add_file(struct np_buf *out, const char *name, unsigned int mode, const char *path)
{
	struct np_buf in = { 0 };
	int err = np_read_file(path, &in);

	if (err)
		np_die(NP_FAIL, "%s: %s", path, strerror(-err));
	add(out, name, S_IFREG | mode, 0, 0, in.s, in.len);
	np_buf_free(&in);
}

int main(int argc, char **argv)
{
	static const char *const dirs[] = { "dev", "proc", "sys", "tmp" };
	struct np_buf out = { 0 };
	int err, i;

	if (argc < 3)
		np_die(NP_USAGE, "usage: mkcpio INIT ARCHIVE [FILE]...");
	for (i = 0; i < (int)ARRAY_SIZE(dirs); i++)
		add(&out, dirs[i], S_IFDIR | 0755, 0, 0, NULL, 0);
	add(&out, "dev/console", S_IFCHR | 0600, 5, 1, NULL, 0);
	add_file(&out, "init", 0755, argv[1]);
	for (i = 3; i < argc; i++) {
		const char *slash = strrchr(argv[i], '/');

		add_file(&out, slash ? slash + 1 : argv[i], 0444, argv[i]);
	}
	add(&out, "TRAILER!!!", 0, 0, 0, NULL, 0);
	err = np_write_file(argv[2], out.s, out.len);
	if (err)
		np_die(NP_FAIL, "%s: %s", argv[2], strerror(-err));
	return NP_OK;
}
