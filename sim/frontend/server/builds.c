/* SPDX-License-Identifier: Apache-2.0 */
/* Builds as processes. Each build is a fork of the server, with the client's descriptors as its streams and
 * the client's limits. A page that both processes share counts the tools that have ended, so that a reply
 * can name the tool at which the process died. Invariant: an entry of the list is a process that was not
 * reaped yet. */
#include "builds.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/frontend/child_setup.h"
#include "clang_tools.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

struct running_build {
    pid_t process;
    int replies;
    /* readable when the client has ended; -1: Linux before 5.3, or the client is the server's host */
    int client;
    /* shared with the process: the number of tools that have ended, and what they used */
    struct build_progress {
        uint32_t ended;
        struct child_usage usage;
    } * progress;
};

/* ---- replies ------------------------------------------------------------------------------ */

void builds_reply(int pipe_end, struct compile_reply builds_reply)
{
    builds_reply.magic = COMPILE_PROTOCOL_MAGIC;
    while (write(pipe_end, &builds_reply, sizeof builds_reply) < 0 && errno == EINTR)
        ;
}

static void reply_ended(int pipe_end, int status, struct child_usage usage)
{
    builds_reply(pipe_end, (struct compile_reply){.kind = COMPILE_ENDED,
                                                  .status = status,
                                                  .seconds = usage.seconds,
                                                  .bytes = usage.bytes});
}

/* ---- the child: one build ------------------------------------------------------------------ */

/* COMPILE_OUTPUT, COMPILE_ERROR and COMPILE_EXTRA are in the order of the descriptors. */
static bool place_streams(const struct server_request *request, uint32_t tool)
{
    const int *files = request->files + COMPILE_FILES_SHARED + tool * COMPILE_FILES_OF_TOOL;
    const int input = tool ? files[-COMPILE_FILES_OF_TOOL] : request->files[COMPILE_INPUT];
    bool placed = dup2(input, 0) >= 0 && lseek(0, 0, SEEK_SET) == 0;
    for (int i = 0; i < COMPILE_FILES_OF_TOOL; i++)
        placed = placed && dup2(files[i], i + 1) >= 0;
    return placed;
}

/* Maps the memory of a build in one piece: page by page it costs a fifth of a small program. Without the
 * call (Linux before 5.14) pages are mapped when they are accessed. */
static void memory_prepare(void)
{
    enum { GROWTH = 8 << 20, USED = 4 << 20, LARGE = 1 << 16 };
    char *before = sbrk(0);
    mallopt(M_TOP_PAD, GROWTH);
    free(malloc(LARGE));
    if (before != (char *)-1 && (char *)sbrk(0) - before >= USED)
        madvise((void *)(((uintptr_t)before + 4095) & ~(uintptr_t)4095), USED, MADV_POPULATE_WRITE);
}

static _Noreturn void build(const struct server_request *request, struct build_progress *progress,
                            pid_t parent)
{
    const struct compile_order *order = &request->order;
    const struct process_limits limits = {order->seconds, order->bytes};
    const char **arguments = request->arguments;
    int status = 127;
    /* else a client would not notice the end of the server */
    syscall(SYS_close_range, (unsigned)CONTROL, ~0U, 0U);
    builds_reply(request->files[COMPILE_REPLIES],
                 (struct compile_reply){.kind = COMPILE_BEGUN, .process = getpid()});
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent ||
        fchdir(request->files[COMPILE_DIRECTORY]) != 0)
        _exit(127);
    child_signals_reset();
    memory_prepare();
    child_limits_set(&(struct process_limits){0, limits.bytes});
    for (uint32_t i = 0; i < order->tool_count; i++) {
        if (!place_streams(request, i))
            _exit(127);
        child_time_begin(&limits);
        status =
            tool_run((enum compile_tool)order->tools[i].tool, (int)order->tools[i].argument_count, arguments);
        arguments += order->tools[i].argument_count;
        if (status != 0 || i + 1 == order->tool_count)
            break;
        progress->usage = child_usage_now();
        reply_ended(request->files[COMPILE_REPLIES], 0, progress->usage);
        progress->ended = i + 1;
    }
    _exit(status);
}

/* ---- the server ---------------------------------------------------------------------------- */

bool builds_reserve(struct builds *builds)
{
    const size_t wanted = builds->count + 1;
    if (wanted <= builds->capacity)
        return true;
    struct running_build *items = realloc(builds->items, 2 * wanted * sizeof *items);
    if (!items)
        return false;
    builds->items = items;
    builds->capacity = 2 * wanted;
    return true;
}

/* False: the client has ended, or no descriptors are left. */
static bool watch(pid_t client, int *out_end)
{
    *out_end = -1;
    if (!client)
        return true;
    const int end = (int)syscall(SYS_pidfd_open, client, 0);
    if (end < 0)
        return errno == ENOSYS;
    *out_end = fcntl(end, F_DUPFD_CLOEXEC, OWN_END);
    close(end);
    return *out_end >= 0;
}

static void build_fini(struct running_build *build)
{
    if (build->progress != MAP_FAILED)
        munmap(build->progress, sizeof *build->progress);
    if (build->client >= 0)
        close(build->client);
    if (build->replies >= 0) /* closed last, so the client sees all else closed */
        close(build->replies);
}

bool builds_start(struct builds *builds, const struct server_request *request, pid_t client)
{
    struct running_build made = {.replies = fcntl(request->files[COMPILE_REPLIES], F_DUPFD_CLOEXEC, OWN_END),
                                 .progress = mmap(NULL, sizeof *made.progress, PROT_READ | PROT_WRITE,
                                                  MAP_SHARED | MAP_ANONYMOUS, -1, 0)};
    const pid_t parent = getpid();
    const bool ready = watch(client, &made.client) && made.replies >= 0 && made.progress != MAP_FAILED;
    if (ready && (made.process = fork()) == 0)
        build(request, made.progress, parent);
    if (!ready || made.process < 0) {
        build_fini(&made);
        return false;
    }
    builds->items[builds->count++] = made;
    return true;
}

void builds_poll(const struct builds *builds, struct pollfd *rows)
{
    for (size_t i = 0; i < builds->count; i++, rows += BUILDS_ROWS) {
        rows[0] = (struct pollfd){.fd = builds->items[i].replies};
        rows[1] = (struct pollfd){.fd = builds->items[i].client, .events = POLLIN};
    }
}

void builds_given_up(const struct builds *builds, const struct pollfd *rows)
{
    for (size_t i = 0; i < builds->count; i++, rows += BUILDS_ROWS)
        if ((rows[0].revents & (POLLERR | POLLHUP | POLLNVAL)) || rows[1].revents)
            kill(builds->items[i].process, SIGKILL);
}

/* The tool that was running last is reported as the one that ended. */
static void ended(struct builds *builds, pid_t process, int status, const struct rusage *usage)
{
    for (size_t i = 0; i < builds->count; i++) {
        struct running_build *build = &builds->items[i];
        struct child_usage used = child_usage_of(usage);
        if (build->process != process)
            continue;
        used.seconds -= build->progress->usage.seconds;
        reply_ended(build->replies, status, used);
        build_fini(build);
        *build = builds->items[--builds->count];
        return;
    }
}

void builds_reap(struct builds *builds)
{
    struct rusage usage;
    int status;
    pid_t process;
    while ((process = wait4(-1, &status, WNOHANG, &usage)) > 0)
        ended(builds, process, status, &usage);
}

void builds_kill(const struct builds *builds)
{
    for (size_t i = 0; i < builds->count; i++)
        kill(builds->items[i].process, SIGKILL);
}
