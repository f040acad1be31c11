/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Kernels that kernels enqueue (OpenCL 2.2 API, 3.2.3). A launch tree is a kernel that the host
 *          enqueued, with all kernels and markers that its kernels enqueued. Its nodes are launches of their
 *          own. They begin in the order in which they were enqueued, or in one that the schedule chooses,
 *          when the commands that they wait for are complete and no other launch of the tree runs, except
 *          for launches that only spin. A node is complete when it has ended and its children are complete;
 *          then its event is.
 *
 * Interface
 *   device_launch_begin, _run, _end   of orrery/device.h: the life of a tree (device_tree.c)
 *   device_enqueue               a request of a wave: struct wave_host's enqueue (device_enqueue.c)
 *   device_tree_*                     between the two
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
    struct device_tree *tree;
    struct launch_node *parent; /* NULL: the host enqueued it */
    struct launch_node *next;   /* among the nodes that have not begun */
    uint32_t serial;            /* number in the tree; the root is 0 */
    /* set by the enqueue */
    const struct kernel *kernel; /* NULL: a marker */
    uint32_t flags;              /* ENQUEUE_WAIT_* */
    uint64_t queue, queue_bytes;
    struct launch_request request;
    struct launch_arg *args;
    struct region *literal; /* the captured variables; NULL: none */
    uint64_t *waits;
    uint32_t wait_count; /* the wait list; each event counts this node as a waiter */
    uint64_t event;      /* the node's own event; 0: not requested */
    uint64_t group;      /* the work-group of the parent that enqueued it */
    bool group_ended;
    uint32_t clock_snapshot; /* of the parent, as in struct launch_info */
    /* set at its begin */
    uint32_t launch; /* number of its launch; 0: it runs nothing */
    struct launch_after *after;
    uint32_t after_count; /* the launches that its events stood for */
    /* changes while it runs */
    uint64_t *awaited;
    uint32_t awaited_count; /* work-groups of this node whose end children wait for */
    uint32_t outstanding;   /* children that are not complete */
    bool ended;
    int32_t status; /* 0, or the negative status of its event */
    uint64_t start_time, end_time;
};

/* The kernels and markers of one launch tree, at most. */
enum { DEVICE_TREE_CHILDREN_MAX = 65536 };

struct device_tree {
    struct device_tree *next; /* the next tree of the device */
    struct device *device;
    struct launch_node root;
    struct live_launch *live; /* the root's launch, until device_launch_end */
    uint64_t end_time;        /* of the root's work-groups */
    uint32_t running;         /* running launches */
    enum status status;
    struct diagnosis diagnosis;        /* of the root, or of the failure that ended the tree */
    struct diagnosis child;            /* of the first other kernel that failed; no text: none */
    struct launch_node *first, **last; /* the nodes that have not begun, in order */
    uint32_t serial;
    uint64_t steps;           /* loop iterations of the launches that ended, and one per launch */
    struct deadline deadline; /* of the whole tree */
    uint32_t user_events;     /* user events that are not released */
    struct device_events events;
    struct rng rng;
};

void device_enqueue(struct device *device, struct launch *launch, const struct wave *wave,
                    struct enqueue_call *call);

/* Writes the times of a complete event to the address that the kernel gave. */
void device_enqueue_store_times(struct device *device, const struct device_event *event);

/* Takes ownership of the node. */
void device_tree_append(struct device_tree *tree, struct launch_node *parent, struct launch_node *node);
/* Fills the facts on the node that observers get. */
void device_tree_describe(const struct launch_node *node, struct launch_info *info);
/* A work-group of the node's launch has ended: nodes that wait for that alone may begin. */
void device_tree_group_ended(struct launch_node *node, uint64_t group_linear);
/* Called when an event is complete: running launches may wait for a node that can now begin. */
void device_tree_may_start(struct device_tree *tree);
void device_tree_node_free(struct device_tree *tree, struct launch_node *node);
/* Called when the event has fewer references or waiters: it may be freed. */
void device_tree_event_changed(struct device_tree *tree, struct device_event *event);

#endif
