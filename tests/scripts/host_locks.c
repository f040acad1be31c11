/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Run by check_host_locks.sh: three threads push digits onto the end of one buffer, each under locks of the
 * kind in the argument; the program prints their order. Chance decides, unless it is replayed.
 */
#define CL_TARGET_OPENCL_VERSION 200
#include <CL/cl.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>
#include <time.h>

enum { THREADS = 3, ROUNDS = 6, JOBS = THREADS * ROUNDS, PLACES = 8 * JOBS };

static const char source[] = "kernel void push(global int *a, int who) { a[1 + a[0]++] = who; }";
static cl_context context;
static cl_device_id device;
static cl_program program;
static cl_command_queue queue;
static cl_kernel shared_kernel;
static cl_mem buffer;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER, emptied = PTHREAD_COND_INITIALIZER;
static pthread_once_t started = PTHREAD_ONCE_INIT;
static pthread_spinlock_t spin;
static pthread_barrier_t barrier;
static sem_t semaphore;
static mtx_t c11_mutex;
static cnd_t c11_condition;
static int phase, waiting_jobs, job[2], made_jobs, early_job;

static void check(cl_int err, const char *what)
{
    if (err == CL_SUCCESS)
        return;
    fprintf(stderr, "%s: %d\n", what, err);
    exit(1);
}

/* Its length is chance. */
static void dawdle(void)
{
    static _Thread_local unsigned state;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    state = state * 1103515245u + (unsigned)now.tv_nsec;
    struct timespec pause = {0, (long)(state >> 8) % 200000};
    nanosleep(&pause, NULL);
}

static void push_by(cl_kernel kernel, cl_int number, cl_event *event)
{
    const size_t one = 1;
    check(clSetKernelArg(kernel, 0, sizeof buffer, &buffer), "clSetKernelArg");
    check(clSetKernelArg(kernel, 1, sizeof number, &number), "clSetKernelArg");
    dawdle();
    check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, &one, 0, NULL, event),
          "clEnqueueNDRangeKernel");
}

static void push(int number)
{
    push_by(shared_kernel, number, NULL);
}

static struct timespec soon(void)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 100000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    return until;
}

/* ---- a thread of each kind ------------------------------------------------------------------ */

static void with_plain(int number)
{
    cl_int err;
    cl_kernel kernel = clCreateKernel(program, "push", &err);
    check(err, "clCreateKernel");
    push_by(kernel, number, NULL);
    clReleaseKernel(kernel);
}

static void with_mutex(int number)
{
    pthread_mutex_lock(&mutex);
    push(number);
    pthread_mutex_unlock(&mutex);
}

/* Readers hold it at the same time. */
static void with_rwlock(int number)
{
    cl_uint count;
    pthread_rwlock_rdlock(&rwlock);
    check(clGetMemObjectInfo(buffer, CL_MEM_REFERENCE_COUNT, sizeof count, &count, NULL),
          "clGetMemObjectInfo");
    dawdle();
    check(clFlush(queue), "clFlush");
    pthread_rwlock_unlock(&rwlock);
    pthread_rwlock_wrlock(&rwlock);
    push(number);
    pthread_rwlock_unlock(&rwlock);
}

static void with_trylock(int number)
{
    int failed = 0;
    while (pthread_mutex_trylock(&mutex) != 0) {
        failed++;
        sched_yield();
    }
    push(failed ? number : number + 5);
    pthread_mutex_unlock(&mutex);
}

static void with_timed(int number)
{
    int failed = 0;
    for (struct timespec until = soon(); pthread_mutex_timedlock(&mutex, &until) != 0; until = soon())
        failed++;
    push(failed ? number : number + 5);
    pthread_mutex_unlock(&mutex);
}

static void with_spin(int number)
{
    pthread_spin_lock(&spin);
    push(number);
    pthread_spin_unlock(&spin);
}

static void with_semaphore(int number)
{
    if (number % 2)
        sem_wait(&semaphore);
    while (number % 2 == 0 && sem_trywait(&semaphore) != 0)
        sched_yield();
    push(number);
    sem_post(&semaphore);
}

static void with_c11(int number)
{
    mtx_lock(&c11_mutex);
    while (phase) {
        const struct timespec until = soon();
        if (number == 1)
            cnd_timedwait(&c11_condition, &c11_mutex, &until);
        else
            cnd_wait(&c11_condition, &c11_mutex);
    }
    phase = 1;
    mtx_unlock(&c11_mutex);
    push(number);
    mtx_lock(&c11_mutex);
    phase = 0;
    cnd_signal(&c11_condition);
    mtx_unlock(&c11_mutex);
}

/* One round of all threads; one of them has more to do. */
static void with_barrier(int number)
{
    with_mutex(number);
    if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD)
        with_mutex(number + 5);
    pthread_barrier_wait(&barrier);
}

static _Thread_local int self;

static void start(void)
{
    early_job = self;
    with_mutex(self + 5);
}

static void with_once(int number)
{
    self = number;
    pthread_once(&started, start);
    with_mutex(number == early_job ? number : number + 3);
}

static void CL_CALLBACK on_complete(cl_event event, cl_int status, void *data)
{
    (void)event;
    (void)status;
    (void)data;
    pthread_mutex_lock(&mutex);
    push(9);
    phase++;
    pthread_cond_broadcast(&emptied);
    pthread_mutex_unlock(&mutex);
}

/* The callback wants the lock, too. */
static void with_callback(int number)
{
    cl_event event;
    pthread_mutex_lock(&mutex);
    push_by(shared_kernel, number, &event);
    check(clSetEventCallback(event, CL_COMPLETE, on_complete, NULL), "clSetEventCallback");
    made_jobs++;
    check(clFlush(queue), "clFlush");
    pthread_mutex_unlock(&mutex);
    check(clReleaseEvent(event), "clReleaseEvent");
    pthread_mutex_lock(&mutex);
    while (phase < made_jobs)
        pthread_cond_wait(&emptied, &mutex);
    pthread_mutex_unlock(&mutex);
}

static void put(int what)
{
    pthread_mutex_lock(&mutex);
    while (waiting_jobs == sizeof job / sizeof *job)
        pthread_cond_wait(&emptied, &mutex);
    job[waiting_jobs++] = what;
    pthread_cond_signal(&filled);
    pthread_mutex_unlock(&mutex);
}

static int get(int number)
{
    struct timespec until;
    pthread_mutex_lock(&mutex);
    while (!waiting_jobs) {
        until = soon();
        if (number % 2)
            pthread_cond_timedwait(&filled, &mutex, &until);
        else
            pthread_cond_wait(&filled, &mutex);
    }
    const int what = job[--waiting_jobs];
    pthread_cond_broadcast(&emptied);
    pthread_mutex_unlock(&mutex);
    return what;
}

/* Two threads that call nothing, and one that acts for them. */
static void with_queue(int number)
{
    if (number)
        put(number);
    for (int i = 1; !number && i < THREADS; i++)
        push(get(number));
}

/* The first thread has jobs for those that are free. */
static void with_pool(int number)
{
    with_plain(get(number));
}

static void *stay(void *unused)
{
    for (;;)
        push(get(0));
    return unused;
}

/* A thread that waits for more when the program ends. */
static void with_daemon(int number)
{
    put(number);
}

static const struct {
    const char *name;
    void (*round)(int number);
} kind[] = {
    {"plain", with_plain},       {"mutex", with_mutex},         {"rwlock", with_rwlock},
    {"trylock", with_trylock},   {"timed", with_timed},         {"spin", with_spin},
    {"c11", with_c11},           {"semaphore", with_semaphore}, {"barrier", with_barrier},
    {"callback", with_callback}, {"queue", with_queue},         {"pool", with_pool},
    {"once", with_once},         {"daemon", with_daemon},
};
static void (*rounds)(int number);

static void *work(void *data)
{
    for (int i = 0; i < ROUNDS; i++) {
        dawdle();
        rounds((int)(size_t)data);
    }
    return NULL;
}

/* ---- all of them ------------------------------------------------------------------------------ */

static void set_up(void)
{
    cl_int err, zeros[1 + PLACES] = {0};
    cl_platform_id platform;
    const char *text = source;
    check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "clGetDeviceIDs");
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    check(err, "clCreateContext");
    program = clCreateProgramWithSource(context, 1, &text, NULL, &err);
    check(err, "clCreateProgramWithSource");
    check(clBuildProgram(program, 1, &device, "", NULL, NULL), "clBuildProgram");
    buffer = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof zeros, zeros, &err);
    check(err, "clCreateBuffer");
    queue = clCreateCommandQueueWithProperties(context, device, NULL, &err);
    check(err, "clCreateCommandQueueWithProperties");
    shared_kernel = clCreateKernel(program, "push", &err);
    check(err, "clCreateKernel");
    pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
    pthread_barrier_init(&barrier, NULL, THREADS);
    sem_init(&semaphore, 0, 1);
    mtx_init(&c11_mutex, mtx_timed);
    cnd_init(&c11_condition);
}

static void print_result(void)
{
    cl_int result[1 + PLACES];
    pthread_mutex_lock(&mutex);
    check(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof result, result, 0, NULL, NULL),
          "clEnqueueReadBuffer");
    for (int i = 1; i <= result[0]; i++)
        printf("%d", result[i]);
    printf("\n");
    fflush(stdout);
    pthread_mutex_unlock(&mutex);
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS], daemon;
    const char *name = argc == 2 ? argv[1] : "";
    for (size_t i = 0; i < sizeof kind / sizeof *kind; i++)
        if (strcmp(kind[i].name, name) == 0)
            rounds = kind[i].round;
    if (!rounds)
        return 64;
    set_up();
    for (size_t i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; rounds == with_pool && i < JOBS; i++)
        put(i % 10);
    if (rounds == with_daemon)
        pthread_create(&daemon, NULL, stay, NULL);
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    print_result();
    return 0;
}
