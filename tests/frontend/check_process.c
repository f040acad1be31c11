/* SPDX-License-Identifier: Apache-2.0 */
/*
 * No use of the library hangs or crashes a process: threads, fork, nothing released, exit() from a callback,
 * the loader opened and closed. Each test is a child of its own that has a minute.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/cl_fixture.h"

enum { THREADS = 8, ROUNDS = 20, COUNT = 256, TIMEOUT_SECONDS = 60 };

static const char source[] = "kernel void add(global int *x, int n) { x[get_global_id(0)] += n; }";

static cl_program build(void)
{
    const char *text = source;
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, NULL);
    if (clBuildProgram(program, 1, &device, NULL, NULL, NULL))
        exit(90);
    return program;
}

static void start(void)
{
    cl_find_device();
    context = cl_new_context();
    queue = cl_new_queue(context, 0);
}

/* One kernel and its result; 0 when it is right. */
static int use_device(void)
{
    int values[COUNT] = {0}, n = 7;
    size_t size = COUNT;
    start();
    cl_program program = build();
    cl_kernel kernel = clCreateKernel(program, "add", NULL);
    cl_mem buffer = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof values, values, NULL);
    clSetKernelArg(kernel, 0, sizeof buffer, &buffer);
    clSetKernelArg(kernel, 1, sizeof n, &n);
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, NULL, 0, NULL, NULL);
    if (clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof values, values, 0, NULL, NULL))
        return 1;
    for (int i = 0; i < COUNT; i++)
        if (values[i] != n)
            return 2;
    return 0; /* nothing is released: the end of the process has to cope */
}

/* ---- what the children do ------------------------------------------------------------------ */

static cl_program shared_program;

static void *use_own_queue(void *number)
{
    const int n = *(int *)number;
    int values[COUNT];
    size_t size = COUNT;
    cl_command_queue own = cl_new_queue(context, 0);
    cl_kernel kernel = clCreateKernel(shared_program, "add", NULL);
    cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof values, NULL, NULL);
    for (int i = 0; i < COUNT; i++)
        values[i] = i;
    clEnqueueWriteBuffer(own, buffer, CL_FALSE, 0, sizeof values, values, 0, NULL, NULL);
    clSetKernelArg(kernel, 0, sizeof buffer, &buffer);
    clSetKernelArg(kernel, 1, sizeof n, &n);
    for (int round = 0; round < ROUNDS; round++)
        clEnqueueNDRangeKernel(own, kernel, 1, NULL, &size, NULL, 0, NULL, NULL);
    clEnqueueReadBuffer(own, buffer, CL_TRUE, 0, sizeof values, values, 0, NULL, NULL);
    for (int i = 0; i < COUNT; i++)
        if (values[i] != i + ROUNDS * n)
            exit(3);
    clReleaseMemObject(buffer);
    clReleaseKernel(kernel);
    clReleaseCommandQueue(own);
    return NULL;
}

static int threads_share_a_context(void)
{
    pthread_t threads[THREADS];
    int numbers[THREADS];
    start();
    shared_program = build();
    for (int i = 0; i < THREADS; i++) {
        numbers[i] = i + 1;
        pthread_create(&threads[i], NULL, use_own_queue, &numbers[i]);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    clReleaseProgram(shared_program);
    clReleaseCommandQueue(queue);
    return clReleaseContext(context);
}

static void *use_own_context(void *unused)
{
    (void)unused;
    cl_platform_id found;
    cl_device_id unit;
    cl_int err;
    clGetPlatformIDs(1, &found, NULL);
    clGetDeviceIDs(found, CL_DEVICE_TYPE_ALL, 1, &unit, NULL);
    cl_context own = clCreateContext(NULL, 1, &unit, NULL, NULL, &err);
    if (err || clReleaseContext(own))
        exit(4);
    return NULL;
}

static int threads_make_the_first_call(void)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, use_own_context, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}

static int both_use_after_fork(void)
{
    int status;
    pid_t pid = fork();
    if (!pid)
        exit(use_device());
    const int mine = use_device();
    waitpid(pid, &status, 0);
    return mine | (WIFEXITED(status) ? WEXITSTATUS(status) : 99);
}

static int child_leaves_after_fork(void)
{
    int status;
    const int mine = use_device();
    pid_t pid = fork();
    if (!pid)
        exit(0); /* its handlers run without the threads of the parent */
    waitpid(pid, &status, 0);
    return mine | (WIFEXITED(status) ? WEXITSTATUS(status) : 99);
}

static int nothing_is_released(void)
{
    start();
    for (int i = 0; i < 20; i++) {
        clCreateUserEvent(context, NULL);
        clCreateBuffer(context, CL_MEM_READ_WRITE, 1 << 16, NULL, NULL);
        cl_new_queue(context, 0);
    }
    return use_device();
}

static int commands_wait_at_the_end(void)
{
    start();
    cl_event gate = clCreateUserEvent(context, NULL);
    cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, 64, NULL, NULL);
    const char zero = 0;
    clEnqueueFillBuffer(queue, buffer, &zero, 1, 0, 64, 1, &gate, NULL);
    clFlush(queue);
    return 0; /* the gate never opens */
}

static void CL_CALLBACK leave(cl_event event, cl_int status, void *unused)
{
    (void)event, (void)status, (void)unused;
    exit(0);
}

static _Noreturn int a_callback_exits(void)
{
    start();
    cl_event event;
    clEnqueueMarkerWithWaitList(queue, 0, NULL, &event);
    clSetEventCallback(event, CL_COMPLETE, leave, NULL);
    clFinish(queue);
    for (;;)
        pause();
}

static int the_loader_is_loaded_and_unloaded(void)
{
    for (int i = 0; i < 3; i++) {
        void *loader = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
        cl_int (*get)(cl_uint, cl_platform_id *, cl_uint *);
        cl_uint count = 0;
        if (!loader)
            return 5;
        *(void **)&get = dlsym(loader, "clGetPlatformIDs");
        if (!get || get(0, NULL, &count) || !count)
            return 6;
        dlclose(loader);
    }
    return 0;
}

/* ---- judging them ---------------------------------------------------------------------------- */

static int status_of(int (*child)(void))
{
    int status;
    fflush(NULL);
    pid_t pid = fork();
    if (!pid) {
        alarm(TIMEOUT_SECONDS);
        exit(child());
    }
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

#define PROCESS(name)                         \
    START_TEST(name##_and_ends)               \
    {                                         \
        ck_assert_int_eq(status_of(name), 0); \
    }                                         \
    END_TEST

PROCESS(threads_share_a_context)
PROCESS(threads_make_the_first_call)
PROCESS(both_use_after_fork)
PROCESS(child_leaves_after_fork)
PROCESS(nothing_is_released)
PROCESS(commands_wait_at_the_end)
PROCESS(a_callback_exits)
PROCESS(the_loader_is_loaded_and_unloaded)

int main(void)
{
    Suite *suite = suite_create("process");
    TCase *all = tcase_create("ends");
    tcase_set_timeout(all, 2 * TIMEOUT_SECONDS);
    tcase_add_test(all, threads_share_a_context_and_ends);
    tcase_add_test(all, threads_make_the_first_call_and_ends);
    tcase_add_test(all, both_use_after_fork_and_ends);
    tcase_add_test(all, child_leaves_after_fork_and_ends);
    tcase_add_test(all, nothing_is_released_and_ends);
    tcase_add_test(all, commands_wait_at_the_end_and_ends);
    tcase_add_test(all, a_callback_exits_and_ends);
    tcase_add_test(all, the_loader_is_loaded_and_unloaded_and_ends);
    suite_add_tcase(suite, all);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
