/* SPDX-License-Identifier: Apache-2.0 */
/* The report. A finding is dropped if its check is off, and compared with suppressions, the baseline and
 * earlier findings. A new one is copied into a list, and printed or held back. The same kind and places as
 * an earlier finding: the earlier one's count grows. The key of that comparison is a text; a hash table
 * finds it. */
#include "orrery/checked.h"
#include "orrery/report.h"
#include "orrery/file_limit.h"
#include "orrery/report_width.h"
#include "orrery/watch.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report_cause.h"
#include "report_key.h"
#include "report_share.h"
#include "report_spool.h"
#include "report_state.h"
#include "suppression.h"

/* ---- the process ------------------------------------------------------------------------ */

static void process_free(struct report_process *process)
{
    for (size_t i = 0; process->words && process->words[i]; i++)
        free((char *)(uintptr_t)process->words[i]);
    free((void *)(uintptr_t)process->words);
    free((char *)(uintptr_t)process->program);
    *process = (struct report_process){NULL, NULL, 0};
}

/* Out of memory: the copy has the first words only. */
static const char *const *words_copy(const char *const *words)
{
    size_t count = 0, copied = 0;
    while (words && words[count])
        count++;
    const char **copy = calloc(count + 1, sizeof *copy);
    for (; copy && copied < count; copied++)
        if (!(copy[copied] = strdup(words[copied])))
            break;
    return copy;
}

void report_set_process(struct report *report, const struct report_process *process)
{
    pthread_mutex_lock(&report->lock);
    process_free(&report->process);
    report->process.program = strdup(process->program);
    report->process.words = words_copy(process->words);
    report->process.number = process->number;
    pthread_mutex_unlock(&report->lock);
}

const struct report_process *report_process(const struct report *report)
{
    return &report->process;
}

void report_set_test(struct report *report, void (*test)(char out_name[TEST_NAME_CHARS]))
{
    report->test = test;
}

void report_name_process(const struct report *report, FILE *stream)
{
    const struct report_process *process = &report->process;
    if (!report->share || !process->number ||
        !watch_write_text(report_share_watch(report->share), process->number))
        return;
    fprintf(stream, "orrery: process %" PRIu32 ":", process->number);
    for (size_t i = 0; process->words && process->words[i]; i++)
        fprintf(stream, " %s", process->words[i]);
    fputc('\n', stream);
}

struct report *report_new(const struct scenario *scenario)
{
    struct report *report = calloc(1, sizeof *report);
    if (!report)
        return NULL;
    pthread_mutex_init(&report->lock, NULL);
    report->scenario = scenario;
    report->stream = stderr;
    report->root = getcwd(NULL, 0);
    if (scenario->baseline_file &&
        !scenario->update_baseline) /* report_check_outputs has checked that it can be read */
        baseline_load(&report->baseline, scenario->baseline_file, NULL);
    return report;
}

void report_free(struct report *report)
{
    if (!report)
        return;
    report->listener = NULL;
    report_clear(report);
    pthread_mutex_destroy(&report->lock);
    free(report->found.entries);
    free(report->suppressed.entries);
    free(report->replay);
    report_devices_fini(&report->devices);
    report_places_fini(&report->places);
    report_launches_fini(&report->launches);
    report_share_free(report->share);
    baseline_fini(&report->baseline);
    process_free(&report->process);
    free(report->root);
    free(report);
}

const struct scenario *report_scenario(const struct report *report)
{
    return report->scenario;
}

void report_set_before(struct report *report, void (*before)(void))
{
    report->before = before;
}

void report_set_stream(struct report *report, FILE *stream, bool colour)
{
    pthread_mutex_lock(&report->lock);
    report->stream = stream;
    report->colour = colour;
    pthread_mutex_unlock(&report->lock);
}

void report_set_columns(struct report *report, unsigned columns)
{
    report->columns = columns;
}

void report_set_listener(struct report *report, void (*listener)(size_t count))
{
    pthread_mutex_lock(&report->lock);
    report->listener = listener;
    pthread_mutex_unlock(&report->lock);
}

void report_share_files(struct report *report, struct watch *watch)
{
    char *root = watch && watch->root[0] ? strdup(watch->root) : NULL;
    report_share_free(report->share);
    report->share = watch ? report_share_new(watch) : NULL;
    if (root) {
        free(report->root);
        report->root = root;
    }
}

void report_spool_use(struct report *report, struct report_spool *spool)
{
    report->spool = spool;
}

struct report_spool *report_spool_of(const struct report *report)
{
    return report->spool;
}

const char *report_root(const struct report *report)
{
    return report->root;
}

const char *report_name_below_root(const struct report *report, const char *file)
{
    const size_t length = report->root ? strlen(report->root) : 0;
    const bool below = length && strncmp(file, report->root, length) == 0 && file[length] == '/';
    return below ? file + length + 1 : file;
}

struct report_share *report_share_of(const struct report *report)
{
    return report->share;
}

/* ---- adding ------------------------------------------------------------------------------- */

static bool within_limit(struct report *report, enum finding_kind kind)
{
    uint32_t limit = report->scenario->max_findings;
    return limit == 0 || report->kind_count[kind] <= limit;
}

bool report_put_whole(FILE *stream, FILE *whole, char *const *text, const size_t *size)
{
    bool fine = whole && !ferror(whole);
    if (whole)
        fine &= fclose(whole) == 0;
    if (fine)
        fwrite(*text, 1, *size, stream);
    free(*text);
    return fine;
}

static void print(struct report *report, const struct finding *finding,
                  void (*form)(FILE *stream, const struct finding *finding, bool colour, unsigned columns))
{
    char *text = NULL;
    size_t size = 0;
    FILE *whole = report->stream ? open_memstream(&text, &size) : NULL;
    if (!report->stream)
        return;
    if (whole) {
        report_name_process(report, whole);
        form(whole, finding, report->colour, report->columns);
    }
    if (report->before)
        report->before();
    struct file_limit hold;
    file_limit_hold(&hold);
    if (!report_put_whole(report->stream, whole, &text, &size))
        form(report->stream, finding, report->colour, report->columns);
    fflush(report->stream);
    file_limit_release(&hold);
}

static void announce(struct report *report, struct report_entry *entry)
{
    CHECKED(!entry->waits && !entry->reported); /* it is announced once */
    report->kind_count[entry->finding.kind]++;
    if (!within_limit(report, entry->finding.kind))
        return;
    entry->reported = entry->finding.count;
    report->waits |= report->holds && entry->finding.edit_count != 0;
    entry->waits = report->waits;
    if (!entry->waits)
        print(report, &entry->finding, report_print_finding_wide);
}

void report_hold(struct report *report, enum report_hold from)
{
    pthread_mutex_lock(&report->lock);
    report->holds = true;
    report->waits = from == REPORT_HOLD_ALL;
    pthread_mutex_unlock(&report->lock);
}

/* A finding that a fix covers is printed as a line of the finding with that fix. `reported` is the count at
 * the time of report_add; print_repeats prints the rest. */
void report_release(struct report *report)
{
    pthread_mutex_lock(&report->lock);
    for (size_t i = 0; i < report->found.count; i++) {
        const struct report_entry *entry = report->found.entries[i];
        struct finding finding = entry->finding;
        finding.count = entry->reported;
        if (entry->waits && !(entry->covered_by && entry->covered_by->waits))
            print(report, &finding, report_print_finding_wide);
    }
    for (size_t i = 0; i < report->found.count; i++)
        report->found.entries[i]->waits = false;
    report->holds = report->waits = false;
    pthread_mutex_unlock(&report->lock);
}

void report_tried(struct report *report, size_t index, enum fix_trial trial, const char *note)
{
    pthread_mutex_lock(&report->lock);
    if (index < report->found.count) {
        struct finding *finding = &report->found.entries[index]->finding;
        finding->fix_trial = trial;
        report_entry_set_text(&finding->fix_note, trial == TRIAL_FAILS ? note : NULL);
    }
    pthread_mutex_unlock(&report->lock);
}

/* Out of memory: the finding stays uncovered. */
void report_covered(struct report *report, size_t index, size_t by)
{
    pthread_mutex_lock(&report->lock);
    if (index < report->found.count && by < report->found.count) {
        struct report_entry *covered = report->found.entries[index], *covering = report->found.entries[by];
        CHECKED(covered != covering && !covered->covered_by);
        struct finding *finding = &covering->finding;
        const struct finding **list =
            realloc(finding->covered, (finding->covered_count + 1) * sizeof(const struct finding *));
        if (list) {
            finding->covered = list;
            list[finding->covered_count++] = &covered->finding;
            covered->covered_by = covering;
            covered->finding.covered_by = finding;
        }
    }
    pthread_mutex_unlock(&report->lock);
}

static struct finding_access *access_at(struct report *report, size_t index, uint32_t access)
{
    struct finding *finding = index < report->found.count ? &report->found.entries[index]->finding : NULL;
    return finding && access < finding->access_count ? &finding->access[access] : NULL;
}

void report_values(struct report *report, size_t index, uint32_t access, const char *values)
{
    pthread_mutex_lock(&report->lock);
    struct finding_access *of = access_at(report, index, access);
    if (of)
        report_entry_set_text(&of->values, values);
    pthread_mutex_unlock(&report->lock);
}

void report_iterations(struct report *report, size_t index, uint32_t access,
                       const struct finding_iteration *iterations, uint32_t count)
{
    pthread_mutex_lock(&report->lock);
    struct finding_access *of = access_at(report, index, access);
    if (of)
        report_entry_set_iterations(of, iterations, count);
    pthread_mutex_unlock(&report->lock);
}

/* Out of memory: the finding is counted and printed, but not kept. */
static void count_lost(struct report *report, const struct finding *finding)
{
    report->lost[finding->severity]++;
    print(report, finding, report_print_finding_wide);
}

static struct report_entry *add_new(struct report *report, const struct finding *finding, char *key,
                                    bool hidden)
{
    struct report_entry *entry = report_entry_new(finding, key);
    if (!entry || !report_list_add(hidden ? &report->suppressed : &report->found, entry)) {
        if (!hidden)
            count_lost(report, finding);
        if (entry)
            report_entry_free(entry);
        else
            free(key);
        return NULL;
    }
    HASH_ADD_KEYPTR(hh, report->by_key, entry->key, strlen(entry->key), entry);
    entry->hidden = hidden;
    if (!hidden)
        announce(report, entry);
    return entry;
}

bool report_suppresses(const struct report *report, const struct finding *finding)
{
    return suppression_find(report->scenario, finding) != NULL;
}

bool report_accepts(const struct report *report, const struct finding *finding)
{
    return finding->accepted && !report_suppresses(report, finding);
}

bool report_suppresses_objects(const struct report *report)
{
    const struct scenario *scenario = report->scenario;
    bool objects = false;
    for (size_t i = 0; i < scenario->suppression_count; i++)
        objects |= scenario->suppressions[i].object != NULL;
    return objects;
}

void report_name_device(struct report *report, uint32_t device, const char *name)
{
    pthread_mutex_lock(&report->lock);
    report_devices_name(&report->devices, device, name);
    pthread_mutex_unlock(&report->lock);
}

void report_launch_runs(struct report *report, uint32_t launch, uint32_t device)
{
    pthread_mutex_lock(&report->lock);
    report_devices_launch(&report->devices, launch, device);
    pthread_mutex_unlock(&report->lock);
}

void report_launch_begins(struct report *report, const char *kernel, uint32_t launch)
{
    pthread_mutex_lock(&report->lock);
    report_launches_add(&report->launches, report->scenario, kernel, launch);
    pthread_mutex_unlock(&report->lock);
}

/* Do --kernel or --launches leave the finding's launch out of its check? */
static bool is_left_out(const struct report *report, const struct finding *finding)
{
    return finding->launch && finding->kernel && check_filtered(finding_check(finding->kind)) &&
           scenario_leaves_out(report->scenario, finding->kernel, finding->launch) != LEFT_OUT_NOT;
}

void report_launch_enqueued(struct report *report, uint32_t launch, const struct enqueuer *enqueuer)
{
    pthread_mutex_lock(&report->lock);
    report_places_enqueued(&report->places, launch, enqueuer);
    pthread_mutex_unlock(&report->lock);
}

void report_source_made(struct report *report, const char *name, const struct enqueuer *maker)
{
    pthread_mutex_lock(&report->lock);
    report_places_made(&report->places, name, maker);
    pthread_mutex_unlock(&report->lock);
}

void report_set_event_counter(struct report *report, uint64_t (*event_counter)(void *self), void *self)
{
    report->event_counter = event_counter;
    report->event_counter_self = self;
}

uint64_t report_event_number(const struct report *report)
{
    return report->event_counter ? report->event_counter(report->event_counter_self) : 0;
}

/* A row of the baseline also accepts a finding that a suppression hides, so that the row is not reported as
 * unused. A new baseline gets no such rows. */
static bool baseline_has(struct report *report, const struct finding *finding, bool hidden)
{
    struct watch *watch = report->share ? report_share_watch(report->share) : NULL;
    size_t row;
    if (report->scenario->update_baseline)
        return !hidden;
    if (!baseline_use(&report->baseline, finding->fingerprint, &row))
        return false;
    if (watch)
        watch_use_row(watch, row);
    return true;
}

static void count_accepted(struct report *report)
{
    report->accepted++;
    if (report->share)
        watch_accept(report_share_watch(report->share));
}

/* Under the lock. key NULL: there was no memory for it. */
static struct report_entry *find_entry(const struct report *report, const char *key)
{
    struct report_entry *entry = NULL;
    if (key)
        HASH_FIND_STR(report->by_key, key, entry);
    return entry;
}

/* Adds or counts the finding. NULL: it was not kept. */
static struct report_entry *add_finding(struct report *report, const struct finding *finding)
{
    struct finding added = *finding;
    char test[TEST_NAME_CHARS] = "";
    added.severity = report->scenario->checks[finding_check(finding->kind)];
    added.count = finding->count ? finding->count : 1;
    if (added.severity == SEVERITY_OFF || is_left_out(report, finding))
        return NULL;
    const bool hidden = report_suppresses(report, finding);
    char *key = report_key(finding, hidden);
    if (report->test)
        report->test(test);
    added.test = *test ? test : NULL;
    bool is_new = false;
    pthread_mutex_lock(&report->lock);
    report->add_count++;
    added.cause = report_cause(&report->found, finding);
    for (uint32_t i = 0; i < 2; i++)
        added.access[i].device =
            i < finding->access_count ? report_devices_of(&report->devices, finding, i) : NULL;
    struct report_entry *entry = find_entry(report, key);
    if (!key) {
        if (!hidden)
            count_lost(report, &added);
    } else if (entry) {
        entry->finding.count += added.count;
        free(key);
    } else {
        report_places_set(&report->places, &added);
        added.fingerprint = fingerprints_next(&report->fingerprints, fingerprint_of(&added));
        added.accepted = baseline_has(report, &added, hidden);
        entry = add_new(report, &added, key, hidden || added.accepted);
        if (entry && added.accepted && !hidden)
            count_accepted(report);
        is_new = true;
    }
    void (*listener)(size_t count) = is_new ? report->listener : NULL;
    size_t count = report->found.count + report->suppressed.count;
    pthread_mutex_unlock(&report->lock);
    if (listener)
        listener(count);
    return entry;
}

uint64_t *report_add(struct report *report, const struct finding *finding)
{
    struct report_entry *entry = add_finding(report, finding);
    return entry ? &entry->finding.count : NULL;
}

bool report_came_again(struct report *report, uint64_t *count, uint64_t clears, uint64_t more)
{
    pthread_mutex_lock(&report->lock);
    const bool kept = report->clears == clears;
    report->add_count++;
    if (kept)
        *count += more;
    pthread_mutex_unlock(&report->lock);
    return kept;
}

bool report_has(struct report *report, const struct finding *finding)
{
    char *key = report_key(finding, report_suppresses(report, finding));
    pthread_mutex_lock(&report->lock);
    const bool has = find_entry(report, key) != NULL;
    pthread_mutex_unlock(&report->lock);
    free(key);
    return has;
}

uint64_t report_clears(struct report *report)
{
    pthread_mutex_lock(&report->lock);
    const uint64_t clears = report->clears;
    pthread_mutex_unlock(&report->lock);
    return clears;
}

static void print_stopped(FILE *stream, const struct finding *finding, bool colour, unsigned columns)
{
    (void)colour, (void)columns;
    fprintf(stream, "orrery: kernel %s was stopped: %s\n", finding->kernel ? finding->kernel : "?",
            finding->why ? finding->why : finding_title(finding));
}

void report_stop(struct report *report, const struct finding *finding)
{
    const bool off = report->scenario->checks[finding_check(finding->kind)] == SEVERITY_OFF;
    const struct report_entry *entry = add_finding(report, finding);
    if (!off && !(entry && entry->hidden) && !report_suppresses(report, finding))
        return;
    pthread_mutex_lock(&report->lock);
    report->add_count += off;
    print(report, finding, print_stopped);
    pthread_mutex_unlock(&report->lock);
}

struct repeats {
    uint64_t times;
    bool not_covered, uncounted;
};

static void add_to(struct report *report, const struct finding *finding, const struct repeats *more)
{
    char *key = report_key(finding, report_suppresses(report, finding));
    pthread_mutex_lock(&report->lock);
    struct report_entry *entry = find_entry(report, key);
    if (entry) {
        entry->finding.count += more->times;
        entry->finding.fix_partial |= more->not_covered;
        entry->finding.count_at_least |= more->uncounted;
    }
    pthread_mutex_unlock(&report->lock);
    free(key);
}

void report_again(struct report *report, const struct finding *finding, uint64_t times)
{
    add_to(report, finding, &(struct repeats){.times = times});
}

void report_not_covered(struct report *report, const struct finding *finding)
{
    add_to(report, finding, &(struct repeats){.not_covered = true});
}

void report_uncounted(struct report *report, const struct finding *finding)
{
    add_to(report, finding, &(struct repeats){.uncounted = true});
}

void report_incomplete(struct report *report, enum finding_kind kind)
{
    pthread_mutex_lock(&report->lock);
    CHECKED((size_t)kind < FINDING_KIND_COUNT);
    report->incomplete[kind] = report->scenario->checks[finding_check(kind)] != SEVERITY_OFF;
    pthread_mutex_unlock(&report->lock);
}

void report_clear(struct report *report)
{
    pthread_mutex_lock(&report->lock);
    HASH_CLEAR(hh, report->by_key);
    report_list_clear(&report->found);
    report_list_clear(&report->suppressed);
    fingerprints_fini(&report->fingerprints);
    report->accepted = 0;
    memset(report->kind_count, 0, sizeof report->kind_count);
    memset(report->lost, 0, sizeof report->lost);
    memset(report->lost_taken, 0, sizeof report->lost_taken);
    memset(report->incomplete, 0, sizeof report->incomplete);
    report->clears++;
    void (*listener)(size_t count) = report->listener;
    pthread_mutex_unlock(&report->lock);
    if (listener)
        listener(0);
}

/* The lock is held. */
static void print_note(struct report *report, const char *text)
{
    if (!report->stream)
        return;
    if (report->before)
        report->before();
    fprintf(report->stream, "orrery: note: %s\n", text);
    fflush(report->stream);
}

void report_note(struct report *report, const char *text)
{
    pthread_mutex_lock(&report->lock);
    if (!report->noted)
        print_note(report, text);
    report->noted = true;
    pthread_mutex_unlock(&report->lock);
}

void report_note_output(struct report *report, const char *text)
{
    pthread_mutex_lock(&report->lock);
    print_note(report, text);
    pthread_mutex_unlock(&report->lock);
}

void report_set_replay(struct report *report, const char *command, bool loose)
{
    report->replay_loose = loose;
    free(report->replay);
    report->replay = command ? strdup(command) : NULL;
}
