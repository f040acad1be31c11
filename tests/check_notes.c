/* SPDX-License-Identifier: Apache-2.0 */
/* Notes of accesses: what divides all offsets and sizes, and that no note is looked at twice for it. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "memmodel/notes.h"

enum { LOW = 1 << 20, LANES = 64 };

static struct spare spare;
static struct notes notes;

static void set_up(void)
{
    spare = (struct spare){.most = 1 << 20};
    notes = (struct notes){.low = LOW, .size = 1 << 16, .loops = stamp_loops(0), .spare = &spare};
}

static void tear_down(void) { notes_fini(&notes); }

/* Of a row of lanes side by side. */
static void note(uint64_t offset, uint32_t size)
{
    static const uint64_t all[LANE_MASK_WORDS] = {UINT64_MAX};
    const struct access_event event = {.kind = ACCESS_READ, .size_bytes = size, .lane_count = LANES, .mask = all, .shape = ADDRESS_AFFINE,
                                       .base = LOW + offset, .step_x = size, .row = LANES};
    const struct wave_crew crew = {.serial = 1, .lanes = LANES, .in_a_row = true};
    ck_assert(notes_add(&notes, &event, NULL, &crew, 1, SCOPE_WORK_ITEM));
}

START_TEST(the_grain_divides_all)
{
    ck_assert_uint_eq(notes_grain(&notes), 4); /* that of most */
    note(64, 16);
    ck_assert_uint_eq(notes_grain(&notes), 4);
    note(66, 4);
    ck_assert_uint_eq(notes_grain(&notes), 2);
    note(64, 4);
    ck_assert_uint_eq(notes_grain(&notes), 2);
    note(64, 1);
    ck_assert_uint_eq(notes_grain(&notes), 1);
    notes_forget(&notes);
    ck_assert_uint_eq(notes_grain(&notes), 4);
    note(0, 2);
    ck_assert_uint_eq(notes_grain(&notes), 2);
}
END_TEST

/* Each event may ask: to look through all notes each time takes the square of the time. What has been looked at is made
 * illegible here, and the grain stays what it was. */
START_TEST(what_was_looked_at_is_not_looked_at_again)
{
    for (uint32_t round = 0; round < 100; round++) {
        note(64 * round, 4);
        ck_assert_uint_eq(notes_grain(&notes), 4);
        memset(notes.bytes, 0xff, notes.used);
    }
    note(2, 4);
    ck_assert_uint_eq(notes_grain(&notes), 2);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("notes");
    TCase *tests = tcase_create("notes");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, the_grain_divides_all);
    tcase_add_test(tests, what_was_looked_at_is_not_looked_at_again);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
