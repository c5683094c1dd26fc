// SPDX-License-Identifier: GPL-2.0
/*
 * The size of code in object files: what size(1) calls text, code and data that is only read. Notes
 * are left out: the linker makes one of all of them.
 */
#include <elf.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>

#include "text_size.h"
#include "util.h"

static bool add_sections(const struct np_buf *b, struct np_text_size *size)
{
	const Elf64_Ehdr *e = (const Elf64_Ehdr *)b->s;

	if (b->len < sizeof(*e) || memcmp(e->e_ident, ELFMAG, SELFMAG) ||
	    e->e_ident[EI_CLASS] != ELFCLASS64 || e->e_shentsize != sizeof(Elf64_Shdr) ||
	    e->e_shoff > b->len || (b->len - e->e_shoff) / sizeof(Elf64_Shdr) < e->e_shnum)
		return false;
	for (int i = 0; i < e->e_shnum; i++) {
		const Elf64_Shdr *s = (const Elf64_Shdr *)(b->s + e->e_shoff) + i;

		if (!(s->sh_flags & SHF_ALLOC) || s->sh_flags & SHF_WRITE ||
		    s->sh_type == SHT_NOBITS || s->sh_type == SHT_NOTE)
			continue;
		size->text += s->sh_size;
		if (s->sh_flags & SHF_EXECINSTR)
			size->code += s->sh_size;
	}
	return true;
}

/**
 * np_text_size() - add the size of an object file's text
 * @path: the file
 * @size: what it is added to
 *
 * Return: false if it cannot be read or is no object file of 64 bits.
 */
bool np_text_size(const char *path, struct np_text_size *size)
{
	struct np_buf b = { 0 };
	bool ok = !np_read_file(path, &b) && add_sections(&b, size);

	np_buf_free(&b);
	return ok;
}

/**
 * np_text_size_all() - add the size of the text of several object files
 * @dir: where they are
 * @pattern: their names from there, for the shell
 * @size: what it is added to
 *
 * Return: false if there are none or one of them cannot be read.
 */
bool np_text_size_all(const char *dir, const char *pattern, struct np_text_size *size)
{
	char *path = np_asprintf("%s/%s", dir, pattern);
	bool ok = true;
	glob_t g;

	if (glob(path, 0, NULL, &g)) {
		ok = false;
	} else {
		for (size_t i = 0; i < g.gl_pathc && ok; i++)
			ok = np_text_size(g.gl_pathv[i], size);
		globfree(&g);
	}
	free(path);
	return ok;
}
