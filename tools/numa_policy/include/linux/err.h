/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NP_LINUX_ERR_H
#define NP_LINUX_ERR_H

#define ERR_PTR(_err) ((void *)(long)(_err))

#endif /* NP_LINUX_ERR_H */
