/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What launches and commands did in an allocation, as lines of an affine filter for each, while all who touch
 * it know wholly of all that others wrote there, and wrote nothing that others are at: then nothing there
 * races between them, and what races within one is not ours. The first that does not know has all of it put
 * into the shadow, in that order.
 */
#include "inter_launch_state.h"

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

static void free_lines(struct affine_filter_line *lines, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        free(lines[i].boxes);
}

static void toucher_fini(struct toucher *toucher)
{
    if (toucher->affine_filter)
        affine_filter_fini(toucher->affine_filter);
    free(toucher->affine_filter);
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
    struct affine_filter *affine_filter = toucher->affine_filter;
    uint64_t boxes = 0;
    for (uint32_t i = 0; i < affine_filter->count; i++)
        boxes += affine_filter->lines[i].count;
    toucher->lines = malloc(affine_filter->count * sizeof *toucher->lines);
    if (!toucher->lines)
        return;
    memcpy(toucher->lines, affine_filter->lines, affine_filter->count * sizeof *toucher->lines);
    toucher->line_count = affine_filter->count;
    kept->bytes += toucher->line_count * sizeof *toucher->lines + boxes * sizeof(struct affine_filter_box);
    for (uint32_t i = 0; i < toucher->line_count; i++) {
        struct affine_filter_box *fitting =
            realloc(toucher->lines[i].boxes, toucher->lines[i].count * sizeof *fitting);
        toucher->lines[i].boxes = fitting ? fitting : toucher->lines[i].boxes;
    }
    free_lines(affine_filter->lines + affine_filter->count, AFFINE_FILTER_LINES - affine_filter->count);
    free(affine_filter);
    toucher->affine_filter = NULL;
}

static struct toucher *toucher_of(struct cross_launch *cross, struct kept *kept, uint32_t member)
{
    for (uint32_t i = kept->count; i > 0; i--)
        if (kept->touchers[i - 1].member == member)
            return &kept->touchers[i - 1];
    for (uint32_t i = 0; i < kept->count; i++)
        if (kept->touchers[i].affine_filter && !cross_is_running(&cross->members[kept->touchers[i].member]))
            pack(kept, &kept->touchers[i]);
    struct affine_filter *affine_filter = calloc(1, sizeof *affine_filter);
    if (!affine_filter ||
        !cross_room_for((void **)&kept->touchers, kept->count, &kept->room, sizeof *kept->touchers)) {
        free(affine_filter);
        return NULL;
    }
    kept->touchers[kept->count] = (struct toucher){.member = member, .affine_filter = affine_filter};
    return &kept->touchers[kept->count++];
}

/* All others that wrote, or if it writes all others. Whoever comes later knows of it, or does not
 * conflict: that stays so. */
static bool knows_others(const struct cross_launch *cross, const struct kept *kept, struct toucher *toucher,
                         bool write)
{
    bool *knows = write ? &toucher->knows_all : &toucher->knows_writers;
    for (uint32_t i = 0; !*knows && i < kept->count; i++) {
        const struct toucher *other = &kept->touchers[i];
        if (other != toucher && (write || other->wrote) &&
            !cross_knows_wholly(cross, &cross->members[toucher->member], other->member))
            return false;
    }
    return *knows = true;
}

/* ---- into the shadow ------------------------------------------------------------------------- */

struct piece {
    const struct affine_filter_line *line;
    const struct affine_filter_box *box;
};

/* What one unit does later stands for what it did before; of others all is known from the begin, or does
 * not conflict. */
static int by_clock(const void *a, const void *b)
{
    const struct piece *x = a, *y = b;
    if (x->box->clock != y->box->clock)
        return x->box->clock < y->box->clock ? -1 : 1;
    return x->line != y->line ? (x->line < y->line ? -1 : 1) : x->box < y->box ? -1 : x->box > y->box;
}

struct putting {
    struct cross_launch *cross;
    struct shadow_region *region;
    const struct member *member;
    struct group_order group;
};

static uint64_t unit_at(const struct cross_launch *cross, const struct member *member,
                        const uint64_t position[3])
{
    const struct order_launch *launch = &cross->launches[member - cross->members];
    uint64_t group = 0, local = 0;
    for (int axis = 2; axis >= 0; axis--) {
        const uint64_t id = position[axis] / launch->local_size[axis],
                       left = launch->global_size[axis] - id * launch->local_size[axis];
        group = group * launch->group_count[axis] + id;
        local = local * (left < launch->local_size[axis] ? left : launch->local_size[axis]) +
                position[axis] % launch->local_size[axis];
    }
    return (launch->first_group + group) * cross->order.group_items + local;
}

static void put(void *self, const struct past_access *access)
{
    struct putting *putting = self;
    struct cross_launch *cross = putting->cross;
    struct unit_state unit_state;
    if (cross_failed(cross))
        return;
    order_unit_state(&cross->order, unit_at(cross, putting->member, access->position), &unit_state);
    unit_state.group = &putting->group;
    unit_state.item = NULL;
    putting->group.number = unit_state.place.group;
    const struct shadow_access now = {.unit_state = &unit_state,
                                      .address = access->address,
                                      .how = {.clock = (uint32_t)access->clock,
                                              .site = access->site,
                                              .size = access->size,
                                              .kind = (uint8_t)access->kind}};
    shadow_access(&cross->shadow, putting->region, &now);
}

static void put_lines(struct cross_launch *cross, struct shadow_region *region, const struct toucher *toucher)
{
    const struct affine_filter_line *lines =
        toucher->affine_filter ? toucher->affine_filter->lines : toucher->lines;
    const uint32_t line_count = toucher->affine_filter ? toucher->affine_filter->count : toucher->line_count;
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
    qsort(pieces, count, sizeof *pieces, by_clock);
    for (size_t i = 0; i < count; i++)
        affine_filter_replay_box(pieces[i].line, pieces[i].box, put, &putting);
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

static bool keep(struct cross_launch *cross, const struct member *member, struct shadow_region *region,
                 const struct affine_filter_event *event)
{
    struct kept *kept = kept_of(cross, region);
    uint64_t low, high;
    affine_filter_event_range(event, &low, &high);
    if (!kept || kept->spilt || low < region->low || high > region->high ||
        kept->bytes > KEPT_LEAST_BYTES + (region->high - region->low))
        return false;
    struct toucher *toucher = toucher_of(cross, kept, (uint32_t)(member - cross->members));
    if (!toucher || !toucher->affine_filter || !knows_others(cross, kept, toucher, event->write) ||
        !affine_filter_take(toucher->affine_filter, event))
        return false;
    toucher->wrote |= event->write;
    return true;
}

/* The clock value of all lanes; false: they have none in common. */
static bool common_clock(const struct cross_launch *cross, const struct access_event *event,
                         const struct group_order *group, uint64_t *out_clock)
{
    const struct cross_wave *wave = &cross->wave;
    uint64_t clock = 0;
    if (wave->one_group && group && !group->items && !group->sub_groups) {
        *out_clock = group->slice;
        return true;
    }
    for (uint64_t lane = 0; lane < event->lane_count; lane++) {
        struct unit_state unit_state;
        if (!(event->mask[lane / 64] >> lane % 64 & 1))
            continue;
        order_unit_state(&cross->order, wave->unit[lane], &unit_state);
        const uint64_t slice = order_slice(&unit_state);
        if (clock && slice != clock)
            return false;
        clock = slice;
    }
    *out_clock = clock;
    return clock;
}

bool cross_keep(struct cross_launch *cross, const struct member *member, const struct access_event *event,
                const struct group_order *group, uint32_t site)
{
    struct affine_filter_event lines[WAVE_ITEMS_LINES_MOST];
    uint64_t clock;
    if (event->kind > ACCESS_WRITE || event->image || event->shape == ADDRESS_LIST ||
        !common_clock(cross, event, group, &clock))
        return false;
    if (!wave_items_spans(&cross->wave_items, &event->origin, event->lane_count))
        wave_items_place(&cross->wave_items, &event->origin, event->lane_count);
    lines[0] = (struct affine_filter_event){.site = site,
                                            .size = event->size_bytes,
                                            .write = event->kind == ACCESS_WRITE,
                                            .extent = event->origin.launch->global_size,
                                            .group = cross->wave.group,
                                            .clock = clock};
    const uint32_t count = wave_items_lines(&cross->wave_items, event, lines);
    struct shadow_region *region = count ? cross_region_at(cross, lines[0].base) : NULL;
    for (uint32_t i = 0; region && i < count; i++)
        if (!keep(cross, member, region, &lines[i]))
            return false;
    return region;
}

bool cross_keep_range(struct cross_launch *cross, const struct member *member, struct shadow_region *region,
                      uint64_t address, const struct context *how)
{
    const struct affine_filter_event event = {.site = how->site,
                                              .size = how->size,
                                              .write = how->kind == ACCESS_WRITE,
                                              .base = address,
                                              .known = 7,
                                              .high = {1, 1, 1},
                                              .clock = how->clock,
                                              .extent = member->shape.global_size};
    return how->kind <= ACCESS_WRITE && keep(cross, member, region, &event);
}
