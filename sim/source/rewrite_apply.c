/* SPDX-License-Identifier: Apache-2.0 */
/* Applies edits to a text, in the order of their places. Overlapping edits are refused. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rewrite.h"

static void copy_text(FILE *stream, char *const *lines, struct rewrite_place from, struct rewrite_place to)
{
    for (uint32_t line = from.line; line <= to.line; line++) {
        const uint32_t first = line == from.line ? from.column - 1 : 0;
        const size_t end = line == to.line ? to.column - 1 : strlen(lines[line - 1]);
        fwrite(lines[line - 1] + first, 1, end - first, stream);
        if (line != to.line)
            fputc('\n', stream);
    }
}

static bool is_before(struct rewrite_place a, struct rewrite_place b)
{
    return a.line < b.line || (a.line == b.line && a.column < b.column);
}

static struct rewrite_place begin_of(const struct code_edit *edit)
{
    return (struct rewrite_place){edit->line, edit->column};
}

/* The edit that begins first among those not applied yet; NULL: all are applied. */
static const struct code_edit *next_edit(const struct code_edit *edits, uint32_t count, const bool *done)
{
    const struct code_edit *found = NULL;
    for (uint32_t i = 0; i < count; i++)
        if (!done[i] && (!found || is_before(begin_of(&edits[i]), begin_of(found))))
            found = &edits[i];
    return found;
}

char *rewrite_apply(char *const *lines, uint32_t line_count, const struct code_edit *edits,
                    uint32_t edit_count)
{
    enum { EDITS_MOST = 16 };
    bool done[EDITS_MOST] = {false}, fits = line_count && edit_count <= EDITS_MOST;
    char *text = NULL;
    size_t size;
    FILE *stream = fits ? open_memstream(&text, &size) : NULL;
    struct rewrite_place at = {1, 1};
    if (!stream)
        return NULL;
    for (const struct code_edit *edit; fits && (edit = next_edit(edits, edit_count, done));) {
        const struct rewrite_place from = {edit->line, edit->column};
        fits = !is_before(from, at) && edit->end_line <= line_count;
        if (fits)
            copy_text(stream, lines, at, from);
        fputs(edit->text, stream);
        at = (struct rewrite_place){edit->end_line, edit->end_column};
        done[edit - edits] = true;
    }
    if (fits)
        copy_text(stream, lines, at,
                  (struct rewrite_place){line_count, (uint32_t)strlen(lines[line_count - 1]) + 1});
    if (fclose(stream) == 0 && fits)
        return text;
    free(text);
    return NULL;
}
