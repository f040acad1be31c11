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

/* stderr is a file. Other notes in it do not count. */
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

/* ---- what the host does, before it waits -------------------------------------------------- */

static pthread_t other;
static bool leaves; /* without a wait */

static void flush(void)
{
    check(clFlush(queue), "clFlush");
}

static void leave(void)
{
    flush();
    leaves = true;
}

static void sleep_and_let_go(void)
{
    flush();
    pause_for(MEANWHILE);
    let_go();
}

static void another_thread_releases(void)
{
    other = thread(let_go_later, MEANWHILE);
}

static void another_thread_releases_after_the_record(void)
{
    other = thread(let_go_later, (size_t)WAIT_FOR_A_NOTE);
}

static void another_ends(void)
{
    other = thread(do_nothing, MEANWHILE);
}

static void another_is_idle(void)
{
    other = thread(do_nothing, 60000);
}

static void both_wait(void)
{
    other = thread(wait_too, 0);
}

/* Of another queue, and complete soon: its waiter continues then. */
static void another_waits_for_the_next(void)
{
    other = thread(wait_for_another, (size_t)run(new_queue(), "let_nothing"));
}

static void callback_releases(void)
{
    call_back(in_callback);
}

static void callback_waits(void)
{
    call_back(wait_in_callback);
}

static void let_go_while_a_callback_waits(void)
{
    callback_waits();
    pause_for(MEANWHILE);
    let_go();
}

/* The flag is released before the waits or during them. */
static void pace(void)
{
    const char *late = getenv("HOST_WAITS_LATE");
    const int writer = late && strcmp(late, "writer") == 0 ? MEANWHILE : 0;
    other = thread(let_go_later, (size_t)writer);
    pause_for(MEANWHILE - writer);
}

static void pace_both(void)
{
    pace();
    other = thread(wait_too, 0);
}

static void pace_with_a_callback(void)
{
    callback_waits();
    pace();
}

static void have_a_signal(void)
{
    ualarm(MEANWHILE * 1000, 0);
}

static void nap(void)
{
    flush();
    wait_for_note();
    let_go();
}

static void let_a_child_write(void)
{
    if (fork() != 0)
        return;
    pause_for(MEANWHILE);
    atomic_store(flag, 1);
    _exit(0);
}

static void let_go_beside_a_fork(void)
{
    flush();
    pause_for(100);
    if (fork() == 0)
        _exit(0);
    let_go();
}

static void poll(void)
{
    cl_int status = CL_QUEUED;
    another_thread_releases();
    flush();
    while (status > CL_COMPLETE)
        check(clGetEventInfo(spins, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL),
              "clGetEventInfo");
}

static void read_another_buffer(void)
{
    cl_int err, got[16];
    cl_mem read = clCreateBuffer(context, 0, 64, NULL, &err);
    check(err, "clCreateBuffer");
    clEnqueueReadBuffer(queue, read, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL);
}

static void do_no_more(void) {}

static const struct {
    const char *name;
    void (*act)(void);
} acts[] = {
    {"both", both_wait},
    {"both-paced", pace_both},
    {"callback", callback_releases},
    {"callback-paced", pace_with_a_callback},
    {"callback-waits", let_go_while_a_callback_waits},
    {"callback-waits-too", callback_waits},
    {"ends", another_ends},
    {"exit", leave},
    {"finish", do_no_more},
    {"flush", flush},
    {"fork", let_a_child_write},
    {"fork-beside", let_go_beside_a_fork},
    {"handler", do_no_more}, /* let_a_signal_come */
    {"idle", another_is_idle},
    {"late", another_thread_releases_after_the_record},
    {"nap", nap},
    {"next", another_waits_for_the_next},
    {"paced", pace},
    {"poll", poll},
    {"read", read_another_buffer},
    {"signal", have_a_signal},
    {"sleep", sleep_and_let_go},
    {"writer", another_thread_releases},
};

static void act(const char *what)
{
    for (size_t i = 0; i < sizeof acts / sizeof *acts; i++)
        if (strcmp(acts[i].name, what) == 0) {
            acts[i].act();
            return;
        }
    fprintf(stderr, "host_waits: there is no '%s'\n", what);
    exit(2);
}

static void set_up(void)
{
    cl_platform_id platform;
    cl_int err;
    const char *text = source;
    check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "clGetDeviceIDs");
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    check(err, "clCreateContext");
    program = clCreateProgramWithSource(context, 1, &text, NULL, &err);
    check(err, "clCreateProgramWithSource");
    check(clBuildProgram(program, 1, &device, "-cl-std=CL2.0", NULL, NULL), "clBuildProgram");
    queue = new_queue();
}

int main(int argc, char **argv)
{
    const char *what = argc > 2 ? argv[2] : "finish", *kernel = argc > 3 ? argv[3] : "await";
    if (strcmp(what, "handler") == 0)
        let_a_signal_come();
    set_up();
    make_flag(argc > 1 ? argv[1] : "fine");
    if (strcmp(kernel, "lock") == 0)
        atomic_store(flag, 1);
    if (strcmp(what, "signal") == 0 || strcmp(what, "handler") == 0)
        signal(SIGALRM, on_alarm);
    spins = run(queue, kernel);
    act(what);
    if (leaves)
        return 0;
    if (strcmp(what, "read") != 0)
        clWaitForEvents(1, &spins);
    if (other)
        pthread_join(other, NULL);
    clFinish(queue);
    printf("done\n");
    return 0;
}
