/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NP_LINUX_PTRACE_H
#define NP_LINUX_PTRACE_H

#include <linux/sched.h>

#define PTRACE_MODE_READ_FSCREDS 0x9

bool ptrace_may_access(struct task_struct *task, unsigned int mode);

#endif /* NP_LINUX_PTRACE_H */
