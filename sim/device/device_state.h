/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The fields of a device, for the files of this folder that implement it.
 */
#ifndef ORRERY_SIM_DEVICE_DEVICE_STATE_H
#define ORRERY_SIM_DEVICE_DEVICE_STATE_H

#include <pthread.h>

#include "sim/base/clock.h"
#include "concurrent.h"
#include "device_queue.h"
#include "sim/memmodel/checkers.h"
#include "sim/memmodel/commands/commands.h"
#include "sim/memmodel/commands/launch_tree_races.h"

enum { DEVICE_OBSERVERS = 12 };

struct device {
    /* set at creation */
    const struct scenario *scenario;
    struct report *report;
    struct wave_host host; /* callbacks of waves; self is this device */
    struct memory_arena arena;
    /* observers that the scenario asks for, else NULL: */
    struct pages *pages;   /* first touch of pages */
    struct caches *caches; /* cache counters */
    struct timeline *timeline;
    struct trace *trace;
    struct profile *profile;         /* counts of instructions */
    struct page *page;               /* the run as a page */
    struct host_memory *host_memory; /* host memory that kernels may access; NULL: none */

    /* set before the first launch */
    struct observer observers[DEVICE_OBSERVERS];
    /* the last of observers[] that receives accesses; that receives synchronisation */
    const struct observer *listener, *sync_listener;
    uint32_t observer_count;
    pthread_mutex_t order_lock;    /* one order event at a time */
    struct observer merged;        /* called by waves and groups; calls all of observers[] */
    struct commands *commands;     /* races between commands; NULL: not checked */
    struct tree_races *tree_races; /* races within launch trees; NULL: not checked */
    struct checkers *checkers;     /* NULL: neither races nor atomics are checked */
    bool has_data[CHECK_COUNT];    /* checks that were on when the device was created */
    bool checker_listens;
    printf_sink *printf_sink;
    void *printf_self;
    bool printed;       /* kernels have printed to stdout since it was flushed last */
    bool refusal_noted; /* a note has said that a call of enqueue_kernel returned an error */

    struct device_queues queues;

    /* owned by the thread that executes commands */
    struct sim_clock clock;
    uint64_t kernels_run;
    struct concurrent concurrent;   /* the launches that run */
    struct device_tree *trees;      /* incomplete launch trees, in order of begin */
    struct launch *launch;          /* the launch that has the time slice; NULL: none */
    struct schedule_record record;  /* the steps of the launches so far */
    struct schedule_record *replay; /* parsed from replay_text; NULL: none */
    char *replay_text;
};

/* The merged observer; NULL: no observers. */
const struct observer *device_observer(const struct device *device);
/* The observer that the waves of a launch call: the only one that wants their events, or the merged one. */
const struct observer *device_wave_observer(const struct device *device, const struct launch_info *launch);

/* Announces bytes that a command accesses; without bytes nothing is announced. */
void device_announce(struct device *device, const struct command_event *event);
void device_announce_command(struct device *device, uint32_t command, enum access_kind kind, uint64_t address,
                             size_t size, enum command_role role);
/* Likewise bytes of the host's memory. */
void device_announce_host(struct device *device, uint32_t command, enum access_kind kind, const void *pointer,
                          size_t size);

/* Makes the checker, if the scenario has races or atomics checked. False: out of memory. */
bool device_make_checker(struct device *device);
/* Attaches or detaches the checker: races need every event, misused atomics only events of code with
 * atomics. */
void device_check_code(struct device *device, const struct code *code);

/* Like device_launch_begin, device_run and device_launch_end of orrery/device.h, but for one launch
 * without the kernels that it enqueues. After launch_end the caller owes live_launch_give(). */
enum status launch_begin(struct device *device, const struct launch_request *request,
                         struct live_launch **out_launch, struct diagnosis *diagnosis);
struct live_launch *concurrent_run(struct device *device, enum device_help help);
bool concurrent_is_interrupted(
    struct device *device); /* within a time slice; true: it has to end, a signal has come */
enum status launch_end(struct live_launch *live, uint64_t *out_time, struct diagnosis *diagnosis);
/* device_launch while other launches are in progress; these wait. */
enum status device_launch_alone(struct device *device, const struct launch_request *request,
                                struct diagnosis *diagnosis);

/* Program-scope variables. */
enum status device_alloc_kind(struct device *device, const struct allocation *wanted, uint64_t *out_address);

#endif
