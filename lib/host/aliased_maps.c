/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Maps of one object with one pointer: an unmap may mean any of them, so what they differ in is not judged.
 */
#include "aliased_maps.h"

#include <string.h>

#include "lib/command.h"
#include "lib/transfer.h"

static uint32_t sort_of(const struct map_record *record)
{
    return record->flags & ~(cl_map_flags)CL_MAP_READ ? DEVICE_MAP_WRITE : DEVICE_MAP_READ;
}

static struct aliased_maps doubt_of(const struct map_record *record)
{
    struct aliased_maps doubt = {.sorts = sort_of(record)};
    memcpy(doubt.least, record->region, sizeof doubt.least);
    memcpy(doubt.most, record->region, sizeof doubt.most);
    return record->doubt.any ? record->doubt : doubt;
}

static bool may_be_meant(const struct map_record *record, const struct map_record *taken)
{
    return record != taken && record->owner == taken->owner && record->pointer == taken->pointer;
}

static bool differ(const struct map_record *a, const struct map_record *b)
{
    return a->doubt.any || b->doubt.any || a->flags != b->flags ||
           memcmp(a->region, b->region, sizeof a->region) != 0;
}

/* All begin at one corner. */
static void add(struct aliased_maps *doubt, const struct aliased_maps *other)
{
    for (int i = 0; i < 3; i++) {
        doubt->least[i] = other->least[i] < doubt->least[i] ? other->least[i] : doubt->least[i];
        doubt->most[i] = other->most[i] > doubt->most[i] ? other->most[i] : doubt->most[i];
    }
    doubt->sorts |= other->sorts;
}

void aliased_maps_note(struct map_record *list, struct map_record *taken)
{
    struct aliased_maps doubt = doubt_of(taken);
    for (const struct map_record *record = list; record; record = record->next)
        if (may_be_meant(record, taken)) {
            const struct aliased_maps other = doubt_of(record);
            doubt.any |= differ(record, taken);
            add(&doubt, &other);
        }
    for (struct map_record *record = list; record && doubt.any; record = record->next)
        if (may_be_meant(record, taken))
            record->doubt = doubt;
    if (doubt.any)
        taken->doubt = doubt;
}

/* Row by row, as a map of some may be in several pieces, and one of all in one. */
void aliased_maps_unmap(const struct command *command, const struct map_record *record, uint64_t address)
{
    const struct aliased_maps *doubt = &record->doubt;
    for (size_t z = 0; z < doubt->most[2]; z++)
        for (size_t y = 0; y < doubt->most[1]; y++) {
            const bool sure = z < doubt->least[2] && y < doubt->least[1];
            device_unmap_any(command_device(command), command->serial, record->by,
                             address + z * record->pitch[1] + y * record->pitch[0],
                             sure ? doubt->least[0] : 0, doubt->most[0], doubt->sorts);
        }
}

size_t aliased_maps_end(const struct map_record *record)
{
    const size_t *most = record->doubt.most;
    return record->offset +
           (record->doubt.any ? (most[2] - 1) * record->pitch[1] + (most[1] - 1) * record->pitch[0] + most[0]
                              : record->size);
}
