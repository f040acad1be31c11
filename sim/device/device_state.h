/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  What a device is made of; for device.c, device_launch.c and program.c only.
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
    struct wave_host host; /* self: this device */
    struct memory_arena arena;
    struct pages *pages;             /* first touch of pages; NULL: not observed */
    struct caches *caches;           /* counters; NULL: not wanted */
    struct host_memory *host_memory; /* that kernels may touch; NULL: none */
    struct timeline *timeline;       /* NULL: not wanted */
    struct trace *trace;             /* NULL: not wanted */
    struct profile *profile;         /* counts of instructions; NULL: not wanted */
    struct page *page;               /* the run as a page; NULL: not wanted */

    /* set before the first launch */
    struct observer observers[DEVICE_OBSERVERS];
    /* the latest of them that receives accesses, or synchronisation */
    const struct observer *listener, *sync_listener;
    uint32_t observer_count;
    pthread_mutex_t order_lock;    /* one order event at a time */
    struct observer merged;        /* what waves and groups call; fans out when there are several */
    struct commands *commands;     /* NULL: races are not looked for */
    struct tree_races *tree_races; /* likewise */
    struct checkers *checkers;     /* NULL: neither races nor atomics are checked */
    bool has_data[CHECK_COUNT];    /* checks that were on when the device was made */
    bool checker_listens;
    printf_sink *printf_sink;
    void *printf_self;
    bool printed; /* to stdout, since it was flushed last */

    struct device_queues queues;

    /* owned by the thread that executes commands */
    struct sim_clock clock;
    uint64_t kernels_run;
    struct concurrent concurrent;   /* the launches that run */
    struct launch_family *families; /* those that are not complete, in order of begin */
    struct launch *launch;          /* the one that has the time slice; NULL: none */
    struct schedule_record record;  /* of the launches so far */
    struct schedule_record *replay; /* of replay_text; NULL: none */
    char *replay_text;
};

/* The merged observer, or NULL when there is none. */
const struct observer *device_observer(const struct device *device);
/* Of a launch that it was announced to: the observer that its waves call, directly. */
const struct observer *device_wave_observer(const struct device *device, const struct launch_info *launch);

/* Races want every event; misused atomics only those of code that has some. */
void device_check_code(struct device *device, const struct code *code);

/* One launch without those that its kernel enqueues: as the functions of orrery/device.h whose names they
 * resemble. A launch that ended is announced and runs no more, but is not free yet: live_launch_give is due
 * for it. */
enum status launch_begin(struct device *device, const struct launch_request *request,
                         struct live_launch **out_launch, struct diagnosis *diagnosis);
struct live_launch *launches_run(struct device *device, enum device_help help);
bool launches_interrupted(struct device *device); /* called within a time slice, which is to end then */
enum status launch_end(struct live_launch *live, uint64_t *out_time, struct diagnosis *diagnosis);
/* device_launch, also while others run, which wait. */
enum status device_launch_alone(struct device *device, const struct launch_request *request,
                                struct diagnosis *diagnosis);

/* Program-scope variables. */
enum status device_alloc_kind(struct device *device, const struct allocation *wanted, uint64_t *out_address);

#endif
