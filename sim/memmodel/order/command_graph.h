/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Happens-before of commands: rules (1) to (12) of the OpenCL 2.2 API, 3.3.6 "Host-side and
 *          Device-side Commands", from order events. Before a command happen: all that happened before the
 *          host's enqueueing call (1), and the commands that it waits for with all before them (2, 3, 5, 6,
 *          7, 12). Before the host's next call: what it waited for (4, 8, 11).
 *
 * Interface
 *   command_graph_new/free
 *   command_graph_order          takes one order event
 *   command_graph_is_after       does `earlier` happen before `later`? Both have begun
 *   command_graph_host_is_after  does the command's end happen before the host's next call?
 *   command_graph_host_passes_on  does it happen before the host's next atomic operation, or before one of a
 *                                function of the program that a command runs?
 *   command_graph_reported       does its end happen before the host's next call, or did a query (5.11)
 *                                report the end, or a native kernel after the command?
 *   command_graph_is_running      has it begun, and not ended? A kernel ends after all that it enqueued
 *   command_graph_in_sequence    did `later` begin when `earlier` had ended? This is about time, and orders
 *                                nothing
 *   command_graph_ended          when it ended, counted in events; 0: it has not, or is forgotten
 *   command_graph_mark, command_graph_is_marked   a mark of the caller's
 *   command_graph_assume         from now on `earlier` counts as before `later`
 *   command_graph_assume_host    from now on what the host's atomics pass on counts as before the command
 *   command_graph_step           the host's step: counts its enqueueing calls, the user events that it set,
 *                                and the ends of commands of which it ran a function
 *   command_graph_seen_step            what the host did below this step happens before the command (1, 12)
 *   command_graph_set_seen_step           from now on that step counts as such
 *   command_graph_first_step     below this step everything happens before every command that is left
 *   command_graph_first          every command below happens before the host's next call and before all that
 *                                have not ended: it is forgotten
 *   command_graph_end            the number after the latest command
 *   command_graph_idle           every command is forgotten
 *   command_graph_check          asserts all invariants
 *   command_graph_exhausted      memory ran out once, and no answer is valid any more
 *
 * Threads    Where events have clocks of the host's threads (struct host_clock), before a command happens
 *            what does before the thread that enqueued it, and what that thread received of the others. The
 *            queries about the host are about all threads together.
 *
 * Clocks     A clock is immutable and shared: a prefix, below which every serial number happens before, and
 *            for some chains the last serial number beyond it. A chain is a sequence of commands, each after
 *            the one before it and enqueued after it. An in-order queue is one chain, so there are about as
 *            many chains as commands that may run side by side.
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
bool command_graph_host_passes_on(const struct command_graph *graph, uint32_t command);
bool command_graph_reported(const struct command_graph *graph, uint32_t command);
bool command_graph_is_running(const struct command_graph *graph, uint32_t command);
bool command_graph_in_sequence(const struct command_graph *graph, uint32_t later, uint32_t earlier);
uint64_t command_graph_ended(const struct command_graph *graph, uint32_t command);
void command_graph_mark(struct command_graph *graph, uint32_t command);
bool command_graph_is_marked(const struct command_graph *graph, uint32_t command);
void command_graph_assume(struct command_graph *graph, uint32_t later, uint32_t earlier);
void command_graph_assume_host(struct command_graph *graph, uint32_t command);
uint32_t command_graph_step(const struct command_graph *graph);
uint32_t command_graph_seen_step(const struct command_graph *graph, uint32_t command);
void command_graph_set_seen_step(struct command_graph *graph, uint32_t command, uint32_t step);
uint32_t command_graph_first_step(const struct command_graph *graph);
uint32_t command_graph_first(const struct command_graph *graph);
uint32_t command_graph_end(const struct command_graph *graph);
bool command_graph_idle(const struct command_graph *graph);
bool command_graph_exhausted(const struct command_graph *graph);
/* Asserts that clocks ascend and name commands that exist; that states agree with when commands began and
 * ended. */
void command_graph_check(const struct command_graph *graph);

/* What the ENQUEUED event said of a command. NULL: it is forgotten, or no command. */
struct command_facts {
    const char *call;
    uint32_t queue, device, batch;
    const struct enqueuer *enqueuer;
    uint32_t thread; /* 1 + number of the host's thread; 0: not known, or the threads count as one */
    bool asked;      /* a query reported that it is complete */
};
const struct command_facts *command_graph_facts(const struct command_graph *graph, uint32_t command);

#endif
