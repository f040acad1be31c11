/* SPDX-License-Identifier: Apache-2.0 */
/* Sets of readers against arrays of bools. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/dice.h"
#include "sim/memmodel/shadow/reader_set.h"
#include "orrery/limits.h"

enum { CELLS = 40, UNITS = 300, CONTEXTS = 4 };

/* has[unit][context] */
static struct {
    uint64_t value;
    bool has[UNITS][CONTEXTS];
} cells[CELLS];
static struct readers readers;

static void compare(uint32_t at)
{
    static bool found[UNITS][CONTEXTS];
    if (!readers_has(&readers, cells[at].value))
        return;
    memset(found, 0, sizeof found);
    for (struct reader_walk walk = readers_walk(&readers, cells[at].value); readers_next(&readers, &walk);)
        for (uint64_t bits = walk.mask; bits; bits &= bits - 1)
            found[walk.unit + (uint32_t)__builtin_ctzll(bits)][walk.context] = true;
    ck_assert_int_eq(memcmp(found, cells[at].has, sizeof found), 0);
}

static void begin(uint32_t at, uint32_t unit, uint32_t context)
{
    readers_free(&readers, cells[at].value);
    memset(cells[at].has, 0, sizeof cells[at].has);
    cells[at].value = epoch(unit, context);
    cells[at].has[unit][context] = true;
}

/* It may refuse: then an access set would take them. */
static void add(uint32_t at, uint32_t unit, uint32_t context)
{
    const bool added = readers_add(&readers, &cells[at].value, unit, context);
    cells[at].has[unit][context] |= added;
}

static void copy(uint32_t from, uint32_t to)
{
    if (from == to)
        return;
    readers_free(&readers, cells[to].value);
    cells[to] = cells[from];
    ck_assert(readers_copy(&readers, &cells[to].value));
}

START_TEST(sets_have_their_readers)
{
    for (uint32_t i = 0; i < CELLS; i++)
        begin(i, 100 + i, 1);
    for (uint32_t i = 0; i < 200000; i++) {
        const uint32_t at = below(CELLS), unit = below(UNITS), context = 1 + below(CONTEXTS - 1),
                       count = below(8) ? 1 : 1 + below(UNITS - unit);
        for (uint32_t k = 0; k < count; k++)
            add(at, unit + k, context);
        compare(at);
        if (below(50) == 0)
            copy(at, below(CELLS));
        if (below(20) == 0)
            begin(below(CELLS), below(UNITS), 1 + below(CONTEXTS - 1));
        if (i % 5000 == 0)
            for (uint32_t c = 0; c < CELLS; c++)
                compare(c);
    }
    readers_check(&readers);
    readers_fini(&readers);
}
END_TEST

START_TEST(blocks_of_freed_sets_are_used_again)
{
    for (uint32_t i = 0; i < 1000; i++) {
        uint64_t value = epoch(5, 1);
        for (uint32_t k = 1; k < 4; k++)
            ck_assert(readers_add(&readers, &value, 5 + k * READERS_BLOCK, 1 + k));
        readers_free(&readers, value);
    }
    ck_assert_uint_le(readers.count, 5);
    readers_check(&readers);
    readers_fini(&readers);
}
END_TEST

START_TEST(neighbouring_readers_share_a_block)
{
    uint64_t value = epoch(READERS_BLOCK, 1);
    for (uint32_t k = 1; k < READERS_BLOCK; k++)
        ck_assert(readers_add(&readers, &value, READERS_BLOCK + k, 1));
    struct reader_walk walk = readers_walk(&readers, value);
    ck_assert(readers_next(&readers, &walk));
    ck_assert(walk.unit == READERS_BLOCK && walk.mask == UINT64_MAX && walk.context == 1);
    ck_assert(!readers_next(&readers, &walk));
    readers_fini(&readers);
}
END_TEST

/* The highest unit and context that an epoch has bits for. */
START_TEST(distant_readers_stay_in_the_set)
{
    const uint64_t unit = (UINT64_C(1) << (64 - CONTEXT_BITS)) - 1;
    const uint32_t context = READERS_FROM - 1;
    uint64_t value = epoch(0, 1);
    ck_assert(readers_add(&readers, &value, unit, context));
    struct reader_walk walk = readers_walk(&readers, value);
    ck_assert(readers_next(&readers, &walk));
    ck_assert(walk.unit + 63 == unit && walk.mask == UINT64_C(1) << 63 && walk.context == context);
    ck_assert(readers_next(&readers, &walk));
    ck_assert(walk.unit == 0 && walk.mask == 1 && walk.context == 1);
    readers_fini(&readers);
}
END_TEST

/* A unit that reads in each of many contexts, and many units that lie apart, need an access set. */
START_TEST(long_sets_are_refused)
{
    uint64_t again = epoch(7, 1), apart = epoch(7, 1);
    uint32_t count = 1;
    while (count < 1000 && readers_add(&readers, &again, 7, 1 + count))
        count++;
    ck_assert_uint_le(count, HOSTILE(4, 5));
    for (count = 1; count < 1000 && readers_add(&readers, &apart, 7 + count * READERS_BLOCK, 1);)
        count++;
    ck_assert_uint_eq(count, HOSTILE(64, 16));
    readers_check(&readers);
    readers_fini(&readers);
}
END_TEST

/* A number of an earlier launch is no set of a later one. */
START_TEST(forgotten_sets_are_no_sets)
{
    uint64_t value = epoch(5, 1), later = epoch(5, 1);
    ck_assert(readers_add(&readers, &value, 6 + READERS_BLOCK, 1));
    ck_assert(readers_has(&readers, value));
    readers_forget(&readers);
    ck_assert(!readers_has(&readers, value));
    ck_assert(readers_add(&readers, &later, 7 + READERS_BLOCK, 1));
    ck_assert(later != value && readers_has(&readers, later) && !readers_has(&readers, value));
    readers_check(&readers);
    readers_fini(&readers);
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("readers");
    Suite *suite = suite_create("readers");
    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, sets_have_their_readers);
    tcase_add_test(tcase, blocks_of_freed_sets_are_used_again);
    tcase_add_test(tcase, neighbouring_readers_share_a_block);
    tcase_add_test(tcase, distant_readers_stay_in_the_set);
    tcase_add_test(tcase, long_sets_are_refused);
    tcase_add_test(tcase, forgotten_sets_are_no_sets);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
