/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counters of caches and NUMA nodes. Kernels whose accesses are few or regular have counts that are worked
 * out by hand; random accesses under every schedule are compared with a plain model of the same caches,
 * without the short ways of cache_model.c.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/launcher.h"

static const char source[] =
    "kernel void fill(global int *a) { a[get_global_id(0)] = 1; }\n"
    "kernel void reuse(global int *a) { a[0] = 1; a[16] = 1; a[0] = 2; a[32] = 1; a[0] = 3; }\n"
    "kernel void near(global int *a) { a[get_group_id(0)] = 1; }\n"
    "kernel void same(global int *a) { a[0] = get_group_id(0); }\n"
    "kernel void apart(global int *a) { a[get_group_id(0) * 16] = 1; }\n"
    "kernel void read(global int *a) { if (a[get_group_id(0)] == 12345) a[5] = 1; }\n"
    "kernel void locals(global int *a) {\n"
    "    local int t[4];\n"
    "    t[get_local_id(0)] = 1;\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    if (get_local_id(0) == 0)\n"
    "        a[0] = t[1];\n"
    "}\n"
    "kernel void mixed(global uint *a) {\n"
    "    uint x = get_global_id(0) * 2654435761u + 12345;\n"
    "    for (int i = 0; i < 12; i++) {\n"
    "        x = x * 1664525 + 1013904223;\n"
    "        uint at = (x >> 10) % 160;\n"
    "        if (x >> 30 == 0)\n"
    "            a[at] = x;\n"
    "        else if (x >> 30 == 1)\n"
    "            atomic_inc(&a[at]);\n"
    "        else if (a[at] == 3)\n"
    "            a[0] = 4;\n"
    "    }\n"
    "}\n";

static struct launcher launcher;

static void start(const char *topology, const char *more)
{
    char text[300];
    snprintf(text, sizeof text, "device: {topology: \"%s\"}\nreport: {counters: on}\n%s", topology, more);
    launcher_init(&launcher, text, source);
}

static uint64_t counted(uint32_t command, enum counter counter)
{
    struct counters counters;
    ck_assert(device_counters(launcher.device, command, &counters));
    return counters.value[counter];
}

#define COUNTS(command, name, expected) ck_assert_uint_eq(counted(command, COUNTER_##name), expected)

START_TEST(a_stream_passes_through_a_small_cache)
{
    start("l1:1(size=1KiB,ways=2) cu:1", "");
    launcher_run(&launcher, "fill", 2048, 64, launcher_buffer(&launcher, 8192), NULL, 0);
    COUNTS(0, ACCESSES, 2048);
    COUNTS(0, WRITES, 2048);
    COUNTS(0, BYTES, 8192);
    COUNTS(0, MISSES, 128); /* lines */
    COUNTS(0, HITS, 2048 - 128);
    COUNTS(0, EVICTIONS, 128 - 16);
    COUNTS(0, WRITE_BACKS, 128 - 16);
    COUNTS(0, MEMORY_ACCESSES, 128 + 128 - 16);
    COUNTS(0, INVALIDATIONS, 0);
    COUNTS(0, REMOTE_BYTES, 0);
    launcher_fini(&launcher);
}
END_TEST

START_TEST(the_least_recently_used_line_is_replaced)
{
    start("l1:1(size=128,ways=2) cu:1", "");
    uint64_t buffer = launcher_buffer(&launcher, 256);
    launcher_run(&launcher, "reuse", 1, 1, buffer, NULL, 0);
    COUNTS(0, HITS, 2); /* first in, first out would lose line 0 to line 2 */
    COUNTS(0, MISSES, 3);
    COUNTS(0, EVICTIONS, 1);
    COUNTS(0, WRITE_BACKS, 1);
    launcher_fini(&launcher);

    start("l1:1(size=256,ways=full) cu:1", "");
    launcher_run(&launcher, "reuse", 1, 1, launcher_buffer(&launcher, 256), NULL, 0);
    COUNTS(0, MISSES, 3);
    COUNTS(0, EVICTIONS, 0);
    launcher_fini(&launcher);
}
END_TEST

START_TEST(writers_on_other_units_take_lines_away)
{
    start("l2:1 l1:4 cu:1", "");
    uint64_t buffer = launcher_buffer(&launcher, 4096);
    uint32_t near = launcher_run(&launcher, "near", 4, 1, buffer, NULL, 0);
    COUNTS(near, INVALIDATIONS, 3);
    COUNTS(near, FALSE_SHARING, 3);
    COUNTS(near, MISSES, 1);
    COUNTS(near, HITS, 3); /* in the common cache */
    COUNTS(near, WRITE_BACKS, 3);
    uint32_t same = launcher_run(&launcher, "same", 4, 1, buffer + 1024, NULL, 0);
    COUNTS(same, INVALIDATIONS, 3);
    COUNTS(same, FALSE_SHARING, 0);
    uint32_t apart = launcher_run(&launcher, "apart", 4, 1, buffer + 2048, NULL, 0);
    COUNTS(apart, INVALIDATIONS, 0);
    COUNTS(apart, MISSES, 4);
    uint32_t again = launcher_run(&launcher, "apart", 4, 1, buffer + 2048, NULL, 0);
    COUNTS(again, HITS, 4);
    COUNTS(again, MEMORY_ACCESSES, 0);
    launcher_fini(&launcher);
}
END_TEST

START_TEST(readers_share_lines_and_make_writers_write_back)
{
    start("l1:4 cu:1", "");
    uint64_t buffer = launcher_buffer(&launcher, 64);
    uint32_t zero = 0;
    uint32_t write = launcher_run(&launcher, "same", 1, 1, buffer, &zero, 1);
    COUNTS(write, WRITE_BACKS, 0);
    uint32_t read = launcher_run(&launcher, "read", 4, 1, buffer, NULL, 0);
    COUNTS(read, WRITE_BACKS, 1); /* unit 0 has it changed; the others take it from memory */
    COUNTS(read, HITS, 1);
    COUNTS(read, MISSES, 3);
    COUNTS(read, INVALIDATIONS, 0);
    uint32_t last = launcher_run(&launcher, "same", 1, 1, buffer, &zero, 1);
    COUNTS(last, INVALIDATIONS, 3);
    COUNTS(last, HITS, 1);
    launcher_fini(&launcher);
}
END_TEST

START_TEST(memory_of_another_node_is_remote)
{
    uint32_t far[] = {2, 3}, near[] = {0, 1};
    start("numa:2 cu:2", "");
    uint64_t buffer = launcher_buffer(&launcher, 8192);
    uint32_t first = launcher_run(&launcher, "fill", 2048, 64, buffer, far, 2);
    COUNTS(first, REMOTE_BYTES, 0);
    COUNTS(first, MEMORY_ACCESSES, 2048);
    uint32_t second = launcher_run(&launcher, "fill", 2048, 64, buffer, near, 2);
    COUNTS(second, REMOTE_ACCESSES, 2048);
    COUNTS(second, REMOTE_BYTES, 8192);
    launcher_fini(&launcher);

    start("numa:2 l1:2 cu:1", "");
    buffer = launcher_buffer(&launcher, 8192);
    launcher_run(&launcher, "fill", 2048, 64, buffer, far, 2);
    second = launcher_run(&launcher, "fill", 2048, 64, buffer, near, 2);
    COUNTS(second, REMOTE_BYTES, 8192 + 8192); /* the far caches write back, the near ones fetch */
    launcher_fini(&launcher);
}
END_TEST

START_TEST(local_memory_and_released_buffers_do_not_count)
{
    start("l1:1 cu:1", "");
    uint64_t buffer = launcher_buffer(&launcher, 64);
    launcher_run(&launcher, "locals", 4, 4, buffer, NULL, 0);
    COUNTS(0, ACCESSES, 1);
    COUNTS(0, BYTES, 4);
    launcher_run(&launcher, "same", 1, 1, buffer, NULL, 0);
    COUNTS(2, HITS, 1);
    device_release(launcher.device, buffer);
    launcher_run(&launcher, "same", 1, 1, launcher_buffer(&launcher, 64), NULL, 0);
    COUNTS(3, MISSES, 1);
    COUNTS(0, WRITE_BACKS, 0);
    launcher_fini(&launcher);
}
END_TEST

START_TEST(host_commands_bypass_the_caches)
{
    uint32_t far = 1;
    char bytes[8192] = {0};
    start("numa:2 l1:1(size=4KiB) cu:1", "");
    uint64_t buffer = launcher_buffer(&launcher, sizeof bytes);
    /* 32 lines, all changed, in page 0 at node 1 */
    launcher_run(&launcher, "fill", 512, 64, buffer, &far, 1);
    ck_assert_int_eq(device_read(launcher.device, 100, buffer, bytes, sizeof bytes), STATUS_OK);
    COUNTS(100, BYTES, 8192);
    COUNTS(100, ACCESSES, 128);
    COUNTS(100, MISSES, 128);
    COUNTS(100, WRITES, 0);
    COUNTS(100, WRITE_BACKS, 32);
    COUNTS(100, INVALIDATIONS, 0);
    COUNTS(100, MEMORY_ACCESSES, 128 + 32);
    COUNTS(100, REMOTE_BYTES, 0); /* the host is in no node */
    ck_assert_int_eq(device_read(launcher.device, 101, buffer, bytes, sizeof bytes), STATUS_OK);
    COUNTS(101, WRITE_BACKS, 0);
    ck_assert_int_eq(device_write(launcher.device, 102, buffer, bytes, 64), STATUS_OK);
    COUNTS(102, WRITES, 1);
    COUNTS(102, INVALIDATIONS, 1);
    COUNTS(102, WRITE_BACKS, 0);
    uint32_t again = launcher_run(&launcher, "fill", 512, 64, buffer, &far, 1);
    COUNTS(again, MISSES, 1); /* the line that the host wrote */
    COUNTS(again, HITS, 511);
    ck_assert_int_eq(device_fill(launcher.device, 103, buffer + 60, bytes, 4, 8), STATUS_OK);
    COUNTS(103, ACCESSES, 2); /* across two lines */
    COUNTS(103, BYTES, 8);
    COUNTS(103, INVALIDATIONS, 2);
    COUNTS(103, WRITE_BACKS, 2);
    ck_assert_int_eq(device_copy(launcher.device, 104, buffer + 4096, buffer, 128), STATUS_OK);
    COUNTS(104, ACCESSES, 4);
    COUNTS(104, WRITES, 2);
    COUNTS(104, BYTES, 256);
    COUNTS(0, ACCESSES, 1024); /* of work-items */
    COUNTS(0, WRITE_BACKS, 0);
    ck_assert_int_eq(device_write(launcher.device, 105, buffer, bytes, sizeof bytes), STATUS_OK);
    COUNTS(105, INVALIDATIONS, 30); /* all the cache had */
    launcher_fini(&launcher);
}
END_TEST

START_TEST(nothing_is_counted_by_default)
{
    struct counters counters;
    launcher_init(&launcher, "device: {topology: tiny}\n", source);
    launcher_run(&launcher, "same", 1, 1, launcher_buffer(&launcher, 64), NULL, 0);
    ck_assert(!device_counters(launcher.device, 0, &counters));
    ck_assert_uint_eq(counters.value[COUNTER_ACCESSES], 0);
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    ck_assert(device_write_results(launcher.device, stream, NULL));
    fclose(stream);
    ck_assert_str_eq(text, "");
    free(text);
    launcher_fini(&launcher);
}
END_TEST

/* ---- another model: private caches as lists of lines, most recent first ---------------------- */

enum { UNITS = 4, WAYS = 4, LINE = 64 };
struct entry {
    uint64_t line;
    uint64_t used;
    bool dirty;
};
static struct model {
    struct entry entry[UNITS][WAYS];
    int count[UNITS];
    uint64_t accesses, hits, misses, evictions, write_backs, invalidations, false_sharing;
} model;

static void drop(int unit, int at)
{
    memmove(&model.entry[unit][at], &model.entry[unit][at + 1],
            (size_t)(WAYS - 1 - at) * sizeof(struct entry));
    model.count[unit]--;
}

static int position(int unit, uint64_t line)
{
    for (int i = 0; i < model.count[unit]; i++)
        if (model.entry[unit][i].line == line)
            return i;
    return -1;
}

static void others(int unit, uint64_t line, uint64_t bytes, bool write)
{
    for (int other = 0; other < UNITS; other++) {
        int at = other == unit ? -1 : position(other, line);
        if (at < 0)
            continue;
        struct entry *entry = &model.entry[other][at];
        model.write_backs += entry->dirty;
        entry->dirty = false;
        if (!write)
            continue;
        model.invalidations++;
        model.false_sharing += !(entry->used & bytes);
        drop(other, at);
    }
}

static void step(int unit, uint64_t address, uint32_t size, bool write)
{
    uint64_t line = address / LINE, bytes = ((UINT64_C(1) << size) - 1) << address % LINE;
    int at = position(unit, line);
    struct entry entry = {.line = line};
    model.accesses++;
    others(unit, line, bytes, write);
    if (at >= 0) {
        model.hits++;
        entry = model.entry[unit][at];
        drop(unit, at);
    } else {
        model.misses++;
        if (model.count[unit] == WAYS) {
            model.evictions++;
            model.write_backs += model.entry[unit][WAYS - 1].dirty;
            drop(unit, WAYS - 1);
        }
    }
    entry.used |= bytes;
    entry.dirty |= write;
    memmove(&model.entry[unit][1], &model.entry[unit][0], (size_t)model.count[unit] * sizeof(struct entry));
    model.entry[unit][0] = entry;
    model.count[unit]++;
}

static void count_access(void *self, const struct access_event *event)
{
    (void)self;
    for (uint32_t lane = 0; lane < event->lane_count; lane++) {
        if (!(event->mask[lane / 64] >> (lane % 64) & 1))
            continue;
        uint64_t address = event->shape == ADDRESS_UNIFORM ? event->base
                           : event->shape == ADDRESS_LIST
                               ? event->address[lane]
                               : event->base + (uint64_t)event->step_x * (lane % event->row) +
                                     (uint64_t)event->step_y * (lane / event->row);
        step((int)event->origin.compute_unit, address, event->size_bytes,
             event->kind != ACCESS_READ && event->kind != ACCESS_ATOMIC_READ);
    }
}

START_TEST(another_model_counts_the_same)
{
    static const char *const schedules[] = {"lockstep", "random, seed: 1", "random, seed: 2", "reverse",
                                            "round-robin, resident_groups: 8"};
    for (size_t s = 0; s < sizeof schedules / sizeof schedules[0]; s++) {
        char more[100];
        snprintf(more, sizeof more, "schedule: {policy: %s}", schedules[s]);
        start("l1:4(size=256,ways=4) cu:1", more);
        struct observer observer = {.access = count_access};
        device_add_observer(launcher.device, &observer);
        memset(&model, 0, sizeof model);
        launcher_run(&launcher, "mixed", 96, 8, launcher_buffer(&launcher, 1024), NULL, 0);
        ck_assert_uint_gt(model.false_sharing, 20);
        ck_assert_uint_gt(model.evictions, 50);
        COUNTS(0, ACCESSES, model.accesses);
        COUNTS(0, HITS, model.hits);
        COUNTS(0, MISSES, model.misses);
        COUNTS(0, EVICTIONS, model.evictions);
        COUNTS(0, WRITE_BACKS, model.write_backs);
        COUNTS(0, INVALIDATIONS, model.invalidations);
        COUNTS(0, FALSE_SHARING, model.false_sharing);
        launcher_fini(&launcher);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("counters");
    TCase *tcase = tcase_create("counters");
    tcase_add_test(tcase, a_stream_passes_through_a_small_cache);
    tcase_add_test(tcase, the_least_recently_used_line_is_replaced);
    tcase_add_test(tcase, writers_on_other_units_take_lines_away);
    tcase_add_test(tcase, readers_share_lines_and_make_writers_write_back);
    tcase_add_test(tcase, memory_of_another_node_is_remote);
    tcase_add_test(tcase, local_memory_and_released_buffers_do_not_count);
    tcase_add_test(tcase, nothing_is_counted_by_default);
    tcase_add_test(tcase, host_commands_bypass_the_caches);
    tcase_add_test(tcase, another_model_counts_the_same);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
