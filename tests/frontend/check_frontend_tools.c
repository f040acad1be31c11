/* SPDX-License-Identifier: Apache-2.0 */
/* How clang and the translator are run: tools that are missing, crash or answer nonsense, and limits. Each
 * test is a process of its own. */
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <spirv/unified1/spirv.h>

#include "sim/frontend/child_setup.h"
#include "tests/support/frontend_fixture.h"

START_TEST(missing_tool_names_the_package)
{
    struct compile_request request = request_for(plain_source, "");
    configure("/nowhere/clang", NULL, NULL);
    ck_assert(!compiler_available());
    expect_log(&request, STATUS_COMPILER_MISSING, "/nowhere/clang was not found");
    expect_log(&request, STATUS_COMPILER_MISSING,
               "apt install clang-14 libclang-common-14-dev llvm-spirv-14");
    configure(NULL, "no-such-translator", NULL);
    ck_assert(!compiler_available());
    expect_log(&request, STATUS_COMPILER_MISSING, "no-such-translator was not found");
    request.options = "-cl-unknown";
    expect_log(&request, STATUS_BAD_OPTIONS, "-cl-unknown");
    configure(NULL, NULL, NULL);
    ck_assert(compiler_available());
}
END_TEST

START_TEST(crashing_clang_is_a_failed_compilation)
{
    make_directory();
    char *clang = write_file("clang", "#!/bin/sh\necho oops >&2\nkill -SEGV $$\n", 0700);
    struct compile_request request = request_for(plain_source, "");
    configure(clang, NULL, cache_directory);
    expect_log(&request, STATUS_COMPILE_FAILED, "clang was ended by signal 11");
    expect_log(&request, STATUS_COMPILE_FAILED, "oops");
    configure(NULL, clang, NULL);
    expect_log(&request, STATUS_COMPILE_FAILED, "llvm-spirv was ended by signal 11");
    free(clang);
    remove_directory();
}
END_TEST

START_TEST(tool_that_reads_nothing_or_writes_nonsense_does_no_harm)
{
    make_directory();
    size_t size = 3 << 20;
    char *source = malloc(size + sizeof plain_source);
    memset(source, ' ', size);
    strcpy(source + size, plain_source);
    struct compile_request request = request_for(source, "");
    char *silent = write_file("silent", "#!/bin/sh\nexit 1\n", 0700);
    configure(silent, NULL, NULL);
    expect_log(&request, STATUS_COMPILE_FAILED, "clang ended with status 1 and said nothing");
    char *loud = write_file("loud",
                            "#!/bin/sh\nhead -c 3000000 /dev/zero | tr '\\0' e >&2\n"
                            "head -c 3000000 /dev/zero\nexit 3\n",
                            0700);
    configure(loud, NULL, NULL);
    expect_log(&request, STATUS_COMPILE_FAILED, "eeee");
    char *empty = write_file("empty", "#!/bin/sh\ncat >/dev/null\n", 0700);
    configure(NULL, empty, NULL);
    expect_log(&request, STATUS_COMPILE_FAILED, "wrote 0 bytes");
    char *words = write_file("words", "#!/bin/sh\nhead -c 4000 /dev/zero\n", 0700);
    configure(NULL, words, NULL);
    expect_log(&request, STATUS_COMPILE_FAILED, "");
    configure(NULL, NULL, NULL);
    struct spirv spirv = compile_ok(&request);
    spirv_fini(&spirv);
    free(source);
    free(silent);
    free(loud);
    free(empty);
    free(words);
    remove_directory();
}
END_TEST

START_TEST(signal_habits_of_the_host_do_not_matter)
{
    signal(SIGCHLD, SIG_IGN);
    signal(SIGPIPE, SIG_DFL);
    struct spirv spirv = compile_text(plain_source, "");
    spirv_fini(&spirv);
    struct compile_request request = request_for("kernel void k( {", "");
    expect_log(&request, STATUS_COMPILE_FAILED, "program.cl:1:");
    close(0);
    close(1);
    signal(SIGCHLD, SIG_DFL);
    spirv = compile_text(plain_source, "");
    spirv_fini(&spirv);
}
END_TEST

/* ---- limits ------------------------------------------------------------------------------- */

static const char template_bomb[] =
    "template <int N, int M> struct Bomb { static constexpr int value = Bomb<N - 1, 2 * M>::value + Bomb<N - "
    "1, 2 * M + 1>::value; };\n"
    "template <int M> struct Bomb<0, M> { static constexpr int value = 1; };\n"
    "kernel void k(global int *a) { a[0] = Bomb<28, 1>::value; }\n";

static void expect_limit(const char *source, const char *options, uint32_t seconds, uint64_t bytes,
                         const char *part)
{
    struct compile_request request = request_for(source, options);
    request.seconds = seconds;
    request.memory_bytes = bytes;
    expect_log(&request, STATUS_COMPILE_FAILED, part);
}

START_TEST(programs_that_grow_without_end_are_stopped)
{
    char bomb[4000];
    macro_bomb(bomb, sizeof bomb);
    expect_limit(bomb, "", 1, 0, "clang was stopped after 1 seconds of processor time");
    expect_limit(template_bomb, "-cl-std=CLC++2021", 1, 0,
                 "clang was stopped after 1 seconds of processor time");
    expect_limit(bomb, "", 60, 256 << 20, "clang needed more than 256 MiB of memory");
}
END_TEST

/* What ends a tool near the limit of time may be a tick of a timer, and LLVM's own handler of SIGXCPU. */
START_TEST(a_signal_near_the_limit_of_time_is_the_limit)
{
    static const struct {
        int signal, exit_code;
        double seconds;
        enum process_limit expected;
    } ends[] = {{SIGXCPU, -1, 0.1, PROCESS_TIME},    {SIGABRT, -1, 8.5, PROCESS_TIME},
                {SIGABRT, -1, 5, PROCESS_UNLIMITED}, {SIGSEGV, -1, 0.1, PROCESS_UNLIMITED},
                {0, 1, 8.5, PROCESS_UNLIMITED},      {0, 1, 10, PROCESS_TIME},
                {0, 0, 10, PROCESS_UNLIMITED}};
    const struct process_limits limits = {.seconds = 10};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        const struct process_result result = {.signal = ends[i].signal, .exit_code = ends[i].exit_code};
        const struct child_usage usage = {.seconds = ends[i].seconds};
        ck_assert_msg(child_limit_hit(&limits, &result, &usage) == ends[i].expected, "row %zu", i);
    }
}
END_TEST

START_TEST(a_compiler_that_waits_for_ever_is_stopped)
{
    char options[100];
    make_directory();
    char *path = path_of("pipe.h");
    ck_assert_int_eq(mkfifo(path, 0600), 0);
    snprintf(options, sizeof options, "-I %s", directory);
    expect_limit("#include \"pipe.h\"\nkernel void k(void) {}\n", options, 1, 0, "in which it only waited");
    free(path);
    remove_directory();
}
END_TEST

/* A compiler may be a script. Sleeping is not computing, so the limit of time ends it. */
START_TEST(nothing_that_the_compiler_started_outlives_it)
{
    make_directory();
    char *clang = write_file("clang", "#!/bin/sh\nsleep 1000 &\nexec clang-14 \"$@\"\n", 0700);
    configure(clang, NULL, NULL);
    /* what is left over becomes a child of this process */
    ck_assert_int_eq(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
    struct spirv spirv = compile_text(plain_source, "");
    spirv_fini(&spirv);
    while (waitpid(-1, NULL, 0) > 0)
        ; /* else it waits for the sleep */
    free(clang);
    remove_directory();
}
END_TEST

static bool exists(const char *path)
{
    return access(path, F_OK) == 0;
}

START_TEST(a_compiler_ends_with_the_host)
{
    char script[200];
    make_directory();
    snprintf(script, sizeof script, "#!/bin/sh\ntouch '%s/begun'\nexec sleep 1000\n", directory);
    char *clang = write_file("clang", script, 0700), *begun = path_of("begun");
    configure(clang, NULL, NULL);
    ck_assert_int_eq(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
    const pid_t host = fork();
    if (!host) {
        struct compile_request request = request_for(plain_source, "");
        struct spirv spirv;
        compile_request(&request, &spirv, NULL);
        _exit(0);
    }
    while (!exists(begun))
        usleep(1000);
    ck_assert_int_eq(kill(host, SIGKILL), 0);
    while (waitpid(-1, NULL, 0) > 0)
        ;
    free(begun);
    free(clang);
    remove_directory();
}
END_TEST

/* Link, validate, assemble */

static Suite *tools_suite(void)
{
    Suite *suite = suite_create("frontend: tools");
    TCase *tests = add_case(suite, "tools");
    tcase_add_test(tests, missing_tool_names_the_package);
    tcase_add_test(tests, crashing_clang_is_a_failed_compilation);
    tcase_add_test(tests, tool_that_reads_nothing_or_writes_nonsense_does_no_harm);
    tcase_add_test(tests, signal_habits_of_the_host_do_not_matter);
    tests = add_case(suite, "limits");
    tcase_add_test(tests, programs_that_grow_without_end_are_stopped);
    tcase_add_test(tests, a_signal_near_the_limit_of_time_is_the_limit);
    tcase_add_test(tests, a_compiler_that_waits_for_ever_is_stopped);
    tcase_add_test(tests, nothing_that_the_compiler_started_outlives_it);
    tcase_add_test(tests, a_compiler_ends_with_the_host);
    return suite;
}

int main(void)
{
    return failures_of(tools_suite(), CK_FORK) ? EXIT_FAILURE : EXIT_SUCCESS;
}
