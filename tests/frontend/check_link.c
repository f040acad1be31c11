/* SPDX-License-Identifier: Apache-2.0 */
/* Modules: linking, assembling, disassembling, and validation by version and capability. */
#include <spirv/unified1/spirv.h>

#include "tests/support/frontend_fixture.h"

static const char user_source[] =
    "int twice(int x);\nkernel void k(global int *a) { a[get_global_id(0)] = twice(a[0]); }\n";
static const char definer_source[] =
    "int twice(int x) { return x + x + (int)get_local_id(0) * 0 + (int)get_global_id(0) * 0; }\n";

static enum status link_two(const struct spirv *modules, size_t count, bool library, struct spirv *spirv,
                            char **log)
{
    enum status status = spirv_link(modules, count, library, spirv, log);
    ck_assert_ptr_nonnull(*log);
    return status;
}

START_TEST(two_modules_become_one)
{
    struct compile_request definer = request_for(definer_source, "");
    definer.source_name = "definer.cl";
    struct spirv modules[2] = {compile_text(user_source, ""), compile_ok(&definer)}, linked;
    char *log;
    enum status status = link_two(modules, 2, false, &linked, &log);
    ck_assert_msg(status == STATUS_OK, "%s", log);
    free(log);
    ck_assert_int_eq(spirv_validate(linked.words, linked.word_count, &log), STATUS_OK);
    free(log);
    expect_listing(&linked, "LinkageAttributes \"twice\"", false);
    expect_listing(&linked, "OpEntryPoint Kernel", true);
    ck_assert(has_line(&linked, "program.cl", 2));
    ck_assert(has_line(&linked, "definer.cl", 1));
    ck_assert(!has_line(&linked, "definer.cl", 2));
    spirv_fini(&linked);

    status = link_two(modules, 1, false, &linked, &log);
    ck_assert_int_eq(status, STATUS_LINK_FAILED);
    ck_assert_msg(strstr(log, "twice") != NULL, "%s", log);
    ck_assert_ptr_null(linked.words);
    free(log);

    ck_assert_int_eq(link_two(modules, 1, true, &linked, &log), STATUS_OK);
    expect_listing(&linked, "LinkageAttributes \"twice\" Import", true);
    free(log);
    spirv_fini(&linked);
    ck_assert_int_eq(link_two(modules + 1, 1, true, &linked, &log), STATUS_OK);
    expect_listing(&linked, "LinkageAttributes \"twice\" Export", true);
    free(log);
    spirv_fini(&modules[1]);
    modules[1] = linked;
    ck_assert_int_eq(link_two(modules, 2, false, &linked, &log), STATUS_OK);
    free(log);
    spirv_fini(&linked);
    spirv_fini(&modules[0]);
    spirv_fini(&modules[1]);
}
END_TEST

START_TEST(modules_of_different_versions_link)
{
    struct spirv modules[2] = {
        compile_text(user_source, ""),
        compile_text("int twice(int x) { return sub_group_shuffle(x + x, 0u); }", "-cl-std=CL2.0"),
    };
    ck_assert_uint_lt(modules[0].words[1], modules[1].words[1]);
    for (int round = 0; round < 2; round++) {
        struct spirv linked, swap = modules[0];
        char *log;
        enum status status = link_two(modules, 2, false, &linked, &log);
        ck_assert_msg(status == STATUS_OK, "%s", log);
        free(log);
        status = spirv_validate(linked.words, linked.word_count, &log);
        ck_assert_msg(status == STATUS_OK, "%s", log);
        free(log);
        spirv_fini(&linked);
        modules[0] = modules[1];
        modules[1] = swap;
    }
    spirv_fini(&modules[0]);
    spirv_fini(&modules[1]);
}
END_TEST

START_TEST(bad_links_fail)
{
    struct spirv modules[2] = {compile_text(definer_source, ""), compile_text(definer_source, "")}, linked;
    char *log;
    ck_assert_int_eq(link_two(modules, 2, false, &linked, &log), STATUS_LINK_FAILED);
    ck_assert_msg(strstr(log, "twice") != NULL, "%s", log);
    free(log);
    spirv_fini(&modules[1]);
    modules[1] =
        compile_text("float twice(float x);\nkernel void k(global float *a) { a[0] = twice(a[1]); }", "");
    ck_assert_int_eq(link_two(modules, 2, false, &linked, &log), STATUS_LINK_FAILED);
    free(log);
    uint32_t nonsense[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    struct spirv bad[2] = {{nonsense, 8}, {nonsense, 0}};
    ck_assert_int_eq(link_two(bad, 1, false, &linked, &log), STATUS_BAD_BINARY);
    free(log);
    ck_assert_int_eq(link_two(bad + 1, 1, false, &linked, &log), STATUS_BAD_BINARY);
    free(log);
    ck_assert_int_eq(link_two(bad, 0, false, &linked, &log), STATUS_BAD_ARGUMENT);
    free(log);
    spirv_fini(&modules[0]);
    spirv_fini(&modules[1]);
}
END_TEST

static const char assembly[] = "OpCapability Addresses\nOpCapability Linkage\nOpCapability Kernel\n"
                               "OpMemoryModel Physical64 OpenCL\nOpEntryPoint Kernel %10 \"k\"\n"
                               "%1 = OpTypeVoid\n%2 = OpTypeFunction %1\n%10 = OpFunction %1 None %2\n"
                               "%11 = OpLabel\nOpReturn\nOpFunctionEnd\n";

START_TEST(text_and_words_make_a_round_trip)
{
    struct spirv first, second;
    char *log, *text;
    ck_assert_int_eq(spirv_assemble(assembly, &first, &log), STATUS_OK);
    ck_assert_str_eq(log, "");
    free(log);
    ck_assert_uint_eq(first.words[0], SpvMagicNumber);
    ck_assert_uint_eq(first.words[1], 0x10200);
    ck_assert_int_eq(spirv_validate(first.words, first.word_count, &log), STATUS_OK);
    free(log);
    text = listing_of(&first);
    ck_assert_int_eq(spirv_assemble(text, &second, &log), STATUS_OK);
    free(log);
    free(text);
    ck_assert_uint_eq(first.word_count, second.word_count);
    for (size_t i = 4; i < first.word_count; i++)
        if (i > 4)
            ck_assert_uint_eq(first.words[i] & 0xffff, second.words[i] & 0xffff);
    spirv_fini(&first);
    spirv_fini(&second);
    ck_assert_int_eq(spirv_assemble("; Version: 1.4\nOpCapability Kernel\n", &first, &log), STATUS_OK);
    ck_assert_uint_eq(first.words[1], 0x10400);
    free(log);
    spirv_fini(&first);
    ck_assert_int_eq(spirv_assemble("OpCapability Kernel\nOpNonsense\n", &first, &log), STATUS_BAD_BINARY);
    ck_assert_msg(strstr(log, "line 2") != NULL && strstr(log, "OpNonsense") != NULL, "%s", log);
    ck_assert_ptr_null(first.words);
    free(log);
}
END_TEST

static enum status assemble_and_validate(const char *text, char **log)
{
    struct spirv spirv;
    char *complaint; /* of the assembler */
    enum status status = spirv_assemble(text, &spirv, &complaint);
    ck_assert_msg(status == STATUS_OK, "%s", complaint);
    free(complaint);
    status = spirv_validate(spirv.words, spirv.word_count, log);
    spirv_fini(&spirv);
    return status;
}

START_TEST(validation_judges_by_version_and_capability)
{
    char *log, text[1000];
    for (char minor = '0'; minor <= '6'; minor++) {
        snprintf(text, sizeof text, "; Version: 1.%c\n%s", minor, assembly);
        enum status status = assemble_and_validate(text, &log);
        ck_assert_msg(status == STATUS_OK, "1.%c: %s", minor, log);
        free(log);
    }
    snprintf(text, sizeof text, "OpCapability Shader\n%s", assembly);
    ck_assert_int_eq(assemble_and_validate(text, &log), STATUS_BAD_BINARY);
    ck_assert_msg(strstr(log, "Shader") != NULL && strstr(log, "instruction 1") != NULL, "%s", log);
    free(log);
    snprintf(text, sizeof text, "OpCapability Int64Atomics\nOpCapability Int64\n%s", assembly);
    ck_assert_int_eq(assemble_and_validate(text, &log), STATUS_OK);
    free(log);
    snprintf(text, sizeof text, "%s%%20 = OpTypeInt 32 0\n", assembly);
    ck_assert_int_eq(assemble_and_validate(text, &log), STATUS_BAD_BINARY);
    ck_assert_str_ne(log, "");
    free(log);
    uint32_t words[6] = {0x12345678, 0x10000, 0, 5, 0, 0};
    ck_assert_int_eq(spirv_validate(words, 6, &log), STATUS_BAD_BINARY);
    free(log);
    ck_assert_int_eq(spirv_validate(words, 0, &log), STATUS_BAD_BINARY);
    free(log);
}
END_TEST

static Suite *modules_suite(void)
{
    Suite *suite = suite_create("frontend: modules");
    TCase *tests = add_case(suite, "modules");
    tcase_add_test(tests, two_modules_become_one);
    tcase_add_test(tests, modules_of_different_versions_link);
    tcase_add_test(tests, bad_links_fail);
    tcase_add_test(tests, text_and_words_make_a_round_trip);
    tcase_add_test(tests, validation_judges_by_version_and_capability);
    return suite;
}

int main(void)
{
    share_server();
    return failures_of(modules_suite(), CK_NOFORK) ? EXIT_FAILURE : EXIT_SUCCESS;
}
