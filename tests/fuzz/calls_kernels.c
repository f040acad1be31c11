/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels, their arguments, and launches. */
#include <string.h>

#include "calls_sequence.h"

static const char *const names[] = {"add",      "copy",  "walk",  "texels", "volumes", "print", "patient",
                                    "by_value", "count", "piped", "filled", "parent",  "none",  "k"};

void try_kernel(struct sequence *s)
{
    const cl_program program = DRAW_PROGRAM(s);
    const uint8_t name = draw(s);
    cl_int err = CL_SUCCESS;
    cl_kernel made = clCreateKernel(program, name == 255 ? NULL : names[name % COUNT_OF(names)], &err);
    put(s, KERNELS, made, err);
}

void try_kernels(struct sequence *s)
{
    cl_kernel list[16] = {NULL};
    cl_uint count = 0;
    const cl_program program = DRAW_PROGRAM(s);
    const cl_uint room = draw(s) % 17;
    const uint8_t odd = draw(s);
    const cl_int err =
        clCreateKernelsInProgram(program, room, room && !(odd & 64) ? list : NULL, odd & 32 ? NULL : &count);
    for (unsigned i = 0; !err && i < room && list[i]; i++)
        put(s, KERNELS, list[i], CL_SUCCESS);
}

void try_clone(struct sequence *s)
{
    cl_int err = CL_SUCCESS;
    cl_kernel made = clCloneKernel(DRAW_KERNEL(s), &err);
    put(s, KERNELS, made, err);
}

void try_argument(struct sequence *s)
{
    const cl_kernel kernel = DRAW_KERNEL(s);
    const uint8_t way = draw(s);
    const cl_uint index = draw(s) % 5;
    const cl_mem memory = DRAW_MEMORY(s);
    const cl_sampler sampler = DRAW_SAMPLER(s);
    const cl_command_queue queue = DRAW_QUEUE(s);
    const size_t size = draw_size(s);
    switch (way % 8) {
    case 0:
    case 1: clSetKernelArg(kernel, index, sizeof memory, &memory); break;
    case 2: clSetKernelArg(kernel, index, sizeof(cl_int), &size); break;
    case 3: clSetKernelArg(kernel, index, size, NULL); break;
    case 4: clSetKernelArg(kernel, index, sizeof sampler, &sampler); break;
    case 5: clSetKernelArg(kernel, index, sizeof queue, &queue); break;
    default: /* a size that no argument has is refused, or the host's memory has it */
        clSetKernelArg(kernel, size > 250 ? (cl_uint)size : index, size, world.host);
    }
}

void try_shared_argument(struct sequence *s)
{
    const cl_kernel kernel = DRAW_KERNEL(s);
    const cl_uint index = draw(s) % 5;
    size_t size = 64;
    void *const address = draw_address(s, &size);
    if (draw_odd(s, 2))
        NAMED(clSetKernelArgMemPointerINTEL)(kernel, index, address);
    else
        clSetKernelArgSVMPointer(kernel, index, address);
}

void try_execution_info(struct sequence *s)
{
    static const cl_kernel_exec_info whats[] = {CL_KERNEL_EXEC_INFO_SVM_PTRS,
                                                CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM,
                                                CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL,
                                                CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL,
                                                CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL,
                                                CL_KERNEL_EXEC_INFO_INDIRECT_SHARED_ACCESS_INTEL,
                                                0x9999};
    const cl_kernel kernel = DRAW_KERNEL(s);
    const uint8_t what = draw(s);
    size_t size = 1;
    const void *pointers[2] = {draw_address(s, &size), draw_address(s, &size)};
    const cl_bool flag = draw(s) % 3;
    const uint8_t way = draw(s);
    const bool list = what % COUNT_OF(whats) == 0 || what % COUNT_OF(whats) == 2;
    const size_t room = list ? sizeof pointers : sizeof flag;
    clSetKernelExecInfo(kernel, whats[what % COUNT_OF(whats)], way == 0 ? room : way % (room + 1),
                        way == 255 ? NULL
                        : list     ? (const void *)pointers
                                   : &flag);
}

struct range {
    size_t offset[3], global[3], local[3];
    const size_t *offset_or, *global_or, *local_or;
    cl_uint dimensions;
};

static void draw_range(struct sequence *s, struct range *range)
{
    const uint8_t form = draw(s);
    *range = (struct range){.dimensions = form % 8 < 4 ? 1 : form % 8 - 3};
    for (cl_uint i = 0; i < 3; i++) {
        range->global[i] = form & 128 ? draw_size(s) : (size_t)draw(s) % (i ? 4 : 70) + 1;
        range->local[i] = form & 8 ? draw(s) % (i ? 4 : 70) : 1;
        range->offset[i] = form & 16 ? draw_size(s) : 0;
    }
    range->global_or = form == 255 ? NULL : range->global;
    range->local_or = form & 32 ? range->local : NULL;
    range->offset_or = form & 64 ? range->offset : NULL;
}

/* A launch of many work-items takes long. */
static bool is_small(const struct range *range)
{
    double items = 1;
    for (cl_uint i = 0; i < range->dimensions && i < 3; i++)
        items *= (double)range->global[i];
    return items <= 1024 || items > 1e18;
}

void try_launch(struct sequence *s)
{
    const struct command_operands operands = try_begin(s);
    const cl_kernel kernel = DRAW_KERNEL(s);
    struct range range;
    draw_range(s, &range);
    if (is_small(&range))
        clEnqueueNDRangeKernel(operands.queue, kernel, range.dimensions, range.offset_or, range.global_or,
                               range.local_or, WAITS(operands));
    try_end(s);
}

/* A kernel with a buffer of its own as first argument, so that most of them run. */
void try_launch_ready(struct sequence *s)
{
    const struct command_operands operands = try_begin(s);
    const cl_kernel kernel = DRAW_KERNEL(s);
    const cl_mem memory = DRAW_MEMORY(s), other = DRAW_MEMORY(s);
    const cl_sampler sampler = DRAW_SAMPLER(s);
    const cl_command_queue queue = DRAW_QUEUE(s);
    const size_t global[2] = {1 + draw(s) % 64, 1 + draw(s) % 4};
    const cl_ulong number = draw_size(s);
    clSetKernelArg(kernel, 0, sizeof memory, &memory);
    if (clSetKernelArg(kernel, 1, sizeof other, &other) &&
        clSetKernelArg(kernel, 1, sizeof(cl_int), &number) &&
        clSetKernelArg(kernel, 1, sizeof number, &number) && clSetKernelArg(kernel, 1, 256, NULL))
        clSetKernelArg(kernel, 1, sizeof queue, &queue);
    if (clSetKernelArg(kernel, 2, 256, NULL) && clSetKernelArg(kernel, 2, sizeof sampler, &sampler) &&
        clSetKernelArg(kernel, 2, sizeof memory, &memory))
        clSetKernelArg(kernel, 2, 1, &number);
    clSetKernelArg(kernel, 3, sizeof other, &other);
    clEnqueueNDRangeKernel(operands.queue, kernel, global[1] == 1 ? 1 : 2, NULL, global, NULL,
                           WAITS(operands));
    try_end(s);
}

void try_task(struct sequence *s)
{
    const struct command_operands operands = try_begin(s);
    clEnqueueTask(operands.queue, DRAW_KERNEL(s), WAITS(operands));
    try_end(s);
}

void try_suggest(struct sequence *s)
{
    size_t size[3];
    const cl_command_queue queue = DRAW_QUEUE(s);
    const cl_kernel kernel = DRAW_KERNEL(s);
    struct range range;
    draw_range(s, &range);
    NAMED(clGetKernelSuggestedLocalWorkSizeKHR)
    (queue, kernel, range.dimensions, range.offset_or, range.global_or, draw_odd(s, 16) ? NULL : size);
}

/* ---- native kernels ---- */

struct native_arguments {
    size_t size;
    void *places[2];
};

static void CL_CALLBACK native(void *data)
{
    struct native_arguments *arguments = data;
    for (unsigned i = 0; arguments && i < 2; i++)
        if (arguments->places[i] && arguments->size == sizeof *arguments)
            *(char *)arguments->places[i] = 1;
}

void try_native(struct sequence *s)
{
    const struct command_operands operands = try_begin(s);
    const cl_mem list[2] = {DRAW_MEMORY(s), DRAW_MEMORY(s)};
    const uint8_t way = draw(s);
    struct native_arguments arguments = {.size = sizeof arguments};
    const void *places[2] = {&arguments.places[0], way & 8 ? (void *)world.host : &arguments.places[1]};
    const cl_uint count = way % 4 == 3 ? 0 : way % 4;
    const size_t size = way == 0x80 ? 0 : sizeof arguments;
    clEnqueueNativeKernel(operands.queue, way == 0x81 ? NULL : native, way == 0x82 ? NULL : &arguments, size,
                          count, way == 0x83 || !count ? NULL : list, way == 0x84 || !count ? NULL : places,
                          WAITS(operands));
    try_end(s);
}
