/* SPDX-License-Identifier: Apache-2.0 */
/* The text with edits done to it, in the order of their places. Edits that overlap are refused. */
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

/* The edit that begins first among those that are not done; NULL: all are done. */
static const struct code_edit *next_edit(const struct code_edit *edits, uint32_t count, const bool *done)
{
    const struct code_edit *found = NULL;
    for (uint32_t i = 0; i < count; i++)
        if (!done[i] && (!found || edits[i].line < found->line ||
                         (edits[i].line == found->line && edits[i].column < found->column)))
            found = &edits[i];
    return found;
}

static bool is_before(struct rewrite_place a, struct rewrite_place b)
{
    return a.line < b.line || (a.line == b.line && a.column < b.column);
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
