/* SPDX-License-Identifier: Apache-2.0 */
/* Names at the least edit distance (Levenshtein), if that is at most a third of the word and one. */
#include "orrery/nearest.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "orrery/checked.h"

static size_t least(size_t a, size_t b, size_t c)
{
    size_t two = a < b ? a : b;
    return two < c ? two : c;
}

/* Letters that are other ones, missing or too many, column after column of the table. */
static size_t distance(const char *a, const char *b)
{
    size_t row[NEAREST_NAME_CHARS], columns = strlen(b);
    CHECKED(columns < NEAREST_NAME_CHARS);
    for (size_t j = 0; j <= columns; j++)
        row[j] = j;
    for (size_t i = 1; a[i - 1]; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= columns; j++) {
            size_t above = row[j];
            row[j] = least(row[j] + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1]));
            diagonal = above;
        }
    }
    return row[columns];
}

/* The beginning of a name, or a longer part of it, is as good as the name misspelt. */
static size_t strangeness(const char *wanted, const char *name)
{
    enum { PART_CHARS = 4 };
    if (!name)
        return SIZE_MAX;
    const char *part = strstr(name, wanted);
    return part && (part == name || strlen(wanted) >= PART_CHARS) ? 1 : distance(wanted, name);
}

char *nearest_names(const char *wanted, const char *mark, nearest_name_function *name, const void *self,
                    size_t count)
{
    char *text = NULL;
    size_t nearest = SIZE_MAX, shown = 0, size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (!stream)
        return NULL;
    for (size_t i = 0; *wanted && i < count; i++) {
        size_t away = strangeness(wanted, name(self, i));
        nearest = away < nearest ? away : nearest;
    }
    for (size_t i = 0; nearest <= 1 + strlen(wanted) / 3 && i < count; i++) {
        if (strangeness(wanted, name(self, i)) == nearest)
            fprintf(stream, "%s%s%s", shown++ ? ", " : "", mark, name(self, i));
    }
    if (fclose(stream) == 0)
        return text;
    free(text);
    return NULL;
}
