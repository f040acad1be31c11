/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The page of a litmus test. The executions are visited once more, with those that an axiom refuses; of each
 * outcome one execution is kept, and one for each axiom that refuses others which would end so. Of these the
 * one whose cycle is shortest among the first few.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "litmus_why.h"
#include "orrery/device.h"
#include "orders.h"
#include "sim/base/memory_words.h"
#include "sim/device/page.h"
#include "sim/report/report_json.h"

enum { SHOWN_MOST = 500, SHOWN_WORK_MOST = 1000000, SHOWN_BOUND = 8, CYCLES_TRIED = 16 };

/* An outcome and its witnesses. */
struct shown {
    int64_t values[TERMS_MOST];
    bool satisfies;
    uint64_t count[AXIOM_COUNT]; /* executions, by the axiom that refuses them; NONE: allowed */
    json_t *execution[AXIOM_COUNT];
    uint32_t links[AXIOM_COUNT]; /* in the cycle of that execution */
};

struct gallery {
    const struct litmus *test;
    struct unfold *unfold;
    size_t count, room;
    struct shown *shown;
    uint64_t left_out; /* executions whose outcomes are beyond the limit */
    bool out_of_memory;
};

static void gallery_fini(struct gallery *gallery)
{
    for (size_t i = 0; i < gallery->count; i++)
        for (size_t k = 0; k < AXIOM_COUNT; k++)
            json_decref(gallery->shown[i].execution[k]);
    free(gallery->shown);
}

/* ---- an execution ---------------------------------------------------------------------------- */

static json_t *number_json(int64_t number)
{
    return json_integer((json_int_t)number);
}

static const struct location *location_at(const struct litmus *test, uint32_t cell)
{
    const struct location *location = test->locations;
    while (cell - location->first_cell >= location->cells)
        location++;
    return location;
}

static json_t *cell_json(const struct litmus *test, uint32_t cell)
{
    const struct location *location = location_at(test, cell);
    if (!location->is_array)
        return report_json_text(location->name);
    return json_sprintf("%s[%u]", location->name, (unsigned)(cell - location->first_cell));
}

static const char *event_word(const struct candidate_event *event)
{
    if (event->thread == NO_THREAD)
        return "initial";
    if (event->instance)
        return event->is_exit ? "barrier-exit" : "barrier-entry";
    if (event->is_fence)
        return "fence";
    if (event->step->kind == STEP_UPDATE)
        return event->is_write ? "update" : "update-failed";
    return event->is_read ? "read" : "write";
}

static const char *short_word(const char *word)
{
    const char *last = strchr(word, '_'); /* memory_order_acq_rel, memory_scope_all_svm_devices */
    last = last ? strchr(last + 1, '_') : NULL;
    return last ? last + 1 : word;
}

/* The order of an access: a compare-exchange that failed has its failure order. */
static enum memory_ordering order_of(const struct candidate_event *event)
{
    const bool failed = event->step->kind == STEP_UPDATE && !event->is_write;
    return failed ? event->step->failure_order : event->step->order;
}

static void put_step(const struct gallery *gallery, json_t *object, const struct candidate_event *event)
{
    struct source_place place;
    program_site(gallery->unfold->program, event->step->site, &place);
    report_put_number(object, "line", place.line);
    if (event->is_atomic || event->is_fence) {
        if (!event->instance)
            report_put_text(object, "order", short_word(memory_order_word(order_of(event))));
        report_put_text(object, "scope", short_word(memory_scope_word(event->scope)));
    }
    if (event->instance)
        report_put_number(object, "instance", event->instance);
    if (event->is_fence && event->regions)
        json_object_set_new(object, "regions",
                            json_sprintf("%s%s%s", event->regions & REGION_GLOBAL ? "global" : "",
                                         (event->regions & 3) == 3 ? "+" : "",
                                         event->regions & REGION_LOCAL ? "local" : ""));
    json_object_set_new(object, "atomic", json_boolean(event->is_atomic));
}

static json_t *event_json(const struct gallery *gallery, const struct candidate *candidate, uint32_t i)
{
    const struct candidate_event *event = &candidate->event[i];
    json_t *object = json_object();
    report_put_text(object, "kind", event_word(event));
    if (event->thread != NO_THREAD)
        report_put_number(object, "thread", event->thread);
    if (event->is_read || event->is_write)
        json_object_set_new(object, "location", cell_json(gallery->test, event->cell));
    if (event->is_read) {
        json_object_set_new(object, "read", number_json(event->read));
        report_put_number(object, "reads_from", candidate->reads_from[i]);
    }
    if (event->is_write)
        json_object_set_new(object, "wrote", number_json(event->stored));
    if (event->step)
        put_step(gallery, object, event);
    return object;
}

static uint32_t set_size(event_set set)
{
    return (uint32_t)__builtin_popcountll((uint64_t)set) +
           (uint32_t)__builtin_popcountll((uint64_t)(set >> 64));
}

/* The stores of a cell in modification order, by the number of stores that follow each. */
static json_t *stores_json(const struct candidate *candidate, uint32_t cell)
{
    json_t *list = json_array();
    for (uint32_t later = candidate->count; later-- > 0;)
        for (uint32_t i = 0; i < candidate->count; i++)
            if (candidate->event[i].is_write && candidate->event[i].cell == cell &&
                set_size(candidate->modified[i]) == later)
                json_array_append_new(list, number_json(i));
    return list;
}

static json_t *modification_json(const struct gallery *gallery, const struct candidate *candidate)
{
    json_t *list = json_array();
    for (uint32_t cell = 0; cell < gallery->test->cell_count; cell++) {
        json_t *object = json_object();
        json_object_set_new(object, "location", cell_json(gallery->test, cell));
        json_object_set_new(object, "stores", stores_json(candidate, cell));
        json_array_append_new(list, object);
    }
    return list;
}

static json_t *synchronises_json(const struct candidate *candidate)
{
    json_t *list = json_array();
    for (uint32_t a = 0; a < candidate->count; a++)
        for (uint32_t b = 0; b < candidate->count; b++)
            if (has_event(candidate->synchronises[0][a] | candidate->synchronises[1][a], b))
                json_array_append_new(list, json_pack("[I,I]", (json_int_t)a, (json_int_t)b));
    return list;
}

static json_t *cycle_json(const struct cycle *cycle)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < cycle->count; i++) {
        json_t *object = json_object();
        report_put_text(object, "kind", link_word(cycle->link[i].kind));
        report_put_number(object, "from", cycle->link[i].from);
        report_put_number(object, "to", cycle->link[i].to);
        json_array_append_new(list, object);
    }
    return list;
}

static json_t *execution_json(const struct gallery *gallery, const struct execution *execution,
                              const struct cycle *cycle)
{
    const struct candidate *candidate = execution->candidate;
    json_t *object = json_object(), *events = json_array();
    for (uint32_t i = 0; i < candidate->count; i++)
        json_array_append_new(events, event_json(gallery, candidate, i));
    json_object_set_new(object, "events", events);
    json_object_set_new(object, "modification", modification_json(gallery, candidate));
    /* the order of the axioms decides which one is shown: the two before it refuse without it */
    if (execution->broken != AXIOM_UPDATE && execution->broken != AXIOM_CAUSE)
        json_object_set_new(object, "synchronises", synchronises_json(candidate));
    if (execution->broken != AXIOM_NONE)
        json_object_set_new(object, "cycle", cycle_json(cycle));
    if (execution->race)
        json_object_set_new(object, "race", json_true());
    return object;
}

/* ---- outcomes ----------------------------------------------------------------------------------- */

static int compare_shown(const struct gallery *gallery, const int64_t *a, const int64_t *b)
{
    for (size_t i = 0; i < gallery->test->term_count; i++)
        if (a[i] != b[i])
            return a[i] < b[i] ? -1 : 1;
    return 0;
}

static struct shown *insert(struct gallery *gallery, size_t place, const int64_t *values, bool satisfies)
{
    if (gallery->count == gallery->room) {
        const size_t room = gallery->room ? gallery->room * 2 : 16;
        struct shown *grown = realloc(gallery->shown, room * sizeof *grown);
        gallery->out_of_memory |= !grown;
        if (!grown)
            return NULL;
        gallery->shown = grown;
        gallery->room = room;
    }
    struct shown *shown = &gallery->shown[place];
    memmove(shown + 1, shown, (gallery->count - place) * sizeof *shown);
    *shown = (struct shown){.satisfies = satisfies};
    memcpy(shown->values, values, gallery->test->term_count * sizeof *values);
    gallery->count++;
    return shown;
}

/* NULL: too many outcomes, or out of memory. */
static struct shown *shown_of(struct gallery *gallery, const struct execution *execution)
{
    const struct litmus *test = gallery->test;
    struct term_value terms[TERMS_MOST];
    int64_t values[TERMS_MOST];
    for (uint32_t i = 0; i < test->term_count; i++) {
        terms[i] = execution_value(execution, &test->terms[i]);
        values[i] = terms[i].value;
    }
    size_t low = 0, high = gallery->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const int order = compare_shown(gallery, values, gallery->shown[middle].values);
        if (order == 0)
            return &gallery->shown[middle];
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    if (gallery->count == SHOWN_MOST)
        return NULL;
    return insert(gallery, low, values, condition_holds(test->condition, terms));
}

static bool keep(void *self, const struct execution *execution)
{
    struct gallery *gallery = self;
    const enum axiom broken = execution->broken;
    if (execution->end != EXECUTION_ENDED || execution_repeats(gallery->unfold, execution))
        return true;
    struct shown *shown = shown_of(gallery, execution);
    gallery->left_out += !shown;
    if (!shown || shown->count[broken]++ >= (broken == AXIOM_NONE ? 1 : CYCLES_TRIED))
        return !gallery->out_of_memory;
    struct cycle cycle;
    why_explain_candidate(execution->candidate, broken, &cycle);
    if (shown->execution[broken] && shown->links[broken] <= cycle.count)
        return true;
    json_decref(shown->execution[broken]);
    shown->execution[broken] = execution_json(gallery, execution, &cycle);
    shown->links[broken] = cycle.count;
    return true;
}

static enum status visit(struct gallery *gallery, const struct litmus_options *options, bool *out_cut,
                         struct diagnosis *diagnosis)
{
    const uint32_t bound = options->bound ? options->bound : SHOWN_BOUND;
    enum status status = unfold_new(gallery->test, bound, &gallery->unfold, diagnosis);
    if (status != STATUS_OK)
        return status;
    gallery->unfold->explains = gallery->unfold->races = true;
    gallery->unfold->work_left = options->work_most ? options->work_most : SHOWN_WORK_MOST;
    status = explore_reads(gallery->unfold, options->thin_air, out_cut, keep, gallery);
    if (status == STATUS_OK && !gallery->unfold->gave_up)
        status = explore_thin_air(gallery->unfold, options->thin_air, out_cut, keep, gallery);
    *out_cut |= gallery->unfold->gave_up || gallery->left_out;
    unfold_free(gallery->unfold);
    return gallery->out_of_memory ? STATUS_OUT_OF_MEMORY : status;
}

/* ---- data ------------------------------------------------------------------------------------------ */

static const char *result_word(enum litmus_answer answer)
{
    static const char *const words[] = {
        [LITMUS_NO] = "no", [LITMUS_YES] = "yes", [LITMUS_UNKNOWN] = "unknown"};
    return words[answer];
}

static json_t *lines_json(const char *text)
{
    json_t *list = json_array();
    for (const char *end; *text; text = *end ? end + 1 : end) {
        end = text + strcspn(text, "\n");
        char *line = strndup(text, (size_t)(end - text));
        json_array_append_new(list, report_json_text(line ? line : ""));
        free(line);
    }
    return list;
}

static json_t *names_json(const char *const *names, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, report_json_text(names[i]));
    return list;
}

static json_t *threads_json(const struct litmus *test)
{
    struct thread_places places;
    json_t *list = json_array();
    litmus_place(test, &places);
    for (uint32_t i = 0; i < test->thread_count; i++) {
        json_t *object = json_object();
        report_put_number(object, "group", places.group[i]);
        report_put_number(object, "device", places.device[i]);
        json_array_append_new(list, object);
    }
    return list;
}

/* The outcome of a run with these values; NULL: the run found none. */
static const struct litmus_outcome *found_in(const struct litmus_result *result, const int64_t *values)
{
    for (size_t i = 0; i < result->outcome_count; i++)
        if (memcmp(result->outcomes[i].values, values, result->name_count * sizeof *values) == 0)
            return &result->outcomes[i];
    return NULL;
}

static json_t *value_json(const struct litmus_result *result, size_t name, int64_t value)
{
    return result->is_address[name] ? json_sprintf("&%s", result->locations[value]) : number_json(value);
}

static void put_refused(json_t *object, const struct shown *shown)
{
    json_t *list = json_array();
    for (enum axiom axiom = AXIOM_NONE + 1; axiom < AXIOM_COUNT; axiom++) {
        if (!shown->count[axiom])
            continue;
        json_t *refused = json_object();
        report_put_text(refused, "axiom", why_axiom_word(axiom));
        report_put_number(refused, "count", shown->count[axiom]);
        json_object_set(refused, "execution", shown->execution[axiom]);
        json_array_append_new(list, refused);
    }
    json_object_set_new(object, "refused", list);
}

/* interleavings: what those end in; its outcomes are among the others'. */
struct page_results {
    const struct litmus_result *result, *interleavings;
};

static json_t *outcome_json(const struct page_results *results, const int64_t *values, bool satisfies,
                            const struct shown *shown)
{
    const struct litmus_outcome *found = found_in(results->result, values);
    json_t *object = json_object(), *list = json_array();
    for (size_t i = 0; i < results->result->name_count; i++)
        json_array_append_new(list, value_json(results->result, i, values[i]));
    json_object_set_new(object, "values", list);
    json_object_set_new(object, "satisfies", json_boolean(satisfies));
    json_object_set_new(object, "allowed", json_boolean(found != NULL));
    report_put_number(object, "count", found ? found->count : 0);
    if (!results->interleavings->gave_up && !results->interleavings->cut)
        json_object_set_new(object, "interleaving",
                            json_boolean(found_in(results->interleavings, values) != NULL));
    if (shown && found)
        json_object_set(object, "execution", shown->execution[AXIOM_NONE]);
    if (shown && !found)
        put_refused(object, shown);
    return object;
}

static const struct shown *shown_with(const struct gallery *gallery, const int64_t *values)
{
    for (size_t i = 0; i < gallery->count; i++)
        if (compare_shown(gallery, gallery->shown[i].values, values) == 0)
            return &gallery->shown[i];
    return NULL;
}

/*
 * The outcomes that were found, and then those that are refused: every execution with that end is. If the run
 * gave up, outcomes that were not found may be allowed all the same: they are left out.
 */
static json_t *outcomes_json(const struct gallery *gallery, const struct page_results *results)
{
    const struct litmus_result *result = results->result;
    json_t *list = json_array();
    for (size_t i = 0; i < result->outcome_count; i++)
        json_array_append_new(list,
                              outcome_json(results, result->outcomes[i].values, result->outcomes[i].satisfies,
                                           shown_with(gallery, result->outcomes[i].values)));
    for (size_t i = 0; i < gallery->count && !result->gave_up && !result->cut; i++) {
        const struct shown *shown = &gallery->shown[i];
        if (!found_in(result, shown->values) && !shown->count[AXIOM_NONE])
            json_array_append_new(list, outcome_json(results, shown->values, shown->satisfies, shown));
    }
    return list;
}

static json_t *test_json(const struct gallery *gallery, const struct page_results *results, bool cut)
{
    const struct litmus *test = gallery->test;
    const struct litmus_result *result = results->result;
    json_t *object = json_object();
    report_put_text(object, "name", test->name);
    report_put_text(object, "file", test->file);
    json_object_set_new(object, "lines", lines_json(test->text));
    report_put_text(object, "model", result->model);
    report_put_text(object, "clause", result->clause);
    report_put_text(object, "holds", result_word(result->holds));
    report_put_text(object, "exists", result_word(result->exists));
    report_put_text(object, "race", result_word(result->race));
    report_put_text(object, "race_text", result->race_text);
    report_put_text(object, "divergence", result->divergence_text);
    report_put_number(object, "stuck", result->stuck);
    report_put_number(object, "cut", result->cut);
    json_object_set_new(object, "gave_up", json_boolean(result->gave_up));
    json_object_set_new(object, "refused_cut", json_boolean(cut));
    json_object_set_new(object, "threads", threads_json(test));
    json_object_set_new(object, "names", names_json(result->names, result->name_count));
    json_object_set_new(object, "outcomes", outcomes_json(gallery, results));
    return object;
}

static enum status write_test(const struct gallery *gallery, const struct page_results *results, bool cut,
                              FILE *stream)
{
    json_t *data = json_object();
    report_put_number(data, "page", 1);
    json_object_set_new(data, "litmus", test_json(gallery, results, cut));
    const bool written = page_write_json(data, stream);
    json_decref(data);
    return written ? STATUS_OK : STATUS_OUT_OF_MEMORY;
}

enum status litmus_write_page(const struct litmus *test, const struct litmus_options *options,
                              const struct litmus_result *result, FILE *stream, struct diagnosis *diagnosis)
{
    struct gallery gallery = {.test = test};
    struct litmus_result interleavings;
    const struct litmus_options latest = {
        .engine = LITMUS_INTERLEAVINGS, .bound = options->bound, .work_most = SHOWN_WORK_MOST};
    bool cut = false;
    enum status status = litmus_run(test, &latest, &interleavings, diagnosis);
    if (status == STATUS_OK)
        status = visit(&gallery, options, &cut, diagnosis);
    if (status == STATUS_OK)
        status = write_test(&gallery, &(struct page_results){result, &interleavings}, cut, stream);
    litmus_result_fini(&interleavings);
    gallery_fini(&gallery);
    return status;
}
