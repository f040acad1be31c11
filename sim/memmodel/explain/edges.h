/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Which logged operations of a launch synchronise with each other (R8, R11 to R19 of the memory
 *          model), and by which synchronises-with edges one access happens before another.
 *
 * Interface
 *   edges_synchronise   is there an edge from one operation to another?
 *   edges_into          the latest operation of another unit that synchronises with this one
 *   edges_out_of        the first operation of another unit that this one synchronises with
 *   edges_unit_place          the work-group, sub-group and device of a work-item
 *   edges_path          the edges from what a unit does after some sync operation to another unit, in the
 *                       order in which they are passed; malloc'd. NULL and count 0: no path, or out of memory
 *
 * Edges     An edge leads from the operation that releases to the one that acquires. Where a fence
 *           releases, it is the fence and not the store after it. Between two work-items that wait at one
 *           barrier the edge leads from the barrier to itself.
 * Effort    Each function takes its steps from world->work. At 0 it stops and has found nothing.
 * Limits    Asynchronous copies have no edges: no operation of a work-item synchronises with them.
 * Ownership The log and the launch are borrowed.
 */
#ifndef ORRERY_SIM_MEMMODEL_EXPLAIN_EDGES_H
#define ORRERY_SIM_MEMMODEL_EXPLAIN_EDGES_H

#include "sim/memmodel/order/sync_log.h"
#include "sim/memmodel/order/order.h"

struct edges_world {
    const struct launch_info *launch;
    enum scope_rule rule;
    int region; /* of the bytes that are to be ordered */
    const struct sync_op *items;
    uint32_t count;
    uint64_t work; /* log entries that may still be looked at */
};

/* An operation of the log, as executed by one unit: all members of a group execute a barrier. */
struct edge_end {
    uint64_t unit;
    uint32_t at; /* index into items */
};
struct edge {
    struct edge_end from, to;
};

struct place edges_unit_place(const struct launch_info *launch, uint64_t unit);
bool edges_synchronise(struct edges_world *world, const struct edge *edge);
bool edges_into(struct edges_world *world, struct edge_end to, struct edge_end *out_from);
bool edges_out_of(struct edges_world *world, struct edge_end from, struct edge_end *out_to);
struct edge *edges_path(struct edges_world *world, struct edge_end from, uint64_t to, uint32_t *out_count);

#endif
