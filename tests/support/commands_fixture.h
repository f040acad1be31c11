/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A report, memory and the checker of commands, to which tests announce a history event by event. Everything
 * runs on queue 1 and device 1.
 */
#ifndef ORRERY_TESTS_SUPPORT_COMMANDS_FIXTURE_H
#define ORRERY_TESTS_SUPPORT_COMMANDS_FIXTURE_H

#include <check.h>

#include "fail_at.h"
#include "sim/device/memory_arena.h"
#include "sim/memmodel/commands/commands.h"

static struct scenario scenario;
static struct report *report;
static struct memory_arena arena;
static struct commands *commands;
static struct observer observer;
static uint64_t data;

static inline void set_up(void)
{
    struct region *region;
    scenario_default(&scenario);
    checks_fast(scenario.checks);
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

static inline void tear_down(void)
{
    commands_free(commands);
    arena_fini(&arena);
    report_free(report);
    scenario_fini(&scenario);
}

/* ---- a history, event by event -------------------------------------------------------- */

#define AFTER(...)     \
    (const uint32_t[]) \
    {                  \
        __VA_ARGS__, 0 \
    }
#define NONE           \
    (const uint32_t[]) \
    {                  \
        0              \
    }

static inline size_t count_of(const uint32_t *after)
{
    size_t count = 0;
    while (after[count])
        count++;
    return count;
}

static inline void order(enum order_kind kind, uint32_t command, uint32_t on, const uint32_t *after)
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

static inline void enqueue(uint32_t command, uint32_t on, const uint32_t *after)
{
    order(ORDER_ENQUEUED, command, on, after);
}

static inline void waited(const uint32_t *after)
{
    order(ORDER_HOST_WAITED, 0, 0, after);
}

static inline void user_set(uint32_t event)
{
    order(ORDER_ENQUEUED, event, 0, NONE);
}

static inline void touch(uint32_t command, enum access_kind kind, uint64_t at, uint64_t size,
                         enum command_role role)
{
    struct command_event event = {
        .command = command, .kind = kind, .address = at, .size_bytes = size, .role = role};
    observer.command(observer.self, &event);
}

static inline void run_as(uint32_t command, enum access_kind kind, uint64_t offset, uint64_t size,
                          enum command_role role)
{
    order(ORDER_BEGIN, command, 1, NONE);
    touch(command, kind, data + offset, size, role);
    order(ORDER_END, command, 1, NONE);
}

static inline void writes(uint32_t command, uint64_t offset, uint64_t size)
{
    run_as(command, ACCESS_WRITE, offset, size, COMMAND_MOVES);
}

static inline void reads(uint32_t command, uint64_t offset, uint64_t size)
{
    run_as(command, ACCESS_READ, offset, size, COMMAND_MOVES);
}

static inline size_t races(void)
{
    return report_total(report, SEVERITY_ERROR);
}

/* Of the one finding. */
#define the_fix(tried) the_fix_at(__FILE__, __LINE__, tried)
static inline const char *the_fix_at(const char *file, int line, bool tried)
{
    if (races() != 1)
        fail_at(file, line, "found %zu races, expected 1", races());
    const struct finding *finding = report_get(report, 0);
    if (finding->fix_orders != tried)
        fail_at(file, line, "the fix '%s' %s", finding->fix,
                tried ? "does not order the two" : "orders the two");
    return finding->fix;
}

static inline void maps(uint32_t command, bool for_writing)
{
    order(ORDER_BEGIN, command, 1, NONE);
    touch(command, ACCESS_READ, data, 64, COMMAND_MAPS);
    if (for_writing)
        touch(command, ACCESS_WRITE, data, 64, COMMAND_OPENS);
    order(ORDER_END, command, 1, NONE);
}

#endif
