/* SPDX-License-Identifier: Apache-2.0 */
/* Each log entry becomes the call of order.h that made it, so that the replay follows the same rules as the
 * run. */
#include "explain_replay.h"
#include "orrery/checked.h"

void replay_begin(struct replay *replay, const struct question *question)
{
    replay->question = question;
    order_init(&replay->order, question->rule);
    order_launch_begin(&replay->order, question->launch);
}

static void fence(struct order *order, const struct sync_op *what)
{
    struct unit_state unit_state;
    order_unit_state(order, what->by, &unit_state);
    order_fence(order, &unit_state, what->regions, (enum memory_ordering)what->order,
                (enum memory_scope)what->scope, what->site);
}

static void atomic(struct order *order, const struct sync_op *what)
{
    struct unit_state unit_state;
    const struct atomic_operation act = {.address = what->address,
                                         .size = what->size,
                                         .region = what->region,
                                         .reads = what->reads,
                                         .writes = what->writes,
                                         .svm_atomics = what->svm_atomics,
                                         .order = (enum memory_ordering)what->order,
                                         .scope = (enum memory_scope)what->scope,
                                         .site = what->site};
    order_unit_state(order, what->by, &unit_state);
    order_atomic(order, &unit_state, &act);
}

static void overwrite(struct order *order, const struct sync_op *what)
{
    struct unit_state unit_state;
    order_unit_state(order, what->by, &unit_state);
    order_overwrite(order, &unit_state, what->address, what->size, what->site);
}

void replay_happen(struct replay *replay, const struct sync_op *what)
{
    struct order *order = &replay->order;
    switch ((enum sync_op_kind)what->kind) {
    case SYNC_OP_FENCE: fence(order, what); break;
    case SYNC_OP_ATOMIC: atomic(order, what); break;
    case SYNC_OP_OVERWRITE: overwrite(order, what); break;
    case SYNC_OP_FOREIGN_WRITE: order_overwrite_foreign(order, what->address, what->size, false); break;
    default: order_sync(order, what);
    }
}

void replay_until(struct replay *replay, uint32_t from, uint32_t to)
{
    for (uint32_t at = from; at < to; at++)
        replay_happen(replay, &replay->question->sync_log->items[at]);
}

uint64_t replay_segment(const struct replay *replay, uint64_t unit)
{
    struct unit_state unit_state;
    order_unit_state(&replay->order, unit, &unit_state);
    return order_segment(&unit_state);
}

bool replay_failed(const struct replay *replay)
{
    return order_lacks_memory(&replay->order);
}

bool replay_has(const struct replay *replay, uint64_t unit, uint64_t of, uint64_t segment)
{
    struct unit_state unit_state;
    if (replay_failed(replay))
        return false;
    order_unit_state(&replay->order, unit, &unit_state);
    return order_happens_before(&replay->order, &unit_state, replay->question->region, of, segment);
}

bool replay_end(struct replay *replay, bool answer)
{
    const bool holds = answer && !replay_failed(replay);
    order_fini(&replay->order);
    return holds;
}

uint64_t replay_accesses(struct replay *replay, const struct question *question, uint32_t until)
{
    const struct race_instance *instance = question->instances;
    replay_begin(replay, question);
    replay_until(replay, 0, instance->first_at);
    const uint64_t segment = replay_segment(replay, instance->first.unit);
    replay_until(replay, instance->first_at, until);
    return segment;
}

bool replay_happens_before(const struct question *question, const struct clock_snapshot *from,
                           const struct sync_op *more, const struct clock_snapshot *to)
{
    struct replay replay;
    CHECKED(from->at <= to->at);
    replay_begin(&replay, question);
    replay_until(&replay, 0, from->at);
    const uint64_t segment = replay_segment(&replay, from->unit);
    if (more)
        replay_happen(&replay, more);
    replay_until(&replay, from->at, to->at);
    return replay_end(&replay, replay_has(&replay, to->unit, from->unit, segment));
}

bool replay_late_read(const struct question *question, const struct clock_snapshot *from, uint32_t store,
                      const struct clock_snapshot *read, uint32_t end)
{
    const struct sync_op *items = question->sync_log->items;
    uint64_t segment = 1;
    struct replay replay;
    replay_begin(&replay, question);
    for (uint32_t at = 0; at <= store; at++) {
        if (at == from->at)
            segment = replay_segment(&replay, from->unit);
        if (at < read->at || !is_own(&items[at]) || items[at].by != read->unit)
            replay_happen(&replay, &items[at]);
    }
    for (uint32_t at = read->at; at < end; at++)
        if (is_own(&items[at]) && items[at].by == read->unit)
            replay_happen(&replay, &items[at]);
    return replay_end(&replay, replay_has(&replay, read->unit, from->unit, segment));
}
