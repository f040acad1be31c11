/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  What the files of the engine share.
 *
 * A stop stands at one lane of one wave: the focus. Requests name another work-item by its number, 1 + its
 * global linear id in the launch.
 */
#ifndef ORRERY_DEBUG_DEBUGGER_H
#define ORRERY_DEBUG_DEBUGGER_H

#include <signal.h>

#include "orrery/debug.h"
#include "orrery/schedule.h"
#include "plan.h"
#include "sim/device/device_program.h"
#include "stop.h"

struct debugger {
    struct debugger_host host;
    struct debug_hook hook;
    struct report *report;
    struct device *device;
    uint64_t position;
    bool resumes, ended;
    struct plan plan;
    size_t findings; /* that were there at the event before */
    uint64_t checkpoint_every, checkpoint_next;
    volatile sig_atomic_t interrupted;
    uint64_t phases; /* launches and work-groups that have begun or ended */
    uint64_t slices; /* of waves, that have begun since */
    uint32_t live;   /* launches that have begun and not ended */
    bool plain;      /* they run without marks, and positions are not counted */
    bool waits;      /* for a session: until one is there they run so */
    bool changed;    /* memory was written by hand: another run to here is not the same */

    struct seen_wave *waves;
    uint32_t wave_count, wave_room;
    uint32_t latest_wave;    /* index of the one that was looked for last */
    struct wave *running;    /* whose line or access it was last; NULL: none */
    const struct insn *insn; /* of it, when a line began */
    struct {
        struct wave *wave;
        uint32_t lane;
    } focus;
    const struct launch *launch; /* the latest that began */

    struct point *points;
    uint32_t point_count, point_room;
    struct schedule_fork fork;
    json_t *forks;                  /* schedule_forks.c; NULL: none */
    bool looks_ahead;               /* this process is a copy that reports the next wave, */
    int ahead;                      /* there */
    struct visible_writes *visible; /* visible_writes.c; NULL: not requested */
    struct line_values *values;     /* line_values.c; NULL: not requested. Borrowed */
    struct debugger *self;          /* what the observer of visible_writes.c gets as self */
    /* The latest accesses of watched bytes are not kept: who-wrote runs the target again. */
};

struct stop_place {
    const char *reason;
    const struct hit *hit;
    const struct finding *finding;
};
void debugger_add_place(struct debugger *d, json_t *stop); /* where the focus stands */
struct seen_wave *debugger_wave(struct debugger *d, const struct wave *wave);
uint64_t debugger_hash(const struct debugger *d);

/* asks_checker.c: whether each earlier access of the expression's bytes would race with a read or write
 * by the view's work-item; and which operations of other work-items happen before it */
json_t *ask_why(struct debugger *d, const struct view *view, const char *expression);
struct race_inquiry;
/* Finds the bytes that an expression means. Returns NULL, or the refusal; out_type is their type, if
 * known. */
json_t *ask_bytes(const struct view *view, const char *expression, struct race_inquiry *inquiry,
                  const struct debug_type **out_type);
json_t *ask_clocks(struct debugger *d, const struct view *view);

/* visible_writes.c: which of the writes so far a load here may return. A run that tracks the bytes
 * records their writes. */
void visible_writes_device(struct debugger *d, struct device *device);
void visible_writes_launch(struct debugger *d, uint32_t launch);
void visible_writes_access(struct debugger *d, const struct access_event *event);
void visible_writes_free(struct visible_writes *visible);
json_t *visible_writes_track(struct debugger *d, const json_t *request); /* without an address: no more */
json_t *visible_writes_request(struct debugger *d, const struct view *view, const char *expression);

/* line_values.c: an access is announced, or was faulty. Called before the findings of this access are
 * read. */
void line_values_access(struct debugger *d, const struct access_event *event);
void line_values_fault(struct debugger *d);

/* schedule_forks.c: forecasts which wave runs next, and makes another one run instead. */
bool forks_next(void *debugger, const struct schedule_next *next, struct unit *out_unit);
json_t *forks_forecast(struct debugger *d, const json_t *request);
json_t *forks_set(struct debugger *d, const json_t *request);
void forks_over(struct debugger *d); /* a launch ends: a copy that looks ahead reports it */

json_t *request_handle(struct debugger *d, const json_t *request); /* request.c */
json_t *debugger_refuse(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
