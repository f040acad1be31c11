/* SPDX-License-Identifier: Apache-2.0 */
/* The report. A finding is dropped if its check is off, and compared with suppressions, the baseline and
 * earlier findings. A new one is copied into a list, and printed or held back. The same kind and places as
 * an earlier finding: the earlier one's count grows. The key of that comparison is a text; a hash table
 * finds it. */
#include "orrery/report.h"
#include "orrery/file_limit.h"
#include "orrery/report_width.h"
#include "orrery/watch.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Out of memory for the hash table: the finding is reported each time it occurs. */
#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#include "baseline.h"
#include "fingerprint.h"
#include "report_devices.h"
#include "report_launches.h"
#include "report_places.h"
#include "report_share.h"
#include "report_spool.h"
#include "suppression.h"

struct report_entry {
    struct finding finding; /* all strings owned */
    char *key;
    bool hidden;       /* it is in report.suppressed */
    uint64_t reported; /* the part of finding.count that was printed; 0: beyond the limit */
    uint64_t taken;    /* the part of finding.count that report_take_new has seen */
    bool waits;        /* report_release prints it, with the count `reported` */
    const struct report_entry *covered_by; /* report_covered; NULL: by none */
    UT_hash_handle hh; /* for lookup only: findings are reported in the order of the list */
};

struct entry_list {
    struct report_entry **entries;
    size_t count, room;
}; /* in order of first occurrence */

struct report {
    const struct scenario *scenario; /* borrowed */

    pthread_mutex_t lock; /* guards what follows */
    FILE *stream;
    void (*before)(void); /* is called before each text that is printed while findings arrive */
    bool colour;
    unsigned columns; /* report_set_columns */
    void (*listener)(size_t count);
    uint64_t (*event_counter)(void *self);
    void *event_counter_self;
    struct entry_list found, suppressed;
    struct report_devices devices;
    struct report_places places;
    struct report_launches launches;
    struct report_entry *by_key; /* the entries of both lists */
    size_t kind_count[FINDING_KIND_COUNT];
    char *replay;                        /* the command that replays this run; NULL: unknown */
    bool replay_loose;                   /* the command does not replay the order of the program's threads */
    bool incomplete[FINDING_KIND_COUNT]; /* report_incomplete */
    size_t
        lost[SEVERITY_ERROR + 1]; /* by severity: findings that were reported but not kept, out of memory */
    size_t lost_taken[SEVERITY_ERROR + 1]; /* the part of lost that report_take_new has seen */
    uint64_t add_count;                    /* report_add_count */
    uint64_t clears;
    bool noted;
    struct fingerprints fingerprints;
    struct baseline
        baseline;      /* the accepted findings; without rows none is, or with update_baseline all are */
    size_t accepted;   /* how many of `suppressed` only the baseline accepts */
    bool holds, waits; /* report_hold: findings with edits wait, and all findings after the first that does */

    char *root;                 /* the directory that the run began in; NULL: unknown */
    struct report_share *share; /* NULL: no other process writes its files */
    struct report_spool *spool; /* NULL: its SARIF log is written to its file at once */
    struct report_process process;
    void (*test)(char out_name[TEST_NAME_CHARS]); /* NULL: the program runs no tests */
};

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

/* Prints "orrery: process 2: ./b.out fast" if another process printed last. */
static void name_process(const struct report *report, FILE *stream)
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

/* ---- entries ---------------------------------------------------------------------------- */

static void own(const char **text)
{
    *text = *text ? strdup(*text) : NULL;
}

static void disown(const char *text)
{
    free((char *)(uintptr_t)text);
}

static void place_own(struct source_place *place)
{
    own(&place->file);
    own(&place->text);
    own(&place->instruction.module);
}

static void place_disown(const struct source_place *place)
{
    disown(place->file);
    disown(place->text);
    disown(place->instruction.module);
}

static void iterations_own(struct finding_access *access)
{
    for (uint32_t i = 0; i < access->iteration_count; i++)
        own(&access->iterations[i].file);
}

static void iterations_disown(const struct finding_access *access)
{
    for (uint32_t i = 0; i < access->iteration_count; i++)
        disown(access->iterations[i].file);
}

static void access_own(struct finding_access *access)
{
    place_own(&access->place);
    place_own(&access->caller);
    for (uint32_t i = 0; i < access->call_count; i++)
        place_own(&access->calls[i]);
    own(&access->what);
    own(&access->by);
    own(&access->device);
    own(&access->values);
    iterations_own(access);
}

static void access_disown(const struct finding_access *access)
{
    place_disown(&access->place);
    place_disown(&access->caller);
    for (uint32_t i = 0; i < access->call_count; i++)
        place_disown(&access->calls[i]);
    disown(access->what);
    disown(access->by);
    disown(access->device);
    disown(access->values);
    iterations_disown(access);
}

static void steps_free(struct finding *finding)
{
    for (uint32_t i = 0; i < finding->step_count; i++) {
        place_disown(&finding->steps[i].place);
        disown(finding->steps[i].text);
    }
    free((void *)(uintptr_t)finding->steps);
    free((void *)(uintptr_t)finding->edges);
}

static void edits_free(struct finding *finding)
{
    for (uint32_t i = 0; i < finding->edit_count; i++) {
        disown(finding->edits[i].file);
        disown(finding->edits[i].text);
    }
    free((void *)(uintptr_t)finding->edits);
}

static void edits_own(struct finding *finding)
{
    struct finding_edit *edits = finding->edit_count ? calloc(finding->edit_count, sizeof *edits) : NULL;
    if (!edits)
        finding->edit_count = 0;
    for (uint32_t i = 0; i < finding->edit_count; i++) {
        edits[i] = finding->edits[i];
        own(&edits[i].file);
        own(&edits[i].text);
    }
    finding->edits = edits;
}

/* Out of memory: the finding is kept without its steps. */
static void steps_own(struct finding *finding)
{
    struct finding_step *steps = finding->step_count ? calloc(finding->step_count, sizeof *steps) : NULL;
    if (!steps)
        finding->step_count = 0;
    for (uint32_t i = 0; i < finding->step_count; i++) {
        steps[i] = finding->steps[i];
        place_own(&steps[i].place);
        own(&steps[i].text);
    }
    finding->steps = steps;
}

static void edges_own(struct finding *finding)
{
    struct finding_edge *edges =
        finding->edge_count && finding->step_count ? calloc(finding->edge_count, sizeof *edges) : NULL;
    if (edges)
        memcpy(edges, finding->edges, finding->edge_count * sizeof *edges);
    else
        finding->edge_count = 0;
    finding->edges = edges;
}

static void waits_free(struct finding *finding)
{
    for (uint32_t i = 0; i < finding->wait_count; i++) {
        place_disown(&finding->waits[i].place);
        disown(finding->waits[i].object);
    }
    free((void *)(uintptr_t)finding->waits);
}

static void waits_own(struct finding *finding)
{
    struct finding_wait *waits = finding->wait_count ? calloc(finding->wait_count, sizeof *waits) : NULL;
    if (!waits)
        finding->wait_count = 0;
    for (uint32_t i = 0; i < finding->wait_count; i++) {
        waits[i] = finding->waits[i];
        place_own(&waits[i].place);
        own(&waits[i].object);
    }
    finding->waits = waits;
}

static void entry_free(struct report_entry *entry)
{
    struct finding *finding = &entry->finding;
    for (uint32_t i = 0; i < finding->blamed_count; i++) {
        disown(finding->blamed[i].file);
        disown(finding->blamed[i].text);
    }
    for (int i = 0; i < 2; i++)
        access_disown(&finding->access[i]);
    steps_free(finding);
    edits_free(finding);
    waits_free(finding);
    free(finding->covered);
    place_disown(&finding->enqueued);
    place_disown(&finding->made);
    disown(finding->source);
    disown(finding->kernel);
    disown(finding->object);
    disown(finding->element);
    disown(finding->why);
    disown(finding->fix);
    disown(finding->fix_note);
    disown(finding->spec);
    disown(finding->test);
    free(entry->key);
    free(entry);
}

static struct report_entry *entry_new(const struct finding *finding, char *key)
{
    struct report_entry *entry = calloc(1, sizeof *entry);
    if (!entry)
        return NULL;
    entry->finding = *finding;
    entry->finding.covered = NULL;
    entry->finding.covered_count = 0;
    entry->key = key;
    for (uint32_t i = 0; i < 2; i++) {
        struct finding_access *access = &entry->finding.access[i];
        if (i >= finding->access_count)
            *access = (struct finding_access){.size_bytes = 0};
        access_own(access);
    }
    steps_own(&entry->finding);
    edits_own(&entry->finding);
    edges_own(&entry->finding);
    waits_own(&entry->finding);
    for (uint32_t i = 0; i < finding->blamed_count; i++)
        place_own(&entry->finding.blamed[i]);
    place_own(&entry->finding.enqueued);
    place_own(&entry->finding.made);
    own(&entry->finding.source);
    own(&entry->finding.kernel);
    own(&entry->finding.object);
    own(&entry->finding.element);
    own(&entry->finding.why);
    own(&entry->finding.fix);
    own(&entry->finding.fix_note);
    own(&entry->finding.spec);
    own(&entry->finding.test);
    return entry;
}

static void key_text(FILE *stream, const char *text)
{
    fprintf(stream, "%s%c", text ? text : "", text ? 1 : 2);
}

/* "clEnqueueReadBuffer (command 4, queue 1)" without the numbers: the same call in a loop is one place. */
static void key_by(FILE *stream, const char *by)
{
    const char *numbers = by ? strstr(by, " (command ") : NULL;
    if (numbers)
        fprintf(stream, "%.*s%c", (int)(numbers - by), by, 1);
    else
        key_text(stream, by);
}

/* The key of one access: its place, or its words where no place is known. */
static char *access_key(const struct finding_access *access, bool by_call)
{
    char *key = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&key, &size);
    if (!stream)
        return NULL;
    fprintf(stream, "%d:%" PRIu32 ":%" PRIu32 ":", (int)access->kind, access->place.line,
            access->place.column);
    key_text(stream, access->place.file);
    if (by_call && access->caller.line) {
        fprintf(stream, "%" PRIu32 ":%" PRIu32 ":", access->caller.line, access->caller.column);
        key_text(stream, access->caller.file);
    }
    if (!access->place.line) {
        key_text(stream, access->what);
        key_by(stream, access->by);
    }
    fclose(stream);
    return key;
}

/* Sorted: which access came first depends on the schedule. */
static bool key_accesses(FILE *stream, const struct finding *finding)
{
    /* a barrier in a function counts once for each call of the function */
    const bool by_call = finding_check(finding->kind) == CHECK_DIVERGENCE;
    char *first = access_key(&finding->access[0], by_call);
    char *second = finding->access_count > 1 ? access_key(&finding->access[1], by_call) : strdup("");
    bool fine = first && second;
    bool swapped = fine && finding->access_count > 1 && strcmp(first, second) > 0;
    if (fine)
        fprintf(stream, "%s%s", swapped ? second : first, swapped ? first : second);
    free(first);
    free(second);
    return fine;
}

/* Is it a header of the C++ bindings, through which a program makes all its calls? */
static bool is_binding(const char *file)
{
    static const char *const names[] = {"/opencl.hpp", "/cl2.hpp", "/cl.hpp"};
    const char *name = file ? strrchr(file, '/') : NULL;
    bool known = false;
    for (size_t i = 0; name && i < sizeof names / sizeof *names; i++)
        known |= strcmp(name, names[i]) == 0;
    return known;
}

/*
 * Does the object belong to the key? Commands may have no line, so their memory distinguishes two mistakes.
 * For API calls it would make a finding of each object of a loop.
 */
static bool object_is_of_site(const struct finding *finding)
{
    bool placed = true;
    for (uint32_t i = 0; i < finding->access_count && i < 2; i++)
        placed &= finding->access[i].place.line != 0 && !is_binding(finding->access[i].place.file);
    return !placed && !finding_of_call(finding->kind);
}

/* The key by which findings are the same. A suppressed and an unsuppressed finding never are. */
static char *finding_key(const struct finding *finding, bool hidden)
{
    char *key = NULL;
    size_t size = 0;
    bool fine = true;
    FILE *stream = open_memstream(&key, &size);
    if (!stream)
        return NULL;
    fprintf(stream, "%d:%d:%" PRIu32 ":", hidden, (int)finding->kind, finding->access_count);
    key_text(stream, finding->kernel);
    if (finding->access_count) {
        fine = key_accesses(stream, finding);
        if (finding_of_call(finding->kind)) /* one line of the program may have several calls */
            key_text(stream, finding->access[0].what);
        if (object_is_of_site(finding))
            key_text(stream, finding->object);
    } else {
        key_text(stream, finding->object);
        key_text(stream, finding->why);
    }
    if (fclose(stream) == 0 && fine)
        return key;
    free(key);
    return NULL;
}

static bool list_add(struct entry_list *list, struct report_entry *entry)
{
    if (list->count == list->room) {
        size_t room = list->room ? 2 * list->room : 16;
        struct report_entry **entries = realloc(list->entries, room * sizeof(struct report_entry *));
        if (!entries)
            return false;
        list->entries = entries;
        list->room = room;
    }
    list->entries[list->count++] = entry;
    return true;
}

/* ---- what follows from what ------------------------------------------------------------- */

/* Within one launch, by checks: a work-item that was stopped is missing at barriers, and so are its
 * stores; after a barrier that some work-items did not reach, nothing is ordered. orrery-findings(7)
 * lists the rows. */
static const struct {
    enum check cause, effect;
} follows[] = {
    {CHECK_BOUNDS, CHECK_DIVERGENCE},       {CHECK_BOUNDS, CHECK_UNINITIALISED},
    {CHECK_BOUNDS, CHECK_PROGRESS},         {CHECK_ALIGNMENT, CHECK_DIVERGENCE},
    {CHECK_ALIGNMENT, CHECK_UNINITIALISED}, {CHECK_ALIGNMENT, CHECK_PROGRESS},
    {CHECK_DIVERGENCE, CHECK_RACES},        {CHECK_DIVERGENCE, CHECK_UNINITIALISED},
    {CHECK_DIVERGENCE, CHECK_PROGRESS},
};

/* Findings of these kinds stop no work-item, so nothing follows from them. */
static bool stops_no_work_item(enum finding_kind kind)
{
    return kind == FINDING_MAPPED_ACCESS || kind == FINDING_WRITE_ONLY_READ ||
           kind == FINDING_READ_ONLY_WRITE || kind == FINDING_MISSING_WAIT;
}

static bool same_place(const struct source_place *a, const struct source_place *b)
{
    const bool one_file = a->file == b->file || (a->file && b->file && strcmp(a->file, b->file) == 0);
    return one_file && a->line && a->line == b->line && a->column == b->column;
}

/* Do the reasons of two races name one operation? Races at a lock and of all data under it are one
 * mistake. */
static bool have_one_cause(const struct finding *earlier, const struct finding *finding)
{
    for (uint32_t i = 0; i < earlier->blamed_count; i++) {
        for (uint32_t j = 0; j < finding->blamed_count; j++) {
            if (same_place(&earlier->blamed[i], &finding->blamed[j]))
                return true;
        }
    }
    return false;
}

static bool separates_work_items(enum finding_kind kind)
{
    return kind == FINDING_BARRIER_DIVERGENCE || kind == FINDING_BARRIER_MISMATCH ||
           kind == FINDING_COLLECTIVE_DIVERGENCE;
}

/* Two barriers of one work-group: a work-item that left the others at the first is missing at the second. */
static bool separated_before(const struct finding *earlier, const struct finding *finding)
{
    return separates_work_items(earlier->kind) && separates_work_items(finding->kind) &&
           earlier->access[0].item.group_linear == finding->access[0].item.group_linear;
}

static bool may_cause(const struct finding *earlier, const struct finding *finding, bool was_known)
{
    if (!finding->launch || earlier->launch != finding->launch || stops_no_work_item(earlier->kind))
        return false;
    if (separated_before(earlier, finding))
        return true;
    for (size_t i = 0; was_known && i < sizeof follows / sizeof follows[0]; i++) {
        if (follows[i].cause == finding_check(earlier->kind) &&
            follows[i].effect == finding_check(finding->kind))
            return true;
    }
    return have_one_cause(earlier, finding);
}

static const struct finding *cause_of(const struct report *report, const struct finding *finding)
{
    for (size_t i = 0; i < report->found.count; i++) {
        const struct finding *earlier = &report->found.entries[i]->finding;
        /* of a chain of findings with one cause, the first */
        if (may_cause(earlier, finding, !finding->known || i + 1 < finding->known))
            return earlier->cause && have_one_cause(earlier, finding) ? earlier->cause : earlier;
    }
    return NULL;
}

/* ---- adding ------------------------------------------------------------------------------- */

static bool within_limit(struct report *report, enum finding_kind kind)
{
    uint32_t limit = report->scenario->max_findings;
    return limit == 0 || report->kind_count[kind] <= limit;
}

/* Writes the text at once, so that output of other threads comes before or after it. False: out of memory,
 * and nothing was written. */
static bool put_whole(FILE *stream, FILE *whole, char *const *text, const size_t *size)
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
        name_process(report, whole);
        form(whole, finding, report->colour, report->columns);
    }
    if (report->before)
        report->before();
    struct file_limit hold;
    file_limit_hold(&hold);
    if (!put_whole(report->stream, whole, &text, &size))
        form(report->stream, finding, report->colour, report->columns);
    fflush(report->stream);
    file_limit_release(&hold);
}

static void announce(struct report *report, struct report_entry *entry)
{
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
        disown(finding->fix_note);
        finding->fix_note = trial == TRIAL_FAILS && note ? strdup(note) : NULL;
    }
    pthread_mutex_unlock(&report->lock);
}

/* Out of memory: the finding stays uncovered. */
void report_covered(struct report *report, size_t index, size_t by)
{
    pthread_mutex_lock(&report->lock);
    if (index < report->found.count && by < report->found.count) {
        struct report_entry *covered = report->found.entries[index], *covering = report->found.entries[by];
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
    if (of) {
        disown(of->values);
        of->values = strdup(values);
    }
    pthread_mutex_unlock(&report->lock);
}

void report_iterations(struct report *report, size_t index, uint32_t access,
                       const struct finding_iteration *iterations, uint32_t count)
{
    pthread_mutex_lock(&report->lock);
    struct finding_access *of = access_at(report, index, access);
    if (of) {
        iterations_disown(of);
        of->iteration_count = count < FINDING_LOOPS_MOST ? count : FINDING_LOOPS_MOST;
        memcpy(of->iterations, iterations, of->iteration_count * sizeof *iterations);
        iterations_own(of);
    }
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
    struct report_entry *entry = entry_new(finding, key);
    if (!entry || !list_add(hidden ? &report->suppressed : &report->found, entry)) {
        if (!hidden)
            count_lost(report, finding);
        if (entry)
            entry_free(entry);
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
    char *key = finding_key(finding, hidden);
    struct report_entry *entry = NULL;
    if (report->test)
        report->test(test);
    added.test = *test ? test : NULL;
    bool is_new = false;
    pthread_mutex_lock(&report->lock);
    report->add_count++;
    added.cause = cause_of(report, finding);
    for (uint32_t i = 0; i < 2; i++)
        added.access[i].device =
            i < finding->access_count ? report_devices_of(&report->devices, finding, i) : NULL;
    if (key)
        HASH_FIND_STR(report->by_key, key, entry);
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
    char *key = finding_key(finding, report_suppresses(report, finding));
    struct report_entry *entry = NULL;
    pthread_mutex_lock(&report->lock);
    if (key)
        HASH_FIND_STR(report->by_key, key, entry);
    pthread_mutex_unlock(&report->lock);
    free(key);
    return entry;
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

static void list_clear(struct entry_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        entry_free(list->entries[i]);
    list->count = 0;
}

struct repeats {
    uint64_t times;
    bool not_covered, uncounted;
};

static void add_to(struct report *report, const struct finding *finding, const struct repeats *more)
{
    char *key = finding_key(finding, report_suppresses(report, finding));
    struct report_entry *entry = NULL;
    pthread_mutex_lock(&report->lock);
    if (key)
        HASH_FIND_STR(report->by_key, key, entry);
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
    report->incomplete[kind] = report->scenario->checks[finding_check(kind)] != SEVERITY_OFF;
    pthread_mutex_unlock(&report->lock);
}

void report_clear(struct report *report)
{
    pthread_mutex_lock(&report->lock);
    HASH_CLEAR(hh, report->by_key);
    list_clear(&report->found);
    list_clear(&report->suppressed);
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

/* ---- queries --------------------------------------------------------------------------------- */

static pthread_mutex_t *lock_of(const struct report *report)
{
    return &((struct report *)(uintptr_t)report)->lock; /* the lock changes, the report does not */
}

static size_t list_count(const struct report *report, const struct entry_list *list)
{
    pthread_mutex_lock(lock_of(report));
    size_t count = list->count;
    pthread_mutex_unlock(lock_of(report));
    return count;
}

static const struct finding *list_get(const struct report *report, const struct entry_list *list,
                                      size_t index)
{
    pthread_mutex_lock(lock_of(report));
    const struct finding *finding = index < list->count ? &list->entries[index]->finding : NULL;
    pthread_mutex_unlock(lock_of(report));
    return finding;
}

size_t report_count(const struct report *report)
{
    return list_count(report, &report->found);
}

const struct finding *report_get(const struct report *report, size_t index)
{
    return list_get(report, &report->found, index);
}

size_t report_suppressed_count(const struct report *report)
{
    return list_count(report, &report->suppressed);
}

size_t report_accepted_count(const struct report *report)
{
    pthread_mutex_lock(lock_of(report));
    const size_t count = report->accepted;
    pthread_mutex_unlock(lock_of(report));
    return count;
}

const struct finding *report_suppressed_get(const struct report *report, size_t index)
{
    return list_get(report, &report->suppressed, index);
}

void report_miss(struct report *report, enum check check)
{
    pthread_mutex_lock(lock_of(report));
    report->lost[report->scenario->checks[check]]++;
    pthread_mutex_unlock(lock_of(report));
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

size_t report_total(const struct report *report, enum severity at_least)
{
    size_t total = 0;
    pthread_mutex_lock(lock_of(report));
    for (size_t i = 0; i < report->found.count; i++) {
        const struct finding *finding = &report->found.entries[i]->finding;
        total += finding->severity >= at_least ? (size_t)finding->count : 0;
    }
    for (enum severity severity = at_least; severity <= SEVERITY_ERROR; severity++)
        total += report->lost[severity];
    pthread_mutex_unlock(lock_of(report));
    return total;
}

/* Findings of every severity are marked as seen, so that a lower at_least does not bring back old ones. */
size_t report_take_new(struct report *report, enum severity at_least, FILE *stream)
{
    const bool wanted = at_least != SEVERITY_OFF;
    size_t count = 0;
    pthread_mutex_lock(&report->lock);
    for (size_t i = 0; i < report->found.count; i++) {
        struct report_entry *entry = report->found.entries[i];
        const bool is_new = entry->finding.count > entry->taken;
        entry->taken = entry->finding.count;
        if (!is_new || !wanted || entry->finding.severity < at_least)
            continue;
        count++;
        if (stream)
            report_print_finding(stream, &entry->finding, false);
    }
    for (enum severity severity = SEVERITY_WARNING; severity <= SEVERITY_ERROR; severity++) {
        if (wanted && severity >= at_least)
            count += report->lost[severity] - report->lost_taken[severity];
        report->lost_taken[severity] = report->lost[severity];
    }
    pthread_mutex_unlock(&report->lock);
    return count;
}

uint64_t report_add_count(const struct report *report)
{
    pthread_mutex_lock(lock_of(report));
    const uint64_t add_count = report->add_count;
    pthread_mutex_unlock(lock_of(report));
    return add_count;
}

bool report_at_least(const struct report *report)
{
    bool at_least = false;
    pthread_mutex_lock(lock_of(report));
    for (int kind = 0; kind < FINDING_KIND_COUNT; kind++)
        at_least |= report->incomplete[kind];
    pthread_mutex_unlock(lock_of(report));
    return at_least;
}

size_t report_distinct(const struct report *report, enum severity severity)
{
    pthread_mutex_lock(lock_of(report));
    size_t count = report->lost[severity];
    for (size_t i = 0; i < report->found.count; i++)
        count += report->found.entries[i]->finding.severity == severity;
    pthread_mutex_unlock(lock_of(report));
    return count;
}

/* ---- the end ------------------------------------------------------------------------------------ */

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
        if (entry->finding.access_count && place->line)
            fprintf(stream, " at %s:%" PRIu32 ":%" PRIu32, place->file ? place->file : "?", place->line,
                    place->column);
        if (several_kernels && entry->finding.kernel)
            fprintf(stream, " in kernel %s", entry->finding.kernel);
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
    pthread_mutex_lock(lock_of(report));
    print_repeats(stream, report);
    print_unreported(stream, report);
    print_unused(stream, report);
    if (!report->share) /* else orrery prints it once, when all processes have ended */
        baseline_note(stream, &report->baseline, report->scenario->baseline_file);
    pthread_mutex_unlock(lock_of(report));
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
        name_process(report, whole);
        print_end(whole, report, kernels_run);
    }
    if (!put_whole(stream, whole, &text, &size))
        print_end(stream, report, kernels_run);
    fflush(stream);
}

void report_set_replay(struct report *report, const char *command, bool loose)
{
    report->replay_loose = loose;
    free(report->replay);
    report->replay = command ? strdup(command) : NULL;
}
