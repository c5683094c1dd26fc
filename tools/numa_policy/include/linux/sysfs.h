/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NP_LINUX_SYSFS_H
#define NP_LINUX_SYSFS_H

#define sysfs_emit(buf, ...) snprintf(buf, 4096, __VA_ARGS__)

#endif /* NP_LINUX_SYSFS_H */
