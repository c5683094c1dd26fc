/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NP_LINUX_PERCPU_H
#define NP_LINUX_PERCPU_H

/* A machine of one CPU. */
#include <linux/slab.h>

#define __percpu
#define DECLARE_PER_CPU(_type, _name) extern _type _name
#define DEFINE_PER_CPU(_type, _name) _type _name
#define this_cpu_inc(_var) ((void)(_var)++)
#define this_cpu_add(_var, _n) ((void)((_var) += (_n)))
#define per_cpu_ptr(_ptr, _cpu) (_ptr)
#define for_each_possible_cpu(_cpu) for ((_cpu) = 0; (_cpu) < 1; (_cpu)++)
#define alloc_percpu(_type) ((_type *)kzalloc(sizeof(_type), GFP_KERNEL))

#endif /* NP_LINUX_PERCPU_H */
