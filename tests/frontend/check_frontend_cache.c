/* SPDX-License-Identifier: Apache-2.0 */
/* The cache of compilations: what is found there again, when it is not trusted, and lines of files that
 * changed since. Each test is a process of its own. */
#include <dirent.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <spirv/unified1/spirv.h>

#include "tests/support/frontend_fixture.h"

static bool quotes(const struct spirv *spirv, const char *line)
{
    char *listing = listing_of(spirv);
    bool there = strstr(listing, line) != NULL;
    free(listing);
    return there;
}

/* Those that positions name, and what clang read. */
START_TEST(lines_of_included_files_are_kept)
{
    static const char text[] =
        "#define UNSAID 1\nstatic void put(global int *a)\n{\n    a[UNSAID] = 2; // said\n}\n";
    struct compile_header header = {"sub/given.h", text};
    make_directory();
    free(write_file("found.h", text, 0600));
    configure(NULL, NULL, cache_directory);
    struct compile_request request =
        request_for("#include \"found.h\"\nkernel void k(global int *a) { put(a); } // own\n", "");
    request.program_dir = directory;
    for (int cached = 0; cached < 2; cached++) {
        struct spirv spirv = compile_ok(&request);
        ck_assert(quotes(&spirv, "    a[UNSAID] = 2; // said"));
        ck_assert(!quotes(&spirv, "#define"));
        ck_assert(!quotes(&spirv, "// own"));
        spirv_fini(&spirv);
    }
    request.embed_source = true;
    struct spirv spirv = compile_ok(&request);
    ck_assert(quotes(&spirv, "// said"));
    ck_assert(quotes(&spirv, "// own"));
    spirv_fini(&spirv);
    request.source = "#include \"./sub/given.h\"\nkernel void k(global int *a) { put(a); }\n";
    request.headers = &header;
    request.header_count = 1;
    spirv = compile_ok(&request);
    ck_assert(quotes(&spirv, "    a[UNSAID] = 2; // said"));
    spirv_fini(&spirv);
    /* whose line 4 is another one */
    header.text = "static void put(global int *a)\n{\n # line 2\n    a[1] = 2; // said\n}\n";
    spirv = compile_ok(&request);
    ck_assert(has_line(&spirv, "sub/given.h", 2));
    ck_assert(!quotes(&spirv, "// said"));
    spirv_fini(&spirv);
    remove_directory();
}
END_TEST

/* A clang after which the header is edited. */
START_TEST(a_file_that_changed_meanwhile_is_not_quoted)
{
    char script[400];
    make_directory();
    free(write_file("found.h", "static void put(global int *a) { a[0] = 1; } // first\n", 0600));
    snprintf(script, sizeof script,
             "#!/bin/sh\nclang-14 \"$@\"\nsleep 0.1\necho 'static void put(global int *a) { a[0] = 1; } // "
             "second' >'%s/found.h'\n",
             directory);
    char *clang = write_file("clang", script, 0700);
    configure(clang, NULL, NULL);
    struct compile_request request =
        request_for("#include \"found.h\"\nkernel void k(global int *a) { put(a); }\n", "");
    request.program_dir = directory;
    struct spirv spirv = compile_ok(&request);
    ck_assert(!quotes(&spirv, "// first"));
    ck_assert(!quotes(&spirv, "// second"));
    spirv_fini(&spirv);
    free(clang);
    remove_directory();
}
END_TEST

/* Cache */

/* A clang that counts how often it runs. */
static char *counting_clang(void)
{
    char script[300];
    snprintf(script, sizeof script, "#!/bin/sh\necho run >>'%s/count'\nexec clang-14 \"$@\"\n", directory);
    return write_file("clang", script, 0700);
}

static size_t runs(void)
{
    char *path = path_of("count");
    struct stat about = {0};
    stat(path, &about);
    free(path);
    return (size_t)about.st_size / strlen("run\n");
}

START_TEST(cached_result_starts_no_process)
{
    make_directory();
    char *clang = counting_clang();
    configure(clang, NULL, cache_directory);
    struct spirv cold = compile_text(plain_source, "-D A=1");
    size_t cold_runs = runs();
    ck_assert_uint_gt(cold_runs, 0);
    struct spirv warm = compile_text(plain_source, "-D A=1");
    ck_assert_uint_eq(runs(), cold_runs);
    ck_assert(same_words(&cold, &warm));
    spirv_fini(&warm);
    warm = compile_text(plain_source, "-D A=2");
    ck_assert_uint_gt(runs(), cold_runs);
    spirv_fini(&warm);
    size_t before = runs();
    struct compile_request request = request_for(plain_source, "-D A=1");
    request.source_name = "other.cl";
    warm = compile_ok(&request);
    ck_assert_uint_gt(runs(), before);
    ck_assert(has_line(&warm, "other.cl", 4));
    spirv_fini(&warm);
    before = runs();
    request = request_for(plain_source, "-D A=1");
    request.fp16 = false;
    warm = compile_ok(&request);
    ck_assert_uint_gt(runs(), before);
    spirv_fini(&warm);
    spirv_fini(&cold);
    free(clang);
    remove_directory();
}
END_TEST

START_TEST(cache_gives_the_log_and_the_words_of_a_compilation)
{
    make_directory();
    const char source[] =
        "kernel void k(global int *a)\n{\n  int unused = \"x\" == 0;\n#warning look here\n  a[0] = 1;\n}\n";
    struct compile_request request = request_for(source, "");
    struct spirv without, cold, warm;
    char *log_without, *log_cold, *log_warm;
    configure(NULL, NULL, NULL);
    ck_assert_int_eq(compile_request(&request, &without, &log_without), STATUS_OK);
    configure(NULL, NULL, cache_directory);
    ck_assert_int_eq(compile_request(&request, &cold, &log_cold), STATUS_OK);
    ck_assert_int_eq(compile_request(&request, &warm, &log_warm), STATUS_OK);
    ck_assert(strstr(log_cold, "program.cl:4:2: warning: look here"));
    ck_assert_str_eq(log_without, log_cold);
    ck_assert_str_eq(log_cold, log_warm);
    ck_assert(same_words(&without, &cold));
    ck_assert(same_words(&cold, &warm));
    free(log_without);
    free(log_cold);
    free(log_warm);
    spirv_fini(&without);
    spirv_fini(&cold);
    spirv_fini(&warm);
    remove_directory();
}
END_TEST

START_TEST(cache_sees_that_an_included_file_changed)
{
    make_directory();
    configure(NULL, NULL, cache_directory);
    struct compile_request request =
        request_for("#include \"value.h\"\nkernel void k(global int *a) { a[0] = VALUE; }", "");
    request.program_dir = directory;
    free(write_file("value.h", "#define VALUE 1234567\n", 0600));
    struct spirv first = compile_ok(&request);
    expect_listing(&first, "1234567", true);
    free(write_file("value.h", "#define VALUE 7654321\n", 0600));
    struct spirv second = compile_ok(&request);
    expect_listing(&second, "7654321", true);
    spirv_fini(&first);
    spirv_fini(&second);
    struct compile_header header = {"value.h", "#define VALUE 1112223\n"};
    request.headers = &header;
    request.header_count = 1;
    first = compile_ok(&request);
    expect_listing(&first, "1112223", true);
    header.text = "#define VALUE 3332221\n";
    second = compile_ok(&request);
    expect_listing(&second, "3332221", true);
    spirv_fini(&first);
    spirv_fini(&second);
    remove_directory();
}
END_TEST

/* Calls change on every file of the cache whose name ends so; returns how many. */
static int change_entries(const char *suffix, void (*change)(const char *path))
{
    int count = 0;
    DIR *entries = opendir(cache_directory);
    ck_assert_ptr_nonnull(entries);
    for (struct dirent *entry; (entry = readdir(entries));) {
        size_t length = strlen(entry->d_name), end = strlen(suffix);
        char path[400];
        if (length < end || strcmp(entry->d_name + length - end, suffix))
            continue;
        snprintf(path, sizeof path, "%s/%s", cache_directory, entry->d_name);
        change(path);
        count++;
    }
    closedir(entries);
    return count;
}

static void flip_byte(const char *path)
{
    FILE *file = fopen(path, "r+");
    ck_assert_ptr_nonnull(file);
    fseek(file, -9, SEEK_END);
    int byte = fgetc(file);
    fseek(file, -9, SEEK_END);
    fputc(byte ^ 1, file);
    fclose(file);
}

static void cut_half(const char *path)
{
    struct stat about;
    ck_assert_int_eq(stat(path, &about), 0);
    ck_assert_int_eq(truncate(path, about.st_size / 2), 0);
}

static void make_empty(const char *path)
{
    ck_assert_int_eq(truncate(path, 0), 0);
}

static void no_change(const char *path)
{
    (void)path;
}

static void let_group_write(const char *path)
{
    ck_assert_int_eq(chmod(path, 0660), 0);
}

static void let_all_write(const char *path)
{
    ck_assert_int_eq(chmod(path, 0606), 0);
}

static void make_link(const char *path)
{
    char target[400];
    snprintf(target, sizeof target, "%s.target", path);
    ck_assert_int_eq(rename(path, target), 0);
    ck_assert_int_eq(symlink(target, path), 0);
}

static void make_pipe(const char *path)
{
    ck_assert_int_eq(unlink(path), 0);
    ck_assert_int_eq(mkfifo(path, 0600), 0);
}

/* Only root may give a file away. */
static void give_away(const char *path)
{
    if (geteuid() == 0)
        ck_assert_int_eq(chown(path, 65534, 65534), 0);
    else
        let_all_write(path);
}

/* Entries and precompiled headers that another user may have written are compiled again, and replaced. */
START_TEST(cache_reads_only_the_users_own_files)
{
    void (*const changes[])(const char *) = {let_group_write, let_all_write, make_link, make_pipe, give_away};
    static const char *const suffixes[] = {".spirv", ".pch"};
    make_directory();
    char *clang = counting_clang();
    configure(clang, NULL, cache_directory);
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        struct spirv first = compile_text(plain_source, ""), again;
        size_t before = runs();
        for (size_t suffix = 0; suffix < 2; suffix++)
            ck_assert_int_ge(change_entries(suffixes[suffix], changes[i]), 1);
        again = compile_text(plain_source, "");
        ck_assert_uint_ge(runs(), before + 2);
        ck_assert(same_words(&first, &again));
        spirv_fini(&again);
        before = runs();
        again = compile_text(plain_source, "");
        ck_assert_uint_eq(runs(), before);
        spirv_fini(&again);
        spirv_fini(&first);
    }
    free(clang);
    remove_directory();
}
END_TEST

START_TEST(damaged_cache_is_compiled_again)
{
    void (*const changes[])(const char *) = {flip_byte, cut_half, make_empty};
    make_directory();
    configure(NULL, NULL, cache_directory);
    struct spirv first = compile_text(plain_source, "");
    for (size_t i = 0; i < 3; i++) {
        ck_assert_int_eq(change_entries(".spirv", changes[i]), 1);
        struct spirv again = compile_text(plain_source, "");
        ck_assert(same_words(&first, &again));
        spirv_fini(&again);
    }
    ck_assert_int_eq(change_entries(".pch", cut_half), 1);
    struct spirv other = compile_text(plain_source, "-D OTHER");
    ck_assert(same_words(&first, &other));
    ck_assert_int_eq(change_entries(".pch", no_change), 0);
    spirv_fini(&other);
    spirv_fini(&first);
    remove_directory();
}
END_TEST

START_TEST(cache_that_cannot_be_written_is_no_error)
{
    make_directory();
    char *blocked = write_file("blocked", "a file, not a directory", 0600);
    configure(NULL, NULL, blocked);
    struct spirv spirv = compile_text(plain_source, "");
    spirv_fini(&spirv);
    free(blocked);
    remove_directory();
}
END_TEST

START_TEST(processes_share_a_cache)
{
    enum { PROCESSES = 4, PROGRAMS = 2 };
    make_directory();
    configure(NULL, NULL, cache_directory);
    pid_t children[PROCESSES];
    for (int i = 0; i < PROCESSES; i++) {
        children[i] = fork();
        ck_assert_int_ge(children[i], 0);
        if (children[i])
            continue;
        for (int program = 0; program < PROGRAMS; program++) {
            char options[32];
            snprintf(options, sizeof options, "-D N=%d", program);
            struct compile_request request = request_for(plain_source, options);
            struct spirv spirv;
            if (compile_request(&request, &spirv, NULL) || !has_line(&spirv, "program.cl", 4))
                _exit(1);
            spirv_fini(&spirv);
        }
        _exit(0);
    }
    for (int i = 0; i < PROCESSES; i++) {
        int ended;
        ck_assert_int_eq(waitpid(children[i], &ended, 0), children[i]);
        ck_assert(WIFEXITED(ended) && WEXITSTATUS(ended) == 0);
    }
    ck_assert_int_eq(change_entries(".spirv", no_change), PROGRAMS);
    ck_assert_int_eq(change_entries(".pch", no_change), 1);
    ck_assert_int_eq(change_entries("", no_change), PROGRAMS + 1 + 2); /* and "." and ".." */
    remove_directory();
}
END_TEST

/* Tools */

static Suite *cache_suite(void)
{
    Suite *suite = suite_create("frontend: cache");
    TCase *tests = add_case(suite, "cache");
    tcase_add_test(tests, cached_result_starts_no_process);
    tcase_add_test(tests, cache_gives_the_log_and_the_words_of_a_compilation);
    tcase_add_test(tests, cache_sees_that_an_included_file_changed);
    tcase_add_test(tests, cache_reads_only_the_users_own_files);
    tcase_add_test(tests, damaged_cache_is_compiled_again);
    tcase_add_test(tests, cache_that_cannot_be_written_is_no_error);
    tcase_add_test(tests, processes_share_a_cache);
    tcase_add_test(tests, a_file_that_changed_meanwhile_is_not_quoted);
    tcase_add_test(tests, lines_of_included_files_are_kept);
    return suite;
}

int main(void)
{
    return failures_of(cache_suite(), CK_FORK) ? EXIT_FAILURE : EXIT_SUCCESS;
}
