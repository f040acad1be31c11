/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Launches that may order each other by atomic operations: which accesses of the one happen before
 *          accesses of the other (OpenCL 2.2 API, 3.3.6, and R32 of the memory model). commands.h orders
 *          whole commands; it counts two launches that only atomics may have ordered as ordered. This
 *          detector receives all operations of such launches as if they were one launch, in one order and one
 *          shadow, and finds the accesses without a release of the one and an acquire of the other between
 *          them.
 *
 * Interface
 *   inter_launch_new, _free         borrows memory
 *   inter_launch_order              takes every order event, from any thread
 *   inter_launch_begin              a launch begins: is it to be checked?
 *   inter_launch_observer           the observer for it then
 *   inter_launch_received           the launch's checker has received the same, and reached that clock value
 *   inter_launch_orders             do others order two accesses of a launch that it does not?
 *   inter_launch_enqueue            a work-item of such a launch enqueues a kernel or a marker, by the
 *                                   launch's call of that number
 *   inter_launch_packets            a work-item of such a launch moves packets of a pipe, or tries to
 *   inter_launch_command            what commands touch that are no launches
 *   inter_launch_add_predecessor    the accesses of commands that were not checked, and happen before one
 *                                   which now is
 *   inter_launch_end_command        a command has ended: hands over the races of pairs of which both have
 *   inter_launch_end_family         kernels that enqueued each other have: hands over the races between them
 *   inter_launch_judges             are the races of two commands known access by access?
 *   inter_launch_blind              nothing is found, until all are complete for the host
 *   inter_launch_lost               memory was out once: races may be missing
 *   inter_launch_finding            the texts of a finding on a race, but for the units of the accesses
 *   inter_launch_action             an action of a kernel
 *
 * Checked  are launches whose code releases or acquires for the device or wider, or has atomics, which may
 *          run beside others of the context, while there is memory where atomics of several launches are
 *          guaranteed or others are checked; likewise those that are alone and release and acquire for the
 *          host; those with struct launch_info's in_launch_tree; and what kernels of the family of one that
 *          is checked enqueue. If one cannot be checked (no memory, too many), nothing is found until all are
 *          complete for the host: it might have handed on what it acquired. Other launches and commands are
 *          checked if some of those that are happen before them, and not all of them, or the host may have
 *          handed on what was released for it.
 * Predecessors   are commands that ended unchecked and happen before one that is checked: it may hand that
 *                on. Their accesses are added before it begins; and those of commands that the host has
 *                waited for, before a unit acquires from the host.
 * Packets  of one side of a pipe are one kernel's at a time (OpenCL 2.2 API, glossary, Pipe): that each
 *          work-item moves some counts as an atomic operation there that is for its own launch alone.
 * Host     acquires at once all that is released with memory_scope_all_svm_devices in shared memory with
 *          atomics, and hands it on to each unit that acquires there with that scope and to what it enqueues,
 *          or sets a user event for, from then on; likewise what it waited for: its own atomics are not seen.
 */
#ifndef ORRERY_SIM_MEMMODEL_LAUNCHES_INTER_LAUNCH_H
#define ORRERY_SIM_MEMMODEL_LAUNCHES_INTER_LAUNCH_H

#include "orrery/memory.h"
#include "orrery/report.h"

#include "sim/memmodel/common/order_query.h"

struct inter_launch;
/* NULL: no memory */
struct inter_launch *inter_launch_new(const struct memory *memory, enum scope_rule rule);
void inter_launch_free(struct inter_launch *detector);
void inter_launch_order(struct inter_launch *detector, const struct order_event *event);
bool inter_launch_begin(struct inter_launch *detector, const struct launch_info *launch);
/* a command of the host touches memory */
void inter_launch_command(struct inter_launch *detector, const struct command_event *event);

/* An access of a command that was not checked to one range, or a place of it. Strings are valid during the
 * call. */
struct inter_launch_predecessor {
    uint32_t command, region_id;
    uint32_t site; /* a number for the place; 0: the command is no launch */
    enum access_kind kind;
    uint64_t address, size_bytes;
    bool partial; /* this is not all that it did there */
    const char *kernel, *argument;
    struct source_place place;
};
/* Queried for its predecessors when a command is to be checked: it calls inter_launch_add_predecessor for all
 * accesses, of commands that inter_launch_is_predecessor for this one, earlier commands first.
 * INTER_LAUNCH_HOST stands for the host, which hands on what it waited for. */
enum { INTER_LAUNCH_HOST = 0 };
struct inter_launch_predecessors {
    void *self;
    void (*report)(void *self, uint32_t command);
};
void inter_launch_set_predecessors(struct inter_launch *detector,
                                   const struct inter_launch_predecessors *predecessors);
/* one that is no launch, before inter_launch_command; the host */
bool inter_launch_lacks_predecessors(struct inter_launch *detector, uint32_t command);
bool inter_launch_is_predecessor(struct inter_launch *detector, uint32_t command, uint32_t predecessor);
void inter_launch_add_predecessor(struct inter_launch *detector,
                                  const struct inter_launch_predecessor *predecessor);
void inter_launch_predecessors_over(struct inter_launch *detector, uint32_t command); /* that was all */

void inter_launch_enqueue(struct inter_launch *detector, const struct origin *origin, uint32_t lane,
                          uint32_t number);
struct packets_use;
void inter_launch_packets(struct inter_launch *detector, const struct origin *origin,
                          const struct packets_use *use);
/* It receives each event before the launch's checker does. */
void inter_launch_observer(struct inter_launch *detector, struct observer *out_observer);
void inter_launch_received(struct inter_launch *detector, const struct launch_info *launch, uint64_t clock);
bool inter_launch_orders(struct inter_launch *detector, const struct launch_info *launch,
                         const struct order_query *query);

/* One of the two: strings are valid during the call. */
struct inter_launch_side {
    uint32_t command, launch, device;
    const char *kernel;   /* NULL: a command that is no launch, which has neither site nor item */
    const char *argument; /* "argument 0 'data'"; "": not known */
    uint32_t site;        /* as in struct origin */
    struct source_place place;
    struct item item;
    bool copy;  /* an asynchronous one, of the item's work-group */
    bool whole; /* whose item is not known */
    enum access_kind kind;
    enum memory_ordering order; /* of atomics */
    enum memory_scope scope;
    uint32_t size_bytes;
    const char *packets; /* "writing of packets"; NULL: it is an access */
};
struct inter_launch_race {
    struct inter_launch_side side[2]; /* in the order in which they came */
    const char *object, *why, *fix;
    uint64_t offset_bytes, count;
    bool by_scope;      /* atomics that do not include each other */
    bool reads_packets; /* of packets, which side */
};
/* report gets each race once, if inter_launch_judges the two commands, or they count as ordered, as two
 * launches of a family do; other races are not reported here. */
enum inter_launch_what { INTER_LAUNCH_MEMORY, INTER_LAUNCH_FINE_MEMORY, INTER_LAUNCH_PACKETS };
struct inter_launch_reporter {
    void *self;
    bool (*counts_as_ordered)(void *self, uint32_t a, uint32_t b, enum inter_launch_what what);
    void (*report)(void *self, const struct inter_launch_race *race);
};
void inter_launch_end_command(struct inter_launch *detector, uint32_t command,
                              const struct inter_launch_reporter *reporter);
void inter_launch_end_family(struct inter_launch *detector, uint32_t family,
                             const struct inter_launch_reporter *reporter);
/* Both commands are checked, in all their accesses: the races between them need no other detector. */
bool inter_launch_judges(struct inter_launch *detector, uint32_t a, uint32_t b);
/* a command is not checked that may have handed on what it acquired */
bool inter_launch_blind(struct inter_launch *detector);
bool inter_launch_lost(struct inter_launch *detector);
void inter_launch_finding(const struct inter_launch_race *race, struct finding *out_finding);
/* --kernel or --launches leaves out one of the two */
bool inter_launch_left_out(const struct inter_launch_race *race, const struct scenario *scenario);
/* "write by a kernel" */
void inter_launch_action(const struct inter_launch_side *side, char *out_text, size_t size);

#endif
