/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A baseline is a text: a heading line, then a row for each finding with tabs between fingerprint, rule,
 * kernel, file and the text of the line. Only the fingerprint counts. Rows are sorted for readers, so that
 * the file is the same whichever process writes first, and shows in a comparison what has changed.
 */
#include "baseline.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Out of memory for a row: its finding is reported. */
#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#include "fingerprint.h"
#include "orrery/watch.h"
#include "report_words.h"
#include "suppression.h"

enum { DIGITS = FINGERPRINT_CHARS - 1 };

struct baseline_row {
    uint64_t fingerprint;
    size_t index;
    bool used;
    char *text; /* the row, as it stands in the file */
    UT_hash_handle hh;
};

/* ---- reading ---------------------------------------------------------------------------- */

static size_t digits_of(const char *line)
{
    size_t count = 0;
    while (count < DIGITS && isxdigit((unsigned char)line[count]))
        count++;
    return count;
}

static bool is_row(const char *line)
{
    return digits_of(line) == DIGITS && strchr("\t\r\n", line[DIGITS]);
}

static bool is_blank(const char *line)
{
    return *line == '#' || line[strspn(line, " \t\r\n")] == '\0';
}

static void row_free(struct baseline_row *row)
{
    free(row->text);
    free(row);
}

static enum status add_row(struct baseline *baseline, const char *line)
{
    char digits[FINGERPRINT_CHARS] = "";
    struct baseline_row *row = calloc(1, sizeof *row), *there = NULL;
    if (!row || !(row->text = strndup(line, strcspn(line, "\r\n")))) {
        free(row);
        return STATUS_OUT_OF_MEMORY;
    }
    memcpy(digits, line, DIGITS);
    row->fingerprint = strtoull(digits, NULL, 16);
    HASH_FIND(hh, baseline->rows, &row->fingerprint, sizeof row->fingerprint, there);
    if (!there) {
        row->index = baseline->count++;
        HASH_ADD(hh, baseline->rows, fingerprint, sizeof row->fingerprint, row);
        HASH_FIND(hh, baseline->rows, &row->fingerprint, sizeof row->fingerprint, there);
    }
    if (there != row)
        row_free(row);
    return there ? STATUS_OK : STATUS_OUT_OF_MEMORY;
}

static enum status refuse(struct diagnosis *diagnosis, const char *path, size_t number, const char *line)
{
    return diagnose(diagnosis, STATUS_BAD_SCENARIO,
                    "%s:%zu:1: baseline: found '%.*s', expected a fingerprint of 16 hexadecimal digits", path,
                    number, (int)strcspn(line, "\t\r\n"), line);
}

/* A file that begins with a zero byte is no text. A device of zeros has no end of a line, either. */
static bool begins_with_zero(FILE *file)
{
    const int first = fgetc(file);
    if (first > 0)
        ungetc(first, file);
    return first == 0;
}

enum status baseline_load(struct baseline *baseline, const char *path, struct diagnosis *diagnosis)
{
    char *line = NULL;
    size_t room = 0, number = 0;
    FILE *file = fopen(path, "re");
    enum status status = file ? STATUS_OK
                              : diagnose(diagnosis, STATUS_IO,
                                         "%s: the baseline cannot be read; --update-baseline makes it", path);
    *baseline = (struct baseline){NULL, 0};
    if (file && begins_with_zero(file))
        status =
            diagnose(diagnosis, STATUS_BAD_SCENARIO,
                     "%s: baseline: found a file that is no text, expected one of --update-baseline", path);
    while (file && !status && getline(&line, &room, file) > 0) {
        number++;
        if (!is_blank(line))
            status = is_row(line) ? add_row(baseline, line) : refuse(diagnosis, path, number, line);
    }
    if (file && !status && ferror(file)) /* a directory opens, but cannot be read */
        status = diagnose(diagnosis, STATUS_IO, "%s: the baseline cannot be read", path);
    if (file)
        fclose(file);
    free(line);
    return status;
}

void baseline_fini(struct baseline *baseline)
{
    struct baseline_row *row, *next;
    HASH_ITER(hh, baseline->rows, row, next)
    {
        HASH_DEL(baseline->rows, row);
        row_free(row);
    }
}

/* ---- matching ----------------------------------------------------------------------------- */

bool baseline_use(struct baseline *baseline, uint64_t fingerprint, size_t *out_index)
{
    struct baseline_row *row = NULL;
    HASH_FIND(hh, baseline->rows, &fingerprint, sizeof fingerprint, row);
    if (!row || !fingerprint)
        return false;
    row->used = true;
    *out_index = row->index;
    return true;
}

static void baseline_take_used(struct baseline *baseline, const struct watch *watch)
{
    for (struct baseline_row *row = baseline->rows; row; row = row->hh.next)
        row->used |= watch_row_used(watch, row->index);
}

void baseline_note(FILE *stream, const struct baseline *baseline, const char *path)
{
    size_t count = 0;
    for (const struct baseline_row *row = baseline->rows; row; row = row->hh.next)
        count += !row->used;
    if (!count)
        return;
    fprintf(stream,
            "orrery: note: nothing was found of %zu row%s of the baseline %s; --update-baseline drops %s:\n",
            count, count == 1 ? "" : "s", path, count == 1 ? "it" : "them");
    for (const struct baseline_row *row = baseline->rows; row; row = row->hh.next)
        if (!row->used)
            fprintf(stream, "  %s\n", row->text);
}

void report_note_baseline(FILE *stream, const struct scenario *scenario, const struct watch *watch)
{
    struct baseline baseline = {NULL, 0};
    if (!scenario->baseline_file || scenario->update_baseline)
        return;
    if (baseline_load(&baseline, scenario->baseline_file, NULL) == STATUS_OK) {
        baseline_take_used(&baseline, watch);
        baseline_note(stream, &baseline, scenario->baseline_file);
    }
    baseline_fini(&baseline);
}

/* ---- writing ------------------------------------------------------------------------------ */

static const char title[] =
    "# Baseline of orrery: findings that are accepted. Fingerprint, rule, kernel, file, "
    "line; see orrery-report(5).\n";

static const char *or_none(const char *text)
{
    return text && *text ? text : "-";
}

/* "a.cl", a tab, and the line; malloc'd. */
static char *place_of(const struct finding *finding, uint32_t index)
{
    const struct source_place *place = &finding->access[index].place;
    const char *slash = place->file ? strrchr(place->file, '/') : NULL;
    char *line = report_source_text(place), *text = NULL;
    if (asprintf(&text, "%s\t%s", or_none(slash ? slash + 1 : place->file),
                 or_none(line && *line ? line : finding->access[index].what)) < 0)
        text = NULL;
    free(line);
    return text;
}

/* Sorted: which access came first depends on the schedule. */
static char *places_of(const struct finding *finding)
{
    char *first = finding->access_count ? place_of(finding, 0) : NULL,
         *second = finding->access_count > 1 ? place_of(finding, 1) : NULL;
    const bool swapped = first && second && strcmp(second, first) < 0;
    free(swapped ? first : second);
    return swapped ? second : first;
}

static void put_row(FILE *stream, const struct finding *finding)
{
    char fingerprint[FINGERPRINT_CHARS], *place = places_of(finding);
    fingerprint_print(finding->fingerprint, fingerprint);
    if (*fingerprint)
        fprintf(stream, "%s\t%s\t%s\t%s\n", fingerprint, finding_id(finding->kind), or_none(finding->kernel),
                place ? place : "-\t-");
    free(place);
}

struct row_list {
    size_t count, room;
    const char **at; /* each to the end of its line */
};

/* Out of memory: the row is lost, and its finding is reported by the next run. */
static void take_rows(struct row_list *rows, const char *text)
{
    for (; *text; text += strcspn(text, "\n"), text += *text == '\n') {
        if (!is_row(text))
            continue;
        if (rows->count == rows->room) {
            const size_t room = 2 * rows->room + 64;
            const char **grown = realloc(rows->at, room * sizeof *grown);
            if (!grown)
                return;
            rows->at = grown;
            rows->room = room;
        }
        rows->at[rows->count++] = text;
    }
}

/* Rows are sorted by what follows the fingerprint, then by the fingerprint. */
static int compare_rows(const void *a, const void *b)
{
    const char *one = *(const char *const *)a, *other = *(const char *const *)b, *left = one + DIGITS,
               *right = other + DIGITS;
    while (*left == *right && *left != '\n' && *left)
        left++, right++;
    const int differ = (unsigned char)*left - (unsigned char)*right;
    return differ ? differ : memcmp(one, other, DIGITS);
}

static bool same_fingerprint(const char *one, const char *other)
{
    return memcmp(one, other, DIGITS) == 0;
}

static void put_rows(FILE *stream, struct row_list *rows)
{
    if (rows->count)
        qsort(rows->at, rows->count, sizeof *rows->at, compare_rows);
    fputs(title, stream);
    for (size_t i = 0; i < rows->count; i++)
        if (!i || !same_fingerprint(rows->at[i - 1], rows->at[i]))
            fprintf(stream, "%.*s\n", (int)strcspn(rows->at[i], "\n"), rows->at[i]);
    free(rows->at);
}

void report_write_baseline(FILE *stream, const struct report *report)
{
    char *text = NULL;
    size_t size = 0;
    struct row_list rows = {0};
    FILE *own = open_memstream(&text, &size);
    for (size_t i = 0; own && i < report_count(report); i++)
        put_row(own, report_get(report, i));
    for (size_t i = 0; own && i < report_suppressed_count(report); i++)
        if (report_accepts(report, report_suppressed_get(report, i)))
            put_row(own, report_suppressed_get(report, i));
    if (own && fclose(own) == 0)
        take_rows(&rows, text);
    put_rows(stream, &rows);
    free(text);
}

char *baseline_join(const char *others, const char *own)
{
    char *text = NULL;
    size_t size = 0;
    struct row_list rows = {0};
    FILE *stream = open_memstream(&text, &size);
    if (!stream)
        return NULL;
    take_rows(&rows, others);
    take_rows(&rows, own);
    put_rows(stream, &rows);
    return fclose(stream) == 0 ? text : NULL;
}
