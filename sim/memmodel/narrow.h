/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  A page of the shadow whose bytes were touched one by one: two stamps of 3 bytes each instead of 8. They hold a
 *          unit, counted from the least of the page, and a number of a context of the page; or, where the page's units lie too
 *          far apart, both together hold one unit and how far the other is from it. What does not fit is told.
 *
 * Interface
 *   narrow_new, narrow_free
 *   narrow_begin   of a launch: stamps of others are forgotten
 *   narrow_get     0: nothing stands there
 *   narrow_put     false: it does not fit, or there is no memory: the page needs stamps of 8 bytes
 *   narrow_bytes   what it takes
 *
 * Stamps   As everywhere in the shadow: unit << CONTEXT_BITS | context. CONTEXT_CROWD goes with the number of a list.
 */
#ifndef ORRERY_MEMMODEL_NARROW_H
#define ORRERY_MEMMODEL_NARROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CONTEXT_BITS = 30, CONTEXT_CROWD = (1 << CONTEXT_BITS) - 1 };

static inline uint64_t stamp(uint64_t unit, uint32_t context) { return unit << CONTEXT_BITS | context; }
static inline uint32_t stamp_context(uint64_t value) { return (uint32_t)(value & ((1u << CONTEXT_BITS) - 1)); }
static inline uint64_t stamp_unit(uint64_t value) { return value >> CONTEXT_BITS; }

struct narrow;
struct narrow *narrow_new(uint32_t count); /* of bytes; NULL: no memory */
void narrow_free(struct narrow *narrow);
void narrow_begin(struct narrow *narrow, uint32_t first); /* contexts below are stale */
bool narrow_is_of(const struct narrow *narrow, uint32_t first); /* has begun */
uint64_t narrow_get(const struct narrow *narrow, uint32_t at, uint32_t slot);
bool narrow_put(struct narrow *narrow, uint32_t at, uint32_t slot, uint64_t value);
size_t narrow_bytes(const struct narrow *narrow);

#endif
