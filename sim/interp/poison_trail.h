/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Where a wave's uninitialised values came from. Each finding of one reached memory lane by lane, in
 *          access.c, as the bytes turned out to be uninitialised: that is noted, and so is what a lane leaves
 *          in its private memory. A wave that reads nothing uninitialised has no notes.
 *
 * Interface
 *   poison_trail_read, poison_trail_left   note it
 *   poison_trail_ends                      where a value that a lane used may have come from
 *   poison_trail_clear, _copy, _free       with the wave
 */
#ifndef ORRERY_INTERP_POISON_TRAIL_H
#define ORRERY_INTERP_POISON_TRAIL_H

#include <stdbool.h>
#include <stdint.h>

struct wave;
struct poison_trail;

enum poison_end_kind {
    POISON_END_UNKNOWN, /* what was stored there was uninitialised, and not known from where */
    POISON_END_SOURCE,  /* of struct code's poison_sources, a variable or an image */
    POISON_END_MEMORY   /* bytes that a source read */
};
struct poison_end {
    enum poison_end_kind kind;
    uint32_t source, bytes;
    uint64_t address;
    /* how often its instruction found uninitialised bytes at other addresses later; the first is here */
    uint32_t more;
};

/* The lane read uninitialised bytes there; source 0 is not noted. */
void poison_trail_read(struct wave *wave, uint32_t source, uint32_t lane, uint64_t address, uint32_t bytes);
/* It stored an uninitialised value of that list into its private memory; list 0: not known which. */
void poison_trail_left(struct wave *wave, uint32_t list, uint32_t lane, uint64_t address, uint32_t bytes);

/* At most POISON_ENDS of them; the value came from one of these, or from several. 0: not known. */
enum { POISON_ENDS = 3 };
uint32_t poison_trail_ends(const struct wave *wave, uint32_t list, uint32_t lane,
                           struct poison_end out_ends[POISON_ENDS]);

void poison_trail_clear(struct poison_trail *trail);
struct poison_trail *poison_trail_copy(const struct poison_trail *trail);
void poison_trail_free(struct poison_trail *trail);

#endif
