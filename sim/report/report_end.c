/* SPDX-License-Identifier: Apache-2.0 */
/* The end of a run's text: what came again since it was printed, what a limit has kept back, suppressions
 * that were not used, how to replay the run, and the summary. */
#include "report_state.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report_words.h"
#include "suppression.h"

/* Do findings belong to several kernels? One place may be in several, through a function that they call. */
static bool has_several_kernels(const struct report *report)
{
    const char *kernel = NULL;
    for (size_t i = 0; i < report->found.count; i++) {
        const char *own = report->found.entries[i]->finding.kernel;
        if (own && kernel && strcmp(own, kernel) != 0)
            return true;
        kernel = own ? own : kernel;
    }
    return false;
}

static bool is_same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

/* One place may have findings of several objects, through a function that is called for each. */
static bool has_another_object(const struct report *report, const struct finding *finding)
{
    const struct source_place *place = &finding->access[0].place;
    bool has = false;
    for (size_t i = 0; i < report->found.count && finding->object && place->line && !has; i++) {
        const struct finding *other = &report->found.entries[i]->finding;
        has = other->kind == finding->kind && other->access[0].place.line == place->line &&
              other->access[0].place.column == place->column &&
              is_same_text(other->access[0].place.file, place->file) &&
              !is_same_text(other->object, finding->object);
    }
    return has;
}

/* Findings were printed when they arrived. What has been added to their counts since is printed here. */
static void print_repeats(FILE *stream, const struct report *report)
{
    const bool several_kernels = has_several_kernels(report);
    for (size_t i = 0; i < report->found.count; i++) {
        const struct report_entry *entry = report->found.entries[i];
        const struct source_place *place = &entry->finding.access[0].place;
        if (!entry->reported || entry->finding.count == entry->reported)
            continue;
        fprintf(stream, "orrery: also %s%" PRIu64 " more %s",
                entry->finding.count_at_least ? "at least " : "", entry->finding.count - entry->reported,
                finding_id(entry->finding.kind));
        char where[PLACE_CHARS];
        report_place_text(place, where);
        if (entry->finding.access_count && place->line)
            fprintf(stream, " at %s", where);
        if (several_kernels && entry->finding.kernel)
            fprintf(stream, " in kernel %s", entry->finding.kernel);
        if (has_another_object(report, &entry->finding))
            fprintf(stream, ", %.*s", (int)finding_object_name_length(entry->finding.object),
                    entry->finding.object);
        fputs(entry->finding.fix_partial ? "; the fix is not enough for all of them\n" : "\n", stream);
    }
}

/* Says which kinds may have more findings, and how many a limit has kept back. */
static void print_unreported(FILE *stream, const struct report *report)
{
    for (int kind = 0; kind < FINDING_KIND_COUNT; kind++)
        if (report->incomplete[kind])
            fprintf(stream,
                    "orrery: at least so many %s: too many places raced in one word, or in too many words, "
                    "to keep all\n",
                    finding_id((enum finding_kind)kind));

    uint32_t limit = report->scenario->max_findings;
    for (int kind = 0; limit && kind < FINDING_KIND_COUNT; kind++) {
        if (report->kind_count[kind] > limit)
            fprintf(stream, "orrery: %zu more %s elsewhere, not printed: --max-errors=%" PRIu32 "\n",
                    report->kind_count[kind] - limit, finding_id((enum finding_kind)kind), limit);
    }
}

static bool suppression_used(const struct report *report, const struct suppression *suppression)
{
    for (size_t i = 0; i < report->suppressed.count; i++) {
        if (suppression_find(report->scenario, &report->suppressed.entries[i]->finding) == suppression)
            return true;
    }
    return false;
}

static void print_unused(FILE *stream, const struct report *report)
{
    const struct scenario *scenario = report->scenario;
    for (size_t i = 0; i < scenario->suppression_count; i++) {
        const struct suppression *suppression = &scenario->suppressions[i];
        if (!suppression_used(report, suppression))
            fprintf(stream, "orrery: suppression not used: %s\n", suppression->origin);
    }
}

void report_get_counts(const struct report *report, uint64_t kernels_run, struct report_counts *out_counts)
{
    const struct schedule_config *schedule = &report->scenario->schedule;
    *out_counts = (struct report_counts){
        .errors = report_distinct(report, SEVERITY_ERROR),
        .warnings = report_distinct(report, SEVERITY_WARNING),
        .suppressed = report_suppressed_count(report),
        .accepted = report_accepted_count(report),
        .kernels = kernels_run,
        .seed = schedule->seed,
        .policy = (int)schedule->policy,
        .at_least = report_at_least(report),
        .left_out = {report->launches.left_out[LEFT_OUT_BY_KERNEL],
                     report->launches.left_out[LEFT_OUT_BY_LAUNCHES]},
    };
    memcpy(out_counts->checks, report->scenario->checks, sizeof out_counts->checks);
}

void report_print_counts(FILE *stream, const struct report_counts *counts)
{
    if (counts->accepted)
        fprintf(stream, "orrery: suppressed by the baseline: %" PRIu64 "\n", counts->accepted);
    report_launches_print(stream, counts->left_out, counts->kernels);
    fprintf(stream,
            "orrery: SUMMARY errors=%" PRIu64 " warnings=%" PRIu64 " suppressed=%" PRIu64 " kernels=%" PRIu64
            " seed=%" PRIu64 " schedule=%s%s checks=",
            counts->errors, counts->warnings, counts->suppressed, counts->kernels, counts->seed,
            schedule_policy_name((enum schedule_policy)counts->policy),
            counts->at_least ? " count=at-least" : "");
    checks_print(counts->checks, stream);
    fputc('\n', stream);
}

void report_note_off(FILE *stream, const struct scenario *scenario)
{
    char *names = NULL;
    size_t size = 0;
    FILE *list = open_memstream(&names, &size);
    const bool some = list && checks_print_off(scenario->checks, list);
    if (list)
        fclose(list);
    if (some && !scenario->quiet)
        fprintf(stream, "orrery: note: not looked for: %s; --checks=all looks for everything\n", names);
    free(names);
}

void report_summary(FILE *stream, const struct report *report, uint64_t kernels_run)
{
    struct report_counts counts;
    report_get_counts(report, kernels_run, &counts);
    report_print_counts(stream, &counts);
}

const char *report_loose_note(void)
{
    return "orrery: several threads of the program called OpenCL, in an order of chance: only a run with "
           "--record=FILE can be replayed "
           "exactly";
}

static void print_end(FILE *stream, const struct report *report, uint64_t kernels_run)
{
    pthread_mutex_lock(report_lock(report));
    print_repeats(stream, report);
    print_unreported(stream, report);
    print_unused(stream, report);
    if (!report->share) /* else orrery prints it once, when all processes have ended */
        baseline_note(stream, &report->baseline, report->scenario->baseline_file);
    pthread_mutex_unlock(report_lock(report));
    if (report->scenario->quiet)
        return;
    if (report->replay)
        fprintf(stream, "orrery: replay with: %s\n", report->replay);
    if (report->replay_loose)
        fprintf(stream, "%s\n", report_loose_note());
    report_launches_note_none(stream, &report->launches, report->scenario);
    report_summary(stream, report, kernels_run);
}

void report_finish(FILE *stream, const struct report *report, uint64_t kernels_run)
{
    char *text = NULL;
    size_t size = 0;
    FILE *whole = open_memstream(&text, &size);
    if (whole) {
        report_name_process(report, whole);
        print_end(whole, report, kernels_run);
    }
    if (!report_put_whole(stream, whole, &text, &size))
        print_end(stream, report, kernels_run);
    fflush(stream);
}
