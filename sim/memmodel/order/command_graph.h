/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Which commands happen before which: rules (1) to (12) of the OpenCL 2.2 API, 3.3.6 "Host-side and
 *          Device-side Commands", from order events. Before a command happen: all that happened before the
 *          host's enqueueing call (1), and the commands that it waits for with all before them (2, 3, 5, 6,
 *          7, 12); before the host's next call: what it waited for (4, 8, 11).
 *
 * Interface
 *   command_graph_new/free
 *   command_graph_order          takes one order event
 *   command_graph_is_after       does `earlier` happen before `later`? Both have begun
 *   command_graph_host_is_after  does the command's end happen before the host's next call?
 *   command_graph_host_hands_on  does it, or a function of the program that a command runs: by its atomics?
 *   command_graph_reported       does it, or did a query (5.11) report it, or a native kernel after the
 *                               command?
 *   command_graph_under_way      has it begun, and not ended? A kernel ends when those have that it enqueued
 *   command_graph_in_sequence    did `later` begin when `earlier` had ended? By when they ran, which orders
 *                                nothing
 *   command_graph_ended          when it did, counted in events; 0: it has not, or is forgotten
 *   command_graph_assume         from now on `earlier` counts as before `later`
 *   command_graph_assume_host    and whatever the host hands on
 *   command_graph_step           of the host: how often it has enqueued something, set a user event or ended
 *                                a command of which it ran a function
 *   command_graph_saw            below this step all that the host did happens before the command (1, 12),
 *                                that has begun
 *   command_graph_sees           from now on it counts as seeing that
 *   command_graph_first_step     every command that is not forgotten, and every later one, sees what is below
 *   command_graph_first          every command below happens before the host's next call and all that have
 *                                not ended: forgotten
 *   command_graph_idle           every command is forgotten
 *   command_graph_check          asserts all invariants
 *   command_graph_exhausted      memory was out once: no result holds any more
 *
 * Threads    of the host have clocks where the events say so (struct host_clock): before a command then
 *            happens what does before the thread that enqueued it, and what that thread received of the
 *            others. The queries about the host are about all of them.
 *
 * A vector clock  is one immutable shared struct: all serial numbers below a prefix, and per chain the last
 *                 one beyond it. A chain is a run of commands, each after the one before it and enqueued
 *                 after it, so an
 *            in-order queue is one chain, and the number of chains is about that of commands that may run
 *            side by side.
 */
#ifndef ORRERY_SIM_MEMMODEL_ORDER_COMMAND_GRAPH_H
#define ORRERY_SIM_MEMMODEL_ORDER_COMMAND_GRAPH_H

#include "orrery/observer.h"

struct command_graph;
struct command_graph *command_graph_new(void);
void command_graph_free(struct command_graph *graph);
void command_graph_order(struct command_graph *graph, const struct order_event *event);
bool command_graph_is_after(const struct command_graph *graph, uint32_t later, uint32_t earlier);
bool command_graph_host_is_after(const struct command_graph *graph, uint32_t command);
bool command_graph_host_hands_on(const struct command_graph *graph, uint32_t command);
bool command_graph_reported(const struct command_graph *graph, uint32_t command);
bool command_graph_under_way(const struct command_graph *graph, uint32_t command);
bool command_graph_in_sequence(const struct command_graph *graph, uint32_t later, uint32_t earlier);
uint64_t command_graph_ended(const struct command_graph *graph, uint32_t command);
void command_graph_assume(struct command_graph *graph, uint32_t later, uint32_t earlier);
void command_graph_assume_host(struct command_graph *graph, uint32_t command);
uint32_t command_graph_step(const struct command_graph *graph);
uint32_t command_graph_saw(const struct command_graph *graph, uint32_t command);
void command_graph_sees(struct command_graph *graph, uint32_t command, uint32_t step);
uint32_t command_graph_first_step(const struct command_graph *graph);
uint32_t command_graph_first(const struct command_graph *graph);
uint32_t command_graph_end(const struct command_graph *graph); /* all numbers so far are lower */
bool command_graph_idle(const struct command_graph *graph);
bool command_graph_exhausted(const struct command_graph *graph);
/* Clocks ascend and are of commands that there are; states agree with when commands began and ended; each
 * chain that is spare is so once. */
void command_graph_check(const struct command_graph *graph);

/* The facts of ENQUEUED for a command; NULL when it is forgotten or no command. */
struct command_facts {
    const char *call;
    uint32_t queue, device, batch;
    const struct enqueuer *enqueuer;
    uint32_t thread; /* 1 + number of the host's thread; 0: not known, or as_one */
    bool asked;      /* the host was reported that it is complete, by a query */
};
const struct command_facts *command_graph_facts(const struct command_graph *graph, uint32_t command);

#endif
