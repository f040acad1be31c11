/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  A debugger's questions to one checker (include/orrery/inquiry.h), from its order and its shadow.
 *
 * Interface
 *   checker_why      each access that is kept for the bytes, and how it stands to a read and a write by the
 *                    lane. Both go through the checks of any access, which changes the state: only a copy of
 *                    the process may query it.
 *   checker_clocks   up to where what other work-items did happens before what the lane does next; likewise
 *   checker_epoch    the epoch of an access that the checker has not processed yet
 *   checker_before   which of the earlier epochs happen before the unit's next access
 *   inquiry_world    the operations of the launch so far, for edges.h
 *   inquiry_end, inquiry_edge   an operation of a unit, and an edge, as a result has them
 */
#ifndef ORRERY_SIM_MEMMODEL_CHECKER_INQUIRY_H
#define ORRERY_SIM_MEMMODEL_CHECKER_INQUIRY_H

#include "checker_state.h"
#include "sim/memmodel/explain/edges.h"
#include "orrery/inquiry.h"

enum inquiry_answer checker_why(struct checker *checker, const struct race_inquiry *inquiry,
                                const struct inquiry_sink *sink);
enum inquiry_answer checker_clocks(struct checker *checker, const struct race_inquiry *inquiry,
                                   const struct inquiry_sink *sink);

enum inquiry_answer checker_epoch(struct checker *checker, const struct inquiry_actor *actor,
                                  struct inquiry_epoch *out_epoch);
enum inquiry_answer checker_before(struct checker *checker, const struct inquiry_actor *actor, bool local,
                                   const struct inquiry_epoch *epochs, uint32_t count, bool *out_before);

/* The texts of an edge. */
struct inquiry_edge_text {
    struct wording from, to;
};
struct edges_world inquiry_world(const struct checker *checker, int region);
void inquiry_end(const struct checker *checker, struct edge_end at, struct wording *text,
                 struct inquiry_end *out_end);
void inquiry_edge(const struct checker *checker, const struct edge *edge, struct inquiry_edge_text *text,
                  struct inquiry_edge *out_edge);

#endif
