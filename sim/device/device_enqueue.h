/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Kernels that kernels enqueue (OpenCL 2.2 API, 3.2.3): a family is a kernel that the host enqueued
 *          and all that came of it. Its nodes are launches of their own and begin, in the order in which they
 *          were enqueued or in one that the schedule chooses, when the commands that they wait for are
 *          complete and nothing else of the family runs, or only spins. A node is complete when it has ended
 *          and its children are complete; then its event is.
 *
 * Interface
 *   device_launch_begin, _run, _end   of orrery/device.h: the family's life (device_family.c)
 *   device_enqueue    a request of a wave: struct wave_host's enqueue (device_enqueue.c)
 *   family_*          between the two
 *
 * Ownership  A node owns its arguments, the region of its captured variables and its copy of the queue's
 *            units. All calls come from the thread that launches.
 */
#ifndef ORRERY_SIM_DEVICE_DEVICE_ENQUEUE_H
#define ORRERY_SIM_DEVICE_DEVICE_ENQUEUE_H

#include "sim/base/clock.h"
#include "device_event.h"
#include "device_state.h"
#include "sim/base/rng.h"

struct launch_node {
    struct launch_family *family;
    struct launch_node *parent; /* NULL: the host enqueued it */
    struct launch_node *next;   /* of those that have not begun */
    uint32_t serial;            /* in the family; the host's kernel is 0 */
    /* set when it is enqueued */
    const struct kernel *kernel; /* NULL: a marker */
    uint32_t flags;              /* ENQUEUE_WAIT_* */
    uint64_t queue, queue_bytes;
    struct launch_request request;
    struct launch_arg *args;
    struct region *literal; /* the captured variables; NULL: none */
    uint64_t *waits;
    uint32_t wait_count; /* events, each with a waiter of ours */
    uint64_t event;      /* its own; 0: no event requested */
    uint64_t group;      /* of the parent: the one that enqueued it */
    bool group_ended;
    uint32_t clock_snapshot; /* of the parent: as struct launch_info has it */
    /* set when it begins */
    uint32_t launch; /* its number; 0: it runs nothing */
    struct launch_after *after;
    uint32_t after_count; /* that its events stood for */
    /* changes */
    uint64_t *awaited;
    uint32_t awaited_count; /* groups of its own that children wait for */
    uint32_t outstanding;   /* children that are not complete */
    bool ended;
    int32_t status; /* 0, or the negative one of its event */
    uint64_t start_time, end_time;
};

/* Kernels and markers that one kernel of the host's may enqueue, with all that those enqueue. */
enum { FAMILY_CHILDREN_MAX = 65536 };

struct launch_family {
    struct launch_family *next; /* of the device */
    struct device *device;
    struct launch_node root;
    struct live_launch *live; /* the root's, until device_launch_end */
    uint64_t end_time;        /* of the root's work-groups */
    uint32_t running;         /* launches */
    enum status status;
    struct diagnosis diagnosis;        /* of the root, or what ended all of it */
    struct diagnosis child;            /* why the first of its other kernels that failed did; or no text */
    struct launch_node *first, **last; /* those that have not begun, in order */
    uint32_t serial;
    uint64_t steps;           /* loop iterations of the launches that ended, and one for each */
    struct deadline deadline; /* of all of it */
    uint32_t user_events;     /* not released */
    struct device_events events;
    struct rng rng;
};

void device_enqueue(struct device *device, struct launch *launch, const struct wave *wave,
                    struct enqueue_call *call);

/* Writes the times of an event that is complete to the requested address. */
void device_enqueue_store_times(struct device *device, const struct device_event *event);

/* Takes the node, which is complete in all but its place. */
void family_append(struct launch_family *family, struct launch_node *parent, struct launch_node *node);
/* The facts that observers receive of it. */
void family_describe(const struct launch_node *node, struct launch_info *info);
/* A work-group of the node's launch has ended: what waits for that alone may begin. */
void family_group_ended(struct launch_node *node, uint64_t group_linear);
/* an event is complete: those that run may wait for what now could begin */
void family_may_start(struct launch_family *family);
void family_node_free(struct launch_family *family, struct launch_node *node);
/* less counts on it: it may go */
void family_event_changed(struct launch_family *family, struct device_event *event);

#endif
