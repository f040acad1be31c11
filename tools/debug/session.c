/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Going back is running again from a copy. The last place before here is found from the nearest copy on: a
 * run that collects notes each place up to the limit; where it notes none, the copy before that is next. At
 * most about twice the way back to the place is run again.
 *
 * Without breakpoints, a run that continues uses the code without a debugger (include/orrery/debug.h, Plain).
 * The position is unknown then: the first request that needs it runs to the same place again, from the
 * beginning, with positions.
 */
#include "session_state.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "orrery/debug_attach.h"
#include "orrery/debug_wire.h"
#include "tools/tools.h"

enum { FIRST_LINE_MOST = 16 };

/* ---- requests -------------------------------------------------------------------------------- */

json_t *session_ask(struct session *session, json_t *request)
{
    if (!session_send(session, request))
        return session_target_ended(session);
    return session_await(session, "reply");
}

/* Resumes with a plan. Returns the stop, or the engine's refusal. */
static json_t *run(struct session *session, json_t *plan)
{
    json_object_set_new(plan, "verb", json_string("run"));
    session->runs = false;
    if (!session_send(session, plan))
        return session_target_ended(session);
    for (;;) {
        json_t *message = session_read(session);
        if (!message) {
            return session_target_ended(session);
        }
        json_t *stop = json_object_get(message, "stop"), *reply = json_object_get(message, "reply");
        json_incref(stop);
        json_incref(reply);
        session_take_note(session, message);
        json_decref(message);
        if (stop)
            return session_take_stop(session, stop);
        if (reply)
            return reply;
    }
}

/* ---- runs without positions ------------------------------------------------------------------ */

/* Runs from the beginning to a place that a run without positions has reached. Output before it is not
 * printed again. */
static json_t *run_again(struct session *session, json_t *plan)
{
    const int slot = session_nearest_copy(session, 0);
    session->furthest = UINT64_MAX;
    if (slot < 0 || !session_wake(session, slot)) {
        json_decref(plan);
        return json_pack("{s:s}", "error", "there is no way back from here");
    }
    json_t *stop = run(session, plan);
    session->furthest = session->position;
    return stop;
}

/* A run without positions has ended: finds the position of its end by another run. */
static void session_find_position(struct session *session)
{
    if (session->plain)
        json_decref(run_again(session, json_pack("{s:s,s:b}", "mode", "continue", "points", 0)));
    session->plain = false;
}

/* An attached process cannot be run again, so it is never without positions. */
static bool can_stop(const struct session *session, const json_t *plan)
{
    if (session->attached)
        return true;
    const char *mode = json_string_value(json_object_get(plan, "mode"));
    return !mode || strcmp(mode, "continue") || json_object_get(plan, "limit") ||
           (json_array_size(session->points) && !json_is_false(json_object_get(plan, "points")));
}

json_t *session_run(struct session *session, json_t *plan)
{
    if (session->ended) {
        json_decref(plan);
        return json_pack("{s:s}", "error", "the run is over");
    }
    if (!can_stop(session, plan))
        json_object_set_new(plan, "plain", json_true());
    json_t *stop = run(session, plan);
    json_t *phases = json_object_get(stop, "phases");
    if (!phases)
        return stop;
    json_t *there = json_pack("{s:s,s:O,s:O,s:b}", "mode", "goto", "phases", phases, "slices",
                              json_object_get(stop, "slices"), "points", 0);
    json_decref(stop);
    stop = run_again(session, there);
    if (!json_object_get(stop, "error"))
        json_object_set_new(stop, "reason", json_string("pause"));
    return stop;
}

/* The engine's text, else that of the file. */
static json_t *ask_source(struct session *session, json_t *request)
{
    json_t *file = json_incref(json_object_get(request, "file")), *answer = session_ask(session, request);
    json_t *of_file = file && json_object_get(answer, "error")
                          ? session_source_of_file(session, json_string_value(file))
                          : NULL;
    json_decref(file);
    if (!of_file)
        return answer;
    json_decref(answer);
    return of_file;
}

json_t *session_request(struct session *session, json_t *request)
{
    const char *verb = json_string_value(json_object_get(request, "verb"));
    if (verb && !strcmp(verb, "hash"))
        session_find_position(session);
    if (verb && !strcmp(verb, "source"))
        return ask_source(session, request);
    return session_ask(session, request);
}

/* Runs from the beginning to here again while the engine records the writes of those bytes. Returns
 * NULL, or the error. */
static json_t *track_to_here(struct session *session, const json_t *track)
{
    const uint64_t here = session->position, furthest = session->furthest;
    json_t *request = json_deep_copy(track);
    const int slot = session_nearest_copy(session, 0);
    json_object_set_new(request, "verb", json_string("track"));
    if (slot < 0 || !session_wake(session, slot)) {
        json_decref(request);
        return json_pack("{s:s}", "error", "there is no way back from here");
    }
    session->furthest = UINT64_MAX; /* what was printed on the way is not printed again */
    session->tracks = true;
    json_decref(session_ask(session, request));
    json_t *stop =
        run(session, json_pack("{s:s,s:I,s:b}", "mode", "goto", "limit", (json_int_t)here, "points", 0));
    session->furthest = furthest;
    if (json_object_get(stop, "error"))
        return stop;
    json_decref(stop);
    return NULL;
}

json_t *session_may_read(struct session *session, json_t *request)
{
    json_object_set_new(request, "verb", json_string("may_read"));
    json_t *answer = session_request(session, json_deep_copy(request));
    const json_t *track = json_object_get(answer, "track");
    if (!track) {
        json_decref(request);
        return answer;
    }
    json_t *error = track_to_here(session, track);
    json_decref(answer);
    answer = error ? error : session_request(session, json_incref(request));
    session_stop_tracking(session);
    json_decref(request);
    return answer;
}

json_t *session_restart(struct session *session)
{
    const int slot = session_nearest_copy(session, 0);
    session->furthest = 0;
    session->plain = false;
    if (slot >= 0 && session_wake(session, slot))
        return json_pack("{s:s,s:i}", "reason", "start", "position", 0);
    return json_pack("{s:s}", "error",
                     session->attached ? "there is no way back from here" : "the run has not begun");
}

json_t *session_goto(struct session *session, uint64_t position)
{
    session_find_position(session);
    if (position < session->position || (session->ended && position != session->position)) {
        const int slot = session_nearest_copy(session, position ? position - 1 : 0);
        if (slot < 0 || !session_wake(session, slot))
            return json_pack("{s:s}", "error", "there is no way back from here");
    }
    if (position <= session->position)
        return json_pack("{s:s,s:I}", "reason", "goto", "position", (json_int_t)session->position);
    return session_run(
        session, json_pack("{s:s,s:I,s:b}", "mode", "goto", "limit", (json_int_t)position, "points", 0));
}

static json_t *collect(struct session *session, json_t *plan, int slot, uint64_t limit)
{
    json_t *once = json_copy(plan);
    if (!session_wake(session, slot)) {
        json_decref(once);
        return json_pack("{s:s}", "error", "there is no way back from here");
    }
    json_object_set_new(once, "collect", json_true());
    json_object_set_new(once, "limit", json_integer((json_int_t)limit));
    json_object_set_new(once, "fresh", json_boolean(session->position == 0));
    return run(session, once);
}

static bool is_interrupted(const json_t *stop)
{
    const char *reason = json_string_value(json_object_get(stop, "reason"));
    return reason && !strcmp(reason, "pause");
}

/* Returns the last position before `before` at which the plan was met, or 0. out_stop gets the stop of
 * the last run. */
static uint64_t find_last(struct session *session, json_t *plan, uint64_t before, json_t **out_stop)
{
    uint64_t limit = before;
    *out_stop = NULL;
    for (int slot = before ? session_nearest_copy(session, before - 1) : -1; slot >= 0;) {
        const uint64_t begin = session->slots[slot].position;
        json_decref(*out_stop);
        *out_stop = limit > begin ? collect(session, plan, slot, limit) : NULL;
        const uint64_t last = (uint64_t)json_integer_value(json_object_get(*out_stop, "last"));
        if (last || json_object_get(*out_stop, "error") || is_interrupted(*out_stop))
            return last;
        if (!json_is_true(json_object_get(*out_stop, "unsure")))
            limit = begin + 1;
        slot = begin ? session_nearest_copy(session, begin - 1) : -1;
    }
    return 0;
}

/* Where a run stops again, the first work-item of the wave is in focus; a step keeps its own, and at a
 * breakpoint it is the one that met the condition. */
static void focus_again(struct session *session, json_int_t thread, json_t *stop)
{
    json_t *place = session_ask(session, json_pack("{s:s,s:I}", "verb", "focus", "thread", thread));
    if (!json_object_get(place, "error"))
        json_object_update(stop, place);
    json_decref(place);
}

/* Before its first line a run has nothing to show: the launch and a work-group begin. */
static json_t *go_to_first_line(struct session *session)
{
    json_t *stop = session_goto(session, 1);
    for (uint64_t at = 2; at <= FIRST_LINE_MOST && !json_object_get(stop, "error") &&
                          !json_object_get(stop, "function") && !session->ended;
         at++) {
        json_decref(stop);
        stop = session_goto(session, at);
    }
    return stop;
}

/* A way back was interrupted: the run stands where it stood before. */
static json_t *back_to(struct session *session, uint64_t here)
{
    json_t *stop = session_goto(session, here);
    if (!json_object_get(stop, "error"))
        json_object_set_new(stop, "reason", json_string("pause"));
    return stop;
}

json_t *session_back(struct session *session, json_t *plan)
{
    json_t *found, *stop;
    session_find_position(session);
    const uint64_t here = session->position;
    const bool entry = !strcmp(json_string_value(json_object_get(plan, "mode")), "entry");
    const uint64_t last = find_last(session, plan, session->position + entry, &found);
    const json_int_t point = json_integer_value(json_object_get(found, "last_point")),
                     thread = json_integer_value(point ? json_object_get(found, "last_thread")
                                                       : json_object_get(plan, "thread"));
    const char *error = json_string_value(json_object_get(found, "error"));
    json_decref(plan);
    if (error)
        return found;
    if (is_interrupted(found)) {
        json_decref(found);
        return back_to(session, here);
    }
    stop = last ? session_goto(session, last) : go_to_first_line(session);
    if (last && thread && !json_object_get(stop, "error"))
        focus_again(session, thread, stop);
    json_object_set_new(stop, "reason",
                        json_string(!last   ? "beginning"
                                    : point ? "breakpoint"
                                    : entry ? "entry"
                                            : "step"));
    if (point)
        json_object_set_new(stop, "point", json_integer(point));
    if (point && json_string_length(json_object_get(found, "last_text")))
        json_object_set(stop, "text", json_object_get(found, "last_text"));
    json_decref(found);
    return stop;
}

json_t *session_last(struct session *session, json_t *plan)
{
    json_t *found, *answer;
    session_find_position(session);
    const uint64_t here = session->position;
    const bool ended = session->ended;
    const uint64_t last = find_last(session, plan, here, &found);
    json_decref(plan);
    answer = is_interrupted(found) ? json_pack("{s:s}", "error", "the way back was interrupted")
                                   : json_pack("{s:I,s:O*}", "last", (json_int_t)last, "text",
                                               json_object_get(found, "last_text"));
    json_decref(found);
    if (ended)
        json_decref(run(session, json_pack("{s:s,s:b}", "mode", "continue", "points", 0)));
    else
        json_decref(session_goto(session, here));
    return answer;
}

json_t *session_replay(struct session *session)
{
    session_find_position(session);
    const json_int_t here = (json_int_t)session->position;
    return run_again(session, session->ended ? json_pack("{s:s}", "mode", "continue")
                                             : json_pack("{s:s,s:I}", "mode", "goto", "limit", here));
}

json_t *session_points(struct session *session, json_t *points)
{
    json_decref(session->points);
    session->points = points;
    return session_ask(session, json_pack("{s:s,s:O}", "verb", "points", "points", points));
}

void session_begin_command(struct session *session)
{
    session->is_due = 0;
}

void session_interrupt(struct session *session)
{
    session->is_due = !session->runs;
    if (session->runs && session->running > 0 && session->running != getpid())
        kill(session->running, DEBUG_SIGNAL);
}

uint64_t session_position(struct session *session)
{
    session_find_position(session);
    return session->position;
}

uint64_t session_executed(const struct session *session)
{
    return session->executed;
}

bool session_attached(const struct session *session)
{
    return session->attached;
}

bool session_ended(const struct session *session)
{
    return session->ended;
}

size_t session_copies(const struct session *session)
{
    size_t count = 0;
    for (int i = 0; i < COPIES; i++)
        count += session->slots[i].used;
    return count;
}

/* ---- life ------------------------------------------------------------------------------------ */

static struct session *session_begin(const struct session_host *host)
{
    struct session *session = calloc(1, sizeof *session);
    if (!session)
        tools_no_memory();
    session->host = *host;
    session->interval = 1 << 15;
    return session;
}

struct session *session_new(struct scenario *scenario, char **command, const struct session_host *host)
{
    struct session *session = session_begin(host);
    session->scenario = scenario;
    session->command = command;
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); /* copies of a process that ended are ours to wait for */
    if (!(command ? session_start_program(session) : session_start(session))) {
        free(session);
        return NULL;
    }
    json_decref(session_take_stop(session, session_await(session, "stop")));
    return session;
}

/* A process that does not listen has no socket, and before the first one that does there is no directory. */
static bool find_process(pid_t process, char path[DEBUG_ATTACH_PATH], struct diagnosis *diagnosis)
{
    const bool fine = debug_attach_path(getenv("XDG_RUNTIME_DIR"), process, false, path, diagnosis);
    if (access(path, F_OK) == 0 || errno != ENOENT)
        return fine;
    *diagnosis = (struct diagnosis){0};
    diagnose(diagnosis, STATUS_IO,
             "process %ld does not listen for a debugger: start it with ORRERY_DEBUG_LISTEN=1",
             (long)process);
    return false;
}

static bool find_target(const char *target, char path[DEBUG_ATTACH_PATH], struct diagnosis *diagnosis)
{
    char *end;
    const long process = strtol(target, &end, 10);
    if (!*end && process > 0)
        return find_process((pid_t)process, path, diagnosis);
    if (strlen(target) >= DEBUG_ATTACH_PATH) {
        diagnose(diagnosis, STATUS_IO, "%s: found a path that is too long for a socket", target);
        return false;
    }
    strcpy(path, target);
    return true;
}

struct session *session_attach(const char *target, const struct session_host *host,
                               struct diagnosis *diagnosis)
{
    char path[DEBUG_ATTACH_PATH];
    pid_t process;
    const int socket =
        find_target(target, path, diagnosis) ? debug_attach_connect(path, &process, diagnosis) : -1;
    if (socket < 0)
        return NULL;
    struct session *session = session_begin(host);
    session->attached = session->started = true;
    session->socket = socket;
    session->running = process;
    return session;
}

json_t *session_await_launch(struct session *session)
{
    json_t *stop = session_take_stop(session, session_await(session, "stop"));
    if (json_object_get(stop, "error"))
        return stop;
    json_decref(stop);
    return session_run(session, json_pack("{s:s}", "mode", "launch"));
}

int session_process(const struct session *session)
{
    return (int)session->running;
}

void session_free(struct session *session)
{
    if (!session)
        return;
    session_close(session);
    json_decref(session->points);
    json_decref(session->forks);
    free(session);
}
