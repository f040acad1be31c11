/* SPDX-License-Identifier: Apache-2.0 */
/* clEnqueueNativeKernel (OpenCL 3.0 API, 5.10): arguments are copied, and handles in them become
 * addresses. */
#include <stdlib.h>
#include <string.h>

#include "api.h"
#include "command.h"
#include "enqueue_command.h"

cl_int run_native_kernel(struct command *command)
{
    command->u.native.function(command->u.native.args);
    return CL_SUCCESS;
}

void drop_native_kernel(struct command *command)
{
    for (cl_uint i = 0; i < command->u.native.memobj_count; i++)
        object_unref(command->u.native.memobjs[i]);
    free(command->u.native.memobjs);
    free(command->u.native.args);
}

static cl_int check_native(const struct queue *queue, void(CL_CALLBACK *function)(void *), const void *args,
                           size_t args_size, cl_uint count, const cl_mem *mem_list, const void **args_mem_loc)
{
    cl_device_exec_capabilities capabilities = 0;
    const bool args_agree = args ? args_size != 0 : !args_size && !count;
    const bool objects_agree = count ? mem_list && args_mem_loc : !mem_list && !args_mem_loc;
    if (!function || !args_agree || !objects_agree)
        return CL_INVALID_VALUE;
    api_clGetDeviceInfo((cl_device_id)queue->device, CL_DEVICE_EXECUTION_CAPABILITIES, sizeof capabilities,
                        &capabilities, NULL);
    return capabilities & CL_EXEC_NATIVE_KERNEL ? CL_SUCCESS : CL_INVALID_OPERATION;
}

/* Replaces a handle in the copy by the address of the buffer. */
static cl_int take_memobj(struct command *command, cl_mem handle, const char *args, const char *place)
{
    void *address = NULL;
    struct memobj *memobj = NULL;
    if (handle) {
        memobj = object_lookup(handle, OBJECT_MEMOBJ);
        if (!memobj || memobj->type != CL_MEM_OBJECT_BUFFER)
            return CL_INVALID_MEM_OBJECT;
        if (memobj->context != command->queue->context)
            return CL_INVALID_CONTEXT;
        address = (void *)(uintptr_t)memobj->address;
    }
    command->u.native.memobjs[command->u.native.memobj_count++] = object_ref(memobj);
    if (place < args || (size_t)(place - args) + sizeof address > command->u.native.args_size)
        return CL_INVALID_VALUE;
    memcpy((char *)command->u.native.args + (place - args), &address, sizeof address);
    return CL_SUCCESS;
}

static cl_int fill_native(struct command *command, const void *args, cl_uint count, const cl_mem *mem_list,
                          const void **args_mem_loc)
{
    cl_int err = CL_SUCCESS;
    size_t size = command->u.native.args_size;
    command->u.native.args = args ? malloc(size) : NULL;
    command->u.native.memobjs = calloc(count ? count : 1, sizeof *command->u.native.memobjs);
    if ((args && !command->u.native.args) || !command->u.native.memobjs)
        return CL_OUT_OF_HOST_MEMORY;
    if (args)
        memcpy(command->u.native.args, args, size);
    for (cl_uint i = 0; i < count && !err; i++)
        err = take_memobj(command, mem_list[i], args, args_mem_loc[i]);
    return err;
}

cl_int CL_API_CALL api_clEnqueueNativeKernel(cl_command_queue command_queue,
                                             void(CL_CALLBACK *user_func)(void *), void *args, size_t cb_args,
                                             cl_uint num_mem_objects, const cl_mem *mem_list,
                                             const void **args_mem_loc, cl_uint num_events_in_wait_list,
                                             const cl_event *event_wait_list, cl_event *event)
{
    struct enqueue enqueue;
    cl_int err = enqueue_begin(&enqueue, command_queue, COMMAND_NATIVE_KERNEL, num_events_in_wait_list,
                               event_wait_list);
    if (!err)
        err = check_native(enqueue.queue, user_func, args, cb_args, num_mem_objects, mem_list, args_mem_loc);
    if (!err) {
        enqueue.command->u.native.function = user_func;
        enqueue.command->u.native.args_size = cb_args;
        err = fill_native(enqueue.command, args, num_mem_objects, mem_list, args_mem_loc);
    }
    return enqueue_end(&enqueue, err, false, event);
}
