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
#include "session.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "inferior.h"
#include "orrery/debug_attach.h"
#include "orrery/debug_wire.h"
#include "tools/tools.h"

enum { LIFE_CHECK_MS = 200 };

struct session {
    struct scenario *scenario;
    char **command; /* the target is this program; NULL: the scenario, or: */
    bool attached;  /* a process that ran before, and continues after the session */
    struct session_host host;
    struct inferior channels;
    int socket, life; /* this side's ends */
    char buffer[1 << 14];
    size_t at, filled; /* received, not read yet */
    pid_t running;
    struct copy_slot slots[COPIES];
    uint64_t interval;
    uint64_t position, furthest; /* furthest: output before the event of that position was shown */
    uint64_t executed;           /* positions that were passed, each time they were */
    bool ended, started;
    bool tracks; /* copies may keep the writes of some bytes, which a run does not need */
    bool plain;  /* it ended so: the position is unknown */
    json_t *points;
    json_t *forks; /* {"launch", "step", "tile", "wave"}: waves chosen; NULL: none */
};

/* ---- messages -------------------------------------------------------------------------------- */

static bool is_alive(const struct session *session)
{
    while (waitpid(-1, NULL, WNOHANG) > 0)
        ;
    return kill(session->running, 0) == 0;
}

/* The sleeping copies hold the socket, too: its end is not the end of the process that runs. */
static bool wait_for_message(struct session *session)
{
    struct pollfd fd = {session->socket, POLLIN, 0};
    for (;;) {
        if (session->host.wait && !session->host.wait(session->host.self, session->socket))
            return false;
        const int ready = poll(&fd, 1, LIFE_CHECK_MS);
        if (ready > 0)
            return true;
        if (ready == 0 && !is_alive(session))
            return false;
    }
}

static bool receive(struct session *session)
{
    for (;;) {
        const ssize_t got = recv(session->socket, session->buffer, sizeof session->buffer, MSG_DONTWAIT);
        if (got < 0 && (errno == EINTR || (errno == EAGAIN && wait_for_message(session))))
            continue;
        session->at = 0;
        session->filled = got > 0 ? (size_t)got : 0;
        return got > 0;
    }
}

static json_t *read_message(struct session *session)
{
    char *line = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&line, &size);
    bool whole = false;
    if (!stream)
        tools_no_memory();
    while (!whole && (session->at < session->filled || receive(session))) {
        const char *begin = session->buffer + session->at,
                   *end = memchr(begin, '\n', session->filled - session->at);
        const size_t part = end ? (size_t)(end - begin) : session->filled - session->at;
        fwrite(begin, 1, part, stream);
        session->at += part + (end != NULL);
        whole = end != NULL;
    }
    fclose(stream);
    json_t *message = whole ? json_loadb(line, size, 0, NULL) : NULL;
    free(line);
    return message;
}

static void take_note(struct session *session, const json_t *message)
{
    const json_t *slot = json_object_get(message, "copy"), *dropped = json_object_get(message, "dropped"),
                 *interval = json_object_get(message, "interval"), *text = json_object_get(message, "print"),
                 *woken = json_object_get(message, "woken");
    const uint64_t position = (uint64_t)json_integer_value(json_object_get(message, "position"));
    if (slot && json_integer_value(slot) < COPIES)
        session->slots[json_integer_value(slot)] = (struct copy_slot){
            true, position, (pid_t)json_integer_value(json_object_get(message, "process"))};
    if (dropped && json_integer_value(dropped) < COPIES)
        session->slots[json_integer_value(dropped)].used = false;
    if (interval)
        session->interval = (uint64_t)json_integer_value(interval);
    if (woken)
        session->running = (pid_t)json_integer_value(woken);
    if (text && (position >= session->furthest || json_is_true(json_object_get(message, "log"))))
        session->host.print(session->host.self, json_string_value(text));
}

static json_t *target_ended(struct session *session)
{
    session->ended = true;
    return json_pack("{s:s}", "error", "the process that runs the target has ended");
}

/* Waits for a message with that key and returns its value. Notes before it are processed. */
static json_t *await(struct session *session, const char *key)
{
    for (;;) {
        json_t *message = read_message(session);
        if (!message) {
            return target_ended(session);
        }
        json_t *wanted = json_object_get(message, key);
        json_incref(wanted);
        take_note(session, message);
        json_decref(message);
        if (wanted)
            return wanted;
    }
}

static bool send_message(struct session *session, json_t *message)
{
    char *text = json_dumps(message, JSON_COMPACT);
    bool fine = text != NULL;
    json_decref(message);
    if (fine) {
        const size_t size = strlen(text);
        text[size] = '\n'; /* in place of the end */
        for (size_t at = 0; at <= size && fine;) {
            const ssize_t sent = send(session->socket, text + at, size + 1 - at, MSG_NOSIGNAL);
            fine = sent > 0 || errno == EINTR;
            at += sent > 0 ? (size_t)sent : 0;
        }
    }
    free(text);
    return fine;
}

/* ---- processes ------------------------------------------------------------------------------- */

static json_t *take_stop(struct session *session, json_t *stop)
{
    const json_t *position = json_object_get(stop, "position"), *reason = json_object_get(stop, "reason");
    const uint64_t before = session->position;
    if (position)
        session->position = (uint64_t)json_integer_value(position);
    if (session->position > before)
        session->executed += session->position - before;
    if (session->position > session->furthest)
        session->furthest = session->position;
    session->ended = reason && !strcmp(json_string_value(reason), "exited");
    session->plain = session->ended && json_is_true(json_object_get(stop, "plain"));
    return stop;
}

/*
 * Ctrl-C is for the session; the program's standard output must not be taken for a front end's messages
 * there.
 */
static _Noreturn void become(const struct session *session, int socket)
{
    char number[16];
    snprintf(number, sizeof number, "%d", socket);
    setenv(DEBUG_SOCKET_VARIABLE, number, 1);
    signal(SIGINT, SIG_IGN);
    if (session->host.owns_output)
        dup2(STDERR_FILENO, STDOUT_FILENO);
    execvp(session->command[0], session->command);
    tools_message("error: %s: %s", session->command[0], strerror(errno));
    _exit(EXIT_NOT_FOUND);
}

/* A program has no copies: each way back starts it again. */
static bool start_program(struct session *session)
{
    int sockets[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) < 0)
        return false;
    fflush(NULL);
    session->running = fork();
    if (session->running == 0) {
        close(sockets[0]);
        become(session, sockets[1]);
    }
    close(sockets[1]);
    session->socket = sockets[0];
    session->at = session->filled = 0;
    session->slots[0] = (struct copy_slot){true, 0, 0};
    session->started = session->running > 0;
    return session->started;
}

static bool start(struct session *session)
{
    int sockets[2], life[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) < 0 || pipe(life) < 0)
        return false;
    for (int i = 0; i < COPIES; i++)
        if (pipe(session->channels.pipes[i]) < 0)
            return false;
    session->channels.socket = sockets[1];
    session->channels.life = life[0];
    session->socket = sockets[0];
    session->life = life[1];
    fflush(NULL);
    session->running = fork();
    if (session->running == 0) {
        close(sockets[0]);
        close(life[1]);
        inferior_run(&session->channels, session->scenario);
    }
    close(sockets[1]);
    session->started = session->running > 0;
    return session->started;
}

static void stop_running(struct session *session)
{
    if (session->running <= 0 || !is_alive(session) || (session->attached && session->ended))
        return;
    if (send_message(session, json_pack("{s:s}", "verb", "exit")))
        json_decref(await(session, "bye"));
}

static void close_all(struct session *session)
{
    if (!session->started)
        return;
    stop_running(session);
    close(session->socket);
    session->started = false;
    if (session->command || session->attached)
        return;
    close(session->life);
    close(session->channels.life);
    for (int i = 0; i < COPIES; i++) {
        close(session->channels.pipes[i][0]);
        close(session->channels.pipes[i][1]);
    }
}

/* Returns the nearest copy at or before a position, or -1. */
static int nearest_copy(const struct session *session, uint64_t position)
{
    int best = -1;
    for (int i = 0; i < COPIES; i++)
        if (session->slots[i].used && session->slots[i].position <= position &&
            (best < 0 || session->slots[i].position > session->slots[best].position))
            best = i;
    return best;
}

static void resend_points(struct session *session)
{
    if (session->forks &&
        send_message(session, json_pack("{s:s,s:O}", "verb", "forks", "list", session->forks)))
        json_decref(await(session, "reply"));
    if (session->points &&
        send_message(session, json_pack("{s:s,s:O}", "verb", "points", "points", session->points)))
        json_decref(await(session, "reply"));
}

static void stop_tracking(struct session *session)
{
    if (session->tracks && send_message(session, json_pack("{s:s}", "verb", "track")))
        json_decref(await(session, "reply"));
}

static bool restart_program(struct session *session)
{
    close_all(session);
    if (!start_program(session))
        return false;
    session->position = 0;
    json_t *stop = take_stop(session, await(session, "stop"));
    const bool fine = !json_object_get(stop, "error");
    json_decref(stop);
    if (fine)
        resend_points(session);
    return fine;
}

static bool wake(struct session *session, int slot)
{
    if (session->command)
        return restart_program(session);
    struct wake wake = {.interval = session->interval};
    stop_running(session);
    memcpy(wake.slots, session->slots, sizeof wake.slots);
    session->running = 0;
    if (write(session->channels.pipes[slot][1], &wake, sizeof wake) != (ssize_t)sizeof wake)
        return false;
    session->running = getpid(); /* until its first message: alive */
    json_decref(await(session, "woken"));
    session->position = session->slots[slot].position;
    session->ended = false;
    stop_tracking(session);
    resend_points(session);
    return true;
}

/* ---- requests -------------------------------------------------------------------------------- */

static json_t *ask(struct session *session, json_t *request)
{
    if (!send_message(session, request))
        return target_ended(session);
    return await(session, "reply");
}

/* Resumes with a plan. Returns the stop, or the engine's refusal. */
static json_t *run(struct session *session, json_t *plan)
{
    json_object_set_new(plan, "verb", json_string("run"));
    if (!send_message(session, plan))
        return target_ended(session);
    for (;;) {
        json_t *message = read_message(session);
        if (!message) {
            return target_ended(session);
        }
        json_t *stop = json_object_get(message, "stop"), *reply = json_object_get(message, "reply");
        json_incref(stop);
        json_incref(reply);
        take_note(session, message);
        json_decref(message);
        if (stop)
            return take_stop(session, stop);
        if (reply)
            return reply;
    }
}

/* ---- runs without positions ------------------------------------------------------------------ */

/* Runs from the beginning to a place that a run without positions has reached. Output before it is not
 * printed again. */
static json_t *run_again(struct session *session, json_t *plan)
{
    const int slot = nearest_copy(session, 0);
    session->furthest = UINT64_MAX;
    if (slot < 0 || !wake(session, slot)) {
        json_decref(plan);
        return json_pack("{s:s}", "error", "there is no way back from here");
    }
    json_t *stop = run(session, plan);
    session->furthest = session->position;
    return stop;
}

/* A run without positions has ended: finds the position of its end by another run. */
static void find_position(struct session *session)
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

json_t *session_request(struct session *session, json_t *request)
{
    const char *verb = json_string_value(json_object_get(request, "verb"));
    if (verb && !strcmp(verb, "hash"))
        find_position(session);
    return ask(session, request);
}

/* Runs from the beginning to here again while the engine records the writes of those bytes. Returns
 * NULL, or the error. */
static json_t *track_to_here(struct session *session, const json_t *track)
{
    const uint64_t here = session->position, furthest = session->furthest;
    json_t *request = json_deep_copy(track);
    const int slot = nearest_copy(session, 0);
    json_object_set_new(request, "verb", json_string("track"));
    if (slot < 0 || !wake(session, slot)) {
        json_decref(request);
        return json_pack("{s:s}", "error", "there is no way back from here");
    }
    session->furthest = UINT64_MAX; /* what was printed on the way is not printed again */
    session->tracks = true;
    json_decref(ask(session, request));
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
    stop_tracking(session);
    json_decref(request);
    return answer;
}

json_t *session_restart(struct session *session)
{
    const int slot = nearest_copy(session, 0);
    session->furthest = 0;
    session->plain = false;
    if (slot >= 0 && wake(session, slot))
        return json_pack("{s:s,s:i}", "reason", "start", "position", 0);
    return json_pack("{s:s}", "error",
                     session->attached ? "there is no way back from here" : "the run has not begun");
}

json_t *session_goto(struct session *session, uint64_t position)
{
    find_position(session);
    if (position < session->position || (session->ended && position != session->position)) {
        const int slot = nearest_copy(session, position ? position - 1 : 0);
        if (slot < 0 || !wake(session, slot))
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
    if (!wake(session, slot)) {
        json_decref(once);
        return json_pack("{s:s}", "error", "there is no way back from here");
    }
    json_object_set_new(once, "collect", json_true());
    json_object_set_new(once, "limit", json_integer((json_int_t)limit));
    json_object_set_new(once, "fresh", json_boolean(session->position == 0));
    return run(session, once);
}

/* Returns the last position before `before` at which the plan was met, or 0. out_stop gets the stop of
 * the last run. */
static uint64_t find_last(struct session *session, json_t *plan, uint64_t before, json_t **out_stop)
{
    uint64_t limit = before;
    *out_stop = NULL;
    for (int slot = before ? nearest_copy(session, before - 1) : -1; slot >= 0;) {
        const uint64_t begin = session->slots[slot].position;
        json_decref(*out_stop);
        *out_stop = limit > begin ? collect(session, plan, slot, limit) : NULL;
        const uint64_t last = (uint64_t)json_integer_value(json_object_get(*out_stop, "last"));
        if (last || json_object_get(*out_stop, "error"))
            return last;
        if (!json_is_true(json_object_get(*out_stop, "unsure")))
            limit = begin + 1;
        slot = begin ? nearest_copy(session, begin - 1) : -1;
    }
    return 0;
}

/* Where a run stops again, the first work-item of the wave is in focus; a step keeps its own. */
static void focus_again(struct session *session, json_int_t thread, json_t *stop)
{
    json_t *place = ask(session, json_pack("{s:s,s:I}", "verb", "focus", "thread", thread));
    if (!json_object_get(place, "error"))
        json_object_update(stop, place);
    json_decref(place);
}

json_t *session_back(struct session *session, json_t *plan)
{
    json_t *found, *stop;
    find_position(session);
    const bool entry = !strcmp(json_string_value(json_object_get(plan, "mode")), "entry");
    const uint64_t last = find_last(session, plan, session->position + entry, &found);
    const json_int_t point = json_integer_value(json_object_get(found, "last_point")),
                     thread = json_integer_value(json_object_get(plan, "thread"));
    const char *error = json_string_value(json_object_get(found, "error"));
    json_decref(plan);
    if (error)
        return found;
    stop = session_goto(session, last ? last : 1);
    if (last && !point && thread && !json_object_get(stop, "error"))
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
    find_position(session);
    const uint64_t here = session->position;
    const bool ended = session->ended;
    const uint64_t last = find_last(session, plan, here, &found);
    json_decref(plan);
    answer = json_pack("{s:I,s:O*}", "last", (json_int_t)last, "text", json_object_get(found, "last_text"));
    json_decref(found);
    if (ended)
        json_decref(run(session, json_pack("{s:s,s:b}", "mode", "continue", "points", 0)));
    else
        json_decref(session_goto(session, here));
    return answer;
}

/* ---- another schedule ------------------------------------------------------------------------ */

/* Ends the copies after this position: they belong to the schedule as it was. */
static void end_later_copies(struct session *session)
{
    const struct wake end = {.end = true};
    for (int i = 0; i < COPIES && !session->command; i++) {
        struct copy_slot *slot = &session->slots[i];
        if (!slot->used || slot->position <= session->position)
            continue;
        if (write(session->channels.pipes[i][1], &end, sizeof end) == (ssize_t)sizeof end)
            slot->used = false;
    }
}

static bool comes_before(const json_t *fork, const json_t *other)
{
    const json_int_t launch = json_integer_value(json_object_get(fork, "launch")),
                     other_launch = json_integer_value(json_object_get(other, "launch"));
    return launch < other_launch ||
           (launch == other_launch && json_integer_value(json_object_get(fork, "step")) <
                                          json_integer_value(json_object_get(other, "step")));
}

static void add_fork(struct session *session, json_t *fork)
{
    if (!session->forks)
        session->forks = json_array();
    for (size_t i = json_array_size(session->forks); i-- > 0;)
        if (!comes_before(json_array_get(session->forks, i), fork))
            json_array_remove(session->forks, i);
    json_array_append_new(session->forks, fork);
}

static bool has_thread(const json_t *wave, json_int_t number)
{
    const json_t *threads = json_object_get(wave, "threads");
    for (size_t i = 0; i < json_array_size(threads); i++)
        if (json_integer_value(json_array_get(threads, i)) == number)
            return true;
    return false;
}

static json_t *fork_for(const json_t *schedule, json_int_t number)
{
    const json_t *waves = json_object_get(schedule, "waves");
    for (size_t i = 0; i < json_array_size(waves); i++) {
        const json_t *wave = json_array_get(waves, i);
        if (has_thread(wave, number))
            return json_pack("{s:O,s:O,s:O,s:O}", "launch", json_object_get(schedule, "launch"), "step",
                             json_object_get(schedule, "step"), "tile", json_object_get(wave, "tile"), "wave",
                             json_object_get(wave, "wave"));
    }
    return NULL;
}

static json_t *refuse_fork(const json_t *schedule, json_int_t number)
{
    char text[200];
    if (json_is_true(json_object_get(schedule, "over")))
        snprintf(text, sizeof text, "no choice is left: the launch ends before another one");
    else if (json_is_true(json_object_get(schedule, "may_choose")))
        snprintf(text, sizeof text,
                 "found work-item %" JSON_INTEGER_FORMAT ", expected one that could run next", number - 1);
    else
        snprintf(text, sizeof text, "a script chooses each step: leave out --schedule=script to choose here");
    return json_pack("{s:s}", "error", text);
}

json_t *session_fork(struct session *session, const json_t *schedule, json_int_t number)
{
    const uint64_t here = session->position;
    json_t *fork = json_is_true(json_object_get(schedule, "may_choose")) ? fork_for(schedule, number) : NULL;
    if (!fork)
        return refuse_fork(schedule, number);
    add_fork(session, fork);
    session->furthest = here; /* from here on output was not printed yet */
    if (session->command || session->attached)
        return ask(session, json_pack("{s:s,s:O}", "verb", "forks", "list", session->forks));
    end_later_copies(session);
    const int slot = nearest_copy(session, here ? here - 1 : 0);
    if (slot < 0 || !wake(session, slot))
        return json_pack("{s:s}", "error", "there is no way back from here");
    return session_goto(session, here);
}

json_t *session_replay(struct session *session)
{
    find_position(session);
    const json_int_t here = (json_int_t)session->position;
    return run_again(session, session->ended ? json_pack("{s:s}", "mode", "continue")
                                             : json_pack("{s:s,s:I}", "mode", "goto", "limit", here));
}

json_t *session_points(struct session *session, json_t *points)
{
    json_decref(session->points);
    session->points = points;
    return ask(session, json_pack("{s:s,s:O}", "verb", "points", "points", points));
}

void session_interrupt(struct session *session)
{
    if (session->running > 0 && session->running != getpid())
        kill(session->running, DEBUG_SIGNAL);
}

uint64_t session_position(struct session *session)
{
    find_position(session);
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

/* ---- what copies cost ------------------------------------------------------------------------ */

/* Returns the value of a row of the process' smaps_rollup in bytes. 0: the process has ended, or there
 * is no such row. */
static uint64_t memory_of(pid_t process, const char *row)
{
    char path[64], line[256];
    unsigned long long kibibytes = 0;
    snprintf(path, sizeof path, "/proc/%d/smaps_rollup", (int)process);
    FILE *file = fopen(path, "re");
    while (file && fgets(line, sizeof line, file))
        if (!strncmp(line, row, strlen(row)))
            kibibytes = strtoull(line + strlen(row), NULL, 10);
    if (file)
        fclose(file);
    return kibibytes * 1024;
}

/* Pss divides a shared page among its processes, so the sum counts each page once. */
struct session_memory session_memory(const struct session *session)
{
    struct session_memory memory = {.most_copies = COPIES};
    for (int i = 0; i < COPIES; i++) {
        const pid_t process = session->slots[i].used ? session->slots[i].process : 0;
        memory.copies += process > 0;
        memory.bytes += process > 0 ? memory_of(process, "Pss:") : 0;
    }
    if (memory.copies)
        memory.most_bytes = COPIES * memory_of(session->running, "Rss:");
    return memory;
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
    if (!(command ? start_program(session) : start(session))) {
        free(session);
        return NULL;
    }
    json_decref(take_stop(session, await(session, "stop")));
    return session;
}

static bool find_target(const char *target, char path[DEBUG_ATTACH_PATH], struct diagnosis *diagnosis)
{
    char *end;
    const long process = strtol(target, &end, 10);
    if (!*end && process > 0)
        return debug_attach_path(getenv("XDG_RUNTIME_DIR"), (pid_t)process, false, path, diagnosis);
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
    json_t *stop = take_stop(session, await(session, "stop"));
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
    close_all(session);
    json_decref(session->points);
    json_decref(session->forks);
    free(session);
}
