/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  A checker for each launch that runs now; the order between launches is judged by commands.h, from
 *          the footprints they leave.
 *
 * Interface
 *   checkers_new, _free             borrows what checker_new borrows
 *   checkers_observer, _set_sink    as of one checker
 *   checkers_can_number                 whether a launch has few enough work-items for each to be a unit
 *   checkers_why, _clocks, _epoch, _before
 *                                   a debugger's questions
 *   checkers_set_inter_launch       receives launches that may order each other by atomics, too; borrowed
 *
 * Ownership  Checkers are kept from launch to launch; the first serves when launches do not overlap.
 */
#ifndef ORRERY_MEMMODEL_CHECKERS_H
#define ORRERY_MEMMODEL_CHECKERS_H

#include "checker.h"
#include "orrery/inquiry.h"

struct checkers;
struct checkers *checkers_new(const struct memory *memory, struct report *report,
                              const struct scenario *scenario,
                              const struct checker_host *host); /* NULL: no memory */
void checkers_free(struct checkers *checkers);
void checkers_observer(struct checkers *checkers, struct observer *out_observer);
bool checkers_can_number(const uint64_t global_size[3], const uint64_t local_size[3]);
void checkers_set_sink(struct checkers *checkers, const struct footprint_sink *sink);
/* A work-item of a launch enqueues a kernel, which comes after what happens before the call, of fine-grained
 * memory. Returns the number, among the footprint's clock snapshots from 1, of the accesses that do not
 * happen before the call. 0: none is kept. */
uint32_t checkers_enqueue(struct checkers *checkers, const struct origin *origin, uint32_t lane_count,
                          uint32_t lane);
struct packets_use;
/* a work-item reads or writes packets of a pipe */
void checkers_packets(struct checkers *checkers, const struct origin *origin, const struct packets_use *use);
/* A debugger's questions to the checker of the wave's launch: include/orrery/inquiry.h. They change the
 * state: only a copy of the process may query it. */
enum inquiry_answer checkers_why(struct checkers *checkers, const struct race_inquiry *inquiry,
                                 const struct inquiry_sink *sink);
enum inquiry_answer checkers_clocks(struct checkers *checkers, const struct race_inquiry *inquiry,
                                    const struct inquiry_sink *sink);
/* These do not change the state, and may be asked at any time. */
enum inquiry_answer checkers_epoch(struct checkers *checkers, const struct inquiry_actor *actor,
                                   struct inquiry_epoch *out_epoch);
enum inquiry_answer checkers_before(struct checkers *checkers, const struct inquiry_actor *actor, bool local,
                                    const struct inquiry_epoch *epochs, uint32_t count, bool *out_before);
struct inter_launch;
void checkers_set_inter_launch(struct checkers *checkers, struct inter_launch *inter_launch);

#endif
