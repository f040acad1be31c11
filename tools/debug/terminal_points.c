/* SPDX-License-Identifier: Apache-2.0 */
/* Verbs that set what stops. The list is this side's: after each change the engine gets all that are enabled.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "terminal.h"
#include "tools/tools.h"

/* Takes the places that the engine found for the breakpoints. */
static void take_places(struct terminal *t, const json_t *answer)
{
    const json_t *places = json_object_get(answer, "points");
    for (size_t i = 0; i < json_array_size(places); i++) {
        const json_t *place = json_array_get(places, i);
        for (size_t k = 0; k < json_array_size(t->points); k++) {
            json_t *point = json_array_get(t->points, k);
            if (NUMBER(point, "id") != NUMBER(place, "id"))
                continue;
            json_object_set(point, "stands", json_object_get(place, "line"));
            json_object_set(point, "verified", json_object_get(place, "verified"));
            json_object_set(point, "hits", json_object_get(place, "hits"));
        }
    }
}

json_t *terminal_points_enabled(const struct terminal *t)
{
    json_t *enabled = json_array();
    for (size_t i = 0; i < json_array_size(t->points); i++) {
        json_t *point = json_array_get(t->points, i);
        if (!json_is_true(json_object_get(point, "disabled")))
            json_array_append(enabled, point);
    }
    return enabled;
}

void terminal_points_send(struct terminal *t)
{
    json_t *all = terminal_points_enabled(t);
    if (t->others)
        json_array_extend(all, t->others);
    json_t *answer = session_points(t->session, all);
    if (!terminal_is_refused(t, answer))
        take_places(t, answer);
    json_decref(answer);
}

static json_t *find_point(const struct terminal *t, json_int_t id, size_t *out_index)
{
    for (size_t i = 0; i < json_array_size(t->points); i++) {
        json_t *point = json_array_get(t->points, i);
        if (NUMBER(point, "id") != id)
            continue;
        if (out_index)
            *out_index = i;
        return point;
    }
    return NULL;
}

void terminal_points_hit(struct terminal *t, json_int_t id)
{
    size_t index;
    const json_t *point = find_point(t, id, &index);
    json_decref(t->commands);
    t->commands = json_deep_copy(json_object_get(point, "commands"));
    if (!point || !json_is_true(json_object_get(point, "temporary")))
        return;
    json_array_remove(t->points, index);
    terminal_points_send(t);
}

static bool is_silent(const json_t *commands)
{
    const char *first = json_string_value(json_array_get(commands, 0));
    return first && !strcmp(first, "silent");
}

bool terminal_points_silent(const struct terminal *t, json_int_t id)
{
    return is_silent(json_object_get(find_point(t, id, NULL), "commands"));
}

static void describe(struct terminal *t, const json_t *point)
{
    const char *kind = TEXT(point, "kind");
    if (!strcmp(kind, "line"))
        fprintf(t->out, "%s:%" PRId64, TEXT(point, "file") ? TEXT(point, "file") : "",
                (int64_t)(NUMBER(point, "stands") ? NUMBER(point, "stands") : NUMBER(point, "line")));
    else if (!strcmp(kind, "function"))
        fprintf(t->out, "function %s", TEXT(point, "function"));
    else if (!strcmp(kind, "finding"))
        fprintf(t->out, "findings%s%s", TEXT(point, "expression") ? " of kind " : "",
                TEXT(point, "expression") ? TEXT(point, "expression") : "");
    else
        fprintf(t->out, "%s", TEXT(point, "name"));
}

static bool is_watched(const json_t *point)
{
    return !strcmp(TEXT(point, "kind"), "watch") || !strcmp(TEXT(point, "kind"), "expression");
}

void terminal_show_points(struct terminal *t, bool watched)
{
    size_t shown = 0;
    json_t *answer = session_request(t->session, json_pack("{s:s}", "verb", "points"));
    take_places(t, answer);
    json_decref(answer);
    for (size_t i = 0; i < json_array_size(t->points); i++) {
        const json_t *point = json_array_get(t->points, i);
        if (watched && !is_watched(point))
            continue;
        shown++;
        fprintf(t->out, "%" PRId64 "  %s%s  ", (int64_t)NUMBER(point, "id"), TEXT(point, "kind"),
                json_is_true(json_object_get(point, "disabled")) ? ", disabled" : "");
        describe(t, point);
        if (NUMBER(point, "thread") && !is_watched(point))
            fprintf(t->out, "  thread %" PRId64, (int64_t)NUMBER(point, "thread") - 1);
        if (TEXT(point, "condition"))
            fprintf(t->out, "  if %s", TEXT(point, "condition"));
        if (json_is_false(json_object_get(point, "verified")))
            fputs("  (no such place in this kernel)", t->out);
        fprintf(t->out, "  hits: %" PRId64 "\n", (int64_t)NUMBER(point, "hits"));
        const json_t *commands = json_object_get(point, "commands");
        for (size_t k = 0; k < json_array_size(commands); k++)
            fprintf(t->out, "        %s\n", json_string_value(json_array_get(commands, k)));
    }
    if (!shown)
        fputs(watched ? "No watchpoints.\n" : "No breakpoints.\n", t->out);
}

static json_t *add_point(struct terminal *t, json_t *point)
{
    json_object_set_new(point, "id", json_integer(t->next_point++));
    json_array_append_new(t->points, point);
    terminal_points_send(t);
    return point;
}

/* ---- locations ------------------------------------------------------------------------------- */

static char *word(const char **at)
{
    while (isspace((unsigned char)**at))
        ++*at;
    const size_t length = strcspn(*at, " \t");
    char *text = strndup(*at, length);
    if (!text)
        tools_no_memory();
    *at += length;
    while (isspace((unsigned char)**at))
        ++*at;
    return text;
}

static bool all_digits(const char *text)
{
    return *text && strspn(text, "0123456789") == strlen(text);
}

/* LINE, FILE:LINE, or a function; none: the line where the work-item stands. */
static json_t *location(struct terminal *t, char *text)
{
    char *colon = strrchr(text, ':');
    if (!*text) {
        const json_int_t line = NUMBER(t->stop, "line");
        if (!line)
            return NULL;
        return json_pack("{s:s,s:s*,s:I}", "kind", "line", "file", TEXT(t->stop, "file"), "line", line);
    }
    if (all_digits(text))
        return json_pack("{s:s,s:s*,s:I}", "kind", "line", "file",
                         TEXT(t->stop, "file") ? TEXT(t->stop, "file") : t->file, "line",
                         (json_int_t)strtoll(text, NULL, 10));
    if (colon && all_digits(colon + 1)) {
        *colon = '\0';
        return json_pack("{s:s,s:s,s:I}", "kind", "line", "file", text, "line",
                         (json_int_t)strtoll(colon + 1, NULL, 10));
    }
    return json_pack("{s:s,s:s}", "kind", "function", "function", text);
}

static json_t *set_break(struct terminal *t, const char *arguments, bool temporary)
{
    const char *at = arguments, *rest;
    char *text = terminal_after_word(at, "if") || terminal_after_word(at, "thread") ? strdup("") : word(&at);
    json_t *point = location(t, text);
    free(text);
    if (!point) {
        terminal_refuse(t, "no line is known here: name one");
        return NULL;
    }
    if ((rest = terminal_after_word(at, "thread")) != NULL) {
        char *end;
        json_object_set_new(point, "thread", json_integer(strtoll(rest, &end, 0) + 1));
        at = end;
        while (isspace((unsigned char)*at))
            at++;
    }
    if ((rest = terminal_after_word(at, "if")) != NULL && !*rest) {
        terminal_refuse(t, "found the end, expected a condition after 'if'");
        json_decref(point);
        return NULL;
    } else if (rest) {
        json_object_set_new(point, "condition", json_string(rest));
    } else if (*at) {
        terminal_refuse(t, "found '%s', expected 'thread' or 'if'", at);
        json_decref(point);
        return NULL;
    }
    json_object_set_new(point, "temporary", json_boolean(temporary));
    point = add_point(t, point);
    fprintf(t->out, "%s %" PRId64 " at ", temporary ? "Temporary breakpoint" : "Breakpoint",
            (int64_t)NUMBER(point, "id"));
    describe(t, point);
    fputs(json_is_false(json_object_get(point, "verified")) ? ", which this kernel does not have\n" : "\n",
          t->out);
    return point;
}

void terminal_points_remove(struct terminal *t, json_int_t id)
{
    size_t index;
    if (!find_point(t, id, &index))
        return;
    json_array_remove(t->points, index);
    terminal_points_send(t);
}

bool terminal_points_add_temporary(struct terminal *t, const char *location_text, json_int_t *out_id)
{
    char *text = strdup(location_text);
    json_t *point = text ? location(t, text) : NULL;
    free(text);
    if (!point) {
        terminal_refuse(t, "no line is known here: name one");
        return false;
    }
    json_object_set_new(point, "temporary", json_true());
    point = add_point(t, point);
    *out_id = NUMBER(point, "id");
    if (!json_is_false(json_object_get(point, "verified")))
        return true;
    terminal_refuse(t, "found '%s', which this kernel does not have", location_text);
    terminal_points_remove(t, *out_id);
    return false;
}

void do_break(struct terminal *t, const char *arguments)
{
    set_break(t, arguments, false);
}
void do_temporary_break(struct terminal *t, const char *arguments)
{
    set_break(t, arguments, true);
}

void do_log(struct terminal *t, const char *arguments)
{
    const char *at = arguments;
    char *text = word(&at);
    json_t *point = location(t, text);
    free(text);
    if (!point || !*at) {
        json_decref(point);
        terminal_refuse(t, "expected a location and a text");
        return;
    }
    json_object_set_new(point, "log", json_string(at));
    point = add_point(t, point);
    fprintf(t->out, "Log point %" PRId64 " at ", (int64_t)NUMBER(point, "id"));
    describe(t, point);
    fputc('\n', t->out);
}

/* ---- watched memory -------------------------------------------------------------------------- */

/* Private memory has no access events: the value is compared at each line of the work-item. */
static void set_watch_if(struct terminal *t, const char *expression, const char *condition, bool reads,
                         bool writes)
{
    json_t *value = terminal_evaluate(t, expression, false);
    if (!value)
        return;
    const json_t *address = json_object_get(value, "address");
    const bool is_private = json_is_true(json_object_get(value, "private"));
    if (!address || (is_private && reads)) {
        terminal_refuse(t, address ? "reads of private memory cannot be watched"
                                   : "only what is in memory can be watched");
        json_decref(value);
        return;
    }
    json_t *point;
    if (is_private)
        point = json_pack("{s:s,s:s,s:s,s:I,s:I}", "kind", "expression", "expression", expression, "name",
                          expression, "thread", t->thread, "launch", t->launch);
    else
        point = json_pack("{s:s,s:s,s:I,s:I,s:b,s:b}", "kind", "watch", "name", expression, "address",
                          json_integer_value(address), "size", NUMBER(value, "size"), "read", reads, "write",
                          writes);
    json_decref(value);
    if (condition)
        json_object_set_new(point, "condition", json_string(condition));
    point = add_point(t, point);
    fprintf(t->out, "Watchpoint %" PRId64 ": %s\n", (int64_t)NUMBER(point, "id"), expression);
}

/* "-l" is accepted since it is gdb's; every watchpoint here watches a place. */
static void set_watch(struct terminal *t, const char *arguments, bool reads, bool writes)
{
    const char *place = terminal_after_word(arguments, "-l"), *expression = place ? place : arguments,
               *condition = strstr(expression, " if ");
    char *text = strndup(expression, condition ? (size_t)(condition - expression) : strlen(expression));
    if (!text)
        tools_no_memory();
    if (*text)
        set_watch_if(t, text, condition ? condition + strlen(" if ") : NULL, reads, writes);
    else
        terminal_refuse(t, "expected an expression");
    free(text);
}

void do_watch(struct terminal *t, const char *arguments)
{
    set_watch(t, arguments, false, true);
}
void do_read_watch(struct terminal *t, const char *arguments)
{
    set_watch(t, arguments, true, false);
}
void do_access_watch(struct terminal *t, const char *arguments)
{
    set_watch(t, arguments, true, true);
}

void do_catch(struct terminal *t, const char *arguments)
{
    json_t *point = json_pack("{s:s}", "kind", "finding");
    enum finding_kind kind;
    if (*arguments && !finding_from_id(arguments, &kind)) {
        char *meant = finding_meant(arguments);
        terminal_refuse(t, "found '%s', expected the id of a kind of finding%s%s", arguments,
                        meant && *meant ? ", as " : "", meant ? meant : "");
        free(meant);
        json_decref(point);
        return;
    }
    if (*arguments)
        json_object_set_new(point, "expression", json_string(arguments));
    point = add_point(t, point);
    fprintf(t->out, "Catchpoint %" PRId64 " at ", (int64_t)NUMBER(point, "id"));
    describe(t, point);
    fputc('\n', t->out);
}

/* ---- changing them --------------------------------------------------------------------------- */

typedef void change_point(struct terminal *t, json_t *point);

/* "3", or "3-5": those of them that there are. */
static void change_range(struct terminal *t, const char *text, change_point *change)
{
    char *end;
    const json_int_t first = strtoll(text, &end, 10), last = *end == '-' ? strtoll(end + 1, &end, 10) : first;
    bool found = false;
    for (size_t i = json_array_size(t->points); i-- > 0 && !*end;) {
        json_t *point = json_array_get(t->points, i);
        if (NUMBER(point, "id") < first || NUMBER(point, "id") > last)
            continue;
        change(t, point);
        found = true;
    }
    if (!found)
        terminal_refuse(t, "there is no breakpoint %s", text);
}

/* Applies the change to each number and range in the arguments, or to all breakpoints if there is none. */
static void each_point(struct terminal *t, const char *arguments, change_point *change)
{
    for (size_t i = *arguments ? 0 : json_array_size(t->points); i-- > 0;)
        change(t, json_array_get(t->points, i));
    while (*arguments) {
        char *text = word(&arguments);
        change_range(t, text, change);
        free(text);
    }
    terminal_points_send(t);
}

static void delete_point(struct terminal *t, json_t *point)
{
    size_t index;
    if (find_point(t, NUMBER(point, "id"), &index))
        json_array_remove(t->points, index);
}

static void disable_point(struct terminal *t, json_t *point)
{
    (void)t;
    json_object_set_new(point, "disabled", json_true());
}

static void enable_point(struct terminal *t, json_t *point)
{
    (void)t;
    json_object_set_new(point, "disabled", json_false());
}

void do_delete(struct terminal *t, const char *arguments)
{
    const char *rest = terminal_after_word(arguments, "breakpoints");
    each_point(t, rest ? rest : arguments, delete_point);
}

void do_disable(struct terminal *t, const char *arguments)
{
    each_point(t, arguments, disable_point);
}
void do_enable(struct terminal *t, const char *arguments)
{
    each_point(t, arguments, enable_point);
}

void do_condition(struct terminal *t, const char *arguments)
{
    const char *at = arguments;
    char *text = word(&at);
    json_t *point = find_point(t, strtoll(text, NULL, 10), NULL);
    if (!point)
        terminal_refuse(t, "there is no breakpoint %s", text);
    else if (*at)
        json_object_set_new(point, "condition", json_string(at));
    else
        json_object_del(point, "condition");
    free(text);
    terminal_points_send(t);
}

void do_ignore(struct terminal *t, const char *arguments)
{
    const char *at = arguments;
    char *text = word(&at);
    json_t *point = find_point(t, strtoll(text, NULL, 10), NULL);
    if (point)
        json_object_set_new(point, "ignore", json_integer(NUMBER(point, "hits") + strtoll(at, NULL, 10)));
    else
        terminal_refuse(t, "there is no breakpoint %s", text);
    free(text);
    terminal_points_send(t);
}

/* Without a number, the commands are those of the breakpoint that was set last. */
void do_commands(struct terminal *t, const char *arguments)
{
    const size_t count = json_array_size(t->points);
    const json_int_t id = *arguments ? strtoll(arguments, NULL, 10)
                          : count    ? NUMBER(json_array_get(t->points, count - 1), "id")
                                     : 0;
    json_t *point = find_point(t, id, NULL);
    if (!point) {
        terminal_refuse(t, "there is no breakpoint %s", *arguments ? arguments : "yet");
        return;
    }
    json_object_set_new(point, "commands", json_array());
    t->commands_of = id;
}

bool terminal_points_take_command(struct terminal *t, const char *line)
{
    const json_t *point = t->commands_of ? find_point(t, t->commands_of, NULL) : NULL;
    if (!point)
        return false;
    if (!strcmp(line, "end"))
        t->commands_of = 0;
    else
        json_array_append_new(json_object_get(point, "commands"), json_string(line));
    return true;
}

void do_clear(struct terminal *t, const char *arguments)
{
    char *text = strdup(arguments);
    json_t *wanted = text ? location(t, text) : NULL;
    size_t before = json_array_size(t->points);
    for (size_t i = before; wanted && i-- > 0;) {
        const json_t *point = json_array_get(t->points, i);
        const char *a = TEXT(point, "function"), *b = TEXT(wanted, "function");
        const bool same_line = !b && !strcmp(TEXT(point, "kind"), "line") &&
                               (NUMBER(point, "line") == NUMBER(wanted, "line") ||
                                NUMBER(point, "stands") == NUMBER(wanted, "line"));
        if (same_line || (a && b && !strcmp(a, b)))
            json_array_remove(t->points, i);
    }
    if (json_array_size(t->points) == before)
        terminal_refuse(t, "no breakpoint at %s", arguments);
    json_decref(wanted);
    free(text);
    terminal_points_send(t);
}
