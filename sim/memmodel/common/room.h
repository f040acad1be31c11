/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Arrays that grow: *room items are allocated, and doubled when one more is wanted.
 *
 * Interface
 *   room_grow       doubles the array, or allocates `first` items. False: out of memory, and the array is
 *                   unchanged
 *   room_for_one    the same, if all items are in use
 *   room_for_more   the same, until there is room for so many more
 *   room_of_zeros   gives the array at least `wanted` items; new ones are all zeros
 */
#ifndef ORRERY_SIM_MEMMODEL_COMMON_ROOM_H
#define ORRERY_SIM_MEMMODEL_COMMON_ROOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "orrery/checked.h"

static inline bool room_grow(void **items, uint32_t *room, uint32_t first, size_t size)
{
    const uint32_t wanted = *room ? 2 * *room : first;
    CHECKED(size > 0 && *room <= UINT32_MAX / 2);
    void *grown = realloc(*items, wanted * size);
    if (!grown)
        return false;
    *items = grown;
    *room = wanted;
    return true;
}

static inline bool room_for_one(void **items, uint32_t count, uint32_t *room, uint32_t first, size_t size)
{
    CHECKED(count <= *room);
    return count < *room || room_grow(items, room, first, size);
}

static inline bool room_for_more(void **items, uint32_t count, uint32_t more, uint32_t *room, size_t size)
{
    CHECKED(count <= *room && more <= UINT32_MAX / 2 - count);
    while (*room < count + more)
        if (!room_grow(items, room, more, size))
            return false;
    return true;
}

static inline bool room_of_zeros(void **items, uint32_t *room, uint32_t wanted, size_t size)
{
    if (wanted <= *room)
        return true;
    char *grown = realloc(*items, wanted * size);
    if (!grown)
        return false;
    memset(grown + *room * size, 0, (wanted - *room) * size);
    *items = grown;
    *room = wanted;
    return true;
}

#endif
