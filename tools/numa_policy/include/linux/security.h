/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NP_LINUX_SECURITY_H
#define NP_LINUX_SECURITY_H

#include <linux/sched.h>

int security_task_setscheduler(struct task_struct *task);

#endif /* NP_LINUX_SECURITY_H */
