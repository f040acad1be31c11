/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The hand-off (order_handoff.h).
 *
 * Lemma. Let each member acquire all earlier releases of the group before it releases. Then the clock of
 * release n is the clock of release 1, and for each member the clock value of its latest release up to n.
 * This holds as long as no member acquires anything else; is_covered checks at a member's first release that
 * its own clock is part of the first one. A fence for which it does not hold dissolves the hand-off.
 */
#include "order_handoff.h"

#include <stdlib.h>

#include "orrery/checked.h"
#include "sim/memmodel/common/lane_mask.h"

/* ---- begin and end ---------------------------------------------------------------------------- */

static struct handoff *handoff_new(uint64_t items)
{
    struct handoff *handoff = calloc(1, sizeof *handoff);
    uint32_t *positions = calloc(items, 4 * sizeof *positions + sizeof *handoff->entered);
    if (!handoff || !positions) {
        free(handoff);
        free(positions);
        return NULL;
    }
    handoff->released = positions;
    handoff->acquired = positions + items;
    handoff->buffered = positions + 2 * items;
    handoff->slice = positions + 3 * items;
    handoff->entered = (uint16_t *)(positions + 4 * items);
    return handoff;
}

static void remove_object(struct handoff_object *object)
{
    struct handoff_object **at = &object->atomic->handoff_objects;
    while (*at != object)
        at = &(*at)->next;
    CHECKED((*at)->atomic == object->atomic);
    *at = object->next;
    free(object->released);
}

void order_handoff_free(struct order *order, struct group_order *group)
{
    struct handoff *handoff = group->handoff;
    if (!handoff)
        return;
    for (uint32_t i = 0; i < handoff->object_count; i++)
        remove_object(&handoff->objects[i]);
    vclock_drop(&order->pool, handoff->first);
    free(handoff->releases);
    free(handoff->released);
    free(handoff);
    group->handoff = NULL;
    group->slices = NULL;
}

static bool has_no_fences(const struct order *order, const struct group_order *group)
{
    bool none = true;
    for (uint64_t i = 0; group->items && i < order->group_items; i++)
        none &= !group->items[i] || !group->items[i]->fences.count;
    return none;
}

/* Can a fence of this kind begin a hand-off? */
static bool is_beginning(const struct endpoint *end, enum memory_ordering how)
{
    return releases(how) && end->scope == SCOPE_WORK_GROUP &&
           (end->flags == REGION_GLOBAL || end->flags == REGION_LOCAL);
}

static bool may_begin(const struct order *order, const struct group_order *group)
{
    const bool allows =
        order->rule == SCOPE_RULE_EQUAL && !order->formal && !order->wide && !order_logs(order);
    return allows && !group->sub_groups && !group->copy_count && has_no_fences(order, group);
}

static void handoff_begin(struct order *order, struct unit_state *unit_state, const struct endpoint *end,
                          enum memory_ordering how)
{
    if (!order_make_item(order, unit_state))
        return;
    struct group_order *group = unit_state->group;
    const bool begins = !group->handoff_tried && is_beginning(end, how) && may_begin(order, group);
    struct handoff *handoff = begins ? handoff_new(order->group_items) : NULL;
    group->handoff_tried = true;
    if (!handoff)
        return;
    order_deliver_all(order, group);
    handoff->group = group;
    CHECKED(!group->sub_groups && !group->copy_count && group->items); /* may_begin checked it */
    handoff->first_unit = group->number * order->group_items;
    handoff->region = end->flags == REGION_GLOBAL ? IN_GLOBAL : IN_LOCAL;
    for (uint64_t i = 0; i < order->group_items; i++)
        handoff->slice[i] =
            (uint32_t)(group->items[i] ? order_member_segment(group, group->items[i]) : group->slice);
    group->handoff = handoff;
    group->slices = handoff->slice;
}

/* ---- objects ---------------------------------------------------------------------------------- */

/* No release of the list reaches a member of the group. */
static bool all_foreign(const struct release_clock_list *list, uint64_t group)
{
    bool foreign = true;
    for (uint32_t i = 0; i < list->count; i++)
        foreign &= list->items[i].scope <= SCOPE_WORK_GROUP && list->items[i].place.group != group;
    return foreign;
}

/* Is it an operation of 4 bytes on an object of 4 bytes, in the hand-off's region and without SVM atomics? */
static bool is_for_handoff(const struct handoff *handoff, const struct atomic_operation *act,
                           const struct atomic_object *atomic)
{
    const bool has_size = act->size == 4 && atomic->size == 4,
               in_region = act->region == handoff->region && atomic->region == handoff->region;
    return has_size && in_region && !act->svm_atomics && !atomic->svm_atomics;
}

struct handoff_object *order_handoff_object(struct order *order, struct handoff *handoff,
                                            const struct atomic_operation *act)
{
    struct atomic_object *atomic = order_atomic_object(order, act);
    struct handoff_object *object = atomic ? handoff_object_of(handoff, atomic) : NULL;
    const bool fits = atomic && !order->wide && is_for_handoff(handoff, act, atomic);
    if (object || !fits || handoff->object_count == HANDOFF_OBJECTS)
        return fits ? object : NULL;
    if (act->region == IN_LOCAL && atomic->group != handoff->group->number &&
        (atomic->handoff_objects || atomic->release_clocks.count))
        return NULL; /* local memory that another work-group used before (R38) */
    if (!all_foreign(&atomic->release_clocks, handoff->group->number))
        return NULL;
    uint32_t *released = calloc(order->group_items, sizeof *released);
    if (!released)
        return NULL;
    atomic->group = handoff->group->number;
    CHECKED(handoff->object_count < HANDOFF_OBJECTS && atomic->region == handoff->region);
    object = &handoff->objects[handoff->object_count];
    *object = (struct handoff_object){.atomic = atomic,
                                      .handoff = handoff,
                                      .next = atomic->handoff_objects,
                                      .bit = 1u << handoff->object_count,
                                      .released = released};
    atomic->handoff_objects = object;
    handoff->object_count++;
    return object;
}

static void member(struct order *order, const struct handoff *handoff, uint64_t local,
                   struct unit_state *out_unit_state)
{
    order_member(order, handoff->group->number, handoff->group, local, out_unit_state);
    order_make_item(order, out_unit_state);
}

/* The object's list has releases of other groups, which reach no member. A few are kept for explanations,
 * so the next acquire fence has to try the fence buffer again. */
static void first_access(struct order *order, struct unit_state *unit_state, struct handoff_object *object,
                         uint64_t local)
{
    struct handoff *handoff = object->handoff;
    handoff->entered[local] |= (uint16_t)object->bit;
    if (!object->atomic->release_clocks.count ||
        unit_state->item->fence_buffer[handoff->region].count >= MISSED_KEPT)
        return;
    order_buffer_clocks(order, unit_state, &object->atomic->release_clocks, 0, handoff->region);
    handoff->entered[local] &= (uint16_t)~HANDOFF_FENCED;
}

void order_handoff_enter(struct order *order, struct handoff_object *object, uint64_t local,
                         const struct latest_store *store, const struct atomic_operation *act)
{
    struct unit_state unit_state;
    member(order, object->handoff, local, &unit_state);
    if (!unit_state.item)
        return;
    if (!(object->handoff->entered[local] & object->bit))
        first_access(order, &unit_state, object, local);
    note_relaxed_store(order, unit_state.item, store, act);
}

/* ---- members that spin together --------------------------------------------------------------- */

void order_handoff_deliver(struct order *order, struct group_order *group, uint64_t local)
{
    CHECKED(group->handoff && group->handoff->polled && local < WAVE_LANES_MAX);
    struct handoff *handoff = group->handoff;
    group->waiting->reader[local / 64] &= ~(UINT64_C(1) << local % 64);
    handoff_read(order, handoff->polled, local, handoff->polled_position, &handoff->polled_store,
                 &handoff->polled_act);
}

static void deliver_all(struct order *order, struct group_order *group)
{
    for (uint32_t w = 0; group->waiting && w < LANE_MASK_WORDS; w++)
        for (uint64_t rest = group->waiting->reader[w]; rest; rest &= rest - 1)
            order_handoff_deliver(order, group, w * 64 + (uint64_t)__builtin_ctzll(rest));
}

static __attribute__((noinline)) bool poll_another(struct order *order, struct group_order *group,
                                                   const struct atomic_operation *act,
                                                   const uint64_t reader[LANE_MASK_WORDS])
{
    struct handoff *handoff = group->handoff;
    struct handoff_object *object = order_handoff_object(order, handoff, act);
    if (!object) {
        order_handoff_dissolve(order, group);
        return order_wait_listed(order, group, act, reader);
    }
    deliver_all(order, group);
    handoff->polled = object;
    handoff->polled_act = *act;
    return order_handoff_wait(order, group, act, reader);
}

/* Do all members that read before read the same object again, at the same site? */
static inline bool polls_again(const struct order *order, const struct handoff *handoff,
                               const struct waiting *waiting, const struct atomic_operation *act,
                               const uint64_t reader[LANE_MASK_WORDS])
{
    uint64_t left = 0;
    for (uint32_t w = 0; w < order->member_words; w++)
        left |= waiting->reader[w] & ~reader[w];
    return handoff->polled && handoff->polled->atomic->entry.address == act->address && !left &&
           handoff->polled_act.site == act->site;
}

bool order_handoff_wait(struct order *order, struct group_order *group, const struct atomic_operation *act,
                        const uint64_t reader[LANE_MASK_WORDS])
{
    struct handoff *handoff = group->handoff;
    if (!polls_again(order, handoff, group->waiting, act, reader))
        return poll_another(order, group, act, reader);
    const struct handoff_object *object = handoff->polled;
    handoff->polled_position = object->position;
    /* which of several stores that released it was is never asked */
    if (!(object->atomic->store.releases && handoff->polled_store.releases))
        handoff->polled_store = object->atomic->store;
    for (uint32_t w = 0; w < order->member_words; w++)
        group->waiting->reader[w] = reader[w];
    return true;
}

/* ---- operations ------------------------------------------------------------------------------- */

/* A store that is no read-modify-write ends the sequences of others (R8). */
static void begin_sequence(struct order *order, struct handoff_object *object, uint64_t local,
                           const struct atomic_operation *act)
{
    struct atomic_object *atomic = object->atomic;
    const struct handoff *handoff = object->handoff;
    order_list_clear(order, &atomic->release_clocks);
    atomic->version = atomic->list_id = ++order->versions;
    atomic->generation++;
    memset(object->released, 0, order->group_items * sizeof *object->released);
    CHECKED(local < order->group_items && handoff->released[local] <= handoff->count);
    object->position = object->released[local] = handoff->released[local];
    atomic->store =
        (struct latest_store){act->site, handoff->first_unit + local, order->clock, handoff->released[local]};
}

bool order_handoff_atomic(struct order *order, struct unit_state *unit_state,
                          const struct atomic_operation *act)
{
    struct handoff *handoff = unit_state->group->handoff;
    const uint64_t local = unit_state->unit - handoff->first_unit;
    struct handoff_object *object =
        act->order == ORDER_RELAXED && !unit_state->copy ? order_handoff_object(order, handoff, act) : NULL;
    const bool alone = object && object->atomic->handoff_objects == object && !object->next;
    if (!object || !(act->reads || alone) || !order_make_item(order, unit_state)) {
        order_handoff_dissolve(order, unit_state->group);
        return false;
    }
    if (act->reads)
        handoff_access(order, object, local, act);
    else
        begin_sequence(order, object, local, act);
    return true;
}

/* ---- fences ----------------------------------------------------------------------------------- */

/* Does `more` include all of `less`? */
static bool includes(struct order *order, struct vclock *more, struct vclock *less)
{
    struct vclock *both = less ? vclock_join(&order->pool, more, less) : NULL;
    const bool part = !less || both == more;
    vclock_drop(&order->pool, both);
    return part;
}

static bool is_covered(struct order *order, struct handoff *handoff, const struct unit_state *unit_state,
                       uint64_t local)
{
    if (!(handoff->entered[local] & HANDOFF_COVERED) &&
        !includes(order, handoff->first, unit_state->item->acquired[handoff->region]))
        return false;
    handoff->entered[local] |= HANDOFF_COVERED;
    return true;
}

static bool has_room(struct order *order, struct handoff *handoff)
{
    if (handoff->count >= HANDOFF_MOST)
        return false;
    while (handoff->count + 1 >= handoff->room)
        if (!order_grow(order, (void **)&handoff->releases, &handoff->room, sizeof *handoff->releases))
            return false;
    return true;
}

static inline bool release_next(struct order *order, struct handoff *handoff, struct unit_state *unit_state,
                                uint64_t local, uint32_t site)
{
    const uint32_t clock = (uint32_t)order_release_clock(order);
    if (handoff->acquired[local] != handoff->count || !has_room(order, handoff))
        return false;
    if (!handoff->count)
        set(order, &handoff->first, order_publish(order, unit_state, handoff->region, clock));
    if (!(handoff->entered[local] & HANDOFF_COVERED) && !is_covered(order, handoff, unit_state, local))
        return false;
    if (!handoff->count)
        handoff->releases[0] = (struct handoff_release){0};
    handoff->releases[++handoff->count] =
        (struct handoff_release){clock, (uint32_t)local, site, handoff->released[local]};
    handoff->released[local] = handoff->acquired[local] = handoff->count;
    CHECKED(handoff->count < handoff->room && handoff->count <= HANDOFF_MOST);
    handoff->slice[local] = clock;
    unit_state->item->slice = clock;
    return true;
}

/* An acquire fence tries what the member read before it entered the hand-off, and what it read of other
 * groups. */
static __attribute__((noinline)) void fence_earlier_reads(struct order *order, struct handoff *handoff,
                                                          struct unit_state *unit_state, uint64_t local,
                                                          const struct endpoint *end)
{
    order_acquire_buffered(order, unit_state, end);
    handoff->entered[local] = (uint16_t)((handoff->entered[local] | HANDOFF_FENCED) & ~HANDOFF_COVERED);
}

bool order_handoff_fence(struct order *order, struct unit_state *unit_state, const struct endpoint *end,
                         enum memory_ordering how)
{
    if (!unit_state->group || !unit_state->group->handoff)
        handoff_begin(order, unit_state, end, how);
    struct handoff *handoff = unit_state->group ? unit_state->group->handoff : NULL;
    if (!handoff)
        return false;
    const uint64_t local = unit_state->unit - handoff->first_unit;
    bool valid = end->scope == SCOPE_WORK_GROUP && end->flags == 1u << handoff->region &&
                 order_make_item(order, unit_state);
    if (valid && acquires(how)) {
        if (!(handoff->entered[local] & HANDOFF_FENCED))
            fence_earlier_reads(order, handoff, unit_state, local, end);
        if (handoff->acquired[local] < handoff->buffered[local])
            handoff->acquired[local] = handoff->buffered[local];
    }
    if (valid && releases(how))
        valid = release_next(order, handoff, unit_state, local, end->site);
    if (valid)
        fast_path_taken(order->fast_paths, FAST_PATH_HANDOFF);
    else
        order_handoff_dissolve(order, unit_state->group);
    return valid;
}

/* ---- dissolving ------------------------------------------------------------------------------- */

/* The clock value of the member's latest release up to the position; 0: none. */
static uint32_t clock_at(const struct handoff *handoff, uint64_t local, uint32_t position)
{
    const uint32_t at = handoff_release_at(handoff, local, position);
    return at ? handoff->releases[at].clock : 0;
}

struct vclock *order_handoff_clock(struct order *order, const struct handoff *handoff, uint32_t position)
{
    enum { AT_ONCE = 64 };
    struct vclock *vclock = position ? vclock_share(handoff->first) : NULL;
    CHECKED(position <= handoff->count);
    for (uint64_t from = 0; position && from < order->group_items; from += AT_ONCE) {
        uint32_t clock[AT_ONCE], count = 0;
        for (; count < AT_ONCE && from + count < order->group_items; count++)
            clock[count] = clock_at(handoff, from + count, position);
        struct vclock *row = vclock_of_row(&order->pool, handoff->first_unit + from, clock, count);
        join_into(order, &vclock, row);
        vclock_drop(&order->pool, row);
    }
    return vclock;
}

/* The releases that positions stand for, each made once. */
struct dissolving {
    struct order *order;
    struct handoff *handoff;
    struct release **made;
};

/* The release is that of the unit which released last. */
static struct release *release_at(struct dissolving *dissolving, uint32_t position)
{
    struct order *order = dissolving->order;
    const struct handoff *handoff = dissolving->handoff;
    struct release *release = dissolving->made ? dissolving->made[position] : NULL;
    if (release)
        return release_share(release);
    release = order_release_new(order, handoff->first_unit + handoff->releases[position].local,
                                handoff->releases[position].site);
    set(order, &release->vclock[handoff->region], order_handoff_clock(order, handoff, position));
    if (dissolving->made)
        dissolving->made[position] = release_share(release);
    return release;
}

static struct release_clock release_clock_at(struct dissolving *dissolving, uint32_t position)
{
    const struct handoff *handoff = dissolving->handoff;
    struct unit_state unit_state;
    order_member(dissolving->order, handoff->group->number, handoff->group, handoff->releases[position].local,
                 &unit_state);
    return (struct release_clock){.scope = SCOPE_WORK_GROUP,
                                  .flags = 1u << handoff->region,
                                  .fence = true,
                                  .place = unit_state.place,
                                  .release = release_at(dissolving, position)};
}

static void publish_object(struct dissolving *dissolving, const struct handoff_object *object)
{
    struct order *order = dissolving->order;
    struct atomic_object *atomic = object->atomic;
    if (!object->position)
        return;
    struct release_clock release_clock = release_clock_at(dissolving, object->position);
    atomic->version = release_clock.version = ++order->versions;
    order_list_trim(order, &atomic->release_clocks);
    order_list_add(order, &atomic->release_clocks, &release_clock);
    if (!atomic->list_id)
        atomic->list_id = atomic->version;
    release_drop(order, release_clock.release);
}

/* The buffered reads stay in the fence buffer: a fence of another kind may acquire them. */
static void publish_buffered(struct dissolving *dissolving, struct unit_state *unit_state, uint32_t position)
{
    const struct release_clock release_clock = release_clock_at(dissolving, position);
    order_list_add(dissolving->order, &unit_state->item->fence_buffer[dissolving->handoff->region],
                   &release_clock);
    release_drop(dissolving->order, release_clock.release);
}

static void publish_member(struct dissolving *dissolving, uint64_t local)
{
    struct order *order = dissolving->order;
    const struct handoff *handoff = dissolving->handoff;
    struct unit_state unit_state;
    if (!(handoff->released[local] | handoff->acquired[local] | handoff->buffered[local]))
        return;
    member(order, handoff, local, &unit_state);
    if (!unit_state.item)
        return;
    if (handoff->buffered[local])
        publish_buffered(dissolving, &unit_state, handoff->buffered[local]);
    if (handoff->acquired[local]) {
        struct release *release = release_at(dissolving, handoff->acquired[local]);
        join_into(order, &unit_state.item->acquired[handoff->region], release->vclock[handoff->region]);
        release_drop(order, release);
    }
    if (handoff->released[local]) {
        const struct release_clock release_clock = release_clock_at(dissolving, handoff->released[local]);
        order_list_replace(order, &unit_state.item->fences, &release_clock);
        release_drop(order, release_clock.release);
    }
    for (uint32_t i = 0; i < handoff->object_count; i++) {
        const struct handoff_object *object = &handoff->objects[i];
        if (!object->released[local])
            continue;
        const struct release_clock release_clock = release_clock_at(dissolving, object->released[local]);
        order_add_head(order, &unit_state, object->atomic, &release_clock);
        release_drop(order, release_clock.release);
    }
    memset(unit_state.item->progress, 0, sizeof unit_state.item->progress);
}

static void dissolve(struct order *order, struct group_order *group, bool members)
{
    struct handoff *handoff = group->handoff;
    struct dissolving dissolving = {order, handoff,
                                    calloc((size_t)handoff->count + 1, sizeof *dissolving.made)};
    deliver_all(order, group);
    for (uint32_t i = 0; i < handoff->object_count; i++)
        publish_object(&dissolving, &handoff->objects[i]);
    for (uint64_t local = 0; members && local < order->group_items; local++)
        publish_member(&dissolving, local);
    for (uint32_t i = 1; dissolving.made && i <= handoff->count; i++)
        release_drop(order, dissolving.made[i]);
    free(dissolving.made);
    order_handoff_free(order, group);
}

void order_handoff_dissolve(struct order *order, struct group_order *group)
{
    if (group->handoff)
        dissolve(order, group, true);
}

void order_handoff_dissolve_object(struct order *order, const struct atomic_object *atomic)
{
    while (atomic->handoff_objects)
        order_handoff_dissolve(order, atomic->handoff_objects->handoff->group);
}

void order_handoff_dissolve_all(struct order *order)
{
    for (struct group_order *group = order->groups; group; group = group->next)
        order_handoff_dissolve(order, group);
}

void order_handoff_end(struct order *order, struct group_order *group)
{
    if (group->handoff)
        dissolve(order, group, false);
}
