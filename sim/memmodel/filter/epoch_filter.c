/* SPDX-License-Identifier: Apache-2.0 */
/* The epoch filter, as FastTrack's epochs: for each granule the epoch of the readers and of the latest
 * writer, compared for whole waves. An epoch belongs to a block: first one block for each group before its
 * first barrier, then one for each later barrier interval in which a group acts, as they come. A block has an
 * epoch for each work-item and, as its last, one for several of them. A group's epochs of an earlier interval
 * are ordered before it by the barrier. Once some lane has conflicted, the epochs are not used any more, so
 * the loops may leave them half changed. */
#include "epoch_filter.h"

#include <stdlib.h>
#include <string.h>

#include "orrery/checked.h"
#include "sim/memmodel/common/lane_mask.h"
#include "sim/memmodel/common/room.h"
#include "orrery/limits.h"
#include "orrery/rule.h"

enum { READERS, WRITERS };
enum {
    EPOCH_MOST = HOSTILE(INT32_MAX / 2, 4000),
    INTERVALS_TRIED = HOSTILE(64, 2),
    GRANULE_SHIFT = 2,
    SHARE = 4
};
static const uint64_t ALLOCATION_MOST = UINT64_C(1) << 30;

/* The first epochs of each launch: of atomic updates and possibly atomic loads; of atomic loads alone; of
 * several work-items of different groups. */
enum { UPDATES, LOADS, MANY, COMMON_EPOCHS };
static int32_t many(const struct epoch_filter *epoch_filter)
{
    return epoch_filter->first + MANY;
}

static int32_t block_first(const struct epoch_filter *epoch_filter, uint64_t block)
{
    return (int32_t)((uint64_t)epoch_filter->first + COMMON_EPOCHS + block * (epoch_filter->items + 1));
}

static uint64_t block_of(const struct epoch_filter *epoch_filter, int32_t epoch)
{
    CHECKED(epoch >= block_first(epoch_filter, 0) && epoch < epoch_filter->next);
    return (uint64_t)(epoch - block_first(epoch_filter, 0)) / (epoch_filter->items + 1);
}

/* ---- life ------------------------------------------------------------------------------- */

void epoch_filter_close(struct epoch_filter *epoch_filter)
{
    epoch_filter->open = epoch_filter->atomic = false;
    epoch_filter->first = epoch_filter->next;
    epoch_filter->interval_count = 0;
    epoch_filter->wave.serial = 0;
}

void epoch_filter_forget(struct epoch_filter *epoch_filter)
{
    if (CHECKS_ON)
        access_log_check(&epoch_filter->access_log);
    epoch_filter_close(epoch_filter);
    access_log_forget(&epoch_filter->access_log);
}

void epoch_filter_init(struct epoch_filter *epoch_filter, uint64_t low, uint64_t size, struct spare *spare)
{
    *epoch_filter = (struct epoch_filter){.access_log = {.low = low, .size = size, .spare = spare}};
}

static uint64_t epoch_bytes(uint64_t granules)
{
    return 2 * granules * sizeof(int32_t);
}

static void drop_epochs(struct epoch_filter *epoch_filter)
{
    spare_resize(epoch_filter->access_log.spare, SHARE * epoch_filter->access_log.size,
                 epoch_bytes(epoch_filter->granules), 0);
    for (int use = READERS; use <= WRITERS; use++) {
        free(epoch_filter->epochs[use]);
        epoch_filter->epochs[use] = NULL;
    }
    epoch_filter->granules = 0;
}

void epoch_filter_release(struct epoch_filter *epoch_filter)
{
    epoch_filter_close(epoch_filter);
    drop_epochs(epoch_filter);
}

void epoch_filter_fini(struct epoch_filter *epoch_filter)
{
    if (epoch_filter->access_log.spare)
        drop_epochs(epoch_filter);
    free(epoch_filter->intervals);
    access_log_fini(&epoch_filter->access_log);
    memset(epoch_filter, 0, sizeof *epoch_filter);
}

/* Epochs for granules of 1 << shift bytes; all are 0, older than any launch. False: no memory. */
static bool make_epochs(struct epoch_filter *epoch_filter, uint32_t shift)
{
    const uint64_t granules = (epoch_filter->access_log.size >> shift) + 1;
    drop_epochs(epoch_filter);
    if (!spare_resize(epoch_filter->access_log.spare, SHARE * epoch_filter->access_log.size, 0,
                      epoch_bytes(granules)))
        return false;
    epoch_filter->epochs[READERS] = calloc(granules, sizeof(int32_t));
    epoch_filter->epochs[WRITERS] = calloc(granules, sizeof(int32_t));
    epoch_filter->granules = granules;
    epoch_filter->shift = shift;
    CHECKED(shift <= GRANULE_SHIFT);
    epoch_filter->first = 1;
    if (epoch_filter->epochs[READERS] && epoch_filter->epochs[WRITERS])
        return true;
    drop_epochs(epoch_filter);
    return false;
}

static uint32_t shift_for(const struct epoch_filter *epoch_filter, const struct epoch_filter_plan *plan)
{
    const uint32_t shift = (uint32_t)__builtin_ctz(plan->grain | 1u << GRANULE_SHIFT);
    return epoch_filter->epochs[WRITERS] && epoch_filter->shift < shift ? epoch_filter->shift : shift;
}

static bool is_too_large(const struct epoch_filter *epoch_filter, const struct epoch_filter_plan *plan)
{
    return epoch_filter->access_log.size > ALLOCATION_MOST ||
           plan->groups >= (uint64_t)EPOCH_MOST / (plan->items + 1);
}

bool epoch_filter_renews(const struct epoch_filter *epoch_filter, const struct epoch_filter_plan *plan)
{
    return !is_too_large(epoch_filter, plan) &&
           (!epoch_filter->epochs[WRITERS] || shift_for(epoch_filter, plan) != epoch_filter->shift ||
            epoch_filter->first > EPOCH_MOST - COMMON_EPOCHS - (int32_t)(plan->groups * (plan->items + 1)));
}

bool epoch_filter_open(struct epoch_filter *epoch_filter, const struct epoch_filter_plan *plan)
{
    if (is_too_large(epoch_filter, plan) || (epoch_filter_renews(epoch_filter, plan) &&
                                             !make_epochs(epoch_filter, shift_for(epoch_filter, plan))))
        return false;
    epoch_filter->groups = plan->groups;
    epoch_filter->items = plan->items;
    epoch_filter->next = block_first(epoch_filter, plan->groups);
    CHECKED(epoch_filter->first > 0 && epoch_filter->next > epoch_filter->first);
    return epoch_filter->open = true;
}

/* ---- units -------------------------------------------------------------------------------- */

/* The block of a group's interval from its barrier at `base` on, which may be a new one. False: no memory or
 * no epochs are left, or the interval may be in the table too far back to be found. */
static bool interval_of(struct epoch_filter *epoch_filter, uint64_t group, uint64_t base, uint64_t *out_block)
{
    uint32_t tries = INTERVALS_TRIED, i = epoch_filter->interval_count;
    for (; i > 0 && tries; i--, tries--) {
        const struct epoch_filter_interval *interval = &epoch_filter->intervals[i - 1];
        if (interval->group == group && interval->base == base) {
            *out_block = epoch_filter->groups + i - 1;
            return true;
        }
    }
    /* unless all older entries have smaller bases, one of them may be this interval */
    if (i > 0 && epoch_filter->intervals[i - 1].newest >= base)
        return false;
    if (epoch_filter->next > EPOCH_MOST - (int32_t)(epoch_filter->items + 1))
        return false;
    if (!room_for_one((void **)&epoch_filter->intervals, epoch_filter->interval_count,
                      &epoch_filter->interval_room, HOSTILE(16, 1), sizeof *epoch_filter->intervals))
        return false;
    *out_block = epoch_filter->groups + epoch_filter->interval_count;
    const uint64_t newest =
        epoch_filter->interval_count ? epoch_filter->intervals[epoch_filter->interval_count - 1].newest : 0;
    epoch_filter->intervals[epoch_filter->interval_count++] =
        (struct epoch_filter_interval){group, base, newest > base ? newest : base};
    epoch_filter->next += (int32_t)(epoch_filter->items + 1);
    CHECKED(epoch_filter->next <= EPOCH_MOST && epoch_filter->interval_count <= epoch_filter->interval_room);
    return true;
}

static bool assign_one_group(struct epoch_filter *epoch_filter, const struct lane_units *units)
{
    uint64_t block = units->group;
    if (units->base > 1 && !interval_of(epoch_filter, units->group, units->base, &block))
        return false;
    epoch_filter->wave.low = block_first(epoch_filter, block);
    epoch_filter->wave.high = epoch_filter->wave.low + (int32_t)epoch_filter->items + 1;
    const int32_t first = epoch_filter->wave.low + (int32_t)(units->first_unit - units->unit_low);
    for (uint32_t lane = 0; lane < units->lanes; lane++)
        epoch_filter->wave.own[lane] = first + (int32_t)lane;
    return true;
}

/* Epochs of lanes [from, end), whose units ascend by one from `unit`, up to the end of the first unit's
 * group. Returns the lane after the last one. */
static uint32_t assign_row(struct epoch_filter *epoch_filter, uint64_t unit, uint32_t from, uint32_t end)
{
    const uint64_t block = unit / epoch_filter->items, local = unit % epoch_filter->items,
                   left = epoch_filter->items - local;
    CHECKED(block < epoch_filter->groups);
    const int32_t first = block_first(epoch_filter, block) + (int32_t)local;
    const uint32_t to = end - from < left ? end : from + (uint32_t)left;
    for (uint32_t lane = from; lane < to; lane++)
        epoch_filter->wave.own[lane] = first + (int32_t)(lane - from);
    return to;
}

static void assign_groups(struct epoch_filter *epoch_filter, const struct lane_units *units)
{
    for (uint32_t lane = 0; lane < units->lanes;)
        lane = units->in_a_row ? assign_row(epoch_filter, units->first_unit + lane, lane, units->lanes)
                               : assign_row(epoch_filter, units->unit[lane], lane, lane + 1);
}

static void forget_repeats(struct epoch_filter *epoch_filter)
{
    for (int i = 0; i < EPOCH_FILTER_REPEATS; i++)
        epoch_filter->repeat[i].size = 0;
}

static bool set_units(struct epoch_filter *epoch_filter, const struct lane_units *units)
{
    if (epoch_filter->wave.serial == units->serial && epoch_filter->wave.base == units->base)
        return true;
    epoch_filter->wave.serial = 0;
    forget_repeats(epoch_filter);
    epoch_filter->wave.low = epoch_filter->wave.high = 0;
    if (!units->one_group)
        assign_groups(epoch_filter, units);
    else if (!assign_one_group(epoch_filter, units))
        return false;
    epoch_filter->wave.serial = units->serial;
    epoch_filter->wave.base = units->base;
    epoch_filter->wave.group = units->group;
    return true;
}

/* Did all accesses of this epoch happen before the latest barrier of the present wave's group? */
static __attribute__((noinline)) bool is_before_barrier(const struct epoch_filter *epoch_filter,
                                                        int32_t epoch)
{
    if (epoch < block_first(epoch_filter, 0))
        return false;
    uint64_t block = block_of(epoch_filter, epoch);
    if (block < epoch_filter->groups)
        return block == epoch_filter->wave.group;
    const struct epoch_filter_interval *interval = &epoch_filter->intervals[block - epoch_filter->groups];
    CHECKED(block - epoch_filter->groups < epoch_filter->interval_count);
    return interval->group == epoch_filter->wave.group && interval->base < epoch_filter->wave.base;
}

/* ---- one granule ---------------------------------------------------------------------------- */

#define INLINED static inline __attribute__((always_inline))

/* The filter's fields for the loops over lanes: a local copy, so that the compiler need not reload them after
 * each store into the epochs. */
struct epoch_view {
    const struct epoch_filter *epoch_filter;
    int32_t *readers, *writers;
    int32_t first, low, high;
    bool after_barrier;
};

static struct epoch_view epoch_view_of(const struct epoch_filter *epoch_filter)
{
    return (struct epoch_view){.epoch_filter = epoch_filter,
                               .readers = epoch_filter->epochs[READERS],
                               .writers = epoch_filter->epochs[WRITERS],
                               .first = epoch_filter->first,
                               .low = epoch_filter->wave.low,
                               .high = epoch_filter->wave.high,
                               .after_barrier = epoch_filter->wave.base > 1};
}

/* Is the epoch of this launch, and not before the latest barrier of the present wave's group? */
INLINED bool is_since_barrier(const struct epoch_view *view, int32_t epoch)
{
    return epoch >= view->first && !(view->after_barrier && is_before_barrier(view->epoch_filter, epoch));
}

INLINED bool is_unordered(const struct epoch_view *view, int32_t epoch, int32_t own)
{
    return (epoch != own || !RULE(3)) && is_since_barrier(view, epoch);
}

INLINED bool read_granule(const struct epoch_view *view, uint64_t at, int32_t own)
{
    const int32_t epoch = view->readers[at], writer = view->writers[at];
    if (writer != view->first + LOADS && is_unordered(view, writer, own))
        return false;
    view->readers[at] = !is_unordered(view, epoch, own)            ? own
                        : epoch >= view->low && epoch < view->high ? view->high - 1
                                                                   : view->first + MANY;
    return true;
}

/* Reads of two or more work-items of the present wave's group. */
INLINED bool read_granule_by_many(const struct epoch_view *view, uint64_t at)
{
    const int32_t epoch = view->readers[at], writer = view->writers[at];
    if (writer != view->first + LOADS && is_since_barrier(view, writer))
        return false;
    const bool by_group = epoch >= view->low && epoch < view->high;
    view->readers[at] = by_group || !is_since_barrier(view, epoch) ? view->high - 1 : view->first + MANY;
    return true;
}

INLINED bool write_granule(const struct epoch_view *view, uint64_t at, int32_t own)
{
    if (is_unordered(view, view->writers[at], own) || is_unordered(view, view->readers[at], own))
        return false;
    view->writers[at] = own;
    return true;
}

/* An earlier plain write conflicts even if it is of the same unit: its epoch would be lost, and updates of
 * other groups may race with it. */
INLINED bool update_granule(const struct epoch_view *view, uint64_t at, int32_t own)
{
    const int32_t writer = view->writers[at], updates = view->first + UPDATES, loads = view->first + LOADS;
    if (writer > loads || is_unordered(view, view->readers[at], own))
        return false;
    view->writers[at] = updates;
    return true;
}

/* As update_granule; plain reads do not conflict with an atomic load. */
INLINED bool load_granule(const struct epoch_view *view, uint64_t at)
{
    const int32_t writer = view->writers[at], loads = view->first + LOADS;
    if (writer >= view->first)
        return writer <= loads;
    view->writers[at] = loads;
    return true;
}

INLINED bool touch(const struct epoch_view *view, enum access_kind kind, uint64_t from, uint64_t end,
                   int32_t own)
{
    for (uint64_t at = from; at < end; at++)
        if (kind == ACCESS_READ          ? !read_granule(view, at, own)
            : kind == ACCESS_WRITE       ? !write_granule(view, at, own)
            : kind == ACCESS_ATOMIC_READ ? !load_granule(view, at)
                                         : !update_granule(view, at, own))
            return false;
    return true;
}

/* ---- waves ------------------------------------------------------------------------------------------ */

static bool covers_granules(const struct epoch_filter *epoch_filter, uint64_t address, uint32_t size)
{
    const uint64_t offset = address - epoch_filter->access_log.low,
                   part = (UINT64_C(1) << epoch_filter->shift) - 1;
    return offset < epoch_filter->access_log.size && size <= epoch_filter->access_log.size - offset &&
           !((offset | size) & part);
}

/* Before a barrier every epoch of this launch and of another unit conflicts, so one granule needs no branch.
 * True: there is a conflict. */
INLINED bool touch_one(const struct epoch_view *view, enum access_kind kind, int32_t *reader, int32_t *writer,
                       int32_t own)
{
    const int32_t was_read_by = *reader, written_by = *writer, loads = view->first + LOADS;
    const bool read = (was_read_by >= view->first) & ((was_read_by != own) | !RULE(3)),
               written = (written_by >= view->first) & ((written_by != own) | !RULE(3)),
               by_group = (was_read_by >= view->low) & (was_read_by < view->high);
    if (kind == ACCESS_READ)
        *reader = !read ? own : by_group ? view->high - 1 : view->first + MANY;
    else
        *writer = kind == ACCESS_WRITE ? own : view->first + UPDATES;
    return kind == ACCESS_READ    ? written & (written_by != loads)
           : kind == ACCESS_WRITE ? written | read
                                  : (written_by > loads) | read;
}

/* Adjacent granules, one for each lane. */
INLINED bool touch_row(const struct epoch_view *view, enum access_kind kind, uint64_t at, const int32_t *own,
                       uint32_t count)
{
    int32_t *restrict const readers = view->readers + at, *restrict const writers = view->writers + at;
    const struct epoch_view local = *view; /* which no store into the epochs changes */
    int32_t conflict = 0;
    for (uint32_t i = 0; i < count; i++)
        conflict |= touch_one(&local, kind, &readers[i], &writers[i], own[i]);
    return !conflict;
}

/* Lanes at any granules. own: the epoch of each. */
INLINED bool touch_each(const struct epoch_filter *epoch_filter, const struct epoch_view *view,
                        const struct lane_places *places, const int32_t *own, enum access_kind kind,
                        uint32_t size, bool simple)
{
    const struct epoch_view local = *view; /* which no store into the epochs changes */
    const uint32_t granules = size >> epoch_filter->shift, shift = epoch_filter->shift;
    bool conflict = (places->bits | size) & ((1u << shift) - 1);
    for (uint32_t i = 0; i < places->count && simple; i++) {
        const uint32_t at = places->at[i] >> shift;
        conflict |= touch_one(&local, kind, &local.readers[at], &local.writers[at], own[i]);
    }
    for (uint32_t i = 0; i < places->count && !simple && !conflict; i++) {
        const uint32_t at = places->at[i] >> shift;
        conflict = !touch(&local, kind, at, at + granules, own[i]);
    }
    return !conflict;
}

/* The epochs of active lanes. some: room for them. */
static const int32_t *active_epochs(const struct epoch_filter *epoch_filter, const struct access_event *event,
                                    uint32_t active, int32_t *some)
{
    uint32_t count = 0;
    if (active == event->lane_count)
        return epoch_filter->wave.own;
    EACH_LANE_OF(event->mask, lane)
    some[count++] = epoch_filter->wave.own[lane];
    return some;
}

/* Active lanes [from, end), of which lane `from` has this address. False: some lane is outside of the
 * allocation. */
INLINED bool take_row(const struct epoch_filter *epoch_filter, const struct epoch_view *view,
                      const struct access_event *event, enum access_kind kind, bool simple, uint32_t from,
                      uint32_t end, uint64_t address)
{
    const uint32_t size = event->size_bytes;
    const uint64_t at = (address - epoch_filter->access_log.low) >> epoch_filter->shift;
    struct lane_places places;
    int32_t own[WAVE_LANES_MAX];
    if (simple && event->step_x == (int64_t)size && all_set(event->mask, from, end - from))
        return covers_granules(epoch_filter, address, size * (end - from)) &&
               touch_row(view, kind, at, &epoch_filter->wave.own[from], end - from);
    places.count = places.bits = 0;
    for (uint32_t lane = next_lane(event->mask, from, end, true); lane < end;
         lane = next_lane(event->mask, lane + 1, end, true)) {
        const uint64_t lane_at = address + (uint64_t)event->step_x * (lane - from);
        if (!covers_granules(epoch_filter, lane_at, size))
            return false;
        own[places.count] = epoch_filter->wave.own[lane];
        places.at[places.count++] = (uint32_t)(lane_at - epoch_filter->access_log.low);
    }
    return touch_each(epoch_filter, view, &places, own, kind, size, simple);
}

/* Lanes at one address. The first and the last active one stand for all: two different epochs already make it
 * a conflict, or an epoch of several readers. */
INLINED bool take_same_address(const struct epoch_filter *epoch_filter, const struct epoch_view *view,
                               const struct access_event *event, enum access_kind kind, uint32_t from,
                               uint32_t end, uint64_t address)
{
    const uint64_t at = (address - epoch_filter->access_log.low) >> epoch_filter->shift,
                   granules = event->size_bytes >> epoch_filter->shift;
    uint32_t one, other;
    if (!lanes_within(event->mask, from, end, &one, &other))
        return true;
    if (!covers_granules(epoch_filter, address, event->size_bytes))
        return false;
    const bool several = other > one + 1;
    if (several && kind == ACCESS_READ && granules == 1 && view->high)
        return read_granule_by_many(view, at);
    return touch(view, kind, at, at + granules, epoch_filter->wave.own[one]) &&
           (!several || touch(view, kind, at, at + granules, epoch_filter->wave.own[other - 1]));
}

/* Inlined once for each kind. simple: each lane accesses one granule, before any barrier. listed: the lanes
 * of an address list. */
INLINED bool take_kind(const struct epoch_filter *epoch_filter, const struct access_event *event,
                       const struct lane_places *listed, enum access_kind kind, bool simple)
{
    const struct epoch_view view = epoch_view_of(epoch_filter);
    const uint32_t lanes = event->lane_count, row = event->row && event->row < lanes ? event->row : lanes;
    uint64_t address = event->base;
    int32_t some[WAVE_LANES_MAX];
    if (event->shape == ADDRESS_LIST)
        return touch_each(epoch_filter, &view, listed,
                          active_epochs(epoch_filter, event, listed->count, some), kind, event->size_bytes,
                          simple);
    if (event->shape == ADDRESS_UNIFORM)
        return take_same_address(epoch_filter, &view, event, kind, 0, lanes, address);
    for (uint32_t from = 0; from < lanes; from += row, address += (uint64_t)event->step_y) {
        const uint32_t end = lanes - from < row ? lanes : from + row;
        if (event->step_x == 0 ? !take_same_address(epoch_filter, &view, event, kind, from, end, address)
                               : !take_row(epoch_filter, &view, event, kind, simple, from, end, address))
            return false;
    }
    return true;
}

static bool take_wave(const struct epoch_filter *epoch_filter, const struct access_event *event,
                      const struct lane_places *listed)
{
    const bool simple = event->size_bytes == 1u << epoch_filter->shift && epoch_filter->wave.base <= 1;
    switch (event->kind) {
    case ACCESS_READ:
        return simple ? take_kind(epoch_filter, event, listed, ACCESS_READ, true)
                      : take_kind(epoch_filter, event, listed, ACCESS_READ, false);
    case ACCESS_WRITE:
        return simple ? take_kind(epoch_filter, event, listed, ACCESS_WRITE, true)
                      : take_kind(epoch_filter, event, listed, ACCESS_WRITE, false);
    case ACCESS_ATOMIC_READ: return take_kind(epoch_filter, event, listed, ACCESS_ATOMIC_READ, false);
    default:
        return simple ? take_kind(epoch_filter, event, listed, ACCESS_ATOMIC_UPDATE, true)
                      : take_kind(epoch_filter, event, listed, ACCESS_ATOMIC_UPDATE, false);
    }
}

/* ---- taking -------------------------------------------------------------------------------------------- */

/* Atomics of one size and scope do not race with each other, whichever units execute them (R29); of several
 * sizes or scopes they may. The caller passes only scopes that include all units of the launch. */
static bool same_atomics(struct epoch_filter *epoch_filter, const struct access_event *event,
                         enum memory_scope scope)
{
    if (event->kind <= ACCESS_WRITE)
        return true;
    if (epoch_filter->atomic)
        return event->size_bytes == epoch_filter->atomic_size &&
               scope == (enum memory_scope)epoch_filter->atomic_scope;
    epoch_filter->atomic = true;
    epoch_filter->atomic_size = event->size_bytes;
    epoch_filter->atomic_scope = (uint8_t)scope;
    return true;
}

static bool same_steps(const struct epoch_filter_repeat *repeat, const struct access_event *event)
{
    return repeat->step_x == event->step_x && repeat->step_y == event->step_y && repeat->row == event->row;
}

static bool has_same_addresses(const struct epoch_filter_repeat *repeat, const struct access_event *event)
{
    return event->shape != ADDRESS_LIST && repeat->shape == event->shape && repeat->base == event->base &&
           same_steps(repeat, event);
}

/* Is this the same access that the wave executed in this segment, with only its own plain accesses since? The
 * earlier one did not conflict: its granules have the epochs that this one would set, and the log has it. So
 * there is nothing to do. */
static bool is_repeated(const struct epoch_filter_repeat *repeat, const struct access_event *event,
                        uint64_t clock)
{
    if (repeat->site != event->origin.site || repeat->clock != clock || repeat->kind != event->kind)
        return false;
    return repeat->size == event->size_bytes && has_same_addresses(repeat, event) &&
           memcmp(repeat->mask, event->mask, sizeof repeat->mask) == 0;
}

static void note_repeat(struct epoch_filter *epoch_filter, const struct access_event *event, uint64_t clock)
{
    if (event->kind > ACCESS_WRITE)
        forget_repeats(epoch_filter);
    if (event->kind > ACCESS_WRITE || event->shape == ADDRESS_LIST)
        return;
    struct epoch_filter_repeat *repeat = &epoch_filter->repeat[event->origin.site % EPOCH_FILTER_REPEATS];
    *repeat = (struct epoch_filter_repeat){.clock = clock,
                                           .base = event->base,
                                           .step_x = event->step_x,
                                           .step_y = event->step_y,
                                           .site = event->origin.site,
                                           .size = event->size_bytes,
                                           .row = event->row,
                                           .kind = (uint8_t)event->kind,
                                           .shape = (uint8_t)event->shape};
    memcpy(repeat->mask, event->mask, sizeof repeat->mask);
}

bool epoch_filter_take(struct epoch_filter *epoch_filter, const struct access_event *event,
                       const struct lane_units *units, uint64_t clock, enum memory_scope scope)
{
    if (!epoch_filter->open || !same_atomics(epoch_filter, event, scope) || !set_units(epoch_filter, units))
        return false;
    if (is_repeated(&epoch_filter->repeat[event->origin.site % EPOCH_FILTER_REPEATS], event, clock))
        return true;
    note_repeat(epoch_filter, event, clock);
    struct lane_places listed;
    return (event->shape != ADDRESS_LIST || access_log_list(&epoch_filter->access_log, event, &listed)) &&
           take_wave(epoch_filter, event, &listed) &&
           access_log_add(&epoch_filter->access_log, event, &listed, units, clock, scope);
}

/* Are all lanes of all rows, also inactive ones, within the allocation? An affine function has its extremes
 * at the corners. */
static bool rows_within(const struct epoch_filter *epoch_filter, const struct access_event *event)
{
    const uint32_t lanes = event->lane_count, row = event->row && event->row < lanes ? event->row : lanes;
    const bool steps = event->shape == ADDRESS_AFFINE;
    const uint64_t across = steps ? (uint64_t)event->step_x * (row - 1) : 0,
                   down = steps ? (uint64_t)event->step_y * ((lanes - 1) / row) : 0,
                   offset = event->base - epoch_filter->access_log.low,
                   room = epoch_filter->access_log.size - event->size_bytes;
    const uint64_t corner[4] = {offset, offset + across, offset + down, offset + across + down};
    bool within = event->size_bytes <= epoch_filter->access_log.size;
    for (int i = 0; i < 4; i++)
        within &= corner[i] <= room;
    return within;
}

bool epoch_filter_note(struct epoch_filter *epoch_filter, const struct access_event *event,
                       const struct lane_units *units, uint64_t clock)
{
    struct lane_places listed;
    return (event->shape == ADDRESS_LIST ? access_log_list(&epoch_filter->access_log, event, &listed)
                                         : rows_within(epoch_filter, event)) &&
           access_log_add(&epoch_filter->access_log, event, &listed, units, clock, event->scope);
}

static uint64_t block_group(const struct epoch_filter *epoch_filter, uint64_t block)
{
    return block < epoch_filter->groups ? block : epoch_filter->intervals[block - epoch_filter->groups].group;
}

/* The epoch of a granule after a mark. Marks do not come in the order of execution: of one group's intervals
 * the latest stays. */
static int32_t merge_mark(const struct epoch_filter *epoch_filter, int32_t old, int32_t own, bool write)
{
    if (old < epoch_filter->first || old == own)
        return own;
    if (old == many(epoch_filter))
        return old;
    const uint64_t block = block_of(epoch_filter, own), old_block = block_of(epoch_filter, old);
    if (block_group(epoch_filter, block) != block_group(epoch_filter, old_block))
        return many(epoch_filter);
    if (block == old_block && !write)
        return block_first(epoch_filter, block) + (int32_t)epoch_filter->items;
    return old > own ? old : own;
}

bool epoch_filter_mark(struct epoch_filter *epoch_filter, const struct past_access *access, uint64_t group,
                       uint64_t base)
{
    const bool write = access->kind == ACCESS_WRITE;
    uint64_t block = group;
    if (!covers_granules(epoch_filter, access->address, access->size) ||
        (base > 1 && !interval_of(epoch_filter, group, base, &block)))
        return false;
    const int32_t own = block_first(epoch_filter, block) + (int32_t)(access->unit % epoch_filter->items);
    int32_t *epochs = epoch_filter->epochs[write ? WRITERS : READERS];
    const uint64_t from = (access->address - epoch_filter->access_log.low) >> epoch_filter->shift,
                   end = from + (access->size >> epoch_filter->shift);
    for (uint64_t at = from; at < end; at++)
        epochs[at] = merge_mark(epoch_filter, epochs[at], own, write);
    return true;
}

/* ---- footprint -------------------------------------------------------------------------------- */

enum { FLAGS = 64 };

/* A bit for each of `count` granules, at most FLAGS, by use: which have an epoch of [first, end). The
 * multiply gathers eight bytes of 0 or 1 into eight bits. */
static void flags_of(const int32_t *readers, const int32_t *writers, uint64_t count, int32_t first,
                     int32_t end, uint64_t out[FOOTPRINT_USES])
{
    uint8_t read[FLAGS] = {0}, written[FLAGS] = {0}, updated[FLAGS] = {0}, loaded[FLAGS] = {0};
    const int32_t updates = first + UPDATES, loads = first + LOADS;
    for (uint64_t i = 0; i < count; i++) {
        read[i] = readers[i] >= first && readers[i] < end;
        updated[i] = writers[i] == updates;
        loaded[i] = writers[i] == loads;
        written[i] = writers[i] > loads && writers[i] < end;
    }
    out[FOOTPRINT_READ] = out[FOOTPRINT_WRITTEN] = out[FOOTPRINT_ATOMIC] = out[FOOTPRINT_ATOMIC_READ] = 0;
    for (uint64_t i = 0; i < FLAGS; i += 8) {
        const uint64_t gather = UINT64_C(0x0102040810204080);
        uint64_t byte;
        memcpy(&byte, read + i, 8);
        out[FOOTPRINT_READ] |= byte * gather >> 56 << i;
        memcpy(&byte, written + i, 8);
        out[FOOTPRINT_WRITTEN] |= byte * gather >> 56 << i;
        memcpy(&byte, updated + i, 8);
        out[FOOTPRINT_ATOMIC] |= byte * gather >> 56 << i;
        memcpy(&byte, loaded + i, 8);
        out[FOOTPRINT_ATOMIC_READ] |= byte * gather >> 56 << i;
    }
}

void epoch_filter_collect(const struct epoch_filter *epoch_filter, int32_t from, int32_t end,
                          struct footprint_part *part)
{
    static const enum footprint_use uses[] = {FOOTPRINT_READ, FOOTPRINT_WRITTEN, FOOTPRINT_ATOMIC,
                                              FOOTPRINT_ATOMIC_READ};
    struct byte_run run[FOOTPRINT_USES] = {{0, 0}};
    for (uint64_t at = 0, granules = epoch_filter->access_log.size >> epoch_filter->shift; at < granules;
         at += FLAGS) {
        uint64_t flags[FOOTPRINT_USES];
        flags_of(epoch_filter->epochs[READERS] + at, epoch_filter->epochs[WRITERS] + at,
                 granules - at < FLAGS ? granules - at : FLAGS, from, end, flags);
        for (uint32_t u = 0; u < sizeof uses / sizeof *uses; u++)
            byte_set_add_granules(&part->bytes[uses[u]], &run[uses[u]], at << epoch_filter->shift,
                                  flags[uses[u]], epoch_filter->shift);
    }
    for (uint32_t u = 0; u < sizeof uses / sizeof *uses; u++)
        byte_set_add(&part->bytes[uses[u]], run[uses[u]].low, run[uses[u]].high);
}
