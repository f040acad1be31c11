/* SPDX-License-Identifier: Apache-2.0 */
/* Pipes: memory objects that only kernels access (OpenCL 3.0 API, 5.4). */
#include "orrery/pipe.h"

#include <stdlib.h>

#include "api.h"
#include "lib/diagnose/call.h"
#include "context.h"
#include "device_info.h"
#include "error.h"
#include "info.h"
#include "memobj.h"
#include "queue.h"
#include "api_runtime.h"
#include "version.h"

/* Kernels read and write a pipe, and the host cannot access it; only flags that say so are valid. */
static cl_int check(const struct context *context, cl_mem_flags flags, uint32_t packet_bytes,
                    uint32_t packet_count, const cl_pipe_properties *properties)
{
    if (!device_supports_pipes(context->devices[0]))
        return CL_INVALID_OPERATION;
    if (flags & ~(cl_mem_flags)(CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS))
        return call_because(CL_INVALID_VALUE, "flags may be CL_MEM_READ_WRITE and CL_MEM_HOST_NO_ACCESS");
    if (properties && properties[0])
        return CL_INVALID_VALUE;
    if (!packet_bytes || packet_bytes > PIPE_PACKET_BYTES_MAX || !packet_count)
        return call_because(CL_INVALID_PIPE_SIZE,
                            "pipe_packet_size is %u and pipe_max_packets %u; packets have 1 to %u bytes "
                            "(CL_DEVICE_PIPE_MAX_PACKET_SIZE)",
                            packet_bytes, packet_count, (unsigned)PIPE_PACKET_BYTES_MAX);
    return CL_SUCCESS;
}

static cl_int lay_out(struct memobj *memobj, uint32_t packet_bytes, uint32_t packet_count)
{
    struct pipe *pipe = calloc(1, sizeof *pipe);
    if (!pipe)
        return CL_OUT_OF_HOST_MEMORY;
    pipe->packet_bytes = packet_bytes;
    pipe->packet_count = packet_count;
    queue_hold();
    enum status status = device_write(runtime_device(), 0, memobj->address, pipe, sizeof *pipe);
    queue_resume();
    free(pipe);
    return error_from_status(status);
}

static cl_int create(struct context *context, cl_mem_flags flags, uint32_t packet_bytes,
                     uint32_t packet_count, const cl_pipe_properties *properties, struct memobj **out_memobj)
{
    cl_int err = check(context, flags, packet_bytes, packet_count, properties);
    if (err)
        return err;
    if (pipe_bytes(packet_bytes, packet_count) > context_max_allocation(context).most)
        return CL_MEM_OBJECT_ALLOCATION_FAILURE;
    struct memobj *memobj =
        memobj_new(context, CL_MEM_OBJECT_PIPE, flags | CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS,
                   pipe_bytes(packet_bytes, packet_count));
    if (!memobj)
        return CL_OUT_OF_HOST_MEMORY;
    memobj->packet_bytes = packet_bytes;
    memobj->packet_count = packet_count;
    err = memobj_provide_storage(memobj, NULL, "pipe");
    if (!err)
        err = memobj_keep_properties(
            memobj, (const cl_mem_properties *)properties); /* a valid list is empty: its final 0 only */
    if (!err)
        err = lay_out(memobj, packet_bytes, packet_count);
    if (err) {
        object_unref(memobj);
        return err;
    }
    object_publish(memobj);
    *out_memobj = memobj;
    return CL_SUCCESS;
}

cl_mem CL_API_CALL api_clCreatePipe(cl_context handle, cl_mem_flags flags, cl_uint pipe_packet_size,
                                    cl_uint pipe_max_packets, const cl_pipe_properties *properties,
                                    cl_int *errcode_ret)
{
    struct context *context = context_lookup(handle);
    struct memobj *memobj = NULL;
    if (!context)
        return error_return(errcode_ret, CL_INVALID_CONTEXT, NULL);
    cl_int err = create(context, flags, pipe_packet_size, pipe_max_packets, properties, &memobj);
    return error_return(errcode_ret, context_refuse(context, "clCreatePipe", err), memobj);
}

cl_int CL_API_CALL api_clGetPipeInfo(cl_mem handle, cl_pipe_info param_name, size_t param_value_size,
                                     void *param_value, size_t *param_value_size_ret)
{
    const struct info_reply reply = {param_value_size, param_value, param_value_size_ret};
    const struct memobj *memobj = object_lookup(handle, OBJECT_MEMOBJ);
    if (!memobj || memobj->type != CL_MEM_OBJECT_PIPE)
        return CL_INVALID_MEM_OBJECT;
    if (!version_context_has_query(memobj->context, param_name))
        return CL_INVALID_VALUE;
    switch (param_name) {
    case CL_PIPE_PACKET_SIZE: return INFO_VALUE(&reply, cl_uint, memobj->packet_bytes);
    case CL_PIPE_MAX_PACKETS: return INFO_VALUE(&reply, cl_uint, memobj->packet_count);
    case CL_PIPE_PROPERTIES:
        return info_bytes(&reply, memobj->properties, memobj->property_count * sizeof *memobj->properties);
    default: return CL_INVALID_VALUE;
    }
}
