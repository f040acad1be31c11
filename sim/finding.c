/* SPDX-License-Identifier: Apache-2.0 */
/* The kinds of findings: what their rows and their pages of orrery-findings(7) say. */
#include "orrery/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct { const char *id, *sentence; enum check check; } kinds[FINDING_KIND_COUNT] = {
#define FINDING_ROW(name, id, check, text) [FINDING_##name] = {id, text, CHECK_##check},
    FINDING_LIST(FINDING_ROW)
#undef FINDING_ROW
};

const char *finding_id(enum finding_kind kind)
{
    return kinds[kind].id;
}

const char *finding_sentence(enum finding_kind kind)
{
    return kinds[kind].sentence;
}

enum check finding_check(enum finding_kind kind)
{
    return kinds[kind].check;
}

uint64_t finding_bytes(const struct finding *finding)
{
    if (finding->common_bytes)
        return finding->common_bytes;
    return finding->access_count ? finding->access[0].size_bytes : 0;
}

bool finding_from_id(const char *id, enum finding_kind *out_kind)
{
    for (int i = 0; i < FINDING_KIND_COUNT; i++) {
        if (strcmp(kinds[i].id, id) == 0) {
            *out_kind = (enum finding_kind)i;
            return true;
        }
    }
    return false;
}

/* ---- what was meant ---------------------------------------------------------------- */

enum { NAME_CHARS = 64 };

static size_t least(size_t a, size_t b, size_t c)
{
    size_t two = a < b ? a : b;
    return two < c ? two : c;
}

/* Insertions, deletions and replacements between two names (Levenshtein). */
static size_t distance(const char *a, const char *b)
{
    size_t row[NAME_CHARS], columns = strlen(b);
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

/* A part of the name is as good as the name misspelt. */
static size_t strangeness(const char *wanted, enum finding_kind kind)
{
    return strstr(finding_id(kind), wanted) ? 1 : distance(wanted, finding_id(kind));
}

char *finding_meant(const char *id)
{
    char *text = NULL;
    size_t nearest = SIZE_MAX, shown = 0, size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (!stream)
        return NULL;
    for (int i = 0; i < FINDING_KIND_COUNT; i++) {
        size_t away = strangeness(id, (enum finding_kind)i);
        nearest = away < nearest ? away : nearest;
    }
    for (int i = 0; nearest <= 1 + strlen(id) / 3 && i < FINDING_KIND_COUNT; i++) {
        if (strangeness(id, (enum finding_kind)i) == nearest)
            fprintf(stream, "%s%s", shown++ ? ", " : "", kinds[i].id);
    }
    if (fclose(stream) == 0)
        return text;
    free(text);
    return NULL;
}

/* ---- pages ------------------------------------------------------------------------- */

/* man/pages.awk makes the rows from the manual. */
static const struct { const char *id, *spec, *text; } pages[] = {
#define PAGE(id, spec, text) {id, spec, text},
#include "sim/finding_pages.inc"
#undef PAGE
};

/* A kind without a page is the last, empty one; tests/check_report.c wants none. */
static size_t page_index(enum finding_kind kind)
{
    size_t i = 0;
    while (i + 1 < sizeof pages / sizeof pages[0] && strcmp(pages[i].id, finding_id(kind)) != 0)
        i++;
    return i;
}

const char *finding_page(enum finding_kind kind)
{
    return pages[page_index(kind)].text;
}

const char *finding_spec(enum finding_kind kind)
{
    return pages[page_index(kind)].spec;
}

const char *finding_access_order(const struct finding_access *access)
{
    static const char *const orders[] = {"relaxed", "acquire", "release", "acq_rel", "seq_cst"};
    return access->has_order ? orders[access->order] : NULL;
}

const char *finding_access_scope(const struct finding_access *access)
{
    static const char *const scopes[] = {"work_item", "sub_group", "work_group", "device", "all_svm_devices"};
    return access->has_order ? scopes[access->scope] : NULL;
}
