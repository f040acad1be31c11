/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Launches leave their accesses with the checker as footprints, and commands.c queries them late or never.
 * Whatever the order of commands, a race is found if and only if two unordered commands conflict in a byte.
 * If a line is reported, its instruction accessed all reported bytes.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/dice.h"
#include "tests/support/growth.h"
#include "sim/device/memory_arena.h"
#include "sim/memmodel/checkers.h"
#include "sim/memmodel/commands/commands.h"
#include "sim/interp/bytecode.h"
#include "sim/device/device_program.h"

enum { SITES = 256 };
enum {
    GROUPS = 4,
    ITEMS = 4,
    BYTES = GROUPS * ITEMS * 4 * 4,
    BUFFERS = 2,
    LIVES = 8,
    COMMANDS = 10,
    SIDE_BY_SIDE = 2
};

static struct scenario scenario;
static struct report *report;
static struct memory_arena arena;
static struct commands *commands;
static struct checkers *checkers;
static struct observer orders, accesses;
static struct region *buffer[BUFFERS];
static uint32_t life[BUFFERS], lives; /* which of the allocations it is */
static struct launch_info launches[COMMANDS + 1];

/* The accesses of a command, for the oracle. */
struct operation {
    uint8_t read[LIVES][BYTES], changed[LIVES][BYTES];
};
static struct operation operations[COMMANDS + 1];
static uint8_t by_site[COMMANDS + 1][SITES][BYTES];
static uint32_t oracle_ops_done; /* of the command that runs: another site for each */

/* ---- launches that keep, and queries ------------------------------------------------------------ */

static struct footprint_sink inner;
static struct {
    uint64_t whole, epochs, places, fetched, settled, dropped, chained, reported, unreported;
} counts;

static bool (*collects)(void *self, struct footprint_part *part);

static bool counted(void *self, struct footprint_part *part)
{
    counts.fetched++;
    return collects(self, part);
}

static void on_launch_ended(void *self, const struct footprint *footprint)
{
    (void)self;
    for (uint32_t i = 0; i < footprint->count; i++) {
        struct footprint_part *part = &footprint->parts[i];
        counts.whole += !part->keeper;
        counts.epochs += part->keeper && part->end;
        counts.places += part->keeper && !part->end;
        if (part->keeper) {
            collects = part->keeper->collect;
            part->keeper->collect = counted;
        }
    }
    inner.launch_ended(inner.self, footprint);
}

static void on_settle(void *self, struct footprint_keeper *keeper)
{
    (void)self;
    const uint64_t before = counts.fetched;
    inner.settle(inner.self, keeper);
    counts.settled++;
    counts.dropped += counts.fetched == before;
}

static bool on_follows(void *self, const struct launch_info *launch, const struct footprint_keeper *keeper)
{
    (void)self;
    const bool follows = inner.follows(inner.self, launch, keeper);
    counts.chained += follows;
    return follows;
}

/* ---- the stage ------------------------------------------------------------------------------ */

/* Of which each site has a line of its own. */
static struct site sites[SITES];
static struct code code = {.sites = sites, .site_count = SITES};
static const struct program program = {.running = &code};

static void place_of(void *self, uint32_t site, struct source_place *out_place)
{
    (void)self;
    *out_place = (struct source_place){.line = site};
}
static const char *what_of(void *self, uint32_t site)
{
    (void)self, (void)site;
    return "access";
}
static void object_of(void *self, uint64_t address, char *out_name, size_t size)
{
    (void)self, (void)address;
    snprintf(out_name, size, "memory");
}

static void allocate(uint32_t which)
{
    const struct allocation wanted = {.kind = REGION_BUFFER, .size = BYTES, .name = "buffer"};
    ck_assert_int_eq(arena_allocate(&arena, &wanted, &buffer[which]), STATUS_OK);
    life[which] = lives++;
}

static void open_stage(uint64_t arena_bytes, uint64_t ballast_bytes)
{
    const struct checker_host host = {.place = place_of, .what = what_of, .object = object_of};
    for (uint32_t i = 0; i < SITES; i++)
        sites[i].line = i;
    scenario_default(&scenario);
    checks_fast(scenario.checks);
    scenario.checks[CHECK_RACES] = SEVERITY_ERROR;
    report = report_new(&scenario);
    report_set_stream(report, NULL, false);
    ck_assert_int_eq(arena_init(&arena, arena_bytes, arena_bytes, false, NULL), STATUS_OK);
    const struct allocation most = {.kind = REGION_BUFFER, .size = ballast_bytes, .name = "most"};
    struct region *ballast;
    ck_assert_int_eq(arena_allocate(&arena, &most, &ballast), STATUS_OK);
    lives = 0;
    for (uint32_t i = 0; i < BUFFERS; i++)
        allocate(i);
    commands = commands_new(&arena.memory, report);
    orders = commands_observer(commands);
    inner = commands_footprints(commands);
    checkers = checkers_new(&arena.memory, report, &scenario, &host);
    checkers_observer(checkers, &accesses);
    checkers_set_sink(checkers, &(struct footprint_sink){NULL, on_launch_ended, on_settle, on_follows});
    memset(operations, 0, sizeof operations);
    memset(by_site, 0, sizeof by_site);
}

/* Few granules are left: what is released is used again soon. */
static void set_up(void)
{
    open_stage(UINT64_C(1) << 24, UINT64_C(219) << GRANULE_SHIFT);
}

static void tear_down(void)
{
    commands_free(commands);
    checkers_free(checkers);
    arena_fini(&arena);
    report_free(report);
    scenario_fini(&scenario);
}

/* ---- operations ----------------------------------------------------------------------------------- */

static void did(uint32_t command, uint32_t which, bool change, uint64_t offset, uint64_t size)
{
    memset((change ? operations[command].changed : operations[command].read)[life[which]] + offset, 1, size);
}

static void phase(uint32_t command, enum launch_phase what, uint64_t group)
{
    const struct launch_event event = {.launch = &launches[command], .phase = what, .group_linear = group};
    accesses.launch(accesses.self, &event);
}

/* One group's part of it: a word of each active work-item; as a row when that is one. */
static void acts(uint32_t command, uint32_t group, enum access_kind kind, uint32_t which,
                 const uint32_t *word, uint64_t active, uint32_t size)
{
    uint64_t address[ITEMS];
    bool row = true;
    for (uint32_t i = 0; i < ITEMS; i++)
        row &= word[i] == word[0] + i;
    const uint32_t site = 1 + kind + 8 * which + 16 * row + 32 * oracle_ops_done;
    for (uint32_t i = 0; i < ITEMS; i++) {
        address[i] = buffer[which]->low + 4 * word[i];
        for (uint32_t byte = 0; active >> i & 1 && byte < size; byte++)
            by_site[command][site][4 * word[i] + byte] = 1;
        if (active >> i & 1)
            did(command, which, kind != ACCESS_READ, 4 * word[i], size);
    }
    const uint64_t mask[LANE_MASK_WORDS] = {active};
    const struct access_event event = {.origin = {.launch = &launches[command],
                                                  .tile_origin = {group * ITEMS, 0, 0},
                                                  .tile_size = {ITEMS, 1, 1},
                                                  .site = site},
                                       .kind = kind,
                                       .scope = SCOPE_DEVICE,
                                       .size_bytes = size,
                                       .lane_count = ITEMS,
                                       .mask = mask,
                                       .shape = row ? ADDRESS_AFFINE : ADDRESS_LIST,
                                       .base = address[0],
                                       .step_x = 4,
                                       .row = ITEMS,
                                       .address = address};
    accesses.access(accesses.self, &event);
}

/* Free of races in itself: work-items have words of their own, shuffled in some launches. */
static void one_oracle_op(uint32_t command)
{
    static const enum access_kind kinds[] = {ACCESS_READ, ACCESS_READ, ACCESS_WRITE, ACCESS_WRITE,
                                             ACCESS_ATOMIC_UPDATE};
    const enum access_kind kind = kinds[below(5)];
    const uint32_t which = below(BUFFERS), shift = below(4), odd = command * 7 % 9 % ITEMS,
                   width = below(2) ? 1 : 3;
    const uint64_t active = below(3) ? 15 : 1 + below(15);
    const uint32_t size = kind <= ACCESS_WRITE && below(6) == 0 ? 1 : 4;
    for (uint32_t group = 0; group < GROUPS; group += width) {
        uint32_t word[ITEMS];
        for (uint32_t i = 0; i < ITEMS; i++)
            word[i] = shift * GROUPS * ITEMS + group * ITEMS + (i ^ odd);
        acts(command, group, kind, which, word, active, size);
    }
}

static void host_oracle_op(uint32_t command)
{
    const uint32_t which = below(BUFFERS), low = 4 * below(BYTES / 4);
    const uint64_t size = 1 + below(below(2) ? 8 : BYTES - low);
    const bool change = below(2);
    const struct command_event event = {.command = command,
                                        .kind = change ? ACCESS_WRITE : ACCESS_READ,
                                        .address = buffer[which]->low + low,
                                        .size_bytes = size < BYTES - low ? size : BYTES - low,
                                        .role = COMMAND_MOVES};
    did(command, which, change, low, event.size_bytes);
    orders.command(orders.self, &event);
}

/* ---- orders ------------------------------------------------------------------------------------ */

static struct {
    bool kernel, known[COMMANDS + 1], begun, done;
    uint32_t after[3], oracle_ops_left;
} state[COMMANDS + 1];
static bool host_clock[COMMANDS + 1];

static void announce(enum order_kind kind, uint32_t command, const uint32_t *after, size_t count)
{
    const struct order_event event = {.kind = kind,
                                      .command = command,
                                      .queue = 1,
                                      .device = 1,
                                      .call = "clEnqueue",
                                      .after = after,
                                      .after_count = count};
    orders.order(orders.self, &event);
}

/* In a row mostly, as in-order queues have it. */
static void enqueue(uint32_t command, uint32_t straight)
{
    memset(&state[command], 0, sizeof state[command]);
    state[command].kernel = below(4) > 0;
    state[command].oracle_ops_left = state[command].kernel ? 1 + below(3) : 1;
    size_t count = 0;
    if (command > 1 && below(8) < straight)
        state[command].after[count++] = command - 1;
    if (command > 1 && below(3) == 0)
        state[command].after[count++] = 1 + below(command - 1);
    memcpy(state[command].known, host_clock, sizeof host_clock);
    announce(ORDER_ENQUEUED, command, state[command].after, count);
}

static void acquire(bool *clock, uint32_t command)
{
    clock[command] = true;
    for (uint32_t i = 1; i <= COMMANDS; i++)
        clock[i] |= state[command].known[i];
}

static struct launch_info launch_of(uint32_t command, const char *kernel)
{
    return (struct launch_info){.launch = command,
                                .command = command,
                                .kernel = kernel,
                                .program = &program,
                                .work_dim = 1,
                                .global_size = {GROUPS * ITEMS, 1, 1},
                                .local_size = {ITEMS, 1, 1},
                                .group_count = {GROUPS, 1, 1},
                                .sub_group_size = ITEMS};
}

static bool begin(uint32_t command)
{
    for (const uint32_t *after = state[command].after; *after; after++)
        if (!state[*after].done)
            return false;
    for (const uint32_t *after = state[command].after; *after; after++)
        acquire(state[command].known, *after);
    state[command].begun = true;
    oracle_ops_done = 0;
    announce(ORDER_BEGIN, command, NULL, 0);
    launches[command] = launch_of(command, below(2) ? "one" : "other");
    if (state[command].kernel)
        phase(command, LAUNCH_BEGIN, 0);
    return true;
}

static void continue_run(uint32_t command)
{
    (state[command].kernel ? one_oracle_op : host_oracle_op)(command);
    oracle_ops_done++;
    if (--state[command].oracle_ops_left)
        return;
    if (state[command].kernel)
        phase(command, LAUNCH_END, 0);
    announce(ORDER_END, command, NULL, 0);
    state[command].done = true;
}

static bool conflict(uint32_t a, uint32_t b)
{
    const struct operation *x = &operations[a], *y = &operations[b];
    for (uint32_t l = 0; l < lives; l++)
        for (uint32_t i = 0; i < BYTES; i++)
            if ((x->changed[l][i] && (y->changed[l][i] || y->read[l][i])) ||
                (y->changed[l][i] && x->read[l][i]))
                return true;
    return false;
}

static bool expected(void)
{
    for (uint32_t a = 1; a <= COMMANDS; a++)
        for (uint32_t b = 1; b < a; b++)
            if (state[a].done && state[b].done && !state[a].known[b] && !state[b].known[a] && conflict(a, b))
                return true;
    return false;
}

static bool found(void)
{
    for (size_t i = 0; i < report_count(report); i++)
        if (report_get(report, i)->kind == FINDING_RACE_COMMANDS)
            return true;
    return false;
}

static void judge_line(const struct finding *finding, const struct finding_access *access)
{
    const char *number = strstr(access->by, "(command ");
    const uint32_t command = number ? (uint32_t)atoi(number + strlen("(command ")) : 0;
    ck_assert_uint_le(command, COMMANDS);
    if (!state[command].kernel)
        return;
    counts.reported += access->place.line > 0;
    counts.unreported += access->place.line == 0;
    ck_assert_uint_gt(access->size_bytes, 0);
    for (uint64_t i = 0; access->place.line && i < access->size_bytes; i++)
        if (!by_site[command][access->place.line][finding->offset_bytes + i])
            ck_abort_msg("command %u has not touched byte %u by the instruction that is reported", command,
                         (unsigned)(finding->offset_bytes + i));
    ck_assert_uint_eq((access->place.line - 1) % 8,
                      access->place.line ? access->kind : (access->place.line - 1) % 8);
}

static void judge_lines(void)
{
    for (size_t i = 0; i < report_count(report); i++) {
        const struct finding *finding = report_get(report, i);
        for (uint32_t side = 0; finding->kind == FINDING_RACE_COMMANDS && side < 2; side++)
            judge_line(finding, &finding->access[side]);
    }
}

/* Returns how many commands ended before a race was found. */
static uint32_t one_history(uint32_t straight)
{
    uint32_t enqueued = 0, ended = 0, side_by_side = 1 + below(SIDE_BY_SIDE), running[SIDE_BY_SIDE] = {0};
    memset(state, 0, sizeof state);
    memset(host_clock, 0, sizeof host_clock);
    while (ended < COMMANDS) {
        if (enqueued < COMMANDS && below(2))
            enqueue(++enqueued, straight);
        const uint32_t slot = below(side_by_side), one = enqueued ? 1 + below(enqueued) : 0;
        if (!running[slot] && one && !state[one].begun && begin(one))
            running[slot] = one;
        if (running[slot])
            continue_run(running[slot]);
        if (running[slot] && state[running[slot]].done) {
            running[slot] = 0;
            ended++;
        }
        bool idle = true;
        for (uint32_t i = 0; i < side_by_side; i++)
            idle &= !running[i];
        /*
         * Accesses of a running launch may replace those of others: then the race is reported when that ends.
         */
        if (expected() != found() && (idle || found()))
            return COMMANDS + ended;
        if (found())
            return ended;
        if (one && state[one].done && below(6) == 0) {
            acquire(host_clock, one);
            announce(ORDER_HOST_WAITED, 0, &one, 1);
        }
        if (idle && lives < LIVES && below(8) == 0) {
            const uint32_t which = below(BUFFERS);
            arena_release(&arena, buffer[which]);
            allocate(which);
        }
    }
    return ended;
}

START_TEST(random_commands_against_the_closure_of_their_edges)
{
    const char *given = getenv("CHECK_RACE_PROGRAMS");
    const uint32_t programs = given ? (uint32_t)atoi(given) : 3000;
    uint32_t races = 0, ended_programs = 0;
    for (uint32_t i = 0; i < programs; i++) {
        dice = i;
        set_up();
        const uint32_t ended = one_history(below(2) ? 8 : 5 + below(3));
        if (ended > COMMANDS)
            ck_abort_msg("history %u: after %u commands the race is %s", i, ended - COMMANDS,
                         found() ? "invented" : "lost");
        judge_lines();
        races += ended < COMMANDS;
        ended_programs += ended == COMMANDS;
        tear_down();
    }
    if (programs < 1000)
        return;
    ck_assert_uint_gt(races, programs / 10);
    ck_assert_uint_gt(ended_programs, programs / 10);
    ck_assert_uint_gt(counts.whole, 100);
    ck_assert_uint_gt(counts.epochs, 100);
    ck_assert_uint_gt(counts.places, 100);
    ck_assert_uint_gt(counts.fetched, 100);
    ck_assert_uint_gt(counts.dropped, 100);
    ck_assert_uint_gt(counts.settled, counts.dropped + 100);
    ck_assert_uint_gt(counts.chained, 20);
    ck_assert_uint_gt(counts.unreported, 0);
    ck_assert_uint_gt(counts.reported, 50 * counts.unreported);
}
END_TEST

/* A buffer for each launch, released after it: the end of a launch looked at all that ever were. */
static void launch_each(uint32_t count)
{
    const uint32_t word[ITEMS] = {0, 1, 2, 3};
    open_stage(UINT64_C(8) << 30, 1);
    for (uint32_t i = 1; i <= count; i++) {
        allocate(0);
        life[0] = 0;
        announce(ORDER_ENQUEUED, i, NULL, 0);
        announce(ORDER_BEGIN, i, NULL, 0);
        launches[1] = launch_of(i, "one");
        phase(1, LAUNCH_BEGIN, 0);
        acts(1, 0, ACCESS_WRITE, 0, word, 15, 4);
        phase(1, LAUNCH_END, 0);
        announce(ORDER_END, i, NULL, 0);
        announce(ORDER_HOST_WAITED, 0, &i, 1);
        arena_release(&arena, buffer[0]);
    }
    tear_down();
}

START_TEST(launches_with_a_buffer_of_their_own)
{
    growth_is_linear(launch_each, 20000);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("footprints");
    TCase *tests = tcase_create("kept");
    tcase_set_timeout(tests, 0);
    tcase_add_test(tests, random_commands_against_the_closure_of_their_edges);
    tcase_add_test(tests, launches_with_a_buffer_of_their_own);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
