/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Run by check_host_callbacks.sh: a command writes, another on a queue of its own reads and waits for a user
 * event only, which a callback sets. Whether that is a race depends on the status of the callback and on the
 * commands that it waits for itself alone: not on which thread is faster.
 */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static cl_context context;
static cl_command_queue queue, reader, other;
static cl_mem data, copy, apart;
static cl_event gate, held;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t posted, wanted, given;
static _Atomic bool flag;

static void check(cl_int err, const char *what)
{
    if (err == CL_SUCCESS)
        return;
    fprintf(stderr, "%s: %d\n", what, err);
    exit(1);
}

static cl_event write_to(cl_command_queue on, cl_mem buffer, cl_uint count, const cl_event *waits)
{
    const cl_uint one = 1;
    cl_event event;
    check(clEnqueueFillBuffer(on, buffer, &one, sizeof one, 0, 256, count, waits, &event),
          "clEnqueueFillBuffer");
    return event;
}

static void read_after(cl_uint count, const cl_event *waits, cl_mem from)
{
    check(clEnqueueCopyBuffer(reader, from, copy, 0, 0, 256, count, waits, NULL), "clEnqueueCopyBuffer");
    check(clFlush(reader), "clFlush");
}

/* Sometimes callbacks are slow, sometimes the program, by the number of the run. */
static unsigned run_number(void)
{
    const char *number = getenv("RUN_NUMBER");
    return number ? (unsigned)atoi(number) : 0;
}

static void dawdle(void)
{
    for (volatile int i = 0; i < 3000000; i++)
        ;
}

static void slow_down(void)
{
    if (run_number() & 2)
        usleep(5000);
}

static void call_for(cl_event event, cl_int status, void(CL_CALLBACK *function)(cl_event, cl_int, void *))
{
    check(clSetEventCallback(event, status, function, NULL), "clSetEventCallback");
}

static void finish(cl_command_queue on)
{
    check(clFinish(on), "clFinish");
}

static void open_gate(void)
{
    if (run_number() & 1)
        dawdle();
    check(clSetUserEventStatus(gate, CL_COMPLETE), "clSetUserEventStatus");
}

/* ---- what callbacks do -------------------------------------------------------------------- */

#define CALLBACK(name) static void CL_CALLBACK name(cl_event event, cl_int status, void *unused)

CALLBACK(sets)
{
    (void)event, (void)status, (void)unused;
    open_gate();
}
CALLBACK(does_nothing)
{
    (void)event, (void)status, (void)unused;
}
CALLBACK(dawdles)
{
    (void)event, (void)status, (void)unused;
    if (run_number() & 1)
        dawdle();
}

CALLBACK(never_returns)
{
    (void)event, (void)status, (void)unused;
    for (;;)
        pause();
}

CALLBACK(locks)
{
    (void)event, (void)status, (void)unused;
    pthread_mutex_lock(&lock);
    open_gate();
    pthread_mutex_unlock(&lock);
}

static void wait_for(sem_t *semaphore)
{
    while (sem_wait(semaphore))
        ;
}

CALLBACK(waits)
{
    (void)event, (void)status, (void)unused;
    wait_for(&posted);
    dawdle();
    open_gate();
}

/* Twice: for the program, and then for a thread that needs nothing of it. */
CALLBACK(waits_again)
{
    (void)event, (void)status, (void)unused;
    wait_for(&posted);
    sem_post(&wanted);
    wait_for(&given);
    open_gate();
}

CALLBACK(sleeps)
{
    (void)event, (void)status, (void)unused;
    usleep(run_number() & 1 ? 100000 : 1000);
    open_gate();
}

CALLBACK(polls)
{
    (void)event, (void)status, (void)unused;
    while (!atomic_load(&flag))
        usleep(500);
    open_gate();
}

CALLBACK(spins)
{
    (void)event, (void)status, (void)unused;
    while (!atomic_load(&flag))
        ;
    open_gate();
}

CALLBACK(finishes) /* which is not allowed */
{
    (void)event, (void)status, (void)unused;
    finish(other);
    open_gate();
}

CALLBACK(reads)
{
    (void)event, (void)status, (void)unused;
    if (run_number() & 1)
        dawdle();
    read_after(0, NULL, data);
}

CALLBACK(writes_and_calls)
{
    (void)event, (void)status, (void)unused;
    call_for(write_to(queue, data, 0, NULL), CL_RUNNING, sets);
    check(clFlush(queue), "clFlush");
}

/* ---- the programs --------------------------------------------------------------------------- */

static void begin(cl_int status, void(CL_CALLBACK *function)(cl_event, cl_int, void *))
{
    call_for(write_to(queue, data, 0, NULL), status, function);
    read_after(1, &gate, data);
}

/* By one of these the host is ordered after the writing command. */
static void running(void)
{
    begin(CL_RUNNING, sets);
    finish(queue);
    finish(reader);
}
static void submitted(void)
{
    begin(CL_SUBMITTED, sets);
    finish(queue);
    finish(reader);
}
static void complete(void)
{
    begin(CL_COMPLETE, sets);
    finish(queue);
    finish(reader);
}

static void waiting(void)
{
    cl_event event = write_to(queue, data, 0, NULL);
    call_for(event, CL_RUNNING, sets);
    read_after(1, &gate, data);
    check(clWaitForEvents(1, &event), "clWaitForEvents");
    finish(reader);
}

static void blocking(void)
{
    char bytes[256];
    begin(CL_RUNNING, sets);
    check(clEnqueueReadBuffer(queue, apart, CL_TRUE, 0, sizeof bytes, bytes, 0, NULL, NULL),
          "clEnqueueReadBuffer");
    finish(reader);
}

/* The second callback is ordered after it, the first is not. */
static void both(void)
{
    cl_event event = write_to(queue, data, 0, NULL);
    call_for(event, CL_RUNNING, sets);
    call_for(event, CL_COMPLETE, does_nothing);
    read_after(1, &gate, data);
    check(clFlush(queue), "clFlush");
    slow_down();
    finish(reader);
}

static void poll_event(cl_event event)
{
    cl_int status;
    check(clFlush(queue), "clFlush");
    slow_down();
    do
        check(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL),
              "clGetEventInfo");
    while (status != CL_COMPLETE);
}

static void late(cl_int status)
{
    cl_event event = write_to(queue, data, 0, NULL);
    poll_event(event);
    read_after(1, &gate, data);
    call_for(event, status, sets);
    finish(reader);
}
static void late_running(void)
{
    late(CL_RUNNING);
}
static void late_complete(void)
{
    late(CL_COMPLETE);
}

static void *finish_queue(void *unused)
{
    finish(queue);
    return unused;
}

static void threads(void)
{
    pthread_t more[3];
    begin(CL_RUNNING, sets);
    for (int i = 0; i < 3; i++)
        check(pthread_create(&more[i], NULL, finish_queue, NULL), "pthread_create");
    for (int i = 0; i < 3; i++)
        pthread_join(more[i], NULL);
    finish(reader);
}

static void CL_CALLBACK linger(cl_event event, cl_int status, void *unused)
{
    (void)event, (void)status, (void)unused;
    usleep(300);
}

/* Sleeps differ from run to run. */
static void *work_alone(void *on)
{
    unsigned chance = (unsigned)getpid() * 31 + (unsigned)((cl_command_queue)on == reader) +
                      2 * (unsigned)((cl_command_queue)on == other);
    cl_int err;
    cl_mem own = clCreateBuffer(context, CL_MEM_READ_WRITE, 256, NULL, &err);
    check(err, "clCreateBuffer");
    for (int i = 0; i < 20; i++) {
        usleep((useconds_t)rand_r(&chance) % 1000);
        call_for(write_to(on, own, 0, NULL), CL_COMPLETE, linger);
        check(clFlush(on), "clFlush");
    }
    return NULL;
}

/* The record decides which calls wait for callbacks, and how often. */
static void crowding(void)
{
    cl_command_queue queues[] = {queue, reader, other};
    pthread_t more[3];
    for (int i = 0; i < 3; i++)
        check(pthread_create(&more[i], NULL, work_alone, queues[i]), "pthread_create");
    for (int i = 0; i < 3; i++)
        pthread_join(more[i], NULL);
    finish(queue);
    finish(reader);
    finish(other);
}

static void enqueueing(void)
{
    call_for(write_to(queue, data, 0, NULL), CL_RUNNING, reads);
    finish(queue);
    finish(reader);
}

/* The report states that the host queried the command. */
static void asking(void)
{
    cl_event event = write_to(queue, data, 0, NULL);
    call_for(event, CL_RUNNING, reads);
    poll_event(event);
    finish(reader);
}

/* And it calls commands by their numbers, which user events have, too. */
static void numbering(void)
{
    cl_int err;
    call_for(write_to(queue, data, 0, NULL), CL_RUNNING, reads);
    check(clFlush(queue), "clFlush");
    slow_down();
    clCreateUserEvent(context, &err);
    check(err, "clCreateUserEvent");
    write_to(other, data, 0, NULL);
    finish(other);
    finish(reader);
}

/* The host at its map: as it counts as one thread, it is ordered after the callback. */
static void mapping(void)
{
    cl_int err;
    cl_event event;
    volatile char *bytes =
        clEnqueueMapBuffer(queue, data, CL_FALSE, CL_MAP_WRITE, 0, 256, 0, NULL, &event, &err);
    check(err, "clEnqueueMapBuffer");
    call_for(event, CL_RUNNING, dawdles);
    call_for(event, CL_COMPLETE, does_nothing);
    check(clFlush(queue), "clFlush");
    bytes[0] = 1;
    finish(queue);
}

static void chain(void)
{
    begin(CL_COMPLETE, writes_and_calls);
    finish(queue);
    finish(queue);
    finish(reader);
}

static void ending(void)
{
    begin(CL_RUNNING, sets);
    check(clFlush(queue), "clFlush");
}

/* A clFinish of the host before it releases the callback orders the callback. */
static void mutex(void)
{
    pthread_mutex_lock(&lock);
    begin(CL_RUNNING, locks);
    finish(queue);
    pthread_mutex_unlock(&lock);
    finish(reader);
}

static void semaphore(void)
{
    begin(CL_RUNNING, waits);
    finish(queue);
    sem_post(&posted);
    finish(reader);
}

static void flagged(void(CL_CALLBACK *function)(cl_event, cl_int, void *))
{
    begin(CL_RUNNING, function);
    finish(queue);
    atomic_store(&flag, true);
    finish(reader);
}
static void polling(void)
{
    flagged(polls);
}
static void spinning(void)
{
    flagged(spins);
}

static void finishing(void)
{
    write_to(other, apart, 1, &held);
    check(clFlush(other), "clFlush");
    begin(CL_RUNNING, finishes);
    finish(queue);
    check(clSetUserEventStatus(held, CL_COMPLETE), "clSetUserEventStatus");
    finish(reader);
}

/* A callback that only is slow waits for nothing. */
static void sleeping(void)
{
    begin(CL_RUNNING, sleeps);
    finish(queue);
    finish(reader);
}

/* A later clFinish does not order the callback. */
static void afterwards(void)
{
    call_for(write_to(queue, apart, 0, NULL), CL_RUNNING, waits);
    write_to(other, data, 0, NULL);
    read_after(1, &gate, data);
    finish(queue);
    sem_post(&posted);
    finish(other);
    finish(reader);
}

static void *give(void *unused)
{
    wait_for(&wanted);
    usleep(run_number() & 1 ? 60000 : 5000);
    sem_post(&given);
    return unused;
}

static void helped(void)
{
    pthread_t helper;
    check(pthread_create(&helper, NULL, give, NULL), "pthread_create");
    call_for(write_to(queue, apart, 0, NULL), CL_RUNNING, waits_again);
    write_to(other, data, 0, NULL);
    read_after(1, &gate, data);
    finish(queue);
    sem_post(&posted);
    slow_down();
    finish(other);
    finish(reader);
    pthread_join(helper, NULL);
}

static void hanging(void)
{
    begin(CL_RUNNING, never_returns);
    for (int i = 0; i < 100; i++) {
        write_to(queue, data, 0, NULL);
        finish(queue);
    }
    open_gate();
    finish(reader);
}

/* A child has no callback thread until it needs one; what was posted in the parent is called there. */
static void forking(void)
{
    call_for(write_to(queue, apart, 0, NULL), CL_RUNNING, waits);
    call_for(write_to(queue, apart, 0, NULL), CL_RUNNING, does_nothing);
    finish(queue);
    const pid_t child = fork();
    if (!child) {
        alarm(60);
        finish(queue);
        write_to(queue, data, 0, NULL);
        finish(queue);
        _exit(0);
    }
    int status = 1;
    waitpid(child, &status, 0);
    check(status, "the child");
    sem_post(&posted);
    finish(queue);
}

static const struct mode {
    const char *name;
    void (*run)(void);
} modes[] = {
    {"running", running},
    {"submitted", submitted},
    {"complete", complete},
    {"waiting", waiting},
    {"blocking", blocking},
    {"both", both},
    {"late-running", late_running},
    {"late-complete", late_complete},
    {"threads", threads},
    {"crowding", crowding},
    {"enqueueing", enqueueing},
    {"chain", chain},
    {"asking", asking},
    {"numbering", numbering},
    {"mapping", mapping},
    {"ending", ending},
    {"mutex", mutex},
    {"semaphore", semaphore},
    {"polling", polling},
    {"spinning", spinning},
    {"finishing", finishing},
    {"sleeping", sleeping},
    {"afterwards", afterwards},
    {"helped", helped},
    {"hanging", hanging},
    {"forking", forking},
};

static void set_up(void)
{
    cl_platform_id platform;
    cl_device_id device;
    cl_int err;
    check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "clGetDeviceIDs");
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    check(err, "clCreateContext");
    queue = clCreateCommandQueueWithProperties(context, device, NULL, &err);
    reader = clCreateCommandQueueWithProperties(context, device, NULL, &err);
    other = clCreateCommandQueueWithProperties(context, device, NULL, &err);
    data = clCreateBuffer(context, CL_MEM_READ_WRITE, 256, NULL, &err);
    copy = clCreateBuffer(context, CL_MEM_READ_WRITE, 256, NULL, &err);
    apart = clCreateBuffer(context, CL_MEM_READ_WRITE, 256, NULL, &err);
    gate = clCreateUserEvent(context, &err);
    held = clCreateUserEvent(context, &err);
    check(err, "clCreate...");
    sem_init(&posted, 0, 0);
    sem_init(&wanted, 0, 0);
    sem_init(&given, 0, 0);
}

int main(int argc, char **argv)
{
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        if (argc == 2 && strcmp(modes[i].name, argv[1]) == 0) {
            set_up();
            modes[i].run();
            return 0;
        }
    fprintf(stderr, "usage: host_callbacks MODE\n");
    return 1;
}
