/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Aliased maps: several maps of one object that begin at the same byte have the same pointer, so an
 *          unmap does not determine which of them it ends (OpenCL 2.2 API, 5.2.4, 5.5.2). Bytes in which they
 *          differ are not checked: commands may access them once the first map was unmapped, and the host
 *          until the last was.
 *
 * Interface  (runtime_lock held)
 *   aliased_maps_note    an unmap took this record from the list; the other records are still in it
 *   aliased_maps_unmap   that unmap runs; the record's bytes begin at this address of the device
 *   aliased_maps_end     offset after the last byte of the object that the map, or an aliased one, may have
 */
#ifndef ORRERY_LIB_HOST_ALIASED_MAPS_H
#define ORRERY_LIB_HOST_ALIASED_MAPS_H

#include "lib/queue.h"

void aliased_maps_note(struct map_record *list, struct map_record *taken);
void aliased_maps_unmap(const struct command *command, const struct map_record *record, uint64_t address);
size_t aliased_maps_end(const struct map_record *record);
#endif
