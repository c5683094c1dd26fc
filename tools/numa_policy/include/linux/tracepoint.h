/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NP_LINUX_TRACEPOINT_H
#define NP_LINUX_TRACEPOINT_H

/* No event is defined: who calls one says what it does. */
#define TRACE_DEFINE_ENUM(_enum)
#define TRACE_EVENT(...)

#endif /* NP_LINUX_TRACEPOINT_H */
