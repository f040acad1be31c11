/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Extensions of OpenCL C: the results of their functions, and their absence when the scenario disables them.
 */
#include "tests/support/extension_fixture.h"

/* cl_khr_kernel_clock */
enum { KERNEL_CLOCKS = 0x1076 };
/* cl_ext_float_atomics */
enum { SINGLE_ATOMICS = 0x4231, DOUBLE_ATOMICS, HALF_ATOMICS };

/* ---- functions of OpenCL C ------------------------------------------------------------------- */

enum { ITEMS = 24 };

/* Runs `kernel void k(global T *out, T x...)` on one group; size bytes of out are read back. */
static void run(const char *source, const char *options, void *out, size_t size)
{
    const size_t items = ITEMS;
    cl_kernel kernel = kernel_of(source, options);
    cl_mem buffer = cl_buffer(context, CL_MEM_COPY_HOST_PTR, size, out);
    cl_ok(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    cl_ok(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &items, 0, NULL, NULL));
    cl_ok(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, size, out, 0, NULL, NULL));
    cl_ok(clReleaseMemObject(buffer));
    cl_ok(clReleaseKernel(kernel));
}

/* Each item adds, subtracts and compares small integers, which are exact in any order. */
#define FLOAT_ATOMICS(T)                                                                                    \
    "kernel void k(global atomic_" T " *g) { local atomic_" T " l[4]; " T " i = get_local_id(0);"           \
    "if (i == 0) { atomic_init(l, 0); atomic_init(l + 1, 0); atomic_init(l + 2, 100); atomic_init(l + 3, "  \
    "-100); }"                                                                                              \
    "barrier(CLK_LOCAL_MEM_FENCE);"                                                                         \
    "atomic_fetch_add(g, i); atomic_fetch_sub(g + 1, i); atomic_fetch_min(g + 2, i); atomic_fetch_max(g + " \
    "3, i);"                                                                                                \
    "atomic_fetch_add_explicit(l, i, memory_order_relaxed); atomic_fetch_sub_explicit(l + 1, i, "           \
    "memory_order_acq_rel);"                                                                                \
    "atomic_fetch_min_explicit(l + 2, i, memory_order_relaxed, memory_scope_work_group);"                   \
    "atomic_fetch_sub_explicit(g + 8, 1, memory_order_relaxed, memory_scope_device);"                       \
    "atomic_" T " *any = l + 3; atomic_fetch_sub(any, 1);"                                                  \
    "barrier(CLK_LOCAL_MEM_FENCE);"                                                                         \
    "if (i == 0) for (int n = 0; n < 4; n++) atomic_store(g + 4 + n, atomic_load(l + n)); }"

START_TEST(floats_are_added_and_subtracted_at_once)
{
    static const double wanted[] = {276, -276, 0, 23, 276, -276, 0, -124, -24};
    float floats[9] = {0, 0, 100, -100};
    double doubles[9] = {0, 0, 100, -100};
    const char *options = _i ? "-cl-std=CL3.0" : "-cl-std=CL2.0";
    cl_bitfield single = 0, twice = 0, half = 1;
    cl_set_up();
    ck_assert(has_extension("cl_ext_float_atomics"));
    cl_ok(clGetDeviceInfo(device, SINGLE_ATOMICS, sizeof single, &single, NULL));
    cl_ok(clGetDeviceInfo(device, DOUBLE_ATOMICS, sizeof twice, &twice, NULL));
    cl_ok(clGetDeviceInfo(device, HALF_ATOMICS, sizeof half, &half, NULL));
    ck_assert_uint_eq(single, 0x70007);
    ck_assert_uint_eq(twice, 0x70007);
    ck_assert_uint_eq(half, 0);
    run(FLOAT_ATOMICS("float"), options, floats, sizeof floats);
    run(FLOAT_ATOMICS("double"), options, doubles, sizeof doubles);
    for (int i = 0; i < 9; i++) {
        ck_assert_double_eq((double)floats[i], wanted[i]);
        ck_assert_double_eq(doubles[i], wanted[i]);
    }
    cl_tear_down();
}
END_TEST

/* A program of two objects that both subtract, and one of integers: no name is left over. */
START_TEST(subtractions_link)
{
    static const char *parts[] = {
        "void f(global atomic_float *g) { atomic_fetch_sub(g, 2.0f); }",
        "void f(global atomic_float *g); kernel void k(global atomic_float *g, global atomic_int *i) { f(g); "
        "atomic_fetch_sub(g, 1.0f); atomic_fetch_sub(i, 1); }"};
    cl_program objects[2], linked;
    cl_int err;
    cl_set_up();
    for (int i = 0; i < 2; i++) {
        objects[i] = clCreateProgramWithSource(context, 1, &parts[i], NULL, &err);
        cl_ok(err);
        cl_ok(clCompileProgram(objects[i], 0, NULL, "-cl-std=CL3.0", 0, NULL, NULL, NULL, NULL));
    }
    linked = clLinkProgram(context, 0, NULL, "", 2, objects, NULL, NULL, &err);
    cl_ok(err);
    for (int i = 0; i < 2; i++)
        cl_ok(clReleaseProgram(objects[i]));
    cl_ok(clReleaseProgram(linked));
    cl_tear_down();
}
END_TEST

static uint32_t byte_product(uint32_t a, uint32_t b, bool a_signed, bool b_signed)
{
    int64_t sum = 0;
    for (int i = 0; i < 32; i += 8) {
        int64_t x = a_signed ? (int8_t)(a >> i) : (uint8_t)(a >> i),
                y = b_signed ? (int8_t)(b >> i) : (uint8_t)(b >> i);
        sum += x * y;
    }
    return (uint32_t)sum;
}

/* add_sat(product, acc) as the text defines dot_acc_sat. */
static uint32_t saturated(uint32_t product, uint32_t acc, bool is_signed)
{
    int64_t sum = is_signed ? (int64_t)(int32_t)product + (int32_t)acc : (int64_t)product + acc;
    int64_t low = is_signed ? INT32_MIN : 0, high = is_signed ? INT32_MAX : UINT32_MAX;
    return (uint32_t)(sum < low ? low : sum > high ? high : sum);
}

START_TEST(bytes_are_multiplied_and_added)
{
    static const char source[] =
        "#if !defined(cl_khr_integer_dot_product) || !defined(__opencl_c_integer_dot_product_input_4x8bit) "
        "|| !defined(__opencl_c_integer_dot_product_input_4x8bit_packed)\n"
        "#error\n#endif\n"
        "kernel void k(global uint *o) { size_t n = get_global_id(0); global uint *r = o + 20 * n; uint a = "
        "r[0], b = r[1], c = r[2];"
        "char4 s = as_char4(a), t = as_char4(b); uchar4 u = as_uchar4(a), v = as_uchar4(b);"
        "r[3] = dot(u, v); r[4] = dot(s, t); r[5] = dot(u, t); r[6] = dot(s, v);"
        "r[7] = dot_acc_sat(u, v, c); r[8] = dot_acc_sat(s, t, (int)c); r[9] = dot_acc_sat(u, t, (int)c); "
        "r[10] = dot_acc_sat(s, v, (int)c);"
        "r[11] = dot_4x8packed_uu_uint(a, b); r[12] = dot_4x8packed_ss_int(a, b); r[13] = "
        "dot_4x8packed_us_int(a, b); r[14] = dot_4x8packed_su_int(a, b);"
        "r[15] = dot_acc_sat_4x8packed_uu_uint(a, b, c); r[16] = dot_acc_sat_4x8packed_ss_int(a, b, (int)c);"
        "r[17] = dot_acc_sat_4x8packed_us_int(a, b, (int)c); r[18] = dot_acc_sat_4x8packed_su_int(a, b, "
        "(int)c);"
        "r[19] = (uint)dot((float2)(1, 2), (float2)(3, 4)); }";
    static const uint32_t edges[] = {0,          0x01020304, 0x7f7f7f7f, 0x80808080,
                                     0xffffffff, 0x807f01ff, 0x7fffffff, 0x80000000};
    uint32_t rows[ITEMS][20];
    cl_device_integer_dot_product_capabilities_khr able = 0;
    cl_device_integer_dot_product_acceleration_properties_khr fast[2];
    cl_set_up();
    ck_assert(has_extension("cl_khr_integer_dot_product"));
    cl_ok(clGetDeviceInfo(device, CL_DEVICE_INTEGER_DOT_PRODUCT_CAPABILITIES_KHR, sizeof able, &able, NULL));
    ck_assert_uint_eq(able, 3);
    cl_ok(clGetDeviceInfo(device, CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_8BIT_KHR,
                          sizeof *fast, fast, NULL));
    cl_ok(clGetDeviceInfo(device, CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_4x8BIT_PACKED_KHR,
                          sizeof *fast, fast + 1, NULL));
    for (uint32_t n = 0; n < ITEMS; n++)
        for (int i = 0; i < 3; i++)
            rows[n][i] =
                edges[(n * (uint32_t)(2 * i + 1) + n / 8 * 3) % 8] ^ (n % 3 == 2 ? n * 0x01030507 : 0);
    run(source, _i ? "-cl-std=CL3.0" : "", rows, sizeof rows);
    for (uint32_t n = 0; n < ITEMS; n++)
        for (int how = 0; how < 4; how++) {
            const bool a_signed = how & 1, b_signed = how == 1 || how == 2;
            const uint32_t product = byte_product(rows[n][0], rows[n][1], a_signed, b_signed);
            const uint32_t added = saturated(product, rows[n][2], how);
            ck_assert_uint_eq(rows[n][3 + how], product);
            ck_assert_uint_eq(rows[n][7 + how], added);
            ck_assert_uint_eq(rows[n][11 + how], product);
            ck_assert_uint_eq(rows[n][15 + how], added);
            ck_assert_uint_eq(rows[n][19], 11);
        }
    cl_tear_down();
}
END_TEST

/* Reduce, inclusive and exclusive scan of each operation, against a loop over the group. */
#define FOLD(name, T, start, expression)  \
    static void name(const T *x, T *out)  \
    {                                     \
        T a = start;                      \
        for (int i = 0; i < ITEMS; i++) { \
            T b = x[i];                   \
            out[2 * ITEMS + i] = a;       \
            a = (T)(expression);          \
            out[ITEMS + i] = a;           \
        }                                 \
        for (int i = 0; i < ITEMS; i++)   \
            out[i] = a;                   \
    }
FOLD(fold_mul, uint64_t, 1, a *b)
FOLD(fold_and, uint64_t, ~(uint64_t)0, a &b)
FOLD(fold_or, uint64_t, 0, a | b)
FOLD(fold_xor, uint64_t, 0, a ^ b)
FOLD(fold_both, uint64_t, 1, a &&b)
FOLD(fold_any, uint64_t, 0, a || b)
FOLD(fold_odd, uint64_t, 0, !a != !b)
FOLD(fold_product, double, 1, a *b)

static void group_source(char *text, size_t size, const char *type, const char *name)
{
    snprintf(text, size,
             "#ifndef cl_khr_work_group_uniform_arithmetic\n#error\n#endif\n"
             "kernel void k(global %s *x) { size_t i = get_local_id(0); %s v = x[i];"
             "x[24 + i] = work_group_reduce_%s(v); x[48 + i] = work_group_scan_inclusive_%s(v); x[72 + i] = "
             "work_group_scan_exclusive_%s(v); }",
             type, type, name, name, name);
}

START_TEST(groups_fold)
{
    static const struct {
        const char *name;
        void (*fold)(const uint64_t *, uint64_t *);
        bool truth;
    } rows[] = {{"mul", fold_mul, false},         {"and", fold_and, false},
                {"or", fold_or, false},           {"xor", fold_xor, false},
                {"logical_and", fold_both, true}, {"logical_or", fold_any, true},
                {"logical_xor", fold_odd, true}};
    static const char *const types[] = {"ulong", "long", "uint", "int"};
    uint64_t x[4 * ITEMS], wanted[3 * ITEMS];
    char source[700];
    cl_set_up();
    ck_assert(has_extension("cl_khr_work_group_uniform_arithmetic"));
    for (size_t row = 0; row < sizeof rows / sizeof *rows; row++)
        for (int t = rows[row].truth ? 3 : 0; t < 4; t++) {
            uint32_t narrow[4 * ITEMS];
            for (int i = 0; i < ITEMS; i++)
                x[i] = rows[row].truth ? (uint64_t)(i % 5 != 3)
                                       : ((uint64_t)i * 0x9e3779b97f4a7c15u | 0xf0f0000000000f01u);
            group_source(source, sizeof source, types[t], rows[row].name);
            if (t < 2) {
                run(source, "-cl-std=CL3.0", x, sizeof x);
            } else {
                for (int i = 0; i < ITEMS; i++)
                    narrow[i] = (uint32_t)x[i];
                run(source, "-cl-std=CL2.0", narrow, sizeof narrow);
                for (int i = 0; i < 4 * ITEMS; i++)
                    x[i] = narrow[i];
            }
            rows[row].fold(x, wanted);
            for (int i = 0; i < 3 * ITEMS; i++)
                if (rows[row].truth)
                    ck_assert_msg(!x[ITEMS + i] == !wanted[i], "%s %s %d", rows[row].name, types[t], i);
                else if (t < 2)
                    ck_assert_msg(x[ITEMS + i] == wanted[i], "%s %s %d", rows[row].name, types[t], i);
                else
                    ck_assert_msg(x[ITEMS + i] == (uint32_t)wanted[i], "%s %s %d", rows[row].name, types[t],
                                  i);
        }
    cl_tear_down();
}
END_TEST

START_TEST(groups_multiply_floats)
{
    double x[4 * ITEMS], wanted[3 * ITEMS];
    float narrow[4 * ITEMS];
    char source[700];
    cl_set_up();
    for (int i = 0; i < ITEMS; i++)
        narrow[i] = (float)(x[i] = i % 3 ? 2 : -0.5);
    group_source(source, sizeof source, "double", "mul");
    run(source, "-cl-std=CL3.0", x, sizeof x);
    group_source(source, sizeof source, "float", "mul");
    run(source, "-cl-std=CL3.0", narrow, sizeof narrow);
    fold_product(x, wanted);
    for (int i = 0; i < 3 * ITEMS; i++) {
        ck_assert_double_eq(x[ITEMS + i], wanted[i]);
        ck_assert_double_eq((double)narrow[ITEMS + i], wanted[i]);
    }
    strcpy(source, "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n");
    group_source(source + strlen(source), sizeof source - strlen(source), "half", "mul");
    cl_ok(clReleaseProgram(build(source, "-cl-std=CL3.0")));
    cl_tear_down();
}
END_TEST

/* Reported, defined and accepted, or none of it. */

/* ---- cl_khr_kernel_clock ---------------------------------------------------------------------------- */

enum { CLOCK_ITEMS = 64, CLOCK_READS = 5 };

static void read_clocks(cl_ulong seen[CLOCK_ITEMS][CLOCK_READS], cl_ulong times[2], cl_uint rounds)
{
    static const char *const clocks =
        "kernel void k(global ulong *o, uint rounds, volatile global uint *sink) {"
        "    global ulong *mine = o + get_global_id(0) * 5;"
        "    mine[0] = clock_read_device();"
        "    for (uint i = 0; i < rounds; i++) sink[get_global_id(0)] = i;"
        "    mine[1] = clock_read_work_group();"
        "    uint2 halves = clock_read_hilo_device();"
        "    mine[2] = (ulong)halves.hi << 32 | halves.lo;"
        "    mine[3] = clock_read_sub_group();"
        "    if (get_global_id(0) % 3) mine[4] = clock_read_device(); else mine[4] = mine[3]; }";
    const size_t items = CLOCK_ITEMS, group = 8;
    cl_event event;
    cl_kernel kernel = kernel_of(clocks, "-cl-std=CL3.0");
    cl_mem out = cl_buffer(context, 0, sizeof(cl_ulong[CLOCK_ITEMS][CLOCK_READS]), NULL),
           sink = cl_buffer(context, 0, 4 * CLOCK_ITEMS, NULL);
    cl_ok(clSetKernelArg(kernel, 0, sizeof out, &out));
    cl_ok(clSetKernelArg(kernel, 1, sizeof rounds, &rounds));
    cl_ok(clSetKernelArg(kernel, 2, sizeof sink, &sink));
    cl_ok(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &group, 0, NULL, &event));
    cl_ok(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof(cl_ulong[CLOCK_ITEMS][CLOCK_READS]), seen, 0,
                              NULL, NULL));
    cl_ok(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof *times, &times[0], NULL));
    cl_ok(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof *times, &times[1], NULL));
    cl_ok(clReleaseEvent(event));
    cl_ok(clReleaseMemObject(out));
    cl_ok(clReleaseMemObject(sink));
    cl_ok(clReleaseKernel(kernel));
}

/* Between start and end of the command, later each time, and later still when more was done. */
START_TEST(kernels_read_the_clock)
{
    static const char *const policies[] = {"lockstep", "serial", "random"};
    cl_ulong seen[2][CLOCK_ITEMS][CLOCK_READS], times[2];
    char scenario[60];
    snprintf(scenario, sizeof scenario, "schedule: {policy: %s}", policies[_i]);
    cl_set_up_with(scenario);
    ck_assert(has_extension("cl_khr_kernel_clock"));
    cl_ulong clocks = 0;
    cl_ok(clGetDeviceInfo(device, KERNEL_CLOCKS, sizeof clocks, &clocks, NULL));
    ck_assert_uint_eq(clocks, 7);
    for (cl_uint more = 0; more < 2; more++) {
        read_clocks(seen[more], times, 10 + 1000 * more);
        for (int i = 0; i < CLOCK_ITEMS; i++) {
            const cl_ulong *mine = seen[more][i];
            ck_assert_uint_ge(mine[0], times[0]);
            ck_assert_uint_le(mine[4], times[1]);
            for (int k = 1; k < CLOCK_READS; k++)
                ck_assert_uint_lt(mine[k - 1], mine[k] + (k == 4 && i % 3 == 0));
            if (more)
                /* ns an iteration */
                ck_assert_uint_ge(mine[1] - mine[0], seen[0][i][1] - seen[0][i][0] + 1000 / 2);
        }
    }
    cl_tear_down();
}
END_TEST

START_TEST(a_kernel_may_wait_by_the_clock)
{
    cl_ulong seen[2] = {0, 0};
    cl_set_up();
    run("kernel void k(global ulong *o) { ulong t = clock_read_device(); while (clock_read_device() - t < "
        "100000); *o = clock_read_device() - t; }",
        "-cl-std=CL3.0", seen, sizeof seen);
    ck_assert_uint_ge(seen[0], 100000);
    cl_tear_down();
}
END_TEST

/* ---- cl_khr_subgroup_named_barrier -------------------------------------------------------------------- */

#define NAMED_BARRIERS(scope)                                                           \
    "kernel void k(global int *o) { local named_barrier_t *b = named_barrier_init(1); " \
    "work_group_named_barrier(b, CLK_LOCAL_MEM_FENCE" scope "); }"

/* As many as the device reports, and no more. */
START_TEST(a_kernel_has_so_many_named_barriers)
{
    char source[8192] = "kernel void k(global int *o) { local named_barrier_t *b;";
    cl_uint most = 0;
    cl_set_up();
    cl_ok(clGetDeviceInfo(device, CL_DEVICE_MAX_NAMED_BARRIER_COUNT_KHR, sizeof most, &most, NULL));
    ck_assert_uint_ge(most, 8);
    for (cl_uint i = 0; i < most; i++)
        strcat(source, " b = named_barrier_init(1);");
    const size_t length = strlen(source);
    strcat(source, " work_group_named_barrier(b, CLK_LOCAL_MEM_FENCE); *o = 7; }");
    cl_int seen = 0;
    run(source, "-cl-std=CL3.0", &seen, sizeof seen);
    ck_assert_int_eq(seen, 7);
    strcpy(source + length, " b = named_barrier_init(1); }");
    ck_assert(!builds(source, "-cl-std=CL3.0"));
    cl_tear_down();
}
END_TEST

START_TEST(an_extension_is_there_or_not)
{
    static const struct {
        const char *device, *options, *extension, *macro, *use;
        bool there;
    } rows[] = {
        {"version: 3.0", "-cl-std=CL3.0", "cl_ext_float_atomics", "__opencl_c_ext_fp64_global_atomic_add",
         "kernel void k(global atomic_double *g) { atomic_fetch_sub(g, 1.0); }", true},
        {"features: {int64_atomics: false}", "-cl-std=CL3.0", NULL, "__opencl_c_ext_fp64_global_atomic_add",
         "kernel void k(global atomic_double *g) { atomic_fetch_sub(g, 1.0); }", false},
        {"features: {fp64: false}", "-cl-std=CL3.0", NULL, "__opencl_c_ext_fp64_local_atomic_min_max",
         "kernel void k(global atomic_double *g) { atomic_fetch_min(g, 1.0); }", false},
        {"version: 1.2", "-cl-std=CL1.2", "cl_khr_kernel_clock", "__opencl_c_kernel_clock_scope_work_group",
         "kernel void k(global ulong *o) { *o = clock_read_work_group(); }", true},
        {"features: {sub_groups: false}", "-cl-std=CL3.0", NULL, "__opencl_c_kernel_clock_scope_sub_group",
         "kernel void k(global ulong *o) { *o = clock_read_sub_group(); }", false},
        {"version: 2.0", "-cl-std=CL2.0", "cl_khr_subgroup_named_barrier", "cl_khr_subgroup_named_barrier",
         NAMED_BARRIERS(", memory_scope_device"), true},
        {"version: 1.2", "-cl-std=CL1.2", "cl_khr_subgroup_named_barrier", "cl_khr_subgroup_named_barrier",
         NAMED_BARRIERS(""), false},
        {"features: {named_barriers: false}", "-cl-std=CL3.0", "cl_khr_subgroup_named_barrier",
         "cl_khr_subgroup_named_barrier", NAMED_BARRIERS(""), false},
        {"features: {sub_groups: false}", "-cl-std=CL3.0", "cl_khr_subgroup_named_barrier",
         "cl_khr_subgroup_named_barrier", NAMED_BARRIERS(""), false},
        {"features: {kernel_clock: false}", "-cl-std=CL3.0", "cl_khr_kernel_clock", "cl_khr_kernel_clock",
         "kernel void k(global ulong *o) { *o = clock_read_device(); }", false},
        {"version: 2.0", "-cl-std=CL2.0", "cl_ext_float_atomics", "__opencl_c_ext_fp32_local_atomic_add",
         "kernel void k(local atomic_float *g) { atomic_fetch_sub(g, 1.0f); }", true},
        {"version: 1.2", "-cl-std=CL1.2", "cl_ext_float_atomics", "cl_ext_float_atomics",
         "kernel void k(global atomic_float *g) { atomic_fetch_sub(g, 1.0f); }", false},
        {"version: 3.0", "-cl-std=CL3.0", NULL, "__opencl_c_ext_fp16_global_atomic_add",
         "kernel void k(global atomic_half *g) { atomic_fetch_add(g, 1.0h); }", false},
        {"version: 1.2", "-cl-std=CL1.2", "cl_khr_integer_dot_product", "cl_khr_integer_dot_product",
         "kernel void k(global int *o) { *o = dot((char4)1, (uchar4)2); }", true},
        {"version: 2.0", "-cl-std=CL2.0", "cl_khr_work_group_uniform_arithmetic",
         "cl_khr_work_group_uniform_arithmetic",
         "kernel void k(global int *o) { *o = work_group_reduce_mul(*o); }", true},
        {"version: 1.2", "-cl-std=CL1.2", "cl_khr_work_group_uniform_arithmetic",
         "cl_khr_work_group_uniform_arithmetic",
         "kernel void k(global int *o) { *o = work_group_reduce_mul(*o); }", false},
        {"features: {work_group_collectives: false}", "-cl-std=CL3.0", "cl_khr_work_group_uniform_arithmetic",
         "cl_khr_work_group_uniform_arithmetic",
         "kernel void k(global int *o) { *o = work_group_reduce_mul(*o); }", false},
    };
    char scenario[120], source[300];
    snprintf(scenario, sizeof scenario, "device: {%s}", rows[_i].device);
    cl_set_up_with(scenario);
    if (rows[_i].extension)
        ck_assert_int_eq(has_extension(rows[_i].extension), rows[_i].there);
    snprintf(source, sizeof source, "#ifndef %s\n#error\n#endif\nkernel void k(void) {}", rows[_i].macro);
    ck_assert_int_eq(builds(source, rows[_i].options), rows[_i].there);
    ck_assert_int_eq(builds(rows[_i].use, rows[_i].options), rows[_i].there);
    cl_tear_down();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("language");
    TCase *tests = tcase_create("host");
    tcase_set_timeout(tests, 120);
    tcase_add_loop_test(tests, floats_are_added_and_subtracted_at_once, 0, 2);
    tcase_add_test(tests, subtractions_link);
    tcase_add_loop_test(tests, bytes_are_multiplied_and_added, 0, 2);
    tcase_add_test(tests, groups_fold);
    tcase_add_test(tests, groups_multiply_floats);
    tcase_add_loop_test(tests, kernels_read_the_clock, 0, 3);
    tcase_add_test(tests, a_kernel_may_wait_by_the_clock);
    tcase_add_test(tests, a_kernel_has_so_many_named_barriers);
    tcase_add_loop_test(tests, an_extension_is_there_or_not, 0, 17);
    suite_add_tcase(suite, tests);
    return cl_run_suite(suite);
}
