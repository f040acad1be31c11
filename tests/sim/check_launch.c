/* SPDX-License-Identifier: Apache-2.0 */
/* Tiling: every work-item in exactly one lane, whatever the sizes; origin_item against division by hand. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "sim/device/launch.h"
#include "sim/base/rng.h"

enum { ITEMS = 60000 };
static uint8_t seen[ITEMS];

static struct launch_info info_of(const struct tiling *tiling)
{
    struct launch_info info = {.launch = 1, .work_dim = 3, .sub_group_size = tiling->sub_group_size};
    memcpy(info.global_size, tiling->global_size, sizeof info.global_size);
    memcpy(info.local_size, tiling->local_size, sizeof info.local_size);
    memcpy(info.group_count, tiling->group_count, sizeof info.group_count);
    for (int i = 0; i < 3; i++)
        info.global_offset[i] = 1000 * (uint64_t)(i + 1);
    return info;
}

/* One assertion per wave: the library's assertions are slow, the work-items many. */
static bool item_is_right(const struct launch_info *info, const struct item *item)
{
    uint64_t id[3], extent[3];
    bool right = true;
    for (int i = 0; i < 3; i++) {
        id[i] = item->global_id[i] - info->global_offset[i];
        right &= id[i] < info->global_size[i];
        right &= item->group_id[i] == id[i] / info->local_size[i];
        right &= item->local_id[i] == id[i] % info->local_size[i];
        uint64_t end = (item->group_id[i] + 1) * info->local_size[i];
        extent[i] = (end > info->global_size[i] ? info->global_size[i] : end) -
                    item->group_id[i] * info->local_size[i];
    }
    uint64_t local = item->local_id[0] + extent[0] * (item->local_id[1] + extent[1] * item->local_id[2]);
    uint64_t group = item->group_id[0] +
                     info->group_count[0] * (item->group_id[1] + info->group_count[1] * item->group_id[2]);
    uint64_t linear = id[0] + info->global_size[0] * (id[1] + info->global_size[1] * id[2]);
    right &= item->local_linear == local && item->sub_group == local / info->sub_group_size;
    right &= item->group_linear == group;
    return right && seen[linear]++ == 0;
}

static void judge_wave(const struct tiling *tiling, const struct tile *tile, struct origin *origin,
                       uint32_t lanes)
{
    bool right = true;
    for (uint32_t lane = 0; lane < lanes; lane++) {
        struct item item;
        origin_item(origin, lane, &item);
        right &= item_is_right(origin->launch, &item);
        if (tiling->merged)
            continue;
        right &= item.local_linear == origin->first_lane + lane;
        for (int i = 0; i < 3; i++)
            right &= item.group_id[i] == tile->group_id[i];
        if (lane == 0 && tiling->sub_group_size <= tiling->wave_lanes)
            right &= item.local_linear % tiling->sub_group_size == 0;
    }
    ck_assert(right);
}

/* Every tile, wave and lane; returns how many tiles there were. */
static uint64_t walk(const struct tiling *tiling, uint32_t lanes_max)
{
    struct launch_info info = info_of(tiling);
    uint64_t items = info.global_size[0] * info.global_size[1] * info.global_size[2], groups = 0;
    ck_assert_uint_le(items, ITEMS);
    memset(seen, 0, sizeof seen);
    for (uint64_t number = 0; number < tiling->tile_total; number++) {
        struct tile tile;
        tiling_tile(tiling, number, &tile);
        struct origin origin = {.launch = &info};
        memcpy(origin.tile_origin, tile.origin, sizeof tile.origin);
        memcpy(origin.tile_size, tile.size, sizeof tile.size);
        uint32_t left = tile.lane_count;
        for (uint32_t i = 0; i < tiling_wave_count(tiling, &tile); i++) {
            uint32_t lanes = left < tiling->wave_lanes ? left : tiling->wave_lanes;
            ck_assert_uint_gt(lanes, 0);
            ck_assert_uint_le(lanes, lanes_max);
            origin.first_lane = tile.lane_count - left;
            judge_wave(tiling, &tile, &origin, lanes);
            left -= lanes;
        }
        ck_assert_uint_eq(left, 0);
        groups += tile.groups[0] * tile.groups[1] * tile.groups[2];
    }
    ck_assert_ptr_null(memchr(seen, 0, items));
    ck_assert_uint_eq(groups, tiling->group_count[0] * tiling->group_count[1] * tiling->group_count[2]);
    return tiling->tile_total;
}

static struct tiling cut(const uint64_t global[3], const uint64_t local[3], uint32_t sub_group,
                         uint32_t lanes, bool merge)
{
    struct tiling tiling;
    struct tiling_request request = {
        .sub_group_size = sub_group, .wave_lanes_max = lanes, .may_merge = merge};
    memcpy(request.global_size, global, sizeof request.global_size);
    memcpy(request.local_size, local, sizeof request.local_size);
    tiling_init(&tiling, &request);
    return tiling;
}

static struct tiling cut1(uint64_t global, uint64_t local, bool merge)
{
    return cut((uint64_t[3]){global, 1, 1}, (uint64_t[3]){local, 1, 1}, 32, 256, merge);
}

START_TEST(plain_sizes)
{
    struct {
        uint64_t global, local, tiles;
        uint32_t wave;
    } rows[] = {
        {1, 1, 1, 256},   {1024, 256, 4, 256}, {1024, 64, 16, 256}, {1000, 256, 4, 256}, {1024, 1024, 1, 256},
        {10, 64, 1, 256}, {2048, 512, 4, 256}, {257, 256, 2, 256},  {600, 300, 2, 256},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct tiling tiling = cut1(rows[i].global, rows[i].local, false);
        ck_assert_uint_eq(walk(&tiling, 256), rows[i].tiles);
        ck_assert_uint_eq(tiling.wave_lanes, rows[i].wave);
        ck_assert(!tiling.merged);
    }
}
END_TEST

START_TEST(small_groups_share_a_wave)
{
    struct {
        uint64_t global, local, step;
    } rows[] = {
        {4096, 64, 256},  {4096, 1, 256},  {4096, 16, 256},  {4096, 100, 200},
        {4000, 8, 256},   {4096, 24, 240}, {4096, 256, 256}, {4096, 7, 224},
        {4096, 512, 512}, {50, 10, 50},    {4096, 17, 255},  {4096, 5, 240},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct tiling tiling = cut1(rows[i].global, rows[i].local, true);
        ck_assert_uint_eq(tiling.tile_step[0], rows[i].step);
        walk(&tiling, 256);
    }
    struct tiling tiling = cut((uint64_t[3]){64, 64, 1}, (uint64_t[3]){8, 8, 1}, 32, 256, true);
    ck_assert_uint_eq(tiling.tile_step[0], 32);
    ck_assert_uint_eq(walk(&tiling, 256), 16);
}
END_TEST

START_TEST(groups_merge_beyond_a_used_up_dimension)
{
    struct {
        uint64_t global[3], local[3], step[3], tiles;
    } rows[] = {
        {{16, 1000, 1}, {16, 4, 1}, {16, 16, 1}, 63}, {{1, 1000, 1}, {1, 1, 1}, {1, 256, 1}, 4},
        {{8, 8, 50}, {4, 4, 1}, {8, 8, 4}, 13},       {{10, 30, 1}, {4, 3, 1}, {12, 24, 1}, 2},
        {{32, 32, 32}, {8, 8, 4}, {8, 8, 4}, 128},    {{2, 2, 2}, {1, 1, 1}, {2, 2, 2}, 1},
        {{1, 1, 700}, {1, 1, 2}, {1, 1, 256}, 3},     {{20, 4, 4}, {16, 2, 2}, {32, 4, 2}, 2},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct tiling tiling = cut(rows[i].global, rows[i].local, 32, 256, true);
        ck_assert_uint_eq(walk(&tiling, 256), rows[i].tiles);
        for (int k = 0; k < 3; k++)
            ck_assert_uint_eq(tiling.tile_step[k], rows[i].step[k]);
    }
}
END_TEST

START_TEST(waves_start_at_rows_and_sub_groups)
{
    struct {
        uint64_t x, y;
        uint32_t sub_group, wave;
    } rows[] = {
        {16, 16, 32, 256},  {24, 24, 32, 192}, {32, 32, 32, 256}, {20, 20, 8, 240},  {30, 30, 32, 256},
        {1024, 1, 64, 256}, {33, 31, 16, 256}, {96, 8, 32, 192},  {300, 1, 48, 240},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct tiling tiling = cut((uint64_t[3]){rows[i].x * 2, rows[i].y, 1},
                                   (uint64_t[3]){rows[i].x, rows[i].y, 1}, rows[i].sub_group, 256, false);
        if (rows[i].x * rows[i].y > 256)
            ck_assert_uint_eq(tiling.wave_lanes, rows[i].wave);
        walk(&tiling, 256);
    }
}
END_TEST

START_TEST(one_lane_waves)
{
    struct tiling tiling = cut((uint64_t[3]){13, 7, 3}, (uint64_t[3]){4, 3, 2}, 32, 1, false);
    struct tile tile;
    walk(&tiling, 1);
    tiling_tile(&tiling, 0, &tile);
    ck_assert_uint_eq(tiling_wave_count(&tiling, &tile), 24);
}
END_TEST

START_TEST(random_ranges)
{
    struct rng rng;
    rng_init(&rng, 77, RNG_SCHEDULE_WAVES, 3);
    for (int round = 0; round < 400; round++) {
        uint64_t global[3], local[3];
        do
            for (int i = 0; i < 3; i++)
                global[i] = 1 + rng_below(&rng, i == 0 ? 300 : 1 + rng_below(&rng, 40));
        while (global[0] * global[1] * global[2] > ITEMS / 4);
        do
            for (int i = 0; i < 3; i++)
                local[i] = 1 + rng_below(&rng, 1 + rng_below(&rng, i == 0 ? 300 : 20));
        while (local[0] * local[1] * local[2] > 1024);
        uint32_t sub_group = 1u << rng_below(&rng, 8);
        uint32_t lanes = rng_below(&rng, 4) ? 256 : 1;
        struct tiling tiling = cut(global, local, sub_group, lanes, rng_below(&rng, 2) && lanes > 1);
        walk(&tiling, lanes);
    }
}
END_TEST

START_TEST(nothing_to_do)
{
    struct tiling tiling = cut((uint64_t[3]){64, 0, 1}, (uint64_t[3]){64, 1, 1}, 32, 256, true);
    ck_assert_uint_eq(tiling.tile_total, 0);
}
END_TEST

START_TEST(sizes_near_the_end_of_uint64)
{
    struct {
        uint64_t global, local;
    } rows[] = {
        {UINT64_MAX, 1024},        {UINT64_MAX - 1, 1},      {UINT64_MAX, 1},
        {UINT64_MAX - 1023, 1024}, {UINT64_C(1) << 63, 100},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        for (int merge = 0; merge < 2; merge++) {
            struct tiling tiling = cut1(rows[i].global, rows[i].local, merge);
            struct launch_info info = info_of(&tiling);
            memset(info.global_offset, 0, sizeof info.global_offset);
            struct tile tile;
            tiling_tile(&tiling, tiling.tile_total - 1, &tile);
            ck_assert_uint_eq(tile.origin[0] + tile.size[0], rows[i].global);
            struct origin origin = {
                .launch = &info, .tile_origin = {tile.origin[0]}, .tile_size = {tile.size[0], 1, 1}};
            struct item item;
            origin_item(&origin, tile.lane_count - 1, &item);
            ck_assert_uint_eq(item.global_id[0], rows[i].global - 1);
            ck_assert_uint_eq(item.group_id[0], (rows[i].global - 1) / rows[i].local);
            ck_assert_uint_eq(item.group_id[0], tiling.group_count[0] - 1);
            ck_assert_uint_eq(item.local_id[0], (rows[i].global - 1) % rows[i].local);
        }
    }
    uint64_t huge = UINT64_MAX;
    struct tiling tiling = cut((uint64_t[3]){huge, huge, huge}, (uint64_t[3]){1, 1, 1}, 32, 256, false);
    ck_assert_uint_eq(tiling.tile_total, UINT64_MAX);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("launch");
    TCase *tests = tcase_create("tiling");
    tcase_add_test(tests, plain_sizes);
    tcase_add_test(tests, small_groups_share_a_wave);
    tcase_add_test(tests, groups_merge_beyond_a_used_up_dimension);
    tcase_add_test(tests, waves_start_at_rows_and_sub_groups);
    tcase_add_test(tests, one_lane_waves);
    tcase_add_test(tests, random_ranges);
    tcase_add_test(tests, nothing_to_do);
    tcase_add_test(tests, sizes_near_the_end_of_uint64);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
