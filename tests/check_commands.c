/* SPDX-License-Identifier: Apache-2.0 */
/* What orders commands, and what is told of those that nothing orders. Rules: OpenCL 2.2 API, 3.3.6 (1) to (12). */
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "dice.h"
#include "memory_arena.h"
#include "memmodel/byte_map.h"
#include "memmodel/command_graph.h"
#include "memmodel/commands.h"

static struct scenario scenario;
static struct report *report;
static struct memory_arena arena;
static struct commands *commands;
static struct observer observer;
static uint64_t data;

static void set_up(void)
{
    struct region *region;
    scenario_default(&scenario);
    scenario.checks[CHECK_RACES] = SEVERITY_ERROR;
    report = report_new(&scenario);
    report_set_stream(report, NULL, false);
    ck_assert_int_eq(arena_init(&arena, UINT64_C(1) << 28, UINT64_C(1) << 27, false, NULL), STATUS_OK);
    struct allocation wanted = {.kind = REGION_BUFFER, .size = 1 << 20, .name = "buffer 1"};
    ck_assert_int_eq(arena_allocate(&arena, &wanted, &region), STATUS_OK);
    data = region->low;
    commands = commands_new(&arena.memory, report);
    observer = commands_observer(commands);
}

static void tear_down(void)
{
    commands_free(commands);
    arena_fini(&arena);
    report_free(report);
    scenario_fini(&scenario);
}

/* ---- a history, event by event -------------------------------------------------------- */

#define AFTER(...) (const uint32_t[]){__VA_ARGS__, 0}
#define NONE (const uint32_t[]){0}

static size_t count_of(const uint32_t *after)
{
    size_t count = 0;
    while (after[count])
        count++;
    return count;
}

static void order(enum order_kind kind, uint32_t command, uint32_t on, const uint32_t *after)
{
    struct order_event event = {.kind = kind,
                                .command = command,
                                .queue = on,
                                .device = on ? 1 : 0,
                                .call = "clEnqueueFillBuffer",
                                .after = after,
                                .after_count = count_of(after)};
    observer.order(observer.self, &event);
}

static void enqueue(uint32_t command, uint32_t on, const uint32_t *after)
{
    order(ORDER_ENQUEUED, command, on, after);
}

static void waited(const uint32_t *after)
{
    order(ORDER_HOST_WAITED, 0, 0, after);
}

static void user_set(uint32_t event)
{
    order(ORDER_ENQUEUED, event, 0, NONE);
}

static void touch(uint32_t command, enum access_kind kind, uint64_t at, uint64_t size, enum command_role role)
{
    struct command_event event = {.command = command, .kind = kind, .address = at, .size_bytes = size, .role = role};
    observer.command(observer.self, &event);
}

static void run_as(uint32_t command, enum access_kind kind, uint64_t offset, uint64_t size, enum command_role role)
{
    order(ORDER_BEGIN, command, 1, NONE);
    touch(command, kind, data + offset, size, role);
    order(ORDER_END, command, 1, NONE);
}

static void writes(uint32_t command, uint64_t offset, uint64_t size)
{
    run_as(command, ACCESS_WRITE, offset, size, COMMAND_MOVES);
}

static void reads(uint32_t command, uint64_t offset, uint64_t size)
{
    run_as(command, ACCESS_READ, offset, size, COMMAND_MOVES);
}

static size_t races(void)
{
    return report_total(report, SEVERITY_ERROR);
}

/* ---- the rules ------------------------------------------------------------------------------ */

START_TEST(nothing_orders_two_queues)
{
    enqueue(1, 1, NONE);
    enqueue(2, 2, NONE);
    writes(1, 0, 64);
    writes(2, 32, 64);
    ck_assert_uint_eq(races(), 1);
    const struct finding *finding = report_get(report, 0);
    ck_assert_int_eq(finding->kind, FINDING_RACE_COMMANDS);
    ck_assert_str_eq(finding->object, "buffer 1 (1048576 bytes)");
    ck_assert_uint_eq(finding->offset_bytes, 32);
    ck_assert_uint_eq(finding->access[0].size_bytes, 32);
    ck_assert_str_eq(finding->access[0].by, "clEnqueueFillBuffer (command 1, queue 1)");
    ck_assert_str_eq(finding->access[1].by, "clEnqueueFillBuffer (command 2, queue 2)");
    ck_assert_str_eq(finding->fix, "add the event of command 1 to the wait list of command 2, with clFlush on queue 1 before, or call "
                                   "clFinish on queue 1 before command 2 is enqueued");
    ck_assert(finding->fix_verified);
}
END_TEST

START_TEST(the_order_of_execution_does_not_matter)
{
    enqueue(1, 1, NONE);
    enqueue(2, 2, NONE);
    writes(2, 0, 8);
    reads(1, 0, 8);
    ck_assert_uint_eq(races(), 1);
    ck_assert_str_eq(report_get(report, 0)->access[0].by, "clEnqueueFillBuffer (command 1, queue 1)");
    ck_assert_int_eq(report_get(report, 0)->access[0].kind, ACCESS_READ);
}
END_TEST

START_TEST(only_common_bytes_with_a_write_conflict)
{
    enqueue(1, 1, NONE);
    enqueue(2, 2, NONE);
    enqueue(3, 3, NONE);
    writes(1, 0, 64);
    writes(2, 64, 64);
    reads(3, 128, 8);
    ck_assert_uint_eq(races(), 0);
    enqueue(4, 4, NONE);
    reads(4, 128, 8);
    ck_assert_uint_eq(races(), 0);
}
END_TEST

START_TEST(R31_1_enqueue_hands_on_what_the_host_knows)
{
    enqueue(1, 1, NONE);
    writes(1, 0, 64);
    waited(AFTER(1));
    enqueue(2, 2, NONE);
    writes(2, 0, 64);
    ck_assert_uint_eq(races(), 0);
}
END_TEST

/* Command 1 cannot be forgotten: command 2, which was enqueued first, does not know it and has not ended. */
START_TEST(R31_1_while_an_older_command_is_pending)
{
    enqueue(1, 1, NONE);
    enqueue(2, 2, NONE);
    writes(1, 0, 64);
    waited(AFTER(1));
    enqueue(3, 3, NONE);
    writes(3, 0, 64);
    ck_assert_uint_eq(races(), 0);
}
END_TEST

START_TEST(R31_1_enqueue_hands_on_nothing_later)
{
    enqueue(1, 1, NONE);
    enqueue(2, 2, NONE); /* before the host waits */
    writes(1, 0, 64);
    waited(AFTER(1));
    writes(2, 0, 64);
    ck_assert_uint_eq(races(), 1);
}
END_TEST

/* The oldest command knows more by then than one that was enqueued before the host waited. */
START_TEST(R31_1_while_an_older_command_runs)
{
    enqueue(1, 1, NONE);
    enqueue(2, 1, AFTER(1));
    enqueue(3, 2, NONE);
    writes(1, 0, 8);
    order(ORDER_BEGIN, 2, 1, NONE);
    waited(AFTER(1));
    writes(3, 0, 8);
    order(ORDER_END, 2, 1, NONE);
    ck_assert_uint_eq(races(), 1);
}
END_TEST

START_TEST(R31_2_3_a_command_knows_what_it_waits_for)
{
    enqueue(1, 1, NONE);
    enqueue(2, 2, AFTER(1));
    enqueue(3, 3, AFTER(2)); /* and what that knew */
    writes(1, 0, 64);
    writes(2, 64, 64);
    writes(3, 0, 128);
    ck_assert_uint_eq(races(), 0);
}
END_TEST

START_TEST(R31_4_the_host_knows_what_the_command_knew)
{
    enqueue(1, 1, NONE);
    enqueue(2, 2, AFTER(1));
    writes(1, 0, 64);
    writes(2, 64, 64);
    waited(AFTER(2));
    ck_assert(commands_host_knows(commands, 1));
    enqueue(3, 3, NONE);
    writes(3, 0, 128);
    ck_assert_uint_eq(races(), 0);
}
END_TEST

/* 5.11: "is not a synchronization point". */
START_TEST(what_a_query_tells_orders_nothing)
{
    enqueue(1, 1, NONE);
    writes(1, 0, 64);
    order(ORDER_HOST_ASKED, 1, 0, NONE);
    enqueue(2, 2, NONE);
    reads(2, 0, 64);
    ck_assert_uint_eq(races(), 1);
    ck_assert_ptr_nonnull(strstr(report_get(report, 0)->why, "a status that clGetEventInfo gave is no synchronization point"));
    ck_assert(!commands_host_knows(commands, 1));
}
END_TEST

START_TEST(R31_6_7_8_many_at_once)
{
    uint32_t all[101] = {0};
    for (uint32_t i = 1; i <= 100; i++) {
        enqueue(i, 1, NONE);
        all[i - 1] = i;
    }
    enqueue(101, 1, all); /* a marker */
    enqueue(102, 1, AFTER(101));
    enqueue(103, 1, AFTER(7));
    for (uint32_t i = 100; i >= 1; i--)
        writes(i, i * 8, 8);
    writes(101, 4096, 8);
    writes(102, 0, 2048);
    ck_assert_uint_eq(races(), 0);
    writes(103, 56, 8); /* command 7's: known. 102's: not */
    ck_assert_uint_eq(races(), 1);
    ck_assert_str_eq(report_get(report, 0)->access[0].by, "clEnqueueFillBuffer (command 102, queue 1)");
}
END_TEST

START_TEST(R31_12_a_user_event_hands_on_what_the_host_knew)
{
    enqueue(1, 1, NONE);
    enqueue(3, 2, AFTER(2)); /* 2: a user event that is not set yet */
    enqueue(4, 3, NONE);
    writes(1, 0, 64);
    waited(AFTER(1));
    user_set(2);
    writes(3, 0, 64);
    ck_assert_uint_eq(races(), 0);
    writes(4, 0, 64);
    ck_assert_uint_eq(races(), 1); /* which did not wait for it */
}
END_TEST

/* As a semaphore's signal does: the one that waits knows the command and what it knew, not what the host learned later. */
START_TEST(R31_12_a_user_event_that_a_command_sets)
{
    enqueue(1, 1, NONE);
    enqueue(2, 1, AFTER(1));
    enqueue(4, 2, AFTER(3)); /* 3: a user event that is not set yet */
    enqueue(5, 3, NONE);
    writes(1, 0, 8);
    writes(5, 8, 8);
    order(ORDER_BEGIN, 2, 1, NONE);
    waited(AFTER(5));
    order(ORDER_ENQUEUED, 3, 0, AFTER(2));
    order(ORDER_END, 2, 1, NONE);
    writes(4, 0, 8);
    ck_assert_uint_eq(races(), 0);
    enqueue(6, 2, AFTER(4));
    writes(6, 0, 8);
    ck_assert_uint_eq(races(), 0);
    enqueue(8, 4, AFTER(7)); /* nobody sets it before it begins */
    enqueue(9, 1, NONE);
    writes(9, 16, 8);
    writes(8, 16, 8);
    ck_assert_uint_eq(races(), 1);
}
END_TEST

static void host_stores(uint64_t offset)
{
    commands_host_stored(commands, data + offset, 8, false);
}

static void host_caught(uint64_t offset)
{
    const struct host_access access = {.address = data + offset, .write = true, .what = "store by the host"};
    commands_host_touched(commands, &access);
}

/* What it has stored those know that wait for the event, and whoever waits for them. */
static void stores_and_user_events(void (*store)(uint64_t offset))
{
    enqueue(1, 1, NONE);
    enqueue(3, 2, AFTER(2));
    enqueue(4, 3, AFTER(3));
    enqueue(6, 4, AFTER(5, 4));
    store(0);
    user_set(2);
    store(8);
    order(ORDER_BEGIN, 3, 2, NONE);
    touch(3, ACCESS_READ, data, 8, COMMAND_MOVES);
    touch(3, ACCESS_READ, data + 16, 8, COMMAND_MOVES);
    order(ORDER_END, 3, 2, NONE);
    reads(4, 0, 8);
    ck_assert_uint_eq(races(), 0);
    user_set(5);
    reads(6, 0, 16);
    ck_assert_uint_eq(races(), 0);
    enqueue(7, 5, NONE);
    reads(7, 0, 16);
    ck_assert_uint_eq(races(), 0);
    reads(1, 0, 16);
    ck_assert_uint_ge(races(), 1);
    ck_assert_str_eq(report_get(report, 0)->access[1].by, "clEnqueueFillBuffer (command 1, queue 1)");
}

START_TEST(R31_12_a_user_event_hands_on_what_the_host_stored) { stores_and_user_events(host_stores); }
END_TEST
START_TEST(R31_12_a_user_event_hands_on_where_the_host_was_caught) { stores_and_user_events(host_caught); }
END_TEST

START_TEST(R31_12_a_command_saw_only_the_host_s_stores_before_its_event)
{
    enqueue(2, 1, AFTER(1));
    enqueue(4, 2, AFTER(3));
    user_set(1);
    host_stores(0);
    user_set(3);
    reads(4, 0, 8);
    ck_assert_uint_eq(races(), 0);
    reads(2, 0, 8);
    ck_assert_uint_eq(races(), 1);
}
END_TEST

/* Of many steps, each with another command that comes behind it. */
START_TEST(what_the_host_stored_at_many_steps)
{
    enum { STEPS = 20 };
    enqueue(1, 1, NONE);
    for (uint32_t i = 0; i < STEPS; i++) {
        host_stores(8 * i);
        enqueue(2 + i, 2, NONE);
    }
    for (uint32_t i = 0; i < STEPS; i++)
        reads(2 + i, 0, 8 * (i + 1));
    ck_assert_uint_eq(races(), 0);
    reads(1, 8 * (STEPS - 1), 8);
    ck_assert_uint_eq(races(), 1);
}
END_TEST

START_TEST(R31_12_an_older_user_event)
{
    enqueue(2, 1, NONE); /* 1: a user event, forgotten by now */
    writes(2, 0, 64);
    waited(AFTER(2));
    enqueue(3, 1, NONE);
    enqueue(4, 2, AFTER(1));
    writes(3, 0, 64);
    waited(AFTER(3));
    user_set(1);
    writes(4, 0, 64);
    ck_assert_uint_eq(races(), 0);
}
END_TEST

START_TEST(a_failed_command_hands_on_too)
{
    enqueue(1, 1, NONE);
    enqueue(2, 1, AFTER(1));
    enqueue(3, 1, AFTER(2));
    writes(1, 0, 64);
    order(ORDER_END, 2, 1, NONE); /* never began */
    writes(3, 0, 64);
    ck_assert_uint_eq(races(), 0);
}
END_TEST

START_TEST(a_read_between_does_not_hide_the_writer)
{
    enqueue(1, 1, NONE);
    enqueue(2, 1, AFTER(1));
    enqueue(3, 2, NONE);
    writes(1, 0, 64);
    reads(2, 0, 64);
    reads(3, 0, 64);
    ck_assert_uint_eq(races(), 1);
    ck_assert_str_eq(report_get(report, 0)->access[0].by, "clEnqueueFillBuffer (command 1, queue 1)");
}
END_TEST

START_TEST(host_memory_counts)
{
    char bytes[64];
    uint64_t at = (uint64_t)(uintptr_t)bytes;
    enqueue(1, 1, NONE);
    enqueue(2, 2, NONE);
    order(ORDER_BEGIN, 1, 1, NONE);
    touch(1, ACCESS_WRITE, at, 64, COMMAND_MOVES);
    order(ORDER_END, 1, 1, NONE);
    order(ORDER_BEGIN, 2, 1, NONE);
    touch(2, ACCESS_READ, at + 8, 8, COMMAND_MOVES);
    order(ORDER_END, 2, 1, NONE);
    ck_assert_uint_eq(races(), 1);
    ck_assert_str_eq(report_get(report, 0)->object, "host memory");
    ck_assert(!report_get(report, 0)->has_offset);
}
END_TEST

START_TEST(memory_of_another_life_is_other_memory)
{
    enqueue(1, 1, NONE);
    enqueue(2, 2, NONE);
    writes(1, 0, 64);
    memory_region(&arena.memory, data)->id += 100; /* as if it had been handed out again */
    writes(2, 0, 64);
    ck_assert_uint_eq(races(), 0);
}
END_TEST

/* ---- maps (R33) ------------------------------------------------------------------------- */

static void maps(uint32_t command, bool for_writing)
{
    order(ORDER_BEGIN, command, 1, NONE);
    touch(command, ACCESS_READ, data, 64, COMMAND_MAPS);
    if (for_writing)
        touch(command, ACCESS_WRITE, data, 64, COMMAND_OPENS);
    order(ORDER_END, command, 1, NONE);
}

START_TEST(R33_a_map_for_writing_excludes_readers)
{
    enqueue(1, 1, NONE);
    enqueue(2, 2, NONE);
    maps(1, true);
    reads(2, 0, 8);
    ck_assert_uint_eq(races(), 1);
    ck_assert_str_eq(report_get(report, 0)->access[0].what, "mapping for writing by clEnqueueFillBuffer");
}
END_TEST

START_TEST(R33_a_map_for_reading_admits_readers)
{
    enqueue(1, 1, NONE);
    enqueue(2, 2, NONE);
    enqueue(3, 3, NONE);
    maps(1, false);
    reads(2, 0, 8);
    ck_assert_uint_eq(races(), 0);
    writes(3, 0, 8);
    ck_assert_uint_eq(races(), 2);
}
END_TEST

START_TEST(R33_maps_do_not_exclude_each_other)
{
    enqueue(1, 1, NONE);
    enqueue(2, 2, NONE);
    maps(1, true);
    maps(2, false);
    ck_assert_uint_eq(races(), 0);
}
END_TEST

START_TEST(R33_an_unmap_overwrites)
{
    enqueue(1, 1, NONE);
    maps(1, true);
    waited(AFTER(1));
    enqueue(2, 2, NONE);
    enqueue(3, 1, AFTER(1));
    run_as(3, ACCESS_WRITE, 0, 64, COMMAND_UNMAPS);
    writes(2, 60, 8);
    ck_assert_uint_eq(races(), 1);
    ck_assert_uint_eq(report_get(report, 0)->offset_bytes, 60);
    ck_assert_uint_eq(report_get(report, 0)->access[0].size_bytes, 4);
}
END_TEST

/* The unmap that would drop it never comes. */
START_TEST(what_is_kept_of_a_map_goes_with_the_memory)
{
    struct command_name name;
    struct finding_access access = {.what = "mapping"};
    enqueue(1, 1, NONE);
    maps(1, false);
    waited(AFTER(1));
    ck_assert(commands_name(commands, 1, &name, &access));
    commands_released(commands, data + 64, data + 128);
    ck_assert(commands_name(commands, 1, &name, &access));
    commands_released(commands, data, data + 64);
    ck_assert(!commands_name(commands, 1, &name, &access));
}
END_TEST

/* ---- what would order them ------------------------------------------------------------------- */

static const char *the_fix(bool verified)
{
    ck_assert_uint_eq(races(), 1);
    ck_assert_int_eq(report_get(report, 0)->fix_verified, verified);
    return report_get(report, 0)->fix;
}

/* Event 1 is the host's, which sets it only behind both. */
START_TEST(the_host_is_not_told_to_wait_for_ever)
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

START_TEST(nor_behind_a_command_that_waits)
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
START_TEST(one_event_where_the_queue_would_not_do)
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

/* The host asks whether 3 is complete before it sets the event: 3 must not wait for 2. */
START_TEST(who_asks_before_it_sets_has_to_wait_instead)
{
    enqueue(2, 2, AFTER(1));
    enqueue(3, 1, NONE);
    writes(3, 0, 64);
    order(ORDER_HOST_ASKED, 3, 0, NONE);
    user_set(1);
    writes(2, 0, 64);
    const char *fix = the_fix(true);
    ck_assert_ptr_null(strstr(fix, "wait list"));
    ck_assert_ptr_nonnull(strstr(fix, "wait for the event of command 3 with clWaitForEvents before the user event is set that command 2 waits for"));
}
END_TEST

START_TEST(what_is_waited_for_has_to_be_flushed)
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

/* A callback sets it once a command of another queue is over, which then has to be flushed: the host may wait. */
START_TEST(who_waits_for_a_callback_has_to_flush_what_it_is_of)
{
    enqueue(2, 3, NONE);
    enqueue(3, 2, AFTER(1));
    enqueue(4, 1, NONE);
    writes(4, 0, 64);
    writes(2, 128, 4);
    observer.order(observer.self, &(struct order_event){.kind = ORDER_ENQUEUED, .command = 1, .call = "clSetUserEventStatus", .program = true});
    writes(3, 0, 64);
    const char *fix = the_fix(true);
    ck_assert_ptr_nonnull(strstr(fix, "with clFlush before on all queues that it waits for"));
    ck_assert_ptr_null(strstr(fix, "for ever"));
}
END_TEST

static void program_does(uint32_t command, uint32_t on)
{
    const struct order_event event = {.kind = ORDER_ENQUEUED, .command = command, .queue = on, .call = "clEnqueueFillBuffer", .program = true};
    observer.order(observer.self, &event);
}

/* 5.11: what waits is undefined in a callback. */
START_TEST(a_callback_is_not_told_to_wait)
{
    enqueue(1, 1, NONE);
    program_does(2, 2);
    writes(1, 0, 64);
    writes(2, 0, 64);
    ck_assert_str_eq(the_fix(true), "add the event of command 1 to the wait list of command 2, with clFlush on queue 1 before");
}
END_TEST

/* As who_asks_before_it_sets_has_to_wait_instead(), but the callback that sets it may not. */
START_TEST(nor_before_it_sets_an_event)
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

static void unmaps(uint32_t command, uint32_t map)
{
    struct command_event event = {.command = command, .kind = ACCESS_READ, .address = data, .size_bytes = 64, .role = COMMAND_UNMAPS, .map = map};
    order(ORDER_BEGIN, command, 1, NONE);
    observer.command(observer.self, &event);
    order(ORDER_END, command, 1, NONE);
}

static void enqueue_unmap(uint32_t command, uint32_t on, uint32_t map)
{
    const struct order_event event = {.kind = ORDER_ENQUEUED, .command = command, .queue = on, .call = "clEnqueueUnmapMemObject", .map = map};
    observer.order(observer.self, &event);
}

/* The unmap is behind the map: who comes before that comes before both. */
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

START_TEST(an_unmap_is_named_to_who_comes_later)
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

/* What orders the one does not order the other. */
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
    ck_assert(report_get(report, 0)->fix_verified);
}
END_TEST

/* The third waits for what was enqueued behind the map, so it cannot go before that; the map can go behind it. */
START_TEST(a_map_may_be_enqueued_later)
{
    enqueue(1, 1, NONE);
    enqueue(2, 2, NONE);
    enqueue(3, 2, AFTER(2));
    run_as(1, ACCESS_READ, 0, 64, COMMAND_MAPS);
    writes(2, 128, 4);
    writes(3, 0, 64);
    ck_assert_ptr_nonnull(strstr(the_fix(true), "enqueue command 1, which maps, behind command 3, with the event of that in its wait list, with clFlush"));
}
END_TEST

/* Nor can the map, for which another one waits; but it waits for a user event. */
START_TEST(a_map_may_be_let_go_later)
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
    ck_assert_ptr_nonnull(strstr(the_fix(true), "wait for the event of command 5 with clWaitForEvents before the user event is set that command 2, which maps, waits for"));
}
END_TEST

/* The command cannot go behind the unmap, as another one waits for it; nor before the map, for which the host has waited. */
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
    ck_assert_ptr_nonnull(strstr(the_fix(true), "enqueue command 4, which unmaps, before command 2, when the host has done with the memory"));
}
END_TEST

/* More than is kept to go through again: nothing is claimed. */
START_TEST(what_was_not_tried_is_not_verified)
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

/* They are one finding; and who clears the report wants fixes for what comes then. */
START_TEST(what_is_told_again_is_not_tried_again)
{
    for (uint32_t i = 0; i < 100; i++)
        one_race(1 + 2 * i);
    ck_assert_uint_eq(report_count(report), 1);
    enqueue(201, 1, NONE);
    enqueue(202, 2, NONE);
    writes(201, 128, 64);
    reads(202, 128, 64);
    ck_assert_uint_eq(report_count(report), 2);
    ck_assert(report_get(report, 1)->fix_verified);
}
END_TEST

START_TEST(fixes_are_tried_anew_in_a_report_that_was_cleared)
{
    for (uint32_t i = 0; i < 100; i++) {
        one_race(1 + 2 * i);
        ck_assert(report_get(report, 0)->fix_verified);
        report_clear(report);
    }
}
END_TEST

/* ---- launches ------------------------------------------------------------------------------- */

static enum memory_scope releases, acquires; /* of the kernels launched next */
static bool (*argument)(const struct launch_info *launch, uint64_t low, uint64_t high, char *out_name, size_t size);

struct bytes { enum footprint_use use; uint64_t low, high; };

static void launch_both(uint32_t command, struct bytes one, struct bytes other)
{
    struct launch_info info = {.command = command, .kernel = "toy", .releases = releases, .acquires = acquires, .argument = argument};
    const struct region *region = memory_region(&arena.memory, data);
    struct footprint_part part = {.region_id = region->id, .low = region->low, .high = region->high};
    struct footprint footprint = {.launch = &info, .parts = &part, .count = 1};
    struct footprint_sink sink = commands_footprints(commands);
    for (int i = 0; i < FOOTPRINT_USES; i++)
        byte_set_init(&part.bytes[i], region->high - region->low);
    byte_set_add(&part.bytes[one.use], one.low, one.high);
    byte_set_add(&part.bytes[other.use], other.low, other.high);
    footprint_sites_add(&part.sites[one.use], 1);
    footprint_sites_add(&part.sites[other.use], 1);
    order(ORDER_BEGIN, command, 1, NONE);
    sink.launch_ended(sink.self, &footprint);
    order(ORDER_END, command, 1, NONE);
    for (int i = 0; i < FOOTPRINT_USES; i++)
        byte_set_fini(&part.bytes[i]);
}

static void launch(uint32_t command, enum footprint_use use, uint64_t low, uint64_t high)
{
    launch_both(command, (struct bytes){use, low, high}, (struct bytes){use, low, high});
}

START_TEST(R32_atomics_of_two_launches_on_a_buffer)
{
    enqueue(1, 1, NONE);
    enqueue(2, 2, NONE);
    launch(1, FOOTPRINT_ATOMIC, 0, 4);
    launch(2, FOOTPRINT_ATOMIC, 0, 4);
    ck_assert_uint_eq(races(), 1);
    const struct finding *finding = report_get(report, 0);
    ck_assert_str_eq(finding->kernel, "toy");
    ck_assert_ptr_nonnull(strstr(finding->why, "implementation-defined"));
    ck_assert_str_eq(finding->access[1].by, "kernel toy, clEnqueueFillBuffer (command 2, queue 2)");
}
END_TEST

START_TEST(R32_atomic_loads_alone_are_no_race)
{
    enqueue(1, 1, NONE);
    enqueue(2, 2, NONE);
    launch(1, FOOTPRINT_ATOMIC_READ, 0, 4);
    launch(2, FOOTPRINT_ATOMIC_READ, 0, 4);
    ck_assert_uint_eq(races(), 0);
}
END_TEST

START_TEST(R32_atomics_on_shared_virtual_memory_are_guaranteed)
{
    memory_region(&arena.memory, data)->flags |= REGION_FLAG_SVM;
    enqueue(1, 1, NONE);
    enqueue(2, 2, NONE);
    launch(1, FOOTPRINT_ATOMIC, 0, 4);
    launch(2, FOOTPRINT_ATOMIC, 0, 4);
    ck_assert_uint_eq(races(), 0);
    enqueue(3, 3, NONE);
    launch(3, FOOTPRINT_READ, 0, 4); /* a plain access is none */
    ck_assert_uint_ge(races(), 1);
}
END_TEST

/* A kernel that waits in its atomic operations for the other must not be made to come first. */
START_TEST(kernels_that_may_wait_for_each_other)
{
    memory_region(&arena.memory, data)->flags |= REGION_FLAG_SVM;
    enqueue(1, 1, NONE);
    enqueue(2, 2, NONE);
    launch_both(1, (struct bytes){FOOTPRINT_ATOMIC_READ, 0, 4}, (struct bytes){FOOTPRINT_READ, 64, 68});
    launch_both(2, (struct bytes){FOOTPRINT_ATOMIC, 0, 4}, (struct bytes){FOOTPRINT_WRITTEN, 64, 68});
    ck_assert_ptr_nonnull(strstr(the_fix(false), "if neither kernel waits for the other in its atomic operations"));
}
END_TEST

static bool argument_of_toy(const struct launch_info *info, uint64_t low, uint64_t high, char *out_name, size_t size)
{
    snprintf(out_name, size, "argument %d '%s'", (int)info->command - 1, info->command == 1 ? "in" : "out");
    return low < high;
}

START_TEST(arguments_have_names)
{
    argument = argument_of_toy;
    enqueue(1, 1, NONE);
    enqueue(2, 2, NONE);
    launch(1, FOOTPRINT_READ, 0, 4);
    launch(2, FOOTPRINT_WRITTEN, 0, 4);
    argument = NULL;
    ck_assert_uint_eq(races(), 1);
    const struct finding *finding = report_get(report, 0);
    ck_assert_str_eq(finding->object, "buffer 1 (1048576 bytes), argument 0 'in' of kernel toy and argument 1 'out' of kernel toy");
    ck_assert_str_eq(finding->access[0].by, "kernel toy, clEnqueueFillBuffer (command 1, queue 1), argument 0 'in'");
    ck_assert_str_eq(finding->access[1].by, "kernel toy, clEnqueueFillBuffer (command 2, queue 2), argument 1 'out'");
}
END_TEST

/* One kernel, then another, each with an atomic of its own queue and a plain write. */
static size_t races_beside_atomics(enum memory_scope released, enum memory_scope acquired)
{
    static uint32_t command = 0;
    const size_t before = races();
    const uint32_t one = ++command, other = ++command;
    enqueue(one, 2 * one, NONE);
    enqueue(other, 2 * one + 1, NONE);
    releases = released, acquires = SCOPE_WORK_ITEM;
    launch(one, FOOTPRINT_ATOMIC, 0, 4);
    launch(one, FOOTPRINT_WRITTEN, 64, 68);
    releases = SCOPE_WORK_ITEM, acquires = acquired;
    launch(other, FOOTPRINT_ATOMIC, 0, 4);
    launch(other, FOOTPRINT_WRITTEN, 64, 68);
    releases = acquires = SCOPE_WORK_ITEM;
    return races() - before;
}

START_TEST(R32_atomics_order_kernels_that_release_and_acquire)
{
    static const struct { enum memory_scope released, acquired; bool races; } cases[] = {
        {SCOPE_WORK_ITEM, SCOPE_WORK_ITEM, true}, {SCOPE_DEVICE, SCOPE_WORK_ITEM, true},  {SCOPE_WORK_ITEM, SCOPE_DEVICE, true},
        {SCOPE_WORK_GROUP, SCOPE_DEVICE, true},   {SCOPE_DEVICE, SCOPE_WORK_GROUP, true}, {SCOPE_DEVICE, SCOPE_DEVICE, false},
        {SCOPE_ALL_SVM, SCOPE_DEVICE, false},
    };
    memory_region(&arena.memory, data)->flags |= REGION_FLAG_SVM;
    ck_assert_int_eq(races_beside_atomics(cases[_i].released, cases[_i].acquired) > 0, cases[_i].races);
}
END_TEST

static void launch_with(uint32_t command, enum memory_scope released, enum memory_scope acquired)
{
    releases = released, acquires = acquired;
    launch_both(command, (struct bytes){FOOTPRINT_ATOMIC, 0, 4}, (struct bytes){FOOTPRINT_WRITTEN, 64, 68});
    releases = acquires = SCOPE_WORK_ITEM;
}

/* The first was over when the other began to release. */
START_TEST(R32_nobody_acquires_what_is_released_later)
{
    memory_region(&arena.memory, data)->flags |= REGION_FLAG_SVM;
    enqueue(1, 1, NONE);
    enqueue(2, 2, NONE);
    launch_with(1, SCOPE_WORK_ITEM, SCOPE_DEVICE);
    launch_with(2, SCOPE_DEVICE, SCOPE_WORK_ITEM);
    ck_assert_uint_eq(races(), 1);
}
END_TEST

START_TEST(R32_side_by_side_it_may)
{
    memory_region(&arena.memory, data)->flags |= REGION_FLAG_SVM;
    enqueue(1, 1, NONE);
    enqueue(2, 2, NONE);
    order(ORDER_BEGIN, 2, 1, NONE);
    launch_with(1, SCOPE_WORK_ITEM, SCOPE_DEVICE);
    launch_with(2, SCOPE_DEVICE, SCOPE_WORK_ITEM);
    ck_assert_uint_eq(races(), 0);
}
END_TEST

/* A counter that a third kernel updates without order does not hide what the first one released. */
START_TEST(R32_what_was_released_stays)
{
    memory_region(&arena.memory, data)->flags |= REGION_FLAG_SVM;
    enqueue(1, 1, NONE);
    enqueue(2, 2, AFTER(1));
    enqueue(3, 3, NONE);
    releases = SCOPE_DEVICE;
    launch(1, FOOTPRINT_ATOMIC, 0, 4);
    launch(1, FOOTPRINT_WRITTEN, 64, 68);
    releases = SCOPE_WORK_ITEM;
    launch(2, FOOTPRINT_ATOMIC, 0, 4); /* knows the first */
    acquires = SCOPE_DEVICE;
    launch(3, FOOTPRINT_ATOMIC, 0, 4);
    launch(3, FOOTPRINT_WRITTEN, 64, 68);
    acquires = SCOPE_WORK_ITEM;
    ck_assert_uint_eq(races(), 0);
}
END_TEST

/* What the host stored before it enqueued a kernel, that one may have released for another, which was enqueued earlier. */
START_TEST(R32_what_the_host_stored_may_be_acquired)
{
    static const struct { enum memory_scope released, acquired; bool races; } cases[] = {
        {SCOPE_DEVICE, SCOPE_DEVICE, false}, {SCOPE_ALL_SVM, SCOPE_DEVICE, false},
        {SCOPE_WORK_GROUP, SCOPE_DEVICE, true}, {SCOPE_DEVICE, SCOPE_WORK_GROUP, true}};
    const struct launch_info giver = {.command = 2, .kernel = "toy", .releases = cases[_i].released};
    const struct launch_event begins = {.launch = &giver, .phase = LAUNCH_BEGIN};
    enqueue(1, 1, NONE);
    host_stores(0);
    enqueue(2, 2, NONE);
    host_stores(8);
    enqueue(3, 3, NONE);
    order(ORDER_BEGIN, 2, 2, NONE);
    observer.launch(observer.self, &begins);
    acquires = cases[_i].acquired;
    launch(1, FOOTPRINT_READ, 0, 8);
    ck_assert_int_eq(races() > 0, cases[_i].races);
    enqueue(4, 4, AFTER(1));
    reads(4, 0, 8);
    launch(3, FOOTPRINT_READ, 0, 16);
    ck_assert_int_eq(races() > 0, cases[_i].races);
    enqueue(5, 1, NONE);
    host_stores(8); /* after both */
    launch(5, FOOTPRINT_READ, 8, 16);
    acquires = SCOPE_WORK_ITEM;
    ck_assert_uint_ge(races(), 1);
}
END_TEST

/* Every second byte: kept as a set, not as segments. */
static void launch_scattered(uint32_t command, enum footprint_use use, uint64_t first)
{
    struct launch_info info = {.command = command, .kernel = "toy"};
    const struct region *region = memory_region(&arena.memory, data);
    struct footprint_part part = {.region_id = region->id, .low = region->low, .high = region->high};
    struct footprint footprint = {.launch = &info, .parts = &part, .count = 1};
    struct footprint_sink sink = commands_footprints(commands);
    for (int i = 0; i < FOOTPRINT_USES; i++)
        byte_set_init(&part.bytes[i], region->high - region->low);
    for (uint64_t at = first; at < 4096; at += 2)
        byte_set_add(&part.bytes[use], at, at + 1);
    footprint_sites_add(&part.sites[use], 1);
    ck_assert_ptr_nonnull(part.bytes[use].bits);
    order(ORDER_BEGIN, command, 1, NONE);
    sink.launch_ended(sink.self, &footprint);
    order(ORDER_END, command, 1, NONE);
    for (int i = 0; i < FOOTPRINT_USES; i++)
        byte_set_fini(&part.bytes[i]);
}

START_TEST(scattered_bytes)
{
    enqueue(1, 1, NONE);
    enqueue(2, 2, NONE);
    enqueue(3, 3, NONE);
    enqueue(4, 4, NONE);
    launch_scattered(1, FOOTPRINT_WRITTEN, 0);
    launch_scattered(2, FOOTPRINT_WRITTEN, 1);
    ck_assert_uint_eq(races(), 0); /* byte by byte apart */
    reads(3, 4096, 64);
    ck_assert_uint_eq(races(), 0);
    reads(4, 0, 1);
    ck_assert_uint_eq(races(), 1);
    enqueue(5, 5, NONE);
    launch_scattered(5, FOOTPRINT_READ, 1);
    ck_assert_uint_eq(races(), 2);
    enqueue(6, 6, AFTER(1));
    launch_scattered(6, FOOTPRINT_WRITTEN, 0); /* knows 1, not that 4 read */
    ck_assert_uint_eq(races(), 3);
    waited(AFTER(1, 2, 3, 4, 5, 6));
    enqueue(7, 7, NONE);
    launch_scattered(7, FOOTPRINT_WRITTEN, 0);
    ck_assert_uint_eq(races(), 3);
}
END_TEST

/* A later launch that knows the first stands for it only in the bytes that it touched. */
START_TEST(scattered_bytes_that_cover_a_part)
{
    enqueue(1, 1, NONE);
    enqueue(2, 1, AFTER(1));
    enqueue(3, 2, NONE);
    launch_scattered(1, FOOTPRINT_WRITTEN, 0);
    launch_scattered(2, FOOTPRINT_WRITTEN, 2048);
    reads(3, 0, 1);
    ck_assert_uint_eq(races(), 1);
}
END_TEST

/* ---- size --------------------------------------------------------------------------------- */

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

enum { MANY = 100000 };

/* Two in-order queues side by side, and nobody waits. */
START_TEST(a_hundred_thousand_commands_on_two_queues)
{
    double start = seconds();
    for (uint32_t i = 1; i <= MANY; i++)
        enqueue(i, i % 2 + 1, i > 2 ? AFTER(i - 2) : NONE);
    for (uint32_t i = 1; i <= MANY; i++)
        writes(i, i % 2 * 4096 + i % 512 * 8, 8);
    ck_assert_uint_eq(races(), 0);
    ck_assert(seconds() - start < 10);
}
END_TEST

/* Nothing orders them; after each a marker that waits for all. */
START_TEST(a_hundred_thousand_commands_with_markers)
{
    double start = seconds();
    for (uint32_t i = 1; i <= MANY; i += 2) {
        enqueue(i, 1, NONE);
        enqueue(i + 1, 1, i > 1 ? AFTER(i - 1, i) : AFTER(i));
        writes(i, i * 8, 8);
        order(ORDER_BEGIN, i + 1, 1, NONE);
        order(ORDER_END, i + 1, 1, NONE);
    }
    ck_assert_uint_eq(races(), 0);
    ck_assert(seconds() - start < 10);
}
END_TEST

START_TEST(a_hundred_thousand_commands_with_nothing)
{
    double start = seconds();
    static uint32_t all[MANY + 1];
    for (uint32_t i = 1; i <= MANY; i++) {
        enqueue(i, 1, NONE);
        all[i - 1] = i;
    }
    enqueue(MANY + 1, 1, all);
    for (uint32_t i = 1; i <= MANY; i++)
        writes(i, i * 8, 8);
    writes(MANY + 1, 0, 1 << 20);
    ck_assert_uint_eq(races(), 0);
    waited(AFTER(MANY + 1));
    ck_assert(seconds() - start < 10);
}
END_TEST

/* ---- against the closure of the edges ------------------------------------------------------- */

enum { SMALL = 40, WAITS = 3 };

/* Commands with random wait lists, run late and in any order that the edges allow; the host waits for some. In between user
 * events, which the host sets, or a command that ends. What must be known is the closure of the edges alone. */
struct history {
    struct command_graph *graph;
    uint32_t count; /* so far; numbers start with 1 */
    bool is_user[SMALL + 1];
    bool done[SMALL + 1]; /* ended, or set */
    bool knows[SMALL + 1][SMALL + 1];
    uint32_t after[SMALL + 1][WAITS + 1];
    bool host[SMALL + 1];
};

static void learn(bool *knows, const bool *more)
{
    for (uint32_t i = 1; i <= SMALL; i++)
        knows[i] |= more[i];
}

static void history_order(const struct history *history, enum order_kind kind, uint32_t number, uint32_t queue, const uint32_t *after)
{
    const struct order_event event = {.kind = kind, .command = number, .queue = queue, .device = queue, .call = "x",
                                      .after = after, .after_count = after ? count_of(after) : 0};
    command_graph_order(history->graph, &event);
}

static void add_one(struct history *history)
{
    const uint32_t number = ++history->count;
    history->is_user[number] = below(5) == 0;
    if (history->is_user[number])
        return;
    const uint32_t waits = number > 1 ? below(WAITS) : 0;
    for (uint32_t i = 0; i < waits; i++)
        history->after[number][i] = 1 + below(number - 1);
    learn(history->knows[number], history->host);
    history_order(history, ORDER_ENQUEUED, number, 1, history->after[number]);
}

static bool may_run(const struct history *history, uint32_t number)
{
    for (const uint32_t *after = history->after[number]; *after; after++)
        if (!history->done[*after])
            return false;
    return !history->done[number] && !history->is_user[number];
}

static void run_one(struct history *history, uint32_t number)
{
    bool *knows = history->knows[number];
    for (const uint32_t *after = history->after[number]; *after; after++) {
        if (history->is_user[*after])
            continue;
        knows[*after] = true;
        learn(knows, history->knows[*after]);
    }
    history_order(history, ORDER_BEGIN, number, 1, NULL);
    for (uint32_t i = 1; i <= history->count; i++)
        if (history->done[i] && !history->is_user[i] && command_graph_knows(history->graph, number, i) != knows[i])
            ck_abort_msg("command %u, of %u: %d", number, i, knows[i]);
    history_order(history, ORDER_END, number, 1, NULL);
    history->done[number] = true;
}

static bool waits_for(const struct history *history, uint32_t number, uint32_t user)
{
    const uint32_t *after = history->after[number];
    while (*after && *after != user)
        after++;
    return *after;
}

/* By the host, or by a command (cl_khr_semaphore): nobody waits then who comes later. */
static void set_one(struct history *history, uint32_t user, uint32_t setter)
{
    for (uint32_t i = 1; i <= history->count; i++) {
        if (!waits_for(history, i, user))
            continue;
        learn(history->knows[i], setter ? history->knows[setter] : history->host);
        if (setter)
            history->knows[i][setter] = true;
    }
    history_order(history, ORDER_ENQUEUED, user, 0, setter ? AFTER(setter) : NONE);
    history->done[user] = true;
}

static void wait_for_one(struct history *history, uint32_t number)
{
    history_order(history, ORDER_HOST_WAITED, 0, 0, AFTER(number));
    history->host[number] = true;
    learn(history->host, history->knows[number]);
    for (uint32_t i = 1; i <= history->count; i++)
        if (!history->is_user[i])
            ck_assert_int_eq(command_graph_host_knows(history->graph, i), history->host[i]);
}

static void random_history(void)
{
    struct history history = {.graph = command_graph_new()};
    while (history.count < SMALL) {
        add_one(&history);
        while (below(3)) {
            const uint32_t one = 1 + below(history.count), other = 1 + below(history.count);
            if (may_run(&history, one))
                run_one(&history, one);
            else if (history.is_user[one] && !history.done[one] && below(4) == 0)
                set_one(&history, one, history.done[other] && !history.is_user[other] && below(2) ? other : 0);
            else if (!history.is_user[one] && history.done[one] && below(12) == 0)
                wait_for_one(&history, one);
        }
    }
    command_graph_free(history.graph);
}

START_TEST(random_histories)
{
    for (int i = 0; i < 2000; i++)
        random_history();
}
END_TEST

/* Bytes one by one: what a map of segments says must be what a list of all accesses says. */
struct byte_log { struct byte_access access; uint64_t low, high; };
static bool after_is_known(void *self, const struct byte_access *later, const struct byte_access *earlier)
{
    (void)self;
    return later->command % 4 == earlier->command % 4; /* four chains */
}
static uint8_t met_bytes[256];
static void note_met(void *self, const struct byte_access *later, const struct byte_access *earlier, uint64_t low,
                     uint64_t high)
{
    (void)self;
    for (uint64_t i = low; i < high; i++)
        met_bytes[i] |= later->kind == ACCESS_WRITE || earlier->kind == ACCESS_WRITE;
}

START_TEST(random_bytes)
{
    for (int round = 0; round < 300; round++) {
        struct byte_map *map = byte_map_new();
        struct byte_log log[60];
        const struct byte_map_asker asker = {NULL, after_is_known, note_met};
        for (uint32_t i = 0; i < 60; i++) {
            uint8_t expected[256] = {0};
            log[i] = (struct byte_log){.access = {.command = i + 1 + (i % 3) * below(2)}, .low = below(200)};
            log[i].high = log[i].low + 1 + below(56);
            log[i].access.command = i * 4 + 1 + below(4);
            log[i].access.kind = below(2) ? ACCESS_WRITE : ACCESS_READ;
            for (uint32_t j = 0; j < i; j++)
                for (uint64_t b = log[i].low; b < log[i].high; b++)
                    expected[b] |= b >= log[j].low && b < log[j].high &&
                                   log[i].access.command % 4 != log[j].access.command % 4 &&
                                   (log[i].access.kind == ACCESS_WRITE || log[j].access.kind == ACCESS_WRITE);
            memset(met_bytes, 0, sizeof met_bytes);
            ck_assert(byte_map_add(map, log[i].low, log[i].high, &log[i].access, &asker));
            ck_assert_mem_eq(met_bytes, expected, sizeof expected);
        }
        byte_map_free(map);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("commands");
    TCase *rules = tcase_create("rules"), *sizes = tcase_create("sizes");
    tcase_add_checked_fixture(rules, set_up, tear_down);
    tcase_add_checked_fixture(sizes, set_up, tear_down);
    tcase_set_timeout(sizes, 60);
#define ADD(test) tcase_add_test(rules, test)
    ADD(nothing_orders_two_queues);
    ADD(the_order_of_execution_does_not_matter);
    ADD(only_common_bytes_with_a_write_conflict);
    ADD(R31_1_enqueue_hands_on_what_the_host_knows);
    ADD(R31_1_while_an_older_command_is_pending);
    ADD(R31_1_enqueue_hands_on_nothing_later);
    ADD(R31_1_while_an_older_command_runs);
    ADD(R31_2_3_a_command_knows_what_it_waits_for);
    ADD(R31_4_the_host_knows_what_the_command_knew);
    ADD(what_a_query_tells_orders_nothing);
    ADD(R31_6_7_8_many_at_once);
    ADD(R31_12_a_user_event_hands_on_what_the_host_knew);
    ADD(R31_12_a_user_event_that_a_command_sets);
    ADD(R31_12_a_user_event_hands_on_what_the_host_stored);
    ADD(R31_12_a_user_event_hands_on_where_the_host_was_caught);
    ADD(R31_12_a_command_saw_only_the_host_s_stores_before_its_event);
    ADD(what_the_host_stored_at_many_steps);
    ADD(R31_12_an_older_user_event);
    ADD(a_failed_command_hands_on_too);
    ADD(a_read_between_does_not_hide_the_writer);
    ADD(host_memory_counts);
    ADD(memory_of_another_life_is_other_memory);
    ADD(R33_a_map_for_writing_excludes_readers);
    ADD(R33_a_map_for_reading_admits_readers);
    ADD(R33_maps_do_not_exclude_each_other);
    ADD(R33_an_unmap_overwrites);
    ADD(what_is_kept_of_a_map_goes_with_the_memory);
    ADD(the_host_is_not_told_to_wait_for_ever);
    ADD(nor_behind_a_command_that_waits);
    ADD(one_event_where_the_queue_would_not_do);
    ADD(who_asks_before_it_sets_has_to_wait_instead);
    ADD(a_callback_is_not_told_to_wait);
    ADD(nor_before_it_sets_an_event);
    ADD(what_is_waited_for_has_to_be_flushed);
    ADD(who_waits_for_a_callback_has_to_flush_what_it_is_of);
    ADD(a_map_is_named_not_its_unmap);
    ADD(a_map_is_named_when_it_runs_later);
    ADD(an_unmap_is_named_to_who_comes_later);
    ADD(an_unmap_alone_is_named);
    tcase_add_loop_test(rules, a_map_and_its_unmap_that_nothing_orders_are_two, 0, 2);
    ADD(a_map_may_be_enqueued_later);
    ADD(a_map_may_be_let_go_later);
    ADD(an_unmap_may_be_enqueued_earlier);
    ADD(what_was_not_tried_is_not_verified);
    ADD(what_is_told_again_is_not_tried_again);
    ADD(fixes_are_tried_anew_in_a_report_that_was_cleared);
    ADD(kernels_that_may_wait_for_each_other);
    ADD(arguments_have_names);
    ADD(R32_atomics_of_two_launches_on_a_buffer);
    ADD(R32_atomic_loads_alone_are_no_race);
    ADD(R32_atomics_on_shared_virtual_memory_are_guaranteed);
    tcase_add_loop_test(rules, R32_atomics_order_kernels_that_release_and_acquire, 0, 7);
    ADD(R32_nobody_acquires_what_is_released_later);
    ADD(R32_side_by_side_it_may);
    ADD(R32_what_was_released_stays);
    tcase_add_loop_test(rules, R32_what_the_host_stored_may_be_acquired, 0, 4);
    ADD(scattered_bytes);
    ADD(scattered_bytes_that_cover_a_part);
    ADD(random_histories);
    ADD(random_bytes);
#undef ADD
    tcase_add_test(sizes, a_hundred_thousand_commands_on_two_queues);
    tcase_add_test(sizes, a_hundred_thousand_commands_with_markers);
    tcase_add_test(sizes, a_hundred_thousand_commands_with_nothing);
    suite_add_tcase(suite, rules);
    suite_add_tcase(suite, sizes);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
