/* SPDX-License-Identifier: Apache-2.0 */
/* Through which arguments a kernel may write: by hand, of each way that a pointer can take. */
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

START_TEST(arguments_that_a_kernel_may_write_to)
{
    char source[2048];
    struct spirv spirv = {0};
    char *log = NULL;
    snprintf(source, sizeof source,
             "struct two { int x; global int *p; };\nglobal int counter;\n"
             "void called(global int *to, global const int *from) { *to = *from; }\nkernel void k" ARGUMENTS
             "\n{\n%s\n}\n",
             rows[_i].body);
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
    ck_assert_msg(compile_opencl_c(&request, &spirv, &log) == STATUS_OK, "%s", log);
    ck_assert_msg(written(&spirv) == rows[_i].written, "%s: %x, not %x", rows[_i].body, written(&spirv),
                  rows[_i].written);
    spirv_fini(&spirv);
    free(log);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("written");
    TCase *tests = tcase_create("arguments");
    tcase_set_timeout(tests, 120);
    tcase_add_loop_test(tests, arguments_that_a_kernel_may_write_to, 0, sizeof rows / sizeof *rows);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
