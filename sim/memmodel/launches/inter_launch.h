/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The inter-launch detector: races between launches that atomics may order (OpenCL 2.2 API, 3.3.6,
 *          and R32 of the memory model). commands.h orders whole commands, and counts two launches that only
 *          atomics may have ordered as ordered. This detector receives all operations of such launches as if
 *          they were one launch, with one order and one shadow. It finds the pairs of accesses without a
 *          release of the one launch and an acquire of the other between them.
 *
 * Interface
 *   inter_launch_new, _free         borrows memory
 *   inter_launch_order              takes every order event, from any thread
 *   inter_launch_begin              a launch begins. True: it is checked, and its events are to be announced
 *   inter_launch_observer           the observer of the launches that are checked
 *   inter_launch_received           the launch's own checker has received the same events, and reached that
 *                                   clock value
 *   inter_launch_orders             do other launches order two accesses that their own launch does not?
 *   inter_launch_enqueue            a work-item of a checked launch enqueues a kernel or a marker, in the
 *                                   launch's call of that number
 *   inter_launch_packets            a work-item of a checked launch reads or writes packets of a pipe,
 *                                   or tries to
 *   inter_launch_command            accesses of a command that is no launch
 *   inter_launch_add_predecessor    accesses of a command that was not checked, and happens before one
 *                                   that is to be checked now
 *   inter_launch_end_command        a command has ended: reports the races of pairs of which both have
 *   inter_launch_end_tree         a launch tree has ended: reports
 *                                   the races between them
 *   inter_launch_decides            are all races between two commands found here, access by access? Or is
 *                                   nothing found until all commands are complete for the host?
 *   inter_launch_lost               memory ran out once, and races may be missing
 *
 * Checked  are these launches:
 *          - with atomics, or with releases or acquires of device scope or wider, that may run beside others
 *            of the context, while there is memory where atomics of several launches are guaranteed, or other
 *            launches are checked;
 *          - that run alone, and release and acquire for the host;
 *          - with struct launch_info's in_launch_tree, and what the launch tree of a checked launch enqueues.
 *          Another launch or command is checked if some checked ones happen before it and others do not, or
 *          if the host may have passed on what was released for it. If one of these cannot be checked (out of
 *          memory, too many), it might pass on what it acquired, unseen. Then nothing is found until all
 *          commands are complete for the host.
 *
 * Predecessors  are commands that ended unchecked and happen before one that is checked, which may pass that
 *          order on. Their accesses are added before it begins; those of commands that the host has waited
 *          for, before a unit acquires from the host.
 *
 * Packets  One side of a pipe is for one kernel at a time (OpenCL 2.2 API, glossary, Pipe). A transfer of
 *          packets counts as an atomic operation on that side whose scope includes its own launch alone.
 *
 * Host     The host's own atomics are not seen. It counts as acquiring at once what is released with
 *          memory_scope_all_svm_devices in shared memory with atomics. From then on it passes that on to each
 *          unit that acquires there with that scope, to what it enqueues, and by user events that it sets. It
 *          passes on what it waited for in the same way.
 *
 * Errors   When memory runs out, the detector finds nothing more until it is reset, and inter_launch_lost is
 *          true.
 *
 * Threads  Each function takes the detector's lock.
 */
#ifndef ORRERY_SIM_MEMMODEL_LAUNCHES_INTER_LAUNCH_H
#define ORRERY_SIM_MEMMODEL_LAUNCHES_INTER_LAUNCH_H

#include "orrery/memory.h"
#include "orrery/report.h"

#include "sim/memmodel/common/order_query.h"

struct inter_launch;
/* NULL: out of memory */
struct inter_launch *inter_launch_new(const struct memory *memory, enum scope_rule rule);
void inter_launch_free(struct inter_launch *detector);
void inter_launch_order(struct inter_launch *detector, const struct order_event *event);
bool inter_launch_begin(struct inter_launch *detector, const struct launch_info *launch);
/* A command of the host accesses memory. */
void inter_launch_command(struct inter_launch *detector, const struct command_event *event);

/* An access of an unchecked command to a range, or a site of it. Strings are valid during the call. */
struct inter_launch_predecessor {
    uint32_t command, region_id;
    uint32_t site; /* a number of the source place; 0: the command is no launch */
    enum access_kind kind;
    uint64_t address, size_bytes;
    bool partial; /* the command did more there than this */
    const char *kernel, *argument;
    struct source_place place;
};
/* Before a command is checked, report() calls inter_launch_add_predecessor for all accesses of each command
 * that inter_launch_next_predecessor returns. INTER_LAUNCH_HOST stands for the host, which passes on what it
 * waited for. */
enum { INTER_LAUNCH_HOST = 0 };
void inter_launch_set_predecessors(struct inter_launch *detector, void *self,
                                   void (*report)(void *self, uint32_t command));
/* Are they wanted of a command that is no launch, before inter_launch_command, or of the host? */
bool inter_launch_wants_predecessors(struct inter_launch *detector, uint32_t command);
/* Of the predecessors that are still to be added, the one that ended first: the caller adds it now. 0: there
 * is none. */
uint32_t inter_launch_next_predecessor(struct inter_launch *detector, uint32_t command);
void inter_launch_add_predecessor(struct inter_launch *detector,
                                  const struct inter_launch_predecessor *predecessor);

void inter_launch_enqueue(struct inter_launch *detector, const struct origin *origin, uint32_t lane,
                          uint32_t number);
struct packets_use;
void inter_launch_packets(struct inter_launch *detector, const struct origin *origin,
                          const struct packets_use *use);
/* It receives each event before the launch's own checker does. */
void inter_launch_observer(struct inter_launch *detector, struct observer *out_observer);
void inter_launch_received(struct inter_launch *detector, const struct launch_info *launch, uint64_t clock);
bool inter_launch_orders(struct inter_launch *detector, const struct launch_info *launch,
                         const struct order_query *query);

/* A race, as a finding whose accesses lack the names of their units: what `side` has of each. Strings are
 * valid during the call. */
struct inter_launch_race {
    struct finding finding; /* the accesses are in the order in which they were done */
    struct inter_launch_side {
        uint32_t command, launch;
        const char *kernel;   /* NULL: a command that is no launch, without site and item */
        const char *argument; /* "argument 0 'data'"; "": not known */
        uint32_t site;        /* as in struct origin */
        bool copy;            /* by an asynchronous copy of the item's work-group */
        char what[120];       /* the finding's text: "write by a kernel"; of a command "write" */
    } side[2];
    bool by_scope;      /* two atomics without inclusive scopes */
    bool packets;       /* the accesses transfer packets of a pipe, */
    bool reads_packets; /* on its reading side */
};
/* report receives each race once, if inter_launch_decides the two commands, or if counts_as_ordered says
 * that no other detector reports them. Other races are reported elsewhere. */
enum inter_launch_what { INTER_LAUNCH_MEMORY, INTER_LAUNCH_FINE_MEMORY, INTER_LAUNCH_PACKETS };
struct inter_launch_reporter {
    void *self;
    bool (*counts_as_ordered)(void *self, uint32_t a, uint32_t b, enum inter_launch_what what);
    void (*report)(void *self, const struct inter_launch_race *race);
};
void inter_launch_end_command(struct inter_launch *detector, uint32_t command,
                              const struct inter_launch_reporter *reporter);
void inter_launch_end_tree(struct inter_launch *detector, uint32_t tree_root,
                           const struct inter_launch_reporter *reporter);
/* DECIDED: both commands are checked with all their accesses, so no other detector has to report races
 * between them. GAVE_UP: a command that may have passed on what it acquired is not checked. */
enum inter_launch_verdict { INTER_LAUNCH_UNDECIDED, INTER_LAUNCH_DECIDED, INTER_LAUNCH_GAVE_UP };
enum inter_launch_verdict inter_launch_decides(struct inter_launch *detector, uint32_t a, uint32_t b);
bool inter_launch_lost(struct inter_launch *detector);
/* --kernel or --launches leaves out one of the two launches. */
bool inter_launch_left_out(const struct inter_launch_race *race, const struct scenario *scenario);

#endif
