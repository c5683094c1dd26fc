/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NP_LINUX_STATIC_CALL_H
#define NP_LINUX_STATIC_CALL_H

/* A pointer that stands for the call; who tests whether it is called defines the count. */
extern int np_static_calls;
#define DECLARE_STATIC_CALL(_name, _func) extern __typeof__(_func) *np_static_call_##_name
#define DEFINE_STATIC_CALL_RET0(_name, _func) __typeof__(_func) *np_static_call_##_name
#define static_call(_name) (np_static_calls++, np_static_call_##_name)
#define static_call_update(_name, _func) (np_static_call_##_name = (_func))

#endif /* NP_LINUX_STATIC_CALL_H */
