/* SPDX-License-Identifier: Apache-2.0 */
/* One run of `orrery serve`: a child process in a directory of its own, with limits and a clean
 * environment. */
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "config.h"
#include "tools/serve/serve.h"
#include "tools/tools.h"

enum { GRACE_MS = 5000, WORDS = 16, ENVIRONMENT = 16, PATHS = 4096 };

/* What the child needs, all made before the fork. */
struct child {
    char directory[PATHS], own[PATHS];
    char *words[WORDS], *environment[ENVIRONMENT];
    size_t word_count, environment_count;
    int sandbox; /* -1: none */
    pid_t process;
    int ended; /* a pidfd */
};

/* ---- what kind of text ----------------------------------------------------------------------- */

static bool begins(const char *text, const char *word)
{
    return strncmp(text, word, strlen(word)) == 0;
}

/* The first line that is neither empty, nor a comment of YAML, nor the start of a document. */
static const char *first_line(const char *text)
{
    while (*text) {
        text += strspn(text, " \t\r\n");
        if (*text != '#' && *text != '%' && !begins(text, "---"))
            break;
        text += strcspn(text, "\n");
    }
    return text;
}

static enum serve_kind serve_kind_of(const char *text)
{
    const char *blank = text + strspn(text, " \t\r\n");
    if (begins(blank, "OPENCL ") || begins(blank, "OpenCL "))
        return SERVE_LITMUS;
    return begins(first_line(text), "orrery:") ? SERVE_SCENARIO : SERVE_KERNEL;
}

/* ---- words, environment, files --------------------------------------------------------------- */

__attribute__((format(printf, 2, 3))) static void add_word(struct child *child, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (vasprintf(&child->words[child->word_count++], format, arguments) < 0)
        tools_no_memory();
    va_end(arguments);
}

static void add_variable(struct child *child, const char *name, const char *value)
{
    if (value && asprintf(&child->environment[child->environment_count++], "%s=%s", name, value) < 0)
        tools_no_memory();
}

/* Only these variables: a kernel could read others by #include of /proc. */
static void make_environment(struct child *child)
{
    static const char *const kept[] = {"PATH",         "LANG",         "LC_ALL", "LD_LIBRARY_PATH",
                                       "ASAN_OPTIONS", "UBSAN_OPTIONS"};
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        add_variable(child, kept[i], getenv(kept[i]));
    add_variable(child, "HOME", child->directory);
    add_variable(child, "TMPDIR", child->directory);
    add_variable(child, "ORRERY_CACHE", "0"); /* a cache would grow beyond all limits */
    add_variable(child, "ORRERY_COMPILER", "auto");
}

/* Limits in the text apply before these, since they may be the subject of a lesson; the limit of wall-clock
 * time always applies. A launch with races runs up to ten times, for fixes and values, within that time:
 * hence the low limit of iterations. */
static void add_limits(struct child *child, const struct serve_request *request)
{
    const bool scenario = serve_kind_of(request->text) == SERVE_SCENARIO;
    if (!scenario || !strstr(request->text, "max_steps"))
        add_word(child, "--max-steps=100000");
    if (!scenario || !strstr(request->text, "timeout"))
        add_word(child, "--timeout=10");
    /* A shared server is outside of the sandbox, and the text may ask for it. */
    add_word(child, "--compiler=auto");
    add_word(child, "--compile-time=20");
    add_word(child, "--compile-memory=2GiB");
}

static void make_words(struct child *child, const struct serve_request *request)
{
    const enum serve_kind kind = serve_kind_of(request->text);
    add_word(child, "orrery");
    add_word(child, kind == SERVE_LITMUS ? "litmus" : "run");
    add_word(child, "--html=page.html"); /* no --force: the directory is new, but the text may name files */
    if (kind == SERVE_LITMUS) {
        add_word(child, "test.litmus");
        return;
    }
    add_word(child, "--color=never");
    if (*request->schedule)
        add_word(child, "--schedule=%s", request->schedule);
    if (*request->seed)
        add_word(child, "--seed=%s", request->seed);
    if (*request->build_options)
        add_word(child, "--build-options=%s", request->build_options);
    add_limits(child, request);
    if (kind == SERVE_SCENARIO)
        add_word(child, "scenario.yaml");
    else
        add_word(child, *request->kernel ? "kernel.cl:%s" : "kernel.cl%s", request->kernel);
}

static bool write_file(const char *directory, const char *name, const char *text)
{
    char path[PATHS + 32];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *stream = fopen(path, "wxe");
    const bool written = stream && fputs(text, stream) >= 0;
    return stream && fclose(stream) == 0 && written;
}

static bool write_text(const struct child *child, const char *text)
{
    static const char *const names[] = {"kernel.cl", "scenario.yaml", "test.litmus"};
    return write_file(child->directory, names[serve_kind_of(text)], text) &&
           write_file(child->directory, "report", "");
}

/* At most `most` bytes of a regular file; malloc'd, NULL: it cannot be read. */
static char *read_file(const char *directory, const char *name, size_t most, size_t *out_size, bool *out_cut)
{
    char path[PATHS + 32];
    struct stat what;
    snprintf(path, sizeof path, "%s/%s", directory, name);
    const int descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (descriptor < 0)
        return NULL;
    FILE *stream = fstat(descriptor, &what) == 0 && S_ISREG(what.st_mode) ? fdopen(descriptor, "r") : NULL;
    if (!stream) {
        close(descriptor);
        return NULL;
    }
    *out_cut = (size_t)what.st_size > most;
    const size_t size = *out_cut ? most : (size_t)what.st_size;
    char *text = malloc(size + 1);
    *out_size = text ? fread(text, 1, size, stream) : 0;
    if (text)
        text[*out_size] = '\0';
    fclose(stream);
    return text;
}

void serve_remove(const char *directory)
{
    char *const roots[] = {(char *)(uintptr_t)directory, NULL};
    FTS *tree = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR | FTS_NOSTAT, NULL);
    for (FTSENT *entry; tree && (entry = fts_read(tree));) {
        if (entry->fts_info == FTS_DP)
            rmdir(entry->fts_path);
        else if (entry->fts_info != FTS_D)
            unlink(entry->fts_path);
    }
    if (tree)
        fts_close(tree);
}

/* ---- the child ------------------------------------------------------------------------------- */

static void limit(__rlimit_resource_t what, rlim_t most)
{
    const struct rlimit both = {most, most};
    setrlimit(what, &both);
}

static void set_limits(unsigned seconds)
{
#ifndef ORRERY_LOOPING /* sanitizers reserve terabytes of address space */
    limit(RLIMIT_AS, (rlim_t)8 << 30);
#endif
    limit(RLIMIT_FSIZE, SERVE_OUTPUT_BYTES);
    limit(RLIMIT_CPU, 4 * (rlim_t)seconds + 10);
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_NOFILE, 256);
}

/* Makes system calls only, because other threads may have held locks at the fork. */
_Noreturn static void become(const struct child *child, unsigned seconds, pid_t parent)
{
    sigset_t none;
    sigemptyset(&none);
    setsid();
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent || chdir(child->directory) != 0)
        _exit(EXIT_FAILED);
    const int report = open("report", O_WRONLY | O_APPEND), nothing = open("/dev/null", O_RDONLY);
    if (report < 0 || nothing < 0)
        _exit(EXIT_FAILED);
    if (dup2(nothing, 0) < 0 || dup2(report, 1) < 0 || dup2(report, 2) < 0)
        _exit(EXIT_FAILED);
    if (child->sandbox >= 0 && !sandbox_enter(child->sandbox))
        _exit(EXIT_FAILED);
    close_range(3, ~0U, 0);
    set_limits(seconds);
    signal(SIGPIPE, SIG_DFL);
    sigprocmask(SIG_SETMASK, &none, NULL);
    execve(child->own, child->words, child->environment);
    _exit(EXIT_NOT_FOUND);
}

static int64_t now_ms(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

/* What ended the wait: the child, the client or server (GONE), or the time. */
static enum serve_end wait_until(const struct child *child, const struct serve_request *request,
                                 int64_t end_ms)
{
    struct pollfd files[] = {{.fd = child->ended, .events = POLLIN},
                             {.fd = request->stop, .events = POLLIN},
                             {.fd = request->client, .events = POLLRDHUP}};
    for (;;) {
        const int64_t left = end_ms - now_ms();
        if (left <= 0)
            return SERVE_TIMED_OUT;
        if (poll(files, 3, (int)left) < 0 && errno != EINTR)
            return SERVE_FAILED;
        if (files[0].revents)
            return SERVE_ENDED;
        if (files[1].revents || files[2].revents)
            return SERVE_GONE;
    }
}

/* At its time limit a run is interrupted first, so that the report says where each work-group is. */
static enum serve_end wait_for_end(const struct child *child, const struct serve_request *request)
{
    enum serve_end end = wait_until(child, request, now_ms() + 1000 * (int64_t)request->seconds);
    if (end == SERVE_TIMED_OUT) {
        kill(child->process, SIGINT);
        if (wait_until(child, request, now_ms() + GRACE_MS) == SERVE_GONE)
            end = SERVE_GONE;
    }
    return end;
}

static void start_and_wait(struct child *child, const struct serve_request *request,
                           struct serve_result *result)
{
    int status = 0;
    const pid_t parent = getpid();
    child->process = fork();
    if (child->process == 0)
        become(child, request->seconds, parent);
    if (child->process < 0)
        return;
    child->ended = (int)syscall(SYS_pidfd_open, child->process, 0);
    result->end = child->ended < 0 ? SERVE_FAILED : wait_for_end(child, request);
    /* the child and its compilers; if it has ended, its remaining processes */
    kill(-child->process, SIGKILL);
    kill(child->process, SIGKILL);
    while (waitpid(child->process, &status, 0) < 0 && errno == EINTR)
        ;
    if (child->ended >= 0)
        close(child->ended);
    result->status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static void read_results(const struct child *child, struct serve_result *result)
{
    bool cut = false;
    result->report =
        read_file(child->directory, "report", SERVE_REPORT_BYTES, &result->report_size, &result->report_cut);
    result->page = read_file(child->directory, "page.html", SERVE_OUTPUT_BYTES, &result->page_size, &cut);
    if (result->page && !begins(result->page, PAGE_MAGIC)) {
        free(result->page);
        result->page = NULL;
    }
}

void serve_run(const struct serve_request *request, struct serve_result *out_result)
{
    struct child child = {.sandbox = -1, .ended = -1};
    *out_result = (struct serve_result){.end = SERVE_FAILED};
    snprintf(child.directory, sizeof child.directory, "%s/run-XXXXXX", request->directory);
    const ssize_t length = readlink("/proc/self/exe", child.own, sizeof child.own - 1);
    if (length <= 0 || !mkdtemp(child.directory))
        return;
    make_words(&child, request);
    make_environment(&child);
    child.sandbox = sandbox_new(child.directory);
    if (write_text(&child, request->text) && (child.sandbox >= 0 || !sandbox_available()))
        start_and_wait(&child, request, out_result);
    if (out_result->end == SERVE_ENDED || out_result->end == SERVE_TIMED_OUT)
        read_results(&child, out_result);
    if (child.sandbox >= 0)
        close(child.sandbox);
    serve_remove(child.directory);
    for (size_t i = 0; i < child.word_count; i++)
        free(child.words[i]);
    for (size_t i = 0; i < child.environment_count; i++)
        free(child.environment[i]);
}

void serve_result_fini(struct serve_result *result)
{
    free(result->report);
    free(result->page);
}
