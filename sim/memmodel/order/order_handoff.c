/* SPDX-License-Identifier: Apache-2.0 */
/* The hand-off form of a work-group's order: positions in one sequence stand for whole clocks. */
#include "order_handoff.h"

#include <stdlib.h>

#include "orrery/checked.h"
#include "sim/memmodel/common/lane_mask.h"

/* ---- life -------------------------------------------------------------------------------------- */

static struct handoff *handoff_new(uint64_t items)
{
    struct handoff *handoff = calloc(1, sizeof *handoff);
    uint32_t *positions = calloc(items, 4 * sizeof *positions + sizeof *handoff->acted);
    if (!handoff || !positions) {
        free(handoff);
        free(positions);
        return NULL;
    }
    handoff->sent = positions;
    handoff->acquired = positions + items;
    handoff->pending = positions + 2 * items;
    handoff->slice = positions + 3 * items;
    handoff->acted = (uint16_t *)(positions + 4 * items);
    return handoff;
}

static void part_with(struct handoff_object *object)
{
    struct handoff_object **at = &object->variable->relayed;
    while (*at != object)
        at = &(*at)->next;
    CHECKED((*at)->variable == object->variable);
    *at = object->next;
    free(object->sent);
}

void order_handoff_free(struct order *order, struct group_order *group)
{
    struct handoff *handoff = group->handoff;
    if (!handoff)
        return;
    for (uint32_t i = 0; i < handoff->object_count; i++)
        part_with(&handoff->objects[i]);
    vclock_drop(&order->pool, handoff->first);
    free(handoff->handed);
    free(handoff->sent);
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

static bool may_begin(const struct order *order, const struct group_order *group, const struct endpoint *end,
                      enum memory_ordering how)
{
    return releases(how) && end->scope == SCOPE_WORK_GROUP &&
           (end->flags == REGION_GLOBAL || end->flags == REGION_LOCAL) && order->rule == SCOPE_RULE_EQUAL &&
           !order->formal && !order->wide && !order_remembers(order) && !group->sub_groups &&
           !group->copy_count && has_no_fences(order, group);
}

static void handoff_begin(struct order *order, struct unit_state *unit_state, const struct endpoint *end,
                          enum memory_ordering how)
{
    if (!order_make_item(order, unit_state))
        return;
    struct group_order *group = unit_state->group;
    struct handoff *handoff =
        !group->handoff_tried && may_begin(order, group, end, how) ? handoff_new(order->group_items) : NULL;
    group->handoff_tried = true;
    if (!handoff)
        return;
    order_part_all(order, group);
    handoff->group = group;
    CHECKED(!group->sub_groups && !group->copy_count && group->items); /* may_begin */
    handoff->first_unit = group->number * order->group_items;
    handoff->region = end->flags == REGION_GLOBAL ? IN_GLOBAL : IN_LOCAL;
    for (uint64_t i = 0; i < order->group_items; i++)
        handoff->slice[i] =
            (uint32_t)(group->items[i] ? order_member_slice(group, group->items[i]) : group->slice);
    group->handoff = handoff;
    group->slices = handoff->slice;
}

/* ---- objects ----------------------------------------------------------------------------------- */

/* Messages that stay within other groups. */
static bool are_foreign(const struct release_clock_list *list, uint64_t group)
{
    bool foreign = true;
    for (uint32_t i = 0; i < list->count; i++)
        foreign &= list->items[i].scope <= SCOPE_WORK_GROUP && list->items[i].place.group != group;
    return foreign;
}

struct handoff_object *order_handoff_object(struct order *order, struct handoff *handoff,
                                            const struct atomic_act *act)
{
    struct variable *variable = order_variable(order, act);
    struct handoff_object *object = variable ? handoff_object_of(handoff, variable) : NULL;
    const bool fits = variable && act->size == 4 && variable->size == 4 && act->region == handoff->region &&
                      variable->region == act->region && !act->svm_atomics && !variable->svm_atomics &&
                      !order->wide;
    if (object || !fits || handoff->object_count == HANDOFF_OBJECTS)
        return fits ? object : NULL;
    if (act->region == IN_LOCAL && variable->group != handoff->group->number &&
        (variable->relayed || variable->release_clocks.count))
        return NULL; /* the memory of another group (R38) */
    if (!are_foreign(&variable->release_clocks, handoff->group->number))
        return NULL;
    uint32_t *sent = calloc(order->group_items, sizeof *sent);
    if (!sent)
        return NULL;
    variable->group = handoff->group->number;
    CHECKED(handoff->object_count < HANDOFF_OBJECTS && variable->region == handoff->region);
    object = &handoff->objects[handoff->object_count];
    *object = (struct handoff_object){.variable = variable,
                                      .handoff = handoff,
                                      .next = variable->relayed,
                                      .bit = 1u << handoff->object_count,
                                      .sent = sent};
    variable->relayed = object;
    handoff->object_count++;
    return object;
}

static void member(struct order *order, const struct handoff *handoff, uint64_t local,
                   struct unit_state *out_unit_state)
{
    order_member(order, handoff->group->number, handoff->group, local, out_unit_state);
    order_make_item(order, out_unit_state);
}

/* Messages of other groups reach no member here; a few are kept for explanations. */
static void enter(struct order *order, struct unit_state *unit_state, struct handoff_object *object,
                  uint64_t local)
{
    struct handoff *handoff = object->handoff;
    handoff->acted[local] |= (uint16_t)object->bit;
    if (!object->variable->release_clocks.count ||
        unit_state->item->pending[handoff->region].list.count >= MISSED_KEPT)
        return;
    order_take(order, unit_state, &object->variable->release_clocks, object->variable->stream, 0,
               handoff->region);
    handoff->acted[local] &= (uint16_t)~HANDOFF_MET;
}

void order_handoff_come(struct order *order, struct handoff_object *object, uint64_t local,
                        const struct latest_store *store, const struct atomic_act *act)
{
    struct unit_state unit_state;
    member(order, object->handoff, local, &unit_state);
    if (!unit_state.item)
        return;
    if (!(object->handoff->acted[local] & object->bit))
        enter(order, &unit_state, object, local);
    note_relaxed_store(order, unit_state.item, store, act);
}

/* ---- waiting together -------------------------------------------------------------------------- */

void order_handoff_receive(struct order *order, struct group_order *group, uint64_t local)
{
    CHECKED(group->handoff && group->handoff->awaited && local < WAVE_LANES_MAX);
    struct handoff *handoff = group->handoff;
    group->waiting->reader[local / 64] &= ~(UINT64_C(1) << local % 64);
    handoff_read(order, handoff->awaited, local, handoff->awaited_position, &handoff->awaited_store,
                 &handoff->awaited_act);
}

static void receive_all(struct order *order, struct group_order *group)
{
    for (uint32_t w = 0; group->waiting && w < LANE_MASK_WORDS; w++)
        for (uint64_t rest = group->waiting->reader[w]; rest; rest &= rest - 1)
            order_handoff_receive(order, group, w * 64 + (uint64_t)__builtin_ctzll(rest));
}

static __attribute__((noinline)) bool wait_otherwise(struct order *order, struct group_order *group,
                                                     const struct atomic_act *act,
                                                     const uint64_t reader[LANE_MASK_WORDS])
{
    struct handoff *handoff = group->handoff;
    struct handoff_object *object = order_handoff_object(order, handoff, act);
    if (!object) {
        order_handoff_leave(order, group);
        return order_wait_listed(order, group, act, reader);
    }
    receive_all(order, group);
    handoff->awaited = object;
    handoff->awaited_act = *act;
    return order_handoff_wait(order, group, act, reader);
}

/* The same object, and all that read it before read on. */
static inline bool goes_on(const struct order *order, const struct handoff *handoff,
                           const struct waiting *waiting, const struct atomic_act *act,
                           const uint64_t reader[LANE_MASK_WORDS])
{
    uint64_t left = 0;
    for (uint32_t w = 0; w < order->member_words; w++)
        left |= waiting->reader[w] & ~reader[w];
    return handoff->awaited && handoff->awaited->variable->address == act->address && !left &&
           handoff->awaited_act.site == act->site;
}

bool order_handoff_wait(struct order *order, struct group_order *group, const struct atomic_act *act,
                        const uint64_t reader[LANE_MASK_WORDS])
{
    struct handoff *handoff = group->handoff;
    if (!goes_on(order, handoff, group->waiting, act, reader))
        return wait_otherwise(order, group, act, reader);
    const struct handoff_object *object = handoff->awaited;
    handoff->awaited_position = object->position;
    /* the releasing unit is not queried */
    if (!(object->variable->store.releases && handoff->awaited_store.releases))
        handoff->awaited_store = object->variable->store;
    for (uint32_t w = 0; w < order->member_words; w++)
        group->waiting->reader[w] = reader[w];
    return true;
}

/* ---- one by one -------------------------------------------------------------------------------- */

/* Of the old sequences only its own continues (R8). */
static void restart(struct order *order, struct handoff_object *object, uint64_t local,
                    const struct atomic_act *act)
{
    struct variable *variable = object->variable;
    const struct handoff *handoff = object->handoff;
    order_list_clear(order, &variable->release_clocks);
    variable->version = variable->stream = ++order->versions;
    variable->generation++;
    memset(object->sent, 0, order->group_items * sizeof *object->sent);
    CHECKED(local < order->group_items && handoff->sent[local] <= handoff->count);
    object->position = object->sent[local] = handoff->sent[local];
    variable->store =
        (struct latest_store){act->site, handoff->first_unit + local, order->clock, handoff->sent[local]};
}

bool order_handoff_atomic(struct order *order, struct unit_state *unit_state, const struct atomic_act *act)
{
    struct handoff *handoff = unit_state->group->handoff;
    const uint64_t local = unit_state->unit - handoff->first_unit;
    struct handoff_object *object =
        act->order == ORDER_RELAXED && !unit_state->copy ? order_handoff_object(order, handoff, act) : NULL;
    const bool alone = object && object->variable->relayed == object && !object->next;
    if (!object || !(act->reads || alone) || !order_make_item(order, unit_state)) {
        order_handoff_leave(order, unit_state->group);
        return false;
    }
    if (act->reads)
        handoff_access(order, object, local, act);
    else
        restart(order, object, local, act);
    return true;
}

/* ---- fences ------------------------------------------------------------------------------------ */

/* Everything in `less` is in `more`. */
static bool is_part(struct order *order, struct vclock *less, struct vclock *more)
{
    struct vclock *both = less ? vclock_join(&order->pool, more, less) : NULL;
    const bool part = !less || both == more;
    vclock_drop(&order->pool, both);
    return part;
}

static bool is_held(struct order *order, struct handoff *handoff, const struct unit_state *unit_state,
                    uint64_t local)
{
    if (!(handoff->acted[local] & HANDOFF_HELD) &&
        !is_part(order, unit_state->item->acquired[handoff->region], handoff->first))
        return false;
    handoff->acted[local] |= HANDOFF_HELD;
    return true;
}

static bool has_room(struct order *order, struct handoff *handoff)
{
    if (handoff->count >= HANDOFF_MOST)
        return false;
    while (handoff->count + 1 >= handoff->room)
        if (!order_grow(order, (void **)&handoff->handed, &handoff->room, sizeof *handoff->handed))
            return false;
    return true;
}

static inline bool release_next(struct order *order, struct handoff *handoff, struct unit_state *unit_state,
                                uint64_t local, uint32_t site)
{
    const uint32_t clock = (uint32_t)order_release_clock(order);
    if (handoff->acquired[local] != handoff->count ||
        (handoff->count + 1 >= handoff->room && !has_room(order, handoff)))
        return false;
    if (!handoff->count)
        set(order, &handoff->first, order_publish(order, unit_state, handoff->region, clock));
    if (!(handoff->acted[local] & HANDOFF_HELD) && !is_held(order, handoff, unit_state, local))
        return false;
    if (!handoff->count)
        handoff->handed[0] = (struct handing){0};
    handoff->handed[handoff->count + 1] = handing_next(handoff, local, clock, site);
    handoff->count++;
    handoff->sent[local] = handoff->acquired[local] = handoff->count;
    CHECKED(handoff->count < handoff->room && handoff->count <= HANDOFF_MOST);
    handoff->slice[local] = clock;
    unit_state->item->slice = clock;
    return true;
}

/* Its reads before it reached the hand-off, and of other groups, meet such a fence. */
static __attribute__((noinline)) void meet(struct order *order, struct handoff *handoff,
                                           struct unit_state *unit_state, uint64_t local,
                                           const struct endpoint *end)
{
    order_acquire_pending(order, unit_state, end);
    handoff->acted[local] = (uint16_t)((handoff->acted[local] | HANDOFF_MET) & ~HANDOFF_HELD);
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
    bool holds = end->scope == SCOPE_WORK_GROUP && end->flags == 1u << handoff->region &&
                 order_make_item(order, unit_state);
    if (holds && acquires(how)) {
        if (!(handoff->acted[local] & HANDOFF_MET))
            meet(order, handoff, unit_state, local, end);
        if (handoff->acquired[local] < handoff->pending[local])
            handoff->acquired[local] = handoff->pending[local];
    }
    if (holds && releases(how))
        holds = release_next(order, handoff, unit_state, local, end->site);
    if (holds)
        fast_path_taken(order->fast_paths, FAST_PATH_HANDOFF);
    else
        order_handoff_leave(order, unit_state->group);
    return holds;
}

/* ---- leaving ----------------------------------------------------------------------------------- */

/* The clock value of a member's latest release up to there; 0: none. */
static uint32_t clock_at(const struct handoff *handoff, uint64_t local, uint32_t position)
{
    const uint32_t at = handing_at(handoff, local, position);
    return at ? handoff->handed[at].clock : 0;
}

struct vclock *order_handoff_known(struct order *order, const struct handoff *handoff, uint32_t position)
{
    enum { AT_ONCE = 64 };
    struct vclock *known = position ? vclock_share(handoff->first) : NULL;
    for (uint64_t from = 0; position && from < order->group_items; from += AT_ONCE) {
        uint32_t clock[AT_ONCE];
        uint32_t count = 0;
        for (; count < AT_ONCE && from + count < order->group_items; count++)
            clock[count] = clock_at(handoff, from + count, position);
        set(order, &known, vclock_put_row(&order->pool, known, handoff->first_unit + from, clock, count));
    }
    return known;
}

/* The maps for positions: each is made once. */
struct leaving {
    struct order *order;
    struct handoff *handoff;
    struct release **made;
};

/* Of the unit that released latest. */
static struct release *release_at(struct leaving *leaving, uint32_t position)
{
    struct order *order = leaving->order;
    const struct handoff *handoff = leaving->handoff;
    struct release *release = leaving->made ? leaving->made[position] : NULL;
    if (release)
        return release_share(release);
    release = order_release_new(order, handoff->first_unit + handoff->handed[position].local,
                                handoff->handed[position].site);
    set(order, &release->known[handoff->region], order_handoff_known(order, handoff, position));
    if (leaving->made)
        leaving->made[position] = release_share(release);
    return release;
}

static struct release_clock release_clock_at(struct leaving *leaving, uint32_t position)
{
    const struct handoff *handoff = leaving->handoff;
    struct unit_state unit_state;
    order_member(leaving->order, handoff->group->number, handoff->group, handoff->handed[position].local,
                 &unit_state);
    return (struct release_clock){.scope = SCOPE_WORK_GROUP,
                                  .flags = 1u << handoff->region,
                                  .fence = true,
                                  .place = unit_state.place,
                                  .release = release_at(leaving, position)};
}

static void spell_object(struct leaving *leaving, const struct handoff_object *object)
{
    struct order *order = leaving->order;
    struct variable *variable = object->variable;
    if (!object->position)
        return;
    struct release_clock release_clock = release_clock_at(leaving, object->position);
    variable->version = release_clock.version = ++order->versions;
    order_list_trim(order, &variable->release_clocks);
    order_list_add(order, &variable->release_clocks, &release_clock);
    if (!variable->stream)
        variable->stream = variable->version;
    release_drop(order, release_clock.release);
}

/* Its pending reads remain: another fence may come. */
static void spell_pending(struct leaving *leaving, struct unit_state *unit_state, uint32_t position)
{
    struct pending *pending = &unit_state->item->pending[leaving->handoff->region];
    const struct release_clock release_clock = release_clock_at(leaving, position);
    order_list_add(leaving->order, &pending->list, &release_clock);
    pending->met = false;
    release_drop(leaving->order, release_clock.release);
}

static void spell_member(struct leaving *leaving, uint64_t local)
{
    struct order *order = leaving->order;
    const struct handoff *handoff = leaving->handoff;
    struct unit_state unit_state;
    if (!(handoff->sent[local] | handoff->acquired[local] | handoff->pending[local]))
        return;
    member(order, handoff, local, &unit_state);
    if (!unit_state.item)
        return;
    if (handoff->pending[local])
        spell_pending(leaving, &unit_state, handoff->pending[local]);
    if (handoff->acquired[local]) {
        struct release *release = release_at(leaving, handoff->acquired[local]);
        join_into(order, &unit_state.item->acquired[handoff->region], release->known[handoff->region]);
        release_drop(order, release);
    }
    if (handoff->sent[local]) {
        const struct release_clock release_clock = release_clock_at(leaving, handoff->sent[local]);
        order_list_renew(order, &unit_state.item->fences, &release_clock, 0);
        release_drop(order, release_clock.release);
    }
    for (uint32_t i = 0; i < handoff->object_count; i++) {
        const struct handoff_object *object = &handoff->objects[i];
        if (!object->sent[local])
            continue;
        const struct release_clock release_clock = release_clock_at(leaving, object->sent[local]);
        order_begin_live(order, &unit_state, object->variable, &release_clock);
        release_drop(order, release_clock.release);
    }
    memset(unit_state.item->seen, 0, sizeof unit_state.item->seen);
}

static void leave(struct order *order, struct group_order *group, bool members)
{
    struct handoff *handoff = group->handoff;
    struct leaving leaving = {order, handoff, calloc((size_t)handoff->count + 1, sizeof *leaving.made)};
    receive_all(order, group);
    for (uint32_t i = 0; i < handoff->object_count; i++)
        spell_object(&leaving, &handoff->objects[i]);
    for (uint64_t local = 0; members && local < order->group_items; local++)
        spell_member(&leaving, local);
    for (uint32_t i = 1; leaving.made && i <= handoff->count; i++)
        release_drop(order, leaving.made[i]);
    free(leaving.made);
    order_handoff_free(order, group);
}

void order_handoff_leave(struct order *order, struct group_order *group)
{
    if (group->handoff)
        leave(order, group, true);
}

void order_handoff_leave_object(struct order *order, const struct variable *variable)
{
    while (variable->relayed)
        order_handoff_leave(order, variable->relayed->handoff->group);
}

void order_handoff_leave_all(struct order *order)
{
    for (struct group_order *group = order->groups; group; group = group->next)
        order_handoff_leave(order, group);
}

void order_handoff_end(struct order *order, struct group_order *group)
{
    if (group->handoff)
        leave(order, group, false);
}
