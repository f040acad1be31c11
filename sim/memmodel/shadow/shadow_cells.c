/* SPDX-License-Identifier: Apache-2.0 */
/* One cell: the accesses that conflict with a new one and are not ordered before it, and the new one's place
 * in the cell. */
#include "shadow_state.h"
#include "orrery/checked.h"

/* ---- conflicts ------------------------------------------------------------------------------- */

/* R29: two atomics do not race when they act on one object and include each other. */
static __attribute__((noinline)) bool atomics_agree(const struct visit *visit, uint64_t unit,
                                                    const struct context *how)
{
    const struct context *now = &visit->now->how;
    if (how->size != now->size && RULE(36))
        return false;
    struct place place = place_of(visit, unit);
    return !RULE(29) || scope_inclusive(visit->shadow->order->rule, (enum memory_scope)how->scope, &place,
                                        (enum memory_scope)now->scope, &visit->now->unit_state->place);
}

static uint64_t clock_of(const struct visit *visit, uint64_t value)
{
    CHECKED(live(visit->region, value));
    return epoch_how(visit->region, value)->clock;
}

/* Others than itself. */
static inline bool happens_before(const struct visit *visit, uint64_t unit, uint64_t clock)
{
    if (__builtin_expect(!visit->by_units || unit >= UNIT_COPIES, 0))
        return order_has(visit->shadow->order, visit->now->unit_state, visit->region->space, unit, clock);
    return (clock < visit->base && unit - visit->first < visit->items) ||
           (visit->of_group && vclock_has(visit->pool, visit->of_group, unit << 2, clock)) ||
           (visit->own && vclock_has(visit->pool, visit->own, unit << 2, clock));
}

/* As is seen at once: false if a map would have to be made. */
static bool happens_before_without_map(const struct visit *visit, uint64_t unit, uint64_t clock)
{
    struct vclock_pool *pool = order_pool(visit->shadow->order);
    pool->glances = true;
    const bool known = happens_before(visit, unit, clock);
    pool->glances = false;
    return known;
}

/* R34: within one work-item a fence has to stand between a write to an image and a read, and no order
 * helps a sampler. */
static __attribute__((noinline)) bool misses_image(const struct visit *visit, uint64_t unit,
                                                   const struct context *how)
{
    if (visit->now->how.kind != ACCESS_READ || !is_write(how->kind) || !RULE(34))
        return false;
    return visit->now->sampled || (unit == visit->now->unit_state->unit &&
                                   !order_sees_own_image(visit->now->unit_state, how->clock));
}

/* By operations that the order does not receive. */
static __attribute__((noinline)) bool is_ordered_by_others(const struct visit *visit, uint64_t unit,
                                                           uint64_t clock)
{
    const struct order_queries *order_queries = visit->shadow->order_queries;
    const struct order_query query = {.space = visit->region->space,
                                      .address = visit->address,
                                      .earlier = unit,
                                      .clock = clock,
                                      .later = visit->now->unit_state->unit,
                                      .group_items = visit->shadow->order->group_items};
    return order_queries && order_queries->is_ordered(order_queries->self, &query);
}

static inline __attribute__((always_inline)) bool races(const struct visit *visit, uint64_t unit,
                                                        const struct context *how, bool device_dirty)
{
    const struct shadow_access *now = visit->now;
    if (!device_dirty && unit == now->unit_state->unit && RULE(3))
        return false;
    if (!is_write(how->kind) && !is_write(now->how.kind) && RULE(4))
        return false;
    return device_dirty ||
           !((is_atomic(how->kind) && is_atomic(now->how.kind) && atomics_agree(visit, unit, how)) ||
             happens_before(visit, unit, how->clock) || is_ordered_by_others(visit, unit, how->clock));
}

/* ---- judging --------------------------------------------------------------------------------- */

/* Of the pair of an earlier place and this one; NULL: there is more to do than to count. */
static inline struct race_counter *counter_of(const struct visit *visit, uint32_t earlier, bool device_dirty)
{
    const uint32_t later = visit->now->how.site;
    struct race_counter *counter = visit->shadow->counters[counter_slot(earlier, later)];
    return counter && counter->saturated && counter->count < counter->look &&
                   counter_is_of(counter, earlier, later, visit->region->space, device_dirty)
               ? counter
               : NULL;
}

static __attribute__((noinline)) void announce_race(const struct visit *visit, uint64_t unit,
                                                    const struct context *how, bool device_dirty)
{
    CHECKED(is_write(how->kind) || is_write(visit->now->how.kind) || !RULE(4));
    CHECKED(visit->address >= visit->region->low && visit->address < visit->region->high);
    const struct race race = {
        visit->region, visit->address, visit->bytes, unit, how, shadow_memory_has(visit, unit, how),
        device_dirty};
    visit->shadow->work.reported++;
    visit->shadow->race(visit->shadow->self, &race, visit->now);
}

/* Does it race? What does is reported. */
static inline __attribute__((always_inline)) bool judge(const struct visit *visit, uint64_t unit,
                                                        const struct context *how)
{
    const bool device_dirty = visit->region->space == IN_IMAGE && misses_image(visit, unit, how);
    visit->shadow->work.compared++;
    if (!races(visit, unit, how, device_dirty))
        return false;
    struct race_counter *counter = counter_of(visit, how->site, device_dirty);
    if (!counter) {
        announce_race(visit, unit, how, device_dirty);
        return true;
    }
    const struct counted earlier = {unit, context_begin(how, visit->address), how->clock};
    if (visit->now->how.size <= visit->bytes ||
        !counter_has(counter, &earlier, visit->now->unit_state->unit, *visit->shadow->time))
        counter->count++;
    visit->shadow->met_saturated |= counter->count >= visit->shadow->enough;
    return true;
}

/* ---- what raced ------------------------------------------------------------------------------ */

/* NULL: there is no memory, or *enough: there are as many like it as are kept. */
static struct racer *racer_room(const struct visit *visit, struct access_set *access_set, uint64_t unit,
                                const struct context *how, bool *enough)
{
    uint32_t alike = 0;
    for (uint32_t i = 0; i < access_set->racer_count; i++) {
        struct racer *racer = &access_set->racers[i];
        /* An exchange may have failed, and a scope is not always the same. */
        const bool same =
            racer->how.site == how->site && racer->how.kind == how->kind && racer->how.scope == how->scope;
        if (same && racer->unit == unit)
            return racer;
        alike += same;
    }
    *enough = alike >= RACERS_OF_A_SITE;
    if (*enough || access_set->racer_count == RACERS_MOST || !shadow_racers_make(visit->region, access_set))
        return NULL;
    access_set->racers[access_set->racer_count] = (struct racer){unit, *how};
    CHECKED(access_set->racer_count < RACERS_MOST);
    return &access_set->racers[access_set->racer_count++];
}

/* An access that leaves its place in the cell though it races. A few of each place of the program stay, in a
 * limited number of cells. access set: the cell's, which may be made; NULL: it has none. */
static void keep_racer(const struct visit *visit, struct access_set **access_set, uint64_t *cell,
                       uint64_t unit, const struct context *earlier)
{
    const struct context own = *earlier, *how = &own; /* where it stands may move when a access set is made */
    bool enough = false;
    if (!*access_set && visit->region->racer_cells >= RACER_CELLS_MOST) {
        shadow_drop(visit, unit, how);
        visit->region->incomplete = true;
        return;
    }
    if (!*access_set)
        *access_set = shadow_access_set_make(visit, cell);
    struct racer *racer = *access_set ? racer_room(visit, *access_set, unit, how, &enough) : NULL;
    visit->shadow->failed |= !*access_set;
    if (!racer) {
        shadow_drop(visit, unit, how);
        visit->region->incomplete |= !enough;
        return;
    }
    if (racer->how.clock < how->clock) /* an access after the later of two writes is after both */
        *racer = (struct racer){unit, *how};
    (*access_set)->clock_version = ++visit->region->versions;
}

/* Not to be looked at: their sites are saturated, and this is not the sampled one. */
static inline bool is_skipped(const struct visit *visit, uint32_t earlier)
{
    struct race_counter *counter = counter_of(visit, earlier, false);
    if (!counter || counter->count < visit->shadow->enough || visit->region->space == IN_IMAGE)
        return false;
    counter->uncounted = visit->shadow->met_saturated = true;
    return ++counter->skipped % SATURATED_SAMPLE;
}

/* Those that a plain write is ordered after are done with: what races with them races with it. One that is
 * skipped stays: whatever is unordered with it later races with it, be the write between them or not. */
static void judge_racers(const struct visit *visit, struct access_set *access_set)
{
    const bool write = visit->now->how.kind == ACCESS_WRITE;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < access_set->racer_count; i++) {
        const struct racer *racer = &access_set->racers[i];
        if (!is_skipped(visit, racer->how.site) && !judge(visit, racer->unit, &racer->how) && write)
            continue;
        if (kept++ != i)
            access_set->racers[kept - 1] = *racer;
    }
    CHECKED(kept <= access_set->racer_count);
    access_set->racer_count = kept;
}

/* Members that race are among the racers from then on. */
static void judge_members(const struct visit *visit, uint64_t *cell, struct access_set *access_set,
                          struct members *members)
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
            keep_racer(visit, &access_set, cell, unit, &how);
            member->mask &= ~(UINT64_C(1) << at);
        }
        if (member->mask)
            member_swap(&members->items[kept++], member);
    }
    members->count = kept;
}

/* Before those that it took the place of: what it wrote memory still has. */
static inline bool judge_write(const struct visit *visit, const uint64_t *cell)
{
    return live(visit->region, cell[0]) &&
           judge(visit, epoch_unit(cell[0]), epoch_how(visit->region, cell[0]));
}

/* Atomic accesses that have the cell to themselves, but for a plain write: one, or a set of a few. */
static bool is_of_atomics(const struct shadow_region *region, uint64_t value)
{
    struct reader_walk walk = readers_walk(&region->readers, value);
    if (live(region, value))
        return is_atomic(context_at(region, epoch_context(value))->kind);
    return region->few && readers_next(&region->readers, &walk) &&
           is_atomic(context_at(region, walk.context)->kind);
}

static bool set_races(const struct visit *visit, uint64_t value)
{
    const struct shadow_region *region = visit->region;
    struct reader_walk walk = readers_walk(&region->readers, value);
    while (readers_next(&region->readers, &walk))
        for (uint64_t bits = walk.mask; bits; bits &= bits - 1)
            if (races(visit, walk.unit + (uint32_t)__builtin_ctzll(bits), context_at(region, walk.context),
                      false))
                return true;
    return false;
}

static inline void judge_readers(const struct visit *visit, struct access_set **access_set, uint64_t *cell)
{
    /* a list decides which */
    if (!*access_set && is_set(visit->region, cell[1]) && set_races(visit, cell[1])) {
        *access_set = shadow_access_set_make(visit, cell);
        visit->shadow->failed |= !*access_set;
    }
    const uint64_t reader = cell[1];
    visit->region->atomics_overwritten |= !*access_set && is_of_atomics(visit->region, reader);
    if (*access_set) {
        judge_members(visit, cell, *access_set, &(*access_set)->readers);
    } else if (live(visit->region, reader)) {
        const struct context *how = epoch_how(visit->region, reader);
        if (!judge(visit, epoch_unit(reader), how))
            return;
        cell[1] = 0;
        keep_racer(visit, access_set, cell, epoch_unit(reader), how);
    }
}

/* ---- atomics --------------------------------------------------------------------------------- */

static void judge_atomics(const struct visit *visit, uint64_t *cell, struct access_set *access_set)
{
    const struct context *now = &visit->now->how;
    if (!has_atomics(access_set) || (is_atomic(now->kind) && joins_alike(visit->now, access_set)))
        return;
    if (!access_set->any_write && !is_write(now->kind))
        return;
    judge_members(visit, cell, access_set, &access_set->atomics);
}

/* An access that races with one that this one follows races with this one, and gets the same report: of one
 * place of the program, one manner, and scopes that include each other, of any unit. Cells of words have one
 * object each. */
static bool replaces_alike(const struct visit *visit)
{
    return (visit->now->follows || visit->now->follows_all) && visit->bytes == 1u << WORD_SHIFT;
}

static bool add_atomic(const struct visit *visit, struct access_set *access_set)
{
    CHECKED(is_atomic(visit->now->how.kind));
    if (replaces_alike(visit))
        shadow_leave_alike(visit->shadow, &access_set->atomics, visit->now);
    if (!has_atomics(access_set))
        begin_alike(access_set, &visit->now->how, &visit->now->unit_state->place);
    access_set->alike = joins_alike(visit->now, access_set);
    if (!access_set->alike)
        access_set->clock_version = ++visit->region->versions;
    return add_alike(access_set, visit->now->unit_state->unit, &visit->now->how, visit->now->quiet);
}

/* The first of a cell without readers needs no list. */
static bool is_first(const struct visit *visit, const uint64_t *cell)
{
    const struct shadow_region *region = visit->region;
    return !live(region, cell[1]) && !is_set(region, cell[1]) && !access_set_of(region, visit->address, cell);
}

static bool put_single(const struct visit *visit, uint64_t *cell)
{
    CHECKED(is_atomic(visit->now->how.kind) && is_first(visit, cell));
    const uint32_t context = shadow_context_of(visit->region, &visit->now->how);
    if (context)
        cell[1] = epoch(visit->now->unit_state->unit, context);
    fast_path_taken(visit->shadow->order->fast_paths, FAST_PATH_SINGLE);
    return context;
}

/* ---- a few atomics --------------------------------------------------------------------------- */

/* Of many cells, lists would take more room than they save time. At most two stay when an update takes the
 * place of those like it. */
enum { FEW = 3, FEW_OF_MANY = 24, LISTS_MANY = HOSTILE(4096, 8), STAY = 3 };

static uint32_t few_most(const struct shadow_region *region)
{
    return region->access_set_used < LISTS_MANY ? FEW : FEW_OF_MANY;
}

/* One more of them. agrees: with all of them so far, which agree with each other. */
struct few {
    uint32_t count;
    bool agrees, stands, again;
};

static void meet_one(const struct visit *visit, uint64_t unit, const struct context *how, struct few *few)
{
    const struct context *now = &visit->now->how;
    const struct place place = place_of(visit, unit);
    const bool same = unit == visit->now->unit_state->unit && sort_of(how) == sort_of(now);
    few->count++;
    few->agrees &= how->size == now->size && how->scope == now->scope &&
                   scope_inclusive(SCOPE_RULE_EQUAL, (enum memory_scope)how->scope, &place,
                                   (enum memory_scope)now->scope, &visit->now->unit_state->place);
    few->stands |= same && how->clock == now->clock && how->site == now->site && how->order == now->order;
    few->again |= same;
}

/* The latest first. */
static struct few meet_few(const struct visit *visit, uint64_t value)
{
    const struct shadow_region *region = visit->region;
    struct few few = {.agrees = true};
    struct reader_walk walk = readers_walk(&region->readers, value);
    if (live(region, value))
        meet_one(visit, epoch_unit(value), context_at(region, epoch_context(value)), &few);
    while (few.count <= few_most(region) && readers_next(&region->readers, &walk))
        for (uint64_t bits = walk.mask; bits; bits &= bits - 1)
            meet_one(visit, walk.unit + (uint32_t)__builtin_ctzll(bits), context_at(region, walk.context),
                     &few);
    return few;
}

/* The queried ones, one by one. */
enum { FOLLOWED_MOST = HOSTILE(8, 2) };

static bool is_followed(const struct visit *visit, uint64_t unit, uint64_t clock)
{
    return unit == visit->now->unit_state->unit || happens_before_without_map(visit, unit, clock);
}

static bool follows_members(const struct visit *visit, const struct members *members)
{
    uint32_t left = FOLLOWED_MOST;
    for (uint32_t i = members->count; i-- > 0;)
        for (uint64_t bits = members->items[i].mask; bits; bits &= bits - 1) {
            const uint32_t at = (uint32_t)__builtin_ctzll(bits);
            if (!left-- || !is_followed(visit, member_unit(&members->items[i], at),
                                        member_clock(&members->items[i], at)))
                return false;
        }
    return true;
}

static bool follows_set(const struct visit *visit, uint64_t value)
{
    const struct shadow_region *region = visit->region;
    struct reader_walk walk = readers_walk(&region->readers, value);
    uint32_t left = FOLLOWED_MOST;
    if (live(region, value))
        return is_followed(visit, epoch_unit(value), clock_of(visit, value));
    while (readers_next(&region->readers, &walk))
        for (uint64_t bits = walk.mask; bits; bits &= bits - 1)
            if (!left-- || !is_followed(visit, walk.unit + (uint32_t)__builtin_ctzll(bits),
                                        context_at(region, walk.context)->clock))
                return false;
    return true;
}

bool shadow_follows_all(const struct visit *visit, const uint64_t *cell)
{
    const struct access_set *access_set = access_set_of(visit->region, visit->address, cell);
    if (access_set)
        return access_set->alike && access_set->atomics.count <= FOLLOWED_MOST &&
               joins_alike(visit->now, access_set) && follows_members(visit, &access_set->atomics);
    return is_of_atomics(visit->region, cell[1]) && meet_few(visit, cell[1]).agrees &&
           follows_set(visit, cell[1]);
}

/* Those of the set that are not like it, the latest first. */
struct kept {
    uint32_t count, left;
    uint64_t unit[STAY];
    uint32_t context[STAY];
};

static struct kept keep_others(const struct visit *visit, uint64_t value)
{
    const struct shadow_region *region = visit->region;
    struct kept kept = {.count = 0};
    struct reader_walk walk = readers_walk(&region->readers, value);
    while (readers_next(&region->readers, &walk)) {
        const bool goes = stands_for(visit->now, context_at(region, walk.context));
        for (uint64_t bits = walk.mask; bits; bits &= bits - 1) {
            kept.left += goes;
            if (goes || kept.count == STAY)
                continue;
            kept.unit[kept.count] = walk.unit + (uint32_t)__builtin_ctzll(bits);
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
        if (!stands_for(visit->now, epoch_how(region, cell[1])))
            return;
        cell[1] = 0;
    } else {
        const struct kept kept = keep_others(visit, cell[1]);
        if (!kept.left || kept.count == STAY)
            return;
        readers_free(&region->readers, cell[1]);
        cell[1] = kept.count ? epoch(kept.unit[kept.count - 1], kept.context[kept.count - 1]) : 0;
        /* Those that go and those that stay have different contexts: two blocks or more are free. */
        const bool added =
            kept.count < 2 || readers_add(&region->readers, &cell[1], kept.unit[0], kept.context[0]);
        CHECKED(kept.count < STAY && added);
        (void)added;
    }
    fast_path_taken(visit->shadow->order->fast_paths, FAST_PATH_FOLLOWED);
}

/* True: it stands among those that the cell has, and races with none of them. False: a list has to take
 * them. */
static bool add_to_few(const struct visit *visit, uint64_t *cell)
{
    struct shadow_region *region = visit->region;
    if (!is_of_atomics(region, cell[1]))
        return false;
    const struct few few = meet_few(visit, cell[1]);
    if (few.agrees && few.stands)
        return true;
    if (!few.agrees || few.again || few.count >= few_most(region))
        return false;
    const uint32_t context = shadow_context_of(region, &visit->now->how);
    if (!context || !readers_add(&region->readers, &cell[1], visit->now->unit_state->unit, context))
        return false;
    region->few = true;
    fast_path_taken(visit->shadow->order->fast_paths, FAST_PATH_FEW);
    return true;
}

/* ---- plain accesses -------------------------------------------------------------------------- */

static void plain_write(const struct visit *visit, uint64_t *cell)
{
    CHECKED(visit->context && context_at(visit->region, visit->context)->kind == ACCESS_WRITE);
    const uint64_t own = epoch(visit->now->unit_state->unit, visit->context);
    struct access_set *access_set = access_set_of(visit->region, visit->address, cell);
    const bool write_races = judge_write(visit, cell);
    if (access_set && access_set->racer_count)
        judge_racers(visit, access_set);
    if (write_races)
        keep_racer(visit, &access_set, cell, epoch_unit(cell[0]), epoch_how(visit->region, cell[0]));
    judge_readers(visit, &access_set, cell);
    if (access_set) {
        judge_atomics(visit, cell, access_set);
        access_set->readers.count = access_set->atomics.count = 0;
        access_set->clock_version = ++visit->region->versions;
    } else {
        readers_free(&visit->region->readers, cell[1]);
        cell[1] = 0;
    }
    if (visit->region->atomic && (!access_set || access_set->has_object))
        order_overwrite(visit->shadow->order, visit->now->unit_state, visit->address, visit->bytes,
                        visit->now->how.site);
    cell[0] = own;
    if (access_set && visit->shadow->met_saturated)
        shadow_settle(visit, access_set, cell);
}

/* Of a cell that has readers, and no list. */
static bool add_reader(const struct visit *visit, uint64_t *cell, bool late)
{
    if (readers_add(&visit->region->readers, &cell[1], visit->now->unit_state->unit, visit->context)) {
        fast_path_taken(visit->shadow->order->fast_paths, FAST_PATH_SHARED);
        return true;
    }
    struct access_set *access_set = shadow_access_set_make(visit, cell);
    return access_set && reader_add(access_set, visit->now->unit_state->unit, &visit->now->how, late);
}

/* A single reader that happens before this one, or that is itself, need not be kept (R21: an access after
 * this one is after that), but may be. */
static bool replaces(const struct visit *visit, uint64_t reader)
{
    return !live(visit->region, reader) || epoch_unit(reader) == visit->now->unit_state->unit ||
           happens_before_without_map(visit, epoch_unit(reader), clock_of(visit, reader));
}

static bool plain_read(const struct visit *visit, uint64_t *cell)
{
    const bool of_atomics = is_of_atomics(visit->region, cell[1]);
    struct access_set *access_set =
        of_atomics ? shadow_access_set_make(visit, cell) : access_set_of(visit->region, visit->address, cell);
    if (of_atomics && !access_set)
        return false;
    judge_write(visit, cell);
    if (access_set && access_set->racer_count)
        judge_racers(visit, access_set);
    if (!RULE(4))
        judge_readers(visit, &access_set, cell);
    if (access_set) {
        judge_atomics(visit, cell, access_set);
        access_set->clock_version = ++visit->region->versions;
        const bool added = reader_add(access_set, visit->now->unit_state->unit, &visit->now->how, false);
        if (visit->shadow->met_saturated)
            shadow_settle(visit, access_set, cell);
        return added;
    }
    if (is_set(visit->region, cell[1]) || !replaces(visit, cell[1]))
        return add_reader(visit, cell, false);
    cell[1] = epoch(visit->now->unit_state->unit, visit->context);
    return true;
}

/* ---- what comes ------------------------------------------------------------------------------ */

/* In one slice what stands after in the code mostly does: the affine filter has the accesses in no order. */
static bool comes_later(const struct context *now, const struct context *earlier)
{
    return now->clock > earlier->clock || (now->clock == earlier->clock && now->site >= earlier->site);
}

/* From the affine filter: nothing races, the newer of one unit's operations stays, and reads are kept
 * beside later writes. */
static bool quiet(const struct visit *visit, uint64_t *cell)
{
    const uint64_t unit = visit->now->unit_state->unit, own = epoch(unit, visit->context);
    if (is_atomic(visit->now->how.kind) && is_first(visit, cell))
        return put_single(visit, cell);
    if (is_atomic(visit->now->how.kind) && add_to_few(visit, cell))
        return true;
    if (is_atomic(visit->now->how.kind)) {
        struct access_set *among = shadow_access_set_make(visit, cell);
        return among && add_atomic(visit, among);
    }
    bool write = is_write(visit->now->how.kind);
    uint64_t *slot = &cell[write ? 0 : 1];
    const bool of_atomics = !write && is_of_atomics(visit->region, cell[1]);
    struct access_set *access_set =
        of_atomics ? shadow_access_set_make(visit, cell) : access_set_of(visit->region, visit->address, cell);
    if (access_set)
        access_set->saturated.clock_version = 0;
    if (of_atomics || (access_set && !write))
        return access_set && reader_add(access_set, unit, &visit->now->how, true);
    if (write ||
        !(is_set(visit->region, *slot) || (live(visit->region, *slot) && epoch_unit(*slot) != unit))) {
        if (!live(visit->region, *slot) || comes_later(&visit->now->how, epoch_how(visit->region, *slot)))
            *slot = own;
        return true;
    }
    return add_reader(visit, cell, true);
}

/* The write was before a barrier of the whole group, there is no reader, and the atomics include the whole
 * group. */
static void mark_race_free(const struct visit *visit, struct access_set *access_set, const uint64_t *cell)
{
    CHECKED(has_atomics(access_set));
    const struct unit_state *unit_state = visit->now->unit_state;
    uint64_t base = unit_state->group ? unit_state->group->base[visit->region->space] : 0;
    bool saturated =
        !live(visit->region, cell[0]) ||
        (order_unit_group(visit->shadow->order, epoch_unit(cell[0])) == unit_state->place.group &&
         epoch_unit(cell[0]) < UNIT_COPIES && clock_of(visit, cell[0]) < base);
    if (!saturated || !access_set->alike || access_set->scope < SCOPE_WORK_GROUP ||
        access_set->readers.count || access_set->racer_count || unit_state->unit >= UNIT_COPIES)
        return;
    access_set->race_free_version = access_set->clock_version;
    access_set->race_free_group = unit_state->place.group;
}

static bool atomic(const struct visit *visit, uint64_t *cell)
{
    struct access_set *access_set = NULL;
    if (replaces_alike(visit) && is_of_atomics(visit->region, cell[1]))
        leave_alike_few(visit, cell);
    if (is_first(visit, cell)) {
        judge_write(visit, cell);
        return put_single(visit, cell);
    }
    if (add_to_few(visit, cell)) {
        judge_write(visit, cell);
        return true;
    }
    access_set = shadow_access_set_make(visit, cell);
    if (!access_set)
        return false;
    judge_write(visit, cell);
    judge_racers(visit, access_set);
    if (is_write(visit->now->how.kind))
        judge_members(visit, cell, access_set, &access_set->readers);
    judge_atomics(visit, cell, access_set);
    if (!add_atomic(visit, access_set))
        return false;
    mark_race_free(visit, access_set, cell);
    return true;
}

bool shadow_visit_cell(const struct visit *visit, uint64_t *cell)
{
    CHECKED(visit->address >= visit->region->low && visit->address < visit->region->high);
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
