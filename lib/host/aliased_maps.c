/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Maps with one pointer begin at one corner of the object. So a set of them is described by the least and
 * the most of each dimension of their regions, and by which kinds of access occur. Bytes below the least
 * belong to all; bytes between the two to some of them.
 */
#include "aliased_maps.h"

#include <string.h>

#include "lib/command.h"
#include "lib/transfer.h"

static uint32_t access_of(const struct map_record *record)
{
    return record->flags & ~(cl_map_flags)CL_MAP_READ ? DEVICE_MAP_WRITE : DEVICE_MAP_READ;
}

static struct aliased_maps aliased_of(const struct map_record *record)
{
    struct aliased_maps aliased = {.sorts = access_of(record)};
    memcpy(aliased.least, record->region, sizeof aliased.least);
    memcpy(aliased.most, record->region, sizeof aliased.most);
    return record->aliased.any ? record->aliased : aliased;
}

static bool is_alias(const struct map_record *record, const struct map_record *taken)
{
    return record != taken && record->owner == taken->owner && record->pointer == taken->pointer;
}

static bool differ(const struct map_record *a, const struct map_record *b)
{
    return a->aliased.any || b->aliased.any || a->flags != b->flags ||
           memcmp(a->region, b->region, sizeof a->region) != 0;
}

static void widen(struct aliased_maps *aliased, const struct aliased_maps *other)
{
    for (int i = 0; i < 3; i++) {
        aliased->least[i] = other->least[i] < aliased->least[i] ? other->least[i] : aliased->least[i];
        aliased->most[i] = other->most[i] > aliased->most[i] ? other->most[i] : aliased->most[i];
    }
    aliased->sorts |= other->sorts;
}

void aliased_maps_note(struct map_record *list, struct map_record *taken)
{
    struct aliased_maps aliased = aliased_of(taken);
    for (const struct map_record *record = list; record; record = record->next)
        if (is_alias(record, taken)) {
            const struct aliased_maps other = aliased_of(record);
            aliased.any |= differ(record, taken);
            widen(&aliased, &other);
        }
    for (struct map_record *record = list; record && aliased.any; record = record->next)
        if (is_alias(record, taken))
            record->aliased = aliased;
    if (aliased.any)
        taken->aliased = aliased;
}

/* One call per row, since the rows of a map need not be contiguous. */
void aliased_maps_unmap(const struct command *command, const struct map_record *record, uint64_t address)
{
    const struct aliased_maps *aliased = &record->aliased;
    for (size_t z = 0; z < aliased->most[2]; z++)
        for (size_t y = 0; y < aliased->most[1]; y++) {
            const bool sure = z < aliased->least[2] && y < aliased->least[1];
            device_unmap_any(command_device(command), command->serial, record->by,
                             address + z * record->pitch[1] + y * record->pitch[0],
                             sure ? aliased->least[0] : 0, aliased->most[0], aliased->sorts);
        }
}

size_t aliased_maps_end(const struct map_record *record)
{
    const size_t *most = record->aliased.most;
    return record->offset + (record->aliased.any ? (most[2] - 1) * record->pitch[1] +
                                                       (most[1] - 1) * record->pitch[0] + most[0]
                                                 : record->size);
}
