/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NP_LINUX_INIT_H
#define NP_LINUX_INIT_H

#define __init
#define __refconst

/* Nothing is called at start: who includes the source calls it. */
#define core_initcall(fn)

#endif /* NP_LINUX_INIT_H */
