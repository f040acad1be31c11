/* SPDX-License-Identifier: Apache-2.0 */
/* A debugger that started this program: its engine is here, the session at the other end of the socket that
 * it left open. */
#include "debug_session.h"

#include <signal.h>
#include <stdlib.h>

#include "orrery/debug_wire.h"

static struct {
    struct debugger *debugger;
    int socket;
} debug;

static void stopped(void *self, struct debugger *debugger, json_t *stop)
{
    (void)self;
    debug_wire_stop(debug.socket, debugger, stop);
}

/* Threads of the program would not be in a copy. */
static void no_copy(void *self, struct debugger *debugger, uint64_t position)
{
    (void)self;
    (void)debugger;
    (void)position;
}

static void print(void *self, uint64_t position, const char *text, bool of_log_point)
{
    (void)self;
    debug_wire_print(debug.socket, position, text, of_log_point);
}

static void on_signal(int number)
{
    (void)number;
    debugger_interrupt(debug.debugger);
}

void debug_begin(struct scenario *scenario, struct report *report)
{
    const char *socket = secure_getenv(DEBUG_SOCKET_VARIABLE);
    const struct debugger_host host = {.stopped = stopped, .checkpoint = no_copy, .print = print};
    if (!socket || !*socket)
        return;
    debug.socket = (int)strtol(socket, NULL, 10);
    debug.debugger = debugger_new(&host, report);
    unsetenv(DEBUG_SOCKET_VARIABLE); /* not for programs that this one starts */
    if (!debug.debugger)
        return;
    scenario->debug = debugger_hook(debug.debugger);
    scenario->schedule.timeout_seconds = 0; /* time passes while the user thinks */
    signal(DEBUG_SIGNAL, on_signal);
    debugger_begin(debug.debugger);
}

void debug_end(int status)
{
    if (debug.debugger)
        debugger_end(debug.debugger, "", status > 0 ? status : 0);
}
