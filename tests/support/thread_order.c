/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Run by check_thread_order.sh: two threads of the host enqueue to a queue each a kernel that updates one
 * buffer. The first waits for its commands; the argument selects the operation that then orders the second
 * thread's call after that. After the argument "one_kernel" all launches are of one kernel object.
 */
#define CL_TARGET_OPENCL_VERSION 200
#include <CL/cl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>

static const char source[] = "kernel void add(global int *a) { a[get_global_id(0)] += 1; }";
static cl_context context;
static cl_device_id device;
static cl_program program;
static cl_mem buffer;
static cl_command_queue shared;
static cl_kernel one_kernel; /* NULL: each launch has its own */
static cl_event first_event;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static pthread_barrier_t barrier;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static mtx_t c11_mutex;
static cnd_t c11_condition;
static sem_t semaphore;
static int ready;
static atomic_int hint; /* orders nothing that is seen: it only makes the second thread second */

static void check(cl_int err, const char *what)
{
    if (err == CL_SUCCESS)
        return;
    fprintf(stderr, "%s: %d\n", what, err);
    exit(1);
}

static void launch(cl_command_queue queue, cl_uint count, const cl_event *events, cl_event *event)
{
    const size_t size = 64;
    cl_int err = CL_SUCCESS;
    cl_kernel kernel = one_kernel ? one_kernel : clCreateKernel(program, "add", &err);
    check(err, "clCreateKernel");
    check(clSetKernelArg(kernel, 0, sizeof buffer, &buffer), "clSetKernelArg");
    for (int i = 0; i < 3; i++)
        check(
            clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, NULL, count, events, i == 2 ? event : NULL),
            "launch");
    if (kernel != one_kernel)
        clReleaseKernel(kernel);
}

static void work(void)
{
    cl_int err;
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, &err);
    check(err, "queue");
    launch(queue, 0, NULL, NULL);
    check(clFinish(queue), "clFinish");
    clReleaseCommandQueue(queue);
}

static void come_first(void)
{
    atomic_store(&hint, 1);
}

static void come_second(void)
{
    while (!atomic_load(&hint))
        thrd_yield();
}

/* ---- a way to order two threads: what the first does after its work, and the second before ---- */

static void nothing(void) {}
static void mutex_first(void)
{
    pthread_mutex_lock(&mutex);
    ready = 1;
    pthread_mutex_unlock(&mutex);
}
static void mutex_second(void)
{
    for (int seen = 0; !seen; pthread_mutex_unlock(&mutex)) {
        pthread_mutex_lock(&mutex);
        seen = ready;
    }
}
static void try_second(void)
{
    for (int seen = 0; !seen;)
        if (pthread_mutex_trylock(&mutex) == 0) {
            seen = ready;
            pthread_mutex_unlock(&mutex);
        }
}
static void condition_first(void)
{
    pthread_mutex_lock(&mutex);
    ready = 1;
    pthread_cond_signal(&condition);
    pthread_mutex_unlock(&mutex);
}
static void condition_second(void)
{
    pthread_mutex_lock(&mutex);
    while (!ready)
        pthread_cond_wait(&condition, &mutex);
    pthread_mutex_unlock(&mutex);
}
static void rwlock_first(void)
{
    pthread_rwlock_wrlock(&rwlock);
    ready = 1;
    pthread_rwlock_unlock(&rwlock);
}
static void rwlock_second(void)
{
    for (int seen = 0; !seen; pthread_rwlock_unlock(&rwlock)) {
        pthread_rwlock_rdlock(&rwlock);
        seen = ready;
    }
}
static void spin_first(void)
{
    pthread_spin_lock(&spin);
    ready = 1;
    pthread_spin_unlock(&spin);
}
static void spin_second(void)
{
    for (int seen = 0; !seen; pthread_spin_unlock(&spin)) {
        pthread_spin_lock(&spin);
        seen = ready;
    }
}
static void c11_first(void)
{
    mtx_lock(&c11_mutex);
    ready = 1;
    cnd_broadcast(&c11_condition);
    mtx_unlock(&c11_mutex);
}
static void c11_second(void)
{
    mtx_lock(&c11_mutex);
    while (!ready)
        cnd_wait(&c11_condition, &c11_mutex);
    mtx_unlock(&c11_mutex);
}
static void semaphore_first(void)
{
    sem_post(&semaphore);
}
static void semaphore_second(void)
{
    sem_wait(&semaphore);
}
static void barrier_both(void)
{
    pthread_barrier_wait(&barrier);
}
static void once_work(void)
{
    work();
    come_first();
}
static void once_second(void)
{
    pthread_once(&once, once_work);
}

/* No order: another lock, and a lock before the work. */
static pthread_mutex_t other = PTHREAD_MUTEX_INITIALIZER;
static void other_first(void)
{
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    come_first();
}
static void other_second(void)
{
    come_second();
    pthread_mutex_lock(&other);
    pthread_mutex_unlock(&other);
}

static const struct {
    const char *name;
    void (*first)(void), (*second)(void);
} ways[] = {
    {"none", come_first, come_second},
    {"other_lock", other_first, other_second},
    {"mutex", mutex_first, mutex_second},
    {"trylock", mutex_first, try_second},
    {"condition", condition_first, condition_second},
    {"rwlock", rwlock_first, rwlock_second},
    {"spin", spin_first, spin_second},
    {"c11", c11_first, c11_second},
    {"semaphore", semaphore_first, semaphore_second},
    {"barrier", barrier_both, barrier_both},
};
static size_t way;

static void *run_first(void *unused)
{
    work();
    ways[way].first();
    return unused;
}

static void *run_second(void *unused)
{
    ways[way].second();
    work();
    return unused;
}

static int run_c11(void *unused)
{
    work();
    return unused != NULL;
}

static void both(void *(*first)(void *), void *(*second)(void *))
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, first, NULL);
    pthread_create(&threads[1], NULL, second, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
}

/* ---- others ---------------------------------------------------------------------------------- */

static void *run_work(void *unused)
{
    work();
    return unused;
}

/* The second begins when the first was joined. */
static void by_join(void)
{
    pthread_t thread;
    for (int i = 0; i < 2; i++) {
        pthread_create(&thread, NULL, run_work, NULL);
        pthread_join(thread, NULL);
    }
    thrd_t c11;
    int result;
    thrd_create(&c11, run_c11, NULL);
    thrd_join(c11, &result);
    work();
}

static void *run_exit(void *unused)
{
    work();
    pthread_exit(unused);
}

/* A thread is ordered after its creation. */
static void by_create(void)
{
    pthread_t thread;
    work();
    pthread_create(&thread, NULL, run_exit, NULL);
    pthread_join(thread, NULL);
    work();
}

static void *first_shared(void *unused)
{
    launch(shared, 0, NULL, NULL);
    come_first();
    return unused;
}

static void *second_shared(void *unused)
{
    come_second();
    launch(shared, 0, NULL, NULL);
    return unused;
}

static void *first_events(void *unused)
{
    launch(shared, 0, NULL, &first_event);
    clFlush(shared);
    come_first();
    return unused;
}

static void *second_events(void *unused)
{
    cl_int err;
    come_second();
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, &err);
    check(err, "queue");
    launch(queue, 1, &first_event, NULL);
    check(clFinish(queue), "clFinish");
    clReleaseCommandQueue(queue);
    clReleaseEvent(first_event);
    return unused;
}

static void *first_once(void *unused)
{
    once_second();
    return unused;
}

static void *second_once(void *unused)
{
    come_second();
    once_second();
    work();
    return unused;
}

static void go(const char *name)
{
    for (way = 0; way < sizeof ways / sizeof *ways; way++)
        if (strcmp(ways[way].name, name) == 0) {
            both(run_first, run_second);
            return;
        }
    if (strcmp(name, "join") == 0)
        by_join();
    else if (strcmp(name, "create") == 0)
        by_create();
    else if (strcmp(name, "shared_queue") == 0)
        both(first_shared, second_shared);
    else if (strcmp(name, "event") == 0)
        both(first_events, second_events);
    else if (strcmp(name, "once") == 0)
        both(first_once, second_once);
    else
        nothing();
}

int main(int count, char **words)
{
    const char *text = source;
    cl_platform_id platform;
    cl_int err, zeros[64] = {0};
    pthread_spin_init(&spin, 0);
    pthread_barrier_init(&barrier, NULL, 2);
    mtx_init(&c11_mutex, mtx_plain);
    cnd_init(&c11_condition);
    sem_init(&semaphore, 0, 0);
    check(clGetPlatformIDs(1, &platform, NULL), "platform");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "device");
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    check(err, "context");
    program = clCreateProgramWithSource(context, 1, &text, NULL, &err);
    check(clBuildProgram(program, 0, NULL, NULL, NULL, NULL), "build");
    buffer = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof zeros, zeros, &err);
    check(err, "buffer");
    shared = clCreateCommandQueueWithProperties(context, device, NULL, &err);
    check(err, "queue");
    for (int i = 1; i < count; i++) {
        if (strcmp(words[i], "one_kernel") == 0)
            one_kernel = clCreateKernel(program, "add", NULL);
        else
            go(words[i]);
    }
    check(clFinish(shared), "clFinish");
    if (one_kernel)
        clReleaseKernel(one_kernel);
    clReleaseCommandQueue(shared);
    clReleaseMemObject(buffer);
    clReleaseProgram(program);
    clReleaseContext(context);
    return 0;
}
