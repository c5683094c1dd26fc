/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NP_LINUX_KCONFIG_H
#define NP_LINUX_KCONFIG_H

/*
 * IS_ENABLED() for options that are defined as 1 or not at all. The first two are the kernel's own
 * names: the library uses them where it needs a text instead of a number.
 */
#define __ARG_PLACEHOLDER_1 0,
#define __take_second_arg(_ignored, val, ...) val
#define NP_ENABLED3(arg) __take_second_arg(arg 1, 0)
#define NP_ENABLED2(val) NP_ENABLED3(__ARG_PLACEHOLDER_##val)
#define IS_ENABLED(option) NP_ENABLED2(option)

#endif /* NP_LINUX_KCONFIG_H */
