/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NP_LINUX_TYPES_H
#define NP_LINUX_TYPES_H

#include_next <linux/types.h>

typedef __u8 u8;

#endif /* NP_LINUX_TYPES_H */
