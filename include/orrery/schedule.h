/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The choices of a schedule: made by a caller instead of a policy (an explorer of all
 *          interleavings, a test), and recorded so that a run can be repeated.
 *
 * Interface
 *   struct schedule_oracle       called at every choice
 *   schedule_record_*            the record of choices: parse, print as a token or as sections of a file
 *   struct schedule_fork         is called with the next wave, and may choose another one: a debugger
 *   struct schedule_watch        a signal that ends the launches, and notes for the user while they take long
 *   schedule_script_over         at the end of a run: has each step of its script had its launch?
 *   schedule_replay_over         likewise the steps of its replay
 *
 * Rules    With an oracle in struct schedule_config every wave is one work-item, and stops before each
 *          operation that others see: loads, stores, atomics and fences of global and local memory,
 *          copies, printf; and at barriers and group functions.  Before each step the oracle is called to
 *          select which of the work-items that can continue does its next operation. Everything else about a
 *          launch is a function of these selections: the same selections, the same choices again.
 *          resident_groups of the scenario is the number of groups in flight; they are admitted in order.
 *
 * Ownership  A choice is valid during the call.
 */
#ifndef ORRERY_SCHEDULE_H
#define ORRERY_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "orrery/observer.h"
#include "orrery/scenario.h"
#include "orrery/status.h"

enum schedule_operation {
    OPERATION_NONE, /* it loops or ends without touching what others see */
    OPERATION_ACCESS,
    OPERATION_FENCE,
    OPERATION_COPY, /* of run-time size, address is its target's; an asynchronous copy: address 0 */
    OPERATION_PRINT
};

/* A work-item that can continue, and its next operation. */
struct schedule_candidate {
    uint64_t tile;  /* linear id of the work-group */
    uint32_t wave;  /* within the work-group: linear id of the work-item */
    uint64_t steps; /* it has taken so far */
    struct item item;
    enum schedule_operation operation;
    uint32_t site; /* program_site() has the line */
    enum access_kind access;
    enum memory_ordering order, failure_order;
    enum memory_scope scope;
    uint32_t regions; /* fences: REGION_* */
    uint64_t address;
    uint32_t size_bytes;
};

struct schedule_choice {
    uint32_t launch;        /* serial number of the launch */
    uint64_t number;        /* of this choice within the launch, from 0 */
    uint32_t default_index; /* of the default rule's candidate: the same work-item while it can continue */
    uint32_t count;         /* at least 1; ordered by tile, then wave */
    const struct schedule_candidate *candidates;
};

/* Ends the launch with STATUS_ABORTED. */
#define SCHEDULE_STOP UINT32_MAX

/* choose returns an index into candidates, or SCHEDULE_STOP. */
struct schedule_oracle {
    void *self;
    uint32_t (*choose)(void *self, const struct schedule_choice *choice);
};

/* A wave of a launch: the linear id of its work-group, and its index there. tile UINT64_MAX: no wave, as
 * before the first step. */
struct unit {
    uint64_t tile;
    uint32_t wave;
};
#define UNIT_NONE ((struct unit){UINT64_MAX, UINT32_MAX})

/* The wave that a policy runs next. Policies that run in passes call before each time slice. */
struct schedule;
struct schedule_next {
    uint32_t launch;
    uint64_t step; /* of the launch, from 0; of policies that run in passes, their time slices */
    struct unit unit;
    bool may_choose;
    const struct schedule *schedule; /* positions_of_ready() lists its waves */
};
struct schedule_fork {
    void *self;
    /* True: out_unit runs instead, if it is resident and ready. */
    bool (*next)(void *self, const struct schedule_next *next, struct unit *out_unit);
};

/* Checked while launches run; it does not change what they compute. After a signal the positions of the
 * work-items are printed, and the launches end with STATUS_STOPPED. For a launch without a limit that runs
 * for long, one note is printed. */
struct schedule_watch {
    const volatile int *signal; /* the number of the signal, 0: none yet; a sig_atomic_t, set by a handler */
    volatile int *launches;     /* NULL, or gets how many launches have begun */
    void (*note)(const char *text); /* lines for people, without the end of the last one */
    /* NULL, or called when a further hundredth of a launch's work-groups has begun: 0 to 100 */
    void (*progress)(uint32_t launch, const char *kernel, uint32_t percent);
};

/* BAD_SCENARIO if the script has a step for a launch after the last one; launches: how many there were. */
enum status schedule_script_over(const struct schedule_config *config, uint64_t launches,
                                 struct diagnosis *diagnosis);
/* BAD_SCENARIO if the replay is not lenient and has steps for a launch after the last one. */
enum status schedule_replay_over(const struct schedule_config *config, uint64_t launches,
                                 struct diagnosis *diagnosis);

/* ---- what was chosen ------------------------------------------------------------------ */

/* A context switch: after `step` steps of unit `at`, `to` continues and not the unit of the default rule. */
struct schedule_switch {
    struct unit at;
    uint64_t step;
    struct unit to;
};

struct schedule_launch {
    uint32_t launch; /* serial number */
    uint32_t shape;  /* hash of kernel and sizes; 0 = not known */
    /* reaching the first operation, or the one after a barrier, is a step */
    bool scripted;
    size_t count, room;
    struct schedule_switch *switches; /* in the order in which they were chosen */
};

/* A run: the settings alone, if a policy and its seed determine it; or the switches of its launches. */
struct schedule_record {
    struct schedule_settings settings;
    uint32_t shape;    /* of the first launch */
    bool has_switches; /* launches repeat the switches recorded here, whatever the policy */
    bool lenient;      /* switches that do not fit are skipped */
    /* the switches are not what the policy chose: the settings do not determine them */
    bool shrunk;
    bool mixed;  /* the settings changed between launches: they do not determine the run */
    bool forked; /* a debugger chose time slices of a policy without switches: nothing repeats the run */
    size_t count, room;
    struct schedule_launch *launches;
};

/* A token (1:SEED:POLICY:SHAPE[:SWITCHES]) or the text of a file. Unknown sections are left to others. */
enum status schedule_record_parse(const char *text, struct schedule_record **out_record,
                                  struct diagnosis *diagnosis);
void schedule_record_free(struct schedule_record *record);
char *schedule_record_token(const struct schedule_record *record); /* malloc'd; NULL: no memory */
void schedule_record_print(const struct schedule_record *record, FILE *stream); /* its sections of a file */
#define SCHEDULE_RECORD_MAGIC "orrery record 1\n"                               /* the first line of a file */
size_t schedule_record_switches(const struct schedule_record *record);          /* of all launches */
/* The shortest text that repeats the run: without switches if policy and seed determine it. NULL: none does,
 * or no memory. */
char *schedule_replay_token(const struct schedule_record *record);
/* A copy without the switches [from, from + count), counted over all launches. NULL: no memory. */
struct schedule_record *schedule_record_without(const struct schedule_record *record, size_t from,
                                                size_t count);

#endif
