/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Run by check_host_waits.sh: a kernel spins on a flag, and the host acts by the second argument; the first
 * is the place of the flag. Exits with 0 unless a check of the program fails: a launch that was ended is no
 * error here.
 */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static const char source[] =
    "kernel void await(global atomic_int *flag) {\n"
    "    while (!atomic_load_explicit(flag, memory_order_relaxed, memory_scope_all_svm_devices)); }\n"
    "kernel void lock(global atomic_int *flag) { /* taken by who never gives it back */\n"
    "    int none = 0;\n"
    "    while (!atomic_compare_exchange_strong(flag, &none, 1)) none = 0;\n"
    "    atomic_store_explicit(flag, 1, memory_order_relaxed, memory_scope_all_svm_devices); }\n"
    "kernel void count(global atomic_int *flag) {\n"
    "    while (atomic_fetch_add(flag, 1) < 200000); }\n"
    "kernel void let_nothing(global atomic_int *flag) { }\n"
    "kernel void let_go(global atomic_int *flag) {\n"
    "    atomic_store_explicit(flag, 1, memory_order_relaxed, memory_scope_all_svm_devices); }\n";

static cl_device_id device;
static cl_context context;
static cl_command_queue queue;
static cl_program program;
static _Atomic cl_int *flag; /* NULL: in a buffer */
static cl_mem buffer;
static cl_event spins;

static void check(cl_int err, const char *what)
{
    if (err == CL_SUCCESS)
        return;
    fprintf(stderr, "%s: %d\n", what, err);
    exit(1);
}

/* Until the wait of the main thread has begun, and its kernel spins: a kernel that spins takes a processor. */
enum { MEANWHILE = 80, WAIT_FOR_A_NOTE = -1 };

static void pause_for(int milliseconds)
{
    const struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000L};
    nanosleep(&time, NULL);
}

static cl_command_queue new_queue(void)
{
    cl_int err;
    cl_command_queue made = clCreateCommandQueueWithProperties(context, device, NULL, &err);
    check(err, "clCreateCommandQueueWithProperties");
    return made;
}

static cl_event run(cl_command_queue on, const char *name)
{
    const size_t one = 1;
    cl_int err;
    cl_event event;
    cl_kernel kernel = clCreateKernel(program, name, &err);
    check(err, "clCreateKernel");
    check(flag ? clSetKernelArgSVMPointer(kernel, 0, flag)
               : clSetKernelArg(kernel, 0, sizeof buffer, &buffer),
          "argument");
    check(clEnqueueNDRangeKernel(on, kernel, 1, NULL, &one, NULL, 0, NULL, &event), "clEnqueueNDRangeKernel");
    return event;
}

static void make_flag(const char *where)
{
    const cl_int zero = 0;
    cl_int err;
    static _Atomic cl_int plain;
    if (strcmp(where, "buffer") == 0) {
        buffer = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof zero, (void *)(size_t)&zero, &err);
        check(err, "clCreateBuffer");
        return;
    }
    if (strcmp(where, "system") == 0)
        flag = &plain;
    else if (strcmp(where, "shared") == 0)
        flag = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    else
        flag = clSVMAlloc(
            context, CL_MEM_SVM_FINE_GRAIN_BUFFER | (strcmp(where, "fine") == 0 ? CL_MEM_SVM_ATOMICS : 0), 64,
            0);
    atomic_store(flag, 0);
}

/* As the host may. */
static void let_go(void)
{
    if (flag) {
        atomic_store(flag, 1);
        return;
    }
    cl_command_queue other = new_queue();
    run(other, "let_go");
    check(clFlush(other), "clFlush");
}

/* stderr is a file: what it says of something else does not count. */
static bool is_noted(void)
{
    char text[4096] = "";
    FILE *file = fopen("/proc/self/fd/2", "r");
    if (!file)
        return false;
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    return strstr(text, "seconds kernels have only spun") != NULL;
}

static void wait_for_note(void)
{
    while (!is_noted())
        pause_for(20);
}

static void *let_go_later(void *milliseconds)
{
    if ((int)(size_t)milliseconds == WAIT_FOR_A_NOTE)
        wait_for_note();
    else
        pause_for((int)(size_t)milliseconds);
    let_go();
    return NULL;
}

static void *do_nothing(void *milliseconds)
{
    pause_for((int)(size_t)milliseconds);
    return NULL;
}

static void *wait_too(void *unused)
{
    clWaitForEvents(1, &spins);
    return unused;
}

static void *wait_for_another(void *event)
{
    cl_event other = event;
    clWaitForEvents(1, &other);
    pause_for(MEANWHILE);
    let_go();
    return NULL;
}

static void on_alarm(int number)
{
    (void)number;
    atomic_store(flag, 1);
}

static void CL_CALLBACK in_callback(cl_event event, cl_int status, void *data)
{
    (void)event, (void)status, (void)data;
    pause_for(MEANWHILE);
    let_go();
}

static void CL_CALLBACK wait_in_callback(cl_event event, cl_int status, void *data)
{
    (void)event, (void)status, (void)data;
    clWaitForEvents(1, &spins);
}

static pthread_t thread(void *(*what)(void *), size_t argument)
{
    pthread_t made;
    pthread_create(&made, NULL, what, (void *)argument);
    return made;
}

/* A gate of its own, so that the callback runs whatever the kernel does. */
static void call_back(void(CL_CALLBACK *what)(cl_event, cl_int, void *))
{
    cl_int err;
    cl_event gate = clCreateUserEvent(context, &err);
    check(err, "clCreateUserEvent");
    check(clSetEventCallback(gate, CL_COMPLETE, what, NULL), "clSetEventCallback");
    check(clSetUserEventStatus(gate, CL_COMPLETE), "clSetUserEventStatus");
}

/* From another process, once the note is there and nothing else has followed it. */
static void let_a_signal_come(void)
{
    if (fork() != 0)
        return;
    wait_for_note();
    pause_for(MEANWHILE);
    kill(getppid(), SIGALRM);
    _exit(0);
}

int main(int argc, char **argv)
{
    cl_platform_id platform;
    cl_int err;
    const char *text = source, *what = argc > 2 ? argv[2] : "finish", *kernel = argc > 3 ? argv[3] : "await";
    pthread_t other = 0;
    if (strcmp(what, "handler") == 0)
        let_a_signal_come();
    check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "clGetDeviceIDs");
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    check(err, "clCreateContext");
    program = clCreateProgramWithSource(context, 1, &text, NULL, &err);
    check(err, "clCreateProgramWithSource");
    check(clBuildProgram(program, 1, &device, "-cl-std=CL2.0", NULL, NULL), "clBuildProgram");
    queue = new_queue();
    make_flag(argc > 1 ? argv[1] : "fine");
    if (strcmp(kernel, "lock") == 0)
        atomic_store(flag, 1);
    if (strcmp(what, "signal") == 0 || strcmp(what, "handler") == 0)
        signal(SIGALRM, on_alarm);
    spins = run(queue, kernel);
    if (strcmp(what, "flush") == 0 || strcmp(what, "exit") == 0 || strcmp(what, "sleep") == 0)
        check(clFlush(queue), "clFlush");
    if (strcmp(what, "writer") == 0)
        other = thread(let_go_later, MEANWHILE);
    if (strcmp(what, "late") == 0)
        other = thread(let_go_later, (size_t)WAIT_FOR_A_NOTE);
    if (strcmp(what, "ends") == 0)
        other = thread(do_nothing, MEANWHILE);
    if (strcmp(what, "idle") == 0)
        other = thread(do_nothing, 60000);
    if (strcmp(what, "both") == 0)
        other = thread(wait_too, 0);
    if (strcmp(what, "next") == 0) /* of another queue, and complete soon: its waiter continues then */
        other = thread(wait_for_another, (size_t)run(new_queue(), "let_nothing"));
    if (strcmp(what, "callback") == 0)
        call_back(in_callback);
    if (strcmp(what, "callback-waits") == 0) {
        call_back(wait_in_callback);
        pause_for(MEANWHILE);
        let_go();
    }
    if (strcmp(what, "paced") == 0 || strcmp(what, "both-paced") == 0 ||
        strcmp(what, "callback-paced") == 0) {
        /* The flag is let go before the waits or in them. */
        const char *late = getenv("HOST_WAITS_LATE");
        const int writer = late && strcmp(late, "writer") == 0 ? MEANWHILE : 0;
        if (strcmp(what, "callback-paced") == 0)
            call_back(wait_in_callback);
        other = thread(let_go_later, (size_t)writer);
        pause_for(MEANWHILE - writer);
        if (strcmp(what, "both-paced") == 0)
            other = thread(wait_too, 0);
    }
    if (strcmp(what, "callback-waits-too") == 0)
        call_back(wait_in_callback);
    if (strcmp(what, "signal") == 0)
        ualarm(MEANWHILE * 1000, 0);
    if (strcmp(what, "sleep") == 0) {
        pause_for(MEANWHILE);
        let_go();
    }
    if (strcmp(what, "nap") == 0) {
        check(clFlush(queue), "clFlush");
        wait_for_note();
        let_go();
    }
    if (strcmp(what, "fork") == 0) {
        if (fork() == 0) {
            pause_for(MEANWHILE);
            atomic_store(flag, 1);
            _exit(0);
        }
    }
    if (strcmp(what, "fork-beside") == 0) {
        check(clFlush(queue), "clFlush");
        pause_for(100);
        if (fork() == 0)
            _exit(0);
        let_go();
    }
    if (strcmp(what, "poll") == 0) {
        cl_int status = CL_QUEUED;
        other = thread(let_go_later, MEANWHILE);
        check(clFlush(queue), "clFlush");
        while (status > CL_COMPLETE)
            check(clGetEventInfo(spins, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL),
                  "clGetEventInfo");
    }
    if (strcmp(what, "exit") == 0)
        return 0;
    if (strcmp(what, "read") == 0) {
        cl_mem read = clCreateBuffer(context, 0, 64, NULL, &err);
        cl_int got[16];
        clEnqueueReadBuffer(queue, read, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL);
    } else {
        clWaitForEvents(1, &spins);
    }
    if (other)
        pthread_join(other, NULL);
    clFinish(queue);
    printf("done\n");
    return 0;
}
