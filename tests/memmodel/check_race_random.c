/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random programs of many kinds, which the race checker and the oracle judge: they have to agree, and the
 * programs have to take the fast paths for their kind. CHECK_RACE_PROGRAMS: how many of each. The rest of
 * their reports is not judged here: few programs search the edits that order them as long as launches do,
 * which takes most of the time.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "tests/support/dice.h"
#include "sim/memmodel/common/fast_path.h"
#include "orrery/limits.h"
#include "tests/support/race_world.h"

/* ---- operations -------------------------------------------------------------------------------- */

static uint32_t any_address(void)
{
    static const uint32_t places[] = {DATA, FLAG, LDATA, LFLAG};
    return places[below(4)];
}

static enum memory_scope any_scope(void)
{
    static const enum memory_scope scopes[] = {SCOPE_DEVICE,     SCOPE_DEVICE,    SCOPE_WORK_GROUP,
                                               SCOPE_WORK_GROUP, SCOPE_SUB_GROUP, SCOPE_ALL_SVM};
    return scopes[below(6)];
}

static void any_atomic(uint32_t item)
{
    uint32_t address = below(2) ? FLAG : LFLAG, size = below(16) ? 4 : 8;
    enum access_kind kind = ACCESS_ATOMIC_READ + below(3);
    enum memory_ordering order = (enum memory_ordering)below(5);
    if (kind == ACCESS_ATOMIC_UPDATE && below(4) == 0)
        failing_exchange(item, address, order, below(2) ? ORDER_ACQUIRE : ORDER_RELAXED, any_scope());
    else
        atomic(item, address, size, kind, order, any_scope());
}

/* The loop before, by another unit or from another place, or another one. */
static uint32_t latest_loop[2][2];

static void any_loop(uint32_t group, uint32_t items, bool local)
{
    static const int32_t along[] = {4, 0}, on[] = {4, 8, -4, 0};
    const bool write = below(4) == 0;
    uint32_t *site = &latest_loop[local][write], again = below(3) ? *site : NO_SITE;
    const uint32_t members = below(4) ? (1u << items) - 1 : 1 + below((1u << items) - 1);
    *site = loops(group, write, 12 + below(3) * 4 + (local ? LOCAL : 0), along[below(4) == 0], members,
                  1 + below(3), on[below(4)], again);
}

/* Relaxed ones: updates, loads, and compare-exchanges of which some failed. */
static void any_atomics(uint32_t group, uint32_t base, int32_t along, uint32_t members,
                        enum memory_scope scope)
{
    uint32_t addresses[4];
    for (uint32_t i = 0; i < 4; i++)
        addresses[i] = (base >= LOCAL ? LOCAL : 0) + below(8) * 4;
    switch (below(4)) {
    case 0: atomics(group, base, along, members, ACCESS_ATOMIC_READ, ORDER_RELAXED, scope); break;
    case 1: scattered_exchanges(group, addresses, members, below(16), scope); break;
    default: updates(group, base, along, members, scope);
    }
}

/* Whole groups in step, as the affine filter takes them: rows, columns, broadcasts, tables. */
static void any_sweep(uint32_t group, uint32_t items)
{
    static const int32_t steps[] = {4, 4, 4, 8, 0, -4, 1, 2};
    int32_t step = steps[below(8)];
    uint32_t size = step == 1 || step == 2 ? (uint32_t)step : 4,
             base = (below(2) ? LOCAL : 0) + (step < 0 ? 16 : 0) + below(4) * 4;
    if (below(3) == 0)
        base += group * 16;
    if (below(2)) {
        any_loop(group, items, base >= LOCAL);
    } else if (below(5) == 0) {
        const enum memory_scope scope = below(4) ? SCOPE_DEVICE : any_scope();
        const int32_t along = below(2) ? 4 : 0;
        for (uint32_t repeats = 1 + below(2); repeats; repeats--)
            any_atomics(group, base, along, 1 + below((1u << items) - 1), scope);
    } else if (below(5)) {
        sweeps(group, below(2), base, step, size,
               below(3) ? (1u << items) - 1 : 1 + below((1u << items) - 1));
    } else {
        uint32_t addresses[4];
        for (uint32_t i = 0; i < 4; i++)
            addresses[i] = (base >= LOCAL ? LOCAL : 0) + below(8) * 4;
        gathers(group, below(4) == 0, addresses, 4);
    }
}

/*
 * Two instructions, each of which all groups execute one after another, at rows that mostly continue those of
 * the group before.
 */
static void any_rows(uint32_t groups, uint32_t items)
{
    static const int32_t steps[] = {4, 4, 4, 0, -4};
    const int32_t step = steps[below(5)];
    const uint32_t apart = below(4) * 8, first = step < 0 ? items * 12 : 0;
    const bool write[] = {below(2), below(2)};
    uint32_t site[] = {NO_SITE, NO_SITE};
    for (uint32_t group = 0; group < groups; group++) {
        for (uint32_t line = 0; line < 2; line++) {
            const uint32_t address = first + line * apart + (below(8) ? group : 0) * items * (uint32_t)step;
            site[line] = loops(group, write[line], address, step,
                               below(8) ? (1u << items) - 1 : 1 + below((1u << items) - 1), 1, 0, site[line]);
        }
        if (below(4) == 0)
            barrier(below(groups), 1 + below(3), SCOPE_WORK_GROUP);
    }
}

static void any_texels(uint32_t group, uint32_t items)
{
    static const int32_t steps[] = {4, 4, 8, 0, -4};
    const int32_t step_x = steps[below(5)], step_y = steps[below(5)];
    const uint32_t members = below(3) ? (1u << items) - 1 : 1 + below((1u << items) - 1);
    texels(group, PIXEL + 4 * below(2) + (step_x < 0 ? 12 : 0) + (step_y < 0 ? 12 : 0), step_x, step_y,
           1 + below(items), members);
}

static void any_pixel(uint32_t item, uint32_t items)
{
    uint32_t at = PIXEL + 4 * below(2);
    switch (below(10)) {
    case 0: samples(item, at); break;
    case 8:
    case 9: any_texels(item / items, items); break;
    case 1: fence(item, I | below(4), ORDER_ACQ_REL, SCOPE_WORK_ITEM); break;
    case 2:
    case 3:
    case 4: writes(item, at, 4); break;
    default: reads(item, at, 4); break;
    }
}

/* A group that waits for a lock in a loop: now and then one gets it, and accesses memory. */
static void any_spin(uint32_t group, uint32_t items)
{
    const uint32_t address = below(3) ? FLAG : LFLAG;
    const enum memory_ordering order = (enum memory_ordering)below(5);
    const enum memory_scope scope = any_scope();
    uint32_t site = NO_SITE;
    for (uint32_t repeats = 2 + below(3); repeats; repeats--) {
        const uint32_t members = below(3) ? (1u << items) - 1 : 1 + below((1u << items) - 1),
                       winner = below(items + 2);
        const uint32_t item = group * items + (winner < items ? winner : below(items));
        site = exchanges(group, address, members, winner, order, scope, site);
        if (below(3) == 0)
            writes(item, DATA, 4);
        if (below(3) == 0)
            fence(item, 1 + below(3), ORDER_ACQUIRE + below(4), below(3) ? scope : any_scope());
        if (below(2))
            update(item, address, (enum memory_ordering)below(5), scope);
    }
}

static void act_plainly(uint32_t item, uint32_t address)
{
    if (below(2))
        writes(item, address, 4);
    else
        reads(item, address, 4);
}

/*
 * Work-items pass clocks on by relaxed updates and fences of one kind, repeatedly; other operations are
 * between.
 */
static void any_relaxed_handoffs(uint32_t groups, uint32_t items)
{
    const uint32_t flags = below(2) ? G : G | L, all = groups * items, few = 1 + below(all < 3 ? all : 3);
    const enum memory_scope scope = any_scope();
    static const uint32_t objects[] = {FLAG, FLAG, OTHER, LFLAG};
    for (uint32_t repeats = 4 + below(4); repeats; repeats--) {
        const uint32_t item = below(8) ? below(few) : below(all), address = objects[below(4)];
        if (below(3))
            update(item, address, ORDER_RELAXED, below(8) ? SCOPE_DEVICE : SCOPE_WORK_GROUP);
        if (below(4) == 0)
            act_plainly(item, below(8) ? DATA : address);
        if (below(2))
            fence(item, below(8) ? flags : L, ORDER_ACQUIRE + below(3), below(8) ? scope : SCOPE_SUB_GROUP);
        if (below(12) == 0)
            any_atomic(item);
        update(item, address, ORDER_RELAXED, SCOPE_DEVICE);
    }
}

/* Some of the sub-groups, or all. */
static void any_named_barrier(uint32_t group, uint32_t sub_groups)
{
    const uint32_t all = (1u << sub_groups) - 1;
    named_barrier(group, below(3) ? 1 + below(all) : all, below(8) ? 1 + below(7) : 0,
                  below(3) ? SCOPE_WORK_GROUP : any_scope());
}

static void any_oracle_op(uint32_t groups, uint32_t items, uint32_t sub_group)
{
    uint32_t item = below(groups * items), group = below(groups), flags = 1 + below(7);
    const bool few = world_room() > ORACLE_ORACLE_OPS - 32; /* the oracle takes its time */
    switch (below(few ? 16 : 15)) {
    case 0:
    case 1: reads(item, any_address() + (below(8) ? 0 : below(4)), below(8) ? 4 : 1); break;
    case 2: writes(item, any_address() + (below(8) ? 0 : below(4)), below(8) ? 4 : 1); break;
    case 3:
    case 4: fence(item, flags, (enum memory_ordering)below(5), any_scope()); break;
    case 5: barrier(group, below(8) ? flags : 0, below(3) ? SCOPE_WORK_GROUP : any_scope()); break;
    case 12: any_pixel(item, items); break;
    case 15: any_relaxed_handoffs(groups, items); break;
    case 10:
    case 11: any_spin(group, items); break;
    case 6:
        if (below(2)) {
            any_named_barrier(group, (items + sub_group - 1) / sub_group);
            break;
        }
        sub_group_barrier(group, below((items + sub_group - 1) / sub_group), flags,
                          below(3) ? SCOPE_SUB_GROUP : any_scope());
        break;
    default: any_atomic(item); break;
    }
}

/* A sanitizer looks at the checker's own memory, for which fewer will do. */
static uint32_t program_count(uint32_t usual)
{
    const char *given = getenv("CHECK_RACE_PROGRAMS");
#ifdef ORRERY_LOOPING
    usual /= 8;
#endif
    return given ? (uint32_t)strtoul(given, NULL, 10) : usual;
}

/* A kind of random program: how many, from which seed on, in groups of which shapes, and what a program
 * does. */
struct kind {
    uint32_t usual, seed, shapes;
    uint32_t shape[5][3]; /* groups, work-items of a group, of a sub-group */
    void (*operations)(const uint32_t *shape);
};

static bool all_launches; /* the work-groups of each program are launches, too; else of every second one */
static bool within;       /* all of them but some at the end are one */

struct counts {
    uint32_t programs, racy, unreported, across;
};

/*
 * Some of each kind have inclusive scopes, forget earlier launches, or have atomics that other devices see.
 */
static void any_world(const uint32_t *shape)
{
    world_begin(shape[0], shape[1], shape[2], below(4) ? SCOPE_RULE_EQUAL : SCOPE_RULE_INCLUSIVE31);
    if (below(2))
        world_forgoes_sync_log();
    if (below(4) == 0 && !within) /* the host may have handed on what was released there */
        world_shares_atomics();
}

static struct counts agree_with_the_oracle(const struct kind *kind)
{
    struct counts counts = {.programs = program_count(kind->usual)};
    bool several = false; /* programs have work-groups that could be launches */
    for (uint32_t program = 0; program < counts.programs; program++) {
        const uint32_t *shape = kind->shape[program % kind->shapes];
        dice = program + kind->seed;
        any_world(shape);
        if (program % 61)
            world_hurries();
        if (program % 3 == 0)
            world_packs_atomics();
        const bool apart = shape[0] > 1 && !within && (program % 4 < 2 || all_launches);
        several |= apart;
        if (within)
            world_split_within(shape[0] - 1);
        if (apart)
            (below(3) ? world_split : world_split_buffer)();
        kind->operations(shape);
        const char *difference = world_disagreement();
        ck_assert_msg(!difference, "program %u: %s", program, difference);
        difference = apart ? world_split_disagreement() : NULL;
        ck_assert_msg(!difference, "program %u: %s", program, difference);
        counts.across += apart && world_split_races() > 0;
        counts.racy += world_races() > 0;
        counts.unreported += world_unreported_pair() != NULL;
        world_end();
    }
    ck_assert_uint_gt(counts.racy, counts.programs / 5);
    ck_assert_uint_lt(counts.racy, counts.programs - counts.programs / 20);
    ck_assert(!several || counts.across > 0);
    return counts;
}

/* The fast paths are taken, and so compared with the oracle. */
static void takes_fast_paths(const enum fast_path *fast_paths, uint32_t count, uint32_t programs)
{
    for (uint32_t i = 0; programs >= 4000 && i < count; i++)
        ck_assert_msg(world_fast_paths[fast_paths[i]] > 0, "fast path %d was never taken",
                      (int)fast_paths[i]);
}

static void any_sweeps(const uint32_t *shape)
{
    memset(latest_loop, 0xff, sizeof latest_loop); /* NO_SITE */
    if (below(4) == 0)
        any_rows(shape[0], shape[1]);
    for (uint32_t operations = 2 + below(8); operations; operations--) {
        if (below(4))
            any_sweep(below(shape[0]), shape[1]);
        else if (below(3))
            barrier(below(shape[0]), 1 + below(3), SCOPE_WORK_GROUP);
        else
            any_oracle_op(shape[0], shape[1], shape[2]);
    }
}

/* Per granule, since a pair of instructions is reported once: does any granule differ? */
START_TEST(random_sweeps_against_the_oracle)
{
    static const struct kind sweeps = {
        10000, 77777, 4, {{1, 4, 2}, {2, 4, 4}, {2, 2, 2}, {3, 4, 2}}, any_sweeps};
    static const enum fast_path fast_paths[] = {
        FAST_PATH_CHAIN,          FAST_PATH_LIST_READ,        FAST_PATH_READ_TOGETHER,
        FAST_PATH_MEMBER_UPDATE,  FAST_PATH_FILTERED_UPDATES, FAST_PATH_FILTERED_LOADS,
        FAST_PATH_SHARED_READERS, FAST_PATH_OWN_CELL,         FAST_PATH_FEW_ATOMICS,
        FAST_PATH_PACKED};
    takes_fast_paths(fast_paths, sizeof fast_paths / sizeof *fast_paths,
                     agree_with_the_oracle(&sweeps).programs);
}
END_TEST

/* Copies of two groups in and out of the local memory, two events each. */
static void any_copy(uint32_t group)
{
    static const uint32_t places[] = {DATA, FLAG, LDATA, LFLAG};
    uint32_t event = 1 + below(2);
    if (below(4) == 0) {
        copy_begins(group, event, below(2), places[below(4)], 4);
    } else if (below(4) == 0) {
        copy_arrives(group, 1 + below(15));
    } else if (below(3)) {
        copy_starts(group, event);
        copy_accesses(group, event, below(2), places[below(4)], 4);
    } else {
        copy_waits(group, event);
    }
}

static void any_copies(const uint32_t *shape)
{
    for (uint32_t operations = 3 + below(10); operations; operations--) {
        if (below(2))
            any_copy(below(shape[0]));
        else
            any_oracle_op(shape[0], shape[1], shape[2]);
    }
}

START_TEST(random_copies_against_the_oracle)
{
    static const struct kind copies = {
        4000, 5555, 5, {{1, 2, 1}, {2, 1, 1}, {2, 2, 2}, {1, 4, 2}, {1, 1, 1}}, any_copies};
    agree_with_the_oracle(&copies);
}
END_TEST

/* Up to four sub-groups wait together in every combination. */
static void any_named_barriers(const uint32_t *shape)
{
    for (uint32_t operations = 3 + below(10); operations; operations--) {
        if (below(3) == 0)
            any_named_barrier(below(shape[0]), (shape[1] + shape[2] - 1) / shape[2]);
        else if (below(2))
            act_plainly(below(shape[0] * shape[1]), any_address());
        else
            any_oracle_op(shape[0], shape[1], shape[2]);
    }
}

START_TEST(random_named_barriers_against_the_oracle)
{
    static const struct kind barriers = {
        4000, 4242, 4, {{1, 4, 1}, {1, 4, 2}, {2, 3, 1}, {1, 3, 2}}, any_named_barriers};
    agree_with_the_oracle(&barriers);
}
END_TEST

static void any_oracle_ops(const uint32_t *shape)
{
    for (uint32_t operations = 4 + below(14); operations; operations--)
        any_oracle_op(shape[0], shape[1], shape[2]);
}

START_TEST(random_programs_against_the_oracle)
{
    static const struct kind programs = {
        10000, 0, 5, {{1, 2, 1}, {2, 1, 1}, {2, 2, 2}, {1, 4, 2}, {3, 1, 1}}, any_oracle_ops};
    const struct counts counts = agree_with_the_oracle(&programs);
    /* short ways remember one operation of many, and small tables few */
    ck_assert_uint_lt(counts.unreported, HOSTILE(counts.programs / 200 + 2, counts.programs / 3));
    static const enum fast_path fast_paths[] = {
        FAST_PATH_CHAIN,          FAST_PATH_LIST_READ, FAST_PATH_READ_TOGETHER, FAST_PATH_MEMBER_UPDATE,
        FAST_PATH_SHARED_READERS, FAST_PATH_OWN_CELL,  FAST_PATH_FEW_ATOMICS,   FAST_PATH_PACKED};
    takes_fast_paths(fast_paths, sizeof fast_paths / sizeof *fast_paths, counts.programs);
}
END_TEST

/* One work-item after another holds a lock; then all of the group update objects together. */
static void any_round(uint32_t group, uint32_t items, uint32_t flags, enum memory_scope scope)
{
    for (uint32_t local = 0; local < items; local++) {
        const uint32_t item = group * items + local;
        if (below(10) == 0)
            continue;
        update(item, FLAG, ORDER_RELAXED, SCOPE_DEVICE);
        if (below(6) == 0)
            act_plainly(item, DATA);
        fence(item, below(12) ? flags : L, below(10) ? ORDER_ACQ_REL : ORDER_RELEASE, scope);
        if (below(12) == 0)
            any_atomic(item);
        update(item, FLAG, ORDER_RELAXED, SCOPE_DEVICE);
    }
    for (uint32_t repeats = 1 + below(2); repeats; repeats--)
        updates(group, below(2) ? FLAG : OTHER, below(2) ? 4 : 0,
                below(2) ? (1u << items) - 1 : 1 + below((1u << items) - 1), SCOPE_DEVICE);
}

static void any_rounds(const uint32_t *shape)
{
    const uint32_t flags = below(2) ? G : G | L;
    const enum memory_scope scope = below(4) ? SCOPE_WORK_GROUP + below(2) : any_scope();
    for (uint32_t rounds = 2 + below(3); rounds; rounds--)
        any_round(below(shape[0]), shape[1], flags, scope);
    act_plainly(below(shape[0] * shape[1]), DATA);
}

/* Operations by which members of groups pass clocks on; seldom others are among them. */
struct handoff_course {
    const uint32_t *shape, *objects;
    uint32_t data, flags;
    bool orderly;
};

static uint32_t handoff_object(const struct handoff_course *course)
{
    return course->objects[course->orderly ? 0 : below(4)];
}

/*
 * Others than those fences: releases that the first of them is already ordered after, or that end the
 * hand-off.
 */
static void handoff_other(const struct handoff_course *course, uint32_t item)
{
    const enum memory_scope scope = below(2) ? SCOPE_WORK_GROUP : SCOPE_DEVICE;
    switch (below(8)) {
    case 0:
    case 1: release(item, handoff_object(course), scope); break;
    case 2: acquire(item, handoff_object(course), scope); break;
    case 3: load(item, handoff_object(course), ORDER_RELAXED, SCOPE_DEVICE); break;
    case 4: fence(item, 1 + below(3), ORDER_ACQUIRE + below(4), scope); break;
    case 5: barrier(item / course->shape[1], course->flags, scope); break;
    case 6: act_plainly(item, course->data == DATA ? LDATA : DATA); break;
    default: any_oracle_op(course->shape[0], course->shape[1], course->shape[2]); break;
    }
}

static void handoff_access(const struct handoff_course *course, uint32_t item)
{
    const uint32_t items = course->shape[1], group = item / items, object = handoff_object(course);
    switch (below(10)) {
    case 0: load(item, object, ORDER_RELAXED, SCOPE_DEVICE); break;
    case 1: updates(group, object, below(2) ? 4 : 0, 1 + below((1u << items) - 1), SCOPE_DEVICE); break;
    case 2:
    case 3:
        exchanges(group, object, (1u << items) - 1, below(items + 1), ORDER_RELAXED, SCOPE_DEVICE, NO_SITE);
        break;
    default: update(item, object, ORDER_RELAXED, SCOPE_DEVICE); break;
    }
    if (below(4) == 0)
        act_plainly(item, course->data);
    if (below(4))
        fence(item, below(16) ? course->flags : G | L, below(4) ? ORDER_ACQ_REL : ORDER_ACQUIRE + below(4),
              below(16) ? SCOPE_WORK_GROUP : SCOPE_DEVICE);
    if (below(6) == 0)
        act_plainly(item, course->data);
    if (below(6) == 0)
        store(item, object, ORDER_RELAXED, SCOPE_DEVICE);
    else
        update(item, object, ORDER_RELAXED, SCOPE_DEVICE);
}

static void any_handoff(const uint32_t *shape)
{
    static const uint32_t globals[] = {FLAG, FLAG, OTHER, 24}, locals[] = {LFLAG, LFLAG, LOCAL + 16, FLAG};
    const bool local = below(4) == 0;
    const struct handoff_course course = {shape, local ? locals : globals, local ? LDATA : DATA,
                                          local ? L : G, below(3)};
    const uint32_t all = shape[0] * shape[1];
    world_forgoes_sync_log();
    for (uint32_t operations = below(2) ? 1 + below(4) : 0; operations; operations--) {
        const uint32_t item = below(all);
        if (below(2))
            act_plainly(item, course.data);
        handoff_other(&course, item);
    }
    for (uint32_t group = 0; group < shape[0]; group++)
        if (below(2))
            fence(group * shape[1] + below(shape[1]), course.flags, ORDER_ACQ_REL, SCOPE_WORK_GROUP);
    for (uint32_t repeats = 4 + below(10); repeats && world_room() > 24; repeats--) {
        handoff_access(&course, below(all));
        if (below(16) == 0)
            handoff_other(&course, below(all));
    }
    act_plainly(below(all), course.data);
}

START_TEST(random_handoffs_against_the_oracle)
{
    static const struct kind handoffs = {
        12000, 161803, 4, {{1, 4, 2}, {2, 3, 4}, {1, 6, 3}, {2, 4, 2}}, any_handoff};
    agree_with_the_oracle(&handoffs);
    ck_assert_uint_gt(world_fast_paths[FAST_PATH_HANDOFF], 0);
}
END_TEST

START_TEST(random_rounds_against_the_oracle)
{
    static const struct kind rounds = {4000, 31337, 3, {{1, 4, 2}, {2, 3, 4}, {2, 4, 2}}, any_rounds};
    static const enum fast_path fast_paths[] = {FAST_PATH_MEMBER_UPDATE};
    takes_fast_paths(fast_paths, sizeof fast_paths / sizeof *fast_paths,
                     agree_with_the_oracle(&rounds).programs);
}
END_TEST

/*
 * Work-items acquire each other's clocks by updates of a few words, by the same instructions; seldom other
 * operations are among them. Then a unit touches such a word plainly, which may be ordered after some.
 */
static const uint32_t chain_words[] = {FLAG, FLAG, OTHER, 24};
static uint32_t chain_site[2];

static void chain_link(uint32_t item, uint32_t word, enum memory_ordering order, enum memory_scope scope)
{
    uint32_t *site = &chain_site[below(3) == 0];
    *site = changes(item, word, order, scope, *site);
}

static void chain_other(const uint32_t *shape, uint32_t item, uint32_t word)
{
    const enum memory_scope scope = below(4) ? SCOPE_DEVICE : any_scope();
    switch (below(9)) {
    case 0: store(item, word, below(2) ? ORDER_RELEASE : ORDER_RELAXED, scope); break;
    case 1: load(item, word, below(2) ? ORDER_ACQUIRE : ORDER_RELAXED, scope); break;
    case 2:
    case 3: update(item, word, (enum memory_ordering)below(5), scope); break;
    case 4:
        failing_exchange(item, word, ORDER_SEQ_CST, below(2) ? ORDER_ACQUIRE : ORDER_RELAXED, scope);
        break;
    case 5: barrier(item / shape[1], below(2) ? G : G | L, SCOPE_WORK_GROUP); break;
    case 6: act_plainly(item, word); break;
    case 7: fence(item, G, ORDER_ACQUIRE + below(4), scope); break;
    default: any_oracle_op(shape[0], shape[1], shape[2]); break;
    }
}

static void any_updates_in_chain(const uint32_t *shape)
{
    const uint32_t all = shape[0] * shape[1], seldom = below(3) ? 4 + below(12) : 1000;
    const enum memory_ordering order = below(6) == 0 ? ORDER_ACQUIRE + below(2)
                                       : below(2)    ? ORDER_SEQ_CST
                                                     : ORDER_ACQ_REL;
    const enum memory_scope scope = below(8) ? SCOPE_DEVICE : SCOPE_WORK_GROUP;
    chain_site[0] = chain_site[1] = NO_SITE;
    for (uint32_t repeats = 3 + below(10); repeats; repeats--) {
        const uint32_t item = below(all), word = chain_words[below(4)];
        if (below(seldom) == 0)
            chain_other(shape, item, word);
        else if (below(24) == 0 && seldom < 1000)
            atomics(item / shape[1], word, below(2) ? 4 : 0, 1 + below((1u << shape[1]) - 1),
                    ACCESS_ATOMIC_UPDATE, order, scope);
        else
            chain_link(item, word, order, scope);
    }
    for (uint32_t repeats = 1 + below(2); repeats; repeats--) {
        const uint32_t item = below(all);
        if (below(3))
            acquire(item, chain_words[below(4)], scope);
        if (below(4))
            act_plainly(item, chain_words[below(4)]);
        else
            update(item, chain_words[below(4)], (enum memory_ordering)below(5), SCOPE_WORK_GROUP);
    }
}

START_TEST(random_chains_of_updates_against_the_oracle)
{
    static const struct kind chains = {
        12000, 662607, 4, {{1, 4, 2}, {2, 2, 2}, {4, 1, 1}, {2, 3, 2}}, any_updates_in_chain};
    static const enum fast_path fast_paths[] = {FAST_PATH_REPLACED, FAST_PATH_OWN_CELL, FAST_PATH_FEW_ATOMICS,
                                                FAST_PATH_PACKED};
    takes_fast_paths(fast_paths, sizeof fast_paths / sizeof *fast_paths,
                     agree_with_the_oracle(&chains).programs);
}
END_TEST

/* Work-items of a wave release and acquire by one instruction. */
static void any_wave(const uint32_t *shape)
{
    static const uint32_t objects[] = {FLAG, OTHER, 24};
    if (below(4))
        world_forgoes_sync_log();
    for (uint32_t repeats = 3 + below(7); repeats && world_room() > 24; repeats--) {
        const uint32_t group = below(shape[0]), all = (1u << shape[1]) - 1,
                       members = below(3) ? all : 1 + below(all);
        const enum memory_scope scope = below(4) ? SCOPE_DEVICE : SCOPE_WORK_GROUP;
        switch (below(8)) {
        case 0:
            wave_fence(group, members, below(4) ? G : 1 + below(3), ORDER_ACQUIRE + below(4), scope);
            break;
        case 1: sweeps(group, below(2), DATA, below(2) ? 0 : 4, 4, members); break;
        case 2: act_plainly(group * shape[1] + below(shape[1]), DATA); break;
        case 3: sweeps(group, below(2), 32, 4, 4, members); break;
        case 4: any_oracle_op(shape[0], shape[1], shape[2]); break;
        default:
            atomics(group, objects[below(3)], below(2) ? 4 : 0, members, ACCESS_ATOMIC_READ + below(3),
                    (enum memory_ordering)below(5), scope);
            break;
        }
    }
    act_plainly(below(shape[0] * shape[1]), 32 + 4 * below(shape[1]));
}

START_TEST(random_waves_against_the_oracle)
{
    static const struct kind waves = {
        12000, 141421, 4, {{1, 4, 2}, {2, 3, 4}, {2, 4, 2}, {4, 2, 2}}, any_wave};
    agree_with_the_oracle(&waves);
    ck_assert_uint_gt(world_fast_paths[FAST_PATH_FEW_ATOMICS], 0);
}
END_TEST

/* Few instructions that race often, and operations among them. */
static void any_access_set(const uint32_t *shape)
{
    /* one instruction loads and stores, as a copy's does */
    const bool shared = below(4), ordered = below(2), both = below(4) == 0;
    const bool sizes = below(6) == 0; /* likewise, the end of a copy */
    uint32_t load = NO_SITE, store = NO_SITE, other = NO_SITE;
    world_counts_races(1);
    for (uint32_t repeats = 10 + below(40); repeats && world_room() > 24; repeats--) {
        const uint32_t item = below(shape[0] * shape[1]), address = shared ? DATA : 32 + 4 * item,
                       size = sizes && below(2) ? 8 : 4;
        if (ordered)
            update(item, FLAG, ORDER_RELAXED, SCOPE_DEVICE),
                fence(item, G, ORDER_ACQ_REL, SCOPE_WORK_GROUP + below(2));
        if (below(8))
            load = touches_bytes(item, false, address, size, load);
        if (below(8))
            store = touches_bytes(item, true, address, size, both ? load : store);
        if (below(12) == 0)
            other = touches(item, true, address, other);
        if (ordered && below(8))
            fence(item, G, ORDER_ACQ_REL, SCOPE_DEVICE), update(item, FLAG, ORDER_RELAXED, SCOPE_DEVICE);
        if (below(32) == 0)
            barrier(below(shape[0]), G, SCOPE_WORK_GROUP);
        if (below(48) == 0)
            any_oracle_op(shape[0], shape[1], shape[2]);
    }
    for (uint32_t item = 0; item < shape[0] * shape[1]; item++)
        if (below(2))
            act_plainly(item, shared ? DATA : 32 + 4 * item);
}

START_TEST(random_access_sets_against_the_oracle)
{
    static const struct kind access_sets = {
        1500, 271828, 4, {{1, 4, 2}, {2, 3, 4}, {2, 4, 2}, {4, 2, 2}}, any_access_set};
    agree_with_the_oracle(&access_sets);
    ck_assert_uint_gt(world_fast_paths[FAST_PATH_SATURATED], 0);
}
END_TEST

/* Places of the program that members of groups execute repeatedly, as in a loop around a lock. */
struct lock {
    uint32_t take, alone, load, store, leave, data;
    bool guarded, steady;
};

static void hold(struct lock *lock, uint32_t group, uint32_t items)
{
    const uint32_t winner = below(items), item = group * items + winner;
    if (below(4))
        lock->take =
            exchanges(group, FLAG, (1u << items) - 1, winner, ORDER_RELAXED, SCOPE_DEVICE, lock->take);
    else
        lock->alone = adds(item, FLAG, lock->alone);
    if (lock->guarded)
        fence(item, G, ORDER_ACQ_REL, SCOPE_WORK_GROUP);
    if (below(8))
        lock->load = touches(item, false, lock->data, lock->load);
    if (below(8))
        lock->store = touches(item, true, lock->data, lock->store);
    if (lock->steady || below(24))
        fence(item, G, lock->steady || below(24) ? ORDER_ACQ_REL : ORDER_RELEASE,
              lock->steady || below(24) ? SCOPE_WORK_GROUP : SCOPE_DEVICE);
    lock->leave = adds(item, FLAG, lock->leave);
}

static void any_lock(const uint32_t *shape)
{
    struct lock lock = {NO_SITE,           NO_SITE, NO_SITE, NO_SITE, NO_SITE, DATA, .guarded = below(4),
                        .steady = below(2)};
    const bool shared = below(4) == 0;
    world_forgoes_sync_log();
    world_counts_races(1);
    while (world_room() > 120) {
        const uint32_t group = below(shape[0]);
        lock.data = shared ? DATA : 32 + 4 * group;
        for (uint32_t repeats = 4 + below(8); repeats && world_room() > 100; repeats--)
            hold(&lock, group, shape[1]);
        if (!lock.steady && below(6) == 0)
            act_plainly(below(shape[0] * shape[1]), lock.data);
        if (below(12) == 0)
            any_oracle_op(shape[0], shape[1], shape[2]);
    }
    if (below(2))
        act_plainly(below(shape[0] * shape[1]), lock.data);
}

START_TEST(random_locks_against_the_oracle)
{
    static const struct kind locks = {1500, 577215, 3, {{1, 4, 2}, {2, 3, 4}, {2, 2, 2}}, any_lock};
    const uint64_t before[] = {world_fast_paths[FAST_PATH_HANDOFF], world_fast_paths[FAST_PATH_MEMBER_UPDATE],
                               world_fast_paths[FAST_PATH_SATURATED]};
    agree_with_the_oracle(&locks);
    ck_assert_uint_gt(world_fast_paths[FAST_PATH_HANDOFF], before[0]);
    ck_assert_uint_gt(world_fast_paths[FAST_PATH_MEMBER_UPDATE], before[1]);
    ck_assert_uint_gt(world_fast_paths[FAST_PATH_SATURATED], before[2]);
}
END_TEST

/*
 * From work-item to work-item, by their common operations; the accesses of each are ordered before, or not.
 */
static void hop_within(uint32_t from, uint32_t to, const uint32_t *shape)
{
    const uint32_t group = from / shape[1], flags = below(3) ? G | L | I : 1 + below(7),
                   sub_groups = (shape[1] + shape[2] - 1) / shape[2];
    switch (below(6)) {
    case 0: barrier(group, flags, SCOPE_WORK_GROUP); break;
    case 1: sub_group_barrier(group, from % shape[1] / shape[2], flags, SCOPE_SUB_GROUP); break;
    case 2: named_barrier(group, (1u << sub_groups) - 1, flags, SCOPE_WORK_GROUP); break;
    case 3: release(from, LFLAG, SCOPE_WORK_GROUP), acquire(to, LFLAG, SCOPE_WORK_GROUP); break;
    case 4:
        fence(from, flags, ORDER_RELEASE, SCOPE_WORK_GROUP),
            store(from, LFLAG, ORDER_RELAXED, SCOPE_WORK_GROUP);
        load(to, LFLAG, ORDER_RELAXED, SCOPE_WORK_GROUP), fence(to, flags, ORDER_ACQUIRE, SCOPE_WORK_GROUP);
        break;
    default: release(from, OTHER, SCOPE_WORK_GROUP), acquire(to, OTHER, SCOPE_WORK_GROUP); break;
    }
}

static void hop_across(uint32_t from, uint32_t to)
{
    const uint32_t flags = below(3) ? G | I : 1 + below(7), flag = below(3) ? FLAG : OTHER;
    const enum memory_scope scope = below(8) ? SCOPE_DEVICE : any_scope();
    switch (below(5)) {
    case 0: update(from, flag, ORDER_ACQ_REL, scope), update(to, flag, ORDER_ACQ_REL, SCOPE_DEVICE); break;
    case 1:
        fence(from, flags, ORDER_RELEASE, scope), store(from, flag, ORDER_RELAXED, SCOPE_DEVICE);
        load(to, flag, ORDER_RELAXED, SCOPE_DEVICE), fence(to, flags, ORDER_ACQUIRE, SCOPE_DEVICE);
        break;
    case 2: failing_exchange(to, flag, ORDER_ACQ_REL, below(2) ? ORDER_ACQUIRE : ORDER_RELAXED, scope); break;
    default:
        release(from, flag, scope);
        if (below(6) == 0)
            writes(below(2) ? from : to, flag, 4);
        acquire(to, flag, SCOPE_DEVICE);
        break;
    }
}

static void any_hops(const uint32_t *shape)
{
    static const uint32_t places[] = {DATA, DATA, 32, PIXEL, LDATA};
    uint32_t item = below(shape[0] * shape[1]);
    for (uint32_t hops = 2 + below(5); hops; hops--) {
        const uint32_t next = below(shape[0] * shape[1]);
        if (below(3))
            act_plainly(item, places[below(5)]);
        if (next / shape[1] == item / shape[1])
            hop_within(item, next, shape);
        else
            hop_across(item, next);
        item = below(8) ? next : below(shape[0] * shape[1]);
    }
    act_plainly(item, places[below(5)]);
}

/* Hops between work-groups of one launch go by way of others, mostly. */
START_TEST(random_others_against_the_oracle)
{
    static const struct kind hops = {
        20000, 141421, 5, {{3, 2, 2}, {4, 3, 2}, {3, 4, 2}, {4, 2, 1}, {2, 4, 2}}, any_hops};
    within = true;
    agree_with_the_oracle(&hops);
    within = false;
}
END_TEST

START_TEST(random_launches_against_the_oracle)
{
    static const struct kind hops = {
        20000, 161803, 4, {{2, 2, 1}, {3, 2, 2}, {2, 4, 2}, {4, 3, 2}}, any_hops};
    all_launches = true;
    agree_with_the_oracle(&hops);
    all_launches = false;
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("race checker against the oracle");
    TCase *at_random = tcase_create("random");
    tcase_set_timeout(at_random, 600); /* when others use the machine, too */
    tcase_add_test(at_random, random_copies_against_the_oracle);
    tcase_add_test(at_random, random_named_barriers_against_the_oracle);
    tcase_add_test(at_random, random_sweeps_against_the_oracle);
    tcase_add_test(at_random, random_programs_against_the_oracle);
    tcase_add_test(at_random, random_handoffs_against_the_oracle);
    tcase_add_test(at_random, random_locks_against_the_oracle);
    tcase_add_test(at_random, random_rounds_against_the_oracle);
    tcase_add_test(at_random, random_access_sets_against_the_oracle);
    tcase_add_test(at_random, random_chains_of_updates_against_the_oracle);
    tcase_add_test(at_random, random_waves_against_the_oracle);
    tcase_add_test(at_random, random_launches_against_the_oracle);
    tcase_add_test(at_random, random_others_against_the_oracle);
    suite_add_tcase(suite, at_random);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
