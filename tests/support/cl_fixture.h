/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  What tests of the API start from: the platform called Orrery through the loader,
 *          a context, an in-order and an out-of-order queue, and a second context whose
 *          objects do not belong. Check forks per test, so every test has a fresh runtime.
 *
 * Interface
 *   cl_set_up, cl_tear_down   a checked fixture
 *   cl_load_scenario(keys)    before it: the device of another scenario; nothing may be alive
 *   cl_set_up_with(keys)      both
 *   cl_ok(call)               the call returned CL_SUCCESS
 *   cl_is(call, error)        it returned that
 *   NAMED(call)               a function of an extension, which is found by name alone
 *   cl_program_of, cl_kernel_of   from source
 *   cl_forget_destroyed       the memory of released objects gets new contents
 *   cl_trace                  enqueues a native kernel that writes its number to trace
 */
#ifndef ORRERY_TESTS_SUPPORT_CL_FIXTURE_H
#define ORRERY_TESTS_SUPPORT_CL_FIXTURE_H

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_2_0_APIS
#define CL_USE_DEPRECATED_OPENCL_2_1_APIS
#define CL_USE_DEPRECATED_OPENCL_2_2_APIS
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <check.h>
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define cl_is(call, error) ck_assert_int_eq((call), (error))
#define cl_ok(call) cl_is((call), CL_SUCCESS)

/* Checks are those of --fast, unless the test's scenario or its variables enable more. */
#ifndef CL_LOOK_FOR_ALL
__attribute__((constructor)) static inline void cl_look_for_little(void)
{
    setenv("ORRERY_FAST", "1", 0);
}
#endif

static cl_platform_id platform;
static cl_device_id device;
static cl_context context, other_context;
static cl_command_queue queue, unordered, other_queue;

static inline void cl_find_device(void)
{
    cl_platform_id platforms[16];
    cl_uint count = 0;
    platform = NULL;
    cl_ok(clGetPlatformIDs(16, platforms, &count));
    for (cl_uint i = 0; i < count && i < 16; i++) {
        char name[64] = "";
        clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof name, name, NULL);
        if (strcmp(name, "Orrery") == 0)
            platform = platforms[i];
    }
    ck_assert_msg(platform != NULL, "no platform called Orrery: is OCL_ICD_VENDORS set?");
    if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL) == CL_DEVICE_NOT_FOUND)
        cl_ok(clGetDeviceIDs(platform, CL_DEVICE_TYPE_CUSTOM, 1, &device, NULL));
}

static inline void *cl_named(const char *name)
{
    void *function = clGetExtensionFunctionAddressForPlatform(platform, name);
    ck_assert_msg(function != NULL, "no %s", name);
    return function;
}

#define NAMED(call)          \
    ((union {                \
         void *object;       \
         call##_fn function; \
     }){cl_named(#call)}     \
         .function)

static inline cl_context cl_new_context(void)
{
    cl_int err;
    cl_context made = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    cl_ok(err);
    return made;
}

static inline cl_command_queue cl_new_queue(cl_context owner, cl_command_queue_properties properties)
{
    cl_int err;
    const cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, properties, 0};
    cl_command_queue made = clCreateCommandQueueWithProperties(owner, device, list, &err);
    cl_ok(err);
    return made;
}

static inline void cl_set_up(void)
{
    cl_find_device();
    context = cl_new_context();
    other_context = cl_new_context();
    queue = cl_new_queue(context, CL_QUEUE_PROFILING_ENABLE);
    unordered = cl_new_queue(context, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE);
    other_queue = cl_new_queue(other_context, 0);
}

static inline void cl_tear_down(void)
{
    cl_ok(clReleaseCommandQueue(queue));
    cl_ok(clReleaseCommandQueue(unordered));
    cl_ok(clReleaseCommandQueue(other_queue));
    cl_ok(clReleaseContext(context));
    cl_ok(clReleaseContext(other_context));
}

static inline void cl_load_scenario(const char *keys)
{
    int (*load)(const char *, char *, size_t);
    char text[1000], error[300] = "";
    setenv("ORRERY_KEEP_EXIT_CODE", "1", 1);
    setenv("ORRERY_LOG", "/dev/null", 0);
    cl_find_device();
    void *function = cl_named("orrery_load_scenario_text");
    memcpy(&load, &function, sizeof function);
    const char *checks = strstr(keys, "checks: {");
    const int before = checks ? (int)(checks - keys) : (int)strlen(keys);
    snprintf(text, sizeof text, "orrery: 1\n%.*s%s%s\n", before, keys,
             checks ? "checks: {profile: fast, " : "\nchecks: fast",
             checks ? checks + strlen("checks: {") : "");
    unsetenv("ORRERY_FAST");
    ck_assert_msg(load(text, error, sizeof error) == 0, "%s", error);
}

static inline void cl_set_up_with(const char *keys)
{
    cl_load_scenario(keys);
    cl_set_up();
}

static inline cl_mem cl_buffer(cl_context owner, cl_mem_flags flags, size_t size, void *host)
{
    cl_int err;
    cl_mem made = clCreateBuffer(owner, flags, size, host, &err);
    cl_ok(err);
    return made;
}

/* options NULL: it is not built. */
static inline cl_program cl_program_of(cl_context owner, const char *source, const char *options)
{
    cl_int err;
    cl_program program = clCreateProgramWithSource(owner, 1, &source, NULL, &err);
    cl_ok(err);
    if (options)
        cl_ok(clBuildProgram(program, 0, NULL, options, NULL, NULL));
    return program;
}

/* The kernel k of that source. */
static inline cl_kernel cl_kernel_of(cl_context owner, const char *source, const char *options)
{
    cl_int err;
    cl_program program = cl_program_of(owner, source, options);
    cl_kernel kernel = clCreateKernel(program, "k", &err);
    cl_ok(err);
    cl_ok(clReleaseProgram(program));
    return kernel;
}

static inline cl_event cl_user_event(cl_context owner)
{
    cl_int err;
    cl_event made = clCreateUserEvent(owner, &err);
    cl_ok(err);
    return made;
}

static inline cl_int cl_status(cl_event event)
{
    cl_int status = 1000;
    cl_ok(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    return status;
}

/* Orrery keeps the memory of the last 1024 objects that were destroyed; after this it is others'. */
static inline void cl_forget_destroyed(void)
{
    cl_int err;
    for (int i = 0; i < 1100; i++) {
        cl_command_queue made = clCreateCommandQueueWithProperties(other_context, device, NULL, &err);
        cl_ok(err);
        cl_ok(clReleaseCommandQueue(made));
    }
}

/* ---- commands that leave a trace: native kernels write their number down ------------ */

enum { TRACE_MAX = 4096 };
static struct {
    int number[TRACE_MAX];
    int count;
} trace; /* by the executing thread only */

static inline void CL_CALLBACK cl_trace_kernel(void *args)
{
    int number;
    memcpy(&number, args, sizeof number);
    int at = __atomic_fetch_add(&trace.count, 1, __ATOMIC_SEQ_CST);
    if (at < TRACE_MAX)
        trace.number[at] = number;
}

static inline cl_event cl_trace(cl_command_queue to, int number, cl_uint wait_count, const cl_event *waits)
{
    cl_event event = NULL;
    cl_ok(clEnqueueNativeKernel(to, cl_trace_kernel, &number, sizeof number, 0, NULL, NULL, wait_count, waits,
                                &event));
    return event;
}

/* The process that runs the suite. */
static pid_t cl_runner;

/* The last exit handler of a test: ends it without the destructors of libraries, in which the address sanitizer
 * unregisters each global variable. That takes longer than most tests. Processes that a test starts end normally. */
static inline void cl_leave(int status, void *unused)
{
    (void)unused;
    if (getppid() != cl_runner)
        return;
    fflush(NULL);
    _exit(status);
}

/* As gcc says that AddressSanitizer is used, and as clang does. */
#if defined __SANITIZE_ADDRESS__
#define CL_SANITIZED 1
#elif defined __has_feature
#if __has_feature(address_sanitizer)
#define CL_SANITIZED 1
#endif
#endif
#ifndef CL_SANITIZED
#define CL_SANITIZED 0
#endif

/* Each test is a process that opens the library. The library is opened before the fork, and not called, so that
 * it is relocated once. */
static inline void cl_load_once(void)
{
    char path[4096];
    const char *build = getenv("ORRERY_BUILDDIR");
    cl_runner = getpid();
    if (CL_SANITIZED)
        on_exit(cl_leave, NULL);
    if (build && snprintf(path, sizeof path, "%s/.libs/liborrery.so", build) < (int)sizeof path)
        dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

static inline int cl_run_suite(Suite *suite)
{
    setenv("ORRERY_QUIET", "1", 0);
    cl_load_once();
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

#endif
