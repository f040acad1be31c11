/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The compile server that processes share: one for all processes for which it gives the same results, none where the
 * directory is not the user's alone, and what ends costs one build.
 */
#include <check.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>

#include "orrery/compiler.h"
#include "sim/frontend/compile_protocol.h"
#include "sim/frontend/shared_server.h"
#include "tests/support/compile_outcome.h"

enum {
    SKIPPED = 77,
    PROCESSES = 30,
    IDLE_MS = 60000,
    SERVER_DIRECTORY = 19,
    SERVERS_MOST = 8,
    LONGEST = 512
};

/* guarded by each test's own process */
static char session[100];     /* the directory of the user's session */
static char sockets[LONGEST]; /* where servers listen */

static void configure(const char *cache, const char *runtime, unsigned idle_ms)
{
    compiler_configure(&(struct compiler_settings){.cache_directory = cache,
                                                   .compile_server = server,
                                                   .runtime_directory = runtime,
                                                   .shared_idle_ms = idle_ms});
}

/* ---- servers of the directory ------------------------------------------------------------------ */

/* Builds of the server are in its session. */
static bool listens_here(const char *process)
{
    char path[300], words[LONGEST] = "", directory_of_it[LONGEST] = "";
    snprintf(path, sizeof path, "/proc/%s/cmdline", process);
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return false;
    const ssize_t size = read(file, words, sizeof words - 1);
    close(file);
    if (size <= 0 || strcmp(words + strlen(words) + 1, COMPILE_SHARED_OPTION) != 0 ||
        getsid(atoi(process)) != atoi(process))
        return false;
    snprintf(path, sizeof path, "/proc/%s/fd/%d", process, SERVER_DIRECTORY);
    const ssize_t length = readlink(path, directory_of_it, sizeof directory_of_it - 1);
    return length > 0 && !strcmp(directory_of_it, sockets);
}

static size_t servers_here(pid_t found[SERVERS_MOST])
{
    size_t count = 0;
    DIR *processes = opendir("/proc");
    ck_assert_ptr_nonnull(processes);
    for (struct dirent *entry; (entry = readdir(processes));)
        if (atoi(entry->d_name) > 0 && count < SERVERS_MOST && listens_here(entry->d_name))
            found[count++] = atoi(entry->d_name);
    closedir(processes);
    return count;
}

static size_t server_count(void)
{
    pid_t found[SERVERS_MOST];
    return servers_here(found);
}

static pid_t the_server(void)
{
    pid_t found[SERVERS_MOST] = {0};
    ck_assert_uint_eq(servers_here(found), 1);
    return found[0];
}

/* Waits for the end: a process that ends loses its command line before its socket, and until then connections
 * to it succeed. */
static void kill_server(pid_t process)
{
    struct pollfd end = {.fd = (int)syscall(SYS_pidfd_open, process, 0), .events = POLLIN};
    kill(process, SIGKILL);
    while (end.fd >= 0 && poll(&end, 1, -1) < 0 && errno == EINTR)
        ;
    if (end.fd >= 0)
        close(end.fd);
}

static void kill_servers(void)
{
    pid_t found[SERVERS_MOST];
    for (size_t count; (count = servers_here(found)) > 0;)
        for (size_t i = 0; i < count; i++)
            kill_server(found[i]);
}

static void set_up(void)
{
    strcpy(directory, "/tmp/check-shared-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(directory));
    path_of("session", session, sizeof session);
    ck_assert_int_eq(mkdir(session, 0700), 0);
    snprintf(sockets, sizeof sockets, "%s/orrery", session);
    configure(NULL, session, IDLE_MS);
}

static void tear_down(void)
{
    char command[128];
    kill_servers();
    signal(SIGCHLD, SIG_DFL);
    snprintf(command, sizeof command, "rm -rf '%s'", directory);
    ck_assert_int_eq(system(command), 0);
}

/* ---- builds ------------------------------------------------------------------------------------ */

static void compare(const char *source, const char *options)
{
    struct outcome programs = build(source, options, COMPILE_BY_PROGRAMS);
    struct outcome shared = build(source, options, COMPILE_SHARED);
    expect_same(&programs, &shared, options);
    outcome_fini(&programs);
    outcome_fini(&shared);
}

static void expect_built(void)
{
    struct outcome outcome = build(plain_source, "", COMPILE_SHARED);
    ck_assert_msg(outcome.status == STATUS_OK, "%s", outcome.log);
    ck_assert_str_eq(outcome.log, "");
    outcome_fini(&outcome);
}

/* The programs would run only if a server of the process's own failed: there would be one. */
static void expect_shared(void)
{
    expect_built();
    ck_assert_int_eq(server_of(getpid()), 0);
}

static void expect_own(void)
{
    expect_built();
    ck_assert_int_gt(server_of(getpid()), 0);
}

/* ck_assert in the child ends it with another status. */
static void in_child(void (*function)(void))
{
    int status;
    const pid_t pid = fork();
    if (!pid) {
        function();
        _exit(0);
    }
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert_int_eq(status, 0);
}

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

START_TEST(server_of_a_host_that_is_killed_serves_others)
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

/* ---- orders ------------------------------------------------------------------------------------ */

static void find_socket(char *out_path, size_t size)
{
    DIR *files = opendir(sockets);
    ck_assert_ptr_nonnull(files);
    *out_path = '\0';
    for (struct dirent *file; (file = readdir(files));)
        if (strlen(file->d_name) == SHARED_NAME_SIZE - 1)
            snprintf(out_path, size, "%.60s/%.32s", sockets, file->d_name);
    closedir(files);
    ck_assert_str_ne(out_path, "");
}

static int connect_by_hand(void)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const int made = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    find_socket(address.sun_path, sizeof address.sun_path);
    ck_assert_int_eq(connect(made, (struct sockaddr *)&address, sizeof address), 0);
    return made;
}

struct message {
    struct compile_order order;
    size_t size;
    int files[COMPILE_FILES_MOST];
    size_t file_count;
    int replies;
};

static int memory_file(const char *bytes, size_t size)
{
    const int file = memfd_create("test", MFD_CLOEXEC);
    ck_assert_int_eq(write(file, bytes, size), (ssize_t)size);
    return file;
}

/* An order that a server takes: it ends with a status. */
static struct message good_message(void)
{
    static const char words[] = "clang\0-cc1\0-version";
    struct message message = {.order = {.magic = COMPILE_PROTOCOL_MAGIC, .tool_count = 1},
                              .size = sizeof message.order,
                              .file_count = COMPILE_FILES_SHARED + COMPILE_FILES_OF_TOOL};
    int ends[2];
    memcpy(message.order.revision, compile_revision, sizeof message.order.revision);
    message.order.tools[0].tool = COMPILE_CLANG;
    message.order.tools[0].argument_count = 3;
    ck_assert_int_eq(pipe2(ends, O_CLOEXEC), 0);
    message.replies = ends[0];
    message.files[COMPILE_REPLIES] = ends[1];
    message.files[COMPILE_DIRECTORY] = open("/", O_PATH | O_CLOEXEC);
    message.files[COMPILE_ARGUMENTS] = memory_file(words, sizeof words);
    for (size_t i = COMPILE_INPUT; i < COMPILE_FILES_MOST; i++)
        message.files[i] = memory_file("", 0);
    return message;
}

static void replace(struct message *message, enum compile_file which, int file)
{
    ck_assert_int_ge(file, 0);
    close(message->files[which]);
    message->files[which] = file;
}

/* Of numbers. */
static void spoil_numbers(struct message *message, int which)
{
    switch (which) {
    case 0: message->order.magic ^= 1; break;
    case 1: message->order.revision[0] ^= 1; break;
    case 2: message->order.tool_count = 0; break;
    case 3: message->order.tool_count = UINT32_MAX; break;
    case 4: message->order.tools[0].tool = 77; break;
    case 5: message->order.tools[0].argument_count = UINT32_MAX; break;
    case 6: message->order.tools[0].argument_count = 4; break;
    case 7: message->order.tools[0].argument_count = 2; break;
    case 8: message->size = 5; break;
    case 9: message->size = 0; break;
    case 10: message->file_count--; break;
    case 11: message->file_count++; break;
    case 12: message->file_count = 0; break;
    default: ck_abort_msg("no such field");
    }
}

static void spoil_words(struct message *message)
{
    replace(message, COMPILE_ARGUMENTS, memory_file("clang", 5));
}

static void spoil_huge_words(struct message *message)
{
    replace(message, COMPILE_ARGUMENTS, memory_file("clang", 5));
    ck_assert_int_eq(ftruncate(message->files[COMPILE_ARGUMENTS], (off_t)1 << 40), 0);
}

/* Reading it would wait. */
static void spoil_words_by_pipe(struct message *message)
{
    make_pipe();
    replace(message, COMPILE_ARGUMENTS, open(pipe_path, O_RDWR | O_CLOEXEC));
}

static void spoil_replies(struct message *message)
{
    replace(message, COMPILE_REPLIES, memory_file("", 0));
}

/* Writing to it would wait. */
static void spoil_replies_full(struct message *message)
{
    char bytes[4096] = "";
    const int file = message->files[COMPILE_REPLIES];
    message->order.magic ^= 1;
    ck_assert_int_eq(fcntl(file, F_SETFL, O_NONBLOCK), 0);
    while (write(file, bytes, sizeof bytes) > 0)
        ;
    ck_assert_int_eq(fcntl(file, F_SETFL, 0), 0);
}

static void (*const spoilers[])(struct message *) = {spoil_words, spoil_huge_words, spoil_words_by_pipe,
                                                     spoil_replies, spoil_replies_full};
enum { NUMBERS = 13, SPOILERS = sizeof spoilers / sizeof *spoilers };

static void spoil(struct message *message, int which)
{
    if (which < NUMBERS)
        spoil_numbers(message, which);
    else
        spoilers[which - NUMBERS](message);
}

static void send_message(int connection, struct message *message)
{
    union {
        char bytes[CMSG_SPACE(sizeof(int) * COMPILE_FILES_MOST)];
        struct cmsghdr aligned;
    } control = {{0}};
    const size_t size = sizeof(int) * message->file_count;
    struct iovec part = {&message->order, message->size};
    struct msghdr header = {.msg_iov = &part, .msg_iovlen = 1};
    if (message->file_count) {
        header.msg_control = &control;
        header.msg_controllen = CMSG_SPACE(size);
        struct cmsghdr *files = CMSG_FIRSTHDR(&header);
        files->cmsg_level = SOL_SOCKET;
        files->cmsg_type = SCM_RIGHTS;
        files->cmsg_len = CMSG_LEN(size);
        memcpy(CMSG_DATA(files), message->files, size);
    }
    ck_assert_int_eq(sendmsg(connection, &header, MSG_NOSIGNAL), (ssize_t)message->size);
    for (size_t i = 0; i < COMPILE_FILES_MOST; i++)
        close(message->files[i]);
}

/* The kinds of the replies until no process can write one. */
static size_t read_replies(const struct message *message, uint32_t kinds[4])
{
    struct compile_reply reply;
    size_t count = 0;
    for (ssize_t size; count < 4 && (size = read(message->replies, &reply, sizeof reply)) > 0;)
        if (size == sizeof reply && reply.magic == COMPILE_PROTOCOL_MAGIC)
            kinds[count++] = reply.kind;
    close(message->replies);
    return count;
}

static size_t descriptors_of(pid_t process)
{
    char path[64];
    size_t count = 0;
    snprintf(path, sizeof path, "/proc/%d/fd", process);
    DIR *files = opendir(path);
    ck_assert_ptr_nonnull(files);
    while (readdir(files))
        count++;
    closedir(files);
    return count;
}

static void expect_good_message(int connection)
{
    uint32_t kinds[4] = {0};
    struct message message = good_message();
    send_message(connection, &message);
    ck_assert_uint_eq(read_replies(&message, kinds), 2);
    ck_assert_uint_eq(kinds[0], COMPILE_BEGUN);
    ck_assert_uint_eq(kinds[1], COMPILE_ENDED);
}

/* After it the server builds for others, and has nothing open that came with it. */
START_TEST(malformed_order_begins_no_build)
{
    uint32_t kinds[4] = {0};
    expect_shared();
    const pid_t process = the_server();
    const int other = connect_by_hand(), connection = connect_by_hand();
    expect_good_message(other);
    expect_good_message(connection);
    const size_t before = descriptors_of(process);
    struct message message = good_message();
    spoil(&message, _i);
    send_message(connection, &message);
    const size_t count = read_replies(&message, kinds);
    for (size_t i = 0; i < count; i++)
        ck_assert_uint_eq(kinds[i], COMPILE_REFUSED);
    expect_good_message(other);
    ck_assert_uint_le(descriptors_of(process), before);
    expect_shared();
    ck_assert_int_eq(the_server(), process);
}
END_TEST

enum { FEW_DESCRIPTORS = 64, CONNECTIONS = FEW_DESCRIPTORS / 2 };

/* So few descriptors that half of them are soon in use. */
START_TEST(past_its_connections_a_server_refuses)
{
    struct rlimit limit;
    int held[CONNECTIONS];
    ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
    limit.rlim_cur = FEW_DESCRIPTORS;
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
    expect_shared();
    const pid_t process = the_server();
    for (int i = 0; i < CONNECTIONS; i++)
        held[i] = connect_by_hand();
    in_child(expect_own);
    expect_shared(); /* it was connected before */
    for (int i = 0; i < CONNECTIONS; i++)
        close(held[i]);
    in_child(expect_shared);
    ck_assert_int_eq(the_server(), process);
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
    TCase *same = tcase_create("the same"), *which = tcase_create("which"), *ends = tcase_create("ends");
    TCase *orders = tcase_create("orders"), *places = tcase_create("places");
    TCase *const all[] = {same, which, places, ends, orders};
    find_server();
    if (access(server, X_OK) != 0)
        return SKIPPED; /* built without the libraries of clang */
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        tcase_add_checked_fixture(all[i], set_up, tear_down);
        tcase_set_timeout(all[i], 60);
        suite_add_tcase(suite, all[i]);
    }
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
    tcase_add_test(ends, server_of_a_host_that_is_killed_serves_others);
    tcase_add_test(ends, server_that_was_killed_is_followed_by_another);
    tcase_add_test(ends, build_of_a_server_that_is_killed_is_done_elsewhere);
    tcase_add_test(ends, build_ends_with_its_client_and_the_server_lives);
    tcase_add_test(ends, build_ends_with_its_client_though_a_child_of_that_lives);
    tcase_add_test(ends, server_that_builds_nothing_ends_and_removes_its_socket);
    tcase_add_test(ends, server_does_not_stay_for_a_connection);
    tcase_add_test(ends, builds_race_with_the_end_of_the_server);
    tcase_add_loop_test(orders, malformed_order_begins_no_build, 0, NUMBERS + SPOILERS);
    tcase_add_test(orders, past_its_connections_a_server_refuses);
    tcase_add_test(orders, program_that_is_no_server_leaves_the_build_to_the_programs);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
