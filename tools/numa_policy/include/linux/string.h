/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NP_LINUX_STRING_H
#define NP_LINUX_STRING_H

#include <string.h>

#endif /* NP_LINUX_STRING_H */
