/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NP_LINUX_MUTEX_H
#define NP_LINUX_MUTEX_H

/* One thread: a lock that is taken twice, or not given back, is a mistake. */
#include <assert.h>

struct mutex {
	int held;
};

#define DEFINE_MUTEX(_name) struct mutex _name

static inline void mutex_lock(struct mutex *lock)
{
	assert(!lock->held++);
}

static inline void mutex_unlock(struct mutex *lock)
{
	assert(!--lock->held);
}

#endif /* NP_LINUX_MUTEX_H */
