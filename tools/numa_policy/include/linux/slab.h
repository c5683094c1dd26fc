/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NP_LINUX_SLAB_H
#define NP_LINUX_SLAB_H

#include <stdlib.h>
#include <linux/compiler.h>

#define GFP_KERNEL 0

/* Says whether this allocation is to succeed; who tests that defines it. */
bool np_may_alloc(void);

static inline void *kzalloc(size_t size, int flags)
{
	return np_may_alloc() ? calloc(1, size) : NULL;
}

/* Whoever relies on the memory being zeroed is found out. */
static inline void *kmalloc(size_t size, int flags)
{
	char *p = kzalloc(size, flags);

	for (size_t i = 0; p && i < size; i++)
		p[i] = 0x5a;
	return p;
}

static inline void kfree(void *p)
{
	free(p);
}

#endif /* NP_LINUX_SLAB_H */
