/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The allocations that commands access: one area for each, found by the number of its region. An area
 * outlives its allocation while accesses may race. Host memory is one more area. Host memory that is the
 * storage of a CL_MEM_USE_HOST_PTR buffer is listed with both addresses; when a buffer gets it, accesses to
 * the host's range are copied to the buffer's area. Pointers that maps returned are intervals with the map's
 * number.
 */
#include "commands_state.h"

#include <stdlib.h>
#include <string.h>

#include "orrery/checked.h"

/* ---- areas --------------------------------------------------------------------------- */

static struct command_area *area_new(struct commands *commands, uint32_t id, const struct region *region)
{
    struct command_area *area = calloc(1, sizeof *area), *found = NULL;
    if (!area)
        return NULL;
    *area = (struct command_area){.id = id, .high = UINT64_MAX, .guaranteed = !region, .in_order = true};
    CHECKED((id == 0) == !region);
    wording_region(region, area->name, sizeof area->name);
    if (region) {
        area->low = region->low;
        area->high = region->high;
        area->guaranteed = region->kind == REGION_VARIABLE || region->flags & REGION_FLAG_SVM;
    }
    HASH_ADD(hh, commands->areas, id, sizeof area->id, area);
    HASH_FIND(hh, commands->areas, &id, sizeof id, found);
    if (!found)
        free(area);
    return found;
}

/* Freed regions count, too: accesses to them may still race. */
const struct region *commands_region_of(const struct commands *commands, uint64_t address)
{
    const struct region *region = memory_region(commands->memory, address);
    return region->kind != REGION_NONE && address >= region->low && address < region->high ? region : NULL;
}

struct command_area *commands_area_with(const struct commands *commands, uint32_t id)
{
    struct command_area *area = NULL;
    HASH_FIND(hh, commands->areas, &id, sizeof id, area);
    return area;
}

struct command_area *commands_area_of(struct commands *commands, uint64_t address)
{
    const struct region *region = commands_region_of(commands, address);
    const uint32_t id = region ? region->id : 0;
    struct command_area *area = commands_area_with(commands, id);
    return area ? area : area_new(commands, id, region);
}

void commands_area_free(struct commands *commands, struct command_area *area)
{
    HASH_DEL(commands->areas, area);
    for (size_t i = 0; i < area->scattered.count; i++)
        byte_set_fini(&area->scattered.items[i].bytes);
    commands_several_free(area);
    byte_map_fini(&area->map);
    dirty_bytes_fini(&area->host_dirty);
    dirty_bytes_fini(&area->stores);
    dirty_bytes_fini(&area->written_storage);
    dirty_bytes_fini(&area->device_dirty);
    list_fini(&area->scattered);
    list_fini(&area->kept);
    free(area);
}

void commands_areas_free(struct commands *commands)
{
    struct command_area *area, *following;
    HASH_ITER(hh, commands->areas, area, following)
    commands_area_free(commands, area);
}

/* ---- memory of the host that is a buffer's ------------------------------------------------- */

void commands_touch_storages(struct commands *commands, const struct command_area *host, uint64_t low,
                             uint64_t high, const struct byte_access *access, size_t first)
{
    struct byte_run bytes;
    for (uint64_t end; low < high; low = end) {
        end = high;
        struct byte_access one = commands_access_at(host, access, low, &end);
        one.of_host = true;
        CHECKED(low < end && end <= high);
        for (size_t at = first; commands_storage_next(commands, low, end, &at, &bytes);) {
            struct command_area *area = commands_area_of(commands, bytes.low);
            commands->lost |= !area;
            if (!area)
                return;
            (void)commands_follows(commands, area, one.command);
            commands_apply_kept(commands, area);
            commands_touch(commands, area, bytes.low, bytes.high, &one);
        }
    }
}

/* Copies an access to the latest storage. Its buffer is new, so that nothing conflicts with the copies there,
 * which are all of the host's memory. */
static void copy_access(void *self, uint64_t low, uint64_t high, const struct byte_access *access)
{
    struct commands *commands = self;
    commands_touch_storages(commands, commands_area_with(commands, 0), low, high, access,
                            commands->storages.count - 1);
}

static void copy_accesses(struct commands *commands, const struct host_storage *storage)
{
    struct command_area *host = commands_area_with(commands, 0);
    if (!host)
        return;
    commands_apply_kept(commands, host);
    byte_map_visit(&host->map, storage->host, storage->host + storage->size, copy_access, commands);
}

static void forget_storage(struct commands *commands, uint64_t address)
{
    const struct region *region = commands_region_of(commands, address);
    struct command_area *area = region ? commands_area_with(commands, region->id) : NULL;
    if (area)
        dirty_bytes_fini(&area->written_storage);
    list_keep(&commands->storages, storage, storage->address != address);
}

void commands_storage(struct commands *commands, uint64_t address, uint64_t size, const void *host)
{
    const struct host_storage storage = {(uint64_t)(uintptr_t)host, address, size};
    pthread_mutex_lock(&commands->lock);
    if (!host) {
        forget_storage(commands, address);
    } else if (list_add(&commands->storages, storage)) {
        copy_accesses(commands, &storage);
    } else {
        commands->lost = true;
    }
    pthread_mutex_unlock(&commands->lock);
}

bool commands_storage_next(const struct commands *commands, uint64_t low, uint64_t high, size_t *at,
                           struct byte_run *out_bytes)
{
    for (; *at < commands->storages.count; ++*at) {
        const struct host_storage *storage = &commands->storages.items[*at];
        const uint64_t end = storage->host + storage->size;
        if (low >= end || high <= storage->host)
            continue;
        out_bytes->low = storage->address + (low > storage->host ? low - storage->host : 0);
        out_bytes->high = storage->address + ((high < end ? high : end) - storage->host);
        ++*at;
        return true;
    }
    return false;
}

/* ---- pointers that maps gave ------------------------------------------------------------------ */

/* The end of the bytes from low on whose pointer the command may use; low: none. */
static uint64_t pointer_until(const struct commands *commands, uint32_t command, uint64_t low)
{
    const uint32_t first = command_graph_first(commands->graph);
    uint64_t high = low;
    for (size_t i = 0; i < commands->mappings.count; i++) {
        const struct command_mapping *pointer = &commands->mappings.items[i];
        if (pointer->lent && low >= pointer->low && pointer->high > high &&
            (pointer->command < first || command_graph_is_after(commands->graph, command, pointer->command)))
            high = pointer->high;
    }
    return high;
}

bool commands_may_use_pointer(const struct commands *commands, uint32_t command, uint64_t low, uint64_t high)
{
    for (uint64_t until; low < high; low = until)
        if ((until = pointer_until(commands, command, low)) == low)
            return false;
    return true;
}

/* ---- memory that goes ------------------------------------------------------------------------- */

void commands_released(struct commands *commands, uint64_t low, uint64_t high)
{
    pthread_mutex_lock(&commands->lock);
    list_keep(&commands->mappings, mapping, mapping->low < low || mapping->low >= high);
    pthread_mutex_unlock(&commands->lock);
}
