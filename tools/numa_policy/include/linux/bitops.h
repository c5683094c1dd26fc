/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NP_LINUX_BITOPS_H
#define NP_LINUX_BITOPS_H

#include <linux/compiler.h>

#ifndef BITS_PER_LONG
#define BITS_PER_LONG __LONG_WIDTH__
#endif

static inline bool test_bit(unsigned int nr, const volatile unsigned long *addr)
{
	return *addr >> nr & 1;
}

static inline void __set_bit(unsigned int nr, volatile unsigned long *addr)
{
	*addr |= 1UL << nr;
}

static inline unsigned int hweight_long(unsigned long word)
{
	return __builtin_popcountl(word);
}

#endif /* NP_LINUX_BITOPS_H */
