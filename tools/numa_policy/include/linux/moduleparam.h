/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NP_LINUX_MODULEPARAM_H
#define NP_LINUX_MODULEPARAM_H

struct kernel_param {
	const char *name;
	const struct kernel_param_ops *ops;
	void *arg;
};

struct kernel_param_ops {
	int (*set)(const char *val, const struct kernel_param *kp);
	int (*get)(char *buffer, const struct kernel_param *kp);
};

#define __param_check(_name, _p, _type) \
	static inline _type * __attribute__((__unused__)) __check_##_name(void) { return (_p); }

/* The parameter by its name, for whoever sets and reads it. */
#define core_param(_name, _var, _type, _perm)						\
	param_check_##_type(_name, &(_var));						\
	const struct kernel_param np_param_##_name = { #_name, &param_ops_##_type, &(_var) }

#endif /* NP_LINUX_MODULEPARAM_H */
