/* SPDX-License-Identifier: Apache-2.0 */
/* Queries about what ran: each sets a watchpoint of its own, has the run replayed up to here, and sets
 * the user's points again. */
#include <inttypes.h>
#include <string.h>

#include "terminal.h"

static void show_last(struct terminal *t, const char *expression, bool reads)
{
    json_t *value = terminal_evaluate(t, expression, false);
    if (!value)
        return;
    json_t *own = json_object_get(value, "address"), *bits = json_object_get(value, "bits");
    json_int_t address = json_integer_value(own ? own : bits), size = own ? NUMBER(value, "size") : 1;
    const bool is_private = json_is_true(json_object_get(value, "private"));
    json_decref(value);
    if (is_private) {
        terminal_refuse(t, "accesses to private memory are not recorded; use watch and reverse-continue");
        return;
    }
    json_decref(session_points(t->session, json_pack("[{s:i,s:s,s:I,s:I,s:b,s:b}]", "id", TERMINAL_OWN_POINT,
                                                     "kind", "watch", "address", address, "size", size,
                                                     "read", reads, "write", 1)));
    const json_int_t thread = t->thread;
    json_t *last = session_last(t->session, json_pack("{s:s}", "mode", "continue"));
    terminal_points_send(t);
    t->thread = thread;
    if (!terminal_is_refused(t, last)) {
        if (NUMBER(last, "last"))
            fprintf(t->out, "%s, at position %" PRId64 "\n", TEXT(last, "text"),
                    (int64_t)NUMBER(last, "last"));
        else
            fprintf(t->out, "No kernel %s it yet.\n", reads ? "accessed" : "wrote");
    }
    json_decref(last);
}

void do_who_wrote(struct terminal *t, const char *arguments)
{
    show_last(t, arguments, false);
}
void do_last_access(struct terminal *t, const char *arguments)
{
    show_last(t, arguments, true);
}

/* A variable of the work-item is compared at each of its lines; other memory has a row for each write. */
static json_t *log_of_writes(struct terminal *t, const char *expression)
{
    json_t *value = terminal_evaluate(t, expression, false), *point = NULL;
    if (!value)
        return NULL;
    if (!json_object_get(value, "address"))
        terminal_refuse(t, "'%s' is no memory: its value cannot change", expression);
    else if (json_is_true(json_object_get(value, "private")))
        point = json_pack("{s:i,s:s,s:s,s:s,s:I,s:I}", "id", TERMINAL_OWN_POINT, "kind", "expression", "log",
                          "", "expression", expression, "thread", t->thread, "launch", t->launch);
    else
        point = json_pack("{s:i,s:s,s:s,s:O,s:O,s:b,s:b}", "id", TERMINAL_OWN_POINT, "kind", "watch", "log",
                          "", "address", json_object_get(value, "address"), "size",
                          json_object_get(value, "size"), "read", 0, "write", 1);
    json_decref(value);
    return point;
}

void do_history(struct terminal *t, const char *arguments)
{
    json_t *point = log_of_writes(t, arguments);
    if (!point)
        return;
    json_decref(session_points(t->session, json_pack("[o]", point)));
    const json_int_t thread = t->thread;
    json_t *stop = session_replay(t->session);
    terminal_is_refused(t, stop);
    json_decref(stop);
    terminal_points_send(t);
    t->thread = thread;
}

void do_hash(struct terminal *t, const char *arguments)
{
    (void)arguments;
    json_t *answer = terminal_ask(t, "hash", NULL);
    if (answer)
        fprintf(t->out, "%s at position %" PRId64 "\n", TEXT(answer, "hash"),
                (int64_t)NUMBER(answer, "position"));
    json_decref(answer);
}
