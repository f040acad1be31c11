/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The access log: the grain that divides all offsets and sizes, that a log is judged once, and which
 * accesses remain when its capacity is exceeded.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/dice.h"
#include "sim/memmodel/filter/access_log.h"

enum { LOW = 1 << 20, LANES = 64 };

static struct spare spare;
static struct access_log access_log;

static void set_up(void)
{
    spare = (struct spare){.most = 1 << 20};
    access_log = (struct access_log){.low = LOW, .size = 1 << 16, .spare = &spare};
}

static void tear_down(void)
{
    access_log_fini(&access_log);
}

/* Of a row of lanes side by side. */
static void note(uint64_t offset, uint32_t size)
{
    static const uint64_t all[LANE_MASK_WORDS] = {UINT64_MAX};
    const struct access_event event = {.kind = ACCESS_READ,
                                       .size_bytes = size,
                                       .lane_count = LANES,
                                       .mask = all,
                                       .shape = ADDRESS_AFFINE,
                                       .base = LOW + offset,
                                       .step_x = size,
                                       .row = LANES};
    const struct lane_units wave_items = {.serial = 1, .lanes = LANES, .in_a_row = true};
    ck_assert(access_log_add(&access_log, &event, NULL, &wave_items, 1, SCOPE_WORK_ITEM));
}

START_TEST(the_grain_divides_all)
{
    ck_assert_uint_eq(access_log_grain(&access_log), 4); /* that of most */
    note(64, 16);
    ck_assert_uint_eq(access_log_grain(&access_log), 4);
    note(66, 4);
    ck_assert_uint_eq(access_log_grain(&access_log), 2);
    note(64, 4);
    ck_assert_uint_eq(access_log_grain(&access_log), 2);
    note(64, 1);
    ck_assert_uint_eq(access_log_grain(&access_log), 1);
    access_log_forget(&access_log);
    ck_assert_uint_eq(access_log_grain(&access_log), 4);
    note(0, 2);
    ck_assert_uint_eq(access_log_grain(&access_log), 2);
    access_log_check(&access_log);
}
END_TEST

/*
 * Each event may query: to read all notes each time takes the square of the time. Notes that have been read
 * are overwritten here, and the grain stays.
 */
START_TEST(checked_log_is_not_checked_again)
{
    for (uint32_t round = 0; round < 100; round++) {
        note(64 * round, 4);
        ck_assert_uint_eq(access_log_grain(&access_log), 4);
        memset(access_log.bytes, 0xff, access_log.used);
    }
    note(2, 4);
    ck_assert_uint_eq(access_log_grain(&access_log), 2);
}
END_TEST

/* ---- reads that others stand for ------------------------------------------------------------ */

enum { WORDS = 256, SITES = 3, WRITES = 2, GROUPS = 16, GROUP_ITEMS = 16, WAVES = 3000 };

/* How often a work-group did it, by word and site. */
struct counts {
    uint32_t done[WORDS][SITES][GROUPS];
    uint64_t clock;
};

static bool scattered(struct counts *counts, uint32_t site, uint32_t wave)
{
    uint64_t address[LANES], mask[LANE_MASK_WORDS] = {(uint64_t)below(UINT32_MAX) << 32 | below(UINT32_MAX)};
    /* a list, a list of adjacent words, a rule of the lane */
    const uint32_t first = below(GROUPS / 4) * LANES, words = 1 + below(2), form = below(3);
    const uint32_t row = form ? 4 * below(WORDS / 4) : 0;
    const struct access_event event = {.origin = {.site = site},
                                       .kind = site == WRITES ? ACCESS_WRITE : ACCESS_READ,
                                       .size_bytes = 4 * words,
                                       .lane_count = LANES,
                                       .mask = mask,
                                       .shape = form == 2 ? ADDRESS_AFFINE : ADDRESS_LIST,
                                       .address = address,
                                       .base = LOW + row,
                                       .step_x = 4 * words,
                                       .row = LANES};
    const struct lane_units wave_items = {
        .serial = 1 + wave, .lanes = LANES, .in_a_row = true, .first_unit = first};
    struct lane_places listed;
    for (uint32_t lane = 0; lane < LANES; lane++)
        /* the other reads have fewer words */
        address[lane] =
            form ? LOW + row + 4 * words * lane : LOW + 4 * below(site == 0 ? WORDS - 1 : WORDS / 4);
    ck_assert(event.shape != ADDRESS_LIST || access_log_list(&access_log, &event, &listed));
    if (!access_log_add(&access_log, &event, &listed, &wave_items, 1 + wave, SCOPE_WORK_ITEM))
        return false;
    for (uint32_t lane = 0; lane < LANES; lane++)
        for (uint32_t w = 0; w < words && mask[0] >> lane & 1; w++)
            counts->done[(address[lane] - LOW) / 4 + w][site][(first + lane) / GROUP_ITEMS]++;
    return true;
}

static void recount(void *self, const struct past_access *access)
{
    struct counts *counts = self;
    ck_assert_uint_ge(access->clock, counts->clock);
    counts->clock = access->clock;
    for (uint32_t w = 0; w < access->size / 4; w++)
        counts->done[(access->address - LOW) / 4 + w][access->site][access->unit / GROUP_ITEMS]++;
}

static uint32_t groups_in(const uint32_t done[GROUPS])
{
    uint32_t groups = 0;
    for (uint32_t g = 0; g < GROUPS; g++)
        groups += done[g] > 0;
    return groups;
}

/* All of a word that one group read, two groups of any other; and all writes. */
static void judge_left(const struct counts *did, const struct counts *left)
{
    for (uint32_t word = 0; word < WORDS; word++)
        for (uint32_t site = 0; site < SITES; site++) {
            const uint32_t *before = did->done[word][site], *now = left->done[word][site],
                           groups = groups_in(before);
            const bool all = site == WRITES || groups < 2;
            ck_assert_uint_ge(groups_in(now), groups < 2 ? groups : 2);
            for (uint32_t g = 0; g < GROUPS; g++)
                ck_assert(all ? now[g] == before[g] : now[g] <= before[g]);
        }
}

START_TEST(covered_reads_are_left_out)
{
    static struct counts did, left;
    dice = 7;
    spare.most = 1 << 16; /* so much and no more */
    access_log.size = 4 * WORDS;
    access_log.group_items = GROUP_ITEMS;
    for (uint32_t wave = 0; wave < WAVES; wave++) {
        ck_assert(scattered(&did, wave < 20 ? below(SITES) : below(WRITES), wave));
        if (wave % 100)
            continue;
        memset(&left, 0, sizeof left);
        access_log_replay(&access_log, recount, &left);
        judge_left(&did, &left);
    }
    ck_assert(access_log.thinned);
    access_log_forget(&access_log);
    ck_assert(!access_log.thinned);
}
END_TEST

/* If some unit may acquire from another work-group, all reads count. */
START_TEST(reads_stay_if_a_unit_acquires)
{
    static struct counts did;
    bool room = true;
    dice = 7;
    spare.most = 1 << 16;
    access_log.size = 4 * WORDS;
    for (uint32_t wave = 0; room && wave < WAVES; wave++)
        room = scattered(&did, 0, wave);
    ck_assert(!room);
    ck_assert(!access_log.thinned);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("access_log");
    TCase *tests = tcase_create("notes");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, the_grain_divides_all);
    tcase_add_test(tests, checked_log_is_not_checked_again);
    tcase_add_test(tests, covered_reads_are_left_out);
    tcase_add_test(tests, reads_stay_if_a_unit_acquires);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
