/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rules of the memory model (R1 to R38 of OpenCL 2.2 API 3.3.3 to 3.3.6, those inside one launch), a test
 * for each: a few operations, and whether they race. Every trace is also given to an oracle that computes
 * happens-before as a transitive closure, and so are those of check_race_ways and check_race_random.
 */
#include <check.h>

#include "orrery/limits.h"
#include "tests/support/race_world.h"

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

START_TEST(r3_program_order_orders)
{
    two_groups(), writes(0, DATA, 4), reads(0, DATA, 4), writes(0, DATA, 4), clean_at(DATA);
}
END_TEST

/* A unit without a clock, out of memory, would race with all. */
START_TEST(without_memory_nothing_is_a_race)
{
    two_groups(), world_runs_out_of_memory(), writes(0, DATA, 4), reads(2, DATA, 4);
    ck_assert(!world_races_at(DATA));
    world_end();
}
END_TEST

START_TEST(r4_two_reads_do_not_conflict)
{
    two_groups(), reads(0, DATA, 4), reads(2, DATA, 4), clean_at(DATA);
    two_groups(), reads(0, DATA, 4), reads(1, DATA, 4), reads(2, DATA, 4), writes(2, DATA, 4), races_at(DATA);
    two_groups(), update(0, DATA, ORDER_RELAXED, SCOPE_DEVICE), barrier(0, G, SCOPE_WORK_GROUP),
        reads(0, DATA, 4), reads(1, DATA, 4), clean_at(DATA);
}
END_TEST

START_TEST(r5_orders_of_atomics)
{
    static const bool orders[2][5] = {{false, false, true, true, true}, {false, true, false, true, true}};
    for (enum memory_ordering order = ORDER_RELAXED; order <= ORDER_SEQ_CST; order++) {
        two_groups(), writes(0, DATA, 4), store(0, FLAG, order, SCOPE_DEVICE), acquire(2, FLAG, SCOPE_DEVICE),
            reads(2, DATA, 4);
        judge_at(DATA, !orders[0][order]);
        two_groups(), writes(0, DATA, 4), release(0, FLAG, SCOPE_DEVICE), load(2, FLAG, order, SCOPE_DEVICE),
            reads(2, DATA, 4);
        judge_at(DATA, !orders[1][order]);
    }
}
END_TEST

static void fences(uint32_t flags)
{
    two_groups();
    writes(0, DATA, 4), fence(0, flags, ORDER_RELEASE, SCOPE_DEVICE),
        store(0, FLAG, ORDER_RELAXED, SCOPE_DEVICE);
    load(2, FLAG, ORDER_RELAXED, SCOPE_DEVICE), fence(2, flags, ORDER_ACQUIRE, SCOPE_DEVICE),
        reads(2, DATA, 4);
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
    two_groups(), writes(0, DATA, 4), release(0, FLAG, SCOPE_DEVICE),
        update(1, FLAG, ORDER_RELAXED, SCOPE_DEVICE);
    acquire(2, FLAG, SCOPE_DEVICE), reads(2, DATA, 4), clean_at(DATA);
    two_groups(), writes(0, DATA, 4), release(0, FLAG, SCOPE_DEVICE),
        store(1, FLAG, ORDER_RELAXED, SCOPE_DEVICE);
    acquire(2, FLAG, SCOPE_DEVICE), reads(2, DATA, 4), races_at(DATA);
    two_groups(), writes(0, DATA, 4), release(0, FLAG, SCOPE_DEVICE),
        store(0, FLAG, ORDER_RELAXED, SCOPE_DEVICE);
    acquire(2, FLAG, SCOPE_DEVICE), reads(2, DATA, 4), clean_at(DATA);
    two_groups(), writes(0, DATA, 4), release(0, FLAG, SCOPE_DEVICE),
        update(1, FLAG, ORDER_RELEASE, SCOPE_DEVICE);
    store(0, FLAG, ORDER_RELAXED, SCOPE_DEVICE), acquire(2, FLAG, SCOPE_DEVICE), reads(2, DATA, 4),
        clean_at(DATA);
    two_groups(), writes(1, DATA, 4), release(0, FLAG, SCOPE_DEVICE),
        update(1, FLAG, ORDER_RELEASE, SCOPE_DEVICE);
    store(0, FLAG, ORDER_RELAXED, SCOPE_DEVICE), acquire(2, FLAG, SCOPE_DEVICE), reads(2, DATA, 4),
        races_at(DATA);
}
END_TEST

/* ---- scopes ------------------------------------------------------------------------------------ */

START_TEST(r9_scopes_are_reduced)
{
    one_group(), writes(0, LDATA, 4), release(0, LFLAG, SCOPE_DEVICE), acquire(1, LFLAG, SCOPE_WORK_GROUP),
        reads(1, LDATA, 4);
    clean_at(LDATA);
}
END_TEST

START_TEST(r9_all_svm_devices_is_device_on_other_memory)
{
    two_groups(), writes(0, DATA, 4), release(0, FLAG, SCOPE_ALL_SVM), acquire(2, FLAG, SCOPE_DEVICE),
        reads(2, DATA, 4), clean_at(DATA);
    two_groups(), world_shares(), writes(0, DATA, 4), release(0, FLAG, SCOPE_ALL_SVM),
        acquire(2, FLAG, SCOPE_DEVICE), reads(2, DATA, 4);
    clean_at(DATA);
    two_groups(), updates(0, FLAG, 0, 3, SCOPE_ALL_SVM), updates(1, FLAG, 0, 3, SCOPE_DEVICE), clean_at(FLAG);
}
END_TEST

/* The object, not the data, decides the scope; of a fence the objects by which it synchronises. */
START_TEST(r9_all_svm_devices_stays_on_svm_with_atomics)
{
    two_groups(), world_shares_atomics(), writes(0, DATA, 4), release(0, FLAG, SCOPE_ALL_SVM),
        acquire(2, FLAG, SCOPE_DEVICE);
    reads(2, DATA, 4), races_at(DATA);
    two_groups(), world_shares_atomics(), writes(0, DATA, 4), release(0, FLAG, SCOPE_DEVICE),
        acquire(2, FLAG, SCOPE_ALL_SVM);
    reads(2, DATA, 4), races_at(DATA);
    two_groups(), world_shares_atomics(), writes(0, DATA, 4), release(0, FLAG, SCOPE_ALL_SVM),
        acquire(2, FLAG, SCOPE_ALL_SVM);
    reads(2, DATA, 4), clean_at(DATA);
    two_groups(), world_shares_atomics(), release(0, FLAG, SCOPE_ALL_SVM), acquire(2, FLAG, SCOPE_DEVICE),
        races_at(FLAG);
    two_groups(), world_shares_atomics(), updates(0, FLAG, 0, 3, SCOPE_ALL_SVM),
        updates(1, FLAG, 0, 3, SCOPE_DEVICE), races_at(FLAG);
    world_begin(2, 2, 1, SCOPE_RULE_INCLUSIVE31), world_shares_atomics(), writes(0, DATA, 4),
        release(0, FLAG, SCOPE_ALL_SVM);
    acquire(2, FLAG, SCOPE_DEVICE), reads(2, DATA, 4), clean_at(DATA);
    two_groups(), world_shares_atomics(), writes(0, DATA, 4), fence(0, G, ORDER_RELEASE, SCOPE_ALL_SVM),
        store(0, FLAG, ORDER_RELAXED, SCOPE_DEVICE);
    load(2, FLAG, ORDER_RELAXED, SCOPE_DEVICE), fence(2, G, ORDER_ACQUIRE, SCOPE_ALL_SVM), reads(2, DATA, 4),
        clean_at(DATA);
    two_groups(), world_shares_atomics(), writes(0, DATA, 4), fence(0, G, ORDER_RELEASE, SCOPE_ALL_SVM),
        store(0, FLAG, ORDER_RELAXED, SCOPE_DEVICE);
    load(2, FLAG, ORDER_RELAXED, SCOPE_DEVICE), fence(2, G, ORDER_ACQUIRE, SCOPE_DEVICE), reads(2, DATA, 4),
        races_at(DATA);
}
END_TEST

START_TEST(r10_scopes_must_include_each_other)
{
    two_groups(), writes(0, DATA, 4), release(0, FLAG, SCOPE_WORK_GROUP), acquire(2, FLAG, SCOPE_WORK_GROUP),
        reads(2, DATA, 4);
    races_at(DATA);
    two_groups(), writes(0, DATA, 4), release(0, FLAG, SCOPE_WORK_GROUP), acquire(1, FLAG, SCOPE_WORK_GROUP),
        reads(1, DATA, 4);
    clean_at(DATA);
    two_groups(), writes(0, DATA, 4), release(0, FLAG, SCOPE_DEVICE), acquire(1, FLAG, SCOPE_WORK_GROUP),
        reads(1, DATA, 4);
    races_at(DATA);
    one_group(), writes(0, DATA, 4), release(0, FLAG, SCOPE_SUB_GROUP), acquire(2, FLAG, SCOPE_SUB_GROUP),
        reads(2, DATA, 4);
    races_at(DATA);
    one_group(), writes(0, DATA, 4), release(0, FLAG, SCOPE_SUB_GROUP), acquire(1, FLAG, SCOPE_SUB_GROUP),
        reads(1, DATA, 4);
    clean_at(DATA);
    two_groups(), writes(0, DATA, 4), release(0, FLAG, SCOPE_WORK_ITEM), acquire(1, FLAG, SCOPE_WORK_ITEM),
        reads(1, DATA, 4);
    races_at(DATA);
    world_begin(2, 2, 1, SCOPE_RULE_INCLUSIVE31);
    writes(0, DATA, 4), release(0, FLAG, SCOPE_DEVICE), acquire(1, FLAG, SCOPE_WORK_GROUP), reads(1, DATA, 4),
        clean_at(DATA);
}
END_TEST

/* ---- synchronises-with --------------------------------------------------------------------------- */

START_TEST(r11_release_to_acquire)
{
    two_groups(), writes(0, DATA, 4), release(0, FLAG, SCOPE_DEVICE), acquire(2, FLAG, SCOPE_DEVICE),
        reads(2, DATA, 4), clean_at(DATA);
    two_groups(), writes(0, DATA, 4), release(0, FLAG, SCOPE_DEVICE), acquire(2, OTHER, SCOPE_DEVICE),
        reads(2, DATA, 4), races_at(DATA);
    two_groups(), release(0, FLAG, SCOPE_DEVICE), writes(0, DATA, 4), acquire(2, FLAG, SCOPE_DEVICE),
        reads(2, DATA, 4), races_at(DATA);
}
END_TEST

START_TEST(r12_fence_to_fence)
{
    fences(G), clean_at(DATA);
    two_groups(); /* the acquire fence stands before the load */
    writes(0, DATA, 4), fence(0, G, ORDER_RELEASE, SCOPE_DEVICE), store(0, FLAG, ORDER_RELAXED, SCOPE_DEVICE);
    fence(2, G, ORDER_ACQUIRE, SCOPE_DEVICE), load(2, FLAG, ORDER_RELAXED, SCOPE_DEVICE), reads(2, DATA, 4),
        races_at(DATA);
}
END_TEST

START_TEST(r13_atomic_to_fence)
{
    two_groups(), writes(0, DATA, 4), release(0, FLAG, SCOPE_DEVICE),
        load(2, FLAG, ORDER_RELAXED, SCOPE_DEVICE);
    fence(2, G, ORDER_ACQUIRE, SCOPE_DEVICE), reads(2, DATA, 4), clean_at(DATA);
    two_groups(), writes(0, DATA, 4), release(0, FLAG, SCOPE_DEVICE),
        load(2, FLAG, ORDER_RELAXED, SCOPE_DEVICE);
    fence(2, G, ORDER_ACQUIRE, SCOPE_WORK_GROUP), reads(2, DATA, 4), races_at(DATA);
}
END_TEST

START_TEST(r14_fence_to_atomic)
{
    two_groups(), writes(0, DATA, 4), fence(0, G, ORDER_RELEASE, SCOPE_DEVICE),
        store(0, FLAG, ORDER_RELAXED, SCOPE_WORK_GROUP);
    acquire(2, FLAG, SCOPE_DEVICE), reads(2, DATA, 4), clean_at(DATA);
    two_groups(), fence(0, G, ORDER_RELEASE, SCOPE_DEVICE), writes(0, DATA, 4),
        store(0, FLAG, ORDER_RELAXED, SCOPE_DEVICE);
    acquire(2, FLAG, SCOPE_DEVICE), reads(2, DATA, 4), races_at(DATA);
}
END_TEST

static void local_flag(uint32_t released, uint32_t acquired)
{
    one_group();
    writes(0, DATA, 4), fence(0, released, ORDER_RELEASE, SCOPE_WORK_GROUP),
        store(0, LFLAG, ORDER_RELAXED, SCOPE_WORK_GROUP);
    load(1, LFLAG, ORDER_RELAXED, SCOPE_WORK_GROUP), fence(1, acquired, ORDER_ACQUIRE, SCOPE_WORK_GROUP),
        reads(1, DATA, 4);
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
    two_groups(), writes(0, DATA, 4), barrier(0, G, SCOPE_WORK_GROUP), barrier(1, G, SCOPE_WORK_GROUP),
        reads(3, DATA, 4), races_at(DATA);
    /* its entry is a release fence of device scope */
    two_groups(), writes(0, DATA, 4), barrier(0, G, SCOPE_DEVICE);
    store(0, FLAG, ORDER_RELAXED, SCOPE_DEVICE), acquire(2, FLAG, SCOPE_DEVICE), reads(2, DATA, 4),
        clean_at(DATA);
    two_groups(), writes(1, DATA, 4), barrier(0, G, SCOPE_DEVICE); /* of work-item 0 alone */
    store(0, FLAG, ORDER_RELAXED, SCOPE_DEVICE), acquire(2, FLAG, SCOPE_DEVICE), reads(2, DATA, 4),
        races_at(DATA);
    two_groups(), writes(0, DATA, 4), release(0, FLAG, SCOPE_DEVICE),
        load(2, FLAG, ORDER_RELAXED, SCOPE_DEVICE);
    barrier(1, G, SCOPE_DEVICE), reads(2, DATA, 4), clean_at(DATA);
    two_groups(), writes(0, DATA, 4), release(0, FLAG, SCOPE_DEVICE), acquire(2, FLAG, SCOPE_DEVICE);
    barrier(1, G, SCOPE_WORK_GROUP), reads(3, DATA, 4), clean_at(DATA);
}
END_TEST

START_TEST(r19_sub_group_barriers)
{
    one_group(), writes(0, DATA, 4), sub_group_barrier(0, 0, G, SCOPE_SUB_GROUP), reads(1, DATA, 4),
        clean_at(DATA);
    one_group(), writes(0, DATA, 4), sub_group_barrier(0, 0, G, SCOPE_SUB_GROUP), reads(2, DATA, 4),
        races_at(DATA);
    one_group(), writes(0, DATA, 4), sub_group_barrier(0, 0, L, SCOPE_SUB_GROUP), reads(1, DATA, 4),
        races_at(DATA);
    one_group(), writes(0, LDATA, 4), sub_group_barrier(0, 0, L, SCOPE_SUB_GROUP), reads(1, LDATA, 4),
        clean_at(LDATA);
}
END_TEST

/*
 * A release fence at the entry of each member, an acquire fence at its exit: only the latter is ordered after
 * another member's accesses before the barrier.
 */
START_TEST(r19_a_sub_group_barrier_of_a_wider_scope)
{
    for (uint32_t stores = 0; stores < 2; stores++) {
        world_begin(2, 2, 2, SCOPE_RULE_EQUAL), writes(0, DATA, 4), sub_group_barrier(0, 0, G, SCOPE_DEVICE);
        store(stores, FLAG, ORDER_RELAXED, SCOPE_DEVICE), acquire(2, FLAG, SCOPE_DEVICE), reads(2, DATA, 4),
            judge_at(DATA, stores != 0);
    }
    for (uint32_t loads = 0; loads < 2; loads++) {
        world_begin(2, 2, 2, SCOPE_RULE_EQUAL), writes(2, DATA, 4), release(2, FLAG, SCOPE_DEVICE),
            load(loads, FLAG, ORDER_RELAXED, SCOPE_DEVICE);
        sub_group_barrier(0, 0, G, SCOPE_DEVICE), reads(0, DATA, 4), judge_at(DATA, loads != 0);
    }
}
END_TEST

START_TEST(named_barriers_order_their_sub_groups)
{
    world_begin(1, 4, 1, SCOPE_RULE_EQUAL), writes(0, DATA, 4), named_barrier(0, 5, G, SCOPE_WORK_GROUP),
        reads(2, DATA, 4), clean_at(DATA);
    world_begin(1, 4, 1, SCOPE_RULE_EQUAL), writes(0, DATA, 4), named_barrier(0, 5, G, SCOPE_WORK_GROUP),
        reads(1, DATA, 4), races_at(DATA);
    world_begin(1, 4, 1, SCOPE_RULE_EQUAL), writes(0, DATA, 4), named_barrier(0, 5, L, SCOPE_WORK_GROUP),
        reads(2, DATA, 4), races_at(DATA);
    /* passes on its clock */
    world_begin(1, 4, 1, SCOPE_RULE_EQUAL), writes(0, DATA, 4), named_barrier(0, 3, G, SCOPE_WORK_GROUP);
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
    writes(0, DATA, 4), release(0, FLAG, SCOPE_DEVICE), acquire(1, FLAG, SCOPE_DEVICE),
        release(1, OTHER, SCOPE_DEVICE);
    acquire(2, OTHER, SCOPE_DEVICE), reads(2, DATA, 4), clean_at(DATA);
    two_groups(); /* ISA2: work-group release, then device release */
    writes(0, DATA, 4), release(0, FLAG, SCOPE_WORK_GROUP), acquire(1, FLAG, SCOPE_WORK_GROUP),
        release(1, OTHER, SCOPE_DEVICE);
    acquire(2, OTHER, SCOPE_DEVICE), reads(2, DATA, 4), clean_at(DATA);
    two_groups(), writes(1, DATA, 4), barrier(0, G, SCOPE_WORK_GROUP), release(0, FLAG, SCOPE_DEVICE),
        acquire(2, FLAG, SCOPE_DEVICE);
    reads(2, DATA, 4), clean_at(DATA);
    one_group(), writes(0, DATA, 4), release(0, LFLAG, SCOPE_WORK_GROUP), acquire(1, LFLAG, SCOPE_WORK_GROUP),
        reads(1, DATA, 4);
    races_at(DATA); /* the flag's release is no global action */
}
END_TEST

/* ---- races ----------------------------------------------------------------------------------- */

START_TEST(r29_conflicting_unordered_accesses_race)
{
    two_groups(), update(0, FLAG, ORDER_RELAXED, SCOPE_DEVICE), update(2, FLAG, ORDER_RELAXED, SCOPE_DEVICE),
        clean_at(FLAG);
    two_groups(), update(0, FLAG, ORDER_RELAXED, SCOPE_WORK_GROUP),
        update(2, FLAG, ORDER_RELAXED, SCOPE_WORK_GROUP), races_at(FLAG);
    two_groups(), update(0, FLAG, ORDER_RELAXED, SCOPE_DEVICE), writes(2, FLAG, 4), races_at(FLAG);
    two_groups(), update(0, FLAG, ORDER_RELAXED, SCOPE_DEVICE), reads(2, FLAG, 4), races_at(FLAG);
    two_groups(), load(0, FLAG, ORDER_RELAXED, SCOPE_DEVICE), reads(2, FLAG, 4), clean_at(FLAG);
    two_groups(), writes(0, DATA, 4), writes(2, DATA, 4), races_at(DATA); /* of equal values, too */
    two_groups(), reads(0, FLAG, 4), load(1, FLAG, ORDER_RELAXED, SCOPE_DEVICE),
        store(2, FLAG, ORDER_RELAXED, SCOPE_DEVICE), races_at(FLAG);
}
END_TEST

START_TEST(r34_images_need_fences_of_their_own)
{
    one_group(), writes(0, PIXEL, 4), reads(0, PIXEL, 4), races_at(PIXEL);
    one_group(), writes(0, PIXEL, 4), fence(0, I, ORDER_ACQ_REL, SCOPE_WORK_ITEM), reads(0, PIXEL, 4),
        clean_at(PIXEL);
    one_group(), writes(0, PIXEL, 4), fence(0, G | L, ORDER_ACQ_REL, SCOPE_WORK_GROUP), reads(0, PIXEL, 4),
        races_at(PIXEL);
    one_group(), fence(0, I, ORDER_ACQ_REL, SCOPE_WORK_ITEM), writes(0, PIXEL, 4), reads(0, PIXEL, 4),
        races_at(PIXEL);
    /* of another */
    one_group(), writes(0, PIXEL, 4), fence(1, I, ORDER_ACQ_REL, SCOPE_WORK_ITEM), reads(0, PIXEL, 4),
        races_at(PIXEL);
    one_group(), writes(0, PIXEL, 4), barrier(0, I, SCOPE_WORK_GROUP), reads(0, PIXEL, 4), reads(3, PIXEL, 4),
        clean_at(PIXEL);
    one_group(), writes(0, PIXEL, 4), sub_group_barrier(0, 0, I, SCOPE_SUB_GROUP), reads(0, PIXEL, 4),
        clean_at(PIXEL);
    one_group(), writes(0, PIXEL, 4), writes(0, PIXEL, 4), clean_at(PIXEL);
    one_group(), reads(0, PIXEL, 4), writes(0, PIXEL, 4), clean_at(PIXEL);
    one_group(), writes(0, PIXEL, 4), barrier(0, G, SCOPE_WORK_GROUP), reads(3, PIXEL, 4), races_at(PIXEL);
    two_groups(), writes(0, PIXEL, 4), barrier(0, I, SCOPE_WORK_GROUP), barrier(1, I, SCOPE_WORK_GROUP),
        reads(2, PIXEL, 4), races_at(PIXEL);
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
    two_groups(), reads(0, DATA, 4), reads(1, DATA, 4), reads(3, DATA + 1, 1), writes(2, DATA + 2, 1),
        races_at(DATA);
}
END_TEST

START_TEST(r36_atomics_of_different_sizes)
{
    two_groups(), atomic(0, FLAG, 8, ACCESS_ATOMIC_UPDATE, ORDER_RELAXED, SCOPE_DEVICE),
        update(2, FLAG, ORDER_RELAXED, SCOPE_DEVICE);
    races_at(FLAG);
    two_groups(), atomic(0, FLAG, 8, ACCESS_ATOMIC_UPDATE, ORDER_RELAXED, SCOPE_DEVICE),
        update(2, FLAG + 4, ORDER_RELAXED, SCOPE_DEVICE);
    races_at(FLAG + 4);
    two_groups(), update(0, FLAG, ORDER_RELAXED, SCOPE_DEVICE), reads(2, FLAG + 3, 1), races_at(FLAG);
}
END_TEST

static void two_copies(void)
{
    one_group(), copy_starts(0, 1), copy_accesses(0, 1, true, LDATA, 4), copy_starts(0, 2),
        copy_accesses(0, 2, true, LFLAG, 4);
}

START_TEST(r37_asynchronous_copies)
{
    one_group(), copy_starts(0, 1), copy_accesses(0, 1, true, LDATA, 4), reads(0, LDATA, 4),
        judge_at(LDATA, true);
    one_group(), copy_starts(0, 1), copy_accesses(0, 1, true, LDATA, 4), copy_waits(0, 1), reads(1, LDATA, 4),
        judge_at(LDATA, false);
    one_group(), copy_starts(0, 1), copy_accesses(0, 1, true, LDATA, 4), barrier(0, L, SCOPE_WORK_GROUP),
        reads(1, LDATA, 4);
    judge_at(LDATA, true); /* a barrier does not wait for copies */
    one_group(), copy_starts(0, 1), copy_accesses(0, 1, true, LDATA, 4), copy_starts(0, 2), copy_waits(0, 2),
        reads(1, LDATA, 4);
    judge_at(LDATA, true); /* the wait is for another */
    one_group(), writes(0, DATA, 4), copy_starts(0, 1), copy_accesses(0, 1, false, DATA, 4),
        judge_at(DATA, true);
    one_group(), writes(0, DATA, 4), barrier(0, G, SCOPE_WORK_GROUP), copy_starts(0, 1),
        copy_accesses(0, 1, false, DATA, 4);
    judge_at(DATA, false);
    world_begin(1, 1, 1, SCOPE_RULE_EQUAL), writes(0, DATA, 4), copy_starts(0, 1),
        copy_accesses(0, 1, false, DATA, 4);
    judge_at(DATA, false); /* the only member is ordered */
    two_copies(), copy_waits(0, 1), reads(1, LDATA, 4), clean_at(LDATA);
    two_copies(), copy_waits(0, 1), reads(1, LFLAG, 4), races_at(LFLAG); /* of the other event */
    two_copies(), copy_waits(0, 2), copy_waits(0, 1), reads(1, LFLAG, 4), reads(2, LDATA, 4), clean_at(LFLAG);
    one_group(), copy_starts(0, 1), copy_accesses(0, 1, true, LDATA, 4), copy_starts(0, 1),
        copy_accesses(0, 1, true, LFLAG, 4);
    copy_waits(0, 1), reads(0, LDATA, 4), reads(1, LFLAG, 4), clean_at(LFLAG); /* two of one event */
    one_group(), copy_starts(0, 1), copy_accesses(0, 1, true, LDATA, 4), copy_starts(0, 1),
        copy_accesses(0, 1, true, LDATA, 4);
    judge_at(LDATA, true); /* which are not ordered with each other */
}
END_TEST

/* Every member of the second group has acquired what the first released, or not. */
static void copy_after_flag(uint32_t members)
{
    two_groups(), writes(0, DATA, 4), release(0, FLAG, SCOPE_DEVICE);
    for (uint32_t i = 0; i < members; i++)
        acquire(2 + i, FLAG, SCOPE_DEVICE);
    copy_starts(1, 1), copy_accesses(1, 1, false, DATA, 4);
}

START_TEST(r37_copy_starts_from_the_clocks_of_all_work_items)
{
    copy_after_flag(2), clean_at(DATA);
    copy_after_flag(1), races_at(DATA);
    /* the only sub-group */
    world_begin(1, 4, 4, SCOPE_RULE_EQUAL), writes(1, DATA, 4), sub_group_barrier(0, 0, G, SCOPE_SUB_GROUP);
    copy_starts(0, 1), copy_accesses(0, 1, false, DATA, 4), clean_at(DATA);
    one_group(), writes(1, DATA, 4), sub_group_barrier(0, 0, G, SCOPE_SUB_GROUP);
    copy_starts(0, 1), copy_accesses(0, 1, false, DATA, 4), races_at(DATA);
}
END_TEST

/* Waves reach the copy one after another, and the clock of each at that time counts. */
START_TEST(r37_work_items_reach_a_copy_one_after_another)
{
    two_groups(), writes(0, DATA, 4), release(0, FLAG, SCOPE_DEVICE), acquire(2, FLAG, SCOPE_DEVICE);
    copy_begins(1, 1, false, DATA, 4), copy_arrives(1, 1), acquire(3, FLAG, SCOPE_DEVICE), copy_arrives(1, 2),
        judge_at(DATA, false);
    two_groups(), writes(0, DATA, 4), release(0, FLAG, SCOPE_DEVICE), acquire(3, FLAG, SCOPE_DEVICE);
    copy_begins(1, 1, false, DATA, 4), copy_arrives(1, 2), acquire(2, FLAG, SCOPE_DEVICE), copy_arrives(1, 1),
        judge_at(DATA, false);
    two_groups(), writes(0, DATA, 4), release(0, FLAG, SCOPE_DEVICE), acquire(2, FLAG, SCOPE_DEVICE);
    copy_begins(1, 1, false, DATA, 4), copy_arrives(1, 1), copy_arrives(1, 2), acquire(3, FLAG, SCOPE_DEVICE),
        judge_at(DATA, true);
    one_group(), copy_begins(0, 1, true, LDATA, 4), copy_arrives(0, 1), reads(0, LDATA, 4),
        copy_arrives(0, 14), judge_at(LDATA, true);
    one_group(), copy_begins(0, 1, true, LDATA, 4), copy_arrives(0, 6), copy_arrives(0, 9), copy_waits(0, 1),
        reads(1, LDATA, 4);
    judge_at(LDATA, false);
    one_group(), writes(1, LDATA, 4), copy_begins(0, 1, true, LDATA, 4), copy_arrives(0, 1),
        barrier(0, L, SCOPE_WORK_GROUP);
    judge_at(LDATA, true); /* the barrier is too late */
    world_begin(1, 2, 1, SCOPE_RULE_EQUAL), copy_begins(0, 1, false, DATA, 4), copy_arrives(0, 1),
        writes(0, DATA, 4);
    /* its own, later */
    release(0, FLAG, SCOPE_WORK_GROUP), acquire(1, FLAG, SCOPE_WORK_GROUP), copy_arrives(0, 2),
        judge_at(DATA, true);
}
END_TEST

START_TEST(r38_local_memory_is_the_groups_own)
{
    two_groups(), writes(0, LDATA, 4), reads(2, LDATA, 4), clean_at(LDATA);
    two_groups(), writes(0, LDATA, 4), group_ends(0), takes_local_memory_of(1, 0), reads(2, LDATA, 4),
        clean_at(LDATA);
    two_groups(), writes(0, LDATA, 4), group_ends(0), takes_local_memory_of(1, 0), reads(3, LDATA, 4),
        clean_at(LDATA);
    two_groups(), writes(0, LDATA, 4), reads(1, LDATA, 4), races_at(LDATA);
}
END_TEST

START_TEST(q11_a_failed_exchange_has_the_failure_order)
{
    two_groups(), writes(0, DATA, 4), release(0, FLAG, SCOPE_DEVICE);
    failing_exchange(2, FLAG, ORDER_ACQUIRE, ORDER_RELAXED, SCOPE_DEVICE), reads(2, DATA, 4), races_at(DATA);
    two_groups(), writes(0, DATA, 4), release(0, FLAG, SCOPE_DEVICE);
    failing_exchange(2, FLAG, ORDER_RELAXED, ORDER_ACQUIRE, SCOPE_DEVICE), reads(2, DATA, 4), clean_at(DATA);
    two_groups(), failing_exchange(0, FLAG, ORDER_RELAXED, ORDER_RELAXED, SCOPE_DEVICE), reads(2, FLAG, 4),
        clean_at(FLAG);
}
END_TEST

/* The store continues nothing and the plain value carries no message. */
START_TEST(a_plain_store_ends_the_sequence)
{
    two_groups(), writes(0, DATA, 4), release(0, FLAG, SCOPE_DEVICE), writes(1, FLAG, 4),
        acquire(2, FLAG, SCOPE_DEVICE), reads(2, DATA, 4);
    races_at(DATA);
}
END_TEST

/* Plain stores of the work-item of its last store continue it; those of another work-item end it. */
START_TEST(a_plain_store_ends_the_sequence_of_local_memory_from_before_a_barrier)
{
    one_group(), writes(0, DATA, 4), fence(0, G | L, ORDER_RELEASE, SCOPE_WORK_GROUP),
        store(0, LFLAG, ORDER_RELAXED, SCOPE_WORK_GROUP);
    barrier(0, L, SCOPE_WORK_GROUP), writes(0, LFLAG, 4), writes(1, LFLAG, 4);
    load(2, LFLAG, ORDER_RELAXED, SCOPE_WORK_GROUP), fence(2, G | L, ORDER_ACQUIRE, SCOPE_WORK_GROUP),
        reads(2, DATA, 4), races_at(DATA);
}
END_TEST

/* Every access that races with one access is reported, in any order. */
static void pair_reported(const char *unreported, size_t pairs)
{
    ck_assert_msg(!unreported, "%s", unreported);
    ck_assert_uint_eq(world_races(), pairs);
    world_end();
}

START_TEST(each_pair_that_races_is_reported)
{
    one_group(), writes(0, DATA, 4), reads(1, DATA, 4), reads(2, DATA, 4), pair_reported(judged(), 2);
    one_group(), reads(1, DATA, 4), reads(2, DATA, 4), writes(0, DATA, 4), writes(3, DATA, 4),
        pair_reported(judged(), 5);
    one_group(), writes(0, DATA, 4), writes(1, DATA, 4), reads(2, DATA, 4), pair_reported(judged(), 3);
    one_group(), reads(1, DATA, 4), update(0, DATA, ORDER_RELAXED, SCOPE_DEVICE),
        update(2, DATA, ORDER_RELAXED, SCOPE_DEVICE), pair_reported(judged(), 2);
    one_group(), update(0, DATA, ORDER_RELAXED, SCOPE_DEVICE), reads(1, DATA, 4), writes(2, DATA, 4),
        pair_reported(judged(), 3);
    one_group(), writes(0, DATA, 4), writes(1, DATA, 4), barrier(0, G, SCOPE_WORK_GROUP), writes(2, DATA, 4),
        reads(3, DATA, 4), pair_reported(judged(), 2);
}
END_TEST

/* Of so many stores by one place of the program all but one are passed on to the reader. */
static void all_passed_on_but(uint32_t apart, uint32_t stores)
{
    world_begin(4, 4, 1, SCOPE_RULE_EQUAL);
    const uint32_t place = touches(0, true, DATA, NO_SITE);
    for (uint32_t i = 1; i < stores; i++)
        touches(i, true, DATA, place);
    for (uint32_t i = 0; i < stores; i++)
        if (i != apart)
            update(i, FLAG, ORDER_ACQ_REL, SCOPE_DEVICE);
    acquire(stores, FLAG, SCOPE_DEVICE), reads(stores, DATA, 4);
}

START_TEST(each_pair_that_races_is_reported_after_others_of_its_place)
{
    if (HOSTILE(false, true)) /* there is room for fewer: see the next test */
        return;
    for (uint32_t apart = 0; apart < 6; apart++)
        all_passed_on_but(apart, 6), pair_reported(judged(), 2);
}
END_TEST

/* Of too many to keep all. */
START_TEST(a_pair_that_may_not_be_reported_is_not_hidden)
{
    for (uint32_t apart = 0; apart < 15; apart++) {
        all_passed_on_but(apart, 15);
        ck_assert(!judged() || world_counts_at_least());
        world_end();
    }
    all_passed_on_but(UINT32_MAX, 15), ck_assert(!judged());
    world_end();
}
END_TEST

/* A unit ordered after one iteration's load need not be ordered after the next one's, which races, too. */
START_TEST(later_of_two_iterations_races)
{
    world_begin(1, 5, 1, SCOPE_RULE_EQUAL);
    reads(0, DATA, 4);
    const uint32_t place = touches(1, false, DATA, NO_SITE);
    release(1, FLAG, SCOPE_DEVICE), touches(1, false, DATA, place);
    acquire(2, FLAG, SCOPE_DEVICE), store(2, DATA, ORDER_RELAXED, SCOPE_DEVICE);
    store(3, DATA, ORDER_RELAXED, SCOPE_DEVICE);
    acquire(4, FLAG, SCOPE_DEVICE), store(4, DATA, ORDER_RELAXED, SCOPE_DEVICE);
    pair_reported(judged(), 6);
}
END_TEST

/* Each of the four stores, by one instruction, races with each of the others. */
static void four_stores(uint32_t size)
{
    const uint32_t place = touches_bytes(0, true, DATA, size, NO_SITE);
    for (uint32_t i = 1; i < 4; i++)
        touches_bytes(i, true, DATA, size, place);
    const char *wrong = judged();
    ck_assert_msg(!wrong, "%s", wrong);
    const struct finding *finding = world_finding(world_races() - 1);
    ck_assert(finding->count == 6 || (HOSTILE(false, true) && finding->count < 6 && finding->count_at_least));
    world_end();
}

/* However many cells of the shadow the two have in common. */
START_TEST(a_pair_counts_once)
{
    one_group(), four_stores(4);
    one_group(), four_stores(8);
    one_group(), four_stores(16);
    one_group(), writes(0, OTHER, 1), four_stores(4); /* a cell for each byte */
}
END_TEST

START_TEST(repetitions_are_not_hidden)
{
    one_group(), writes(0, DATA, 4);
    const uint32_t place = looks(1, DATA, NO_SITE);
    for (uint32_t i = 0; i < 9; i++)
        looks(1, DATA, place);
    const char *wrong = judged();
    ck_assert_msg(!wrong, "%s", wrong);
    const struct finding *finding = world_finding(0);
    ck_assert(finding->count == 10 || (finding->count < 10 && finding->count_at_least));
    world_end();
}
END_TEST

/* ---- kernels that enqueue each other (R31 (2), (13), (14), R32) ----------------------------- */

/* Launch 2 writes, or its child 3 does; 4 waits for an event. */
static void event_world(uint32_t writer, bool waits, bool complete)
{
    static struct launch_after after;
    after = (struct launch_after){.launch = 2, .complete = complete};
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
    one_group(), world_shares(), writes(0, DATA, 4), child(1, LAUNCH_AT_ONCE), reads(1, DATA, 4),
        tree_judged(false);
    one_group(), world_shares(), child(1, LAUNCH_AT_ONCE), writes(1, DATA, 4), child(1, LAUNCH_AT_ONCE),
        reads(1, DATA, 4), tree_judged(true);
}
END_TEST

START_TEST(r31_2_events_order_their_waiters)
{
    event_world(2, true, true), tree_judged(false);
    event_world(2, true, false), tree_judged(false);
    event_world(2, false, false), tree_judged(true);
    event_world(3, true, true), tree_judged(false); /* complete: with its children */
    event_world(3, true, false), tree_judged(true);
}
END_TEST

START_TEST(r31_2_clock_is_passed_on)
{
    static const struct launch_after second = {.launch = 2, .complete = true},
                                     third = {.launch = 3, .complete = true};
    one_group(), child(1, LAUNCH_AT_ONCE), writes(0, DATA, 4);
    world_launches(1, LAUNCH_AT_ONCE, 0, &second, 1), writes(1, OTHER, 4);
    world_launches(1, LAUNCH_AT_ONCE, 0, &third, 1), reads(0, DATA, 4), reads(0, OTHER, 4),
        tree_judged(false);
}
END_TEST

START_TEST(r31_13_a_child_may_wait_for_its_parent)
{
    one_group(), writes(0, DATA, 4), child(1, LAUNCH_AFTER_PARENT), reads(1, DATA, 4), tree_judged(false);
    one_group(), writes(0, DATA, 4), child(1, LAUNCH_AT_ONCE), reads(1, DATA, 4), tree_judged(true);
    one_group(), writes(0, DATA, 4), child(1, LAUNCH_AT_ONCE), reads(1, OTHER, 4), tree_judged(false);
    one_group(), reads(0, DATA, 4), child(1, LAUNCH_AT_ONCE), reads(1, DATA, 4), tree_judged(false);
    one_group(), writes(0, DATA, 4), child(1, LAUNCH_AFTER_PARENT), child(2, LAUNCH_AT_ONCE),
        reads(1, DATA, 4), tree_judged(false);
    one_group(), child(1, LAUNCH_AFTER_PARENT), writes(0, DATA, 4), child(1, LAUNCH_AFTER_PARENT),
        reads(1, DATA, 4), tree_judged(true);
}
END_TEST

/* A child of the group's reads what item 0 wrote. */
static void group_world(uint64_t group, bool released, bool acquired)
{
    two_groups(), world_spins_on(group), writes(0, DATA, 4);
    if (released)
        release(0, FLAG, SCOPE_DEVICE);
    if (acquired)
        acquire(3, FLAG, SCOPE_DEVICE);
    world_launches(1, LAUNCH_AFTER_GROUP, group, NULL, 0);
    reads(0, DATA, 4);
}

START_TEST(r31_14_a_child_may_wait_for_a_work_group)
{
    group_world(0, false, false), tree_judged(false);
    group_world(1, false, false), tree_judged(true);
    group_world(1, true, true), tree_judged(false); /* by then the group was ordered */
    group_world(1, true, false), tree_judged(true);
    two_groups(), world_spins_on(0), writes(0, DATA, 4), writes(2, OTHER, 4),
        world_launches(1, LAUNCH_AFTER_GROUP, 0, NULL, 0);
    reads(0, DATA, 4), tree_judged(false);
    two_groups(), world_spins_on(0), writes(0, DATA, 4), writes(2, OTHER, 4),
        world_launches(1, LAUNCH_AFTER_GROUP, 0, NULL, 0);
    reads(0, OTHER, 4), tree_judged(true);
    group_world(0, false, false), child(2, LAUNCH_AT_ONCE), reads(1, DATA, 4), tree_judged(false);
}
END_TEST

/* Launch 2 waits for the second work-group of launch 1, and launch 3 for the first of launch 2. */
static void nested_world(uint32_t first, uint32_t second)
{
    two_groups(), world_spins_on(1), writes(first, DATA, 4),
        world_launches(1, LAUNCH_AFTER_GROUP, 1, NULL, 0);
    world_spins_on(0), writes(second, OTHER, 4), world_launches(2, LAUNCH_AFTER_GROUP, 0, NULL, 0);
}

START_TEST(r31_14_work_groups_that_wait_for_one_another)
{
    for (uint32_t later_kernel = 0; later_kernel < 3; later_kernel++)
        for (uint32_t item = 0; item < 4; item++) {
            nested_world(item, 0);
            if (later_kernel)
                child(3, later_kernel == 1 ? LAUNCH_AT_ONCE : LAUNCH_AFTER_PARENT);
            reads(0, DATA, 4), tree_judged(item < 2);
            nested_world(2, item);
            if (later_kernel)
                child(3, later_kernel == 1 ? LAUNCH_AT_ONCE : LAUNCH_AFTER_PARENT);
            reads(0, OTHER, 4), tree_judged(item >= 2);
        }
}
END_TEST

START_TEST(r31_14_several_work_groups_are_ordered)
{
    static const struct launch_after both[] = {{.launch = 2, .complete = true},
                                               {.launch = 3, .complete = true}};
    for (uint32_t count = 1; count <= 2; count++) {
        two_groups(), world_spins_on(0), world_spins_on(1), reads(0, DATA, 4), reads(2, DATA, 4);
        world_launches(1, LAUNCH_AFTER_GROUP, 0, NULL, 0), world_launches(1, LAUNCH_AFTER_GROUP, 1, NULL, 0);
        world_launches(1, LAUNCH_AT_ONCE, 0, both, count), writes(0, DATA, 4), tree_judged(count == 1);
    }
}
END_TEST

START_TEST(r32_atomics_of_a_launch_tree_are_no_race)
{
    one_group(), update(0, DATA, ORDER_RELAXED, SCOPE_DEVICE), child(1, LAUNCH_AT_ONCE),
        update(0, DATA, ORDER_RELAXED, SCOPE_DEVICE), tree_judged(false);
    one_group(), update(0, DATA, ORDER_RELAXED, SCOPE_DEVICE), child(1, LAUNCH_AT_ONCE), writes(0, DATA, 4),
        tree_judged(true);
    one_group(), writes(0, DATA, 4), release(0, FLAG, SCOPE_DEVICE), child(1, LAUNCH_AT_ONCE),
        acquire(0, FLAG, SCOPE_DEVICE), reads(0, DATA, 4), tree_judged(false);
    one_group(), world_code(SCOPE_WORK_ITEM, SCOPE_DEVICE), writes(0, DATA, 4),
        update(0, FLAG, ORDER_RELAXED, SCOPE_DEVICE), child(1, LAUNCH_AT_ONCE),
        update(0, FLAG, ORDER_RELAXED, SCOPE_DEVICE), reads(0, DATA, 4), tree_judged(true);
    one_group(), world_code(SCOPE_WORK_GROUP, SCOPE_DEVICE), writes(0, DATA, 4),
        release(0, FLAG, SCOPE_WORK_GROUP), child(1, LAUNCH_AT_ONCE), acquire(0, FLAG, SCOPE_DEVICE),
        reads(0, DATA, 4), tree_judged(true);
}
END_TEST

/* Accesses that atomics order, and those that they do not. */
START_TEST(r32_atomics_of_a_launch_tree_order_accesses_around_them)
{
    one_group(), release(0, FLAG, SCOPE_DEVICE), writes(0, DATA, 4), child(1, LAUNCH_AT_ONCE),
        acquire(0, FLAG, SCOPE_DEVICE), reads(0, DATA, 4), tree_judged(true);
    one_group(), writes(0, DATA, 4), release(0, FLAG, SCOPE_DEVICE), child(1, LAUNCH_AT_ONCE),
        reads(0, DATA, 4), acquire(0, FLAG, SCOPE_DEVICE), tree_judged(true);
    one_group(), writes(1, DATA, 4), release(0, FLAG, SCOPE_DEVICE), child(1, LAUNCH_AT_ONCE),
        acquire(0, FLAG, SCOPE_DEVICE), reads(0, DATA, 4), tree_judged(true);
    one_group(), writes(1, DATA, 4), barrier(0, G, SCOPE_WORK_GROUP), release(0, FLAG, SCOPE_DEVICE),
        child(1, LAUNCH_AT_ONCE), acquire(0, FLAG, SCOPE_DEVICE), reads(0, DATA, 4), tree_judged(false);
    one_group(), child(1, LAUNCH_AT_ONCE), writes(0, DATA, 4), update(0, FLAG, ORDER_ACQ_REL, SCOPE_DEVICE),
        child(1, LAUNCH_AT_ONCE), update(0, FLAG, ORDER_ACQ_REL, SCOPE_DEVICE), writes(0, DATA, 4),
        tree_judged(false);
    one_group(), child(1, LAUNCH_AT_ONCE), update(0, FLAG, ORDER_ACQ_REL, SCOPE_DEVICE), writes(0, DATA, 4),
        child(1, LAUNCH_AT_ONCE), update(0, FLAG, ORDER_ACQ_REL, SCOPE_DEVICE), writes(0, DATA, 4),
        tree_judged(true);
}
END_TEST

/* A third one, which gets the second's acquired clock by waiting. */
static void later_kernel_world(enum launch_start start, bool waits, uint32_t released, uint32_t address)
{
    static const struct launch_after second = {.launch = 3, .complete = true};
    one_group(), child(1, LAUNCH_AT_ONCE);
    writes(0, DATA, 4), release(0, FLAG, SCOPE_DEVICE), writes(0, OTHER, 4);
    child(1, LAUNCH_AT_ONCE), acquire(released, FLAG, SCOPE_DEVICE),
        update(released, 32, ORDER_ACQ_REL, SCOPE_DEVICE);
    if (start == LAUNCH_AFTER_GROUP)
        world_spins_on(0);
    world_launches(start == LAUNCH_AT_ONCE ? 1 : 3, start, 0, &second, waits);
    update(1, FLAG, ORDER_RELAXED, SCOPE_DEVICE), reads(1, address, 4);
}

START_TEST(r32_acquired_clock_is_passed_on)
{
    later_kernel_world(LAUNCH_AT_ONCE, true, 0, DATA), tree_judged(false);
    later_kernel_world(LAUNCH_AT_ONCE, true, 0, OTHER), tree_judged(true);
    later_kernel_world(LAUNCH_AT_ONCE, false, 0, DATA), tree_judged(true);
    later_kernel_world(LAUNCH_AFTER_PARENT, false, 0, DATA), tree_judged(false);
    later_kernel_world(LAUNCH_AFTER_PARENT, false, 0, OTHER), tree_judged(true);
    later_kernel_world(LAUNCH_AFTER_GROUP, false, 0, DATA), tree_judged(false);
    later_kernel_world(LAUNCH_AFTER_GROUP, false, 0, OTHER), tree_judged(true);
}
END_TEST

/* A kernel releases the clock of the work-group that it waited for. */
static void handoff_world(uint32_t writer, bool nested)
{
    two_groups(), world_spins_on(0), writes(writer, DATA, 4),
        world_launches(1, LAUNCH_AFTER_GROUP, 0, NULL, 0);
    if (nested)
        world_spins_on(0), world_launches(2, LAUNCH_AFTER_GROUP, 0, NULL, 0);
    release(0, FLAG, SCOPE_DEVICE), child(1, LAUNCH_AT_ONCE);
}

START_TEST(r32_clock_of_a_work_group_is_passed_on)
{
    for (uint32_t nested = 0; nested < 2; nested++) {
        for (uint32_t writer = 0; writer < 4; writer++)
            handoff_world(writer, nested), acquire(0, FLAG, SCOPE_DEVICE), reads(0, DATA, 4),
                tree_judged(writer >= 2);
        handoff_world(0, nested), reads(0, DATA, 4), acquire(0, FLAG, SCOPE_DEVICE), tree_judged(true);
        handoff_world(0, nested), acquire(0, FLAG, SCOPE_DEVICE), child(3 + nested, LAUNCH_AFTER_PARENT),
            reads(0, DATA, 4), tree_judged(false);
        handoff_world(2, nested), acquire(0, FLAG, SCOPE_DEVICE), child(3 + nested, LAUNCH_AFTER_PARENT),
            reads(0, DATA, 4), tree_judged(true);
    }
}
END_TEST

/* Accesses that no atomic is between, of launches that others order. */
static void counts_and_writes(uint32_t item)
{
    update(item, FLAG, ORDER_ACQ_REL, SCOPE_DEVICE), writes(item, DATA, 4);
}
static void reads_and_counts(uint32_t item)
{
    reads(item, DATA, 4), update(item, FLAG, ORDER_ACQ_REL, SCOPE_DEVICE);
}

START_TEST(r32_beside_the_order_of_calls)
{
    one_group(), world_spins_on(0), counts_and_writes(0), world_launches(1, LAUNCH_AFTER_GROUP, 0, NULL, 0),
        reads_and_counts(0), tree_judged(false);
    two_groups(), world_spins_on(0), counts_and_writes(2), world_launches(1, LAUNCH_AFTER_GROUP, 0, NULL, 0),
        reads_and_counts(0), tree_judged(true);
    one_group(), counts_and_writes(0), child(1, LAUNCH_AFTER_PARENT), reads_and_counts(0), tree_judged(false);
    one_group(), counts_and_writes(0), child(1, LAUNCH_AT_ONCE), reads_and_counts(0), tree_judged(true);
    one_group(), world_shares(), counts_and_writes(0), child(1, LAUNCH_AT_ONCE), reads_and_counts(0),
        tree_judged(false);
}
END_TEST

/* By the call, which passes on fine-grained memory alone. */
static void later_kernel_by_call(bool shared)
{
    one_group();
    if (shared)
        world_shares();
    child(1, LAUNCH_AT_ONCE), writes(0, DATA, 4), release(0, FLAG, SCOPE_DEVICE);
    child(1, LAUNCH_AT_ONCE), acquire(0, FLAG, SCOPE_DEVICE);
    child(3, LAUNCH_AT_ONCE), reads_and_counts(0);
}

START_TEST(r32_clock_acquired_before_the_call)
{
    later_kernel_by_call(true), tree_judged(false);
    later_kernel_by_call(false), tree_judged(true);
}
END_TEST

/* Work-items 0 and 1 are a launch, and so are 2 and 3. */
static void apart(void (*place)(void), bool shared)
{
    world_begin(2, 2, 1, SCOPE_RULE_EQUAL);
    if (shared)
        world_shares_atomics();
    place();
}

static void across_judged(bool racy)
{
    judged();
    const char *difference = world_split_disagreement();
    ck_assert_int_eq(world_split_races() > 0, racy);
    ck_assert(racy || !difference);
    world_end();
}

/* Cases in which the oracle, which models one launch, disagrees. */
static void counted_across(bool racy)
{
    judged();
    ck_assert_int_eq(world_split_races() > 0, racy);
    world_end();
}

static void message(enum memory_scope released, uint32_t flag, enum memory_scope acquired)
{
    writes(0, DATA, 4), release(0, FLAG, released), acquire(2, flag, acquired), reads(2, DATA, 4);
}

START_TEST(r32_launches_of_several_devices)
{
    apart(world_split, true), message(SCOPE_DEVICE, FLAG, SCOPE_DEVICE), across_judged(false);
    apart(world_split_devices, true), message(SCOPE_DEVICE, FLAG, SCOPE_DEVICE), counted_across(true);
    apart(world_split_devices, true), message(SCOPE_ALL_SVM, FLAG, SCOPE_ALL_SVM), across_judged(false);
}
END_TEST

/* Atomics on a buffer that is not shared synchronise within one launch. */
START_TEST(r32_launches_and_a_plain_buffer)
{
    apart(world_split_buffer, false), message(SCOPE_DEVICE, FLAG, SCOPE_DEVICE), across_judged(true);
    apart(world_split_buffer, false), updates(0, FLAG, 0, 1, SCOPE_DEVICE),
        updates(1, FLAG, 0, 1, SCOPE_DEVICE), across_judged(true);
    apart(world_split_buffer, false), updates(0, FLAG, 0, 3, SCOPE_DEVICE),
        updates(0, FLAG, 0, 3, SCOPE_DEVICE), across_judged(false);
    apart(world_split_buffer, false), writes(0, DATA, 4), fence(0, G, ORDER_RELEASE, SCOPE_DEVICE),
        store(0, FLAG, ORDER_RELAXED, SCOPE_DEVICE), load(2, FLAG, ORDER_RELAXED, SCOPE_DEVICE),
        fence(2, G, ORDER_ACQUIRE, SCOPE_DEVICE), reads(2, DATA, 4), across_judged(true);
}
END_TEST

/* It may have read what was released for it, and have stored what is acquired. */
START_TEST(r32_the_host_may_pass_on)
{
    apart(world_split, true), message(SCOPE_ALL_SVM, OTHER, SCOPE_ALL_SVM), counted_across(false);
    apart(world_split, true), message(SCOPE_DEVICE, OTHER, SCOPE_ALL_SVM), across_judged(true);
    apart(world_split, true), message(SCOPE_ALL_SVM, OTHER, SCOPE_DEVICE), across_judged(true);
    apart(world_split, false), message(SCOPE_ALL_SVM, OTHER, SCOPE_ALL_SVM), across_judged(true);
}
END_TEST

/* Which units are ordered after its acquire and release? */
START_TEST(r32_launch_outside_the_detector)
{
    apart(world_split, false), writes(0, DATA, 4), world_begins_too_large(), reads(2, DATA, 4),
        counted_across(false);
    apart(world_split, false), writes(0, DATA, 4), reads(2, DATA, 4), world_begins_too_large(),
        across_judged(true);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("race");
    TCase *rules = tcase_create("rules");
    tcase_set_timeout(rules, 600); /* when others use the machine, too */
    tcase_add_test(rules, r1_each_work_item_is_a_unit);
    tcase_add_test(rules, r31_1_a_call_orders_fine_grained_memory);
    tcase_add_test(rules, r31_2_events_order_their_waiters);
    tcase_add_test(rules, r31_2_clock_is_passed_on);
    tcase_add_test(rules, r31_13_a_child_may_wait_for_its_parent);
    tcase_add_test(rules, r31_14_a_child_may_wait_for_a_work_group);
    tcase_add_test(rules, r31_14_work_groups_that_wait_for_one_another);
    tcase_add_test(rules, r31_14_several_work_groups_are_ordered);
    tcase_add_test(rules, r32_atomics_of_a_launch_tree_are_no_race);
    tcase_add_test(rules, r32_atomics_of_a_launch_tree_order_accesses_around_them);
    tcase_add_test(rules, r32_acquired_clock_is_passed_on);
    tcase_add_test(rules, r32_clock_of_a_work_group_is_passed_on);
    tcase_add_test(rules, r32_beside_the_order_of_calls);
    tcase_add_test(rules, r32_clock_acquired_before_the_call);
    tcase_add_test(rules, r32_launches_of_several_devices);
    tcase_add_test(rules, r32_launches_and_a_plain_buffer);
    tcase_add_test(rules, r32_the_host_may_pass_on);
    tcase_add_test(rules, r32_launch_outside_the_detector);
    tcase_add_test(rules, r2_regions_are_disjoint);
    tcase_add_test(rules, r3_program_order_orders);
    tcase_add_test(rules, without_memory_nothing_is_a_race);
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
    tcase_add_test(rules, r19_a_sub_group_barrier_of_a_wider_scope);
    tcase_add_test(rules, named_barriers_order_their_sub_groups);
    tcase_add_test(rules, r20_collectives_give_no_order);
    tcase_add_test(rules, r21_happens_before_is_transitive);
    tcase_add_test(rules, r29_conflicting_unordered_accesses_race);
    tcase_add_test(rules, r34_images_need_fences_of_their_own);
    tcase_add_test(rules, r35_bytes);
    tcase_add_test(rules, r36_atomics_of_different_sizes);
    tcase_add_test(rules, r37_asynchronous_copies);
    tcase_add_test(rules, r37_copy_starts_from_the_clocks_of_all_work_items);
    tcase_add_test(rules, r37_work_items_reach_a_copy_one_after_another);
    tcase_add_test(rules, r38_local_memory_is_the_groups_own);
    tcase_add_test(rules, q11_a_failed_exchange_has_the_failure_order);
    tcase_add_test(rules, a_plain_store_ends_the_sequence);
    tcase_add_test(rules, each_pair_that_races_is_reported);
    tcase_add_test(rules, each_pair_that_races_is_reported_after_others_of_its_place);
    tcase_add_test(rules, a_pair_that_may_not_be_reported_is_not_hidden);
    tcase_add_test(rules, later_of_two_iterations_races);
    tcase_add_test(rules, a_pair_counts_once);
    tcase_add_test(rules, repetitions_are_not_hidden);
    tcase_add_test(rules, a_plain_store_ends_the_sequence_of_local_memory_from_before_a_barrier);
    suite_add_tcase(suite, rules);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
