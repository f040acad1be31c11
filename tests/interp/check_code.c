/* SPDX-License-Identifier: Apache-2.0 */
/* The code of a kernel does not depend on which traits or code were asked for before it: interp.c keeps what it
 * lowered for traits, and emits that only for a request that lowers the same. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/interp/interp.h"
#include "orrery/compiler.h"

enum { FORMS = 1 << 6, KERNELS = 3 };

static const char source[] =
    "kernel void plain(global int *a, int n) {\n"
    "    int sum;\n"
    "    for (int i = 0; i < n; i++) { if (a[i] > 3) sum += a[i]; else a[i] = sum; }\n"
    "    a[get_global_id(0)] = sum;\n"
    "}\n"
    "kernel void waits(global int *a, global atomic_int *flag) {\n"
    "    while (atomic_load_explicit(flag, memory_order_acquire, memory_scope_device) == 0) ;\n"
    "    int none = 0;\n"
    "    atomic_compare_exchange_weak(flag, &none, a[0]);\n"
    "}\n"
    "kernel void group(global int *a, local int *tile) {\n"
    "    int own[4] = {a[0], a[1], a[2], a[3]};\n"
    "    tile[get_local_id(0)] = own[a[4] & 3];\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    a[get_global_id(0)] = tile[get_local_id(0) ^ 1];\n"
    "}\n";

static struct spirv spirv;

static void compile(void)
{
    const struct compile_request request = {.source = source,
                                            .options = "-cl-std=CL2.0",
                                            .version_major = 3,
                                            .opencl_c_20 = true,
                                            .generic_address_space = true,
                                            .int64_atomics = true};
    char *log = NULL;
    ck_assert_msg(compile_opencl_c(&request, &spirv, &log) == STATUS_OK, "%s", log);
    free(log);
}

static void release(void)
{
    spirv_fini(&spirv);
}

static struct module *new_module(void)
{
    struct module *module;
    struct diagnosis diagnosis = {0};
    ck_assert_msg(interp_module_new(spirv.words, spirv.word_count, NULL, 0, &module, &diagnosis) == STATUS_OK,
                  "%s", diagnosis.text);
    return module;
}

static struct code_request form(uint32_t bits, size_t kernel)
{
    return (struct code_request){.kernel = kernel,
                                 .width = bits & 1 ? 256 : 16,
                                 .preempt = bits >> 1 & 1,
                                 .poison = bits >> 2 & 1,
                                 .zero_private = bits >> 3 & 1,
                                 .spurious = bits >> 4 & 1,
                                 .profile = bits >> 5 & 1};
}

static struct kernel_traits traits_of(struct module *module, const struct code_request *request)
{
    struct kernel_traits traits;
    struct diagnosis diagnosis = {0};
    ck_assert_msg(interp_traits(module, request, &traits, &diagnosis) == STATUS_OK, "%s", diagnosis.text);
    return traits;
}

/* The code of all kernels in a module that is new but for the traits of one kernel; NULL: of none. */
static char *listing_after_traits(const struct code_request *traits, const struct code_request *code)
{
    struct module *module = new_module();
    if (traits)
        traits_of(module, traits);
    char *text = interp_listing(module, code);
    ck_assert_ptr_nonnull(text);
    interp_module_free(module);
    return text;
}

START_TEST(code_after_traits_of_any_request_is_code_without)
{
    const struct code_request code = form((uint32_t)_i, 0);
    char *alone = listing_after_traits(NULL, &code);
    ck_assert_ptr_nonnull(strstr(alone, "kernel group"));
    for (uint32_t bits = 0; bits < FORMS; bits++) {
        const struct code_request traits = form(bits, bits % KERNELS);
        char *after = listing_after_traits(&traits, &code);
        if (strcmp(alone, after) != 0)
            fprintf(stderr, "alone:\n%s\nafter traits:\n%s", alone, after);
        ck_assert_msg(strcmp(alone, after) == 0, "after traits of kernel %zu, form %u", traits.kernel, bits);
        free(after);
    }
    free(alone);
}
END_TEST

START_TEST(traits_do_not_depend_on_the_request)
{
    for (size_t kernel = 0; kernel < KERNELS; kernel++)
        for (uint32_t bits = 0; bits < FORMS; bits++) {
            struct module *module = new_module();
            struct code_request request = form(bits, kernel);
            request.unoptimised = bits % 3 == 0;
            request.debug = bits % 5 == 0;
            const struct kernel_traits traits = traits_of(module, &request);
            ck_assert_msg(traits.sees_groups == (kernel > 0), "kernel %zu, form %u", kernel, bits);
            ck_assert_msg(traits.has_atomics == (kernel == 1), "kernel %zu, form %u", kernel, bits);
            ck_assert_msg(traits.has_barrier == (kernel == 2), "kernel %zu, form %u", kernel, bits);
            interp_module_free(module);
        }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("code");
    TCase *tc = tcase_create("code");
    tcase_add_unchecked_fixture(tc, compile, release);
    tcase_add_loop_test(tc, code_after_traits_of_any_request_is_code_without, 0, FORMS);
    tcase_add_test(tc, traits_do_not_depend_on_the_request);
    suite_add_tcase(suite, tc);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
