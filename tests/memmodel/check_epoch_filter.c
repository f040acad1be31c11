/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pairs that the epoch filter passes on, by the loops of every instruction set of this machine, against
 * all pairs of accesses. The filter never misses a conflict; of plain accesses without barriers it passes on
 * conflicts only.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/support/dice.h"
#include "tests/support/many_asserts.h"
#include "sim/memmodel/filter/epoch_filter.h"

enum {
    LOW = 1 << 20,
    UNITS = 512,
    SHARED = 64,
    GRANULES = UNITS + SHARED,
    LAUNCHES = 4000,
    EVENTS = 24,
    ACCESSES_MOST = 24 * 256
};

struct access {
    uint32_t unit, group, base;
    enum access_kind kind;
    struct access *before;
};

static struct epoch_filter epoch_filter;
static struct spare spare;
static struct access accesses[ACCESSES_MOST], *latest[GRANULES];
static uint32_t access_count, items, lanes, base_of[UNITS];
static bool plain, barriers;
static struct {
    uint64_t taken, doubted, listed, rows;
} counts;

/* Of two units: some atomics include each other, and loads never conflict with reads. */
static bool clash(enum access_kind one, enum access_kind other)
{
    const bool atomic = one > ACCESS_WRITE && other > ACCESS_WRITE,
               reads = one == ACCESS_READ || one == ACCESS_ATOMIC_READ,
               read = other == ACCESS_READ || other == ACCESS_ATOMIC_READ;
    return !atomic && !(reads && read);
}

/* Does it conflict with what was before? It is the latest then. */
static bool conflicts(uint32_t granule, uint32_t unit, enum access_kind kind)
{
    const uint32_t group = unit / items;
    bool conflict = false;
    for (const struct access *other = latest[granule]; other; other = other->before)
        conflict |= other->unit != unit && !(other->group == group && other->base < base_of[group]) &&
                    clash(other->kind, kind);
    ck_assert_uint_lt(access_count, ACCESSES_MOST);
    struct access *own = &accesses[access_count++];
    *own = (struct access){unit, group, base_of[group], kind, latest[granule]};
    latest[granule] = own;
    return conflict;
}

static enum access_kind some_kind(void)
{
    return plain || below(3) ? (below(2) ? ACCESS_READ : ACCESS_WRITE)
                             : (enum access_kind)(ACCESS_ATOMIC_READ + below(3));
}

/* Mostly each its own, in no order. */
static uint32_t some_granule(uint32_t sort, uint32_t unit, uint32_t lane, enum access_kind kind)
{
    if (sort % 2 && (kind != ACCESS_WRITE || below(200) == 0))
        return UNITS + below(SHARED);
    if (below(1500) == 0)
        return below(GRANULES);
    return sort < 6 ? unit ^ 1 : unit - lane + (lane * 37) % lanes;
}

/* Side by side, from one of few places, so that waves do the same again: in most lanes, or in all. False:
 * they conflict. */
static bool one_row(struct access_event *event, uint32_t first_unit)
{
    uint64_t *mask = (uint64_t *)(uintptr_t)event->mask;
    const uint32_t first = below(3) ? first_unit : below(GRANULES / 32) * 8, thin = below(4) == 0;
    bool conflict = false;
    event->shape = ADDRESS_AFFINE;
    event->base = LOW + 4 * (uint64_t)first;
    event->step_x = 4;
    event->origin.site = below(3);
    memset(mask, 0, LANE_MASK_WORDS * sizeof *mask);
    for (uint32_t lane = 0; lane < lanes; lane++) {
        if (thin && lane % 3 == 0)
            continue;
        mask[lane / 64] |= UINT64_C(1) << lane % 64;
        conflict |= conflicts(first + lane, first_unit + lane, event->kind);
    }
    counts.rows++;
    return !conflict;
}

/* False: they conflict. */
static bool one_event(struct access_event *event, uint32_t first_unit)
{
    uint64_t *address = (uint64_t *)(uintptr_t)event->address, *mask = (uint64_t *)(uintptr_t)event->mask;
    const uint32_t sort = below(8), thin = below(3);
    bool conflict = false;
    memset(mask, 0, LANE_MASK_WORDS * sizeof *mask);
    for (uint32_t lane = 0; lane < lanes; lane++) {
        const uint32_t granule = some_granule(sort, first_unit + lane, lane, event->kind);
        address[lane] = LOW + 4 * granule;
        if (thin && below(1 + thin))
            continue;
        mask[lane / 64] |= UINT64_C(1) << lane % 64;
        conflict |= conflicts(granule, first_unit + lane, event->kind);
    }
    return !conflict;
}

static void one_launch(void)
{
    static const struct {
        uint32_t items, lanes;
    } shapes[] = {{16, 64}, {64, 64}, {256, 64}, {64, 256}, {256, 256}};
    const uint32_t shape = below(5);
    uint64_t mask[LANE_MASK_WORDS], address[WAVE_LANES_MAX];
    items = shapes[shape].items;
    lanes = shapes[shape].lanes;
    plain = below(2);
    barriers = items >= lanes && below(2);
    const bool rows = below(2);
    uint32_t latest_wave = 0;
    access_count = 0;
    memset(latest, 0, sizeof latest);
    for (uint32_t i = 0; i < UNITS; i++)
        base_of[i] = 1;
    ck_assert(epoch_filter_open(&epoch_filter, &(struct epoch_filter_plan){UNITS / items, items, 4}));
    for (uint32_t i = 0; i < EVENTS; i++) {
        const uint32_t wave = rows && i && below(3) ? latest_wave : below(UNITS / lanes),
                       first = wave * lanes, group = first / items;
        latest_wave = wave;
        if (barriers && below(4) == 0)
            base_of[group]++;
        const struct lane_units wave_items = {.serial = 1 + wave + 100 * base_of[group],
                                                   .lanes = lanes,
                                                   .in_a_row = true,
                                                   .first_unit = first,
                                                   .one_group = items >= lanes,
                                                   .group = group,
                                                   .base = base_of[group],
                                                   .unit_low = group * items};
        struct access_event event = {.kind = some_kind(),
                                     .size_bytes = 4,
                                     .lane_count = lanes,
                                     .mask = mask,
                                     .shape = ADDRESS_LIST,
                                     .address = address,
                                     .row = lanes,
                                     .scope = SCOPE_DEVICE};
        const bool fine = rows && below(4) ? one_row(&event, first) : one_event(&event, first),
                   taken = epoch_filter_take(&epoch_filter, &event, &wave_items, 1, SCOPE_DEVICE);
        ck_assert_msg(fine || !taken,
                      "a conflict went through: event %u of a launch of %u items and %u lanes", i, items,
                      lanes);
        ck_assert_msg(!fine || taken || barriers || !plain,
                      "doubt without a conflict: event %u of %u items and %u lanes", i, items, lanes);
        counts.taken += taken;
        counts.doubted += !taken;
        if (!taken)
            break;
    }
    epoch_filter_close(&epoch_filter);
    epoch_filter_forget(&epoch_filter);
}

/* A loop that keeps a sum in memory: the log does not grow with its iterations. */
START_TEST(repeated_access_is_not_logged_again)
{
    static const uint64_t mask[LANE_MASK_WORDS] = {UINT64_MAX};
    spare = (struct spare){.most = 1 << 26};
    epoch_filter_init(&epoch_filter, LOW, 4 * GRANULES, &spare);
    ck_assert(epoch_filter_open(&epoch_filter, &(struct epoch_filter_plan){UNITS / 64, 64, 4}));
    const struct lane_units wave_items = {
        .serial = 1, .lanes = 64, .in_a_row = true, .one_group = true, .base = 1};
    struct access_event event = {.size_bytes = 4,
                                 .lane_count = 64,
                                 .mask = mask,
                                 .shape = ADDRESS_AFFINE,
                                 .base = LOW,
                                 .step_x = 4,
                                 .row = 64};
    size_t used = 0;
    for (uint32_t i = 0; i < 100; i++) {
        event.kind = i % 2 ? ACCESS_WRITE : ACCESS_READ;
        event.origin.site = i % 2;
        ck_assert(epoch_filter_take(&epoch_filter, &event, &wave_items, 1, SCOPE_DEVICE));
        used = i == 1 ? epoch_filter.access_log.used : used;
    }
    ck_assert_uint_eq(epoch_filter.access_log.used, used);
    /* in another segment */
    ck_assert(epoch_filter_take(&epoch_filter, &event, &wave_items, 2, SCOPE_DEVICE));
    ck_assert_uint_gt(epoch_filter.access_log.used, used);
    epoch_filter_fini(&epoch_filter);
}
END_TEST

START_TEST(epoch_filter_misses_no_conflict)
{
    memset(&counts, 0, sizeof counts);
    spare = (struct spare){.most = 1 << 26};
    epoch_filter_init(&epoch_filter, LOW, 4 * GRANULES, &spare);
    for (uint32_t i = 0; i < LAUNCHES; i++) {
        dice = i;
        one_launch();
    }
    epoch_filter_fini(&epoch_filter);
    ck_assert_uint_gt(counts.taken, LAUNCHES);
    ck_assert_uint_gt(counts.doubted, LAUNCHES / 4);
    ck_assert_uint_gt(counts.rows, LAUNCHES);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("epoch_filter");
    TCase *tests = tcase_create("epoch_filter");
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, epoch_filter_misses_no_conflict);
    tcase_add_test(tests, repeated_access_is_not_logged_again);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
