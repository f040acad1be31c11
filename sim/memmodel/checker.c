/* SPDX-License-Identifier: Apache-2.0 */
#include "checker_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lane_mask.h"
#include "orrery/rule.h"

/* ---- regions ---------------------------------------------------------------------- */

static bool region_room(struct checker *checker, uint32_t index)
{
    if (index < checker->region_room)
        return true;
    uint32_t room = checker->memory->region_count > index ? checker->memory->region_count : index + 1;
    struct shadow_region **regions = realloc(checker->regions, room * sizeof *regions);
    if (!regions)
        return false;
    memset(regions + checker->region_room, 0, (room - checker->region_room) * sizeof *regions);
    checker->regions = regions;
    checker->region_room = room;
    return true;
}

static enum memory_scope scope_in(const struct checker *checker, const struct shadow_region *region, enum memory_scope scope)
{
    return order_scope(&checker->order, scope, region->space == IN_LOCAL, region->svm_atomics);
}

static bool is_same(const struct shadow_region *shadow, const struct region *region)
{
    return shadow->id == region->id && shadow->low == region->low && shadow->high == region->high;
}

/* What launches left there that have ended: whoever may ask for it does so now. */
static void settle(struct checker *checker, struct shadow_region *region)
{
    if (!region->in_place && !region->in_stamps)
        return;
    checker->sink.settle(checker->sink.self, &region->keeper);
    if (region->in_place)
        shadow_forget(region);
    region->in_place = region->in_stamps = false;
}

static __attribute__((noinline)) struct shadow_region *region_anew(struct checker *checker, const struct region *region)
{
    uint32_t index = (uint32_t)(region - checker->memory->regions);
    if (!region_room(checker, index))
        return NULL;
    struct shadow_region *shadow = checker->regions[index];
    if (shadow && is_same(shadow, region)) {
        if (shadow->in_place)
            settle(checker, shadow);
        return shadow;
    }
    if (shadow) {
        settle(checker, shadow);
        shadow_region_fini(shadow);
    } else {
        shadow = checker->regions[index] = calloc(1, sizeof *shadow);
    }
    if (shadow)
        shadow_region_init(shadow, region->id, region->low, region->high,
                           region->kind == REGION_LOCAL_VARIABLE && RULE(2) ? IN_LOCAL : IN_GLOBAL, &checker->spare);
    if (shadow)
        shadow->svm_atomics = region->flags & REGION_FLAG_SVM_ATOMICS;
    return shadow;
}

static inline struct shadow_region *region_of(struct checker *checker, const struct region *region)
{
    const uint32_t index = (uint32_t)(region - checker->memory->regions);
    struct shadow_region *shadow = index < checker->region_room ? checker->regions[index] : NULL;
    return shadow && is_same(shadow, region) && !shadow->in_place ? shadow : region_anew(checker, region);
}

/* Memory that the host has by itself, and kernels touch with fine-grained system sharing. */
static bool is_of_host(const struct checker *checker, uint64_t address)
{
    return checker->memory->host.permits && address - checker->memory->base >= checker->memory->size;
}

/* Local memory begins anew with each group (R38), and where a barrier made all of it known to all of them. */
static void renew_local(struct checker *checker, struct shadow_region *region, uint64_t number)
{
    if (checker->order.formal)
        return;
    const struct group_order *group = order_group_find(&checker->order, number);
    uint64_t base = group ? group->base[IN_LOCAL] : 1;
    const bool same_group = region->group == number || !RULE(38), copies = group && group->copy_count;
    if (same_group && region->base == base)
        return;
    if (!same_group || !copies) /* what an open copy did is not known to all */
        shadow_forget(region);
    region->group = number;
    region->base = base;
}

/* ---- who --------------------------------------------------------------------------- */

/* A launch has one tile at each origin. */
static inline bool is_crew(const struct crew *crew, const struct origin *origin, uint32_t lane_count)
{
    if (origin->wave && origin->wave == crew->wave)
        return crew->launch == origin->launch;
    return crew->launch == origin->launch &&
           !((crew->tile_origin[0] ^ origin->tile_origin[0]) | (crew->tile_origin[1] ^ origin->tile_origin[1]) |
             (crew->tile_origin[2] ^ origin->tile_origin[2]) | (crew->first_lane ^ origin->first_lane) | (crew->lane_count ^ lane_count));
}

static uint64_t unit_of(const struct checker *checker, const struct origin *origin, uint32_t lane)
{
    struct item item;
    origin_item(origin, lane, &item);
    return item.group_linear * checker->order.group_items + item.local_linear;
}

/* Lanes that are one row, or whole rows of one plane, have affine positions. */
static void find_rows(struct crew *crew)
{
    const uint32_t width = crew->tile_size[0], plane = width * crew->tile_size[1], x = crew->first_lane % width;
    const bool one = x + crew->lane_count <= width;
    crew->in_rows = one || (x == 0 && crew->first_lane % plane + crew->lane_count <= plane);
    crew->row = one ? crew->lane_count : width;
    const uint64_t within[3] = {x, crew->first_lane / width % crew->tile_size[1], crew->first_lane / plane},
                   size[3] = {crew->row, crew->lane_count / crew->row, 1};
    for (int axis = 0; axis < 3; axis++) {
        crew->low[axis] = crew->tile_origin[axis] + within[axis];
        crew->high[axis] = crew->low[axis] + size[axis];
    }
}

static bool is_one_group(const struct crew *crew)
{
    bool one = true;
    for (int axis = 0; axis < 3; axis++)
        one &= crew->tile_size[axis] <= crew->launch->local_size[axis];
    return one;
}

/* Units of a work-group stand in a row, and those of several in one dimension; others need not. */
static __attribute__((noinline)) void man_anew(struct checker *checker, const struct origin *origin, uint32_t lane_count)
{
    struct crew *crew = &checker->crew;
    const uint64_t *extent = origin->launch->global_size;
    crew->launch = origin->launch;
    crew->wave = origin->wave;
    crew->first_lane = origin->first_lane;
    crew->lane_count = lane_count;
    memcpy(crew->tile_origin, origin->tile_origin, sizeof crew->tile_origin);
    memcpy(crew->tile_size, origin->tile_size, sizeof crew->tile_size);
    crew->known = false;
    crew->serial++;
    find_rows(crew);
    crew->first_unit = unit_of(checker, origin, 0);
    crew->group = order_unit_group(&checker->order, crew->first_unit);
    crew->one_group = is_one_group(crew) || order_unit_group(&checker->order, unit_of(checker, origin, lane_count - 1)) == crew->group;
    crew->in_a_row = crew->one_group || (extent[1] <= 1 && extent[2] <= 1);
}

static inline void man(struct checker *checker, const struct origin *origin, uint32_t lane_count)
{
    if (!is_crew(&checker->crew, origin, lane_count))
        man_anew(checker, origin, lane_count);
}

static void name_units(struct checker *checker, const struct origin *origin)
{
    struct crew *crew = &checker->crew;
    if (crew->known)
        return;
    for (uint32_t lane = 0; lane < crew->lane_count; lane++)
        crew->unit[lane] = crew->first_unit + lane;
    for (uint32_t lane = 1; !crew->in_a_row && lane < crew->lane_count; lane++)
        crew->unit[lane] = unit_of(checker, origin, lane);
    crew->known = true;
}

/* ---- out of the journal -------------------------------------------------------------- */

static uint64_t unit_at(const struct checker *checker, const uint64_t position[3])
{
    const struct launch_info *info = checker->crew.launch;
    uint64_t group = 0, local = 0;
    for (int axis = 2; axis >= 0; axis--) {
        uint64_t id = position[axis] / info->local_size[axis], left = info->global_size[axis] - id * info->local_size[axis];
        group = group * info->group_count[axis] + id;
        local = local * (left < info->local_size[axis] ? left : info->local_size[axis]) + position[axis] % info->local_size[axis];
    }
    return group * checker->order.group_items + local;
}

struct spilling { struct checker *checker; struct shadow_region *region; };

static uint64_t access_unit(const struct checker *checker, const struct past_access *access)
{
    return access->by_position ? unit_at(checker, access->position) : access->unit;
}

static void insert(void *self, const struct past_access *access)
{
    const struct spilling *spilling = self;
    struct checker *checker = spilling->checker;
    struct agent agent = {.unit = access_unit(checker, access)};
    struct shadow_access now = {.agent = &agent, .address = access->address, .quiet = true};
    if (access->kind > ACCESS_WRITE)
        order_agent(&checker->order, agent.unit, &agent);
    now.how = (struct context){.tick = (uint32_t)access->tick, .site = access->site, .size = access->size, .kind = (uint8_t)access->kind,
                               .order = (uint8_t)access->order, .scope = (uint8_t)access->scope};
    shadow_access(&checker->shadow, spilling->region, &now);
}

void checker_spill(struct checker *checker, struct shadow_region *region)
{
    struct spilling spilling = {checker, region};
    if (region->journal.spilt)
        return;
    const bool large = region->high - region->low > KEPT_BYTES; /* the shadow takes the place of stamps and notes */
    if (large) {
        settle(checker, region);
        sieve_release(&region->sieve);
    }
    journal_replay(&region->journal, insert, &spilling);
    notes_replay(&region->sieve.notes, insert, &spilling);
    journal_forget(&region->journal);
    sieve_forget(&region->sieve);
    if (large)
        notes_release(&region->sieve.notes);
    region->sieved = NULL;
    region->journal.spilt = true;
}

static void hold(struct checker *checker, const struct access_event *event, uint64_t unit, uint64_t address)
{
    if (checker->held_count == checker->held_room) {
        const uint32_t room = checker->held_room ? 2 * checker->held_room : HOSTILE(16, 1);
        struct held_access *held = realloc(checker->held, room * sizeof *held);
        checker->shadow.failed |= !held;
        if (!held)
            return;
        checker->held = held;
        checker->held_room = room;
    }
    checker->held[checker->held_count++] = (struct held_access){unit, address, event->origin.site, event->size_bytes, event->kind};
}

/* True: there is no such copy, or its accesses wait until all of the group have come to it. */
static bool holds_copy(struct checker *checker, const struct access_event *event, const uint64_t *mask)
{
    const uint64_t unit = order_copy_unit(&checker->order, checker->crew.group, event->copy);
    if (unit == UNIT_END || order_copy_complete(&checker->order, unit))
        return unit == UNIT_END;
    EACH_LANE_OF(mask, lane)
        hold(checker, event, unit, lane_address(event, lane));
    return true;
}

static void find_agent(struct checker *checker, struct acting *acting, uint64_t lane, struct agent *out)
{
    const struct crew *crew = &checker->crew;
    if (acting->copy || !crew->one_group) {
        const uint64_t unit = crew->unit[lane];
        order_agent(&checker->order, acting->copy ? order_copy_unit(&checker->order, order_unit_group(&checker->order, unit), acting->copy) : unit, out);
        return;
    }
    if (!acting->group)
        acting->group = order_group_find(&checker->order, crew->group);
    order_member(&checker->order, crew->group, acting->group, crew->unit[lane] - acting->first, out);
}

static __attribute__((noinline)) struct agent *actor_anew(struct checker *checker, struct acting *acting, uint64_t lane)
{
    find_agent(checker, acting, lane, &checker->actor.agent);
    checker->actor.serial = acting->copy || !checker->crew.one_group ? 0 : checker->crew.serial;
    checker->actor.lane = lane;
    return &checker->actor.agent;
}

/* Of one who acts by itself, which it may do for a while. */
static inline struct agent *actor(struct checker *checker, struct acting *acting, uint64_t lane)
{
    struct agent *agent = &checker->actor.agent;
    if (checker->actor.serial == checker->crew.serial && checker->actor.lane == lane && agent->item && !acting->copy)
        return agent;
    return actor_anew(checker, acting, lane);
}

static void order_lane(struct checker *checker, const struct acting *acting, uint64_t lane, struct shadow_access *now)
{
    const struct access_event *event = acting->event;
    if (event->failed && event->failed[lane / 64] >> lane % 64 & 1) {
        now->how.kind = ACCESS_ATOMIC_READ;
        now->how.order = (uint8_t)event->failure_order;
    }
    acting->region->atomic = true;
    now->how.scope = (uint8_t)acting->scope;
    const struct atomic_act act = {.address = now->address, .size = now->how.size, .region = acting->region->space,
                                   .reads = event->kind != ACCESS_ATOMIC_WRITE, .writes = now->how.kind != ACCESS_ATOMIC_READ,
                                   .order = (enum memory_order)now->how.order, .scope = event->scope, .site = now->how.site,
                                   .svm_atomics = acting->region->svm_atomics};
    order_atomic(&checker->order, now->agent, &act);
}

static void tell_news(struct checker *checker)
{
    if (checker->races.untold)
        races_tell(&checker->races);
}

static void perform(struct checker *checker, struct acting *acting, uint64_t lane, struct shadow_access *now)
{
    const struct access_event *event = acting->event;
    struct agent *agent = actor(checker, acting, lane);
    if (acting->region->space == IN_LOCAL)
        renew_local(checker, acting->region, agent->place.group);
    now->agent = agent;
    now->how.tick = (uint32_t)order_slice(agent);
    now->how.kind = (uint8_t)event->kind;
    now->how.order = (uint8_t)event->order;
    if (event->kind >= ACCESS_ATOMIC_READ)
        order_lane(checker, acting, lane, now);
    if (!acting->region->journal.spilt)
        checker_spill(checker, acting->region);
    shadow_access(&checker->shadow, acting->region, now);
    if (event->kind >= ACCESS_ATOMIC_READ) /* the next lane may synchronise */
        tell_news(checker);
}

static bool is_watched(const struct region *region)
{
    return region->kind == REGION_BUFFER || region->kind == REGION_VARIABLE || region->kind == REGION_LOCAL_VARIABLE;
}

/* NULL: nobody asks what happens there, or there is no memory. */
static struct shadow_region *shadow_at(struct checker *checker, const struct region *region, uint64_t address)
{
    struct shadow_region *shadow = NULL;
    const bool of_host = is_of_host(checker, address);
    if (of_host)
        shadow = windows_at(&checker->windows, address, checker->scenario->device.svm_atomics, &checker->spare);
    else if (is_watched(region))
        shadow = region_of(checker, region);
    checker->shadow.failed |= !shadow && (of_host || is_watched(region));
    return shadow;
}

/* What an access of one window has in the next one. */
static void perform_beyond(struct checker *checker, struct acting acting, uint64_t lane, const struct shadow_access *all)
{
    struct shadow_access now = *all;
    now.address = acting.region->high;
    now.how.size = (uint32_t)(all->address + all->how.size - acting.region->high);
    acting.region = shadow_at(checker, memory_region(checker->memory, now.address), now.address);
    if (acting.region)
        perform(checker, &acting, lane, &now);
}

/* Plain accesses while nobody has synchronised: all of them are of one slice. */
static bool is_early(const struct checker *checker, const struct access_event *event)
{
    return !checker->order.groups && event->kind <= ACCESS_WRITE && !event->copy && !checker->memory->host.permits;
}

/* `again`: the lane before was of the same allocation. */
static void perform_early(struct checker *checker, uint64_t unit, struct shadow_region *region, struct shadow_access *now, bool again)
{
    struct agent agent = {.unit = unit, .place = {.group = checker->crew.group}};
    now->agent = &agent;
    if (!again && region->space == IN_LOCAL)
        renew_local(checker, region, agent.place.group);
    if (!again)
        checker_spill(checker, region);
    (again ? shadow_again : shadow_access)(&checker->shadow, region, now);
}

static void access_lanes(struct checker *checker, const struct access_event *event, const uint64_t *mask)
{
    const struct region *region = NULL;
    struct shadow_region *shadow = NULL, *before = NULL;
    const bool early = is_early(checker, event);
    struct acting acting = {.event = event, .copy = event->copy, .first = checker->crew.group * checker->order.group_items};
    name_units(checker, &event->origin);
    if (event->copy && holds_copy(checker, event, mask))
        return;
    EACH_LANE_OF(mask, lane)
    {
        uint64_t address = lane_address(event, lane);
        if (!region || address < region->low || address >= region->high) {
            region = memory_region(checker->memory, address);
            shadow = shadow_at(checker, region, address);
            if (shadow && event->image)
                shadow->space = IN_IMAGE;
            acting.region = shadow;
            if (shadow)
                acting.scope = scope_in(checker, shadow, event->scope);
        }
        if (!shadow)
            continue;
        struct shadow_access now = {.how = {.site = event->origin.site, .size = event->size_bytes}, .address = address,
                                    .sampled = event->sampled};
        if (early) {
            now.how.tick = 1;
            now.how.kind = (uint8_t)event->kind;
            now.how.order = (uint8_t)event->order;
            perform_early(checker, checker->crew.unit[lane], shadow, &now, before == shadow && shadow->space != IN_LOCAL);
            before = shadow;
        } else {
            const uint64_t end = address + event->size_bytes;
            if (end > shadow->high)
                now.how.size = (uint32_t)(shadow->high - address);
            perform(checker, &acting, lane, &now);
            now.how.size = event->size_bytes;
            if (end > shadow->high)
                perform_beyond(checker, acting, lane, &now);
        }
    }
    tell_news(checker);
}

/* ---- whole waves ------------------------------------------------------------------------- */

/* Active lanes as rectangles of whole or partial rows; 0: too many. */
enum { RECTANGLES_MOST = 8 };
struct rectangle { uint32_t first, width, rows; }; /* first lane */

static uint32_t row_runs(const uint64_t *mask, uint32_t from, uint32_t end, uint32_t row, struct rectangle *out, uint32_t count)
{
    for (uint32_t first = next_lane(mask, from, end, true), lane; first < end; first = next_lane(mask, lane, end, true)) {
        lane = next_lane(mask, first, end, false);
        struct rectangle *above = count ? &out[count - 1] : NULL;
        if (above && above->width == lane - first && above->first + above->rows * row == first)
            above->rows++;
        else if (count == RECTANGLES_MOST)
            return UINT32_MAX;
        else
            out[count++] = (struct rectangle){first, lane - first, 1};
    }
    return count;
}

static uint32_t rectangles(const uint64_t *mask, uint32_t lanes, uint32_t row, struct rectangle *out)
{
    uint32_t count = 0;
    for (uint32_t from = 0; from < lanes && count != UINT32_MAX; from += row)
        count = row_runs(mask, from, from + row < lanes ? from + row : lanes, row, out, count);
    return count == UINT32_MAX ? 0 : count;
}

static void give_steps(const struct crew *crew, const struct access_event *event, struct journal_event *out)
{
    const bool affine = event->shape == ADDRESS_AFFINE;
    out->known = !affine ? 7 : crew->lane_count > crew->row ? 3 : 1;
    out->step[0] = affine ? event->step_x : 0;
    out->step[1] = affine && event->row < crew->lane_count ? event->step_y : 0;
    out->step[2] = 0;
}

static void place_rectangle(const struct crew *crew, const struct access_event *event, const struct rectangle *at, struct journal_event *out)
{
    uint32_t lane = crew->first_lane + at->first, width = crew->tile_size[0], height = crew->tile_size[1];
    const uint64_t within[3] = {lane % width, lane / width % height, lane / width / height}, size[3] = {at->width, at->rows, 1};
    for (int axis = 0; axis < 3; axis++) {
        out->low[axis] = crew->tile_origin[axis] + within[axis];
        out->high[axis] = out->low[axis] + size[axis];
    }
    out->base = lane_address(event, at->first);
}

/* All lanes at once: false: they are no whole rows, or not all of them act. */
static bool place_all(const struct crew *crew, const struct access_event *event, struct journal_event *out)
{
    if ((crew->row < crew->lane_count && crew->lane_count % crew->row) || !all_set(event->mask, 0, crew->lane_count))
        return false;
    memcpy(out->low, crew->low, sizeof out->low);
    memcpy(out->high, crew->high, sizeof out->high);
    out->base = event->base;
    return true;
}

/* Nothing but a group's slice tells its members apart in time, and it never met a barrier. */
static bool is_plain_group(const struct group_order *group)
{
    bool plain = !group->items && !group->sub_groups && !group->copy_count;
    for (int r = 0; r < ORDER_REGIONS; r++)
        plain &= group->base[r] == 1;
    return plain;
}

/* The tick of all lanes of several groups, which did nothing but updates in common: false: they have none. */
static bool tick_of_groups(const struct checker *checker, uint64_t *out_tick)
{
    const struct crew *crew = &checker->crew;
    const uint64_t items = checker->order.group_items, last = (crew->first_unit + crew->lane_count - 1) / items;
    *out_tick = 1;
    if (!checker->order.groups)
        return true;
    for (uint64_t number = crew->group; crew->in_a_row && number <= last; number++) {
        const struct group_order *group = order_group_find(&checker->order, number);
        const uint64_t slice = group ? group->slice : 1;
        if ((group && !is_plain_group(group)) || (number > crew->group && slice != *out_tick))
            return false;
        *out_tick = slice;
    }
    return crew->in_a_row;
}

/* The tick of all lanes; false: they have none in common. */
static bool common_tick(const struct checker *checker, uint64_t *out_tick)
{
    const struct crew *crew = &checker->crew;
    if (!crew->one_group)
        return tick_of_groups(checker, out_tick);
    const struct group_order *group = order_group_find(&checker->order, crew->group);
    *out_tick = group ? group->slice : 1;
    return !group || !(group->items || group->sub_groups);
}

/* The lanes as notes and sieve know them. */
static struct wave_crew crew_in(struct checker *checker, const struct origin *origin, const struct shadow_region *region, uint64_t base)
{
    const struct crew *crew = &checker->crew;
    const bool local = region->space == IN_LOCAL;
    if (!crew->in_a_row)
        name_units(checker, origin);
    return (struct wave_crew){.serial = crew->serial, .first_unit = crew->first_unit, .unit = crew->unit, .lanes = crew->lane_count,
                              .in_a_row = crew->in_a_row, .one_group = crew->one_group,
                              .group = local ? 0 : crew->group, .base = local ? 1 : base,
                              .unit_low = crew->group * checker->order.group_items};
}

static bool take_gather(struct checker *checker, const struct access_event *event, struct shadow_region *region, uint64_t tick)
{
    if (event->kind == ACCESS_WRITE || region->journal.has_write)
        return false;
    const struct wave_crew crew = crew_in(checker, &event->origin, region, 1);
    return sieve_note(&region->sieve, event, &crew, tick);
}

/* Lanes of one allocation and one tick. */
struct alike_reads {
    struct access_event event;
    struct shadow_region *region;
    uint64_t tick, address[WAVE_LANES_MAX], mask[LANE_MASK_WORDS];
};

static bool log_reads(struct checker *checker, struct alike_reads *reads)
{
    bool taken = true;
    if (reads->region) {
        const struct wave_crew crew = crew_in(checker, &reads->event.origin, reads->region, 1);
        taken = sieve_note(&reads->region->sieve, &reads->event, &crew, reads->tick);
    }
    memset(reads->mask, 0, sizeof reads->mask);
    return taken;
}

static bool may_log(const struct shadow_region *region)
{
    return region && region->space == IN_GLOBAL && !region->atomic && !region->journal.has_write && !region->journal.spilt &&
           !region->sieve.open;
}

static uint64_t first_address(const struct access_event *event)
{
    return event->shape == ADDRESS_UNIFORM ? event->base : lane_address(event, next_lane(event->mask, 0, event->lane_count, true));
}

/* NULL: nobody watches it, or no memory. */
static struct shadow_region *region_at(struct checker *checker, uint64_t address)
{
    const struct region *found = memory_region(checker->memory, address);
    return is_watched(found) ? region_of(checker, found) : NULL;
}

/* Reads of work-items that have ticks of their own, or of scattered lanes, of what nothing has written yet. */
static bool take_reads(struct checker *checker, const struct access_event *event)
{
    struct alike_reads reads;
    if (event->kind != ACCESS_READ || event->copy || event->image || checker->order.formal || !may_log(region_at(checker, first_address(event))))
        return false;
    name_units(checker, &event->origin);
    reads.region = NULL;
    memset(reads.mask, 0, sizeof reads.mask);
    memset(reads.address, 0, sizeof reads.address);
    reads.event = *event;
    reads.event.shape = ADDRESS_LIST;
    reads.event.address = reads.address;
    reads.event.mask = reads.mask;
    EACH_LANE_OF(event->mask, lane)
    {
        struct agent agent;
        struct shadow_region *region = reads.region;
        uint64_t address = lane_address(event, lane);
        if (!region || address < region->low || address >= region->high)
            region = region_at(checker, address);
        if (!may_log(region))
            return false;
        order_agent(&checker->order, checker->crew.unit[lane], &agent);
        const uint64_t tick = order_slice(&agent);
        if ((region != reads.region || tick != reads.tick) && !log_reads(checker, &reads))
            return false;
        reads.region = region;
        reads.tick = tick;
        reads.address[lane] = address;
        reads.mask[lane / 64] |= UINT64_C(1) << lane % 64;
    }
    return log_reads(checker, &reads);
}

static inline bool same_mask(const uint64_t a[LANE_MASK_WORDS], const uint64_t b[LANE_MASK_WORDS])
{
    uint64_t differs = 0;
    for (int w = 0; w < LANE_MASK_WORDS; w++)
        differs |= a[w] ^ b[w];
    return !differs;
}

/* The next read by the same lanes and instruction. */
static inline bool stands(struct checker *checker, const struct access_event *event, uint64_t tick)
{
    struct standing *standing = &checker->standings[event->origin.site % STANDINGS];
    return standing->crew == checker->crew.serial && standing->site == event->origin.site && event->kind == ACCESS_READ &&
           standing->tick == tick && standing->shape == event->shape && standing->size == event->size_bytes &&
           standing->step_x == event->step_x && standing->step_y == event->step_y &&
           event->base >= standing->region->low && event->base < standing->region->high &&
           same_mask(standing->mask, event->mask) &&
           journal_move(&standing->region->journal, &standing->at, event->base);
}

/* While nobody has synchronised. */
static inline bool stands_early(struct checker *checker, const struct access_event *event)
{
    return !checker->order.groups && event->kind == ACCESS_READ && event->shape != ADDRESS_LIST && !event->copy && stands(checker, event, 1);
}

static void stand(struct checker *checker, const struct access_event *event, struct shadow_region *region, const struct journal_event *whole)
{
    struct standing *standing = &checker->standings[event->origin.site % STANDINGS];
    standing->crew = 0;
    if (whole->write || !journal_stand(&region->journal, whole, &standing->at))
        return;
    standing->at.base = event->base; /* of the first lane, be it active or not */
    standing->crew = checker->crew.serial;
    standing->tick = whole->tick;
    memcpy(standing->mask, event->mask, sizeof standing->mask);
    standing->site = event->origin.site;
    standing->size = event->size_bytes;
    standing->shape = event->shape;
    standing->step_x = event->step_x;
    standing->step_y = event->step_y;
    standing->region = region;
}

/* False: some of it may stand in the journal. */
static bool take_affine(struct checker *checker, const struct access_event *event, struct shadow_region *region, struct journal_event *whole)
{
    const struct crew *crew = &checker->crew;
    struct rectangle parts[RECTANGLES_MOST];
    if (!crew->in_rows || (event->shape == ADDRESS_AFFINE && event->row < crew->lane_count && event->row != crew->row))
        return false;
    give_steps(crew, event, whole);
    uint32_t count = place_all(crew, event, whole) ? 1 : 0, parted = count ? 0 : rectangles(event->mask, crew->lane_count, crew->row, parts);
    if (count && !journal_take(&region->journal, whole))
        return false;
    for (uint32_t i = 0; i < parted; i++) {
        place_rectangle(crew, event, &parts[i], whole);
        if (!journal_take(&region->journal, whole))
            return false;
    }
    if (count + parted == 1 && event->kind == ACCESS_READ)
        stand(checker, event, region, whole);
    return count + parted;
}

/* ---- through the sieve --------------------------------------------------------------------- */

struct marking { struct checker *checker; struct shadow_region *region; bool failed; };

static void mark(void *self, const struct past_access *access)
{
    struct marking *marking = self;
    struct checker *checker = marking->checker;
    const int space = marking->region->space;
    struct past_access known = *access;
    known.unit = access_unit(checker, access);
    uint64_t number = order_unit_group(&checker->order, known.unit);
    const struct group_order *group = space == IN_LOCAL ? NULL : order_group_find(&checker->order, number);
    uint64_t base = group && access->tick >= group->base[space] ? group->base[space] : 1;
    if (!marking->failed && !sieve_mark(&marking->region->sieve, &known, space == IN_LOCAL ? 0 : number, base))
        marking->failed = true;
}

/* A power of two that divides the addresses of the lanes, counted from low, and their size. */
static uint32_t event_grain(const struct access_event *event, uint64_t low)
{
    uint64_t bits = 4 | event->size_bytes;
    EACH_LANE_OF(event->mask, lane)
        bits |= lane_address(event, lane) - low;
    return (uint32_t)(bits & (0 - bits));
}

/* What the journal holds stays there, for a replay. */
static bool open_sieve(struct checker *checker, const struct access_event *event, struct shadow_region *region)
{
    const uint64_t *count = event->origin.launch->group_count;
    const uint32_t grains = journal_grain(&region->journal, region->low) | notes_grain(&region->sieve.notes) | event_grain(event, region->low);
    const struct sieve_plan plan = {.groups = region->space == IN_LOCAL ? 1 : count[0] * count[1] * count[2],
                                    .items = checker->order.group_items, .grain = grains & (0 - grains)};
    if (region->in_stamps && (sieve_renews(&region->sieve, &plan) ||
                              !checker->sink.follows(checker->sink.self, event->origin.launch, &region->keeper)))
        settle(checker, region);
    struct marking marking = {checker, region, !sieve_open(&region->sieve, &plan)};
    if (!marking.failed) {
        journal_replay(&region->journal, mark, &marking);
        notes_replay(&region->sieve.notes, mark, &marking);
    }
    if (marking.failed)
        sieve_close(&region->sieve);
    region->sieved = marking.failed ? NULL : event->origin.launch->kernel;
    return !marking.failed;
}

/* The lanes have one tick in common. */
static bool take_sieve(struct checker *checker, const struct access_event *event, struct shadow_region *region, uint64_t tick, uint64_t base)
{
    const struct crew *crew = &checker->crew;
    const bool local = region->space == IN_LOCAL;
    if (local && !crew->one_group)
        return false;
    if (!region->sieve.open && !open_sieve(checker, event, region))
        return false;
    const struct wave_crew by = crew_in(checker, &event->origin, region, base);
    return sieve_take(&region->sieve, event, &by, tick, scope_in(checker, region, event->scope));
}

static void access_lane(struct checker *checker, const struct access_event *event, uint64_t lane)
{
    uint64_t mask[LANE_MASK_WORDS] = {0};
    mask[lane / 64] = UINT64_C(1) << lane % 64;
    access_lanes(checker, event, mask);
}

/* ---- relaxed updates of a group that synchronises ------------------------------------------ */

enum { WORDS_MOST = HOSTILE(8, 2) };

static bool is_in(const struct shadow_region *region, uint64_t address)
{
    return address >= region->low && address < region->high;
}

/* NULL: something could race there. */
static struct crowd *calm_word(const struct turns *turns, uint64_t address)
{
    return is_in(turns->region, address) ? shadow_calm(turns->region, &turns->atomic, address) : NULL;
}

/* A member does so where nothing could race. False: it was not done. */
static bool take_turn(struct checker *checker, struct turns *turns, uint64_t lane, uint64_t address)
{
    const uint64_t unit = checker->crew.first_unit + lane, local = unit - checker->crew.group * checker->order.group_items;
    struct group_order *group = turns->run.group;
    struct item_order *item = group->items[local];
    if (!item || !is_in(turns->region, address))
        return false;
    turns->atomic.how.tick = (uint32_t)order_member_slice(group, item);
    if (!shadow_stays_calm(turns->region, &turns->calm, &turns->atomic, address))
        return false;
    checker->shadow.failed |= !shadow_add(turns->calm.crowd, &turns->atomic, unit);
    turns->run.act.address = address;
    if (!order_update(&turns->run, local)) {
        struct agent agent;
        order_member(&checker->order, group->number, group, local, &agent);
        order_atomic(&checker->order, &agent, &turns->run.act);
    }
    way_taken(checker->ways, WAY_IN_TURN);
    return true;
}

static __attribute__((noinline)) bool turns_anew(struct checker *checker, const struct access_event *event, struct turns *out)
{
    const struct crew *crew = &checker->crew;
    struct group_order *group = crew->one_group ? order_group_find(&checker->order, crew->group) : NULL;
    if (event->kind != ACCESS_ATOMIC_UPDATE || event->image || checker->order.formal || event->size_bytes != 4 ||
        !group || !group->items || order_remembers(&checker->order))
        return false;
    struct shadow_region *region = region_at(checker, first_address(event));
    if (!region || !region->journal.spilt || !region->atomic)
        return false;
    const bool local = region->space == IN_LOCAL;
    if (local)
        renew_local(checker, region, crew->group);
    const struct atomic_act act = {.size = event->size_bytes, .region = region->space, .reads = true, .writes = true, .order = event->order,
                                   .scope = event->scope, .site = event->origin.site, .svm_atomics = region->svm_atomics};
    *out = (struct turns){.region = region,
                          .atomic = {.group = crew->group, .how = {.site = event->origin.site, .size = event->size_bytes, .kind = (uint8_t)event->kind,
                                                                   .order = (uint8_t)event->order,
                                                                   .scope = (uint8_t)scope_in(checker, region, event->scope)}}};
    order_updates_begin(&checker->order, group, &act, &out->run);
    out->crew = local ? 0 : crew->serial; /* it may begin anew */
    out->site = event->origin.site;
    return true;
}

/* NULL: they are none, or something of another kind comes among them. */
static struct turns *begin_turns(struct checker *checker, const struct access_event *event)
{
    struct turns *turns = &checker->turns[event->origin.site % TURNS];
    if (turns->crew == checker->crew.serial && turns->site == event->origin.site && is_in(turns->region, first_address(event)))
        return turns;
    return turns_anew(checker, event, turns) ? turns : NULL;
}

static void update_one(struct checker *checker, struct turns *turns, const struct access_event *event, uint64_t lane)
{
    if (!take_turn(checker, turns, lane, lane_address(event, lane)))
        access_lane(checker, event, lane);
}

/* Lanes at one word, where nothing could race. */
static void update_word(struct checker *checker, struct turns *turns, uint64_t address, struct crowd *crowd, const uint64_t *mask)
{
    struct update_lanes lanes = {.first = checker->crew.first_unit - checker->crew.group * checker->order.group_items};
    turns->run.act.address = address;
    order_updates(&turns->run, mask, &lanes);
    checker->shadow.failed |= !shadow_add_lanes(crowd, &turns->atomic, checker->crew.first_unit, mask, lanes.slice);
    way_taken(checker->ways, WAY_IN_TURN);
}

/* Words that lanes of one event meet at. */
struct word { uint64_t address, mask[LANE_MASK_WORDS]; struct crowd *crowd; };
struct words { struct word items[WORDS_MOST]; uint32_t used; };

/* False: there are too many of them, or something could race at one. */
static bool find_words(const struct turns *turns, const struct access_event *event, const uint64_t *mask, struct words *words)
{
    words->used = 0;
    EACH_LANE_OF(mask, lane)
    {
        const uint64_t address = lane_address(event, lane);
        const uint32_t at = address / 4 % WORDS_MOST;
        struct word *word = &words->items[at];
        if (!(words->used >> at & 1)) {
            *word = (struct word){.address = address, .crowd = calm_word(turns, address)};
            words->used |= UINT32_C(1) << at;
        }
        if (word->address != address || !word->crowd)
            return false;
        word->mask[lane / 64] |= UINT64_C(1) << lane % 64;
    }
    return true;
}

/* None of the lanes is one that failed. */
static void update_lanes(struct checker *checker, const struct access_event *event, const uint64_t *mask)
{
    struct words words;
    uint64_t lane;
    struct turns *turns = event->order == ORDER_RELAXED ? begin_turns(checker, event) : NULL;
    if (!turns) {
        access_lanes(checker, event, mask);
        return;
    }
    if (only_lane(mask, event->lane_count, &lane)) {
        update_one(checker, turns, event, lane);
        return;
    }
    if (!find_words(turns, event, mask, &words)) {
        EACH_LANE_OF(mask, each)
            update_one(checker, turns, event, each);
        return;
    }
    for (uint32_t at = 0; at < WORDS_MOST; at++) /* in any order: they have nothing in common, and nothing races */
        if (words.used >> at & 1)
            update_word(checker, turns, words.items[at].address, words.items[at].crowd, words.items[at].mask);
}

/* ---- atomics that teach nothing ---------------------------------------------------------- */

struct joining {
    struct checker *checker;
    const struct access_event *event;
    const struct group_order *group;
    const struct region *region;
    struct shadow_region *shadow;   /* NULL: lanes in this region go one by one */
    struct shadow_atomic atomic;
};

static void enter_region(struct joining *joining, uint64_t address)
{
    struct checker *checker = joining->checker;
    const struct access_event *event = joining->event;
    joining->region = memory_region(checker->memory, address);
    joining->shadow = is_watched(joining->region) ? region_of(checker, joining->region) : NULL;
    if (!joining->shadow)
        return;
    if (joining->shadow->space == IN_LOCAL)
        renew_local(checker, joining->shadow, checker->crew.group);
    joining->shadow->atomic = true;
    checker_spill(checker, joining->shadow);
    joining->atomic.group = checker->crew.group;
    joining->atomic.how = (struct context){
        .tick = joining->group ? (uint32_t)joining->group->slice : 1, .site = event->origin.site, .size = event->size_bytes,
        .kind = (uint8_t)event->kind, .order = (uint8_t)event->order,
        .scope = (uint8_t)scope_in(checker, joining->shadow, event->scope)};
}

/* One slice begins for all of them, in whichever group: nothing is between their deeds. */
static void remember_updates(struct checker *checker, const struct access_event *event, const struct shadow_region *region)
{
    const struct atomic_act act = {.size = event->size_bytes, .region = region->space, .reads = true, .writes = true,
                                   .order = event->order, .scope = event->scope, .site = event->origin.site,
                                   .svm_atomics = region->svm_atomics};
    const uint64_t tick = order_next_slice(&checker->order);
    EACH_LANE_OF(event->mask, lane)
        order_remember_update(&checker->order, &act, checker->crew.unit[lane], lane_address(event, lane), tick);
}

/* All of them through the sieve. */
static bool sift_updates(struct checker *checker, const struct access_event *event)
{
    const struct group_order *group = checker->crew.one_group ? order_group_find(&checker->order, checker->crew.group) : NULL;
    struct shadow_region *shadow = region_at(checker, first_address(event));
    uint64_t tick;
    if (!shadow || !common_tick(checker, &tick))
        return false;
    if (shadow->space == IN_LOCAL)
        renew_local(checker, shadow, checker->crew.group);
    const bool local = shadow->space == IN_LOCAL;
    if (scope_in(checker, shadow, event->scope) < (local ? SCOPE_WORK_GROUP : SCOPE_DEVICE) || checker->order.group_device)
        return false; /* not everybody's updates include it */
    if (shadow->journal.spilt || !take_sieve(checker, event, shadow, tick, group ? group->base[shadow->space] : 1))
        return false;
    shadow->atomic = true;
    way_taken(checker->ways, WAY_SIFTED);
    if (order_remembers(&checker->order))
        remember_updates(checker, event, shadow);
    return true;
}

/* Relaxed updates among others like them; the rest goes lane by lane. */
static bool take_atomics(struct checker *checker, const struct access_event *event)
{
    const struct crew *crew = &checker->crew;
    struct joining joining = {.checker = checker, .event = event};
    uint64_t rest[LANE_MASK_WORDS] = {0}, left = 0;
    if (event->kind != ACCESS_ATOMIC_UPDATE || event->order != ORDER_RELAXED || event->failed || checker->order.formal || event->image)
        return false;
    joining.group = crew->one_group ? order_group_find(&checker->order, crew->group) : NULL;
    if (!order_is_silent(&checker->order, joining.group)) /* of several groups the tick tells */
        return false;
    name_units(checker, &event->origin);
    if (sift_updates(checker, event))
        return true;
    if (order_remembers(&checker->order) || !crew->one_group)
        return false;
    EACH_LANE_OF(event->mask, lane)
    {
        uint64_t address = lane_address(event, lane);
        if (!joining.region || address < joining.region->low || address >= joining.region->high)
            enter_region(&joining, address);
        if (joining.shadow && shadow_join(joining.shadow, &joining.atomic, address, crew->unit[lane]))
            continue;
        rest[lane / 64] |= UINT64_C(1) << lane % 64;
        left++;
    }
    if (left)
        access_lanes(checker, event, rest);
    return true;
}

/* ---- waiting in a loop ---------------------------------------------------------------------- */

static bool is_same_done(const struct atomic_done *a, const struct atomic_done *b)
{
    return a->address == b->address && a->epoch == b->epoch && a->sort == b->sort && a->site == b->site;
}

static inline uint64_t slice_of_member(const struct checker *checker, struct group_order *group, uint64_t local)
{
    struct agent agent;
    if (group->items[local])
        return order_member_slice(group, group->items[local]);
    order_member(&checker->order, group->number, group, local, &agent);
    return order_slice(&agent);
}

/* Of the lanes that have not yet done so in their slice. */
static void read_calmly(struct checker *checker, struct group_order *group, struct crowd *crowd, struct shadow_atomic *atomic, const uint64_t *lanes)
{
    struct waiting *waiting = group->waiting;
    const uint64_t first = checker->crew.group * checker->order.group_items;
    for (uint32_t w = 0; w * 64 < checker->crew.lane_count; w++) {
        uint64_t rest = lanes[w] & ~waiting->done[w];
        for (waiting->done[w] |= lanes[w]; rest; rest &= rest - 1) {
            const uint64_t local = w * 64 + (uint64_t)__builtin_ctzll(rest);
            atomic->how.tick = (uint32_t)slice_of_member(checker, group, local);
            checker->shadow.failed |= !shadow_add(crowd, atomic, first + local);
        }
    }
}

/* Lanes that failed, one after another: they read a value together, and nothing races with them. False: it was not done. */
static bool fail_together(struct checker *checker, const struct access_event *event, struct turns *turns, const uint64_t *lanes)
{
    struct group_order *group = turns->run.group;
    struct shadow_atomic atomic = turns->atomic;
    struct atomic_act act = turns->run.act;
    if (!shadow_stays_calm(turns->region, &turns->calm, &turns->atomic, event->base))
        return false;
    atomic.how.kind = ACCESS_ATOMIC_READ;
    act.order = event->failure_order;
    atomic.how.order = (uint8_t)act.order;
    act.writes = false;
    act.address = event->base;
    if (!(group->waiting || (group->waiting = calloc(1, sizeof *group->waiting))) || !order_wait(&checker->order, group, &act, lanes))
        return false;
    const struct atomic_done done = {.address = event->base, .epoch = turns->calm.epoch, .sort = shadow_sort(&atomic.how), .site = turns->site};
    if (!is_same_done(&done, &group->waiting->latest))
        memset(group->waiting->done, 0, sizeof group->waiting->done);
    group->waiting->latest = done;
    read_calmly(checker, group, turns->calm.crowd, &atomic, lanes);
    return true;
}

static void fail(struct checker *checker, const struct access_event *event, const uint64_t *lanes)
{
    struct turns *turns = begin_turns(checker, event);
    if (!turns || !fail_together(checker, event, turns, lanes))
        access_lanes(checker, event, lanes);
}

/* The first lane gets it, all others fail. False: it was otherwise. */
static bool exchange_first(struct checker *checker, const struct access_event *event)
{
    const uint64_t done[LANE_MASK_WORDS] = {event->mask[0] & ~event->failed[0]}, failed[LANE_MASK_WORDS] = {event->mask[0] & event->failed[0]};
    struct turns *turns = NULL;
    if (done[0] && !(done[0] & (done[0] - 1)) && done[0] < (failed[0] & (0 - failed[0])))
        turns = begin_turns(checker, event);
    if (!turns)
        return false;
    if (event->order == ORDER_RELAXED)
        update_one(checker, turns, event, (uint64_t)__builtin_ctzll(done[0]));
    else
        access_lanes(checker, event, done);
    if (!fail_together(checker, event, turns, failed))
        access_lanes(checker, event, failed);
    return true;
}

/* Compare-exchanges of one object by a whole work-group of one wave. */
static bool take_exchanges(struct checker *checker, const struct access_event *event)
{
    const struct crew *crew = &checker->crew;
    if (!event->failed || event->shape != ADDRESS_UNIFORM || event->failure_order != ORDER_RELAXED || !crew->one_group ||
        crew->first_lane || checker->order.formal || event->image || order_remembers(&checker->order))
        return false;
    if (event->lane_count <= 64 && exchange_first(checker, event))
        return true;
    uint64_t failed[LANE_MASK_WORDS], done[LANE_MASK_WORDS], lanes[LANE_MASK_WORDS];
    for (uint32_t w = 0; w < LANE_MASK_WORDS; w++) {
        failed[w] = event->mask[w] & event->failed[w];
        done[w] = event->mask[w] & ~event->failed[w];
    }
    const uint32_t end = event->lane_count;
    for (uint32_t from = 0; from < end;) {
        uint32_t to = next_lane(failed, from, end, true);
        if (lanes_between(done, from, to, lanes))
            update_lanes(checker, event, lanes);
        from = next_lane(done, to, end, true);
        if (lanes_between(failed, to, from, lanes))
            fail(checker, event, lanes);
    }
    return true;
}

/* ---- plain waves -------------------------------------------------------------------------- */

/* It is in use, something was noted down already that a write may race with, or it served this kernel the last time. */
static bool wants_sieve(const struct shadow_region *region, const struct access_event *event)
{
    if (region->sieve.open || (event->kind == ACCESS_WRITE && region->sieve.notes.used))
        return true;
    return region->sieved == event->origin.launch->kernel && !region->journal.count && !region->sieve.notes.used;
}

/* True: all of it is dealt with. What is not, is done lane by lane. */
static bool take_whole(struct checker *checker, const struct access_event *event)
{
    uint64_t tick;
    if (event->copy || (event->image && event->kind == ACCESS_WRITE) || checker->order.formal || !common_tick(checker, &tick))
        return false;
    struct journal_event whole = {.site = event->origin.site, .size = event->size_bytes, .write = event->kind == ACCESS_WRITE,
                                  .extent = event->origin.launch->global_size, .group = checker->crew.group, .one_group = checker->crew.one_group,
                                  .tick = tick};
    if (event->shape != ADDRESS_LIST && stands(checker, event, whole.tick))
        return true;
    const struct region *region = memory_region(checker->memory, first_address(event));
    struct shadow_region *shadow = is_watched(region) ? region_of(checker, region) : NULL;
    if (!shadow)
        return !is_watched(region) && !is_of_host(checker, first_address(event));
    if (event->image)
        shadow->space = IN_IMAGE;
    if (shadow->space == IN_LOCAL)
        renew_local(checker, shadow, checker->crew.group);
    if (shadow->journal.spilt || (shadow->atomic && checker->order.variable_count))
        return false;
    const struct group_order *group = whole.one_group ? order_group_find(&checker->order, whole.group) : NULL;
    whole.region_base = group ? group->base[shadow->space] : 1;
    if (!wants_sieve(shadow, event) && (event->shape == ADDRESS_LIST ? take_gather(checker, event, shadow, whole.tick)
                                                                     : take_affine(checker, event, shadow, &whole)))
        return true;
    return take_sieve(checker, event, shadow, whole.tick, whole.region_base);
}

/* A plain access by one work-item of a group that synchronises, where the shadow is asked in any case. */
static bool take_alone(struct checker *checker, const struct access_event *event)
{
    uint64_t lane;
    if (event->shape != ADDRESS_UNIFORM || event->copy || event->image || checker->order.formal || !checker->crew.one_group ||
        !only_lane(event->mask, event->lane_count, &lane))
        return false;
    struct shadow_region *region = checker->alone.region;
    if (checker->alone.crew != checker->crew.serial || !is_in(region, event->base)) {
        region = region_at(checker, event->base);
        if (!region || !region->journal.spilt || region->space != IN_GLOBAL || is_early(checker, event))
            return false;
        checker->alone.crew = checker->crew.serial;
        checker->alone.region = region;
        name_units(checker, &event->origin);
    }
    struct acting acting = {.event = event, .first = checker->crew.group * checker->order.group_items};
    struct agent *agent = actor(checker, &acting, lane);
    const struct shadow_access now = {.agent = agent, .address = event->base,
                                      .how = {.tick = (uint32_t)order_slice(agent), .site = event->origin.site, .size = event->size_bytes,
                                              .kind = (uint8_t)event->kind, .order = (uint8_t)event->order}};
    shadow_access(&checker->shadow, region, &now);
    tell_news(checker);
    return true;
}

static __attribute__((noinline)) void plain_access(struct checker *checker, const struct access_event *event)
{
    if (!take_whole(checker, event) && !take_reads(checker, event))
        access_lanes(checker, event, event->mask);
}

static void atomic_access(struct checker *checker, const struct access_event *event)
{
    if (checker->atomics_wanted)
        misuse_access(&checker->misuse, event);
    if (!checker->races_wanted)
        return;
    checker->time++;
    man(checker, &event->origin, event->lane_count);
    if (event->failed ? !take_exchanges(checker, event) : !take_atomics(checker, event))
        (event->failed ? access_lanes : update_lanes)(checker, event, event->mask);
}

static void on_access(void *self, const struct access_event *event)
{
    struct checker *checker = self;
    if (event->kind > ACCESS_WRITE) {
        atomic_access(checker, event);
        return;
    }
    if (!checker->races_wanted)
        return;
    checker->time++;
    man(checker, &event->origin, event->lane_count);
    if (!stands_early(checker, event) && !take_alone(checker, event))
        plain_access(checker, event);
}

/* Contexts count ticks in 32 bits. */
static bool ticks_ran_out(struct checker *checker)
{
    return checker->order.failed |= checker->order.tick > UINT32_MAX;
}

static void on_race(void *self, const struct race *race, const struct shadow_access *now)
{
    struct checker *checker = self;
    struct shadow_access complete = *now;
    struct agent agent;
    if (ticks_ran_out(checker))
        return;
    order_agent(&checker->order, now->agent->unit, &agent);
    complete.agent = &agent;
    order_deliver(&checker->order, &agent);
    races_add(&checker->races, race, &complete, checker->time);
}

/* ---- synchronisation -------------------------------------------------------------------- */

static uint64_t group_of_lane(const struct checker *checker, uint64_t lane)
{
    return order_unit_group(&checker->order, checker->crew.unit[lane]);
}

static void fence(struct checker *checker, const struct sync_event *event)
{
    struct acting acting = {.first = checker->crew.group * checker->order.group_items};
    uint64_t one;
    if (only_lane(event->mask, event->lane_count, &one)) {
        order_fence(&checker->order, actor(checker, &acting, one), event->regions, event->order, event->scope, event->origin.site);
        return;
    }
    EACH_LANE_OF(event->mask, lane)
        order_fence(&checker->order, actor(checker, &acting, lane), event->regions, event->order, event->scope, event->origin.site);
}

static void sub_group_barrier(struct checker *checker, const struct sync_event *event)
{
    uint32_t latest = UINT32_MAX;
    EACH_LANE_OF(event->mask, lane)
    {
        uint32_t sub_group = order_unit_sub_group(&checker->order, checker->crew.unit[lane]);
        if (sub_group == latest)
            continue;
        latest = sub_group;
        order_sub_group_barrier(&checker->order, group_of_lane(checker, lane), sub_group, event->regions, event->scope,
                                event->origin.site);
    }
}

static void perform_held(struct checker *checker, const struct held_access *held)
{
    struct shadow_region *region = shadow_at(checker, memory_region(checker->memory, held->address), held->address);
    struct agent agent;
    if (!region)
        return;
    order_agent(&checker->order, held->unit, &agent);
    if (region->space == IN_LOCAL)
        renew_local(checker, region, agent.place.group);
    checker_spill(checker, region);
    const struct shadow_access now = {.agent = &agent, .address = held->address,
                                      .how = {.tick = (uint32_t)order_slice(&agent), .site = held->site, .size = held->size, .kind = (uint8_t)held->kind}};
    shadow_access(&checker->shadow, region, &now);
    tell_news(checker);
}

/* all: of the group that ends, too, although some of it never came. */
static void release_held(struct checker *checker, uint64_t group, bool all)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < checker->held_count; i++) {
        const struct held_access held = checker->held[i];
        if (order_copy_complete(&checker->order, held.unit) || (all && order_unit_group(&checker->order, held.unit) == group))
            perform_held(checker, &held);
        else
            checker->held[kept++] = held;
    }
    checker->held_count = kept;
}

/* Waves come to a copy one after another. */
static void copy_starts(struct checker *checker, const struct sync_event *event)
{
    const uint64_t group = checker->crew.group;
    uint64_t count = 0;
    for (uint32_t w = 0; w < LANE_MASK_WORDS; w++)
        count += (uint64_t)__builtin_popcountll(event->mask[w]);
    if (count == order_group_size(&checker->order, group)) {
        order_copy_start(&checker->order, group, event->copy, event->origin.site);
        return;
    }
    EACH_LANE_OF(event->mask, lane)
        order_copy_arrive(&checker->order, checker->crew.unit[lane], event->copy, event->origin.site);
    release_held(checker, group, false);
}

static void named_barrier(struct checker *checker, const struct sync_event *event)
{
    const uint64_t group = checker->crew.group;
    uint32_t latest = UINT32_MAX;
    EACH_LANE_OF(event->mask, lane)
    {
        const uint32_t sub_group = order_unit_sub_group(&checker->order, checker->crew.unit[lane]);
        if (sub_group != latest)
            order_named_arrival(&checker->order, group, sub_group);
        latest = sub_group;
    }
    if (event->last)
        order_named_barrier(&checker->order, group, event->regions, event->scope, event->origin.site);
}

/* What work-groups wait at is never met by several of them in one wave. */
static void once_per_group(struct checker *checker, const struct sync_event *event)
{
    uint64_t group = checker->crew.group;
    if (event->kind == SYNC_COPY_WAIT)
        order_copy_wait(&checker->order, group, event->copy);
    else
        order_barrier(&checker->order, group, RULE(20) ? event->regions : REGION_GLOBAL, event->scope, event->origin.site);
}

static void on_sync(void *self, const struct sync_event *event)
{
    struct checker *checker = self;
    if (checker->atomics_wanted)
        misuse_sync(&checker->misuse, event);
    if (!checker->races_wanted || (event->kind == SYNC_COLLECTIVE && RULE(20))) /* values pass, and no order */
        return;
    checker->time++;
    man(checker, &event->origin, event->lane_count);
    if (event->kind == SYNC_COPY || (event->kind <= SYNC_NAMED_BARRIER && event->kind != SYNC_WORK_GROUP_BARRIER))
        name_units(checker, &event->origin);
    if (event->kind == SYNC_FENCE)
        fence(checker, event);
    else if (event->kind == SYNC_SUB_GROUP_BARRIER)
        sub_group_barrier(checker, event);
    else if (event->kind == SYNC_COPY)
        copy_starts(checker, event);
    else if (event->kind == SYNC_NAMED_BARRIER)
        named_barrier(checker, event);
    else if (event->last)
        once_per_group(checker, event);
}

/* ---- launches ------------------------------------------------------------------------------ */

static void note_compute_unit(struct checker *checker, const struct launch_event *event)
{
    const uint64_t *count = event->launch->group_count, groups = count[0] * count[1] * count[2];
    if (groups > checker->unit_room) {
        free(checker->compute_units);
        checker->compute_units = calloc(groups, sizeof *checker->compute_units);
        checker->unit_room = checker->compute_units ? groups : 0;
    }
    if (checker->compute_units)
        checker->compute_units[event->group_linear] = event->compute_unit;
    checker->races.compute_units = checker->compute_units;
}

static void say_failure(struct checker *checker)
{
    if (checker->told_failure || !(checker->shadow.failed || checker->order.failed || checker->order.pool.failed || checker->races.failed))
        return;
    checker->told_failure = true;
    checker->races_wanted = false;
    fputs("orrery: race checking ends here: out of memory\n", stderr);
    if (checker->races.report)
        report_miss(checker->races.report, CHECK_RACES);
}

static void launch_ends(struct checker *checker, const struct launch_info *launch)
{
    if (checker->has_sink)
        checker_hand_over(checker, launch);
    checker->ended_count = 0; /* what they knew goes with the order */
    races_end(&checker->races);
    ticks_ran_out(checker);
    say_failure(checker);
    order_launch_end(&checker->order);
    for (uint32_t i = 0; i < checker_shadow_count(checker); i++) {
        struct shadow_region *region = checker_shadow_number(checker, i);
        if (region && !region->in_place)
            shadow_forget(region);
        if (region)
            region->atomic = false;
    }
}

static void on_launch(void *self, const struct launch_event *event)
{
    struct checker *checker = self;
    switch (event->phase) {
    case LAUNCH_BEGIN:
        checker->crew.launch = NULL;
        checker->actor.serial = 0;
        order_launch_begin(&checker->order, event->launch);
        checker->held_count = 0;
        races_begin(&checker->races, event->launch);
        misuse_begin(&checker->misuse);
        break;
    case LAUNCH_END: launch_ends(checker, event->launch); break;
    case GROUP_BEGIN: note_compute_unit(checker, event); break;
    case GROUP_END:
        if (checker->held_count)
            release_held(checker, event->group_linear, true);
        checker_keep_group(checker, event);
        checker->actor.serial = 0;
        order_group_end(&checker->order, event->group_linear);
        order_rest(&checker->order);
        break;
    }
}

/* ---- life ------------------------------------------------------------------------------------- */

struct checker *checker_new(const struct memory *memory, struct report *report, const struct scenario *scenario,
                            const struct checker_host *host)
{
    struct checker *checker = calloc(1, sizeof *checker);
    if (!checker)
        return NULL;
    checker->memory = memory;
    checker->scenario = scenario;
    checker->host = *host;
    checker->races_wanted = scenario->checks[CHECK_RACES] != SEVERITY_OFF;
    checker->atomics_wanted = scenario->checks[CHECK_ATOMICS] != SEVERITY_OFF;
    order_init(&checker->order, scenario->device.scope_rule);
    checker->order.history = &checker->history;
    checker->order.ways = checker->ways;
    checker->spare.most = SPARE_BYTES;
    checker->shadow = (struct shadow){.order = &checker->order, .self = checker, .race = on_race, .tallies = checker->races.recent, .time = &checker->time,
                                      .enough = TALLY_ENOUGH};
    checker->races = (struct races){.report = report, .host = &checker->host, .memory = memory, .order = &checker->order};
    checker->misuse = (struct misuse){.report = report, .host = &checker->host, .scenario = scenario};
    return checker;
}

void checker_forgo_history(struct checker *checker)
{
    checker->history.forgone = checker->history.full = true;
}

void checker_rest(struct checker *checker)
{
    order_rest_all(&checker->order);
}

void checker_count_races(struct checker *checker, uint64_t enough)
{
    checker->shadow.enough = enough;
}

const uint64_t *checker_ways(const struct checker *checker)
{
    return checker->ways;
}

bool checker_failed(const struct checker *checker)
{
    return checker->told_failure;
}

void checker_free(struct checker *checker)
{
    if (!checker)
        return;
    for (uint32_t i = 0; i < checker->region_room; i++) {
        if (checker->regions[i])
            shadow_region_fini(checker->regions[i]);
        free(checker->regions[i]);
    }
    windows_fini(&checker->windows);
    races_end(&checker->races);
    order_fini(&checker->order);
    history_fini(&checker->history);
    misuse_fini(&checker->misuse);
    free(checker->regions);
    free(checker->compute_units);
    free(checker->ended);
    free(checker->held);
    free(checker);
}

void checker_observer(struct checker *checker, struct observer *out_observer)
{
    *out_observer = (struct observer){.self = checker, .access = on_access, .sync = on_sync, .launch = on_launch};
}

void checker_set_sink(struct checker *checker, const struct footprint_sink *sink)
{
    checker->sink = *sink;
    checker->has_sink = true;
}
