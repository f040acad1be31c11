/* SPDX-License-Identifier: Apache-2.0 */
/* Compact pages of the shadow against an array of full epochs. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/dice.h"
#include "sim/memmodel/shadow/compact_page.h"

enum { BYTES = 256, FIRST = 1000 };

static void compare(const struct compact *compact, uint64_t whole[BYTES][2])
{
    for (uint32_t at = 0; at < BYTES; at++)
        for (uint32_t slot = 0; slot < 2; slot++)
            ck_assert_uint_eq(compact_get(compact, at, slot), whole[at][slot]);
}

/* Returns how many epochs fitted. */
static uint32_t fill(uint64_t base, uint32_t units, uint32_t contexts, uint32_t lists)
{
    struct compact *compact = compact_new(BYTES);
    uint64_t whole[BYTES][2] = {{0}};
    uint32_t done = 0, most = 2000;
    compact_begin(compact, FIRST);
    for (; done < most; done++) {
        const uint32_t at = below(BYTES), slot = below(2);
        const bool list = lists && slot && below(4) == 0;
        const uint64_t value = below(8) == 0 ? 0
                               : list        ? epoch(below(lists), CONTEXT_ACCESS_SET)
                                             : epoch(base + below(units), FIRST + below(contexts));
        if (!compact_put(compact, at, slot, value))
            break;
        whole[at][slot] = value;
        if (done % 100 == 0)
            compare(compact, whole);
    }
    compare(compact, whole); /* a refusal changes nothing */
    compact_free(compact);
    return done;
}

/* Bytes whose readers are near their writers. */
static uint32_t fill_alike(uint64_t base, uint32_t units, uint32_t contexts)
{
    struct compact *compact = compact_new(BYTES);
    uint64_t whole[BYTES][2] = {{0}};
    uint32_t done = 0, most = 2000;
    bool fits = true;
    compact_begin(compact, FIRST);
    for (; fits && done < most; done++) {
        const uint32_t at = below(BYTES);
        const uint64_t unit = base + below(units);
        const uint64_t value[2] = {below(4) ? epoch(unit, FIRST + below(contexts)) : 0,
                                   below(4) ? epoch(unit + below(3), FIRST + below(contexts)) : 0};
        for (uint32_t i = 0; fits && i < 4; i++) { /* both are converted, and then back */
            const uint32_t slot = i % 2;
            const uint64_t put = i < 2 ? 0 : value[slot];
            fits = compact_put(compact, at, slot, put);
            whole[at][slot] = fits ? put : whole[at][slot];
        }
        if (done % 100 == 0 || !fits)
            compare(compact, whole);
    }
    compact_free(compact);
    return fits ? done : done - 1;
}

START_TEST(epochs_are_restored)
{
    for (uint32_t i = 0; i < 50; i++)
        fill_alike(below(2) ? 0 : (uint64_t)below(1 << 30) << 3, 1u << below(30), 1 + below(70));
    for (uint32_t i = 0; i < 200; i++)
        fill(below(2) ? 0 : (uint64_t)below(1 << 30) << 3, 1u << below(25), 1 + below(300),
             below(3) ? 0 : 1 + below(1 << 22));
}
END_TEST

START_TEST(a_million_units_or_many_contexts_fit)
{
#ifndef ORRERY_HOSTILE
    ck_assert_uint_eq(fill(0, 1 << 20, 8, 0), 2000);
    ck_assert_uint_eq(fill(123456, 1 << 16, 80, 100), 2000);
    ck_assert_uint_lt(fill(0, 1 << 24, 8, 0), 2000);
    ck_assert_uint_eq(fill_alike(5, 1 << 16, 20), 2000);
    ck_assert_uint_lt(fill_alike(5, 1 << 24, 20), 2000);
    ck_assert_uint_lt(fill(0, 100, 300, 0), 2000);
#endif
}
END_TEST

START_TEST(another_launch_begins_with_nothing)
{
    struct compact *compact = compact_new(BYTES);
    compact_begin(compact, FIRST);
    ck_assert(compact_put(compact, 7, 1, epoch(5, FIRST)));
    compact_begin(compact, FIRST);
    ck_assert_uint_eq(compact_get(compact, 7, 1), epoch(5, FIRST));
    compact_begin(compact, FIRST + 1);
    ck_assert(compact_is_of(compact, FIRST + 1) && !compact_is_of(compact, FIRST));
    ck_assert_uint_eq(compact_get(compact, 7, 1), 0);
    compact_free(compact);
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("narrow");
    Suite *suite = suite_create("compact_page");
    tcase_add_test(tcase, epochs_are_restored);
    tcase_add_test(tcase, a_million_units_or_many_contexts_fit);
    tcase_add_test(tcase, another_launch_begins_with_nothing);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
