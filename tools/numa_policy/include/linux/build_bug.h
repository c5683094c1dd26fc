/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NP_LINUX_BUILD_BUG_H
#define NP_LINUX_BUILD_BUG_H

#include <assert.h>

/* One argument only: the policies' checks say enough in themselves. */
#undef static_assert
#define static_assert(expr) _Static_assert(expr, #expr)

#endif /* NP_LINUX_BUILD_BUG_H */
