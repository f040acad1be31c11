/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The verb `schedule`: which wave runs next, and the choice of another one. The choice is of the next step,
 * which begins when the work-item that runs has done its operation; under policies that run in passes, when
 * its wave waits, ends, or has gone round its loop for long.
 */
#include <inttypes.h>
#include <string.h>

#include "terminal.h"

/* "work-item (3,0,0)"; of a wave of several, "work-items (0,0,0) to (31,0,0), 32 of them," */
static void print_items(struct terminal *t, const json_t *wave)
{
    const json_int_t lanes = NUMBER(wave, "lanes");
    fputs(lanes == 1 ? "work-item " : "work-items ", t->out);
    terminal_print_item(t->out, json_object_get(wave, "global"));
    if (lanes == 1)
        return;
    fputs(" to ", t->out);
    terminal_print_item(t->out, json_object_get(wave, "last"));
    fprintf(t->out, ", %" PRId64 " of them,", (int64_t)lanes);
}

static void print_wave(struct terminal *t, const json_t *wave)
{
    fputs(json_is_true(json_object_get(wave, "next")) ? "* " : "  ", t->out);
    print_items(t, wave);
    fputs(" of work-group ", t->out);
    terminal_print_item(t->out, json_object_get(wave, "group"));
    if (TEXT(wave, "file"))
        fprintf(t->out, " at %s:%" PRId64, TEXT(wave, "file"), (int64_t)NUMBER(wave, "line"));
    fputc('\n', t->out);
}

static void print_who(struct terminal *t, const json_t *answer)
{
    const json_t *waves = json_object_get(answer, "waves");
    const bool chooses = json_is_true(json_object_get(answer, "may_choose"));
    if (json_is_true(json_object_get(answer, "over"))) {
        fputs("No choice is left: the launch ends before another one.\n", t->out);
        return;
    }
    if (chooses)
        fprintf(t->out, "Step %" PRId64 " of launch %" PRId64 ", policy %s: * runs next\n",
                (int64_t)NUMBER(answer, "step"), (int64_t)NUMBER(answer, "launch"), TEXT(answer, "policy"));
    else
        fprintf(t->out, "Launch %" PRId64 ", policy %s: * runs next\n", (int64_t)NUMBER(answer, "launch"),
                TEXT(answer, "policy"));
    for (size_t i = 0; i < json_array_size(waves); i++)
        print_wave(t, json_array_get(waves, i));
    if (NUMBER(answer, "left_out"))
        fprintf(t->out, "  and %" PRId64 " more\n", (int64_t)NUMBER(answer, "left_out"));
}

static void choose(struct terminal *t, const json_t *answer, json_int_t number)
{
    json_t *done = session_fork(t->session, answer, number);
    const bool fine = !terminal_is_refused(t, done);
    json_decref(done);
    if (!fine)
        return;
    t->concluded = false; /* there is another end */
    fprintf(t->out, "At step %" PRId64 " of launch %" PRId64 " work-item %" PRId64 " runs.\n",
            (int64_t)NUMBER(answer, "step"), (int64_t)NUMBER(answer, "launch"), (int64_t)number - 1);
    if (!json_is_true(json_object_get(answer, "repeatable")))
        fprintf(t->out,
                "No token repeats this later: the policy %s records no steps; --schedule=random does.\n",
                TEXT(answer, "policy"));
}

void do_schedule(struct terminal *t, const char *arguments)
{
    json_int_t number = 0;
    const bool given = arguments[strcspn(arguments, "0123456789")] != '\0';
    if (given && !terminal_parse_item(t, arguments, &number))
        return;
    json_t *answer = terminal_ask(t, "schedule", NULL);
    if (answer && given)
        choose(t, answer, number);
    else if (answer)
        print_who(t, answer);
    json_decref(answer);
}
