/* SPDX-License-Identifier: Apache-2.0 */
/* Shared virtual memory of OpenCL, and unified shared memory of cl_intel_unified_shared_memory. */
#include <string.h>

#include "calls_sequence.h"

static void put_shared(struct sequence *s, struct shared made)
{
    if (!made.pointer)
        return;
    for (unsigned i = 0; i < PLACES; i++) {
        struct shared *place = &s->shared[s->next_shared++ % PLACES];
        if (place->pointer && !place->freed)
            continue;
        *place = made;
        return;
    }
    if (made.usm)
        NAMED(clMemFreeINTEL)(made.context, made.pointer);
    else
        clSVMFree(made.context, made.pointer);
}

void try_svm_alloc(struct sequence *s)
{
    static const uint64_t flags[] = {0,
                                     CL_MEM_READ_WRITE,
                                     CL_MEM_SVM_FINE_GRAIN_BUFFER,
                                     CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS,
                                     CL_MEM_READ_ONLY,
                                     CL_MEM_WRITE_ONLY,
                                     CL_MEM_SVM_ATOMICS,
                                     CL_MEM_HOST_NO_ACCESS};
    const cl_context context = DRAW_CONTEXT(s);
    const cl_svm_mem_flags wanted = draw_flags(s, flags, COUNT_OF(flags));
    const size_t size = draw_bytes(s);
    char *const made = clSVMAlloc(context, wanted, size, draw_odd(s, 4) ? (cl_uint)draw_size(s) : 0);
    put_shared(s, (struct shared){made, size, context, 0, false});
}

void try_usm_alloc(struct sequence *s)
{
    const cl_context context = DRAW_CONTEXT(s);
    const cl_device_id device = DRAW_DEVICE(s);
    const size_t size = draw_bytes(s);
    const uint8_t way = draw(s);
    const cl_uint alignment = way & 8 ? (cl_uint)draw_size(s) : 0;
    const uint8_t name = draw(s), value = draw(s);
    const cl_mem_properties_intel list[] = {name ? name : CL_MEM_ALLOC_FLAGS_INTEL, value % 8, 0};
    const cl_mem_properties_intel *const properties = way & 16 ? list : NULL;
    cl_int err = CL_SUCCESS;
    struct shared made = {.size = size, .context = context};
    if (way % 3 == 0) {
        made.usm = CL_MEM_TYPE_HOST_INTEL;
        made.pointer = NAMED(clHostMemAllocINTEL)(context, properties, size, alignment, &err);
    } else if (way % 3 == 1) {
        made.usm = CL_MEM_TYPE_DEVICE_INTEL;
        made.pointer = NAMED(clDeviceMemAllocINTEL)(context, device, properties, size, alignment, &err);
    } else {
        made.usm = CL_MEM_TYPE_SHARED_INTEL;
        made.pointer = NAMED(clSharedMemAllocINTEL)(context, way & 32 ? NULL : device, properties, size,
                                                    alignment, &err);
    }
    if (!made.pointer != !!err)
        __builtin_trap();
    put_shared(s, made);
}

void try_shared_free(struct sequence *s)
{
    struct shared *shared = draw_shared(s);
    const uint8_t way = draw(s);
    const cl_context context = way & 16 ? DRAW_CONTEXT(s) : shared->context;
    void *const pointer = way & 32 ? world.host + way : way & 64 ? NULL : (void *)shared->pointer;
    if (shared->freed)
        return; /* its address may be another sequence's */
    shared->freed = pointer == shared->pointer;
    if (!shared->usm)
        clSVMFree(context, pointer);
    else if (way & 1 && may_block(s))
        NAMED(clMemBlockingFreeINTEL)(context, pointer);
    else
        NAMED(clMemFreeINTEL)(context, pointer);
    shared->freed &= context == shared->context;
}

void try_enqueue_free(struct sequence *s)
{
    const struct command_operands operands = try_begin(s);
    struct shared *shared[2] = {draw_shared(s), draw_shared(s)};
    void *pointers[2];
    cl_uint count = 0;
    const uint8_t way = draw(s);
    for (unsigned i = 0; i < 2 && (!i || shared[0] != shared[1]); i++)
        if (!shared[i]->freed && !shared[i]->usm)
            pointers[count++] = shared[i]->pointer;
    const cl_int err =
        clEnqueueSVMFree(operands.queue, way == 255 ? 0 : count, count && way != 254 ? pointers : NULL,
                         way & 1 ? on_free : NULL, draw_note(s), WAITS(operands));
    for (unsigned i = 0; i < 2 && !err; i++)
        if (!shared[i]->usm && shared[i]->pointer)
            shared[i]->freed = true; /* of another context than the queue's: it stays until that ends */
    try_end(s);
}

void try_svm_copy(struct sequence *s)
{
    const struct command_operands operands = try_begin(s);
    const uint8_t way = draw(s);
    size_t size = draw_bytes(s);
    void *const to = draw_address(s, &size);
    const void *const from = draw_address(s, &size);
    const cl_bool blocks = way & 2 && may_block(s);
    if (way & 1)
        NAMED(clEnqueueMemcpyINTEL)(operands.queue, blocks, to, from, size, WAITS(operands));
    else
        clEnqueueSVMMemcpy(operands.queue, blocks, to, from, size, WAITS(operands));
    try_end(s);
}

void try_svm_fill(struct sequence *s)
{
    static const size_t patterns[] = {4, 1, 2, 8, 16, 32, 64, 128, 0, 3, 256, SIZE_MAX};
    const struct command_operands operands = try_begin(s);
    size_t size = draw_bytes(s);
    void *const to = draw_address(s, &size);
    const size_t pattern = patterns[draw(s) % COUNT_OF(patterns)];
    char *const host = draw_host(s);
    if (draw_odd(s, 2))
        NAMED(clEnqueueMemFillINTEL)(operands.queue, to, host, pattern, size, WAITS(operands));
    else
        clEnqueueSVMMemFill(operands.queue, to, host, pattern, size, WAITS(operands));
    try_end(s);
}

void try_svm_map(struct sequence *s)
{
    static const uint64_t flags[] = {CL_MAP_READ, CL_MAP_WRITE, CL_MAP_READ | CL_MAP_WRITE,
                                     CL_MAP_WRITE_INVALIDATE_REGION, 0};
    const struct command_operands operands = try_begin(s);
    const uint8_t way = draw(s);
    size_t size = draw_bytes(s);
    const struct shared *shared = draw_shared(s);
    void *const pointer = way & 16 ? draw_address(s, &size) : shared->pointer;
    const cl_map_flags wanted = draw_flags(s, flags, COUNT_OF(flags));
    const cl_bool blocks = !(way & 1) && may_block(s);
    if (way & 4) {
        clEnqueueSVMUnmap(operands.queue, pointer, WAITS(operands));
    } else if (!clEnqueueSVMMap(operands.queue, blocks, wanted, pointer, size, WAITS(operands)) && blocks &&
               wanted & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION) && pointer == shared->pointer &&
               !shared->freed && !shared->usm) {
        memset(pointer, 3, size < shared->size ? size : shared->size);
    }
    try_end(s);
}

void try_svm_migrate(struct sequence *s)
{
    static const uint64_t flags[] = {0, CL_MIGRATE_MEM_OBJECT_HOST, CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED};
    const struct command_operands operands = try_begin(s);
    size_t sizes[2] = {draw_bytes(s), 0}, size = 1;
    const void *pointers[2] = {draw_address(s, &size), draw_address(s, &size)};
    const uint8_t way = draw(s);
    const cl_mem_migration_flags wanted = draw_flags(s, flags, COUNT_OF(flags));
    if (way % 3 == 2)
        NAMED(clEnqueueMigrateMemINTEL)(operands.queue, pointers[0], sizes[0], wanted, WAITS(operands));
    else if (way % 3 == 1)
        NAMED(clEnqueueMemAdviseINTEL)
    (operands.queue, pointers[0], sizes[0], (cl_mem_advice_intel)way / 16, WAITS(operands));
    else clEnqueueSVMMigrateMem(operands.queue, way ? way / 3 % 3 : 1, way == 255 ? NULL : pointers,
                                way & 64 ? NULL : sizes, wanted, WAITS(operands));
    try_end(s);
}

/* The host writes to it, where it may without a map; a command may do the same meanwhile. */
__attribute__((no_sanitize("thread"))) void try_host_access(struct sequence *s)
{
    const struct shared *shared = draw_shared(s);
    if (shared->pointer && !shared->freed &&
        (shared->usm == CL_MEM_TYPE_HOST_INTEL || shared->usm == CL_MEM_TYPE_SHARED_INTEL))
        *(volatile char *)shared->pointer = (char)draw(s);
}
