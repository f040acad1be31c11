/* SPDX-License-Identifier: Apache-2.0 */
/* Vector clocks against arrays of clock values: puts, rows and joins in random order, of keys near each
 * other and far apart. */
#include <check.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "sim/memmodel/order/vclock.h"

enum { KEYS = 700, MAPS = 24, STEPS = 2500 };

static struct vclock_pool pool;
static struct vclock *maps[MAPS];
static uint32_t known[MAPS][KEYS];
static uint64_t keys[KEYS];

static uint64_t next_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + 1442695040888963407;
    return *state >> 33;
}

/* Neighbouring units, for rows; then keys of all sorts, near and far. */
static void choose_keys(uint64_t *state)
{
    for (uint64_t i = 0; i < KEYS; i++)
        keys[i] = i < 300   ? (1000 + i) << 2
                  : i < 400 ? (i * 64) << 2 | 1
                  : i < 500 ? (next_random(state) << 20 | i) << 2 | (i & 3)
                            : (UINT64_C(1) << 40 | i * 7) << 2 | 2;
}

static void check_map(uint32_t m)
{
    bool equal = true;
    for (uint32_t i = 0; i < KEYS; i++)
        equal &= vclock_get(&pool, maps[m], keys[i]) == known[m][i];
    ck_assert(equal);
}

static void replace(uint32_t m, struct vclock *with)
{
    vclock_drop(&pool, maps[m]);
    maps[m] = with;
}

static void put_one(uint64_t *state, uint32_t m)
{
    const uint32_t i = (uint32_t)next_random(state) % KEYS, clock = 1 + (uint32_t)next_random(state) % 50;
    replace(m, vclock_put(&pool, maps[m], keys[i], clock));
    if (clock > known[m][i])
        known[m][i] = clock;
}

/* Afterwards the slot's clock has only values that were put. */
static void extend_one(uint64_t *state, uint32_t m)
{
    const uint32_t i = (uint32_t)next_random(state) % KEYS, clock = 1 + (uint32_t)next_random(state) % 50,
                   other = (uint32_t)next_random(state) % MAPS;
    struct vclock *more = vclock_extend(&pool, &maps[m], keys[i], clock);
    if (clock > known[m][i])
        known[m][i] = clock;
    if (other != m) {
        replace(other, more);
        memcpy(known[other], known[m], sizeof known[m]);
        more = NULL;
    }
    replace(m, vclock_put(&pool, maps[m], keys[i], clock));
    vclock_drop(&pool, more);
}

static void join_row(uint64_t *state, uint32_t m)
{
    uint32_t clock[100];
    const uint32_t first = (uint32_t)next_random(state) % 200, count = 1 + (uint32_t)next_random(state) % 99;
    for (uint32_t i = 0; i < count; i++) {
        clock[i] = next_random(state) % 4 ? 0 : 1 + (uint32_t)next_random(state) % 50;
        if (clock[i] > known[m][first + i])
            known[m][first + i] = clock[i];
    }
    struct vclock *row = vclock_of_row(&pool, 1000 + first, clock, count);
    replace(m, vclock_join(&pool, maps[m], row));
    vclock_drop(&pool, row);
}

static void join_two(uint64_t *state, uint32_t m)
{
    const uint32_t a = (uint32_t)next_random(state) % MAPS, b = (uint32_t)next_random(state) % MAPS;
    static uint32_t both[KEYS];
    for (uint32_t i = 0; i < KEYS; i++)
        both[i] = known[a][i] > known[b][i] ? known[a][i] : known[b][i];
    replace(m, vclock_join(&pool, maps[a], maps[b]));
    memcpy(known[m], both, sizeof both);
}

/* A clock that is said to dominate another has all of it. */
static void check_dominates(uint32_t a, uint32_t b)
{
    bool all = true;
    for (uint32_t i = 0; vclock_dominates_quickly(maps[a], maps[b]) && i < KEYS; i++)
        all &= known[a][i] >= known[b][i];
    ck_assert(all);
}

static uint32_t found_nearby;

/* The nearest nodes of a deferred clock decide some queries, and never wrongly. */
static void check_has(uint64_t *state, uint32_t m)
{
    const uint32_t i = (uint32_t)next_random(state) % KEYS;
    const uint64_t clock = known[m][i];
    const bool deferred = vclock_was_deferred(maps[m]);
    ck_assert(!deferred || !vclock_has_nearby(&pool, maps[m], keys[i], clock));
    found_nearby += deferred && clock && vclock_has_nearby(&pool, maps[m], keys[i], clock - 1);
    ck_assert(!clock || vclock_has(&pool, maps[m], keys[i], clock - 1));
    ck_assert(!vclock_has(&pool, maps[m], keys[i], clock));
}

static size_t count_unused(void)
{
    size_t count = 0;
    for (uint32_t kind = 0; kind < VCLOCK_KINDS; kind++)
        for (const struct vclock *node = pool.unused[kind]; node; node = node->next)
            count++;
    return count;
}

/* 0: the default; 1: all puts and joins are deferred; 2: all clocks are computed when many steps are not;
 * 3: likewise when queries cost much. */
static void choose_limits(int fast_path)
{
    if (fast_path > 0)
        pool.bytes_most = 0;
    if (fast_path == 2)
        pool.uncomputed_most = 20;
    if (fast_path == 3)
        pool.visited_most = 10;
}

START_TEST(maps_are_as_arrays)
{
    uint64_t state = 17 + (uint64_t)_i;
    vclock_pool_init(&pool);
    choose_limits(_i / 4);
    memset(known, 0, sizeof known);
    memset(maps, 0, sizeof maps);
    choose_keys(&state);
    for (uint32_t step = 0; step < STEPS; step++) {
        const uint32_t m = (uint32_t)next_random(&state) % MAPS, what = (uint32_t)next_random(&state) % 100;
        if (what < 60) {
            put_one(&state, m);
        } else if (what < 70) {
            extend_one(&state, m);
        } else if (what < 75) {
            join_row(&state, m);
        } else if (what < 92) {
            join_two(&state, m);
        } else {
            replace(m, NULL); /* an empty clock */
            memset(known[m], 0, sizeof known[m]);
        }
        if (next_random(&state) % 8 == 0)
            check_has(&state, m);
        if (_i < 4 || next_random(&state) % 16 == 0)
            check_map(m);
        check_dominates(m, (uint32_t)next_random(&state) % MAPS);
    }
    for (uint32_t m = 0; m < MAPS; m++)
        check_map(m);
    ck_assert(_i < 4 || found_nearby > 0);
    ck_assert(!pool.failed);
    for (uint32_t m = 0; m < MAPS; m++)
        replace(m, NULL);
    ck_assert_uint_eq(pool.uncomputed, 0);
    ck_assert_uint_eq(pool.bytes, 0);
    const size_t all = count_unused();
    struct vclock *one = vclock_put(&pool, NULL, 4, 1);
    ck_assert_uint_eq(count_unused(), all - 1); /* no node was lost, or returned twice */
    vclock_drop(&pool, one);
    ck_assert_uint_eq(count_unused(), all);
    vclock_check(&pool);
    vclock_pool_fini(&pool);
}
END_TEST

/* Each step refers to the one before, which no recursion may follow. A query computes one clock from all
 * of them. */
START_TEST(a_million_wait)
{
    enum { MILLION = 1000000, UNITS = 5000 };
    struct vclock *map = NULL;
    vclock_pool_init(&pool);
    pool.bytes_most = 0;
    for (uint64_t i = 0; i < MILLION; i++) {
        struct vclock *more = vclock_put(&pool, map, i % UNITS << 2, 1 + i);
        vclock_drop(&pool, map);
        map = more;
    }
    struct vclock *same = vclock_put(&pool, map, 0, MILLION + 1);
    for (uint64_t i = 0; i < UNITS; i++)
        ck_assert_uint_eq(vclock_get(&pool, map, i << 2), MILLION - UNITS + 1 + i);
    ck_assert_uint_eq(vclock_get(&pool, map, UNITS << 2), 0);
    vclock_drop(&pool, map);
    ck_assert_uint_eq(vclock_get(&pool, same, 0), MILLION + 1);
    ck_assert_uint_eq(vclock_get(&pool, same, 4), MILLION - UNITS + 2);
    for (uint64_t i = 0; i < MILLION; i++) {
        struct vclock *more = vclock_put(&pool, same, i << 2, MILLION + 2);
        vclock_drop(&pool, same);
        same = more;
    }
    vclock_drop(&pool, same); /* without a query */
    ck_assert_uint_eq(pool.bytes, 0);
    vclock_check(&pool);
    vclock_pool_fini(&pool);
}
END_TEST

static struct vclock *any; /* a clock that makes the pool costly */

static void put_all_off(void)
{
    vclock_pool_init(&pool);
    any = vclock_put(&pool, NULL, UINT64_C(1) << 50, 1);
    pool.bytes_most = 0;
}

static void check_all_freed(void)
{
    vclock_drop(&pool, any);
    ck_assert_uint_eq(pool.bytes, 0);
    vclock_check(&pool);
    vclock_pool_fini(&pool);
}

static bool near; /* all keys are of one leaf; else each is of its own */

static uint64_t key_of(uint32_t unit)
{
    return (uint64_t)unit << (near ? 2 : 12);
}

/* One unit after another joins the clock of the unit before and puts its own clock value: each clock has
 * all units, and few nodes of its own. */
static void put_in_order(struct vclock **each, uint32_t units, uint32_t first, uint32_t last)
{
    for (uint32_t round = first; round <= last; round++) {
        for (uint32_t u = 0; u < units; u++) {
            struct vclock *more = vclock_join(&pool, each[u], each[(u + units - 1) % units]),
                          *put = vclock_put(&pool, more, key_of(u), round);
            vclock_drop(&pool, more);
            vclock_drop(&pool, each[u]);
            each[u] = put;
        }
    }
}

static void check_rounds(struct vclock **each, uint32_t units, uint32_t rounds)
{
    for (uint32_t u = 0; u < units; u++) {
        for (uint32_t other = 0; other < units; other++)
            ck_assert_uint_eq(vclock_get(&pool, each[u], key_of(other)), other <= u ? rounds : rounds - 1);
        vclock_drop(&pool, each[u]);
    }
    check_all_freed();
}

/* If very many joins of few units are deferred, the maps are computed, which takes less memory. */
START_TEST(many_deferred_clocks_of_few_units_are_computed)
{
    enum { UNITS = 8, ROUNDS = 10000, MOST = 4000 };
    struct vclock *each[UNITS] = {0};
    uint32_t most = 0;
    put_all_off();
    pool.uncomputed_most = MOST;
    pool.units = UNITS;
    for (uint32_t round = 0; round < ROUNDS; round += 10) {
        put_in_order(each, UNITS, round + 1, round + 10);
        most = pool.uncomputed > most ? pool.uncomputed : most;
    }
    ck_assert_uint_le(most, MOST);
    ck_assert_uint_gt(most, MOST / 4);
    check_rounds(each, UNITS, ROUNDS);
}
END_TEST

/* They stay deferred if each unit has put a few times only. */
START_TEST(deferred_clocks_of_many_units_stay_deferred)
{
    enum { UNITS = 1000, MOST = 1900 };
    static struct vclock *each[UNITS];
    put_all_off();
    near = true;
    pool.uncomputed_most = MOST;
    pool.units = 8 * UNITS;
    put_in_order(each, UNITS, 1, 2);
    ck_assert_uint_ge(pool.uncomputed, 2 * UNITS);
    ck_assert_uint_eq(pool.uncomputed_most, MOST); /* no attempt was made */
    check_rounds(each, UNITS, 2);
}
END_TEST

/* The latest first: a query would visit everything beneath it, but soon all clocks are computed. */
START_TEST(many_queries_compute_all_clocks)
{
    enum { UNITS = 64, ROUNDS = 50 };
    struct vclock *each[UNITS] = {0};
    uint32_t queried = 0;
    put_all_off();
    near = true;
    pool.visited_most = 100;
    put_in_order(each, UNITS, 1, ROUNDS);
    ck_assert_uint_gt(pool.uncomputed, UNITS * ROUNDS / 2);
    for (uint32_t u = UNITS; u-- > 0 && pool.uncomputed; queried++)
        ck_assert_uint_eq(vclock_get(&pool, each[u], key_of(0)), ROUNDS);
    ck_assert_uint_lt(queried,
                      HOSTILE(UNITS / 2, UNITS + 1)); /* with tiny leaves it costs more than a query */
    check_rounds(each, UNITS, ROUNDS);
}
END_TEST

/* A clock with one put takes one node. */
START_TEST(puts_of_many_units_take_little_memory)
{
    enum { UNITS = 1000, EACH_MOST = sizeof(struct vclock) };
    static struct vclock *each[UNITS];
    put_all_off();
    pool.uncomputed_most = UNITS + 1;
    const size_t before = pool.bytes;
    for (uint64_t unit = 0; unit < UNITS; unit++)
        each[unit] = vclock_put(&pool, NULL, unit << 2, 5);
    ck_assert_uint_le(pool.bytes - before, UNITS * EACH_MOST);
    for (uint64_t unit = 0; unit < UNITS; unit++) {
        ck_assert_uint_eq(vclock_get(&pool, each[unit], unit << 2), 5);
        vclock_drop(&pool, each[unit]);
    }
    check_all_freed();
}
END_TEST

/* The unit's own clock value goes into the node that joined another clock, while no other clock includes it. */
START_TEST(a_put_goes_into_the_join_before_it)
{
    put_all_off();
    struct vclock *other = vclock_put(&pool, NULL, 40, 3), *own = vclock_put(&pool, NULL, 8, 1),
                  *both = vclock_join(&pool, own, other);
    const size_t before = pool.bytes;
    struct vclock *first = vclock_extend(&pool, &both, 4, 1);
    ck_assert_ptr_eq(first, both);
    ck_assert_uint_eq(pool.bytes, before);
    struct vclock *second = vclock_extend(&pool, &both, 4, 2);
    ck_assert_ptr_ne(first, second);
    ck_assert(vclock_dominates_quickly(second, first));
    ck_assert_uint_eq(vclock_get(&pool, first, 4), 1);
    ck_assert_uint_eq(vclock_get(&pool, second, 4), 2);
    ck_assert_uint_eq(vclock_get(&pool, second, 40), 3);
    struct vclock *of_own[] = {other, own, both, first, second};
    for (uint32_t i = 0; i < 5; i++)
        vclock_drop(&pool, of_own[i]);
    check_all_freed();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("vclock");
    TCase *tests = tcase_create("maps");
    tcase_set_timeout(tests, 120);
    tcase_add_loop_test(tests, maps_are_as_arrays, 0, 16);
    tcase_add_test(tests, a_million_wait);
    tcase_add_test(tests, many_deferred_clocks_of_few_units_are_computed);
    tcase_add_test(tests, deferred_clocks_of_many_units_stay_deferred);
    tcase_add_test(tests, many_queries_compute_all_clocks);
    tcase_add_test(tests, puts_of_many_units_take_little_memory);
    tcase_add_test(tests, a_put_goes_into_the_join_before_it);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
