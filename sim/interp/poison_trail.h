/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The origins of a wave's uninitialised values. A read of uninitialised bytes goes lane by lane,
 * in access.c, which notes it here; it also notes uninitialised values that a lane stores into its private
 * memory. A wave that reads nothing uninitialised has no notes.
 *
 * Interface
 *   poison_trail_read, _texel, _left    add a note
 *   poison_trail_ends                   the possible origins of a value that a lane used
 *   poison_trail_clear, _copy, _free    with the wave
 */
#ifndef ORRERY_INTERP_POISON_TRAIL_H
#define ORRERY_INTERP_POISON_TRAIL_H

#include <stdbool.h>
#include <stdint.h>

struct wave;
struct poison_trail;

enum poison_end_kind {
    POISON_END_UNKNOWN, /* an uninitialised value of unknown origin was stored there */
    POISON_END_SOURCE,  /* an index into struct code's poison_sources: a variable */
    POISON_END_MEMORY   /* bytes that a source read */
};
struct poison_end {
    enum poison_end_kind kind;
    uint32_t source, bytes;
    uint64_t address;
    uint32_t image; /* 1 + the argument that is the image whose texel was read; 0: no image */
    /* How often the instruction found uninitialised bytes at other addresses later; this is the first. */
    uint32_t more;
};

/* The lane read uninitialised bytes at the address; source 0 is not noted. */
void poison_trail_read(struct wave *wave, uint32_t source, uint32_t lane, uint64_t address, uint32_t bytes);
/* The same for a texel of the image that is argument image - 1. */
void poison_trail_texel(struct wave *wave, uint32_t source, uint32_t lane, uint32_t image, uint64_t address,
                        uint32_t bytes);
/* The lane stored an uninitialised value of that list into its private memory; list 0: unknown. */
void poison_trail_left(struct wave *wave, uint32_t list, uint32_t lane, uint64_t address, uint32_t bytes);

/* At most POISON_ENDS origins: the value derives from one or several of them. 0: unknown. */
enum { POISON_ENDS = 3 };
uint32_t poison_trail_ends(const struct wave *wave, uint32_t list, uint32_t lane,
                           struct poison_end out_ends[POISON_ENDS]);

void poison_trail_clear(struct poison_trail *trail);
struct poison_trail *poison_trail_copy(const struct poison_trail *trail);
void poison_trail_free(struct poison_trail *trail);

#endif
