/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  A fault while its finding is made; for fault.c and fault_access.c alone.
 *
 * Interface
 *   fault_examine_access       a read or write outside of what the pointer may reach
 *   fault_examine_index        an index outside of an inner array
 *   fault_examine_misaligned   an address that is no multiple of the alignment
 *   fault_private_access       an access outside of the objects in private memory
 *   fault_set_offset           the finding's offset in an object that begins at low
 *   fault_is_null, fault_contains   of an address
 */
#ifndef ORRERY_SIM_DEVICE_FAULT_STATE_H
#define ORRERY_SIM_DEVICE_FAULT_STATE_H

#include "fault.h"

/* One fault and the finding that describes it. */
struct fault_description {
    const struct launch *launch;
    const struct wave *wave;     /* NULL: a fault that does not depend on it */
    const struct origin *origin; /* of the work-items */
    const struct fault *fault;
    const struct site *site;
    bool write;
    const struct region *region; /* that is named, outside of which the access is; NULL: not yet */
    struct finding finding;
    struct sentence object, why, advice;
    struct commands *commands;
    struct command_name mapping;
};
void fault_examine_access(struct fault_description *description);
void fault_examine_index(struct fault_description *description);
void fault_examine_misaligned(struct fault_description *description);
void fault_private_access(struct fault_description *description);
void fault_set_offset(struct fault_description *description, uint64_t low);

/* A null pointer with a small index counts as null; private memory begins above. */
static inline bool fault_is_null(uint64_t address)
{
    return address < NULL_END;
}

static inline bool fault_contains(const struct region *region, uint64_t address, uint64_t size)
{
    return address >= region->low && address <= region->high && size <= region->high - address;
}

#endif
