/* SPDX-License-Identifier: Apache-2.0 */
/* One cell and a new access. The access is compared with each access that the cell keeps: two race if they
 * conflict and the earlier one does not happen before the later one. Then it is stored. A plain write W
 * replaces everything in the cell. Lemma (FastTrack): if A happens before W, a later access that races with A
 * also races with W, since W cannot happen before it. Accesses that raced with W are kept beside it as
 * racers. */
#include "shadow_state.h"
#include "orrery/checked.h"

/* ---- conflicts ------------------------------------------------------------------------------- */

/* R29: two atomics do not race when they act on one object and include each other. */
static __attribute__((noinline)) bool atomics_are_inclusive(const struct visit *visit, uint64_t unit,
                                                            const struct access_context *how)
{
    const struct access_context *now = &visit->now->how;
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

/* Of another unit than the new access's. */
static inline bool happens_before(const struct visit *visit, uint64_t unit, uint64_t clock)
{
    return order_happens_before(visit->shadow->order, visit->now->unit_state, visit->region->space, unit,
                                clock);
}

/* As happens_before, but false if a deferred clock had to be computed first. For optimisations only. */
static bool happens_before_at_once(const struct visit *visit, uint64_t unit, uint64_t clock)
{
    struct vclock_pool *pool = order_pool(visit->shadow->order);
    pool->cached_only = true;
    const bool before = happens_before(visit, unit, clock);
    pool->cached_only = false;
    return before;
}

/* R34: a work-item sees its own write to an image only after a fence, and a sampler never sees a write of the
 * same kernel. */
static __attribute__((noinline)) bool misses_image(const struct visit *visit, uint64_t unit,
                                                   const struct access_context *how)
{
    if (visit->now->how.kind != ACCESS_READ || !is_write(how->kind) || !RULE(34))
        return false;
    return visit->now->sampled || (unit == visit->now->unit_state->unit &&
                                   !order_sees_own_image(visit->now->unit_state, how->clock));
}

/* By synchronisation of other launches. */
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
                                                        const struct access_context *how, bool device_dirty)
{
    const struct shadow_access *now = visit->now;
    if (!device_dirty && unit == now->unit_state->unit && RULE(3))
        return false;
    if (!is_write(how->kind) && !is_write(now->how.kind) && RULE(4))
        return false;
    if (device_dirty)
        return true;
    if (is_atomic(how->kind) && is_atomic(now->how.kind) && atomics_are_inclusive(visit, unit, how))
        return false;
    return !happens_before(visit, unit, how->clock) && !is_ordered_by_others(visit, unit, how->clock);
}

/* ---- judging --------------------------------------------------------------------------------- */

/* The counter of the two sites, if the pair only has to be counted; else NULL. */
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
                                                    const struct access_context *how, bool device_dirty)
{
    CHECKED(is_write(how->kind) || is_write(visit->now->how.kind) || !RULE(4));
    CHECKED(visit->address >= visit->region->low && visit->address < visit->region->high);
    const struct race race = {
        visit->region, visit->address, visit->bytes, unit, how, shadow_memory_has(visit, unit, how),
        device_dirty};
    visit->shadow->work.reported++;
    visit->shadow->race(visit->shadow->self, &race, visit->now);
}

/* Does the earlier access race with the new one? If so, the race is reported or counted. */
static inline __attribute__((always_inline)) bool judge(const struct visit *visit, uint64_t unit,
                                                        const struct access_context *how)
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

/* NULL: no memory, or *enough: enough racers of the same operation are kept. */
static struct racer *racer_room(const struct visit *visit, struct access_set *access_set, uint64_t unit,
                                const struct access_context *how, bool *enough)
{
    uint32_t alike = 0;
    for (uint32_t i = 0; i < access_set->racer_count; i++) {
        struct racer *racer = &access_set->racers[i];
        /* one site has failed and successful exchanges, and an atomic's scope may be a variable */
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

/* Keeps an access that raced and that the new one replaces in the cell. A few are kept of each site, in a
 * limited number of cells; the others are dropped. *access_set: the cell's, which is made if it has none. */
static void keep_racer(const struct visit *visit, struct access_set **access_set, uint64_t *cell,
                       uint64_t unit, const struct access_context *earlier)
{
    const struct access_context own = *earlier, *how = &own; /* making an access set may move *earlier */
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
    if (racer->how.clock <
        how->clock) /* of one unit's accesses the latest suffices: what is after it is after all */
        *racer = (struct racer){unit, *how};
    (*access_set)->clock_version = ++visit->region->versions;
}

/* Is the pair of sites saturated, and this not the pair in SATURATED_SAMPLE that is compared? */
static inline bool is_skipped(const struct visit *visit, uint32_t earlier)
{
    struct race_counter *counter = counter_of(visit, earlier, false);
    if (!counter || counter->count < visit->shadow->enough || visit->region->space == IN_IMAGE)
        return false;
    counter->uncounted = visit->shadow->met_saturated = true;
    return ++counter->skipped % SATURATED_SAMPLE;
}

/* A plain write removes the racers that happen before it: what races with them races with the write. A racer
 * that was skipped stays, since it is not known to happen before the write. */
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

/* Members that race become racers. */
static void judge_members(const struct visit *visit, uint64_t *cell, struct access_set *access_set,
                          struct members *members)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < members->count; i++) {
        struct set_member *member = &members->items[i];
        for (uint64_t bits = member->mask; bits; bits &= bits - 1) {
            const uint32_t at = (uint32_t)__builtin_ctzll(bits);
            const struct access_context how = member_how(member, at);
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

/* Called before the racers are compared: the write's value is the one that memory has, so this pair comes
 * first in a report. */
static inline bool judge_write(const struct visit *visit, const uint64_t *cell)
{
    return live(visit->region, cell[0]) && !visit->now->quiet &&
           judge(visit, epoch_unit(cell[0]), epoch_how(visit->region, cell[0]));
}

/* Is the second epoch one atomic, or a set of atomics? */
static bool is_of_atomics(const struct shadow_region *region, uint64_t value)
{
    if (live(region, value) || !region->atomic_sets)
        return live(region, value) && is_atomic(epoch_how(region, value)->kind);
    struct cell_walk walk = epoch_walk(region, value);
    return shadow_walk_next(&walk) && is_atomic(walk.how.kind);
}

static bool set_races(const struct visit *visit, uint64_t value)
{
    struct cell_walk walk = epoch_walk(visit->region, value);
    while (shadow_walk_next(&walk))
        if (races(visit, walk.unit, &walk.how, false))
            return true;
    return false;
}

static inline void judge_readers(const struct visit *visit, struct access_set **access_set, uint64_t *cell)
{
    /* an access set compares one by one, and keeps racers */
    if (!*access_set && is_set(visit->region, cell[1]) && set_races(visit, cell[1])) {
        *access_set = shadow_access_set_make(visit, cell);
        visit->shadow->failed |= !*access_set;
    }
    const uint64_t reader = cell[1];
    visit->region->atomics_overwritten |= !*access_set && is_of_atomics(visit->region, reader);
    if (*access_set) {
        judge_members(visit, cell, *access_set, &(*access_set)->readers);
    } else if (live(visit->region, reader)) {
        const struct access_context *how = epoch_how(visit->region, reader);
        if (!judge(visit, epoch_unit(reader), how))
            return;
        cell[1] = 0;
        keep_racer(visit, access_set, cell, epoch_unit(reader), how);
    }
}

/* ---- atomics --------------------------------------------------------------------------------- */

static void judge_atomics(const struct visit *visit, uint64_t *cell, struct access_set *access_set)
{
    const struct access_context *now = &visit->now->how;
    if (!has_atomics(access_set) || (is_atomic(now->kind) && is_inclusive_with(visit->now, access_set)))
        return;
    if (!access_set->any_write && !is_write(now->kind))
        return;
    judge_members(visit, cell, access_set, &access_set->atomics);
}

/* May the new atomic replace earlier ones? It may replace those that happen before it (replaces()). In cells
 * of words all atomics are of one object. */
static bool may_replace(const struct visit *visit)
{
    return (visit->now->follows || visit->now->follows_all) && visit->bytes == 1u << WORD_SHIFT;
}

static bool add_atomic(const struct visit *visit, struct access_set *access_set)
{
    CHECKED(is_atomic(visit->now->how.kind));
    if (may_replace(visit))
        shadow_remove_replaced(visit->shadow, &access_set->atomics, visit->now);
    if (!has_atomics(access_set))
        begin_inclusive(access_set, &visit->now->how, &visit->now->unit_state->place);
    access_set->inclusive = is_inclusive_with(visit->now, access_set);
    if (!access_set->inclusive)
        access_set->clock_version = ++visit->region->versions;
    return atomic_add(access_set, visit->now->unit_state->unit, &visit->now->how, visit->now->quiet);
}

/* Has the cell nothing but possibly a plain write? Then an atomic fits into the second epoch. */
static bool has_one_epoch(const struct visit *visit, const uint64_t *cell)
{
    const struct shadow_region *region = visit->region;
    return !live(region, cell[1]) && !is_set(region, cell[1]) && !access_set_of(region, visit->address, cell);
}

static bool put_single(const struct visit *visit, uint64_t *cell)
{
    CHECKED(is_atomic(visit->now->how.kind) && has_one_epoch(visit, cell));
    const uint32_t context = shadow_context_of(visit->region, &visit->now->how);
    if (context)
        cell[1] = epoch(visit->now->unit_state->unit, context);
    fast_path_taken(visit->shadow->order->fast_paths, FAST_PATH_OWN_CELL);
    return context;
}

/* ---- sets of atomics ------------------------------------------------------------------------- */

/* Inclusive atomics are kept in a reader set while they are few: up to ATOMIC_SET_MOST, or up to
 * ATOMIC_SET_OF_MANY once so many cells have access sets that their memory counts more than time. When an
 * update replaces others of a set, at most KEPT_MOST - 1 may stay. */
enum { ATOMIC_SET_MOST = 3, ATOMIC_SET_OF_MANY = 24, LISTS_MANY = HOSTILE(4096, 8), KEPT_MOST = 3 };

static uint32_t atomic_set_most(const struct shadow_region *region)
{
    return region->access_set_used < LISTS_MANY ? ATOMIC_SET_MOST : ATOMIC_SET_OF_MANY;
}

/* The atomics of a cell, compared with a new one. inclusive: it races with none; recorded: it is there
 * already; again: its unit is there with the same kind, scope and size. */
struct atomics_summary {
    uint32_t count;
    bool inclusive, recorded, again;
};

static void summarise_one(const struct visit *visit, uint64_t unit, const struct access_context *how,
                          struct atomics_summary *summary)
{
    const struct access_context *now = &visit->now->how;
    const struct place place = place_of(visit, unit);
    const bool same =
        unit == visit->now->unit_state->unit && shadow_conflict_class(how) == shadow_conflict_class(now);
    summary->count++;
    summary->inclusive &= how->size == now->size && how->scope == now->scope &&
                          scope_inclusive(SCOPE_RULE_EQUAL, (enum memory_scope)how->scope, &place,
                                          (enum memory_scope)now->scope, &visit->now->unit_state->place);
    summary->recorded |=
        same && how->clock == now->clock && how->site == now->site && how->order == now->order;
    summary->again |= same;
}

/* Stops when there are more than a set may have. */
static struct atomics_summary summarise_atomics(const struct visit *visit, uint64_t value)
{
    struct atomics_summary summary = {.inclusive = true};
    struct cell_walk walk = epoch_walk(visit->region, value);
    while (summary.count <= atomic_set_most(visit->region) && shadow_walk_next(&walk))
        summarise_one(visit, walk.unit, &walk.how, &summary);
    return summary;
}

/* So many are tested at most. */
enum { FOLLOWED_MOST = HOSTILE(8, 2) };

static bool is_followed(const struct visit *visit, uint64_t unit, uint64_t clock)
{
    return unit == visit->now->unit_state->unit || happens_before_at_once(visit, unit, clock);
}

/* Does the access happen after all atomics that the cell keeps, but for those that raced? */
static bool follows_atomics(const struct visit *visit, const uint64_t *cell)
{
    struct cell_walk walk = cell_walk(visit->region, visit->address, cell);
    uint32_t left = FOLLOWED_MOST;
    while (shadow_walk_next(&walk))
        if (is_atomic(walk.how.kind) && !walk.racer &&
            (!left-- || !is_followed(visit, walk.unit, walk.how.clock)))
            return false;
    return true;
}

bool shadow_follows_all(const struct visit *visit, const uint64_t *cell)
{
    const struct access_set *access_set = access_set_of(visit->region, visit->address, cell);
    const bool inclusive =
        access_set ? access_set->inclusive && is_inclusive_with(visit->now, access_set)
                   : is_of_atomics(visit->region, cell[1]) && summarise_atomics(visit, cell[1]).inclusive;
    return inclusive && follows_atomics(visit, cell);
}

/* The atomics of a set that the new one does not replace, latest first; left: how many it replaces. If
 * it replaces a single one, none is kept. */
struct kept_atomics {
    uint32_t count, left;
    uint64_t unit[KEPT_MOST];
    uint32_t context[KEPT_MOST];
};

static struct kept_atomics keep_others(const struct visit *visit, uint64_t value)
{
    struct kept_atomics kept = {.count = 0};
    struct cell_walk walk = epoch_walk(visit->region, value);
    while (shadow_walk_next(&walk)) {
        const bool goes = replaces(visit->now, &walk.how);
        kept.left += goes;
        if (goes || kept.count == KEPT_MOST)
            continue;
        kept.unit[kept.count] = walk.unit;
        kept.context[kept.count++] = walk.readers.context;
    }
    return kept;
}

/* Removes the atomics that the new one replaces. */
static void remove_replaced_few(const struct visit *visit, uint64_t *cell)
{
    struct readers *readers = &visit->region->readers;
    const struct kept_atomics kept = keep_others(visit, cell[1]);
    if (!kept.left || kept.count == KEPT_MOST)
        return;
    readers_free(readers, cell[1]);
    cell[1] = kept.count ? epoch(kept.unit[kept.count - 1], kept.context[kept.count - 1]) : 0;
    /* two accesses need no more nodes than the old set had, which are free */
    const bool added = kept.count < 2 || readers_add(readers, &cell[1], kept.unit[0], kept.context[0]);
    CHECKED(kept.count < KEPT_MOST && added);
    (void)added;
    fast_path_taken(visit->shadow->order->fast_paths, FAST_PATH_REPLACED);
}

/* True: the atomic races with none of the cell's, and is in the set. False: an access set is needed. */
static bool add_to_atomic_set(const struct visit *visit, uint64_t *cell)
{
    struct shadow_region *region = visit->region;
    if (!is_of_atomics(region, cell[1]))
        return false;
    const struct atomics_summary summary = summarise_atomics(visit, cell[1]);
    if (summary.inclusive && summary.recorded)
        return true;
    if (!summary.inclusive || summary.again || summary.count >= atomic_set_most(region))
        return false;
    const uint32_t context = shadow_context_of(region, &visit->now->how);
    if (!context || !readers_add(&region->readers, &cell[1], visit->now->unit_state->unit, context))
        return false;
    region->atomic_sets = true;
    fast_path_taken(visit->shadow->order->fast_paths, FAST_PATH_FEW_ATOMICS);
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
        shadow_saturate(visit, access_set, cell);
}

/* One more reader of a cell that has no access set. */
static bool add_reader(const struct visit *visit, uint64_t *cell, bool late)
{
    if (readers_add(&visit->region->readers, &cell[1], visit->now->unit_state->unit, visit->context)) {
        fast_path_taken(visit->shadow->order->fast_paths, FAST_PATH_SHARED_READERS);
        return true;
    }
    struct access_set *access_set = shadow_access_set_make(visit, cell);
    return access_set && reader_add(access_set, visit->now->unit_state->unit, &visit->now->how, late);
}

/* Does the new read make the cell's only read redundant? It does if that is of the same unit or happens
 * before it: what is ordered after the new read is ordered after both (R21). False is always safe. */
static bool replaces_reader(const struct visit *visit, uint64_t reader)
{
    return !live(visit->region, reader) || epoch_unit(reader) == visit->now->unit_state->unit ||
           happens_before_at_once(visit, epoch_unit(reader), clock_of(visit, reader));
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
            shadow_saturate(visit, access_set, cell);
        return added;
    }
    if (is_set(visit->region, cell[1]) || !replaces_reader(visit, cell[1]))
        return add_reader(visit, cell, false);
    cell[1] = epoch(visit->now->unit_state->unit, visit->context);
    return true;
}

/* ---- new accesses ---------------------------------------------------------------------------- */

/* The affine filter replays accesses in no particular order. Within one clock value the later site is taken
 * for the later access. */
static bool comes_later(const struct access_context *now, const struct access_context *earlier)
{
    return now->clock > earlier->clock || (now->clock == earlier->clock && now->site >= earlier->site);
}

/* A replayed plain access: nothing is compared, the newer of one unit's accesses stays, and reads stay beside
 * writes, since the order between the two is not known. */
static bool quiet_plain(const struct visit *visit, uint64_t *cell)
{
    const uint64_t unit = visit->now->unit_state->unit, own = epoch(unit, visit->context);
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

/* Marks the access set race-free for atomics of the group, if the last write was before a barrier of the
 * group, there is no reader, and the atomics' scope includes the group. */
static void mark_race_free(const struct visit *visit, struct access_set *access_set, const uint64_t *cell)
{
    CHECKED(has_atomics(access_set));
    const struct unit_state *unit_state = visit->now->unit_state;
    uint64_t base = unit_state->group ? unit_state->group->base[visit->region->space] : 0;
    const bool write_is_ordered =
        !live(visit->region, cell[0]) ||
        (order_unit_group(visit->shadow->order, epoch_unit(cell[0])) == unit_state->place.group &&
         epoch_unit(cell[0]) < UNIT_COPIES && clock_of(visit, cell[0]) < base);
    const bool includes_group = access_set->inclusive && access_set->scope >= SCOPE_WORK_GROUP;
    if (!write_is_ordered || !includes_group || has_plain(access_set) || unit_state->unit >= UNIT_COPIES)
        return;
    access_set->race_free_version = access_set->clock_version;
    access_set->race_free_group = unit_state->place.group;
}

/* Of a replayed atomic nothing is compared. */
static bool atomic(const struct visit *visit, uint64_t *cell)
{
    struct access_set *access_set = NULL;
    if (may_replace(visit) && is_of_atomics(visit->region, cell[1]))
        remove_replaced_few(visit, cell);
    if (has_one_epoch(visit, cell)) {
        judge_write(visit, cell);
        return put_single(visit, cell);
    }
    if (add_to_atomic_set(visit, cell)) {
        judge_write(visit, cell);
        return true;
    }
    access_set = shadow_access_set_make(visit, cell);
    if (!access_set || visit->now->quiet)
        return access_set && add_atomic(visit, access_set);
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
    if (visit->now->quiet && !is_atomic(kind))
        return quiet_plain(visit, cell);
    if (is_atomic(kind))
        kept = atomic(visit, cell);
    else if (!is_write(kind))
        kept = plain_read(visit, cell);
    else
        plain_write(visit, cell);
    if (__builtin_expect(visit->region->dropped != NULL, 0))
        shadow_compare_dropped(visit);
    return kept;
}
