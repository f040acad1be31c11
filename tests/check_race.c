/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rules of the memory model (R1 to R38 of OpenCL 2.2 API 3.3.3 to 3.3.6, those inside one launch), a test for each:
 * a few deeds, and whether they race. Every trace is also given to an oracle that computes happens-before as a
 * transitive closure, and so are random ones.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "memmodel/ways.h"
#include "orrery/limits.h"
#include "race_world.h"

enum { DATA = 0, FLAG = 8, OTHER = 16 };
#define LDATA (LOCAL + 0)
#define LFLAG (LOCAL + 8)
#define PIXEL (IMAGE + 4)

/* Two groups of two: items 0, 1 | 2, 3. */
static void two_groups(void) { world_begin(2, 2, 1, SCOPE_RULE_EQUAL); }
static void one_group(void) { world_begin(1, 4, 2, SCOPE_RULE_EQUAL); } /* sub-groups 0, 1 | 2, 3 */

static void judge_at(uint32_t address, bool racy)
{
    const char *difference = world_disagreement();
    ck_assert_msg(!difference, "%s", difference);
    ck_assert_int_eq(world_races_at(address), racy);
    world_end();
}
#define races_at(address) judge_at(address, true)
#define clean_at(address) judge_at(address, false)

static void store(uint32_t item, uint32_t flag, enum memory_order order, enum memory_scope scope)
{
    atomic(item, flag, 4, ACCESS_ATOMIC_WRITE, order, scope);
}
static void load(uint32_t item, uint32_t flag, enum memory_order order, enum memory_scope scope)
{
    atomic(item, flag, 4, ACCESS_ATOMIC_READ, order, scope);
}
static void update(uint32_t item, uint32_t flag, enum memory_order order, enum memory_scope scope)
{
    atomic(item, flag, 4, ACCESS_ATOMIC_UPDATE, order, scope);
}
static void release(uint32_t item, uint32_t flag, enum memory_scope scope) { store(item, flag, ORDER_RELEASE, scope); }
static void acquire(uint32_t item, uint32_t flag, enum memory_scope scope) { load(item, flag, ORDER_ACQUIRE, scope); }

/* ---- definitions ---------------------------------------------------------------------- */

START_TEST(r1_each_work_item_is_a_unit)
{
    two_groups(), writes(0, DATA, 4), writes(1, DATA, 4), races_at(DATA);
    two_groups(), writes(0, DATA, 4), writes(2, DATA, 4), races_at(DATA);
}
END_TEST

START_TEST(r2_regions_are_disjoint)
{
    one_group(), writes(0, LDATA, 4), barrier(0, G, SCOPE_WORK_GROUP), reads(1, LDATA, 4), races_at(LDATA);
    one_group(), writes(0, LDATA, 4), barrier(0, L, SCOPE_WORK_GROUP), reads(1, LDATA, 4), clean_at(LDATA);
}
END_TEST

START_TEST(r3_program_order_orders) { two_groups(), writes(0, DATA, 4), reads(0, DATA, 4), writes(0, DATA, 4), clean_at(DATA); }
END_TEST

START_TEST(r4_two_reads_do_not_conflict)
{
    two_groups(), reads(0, DATA, 4), reads(2, DATA, 4), clean_at(DATA);
    two_groups(), reads(0, DATA, 4), reads(1, DATA, 4), reads(2, DATA, 4), writes(2, DATA, 4), races_at(DATA);
    two_groups(), update(0, DATA, ORDER_RELAXED, SCOPE_DEVICE), barrier(0, G, SCOPE_WORK_GROUP), reads(0, DATA, 4), reads(1, DATA, 4), clean_at(DATA);
}
END_TEST

START_TEST(r5_orders_of_atomics)
{
    static const bool orders[2][5] = {{false, false, true, true, true}, {false, true, false, true, true}};
    for (enum memory_order order = ORDER_RELAXED; order <= ORDER_SEQ_CST; order++) {
        two_groups(), writes(0, DATA, 4), store(0, FLAG, order, SCOPE_DEVICE), acquire(2, FLAG, SCOPE_DEVICE), reads(2, DATA, 4);
        judge_at(DATA, !orders[0][order]);
        two_groups(), writes(0, DATA, 4), release(0, FLAG, SCOPE_DEVICE), load(2, FLAG, order, SCOPE_DEVICE), reads(2, DATA, 4);
        judge_at(DATA, !orders[1][order]);
    }
}
END_TEST

static void fences(uint32_t flags)
{
    two_groups();
    writes(0, DATA, 4), fence(0, flags, ORDER_RELEASE, SCOPE_DEVICE), store(0, FLAG, ORDER_RELAXED, SCOPE_DEVICE);
    load(2, FLAG, ORDER_RELAXED, SCOPE_DEVICE), fence(2, flags, ORDER_ACQUIRE, SCOPE_DEVICE), reads(2, DATA, 4);
}

START_TEST(r6_fences_have_flags)
{
    fences(G), clean_at(DATA);
    fences(L), races_at(DATA);
    fences(0), races_at(DATA);
}
END_TEST

/* ---- release sequences --------------------------------------------------------------------- */

START_TEST(r8_release_sequence)
{
    two_groups(), writes(0, DATA, 4), release(0, FLAG, SCOPE_DEVICE), update(1, FLAG, ORDER_RELAXED, SCOPE_DEVICE);
    acquire(2, FLAG, SCOPE_DEVICE), reads(2, DATA, 4), clean_at(DATA);
    two_groups(), writes(0, DATA, 4), release(0, FLAG, SCOPE_DEVICE), store(1, FLAG, ORDER_RELAXED, SCOPE_DEVICE);
    acquire(2, FLAG, SCOPE_DEVICE), reads(2, DATA, 4), races_at(DATA);
    two_groups(), writes(0, DATA, 4), release(0, FLAG, SCOPE_DEVICE), store(0, FLAG, ORDER_RELAXED, SCOPE_DEVICE);
    acquire(2, FLAG, SCOPE_DEVICE), reads(2, DATA, 4), clean_at(DATA);
    two_groups(), writes(0, DATA, 4), release(0, FLAG, SCOPE_DEVICE), update(1, FLAG, ORDER_RELEASE, SCOPE_DEVICE);
    store(0, FLAG, ORDER_RELAXED, SCOPE_DEVICE), acquire(2, FLAG, SCOPE_DEVICE), reads(2, DATA, 4), clean_at(DATA);
    two_groups(), writes(1, DATA, 4), release(0, FLAG, SCOPE_DEVICE), update(1, FLAG, ORDER_RELEASE, SCOPE_DEVICE);
    store(0, FLAG, ORDER_RELAXED, SCOPE_DEVICE), acquire(2, FLAG, SCOPE_DEVICE), reads(2, DATA, 4), races_at(DATA);
}
END_TEST

/* ---- scopes ------------------------------------------------------------------------------------ */

START_TEST(r9_scopes_are_reduced)
{
    one_group(), writes(0, LDATA, 4), release(0, LFLAG, SCOPE_DEVICE), acquire(1, LFLAG, SCOPE_WORK_GROUP), reads(1, LDATA, 4);
    clean_at(LDATA);
}
END_TEST

START_TEST(r9_all_svm_devices_is_device_on_other_memory)
{
    two_groups(), writes(0, DATA, 4), release(0, FLAG, SCOPE_ALL_SVM), acquire(2, FLAG, SCOPE_DEVICE), reads(2, DATA, 4), clean_at(DATA);
    two_groups(), world_shares(), writes(0, DATA, 4), release(0, FLAG, SCOPE_ALL_SVM), acquire(2, FLAG, SCOPE_DEVICE), reads(2, DATA, 4);
    clean_at(DATA);
    two_groups(), updates(0, FLAG, 0, 3, SCOPE_ALL_SVM), updates(1, FLAG, 0, 3, SCOPE_DEVICE), clean_at(FLAG);
}
END_TEST

/* The object, not the data, says what a scope is; of a fence the objects by which it synchronises. */
START_TEST(r9_all_svm_devices_stays_on_svm_with_atomics)
{
    two_groups(), world_shares_atomics(), writes(0, DATA, 4), release(0, FLAG, SCOPE_ALL_SVM), acquire(2, FLAG, SCOPE_DEVICE);
    reads(2, DATA, 4), races_at(DATA);
    two_groups(), world_shares_atomics(), writes(0, DATA, 4), release(0, FLAG, SCOPE_DEVICE), acquire(2, FLAG, SCOPE_ALL_SVM);
    reads(2, DATA, 4), races_at(DATA);
    two_groups(), world_shares_atomics(), writes(0, DATA, 4), release(0, FLAG, SCOPE_ALL_SVM), acquire(2, FLAG, SCOPE_ALL_SVM);
    reads(2, DATA, 4), clean_at(DATA);
    two_groups(), world_shares_atomics(), release(0, FLAG, SCOPE_ALL_SVM), acquire(2, FLAG, SCOPE_DEVICE), races_at(FLAG);
    two_groups(), world_shares_atomics(), updates(0, FLAG, 0, 3, SCOPE_ALL_SVM), updates(1, FLAG, 0, 3, SCOPE_DEVICE), races_at(FLAG);
    world_begin(2, 2, 1, SCOPE_RULE_INCLUSIVE31), world_shares_atomics(), writes(0, DATA, 4), release(0, FLAG, SCOPE_ALL_SVM);
    acquire(2, FLAG, SCOPE_DEVICE), reads(2, DATA, 4), clean_at(DATA);
    two_groups(), world_shares_atomics(), writes(0, DATA, 4), fence(0, G, ORDER_RELEASE, SCOPE_ALL_SVM), store(0, FLAG, ORDER_RELAXED, SCOPE_DEVICE);
    load(2, FLAG, ORDER_RELAXED, SCOPE_DEVICE), fence(2, G, ORDER_ACQUIRE, SCOPE_ALL_SVM), reads(2, DATA, 4), clean_at(DATA);
    two_groups(), world_shares_atomics(), writes(0, DATA, 4), fence(0, G, ORDER_RELEASE, SCOPE_ALL_SVM), store(0, FLAG, ORDER_RELAXED, SCOPE_DEVICE);
    load(2, FLAG, ORDER_RELAXED, SCOPE_DEVICE), fence(2, G, ORDER_ACQUIRE, SCOPE_DEVICE), reads(2, DATA, 4), races_at(DATA);
}
END_TEST

START_TEST(r10_scopes_must_include_each_other)
{
    two_groups(), writes(0, DATA, 4), release(0, FLAG, SCOPE_WORK_GROUP), acquire(2, FLAG, SCOPE_WORK_GROUP), reads(2, DATA, 4);
    races_at(DATA);
    two_groups(), writes(0, DATA, 4), release(0, FLAG, SCOPE_WORK_GROUP), acquire(1, FLAG, SCOPE_WORK_GROUP), reads(1, DATA, 4);
    clean_at(DATA);
    two_groups(), writes(0, DATA, 4), release(0, FLAG, SCOPE_DEVICE), acquire(1, FLAG, SCOPE_WORK_GROUP), reads(1, DATA, 4);
    races_at(DATA);
    one_group(), writes(0, DATA, 4), release(0, FLAG, SCOPE_SUB_GROUP), acquire(2, FLAG, SCOPE_SUB_GROUP), reads(2, DATA, 4);
    races_at(DATA);
    one_group(), writes(0, DATA, 4), release(0, FLAG, SCOPE_SUB_GROUP), acquire(1, FLAG, SCOPE_SUB_GROUP), reads(1, DATA, 4);
    clean_at(DATA);
    two_groups(), writes(0, DATA, 4), release(0, FLAG, SCOPE_WORK_ITEM), acquire(1, FLAG, SCOPE_WORK_ITEM), reads(1, DATA, 4);
    races_at(DATA);
    world_begin(2, 2, 1, SCOPE_RULE_INCLUSIVE31);
    writes(0, DATA, 4), release(0, FLAG, SCOPE_DEVICE), acquire(1, FLAG, SCOPE_WORK_GROUP), reads(1, DATA, 4), clean_at(DATA);
}
END_TEST

/* ---- synchronises-with --------------------------------------------------------------------------- */

START_TEST(r11_release_to_acquire)
{
    two_groups(), writes(0, DATA, 4), release(0, FLAG, SCOPE_DEVICE), acquire(2, FLAG, SCOPE_DEVICE), reads(2, DATA, 4), clean_at(DATA);
    two_groups(), writes(0, DATA, 4), release(0, FLAG, SCOPE_DEVICE), acquire(2, OTHER, SCOPE_DEVICE), reads(2, DATA, 4), races_at(DATA);
    two_groups(), release(0, FLAG, SCOPE_DEVICE), writes(0, DATA, 4), acquire(2, FLAG, SCOPE_DEVICE), reads(2, DATA, 4), races_at(DATA);
}
END_TEST

START_TEST(r12_fence_to_fence)
{
    fences(G), clean_at(DATA);
    two_groups(); /* the acquire fence stands before the load */
    writes(0, DATA, 4), fence(0, G, ORDER_RELEASE, SCOPE_DEVICE), store(0, FLAG, ORDER_RELAXED, SCOPE_DEVICE);
    fence(2, G, ORDER_ACQUIRE, SCOPE_DEVICE), load(2, FLAG, ORDER_RELAXED, SCOPE_DEVICE), reads(2, DATA, 4), races_at(DATA);
}
END_TEST

START_TEST(r13_atomic_to_fence)
{
    two_groups(), writes(0, DATA, 4), release(0, FLAG, SCOPE_DEVICE), load(2, FLAG, ORDER_RELAXED, SCOPE_DEVICE);
    fence(2, G, ORDER_ACQUIRE, SCOPE_DEVICE), reads(2, DATA, 4), clean_at(DATA);
    two_groups(), writes(0, DATA, 4), release(0, FLAG, SCOPE_DEVICE), load(2, FLAG, ORDER_RELAXED, SCOPE_DEVICE);
    fence(2, G, ORDER_ACQUIRE, SCOPE_WORK_GROUP), reads(2, DATA, 4), races_at(DATA);
}
END_TEST

START_TEST(r14_fence_to_atomic)
{
    two_groups(), writes(0, DATA, 4), fence(0, G, ORDER_RELEASE, SCOPE_DEVICE), store(0, FLAG, ORDER_RELAXED, SCOPE_WORK_GROUP);
    acquire(2, FLAG, SCOPE_DEVICE), reads(2, DATA, 4), clean_at(DATA);
    two_groups(), fence(0, G, ORDER_RELEASE, SCOPE_DEVICE), writes(0, DATA, 4), store(0, FLAG, ORDER_RELAXED, SCOPE_DEVICE);
    acquire(2, FLAG, SCOPE_DEVICE), reads(2, DATA, 4), races_at(DATA);
}
END_TEST

static void local_flag(uint32_t released, uint32_t acquired)
{
    one_group();
    writes(0, DATA, 4), fence(0, released, ORDER_RELEASE, SCOPE_WORK_GROUP), store(0, LFLAG, ORDER_RELAXED, SCOPE_WORK_GROUP);
    load(1, LFLAG, ORDER_RELAXED, SCOPE_WORK_GROUP), fence(1, acquired, ORDER_ACQUIRE, SCOPE_WORK_GROUP), reads(1, DATA, 4);
}

START_TEST(r15_fences_of_both_regions_bridge_them)
{
    local_flag(G | L, G | L), clean_at(DATA);
    local_flag(G | L, L), races_at(DATA);
    local_flag(L, G | L), races_at(DATA);
    local_flag(G, G), races_at(DATA);
}
END_TEST

START_TEST(r16_seq_cst_alone_does_not_bridge)
{
    one_group(), writes(0, DATA, 4), store(0, LFLAG, ORDER_SEQ_CST, SCOPE_WORK_GROUP);
    load(1, LFLAG, ORDER_SEQ_CST, SCOPE_WORK_GROUP), reads(1, DATA, 4), races_at(DATA);
}
END_TEST

START_TEST(r17_barriers)
{
    one_group(), writes(0, DATA, 4), barrier(0, G, SCOPE_WORK_GROUP), reads(3, DATA, 4), clean_at(DATA);
    one_group(), writes(0, DATA, 4), barrier(0, L, SCOPE_WORK_GROUP), reads(3, DATA, 4), races_at(DATA);
    one_group(), writes(0, DATA, 4), barrier(0, 0, SCOPE_WORK_GROUP), reads(3, DATA, 4), races_at(DATA);
    two_groups(), writes(0, DATA, 4), barrier(0, G, SCOPE_WORK_GROUP), barrier(1, G, SCOPE_WORK_GROUP), reads(3, DATA, 4), races_at(DATA);
    two_groups(), writes(0, DATA, 4), barrier(0, G, SCOPE_DEVICE); /* its entry is a release fence of device scope */
    store(0, FLAG, ORDER_RELAXED, SCOPE_DEVICE), acquire(2, FLAG, SCOPE_DEVICE), reads(2, DATA, 4), clean_at(DATA);
    two_groups(), writes(1, DATA, 4), barrier(0, G, SCOPE_DEVICE); /* of work-item 0 alone */
    store(0, FLAG, ORDER_RELAXED, SCOPE_DEVICE), acquire(2, FLAG, SCOPE_DEVICE), reads(2, DATA, 4), races_at(DATA);
    two_groups(), writes(0, DATA, 4), release(0, FLAG, SCOPE_DEVICE), load(2, FLAG, ORDER_RELAXED, SCOPE_DEVICE);
    barrier(1, G, SCOPE_DEVICE), reads(2, DATA, 4), clean_at(DATA);
    two_groups(), writes(0, DATA, 4), release(0, FLAG, SCOPE_DEVICE), acquire(2, FLAG, SCOPE_DEVICE);
    barrier(1, G, SCOPE_WORK_GROUP), reads(3, DATA, 4), clean_at(DATA);
}
END_TEST

START_TEST(r19_sub_group_barriers)
{
    one_group(), writes(0, DATA, 4), sub_group_barrier(0, 0, G, SCOPE_SUB_GROUP), reads(1, DATA, 4), clean_at(DATA);
    one_group(), writes(0, DATA, 4), sub_group_barrier(0, 0, G, SCOPE_SUB_GROUP), reads(2, DATA, 4), races_at(DATA);
    one_group(), writes(0, DATA, 4), sub_group_barrier(0, 0, L, SCOPE_SUB_GROUP), reads(1, DATA, 4), races_at(DATA);
    one_group(), writes(0, LDATA, 4), sub_group_barrier(0, 0, L, SCOPE_SUB_GROUP), reads(1, LDATA, 4), clean_at(LDATA);
}
END_TEST

START_TEST(named_barriers_order_the_sub_groups_that_meet)
{
    world_begin(1, 4, 1, SCOPE_RULE_EQUAL), writes(0, DATA, 4), named_barrier(0, 5, G, SCOPE_WORK_GROUP), reads(2, DATA, 4), clean_at(DATA);
    world_begin(1, 4, 1, SCOPE_RULE_EQUAL), writes(0, DATA, 4), named_barrier(0, 5, G, SCOPE_WORK_GROUP), reads(1, DATA, 4), races_at(DATA);
    world_begin(1, 4, 1, SCOPE_RULE_EQUAL), writes(0, DATA, 4), named_barrier(0, 5, L, SCOPE_WORK_GROUP), reads(2, DATA, 4), races_at(DATA);
    world_begin(1, 4, 1, SCOPE_RULE_EQUAL), writes(0, DATA, 4), named_barrier(0, 3, G, SCOPE_WORK_GROUP); /* hands on what it knows */
    named_barrier(0, 6, G, SCOPE_WORK_GROUP), reads(2, DATA, 4), clean_at(DATA);
    world_begin(1, 4, 1, SCOPE_RULE_EQUAL), writes(0, DATA, 4), named_barrier(0, 6, G, SCOPE_WORK_GROUP);
    named_barrier(0, 3, G, SCOPE_WORK_GROUP), reads(2, DATA, 4), races_at(DATA);
}
END_TEST

START_TEST(r20_collectives_give_no_order)
{
    one_group(), writes(0, DATA, 4), collective(0), reads(1, DATA, 4);
    ck_assert(world_races_at(DATA));
    world_end();
}
END_TEST

START_TEST(r21_happens_before_is_transitive)
{
    world_begin(3, 1, 1, SCOPE_RULE_EQUAL); /* WRC */
    writes(0, DATA, 4), release(0, FLAG, SCOPE_DEVICE), acquire(1, FLAG, SCOPE_DEVICE), release(1, OTHER, SCOPE_DEVICE);
    acquire(2, OTHER, SCOPE_DEVICE), reads(2, DATA, 4), clean_at(DATA);
    two_groups(); /* ISA2: work-group release, then device release */
    writes(0, DATA, 4), release(0, FLAG, SCOPE_WORK_GROUP), acquire(1, FLAG, SCOPE_WORK_GROUP), release(1, OTHER, SCOPE_DEVICE);
    acquire(2, OTHER, SCOPE_DEVICE), reads(2, DATA, 4), clean_at(DATA);
    two_groups(), writes(1, DATA, 4), barrier(0, G, SCOPE_WORK_GROUP), release(0, FLAG, SCOPE_DEVICE), acquire(2, FLAG, SCOPE_DEVICE);
    reads(2, DATA, 4), clean_at(DATA);
    one_group(), writes(0, DATA, 4), release(0, LFLAG, SCOPE_WORK_GROUP), acquire(1, LFLAG, SCOPE_WORK_GROUP), reads(1, DATA, 4);
    races_at(DATA); /* the flag's release is no global action */
}
END_TEST

/* ---- races ---------------------------------------------------------------------------------------------- */

START_TEST(r29_what_is_a_race)
{
    two_groups(), update(0, FLAG, ORDER_RELAXED, SCOPE_DEVICE), update(2, FLAG, ORDER_RELAXED, SCOPE_DEVICE), clean_at(FLAG);
    two_groups(), update(0, FLAG, ORDER_RELAXED, SCOPE_WORK_GROUP), update(2, FLAG, ORDER_RELAXED, SCOPE_WORK_GROUP), races_at(FLAG);
    two_groups(), update(0, FLAG, ORDER_RELAXED, SCOPE_DEVICE), writes(2, FLAG, 4), races_at(FLAG);
    two_groups(), update(0, FLAG, ORDER_RELAXED, SCOPE_DEVICE), reads(2, FLAG, 4), races_at(FLAG);
    two_groups(), load(0, FLAG, ORDER_RELAXED, SCOPE_DEVICE), reads(2, FLAG, 4), clean_at(FLAG);
    two_groups(), writes(0, DATA, 4), writes(2, DATA, 4), races_at(DATA); /* of equal values, too */
    two_groups(), reads(0, FLAG, 4), load(1, FLAG, ORDER_RELAXED, SCOPE_DEVICE), store(2, FLAG, ORDER_RELAXED, SCOPE_DEVICE), races_at(FLAG);
}
END_TEST

START_TEST(r34_images_need_fences_of_their_own)
{
    one_group(), writes(0, PIXEL, 4), reads(0, PIXEL, 4), races_at(PIXEL);
    one_group(), writes(0, PIXEL, 4), fence(0, I, ORDER_ACQ_REL, SCOPE_WORK_ITEM), reads(0, PIXEL, 4), clean_at(PIXEL);
    one_group(), writes(0, PIXEL, 4), fence(0, G | L, ORDER_ACQ_REL, SCOPE_WORK_GROUP), reads(0, PIXEL, 4), races_at(PIXEL);
    one_group(), fence(0, I, ORDER_ACQ_REL, SCOPE_WORK_ITEM), writes(0, PIXEL, 4), reads(0, PIXEL, 4), races_at(PIXEL);
    one_group(), writes(0, PIXEL, 4), fence(1, I, ORDER_ACQ_REL, SCOPE_WORK_ITEM), reads(0, PIXEL, 4), races_at(PIXEL); /* of another */
    one_group(), writes(0, PIXEL, 4), barrier(0, I, SCOPE_WORK_GROUP), reads(0, PIXEL, 4), reads(3, PIXEL, 4), clean_at(PIXEL);
    one_group(), writes(0, PIXEL, 4), sub_group_barrier(0, 0, I, SCOPE_SUB_GROUP), reads(0, PIXEL, 4), clean_at(PIXEL);
    one_group(), writes(0, PIXEL, 4), writes(0, PIXEL, 4), clean_at(PIXEL);
    one_group(), reads(0, PIXEL, 4), writes(0, PIXEL, 4), clean_at(PIXEL);
    one_group(), writes(0, PIXEL, 4), barrier(0, G, SCOPE_WORK_GROUP), reads(3, PIXEL, 4), races_at(PIXEL);
    two_groups(), writes(0, PIXEL, 4), barrier(0, I, SCOPE_WORK_GROUP), barrier(1, I, SCOPE_WORK_GROUP), reads(2, PIXEL, 4), races_at(PIXEL);
    one_group(), writes(0, PIXEL, 4), barrier(0, I, SCOPE_WORK_GROUP), samples(0, PIXEL), races_at(PIXEL);
    one_group(), writes(0, PIXEL, 4), barrier(0, I, SCOPE_WORK_GROUP), samples(3, PIXEL), races_at(PIXEL);
    one_group(), writes(0, PIXEL, 4), samples(0, PIXEL + 4), samples(1, PIXEL + 4), clean_at(PIXEL + 4);
}
END_TEST

START_TEST(r35_bytes)
{
    two_groups(), writes(0, DATA, 1), writes(2, DATA + 1, 1), clean_at(DATA);
    two_groups(), writes(0, DATA, 4), writes(2, DATA + 3, 1), races_at(DATA);
    two_groups(), writes(0, DATA, 2), reads(2, DATA + 2, 2), reads(1, DATA + 1, 1), races_at(DATA);
    two_groups(), writes(0, DATA, 12), writes(2, DATA + 12, 4), clean_at(DATA + 12); /* a vector of three */
    two_groups(), reads(0, DATA, 4), reads(1, DATA, 4), reads(3, DATA + 1, 1), writes(2, DATA + 2, 1), races_at(DATA);
}
END_TEST

START_TEST(r36_atomics_of_different_sizes)
{
    two_groups(), atomic(0, FLAG, 8, ACCESS_ATOMIC_UPDATE, ORDER_RELAXED, SCOPE_DEVICE), update(2, FLAG, ORDER_RELAXED, SCOPE_DEVICE);
    races_at(FLAG);
    two_groups(), atomic(0, FLAG, 8, ACCESS_ATOMIC_UPDATE, ORDER_RELAXED, SCOPE_DEVICE), update(2, FLAG + 4, ORDER_RELAXED, SCOPE_DEVICE);
    races_at(FLAG + 4);
    two_groups(), update(0, FLAG, ORDER_RELAXED, SCOPE_DEVICE), reads(2, FLAG + 3, 1), races_at(FLAG);
}
END_TEST

static void two_copies(void)
{
    one_group(), copy_starts(0, 1), copy_accesses(0, 1, true, LDATA, 4), copy_starts(0, 2), copy_accesses(0, 2, true, LFLAG, 4);
}

START_TEST(r37_asynchronous_copies)
{
    one_group(), copy_starts(0, 1), copy_accesses(0, 1, true, LDATA, 4), reads(0, LDATA, 4), judge_at(LDATA, true);
    one_group(), copy_starts(0, 1), copy_accesses(0, 1, true, LDATA, 4), copy_waits(0, 1), reads(1, LDATA, 4), judge_at(LDATA, false);
    one_group(), copy_starts(0, 1), copy_accesses(0, 1, true, LDATA, 4), barrier(0, L, SCOPE_WORK_GROUP), reads(1, LDATA, 4);
    judge_at(LDATA, true); /* a barrier does not wait for copies */
    one_group(), copy_starts(0, 1), copy_accesses(0, 1, true, LDATA, 4), copy_starts(0, 2), copy_waits(0, 2), reads(1, LDATA, 4);
    judge_at(LDATA, true); /* the wait is for another */
    one_group(), writes(0, DATA, 4), copy_starts(0, 1), copy_accesses(0, 1, false, DATA, 4), judge_at(DATA, true);
    one_group(), writes(0, DATA, 4), barrier(0, G, SCOPE_WORK_GROUP), copy_starts(0, 1), copy_accesses(0, 1, false, DATA, 4);
    judge_at(DATA, false);
    world_begin(1, 1, 1, SCOPE_RULE_EQUAL), writes(0, DATA, 4), copy_starts(0, 1), copy_accesses(0, 1, false, DATA, 4);
    judge_at(DATA, false); /* the only member knows */
    two_copies(), copy_waits(0, 1), reads(1, LDATA, 4), clean_at(LDATA);
    two_copies(), copy_waits(0, 1), reads(1, LFLAG, 4), races_at(LFLAG); /* of the other event */
    two_copies(), copy_waits(0, 2), copy_waits(0, 1), reads(1, LFLAG, 4), reads(2, LDATA, 4), clean_at(LFLAG);
    one_group(), copy_starts(0, 1), copy_accesses(0, 1, true, LDATA, 4), copy_starts(0, 1), copy_accesses(0, 1, true, LFLAG, 4);
    copy_waits(0, 1), reads(0, LDATA, 4), reads(1, LFLAG, 4), clean_at(LFLAG); /* two of one event */
    one_group(), copy_starts(0, 1), copy_accesses(0, 1, true, LDATA, 4), copy_starts(0, 1), copy_accesses(0, 1, true, LDATA, 4);
    judge_at(LDATA, true); /* which do not know of each other */
}
END_TEST

/* Every member of the second group has acquired what the first released, or not. */
static void copy_behind_flag(uint32_t members)
{
    two_groups(), writes(0, DATA, 4), release(0, FLAG, SCOPE_DEVICE);
    for (uint32_t i = 0; i < members; i++)
        acquire(2 + i, FLAG, SCOPE_DEVICE);
    copy_starts(1, 1), copy_accesses(1, 1, false, DATA, 4);
}

START_TEST(r37_a_copy_starts_from_what_all_members_know)
{
    copy_behind_flag(2), clean_at(DATA);
    copy_behind_flag(1), races_at(DATA);
    world_begin(1, 4, 4, SCOPE_RULE_EQUAL), writes(1, DATA, 4), sub_group_barrier(0, 0, G, SCOPE_SUB_GROUP); /* the only sub-group */
    copy_starts(0, 1), copy_accesses(0, 1, false, DATA, 4), clean_at(DATA);
    one_group(), writes(1, DATA, 4), sub_group_barrier(0, 0, G, SCOPE_SUB_GROUP);
    copy_starts(0, 1), copy_accesses(0, 1, false, DATA, 4), races_at(DATA);
}
END_TEST

/* Waves come to the copy one after another, and what counts is what each knew then. */
START_TEST(r37_members_come_to_a_copy_one_after_another)
{
    two_groups(), writes(0, DATA, 4), release(0, FLAG, SCOPE_DEVICE), acquire(2, FLAG, SCOPE_DEVICE);
    copy_begins(1, 1, false, DATA, 4), copy_arrives(1, 1), acquire(3, FLAG, SCOPE_DEVICE), copy_arrives(1, 2), judge_at(DATA, false);
    two_groups(), writes(0, DATA, 4), release(0, FLAG, SCOPE_DEVICE), acquire(3, FLAG, SCOPE_DEVICE);
    copy_begins(1, 1, false, DATA, 4), copy_arrives(1, 2), acquire(2, FLAG, SCOPE_DEVICE), copy_arrives(1, 1), judge_at(DATA, false);
    two_groups(), writes(0, DATA, 4), release(0, FLAG, SCOPE_DEVICE), acquire(2, FLAG, SCOPE_DEVICE);
    copy_begins(1, 1, false, DATA, 4), copy_arrives(1, 1), copy_arrives(1, 2), acquire(3, FLAG, SCOPE_DEVICE), judge_at(DATA, true);
    one_group(), copy_begins(0, 1, true, LDATA, 4), copy_arrives(0, 1), reads(0, LDATA, 4), copy_arrives(0, 14), judge_at(LDATA, true);
    one_group(), copy_begins(0, 1, true, LDATA, 4), copy_arrives(0, 6), copy_arrives(0, 9), copy_waits(0, 1), reads(1, LDATA, 4);
    judge_at(LDATA, false);
    one_group(), writes(1, LDATA, 4), copy_begins(0, 1, true, LDATA, 4), copy_arrives(0, 1), barrier(0, L, SCOPE_WORK_GROUP);
    judge_at(LDATA, true); /* the barrier comes too late */
    world_begin(1, 2, 1, SCOPE_RULE_EQUAL), copy_begins(0, 1, false, DATA, 4), copy_arrives(0, 1), writes(0, DATA, 4);
    release(0, FLAG, SCOPE_WORK_GROUP), acquire(1, FLAG, SCOPE_WORK_GROUP), copy_arrives(0, 2), judge_at(DATA, true); /* its own, later */
}
END_TEST

START_TEST(r38_local_memory_is_the_groups_own)
{
    two_groups(), writes(0, LDATA, 4), reads(2, LDATA, 4), clean_at(LDATA);
    two_groups(), writes(0, LDATA, 4), group_ends(0), takes_local_memory_of(1, 0), reads(2, LDATA, 4), clean_at(LDATA);
    two_groups(), writes(0, LDATA, 4), group_ends(0), takes_local_memory_of(1, 0), reads(3, LDATA, 4), clean_at(LDATA);
    two_groups(), writes(0, LDATA, 4), reads(1, LDATA, 4), races_at(LDATA);
}
END_TEST

START_TEST(q11_a_failed_exchange_has_the_failure_order)
{
    two_groups(), writes(0, DATA, 4), release(0, FLAG, SCOPE_DEVICE);
    failing_exchange(2, FLAG, ORDER_ACQUIRE, ORDER_RELAXED, SCOPE_DEVICE), reads(2, DATA, 4), races_at(DATA);
    two_groups(), writes(0, DATA, 4), release(0, FLAG, SCOPE_DEVICE);
    failing_exchange(2, FLAG, ORDER_RELAXED, ORDER_ACQUIRE, SCOPE_DEVICE), reads(2, DATA, 4), clean_at(DATA);
    two_groups(), failing_exchange(0, FLAG, ORDER_RELAXED, ORDER_RELAXED, SCOPE_DEVICE), reads(2, FLAG, 4), clean_at(FLAG);
}
END_TEST

/* The store continues nothing and the plain value carries no message. */
START_TEST(a_plain_store_ends_the_sequence)
{
    two_groups(), writes(0, DATA, 4), release(0, FLAG, SCOPE_DEVICE), writes(1, FLAG, 4), acquire(2, FLAG, SCOPE_DEVICE), reads(2, DATA, 4);
    races_at(DATA);
}
END_TEST

/* Everybody who races with one access is told, in whatever order they come. */
static void pair_told(const char *untold, size_t pairs)
{
    ck_assert_msg(!untold, "%s", untold);
    ck_assert_uint_eq(world_races(), pairs);
    world_end();
}

static const char *judged(void)
{
    const char *difference = world_disagreement();
    return difference ? difference : world_untold_pair();
}

START_TEST(each_pair_that_races_is_told)
{
    one_group(), writes(0, DATA, 4), reads(1, DATA, 4), reads(2, DATA, 4), pair_told(judged(), 2);
    one_group(), reads(1, DATA, 4), reads(2, DATA, 4), writes(0, DATA, 4), writes(3, DATA, 4), pair_told(judged(), 5);
    one_group(), writes(0, DATA, 4), writes(1, DATA, 4), reads(2, DATA, 4), pair_told(judged(), 3);
    one_group(), reads(1, DATA, 4), update(0, DATA, ORDER_RELAXED, SCOPE_DEVICE), update(2, DATA, ORDER_RELAXED, SCOPE_DEVICE), pair_told(judged(), 2);
    one_group(), update(0, DATA, ORDER_RELAXED, SCOPE_DEVICE), reads(1, DATA, 4), writes(2, DATA, 4), pair_told(judged(), 3);
    one_group(), writes(0, DATA, 4), writes(1, DATA, 4), barrier(0, G, SCOPE_WORK_GROUP), writes(2, DATA, 4), reads(3, DATA, 4), pair_told(judged(), 2);
}
END_TEST

/* Of an update that follows another one only the group is compared: a scope below it does not reach all of the group. */
static void updates_of_sub_groups(uint32_t second, enum memory_scope scope)
{
    world_begin(1, 4, 2, SCOPE_RULE_EQUAL), world_forgoes_history();
    update(1, FLAG, ORDER_RELAXED, scope), update(second, FLAG, ORDER_RELAXED, scope);
}

START_TEST(updates_are_joined_within_their_scope)
{
    updates_of_sub_groups(3, SCOPE_SUB_GROUP), races_at(FLAG);
    updates_of_sub_groups(0, SCOPE_SUB_GROUP), clean_at(FLAG);
    updates_of_sub_groups(0, SCOPE_WORK_ITEM), races_at(FLAG);
    updates_of_sub_groups(3, SCOPE_WORK_GROUP), clean_at(FLAG);
    world_begin(1, 4, 2, SCOPE_RULE_EQUAL), world_forgoes_history();
    exchanges(0, FLAG, 2, 5, ORDER_RELAXED, SCOPE_SUB_GROUP, NO_SITE), update(3, FLAG, ORDER_RELAXED, SCOPE_SUB_GROUP), races_at(FLAG);
}
END_TEST

static void updates_thrice(uint32_t item)
{
    fence(item, G, ORDER_RELEASE, SCOPE_DEVICE);
    for (uint32_t i = 0; i < 3; i++)
        update(item, FLAG, ORDER_RELAXED, SCOPE_DEVICE);
}

static void hands_on(uint32_t item, enum memory_scope scope)
{
    writes(item, DATA, 4), fence(item, G, ORDER_RELEASE, scope), update(item, FLAG, ORDER_RELAXED, SCOPE_DEVICE);
}

static void takes_over(uint32_t item, enum memory_scope scope)
{
    update(item, FLAG, ORDER_RELAXED, SCOPE_DEVICE), fence(item, G, ORDER_ACQUIRE, scope), reads(item, DATA, 4);
}

/* Who updates an object again looks where it found something before: others may have been there since, and elsewhere. */
START_TEST(places_of_messages_are_looked_up_again)
{
    one_group(), updates_thrice(1), hands_on(0, SCOPE_DEVICE), takes_over(1, SCOPE_DEVICE), clean_at(DATA);
    one_group(), updates_thrice(1), hands_on(0, SCOPE_DEVICE), takes_over(1, SCOPE_WORK_GROUP), races_at(DATA);
    one_group(), fence(0, G, ORDER_RELEASE, SCOPE_WORK_GROUP), update(0, FLAG, ORDER_RELAXED, SCOPE_DEVICE);
    updates_thrice(1), hands_on(0, SCOPE_WORK_GROUP), takes_over(1, SCOPE_WORK_GROUP), clean_at(DATA);
    one_group(), updates_thrice(1), updates_thrice(0), hands_on(0, SCOPE_DEVICE), takes_over(1, SCOPE_DEVICE), clean_at(DATA);
    ck_assert_uint_gt(world_ways[WAY_AGAIN], 0);
}
END_TEST

/* Who does the same again behind a release fence does it later: what the fence published does not hold it. */
static void updates_again(bool released_between, enum memory_order order)
{
    two_groups(), world_forgoes_history(), release(0, OTHER, SCOPE_DEVICE);
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

START_TEST(what_is_repeated_behind_a_fence_is_later)
{
    const uint64_t before = world_ways[WAY_REPEATED];
    updates_again(false, ORDER_RELAXED), clean_at(DATA);
    updates_again(true, ORDER_RELAXED), races_at(DATA);
    updates_again(false, ORDER_ACQUIRE), clean_at(DATA);
    ck_assert_uint_gt(world_ways[WAY_REPEATED], before);
    updates_again(true, ORDER_ACQUIRE), races_at(DATA);
}
END_TEST

/* Turns of a loop that stand side by side are accesses of their own. */
START_TEST(bytes_of_two_turns_are_not_one_access)
{
    one_group(), loops(0, false, DATA + 4, 0, 3, 2, -4, NO_SITE), writes(2, DATA + 1, 4);
    ck_assert_ptr_null(judged());
    ck_assert_uint_eq(world_finding(0)->offset_bytes, 1);
    ck_assert_uint_eq(world_finding(0)->common_bytes, 3);
    world_end();
}
END_TEST

/* Two wait for the flag together, while a store ends one release sequence and begins the next: they read of both. */
static void waits_for_two(uint32_t waiting, uint32_t address, enum memory_scope scope)
{
    one_group(), world_forgoes_history();
    writes(0, DATA, 4), fence(0, G, ORDER_RELEASE, SCOPE_DEVICE), update(0, FLAG, ORDER_RELAXED, SCOPE_DEVICE);
    const uint32_t site = exchanges(0, FLAG, 6, 5, ORDER_RELAXED, SCOPE_DEVICE, NO_SITE);
    writes(3, OTHER, 4), fence(3, G, ORDER_RELEASE, SCOPE_DEVICE), atomic(3, FLAG, 4, ACCESS_ATOMIC_WRITE, ORDER_RELAXED, SCOPE_DEVICE);
    exchanges(0, FLAG, waiting, 5, ORDER_RELAXED, SCOPE_DEVICE, site);
    fence(1, G, ORDER_ACQUIRE, scope), reads(1, address, 4);
}

START_TEST(waiting_members_keep_what_they_read_before)
{
    waits_for_two(6, DATA, SCOPE_DEVICE), clean_at(DATA);
    waits_for_two(4, DATA, SCOPE_DEVICE), clean_at(DATA);
    waits_for_two(6, OTHER, SCOPE_DEVICE), clean_at(OTHER);
    waits_for_two(4, OTHER, SCOPE_DEVICE), races_at(OTHER);
    waits_for_two(6, DATA, SCOPE_WORK_GROUP), races_at(DATA);
    ck_assert_uint_gt(world_ways[WAY_TOGETHER], 0);
}
END_TEST

/* Scattered writes and updates are sifted by stamps before they stand in the exact record: what they may lose sight of. */
START_TEST(waves_are_sifted)
{
    const uint32_t apart[] = {40, 32}, together[] = {OTHER, OTHER + 4}, crossed[] = {OTHER + 4, OTHER};
    two_groups(), gathers(0, true, apart, 4), gathers(0, false, together, 4), gathers(1, false, together, 4), writes(2, OTHER, 4), races_at(OTHER);
    two_groups(), gathers(0, true, apart, 4), gathers(0, false, together, 4), writes(0, OTHER, 4), clean_at(OTHER);
    two_groups(), gathers(0, true, apart, 4), gathers(0, true, together, 4), barrier(0, G, SCOPE_WORK_GROUP);
    gathers(0, true, crossed, 4), clean_at(OTHER);
    two_groups(), gathers(0, true, apart, 4), gathers(0, true, together, 4), barrier(0, G, SCOPE_WORK_GROUP);
    gathers(0, true, crossed, 4), gathers(0, false, together, 4), races_at(OTHER);
    two_groups(), sweeps(0, true, OTHER, 4, 4, 3), barrier(0, G, SCOPE_WORK_GROUP), sweeps(0, true, OTHER + 4, -4, 4, 3);
    gathers(0, true, apart, 4), reads(0, OTHER, 4), races_at(OTHER);
    two_groups(), gathers(0, true, apart, 4), updates(0, OTHER, 0, 3, SCOPE_DEVICE), updates(1, OTHER, 0, 3, SCOPE_DEVICE), clean_at(OTHER);
    two_groups(), writes(0, OTHER, 4), barrier(0, G, SCOPE_WORK_GROUP), updates(0, OTHER, 0, 3, SCOPE_DEVICE), clean_at(OTHER);
    two_groups(), writes(0, OTHER, 4), barrier(0, G, SCOPE_WORK_GROUP), updates(0, OTHER, 0, 3, SCOPE_DEVICE);
    updates(1, OTHER, 0, 3, SCOPE_DEVICE), races_at(OTHER);
    two_groups(), gathers(0, false, together, 4), updates(0, OTHER, 0, 1, SCOPE_DEVICE), updates(1, OTHER, 0, 2, SCOPE_DEVICE), races_at(OTHER);
}
END_TEST

/* What is quicker is taken, and so compared with the oracle. */
static void takes_ways(const enum way *ways, uint32_t count, uint32_t programs)
{
    for (uint32_t i = 0; programs >= 4000 && i < count; i++)
        ck_assert_msg(world_ways[ways[i]] > 0, "nobody took way %d", (int)ways[i]);
}

/* ---- at random -------------------------------------------------------------------------------------------- */

static uint64_t seed;

static uint32_t below(uint32_t n)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(seed >> 33) % n;
}

static uint32_t any_address(void)
{
    static const uint32_t places[] = {DATA, FLAG, LDATA, LFLAG};
    return places[below(4)];
}

static enum memory_scope any_scope(void)
{
    static const enum memory_scope scopes[] = {SCOPE_DEVICE, SCOPE_DEVICE, SCOPE_WORK_GROUP, SCOPE_WORK_GROUP, SCOPE_SUB_GROUP, SCOPE_ALL_SVM};
    return scopes[below(6)];
}

static void any_atomic(uint32_t item)
{
    uint32_t address = below(2) ? FLAG : LFLAG, size = below(16) ? 4 : 8;
    enum access_kind kind = ACCESS_ATOMIC_READ + below(3);
    enum memory_order order = (enum memory_order)below(5);
    if (kind == ACCESS_ATOMIC_UPDATE && below(4) == 0)
        failing_exchange(item, address, order, below(2) ? ORDER_ACQUIRE : ORDER_RELAXED, any_scope());
    else
        atomic(item, address, size, kind, order, any_scope());
}

/* The loop before, by somebody else or from elsewhere, or another one. */
static uint32_t latest_loop[2][2];

static void any_loop(uint32_t group, uint32_t items, bool local)
{
    static const int32_t along[] = {4, 0}, on[] = {4, 8, -4, 0};
    const bool write = below(4) == 0;
    uint32_t *site = &latest_loop[local][write], again = below(3) ? *site : NO_SITE;
    const uint32_t members = below(4) ? (1u << items) - 1 : 1 + below((1u << items) - 1);
    *site = loops(group, write, 12 + below(3) * 4 + (local ? LOCAL : 0), along[below(4) == 0], members, 1 + below(3), on[below(4)], again);
}

/* Whole groups in step, as the journal takes them: rows, columns, broadcasts, tables. */
static void any_sweep(uint32_t group, uint32_t items)
{
    static const int32_t steps[] = {4, 4, 4, 8, 0, -4, 1, 2};
    int32_t step = steps[below(8)];
    uint32_t size = step == 1 || step == 2 ? (uint32_t)step : 4, base = (below(2) ? LOCAL : 0) + (step < 0 ? 16 : 0) + below(4) * 4;
    if (below(3) == 0)
        base += group * 16;
    if (below(2)) {
        any_loop(group, items, base >= LOCAL);
    } else if (below(5) == 0) {
        const enum memory_scope scope = below(4) ? SCOPE_DEVICE : any_scope();
        const int32_t along = below(2) ? 4 : 0;
        for (uint32_t turns = 1 + below(2); turns; turns--)
            updates(group, base, along, 1 + below((1u << items) - 1), scope);
    } else if (below(5)) {
        sweeps(group, below(2), base, step, size, below(3) ? (1u << items) - 1 : 1 + below((1u << items) - 1));
    } else {
        uint32_t addresses[4];
        for (uint32_t i = 0; i < 4; i++)
            addresses[i] = (base >= LOCAL ? LOCAL : 0) + below(8) * 4;
        gathers(group, below(4) == 0, addresses, 4);
    }
}

static void any_pixel(uint32_t item)
{
    uint32_t at = PIXEL + 4 * below(2);
    switch (below(8)) {
    case 0: samples(item, at); break;
    case 1: fence(item, I | below(4), ORDER_ACQ_REL, SCOPE_WORK_ITEM); break;
    case 2: case 3: case 4: writes(item, at, 4); break;
    default: reads(item, at, 4); break;
    }
}

/* A group that waits for a lock in a loop: now and then somebody gets it, and does something. */
static void any_spin(uint32_t group, uint32_t items)
{
    const uint32_t address = below(3) ? FLAG : LFLAG;
    const enum memory_order order = (enum memory_order)below(5);
    const enum memory_scope scope = any_scope();
    uint32_t site = NO_SITE;
    for (uint32_t turns = 2 + below(3); turns; turns--) {
        const uint32_t members = below(3) ? (1u << items) - 1 : 1 + below((1u << items) - 1), winner = below(items + 2);
        const uint32_t item = group * items + (winner < items ? winner : below(items));
        site = exchanges(group, address, members, winner, order, scope, site);
        if (below(3) == 0)
            writes(item, DATA, 4);
        if (below(3) == 0)
            fence(item, 1 + below(3), ORDER_ACQUIRE + below(4), below(3) ? scope : any_scope());
        if (below(2))
            update(item, address, (enum memory_order)below(5), scope);
    }
}

static void act_plainly(uint32_t item, uint32_t address)
{
    if (below(2))
        writes(item, address, 4);
    else
        reads(item, address, 4);
}

/* Work-items hand something on by relaxed updates and fences of one kind, again and again; others come in between. */
static void any_turns(uint32_t groups, uint32_t items)
{
    const uint32_t flags = below(2) ? G : G | L, all = groups * items, few = 1 + below(all < 3 ? all : 3);
    const enum memory_scope scope = any_scope();
    static const uint32_t objects[] = {FLAG, FLAG, OTHER, LFLAG};
    for (uint32_t turns = 4 + below(4); turns; turns--) {
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
    named_barrier(group, below(3) ? 1 + below(all) : all, below(8) ? 1 + below(7) : 0, below(3) ? SCOPE_WORK_GROUP : any_scope());
}

static void any_deed(uint32_t groups, uint32_t items, uint32_t sub_group)
{
    uint32_t item = below(groups * items), group = below(groups), flags = 1 + below(7);
    const bool few = world_room() > WORLD_DEEDS - 32; /* the oracle takes its time */
    switch (below(few ? 16 : 15)) {
    case 0: case 1: reads(item, any_address() + (below(8) ? 0 : below(4)), below(8) ? 4 : 1); break;
    case 2: writes(item, any_address() + (below(8) ? 0 : below(4)), below(8) ? 4 : 1); break;
    case 3: case 4: fence(item, flags, (enum memory_order)below(5), any_scope()); break;
    case 5: barrier(group, below(8) ? flags : 0, below(3) ? SCOPE_WORK_GROUP : any_scope()); break;
    case 12: any_pixel(item); break;
    case 15: any_turns(groups, items); break;
    case 10: case 11: any_spin(group, items); break;
    case 6:
        if (below(2)) {
            any_named_barrier(group, (items + sub_group - 1) / sub_group);
            break;
        }
        sub_group_barrier(group, below((items + sub_group - 1) / sub_group), flags, below(3) ? SCOPE_SUB_GROUP : any_scope());
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

/* A kind of random program: how many, from which seed on, in groups of which shapes, and what a program does. */
struct kind {
    uint32_t usual, seed, shapes;
    uint32_t shape[5][3]; /* groups, work-items of a group, of a sub-group */
    void (*deeds)(const uint32_t *shape);
};

struct tally {
    uint32_t programs, racy, untold;
};

/* Some of each kind know inclusive scopes, forget what ran before, or have atomics that other devices see. */
static void any_world(const uint32_t *shape)
{
    world_begin(shape[0], shape[1], shape[2], below(4) ? SCOPE_RULE_EQUAL : SCOPE_RULE_INCLUSIVE31);
    if (below(2))
        world_forgoes_history();
    if (below(4) == 0)
        world_shares_atomics();
}

static struct tally agree_with_the_oracle(const struct kind *kind)
{
    struct tally tally = {.programs = program_count(kind->usual)};
    for (uint32_t program = 0; program < tally.programs; program++) {
        const uint32_t *shape = kind->shape[program % kind->shapes];
        seed = program + kind->seed;
        any_world(shape);
        if (program % 3 == 0)
            world_rests();
        kind->deeds(shape);
        const char *difference = world_disagreement();
        ck_assert_msg(!difference, "program %u: %s", program, difference);
        tally.racy += world_races() > 0;
        tally.untold += world_untold_pair() != NULL;
        world_end();
    }
    ck_assert_uint_gt(tally.racy, tally.programs / 5);
    ck_assert_uint_lt(tally.racy, tally.programs - tally.programs / 20);
    return tally;
}

static void any_sweeps(const uint32_t *shape)
{
    memset(latest_loop, 0xff, sizeof latest_loop); /* NO_SITE */
    for (uint32_t deeds = 2 + below(8); deeds; deeds--) {
        if (below(4))
            any_sweep(below(shape[0]), shape[1]);
        else if (below(3))
            barrier(below(shape[0]), 1 + below(3), SCOPE_WORK_GROUP);
        else
            any_deed(shape[0], shape[1], shape[2]);
    }
}

/* Per granule, since a pair of instructions is reported once: does any granule differ? */
START_TEST(random_sweeps_against_the_oracle)
{
    static const struct kind sweeps = {10000, 77777, 4, {{1, 4, 2}, {2, 4, 4}, {2, 2, 2}, {3, 4, 2}}, any_sweeps};
    static const enum way ways[] = {WAY_CHAIN, WAY_SEEN, WAY_SENT, WAY_TRIED, WAY_AGAIN, WAY_TOGETHER, WAY_REPEATED, WAY_CALM, WAY_IN_TURN, WAY_SIFTED,
                                     WAY_SHARED, WAY_LONE, WAY_FEW, WAY_RESTED};
    takes_ways(ways, sizeof ways / sizeof *ways, agree_with_the_oracle(&sweeps).programs);
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
    for (uint32_t deeds = 3 + below(10); deeds; deeds--) {
        if (below(2))
            any_copy(below(shape[0]));
        else
            any_deed(shape[0], shape[1], shape[2]);
    }
}

START_TEST(random_copies_against_the_oracle)
{
    static const struct kind copies = {4000, 5555, 5, {{1, 2, 1}, {2, 1, 1}, {2, 2, 2}, {1, 4, 2}, {1, 1, 1}}, any_copies};
    agree_with_the_oracle(&copies);
}
END_TEST

/* Up to four sub-groups meet in every combination. */
static void any_named_barriers(const uint32_t *shape)
{
    for (uint32_t deeds = 3 + below(10); deeds; deeds--) {
        if (below(3) == 0)
            any_named_barrier(below(shape[0]), (shape[1] + shape[2] - 1) / shape[2]);
        else if (below(2))
            act_plainly(below(shape[0] * shape[1]), any_address());
        else
            any_deed(shape[0], shape[1], shape[2]);
    }
}

START_TEST(random_named_barriers_against_the_oracle)
{
    static const struct kind barriers = {4000, 4242, 4, {{1, 4, 1}, {1, 4, 2}, {2, 3, 1}, {1, 3, 2}}, any_named_barriers};
    agree_with_the_oracle(&barriers);
}
END_TEST

static void any_deeds(const uint32_t *shape)
{
    for (uint32_t deeds = 4 + below(14); deeds; deeds--)
        any_deed(shape[0], shape[1], shape[2]);
}

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
    for (uint32_t turns = 1 + below(2); turns; turns--)
        updates(group, below(2) ? FLAG : OTHER, below(2) ? 4 : 0, below(2) ? (1u << items) - 1 : 1 + below((1u << items) - 1), SCOPE_DEVICE);
}

static void any_rounds(const uint32_t *shape)
{
    const uint32_t flags = below(2) ? G : G | L;
    const enum memory_scope scope = below(4) ? SCOPE_WORK_GROUP + below(2) : any_scope();
    for (uint32_t rounds = 2 + below(3); rounds; rounds--)
        any_round(below(shape[0]), shape[1], flags, scope);
    act_plainly(below(shape[0] * shape[1]), DATA);
}

/* What members of groups hand something on by; seldom something else comes among them. */
struct relay_course { const uint32_t *shape, *objects; uint32_t data, flags; bool orderly; };

static uint32_t relay_object(const struct relay_course *course) { return course->objects[course->orderly ? 0 : below(4)]; }

/* Others than those fences: what the first of them already knows, or what ends the relay. */
static void relay_other(const struct relay_course *course, uint32_t item)
{
    const enum memory_scope scope = below(2) ? SCOPE_WORK_GROUP : SCOPE_DEVICE;
    switch (below(8)) {
    case 0: case 1: release(item, relay_object(course), scope); break;
    case 2: acquire(item, relay_object(course), scope); break;
    case 3: load(item, relay_object(course), ORDER_RELAXED, SCOPE_DEVICE); break;
    case 4: fence(item, 1 + below(3), ORDER_ACQUIRE + below(4), scope); break;
    case 5: barrier(item / course->shape[1], course->flags, scope); break;
    case 6: act_plainly(item, course->data == DATA ? LDATA : DATA); break;
    default: any_deed(course->shape[0], course->shape[1], course->shape[2]); break;
    }
}

static void relay_turn(const struct relay_course *course, uint32_t item)
{
    const uint32_t items = course->shape[1], group = item / items, object = relay_object(course);
    switch (below(10)) {
    case 0: load(item, object, ORDER_RELAXED, SCOPE_DEVICE); break;
    case 1: updates(group, object, below(2) ? 4 : 0, 1 + below((1u << items) - 1), SCOPE_DEVICE); break;
    case 2: case 3: exchanges(group, object, (1u << items) - 1, below(items + 1), ORDER_RELAXED, SCOPE_DEVICE, NO_SITE); break;
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

static void any_relay(const uint32_t *shape)
{
    static const uint32_t globals[] = {FLAG, FLAG, OTHER, 24}, locals[] = {LFLAG, LFLAG, LOCAL + 16, FLAG};
    const bool local = below(4) == 0;
    const struct relay_course course = {shape, local ? locals : globals, local ? LDATA : DATA, local ? L : G, below(3)};
    const uint32_t all = shape[0] * shape[1];
    world_forgoes_history();
    for (uint32_t deeds = below(2) ? 1 + below(4) : 0; deeds; deeds--) {
        const uint32_t item = below(all);
        if (below(2))
            act_plainly(item, course.data);
        relay_other(&course, item);
    }
    for (uint32_t group = 0; group < shape[0]; group++)
        if (below(2))
            fence(group * shape[1] + below(shape[1]), course.flags, ORDER_ACQ_REL, SCOPE_WORK_GROUP);
    for (uint32_t turns = 4 + below(10); turns && world_room() > 24; turns--) {
        relay_turn(&course, below(all));
        if (below(16) == 0)
            relay_other(&course, below(all));
    }
    act_plainly(below(all), course.data);
}

/* Two groups of four, whose fences begin relays; 0 writes. */
static void begin_relay_of(uint32_t item)
{
    fence(item, G, ORDER_ACQ_REL, SCOPE_WORK_GROUP);
}

static void begin_relays(void)
{
    world_begin(2, 4, 2, SCOPE_RULE_EQUAL), world_forgoes_history();
    begin_relay_of(0), begin_relay_of(4), writes(0, DATA, 4);
}

static void passes_on(uint32_t item) { fence(item, G, ORDER_ACQ_REL, SCOPE_WORK_GROUP), update(item, FLAG, ORDER_RELAXED, SCOPE_DEVICE); }
static void comes_next(uint32_t item) { update(item, FLAG, ORDER_RELAXED, SCOPE_DEVICE), fence(item, G, ORDER_ACQ_REL, SCOPE_WORK_GROUP); }

START_TEST(members_hand_on_what_they_know)
{
    begin_relays(), passes_on(0), comes_next(1), reads(1, DATA, 4), clean_at(DATA);
    begin_relays(), passes_on(0), comes_next(1), passes_on(1), comes_next(2), reads(2, DATA, 4), clean_at(DATA);
    begin_relays(), passes_on(0), comes_next(5), reads(5, DATA, 4), races_at(DATA); /* of another group */
    begin_relays(), passes_on(0), update(1, FLAG, ORDER_RELAXED, SCOPE_DEVICE), reads(1, DATA, 4), races_at(DATA); /* no fence */
    begin_relays(), passes_on(0), comes_next(1), barrier(0, L, SCOPE_WORK_GROUP), passes_on(1), comes_next(2), reads(2, DATA, 4), clean_at(DATA);
}
END_TEST

START_TEST(a_store_ends_what_others_handed_on)
{
    begin_relays(), passes_on(0), store(0, FLAG, ORDER_RELAXED, SCOPE_DEVICE), comes_next(1), reads(1, DATA, 4), clean_at(DATA);
    begin_relays(), passes_on(0), store(2, FLAG, ORDER_RELAXED, SCOPE_DEVICE), comes_next(1), reads(1, DATA, 4), races_at(DATA);
    begin_relays(), passes_on(4), passes_on(0), store(5, FLAG, ORDER_RELAXED, SCOPE_DEVICE), comes_next(1), reads(1, DATA, 4), races_at(DATA);
}
END_TEST

START_TEST(other_fences_do_not_hand_on)
{
    begin_relays(), fence(0, L, ORDER_ACQ_REL, SCOPE_WORK_GROUP), update(0, FLAG, ORDER_RELAXED, SCOPE_DEVICE), comes_next(1), reads(1, DATA, 4),
        races_at(DATA);
    begin_relays(), fence(0, G, ORDER_ACQ_REL, SCOPE_SUB_GROUP), update(0, FLAG, ORDER_RELAXED, SCOPE_DEVICE), comes_next(2), reads(2, DATA, 4),
        races_at(DATA);
    begin_relays(), fence(0, G, ORDER_ACQUIRE, SCOPE_WORK_GROUP), update(0, FLAG, ORDER_RELAXED, SCOPE_DEVICE), comes_next(1), reads(1, DATA, 4),
        races_at(DATA);
    begin_relays(), passes_on(0), update(1, FLAG, ORDER_RELAXED, SCOPE_DEVICE), fence(1, G, ORDER_RELEASE, SCOPE_WORK_GROUP), reads(1, DATA, 4),
        races_at(DATA);
}
END_TEST

/* What members knew, or had read, when the relay began. */
START_TEST(what_was_known_before_is_handed_on)
{
    world_begin(1, 4, 2, SCOPE_RULE_EQUAL), world_forgoes_history(), writes(0, DATA, 4), release(0, OTHER, SCOPE_WORK_GROUP);
    acquire(1, OTHER, SCOPE_WORK_GROUP), passes_on(1), comes_next(2), reads(2, DATA, 4), clean_at(DATA);
    world_begin(1, 4, 2, SCOPE_RULE_EQUAL), world_forgoes_history(), writes(0, DATA, 4), release(0, OTHER, SCOPE_WORK_GROUP);
    load(1, OTHER, ORDER_RELAXED, SCOPE_WORK_GROUP), passes_on(2), comes_next(1), reads(1, DATA, 4), clean_at(DATA);
    world_begin(1, 4, 2, SCOPE_RULE_EQUAL), world_forgoes_history(), writes(0, DATA, 4), release(0, OTHER, SCOPE_WORK_GROUP);
    acquire(1, OTHER, SCOPE_WORK_GROUP), passes_on(2), comes_next(1), passes_on(1), comes_next(3), reads(3, DATA, 4), clean_at(DATA);
    world_begin(2, 4, 2, SCOPE_RULE_EQUAL), world_forgoes_history(), writes(0, DATA, 4), barrier(0, G, SCOPE_DEVICE);
    passes_on(0), update(4, FLAG, ORDER_RELAXED, SCOPE_DEVICE), fence(4, G, ORDER_ACQ_REL, SCOPE_DEVICE), reads(4, DATA, 4), clean_at(DATA);
}
END_TEST

START_TEST(random_relays_against_the_oracle)
{
    static const struct kind relays = {12000, 161803, 4, {{1, 4, 2}, {2, 3, 4}, {1, 6, 3}, {2, 4, 2}}, any_relay};
    agree_with_the_oracle(&relays);
    ck_assert_uint_gt(world_ways[WAY_RELAY], 0);
}
END_TEST

START_TEST(random_rounds_against_the_oracle)
{
    static const struct kind rounds = {4000, 31337, 3, {{1, 4, 2}, {2, 3, 4}, {2, 4, 2}}, any_rounds};
    static const enum way ways[] = {WAY_AGAIN, WAY_SUCCESSION, WAY_IN_TURN};
    takes_ways(ways, sizeof ways / sizeof *ways, agree_with_the_oracle(&rounds).programs);
}
END_TEST

/* Work-items take over from each other what they know by updates of a few words, by the same instructions; seldom something
 * else comes among them. Then somebody touches such a word plainly, who may know of some. */
static const uint32_t chain_words[] = {FLAG, FLAG, OTHER, 24};
static uint32_t chain_site[2];

static void chain_link(uint32_t item, uint32_t word, enum memory_order order, enum memory_scope scope)
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
    case 2: case 3: update(item, word, (enum memory_order)below(5), scope); break;
    case 4: failing_exchange(item, word, ORDER_SEQ_CST, below(2) ? ORDER_ACQUIRE : ORDER_RELAXED, scope); break;
    case 5: barrier(item / shape[1], below(2) ? G : G | L, SCOPE_WORK_GROUP); break;
    case 6: act_plainly(item, word); break;
    case 7: fence(item, G, ORDER_ACQUIRE + below(4), scope); break;
    default: any_deed(shape[0], shape[1], shape[2]); break;
    }
}

static void any_updates_in_chain(const uint32_t *shape)
{
    const uint32_t all = shape[0] * shape[1], seldom = below(3) ? 4 + below(12) : 1000;
    const enum memory_order order = below(6) == 0 ? ORDER_ACQUIRE + below(2) : below(2) ? ORDER_SEQ_CST : ORDER_ACQ_REL;
    const enum memory_scope scope = below(8) ? SCOPE_DEVICE : SCOPE_WORK_GROUP;
    chain_site[0] = chain_site[1] = NO_SITE;
    for (uint32_t turns = 3 + below(10); turns; turns--) {
        const uint32_t item = below(all), word = chain_words[below(4)];
        if (below(seldom) == 0)
            chain_other(shape, item, word);
        else if (below(24) == 0 && seldom < 1000)
            atomics(item / shape[1], word, below(2) ? 4 : 0, 1 + below((1u << shape[1]) - 1), ACCESS_ATOMIC_UPDATE, order, scope);
        else
            chain_link(item, word, order, scope);
    }
    for (uint32_t turns = 1 + below(2); turns; turns--) {
        const uint32_t item = below(all);
        if (below(3))
            acquire(item, chain_words[below(4)], scope);
        if (below(4))
            act_plainly(item, chain_words[below(4)]);
        else
            update(item, chain_words[below(4)], (enum memory_order)below(5), SCOPE_WORK_GROUP);
    }
}

START_TEST(random_chains_of_updates_against_the_oracle)
{
    static const struct kind chains = {12000, 662607, 4, {{1, 4, 2}, {2, 2, 2}, {4, 1, 1}, {2, 3, 2}}, any_updates_in_chain};
    static const enum way ways[] = {WAY_FOLLOWED, WAY_LONE, WAY_FEW, WAY_CALM, WAY_RESTED};
    takes_ways(ways, sizeof ways / sizeof *ways, agree_with_the_oracle(&chains).programs);
}
END_TEST

/* 2 knows of the update by 1, and of none before it but its own. */
static void one_after_another(enum memory_order order, bool released)
{
    two_groups();
    if (released)
        update(2, FLAG, ORDER_RELEASE, SCOPE_DEVICE);
    const uint32_t site = changes(0, FLAG, order, SCOPE_DEVICE, NO_SITE);
    changes(1, FLAG, order, SCOPE_DEVICE, site), release(1, OTHER, SCOPE_DEVICE), acquire(2, OTHER, SCOPE_DEVICE), writes(2, FLAG, 4);
}

START_TEST(an_update_stands_for_those_that_it_knows_of)
{
    for (enum memory_order order = ORDER_RELAXED; order <= ORDER_SEQ_CST; order++) {
        const bool knows = order == ORDER_ACQ_REL || order == ORDER_SEQ_CST;
        for (int released = 0; released < 2; released++) {
            one_after_another(order, released);
            ck_assert_ptr_null(judged());
            ck_assert_uint_eq(world_races_at(FLAG), !knows);
            world_end();
        }
        two_groups(); /* the store between breaks the sequence */
        const uint32_t site = changes(0, FLAG, order, SCOPE_DEVICE, NO_SITE);
        store(2, FLAG, ORDER_RELAXED, SCOPE_DEVICE), changes(1, FLAG, order, SCOPE_DEVICE, site);
        release(1, OTHER, SCOPE_DEVICE), release(2, OTHER + 4, SCOPE_DEVICE), acquire(3, OTHER, SCOPE_DEVICE), acquire(3, OTHER + 4, SCOPE_DEVICE);
        writes(3, FLAG, 4), races_at(FLAG);
    }
}
END_TEST

/* Work-items of a wave release and acquire by one instruction. */
static void any_wave(const uint32_t *shape)
{
    static const uint32_t objects[] = {FLAG, OTHER, 24};
    if (below(4))
        world_forgoes_history();
    for (uint32_t turns = 3 + below(7); turns && world_room() > 24; turns--) {
        const uint32_t group = below(shape[0]), all = (1u << shape[1]) - 1, members = below(3) ? all : 1 + below(all);
        const enum memory_scope scope = below(4) ? SCOPE_DEVICE : SCOPE_WORK_GROUP;
        switch (below(8)) {
        case 0: wave_fence(group, members, below(4) ? G : 1 + below(3), ORDER_ACQUIRE + below(4), scope); break;
        case 1: sweeps(group, below(2), DATA, below(2) ? 0 : 4, 4, members); break;
        case 2: act_plainly(group * shape[1] + below(shape[1]), DATA); break;
        case 3: sweeps(group, below(2), 32, 4, 4, members); break;
        case 4: any_deed(shape[0], shape[1], shape[2]); break;
        default: atomics(group, objects[below(3)], below(2) ? 4 : 0, members, ACCESS_ATOMIC_READ + below(3), (enum memory_order)below(5), scope); break;
        }
    }
    act_plainly(below(shape[0] * shape[1]), 32 + 4 * below(shape[1]));
}

START_TEST(random_waves_against_the_oracle)
{
    static const struct kind waves = {12000, 141421, 4, {{1, 4, 2}, {2, 3, 4}, {2, 4, 2}, {4, 2, 2}}, any_wave};
    agree_with_the_oracle(&waves);
    ck_assert_uint_gt(world_ways[WAY_FEW], 0);
}
END_TEST

/* One instruction releases for all: what each did before it is known to who acquires, and what it does behind it is not. */
START_TEST(releases_of_one_event_are_between_slices)
{
    world_begin(2, 4, 2, SCOPE_RULE_EQUAL), world_forgoes_history(), writes(3, DATA, 4);
    atomics(0, FLAG, 0, 15, ACCESS_ATOMIC_UPDATE, ORDER_RELEASE, SCOPE_DEVICE), acquire(4, FLAG, SCOPE_DEVICE), reads(4, DATA, 4), clean_at(DATA);
    world_begin(2, 4, 2, SCOPE_RULE_EQUAL), world_forgoes_history();
    atomics(0, FLAG, 0, 15, ACCESS_ATOMIC_UPDATE, ORDER_RELEASE, SCOPE_DEVICE), writes(0, DATA, 4), acquire(4, FLAG, SCOPE_DEVICE), reads(4, DATA, 4),
        races_at(DATA);
    world_begin(2, 4, 2, SCOPE_RULE_EQUAL), world_forgoes_history(), writes(0, DATA, 4);
    atomics(0, FLAG, 0, 3, ACCESS_ATOMIC_UPDATE, ORDER_ACQ_REL, SCOPE_DEVICE), reads(1, DATA, 4), clean_at(DATA); /* 1 reads what 0 stored */
    world_begin(2, 4, 2, SCOPE_RULE_EQUAL), world_forgoes_history(), writes(2, DATA, 4), wave_fence(0, 15, G, ORDER_RELEASE, SCOPE_DEVICE);
    atomics(0, FLAG, 4, 15, ACCESS_ATOMIC_WRITE, ORDER_RELAXED, SCOPE_DEVICE), acquire(5, FLAG + 4, SCOPE_DEVICE), reads(5, DATA, 4), races_at(DATA);
    world_begin(2, 4, 2, SCOPE_RULE_EQUAL), world_forgoes_history(), writes(2, DATA, 4), wave_fence(0, 15, G, ORDER_RELEASE, SCOPE_DEVICE);
    atomics(0, FLAG, 4, 15, ACCESS_ATOMIC_WRITE, ORDER_RELAXED, SCOPE_DEVICE), acquire(5, FLAG + 8, SCOPE_DEVICE), reads(5, DATA, 4), clean_at(DATA);
}
END_TEST

/* Few instructions that race often, and what comes among them. */
static void any_crowd(const uint32_t *shape)
{
    const bool shared = below(4), ordered = below(2), both = below(4) == 0; /* one instruction loads and stores, as a copy's does */
    const bool sizes = below(6) == 0; /* likewise, the end of a copy */
    uint32_t load = NO_SITE, store = NO_SITE, other = NO_SITE;
    world_counts_races(1);
    for (uint32_t turns = 10 + below(40); turns && world_room() > 24; turns--) {
        const uint32_t item = below(shape[0] * shape[1]), address = shared ? DATA : 32 + 4 * item, size = sizes && below(2) ? 8 : 4;
        if (ordered)
            update(item, FLAG, ORDER_RELAXED, SCOPE_DEVICE), fence(item, G, ORDER_ACQ_REL, SCOPE_WORK_GROUP + below(2));
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
            any_deed(shape[0], shape[1], shape[2]);
    }
    for (uint32_t item = 0; item < shape[0] * shape[1]; item++)
        if (below(2))
            act_plainly(item, shared ? DATA : 32 + 4 * item);
}

START_TEST(random_crowds_against_the_oracle)
{
    static const struct kind crowds = {1500, 271828, 4, {{1, 4, 2}, {2, 3, 4}, {2, 4, 2}, {4, 2, 2}}, any_crowd};
    agree_with_the_oracle(&crowds);
    ck_assert_uint_gt(world_ways[WAY_ENOUGH], 0);
}
END_TEST

/* Places of the program that members of groups come by again and again, as in a loop around a lock. */
struct lock { uint32_t take, alone, load, store, leave, data; bool guarded, steady; };

static void hold(struct lock *lock, uint32_t group, uint32_t items)
{
    const uint32_t winner = below(items), item = group * items + winner;
    if (below(4))
        lock->take = exchanges(group, FLAG, (1u << items) - 1, winner, ORDER_RELAXED, SCOPE_DEVICE, lock->take);
    else
        lock->alone = adds(item, FLAG, lock->alone);
    if (lock->guarded)
        fence(item, G, ORDER_ACQ_REL, SCOPE_WORK_GROUP);
    if (below(8))
        lock->load = touches(item, false, lock->data, lock->load);
    if (below(8))
        lock->store = touches(item, true, lock->data, lock->store);
    if (lock->steady || below(24))
        fence(item, G, lock->steady || below(24) ? ORDER_ACQ_REL : ORDER_RELEASE, lock->steady || below(24) ? SCOPE_WORK_GROUP : SCOPE_DEVICE);
    lock->leave = adds(item, FLAG, lock->leave);
}

static void any_lock(const uint32_t *shape)
{
    struct lock lock = {NO_SITE, NO_SITE, NO_SITE, NO_SITE, NO_SITE, DATA, .guarded = below(4), .steady = below(2)};
    const bool shared = below(4) == 0;
    world_forgoes_history();
    world_counts_races(1);
    while (world_room() > 120) {
        const uint32_t group = below(shape[0]);
        lock.data = shared ? DATA : 32 + 4 * group;
        for (uint32_t turns = 4 + below(8); turns && world_room() > 100; turns--)
            hold(&lock, group, shape[1]);
        if (!lock.steady && below(6) == 0)
            act_plainly(below(shape[0] * shape[1]), lock.data);
        if (below(12) == 0)
            any_deed(shape[0], shape[1], shape[2]);
    }
    if (below(2))
        act_plainly(below(shape[0] * shape[1]), lock.data);
}

START_TEST(random_locks_against_the_oracle)
{
    static const struct kind locks = {1500, 577215, 3, {{1, 4, 2}, {2, 3, 4}, {2, 2, 2}}, any_lock};
    const uint64_t before[] = {world_ways[WAY_RELAY], world_ways[WAY_IN_TURN], world_ways[WAY_ENOUGH]};
    agree_with_the_oracle(&locks);
    ck_assert_uint_gt(world_ways[WAY_RELAY], before[0]);
    ck_assert_uint_gt(world_ways[WAY_IN_TURN], before[1]);
    ck_assert_uint_gt(world_ways[WAY_ENOUGH], before[2]);
}
END_TEST

/* Work-items of two groups load and store by the same two instructions in turn. */
static uint32_t crowd_load, crowd_store;

static void crowd(uint32_t turns)
{
    static const uint32_t items[] = {0, 1, 3};
    crowd_load = crowd_store = NO_SITE;
    world_begin(2, 3, 3, SCOPE_RULE_EQUAL), world_forgoes_history(), world_counts_races(4);
    for (uint32_t turn = 0; turn < turns; turn++) {
        crowd_load = touches(items[turn % 3], false, DATA, crowd_load);
        crowd_store = touches(items[turn % 3], true, DATA, crowd_store);
    }
}

/* And the others know. */
static void crowd_is_known(uint32_t turns)
{
    crowd(turns);
    for (uint32_t item = 0; item < 4; item++)
        release(item, 48 + 4 * item, SCOPE_DEVICE), acquire(2, 48 + 4 * item, SCOPE_DEVICE), acquire(4, 48 + 4 * item, SCOPE_DEVICE);
}

static void one_more_pair_races(bool more)
{
    const char *difference = world_disagreement();
    ck_assert_msg(!difference, "%s", difference);
    if (HOSTILE(true, false)) /* room for fewer racers: not each pair of places is told */
        ck_assert_uint_eq(world_races(), more ? 3 : 2);
    world_end();
}

static void is_known_to_others(uint32_t turns)
{
    crowd_is_known(turns), writes(4, DATA, 4), one_more_pair_races(false);
    crowd_is_known(turns), touches(2, true, DATA, crowd_store), writes(4, DATA, 4), one_more_pair_races(true);
    crowd_is_known(turns), touches(2, false, DATA, crowd_load), writes(4, DATA, 4), one_more_pair_races(true);
    crowd_is_known(turns), touches(2, false, DATA, crowd_load), touches(1, true, DATA, crowd_store);
    release(1, OTHER, SCOPE_DEVICE), acquire(4, OTHER, SCOPE_DEVICE), writes(4, DATA, 4), one_more_pair_races(true);
    crowd_is_known(turns), update(4, DATA, ORDER_RELAXED, SCOPE_DEVICE), one_more_pair_races(false);
    crowd_is_known(turns), update(4, DATA, ORDER_RELAXED, SCOPE_DEVICE), touches(1, true, DATA, crowd_store), one_more_pair_races(true);
}

START_TEST(what_only_repeats_races_is_known_to_others)
{
    for (uint32_t turns = 40; turns < 80; turns++) /* one access in 64 is judged in any case */
        is_known_to_others(turns);
}
END_TEST

/* Two of a group hand on what they did, each too late for the other: all of it is known to who comes next. So is what those of
 * another group did before, which the two do not know. */
static void crowd_in_relay(uint32_t turns)
{
    uint32_t take = NO_SITE, leave = NO_SITE;
    crowd_load = crowd_store = NO_SITE;
    world_begin(2, 3, 3, SCOPE_RULE_EQUAL), world_forgoes_history(), world_counts_races(4);
    for (uint32_t item = 3; item < 5; item++) {
        crowd_load = touches(item, false, DATA, crowd_load);
        crowd_store = touches(item, true, DATA, crowd_store);
        release(item, 16 * item, SCOPE_DEVICE), acquire(2, 16 * item, SCOPE_DEVICE);
    }
    for (uint32_t turn = 0; turn < turns; turn++) {
        const uint32_t item = turn % 2;
        take = adds(item, FLAG, take);
        crowd_load = touches(item, false, DATA, crowd_load);
        crowd_store = touches(item, true, DATA, crowd_store);
        fence(item, G, ORDER_ACQ_REL, SCOPE_WORK_GROUP);
        leave = adds(item, FLAG, leave);
    }
}

START_TEST(a_crowd_in_a_relay_keeps_its_time)
{
    for (uint32_t turns = 24; turns < 40; turns++) {
        const uint32_t latest = (turns - 1) % 2;
        crowd_in_relay(turns), comes_next(2), writes(2, DATA, 4), one_more_pair_races(false);
        crowd_in_relay(turns), touches(latest, true, DATA, crowd_store), comes_next(2), writes(2, DATA, 4), one_more_pair_races(true);
        crowd_in_relay(turns), touches(latest, false, DATA, crowd_load), comes_next(2), writes(2, DATA, 4), one_more_pair_races(true);
        crowd_in_relay(turns), touches(1 - latest, true, DATA, crowd_store), comes_next(2), writes(2, DATA, 4), one_more_pair_races(true);
    }
}
END_TEST

static void crowd_takes(uint32_t item, uint32_t address)
{
    crowd_load = touches(item, false, address, crowd_load);
    crowd_store = touches(item, true, address, crowd_store);
}

/* What a store of the crowd leaves elsewhere keeps its time while others of them go on. */
START_TEST(a_crowd_takes_no_other_stores_along)
{
    for (uint32_t turns = 40; turns < 80; turns++) {
        crowd(turns), release(0, FLAG, SCOPE_DEVICE);
        crowd_takes(0, DATA), writes(0, 64, 4), touches(0, true, 68, crowd_store);
        release(0, FLAG, SCOPE_DEVICE), crowd_takes(0, DATA), acquire(4, FLAG, SCOPE_DEVICE), writes(4, 68, 4);
        clean_at(68);
    }
}
END_TEST

/* Few races of that word were kept before its places had raced often enough elsewhere. */
START_TEST(a_crowd_that_moves_on_is_known_to_others)
{
    crowd(40), crowd_takes(0, 64), crowd_takes(1, 64), crowd_takes(3, 64);
    for (uint32_t item = 0; item < 4; item += 3)
        release(item, 48 + 4 * item, SCOPE_DEVICE), acquire(4, 48 + 4 * item, SCOPE_DEVICE);
    writes(4, 64, 4), one_more_pair_races(true);
}
END_TEST

START_TEST(an_eight_byte_crowd_has_two_words)
{
    for (uint32_t turns = 40; turns < 80; turns++) {
        crowd_load = crowd_store = NO_SITE;
        world_begin(2, 3, 3, SCOPE_RULE_EQUAL), world_forgoes_history(), world_counts_races(4);
        for (uint32_t turn = 0; turn < turns; turn++) {
            crowd_load = touches_bytes(turn % 4, false, DATA, 8, crowd_load);
            crowd_store = touches_bytes(turn % 4, true, DATA, 8, crowd_store);
        }
        for (uint32_t item = 0; item < 4; item++)
            release(item, 48 + 4 * item, SCOPE_DEVICE), acquire(4, 48 + 4 * item, SCOPE_DEVICE), acquire(5, 48 + 4 * item, SCOPE_DEVICE);
        touches_bytes(5, false, DATA, 8, crowd_load), writes(4, DATA + 4, 4), one_more_pair_races(true);
    }
}
END_TEST

/* Its last store is of a work-item whose plain stores go on with it; those of another end it. */
START_TEST(a_plain_store_ends_the_sequence_of_local_memory_from_before_a_barrier)
{
    one_group(), writes(0, DATA, 4), fence(0, G | L, ORDER_RELEASE, SCOPE_WORK_GROUP), store(0, LFLAG, ORDER_RELAXED, SCOPE_WORK_GROUP);
    barrier(0, L, SCOPE_WORK_GROUP), writes(0, LFLAG, 4), writes(1, LFLAG, 4);
    load(2, LFLAG, ORDER_RELAXED, SCOPE_WORK_GROUP), fence(2, G | L, ORDER_ACQUIRE, SCOPE_WORK_GROUP), reads(2, DATA, 4), races_at(DATA);
}
END_TEST

START_TEST(races_told_often_enough_are_counted_no_more)
{
    const uint64_t before = world_ways[WAY_ENOUGH];
    uint64_t count = 0;
    bool uncounted = false;
    crowd(100);
    for (size_t i = 0; i < world_races(); i++) {
        uncounted |= world_finding(i)->count_at_least;
        count += world_finding(i)->count;
    }
    races_at(DATA);
    ck_assert(uncounted || HOSTILE(false, true)); /* there is room for fewer racers than two of each place */
    ck_assert_uint_lt(count, HOSTILE(300, 500));
    ck_assert_uint_ge(world_ways[WAY_ENOUGH], before + HOSTILE(50, 0));
    crowd(99), release(3, FLAG, SCOPE_DEVICE), acquire(0, FLAG, SCOPE_DEVICE), writes(0, DATA, 4);
    ck_assert_uint_eq(world_races(), 3); /* the new one races with stores that are not the latest */
    world_end();
    crowd(100), writes(0, DATA, 4);
    ck_assert_ptr_null(world_disagreement());
    ck_assert_ptr_null(world_untold_pair());
    ck_assert_uint_eq(world_races(), 3);
    world_end();
}
END_TEST

START_TEST(random_programs_against_the_oracle)
{
    static const struct kind programs = {10000, 0, 5, {{1, 2, 1}, {2, 1, 1}, {2, 2, 2}, {1, 4, 2}, {3, 1, 1}}, any_deeds};
    const struct tally tally = agree_with_the_oracle(&programs);
    ck_assert_uint_lt(tally.untold, HOSTILE(tally.programs / 200 + 2, tally.programs / 3)); /* short ways remember one deed of many, and small tables few */
    static const enum way ways[] = {WAY_CHAIN, WAY_SEEN, WAY_SENT, WAY_TRIED, WAY_AGAIN, WAY_TOGETHER, WAY_WAITING, WAY_REPEATED, WAY_CALM, WAY_IN_TURN,
                                    WAY_SHARED, WAY_LONE, WAY_FEW, WAY_RESTED};
    takes_ways(ways, sizeof ways / sizeof *ways, tally.programs);
}
END_TEST

/* ---- kernels that enqueue each other (R31 (2), (13), (14), R32) ----------------------------- */

static void child(uint32_t parent, enum launch_start start) { world_launches(parent, start, 0, NULL, 0); }

static void family_judged(bool racy)
{
    ck_assert_int_eq(world_family_races() > 0, racy);
    world_end();
}

static size_t crowd_before(uint32_t turns, bool stores)
{
    crowd(turns), child(1, LAUNCH_AFTER_PARENT), release(0, FLAG, SCOPE_DEVICE), touches(0, false, DATA, crowd_load);
    if (stores)
        writes(3, DATA, 4);
    const size_t races = world_family_races();
    world_end();
    return races;
}

START_TEST(a_crowd_ends_with_its_launch)
{
    for (uint32_t turns = 40; turns < 60; turns++)
        ck_assert_uint_eq(crowd_before(turns, true), crowd_before(turns, false) + 1);
}
END_TEST

/* Launch 2 writes, or its child 3 does; 4 waits for an event. */
static void event_world(uint32_t writer, bool waits, bool complete)
{
    static struct launch_after after;
    after = (struct launch_after){2, complete};
    one_group(), child(1, LAUNCH_AT_ONCE);
    if (writer == 2)
        writes(0, DATA, 4);
    child(2, LAUNCH_AT_ONCE);
    if (writer == 3)
        writes(0, DATA, 4);
    world_launches(1, LAUNCH_AT_ONCE, 0, &after, waits);
    reads(1, DATA, 4);
}

START_TEST(r31_1_a_call_orders_fine_grained_memory)
{
    one_group(), world_shares(), writes(0, DATA, 4), child(1, LAUNCH_AT_ONCE), reads(1, DATA, 4), family_judged(false);
    one_group(), world_shares(), child(1, LAUNCH_AT_ONCE), writes(1, DATA, 4), child(1, LAUNCH_AT_ONCE), reads(1, DATA, 4), family_judged(true);
}
END_TEST

START_TEST(r31_2_events_order_what_waits)
{
    event_world(2, true, true), family_judged(false);
    event_world(2, true, false), family_judged(false);
    event_world(2, false, false), family_judged(true);
    event_world(3, true, true), family_judged(false); /* complete: with its children */
    event_world(3, true, false), family_judged(true);
}
END_TEST

START_TEST(r31_2_what_is_known_is_handed_on)
{
    static const struct launch_after second = {2, true}, third = {3, true};
    one_group(), child(1, LAUNCH_AT_ONCE), writes(0, DATA, 4);
    world_launches(1, LAUNCH_AT_ONCE, 0, &second, 1), writes(1, OTHER, 4);
    world_launches(1, LAUNCH_AT_ONCE, 0, &third, 1), reads(0, DATA, 4), reads(0, OTHER, 4), family_judged(false);
}
END_TEST

START_TEST(r31_13_a_child_may_wait_for_its_parent)
{
    one_group(), writes(0, DATA, 4), child(1, LAUNCH_AFTER_PARENT), reads(1, DATA, 4), family_judged(false);
    one_group(), writes(0, DATA, 4), child(1, LAUNCH_AT_ONCE), reads(1, DATA, 4), family_judged(true);
    one_group(), writes(0, DATA, 4), child(1, LAUNCH_AT_ONCE), reads(1, OTHER, 4), family_judged(false);
    one_group(), reads(0, DATA, 4), child(1, LAUNCH_AT_ONCE), reads(1, DATA, 4), family_judged(false);
    one_group(), writes(0, DATA, 4), child(1, LAUNCH_AFTER_PARENT), child(2, LAUNCH_AT_ONCE), reads(1, DATA, 4), family_judged(false);
    one_group(), child(1, LAUNCH_AFTER_PARENT), writes(0, DATA, 4), child(1, LAUNCH_AFTER_PARENT), reads(1, DATA, 4), family_judged(true);
}
END_TEST

/* A child of the group's reads what item 0 wrote. */
static void group_world(uint64_t group, bool released, bool acquired)
{
    two_groups(), world_awaits(group), writes(0, DATA, 4);
    if (released)
        release(0, FLAG, SCOPE_DEVICE);
    if (acquired)
        acquire(3, FLAG, SCOPE_DEVICE);
    world_launches(1, LAUNCH_AFTER_GROUP, group, NULL, 0);
    reads(0, DATA, 4);
}

START_TEST(r31_14_a_child_may_wait_for_a_work_group)
{
    group_world(0, false, false), family_judged(false);
    group_world(1, false, false), family_judged(true);
    group_world(1, true, true), family_judged(false); /* by then the group knew */
    group_world(1, true, false), family_judged(true);
    two_groups(), world_awaits(0), writes(0, DATA, 4), writes(2, OTHER, 4), world_launches(1, LAUNCH_AFTER_GROUP, 0, NULL, 0);
    reads(0, DATA, 4), family_judged(false);
    two_groups(), world_awaits(0), writes(0, DATA, 4), writes(2, OTHER, 4), world_launches(1, LAUNCH_AFTER_GROUP, 0, NULL, 0);
    reads(0, OTHER, 4), family_judged(true);
    group_world(0, false, false), child(2, LAUNCH_AT_ONCE), reads(1, DATA, 4), family_judged(false);
}
END_TEST

START_TEST(r32_atomics_of_a_family_are_no_race)
{
    one_group(), update(0, DATA, ORDER_RELAXED, SCOPE_DEVICE), child(1, LAUNCH_AT_ONCE), update(0, DATA, ORDER_RELAXED, SCOPE_DEVICE), family_judged(false);
    one_group(), update(0, DATA, ORDER_RELAXED, SCOPE_DEVICE), child(1, LAUNCH_AT_ONCE), writes(0, DATA, 4), family_judged(true);
    one_group(), writes(0, DATA, 4), release(0, FLAG, SCOPE_DEVICE), child(1, LAUNCH_AT_ONCE), acquire(0, FLAG, SCOPE_DEVICE), reads(0, DATA, 4), family_judged(false);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("race");
    TCase *rules = tcase_create("rules"), *at_random = tcase_create("random");
    tcase_set_timeout(rules, 600); /* when others use the machine, too */
    tcase_set_timeout(at_random, 600);
    tcase_add_test(rules, r1_each_work_item_is_a_unit);
    tcase_add_test(rules, r31_1_a_call_orders_fine_grained_memory);
    tcase_add_test(rules, r31_2_events_order_what_waits);
    tcase_add_test(rules, r31_2_what_is_known_is_handed_on);
    tcase_add_test(rules, r31_13_a_child_may_wait_for_its_parent);
    tcase_add_test(rules, r31_14_a_child_may_wait_for_a_work_group);
    tcase_add_test(rules, r32_atomics_of_a_family_are_no_race);
    tcase_add_test(rules, r2_regions_are_disjoint);
    tcase_add_test(rules, r3_program_order_orders);
    tcase_add_test(rules, r4_two_reads_do_not_conflict);
    tcase_add_test(rules, r5_orders_of_atomics);
    tcase_add_test(rules, r6_fences_have_flags);
    tcase_add_test(rules, r8_release_sequence);
    tcase_add_test(rules, r9_scopes_are_reduced);
    tcase_add_test(rules, r9_all_svm_devices_is_device_on_other_memory);
    tcase_add_test(rules, r9_all_svm_devices_stays_on_svm_with_atomics);
    tcase_add_test(rules, r10_scopes_must_include_each_other);
    tcase_add_test(rules, r11_release_to_acquire);
    tcase_add_test(rules, r12_fence_to_fence);
    tcase_add_test(rules, r13_atomic_to_fence);
    tcase_add_test(rules, r14_fence_to_atomic);
    tcase_add_test(rules, r15_fences_of_both_regions_bridge_them);
    tcase_add_test(rules, r16_seq_cst_alone_does_not_bridge);
    tcase_add_test(rules, r17_barriers);
    tcase_add_test(rules, r19_sub_group_barriers);
    tcase_add_test(rules, named_barriers_order_the_sub_groups_that_meet);
    tcase_add_test(rules, r20_collectives_give_no_order);
    tcase_add_test(rules, r21_happens_before_is_transitive);
    tcase_add_test(rules, r29_what_is_a_race);
    tcase_add_test(rules, r34_images_need_fences_of_their_own);
    tcase_add_test(rules, r35_bytes);
    tcase_add_test(rules, r36_atomics_of_different_sizes);
    tcase_add_test(rules, r37_asynchronous_copies);
    tcase_add_test(rules, r37_a_copy_starts_from_what_all_members_know);
    tcase_add_test(rules, r37_members_come_to_a_copy_one_after_another);
    tcase_add_test(at_random, random_copies_against_the_oracle);
    tcase_add_test(at_random, random_named_barriers_against_the_oracle);
    tcase_add_test(rules, r38_local_memory_is_the_groups_own);
    tcase_add_test(rules, q11_a_failed_exchange_has_the_failure_order);
    tcase_add_test(rules, a_plain_store_ends_the_sequence);
    tcase_add_test(rules, an_update_stands_for_those_that_it_knows_of);
    tcase_add_test(rules, each_pair_that_races_is_told);
    tcase_add_test(rules, updates_are_joined_within_their_scope);
    tcase_add_test(rules, places_of_messages_are_looked_up_again);
    tcase_add_test(rules, what_is_repeated_behind_a_fence_is_later);
    tcase_add_test(rules, bytes_of_two_turns_are_not_one_access);
    tcase_add_test(rules, waiting_members_keep_what_they_read_before);
    tcase_add_test(rules, waves_are_sifted);
    tcase_add_test(at_random, random_sweeps_against_the_oracle);
    tcase_add_test(at_random, random_programs_against_the_oracle);
    tcase_add_test(at_random, random_relays_against_the_oracle);
    tcase_add_test(at_random, random_locks_against_the_oracle);
    tcase_add_test(at_random, random_rounds_against_the_oracle);
    tcase_add_test(at_random, random_crowds_against_the_oracle);
    tcase_add_test(at_random, random_chains_of_updates_against_the_oracle);
    tcase_add_test(at_random, random_waves_against_the_oracle);
    tcase_add_test(rules, members_hand_on_what_they_know);
    tcase_add_test(rules, releases_of_one_event_are_between_slices);
    tcase_add_test(rules, a_store_ends_what_others_handed_on);
    tcase_add_test(rules, other_fences_do_not_hand_on);
    tcase_add_test(rules, what_was_known_before_is_handed_on);
    tcase_add_test(rules, a_crowd_in_a_relay_keeps_its_time);
    tcase_add_test(rules, races_told_often_enough_are_counted_no_more);
    tcase_add_test(rules, a_crowd_takes_no_other_stores_along);
    tcase_add_test(rules, a_crowd_that_moves_on_is_known_to_others);
    tcase_add_test(rules, a_crowd_ends_with_its_launch);
    tcase_add_test(rules, an_eight_byte_crowd_has_two_words);
    tcase_add_test(rules, a_plain_store_ends_the_sequence_of_local_memory_from_before_a_barrier);
    tcase_add_test(rules, what_only_repeats_races_is_known_to_others);
    suite_add_tcase(suite, rules);
    suite_add_tcase(suite, at_random);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
