/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NP_LINUX_LOG2_H
#define NP_LINUX_LOG2_H

#define ilog2(n) (__LONG_WIDTH__ - 1 - __builtin_clzl(n))

#endif /* NP_LINUX_LOG2_H */
