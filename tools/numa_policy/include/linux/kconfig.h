/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NP_LINUX_KCONFIG_H
#define NP_LINUX_KCONFIG_H

/*
 * IS_ENABLED() for options that are defined as 1 or not at all.
 */
#define NP_PLACE_1 0,
#define NP_SECOND(_ignored, val, ...) val
#define NP_ENABLED3(arg) NP_SECOND(arg 1, 0)
#define NP_ENABLED2(val) NP_ENABLED3(NP_PLACE_##val)
#define IS_ENABLED(option) NP_ENABLED2(option)

#endif /* NP_LINUX_KCONFIG_H */
