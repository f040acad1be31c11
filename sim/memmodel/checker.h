/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The memory-model checker: an observer that finds data races and misused atomics
 *          inside a kernel launch (OpenCL 2.2 API, 3.3.4 to 3.3.6), whatever interleaving ran
 *          and however many work-groups are resident.
 *
 * Parts    order.h      who knows what of whom: ticks, barriers, fences, atomics, copies
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

#include "doubt.h"

/* Before or behind a line, of the site's file: the site's, or another one, between which and the site no statement ends. Of the two
 * sites the one with number `first` comes first. Branches: behind the site, on its line, and what comes next on the following lines
 * may be the branch's. Braces: the line is what a loop without braces repeats. */
struct code_place { uint32_t site, line; bool before; int first; bool branches, braces; };

/* Where a fence fits that comes before an operation, or behind it, and is on the same side of an access as it. BETWEEN: the two are on
 * one line; LOOP: behind the loop that the operation is in; NOWHERE: no place would do. Of the site's file; braces: what is there is all that an if or a loop without braces has. */
struct fence_place { enum { FENCE_BEFORE, FENCE_BEHIND, FENCE_BETWEEN, FENCE_LOOP, FENCE_NOWHERE } side; uint32_t site, line; bool braces; };

/* How two sites stand in the code. Entwined: of one statement over several lines, or of one that calls who does one of them; the
 * other is at `statement`. Parted: every work-item of a work-group that comes to one of them comes by once between the two, whether
 * a line ends there or not. Branched: in no loop, and some work-items may come by neither one nor what is between. */
struct code_order { int first; bool entwined, parted, branched; uint32_t statement; };

/* What the checker asks of those who know programs. Valid while the launch runs. */
struct checker_host {
    void *self;
    void (*place)(void *self, uint32_t site, struct source_place *out_place);
    /* What the code says of an instruction: its place, who called the function, the type of the value, its scope. NULL: nobody knows more than place. */
    void (*access)(void *self, uint32_t site, struct finding_access *out_access);
    const char *(*what)(void *self, uint32_t site);               /* "plain store" */
    void (*object)(void *self, uint64_t address, char *out_name, size_t size);
    /* NULL, or: a place between statements that every work-item of a work-group that does something at one of the two sites comes by
     * once, behind all that it does at one of them and before all at the other. */
    bool (*between)(void *self, uint32_t a, uint32_t b, struct code_place *out_place);
    /* The same in a loop, for two accesses behind a barrier at `since` (0: behind none) and before the next one of their
     * work-group: a place that every work-item comes by in each turn, which is behind the one and before the other. NULL, or. */
    bool (*in_turn)(void *self, uint32_t a, uint32_t b, uint32_t since, struct code_place *out_place);
    /* NULL, or: the same where nobody waits in the loop, of an access at `a` and one in a later turn at `b`: all of the work-group
     * go round equally often. */
    bool (*next_turn)(void *self, uint32_t a, uint32_t b, struct code_place *out_place);
    /* NULL, or: two places where all of the work-group come by in each turn, and go round equally often: the one between the two
     * within a turn, the other between a turn and the next. */
    bool (*each_turn)(void *self, uint32_t a, uint32_t b, struct code_place out_places[2]);
    /* NULL, or: whoever has been at `a`, in a loop, comes by that place in the same turn, and `b` is behind the loop. */
    bool (*last_turn)(void *self, uint32_t a, const struct code_place *place, uint32_t b);
    /* NULL, or: whatever a work-item does at `a`, it does before all that it does at `b`. */
    bool (*precedes)(void *self, uint32_t a, uint32_t b);
    /* NULL, or: a work-group or sub-group function that is no barrier, which every work-item comes by once, between the two. */
    bool (*collective)(void *self, uint32_t a, uint32_t b, uint32_t *out_site);
    bool (*steers)(void *self, uint32_t site);                    /* NULL, or: does a branch depend on what is read there? */
    bool (*decides)(void *self, uint32_t a, uint32_t b);          /* NULL, or: and who has read at `a` may not come by `b` */
    bool (*awaits)(void *self, uint32_t a, uint32_t b);           /* NULL, or: and `a` is in a loop that is over before `b` */
    /* NULL, or: false where nothing is known of the code. */
    bool (*beside)(void *self, uint32_t operation, uint32_t access, bool behind, struct fence_place *out_place);
    bool (*order)(void *self, uint32_t a, uint32_t b, struct code_order *out_order); /* NULL, or: false where it is not known */
    uint32_t (*opencl_c)(void *self);                             /* NULL, or: the version of the kernel's language, 102 is 1.2; 0: not known */
};
enum { CHECKER_NAME_CHARS = 256 };

struct footprint_sink;

struct checker;
struct checker *checker_new(const struct memory *memory, struct report *report, const struct scenario *scenario,
                            const struct checker_host *host); /* NULL: no memory */
void checker_free(struct checker *checker);
bool checker_failed(const struct checker *checker); /* it ran out of memory, and said so: races may be missing */
void checker_observer(struct checker *checker, struct observer *out_observer);
void checker_rest(struct checker *checker); /* packs its atomic objects, as it does when there are many */
void checker_want(struct checker *checker, const struct checker *other); /* it looks for what the other does, whatever the scenario says by now */
void checker_accompany(struct checker *checker); /* another launch runs beside the one it hears */
void checker_ask(struct checker *checker, const struct doubts *doubts); /* before it says that accesses of its launch race; NULL: nobody. Borrowed */
/* A launch that runs beside its own writes: what was released there ends (R8). */
void checker_hear_other(struct checker *checker, const struct access_event *event);
uint64_t checker_tick(const struct checker *checker); /* how far its order has counted */
void checker_forgo_history(struct checker *checker); /* as if the history were full: races are found, and less is said of them */
void checker_starve(struct checker *checker); /* as if there were no memory for what somebody knows: it ends, and judges nothing more */
void checker_hurry(struct checker *checker, uint64_t most); /* so much work, at most, to look for the edits that order a race */
void checker_count_races(struct checker *checker, uint64_t enough); /* of two places of the program, before "at least" will do */
const uint64_t *checker_ways(const struct checker *checker); /* how often each of ways.h was taken, in launches that have ended */
/* Hears of each launch that ends; borrowed. */
void checker_set_sink(struct checker *checker, const struct footprint_sink *sink);

#endif
