/* SPDX-License-Identifier: Apache-2.0 */
/* Edits of a scenario's text, places before and after them, and runs with them. Findings of two texts are
 * compared by their places in the original text: places after an edit are shifted by it. */
#include "fix_rerun.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "orrery/checked.h"

/* ---- edits and places ------------------------------------------------------------------------ */

static bool is_before(struct rewrite_place a, struct rewrite_place b)
{
    return a.line < b.line || (a.line == b.line && a.column < b.column);
}

static struct rewrite_place edit_begin(const struct code_edit *edit)
{
    return (struct rewrite_place){edit->line, edit->column};
}

static struct rewrite_place edit_end(const struct code_edit *edit)
{
    return (struct rewrite_place){edit->end_line, edit->end_column};
}

bool fix_edits_same(const struct code_edit *a, const struct code_edit *b)
{
    return a->line == b->line && a->column == b->column && a->end_line == b->end_line &&
           a->end_column == b->end_column && strcmp(a->text, b->text) == 0;
}

static bool overlap(const struct code_edit *a, const struct code_edit *b)
{
    return is_before(edit_begin(a), edit_end(b)) && is_before(edit_begin(b), edit_end(a));
}

/* An edit that is in the list is not added twice. False: it overlaps another edit, or the list is full. */
static bool edits_add(struct fix_edits *edits, const struct code_edit *edit)
{
    uint32_t at = 0;
    for (uint32_t i = 0; i < edits->count; i++) {
        if (fix_edits_same(&edits->items[i], edit))
            return true;
        if (overlap(&edits->items[i], edit))
            return false;
        at += !is_before(edit_begin(edit), edit_begin(&edits->items[i]));
    }
    if (edits->count == EDITS_MOST)
        return false;
    memmove(&edits->items[at + 1], &edits->items[at], (edits->count - at) * sizeof *edit);
    edits->items[at] = *edit;
    edits->count++;
    return true;
}

bool fix_edits_add_all(struct fix_edits *edits, const struct fix_edits *more)
{
    struct fix_edits sum = *edits;
    for (uint32_t i = 0; i < more->count; i++)
        if (!edits_add(&sum, &more->items[i]))
            return false;
    *edits = sum;
    return true;
}

bool fix_edits_of(const struct finding *finding, const char *name, struct fix_edits *out_edits)
{
    out_edits->count = 0;
    for (uint32_t i = 0; i < finding->edit_count; i++) {
        const struct finding_edit *edit = &finding->edits[i];
        struct code_edit own = {edit->line, edit->column, edit->end_line, edit->end_column, "", ""};
        if (!edit->file || strcmp(edit->file, name) != 0 || !edit->text ||
            strlen(edit->text) >= sizeof own.text)
            return false;
        strcpy(own.text, edit->text);
        if (!edits_add(out_edits, &own))
            return false;
    }
    return out_edits->count > 0;
}

static struct rewrite_place shift_place(struct rewrite_place at, struct rewrite_place from,
                                        struct rewrite_place to)
{
    return at.line == from.line ? (struct rewrite_place){to.line, to.column + (at.column - from.column)}
                                : (struct rewrite_place){to.line + (at.line - from.line), at.column};
}

static struct rewrite_place place_after_text(struct rewrite_place at, const char *text)
{
    for (; *text; text++)
        at = *text == '\n' ? (struct rewrite_place){at.line + 1, 1}
                           : (struct rewrite_place){at.line, at.column + 1};
    return at;
}

/* A place of the original text for comparisons: places within an edit become the edit's beginning. */
static struct rewrite_place collapsed_place(const struct fix_edits *edits, struct rewrite_place at)
{
    for (uint32_t i = 0; i < edits->count; i++)
        if (!is_before(at, edit_begin(&edits->items[i])) && is_before(at, edit_end(&edits->items[i])))
            return edit_begin(&edits->items[i]);
    return at;
}

/* The place of the original text that corresponds to a place of the edited text. */
static struct rewrite_place original_place(const struct fix_edits *edits, struct rewrite_place at)
{
    struct rewrite_place old = {1, 1}, new = {1, 1};
    for (uint32_t i = 0; i < edits->count; i++) {
        const struct rewrite_place begin = edit_begin(&edits->items[i]),
                                   edited = shift_place(begin, old, new),
                                   past = place_after_text(edited, edits->items[i].text);
        if (is_before(at, edited))
            break;
        if (is_before(at, past))
            return begin;
        old = edit_end(&edits->items[i]);
        new = past;
    }
    return shift_place(at, new, old);
}

/* ---- one run ---------------------------------------------------------------------------------- */

void fix_rerun_fini(struct fix_rerun *again)
{
    for (size_t i = 0; i < again->finding_count; i++) {
        free(again->findings[i].kernel);
        free(again->findings[i].name);
    }
    free(again->findings);
    contents_fini(&again->contents);
    *again = (struct fix_rerun){0};
}

static char *finding_name(const struct finding *finding)
{
    const struct source_place *place = &finding->access[0].place;
    char *name = NULL;
    if (!finding->access_count || !place->line)
        return strdup(finding_id(finding->kind));
    return asprintf(&name, "%s at %s:%" PRIu32, finding_id(finding->kind), place->file ? place->file : "?",
                    place->line) < 0
               ? NULL
               : name;
}

bool rerun_finding_init(struct rerun_finding *found, const struct finding *finding, const char *file)
{
    *found = (struct rerun_finding){.kind = finding->kind,
                                    .kernel = strdup(finding->kernel ? finding->kernel : ""),
                                    .name = finding_name(finding),
                                    .count = finding->access_count < 2 ? finding->access_count : 2};
    for (uint32_t i = 0; i < found->count; i++) {
        const struct source_place *place = &finding->access[i].place;
        found->places[i] = (struct rewrite_place){place->line, place->column};
        found->in_text[i] = place->line && place->file && strcmp(place->file, file) == 0;
        found->callers[i] = finding->access[i].caller.line;
    }
    if (finding_is_of_object(finding))
        snprintf(found->object, sizeof found->object, "%.*s",
                 (int)finding_object_name_length(finding->object), finding->object);
    return found->kernel && found->name;
}

static bool same_place(const struct fix_edits *edits, const struct rerun_finding *original, uint32_t a,
                       const struct rerun_finding *edited, uint32_t b)
{
    const struct rewrite_place *x = &original->places[a], *y = &edited->places[b];
    const struct rewrite_place before = original->in_text[a] ? collapsed_place(edits, *x) : *x,
                               after = edited->in_text[b] ? original_place(edits, *y) : *y;
    return before.line == after.line && before.column == after.column;
}

bool fix_rerun_same_finding(const struct fix_edits *edits, const struct rerun_finding *original,
                            const struct rerun_finding *edited)
{
    if (original->kind != edited->kind || original->count != edited->count ||
        strcmp(original->kernel, edited->kernel) != 0 || strcmp(original->object, edited->object) != 0)
        return false;
    if (original->count < 2)
        return !original->count || same_place(edits, original, 0, edited, 0);
    return (same_place(edits, original, 0, edited, 0) && same_place(edits, original, 1, edited, 1)) ||
           (same_place(edits, original, 0, edited, 1) && same_place(edits, original, 1, edited, 0));
}

static bool take_findings(struct fix_rerun *again, const struct report *report, const char *file)
{
    const size_t count = report_count(report);
    struct rerun_finding *findings =
        realloc(again->findings, (again->finding_count + count + 1) * sizeof *findings);
    bool fine = findings != NULL;
    if (findings)
        again->findings = findings;
    for (size_t i = 0; i < count && fine; i++) {
        const struct finding *finding = report_get(report, i);
        const enum check check = finding_check(finding->kind);
        again->races |= check == CHECK_RACES;
        again->other |= check != CHECK_RACES;
        again->ends &= check != CHECK_PROGRESS;
        fine = rerun_finding_init(&findings[again->finding_count++], finding, file);
    }
    return fine;
}

struct scenario fix_rerun_checked_copy(const struct scenario *scenario, uint64_t steps)
{
    struct scenario copy = scenario_again(scenario, steps);
    for (int check = 0; check < CHECK_COUNT; check++)
        copy.checks[check] = SEVERITY_ERROR;
    copy.suppression_count = 0;
    copy.baseline_file = NULL;
    copy.max_findings = 0;
    return copy;
}

void fix_rerun_set_policy(struct scenario *scenario, enum schedule_policy policy)
{
    scenario->schedule.policy = policy;
    scenario->schedule.replay = NULL;
    scenario->schedule.script_count = 0;
    scenario->schedule.script = NULL;
}

bool fix_rerun_run(const struct scenario *scenario, const struct built *built, struct fix_rerun *out_again)
{
    struct diagnosis diagnosis = {0};
    struct scenario_result result = {.output = NULL};
    struct report *report = report_new(scenario);
    struct run run = {.scenario = scenario,
                      .diagnosis = &diagnosis,
                      .report = report,
                      .built = built,
                      .contents = &out_again->contents,
                      .output = open_memstream(&result.output, &result.output_size)};
    bool fine = report && run.output;
    if (fine) {
        report_set_stream(report, NULL, false);
        contents_fini(&out_again->contents);
        const enum status status = scenario_perform(&run, &result);
        out_again->ends &= status == STATUS_OK;
        fine = (status == STATUS_OK || status == STATUS_NO_PROGRESS) &&
               take_findings(out_again, report, built->source.name);
        scenario_run_fini(&run);
    }
    if (run.output)
        fclose(run.output);
    scenario_result_fini(&result);
    report_free(report);
    return fine;
}
