/* SPDX-License-Identifier: Apache-2.0 */
/* Regions by address, access rights of their bytes, and the validity bits: one bit for each byte, set
 * when the byte is initialised. */
#include "orrery/memory.h"

#include <string.h>

/* ---- nearest region --------------------------------------------------------- */

static int64_t distance_to(const struct region *region, uint64_t address)
{
    if (address >= region->high)
        return (int64_t)(address - region->high);
    return -(int64_t)(region->low - address);
}

static uint64_t magnitude(int64_t distance)
{
    return distance < 0 ? -(uint64_t)distance : (uint64_t)distance;
}

/* A freed region is only found by addresses inside it: an address beside it is not an overrun
 * of something that does not exist. */
static bool can_be_near(const struct region *region)
{
    return region_is_there(region) && !(region->flags & REGION_FLAG_FREED) && region->high > region->low;
}

/* A linear search: only findings need it, and these are rare. */
const struct region *memory_nearest(const struct memory *memory, uint64_t address, uint32_t kinds,
                                    int64_t *out_distance)
{
    const struct region *nearest = NULL;
    for (uint32_t i = 1; i < memory_region_count(memory); i++) {
        const struct region *region = &memory->regions[i];
        if (!can_be_near(region) || !(kinds & REGION_KIND_BIT(region->kind)))
            continue;
        int64_t distance =
            address >= region->low && address < region->high ? 0 : distance_to(region, address);
        if (!nearest || magnitude(distance) < magnitude(*out_distance)) {
            nearest = region;
            *out_distance = distance;
        }
    }
    return nearest;
}

/* ---- access rights --------------------------------------------------------------- */

static bool meets(const struct region_map *map, uint64_t address, uint64_t size)
{
    return address < map->high && (address >= map->low || map->low - address < size);
}

const struct region_map *memory_map_at(const struct region *region, uint64_t address, uint64_t size,
                                       uint32_t deny)
{
    for (uint32_t i = 0; i < region->map_count; i++)
        if (region->maps[i].deny & deny && meets(&region->maps[i], address, size))
            return &region->maps[i];
    return NULL;
}

uint32_t memory_denied(const struct region *region, uint64_t address, uint64_t size)
{
    uint32_t denied = region->denied;
    if (region->deny == denied)
        return denied;
    for (uint32_t i = 0; i < region->map_count; i++)
        if (meets(&region->maps[i], address, size))
            denied |= region->maps[i].deny;
    return denied;
}

/* ---- validity ------------------------------------------------------------------ */

/* count bits from bit first, at most 57: fits one unaligned 8-byte word, whose room
 * the allocator grants after the last bit. */
static uint64_t bits_mask(uint64_t first, uint64_t count)
{
    return (~UINT64_C(0) >> (64 - count)) << (first & 7);
}

static uint64_t word_at(const uint8_t *bits, uint64_t first)
{
    uint64_t word;
    memcpy(&word, bits + first / 8, sizeof word);
    return word;
}

static bool bits_all_set(const uint8_t *bits, uint64_t first, uint64_t count)
{
    while (count) {
        uint64_t step = count < 56 ? count : 56;
        uint64_t mask = bits_mask(first, step);
        if ((word_at(bits, first) & mask) != mask)
            return false;
        first += step;
        count -= step;
    }
    return true;
}

static void bits_put(uint8_t *bits, uint64_t first, uint64_t count, bool value)
{
    uint64_t mask = bits_mask(first, count);
    uint64_t word = word_at(bits, first);
    word = value ? word | mask : word & ~mask;
    memcpy(bits + first / 8, &word, sizeof word);
}

static void bits_set(uint8_t *bits, uint64_t first, uint64_t count, bool value)
{
    uint64_t head = -first & 7;
    if (count > 56 && head) {
        bits_put(bits, first, head, value);
        first += head;
        count -= head;
    }
    if (count > 56) {
        memset(bits + first / 8, value ? 0xff : 0, count / 8);
        first += count & ~UINT64_C(7);
        count &= 7;
    }
    if (count)
        bits_put(bits, first, count, value);
}

static uint64_t bits_count(const uint8_t *bits, uint64_t first, uint64_t count)
{
    uint64_t set = 0;
    while (count) {
        uint64_t step = count < 56 ? count : 56;
        set += ones_of(word_at(bits, first) & bits_mask(first, step));
        first += step;
        count -= step;
    }
    return set;
}

/* Bytes outside the region count as initialised. */
static bool clip(const struct region *region, uint64_t *address, uint64_t *size)
{
    if (*address < region->low) {
        uint64_t before = region->low - *address;
        if (before >= *size)
            return false;
        *address += before;
        *size -= before;
    }
    if (*address >= region->high)
        return false;
    if (*size > region->high - *address)
        *size = region->high - *address;
    return *size > 0;
}

bool memory_range_valid(const struct region *region, uint64_t address, uint64_t size)
{
    if (!region->valid || !region->invalid || !clip(region, &address, &size))
        return true;
    return bits_all_set(region->valid, address - region->low, size);
}

void memory_set_valid(struct region *region, uint64_t address, uint64_t size, bool valid)
{
    if (!region->valid || (valid && !region->invalid) || !clip(region, &address, &size))
        return;
    uint64_t before = bits_count(region->valid, address - region->low, size);
    region->invalid = valid ? region->invalid - (size - before) : region->invalid + before;
    bits_set(region->valid, address - region->low, size, valid);
}

/* A command is named only if its bytes are contiguous: between the rows of a rectangle lie bytes that it did
 * not touch. */
void memory_became_unset(struct region *region, uint64_t address, uint64_t size, uint32_t command)
{
    if (!region->valid || !clip(region, &address, &size))
        return;
    if (!region->unset_high) {
        region->unset_low = region->unset_high = address;
        region->unset_by = command;
    }
    if (region->unset_by != command || (command && address != region->unset_high))
        region->unset_by = 0;
    region->unset_low = address < region->unset_low ? address : region->unset_low;
    region->unset_high = address + size > region->unset_high ? address + size : region->unset_high;
}
