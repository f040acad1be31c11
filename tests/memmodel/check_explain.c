/* SPDX-License-Identifier: Apache-2.0 */
/* Why two accesses are unordered: which edit of the sync log orders them, and which does not. */
#include "tests/support/explain_fixture.h"

/* A compare-exchange that found another value: a relaxed load of the flag. */
static void exchange_fails(uint64_t unit, uint32_t line, enum memory_ordering success)
{
    struct atomic_operation exchange = flag_operation(line, true, false, ORDER_RELAXED, SCOPE_DEVICE);
    exchange.success = (uint8_t)(1 + success);
    act(unit, exchange);
}

/* An operation on a flag in local memory, with the scope of the work-group. */
static void local_act(uint64_t unit, uint32_t line, bool reads, enum memory_ordering how)
{
    struct atomic_operation operation = flag_operation(line, reads, !reads, how, SCOPE_WORK_GROUP);
    operation.region = IN_LOCAL;
    act(unit, operation);
}

/* ---- single edits ------------------------------------------------------------------------ */

/* Of fine-grained SVM with atomics: all_svm_devices is not to be narrowed, the host may be the third. */
START_TEST(scopes_of_shared_objects_meet_at_the_wider)
{
    struct atomic_operation release = flag_operation(7, false, true, ORDER_RELEASE, SCOPE_ALL_SVM),
                            acquire = flag_operation(9, true, false, ORDER_ACQUIRE, SCOPE_DEVICE);
    release.svm_atomics = acquire.svm_atomics = true;
    first_access(FIRST);
    act(FIRST, release);
    act(OTHER, acquire);
    ck_assert(explained(FIRST, OTHER));
    explains("the acquire at k.cl:9 has memory_scope_device, and the release at k.cl:7 has "
             "memory_scope_all_svm_devices: before OpenCL 3.1 both ends of an edge need the same scope",
             "memory_scope_all_svm_devices at k.cl:9");
}
END_TEST

START_TEST(a_relaxed_store_is_to_release)
{
    first_access(FIRST);
    store(FIRST, 7, ORDER_RELAXED, SCOPE_DEVICE);
    load(OTHER, 9, ORDER_ACQUIRE, SCOPE_DEVICE);
    ck_assert(explained(FIRST, OTHER));
    explains("the store at k.cl:7 is relaxed", "memory_order_release at k.cl:7");
}
END_TEST

START_TEST(two_pairs_want_an_edit_for_both)
{
    struct race_instance instances[2];
    first_access(FIRST);
    store(FIRST, 7, ORDER_RELAXED, SCOPE_DEVICE);
    load(OTHER, 9, ORDER_ACQUIRE, SCOPE_DEVICE);
    load(THIRD, 10, ORDER_RELAXED, SCOPE_DEVICE);
    instances[0] = instance_of(FIRST, OTHER);
    instances[1] = instance_of(FIRST, THIRD);
    const struct question both = question_of(instances, 2), one = question_of(instances, 1);
    ck_assert(explain_race(&one, &answer));
    ck_assert_str_eq(answer.proposal.fix.bytes, "memory_order_release at k.cl:7");
    ck_assert(explain_covers(&one, &answer.proposal.suggested));
    ck_assert(!explain_covers(&both, &answer.proposal.suggested));
    ck_assert(explain_race(&both, &answer));
    ck_assert_str_eq(answer.proposal.fix.bytes,
                     "memory_order_release at k.cl:7, and memory_order_acquire at k.cl:10");
    ck_assert(explain_covers(&both, &answer.proposal.suggested));
}
END_TEST

/* The scope and the order of one store are two edits, of which each is made. */
START_TEST(two_edits_of_one_place_serve_later_pairs)
{
    first_access(FIRST);
    store(FIRST, 7, ORDER_RELAXED, SCOPE_WORK_GROUP);
    load(OTHER, 9, ORDER_ACQUIRE, SCOPE_DEVICE);
    struct race_instance instances[2] = {instance_of(FIRST, OTHER)};
    struct question question = question_of(instances, 1);
    ck_assert(explain_race(&question, &answer));
    ck_assert_str_eq(answer.proposal.fix.bytes,
                     "memory_scope_device at k.cl:7, and memory_order_release at k.cl:7");
    load(THIRD, 9, ORDER_ACQUIRE, SCOPE_DEVICE);
    instances[1] = instance_of(FIRST, THIRD);
    question = question_of(instances, 2);
    ck_assert(explain_covers(&question, &answer.proposal.suggested));
    struct suggested_fix one_edit = answer.proposal.suggested;
    one_edit.edit_count = 1;
    ck_assert(!explain_covers(&question, &one_edit));
    instances[1] = instance_of(THIRD, OTHER);
    ck_assert(!explain_covers(&question, &answer.proposal.suggested));
}
END_TEST

/* No edit orders the second pair: that of the first is the result. */
START_TEST(unordered_pair_changes_no_result)
{
    struct race_instance instances[2];
    first_access(FIRST);
    store(FIRST, 7, ORDER_RELAXED, SCOPE_DEVICE);
    load(OTHER, 9, ORDER_ACQUIRE, SCOPE_DEVICE);
    instances[0] = instance_of(FIRST, OTHER);
    instances[1] = instance_of(FIRST, THIRD);
    const struct question both = question_of(instances, 2);
    ck_assert(explain_race(&both, &answer));
    ck_assert_str_eq(answer.proposal.fix.bytes, "memory_order_release at k.cl:7");
    ck_assert(!explain_covers(&both, &answer.proposal.suggested));
    sync_log.full = true;
    ck_assert(explain_covers(&both, &answer.proposal.suggested)); /* unknown */
}
END_TEST

START_TEST(a_relaxed_load_is_to_acquire)
{
    first_access(FIRST);
    store(FIRST, 7, ORDER_RELEASE, SCOPE_DEVICE);
    load(OTHER, 9, ORDER_RELAXED, SCOPE_DEVICE);
    ck_assert(explained(FIRST, OTHER));
    explains("the load at k.cl:9 is relaxed", "memory_order_acquire at k.cl:9");
}
END_TEST

START_TEST(a_barrier_wants_the_other_flag)
{
    first_access(FIRST);
    order_barrier(&order, 0, REGION_LOCAL, SCOPE_WORK_GROUP, 7);
    ck_assert(explained(FIRST, NEIGHBOUR));
    explains("the barrier at k.cl:7 has CLK_LOCAL_MEM_FENCE only; these are global accesses",
             "CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE at k.cl:7");
}
END_TEST

START_TEST(a_foreign_store_is_to_be_an_update)
{
    first_access(FIRST);
    store(FIRST, 7, ORDER_RELEASE, SCOPE_DEVICE);
    store(THIRD, 8, ORDER_RELAXED, SCOPE_DEVICE);
    load(OTHER, 9, ORDER_ACQUIRE, SCOPE_DEVICE);
    ck_assert(explained(FIRST, OTHER));
    explains("the store at k.cl:8 broke the release sequence", "an atomic read-modify-write at k.cl:8");
}
END_TEST

START_TEST(a_release_fence_goes_before_its_store)
{
    first_access(FIRST);
    store(FIRST, 7, ORDER_RELAXED, SCOPE_DEVICE);
    fence(FIRST, 8, REGION_GLOBAL, ORDER_RELEASE);
    load(OTHER, 9, ORDER_RELAXED, SCOPE_DEVICE);
    fence(OTHER, 10, REGION_GLOBAL, ORDER_ACQUIRE);
    ck_assert(explained(FIRST, OTHER));
    explains("the release fence at k.cl:8 comes after", "the fence of k.cl:8 before that atomic");
}
END_TEST

START_TEST(an_acquire_fence_goes_after_its_load)
{
    first_access(FIRST);
    fence(FIRST, 7, REGION_GLOBAL, ORDER_RELEASE);
    store(FIRST, 8, ORDER_RELAXED, SCOPE_DEVICE);
    fence(OTHER, 9, REGION_GLOBAL, ORDER_ACQUIRE);
    load(OTHER, 10, ORDER_RELAXED, SCOPE_DEVICE);
    ck_assert(explained(FIRST, OTHER));
    explains("the acquire fence at k.cl:9 comes before", "the fence of k.cl:9 after that atomic");
}
END_TEST

/* ---- two edits ----------------------------------------------------------------------------- */

START_TEST(both_scopes_are_to_be_wider)
{
    first_access(FIRST);
    store(FIRST, 7, ORDER_RELEASE, SCOPE_WORK_GROUP);
    load(OTHER, 9, ORDER_ACQUIRE, SCOPE_WORK_GROUP);
    ck_assert(explained(FIRST, OTHER));
    explains("it reaches work-group (0,0,0) only, and the acquire at k.cl:9 that meets it is in work-group "
             "(1,0,0)",
             "memory_scope_device at k.cl:7 and k.cl:9");
}
END_TEST

START_TEST(one_scope_suffices_if_wider_ones_synchronise)
{
    order.rule = SCOPE_RULE_INCLUSIVE31;
    first_access(FIRST);
    store(FIRST, 7, ORDER_RELEASE, SCOPE_WORK_GROUP);
    load(OTHER, 9, ORDER_ACQUIRE, SCOPE_ALL_SVM);
    ck_assert(explained(FIRST, OTHER));
    explains("the release at k.cl:7 has memory_scope_work_group", "memory_scope_device at k.cl:7");
}
END_TEST

/* The fence's could as well be narrower, with which no two atomics race. */
START_TEST(a_scope_that_makes_its_object_race_is_left_alone)
{
    first_access(FIRST);
    fence(FIRST, 7, REGION_GLOBAL, ORDER_RELEASE);
    store(FIRST, 8, ORDER_RELAXED, SCOPE_WORK_GROUP);
    load(NEIGHBOUR, 9, ORDER_ACQUIRE, SCOPE_WORK_GROUP);
    ck_assert(explained(FIRST, NEIGHBOUR));
    explains("the release fence at k.cl:7 has memory_scope_device", "memory_scope_work_group at k.cl:7");
}
END_TEST

START_TEST(other_users_of_the_object_get_the_scope)
{
    first_access(FIRST);
    store(FIRST, 7, ORDER_RELEASE, SCOPE_WORK_GROUP);
    load(NEIGHBOUR, 8, ORDER_RELAXED, SCOPE_WORK_GROUP);
    load(OTHER, 9, ORDER_ACQUIRE, SCOPE_DEVICE);
    ck_assert(explained(FIRST, OTHER));
    explains("the release at k.cl:7 has memory_scope_work_group", "memory_scope_device at k.cl:7 and k.cl:8");
}
END_TEST

START_TEST(atomics_that_a_barrier_orders_do_not_race_with_another_scope)
{
    store(NEIGHBOUR, 6, ORDER_RELAXED, SCOPE_WORK_GROUP);
    order_barrier(&order, 0, REGION_GLOBAL, SCOPE_WORK_GROUP, 4);
    first_access(FIRST);
    store(FIRST, 7, ORDER_RELEASE, SCOPE_WORK_GROUP);
    load(OTHER, 9, ORDER_ACQUIRE, SCOPE_DEVICE);
    ck_assert(explained(FIRST, OTHER));
    explains("the release at k.cl:7 has memory_scope_work_group", "memory_scope_device at k.cl:7");
}
END_TEST

/* And with it success where that would be weaker. */
START_TEST(failed_exchange_acquires_by_the_failure_order)
{
    first_access(FIRST);
    store(FIRST, 7, ORDER_RELEASE, SCOPE_DEVICE);
    exchange_fails(OTHER, 9, ORDER_RELAXED);
    struct race_instance instances[2] = {instance_of(FIRST, OTHER)};
    struct question question = question_of(instances, 1);
    ck_assert(explain_race(&question, &answer));
    explains("the compare-exchange at k.cl:9 failed, and has memory_order_relaxed for failure",
             "memory_order_acquire for success and failure at k.cl:9");
    exchange_fails(THIRD, 9, ORDER_RELAXED);
    instances[1] = instance_of(FIRST, THIRD);
    question = question_of(instances, 2);
    ck_assert(explain_covers(&question, &answer.proposal.suggested));
}
END_TEST

/* The exchange that succeeds has the order of success. */
START_TEST(one_place_may_succeed_and_fail)
{
    first_access(FIRST);
    act(FIRST, flag_operation(9, true, true, ORDER_RELEASE, SCOPE_DEVICE));
    exchange_fails(OTHER, 9, ORDER_RELEASE);
    ck_assert(explained(FIRST, OTHER));
    explains("failed", "memory_order_acq_rel for success and memory_order_acquire for failure at k.cl:9");
    ck_assert_uint_eq(answer.proposal.suggested.edit_count, 1);
}
END_TEST

START_TEST(both_orders_are_to_be_stronger)
{
    first_access(FIRST);
    store(FIRST, 7, ORDER_RELAXED, SCOPE_DEVICE);
    load(OTHER, 9, ORDER_RELAXED, SCOPE_DEVICE);
    ck_assert(explained(FIRST, OTHER));
    explains("is relaxed", "memory_order_release at k.cl:7, and memory_order_acquire at k.cl:9");
}
END_TEST

START_TEST(a_local_flag_wants_fences_with_both_flags)
{
    first_access(FIRST);
    local_act(FIRST, 7, false, ORDER_SEQ_CST);
    local_act(NEIGHBOUR, 9, true, ORDER_SEQ_CST);
    ck_assert(explained(FIRST, NEIGHBOUR));
    explains(
        "Only the intent of 3.3.6, Atomic Operations, orders the data here (of two seq_cst operations: \"If "
        "X local-synchronizes-with",
        "atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE, memory_order_release, "
        "memory_scope_work_group) before k.cl:7, and atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE | "
        "CLK_LOCAL_MEM_FENCE, memory_order_acquire, memory_scope_work_group) after k.cl:9");
}
END_TEST

START_TEST(seq_cst_with_acquire_reports_no_intent)
{
    first_access(FIRST);
    local_act(FIRST, 7, false, ORDER_SEQ_CST);
    local_act(NEIGHBOUR, 9, true, ORDER_ACQUIRE);
    ck_assert(explained(FIRST, NEIGHBOUR));
    ck_assert_ptr_nonnull(strstr(answer.proposal.why.bytes, "seq_cst alone does not"));
    ck_assert_ptr_null(strstr(answer.proposal.why.bytes, "intent"));
}
END_TEST

/* ---- what no edit fixes ----------------------------------------------------------------------- */

START_TEST(an_access_after_the_store_is_not_carried_by_it)
{
    store(FIRST, 7, ORDER_RELAXED, SCOPE_DEVICE);
    first_access(FIRST);
    load(OTHER, 9, ORDER_RELAXED, SCOPE_DEVICE);
    ck_assert(!explained(FIRST, OTHER));
    ck_assert_uint_eq(answer.proposal.fix.used, 0);
}
END_TEST

START_TEST(units_that_never_meet_have_no_edit)
{
    first_access(FIRST);
    order_barrier(&order, 0, REGION_GLOBAL, SCOPE_WORK_GROUP, 7);
    order_barrier(&order, 1, REGION_GLOBAL, SCOPE_WORK_GROUP, 7);
    ck_assert(!explained(FIRST, OTHER));
    ck_assert_uint_eq(answer.step_count, 2);
}
END_TEST

START_TEST(ordered_pair_needs_no_edit)
{
    first_access(FIRST);
    store(FIRST, 7, ORDER_RELEASE, SCOPE_DEVICE);
    load(OTHER, 9, ORDER_ACQUIRE, SCOPE_DEVICE);
    ck_assert(!explained(FIRST, OTHER));
}
END_TEST

START_TEST(full_sync_log_suggests_nothing)
{
    first_access(FIRST);
    store(FIRST, 7, ORDER_RELAXED, SCOPE_DEVICE);
    for (uint32_t i = 0; i <= SYNC_LOG_MOST; i++)
        store(THIRD, 8, ORDER_RELAXED, SCOPE_DEVICE);
    load(OTHER, 9, ORDER_ACQUIRE, SCOPE_DEVICE);
    ck_assert(sync_log.full);
    ck_assert(!explained(FIRST, OTHER));
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        scopes_of_shared_objects_meet_at_the_wider,
        a_relaxed_store_is_to_release,
        two_pairs_want_an_edit_for_both,
        two_edits_of_one_place_serve_later_pairs,
        unordered_pair_changes_no_result,
        a_relaxed_load_is_to_acquire,
        a_barrier_wants_the_other_flag,
        a_foreign_store_is_to_be_an_update,
        a_release_fence_goes_before_its_store,
        an_acquire_fence_goes_after_its_load,
        both_scopes_are_to_be_wider,
        one_scope_suffices_if_wider_ones_synchronise,
        a_scope_that_makes_its_object_race_is_left_alone,
        other_users_of_the_object_get_the_scope,
        atomics_that_a_barrier_orders_do_not_race_with_another_scope,
        failed_exchange_acquires_by_the_failure_order,
        one_place_may_succeed_and_fail,
        both_orders_are_to_be_stronger,
        a_local_flag_wants_fences_with_both_flags,
        seq_cst_with_acquire_reports_no_intent,
        an_access_after_the_store_is_not_carried_by_it,
        units_that_never_meet_have_no_edit,
        ordered_pair_needs_no_edit,
        full_sync_log_suggests_nothing,
    };
    return run_explain_tests("explain", tests, sizeof tests / sizeof tests[0]);
}
