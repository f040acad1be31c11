/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cl_orrery_counters: what a command did to caches and NUMA nodes, an extension of the
 * Orrery simulator, there when the scenario has counters. See orrery-topology(5).
 *
 *     cl_event_counters_orrery counters;
 *     clGetEventInfo(event, CL_EVENT_COUNTERS_ORRERY, sizeof counters, &counters, NULL);
 *
 * The event's command must be complete. It returns
 *     CL_INVALID_VALUE                   the extension is not there
 *     CL_PROFILING_INFO_NOT_AVAILABLE    a user event, or the command is not complete
 * The value has no number assigned by Khronos.
 */
#ifndef CL_ORRERY_COUNTERS_H_
#define CL_ORRERY_COUNTERS_H_

#include <CL/cl.h>

#ifdef __cplusplus
extern "C" {
#endif

#define cl_orrery_counters 1
#define CL_ORRERY_COUNTERS_EXTENSION_NAME "cl_orrery_counters"

/* cl_event_info */
#define CL_EVENT_COUNTERS_ORRERY 0x4F520001

/* Of a kernel: its work-items' accesses to global and constant memory. Of a command that moves bytes, lines
 * of 64 bytes, all of them misses. A command that does neither has zeros. */
typedef struct _cl_event_counters_orrery {
    cl_ulong accesses;
    cl_ulong writes; /* of the accesses */
    cl_ulong bytes;
    cl_ulong hits;   /* served by some cache */
    cl_ulong misses; /* served by memory */
    cl_ulong evictions;
    cl_ulong write_backs;
    cl_ulong invalidations;
    cl_ulong false_sharing;
    cl_ulong memory_accesses;
    cl_ulong remote_accesses;
    cl_ulong remote_bytes;
} cl_event_counters_orrery;

#ifdef __cplusplus
}
#endif

#endif /* CL_ORRERY_COUNTERS_H_ */
