/* SPDX-License-Identifier: Apache-2.0 */
/* Replays of the log with one operation more: a barrier of a work-group, a wait for a copy, or a fence. The
 * caller knows a place in the code that all work-items of the group pass; here it is put beside one of the
 * accesses. */
#include <stdlib.h>
#include <string.h>

#include "explain_replay.h"

bool explain_insert_barrier(const struct question *question, const struct code_place *place)
{
    const struct race_instance *instance = question->instances;
    const bool first_is_first = place->first == 0;
    const uint64_t unit[2] = {instance->first.unit, instance->second.unit};
    const struct sync_op barrier = {.kind = SYNC_OP_BARRIER,
                                    .by = unit_group(question, instance->first.unit),
                                    .regions = (uint8_t)(1u << question->region),
                                    .scope = SCOPE_WORK_GROUP,
                                    .site = place->site};
    const struct clock_snapshot from = {unit[!first_is_first],
                                        first_is_first ? instance->first_at : instance->end},
                                to = {unit[first_is_first], instance->end};
    return !question->sync_log->full && replay_happens_before(question, &from, &barrier, &to);
}

enum { NO_PLACE = UINT32_MAX };

/* Where a barrier goes: before the first release of that site by the first access's work-group, or after the
 * last acquire by the second's. Within one work-group it separates the accesses only if the code always has
 * them on different sides of it. NO_PLACE: there is none. */
static uint32_t barrier_place(const struct question *question, const struct race_instance *instance,
                              uint32_t site, bool releases)
{
    const struct sync_op *items = question->sync_log->items;
    const bool one_group =
        unit_group(question, instance->first.unit) == unit_group(question, instance->second.unit);
    if (site == NO_END || (one_group && !ASK(question, precedes, releases ? site : instance->first.site,
                                             releases ? instance->second.site : site)))
        return NO_PLACE;
    for (uint32_t i = 0; i < instance->end; i++) {
        const uint32_t at = releases ? i : instance->end - 1 - i;
        if (items[at].site == site &&
            explain_is_group_release_or_acquire(question, instance, &items[at], releases))
            return releases ? at : at + 1;
    }
    return NO_PLACE;
}

/* The new barrier after the acquire makes all members of the second access's work-group wait until log index
 * `to`. So what a member did after its own acquire of that site and before `to` is replayed after `to`. own:
 * by local id, 1 + the index of the member's latest acquire since the group's latest barrier; 0: none.
 * first: the group's first unit. */
struct barrier_waiters {
    uint64_t first;
    uint32_t *own, count, to;
};

static bool find_waiters(const struct question *question, const struct race_instance *instance, uint32_t site,
                         uint32_t to, struct barrier_waiters *out)
{
    const uint64_t *local = question->launch->local_size;
    const uint64_t group = unit_group(question, instance->second.unit);
    *out = (struct barrier_waiters){.count = (uint32_t)(local[0] * local[1] * local[2]), .to = to};
    out->first = group * out->count;
    out->own = calloc(out->count, sizeof *out->own);
    for (uint32_t at = 0; out->own && at < to; at++) {
        const struct sync_op *sync_op = &question->sync_log->items[at];
        if (sync_op->kind == SYNC_OP_BARRIER && sync_op->by == group)
            memset(out->own, 0, out->count * sizeof *out->own);
        else if (sync_op->site == site &&
                 explain_is_group_release_or_acquire(question, instance, sync_op, false) &&
                 sync_op->by - out->first < out->count)
            out->own[sync_op->by - out->first] = at + 1;
    }
    return out->own;
}

static bool waits_after(const struct question *question, const struct barrier_waiters *waiters, uint32_t at)
{
    const struct sync_op *sync_op = &question->sync_log->items[at];
    const uint64_t local = sync_op->by - waiters->first;
    const bool by_unit = sync_op->kind == SYNC_OP_ATOMIC || sync_op->kind == SYNC_OP_FENCE ||
                         sync_op->kind == SYNC_OP_OVERWRITE;
    const bool by_member = waiters->own && by_unit && local < waiters->count;
    return by_member && waiters->own[local] && at >= waiters->own[local] && at < waiters->to;
}

bool explain_insert_release_barriers(const struct question *question, const struct race_instance *instance,
                                     const struct suggested_fix *suggested_fix)
{
    const uint32_t from = barrier_place(question, instance, suggested_fix->release_site, true),
                   to = barrier_place(question, instance, suggested_fix->acquire_site, false);
    const struct sync_op *items = question->sync_log->items;
    struct barrier_waiters waiters = {.own = NULL};
    struct replay replay;
    uint64_t segment = 1;
    if (question->sync_log->full ||
        (to != NO_PLACE && !find_waiters(question, instance, suggested_fix->acquire_site, to, &waiters)))
        return false;
    const uint32_t first_at = from < instance->first_at ? from : instance->first_at;
    replay_begin(&replay, question);
    for (uint32_t at = 0; at <= instance->end; at++) {
        if (at == first_at)
            segment = replay_segment(&replay, instance->first.unit);
        if (at == from)
            order_barrier(&replay.order, unit_group(question, instance->first.unit), 1u << question->region,
                          SCOPE_WORK_GROUP, suggested_fix->release_site);
        if (at == to)
            order_barrier(&replay.order, unit_group(question, instance->second.unit), 1u << question->region,
                          SCOPE_WORK_GROUP, suggested_fix->acquire_site);
        for (uint32_t past = 0; at == to && past < to; past++)
            if (waits_after(question, &waiters, past))
                replay_happen(&replay, &items[past]);
        if (at < instance->end && !waits_after(question, &waiters, at))
            replay_happen(&replay, &items[at]);
    }
    free(waiters.own);
    return replay_end(&replay, replay_has(&replay, instance->second.unit, instance->first.unit, segment));
}

/* The fence is replayed right before the second access: anywhere between the accesses it has the same
 * effect. */
bool explain_insert_image_fence(const struct question *question, const struct code_place *place)
{
    const struct race_instance *instance = question->instances;
    struct replay replay;
    struct unit_state unit_state;
    if (question->sync_log->full || place->first != 0)
        return false;
    const uint64_t segment = replay_accesses(&replay, question, instance->end);
    order_unit_state(&replay.order, instance->second.unit, &unit_state);
    order_fence(&replay.order, &unit_state, REGION_IMAGE, ORDER_ACQ_REL, SCOPE_WORK_ITEM, place->site);
    order_unit_state(&replay.order, instance->second.unit, &unit_state);
    return replay_end(&replay, order_sees_own_image(&unit_state, segment));
}

/* If the second access is a copy, the log index where that begins; else the log's length when the access was
 * made. */
static uint32_t wait_place(const struct question *question)
{
    const struct race_instance *instance = question->instances;
    uint64_t copies = instance->second.unit < UNIT_COPIES ? 0 : 1 + instance->second.unit - UNIT_COPIES;
    uint32_t at = 0;
    if (!copies)
        return instance->end;
    while (at < instance->end && (copies -= question->sync_log->items[at].kind == SYNC_OP_COPY))
        at++;
    return at;
}

bool explain_insert_wait(const struct question *question)
{
    const struct race_instance *instance = question->instances;
    const uint64_t index = instance->first.unit - UNIT_COPIES;
    const uint32_t place = wait_place(question);
    struct replay replay;
    if (question->sync_log->full || instance->first.unit < UNIT_COPIES)
        return false;
    replay_begin(&replay, question);
    replay_until(&replay, 0, place);
    const bool waited = index < replay.order.copy_count;
    if (waited)
        order_copy_wait(&replay.order, replay.order.copies[index].group, replay.order.copies[index].number);
    if (place < instance->end) /* the second access is a copy, which begins after the wait */
        replay_happen(&replay, &question->sync_log->items[place]);
    return replay_end(&replay, waited && replay_has(&replay, instance->second.unit, instance->first.unit,
                                                    instance->first.clock));
}

/* Members may reach a copy one after another, the first of them before the first access is made. So the copy
 * is replayed a second time, after the barrier, and the first access has to happen before that. */
bool explain_insert_barrier_before_copy(const struct question *question, uint32_t site)
{
    const struct race_instance *instance = question->instances;
    const uint32_t began = wait_place(question);
    struct replay replay;
    if (question->sync_log->full || instance->second.unit < UNIT_COPIES || began == instance->end)
        return false;
    const struct sync_op *copy = &question->sync_log->items[began];
    const uint64_t segment = replay_accesses(&replay, question, began);
    order_barrier(&replay.order, copy->by, 1u << question->region, SCOPE_WORK_GROUP, site);
    const uint64_t anew = order_copy_start(&replay.order, copy->by, copy->number, copy->site);
    return replay_end(&replay, anew != UNIT_END && replay_has(&replay, anew, instance->first.unit, segment));
}
