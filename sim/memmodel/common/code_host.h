/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The checker's queries about the code of the kernel that runs: the place of an
 *          instruction, which of two comes first, and where a barrier or a fence would fit.
 *          The device implements them (sim/device/launch_places.c); the checker has no program.
 *
 * A site is the number of an instruction (access_event.site).
 */
#ifndef ORRERY_SIM_MEMMODEL_COMMON_CODE_HOST_H
#define ORRERY_SIM_MEMMODEL_COMMON_CODE_HOST_H

#include "orrery/memory.h"
#include "orrery/report.h"

/* Before or after a line, of the site's file: the site's, or another one, between which and the site no
 * statement ends. Of the two sites the one with number `first` comes first. Branches: after the site, on its
 * line, and what comes next on the following lines may be the branch's. Braces: the line is what a loop
 * without braces repeats. */
struct code_place {
    uint32_t site, line;
    bool before;
    int first;
    bool branches, braces;
};

/* A place for a fence that is before an operation, or after it, and is on the same side of an access as it.
 * BETWEEN: the two are on one line; LOOP: after the loop that the operation is in; NOWHERE: no place would
 * do. Of the site's file; braces: the operation is the only statement of an if or a loop without braces. */
struct fence_place {
    enum { FENCE_BEFORE, FENCE_AFTER, FENCE_BETWEEN, FENCE_LOOP, FENCE_NOWHERE } side;
    uint32_t site, line;
    bool braces;
};

/* How two sites stand in the code. Entwined: of one statement over several lines, or of one that calls the
 * function of one of them; the other is at `statement`. Parted: every work-item of a work-group that reaches
 * one of them executes a place between the two once, whether a line ends there or not. Branched: in no loop,
 * and some work-items may reach neither one nor the place between. */
struct code_order {
    int first;
    bool entwined, parted, branched;
    uint32_t statement;
};

enum { NOT_GIVEN = -1, CODE_STATEMENT_CHARS = 128 };
enum { CODE_EDITS_MOST = 6, CODE_TEXT_CHARS = 400, CODE_OLD_CHARS = 60 };

/* Text in place of what stands from one place of a file up to another one, which is not part of it. */
struct code_edit {
    uint32_t line, column, end_line, end_column;
    char text[CODE_TEXT_CHARS], old[CODE_OLD_CHARS]; /* old: what stands there; "": it is long */
};

/* A change of the code, in the terms of the fix search; the text of the source gives the edits. */
struct code_change {
    enum code_change_kind {
        CHANGE_STATEMENT, /* `text`, a call, as a statement beside `site`, on the side of `place` */
        CHANGE_WAIT,      /* likewise, a wait for the event of the copy at `other` */
        CHANGE_CALL,      /* the call at `site` gets what is given of name (text), flags, orders, scope */
        CHANGE_STORE,     /* an atomic store with order and scope instead of the plain one */
        CHANGE_LOAD,
        CHANGE_BUFFER, /* the write at `site` goes to the other buffer than the read at `other` */
        CHANGE_MOVE    /* the statement of `site` goes before (place.side) or after that of `other` */
    } kind;
    uint32_t site, other;
    struct fence_place place;
    uint32_t regions;                /* flags: 1 << region; 0: as they are */
    int order, failure, scope;       /* enums; NOT_GIVEN: as they are */
    bool local;                      /* the object's address space is local, else global */
    char text[CODE_STATEMENT_CHARS]; /* "": as it is */
};

/* UNKNOWN: there is no source, or its compilation is not known. */
enum code_builds { BUILDS_UNKNOWN, BUILDS_NOT, BUILDS };

/* An atomic update in place of a read and a write of one object, or other edits of which there are no more
 * words. */
struct code_rewrite {
    char function[64]; /* "atomic_add", or "a compare-exchange loop (atomic_cmpxchg)"; "" */
    /* several of it have one result in whatever order, or only the first one has an effect */
    bool commutes;
    uint32_t edit_count;
    struct code_edit edits[CODE_EDITS_MOST]; /* they do not overlap */
};

/* The checker's queries to the owner of programs. Valid while the launch runs. */
struct checker_host {
    void *self;
    void (*place)(void *self, uint32_t site, struct source_place *out_place);
    /* An instruction in the code: its place, the caller of the function, the type of the value, its scope.
     * NULL: only the place is known. */
    void (*access)(void *self, uint32_t site, struct finding_access *out_access);
    const char *(*what)(void *self, uint32_t site); /* "plain store" */
    void (*object)(void *self, uint64_t address, char *out_name, size_t size);
    /* NULL, or: the bytes at the address as an element of their object, "c[3].w[1]"; "": an index at most */
    void (*element)(void *self, uint64_t address, uint64_t bytes, char *out_name, size_t size);
    /* NULL, or: a place between statements that every work-item of a work-group that executes one of the two
     * sites reaches once, after all its executions of one of them and before all of the other. */
    bool (*between)(void *self, uint32_t a, uint32_t b, struct code_place *out_place);
    /* The same in a loop, for two accesses after a barrier at `since` (0: after none) and before the next one
     * of their work-group: a place that every work-item reaches in each iteration, which is after the one and
     * before the other. NULL, or. */
    bool (*in_iteration)(void *self, uint32_t a, uint32_t b, uint32_t since, struct code_place *out_place);
    /* NULL, or: the same if the loop has no wait, of an access at `a` and one in a later iteration at `b`:
     * all of the work-group iterate equally often. */
    bool (*next_iteration)(void *self, uint32_t a, uint32_t b, struct code_place *out_place);
    /* NULL, or: two places that all of the work-group reach in each iteration, and iterate equally often: the
     * one between the two within an iteration, the other between an iteration and the next. */
    bool (*each_iteration)(void *self, uint32_t a, uint32_t b, struct code_place out_places[2]);
    /* NULL, or: every work-item that has executed `a`, in a loop, reaches that place in the same iteration,
     * and `b` is after the loop. */
    bool (*last_iteration)(void *self, uint32_t a, const struct code_place *place, uint32_t b);
    /* NULL, or: whatever a work-item does at `a`, it does before all that it does at `b`. */
    bool (*precedes)(void *self, uint32_t a, uint32_t b);
    /* NULL, or: a work-group or sub-group function that is no barrier, which every work-item reaches once,
     * between the two. */
    bool (*collective)(void *self, uint32_t a, uint32_t b, uint32_t *out_site);
    /* NULL, or: does a branch depend on what is read there? */
    bool (*controls_branch)(void *self, uint32_t site);
    /* NULL, or: and a work-item that has read at `a` may not reach `b` */
    bool (*decides)(void *self, uint32_t a, uint32_t b);
    /* NULL, or: and `a` is in a loop that is over before `b` */
    bool (*spins_on)(void *self, uint32_t a, uint32_t b);
    /* NULL, or: false if nothing is known of the code. */
    bool (*beside)(void *self, uint32_t operation, uint32_t access, bool past, struct fence_place *out_place);
    /* NULL, or: false if it is not known */
    bool (*order)(void *self, uint32_t a, uint32_t b, struct code_order *out_order);
    /* NULL, or: the version of the kernel's language, 102 is 1.2; 0: not known */
    uint32_t (*opencl_c)(void *self);
    /* NULL, or: a store, and the first load of the same address that it depends on; `site` is it, or such
     * a load. False: it is none. */
    bool (*update)(void *self, uint32_t site, uint32_t *out_load, uint32_t *out_store);
    /* NULL, or: the source's text with one atomic update instead of them. False: its form is not supported,
     * or there is no source. */
    bool (*rewrite)(void *self, uint32_t load, uint32_t store, bool local, bool one_group,
                    struct code_rewrite *out_rewrite);
    /* NULL, or: does the source with those edits compile? They are of the site's file. */
    enum code_builds (*builds)(void *self, uint32_t site, const struct code_edit *edits, uint32_t count);
    /* NULL, or: does an access and a later write go to one of two buffers that alternate, if the other one
     * would do? Its name. */
    bool (*other_buffer)(void *self, uint32_t first, uint32_t later, char *out_name, size_t size);
    /* NULL, or: adds the edits that make a change to *rewrite. False: the source has no text for it. */
    bool (*change)(void *self, const struct code_change *change, struct code_rewrite *rewrite);
    /* NULL, or: all of a work-group execute it, or none does, whatever memory has */
    bool (*uniform)(void *self, uint32_t site);
    /* NULL, or: no condition of a loop that it is in differs between work-items */
    bool (*even)(void *self, uint32_t site);
};
enum { CHECKER_NAME_CHARS = 256 };

#endif
