/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What tests of the front end share: a directory of their own, compilations with their logs, and suites
 * that run in one process, whose builds share a compile server.
 */
#ifndef ORRERY_TESTS_SUPPORT_FRONTEND_FIXTURE_H
#define ORRERY_TESTS_SUPPORT_FRONTEND_FIXTURE_H

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "orrery/compiler.h"
#include "compile_request.h"

static const char plain_source[] = "kernel void add(global int *a, int n)\n"
                                   "{\n"
                                   "    size_t i = get_global_id(0);\n"
                                   "    a[i] = a[i] + n;\n"
                                   "}\n";

/* guarded by each test's own process */
static char directory[64], cache_directory[80];

static inline void make_directory(void)
{
    strcpy(directory, "/tmp/check-frontend-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(directory));
    snprintf(cache_directory, sizeof cache_directory, "%s/cache", directory);
}

static inline void remove_directory(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", directory);
    ck_assert_int_eq(system(command), 0);
}

static inline char *path_of(const char *name)
{
    char *path = NULL;
    ck_assert_int_gt(asprintf(&path, "%s/%s", directory, name), 0);
    return path;
}

static inline char *write_file(const char *name, const char *text, mode_t mode)
{
    char *path = path_of(name);
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_ge(fputs(text, file), 0);
    ck_assert_int_eq(fclose(file), 0);
    ck_assert_int_eq(chmod(path, mode), 0);
    return path;
}

static inline void configure(const char *clang, const char *llvm_spirv, const char *cache)
{
    const struct compiler_settings settings = {
        .clang = clang, .llvm_spirv = llvm_spirv, .cache_directory = cache};
    compiler_configure(&settings);
}

static inline void configure_server(const char *server)
{
    compiler_configure(&(struct compiler_settings){.compile_server = server});
}

/* Compiles; the log is returned if requested. */
static inline enum status compile_request(const struct compile_request *request, struct spirv *spirv,
                                          char **log)
{
    char *text = NULL;
    enum status status = compile_opencl_c(request, spirv, &text);
    ck_assert_ptr_nonnull(text);
    if (log)
        *log = text;
    else
        free(text);
    return status;
}

static inline struct spirv compile_ok(const struct compile_request *request)
{
    struct spirv spirv;
    char *log;
    enum status status = compile_request(request, &spirv, &log);
    ck_assert_msg(status == STATUS_OK, "%s: %.3000s", status_name(status), log);
    free(log);
    return spirv;
}

static inline struct spirv compile_text(const char *source, const char *options)
{
    struct compile_request request = request_for(source, options);
    return compile_ok(&request);
}

static inline void expect_log(const struct compile_request *request, enum status expected, const char *part)
{
    struct spirv spirv;
    char *log;
    enum status status = compile_request(request, &spirv, &log);
    ck_assert_ptr_nonnull(log);
    ck_assert_msg(status == expected, "%s instead of %s: %.3000s", status_name(status), status_name(expected),
                  log);
    ck_assert_msg(strstr(log, part) != NULL, "'%s' is not in the log: %.3000s", part, log);
    if (status)
        ck_assert_ptr_null(spirv.words);
    free(log);
    spirv_fini(&spirv);
}

static inline char *listing_of(const struct spirv *spirv)
{
    char *text, *log;
    ck_assert_int_eq(spirv_disassemble(spirv->words, spirv->word_count, &text, &log), STATUS_OK);
    ck_assert_str_eq(log, "");
    free(log);
    return text;
}

static inline void expect_listing(const struct spirv *spirv, const char *part, bool there)
{
    char *text = listing_of(spirv);
    ck_assert_msg((strstr(text, part) != NULL) == there, "'%s' is%s in:\n%.3000s", part, there ? " not" : "",
                  text);
    free(text);
}

static inline size_t count_opcode(const struct spirv *spirv, uint32_t opcode)
{
    size_t count = 0;
    for (size_t at = 5; at < spirv->word_count; at += spirv->words[at] >> 16)
        count += (spirv->words[at] & 0xffff) == opcode;
    return count;
}

/* The string that OpLine names and a line of it. */
static inline bool has_line(const struct spirv *spirv, const char *name, uint32_t line)
{
    uint32_t file = 0;
    for (size_t at = 5; at < spirv->word_count; at += spirv->words[at] >> 16) {
        uint32_t opcode = spirv->words[at] & 0xffff;
        if (opcode == SpvOpString && !strcmp((const char *)&spirv->words[at + 2], name))
            file = spirv->words[at + 1];
        if (opcode == SpvOpLine && file && spirv->words[at + 1] == file && spirv->words[at + 2] == line)
            return true;
    }
    return false;
}

static inline bool same_words(const struct spirv *left, const struct spirv *right)
{
    return left->word_count == right->word_count &&
           !memcmp(left->words, right->words, left->word_count * sizeof *left->words);
}

static inline TCase *add_case(Suite *suite, const char *name)
{
    TCase *tests = tcase_create(name);
    tcase_set_timeout(tests, 120);
    suite_add_tcase(suite, tests);
    return tests;
}

/* Builds of one process share its compile server, if there is one: clang starts once. */
static inline void share_server(void)
{
    const char *build = getenv("ORRERY_BUILDDIR");
    char path[512];
    snprintf(path, sizeof path, "%s/orrery-compile-server", build ? build : ".");
    char *server = realpath(path, NULL);
    configure_server(server);
    free(server);
}

static inline int failures_of(Suite *suite, enum fork_status fork_status)
{
    SRunner *runner = srunner_create(suite);
    srunner_set_fork_status(runner, fork_status);
    srunner_run_all(runner, CK_NORMAL);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed;
}

#endif
