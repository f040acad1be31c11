/* SPDX-License-Identifier: Apache-2.0 */
/* Edits that insert a barrier, a wait or a fence at a place where all work-items of a group pass. */
#include <stdlib.h>
#include <string.h>

#include "explain_replay.h"

bool insert_barrier(const struct question *question, const struct code_place *place)
{
    const struct meeting *meeting = question->meetings;
    const bool first_is_first = place->first == 0;
    const uint64_t from = first_is_first ? meeting->first.unit : meeting->second.unit;
    const uint64_t to = first_is_first ? meeting->second.unit : meeting->first.unit;
    struct search search = {.question = question};
    struct replay replay;
    if (question->sync_log->full || !search_locate(&search))
        return false;
    const uint32_t at = first_is_first ? search.first_at[0] : meeting->end;
    replay_begin(&replay, question);
    replay_until(&replay, 0, at);
    const uint64_t slice = replay_slice(&replay, from);
    order_barrier(&replay.order, unit_group(question, meeting->first.unit), 1u << question->region,
                  SCOPE_WORK_GROUP, place->site);
    replay_until(&replay, at, meeting->end);
    return replay_end(&replay, replay_has(&replay, to, from, slice));
}

/* Before the first release of that site, which the first access comes before if its work-group waits there;
 * after the last acquire. NO_PLACE: there is none. */
enum { NO_PLACE = UINT32_MAX };

static uint32_t release_place(const struct question *question, const struct meeting *meeting, uint32_t site)
{
    for (uint32_t at = 0; at < meeting->end; at++)
        if (question->sync_log->items[at].site == site &&
            release_clock_end(question, meeting, &question->sync_log->items[at], true))
            return at;
    return NO_PLACE;
}

static uint32_t acquire_place(const struct question *question, const struct meeting *meeting, uint32_t site)
{
    for (uint32_t at = meeting->end; at > 0; at--)
        if (question->sync_log->items[at - 1].site == site &&
            release_clock_end(question, meeting, &question->sync_log->items[at - 1], false))
            return at;
    return NO_PLACE;
}

/* Members of the second access's work-group wait at the barrier after the acquire: what they did after their
 * own, before that place of the history, comes after it. For each local id one more than where its latest
 * acquire since the group's latest barrier is; 0: none. */
struct waiters {
    uint64_t first;
    uint32_t *own, count, to;
};

static bool find_waiters(const struct question *question, const struct meeting *meeting, uint32_t site,
                         uint32_t to, struct waiters *out)
{
    const uint64_t *local = question->launch->local_size;
    const uint64_t group = unit_group(question, meeting->second.unit);
    *out = (struct waiters){.count = (uint32_t)(local[0] * local[1] * local[2]), .to = to};
    out->first = group * out->count;
    out->own = calloc(out->count, sizeof *out->own);
    for (uint32_t at = 0; out->own && at < to; at++) {
        const struct sync_op *sync_op = &question->sync_log->items[at];
        if (sync_op->kind == HAPPENED_BARRIER && sync_op->by == group)
            memset(out->own, 0, out->count * sizeof *out->own);
        else if (sync_op->site == site && release_clock_end(question, meeting, sync_op, false) &&
                 sync_op->by - out->first < out->count)
            out->own[sync_op->by - out->first] = at + 1;
    }
    return out->own;
}

static bool waits_after(const struct question *question, const struct waiters *waiters, uint32_t at)
{
    const struct sync_op *sync_op = &question->sync_log->items[at];
    const uint64_t local = sync_op->by - waiters->first;
    const bool by_unit = sync_op->kind == HAPPENED_ATOMIC || sync_op->kind == HAPPENED_FENCE ||
                         sync_op->kind == HAPPENED_OVERWRITE;
    return waiters->own && by_unit && at < waiters->to && local < waiters->count && waiters->own[local] &&
           at >= waiters->own[local];
}

/* Two of one work-group both reach its barrier: it does not order accesses on the same side of it. */
static bool may_part(const struct question *question, const struct meeting *meeting, uint32_t before,
                     uint32_t past)
{
    const struct checker_host *host = question->host;
    return unit_group(question, meeting->first.unit) != unit_group(question, meeting->second.unit) ||
           (host->precedes && host->precedes(host->self, before, past));
}

bool insert_release_clock_barriers(const struct question *question, const struct meeting *meeting,
                                   const struct suggested_fix *suggested_fix)
{
    const struct question own = {
        .sync_log = question->sync_log, .launch = question->launch, .meetings = meeting, .meeting_count = 1};
    const bool sends = suggested_fix->release_site != NO_END &&
                       may_part(question, meeting, suggested_fix->release_site, meeting->second.site);
    const bool takes = suggested_fix->acquire_site != NO_END &&
                       may_part(question, meeting, meeting->first.site, suggested_fix->acquire_site);
    const uint32_t from = sends ? release_place(question, meeting, suggested_fix->release_site) : NO_PLACE;
    const uint32_t to = takes ? acquire_place(question, meeting, suggested_fix->acquire_site) : NO_PLACE;
    const struct sync_op *items = question->sync_log->items;
    struct search search = {.question = &own};
    struct waiters waiters = {.own = NULL};
    struct replay replay;
    uint64_t slice = 1;
    if (question->sync_log->full || !search_locate(&search) ||
        (to != NO_PLACE && !find_waiters(question, meeting, suggested_fix->acquire_site, to, &waiters)))
        return false;
    const uint32_t first_at = from < search.first_at[0] ? from : search.first_at[0];
    replay_begin(&replay, question);
    for (uint32_t at = 0; at <= meeting->end; at++) {
        if (at == first_at)
            slice = replay_slice(&replay, meeting->first.unit);
        if (at == from)
            order_barrier(&replay.order, unit_group(question, meeting->first.unit), 1u << question->region,
                          SCOPE_WORK_GROUP, suggested_fix->release_site);
        if (at == to)
            order_barrier(&replay.order, unit_group(question, meeting->second.unit), 1u << question->region,
                          SCOPE_WORK_GROUP, suggested_fix->acquire_site);
        for (uint32_t past = 0; at == to && past < to; past++)
            if (waits_after(question, &waiters, past))
                replay_happen(&replay, &items[past]);
        if (at < meeting->end && !waits_after(question, &waiters, at))
            replay_happen(&replay, &items[at]);
    }
    free(waiters.own);
    return replay_end(&replay, replay_has(&replay, meeting->second.unit, meeting->first.unit, slice));
}

/* The fence may be at either access: nothing that it orders is between them. */
bool insert_image_fence(const struct question *question, const struct code_place *place)
{
    const struct meeting *meeting = question->meetings;
    struct search search = {.question = question};
    struct replay replay;
    struct unit_state unit_state;
    if (question->sync_log->full || place->first != 0 || !search_locate(&search))
        return false;
    replay_begin(&replay, question);
    replay_until(&replay, 0, search.first_at[0]);
    const uint64_t slice = replay_slice(&replay, meeting->first.unit);
    replay_until(&replay, search.first_at[0], meeting->end);
    order_unit_state(&replay.order, meeting->second.unit, &unit_state);
    order_fence(&replay.order, &unit_state, REGION_IMAGE, ORDER_ACQ_REL, SCOPE_WORK_ITEM, place->site);
    order_unit_state(&replay.order, meeting->second.unit, &unit_state);
    return replay_end(&replay, order_sees_own_image(&unit_state, slice));
}

/* The begin of the second copy, the second access: the sync operations before it. */
static uint32_t wait_place(const struct question *question)
{
    const struct meeting *meeting = question->meetings;
    uint64_t copies = meeting->second.unit < UNIT_COPIES ? 0 : 1 + meeting->second.unit - UNIT_COPIES;
    uint32_t at = 0;
    if (!copies)
        return meeting->end;
    while (at < meeting->end && (copies -= question->sync_log->items[at].kind == HAPPENED_COPY))
        at++;
    return at;
}

bool insert_wait(const struct question *question)
{
    const struct meeting *meeting = question->meetings;
    const uint64_t index = meeting->first.unit - UNIT_COPIES;
    const uint32_t place = wait_place(question);
    struct replay replay;
    if (question->sync_log->full || meeting->first.unit < UNIT_COPIES)
        return false;
    replay_begin(&replay, question);
    replay_until(&replay, 0, place);
    const bool waited = index < replay.order.copy_count;
    if (waited)
        order_copy_wait(&replay.order, replay.order.copies[index].group, replay.order.copies[index].number);
    if (place < meeting->end) /* the copy begins */
        replay_happen(&replay, &question->sync_log->items[place]);
    return replay_end(&replay, waited && replay_has(&replay, meeting->second.unit, meeting->first.unit,
                                                    meeting->first.clock));
}

/* If members reach a copy one after another, the first ones reach it before the first access is made: after
 * the barrier the copy begins anew. */
bool insert_barrier_before_copy(const struct question *question, uint32_t site)
{
    const struct meeting *meeting = question->meetings;
    const uint32_t began = wait_place(question);
    struct search search = {.question = question};
    struct replay replay;
    if (question->sync_log->full || meeting->second.unit < UNIT_COPIES || began == meeting->end ||
        !search_locate(&search))
        return false;
    const struct sync_op *copy = &question->sync_log->items[began];
    const uint32_t first_at = search.first_at[0];
    replay_begin(&replay, question);
    replay_until(&replay, 0, first_at);
    const uint64_t slice = replay_slice(&replay, meeting->first.unit);
    replay_until(&replay, first_at, began);
    order_barrier(&replay.order, copy->by, 1u << question->region, SCOPE_WORK_GROUP, site);
    const uint64_t anew = order_copy_start(&replay.order, copy->by, copy->number, copy->site);
    return replay_end(&replay, anew != UNIT_END && replay_has(&replay, anew, meeting->first.unit, slice));
}
