/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every query, with every name near those that there are. The answer's memory has the size that the
 * call gets, so that a sanitizer sees what is written past it; the size that a query states must not change.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calls_sequence.h"

/* An argument between the object and the name. */
struct extra {
    cl_device_id device;
    cl_uint index;
    const void *address;
};

struct query {
    enum sort sort;
    cl_uint bases[4]; /* of names; each has 128 names; 0: no more */
    cl_int (*get)(void *object, const struct extra *extra, cl_uint name, size_t room, void *answer,
                  size_t *size);
};

#define GET(call, type, ...)                                                                     \
    static cl_int get_##call(void *object, const struct extra *extra, cl_uint name, size_t room, \
                             void *answer, size_t *size)                                         \
    {                                                                                            \
        (void)extra;                                                                             \
        return call((type)object, ##__VA_ARGS__, name, room, answer, size);                      \
    }

GET(clGetPlatformInfo, cl_platform_id)
GET(clGetDeviceInfo, cl_device_id)
GET(clGetContextInfo, cl_context)
GET(clGetCommandQueueInfo, cl_command_queue)
GET(clGetMemObjectInfo, cl_mem)
GET(clGetImageInfo, cl_mem)
GET(clGetPipeInfo, cl_mem)
GET(clGetSamplerInfo, cl_sampler)
GET(clGetProgramInfo, cl_program)
GET(clGetProgramBuildInfo, cl_program, extra->device)
GET(clGetKernelInfo, cl_kernel)
GET(clGetKernelArgInfo, cl_kernel, extra->index)
GET(clGetKernelWorkGroupInfo, cl_kernel, extra->device)
GET(clGetEventInfo, cl_event)
GET(clGetEventProfilingInfo, cl_event)

static cl_int get_semaphore(void *object, const struct extra *extra, cl_uint name, size_t room, void *answer,
                            size_t *size)
{
    (void)extra;
    return NAMED(clGetSemaphoreInfoKHR)((cl_semaphore_khr)object, name, room, answer, size);
}

static cl_int get_command_buffer(void *object, const struct extra *extra, cl_uint name, size_t room,
                                 void *answer, size_t *size)
{
    (void)extra;
    return NAMED(clGetCommandBufferInfoKHR)((cl_command_buffer_khr)object, name, room, answer, size);
}

static cl_int get_allocation(void *object, const struct extra *extra, cl_uint name, size_t room, void *answer,
                             size_t *size)
{
    return NAMED(clGetMemAllocInfoINTEL)((cl_context)object, extra->address, name, room, answer, size);
}

static const struct query queries[] = {
    {DEVICES, {CL_PLATFORM_PROFILE}, get_clGetPlatformInfo},
    {DEVICES, {CL_DEVICE_TYPE, 0x4000, 0x2000, 0x4180}, get_clGetDeviceInfo},
    {DEVICES, {0x1280, 0x1060, 0x10A0, 0x4230}, get_clGetDeviceInfo},
    {CONTEXTS, {CL_CONTEXT_REFERENCE_COUNT}, get_clGetContextInfo},
    {QUEUES, {CL_QUEUE_CONTEXT, 0x4180}, get_clGetCommandQueueInfo},
    {MEMORY, {CL_MEM_TYPE, 0x4180, 0x2040}, get_clGetMemObjectInfo},
    {MEMORY, {CL_IMAGE_FORMAT}, get_clGetImageInfo},
    {MEMORY, {CL_PIPE_PACKET_SIZE}, get_clGetPipeInfo},
    {SAMPLERS, {CL_SAMPLER_REFERENCE_COUNT}, get_clGetSamplerInfo},
    {PROGRAMS, {CL_PROGRAM_REFERENCE_COUNT}, get_clGetProgramInfo},
    {PROGRAMS, {CL_PROGRAM_BUILD_STATUS}, get_clGetProgramBuildInfo},
    {KERNELS, {CL_KERNEL_FUNCTION_NAME}, get_clGetKernelInfo},
    {KERNELS, {CL_KERNEL_ARG_ADDRESS_QUALIFIER}, get_clGetKernelArgInfo},
    {KERNELS, {CL_KERNEL_WORK_GROUP_SIZE, 0x4100}, get_clGetKernelWorkGroupInfo},
    {EVENTS, {CL_EVENT_COMMAND_QUEUE, 0x4F520000}, get_clGetEventInfo},
    {EVENTS, {CL_PROFILING_COMMAND_QUEUED}, get_clGetEventProfilingInfo},
    {SEMAPHORES, {CL_SEMAPHORE_CONTEXT_KHR & ~0xfU, 0x2050}, get_semaphore},
    {COMMAND_BUFFERS, {CL_COMMAND_BUFFER_QUEUES_KHR & ~0xfU}, get_command_buffer},
    {CONTEXTS, {CL_MEM_ALLOC_TYPE_INTEL & ~0xfU}, get_allocation},
};

static cl_uint draw_name(struct sequence *s, const struct query *query)
{
    const uint8_t byte = draw(s), other = draw(s) % 4;
    return query->bases[query->bases[other] ? other : 0] + byte % 128;
}

/* CL_PROGRAM_BINARIES takes an array of pointers, which are NULL here. */
static void ask(const struct query *query, void *object, const struct extra *extra, cl_uint name, size_t room)
{
    size_t size = 0, again = 0;
    const cl_int err = query->get(object, extra, name, 0, NULL, &size);
    if (!err && size < 64 * 1024)
        room = room < size ? room : size + room % 4;
    void *answer = calloc(1, room + 1);
    const cl_int answered = query->get(object, extra, name, room, (char *)answer + !room, &again);
    if (!err && answered == CL_SUCCESS && (again > room || (again != size && query->sort != EVENTS))) {
        fprintf(stderr, "query %x: %zu bytes, then %zu in room for %zu\n", name, size, again, room);
        abort();
    }
    free(answer);
}

void try_query(struct sequence *s)
{
    const struct query *query = &queries[draw(s) % COUNT_OF(queries)];
    const cl_uint name = draw_name(s, query);
    void *const object = draw_odd(s, 8) ? NULL : draw_object(s, query->sort);
    size_t size = 1;
    const struct extra extra = {DRAW_DEVICE(s), draw(s) % 5, draw_address(s, &size)};
    ask(query, query->get == get_clGetPlatformInfo && object ? (void *)world.platform : object, &extra, name,
        draw_odd(s, 4) ? draw_size(s) % 256 : 4096);
}

/* Each of 128 names. Most are refused, which takes long, so it is a call of its own. */
void try_query_all(struct sequence *s)
{
    const struct query *query = &queries[draw(s) % COUNT_OF(queries)];
    void *const object = draw_object(s, query->sort);
    const cl_uint base = query->bases[draw(s) % 4];
    size_t size = 1;
    const struct extra extra = {DRAW_DEVICE(s), draw(s) % 5, draw_address(s, &size)};
    for (unsigned i = 0; i < 128; i++)
        ask(query, query->get == get_clGetPlatformInfo ? (void *)world.platform : object, &extra, base + i,
            4096);
}

void try_query_sub_groups(struct sequence *s)
{
    const cl_kernel kernel = DRAW_KERNEL(s);
    const cl_device_id device = DRAW_DEVICE(s);
    const cl_kernel_sub_group_info name = CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE + draw(s) % 8;
    const cl_kernel_sub_group_info names[] = {name, CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT,
                                              CL_KERNEL_MAX_NUM_SUB_GROUPS, CL_KERNEL_COMPILE_NUM_SUB_GROUPS,
                                              CL_KERNEL_COMPILE_SUB_GROUP_SIZE_INTEL};
    const uint8_t way = draw(s);
    size_t input[3] = {draw_size(s), draw_size(s), draw_size(s)}, size;
    const size_t input_size = way & 1 ? draw(s) % (sizeof input + 1) : sizeof(size_t) * (1 + draw(s) % 3),
                 room = way & 2 ? draw(s) % 33 : sizeof(size_t) * (1 + draw(s) % 3);
    void *answer = malloc(room + 1);
    const cl_kernel_sub_group_info wanted = names[way / 8 % COUNT_OF(names)];
    if (way & 4)
        NAMED(clGetKernelSubGroupInfoKHR)
    (kernel, device, wanted, input_size, way == 255 ? NULL : input, room, (char *)answer + !room, &size);
    else clGetKernelSubGroupInfo(kernel, device, wanted, input_size, way == 251 ? NULL : input, room,
                                 (char *)answer + !room, &size);
    free(answer);
}
