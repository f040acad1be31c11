/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  What the files of the checker share: checker.c hears events and gives them to order, shadow and the stages
 *          before it; checker_keep.c hands what a launch touched to the rules between commands.
 */
#ifndef ORRERY_MEMMODEL_CHECKER_STATE_H
#define ORRERY_MEMMODEL_CHECKER_STATE_H

#include "checker.h"
#include "misuse.h"
#include "race.h"
#include "windows.h"

/* The lanes of a wave as units. */
struct crew {
    const struct launch_info *launch;
    uint64_t wave;                    /* as in struct origin */
    uint64_t tile_origin[3];
    uint32_t tile_size[3], first_lane, lane_count;
    uint64_t unit[WAVE_LANES_MAX];
    uint64_t group; bool one_group;
    uint64_t serial;                  /* counts crews */
    bool known;                       /* unit[] is filled in */
    bool in_a_row; uint64_t first_unit; /* units ascend by one */
    bool in_rows; uint32_t row;       /* lanes are one row, or whole rows of one plane, of so many */
    uint64_t low[3], high[3];         /* positions of all of them, if so */
};

/* One lane after another; what they have in common. */
struct acting {
    const struct access_event *event; /* NULL: a fence */
    uint32_t copy;
    uint64_t first; struct group_order *group; /* of the crew's group: its first unit, what is known of it */
    struct shadow_region *region;
    enum memory_scope scope;         /* reduced, where the region is */
};

/* Lanes of one group, one after another. */
struct turns {
    struct shadow_region *region;
    struct update_run run;
    struct shadow_atomic atomic;
    struct calm_word calm;           /* where the lane before was */
    uint64_t crew; uint32_t site;    /* who takes them again; 0: nobody */
};

/* Where a wave's reads by one instruction stand in the journal. */
struct standing {
    uint64_t crew, tick, mask[LANE_MASK_WORDS];
    uint32_t site, size;
    enum address_shape shape;
    int64_t step_x, step_y;
    struct shadow_region *region;
    struct journal_cursor at;
};
enum { STANDINGS = HOSTILE(32, 2), TURNS = HOSTILE(8, 1), SPARE_BYTES = HOSTILE(64 << 20, 1 << 12), KEPT_BYTES = HOSTILE(64 << 10, 0) };

struct checker {
    const struct memory *memory;
    const struct scenario *scenario;
    struct checker_host host;
    struct footprint_sink sink;
    bool has_sink, races_wanted, atomics_wanted, told_failure;

    struct order order;
    struct history history;           /* of the launch that runs */
    struct shadow shadow;
    struct spare spare;
    struct races races;
    struct misuse misuse;
    struct shadow_region **regions; uint32_t region_room; /* by index of struct memory */
    struct windows windows;
    struct crew crew;
    struct { uint64_t serial, lane; struct agent agent; } actor; /* who acted by itself latest; serial 0: nobody */
    struct standing standings[STANDINGS]; /* by site */
    struct turns turns[TURNS];        /* likewise */
    struct { uint64_t crew; struct shadow_region *region; } alone; /* where one acted by itself, among all of a crew that synchronises */
    uint64_t time;                    /* counts events */
    uint64_t ways[WAYS];
    uint32_t *compute_units; uint64_t unit_room;
    struct ended_group *ended; uint32_t ended_count, ended_room; /* those that launches wait for */
    struct held_access *held; uint32_t held_count, held_room;
};

/* Of a copy that not all of its group have come to. */
struct held_access { uint64_t unit, address; uint32_t site, size; enum access_kind kind; };

/* What a work-group knew at its end. */
struct ended_group { uint64_t number; struct knowledge *known[ORDER_REGIONS]; };

/* Of allocations and of the host's memory, one after another; NULL: nothing there was touched ever. */
uint32_t checker_shadow_count(const struct checker *checker);
struct shadow_region *checker_shadow_number(const struct checker *checker, uint32_t i);
void checker_spill(struct checker *checker, struct shadow_region *region); /* what stands before the shadow goes into it */
void checker_hand_over(struct checker *checker, const struct launch_info *launch); /* at its end, to the sink */
void checker_keep_group(struct checker *checker, const struct launch_event *event); /* at its end, if a launch waits for it */

#endif
