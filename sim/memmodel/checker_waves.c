/* SPDX-License-Identifier: Apache-2.0 */
/* Plain accesses of whole waves: journal and sieve. */
#include "checker_state.h"

#include <string.h>

/* ---- ticks of whole waves ----------------------------------------------------------- */

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
bool checker_common_tick(const struct checker *checker, uint64_t *out_tick)
{
    const struct crew *crew = &checker->crew;
    if (!crew->one_group)
        return tick_of_groups(checker, out_tick);
    const struct group_order *group = order_group_find(&checker->order, crew->group);
    *out_tick = group ? group->slice : 1;
    return !group || !(group->items || group->sub_groups);
}

/* The lanes as notes and sieve know them. */
static struct wave_crew checker_crew_in(struct checker *checker, const struct origin *origin, const struct shadow_region *region, uint64_t base)
{
    const struct crew *crew = &checker->crew;
    const bool local = region->space == IN_LOCAL;
    if (!crew->in_a_row)
        checker_name_units(checker, origin);
    return (struct wave_crew){.serial = crew->serial, .first_unit = crew->first_unit, .unit = crew->unit, .lanes = crew->lane_count,
                              .in_a_row = crew->in_a_row, .one_group = crew->one_group,
                              .group = local ? 0 : crew->group, .base = local ? 1 : base,
                              .unit_low = crew->group * checker->order.group_items};
}

static bool take_gather(struct checker *checker, const struct access_event *event, struct shadow_region *region, uint64_t tick)
{
    if (event->kind == ACCESS_WRITE || region->journal.has_write)
        return false;
    const struct wave_crew crew = checker_crew_in(checker, &event->origin, region, 1);
    return sieve_note(&region->sieve, event, &crew, tick);
}

/* ---- reads of what nobody writes --------------------------------------------------- */

/* All of it lies there. */
static bool lies_in(const struct access_event *event, const struct shadow_region *region)
{
    uint64_t outside = 0;
    EACH_LANE_OF(event->mask, lane)
    {
        const uint64_t offset = lane_address(event, lane) - region->low;
        outside |= offset > region->high - region->low - event->size_bytes;
    }
    return !outside && event->size_bytes <= region->high - region->low;
}

static bool take_only_read(const struct checker *checker, const struct access_event *event, struct shadow_region *region)
{
    const struct context how = {.kind = ACCESS_READ, .site = event->origin.site, .size = event->size_bytes};
    bool noted = lies_in(event, region);
    EACH_LANE_OF(event->mask, lane)
        noted = noted && checker_note_read(checker, region, &how, lane_address(event, lane));
    return noted;
}

/* ---- reads, noted down ------------------------------------------------------------- */

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
        const struct wave_crew crew = checker_crew_in(checker, &reads->event.origin, reads->region, 1);
        taken = sieve_note(&reads->region->sieve, &reads->event, &crew, reads->tick);
    }
    memset(reads->mask, 0, sizeof reads->mask);
    return taken;
}

static bool may_log(const struct shadow_region *region)
{
    return region && region->space == IN_GLOBAL && !region->atomic && !region->journal.has_write && !region->journal.spilt &&
           !region->sieve.open && !region->reads.open;
}

/* Reads of work-items that have ticks of their own, or of scattered lanes, of what nothing has written yet. */
bool checker_take_reads(struct checker *checker, const struct access_event *event)
{
    struct alike_reads reads;
    if (event->kind != ACCESS_READ || event->copy || event->image || checker->order.formal || !may_log(region_at(checker, first_address(event))))
        return false;
    checker_name_units(checker, &event->origin);
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

/* ---- in the journal ----------------------------------------------------------------- */

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

/* One row that goes on where the one before it ended: the usual wave. */
static inline __attribute__((always_inline)) bool continues(struct checker *checker, const struct access_event *event, struct shadow_region *region, uint64_t tick)
{
    const struct crew *crew = &checker->crew;
    const bool one_row = event->shape == ADDRESS_AFFINE && event->row >= crew->lane_count && crew->in_rows && crew->row == crew->lane_count;
    if (!one_row || !all_set(event->mask, 0, crew->lane_count))
        return false;
    const struct journal_row row = {.site = event->origin.site, .size = event->size_bytes, .lanes = crew->lane_count, .write = event->kind == ACCESS_WRITE,
                                    .one_group = crew->one_group, .base = event->base, .step = event->step_x, .low = crew->low, .group = crew->group, .tick = tick};
    const bool taken = journal_continue(&region->journal, &row);
    if (taken)
        way_taken(checker->ways, WAY_ON);
    return taken;
}

/* False: some of it may stand in the journal. base: of the group, in this memory. */
static inline __attribute__((always_inline)) bool take_affine(struct checker *checker, const struct access_event *event, struct shadow_region *region, uint64_t tick, uint64_t base)
{
    struct journal_event lines[CREW_LINES_MOST];
    const struct crew *crew = &checker->crew;
    if (continues(checker, event, region, tick))
        return true;
    lines[0].site = event->origin.site; /* each field, and the rest by crew_lines: all at once they are cleared first, which takes longer */
    lines[0].size = event->size_bytes;
    lines[0].write = event->kind == ACCESS_WRITE;
    lines[0].extent = event->origin.launch->global_size;
    lines[0].group = crew->group;
    lines[0].one_group = crew->one_group;
    lines[0].tick = tick;
    lines[0].region_base = base;
    const uint32_t count = crew_lines(crew, event, lines);
    for (uint32_t i = 0; i < count; i++)
        if (!journal_take(&region->journal, &lines[i]))
            return false;
    if (count == 1 && event->kind == ACCESS_READ)
        stand(checker, event, region, &lines[0]);
    return count;
}

/* ---- through the sieve --------------------------------------------------------------------- */

struct marking { struct checker *checker; struct shadow_region *region; bool failed; };

static void mark(void *self, const struct past_access *access)
{
    struct marking *marking = self;
    struct checker *checker = marking->checker;
    const int space = marking->region->space;
    struct past_access known = *access;
    known.unit = checker_access_unit(checker, access);
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
        checker_settle(checker, region);
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
bool checker_take_sieve(struct checker *checker, const struct access_event *event, struct shadow_region *region, uint64_t tick, uint64_t base)
{
    const struct crew *crew = &checker->crew;
    const bool local = region->space == IN_LOCAL;
    if (local && !crew->one_group)
        return false;
    if (!region->sieve.open && !open_sieve(checker, event, region))
        return false;
    const struct wave_crew by = checker_crew_in(checker, &event->origin, region, base);
    return sieve_take(&region->sieve, event, &by, tick, scope_in(checker, region, event->scope));
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
bool checker_take_whole(struct checker *checker, const struct access_event *event)
{
    uint64_t tick;
    if (event->copy || (event->image && event->kind == ACCESS_WRITE) || checker->order.formal || !checker_common_tick(checker, &tick))
        return false;
    if (event->shape != ADDRESS_LIST && stands(checker, event, tick))
        return true;
    const struct region *region = memory_region(checker->memory, first_address(event));
    struct shadow_region *shadow = is_watched(region) ? region_of(checker, region) : NULL;
    if (!shadow)
        return !is_watched(region) && !is_of_host(checker, first_address(event));
    if (event->image)
        shadow->space = IN_IMAGE;
    if (shadow->space == IN_LOCAL)
        checker_renew_local(checker, shadow, checker->crew.group);
    shadow->sieve.notes.group_items = checker->apart_items;
    if (shadow->journal.spilt || (shadow->atomic && checker->order.variable_count))
        return false;
    if (shadow->reads.open)
        return event->kind == ACCESS_READ && take_only_read(checker, event, shadow);
    const struct group_order *group = checker->crew.one_group ? order_group_find(&checker->order, checker->crew.group) : NULL;
    const uint64_t base = group ? group->base[shadow->space] : 1;
    const bool gathers = event->shape == ADDRESS_LIST || event->image; /* the turns of images are seldom even */
    const bool to_sieve = wants_sieve(shadow, event) && !(event->kind == ACCESS_READ && checker_only_reads(checker, shadow));
    if (!to_sieve && (gathers ? take_gather(checker, event, shadow, tick) : take_affine(checker, event, shadow, tick, base)))
        return true;
    return event->kind == ACCESS_READ && checker_only_reads(checker, shadow) ? take_only_read(checker, event, shadow)
                                                                             : checker_take_sieve(checker, event, shadow, tick, base);
}
