/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Atomics and fences by themselves: every order, scope and flag against what OpenCL C 3.0, 6.15.12 and the
 * OpenCL 2.2 API, 3.3.4 and 3.3.5, allow.
 */
#include <check.h>

#include "tests/support/race_world.h"

enum { ORDERS = ORDER_SEQ_CST + 1, SCOPES = SCOPE_ALL_SVM + 1 };

static void begin(void)
{
    world_begin_misuse(1, 2, 2);
}

/* Ends the world: it found this kind, or FINDING_KIND_COUNT for nothing. */
static void found(enum finding_kind kind, int a, int b, int c)
{
    size_t count = world_races();
    ck_assert_msg(count == (kind != FINDING_KIND_COUNT), "%d %d %d: %zu findings", a, b, c, count);
    if (count)
        ck_assert_msg(world_finding(0)->kind == kind, "%d %d %d: %s", a, b, c,
                      finding_id(world_finding(0)->kind));
    world_end();
}

START_TEST(a_load_does_not_release_and_a_store_does_not_acquire)
{
    /*                                    relaxed acquire release acq_rel seq_cst */
    static const bool allowed[3][ORDERS] = {
        {true, true, false, false, true}, {true, false, true, false, true}, {true, true, true, true, true}};
    static const enum access_kind kinds[3] = {ACCESS_ATOMIC_READ, ACCESS_ATOMIC_WRITE, ACCESS_ATOMIC_UPDATE};
    for (int kind = 0; kind < 3; kind++) {
        for (int order = 0; order < ORDERS; order++) {
            begin();
            atomic(0, FLAG, 4, kinds[kind], (enum memory_ordering)order, SCOPE_DEVICE);
            found(allowed[kind][order] ? FINDING_KIND_COUNT : FINDING_ATOMIC_ORDER, kind, order, 0);
        }
    }
}
END_TEST

START_TEST(a_failed_exchange_does_not_release)
{
    for (int failure = 0; failure < ORDERS; failure++) {
        bool allowed = failure == ORDER_RELAXED || failure == ORDER_ACQUIRE || failure == ORDER_SEQ_CST;
        begin();
        failing_exchange(0, FLAG, ORDER_SEQ_CST, (enum memory_ordering)failure, SCOPE_DEVICE);
        found(allowed ? FINDING_KIND_COUNT : FINDING_ATOMIC_ORDER, failure, 0, 0);
    }
}
END_TEST

/* The rows are of success. Of acquire and release neither is stronger. */
START_TEST(a_failure_order_is_no_stronger)
{
    /*                                     relaxed acquire release acq_rel seq_cst, of failure */
    static const bool allowed[ORDERS][ORDERS] = {{true, false, false, false, false},
                                                 {true, true, false, false, false},
                                                 {true, true, false, false, false},
                                                 {true, true, false, false, false},
                                                 {true, true, false, false, true}};
    for (int order = 0; order < ORDERS; order++) {
        for (int failure = 0; failure < ORDERS; failure++) {
            begin();
            failing_exchange(0, FLAG, (enum memory_ordering)order, (enum memory_ordering)failure,
                             SCOPE_DEVICE);
            found(allowed[order][failure] ? FINDING_KIND_COUNT : FINDING_ATOMIC_ORDER, order, failure, 0);
        }
    }
}
END_TEST

START_TEST(an_atomic_has_a_scope_with_others_in_it)
{
    for (int scope = 0; scope < SCOPES; scope++) {
        begin();
        atomic(0, FLAG, 4, ACCESS_ATOMIC_UPDATE, ORDER_RELAXED, (enum memory_scope)scope);
        found(scope == SCOPE_WORK_ITEM ? FINDING_ATOMIC_SCOPE : FINDING_KIND_COUNT, scope, 0, 0);
    }
}
END_TEST

/* Undefined without flags, one form alone for images, any order and any scope with others in it for the
 * rest. */
static enum finding_kind fence_by_the_text(uint32_t flags, int order, int scope)
{
    if (!flags)
        return FINDING_FENCE_FLAGS;
    if (flags & REGION_IMAGE)
        return order == ORDER_ACQ_REL && scope == SCOPE_WORK_ITEM ? FINDING_KIND_COUNT : FINDING_FENCE_FLAGS;
    return scope == SCOPE_WORK_ITEM ? FINDING_ATOMIC_SCOPE : FINDING_KIND_COUNT;
}

START_TEST(fence_has_flags_and_their_orders)
{
    static const uint32_t flags[] = {0, G, L, G | L, REGION_IMAGE, G | REGION_IMAGE, G | L | REGION_IMAGE};
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++) {
        for (int order = 0; order < ORDERS; order++) {
            for (int scope = 0; scope < SCOPES; scope++) {
                begin();
                fence(0, flags[i], (enum memory_ordering)order, (enum memory_scope)scope);
                found(fence_by_the_text(flags[i], order, scope), (int)flags[i], order, scope);
            }
        }
    }
}
END_TEST

/* A barrier without flags is for execution alone: that is allowed. */
START_TEST(a_barrier_needs_no_flags)
{
    begin();
    barrier(0, 0, SCOPE_WORK_GROUP);
    sub_group_barrier(0, 0, 0, SCOPE_SUB_GROUP);
    barrier(0, REGION_IMAGE, SCOPE_WORK_GROUP);
    found(FINDING_KIND_COUNT, 0, 0, 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("misuse of atomics and fences");
    TCase *tests = tcase_create("misuse");
    tcase_add_test(tests, a_load_does_not_release_and_a_store_does_not_acquire);
    tcase_add_test(tests, a_failed_exchange_does_not_release);
    tcase_add_test(tests, a_failure_order_is_no_stronger);
    tcase_add_test(tests, an_atomic_has_a_scope_with_others_in_it);
    tcase_add_test(tests, fence_has_flags_and_their_orders);
    tcase_add_test(tests, a_barrier_needs_no_flags);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
