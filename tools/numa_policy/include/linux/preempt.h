/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NP_LINUX_PREEMPT_H
#define NP_LINUX_PREEMPT_H

#define preempt_disable() do { } while (0)
#define preempt_enable() do { } while (0)

#endif /* NP_LINUX_PREEMPT_H */
