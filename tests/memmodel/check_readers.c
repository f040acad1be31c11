/* SPDX-License-Identifier: Apache-2.0 */
/* Sets of readers that cells share, against lists of their own. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/dice.h"
#include "sim/memmodel/shadow/reader_set.h"
#include "orrery/limits.h"

enum { CELLS = 40, UNITS = 300, CONTEXTS = 5 };

/* has[unit][context] */
static struct {
    uint64_t slot;
    bool has[UNITS][CONTEXTS];
} cells[CELLS];
static struct readers readers;
static void compare(uint32_t at)
{
    static bool found[UNITS][CONTEXTS];
    struct reader_walk walk = readers_walk(cells[at].slot);
    uint32_t blocks = 0;
    if (!is_reader_set(walk.rest))
        return;
    memset(found, 0, sizeof found);
    for (; readers_next(&readers, &walk); blocks++)
        for (uint32_t i = 0; i < READERS_BLOCK; i++)
            if (walk.mask >> i & 1)
                found[epoch_unit(cells[at].slot) + (uint64_t)(int64_t)walk.block * READERS_BLOCK + i]
                     [walk.context] = true;
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
        readers_mark(&readers, epoch_context(cells[i].slot));
    ck_assert(readers_sweep_end(&readers) && readers_room(&readers));
}

static void begin(uint32_t at, uint32_t unit, uint32_t context)
{
    memset(cells[at].has, 0, sizeof cells[at].has);
    cells[at].slot = epoch(unit, context);
    cells[at].has[unit][context] = true;
}

/* False: it repeats. */
static bool add(uint32_t at, uint32_t unit, uint32_t context, bool lasting)
{
    uint64_t copy = cells[at].slot, *slot = lasting ? &cells[at].slot : &copy;
    make_room();
    if (!lasting)
        readers_close(&readers); /* before a cell is copied */
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
    readers_part(&readers, epoch_context(cells[at].slot));
    cells[other] = cells[at];
}

START_TEST(sets_have_their_members)
{
    uint32_t again = 0;
    for (uint32_t i = 0; i < CELLS; i++)
        begin(i, 100 + i, 1);
    for (uint32_t i = 0; i < 200000; i++) {
        const uint32_t at = below(CELLS), unit = below(UNITS), context = below(CONTEXTS),
                       count = below(8) ? 1 : 1 + below(UNITS - unit);
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
    readers_check(&readers);
    readers_fini(&readers);
}
END_TEST

/* A set of neighbouring readers needs no more memory for many cells than for one. */
START_TEST(neighbouring_readers_share_blocks)
{
    static uint64_t slots[1000];
    for (uint32_t i = 0; i < 1000; i++) {
        slots[i] = epoch(1000 + i, 1);
        for (uint32_t k = 1; k < 4; k++) {
            if (!readers_room(&readers))
                ck_assert(readers_widen(&readers));
            ck_assert(readers_add(&readers, &slots[i], true, 1000 + i - k, 1 + k));
        }
    }
    readers_close(&readers);
    for (uint32_t i = 1; i < 1000; i++)
        ck_assert_uint_eq(epoch_context(slots[i]), epoch_context(slots[0]));
    ck_assert_uint_le(readers.used, 8);
    readers_check(&readers);
    readers_fini(&readers);
}
END_TEST

static void add_to(uint64_t *slot, uint64_t unit, uint32_t context)
{
    if (!readers_room(&readers))
        ck_assert(readers_widen(&readers));
    ck_assert(readers_add(&readers, slot, true, unit, context));
}

/* A cell whose readers no other cell shares needs some five bytes for each reader, not 28; in the next launch,
 * too. */
START_TEST(unshared_readers_are_listed)
{
    enum { SLOTS = 5000, EACH = 12 };
    static uint64_t slots[SLOTS];
    for (uint32_t from = 1, before = 0; from < 4000000; from += 1000000, before = (uint32_t)readers.lists) {
        readers_forget(&readers);
        for (uint32_t i = 0; i < SLOTS; i++)
            slots[i] = epoch(below(1 << 16), from + i % 7);
        for (uint32_t k = 0; k < EACH; k++)
            for (uint32_t i = 0; i < SLOTS; i++)
                add_to(&slots[i], below(1 << 16), from + k % 7);
        readers_close(&readers);
        ck_assert_uint_gt(readers.lists, before + SLOTS);
        ck_assert_uint_le(readers.used * sizeof *readers.blocks, SLOTS * EACH * 5);
    }
    readers_check(&readers);
    readers_fini(&readers);
}
END_TEST

/* As if there had been many cells with nothing in common. */
static void begin_lists(void)
{
    readers_forget(&readers);
    readers.alone = 1 << 12;
    readers.met = 0;
}

struct reader {
    uint64_t unit;
    uint32_t context;
};

static bool has_reader(uint64_t slot, struct reader reader)
{
    for (struct reader_walk walk = readers_walk(slot); readers_next(&readers, &walk);)
        for (uint64_t bits = walk.mask; bits; bits &= bits - 1)
            if (walk.context == reader.context && epoch_unit(slot) +
                                                          (uint64_t)((int64_t)walk.block * READERS_BLOCK) +
                                                          (uint32_t)__builtin_ctzll(bits) ==
                                                      reader.unit)
                return true;
    return false;
}

static bool are_among(uint64_t slot, const struct reader *all, uint32_t count)
{
    bool found = true;
    for (struct reader_walk walk = readers_walk(slot); readers_next(&readers, &walk);)
        for (uint64_t bits = walk.mask; bits; bits &= bits - 1) {
            const uint64_t unit = epoch_unit(slot) + (uint64_t)((int64_t)walk.block * READERS_BLOCK) +
                                  (uint32_t)__builtin_ctzll(bits);
            bool is = false;
            for (uint32_t i = 0; i < count; i++)
                is |= all[i].unit == unit && all[i].context == walk.context;
            found &= is;
        }
    return found;
}

static uint32_t count_readers(uint64_t slot)
{
    uint32_t count = 0;
    for (struct reader_walk walk = readers_walk(slot); readers_next(&readers, &walk);)
        count += (uint32_t)__builtin_popcountll(walk.mask);
    return count;
}

/* Near the base and far from it, before and after, in contexts that lie near each other and far apart. */
static void check_edges(uint64_t base, uint32_t context, uint32_t unit_bits, uint32_t context_bits)
{
    const uint64_t away = UINT64_C(1) << unit_bits;
    const uint32_t later = 1u << context_bits;
    const struct reader all[] = {
        {base, context},
        {base + away, context},
        {base + away - 1, context + later},
        {base + away / 8 * 7 - 1, context + later - 1},
        {base + away / 8 * 7, context + later / 8 * 7},
        {base - away / 8, context},
        {base - away / 8 - 1, context - later / 8},
        {base - away, context - later},
        {base + 2, context - later / 8 - 1},
        {base + READERS_BLOCK, context},
        {base + 1, context},
    };
    uint64_t slot = epoch(all[0].unit, all[0].context);
    begin_lists();
    for (uint32_t i = 1; i < sizeof all / sizeof *all; i++) {
        add_to(&slot, all[i].unit, all[i].context);
        for (uint32_t k = 0; k <= i; k++)
            ck_assert_msg(has_reader(slot, all[k]), "%u of %u, %u bits of units, %u of contexts", k, i,
                          unit_bits, context_bits);
        ck_assert(are_among(slot, all, i + 1));
    }
    readers_close(&readers);
}

START_TEST(lists_have_all_that_fits)
{
    enum { CONTEXT = 1 << 25 };
    for (uint32_t unit_bits = 3; unit_bits < 24; unit_bits++)
        for (uint32_t context_bits = 3; context_bits < 25; context_bits++)
            check_edges((UINT64_C(1) << 25) + unit_bits, CONTEXT, unit_bits, context_bits);
    check_edges((UINT64_C(1) << 29) + 5, CONTEXT, 29, 3);
    for (uint32_t unit_bits = 3; unit_bits < 15; unit_bits++) /* also where limits are tiny */
        check_edges((1 << 15) + unit_bits, CONTEXT, unit_bits, 3);
    ck_assert_uint_gt(readers.lists, HOSTILE(21 * 22, 12));
    readers_check(&readers);
    readers_fini(&readers);
}
END_TEST

/* Units at such a distance that no origin is kept for them. */
START_TEST(distant_readers_are_kept_in_blocks)
{
    for (uint32_t i = 0; i < 100; i++)
        check_edges((UINT64_C(1) << 32) + i * 1000, 1 << 20, 20, 10);
    ck_assert_uint_eq(readers.lists, 0);
    readers_check(&readers);
    readers_fini(&readers);
}
END_TEST

/* Cells that share readers with listed ones become one block, and the list that they leave takes other
 * cells. */
START_TEST(neighbours_leave_lists)
{
    begin_lists();
    uint64_t slot = epoch(5000, 1);
    const struct reader all[] = {{5000, 1}, {9000, 2}, {9700, 3}, {7000, 2}, {9001, 2},
                                 {9002, 2}, {8100, 4}, {9003, 3}, {8200, 2}, {7001, 2}};
    for (uint32_t i = 1; i < sizeof all / sizeof *all; i++)
        add_to(&slot, all[i].unit, all[i].context);
    for (uint32_t i = 0; i < sizeof all / sizeof *all; i++)
        ck_assert(has_reader(slot, all[i]));
    ck_assert_uint_eq(count_readers(slot), sizeof all / sizeof *all);
    readers_check(&readers);
    readers_fini(&readers);
}
END_TEST

/* Two cells that shared a list have one each. */
START_TEST(cells_that_part_keep_their_lists)
{
    begin_lists();
    uint64_t slots[2] = {epoch(5000, 1)};
    for (uint32_t i = 1; i < 6; i++)
        add_to(&slots[0], 5000 + 300 * i, 1 + i % 3);
    readers_close(&readers);
    readers_part(&readers, epoch_context(slots[0]));
    slots[1] = slots[0];
    for (uint32_t i = 1; i < 6; i++)
        add_to(&slots[i % 2], 5000 + 300 * i, 1 + i % 3);
    ck_assert(count_readers(slots[0]) == 6 && count_readers(slots[1]) == 6);
    for (uint32_t i = 6; i < 12; i++)
        add_to(&slots[i % 2], 5000 + 300 * i, 1 + i % 3);
    for (uint32_t i = 1; i < 12; i++)
        for (uint32_t s = 0; s < 2; s++)
            ck_assert(has_reader(slots[s], (struct reader){5000 + 300 * i, 1 + i % 3}) ==
                      (i < 6 || i % 2 == s));
    readers_check(&readers);
    readers_fini(&readers);
}
END_TEST

/* Their numbers mean nothing to later ones. */
START_TEST(forgotten_access_has_no_unit)
{
    begin(0, 5, 1);
    ck_assert(add(0, 6, 1, true));
    const uint32_t set = epoch_context(cells[0].slot);
    ck_assert(readers_has(&readers, set));
    readers_forget(&readers);
    ck_assert(!readers_has(&readers, set));
    begin(0, 5, 1);
    ck_assert(add(0, 7, 1, true));
    ck_assert_uint_ne(epoch_context(cells[0].slot), set);
    ck_assert(!readers_has(&readers, set));
    compare(0);
    readers_check(&readers);
    readers_fini(&readers);
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("readers");
    Suite *suite = suite_create("readers");
    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, sets_have_their_members);
    tcase_add_test(tcase, neighbouring_readers_share_blocks);
    tcase_add_test(tcase, unshared_readers_are_listed);
    tcase_add_test(tcase, lists_have_all_that_fits);
    tcase_add_test(tcase, distant_readers_are_kept_in_blocks);
    tcase_add_test(tcase, neighbours_leave_lists);
    tcase_add_test(tcase, cells_that_part_keep_their_lists);
    tcase_add_test(tcase, forgotten_access_has_no_unit);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
