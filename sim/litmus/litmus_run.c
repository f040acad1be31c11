/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From the executions of a test to its outcomes: each execution that an explorer shows is reduced to the
 * values that the condition names and counted in a sorted list. A race or a divergent barrier is kept from
 * the first execution that has it. With --interleavings a race checker says which execution races, else the
 * axioms do; the lines of a race come from an interleaving.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "litmus_race.h"
#include "orrery/rule.h"

enum { BOUND = 8, WORK_MOST = 10000000, PLACE_WORK_MOST = 200000 };

struct collector {
    const struct litmus *test;
    const struct litmus_options *options;
    struct litmus_result *result;
    struct unfold *unfold;
    struct race_judge *judge; /* for interleavings */
    bool disagrees;           /* the race checker and the axioms disagree */
    size_t room;
    bool out_of_memory;
};

/* ---- outcomes --------------------------------------------------------------------------- */

struct term_value execution_value(const struct execution *execution, const struct litmus_term *term)
{
    switch (term->kind) {
    case TERM_REGISTER:
        return (struct term_value){execution->last[term->thread]->registers[term->index], false};
    case TERM_PARAMETER: return (struct term_value){term->index, true};
    case TERM_CELL: break;
    }
    return (struct term_value){execution->cells[term->index], false};
}

static int compare_values(const int64_t *a, const int64_t *b, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (a[i] != b[i])
            return a[i] < b[i] ? -1 : 1;
    return 0;
}

/* The index of the outcome, or where it belongs in the order. */
static size_t place_of(const struct litmus_result *result, const int64_t *values, bool *out_found)
{
    size_t low = 0, high = result->outcome_count;
    *out_found = false;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = compare_values(values, result->outcomes[middle].values, result->name_count);
        if (order == 0)
            *out_found = true;
        if (order <= 0)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static bool outcome_add(struct collector *collector, size_t place, const int64_t *values, bool satisfies)
{
    struct litmus_result *result = collector->result;
    size_t size = result->name_count * sizeof *values;
    int64_t *own = malloc(size + 1);
    if (own && result->outcome_count == collector->room) {
        size_t room = collector->room ? collector->room * 2 : 16;
        struct litmus_outcome *grown = realloc(result->outcomes, room * sizeof *grown);
        if (!grown) {
            free(own);
            return false;
        }
        result->outcomes = grown;
        collector->room = room;
    }
    if (!own)
        return false;
    memcpy(own, values, size);
    memmove(&result->outcomes[place + 1], &result->outcomes[place],
            (result->outcome_count - place) * sizeof *result->outcomes);
    result->outcomes[place] = (struct litmus_outcome){.values = own, .satisfies = satisfies};
    result->outcome_count++;
    return true;
}

static void count_outcome(struct collector *collector, const struct execution *execution)
{
    const struct litmus *test = collector->test;
    struct term_value terms[TERMS_MOST];
    int64_t values[TERMS_MOST];
    bool found;
    for (uint32_t i = 0; i < test->term_count; i++) {
        terms[i] = execution_value(execution, &test->terms[i]);
        values[i] = terms[i].value;
    }
    size_t place = place_of(collector->result, values, &found);
    if (!found && !outcome_add(collector, place, values, condition_holds(test->condition, terms))) {
        collector->out_of_memory = true;
        return;
    }
    collector->result->outcomes[place].count++;
}

/* One race suffices, unless the axioms confirm every execution. */
static void take_race(struct collector *collector, const struct execution *execution)
{
    struct litmus_result *result = collector->result;
    bool race = execution->race;
    char *text = NULL;
    if (result->race == LITMUS_YES && !collector->options->confirm)
        return;
    if (collector->judge) {
        race = race_judge_execution(collector->judge, execution, &text);
        collector->out_of_memory |= race_judge_failed(collector->judge) || (race && !text);
        collector->disagrees |=
            collector->options->confirm && !race_judge_agrees(collector->judge, execution, race);
    }
    if (race)
        result->race = LITMUS_YES;
    collector->unfold->races |= race && !collector->options->confirm;
    if (result->race_text)
        free(text);
    else
        result->race_text = text;
}

/* ---- barriers that not all reach ------------------------------------------------------- */

/* The thread cannot reach the barrier at which `other` waits. */
static bool passes_by(const struct step *step, const struct step *other)
{
    return step->kind == STEP_END || (step->kind == STEP_BARRIER && step->label != other->label);
}

static uint32_t line_of(const struct collector *collector, const struct step *step)
{
    struct source_place place;
    program_site(collector->unfold->program, step->site, &place);
    return place.line;
}

static bool describe_divergence(struct collector *collector, const struct step *waits,
                                const struct step *other)
{
    char **text = &collector->result->divergence_text;
    int size =
        other->kind == STEP_END
            ? asprintf(text, "P%" PRIu32 " waits in line %" PRIu32 ", P%" PRIu32 " has returned",
                       waits->thread, line_of(collector, waits), other->thread)
            : asprintf(text, "P%" PRIu32 " waits in line %" PRIu32 ", P%" PRIu32 " in line %" PRIu32,
                       waits->thread, line_of(collector, waits), other->thread, line_of(collector, other));
    if (size < 0)
        *text = NULL;
    return size >= 0;
}

/* Keeps the first divergence. */
static void take_divergence(struct collector *collector, const struct execution *execution)
{
    const uint32_t *group = collector->unfold->places.group;
    for (uint32_t i = 0; i < collector->test->thread_count && !collector->result->divergence_text; i++)
        for (uint32_t k = 0; k < collector->test->thread_count && execution->last[i]->kind == STEP_BARRIER;
             k++)
            if (group[i] == group[k] && passes_by(execution->last[k], execution->last[i])) {
                collector->out_of_memory |=
                    !describe_divergence(collector, execution->last[i], execution->last[k]);
                break;
            }
}

static bool take(void *self, const struct execution *execution)
{
    struct collector *collector = self;
    struct litmus_result *result = collector->result;
    if (execution->end == EXECUTION_CUT) {
        result->cut++;
    } else if (execution_repeats(collector->unfold, execution)) {
        take_race(collector, execution);
        return !collector->out_of_memory;
    } else if (execution->end == EXECUTION_ENDED) {
        count_outcome(collector, execution);
    } else {
        result->stuck++;
        take_divergence(collector, execution);
    }
    take_race(collector, execution);
    return !collector->out_of_memory;
}

/* ---- results --------------------------------------------------------------------------------- */

static bool some_outcome(const struct litmus_result *result, bool satisfies)
{
    for (size_t i = 0; i < result->outcome_count; i++)
        if (result->outcomes[i].satisfies == satisfies)
            return true;
    return false;
}

/* The executions seen decide it, or nothing was left out. */
static enum litmus_answer answer(bool seen, bool if_seen, const struct litmus_result *result)
{
    if (!seen && (result->cut || result->gave_up))
        return LITMUS_UNKNOWN;
    return seen == if_seen ? LITMUS_YES : LITMUS_NO;
}

static void conclude(struct litmus_result *result, enum quantifier quantifier)
{
    result->clause = quantifier_words[quantifier];
    result->exists = answer(some_outcome(result, true), true, result);
    if (quantifier == QUANTIFIER_FORALL)
        result->holds = answer(some_outcome(result, false), false, result);
    else
        result->holds = answer(some_outcome(result, true), quantifier == QUANTIFIER_EXISTS, result);
    if (result->race == LITMUS_NO && (result->cut || result->gave_up))
        result->race = LITMUS_UNKNOWN;
}

/* ---- the run ------------------------------------------------------------------------------------ */

static enum status list_names(const struct litmus *test, struct litmus_result *result)
{
    result->names = calloc(test->term_count + 1, sizeof *result->names);
    result->is_address = calloc(test->term_count + 1, sizeof *result->is_address);
    if (!result->names || !result->is_address)
        return STATUS_OUT_OF_MEMORY;
    for (uint32_t i = 0; i < test->term_count; i++) {
        result->names[i] = test->terms[i].text;
        result->is_address[i] = test->terms[i].kind == TERM_PARAMETER;
    }
    result->name_count = test->term_count;
    result->locations = test->location_names;
    result->location_count = test->location_count;
    return STATUS_OK;
}

static enum status visit_interleavings(struct collector *collector, struct diagnosis *diagnosis)
{
    collector->judge = race_judge_new(collector->unfold);
    if (!collector->judge)
        return STATUS_OUT_OF_MEMORY;
    enum status status = explore_interleavings(collector->unfold, take, collector);
    race_judge_free(collector->judge);
    if (status == STATUS_OK && collector->disagrees)
        status = diagnose(diagnosis, STATUS_NOT_FOUND, "%s: the race checker and the axioms disagree",
                          collector->test->file);
    return status;
}

/* Some barrier does not order both regions. */
static bool leaves_region(const struct litmus_statement *statement)
{
    const uint32_t both = REGION_GLOBAL | REGION_LOCAL;
    for (; statement; statement = statement->next)
        if ((statement->kind == STATEMENT_BARRIER && (statement->flags & both) != both) ||
            leaves_region(statement->body) || leaves_region(statement->otherwise))
            return true;
    return false;
}

static bool reads_may_pass_barriers(const struct litmus *test)
{
    for (uint32_t i = 0; i < test->thread_count; i++)
        if (leaves_region(test->threads[i].body))
            return true;
    return false;
}

static enum status visit_candidates(struct collector *collector)
{
    bool thin_air = collector->options->thin_air, cut = false;
    enum status status = explore_reads(collector->unfold, thin_air, &cut, take, collector);
    const bool needed = thin_air || !RULE(27) || reads_may_pass_barriers(collector->test);
    if (status == STATUS_OK && !collector->unfold->gave_up && needed)
        status = explore_thin_air(collector->unfold, thin_air || !RULE(27), &cut, take, collector);
    collector->result->cut += cut;
    return status;
}

static enum status visit_all(struct collector *collector, struct diagnosis *diagnosis)
{
    const struct litmus_options *options = collector->options;
    enum status status =
        unfold_new(collector->test, options->bound ? options->bound : BOUND, &collector->unfold, diagnosis);
    if (status != STATUS_OK)
        return status;
    collector->unfold->work_left = options->work_most ? options->work_most : WORK_MOST;
    status = options->engine == LITMUS_INTERLEAVINGS ? visit_interleavings(collector, diagnosis)
                                                     : visit_candidates(collector);
    collector->result->gave_up = collector->unfold->gave_up;
    unfold_free(collector->unfold);
    return collector->out_of_memory ? STATUS_OUT_OF_MEMORY : status;
}

static const char *model_of(const struct litmus_options *options)
{
    if (options->engine == LITMUS_INTERLEAVINGS)
        return "interleavings";
    return options->thin_air ? "thin-air" : "opencl";
}

/* Finds an interleaving with a race, since the axioms have no lines to show. That it takes too much work is
 * no error. */
static enum status find_race_place(const struct litmus *test, const struct litmus_options *options,
                                   struct litmus_result *result)
{
    const struct litmus_options interleavings = {
        .engine = LITMUS_INTERLEAVINGS, .bound = options->bound, .work_most = PLACE_WORK_MOST};
    struct litmus_result placed;
    const enum status status = litmus_run(test, &interleavings, &placed, NULL);
    if (status == STATUS_OK) {
        result->race_text = placed.race_text;
        placed.race_text = NULL;
    }
    litmus_result_fini(&placed);
    return status;
}

enum status litmus_run(const struct litmus *test, const struct litmus_options *options,
                       struct litmus_result *out_result, struct diagnosis *diagnosis)
{
    struct collector collector = {.test = test, .options = options, .result = out_result};
    *out_result = (struct litmus_result){.model = model_of(options)};
    enum status status = list_names(test, out_result);
    if (status == STATUS_OK)
        status = visit_all(&collector, diagnosis);
    if (status == STATUS_OK)
        conclude(out_result, test->quantifier);
    if (status == STATUS_OK && options->engine == LITMUS_AXIOMS && out_result->race == LITMUS_YES)
        status = find_race_place(test, options, out_result);
    return status == STATUS_OK ? status
                               : diagnose(diagnosis, status, "%s: %s", test->file, status_name(status));
}

void litmus_result_fini(struct litmus_result *result)
{
    for (size_t i = 0; i < result->outcome_count; i++)
        free(result->outcomes[i].values);
    free(result->outcomes);
    free(result->names);
    free(result->is_address);
    free(result->race_text);
    free(result->divergence_text);
    *result = (struct litmus_result){.name_count = 0};
}
