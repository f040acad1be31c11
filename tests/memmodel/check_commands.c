/* SPDX-License-Identifier: Apache-2.0 */
/* The order of commands, and the reports of unordered ones. Rules: OpenCL 2.2 API, 3.3.6 (1) to (12). */
#include <stdlib.h>
#include <string.h>

#include "tests/support/commands_fixture.h"
#include "tests/support/growth.h"

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
    ck_assert_str_eq(
        finding->fix,
        "add the event of command 1 to the wait list of command 2, with clFlush on queue 1 before, or call "
        "clFinish on queue 1 before command 2 is enqueued");
    ck_assert(finding->fix_orders);
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

START_TEST(R31_1_enqueue_passes_on_the_hosts_clock)
{
    enqueue(1, 1, NONE);
    writes(1, 0, 64);
    waited(AFTER(1));
    enqueue(2, 2, NONE);
    writes(2, 0, 64);
    ck_assert_uint_eq(races(), 0);
}
END_TEST

/*
 * Command 1 cannot be forgotten: command 2, which was enqueued first, is not ordered after it and has not
 * ended.
 */
START_TEST(R31_1_while_an_older_command_is_incomplete)
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

START_TEST(R31_1_enqueue_passes_on_nothing_later)
{
    enqueue(1, 1, NONE);
    enqueue(2, 2, NONE); /* before the host waits */
    writes(1, 0, 64);
    waited(AFTER(1));
    writes(2, 0, 64);
    ck_assert_uint_eq(races(), 1);
}
END_TEST

/* The oldest command has a later clock by then than one that was enqueued before the host waited. */
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

START_TEST(R31_2_3_command_is_ordered_after_its_wait_list)
{
    enqueue(1, 1, NONE);
    enqueue(2, 2, AFTER(1));
    enqueue(3, 3, AFTER(2)); /* and that one's clock */
    writes(1, 0, 64);
    writes(2, 64, 64);
    writes(3, 0, 128);
    ck_assert_uint_eq(races(), 0);
}
END_TEST

START_TEST(R31_4_host_acquires_the_commands_clock)
{
    enqueue(1, 1, NONE);
    enqueue(2, 2, AFTER(1));
    writes(1, 0, 64);
    writes(2, 64, 64);
    waited(AFTER(2));
    ck_assert(commands_host_is_after(commands, 1));
    enqueue(3, 3, NONE);
    writes(3, 0, 128);
    ck_assert_uint_eq(races(), 0);
}
END_TEST

/* 5.11: "is not a synchronization point". */
START_TEST(status_query_orders_nothing)
{
    enqueue(1, 1, NONE);
    writes(1, 0, 64);
    order(ORDER_HOST_ASKED, 1, 0, NONE);
    enqueue(2, 2, NONE);
    reads(2, 0, 64);
    ck_assert_uint_eq(races(), 1);
    ck_assert_ptr_nonnull(
        strstr(report_get(report, 0)->why, "a status that clGetEventInfo gave is no synchronization point"));
    ck_assert(!commands_host_is_after(commands, 1));
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
    writes(103, 56, 8); /* command 7's: ordered. 102's: not */
    ck_assert_uint_eq(races(), 1);
    ck_assert_str_eq(report_get(report, 0)->access[0].by, "clEnqueueFillBuffer (command 102, queue 1)");
}
END_TEST

START_TEST(R31_12_user_event_passes_on_the_hosts_clock)
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

/*
 * As a semaphore's signal does: the waiter is ordered after the command and its clock, not after the host's
 * later waits.
 */
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
    enqueue(8, 4, AFTER(7)); /* not set before it begins */
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

/* Its stores happen before those that wait for the event, and before their waiters. */
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

START_TEST(R31_12_user_event_passes_on_the_hosts_stores)
{
    stores_and_user_events(host_stores);
}
END_TEST
START_TEST(R31_12_user_event_passes_on_the_hosts_caught_accesses)
{
    stores_and_user_events(host_caught);
}
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

/* Of many steps, each with another command after it. */
START_TEST(host_stores_at_many_steps)
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

START_TEST(failed_command_passes_its_clock_on)
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

/* The unmap that would drop it never happens. */
START_TEST(state_of_a_map_is_freed_with_the_memory)
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

/* ---- launches ------------------------------------------------------------------------------- */

static enum memory_scope releases, acquires; /* of the kernels launched next */
static bool (*argument)(const struct launch_info *launch, uint64_t low, uint64_t high, char *out_name,
                        size_t size);

struct bytes {
    enum footprint_use use;
    uint64_t low, high;
};

static void launch_both(uint32_t command, struct bytes one, struct bytes other)
{
    struct launch_info info = {.command = command,
                               .kernel = "toy",
                               .releases = releases,
                               .acquires = acquires,
                               .argument = argument};
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

/* A kernel that waits in its atomic operations for the other must not be ordered first. */
START_TEST(kernels_that_may_wait_for_each_other)
{
    memory_region(&arena.memory, data)->flags |= REGION_FLAG_SVM;
    enqueue(1, 1, NONE);
    enqueue(2, 2, NONE);
    launch_both(1, (struct bytes){FOOTPRINT_ATOMIC_READ, 0, 4}, (struct bytes){FOOTPRINT_READ, 64, 68});
    launch_both(2, (struct bytes){FOOTPRINT_ATOMIC, 0, 4}, (struct bytes){FOOTPRINT_WRITTEN, 64, 68});
    ck_assert_ptr_nonnull(
        strstr(the_fix(false), "if neither kernel waits for the other in its atomic operations"));
}
END_TEST

static bool argument_of_toy(const struct launch_info *info, uint64_t low, uint64_t high, char *out_name,
                            size_t size)
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
    ck_assert_str_eq(
        finding->object,
        "buffer 1 (1048576 bytes), argument 0 'in' of kernel toy and argument 1 'out' of kernel toy");
    ck_assert_str_eq(finding->access[0].by,
                     "kernel toy, clEnqueueFillBuffer (command 1, queue 1), argument 0 'in'");
    ck_assert_str_eq(finding->access[1].by,
                     "kernel toy, clEnqueueFillBuffer (command 2, queue 2), argument 1 'out'");
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
    static const struct {
        enum memory_scope released, acquired;
        bool races;
    } cases[] = {
        {SCOPE_WORK_ITEM, SCOPE_WORK_ITEM, true}, {SCOPE_DEVICE, SCOPE_WORK_ITEM, true},
        {SCOPE_WORK_ITEM, SCOPE_DEVICE, true},    {SCOPE_WORK_GROUP, SCOPE_DEVICE, true},
        {SCOPE_DEVICE, SCOPE_WORK_GROUP, true},   {SCOPE_DEVICE, SCOPE_DEVICE, false},
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
START_TEST(R32_later_release_is_not_acquired)
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
START_TEST(R32_release_clock_stays)
{
    memory_region(&arena.memory, data)->flags |= REGION_FLAG_SVM;
    enqueue(1, 1, NONE);
    enqueue(2, 2, AFTER(1));
    enqueue(3, 3, NONE);
    releases = SCOPE_DEVICE;
    launch(1, FOOTPRINT_ATOMIC, 0, 4);
    launch(1, FOOTPRINT_WRITTEN, 64, 68);
    releases = SCOPE_WORK_ITEM;
    launch(2, FOOTPRINT_ATOMIC, 0, 4); /* after the first */
    acquires = SCOPE_DEVICE;
    launch(3, FOOTPRINT_ATOMIC, 0, 4);
    launch(3, FOOTPRINT_WRITTEN, 64, 68);
    acquires = SCOPE_WORK_ITEM;
    ck_assert_uint_eq(races(), 0);
}
END_TEST

/*
 * A kernel may have released the host's stores before its enqueue to another kernel, which was enqueued
 * earlier.
 */
START_TEST(R32_host_store_may_be_acquired)
{
    static const struct {
        enum memory_scope released, acquired;
        bool races;
    } cases[] = {{SCOPE_DEVICE, SCOPE_DEVICE, false},
                 {SCOPE_ALL_SVM, SCOPE_DEVICE, false},
                 {SCOPE_WORK_GROUP, SCOPE_DEVICE, true},
                 {SCOPE_DEVICE, SCOPE_WORK_GROUP, true}};
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
    launch_scattered(6, FOOTPRINT_WRITTEN, 0); /* after 1, not after 4's read */
    ck_assert_uint_eq(races(), 3);
    waited(AFTER(1, 2, 3, 4, 5, 6));
    enqueue(7, 7, NONE);
    launch_scattered(7, FOOTPRINT_WRITTEN, 0);
    ck_assert_uint_eq(races(), 3);
}
END_TEST

/* A later launch ordered after the first replaces it only in the bytes that it touched. */
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

static void again(void)
{
    tear_down();
    set_up();
}

/* Two in-order queues side by side, without a wait. */
static void on_two_queues(uint32_t many)
{
    again();
    for (uint32_t i = 1; i <= many; i++)
        enqueue(i, i % 2 + 1, i > 2 ? AFTER(i - 2) : NONE);
    for (uint32_t i = 1; i <= many; i++)
        writes(i, i % 2 * 4096 + i % 512 * 8, 8);
    ck_assert_uint_eq(races(), 0);
}

/* Nothing orders them; after each a marker that waits for all. */
static void with_markers(uint32_t many)
{
    again();
    for (uint32_t i = 1; i <= many; i += 2) {
        enqueue(i, 1, NONE);
        enqueue(i + 1, 1, i > 1 ? AFTER(i - 1, i) : AFTER(i));
        writes(i, i * 8, 8);
        order(ORDER_BEGIN, i + 1, 1, NONE);
        order(ORDER_END, i + 1, 1, NONE);
    }
    ck_assert_uint_eq(races(), 0);
}

enum { MANY = 100000 };

static void with_nothing(uint32_t many)
{
    static uint32_t all[MANY + 1];
    again();
    for (uint32_t i = 1; i <= many; i++) {
        enqueue(i, 1, NONE);
        all[i - 1] = i;
    }
    all[many] = 0;
    enqueue(many + 1, 1, all);
    for (uint32_t i = 1; i <= many; i++)
        writes(i, i * 8, 8);
    writes(many + 1, 0, 1 << 20);
    ck_assert_uint_eq(races(), 0);
    waited(AFTER(many + 1));
}

START_TEST(a_hundred_thousand_commands_on_two_queues)
{
    growth_is_linear(on_two_queues, MANY);
}
END_TEST

START_TEST(a_hundred_thousand_commands_with_markers)
{
    growth_is_linear(with_markers, MANY);
}
END_TEST

START_TEST(a_hundred_thousand_commands_with_nothing)
{
    growth_is_linear(with_nothing, MANY);
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
    ADD(R31_1_enqueue_passes_on_the_hosts_clock);
    ADD(R31_1_while_an_older_command_is_incomplete);
    ADD(R31_1_enqueue_passes_on_nothing_later);
    ADD(R31_1_while_an_older_command_runs);
    ADD(R31_2_3_command_is_ordered_after_its_wait_list);
    ADD(R31_4_host_acquires_the_commands_clock);
    ADD(status_query_orders_nothing);
    ADD(R31_6_7_8_many_at_once);
    ADD(R31_12_user_event_passes_on_the_hosts_clock);
    ADD(R31_12_a_user_event_that_a_command_sets);
    ADD(R31_12_user_event_passes_on_the_hosts_stores);
    ADD(R31_12_user_event_passes_on_the_hosts_caught_accesses);
    ADD(R31_12_a_command_saw_only_the_host_s_stores_before_its_event);
    ADD(host_stores_at_many_steps);
    ADD(R31_12_an_older_user_event);
    ADD(failed_command_passes_its_clock_on);
    ADD(a_read_between_does_not_hide_the_writer);
    ADD(host_memory_counts);
    ADD(memory_of_another_life_is_other_memory);
    ADD(R33_a_map_for_writing_excludes_readers);
    ADD(R33_a_map_for_reading_admits_readers);
    ADD(R33_maps_do_not_exclude_each_other);
    ADD(R33_an_unmap_overwrites);
    ADD(state_of_a_map_is_freed_with_the_memory);
    ADD(kernels_that_may_wait_for_each_other);
    ADD(arguments_have_names);
    ADD(R32_atomics_of_two_launches_on_a_buffer);
    ADD(R32_atomic_loads_alone_are_no_race);
    ADD(R32_atomics_on_shared_virtual_memory_are_guaranteed);
    tcase_add_loop_test(rules, R32_atomics_order_kernels_that_release_and_acquire, 0, 7);
    ADD(R32_later_release_is_not_acquired);
    ADD(R32_side_by_side_it_may);
    ADD(R32_release_clock_stays);
    tcase_add_loop_test(rules, R32_host_store_may_be_acquired, 0, 4);
    ADD(scattered_bytes);
    ADD(scattered_bytes_that_cover_a_part);
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
