/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What launches and commands did in an allocation, as lines of a journal for each, while all who touch it know wholly of all that
 * others wrote there, and wrote nothing that others are at: then nothing there races between them, and what races within one is
 * not ours. The first that does not know has all of it put into the shadow, in that order.
 */
#include "cross_state.h"

enum { KEPT_LEAST_BYTES = HOSTILE(64 << 10, 1 << 10) };

/* ---- who ------------------------------------------------------------------------------------- */

static struct kept *kept_of(struct cross_launch *cross, const struct shadow_region *region)
{
    const uint32_t index = (uint32_t)(memory_region(cross->memory, region->low) - cross->memory->regions);
    if (index >= cross->kept_room) {
        const uint32_t room = cross->region_room > index ? cross->region_room : index + 1;
        struct kept *grown = realloc(cross->kept, room * sizeof *grown);
        cross->shadow.failed |= !grown;
        if (!grown)
            return NULL;
        memset(grown + cross->kept_room, 0, (room - cross->kept_room) * sizeof *grown);
        cross->kept = grown;
        cross->kept_room = room;
    }
    return &cross->kept[index];
}

static void free_lines(struct journal_line *lines, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        free(lines[i].boxes);
}

static void toucher_fini(struct toucher *toucher)
{
    if (toucher->journal)
        journal_fini(toucher->journal);
    free(toucher->journal);
    free_lines(toucher->lines, toucher->line_count);
    free(toucher->lines);
}

static void forget(struct kept *kept)
{
    for (uint32_t i = 0; i < kept->count; i++)
        toucher_fini(&kept->touchers[i]);
    free(kept->touchers);
    *kept = (struct kept){0};
}

void cross_kept_fini(struct cross_launch *cross)
{
    for (uint32_t i = 0; i < cross->kept_room; i++)
        forget(&cross->kept[i]);
    free(cross->kept);
    cross->kept = NULL;
    cross->kept_room = 0;
}

void cross_kept_renew(struct cross_launch *cross, const struct shadow_region *region)
{
    struct kept *kept = kept_of(cross, region);
    if (kept)
        forget(kept);
}

/* It has ended: as few bytes as there are lines. No memory: they stay where they are. */
static void pack(struct kept *kept, struct toucher *toucher)
{
    struct journal *journal = toucher->journal;
    uint64_t boxes = 0;
    for (uint32_t i = 0; i < journal->count; i++)
        boxes += journal->lines[i].count;
    toucher->lines = malloc(journal->count * sizeof *toucher->lines);
    if (!toucher->lines)
        return;
    memcpy(toucher->lines, journal->lines, journal->count * sizeof *toucher->lines);
    toucher->line_count = journal->count;
    kept->bytes += toucher->line_count * sizeof *toucher->lines + boxes * sizeof(struct journal_box);
    for (uint32_t i = 0; i < toucher->line_count; i++) {
        struct journal_box *fitting = realloc(toucher->lines[i].boxes, toucher->lines[i].count * sizeof *fitting);
        toucher->lines[i].boxes = fitting ? fitting : toucher->lines[i].boxes;
    }
    free_lines(journal->lines + journal->count, JOURNAL_LINES - journal->count);
    free(journal);
    toucher->journal = NULL;
}

static struct toucher *toucher_of(struct cross_launch *cross, struct kept *kept, uint32_t member)
{
    for (uint32_t i = kept->count; i > 0; i--)
        if (kept->touchers[i - 1].member == member)
            return &kept->touchers[i - 1];
    for (uint32_t i = 0; i < kept->count; i++)
        if (kept->touchers[i].journal && !cross_is_running(&cross->members[kept->touchers[i].member]))
            pack(kept, &kept->touchers[i]);
    struct journal *journal = calloc(1, sizeof *journal);
    if (!journal || !cross_room_for((void **)&kept->touchers, kept->count, &kept->room, sizeof *kept->touchers)) {
        free(journal);
        return NULL;
    }
    kept->touchers[kept->count] = (struct toucher){.member = member, .journal = journal};
    return &kept->touchers[kept->count++];
}

/* All others that wrote, or if it writes all others. Whoever comes later knows of it, or does not conflict: that stays so. */
static bool knows_others(const struct cross_launch *cross, const struct kept *kept, struct toucher *toucher, bool write)
{
    bool *knows = write ? &toucher->knows_all : &toucher->knows_writers;
    for (uint32_t i = 0; !*knows && i < kept->count; i++) {
        const struct toucher *other = &kept->touchers[i];
        if (other != toucher && (write || other->wrote) && !cross_knows_wholly(cross, &cross->members[toucher->member], other->member))
            return false;
    }
    return *knows = true;
}

/* ---- into the shadow ------------------------------------------------------------------------- */

struct piece { const struct journal_line *line; const struct journal_box *box; };

/* What one unit does later stands for what it did before; of others all is known from the begin, or does not conflict. */
static int by_tick(const void *a, const void *b)
{
    const struct piece *x = a, *y = b;
    if (x->box->tick != y->box->tick)
        return x->box->tick < y->box->tick ? -1 : 1;
    return x->line != y->line ? (x->line < y->line ? -1 : 1) : x->box < y->box ? -1 : x->box > y->box;
}

struct putting { struct cross_launch *cross; struct shadow_region *region; const struct member *member; struct group_order group; };

static uint64_t unit_at(const struct cross_launch *cross, const struct member *member, const uint64_t position[3])
{
    const struct order_launch *launch = &cross->launches[member - cross->members];
    uint64_t group = 0, local = 0;
    for (int axis = 2; axis >= 0; axis--) {
        const uint64_t id = position[axis] / launch->local_size[axis], left = launch->global_size[axis] - id * launch->local_size[axis];
        group = group * launch->group_count[axis] + id;
        local = local * (left < launch->local_size[axis] ? left : launch->local_size[axis]) + position[axis] % launch->local_size[axis];
    }
    return (launch->first_group + group) * cross->order.group_items + local;
}

static void put(void *self, const struct past_access *access)
{
    struct putting *putting = self;
    struct cross_launch *cross = putting->cross;
    struct agent agent;
    if (cross_failed(cross))
        return;
    order_agent(&cross->order, unit_at(cross, putting->member, access->position), &agent);
    agent.group = &putting->group;
    agent.item = NULL;
    putting->group.number = agent.place.group;
    const struct shadow_access now = {.agent = &agent, .address = access->address,
                                      .how = {.tick = (uint32_t)access->tick, .site = access->site, .size = access->size, .kind = (uint8_t)access->kind}};
    shadow_access(&cross->shadow, putting->region, &now);
}

static void put_lines(struct cross_launch *cross, struct shadow_region *region, const struct toucher *toucher)
{
    const struct journal_line *lines = toucher->journal ? toucher->journal->lines : toucher->lines;
    const uint32_t line_count = toucher->journal ? toucher->journal->count : toucher->line_count;
    struct putting putting = {.cross = cross, .region = region, .member = &cross->members[toucher->member]};
    size_t count = 0;
    for (uint32_t i = 0; i < line_count; i++)
        count += lines[i].count;
    struct piece *pieces = malloc((count + 1) * sizeof *pieces);
    cross->shadow.failed |= !pieces;
    if (!pieces)
        return;
    count = 0;
    for (uint32_t i = 0; i < line_count; i++)
        for (uint32_t b = 0; b < lines[i].count; b++)
            pieces[count++] = (struct piece){&lines[i], &lines[i].boxes[b]};
    qsort(pieces, count, sizeof *pieces, by_tick);
    for (size_t i = 0; i < count; i++)
        journal_replay_box(pieces[i].line, pieces[i].box, put, &putting);
    free(pieces);
}

void cross_spill(struct cross_launch *cross, struct shadow_region *region)
{
    struct kept *kept = kept_of(cross, region);
    if (!kept || kept->spilt)
        return;
    const struct kept all = *kept;
    *kept = (struct kept){.spilt = true}; /* before: it is asked for again */
    for (uint32_t i = 0; i < all.count; i++)
        put_lines(cross, region, &all.touchers[i]);
    for (uint32_t i = 0; i < all.count; i++)
        toucher_fini(&all.touchers[i]);
    free(all.touchers);
}

/* ---- what comes ------------------------------------------------------------------------------ */

static bool keep(struct cross_launch *cross, const struct member *member, struct shadow_region *region, const struct journal_event *event)
{
    struct kept *kept = kept_of(cross, region);
    uint64_t low, high;
    journal_event_range(event, &low, &high);
    if (!kept || kept->spilt || low < region->low || high > region->high || kept->bytes > KEPT_LEAST_BYTES + (region->high - region->low))
        return false;
    struct toucher *toucher = toucher_of(cross, kept, (uint32_t)(member - cross->members));
    if (!toucher || !toucher->journal || !knows_others(cross, kept, toucher, event->write) || !journal_take(toucher->journal, event))
        return false;
    toucher->wrote |= event->write;
    return true;
}

/* The tick of all lanes; false: they have none in common. */
static bool common_tick(const struct cross_launch *cross, const struct access_event *event, const struct group_order *group, uint64_t *out_tick)
{
    const struct cross_wave *wave = &cross->wave;
    uint64_t tick = 0;
    if (wave->one_group && group && !group->items && !group->sub_groups) {
        *out_tick = group->slice;
        return true;
    }
    for (uint64_t lane = 0; lane < event->lane_count; lane++) {
        struct agent agent;
        if (!(event->mask[lane / 64] >> lane % 64 & 1))
            continue;
        order_agent(&cross->order, wave->unit[lane], &agent);
        const uint64_t slice = order_slice(&agent);
        if (tick && slice != tick)
            return false;
        tick = slice;
    }
    *out_tick = tick;
    return tick;
}

bool cross_keep(struct cross_launch *cross, const struct member *member, const struct access_event *event, const struct group_order *group, uint32_t site)
{
    struct journal_event lines[CREW_LINES_MOST];
    uint64_t tick;
    if (event->kind > ACCESS_WRITE || event->image || event->shape == ADDRESS_LIST || !common_tick(cross, event, group, &tick))
        return false;
    if (!crew_spans(&cross->crew, &event->origin, event->lane_count))
        crew_place(&cross->crew, &event->origin, event->lane_count);
    lines[0] = (struct journal_event){.site = site, .size = event->size_bytes, .write = event->kind == ACCESS_WRITE,
                                      .extent = event->origin.launch->global_size, .group = cross->wave.group, .tick = tick};
    const uint32_t count = crew_lines(&cross->crew, event, lines);
    struct shadow_region *region = count ? cross_region_at(cross, lines[0].base) : NULL;
    for (uint32_t i = 0; region && i < count; i++)
        if (!keep(cross, member, region, &lines[i]))
            return false;
    return region;
}

bool cross_keep_range(struct cross_launch *cross, const struct member *member, struct shadow_region *region, uint64_t address, const struct context *how)
{
    const struct journal_event event = {.site = how->site, .size = how->size, .write = how->kind == ACCESS_WRITE, .base = address, .known = 7,
                                        .high = {1, 1, 1}, .tick = how->tick, .extent = member->shape.global_size};
    return how->kind <= ACCESS_WRITE && keep(cross, member, region, &event);
}
