/* SPDX-License-Identifier: Apache-2.0 */
/* `list` and lines of the source. A file is asked of the engine each time; the terminal keeps which
 * one is listed, and from which line on. */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "terminal.h"

enum { LIST_LINES = 10 };

static json_t *source_of(struct terminal *t, const char *file)
{
    json_t *answer = session_request(t->session, json_pack("{s:s,s:s*}", "verb", "source", "file", file));
    if (!json_object_get(answer, "error"))
        return answer;
    json_decref(answer);
    return NULL;
}

static const char *line_at(const char *text, json_int_t line, size_t *out_length)
{
    for (; text && line > 1; line--) {
        text = strchr(text, '\n');
        text = text ? text + 1 : NULL;
    }
    if (!text || !*text)
        return NULL;
    *out_length = strcspn(text, "\n");
    return text;
}

/* `list` shows the lines around this one. */
static void list_around(struct terminal *t, const char *file, json_int_t line)
{
    free(t->list_file);
    t->list_file = file ? strdup(file) : NULL;
    t->list_line = line > LIST_LINES / 2 ? (uint32_t)line - LIST_LINES / 2 : 1;
}

void terminal_show_line(struct terminal *t, const char *file, json_int_t line)
{
    json_t *source = source_of(t, file);
    list_around(t, file, line);
    size_t length = 0;
    const char *text = source ? line_at(TEXT(source, "text"), line, &length) : NULL;
    fprintf(t->out, "%" PRId64 "\t%.*s\n", (int64_t)line, (int)length, text ? text : "");
    json_decref(source);
}

/* Finds the line that defines a function by searching the text, since the engine does not know where a
 * function begins. */
static json_int_t line_of_function(const char *text, const char *name)
{
    json_int_t line = 1;
    const size_t size = strlen(name);
    for (const char *at = text; at; line++) {
        const char *end = strchr(at, '\n'), *found = strstr(at, name);
        if (found && (!end || found < end) && found[size] == '(' &&
            (found == at || !isalnum((unsigned char)found[-1])) && at[0] != ' ' && at[0] != '\t')
            return line;
        at = end ? end + 1 : NULL;
    }
    return 0;
}

/* "9", "9,20", "9,", ",20" or a function: the first and last line to be shown. False: refused. */
static bool find_range(struct terminal *t, const char *text, const char *at, json_int_t *out_first,
                       json_int_t *out_last)
{
    const char *comma = strchr(at, ',');
    const json_int_t last = comma ? strtoll(comma + 1, NULL, 10) : 0;
    const json_int_t middle = isdigit((unsigned char)*at) ? strtoll(at, NULL, 10)
                              : comma == at && last       ? (last > LIST_LINES ? last - LIST_LINES + 1 : 1)
                                                          : line_of_function(text, at);
    if (!middle) {
        terminal_refuse(t, "no function '%s' is in the source", at);
        return false;
    }
    *out_first = comma ? middle : middle > LIST_LINES / 2 ? middle - LIST_LINES / 2 : 1;
    *out_last = last >= *out_first ? last : *out_first + LIST_LINES - 1;
    return true;
}

/* "FILE:9": the file is the one from now on. Returns what follows; NULL: there is none of that name, and that
 * is printed. */
static const char *take_file(struct terminal *t, const char *arguments)
{
    const char *colon = strrchr(arguments, ':');
    if (!colon)
        return arguments;
    json_t *answer = terminal_ask(t, "sources", NULL);
    const json_t *list = json_object_get(answer, "list");
    const size_t length = (size_t)(colon - arguments);
    bool found = false;
    for (size_t i = 0; i < json_array_size(list) && !found; i++) {
        const char *file = json_string_value(json_array_get(list, i));
        const size_t size = strlen(file);
        found = size >= length && !strncmp(file + size - length, arguments, length) &&
                (size == length || file[size - length - 1] == '/');
        if (found)
            list_around(t, file, 1);
    }
    json_decref(answer);
    if (!found)
        terminal_refuse(t, "no source '%.*s' is known: 'info sources' lists them", (int)length, arguments);
    return found ? colon + 1 : NULL;
}

static void list_lines(struct terminal *t, const char *text, json_int_t first, json_int_t last)
{
    size_t length;
    if (!line_at(text, first, &length)) {
        terminal_refuse(t, "the source has no line %" PRId64, (int64_t)first);
        return;
    }
    for (json_int_t i = first; i <= last; i++) {
        const char *line = line_at(text, i, &length);
        if (line)
            fprintf(t->out, "%" PRId64 "\t%.*s\n", (int64_t)i, (int)length, line);
    }
    t->list_line = (uint32_t)last + 1;
}

void do_list(struct terminal *t, const char *arguments)
{
    arguments = take_file(t, arguments);
    if (!arguments)
        return;
    json_t *source = source_of(t, t->list_file ? t->list_file : t->file);
    const char *text = TEXT(source, "text");
    json_int_t first = t->list_line ? (json_int_t)t->list_line : 1, last;
    if (!strcmp(arguments, "-")) {
        first = first > 2 * LIST_LINES ? first - 2 * LIST_LINES : 1;
        arguments = "";
    }
    last = first + LIST_LINES - 1;
    if (!source)
        terminal_refuse(t, "no source text is known");
    else if (!*arguments || find_range(t, text, arguments, &first, &last))
        list_lines(t, text, first, last);
    json_decref(source);
}
