/* SPDX-License-Identifier: Apache-2.0 */
/* Each expected finding takes the first finding that fits it and was not taken yet; those that are left
 * are unexpected, unless the fix of another one covers them. */
#include "tools.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check_outcome.h"

/* ---- what was seen -------------------------------------------------------------- */

static char *copy(const char *text)
{
    return strdup(text ? text : "");
}

static struct checked_report *seen_add(struct check_outcome *outcome, const char *id, const char *kernel,
                                       const char *why, const char *fix)
{
    struct checked_report *grown = realloc(outcome->seen, (outcome->count + 1) * sizeof *grown);
    if (!grown)
        tools_no_memory();
    outcome->seen = grown;
    grown[outcome->count] =
        (struct checked_report){.id = copy(id), .kernel = copy(kernel), .why = copy(why), .fix = copy(fix)};
    return &grown[outcome->count++];
}

void check_outcome_fini(struct check_outcome *outcome)
{
    for (size_t i = 0; i < outcome->count; i++) {
        free(outcome->seen[i].id);
        free(outcome->seen[i].kernel);
        free(outcome->seen[i].why);
        free(outcome->seen[i].fix);
    }
    free(outcome->seen);
    free(outcome->output);
}

static void take_finding(struct check_outcome *outcome, const struct finding *finding)
{
    struct checked_report *seen =
        seen_add(outcome, finding_id(finding->kind), finding->kernel, finding->why, finding->fix);
    for (uint32_t a = 0; a < finding->access_count && a < 2; a++)
        seen->lines[a] = finding->access[a].place.line;
    seen->follows = finding->cause ? finding->cause->access[0].place.line : 0;
    seen->covered_by = finding->covered_by ? finding->covered_by->access[0].place.line : 0;
    seen->enough = !finding->fix_partial;
    seen->accepted = finding->accepted;
}

void check_outcome_take_report(struct check_outcome *outcome, const struct report *report)
{
    for (size_t i = 0; i < report_count(report); i++)
        take_finding(outcome, report_get(report, i));
    for (size_t i = 0; i < report_suppressed_count(report); i++)
        if (report_accepts(report, report_suppressed_get(report, i)))
            take_finding(outcome, report_suppressed_get(report, i));
}

static const char *member(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

/* No file: the program never called OpenCL, and nothing was found. */
void check_outcome_take_json(struct check_outcome *outcome, const char *path)
{
    char *line = NULL;
    size_t room = 0;
    FILE *file = fopen(path, "re");
    while (file && getline(&line, &room, file) > 0) {
        json_t *object = json_loads(line, 0, NULL), *accesses = json_object_get(object, "accesses");
        const char *id = member(object, "id");
        struct checked_report *seen =
            id ? seen_add(outcome, id, member(object, "kernel"), member(object, "why"), member(object, "fix"))
               : NULL;
        for (size_t a = 0; seen && a < json_array_size(accesses) && a < 2; a++)
            seen->lines[a] =
                (uint32_t)json_integer_value(json_object_get(json_array_get(accesses, a), "line"));
        if (seen) {
            seen->follows =
                (uint32_t)json_integer_value(json_object_get(json_object_get(object, "cause"), "line"));
            seen->covered_by =
                (uint32_t)json_integer_value(json_object_get(json_object_get(object, "covered_by"), "line"));
            seen->enough = !json_is_true(json_object_get(object, "fix_partial"));
            seen->accepted = json_is_true(json_object_get(object, "accepted"));
        }
        json_decref(object);
    }
    free(line);
    if (file)
        fclose(file);
}

/* ---- findings --------------------------------------------------------------------- */

static bool says(const char *expected, const char *sentence)
{
    return !expected || strstr(sentence, expected);
}

/* The scenario may spell the id in another way than findings do. */
static bool is_kind(const char *expected, const char *seen)
{
    enum finding_kind kind;
    return finding_from_id(seen, &kind) && finding_id_is(kind, expected);
}

static bool has_line(const struct checked_report *seen, uint32_t line)
{
    return line == seen->lines[0] || line == seen->lines[1];
}

/* What the scenario does not give fits every finding. */
static bool fits(const struct expect_finding *expected, const struct checked_report *seen)
{
    if (!is_kind(expected->id, seen->id))
        return false;
    if (expected->kernel && strcmp(expected->kernel, seen->kernel) != 0)
        return false;
    if (expected->line && !has_line(seen, expected->line))
        return false;
    if (expected->has_follows && expected->follows != seen->follows)
        return false;
    if (expected->has_enough && expected->enough != seen->enough)
        return false;
    return says(expected->why, seen->why) && says(expected->fix, seen->fix);
}

static bool match(const struct expect_finding *expected, struct check_outcome *outcome)
{
    for (size_t i = 0; i < outcome->count; i++) {
        if (!outcome->seen[i].matched && fits(expected, &outcome->seen[i]))
            return outcome->seen[i].matched = true;
    }
    return false;
}

static void print_missing(const struct expect_finding *expected)
{
    printf("  missing: %s", expected->id);
    if (expected->line)
        printf(" at line %" PRIu32, expected->line);
    printf("%s%s", expected->kernel ? " in kernel " : "", expected->kernel ? expected->kernel : "");
    if (expected->why)
        printf(", because \"%s\"", expected->why);
    if (expected->fix)
        printf(", with the fix \"%s\"", expected->fix);
    if (expected->has_follows && expected->follows)
        printf(", that may follow from the one at line %" PRIu32, expected->follows);
    else if (expected->has_follows)
        printf(", that follows from none");
    if (expected->has_enough)
        printf(", whose fix is %senough for all of them", expected->enough ? "" : "not ");
    putchar('\n');
}

static bool is_exact(const struct expect_finding *expected)
{
    const bool has_text = expected->why || expected->fix;
    return has_text || expected->line || expected->has_follows || expected->has_enough;
}

/* One fix removes it and a finding that is expected: it need not be listed. */
static bool is_covered(const struct check_outcome *outcome, const struct checked_report *seen)
{
    for (size_t i = 0; i < outcome->count && seen->covered_by; i++)
        if (outcome->seen[i].matched && !outcome->seen[i].covered_by &&
            outcome->seen[i].lines[0] == seen->covered_by)
            return true;
    return false;
}

/* More specific ones choose first, so that "any" cannot take theirs. */
size_t check_outcome_compare_findings(const struct scenario_expect *expect, struct check_outcome *outcome)
{
    size_t differences = 0;
    for (int exact = 1; exact >= 0; exact--) {
        for (size_t i = 0; i < expect->finding_count; i++) {
            if (is_exact(&expect->findings[i]) != exact || match(&expect->findings[i], outcome))
                continue;
            print_missing(&expect->findings[i]);
            differences++;
        }
    }
    for (size_t i = 0; i < outcome->count; i++) {
        const struct checked_report *seen = &outcome->seen[i];
        if (seen->matched || seen->accepted || is_covered(outcome, seen))
            continue;
        printf("  unexpected: %s at line %" PRIu32 " in kernel %s\n", seen->id, seen->lines[0], seen->kernel);
        differences++;
    }
    return differences;
}

/* ---- buffers, output ----------------------------------------------------------------- */

/* A float is compared by its bits, but any NaN is a NaN. */
static bool same_element(enum value_type type, const void *a, const void *b)
{
    float single[2];
    double real[2];
    uint16_t half[2];
    if (memcmp(a, b, value_type_size(type)) == 0)
        return true;
    switch (type) {
    case VALUE_F16:
        memcpy(&half[0], a, 2);
        memcpy(&half[1], b, 2);
        return (half[0] & 0x7fff) > 0x7c00 && (half[1] & 0x7fff) > 0x7c00;
    case VALUE_F32:
        memcpy(&single[0], a, 4);
        memcpy(&single[1], b, 4);
        return single[0] != single[0] && single[1] != single[1];
    case VALUE_F64:
        memcpy(&real[0], a, 8);
        memcpy(&real[1], b, 8);
        return real[0] != real[0] && real[1] != real[1];
    default: return false;
    }
}

static void print_element(const struct expect_buffer *expected, const struct value_list *found, size_t index)
{
    printf("  buffer: launch %" PRIu32 ", argument %" PRIu32 ", element %zu is ", expected->launch,
           expected->arg, index);
    value_list_print_element(found, index, stdout);
    fputs(", expected ", stdout);
    value_list_print_element(&expected->values, index, stdout);
    fputc('\n', stdout);
}

size_t check_outcome_compare_buffer(const struct expect_buffer *expected, const struct value_list *found)
{
    enum { SHOWN = 5 };
    size_t differences = 0, size = value_type_size(found->type);
    for (size_t i = 0; i < found->count; i++) {
        const char *a = (const char *)found->data + i * size,
                   *b = (const char *)expected->values.data + i * size;
        if (!same_element(found->type, a, b) && differences++ < SHOWN)
            print_element(expected, found, i);
    }
    if (differences > SHOWN)
        printf("  buffer: launch %" PRIu32 ", argument %" PRIu32 ": %zu more elements differ\n",
               expected->launch, expected->arg, differences - SHOWN);
    return differences;
}

size_t check_outcome_compare_output(const struct scenario_expect *expect, const char *output)
{
    if (!expect->output || strcmp(expect->output, output ? output : "") == 0)
        return 0;
    printf("  output:\n%s\n  expected:\n%s\n", output ? output : "", expect->output);
    return 1;
}

/* ---- placement ------------------------------------------------------------------------- */

size_t check_outcome_compare_placement(const struct expect_placement *expected, const struct unit_list *found)
{
    const struct unit_list *units = &expected->units;
    for (uint32_t group = 0; group < found->count; group++) {
        uint32_t unit = found->units[group], wanted = units->units[group % units->count];
        if (unit == wanted)
            continue;
        printf("  placement: launch %" PRIu32 ", work-group %" PRIu32 " ran on ", expected->launch, group);
        if (unit == UINT32_MAX)
            printf("no compute unit, expected %" PRIu32 "\n", wanted);
        else
            printf("compute unit %" PRIu32 ", expected %" PRIu32 "\n", unit, wanted);
        return 1;
    }
    if (found->count)
        return 0;
    printf("  placement: launch %" PRIu32 " ran no work-group\n", expected->launch);
    return 1;
}
