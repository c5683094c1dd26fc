/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NP_LINUX_HASH_H
#define NP_LINUX_HASH_H

/*
 * The kernel's multiplicative hash: 2^32 divided by the golden ratio, of which the highest bits
 * are the best.
 */
static inline unsigned int hash_32(unsigned int val, unsigned int bits)
{
	return val * 0x61c88647u >> (32 - bits);
}

#endif /* NP_LINUX_HASH_H */
