/* SPDX-License-Identifier: Apache-2.0 */
/* `info`: each subject is shown by a function here or by the file that has it. A subject may be shortened. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "terminal.h"

static void print_sizes(struct terminal *t, const char *name, const json_t *sizes)
{
    fprintf(t->out, "%s ", name);
    terminal_print_item(t->out, sizes);
    fputc('\n', t->out);
}

static void show_launch(struct terminal *t)
{
    json_t *launch = terminal_ask(t, "launch", NULL);
    if (!launch)
        return;
    fprintf(t->out, "launch %" PRId64 " of kernel %s\n", (int64_t)NUMBER(launch, "launch"),
            TEXT(launch, "kernel"));
    print_sizes(t, "global size", json_object_get(launch, "global_size"));
    print_sizes(t, "local size", json_object_get(launch, "local_size"));
    print_sizes(t, "global offset", json_object_get(launch, "global_offset"));
    terminal_show_host_call(t, launch);
    json_decref(launch);
}

static void show_sources(struct terminal *t)
{
    json_t *answer = terminal_ask(t, "sources", NULL);
    for (size_t i = 0; i < json_array_size(json_object_get(answer, "list")); i++)
        fprintf(t->out, "%s\n", json_string_value(json_array_get(json_object_get(answer, "list"), i)));
    json_decref(answer);
}

/* Finding the position may take another run, which leaves copies. */
static void show_position(struct terminal *t)
{
    const uint64_t position = session_position(t->session);
    fprintf(t->out, "position %" PRIu64 ", %zu copies to go back to\n", position, session_copies(t->session));
    const struct session_memory memory = session_memory(t->session);
    if (memory.copies)
        fprintf(t->out,
                "memory of the copies: %" PRIu64 " bytes now, at most %" PRIu64
                " (%zu copies in which each page "
                "differs)\n",
                memory.bytes, memory.most_bytes, memory.most_copies);
}

static void show_steps(struct terminal *t)
{
    const uint64_t position = session_position(t->session), executed = session_executed(t->session);
    fprintf(t->out,
            "position %" PRIu64 ", %" PRIu64 " steps executed so far, with those that ways back repeated\n",
            position, executed);
}

static bool begins(const char *text, const char *name)
{
    return *text && !strncmp(name, text, strlen(text));
}

const char *terminal_info_subject(size_t i)
{
    static const char *const subjects[] = {
        "args", "breakpoints", "commands", "display", "events",  "frame", "globals", "launch",
        "line", "locals",      "position", "queues",  "sources", "steps", "threads", "watchpoints"};
    return i < sizeof subjects / sizeof *subjects ? subjects[i] : NULL;
}

void do_info(struct terminal *t, const char *arguments)
{
    const char *all = terminal_after_word(arguments, "threads");
    if (begins(arguments, "locals"))
        terminal_show_variables(t, "locals");
    else if (begins(arguments, "args"))
        terminal_show_variables(t, "arguments");
    else if (begins(arguments, "globals") || begins(arguments, "variables"))
        terminal_show_variables(t, "globals");
    else if (begins(arguments, "breakpoints"))
        terminal_show_points(t, false);
    else if (begins(arguments, "watchpoints"))
        terminal_show_points(t, true);
    else if (all || begins(arguments, "threads") || begins(arguments, "work-items"))
        terminal_show_threads(t, all && terminal_after_word(all, "all"));
    else if (begins(arguments, "launch") || begins(arguments, "program") || begins(arguments, "kernel"))
        show_launch(t);
    else if (begins(arguments, "queues"))
        terminal_show_host(t, "queues");
    else if (begins(arguments, "commands"))
        terminal_show_host(t, "commands");
    else if (begins(arguments, "events"))
        terminal_show_host(t, "events");
    else if (begins(arguments, "display"))
        terminal_list_displays(t);
    else if (begins(arguments, "sources"))
        show_sources(t);
    else if (begins(arguments, "position"))
        show_position(t);
    else if (begins(arguments, "registers"))
        terminal_refuse(t, "variables are in memory, not in registers: 'info locals', 'disassemble'");
    else if (begins(arguments, "steps"))
        show_steps(t);
    else if (begins(arguments, "line") || begins(arguments, "frame"))
        terminal_select_frame(t, (long)t->frame);
    else
        terminal_refuse(t,
                        "found '%s', expected args, breakpoints, commands, display, events, frame, globals, "
                        "launch, line, locals, position, queues, sources, steps or threads",
                        arguments);
}
