/* SPDX-License-Identifier: Apache-2.0 */
/* Suggested orders of two commands, and pairs without a suggestion. */
#include <stdlib.h>
#include <string.h>

#include "tests/support/commands_fixture.h"

/* Event 1 is the host's, which sets it only after both. */
START_TEST(the_host_is_not_reported_to_wait_for_ever)
{
    enqueue(2, 2, AFTER(1));
    enqueue(3, 1, NONE);
    user_set(1);
    writes(2, 0, 64);
    writes(3, 0, 64);
    const char *fix = the_fix(true);
    ck_assert_ptr_nonnull(strstr(fix, "add the event of command 2 to the wait list of command 3"));
    ck_assert_ptr_null(strstr(fix, "clFinish"));
    ck_assert_ptr_null(strstr(fix, "clWaitForEvents"));
}
END_TEST

START_TEST(finish_is_not_suggested_after_a_command_that_waits)
{
    enqueue(2, 2, AFTER(1));
    enqueue(3, 2, AFTER(2));
    enqueue(4, 1, NONE);
    user_set(1);
    writes(2, 128, 64);
    writes(3, 0, 64);
    writes(4, 0, 64);
    ck_assert_ptr_null(strstr(the_fix(true), "clFinish"));
}
END_TEST

/* The queue is out of order: another of its commands is still to be set free. */
START_TEST(event_is_suggested_if_the_queue_cannot_order)
{
    enqueue(2, 2, NONE);
    enqueue(3, 2, AFTER(1));
    enqueue(4, 1, NONE);
    writes(2, 0, 64);
    writes(4, 0, 64);
    const char *fix = the_fix(true);
    ck_assert_ptr_nonnull(strstr(fix, "or wait for it with clWaitForEvents before command 4 is enqueued"));
    ck_assert_ptr_null(strstr(fix, "clFinish"));
    user_set(1);
}
END_TEST

/* The host queries whether 3 is complete before it sets the event: 3 must not wait for 2. */
START_TEST(query_before_user_event_set_has_to_wait)
{
    enqueue(2, 2, AFTER(1));
    enqueue(3, 1, NONE);
    writes(3, 0, 64);
    order(ORDER_HOST_ASKED, 3, 0, NONE);
    user_set(1);
    writes(2, 0, 64);
    const char *fix = the_fix(true);
    ck_assert_ptr_null(strstr(fix, "wait list"));
    ck_assert_ptr_nonnull(strstr(fix, "wait for the event of command 3 with clWaitForEvents before the user "
                                      "event is set that command 2 waits for"));
}
END_TEST

START_TEST(command_waited_for_has_to_be_flushed)
{
    enqueue(1, 3, NONE);
    enqueue(2, 2, AFTER(1));
    enqueue(3, 1, NONE);
    writes(1, 128, 4);
    writes(2, 0, 64);
    writes(3, 0, 64);
    ck_assert_ptr_nonnull(strstr(the_fix(true), "with clFlush before on all queues that it waits for"));
}
END_TEST

/* A callback sets it once a command of another queue is over, which then has to be flushed: the host may
 * wait. */
START_TEST(wait_for_a_callback_has_to_flush_its_command)
{
    enqueue(2, 3, NONE);
    enqueue(3, 2, AFTER(1));
    enqueue(4, 1, NONE);
    writes(4, 0, 64);
    writes(2, 128, 4);
    observer.order(observer.self, &(struct order_event){.kind = ORDER_ENQUEUED,
                                                        .command = 1,
                                                        .call = "clSetUserEventStatus",
                                                        .program = true});
    writes(3, 0, 64);
    const char *fix = the_fix(true);
    ck_assert_ptr_nonnull(strstr(fix, "with clFlush before on all queues that it waits for"));
    ck_assert_ptr_null(strstr(fix, "for ever"));
}
END_TEST

static void program_does(uint32_t command, uint32_t on)
{
    const struct order_event event = {.kind = ORDER_ENQUEUED,
                                      .command = command,
                                      .queue = on,
                                      .call = "clEnqueueFillBuffer",
                                      .program = true};
    observer.order(observer.self, &event);
}

/* 5.11: what waits is undefined in a callback. */
START_TEST(a_callback_is_not_reported_to_wait)
{
    enqueue(1, 1, NONE);
    program_does(2, 2);
    writes(1, 0, 64);
    writes(2, 0, 64);
    ck_assert_str_eq(
        the_fix(true),
        "add the event of command 1 to the wait list of command 2, with clFlush on queue 1 before");
}
END_TEST

/* As query_before_user_event_set_has_to_wait(), but the callback that sets it may not. */
START_TEST(wait_is_not_suggested_in_a_callback_that_sets_the_event)
{
    enqueue(2, 2, AFTER(1));
    enqueue(3, 1, NONE);
    writes(3, 0, 64);
    order(ORDER_HOST_ASKED, 3, 0, NONE);
    program_does(1, 0);
    writes(2, 0, 64);
    ck_assert_ptr_null(strstr(the_fix(false), "clWaitForEvents"));
}
END_TEST

/* ---- maps and their unmaps --------------------------------------------------------------------- */

static void unmaps(uint32_t command, uint32_t map)
{
    struct command_event event = {.command = command,
                                  .kind = ACCESS_READ,
                                  .address = data,
                                  .size_bytes = 64,
                                  .role = COMMAND_UNMAPS,
                                  .map = map};
    order(ORDER_BEGIN, command, 1, NONE);
    observer.command(observer.self, &event);
    order(ORDER_END, command, 1, NONE);
}

static void enqueue_unmap(uint32_t command, uint32_t on, uint32_t map)
{
    const struct order_event event = {.kind = ORDER_ENQUEUED,
                                      .command = command,
                                      .queue = on,
                                      .call = "clEnqueueUnmapMemObject",
                                      .map = map};
    observer.order(observer.self, &event);
}

/* The unmap is after the map: a command before that is before both. */
START_TEST(a_map_is_named_not_its_unmap)
{
    enqueue(1, 1, NONE);
    enqueue(2, 2, NONE);
    enqueue(3, 2, AFTER(2));
    run_as(2, ACCESS_READ, 0, 64, COMMAND_MAPS);
    unmaps(3, 2);
    writes(1, 0, 64);
    ck_assert_ptr_nonnull(strstr(the_fix(true), "add the event of command 1 to the wait list of command 2"));
    ck_assert_ptr_nonnull(strstr(report_get(report, 0)->access[1].by, "(command 2, queue 2)"));
}
END_TEST

START_TEST(a_map_is_named_when_it_runs_later)
{
    enqueue(1, 1, NONE);
    enqueue(2, 2, NONE);
    enqueue(3, 2, AFTER(2));
    writes(1, 0, 64);
    run_as(2, ACCESS_READ, 0, 64, COMMAND_MAPS);
    unmaps(3, 2);
    ck_assert_ptr_nonnull(strstr(the_fix(true), "add the event of command 1 to the wait list of command 2"));
}
END_TEST

START_TEST(unmap_is_named_to_later_commands)
{
    enqueue(1, 2, NONE);
    enqueue(2, 2, AFTER(1));
    enqueue(3, 1, NONE);
    run_as(1, ACCESS_READ, 0, 64, COMMAND_MAPS);
    unmaps(2, 1);
    writes(3, 0, 64);
    ck_assert_ptr_nonnull(strstr(the_fix(true), "add the event of command 2 to the wait list of command 3"));
}
END_TEST

/* The map is in order; that does not help the unmap. */
START_TEST(an_unmap_alone_is_named)
{
    enqueue(1, 1, NONE);
    enqueue(2, 2, AFTER(1));
    enqueue(3, 3, NONE);
    writes(1, 0, 64);
    run_as(2, ACCESS_READ, 0, 64, COMMAND_MAPS);
    unmaps(3, 2);
    ck_assert_ptr_nonnull(strstr(the_fix(true), "add the event of command 1 to the wait list of command 3"));
}
END_TEST

/* An edge that orders the one does not order the other. */
START_TEST(a_map_and_its_unmap_that_nothing_orders_are_two)
{
    enqueue(1, 1, NONE);
    enqueue(2, 2, NONE);
    enqueue(3, 3, NONE);
    if (_i)
        writes(1, 0, 64);
    run_as(2, ACCESS_READ, 0, 64, COMMAND_MAPS);
    unmaps(3, 2);
    if (!_i)
        writes(1, 0, 64);
    ck_assert_uint_eq(races(), 2);
    ck_assert(report_get(report, 0)->fix_orders);
}
END_TEST

/* The third waits for what was enqueued after the map, so it cannot go before that; the map can go after
 * it. */
START_TEST(a_map_may_be_enqueued_later)
{
    enqueue(1, 1, NONE);
    enqueue(2, 2, NONE);
    enqueue(3, 2, AFTER(2));
    run_as(1, ACCESS_READ, 0, 64, COMMAND_MAPS);
    writes(2, 128, 4);
    writes(3, 0, 64);
    ck_assert_ptr_nonnull(strstr(the_fix(true), "enqueue command 1, which maps, after command 3, with the "
                                                "event of that in its wait list, with clFlush"));
}
END_TEST

/* The map cannot move: another one waits for it. But it waits for a user event. */
START_TEST(later_user_event_set_is_suggested_for_a_map)
{
    enqueue(2, 1, AFTER(1));
    enqueue(3, 1, AFTER(2));
    enqueue(4, 2, NONE);
    enqueue(5, 2, AFTER(4));
    writes(4, 128, 4);
    writes(5, 0, 64);
    user_set(1);
    run_as(2, ACCESS_READ, 0, 64, COMMAND_MAPS);
    writes(3, 192, 4);
    ck_assert_ptr_nonnull(
        strstr(the_fix(true), "wait for the event of command 5 with clWaitForEvents before the user event is "
                              "set that command 2, which maps, waits for"));
}
END_TEST

/* The command cannot go after the unmap, as another one waits for it; nor before the map, for which the
 * host has waited. */
START_TEST(an_unmap_may_be_enqueued_earlier)
{
    enqueue(1, 1, NONE);
    run_as(1, ACCESS_READ, 0, 64, COMMAND_MAPS);
    waited(AFTER(1));
    enqueue(2, 2, NONE);
    enqueue(3, 2, AFTER(2));
    enqueue_unmap(4, 1, 1);
    writes(2, 0, 64);
    writes(3, 128, 4);
    unmaps(4, 1);
    ck_assert_ptr_nonnull(
        strstr(the_fix(true),
               "enqueue command 4, which unmaps, before command 2, when the host has done with the memory"));
}
END_TEST

/* More than is kept to go through again: nothing is claimed. */
START_TEST(fix_that_was_not_tried_is_advice)
{
    enqueue(1, 1, NONE);
    enqueue(2, 2, NONE);
    writes(1, 0, 64);
    for (uint32_t i = 3; i < 9003; i++) {
        enqueue(i, 3, i > 3 ? AFTER(i - 1) : NONE);
        writes(i, 128, 4);
    }
    writes(2, 0, 64);
    ck_assert_ptr_nonnull(strstr(the_fix(false), "command 1"));
    ck_assert_ptr_null(strstr(the_fix(false), "user event"));
}
END_TEST

static void one_race(uint32_t command)
{
    enqueue(command, 1, NONE);
    enqueue(command + 1, 2, NONE);
    writes(command, 0, 64);
    writes(command + 1, 0, 64);
    waited(AFTER(command, command + 1));
}

/* They are one finding; and after the report is cleared, later findings get fixes. */
START_TEST(repeated_report_is_not_tried_again)
{
    for (uint32_t i = 0; i < 100; i++)
        one_race(1 + 2 * i);
    ck_assert_uint_eq(report_count(report), 1);
    enqueue(201, 1, NONE);
    enqueue(202, 2, NONE);
    writes(201, 128, 64);
    reads(202, 128, 64);
    ck_assert_uint_eq(report_count(report), 2);
    ck_assert(report_get(report, 1)->fix_orders);
}
END_TEST

START_TEST(fixes_are_tried_anew_in_a_report_that_was_cleared)
{
    for (uint32_t i = 0; i < 100; i++) {
        one_race(1 + 2 * i);
        ck_assert(report_get(report, 0)->fix_orders);
        report_clear(report);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("command fixes");
    TCase *fixes = tcase_create("fixes");
    tcase_add_checked_fixture(fixes, set_up, tear_down);
    tcase_add_test(fixes, the_host_is_not_reported_to_wait_for_ever);
    tcase_add_test(fixes, finish_is_not_suggested_after_a_command_that_waits);
    tcase_add_test(fixes, event_is_suggested_if_the_queue_cannot_order);
    tcase_add_test(fixes, query_before_user_event_set_has_to_wait);
    tcase_add_test(fixes, command_waited_for_has_to_be_flushed);
    tcase_add_test(fixes, wait_for_a_callback_has_to_flush_its_command);
    tcase_add_test(fixes, a_callback_is_not_reported_to_wait);
    tcase_add_test(fixes, wait_is_not_suggested_in_a_callback_that_sets_the_event);
    tcase_add_test(fixes, a_map_is_named_not_its_unmap);
    tcase_add_test(fixes, a_map_is_named_when_it_runs_later);
    tcase_add_test(fixes, unmap_is_named_to_later_commands);
    tcase_add_test(fixes, an_unmap_alone_is_named);
    tcase_add_loop_test(fixes, a_map_and_its_unmap_that_nothing_orders_are_two, 0, 2);
    tcase_add_test(fixes, a_map_may_be_enqueued_later);
    tcase_add_test(fixes, later_user_event_set_is_suggested_for_a_map);
    tcase_add_test(fixes, an_unmap_may_be_enqueued_earlier);
    tcase_add_test(fixes, fix_that_was_not_tried_is_advice);
    tcase_add_test(fixes, repeated_report_is_not_tried_again);
    tcase_add_test(fixes, fixes_are_tried_anew_in_a_report_that_was_cleared);
    suite_add_tcase(suite, fixes);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
