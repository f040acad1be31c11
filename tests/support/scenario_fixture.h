/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A scenario that each test has for itself, loaded from a text or changed by options, and the complaints
 * about texts and options that are refused.
 */
#ifndef ORRERY_TESTS_SUPPORT_SCENARIO_FIXTURE_H
#define ORRERY_TESTS_SUPPORT_SCENARIO_FIXTURE_H

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "orrery/scenario.h"
#include "tests/support/run_tests.h"

#define PROGRAM "orrery: 1\nprogram: {text: \"\"}\n"

static struct scenario scenario;
static struct diagnosis diagnosis;

static inline void setup(void)
{
    memset(&diagnosis, 0, sizeof diagnosis);
    scenario_default(&scenario);
}

static inline void teardown(void)
{
    scenario_fini(&scenario);
}

static inline void load(const char *text)
{
    scenario_fini(&scenario);
    memset(&diagnosis, 0, sizeof diagnosis);
    enum status status = scenario_load_text(&scenario, text, "t.yaml", &diagnosis);
    ck_assert_msg(status == STATUS_OK, "%s", diagnosis.text);
}

/* The complaint starts with the position and holds each of the words. */
static inline void rejects(const char *text, const char *position, const char *word, const char *other)
{
    scenario_fini(&scenario);
    memset(&diagnosis, 0, sizeof diagnosis);
    enum status status = scenario_load_text(&scenario, text, "t.yaml", &diagnosis);
    ck_assert_msg(status == STATUS_BAD_SCENARIO, "accepted: %s", text);
    ck_assert_int_eq(diagnosis.status, STATUS_BAD_SCENARIO);
    ck_assert_msg(strncmp(diagnosis.text, position, strlen(position)) == 0, "expected %s, got: %s", position,
                  diagnosis.text);
    ck_assert_msg(strstr(diagnosis.text, word) != NULL, "no '%s' in: %s", word, diagnosis.text);
    ck_assert_msg(strstr(diagnosis.text, other) != NULL, "no '%s' in: %s", other, diagnosis.text);
}

static inline void option(const char *key, const char *value)
{
    memset(&diagnosis, 0, sizeof diagnosis);
    ck_assert_msg(scenario_apply_option(&scenario, key, value, &diagnosis) == STATUS_OK, "%s",
                  diagnosis.text);
}

static inline void option_rejects(const char *key, const char *value, const char *word)
{
    memset(&diagnosis, 0, sizeof diagnosis);
    ck_assert_int_eq(scenario_apply_option(&scenario, key, value, &diagnosis), STATUS_BAD_SCENARIO);
    ck_assert_msg(strstr(diagnosis.text, word) != NULL, "no '%s' in: %s", word, diagnosis.text);
}

static inline char *printed(void)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    scenario_print(&scenario, stream);
    fclose(stream);
    return text;
}

/* Texts are equal when the structs are: every field is printed, strings quoted, floats exactly. */
static inline void survives_printing(void)
{
    char *first = printed();
    load(first);
    char *second = printed();
    ck_assert_str_eq(first, second);
    free(first);
    free(second);
}

static inline void holds(const struct value_list *values, enum value_type type, const void *expected,
                         size_t count)
{
    ck_assert_int_eq(values->type, type);
    ck_assert_uint_eq(values->count, count);
    ck_assert_mem_eq(values->data, expected, count * value_type_size(type));
}

/* The number of tests that fail. */
static inline int scenario_failures(const char *name, const TTest *const *tests, size_t count)
{
    return run_tests(name, tests, count, setup, teardown, 0);
}

#endif
