/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  A launch whose synchronising operations tests announce one by one, and questions to explain/
 *          about two of its accesses: the first where first_access() is called, at DATA_LINE, and the second
 *          at the end, at LAST_LINE.
 *
 * Launch   Four work-groups of two work-items. Sites are lines: line 7 is at "k.cl:7".
 */
#ifndef ORRERY_TESTS_SUPPORT_EXPLAIN_FIXTURE_H
#define ORRERY_TESTS_SUPPORT_EXPLAIN_FIXTURE_H

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "sim/memmodel/explain/explain.h"
#include "tests/support/run_tests.h"

static struct launch_info launch = {.launch = 1,
                                    .kernel = "k",
                                    .work_dim = 1,
                                    .global_size = {8, 1, 1},
                                    .local_size = {2, 1, 1},
                                    .group_count = {4, 1, 1},
                                    .sub_group_size = 2};
enum { FIRST = 0, NEIGHBOUR = 1, OTHER = 2, THIRD = 4 }; /* units: groups 0, 0, 1, 2 */
enum { DATA_LINE = 5, LAST_LINE = 50 };
static const uint64_t FLAG = 0x1000;

static struct order order;
static struct sync_log sync_log;
static struct answer answer;
static uint64_t first_clock, spent;

static inline void place(void *self, uint32_t site, struct source_place *out_place)
{
    (void)self;
    *out_place = (struct source_place){.file = "k.cl", .line = site, .column = 1, .text = "x"};
}

static inline const char *what(void *self, uint32_t site)
{
    (void)self;
    (void)site;
    return "atomic";
}

static const struct checker_host host = {.place = place, .what = what};

static inline void setup(void)
{
    order_init(&order, SCOPE_RULE_EQUAL);
    sync_log = (struct sync_log){.items = NULL};
    order.sync_log = &sync_log;
    order_launch_begin(&order, &launch);
}

static inline void teardown(void)
{
    order_check(&order);
    sync_log_check(&sync_log);
    order_fini(&order);
    sync_log_fini(&sync_log);
}

/* ---- what happens ------------------------------------------------------------------- */

static inline void act(uint64_t unit, struct atomic_operation operation)
{
    struct unit_state unit_state;
    order_unit_state(&order, unit, &unit_state);
    order_atomic(&order, &unit_state, &operation);
}

/* Of four bytes at FLAG. */
static inline struct atomic_operation flag_operation(uint32_t line, bool reads, bool writes,
                                                     enum memory_ordering how, enum memory_scope scope)
{
    return (struct atomic_operation){.address = FLAG,
                                     .size = 4,
                                     .region = IN_GLOBAL,
                                     .reads = reads,
                                     .writes = writes,
                                     .order = how,
                                     .scope = scope,
                                     .site = line};
}

static inline void store(uint64_t unit, uint32_t line, enum memory_ordering how, enum memory_scope scope)
{
    act(unit, flag_operation(line, false, true, how, scope));
}

static inline void load(uint64_t unit, uint32_t line, enum memory_ordering how, enum memory_scope scope)
{
    act(unit, flag_operation(line, true, false, how, scope));
}

static inline void fence(uint64_t unit, uint32_t line, uint32_t regions, enum memory_ordering how)
{
    struct unit_state unit_state;
    order_unit_state(&order, unit, &unit_state);
    order_fence(&order, &unit_state, regions, how, SCOPE_DEVICE, line);
}

static inline void first_access(uint64_t unit)
{
    struct unit_state unit_state;
    order_unit_state(&order, unit, &unit_state);
    first_clock = order_segment(&unit_state);
}

static inline struct race_instance instance_of(uint64_t first, uint64_t second)
{
    struct race_instance instance = {
        .first = {.unit = first, .clock = first_clock, .site = DATA_LINE, .size = 4},
        .second = {.unit = second, .site = LAST_LINE, .size = 4},
        .end = sync_log.count};
    instance.first_at = explain_locate(&sync_log, &instance.first, instance.end);
    return instance;
}

static inline struct question question_of(const struct race_instance *instances, uint32_t count)
{
    return (struct question){.sync_log = &sync_log,
                             .launch = &launch,
                             .host = &host,
                             .rule = order.rule,
                             .region = IN_GLOBAL,
                             .instances = instances,
                             .instance_count = count,
                             .spent = &spent};
}

/* Explains a race of these two units. The second access is the latest operation. */
static inline bool explained(uint64_t first, uint64_t second)
{
    const struct race_instance instance = instance_of(first, second);
    const struct question question = question_of(&instance, 1);
    return explain_race(&question, &answer);
}

static inline void explains(const char *why, const char *fix)
{
    ck_assert_msg(strstr(answer.proposal.why.bytes, why) != NULL, "why: %s", answer.proposal.why.bytes);
    ck_assert_str_eq(answer.proposal.fix.bytes, fix);
}

static inline int run_explain_tests(const char *name, const TTest *const *tests, size_t count)
{
    return run_tests(name, tests, count, setup, teardown, 0) ? EXIT_FAILURE : EXIT_SUCCESS;
}

#endif
