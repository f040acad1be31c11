/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs of a kernel that look for accesses outside of its buffers alone, and what their extents say about
 * sizes.
 */
#include "buffer_sizes.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "orrery/scenario_run.h"
#include "tools.h"

enum {
    ELEMENTS_FIRST = 1 << 16,
    ELEMENTS_MOST = 1 << 20,
    ELEMENTS_LISTED = 1 << 12, /* of a buffer for which the scenario lists each value */
    BYTES_MOST = 1 << 26,      /* of a buffer, whatever its elements are */
    LOCAL_STEPS = 10,
    TRIAL_STEPS = 500000,
    WORK_WITHOUT_END = 500000000 /* counted for a run that did not end, in place of its instructions */
};

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

/* The run prints nothing and has a limit of steps. It looks for accesses out of bounds alone, or for all that
 * the user asked for. */
static void set_trial(const struct buffer_trials *trials, bool bounds, struct scenario *scenario)
{
    for (int check = 0; check < CHECK_COUNT; check++)
        scenario->checks[check] =
            bounds && check != CHECK_BOUNDS ? SEVERITY_OFF : trials->scenario->checks[check];
    if (bounds)
        scenario->checks[CHECK_BOUNDS] = SEVERITY_ERROR;
    scenario->count_idle_lines = scenario->measure_extents = bounds;
    scenario->fixes = FIXES_OFF;
    scenario->values = false;
    scenario->schedule.max_steps = TRIAL_STEPS;
    scenario->schedule.timeout_seconds = trials->scenario->schedule.timeout_seconds;
    scenario->compile_way = trials->scenario->compile_way;
    free(scenario->build_options);
    scenario->build_options = copied(trials->scenario->build_options);
    free(scenario->file); /* names are not relative to it, but to where the command runs */
    scenario->file = NULL;
    free(scenario->program.source_file);
    scenario->program.source_file = copied(trials->file);
}

/* What the run found, to be freed; NULL: it could not run, and the real one says why. out_ended: within its
 * limit, as larger buffers will not help a kernel that does not. */
static struct report *run_trial(const struct buffer_trials *trials, const struct scenario *scenario,
                                struct scenario_result *result, bool *out_ended)
{
    struct diagnosis ignored = {0};
    struct report *report = report_new(scenario);
    if (!report)
        tools_no_memory();
    report_set_stream(report, NULL, false);
    const enum status status = scenario_run(scenario, report, result, &ignored);
    *out_ended = status == STATUS_OK;
    *trials->work +=
        *out_ended || result->idle.executed > WORK_WITHOUT_END ? result->idle.executed : WORK_WITHOUT_END;
    if (status == STATUS_OK || status == STATUS_NO_PROGRESS)
        return report;
    report_free(report);
    return NULL;
}

/* How many elements the extent of an argument covers. */
static uint64_t elements_reached(const struct scenario *scenario, const struct scenario_result *result,
                                 size_t argument, uint64_t elements)
{
    const struct scenario_arg *arg = &scenario->launches[0].args[argument];
    const uint64_t bytes = arg->values.count * value_type_size(arg->values.type),
                   element = elements && bytes >= elements ? bytes / elements : 1;
    return (result->extents[argument] + element - 1) / element;
}

static void take_extents(const struct buffer_trials *trials, const struct scenario *scenario,
                         const struct scenario_result *result, const uint64_t *elements,
                         struct buffer_trial *trial)
{
    for (size_t i = 0; i < trials->info->arg_count; i++) {
        const enum arg_kind kind = trials->info->args[i].kind;
        const bool memory = kind == ARG_GLOBAL || kind == ARG_CONSTANT;
        trial->elements[i] =
            memory && result->extents ? elements_reached(scenario, result, i, elements[i]) : elements[i];
    }
}

/* So many elements, or as many as fit into a trial's buffer. Buffers of the run itself have no such limit. */
static uint64_t at_most(const struct buffer_trials *trials, size_t argument, uint64_t elements)
{
    const uint64_t bytes = trials->info->args[argument].element_bytes,
                   most = BYTES_MOST / (bytes ? bytes : 1);
    return elements < most ? elements : most ? most : 1;
}

bool buffer_trial_measure(const struct buffer_trials *trials, const uint64_t *asked,
                          struct buffer_trial *out_trial)
{
    struct scenario scenario;
    struct scenario_result result = {.output = NULL};
    struct diagnosis ignored = {0};
    struct report *report = NULL;
    bool ended = false;
    *out_trial = (struct buffer_trial){.elements = calloc(trials->info->arg_count + 1, sizeof(uint64_t))};
    uint64_t *elements = calloc(trials->info->arg_count + 1, sizeof *elements);
    if (!out_trial->elements || !elements)
        tools_no_memory();
    for (size_t i = 0; i < trials->info->arg_count; i++)
        elements[i] = at_most(trials, i, asked[i]);
    scenario_default(&scenario);
    if (load_trial(trials, elements, &scenario, &ignored) == STATUS_OK) {
        set_trial(trials, true, &scenario);
        report = run_trial(trials, &scenario, &result, &ended);
    }
    if (report) {
        take_extents(trials, &scenario, &result, elements, out_trial);
        for (size_t i = 0; i < trials->info->arg_count && i < 32; i++)
            out_trial->far |= leaves(report, i) ? UINT32_C(1) << i : 0;
        out_trial->idle = result.idle;
        result.idle.lines = NULL;
    }
    const bool fine = report && ended && out_trial->idle.lines;
    free(elements);
    scenario_result_fini(&result);
    report_free(report);
    scenario_fini(&scenario);
    return fine;
}

size_t buffer_trial_findings(const struct buffer_trials *trials, const uint64_t *elements)
{
    struct scenario scenario;
    struct scenario_result result = {.output = NULL};
    struct diagnosis ignored = {0};
    size_t count = SIZE_MAX;
    bool ended = false;
    scenario_default(&scenario);
    if (load_trial(trials, elements, &scenario, &ignored) == STATUS_OK) {
        set_trial(trials, false, &scenario);
        struct report *report = run_trial(trials, &scenario, &result, &ended);
        count = report && ended ? report_count(report) : SIZE_MAX;
        report_free(report);
    }
    scenario_result_fini(&result);
    scenario_fini(&scenario);
    return count;
}

void buffer_trial_fini(struct buffer_trial *trial)
{
    free(trial->elements);
    free(trial->idle.lines);
    *trial = (struct buffer_trial){.elements = NULL};
}

static bool has(uint32_t set, size_t argument)
{
    return argument < 32 && set >> argument & 1;
}

/* Gives more elements to the buffers that accesses left. True: there is such a buffer. */
static bool widen(const struct buffer_trials *trials, uint32_t left, uint64_t *elements)
{
    bool more = false;
    for (size_t i = 0; i < trials->info->arg_count; i++) {
        const bool local = trials->info->args[i].kind == ARG_LOCAL;
        const uint64_t wider = local ? 2 * elements[i] : at_most(trials, i, ELEMENTS_MOST);
        if (!has(left, i) || wider > (local ? trials->local << LOCAL_STEPS : ELEMENTS_MOST) ||
            wider == elements[i])
            continue;
        elements[i] = wider;
        more = true;
    }
    return more;
}

bool buffer_trial_run(const struct buffer_trials *trials, struct buffer_trial *out_trial)
{
    const size_t count = trials->info->arg_count;
    uint64_t *elements = calloc(count + 1, sizeof *elements);
    if (!elements)
        tools_no_memory();
    for (size_t i = 0; i < count; i++)
        elements[i] = trials->info->args[i].kind == ARG_LOCAL ? trials->local
                      : has(trials->one_more, i)              ? ELEMENTS_LISTED
                                                              : at_most(trials, i, ELEMENTS_FIRST);
    bool fine = buffer_trial_measure(trials, elements, out_trial);
    while (fine && widen(trials, out_trial->far, elements)) {
        buffer_trial_fini(out_trial);
        fine = buffer_trial_measure(trials, elements, out_trial);
    }
    for (size_t i = 0; i < count && fine; i++)
        if (has(out_trial->far, i) && trials->info->args[i].kind == ARG_LOCAL)
            out_trial->elements[i] = trials->local;
    free(elements);
    return fine;
}

/* ---- sizes --------------------------------------------------------------------------------------- */

enum { PRODUCT_MOST = 3, TIMES_MOST = 4, BESIDE = 2, BESIDE_FEW = 16 };

/* times x a product of up to three factors, which ascend by number. */
struct size {
    uint64_t times;
    size_t count, factor[PRODUCT_MOST];
};

enum explanation { EXPLAINS_NOTHING, EXPLAINS_MISTAKE, EXPLAINS_ROOM, EXPLAINS_NEXT, EXPLAINS_EXACTLY };

/* A size, and how far from it accesses end in all choices together. */
struct judged_size {
    struct size size;
    enum explanation how;
    uint64_t distance;
};

static uint64_t value_of(const struct size_fit *fit, const struct size *size, size_t choice)
{
    uint64_t value = size->times;
    for (size_t i = 0; i < size->count; i++)
        value *= fit->factors[size->factor[i]].value[choice];
    return value;
}

/* A size with the square of a factor is as likely as the least likely of these squares. */
static enum size_square square_in(const struct size_fit *fit, const struct size *size)
{
    enum size_square square = SQUARE_LIKELY;
    for (size_t i = 1; i < size->count; i++) {
        const struct size_factor *factor = &fit->factors[size->factor[i]];
        if (size->factor[i] == size->factor[i - 1] && factor->square < square)
            square = factor->square;
    }
    return square;
}

/* What a right kernel may leave of a table: rows at its border, and the padding of each row. */
static uint64_t room_of(const struct size_fit *fit, const struct size *size, size_t choice)
{
    uint64_t largest = 0, padding = 0, room = 1;
    for (size_t i = 0; i < size->count; i++) {
        const struct size_factor *factor = &fit->factors[size->factor[i]];
        const uint64_t value = factor->value[choice];
        room *= value > largest ? (largest ? largest : 1) : value; /* all but the largest */
        largest = value > largest ? value : largest;
        padding += factor->padding[choice];
    }
    if (size->count == 1)
        return size->times == 1 ? BESIDE : largest > BESIDE_FEW ? BESIDE * size->times : 0;
    return size->times * (BESIDE * (room + 1) + padding);
}

/* How far accesses go past a table by mistake: without a test of one of its sizes, or with the larger of two
 * sizes in the place of the smaller one; or, of elements in pairs, by one of them. */
static uint64_t margin_of(const struct size_fit *fit, const struct size *size, size_t choice)
{
    const uint64_t value = value_of(fit, size, choice), beside = size->times > BESIDE ? size->times : BESIDE;
    uint64_t most = value + beside;
    for (size_t i = 0; i < size->count && (size->times == 1 || size->count > 1); i++) {
        const struct size_factor *factor = &fit->factors[size->factor[i]];
        const uint64_t others = value / factor->value[choice];
        const uint64_t untested =
            factor->past[choice] * others + (size->count > 1 ? factor->past[choice] : 0);
        most = untested + BESIDE > most ? untested + BESIDE : most;
        for (size_t k = 0; k < size->count && size->count > 1; k++) {
            const uint64_t other = fit->factors[size->factor[k]].value[choice],
                           swapped = others * other + other;
            most = swapped > most ? swapped : most;
        }
    }
    return most - value;
}

/* Does the product mix sizes with numbers that are none? A radius does not multiply a width. */
static bool is_mixed(const struct size_fit *fit, const struct size *size)
{
    for (size_t i = 1; i < size->count; i++)
        if (fit->factors[size->factor[i]].alone != fit->factors[size->factor[0]].alone)
            return true;
    return false;
}

static struct judged_size judge(const struct size_fit *fit, const struct size *size, size_t argument)
{
    struct judged_size candidate = {.size = *size, .how = EXPLAINS_EXACTLY};
    const uint64_t extra = has(fit->trials->one_more, argument);
    for (size_t c = 0; c < fit->choice_count; c++) {
        const uint64_t value = value_of(fit, size, c), reached = fit->trial[c].elements[argument],
                       to = reached > extra ? reached - extra : 0;
        const bool beyond = to > value;
        const uint64_t distance = beyond ? to - value : value - to;
        const uint64_t most = beyond ? margin_of(fit, size, c) : room_of(fit, size, c);
        const enum explanation how = !distance ? EXPLAINS_EXACTLY
                                     : beyond  ? distance <= most ? EXPLAINS_MISTAKE : EXPLAINS_NOTHING
                                     : distance <= most ? EXPLAINS_ROOM
                                                        : EXPLAINS_MISTAKE;
        candidate.how = how < candidate.how ? how : candidate.how;
        candidate.distance += distance;
    }
    const enum size_square square = square_in(fit, size);
    if (square == SQUARE_UNLIKELY || (square == SQUARE_POSSIBLE && candidate.how < EXPLAINS_EXACTLY))
        candidate.how = EXPLAINS_NOTHING;
    return candidate;
}

/* Does the same size fit whatever the numbers are? So it does for a table whose size is a constant, and where
 * every work-item accesses its own element, untested. */
static bool is_constant(const struct size_fit *fit, const struct judged_size *candidate, size_t argument)
{
    const uint64_t to = fit->trial[0].elements[argument];
    bool varies = false;
    for (size_t c = 1; c < fit->choice_count; c++) {
        if (fit->trial[c].elements[argument] != to)
            return false;
        varies |= value_of(fit, &candidate->size, c) != value_of(fit, &candidate->size, 0);
    }
    return varies && !(candidate->size.count == 1 && fit->factors[candidate->size.factor[0]].past[0] == to);
}

static bool is_beyond(const struct size_fit *fit, const struct judged_size *candidate, size_t argument,
                      size_t choice)
{
    const uint64_t extra = has(fit->trials->one_more, argument);
    return fit->trial[choice].elements[argument] > value_of(fit, &candidate->size, choice) + extra;
}

static bool leaves_some(const struct size_fit *fit, const struct judged_size *candidate, size_t argument)
{
    for (size_t c = 0; c < fit->choice_count; c++)
        if (is_beyond(fit, candidate, argument, c))
            return true;
    return false;
}

static bool leaves_all(const struct size_fit *fit, const struct judged_size *candidate, size_t argument)
{
    for (size_t c = 0; c < fit->choice_count; c++)
        if (!is_beyond(fit, candidate, argument, c))
            return false;
    return true;
}

/* Does it end one element past the size, or a pair, in each choice? */
static bool is_next(const struct size_fit *fit, const struct judged_size *candidate, size_t argument)
{
    return leaves_all(fit, candidate, argument) &&
           (candidate->distance == fit->choice_count ||
            candidate->distance == fit->choice_count * candidate->size.times);
}

static void try_size(const struct size_fit *fit, const struct size *size, size_t argument,
                     struct judged_size *best)
{
    struct judged_size candidate = judge(fit, size, argument);
    if (candidate.how == EXPLAINS_MISTAKE &&
        (!leaves_some(fit, &candidate, argument) || is_constant(fit, &candidate, argument)))
        candidate.how = EXPLAINS_NOTHING;
    /* of elements in pairs, a swapped factor alone, which is inside in one of the orders */
    if (candidate.how == EXPLAINS_MISTAKE && size->times > 1 && size->count > 1 && fit->choice_count > 1 &&
        !is_next(fit, &candidate, argument) && leaves_all(fit, &candidate, argument))
        candidate.how = EXPLAINS_NOTHING;
    if (is_mixed(fit, size))
        candidate.how = EXPLAINS_NOTHING;
    /* one element past a table is likelier than a larger table that is not filled */
    if (candidate.how == EXPLAINS_MISTAKE && is_next(fit, &candidate, argument))
        candidate.how = EXPLAINS_NEXT;
    if (candidate.how > best->how || (candidate.how == best->how && candidate.distance < best->distance))
        *best = candidate;
}

/* Tries products with one more factor, which does not precede the last one. */
static void try_products(const struct size_fit *fit, struct size *size, size_t argument,
                         struct judged_size *best)
{
    for (size->times = 1; size->count && size->times <= TIMES_MOST; size->times++)
        try_size(fit, size, argument, best);
    const size_t first = size->count ? size->factor[size->count - 1] : 0;
    for (size_t i = first; i < fit->factor_count && size->count < PRODUCT_MOST; i++) {
        size->factor[size->count++] = i;
        try_products(fit, size, argument, best);
        size->count--;
    }
}

/* A product of two factors, each of so many times a number and some more; of one, if b is past the last. */
static bool is_table(const struct size_fit *fit, size_t argument, size_t a, size_t b, uint64_t times,
                     uint64_t more)
{
    for (size_t c = 0; c < fit->choice_count; c++) {
        const uint64_t rows = times * fit->factors[a].value[c] + more,
                       columns = b < fit->factor_count ? times * fit->factors[b].value[c] + more : 1;
        if (rows * columns != fit->trial[c].elements[argument])
            return false;
    }
    return true;
}

/* A signal, for example, is as long as its result and the filter together. */
static bool is_sum(const struct size_fit *fit, size_t argument, size_t a, size_t b, uint64_t less)
{
    for (size_t c = 0; c < fit->choice_count; c++) {
        const uint64_t sum = fit->factors[a].value[c] + fit->factors[b].value[c];
        if (fit->trial[c].elements[argument] + less != sum)
            return false;
    }
    return true;
}

/* Tables with a border on two sides or on all, sums of two numbers, and tables of 2n + 1. */
static bool has_border(const struct size_fit *fit, size_t argument)
{
    for (size_t a = 0; a < fit->factor_count; a++) {
        for (size_t b = a; b < fit->factor_count; b++)
            if ((b > a && (is_sum(fit, argument, a, b, 0) || is_sum(fit, argument, a, b, 1))) ||
                is_table(fit, argument, a, b, 1, 1) || is_table(fit, argument, a, b, 1, 2) ||
                (fit->factors[a].around && fit->factors[b].around && is_table(fit, argument, a, b, 2, 1)))
                return true;
        if (fit->factors[a].around && is_table(fit, argument, a, fit->factor_count, 2, 1))
            return true;
    }
    return false;
}

static bool is_far(const struct size_fit *fit, size_t argument)
{
    for (size_t c = 0; c < fit->choice_count; c++)
        if (has(fit->trial[c].far, argument))
            return true;
    return false;
}

static void fit_argument(struct size_fit *fit, size_t argument)
{
    const uint64_t extra = has(fit->trials->one_more, argument);
    struct size size = {.count = 0};
    struct judged_size best = {.how = EXPLAINS_NOTHING, .distance = UINT64_MAX};
    const bool far = is_far(fit, argument);
    if (!far)
        try_products(fit, &size, argument, &best);
    if (best.how < EXPLAINS_EXACTLY && has_border(fit, argument))
        best.how = EXPLAINS_NOTHING;
    const bool mistaken = best.how == EXPLAINS_MISTAKE || best.how == EXPLAINS_NEXT;
    for (size_t c = 0; c < fit->choice_count; c++) {
        const uint64_t to = fit->trial[c].elements[argument];
        const bool larger = !far && to > fit->whole + extra;
        fit->leaves[c] |= mistaken && is_beyond(fit, &best, argument, c);
        fit->elements[c][argument] = best.how != EXPLAINS_NOTHING ? value_of(fit, &best.size, c) + extra
                                     : larger                     ? to
                                                                  : fit->whole + extra;
    }
}

void buffer_sizes_fit(struct size_fit *fit)
{
    for (size_t i = 0; i < fit->trials->info->arg_count; i++) {
        const enum arg_kind kind = fit->trials->info->args[i].kind;
        if (kind == ARG_GLOBAL || kind == ARG_CONSTANT)
            fit_argument(fit, i);
        else
            for (size_t c = 0; c < fit->choice_count; c++)
                fit->elements[c][i] = fit->trial[c].elements[i];
    }
}
