/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The positions of work-items as text. Each live work-item is either active in its wave, or parked at a
 * block. The work-items of one work-group at one instruction share a line. Lines are made in the order of
 * work-groups and lanes, so the text is a function of the schedule alone.
 */
#include "positions.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/device/barrier.h"
#include "orrery/schedule.h"

struct position_row {
    uint64_t group, group_id[3];
    uint32_t site; /* UINT32_MAX: not known */
    bool waits;
    uint32_t items, first_sub_group, last_sub_group;
};

struct position_rows {
    struct position_row row[POSITION_LINES];
    uint32_t count;
    uint64_t items_left;
};

static struct position_row *row_of(struct position_rows *rows, const struct item *item, uint32_t site,
                                   bool waits)
{
    for (uint32_t i = rows->count; i-- > 0;) {
        struct position_row *row = &rows->row[i];
        if (row->group == item->group_linear && row->site == site && row->waits == waits)
            return row;
    }
    if (rows->count == POSITION_LINES)
        return NULL;
    struct position_row *row = &rows->row[rows->count++];
    *row = (struct position_row){
        .group = item->group_linear, .site = site, .waits = waits, .first_sub_group = item->sub_group};
    memcpy(row->group_id, item->group_id, sizeof row->group_id);
    return row;
}

static void add_lanes(struct position_rows *rows, const struct wave *wave, const lane_mask *lanes,
                      uint32_t site, bool waits)
{
    for (uint32_t lane = lane_mask_next(lanes, 0); lane < WAVE_LANES_MAX;
         lane = lane_mask_next(lanes, lane + 1)) {
        struct item item;
        origin_item(&wave->origin, lane, &item);
        struct position_row *row = row_of(rows, &item, site, waits);
        if (!row) {
            rows->items_left++;
            continue;
        }
        row->items++;
        row->first_sub_group = item.sub_group < row->first_sub_group ? item.sub_group : row->first_sub_group;
        row->last_sub_group = item.sub_group > row->last_sub_group ? item.sub_group : row->last_sub_group;
    }
}

static void add_wave(struct position_rows *rows, const struct group_wave *slot)
{
    const struct wave *wave = slot->wave;
    const bool waits = slot->state == WAVE_WAITS;
    add_lanes(rows, wave, &wave->active, waits ? wave->site : group_wave_place(wave), waits);
    for (uint32_t b = 0; wave->parked_blocks && b < wave->code->block_count; b++)
        if (wave->pending_set[b / 64] & UINT64_C(1) << b % 64)
            add_lanes(rows, wave, &wave->pending[b], group_wave_block_place(wave, b), false);
}

static void add_launch(struct position_rows *rows, const struct schedule *schedule)
{
    for (uint32_t g = 0; g < schedule->count; g++) {
        const struct group *group = schedule->resident[g];
        for (uint32_t i = 0; i < group->wave_count; i++)
            if (group->waves[i].state != WAVE_DONE)
                add_wave(rows, &group->waves[i]);
    }
}

/* ---- words ------------------------------------------------------------------------ */

static void print_place(FILE *stream, const struct launch *launch, uint32_t site)
{
    struct finding_access access = {.what = NULL};
    if (site != UINT32_MAX)
        launch_access(launch, site, &access);
    if (!access.place.line && access.place.instruction.name) {
        char instruction[INSTRUCTION_CHARS];
        finding_instruction_text(&access.place.instruction, instruction);
        fprintf(stream, "at %s", instruction);
        return;
    }
    if (!access.place.line) {
        fputs("at a place without a line", stream);
        return;
    }
    const struct source_place *place = &access.place, *caller = &access.caller;
    fprintf(stream, "at %s:%" PRIu32 ":%" PRIu32, place->file ? place->file : "line ", place->line,
            place->column);
    if (caller->line)
        fprintf(stream, ", called from %s:%" PRIu32, caller->file ? caller->file : "line ", caller->line);
}

static void print_group(FILE *stream, const uint64_t id[3])
{
    fprintf(stream, "work-group (%" PRIu64 ",%" PRIu64 ",%" PRIu64 ")", id[0], id[1], id[2]);
}

static void print_row(FILE *stream, const struct launch *launch, const struct position_row *row)
{
    fputs("\n  ", stream);
    print_group(stream, row->group_id);
    if (launch->info.sub_group_size && row->first_sub_group == row->last_sub_group)
        fprintf(stream, ", sub-group %" PRIu32, row->first_sub_group);
    else if (launch->info.sub_group_size)
        fprintf(stream, ", sub-groups %" PRIu32 " to %" PRIu32, row->first_sub_group, row->last_sub_group);
    fprintf(stream, ": %" PRIu32 " work-item%s ", row->items, row->items == 1 ? "" : "s");
    if (row->waits) {
        struct finding_access access;
        launch_access(launch, row->site, &access);
        fprintf(stream, "wait%s in %s ", row->items == 1 ? "s" : "", access.what ? access.what : "a barrier");
    }
    print_place(stream, launch, row->site);
}

static void print_launch(FILE *stream, const struct schedule *schedule)
{
    const struct launch *launch = schedule->launch;
    struct position_rows rows = {.count = 0};
    fprintf(stream, "kernel '%s', launch %" PRIu32 ": %" PRIu32 " of %" PRIu64 " work-group%s run%s",
            launch->info.kernel, launch->info.launch, schedule->count, schedule->total,
            schedule->total == 1 ? "" : "s", schedule->count == 1 ? "s" : "");
    add_launch(&rows, schedule);
    for (uint32_t i = 0; i < rows.count; i++)
        print_row(stream, launch, &rows.row[i]);
    if (rows.items_left)
        fprintf(stream, "\n  and %" PRIu64 " more work-items at other places", rows.items_left);
}

void positions_note(const struct concurrent *concurrent, const struct schedule_watch *watch)
{
    char *text = NULL;
    size_t size = 0;
    for (uint32_t i = 0; i < concurrent->count; i++) {
        const struct schedule *schedule = concurrent->live[i]->schedule;
        FILE *stream = schedule ? open_memstream(&text, &size) : NULL;
        if (!stream)
            continue;
        print_launch(stream, schedule);
        if (fclose(stream) == 0)
            watch->note(text);
        free(text);
    }
}

void positions_of_ready(const struct schedule *schedule, void *self,
                        void (*take)(void *self, const struct unit *unit, const struct wave *wave))
{
    for (uint32_t g = 0; g < schedule->count; g++) {
        const struct group *group = schedule->resident[g];
        for (uint32_t i = 0; i < group->wave_count; i++)
            if (group->waves[i].state == WAVE_READY)
                take(self, &(struct unit){group->number, i}, group->waves[i].wave);
    }
}

/* The first ready wave of the work-group that runs; if none runs, of the first resident one. */
static const struct wave *first_ready(const struct schedule *schedule)
{
    const struct group *group = schedule->launch->running;
    if (!group)
        group = schedule->resident[0];
    for (uint32_t i = 0; i < group->wave_count; i++)
        if (group->waves[i].state == WAVE_READY)
            return group->waves[i].wave;
    return group_any_wave(group);
}

void positions_note_slow(struct schedule *schedule, int seconds)
{
    const struct launch *launch = schedule->launch;
    const struct wave *wave = schedule->count ? first_ready(schedule) : NULL;
    char *text = NULL;
    size_t size = 0;
    FILE *stream = wave ? open_memstream(&text, &size) : NULL;
    if (!stream)
        return;
    struct item item;
    origin_item(&wave->origin, group_wave_first_lane(wave), &item);
    fprintf(stream, "kernel '%s' has run for %d seconds and is ", launch->info.kernel, seconds);
    print_place(stream, launch, group_wave_place(wave));
    fprintf(stream,
            " (work-item (%" PRIu64 ",%" PRIu64 ",%" PRIu64
            ")); --timeout=SECONDS or --max-steps=N ends it, an interrupt "
            "prints the positions of all work-items",
            item.global_id[0], item.global_id[1], item.global_id[2]);
    if (fclose(stream) == 0)
        schedule->config->watch->note(text);
    free(text);
}
