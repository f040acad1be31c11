/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fine-grained shared virtual memory: host and kernels touch the same bytes while both run, also with
 * atomics, and a kernel may wait for the host, or for a command that the host enqueues later.
 */
#include "tests/support/cl_fixture.h"

#include <orrery/orrery.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <time.h>

static const char source[] =
    "kernel void add(global int *a, int n) { for (int i = 0; i < n; i++) a[get_global_id(0)] += i; }\n"
    "kernel void answer(global atomic_int *box) {\n"
    "    for (int i = 1; i <= 100; i++) {\n"
    "        while (atomic_load_explicit(&box[0], memory_order_acquire, memory_scope_all_svm_devices) != "
    "i);\n"
    "        atomic_store_explicit(&box[1], i, memory_order_release, memory_scope_all_svm_devices); } }\n"
    "kernel void await(global atomic_int *box) {\n"
    "    while (!atomic_load_explicit(&box[0], memory_order_acquire, memory_scope_all_svm_devices)); }\n"
    "kernel void let_go(global atomic_int *box) {\n"
    "    atomic_store_explicit(&box[0], 1, memory_order_release, memory_scope_all_svm_devices); }\n"
    "kernel void count(global atomic_int *box, global atomic_ulong *wide) {\n"
    "    for (int i = 0; i < 200; i++) {\n"
    "        atomic_fetch_add_explicit(&box[0], 1, memory_order_relaxed, memory_scope_all_svm_devices);\n"
    "        atomic_fetch_add_explicit(wide, 3ul, memory_order_relaxed, memory_scope_all_svm_devices); } }\n"
    "kernel void pass(global atomic_int *box) {\n"
    "    global int *data = (global int *)(box + 16);\n"
    "    if (get_group_id(0) == 0) {\n"
    "        data[0] = 42;\n"
    "        atomic_store_explicit(box, 1, memory_order_release, memory_scope_all_svm_devices);\n"
    "    } else {\n"
    "        while (!atomic_load_explicit(box, memory_order_acquire, memory_scope_device));\n"
    "        data[1] = data[0]; } }\n"
    "kernel void release(global int *data, global atomic_int *flag) {\n"
    "    if (get_group_id(0) == 0) {\n"
    "        data[1] = 42;\n"
    "        atomic_store_explicit(flag, 1, memory_order_release, memory_scope_all_svm_devices);\n"
    "    } else {\n"
    "        while (!atomic_load_explicit(flag, memory_order_acquire, memory_scope_all_svm_devices));\n"
    "        data[2] = data[1]; } }\n"
    "kernel void both(global int *data) { data[3] = get_global_id(0); }\n"
    "kernel void vectors(global int *data) { vstore4((int4)(get_global_id(0)), 0, data); }\n"
    "kernel void put(global int *data) { data[0] = 1; }\n"
    "struct node { global struct node *next; int value; };\n"
    "kernel void sum(global struct node *list, global int *total) {\n"
    "    for (; list; list = list->next) { *total += list->value; list->value = -list->value; } }\n"
    "kernel void either(global int *data, global int *out) {\n"
    "    int own[2] = {7, 8};\n"
    "    int *p = get_global_id(0) & 1 ? (int *)data : own;\n"
    "    out[2 * get_global_id(0)] = p[1];\n"
    "    out[2 * get_global_id(0) + 1] = (to_private(p) != 0) + 2 * (to_global(p) != 0); }\n";

static cl_program program;
static _Atomic cl_int *box;

static void start(const char *policy, cl_svm_mem_flags flags)
{
    const char *text = source;
    cl_int err;
    setenv("ORRERY_SCHEDULE", policy, 1);
    cl_set_up();
    program = clCreateProgramWithSource(context, 1, &text, NULL, &err);
    cl_ok(err);
    cl_ok(clBuildProgram(program, 0, NULL, "-cl-std=CL2.0", NULL, NULL));
    box = clSVMAlloc(context, flags, 4096, 0);
    ck_assert_ptr_nonnull(box);
}

static cl_kernel kernel_with(const char *name, const void *first, const void *second)
{
    cl_int err;
    cl_kernel kernel = clCreateKernel(program, name, &err);
    cl_ok(err);
    cl_ok(clSetKernelArgSVMPointer(kernel, 0, first));
    if (second)
        cl_ok(clSetKernelArgSVMPointer(kernel, 1, second));
    return kernel;
}

static cl_event run(cl_command_queue on, cl_kernel kernel, size_t items)
{
    cl_event event;
    cl_ok(clEnqueueNDRangeKernel(on, kernel, 1, NULL, &items, NULL, 0, NULL, &event));
    return event;
}

enum { FINE = CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER, ATOMICS = FINE | CL_MEM_SVM_ATOMICS };
static const char *const policies[] = {"lockstep", "serial", "random"};

/* ---- tests ------------------------------------------------------------------------------- */

START_TEST(no_map_is_needed)
{
    start("lockstep", FINE);
    cl_int *data = (cl_int *)(void *)box;
    cl_int n = 4;
    for (int i = 0; i < 64; i++)
        data[i] = i;
    cl_kernel kernel = kernel_with("add", data, NULL);
    cl_ok(clSetKernelArg(kernel, 1, sizeof n, &n));
    run(queue, kernel, 64);
    cl_ok(clFinish(queue));
    for (int i = 0; i < 64; i++)
        ck_assert_int_eq(data[i], i + 6);
    ck_assert_uint_eq(orrery_finding_count(), 0);
    clSVMFree(context, data);
}
END_TEST

START_TEST(host_and_kernel_exchange_messages)
{
    start(policies[_i], ATOMICS);
    atomic_store(&box[0], 0);
    atomic_store(&box[1], 0);
    cl_event event = run(queue, kernel_with("answer", box, NULL), 1);
    cl_ok(clFlush(queue));
    for (int i = 1; i <= 100; i++) {
        atomic_store(&box[0], i);
        while (atomic_load(&box[1]) != i)
            continue;
    }
    cl_ok(clWaitForEvents(1, &event));
    ck_assert_uint_eq(orrery_finding_count(), 0);
}
END_TEST

START_TEST(waiting_kernel_does_not_block_other_commands)
{
    start(policies[_i], ATOMICS);
    atomic_store(&box[0], 0);
    cl_event event = run(queue, kernel_with("await", box, NULL), 1);
    cl_ok(clFlush(queue));
    while (cl_status(event) != CL_RUNNING)
        continue;
    ck_assert_int_eq(cl_status(event), CL_RUNNING);
    cl_int contents[4] = {1, 2, 3, 4}; /* calls that touch memory of the device, too */
    cl_mem copied = cl_buffer(context, CL_MEM_COPY_HOST_PTR, sizeof contents, contents);
    cl_ok(clReleaseMemObject(copied));
    atomic_store(&box[0], 1);
    cl_ok(clWaitForEvents(1, &event));
    ck_assert_int_eq(cl_status(event), CL_COMPLETE);
}
END_TEST

/* A callback that queries, enqueues, flushes and releases a kernel, while that runs: nothing of it waits for
 * the kernel. */
static cl_event queried;
static atomic_int called;
static cl_int queried_status;

static void CL_CALLBACK let_it_continue(cl_event event, cl_int status, void *data)
{
    const size_t one = 1;
    (void)event, (void)status;
    clGetEventInfo(queried, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof queried_status, &queried_status, NULL);
    atomic_fetch_add(&called, 1); /* clFinish may return before its commands */
    clEnqueueNDRangeKernel(unordered, data, 1, NULL, &one, NULL, 0, NULL, NULL); /* let_go */
    clFlush(unordered);
}

START_TEST(callback_releases_a_waiting_kernel)
{
    start(policies[_i], ATOMICS);
    cl_kernel waits = kernel_with("await", box, NULL), releases = kernel_with("let_go", box, NULL);
    cl_event gate = cl_user_event(context), marker;
    queried = run(queue, waits, 1);
    cl_ok(clFlush(queue));
    cl_ok(clEnqueueMarkerWithWaitList(unordered, 1, &gate, &marker));
    cl_ok(clSetEventCallback(marker, CL_COMPLETE, let_it_continue, releases));
    cl_ok(clFlush(unordered));
    cl_ok(clSetUserEventStatus(gate, CL_COMPLETE));
    cl_ok(clFinish(queue));
    cl_ok(clFinish(unordered));
    ck_assert_int_eq(atomic_load(&called), 1);
    ck_assert_int_ge(queried_status, CL_COMPLETE);
    ck_assert_int_eq(cl_status(queried), CL_COMPLETE);
}
END_TEST

START_TEST(later_command_releases_an_earlier_one)
{
    start(policies[_i], ATOMICS);
    atomic_store(&box[0], 0);
    cl_event waits = run(queue, kernel_with("await", box, NULL), 1);
    cl_ok(clFlush(queue));
    while (cl_status(waits) != CL_RUNNING)
        continue;
    cl_event comes = run(unordered, kernel_with("let_go", box, NULL), 1);
    cl_ok(clFlush(unordered));
    cl_ok(clWaitForEvents(1, &waits));
    cl_ok(clWaitForEvents(1, &comes));
}
END_TEST

/* clFinish once returned before the executor had got to what the queue has, as another queue's kernel only
 * waited. */
START_TEST(clFinish_waits_while_another_queue_spins)
{
    start(policies[_i], ATOMICS);
    atomic_store(&box[0], 0);
    cl_event waits = run(queue, kernel_with("await", box, NULL), 1);
    cl_ok(clFlush(queue));
    while (cl_status(waits) != CL_RUNNING)
        continue;
    for (int i = 0; i < 50; i++) {
        cl_event comes = run(unordered, kernel_with("put", box + 16, NULL), 1);
        cl_ok(clFinish(unordered));
        ck_assert_int_eq(cl_status(comes), CL_COMPLETE);
        cl_ok(clReleaseEvent(comes));
    }
    atomic_store(&box[0], 1);
    cl_ok(clFinish(queue));
    ck_assert_int_eq(cl_status(waits), CL_COMPLETE);
}
END_TEST

/* Neither side loses an addition of the other. */
static void *count_too(void *wide)
{
    for (int i = 0; i < 20000; i++) {
        atomic_fetch_add(&box[0], 1);
        atomic_fetch_add((_Atomic cl_ulong *)wide, 3);
    }
    return NULL;
}

START_TEST(atomics_are_atomic_for_both)
{
    pthread_t thread;
    start(policies[_i], ATOMICS);
    _Atomic cl_ulong *wide = (_Atomic cl_ulong *)(void *)(box + 2);
    atomic_store(&box[0], 0);
    atomic_store(wide, 0);
    run(queue, kernel_with("count", box, wide), 64);
    cl_ok(clFlush(queue));
    ck_assert_int_eq(pthread_create(&thread, NULL, count_too, (void *)wide), 0);
    cl_ok(clFinish(queue));
    pthread_join(thread, NULL);
    ck_assert_int_eq(atomic_load(&box[0]), 64 * 200 + 20000);
    ck_assert_uint_eq(atomic_load(wide), 3 * (64 * 200 + 20000));
}
END_TEST

START_TEST(coarse_memory_needs_its_map_beside_fine)
{
    start("lockstep", FINE);
    void *coarse = clSVMAlloc(context, CL_MEM_READ_WRITE, 64, 0);
    ck_assert_ptr_nonnull(coarse);
    cl_ok(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_WRITE, coarse, 64, 0, NULL, NULL));
    memset(coarse, 1, 64);
    cl_ok(clEnqueueSVMUnmap(queue, coarse, 0, NULL, NULL));
    /* allowed, and nothing happens */
    cl_ok(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, (void *)box, 64, 0, NULL, NULL));
    cl_ok(clEnqueueSVMUnmap(queue, (void *)box, 0, NULL, NULL));
    cl_ok(clFinish(queue));
}
END_TEST

START_TEST(flags_are_those_of_the_text)
{
    cl_device_svm_capabilities capabilities = 0;
    start("lockstep", ATOMICS);
    cl_ok(clGetDeviceInfo(device, CL_DEVICE_SVM_CAPABILITIES, sizeof capabilities, &capabilities, NULL));
    ck_assert_uint_eq(capabilities, CL_DEVICE_SVM_COARSE_GRAIN_BUFFER | CL_DEVICE_SVM_FINE_GRAIN_BUFFER |
                                        CL_DEVICE_SVM_ATOMICS);
    ck_assert_ptr_null(clSVMAlloc(context, CL_MEM_READ_WRITE | CL_MEM_SVM_ATOMICS, 64, 0));
    ck_assert_ptr_null(clSVMAlloc(context, FINE | CL_MEM_USE_HOST_PTR, 64, 0));
    ck_assert_ptr_null(clSVMAlloc(context, FINE | CL_MEM_READ_ONLY, 64, 0));
}
END_TEST

static void load(const char *scenario)
{
    char error[200] = "";
    ck_assert_msg(orrery_load_scenario_text(scenario, error, sizeof error) == 0, "%s", error);
}

START_TEST(features_take_it_away)
{
    cl_device_svm_capabilities capabilities = 0;
    load(_i ? "orrery: 1\ndevice: {features: {svm_atomics: false}}\n"
            : "orrery: 1\ndevice: {features: {svm_fine: false}}\n");
    cl_set_up();
    cl_ok(clGetDeviceInfo(device, CL_DEVICE_SVM_CAPABILITIES, sizeof capabilities, &capabilities, NULL));
    ck_assert_uint_eq(capabilities,
                      CL_DEVICE_SVM_COARSE_GRAIN_BUFFER | (_i ? CL_DEVICE_SVM_FINE_GRAIN_BUFFER : 0));
    ck_assert_ptr_null(clSVMAlloc(context, ATOMICS, 64, 0));
    ck_assert((clSVMAlloc(context, FINE, 64, 0) != NULL) == (_i == 1));
}
END_TEST

/* A list with nodes in malloc's memory, the stack and program data. */
START_TEST(kernels_reach_all_memory_of_the_host)
{
    struct node {
        struct node *next;
        cl_int value;
    };
    static struct node data = {NULL, 100};
    struct node stack = {&data, 20}, *heap = malloc(sizeof *heap);
    cl_int total = 0;
    cl_bool system = CL_TRUE;
    load("orrery: 1\ndevice: {features: {svm_system: true}}\n");
    start("lockstep", FINE);
    *heap = (struct node){&stack, 3};
    cl_kernel kernel = kernel_with("sum", heap, &total);
    cl_ok(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, sizeof system, &system));
    run(queue, kernel, 1);
    cl_ok(clFinish(queue));
    ck_assert_int_eq(total, 123);
    ck_assert_int_eq(heap->value + stack.value + data.value, -123);
    ck_assert_uint_eq(orrery_finding_count(), 0);
    free(heap);
}
END_TEST

/* As a program has it that was not linked to lie anywhere: static objects and heap below 4 GB. */
START_TEST(low_memory_is_not_private)
{
    const cl_bool system = CL_TRUE;
    cl_int out[4] = {0},
           *low = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
    ck_assert_ptr_ne(low, MAP_FAILED);
    ck_assert_uint_lt((uintptr_t)low, UINT64_C(1) << 32);
    load("orrery: 1\ndevice: {features: {svm_system: true}}\n");
    start("lockstep", FINE);
    low[1] = 9;
    cl_kernel kernel = kernel_with("either", low, out);
    cl_ok(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, sizeof system, &system));
    run(queue, kernel, 2);
    cl_ok(clFinish(queue));
    ck_assert_int_eq(out[0], 8);
    ck_assert_int_eq(out[1], 1);
    ck_assert_int_eq(out[2], 9);
    ck_assert_int_eq(out[3], 2);
    ck_assert_uint_eq(orrery_finding_count(), 0);
    munmap(low, 65536);
}
END_TEST

/* An access to unmapped or read-only memory is a finding and no crash. */
START_TEST(kernel_access_to_unmapped_host_memory_is_reported)
{
    static const struct {
        void *next;
        cl_int value;
    } constant = {NULL, 1};
    cl_int total = 0;
    setenv("ORRERY_KEEP_EXIT_CODE", "1", 1);
    load("orrery: 1\ndevice: {features: {svm_system: true}}\nreport: {keep_exit_code: true}\n");
    start("lockstep", FINE);
    run(queue, kernel_with("sum", _i ? (const void *)&constant : (const void *)(uintptr_t)0x7000, &total), 1);
    cl_ok(clFinish(queue));
    ck_assert_uint_ge(orrery_finding_count(), 1);
    ck_assert_int_eq(constant.value, 1);
}
END_TEST

/* Without system sharing such a pointer is reported by name, not by a distance that chance decides. */
START_TEST(memory_of_the_host_is_reported)
{
    struct orrery_finding finding;
    cl_int total = 0;
    setenv("ORRERY_KEEP_EXIT_CODE", "1", 1);
    start("lockstep", FINE);
    cl_int **list = (cl_int **)(void *)box;
    list[0] = &total; /* as next */
    run(queue, kernel_with("sum", box, box + 16), 1);
    cl_ok(clFinish(queue));
    ck_assert_uint_ge(orrery_finding_count(), 1);
    ck_assert_int_eq(orrery_finding_get(0, &finding), 0);
    ck_assert_msg(strstr(finding.why, "only the host has") != NULL, "%s", finding.why);
}
END_TEST

/* all_svm_devices is device in other memory (OpenCL 2.2 API, 3.3.5), and so a mix of the two is a race in
 * some only. */
START_TEST(scopes_are_those_of_the_memory)
{
    static const struct {
        cl_svm_mem_flags flags;
        bool races;
    } sorts[] = {{CL_MEM_READ_WRITE, false}, {FINE, false}, {ATOMICS, true}};
    setenv("ORRERY_DATA_RACES", "warning", 1);
    start("lockstep", sorts[_i].flags);
    size_t items = 2, one = 1;
    cl_kernel kernel = kernel_with("pass", box, NULL);
    if (!(sorts[_i].flags & CL_MEM_SVM_FINE_GRAIN_BUFFER))
        cl_ok(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_WRITE, (void *)box, 4096, 0, NULL, NULL));
    atomic_store(&box[0], 0);
    if (!(sorts[_i].flags & CL_MEM_SVM_FINE_GRAIN_BUFFER))
        cl_ok(clEnqueueSVMUnmap(queue, (void *)box, 0, NULL, NULL));
    cl_ok(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &one, 0, NULL, NULL));
    cl_ok(clFinish(queue));
    ck_assert_uint_eq(orrery_finding_count_of("race-global"), sorts[_i].races ? 2 : 0);
    ck_assert_uint_eq(orrery_finding_count(), orrery_finding_count_of("race-global"));
}
END_TEST

/* ---- races in the host's own memory ----------------------------------------------------------- */

static void start_with_system(void)
{
    setenv("ORRERY_DATA_RACES", "warning", 1);
    load("orrery: 1\ndevice: {features: {svm_system: true}}\n");
    start("lockstep", ATOMICS);
}

static void run_groups(cl_command_queue on, const char *name, const void *first, const void *second)
{
    const size_t items = 2, one = 1;
    cl_ok(clEnqueueNDRangeKernel(on, kernel_with(name, first, second), 1, NULL, &items, &one, 0, NULL, NULL));
}

static void races_are(size_t global, size_t commands)
{
    ck_assert_uint_eq(orrery_finding_count_of("race-global"), global);
    ck_assert_uint_eq(orrery_finding_count_of("race-commands"), commands);
    ck_assert_uint_eq(orrery_finding_count(), global + commands);
}

/* The memory of a buffer, by its address, and the buffer: by several instructions, before or after the
 * buffer is made. */
START_TEST(memory_that_is_a_buffers)
{
    const bool made_later = _i & 1, ordered = _i & 2, reads = _i & 4;
    const cl_int one = 1;
    cl_int *memory = calloc(64, sizeof *memory), elsewhere[4];
    cl_event event;
    const size_t items = 2;
    start_with_system();
    cl_mem buffer = made_later ? NULL : cl_buffer(context, CL_MEM_USE_HOST_PTR, 16, memory);
    cl_kernel kernel = kernel_with("either", reads ? memory : elsewhere, reads ? elsewhere : memory);
    cl_ok(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, &event));
    cl_ok(clFlush(queue));
    if (made_later)
        buffer = cl_buffer(context, CL_MEM_USE_HOST_PTR, 16, memory);
    cl_ok(clEnqueueFillBuffer(unordered, buffer, &one, sizeof one, 0, 16, ordered, ordered ? &event : NULL,
                              NULL));
    cl_ok(clFinish(queue));
    cl_ok(clFinish(unordered));
    ck_assert_uint_eq(orrery_finding_count_of("race-commands") > 0, !ordered);
    ck_assert_uint_eq(orrery_finding_count(), orrery_finding_count_of("race-commands"));
    cl_ok(clReleaseEvent(event));
    cl_ok(clReleaseMemObject(buffer));
    free(memory);
}
END_TEST

/* A flag there orders what lies elsewhere, and the other way round. */
START_TEST(flags_of_the_host_order)
{
    cl_int *memory = calloc(64, sizeof *memory), *svm;
    start_with_system();
    svm = (cl_int *)(void *)box;
    svm[0] = svm[1] = svm[2] = 0;
    run_groups(queue, "release", _i ? svm : memory, _i ? memory : svm);
    cl_ok(clFinish(queue));
    ck_assert_int_eq(_i ? svm[2] : memory[2], 42);
    races_are(0, 0);
    free(memory);
}
END_TEST

START_TEST(work_items_race_there)
{
    cl_int *memory = calloc(64, sizeof *memory);
    start_with_system();
    run_groups(queue, "both", memory, NULL);
    cl_ok(clFinish(queue));
    races_are(1, 0);
    free(memory);
}
END_TEST

/* Bytes on both sides of 64 KiB: each lane's vector begins where no window ends. */
START_TEST(vectors_race_wherever_they_lie)
{
    char *memory = aligned_alloc(1 << 16, 1 << 17);
    ck_assert_ptr_nonnull(memory);
    start_with_system();
    run_groups(queue, "vectors", memory + (1 << 16) - 4 * _i, NULL);
    cl_ok(clFinish(queue));
    races_are(1, 0);
    free(memory);
}
END_TEST

START_TEST(commands_race_there)
{
    cl_int *memory = calloc(64, sizeof *memory), err;
    start_with_system();
    cl_command_queue other = clCreateCommandQueueWithProperties(context, device, NULL, &err);
    cl_ok(err);
    run(queue, kernel_with("let_go", memory, NULL), 1); /* atomics may do so */
    run(other, kernel_with("let_go", memory, NULL), 1);
    run(queue, kernel_with("put", memory + 8, NULL), 1);
    if (_i == 0)
        cl_ok(clFinish(queue));
    run(_i < 2 ? other : queue, kernel_with("put", memory + 8, NULL), 1);
    cl_ok(clFinish(queue));
    cl_ok(clFinish(other));
    races_are(0, _i == 1);
    free(memory);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("fine-grained SVM");
    TCase *tests = tcase_create("host and kernels");
    setenv("ORRERY_QUIET", "1", 0);
    tcase_set_timeout(tests, 30);
    tcase_add_test(tests, no_map_is_needed);
    tcase_add_loop_test(tests, host_and_kernel_exchange_messages, 0, 3);
    tcase_add_loop_test(tests, waiting_kernel_does_not_block_other_commands, 0, 3);
    tcase_add_loop_test(tests, callback_releases_a_waiting_kernel, 0, 3);
    tcase_add_loop_test(tests, later_command_releases_an_earlier_one, 0, 3);
    tcase_add_loop_test(tests, clFinish_waits_while_another_queue_spins, 0, 3);
    tcase_add_loop_test(tests, atomics_are_atomic_for_both, 0, 3);
    tcase_add_test(tests, coarse_memory_needs_its_map_beside_fine);
    tcase_add_test(tests, flags_are_those_of_the_text);
    tcase_add_loop_test(tests, features_take_it_away, 0, 2);
    tcase_add_test(tests, kernels_reach_all_memory_of_the_host);
    tcase_add_test(tests, low_memory_is_not_private);
    tcase_add_loop_test(tests, kernel_access_to_unmapped_host_memory_is_reported, 0, 2);
    tcase_add_test(tests, memory_of_the_host_is_reported);
    tcase_add_loop_test(tests, scopes_are_those_of_the_memory, 0, 3);
    tcase_add_loop_test(tests, flags_of_the_host_order, 0, 2);
    tcase_add_loop_test(tests, memory_that_is_a_buffers, 0, 8);
    tcase_add_test(tests, work_items_race_there);
    tcase_add_loop_test(tests, vectors_race_wherever_they_lie, 0, 5);
    tcase_add_loop_test(tests, commands_race_there, 0, 3);
    suite_add_tcase(suite, tests);
    return cl_run_suite(suite);
}
