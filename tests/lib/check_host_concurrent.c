/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thread of the host accesses memory that it must not access while another thread executes commands:
 * coarse-grained shared virtual memory (OpenCL 2.2 API, 5.6.2) and buffers that were mapped (5.5.3). The
 * access is reported and takes effect, and commands find their memory in any case. Only accesses to pages
 * that no command opened before are reported.
 */
#include "tests/support/host_fixture.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAGE = 4096, PAGES = 3, BYTES = PAGES * PAGE, COUNT = BYTES / 4 };

static const char source[] =
    "#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable\n"
    "kernel void uniform_load(global int *a, global int *b) { b[get_global_id(0)] = a[3]; }\n"
    "kernel void uniform_store(global int *a, global int *b) { if (get_global_id(0) == 0) { a[5] = 77; a[6] "
    "= a[5] + 1; } }\n"
    "kernel void vector_store(global int *a, global int *b) { if (get_global_id(0) == 0) vstore8((int8)(9), "
    "2, a); }\n"
    "kernel void rows(global int *a, global int *b) { a[get_global_id(0)] += get_global_id(0); }\n"
    "kernel void strided(global int *a, global int *b) { uint i = get_global_id(0); if (2 * i + 1 < 3072) "
    "a[2 * i] = a[2 * i + 1]; }\n"
    "kernel void masked(global int *a, global int *b) { uint i = get_global_id(0); if (i % 3 == 1) a[i] = "
    "a[i + 1] + 1; }\n"
    "kernel void window(global int *a, global int *b) { uint i = get_global_id(0); if (i > 40) b[i] = a[i - "
    "20]; }\n"
    "kernel void vectors(global int *a, global int *b) { uint i = get_global_id(0); if (i < 768) "
    "vstore4(vload4(i, a) + 1, i, a); }\n"
    "kernel void pairs(global int *a, global int *b) { uint i = get_global_id(0); if (i < 1536) "
    "vstore2(vload2(i, a).yx, i, a); }\n"
    "kernel void eights(global int *a, global int *b) { uint i = get_global_id(0); if (i < 384) "
    "vstore8(vload8(i, a) * 3, i, a); }\n"
    "kernel void gather(global int *a, global int *b) { b[get_global_id(0)] = a[get_global_id(0) * 7 % "
    "3072]; }\n"
    "kernel void gather_some(global int *a, global int *b) {\n"
    "    uint i = get_global_id(0); if (i % 5 == 2) b[i] = a[i * i % 3072]; }\n"
    "kernel void gather_vectors(global int *a, global int *b) { uint i = get_global_id(0); b[i] = vload4(i * "
    "7 % 768, a).z; }\n"
    "kernel void scatter(global int *a, global int *b) { a[get_global_id(0) * 7 % 3072] = get_global_id(0); "
    "}\n"
    "kernel void scatter_some(global int *a, global int *b) { uint i = get_global_id(0); if (i & 4) a[i * 7 "
    "% 3072] = i; }\n"
    "kernel void bytes(global int *a, global int *b) { global uchar *c = (global uchar *)a; "
    "c[get_global_id(0)] ^= 5; }\n"
    "kernel void shorts(global int *a, global int *b) { global short *c = (global short *)a; "
    "c[get_global_id(0) * 5 % 6144] = 3; }\n"
    "kernel void longs(global int *a, global int *b) { global long *c = (global long *)a; if "
    "(get_global_id(0) < 1536) c[get_global_id(0)] += 1; }\n"
    "kernel void either(global int *a, global int *b) {\n"
    "    int own[2] = {1, 2}; uint i = get_global_id(0); int *p = i & 1 ? (int *)(a + i) : own; p[0] = p[0] "
    "* 2; b[i] = p[0]; }\n"
    "struct block { int word[24]; };\n"
    "kernel void structures(global int *a, global int *b) {\n"
    "    global struct block *c = (global struct block *)a; uint i = get_global_id(0); if (i < 64) c[2 * i + "
    "1] = c[2 * i]; }\n"
    "kernel void counted(global int *a, global int *b) { atomic_inc(a + 7); }\n"
    "kernel void added(global int *a, global int *b) { atomic_add(a + get_global_id(0), 2); }\n"
    "kernel void exchanged(global int *a, global int *b) { atomic_cmpxchg(a + 9, 9, 1000); }\n"
    "kernel void exchanged_all(global int *a, global int *b) { uint i = get_global_id(0); b[i] = "
    "atomic_cmpxchg(a + i, i | 1, 1000); }\n"
    "kernel void long_atomics(global int *a, global int *b) { atom_add((global long *)a + get_global_id(0) % "
    "1536, 2l); }\n"
    "kernel void few_atomics(global int *a, global int *b) { if (get_global_id(0) % 100 == 3) atomic_or(a + "
    "get_global_id(0), 64); }\n"
    "kernel void copied(global int *a, global int *b) {\n"
    "    local int t[64]; uint first = get_group_id(0) * 64;\n"
    "    event_t e = async_work_group_copy(t, a + first, 64, 0); wait_group_events(1, &e);\n"
    "    t[get_local_id(0)] += 1; barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    e = async_work_group_copy(a + first, t, 64, 0); wait_group_events(1, &e); }\n"
    "kernel void racy(global int *a, global int *b) { if (get_global_id(0) == 70) a[0] = 4; else "
    "b[get_global_id(0)] = a[0]; }\n"
    "kernel void fours(global int *a, global int *b) { global int4 *c = (global int4 *)a; if "
    "(get_global_id(0) < 768) c[get_global_id(0)] += 1; }\n"
    "kernel void more_fours(global int *a, global int *b) {\n"
    "    global int4 *c = (global int4 *)a; uint i = get_global_id(0) % 768; b[i] = c[i].x + c[i * 7 % "
    "768].y; if (i == 5) c[i] = 3; }\n"
    "kernel void all_fours(global int *a, global int *b) { vstore4(((global int4 *)a)[get_global_id(0) / 4] "
    "* 2, get_global_id(0) / 4, b); }\n"
    "kernel void set_fours(global int *a, global int *b) { ((global int2 *)a)[get_global_id(0) / 2] = "
    "(int2)(get_global_id(0) / 2); }\n"
    "kernel void look(read_only image2d_t a, global int *b) {\n"
    "    b[get_global_id(0)] = (int)read_imagef(a, (int2)(get_global_id(0) % 64, get_global_id(0) / 64)).x; "
    "}\n"
    "kernel void sample(read_only image2d_t a, global int *b) {\n"
    "    const sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_LINEAR;\n"
    "    b[get_global_id(0)] = (int)read_imagef(a, s, (float2)(get_global_id(0) % 64 + 0.25f, "
    "get_global_id(0) / 64)).x; }\n"
    "kernel void paint(write_only image2d_t a, global int *b) {\n"
    "    uint i = get_global_id(0); if (i % 3) write_imagef(a, (int2)(i % 64, i / 64), (float4)(i)); }\n";

static const char *const kernels[] = {
    "uniform_load",   "uniform_store", "vector_store", "rows",   "strided",   "masked",
    "window",         "vectors",       "pairs",        "eights", "gather",    "gather_some",
    "gather_vectors", "scatter",       "scatter_some", "bytes",  "shorts",    "longs",
    "either",         "structures",    "counted",      "added",  "exchanged", "exchanged_all",
    "long_atomics",   "few_atomics",   "copied",       "racy",   "fours",     "more_fours",
    "all_fours",      "set_fours"};
static const char *const image_kernels[] = {"look", "sample", "paint"};
enum {
    KERNELS = sizeof kernels / sizeof *kernels,
    IMAGE_KERNELS = sizeof image_kernels / sizeof *image_kernels
};

/* ---- meanwhile ------------------------------------------------------------------------------ */

static pthread_barrier_t begun, done;
static volatile cl_int *touched, sink;

static void *load_there(void *unused)
{
    pthread_barrier_wait(&begun);
    sink = *touched;
    pthread_barrier_wait(&done);
    return unused;
}

static void *store_there(void *unused)
{
    pthread_barrier_wait(&begun);
    *touched = 12345;
    pthread_barrier_wait(&done);
    return unused;
}

static void CL_CALLBACK wait_at_barrier(void *unused)
{
    (void)unused;
    pthread_barrier_wait(&begun);
    pthread_barrier_wait(&done);
}

/* After what is enqueued, before it is over. */
static void touch_meanwhile(volatile cl_int *at, void *(*touch)(void *))
{
    pthread_t thread;
    pthread_barrier_init(&begun, NULL, 2);
    pthread_barrier_init(&done, NULL, 2);
    touched = at;
    ck_assert_int_eq(pthread_create(&thread, NULL, touch, NULL), 0);
    cl_ok(clEnqueueNativeKernel(queue, wait_at_barrier, NULL, 0, 0, NULL, NULL, 0, NULL, NULL));
    cl_ok(clFinish(queue));
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
}

static size_t reported(void)
{
    return orrery_finding_count_of("race-host-device");
}

/* ---- both sorts of memory --------------------------------------------------------------------- */

static cl_int *shared; /* NULL: of the buffer */
static cl_mem buffer, other;

static cl_int *map(cl_map_flags flags)
{
    if (!shared)
        return host_map(buffer, CL_TRUE, flags, 0, COUNT, NULL);
    cl_ok(clEnqueueSVMMap(queue, CL_TRUE, flags, shared, BYTES, 0, NULL, NULL));
    return shared;
}

static void unmap(cl_int *mapped)
{
    if (shared)
        cl_ok(clEnqueueSVMUnmap(queue, shared, 0, NULL, NULL));
    else
        host_unmap(buffer, mapped);
}

static void set_up(bool svm)
{
    host_set_up("warning", "false", source);
    other = cl_buffer(context, 0, BYTES, NULL);
    if (svm)
        shared = clSVMAlloc(context, CL_MEM_READ_WRITE, BYTES, 0);
    else
        buffer = cl_buffer(context, 0, BYTES, NULL);
}

static void fill_in(void)
{
    cl_int *mapped = map(CL_MAP_WRITE);
    for (int i = 0; i < COUNT; i++)
        mapped[i] = i;
    unmap(mapped);
    cl_ok(clEnqueueFillBuffer(queue, other, &(cl_int){0}, 4, 0, BYTES, 0, NULL, NULL));
}

static void run(const char *name, cl_mem on)
{
    const size_t items = COUNT, group = 64;
    cl_kernel kernel = host_kernel(name);
    if (on)
        cl_ok(clSetKernelArg(kernel, 0, sizeof on, &on));
    else
        cl_ok(clSetKernelArgSVMPointer(kernel, 0, shared));
    cl_ok(clSetKernelArg(kernel, 1, sizeof other, &other));
    cl_ok(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &group, 0, NULL, NULL));
    cl_ok(clReleaseKernel(kernel));
}

/* On a buffer that was never mapped. */
static void run_alone(const char *name, cl_int *out_memory, cl_int *out_other)
{
    cl_mem plain = cl_buffer(context, 0, BYTES, NULL);
    for (int i = 0; i < COUNT; i++)
        out_memory[i] = i;
    cl_ok(clEnqueueWriteBuffer(queue, plain, CL_TRUE, 0, BYTES, out_memory, 0, NULL, NULL));
    cl_ok(clEnqueueFillBuffer(queue, other, &(cl_int){0}, 4, 0, BYTES, 0, NULL, NULL));
    run(name, plain);
    cl_ok(clEnqueueReadBuffer(queue, plain, CL_TRUE, 0, BYTES, out_memory, 0, NULL, NULL));
    cl_ok(clEnqueueReadBuffer(queue, other, CL_TRUE, 0, BYTES, out_other, 0, NULL, NULL));
    cl_ok(clReleaseMemObject(plain));
}

/* ---- tests ---------------------------------------------------------------------------------- */

/* The kernel before has had all its memory without opening it to the host: the load is reported. */
START_TEST(kernels_leave_it_closed)
{
    static cl_int want[2][COUNT], got[COUNT];
    const char *name = kernels[_i % KERNELS];
    set_up(_i < KERNELS);
    run_alone(name, want[0], want[1]);
    fill_in();
    cl_ok(clFinish(queue));
    volatile cl_int *const at = shared ? shared : map(CL_MAP_READ);
    if (!shared)
        unmap((cl_int *)(uintptr_t)at);
    run(name, shared ? NULL : buffer);
    touch_meanwhile(at + COUNT - 1, load_there);
    ck_assert_msg(reported() == 1, "%s: %zu findings", name, reported());
    ck_assert_int_eq(sink, want[0][COUNT - 1]);
    const cl_int *now = map(CL_MAP_READ);
    ck_assert_msg(!memcmp(now, want[0], BYTES), "%s left other bytes", name);
    cl_ok(clEnqueueReadBuffer(queue, other, CL_TRUE, 0, BYTES, got, 0, NULL, NULL));
    ck_assert_msg(!memcmp(got, want[1], BYTES), "%s read other bytes", name);
    ck_assert_uint_eq(reported(), 1);
}
END_TEST

START_TEST(image_kernels_leave_it_closed)
{
    static float texels[64 * 48], now[64 * 48], want[COUNT];
    static cl_int got[2][COUNT];
    const size_t origin[3] = {0}, size[3] = {64, 48, 1};
    const cl_image_format format = {CL_R, CL_FLOAT};
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 64, .image_height = 48};
    const char *name = image_kernels[_i];
    size_t pitch;
    cl_int err;
    host_set_up("warning", "false", source);
    other = cl_buffer(context, 0, BYTES, NULL);
    for (int i = 0; i < COUNT; i++)
        texels[i] = (float)i;
    for (int round = 0; round < 2; round++) {
        cl_mem image = clCreateImage(context, CL_MEM_COPY_HOST_PTR, &format, &desc, texels, &err);
        cl_ok(err);
        volatile cl_int *at = NULL;
        if (round) {
            at = clEnqueueMapImage(queue, image, CL_TRUE, CL_MAP_READ, origin, size, &pitch, NULL, 0, NULL,
                                   NULL, &err);
            cl_ok(err);
            cl_ok(clEnqueueUnmapMemObject(queue, image, (void *)(uintptr_t)at, 0, NULL, NULL));
        }
        cl_ok(clEnqueueFillBuffer(queue, other, &(cl_int){0}, 4, 0, BYTES, 0, NULL, NULL));
        run(name, image);
        if (round)
            touch_meanwhile(at, load_there);
        cl_ok(clEnqueueReadBuffer(queue, other, CL_TRUE, 0, BYTES, got[round], 0, NULL, NULL));
        cl_ok(
            clEnqueueReadImage(queue, image, CL_TRUE, origin, size, 0, 0, round ? now : want, 0, NULL, NULL));
        cl_ok(clReleaseMemObject(image));
    }
    ck_assert_msg(reported() == 1, "%s: %zu findings", name, reported());
    ck_assert(!memcmp(got[0], got[1], BYTES));
    ck_assert(!memcmp(now, want, BYTES));
}
END_TEST

/* Each of them moves bytes from or to the memory that is closed. */
START_TEST(transfers_leave_it_closed)
{
    static cl_int host[COUNT];
    set_up(_i < 5);
    fill_in();
    cl_ok(clFinish(queue));
    volatile cl_int *const at = shared ? shared : map(CL_MAP_READ);
    if (!shared)
        unmap((cl_int *)(uintptr_t)at);
    switch (_i) {
    case 0: cl_ok(clEnqueueSVMMemcpy(queue, CL_FALSE, host, shared, BYTES, 0, NULL, NULL)); break;
    case 1: cl_ok(clEnqueueSVMMemcpy(queue, CL_FALSE, shared, host, BYTES, 0, NULL, NULL)); break;
    case 2:
        cl_ok(clEnqueueSVMMemcpy(queue, CL_FALSE, shared, shared + COUNT / 2, BYTES / 2, 0, NULL, NULL));
        break;
    case 3: cl_ok(clEnqueueSVMMemFill(queue, shared, &(cl_int){0}, 4, BYTES, 0, NULL, NULL)); break;
    case 4: cl_ok(clEnqueueReadBuffer(queue, other, CL_FALSE, 0, BYTES, shared, 0, NULL, NULL)); break;
    case 5: cl_ok(clEnqueueReadBuffer(queue, buffer, CL_FALSE, 0, BYTES, host, 0, NULL, NULL)); break;
    case 6: cl_ok(clEnqueueWriteBuffer(queue, buffer, CL_FALSE, 0, BYTES, host, 0, NULL, NULL)); break;
    case 7: cl_ok(clEnqueueCopyBuffer(queue, buffer, other, 0, 0, BYTES, 0, NULL, NULL)); break;
    case 8: cl_ok(clEnqueueCopyBuffer(queue, other, buffer, 0, 0, BYTES, 0, NULL, NULL)); break;
    case 9: cl_ok(clEnqueueFillBuffer(queue, buffer, &(cl_int){0}, 4, 0, BYTES, 0, NULL, NULL)); break;
    }
    touch_meanwhile(at + 6, load_there);
    ck_assert_uint_eq(reported(), 1);
    const bool reads = _i == 0 || _i == 5 || _i == 7;
    ck_assert_int_eq(sink, _i == 2 ? COUNT / 2 + 6 : reads ? 6 : 0);
    if (_i == 0 || _i == 5)
        ck_assert_int_eq(host[COUNT - 1], COUNT - 1);
}
END_TEST

START_TEST(a_store_takes_effect)
{
    struct orrery_finding finding;
    set_up(_i == 0);
    fill_in();
    cl_ok(clFinish(queue));
    volatile cl_int *const at = shared ? shared : map(CL_MAP_READ);
    if (!shared)
        unmap((cl_int *)(uintptr_t)at);
    touch_meanwhile(at + 100, store_there);
    ck_assert_uint_eq(orrery_finding_count(), 1);
    ck_assert_int_eq(orrery_finding_get(0, &finding), 0);
    ck_assert_str_eq(finding.id, "race-host-device");
    ck_assert_ptr_nonnull(strstr(finding.access[0].what, "store"));
    ck_assert_ptr_nonnull(strstr(finding.why, "unmaps these bytes"));
    run("uniform_load", shared ? NULL : buffer);
    cl_ok(clFinish(queue));
    const cl_int *now = map(CL_MAP_READ);
    ck_assert_int_eq(now[100], 12345);
    ck_assert_int_eq(now[99], 99);
}
END_TEST

/* A command may be reported of by what the maps were when it happened. */
START_TEST(current_maps_count)
{
    struct orrery_finding finding;
    set_up(true);
    run("rows", NULL);
    touch_meanwhile(shared + 8, store_there);
    (void)map(CL_MAP_READ);
    unmap(shared);
    ck_assert_uint_eq(reported(), 1);
    ck_assert_int_eq(orrery_finding_get(0, &finding), 0);
    ck_assert_ptr_nonnull(strstr(finding.why, "only while it is mapped"));
}
END_TEST

/* One page is mapped, a kernel works on another. */
START_TEST(mapped_pages_are_open)
{
    set_up(true);
    fill_in();
    cl_ok(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_WRITE, shared + COUNT - 1024, PAGE, 0, NULL, NULL));
    run("uniform_load", NULL);
    touch_meanwhile(shared + COUNT - 1, store_there);
    ck_assert_uint_eq(reported(), 0);
    ck_assert_int_eq(shared[COUNT - 1], 12345);
    cl_ok(clEnqueueSVMUnmap(queue, shared + COUNT - 1024, 0, NULL, NULL));
    cl_ok(clFinish(queue));
    ck_assert_uint_eq(reported(), 0);
}
END_TEST

static void CL_CALLBACK own(void *arguments)
{
    cl_int *pointer;
    memcpy(&pointer, arguments, sizeof pointer);
    pointer[0] += pointer[1];
}

START_TEST(a_native_kernel_has_all_memory)
{
    set_up(true);
    fill_in();
    cl_ok(clEnqueueNativeKernel(queue, own, &shared, sizeof shared, 0, NULL, NULL, 0, NULL, NULL));
    run("rows", NULL);
    cl_ok(clFinish(queue));
    ck_assert_uint_eq(orrery_finding_count(), 0);
    (void)map(CL_MAP_READ);
    ck_assert_int_eq(shared[0], 1);
    ck_assert_int_eq(shared[4], 8);
}
END_TEST

/* Later stores of parent and child are their own, and the parent is watched as before. */
START_TEST(a_child_has_a_copy)
{
    int ends[2], status;
    char go = 0;
    set_up(true);
    fill_in();
    (void)map(CL_MAP_READ | CL_MAP_WRITE);
    ck_assert_int_eq(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) {
        const bool fine = shared[10] == 10 && read(ends[0], &go, 1) == 1 && shared[11] == 11;
        shared[12] = 0;
        _exit(fine ? 0 : 1);
    }
    shared[11] = 0;
    ck_assert_int_eq(write(ends[1], &go, 1), 1);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
    ck_assert_int_eq(shared[12], 12);
    unmap(shared);
    run("rows", NULL);
    ck_assert_uint_eq(reported(), 0);
    touch_meanwhile(shared + 11, load_there);
    ck_assert_uint_eq(reported(), 1);
    ck_assert_int_eq(sink, 11);
}
END_TEST

/* Memory allocated again is zero, and of very many allocations each still has its bytes. */
START_TEST(allocations_made_and_freed)
{
    enum { MANY = 400 };
    static cl_int *some[MANY];
    set_up(true);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < MANY; i++) {
            ck_assert_ptr_nonnull(some[i] = clSVMAlloc(context, CL_MEM_READ_WRITE, 64 + (size_t)i * 100, 0));
            cl_ok(clEnqueueSVMMemFill(queue, some[i], &i, 4, 64, 0, NULL, NULL));
        }
        for (int i = 0; i < MANY; i++) {
            cl_ok(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, some[i], 64, 0, NULL, NULL));
            ck_assert_int_eq(some[i][0], i);
            ck_assert_int_eq(some[i][15], i);
            cl_ok(clEnqueueSVMUnmap(queue, some[i], 0, NULL, NULL));
        }
        cl_ok(clFinish(queue));
        for (int i = 0; i < MANY; i++)
            clSVMFree(context, some[i]);
    }
    ck_assert_uint_eq(reported(), 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("the host while commands run");
    TCase *tests = tcase_create("another thread");
    setenv("ORRERY_QUIET", "1", 0);
    tcase_add_checked_fixture(tests, NULL, cl_tear_down);
    tcase_set_timeout(tests, 60);
    tcase_add_loop_test(tests, kernels_leave_it_closed, 0, 2 * KERNELS);
    tcase_add_loop_test(tests, image_kernels_leave_it_closed, 0, IMAGE_KERNELS);
    tcase_add_loop_test(tests, transfers_leave_it_closed, 0, 10);
    tcase_add_loop_test(tests, a_store_takes_effect, 0, 2);
    tcase_add_test(tests, current_maps_count);
    tcase_add_test(tests, mapped_pages_are_open);
    tcase_add_test(tests, a_native_kernel_has_all_memory);
    tcase_add_test(tests, a_child_has_a_copy);
    tcase_add_test(tests, allocations_made_and_freed);
    suite_add_tcase(suite, tests);
    return cl_run_suite(suite);
}
