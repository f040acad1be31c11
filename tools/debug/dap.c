/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The Debug Adapter Protocol's loop and table of requests: one row a request, one function a row;
 * dap_adapter.h says in which file each is. A request that resumes the run gets its response first. Then
 * the run continues, and its stop is an event. During the run "pause", "threads", "cancel" and requests that
 * end the session are answered at once; others wait for the stop.
 */
#include "dap.h"

#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dap_adapter.h"
#include "tools/tools.h"

json_t *dap_fail(struct dap *dap, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(dap->error, sizeof dap->error, format, arguments);
    va_end(arguments);
    return NULL;
}

void dap_event(struct dap *dap, const char *name, json_t *body)
{
    dap_wire_write(&dap->wire, json_pack("{s:s,s:s,s:o}", "type", "event", "event", name, "body",
                                         dap_to_client(dap, body ? body : json_object())));
}

void dap_print_output(void *self, const char *text)
{
    dap_event(self, "output", json_pack("{s:s,s:s}", "category", "stdout", "output", text));
}

/* Takes the engine's reply. Returns it, or NULL if the engine refused. */
json_t *dap_accepted(struct dap *dap, json_t *answer)
{
    const char *error = TEXT(answer, "error");
    if (!error)
        return answer;
    dap_fail(dap, "%s", error);
    json_decref(answer);
    return NULL;
}

json_t *dap_query(struct dap *dap, json_t *wanted)
{
    if (dap->session)
        return dap_accepted(dap, session_request(dap->session, wanted));
    json_decref(wanted);
    return dap_fail(dap, "nothing is launched");
}

static const struct {
    const char *command;
    dap_request *answer;
} rows[] = {
    {"initialize", dap_initialize},
    {"launch", dap_launch},
    {"attach", dap_attach},
    {"configurationDone", dap_configuration_done},
    {"disconnect", dap_disconnect},
    {"terminate", dap_terminate},
    {"restart", dap_restart},
    {"continue", dap_continue},
    {"next", dap_next},
    {"stepIn", dap_step_in},
    {"stepOut", dap_step_out},
    {"stepBack", dap_step_back},
    {"reverseContinue", dap_reverse_continue},
    {"restartFrame", dap_restart_frame},
    {"pause", dap_pause},
    {"cancel", dap_cancel},
    {"setBreakpoints", dap_set_breakpoints},
    {"breakpointLocations", dap_breakpoint_locations},
    {"setFunctionBreakpoints", dap_set_function_breakpoints},
    {"setExceptionBreakpoints", dap_set_exception_breakpoints},
    {"exceptionInfo", dap_exception_info},
    {"dataBreakpointInfo", dap_data_breakpoint_info},
    {"setDataBreakpoints", dap_set_data_breakpoints},
    {"threads", dap_threads},
    {"stackTrace", dap_stack_trace},
    {"scopes", dap_scopes},
    {"variables", dap_variables},
    {"evaluate", dap_evaluate},
    {"completions", dap_completions},
    {"setVariable", dap_set_variable},
    {"setExpression", dap_set_expression},
    {"readMemory", dap_read_memory},
    {"writeMemory", dap_write_memory},
    {"disassemble", dap_disassemble},
    {"source", dap_source},
    {"loadedSources", dap_loaded_sources},
    {"modules", dap_modules},
    {"orrery/goto", dap_goto_position},
    {"orrery/host", dap_host},
    {"orrery/lanes", dap_lanes},
    {"orrery/focus", dap_focus},
    {"orrery/hash", dap_hash},
    {"orrery/lastAccess", dap_last_access},
    {"orrery/why", dap_why},
    {"orrery/mayRead", dap_may_read},
    {"orrery/schedule", dap_schedule},
    {"orrery/clocks", dap_clocks},
};

static void respond(struct dap *dap, const json_t *message, json_t *body)
{
    json_t *response =
        json_pack("{s:s,s:I,s:s,s:b}", "type", "response", "request_seq", NUMBER(message, "seq"), "command",
                  TEXT(message, "command") ? TEXT(message, "command") : "", "success", body != NULL);
    if (!body) {
        json_object_set_new(response, "message", json_string(dap->error));
        body = json_pack("{s:{s:i,s:s,s:b}}", "error", "id", 1, "format", dap->error, "showUser", true);
    }
    json_object_set_new(response, "body", dap_to_client(dap, body));
    dap_wire_write(&dap->wire, response);
}

static void answer(struct dap *dap, const json_t *message)
{
    const char *command = TEXT(message, "command");
    json_t *body = NULL;
    bool known = false;
    dap->error[0] = '\0';
    dap_from_client(dap, json_object_get(message, "arguments"));
    if (dap->session && !dap->runs)
        session_begin_command(dap->session);
    for (size_t i = 0; command && i < sizeof rows / sizeof *rows && !known; i++) {
        known = !strcmp(rows[i].command, command);
        if (known)
            body = rows[i].answer(dap, json_object_get(message, "arguments"));
    }
    if (!known)
        dap_fail(dap, "found request '%s', which is not supported", command ? command : "");
    const bool launched = body && command && (!strcmp(command, "launch") || !strcmp(command, "attach"));
    respond(dap, message, body);
    if (launched)
        dap_event(dap, "initialized", NULL);
    if (dap->moved)
        dap_announce_stop(dap, json_incref(dap->stop));
    dap->moved = false;
    while (dap->resume && !dap->quits)
        dap_resume_now(dap);
}

/* An attached process may run for long without a kernel, so the adapter leaves without a stop. */
static bool leave(struct dap *dap, json_t *message)
{
    respond(dap, message, json_object());
    json_decref(message);
    dap->quits = true;
    return false;
}

/* The request that waits with that number is answered as cancelled. False: none waits. */
static bool cancel_waiting(struct dap *dap, json_int_t number)
{
    for (size_t i = 0; number && i < json_array_size(dap->waiting); i++) {
        json_t *message = json_array_get(dap->waiting, i);
        if (NUMBER(message, "seq") != number)
            continue;
        dap_fail(dap, "cancelled");
        respond(dap, message, NULL);
        json_array_remove(dap->waiting, i);
        return true;
    }
    return false;
}

static void stop_soon(struct dap *dap)
{
    dap->paused = true;
    if (!dap->progress.title)
        dap_begin_progress(dap, "Stopping");
    session_interrupt(dap->session);
}

void dap_answer_waiting(struct dap *dap)
{
    dap->peeks = false;
    for (size_t i = 0; i < json_array_size(dap->waiting) && !dap->quits;) {
        json_t *message = json_incref(json_array_get(dap->waiting, i));
        if (dap_sets_breakpoints(TEXT(message, "command"))) {
            json_array_remove(dap->waiting, i);
            answer(dap, message);
        } else {
            i++;
        }
        json_decref(message);
    }
}

/* Requests that concern the run are answered at once. For those that set breakpoints it stops, and continues.
 * Others wait for the stop. Takes the message. False: the client leaves. */
static bool take_while_running(struct dap *dap, json_t *message)
{
    const char *command = TEXT(message, "command") ? TEXT(message, "command") : "";
    const bool ends = !strcmp(command, "disconnect") || !strcmp(command, "terminate"),
               cancels = !strcmp(command, "cancel");
    if (ends && session_attached(dap->session))
        return leave(dap, message);
    if (ends || !strcmp(command, "pause") ||
        (cancels && !cancel_waiting(dap, NUMBER(json_object_get(message, "arguments"), "requestId"))))
        stop_soon(dap);
    if (!strcmp(command, "pause") || cancels) {
        respond(dap, message, json_object());
    } else if (!strcmp(command, "threads")) {
        respond(dap, message, dap_known_threads(dap));
    } else {
        json_array_append(dap->waiting, message);
        if (dap_sets_breakpoints(command) && dap->runs) {
            dap->peeks = true;
            session_interrupt(dap->session);
        }
    }
    json_decref(message);
    return true;
}

bool dap_wait_for_run(void *self, int fd)
{
    struct dap *dap = self;
    for (;;) {
        dap_note_progress(dap);
        struct pollfd fds[2] = {{fd, POLLIN, 0}, {dap->wire.in, POLLIN, 0}};
        const bool pending = dap_wire_pending(&dap->wire);
        if (!pending && poll(fds, 2, 200) <= 0)
            return true;
        if (!pending && fds[0].revents)
            return true;
        json_t *message = dap_wire_read(&dap->wire);
        if (!message) {
            dap->quits = true;
            return false;
        }
        if (!take_while_running(dap, message))
            return false;
    }
}

/* A message that is no request gets no response: it may have no number. */
static void complain(struct dap *dap, const json_t *message)
{
    const char *type = TEXT(message, "type");
    char text[160];
    if (type && strcmp(type, "request") != 0)
        return;
    snprintf(text, sizeof text, "orrery: found a message that is no request of the Debug Adapter Protocol\n");
    dap_event(dap, "output", json_pack("{s:s,s:s}", "category", "stderr", "output", text));
}

static void serve(struct dap *dap)
{
    while (!dap->quits && !dap->wire.closed) {
        json_t *message;
        if (json_array_size(dap->waiting)) {
            message = json_incref(json_array_get(dap->waiting, 0));
            json_array_remove(dap->waiting, 0);
        } else {
            message = dap_wire_read(&dap->wire);
        }
        if (!message)
            return;
        if (TEXT(message, "type") && !strcmp(TEXT(message, "type"), "request"))
            answer(dap, message);
        else
            complain(dap, message);
        json_decref(message);
    }
}

static void dap_fini(struct dap *dap)
{
    session_free(dap->session);
    if (dap->loaded)
        scenario_fini(&dap->scenario);
    for (char **word = dap->command; word && *word; word++)
        free(*word);
    free(dap->command);
    terminal_fini(&dap->terminal);
    dap_handles_clear(dap);
    free(dap->handles);
    for (int i = 0; i < 4; i++)
        json_decref(dap->points[i]);
    json_decref(dap->waiting);
    json_decref(dap->texts);
    json_decref(dap->threads);
    json_decref(dap->verified);
    json_decref(dap->stop);
    json_decref(dap->resume);
    json_decref(dap->sources);
    dap_wire_fini(&dap->wire);
}

int dap_run(const struct settings *settings, const char *port)
{
    struct dap dap = {.settings = *settings,
                      .own_settings = settings->count,
                      .texts = json_array(),
                      .wire = {.in = STDIN_FILENO, .out = STDOUT_FILENO},
                      .waiting = json_array(),
                      .sources = json_array(),
                      .verified = json_object(),
                      /* the conclusion of the run is an event, not a verb's text */
                      .terminal = {.points = json_array(), .next_display = 1, .concluded = true}};
    signal(SIGPIPE, SIG_IGN);
    signal(SIGINT, SIG_IGN);
    for (int i = 0; i < 4; i++)
        dap.points[i] = json_array();
    if (port) {
        const int client = dap_wire_accept(port);
        if (client < 0) {
            dap_fini(&dap);
            return EXIT_FAILED;
        }
        dap.wire.in = dap.wire.out = client;
    }
    serve(&dap);
    dap_fini(&dap);
    return 0;
}
