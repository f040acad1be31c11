/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs of a kernel that look for accesses outside of its buffers alone. In the run of a step each buffer that
 * has no size yet is as large as the step's natural size and its margin. One without such an access has
 * found its size.
 */
#include "buffer_sizes.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "orrery/scenario_run.h"
#include "tools.h"

enum { STEPS_MOST = 18, ELEMENTS_MOST = 1 << 20, BESIDE = 2, TRIAL_STEPS = 500000 };

/* A natural size, and how far accesses may leave it by mistake. */
struct size_step {
    uint64_t elements, with_margin;
};

/* Adds up to four times the size. Sizes that the margin of a smaller one covers are left out. */
static size_t add_steps(uint64_t size, uint64_t most, size_t count, struct size_step steps[STEPS_MOST])
{
    for (uint64_t times = 1; times <= 4 && count + 1 < STEPS_MOST; times++) {
        /* elements in pairs and triples end where they end; one more of them is a mistake */
        const uint64_t beside = times > BESIDE ? times : BESIDE;
        const struct size_step step = {times * size, (times > 1 ? times * size : most) + beside};
        const bool is_covered = count && step.elements <= steps[count - 1].with_margin;
        if (step.with_margin <= ELEMENTS_MOST && !is_covered)
            steps[count++] = step;
    }
    return count;
}

static size_t steps_of(const struct buffer_trials *trials, struct size_step out_steps[STEPS_MOST])
{
    const uint64_t whole = trials->whole, width = trials->width;
    size_t count = 0;
    assert(width <= whole);
    if (width < whole) {
        out_steps[count++] = (struct size_step){width, whole - 1};
        count = add_steps(whole, trials->most, count, out_steps);
        count = add_steps(width * whole, whole * trials->most, count, out_steps);
    }
    uint64_t most = trials->most;
    for (uint64_t power = whole; width == whole && power <= ELEMENTS_MOST && power > 1; power *= whole) {
        count = add_steps(power, most, count, out_steps);
        most *= trials->most;
    }
    if (!count)
        out_steps[count++] = (struct size_step){whole, trials->most + BESIDE};
    /* what a kernel's own constants may ask for */
    out_steps[count++] = (struct size_step){ELEMENTS_MOST, ELEMENTS_MOST};
    return count;
}

/* ---- one run -------------------------------------------------------------------------------------- */

/* Past the argument's end. In front of its begin, or far away, no size helps. */
static bool is_left(const struct finding *finding, size_t argument)
{
    char begins[40];
    const int length = snprintf(begins, sizeof begins, "argument %zu ", argument);
    if (finding->kind != FINDING_OUT_OF_BOUNDS_READ && finding->kind != FINDING_OUT_OF_BOUNDS_WRITE)
        return false;
    if (!finding->has_offset || finding->offset_bytes >= UINT32_MAX / 2)
        return false;
    return finding->object && strncmp(finding->object, begins, (size_t)length) == 0;
}

static bool leaves(const struct report *report, size_t argument)
{
    for (size_t i = 0; i < report_count(report); i++)
        if (is_left(report_get(report, i), argument))
            return true;
    return false;
}

static enum status load_trial(const struct buffer_trials *trials, const uint64_t *elements,
                              struct scenario *out_scenario, struct diagnosis *diagnosis)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (!stream)
        tools_no_memory();
    enum status status = trials->print(stream, trials->self, elements, diagnosis);
    if (fclose(stream) != 0)
        tools_no_memory();
    if (status == STATUS_OK)
        status = scenario_load_text(out_scenario, text, trials->file, diagnosis);
    free(text);
    return status;
}

static char *copied(const char *text)
{
    char *copy = text ? strdup(text) : NULL;
    if (text && !copy)
        tools_no_memory();
    return copy;
}

/* Bounds alone, quietly, and not for long. */
static void set_trial(const struct buffer_trials *trials, struct scenario *scenario)
{
    for (int check = 0; check < CHECK_COUNT; check++)
        if (check != CHECK_BOUNDS)
            scenario->checks[check] = SEVERITY_OFF;
    scenario->fixes = FIXES_OFF;
    scenario->values = false;
    scenario->schedule.max_steps = TRIAL_STEPS;
    scenario->compile_way = trials->scenario->compile_way;
    free(scenario->build_options);
    scenario->build_options = copied(trials->scenario->build_options);
    free(scenario->file); /* names are not relative to it, but to where the command runs */
    scenario->file = NULL;
    free(scenario->program.source_file);
    scenario->program.source_file = copied(trials->file);
}

/* What the run found, to be freed; NULL: it could not run, and the real one says why. out_ended: within its
 * limit, as larger buffers will not help a kernel that does not. out_idle: NULL, or what it left out. */
static struct report *run_trial(const struct buffer_trials *trials, struct scenario *scenario,
                                struct idle_lines *out_idle, bool *out_ended)
{
    struct scenario_result result;
    struct diagnosis ignored = {0};
    set_trial(trials, scenario);
    scenario->count_idle_lines = out_idle != NULL;
    struct report *report = report_new(scenario);
    if (!report)
        tools_no_memory();
    report_set_stream(report, NULL, false);
    const enum status status = scenario_run(scenario, report, &result, &ignored);
    if (out_idle) {
        *out_idle = result.idle;
        result.idle.lines = NULL;
    }
    scenario_result_fini(&result);
    *out_ended = status == STATUS_OK;
    if (status == STATUS_OK || status == STATUS_NO_PROGRESS)
        return report;
    report_free(report);
    return NULL;
}

/* ---- all of them ---------------------------------------------------------------------------------- */

/* Of an argument; tried: with the margin. */
struct fit {
    uint64_t elements, tried;
    bool found;
};

static uint64_t extra(const struct buffer_trials *trials, size_t argument)
{
    return argument < 32 && trials->one_more >> argument & 1;
}

static void widen(const struct buffer_trials *trials, const struct size_step *steps, size_t at,
                  struct fit *fits)
{
    for (size_t i = 0; i < trials->info->arg_count; i++) {
        if (fits[i].found)
            continue;
        const bool local = trials->info->args[i].kind == ARG_LOCAL;
        const uint64_t more = extra(trials, i);
        fits[i].elements = local ? trials->local << at : steps[at].elements + more;
        fits[i].tried = local ? fits[i].elements : steps[at].with_margin + more;
    }
}

/* One run: is there an argument whose size is not found? */
static enum status try_step(const struct buffer_trials *trials, struct fit *fits, bool *out_more,
                            struct diagnosis *diagnosis)
{
    const size_t count = trials->info->arg_count;
    uint64_t *elements = calloc(count + 1, sizeof *elements);
    struct scenario scenario;
    struct report *report = NULL;
    bool ended = false;
    if (!elements)
        tools_no_memory();
    for (size_t i = 0; i < count; i++)
        elements[i] = fits[i].tried;
    scenario_default(&scenario);
    const enum status status = load_trial(trials, elements, &scenario, diagnosis);
    if (status == STATUS_OK)
        report = run_trial(trials, &scenario, NULL, &ended);
    *out_more = false;
    for (size_t i = 0; i < count && report; i++) {
        fits[i].found = fits[i].found || !leaves(report, i);
        *out_more |= ended && !fits[i].found;
    }
    report_free(report);
    scenario_fini(&scenario);
    free(elements);
    return status;
}

enum status buffer_sizes_find(const struct buffer_trials *trials, uint64_t *out_elements,
                              struct diagnosis *diagnosis)
{
    const size_t count = trials->info->arg_count;
    struct size_step steps[STEPS_MOST];
    const size_t step_count = steps_of(trials, steps);
    struct fit *fits = calloc(count + 1, sizeof *fits);
    enum status status = STATUS_OK;
    bool more = true;
    if (!fits)
        tools_no_memory();
    for (size_t at = 0; at < step_count && more && status == STATUS_OK; at++) {
        widen(trials, steps, at, fits);
        status = try_step(trials, fits, &more, diagnosis);
    }
    for (size_t i = 0; i < count; i++)
        if (!fits[i].found) /* no size helps, or nothing ran */
            fits[i].elements = trials->info->args[i].kind == ARG_LOCAL ? trials->local
                                                                       : steps[0].elements + extra(trials, i);
    for (size_t i = 0; i < count; i++)
        out_elements[i] = fits[i].elements;
    free(fits);
    return status;
}

bool buffer_sizes_measure(const struct buffer_trials *trials, const uint64_t *elements,
                          struct idle_lines *out_idle)
{
    struct scenario scenario;
    struct diagnosis ignored = {0};
    struct report *report = NULL;
    bool ended = false;
    *out_idle = (struct idle_lines){.count = 0};
    scenario_default(&scenario);
    if (load_trial(trials, elements, &scenario, &ignored) == STATUS_OK)
        report = run_trial(trials, &scenario, out_idle, &ended);
    const bool fine = report && ended && out_idle->lines;
    if (!fine) {
        free(out_idle->lines);
        *out_idle = (struct idle_lines){.count = 0};
    }
    report_free(report);
    scenario_fini(&scenario);
    return fine;
}
