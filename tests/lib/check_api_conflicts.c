/* SPDX-License-Identifier: Apache-2.0 */
/* Which bytes commands and the host touch, where nothing orders them: parts of buffers, maps, what is
 * moved, freed or kept in a pipe. */
#include <setjmp.h>
#include <signal.h>

#include "tests/support/order_fixture.h"

/* ---- commands ----------------------------------------------------------------------------------- */

START_TEST(sub_buffers_that_overlap)
{
    cl_int err;
    cl_mem whole = cl_buffer(context, CL_MEM_READ_WRITE, 4096, NULL);
    cl_buffer_region low = {0, 2048}, high = {1024, 2048}, apart = {3072, 1024};
    cl_mem a = clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &low, &err);
    cl_mem b = clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &high, &err);
    cl_mem c = clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &apart, &err);
    cl_ok(err);
    cl_ok(clEnqueueFillBuffer(queue, a, &one, sizeof one, 0, 2048, 0, NULL, NULL));
    cl_ok(clEnqueueFillBuffer(second, c, &one, sizeof one, 0, 1024, 0, NULL, NULL));
    ck_assert(!race());
    cl_ok(clEnqueueFillBuffer(queue, a, &one, sizeof one, 0, 2048, 0, NULL, NULL));
    cl_ok(clEnqueueFillBuffer(second, b, &one, sizeof one, 0, 2048, 0, NULL, NULL));
    ck_assert(race());
}
END_TEST

static void migrate(cl_command_queue on, cl_mem_migration_flags flags, cl_uint count, const cl_event *waits)
{
    cl_ok(clEnqueueMigrateMemObjects(on, 1, &buffer, flags, count, waits, NULL));
}

/* 5.5.4: the program has to avoid that others access it meanwhile. */
START_TEST(memory_that_is_migrated)
{
    cl_event event = fill(queue, 0, NULL);
    migrate(second, 0, 1, &event);
    migrate(queue, CL_MIGRATE_MEM_OBJECT_HOST, 0, NULL); /* two that only move it */
    ck_assert(!race());
    fill(second, 0, NULL);
    migrate(queue, 0, 0, NULL);
    ck_assert_uint_eq(races(), 1);
    migrate(second, 0, 0, NULL);
    migrate(queue, CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED, 0, NULL);
    ck_assert_uint_eq(races(), 2);
    cl_int err;
    void *mapped = clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_READ, 0, 64, 0, NULL, NULL, &err);
    cl_ok(err);
    migrate(queue, 0, 0, NULL);
    ck_assert_uint_eq(races() + findings_of("mapped-access"), 2);
    migrate(queue, CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED, 0, NULL);
    ck_assert_uint_eq(races() + findings_of("mapped-access"), 3);
    cl_ok(clEnqueueUnmapMemObject(queue, buffer, mapped, 0, NULL, NULL));
}
END_TEST

START_TEST(contents_that_a_migration_discards)
{
    const size_t items = 1;
    for (cl_mem_migration_flags discards = 0; discards <= CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED;
         discards += CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED) {
        cl_kernel kernel =
            cl_kernel_of(context, "kernel void k(global uint *p) { if (p[0] == 7) p[1] = 3; }", "");
        cl_ok(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
        fill(queue, 0, NULL);
        migrate(queue, discards, 0, NULL);
        cl_ok(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL));
        ck_assert(!race());
        ck_assert_uint_eq(findings_of("uninitialised-branch"), discards != 0);
        cl_ok(clReleaseKernel(kernel));
    }
}
END_TEST

START_TEST(shared_memory_that_is_migrated)
{
    char *words = clSVMAlloc(context, CL_MEM_READ_WRITE, 64, 0);
    const void *past = words + 32;
    const size_t sizes[] = {16, 0};
    for (size_t i = 0; i < 2; i++) { /* a part, and all of it */
        cl_ok(clEnqueueSVMMemFill(queue, words + 48, &one, sizeof one, 16, 0, NULL, NULL));
        cl_ok(clEnqueueSVMMigrateMem(second, 1, &past, &sizes[i], 0, 0, NULL, NULL));
        ck_assert_uint_eq(races(), i);
    }
    cl_ok(clEnqueueSVMMigrateMem(queue, 1, &past, NULL, 0, 0, NULL, NULL));
    cl_ok(clEnqueueSVMMigrateMem(second, 1, &past, NULL, CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED, 0, NULL,
                                 NULL));
    ck_assert_uint_eq(races(), 2);
    clSVMFree(context, words);
}
END_TEST

static cl_event run_on(cl_command_queue on, cl_kernel kernel, const cl_event *waits)
{
    const size_t items = 4;
    cl_event event;
    cl_ok(clEnqueueNDRangeKernel(on, kernel, 1, NULL, &items, NULL, waits != NULL, waits, &event));
    return event;
}

/* Glossary, Pipe: at any one time one kernel instance may write into it, and one may read. */
START_TEST(sides_of_a_pipe)
{
    cl_int err;
    const char *text = _i ? "kernel void k(read_only pipe uint p) { uint x; read_pipe(p, &x); }"
                          : "kernel void k(write_only pipe uint p) { uint x = 3; write_pipe(p, &x); }";
    const char *other_text = _i ? "kernel void k(write_only pipe uint p) { uint x = 3; write_pipe(p, &x); }"
                                : "kernel void k(read_only pipe uint p) { uint x; read_pipe(p, &x); }";
    cl_kernel kernel = cl_kernel_of(context, text, "-cl-std=CL2.0"),
              other = cl_kernel_of(context, other_text, "-cl-std=CL2.0");
    cl_mem pipe = clCreatePipe(context, 0, sizeof(cl_uint), 64, NULL, &err);
    cl_ok(err);
    cl_ok(clSetKernelArg(kernel, 0, sizeof pipe, &pipe));
    cl_ok(clSetKernelArg(other, 0, sizeof pipe, &pipe));
    cl_event event = run_on(queue, kernel, NULL);
    run_on(second, other, NULL); /* the other side */
    run_on(unordered, kernel, &event);
    ck_assert(!race());
    run_on(queue, kernel, NULL);
    run_on(unordered, kernel, NULL);
    ck_assert_uint_eq(races(), 1);
    const struct orrery_finding finding = finding_last("race-commands");
    ck_assert_str_eq(finding.access[1].what,
                     _i ? "reading of packets by a kernel" : "writing of packets by a kernel");
    ck_assert_ptr_nonnull(strstr(finding.access[0].by, "kernel k, clEnqueueNDRangeKernel (command "));
    ck_assert_uint_eq(finding.access[0].line, 1);
    ck_assert_str_eq(finding.access[0].text, text);
    ck_assert_ptr_nonnull(strstr(finding.object, "(64 packets of 4 bytes), argument 0 'p'"));
    ck_assert_ptr_nonnull(
        strstr(finding.why, _i ? "only one of the kernels that read from a pipe may run at a time"
                               : "only one of the kernels that write into a pipe may run at a time"));
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseKernel(other));
    cl_ok(clReleaseMemObject(pipe));
}
END_TEST

START_TEST(host_memory_that_two_commands_share)
{
    cl_uint bytes[16];
    cl_mem other = cl_buffer(context, CL_MEM_READ_WRITE, 64, NULL);
    cl_ok(clEnqueueReadBuffer(queue, buffer, CL_FALSE, 0, 64, bytes, 0, NULL, NULL));
    cl_ok(clEnqueueWriteBuffer(second, other, CL_FALSE, 0, 64, bytes, 0, NULL, NULL));
    ck_assert(race());
}
END_TEST

/* ---- pointers of the host ------------------------------------------------------------------------ */

static cl_uint *map_on(cl_command_queue on, cl_mem of, cl_bool blocking, cl_map_flags flags, cl_uint count,
                       const cl_event *waits, cl_event *event)
{
    cl_int err;
    cl_uint *bytes = clEnqueueMapBuffer(on, of, blocking, flags, 0, 64, count, waits, event, &err);
    cl_ok(err);
    return bytes;
}

/* 5.6.1: the pointers are to a host or SVM allocation, and what is mapped is the host's (5.5.3). */
START_TEST(a_mapped_region_is_copied_as_the_hosts)
{
    cl_uint *words = clSVMAlloc(context, CL_MEM_READ_WRITE, 64, 0), seen[16] = {0};
    fill(queue, 0, NULL);
    cl_ok(clEnqueueSVMMemFill(queue, words, &two, sizeof two, 64, 0, NULL, NULL));
    cl_uint *bytes =
        map_on(queue, buffer, CL_TRUE, _i ? CL_MAP_WRITE : CL_MAP_READ | CL_MAP_WRITE, 0, NULL, NULL);
    cl_ok(clEnqueueSVMMemcpy(queue, CL_TRUE, seen, bytes, 32, 0, NULL, NULL));
    cl_ok(clEnqueueSVMMemcpy(queue, CL_TRUE, bytes, words, 32, 0, NULL, NULL));
    cl_ok(clEnqueueSVMMemcpy(queue, CL_TRUE, words, bytes + 8, 32, 0, NULL, NULL));
    cl_ok(clEnqueueUnmapMemObject(queue, buffer, bytes, 0, NULL, NULL));
    cl_ok(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 32, seen + 8, 0, NULL, NULL));
    ck_assert(!race() && !findings_of("mapped-access") && !findings_of("race-host-device"));
    ck_assert(seen[0] == one && seen[7] == one && seen[8] == two && seen[15] == two);
    bytes = map_on(queue, buffer, CL_TRUE, CL_MAP_WRITE, 0, NULL, NULL);
    cl_ok(clEnqueueSVMMemcpy(unordered, CL_FALSE, bytes, words, 32, 0, NULL, NULL));
    cl_ok(clEnqueueUnmapMemObject(queue, buffer, bytes, 0, NULL, NULL));
    ck_assert_uint_eq(races(), 1);
    clSVMFree(context, words);
}
END_TEST

START_TEST(copies_within_the_hosts_memory)
{
    cl_uint from[16] = {7}, to[16], back[16];
    cl_event copied;
    cl_ok(clEnqueueSVMMemcpy(queue, CL_FALSE, to, from, 32, 0, NULL, &copied));
    cl_ok(clEnqueueSVMMemcpy(second, CL_FALSE, to + 8, from, 32, 0, NULL, NULL));
    cl_ok(clEnqueueSVMMemcpy(second, CL_FALSE, back, to, 32, 1, &copied, NULL));
    ck_assert(!race() && back[0] == 7);
    cl_ok(clEnqueueSVMMemcpy(queue, CL_FALSE, to, from, 32, 0, NULL, NULL));
    cl_ok(clEnqueueSVMMemcpy(second, CL_FALSE, to + 7, from + 8, 32, 0, NULL, NULL));
    ck_assert_uint_eq(races(), 1);
    cl_ok(clEnqueueSVMMemcpy(queue, CL_FALSE, to, from, 32, 0, NULL, NULL));
    cl_ok(clEnqueueReadBuffer(second, buffer, CL_FALSE, 0, 16, from, 0, NULL, NULL));
    ck_assert_uint_eq(races(), 2);
    cl_ok(clReleaseEvent(copied));
}
END_TEST

/* 5.2.1: the memory is the storage of the buffer. The read of another one stores there, by its number
 * first or last. */
START_TEST(memory_that_a_buffer_was_made_with)
{
    static cl_uint memory[32], one_more[16];
    const bool reads_first = _i & 1, made_later = _i & 2, ordered = _i & 4, apart = _i & 8;
    const cl_command_queue reader = _i & 16 ? unordered : second;
    cl_event event = NULL;
    cl_mem own = made_later ? NULL : cl_buffer(context, CL_MEM_USE_HOST_PTR, 64, memory);
    fill(queue, 0, NULL);
    cl_ok(clFinish(queue));
    if (reads_first)
        cl_ok(clEnqueueReadBuffer(reader, buffer, CL_FALSE, 0, 64, memory + (apart ? 16 : 15), 0, NULL,
                                  &event));
    cl_ok(clFlush(reader));
    if (made_later)
        own = cl_buffer(context, CL_MEM_USE_HOST_PTR, 64, memory);
    cl_event *out = reads_first ? NULL : &event;
    cl_ok(clEnqueueFillBuffer(unordered, own, &two, sizeof two, 0, 64, ordered && reads_first,
                              ordered && reads_first ? &event : NULL, out));
    cl_ok(clFlush(unordered));
    if (!reads_first)
        cl_ok(clEnqueueReadBuffer(reader, buffer, CL_FALSE, 0, 64, memory + (apart ? 16 : 15), ordered,
                                  ordered ? &event : NULL, NULL));
    ck_assert_uint_eq(races(), !ordered && !apart);
    if (race()) {
        const struct orrery_finding finding = finding_last("race-commands");
        ck_assert_ptr_nonnull(
            strstr(finding.access[reads_first ? 0 : 1].what, "write by clEnqueueReadBuffer"));
        ck_assert_ptr_nonnull(
            strstr(finding.access[reads_first ? 1 : 0].what, "write by clEnqueueFillBuffer"));
        ck_assert_uint_eq(finding.access[0].size_bytes, 4);
        ck_assert_str_eq(finding.fix_claim, "orders");
    }
    /* memory of no allocation */
    cl_ok(clEnqueueWriteBuffer(queue, buffer, CL_FALSE, 0, 64, one_more, 0, NULL, NULL));
    cl_ok(clReleaseEvent(event));
    cl_ok(clReleaseMemObject(own));
}
END_TEST

/* Both sides are reported once, and two that only read are no race. */
START_TEST(memory_of_a_buffer_that_is_read)
{
    static cl_uint memory[16];
    cl_mem own = cl_buffer(context, CL_MEM_USE_HOST_PTR, 64, memory);
    fill(queue, 0, NULL);
    cl_ok(clFinish(queue));
    cl_ok(clEnqueueCopyBuffer(queue, own, buffer, 0, 32, 32, 0, NULL, NULL));
    cl_ok(clEnqueueWriteBuffer(second, buffer, CL_FALSE, 0, 32, memory, 0, NULL, NULL));
    ck_assert(!race());
    cl_ok(clEnqueueReadBuffer(queue, own, CL_FALSE, 0, 64, memory, 0, NULL, NULL));
    cl_ok(clEnqueueReadBuffer(queue, own, CL_FALSE, 0, 64, memory, 0, NULL, NULL));
    ck_assert(!race());
    cl_ok(clEnqueueReadBuffer(queue, own, CL_FALSE, 0, 64, memory, 0, NULL, NULL));
    cl_ok(clEnqueueReadBuffer(second, own, CL_FALSE, 0, 64, memory, 0, NULL, NULL));
    ck_assert_uint_eq(races(), 1);
    cl_ok(clReleaseMemObject(own));
}
END_TEST

/* A read into the region, and the unmap: as of a buffer that has memory of its own. */
START_TEST(a_read_into_memory_that_is_mapped)
{
    static cl_uint memory[16];
    cl_event event;
    cl_mem own = _i & 1 ? cl_buffer(context, CL_MEM_USE_HOST_PTR, 64, memory)
                        : cl_buffer(context, CL_MEM_READ_WRITE, 64, NULL);
    fill(queue, 0, NULL);
    cl_ok(clFinish(queue));
    cl_uint *bytes = map_on(unordered, own, CL_TRUE, CL_MAP_WRITE, 0, NULL, NULL);
    cl_ok(clEnqueueReadBuffer(unordered, buffer, CL_FALSE, 0, 64, bytes, 0, NULL, &event));
    cl_ok(clEnqueueUnmapMemObject(unordered, own, bytes, _i & 2 ? 1 : 0, _i & 2 ? &event : NULL, NULL));
    ck_assert_uint_eq(races(), !(_i & 2));
    cl_ok(clReleaseEvent(event));
    cl_ok(clReleaseMemObject(own));
}
END_TEST

/* 5.2.4: what is read through the pointer is there when the map is complete. */
START_TEST(write_from_a_map_without_a_wait)
{
    const bool write_first = _i & 1, waits = _i & 2, mapped_before = _i & 4;
    const size_t expected = !waits && !mapped_before;
    cl_event gate = cl_user_event(context), map, before;
    cl_mem other = cl_buffer(context, CL_MEM_READ_WRITE, 64, NULL);
    fill(queue, 0, NULL);
    cl_ok(clFinish(queue));
    cl_uint *first = mapped_before ? map_on(queue, buffer, CL_FALSE, CL_MAP_READ, 0, NULL, &before) : NULL;
    cl_uint *bytes =
        map_on(unordered, buffer, CL_FALSE, CL_MAP_READ, write_first, write_first ? &gate : NULL, &map);
    const cl_event *event = waits ? &map : mapped_before ? &before : NULL;
    cl_ok(clFlush(queue));
    cl_ok(clEnqueueWriteBuffer(second, other, CL_FALSE, 0, 64, bytes, event != NULL, event, NULL));
    cl_ok(clFlush(second));
    cl_ok(clSetUserEventStatus(gate, CL_COMPLETE));
    ck_assert_uint_eq(races(), expected);
    if (expected)
        ck_assert_ptr_nonnull(strstr(finding_last("race-commands").why, "when the map is complete"));
    cl_ok(clEnqueueUnmapMemObject(unordered, buffer, bytes, 0, NULL, NULL));
    if (first)
        cl_ok(clEnqueueUnmapMemObject(unordered, buffer, first, 0, NULL, NULL));
    ck_assert_uint_eq(races(), expected);
    if (mapped_before)
        cl_ok(clReleaseEvent(before));
    cl_ok(clReleaseEvent(map));
    cl_ok(clReleaseEvent(gate));
    cl_ok(clReleaseMemObject(other));
}
END_TEST

/* The host reads it when it makes the call. */
START_TEST(shared_memory_that_a_buffer_is_made_from)
{
    void *shared = clSVMAlloc(context, CL_MEM_READ_WRITE, 64, 0);
    cl_ok(clEnqueueSVMMemFill(queue, shared, &one, sizeof one, 64, 0, NULL, NULL));
    if (_i)
        cl_ok(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, shared, 64, 0, NULL, NULL));
    cl_mem made = cl_buffer(context, CL_MEM_COPY_HOST_PTR, 64, shared);
    if (_i)
        cl_ok(clEnqueueSVMUnmap(queue, shared, 0, NULL, NULL));
    cl_ok(clFinish(queue));
    ck_assert_uint_eq(findings_of("race-host-device"), !_i);
    if (!_i)
        ck_assert_ptr_nonnull(strstr(finding_last("race-host-device").access[0].file, "cl_fixture.h"));
    cl_ok(clReleaseMemObject(made));
    clSVMFree(context, shared);
}
END_TEST

/* The map waits for a user event, and that for the write: they are ordered, the wrong way round. */
START_TEST(a_write_that_the_map_waits_for)
{
    cl_event gate = cl_user_event(context);
    cl_mem other = cl_buffer(context, CL_MEM_READ_WRITE, 64, NULL);
    fill(queue, 0, NULL);
    cl_ok(clFinish(queue));
    cl_uint *bytes = map_on(queue, buffer, CL_FALSE, _i & 1 ? CL_MAP_READ : CL_MAP_WRITE, 1, &gate, NULL);
    cl_ok(clEnqueueWriteBuffer(second, other, CL_TRUE, 0, 64, bytes, 0, NULL, NULL));
    cl_ok(clSetUserEventStatus(gate, CL_COMPLETE));
    ck_assert_uint_eq(races(), 1);
    ck_assert_ptr_nonnull(strstr(finding_last("race-commands").why, "and the map even waits for it"));
    cl_ok(clEnqueueWriteBuffer(second, other, CL_TRUE, 0, 64, bytes, 0, NULL, NULL));
    cl_ok(clEnqueueUnmapMemObject(queue, buffer, bytes, 0, NULL, NULL));
    ck_assert_uint_eq(races(), 1);
    cl_ok(clReleaseEvent(gate));
    cl_ok(clReleaseMemObject(other));
}
END_TEST

/* ---- the host itself ------------------------------------------------------------------------- */

static size_t host_races(void)
{
    return findings_of("race-host-device");
}

static int *shared_memory(void)
{
    int *shared = clSVMAlloc(context, CL_MEM_READ_WRITE, 3 * 4096, 0);
    ck_assert_ptr_nonnull(shared);
    return shared;
}

START_TEST(shared_memory_that_is_not_mapped)
{
    volatile int *shared = shared_memory();
    ck_assert_uint_eq(host_races(), 0);
    shared[0] = 1;
    ck_assert_uint_eq(host_races(), 1);
    ck_assert_int_eq(shared[0], 1); /* it went ahead */
    clSVMFree(context, (void *)(uintptr_t)shared);
}
END_TEST

START_TEST(shared_memory_that_is_mapped)
{
    volatile int *shared = shared_memory();
    void *pointer = (void *)(uintptr_t)shared;
    cl_ok(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_WRITE, pointer, 3 * 4096, 0, NULL, NULL));
    for (int i = 0; i < 3 * 1024; i++)
        shared[i] = i;
    ck_assert_uint_eq(host_races(), 0);
    cl_ok(clEnqueueSVMUnmap(queue, pointer, 0, NULL, NULL));
    ck_assert_uint_eq(host_races(), 0);
    ck_assert_int_eq(shared[5], 5);
    ck_assert_uint_eq(host_races(), 1);
    cl_ok(clFinish(queue));
    cl_ok(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, pointer, 3 * 4096, 0, NULL, NULL));
    ck_assert_int_eq(shared[2048], 2048);
    cl_ok(clEnqueueSVMUnmap(queue, pointer, 0, NULL, NULL));
    cl_ok(clFinish(queue));
    ck_assert_uint_eq(host_races(), 1);
    clSVMFree(context, pointer);
}
END_TEST

START_TEST(a_map_that_is_not_waited_for)
{
    cl_int err;
    cl_event mapped;
    fill(queue, 0, NULL);
    volatile cl_uint *bytes =
        clEnqueueMapBuffer(queue, buffer, CL_FALSE, CL_MAP_READ, 0, 64, 0, NULL, &mapped, &err);
    cl_ok(err);
    clFlush(queue);
    while (cl_status(mapped) != CL_COMPLETE)
        ;
    ck_assert_uint_eq(bytes[0], one);
    ck_assert_uint_eq(host_races(), 1);
    cl_ok(clWaitForEvents(1, &mapped));
    ck_assert_uint_eq(bytes[1], one);
    ck_assert_uint_eq(host_races(), 1);
    cl_ok(clEnqueueUnmapMemObject(queue, buffer, (void *)(uintptr_t)bytes, 0, NULL, NULL));
    ck_assert_uint_eq(bytes[2], one);
    ck_assert_uint_eq(host_races(), 2);
}
END_TEST

START_TEST(a_map_that_a_later_wait_covers)
{
    cl_int err;
    cl_event filled;
    volatile cl_uint *bytes =
        clEnqueueMapBuffer(queue, buffer, CL_FALSE, CL_MAP_READ, 0, 64, 0, NULL, NULL, &err);
    cl_mem other = cl_buffer(context, CL_MEM_READ_WRITE, 64, NULL);
    cl_ok(clEnqueueFillBuffer(queue, other, &one, sizeof one, 0, 64, 0, NULL, &filled));
    cl_ok(clWaitForEvents(1, &filled)); /* of the same in-order queue, after the map */
    ck_assert_uint_eq(bytes[0], 0);
    ck_assert_uint_eq(host_races(), 0);
    cl_ok(clEnqueueUnmapMemObject(queue, buffer, (void *)(uintptr_t)bytes, 0, NULL, NULL));
}
END_TEST

/* A fault of the program's own goes where it would have gone. */
static volatile sig_atomic_t own_faults;
static sigjmp_buf after_fault;
static void own_handler(int number)
{
    (void)number;
    own_faults++;
    siglongjmp(after_fault, 1);
}

static void provoke_own_fault(void)
{
    int *volatile nowhere = (int *)(uintptr_t)8;
    if (sigsetjmp(after_fault, 1) == 0)
        *nowhere = 1;
}

START_TEST(faults_of_the_program_itself)
{
    signal(SIGSEGV, own_handler); /* before ours */
    volatile int *shared = shared_memory();
    provoke_own_fault();
    ck_assert_int_eq(own_faults, 1);
    shared[0] = 1;
    ck_assert_int_eq(own_faults, 1);
    ck_assert_uint_eq(host_races(), 1);
    signal(SIGSEGV, own_handler); /* after ours */
    cl_ok(clEnqueueSVMMemFill(queue, (void *)(uintptr_t)shared, &two, sizeof two, 4096, 0, NULL, NULL));
    cl_ok(clFinish(queue));
    provoke_own_fault();
    ck_assert_int_eq(own_faults, 2);
    shared[1] = 1;
    ck_assert_int_eq(own_faults, 2);
    clSVMFree(context, (void *)(uintptr_t)shared);
    provoke_own_fault();
    ck_assert_int_eq(own_faults, 3);
}
END_TEST

/* ---- memory that goes -------------------------------------------------------------------- */

/* Freed by a command that nothing orders, whichever runs first; a free that ran first once was reported
 * alone. */
START_TEST(shared_memory_that_a_command_frees)
{
    const bool kernel_first = _i & 1, ordered = _i & 2;
    const cl_command_queue on = _i & 4 ? unordered : queue, frees = _i & 4 ? unordered : second;
    const size_t items = 16;
    cl_event event = NULL;
    cl_kernel kernel =
        cl_kernel_of(context, "kernel void k(global uint *p) { p[get_global_id(0)] = 1; }", "");
    void *shared = clSVMAlloc(context, CL_MEM_READ_WRITE, 4096, 0);
    cl_ok(clSetKernelArgSVMPointer(kernel, 0, shared));
    if (kernel_first || ordered) {
        cl_ok(clEnqueueNDRangeKernel(on, kernel, 1, NULL, &items, NULL, 0, NULL, &event));
        while (cl_status(event) != CL_COMPLETE) /* that is no synchronization point */
            ;
    }
    cl_ok(clEnqueueSVMFree(frees, 1, &shared, NULL, NULL, ordered, ordered ? &event : NULL, NULL));
    cl_ok(clFlush(frees));
    if (!kernel_first && !ordered)
        cl_ok(clEnqueueNDRangeKernel(on, kernel, 1, NULL, &items, NULL, 0, NULL, &event));
    const size_t reported = races() + findings_of("use-after-free");
    ck_assert_uint_eq(reported, !ordered);
    ck_assert_uint_eq(races(), kernel_first && !ordered);
    cl_ok(clReleaseEvent(event));
    cl_ok(clReleaseKernel(kernel));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("what commands touch");
    TCase *cases = tcase_create("calls");
    tcase_add_checked_fixture(cases, set_up, tear_down);
#define ADD(test) tcase_add_test(cases, test)
    ADD(sub_buffers_that_overlap);
    ADD(memory_that_is_migrated);
    ADD(shared_memory_that_is_migrated);
    tcase_add_loop_test(cases, sides_of_a_pipe, 0, 2);
    ADD(host_memory_that_two_commands_share);
    tcase_add_loop_test(cases, a_mapped_region_is_copied_as_the_hosts, 0, 2);
    ADD(copies_within_the_hosts_memory);
    tcase_add_loop_test(cases, memory_that_a_buffer_was_made_with, 0, 32);
    ADD(memory_of_a_buffer_that_is_read);
    tcase_add_loop_test(cases, a_read_into_memory_that_is_mapped, 0, 4);
    tcase_add_loop_test(cases, write_from_a_map_without_a_wait, 0, 8);
    tcase_add_loop_test(cases, a_write_that_the_map_waits_for, 0, 2);
    tcase_add_loop_test(cases, shared_memory_that_a_buffer_is_made_from, 0, 2);
    ADD(shared_memory_that_is_not_mapped);
    ADD(shared_memory_that_is_mapped);
    ADD(a_map_that_is_not_waited_for);
    ADD(a_map_that_a_later_wait_covers);
    ADD(faults_of_the_program_itself);
    tcase_add_loop_test(cases, shared_memory_that_a_command_frees, 0, 8);
#undef ADD
    TCase *uninitialized = tcase_create("uninitialized");
    tcase_add_checked_fixture(uninitialized, set_up_uninitialized, tear_down);
    tcase_add_test(uninitialized, contents_that_a_migration_discards);
    suite_add_tcase(suite, cases);
    suite_add_tcase(suite, uninitialized);
    return cl_run_suite(suite);
}
