/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The terminal client: gdb's verbs over a session. terminal.c reads commands and has the table of
 * verbs; the others have the verbs: terminal_run.c moves, terminal_points.c sets what stops,
 * terminal_schedule.c chooses what runs next. The rest show: each sends requests to the engine and prints the
 * replies in gdb's form.
 */
#ifndef ORRERY_TOOLS_DEBUG_TERMINAL_H
#define ORRERY_TOOLS_DEBUG_TERMINAL_H

#include "session.h"

#define TEXT(object, key) json_string_value(json_object_get(object, key))
#define NUMBER(object, key) json_integer_value(json_object_get(object, key))

/* TERMINAL_OWN_POINT: the number of a breakpoint that a verb sets for itself. */
enum { DISPLAYS_MOST = 64, TERMINAL_OWN_POINT = 1000000 };

struct terminal {
    struct session *session;
    FILE *out;
    bool quits, failed;          /* failed: the latest command was refused */
    bool interactive, concluded; /* concluded: the report was shown */
    json_t *points;              /* as the engine has them, with "temporary" and "enabled" besides */
    json_t *others; /* breakpoints of another front end, which the engine gets, too; NULL: none. Borrowed */
    uint32_t next_point;
    struct {
        uint32_t id;
        char *expression;
        char format;
    } displays[DISPLAYS_MOST];
    uint32_t display_count, next_display;
    json_t *stop;              /* the latest */
    json_t *commands;          /* of the breakpoint that was hit, not executed yet; NULL: none */
    json_int_t commands_of;    /* lines up to "end" are commands of this breakpoint; 0: of none */
    json_int_t thread, launch; /* the work-item that is looked at; 0: none */
    uint32_t frame;
    char *file;    /* the first source of the program */
    json_t *names; /* that complete the line */
    char *list_file;
    uint32_t list_line; /* which `list` shows first; 0: the first of the file */
};

typedef void verb(struct terminal *t, const char *arguments);
struct verb_row {
    const char *name;
    size_t least;
    verb *run;
    const char *help;
}; /* least: letters that suffice */

/* terminal_run.c */
verb do_run, do_continue, do_step, do_next, do_finish, do_until, do_advance, do_goto, do_back_step,
    do_back_next, do_back_continue, do_back_finish, do_race, do_start, do_first_access;
/* terminal_points.c */
verb do_break, do_temporary_break, do_delete, do_enable, do_disable, do_condition, do_ignore, do_clear,
    do_watch, do_read_watch, do_access_watch, do_catch, do_log, do_commands;
void terminal_show_points(struct terminal *t, bool watched); /* watched: those of memory alone */
void terminal_points_send(struct terminal *t);
bool terminal_points_add_temporary(struct terminal *t, const char *location,
                                   json_int_t *out_id);         /* false: refused, and printed */
void terminal_points_remove(struct terminal *t, json_int_t id); /* if it is still there */
json_t *terminal_points_enabled(const struct terminal *t);      /* for the engine; a new reference */
void terminal_points_hit(struct terminal *t, json_int_t id); /* a temporary one goes; its commands are due */
bool terminal_points_silent(const struct terminal *t, json_int_t id); /* its commands begin with "silent" */
bool terminal_points_take_command(struct terminal *t,
                                  const char *line); /* false: the line is a command of its own */
/* terminal_source.c */
verb do_list;
void terminal_show_line(struct terminal *t, const char *file, json_int_t line);
/* terminal_values.c */
verb do_print, do_output, do_ptype, do_whatis, do_set, do_display, do_undisplay;
bool terminal_needs_expression(struct terminal *t, const char *arguments); /* false: refused, and printed */
void terminal_show_displays(struct terminal *t);                           /* their values */
void terminal_list_displays(struct terminal *t);                           /* their expressions */
/* terminal_memory.c */
verb do_examine, do_global_memory, do_private_memory, do_disassemble;
/* terminal_stack.c */
verb do_backtrace, do_frame, do_up, do_down;
void terminal_print_frame(struct terminal *t, const json_t *frames, size_t level);
void terminal_select_frame(struct terminal *t, long level);
void terminal_show_variables(struct terminal *t, const char *scope);
json_t *terminal_variables(struct terminal *t); /* in sight; a new reference */
/* terminal_threads.c */
verb do_thread, do_lanes;
void terminal_show_threads(struct terminal *t, bool all);
bool terminal_parse_item(struct terminal *t, const char *text,
                         json_int_t *out_number); /* "3" or "3 0 0"; false: printed */
/* terminal_info.c */
verb do_info;
const char *terminal_info_subject(size_t i); /* NULL: there are no more */
/* terminal_past.c */
verb do_who_wrote, do_last_access, do_history, do_hash;
/* terminal_schedule.c */
verb do_schedule;
/* terminal_host.c: of the engine's "stack", "launch" and "host" */
void terminal_show_host_frame(struct terminal *t, const json_t *stack);
void terminal_show_host_call(struct terminal *t, const json_t *launch);
void terminal_show_host(struct terminal *t, const char *what); /* "queues", "commands" or "events" */
/* terminal_order.c */
verb do_why, do_clocks, do_may_read;

/* terminal.c */
void terminal_refuse(struct terminal *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool terminal_is_refused(struct terminal *t, const json_t *answer);    /* prints the reason */
void terminal_take_stop(struct terminal *t, json_t *stop, bool shows); /* takes it; shows where it is */
json_t *terminal_evaluate(struct terminal *t, const char *expression,
                          bool assigns); /* NULL: refused, and printed */
json_t *terminal_ask(struct terminal *t, const char *verb,
                     json_t *more); /* takes more, of thread and frame besides; NULL: refused, and printed */
json_t *terminal_ask_may_read(struct terminal *t, const char *expression); /* likewise */
void terminal_print_item(FILE *out, const json_t *ids);
const char *terminal_after_word(const char *text,
                                const char *word); /* NULL: the text does not begin with it */
bool terminal_execute(struct terminal *t, const char *line);
void terminal_fini(struct terminal *t); /* the session stays */

/* For another front end. The text that the verb prints, malloc'd; t->failed: it was refused. */
bool terminal_has_verb(const char *line);
char *terminal_text(struct terminal *t, const char *line);

struct terminal_request {
    struct scenario *scenario;
    char **program;
    const char *attach; /* to this process; NULL: the target is one of the others */
    const char *const *scripts;
    size_t script_count;
    const char *const *commands;
    size_t command_count;
    bool batch;
    int finding;
};
int terminal_run(const struct terminal_request *request);

#endif
