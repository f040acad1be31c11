/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Maps of one object that begin at one byte have one pointer, and an unmap with it does not
 *          determine which of them it gives back (OpenCL 2.2 API, 5.2.4, 5.5.2). If they differ nothing is
 *          reported of the bytes in which they do: to commands they are free when the first was unmapped, and
 *          the host's until the last is.
 *
 * Interface  (runtime_lock held)
 *   aliased_maps_note    this record was taken by an unmap, from a list where the others still are
 *   aliased_maps_unmap   that unmap runs, and the record's bytes begin at this address of the device
 *   aliased_maps_end     after the last byte that may be mapped, from the record's offset on
 */
#ifndef ORRERY_LIB_HOST_ALIASED_MAPS_H
#define ORRERY_LIB_HOST_ALIASED_MAPS_H

#include "lib/queue.h"

void aliased_maps_note(struct map_record *list, struct map_record *taken);
void aliased_maps_unmap(const struct command *command, const struct map_record *record, uint64_t address);
size_t aliased_maps_end(const struct map_record *record);
#endif
