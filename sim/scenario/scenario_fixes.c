/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs a scenario again with the edits that its findings propose:
 *   1. The original text, under the schedule of the run and the default schedule, with all checks: which
 *      findings are there without any edit?
 *   2. The original text, one work-item at a time, in several orders: the intended result, for the bytes on
 *      which these orders agree.
 *   3. For each finding, the text with its edits, under both schedules. The fix holds when the finding is
 *      gone, no finding is new, each launch ends, and the result is the intended one.
 *   4. A run that still has races proves nothing about the result. The text with the edits of all fixes
 *      that hold so far is compared instead.
 * A run with the edits of one finding also shows which other races these edits remove: its fix covers them.
 */
#include "scenario_fixes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "orrery/checked.h"
#include "fix_rerun.h"

enum {
    FINDINGS_MOST = 10,
    RANDOM_ITEMS_MOST = 1 << 12, /* A random order costs more per work-item. */
    STEPS_MOST = 1 << 22,        /* The loop iterations of a run that is repeated, at most. */
    RANDOM_ORDERS = 4,
    SERIAL_ORDERS = 2 + RANDOM_ORDERS,
    NOTE_CHARS = 400
};

bool scenario_tries_fixes(const struct scenario *scenario)
{
    return scenario->fixes == FIXES_TRY && scenario_runs_again(scenario);
}

/* ---- the trials of a scenario ------------------------------------------------------------------ */

enum trial_verdict { VERDICT_UNKNOWN, VERDICT_HOLDS, VERDICT_FAILS };

/* The edits of one finding, and the run with them. */
struct tried_fix {
    size_t finding; /* index in the report */
    struct fix_edits edits;
    struct fix_rerun again;
    bool ran;
    enum trial_verdict verdict;
    bool compared; /* with the results of serial runs */
    char note[NOTE_CHARS];
};

struct fix_trials {
    const struct scenario *scenario;
    struct scenario copy;
    struct built built;
    char *text, **lines; /* the source, cut into lines */
    uint32_t line_count;
    struct fix_rerun original; /* The findings of the original text. */
    struct fix_rerun serial[SERIAL_ORDERS];
    uint32_t serial_count;
    bool serial_done, serial_defined;
    struct tried_fix items[FINDINGS_MOST];
    uint32_t count;
};

static bool split(struct fix_trials *trials)
{
    char *at = trials->text = strdup(trials->built.source.text);
    uint32_t count = 1;
    for (const char *c = at; c && *c; c++)
        count += *c == '\n';
    trials->lines = at ? calloc(count, sizeof *trials->lines) : NULL;
    if (!trials->lines)
        return false;
    while (at) {
        char *line = strsep(&at, "\n");
        const size_t length = strlen(line);
        if (length && line[length - 1] == '\r')
            line[length - 1] = '\0';
        CHECKED(trials->line_count < count);
        trials->lines[trials->line_count++] = line;
    }
    return true;
}

static bool build(struct scenario *scenario, struct built *out_built)
{
    struct diagnosis diagnosis = {0};
    char *log;
    const enum status status =
        scenario_build(scenario, &out_built->spirv, &out_built->source, &log, &diagnosis);
    free(log);
    return status == STATUS_OK;
}

static void built_fini(struct built *built)
{
    spirv_fini(&built->spirv);
    scenario_source_fini(&built->source);
}

/* Runs under the schedule of the scenario and under the default schedule. A replay or script is of the
 * original text alone, so an edited text skips it. */
static bool run_both(const struct fix_trials *trials, const struct built *built, bool edited,
                     struct fix_rerun *out_again)
{
    struct scenario own = trials->copy, lockstep = trials->copy;
    const bool of_text = own.schedule.replay || own.schedule.script_count;
    const bool is_default = own.schedule.policy == SCHEDULE_LOCKSTEP && !of_text;
    *out_again = (struct fix_rerun){.ends = true};
    fix_rerun_set_policy(&lockstep, SCHEDULE_LOCKSTEP);
    if (!(edited && of_text) && !is_default && !fix_rerun_run(&own, built, out_again))
        return false;
    return fix_rerun_run(&lockstep, built, out_again);
}

/* ---- the result ------------------------------------------------------------------------------- */

static bool run_serial(struct fix_trials *trials, enum schedule_policy policy, uint64_t seed)
{
    struct scenario serial = trials->copy;
    struct fix_rerun *again = &trials->serial[trials->serial_count];
    fix_rerun_set_policy(&serial, policy);
    serial.schedule.seed = seed;
    /* Depth 1 of PCT: priorities never change, so each work-item runs to its next wait. */
    serial.schedule.depth = 1;
    serial.checks[CHECK_RACES] = SEVERITY_OFF;
    *again = (struct fix_rerun){.ends = true};
    trials->serial_count++;
    return fix_rerun_run(&serial, &trials->built, again) && again->ends && !again->other;
}

/* Is there a result that depends on the order of work-items only? Not if a serial run has another finding
 * or does not end. */
static bool has_defined_result(struct fix_trials *trials)
{
    if (trials->serial_done)
        return trials->serial_defined;
    const uint64_t random_orders =
        scenario_items(trials->scenario) <= RANDOM_ITEMS_MOST ? (uint64_t)RANDOM_ORDERS : 0;
    trials->serial_defined =
        run_serial(trials, SCHEDULE_SERIAL, 0) && run_serial(trials, SCHEDULE_REVERSE, 0);
    for (uint64_t seed = 1; seed <= random_orders && trials->serial_defined; seed++)
        trials->serial_defined = run_serial(trials, SCHEDULE_PCT, seed);
    trials->serial_done = true;
    return trials->serial_defined;
}

/* The order of additions changes a floating-point sum slightly. */
static bool is_close(enum value_type type, const void *a, const void *b)
{
    const double most = 1e-4;
    double x, y;
    if (type == VALUE_F32) {
        float single[2];
        memcpy(&single[0], a, sizeof single[0]);
        memcpy(&single[1], b, sizeof single[1]);
        x = (double)single[0];
        y = (double)single[1];
    } else if (type == VALUE_F64) {
        memcpy(&x, a, sizeof x);
        memcpy(&y, b, sizeof y);
    } else {
        return false;
    }
    return fabs(x - y) <= most * (fabs(x) > fabs(y) ? fabs(x) : fabs(y));
}

static bool same_element(const struct value_list *a, const struct value_list *b, size_t index)
{
    const size_t size = value_type_size(a->type);
    const char *x = (const char *)a->data + index * size, *y = (const char *)b->data + index * size;
    return memcmp(x, y, size) == 0 || is_close(a->type, x, y);
}

static bool serial_orders_agree(const struct fix_trials *trials, size_t list, size_t index)
{
    for (uint32_t i = 1; i < trials->serial_count; i++)
        if (!same_element(&trials->serial[0].contents.values[list], &trials->serial[i].contents.values[list],
                          index))
            return false;
    return true;
}

static const char *arg_name(const struct fix_trials *trials, size_t list, size_t *out_launch, size_t *out_arg)
{
    size_t launch = 0;
    while (list >= trials->scenario->launches[launch].arg_count)
        list -= trials->scenario->launches[launch++].arg_count;
    *out_launch = launch;
    *out_arg = list;
    return trials->scenario->launches[launch].args[list].name;
}

static void note_result(const struct fix_trials *trials, size_t list, size_t index,
                        const struct value_list *found, char note[NOTE_CHARS])
{
    size_t launch, arg;
    const char *name = arg_name(trials, list, &launch, &arg);
    FILE *stream = fmemopen(note, NOTE_CHARS, "w");
    if (!stream)
        return;
    fprintf(stream, "the result is not that of a serial run: launch %zu, argument %zu%s%s%s, element %zu is ",
            launch, arg, name ? " '" : "", name ? name : "", name ? "'" : "", index);
    value_list_print_element(found, index, stream);
    fputs(", not ", stream);
    value_list_print_element(&trials->serial[0].contents.values[list], index, stream);
    fputc('\0', stream);
    fclose(stream);
}

/* Compares where all serial orders agree. False: note has the first difference. */
static bool equals_serial_result(const struct fix_trials *trials, const struct fix_rerun *again,
                                 char note[NOTE_CHARS])
{
    for (size_t list = 0; list < again->contents.count; list++) {
        const struct value_list *found = &again->contents.values[list];
        for (size_t i = 0; i < found->count; i++) {
            if (!serial_orders_agree(trials, list, i) ||
                same_element(found, &trials->serial[0].contents.values[list], i))
                continue;
            note_result(trials, list, i, found, note);
            return false;
        }
    }
    return true;
}

/* ---- one finding's edits ------------------------------------------------------------------------ */

static bool is_in_original(const struct fix_trials *trials, const struct fix_edits *edits,
                           const struct rerun_finding *edited)
{
    for (size_t i = 0; i < trials->original.finding_count; i++)
        if (fix_rerun_same_finding(edits, &trials->original.findings[i], edited))
            return true;
    return false;
}

static bool is_of_same_calls(const struct rerun_finding *a, const struct rerun_finding *b)
{
    const uint32_t *x = a->callers, *y = b->callers;
    return (x[0] == y[0] && x[1] == y[1]) || (x[0] == y[1] && x[1] == y[0]);
}

/* Puts the problem of the run into note, as a sentence; "": none. own: the finding that has to disappear;
 * NULL: none. Returns whether the result was compared. */
static bool judge(struct fix_trials *trials, const struct fix_edits *edits, const struct rerun_finding *own,
                  const struct fix_rerun *again, char note[NOTE_CHARS])
{
    note[0] = '\0';
    for (size_t i = 0; i < again->finding_count && !note[0]; i++)
        if (own && fix_rerun_same_finding(edits, own, &again->findings[i]))
            snprintf(note, NOTE_CHARS,
                     is_of_same_calls(own, &again->findings[i]) ? "the race is still there"
                                                                : "the race of other calls is still there");
    for (size_t i = 0; i < again->finding_count && !note[0]; i++)
        if (!is_in_original(trials, edits, &again->findings[i]))
            snprintf(note, NOTE_CHARS, "it brings %s", again->findings[i].name);
    if (!note[0] && !again->ends)
        snprintf(note, NOTE_CHARS, "the launch does not end");
    if (note[0] || again->races)
        return false;
    if (has_defined_result(trials))
        equals_serial_result(trials, again, note);
    return true;
}

static bool build_edited(const struct fix_trials *trials, const struct fix_edits *edits,
                         struct built *out_built)
{
    char *text = rewrite_apply(trials->lines, trials->line_count, edits->items, edits->count);
    struct scenario edited = trials->copy;
    edited.program.edited_text = text;
    const bool fine = text && build(&edited, out_built);
    if (!text)
        *out_built = (struct built){{NULL, 0}, {0}};
    free(text);
    return fine;
}

/* False: the result is unknown. *out_builds: the edited text compiles. */
static bool run_edited(struct fix_trials *trials, const struct fix_edits *edits, struct fix_rerun *out_again,
                       bool *out_builds)
{
    struct built built;
    *out_builds = build_edited(trials, edits, &built);
    const bool fine = *out_builds && run_both(trials, &built, true, out_again);
    built_fini(&built);
    return fine;
}

static bool same_edits(const struct fix_edits *a, const struct fix_edits *b)
{
    bool same = a->count == b->count;
    for (uint32_t i = 0; same && i < a->count; i++)
        same = fix_edits_same(&a->items[i], &b->items[i]);
    return same;
}

/* The first trial that ran with the same edits; the trial itself if none did. */
static struct tried_fix *same_trial(struct fix_trials *trials, struct tried_fix *trial)
{
    for (struct tried_fix *earlier = trials->items; earlier < trial; earlier++)
        if (earlier->ran && same_edits(&earlier->edits, &trial->edits))
            return earlier;
    return trial;
}

static void try_one(struct fix_trials *trials, struct tried_fix *trial, const struct report *report)
{
    struct tried_fix *ran = same_trial(trials, trial);
    struct rerun_finding own;
    bool builds = true;
    if (ran == trial)
        trial->ran = run_edited(trials, &trial->edits, &trial->again, &builds);
    if (ran->ran && rerun_finding_init(&own, report_get(report, trial->finding), trials->built.source.name)) {
        trial->compared = judge(trials, &trial->edits, &own, &ran->again, trial->note);
        trial->verdict = trial->note[0] ? VERDICT_FAILS : VERDICT_HOLDS;
        free(own.kernel);
        free(own.name);
    }
    if (!builds) {
        trial->verdict = VERDICT_FAILS;
        snprintf(trial->note, sizeof trial->note, "it does not compile");
    }
}

/* A run with remaining races proves nothing about the result. The fixes that hold are run together, and a
 * wrong result then refutes those that were not compared. */
static void try_together(struct fix_trials *trials)
{
    struct fix_edits all = {.count = 0};
    struct fix_rerun again = {0};
    char note[NOTE_CHARS] = "";
    bool builds, open = false;
    for (uint32_t i = 0; i < trials->count; i++) {
        struct tried_fix *trial = &trials->items[i];
        if (trial->verdict == VERDICT_HOLDS && fix_edits_add_all(&all, &trial->edits))
            open |= !trial->compared;
    }
    if (open && run_edited(trials, &all, &again, &builds))
        judge(trials, &all, NULL, &again, note);
    fix_rerun_fini(&again);
    for (uint32_t i = 0; i < trials->count && note[0]; i++) {
        struct tried_fix *trial = &trials->items[i];
        if (trial->verdict != VERDICT_HOLDS || trial->compared)
            continue;
        trial->verdict = VERDICT_FAILS;
        snprintf(trial->note, sizeof trial->note, "with the other fixes, %.300s", note);
    }
}

static void find_trials(struct fix_trials *trials, const struct report *report)
{
    for (size_t i = 0; i < report_count(report) && trials->count < FINDINGS_MOST; i++) {
        struct tried_fix *trial = &trials->items[trials->count];
        const struct finding *finding = report_get(report, i);
        *trial = (struct tried_fix){.finding = i};
        trials->count += finding->fix && fix_edits_of(finding, trials->built.source.name, &trial->edits);
    }
}

static bool has_edits(const struct report *report)
{
    for (size_t i = 0; i < report_count(report); i++)
        if (report_get(report, i)->edit_count)
            return true;
    return false;
}

static void note_verdicts(const struct fix_trials *trials, struct report *report)
{
    for (uint32_t i = 0; i < trials->count; i++) {
        const struct tried_fix *trial = &trials->items[i];
        if (trial->verdict != VERDICT_UNKNOWN)
            report_tried(report, trial->finding, trial->verdict == VERDICT_HOLDS ? TRIAL_HOLDS : TRIAL_FAILS,
                         trial->note);
    }
}

/* ---- what the fix of one finding removes besides ------------------------------------------------- */

static const struct tried_fix *trial_of(const struct fix_trials *trials, size_t finding)
{
    for (uint32_t i = 0; i < trials->count; i++)
        if (trials->items[i].finding == finding)
            return &trials->items[i];
    return NULL;
}

/* May the trial's fix stand for this finding's own? Yes if the finding has no fix that holds, or the same
 * edits. Yes, too, if the trial is of an earlier finding and leaves no race, while the finding's own fix
 * leaves some. */
static bool may_cover(const struct fix_trials *trials, size_t finding, const struct tried_fix *trial)
{
    const struct tried_fix *own = trial_of(trials, finding);
    if (!own || own->verdict != VERDICT_HOLDS)
        return true;
    const bool is_enough = trial->compared && !own->compared && trial->finding < finding;
    return is_enough || same_edits(&own->edits, &trial->edits);
}

static bool still_finds(const struct tried_fix *trial, const struct rerun_finding *original)
{
    for (size_t i = 0; i < trial->again.finding_count; i++)
        if (fix_rerun_same_finding(&trial->edits, original, &trial->again.findings[i]))
            return true;
    return false;
}

/*
 * The first trial whose edits also remove this finding; NULL: none. Trials that leave no race come first.
 *
 * Lemma: no finding both covers others and is covered. Of trials with equal edits only the first one ran. A
 * finding whose own fix holds is otherwise covered only by a trial that leaves no race, and that trial
 * covers all findings without a fix of their own, too.
 */
static const struct tried_fix *covering_trial(const struct fix_trials *trials, size_t finding,
                                              const struct rerun_finding *found)
{
    for (int compared = 1; compared >= 0; compared--)
        for (uint32_t i = 0; i < trials->count; i++) {
            const struct tried_fix *trial = &trials->items[i];
            const bool holds = trial->ran && trial->verdict == VERDICT_HOLDS && trial->finding != finding;
            if (holds && trial->compared == compared && may_cover(trials, finding, trial) &&
                !still_finds(trial, found))
                return trial;
        }
    return NULL;
}

static void note_covered(const struct fix_trials *trials, struct report *report)
{
    for (size_t i = 0; i < report_count(report); i++) {
        const struct finding *finding = report_get(report, i);
        struct rerun_finding found;
        if (finding_check(finding->kind) != CHECK_RACES)
            continue;
        const struct tried_fix *trial = rerun_finding_init(&found, finding, trials->built.source.name)
                                            ? covering_trial(trials, i, &found)
                                            : NULL;
        if (trial)
            report_covered(report, i, trial->finding);
        free(found.kernel);
        free(found.name);
    }
}

void scenario_try_fixes(const struct scenario *scenario, uint64_t steps, struct report *report)
{
    if (!has_edits(report) || steps > STEPS_MOST)
        return;
    struct fix_trials *trials = calloc(1, sizeof *trials);
    if (!trials)
        return;
    trials->scenario = scenario;
    trials->copy = fix_rerun_checked_copy(scenario, steps);
    if (build(&trials->copy, &trials->built) && split(trials)) {
        find_trials(trials, report);
        if (trials->count && run_both(trials, &trials->built, false, &trials->original))
            for (uint32_t i = 0; i < trials->count; i++)
                try_one(trials, &trials->items[i], report);
        try_together(trials);
        note_verdicts(trials, report);
        note_covered(trials, report);
    }
    for (uint32_t i = 0; i < trials->serial_count; i++)
        fix_rerun_fini(&trials->serial[i]);
    for (uint32_t i = 0; i < trials->count; i++)
        fix_rerun_fini(&trials->items[i].again);
    fix_rerun_fini(&trials->original);
    built_fini(&trials->built);
    free(trials->lines);
    free(trials->text);
    free(trials);
}
