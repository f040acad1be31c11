/* SPDX-License-Identifier: Apache-2.0 */
/* One cell: who conflicts with the access that comes and is not ordered before it, and what the access leaves there. */
#include "shadow_state.h"

/* ---- conflicts ------------------------------------------------------------------------------- */

/* R29: two atomics do not race when they act on one object and include each other. */
static __attribute__((noinline)) bool atomics_agree(const struct visit *visit, uint64_t unit, const struct context *how)
{
    const struct context *now = &visit->now->how;
    if (how->size != now->size && RULE(36))
        return false;
    struct place place = place_of(visit, unit);
    return !RULE(29) || scope_inclusive(visit->shadow->order->rule, (enum memory_scope)how->scope, &place,
                                        (enum memory_scope)now->scope, &visit->now->agent->place);
}

static uint64_t tick_of(const struct visit *visit, uint64_t value)
{
    return stamp_how(visit->region, value)->tick;
}

/* Others than itself. */
static inline bool knows(const struct visit *visit, uint64_t unit, uint64_t tick)
{
    if (__builtin_expect(!visit->by_units || unit >= UNIT_COPIES, 0))
        return order_knows(visit->shadow->order, visit->now->agent, visit->region->space, unit, tick);
    return (tick < visit->base && unit - visit->first < visit->items) ||
           (visit->of_group && knowledge_has(visit->pool, visit->of_group, unit << 2, tick)) ||
           (visit->own && knowledge_has(visit->pool, visit->own, unit << 2, tick));
}

/* As is seen at once: false if a map would have to be made. */
static bool glimpses(const struct visit *visit, uint64_t unit, uint64_t tick)
{
    struct knowledge_pool *pool = order_pool(visit->shadow->order);
    pool->glances = true;
    const bool known = knows(visit, unit, tick);
    pool->glances = false;
    return known;
}

/* R34: within one work-item a fence has to stand between a write to an image and a read, and no order helps a sampler. */
static __attribute__((noinline)) bool misses_image(const struct visit *visit, uint64_t unit, const struct context *how)
{
    if (visit->now->how.kind != ACCESS_READ || !is_write(how->kind) || !RULE(34))
        return false;
    return visit->now->sampled || (unit == visit->now->agent->unit && !order_sees_own_image(visit->now->agent, how->tick));
}

/* By what the order does not hear of. */
static __attribute__((noinline)) bool knows_otherwise(const struct visit *visit, uint64_t unit, uint64_t tick)
{
    const struct doubts *doubts = visit->shadow->doubts;
    const struct doubt doubt = {.space = visit->region->space, .address = visit->address, .earlier = unit, .tick = tick,
                                .later = visit->now->agent->unit, .group_items = visit->shadow->order->group_items};
    return doubts && doubts->settle(doubts->self, &doubt);
}

static inline __attribute__((always_inline)) bool races(const struct visit *visit, uint64_t unit, const struct context *how, bool unseen)
{
    const struct shadow_access *now = visit->now;
    if (!unseen && unit == now->agent->unit && RULE(3))
        return false;
    if (!is_write(how->kind) && !is_write(now->how.kind) && RULE(4))
        return false;
    return unseen || !((is_atomic(how->kind) && is_atomic(now->how.kind) && atomics_agree(visit, unit, how)) || knows(visit, unit, how->tick) ||
                       knows_otherwise(visit, unit, how->tick));
}

/* ---- judging --------------------------------------------------------------------------------- */

/* Of the pair of an earlier place and this one; NULL: there is more to do than to count. */
static inline struct race_tally *tally_of(const struct visit *visit, uint32_t earlier, bool unseen)
{
    const uint32_t later = visit->now->how.site;
    struct race_tally *tally = visit->shadow->tallies[(earlier + later) % TALLIES];
    return tally && tally->settled && tally_is_of(tally, earlier, later, visit->region->space, unseen) ? tally : NULL;
}

static __attribute__((noinline)) void tell(const struct visit *visit, uint64_t unit, const struct context *how, bool unseen)
{
    const struct race race = {visit->region, visit->address, visit->bytes, unit, how, shadow_memory_has(visit, unit, how), unseen};
    visit->shadow->race(visit->shadow->self, &race, visit->now);
}

/* Does it race? What does is told. */
static inline __attribute__((always_inline)) bool judge(const struct visit *visit, uint64_t unit, const struct context *how)
{
    const bool unseen = visit->region->space == IN_IMAGE && misses_image(visit, unit, how);
    if (!races(visit, unit, how, unseen))
        return false;
    struct race_tally *tally = tally_of(visit, how->site, unseen);
    if (!tally) {
        tell(visit, unit, how, unseen);
        return true;
    }
    const struct counted earlier = {unit, context_begin(how, visit->address), how->tick};
    if (visit->now->how.size <= visit->bytes || !tally_has(tally, &earlier, visit->now->agent->unit, *visit->shadow->time))
        tally->count++;
    visit->shadow->met_enough |= tally->count >= visit->shadow->enough;
    return true;
}

/* ---- what raced ------------------------------------------------------------------------------ */

/* NULL: there is no room, or *enough: there are as many like it as are kept. */
static struct racer *racer_room(const struct visit *visit, struct crowd *crowd, uint64_t unit, const struct context *how, bool *enough)
{
    uint32_t alike = 0;
    for (uint32_t i = 0; i < crowd->racer_count; i++) {
        struct racer *racer = &crowd->racers[i];
        /* An exchange may have failed, and a scope is not always the same. */
        const bool same = racer->how.site == how->site && racer->how.kind == how->kind && racer->how.scope == how->scope;
        if (same && racer->unit == unit)
            return racer;
        alike += same;
    }
    *enough = alike >= RACERS_OF_A_SITE;
    if (*enough || crowd->racer_count == RACERS_MOST || !shadow_racers_make(visit->region, crowd))
        return NULL;
    crowd->racers[crowd->racer_count] = (struct racer){unit, *how};
    return &crowd->racers[crowd->racer_count++];
}

/* What leaves its place in the cell though it races. A few of each place of the program stay, in a limited number of cells.
 * crowd: the cell's, which may be made; NULL: it has none. */
static void keep_racer(const struct visit *visit, struct crowd **crowd, uint64_t *cell, uint64_t unit, const struct context *earlier)
{
    const struct context own = *earlier, *how = &own; /* where it stands may move when a crowd is made */
    bool enough = false;
    if (!*crowd && visit->region->racer_cells >= RACER_CELLS_MOST) {
        shadow_drop(visit, unit, how);
        visit->region->lacking = true;
        return;
    }
    if (!*crowd)
        *crowd = shadow_crowd_make(visit, cell);
    struct racer *racer = *crowd ? racer_room(visit, *crowd, unit, how, &enough) : NULL;
    visit->shadow->failed |= !*crowd;
    if (!racer) {
        shadow_drop(visit, unit, how);
        visit->region->lacking |= !enough;
        return;
    }
    if (racer->how.tick < how->tick) /* who knows of the later of two turns knows of both */
        *racer = (struct racer){unit, *how};
    (*crowd)->epoch = ++visit->region->epochs;
}

/* Those that a plain write is ordered behind are done with: who races with them races with it. */
static void judge_racers(const struct visit *visit, struct crowd *crowd)
{
    const bool write = visit->now->how.kind == ACCESS_WRITE;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < crowd->racer_count; i++) {
        const struct racer *racer = &crowd->racers[i];
        if (!judge(visit, racer->unit, &racer->how) && write)
            continue;
        if (kept++ != i)
            crowd->racers[kept - 1] = *racer;
    }
    crowd->racer_count = kept;
}

/* Members that race are among the racers from then on. */
static void judge_members(const struct visit *visit, uint64_t *cell, struct crowd *crowd, struct members *members)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < members->count; i++) {
        struct member *member = &members->items[i];
        for (uint64_t bits = member->mask; bits; bits &= bits - 1) {
            const uint32_t at = (uint32_t)__builtin_ctzll(bits);
            const struct context how = member_how(member, at);
            const uint64_t unit = member_unit(member, at);
            if (!judge(visit, unit, &how))
                continue;
            keep_racer(visit, &crowd, cell, unit, &how);
            member->mask &= ~(UINT64_C(1) << at);
        }
        if (member->mask)
            member_swap(&members->items[kept++], member);
    }
    members->count = kept;
}

static void judge_lone(const struct visit *visit, uint64_t *cell, struct crowd *crowd)
{
    struct lone *lone = &crowd->lone;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < lone->count; i++) {
        const struct context how = *stamp_how(visit->region, lone->stamps[i]);
        if (judge(visit, stamp_unit(lone->stamps[i]), &how))
            keep_racer(visit, &crowd, cell, stamp_unit(lone->stamps[i]), &how);
        else
            lone->stamps[kept++] = lone->stamps[i];
    }
    lone->count = kept;
}

/* Before those that it took the place of: what it wrote memory still has. */
static inline bool judge_write(const struct visit *visit, const uint64_t *cell)
{
    return live(visit->region, cell[0]) && judge(visit, stamp_unit(cell[0]), stamp_how(visit->region, cell[0]));
}

/* Atomic accesses that have the cell to themselves, but for a plain write: one, or a set of a few. */
static bool is_of_atomics(const struct shadow_region *region, uint64_t value)
{
    struct reader_walk walk = readers_walk(value);
    if (live(region, value))
        return is_atomic(context_at(region, stamp_context(value))->kind);
    return region->few && readers_next(&region->readers, &walk) && is_atomic(context_at(region, walk.context)->kind);
}

static bool set_races(const struct visit *visit, uint64_t value)
{
    const struct shadow_region *region = visit->region;
    struct reader_walk walk = readers_walk(value);
    while (readers_next(&region->readers, &walk))
        for (uint64_t bits = walk.mask; bits; bits &= bits - 1)
            if (races(visit, walk_unit(&walk, stamp_unit(value)) + (uint32_t)__builtin_ctzll(bits), context_at(region, walk.context), false))
                return true;
    return false;
}

static inline void judge_readers(const struct visit *visit, struct crowd **crowd, uint64_t *cell)
{
    if (!*crowd && is_reader_set(stamp_context(cell[1])) && set_races(visit, cell[1])) { /* a list tells which */
        *crowd = shadow_crowd_make(visit, cell);
        visit->shadow->failed |= !*crowd;
    }
    const uint64_t reader = cell[1];
    visit->region->bygone |= !*crowd && is_of_atomics(visit->region, reader);
    if (*crowd) {
        judge_members(visit, cell, *crowd, &(*crowd)->readers);
    } else if (live(visit->region, reader)) {
        const struct context *how = stamp_how(visit->region, reader);
        if (!judge(visit, stamp_unit(reader), how))
            return;
        cell[1] = 0;
        keep_racer(visit, crowd, cell, stamp_unit(reader), how);
    }
}

/* ---- atomics --------------------------------------------------------------------------------- */

static void judge_atomics(const struct visit *visit, uint64_t *cell, struct crowd *crowd)
{
    const struct context *now = &visit->now->how;
    if (!has_atomics(crowd) || (is_atomic(now->kind) && joins_alike(visit->now, crowd)))
        return;
    if (!crowd->any_write && !is_write(now->kind))
        return;
    judge_lone(visit, cell, crowd);
    judge_members(visit, cell, crowd, &crowd->atomics);
}

/* Whoever races with one that this one follows races with this one, and gets the same told: of one place of the program, one
 * manner, and scopes that include each other, whoever's they are. Cells of words have one object each. */
static bool replaces_alike(const struct visit *visit) { return (visit->now->follows || visit->now->follows_all) && visit->bytes == 1u << WORD_SHIFT; }

static bool add_atomic(const struct visit *visit, struct crowd *crowd)
{
    if (replaces_alike(visit))
        shadow_leave_alike(visit->shadow, &crowd->atomics, visit->now);
    if (!has_atomics(crowd))
        begin_alike(crowd, &visit->now->how, &visit->now->agent->place);
    crowd->alike = joins_alike(visit->now, crowd);
    if (!crowd->alike)
        crowd->epoch = ++visit->region->epochs;
    return add_alike(crowd, visit->now->agent->unit, &visit->now->how, visit->now->quiet);
}

/* The first of a cell that nobody reads needs no list. */
static bool is_first(const struct visit *visit, const uint64_t *cell)
{
    const struct shadow_region *region = visit->region;
    return !live(region, cell[1]) && !is_set(region, cell[1]) && !crowd_of(region, visit->address, cell);
}

static bool put_lone(const struct visit *visit, uint64_t *cell)
{
    const uint32_t context = shadow_context_of(visit->region, &visit->now->how);
    if (context)
        cell[1] = stamp(visit->now->agent->unit, context);
    way_taken(visit->shadow->order->ways, WAY_LONE);
    return context;
}

/* ---- a few atomics --------------------------------------------------------------------------- */

/* Of many cells, lists would take more room than they save time. At most two stay when an update takes the place of those like it. */
enum { FEW = 3, FEW_OF_MANY = 24, LISTS_MANY = HOSTILE(4096, 8), STAY = 3 };

static uint32_t few_most(const struct shadow_region *region)
{
    return region->crowd_used < LISTS_MANY ? FEW : FEW_OF_MANY;
}


/* One more of them. agrees: with all of them so far, which agree with each other. */
struct few { uint32_t count; bool agrees, stands, again; };

static void meet_one(const struct visit *visit, uint64_t unit, const struct context *how, struct few *few)
{
    const struct context *now = &visit->now->how;
    const struct place place = place_of(visit, unit);
    const bool same = unit == visit->now->agent->unit && sort_of(how) == sort_of(now);
    few->count++;
    few->agrees &= how->size == now->size && how->scope == now->scope &&
                   scope_inclusive(SCOPE_RULE_EQUAL, (enum memory_scope)how->scope, &place, (enum memory_scope)now->scope, &visit->now->agent->place);
    few->stands |= same && how->tick == now->tick && how->site == now->site && how->order == now->order;
    few->again |= same;
}

/* The latest first. */
static struct few meet_few(const struct visit *visit, uint64_t value)
{
    const struct shadow_region *region = visit->region;
    struct few few = {.agrees = true};
    struct reader_walk walk = readers_walk(value);
    if (live(region, value))
        meet_one(visit, stamp_unit(value), context_at(region, stamp_context(value)), &few);
    while (few.count <= few_most(region) && readers_next(&region->readers, &walk))
        for (uint64_t bits = walk.mask; bits; bits &= bits - 1)
            meet_one(visit, walk_unit(&walk, stamp_unit(value)) + (uint32_t)__builtin_ctzll(bits), context_at(region, walk.context), &few);
    return few;
}

/* Those that are asked about, one by one. */
enum { FOLLOWED_MOST = HOSTILE(8, 2) };

static bool is_followed(const struct visit *visit, uint64_t unit, uint64_t tick)
{
    return unit == visit->now->agent->unit || glimpses(visit, unit, tick);
}

static bool follows_members(const struct visit *visit, const struct members *members)
{
    uint32_t left = FOLLOWED_MOST;
    for (uint32_t i = members->count; i-- > 0;)
        for (uint64_t bits = members->items[i].mask; bits; bits &= bits - 1) {
            const uint32_t at = (uint32_t)__builtin_ctzll(bits);
            if (!left-- || !is_followed(visit, member_unit(&members->items[i], at), member_tick(&members->items[i], at)))
                return false;
        }
    return true;
}

static bool follows_set(const struct visit *visit, uint64_t value)
{
    const struct shadow_region *region = visit->region;
    struct reader_walk walk = readers_walk(value);
    uint32_t left = FOLLOWED_MOST;
    if (live(region, value))
        return is_followed(visit, stamp_unit(value), tick_of(visit, value));
    while (readers_next(&region->readers, &walk))
        for (uint64_t bits = walk.mask; bits; bits &= bits - 1)
            if (!left-- || !is_followed(visit, walk_unit(&walk, stamp_unit(value)) + (uint32_t)__builtin_ctzll(bits), context_at(region, walk.context)->tick))
                return false;
    return true;
}

bool shadow_follows_all(const struct visit *visit, const uint64_t *cell)
{
    const struct crowd *crowd = crowd_of(visit->region, visit->address, cell);
    if (crowd)
        return crowd->alike && !crowd->lone.count && crowd->atomics.count <= FOLLOWED_MOST && joins_alike(visit->now, crowd) && follows_members(visit, &crowd->atomics);
    return is_of_atomics(visit->region, cell[1]) && meet_few(visit, cell[1]).agrees && follows_set(visit, cell[1]);
}

/* Those of the set that are not like it, the latest first. */
struct kept { uint32_t count, left; uint64_t unit[STAY]; uint32_t context[STAY]; };

static struct kept keep_others(const struct visit *visit, uint64_t value)
{
    const struct shadow_region *region = visit->region;
    struct kept kept = {.count = 0};
    struct reader_walk walk = readers_walk(value);
    while (readers_next(&region->readers, &walk)) {
        const bool goes = stands_for(visit->now, context_at(region, walk.context));
        for (uint64_t bits = walk.mask; bits; bits &= bits - 1) {
            kept.left += goes;
            if (goes || kept.count == STAY)
                continue;
            kept.unit[kept.count] = walk_unit(&walk, stamp_unit(value)) + (uint32_t)__builtin_ctzll(bits);
            kept.context[kept.count++] = walk.context;
        }
    }
    return kept;
}

/* Those like it go: at most two stay. */
static void leave_alike_few(const struct visit *visit, uint64_t *cell)
{
    struct shadow_region *region = visit->region;
    if (live(region, cell[1])) {
        if (!stands_for(visit->now, stamp_how(region, cell[1])))
            return;
        cell[1] = 0;
    } else {
        const struct kept kept = keep_others(visit, cell[1]);
        if (!kept.left || kept.count == STAY || !shadow_set_room(region))
            return;
        readers_close(&region->readers); /* what the cell has may have to stay */
        const uint64_t value = cell[1];
        cell[1] = kept.count ? stamp(kept.unit[kept.count - 1], kept.context[kept.count - 1]) : 0;
        if (kept.count == 2 && !readers_add(&region->readers, &cell[1], !visit->passing, kept.unit[0], kept.context[0])) {
            cell[1] = value;
            return;
        }
    }
    way_taken(visit->shadow->order->ways, WAY_FOLLOWED);
}

/* True: it stands among those that the cell has, and races with none of them. False: a list has to take them. */
static bool add_to_few(const struct visit *visit, uint64_t *cell)
{
    struct shadow_region *region = visit->region;
    if (!is_of_atomics(region, cell[1]))
        return false;
    const struct few few = meet_few(visit, cell[1]);
    if (few.agrees && few.stands) {
        way_taken(visit->shadow->order->ways, WAY_REPEATED);
        return true;
    }
    if (!few.agrees || few.again || few.count >= few_most(region) || !shadow_set_room(region))
        return false;
    const uint32_t context = shadow_context_of(region, &visit->now->how);
    if (!context || !readers_add(&region->readers, &cell[1], !visit->passing, visit->now->agent->unit, context))
        return false;
    region->few = true;
    way_taken(visit->shadow->order->ways, WAY_FEW);
    return true;
}

/* ---- plain accesses -------------------------------------------------------------------------- */

static void plain_write(const struct visit *visit, uint64_t *cell)
{
    const uint64_t own = stamp(visit->now->agent->unit, visit->context);
    struct crowd *crowd = crowd_of(visit->region, visit->address, cell);
    const bool write_races = judge_write(visit, cell);
    if (crowd && crowd->racer_count)
        judge_racers(visit, crowd);
    if (write_races)
        keep_racer(visit, &crowd, cell, stamp_unit(cell[0]), stamp_how(visit->region, cell[0]));
    judge_readers(visit, &crowd, cell);
    if (crowd) {
        judge_atomics(visit, cell, crowd);
        crowd->readers.count = crowd->atomics.count = crowd->lone.count = 0;
        crowd->epoch = ++visit->region->epochs;
    } else {
        cell[1] = 0;
    }
    if (visit->region->atomic && (!crowd || crowd->heard))
        order_overwrite(visit->shadow->order, visit->now->agent, visit->address, visit->bytes, visit->now->how.site);
    cell[0] = own;
    if (crowd && visit->shadow->met_enough)
        shadow_settle(visit, crowd, cell);
}

/* Of a cell that has readers, and no list. */
static bool add_reader(const struct visit *visit, uint64_t *cell, bool late)
{
    if (shadow_set_room(visit->region) && readers_add(&visit->region->readers, &cell[1], !visit->passing, visit->now->agent->unit, visit->context)) {
        way_taken(visit->shadow->order->ways, WAY_SHARED);
        return true;
    }
    struct crowd *crowd = shadow_crowd_make(visit, cell);
    return crowd && reader_add(crowd, visit->now->agent->unit, &visit->now->how, late);
}

/* A single reader that this one knows, or that is itself, need not be kept (R21: who knows this one knows that), but may be. */
static bool replaces(const struct visit *visit, uint64_t reader)
{
    return !live(visit->region, reader) || stamp_unit(reader) == visit->now->agent->unit ||
           glimpses(visit, stamp_unit(reader), tick_of(visit, reader));
}

static bool plain_read(const struct visit *visit, uint64_t *cell)
{
    const bool lone = is_of_atomics(visit->region, cell[1]);
    struct crowd *crowd = lone ? shadow_crowd_make(visit, cell) : crowd_of(visit->region, visit->address, cell);
    if (lone && !crowd)
        return false;
    judge_write(visit, cell);
    if (crowd && crowd->racer_count)
        judge_racers(visit, crowd);
    if (!RULE(4))
        judge_readers(visit, &crowd, cell);
    if (crowd) {
        judge_atomics(visit, cell, crowd);
        crowd->epoch = ++visit->region->epochs;
        const bool added = reader_add(crowd, visit->now->agent->unit, &visit->now->how, false);
        if (visit->shadow->met_enough)
            shadow_settle(visit, crowd, cell);
        return added;
    }
    if (is_set(visit->region, cell[1]) || !replaces(visit, cell[1]))
        return add_reader(visit, cell, false);
    cell[1] = stamp(visit->now->agent->unit, visit->context);
    return true;
}

/* ---- what comes ------------------------------------------------------------------------------ */

/* In one slice what stands behind in the code mostly does: the journal has the accesses in no order. */
static bool comes_later(const struct context *now, const struct context *earlier)
{
    return now->tick > earlier->tick || (now->tick == earlier->tick && now->site >= earlier->site);
}

/* From the journal: nothing races, the newer of one unit's deeds stays, and reads are kept beside later writes. */
static bool quiet(const struct visit *visit, uint64_t *cell)
{
    const uint64_t unit = visit->now->agent->unit, own = stamp(unit, visit->context);
    if (is_atomic(visit->now->how.kind) && is_first(visit, cell))
        return put_lone(visit, cell);
    if (is_atomic(visit->now->how.kind) && add_to_few(visit, cell))
        return true;
    if (is_atomic(visit->now->how.kind)) {
        struct crowd *among = shadow_crowd_make(visit, cell);
        return among && add_atomic(visit, among);
    }
    bool write = is_write(visit->now->how.kind);
    uint64_t *slot = &cell[write ? 0 : 1];
    const bool lone = !write && is_of_atomics(visit->region, cell[1]);
    struct crowd *crowd = lone ? shadow_crowd_make(visit, cell) : crowd_of(visit->region, visit->address, cell);
    if (crowd)
        crowd->settled.epoch = 0;
    if (lone || (crowd && !write))
        return crowd && reader_add(crowd, unit, &visit->now->how, true);
    if (write || !(is_set(visit->region, *slot) || (live(visit->region, *slot) && stamp_unit(*slot) != unit))) {
        if (!live(visit->region, *slot) || comes_later(&visit->now->how, stamp_how(visit->region, *slot)))
            *slot = own;
        return true;
    }
    return add_reader(visit, cell, true);
}

/* Whoever wrote did so before a barrier of the whole group, nobody reads, and the atomics include the whole group. */
static void calm_down(const struct visit *visit, struct crowd *crowd, const uint64_t *cell)
{
    const struct agent *agent = visit->now->agent;
    uint64_t base = agent->group ? agent->group->base[visit->region->space] : 0;
    bool settled = !live(visit->region, cell[0]) ||
                   (order_unit_group(visit->shadow->order, stamp_unit(cell[0])) == agent->place.group &&
                    stamp_unit(cell[0]) < UNIT_COPIES && tick_of(visit, cell[0]) < base);
    if (!settled || !crowd->alike || crowd->scope < SCOPE_WORK_GROUP || crowd->readers.count || crowd->racer_count || agent->unit >= UNIT_COPIES)
        return;
    crowd->calm_epoch = crowd->epoch;
    crowd->calm_group = agent->place.group;
}

static bool atomic(const struct visit *visit, uint64_t *cell)
{
    struct crowd *crowd = NULL;
    if (replaces_alike(visit) && is_of_atomics(visit->region, cell[1]))
        leave_alike_few(visit, cell);
    if (is_first(visit, cell)) {
        judge_write(visit, cell);
        return put_lone(visit, cell);
    }
    if (add_to_few(visit, cell)) {
        judge_write(visit, cell);
        return true;
    }
    crowd = shadow_crowd_make(visit, cell);
    if (!crowd)
        return false;
    judge_write(visit, cell);
    judge_racers(visit, crowd);
    if (is_write(visit->now->how.kind))
        judge_members(visit, cell, crowd, &crowd->readers);
    judge_atomics(visit, cell, crowd);
    if (!add_atomic(visit, crowd))
        return false;
    calm_down(visit, crowd, cell);
    return true;
}

bool shadow_visit_cell(const struct visit *visit, uint64_t *cell)
{
    const uint8_t kind = visit->now->how.kind;
    bool kept = true;
    if (visit->now->quiet)
        return quiet(visit, cell);
    if (is_atomic(kind))
        kept = atomic(visit, cell);
    else if (!is_write(kind))
        kept = plain_read(visit, cell);
    else
        plain_write(visit, cell);
    if (__builtin_expect(visit->region->dropped != NULL, 0))
        shadow_meet_dropped(visit);
    return kept;
}
