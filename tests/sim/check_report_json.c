/* SPDX-License-Identifier: Apache-2.0 */
/* JSON, a line for each finding. */
#include <check.h>
#include <jansson.h>
#include <string.h>

#include "tests/support/report_fixture.h"

START_TEST(json_has_every_field)
{
    add(race());
    add(race());
    const struct finding *kept = report_get(report, 0);
    json_t *object = as_json(kept);
    ck_assert_str_eq(word(object, "id"), "race-global");
    ck_assert_str_eq(word(object, "severity"), "error");
    ck_assert_str_eq(word(object, "sentence"), finding_sentence(FINDING_RACE_GLOBAL));
    ck_assert_str_eq(word(object, "kernel"), "mp");
    ck_assert_str_eq(word(object, "object"), "argument 0 'data' (buffer, 8 bytes)");
    ck_assert_str_eq(word(object, "why"), kept->why);
    ck_assert_str_eq(word(object, "fix"), kept->fix);
    ck_assert_str_eq(word(object, "spec"), kept->spec);
    ck_assert_int_eq(number(object, "count"), 2);
    ck_assert_int_eq(number(object, "offset_bytes"), 0);
    ck_assert_int_eq(number(object, "length_bytes"), 4);
    ck_assert_ptr_null(json_object_get(object, "fix_partial"));
    json_t *accesses = json_object_get(object, "accesses"), *second = json_array_get(accesses, 1);
    ck_assert_uint_eq(json_array_size(accesses), 2);
    ck_assert_str_eq(word(second, "file"), "mp.cl");
    ck_assert_int_eq(number(second, "line"), 12);
    ck_assert_int_eq(number(second, "column"), 13);
    ck_assert_int_eq(number(second, "size_bytes"), 4);
    ck_assert_str_eq(word(second, "access"), "load");
    ck_assert_str_eq(word(second, "what"), "plain load");
    ck_assert_str_eq(word(second, "value"), "0x2a");
    ck_assert_ptr_null(json_object_get(second, "written"));
    json_t *item = json_object_get(second, "item");
    ck_assert_int_eq(json_integer_value(json_array_get(json_object_get(item, "global_id"), 0)), 64);
    ck_assert_int_eq(json_integer_value(json_array_get(json_object_get(item, "group_id"), 0)), 1);
    ck_assert_uint_eq(json_array_size(json_object_get(item, "local_id")), 3);
    ck_assert_int_eq(number(item, "compute_unit"), 1);
    json_decref(object);
}
END_TEST

START_TEST(json_names_operations_without_access)
{
    static const struct {
        enum act act;
        const char *word;
    } acts[] = {
        {ACT_ACCESS, "store"},          {ACT_BARRIER, "barrier"}, {ACT_FENCE, "fence"},
        {ACT_COLLECTIVE, "collective"}, {ACT_COPY, "copy"},       {ACT_WAIT, "wait"},
        {ACT_BRANCH, "branch"},         {ACT_CALL, "call"},
    };
    for (size_t i = 0; i < sizeof acts / sizeof acts[0]; i++) {
        struct finding finding = overrun(3);
        finding.access[0].act = acts[i].act;
        json_t *object = as_json(&finding), *access = json_array_get(json_object_get(object, "accesses"), 0);
        ck_assert_str_eq(word(access, "access"), acts[i].word);
        json_decref(object);
    }
}
END_TEST

START_TEST(json_has_the_value_an_update_wrote)
{
    const struct finding finding = race_with_update();
    json_t *object = as_json(&finding), *update = json_array_get(json_object_get(object, "accesses"), 1);
    ck_assert_str_eq(word(update, "value"), "0x7");
    ck_assert_str_eq(word(update, "written"), "0x11170");
    json_decref(object);
}
END_TEST

START_TEST(json_has_steps_and_causes)
{
    add(of_launch(FINDING_COLLECTIVE_DIVERGENCE, 2, 4));
    add(race_with_steps());
    json_t *object = as_json(report_get(report, 1));
    json_t *steps = json_object_get(object, "steps"), *second = json_array_get(steps, 1);
    ck_assert_str_eq(word(object, "type"), "finding");
    ck_assert_int_eq(number(object, "launch"), 2);
    ck_assert(json_is_true(json_object_get(object, "fix_verified")));
    ck_assert_str_eq(word(json_object_get(object, "cause"), "id"), "collective-divergence");
    ck_assert_int_eq(number(json_object_get(object, "cause"), "line"), 4);
    ck_assert_str_eq(word(json_array_get(json_object_get(object, "accesses"), 1), "by"), "somebody");
    ck_assert_uint_eq(json_array_size(steps), 2);
    ck_assert_int_eq(number(second, "side"), 1);
    ck_assert(json_is_true(json_object_get(second, "before")));
    json_t *edge = json_array_get(json_object_get(object, "edges"), 0);
    ck_assert_int_eq(number(edge, "from"), 0);
    ck_assert_int_eq(number(edge, "to"), 1);
    ck_assert(json_is_false(json_object_get(edge, "synchronises")));
    ck_assert_str_eq(word(second, "step"), "acquire, \"work_group\"");
    ck_assert_int_eq(number(second, "line"), 11);
    json_decref(object);
}
END_TEST

START_TEST(json_survives_hostile_text)
{
    struct finding finding = overrun(1);
    finding.access[0].place.text = "a \"quoted\" \\ \xff\xfe \n tab\t";
    finding.kernel = "k\x80";
    json_t *object = as_json(&finding);
    ck_assert_str_eq(word(object, "kernel"), "k?");
    ck_assert_ptr_nonnull(strstr(word(json_array_get(json_object_get(object, "accesses"), 0), "text"),
                                 "a \"quoted\" \\ ?? \n tab\t"));
    ck_assert_ptr_null(json_object_get(object, "fix"));
    json_decref(object);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        json_has_every_field,      json_names_operations_without_access, json_has_the_value_an_update_wrote,
        json_has_steps_and_causes, json_survives_hostile_text,
    };
    return report_tests("report, json", tests, sizeof tests / sizeof tests[0]);
}
