/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Extensions of contexts: memory that begins as zeros (cl_khr_initialize_memory), and termination
 * (cl_khr_terminate_context), by their texts.
 */
#include "tests/support/cl_fixture.h"

#include <orrery/orrery.h>
#include <stdatomic.h>
#include <stdio.h>

enum { LOCAL = 1, PRIVATE = 2, CAPABILITY_CONTEXT = 1 }; /* of both extensions; not in all headers */

static cl_context made_with(const cl_context_properties *properties, cl_int expected)
{
    cl_int err;
    cl_context made = clCreateContext(properties, 1, &device, NULL, NULL, &err);
    cl_is(err, expected);
    ck_assert_int_eq(made != NULL, expected == CL_SUCCESS);
    return made;
}

static void load(const char *scenario)
{
    char error[200] = "";
    unsetenv("ORRERY_FAST"); /* the scenario sets the checks */
    ck_assert_msg(orrery_load_scenario_text(scenario, error, sizeof error) == 0, "%s", error);
}

static cl_kernel kernel_in(cl_context owner, const char *source)
{
    cl_int err;
    cl_program program = clCreateProgramWithSource(owner, 1, &source, NULL, &err);
    cl_ok(err);
    cl_ok(clBuildProgram(program, 1, &device, "-cl-std=CL2.0", NULL, NULL));
    cl_kernel kernel = clCreateKernel(program, "k", &err);
    cl_ok(err);
    cl_ok(clReleaseProgram(program));
    return kernel;
}

/* ---- cl_khr_initialize_memory ---------------------------------------------------------------------- */

enum { ITEMS = 64, DIRTY = 0x5a5a5a5a };

/* The values that each work-item finds in its variables: one in a register, an array after an index,
 * structures, two kinds of local memory. After a group has left other values there. */
static const char memory_source[] =
    "struct pair { int a; long b; };\n"
    "int deeper(int i) { int x; struct pair p[3]; p[i % 2].a += 1; return x + p[i % 3].a + (int)p[2].b - (i "
    "% 3 == i % 2 ? 1 : 0); }\n"
    "kernel void k(global int *out, local int *given, int private_too, int local_too) {\n"
    "    local int own[4];\n"
    "    uint i = get_global_id(0), j = get_local_id(0);\n"
    "    int found = 0;\n"
    "    if (private_too) { int x; int a[8]; struct pair p; found |= x | a[i % 8] | p.a | (int)p.b | "
    "deeper(i); a[i % 8] = 0x5a5a5a5a; x = a[(i + 3) % 8]; found |= x; }\n"
    "    if (local_too) { found |= own[j % 4] | given[j]; barrier(CLK_LOCAL_MEM_FENCE); if (j < 4) own[j] = "
    "0x5a5a5a5a; given[j] = 0x5a5a5a5a; }\n"
    "    out[i] = found;\n"
    "}\n";

static void run_memory(cl_bitfield zeroed, cl_int private_too, cl_int local_too)
{
    const cl_context_properties properties[] = {CL_CONTEXT_MEMORY_INITIALIZE_KHR,
                                                (cl_context_properties)zeroed, 0};
    const size_t items = ITEMS, group = 8;
    cl_int seen[ITEMS];
    cl_context zeros = made_with(properties, CL_SUCCESS);
    cl_command_queue on = cl_new_queue(zeros, 0);
    cl_mem out = cl_buffer(zeros, 0, sizeof seen, NULL);
    cl_kernel kernel = kernel_in(zeros, memory_source);
    cl_ok(clSetKernelArg(kernel, 0, sizeof out, &out));
    cl_ok(clSetKernelArg(kernel, 1, 8 * sizeof(cl_int), NULL));
    cl_ok(clSetKernelArg(kernel, 2, sizeof private_too, &private_too));
    cl_ok(clSetKernelArg(kernel, 3, sizeof local_too, &local_too));
    cl_ok(clEnqueueNDRangeKernel(on, kernel, 1, NULL, &items, &group, 0, NULL, NULL));
    cl_ok(clEnqueueReadBuffer(on, out, CL_TRUE, 0, sizeof seen, seen, 0, NULL, NULL));
    const bool all = (!private_too || zeroed & PRIVATE) && (!local_too || zeroed & LOCAL);
    for (int i = 0; all && i < ITEMS; i++)
        ck_assert_msg(seen[i] == 0, "work-item %d found %#x", i, (unsigned)seen[i]);
    ck_assert_int_eq(orrery_finding_count() == 0, all);
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseMemObject(out));
    cl_ok(clReleaseCommandQueue(on));
    cl_ok(clReleaseContext(zeros));
}

START_TEST(memory_begins_as_zeros_if_requested)
{
    static const char *const policies[] = {"lockstep", "serial", "random"};
    char scenario[100];
    snprintf(scenario, sizeof scenario,
             "orrery: 1\nchecks: {profile: fast, uninitialised: error}\nschedule: {policy: %s}\n",
             policies[_i % 3]);
    setenv("ORRERY_KEEP_EXIT_CODE", "1", 1);
    setenv("ORRERY_LOG", "/dev/null", 0);
    load(scenario);
    cl_find_device();
    run_memory((cl_bitfield)(_i / 12), _i / 3 & 1, _i / 6 & 1);
}
END_TEST

/* In SPIR-V the variable has no initial value: it is the context's. */
START_TEST(the_property_is_reported_and_checked)
{
    const cl_context_properties both[] = {CL_CONTEXT_MEMORY_INITIALIZE_KHR, LOCAL | PRIVATE, 0},
                                strange[] = {CL_CONTEXT_MEMORY_INITIALIZE_KHR, 4, 0},
                                twice[] = {CL_CONTEXT_MEMORY_INITIALIZE_KHR, LOCAL,
                                           CL_CONTEXT_MEMORY_INITIALIZE_KHR, LOCAL, 0};
    cl_context_properties reported[8];
    size_t size = 0;
    cl_find_device();
    cl_context zeros = made_with(both, CL_SUCCESS);
    cl_ok(clGetContextInfo(zeros, CL_CONTEXT_PROPERTIES, sizeof reported, reported, &size));
    ck_assert_uint_eq(size, sizeof both);
    ck_assert_mem_eq(reported, both, sizeof both);
    cl_ok(clReleaseContext(zeros));
    made_with(strange, CL_INVALID_PROPERTY);
    made_with(twice, CL_INVALID_PROPERTY);
}
END_TEST

START_TEST(features_take_both_away)
{
    const cl_context_properties zeroed[] = {CL_CONTEXT_MEMORY_INITIALIZE_KHR, LOCAL, 0},
                                mortal[] = {CL_CONTEXT_TERMINATE_KHR, CL_TRUE, 0},
                                immortal[] = {CL_CONTEXT_TERMINATE_KHR, CL_FALSE, 0};
    cl_bitfield capability = 7;
    char text[8192];
    load(_i ? "orrery: 1\ndevice: {features: {terminate_context: false}}\n"
            : "orrery: 1\ndevice: {features: {initialize_memory: false}}\n");
    cl_find_device();
    cl_ok(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof text, text, NULL));
    cl_ok(clGetDeviceInfo(device, CL_DEVICE_TERMINATE_CAPABILITY_KHR, sizeof capability, &capability, NULL));
    ck_assert_int_eq(strstr(text, "cl_khr_initialize_memory") != NULL, _i == 1);
    ck_assert_int_eq(strstr(text, "cl_khr_terminate_context") != NULL, _i == 0);
    ck_assert_uint_eq(capability, _i ? 0 : CAPABILITY_CONTEXT);
    capability = 7;
    /* its number in the texts of 1.2 */
    cl_ok(clGetDeviceInfo(device, 0x200F, sizeof capability, &capability, NULL));
    ck_assert_uint_eq(capability, _i ? 0 : CAPABILITY_CONTEXT);
    made_with(zeroed, _i ? CL_SUCCESS : CL_INVALID_PROPERTY);
    made_with(mortal, _i ? CL_INVALID_PROPERTY : CL_SUCCESS);
    made_with(immortal, _i ? CL_INVALID_PROPERTY : CL_SUCCESS);
}
END_TEST

/* A context is what all its devices can do. */
START_TEST(one_device_that_cannot_is_enough)
{
    const cl_context_properties zeroed[] = {CL_CONTEXT_MEMORY_INITIALIZE_KHR, LOCAL, 0},
                                mortal[] = {CL_CONTEXT_TERMINATE_KHR, CL_TRUE, 0},
                                immortal[] = {CL_CONTEXT_TERMINATE_KHR, CL_FALSE, 0};
    const cl_context_properties *const lists[] = {zeroed, mortal, immortal};
    cl_device_id devices[2];
    cl_int err;
    load("orrery: 1\ndevices:\n  - {name: able}\n  - {name: other, features: {initialize_memory: false, "
         "terminate_context: false}}\n");
    cl_find_device();
    cl_ok(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 2, devices, NULL));
    for (int i = 0; i < 3; i++) {
        cl_context alone = clCreateContext(lists[i], 1, devices, NULL, NULL, &err);
        cl_ok(err);
        cl_ok(clReleaseContext(alone));
        cl_context both = clCreateContext(lists[i], 2, devices, NULL, NULL, &err);
        cl_is(err, i < 2 ? CL_INVALID_PROPERTY : CL_SUCCESS);
        ck_assert_int_eq(both != NULL, i == 2);
        both = clCreateContextFromType(lists[i], CL_DEVICE_TYPE_ALL, NULL, NULL, &err);
        cl_is(err, i < 2 ? CL_INVALID_PROPERTY : CL_SUCCESS);
    }
}
END_TEST

/* ---- cl_khr_terminate_context ------------------------------------------------------------------------ */

static clTerminateContextKHR_fn terminate;
static cl_context mortal;
static atomic_int reported, last_status, destroyed;
static char reported_text[200];

static void CL_CALLBACK note_error(const char *text, const void *info, size_t size, void *data)
{
    (void)info, (void)size;
    ck_assert_ptr_eq(data, &reported);
    snprintf(reported_text, sizeof reported_text, "%s", text);
    atomic_fetch_add(&reported, 1);
}

static void CL_CALLBACK note_status(cl_event event, cl_int status, void *data)
{
    (void)event;
    atomic_store(&last_status, status);
    atomic_fetch_add((atomic_int *)data, 1);
}

static void CL_CALLBACK note_end(cl_mem memobj, void *data)
{
    (void)memobj, (void)data;
    atomic_fetch_add(&destroyed, 1);
}

static void mortal_set_up(void)
{
    const cl_context_properties properties[] = {CL_CONTEXT_TERMINATE_KHR, CL_TRUE, 0};
    cl_int err;
    cl_set_up();
    void *function = clGetExtensionFunctionAddressForPlatform(platform, "clTerminateContextKHR");
    memcpy(&terminate, &function, sizeof function);
    mortal = clCreateContext(properties, 1, &device, note_error, &reported, &err);
    cl_ok(err);
}

static cl_event launch(cl_command_queue on, cl_kernel kernel, size_t items, cl_uint waits,
                       const cl_event *list)
{
    cl_event event;
    cl_ok(clEnqueueNDRangeKernel(on, kernel, 1, NULL, &items, NULL, waits, list, &event));
    return event;
}

START_TEST(a_context_is_terminated_once_and_only_if_it_may)
{
    mortal_set_up();
    cl_is(terminate(NULL), CL_INVALID_CONTEXT); /* clTerminateContextKHR */
    cl_is(terminate((cl_context)queue), CL_INVALID_CONTEXT);
    cl_is(terminate(context), CL_INVALID_OPERATION);
    cl_ok(terminate(mortal));
    cl_is(terminate(mortal), CL_CONTEXT_TERMINATED_KHR);
    ck_assert_int_eq(atomic_load(&reported), 1);
    ck_assert_msg(strstr(reported_text, "terminated") != NULL, "%s", reported_text);
    cl_ok(clReleaseContext(mortal));
    cl_is(terminate(mortal), CL_INVALID_CONTEXT);
    cl_tear_down();
}
END_TEST

/* Nothing waits for the user event any more when the queue is released. */
START_TEST(a_user_event_of_a_terminated_context_is_not_missed)
{
    setenv("ORRERY_CHECK_MISUSE", "warning", 1);
    unsetenv("ORRERY_FAST");
    mortal_set_up();
    cl_command_queue on = cl_new_queue(mortal, 0);
    cl_event gate = cl_user_event(mortal);
    cl_ok(clEnqueueMarkerWithWaitList(on, 1, &gate, NULL));
    cl_ok(terminate(mortal));
    cl_ok(clReleaseCommandQueue(on));
    cl_ok(clReleaseEvent(gate));
    cl_ok(clReleaseContext(mortal));
    ck_assert_uint_eq(orrery_finding_count_of("user-event-unset"), 0);
    cl_tear_down();
}
END_TEST

/*
 * In order or not, flushed or not, with and without a user event in front: commands that have not run by then
 * end so, and those that wait for them; commands of another context continue.
 */
START_TEST(waiting_commands_end_with_the_context)
{
    const cl_command_queue_properties order = _i & 1 ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0;
    cl_ulong time;
    atomic_int calls = 0, later_calls = 0;
    mortal_set_up();
    cl_command_queue on = cl_new_queue(mortal, order | CL_QUEUE_PROFILING_ENABLE);
    cl_kernel kernel = kernel_in(mortal, "kernel void k(global int *p) { p[get_global_id(0)] = 1; }");
    cl_mem memory = cl_buffer(mortal, 0, 64, NULL);
    cl_ok(clSetKernelArg(kernel, 0, sizeof memory, &memory));
    cl_event done = launch(on, kernel, 16, 0, NULL);
    cl_ok(clWaitForEvents(1, &done));
    cl_event gate = cl_user_event(mortal), gates[] = {gate, gate};
    cl_event waits = launch(on, kernel, 16, 2, gates), last;
    cl_event follows = launch(on, kernel, 16, 1, &waits);
    cl_ok(clEnqueueMarkerWithWaitList(on, 0, NULL, &last));
    cl_ok(clSetEventCallback(follows, CL_COMPLETE, note_status, &calls));
    cl_event other_gate = cl_user_event(other_context), other;
    cl_ok(clEnqueueMarkerWithWaitList(other_queue, 1, &other_gate, &other));
    if (_i & 2)
        cl_ok(clFlush(on));
    if (_i & 4)
        cl_ok(clReleaseCommandQueue(on));
    cl_ok(terminate(mortal));
    const cl_event ended[] = {waits, follows, last};
    for (int i = 0; i < 3; i++) {
        cl_is(cl_status(ended[i]), CL_CONTEXT_TERMINATED_KHR);
        cl_is(clWaitForEvents(1, &ended[i]), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
        cl_is(clGetEventProfilingInfo(ended[i], CL_PROFILING_COMMAND_END, sizeof time, &time, NULL),
              CL_PROFILING_INFO_NOT_AVAILABLE);
        cl_ok(clRetainEvent(ended[i]));
        cl_ok(clReleaseEvent(ended[i]));
    }
    cl_is(cl_status(done), CL_COMPLETE);
    cl_ok(clSetEventCallback(last, CL_COMPLETE, note_status, &later_calls));
    while (!atomic_load(&calls) || !atomic_load(&later_calls))
        continue;
    cl_is(atomic_load(&last_status), CL_CONTEXT_TERMINATED_KHR);
    cl_ok(clSetUserEventStatus(gate, CL_COMPLETE));
    cl_is(cl_status(gate), CL_COMPLETE);
    cl_is(cl_status(waits), CL_CONTEXT_TERMINATED_KHR);
    if (!(_i & 4)) {
        cl_ok(clFlush(on));
        cl_ok(clFinish(on));
        cl_ok(clReleaseCommandQueue(on));
    }
    cl_is(cl_status(other), CL_QUEUED);
    cl_ok(clSetUserEventStatus(other_gate, CL_COMPLETE));
    cl_ok(clWaitForEvents(1, &other));
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseMemObject(memory));
    cl_ok(clReleaseContext(mortal));
}
END_TEST

/* One that waits for the host, one that would never end, and one whose child would not. */
START_TEST(running_commands_are_stopped)
{
    static const char *const sources[] = {
        "kernel void k(global atomic_int *p) { while (!atomic_load_explicit(p, memory_order_relaxed, "
        "memory_scope_all_svm_devices)); }",
        "kernel void k(global volatile uint *p) { for (uint i = 0; *p != 1; i++) p[1] = i; }",
        ("kernel void k(global volatile uint *p) { enqueue_kernel(get_default_queue(), "
         "CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1),"
         " ^{ for (uint i = 0; *p != 1; i++) p[1] = i; }); }")};
    const cl_queue_properties device_queue[] = {
        CL_QUEUE_PROPERTIES,
        CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT, 0};
    cl_int err;
    mortal_set_up();
    cl_command_queue on = cl_new_queue(mortal, 0);
    if (_i == 2) {
        clCreateCommandQueueWithProperties(mortal, device, device_queue, &err);
        cl_ok(err);
    }
    cl_kernel kernel = kernel_in(mortal, sources[_i]);
    const cl_svm_mem_flags flags =
        _i ? CL_MEM_READ_WRITE : CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS;
    void *shared = clSVMAlloc(mortal, flags, 64, 0);
    const cl_uint zero = 0;
    cl_ok(clEnqueueSVMMemFill(on, shared, &zero, 4, 64, 0, NULL, NULL));
    cl_ok(clFinish(on));
    cl_ok(clSetKernelArgSVMPointer(kernel, 0, shared));
    cl_event event = launch(on, kernel, 1, 0, NULL), after = launch(on, kernel, 1, 0, NULL);
    cl_ok(clFlush(on));
    cl_ok(terminate(mortal));
    cl_is(cl_status(event), CL_CONTEXT_TERMINATED_KHR);
    cl_is(cl_status(after), CL_CONTEXT_TERMINATED_KHR);
    ck_assert_uint_eq(orrery_finding_count(), 0);
    clSVMFree(mortal, shared);
}
END_TEST

/* Calls that create or enqueue, calls that take the context otherwise, and calls that remain valid. */
START_TEST(calls_of_a_terminated_context)
{
    static const char *text = "kernel void k(global int *p) { *p = 1; }";
    const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
    const cl_image_desc plane = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4};
    const cl_buffer_region region = {0, 16};
    const size_t one = 1;
    cl_uint number = 0;
    cl_int err;
    char bytes[64];
    mortal_set_up();
    cl_command_queue on = cl_new_queue(mortal, 0);
    cl_kernel kernel = kernel_in(mortal, text);
    cl_mem memory = cl_buffer(mortal, 0, 64, NULL);
    cl_event gate = cl_user_event(mortal);
    cl_program program;
    cl_ok(clGetKernelInfo(kernel, CL_KERNEL_PROGRAM, sizeof program, &program, NULL));
    cl_ok(clSetKernelArg(kernel, 0, sizeof memory, &memory));
    cl_ok(terminate(mortal));
#define GIVES_NOTHING(call)                    \
    do {                                       \
        ck_assert_ptr_null(call);              \
        cl_is(err, CL_CONTEXT_TERMINATED_KHR); \
    } while (0)
    GIVES_NOTHING(clCreateCommandQueueWithProperties(mortal, device, NULL, &err));
    GIVES_NOTHING(clCreateBuffer(mortal, 0, 64, NULL, &err));
    GIVES_NOTHING(clCreateSubBuffer(memory, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &err));
    GIVES_NOTHING(clCreateImage(mortal, 0, &format, &plane, NULL, &err));
    GIVES_NOTHING(clCreatePipe(mortal, 0, 4, 4, NULL, &err));
    GIVES_NOTHING(clCreateSamplerWithProperties(mortal, NULL, &err));
    GIVES_NOTHING(clCreateUserEvent(mortal, &err));
    GIVES_NOTHING(clCreateProgramWithSource(mortal, 1, &text, NULL, &err));
    GIVES_NOTHING(clCreateKernel(program, "k", &err));
    GIVES_NOTHING(clCloneKernel(kernel, &err));
    GIVES_NOTHING(clLinkProgram(mortal, 1, &device, "", 1, &program, NULL, NULL, &err));
    err = CL_CONTEXT_TERMINATED_KHR;
    GIVES_NOTHING(clSVMAlloc(mortal, 0, 64, 0));
    clCreateCommandBufferKHR_fn record;
    void *function = clGetExtensionFunctionAddressForPlatform(platform, "clCreateCommandBufferKHR");
    memcpy(&record, &function, sizeof record);
    GIVES_NOTHING(record(1, &on, NULL, &err));
    cl_is(clCreateKernelsInProgram(program, 0, NULL, &number), CL_CONTEXT_TERMINATED_KHR);
    cl_is(clSetDefaultDeviceCommandQueue(mortal, device, on), CL_CONTEXT_TERMINATED_KHR);
    cl_is(clEnqueueNDRangeKernel(on, kernel, 1, NULL, &one, NULL, 0, NULL, NULL), CL_CONTEXT_TERMINATED_KHR);
    cl_is(clEnqueueReadBuffer(on, memory, CL_TRUE, 0, 64, bytes, 0, NULL, NULL), CL_CONTEXT_TERMINATED_KHR);
    cl_is(clEnqueueMarkerWithWaitList(on, 1, &gate, NULL), CL_CONTEXT_TERMINATED_KHR);
    /* queries, references, callbacks of memory objects, other contexts */
    cl_ok(clGetContextInfo(mortal, CL_CONTEXT_REFERENCE_COUNT, sizeof number, &number, NULL));
    ck_assert_uint_eq(number, 1);
    cl_ok(clRetainContext(mortal));
    cl_ok(clReleaseContext(mortal));
    cl_ok(clGetMemObjectInfo(memory, CL_MEM_REFERENCE_COUNT, sizeof number, &number, NULL));
    cl_ok(clRetainMemObject(memory));
    cl_ok(clReleaseMemObject(memory));
    cl_ok(clSetMemObjectDestructorCallback(memory, note_end, NULL));
    cl_ok(clReleaseMemObject(cl_buffer(context, 0, 64, NULL)));
    cl_ok(clFinish(on));
    cl_ok(clReleaseEvent(gate));
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseCommandQueue(on));
    cl_ok(clReleaseMemObject(memory));
    cl_ok(clReleaseContext(mortal));
    ck_assert_int_eq(atomic_load(&destroyed), 1);
    cl_tear_down();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("context");
    TCase *tests = tcase_create("extensions");
    tcase_set_timeout(tests, 60);
    tcase_add_loop_test(tests, memory_begins_as_zeros_if_requested, 0, 48);
    tcase_add_test(tests, the_property_is_reported_and_checked);
    tcase_add_loop_test(tests, features_take_both_away, 0, 2);
    tcase_add_test(tests, one_device_that_cannot_is_enough);
    tcase_add_test(tests, a_context_is_terminated_once_and_only_if_it_may);
    tcase_add_test(tests, a_user_event_of_a_terminated_context_is_not_missed);
    tcase_add_loop_test(tests, waiting_commands_end_with_the_context, 0, 8);
    tcase_add_loop_test(tests, running_commands_are_stopped, 0, 3);
    tcase_add_test(tests, calls_of_a_terminated_context);
    suite_add_tcase(suite, tests);
    return cl_run_suite(suite);
}
