/* SPDX-License-Identifier: Apache-2.0 */
/* Calls and their variables. The engine counts calls from the innermost one, 0; after the kernel comes
 * the host program's call, which has no variables. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "terminal.h"

void terminal_print_frame(struct terminal *t, const json_t *frames, size_t level)
{
    const json_t *frame = json_array_get(frames, level);
    fprintf(t->out, "#%zu  %s at %s:%" PRId64 "\n", level, TEXT(frame, "function"), TEXT(frame, "file"),
            (int64_t)NUMBER(frame, "line"));
}

void terminal_show_variables(struct terminal *t, const char *scope)
{
    json_t *answer = terminal_ask(t, "variables", json_pack("{s:s}", "scope", scope));
    const json_t *list = json_object_get(answer, "list");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *variable = json_array_get(list, i);
        fprintf(t->out, "%s = %s\n", TEXT(variable, "name"), TEXT(variable, "value"));
    }
    if (answer && !json_array_size(list))
        fprintf(t->out, "No %s.\n", scope);
    json_decref(answer);
}

json_t *terminal_variables(struct terminal *t)
{
    static const char *const scopes[] = {"locals", "arguments", "globals"};
    json_t *variables = json_array();
    for (size_t i = 0; t->thread && i < sizeof scopes / sizeof *scopes; i++) {
        json_t *answer =
            session_request(t->session, json_pack("{s:s,s:s,s:I,s:i}", "verb", "variables", "scope",
                                                  scopes[i], "thread", t->thread, "frame", (int)t->frame));
        json_array_extend(variables, json_object_get(answer, "list"));
        json_decref(answer);
    }
    return variables;
}

/* The variables of a call, below it. */
static void show_frame_variables(struct terminal *t, uint32_t level)
{
    const uint32_t frame = t->frame;
    t->frame = level;
    terminal_show_variables(t, "arguments");
    terminal_show_variables(t, "locals");
    t->frame = frame;
}

/* "N" innermost calls, "-N" outermost ones, "full" with their variables. */
void do_backtrace(struct terminal *t, const char *arguments)
{
    const char *rest = terminal_after_word(arguments, "full"), *number = rest ? rest : arguments;
    char *end;
    const long wanted = strtol(number, &end, 10);
    if (*end) {
        terminal_refuse(t, "found '%s', expected: backtrace [full] [COUNT]", arguments);
        return;
    }
    json_t *stack = terminal_ask(t, "stack", NULL);
    const json_t *frames = json_object_get(stack, "frames");
    const long count = (long)json_array_size(frames);
    const long first = wanted < 0 && -wanted < count ? count + wanted : 0,
               last = wanted > 0 && wanted < count ? wanted : count;
    for (long i = first; i < last; i++) {
        terminal_print_frame(t, frames, (size_t)i);
        if (rest)
            show_frame_variables(t, (uint32_t)i);
    }
    if (last == count)
        terminal_show_host_frame(t, stack);
    json_decref(stack);
}

void terminal_select_frame(struct terminal *t, long level)
{
    json_t *stack = terminal_ask(t, "stack", json_pack("{s:i}", "frame", 0));
    const json_t *frames = json_object_get(stack, "frames");
    const long count = (long)json_array_size(frames);
    if (stack && level == count && json_object_get(stack, "host")) {
        terminal_show_host_frame(t, stack);
        terminal_refuse(t, "this is the host program: its variables are not known");
    } else if (stack && (level < 0 || level >= count)) {
        terminal_refuse(t, level < 0 ? "this is the innermost call" : "this is the kernel: it has no caller");
    } else if (stack) {
        t->frame = (uint32_t)level;
        terminal_print_frame(t, frames, (size_t)level);
        terminal_show_line(t, TEXT(json_array_get(frames, (size_t)level), "file"),
                           NUMBER(json_array_get(frames, (size_t)level), "line"));
    }
    json_decref(stack);
}

static long count_of(const char *arguments)
{
    return *arguments ? strtol(arguments, NULL, 10) : 1;
}

void do_frame(struct terminal *t, const char *arguments)
{
    char *end;
    const long level = strtol(arguments, &end, 10);
    if (*end)
        terminal_refuse(t, "found '%s', expected the number of a call: 'backtrace' lists them", arguments);
    else
        terminal_select_frame(t, *arguments ? level : (long)t->frame);
}
void do_up(struct terminal *t, const char *arguments)
{
    terminal_select_frame(t, (long)t->frame + count_of(arguments));
}
void do_down(struct terminal *t, const char *arguments)
{
    terminal_select_frame(t, (long)t->frame - count_of(arguments));
}
