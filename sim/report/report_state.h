/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The report's fields, for the files that add findings, count them and print the end.
 *
 * Interface
 *   report_lock          the lock, also of a report that does not change for its reader
 *   report_name_process  prints "orrery: process 2: ./b.out fast" if another process printed last
 *   report_put_whole     ends the text in `whole` and writes it at once, so that output of other threads
 *                        comes before or after it. False: out of memory, and nothing was written
 */
#ifndef ORRERY_SIM_REPORT_REPORT_STATE_H
#define ORRERY_SIM_REPORT_REPORT_STATE_H

#include <pthread.h>

#include "baseline.h"
#include "fingerprint.h"
#include "report_devices.h"
#include "report_entry.h"
#include "report_launches.h"
#include "report_places.h"

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
    struct report_list found, suppressed;
    struct report_devices devices;
    struct report_places places;
    struct report_launches launches;
    struct report_entry *by_key; /* the entries of both lists */
    size_t kind_count[FINDING_KIND_COUNT];
    char *replay;                        /* the command that replays this run; NULL: unknown */
    bool replay_loose;                   /* the command does not replay the order of the program's threads */
    bool incomplete[FINDING_KIND_COUNT]; /* report_incomplete */
    /* by severity: findings that were reported but not kept, out of memory */
    size_t lost[SEVERITY_ERROR + 1];
    size_t lost_taken[SEVERITY_ERROR + 1]; /* the part of lost that report_take_new has seen */
    uint64_t add_count;                    /* report_add_count */
    uint64_t clears;
    bool noted;
    struct fingerprints fingerprints;
    /* the accepted findings; without rows none is, or with update_baseline all are */
    struct baseline baseline;
    size_t accepted;   /* how many of `suppressed` only the baseline accepts */
    bool holds, waits; /* report_hold: findings with edits wait, and all findings after the first that does */

    char *root;                 /* the directory that the run began in; NULL: unknown */
    struct report_share *share; /* NULL: no other process writes its files */
    struct report_spool *spool; /* NULL: its SARIF log is written to its file at once */
    struct report_process process;
    void (*test)(char out_name[TEST_NAME_CHARS]); /* NULL: the program runs no tests */
};

static inline pthread_mutex_t *report_lock(const struct report *report)
{
    return &((struct report *)(uintptr_t)report)->lock; /* the lock changes, the report does not */
}

void report_name_process(const struct report *report, FILE *stream);
bool report_put_whole(FILE *stream, FILE *whole, char *const *text, const size_t *size);

#endif
