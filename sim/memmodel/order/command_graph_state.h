/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The command graph's fields, for the files that extend it by an order event.
 *
 * Interface
 *   node_of               a command's node; NULL: a user event, or a command that is forgotten
 *   exhaust               memory ran out: nothing is added from now on. Returns NULL
 *   caller_clock          the clock of the calling thread, or of the host
 *   command_host_calls    (command_host.c) the thread of the call, after joining what it received of other
 *                         threads. NULL: the threads count as one
 *   command_host_called   the call is over, and other threads may receive its clock
 *   command_host_set      a call of one of several threads has set the user event
 *   command_host_clock_at_set   the clock of that call; NULL: not set yet, or the threads count as one
 */
#ifndef ORRERY_SIM_MEMMODEL_COMMAND_GRAPH_STATE_H
#define ORRERY_SIM_MEMMODEL_COMMAND_GRAPH_STATE_H

#include "command_graph.h"

#include "command_clock.h"
#include "sim/memmodel/common/list.h"

/* absent: the number of a user event */
enum node_state { NODE_ABSENT, NODE_ENQUEUED, NODE_BEGUN, NODE_ENDED };
struct command_node {
    enum node_state state;
    uint32_t chain;              /* once it has begun */
    struct command_clock *clock; /* the host's while it is enqueued; then its own, without itself */
    /* `clock` is more than the host's: commands set user events that it waits for */
    bool set_by_commands;
    uint32_t prefix; /* the host's when it was enqueued; later commands have no lower one */
    /* the host's step when it was enqueued; below which the host's steps happen before the command */
    uint32_t step, saw;
    /* it runs a function of the program, which may acquire from the program's other threads */
    bool program;
    uint32_t *after; /* what it waits for; until it begins */
    size_t after_count;
    uint64_t began, ended; /* counts events; 0: not yet */
    bool marked;
    struct command_facts facts;
};

/* A thread of the host: its clock now, and as it was after each call that added to it. */
struct host_point {
    uint32_t call;
    struct command_clock *clock;
};
struct host_thread {
    struct command_clock *clock; /* NULL: it has made no call */
    uint32_t *received;          /* by thread: how many of its calls are in `clock` */
    uint32_t received_count;
    LIST(struct host_point) points;
};

/* A user event that is set, and the clock of the call that set it. */
struct set_event {
    uint32_t event;
    struct command_clock *clock;
};

struct command_graph {
    bool exhausted;
    bool several;              /* the host's threads have clocks, and there is more than one */
    bool as_one;               /* HOSTS_REMEMBER was exceeded: the threads count as one from then on */
    struct host_thread *hosts; /* by number of the thread */
    uint32_t host_count;
    LIST(struct set_event) set_events; /* by several threads; ascending */
    uint64_t events;                   /* so far */
    /* the host's step, from 1 on: counts ENQUEUED events, and ends of commands that ran a function of the
     * program */
    uint32_t step;
    uint32_t seen_by_all;       /* the steps below are seen by every command that has a node */
    struct command_node *nodes; /* a ring: serial & (room - 1) */
    uint32_t room;
    uint32_t first, next; /* serials that have a node: [first, next) */
    uint32_t unended;     /* the lowest serial number that has not ended */
    /* The latest member of each chain. Serial numbers of members ascend, so a clock that has one of them has
     * those below it. A forgotten tail happens before every later command, so that the chain is spare. */
    LIST(uint32_t) tails;
    uint32_t spare_from; /* no chain below is spare */
    struct command_clock *host;
    /* the join of the host's clock and those of its functions that have begun as commands; NULL: none has */
    struct command_clock *program;
    struct command_clock
        /* complete, as reported to the host by a query, which does not synchronise; NULL: nothing was
         * reported */
        *reported;
    /* of merge(), kept between calls */
    struct chain_entry *scratch;
    uint32_t scratch_count, scratch_room;
};

static inline struct command_node *node_of(const struct command_graph *graph, uint32_t serial)
{
    if (serial < graph->first || serial >= graph->next)
        return NULL;
    struct command_node *node = &graph->nodes[serial & (graph->room - 1)];
    return node->state == NODE_ABSENT ? NULL : node;
}

static inline void *exhaust(struct command_graph *graph)
{
    graph->exhausted = true;
    return NULL;
}

static inline struct command_clock *caller_clock(const struct command_graph *graph,
                                                 const struct host_thread *host)
{
    return host ? host->clock : graph->host;
}

struct host_thread *command_host_calls(struct command_graph *graph, const struct order_event *event);
void command_host_called(struct command_graph *graph, struct host_thread *host, uint32_t call);
void command_host_set(struct command_graph *graph, uint32_t event, struct command_clock *clock);
const struct command_clock *command_host_clock_at_set(const struct command_graph *graph, uint32_t event);
void command_host_free_all(struct command_graph *graph);

#endif
