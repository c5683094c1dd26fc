/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What init does for the plugin that counts memory accesses.
 */
#ifndef NP_GUEST_TRAFFIC_H
#define NP_GUEST_TRAFFIC_H

unsigned long np_phys(const void *p);
int np_traffic_start(void);

#endif /* NP_GUEST_TRAFFIC_H */
