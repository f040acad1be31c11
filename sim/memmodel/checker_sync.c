/* SPDX-License-Identifier: Apache-2.0 */
/* Fences, barriers and asynchronous copies, passed on to order/. Accesses of a copy are deferred until its
 * whole work-group has started it. */
#include "checker_state.h"

static __attribute__((noinline)) void fence_of_many(struct checker *checker, const struct sync_event *event)
{
    struct acting acting = {.copy = 0};
    checker_fill_units(checker, &event->origin);
    EACH_LANE_OF(event->mask, lane)
    order_fence(&checker->order, actor(checker, &acting, lane), event->regions, event->order, event->scope,
                event->origin.site);
}

static __attribute__((noinline)) void fence_of_one(struct checker *checker, const struct sync_event *event,
                                                   uint64_t lane)
{
    order_fence(&checker->order, single_actor(checker, lane), event->regions, event->order, event->scope,
                event->origin.site);
}

static void fence(struct checker *checker, const struct sync_event *event)
{
    uint64_t lane;
    if (!checker->wave_items.one_group || !only_lane(event->mask, event->lane_count, &lane))
        fence_of_many(checker, event);
    else
        fence_of_one(checker, event, lane);
}

static void perform_deferred(void *self, const struct deferred_access *held)
{
    struct checker *checker = self;
    struct shadow_region *region =
        checker_shadow_at(checker, memory_region(checker->memory, held->address), held->address);
    struct unit_state unit_state;
    if (!region)
        return;
    order_unit_state(&checker->order, held->unit, &unit_state);
    if (region->space == IN_LOCAL)
        checker_renew_local(checker, region, unit_state.place.group);
    const struct shadow_access now = {.unit_state = &unit_state,
                                      .address = held->address,
                                      .how = {.clock = (uint32_t)order_segment(&unit_state),
                                              .site = held->site,
                                              .size = held->size,
                                              .kind = (uint8_t)held->kind}};
    if (checker_note_read(checker, region, &now.how, now.address))
        return;
    checker_replay(checker, region);
    shadow_access(&checker->shadow, region, &now);
    report_new_races(checker, NULL);
}

void checker_perform_deferred(struct checker *checker, uint64_t group)
{
    deferred_copy_perform(&checker->held, &checker->order, group, perform_deferred, checker);
}

/* Some work-items of the group may have returned before the copy. If those that wait have reached it, its
 * accesses come before the wait. */
static void wait_for_part(struct checker *checker, const struct sync_event *event)
{
    const uint64_t copy = order_copy_unit(&checker->order, checker->wave_items.group, event->copy);
    if (copy == UNIT_END || order_copy_complete(&checker->order, copy))
        return;
    checker_fill_units(checker, &event->origin);
    EACH_LANE_OF(event->mask, lane)
    order_copy_note_wait(&checker->order, copy, checker->wave_items.unit[lane]);
    if (!event->last)
        return;
    order_copy_settle(&checker->order, copy);
    checker_perform_deferred(checker, DEFERRED_COPY_NO_GROUP);
}

static __attribute__((noinline)) void pass_barrier_or_copy(struct checker *checker,
                                                           const struct sync_event *event)
{
    /* any other wave that waits is of one work-group, and its lanes are not asked for */
    if (event->kind == SYNC_COPY || event->kind == SYNC_SUB_GROUP_BARRIER ||
        event->kind == SYNC_NAMED_BARRIER || event->parted)
        checker_fill_units(checker, &event->origin);
    if (event->kind == SYNC_COPY_WAIT && checker->held.count)
        wait_for_part(checker, event);
    order_sync_event(&checker->order, checker->wave_items.group, checker->wave_items.unit, event,
                     event->origin.site);
    if (event->kind == SYNC_COPY)
        checker_perform_deferred(checker, DEFERRED_COPY_NO_GROUP);
}

void checker_on_sync(void *self, const struct sync_event *event)
{
    struct checker *checker = self;
    if (checker->atomics_wanted && !misuse_has(&checker->misuse, event->origin.site))
        misuse_sync(&checker->misuse, event);
    /* collective functions pass values, and order nothing (R20) */
    if (!checker->races_wanted || (event->kind == SYNC_COLLECTIVE && RULE(20)))
        return;
    checker->order.event = ++checker->time;
    checker_enter_wave(checker, &event->origin, event->lane_count);
    if (event->kind == SYNC_FENCE)
        fence(checker, event);
    else
        pass_barrier_or_copy(checker, event);
}
