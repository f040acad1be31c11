/* SPDX-License-Identifier: Apache-2.0 */
/* The kinds of findings: what their rows and their pages of orrery-findings(7) say. */
#include "orrery/report.h"

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
