/* SPDX-License-Identifier: Apache-2.0 */
/* A session directory of the test's own, the compile servers in it, and builds that they do. Each test has a process of its own. */
#ifndef ORRERY_TESTS_SUPPORT_SHARED_SERVERS_H
#define ORRERY_TESTS_SUPPORT_SHARED_SERVERS_H

#include <check.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "orrery/compiler.h"
#include "sim/frontend/compile_protocol.h"
#include "tests/support/compile_outcome.h"

enum { IDLE_MS = 60000, SERVER_DIRECTORY = 19, SERVERS_MOST = 8, LONGEST = 512 };

/* guarded by each test's own process */
static char session[100];     /* the directory of the user's session */
static char sockets[LONGEST]; /* where servers listen */

static inline void configure(const char *cache, const char *runtime, unsigned idle_ms)
{
    compiler_configure(&(struct compiler_settings){.cache_directory = cache,
                                                   .compile_server = server,
                                                   .runtime_directory = runtime,
                                                   .shared_idle_ms = idle_ms});
}

/* ---- servers of the directory ------------------------------------------------------------------ */

/* Builds of the server are in its session. */
static inline bool listens_here(const char *process)
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

static inline size_t servers_here(pid_t found[SERVERS_MOST])
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

static inline size_t server_count(void)
{
    pid_t found[SERVERS_MOST];
    return servers_here(found);
}

static inline pid_t the_server(void)
{
    pid_t found[SERVERS_MOST] = {0};
    ck_assert_uint_eq(servers_here(found), 1);
    return found[0];
}

/* Returns when the process has ended. An ending process loses its command line before its socket, and until then
 * connections to the socket succeed. */
static inline void kill_server(pid_t process)
{
    struct pollfd end = {.fd = (int)syscall(SYS_pidfd_open, process, 0), .events = POLLIN};
    kill(process, SIGKILL);
    while (end.fd >= 0 && poll(&end, 1, -1) < 0 && errno == EINTR)
        ;
    if (end.fd >= 0)
        close(end.fd);
}

static inline void kill_servers(void)
{
    pid_t found[SERVERS_MOST];
    for (size_t count; (count = servers_here(found)) > 0;)
        for (size_t i = 0; i < count; i++)
            kill_server(found[i]);
}

static inline void set_up(void)
{
    strcpy(directory, "/tmp/check-shared-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(directory));
    path_of("session", session, sizeof session);
    ck_assert_int_eq(mkdir(session, 0700), 0);
    snprintf(sockets, sizeof sockets, "%s/orrery", session);
    configure(NULL, session, IDLE_MS);
}

static inline void tear_down(void)
{
    char command[128];
    kill_servers();
    signal(SIGCHLD, SIG_DFL);
    snprintf(command, sizeof command, "rm -rf '%s'", directory);
    ck_assert_int_eq(system(command), 0);
}

/* ---- builds ------------------------------------------------------------------------------------ */

static inline void compare(const char *source, const char *options)
{
    struct outcome programs = build(source, options, COMPILE_BY_PROGRAMS);
    struct outcome shared = build(source, options, COMPILE_SHARED);
    expect_same(&programs, &shared, options);
    outcome_fini(&programs);
    outcome_fini(&shared);
}

static inline void expect_built(void)
{
    struct outcome outcome = build(plain_source, "", COMPILE_SHARED);
    ck_assert_msg(outcome.status == STATUS_OK, "%s", outcome.log);
    ck_assert_str_eq(outcome.log, "");
    outcome_fini(&outcome);
}

/* The programs would run only if a server of the process's own failed: there would be one. */
static inline void expect_shared(void)
{
    expect_built();
    ck_assert_int_eq(server_of(getpid()), 0);
}

static inline void expect_own(void)
{
    expect_built();
    ck_assert_int_gt(server_of(getpid()), 0);
}

/* ck_assert in the child ends it with another status. */
static inline void in_child(void (*function)(void))
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

/* 77 for a build without the libraries of clang, which has no server. */
static inline int run_with_servers(Suite *suite, TCase *const *cases, size_t count)
{
    find_server();
    if (access(server, X_OK) != 0)
        return 77;
    for (size_t i = 0; i < count; i++) {
        tcase_add_checked_fixture(cases[i], set_up, tear_down);
        tcase_set_timeout(cases[i], 60);
        suite_add_tcase(suite, cases[i]);
    }
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

#endif
