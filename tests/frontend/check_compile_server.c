/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The compile server against the programs that it stands for: the same words and logs, and what ends costs
 * one build. CHECK_COMPILE_SERVER_EVERY=1 compares every source of the project, not every tenth.
 */
#include <check.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "orrery/compiler.h"
#include "orrery/scenario.h"
#include "orrery/scenario_run.h"
#include "tests/support/compile_outcome.h"

enum { SKIPPED = 77, SHARES = 8, THREADS = 4 };

static void configure(const char *clang, const char *cache, const char *program)
{
    compiler_configure(
        &(struct compiler_settings){.clang = clang, .cache_directory = cache, .compile_server = program});
}

static void set_up(void)
{
    strcpy(directory, "/tmp/check-server-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(directory));
    configure(NULL, NULL, server);
}

static void tear_down(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", directory);
    ck_assert_int_eq(system(command), 0);
}

static void compare(const char *source, const char *options)
{
    struct outcome programs = build(source, options, COMPILE_BY_PROGRAMS);
    struct outcome served = build(source, options, COMPILE_BY_SERVER);
    expect_same(&programs, &served, options);
    outcome_fini(&programs);
    outcome_fini(&served);
}

static void expect_log(const char *source, enum compile_way way, enum status status, const char *part)
{
    struct outcome outcome = build(source, "", way);
    ck_assert_msg(outcome.status == status, "%s: %s", status_name(outcome.status), outcome.log);
    ck_assert_msg(strstr(outcome.log, part) != NULL, "no '%s' in: %s", part, outcome.log);
    outcome_fini(&outcome);
}

/* ---- the same ------------------------------------------------------------------------------ */

/* Sources that fail in each tool, and in what follows. */
static const char *const sources[] = {
    "kernel void k(global int *a) { a[0] = undeclared; }",
    "kernel void k(global int *a) { int unused; a[0] = 1 }",
    "#include \"missing.h\"\nkernel void k(void) {}",
    "#error stop here\n",
    "#warning take care\nkernel void k(global int *a) { a[0] = __LINE__; }",
    "kernel void k(global int *a) { int unused; a[0] = 1; return 2; }",
    "kernel void k(global ulong *a) { a[0] = 99999999999999999999999999999; }",
    "kernel void k(global float *a) { a[0] = a[1] * a[2] + a[3]; }",
    "kernel void k(global double *a, half b) { a[0] = sin(a[1]); }",
    "kernel void k(read_only image2d_t i, sampler_t s, global float4 *o) { o[0] = read_imagef(i, s, "
    "(int2)(0)); }",
    "kernel void k(global atomic_int *a) { atomic_fetch_add(a, 1); }",
    "template <typename T> T twice(T x) { return x + x; }\nkernel void k(global int *a) { a[0] = "
    "twice(a[1]); }",
    "kernel void k(global int *a) { a[0] = A + __OPENCL_C_VERSION__; }",
    "kernel void k(global char *a) { __asm__(\"nop\"); a[0] = sizeof(__DATE__) + sizeof(__FILE__); }",
    "kernel void k(global int *a) { for (;;) a[0]++; }\xff",
    "int f(int); kernel void k(global int *a) { a[0] = f(1); }",
    "",
};
static const char *const option_sets[] = {
    "",         "-cl-std=CL2.0", "-cl-std=CL3.0",    "-cl-std=CLC++2021",
    "-w -DA=3", "-Werror",       "-cl-std=CL1.1 -g", "-DA=\"1 + 1\" -cl-fast-relaxed-math -cl-mad-enable",
};
enum {
    SOURCE_COUNT = sizeof sources / sizeof *sources,
    OPTIONS_COUNT = sizeof option_sets / sizeof *option_sets
};

START_TEST(server_gives_words_and_logs_of_the_programs)
{
    for (size_t i = 0; i < 3; i++)
        compare(sources[_i], option_sets[((size_t)_i + 3 * i) % OPTIONS_COUNT]);
}
END_TEST

START_TEST(embedded_headers_and_directories_are_found_by_the_server)
{
    const struct compile_header headers[] = {{"a.h", "#include \"sub/b.h\"\n#define ONE 1\n#warning a\n"},
                                             {"sub/b.h", "inline int two(void) { return 2; }\n"}};
    const char source[] =
        "#include \"a.h\"\n#include <c.h>\nkernel void k(global int *a) { a[0] = ONE + two() + THREE; }\n";
    char options[100], path[100];
    path_of("c.h", path, sizeof path);
    FILE *file = fopen(path, "w");
    ck_assert_int_gt(fprintf(file, "#define THREE 3\n"), 0);
    ck_assert_int_eq(fclose(file), 0);
    snprintf(options, sizeof options, "-I %s", directory);
    struct compile_request request = request_by(source, options, COMPILE_BY_PROGRAMS);
    request.headers = headers;
    request.header_count = 2;
    struct outcome programs = outcome_of(&request);
    request.way = COMPILE_BY_SERVER;
    struct outcome served = outcome_of(&request);
    ck_assert_int_eq(programs.status, STATUS_OK);
    expect_same(&programs, &served, "headers");
    outcome_fini(&programs);
    outcome_fini(&served);
    /* a relative directory is the caller's, wherever the server began */
    ck_assert_int_eq(chdir(directory), 0);
    compare("#include <c.h>\nkernel void k(global int *a) { a[0] = THREE; }\n", "-I .");
}
END_TEST

static size_t file_count(const char *path)
{
    size_t count = 0;
    DIR *files = opendir(path);
    ck_assert_ptr_nonnull(files);
    while (readdir(files))
        count++;
    closedir(files);
    return count;
}

START_TEST(server_and_programs_share_the_cache)
{
    char path[100];
    path_of("cache", path, sizeof path);
    configure(NULL, path, server);
    struct outcome served = build(plain_source, "-DUNUSED=1", COMPILE_BY_SERVER);
    ck_assert_int_eq(served.status, STATUS_OK);
    const size_t files = file_count(path);
    struct outcome programs = build(plain_source, "-DUNUSED=1", COMPILE_BY_PROGRAMS);
    ck_assert_uint_eq(file_count(path), files);
    expect_same(&programs, &served, "cached");
    outcome_fini(&programs);
    /* and without the cache, and so without its precompiled header */
    configure(NULL, NULL, server);
    programs = build(plain_source, "-DUNUSED=1", COMPILE_BY_PROGRAMS);
    expect_same(&programs, &served, "precompiled");
    outcome_fini(&programs);
    outcome_fini(&served);
}
END_TEST

static char *text_of(const char *path)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = fopen(path, "r");
    const ssize_t length = file ? getdelim(&text, &size, '\0', file) : -1;
    if (file)
        fclose(file);
    if (length >= 0)
        return text;
    free(text);
    return NULL;
}

static void compare_file(const char *path, size_t number)
{
    char *text = text_of(path);
    if (!text)
        return;
    struct compile_request request =
        request_by(text, option_sets[number % OPTIONS_COUNT], COMPILE_BY_PROGRAMS);
    char *parent = strdup(path);
    *strrchr(parent, '/') = '\0';
    request.program_dir = parent;
    request.debug = number % 3 == 0;
    request.embed_source = number % 4 == 0;
    struct outcome programs = outcome_of(&request);
    request.way = COMPILE_BY_SERVER;
    struct outcome served = outcome_of(&request);
    expect_same(&programs, &served, path);
    outcome_fini(&programs);
    outcome_fini(&served);
    free(parent);
    free(text);
}

static struct outcome build_scenario(struct scenario *scenario, enum compile_way way)
{
    struct outcome outcome = {STATUS_OK, {NULL, 0}, NULL};
    struct scenario_source source = {0};
    struct diagnosis diagnosis = {0};
    scenario->compile_way = way;
    outcome.status = scenario_build(scenario, &outcome.spirv, &source, &outcome.log, &diagnosis);
    scenario_source_fini(&source);
    return outcome;
}

static void compare_scenario(const char *path)
{
    struct scenario scenario;
    struct diagnosis diagnosis = {0};
    if (scenario_load_file(&scenario, path, &diagnosis) != STATUS_OK)
        return;
    if (scenario.program.source_file || scenario.program.source_text) {
        struct outcome programs = build_scenario(&scenario, COMPILE_BY_PROGRAMS);
        struct outcome served = build_scenario(&scenario, COMPILE_BY_SERVER);
        expect_same(&programs, &served, path);
        outcome_fini(&programs);
        outcome_fini(&served);
    }
    scenario_fini(&scenario);
}

static int by_name(const FTSENT **left, const FTSENT **right)
{
    return strcmp((*left)->fts_name, (*right)->fts_name);
}

/* Every kernel of the project, in its file or in a scenario. */
START_TEST(every_source_gives_the_same)
{
    const char *top = getenv("ORRERY_SRCDIR"), *every = getenv("CHECK_COMPILE_SERVER_EVERY");
    const size_t step = every ? strtoul(every, NULL, 10) : 10;
    char *folders[] = {NULL, NULL, NULL, NULL, NULL};
    static const char *const names[] = {"scenarios", "examples", "tests", "bench"};
    for (size_t i = 0; i < 4; i++)
        ck_assert_int_gt(asprintf(&folders[i], "%s/%s", top ? top : ".", names[i]), 0);
    FTS *tree = fts_open(folders, FTS_PHYSICAL | FTS_NOCHDIR, by_name);
    ck_assert_ptr_nonnull(tree);
    size_t number = 0, compared = 0;
    for (FTSENT *entry; (entry = fts_read(tree));) {
        const bool kernel = ends_with(entry->fts_name, ".cl"), scenario = ends_with(entry->fts_name, ".yaml");
        if (entry->fts_info != FTS_F || (!kernel && !scenario) || number++ % SHARES != (size_t)_i ||
            number / SHARES % step != 0)
            continue;
        compared++;
        if (kernel)
            compare_file(entry->fts_path, number);
        else
            compare_scenario(entry->fts_path);
    }
    fts_close(tree);
    ck_assert_uint_gt(compared, 0);
    for (size_t i = 0; i < 4; i++)
        free(folders[i]);
}
END_TEST

/* ---- side by side ---------------------------------------------------------------------------- */

static void *build_many(void *number)
{
    for (int i = 0; i < 4; i++) {
        char options[40];
        snprintf(options, sizeof options, "-DN=%d", *(int *)number * 10 + i);
        const char source[] = "kernel void k(global int *a) { a[N] = N; }\n";
        struct outcome served = build(source, options, COMPILE_BY_SERVER);
        struct outcome programs = build(source, options, COMPILE_BY_PROGRAMS);
        expect_same(&programs, &served, options);
        outcome_fini(&served);
        outcome_fini(&programs);
    }
    return NULL;
}

START_TEST(threads_build_side_by_side)
{
    pthread_t threads[THREADS];
    int numbers[THREADS];
    for (int i = 0; i < THREADS; i++) {
        numbers[i] = i;
        ck_assert_int_eq(pthread_create(&threads[i], NULL, build_many, &numbers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
}
END_TEST

/* When the first compiler has opened the pipe, its build is under way. The one after it gets the text. The
 * server's processes all have its words, so that the build has ended, too, when none is left. */
static void *kill_server_of_first(void *unused)
{
    (void)unused;
    const int first = open(pipe_path, O_WRONLY | O_CLOEXEC);
    const int held = open(pipe_path, O_RDWR | O_CLOEXEC);
    int unread = 1;
    for (pid_t victim; (victim = server_of(getpid())) > 0; usleep(1000))
        kill(victim, SIGKILL);
    ck_assert_int_eq(write(first, "#define PIPE 5\n", 15), 15);
    while (ioctl(held, FIONREAD, &unread) == 0 && unread > 0)
        usleep(1000);
    close(first);
    close(held);
    return NULL;
}

START_TEST(killed_server_leaves_the_build_to_the_programs)
{
    pthread_t killer;
    make_pipe();
    signal(SIGPIPE, SIG_IGN);
    ck_assert_int_eq(pthread_create(&killer, NULL, kill_server_of_first, NULL), 0);
    struct outcome outcome = build(piped_source, pipe_options, COMPILE_AUTO);
    ck_assert_msg(outcome.status == STATUS_OK, "%s", outcome.log);
    ck_assert_str_eq(outcome.log, "");
    ck_assert_int_eq(pthread_join(killer, NULL), 0);
    outcome_fini(&outcome);
    /* and there is a new one */
    compare(plain_source, "");
    ck_assert_int_gt(server_of(getpid()), 0);
}
END_TEST

START_TEST(server_that_is_demanded_and_dies_is_an_error)
{
    compare(plain_source, "");
    for (int i = 0; i < 3; i++) {
        const pid_t victim = server_of(getpid());
        ck_assert_int_eq(kill(victim, SIGKILL), 0);
        while (server_of(getpid()) == victim)
            usleep(1000);
        expect_log(plain_source, COMPILE_BY_SERVER, STATUS_COMPILER_MISSING, "ended or did not reply");
        compare(plain_source, "");
    }
}
END_TEST

START_TEST(process_of_a_fork_has_a_server_of_its_own)
{
    compare(plain_source, "");
    const pid_t mine = server_of(getpid());
    const pid_t pid = fork();
    if (!pid) {
        compare(plain_source, "-DA=1");
        const pid_t own = server_of(getpid());
        _exit(own > 0 && own != mine ? 0 : 1);
    }
    int status;
    compare(plain_source, "-DA=2");
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert_int_eq(status, 0);
    ck_assert_int_eq(server_of(getpid()), mine);
}
END_TEST

/* ---- what the host notices -------------------------------------------------------------------- */

START_TEST(server_is_no_child_of_the_host)
{
    compare(plain_source, "");
    ck_assert_int_gt(server_of(getpid()), 0);
    ck_assert_int_eq(waitpid(-1, NULL, 0), -1);
    ck_assert_int_eq(errno, ECHILD);
}
END_TEST

START_TEST(server_holds_nothing_open_that_the_host_closes)
{
    int ends[2];
    char byte;
    ck_assert_int_eq(pipe(ends), 0);
    compare(plain_source, "");
    ck_assert_int_gt(server_of(getpid()), 0);
    close(ends[1]);
    ck_assert_int_eq(read(ends[0], &byte, 1), 0);
}
END_TEST

START_TEST(server_runs_without_preloaded_libraries)
{
    char path[64];
    setenv("LD_PRELOAD", "libm.so.6", 1);
    compare(plain_source, "");
    snprintf(path, sizeof path, "/proc/%d/environ", server_of(getpid()));
    FILE *file = fopen(path, "r");
    ck_assert_ptr_nonnull(file);
    char *word = NULL;
    size_t size = 0, count = 0;
    for (; getdelim(&word, &size, '\0', file) > 0; count++)
        ck_assert_int_ne(strncmp(word, "LD_PRELOAD=", 11), 0);
    ck_assert_uint_gt(count, 0);
    free(word);
    fclose(file);
}
END_TEST

START_TEST(closed_streams_and_ignored_signals_do_not_matter)
{
    close(0);
    close(1);
    close(2);
    signal(SIGCHLD, SIG_IGN);
    signal(SIGXCPU, SIG_IGN);
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
    compare(plain_source, "");
    compare("kernel void k( {", "");
    signal(SIGCHLD, SIG_DFL); /* for system() */
}
END_TEST

/* Everything becomes a child of this process: it can wait for all that there is. */
static void expect_no_process(void)
{
    while (waitpid(-1, NULL, 0) > 0)
        ;
    ck_assert_int_eq(errno, ECHILD);
}

START_TEST(server_ends_with_the_host)
{
    ck_assert_int_eq(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
    const pid_t host = fork();
    if (!host) {
        struct outcome outcome = build(plain_source, "", COMPILE_BY_SERVER);
        _exit(outcome.status == STATUS_OK ? 0 : 1);
    }
    int status;
    ck_assert_int_eq(waitpid(host, &status, 0), host);
    ck_assert_int_eq(status, 0);
    expect_no_process();
}
END_TEST

START_TEST(build_ends_with_a_host_that_is_killed)
{
    ck_assert_int_eq(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
    make_pipe();
    const pid_t host = fork();
    if (!host) {
        build(piped_source, pipe_options, COMPILE_BY_SERVER);
        _exit(0);
    }
    const int held = open(pipe_path, O_WRONLY | O_CLOEXEC);
    ck_assert_int_ge(held, 0);
    ck_assert_int_eq(kill(host, SIGKILL), 0);
    expect_no_process();
    close(held);
}
END_TEST

START_TEST(host_that_gets_orphans_has_no_server)
{
    ck_assert_int_eq(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
    struct outcome outcome = build(plain_source, "", COMPILE_AUTO);
    ck_assert_int_eq(outcome.status, STATUS_OK);
    outcome_fini(&outcome);
    ck_assert_int_eq(server_of(getpid()), 0);
}
END_TEST

/* ---- limits ------------------------------------------------------------------------------------ */

static void expect_limit(const char *source, const char *options, uint32_t seconds, uint64_t bytes,
                         const char *part)
{
    struct compile_request request = request_by(source, options, COMPILE_BY_SERVER);
    request.seconds = seconds;
    request.memory_bytes = bytes;
    struct outcome served = outcome_of(&request);
    ck_assert_msg(served.status == STATUS_COMPILE_FAILED, "%s: %s", status_name(served.status), served.log);
    ck_assert_msg(strstr(served.log, part) != NULL, "no '%s' in: %s", part, served.log);
    request.way = COMPILE_BY_PROGRAMS;
    struct outcome programs = outcome_of(&request);
    expect_same(&programs, &served, part);
    outcome_fini(&programs);
    outcome_fini(&served);
}

START_TEST(bombs_cost_one_build)
{
    char bomb[4000];
    macro_bomb(bomb, sizeof bomb);
    compare(plain_source, "");
    const pid_t mine = server_of(getpid());
    expect_limit(bomb, "", 1, 0, "clang was stopped after 1 seconds of processor time");
    expect_limit(bomb, "", 60, 400 << 20, "clang needed more than 400 MiB of memory");
    make_pipe();
    expect_limit(piped_source, pipe_options, 1, 0, "in which it only waited");
    compare(plain_source, "");
    ck_assert_int_eq(server_of(getpid()), mine);
}
END_TEST

/* ---- servers that are none ------------------------------------------------------------------------ */

START_TEST(missing_server_is_an_error_when_required)
{
    configure(NULL, NULL, "/nowhere/orrery-compile-server");
    expect_log(plain_source, COMPILE_AUTO, STATUS_OK, "");
    expect_log(plain_source, COMPILE_BY_SERVER, STATUS_COMPILER_MISSING,
               "the compile server /nowhere/orrery-compile-server was not found");
}
END_TEST

START_TEST(server_does_not_stand_for_a_script)
{
    char path[100], part[200];
    path_of("clang", path, sizeof path);
    FILE *file = fopen(path, "w");
    ck_assert_int_gt(fprintf(file, "#!/bin/sh\nexec clang-14 \"$@\"\n"), 0);
    ck_assert_int_eq(fclose(file), 0);
    ck_assert_int_eq(chmod(path, 0700), 0);
    configure(path, NULL, server);
    expect_log(plain_source, COMPILE_AUTO, STATUS_OK, "");
    ck_assert_int_eq(server_of(getpid()), 0);
    snprintf(part, sizeof part, "%s is not linked with the libraries of the compile server", path);
    expect_log(plain_source, COMPILE_BY_SERVER, STATUS_COMPILER_MISSING, part);
}
END_TEST

/* tests/support/false_server.c */
static const char *const habits[] = {"ends",     "refuses", "nonsense", "short",
                                     "stranger", "kind",    "early",    "closes"};

START_TEST(server_with_invalid_reply_leaves_the_build_to_the_programs)
{
    const char *build_directory = getenv("ORRERY_BUILDDIR");
    char path[512];
    snprintf(path, sizeof path, "%s/tests/false_server", build_directory ? build_directory : ".");
    char *real = realpath(path, NULL);
    ck_assert_msg(real != NULL, "%s", path);
    setenv("FALSE_SERVER", habits[_i], 1);
    configure(NULL, NULL, real);
    struct outcome programs = build(plain_source, "", COMPILE_BY_PROGRAMS);
    for (int i = 0; i < 6; i++) {
        struct outcome outcome = build(plain_source, "", COMPILE_AUTO);
        expect_same(&programs, &outcome, habits[_i]);
        outcome_fini(&outcome);
    }
    outcome_fini(&programs);
    free(real);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("compile server");
    TCase *same = tcase_create("the same"), *host = tcase_create("the host"), *ends = tcase_create("ends");
    find_server();
    if (access(server, X_OK) != 0)
        return SKIPPED; /* built without the libraries of clang */
    tcase_add_checked_fixture(same, set_up, tear_down);
    tcase_add_checked_fixture(host, set_up, tear_down);
    tcase_add_checked_fixture(ends, set_up, tear_down);
    tcase_set_timeout(same, 120);
    tcase_set_timeout(ends, 60);
    tcase_add_loop_test(same, server_gives_words_and_logs_of_the_programs, 0, SOURCE_COUNT);
    tcase_add_test(same, embedded_headers_and_directories_are_found_by_the_server);
    tcase_add_test(same, server_and_programs_share_the_cache);
    tcase_add_loop_test(same, every_source_gives_the_same, 0, SHARES);
    tcase_add_test(host, threads_build_side_by_side);
    tcase_add_test(host, process_of_a_fork_has_a_server_of_its_own);
    tcase_add_test(host, server_is_no_child_of_the_host);
    tcase_add_test(host, server_holds_nothing_open_that_the_host_closes);
    tcase_add_test(host, server_runs_without_preloaded_libraries);
    tcase_add_test(host, closed_streams_and_ignored_signals_do_not_matter);
    tcase_add_test(host, server_ends_with_the_host);
    tcase_add_test(host, build_ends_with_a_host_that_is_killed);
    tcase_add_test(host, host_that_gets_orphans_has_no_server);
    tcase_add_test(ends, killed_server_leaves_the_build_to_the_programs);
    tcase_add_test(ends, server_that_is_demanded_and_dies_is_an_error);
    tcase_add_test(ends, bombs_cost_one_build);
    tcase_add_test(ends, missing_server_is_an_error_when_required);
    tcase_add_test(ends, server_does_not_stand_for_a_script);
    tcase_add_loop_test(ends, server_with_invalid_reply_leaves_the_build_to_the_programs, 0,
                        (int)(sizeof habits / sizeof *habits));
    suite_add_tcase(suite, same);
    suite_add_tcase(suite, host);
    suite_add_tcase(suite, ends);
    SRunner *runner = srunner_create(suite);
    const char *all = getenv("CHECK_COMPILE_SERVER_ALL"); /* minutes: every kernel twice, deaths, bombs */
    srunner_run(runner, NULL, all ? NULL : "the host", CK_ENV);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
