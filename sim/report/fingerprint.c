/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fingerprints of findings: a hash of kind, kernel, file and the text of the lines, without line numbers. So
 * a fingerprint does not depend on the rest of the file. Equal fingerprints of one run are numbered.
 */
#include "fingerprint.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

/* Out of memory for the table: findings with the same text get the same fingerprint. */
#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#include "report_words.h"

/* The column, counted from the first character that is no space. */
static uint32_t column_in_text(const struct source_place *place)
{
    const uint32_t indent = place->text ? (uint32_t)strspn(place->text, " \t") : 0;
    return place->column > indent ? place->column - indent : place->column;
}

/* The text of one access: file, line, column within the line, kind. Calls, and accesses without a line, also
 * have their words. */
static char *access_text(const struct finding *finding, uint32_t index)
{
    const struct finding_access *access = &finding->access[index];
    const struct source_place *place = &access->place;
    const bool by_words = !place->line || finding_of_call(finding->kind);
    const char *slash = place->file ? strrchr(place->file, '/') : NULL,
               *file = place->file ? place->file : "";
    char *line = report_source_text(place), *text = NULL;
    if (asprintf(&text, "%s\n%s\n%" PRIu32 "\n%d\n%s\n", slash ? slash + 1 : file, line ? line : "",
                 column_in_text(place), (int)access->kind, by_words && access->what ? access->what : "") < 0)
        text = NULL;
    free(line);
    return text;
}

/* Sorted: which access came first depends on the schedule. */
static void put_accesses(FILE *stream, const struct finding *finding)
{
    char *first = access_text(finding, 0),
         *second = finding->access_count > 1 ? access_text(finding, 1) : NULL;
    const bool swapped = first && second && strcmp(first, second) > 0;
    fputs(first && !swapped ? first : "", stream);
    fputs(second ? second : "", stream);
    fputs(first && swapped ? first : "", stream);
    free(first);
    free(second);
}

uint64_t fingerprint_of(const struct finding *finding)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (!stream)
        return 0;
    fprintf(stream, "%s\n%s\n", finding_id(finding->kind), finding->kernel ? finding->kernel : "");
    if (finding->access_count)
        put_accesses(stream, finding);
    else
        fputs(finding->why ? finding->why : "", stream);
    if (fclose(stream) != 0)
        size = 0;
    const uint64_t fingerprint = size ? XXH3_64bits(text, size) : 0;
    free(text);
    return fingerprint;
}

void fingerprint_print(uint64_t fingerprint, char out[FINGERPRINT_CHARS])
{
    out[0] = '\0';
    if (fingerprint)
        snprintf(out, FINGERPRINT_CHARS, "%016" PRIx64, fingerprint);
}

/* ---- equal fingerprints ------------------------------------------------------------------- */

struct fingerprint_seen {
    uint64_t fingerprint, times;
    UT_hash_handle hh;
};

static uint64_t times_seen(struct fingerprints *fingerprints, uint64_t fingerprint)
{
    struct fingerprint_seen *seen = NULL, *added = NULL;
    HASH_FIND(hh, fingerprints->seen, &fingerprint, sizeof fingerprint, seen);
    if (seen)
        return ++seen->times;
    if (!(seen = calloc(1, sizeof *seen)))
        return 1;
    *seen = (struct fingerprint_seen){.fingerprint = fingerprint, .times = 1};
    HASH_ADD(hh, fingerprints->seen, fingerprint, sizeof fingerprint, seen);
    HASH_FIND(hh, fingerprints->seen, &fingerprint, sizeof fingerprint, added);
    if (!added)
        free(seen);
    return 1;
}

/* Lines with the same text, as in copies of a function: the second and later ones have their number hashed
 * in. */
uint64_t fingerprints_next(struct fingerprints *fingerprints, uint64_t fingerprint)
{
    const uint64_t numbered[2] = {fingerprint, fingerprint ? times_seen(fingerprints, fingerprint) : 0};
    return numbered[1] > 1 ? XXH3_64bits(numbered, sizeof numbered) : fingerprint;
}

void fingerprints_fini(struct fingerprints *fingerprints)
{
    struct fingerprint_seen *seen, *next;
    HASH_ITER(hh, fingerprints->seen, seen, next)
    {
        HASH_DEL(fingerprints->seen, seen);
        free(seen);
    }
}
