/* SPDX-License-Identifier: Apache-2.0 */
/* Breaks lines at spaces. A continued line is indented below the beginning of its text, so that columns and
 * paragraphs stay apart. */
#include "report_wrap.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "orrery/report_width.h"

enum { COLUMNS_LEAST = 60, COLUMNS_MOST = 200, COLUMNS_UNKNOWN = 100 };

unsigned report_columns(int file, const char *wanted)
{
    struct winsize size = {0};
    if (file < 0 || !isatty(file))
        return 0;
    long columns = ioctl(file, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
    if (columns <= 0)
        columns = wanted ? strtol(wanted, NULL, 10) : 0;
    if (columns <= 0)
        columns = COLUMNS_UNKNOWN;
    return (unsigned)(columns < COLUMNS_LEAST  ? COLUMNS_LEAST
                      : columns > COLUMNS_MOST ? COLUMNS_MOST
                                               : columns);
}

/* The bytes of the character at `at`, and the columns that it takes: a colour sequence takes none. */
static size_t next_glyph(const char *at, const char *end, size_t *out_columns)
{
    const char *next = at + 1;
    *out_columns = 1;
    if (*at == '\033') {
        *out_columns = 0;
        while (next < end && next[-1] != 'm')
            next++;
    }
    while (next < end && (*next & 0xc0) == 0x80)
        next++;
    return (size_t)(next - at);
}

/* Where to break a line that begins at `at` after `indent` columns: at the last space that fits, if there is
 * one. */
static const char *break_at(const char *at, const char *end, size_t indent, size_t columns)
{
    const char *space = NULL;
    size_t used = indent, takes;
    for (const char *c = at + strspn(at, " "); c < end; c += next_glyph(c, end, &takes)) {
        if (*c == ' ')
            space = c;
        next_glyph(c, end, &takes);
        used += takes;
        if (used + strspn(at, " ") > columns && space)
            return space;
    }
    return end;
}

/* The indentation of continued lines: accesses continue below their places, other lines below their first
 * word. */
static size_t indent_of(const char *line, const char *end)
{
    const size_t spaces = strspn(line, " ");
    const bool numbered = spaces == 2 && line + 4 < end && (line[2] == '1' || line[2] == '2');
    return numbered && line[3] == ' ' ? 5 : spaces + 2;
}

static void wrap_line(FILE *stream, const char *line, const char *end, size_t columns)
{
    const size_t indent = indent_of(line, end);
    size_t before = 0;
    while (line < end) {
        const char *stop = break_at(line, end, before, columns);
        fprintf(stream, "%*s%.*s\n", (int)before, "", (int)(stop - line), line);
        line = stop + strspn(stop, " ");
        before = indent;
    }
}

void report_wrap_text(FILE *stream, const char *text, size_t columns)
{
    for (const char *line = text; *line;) {
        const char *end = line + strcspn(line, "\n");
        if (line == end)
            fputc('\n', stream);
        else
            wrap_line(stream, line, end, columns);
        line = *end ? end + 1 : end;
    }
}
