/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Cells of the bytes of a page in 6 bytes each instead of 16: two epochs of 3 bytes. An epoch has a
 *          unit, relative to the page's base, and a number in the page's table of contexts.
 *
 * Interface
 *   compact_new, compact_free
 *   compact_begin   of a launch: epochs of other launches are forgotten
 *   compact_get     0: no epoch
 *   compact_put     false: it does not fit, or there is no memory: the page needs full cells
 *
 * Epochs   As everywhere in the shadow: unit << CONTEXT_BITS | context. With CONTEXT_ACCESS_SET the unit is
 *          the number of an access set.
 */
#ifndef ORRERY_SIM_MEMMODEL_SHADOW_COMPACT_PAGE_H
#define ORRERY_SIM_MEMMODEL_SHADOW_COMPACT_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CONTEXT_BITS = 30, CONTEXT_ACCESS_SET = (1 << CONTEXT_BITS) - 1 };

static inline uint64_t epoch(uint64_t unit, uint32_t context)
{
    return unit << CONTEXT_BITS | context;
}
static inline uint32_t epoch_context(uint64_t value)
{
    return (uint32_t)(value & ((1u << CONTEXT_BITS) - 1));
}
static inline uint64_t epoch_unit(uint64_t value)
{
    return value >> CONTEXT_BITS;
}

struct compact;
struct compact *compact_new(uint32_t count); /* of bytes; NULL: no memory */
void compact_free(struct compact *compact);
void compact_begin(struct compact *compact, uint32_t first);       /* contexts below are stale */
bool compact_is_of(const struct compact *compact, uint32_t first); /* has begun */
uint64_t compact_get(const struct compact *compact, uint32_t at, uint32_t slot);
bool compact_put(struct compact *compact, uint32_t at, uint32_t slot, uint64_t value);

#endif
