/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The functions of the cl_khr_subgroup_* extensions, each in a kernel of its own, against the extension
 * specification, computed here lane by lane. Sub-groups of 16, a last one of 2, all lanes there or only some,
 * under every schedule.
 */
#include <stdio.h>

#include "tests/support/cl_fixture.h"

enum { SIZE = 16, ITEMS = 50, LONGEST = 4096 };

struct lanes {
    int n; /* lanes of the sub-group */
    int me;
    bool there[SIZE]; /* takes part */
    int v[SIZE];
};
typedef int reference(const struct lanes *);
#define EACH(i)                    \
    for (int i = 0; i < s->n; i++) \
        if (s->there[i])
#define FOLD(name, start, expression, from, to) \
    static int name(const struct lanes *s)      \
    {                                           \
        int r = start;                          \
        EACH(i) if (i >= (from) && i < (to))    \
        {                                       \
            int x = s->v[i];                    \
            r = (expression);                   \
        }                                       \
        return r;                               \
    }
FOLD(sum, 0, (int)((unsigned)r + (unsigned)x), 0, SIZE)
FOLD(sum_up_to, 0, (int)((unsigned)r + (unsigned)x), 0, s->me + 1)
FOLD(sum_before, 0, (int)((unsigned)r + (unsigned)x), 0, s->me)
FOLD(product, 1, (int)((unsigned)r *(unsigned)x), 0, SIZE)
FOLD(product_before, 1, (int)((unsigned)r *(unsigned)x), 0, s->me)
FOLD(smallest, INT32_MAX, x < r ? x : r, 0, SIZE)
FOLD(largest_up_to, INT32_MIN, x > r ? x : r, 0, s->me + 1)
FOLD(largest_before, INT32_MIN, x > r ? x : r, 0, s->me)
FOLD(unsigned_smallest, -1, (unsigned)x < (unsigned)r ? x : r, 0, SIZE)
FOLD(all_and, -1, r &x, 0, SIZE)
FOLD(all_or, 0, r | x, 0, SIZE)
FOLD(or_before, 0, r | x, 0, s->me)
FOLD(all_xor, 0, r ^ x, 0, SIZE)
FOLD(and_up_to, -1, r &x, 0, s->me + 1)
FOLD(truth_and, 1, r && (x & 1), 0, SIZE)
FOLD(truth_or, 0, r || (x & 1), 0, SIZE)
FOLD(truth_xor, 0, r ^ (x & 1), 0, SIZE)
FOLD(cluster_sum, 0, (int)((unsigned)r + (unsigned)x), s->me / 4 * 4, s->me / 4 * 4 + 4)
FOLD(cluster_max, INT32_MIN, x > r ? x : r, s->me / 8 * 8, s->me / 8 * 8 + 8)
FOLD(cluster_truth, 0, r ^ (x & 1), s->me / 2 * 2, s->me / 2 * 2 + 2)
FOLD(count_all, 0, r + (x & 1), 0, SIZE)
FOLD(count_up_to, 0, r + (x & 1), 0, s->me + 1)
FOLD(count_before, 0, r + (x & 1), 0, s->me)
FOLD(truth_any, 0, r || x == 3, 0, SIZE)
FOLD(truth_all, 1, r &&x != 3, 0, SIZE)

static int first(const struct lanes *s)
{
    for (int i = 0; i < s->n; i++)
        if (s->there[i])
            return i;
    return 0;
}

static int elected(const struct lanes *s)
{
    return s->me == first(s);
}
static int first_value(const struct lanes *s)
{
    return s->v[first(s)];
}
/* The value of an inactive lane is undefined: the kernels compute which lanes are active. */
static int of_lane(const struct lanes *s, int i)
{
    return i >= 0 && i < s->n && s->there[i] ? s->v[i] : -77;
}
static int of_next(const struct lanes *s)
{
    return of_lane(s, s->me + 1);
}
static int of_above(const struct lanes *s)
{
    return of_lane(s, s->me + 3);
}
static int of_below(const struct lanes *s)
{
    return of_lane(s, s->me - 2);
}
static int of_mirror(const struct lanes *s)
{
    return of_lane(s, s->me ^ 5);
}
static int of_rotated(const struct lanes *s)
{
    return of_lane(s, (s->me + 3) % SIZE);
}
static int of_rotated_in_cluster(const struct lanes *s)
{
    return of_lane(s, s->me / 4 * 4 + (s->me + 3) % 4);
}

static int own(const struct lanes *s)
{
    return s->v[s->me];
}
static int of_above_or_next(const struct lanes *s)
{
    return s->me + 3 < SIZE ? of_above(s) : of_lane(s, s->me + 3 - SIZE);
}
static int of_below_or_last(const struct lanes *s)
{
    return s->me >= 2 ? of_below(s) : of_lane(s, s->me - 2 + SIZE);
}

static int ballot(const struct lanes *s)
{
    int bits = 0;
    EACH(i) bits |= (s->v[i] & 1) << i;
    return bits;
}

static int lowest_odd(const struct lanes *s)
{
    for (int i = 0; i < s->n; i++)
        if (s->there[i] && s->v[i] & 1)
            return i;
    return -77;
}

static int highest_odd(const struct lanes *s)
{
    int r = -77;
    EACH(i) if (s->v[i] & 1) r = i;
    return r;
}

static int own_bit(const struct lanes *s)
{
    return s->v[s->me] & 1;
}
static int third_bit(const struct lanes *s)
{
    return s->n > 3 && s->there[3] && s->v[3] & 1;
}
static int mask_equal(const struct lanes *s)
{
    return 1 << s->me;
}
static int mask_less(const struct lanes *s)
{
    return (1 << s->me) - 1;
}
static int mask_at_most(const struct lanes *s)
{
    return (2 << s->me) - 1;
}
static int mask_more(const struct lanes *s)
{
    return 0xffff & ~((2 << s->me) - 1);
}
static int mask_at_least(const struct lanes *s)
{
    return 0xffff & ~((1 << s->me) - 1);
}

static int equal_everywhere(const struct lanes *s)
{
    bool same = true;
    EACH(i) same = same && s->v[i] / 8 == s->v[first(s)] / 8;
    return same;
}

/* lane(i): is lane i of the sub-group there? */
#define ASK(lane, value) "lane(" lane ") ? " value " : -77"
static const struct row {
    const char *expression; /* x: own value; me: own lane */
    reference *expected;
} rows[] = {
    {"sub_group_elect()", elected},
    {"sub_group_non_uniform_all(x != 3)", truth_all},
    {"sub_group_non_uniform_any(x == 3)", truth_any},
    {"sub_group_non_uniform_all_equal(x / 8)", equal_everywhere},
    {"sub_group_broadcast_first(x)", first_value},
    {"(int)sub_group_broadcast_first((double)x)", first_value},
    {"(int)sub_group_ballot(x & 1).x", ballot},
    {"sub_group_inverse_ballot(sub_group_ballot(x & 1))", own_bit},
    {"sub_group_ballot_bit_extract(sub_group_ballot(x & 1), 3u)", third_bit},
    {"(int)sub_group_ballot_bit_count(sub_group_ballot(x & 1))", count_all},
    {"(int)sub_group_ballot_inclusive_scan(sub_group_ballot(x & 1))", count_up_to},
    {"(int)sub_group_ballot_exclusive_scan(sub_group_ballot(x & 1))", count_before},
    {"sub_group_non_uniform_any(x & 1) ? (int)sub_group_ballot_find_lsb(sub_group_ballot(x & 1)) : -77",
     lowest_odd},
    {"sub_group_non_uniform_any(x & 1) ? (int)sub_group_ballot_find_msb(sub_group_ballot(x & 1)) : -77",
     highest_odd},
    {"(int)get_sub_group_eq_mask().x", mask_equal},
    {"(int)get_sub_group_lt_mask().x", mask_less},
    {"(int)get_sub_group_le_mask().x", mask_at_most},
    {"(int)get_sub_group_gt_mask().x", mask_more},
    {"(int)get_sub_group_ge_mask().x", mask_at_least},
    {ASK("me + 1", "y") "; y = sub_group_shuffle(x, me + 1)", of_next},
    {ASK("me + 1", "y") "; y = sub_group_shuffle((short)x, me + 1)", of_next},
    {ASK("me + 1", "y") "; y = sub_group_shuffle((float)x, me + 1)", of_next},
    {ASK("me ^ 5", "y") "; y = sub_group_shuffle_xor(x, 5u)", of_mirror},
    {ASK("me - 2", "y") "; y = sub_group_shuffle_up(x, 2u)", of_below},
    {ASK("me + 3", "y") "; y = sub_group_shuffle_down(x, 3u)", of_above},
    {ASK("(me + 3) % 16", "y") "; y = sub_group_rotate(x, 3)", of_rotated},
    {ASK("me / 4 * 4 + (me + 3) % 4", "y") "; y = sub_group_clustered_rotate(x, 3, 4u)",
     of_rotated_in_cluster},
    {"sub_group_non_uniform_reduce_add(x)", sum},
    {"(int)sub_group_non_uniform_reduce_add((long)x)", sum},
    {"sub_group_non_uniform_scan_inclusive_add(x)", sum_up_to},
    {"sub_group_non_uniform_scan_exclusive_add(x)", sum_before},
    {"(int)sub_group_non_uniform_scan_exclusive_add((float)x)", sum_before},
    {"sub_group_non_uniform_reduce_mul(x)", product},
    {"sub_group_non_uniform_scan_exclusive_mul(x)", product_before},
    {"sub_group_non_uniform_reduce_min(x)", smallest},
    {"(int)sub_group_non_uniform_reduce_min((uint)x)", unsigned_smallest},
    {"sub_group_non_uniform_scan_inclusive_max(x)", largest_up_to},
    {"sub_group_non_uniform_scan_exclusive_max(x)", largest_before},
    {"sub_group_non_uniform_reduce_and(x)", all_and},
    {"sub_group_non_uniform_scan_inclusive_and(x)", and_up_to},
    {"sub_group_non_uniform_reduce_or(x)", all_or},
    {"sub_group_non_uniform_scan_exclusive_or(x)", or_before},
    {"sub_group_non_uniform_reduce_xor(x)", all_xor},
    {"sub_group_non_uniform_reduce_logical_and(x & 1)", truth_and},
    {"sub_group_non_uniform_reduce_logical_or(x & 1)", truth_or},
    {"sub_group_non_uniform_reduce_logical_xor(x & 1)", truth_xor},
    {"sub_group_clustered_reduce_add(x, 4u)", cluster_sum},
    {"sub_group_clustered_reduce_max(x, 8u)", cluster_max},
    {"sub_group_clustered_reduce_logical_xor(x & 1, 2u)", cluster_truth},
    {ASK("me + 1", "y") "; y = intel_sub_group_shuffle(x, me + 1)", of_next},
    {ASK("me ^ 5", "y") "; y = intel_sub_group_shuffle_xor(x, 5u)", of_mirror},
    {ASK("me ^ 5", "y") "; y = convert_int4(intel_sub_group_shuffle_xor(convert_half4((int4)(x)), 5u)).z",
     of_mirror},
    {ASK("(me + 3) % 16", "y") "; y = intel_sub_group_shuffle_down(x, x, 3u)", of_above_or_next},
    {ASK("(me + 14) % 16", "y") "; y = intel_sub_group_shuffle_up(x, x, 2u)", of_below_or_last},
    {"(int)intel_sub_group_block_read((global const uint *)v + base)", own},
    {"(int)intel_sub_group_block_read2((global const uint *)v + (base ? base - 16 : 0)).s1 * 0 + x", own},
    {"(intel_sub_group_block_write((global uint *)out + base, (uint)x), out[i])", own},
    {"sub_group_non_uniform_broadcast(x, 3u) * 0 + sub_group_non_uniform_reduce_add(x)", sum},
};
enum { ROWS = sizeof rows / sizeof *rows };
static const char *const policies[] = {"lockstep", "serial", "round-robin", "reverse", "random"};
enum { POLICIES = sizeof policies / sizeof *policies };

/* "a; y = b": b is computed before a is read, by all active lanes. */
static cl_kernel kernel_for(const struct row *row, cl_program *out_program)
{
    char text[LONGEST];
    const char *source = text, *later = strstr(row->expression, "; y = ");
    cl_int err = 1;
    snprintf(text, sizeof text,
             "kernel void k(global const int *v, global const int *there, global int *out)\n"
             "{\n"
             "    int i = get_global_id(0), me = get_sub_group_local_id(), base = i - me, n = "
             "get_sub_group_size(), y = 0;\n"
             "#define lane(j) ((j) >= 0 && (j) < n && there[base + (j)])\n"
             "    int x = v[i];\n"
             "    if (there[i]) {\n"
             "        y = %s;\n"
             "        out[i] = %.*s;\n"
             "    }\n"
             "}\n",
             later ? later + strlen("; y = ") : "0", later ? (int)(later - row->expression) : LONGEST,
             row->expression);
    *out_program = clCreateProgramWithSource(context, 1, &source, NULL, &err);
    cl_ok(err);
    err = clBuildProgram(*out_program, 0, NULL, "-cl-std=CL3.0", NULL, NULL);
    if (err) {
        char log[LONGEST] = "";
        clGetProgramBuildInfo(*out_program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
        ck_abort_msg("%s: %s", row->expression, log);
    }
    cl_kernel kernel = clCreateKernel(*out_program, "k", &err);
    cl_ok(err);
    return kernel;
}

static cl_mem buffer_of(const int *values)
{
    cl_int err = 1;
    cl_mem made = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, ITEMS * sizeof *values,
                                 (void *)(uintptr_t)values, &err);
    cl_ok(err);
    return made;
}

static void compare(const struct row *row, const char *policy, const int *v, const int *there, const int *out)
{
    for (int i = 0; i < ITEMS; i++) {
        struct lanes s = {.me = i % SIZE,
                          .n = ITEMS - i / SIZE * SIZE < SIZE ? ITEMS - i / SIZE * SIZE : SIZE};
        for (int j = 0; j < s.n; j++) {
            s.v[j] = v[i / SIZE * SIZE + j];
            s.there[j] = there[i / SIZE * SIZE + j];
        }
        const int want = there[i] ? row->expected(&s) : -1;
        ck_assert_msg(out[i] == want, "%s, %s: item %d gives %d, not %d", row->expression, policy, i, out[i],
                      want);
    }
}

START_TEST(functions_return_the_specified_values)
{
    const struct row *row = &rows[_i / POLICIES];
    typedef int set_option(const char *, const char *, char *, size_t);
    int v[ITEMS], there[ITEMS], out[ITEMS];
    cl_program program;
    cl_find_device();
    set_option *set = (set_option *)clGetExtensionFunctionAddressForPlatform(platform, "orrery_set_option");
    ck_assert_int_eq(set("sub-group-sizes", "16", NULL, 0), 0);
    ck_assert_int_eq(set("schedule", policies[_i % POLICIES], NULL, 0), 0);
    cl_set_up();
    cl_kernel kernel = kernel_for(row, &program);
    for (int variant = 0; variant < 4; variant++) {
        for (int i = 0; i < ITEMS; i++) {
            v[i] = variant == 1 ? 17 : (i * 7919 + 13) % 31;
            there[i] = variant == 3 ? i % 5 == 2 || i % 7 == 1 : variant == 2 ? i % 2 : 1;
            out[i] = -1;
        }
        cl_mem buffers[] = {buffer_of(v), buffer_of(there), buffer_of(out)};
        const size_t items = ITEMS;
        for (cl_uint k = 0; k < 3; k++)
            cl_ok(clSetKernelArg(kernel, k, sizeof buffers[k], &buffers[k]));
        cl_ok(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &items, 0, NULL, NULL));
        cl_ok(clEnqueueReadBuffer(queue, buffers[2], CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
        compare(row, policies[_i % POLICIES], v, there, out);
        for (int k = 0; k < 3; k++)
            cl_ok(clReleaseMemObject(buffers[k]));
    }
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseProgram(program));
    cl_tear_down();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("sub_group");
    TCase *tests = tcase_create("functions");
    tcase_set_timeout(tests, 60);
    tcase_add_loop_test(tests, functions_return_the_specified_values, 0, ROWS * POLICIES);
    suite_add_tcase(suite, tests);
    return cl_run_suite(suite);
}
