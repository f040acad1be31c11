/* SPDX-License-Identifier: Apache-2.0 */
/* cl_intel_unified_shared_memory: its calls, their errors and queries, and what kernels and the host may
 * do with it. */
#include "tests/support/cl_fixture.h"

#include <pthread.h>
#include <stdatomic.h>

#define FUNCTION(name) static name##INTEL_fn name;
#define FUNCTIONS(X)                                                                                       \
    X(clHostMemAlloc)                                                                                      \
    X(clDeviceMemAlloc)                                                                                    \
    X(clSharedMemAlloc)                                                                                    \
    X(clMemFree) X(clMemBlockingFree) X(clGetMemAllocInfo) X(clSetKernelArgMemPointer) X(clEnqueueMemFill) \
        X(clEnqueueMemcpy) X(clEnqueueMigrateMem) X(clEnqueueMemAdvise)
FUNCTIONS(FUNCTION)

static const char source[] =
    "kernel void add(global int *to, global const int *from) { to[get_global_id(0)] += "
    "from[get_global_id(0)]; }\n"
    "struct node { global struct node *next; int value; };\n"
    "kernel void sum(global struct node *list, global int *total) { for (; list; list = list->next) *total "
    "+= list->value; }\n"
    "kernel void await(global atomic_int *flag) {\n"
    "    while (!atomic_load_explicit(flag, memory_order_acquire, memory_scope_all_svm_devices)); }\n";

enum { COUNT = 32, SIZE = COUNT * sizeof(cl_int) };
static cl_program program;
static cl_int err;

static void set_up(void)
{
    const char *text = source;
    cl_set_up();
#define LOOK_UP(name)                                                                                    \
    name = (name##INTEL_fn)(uintptr_t)clGetExtensionFunctionAddressForPlatform(platform, #name "INTEL"); \
    ck_assert_msg(name != NULL, #name "INTEL is not there");
    FUNCTIONS(LOOK_UP)
    program = clCreateProgramWithSource(context, 1, &text, NULL, &err);
    cl_ok(err);
    cl_ok(clBuildProgram(program, 0, NULL, "-cl-std=CL2.0", NULL, NULL));
}

static void tear_down(void)
{
    cl_ok(clReleaseProgram(program));
    cl_tear_down();
}

static void *host(size_t size)
{
    void *made = clHostMemAlloc(context, NULL, size, 0, &err);
    cl_ok(err);
    return made;
}

static void *of_device(size_t size)
{
    void *made = clDeviceMemAlloc(context, device, NULL, size, 0, &err);
    cl_ok(err);
    return made;
}

static void *shared(size_t size)
{
    void *made = clSharedMemAlloc(context, device, NULL, size, 0, &err);
    cl_ok(err);
    return made;
}

static cl_kernel kernel_with(const char *name, const void *first, const void *second)
{
    cl_kernel kernel = clCreateKernel(program, name, &err);
    cl_ok(err);
    cl_ok(clSetKernelArgMemPointer(kernel, 0, first));
    if (second)
        cl_ok(clSetKernelArgMemPointer(kernel, 1, second));
    return kernel;
}

static void run(cl_kernel kernel, size_t items)
{
    cl_ok(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL));
    cl_ok(clReleaseKernel(kernel));
}

#define INFO(type, pointer, name)                                                       \
    __extension__({                                                                     \
        type value_;                                                                    \
        cl_ok(clGetMemAllocInfo(context, pointer, name, sizeof value_, &value_, NULL)); \
        value_;                                                                         \
    })

#define REFUSED(call, error)      \
    do {                          \
        ck_assert_ptr_null(call); \
        cl_is(err, error);        \
    } while (0)

/* ---- tests --------------------------------------------------------------------------------- */

START_TEST(device_reports_the_capability)
{
    static const cl_device_info names[] = {CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL,
                                           CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL,
                                           CL_DEVICE_SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL,
                                           CL_DEVICE_CROSS_DEVICE_SHARED_MEM_CAPABILITIES_INTEL};
    char extensions[8192];
    cl_device_unified_shared_memory_capabilities_intel capabilities;
    cl_ok(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof extensions, extensions, NULL));
    ck_assert_ptr_nonnull(strstr(extensions, "cl_intel_unified_shared_memory"));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        cl_ok(clGetDeviceInfo(device, names[i], sizeof capabilities, &capabilities, NULL));
        ck_assert_uint_eq(capabilities, 15);
    }
    cl_ok(clGetDeviceInfo(device, CL_DEVICE_SHARED_SYSTEM_MEM_CAPABILITIES_INTEL, sizeof capabilities,
                          &capabilities, NULL));
    ck_assert_uint_eq(capabilities, 0);
}
END_TEST

START_TEST(allocation_queries_return_type_and_size)
{
    const cl_mem_properties_intel placed[] = {CL_MEM_ALLOC_FLAGS_INTEL,
                                              CL_MEM_ALLOC_INITIAL_PLACEMENT_HOST_INTEL, 0};
    char *a = host(SIZE), *b = of_device(SIZE), *c = clSharedMemAlloc(context, NULL, placed, SIZE, 64, &err);
    cl_ok(err);
    ck_assert_uint_eq((uintptr_t)c % 64, 0);
    ck_assert_uint_eq(INFO(cl_unified_shared_memory_type_intel, a, CL_MEM_ALLOC_TYPE_INTEL),
                      CL_MEM_TYPE_HOST_INTEL);
    ck_assert_uint_eq(INFO(cl_unified_shared_memory_type_intel, b + 5, CL_MEM_ALLOC_TYPE_INTEL),
                      CL_MEM_TYPE_DEVICE_INTEL);
    ck_assert_uint_eq(INFO(cl_unified_shared_memory_type_intel, c, CL_MEM_ALLOC_TYPE_INTEL),
                      CL_MEM_TYPE_SHARED_INTEL);
    ck_assert_uint_eq(INFO(cl_unified_shared_memory_type_intel, &err, CL_MEM_ALLOC_TYPE_INTEL),
                      CL_MEM_TYPE_UNKNOWN_INTEL);
    ck_assert_ptr_eq(INFO(void *, b + 5, CL_MEM_ALLOC_BASE_PTR_INTEL), b);
    ck_assert_ptr_null(INFO(void *, &err, CL_MEM_ALLOC_BASE_PTR_INTEL));
    ck_assert_uint_eq(INFO(size_t, c + 1, CL_MEM_ALLOC_SIZE_INTEL), SIZE);
    ck_assert_ptr_eq(INFO(cl_device_id, b, CL_MEM_ALLOC_DEVICE_INTEL), device);
    ck_assert_ptr_null(INFO(cl_device_id, a, CL_MEM_ALLOC_DEVICE_INTEL));
    ck_assert_uint_eq(INFO(cl_mem_alloc_flags_intel, c, CL_MEM_ALLOC_FLAGS_INTEL),
                      CL_MEM_ALLOC_INITIAL_PLACEMENT_HOST_INTEL);
    cl_is(clGetMemAllocInfo(context, a, 0x4242, 0, NULL, NULL), CL_INVALID_VALUE);
    cl_is(clGetMemAllocInfo(context, a, CL_MEM_ALLOC_SIZE_INTEL, 1, &err, NULL), CL_INVALID_VALUE);
    cl_is(clGetMemAllocInfo(NULL, a, CL_MEM_ALLOC_SIZE_INTEL, 0, NULL, NULL), CL_INVALID_CONTEXT);
    cl_ok(clMemFree(context, a));
    cl_ok(clMemFree(context, b));
    cl_ok(clMemFree(context, c));
    ck_assert_uint_eq(INFO(cl_unified_shared_memory_type_intel, a, CL_MEM_ALLOC_TYPE_INTEL),
                      CL_MEM_TYPE_UNKNOWN_INTEL);
}
END_TEST

START_TEST(wrong_arguments_are_refused)
{
    const cl_mem_properties_intel unknown[] = {0x4242, 1, 0},
                                  twice[] = {CL_MEM_ALLOC_FLAGS_INTEL, 0, CL_MEM_ALLOC_FLAGS_INTEL, 0, 0};
    const cl_mem_properties_intel both[] = {CL_MEM_ALLOC_FLAGS_INTEL, 6, 0},
                                  placed[] = {CL_MEM_ALLOC_FLAGS_INTEL, 2, 0};
    char *a = host(SIZE);
    cl_int pattern = 1;
    cl_kernel kernel = clCreateKernel(program, "add", &err);
    REFUSED(clHostMemAlloc(NULL, NULL, 8, 0, &err), CL_INVALID_CONTEXT);
    REFUSED(clHostMemAlloc(context, NULL, 0, 0, &err), CL_INVALID_BUFFER_SIZE);
    REFUSED(clHostMemAlloc(context, NULL, SIZE_MAX, 0, &err), CL_INVALID_BUFFER_SIZE);
    REFUSED(clHostMemAlloc(context, NULL, 8, 3, &err), CL_INVALID_VALUE);
    REFUSED(clHostMemAlloc(context, NULL, 8, 1 << 20, &err), CL_INVALID_VALUE);
    REFUSED(clHostMemAlloc(context, unknown, 8, 0, &err), CL_INVALID_PROPERTY);
    REFUSED(clHostMemAlloc(context, twice, 8, 0, &err), CL_INVALID_PROPERTY);
    REFUSED(clHostMemAlloc(context, placed, 8, 0, &err), CL_INVALID_PROPERTY);
    REFUSED(clSharedMemAlloc(context, device, both, 8, 0, &err), CL_INVALID_PROPERTY);
    REFUSED(clDeviceMemAlloc(context, NULL, NULL, 8, 0, &err), CL_INVALID_DEVICE);
    REFUSED(clSharedMemAlloc(context, (cl_device_id)context, NULL, 8, 0, &err), CL_INVALID_DEVICE);
    cl_ok(clMemFree(context, NULL));
    cl_is(clMemFree(context, a + 1), CL_INVALID_VALUE);
    cl_is(clMemFree(context, &err), CL_INVALID_VALUE);
    cl_is(clMemFree(other_context, a), CL_INVALID_VALUE);
    cl_is(clMemFree(NULL, a), CL_INVALID_CONTEXT);
    cl_is(clMemBlockingFree(NULL, a), CL_INVALID_CONTEXT);
    cl_is(clSetKernelArgMemPointer(NULL, 0, a), CL_INVALID_KERNEL);
    cl_is(clSetKernelArgMemPointer(kernel, 2, a), CL_INVALID_ARG_INDEX);
    cl_is(clEnqueueMemFill(NULL, a, &pattern, 4, 8, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
    cl_is(clEnqueueMemFill(queue, NULL, &pattern, 4, 8, 0, NULL, NULL), CL_INVALID_VALUE);
    cl_is(clEnqueueMemFill(queue, a, NULL, 4, 8, 0, NULL, NULL), CL_INVALID_VALUE);
    cl_is(clEnqueueMemFill(queue, a, &pattern, 3, 9, 0, NULL, NULL), CL_INVALID_VALUE);
    cl_is(clEnqueueMemFill(queue, a, &pattern, 4, 6, 0, NULL, NULL), CL_INVALID_VALUE);
    cl_is(clEnqueueMemcpy(queue, CL_TRUE, NULL, a, 4, 0, NULL, NULL), CL_INVALID_VALUE);
    cl_is(clEnqueueMemcpy(queue, CL_TRUE, a, NULL, 4, 0, NULL, NULL), CL_INVALID_VALUE);
    cl_is(clEnqueueMemcpy(queue, CL_TRUE, a, a + 2, 4, 0, NULL, NULL), CL_MEM_COPY_OVERLAP);
    cl_is(clEnqueueMemcpy(queue, CL_TRUE, a, &pattern, 4, 1, NULL, NULL), CL_INVALID_EVENT_WAIT_LIST);
    cl_is(clEnqueueMigrateMem(queue, NULL, 4, 0, 0, NULL, NULL), CL_INVALID_VALUE);
    cl_is(clEnqueueMigrateMem(queue, a, 4, 1 << 9, 0, NULL, NULL), CL_INVALID_VALUE);
    cl_is(clEnqueueMemAdvise(queue, NULL, 4, 0, 0, NULL, NULL), CL_INVALID_VALUE);
    cl_is(clEnqueueMemAdvise(queue, a, 4, 77, 0, NULL, NULL), CL_INVALID_VALUE);
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clMemFree(context, a));
}
END_TEST

START_TEST(kernels_use_all_sorts)
{
    cl_int *a = host(SIZE), *b = of_device(SIZE), *c = shared(SIZE), result[COUNT], seven = 7;
    for (int i = 0; i < COUNT; i++)
        a[i] = i;
    cl_ok(clEnqueueMemFill(queue, b, &seven, sizeof seven, SIZE, 0, NULL, NULL));
    cl_ok(clEnqueueMemcpy(queue, CL_FALSE, c, a, SIZE, 0, NULL, NULL));
    cl_ok(clEnqueueMigrateMem(queue, c, SIZE, 0, 0, NULL, NULL));
    cl_ok(clEnqueueMemAdvise(queue, c, SIZE, 0, 0, NULL, NULL));
    run(kernel_with("add", b, c), COUNT);
    run(kernel_with("add", c, b), COUNT);
    cl_ok(clEnqueueMemcpy(queue, CL_TRUE, result, b, SIZE, 0, NULL, NULL));
    for (int i = 0; i < COUNT; i++) {
        ck_assert_int_eq(result[i], 7 + i);
        ck_assert_int_eq(c[i], 7 + 2 * i); /* no map, no copy */
    }
    cl_ok(clMemFree(context, a));
    cl_ok(clMemFree(context, b));
    cl_ok(clMemFree(context, c));
}
END_TEST

START_TEST(pointers_in_memory_lead_on)
{
    struct node {
        struct node *next;
        cl_int value;
    } *first = shared(sizeof *first), *second = host(sizeof *second);
    cl_int *total = shared(sizeof *total);
    cl_bool yes = CL_TRUE;
    *first = (struct node){second, 40};
    *second = (struct node){NULL, 2};
    *total = 0;
    cl_kernel kernel = kernel_with("sum", first, total);
    cl_ok(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL, sizeof yes, &yes));
    cl_ok(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_INDIRECT_SHARED_ACCESS_INTEL, sizeof yes, &yes));
    cl_ok(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL, sizeof second, &second));
    cl_is(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL, 1, &yes),
          CL_INVALID_VALUE);
    cl_is(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL, 3, &second), CL_INVALID_VALUE);
    run(kernel, 1);
    cl_ok(clFinish(queue));
    ck_assert_int_eq(*total, 42);
}
END_TEST

/* Each sort of memory is freed by its own call alone. */
START_TEST(calls_of_shared_virtual_memory_refuse_it)
{
    char *mine = shared(SIZE), *other = clSVMAlloc(context, 0, SIZE, 0);
    ck_assert_ptr_nonnull(other);
    cl_is(clMemFree(context, other), CL_INVALID_VALUE);
    ck_assert_uint_eq(INFO(cl_unified_shared_memory_type_intel, other, CL_MEM_ALLOC_TYPE_INTEL),
                      CL_MEM_TYPE_UNKNOWN_INTEL);
    clSVMFree(context, mine);
    ck_assert_uint_eq(INFO(cl_unified_shared_memory_type_intel, mine, CL_MEM_ALLOC_TYPE_INTEL),
                      CL_MEM_TYPE_SHARED_INTEL);
    cl_ok(clMemFree(context, mine));
    clSVMFree(context, other);
}
END_TEST

START_TEST(a_blocking_free_waits)
{
    cl_int *from = shared(SIZE), *to = shared(SIZE);
    memset(from, 0, SIZE);
    from[3] = 9;
    memset(to, 0, SIZE);
    run(kernel_with("add", to, from), COUNT); /* not flushed */
    cl_ok(clMemBlockingFree(context, from));
    ck_assert_int_eq(to[3], 9);
    cl_ok(clMemFree(context, to));
}
END_TEST

enum { QUEUES_MADE = 3000 };

static void *make_and_release_queues(void *done)
{
    for (int i = 0; i < QUEUES_MADE; i++) {
        cl_int made_err;
        cl_command_queue made = clCreateCommandQueueWithProperties(context, device, NULL, &made_err);
        cl_ok(made_err);
        cl_ok(clEnqueueMarkerWithWaitList(made, 0, NULL, NULL));
        cl_ok(clReleaseCommandQueue(made));
    }
    atomic_store((atomic_bool *)done, true);
    return NULL;
}

/* It waits for all queues, which other threads may release meanwhile. */
START_TEST(a_blocking_free_waits_for_queues_that_go)
{
    atomic_bool done = false;
    pthread_t other;
    ck_assert_int_eq(pthread_create(&other, NULL, make_and_release_queues, &done), 0);
    while (!atomic_load(&done))
        cl_ok(clMemBlockingFree(context, NULL));
    pthread_join(other, NULL);
}
END_TEST

START_TEST(host_and_kernel_share_it_while_both_run)
{
    _Atomic cl_int *flag = shared(sizeof *flag);
    atomic_store(flag, 0);
    run(kernel_with("await", flag, NULL), 1);
    cl_ok(clFlush(queue));
    atomic_store(flag, 1);
    cl_ok(clFinish(queue));
}
END_TEST

START_TEST(event_query_returns_the_command)
{
    static const cl_command_type types[] = {CL_COMMAND_MEMFILL_INTEL, CL_COMMAND_MEMCPY_INTEL,
                                            CL_COMMAND_MIGRATEMEM_INTEL, CL_COMMAND_MEMADVISE_INTEL};
    cl_int *a = host(SIZE), *b = host(SIZE), one = 1;
    cl_event events[4];
    cl_command_type type;
    cl_ok(clEnqueueMemFill(queue, a, &one, 4, SIZE, 0, NULL, &events[0]));
    cl_ok(clEnqueueMemcpy(queue, CL_FALSE, b, a, SIZE, 1, &events[0], &events[1]));
    cl_ok(clEnqueueMigrateMem(queue, a, SIZE, 0, 0, NULL, &events[2]));
    cl_ok(clEnqueueMemAdvise(queue, a, SIZE, 0, 0, NULL, &events[3]));
    cl_ok(clWaitForEvents(4, events));
    for (int i = 0; i < 4; i++) {
        cl_ok(clGetEventInfo(events[i], CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
        ck_assert_uint_eq(type, types[i]);
        cl_ok(clReleaseEvent(events[i]));
    }
    ck_assert_int_eq(b[COUNT - 1], 1);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("unified shared memory");
    TCase *tests = tcase_create("calls");
    setenv("ORRERY_QUIET", "1", 0);
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_set_timeout(tests, 30);
    tcase_add_test(tests, device_reports_the_capability);
    tcase_add_test(tests, allocation_queries_return_type_and_size);
    tcase_add_test(tests, wrong_arguments_are_refused);
    tcase_add_test(tests, kernels_use_all_sorts);
    tcase_add_test(tests, pointers_in_memory_lead_on);
    tcase_add_test(tests, calls_of_shared_virtual_memory_refuse_it);
    tcase_add_test(tests, a_blocking_free_waits);
    tcase_add_test(tests, a_blocking_free_waits_for_queues_that_go);
    tcase_add_test(tests, host_and_kernel_share_it_while_both_run);
    tcase_add_test(tests, event_query_returns_the_command);
    suite_add_tcase(suite, tests);
    return cl_run_suite(suite);
}
