/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The debugger's engine runs in the program's own process; a session (tools/debug/session.c) is a client at
 * a socket. A session that started the program has the other end of an inherited socket, and the process
 * ends with it. Otherwise the program listens, a session attaches as a launch begins, and the program
 * continues after the session ends.
 */
#include "debug_session.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "debug_host.h"
#include "message_stream.h"
#include "orrery/debug_attach.h"
#include "orrery/debug_wire.h"

static struct {
    struct debugger *debugger;
    struct scenario *scenario;
    double timeout_seconds;
    int socket;   /* -1: no session */
    int listener; /* -1: a session started the program */
    pid_t owner;  /* the process that listens; forked children do not */
    char path[DEBUG_ATTACH_PATH];
} debug = {.socket = -1, .listener = -1};

/* ---- the session ends --------------------------------------------------------------------------- */

static void hang_up(void)
{
    close(debug.socket);
    debug.socket = -1;
    debug.scenario->schedule.timeout_seconds = debug.timeout_seconds;
}

static void go_on_if(bool there)
{
    if (there)
        return;
    if (debug.listener < 0)
        _exit(0);
    hang_up();
    debugger_detach(debug.debugger);
}

static void stopped(void *self, struct debugger *debugger, json_t *stop)
{
    (void)self;
    go_on_if(debug_wire_stop(debug.socket, debugger, stop));
}

/* A forked copy would lack the program's other threads, so the engine gets none. */
static void no_copy(void *self, struct debugger *debugger, uint64_t position)
{
    (void)self;
    (void)debugger;
    (void)position;
}

/* If the session has ended, the next stop or launch notices. */
static void print(void *self, uint64_t position, const char *text, bool of_log_point)
{
    (void)self;
    if (debug.socket >= 0)
        debug_wire_print(debug.socket, position, text, of_log_point);
}

static void on_signal(int number)
{
    (void)number;
    if (debug.socket >= 0)
        debugger_interrupt(debug.debugger);
}

/* ---- the session attaches -------------------------------------------------------------------------- */

static bool has_gone(void)
{
    char byte;
    const ssize_t got = recv(debug.socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    return got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR);
}

static bool attached(void *self)
{
    (void)self;
    if (debug.owner != getpid())
        return false;
    if (debug.socket >= 0 && has_gone())
        hang_up();
    if (debug.socket < 0)
        debug.socket = debug_attach_accept(debug.listener);
    if (debug.socket >= 0)
        debug.scenario->schedule.timeout_seconds = 0; /* the user may stop for any time */
    return debug.socket >= 0;
}

static bool start_engine(struct report *report, const struct debugger_host *host)
{
    debug.debugger = debugger_new(host, report);
    if (!debug.debugger)
        return false;
    debug_host_watch();
    debugger_attend(debug.debugger, debug.scenario);
    signal(DEBUG_SIGNAL, on_signal);
    return true;
}

static void say_where(const struct diagnosis *diagnosis)
{
    if (debug.listener < 0)
        fprintf(message_stream(), "orrery: warning: no debugger can attach: %s\n", diagnosis->text);
    else
        fprintf(message_stream(),
                "orrery: note: a debugger can attach at a launch: orrery debug --attach=%s\n", debug.path);
}

static void listen_at(const char *where, struct report *report)
{
    const struct debugger_host host = {.stopped = stopped,
                                       .checkpoint = no_copy,
                                       .print = print,
                                       .attached = attached,
                                       .enqueued = debug_host_enqueued,
                                       .program = debug_host_program};
    struct diagnosis diagnosis = {0};
    const bool given = where[0] == '/';
    const char *directory = secure_getenv("XDG_RUNTIME_DIR");
    const bool fine = given || debug_attach_path(directory, getpid(), true, debug.path, &diagnosis);
    debug.listener = fine ? debug_attach_listen(given ? where : debug.path, &diagnosis) : -1;
    if (given && debug.listener >= 0)
        strcpy(debug.path, where); /* a socket was bound to the name, so it fits */
    say_where(&diagnosis);
    if (debug.listener < 0 || !start_engine(report, &host))
        return;
    debug.owner = getpid();
    debugger_wait(debug.debugger);
}

/* ---- life ---------------------------------------------------------------------------------------- */

static void obey(const char *socket, struct report *report)
{
    const struct debugger_host host = {.stopped = stopped,
                                       .checkpoint = no_copy,
                                       .print = print,
                                       .enqueued = debug_host_enqueued,
                                       .program = debug_host_program};
    debug.socket = (int)strtol(socket, NULL, 10);
    unsetenv(DEBUG_SOCKET_VARIABLE); /* not for programs that this one starts */
    if (!start_engine(report, &host))
        return;
    debug.scenario->schedule.timeout_seconds = 0; /* the user may stop for any time */
    debugger_begin(debug.debugger);
}

void debug_begin(struct scenario *scenario, struct report *report)
{
    const char *socket = secure_getenv(DEBUG_SOCKET_VARIABLE),
               *listens = secure_getenv(DEBUG_LISTEN_VARIABLE);
    debug.scenario = scenario;
    debug.timeout_seconds = scenario->schedule.timeout_seconds;
    if (socket && *socket)
        obey(socket, report);
    else if (listens && *listens)
        listen_at(listens, report);
}

void debug_end(int status)
{
    if (debug.listener >= 0 && debug.owner == getpid())
        unlink(debug.path);
    if (debug.debugger && debug.socket >= 0)
        debugger_end(debug.debugger, "", status > 0 ? status : 0);
}
