/* SPDX-License-Identifier: Apache-2.0 */
/* The access log: the grain that divides all offsets and sizes, and that a log is judged once. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

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

int main(void)
{
    Suite *suite = suite_create("access_log");
    TCase *tests = tcase_create("notes");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, the_grain_divides_all);
    tcase_add_test(tests, checked_log_is_not_checked_again);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
