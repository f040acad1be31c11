/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A call takes its operands from the bytes that follow it: objects by their place in a table, which may be
 * empty or hold one that was released, and numbers from a list of ordinary and odd ones. A call that may wait
 * first sets the sequence's user events, as it would wait for ever for one that is not set.
 */
#include "calls.h"

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <stdlib.h>
#include <string.h>

enum { TABLE = 8, BUFFER_BYTES = 256, HOST_BYTES = 4096, CALLS_MOST = 200 };

static cl_device_id device;
static cl_context context;
static cl_command_queue queues[2];
static cl_program program;

struct sequence {
    const uint8_t *at, *end;
    cl_mem memory[TABLE];
    cl_event events[TABLE], users[TABLE];
    cl_kernel kernels[TABLE];
    void *maps[TABLE];
    void *shared[TABLE];
    cl_mem mapped[TABLE];
    uint8_t host[HOST_BYTES];
};

static const char source[] =
    "kernel void add(global int *a, int n) { a[get_global_id(0)] += n; }\n"
    "kernel void copy(global const int *a, global int *b, local int *c) {\n"
    "    c[get_local_id(0)] = a[get_global_id(0)]; barrier(CLK_LOCAL_MEM_FENCE); b[get_global_id(0)] = c[0]; "
    "}\n"
    "kernel void walk(global int *a, ulong far) { for (int i = 0; i < 9; i++) a[far * i] = i; }\n";

void calls_begin(void)
{
    cl_platform_id platform;
    const char *text = source;
    const cl_command_queue_properties unordered[] = {
        CL_QUEUE_PROPERTIES, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE, 0};
    if (context)
        return;
    setenv("ORRERY_LOG", "/dev/null", 1);
    setenv("ORRERY_FORCE", "true", 1);
    setenv("ORRERY_CHECK_API", "warning", 1);
    setenv("ORRERY_DATA_RACES", "warning", 1);
    setenv("ORRERY_KEEP_EXIT_CODE", "true", 1);
    setenv("ORRERY_MAX_STEPS", "100000", 1);
    if (clGetPlatformIDs(1, &platform, NULL) ||
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL))
        abort();
    context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    queues[0] = clCreateCommandQueueWithProperties(context, device, NULL, NULL);
    queues[1] = clCreateCommandQueueWithProperties(context, device, unordered, NULL);
    program = clCreateProgramWithSource(context, 1, &text, NULL, NULL);
    if (!queues[0] || !queues[1] || clBuildProgram(program, 1, &device, "", NULL, NULL))
        abort();
}

/* ---- operands ------------------------------------------------------------------------------ */

static uint8_t next(struct sequence *s)
{
    return s->at < s->end ? *s->at++ : 0;
}

static size_t number(struct sequence *s)
{
    static const size_t numbers[] = {0,   1,   2,   4,    8,    16,         64,           128,
                                     255, 256, 257, 1000, 4096, UINT32_MAX, SIZE_MAX / 2, SIZE_MAX};
    return numbers[next(s) % 16];
}

static cl_command_queue queue(struct sequence *s)
{
    return queues[next(s) % 2];
}

/* As many events as the byte gives, from the table. */
static cl_uint waits(struct sequence *s, cl_event list[2])
{
    const uint8_t byte = next(s);
    const cl_uint count = byte % 4 == 3 ? 2 : byte % 4 == 2;
    for (cl_uint i = 0; i < count; i++)
        list[i] = byte & 16 ? s->users[byte >> 5] : s->events[byte >> 5];
    return count;
}

/* The place for a call's event: a free one, or none. */
static cl_event *event_place(struct sequence *s)
{
    cl_event *place = &s->events[next(s) % TABLE];
    return *place ? NULL : place;
}

static void users_set(struct sequence *s)
{
    for (int i = 0; i < TABLE; i++)
        if (s->users[i])
            clSetUserEventStatus(s->users[i], i % 3 ? CL_COMPLETE : -1);
}

/* ---- calls --------------------------------------------------------------------------------- */

static void make_buffer(struct sequence *s)
{
    static const cl_mem_flags flags[] = {0,
                                         CL_MEM_READ_ONLY,
                                         CL_MEM_WRITE_ONLY,
                                         CL_MEM_COPY_HOST_PTR,
                                         CL_MEM_ALLOC_HOST_PTR,
                                         CL_MEM_HOST_NO_ACCESS,
                                         CL_MEM_READ_WRITE | CL_MEM_READ_ONLY,
                                         (cl_mem_flags)1 << 40};
    const cl_mem_flags wanted = flags[next(s) % 8];
    cl_mem *place = &s->memory[next(s) % TABLE];
    const size_t size = next(s) % 4 ? BUFFER_BYTES : number(s);
    if (!*place && size <= HOST_BYTES)
        *place = clCreateBuffer(context, wanted, size, wanted & CL_MEM_COPY_HOST_PTR ? s->host : NULL, NULL);
}

static void make_part(struct sequence *s)
{
    const cl_mem whole = s->memory[next(s) % TABLE];
    cl_mem *place = &s->memory[next(s) % TABLE];
    const cl_buffer_region region = {number(s), number(s)};
    if (!*place)
        *place = clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, NULL);
}

static void make_image(struct sequence *s)
{
    const cl_image_format format = {CL_R + next(s) % 8, CL_SNORM_INT8 + next(s) % 16};
    const cl_image_desc about = {.image_type = CL_MEM_OBJECT_BUFFER + next(s) % 9,
                                 .image_width = next(s) % 20,
                                 .image_height = next(s) % 20,
                                 .image_depth = next(s) % 4,
                                 .image_array_size = next(s) % 4,
                                 .image_row_pitch = next(s) % 2 ? 0 : number(s)};
    cl_mem *place = &s->memory[next(s) % TABLE];
    if (!*place)
        *place = clCreateImage(context, 0, &format, &about, NULL, NULL);
}

static void transfer(struct sequence *s)
{
    cl_event list[2];
    const cl_mem memory = s->memory[next(s) % TABLE];
    const size_t offset = number(s), size = number(s);
    const uint8_t kind = next(s);
    const cl_uint count = waits(s, list);
    const cl_bool blocks = kind & 4 ? CL_TRUE : CL_FALSE;
    if (size > HOST_BYTES && size < SIZE_MAX / 2)
        return; /* the host's memory is not that large, and a buffer could be */
    if (blocks)
        users_set(s);
    if (kind & 1)
        clEnqueueReadBuffer(queue(s), memory, blocks, offset, size, s->host, count, count ? list : NULL,
                            event_place(s));
    else
        clEnqueueWriteBuffer(queue(s), memory, blocks, offset, size, s->host, count, count ? list : NULL,
                             event_place(s));
}

static void copy(struct sequence *s)
{
    cl_event list[2];
    const cl_mem from = s->memory[next(s) % TABLE], to = s->memory[next(s) % TABLE];
    const size_t a = number(s), b = number(s), size = number(s);
    const cl_uint count = waits(s, list);
    clEnqueueCopyBuffer(queue(s), from, to, a, b, size, count, count ? list : NULL, event_place(s));
}

static void fill(struct sequence *s)
{
    cl_event list[2];
    const cl_mem memory = s->memory[next(s) % TABLE];
    const size_t pattern = number(s), offset = number(s), size = number(s);
    const cl_uint count = waits(s, list);
    if (pattern <= HOST_BYTES)
        clEnqueueFillBuffer(queue(s), memory, s->host, pattern, offset, size, count, count ? list : NULL,
                            event_place(s));
}

static void copy_rect(struct sequence *s)
{
    cl_event list[2];
    const cl_mem from = s->memory[next(s) % TABLE], to = s->memory[next(s) % TABLE];
    const size_t a[3] = {number(s), number(s), number(s)}, b[3] = {number(s), number(s), number(s)},
                 region[3] = {number(s), number(s), number(s)};
    const size_t row = number(s), slice = number(s);
    const cl_uint count = waits(s, list);
    if (next(s) % 2)
        clEnqueueCopyBufferRect(queue(s), from, to, a, b, region, row, slice, row, slice, count,
                                count ? list : NULL, event_place(s));
    else
        clEnqueueCopyImage(queue(s), from, to, a, b, region, count, count ? list : NULL, event_place(s));
}

static void map(struct sequence *s)
{
    cl_event list[2];
    const uint8_t place = next(s) % TABLE, from = next(s) % TABLE;
    const size_t offset = number(s), size = number(s);
    const cl_map_flags flags = next(s) % 8;
    const cl_uint count = waits(s, list);
    if (s->maps[place])
        return;
    users_set(s);
    s->mapped[place] = s->memory[from];
    s->maps[place] = clEnqueueMapBuffer(queue(s), s->memory[from], CL_TRUE, flags, offset, size, count,
                                        count ? list : NULL, event_place(s), NULL);
    if (s->maps[place] && (flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION)))
        memset(s->maps[place], 7, size);
}

static void unmap(struct sequence *s)
{
    const uint8_t place = next(s) % TABLE;
    clEnqueueUnmapMemObject(queue(s), s->mapped[place], s->maps[place], 0, NULL, event_place(s));
    s->maps[place] = NULL;
}

static void make_kernel(struct sequence *s)
{
    static const char *const names[] = {"add", "copy", "walk", "none"};
    cl_kernel *place = &s->kernels[next(s) % TABLE];
    if (!*place)
        *place = clCreateKernel(program, names[next(s) % 4], NULL);
}

static void set_argument(struct sequence *s)
{
    const cl_kernel kernel = s->kernels[next(s) % TABLE];
    const cl_uint index = next(s) % 4;
    const cl_mem memory = s->memory[next(s) % TABLE];
    const size_t value = number(s);
    switch (next(s) % 4) {
    case 0: clSetKernelArg(kernel, index, sizeof memory, &memory); break;
    case 1: clSetKernelArg(kernel, index, sizeof(cl_int), &value); break;
    case 2: clSetKernelArg(kernel, index, value, NULL); break;
    default: clSetKernelArg(kernel, index, sizeof value, &value); break;
    }
}

static void launch(struct sequence *s)
{
    cl_event list[2];
    const cl_kernel kernel = s->kernels[next(s) % TABLE];
    const size_t global[3] = {next(s), next(s) % 4, next(s) % 4}, local[3] = {next(s) % 80, next(s) % 4, 1};
    const cl_uint dimensions = next(s) % 4, count = waits(s, list);
    clEnqueueNDRangeKernel(queue(s), kernel, dimensions, NULL, global, next(s) % 2 ? local : NULL, count,
                           count ? list : NULL, event_place(s));
}

static void marker(struct sequence *s)
{
    cl_event list[2];
    const cl_uint count = waits(s, list);
    if (next(s) % 2)
        clEnqueueMarkerWithWaitList(queue(s), count, count ? list : NULL, event_place(s));
    else
        clEnqueueBarrierWithWaitList(queue(s), count, count ? list : NULL, event_place(s));
}

static void make_user(struct sequence *s)
{
    cl_event *place = &s->users[next(s) % TABLE];
    if (!*place)
        *place = clCreateUserEvent(context, NULL);
}

static void set_user(struct sequence *s)
{
    const cl_event user = s->users[next(s) % TABLE];
    clSetUserEventStatus(user, (int8_t)next(s));
}

static void wait(struct sequence *s)
{
    cl_event list[2];
    const cl_uint count = waits(s, list);
    users_set(s);
    if (next(s) % 2)
        clWaitForEvents(count, list);
    else
        clFinish(queue(s));
}

static void query_event(struct sequence *s)
{
    uint8_t answer[64];
    size_t size;
    const cl_uint what = next(s) % 32, room = next(s) % 2 ? sizeof answer : 0;
    clGetEventInfo(s->events[next(s) % TABLE], CL_EVENT_COMMAND_QUEUE + what, room, room ? answer : NULL,
                   &size);
    clGetEventProfilingInfo(s->events[next(s) % TABLE], CL_PROFILING_COMMAND_QUEUED + what, room,
                            room ? answer : NULL, &size);
    clGetMemObjectInfo(s->memory[next(s) % TABLE], CL_MEM_TYPE + what, room, room ? answer : NULL, &size);
    clGetKernelInfo(s->kernels[next(s) % TABLE], CL_KERNEL_FUNCTION_NAME + what, room, room ? answer : NULL,
                    &size);
}

static void release(struct sequence *s)
{
    const uint8_t place = next(s) % TABLE;
    switch (next(s) % 4) {
    case 0:
        clReleaseMemObject(s->memory[place]);
        s->memory[place] = NULL;
        break;
    case 1:
        clReleaseEvent(s->events[place]);
        s->events[place] = NULL;
        break;
    case 2:
        clReleaseKernel(s->kernels[place]);
        s->kernels[place] = NULL;
        break;
    default:
        clSetUserEventStatus(s->users[place], CL_COMPLETE);
        clReleaseEvent(s->users[place]);
        s->users[place] = NULL;
        break;
    }
}

static void share(struct sequence *s)
{
    const uint8_t place = next(s) % TABLE;
    const size_t size = number(s);
    cl_event list[2];
    const cl_uint count = waits(s, list);
    if (!s->shared[place])
        s->shared[place] =
            size <= HOST_BYTES
                ? clSVMAlloc(context, next(s) % 2 ? CL_MEM_READ_WRITE : CL_MEM_READ_ONLY, size, 0)
                : NULL;
    else if (next(s) % 2)
        clEnqueueSVMMemFill(queue(s), s->shared[place], s->host, 1, size, count, count ? list : NULL,
                            event_place(s));
    else
        clSetKernelArgSVMPointer(s->kernels[next(s) % TABLE], next(s) % 4, s->shared[place]);
}

static void (*const calls[])(struct sequence *) = {
    make_buffer,  make_part, make_image, transfer, copy,      fill,     copy_rect, map, unmap,   make_kernel,
    set_argument, launch,    launch,     marker,   make_user, set_user, wait,      query_event, release, share};

static void leave(struct sequence *s)
{
    users_set(s);
    for (int i = 0; i < TABLE; i++)
        if (s->maps[i])
            clEnqueueUnmapMemObject(queues[0], s->mapped[i], s->maps[i], 0, NULL, NULL);
    clFinish(queues[0]);
    clFinish(queues[1]);
    for (int i = 0; i < TABLE; i++) {
        if (s->memory[i])
            clReleaseMemObject(s->memory[i]);
        if (s->events[i])
            clReleaseEvent(s->events[i]);
        if (s->users[i])
            clReleaseEvent(s->users[i]);
        if (s->kernels[i])
            clReleaseKernel(s->kernels[i]);
        if (s->shared[i])
            clSVMFree(context, s->shared[i]);
    }
}

void calls_run(const uint8_t *data, size_t size)
{
    struct sequence s = {.at = data, .end = data + size};
    for (int i = 0; i < CALLS_MOST && s.at < s.end; i++)
        calls[next(&s) % (sizeof calls / sizeof *calls)](&s);
    leave(&s);
}
