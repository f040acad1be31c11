/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  What is read of an allocation to which the kernel that runs has no instruction to write: nobody races there, so
 *          who read it does not matter, and only the bytes are noted down.
 *
 * Interface
 *   only_read_open     with what was noted down so far, which goes from there. False: no memory
 *   only_read_add      while it is open
 *   only_read_collect  the bytes. site NULL: by whichever instruction
 *   only_read_forget
 *
 * Memory   A bit for each byte of the allocation and each instruction, up to FOOTPRINT_SITES and all others together.
 */
#ifndef ORRERY_MEMMODEL_ONLY_READ_H
#define ORRERY_MEMMODEL_ONLY_READ_H

#include "notes.h"

struct only_read {
    uint32_t launch;                 /* the latest that was asked for; 0: none was yet */
    bool holds;                      /* for that one */
    bool open;
    struct footprint_sites sites;
    struct byte_set rest;            /* by other instructions */
};

bool only_read_open(struct only_read *reads, struct notes *notes);
void only_read_add(struct only_read *reads, uint32_t site, uint64_t offset, uint64_t size);
void only_read_collect(const struct only_read *reads, const uint32_t *site, struct byte_set *bytes);
void only_read_forget(struct only_read *reads);

#endif
