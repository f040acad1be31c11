/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Line markers, read line by line: a directive of a number and, if another file begins, its name in quotes.
 * A directive that is spelled by macros gives no number here: what follows it up to the next marker belongs
 * to no file. Markers in comments, and in groups that are skipped, count like others.
 */
#include "line_marker.h"

#include <stdlib.h>
#include <string.h>

enum { MARKED_LINES_MOST = 1 << 20 }; /* beyond it a number is no line of a file */

enum marker { MARKER_NONE, MARKER_UNKNOWN, MARKER_LINE };

static const char *skip_blanks(const char *at)
{
    return at + strspn(at, " \t");
}

/* "name" without its quotes and escapes; NULL: it is none, or there is no memory. */
static char *quoted_name(const char *at)
{
    char *name = *at == '"' ? malloc(strlen(at)) : NULL, *end = name;
    if (!name)
        return NULL;
    for (at++; *at && *at != '"'; at++) {
        at += *at == '\\' && at[1];
        *end++ = *at;
    }
    *end = '\0';
    if (*at == '"')
        return name;
    free(name);
    return NULL;
}

/* out_name: malloc'd; NULL: the file stays. */
static enum marker read_marker(const char *line, uint32_t *out_line, char **out_name)
{
    *out_name = NULL;
    const char *at = skip_blanks(line);
    if (*at != '#')
        return MARKER_NONE;
    at = skip_blanks(at + 1);
    const bool named = strncmp(at, "line", 4) == 0 && (at[4] == ' ' || at[4] == '\t');
    if (named)
        at = skip_blanks(at + 4);
    if (*at < '0' || *at > '9')
        return named ? MARKER_UNKNOWN : MARKER_NONE;
    char *end;
    const unsigned long number = strtoul(at, &end, 10);
    *out_line = number > MARKED_LINES_MOST ? 0 : (uint32_t)number;
    at = skip_blanks(end);
    if (*at == '"' && !(*out_name = quoted_name(at)))
        return MARKER_UNKNOWN;
    return *out_line && (!*at || *out_name || strncmp(at, "//", 2) == 0 || strncmp(at, "/*", 2) == 0)
               ? MARKER_LINE
               : MARKER_UNKNOWN;
}

struct marked_files {
    struct marked_file *items;
    size_t count;
    const char *own; /* what the text itself is called; NULL: not known */
};

/* A line that no marker gives, and one that two markers give different texts. */
static const char no_text[] = "", two_texts[] = "";

/* Takes the name. NULL: out of memory. */
static struct marked_file *file_of(struct marked_files *files, char *name)
{
    const bool is_own = name && files->own && strcmp(files->own, name) == 0;
    for (size_t i = is_own ? 0 : 1; name && i < files->count; i++)
        if (is_own || strcmp(files->items[i].name, name) == 0) {
            free(name);
            return &files->items[i];
        }
    struct marked_file *items = realloc(files->items, (files->count + 1) * sizeof *items);
    if (!items) {
        free(name);
        return NULL;
    }
    files->items = items;
    items[files->count] = (struct marked_file){.name = name};
    return &items[files->count++];
}

/* A header that is there twice is the same text. */
static bool put_line(struct marked_file *file, uint32_t line, char *text)
{
    if (line > MARKED_LINES_MOST)
        return true;
    if (line > file->line_count) {
        uint32_t room = 2 * file->line_count > line ? 2 * file->line_count : line;
        char **lines = realloc(file->lines, room * sizeof *lines);
        if (!lines)
            return false;
        for (uint32_t i = file->line_count; i < room; i++)
            lines[i] = (char *)(uintptr_t)no_text;
        file->lines = lines;
        file->line_count = room;
    }
    char **place = &file->lines[line - 1];
    if (*place == no_text)
        *place = text;
    else if (strcmp(*place, text) != 0)
        *place = (char *)(uintptr_t)two_texts;
    return true;
}

static bool has_marker(char *const *lines, uint32_t count)
{
    bool found = false;
    for (uint32_t i = 0; i < count && !found; i++) {
        uint32_t line;
        char *name;
        found = read_marker(lines[i], &line, &name) != MARKER_NONE;
        free(name);
    }
    return found;
}

static bool distribute(struct marked_files *files, char *const *lines, uint32_t count)
{
    if (!file_of(files, NULL))
        return false;
    size_t current = 0;
    uint32_t next = 1; /* 0: it is not known which line */
    for (uint32_t i = 0; i < count; i++) {
        uint32_t line;
        char *name;
        const enum marker marker = read_marker(lines[i], &line, &name);
        struct marked_file *file = name ? file_of(files, name) : &files->items[current];
        if (!file)
            return false;
        current = (size_t)(file - files->items);
        if (marker != MARKER_NONE)
            next = marker == MARKER_LINE ? line : 0;
        else if (next && !put_line(file, next++, lines[i]))
            return false;
    }
    return true;
}

bool line_markers_read(const char *own, char *const *lines, uint32_t count, struct marked_file **out_files,
                       size_t *out_count)
{
    *out_files = NULL;
    *out_count = 0;
    if (!has_marker(lines, count))
        return true;
    struct marked_files files = {.own = own};
    if (!distribute(&files, lines, count)) {
        line_markers_free(files.items, files.count);
        return false;
    }
    *out_files = files.items;
    *out_count = files.count;
    return true;
}

void line_markers_free(struct marked_file *files, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(files[i].name);
        free(files[i].lines);
    }
    free(files);
}
