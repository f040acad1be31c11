/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs that run for a long time: whatever is made and released, or enqueued, many times over takes no more
 * memory from some number on. Each kind of object and command has a function here. After WARM calls of it
 * come MORE, in which the resident size may grow by 32 bytes a call.
 */
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "tests/support/host_fixture.h"

enum { WARM = 3000, MORE = 12000, GROWTH_MOST_KIB = 32 * MORE / 1024, BYTES = 256 };

static const char source[] = "kernel void k(global int *a) { a[get_global_id(0)] = 1; }\n"
                             "kernel void l(global int *a) { local int x[4]; x[get_local_id(0)] = 1; "
                             "a[get_global_id(0)] = x[get_local_id(0)]; }";
static cl_mem shared;
static cl_kernel kernel, with_local;
static char host[BYTES];

static void make_buffer(void)
{
    cl_ok(clReleaseMemObject(cl_buffer(context, 0, BYTES, NULL)));
}

static void make_buffer_of_host(void)
{
    cl_ok(clReleaseMemObject(cl_buffer(context, CL_MEM_USE_HOST_PTR, BYTES, host)));
}

static void make_svm(void)
{
    void *memory = clSVMAlloc(context, CL_MEM_READ_WRITE, BYTES, 0);
    ck_assert_ptr_nonnull(memory);
    clSVMFree(context, memory);
}

static void make_image(void)
{
    const cl_image_format format = {CL_RGBA, CL_UNORM_INT8};
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 8, .image_height = 8};
    cl_int err;
    cl_mem image = clCreateImage(context, 0, &format, &desc, NULL, &err);
    cl_ok(err);
    cl_ok(clReleaseMemObject(image));
}

static void make_pipe(void)
{
    cl_int err;
    cl_mem pipe = clCreatePipe(context, 0, 4, 8, NULL, &err);
    cl_ok(err);
    cl_ok(clReleaseMemObject(pipe));
}

static void make_kernel(void)
{
    cl_int err;
    cl_kernel clone = clCloneKernel(kernel, &err);
    cl_ok(err);
    cl_ok(clReleaseKernel(clone));
}

static void make_program(void)
{
    const char *text = source;
    cl_int err;
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &err);
    cl_ok(err);
    cl_ok(clReleaseProgram(program));
}

static void make_queue(void)
{
    const cl_int zero = 0;
    cl_int err;
    cl_command_queue own = clCreateCommandQueueWithProperties(context, device, NULL, &err);
    cl_ok(err);
    cl_ok(clEnqueueFillBuffer(own, shared, &zero, sizeof zero, 0, BYTES, 0, NULL, NULL));
    cl_ok(clFinish(own));
    cl_ok(clReleaseCommandQueue(own));
}

static void make_context(void)
{
    cl_int err;
    cl_context own = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    cl_ok(err);
    cl_ok(clReleaseMemObject(cl_buffer(own, 0, BYTES, NULL)));
    cl_ok(clReleaseContext(own));
}

static void run(cl_kernel of)
{
    const size_t items = 4;
    cl_ok(clEnqueueNDRangeKernel(queue, of, 1, NULL, &items, NULL, 0, NULL, NULL));
    cl_ok(clFinish(queue));
}

static void launch(void)
{
    run(kernel);
}

static void launch_with_local_memory(void)
{
    run(with_local);
}

static void launch_on_new_buffer(void)
{
    cl_mem buffer = cl_buffer(context, 0, BYTES, NULL);
    cl_ok(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    launch();
    cl_ok(clSetKernelArg(kernel, 0, sizeof shared, &shared));
    cl_ok(clReleaseMemObject(buffer));
}

static void wait_for_user_event(void)
{
    const cl_int zero = 0;
    cl_int err;
    cl_event user = clCreateUserEvent(context, &err), done;
    cl_ok(err);
    cl_ok(clEnqueueFillBuffer(queue, shared, &zero, sizeof zero, 0, BYTES, 1, &user, &done));
    cl_ok(clSetUserEventStatus(user, CL_COMPLETE));
    cl_ok(clReleaseEvent(user));
    cl_ok(clWaitForEvents(1, &done));
    cl_ok(clReleaseEvent(done));
}

static void map_and_unmap(void)
{
    cl_int err;
    void *bytes = clEnqueueMapBuffer(queue, shared, CL_TRUE, CL_MAP_WRITE, 0, BYTES, 0, NULL, NULL, &err);
    cl_ok(err);
    cl_ok(clEnqueueUnmapMemObject(queue, shared, bytes, 0, NULL, NULL));
    cl_ok(clFinish(queue));
}

static void read_into_new_memory(void)
{
    char *bytes = malloc(BYTES);
    cl_ok(clEnqueueReadBuffer(queue, shared, CL_FALSE, 0, BYTES, bytes, 0, NULL, NULL));
    cl_ok(clFinish(queue));
    free(bytes);
}

static void refuse(void)
{
    cl_int err;
    ck_assert_ptr_null(clCreateBuffer(context, 0, 0, NULL, &err));
    cl_is(err, CL_INVALID_BUFFER_SIZE);
    orrery_clear_findings();
}

static void (*const kinds[])(void) = {
    make_buffer,
    make_buffer_of_host,
    make_svm,
    make_image,
    make_pipe,
    make_kernel,
    make_program,
    make_queue,
    make_context,
    launch,
    launch_with_local_memory,
    launch_on_new_buffer,
    wait_for_user_event,
    map_and_unmap,
    read_into_new_memory,
    refuse,
};

static long resident_kib(void)
{
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_eq(fscanf(file, "%*d %ld", &pages), 1);
    fclose(file);
    return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

START_TEST(memory_stays_level)
{
    const cl_int zero = 0;
    host_set_up("error", "false", source);
    shared = cl_buffer(context, 0, BYTES, NULL);
    cl_ok(clEnqueueFillBuffer(queue, shared, &zero, sizeof zero, 0, BYTES, 0, NULL, NULL));
    cl_ok(clFinish(queue));
    kernel = host_kernel("k");
    with_local = host_kernel("l");
    cl_ok(clSetKernelArg(kernel, 0, sizeof shared, &shared));
    cl_ok(clSetKernelArg(with_local, 0, sizeof shared, &shared));
    for (int i = 0; i < WARM; i++)
        kinds[_i]();
    const long before = resident_kib();
    for (int i = 0; i < MORE; i++)
        kinds[_i]();
    const long growth = resident_kib() - before;
    if (CL_SANITIZED) /* they keep what is freed */
        return;
    ck_assert_msg(growth <= GROWTH_MOST_KIB, "kind %d: %ld KiB more", _i, growth);
}
END_TEST

static int completed; /* atomic */
static void CL_CALLBACK note_completed(cl_event event, cl_int status, void *unused)
{
    (void)event, (void)status, (void)unused;
    __atomic_store_n(&completed, 1, __ATOMIC_RELEASE);
}

/* No call that follows would flush: the program waits by means of its own. */
START_TEST(a_queue_is_flushed_after_many_commands)
{
    enum { COMMANDS = 1 << 14, WAITS_MOST = 20000 };
    const struct timespec millisecond = {0, 1000000};
    cl_event first;
    host_set_up("error", "false", source);
    cl_ok(clEnqueueMarkerWithWaitList(queue, 0, NULL, &first));
    cl_ok(clSetEventCallback(first, CL_COMPLETE, note_completed, NULL));
    for (int i = 1; i < COMMANDS; i++)
        cl_ok(clEnqueueMarkerWithWaitList(queue, 0, NULL, NULL));
    for (int i = 0; i < WAITS_MOST && !__atomic_load_n(&completed, __ATOMIC_ACQUIRE); i++)
        nanosleep(&millisecond, NULL);
    ck_assert_int_eq(__atomic_load_n(&completed, __ATOMIC_ACQUIRE), 1);
    cl_ok(clReleaseEvent(first));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("long runs");
    TCase *all = tcase_create("all");
    tcase_set_timeout(all, 60);
    tcase_add_loop_test(all, memory_stays_level, 0, (int)(sizeof kinds / sizeof *kinds));
    tcase_add_test(all, a_queue_is_flushed_after_many_commands);
    suite_add_tcase(suite, all);
    return cl_run_suite(suite);
}
