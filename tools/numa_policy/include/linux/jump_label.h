/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NP_LINUX_JUMP_LABEL_H
#define NP_LINUX_JUMP_LABEL_H

#include <linux/compiler.h>

struct static_key {
	bool on;
};

#define DECLARE_STATIC_KEY_FALSE(_name) extern struct static_key _name
#define DEFINE_STATIC_KEY_FALSE(_name) struct static_key _name
#define static_branch_unlikely(_key) ((_key)->on)
#define static_key_enabled(_key) ((_key)->on)
#define static_branch_enable(_key) ((_key)->on = true)
#define static_branch_disable(_key) ((_key)->on = false)

#endif /* NP_LINUX_JUMP_LABEL_H */
