/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NP_LINUX_UACCESS_H
#define NP_LINUX_UACCESS_H

#include <linux/compiler.h>
#include <string.h>

/* NULL stands for what a process has not mapped. */
static inline unsigned long copy_from_user(void *to, const void *from, unsigned long n)
{
	return from ? !memcpy(to, from, n) : n;
}

#endif /* NP_LINUX_UACCESS_H */
