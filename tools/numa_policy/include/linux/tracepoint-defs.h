/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NP_LINUX_TRACEPOINT_DEFS_H
#define NP_LINUX_TRACEPOINT_DEFS_H

/* Whether an event is on: who tests that says so. */
#define DECLARE_TRACEPOINT(_event) _Bool trace_##_event##_enabled(void)
#define tracepoint_enabled(_event) trace_##_event##_enabled()

#endif /* NP_LINUX_TRACEPOINT_DEFS_H */
