/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NP_LINUX_PRINTK_H
#define NP_LINUX_PRINTK_H

#include <linux/kernel.h>

/* What is logged, for whoever wants to look at it. */
__printf(1, 2) void np_printk(const char *fmt, ...);

#ifndef pr_fmt
#define pr_fmt(fmt) fmt
#endif

#define pr_info(fmt, ...) np_printk("info " pr_fmt(fmt), ##__VA_ARGS__)
#define pr_warn(fmt, ...) np_printk("warn " pr_fmt(fmt), ##__VA_ARGS__)

#endif /* NP_LINUX_PRINTK_H */
