/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NP_LINUX_CACHE_H
#define NP_LINUX_CACHE_H

#define __ro_after_init
#define __read_mostly

#endif /* NP_LINUX_CACHE_H */
