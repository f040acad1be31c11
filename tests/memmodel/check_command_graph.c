/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random histories of commands against the closure of their edges, and random accesses against a map of
 * single bytes.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/support/commands_fixture.h"
#include "tests/support/dice.h"
#include "sim/memmodel/order/byte_map.h"
#include "sim/memmodel/order/command_graph.h"

enum { SMALL = 40, WAITS = 3, THREADS = 3 };

/* Commands with random wait lists, run late and in any order that the edges allow; the host waits for some.
 * In between user events, which the host sets, or a command that ends. The host has one thread, or several
 * that receive from each other. The expected clocks are the closure of the edges alone. */
struct history {
    struct command_graph *graph;
    uint32_t count; /* so far; numbers start with 1 */
    bool is_user[SMALL + 1];
    bool done[SMALL + 1]; /* ended, or set */
    bool ordered[SMALL + 1][SMALL + 1];
    uint32_t after[SMALL + 1][WAITS + 1];
    bool at_set[SMALL + 1][SMALL + 1]; /* `known` of the thread that set the user event */
    bool threads;                      /* there are several */
    uint32_t caller;
    bool known[THREADS][SMALL + 1];
    uint32_t calls[THREADS][THREADS]; /* of each thread: the calls of each that it has received */
    bool host[SMALL + 1];
};

static void join(bool *ordered, const bool *more)
{
    for (uint32_t i = 1; i <= SMALL; i++)
        ordered[i] |= more[i];
}

static void history_order(struct history *history, enum order_kind kind, uint32_t number, uint32_t queue,
                          const uint32_t *after)
{
    const bool called = history->threads && (kind == ORDER_ENQUEUED || kind == ORDER_HOST_WAITED) &&
                        (queue || !count_of(after) || kind == ORDER_HOST_WAITED);
    const uint32_t thread = history->caller;
    history->calls[thread][thread] += called;
    const struct host_clock clock = {thread, THREADS, history->calls[thread], true};
    const struct order_event event = {.kind = kind,
                                      .command = number,
                                      .queue = queue,
                                      .device = queue,
                                      .call = "x",
                                      .after = after,
                                      .after_count = after ? count_of(after) : 0,
                                      .host = called ? &clock : NULL};
    command_graph_order(history->graph, &event);
}

/* Another thread makes the next calls; it may have received from the one before, as by a lock. */
static void switch_thread(struct history *history)
{
    const uint32_t before = history->caller;
    history->caller = history->threads ? below(THREADS) : 0;
    if (below(3))
        return;
    join(history->known[history->caller], history->known[before]);
    for (uint32_t i = 0; i < THREADS; i++)
        if (history->calls[before][i] > history->calls[history->caller][i])
            history->calls[history->caller][i] = history->calls[before][i];
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
    join(history->ordered[number], history->known[history->caller]);
    for (uint32_t i = 0; history->after[number][i]; i++)
        join(history->ordered[number], history->at_set[history->after[number][i]]);
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
    bool *ordered = history->ordered[number];
    for (const uint32_t *after = history->after[number]; *after; after++) {
        if (history->is_user[*after])
            continue;
        ordered[*after] = true;
        join(ordered, history->ordered[*after]);
    }
    history_order(history, ORDER_BEGIN, number, 1, NULL);
    for (uint32_t i = 1; i <= history->count; i++)
        if (history->done[i] && !history->is_user[i] &&
            command_graph_is_after(history->graph, number, i) != ordered[i])
            ck_abort_msg("command %u, of %u: %d", number, i, ordered[i]);
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

/* By the host, or by a command (cl_khr_semaphore): then no later command waits. */
static void set_one(struct history *history, uint32_t user, uint32_t setter)
{
    for (uint32_t i = 1; i <= history->count; i++) {
        if (!waits_for(history, i, user))
            continue;
        join(history->ordered[i], setter ? history->ordered[setter] : history->known[history->caller]);
        if (setter)
            history->ordered[i][setter] = true;
    }
    if (!setter)
        join(history->at_set[user], history->known[history->caller]);
    history_order(history, ORDER_ENQUEUED, user, 0, setter ? AFTER(setter) : NONE);
    history->done[user] = true;
}

static void wait_for_one(struct history *history, uint32_t number)
{
    history_order(history, ORDER_HOST_WAITED, 0, 0, AFTER(number));
    history->known[history->caller][number] = true;
    join(history->known[history->caller], history->ordered[number]);
    join(history->host, history->known[history->caller]);
    for (uint32_t i = 1; i <= history->count; i++)
        if (!history->is_user[i])
            ck_assert_int_eq(command_graph_host_is_after(history->graph, i), history->host[i]);
}

static void random_history(bool threads)
{
    struct history history = {.graph = command_graph_new(), .threads = threads};
    while (history.count < SMALL) {
        switch_thread(&history);
        add_one(&history);
        while (below(3)) {
            const uint32_t one = 1 + below(history.count), other = 1 + below(history.count);
            if (may_run(&history, one))
                run_one(&history, one);
            else if (history.is_user[one] && !history.done[one] && below(4) == 0)
                set_one(&history, one,
                        history.done[other] && !history.is_user[other] && below(2) ? other : 0);
            else if (!history.is_user[one] && history.done[one] && below(12) == 0)
                wait_for_one(&history, one);
        }
    }
    command_graph_check(history.graph);
    command_graph_free(history.graph);
}

START_TEST(random_histories)
{
    for (int i = 0; i < 4000; i++)
        random_history(i % 2);
}
END_TEST

/* Bytes one by one: a map of segments and a list of all accesses must agree. */
struct byte_log {
    struct byte_access access;
    uint64_t low, high;
};
static bool is_ordered_after(void *self, const struct byte_access *later, const struct byte_access *earlier)
{
    (void)self;
    return later->command % 4 == earlier->command % 4; /* four chains */
}
static uint8_t conflicting_bytes[256];
static bool note_conflict(void *self, const struct byte_access *later, const struct byte_access *earlier,
                          uint64_t low, uint64_t high)
{
    const bool race = later->kind == ACCESS_WRITE || earlier->kind == ACCESS_WRITE;
    (void)self;
    for (uint64_t i = low; i < high; i++)
        conflicting_bytes[i] |= race;
    return race;
}

START_TEST(random_bytes)
{
    for (int round = 0; round < 300; round++) {
        struct byte_map map = {.segments = {.count = 0}};
        struct byte_log log[60];
        const struct byte_map_query query = {NULL, is_ordered_after, note_conflict};
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
            memset(conflicting_bytes, 0, sizeof conflicting_bytes);
            ck_assert(byte_map_add(&map, log[i].low, log[i].high, &log[i].access, &query));
            ck_assert_mem_eq(conflicting_bytes, expected, sizeof expected);
        }
        byte_map_fini(&map);
    }
}
END_TEST

static bool is_never_ordered(void *self, const struct byte_access *later, const struct byte_access *earlier)
{
    (void)self, (void)later, (void)earlier;
    return false;
}

static size_t kept;
static void count_kept(void *self, uint64_t low, uint64_t high, const struct byte_access *access)
{
    (void)self, (void)low, (void)high, (void)access;
    kept++;
}

/* Reads do not race with each other, and all of them may race with a later write. */
START_TEST(only_the_latest_of_many_racing_accesses_are_kept)
{
    struct byte_map map = {.segments = {.count = 0}};
    const struct byte_map_query query = {NULL, is_never_ordered, note_conflict};
    for (uint32_t i = 1; i <= 20000; i++)
        ck_assert(byte_map_add(&map, 0, 4,
                               &(struct byte_access){.command = i, .site = 1 + i % 2, .kind = ACCESS_WRITE},
                               &query));
    for (uint32_t i = 1; i <= 500; i++)
        ck_assert(
            byte_map_add(&map, 100, 104, &(struct byte_access){.command = i, .kind = ACCESS_READ}, &query));
    kept = 0;
    byte_map_visit(&map, 0, 4, count_kept, NULL);
    ck_assert_uint_gt(kept, 2);
    ck_assert_uint_lt(kept, 200);
    kept = 0;
    byte_map_visit(&map, 100, 104, count_kept, NULL);
    ck_assert_uint_eq(kept, 500);
    memset(conflicting_bytes, 0, sizeof conflicting_bytes);
    ck_assert(byte_map_add(&map, 0, 4, &(struct byte_access){.command = 1, .kind = ACCESS_READ}, &query));
    ck_assert_uint_eq(conflicting_bytes[0], true);
    byte_map_fini(&map);
}
END_TEST

/* A queue that is released and never waited for. What is forgotten counts as ordered. */
START_TEST(commands_that_nobody_waits_for_are_forgotten_at_last)
{
    enum { MANY = 200000, KEPT_MOST = 70000 };
    struct command_graph *graph = command_graph_new();
    for (uint32_t i = 1; i <= MANY; i++) {
        command_graph_order(graph,
                            &(struct order_event){.kind = ORDER_ENQUEUED, .command = i, .queue = 1 + i % 3});
        command_graph_order(graph, &(struct order_event){.kind = ORDER_BEGIN, .command = i});
        command_graph_order(graph, &(struct order_event){.kind = ORDER_END, .command = i});
    }
    ck_assert_uint_gt(command_graph_first(graph), MANY - KEPT_MOST);
    ck_assert(command_graph_is_after(graph, MANY, 1));
    ck_assert(command_graph_host_is_after(graph, 1));
    ck_assert(!command_graph_is_after(graph, MANY, MANY - 1));
    ck_assert(!command_graph_host_is_after(graph, MANY - 1));
    command_graph_order(graph, &(struct order_event){
                                   .kind = ORDER_HOST_WAITED, .after = (uint32_t[]){MANY}, .after_count = 1});
    ck_assert(command_graph_host_is_after(graph, MANY));
    ck_assert(!command_graph_host_is_after(graph, MANY - 1));
    command_graph_check(graph);
    command_graph_free(graph);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("command graph");
    TCase *random = tcase_create("random");
    tcase_add_test(random, random_histories);
    tcase_add_test(random, random_bytes);
    tcase_add_test(random, only_the_latest_of_many_racing_accesses_are_kept);
    tcase_add_test(random, commands_that_nobody_waits_for_are_forgotten_at_last);
    suite_add_tcase(suite, random);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
