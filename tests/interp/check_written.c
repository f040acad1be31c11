/* SPDX-License-Identifier: Apache-2.0 */
/* Through which arguments a kernel may write, and which argument each store goes through: by hand, of each way
 * that a pointer can take. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "sim/interp/interp.h"
#include "sim/interp/bytecode.h"
#include "orrery/compiler.h"

#define ARGUMENTS                                                                                          \
    "(global int *a, global int *b, global const int *c, int n, local int *l, struct two s, image2d_t i, " \
    "write_only image2d_t o)"
enum { A = 1, B = 2, C = 4, I = 64, O = 128, ELSEWHERE = 1 << 16 };

static const struct {
    const char *body;
    uint32_t written;
} rows[] = {
    {"", 0},
    {"if (n) a[n] = b[n] + c[n];", A},
    {"global int *p = n ? a : b; p[1] = c[0];", A | B},
    {"global int *p = a; for (int k = 0; k < n; k++) p += c[k]; *p = b[0];", A},
    {"global int *p = a, *q = b; for (int k = 0; k < n; k++) { global int *t = p; p = q; q = t; } *p = 1;",
     A | B},
    {"*(global int *)((global char *)b + 4 * n) = 1;", B},
    {"*(global int *)((ulong)b + 8) = 1;", B},
    {"*(global int *)((ulong)b + (ulong)a) = 1;", B | A},
    {"*(global int *)((ulong)b ^ n) = 1;", ELSEWHERE},
    {"*(global int *)c = 1;", C},
    {"atomic_load((volatile global atomic_int *)b);", B},
    {"atomic_fetch_add((volatile global atomic_int *)a, 1);", A},
    {"l[n] = c[0]; int own[9]; own[n & 7] = l[0]; l[1] = own[n & 3];", 0},
    {"int *p = n ? (int *)a : (int *)l; *p = b[0];", A},
    {"global int *own[2] = {a, b}; own[n & 1][0] = 1;", ELSEWHERE},
    {"((global int * global *)a)[0][0] = 1;", ELSEWHERE},
    {"s.p[0] = 1;", ELSEWHERE},
    {"b[0] = s.p[0];", B},
    {"event_t e = async_work_group_copy(l, c, 4, 0); wait_group_events(1, &e);", 0},
    {"event_t e = async_work_group_copy(b, l, 4, 0); wait_group_events(1, &e);", B},
    {"for (int k = 0; k < 64; k++) ((global long *)a)[k] = ((global const long *)c)[k];", A},
    {"struct big { int x[100]; }; *(global struct big *)b = *(global const struct big *)c;", B},
    {"vstore4((int4)(1), 0, b); prefetch(a, 4);", B},
    {"called(n ? a : b, c);", A | B},
    {"write_imagei(o, (int2)(0, 0), (int4)(1)); b[0] = read_imagei(i, (int2)(0, 0)).x;", B | O},
    {"counter = read_imagei(i, (int2)(0, 0)).x;", 0},
    {"printf(\"%d\", b[0]);", 0},
};

/* Of kernels with one plain store that is not in private or local memory: 1 + its argument, 0: it is not known. */
static const struct {
    const char *body;
    uint32_t argument;
    bool numbers; /* pointers become numbers, so the argument is a name, not a proof */
} stores[] = {
    {"a[n] = 1;", 1, false},
    {"b[n * 3 - 1] = a[0];", 2, false},
    {"global int *p = a; for (int k = 0; k < n; k++) p += c[k]; *p = b[0];", 1, false},
    {"global int *p = b; for (int k = 0; k < n; k++) for (int m = 0; m < k; m++) { p += m; *p = 0; p -= 2; }",
     2, false},
    {"global int *p = a; if (n) p = a + 4; *p = 1;", 1, false},
    {"global int *p = n ? a + 1 : a - 1; *p = 1;", 1, false},
    {"global int *p = n ? a : b; *p = 1;", 0, false},
    {"global int *p = a; for (int k = 0; k < n; k++) p = k & 1 ? p + 1 : b; *p = 1;", 0, false},
    {"global int *own[2] = {a, b}; own[n & 1][0] = 1;", 0, false},
    {"global int *own = a; global int **at = &own; **at = 1;", 1, false},
    {"*(global int *)((global char *)b + 4 * n) = 1;", 2, false},
    {"((global float4 *)b)[n].y = 1;", 2, false},
    {"*(global int *)((ulong)b + 8) = 1;", 2, true},
    {"a[b - a] = 1;", 1, true},
    {"if (((size_t)a & 15) == 0) b[0] = 1;", 2, true},
    {"s.p[0] = 1;", 0, false},
    {"counter = 1;", 0, false},
    {"called(b + 1, c);", 2, false},
    {"called(n ? a : b, c);", 0, false},
    {"int *p = (int *)a; p[n] = 1;", 1, false},
    {"int *p = n ? (int *)a : (int *)l; *p = b[0];", 0, false},
    {"vstore4((int4)(1), 0, b + n);", 2, false},
    {"struct big { int x[100]; }; *(global struct big *)b = *(global const struct big *)c;", 2, false},
};

static bool is_store(const struct site *site)
{
    const bool shared = site->storage == STORAGE_GLOBAL || site->storage == STORAGE_GENERIC;
    return shared && site->access == ACCESS_WRITE && site->components;
}

/* Of the last store, if all are of one argument. */
static void check_store(const struct spirv *spirv, int row)
{
    struct module *module;
    struct diagnosis diagnosis = {0};
    const struct code *code;
    uint32_t found = 0;
    ck_assert_int_eq(interp_module_new(spirv->words, spirv->word_count, NULL, 0, &module, &diagnosis),
                     STATUS_OK);
    ck_assert_int_eq(interp_code(module, &(struct code_request){.kernel = 0, .width = 64}, &code, &diagnosis),
                     STATUS_OK);
    for (uint32_t i = 1; i < code->site_count; i++) {
        if (!is_store(&code->sites[i]))
            continue;
        found++;
        ck_assert_msg(code->sites[i].argument == stores[row].argument, "%s: argument %u", stores[row].body,
                      code->sites[i].argument);
    }
    ck_assert_uint_gt(found, 0);
    ck_assert_msg(code->pointers_as_numbers == stores[row].numbers, "%s", stores[row].body);
    interp_module_free(module);
}

static uint32_t written(const struct spirv *spirv)
{
    struct module *module;
    struct diagnosis diagnosis = {0};
    const struct code *code;
    uint32_t bits = 0;
    ck_assert_msg(interp_module_new(spirv->words, spirv->word_count, NULL, 0, &module, &diagnosis) ==
                      STATUS_OK,
                  "%s", diagnosis.text);
    ck_assert_msg(interp_code(module, &(struct code_request){.kernel = 0, .width = 64}, &code, &diagnosis) ==
                      STATUS_OK,
                  "%s", diagnosis.text);
    for (uint32_t i = 0; i < 8; i++)
        bits |= code->written[i] ? 1u << i : 0;
    if (code->writes_elsewhere)
        bits |= ELSEWHERE;
    interp_module_free(module);
    return bits;
}

static void compile(const char *body, struct spirv *out_spirv)
{
    char source[2048];
    char *log = NULL;
    snprintf(source, sizeof source,
             "struct two { int x; global int *p; };\nglobal int counter;\n"
             "void called(global int *to, global const int *from) { *to = *from; }\nkernel void k" ARGUMENTS
             "\n{\n%s\n}\n",
             body);
    const struct compile_request request = {.source = source,
                                            .source_name = "k.cl",
                                            .options = "-cl-std=CL2.0",
                                            .version_major = 3,
                                            .opencl_c_20 = true,
                                            .generic_address_space = true,
                                            .program_scope_variables = true,
                                            .images = true,
                                            .fp64 = true,
                                            .int64_atomics = true};
    ck_assert_msg(compile_opencl_c(&request, out_spirv, &log) == STATUS_OK, "%s", log);
    free(log);
}

START_TEST(arguments_that_a_kernel_may_write_to)
{
    struct spirv spirv = {0};
    compile(rows[_i].body, &spirv);
    ck_assert_msg(written(&spirv) == rows[_i].written, "%s: %x, not %x", rows[_i].body, written(&spirv),
                  rows[_i].written);
    spirv_fini(&spirv);
}
END_TEST

START_TEST(argument_that_a_store_goes_through)
{
    struct spirv spirv = {0};
    compile(stores[_i].body, &spirv);
    check_store(&spirv, _i);
    spirv_fini(&spirv);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("written");
    TCase *tests = tcase_create("arguments");
    tcase_set_timeout(tests, 120);
    tcase_add_loop_test(tests, arguments_that_a_kernel_may_write_to, 0, sizeof rows / sizeof *rows);
    tcase_add_loop_test(tests, argument_that_a_store_goes_through, 0, sizeof stores / sizeof *stores);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
