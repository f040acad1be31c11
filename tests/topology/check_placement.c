/* SPDX-License-Identifier: Apache-2.0 */
/*
 * On which compute unit each work-group runs: an observer notes groups as they begin, and the text
 * "group:unit ..." is compared with that of the formula in placement.h. Each access has to come from the unit
 * that its group began on.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/launcher.h"

static const char source[] =
    "kernel void fill(global int *a) { a[get_global_id(0)] = get_group_id(0); }\n"
    "kernel void back(global int *a) { a[get_global_size(0) - 1 - get_global_id(0)] = 1; }\n"
    "kernel void wait(global int *a) { a[get_local_id(0)] = 0; barrier(CLK_GLOBAL_MEM_FENCE); "
    "a[get_local_id(0)] = 1; }\n";

static struct launcher launcher;
static char seen[4000]; /* "0:3 1:4 ": group and unit, in the order of their beginning */

static void note_launch(void *self, const struct launch_event *event)
{
    (void)self;
    if (event->phase == GROUP_BEGIN)
        sprintf(seen + strlen(seen), "%u:%u ", (unsigned)event->group_linear, event->compute_unit);
}

/* Each access of a group is made by the unit that the group began on. */
static void note_access(void *self, const struct access_event *event)
{
    (void)self;
    struct item item;
    char place[40];
    origin_item(&event->origin, 0, &item);
    snprintf(place, sizeof place, "%u:%u ", (unsigned)item.group_linear, event->origin.compute_unit);
    ck_assert_msg(strstr(seen, place) != NULL, "an access of %s", place);
}

static void start(const char *text)
{
    struct observer observer = {.launch = note_launch, .access = note_access};
    launcher_init(&launcher, text, source);
    device_add_observer(launcher.device, &observer);
}

static const char *run(const char *kernel, uint64_t groups, uint64_t buffer, const uint32_t *units,
                       uint32_t unit_count)
{
    seen[0] = '\0';
    launcher_run(&launcher, kernel, groups * 1024, 1024, buffer, units, unit_count);
    return seen;
}

static const char *once(const char *text, uint64_t groups, const uint32_t *units, uint32_t unit_count)
{
    start(text);
    run("fill", groups, launcher_buffer(&launcher, groups * 4096), units, unit_count);
    launcher_fini(&launcher);
    return seen;
}

START_TEST(groups_are_placed_round_robin)
{
    ck_assert_str_eq(once("device: {topology: \"cu:3\"}", 5, NULL, 0), "0:0 1:1 2:2 3:0 4:1 ");
    ck_assert_str_eq(once("device: {topology: \"cu:1\"}", 2, NULL, 0), "0:0 1:0 ");
}
END_TEST

START_TEST(groups_stay_on_the_units_of_their_queue)
{
    static const char *const policies[] = {"round-robin", "block", "numa",
                                           "script, placement_script: [0, 9, 4, 7]"};
    static const char *const schedules[] = {"lockstep", "random, seed: 3", "reverse", "serial",
                                            "round-robin"};
    uint32_t units[] = {2, 5, 7};
    for (size_t p = 0; p < sizeof policies / sizeof policies[0]; p++) {
        for (size_t s = 0; s < sizeof schedules / sizeof schedules[0]; s++) {
            char text[200];
            snprintf(text, sizeof text,
                     "device: {topology: \"numa:2 cu:4\"}\nschedule: {placement: %s, policy: %s}",
                     policies[p], schedules[s]);
            start(text);
            uint64_t buffer = launcher_buffer(&launcher, 7 * 4096);
            for (int i = 0; i < 3; i++) {
                run(i == 1 ? "wait" : "fill", 7, buffer, units, 3);
                for (char *at = seen; (at = strchr(at, ':')) != NULL; at++)
                    ck_assert_msg(at[1] == '2' || at[1] == '5' || at[1] == '7', "%s: %s", text, seen);
            }
            launcher_fini(&launcher);
        }
    }
}
END_TEST

START_TEST(blocks_keep_neighbours_together)
{
    const char text[] = "device: {topology: \"cu:3\"}\nschedule: {placement: block}";
    ck_assert_str_eq(once(text, 7, NULL, 0), "0:0 1:0 2:0 3:1 4:1 5:2 6:2 ");
    ck_assert_str_eq(once(text, 2, NULL, 0), "0:0 1:1 ");
    uint32_t units[] = {1, 2};
    ck_assert_str_eq(once(text, 4, units, 2), "0:1 1:1 2:2 3:2 ");
}
END_TEST

START_TEST(script_sets_the_unit_of_each_group)
{
    ck_assert_str_eq(
        once("device: {topology: \"cu:4\"}\nschedule: {placement: script, placement_script: [3, 0, 6]}", 5,
             NULL, 0),
        "0:3 1:0 2:2 3:3 4:0 ");
    uint32_t units[] = {2, 3};
    ck_assert_str_eq(
        once("device: {topology: \"cu:4\"}\nschedule: {placement: script, placement_script: [1, 0, 0]}", 4,
             units, 2),
        "0:3 1:2 2:2 3:3 ");
    ck_assert_str_eq(once("device: {topology: \"cu:2\"}\nschedule: {placement: script}", 3, NULL, 0),
                     "0:0 1:1 2:0 ");
}
END_TEST

START_TEST(numa_follows_the_first_touch)
{
    uint32_t far[] = {2, 3}, near[] = {0, 1};
    start("device: {topology: \"numa:2 cu:2\"}\nschedule: {placement: numa}");
    uint64_t buffer = launcher_buffer(&launcher, 4 * 4096);
    /* Untouched: blocks. Then it is at the second node, and no other has units there. */
    ck_assert_str_eq(run("fill", 4, buffer, far, 2), "0:2 1:2 2:3 3:3 ");
    ck_assert_str_eq(run("fill", 4, buffer, NULL, 0), "0:2 1:3 2:2 3:3 ");
    ck_assert_str_eq(run("fill", 4, buffer, near, 2), "0:0 1:0 2:1 3:1 ");
    ck_assert_str_eq(run("back", 4, buffer, NULL, 0), "0:2 1:3 2:2 3:3 ");
    device_release(launcher.device, buffer);
    /* Freed, it has no toucher: each group touches memory that a later one allocates. */
    buffer = launcher_buffer(&launcher, 4 * 4096);
    ck_assert_str_eq(run("back", 4, buffer, NULL, 0), "0:0 1:1 2:0 3:1 ");
    launcher_fini(&launcher);

    ck_assert_str_eq(once("device: {topology: \"l2:2 cu:2\"}\nschedule: {placement: numa}", 4, NULL, 0),
                     "0:0 1:1 2:2 3:3 ");
}
END_TEST

START_TEST(roots_have_units_of_their_own)
{
    struct diagnosis diagnosis = {0};
    start("devices: [{topology: \"cu:3\"}, {topology: \"cu:2\", limits: {local_memory: 16}}]");
    uint64_t buffer = launcher_buffer(&launcher, 4 * 4096);
    struct launch_arg arg = {&buffer, sizeof buffer, 0, 0};
    struct launch_request request = {.kernel = program_find_kernel(launcher.program, "fill"),
                                     .command = 9,
                                     .work_dim = 1,
                                     .root = 1,
                                     .global_size = {3072, 1, 1},
                                     .local_size = {1024, 1, 1},
                                     .args = &arg,
                                     .arg_count = 1};
    seen[0] = '\0';
    ck_assert_int_eq(device_launch(launcher.device, &request, &diagnosis), STATUS_OK);
    ck_assert_str_eq(seen, "0:3 1:4 2:3 ");
    launcher_fini(&launcher);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("placement");
    TCase *tcase = tcase_create("placement");
    tcase_add_test(tcase, groups_are_placed_round_robin);
    tcase_add_test(tcase, groups_stay_on_the_units_of_their_queue);
    tcase_add_test(tcase, blocks_keep_neighbours_together);
    tcase_add_test(tcase, script_sets_the_unit_of_each_group);
    tcase_add_test(tcase, numa_follows_the_first_touch);
    tcase_add_test(tcase, roots_have_units_of_their_own);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
