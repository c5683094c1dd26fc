/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NP_LINUX_COMPILER_H
#define NP_LINUX_COMPILER_H

/*
 * The kernel's macros as far as the scan policies use them, for building those in user space.
 */
#include <stdbool.h>
#include <stddef.h>

#define READ_ONCE(x) (*(const volatile __typeof__(x) *)&(x))
#define WRITE_ONCE(x, val) (*(volatile __typeof__(x) *)&(x) = (val))

#define data_race(expr) (expr)

#ifndef __always_inline
#define __always_inline inline __attribute__((__always_inline__))
#endif

#endif /* NP_LINUX_COMPILER_H */
