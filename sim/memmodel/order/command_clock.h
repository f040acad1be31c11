/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Vector clocks of commands. They are compressed by chains, whose members happen before each other
 *          in the order of their serial numbers, and by a prefix: every command below it is in the clock.
 *
 * Interface
 *   clock_new_empty, clock_ref, clock_unref   clocks are shared and never changed
 *   clock_replace         the new clock takes the old one's place. False: it is NULL, and the old one stays
 *   clock_has             has the clock the command of that chain?
 *   command_clock_merge   the join of a clock with the commands in `after` that have begun, and their clocks
 *   command_clock_join    the join of two clocks
 *   command_clock_check   the invariants (checked.h)
 *
 * A new clock is the caller's. NULL: out of memory, and the graph is exhausted.
 */
#ifndef ORRERY_SIM_MEMMODEL_COMMAND_CLOCK_H
#define ORRERY_SIM_MEMMODEL_COMMAND_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "orrery/checked.h"
#include "sim/memmodel/common/list.h"

struct command_graph;

struct chain_entry {
    uint32_t chain, serial;
}; /* the members of the chain up to serial */

struct command_clock {
    uint32_t refs;
    uint32_t prefix; /* every command below is in the clock */
    uint32_t count;
    struct chain_entry chains[]; /* ascending by chain; all serials at least prefix */
};

static inline struct command_clock *clock_new_empty(void)
{
    struct command_clock *nothing = calloc(1, sizeof *nothing);
    if (nothing)
        *nothing = (struct command_clock){.refs = 1, .prefix = 1};
    return nothing;
}

static inline struct command_clock *clock_ref(struct command_clock *clock)
{
    CHECKED(!clock || clock->refs > 0);
    if (clock)
        clock->refs++;
    return clock;
}

static inline void clock_unref(struct command_clock *clock)
{
    if (clock && --clock->refs == 0)
        free(clock);
}

static inline bool clock_replace(struct command_clock **clock, struct command_clock *other)
{
    if (!other)
        return false;
    clock_unref(*clock);
    *clock = other;
    return true;
}

static inline bool clock_has(const struct command_clock *clock, uint32_t chain, uint32_t serial)
{
    if (serial < clock->prefix)
        return true;
    uint32_t at;
    bisect(clock->count, at, clock->chains[at].chain >= chain);
    return at < clock->count && clock->chains[at].chain == chain && clock->chains[at].serial >= serial;
}

struct command_clock *command_clock_merge(struct command_graph *graph, struct command_clock *base,
                                          const uint32_t *after, size_t count);
struct command_clock *command_clock_join(struct command_graph *graph, const struct command_clock *a,
                                         const struct command_clock *b);
void command_clock_check(const struct command_graph *graph, const struct command_clock *clock);

#endif
