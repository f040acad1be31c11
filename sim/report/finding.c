/* SPDX-License-Identifier: Apache-2.0 */
/* The kinds of findings: ids, sentences, checks and specifications from the rows of orrery/report.h, and
 * pages from orrery-findings(7). */
#include "orrery/checked.h"
#include "orrery/nearest.h"
#include "orrery/report.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *id, *sentence;
    enum check check;
} kinds[FINDING_KIND_COUNT] = {
#define FINDING_ROW(name, id, check, text) [FINDING_##name] = {id, text, CHECK_##check},
    FINDING_LIST(FINDING_ROW)
#undef FINDING_ROW
};

const char *finding_id(enum finding_kind kind)
{
    CHECKED((size_t)kind < FINDING_KIND_COUNT);
    return kinds[kind].id;
}

const char *finding_sentence(enum finding_kind kind)
{
    CHECKED((size_t)kind < FINDING_KIND_COUNT);
    return kinds[kind].sentence;
}

const char *finding_title(const struct finding *finding)
{
    return finding->title ? finding->title : finding_sentence(finding->kind);
}

enum check finding_check(enum finding_kind kind)
{
    CHECKED((size_t)kind < FINDING_KIND_COUNT);
    return kinds[kind].check;
}

size_t finding_object_name_length(const char *object)
{
    const char *size = strstr(object, " (");
    return size ? (size_t)(size - object) : strlen(object);
}

bool finding_of_call(enum finding_kind kind)
{
    const enum check check = finding_check(kind);
    return check == CHECK_API || check == CHECK_MISUSE;
}

uint64_t finding_bytes(const struct finding *finding)
{
    if (finding->common_bytes)
        return finding->common_bytes;
    return finding->access_count ? finding->access[0].size_bytes : 0;
}

void finding_instruction_text(const struct spirv_instruction *instruction, char out[INSTRUCTION_CHARS])
{
    char result[16] = "";
    if (instruction->result)
        snprintf(result, sizeof result, " %%%" PRIu32, instruction->result);
    snprintf(out, INSTRUCTION_CHARS, "%s%s, word %" PRIu32 " of %s", instruction->name, result,
             instruction->word, instruction->module ? instruction->module : "the module");
}

/* ---- ids, in both spellings --------------------------------------------------------- */

enum { ID_CHARS = 40 };

/* The American spelling of an id: "uninitialized-store". False: it has one spelling. */
static bool other_spelling(const char *id, char out[ID_CHARS])
{
    static const char stem[] = "uninitiali";
    const size_t length = sizeof stem - 1;
    if (strncmp(id, stem, length) != 0)
        return false;
    snprintf(out, ID_CHARS, "%s", id);
    out[length] = 'z';
    return true;
}

bool finding_id_fits(enum finding_kind kind, const char *pattern,
                     bool (*fits)(const char *pattern, const char *text))
{
    char other[ID_CHARS];
    return fits(pattern, finding_id(kind)) ||
           (other_spelling(finding_id(kind), other) && fits(pattern, other));
}

static bool equal(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

bool finding_id_is(enum finding_kind kind, const char *id)
{
    return finding_id_fits(kind, id, equal);
}

bool finding_from_id(const char *id, enum finding_kind *out_kind)
{
    for (int i = 0; i < FINDING_KIND_COUNT; i++) {
        if (finding_id_is((enum finding_kind)i, id)) {
            *out_kind = (enum finding_kind)i;
            return true;
        }
    }
    return false;
}

bool finding_is_of_object(const struct finding *finding)
{
    bool is_called = false;
    for (uint32_t i = 0; i < finding->access_count && i < 2; i++)
        is_called |= finding->access[i].caller.line != 0;
    return is_called && !finding_of_call(finding->kind) && finding->object && strchr(finding->object, '\'');
}

/* ---- what was meant ---------------------------------------------------------------- */

static const char *name_of(const void *self, size_t index)
{
    (void)self;
    CHECKED(index < FINDING_KIND_COUNT);
    return kinds[index].id;
}

char *finding_meant(const char *id)
{
    return nearest_names(id, "", name_of, NULL, FINDING_KIND_COUNT);
}

/* ---- pages ------------------------------------------------------------------------- */

/* man/pages.awk makes the rows from the manual. */
static const struct {
    const char *id, *spec, *text;
} pages[] = {
#define PAGE(id, spec, text) {id, spec, text},
#include "sim/finding_pages.inc"
#undef PAGE
};

/* Index of the kind's page. A kind without one gets the last, empty page; tests/sim/check_report.c fails
 * then. */
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

enum fix_claim finding_fix_claim(const struct finding *finding)
{
    if (!finding->fix)
        return FIX_CLAIM_NONE;
    if (finding->fix_trial != TRIAL_NONE)
        return finding->fix_trial == TRIAL_HOLDS ? FIX_CLAIM_TRIED : FIX_CLAIM_FAILS;
    if (!finding->fix_orders)
        return FIX_CLAIM_NONE;
    return finding->edit_count ? FIX_CLAIM_COMPILES : FIX_CLAIM_ORDERS;
}

const char *fix_claim_word(enum fix_claim claim)
{
    static const char *const words[] = {"none", "fails", "orders", "compiles", "tried"};
    CHECKED((size_t)claim < sizeof words / sizeof *words);
    return words[claim];
}

const char *finding_access_order(const struct finding_access *access)
{
    static const char *const orders[] = {"relaxed", "acquire", "release", "acq_rel", "seq_cst"};
    CHECKED(!access->has_order || (size_t)access->order < sizeof orders / sizeof *orders);
    return access->has_order ? orders[access->order] : NULL;
}

const char *finding_access_scope(const struct finding_access *access)
{
    static const char *const scopes[] = {"work_item", "sub_group", "work_group", "device", "all_svm_devices"};
    CHECKED(!access->has_order || (size_t)access->scope < sizeof scopes / sizeof *scopes);
    return access->has_order ? scopes[access->scope] : NULL;
}
