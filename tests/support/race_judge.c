/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compares findings with the pairs of the oracle, granule by granule, both ways: each finding has to be a
 * pair that races, and each granule with a race has to have a finding. The result is NULL, or a sentence with
 * the first difference.
 */
#include "race_judge.h"

#include <stdarg.h>
#include <stdio.h>

static const char *wrong(const char *format, ...) __attribute__((format(printf, 1, 2)));
static const char *wrong(const char *format, ...)
{
    static char text[300];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return text;
}

static struct operation granule_at(uint32_t space, uint64_t byte)
{
    return (struct operation){
        .kind = ORACLE_OP_ACCESS, .space = space, .address = (uint32_t)byte / 4 * 4, .size = 4};
}

static bool touches_granule(const struct operation *operation, uint64_t byte)
{
    const struct operation granule = granule_at(operation->space, byte);
    return oracle_op_overlaps(operation, &granule);
}

/* The first byte of the two, where they overlap. */
static uint32_t conflict_byte(const struct operation *a, const struct operation *b)
{
    return a->address > b->address ? a->address : b->address;
}

/* ---- findings are true ------------------------------------------------------------------ */

static uint32_t site_of(const struct finding_access *access)
{
    return access->place.line - 1;
}

/* The operation of a finding's access: those of one event share a line. */
static uint32_t oracle_op_of(const struct race_oracle *oracle, const struct finding_access *access)
{
    uint32_t at = site_of(access);
    while (access->has_item && (oracle->operations[at].item != access->item.global_id[0] ||
                                oracle->operations[at].site != site_of(access)))
        at++;
    return at;
}

static bool is_oracle_op_of(const struct operation *operation, const struct finding_access *access,
                            uint64_t offset)
{
    return operation->site == site_of(access) &&
           (!access->has_item || operation->item == access->item.global_id[0]) &&
           touches_granule(operation, offset);
}

/* The bytes that it is about, too: no more of them than the operation touched. */
static bool has_bytes(const struct operation *operation, const struct finding *finding)
{
    return finding->common_bytes && finding->offset_bytes >= operation->address &&
           finding->offset_bytes + finding->common_bytes <= operation->address + operation->size;
}

static bool is_about(const struct finding *finding, const struct operation *one,
                     const struct operation *other)
{
    return is_oracle_op_of(one, &finding->access[0], finding->offset_bytes) &&
           is_oracle_op_of(other, &finding->access[1], finding->offset_bytes) && has_bytes(one, finding) &&
           has_bytes(other, finding);
}

/*
 * Of a loop, some iteration of the one races with some iteration of the other. A copy that not all have
 * reached is reported late.
 */
static bool is_true(const struct race_oracle *oracle, const struct finding *finding)
{
    for (uint32_t i = 0; i < oracle->count; i++)
        for (uint32_t j = i + 1; j < oracle->count; j++) {
            const struct operation *a = &oracle->operations[i], *b = &oracle->operations[j];
            if ((is_about(finding, a, b) || (a->copy && is_about(finding, b, a))) &&
                race_oracle_races(oracle, i, j))
                return true;
        }
    return false;
}

/* ---- races are found -------------------------------------------------------------------- */

static bool is_of_sites(const struct finding *finding, const struct operation *x, const struct operation *y)
{
    const uint32_t a = site_of(&finding->access[0]), b = site_of(&finding->access[1]);
    return (a == x->site && b == y->site) || (a == y->site && b == x->site);
}

/* At the granule, or for the same two instructions, which are reported once. */
static bool is_reported(const struct race_oracle *oracle, const struct report *report,
                        const struct operation *x, const struct operation *y, uint32_t byte)
{
    for (size_t f = 0; f < report_count(report); f++) {
        const struct finding *finding = report_get(report, f);
        const struct operation *one = &oracle->operations[oracle_op_of(oracle, &finding->access[0])];
        if (one->region == x->region && is_of_sites(finding, x, y))
            return true;
        if (one->space == x->space && finding->offset_bytes / 4 == byte / 4)
            return true;
    }
    return false;
}

/* Once a byte has raced, later races on it may be unreported: does some race on it stand in a report? */
static bool is_reported_pair(const struct race_oracle *oracle, const struct report *report, uint32_t space,
                     uint32_t byte)
{
    const struct operation granule = granule_at(space, byte);
    for (uint32_t i = 0; i < oracle->count; i++)
        for (uint32_t j = i + 1; oracle_op_overlaps(&oracle->operations[i], &granule) && j < oracle->count;
             j++)
            if (oracle_op_overlaps(&oracle->operations[j], &granule) && race_oracle_races(oracle, i, j) &&
                is_reported(oracle, report, &oracle->operations[i], &oracle->operations[j], byte))
                return true;
    return false;
}

const char *race_judge_findings(const struct race_oracle *oracle, const struct report *report)
{
    for (size_t i = 0; i < report_count(report); i++) {
        const struct finding *finding = report_get(report, i);
        if (!is_true(oracle, finding))
            return wrong("operations %u and %u are reported and do not race",
                         oracle_op_of(oracle, &finding->access[0]),
                         oracle_op_of(oracle, &finding->access[1]));
    }
    for (uint32_t i = 0; i < oracle->count; i++)
        for (uint32_t j = i + 1; j < oracle->count; j++) {
            const struct operation *a = &oracle->operations[i], *b = &oracle->operations[j];
            if (race_oracle_races(oracle, i, j) && !is_reported_pair(oracle, report, a->space, conflict_byte(a, b)))
                return wrong("operations %u and %u race, and nothing is reported at byte %u of memory %u", i,
                             j, conflict_byte(a, b), a->space);
        }
    return NULL;
}

/* ---- each pair of places ------------------------------------------------------------------ */

static bool was_reported(const struct report *report, const struct operation *a, const struct operation *b)
{
    for (size_t i = 0; i < report_count(report); i++)
        if (is_of_sites(report_get(report, i), a, b))
            return true;
    return false;
}

/*
 * Is the earlier one replaced by then: by an access ordered after it, or by a similar one of the same
 * work-item, which is reported?
 */
static bool is_hidden(const struct race_oracle *oracle, const struct report *report, uint32_t i, uint32_t j)
{
    const struct operation *earlier = &oracle->operations[i], *later = &oracle->operations[j];
    for (uint32_t k = 0; k < j; k++) {
        const struct operation *other = &oracle->operations[k];
        if (k == i || other->kind != ORACLE_OP_ACCESS || !oracle_op_overlaps(earlier, other))
            continue;
        if (k > i && race_oracle_ordered(oracle, i, k))
            return true;
        if (other->item == earlier->item && other->access == earlier->access &&
            race_oracle_races(oracle, k, j) && was_reported(report, other, later))
            return true;
    }
    return false;
}

const char *race_judge_pairs(const struct race_oracle *oracle, const struct report *report)
{
    for (uint32_t i = 0; i < oracle->count; i++)
        for (uint32_t j = i + 1; j < oracle->count; j++)
            if (race_oracle_races(oracle, i, j) && !is_hidden(oracle, report, i, j) &&
                !was_reported(report, &oracle->operations[i], &oracle->operations[j]))
                return wrong("operations %u and %u race, and this pair is not reported", i, j);
    return NULL;
}

/* ---- what launches owe each other -------------------------------------------------------------- */

static bool is_side(const struct operation *operation, const struct conflict *conflict, int side)
{
    const bool by_it = operation->copy ? conflict->copy[side]
                                       : !conflict->copy[side] && operation->item == conflict->item[side];
    return operation->site == conflict->site[side] && by_it &&
           touches_granule(operation, conflict->offset_bytes);
}

static bool is_true_conflict(const struct race_oracle *oracle, const struct conflict *conflict)
{
    for (uint32_t i = 0; i < oracle->count; i++)
        for (uint32_t j = i + 1; j < oracle->count; j++)
            if (is_side(&oracle->operations[i], conflict, 0) && is_side(&oracle->operations[j], conflict, 1) &&
                (oracle->operations[i].region == IN_IMAGE) == conflict->image &&
                race_oracle_races_across(oracle, i, j))
                return true;
    return false;
}

struct conflicts {
    const struct conflict *all;
    uint32_t count;
};

static bool has_conflict(const struct conflicts *conflicts, const struct operation *a, const struct operation *b,
                        uint32_t byte)
{
    for (uint32_t m = 0; m < conflicts->count; m++) {
        const struct conflict *conflict = &conflicts->all[m];
        const bool same_granule = conflict->offset_bytes / 4 == byte / 4,
                   same_sites = conflict->site[0] == a->site && conflict->site[1] == b->site;
        if (conflict->image == (a->region == IN_IMAGE) && (same_granule || same_sites))
            return true;
    }
    return false;
}

/* Once a byte has raced, also within a work-group, later races on it may be unreported. */
static bool may_be_unreported(const struct race_oracle *oracle, const struct conflicts *conflicts, uint32_t j,
                              uint32_t space, uint32_t byte)
{
    const struct operation granule = granule_at(space, byte);
    for (uint32_t k = 0; k < j; k++)
        for (uint32_t l = k + 1; oracle_op_overlaps(&oracle->operations[k], &granule) && l <= j; l++) {
            const struct operation *a = &oracle->operations[k], *b = &oracle->operations[l];
            if (oracle_op_overlaps(b, &granule) && race_oracle_races(oracle, k, l) &&
                (!race_oracle_races_across(oracle, k, l) || has_conflict(conflicts, a, b, byte)))
                return true;
        }
    return false;
}

const char *race_judge_conflicts(const struct race_oracle *oracle, const struct conflict *all, uint32_t count)
{
    const struct conflicts conflicts = {all, count};
    for (uint32_t m = 0; m < count; m++)
        if (!is_true_conflict(oracle, &all[m]))
            return wrong("sites %u and %u of two launches are reported and do not race", all[m].site[0],
                         all[m].site[1]);
    if (oracle->svm_atomics)
        return NULL; /* the host may have handed on what was released there */
    for (uint32_t i = 0; i < oracle->count; i++)
        for (uint32_t j = i + 1; j < oracle->count; j++) {
            const struct operation *a = &oracle->operations[i], *b = &oracle->operations[j];
            const uint32_t byte = conflict_byte(a, b);
            if (race_oracle_races_across(oracle, i, j) && !has_conflict(&conflicts, a, b, byte) &&
                !may_be_unreported(oracle, &conflicts, j, a->space, byte))
                return wrong("operations %u and %u of two launches race, and nothing is reported at byte %u "
                             "of memory %u",
                             i, j, byte, a->space);
        }
    return NULL;
}
