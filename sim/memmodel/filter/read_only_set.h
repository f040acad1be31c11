/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The bytes read of an allocation to which the kernel that runs has no instruction to write: there
 *          is no race, so the reading unit does not matter, and only the bytes are noted down.
 *
 * Interface
 *   read_only_set_open     with the reads noted down so far, which move here. False: no memory
 *   read_only_set_add      while it is open
 *   read_only_set_collect  the bytes. site NULL: by any instruction
 *   read_only_set_forget
 *
 * Memory   A bit for each byte of the allocation and each instruction, up to FOOTPRINT_SITES and all others
 *          together.
 */
#ifndef ORRERY_SIM_MEMMODEL_FILTER_READ_ONLY_SET_H
#define ORRERY_SIM_MEMMODEL_FILTER_READ_ONLY_SET_H

#include "access_log.h"

struct read_only_set {
    uint32_t launch; /* the latest query; 0: none yet */
    bool holds;      /* for that one */
    bool open;
    struct footprint_sites sites;
    struct byte_set rest; /* by other instructions */
};

bool read_only_set_open(struct read_only_set *reads, struct access_log *access_log);
struct byte_set *read_only_set_bytes(struct read_only_set *reads, uint32_t site);
void read_only_set_add(struct read_only_set *reads, uint32_t site, uint64_t offset, uint64_t size);
void read_only_set_collect(const struct read_only_set *reads, const uint32_t *site, struct byte_set *bytes);
void read_only_set_forget(struct read_only_set *reads);

#endif
