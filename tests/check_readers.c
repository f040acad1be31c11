/* SPDX-License-Identifier: Apache-2.0 */
/* Sets of readers that cells share, against lists of their own. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "memmodel/readers.h"

enum { CELLS = 40, UNITS = 300, CONTEXTS = 5 };

/* has[unit][context] */
static struct { uint64_t slot; bool has[UNITS][CONTEXTS]; } cells[CELLS];
static struct readers readers;
static uint64_t state;

static uint32_t below(uint32_t limit)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(state >> 33) % limit;
}

static void compare(uint32_t at)
{
    static bool found[UNITS][CONTEXTS];
    struct reader_walk walk = {.rest = stamp_context(cells[at].slot)};
    uint32_t blocks = 0;
    if (!is_reader_set(walk.rest))
        return;
    memset(found, 0, sizeof found);
    for (; readers_next(&readers, &walk); blocks++)
        for (uint32_t i = 0; i < READERS_BLOCK; i++)
            if (walk.mask >> i & 1)
                found[stamp_unit(cells[at].slot) + (uint64_t)(int64_t)walk.block * READERS_BLOCK + i][walk.context] = true;
    ck_assert(blocks > 0 && memcmp(found, cells[at].has, sizeof found) == 0);
}

static void make_room(void)
{
    if (readers_room(&readers))
        return;
    if (readers.room < 256) {
        ck_assert(readers_widen(&readers));
        return;
    }
    ck_assert(readers_sweep_begin(&readers));
    for (uint32_t i = 0; i < CELLS; i++)
        readers_mark(&readers, stamp_context(cells[i].slot));
    ck_assert(readers_sweep_end(&readers) && readers_room(&readers));
}

static void begin(uint32_t at, uint32_t unit, uint32_t context)
{
    memset(cells[at].has, 0, sizeof cells[at].has);
    cells[at].slot = stamp(unit, context);
    cells[at].has[unit][context] = true;
}

/* False: it comes again and again. */
static bool add(uint32_t at, uint32_t unit, uint32_t context, bool lasting)
{
    uint64_t copy = cells[at].slot, *slot = lasting ? &cells[at].slot : &copy;
    make_room();
    copy = cells[at].slot;
    const bool added = readers_add(&readers, slot, lasting, unit, context);
    if (!lasting)
        cells[at].slot = copy;
    cells[at].has[unit][context] |= added;
    return added;
}

static void part(uint32_t at, uint32_t other)
{
    readers_close(&readers);
    readers_part(&readers, stamp_context(cells[at].slot));
    cells[other] = cells[at];
}

START_TEST(sets_have_who_came)
{
    uint32_t again = 0;
    for (uint32_t i = 0; i < CELLS; i++)
        begin(i, 100 + i, 1);
    for (uint32_t i = 0; i < 200000; i++) {
        const uint32_t at = below(CELLS), unit = below(UNITS), context = below(CONTEXTS), count = below(8) ? 1 : 1 + below(UNITS - unit);
        const bool lasting = below(4);
        for (uint32_t k = 0; k < count; k++)
            again += !add(at, unit + k, context, lasting);
        compare(at);
        if (below(50) == 0)
            part(at, below(CELLS));
        if (below(20) == 0)
            begin(below(CELLS), below(UNITS), below(CONTEXTS));
        if (i % 5000 == 0)
            for (uint32_t c = 0; c < CELLS; c++)
                compare(c);
    }
    ck_assert_uint_gt(again, 0);
    ck_assert_uint_gt(readers.lists, 0);
    readers_fini(&readers);
}
END_TEST

/* Whoever has neighbours for readers needs no more for many cells than for one. */
START_TEST(neighbours_share)
{
    static uint64_t slots[1000];
    for (uint32_t i = 0; i < 1000; i++) {
        slots[i] = stamp(1000 + i, 1);
        for (uint32_t k = 1; k < 4; k++) {
            if (!readers_room(&readers))
                ck_assert(readers_widen(&readers));
            ck_assert(readers_add(&readers, &slots[i], true, 1000 + i - k, 1 + k));
        }
    }
    readers_close(&readers);
    for (uint32_t i = 1; i < 1000; i++)
        ck_assert_uint_eq(stamp_context(slots[i]), stamp_context(slots[0]));
    ck_assert_uint_le(readers.used, 8);
    readers_fini(&readers);
}
END_TEST

/* A cell that has readers like no other needs some nine bytes for each of them, not 28. */
START_TEST(those_alone_are_listed)
{
    static uint64_t slots[5000];
    for (uint32_t i = 0; i < 5000; i++)
        slots[i] = stamp(below(1 << 20), 1 + i % 7);
    for (uint32_t k = 0; k < 10; k++) {
        for (uint32_t i = 0; i < 5000; i++) {
            if (!readers_room(&readers))
                ck_assert(readers_widen(&readers));
            ck_assert(readers_add(&readers, &slots[i], true, below(1 << 20), 1 + k % 7));
        }
    }
    readers_close(&readers);
    ck_assert_uint_gt(readers.lists, 5000);
    ck_assert_uint_le(readers.used, 5000 * 4 + 5000);
    readers_fini(&readers);
}
END_TEST

/* Their numbers mean nothing to later ones. */
START_TEST(what_is_forgotten_is_nobodys)
{
    begin(0, 5, 1);
    ck_assert(add(0, 6, 1, true));
    const uint32_t set = stamp_context(cells[0].slot);
    ck_assert(readers_has(&readers, set));
    readers_forget(&readers);
    ck_assert(!readers_has(&readers, set));
    begin(0, 5, 1);
    ck_assert(add(0, 7, 1, true));
    ck_assert_uint_ne(stamp_context(cells[0].slot), set);
    ck_assert(!readers_has(&readers, set));
    compare(0);
    readers_fini(&readers);
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("readers");
    Suite *suite = suite_create("readers");
    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, sets_have_who_came);
    tcase_add_test(tcase, neighbours_share);
    tcase_add_test(tcase, those_alone_are_listed);
    tcase_add_test(tcase, what_is_forgotten_is_nobodys);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
