/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The memory-model checker: an observer that finds data races and misused atomics
 *          inside a kernel launch (OpenCL 2.2 API, 3.3.4 to 3.3.6), whatever interleaving ran
 *          and however many work-groups are resident.
 *
 * Parts    order.h      the vector clocks: clock values, barriers, fences, atomics, copies
 *          shadow.h     the last accesses of every byte, exactly
 *          race.h       two accesses that race, as a finding with its reason
 *          misuse.h     atomics and fences that break a rule by themselves
 *          footprint.h  what a launch touched, for the rules between commands
 *
 * Ownership  The checker borrows memory, report, scenario and host. All calls come from the
 *            thread that executes commands.
 */
#ifndef ORRERY_MEMMODEL_CHECKER_H
#define ORRERY_MEMMODEL_CHECKER_H

#include "orrery/memory.h"
#include "orrery/report.h"

#include "sim/memmodel/common/code_host.h"
#include "sim/memmodel/common/order_query.h"

struct footprint_sink;

struct checker;
struct checker *checker_new(const struct memory *memory, struct report *report,
                            const struct scenario *scenario,
                            const struct checker_host *host); /* NULL: no memory */
void checker_free(struct checker *checker);
/* it ran out of memory and reported that: races may be missing */
bool checker_failed(const struct checker *checker);
void checker_observer(struct checker *checker, struct observer *out_observer);
void checker_pack_atomics(
    struct checker *checker); /* packs its atomic objects, as it does when there are many */
/* enables the same checks as the other's, even if the scenario has changed since */
void checker_want(struct checker *checker, const struct checker *other);
void checker_accompany(struct checker *checker); /* another launch runs meanwhile, and may change memory */
/* asked before accesses of its launch are reported as a race; NULL: none. Borrowed */
void checker_set_order_queries(struct checker *checker, const struct order_queries *order_queries);
/* A launch that runs meanwhile has written: release sequences there end (R8). */
void checker_receive_other(struct checker *checker, const struct access_event *event);
uint64_t checker_clock(const struct checker *checker); /* the latest clock value of its order */
/* as if the sync log were full: races are found, but explained in less detail */
void checker_forgo_sync_log(struct checker *checker);
/* as if there were no memory for vector clocks: it reports no more races */
void checker_run_out_of_memory(struct checker *checker);
/* limits the work of searching a fix for one race */
void checker_hurry(struct checker *checker, uint64_t most);
/* races of a pair of sites that are counted exactly; past that "at least" is reported */
void checker_count_races(struct checker *checker, uint64_t enough);
/* accesses to one allocation that no filter takes, before a note says why the run is slow */
void checker_note_after(struct checker *checker, uint64_t accesses);
uint64_t checker_compared(const struct checker *checker); /* pairs of accesses compared so far */
/* how often each of fast_path.h was taken, in launches that have ended */
const uint64_t *checker_fast_paths(const struct checker *checker);
/* Receives each launch that ends; borrowed. */
void checker_set_sink(struct checker *checker, const struct footprint_sink *sink);

#endif
