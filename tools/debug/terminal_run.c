/* SPDX-License-Identifier: Apache-2.0 */
/* Verbs that move: forwards by the engine's plans, backwards by the session. */
#include <stdlib.h>
#include <string.h>

#include "terminal.h"
#include "tools/tools.h"

/* The plan of a step begins where the work-item stands. */
static json_t *plan_here(struct terminal *t, const char *mode)
{
    json_t *stack = terminal_ask(t, "stack", NULL);
    if (!stack)
        return NULL;
    const json_t *frame = json_array_get(json_object_get(stack, "frames"), t->frame);
    json_t *plan =
        json_pack("{s:s,s:I,s:I,s:I,s:I}", "mode", mode, "thread", NUMBER(stack, "thread"), "launch",
                  NUMBER(stack, "launch"), "call", NUMBER(frame, "call"), "line", NUMBER(frame, "line"));
    json_decref(stack);
    return plan;
}

static long times_of(const char *arguments)
{
    const long times = strtol(arguments, NULL, 0);
    return times > 0 ? times : 1;
}

static bool is_step(const json_t *stop)
{
    const char *reason = TEXT(stop, "reason");
    return reason && !strcmp(reason, "step");
}

static void repeat(struct terminal *t, const char *mode, const char *arguments, bool back)
{
    for (long left = times_of(arguments); left > 0; left--) {
        json_t *plan = plan_here(t, mode);
        if (!plan)
            return;
        if (back)
            json_object_set_new(plan, "points", json_true());
        json_t *stop = back ? session_back(t->session, plan) : session_run(t->session, plan);
        const bool more = is_step(stop) && left > 1;
        terminal_take_stop(t, stop, !more);
        if (!more)
            return;
    }
}

void do_step(struct terminal *t, const char *arguments)
{
    repeat(t, "step", arguments, false);
}
void do_next(struct terminal *t, const char *arguments)
{
    repeat(t, "next", arguments, false);
}
void do_back_step(struct terminal *t, const char *arguments)
{
    repeat(t, "step", arguments, true);
}
void do_back_next(struct terminal *t, const char *arguments)
{
    repeat(t, "next", arguments, true);
}

static void finish(struct terminal *t, bool back)
{
    json_t *stack = terminal_ask(t, "stack", NULL), *plan = stack ? plan_here(t, "finish") : NULL;
    const bool outermost = t->frame + 1 >= json_array_size(json_object_get(stack, "frames"));
    json_decref(stack);
    if (plan && outermost) {
        json_decref(plan);
        terminal_refuse(t, "the work-item is in the kernel itself, which has no caller");
    } else if (plan) {
        terminal_take_stop(t, back ? session_back(t->session, plan) : session_run(t->session, plan), true);
    }
}

void do_finish(struct terminal *t, const char *arguments)
{
    (void)arguments;
    finish(t, false);
}

void do_back_finish(struct terminal *t, const char *arguments)
{
    (void)arguments;
    finish(t, true);
}

void do_until(struct terminal *t, const char *arguments)
{
    const bool barrier = terminal_after_word(arguments, "barrier") != NULL;
    json_t *plan = plan_here(t, barrier ? "barrier" : "until");
    const long line = strtol(arguments, NULL, 10);
    if (plan && line > 0)
        json_object_set_new(plan, "line", json_integer(line - 1));
    if (plan)
        terminal_take_stop(t, session_run(t->session, plan), true);
}

static json_t *plan_to_continue(const struct terminal *t)
{
    return json_pack("{s:s,s:I,s:I}", "mode", "continue", "thread", (json_int_t)t->thread, "launch",
                     (json_int_t)t->launch);
}

void do_continue(struct terminal *t, const char *arguments)
{
    for (long left = times_of(arguments); left > 0 && !t->failed && !session_ended(t->session); left--)
        terminal_take_stop(t, session_run(t->session, plan_to_continue(t)), left == 1);
    if (session_ended(t->session) && !t->stop)
        terminal_refuse(t, "the run is over");
}

/* Continues to a breakpoint that is removed at the next stop. */
void do_advance(struct terminal *t, const char *arguments)
{
    json_int_t id;
    if (!*arguments) {
        terminal_refuse(t, "expected a location: LINE, FILE:LINE or a function");
    } else if (terminal_points_add_temporary(t, arguments, &id)) {
        do_continue(t, "");
        terminal_points_remove(t, id);
    }
}

void do_back_continue(struct terminal *t, const char *arguments)
{
    (void)arguments;
    terminal_take_stop(t, session_back(t->session, plan_to_continue(t)), true);
}

void do_goto(struct terminal *t, const char *arguments)
{
    char *end;
    const unsigned long long position = strtoull(arguments, &end, 0);
    if (end == arguments || *arguments == '-')
        terminal_refuse(t, "found '%s', expected a position", arguments);
    else
        terminal_take_stop(t, session_goto(t->session, position), true);
}

static bool restart(struct terminal *t)
{
    if (!session_ended(t->session) && session_position(t->session) <= 1)
        return true;
    json_t *start = session_restart(t->session);
    const bool fine = !terminal_is_refused(t, start);
    json_decref(start);
    return fine;
}

void do_run(struct terminal *t, const char *arguments)
{
    (void)arguments;
    if (restart(t))
        terminal_take_stop(t, session_run(t->session, json_pack("{s:s}", "mode", "continue")), true);
}

void do_start(struct terminal *t, const char *arguments)
{
    (void)arguments;
    if (!restart(t))
        return;
    if (session_position(t->session) == 0)
        json_decref(session_run(t->session, json_pack("{s:s}", "mode", "launch")));
    json_t *launch = session_ended(t->session) ? NULL : terminal_ask(t, "launch", NULL);
    terminal_take_stop(t,
                       session_run(t->session, json_pack("{s:s,s:i,s:I}", "mode", "step", "thread", 1,
                                                         "launch", launch ? NUMBER(launch, "launch") : 1)),
                       true);
    json_decref(launch);
}

/* ---- findings -------------------------------------------------------------------------------- */

/* Runs to the next finding that `wanted` takes, with no other breakpoint; the ordinary ones are there again
 * then. */
static json_t *run_to_finding(struct terminal *t, bool races)
{
    json_t *stop = NULL;
    json_decref(
        session_points(t->session, json_pack("[{s:i,s:s}]", "id", TERMINAL_OWN_POINT, "kind", "finding")));
    do {
        json_decref(stop);
        stop = session_run(t->session, json_pack("{s:s}", "mode", "continue"));
    } while (races && json_object_get(stop, "finding") &&
             strncmp(TEXT(json_object_get(stop, "finding"), "id"), "race", 4));
    terminal_points_send(t);
    return stop;
}

/* 1 + global linear id; 0: no work-item, or no launch. */
static json_int_t number_of(struct terminal *t, const json_t *access)
{
    json_t *launch = json_is_true(json_object_get(access, "item")) ? terminal_ask(t, "launch", NULL) : NULL;
    const json_t *ids = json_object_get(access, "global"), *sizes = json_object_get(launch, "global_size"),
                 *offsets = json_object_get(launch, "global_offset");
    json_int_t number = 0;
    for (size_t k = 3; launch && k-- > 0;)
        number = number * json_integer_value(json_array_get(sizes, k)) +
                 json_integer_value(json_array_get(ids, k)) - json_integer_value(json_array_get(offsets, k));
    number += launch != NULL;
    json_decref(launch);
    return number;
}

/* Moves the stop to the work-item, if it is there. */
static void focus_on(struct terminal *t, json_t *stop, json_int_t number)
{
    json_t *place =
        number ? session_request(t->session, json_pack("{s:s,s:I}", "verb", "focus", "thread", number))
               : NULL;
    if (place && !json_object_get(place, "error"))
        json_object_update(stop, place);
    json_decref(place);
}

/* A finding may be reported long after its second access: the run goes back to there. */
static json_t *stand_at_second(struct terminal *t, json_t *stop)
{
    json_t *finding = json_object_get(stop, "finding");
    const json_int_t position = NUMBER(finding, "position");
    if (!position)
        return stop;
    json_incref(finding);
    if (position < NUMBER(stop, "position")) {
        json_t *reason = json_incref(json_object_get(stop, "reason"));
        json_decref(stop);
        stop = session_goto(t->session, (uint64_t)position);
        json_object_set(stop, "finding", finding);
        json_object_set_new(stop, "reason", reason);
    }
    focus_on(t, stop, number_of(t, json_array_get(json_object_get(finding, "accesses"), 1)));
    json_decref(finding);
    return stop;
}

/* "next", or the finding's number in the order of the report. */
void do_race(struct terminal *t, const char *arguments)
{
    const long number = strtol(arguments, NULL, 10);
    json_t *stop = run_to_finding(t, !number);
    long found = 0;
    while (json_object_get(stop, "finding") && ++found < number) {
        json_decref(stop);
        stop = run_to_finding(t, false);
    }
    if (found < number)
        terminal_refuse(t, "found %ld finding%s up to the end of the run, expected %ld", found,
                        found == 1 ? "" : "s", number);
    terminal_take_stop(t, stand_at_second(t, stop), true);
}

/* Goes to the second access if the stop is at the first one already. */
static const json_t *first_of(const json_t *stop)
{
    const json_t *accesses = json_object_get(json_object_get(stop, "finding"), "accesses"),
                 *here = json_object_get(stop, "global"), *first = json_array_get(accesses, 0),
                 *second = json_array_get(accesses, 1);
    const bool at_first = json_equal(json_object_get(first, "global"), here) &&
                          json_equal(json_object_get(first, "line"), json_object_get(stop, "line"));
    const bool at_second = json_equal(json_object_get(second, "global"), here) &&
                           json_equal(json_object_get(second, "line"), json_object_get(stop, "line"));
    return second && at_first && !at_second ? second : first;
}

void do_first_access(struct terminal *t, const char *arguments)
{
    (void)arguments;
    const json_t *first = first_of(t->stop);
    const json_int_t number = number_of(t, first);
    if (!number) {
        terminal_refuse(t, "this stop is no finding with accesses of work-items");
        return;
    }
    json_decref(session_points(t->session, json_pack("[{s:i,s:s,s:s,s:I,s:I}]", "id", TERMINAL_OWN_POINT,
                                                     "kind", "line", "file", TEXT(first, "file"), "line",
                                                     NUMBER(first, "line"), "thread", number)));
    json_t *stop = session_back(t->session, json_pack("{s:s}", "mode", "continue"));
    if (json_object_del(stop, "point") == 0) /* the point is no breakpoint of the user's */
        json_object_set_new(stop, "reason", json_string("goto"));
    json_object_del(stop, "text");
    focus_on(t, stop, number);
    terminal_points_send(t);
    terminal_take_stop(t, stop, true);
}
