/* SPDX-License-Identifier: Apache-2.0 */
/* Another schedule: which wave runs at a step, and the run again up to here. */
#include "session_state.h"

#include <stdio.h>
#include <unistd.h>

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
        return session_ask(session, json_pack("{s:s,s:O}", "verb", "forks", "list", session->forks));
    end_later_copies(session);
    const int slot = session_nearest_copy(session, here ? here - 1 : 0);
    if (slot < 0 || !session_wake(session, slot))
        return json_pack("{s:s}", "error", "there is no way back from here");
    return session_goto(session, here);
}
