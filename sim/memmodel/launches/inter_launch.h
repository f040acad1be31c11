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
 *   cross_launch_new/free    borrows memory
 *   cross_launch_order       takes every order event, from any thread
 *   cross_launch_begin       a launch begins: is it to be checked?
 *   cross_launch_observer    the observer for it then
 *   cross_launch_received       the launch's checker has received the same, and reached that clock value
 *   cross_launch_settles     do others order two accesses of a launch that it does not?
 *   cross_launch_enqueue     a work-item of such a launch enqueues a kernel or a marker, by the launch's call
 *                            of that number
 *   cross_launch_packets     a work-item of such a launch moves packets of a pipe, or tries to
 *   cross_launch_command     what commands touch that are no launches
 *   cross_launch_predecessor       the accesses of commands that were not checked, and happen before one
 *                                  which now is
 *   cross_launch_end_command a command has ended: hands over the races of pairs of which both have
 *   cross_launch_end_family  kernels that enqueued each other have: hands over the races between them
 *   cross_launch_judges      are the races of two commands known access by access?
 *   cross_launch_blind       nothing is found, until all are complete for the host
 *   cross_launch_lost        memory was out once: races may be missing
 *   cross_launch_finding     the texts of a finding on a race, but for the units of the accesses
 *   cross_launch_action      an action of a kernel
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

struct cross_launch;
/* NULL: no memory */
struct cross_launch *cross_launch_new(const struct memory *memory, enum scope_rule rule);
void cross_launch_free(struct cross_launch *cross);
void cross_launch_order(struct cross_launch *cross, const struct order_event *event);
bool cross_launch_begin(struct cross_launch *cross, const struct launch_info *launch);
/* a command of the host touches memory */
void cross_launch_command(struct cross_launch *cross, const struct command_event *event);

/* An access of a command that was not checked to one range, or a place of it. Strings are valid during the
 * call. */
struct cross_predecessor {
    uint32_t command, region_id;
    uint32_t site; /* a number for the place; 0: the command is no launch */
    enum access_kind kind;
    uint64_t address, size_bytes;
    bool partial; /* this is not all that it did there */
    const char *kernel, *argument;
    struct source_place place;
};
/* Queried for its predecessors when a command is to be checked: it calls cross_launch_predecessor for all
 * accesses, of commands that cross_launch_is_predecessor for this one, earlier commands first. CROSS_HOST
 * stands for the host, which hands on what it waited for. */
enum { CROSS_HOST = 0 };
struct cross_predecessors {
    void *self;
    void (*report)(void *self, uint32_t command);
};
void cross_launch_set_predecessors(struct cross_launch *cross, const struct cross_predecessors *predecessors);
/* one that is no launch, before cross_launch_command; the host */
bool cross_launch_lacks_predecessors(struct cross_launch *cross, uint32_t command);
bool cross_launch_is_predecessor(struct cross_launch *cross, uint32_t command, uint32_t predecessor);
void cross_launch_predecessor(struct cross_launch *cross, const struct cross_predecessor *predecessor);
void cross_launch_predecessors_over(struct cross_launch *cross, uint32_t command); /* that was all */

void cross_launch_enqueue(struct cross_launch *cross, const struct origin *origin, uint32_t lane,
                          uint32_t number);
struct packets_use;
void cross_launch_packets(struct cross_launch *cross, const struct origin *origin,
                          const struct packets_use *use);
/* It receives each event before the launch's checker does. */
void cross_launch_observer(struct cross_launch *cross, struct observer *out_observer);
void cross_launch_received(struct cross_launch *cross, const struct launch_info *launch, uint64_t clock);
bool cross_launch_settles(struct cross_launch *cross, const struct launch_info *launch,
                          const struct doubt *doubt);

/* One of the two: strings are valid during the call. */
struct cross_side {
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
struct cross_race {
    struct cross_side side[2]; /* in the order in which they came */
    const char *object, *why, *fix;
    uint64_t offset_bytes, count;
    bool by_scope;      /* atomics that do not include each other */
    bool reads_packets; /* of packets, which side */
};
/* report gets each race once, if cross_launch_judges the two commands, or they count as ordered, as two
 * launches of a family do; other races are not reported here. */
enum cross_what { CROSS_MEMORY, CROSS_FINE_MEMORY, CROSS_PACKETS };
struct cross_hearer {
    void *self;
    bool (*counts_as_ordered)(void *self, uint32_t a, uint32_t b, enum cross_what what);
    void (*report)(void *self, const struct cross_race *race);
};
void cross_launch_end_command(struct cross_launch *cross, uint32_t command,
                              const struct cross_hearer *hearer);
void cross_launch_end_family(struct cross_launch *cross, uint32_t family, const struct cross_hearer *hearer);
/* Both commands are checked, in all their accesses: the races between them need no other detector. */
bool cross_launch_judges(struct cross_launch *cross, uint32_t a, uint32_t b);
/* a command is not checked that may have handed on what it acquired */
bool cross_launch_blind(struct cross_launch *cross);
bool cross_launch_lost(struct cross_launch *cross);
void cross_launch_finding(const struct cross_race *race, struct finding *out_finding);
/* --kernel or --launches leaves out one of the two */
bool cross_launch_left_out(const struct cross_race *race, const struct scenario *scenario);
/* "write by a kernel" */
void cross_launch_action(const struct cross_side *side, char *out_text, size_t size);

#endif
