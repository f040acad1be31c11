/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Maps of one object that begin at one byte have one pointer, and nothing says which of them an unmap with that gives back
 *          (OpenCL 2.2 API, 5.2.4, 5.5.2). Where they differ nothing is told of the bytes in which they do: to commands they are free
 *          when the first was unmapped, and the host's until the last is.
 *
 * Interface  (runtime_lock held)
 *   map_doubt_note    this record was taken by an unmap, from a list where the others still are
 *   map_doubt_unmap   that unmap runs, and the record's bytes begin at this address of the device
 *   map_doubt_end     behind the last byte that may be mapped, from the record's offset on
 */
#ifndef ORRERY_LIB_MAP_DOUBT_H
#define ORRERY_LIB_MAP_DOUBT_H

#include "queue.h"

void map_doubt_note(struct map_record *list, struct map_record *taken);
void map_doubt_unmap(const struct command *command, const struct map_record *record, uint64_t address);
size_t map_doubt_end(const struct map_record *record);
#endif
