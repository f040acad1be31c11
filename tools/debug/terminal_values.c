/* SPDX-License-Identifier: Apache-2.0 */
/* Verbs that evaluate expressions: print, display, ptype, set. The list of displays is kept here, not
 * in the engine; each is evaluated again at each stop. */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "terminal.h"

/* Parses "/x" and skips it. Returns the format, or '\0'. */
static char take_format(const char **arguments)
{
    char format = '\0';
    if (**arguments != '/')
        return '\0';
    for (++*arguments; **arguments && !isspace((unsigned char)**arguments); ++*arguments)
        format = **arguments;
    while (isspace((unsigned char)**arguments))
        ++*arguments;
    return format;
}

bool terminal_needs_expression(struct terminal *t, const char *arguments)
{
    if (!*arguments)
        terminal_refuse(t, "expected an expression");
    return *arguments != '\0';
}

static void print_value(struct terminal *t, const char *arguments, const char *head)
{
    const char format[] = {take_format(&arguments), '\0'};
    if (!terminal_needs_expression(t, arguments))
        return;
    json_t *value =
        terminal_ask(t, "evaluate", json_pack("{s:s,s:s}", "expression", arguments, "format", format));
    if (!value)
        return;
    if (head)
        fprintf(t->out, "%s%s\n", head, TEXT(value, "value"));
    else
        fprintf(t->out, "%s = %s\n", arguments, TEXT(value, "value"));
    json_decref(value);
}

void do_print(struct terminal *t, const char *arguments)
{
    print_value(t, arguments, NULL);
}
void do_output(struct terminal *t, const char *arguments)
{
    print_value(t, arguments, "");
}

static void show_type(struct terminal *t, const char *arguments, const char *key)
{
    if (!terminal_needs_expression(t, arguments))
        return;
    json_t *answer = terminal_ask(t, "type", json_pack("{s:s}", "expression", arguments));
    if (answer)
        fprintf(t->out, "type = %s\n", TEXT(answer, key));
    json_decref(answer);
}

void do_ptype(struct terminal *t, const char *arguments)
{
    show_type(t, arguments, "definition");
}

void do_whatis(struct terminal *t, const char *arguments)
{
    show_type(t, arguments, "type");
}

void do_set(struct terminal *t, const char *arguments)
{
    const char *rest = terminal_after_word(arguments, "var");
    if (!rest)
        rest = terminal_after_word(arguments, "variable");
    if (!rest)
        rest = arguments;
    if (!strchr(rest, '=')) {
        terminal_refuse(t, "found '%s', expected: set var VARIABLE = EXPRESSION", arguments);
        return;
    }
    json_decref(terminal_evaluate(t, rest, true));
}

static bool is_in_sight(struct terminal *t, const char *expression)
{
    json_t *value =
        session_request(t->session, json_pack("{s:s,s:s,s:I,s:i}", "verb", "evaluate", "expression",
                                              expression, "thread", t->thread, "frame", (int)t->frame));
    const bool fine = !json_object_get(value, "error");
    json_decref(value);
    return fine;
}

void terminal_show_displays(struct terminal *t)
{
    for (uint32_t i = 0; i < t->display_count; i++) {
        char head[32];
        snprintf(head, sizeof head, "/%c ", t->displays[i].format);
        char *text = NULL;
        if (!is_in_sight(t, t->displays[i].expression))
            continue;
        fprintf(t->out, "%" PRIu32 ": ", t->displays[i].id);
        if (asprintf(&text, "%s%s", t->displays[i].format ? head : "", t->displays[i].expression) >= 0)
            print_value(t, text, NULL);
        free(text);
        t->failed = false;
    }
}

void terminal_list_displays(struct terminal *t)
{
    if (!t->display_count)
        fputs("No displays.\n", t->out);
    for (uint32_t i = 0; i < t->display_count; i++)
        fprintf(t->out, "%" PRIu32 ": %.*s%s\n", t->displays[i].id, t->displays[i].format ? 3 : 0,
                (const char[]){'/', t->displays[i].format, ' ', '\0'}, t->displays[i].expression);
}

void do_display(struct terminal *t, const char *arguments)
{
    if (!*arguments) {
        terminal_show_displays(t);
        return;
    }
    if (t->display_count == DISPLAYS_MOST) {
        terminal_refuse(t, "there are %d displays already", DISPLAYS_MOST);
        return;
    }
    const char format = take_format(&arguments);
    t->displays[t->display_count].format = format;
    t->displays[t->display_count].id = t->next_display++;
    t->displays[t->display_count++].expression = strdup(arguments);
    if (t->thread)
        terminal_show_displays(t);
}

void do_undisplay(struct terminal *t, const char *arguments)
{
    const uint32_t id = (uint32_t)strtoul(arguments, NULL, 10);
    for (uint32_t i = t->display_count; i-- > 0;) {
        if (id && t->displays[i].id != id)
            continue;
        free(t->displays[i].expression);
        memmove(&t->displays[i], &t->displays[i + 1], (t->display_count - i - 1) * sizeof *t->displays);
        t->display_count--;
    }
}
