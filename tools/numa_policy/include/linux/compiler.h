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

#define __user
#define __maybe_unused __attribute__((__unused__))

#define data_race(expr) (expr)
#define smp_store_release(p, val) WRITE_ONCE(*(p), val)
#define smp_load_acquire(p) READ_ONCE(*(p))

#define likely(x) (x)
#define unlikely(x) (x)

/* To see which branches are taken there may be one copy of each; the C library defines it, too. */
#ifdef NP_NEVER_INLINE
#include <features.h>
#undef __always_inline
#define __always_inline inline
#endif

#ifndef __always_inline
#define __always_inline inline __attribute__((__always_inline__))
#endif

#endif /* NP_LINUX_COMPILER_H */
