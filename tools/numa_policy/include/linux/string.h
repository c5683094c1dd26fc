/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NP_LINUX_STRING_H
#define NP_LINUX_STRING_H

#include <string.h>

/* Without blanks at either end; the text is changed. */
static inline char *strim(char *s)
{
	size_t len = strlen(s);

	while (len && strchr(" \t\n", s[len - 1]))
		s[--len] = '\0';
	return s + strspn(s, " \t\n");
}

#endif /* NP_LINUX_STRING_H */
