/* SPDX-License-Identifier: Apache-2.0 */
/* Which earlier finding a finding may follow from: of one launch, by a table of checks, by barriers that
 * separated work-items, or because the reasons of both name one operation. */
#include "report_cause.h"

#include <string.h>

/* Within one launch, by checks: a work-item that was stopped is missing at barriers, and so are its
 * stores; after a barrier that some work-items did not reach, nothing is ordered. orrery-findings(7)
 * lists the rows. */
static const struct {
    enum check cause, effect;
} follows[] = {
    {CHECK_BOUNDS, CHECK_DIVERGENCE},       {CHECK_BOUNDS, CHECK_UNINITIALISED},
    {CHECK_BOUNDS, CHECK_PROGRESS},         {CHECK_ALIGNMENT, CHECK_DIVERGENCE},
    {CHECK_ALIGNMENT, CHECK_UNINITIALISED}, {CHECK_ALIGNMENT, CHECK_PROGRESS},
    {CHECK_DIVERGENCE, CHECK_RACES},        {CHECK_DIVERGENCE, CHECK_UNINITIALISED},
    {CHECK_DIVERGENCE, CHECK_PROGRESS},
};

/* Findings of these kinds stop no work-item, so nothing follows from them. */
static bool stops_no_work_item(enum finding_kind kind)
{
    return kind == FINDING_MAPPED_ACCESS || kind == FINDING_WRITE_ONLY_READ ||
           kind == FINDING_READ_ONLY_WRITE || kind == FINDING_MISSING_WAIT;
}

static bool same_place(const struct source_place *a, const struct source_place *b)
{
    const bool one_file = a->file == b->file || (a->file && b->file && strcmp(a->file, b->file) == 0);
    return one_file && a->line && a->line == b->line && a->column == b->column;
}

/* Do the reasons of two races name one operation? Races at a lock and of all data under it are one
 * mistake. */
static bool have_one_cause(const struct finding *earlier, const struct finding *finding)
{
    for (uint32_t i = 0; i < earlier->blamed_count; i++) {
        for (uint32_t j = 0; j < finding->blamed_count; j++) {
            if (same_place(&earlier->blamed[i], &finding->blamed[j]))
                return true;
        }
    }
    return false;
}

static bool separates_work_items(enum finding_kind kind)
{
    return kind == FINDING_BARRIER_DIVERGENCE || kind == FINDING_BARRIER_MISMATCH ||
           kind == FINDING_COLLECTIVE_DIVERGENCE;
}

/* Two barriers of one work-group: a work-item that left the others at the first is missing at the second. */
static bool separated_before(const struct finding *earlier, const struct finding *finding)
{
    return separates_work_items(earlier->kind) && separates_work_items(finding->kind) &&
           earlier->access[0].item.group_linear == finding->access[0].item.group_linear;
}

static bool may_cause(const struct finding *earlier, const struct finding *finding, bool was_known)
{
    if (!finding->launch || earlier->launch != finding->launch || stops_no_work_item(earlier->kind))
        return false;
    if (separated_before(earlier, finding))
        return true;
    for (size_t i = 0; was_known && i < sizeof follows / sizeof follows[0]; i++) {
        if (follows[i].cause == finding_check(earlier->kind) &&
            follows[i].effect == finding_check(finding->kind))
            return true;
    }
    return have_one_cause(earlier, finding);
}

const struct finding *report_cause(const struct report_list *found, const struct finding *finding)
{
    for (size_t i = 0; i < found->count; i++) {
        const struct finding *earlier = &found->entries[i]->finding;
        /* of a chain of findings with one cause, the first */
        if (may_cause(earlier, finding, !finding->known || i + 1 < finding->known))
            return earlier->cause && have_one_cause(earlier, finding) ? earlier->cause : earlier;
    }
    return NULL;
}
