/* SPDX-License-Identifier: Apache-2.0 */
/* What the sync log keeps of a launch, and the steps and edges that an explanation shows of it. */
#include "tests/support/explain_fixture.h"

/* ---- what the sync log records -------------------------------------------------------------------- */

START_TEST(waiter_is_recorded_once_for_each_store)
{
    for (int i = 0; i < 100; i++)
        load(OTHER, 9, ORDER_ACQUIRE, SCOPE_DEVICE);
    ck_assert_uint_eq(sync_log.count, 1);
    store(FIRST, 7, ORDER_RELEASE, SCOPE_DEVICE);
    for (int i = 0; i < 100; i++)
        load(OTHER, 9, ORDER_ACQUIRE, SCOPE_DEVICE);
    ck_assert_uint_eq(sync_log.count, 3);
}
END_TEST

/* The value read again need not be a release. */
START_TEST(waiter_for_a_relaxed_store_has_read_it)
{
    load(OTHER, 9, ORDER_ACQUIRE, SCOPE_DEVICE);
    first_access(FIRST);
    store(FIRST, 7, ORDER_RELAXED, SCOPE_DEVICE);
    for (int i = 0; i < 100; i++)
        load(OTHER, 9, ORDER_ACQUIRE, SCOPE_DEVICE);
    ck_assert_uint_eq(sync_log.count, 3);
    ck_assert(explained(FIRST, OTHER));
    explains("the store at k.cl:7 is relaxed", "memory_order_release at k.cl:7");
}
END_TEST

START_TEST(write_elsewhere_is_not_waited_for)
{
    struct atomic_operation beside = flag_operation(7, false, true, ORDER_RELEASE, SCOPE_DEVICE);
    beside.address = FLAG + 4;
    load(OTHER, 9, ORDER_ACQUIRE, SCOPE_DEVICE);
    act(FIRST, beside);
    load(OTHER, 9, ORDER_ACQUIRE, SCOPE_DEVICE);
    ck_assert_uint_eq(sync_log.count, 2);
}
END_TEST

START_TEST(a_launch_begins_without_memories)
{
    store(FIRST, 7, ORDER_RELEASE, SCOPE_DEVICE);
    order_launch_begin(&order, &launch);
    ck_assert_uint_eq(sync_log.count, 0);
}
END_TEST

/* ---- steps and edges ---------------------------------------------------------------------------- */

static void edge_is(uint32_t index, uint32_t from, uint32_t to, bool synchronises)
{
    ck_assert_uint_lt(index, answer.edge_count);
    ck_assert_uint_eq(answer.edges[index].from, from);
    ck_assert_uint_eq(answer.edges[index].to, to);
    ck_assert_int_eq(answer.edges[index].synchronises, synchronises);
}

START_TEST(steps_are_those_between_the_accesses)
{
    store(FIRST, 3, ORDER_RELEASE, SCOPE_DEVICE);
    first_access(FIRST);
    store(FIRST, 7, ORDER_RELEASE, SCOPE_WORK_GROUP);
    order_barrier(&order, 1, REGION_LOCAL, SCOPE_WORK_GROUP, 8);
    load(THIRD, 6, ORDER_ACQUIRE, SCOPE_DEVICE);
    load(OTHER, 9, ORDER_ACQUIRE, SCOPE_WORK_GROUP);
    ck_assert(explained(FIRST, OTHER));
    ck_assert_uint_eq(answer.step_count, 3);
    static const struct {
        uint32_t side, line;
        const char *text;
    } expected[] = {
        {0, 7, "atomic, memory_order_release, memory_scope_work_group"},
        {1, 8, "barrier, CLK_LOCAL_MEM_FENCE"},
        {1, 9, "atomic, memory_order_acquire, memory_scope_work_group"},
    };
    for (uint32_t i = 0; i < 3; i++) {
        ck_assert_uint_eq(answer.steps[i].side, expected[i].side);
        ck_assert_uint_eq(answer.steps[i].before, expected[i].side);
        ck_assert_uint_eq(answer.steps[i].place.line, expected[i].line);
        ck_assert_str_eq(answer.steps[i].text, expected[i].text);
    }
    ck_assert_uint_eq(answer.edge_count, 1);
    edge_is(0, 0, 2, false);
}
END_TEST

/*
 * R8, R11: an update in the middle keeps the release sequence and passes it on; its own acquire is missing.
 */
START_TEST(edges_go_by_way_of_others)
{
    first_access(FIRST);
    store(FIRST, 7, ORDER_RELEASE, SCOPE_DEVICE);
    act(OTHER, flag_operation(8, true, true, ORDER_ACQ_REL, SCOPE_DEVICE));
    load(THIRD, 9, ORDER_RELAXED, SCOPE_DEVICE);
    ck_assert(explained(FIRST, THIRD));
    explains("the load at k.cl:9 is relaxed", "memory_order_acquire at k.cl:9");
    ck_assert_uint_eq(answer.step_count, 3);
    ck_assert_uint_eq(answer.steps[2].side, 2);
    ck_assert_uint_eq(answer.step_unit[2], OTHER);
    ck_assert_uint_eq(answer.edge_count, 2);
    edge_is(0, 0, 2, true);
    edge_is(1, 2, 1, false);
}
END_TEST

/* R12, R13: fences are the ends, wherever the atomics are; R17: a barrier hands on to the neighbour. */
START_TEST(edges_have_fences_and_barriers_as_ends)
{
    first_access(FIRST);
    order_barrier(&order, 0, REGION_GLOBAL, SCOPE_WORK_GROUP, 6);
    fence(NEIGHBOUR, 7, REGION_GLOBAL, ORDER_RELEASE);
    store(NEIGHBOUR, 8, ORDER_RELAXED, SCOPE_DEVICE);
    load(OTHER, 9, ORDER_ACQUIRE, SCOPE_WORK_GROUP);
    ck_assert(explained(FIRST, OTHER));
    explains("the acquire at k.cl:9 has memory_scope_work_group", "memory_scope_device at k.cl:9");
    ck_assert_uint_eq(answer.step_count, 4);
    static const uint32_t lines[] = {6, 9, 6, 7};
    for (uint32_t i = 0; i < 4; i++)
        ck_assert_uint_eq(answer.steps[i].place.line, lines[i]);
    ck_assert_uint_eq(answer.edge_count, 2);
    edge_is(0, 0, 2, true);
    edge_is(1, 3, 1, false);
}
END_TEST

/* The synchronisation was too early for the access. */
START_TEST(edge_before_the_access_is_shown)
{
    store(FIRST, 7, ORDER_RELEASE, SCOPE_DEVICE);
    first_access(FIRST);
    load(OTHER, 9, ORDER_ACQUIRE, SCOPE_DEVICE);
    ck_assert(!explained(FIRST, OTHER));
    ck_assert_uint_eq(answer.step_count, 2);
    ck_assert(answer.steps[0].before);
    ck_assert_uint_eq(answer.edge_count, 1);
    edge_is(0, 0, 1, true);
}
END_TEST

/* R8: another unit's store ends the sequence. */
START_TEST(edges_end_with_a_foreign_store)
{
    store(FIRST, 7, ORDER_RELEASE, SCOPE_DEVICE);
    store(THIRD, 8, ORDER_RELAXED, SCOPE_DEVICE);
    first_access(FIRST);
    load(OTHER, 9, ORDER_ACQUIRE, SCOPE_DEVICE);
    ck_assert(!explained(FIRST, OTHER));
    ck_assert_uint_eq(answer.edge_count, 0);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        waiter_is_recorded_once_for_each_store, waiter_for_a_relaxed_store_has_read_it,
        write_elsewhere_is_not_waited_for,      a_launch_begins_without_memories,
        steps_are_those_between_the_accesses,   edges_go_by_way_of_others,
        edges_have_fences_and_barriers_as_ends, edge_before_the_access_is_shown,
        edges_end_with_a_foreign_store,
    };
    return run_explain_tests("explain_steps", tests, sizeof tests / sizeof tests[0]);
}
