/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The objects that all sequences share, and the life of a sequence: its calls, then the release of what it
 * made. A handle that was released stays in its table, and calls get it like any other: Orrery recognises it.
 * Objects of the world are never released, since other sequences need them.
 */
#include "calls_sequence.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/callback.h"
#include "lib/queue.h"
#include "orrery/orrery.h"

struct world world;

static size_t live_before[OBJECT_KIND_COUNT];

static void (*const calls[])(struct sequence *) = {
#define CALL(name) try_##name,
#include "calls.def"
#undef CALL
};
const unsigned calls_count = COUNT_OF(calls);

static const char scenario[] =
    "orrery: 1\n"
    "devices:\n"
    "  - topology: 'tile:2 cslice:2 cu:2'\n"
    "    limits: &limits {global_memory: 16MiB, max_allocation: 1MiB}\n"
    "    features: {cslice_partition: true, named_barriers: true, kernel_clock: true}\n"
    "  - topology: 'numa:2 l3:2 cu:2'\n"
    "    limits: *limits\n"
    "    features: {svm_fine: false, svm_atomics: false, device_enqueue: false}\n"
    "  - topology: 'cu:3'\n"
    "    version: '1.2'\n"
    "    limits: *limits\n"
    "checks: {api: warning, races: warning, misuse: warning}\n"
    "report: {log: /dev/null, force: true, keep_exit_code: true, max_findings: 3}\n"
    "schedule: {max_steps: 20000}\n";

/* The first kernel takes what most arguments of a sequence fit. */
static const char source[] =
    "kernel void add(global int *a, int n) { a[get_global_id(0)] += n; }\n"
    "kernel void copy(global const int *a, global int *b, local int *c) {\n"
    "    c[get_local_id(0)] = a[get_global_id(0)]; barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    b[get_global_id(0)] = c[0]; }\n"
    "kernel void walk(global int *a, ulong far) { for (int i = 0; i < 9; i++) a[far * i] = i; }\n"
    "kernel void texels(read_only image2d_t a, write_only image2d_t b, sampler_t s) {\n"
    "    int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
    "    write_imagef(b, at, read_imagef(a, s, at)); }\n"
    "kernel void volumes(read_only image3d_t a, read_only image1d_array_t b, read_only image1d_buffer_t c,\n"
    "    global float4 *d) { d[0] = read_imagef(a, (int4)(get_global_id(0))) + read_imagef(b, (int2)(1)) +\n"
    "    read_imagef(c, 1); }\n"
    "kernel __attribute__((reqd_work_group_size(4, 1, 1))) void print(global int *a, constant float2 *b) {\n"
    "    printf(\"%d %v2f %s\\n\", a[0], b[0], \"text\"); }\n"
    "kernel void patient(global volatile int *a) { for (int i = 0; i < 50 && a[0] == 0; i++) ; }\n"
    "struct pair { int *left; float right[3]; };\n"
    "kernel void by_value(float3 a, ulong4 b, char c, global int *out) { out[0] = a.x + b.y + c; }\n"
    "#if __OPENCL_C_VERSION__ >= 200\n"
    "global int counter = 1;\n"
    "kernel void count(global atomic_int *a, local long *b) {\n"
    "    atomic_fetch_add_explicit(a, counter++, memory_order_relaxed, memory_scope_device); }\n"
    "kernel void piped(read_only pipe int a, global int *b) { int x = 0; read_pipe(a, &x); b[0] = x; }\n"
    "kernel void filled(write_only pipe int a) { int x = 5; write_pipe(a, &x); }\n"
    "#endif\n"
    "#if defined(__opencl_c_device_enqueue)\n"
    "kernel void parent(global int *a, queue_t q) {\n"
    "    enqueue_kernel(q, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(2), ^{ a[0] = 1; }); }\n"
    "#endif\n";

/* ---- the world ---------------------------------------------------------------------------------- */

static void make_programs(void)
{
    const char *text = source, *const options[] = {"-cl-std=CL3.0 -cl-kernel-arg-info", "-cl-std=CL3.0",
                                                   "-g"};
    for (unsigned i = 0; i < PROGRAM_COUNT; i++) {
        world.programs[i] = clCreateProgramWithSource(world.contexts[i], 1, &text, NULL, NULL);
        const cl_int err = clBuildProgram(world.programs[i], 0, NULL, options[i], NULL, NULL);
        world.kernels[i] = clCreateKernel(world.programs[i], "add", NULL);
        if (err || !world.kernels[i]) {
            static char log[4096];
            clGetProgramBuildInfo(world.programs[i], world.devices[i], CL_PROGRAM_BUILD_LOG, sizeof log, log,
                                  NULL);
            fprintf(stderr, "program %u does not build: %d\n%s\n", i, err, log);
            abort();
        }
    }
}

static void make_queues(void)
{
    const cl_command_queue_properties unordered[] = {
        CL_QUEUE_PROPERTIES, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE, 0};
    const cl_context *const c = world.contexts;
    world.queues[0] = clCreateCommandQueueWithProperties(c[0], world.devices[0], NULL, NULL);
    world.queues[1] = clCreateCommandQueueWithProperties(c[0], world.devices[0], unordered, NULL);
    world.queues[2] = clCreateCommandQueueWithProperties(c[1], world.devices[1], unordered, NULL);
    world.queues[3] = clCreateCommandQueueWithProperties(c[2], world.devices[2], NULL, NULL);
    for (unsigned i = 0; i < QUEUE_COUNT; i++)
        if (!world.queues[i])
            abort();
}

/* A table of the device, in memory that LeakSanitizer does not search, has the only pointers to what
 * arena_allocate() allocates; hwloc loses memory. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:arena_allocate\nleak:libhwloc\n";
}

static void make_world(void)
{
    char error[400] = "";
    cl_uint count = 0;
    if (orrery_load_scenario_text(scenario, error, sizeof error)) {
        fprintf(stderr, "%s\n", error);
        abort();
    }
    if (clGetPlatformIDs(1, &world.platform, NULL) ||
        clGetDeviceIDs(world.platform, CL_DEVICE_TYPE_ALL, DEVICE_COUNT, world.devices, &count) ||
        count != DEVICE_COUNT)
        abort();
    world.contexts[0] = clCreateContext(NULL, 1, world.devices, NULL, NULL, NULL);
    world.contexts[1] = clCreateContext(NULL, 2, world.devices, NULL, NULL, NULL);
    world.contexts[2] = clCreateContext(NULL, 1, world.devices + 2, NULL, NULL, NULL);
    make_queues();
    make_programs();
    callback_drain();
    for (int kind = 0; kind < OBJECT_KIND_COUNT; kind++)
        live_before[kind] = object_live_count(kind);
}

/* Two threads name the same bytes of the host in their calls, and the library reads and writes them: such races are
 * the sequences' own. */
#ifdef __SANITIZE_THREAD__
void AnnotateBenignRaceSized(const char *file, int line, const volatile void *address, size_t size,
                             const char *why);
static void expect_races(void)
{
    AnnotateBenignRaceSized(__FILE__, __LINE__, world.host, sizeof world.host, "memory of the host");
}
#else
static void expect_races(void) {}
#endif

void calls_begin(void)
{
    if (world.platform)
        return;
    expect_races();
    make_world();
}

static const struct {
    void *const *objects;
    unsigned count;
} of_world[SORTS] = {
    [DEVICES] = {(void *const *)world.devices, DEVICE_COUNT},
    [CONTEXTS] = {(void *const *)world.contexts, CONTEXT_COUNT},
    [QUEUES] = {(void *const *)world.queues, QUEUE_COUNT},
    [PROGRAMS] = {(void *const *)world.programs, PROGRAM_COUNT},
    [KERNELS] = {(void *const *)world.kernels, PROGRAM_COUNT},
};

bool is_of_world(enum sort sort, const void *handle)
{
    for (unsigned i = 0; i < of_world[sort].count; i++)
        if (of_world[sort].objects[i] == handle)
            return true;
    return false;
}

/* ---- objects of a sequence ------------------------------------------------------------------------ */

cl_int object_change(enum sort sort, void *handle, bool retains)
{
#define CHANGE(suffix, type) return (retains ? clRetain##suffix : clRelease##suffix)((type)handle)
    switch (sort) {
    case DEVICES: CHANGE(Device, cl_device_id);
    case CONTEXTS: CHANGE(Context, cl_context);
    case QUEUES: CHANGE(CommandQueue, cl_command_queue);
    case MEMORY: CHANGE(MemObject, cl_mem);
    case SAMPLERS: CHANGE(Sampler, cl_sampler);
    case PROGRAMS: CHANGE(Program, cl_program);
    case KERNELS: CHANGE(Kernel, cl_kernel);
    case EVENTS: CHANGE(Event, cl_event);
    case SEMAPHORES:
        return (retains ? NAMED(clRetainSemaphoreKHR)
                        : NAMED(clReleaseSemaphoreKHR))((cl_semaphore_khr)handle);
    default:
        return (retains ? NAMED(clRetainCommandBufferKHR)
                        : NAMED(clReleaseCommandBufferKHR))((cl_command_buffer_khr)handle);
    }
#undef CHANGE
}

static void drop(struct sequence *s, enum sort sort, unsigned place)
{
    for (; s->held[sort][place]; s->held[sort][place]--)
        object_change(sort, s->object[sort][place], false);
}

void put(struct sequence *s, enum sort sort, void *handle, cl_int err)
{
    if (!handle != !!err) {
        fprintf(stderr, "a call returned %p with the error %d\n", handle, err);
        abort();
    }
    if (!handle)
        return;
    const unsigned first = sort == KERNELS ? 0 : of_world[sort].count,
                   place = first + s->next[sort]++ % (PLACES - first);
    drop(s, sort, place);
    s->object[sort][place] = handle;
    s->held[sort][place] = 1;
}

/* A queue for what a sequence owes, as its own may wait for that. */
static cl_command_queue spare_queue(cl_context context)
{
    cl_device_id devices[DEVICE_COUNT * 8] = {NULL};
    clGetContextInfo(context, CL_CONTEXT_DEVICES, sizeof devices, devices, NULL);
    return clCreateCommandQueueWithProperties(context, devices[0], NULL, NULL);
}

static void signal_semaphore(cl_semaphore_khr semaphore)
{
    cl_context context = NULL;
    cl_device_id devices[DEVICE_COUNT * 8] = {NULL};
    NAMED(clGetSemaphoreInfoKHR)(semaphore, CL_SEMAPHORE_CONTEXT_KHR, sizeof context, &context, NULL);
    NAMED(clGetSemaphoreInfoKHR)
    (semaphore, CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR, sizeof devices, devices, NULL);
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, devices[0], NULL, NULL);
    NAMED(clEnqueueSignalSemaphoresKHR)(queue, 1, &semaphore, NULL, 0, NULL, NULL);
    clFinish(queue);
    clReleaseCommandQueue(queue);
}

void signal_awaited(struct sequence *s, cl_semaphore_khr semaphore)
{
    for (unsigned i = 0; i < PLACES; i++)
        if (s->signals[i] && s->signals[i] == semaphore && s->awaited[i]) {
            signal_semaphore(semaphore);
            s->awaited[i] = false;
        }
}

void unmap(const struct map *map)
{
    cl_context context = NULL;
    clGetMemObjectInfo(map->memory, CL_MEM_CONTEXT, sizeof context, &context, NULL);
    cl_command_queue queue = spare_queue(context);
    clEnqueueUnmapMemObject(queue, map->memory, map->pointer, 0, NULL, NULL);
    clFinish(queue); /* a command that nothing waits for is remembered for ever */
    clReleaseCommandQueue(queue);
}

/* Sets what commands of the sequence wait for. */
static void set_awaited(struct sequence *s)
{
    for (unsigned i = 0; i < PLACES; i++) {
        if (s->users[i])
            clSetUserEventStatus(s->users[i], i % 3 ? CL_COMPLETE : -1);
        signal_awaited(s, s->signals[i]);
    }
    for (unsigned i = 0; i < PLACES; i++)
        if (s->held[QUEUES][i] || i < QUEUE_COUNT)
            clFlush(s->object[QUEUES][i]); /* a semaphore's signal may be in another queue than the wait */
}

bool may_block(struct sequence *s)
{
    if (!s->nested)
        set_awaited(s);
    return !s->nested;
}

/* ---- a sequence -------------------------------------------------------------------------------- */

static struct sequence *begin(const uint8_t *data, const uint8_t *end)
{
    struct sequence *s = calloc(1, sizeof *s);
    if (!s)
        abort();
    s->data = data;
    s->end = end;
    for (int sort = 0; sort < SORTS; sort++)
        for (unsigned i = 0; i < of_world[sort].count && sort != KERNELS; i++)
            s->object[sort][i] = of_world[sort].objects[i];
    return s;
}

static void make_call(struct sequence *s, const uint8_t *record)
{
    const size_t left = (size_t)(s->end - record);
    s->at = record + 1;
    s->stop = record + (left < CALLS_RECORD ? left : CALLS_RECORD);
    if (record[0] < calls_count)
        calls[record[0]](s);
}

/* No command of the sequence runs after it, unless it is nested. */
static void settle(struct sequence *s)
{
    set_awaited(s);
    for (unsigned i = 0; i < PLACES; i++)
        if (s->maps[i].pointer)
            unmap(&s->maps[i]);
    for (int round = 0; round < 2 && !s->nested; round++) { /* the second: what callbacks enqueued */
        queue_finish_all();
        callback_drain();
    }
}

static void leave(struct sequence *s)
{
    settle(s);
    for (int sort = SORTS - 1; sort >= 0; sort--)
        for (unsigned i = 0; i < PLACES; i++)
            drop(s, (enum sort)sort, i);
    for (unsigned i = 0; i < PLACES; i++) {
        if (s->users[i])
            clReleaseEvent(s->users[i]);
        if (s->signals[i])
            NAMED(clReleaseSemaphoreKHR)(s->signals[i]);
        if (!s->shared[i].pointer || s->shared[i].freed)
            continue;
        if (s->shared[i].usm)
            NAMED(clMemFreeINTEL)(s->shared[i].context, s->shared[i].pointer);
        else
            clSVMFree(s->shared[i].context, s->shared[i].pointer);
    }
    if (s->nested) {
        free(s); /* no callback has a note of it */
        return;
    }
    callback_drain();
    s->next_left = __atomic_load_n(&world.left, __ATOMIC_RELAXED);
    while (
        !__atomic_compare_exchange_n(&world.left, &s->next_left, s, true, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
        ;
}

void calls_nested(const uint8_t *record, struct sequence *outer, enum sort sort, void *handle)
{
    struct sequence *s = begin(outer->data, outer->end);
    s->nested = true;
    s->object[sort][PLACES - 1] = handle;
    if (sort == MEMORY || sort == EVENTS)
        s->object[sort][0] = handle;
    make_call(s, record);
    leave(s);
}

void calls_run(const uint8_t *data, size_t size)
{
    struct sequence *s = begin(data, data + size);
    const uint8_t *record = data;
    for (int i = 0; i < CALLS_MOST && record < s->end; i++) {
        make_call(s, record);
        record += s->end - record < CALLS_RECORD ? s->end - record : CALLS_RECORD;
    }
    leave(s);
}

void calls_settled(void)
{
    enum { LOOKS = 500, LOOK_MICROSECONDS = 10000 };
    int kind = 0;
    for (int look = 0; look < LOOKS && kind < OBJECT_KIND_COUNT; look++) {
        callback_drain();
        for (kind = 0; kind < OBJECT_KIND_COUNT && object_live_count(kind) == live_before[kind];)
            kind++;
        if (kind < OBJECT_KIND_COUNT)
            usleep(LOOK_MICROSECONDS);
    }
    if (kind < OBJECT_KIND_COUNT) {
        fprintf(stderr, "objects are left: %zu of kind %s, not %zu\n", object_live_count(kind),
                object_kind_name(kind), live_before[kind]);
        abort();
    }
    while (world.left) {
        struct sequence *s = world.left;
        world.left = s->next_left;
        free(s);
    }
}
