/* SPDX-License-Identifier: Apache-2.0 */
/* The arena against a list of what was handed out; validity against one byte per byte. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "sim/device/memory_arena.h"
#include "sim/base/rng.h"

enum { MIB = 1 << 20, GRANULE = 1 << GRANULE_SHIFT };
static struct memory_arena arena;

static void open_arena(uint64_t size, uint64_t limit, bool track)
{
    struct diagnosis diagnosis = {0};
    ck_assert_int_eq(arena_init(&arena, size, limit, track, &diagnosis), STATUS_OK);
}

static void setup(void)
{
    open_arena(64 * MIB, 16 * MIB, false);
}
static void teardown(void)
{
    arena_fini(&arena);
}

static struct region *take(uint64_t size, uint64_t align)
{
    struct allocation wanted = {.kind = REGION_BUFFER, .size = size, .align = align, .name = "buffer"};
    struct region *region = NULL;
    ck_assert_int_eq(arena_allocate(&arena, &wanted, &region), STATUS_OK);
    return region;
}

static enum status try_take(uint64_t size, uint64_t align)
{
    struct allocation wanted = {.kind = REGION_BUFFER, .size = size, .align = align};
    struct region *region;
    return arena_allocate(&arena, &wanted, &region);
}

static uint8_t *bytes(const struct region *region)
{
    return (uint8_t *)(uintptr_t)region->low;
}

START_TEST(region_of_every_byte)
{
    struct region *region = take(3 * GRANULE + 17, 0);
    ck_assert_uint_eq(region->high - region->low, 3 * GRANULE + 17);
    for (uint64_t at = region->low; at < region->high; at += 4093)
        ck_assert_ptr_eq(memory_region(&arena.memory, at), region);
    ck_assert_ptr_eq(memory_region(&arena.memory, region->high - 1), region);
    ck_assert_ptr_eq(memory_region(&arena.memory, 0), &arena.memory.regions[0]);
    ck_assert_ptr_eq(memory_region(&arena.memory, arena.memory.base - 1), &arena.memory.regions[0]);
    ck_assert_ptr_eq(memory_region(&arena.memory, arena.memory.base + arena.memory.size),
                     &arena.memory.regions[0]);
    ck_assert_ptr_eq(memory_region(&arena.memory, UINT64_MAX), &arena.memory.regions[0]);
    ck_assert(arena.memory.regions[0].low > arena.memory.regions[0].high);
    ck_assert_uint_ne(arena.memory.regions[0].deny, 0);
}
END_TEST

START_TEST(neighbours_have_a_gap_and_a_colour)
{
    struct region *last = NULL;
    uint32_t colours = 0;
    for (int i = 0; i < 32; i++) {
        struct region *region = take(GRANULE, 0);
        ck_assert_uint_eq(region->low % 128, 0);
        ck_assert_uint_lt(region->low % GRANULE, 4096);
        colours |= 1u << region->low % GRANULE / 128;
        if (last)
            ck_assert_uint_ge(region->low - last->high, GRANULE / 2);
        last = region;
    }
    ck_assert_uint_eq(colours, UINT32_MAX);
}
END_TEST

START_TEST(alignment_up_to_a_megabyte)
{
    for (uint64_t align = 1; align <= MIB; align *= 2)
        ck_assert_uint_eq(take(100, align)->low % align, 0);
    arena_check(&arena);
}
END_TEST

START_TEST(limit_counts_live_bytes)
{
    struct region *half = take(8 * MIB, 0);
    ck_assert_uint_eq(arena.used, 8 * MIB);
    ck_assert_int_eq(try_take(8 * MIB + 1, 0), STATUS_OUT_OF_DEVICE_MEMORY);
    struct region *rest = take(8 * MIB, 0);
    ck_assert_int_eq(try_take(1, 0), STATUS_OUT_OF_DEVICE_MEMORY);
    arena_release(&arena, half);
    ck_assert_uint_eq(arena.used, 8 * MIB);
    take(8 * MIB, 0);
    arena_release(&arena, rest);
    ck_assert_int_eq(try_take(UINT64_MAX, 0), STATUS_OUT_OF_DEVICE_MEMORY);
    ck_assert_int_eq(try_take(UINT64_MAX - GRANULE, 0), STATUS_OUT_OF_DEVICE_MEMORY);
    arena_check(&arena);
}
END_TEST

START_TEST(local_memory_does_not_count)
{
    struct allocation wanted = {.kind = REGION_LOCAL_VARIABLE, .size = 1000, .align = 16, .name = "tile"};
    struct region *region;
    ck_assert_int_eq(arena_allocate(&arena, &wanted, &region), STATUS_OK);
    ck_assert_uint_eq(arena.used, 0);
    ck_assert_str_eq(region->name, "tile");
    ck_assert(arena_resize(&arena, region, 5000));
    ck_assert_uint_eq(region->high - region->low, 5000);
    ck_assert(!arena_resize(&arena, region, 10 * MIB));
}
END_TEST

START_TEST(freed_memory_is_kept_apart_until_space_is_short)
{
    struct region *first = take(MIB, 0);
    uint64_t address = first->low;
    uint32_t id = first->id;
    memset(bytes(first), 0xaa, MIB);
    arena_release(&arena, first);
    ck_assert_uint_ne(first->flags & REGION_FLAG_FREED, 0);
    ck_assert_uint_eq(first->deny, DENY_KERNEL_READ | DENY_KERNEL_WRITE);
    ck_assert_ptr_null(arena_find(&arena, address, 4));
    ck_assert_uint_eq(memory_region(&arena.memory, address)->id, id);

    int taken = 0;
    bool again = false;
    for (; taken < 200 && !again; taken++) {
        struct region *region = take(MIB, 0);
        ck_assert_uint_ne(region->id, id);
        for (uint64_t i = 0; i < MIB; i += 997)
            ck_assert_uint_eq(bytes(region)[i], 0);
        again = region->low < address + MIB && address < region->high;
        arena_release(&arena, region);
        arena_check(&arena);
    }
    ck_assert(again);
    ck_assert_int_gt(taken, 40); /* most of the 64 MiB was used before */
}
END_TEST

START_TEST(flags_become_denials)
{
    struct {
        uint32_t flags;
        enum region_kind kind;
        uint32_t deny;
    } rows[] = {
        {0, REGION_BUFFER, 0},
        {REGION_FLAG_READ_ONLY, REGION_BUFFER, DENY_KERNEL_WRITE},
        {REGION_FLAG_WRITE_ONLY, REGION_BUFFER, DENY_KERNEL_READ},
        {0, REGION_CONSTANT_DATA, DENY_KERNEL_WRITE},
        {0, REGION_VARIABLE, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct allocation wanted = {.kind = rows[i].kind, .size = 64, .flags = rows[i].flags};
        struct region *region;
        ck_assert_int_eq(arena_allocate(&arena, &wanted, &region), STATUS_OK);
        ck_assert_uint_eq(region->deny, rows[i].deny);
        arena_map(&arena, region, region->low, 64, ARENA_MAP_READ, 1);
        arena_map(&arena, region, region->low, 64, ARENA_MAP_READ, 2);
        ck_assert_uint_eq(region->deny, rows[i].deny | DENY_KERNEL_WRITE);
        arena_map(&arena, region, region->low, 64, ARENA_MAP_WRITE, 3);
        ck_assert_uint_eq(region->deny, DENY_KERNEL_READ | DENY_KERNEL_WRITE);
        arena_unmap(&arena, region, region->low, 64, ARENA_MAP_WRITE, 3);
        arena_unmap(&arena, region, region->low, 64, ARENA_MAP_READ, 2);
        ck_assert_uint_ne(region->flags & REGION_FLAG_MAPPED_READ, 0);
        arena_unmap(&arena, region, region->low, 64, ARENA_MAP_READ, 1);
        arena_unmap(&arena, region, region->low, 64, ARENA_MAP_READ, 1); /* once too often */
        ck_assert_uint_eq(region->deny, rows[i].deny);
        ck_assert_uint_eq(region->flags, rows[i].flags);
    }
}
END_TEST

/* Which of the three is removed is undefined: the rest is mapped by two of them at least. */
START_TEST(maps_unmapped_in_any_order)
{
    struct allocation wanted = {.kind = REGION_BUFFER, .size = 64};
    struct region *region;
    ck_assert_int_eq(arena_allocate(&arena, &wanted, &region), STATUS_OK);
    arena_map(&arena, region, region->low, 32, ARENA_MAP_READ, 1);
    arena_map(&arena, region, region->low, 64, ARENA_MAP_WRITE, 2);
    arena_map(&arena, region, region->low, 48, ARENA_MAP_READ, 3);
    arena_map(&arena, region, region->low + 48, 16, ARENA_MAP_READ, 4);
    arena_unmap_any(&arena, region, region->low, 32, false, 1);
    ck_assert_uint_eq(region->map_count, 3);
    ck_assert_uint_eq(region->deny, DENY_KERNEL_WRITE);
    ck_assert(!memory_map_at(region, region->low + 32, 16, DENY_KERNEL_WRITE));
    ck_assert(memory_map_at(region, region->low + 48, 16, DENY_KERNEL_WRITE));
    /* of a part of the object, with this pointer */
    arena_unmap(&arena, region, region->low, 48, ARENA_MAP_READ, 3);
    ck_assert(memory_map_at(region, region->low, 32, DENY_KERNEL_WRITE));
    arena_unmap_any(&arena, region, region->low, 32, false, 9);
    ck_assert_uint_eq(region->map_count, 1);
    arena_unmap_any(&arena, region, region->low + 48, 0, false, 9);
    ck_assert_uint_eq(region->deny, 0);
}
END_TEST

START_TEST(region_lookup_finds_only_addresses_inside)
{
    struct region *region = take(100, 0);
    ck_assert_ptr_eq(arena_find(&arena, region->low, 100), region);
    ck_assert_ptr_eq(arena_find(&arena, region->low + 99, 1), region);
    ck_assert_ptr_eq(arena_find(&arena, region->high, 0), region);
    ck_assert_ptr_null(arena_find(&arena, region->low, 101));
    ck_assert_ptr_null(arena_find(&arena, region->low + 1, 100));
    ck_assert_ptr_null(arena_find(&arena, region->low, UINT64_MAX));
    ck_assert_ptr_null(arena_find(&arena, region->low - 1, 1));
    ck_assert_ptr_null(arena_find(&arena, 0, 0));
}
END_TEST

START_TEST(nearest_region_and_distance)
{
    struct region *a = take(100, 0), *b = take(200, 0);
    int64_t distance;
    ck_assert_ptr_eq(memory_nearest(&arena.memory, a->high, ~UINT32_C(0), &distance), a);
    ck_assert_int_eq(distance, 0);
    ck_assert_ptr_eq(memory_nearest(&arena.memory, a->high + 8, ~UINT32_C(0), &distance), a);
    ck_assert_int_eq(distance, 8);
    ck_assert_ptr_eq(memory_nearest(&arena.memory, b->low - 12, ~UINT32_C(0), &distance), b);
    ck_assert_int_eq(distance, -12);
    ck_assert_ptr_eq(memory_nearest(&arena.memory, b->low + 5, ~UINT32_C(0), &distance), b);
    ck_assert_int_eq(distance, 0);
    ck_assert_ptr_eq(memory_nearest(&arena.memory, 16, ~UINT32_C(0), &distance), a);
    ck_assert_int_lt(distance, -1000000);
    ck_assert_ptr_null(memory_nearest(&arena.memory, 16, ~REGION_KIND_BIT(a->kind), &distance));
    arena_release(&arena, a);
    ck_assert_ptr_eq(memory_nearest(&arena.memory, 16, ~UINT32_C(0), &distance), b);
    arena_release(&arena, b);
    ck_assert_ptr_null(memory_nearest(&arena.memory, 16, ~UINT32_C(0), &distance));
}
END_TEST

/* A program that allocates and frees for ever. */
START_TEST(freed_regions_are_used_again)
{
    for (int i = 0; i < 5000; i++)
        arena_release(&arena, take(100, 0));
    ck_assert_uint_lt(memory_region_count(&arena.memory), 1100);
    arena_check(&arena);
}
END_TEST

START_TEST(random_life_against_a_model)
{
    struct {
        struct region *region;
        uint64_t low, size;
        uint8_t fill;
    } live[64] = {{0}};
    struct rng rng;
    rng_init(&rng, 5, RNG_SCHEDULE_WAVES, 1);
    for (int round = 0; round < 3000; round++) {
        uint64_t slot = rng_below(&rng, 64);
        if (live[slot].region) {
            for (uint64_t i = 0; i < live[slot].size; i += 331)
                ck_assert_uint_eq(bytes(live[slot].region)[i], live[slot].fill);
            arena_release(&arena, live[slot].region);
            live[slot].region = NULL;
            continue;
        }
        uint64_t size = 1 + rng_below(&rng, UINT64_C(1) << rng_below(&rng, 18));
        struct region *region = take(size, UINT64_C(1) << rng_below(&rng, 13));
        for (int i = 0; i < 64; i++)
            if (live[i].region)
                ck_assert(region->high <= live[i].low || live[i].low + live[i].size <= region->low);
        live[slot].region = region;
        live[slot].low = region->low;
        live[slot].size = size;
        live[slot].fill = (uint8_t)rng_next(&rng);
        for (uint64_t i = 0; i < size; i += 331)
            ck_assert_uint_eq(bytes(region)[i], 0);
        memset(bytes(region), live[slot].fill, size);
        if (round % 64 == 0)
            arena_check(&arena);
    }
    arena_check(&arena);
}
END_TEST

START_TEST(same_calls_same_addresses)
{
    uint64_t first[20];
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < 20; i++) {
            struct region *region = take((uint64_t)(i + 1) * 10000, 0);
            if (pass == 0)
                first[i] = region->low;
            else
                ck_assert_uint_eq(region->low, first[i]);
        }
        teardown();
        setup();
    }
}
END_TEST

START_TEST(two_arenas_side_by_side)
{
    struct memory_arena other;
    ck_assert_int_eq(arena_init(&other, 0, MIB, false, NULL), STATUS_OK);
    ck_assert_uint_ne(other.memory.base, arena.memory.base);
    ck_assert_uint_ge(other.memory.size, UINT64_C(1) << 30);
    arena_fini(&other);
}
END_TEST

START_TEST(validity_against_a_byte_map)
{
    teardown();
    open_arena(64 * MIB, 16 * MIB, true);
    enum { SIZE = 3001 };
    static uint8_t model[SIZE];
    memset(model, 0, sizeof model);
    struct region *region = take(SIZE, 0);
    struct rng rng;
    rng_init(&rng, 9, RNG_SCHEDULE_WAVES, 2);
    ck_assert_ptr_nonnull(region->valid);
    ck_assert(!memory_range_valid(region, region->low, SIZE));
    for (int round = 0; round < 20000; round++) {
        uint64_t from = rng_below(&rng, SIZE), longest = SIZE - from;
        uint64_t size = 1 + rng_below(&rng, rng_below(&rng, 4) && longest > 16 ? 16 : longest);
        bool valid = rng_below(&rng, 2);
        if (round % 2) {
            memory_set_valid(region, region->low + from, size, valid);
            memset(model + from, valid, size);
        } else {
            bool all = memchr(model + from, 0, size) == NULL;
            ck_assert_int_eq(memory_range_valid(region, region->low + from, size), all);
        }
    }
    for (uint64_t i = 0; i < SIZE; i++)
        ck_assert_int_eq(memory_range_valid(region, region->low + i, 1), model[i]);
    memory_set_valid(region, region->low - 50, SIZE + 100, true); /* clipped */
    ck_assert(memory_range_valid(region, region->low - 50, SIZE + 100));
}
END_TEST

START_TEST(without_tracking_all_is_valid)
{
    struct region *region = take(100, 0);
    ck_assert_ptr_null(region->valid);
    memory_set_valid(region, region->low, 10, false);
    ck_assert(memory_range_valid(region, region->low, 100));
}
END_TEST

START_TEST(random_numbers)
{
    struct rng a, b, c, d;
    rng_init(&a, 1, RNG_SCHEDULE_WAVES, 1);
    rng_init(&b, 1, RNG_SCHEDULE_WAVES, 1);
    rng_init(&c, 2, RNG_SCHEDULE_WAVES, 1);
    rng_init(&d, 1, RNG_SCHEDULE_GROUPS, 1);
    uint32_t seen[10] = {0}, same_c = 0, same_d = 0;
    for (int i = 0; i < 10000; i++) {
        uint64_t bits = rng_next(&a);
        ck_assert_uint_eq(bits, rng_next(&b));
        same_c += bits == rng_next(&c);
        same_d += bits == rng_next(&d);
        seen[rng_below(&a, 10)]++, rng_below(&b, 10);
    }
    ck_assert_uint_eq(same_c + same_d, 0);
    for (int i = 0; i < 10; i++)
        ck_assert(seen[i] > 850 && seen[i] < 1150);
    for (int i = 0; i < 100; i++)
        ck_assert_uint_eq(rng_below(&a, 1), 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("memory");
    TCase *tests = tcase_create("arena");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, region_of_every_byte);
    tcase_add_test(tests, neighbours_have_a_gap_and_a_colour);
    tcase_add_test(tests, alignment_up_to_a_megabyte);
    tcase_add_test(tests, limit_counts_live_bytes);
    tcase_add_test(tests, local_memory_does_not_count);
    tcase_add_test(tests, freed_memory_is_kept_apart_until_space_is_short);
    tcase_add_test(tests, flags_become_denials);
    tcase_add_test(tests, maps_unmapped_in_any_order);
    tcase_add_test(tests, region_lookup_finds_only_addresses_inside);
    tcase_add_test(tests, nearest_region_and_distance);
    tcase_add_test(tests, random_life_against_a_model);
    tcase_add_test(tests, freed_regions_are_used_again);
    tcase_add_test(tests, same_calls_same_addresses);
    tcase_add_test(tests, two_arenas_side_by_side);
    tcase_add_test(tests, validity_against_a_byte_map);
    tcase_add_test(tests, without_tracking_all_is_valid);
    tcase_add_test(tests, random_numbers);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
