/* SPDX-License-Identifier: Apache-2.0 */
#include "orrery/report.h"

#include <assert.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Without memory for the index a finding is not found again: it is told each time it comes. */
#define HASH_NONFATAL_OOM 1
#include <uthash.h>

struct entry {
    struct finding finding; /* all strings owned */
    char *key;
    UT_hash_handle hh; /* lookup only: order is that of the array */
};

struct report {
    const struct scenario *scenario; /* borrowed */

    pthread_mutex_t lock; /* guards what follows */
    FILE *stream;
    bool colour;
    struct entry **entries; /* in order of first occurrence */
    size_t count, room;
    struct entry *by_key;
    size_t kind_count[FINDING_KIND_COUNT];
    size_t unprinted;
    size_t lost[SEVERITY_ERROR + 1]; /* told, but there was no memory to keep them */
};

struct report *report_new(const struct scenario *scenario)
{
    struct report *report = calloc(1, sizeof *report);
    if (!report)
        return NULL;
    pthread_mutex_init(&report->lock, NULL);
    report->scenario = scenario;
    report->stream = stderr;
    report->colour = isatty(STDERR_FILENO);
    return report;
}

void report_free(struct report *report)
{
    if (!report)
        return;
    report_clear(report);
    pthread_mutex_destroy(&report->lock);
    free(report->entries);
    free(report);
}

void report_set_stream(struct report *report, FILE *stream, bool colour)
{
    pthread_mutex_lock(&report->lock);
    report->stream = stream;
    report->colour = colour;
    pthread_mutex_unlock(&report->lock);
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
}

static void entry_free(struct entry *entry)
{
    struct finding *finding = &entry->finding;
    for (int i = 0; i < 2; i++) {
        disown(finding->access[i].place.file);
        disown(finding->access[i].place.text);
        disown(finding->access[i].what);
    }
    disown(finding->kernel);
    disown(finding->object);
    disown(finding->why);
    disown(finding->fix);
    disown(finding->spec);
    free(entry->key);
    free(entry);
}

static struct entry *entry_new(const struct finding *finding, enum severity severity, char *key)
{
    struct entry *entry = calloc(1, sizeof *entry);
    if (!entry)
        return NULL;
    entry->finding = *finding;
    entry->finding.severity = severity;
    entry->finding.count = 1;
    entry->key = key;
    for (uint32_t i = 0; i < 2; i++) {
        struct finding_access *access = &entry->finding.access[i];
        if (i >= finding->access_count)
            *access = (struct finding_access){.size_bytes = 0};
        place_own(&access->place);
        own(&access->what);
    }
    own(&entry->finding.kernel);
    own(&entry->finding.object);
    own(&entry->finding.why);
    own(&entry->finding.fix);
    own(&entry->finding.spec);
    return entry;
}

static void key_text(FILE *stream, const char *text)
{
    fprintf(stream, "%s%c", text ? text : "", text ? 1 : 2);
}

/* Where no place is known, the words tell findings apart. */
static void key_access(FILE *stream, const struct finding_access *access)
{
    fprintf(stream, "%d:%" PRIu32 ":%" PRIu32 ":", (int)access->kind, access->place.line, access->place.column);
    key_text(stream, access->place.file);
    if (!access->place.line)
        key_text(stream, access->what);
}

static char *finding_key(const struct finding *finding)
{
    char *key = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&key, &size);
    if (!stream)
        return NULL;
    fprintf(stream, "%d:%" PRIu32 ":", (int)finding->kind, finding->access_count);
    key_text(stream, finding->kernel);
    for (uint32_t i = 0; i < finding->access_count && i < 2; i++)
        key_access(stream, &finding->access[i]);
    if (!finding->access_count) {
        key_text(stream, finding->object);
        key_text(stream, finding->why);
    }
    fclose(stream);
    return key;
}

static bool make_room(struct report *report)
{
    if (report->count < report->room)
        return true;
    size_t room = report->room ? 2 * report->room : 16;
    struct entry **entries = realloc(report->entries, room * sizeof *entries);
    if (!entries)
        return false;
    report->entries = entries;
    report->room = room;
    return true;
}

/* ---- adding ------------------------------------------------------------------------------- */

static bool within_limit(struct report *report, enum finding_kind kind)
{
    uint32_t limit = report->scenario->max_findings;
    return limit == 0 || report->kind_count[kind] <= limit;
}

static void announce(struct report *report, const struct entry *entry)
{
    report->kind_count[entry->finding.kind]++;
    if (!within_limit(report, entry->finding.kind)) {
        report->unprinted++;
        return;
    }
    if (report->stream) {
        report_print_finding(report->stream, &entry->finding, report->colour);
        fflush(report->stream);
    }
}

/* Without memory to keep it, a finding still counts and is told. */
static void lose(struct report *report, const struct finding *finding, enum severity severity)
{
    struct finding told = *finding;
    told.severity = severity;
    told.count = 1;
    report->lost[severity]++;
    if (report->stream) {
        report_print_finding(report->stream, &told, report->colour);
        fflush(report->stream);
    }
}

static void add_new(struct report *report, const struct finding *finding, enum severity severity, char *key)
{
    struct entry *entry = make_room(report) ? entry_new(finding, severity, key) : NULL;
    if (!entry) {
        lose(report, finding, severity);
        free(key);
        return;
    }
    report->entries[report->count++] = entry;
    HASH_ADD_KEYPTR(hh, report->by_key, entry->key, strlen(entry->key), entry);
    announce(report, entry);
}

void report_add(struct report *report, const struct finding *finding)
{
    enum severity severity = report->scenario->checks[finding_check(finding->kind)];
    if (severity == SEVERITY_OFF)
        return;
    char *key = finding_key(finding);
    struct entry *entry = NULL;
    pthread_mutex_lock(&report->lock);
    if (key)
        HASH_FIND_STR(report->by_key, key, entry);
    if (!key) {
        lose(report, finding, severity);
    } else if (entry) {
        entry->finding.count++;
        free(key);
    } else {
        add_new(report, finding, severity, key);
    }
    pthread_mutex_unlock(&report->lock);
}

void report_clear(struct report *report)
{
    pthread_mutex_lock(&report->lock);
    HASH_CLEAR(hh, report->by_key);
    for (size_t i = 0; i < report->count; i++)
        entry_free(report->entries[i]);
    report->count = report->unprinted = 0;
    memset(report->kind_count, 0, sizeof report->kind_count);
    memset(report->lost, 0, sizeof report->lost);
    pthread_mutex_unlock(&report->lock);
}

/* ---- asking --------------------------------------------------------------------------------- */

static pthread_mutex_t *lock_of(const struct report *report)
{
    return &((struct report *)(uintptr_t)report)->lock; /* a lock changes; the report does not */
}

size_t report_count(const struct report *report)
{
    pthread_mutex_lock(lock_of(report));
    size_t count = report->count;
    pthread_mutex_unlock(lock_of(report));
    return count;
}

size_t report_total(const struct report *report, enum severity at_least)
{
    size_t total = 0;
    pthread_mutex_lock(lock_of(report));
    for (size_t i = 0; i < report->count; i++)
        total += report->entries[i]->finding.severity >= at_least ? (size_t)report->entries[i]->finding.count : 0;
    for (enum severity severity = at_least; severity <= SEVERITY_ERROR; severity++)
        total += report->lost[severity];
    pthread_mutex_unlock(lock_of(report));
    return total;
}

const struct finding *report_get(const struct report *report, size_t index)
{
    pthread_mutex_lock(lock_of(report));
    const struct finding *finding = index < report->count ? &report->entries[index]->finding : NULL;
    pthread_mutex_unlock(lock_of(report));
    return finding;
}

/* Findings are printed when they arrive, and by then nobody knows how often they will come again. */
static void print_repeats(FILE *stream, const struct report *report)
{
    for (size_t i = 0; i < report->count; i++) {
        const struct finding *finding = &report->entries[i]->finding;
        const struct source_place *place = &finding->access[0].place;
        if (finding->count < 2)
            continue;
        fprintf(stream, "orrery: also %" PRIu64 " more %s", finding->count - 1, finding_id(finding->kind));
        if (finding->access_count && place->line)
            fprintf(stream, " at %s:%" PRIu32 ":%" PRIu32, place->file ? place->file : "?", place->line, place->column);
        fputc('\n', stream);
    }
}

void report_print_repeats(FILE *stream, const struct report *report)
{
    pthread_mutex_lock(lock_of(report));
    print_repeats(stream, report);
    pthread_mutex_unlock(lock_of(report));
}

static size_t distinct(const struct report *report, enum severity severity)
{
    size_t count = report->lost[severity];
    for (size_t i = 0; i < report->count; i++)
        count += report->entries[i]->finding.severity == severity;
    return count;
}

void report_summary(FILE *stream, const struct report *report, uint64_t kernels_run)
{
    const struct schedule_config *schedule = &report->scenario->schedule;
    pthread_mutex_lock(lock_of(report));
    fprintf(stream, "orrery: SUMMARY errors=%zu warnings=%zu suppressed=%zu kernels=%" PRIu64 " seed=%" PRIu64 " schedule=%s\n",
            distinct(report, SEVERITY_ERROR), distinct(report, SEVERITY_WARNING), report->unprinted, kernels_run,
            schedule->seed, schedule_policy_name(schedule->policy));
    pthread_mutex_unlock(lock_of(report));
}
