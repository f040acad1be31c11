/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The compile server that processes share: one for all processes for which it gives the same results, none where the
 * directory is not the user's alone, and what ends costs one build.
 */
#include <pthread.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include "sim/frontend/shared_server.h"
#include "tests/support/shared_servers.h"

enum { PROCESSES = 30 };

/* ---- the same ---------------------------------------------------------------------------------- */

static const char warned_source[] =
    "#warning take care\nkernel void k(global float *a) { int unused; a[0] = a[1] * N; }\n";

/* Begins when nothing can be read any more. Writes the server's number. */
static _Noreturn void build_at_once(const int begin[2], int numbers, const struct outcome *programs)
{
    char byte;
    close(begin[1]);
    if (read(begin[0], &byte, 1) != 0)
        _exit(1);
    struct outcome shared = build(warned_source, "-DN=3", COMPILE_SHARED);
    expect_same(programs, &shared, "at once");
    ck_assert_int_eq(server_of(getpid()), 0);
    const pid_t number = the_server();
    _exit(write(numbers, &number, sizeof number) == sizeof number ? 0 : 1);
}

START_TEST(thirty_processes_build_through_one_server)
{
    int begin[2], numbers[2];
    struct outcome programs = build(warned_source, "-DN=3", COMPILE_BY_PROGRAMS);
    ck_assert_int_eq(programs.status, STATUS_OK);
    ck_assert_str_ne(programs.log, "");
    ck_assert_int_eq(pipe(begin), 0);
    ck_assert_int_eq(pipe(numbers), 0);
    for (int i = 0; i < PROCESSES; i++)
        if (fork() == 0)
            build_at_once(begin, numbers[1], &programs);
    close(begin[0]);
    close(begin[1]);
    close(numbers[1]);
    pid_t number, first = 0;
    int count = 0, status;
    for (; read(numbers[0], &number, sizeof number) == sizeof number; count++) {
        first = first ? first : number;
        ck_assert_int_eq(number, first);
    }
    ck_assert_int_eq(count, PROCESSES);
    while (wait(&status) > 0)
        ck_assert_int_eq(status, 0);
    outcome_fini(&programs);
}
END_TEST

static const char *const sources[] = {
    "kernel void k(global int *a) { a[0] = undeclared; }",
    "#include \"missing.h\"\nkernel void k(void) {}",
    "kernel void k(global double *a, half b) { a[0] = sin(a[1]); }",
    "kernel void k(global char *a) { __asm__(\"nop\"); a[0] = sizeof(__DATE__) + sizeof(__FILE__); }",
    "int f(int); kernel void k(global int *a) { a[0] = f(1); }",
    "",
};

START_TEST(shared_server_gives_words_and_logs_of_the_programs)
{
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++)
        compare(sources[i], i % 2 ? "-cl-std=CL3.0 -g" : "-w");
    ck_assert_int_eq(server_of(getpid()), 0);
    the_server();
}
END_TEST

/* PWD, which the server does not get, names a link. */
START_TEST(directories_are_those_of_the_caller)
{
    char real[100], link[100], header[120];
    path_of("real", real, sizeof real);
    path_of("link", link, sizeof link);
    ck_assert_int_eq(mkdir(real, 0700), 0);
    ck_assert_int_eq(symlink(real, link), 0);
    snprintf(header, sizeof header, "%s/h.h", real);
    FILE *file = fopen(header, "w");
    ck_assert_int_gt(fprintf(file, "#warning here\n#define THREE 3\n"), 0);
    ck_assert_int_eq(fclose(file), 0);
    ck_assert_int_eq(chdir(link), 0);
    ck_assert_int_eq(setenv("PWD", link, 1), 0);
    const char source[] = "#include <h.h>\nkernel void k(global char *a) { a[THREE] = sizeof __FILE__; }\n";
    compare(source, "-I . -g");
    compare(source, "-I ../link -cl-std=CL3.0");
    ck_assert_int_eq(server_of(getpid()), 0);
}
END_TEST

/* ---- which server ------------------------------------------------------------------------------ */

static void with_fewer_descriptors(void)
{
    struct rlimit limit;
    ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
    limit.rlim_cur -= 1;
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
    expect_shared();
}

static void with_another_variable(void)
{
    setenv("TZ", "Asia/Tokyo", 1);
    expect_shared();
}

static void with_another_umask(void)
{
    umask(0137);
    expect_shared();
}

START_TEST(processes_that_differ_have_different_servers)
{
    expect_shared();
    ck_assert_uint_eq(server_count(), 1);
    in_child(with_fewer_descriptors);
    ck_assert_uint_eq(server_count(), 2);
    in_child(with_another_variable);
    ck_assert_uint_eq(server_count(), 3);
    in_child(with_another_umask);
    ck_assert_uint_eq(server_count(), 4);
    in_child(with_another_variable);
    ck_assert_uint_eq(server_count(), 4);
}
END_TEST

static void with_variables_of_a_test(void)
{
    setenv("ORRERY_SEED", "7", 1);
    setenv("PWD", "/nowhere", 1);
    setenv("PYTEST_CURRENT_TEST", "one", 1);
    setenv("LD_PRELOAD", "", 1);
    unsetenv("SHLVL");
    expect_shared();
}

START_TEST(variables_of_single_tests_do_not_count)
{
    expect_shared();
    in_child(with_variables_of_a_test);
    ck_assert_uint_eq(server_count(), 1);
}
END_TEST

static void append_twice(const char *variable)
{
    static char *list[3] = {NULL};
    list[0] = list[1] = (char *)(uintptr_t)variable;
    environ = list;
}

START_TEST(environment_that_is_ambiguous_is_not_shared)
{
    char **before = environ;
    append_twice("TZ=UTC");
    ck_assert_ptr_null(shared_environment());
    environ = before;
    char **environment = shared_environment();
    ck_assert_ptr_nonnull(environment);
    for (size_t i = 0; environment[i] && environment[i + 1]; i++)
        ck_assert_int_lt(strcmp(environment[i], environment[i + 1]), 0);
    free(environment);
}
END_TEST

static void change_user(void)
{
    ck_assert_int_eq(setegid(65534), 0);
    ck_assert_ptr_nonnull(shared_prevented());
    ck_assert_int_eq(setegid(0), 0);
    ck_assert_ptr_null(shared_prevented());
    ck_assert_int_eq(setresuid(65534, 65534, 0), 0);
    ck_assert_ptr_nonnull(shared_prevented());
    ck_assert_int_eq(setresuid(0, 0, 0), 0);
    ck_assert_ptr_null(shared_prevented());
    ck_assert_int_eq(setresuid(65534, 65534, 65534), 0);
    ck_assert_ptr_nonnull(shared_prevented());
}

START_TEST(process_that_changed_its_user_shares_nothing)
{
    ck_assert_ptr_null(shared_prevented());
    if (geteuid() == 0)
        in_child(change_user);
}
END_TEST

/* Which a sandbox of files needs. */
START_TEST(process_without_new_privileges_shares_nothing)
{
    expect_shared();
    const pid_t before = the_server();
    kill_servers();
    ck_assert_int_eq(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
    expect_own();
    ck_assert_uint_eq(server_count(), 0);
    ck_assert_int_ne(server_of(getpid()), before);
}
END_TEST

/* ---- the directory ----------------------------------------------------------------------------- */

static void make_open(void)
{
    ck_assert_int_eq(mkdir(sockets, 0700), 0);
    ck_assert_int_eq(chmod(sockets, 0750), 0);
}

static void make_unwritable(void)
{
    ck_assert_int_eq(mkdir(sockets, 0500), 0);
}

static void make_link(void)
{
    char good[100];
    path_of("good", good, sizeof good);
    ck_assert_int_eq(mkdir(good, 0700), 0);
    ck_assert_int_eq(symlink(good, sockets), 0);
}

static void make_fifo(void)
{
    ck_assert_int_eq(mkfifo(sockets, 0700), 0);
}

static void make_file(void)
{
    const int file = open(sockets, O_WRONLY | O_CREAT, 0700);
    ck_assert_int_ge(file, 0);
    close(file);
}

static void make_strangers(void)
{
    ck_assert_int_eq(mkdir(sockets, 0700), 0);
    if (chown(sockets, 65534, (gid_t)-1) != 0)
        ck_assert_int_eq(chmod(sockets, 0755), 0); /* not the superuser */
}

static void make_lock_fifo(void)
{
    char lock[LONGEST + 8];
    ck_assert_int_eq(mkdir(sockets, 0700), 0);
    snprintf(lock, sizeof lock, "%s/" COMPILE_LOCK_NAME, sockets);
    ck_assert_int_eq(mkfifo(lock, 0600), 0);
}

static void (*const bad_directories[])(void) = {make_open, make_unwritable, make_link,     make_fifo,
                                                make_file, make_strangers,  make_lock_fifo};

START_TEST(directory_that_is_not_the_users_alone_is_not_used)
{
    bad_directories[_i]();
    expect_own();
    ck_assert_uint_eq(server_count(), 0);
}
END_TEST

static void expect_in_cache(const char *cache, const char *runtime)
{
    configure(cache, runtime, IDLE_MS);
    snprintf(sockets, sizeof sockets, "%s/server", cache);
    expect_shared();
    the_server();
}

START_TEST(without_a_directory_of_the_session_it_is_below_the_cache)
{
    char cache[100];
    path_of("cache/of/builds", cache, sizeof cache);
    ck_assert_int_eq(chmod(session, 0770), 0);
    expect_in_cache(cache, session);
}
END_TEST

START_TEST(path_may_be_longer_than_a_sockets)
{
    char cache[LONGEST - 16];
    int length = snprintf(cache, sizeof cache, "%s", directory);
    while (length < 300)
        length += snprintf(cache + length, sizeof cache - (size_t)length, "/%050d", length);
    expect_in_cache(cache, NULL);
    in_child(expect_shared);
    the_server();
}
END_TEST

START_TEST(without_a_directory_there_is_an_own_server)
{
    configure(NULL, "relative", IDLE_MS);
    expect_own();
}
END_TEST

static void open_lock(int *out_lock)
{
    char path[LONGEST + 8];
    ck_assert_int_eq(mkdir(sockets, 0700), 0);
    snprintf(path, sizeof path, "%s/" COMPILE_LOCK_NAME, sockets);
    *out_lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    ck_assert_int_eq(flock(*out_lock, LOCK_EX), 0);
}

START_TEST(lock_that_is_held_does_not_keep_a_build)
{
    int lock;
    open_lock(&lock);
    in_child(expect_own);
    ck_assert_uint_eq(server_count(), 0);
    close(lock);
    expect_shared();
    the_server();
}
END_TEST

/* ---- what others notice ------------------------------------------------------------------------ */

START_TEST(server_is_no_child_and_holds_nothing)
{
    int ends[2];
    char byte, path[64], found[LONGEST] = "";
    ck_assert_int_eq(chdir(directory), 0);
    ck_assert_int_eq(pipe(ends), 0);
    expect_shared();
    const pid_t process = the_server();
    close(ends[1]);
    ck_assert_int_eq(read(ends[0], &byte, 1), 0);
    ck_assert_int_eq(waitpid(-1, NULL, 0), -1);
    ck_assert_int_eq(errno, ECHILD);
    ck_assert_int_eq(getsid(process), process);
    snprintf(path, sizeof path, "/proc/%d/cwd", process);
    ck_assert_int_eq(readlink(path, found, sizeof found), 1);
    for (int i = 0; i < 3; i++) {
        memset(found, 0, sizeof found);
        snprintf(path, sizeof path, "/proc/%d/fd/%d", process, i);
        ck_assert_int_gt(readlink(path, found, sizeof found - 1), 0);
        ck_assert_str_eq(found, "/dev/null");
    }
}
END_TEST

START_TEST(process_that_gets_orphans_starts_no_server)
{
    ck_assert_int_eq(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
    expect_built();
    ck_assert_uint_eq(server_count(), 0);
    ck_assert_int_eq(server_of(getpid()), 0);
}
END_TEST

static void build_and_be_killed(void)
{
    const pid_t host = fork();
    if (!host) {
        expect_shared();
        raise(SIGKILL);
    }
    int status;
    ck_assert_int_eq(waitpid(host, &status, 0), host);
    ck_assert_int_eq(status, SIGKILL);
}

START_TEST(server_of_a_killed_host_builds_for_others)
{
    build_and_be_killed();
    const pid_t process = the_server();
    expect_shared();
    in_child(expect_shared);
    ck_assert_int_eq(the_server(), process);
}
END_TEST

/* ---- ends -------------------------------------------------------------------------------------- */

/* Its socket stays. */
START_TEST(server_that_was_killed_is_followed_by_another)
{
    expect_shared();
    for (int i = 0; i < 6; i++) {
        const pid_t before = the_server();
        kill_servers();
        expect_shared();
        ck_assert_int_ne(the_server(), before);
        in_child(expect_shared);
    }
}
END_TEST

static void *kill_server_in_build(void *unused)
{
    (void)unused;
    const int first = open(pipe_path, O_WRONLY | O_CLOEXEC);
    struct pollfd end = {.fd = first};
    kill_servers();
    /* the build has ended, too: nothing reads the pipe */
    while (poll(&end, 1, -1) < 0 && errno == EINTR)
        ;
    close(first);
    const int second = open(pipe_path, O_WRONLY | O_CLOEXEC);
    ck_assert_int_eq(write(second, "#define PIPE 5\n", 15), 15);
    close(second);
    return NULL;
}

START_TEST(build_of_a_server_that_is_killed_is_done_elsewhere)
{
    pthread_t killer;
    make_pipe();
    ck_assert_int_eq(pthread_create(&killer, NULL, kill_server_in_build, NULL), 0);
    struct outcome outcome = build(piped_source, pipe_options, COMPILE_SHARED);
    ck_assert_msg(outcome.status == STATUS_OK, "%s", outcome.log);
    ck_assert_str_eq(outcome.log, "");
    ck_assert_int_eq(pthread_join(killer, NULL), 0);
    outcome_fini(&outcome);
    ck_assert_int_gt(server_of(getpid()), 0);
    in_child(expect_shared);
    the_server();
}
END_TEST

static pid_t build_in_child(void)
{
    const pid_t pid = fork();
    if (!pid) {
        build(piped_source, pipe_options, COMPILE_SHARED);
        _exit(1);
    }
    return pid;
}

/* Until nothing reads the pipe. */
static void expect_end_of_build(int held)
{
    struct pollfd end = {.fd = held};
    while (poll(&end, 1, -1) < 0 && errno == EINTR)
        ;
    ck_assert_int_ne(end.revents & POLLERR, 0);
}

START_TEST(build_ends_with_its_client_and_the_server_lives)
{
    make_pipe();
    const pid_t client = build_in_child();
    const int held = open(pipe_path, O_WRONLY | O_CLOEXEC);
    const pid_t process = the_server();
    ck_assert_int_eq(kill(client, SIGKILL), 0);
    expect_end_of_build(held);
    close(held);
    expect_shared();
    ck_assert_int_eq(the_server(), process);
}
END_TEST

static int forked[2];

/* Has what the client has open, and outlives it. */
static void fork_child(int number)
{
    (void)number;
    const pid_t pid = fork();
    if (!pid)
        for (;;)
            pause();
    if (write(forked[1], &pid, sizeof pid) != sizeof pid)
        _exit(1);
}

START_TEST(build_ends_with_its_client_though_a_child_of_that_lives)
{
    pid_t child;
    make_pipe();
    ck_assert_int_eq(pipe(forked), 0);
    signal(SIGUSR1, fork_child);
    const pid_t client = build_in_child();
    const int held = open(pipe_path, O_WRONLY | O_CLOEXEC);
    ck_assert_int_eq(kill(client, SIGUSR1), 0);
    ck_assert_int_eq(read(forked[0], &child, sizeof child), sizeof child);
    ck_assert_int_eq(kill(client, SIGKILL), 0);
    expect_end_of_build(held);
    ck_assert_int_eq(kill(child, SIGKILL), 0);
    close(held);
}
END_TEST

static void build_soon_idle(void)
{
    expect_shared();
}

static size_t files_here(void)
{
    size_t count = 0;
    DIR *files = opendir(sockets);
    ck_assert_ptr_nonnull(files);
    for (struct dirent *file; (file = readdir(files));)
        count += file->d_name[0] != '.';
    closedir(files);
    return count;
}

/* The server becomes a child of this process, which can wait for it. */
START_TEST(server_that_builds_nothing_ends_and_removes_its_socket)
{
    configure(NULL, session, 1);
    ck_assert_int_eq(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
    in_child(build_soon_idle);
    while (waitpid(-1, NULL, 0) > 0)
        ;
    ck_assert_int_eq(errno, ECHILD);
    ck_assert_uint_eq(files_here(), 1); /* the lock */
    in_child(build_soon_idle);
}
END_TEST

/* Connected, but without a build. */
START_TEST(server_does_not_stay_for_a_connection)
{
    configure(NULL, session, 1);
    ck_assert_int_eq(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
    int ends[2];
    char byte;
    ck_assert_int_eq(pipe(ends), 0);
    const pid_t client = fork();
    if (!client) {
        close(ends[1]);
        expect_built();
        ck_assert_int_eq(read(ends[0], &byte, 1), 0);
        /* the connection is of a server that has ended */
        expect_built();
        _exit(0);
    }
    close(ends[0]);
    int status = -1;
    ck_assert_int_ne(waitpid(-1, &status, 0), client); /* the server */
    close(ends[1]);
    while (waitpid(-1, &status, 0) > 0)
        ck_assert_int_eq(status, 0);
}
END_TEST

static void build_often(void)
{
    for (int i = 0; i < 8; i++)
        expect_built();
}

/* Each order meets a server that is ending, or one that starts. */
START_TEST(builds_race_with_the_end_of_the_server)
{
    configure(NULL, session, 1);
    for (int i = 0; i < 4; i++)
        if (fork() == 0) {
            build_often();
            _exit(0);
        }
    int status;
    while (wait(&status) > 0)
        ck_assert_int_eq(status, 0);
}
END_TEST
/* tests/support/false_server.c: it ends at once. */
START_TEST(program_that_is_no_server_leaves_the_build_to_the_programs)
{
    const char *build_directory = getenv("ORRERY_BUILDDIR");
    snprintf(server, sizeof server, "%s/tests/false_server", build_directory ? build_directory : ".");
    char *real = realpath(server, NULL);
    ck_assert_msg(real != NULL, "%s", server);
    snprintf(server, sizeof server, "%s", real);
    free(real);
    setenv("FALSE_SERVER", "refuses", 1);
    configure(NULL, session, IDLE_MS);
    for (int i = 0; i < 3; i++)
        expect_built();
    ck_assert_uint_eq(server_count(), 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("shared compile server");
    TCase *same = tcase_create("the same"), *which = tcase_create("which"), *places = tcase_create("places");
    TCase *ends = tcase_create("ends");
    TCase *const all[] = {same, which, places, ends};
    tcase_add_test(same, thirty_processes_build_through_one_server);
    tcase_add_test(same, shared_server_gives_words_and_logs_of_the_programs);
    tcase_add_test(same, directories_are_those_of_the_caller);
    tcase_add_test(which, processes_that_differ_have_different_servers);
    tcase_add_test(which, variables_of_single_tests_do_not_count);
    tcase_add_test(which, environment_that_is_ambiguous_is_not_shared);
    tcase_add_test(which, process_that_changed_its_user_shares_nothing);
    tcase_add_test(which, process_without_new_privileges_shares_nothing);
    tcase_add_loop_test(places, directory_that_is_not_the_users_alone_is_not_used, 0,
                        (int)(sizeof bad_directories / sizeof *bad_directories));
    tcase_add_test(places, without_a_directory_of_the_session_it_is_below_the_cache);
    tcase_add_test(places, path_may_be_longer_than_a_sockets);
    tcase_add_test(places, without_a_directory_there_is_an_own_server);
    tcase_add_test(places, lock_that_is_held_does_not_keep_a_build);
    tcase_add_test(ends, server_is_no_child_and_holds_nothing);
    tcase_add_test(ends, process_that_gets_orphans_starts_no_server);
    tcase_add_test(ends, server_of_a_killed_host_builds_for_others);
    tcase_add_test(ends, server_that_was_killed_is_followed_by_another);
    tcase_add_test(ends, build_of_a_server_that_is_killed_is_done_elsewhere);
    tcase_add_test(ends, build_ends_with_its_client_and_the_server_lives);
    tcase_add_test(ends, build_ends_with_its_client_though_a_child_of_that_lives);
    tcase_add_test(ends, server_that_builds_nothing_ends_and_removes_its_socket);
    tcase_add_test(ends, server_does_not_stay_for_a_connection);
    tcase_add_test(ends, builds_race_with_the_end_of_the_server);
    tcase_add_test(ends, program_that_is_no_server_leaves_the_build_to_the_programs);
    return run_with_servers(suite, all, sizeof all / sizeof *all);
}
