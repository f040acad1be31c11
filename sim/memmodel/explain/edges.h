/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Which remembered operations of a launch synchronise with each other (R8, R11 to R19 of the memory
 *          model), one edge by one, and by which edges one access happens before another.
 *
 * Interface
 *   edges_synchronise   is there an edge from one operation to another?
 *   edges_into          the latest operation of another unit that synchronises with this one
 *   edges_out_of        the first operation of another unit that this one synchronises with
 *   unit_place          the position of a work-item in its launch
 *   edges_path          the edges that lead from a unit, from some sync operation on, to another one
 *
 * An edge is from the operation that releases (a fence, not the store that publishes its clock) to the one
 * that acquires; between two members of a group that wait at one barrier, from the barrier to itself.
 * Effort    All stop when world->work is used up, and have found nothing then.
 * Unknown   asynchronous copies, which no operation of a work-item synchronises with.
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
    uint64_t work; /* steps that may still be taken */
};

struct edge_end {
    uint64_t unit;
    uint32_t at;
};
struct edge {
    struct edge_end from, to;
};

struct place unit_place(const struct launch_info *launch, uint64_t unit);
bool edges_synchronise(struct edges_world *world, const struct edge *edge);
bool edges_into(struct edges_world *world, struct edge_end to, struct edge_end *out_from);
bool edges_out_of(struct edges_world *world, struct edge_end from, struct edge_end *out_to);
/* In the order in which they were passed; malloc'd. NULL, and none: there is no path, or no memory to find
 * it. */
struct edge *edges_path(struct edges_world *world, struct edge_end from, uint64_t to, uint32_t *out_count);

#endif
