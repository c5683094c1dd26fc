/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NP_LINUX_KERNEL_H
#define NP_LINUX_KERNEL_H

/* What the kernel's own header of this name offers, as far as the library uses it. */
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <linux/compiler.h>
#include <linux/types.h>

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* snprintf() that returns what was written, not what would have been. */
__attribute__((__format__(printf, 3, 4)))
static inline int scnprintf(char *buf, size_t size, const char *fmt, ...)
{
	va_list args;
	int len;

	va_start(args, fmt);
	len = vsnprintf(buf, size, fmt, args);
	va_end(args);
	return len < (int)size ? len : size ? (int)size - 1 : 0;
}

#define fallthrough __attribute__((__fallthrough__))

#ifndef __printf
#define __printf(a, b) __attribute__((__format__(printf, a, b)))
#endif

#endif /* NP_LINUX_KERNEL_H */
