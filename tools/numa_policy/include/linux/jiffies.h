/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NP_LINUX_JIFFIES_H
#define NP_LINUX_JIFFIES_H

/* Right across a wrap-around, as long as the two are less than half the range apart. */
#define time_after(a, b) ((long)((unsigned long)(b) - (unsigned long)(a)) < 0)

#endif /* NP_LINUX_JIFFIES_H */
