/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Sets of the units that read something, shared by all cells of an allocation that were read in the
 *          same way. Units count from a base that the cell keeps, so that neighbours whose readers are
 *          neighbours have one set.
 *
 * Interface
 *   readers_add      one more for a cell that has one, or a set. `lasting`: the slot stays where it is until
 *                    readers_close. False, and nothing changed: it had better be a list of its own, since the
 *                    same units come again and again. Call readers_room before it
 *   readers_room     false: readers_widen; or, in their room, readers_sweep_begin, readers_mark for each set
 *                    in use and readers_sweep_end forget the others. False: no memory
 *   readers_next     the units of a set: the latest first. False: there is no more, or its launch has ended
 *   readers_part     a cell that has a set became several
 *   readers_close    before cells go or are copied
 *   readers_forget, readers_restart, readers_wear, readers_fini
 *   readers_check    asserts all invariants
 *
 * Sets     A chain of blocks of 64 units that read in one context; equal chains are one. Where units lie
 *          apart and few cells share, a block lists up to seven of them, in as many bits as they need:
 *          LIST_BITS for all, evenly, `width` of each for the unit, from the base, and the rest for the
 *          context, from its origin: the first that any of 64 units there had in a list. Numbers are contexts
 *          of epochs from READERS_FROM on, and are not used again until readers_restart.
 * Memory   24 bytes a block, some 4 more for one that is no list, and 4 for each 64 units. Five or six units
 *          to a list are the rule. Blocks that no cell has are swept when memory runs out.
 */
#ifndef ORRERY_SIM_MEMMODEL_SHADOW_READER_SET_H
#define ORRERY_SIM_MEMMODEL_SHADOW_READER_SET_H

#include <stdbool.h>
#include <stdint.h>

#include "compact_page.h"

enum { READERS_BLOCK = 64, READERS_FROM = 1 << (CONTEXT_BITS - 1) };

enum { LIST_MOST = 7 };

/* what fits into the fields */
#define READER_INDEX_MOST ((UINT32_C(1) << 29) - 1)
#define READER_CONTEXT_MOST ((UINT32_C(1) << CONTEXT_BITS) - 1)

struct reader_block {
    uint32_t before : 29;            /* the set without it, by index */
    uint32_t grown : 3;              /* about how long it is */
    uint32_t listed : 1;             /* one by one; it stands in one chain only, and not among the buckets */
    uint32_t shared : 1;             /* more than one cell may have it */
    uint32_t context : CONTEXT_BITS; /* a list: count, width, and the last of the bits */
    union {
        struct {
            uint32_t chained; /* by hash, or free ones */
            int32_t block;    /* the first is base + block * READERS_BLOCK */
            uint64_t mask;
        };
        uint64_t codes[2];
    };
};

/* rest: the set; left: of a list, one more. */
struct reader_walk {
    uint32_t rest, left;
    int32_t block;
    uint32_t context;
    uint64_t mask, base;
};

struct readers {
    struct reader_block *blocks;
    uint32_t count, room;            /* from index 1 */
    uint32_t *buckets, bucket_count; /* a power of two */
    uint32_t free, used;             /* of those below count */
    /* a block that still grows, not among the chains, and the only cell that has it */
    uint32_t open;
    uint64_t *slot;
    uint64_t *marks; /* while they are swept */
    uint32_t first;  /* numbers of now begin after it */
    uint64_t lists;  /* begun so far */
    /* by units / READERS_BLOCK: a context, and one; set ones are in [low, high) */
    struct {
        uint32_t *first, room, low, high;
    } origins;
    uint32_t alone, met; /* of late: blocks that no cell had, and that some cell had already */
};

bool readers_room(const struct readers *readers);
bool readers_widen(struct readers *readers);
bool readers_sweep_begin(struct readers *readers);
void readers_mark(struct readers *readers, uint32_t set);
bool readers_sweep_end(struct readers *readers);
bool readers_add(struct readers *readers, uint64_t *slot, bool lasting, uint64_t unit, uint32_t context);
void readers_close(struct readers *readers);
bool readers_has(const struct readers *readers, uint32_t set); /* any unit: there is such a set */
bool readers_next(const struct readers *readers, struct reader_walk *walk);
void readers_part(struct readers *readers, uint32_t set);
void readers_forget(struct readers *readers);
void readers_restart(struct readers *readers);    /* no cell has a set any more */
bool readers_wear(const struct readers *readers); /* half of all numbers are used up */
void readers_fini(struct readers *readers);
/* Each block is in one place: among the buckets, in a list, open or free; equal ones are one; no set stands
 * on itself; origins lie where they are said to. Not between readers_sweep_begin and readers_sweep_end. */
void readers_check(const struct readers *readers);

static inline struct reader_walk readers_walk(uint64_t value) /* of a cell's epoch */
{
    return (struct reader_walk){.rest = epoch_context(value), .base = epoch_unit(value)};
}

static inline bool is_reader_set(uint32_t context)
{
    return context >= READERS_FROM && context != CONTEXT_ACCESS_SET;
}

#endif
