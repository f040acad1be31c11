/* SPDX-License-Identifier: Apache-2.0 */
/* Names at the least edit distance (Damerau and Levenshtein), if that is at most a third of the word, and one
 * of a short word. */
#include "orrery/nearest.h"

#include <stdbool.h>
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

/* Letters that are other ones, missing or too many, or two that changed places, row by row. */
static size_t distance(const char *a, const char *b)
{
    enum { ROWS = 3 };
    size_t table[ROWS][NEAREST_NAME_CHARS], columns = strlen(b), i;
    CHECKED(columns < NEAREST_NAME_CHARS);
    for (size_t j = 0; j <= columns; j++)
        table[0][j] = j;
    for (i = 1; a[i - 1]; i++) {
        size_t *row = table[i % ROWS], *above = table[(i - 1) % ROWS], *two_above = table[(i + 1) % ROWS];
        row[0] = i;
        for (size_t j = 1; j <= columns; j++) {
            row[j] = least(above[j] + 1, row[j - 1] + 1, above[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = least(row[j], two_above[j - 2] + 1, SIZE_MAX);
        }
    }
    return table[(i - 1) % ROWS][columns];
}

/* A third, rounded, of the word without the ending of a file's name, which says nothing of what is meant. */
static size_t limit(const char *wanted)
{
    const char *dot = strrchr(wanted, '.');
    const size_t third = ((dot ? (size_t)(dot - wanted) : strlen(wanted)) + 1) / 3;
    return third ? third : 1;
}

/* The beginning of a name, or a longer part of it, is as good as the name misspelt. SIZE_MAX: past the
 * limit, since at least as many letters are missing or too many as the lengths differ. */
static size_t strangeness(const char *wanted, const char *name)
{
    enum { PART_CHARS = 4 };
    if (!name)
        return SIZE_MAX;
    const char *part = strstr(name, wanted);
    const size_t asked = strlen(wanted), known = strlen(name);
    if (part && (part == name || asked >= PART_CHARS))
        return 1;
    return (asked > known ? asked - known : known - asked) > limit(wanted) ? SIZE_MAX
                                                                           : distance(wanted, name);
}

char *nearest_names(const char *wanted, const char *mark, nearest_name_function *name, const void *self,
                    size_t count)
{
    enum { NAMES_MOST = 6 };
    char *text = NULL;
    size_t nearest = SIZE_MAX, shown = 0, size = 0, equal = 0;
    FILE *stream = open_memstream(&text, &size);
    if (!stream)
        return NULL;
    for (size_t i = 0; *wanted && i < count; i++) {
        size_t away = strangeness(wanted, name(self, i));
        equal = away < nearest ? 1 : equal + (away == nearest);
        nearest = away < nearest ? away : nearest;
    }
    for (size_t i = 0; equal <= NAMES_MOST && nearest <= limit(wanted) && i < count; i++) {
        if (strangeness(wanted, name(self, i)) == nearest)
            fprintf(stream, "%s%s%s", shown++ ? ", " : "", mark, name(self, i));
    }
    if (fclose(stream) == 0)
        return text;
    free(text);
    return NULL;
}

/* ---- lists of words ------------------------------------------------------------------------------- */

enum { WORDS_MOST = 64 };

struct words {
    char *text; /* with an end after each word */
    const char *word[WORDS_MOST];
    size_t count;
};

/* Is it a word of the sentence around a list, as "or" in "a topology or the name of a preset"? No user
 * misspells it as a name. */
static bool is_filler(const char *word)
{
    static const char *const fillers[] = {"a",    "after", "an",   "and",  "as",     "at", "from",  "in",
                                          "is",   "it",    "list", "name", "number", "of", "one",   "or",
                                          "such", "that",  "the",  "them", "these",  "to", "which", "with"};
    for (size_t i = 0; i < sizeof fillers / sizeof *fillers; i++)
        if (strcmp(fillers[i], word) == 0)
            return true;
    return false;
}

/* What stands between commas and blanks, up to '=', ';' or ':': "races=warning" is "races". Left out are
 * quoted words, numbers, long words and fillers. */
static bool words_read(const char *text, struct words *out_words)
{
    char *save = NULL;
    *out_words = (struct words){.text = strdup(text)};
    if (!out_words->text)
        return false;
    for (char *word = strtok_r(out_words->text, ", ", &save); word && out_words->count < WORDS_MOST;
         word = strtok_r(NULL, ", ", &save)) {
        word[strcspn(word, "=;:")] = '\0';
        if (!strchr(word, '\'') && (*word < '0' || *word > '9') && strlen(word) + 1 < NEAREST_NAME_CHARS &&
            !is_filler(word))
            out_words->word[out_words->count++] = word;
    }
    return true;
}

static const char *word_at(const void *self, size_t index)
{
    return ((const struct words *)self)->word[index];
}

static bool has_word(const struct words *words, const char *word)
{
    for (size_t i = 0; i < words->count; i++)
        if (strcmp(words->word[i], word) == 0)
            return true;
    return false;
}

char *nearest_words(const char *wanted, const char *expected)
{
    struct words given, names = {.text = NULL};
    char *found = NULL;
    given.text = NULL;
    if (!strstr(expected, "did you mean") && !strstr(expected, "perhaps ") && words_read(wanted, &given) &&
        words_read(expected, &names))
        for (size_t i = 0; i < given.count && !(found && *found); i++) {
            free(found);
            found = has_word(&names, given.word[i])
                        ? NULL
                        : nearest_names(given.word[i], "", word_at, &names, names.count);
        }
    free(given.text);
    free(names.text);
    return found;
}
