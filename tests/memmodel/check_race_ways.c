/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fast paths of the race checker with the same result: a few operations each that such a path may miss. The
 * oracle judges them, too.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "sim/memmodel/common/fast_path.h"
#include "orrery/limits.h"
#include "tests/support/race_world.h"

/* Of an update that follows another one only the group is compared: a scope below it does not reach all of
 * the group. */
static void updates_of_sub_groups(uint32_t second, enum memory_scope scope)
{
    world_begin(1, 4, 2, SCOPE_RULE_EQUAL), world_forgoes_sync_log();
    update(1, FLAG, ORDER_RELAXED, scope), update(second, FLAG, ORDER_RELAXED, scope);
}

START_TEST(updates_are_joined_within_their_scope)
{
    updates_of_sub_groups(3, SCOPE_SUB_GROUP), races_at(FLAG);
    updates_of_sub_groups(0, SCOPE_SUB_GROUP), clean_at(FLAG);
    updates_of_sub_groups(0, SCOPE_WORK_ITEM), races_at(FLAG);
    updates_of_sub_groups(3, SCOPE_WORK_GROUP), clean_at(FLAG);
    world_begin(1, 4, 2, SCOPE_RULE_EQUAL), world_forgoes_sync_log();
    exchanges(0, FLAG, 2, 5, ORDER_RELAXED, SCOPE_SUB_GROUP, NO_SITE),
        update(3, FLAG, ORDER_RELAXED, SCOPE_SUB_GROUP), races_at(FLAG);
}
END_TEST

static void updates_thrice(uint32_t item)
{
    fence(item, G, ORDER_RELEASE, SCOPE_DEVICE);
    for (uint32_t i = 0; i < 3; i++)
        update(item, FLAG, ORDER_RELAXED, SCOPE_DEVICE);
}

static void releases_flag(uint32_t item, enum memory_scope scope)
{
    writes(item, DATA, 4), fence(item, G, ORDER_RELEASE, scope),
        update(item, FLAG, ORDER_RELAXED, SCOPE_DEVICE);
}

static void takes_over(uint32_t item, enum memory_scope scope)
{
    update(item, FLAG, ORDER_RELAXED, SCOPE_DEVICE), fence(item, G, ORDER_ACQUIRE, scope),
        reads(item, DATA, 4);
}

/*
 * A repeated update of an object starts at its last place: others may have updated there since, and
 * elsewhere.
 */
START_TEST(place_of_a_repeated_update_is_looked_up_again)
{
    one_group(), updates_thrice(1), releases_flag(0, SCOPE_DEVICE), takes_over(1, SCOPE_DEVICE),
        clean_at(DATA);
    one_group(), updates_thrice(1), releases_flag(0, SCOPE_DEVICE), takes_over(1, SCOPE_WORK_GROUP),
        races_at(DATA);
    one_group(), fence(0, G, ORDER_RELEASE, SCOPE_WORK_GROUP), update(0, FLAG, ORDER_RELAXED, SCOPE_DEVICE);
    updates_thrice(1), releases_flag(0, SCOPE_WORK_GROUP), takes_over(1, SCOPE_WORK_GROUP), clean_at(DATA);
    one_group(), updates_thrice(1), updates_thrice(0), releases_flag(0, SCOPE_DEVICE),
        takes_over(1, SCOPE_DEVICE), clean_at(DATA);
}
END_TEST

/* An access repeated after a release fence is later: the fence's release does not include it. */
static void updates_again(bool released_between, enum memory_ordering order)
{
    two_groups(), world_forgoes_sync_log(), release(0, OTHER, SCOPE_DEVICE);
    const uint32_t site = exchanges(0, DATA, 2, 1, order, SCOPE_DEVICE, NO_SITE);
    release(1, OTHER + 4, SCOPE_DEVICE);
    for (int i = 0; i < 3; i++)
        exchanges(0, DATA, 1, 0, order, SCOPE_DEVICE, site);
    if (!released_between)
        exchanges(0, DATA, 1, 0, order, SCOPE_DEVICE, site);
    fence(0, G, ORDER_RELEASE, SCOPE_DEVICE);
    if (released_between)
        exchanges(0, DATA, 1, 0, order, SCOPE_DEVICE, site);
    store(0, FLAG, ORDER_RELAXED, SCOPE_DEVICE);
    acquire(2, FLAG, SCOPE_DEVICE), acquire(2, OTHER + 4, SCOPE_DEVICE), writes(2, DATA, 4);
}

START_TEST(access_repeated_after_a_fence_is_later)
{
    updates_again(false, ORDER_RELAXED), clean_at(DATA);
    updates_again(true, ORDER_RELAXED), races_at(DATA);
    updates_again(false, ORDER_ACQUIRE), clean_at(DATA);
    updates_again(true, ORDER_ACQUIRE), races_at(DATA);
}
END_TEST

/* Adjacent iterations of a loop are accesses of their own. */
START_TEST(bytes_of_two_iterations_are_not_one_access)
{
    one_group(), loops(0, false, DATA + 4, 0, 3, 2, -4, NO_SITE), writes(2, DATA + 1, 4);
    ck_assert_ptr_null(judged());
    ck_assert_uint_eq(world_finding(0)->offset_bytes, 1);
    ck_assert_uint_eq(world_finding(0)->common_bytes, 3);
    world_end();
}
END_TEST

/* Two wait for the flag together, while a store ends one release sequence and begins the next: they read
 * of both. */
static void waits_for_two(uint32_t waiting, uint32_t address, enum memory_scope scope)
{
    one_group(), world_forgoes_sync_log();
    writes(0, DATA, 4), fence(0, G, ORDER_RELEASE, SCOPE_DEVICE),
        update(0, FLAG, ORDER_RELAXED, SCOPE_DEVICE);
    const uint32_t site = exchanges(0, FLAG, 6, 5, ORDER_RELAXED, SCOPE_DEVICE, NO_SITE);
    writes(3, OTHER, 4), fence(3, G, ORDER_RELEASE, SCOPE_DEVICE),
        atomic(3, FLAG, 4, ACCESS_ATOMIC_WRITE, ORDER_RELAXED, SCOPE_DEVICE);
    exchanges(0, FLAG, waiting, 5, ORDER_RELAXED, SCOPE_DEVICE, site);
    fence(1, G, ORDER_ACQUIRE, scope), reads(1, address, 4);
}

START_TEST(waiting_work_items_keep_their_earlier_reads)
{
    waits_for_two(6, DATA, SCOPE_DEVICE), clean_at(DATA);
    waits_for_two(4, DATA, SCOPE_DEVICE), clean_at(DATA);
    waits_for_two(6, OTHER, SCOPE_DEVICE), clean_at(OTHER);
    waits_for_two(4, OTHER, SCOPE_DEVICE), races_at(OTHER);
    waits_for_two(6, DATA, SCOPE_WORK_GROUP), races_at(DATA);
    ck_assert_uint_gt(world_fast_paths[FAST_PATH_READ_TOGETHER], 0);
}
END_TEST

/* Scattered writes and updates are sifted by epochs before they stand in the exact record: what they may
 * lose sight of. */
START_TEST(waves_are_filtered)
{
    const uint32_t apart[] = {40, 32}, together[] = {OTHER, OTHER + 4}, crossed[] = {OTHER + 4, OTHER};
    two_groups(), gathers(0, true, apart, 4), gathers(0, false, together, 4), gathers(1, false, together, 4),
        writes(2, OTHER, 4), races_at(OTHER);
    two_groups(), gathers(0, true, apart, 4), gathers(0, false, together, 4), writes(0, OTHER, 4),
        clean_at(OTHER);
    two_groups(), gathers(0, true, apart, 4), gathers(0, true, together, 4), barrier(0, G, SCOPE_WORK_GROUP);
    gathers(0, true, crossed, 4), clean_at(OTHER);
    two_groups(), gathers(0, true, apart, 4), gathers(0, true, together, 4), barrier(0, G, SCOPE_WORK_GROUP);
    gathers(0, true, crossed, 4), gathers(0, false, together, 4), races_at(OTHER);
    two_groups(), sweeps(0, true, OTHER, 4, 4, 3), barrier(0, G, SCOPE_WORK_GROUP),
        sweeps(0, true, OTHER + 4, -4, 4, 3);
    gathers(0, true, apart, 4), reads(0, OTHER, 4), races_at(OTHER);
    two_groups(), gathers(0, true, apart, 4), updates(0, OTHER, 0, 3, SCOPE_DEVICE),
        updates(1, OTHER, 0, 3, SCOPE_DEVICE), clean_at(OTHER);
    two_groups(), writes(0, OTHER, 4), barrier(0, G, SCOPE_WORK_GROUP), updates(0, OTHER, 0, 3, SCOPE_DEVICE),
        clean_at(OTHER);
    two_groups(), writes(0, OTHER, 4), barrier(0, G, SCOPE_WORK_GROUP), updates(0, OTHER, 0, 3, SCOPE_DEVICE);
    updates(1, OTHER, 0, 3, SCOPE_DEVICE), races_at(OTHER);
    two_groups(), gathers(0, false, together, 4), updates(0, OTHER, 0, 1, SCOPE_DEVICE),
        updates(1, OTHER, 0, 2, SCOPE_DEVICE), races_at(OTHER);
}
END_TEST

/* Four members in two rows. */
static void two_rows(uint32_t members, int32_t step_x, int32_t step_y)
{
    world_begin(2, 4, 2, SCOPE_RULE_EQUAL);
    texels(0, PIXEL + 24, step_x, step_y, 2, members);
}

/* Reads of a wave are noted down as rows: each texel of them counts, and none beside. */
START_TEST(rows_of_texels_are_read)
{
    static const int32_t steps[][2] = {{4, 8}, {4, 16}, {8, 4},   {-4, 16}, {4, -16},
                                       {4, 4}, {0, 8},  {-4, -8}, {0, 0}};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        for (uint32_t members = 1; members < 16; members++)
            for (uint32_t at = 0; at < 52; at += 4) {
                bool is_read = false;
                for (int32_t lane = 0; lane < 4; lane++)
                    is_read |= members >> lane & 1 &&
                               (int32_t)at == 24 + steps[i][0] * (lane % 2) + steps[i][1] * (lane / 2);
                two_rows(members, steps[i][0], steps[i][1]), writes(4, PIXEL + at, 4),
                    judge_at(PIXEL + at, is_read);
                two_rows(members, steps[i][0], steps[i][1]), child(1, LAUNCH_AT_ONCE),
                    writes(0, PIXEL + at, 4), tree_judged(is_read);
            }
    two_rows(15, 4, 8), writes(3, PIXEL + 36, 4), clean_at(PIXEL + 36);
    two_rows(15, 4, 8), writes(2, PIXEL + 36, 4), races_at(PIXEL + 36);
    two_rows(15, 4, 8), barrier(0, I, SCOPE_WORK_GROUP), writes(2, PIXEL + 36, 4), clean_at(PIXEL + 36);
    two_rows(15, 4, 8), texels(1, PIXEL + 24, 4, 8, 2, 15), writes(3, PIXEL + 36, 4), races_at(PIXEL + 36);
    world_begin(2, 4, 2, SCOPE_RULE_EQUAL), writes(4, PIXEL + 36, 4), texels(0, PIXEL + 24, 4, 8, 2, 15),
        races_at(PIXEL + 36);
    world_begin(2, 4, 2, SCOPE_RULE_EQUAL), writes(4, PIXEL + 40, 4), texels(0, PIXEL + 24, 4, 8, 2, 15),
        clean_at(PIXEL + 40);
}
END_TEST

/*
 * The clock that 1 releases has more of global memory than of local memory, and is deferred until 2 reads it.
 */
static void wave_is_forgotten_with_two_maps(uint32_t writer, uint32_t address)
{
    one_group(), world_packs_atomics(), writes(writer, address, 4), release(0, FLAG, SCOPE_DEVICE),
        acquire(1, FLAG, SCOPE_DEVICE);
    fence(1, G | L, ORDER_RELEASE, SCOPE_DEVICE), store(1, OTHER, ORDER_RELAXED, SCOPE_DEVICE);
    load(2, OTHER, ORDER_RELAXED, SCOPE_DEVICE), fence(2, G | L, ORDER_ACQUIRE, SCOPE_DEVICE),
        reads(2, address, 4);
}

START_TEST(regions_with_different_clocks_stay_apart)
{
    wave_is_forgotten_with_two_maps(0, DATA), clean_at(DATA);
    wave_is_forgotten_with_two_maps(0, LDATA), races_at(LDATA);
    wave_is_forgotten_with_two_maps(1, DATA), clean_at(DATA);
    wave_is_forgotten_with_two_maps(1, LDATA), clean_at(LDATA);
    ck_assert_uint_gt(world_fast_paths[FAST_PATH_PACKED], 0);
}
END_TEST

/* ---- members of a group, one after another -------------------------------------------------- */

/* Two groups of four, whose fences begin hand-offs; 0 writes. */
static void begin_handoff_of(uint32_t item)
{
    fence(item, G, ORDER_ACQ_REL, SCOPE_WORK_GROUP);
}

static void begin_handoffs(void)
{
    world_begin(2, 4, 2, SCOPE_RULE_EQUAL), world_forgoes_sync_log();
    begin_handoff_of(0), begin_handoff_of(4), writes(0, DATA, 4);
}

static void passes_on(uint32_t item)
{
    fence(item, G, ORDER_ACQ_REL, SCOPE_WORK_GROUP), update(item, FLAG, ORDER_RELAXED, SCOPE_DEVICE);
}
static void comes_next(uint32_t item)
{
    update(item, FLAG, ORDER_RELAXED, SCOPE_DEVICE), fence(item, G, ORDER_ACQ_REL, SCOPE_WORK_GROUP);
}

START_TEST(sub_groups_pass_on_their_clocks)
{
    begin_handoffs(), passes_on(0), comes_next(1), reads(1, DATA, 4), clean_at(DATA);
    begin_handoffs(), passes_on(0), comes_next(1), passes_on(1), comes_next(2), reads(2, DATA, 4),
        clean_at(DATA);
    begin_handoffs(), passes_on(0), comes_next(5), reads(5, DATA, 4), races_at(DATA); /* of another group */
    /* no fence */
    begin_handoffs(), passes_on(0), update(1, FLAG, ORDER_RELAXED, SCOPE_DEVICE), reads(1, DATA, 4),
        races_at(DATA);
    begin_handoffs(), passes_on(0), comes_next(1), barrier(0, L, SCOPE_WORK_GROUP), passes_on(1),
        comes_next(2), reads(2, DATA, 4), clean_at(DATA);
}
END_TEST

START_TEST(store_ends_the_release_of_others)
{
    begin_handoffs(), passes_on(0), store(0, FLAG, ORDER_RELAXED, SCOPE_DEVICE), comes_next(1),
        reads(1, DATA, 4), clean_at(DATA);
    begin_handoffs(), passes_on(0), store(2, FLAG, ORDER_RELAXED, SCOPE_DEVICE), comes_next(1),
        reads(1, DATA, 4), races_at(DATA);
    begin_handoffs(), passes_on(4), passes_on(0), store(5, FLAG, ORDER_RELAXED, SCOPE_DEVICE), comes_next(1),
        reads(1, DATA, 4), races_at(DATA);
}
END_TEST

START_TEST(other_fences_do_not_pass_on)
{
    begin_handoffs(), fence(0, L, ORDER_ACQ_REL, SCOPE_WORK_GROUP),
        update(0, FLAG, ORDER_RELAXED, SCOPE_DEVICE), comes_next(1), reads(1, DATA, 4), races_at(DATA);
    begin_handoffs(), fence(0, G, ORDER_ACQ_REL, SCOPE_SUB_GROUP),
        update(0, FLAG, ORDER_RELAXED, SCOPE_DEVICE), comes_next(2), reads(2, DATA, 4), races_at(DATA);
    begin_handoffs(), fence(0, G, ORDER_ACQUIRE, SCOPE_WORK_GROUP),
        update(0, FLAG, ORDER_RELAXED, SCOPE_DEVICE), comes_next(1), reads(1, DATA, 4), races_at(DATA);
    begin_handoffs(), passes_on(0), update(1, FLAG, ORDER_RELAXED, SCOPE_DEVICE),
        fence(1, G, ORDER_RELEASE, SCOPE_WORK_GROUP), reads(1, DATA, 4), races_at(DATA);
}
END_TEST

/* The members' clocks and reads at the beginning of the hand-off. */
START_TEST(earlier_clock_is_passed_on)
{
    world_begin(1, 4, 2, SCOPE_RULE_EQUAL), world_forgoes_sync_log(), writes(0, DATA, 4),
        release(0, OTHER, SCOPE_WORK_GROUP);
    acquire(1, OTHER, SCOPE_WORK_GROUP), passes_on(1), comes_next(2), reads(2, DATA, 4), clean_at(DATA);
    world_begin(1, 4, 2, SCOPE_RULE_EQUAL), world_forgoes_sync_log(), writes(0, DATA, 4),
        release(0, OTHER, SCOPE_WORK_GROUP);
    load(1, OTHER, ORDER_RELAXED, SCOPE_WORK_GROUP), passes_on(2), comes_next(1), reads(1, DATA, 4),
        clean_at(DATA);
    world_begin(1, 4, 2, SCOPE_RULE_EQUAL), world_forgoes_sync_log(), writes(0, DATA, 4),
        release(0, OTHER, SCOPE_WORK_GROUP);
    acquire(1, OTHER, SCOPE_WORK_GROUP), passes_on(2), comes_next(1), passes_on(1), comes_next(3),
        reads(3, DATA, 4), clean_at(DATA);
    world_begin(2, 4, 2, SCOPE_RULE_EQUAL), world_forgoes_sync_log(), writes(0, DATA, 4),
        barrier(0, G, SCOPE_DEVICE);
    passes_on(0), update(4, FLAG, ORDER_RELAXED, SCOPE_DEVICE), fence(4, G, ORDER_ACQ_REL, SCOPE_DEVICE),
        reads(4, DATA, 4), clean_at(DATA);
}
END_TEST

/* 2 is ordered after the update by 1, and after none before it but its own. */
static void one_after_another(enum memory_ordering order, bool released)
{
    two_groups();
    if (released)
        update(2, FLAG, ORDER_RELEASE, SCOPE_DEVICE);
    const uint32_t site = changes(0, FLAG, order, SCOPE_DEVICE, NO_SITE);
    changes(1, FLAG, order, SCOPE_DEVICE, site), release(1, OTHER, SCOPE_DEVICE),
        acquire(2, OTHER, SCOPE_DEVICE), writes(2, FLAG, 4);
}

START_TEST(update_covers_accesses_that_happen_before_it)
{
    for (enum memory_ordering order = ORDER_RELAXED; order <= ORDER_SEQ_CST; order++) {
        const bool ordered = order == ORDER_ACQ_REL || order == ORDER_SEQ_CST;
        for (int released = 0; released < 2; released++) {
            one_after_another(order, released);
            ck_assert_ptr_null(judged());
            ck_assert_uint_eq(world_races_at(FLAG), !ordered);
            world_end();
        }
        two_groups(); /* the store between breaks the sequence */
        const uint32_t site = changes(0, FLAG, order, SCOPE_DEVICE, NO_SITE);
        store(2, FLAG, ORDER_RELAXED, SCOPE_DEVICE), changes(1, FLAG, order, SCOPE_DEVICE, site);
        release(1, OTHER, SCOPE_DEVICE), release(2, OTHER + 4, SCOPE_DEVICE), acquire(3, OTHER, SCOPE_DEVICE),
            acquire(3, OTHER + 4, SCOPE_DEVICE);
        writes(3, FLAG, 4), races_at(FLAG);
    }
}
END_TEST

/*
 * One instruction releases for all: the accesses of each before it happen before an acquirer's, those after
 * it do not.
 */
START_TEST(releases_of_one_event_are_between_slices)
{
    world_begin(2, 4, 2, SCOPE_RULE_EQUAL), world_forgoes_sync_log(), writes(3, DATA, 4);
    atomics(0, FLAG, 0, 15, ACCESS_ATOMIC_UPDATE, ORDER_RELEASE, SCOPE_DEVICE),
        acquire(4, FLAG, SCOPE_DEVICE), reads(4, DATA, 4), clean_at(DATA);
    world_begin(2, 4, 2, SCOPE_RULE_EQUAL), world_forgoes_sync_log();
    atomics(0, FLAG, 0, 15, ACCESS_ATOMIC_UPDATE, ORDER_RELEASE, SCOPE_DEVICE), writes(0, DATA, 4),
        acquire(4, FLAG, SCOPE_DEVICE), reads(4, DATA, 4), races_at(DATA);
    world_begin(2, 4, 2, SCOPE_RULE_EQUAL), world_forgoes_sync_log(), writes(0, DATA, 4);
    /* 1 reads what 0 stored */
    atomics(0, FLAG, 0, 3, ACCESS_ATOMIC_UPDATE, ORDER_ACQ_REL, SCOPE_DEVICE), reads(1, DATA, 4),
        clean_at(DATA);
    world_begin(2, 4, 2, SCOPE_RULE_EQUAL), world_forgoes_sync_log(), writes(2, DATA, 4),
        wave_fence(0, 15, G, ORDER_RELEASE, SCOPE_DEVICE);
    atomics(0, FLAG, 4, 15, ACCESS_ATOMIC_WRITE, ORDER_RELAXED, SCOPE_DEVICE),
        acquire(5, FLAG + 4, SCOPE_DEVICE), reads(5, DATA, 4), races_at(DATA);
    world_begin(2, 4, 2, SCOPE_RULE_EQUAL), world_forgoes_sync_log(), writes(2, DATA, 4),
        wave_fence(0, 15, G, ORDER_RELEASE, SCOPE_DEVICE);
    atomics(0, FLAG, 4, 15, ACCESS_ATOMIC_WRITE, ORDER_RELAXED, SCOPE_DEVICE),
        acquire(5, FLAG + 8, SCOPE_DEVICE), reads(5, DATA, 4), clean_at(DATA);
}
END_TEST

/* ---- places that race again and again -------------------------------------------------------- */

/* Work-items of two groups load and store by the same two instructions alternately. */
static uint32_t access_set_load, access_set_store;

static void access_set(uint32_t repeats)
{
    static const uint32_t items[] = {0, 1, 3};
    access_set_load = access_set_store = NO_SITE;
    world_begin(2, 3, 3, SCOPE_RULE_EQUAL), world_forgoes_sync_log(), world_counts_races(4);
    for (uint32_t repeat = 0; repeat < repeats; repeat++) {
        access_set_load = touches(items[repeat % 3], false, DATA, access_set_load);
        access_set_store = touches(items[repeat % 3], true, DATA, access_set_store);
    }
}

/* And the others are ordered. */
static void access_set_is_ordered(uint32_t repeats)
{
    access_set(repeats);
    for (uint32_t item = 0; item < 4; item++)
        release(item, 48 + 4 * item, SCOPE_DEVICE), acquire(2, 48 + 4 * item, SCOPE_DEVICE),
            acquire(4, 48 + 4 * item, SCOPE_DEVICE);
}

static void one_more_pair_races(bool more)
{
    const char *difference = world_disagreement();
    ck_assert_msg(!difference, "%s", difference);
    if (HOSTILE(true, false)) /* room for fewer racers: not each pair of places is reported */
        ck_assert_uint_eq(world_races(), more ? 3 : 2);
    world_end();
}

static void is_ordered_for_others(uint32_t repeats)
{
    access_set_is_ordered(repeats), writes(4, DATA, 4), one_more_pair_races(false);
    access_set_is_ordered(repeats), touches(2, true, DATA, access_set_store), writes(4, DATA, 4),
        one_more_pair_races(true);
    access_set_is_ordered(repeats), touches(2, false, DATA, access_set_load), writes(4, DATA, 4),
        one_more_pair_races(true);
    access_set_is_ordered(repeats), touches(2, false, DATA, access_set_load),
        touches(1, true, DATA, access_set_store);
    release(1, OTHER, SCOPE_DEVICE), acquire(4, OTHER, SCOPE_DEVICE), writes(4, DATA, 4),
        one_more_pair_races(true);
    access_set_is_ordered(repeats), update(4, DATA, ORDER_RELAXED, SCOPE_DEVICE), one_more_pair_races(false);
    access_set_is_ordered(repeats), update(4, DATA, ORDER_RELAXED, SCOPE_DEVICE),
        touches(1, true, DATA, access_set_store), one_more_pair_races(true);
}

START_TEST(saturated_access_is_ordered_for_others)
{
    for (uint32_t repeats = 40; repeats < 80; repeats++) /* one access in 64 is judged in any case */
        is_ordered_for_others(repeats);
}
END_TEST

/*
 * Two of a group pass on their accesses, each too late for the other: the next unit is ordered after all of
 * them. It is also ordered after accesses of another group, which are unordered with the two.
 */
static void access_set_in_handoff(uint32_t repeats)
{
    uint32_t take = NO_SITE, leave = NO_SITE;
    access_set_load = access_set_store = NO_SITE;
    world_begin(2, 3, 3, SCOPE_RULE_EQUAL), world_forgoes_sync_log(), world_counts_races(4);
    for (uint32_t item = 3; item < 5; item++) {
        access_set_load = touches(item, false, DATA, access_set_load);
        access_set_store = touches(item, true, DATA, access_set_store);
        release(item, 16 * item, SCOPE_DEVICE), acquire(2, 16 * item, SCOPE_DEVICE);
    }
    for (uint32_t repeat = 0; repeat < repeats; repeat++) {
        const uint32_t item = repeat % 2;
        take = adds(item, FLAG, take);
        access_set_load = touches(item, false, DATA, access_set_load);
        access_set_store = touches(item, true, DATA, access_set_store);
        fence(item, G, ORDER_ACQ_REL, SCOPE_WORK_GROUP);
        leave = adds(item, FLAG, leave);
    }
}

START_TEST(a_access_set_in_a_handoff_keeps_its_time)
{
    for (uint32_t repeats = 24; repeats < 40; repeats++) {
        const uint32_t latest = (repeats - 1) % 2;
        access_set_in_handoff(repeats), comes_next(2), writes(2, DATA, 4), one_more_pair_races(false);
        access_set_in_handoff(repeats), touches(latest, true, DATA, access_set_store), comes_next(2),
            writes(2, DATA, 4), one_more_pair_races(true);
        access_set_in_handoff(repeats), touches(latest, false, DATA, access_set_load), comes_next(2),
            writes(2, DATA, 4), one_more_pair_races(true);
        access_set_in_handoff(repeats), touches(1 - latest, true, DATA, access_set_store), comes_next(2),
            writes(2, DATA, 4), one_more_pair_races(true);
    }
}
END_TEST

static void access_set_takes(uint32_t item, uint32_t address)
{
    access_set_load = touches(item, false, address, access_set_load);
    access_set_store = touches(item, true, address, access_set_store);
}

/*
 * An access that a store of the access set leaves elsewhere keeps its clock value while others of them
 * continue.
 */
START_TEST(a_access_set_takes_no_other_stores_along)
{
    for (uint32_t repeats = 40; repeats < 80; repeats++) {
        access_set(repeats), release(0, FLAG, SCOPE_DEVICE);
        access_set_takes(0, DATA), writes(0, 64, 4), touches(0, true, 68, access_set_store);
        release(0, FLAG, SCOPE_DEVICE), access_set_takes(0, DATA), acquire(4, FLAG, SCOPE_DEVICE),
            writes(4, 68, 4);
        clean_at(68);
    }
}
END_TEST

/* Few races of that word were kept before its places had raced often enough elsewhere. */
START_TEST(access_set_that_moves_on_is_ordered_for_others)
{
    access_set(40), access_set_takes(0, 64), access_set_takes(1, 64), access_set_takes(3, 64);
    for (uint32_t item = 0; item < 4; item += 3)
        release(item, 48 + 4 * item, SCOPE_DEVICE), acquire(4, 48 + 4 * item, SCOPE_DEVICE);
    writes(4, 64, 4), one_more_pair_races(true);
}
END_TEST

START_TEST(an_eight_byte_access_set_has_two_words)
{
    for (uint32_t repeats = 40; repeats < 80; repeats++) {
        access_set_load = access_set_store = NO_SITE;
        world_begin(2, 3, 3, SCOPE_RULE_EQUAL), world_forgoes_sync_log(), world_counts_races(4);
        for (uint32_t repeat = 0; repeat < repeats; repeat++) {
            access_set_load = touches_bytes(repeat % 4, false, DATA, 8, access_set_load);
            access_set_store = touches_bytes(repeat % 4, true, DATA, 8, access_set_store);
        }
        for (uint32_t item = 0; item < 4; item++)
            release(item, 48 + 4 * item, SCOPE_DEVICE), acquire(4, 48 + 4 * item, SCOPE_DEVICE),
                acquire(5, 48 + 4 * item, SCOPE_DEVICE);
        touches_bytes(5, false, DATA, 8, access_set_load), writes(4, DATA + 4, 4), one_more_pair_races(true);
    }
}
END_TEST

/* The time of accesses to a place that all race for grows with the accesses, not with the pairs. */
START_TEST(saturated_sites_cost_few_comparisons)
{
    for (uint32_t size = 1; size <= 8; size *= 2) {
        uint32_t load = NO_SITE, store = NO_SITE, repeats = 0;
        world_begin(2, 3, 3, SCOPE_RULE_EQUAL), world_forgoes_sync_log(), world_counts_races(4);
        for (const uint64_t before = world_compared(); repeats < 100; repeats++) {
            store = touches_bytes(repeats % 4, true, DATA, size, store);
            load = touches_bytes((repeats + 1) % 4, false, DATA, size, load);
            ck_assert(HOSTILE(false, true) || repeats < 40 ||
                      world_compared() - before <=
                          2 * 4 * (uint64_t)(repeats + 1) * (size < 4 ? size : (size + 3) / 4));
        }
    }
}
END_TEST

/* Once, and with the reason. */
START_TEST(slow_run_reports_the_cause)
{
    char *text = NULL;
    size_t size = 0;
    uint32_t store = NO_SITE;
    FILE *stream = open_memstream(&text, &size);
    world_begin(2, 3, 3, SCOPE_RULE_EQUAL), world_forgoes_sync_log(), world_warns_after(50, stream);
    for (uint32_t repeats = 0; repeats < 49; repeats++)
        store = touches(repeats % 4, true, DATA, store);
    fflush(stream);
    ck_assert_ptr_null(strstr(text, "note:"));
    for (uint32_t repeats = 0; repeats < 100; repeats++)
        store = touches(repeats % 4, true, DATA, store);
    const char *note = strstr(text, "orrery: note: kernel ");
    ck_assert_ptr_nonnull(note);
    ck_assert_ptr_nonnull(strstr(note, "work-items race there; --check-races=off"));
    ck_assert_ptr_null(strstr(note + strlen("orrery: note:"), "note:"));
    world_warns_after(0, NULL);
    fclose(stream);
    free(text);
}
END_TEST

START_TEST(races_reported_often_enough_are_counted_no_more)
{
    const uint64_t before = world_fast_paths[FAST_PATH_SATURATED];
    uint64_t count = 0;
    bool uncounted = false;
    access_set(100);
    for (size_t i = 0; i < world_races(); i++) {
        uncounted |= world_finding(i)->count_at_least;
        count += world_finding(i)->count;
    }
    races_at(DATA);
    ck_assert(uncounted || HOSTILE(false, true)); /* there is room for fewer racers than two of each place */
    ck_assert_uint_lt(count, HOSTILE(300, 500));
    ck_assert_uint_ge(world_fast_paths[FAST_PATH_SATURATED], before + HOSTILE(50, 0));
    access_set(99), release(3, FLAG, SCOPE_DEVICE), acquire(0, FLAG, SCOPE_DEVICE), writes(0, DATA, 4);
    ck_assert_uint_eq(world_races(), 3); /* the new one races with stores that are not the latest */
    world_end();
    access_set(100), writes(0, DATA, 4);
    ck_assert_ptr_null(world_disagreement());
    ck_assert_ptr_null(world_unreported_pair());
    ck_assert_uint_eq(world_races(), 3);
    world_end();
}
END_TEST

static size_t access_set_before(uint32_t repeats, bool stores)
{
    access_set(repeats), world_launches(1, LAUNCH_AFTER_PARENT, 0, NULL, 0), release(0, FLAG, SCOPE_DEVICE),
        touches(0, false, DATA, access_set_load);
    if (stores)
        writes(3, DATA, 4);
    const size_t races = world_tree_races();
    world_end();
    return races;
}

START_TEST(a_access_set_ends_with_its_launch)
{
    for (uint32_t repeats = 40; repeats < 60; repeats++)
        ck_assert_uint_eq(access_set_before(repeats, true), access_set_before(repeats, false) + 1);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("short ways of the race checker");
    TCase *fast_paths = tcase_create("ways");
    tcase_set_timeout(fast_paths, 600); /* when others use the machine, too */
    tcase_add_test(fast_paths, update_covers_accesses_that_happen_before_it);
    tcase_add_test(fast_paths, updates_are_joined_within_their_scope);
    tcase_add_test(fast_paths, place_of_a_repeated_update_is_looked_up_again);
    tcase_add_test(fast_paths, access_repeated_after_a_fence_is_later);
    tcase_add_test(fast_paths, bytes_of_two_iterations_are_not_one_access);
    tcase_add_test(fast_paths, waiting_work_items_keep_their_earlier_reads);
    tcase_add_test(fast_paths, waves_are_filtered);
    tcase_add_test(fast_paths, rows_of_texels_are_read);
    tcase_add_test(fast_paths, regions_with_different_clocks_stay_apart);
    tcase_add_test(fast_paths, sub_groups_pass_on_their_clocks);
    tcase_add_test(fast_paths, releases_of_one_event_are_between_slices);
    tcase_add_test(fast_paths, store_ends_the_release_of_others);
    tcase_add_test(fast_paths, other_fences_do_not_pass_on);
    tcase_add_test(fast_paths, earlier_clock_is_passed_on);
    tcase_add_test(fast_paths, a_access_set_in_a_handoff_keeps_its_time);
    tcase_add_test(fast_paths, races_reported_often_enough_are_counted_no_more);
    tcase_add_test(fast_paths, saturated_sites_cost_few_comparisons);
    tcase_add_test(fast_paths, slow_run_reports_the_cause);
    tcase_add_test(fast_paths, a_access_set_takes_no_other_stores_along);
    tcase_add_test(fast_paths, access_set_that_moves_on_is_ordered_for_others);
    tcase_add_test(fast_paths, a_access_set_ends_with_its_launch);
    tcase_add_test(fast_paths, an_eight_byte_access_set_has_two_words);
    tcase_add_test(fast_paths, saturated_access_is_ordered_for_others);
    suite_add_tcase(suite, fast_paths);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
