/* SPDX-License-Identifier: Apache-2.0 */
/* Shared memory that is freed, unmapped or used in a way that no call can refuse. Each test has the valid
 * program as well. */

#include "tests/support/usage_fixture.h"

START_TEST(free_before_a_wait_for_the_command_is_reported)
{
    void *shared = shared_fill(NULL);
    cl_ok(clFlush(queue));
    clSVMFree(context, shared);
    struct orrery_finding finding = finding_last("svm-free-in-use");
    ck_assert_str_eq(finding.object, "shared memory 1 (64 bytes)");
    ck_assert_str_eq(finding.why, "command 1 uses it, and the program has not waited for that");
    ck_assert_str_eq(finding.access[1].what, "clEnqueueSVMMemFill: enqueued here");
}
END_TEST

START_TEST(shared_memory_is_freed_after_a_wait)
{
    cl_event event;
    void *shared = shared_fill(NULL);
    cl_ok(clFinish(queue));
    clSVMFree(context, shared);
    shared = shared_fill(&event);
    cl_ok(clWaitForEvents(1, &event));
    clSVMFree(context, shared);
    cl_ok(clReleaseEvent(event));
    shared = shared_fill(&event);
    cl_ok(clFlush(queue));
    while (cl_status(event) != CL_COMPLETE)
        ;
    clSVMFree(context, shared);
    cl_ok(clReleaseEvent(event));
    shared = shared_fill(NULL);
    cl_ok(clEnqueueSVMFree(queue, 1, &shared, NULL, NULL, 0, NULL, NULL));
    cl_ok(clFinish(queue));
    ck_assert_uint_eq(finding_count(), 0);
}
END_TEST

START_TEST(shared_memory_is_freed_in_a_callback_of_its_command)
{
    cl_event event;
    void *shared = shared_fill(&event);
    cl_ok(clSetEventCallback(event, CL_COMPLETE, free_it, shared));
    cl_ok(clFinish(queue));
    cl_ok(clReleaseEvent(event));
    ck_assert_uint_eq(findings_of("svm-free-in-use"), 0);
}
END_TEST

static void CL_CALLBACK free_them(cl_command_queue of, cl_uint count, void *pointers[], void *data)
{
    (void)of;
    (void)data;
    for (cl_uint i = 0; i < count; i++)
        clSVMFree(context, pointers[i]);
}

START_TEST(shared_memory_is_freed_by_the_function_of_a_command)
{
    void *shared = shared_fill(NULL);
    cl_ok(clEnqueueSVMFree(queue, 1, &shared, free_them, NULL, 0, NULL, NULL));
    cl_ok(clFinish(queue));
    ck_assert_uint_eq(finding_count(), 0);
}
END_TEST

START_TEST(shared_memory_is_an_argument_or_reached_through_one)
{
    const size_t size = 1;
    cl_kernel kernel = kernel_of("kernel void k(global int *p) { *p = 1; }");
    void *argument = clSVMAlloc(context, 0, 64, 0), *reached = clSVMAlloc(context, 0, 64, 0);
    cl_ok(clSetKernelArgSVMPointer(kernel, 0, argument));
    cl_ok(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof reached, &reached));
    cl_ok(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, NULL, 0, NULL, NULL));
    clSVMFree(context, reached);
    ck_assert_str_eq(finding_last("svm-free-in-use").object, "shared memory 2 (64 bytes)");
    cl_ok(clFinish(queue));
    clSVMFree(context, argument);
    ck_assert_uint_eq(findings_of("svm-free-in-use"), 1);
    cl_ok(clReleaseKernel(kernel));
}
END_TEST

static void *shared(void)
{
    void *pointer = clSVMAlloc(context, 0, 64, 0);
    ck_assert_ptr_nonnull(pointer);
    return pointer;
}

START_TEST(shared_memory_is_freed_twice)
{
    void *pointer = shared(), *again = shared();
    clSVMFree(context, pointer);
    ck_assert_uint_eq(finding_count(), 0);
    clSVMFree(context, pointer);
    struct orrery_finding finding = finding_last("svm-free-invalid");
    ck_assert_str_eq(finding.object, "shared memory 1 (64 bytes)");
    ck_assert_str_eq(finding.access[1].what, "clSVMFree: freed here");
    cl_ok(clEnqueueSVMFree(queue, 1, &again, NULL, NULL, 0, NULL, NULL));
    cl_ok(clFinish(queue));
    clSVMFree(context, again);
    ck_assert_str_eq(finding_last("svm-free-invalid").object, "shared memory 2 (64 bytes)");
    ck_assert_str_eq(finding_last("svm-free-invalid").access[1].what,
                     "clEnqueueSVMFree: its free is enqueued here");
    ck_assert_uint_eq(finding_count(), 2);
}
END_TEST

/* The same address is another allocation's by then. */
START_TEST(shared_memory_allocated_again_is_not_reported)
{
    for (int i = 0; i < 100; i++)
        clSVMFree(context, shared());
    clSVMFree(context, NULL);
    ck_assert_uint_eq(finding_count(), 0);
}
END_TEST

/* Memory that a failed command was to free is still there. */
START_TEST(a_free_that_failed_frees_nothing)
{
    void *pointer = shared();
    cl_event gate = cl_user_event(context);
    cl_ok(clEnqueueSVMFree(queue, 1, &pointer, NULL, NULL, 1, &gate, NULL));
    cl_ok(clSetUserEventStatus(gate, -1));
    cl_ok(clFinish(queue));
    clSVMFree(context, pointer);
    cl_ok(clReleaseEvent(gate));
    ck_assert_uint_eq(findings_of("svm-free-invalid"), 0);
}
END_TEST

START_TEST(memory_is_freed_that_clsvmalloc_did_not_return)
{
    static char own[64];
    char *pointer = shared();
    clSVMFree(context, own);
    ck_assert_str_eq(finding_last("svm-free-invalid").object, "svm_pointer");
    clSVMFree(context, pointer + 16);
    struct orrery_finding finding = finding_last("svm-free-invalid");
    ck_assert_str_eq(finding.object, "shared memory 1 (64 bytes)");
    ck_assert_ptr_nonnull(strstr(finding.why, "it points 16 bytes after that"));
    ck_assert_str_eq(finding.access[1].what, "clSVMAlloc: allocated here");
    clSVMFree(other_context, pointer);
    ck_assert_str_eq(finding_last("svm-free-invalid").why,
                     "it was allocated for context 1, and the call is about context 2");
    clSVMFree(context, pointer);
    ck_assert_uint_eq(finding_count(), 3);
}
END_TEST

START_TEST(shared_memory_is_freed_below_a_buffer)
{
    void *pointer = shared();
    cl_mem buffer = cl_buffer(context, CL_MEM_USE_HOST_PTR, 64, pointer);
    clSVMFree(context, pointer);
    struct orrery_finding finding = finding_last("svm-free-invalid");
    ck_assert_str_eq(finding.why,
                     "memory object 1 was made with it as host_ptr, and must be released before");
    ck_assert_str_eq(finding.access[1].what, "clCreateBuffer: the memory object is made here");
    cl_ok(clReleaseMemObject(buffer));
    pointer = shared();
    buffer = cl_buffer(context, CL_MEM_USE_HOST_PTR, 64, pointer);
    cl_ok(clReleaseMemObject(buffer));
    clSVMFree(context, pointer);
    ck_assert_uint_eq(finding_count(), 1);
}
END_TEST

static void map_shared(void *pointer)
{
    cl_ok(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_WRITE, pointer, 32, 0, NULL, NULL));
}

/* As cl::SVMAllocator does. A map of memory that comes later at this address is not the old one. */
START_TEST(shared_memory_is_freed_while_it_is_mapped)
{
    void *pointer = shared();
    map_shared(pointer);
    clSVMFree(context, pointer);
    pointer = shared();
    map_shared(pointer);
    cl_ok(clEnqueueSVMUnmap(queue, pointer, 0, NULL, NULL));
    cl_ok(clFinish(queue));
    clSVMFree(context, pointer);
    ck_assert_uint_eq(finding_count(), 0);
}
END_TEST

START_TEST(shared_memory_is_unmapped_more_often_than_mapped)
{
    void *pointer = shared(), *fine = clSVMAlloc(context, CL_MEM_SVM_FINE_GRAIN_BUFFER, 64, 0);
    map_shared(pointer);
    cl_ok(clEnqueueSVMUnmap(queue, pointer, 0, NULL, NULL));
    cl_ok(clEnqueueSVMUnmap(queue, fine, 0, NULL, NULL));
    ck_assert_uint_eq(finding_count(), 0);
    cl_ok(clEnqueueSVMUnmap(queue, pointer, 0, NULL, NULL));
    ck_assert_str_eq(finding_last("svm-misuse").object, "shared memory 1 (64 bytes)");
    ck_assert_str_eq(finding_last("svm-misuse").access[0].what, "clEnqueueSVMUnmap");
    cl_ok(clFinish(queue));
    clSVMFree(context, pointer);
    clSVMFree(context, fine);
    ck_assert_uint_eq(finding_count(), 1);
}
END_TEST

START_TEST(shared_memory_of_another_context_is_used)
{
    cl_uint word = 3;
    void *pointer = clSVMAlloc(other_context, 0, 64, 0), *own = shared();
    cl_ok(clEnqueueSVMMemcpy(queue, CL_TRUE, own, &word, 4, 0, NULL, NULL));
    ck_assert_uint_eq(finding_count(), 0);
    cl_ok(clEnqueueSVMMemcpy(queue, CL_TRUE, pointer, &word, 4, 0, NULL, NULL));
    struct orrery_finding finding = finding_last("svm-misuse");
    ck_assert_str_eq(finding.object, "shared memory 1 (64 bytes)");
    ck_assert_str_eq(finding.why, "it was allocated for context 2, and the queue is of context 1");
    ck_assert_str_eq(finding.access[1].what, "clSVMAlloc: allocated here");
    cl_ok(clEnqueueSVMMemFill(queue, pointer, &word, 4, 4, 0, NULL, NULL));
    ck_assert_uint_eq(findings_of("svm-misuse"), 2);
    cl_ok(clFinish(queue));
    clSVMFree(other_context, pointer);
    clSVMFree(context, own);
}
END_TEST

/* Commands on shared memory, each one byte past its end. 64 bytes from the start are right. */
START_TEST(shared_memory_is_used_past_its_end)
{
    char host[65] = {0}, *pointer = shared();
    const char zero = 0;
    cl_ok(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_WRITE, pointer, 64, 0, NULL, NULL));
    cl_ok(clEnqueueSVMUnmap(queue, pointer, 0, NULL, NULL));
    cl_ok(clEnqueueSVMMemcpy(queue, CL_FALSE, host, pointer, 64, 0, NULL, NULL));
    cl_ok(clEnqueueSVMMemFill(queue, pointer + 63, &zero, 1, 1, 0, NULL, NULL));
    ck_assert_uint_eq(finding_count(), 0);
    cl_ok(clEnqueueSVMMemcpy(queue, CL_FALSE, host, pointer, 65, 0, NULL, NULL));
    ck_assert_uint_eq(findings_of("svm-misuse"), 1);
    cl_ok(clEnqueueSVMMemcpy(queue, CL_FALSE, pointer + 1, host, 64, 0, NULL, NULL));
    ck_assert_uint_eq(findings_of("svm-misuse"), 2);
    cl_ok(clEnqueueSVMMemFill(queue, pointer + 60, &zero, 1, 5, 0, NULL, NULL));
    ck_assert_uint_eq(findings_of("svm-misuse"), 3);
    cl_ok(clEnqueueSVMMap(queue, CL_FALSE, CL_MAP_READ, pointer + 63, SIZE_MAX, 0, NULL, NULL));
    struct orrery_finding finding = finding_last("svm-misuse");
    ck_assert_uint_eq(findings_of("svm-misuse"), 4);
    ck_assert_str_eq(finding.object, "shared memory 1 (64 bytes)");
    ck_assert_str_eq(finding.why, "the command uses 18446744073709551615 bytes from byte 63 on, of which "
                                  "18446744073709551614 are not in it");
    ck_assert_str_eq(finding.spec, "OpenCL 2.2 API, 5.6.1");
    ck_assert_str_eq(finding.access[1].what, "clSVMAlloc: allocated here");
    cl_ok(clEnqueueSVMUnmap(queue, pointer + 63, 0, NULL, NULL));
    clFinish(queue);
    clSVMFree(context, pointer);
}
END_TEST

/* Each command is given memory that was freed before. One that was enqueued before the free is right. */
START_TEST(shared_memory_is_used_after_it_was_freed)
{
    char host[64] = {0}, *pointer = shared();
    const char zero = 0;
    cl_int err = CL_SUCCESS;
    cl_ok(clEnqueueSVMMemFill(queue, pointer, &zero, 1, 64, 0, NULL, NULL));
    cl_ok(clEnqueueSVMFree(queue, 1, (void *[]){pointer}, NULL, NULL, 0, NULL, NULL));
    ck_assert_uint_eq(finding_count(), 0);
    if (_i & 1 || _i == 8)
        cl_ok(clFinish(queue)); /* else the free is only enqueued, before the command in its queue */
    switch (_i / 2) {
    case 0: err = clEnqueueSVMMemcpy(queue, CL_TRUE, host, pointer + 8, 8, 0, NULL, NULL); break;
    case 1: err = clEnqueueSVMMemcpy(queue, CL_TRUE, pointer, host, 64, 0, NULL, NULL); break;
    case 2: err = clEnqueueSVMMemFill(queue, pointer, &zero, 1, 64, 0, NULL, NULL); break;
    case 3: err = clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, pointer, 64, 0, NULL, NULL); break;
    default: err = clEnqueueSVMUnmap(queue, pointer, 0, NULL, NULL); break;
    }
    (void)err; /* the call may be refused as well */
    struct orrery_finding finding = finding_last("svm-misuse");
    ck_assert_uint_ge(findings_of("svm-misuse"), 1);
    ck_assert_str_eq(finding.object, "shared memory 1 (64 bytes)");
    ck_assert_str_eq(finding.why, "the program freed it before it enqueued this command");
    ck_assert_str_eq(finding.access[1].what, "clEnqueueSVMFree: its free is enqueued here");
    clFinish(queue);
}
END_TEST

/* A buffer may get the address of freed memory. A command may then use the pointer of its map. */
START_TEST(a_buffer_has_the_address_of_freed_shared_memory)
{
    char host[64] = {0};
    cl_int err;
    clSVMFree(context, shared());
    cl_mem buffers[16];
    for (size_t i = 0; i < 16; i++) {
        buffers[i] = cl_buffer(context, 0, 64, NULL);
        void *mapped =
            clEnqueueMapBuffer(queue, buffers[i], CL_TRUE, CL_MAP_WRITE, 0, 64, 0, NULL, NULL, &err);
        cl_ok(err);
        cl_ok(clEnqueueSVMMemcpy(queue, CL_TRUE, mapped, host, 64, 0, NULL, NULL));
        cl_ok(clEnqueueUnmapMemObject(queue, buffers[i], mapped, 0, NULL, NULL));
    }
    cl_ok(clFinish(queue));
    ck_assert_uint_eq(findings_of("svm-misuse"), 0);
    for (size_t i = 0; i < 16; i++)
        cl_ok(clReleaseMemObject(buffers[i]));
}
END_TEST

/* A list of two: the kernel goes from the one, its argument, to the other. */
static void **chain_of(void *first, void *second)
{
    void **link = first;
    cl_ok(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_WRITE, link, sizeof *link, 0, NULL, NULL));
    *link = second;
    cl_ok(clEnqueueSVMUnmap(queue, link, 0, NULL, NULL));
    return link;
}

static void follow(cl_kernel kernel, size_t expected)
{
    const size_t size = 1;
    cl_ok(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, NULL, 0, NULL, NULL));
    cl_ok(clFinish(queue));
    ck_assert_uint_eq(findings_of("svm-misuse"), expected);
}

/* Each statement is a place of its own. */
static const char following[] =
    "kernel void k(global int *global *p) { p[0][1] = 1; }"
    "kernel void again(global int *global *p) { p[0][1] = 2; }"
    "kernel void parent(global int *global *p) {"
    " enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{ p[0][2] = 3; }); }";

START_TEST(shared_memory_is_reached_that_the_kernel_was_not_reported_of)
{
    const cl_queue_properties list[] = {
        CL_QUEUE_PROPERTIES,
        CL_QUEUE_ON_DEVICE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_ON_DEVICE_DEFAULT, 0};
    const char *source = following;
    cl_int err;
    void *second = shared();
    char *inside = (char *)second + 60;
    void **first = chain_of(shared(), second);
    cl_command_queue on_device = clCreateCommandQueueWithProperties(context, device, list, &err);
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &err);
    cl_ok(clBuildProgram(program, 0, NULL, "-cl-std=CL2.0", NULL, NULL));
    cl_kernel reported = clCreateKernel(program, "k", &err), silent = clCreateKernel(program, "again", &err),
              parent = clCreateKernel(program, "parent", &err);
    cl_ok(clSetKernelArgSVMPointer(reported, 0, first));
    cl_ok(clSetKernelExecInfo(reported, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof inside, &inside));
    follow(reported, 0);
    cl_kernel copy = clCloneKernel(reported, &err);
    follow(copy, 0);
    cl_ok(clSetKernelArgSVMPointer(silent, 0, first));
    follow(silent, 1);
    ck_assert_ptr_nonnull(strstr(finding_last("svm-misuse").why, "no argument of the kernel"));
    follow(reported, 1);
    cl_ok(clSetKernelArgSVMPointer(parent, 0, first));
    cl_ok(clSetKernelExecInfo(parent, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof inside, &inside));
    follow(parent, 1);
    cl_ok(clSetKernelExecInfo(parent, CL_KERNEL_EXEC_INFO_SVM_PTRS, 0, NULL));
    follow(parent, 2);
    cl_uint results[3] = {0};
    cl_ok(clEnqueueSVMMemcpy(queue, CL_TRUE, results, second, sizeof results, 0, NULL, NULL));
    ck_assert(results[1] == 1 && results[2] == 3); /* the access happens all the same */
    clSVMFree(context, first);
    clSVMFree(context, second);
    cl_ok(clReleaseKernel(reported));
    cl_ok(clReleaseKernel(copy));
    cl_ok(clReleaseKernel(silent));
    cl_ok(clReleaseKernel(parent));
    cl_ok(clReleaseProgram(program));
    cl_ok(clReleaseCommandQueue(on_device));
}
END_TEST

START_TEST(unified_shared_memory_is_reached_that_the_kernel_was_not_reported_of)
{
    static const cl_kernel_exec_info names[] = {CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL,
                                                CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL,
                                                CL_KERNEL_EXEC_INFO_INDIRECT_SHARED_ACCESS_INTEL};
    const cl_bool yes = CL_TRUE, no = CL_FALSE;
    cl_int err;
    void *made[] = {NAMED(clHostMemAllocINTEL)(context, NULL, 64, 0, &err),
                    NAMED(clDeviceMemAllocINTEL)(context, device, NULL, 64, 0, &err),
                    NAMED(clSharedMemAllocINTEL)(context, device, NULL, 64, 0, &err)};
    void **link = NAMED(clHostMemAllocINTEL)(context, NULL, 64, 0, &err);
    *link = made[_i];
    cl_kernel kernel = kernel_of("kernel void k(global ulong *p) { ((global int *)p[0])[1] = 1; }");
    cl_ok(NAMED(clSetKernelArgMemPointerINTEL)(kernel, 0, link));
    cl_ok(clSetKernelExecInfo(kernel, names[_i], sizeof yes, &yes));
    follow(kernel, 0);
    cl_ok(clSetKernelExecInfo(kernel, names[_i], sizeof no, &no));
    cl_ok(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL, sizeof made[_i], &made[_i]));
    follow(kernel, 0);
    cl_ok(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL, sizeof link, &link));
    cl_ok(clSetKernelExecInfo(kernel, names[(_i + 1) % 3], sizeof yes, &yes));
    follow(kernel, 1);
    for (int i = 0; i < 3; i++)
        cl_ok(NAMED(clMemFreeINTEL)(context, made[i]));
    cl_ok(NAMED(clMemFreeINTEL)(context, link));
    cl_ok(clReleaseKernel(kernel));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("usage of shared memory");
    TCase *tcase = tcase_create("shared memory");
    tcase_add_checked_fixture(tcase, finding_set_up, tear_down);
    tcase_add_test(tcase, free_before_a_wait_for_the_command_is_reported);
    tcase_add_test(tcase, shared_memory_is_freed_after_a_wait);
    tcase_add_test(tcase, shared_memory_is_freed_in_a_callback_of_its_command);
    tcase_add_test(tcase, shared_memory_is_freed_by_the_function_of_a_command);
    tcase_add_test(tcase, shared_memory_is_an_argument_or_reached_through_one);
    tcase_add_test(tcase, shared_memory_is_freed_twice);
    tcase_add_test(tcase, shared_memory_allocated_again_is_not_reported);
    tcase_add_test(tcase, a_free_that_failed_frees_nothing);
    tcase_add_test(tcase, memory_is_freed_that_clsvmalloc_did_not_return);
    tcase_add_test(tcase, shared_memory_is_freed_below_a_buffer);
    tcase_add_test(tcase, shared_memory_is_freed_while_it_is_mapped);
    tcase_add_test(tcase, shared_memory_is_unmapped_more_often_than_mapped);
    tcase_add_test(tcase, shared_memory_of_another_context_is_used);
    tcase_add_test(tcase, shared_memory_is_used_past_its_end);
    tcase_add_loop_test(tcase, shared_memory_is_used_after_it_was_freed, 0, 9);
    tcase_add_test(tcase, a_buffer_has_the_address_of_freed_shared_memory);
    tcase_add_test(tcase, shared_memory_is_reached_that_the_kernel_was_not_reported_of);
    tcase_add_loop_test(tcase, unified_shared_memory_is_reached_that_the_kernel_was_not_reported_of, 0, 3);
    suite_add_tcase(suite, tcase);
    return cl_run_suite(suite);
}
