/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The Debug Adapter Protocol: one row per request. A request that resumes gets its response first; then the
 * run continues, and its stop is an event. While it runs, "pause" and requests that end the session are taken
 * at once, other requests wait for the stop.
 *
 * Threads are the work-items of the focused work-group, by 1 + global linear id, and its sub-groups. Frames
 * and variables are handles into tables that hold until the next stop. The place of an instruction is its
 * index.
 */
#include "dap.h"

#include <errno.h>
#include <inttypes.h>
#include <libgen.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "completions.h"
#include "dap_wire.h"
#include "session.h"
#include "terminal.h"
#include "tools/target.h"
#include "tools/tools.h"

#define TEXT(object, key) json_string_value(json_object_get(object, key))
#define NUMBER(object, key) json_integer_value(json_object_get(object, key))

enum handle_kind { HANDLE_FRAME, HANDLE_HOST_FRAME, HANDLE_SCOPE, HANDLE_VALUE, HANDLE_IDS };
struct handle {
    enum handle_kind kind;
    json_int_t thread;
    int frame;
    char *text;
    bool indexed;
};

struct dap {
    struct dap_wire wire;
    const struct settings *settings;
    struct scenario scenario;
    char **command; /* the target, when it is a program; NULL: a scenario that launches its kernels */
    bool loaded, quits, stops_on_entry, stops_at_end, configured, over;
    bool enters; /* the next step is the one to the first line */
    struct session *session;
    json_t *waiting; /* requests that arrived while it ran */
    json_t *stop;
    json_t *resume;    /* work after the response: {"how": ..., "plan": ...} */
    json_t *points[4]; /* by lines, functions, data, findings */
    json_int_t next_point;
    struct handle *handles;
    size_t handle_count, handle_room;
    json_t *sources;          /* names: sourceReference is 1 + index */
    struct terminal terminal; /* the verbs of the debug console */
    bool moved; /* one of them moved, or another work-item is in focus: announced after the response */
    struct {
        bool supported, shown;
        struct timespec began;
        long reported;     /* seconds */
        int number;        /* of the latest that was shown */
        const char *title; /* of what is under way; NULL: nothing that is to be shown */
    } progress;
    char error[512];
};

typedef json_t *request(struct dap *dap, const json_t *arguments); /* the body; NULL: error has the reason */

static json_t *fail(struct dap *dap, const char *format, ...) __attribute__((format(printf, 2, 3)));
static json_t *fail(struct dap *dap, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(dap->error, sizeof dap->error, format, arguments);
    va_end(arguments);
    return NULL;
}

static void event(struct dap *dap, const char *name, json_t *body)
{
    dap_wire_write(&dap->wire, json_pack("{s:s,s:s,s:o}", "type", "event", "event", name, "body",
                                         body ? body : json_object()));
}

static void output(void *self, const char *text)
{
    event(self, "output", json_pack("{s:s,s:s}", "category", "stdout", "output", text));
}

/* Takes the reply; NULL when the engine refused. */
static json_t *accepted(struct dap *dap, json_t *answer)
{
    const char *error = TEXT(answer, "error");
    if (!error)
        return answer;
    fail(dap, "%s", error);
    json_decref(answer);
    return NULL;
}

static json_t *query(struct dap *dap, json_t *wanted)
{
    if (dap->session)
        return accepted(dap, session_request(dap->session, wanted));
    json_decref(wanted);
    return fail(dap, "nothing is launched");
}

/* ---- handles
 * ----------------------------------------------------------------------------------------------- */

static void handles_clear(struct dap *dap)
{
    while (dap->handle_count)
        free(dap->handles[--dap->handle_count].text);
}

static json_int_t handle_new(struct dap *dap, const struct handle *handle)
{
    if (dap->handle_count == dap->handle_room) {
        dap->handle_room = dap->handle_room ? dap->handle_room * 2 : 64;
        struct handle *grown = realloc(dap->handles, dap->handle_room * sizeof *grown);
        if (!grown)
            tools_no_memory();
        dap->handles = grown;
    }
    dap->handles[dap->handle_count] = *handle;
    dap->handles[dap->handle_count].text = handle->text ? strdup(handle->text) : NULL;
    return (json_int_t)++dap->handle_count;
}

static const struct handle *handle_find(struct dap *dap, json_int_t number, const char *what)
{
    if (number > 0 && (size_t)number <= dap->handle_count)
        return &dap->handles[number - 1];
    fail(dap, "%s %" JSON_INTEGER_FORMAT " is not one of this stop's", what, number);
    return NULL;
}

/* Of a kernel: of the host program's call no variables are known. */
static const struct handle *frame_find(struct dap *dap, json_int_t number)
{
    const struct handle *found = handle_find(dap, number, "frameId");
    if (!found || found->kind != HANDLE_HOST_FRAME)
        return found;
    fail(dap, "this is the host program: its variables are not known");
    return NULL;
}

/* ---- sources
 * --------------------------------------------------------------------------------------------------- */

static char *path_of(const struct dap *dap, const char *name)
{
    const char *file = dap->scenario.program.source_file;
    char *copy = strdup(dap->scenario.file ? dap->scenario.file : ""), *path = NULL, *real = NULL;
    const char *slash = file ? strrchr(file, '/') : NULL;
    if (file && copy && !strcmp(slash ? slash + 1 : file, name) &&
        asprintf(&path, file[0] == '/' ? "%.0s%s" : "%s/%s", dirname(copy), file) >= 0)
        real = realpath(path, NULL);
    free(path);
    free(copy);
    return real;
}

static json_t *source_of(struct dap *dap, const char *name)
{
    char *path = path_of(dap, name);
    json_t *source = json_pack("{s:s}", "name", name);
    if (path) {
        json_object_set_new(source, "path", json_string(path));
        free(path);
        return source;
    }
    size_t i = 0;
    while (i < json_array_size(dap->sources) &&
           strcmp(json_string_value(json_array_get(dap->sources, i)), name))
        i++;
    if (i == json_array_size(dap->sources))
        json_array_append_new(dap->sources, json_string(name));
    json_object_set_new(source, "sourceReference", json_integer((json_int_t)i + 1));
    return source;
}

/* ---- threads
 * -------------------------------------------------------------------------------------------------------- */

/* A sub-group's id: this, and the number of its first work-item. */
static const json_int_t SUB_GROUPS = INT64_C(1) << 48;

static bool is_same_sub_group(const json_t *thread, const json_t *other)
{
    return NUMBER(thread, "sub_group") == NUMBER(other, "sub_group") &&
           json_equal(json_object_get(thread, "group"), json_object_get(other, "group"));
}

static bool is_active(const json_t *thread)
{
    return strncmp(TEXT(thread, "state"), "waits for", 9) != 0;
}

/* The work-item that stands for a thread: of a sub-group, the first that is active. */
static json_int_t item_of(struct dap *dap, json_int_t thread)
{
    if (thread < SUB_GROUPS)
        return thread;
    json_t *answer = query(dap, json_pack("{s:s}", "verb", "threads"));
    const json_t *list = json_object_get(answer, "threads"), *of = NULL;
    json_int_t item = thread - SUB_GROUPS;
    for (size_t i = 0; i < json_array_size(list) && !of; i++)
        if (NUMBER(json_array_get(list, i), "id") == item)
            of = json_array_get(list, i);
    for (size_t i = 0; of && i < json_array_size(list); i++) {
        const json_t *other = json_array_get(list, i);
        if (!is_same_sub_group(of, other) || !is_active(other))
            continue;
        item = NUMBER(other, "id");
        break;
    }
    json_decref(answer);
    return item;
}

/* ---- progress
 * ------------------------------------------------------------------------------------------------------- */

static void progress_event(struct dap *dap, const char *name, json_t *body)
{
    char id[24];
    snprintf(id, sizeof id, "back-%d", dap->progress.number);
    json_object_set_new(body, "progressId", json_string(id));
    event(dap, name, body);
}

static void begin_progress(struct dap *dap, const char *title)
{
    dap->progress.title = dap->progress.supported ? title : NULL;
    clock_gettime(CLOCK_MONOTONIC, &dap->progress.began);
}

/* Shown once it has taken a second, and then each second. */
static void note_progress(struct dap *dap)
{
    char text[40];
    struct timespec now;
    if (!dap->progress.title)
        return;
    clock_gettime(CLOCK_MONOTONIC, &now);
    const int64_t ms = (now.tv_sec - dap->progress.began.tv_sec) * INT64_C(1000) +
                       (now.tv_nsec - dap->progress.began.tv_nsec) / 1000000;
    const long seconds = (long)(ms / 1000);
    if (!seconds || (dap->progress.shown && seconds == dap->progress.reported))
        return;
    snprintf(text, sizeof text, "%ld s", seconds);
    dap->progress.reported = seconds;
    if (dap->progress.shown) {
        progress_event(dap, "progressUpdate", json_pack("{s:s}", "message", text));
        return;
    }
    dap->progress.shown = true;
    dap->progress.number++;
    progress_event(
        dap, "progressStart",
        json_pack("{s:s,s:b,s:s}", "title", dap->progress.title, "cancellable", false, "message", text));
}

static void end_progress(struct dap *dap)
{
    if (dap->progress.shown)
        progress_event(dap, "progressEnd", json_object());
    dap->progress.shown = false;
    dap->progress.title = NULL;
}

/* ---- stops
 * ------------------------------------------------------------------------------------------------------- */

static void announce_end(struct dap *dap, const json_t *stop)
{
    const char *text = TEXT(stop, "text");
    if (text && *text)
        event(dap, "output", json_pack("{s:s,s:s}", "category", "console", "output", text));
    if (dap->stops_at_end) {
        event(dap, "stopped",
              json_pack("{s:s,s:s,s:i,s:b}", "reason", "pause", "description", "The run is over", "threadId",
                        1, "allThreadsStopped", true));
        return;
    }
    dap->over = true;
    event(dap, "exited", json_pack("{s:I}", "exitCode", NUMBER(stop, "status")));
    event(dap, "terminated", NULL);
}

static void announce_stop(struct dap *dap, json_t *stop)
{
    static const struct {
        const char *reason, *of_protocol;
    } rows[] = {{"breakpoint", "breakpoint"},
                {"watchpoint", "data breakpoint"},
                {"finding", "exception"},
                {"step", "step"},
                {"launch", "entry"},
                {"pause", "pause"},
                {"barrier", "step"},
                {"entry", "restart"},
                {"focus", "focus"}};
    const char *error = TEXT(stop, "error"), *reason = TEXT(stop, "reason"), *shown = "goto";
    handles_clear(dap);
    json_decref(dap->stop);
    dap->stop = stop;
    if (error) {
        event(dap, "output", json_pack("{s:s,s:s}", "category", "stderr", "output", error));
        if (session_ended(dap->session))
            event(dap, "terminated", NULL);
        return;
    }
    if (!strcmp(reason, "exited")) {
        announce_end(dap, stop);
        return;
    }
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!strcmp(rows[i].reason, reason))
            shown = rows[i].of_protocol;
    if (dap->enters && !strcmp(shown, "step"))
        shown = "entry";
    dap->enters = false;
    const json_int_t thread = NUMBER(stop, "thread"), point = NUMBER(stop, "point");
    const json_t *finding = json_object_get(stop, "finding");
    json_t *body = json_pack("{s:s,s:I,s:b}", "reason", shown, "threadId", thread ? thread : 1,
                             "allThreadsStopped", true);
    if (point)
        json_object_set_new(body, "hitBreakpointIds", json_pack("[I]", point));
    if (!strcmp(reason, "beginning"))
        json_object_set_new(body, "description", json_string("The beginning of the run"));
    if (finding)
        json_object_set_new(body, "text", json_string(TEXT(finding, "id")));
    else if (TEXT(stop, "text"))
        json_object_set_new(body, "text", json_string(TEXT(stop, "text")));
    event(dap, "stopped", body);
}

static json_t *step_plan(struct dap *dap, const char *mode, json_int_t thread, size_t depth)
{
    json_t *stack = query(dap, json_pack("{s:s,s:I}", "verb", "stack", "thread", item_of(dap, thread)));
    if (!stack)
        return NULL;
    const json_t *frame = json_array_get(json_object_get(stack, "frames"), depth);
    json_t *plan =
        json_pack("{s:s,s:I,s:I,s:I,s:I}", "mode", mode, "thread", NUMBER(stack, "thread"), "launch",
                  NUMBER(stack, "launch"), "call", NUMBER(frame, "call"), "line", NUMBER(frame, "line"));
    json_decref(stack);
    return plan;
}

/* Done once the response is sent. */
static void resume_later(struct dap *dap, const char *how, json_t *plan)
{
    json_decref(dap->resume);
    dap->resume = json_pack("{s:s,s:o}", "how", how, "plan", plan);
}

static void resume_now(struct dap *dap)
{
    json_t *resume = dap->resume;
    const char *how = TEXT(resume, "how");
    json_t *plan = json_deep_copy(json_object_get(resume, "plan"));
    dap->resume = NULL;
    json_t *stop;
    if (strcmp(how, "run") != 0)
        begin_progress(dap, !strcmp(how, "back") ? "Running backwards" : "Going to a position");
    if (!strcmp(how, "back")) {
        stop = session_back(dap->session, plan);
    } else if (!strcmp(how, "goto")) {
        stop = session_goto(dap->session, (uint64_t)NUMBER(plan, "position"));
        json_decref(plan);
    } else {
        stop = session_run(dap->session, plan);
    }
    json_decref(resume);
    end_progress(dap);
    announce_stop(dap, stop);
}

/* ---- life ------------------------------------------------------------------------------------ */

static json_t *request_initialize(struct dap *dap, const json_t *arguments)
{
    static const char *const supported[] = {
        "supportsConfigurationDoneRequest",
        "supportsCompletionsRequest",
        "supportsFunctionBreakpoints",
        "supportsConditionalBreakpoints",
        "supportsHitConditionalBreakpoints",
        "supportsEvaluateForHovers",
        "supportsStepBack",
        "supportsRestartFrame",
        "supportsSetVariable",
        "supportsSetExpression",
        "supportsExceptionInfoRequest",
        "supportsDataBreakpoints",
        "supportsDataBreakpointBytes",
        "supportsReadMemoryRequest",
        "supportsWriteMemoryRequest",
        "supportsDisassembleRequest",
        "supportsLogPoints",
        "supportsLoadedSourcesRequest",
        "supportsTerminateRequest",
        "supportsRestartRequest",
        "supportsValueFormattingOptions",
        "supportsExceptionFilterOptions",
    };
    dap->progress.supported = json_is_true(json_object_get(arguments, "supportsProgressReporting"));
    json_t *body = json_object(), *filters = json_array();
    for (size_t i = 0; i < sizeof supported / sizeof *supported; i++)
        json_object_set_new(body, supported[i], json_true());
    json_array_append_new(
        filters, json_pack("{s:s,s:s,s:b}", "filter", "findings", "label", "All findings", "default", false));
    for (int kind = 0; kind < FINDING_KIND_COUNT; kind++)
        json_array_append_new(filters,
                              json_pack("{s:s,s:s,s:s,s:b}", "filter", finding_id((enum finding_kind)kind),
                                        "label", finding_id((enum finding_kind)kind), "description",
                                        finding_sentence((enum finding_kind)kind), "default", false));
    json_object_set_new(body, "exceptionBreakpointFilters", filters);
    return body;
}

static bool wait_for_run(void *self, int fd);

/* The output of a finished run is of use, too: a program that does not compile. */
static json_t *begin_session(struct dap *dap)
{
    const struct session_host host = {
        .self = dap, .print = output, .owns_output = true, .wait = wait_for_run};
    dap->session = session_new(&dap->scenario, dap->command, &host);
    if (!dap->session)
        return fail(dap, "no process for the target");
    json_t *stop = accepted(dap, session_run(dap->session, json_pack("{s:s}", "mode", "launch")));
    if (!stop)
        return NULL;
    if (session_ended(dap->session)) {
        fail(dap, "%s",
             TEXT(stop, "text") && *TEXT(stop, "text") ? TEXT(stop, "text")
                                                       : "the scenario launches no kernel");
        json_decref(stop);
        return NULL;
    }
    dap->stop = stop;
    return json_object();
}

static bool has_program(const struct scenario *scenario)
{
    return scenario->program.source_file || scenario->program.source_text || scenario->program.spirv_file;
}

/* The program and its arguments; strings are those of the request, which stays. */
static bool take_command(struct dap *dap, const char *path, const json_t *arguments)
{
    const size_t count = json_array_size(arguments);
    dap->command = calloc(count + 2, sizeof *dap->command);
    if (!dap->command)
        tools_no_memory();
    dap->command[0] = strdup(path);
    for (size_t i = 0; i < count; i++) {
        const char *argument = json_string_value(json_array_get(arguments, i));
        if (!argument) {
            fail(dap, "\"args\" has something that is no string");
            return false;
        }
        dap->command[1 + i] = strdup(argument);
    }
    if (library_select() && settings_export(dap->settings))
        return true;
    fail(dap, "liborrery.so is neither beside this command nor in %s", ORRERY_LIBDIR);
    return false;
}

/* Of OpenCL C a scenario that follows from the kernel's signature. */
static bool load_kernel(struct dap *dap, const char *word, const char *file, const char *kernel)
{
    char *text = target_scenario(dap->settings, file, kernel, file);
    const bool loaded = text && settings_load_text(dap->settings, text, word, &dap->scenario);
    free(text);
    return loaded;
}

/* out_own: the target launches its kernels itself, so it is a program. */
static bool load_target(struct dap *dap, const char *path, bool *out_own)
{
    const char *kernel;
    char *file = target_file(path, &kernel);
    *out_own = !file && !target_is_scenario(path);
    dap->loaded = file ? load_kernel(dap, path, file, kernel)
                       : settings_load(dap->settings, *out_own ? NULL : path, &dap->scenario);
    free(file);
    if (!dap->loaded)
        fail(dap, "%s cannot be loaded; standard error says why", path);
    return dap->loaded;
}

static json_t *request_launch(struct dap *dap, const json_t *arguments)
{
    const char *path = TEXT(arguments, "program"), *directory = TEXT(arguments, "cwd");
    bool own;
    if (dap->loaded)
        return fail(dap, "a program is launched already");
    if (!path)
        return fail(dap, "launch needs \"program\": the path of a scenario, a kernel's file or a program");
    if (directory && chdir(directory) < 0)
        return fail(dap, "cwd: %s: %s", directory, strerror(errno));
    if (!load_target(dap, path, &own))
        return NULL;
    dap->scenario.schedule.timeout_seconds = 0; /* time passes while the user thinks */
    dap->stops_on_entry = json_is_true(json_object_get(arguments, "stopOnEntry"));
    dap->stops_at_end = json_is_true(json_object_get(arguments, "stopAtEnd"));
    if (!own && !has_program(&dap->scenario))
        return fail(dap, "%s has no program of its own: launch the program", path);
    if (own && !take_command(dap, path, json_object_get(arguments, "args")))
        return NULL;
    return begin_session(dap);
}

static void say_waiting(struct dap *dap)
{
    char text[80];
    snprintf(text, sizeof text, "Waiting for the next launch of process %d.\n",
             session_process(dap->session));
    event(dap, "output", json_pack("{s:s,s:s}", "category", "console", "output", text));
}

static json_t *attach_to(struct dap *dap, const char *target)
{
    const struct session_host host = {.self = dap, .print = output, .wait = wait_for_run};
    struct diagnosis diagnosis = {0};
    dap->session = session_attach(target, &host, &diagnosis);
    if (!dap->session)
        return fail(dap, "%s", diagnosis.text);
    say_waiting(dap);
    dap->stop = accepted(dap, session_await_launch(dap->session));
    if (!dap->stop)
        return NULL;
    return session_ended(dap->session) ? fail(dap, "the process has ended without a launch") : json_object();
}

/* The response is sent as the next launch of the process begins. "processId" may be text: an editor that lets
 * one pick has it so. */
static json_t *request_attach(struct dap *dap, const json_t *arguments)
{
    const char *target = TEXT(arguments, "socket") ? TEXT(arguments, "socket") : TEXT(arguments, "processId");
    char number[24];
    if (dap->loaded || dap->session)
        return fail(dap, "a program is launched already");
    if (!target && NUMBER(arguments, "processId") > 0) {
        snprintf(number, sizeof number, "%" JSON_INTEGER_FORMAT, NUMBER(arguments, "processId"));
        target = number;
    }
    if (!target)
        return fail(dap, "attach needs \"processId\" or \"socket\": of a program that was started with "
                         "ORRERY_DEBUG_LISTEN=1");
    dap->stops_on_entry = json_is_true(json_object_get(arguments, "stopOnEntry"));
    return attach_to(dap, target);
}

/* The one that begins here; an attached process may have had earlier ones. */
static json_int_t first_launch(struct dap *dap)
{
    json_t *launch = query(dap, json_pack("{s:s}", "verb", "launch"));
    const json_int_t number = launch ? NUMBER(launch, "launch") : 1;
    json_decref(launch);
    return number;
}

static json_t *request_configuration_done(struct dap *dap, const json_t *arguments)
{
    (void)arguments;
    if (!dap->session)
        return fail(dap, "nothing is launched");
    dap->configured = true;
    dap->enters = dap->stops_on_entry;
    if (dap->stops_on_entry)
        resume_later(dap, "run",
                     json_pack("{s:s,s:i,s:I}", "mode", "step", "thread", 1, "launch", first_launch(dap)));
    else
        resume_later(dap, "run", json_pack("{s:s}", "mode", "continue"));
    return json_object();
}

static json_t *request_disconnect(struct dap *dap, const json_t *arguments)
{
    (void)arguments;
    dap->quits = true;
    return json_object();
}

static json_t *request_terminate(struct dap *dap, const json_t *arguments)
{
    (void)arguments;
    if (!dap->over)
        event(dap, "terminated", NULL);
    dap->over = true;
    return json_object();
}

static json_t *request_restart(struct dap *dap, const json_t *arguments)
{
    (void)arguments;
    if (!dap->session)
        return fail(dap, "nothing is launched");
    begin_progress(dap, "Restarting");
    json_t *start = accepted(dap, session_restart(dap->session));
    end_progress(dap);
    if (!start)
        return NULL;
    json_decref(start);
    dap->over = false;
    resume_later(dap, "run",
                 json_pack("{s:s,s:i,s:i}", "mode", dap->stops_on_entry ? "step" : "continue", "thread", 1,
                           "launch", 1));
    return json_object();
}

/* ---- moving ---------------------------------------------------------------------------------- */

static json_t *request_continue(struct dap *dap, const json_t *arguments)
{
    (void)arguments;
    if (!dap->session)
        return fail(dap, "nothing is launched");
    resume_later(dap, "run", json_pack("{s:s}", "mode", "continue"));
    return json_pack("{s:b}", "allThreadsContinued", true);
}

static json_t *step(struct dap *dap, const json_t *arguments, const char *mode, bool back)
{
    json_t *plan = step_plan(dap, mode, NUMBER(arguments, "threadId"), 0);
    if (!plan)
        return NULL;
    resume_later(dap, back ? "back" : "run", plan);
    return json_object();
}

static json_t *request_next(struct dap *dap, const json_t *arguments)
{
    return step(dap, arguments, "next", false);
}
static json_t *request_step_in(struct dap *dap, const json_t *arguments)
{
    return step(dap, arguments, "step", false);
}
static json_t *request_step_out(struct dap *dap, const json_t *arguments)
{
    return step(dap, arguments, "finish", false);
}
static json_t *request_step_back(struct dap *dap, const json_t *arguments)
{
    return step(dap, arguments, "next", true);
}

static json_t *request_reverse_continue(struct dap *dap, const json_t *arguments)
{
    (void)arguments;
    if (!dap->session)
        return fail(dap, "nothing is launched");
    resume_later(dap, "back", json_pack("{s:s}", "mode", "continue"));
    return json_object();
}

/* Back to where the work-item entered the function, this time: nothing runs that has not run. */
static json_t *request_restart_frame(struct dap *dap, const json_t *arguments)
{
    if (!dap->session)
        return fail(dap, "nothing is launched");
    const struct handle *found = frame_find(dap, NUMBER(arguments, "frameId"));
    json_t *plan = found ? step_plan(dap, "entry", found->thread, (size_t)found->frame) : NULL;
    if (!plan)
        return NULL;
    json_object_set_new(plan, "points", json_false());
    resume_later(dap, "back", plan);
    return json_object();
}

static json_t *request_pause(struct dap *dap, const json_t *arguments)
{
    (void)arguments;
    if (!dap->session)
        return fail(dap, "nothing is launched");
    return json_object(); /* it stands: while it runs, wait_for_run() takes the request */
}

static json_t *request_goto_position(struct dap *dap, const json_t *arguments)
{
    if (!dap->session)
        return fail(dap, "nothing is launched");
    resume_later(dap, "goto", json_pack("{s:I}", "position", NUMBER(arguments, "position")));
    return json_object();
}

/* ---- breakpoints
 * -------------------------------------------------------------------------------------------------------- */

enum { BY_LINE, BY_FUNCTION, BY_DATA, BY_FINDING };

static json_t *send_points(struct dap *dap)
{
    json_t *all = json_array();
    json_t *of_verbs = points_enabled(&dap->terminal);
    for (int i = 0; i < 4; i++)
        json_array_extend(all, dap->points[i]);
    json_array_extend(all, of_verbs);
    json_decref(of_verbs);
    return accepted(dap, session_points(dap->session, all));
}

/* "5": the fifth hit and those after it; ">= 5" and "> 4" mean the same. */
static json_int_t ignored_hits(const char *condition)
{
    const char *digits = condition ? condition + strspn(condition, " >=") : "";
    const json_int_t count = strtoll(digits, NULL, 10);
    const bool more = condition && strchr(condition, '>') && !strchr(condition, '=');
    return count > 0 ? count - !more : 0;
}

static json_t *breakpoints_body(struct dap *dap, const json_t *mine)
{
    json_t *answer = send_points(dap), *list = json_array();
    const json_t *places = json_object_get(answer, "points");
    for (size_t i = 0; i < json_array_size(mine); i++) {
        const json_t *point = json_array_get(mine, i);
        json_t *shown = json_pack("{s:I,s:b}", "id", NUMBER(point, "id"), "verified", false);
        for (size_t k = 0; k < json_array_size(places); k++) {
            const json_t *place = json_array_get(places, k);
            if (NUMBER(place, "id") != NUMBER(point, "id"))
                continue;
            json_object_set(shown, "verified", json_object_get(place, "verified"));
            json_object_set(shown, "line", json_object_get(place, "line"));
        }
        if (!json_is_true(json_object_get(shown, "verified")))
            json_object_set_new(shown, "message", json_string("the kernel that runs has no such place"));
        json_array_append_new(list, shown);
    }
    json_decref(answer);
    return json_pack("{s:o}", "breakpoints", list);
}

static void take_options(json_t *point, const json_t *from)
{
    if (TEXT(from, "condition"))
        json_object_set(point, "condition", json_object_get(from, "condition"));
    if (TEXT(from, "hitCondition"))
        json_object_set_new(point, "ignore", json_integer(ignored_hits(TEXT(from, "hitCondition"))));
    if (TEXT(from, "logMessage"))
        json_object_set(point, "log", json_object_get(from, "logMessage"));
}

static json_t *request_set_breakpoints(struct dap *dap, const json_t *arguments)
{
    const json_t *source = json_object_get(arguments, "source"),
                 *wanted = json_object_get(arguments, "breakpoints");
    const char *path = TEXT(source, "path") ? TEXT(source, "path") : TEXT(source, "name"),
               *slash = path ? strrchr(path, '/') : NULL;
    const char *name = slash ? slash + 1 : path;
    if (!dap->session)
        return fail(dap, "nothing is launched");
    if (!name)
        return fail(dap, "setBreakpoints needs a source with a path or a name");
    for (size_t i = json_array_size(dap->points[BY_LINE]); i-- > 0;)
        if (!strcmp(TEXT(json_array_get(dap->points[BY_LINE], i), "file"), name))
            json_array_remove(dap->points[BY_LINE], i);
    json_t *mine = json_array();
    for (size_t i = 0; i < json_array_size(wanted); i++) {
        const json_t *breakpoint = json_array_get(wanted, i);
        json_t *point = json_pack("{s:I,s:s,s:s,s:I}", "id", ++dap->next_point, "kind", "line", "file", name,
                                  "line", NUMBER(breakpoint, "line"));
        take_options(point, breakpoint);
        json_array_append_new(mine, point);
    }
    json_array_extend(dap->points[BY_LINE], mine);
    json_t *body = breakpoints_body(dap, mine);
    const json_t *list = json_object_get(body, "breakpoints");
    for (size_t i = 0; i < json_array_size(list); i++)
        json_object_set_new(json_array_get(list, i), "source", source_of(dap, name));
    json_decref(mine);
    return body;
}

static json_t *request_set_function_breakpoints(struct dap *dap, const json_t *arguments)
{
    const json_t *wanted = json_object_get(arguments, "breakpoints");
    if (!dap->session)
        return fail(dap, "nothing is launched");
    json_array_clear(dap->points[BY_FUNCTION]);
    for (size_t i = 0; i < json_array_size(wanted); i++) {
        const json_t *breakpoint = json_array_get(wanted, i);
        json_t *point = json_pack("{s:I,s:s,s:s}", "id", ++dap->next_point, "kind", "function", "function",
                                  TEXT(breakpoint, "name") ? TEXT(breakpoint, "name") : "");
        take_options(point, breakpoint);
        json_array_append_new(dap->points[BY_FUNCTION], point);
    }
    return breakpoints_body(dap, dap->points[BY_FUNCTION]);
}

static bool add_filter(struct dap *dap, const char *filter)
{
    enum finding_kind kind;
    const bool all = filter && !strcmp(filter, "findings");
    if (!all && (!filter || !finding_from_id(filter, &kind))) {
        fail(dap, "found filter '%s', expected findings or the id of a kind of finding",
             filter ? filter : "");
        return false;
    }
    json_t *point = json_pack("{s:I,s:s}", "id", ++dap->next_point, "kind", "finding");
    if (!all)
        json_object_set_new(point, "expression", json_string(filter));
    json_array_append_new(dap->points[BY_FINDING], point);
    return true;
}

static json_t *request_set_exception_breakpoints(struct dap *dap, const json_t *arguments)
{
    const json_t *filters = json_object_get(arguments, "filters"),
                 *options = json_object_get(arguments, "filterOptions");
    if (!dap->session)
        return fail(dap, "nothing is launched");
    json_array_clear(dap->points[BY_FINDING]);
    for (size_t i = 0; i < json_array_size(filters); i++)
        if (!add_filter(dap, json_string_value(json_array_get(filters, i))))
            return NULL;
    for (size_t i = 0; i < json_array_size(options); i++)
        if (!add_filter(dap, TEXT(json_array_get(options, i), "filterId")))
            return NULL;
    return breakpoints_body(dap, dap->points[BY_FINDING]);
}

static json_t *request_exception_info(struct dap *dap, const json_t *arguments)
{
    const json_t *finding = json_object_get(dap->stop, "finding");
    (void)arguments;
    if (!finding)
        return fail(dap, "this stop is no finding");
    return json_pack("{s:s,s:s,s:s,s:{s:s}}", "exceptionId", TEXT(finding, "id"), "description",
                     TEXT(finding, "sentence"), "breakMode", "always", "details", "message",
                     TEXT(finding, "text"));
}

/* The expression of a variable in a container, or of a frame. */
static char *expression_of(struct dap *dap, const json_t *arguments, const char *name, json_int_t *out_thread,
                           int *out_frame)
{
    const json_int_t container = NUMBER(arguments, "variablesReference"),
                     frame = NUMBER(arguments, "frameId");
    char *expression = NULL;
    *out_thread = NUMBER(dap->stop, "thread");
    *out_frame = 0;
    if (!container && !frame)
        return strdup(name);
    const struct handle *handle =
        container ? handle_find(dap, container, "variablesReference") : frame_find(dap, frame);
    if (!handle)
        return NULL;
    *out_thread = handle->thread;
    *out_frame = handle->frame;
    if (handle->kind != HANDLE_VALUE)
        return strdup(name);
    const int length = name[0] == '*'   ? asprintf(&expression, "*(%s)", handle->text)
                       : name[0] == '[' ? asprintf(&expression, "(%s)%s", handle->text, name)
                                        : asprintf(&expression, "(%s).%s", handle->text, name);
    return length < 0 ? NULL : expression;
}

static json_t *request_data_breakpoint_info(struct dap *dap, const json_t *arguments)
{
    const char *name = TEXT(arguments, "name");
    json_int_t thread, bytes = NUMBER(arguments, "bytes");
    int frame;
    if (!name)
        return fail(dap, "dataBreakpointInfo needs a name");
    if (json_is_true(json_object_get(arguments, "asAddress"))) {
        char id[64];
        snprintf(id, sizeof id, "memory:%llu:%lld", strtoull(name, NULL, 0), (long long)(bytes ? bytes : 1));
        return json_pack("{s:s,s:s,s:[s,s,s],s:b}", "dataId", id, "description", name, "accessTypes", "read",
                         "write", "readWrite", "canPersist", true);
    }
    char *expression = expression_of(dap, arguments, name, &thread, &frame);
    if (!expression)
        return NULL;
    json_t *value = query(dap, json_pack("{s:s,s:s,s:I,s:i}", "verb", "evaluate", "expression", expression,
                                         "thread", thread, "frame", frame)),
           *body = NULL;
    const json_t *address = json_object_get(value, "address");
    char *id = NULL;
    if (!value || !address)
        body = json_pack("{s:n,s:s}", "dataId", "description",
                         value ? "only what is in memory can be watched" : dap->error);
    else if (json_is_true(json_object_get(value, "private")) &&
             asprintf(&id, "private:%" JSON_INTEGER_FORMAT ":%s", thread, expression) >= 0)
        body = json_pack("{s:s,s:s,s:[s]}", "dataId", id, "description", expression, "accessTypes", "write");
    else if (asprintf(&id, "memory:%" JSON_INTEGER_FORMAT ":%" JSON_INTEGER_FORMAT,
                      json_integer_value(address), bytes ? bytes : NUMBER(value, "size")) >= 0)
        body = json_pack("{s:s,s:s,s:[s,s,s],s:b}", "dataId", id, "description", expression, "accessTypes",
                         "read", "write", "readWrite", "canPersist", true);
    free(id);
    free(expression);
    json_decref(value);
    return body;
}

static json_t *data_point(struct dap *dap, const char *id, const char *access)
{
    const char *first = id ? strchr(id, ':') : NULL, *second = first ? strchr(first + 1, ':') : NULL;
    if (!second) {
        fail(dap, "found data id '%s', expected one of dataBreakpointInfo", id ? id : "");
        return NULL;
    }
    if (!strncmp(id, "private:", 8))
        return json_pack("{s:I,s:s,s:s,s:I,s:I}", "id", ++dap->next_point, "kind", "expression", "expression",
                         second + 1, "thread", (json_int_t)strtoll(first + 1, NULL, 10), "launch",
                         NUMBER(dap->stop, "launch"));
    const bool reads = access && strcmp(access, "write"), writes = !access || strcmp(access, "read");
    return json_pack("{s:I,s:s,s:I,s:I,s:b,s:b}", "id", ++dap->next_point, "kind", "watch", "address",
                     (json_int_t)strtoll(first + 1, NULL, 10), "size",
                     (json_int_t)strtoll(second + 1, NULL, 10), "read", reads, "write", writes);
}

static json_t *request_set_data_breakpoints(struct dap *dap, const json_t *arguments)
{
    const json_t *wanted = json_object_get(arguments, "breakpoints");
    if (!dap->session)
        return fail(dap, "nothing is launched");
    json_array_clear(dap->points[BY_DATA]);
    for (size_t i = 0; i < json_array_size(wanted); i++) {
        const json_t *breakpoint = json_array_get(wanted, i);
        json_t *point = data_point(dap, TEXT(breakpoint, "dataId"), TEXT(breakpoint, "accessType"));
        if (!point)
            return NULL;
        take_options(point, breakpoint);
        json_array_append_new(dap->points[BY_DATA], point);
    }
    return breakpoints_body(dap, dap->points[BY_DATA]);
}

/* ---- where ----------------------------------------------------------------------------------- */

static void add_sub_group(json_t *list, const json_t *first)
{
    char name[160];
    const json_t *group = json_object_get(first, "group");
    snprintf(name, sizeof name,
             "sub-group %" JSON_INTEGER_FORMAT " of work-group (%" JSON_INTEGER_FORMAT
             ",%" JSON_INTEGER_FORMAT ",%" JSON_INTEGER_FORMAT ")",
             NUMBER(first, "sub_group"), json_integer_value(json_array_get(group, 0)),
             json_integer_value(json_array_get(group, 1)), json_integer_value(json_array_get(group, 2)));
    json_array_append_new(list, json_pack("{s:I,s:s}", "id", SUB_GROUPS + NUMBER(first, "id"), "name", name));
}

/* After the work-items; numbered by their first one that has not ended. */
static void add_sub_groups(json_t *list, const json_t *threads)
{
    json_t *seen = json_object();
    for (size_t i = 0; i < json_array_size(threads); i++) {
        const json_t *thread = json_array_get(threads, i);
        char *key = json_dumps(json_object_get(thread, "group"), JSON_COMPACT), *name = NULL;
        if (!key || asprintf(&name, "%s %" JSON_INTEGER_FORMAT, key, NUMBER(thread, "sub_group")) < 0)
            tools_no_memory();
        if (!json_object_get(seen, name))
            add_sub_group(list, thread);
        json_object_set_new(seen, name, json_true());
        free(name);
        free(key);
    }
    json_decref(seen);
}

static json_t *request_threads(struct dap *dap, const json_t *arguments)
{
    (void)arguments;
    json_t *answer = query(dap, json_pack("{s:s}", "verb", "threads")), *list = json_array();
    for (size_t i = 0; i < json_array_size(json_object_get(answer, "threads")); i++) {
        const json_t *thread = json_array_get(json_object_get(answer, "threads"), i),
                     *ids = json_object_get(thread, "global");
        char name[160];
        snprintf(name, sizeof name,
                 "work-item (%" JSON_INTEGER_FORMAT ",%" JSON_INTEGER_FORMAT ",%" JSON_INTEGER_FORMAT
                 "), sub-group %" JSON_INTEGER_FORMAT,
                 json_integer_value(json_array_get(ids, 0)), json_integer_value(json_array_get(ids, 1)),
                 json_integer_value(json_array_get(ids, 2)), NUMBER(thread, "sub_group"));
        json_array_append_new(list, json_pack("{s:I,s:s}", "id", NUMBER(thread, "id"), "name", name));
    }
    add_sub_groups(list, json_object_get(answer, "threads"));
    json_decref(answer);
    if (!json_array_size(list))
        json_array_append_new(list, json_pack("{s:i,s:s}", "id", 1, "name", "no work-item runs"));
    return json_pack("{s:o}", "threads", list);
}

/* The call that enqueued the launch. It has no scopes: the host's variables are not known. */
static json_t *host_frame(struct dap *dap, const json_t *host, json_int_t thread)
{
    char name[256];
    const char *file = TEXT(host, "file"), *slash = file ? strrchr(file, '/') : NULL;
    snprintf(name, sizeof name, "%s%s%s", TEXT(host, "function") ? TEXT(host, "function") : "host program",
             TEXT(host, "call") ? ": " : "", TEXT(host, "call") ? TEXT(host, "call") : "");
    const json_int_t id = handle_new(dap, &(struct handle){.kind = HANDLE_HOST_FRAME, .thread = thread});
    json_t *shown = json_pack("{s:I,s:s,s:I,s:i,s:s}", "id", id, "name", name, "line", NUMBER(host, "line"),
                              "column", 0, "presentationHint", "subtle");
    char *path = NUMBER(host, "line") ? realpath(file, NULL) : NULL;
    if (path)
        json_object_set_new(shown, "source",
                            json_pack("{s:s,s:s}", "name", slash ? slash + 1 : file, "path", path));
    free(path);
    return shown;
}

static json_t *request_stack_trace(struct dap *dap, const json_t *arguments)
{
    const json_int_t thread = item_of(dap, NUMBER(arguments, "threadId")),
                     first = NUMBER(arguments, "startFrame"), levels = NUMBER(arguments, "levels");
    json_t *answer = query(dap, json_pack("{s:s,s:I}", "verb", "stack", "thread", thread)),
           *list = json_array();
    const json_t *frames = json_object_get(answer, "frames");
    const json_int_t count = (json_int_t)json_array_size(frames);
    if (!answer) {
        json_decref(list);
        return dap->session && (session_ended(dap->session) || !NUMBER(dap->stop, "thread"))
                   ? json_pack("{s:[],s:i}", "stackFrames", "totalFrames", 0)
                   : NULL;
    }
    json_t *code = query(
        dap, json_pack("{s:s,s:I,s:i,s:i}", "verb", "disassemble", "thread", thread, "start", 0, "count", 0));
    for (json_int_t i = first > 0 ? first : 0; i < count && (levels <= 0 || i < first + levels); i++) {
        const json_t *frame = json_array_get(frames, (size_t)i);
        char instruction[24];
        snprintf(instruction, sizeof instruction, "0x%" PRIx64, (uint64_t)NUMBER(code, "here"));
        const json_int_t id =
            handle_new(dap, &(struct handle){.kind = HANDLE_FRAME, .thread = thread, .frame = (int)i});
        json_t *shown = json_pack("{s:I,s:s,s:o,s:I,s:I}", "id", id, "name", TEXT(frame, "function"),
                                  "source", source_of(dap, TEXT(frame, "file")), "line",
                                  NUMBER(frame, "line"), "column", NUMBER(frame, "column"));
        if (!i)
            json_object_set_new(shown, "instructionPointerReference", json_string(instruction));
        json_array_append_new(list, shown);
    }
    const json_t *host = json_object_get(answer, "host");
    if (host && first <= count && (levels <= 0 || count < first + levels))
        json_array_append_new(list, host_frame(dap, host, thread));
    json_decref(code);
    json_t *body = json_pack("{s:o,s:I}", "stackFrames", list, "totalFrames", count + (host != NULL));
    json_decref(answer);
    return body;
}

static json_t *request_scopes(struct dap *dap, const json_t *arguments)
{
    static const struct {
        const char *name, *scope, *hint;
    } rows[] = {{"Locals", "locals", "locals"},
                {"Arguments", "arguments", "arguments"},
                {"Program and work-group", "globals", NULL}};
    const struct handle *found = handle_find(dap, NUMBER(arguments, "frameId"), "frameId");
    if (!found)
        return NULL;
    if (found->kind == HANDLE_HOST_FRAME)
        return json_pack("{s:[]}", "scopes");
    const struct handle frame = *found;
    json_t *list = json_array();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const json_int_t id = handle_new(dap, &(struct handle){.kind = HANDLE_SCOPE,
                                                               .thread = frame.thread,
                                                               .frame = frame.frame,
                                                               .text = (char *)(uintptr_t)rows[i].scope});
        json_t *scope =
            json_pack("{s:s,s:I,s:b}", "name", rows[i].name, "variablesReference", id, "expensive", false);
        if (rows[i].hint)
            json_object_set_new(scope, "presentationHint", json_string(rows[i].hint));
        json_array_append_new(list, scope);
    }
    const json_int_t id =
        handle_new(dap, &(struct handle){.kind = HANDLE_IDS, .thread = frame.thread, .frame = frame.frame});
    json_array_append_new(
        list, json_pack("{s:s,s:I,s:b}", "name", "Work-item", "variablesReference", id, "expensive", false));
    return json_pack("{s:o}", "scopes", list);
}

/* ---- values ---------------------------------------------------------------------------------- */

static void take_hex(json_t *shown, const json_t *value, const json_t *arguments)
{
    const json_t *bits = json_object_get(value, "bits");
    const json_int_t size = NUMBER(value, "size");
    char text[24];
    if (!bits || json_is_true(json_object_get(value, "real")) ||
        !json_is_true(json_object_get(json_object_get(arguments, "format"), "hex")))
        return;
    const uint64_t number = (uint64_t)json_integer_value(bits) &
                            (size > 0 && size < 8 ? (UINT64_C(1) << 8 * size) - 1 : UINT64_MAX);
    snprintf(text, sizeof text, "0x%" PRIx64, number);
    json_object_set_new(shown, json_object_get(shown, "result") ? "result" : "value", json_string(text));
}

static json_t *show_value(struct dap *dap, const json_t *value, const char *expression, json_int_t thread,
                          int frame, const char *key)
{
    const json_int_t children = NUMBER(value, "children");
    const bool indexed = json_is_true(json_object_get(value, "indexed"));
    const json_t *target = json_object_get(value, "points_to"), *address = json_object_get(value, "address");
    const json_int_t id = children ? handle_new(dap, &(struct handle){.kind = HANDLE_VALUE,
                                                                      .thread = thread,
                                                                      .frame = frame,
                                                                      .text = (char *)(uintptr_t)expression,
                                                                      .indexed = indexed})
                                   : 0;
    json_t *shown = json_pack("{s:s,s:s,s:I}", key, TEXT(value, "value") ? TEXT(value, "value") : "", "type",
                              TEXT(value, "type") ? TEXT(value, "type") : "", "variablesReference", id);
    if (children)
        json_object_set_new(shown, indexed ? "indexedVariables" : "namedVariables", json_integer(children));
    if (target || address) {
        char reference[24];
        snprintf(reference, sizeof reference, "0x%" PRIx64,
                 (uint64_t)json_integer_value(target ? target : address));
        json_object_set_new(shown, "memoryReference", json_string(reference));
    }
    return shown;
}

static json_t *show_list(struct dap *dap, const json_t *list, const struct handle *of,
                         const json_t *arguments)
{
    json_t *variables = json_array();
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *value = json_array_get(list, i);
        json_t *shown = show_value(dap, value, TEXT(value, "expression"), of->thread, of->frame, "value");
        json_object_set(shown, "name", json_object_get(value, "name"));
        json_object_set_new(shown, "evaluateName", json_string(TEXT(value, "expression")));
        take_hex(shown, value, arguments);
        json_array_append_new(variables, shown);
    }
    return json_pack("{s:o}", "variables", variables);
}

static json_t *list_ids(struct dap *dap, const struct handle *of, const json_t *arguments)
{
    static const char *const names[] = {"get_global_id(0)",   "get_global_id(1)",        "get_global_id(2)",
                                        "get_local_id(0)",    "get_local_id(1)",         "get_local_id(2)",
                                        "get_group_id(0)",    "get_group_id(1)",         "get_group_id(2)",
                                        "get_sub_group_id()", "get_sub_group_local_id()"};
    json_t *list = json_array();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        json_t *value = query(dap, json_pack("{s:s,s:s,s:I,s:i}", "verb", "evaluate", "expression", names[i],
                                             "thread", of->thread, "frame", of->frame));
        if (!value)
            continue;
        json_object_set_new(value, "name", json_string(names[i]));
        json_object_set_new(value, "expression", json_string(names[i]));
        json_array_append_new(list, value);
    }
    json_t *body = show_list(dap, list, of, arguments);
    json_decref(list);
    return body;
}

static json_t *request_variables(struct dap *dap, const json_t *arguments)
{
    const struct handle *found =
        handle_find(dap, NUMBER(arguments, "variablesReference"), "variablesReference");
    const char *filter = TEXT(arguments, "filter");
    json_t *answer, *body;
    if (!found)
        return NULL;
    struct handle of = *found; /* the table may move */
    char *text = of.text ? strdup(of.text) : NULL;
    if (of.kind == HANDLE_IDS) {
        free(text);
        return list_ids(dap, &of, arguments);
    }
    if (of.kind == HANDLE_VALUE && filter && strcmp(filter, of.indexed ? "indexed" : "named")) {
        free(text);
        return json_pack("{s:[]}", "variables");
    }
    if (of.kind == HANDLE_SCOPE)
        answer = query(dap, json_pack("{s:s,s:s,s:I,s:i}", "verb", "variables", "scope", text, "thread",
                                      of.thread, "frame", of.frame));
    else
        answer = query(dap, json_pack("{s:s,s:s,s:I,s:i,s:b,s:I,s:I}", "verb", "evaluate", "expression", text,
                                      "thread", of.thread, "frame", of.frame, "expand", true, "start",
                                      NUMBER(arguments, "start"), "count", NUMBER(arguments, "count")));
    body = answer ? show_list(dap, json_object_get(answer, "list"), &of, arguments) : NULL;
    json_decref(answer);
    free(text);
    return body;
}

/* Of the frame, else of where the run stands; where there is none, of no variables. */
static json_t *request_completions(struct dap *dap, const json_t *arguments)
{
    static const char *const scopes[] = {"locals", "arguments", "globals"};
    const json_int_t id = NUMBER(arguments, "frameId"), column = NUMBER(arguments, "column");
    const char *text = TEXT(arguments, "text");
    json_int_t thread = NUMBER(dap->stop, "thread");
    int frame = 0;
    if (!text || column < 1)
        return fail(dap, "completions needs a text and a column from 1");
    if (id) {
        const struct handle *handle = frame_find(dap, id);
        if (!handle)
            return NULL;
        thread = handle->thread;
        frame = handle->frame;
    }
    json_t *variables = json_array();
    for (size_t i = 0; dap->session && thread && i < sizeof scopes / sizeof *scopes; i++) {
        json_t *answer = query(dap, json_pack("{s:s,s:s,s:I,s:i}", "verb", "variables", "scope", scopes[i],
                                              "thread", thread, "frame", frame));
        json_array_extend(variables, json_object_get(answer, "list"));
        json_decref(answer);
    }
    json_t *targets = completions_find(text, (size_t)column, variables);
    json_decref(variables);
    return json_pack("{s:o}", "targets", targets);
}

static json_t *evaluate(struct dap *dap, const json_t *arguments, const char *expression, bool assigns,
                        const char *key)
{
    json_int_t thread = NUMBER(dap->stop, "thread"), id = NUMBER(arguments, "frameId");
    int frame = 0;
    if (id) {
        const struct handle *handle = frame_find(dap, id);
        if (!handle)
            return NULL;
        thread = handle->thread;
        frame = handle->frame;
    }
    json_t *value = query(dap, json_pack("{s:s,s:s,s:I,s:i,s:b}", "verb", "evaluate", "expression",
                                         expression, "thread", thread, "frame", frame, "assigns", assigns));
    if (!value)
        return NULL;
    json_t *shown = show_value(dap, value, expression, thread, frame, key);
    take_hex(shown, value, arguments);
    json_decref(value);
    return shown;
}

/* ---- the debug console ----------------------------------------------------------------------- */

/* The file that lines are of where no work-item runs. */
static char *first_source(struct dap *dap)
{
    json_t *sources = query(dap, json_pack("{s:s}", "verb", "sources"));
    const char *file = json_string_value(json_array_get(json_object_get(sources, "list"), 0));
    char *copy = file ? strdup(file) : NULL;
    json_decref(sources);
    return copy;
}

/* Where the client looks: the frame that it selected, else that of the stop. */
static void look_from(struct dap *dap, const struct handle *frame)
{
    struct terminal *t = &dap->terminal;
    t->session = dap->session;
    t->file = t->file ? t->file : first_source(dap);
    if (dap->stop != t->stop) {
        json_decref(t->stop);
        t->stop = json_incref(dap->stop);
    }
    t->thread = frame ? frame->thread : NUMBER(dap->stop, "thread");
    t->launch = NUMBER(dap->stop, "launch");
    t->frame = frame ? (uint32_t)frame->frame : 0;
    t->next_point = (uint32_t)dap->next_point + 1;
    t->others = json_array();
    for (int i = 0; i < 4; i++)
        json_array_extend(t->others, dap->points[i]);
}

/* The work-item becomes the focus, and its work-group the one whose work-items are threads. */
static bool focus_on(struct dap *dap, json_int_t thread)
{
    json_t *place = query(dap, json_pack("{s:s,s:I}", "verb", "focus", "thread", thread));
    if (!place)
        return false;
    json_t *stop =
        json_pack("{s:s,s:O*}", "reason", "focus", "position", json_object_get(dap->stop, "position"));
    json_object_update(stop, place);
    json_decref(place);
    json_decref(dap->stop);
    dap->stop = stop;
    return dap->moved = true;
}

/* It runs from an earlier copy, or from the beginning. */
static bool goes_back(const char *line)
{
    static const char *const verbs[] = {"reverse-", "rc", "rn", "rs", "goto", "first-access", "run", "start"};
    line += strspn(line, " \t");
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
        if (!strncmp(line, verbs[i], strlen(verbs[i])))
            return true;
    return false;
}

/* A verb of the terminal; its stop is announced after the response. */
static json_t *run_verb(struct dap *dap, const struct handle *frame, const char *line)
{
    struct terminal *t = &dap->terminal;
    look_from(dap, frame);
    const json_int_t thread = t->thread;
    if (goes_back(line))
        begin_progress(dap, "Going back");
    char *text = terminal_text(t, line);
    end_progress(dap);
    const size_t size = strlen(text);
    if (size && text[size - 1] == '\n')
        text[size - 1] = '\0';
    dap->next_point = (json_int_t)t->next_point - 1;
    json_decref(t->others);
    t->others = NULL;
    if (t->stop != dap->stop) {
        json_decref(dap->stop);
        dap->stop = json_incref(t->stop);
        dap->moved = true;
    } else if (t->thread != thread) {
        focus_on(dap, t->thread);
    }
    if (t->quits)
        request_terminate(dap, NULL);
    json_t *body = t->failed ? fail(dap, "%.*s", (int)strcspn(text, "\n"), text)
                             : json_pack("{s:s,s:i}", "result", text, "variablesReference", 0);
    free(text);
    return body;
}

/* In the console what is no expression here is a verb of the terminal. */
static json_t *request_evaluate(struct dap *dap, const json_t *arguments)
{
    const char *context = TEXT(arguments, "context"),
               *expression = TEXT(arguments, "expression") ? TEXT(arguments, "expression") : "";
    const bool console = context && !strcmp(context, "repl");
    const json_int_t id = NUMBER(arguments, "frameId");
    json_t *body = evaluate(dap, arguments, expression, console, "result");
    if (body || !console || !dap->session || !terminal_has_verb(expression))
        return body;
    const struct handle *frame = id ? frame_find(dap, id) : NULL;
    if (id && !frame)
        return NULL;
    const struct handle copy = frame ? *frame : (struct handle){0};
    return run_verb(dap, frame ? &copy : NULL, expression);
}

/* By global id, in any work-group that has begun. */
static json_t *request_focus(struct dap *dap, const json_t *arguments)
{
    const json_t *wanted = json_object_get(arguments, "global_id");
    json_t *launch = query(dap, json_pack("{s:s}", "verb", "launch"));
    const json_t *sizes = json_object_get(launch, "global_size"),
                 *offsets = json_object_get(launch, "global_offset");
    json_int_t number = 0;
    if (!launch)
        return NULL;
    if (!json_is_array(wanted) || json_array_size(wanted) < 1 || json_array_size(wanted) > 3) {
        json_decref(launch);
        return fail(dap, "orrery/focus needs \"global_id\": one to three numbers");
    }
    for (size_t k = 3; k-- > 0;) {
        const json_int_t offset = json_integer_value(json_array_get(offsets, k)),
                         size = json_integer_value(json_array_get(sizes, k)),
                         id = k < json_array_size(wanted) ? json_integer_value(json_array_get(wanted, k))
                                                          : offset;
        if (id < offset || id - offset >= size)
            fail(dap,
                 "found %" JSON_INTEGER_FORMAT " in dimension %zu, expected %" JSON_INTEGER_FORMAT
                 " to %" JSON_INTEGER_FORMAT,
                 id, k, offset, offset + size - 1);
        number = number * size + id - offset;
    }
    json_decref(launch);
    if (dap->error[0] || !focus_on(dap, number + 1))
        return NULL;
    return json_pack("{s:I}", "threadId", number + 1);
}

static json_t *assign(struct dap *dap, const json_t *arguments, const char *target, json_int_t thread,
                      int frame)
{
    char *text = NULL;
    json_t *body = NULL;
    if (!TEXT(arguments, "value") || asprintf(&text, "%s = %s", target, TEXT(arguments, "value")) < 0)
        return fail(dap, "there is no value");
    json_t *value = query(dap, json_pack("{s:s,s:s,s:I,s:i,s:b}", "verb", "evaluate", "expression", text,
                                         "thread", thread, "frame", frame, "assigns", true));
    if (value)
        body = show_value(dap, value, target, thread, frame, "value");
    json_decref(value);
    free(text);
    return body;
}

static json_t *request_set_variable(struct dap *dap, const json_t *arguments)
{
    const char *name = TEXT(arguments, "name");
    json_int_t thread;
    int frame;
    char *target = name ? expression_of(dap, arguments, name, &thread, &frame) : NULL;
    if (!target)
        return dap->error[0] ? NULL : fail(dap, "setVariable needs a name");
    json_t *body = assign(dap, arguments, target, thread, frame);
    free(target);
    return body;
}

static json_t *request_set_expression(struct dap *dap, const json_t *arguments)
{
    json_int_t thread;
    int frame;
    char *target = TEXT(arguments, "expression")
                       ? expression_of(dap, arguments, TEXT(arguments, "expression"), &thread, &frame)
                       : NULL;
    if (!target)
        return dap->error[0] ? NULL : fail(dap, "setExpression needs an expression");
    json_t *body = assign(dap, arguments, target, thread, frame);
    free(target);
    return body;
}

/* ---- memory, code, text ---------------------------------------------------------------------- */

static const char digits64[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static uint32_t hex_byte(const char *hex)
{
    const char pair[3] = {hex[0], hex[1], '\0'};
    return (uint32_t)strtoul(pair, NULL, 16);
}

static char *base64_of(const char *hex)
{
    const size_t count = strlen(hex) / 2;
    char *text = calloc(count / 3 * 4 + 5, 1), *at = text;
    if (!text)
        tools_no_memory();
    for (size_t i = 0; i < count; i += 3) {
        const size_t left = count - i;
        const uint32_t word = hex_byte(hex + 2 * i) << 16 | (left > 1 ? hex_byte(hex + 2 * i + 2) << 8 : 0) |
                              (left > 2 ? hex_byte(hex + 2 * i + 4) : 0);
        *at++ = digits64[word >> 18];
        *at++ = digits64[word >> 12 & 63];
        *at++ = left > 1 ? digits64[word >> 6 & 63] : '=';
        *at++ = left > 2 ? digits64[word & 63] : '=';
    }
    return text;
}

static char *hex_of(const char *base64)
{
    char *hex = calloc(strlen(base64) * 2 + 1, 1), *at = hex;
    uint32_t word = 0, bits = 0;
    if (!hex)
        tools_no_memory();
    for (; *base64 && *base64 != '='; base64++) {
        const char *digit = strchr(digits64, *base64);
        if (!digit)
            break;
        word = word << 6 | (uint32_t)(digit - digits64);
        bits += 6;
        if (bits >= 8) {
            bits -= 8;
            at += snprintf(at, 3, "%02x", word >> bits & 255);
        }
    }
    return hex;
}

static uint64_t place_of(const json_t *arguments)
{
    return strtoull(TEXT(arguments, "memoryReference") ? TEXT(arguments, "memoryReference") : "0", NULL, 0) +
           (uint64_t)NUMBER(arguments, "offset");
}

static json_t *request_read_memory(struct dap *dap, const json_t *arguments)
{
    char address[24];
    snprintf(address, sizeof address, "0x%" PRIx64, place_of(arguments));
    json_t *answer =
        query(dap, json_pack("{s:s,s:I,s:I,s:I}", "verb", "read", "address", (json_int_t)place_of(arguments),
                             "size", NUMBER(arguments, "count"), "thread", NUMBER(dap->stop, "thread")));
    if (!answer)
        return NULL;
    char *data = base64_of(TEXT(answer, "bytes"));
    json_t *body = json_pack("{s:s,s:I,s:s}", "address", address, "unreadableBytes",
                             NUMBER(answer, "missing"), "data", data);
    free(data);
    json_decref(answer);
    return body;
}

static json_t *request_write_memory(struct dap *dap, const json_t *arguments)
{
    char *hex = hex_of(TEXT(arguments, "data") ? TEXT(arguments, "data") : "");
    json_t *answer =
        query(dap, json_pack("{s:s,s:I,s:s,s:I}", "verb", "write", "address", (json_int_t)place_of(arguments),
                             "bytes", hex, "thread", NUMBER(dap->stop, "thread")));
    json_t *body = answer ? json_pack("{s:I}", "bytesWritten", NUMBER(answer, "count")) : NULL;
    free(hex);
    json_decref(answer);
    return body;
}

/* As many instructions as requested: those that do not exist are marked invalid. */
static json_t *request_disassemble(struct dap *dap, const json_t *arguments)
{
    const json_int_t first = (json_int_t)place_of(arguments) + NUMBER(arguments, "instructionOffset"),
                     count = NUMBER(arguments, "instructionCount");
    json_t *answer = query(dap, json_pack("{s:s,s:I,s:I,s:I}", "verb", "disassemble", "start", first, "count",
                                          count, "thread", NUMBER(dap->stop, "thread")));
    if (!answer)
        return NULL;
    json_t *list = json_array();
    const json_t *known = json_object_get(answer, "list");
    for (json_int_t i = 0, k = 0; i < count; i++) {
        const json_t *row = json_array_get(known, (size_t)k);
        char address[24];
        const bool exists = row && NUMBER(row, "index") == first + i;
        snprintf(address, sizeof address, "0x%" PRIx64, (uint64_t)(first + i));
        json_t *shown =
            json_pack("{s:s,s:s}", "address", address, "instruction", exists ? TEXT(row, "text") : "(none)");
        if (!exists)
            json_object_set_new(shown, "presentationHint", json_string("invalid"));
        k += exists;
        json_array_append_new(list, shown);
    }
    json_decref(answer);
    return json_pack("{s:o}", "instructions", list);
}

static json_t *request_source(struct dap *dap, const json_t *arguments)
{
    const json_t *source = json_object_get(arguments, "source");
    const json_int_t reference = NUMBER(source, "sourceReference") ? NUMBER(source, "sourceReference")
                                                                   : NUMBER(arguments, "sourceReference");
    const char *name = reference > 0 ? json_string_value(json_array_get(dap->sources, (size_t)reference - 1))
                                     : TEXT(source, "name");
    json_t *answer = query(dap, json_pack("{s:s,s:s*}", "verb", "source", "file", name));
    json_t *body =
        answer ? json_pack("{s:s,s:s}", "content", TEXT(answer, "text"), "mimeType", "text/x-opencl-src")
               : NULL;
    json_decref(answer);
    return body;
}

static json_t *request_loaded_sources(struct dap *dap, const json_t *arguments)
{
    (void)arguments;
    json_t *answer = query(dap, json_pack("{s:s}", "verb", "sources")), *list = json_array();
    for (size_t i = 0; i < json_array_size(json_object_get(answer, "list")); i++)
        json_array_append_new(
            list, source_of(dap, json_string_value(json_array_get(json_object_get(answer, "list"), i))));
    json_decref(answer);
    return json_pack("{s:o}", "sources", list);
}

/* ---- requests of our own --------------------------------------------------------------------- */

static json_t *request_host(struct dap *dap, const json_t *arguments)
{
    (void)arguments;
    return query(dap, json_pack("{s:s}", "verb", "host"));
}

static json_t *request_lanes(struct dap *dap, const json_t *arguments)
{
    return query(dap, json_pack("{s:s,s:s}", "verb", "lanes", "expression",
                                TEXT(arguments, "expression") ? TEXT(arguments, "expression") : ""));
}

static json_t *request_why(struct dap *dap, const json_t *arguments)
{
    return query(dap, json_pack("{s:s,s:s,s:I}", "verb", "why", "expression",
                                TEXT(arguments, "expression") ? TEXT(arguments, "expression") : "", "thread",
                                item_of(dap, NUMBER(arguments, "threadId"))));
}

static json_t *request_may_read(struct dap *dap, const json_t *arguments)
{
    if (!dap->session)
        return fail(dap, "nothing is launched");
    return accepted(
        dap, session_may_read(dap->session,
                              json_pack("{s:s,s:I}", "expression",
                                        TEXT(arguments, "expression") ? TEXT(arguments, "expression") : "",
                                        "thread", item_of(dap, NUMBER(arguments, "threadId")))));
}

/* With a work-item, that one runs next. */
static json_t *request_schedule(struct dap *dap, const json_t *arguments)
{
    const json_int_t number = NUMBER(arguments, "threadId");
    json_t *schedule = query(dap, json_pack("{s:s}", "verb", "schedule"));
    if (!schedule || !number)
        return schedule;
    json_t *done = accepted(dap, session_fork(dap->session, schedule, number));
    json_decref(done);
    if (done)
        return schedule;
    json_decref(schedule);
    return NULL;
}

static json_t *request_clocks(struct dap *dap, const json_t *arguments)
{
    return query(
        dap, json_pack("{s:s,s:I}", "verb", "clocks", "thread", item_of(dap, NUMBER(arguments, "threadId"))));
}

static json_t *request_hash(struct dap *dap, const json_t *arguments)
{
    (void)arguments;
    return query(dap, json_pack("{s:s}", "verb", "hash"));
}

static json_t *request_last_access(struct dap *dap, const json_t *arguments)
{
    const json_int_t size = NUMBER(arguments, "count");
    if (!dap->session)
        return fail(dap, "nothing is launched");
    json_decref(session_points(
        dap->session, json_pack("[{s:i,s:s,s:I,s:I,s:b,s:b}]", "id", 1000000, "kind", "watch", "address",
                                (json_int_t)place_of(arguments), "size", size ? size : 1, "read",
                                !json_is_true(json_object_get(arguments, "writes")), "write", true)));
    json_t *answer = accepted(dap, session_last(dap->session, json_pack("{s:s}", "mode", "continue")));
    json_decref(send_points(dap));
    return answer;
}

/* ---- the loop -------------------------------------------------------------------------------- */

static const struct {
    const char *command;
    request *answer;
} rows[] = {
    {"initialize", request_initialize},
    {"launch", request_launch},
    {"attach", request_attach},
    {"configurationDone", request_configuration_done},
    {"disconnect", request_disconnect},
    {"terminate", request_terminate},
    {"restart", request_restart},
    {"continue", request_continue},
    {"next", request_next},
    {"stepIn", request_step_in},
    {"stepOut", request_step_out},
    {"stepBack", request_step_back},
    {"reverseContinue", request_reverse_continue},
    {"restartFrame", request_restart_frame},
    {"pause", request_pause},
    {"setBreakpoints", request_set_breakpoints},
    {"setFunctionBreakpoints", request_set_function_breakpoints},
    {"setExceptionBreakpoints", request_set_exception_breakpoints},
    {"exceptionInfo", request_exception_info},
    {"dataBreakpointInfo", request_data_breakpoint_info},
    {"setDataBreakpoints", request_set_data_breakpoints},
    {"threads", request_threads},
    {"stackTrace", request_stack_trace},
    {"scopes", request_scopes},
    {"variables", request_variables},
    {"evaluate", request_evaluate},
    {"completions", request_completions},
    {"setVariable", request_set_variable},
    {"setExpression", request_set_expression},
    {"readMemory", request_read_memory},
    {"writeMemory", request_write_memory},
    {"disassemble", request_disassemble},
    {"source", request_source},
    {"loadedSources", request_loaded_sources},
    {"orrery/goto", request_goto_position},
    {"orrery/host", request_host},
    {"orrery/lanes", request_lanes},
    {"orrery/focus", request_focus},
    {"orrery/hash", request_hash},
    {"orrery/lastAccess", request_last_access},
    {"orrery/why", request_why},
    {"orrery/mayRead", request_may_read},
    {"orrery/schedule", request_schedule},
    {"orrery/clocks", request_clocks},
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
    json_object_set_new(response, "body", body);
    dap_wire_write(&dap->wire, response);
}

static void answer(struct dap *dap, const json_t *message)
{
    const char *command = TEXT(message, "command");
    json_t *body = NULL;
    bool known = false;
    dap->error[0] = '\0';
    for (size_t i = 0; command && i < sizeof rows / sizeof *rows && !known; i++) {
        known = !strcmp(rows[i].command, command);
        if (known)
            body = rows[i].answer(dap, json_object_get(message, "arguments"));
    }
    if (!known)
        fail(dap, "found request '%s', which is not supported", command ? command : "");
    const bool launched = body && command && (!strcmp(command, "launch") || !strcmp(command, "attach"));
    respond(dap, message, body);
    if (launched)
        event(dap, "initialized", NULL);
    if (dap->moved)
        announce_stop(dap, json_incref(dap->stop));
    dap->moved = false;
    while (dap->resume && !dap->quits)
        resume_now(dap);
}

/* An attached process may run without a kernel for long: it is not waited for. */
static bool leave(struct dap *dap, json_t *message)
{
    respond(dap, message, json_object());
    json_decref(message);
    dap->quits = true;
    return false;
}

/* During the run: requests about it are taken now, the rest waits. */
static bool wait_for_run(void *self, int fd)
{
    struct dap *dap = self;
    for (;;) {
        note_progress(dap);
        struct pollfd fds[2] = {{fd, POLLIN, 0}, {dap->wire.in, POLLIN, 0}};
        const bool pending = dap_wire_pending(&dap->wire);
        if (!pending && poll(fds, 2, 200) <= 0)
            return true;
        if (!pending && fds[0].revents)
            return true;
        json_t *message = dap_wire_read(&dap->wire);
        const char *command = TEXT(message, "command");
        if (!message) {
            dap->quits = true;
            return false;
        }
        if (command && !strcmp(command, "pause")) {
            session_interrupt(dap->session);
            respond(dap, message, json_object());
        } else {
            const bool ends = command && (!strcmp(command, "disconnect") || !strcmp(command, "terminate"));
            if (ends && session_attached(dap->session))
                return leave(dap, message);
            if (ends)
                session_interrupt(dap->session);
            json_array_append(dap->waiting, message);
        }
        json_decref(message);
    }
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
    handles_clear(dap);
    free(dap->handles);
    for (int i = 0; i < 4; i++)
        json_decref(dap->points[i]);
    json_decref(dap->waiting);
    json_decref(dap->stop);
    json_decref(dap->resume);
    json_decref(dap->sources);
    dap_wire_fini(&dap->wire);
}

int dap_run(const struct settings *settings, const char *port)
{
    struct dap dap = {.settings = settings,
                      .wire = {.in = STDIN_FILENO, .out = STDOUT_FILENO},
                      .waiting = json_array(),
                      .sources = json_array(),
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
