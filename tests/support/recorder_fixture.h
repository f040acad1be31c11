/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  For tests of command-buffers: what records, and types that are younger than the oldest headers.
 *
 * Interface
 *   recorder_new     a command-buffer of one queue, with properties or NULL
 *   recorder_free    releases it
 *   NO_POINTS        the end of a recording call: waits for nothing, returns nothing
 */
#ifndef ORRERY_TESTS_SUPPORT_RECORDER_FIXTURE_H
#define ORRERY_TESTS_SUPPORT_RECORDER_FIXTURE_H
#include "cl_fixture.h"

#ifndef CL_COMMAND_BUFFER_CONTEXT_KHR
#define CL_COMMAND_BUFFER_CONTEXT_KHR 0x1299
typedef cl_int(CL_API_CALL *clCommandSVMMemcpyKHR_fn)(cl_command_buffer_khr, cl_command_queue, void *,
                                                      const void *, size_t, cl_uint,
                                                      const cl_sync_point_khr *, cl_sync_point_khr *,
                                                      cl_mutable_command_khr *);
typedef cl_int(CL_API_CALL *clCommandSVMMemFillKHR_fn)(cl_command_buffer_khr, cl_command_queue, void *,
                                                       const void *, size_t, size_t, cl_uint,
                                                       const cl_sync_point_khr *, cl_sync_point_khr *,
                                                       cl_mutable_command_khr *);
#endif

#define NO_POINTS 0, NULL, NULL, NULL

static inline cl_command_buffer_khr recorder_new(cl_command_queue to,
                                                 const cl_command_buffer_properties_khr *properties)
{
    cl_int err;
    cl_command_buffer_khr made = NAMED(clCreateCommandBufferKHR)(1, &to, properties, &err);
    cl_ok(err);
    return made;
}

static inline void recorder_free(cl_command_buffer_khr recorder)
{
    cl_ok(NAMED(clReleaseCommandBufferKHR)(recorder));
}
#endif
