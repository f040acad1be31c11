/* SPDX-License-Identifier: Apache-2.0 */
/*
 * orrery-compile-server HOST: holds clang and the translator loaded for the library of process HOST, and
 * forks for each build that arrives on descriptor 0 (compile_protocol.h). It ends when the host does; its
 * builds end with it.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/frontend/child_setup.h"
#include "sim/frontend/compile_protocol.h"
#include "clang_tools.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

/* Descriptors of the server itself: above all that a build places, and below those of messages. */
enum { CONTROL = 16, CHILDREN, HOST, OWN_END };

/* A build that runs. */
struct build {
    pid_t process;
    int replies;
    /* shared with the process: how many of its tools have ended, and what these used */
    struct progress {
        uint32_t ended;
        struct child_usage usage;
    } * progress;
};

static struct server {
    struct build *builds;
    struct pollfd *polled; /* the server's own, then a row for each build */
    size_t count, capacity;
    int host; /* readable when the host has ended; -1: Linux before 5.3, the connection's end has to do */
} server = {.host = -1};

enum { POLLED_OWN = 3 };

/* ---- replies ------------------------------------------------------------------------------ */

static void reply(int pipe_end, struct compile_reply reply)
{
    reply.magic = COMPILE_PROTOCOL_MAGIC;
    while (write(pipe_end, &reply, sizeof reply) < 0 && errno == EINTR)
        ;
}

static void reply_ended(int pipe_end, int status, struct child_usage usage)
{
    reply(pipe_end,
          (struct compile_reply){
              .kind = COMPILE_ENDED, .status = status, .seconds = usage.seconds, .bytes = usage.bytes});
}

/* ---- the child: one build ------------------------------------------------------------------ */

struct request {
    struct compile_order order;
    int files[COMPILE_FILES_MOST];
    size_t file_count;
    char *words;            /* of all tools */
    const char **arguments; /* the same, as pointers */
};

static size_t argument_count(const struct compile_order *order)
{
    size_t count = 0;
    for (uint32_t i = 0; i < order->tool_count; i++)
        count += order->tools[i].argument_count;
    return count;
}

/* The order of COMPILE_OUTPUT, COMPILE_ERROR and COMPILE_EXTRA is that of the descriptors. */
static bool place_streams(const struct request *request, uint32_t tool)
{
    const int *files = request->files + COMPILE_FILES_SHARED + tool * COMPILE_FILES_OF_TOOL;
    const int input = tool ? files[-COMPILE_FILES_OF_TOOL] : request->files[COMPILE_INPUT];
    bool placed = dup2(input, 0) >= 0 && lseek(0, 0, SEEK_SET) == 0;
    for (int i = 0; i < COMPILE_FILES_OF_TOOL; i++)
        placed = placed && dup2(files[i], i + 1) >= 0;
    return placed;
}

/*
 * The memory of a build is mapped in one piece: a page at a time costs a fifth of a small program. Without
 * the call (Linux before 5.14) the pages are mapped when they are touched.
 */
static void memory_prepare(void)
{
    enum { GROWTH = 8 << 20, USED = 4 << 20, LARGE = 1 << 16 };
    char *before = sbrk(0);
    mallopt(M_TOP_PAD, GROWTH);
    free(malloc(LARGE));
    if (before != (char *)-1 && (char *)sbrk(0) - before >= USED)
        madvise((void *)(((uintptr_t)before + 4095) & ~(uintptr_t)4095), USED, MADV_POPULATE_WRITE);
}

static _Noreturn void build(const struct request *request, struct progress *progress, pid_t parent)
{
    const struct compile_order *order = &request->order;
    const struct process_limits limits = {order->seconds, order->bytes};
    const char **arguments = request->arguments;
    int status = 127;
    reply(request->files[COMPILE_REPLIES],
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

/* ---- requests ------------------------------------------------------------------------------ */

static void request_close(struct request *request)
{
    for (size_t i = 0; i < request->file_count; i++)
        close(request->files[i]);
    free(request->words);
    free(request->arguments);
}

/* False: the host has gone. A message that is no order leaves file_count 0. */
static bool receive(struct request *request)
{
    union {
        char bytes[CMSG_SPACE(sizeof(int) * COMPILE_FILES_MOST)];
        struct cmsghdr aligned;
    } control;
    struct iovec part = {&request->order, sizeof request->order};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    *request = (struct request){.file_count = 0};
    const ssize_t size = recvmsg(CONTROL, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
    if (size <= 0)
        return size < 0 && (errno == EINTR || errno == EAGAIN);
    const struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    if (header && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS) {
        request->file_count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        memcpy(request->files, CMSG_DATA(header), request->file_count * sizeof(int));
    }
    if (size != (ssize_t)sizeof request->order || (message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)))
        request->order.magic = 0;
    return true;
}

static bool is_order(const struct request *request)
{
    const struct compile_order *order = &request->order;
    return order->magic == COMPILE_PROTOCOL_MAGIC &&
           memcmp(order->revision, compile_revision, sizeof order->revision) == 0 && order->tool_count >= 1 &&
           order->tool_count <= COMPILE_TOOL_COUNT &&
           request->file_count == COMPILE_FILES_SHARED + order->tool_count * COMPILE_FILES_OF_TOOL;
}

static bool read_arguments(struct request *request)
{
    const int file = request->files[COMPILE_ARGUMENTS];
    const size_t count = argument_count(&request->order);
    const off_t size = lseek(file, 0, SEEK_END);
    if (size <= 0 || count > (size_t)size)
        return false;
    request->words = malloc((size_t)size);
    request->arguments = calloc(count + 1, sizeof *request->arguments);
    if (!request->words || !request->arguments || pread(file, request->words, (size_t)size, 0) != size ||
        request->words[size - 1] != '\0')
        return false;
    const char *at = request->words, *end = request->words + size;
    for (size_t i = 0; i < count; i++) {
        if (at == end)
            return false;
        request->arguments[i] = at;
        at += strlen(at) + 1;
    }
    return at == end;
}

static bool is_accepted(const struct request *request)
{
    const struct compile_order *order = &request->order;
    const char *const *arguments = request->arguments;
    for (uint32_t i = 0; i < order->tool_count; i++) {
        const int count = (int)order->tools[i].argument_count;
        if (!tool_accepts((enum compile_tool)order->tools[i].tool, count, arguments))
            return false;
        arguments += count;
    }
    return true;
}

/* ---- builds -------------------------------------------------------------------------------- */

static bool make_room(void)
{
    const size_t wanted = server.count + 1;
    if (wanted <= server.capacity)
        return true;
    struct build *builds = realloc(server.builds, 2 * wanted * sizeof *builds);
    if (!builds)
        return false;
    server.builds = builds;
    struct pollfd *polled = realloc(server.polled, (POLLED_OWN + 2 * wanted) * sizeof *polled);
    if (!polled)
        return false;
    server.polled = polled;
    server.capacity = 2 * wanted;
    return true;
}

/* False: no process could be made. */
static bool start(const struct request *request)
{
    struct build made = {.replies = fcntl(request->files[COMPILE_REPLIES], F_DUPFD_CLOEXEC, OWN_END),
                         .progress = mmap(NULL, sizeof *made.progress, PROT_READ | PROT_WRITE,
                                          MAP_SHARED | MAP_ANONYMOUS, -1, 0)};
    const pid_t parent = getpid();
    if (made.replies < 0 || made.progress == MAP_FAILED || !make_room())
        goto failed;
    if ((made.process = fork()) == 0)
        build(request, made.progress, parent);
    if (made.process < 0)
        goto failed;
    server.builds[server.count++] = made;
    return true;
failed:
    if (made.replies >= 0)
        close(made.replies);
    if (made.progress != MAP_FAILED)
        munmap(made.progress, sizeof *made.progress);
    return false;
}

static bool serve(void)
{
    struct request request;
    const bool here = receive(&request);
    if (here && request.file_count) {
        const bool good = is_order(&request) && read_arguments(&request) && is_accepted(&request);
        if (!good || !start(&request))
            reply(request.files[COMPILE_REPLIES], (struct compile_reply){.kind = COMPILE_REFUSED});
    }
    request_close(&request);
    return here;
}

static void forget(size_t index)
{
    struct build *build = &server.builds[index];
    munmap(build->progress, sizeof *build->progress);
    close(build->replies);
    *build = server.builds[--server.count];
}

/* The tool that was running last is the one that ended so. */
static void ended(pid_t process, int status, const struct rusage *usage)
{
    for (size_t i = 0; i < server.count; i++) {
        const struct build *build = &server.builds[i];
        struct child_usage used = child_usage_of(usage);
        if (build->process != process)
            continue;
        used.seconds -= build->progress->usage.seconds;
        reply_ended(build->replies, status, used);
        forget(i);
        return;
    }
}

static void reap(void)
{
    struct signalfd_siginfo information;
    struct rusage usage;
    int status;
    pid_t process;
    while (read(CHILDREN, &information, sizeof information) > 0)
        ;
    while ((process = wait4(-1, &status, WNOHANG, &usage)) > 0)
        ended(process, status, &usage);
}

/* The host has closed its end of a build's pipe: it gave the build up. */
static void kill_those_given_up(void)
{
    for (size_t i = 0; i < server.count; i++)
        if (server.polled[POLLED_OWN + i].revents & (POLLERR | POLLHUP | POLLNVAL))
            kill(server.builds[i].process, SIGKILL);
}

static void wait_for_work(void)
{
    const int own[POLLED_OWN] = {CONTROL, CHILDREN, server.host};
    for (size_t i = 0; i < POLLED_OWN; i++)
        server.polled[i] = (struct pollfd){.fd = own[i], .events = POLLIN};
    for (size_t i = 0; i < server.count; i++)
        server.polled[POLLED_OWN + i] = (struct pollfd){.fd = server.builds[i].replies};
    if (poll(server.polled, POLLED_OWN + server.count, -1) < 0)
        for (size_t i = 0; i < POLLED_OWN + server.count; i++)
            server.polled[i].revents = 0;
}

/* ---- start --------------------------------------------------------------------------------- */

/* Descriptors that the host had open and could not close itself. */
static void close_inherited(void)
{
    DIR *files = opendir("/proc/self/fd");
    for (struct dirent *file; files && (file = readdir(files));) {
        const int number = atoi(file->d_name);
        if (number > 2 && number != dirfd(files) && number != CONTROL)
            close(number);
    }
    if (files)
        closedir(files);
}

/* As clang's main function: its recursion counts on so much. */
static void stack_limit(void)
{
    struct rlimit limit;
    const rlim_t wanted = 8 << 20;
    if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >= wanted)
        return;
    limit.rlim_cur = limit.rlim_max == RLIM_INFINITY || limit.rlim_max > wanted ? wanted : limit.rlim_max;
    setrlimit(RLIMIT_STACK, &limit);
}

static bool start_server(const char *host)
{
    sigset_t child;
    const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (nothing < 0 || dup3(0, CONTROL, O_CLOEXEC) < 0 || dup2(nothing, 0) < 0)
        return false;
    close_inherited();
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child, NULL);
    const int children = signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
    const int process = (int)syscall(SYS_pidfd_open, (pid_t)atoi(host), 0);
    if (children < 0 || dup3(children, CHILDREN, O_CLOEXEC) < 0)
        return false;
    if (process >= 0)
        server.host = dup3(process, HOST, O_CLOEXEC);
    else if (errno != ENOSYS)
        return false;
    signal(SIGPIPE, SIG_IGN);
    stack_limit();
    return chdir("/") == 0 && make_room();
}

static void kill_all(void)
{
    for (size_t i = 0; i < server.count; i++)
        kill(server.builds[i].process, SIGKILL);
}

int main(int argc, char **argv)
{
    if (argc != 2 || !start_server(argv[1]))
        return 2;
    for (;;) {
        wait_for_work();
        kill_those_given_up();
        if (server.polled[2].revents & POLLIN)
            break;
        if (server.polled[1].revents)
            reap();
        else if (server.polled[0].revents && !serve())
            break;
    }
    kill_all();
    return 0;
}
