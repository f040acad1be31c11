/* SPDX-License-Identifier: Apache-2.0 */
/* Pipes: clCreatePipe and clGetPipeInfo, and the functions of kernels under every schedule. */
#include <stdio.h>

#include "tests/support/cl_fixture.h"

static const char source[] =
    "kernel void produce(write_only pipe int p, global int *ok)\n"
    "{ int i = get_global_id(0), x = 100 + i; ok[i] = write_pipe(p, &x); }\n"
    "kernel void consume(read_only pipe int p, global int *out, global int *ok)\n"
    "{ int i = get_global_id(0); out[i] = -5; ok[i] = read_pipe(p, &out[i]); }\n"
    "kernel void count(read_only pipe int p, global int *out)\n"
    "{ out[0] = get_pipe_num_packets(p); out[1] = get_pipe_max_packets(p); }\n"
    "kernel void reserved(write_only pipe int p, global int *ok)\n"
    "{ reserve_id_t a = reserve_write_pipe(p, 2), b = reserve_write_pipe(p, 1), c = reserve_write_pipe(p, "
    "100);\n"
    "  int x = 1, y = 2, z = 3;\n"
    "  ok[0] = is_valid_reserve_id(a); ok[1] = is_valid_reserve_id(b); ok[2] = is_valid_reserve_id(c);\n"
    "  ok[3] = write_pipe(p, b, 0, &z); commit_write_pipe(p, b);\n"
    "  ok[4] = get_pipe_num_packets(p);\n"
    "  ok[5] = write_pipe(p, a, 1, &y); ok[6] = write_pipe(p, a, 0, &x); commit_write_pipe(p, a);\n"
    "  ok[7] = get_pipe_num_packets(p); }\n"
    "kernel void groups(write_only pipe int p, global int *ok)\n"
    "{ int i = get_local_id(0), x = get_global_id(0);\n"
    "  reserve_id_t id = work_group_reserve_write_pipe(p, get_local_size(0));\n"
    "  if (is_valid_reserve_id(id)) ok[x] = write_pipe(p, id, i, &x);\n"
    "  work_group_commit_write_pipe(p, id); }\n"
    "kernel void sub_groups(read_only pipe int p, global int *out)\n"
    "{ int i = get_sub_group_local_id(), x = -1;\n"
    "  reserve_id_t id = sub_group_reserve_read_pipe(p, get_sub_group_size());\n"
    "  if (is_valid_reserve_id(id)) read_pipe(p, id, i, &x);\n"
    "  sub_group_commit_read_pipe(p, id); out[get_global_id(0)] = x; }\n"
    "kernel void misuse(write_only pipe int p, global int *ok)\n"
    "{ int x = 1; reserve_id_t id = reserve_write_pipe(p, 2);\n"
    "  ok[0] = write_pipe(p, id, 2, &x); commit_write_pipe(p, id);\n"
    "  ok[1] = write_pipe(p, id, 0, &x); }\n"
    "kernel void leaves(write_only pipe int p, global int *ok)\n"
    "{ int x = 1; reserve_id_t id = reserve_write_pipe(p, 1); ok[0] = write_pipe(p, id, 0, &x); }\n"
    "kernel void group_leaves(write_only pipe int p, global int *ok)\n"
    "{ reserve_id_t id = work_group_reserve_write_pipe(p, 4); int x = 1;\n"
    "  ok[get_local_id(0)] = write_pipe(p, id, get_local_id(0), &x); }\n"
    "kernel void sub_group_leaves(write_only pipe int p, global int *ok)\n"
    "{ reserve_id_t id = sub_group_reserve_write_pipe(p, 4); int x = 1;\n"
    "  ok[get_local_id(0)] = write_pipe(p, id, get_local_id(0), &x); }\n"
    "kernel void half_written(write_only pipe int p, global int *ok)\n"
    "{ int x = 7; reserve_id_t id = reserve_write_pipe(p, 2); ok[0] = write_pipe(p, id, 0, &x); "
    "commit_write_pipe(p, id); }\n"
    "kernel void both_ways(write_only pipe int p, read_only pipe int q, global int *ok)\n"
    "{ int x = 5, y = 0; ok[0] = write_pipe(p, &x); ok[1] = read_pipe(q, &y); }\n"
    "kernel void differ(write_only pipe int p, global int *ok)\n"
    "{ reserve_id_t id = work_group_reserve_write_pipe(p, 1 + get_local_id(0)); int x = 1;\n"
    "  ok[get_local_id(0)] = write_pipe(p, id, 0, &x); work_group_commit_write_pipe(p, id); }\n"
    "kernel void from_outside(write_only pipe int p, global int *ok)\n"
    "{ int x = 6; ok[0] = write_pipe(p, ok + 64); ok[1] = write_pipe(p, &x); ok[2] = 8; }\n"
    "kernel void to_outside(read_only pipe int p, global int *ok, global int *out)\n"
    "{ ok[0] = read_pipe(p, out); ok[1] = read_pipe(p, out + 64); ok[2] = read_pipe(p, out + 1); ok[3] = 9; "
    "}\n"
    "kernel void from_odd(write_only pipe int p, global char *c)\n"
    "{ c[1] = 3; c[2] = c[3] = c[4] = 0; c[9] = write_pipe(p, (global int *)(c + 1)); }\n"
    "kernel void to_odd(read_only pipe int p, global char *c)\n"
    "{ c[9] = read_pipe(p, (global int *)(c + 2)); }\n"
    "kernel void wide(write_only pipe int4 p) { int4 x = 1; write_pipe(p, &x); }\n";

static cl_program program;
static cl_mem words, more;
enum { WORDS = 64 };

static void *control(const char *name)
{
    return clGetExtensionFunctionAddressForPlatform(platform, name);
}

static void set_up(void)
{
    const char *text = source;
    cl_int err = 1;
    cl_set_up();
    program = clCreateProgramWithSource(context, 1, &text, NULL, &err);
    cl_ok(err);
    cl_ok(clBuildProgram(program, 0, NULL, "-cl-std=CL2.0", NULL, NULL));
    words = clCreateBuffer(context, 0, WORDS * sizeof(cl_int), NULL, &err);
    more = clCreateBuffer(context, 0, WORDS * sizeof(cl_int), NULL, &err);
    cl_ok(err);
}

static void tear_down(void)
{
    cl_ok(clReleaseMemObject(words));
    cl_ok(clReleaseMemObject(more));
    cl_ok(clReleaseProgram(program));
    cl_tear_down();
}

static cl_mem new_pipe(cl_uint size, cl_uint count)
{
    cl_int err = 1;
    cl_mem made = clCreatePipe(context, 0, size, count, NULL, &err);
    cl_ok(err);
    return made;
}

static void launch(const char *name, size_t items, size_t group, cl_uint count, const cl_mem *args)
{
    cl_int err = 1;
    cl_kernel kernel = clCreateKernel(program, name, &err);
    cl_ok(err);
    for (cl_uint i = 0; i < count; i++)
        cl_ok(clSetKernelArg(kernel, i, sizeof args[i], &args[i]));
    cl_ok(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &group, 0, NULL, NULL));
    cl_ok(clReleaseKernel(kernel));
}

static const cl_int *read_words(cl_mem buffer)
{
    static cl_int values[WORDS];
    cl_ok(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof values, values, 0, NULL, NULL));
    return values;
}

START_TEST(clCreatePipe_judges_its_arguments)
{
    static const cl_pipe_properties some[] = {1, 0}, none[] = {0};
    cl_int err = 1;
    ck_assert_ptr_null(clCreatePipe(NULL, 0, 4, 4, NULL, &err));
    cl_is(err, CL_INVALID_CONTEXT);
    ck_assert_ptr_null(clCreatePipe(context, CL_MEM_USE_HOST_PTR, 4, 4, NULL, &err));
    cl_is(err, CL_INVALID_VALUE);
    ck_assert_ptr_null(clCreatePipe(context, CL_MEM_READ_ONLY, 4, 4, NULL, &err));
    cl_is(err, CL_INVALID_VALUE);
    ck_assert_ptr_null(clCreatePipe(context, 0, 4, 4, some, &err));
    cl_is(err, CL_INVALID_VALUE);
    ck_assert_ptr_null(clCreatePipe(context, 0, 0, 4, NULL, &err));
    cl_is(err, CL_INVALID_PIPE_SIZE);
    ck_assert_ptr_null(clCreatePipe(context, 0, 4, 0, NULL, &err));
    cl_is(err, CL_INVALID_PIPE_SIZE);
    ck_assert_ptr_null(clCreatePipe(context, 0, 1025, 4, NULL, &err));
    cl_is(err, CL_INVALID_PIPE_SIZE);
    ck_assert_ptr_null(clCreatePipe(context, 0, 1024, UINT32_MAX, NULL, &err));
    cl_is(err, CL_MEM_OBJECT_ALLOCATION_FAILURE);
    cl_mem made = clCreatePipe(context, CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS, 1024, 1, none, &err);
    cl_ok(err);
    cl_ok(clReleaseMemObject(made));
}
END_TEST

START_TEST(clGetPipeInfo_returns_the_sizes_of_creation)
{
    cl_mem pipe = new_pipe(12, 7);
    cl_uint number = 0;
    cl_mem_object_type type = 0;
    size_t size = 1;
    cl_ok(clGetPipeInfo(pipe, CL_PIPE_PACKET_SIZE, sizeof number, &number, &size));
    ck_assert_uint_eq(number, 12);
    ck_assert_uint_eq(size, sizeof number);
    cl_ok(clGetPipeInfo(pipe, CL_PIPE_MAX_PACKETS, sizeof number, &number, NULL));
    ck_assert_uint_eq(number, 7);
    cl_ok(clGetPipeInfo(pipe, CL_PIPE_PROPERTIES, 0, NULL, &size));
    ck_assert_uint_eq(size, 0);
    cl_is(clGetPipeInfo(pipe, CL_PIPE_MAX_PACKETS, 2, &number, NULL), CL_INVALID_VALUE);
    cl_is(clGetPipeInfo(pipe, CL_MEM_TYPE, sizeof number, &number, NULL), CL_INVALID_VALUE);
    cl_is(clGetPipeInfo(words, CL_PIPE_MAX_PACKETS, sizeof number, &number, NULL), CL_INVALID_MEM_OBJECT);
    cl_ok(clGetMemObjectInfo(pipe, CL_MEM_TYPE, sizeof type, &type, NULL));
    ck_assert_uint_eq(type, CL_MEM_OBJECT_PIPE);
    cl_ok(clReleaseMemObject(pipe));
}
END_TEST

START_TEST(a_pipe_is_an_argument_of_its_own_kind)
{
    cl_int err = 1, word;
    cl_mem pipe = new_pipe(4, 4);
    cl_kernel kernel = clCreateKernel(program, "count", &err);
    cl_ok(err);
    cl_is(clSetKernelArg(kernel, 0, sizeof words, &words), CL_INVALID_MEM_OBJECT);
    cl_is(clSetKernelArg(kernel, 0, 3, &pipe), CL_INVALID_ARG_SIZE);
    cl_is(clSetKernelArg(kernel, 0, sizeof pipe, NULL), CL_INVALID_MEM_OBJECT);
    cl_is(clSetKernelArg(kernel, 1, sizeof pipe, &pipe), CL_INVALID_MEM_OBJECT);
    cl_is(clEnqueueReadBuffer(queue, pipe, CL_TRUE, 0, sizeof word, &word, 0, NULL, NULL),
          CL_INVALID_MEM_OBJECT);
    cl_ok(clSetKernelArg(kernel, 0, sizeof pipe, &pipe));
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseMemObject(pipe));
}
END_TEST

static const char *const policies[] = {"lockstep", "serial", "random"};

START_TEST(packets_are_read_in_the_order_of_writes)
{
    typedef int set_option(const char *, const char *, char *, size_t);
    ck_assert_int_eq(((set_option *)control("orrery_set_option"))("schedule", policies[_i], NULL, 0), 0);
    cl_mem pipe = new_pipe(4, 40), args[] = {pipe, words, more};
    int seen[48] = {0}, written = 0, got = 0;
    launch("produce", 48, 16, 2, args);
    const cl_int *ok = read_words(words);
    for (int i = 0; i < 48; i++)
        written += ok[i] == 0;
    ck_assert_int_eq(written, 40);
    launch("count", 1, 1, 2, args);
    ck_assert_int_eq(read_words(words)[0], 40);
    ck_assert_int_eq(read_words(words)[1], 40);
    launch("consume", 48, 16, 3, args);
    for (int i = 0; i < 48; i++) {
        const int value = read_words(words)[i], result = read_words(more)[i];
        ck_assert(result == 0 ? value >= 100 && value < 148 : result < 0 && value == -5);
        if (result == 0)
            ck_assert_int_eq(seen[value - 100]++, 0);
        got += result == 0;
    }
    ck_assert_int_eq(got, 40);
    cl_ok(clReleaseMemObject(pipe));
}
END_TEST

START_TEST(reservations_are_seen_in_their_order)
{
    static const int expected[] = {1, 1, 0, 0, 0, 0, 0, 3};
    cl_mem pipe = new_pipe(4, 8), args[] = {pipe, words, more};
    launch("reserved", 1, 1, 2, args);
    for (int i = 0; i < 8; i++)
        ck_assert_int_eq(read_words(words)[i], expected[i]);
    launch("consume", 3, 1, 3, args);
    for (int i = 0; i < 3; i++)
        ck_assert_int_eq(read_words(words)[i], i + 1);
    cl_ok(clReleaseMemObject(pipe));
}
END_TEST

START_TEST(groups_reserve_together)
{
    typedef int set_option(const char *, const char *, char *, size_t);
    ck_assert_int_eq(((set_option *)control("orrery_set_option"))("schedule", policies[_i], NULL, 0), 0);
    cl_mem pipe = new_pipe(4, 64), args[] = {pipe, words};
    bool seen[64] = {false};
    launch("groups", 64, 16, 2, args);
    for (int i = 0; i < 64; i++)
        ck_assert_int_eq(read_words(words)[i], 0);
    launch("sub_groups", 64, 32, 2, args);
    for (int i = 0; i < 64; i++) {
        const int value = read_words(words)[i];
        ck_assert(value >= 0 && value < 64 && !seen[value]);
        seen[value] = true;
        if (i % 16) /* a group's packets lie side by side */
            ck_assert_int_eq(value, read_words(words)[i - 1] + 1);
    }
    cl_ok(clReleaseMemObject(pipe));
}
END_TEST

static void finds(const char *id, size_t count)
{
    typedef size_t count_of(const char *);
    cl_ok(clFinish(queue));
    ck_assert_uint_eq(((count_of *)control("orrery_finding_count_of"))(id), count);
    ((void (*)(void))control("orrery_clear_findings"))();
}

/* The packet is zeros, or is dropped, and the work-item continues. */
START_TEST(a_packet_from_or_to_an_address_outside_is_found)
{
    cl_mem pipe = new_pipe(4, 8), args[] = {pipe, words, more};
    launch("from_outside", 1, 1, 2, args);
    const cl_int *ok = read_words(words);
    ck_assert(ok[0] == 0 && ok[1] == 0 && ok[2] == 8);
    finds("out-of-bounds-read", 1);
    launch("produce", 1, 1, 2, args);
    launch("to_outside", 1, 1, 3, args);
    ok = read_words(words);
    ck_assert(ok[0] == 0 && ok[1] == 0 && ok[2] == 0 && ok[3] == 9);
    ok = read_words(more);
    ck_assert(ok[0] == 0 && ok[1] == 100);
    finds("out-of-bounds-write", 1);
    cl_ok(clReleaseMemObject(pipe));
}
END_TEST

START_TEST(misaligned_packets_are_copied_and_found)
{
    cl_mem pipe = new_pipe(4, 8), args[] = {pipe, words};
    launch("from_odd", 1, 1, 2, args);
    ck_assert(!((const char *)read_words(words))[9]);
    finds("misaligned", 1);
    launch("to_odd", 1, 1, 2, args);
    const char *bytes = (const char *)read_words(words);
    ck_assert(!bytes[9] && bytes[2] == 3 && bytes[3] == 0);
    finds("misaligned", 1);
    cl_ok(clReleaseMemObject(pipe));
}
END_TEST

START_TEST(misuse_fails_and_is_found)
{
    typedef size_t count_of(const char *);
    cl_mem pipe = new_pipe(4, 8), other = new_pipe(8, 8), args[] = {pipe, words}, wrong[] = {other};
    count_of *found = (count_of *)control("orrery_finding_count_of");
    launch("misuse", 1, 1, 2, args);
    ck_assert_int_lt(read_words(words)[0], 0);
    ck_assert_int_lt(read_words(words)[1], 0);
    ck_assert_uint_eq(found("pipe-misuse"), 2);
    launch("wide", 1, 1, 1, wrong);
    cl_ok(clFinish(queue));
    ck_assert_uint_eq(found("pipe-misuse"), 3);
    ((void (*)(void))control("orrery_clear_findings"))();
    cl_ok(clReleaseMemObject(pipe));
    cl_ok(clReleaseMemObject(other));
}
END_TEST

/* Each reservation is open until it is committed, and the kernel that made it has to. */
START_TEST(uncommitted_reservation_is_found)
{
    static const char *const kernels[] = {"leaves", "group_leaves", "sub_group_leaves"};
    for (int i = 0; i < 3; i++) {
        cl_mem pipe = new_pipe(4, 8), args[] = {pipe, words};
        launch(kernels[i], 4, 4, 2, args);
        finds("pipe-misuse", 1);
        launch("produce", 1, 1, 2, args); /* after it, and not to blame */
        finds("pipe-misuse", 0);
        cl_ok(clReleaseMemObject(pipe));
    }
}
END_TEST

/* Written, not written; then both slots again, written. */
START_TEST(unwritten_packet_is_found_at_its_read)
{
    cl_mem pipe = new_pipe(4, 2), args[] = {pipe, words, more};
    launch("half_written", 1, 1, 2, args);
    finds("pipe-misuse", 0);
    launch("consume", 1, 1, 3, args);
    finds("pipe-misuse", 0);
    launch("consume", 1, 1, 3, args);
    finds("pipe-misuse", 1);
    launch("produce", 2, 1, 2, args);
    launch("consume", 2, 1, 3, args);
    finds("pipe-misuse", 0);
    cl_ok(clReleaseMemObject(pipe));
}
END_TEST

START_TEST(a_kernel_uses_a_pipe_in_one_way)
{
    cl_mem pipe = new_pipe(4, 8), other = new_pipe(4, 8), same[] = {pipe, pipe, words},
           two[] = {pipe, other, words};
    launch("both_ways", 1, 1, 3, two);
    finds("pipe-misuse", 0);
    launch("both_ways", 1, 1, 3, same);
    finds("pipe-misuse", 1);
    cl_ok(clReleaseMemObject(pipe));
    cl_ok(clReleaseMemObject(other));
}
END_TEST

START_TEST(a_group_reserves_the_same_number)
{
    cl_mem pipe = new_pipe(4, 8), args[] = {pipe, words};
    launch("differ", 2, 2, 2, args);
    finds("non-uniform-argument", 1);
    launch("differ", 1, 1, 2, args);
    finds("non-uniform-argument", 0);
    cl_ok(clReleaseMemObject(pipe));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("pipe");
    TCase *tests = tcase_create("pipes");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, clCreatePipe_judges_its_arguments);
    tcase_add_test(tests, clGetPipeInfo_returns_the_sizes_of_creation);
    tcase_add_test(tests, a_pipe_is_an_argument_of_its_own_kind);
    tcase_add_test(tests, uncommitted_reservation_is_found);
    tcase_add_test(tests, unwritten_packet_is_found_at_its_read);
    tcase_add_test(tests, a_kernel_uses_a_pipe_in_one_way);
    tcase_add_test(tests, a_group_reserves_the_same_number);
    tcase_add_loop_test(tests, packets_are_read_in_the_order_of_writes, 0, 3);
    tcase_add_test(tests, reservations_are_seen_in_their_order);
    tcase_add_loop_test(tests, groups_reserve_together, 0, 3);
    tcase_add_test(tests, a_packet_from_or_to_an_address_outside_is_found);
    tcase_add_test(tests, misaligned_packets_are_copied_and_found);
    tcase_add_test(tests, misuse_fails_and_is_found);
    suite_add_tcase(suite, tests);
    return cl_run_suite(suite);
}
