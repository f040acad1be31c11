/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The checker's queries about the code of the running kernel: where an instruction stands, which of
 *          two comes first, where a barrier or a fence would fit, and how the source reads with an edit. The
 *          checker has no program; the device implements the queries (sim/device/launch_places.c).
 *
 * A site is the number of an instruction (access_event.site). A member of struct checker_host whose comment
 * begins with "Optional" may be NULL: then its answer is not known, and the checker does without.
 *
 * Interface
 *   CODE_ASK                            asks a query that may be missing
 *   code_source                         where an instruction stands
 *   code_same_line, code_same_place     are two instructions on one line, at one column?
 */
#ifndef ORRERY_SIM_MEMMODEL_COMMON_CODE_HOST_H
#define ORRERY_SIM_MEMMODEL_COMMON_CODE_HOST_H

#include <string.h>

#include "orrery/memory.h"
#include "orrery/report.h"

/* A place before or after a line of the site's file, such that no statement ends between the site and the
 * place. first: which of the two sites that were asked for comes first. branches: a branch begins on the
 * site's line, after the site, so the lines that follow may belong to it. braces: the line is the only
 * statement of a loop without braces. */
struct code_place {
    uint32_t site, line;
    bool before;
    int first;
    bool branches, braces;
};

/* A place for a fence next to an operation, on the same side of an access as the operation. BETWEEN:
 * operation and access are on one line; LOOP: after the loop around the operation; NOWHERE: there is no
 * such place. It is of the site's file. braces: the operation is the only statement of an if or a loop
 * without braces. */
struct fence_place {
    enum { FENCE_BEFORE, FENCE_AFTER, FENCE_BETWEEN, FENCE_LOOP, FENCE_NOWHERE } side;
    uint32_t site, line;
    bool braces;
};

/* The order of two sites in the code. entwined: they are of one statement over several lines, or one is in
 * a function that the statement of the other one, `statement`, calls. parted: every work-item of a
 * work-group that reaches one of them executes a place between the two once, whether or not a line ends
 * there. branched: they are in no loop, and some work-items may reach neither a site nor the place
 * between. */
struct code_order {
    int first;
    bool entwined, parted, branched;
    uint32_t statement;
};

enum { NOT_GIVEN = -1, CODE_STATEMENT_CHARS = 128 };
enum { CODE_EDITS_MOST = 6, CODE_TEXT_CHARS = 400, CODE_OLD_CHARS = 60 };

/* A text in place of what stands from a line and column up to an end, which is not included. */
struct code_edit {
    uint32_t line, column, end_line, end_column;
    char text[CODE_TEXT_CHARS], old[CODE_OLD_CHARS]; /* old: what stands there; "": it is too long */
};

/* A change of the code in the terms of the fix search; `change` of struct checker_host turns it into
 * edits. */
struct code_change {
    enum code_change_kind {
        CHANGE_STATEMENT, /* `text`, a call, becomes a statement at `place` */
        CHANGE_WAIT,      /* likewise a wait for the event of the copy at `other` */
        /* the call at `site` gets those of name (text), flags, orders and scope that are given */
        CHANGE_CALL,
        CHANGE_STORE, /* an atomic store with order and scope replaces the plain one */
        CHANGE_LOAD,
        /* the write at `site` goes to the other one of the two buffers than the read at `other` */
        CHANGE_BUFFER,
        CHANGE_MOVE /* the statement of `site` moves before (place.side) or after that of `other` */
    } kind;
    uint32_t site, other;
    struct fence_place place;
    uint32_t regions;                /* flags, bit 1 << region; 0: unchanged */
    int order, failure, scope;       /* enums; NOT_GIVEN: unchanged */
    bool local;                      /* the atomic object is in local memory, else in global memory */
    char text[CODE_STATEMENT_CHARS]; /* "": unchanged */
};

/* UNKNOWN: there is no source, or it is not known how it was compiled. */
enum code_builds { BUILDS_UNKNOWN, BUILDS_NOT, BUILDS };

/* An atomic update that replaces a read and a write of one object; or edits of another kind, with an empty
 * `function`. */
struct code_rewrite {
    char function[64]; /* "atomic_add", or "a compare-exchange loop (atomic_cmpxchg)"; "" */
    /* several such updates give the same result in every order, or only the first one has an effect */
    bool commutes;
    uint32_t replaced_line; /* of a statement that a new one replaces; 0: none */
    uint32_t edit_count;
    struct code_edit edits[CODE_EDITS_MOST]; /* they do not overlap */
};

/* The checker's queries to the owner of programs. They may be made while the launch runs. */
struct checker_host {
    void *self;
    void (*place)(void *self, uint32_t site, struct source_place *out_place);
    /* Optional. An instruction in the code: its place, the caller of the function, the type of the value,
     * its scope. */
    void (*access)(void *self, uint32_t site, struct finding_access *out_access);
    const char *(*what)(void *self, uint32_t site); /* "plain store" */
    void (*object)(void *self, uint64_t address, char *out_name, size_t size);
    /* Optional. The bytes at the address as an element of their object, "c[3].w[1]"; "": there is at most
     * an index. */
    void (*element)(void *self, uint64_t address, uint64_t bytes, char *out_name, size_t size);
    /* Optional. A place between statements that every work-item of a work-group which executes one of the
     * two sites reaches once: after all its executions of one site and before all of the other. */
    bool (*between)(void *self, uint32_t a, uint32_t b, struct code_place *out_place);
    /* Optional. The same in a loop, for two accesses between a barrier at `since` (0: none) and the next
     * one of their work-group: a place that every work-item reaches in each iteration, after the one
     * access and before the other. */
    bool (*in_iteration)(void *self, uint32_t a, uint32_t b, uint32_t since, struct code_place *out_place);
    /* Optional. The same in a loop without a barrier, for an access at `a` and one in a later iteration at
     * `b`, where all of the work-group iterate equally often. */
    bool (*next_iteration)(void *self, uint32_t a, uint32_t b, struct code_place *out_place);
    /* Optional. Two places that all of the work-group reach in each iteration, where all iterate equally
     * often: the one between the two sites within an iteration, the other between an iteration and the
     * next. */
    bool (*each_iteration)(void *self, uint32_t a, uint32_t b, struct code_place out_places[2]);
    /* Optional. Does every work-item that has executed `a`, in a loop, reach that place in the same
     * iteration, with `b` after the loop? */
    bool (*last_iteration)(void *self, uint32_t a, const struct code_place *place, uint32_t b);
    /* Optional. Does a work-item do everything at `a` before everything at `b`? */
    bool (*precedes)(void *self, uint32_t a, uint32_t b);
    /* Optional. A work-group or sub-group function that is no barrier, which every work-item reaches once
     * between the two sites. */
    bool (*collective)(void *self, uint32_t a, uint32_t b, uint32_t *out_site);
    /* Optional. Does a branch depend on the value read there? */
    bool (*controls_branch)(void *self, uint32_t site);
    /* Optional. Does a loop read there until another unit has written a value? */
    bool (*waits)(void *self, uint32_t site);
    /* Optional. Does it do so where the work-item itself writes later, as to take a lock? */
    bool (*takes)(void *self, uint32_t site);
    /* Optional. Does a branch depend on the value read at `a`, so that a work-item that has read it may not
     * reach `b`? */
    bool (*decides)(void *self, uint32_t a, uint32_t b);
    /* Optional. The same, and `a` is in a loop that ends before `b`. */
    bool (*spins_on)(void *self, uint32_t a, uint32_t b);
    /* Optional. A place for a fence beside the operation: after it if `past`, else before it. False:
     * nothing is known of the code. */
    bool (*beside)(void *self, uint32_t operation, uint32_t access, bool past, struct fence_place *out_place);
    /* Optional. False: it is not known. */
    bool (*order)(void *self, uint32_t a, uint32_t b, struct code_order *out_order);
    /* Optional. The version of the kernel's language, 102 for 1.2; 0: not known. */
    uint32_t (*opencl_c)(void *self);
    /* Optional. A store, and the first load of the same address on which it depends; `site` is the store
     * or such a load; or a load and a store that may be one exchange. False: there is no such pair. */
    bool (*update)(void *self, uint32_t site, uint32_t *out_load, uint32_t *out_store);
    /* Optional. The edits that make one atomic update of a load and a store. False: the form is not
     * supported, or there is no source. */
    bool (*rewrite)(void *self, uint32_t load, uint32_t store, bool local, bool one_group,
                    struct code_rewrite *out_rewrite);
    /* Optional. Does the source compile with these edits of the site's file? */
    enum code_builds (*builds)(void *self, uint32_t site, const struct code_edit *edits, uint32_t count);
    /* Optional. Do an access and a later write go to one of two buffers that alternate, where the other
     * one would do? Its name. */
    bool (*other_buffer)(void *self, uint32_t first, uint32_t later, char *out_name, size_t size);
    /* Optional. Adds the edits that make the change to *rewrite. False: the source has no text for it. */
    bool (*change)(void *self, const struct code_change *change, struct code_rewrite *rewrite);
    /* Optional. Does all of a work-group execute the site, or none of it, whatever values memory has? */
    bool (*uniform)(void *self, uint32_t site);
    /* Optional. Does no condition of the loops around the site differ between work-items? */
    bool (*even)(void *self, uint32_t site);
    /* Optional. Is the site a plain access of one address, which does not depend on the work-item or on
     * memory, and no half of an update, and does all of a work-group execute it, as `uniform` has it? */
    bool (*same_for_all)(void *self, uint32_t site);
};
enum { CHECKER_NAME_CHARS = 256 };

/* The answer to an optional query; false: it is not known. */
#define CODE_ASK(host, query, ...) ((host)->query && (host)->query((host)->self, __VA_ARGS__))

static inline struct source_place code_source(const struct checker_host *host, uint32_t site)
{
    struct source_place place;
    host->place(host->self, site, &place);
    return place;
}

/* Are the two instructions on one line of one file? */
static inline bool code_same_line(const struct checker_host *host, uint32_t a, uint32_t b)
{
    const struct source_place x = code_source(host, a), y = code_source(host, b);
    const bool same_file = x.file == y.file || (x.file && y.file && strcmp(x.file, y.file) == 0);
    return a == b || (x.line && x.line == y.line && same_file);
}

/* Likewise at one place? Calls are inlined, so one place of the source may be several instructions. */
static inline bool code_same_place(const struct checker_host *host, uint32_t a, uint32_t b)
{
    return code_same_line(host, a, b) && code_source(host, a).column == code_source(host, b).column;
}

#endif
