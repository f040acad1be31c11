/* SPDX-License-Identifier: Apache-2.0 */
/* The epoch filter's loops over lanes, against the definitions of epochs.h, lane by lane. */
#include <stdlib.h>
#include <string.h>

#include "tests/support/dice.h"
#include "tests/support/many_asserts.h"
#include "sim/memmodel/filter/epochs.h"

enum { GRANULES = 600, ROUNDS = 20000, FIRST = 100, LOW = 140, HIGH = 140 + 257, LOADS = 102, MANY = 103 };

static void random_mask(uint32_t lanes, uint64_t mask[LANE_MASK_WORDS])
{
    const uint32_t sort = below(3);
    memset(mask, 0, LANE_MASK_WORDS * sizeof *mask);
    for (uint32_t i = 0; i < lanes; i++)
        if (sort == 0 || below(sort == 1 ? 2 : 16) == 0)
            mask[i / 64] |= UINT64_C(1) << i % 64;
}

static bool acts(const uint64_t *mask, uint32_t lane)
{
    return mask[lane / 64] >> lane % 64 & 1;
}

/* ---- runs ------------------------------------------------------------------------------------ */

static uint64_t found, not_found;

static void check_runs(const struct lane_list *list)
{
    struct lane_runs runs;
    bool seen[WAVE_LANES_MAX] = {false};
    if (!epochs_find_runs(list, &runs)) {
        not_found++;
        return;
    }
    for (uint32_t r = 0; r < runs.count; r++)
        for (uint32_t i = 0; i < runs.run[r].count; i++) {
            const uint32_t lane = runs.run[r].lane + i;
            ck_assert(!seen[lane]);
            seen[lane] = true;
            ck_assert_uint_eq(runs.run[r].at + (uint64_t)i * list->size, list->address[lane] - list->low);
            ck_assert_uint_le(list->address[lane] - list->low + list->size, list->room);
        }
    for (uint32_t lane = 0; lane < list->lanes; lane++)
        ck_assert(seen[lane] || !acts(list->mask, lane));
    found += runs.count > 0;
}

START_TEST(runs_are_all_active_lanes)
{
    found = not_found = 0;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        uint64_t mask[LANE_MASK_WORDS];
        const uint32_t lanes = 1 + below(WAVE_LANES_MAX), size = 1u << below(5), length = 1 + below(70);
        /* so that an access after it is noticed */
        uint64_t *address = malloc(lanes * sizeof *address), at = 5000 + below(100);
        for (uint32_t i = 0; i < lanes; i++, at += size) {
            if (below(length) == 0)
                at = 5000 - 2 * size + below(4000);
            address[i] = at;
        }
        random_mask(lanes, mask);
        check_runs(&(struct lane_list){address, mask, lanes, size, 5000, below(2) ? 1u << 20 : 3000u});
        free(address);
    }
    ck_assert_uint_gt(found, ROUNDS / 8);
    ck_assert_uint_gt(not_found, ROUNDS / 8);
}
END_TEST

/* ---- lists ----------------------------------------------------------------------------------- */

START_TEST(lists_are_the_active_lanes_one_by_one)
{
    uint32_t outside = 0;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        uint64_t mask[LANE_MASK_WORDS];
        const uint32_t lanes = 1 + below(WAVE_LANES_MAX), size = 1u << below(5);
        uint64_t *address = malloc(lanes * sizeof *address); /* so that an access after it is noticed */
        uint32_t at[WAVE_LANES_MAX], count = 0, bits = 0, expected_count = 0, expected_bits = 0;
        bool within = true;
        random_mask(lanes, mask);
        for (uint32_t i = 0; i < lanes; i++) {
            address[i] = !acts(mask, i) ? UINT64_MAX - below(9000)
                         : below(200)   ? 5000 + below(3001 - size)
                         : below(2)     ? 8001 - size
                         : below(2)     ? below(5000)
                                        : UINT64_MAX - below(9);
        }
        const struct lane_list list = {address, mask, lanes, size, 5000, 3000};
        const bool fits = epochs_list_lanes(&list, at, &count, &bits);
        for (uint32_t i = 0; i < lanes; i++) {
            if (!acts(mask, i))
                continue;
            within &= address[i] >= 5000 && address[i] + size <= 8000 && address[i] + size > size;
            ck_assert(!fits || at[expected_count] == address[i] - 5000);
            expected_bits |= (uint32_t)(address[i] - 5000);
            expected_count++;
        }
        ck_assert_int_eq(fits, within);
        ck_assert(!fits || (count == expected_count && bits == expected_bits));
        outside += !within;
        free(address);
    }
    ck_assert_uint_gt(outside, ROUNDS / 10);
    ck_assert_uint_lt(outside, ROUNDS - ROUNDS / 10);
}
END_TEST

/* ---- epochs ----------------------------------------------------------------------------------- */

struct planes {
    int32_t readers[GRANULES], writers[GRANULES];
};

static int32_t random_epoch(void)
{
    return below(3) ? 50 * (int32_t)below(2) : below(4) ? (int32_t)below(HIGH + 60) : LOADS;
}

/* As epochs.h and epoch_filter.c have it: one lane. False: doubt. */
static bool one_lane(struct planes *planes, bool write, uint32_t at, int32_t own)
{
    const int32_t reader = planes->readers[at], writer = planes->writers[at];
    const bool read_before = reader >= FIRST && reader != own,
               written_before = writer >= FIRST && writer != own;
    if (write)
        planes->writers[at] = own;
    else
        planes->readers[at] = !read_before ? own : reader >= LOW && reader < HIGH ? HIGH - 1 : MANY;
    return !(written_before && (write || writer != LOADS)) && !(write && read_before);
}

static uint32_t some_runs(uint32_t lanes, struct lane_runs *runs)
{
    uint32_t lane = 0;
    for (runs->count = 0; runs->count < LANE_RUNS_MOST && lane < lanes; runs->count++) {
        const uint32_t left = lanes - lane, count = 1 + below(left < 40 ? left : 40);
        runs->run[runs->count] =
            (struct lane_run){4 * below(GRANULES - count + 1), (uint16_t)lane, (uint16_t)count};
        lane += count + below(3);
    }
    return runs->count;
}

START_TEST(epochs_as_lane_by_lane)
{
    static struct planes before, wanted, got;
    uint32_t order_queries = 0;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        const uint32_t lanes = 1 + below(WAVE_LANES_MAX), quiet = below(3);
        const bool write = below(2);
        int32_t own[WAVE_LANES_MAX] = {0};
        uint64_t mask[LANE_MASK_WORDS];
        struct lane_runs runs;
        bool fine = true;
        for (uint32_t i = 0; i < GRANULES; i++) {
            before.readers[i] = quiet ? 50 * (int32_t)below(2) : random_epoch();
            before.writers[i] = quiet > 1 ? 0 : random_epoch();
        }
        for (uint32_t i = 0; i < lanes; i++)
            own[i] = LOW + (int32_t)i;
        some_runs(lanes, &runs);
        random_mask(lanes, mask);
        wanted = got = before;
        for (uint32_t r = 0; r < runs.count; r++)
            for (uint32_t i = 0; i < runs.run[r].count; i++)
                if (acts(mask, runs.run[r].lane + i))
                    fine &= one_lane(&wanted, write, runs.run[r].at / 4 + i, own[runs.run[r].lane + i]);
        const struct epoch_row row = {.readers = got.readers,
                                      .writers = got.writers,
                                      .own = own,
                                      .mask = mask,
                                      .shift = 2,
                                      .first = FIRST,
                                      .low = LOW,
                                      .high = HIGH,
                                      .many = MANY,
                                      .loads = LOADS};
        ck_assert_int_eq(epochs_touch_runs(&row, &runs, write), fine);
        ck_assert_mem_eq(&got, &wanted, sizeof got);
        order_queries += !fine;
    }
    ck_assert_uint_gt(order_queries, ROUNDS / 10);
    ck_assert_uint_lt(order_queries, ROUNDS - ROUNDS / 10);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("epochs");
    TCase *tests = tcase_create("epochs");
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, runs_are_all_active_lanes);
    tcase_add_test(tests, lists_are_the_active_lanes_one_by_one);
    tcase_add_test(tests, epochs_as_lane_by_lane);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
