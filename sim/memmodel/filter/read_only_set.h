/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The bytes read of an allocation to which no instruction of the running kernel writes. These reads
 *          cannot race, so neither units nor times are kept: only the bytes, for the launch's footprint.
 *
 * Interface
 *   read_only_set_take     opens the set, takes over the reads of the access log, and releases it. False: no
 *                          memory
 *   read_only_set_add      a read of [offset, offset + size), while the set is open
 *   read_only_set_collect  the bytes. site NULL: by any instruction
 *   read_only_set_forget
 *
 * Memory   A bit for each byte of the allocation and each instruction, up to FOOTPRINT_SITES of them; all
 *          further instructions together have one.
 */
#ifndef ORRERY_SIM_MEMMODEL_FILTER_READ_ONLY_SET_H
#define ORRERY_SIM_MEMMODEL_FILTER_READ_ONLY_SET_H

#include "access_log.h"

struct read_only_set {
    uint32_t launch; /* in which the caller last asked for instructions that write; 0: none yet */
    bool holds;      /* there are none */
    bool open;
    struct footprint_sites sites;
    struct byte_set rest; /* by other instructions */
};

bool read_only_set_take(struct read_only_set *reads, struct access_log *access_log);
void read_only_set_add(struct read_only_set *reads, uint32_t site, uint64_t offset, uint64_t size);
void read_only_set_collect(const struct read_only_set *reads, const uint32_t *site, struct byte_set *bytes);
void read_only_set_forget(struct read_only_set *reads);

#endif
