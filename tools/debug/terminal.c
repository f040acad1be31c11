/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The loop of the terminal client, its table of verbs, and how a stop is shown. A verb may be cut short as
 * gdb's may; an empty line repeats the latest command where that makes sense. Text is stable: scripts are
 * tested by what they print.
 */
#include "terminal.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "completions.h"
#include "line_editor.h"
#include "orrery/report.h"
#include "tools/tools.h"

#define TEXT(object, key) json_string_value(json_object_get(object, key))
#define NUMBER(object, key) json_integer_value(json_object_get(object, key))

static verb do_help, do_quit, do_source, do_echo;
static const struct verb_row *find_verb(const char *name, size_t length);

/* An abbreviation means the first verb that begins with it and accepts so few letters. */
static const struct verb_row verbs[] = {
    {"break", 1, do_break,
     "LOCATION [thread N] [if CONDITION]: stop there; LOCATION is LINE, FILE:LINE or a function"},
    {"tbreak", 2, do_temporary_break, "LOCATION [thread N] [if CONDITION]: stop there once"},
    {"logpoint", 3, do_log, "LOCATION TEXT: print TEXT there, with the values of {EXPRESSION}s, and go on"},
    {"watch", 2, do_watch, "EXPRESSION: stop when it is written; of private memory, when its value changes"},
    {"rwatch", 2, do_read_watch, "EXPRESSION: stop when it is read"},
    {"awatch", 2, do_access_watch, "EXPRESSION: stop when it is read or written"},
    {"catch", 3, do_catch, "[KIND]: stop at findings, of one kind or of all"},
    {"delete", 1, do_delete, "[NUMBER | FIRST-LAST ...]: delete breakpoints, or all"},
    {"disable", 3, do_disable, "[NUMBER | FIRST-LAST ...]: breakpoints do not stop"},
    {"enable", 2, do_enable, "[NUMBER | FIRST-LAST ...]: breakpoints stop again"},
    {"condition", 4, do_condition, "NUMBER [EXPRESSION]: stop only where it is true"},
    {"ignore", 3, do_ignore, "NUMBER COUNT: pass over so many hits"},
    {"commands", 5, do_commands,
     "[NUMBER]: the lines up to 'end' are executed when the breakpoint is hit; 'silent' first: it is not "
     "shown"},
    {"clear", 2, do_clear, "LOCATION: delete the breakpoints there"},
    {"continue", 1, do_continue, "[N]: go on; pass over the breakpoint N - 1 times"},
    {"run", 1, do_run, "from the beginning, to the first stop"},
    {"start", 3, do_start, "from the beginning, to the first line of the first kernel"},
    {"step", 1, do_step, "[N]: to the work-item's next line, also in a function that it calls"},
    {"next", 1, do_next, "[N]: to its next line in this function"},
    {"finish", 3, do_finish, "until the function returns"},
    {"until", 1, do_until,
     "[LINE | barrier]: to a line after this one, or after LINE - 1; past the next barrier"},
    {"advance", 3, do_advance, "LOCATION: go on to there"},
    {"goto", 2, do_goto, "POSITION: forwards or backwards to exactly there"},
    {"reverse-step", 9, do_back_step, "[N]: to the line that began before, also in a function"},
    {"rs", 2, do_back_step, "reverse-step"},
    {"reverse-next", 9, do_back_next, "[N]: to the line of this function that began before"},
    {"rn", 2, do_back_next, "reverse-next"},
    {"reverse-continue", 9, do_back_continue, "to the breakpoint that was hit before"},
    {"rc", 2, do_back_continue, "reverse-continue"},
    {"reverse-finish", 9, do_back_finish, "to the line that called this function"},
    {"race", 3, do_race, "next: to the next data race that is found"},
    {"first-access", 7, do_first_access, "at a finding: to the first of its two accesses"},
    {"backtrace", 2, do_backtrace, "[full] [N]: the calls in which the work-item is; full: with variables"},
    {"bt", 2, do_backtrace, "backtrace"},
    {"where", 3, do_backtrace, "backtrace"},
    {"frame", 1, do_frame, "[N]: look at call N"},
    {"up", 2, do_up, "[N]: look at the caller"},
    {"down", 3, do_down, "[N]: look at what it called"},
    {"info", 1, do_info,
     "args | breakpoints | commands | display | events | frame | globals | launch | line | locals | position "
     "| "
     "queues | sources | steps | threads [all]"},
    {"print", 1, do_print, "[/FORMAT] EXPRESSION: its value; FORMAT is one of d u x o t c f a s"},
    {"inspect", 4, do_print, "print"},
    {"call", 4, do_print, "print"},
    {"output", 3, do_output, "EXPRESSION: its value alone"},
    {"ptype", 2, do_ptype, "EXPRESSION | TYPE: the type, with the members of a struct"},
    {"whatis", 3, do_whatis, "EXPRESSION: the name of its type"},
    {"display", 4, do_display, "[/FORMAT] EXPRESSION: print it at each stop"},
    {"undisplay", 3, do_undisplay, "[NUMBER]: no more"},
    {"set", 3, do_set, "[var] VARIABLE = EXPRESSION: change it"},
    {"x", 1, do_examine, "[/COUNT FORMAT SIZE] ADDRESS: memory; SIZE is b h w g"},
    {"list", 1, do_list,
     "[[FILE:]LINE | FIRST,LAST | FUNCTION | -]: the source; without one, the next lines; -: those before"},
    {"disassemble", 4, do_disassemble,
     "the instructions around: SPIR-V, and below it the bytecode that it became"},
    {"thread", 1, do_thread,
     "[NUMBER | apply all COMMAND]: look at a work-item, by its global linear id; or: a command for each"},
    {"work-item", 4, do_thread, "X Y Z: look at a work-item, by its global id"},
    {"workitem", 4, do_thread, "work-item"},
    {"wi", 2, do_thread, "work-item"},
    {"lanes", 3, do_lanes, "EXPRESSION: its value in each work-item of the work-group"},
    {"who-wrote", 4, do_who_wrote, "EXPRESSION: the latest write to its memory"},
    {"last-access", 5, do_last_access, "EXPRESSION: the latest access to its memory"},
    {"history", 4, do_history, "EXPRESSION: each value that it had so far, and when"},
    {"why", 3, do_why, "EXPRESSION: would an access of its memory here race, with which one, and why"},
    {"may-read", 3, do_may_read, "EXPRESSION: which of the writes so far a load of it here may return"},
    {"clocks", 3, do_clocks, "what other work-items did that happens before this place, and by which edge"},
    {"schedule", 3, do_schedule,
     "[NUMBER | X Y Z]: which wave runs next, and which others could; or: that work-item runs next"},
    {"gmem", 2, do_global_memory, "ADDRESS [SIZE]: bytes of global memory; an expression is an address, too"},
    {"lmem", 2, do_global_memory, "ADDRESS [SIZE]: bytes of local memory"},
    {"pmem", 2, do_private_memory, "ADDRESS [SIZE]: bytes of the work-item's private memory"},
    {"hash", 4, do_hash, "of all memory and work-items at this position"},
    {"source", 3, do_source, "FILE: commands from there"},
    {"echo", 4, do_echo, "TEXT"},
    {"help", 1, do_help, "[VERB]"},
    {"quit", 1, do_quit, "end the session"},
    {"exit", 2, do_quit, "quit"},
};
enum { VERBS = sizeof verbs / sizeof *verbs };

/* ---- what is shared -------------------------------------------------------------------------- */

void terminal_refuse(struct terminal *t, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vfprintf(t->out, format, arguments);
    va_end(arguments);
    fputc('\n', t->out);
    t->failed = true;
}

bool terminal_is_refused(struct terminal *t, const json_t *answer)
{
    const char *error = TEXT(answer, "error");
    if (error)
        terminal_refuse(t, "%s", error);
    return error != NULL;
}

void terminal_print_item(FILE *out, const json_t *ids)
{
    fprintf(out, "(%" PRId64 ",%" PRId64 ",%" PRId64 ")", (int64_t)json_integer_value(json_array_get(ids, 0)),
            (int64_t)json_integer_value(json_array_get(ids, 1)),
            (int64_t)json_integer_value(json_array_get(ids, 2)));
}

const char *terminal_after_word(const char *text, const char *word)
{
    const size_t length = strlen(word);
    if (strncmp(text, word, length) || (text[length] && !isspace((unsigned char)text[length])))
        return NULL;
    for (text += length; isspace((unsigned char)*text); text++)
        ;
    return text;
}

static json_t *accepted(struct terminal *t, json_t *answer)
{
    if (!terminal_is_refused(t, answer))
        return answer;
    json_decref(answer);
    return NULL;
}

static void add_place(const struct terminal *t, json_t *request)
{
    if (t->thread && !json_object_get(request, "thread"))
        json_object_set_new(request, "thread", json_integer(t->thread));
    if (!json_object_get(request, "frame"))
        json_object_set_new(request, "frame", json_integer(t->frame));
}

json_t *terminal_ask(struct terminal *t, const char *name, json_t *more)
{
    json_t *request = more ? more : json_object();
    json_object_set_new(request, "verb", json_string(name));
    add_place(t, request);
    return accepted(t, session_request(t->session, request));
}

json_t *terminal_ask_may_read(struct terminal *t, const char *expression)
{
    json_t *request = json_pack("{s:s}", "expression", expression);
    add_place(t, request);
    return accepted(t, session_may_read(t->session, request));
}

json_t *terminal_evaluate(struct terminal *t, const char *expression, bool assigns)
{
    return terminal_ask(t, "evaluate", json_pack("{s:s,s:b}", "expression", expression, "assigns", assigns));
}

/* ---- stops ----------------------------------------------------------------------------------- */

static void show_reason(struct terminal *t, const json_t *stop)
{
    const char *reason = TEXT(stop, "reason"), *text = TEXT(stop, "text");
    const json_int_t point = NUMBER(stop, "point");
    const json_t *finding = json_object_get(stop, "finding");
    if (!strcmp(reason, "exited"))
        fprintf(t->out, "%sThe run is over.\n", text && !t->concluded ? text : "");
    else if (!strcmp(reason, "launch"))
        fprintf(t->out, "Kernel %s begins.\n", TEXT(stop, "kernel") ? TEXT(stop, "kernel") : "");
    else if (!strcmp(reason, "beginning"))
        fprintf(t->out, "No earlier place: the beginning of the run.\n");
    else if (!strcmp(reason, "pause"))
        fprintf(t->out, "Interrupted.\n");
    else if (finding)
        fprintf(t->out, "Finding: %s\n%s", TEXT(finding, "id"), TEXT(finding, "text"));
    else if (!strcmp(reason, "watchpoint"))
        fprintf(t->out, "Watchpoint %" PRId64 ": %s\n", (int64_t)point, text ? text : "");
    else if (point && text)
        fprintf(t->out, "%s %" PRId64 ": %s\n",
                strncmp(text, "condition: ", 11) ? "Watchpoint" : "Breakpoint", (int64_t)point, text);
    else if (point)
        fprintf(t->out, "Breakpoint %" PRId64 ", ", (int64_t)point);
}

static void show_place(struct terminal *t, const json_t *stop, bool names)
{
    const char *function = TEXT(stop, "function");
    if (!function)
        return;
    if (names) {
        fprintf(t->out, "%s, work-item ", function);
        terminal_print_item(t->out, json_object_get(stop, "global"));
        fprintf(t->out, " of work-group ");
        terminal_print_item(t->out, json_object_get(stop, "group"));
        fprintf(t->out, ", at %s:%" PRId64 "\n", TEXT(stop, "file"), (int64_t)NUMBER(stop, "line"));
    }
    terminal_show_line(t, TEXT(stop, "file"), NUMBER(stop, "line"));
}

void terminal_take_stop(struct terminal *t, json_t *stop, bool shows)
{
    const json_t *before = t->stop;
    if (terminal_is_refused(t, stop)) {
        json_decref(stop);
        return;
    }
    const char *function = TEXT(stop, "function"), *was = TEXT(before, "function");
    const bool same = function && was && !strcmp(function, was) &&
                      NUMBER(stop, "thread") == NUMBER(before, "thread") &&
                      NUMBER(stop, "launch") == NUMBER(before, "launch");
    t->thread = NUMBER(stop, "thread");
    t->launch = NUMBER(stop, "launch");
    t->frame = 0;
    if (terminal_points_silent(t, NUMBER(stop, "point")))
        shows = false;
    if (shows) {
        show_reason(t, stop);
        t->concluded |= !strcmp(TEXT(stop, "reason"), "exited");
        show_place(t, stop, !same || NUMBER(stop, "point") || strcmp(TEXT(stop, "reason"), "step"));
    }
    if (NUMBER(stop, "point"))
        terminal_points_hit(t, NUMBER(stop, "point"));
    json_decref(t->stop);
    t->stop = stop;
    if (shows && function)
        terminal_show_displays(t);
}

static void print_output(void *self, const char *text)
{
    struct terminal *t = self;
    fputs(text, t->out);
}

/* ---- commands -------------------------------------------------------------------------------- */

static void do_help(struct terminal *t, const char *arguments)
{
    const struct verb_row *row = *arguments ? find_verb(arguments, strlen(arguments)) : NULL;
    int shown = 0;
    for (int i = 0; i < VERBS; i++) {
        if (*arguments && strncmp(verbs[i].name, arguments, strlen(arguments)) != 0 && row != &verbs[i])
            continue;
        fprintf(t->out, "%s %s\n", verbs[i].name, verbs[i].help);
        shown++;
    }
    if (!shown)
        terminal_refuse(t, "found '%s', which is no verb; 'help' lists them", arguments);
}

static void do_quit(struct terminal *t, const char *arguments)
{
    (void)arguments;
    t->quits = true;
}

static void do_echo(struct terminal *t, const char *arguments)
{
    fprintf(t->out, "%s\n", arguments);
}

static bool run_script(struct terminal *t, const char *path)
{
    char *line = NULL;
    size_t room = 0;
    FILE *file = fopen(path, "re");
    if (!file) {
        terminal_refuse(t, "%s cannot be read: %s", path, strerror(errno));
        return false;
    }
    while (!t->quits && getline(&line, &room, file) > 0)
        terminal_execute(t, line);
    free(line);
    fclose(file);
    return true;
}

static void do_source(struct terminal *t, const char *arguments)
{
    run_script(t, arguments);
}

static const struct verb_row *find_verb(const char *name, size_t length)
{
    for (int i = 0; i < VERBS; i++)
        if (strlen(verbs[i].name) == length && !strncmp(verbs[i].name, name, length))
            return &verbs[i];
    for (int i = 0; i < VERBS; i++)
        if (length >= verbs[i].least && length < strlen(verbs[i].name) &&
            !strncmp(verbs[i].name, name, length))
            return &verbs[i];
    return NULL;
}

/* The line without spaces at its ends; malloc'd. */
static char *trimmed(const char *line)
{
    while (isspace((unsigned char)*line))
        line++;
    char *command = strdup(line);
    if (!command)
        tools_no_memory();
    for (size_t length = strlen(command); length && isspace((unsigned char)command[length - 1]);)
        command[--length] = '\0';
    return command;
}

/* Verbs of gdb that mean nothing here, and what does instead. */
static const char *advice_for(const char *name, size_t length)
{
    static const struct {
        const char *names, *advice;
    } rows[] = {
        {" stepi si nexti ni ",
         "the smallest step is a line: 'step', 'next'; 'disassemble' shows instructions"},
        {" jump j ", "the work-items of a wave share their place: none can be put elsewhere alone"},
        {" kill k ", "'run' begins again, 'quit' ends the session"},
        {" file exec-file attach core ", "the target stands on the command line: orrery debug TARGET"},
        {" layout tui ", "'list' shows the source; editors show more: orrery debug --dap"},
        {" show apropos ", "'info' shows what there is, 'help' lists the verbs"},
        {" return ", "'finish' runs until the function returns"}};
    char word[16];
    if (length > sizeof word - 3)
        return NULL;
    snprintf(word, sizeof word, " %.*s ", (int)length, name);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strstr(rows[i].names, word))
            return rows[i].advice;
    return NULL;
}

static void execute_one(struct terminal *t, const char *command)
{
    const size_t length = strcspn(command, " \t/");
    const struct verb_row *row = find_verb(command, length);
    const char *arguments = command + length;
    while (isspace((unsigned char)*arguments))
        arguments++;
    t->failed = false;
    session_begin_command(t->session);
    if (row)
        row->run(t, arguments);
    else
        terminal_refuse(t, "found '%.*s', which is no verb; %s", (int)length, command,
                        advice_for(command, length) ? advice_for(command, length) : "'help' lists them");
    fflush(t->out);
}

/* One after another. A command that continues may hit a breakpoint, whose commands then replace these. */
static void execute_commands(struct terminal *t)
{
    json_t *commands = t->commands;
    t->commands = NULL;
    for (size_t i = 0; commands && i < json_array_size(commands) && !t->failed && !t->quits; i++) {
        const char *command = json_string_value(json_array_get(commands, i));
        if (i || strcmp(command, "silent") != 0)
            execute_one(t, command);
        if (!t->commands)
            continue;
        json_decref(commands);
        commands = t->commands;
        t->commands = NULL;
        i = (size_t)-1;
    }
    json_decref(commands);
}

bool terminal_execute(struct terminal *t, const char *line)
{
    char *command = trimmed(line);
    t->failed = false;
    if (*command && *command != '#' && !terminal_points_take_command(t, command)) {
        execute_one(t, command);
        execute_commands(t);
    }
    free(command);
    return !t->failed;
}

/* "n - q" is an expression with a name that is not known, and no verb `next`. */
static bool is_operator(const char *name, size_t length, char after)
{
    if (after && strchr("+%|^=<>?.", after))
        return true;
    return after && strchr("-*&", after) && length == 1 && *name != 'p' && *name != 'x';
}

bool terminal_has_verb(const char *line)
{
    line += strspn(line, " \t");
    const size_t length = strcspn(line, " \t/");
    const char *after = line + length + strspn(line + length, " \t");
    return find_verb(line, length) && !is_operator(line, length, *after);
}

char *terminal_text(struct terminal *t, const char *line)
{
    char *text = NULL;
    size_t size = 0;
    t->out = open_memstream(&text, &size);
    if (!t->out)
        tools_no_memory();
    terminal_execute(t, line);
    fclose(t->out);
    t->out = NULL;
    return text;
}

/* ---- the loop -------------------------------------------------------------------------------- */

static bool repeats(const char *line)
{
    static const char *const verbs_that_do[] = {"step", "s",  "next",         "n",  "continue",     "c",
                                                "list", "l",  "reverse-step", "rs", "reverse-next", "rn",
                                                "rc",   "up", "down",         "x",  "until",        "u"};
    for (size_t i = 0; i < sizeof verbs_that_do / sizeof *verbs_that_do; i++)
        if (terminal_after_word(line, verbs_that_do[i]))
            return true;
    return false;
}

static const char *verb_name(size_t i)
{
    return i < VERBS ? verbs[i].name : NULL;
}

static const char *text_at(const json_t *list, size_t i)
{
    return json_string_value(json_array_get(list, i));
}

/* The names that may follow a verb: functions where it takes a location, else variables in sight. */
static json_t *names_after(struct terminal *t, const struct verb_row *row, const char *line)
{
    verb *const of_locations[] = {do_break, do_temporary_break, do_advance, do_clear, do_list, do_log};
    json_t *names = json_array();
    for (size_t i = 0; i < sizeof of_locations / sizeof *of_locations; i++) {
        if (row->run != of_locations[i])
            continue;
        json_t *answer = session_request(t->session, json_pack("{s:s}", "verb", "functions"));
        json_array_extend(names, json_object_get(answer, "list"));
        json_decref(answer);
        return names;
    }
    json_t *variables = terminal_variables(t), *targets = completions_find(line, strlen(line) + 1, variables);
    for (size_t i = 0; i < json_array_size(targets); i++)
        json_array_append(names, json_object_get(json_array_get(targets, i), "label"));
    json_decref(targets);
    json_decref(variables);
    return names;
}

/* What may end the line: a verb; after one, a name that it takes. */
static const char *candidate(void *self, const char *line, size_t i)
{
    struct terminal *t = self;
    line += strspn(line, " \t");
    const size_t length = strcspn(line, " \t/");
    const struct verb_row *row = line[length] ? find_verb(line, length) : NULL;
    if (!line[length] || (row && row->run == do_help))
        return verb_name(i);
    if (row && row->run == do_info)
        return terminal_info_subject(i);
    if (row && row->run == do_catch)
        return i < FINDING_KIND_COUNT ? finding_id((enum finding_kind)i) : NULL;
    if (!i) {
        json_decref(t->names);
        t->names = row ? names_after(t, row, line) : NULL;
    }
    return text_at(t->names, i);
}

static void interact(struct terminal *t)
{
    char *latest = NULL, *line;
    while (!t->quits && (line = line_editor_read(t->commands_of ? "> " : "(orrery) ", t->interactive,
                                                 candidate, t)) != NULL) {
        if (line[strspn(line, " \t")]) {
            free(latest);
            latest = repeats(line) ? strdup(line) : NULL;
            terminal_execute(t, line);
        } else if (latest && t->interactive) {
            terminal_execute(t, latest);
        }
        free(line);
    }
    free(latest);
}

void terminal_fini(struct terminal *t)
{
    while (t->display_count)
        free(t->displays[--t->display_count].expression);
    json_decref(t->points);
    json_decref(t->stop);
    json_decref(t->commands);
    json_decref(t->names);
    free(t->file);
    free(t->list_file);
}

static void close_terminal(struct terminal *t)
{
    session_free(t->session);
    terminal_fini(t);
}

static json_t *first_stop(struct terminal *t, const struct terminal_request *request)
{
    if (!request->attach)
        return session_run(t->session, json_pack("{s:s}", "mode", "launch"));
    fprintf(t->out, "Waiting for the next launch of process %d.\n", session_process(t->session));
    fflush(t->out);
    return session_await_launch(t->session);
}

static void note_lack_of_lines(struct terminal *t)
{
    json_t *modules = terminal_ask(t, "modules", NULL);
    const char *symbols = TEXT(json_array_get(json_object_get(modules, "list"), 0), "symbols");
    if (symbols && !strcmp(symbols, "none"))
        fputs(
            "Its program has no debug information (SPIR-V made without -g): no line, function or variable is "
            "known,\nand only 'catch' stops.\n",
            t->out);
    json_decref(modules);
}

/* Breakpoints can be checked once a kernel is there: the session begins where the first one does. */
static void begin(struct terminal *t, const struct terminal_request *request)
{
    terminal_take_stop(t, first_stop(t, request), false);
    json_t *launch = session_ended(t->session) ? NULL : terminal_ask(t, "launch", NULL);
    if (launch)
        fprintf(
            t->out,
            "Kernel %s, stopped before it begins: 'start' goes to its first line, 'help' lists the verbs.\n",
            TEXT(launch, "kernel"));
    else if (t->stop)
        fputs(TEXT(t->stop, "text") ? TEXT(t->stop, "text") : "", t->out);
    if (launch)
        note_lack_of_lines(t);
    json_decref(launch);
    json_t *sources = session_ended(t->session) ? NULL : terminal_ask(t, "sources", NULL);
    const char *file = json_string_value(json_array_get(json_object_get(sources, "list"), 0));
    t->file = file ? strdup(file) : NULL;
    json_decref(sources);
}

static struct session *interrupted;

/* An interrupt stops the run, not this process. */
static void on_interrupt(int number)
{
    (void)number;
    if (interrupted)
        session_interrupt(interrupted);
}

static struct session *open_session(const struct terminal_request *request, const struct session_host *host)
{
    struct diagnosis diagnosis = {0};
    struct session *session = request->attach ? session_attach(request->attach, host, &diagnosis)
                                              : session_new(request->scenario, request->program, host);
    if (!session)
        tools_message("error: %s", request->attach ? diagnosis.text : "no process for the target");
    return session;
}

int terminal_run(const struct terminal_request *request)
{
    struct terminal t = {.out = stdout,
                         .points = json_array(),
                         .next_point = 1,
                         .next_display = 1,
                         .interactive = !request->batch && isatty(STDIN_FILENO)};
    const struct session_host host = {.self = &t, .print = print_output};
    int code = 0;
    signal(SIGINT, request->attach ? SIG_DFL : on_interrupt); /* one may tire of waiting */
    t.session = open_session(request, &host);
    if (!t.session) {
        close_terminal(&t);
        return EXIT_FAILED;
    }
    interrupted = t.session;
    begin(&t, request);
    signal(SIGINT, on_interrupt);
    /* A target that ended before its first kernel has nothing to show: its output has the reason. */
    if (session_ended(t.session) && (request->batch || !t.interactive)) {
        close_terminal(&t);
        return EXIT_FAILED;
    }
    if (request->finding) {
        char command[32];
        snprintf(command, sizeof command, "%d", request->finding);
        do_race(&t, command);
    }
    for (size_t i = 0; i < request->script_count && !t.quits; i++)
        code = run_script(&t, request->scripts[i]) ? code : EXIT_USAGE;
    for (size_t i = 0; i < request->command_count && !t.quits; i++)
        code = terminal_execute(&t, request->commands[i]) ? code : EXIT_USAGE;
    if (!request->batch && !t.quits)
        interact(&t);
    interrupted = NULL;
    close_terminal(&t);
    return code;
}
