/* SPDX-License-Identifier: Apache-2.0 */
/* What the host program did: the call that enqueued the launch, its queues, commands and events. */
#include <inttypes.h>
#include <string.h>

#include "terminal.h"

/* "main at prog.c:28"; without debug information the function, or the file of the program. */
static void print_place(struct terminal *t, const json_t *call, const char *before)
{
    const char *function = TEXT(call, "function"), *file = TEXT(call, "file");
    if (function || file)
        fputs(before, t->out);
    if (function)
        fputs(function, t->out);
    if (file)
        fprintf(t->out, "%s%s", !function ? "" : NUMBER(call, "line") ? " at " : " in ", file);
    if (NUMBER(call, "line"))
        fprintf(t->out, ":%" PRId64, (int64_t)NUMBER(call, "line"));
}

void terminal_show_host_frame(struct terminal *t, const json_t *stack)
{
    const json_t *call = json_object_get(stack, "host");
    if (!call)
        return;
    fprintf(t->out, "#%zu  host program: %s", json_array_size(json_object_get(stack, "frames")),
            TEXT(call, "call"));
    print_place(t, call, ", ");
    fputc('\n', t->out);
}

void terminal_show_host_call(struct terminal *t, const json_t *launch)
{
    const json_t *call = json_object_get(launch, "host");
    if (NUMBER(launch, "parent"))
        fprintf(t->out, "enqueued by the kernel of launch %" PRId64 "\n", (int64_t)NUMBER(launch, "parent"));
    if (!call)
        return;
    fprintf(t->out, "enqueued by %s", TEXT(call, "call"));
    print_place(t, call, ", ");
    fputc('\n', t->out);
}

static void print_state(struct terminal *t, const json_t *row)
{
    fprintf(t->out, ", %s", TEXT(row, "state"));
    if (NUMBER(row, "error"))
        fprintf(t->out, " with error %" PRId64, (int64_t)NUMBER(row, "error"));
}

static void print_queue(struct terminal *t, const json_t *row)
{
    const json_int_t unfinished = NUMBER(row, "unfinished");
    fprintf(t->out, "queue %" PRId64 "  %s, device %" PRId64 ", %" PRId64 " command%s not complete\n",
            (int64_t)NUMBER(row, "queue"),
            json_is_true(json_object_get(row, "on_device"))      ? "on the device"
            : json_is_true(json_object_get(row, "out_of_order")) ? "out of order"
                                                                 : "in order",
            (int64_t)NUMBER(row, "device"), (int64_t)unfinished, unfinished == 1 ? "" : "s");
}

static void print_command(struct terminal *t, const json_t *row)
{
    fprintf(t->out, "command %" PRId64 "  %s", (int64_t)NUMBER(row, "command"), TEXT(row, "call"));
    if (TEXT(row, "kernel"))
        fprintf(t->out, " of %s", TEXT(row, "kernel"));
    fprintf(t->out, ", queue %" PRId64, (int64_t)NUMBER(row, "queue"));
    print_state(t, row);
    print_place(t, row, ", ");
    fputc('\n', t->out);
}

static void print_event(struct terminal *t, const json_t *row)
{
    fprintf(t->out, "event %" PRId64 "  ", (int64_t)NUMBER(row, "event"));
    if (json_is_true(json_object_get(row, "user")))
        fputs("user event", t->out);
    else
        fprintf(t->out, "of command %" PRId64 ", queue %" PRId64, (int64_t)NUMBER(row, "command"),
                (int64_t)NUMBER(row, "queue"));
    print_state(t, row);
    fputc('\n', t->out);
}

void terminal_show_host(struct terminal *t, const char *what)
{
    json_t *answer = terminal_ask(t, "host", NULL);
    const json_t *list = json_object_get(answer, what);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *row = json_array_get(list, i);
        if (!strcmp(what, "queues"))
            print_queue(t, row);
        else if (!strcmp(what, "commands"))
            print_command(t, row);
        else
            print_event(t, row);
    }
    if (answer && !json_array_size(list))
        fprintf(t->out, "No %s.\n", what);
    json_decref(answer);
}
