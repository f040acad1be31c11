/* SPDX-License-Identifier: Apache-2.0 */
/* What commands of the host do to the device's memory: write, read, copy, fill, migrate, map and unmap,
 * each announced to the observers with the bytes that it moves. */
#include <inttypes.h>
#include <string.h>

#include "device_state.h"
#include "fault.h"

/* A command that moves bytes must respect maps of the memory, as kernels must. */
static void check_mapped(struct device *device, uint32_t command, enum access_kind kind, uint64_t address,
                         size_t size)
{
    const struct region *region = memory_region(&device->arena.memory, address);
    uint32_t deny = kind == ACCESS_WRITE ? DENY_KERNEL_WRITE : DENY_KERNEL_READ;
    const struct region_map *map = region->map_count ? memory_map_at(region, address, size, deny) : NULL;
    struct sentence object, why, by;
    if (!map)
        return;
    sentence_init(&object), sentence_init(&why), sentence_init(&by);
    sentence_add(&object, "%s (", region->name);
    sentence_bytes(&object, region->high - region->low);
    sentence_add(&object, ")");
    fault_say_mapped(region, map, object.bytes, &why);
    sentence_add(&by, "a command of the host (command %" PRIu32 ")", command);
    struct command_name name, name_of_map;
    struct finding finding = {.kind = FINDING_MAPPED_ACCESS,
                              .object = object.bytes,
                              .has_offset = true,
                              .offset_bytes = address - region->low,
                              .access_count = 1,
                              .access = {{.kind = kind,
                                          .what = kind == ACCESS_WRITE ? "write" : "read",
                                          .by = by.bytes,
                                          .size_bytes = size > UINT32_MAX ? UINT32_MAX : (uint32_t)size}},
                              .why = why.bytes,
                              .fix = "unmap the memory object before the command"};
    if (device->commands)
        commands_name(device->commands, command, &name, &finding.access[0]);
    fault_mapped_by(device->commands, map, &finding, &name_of_map);
    report_add(device->report, &finding);
}

/* ---- host commands ----------------------------------------------------------------------------- */

enum { MAP_CHUNK = 4096 }; /* bytes of a map that are compared at once */

/* The device's address of a byte; for host memory, the host's address. */
static uint8_t *byte_of(const struct device *device, const void *pointer)
{
    const uint64_t address = (uint64_t)(uintptr_t)pointer;
    return memory_byte(memory_region(&device->arena.memory, address), address);
}

/* Memory of the program; in the arena of the device only what lies in one allocation, as a map gives it. */
static bool is_host_memory(struct device *device, const void *pointer, size_t size)
{
    const uint64_t address = (uint64_t)(uintptr_t)pointer;
    const struct memory *arena = &device->arena.memory;
    return address - arena->base >= arena->size || arena_find(&device->arena, address, size);
}

enum status device_write(struct device *device, uint32_t command, uint64_t address, const void *source,
                         size_t size)
{
    struct region *region = arena_find(&device->arena, address, size);
    if (!region || !is_host_memory(device, source, size))
        return STATUS_BAD_ARGUMENT;
    check_mapped(device, command, ACCESS_WRITE, address, size);
    memmove(memory_byte(region, address), byte_of(device, source), size);
    memory_set_valid(region, address, size, true);
    device_announce_host(device, command, ACCESS_READ, source, size);
    device_announce_command(device, command, ACCESS_WRITE, address, size, COMMAND_MOVES);
    clock_tick(&device->clock, clock_copy_cost(size));
    return STATUS_OK;
}

enum status device_read(struct device *device, uint32_t command, uint64_t address, void *target, size_t size)
{
    const struct region *region = arena_find(&device->arena, address, size);
    if (!region || !is_host_memory(device, target, size))
        return STATUS_BAD_ARGUMENT;
    check_mapped(device, command, ACCESS_READ, address, size);
    memmove(byte_of(device, target), memory_byte(region, address), size);
    device_announce_command(device, command, ACCESS_READ, address, size, COMMAND_MOVES);
    device_announce_host(device, command, ACCESS_WRITE, target, size);
    clock_tick(&device->clock, clock_copy_cost(size));
    return STATUS_OK;
}

/* Bytes that were uninitialised stay so at the destination of a copy. */
static void copy_validity(uint32_t command, struct region *to, uint64_t target, const struct region *from,
                          uint64_t source, size_t size)
{
    if (!to->valid)
        return;
    if (memory_range_valid(from, source, size)) {
        memory_set_valid(to, target, size, true);
        return;
    }
    for (size_t i = 0; i < size; i++) {
        size_t at = target > source ? size - 1 - i : i; /* the ranges may overlap */
        memory_set_valid(to, target + at, 1, memory_range_valid(from, source + at, 1));
    }
    memory_became_unset(to, target, size, command);
}

enum status device_copy(struct device *device, uint32_t command, uint64_t target, uint64_t source,
                        size_t size)
{
    struct region *to = arena_find(&device->arena, target, size),
                  *from = arena_find(&device->arena, source, size);
    if (!to || !from)
        return STATUS_BAD_ARGUMENT;
    check_mapped(device, command, ACCESS_READ, source, size);
    check_mapped(device, command, ACCESS_WRITE, target, size);
    memmove(memory_byte(to, target), memory_byte(from, source), size);
    copy_validity(command, to, target, from, source, size);
    device_announce_command(device, command, ACCESS_READ, source, size, COMMAND_MOVES);
    device_announce_command(device, command, ACCESS_WRITE, target, size, COMMAND_MOVES);
    clock_tick(&device->clock, clock_copy_cost(size));
    return STATUS_OK;
}

static void repeat(uint8_t *target, const void *pattern, size_t pattern_size, size_t size)
{
    size_t done = pattern_size < size ? pattern_size : size;
    memcpy(target, pattern, done);
    while (done < size) {
        size_t step = done < size - done ? done : size - done;
        memcpy(target + done, target, step);
        done += step;
    }
}

enum status device_fill(struct device *device, uint32_t command, uint64_t address, const void *pattern,
                        size_t pattern_size, size_t size)
{
    struct region *region = arena_find(&device->arena, address, size);
    if (!region || pattern_size == 0 || size % pattern_size != 0)
        return STATUS_BAD_ARGUMENT;
    check_mapped(device, command, ACCESS_WRITE, address, size);
    if (size)
        repeat(memory_byte(region, address), pattern, pattern_size, size);
    memory_set_valid(region, address, size, true);
    device_announce_command(device, command, ACCESS_WRITE, address, size, COMMAND_MOVES);
    clock_tick(&device->clock, clock_copy_cost(size));
    return STATUS_OK;
}

enum status device_host_copy(struct device *device, uint32_t command, void *target, const void *source,
                             size_t size)
{
    if (!is_host_memory(device, target, size) || !is_host_memory(device, source, size))
        return STATUS_BAD_ARGUMENT;
    memmove(byte_of(device, target), byte_of(device, source), size);
    device_announce_host(device, command, ACCESS_READ, source, size);
    device_announce_host(device, command, ACCESS_WRITE, target, size);
    clock_tick(&device->clock, clock_copy_cost(size));
    return STATUS_OK;
}

enum status device_host_fill(struct device *device, uint32_t command, void *target, const void *pattern,
                             size_t pattern_size, size_t size)
{
    if (!is_host_memory(device, target, size))
        return STATUS_BAD_ARGUMENT;
    repeat(byte_of(device, target), pattern, pattern_size, size);
    device_announce_host(device, command, ACCESS_WRITE, target, size);
    clock_tick(&device->clock, clock_copy_cost(size));
    return STATUS_OK;
}

void device_migrate(struct device *device, uint32_t command, uint64_t address, size_t size, bool discards)
{
    struct region *region = discards ? arena_find(&device->arena, address, size) : NULL;
    check_mapped(device, command, discards ? ACCESS_WRITE : ACCESS_READ, address, size);
    if (region) {
        memory_set_valid(region, address, size, false);
        memory_became_unset(region, address, size, command);
    }
    device_announce_command(device, command, discards ? ACCESS_WRITE : ACCESS_READ, address, size,
                            COMMAND_MIGRATES);
}

void device_frees(struct device *device, uint32_t command, uint64_t address)
{
    uint64_t start, size;
    if (device_allocation(device, address, &start, &size) && start == address)
        device_announce_command(device, command, ACCESS_WRITE, address, size, COMMAND_FREES);
}

_Static_assert((int)DEVICE_MAP_READ == (int)ARENA_MAP_READ && (int)DEVICE_MAP_WRITE == (int)ARENA_MAP_WRITE,
               "map flags go through unchanged");

/* Memory that a program may only read can be that of a buffer. Bytes that no command has changed are not
 * stored there. */
static void copy_changed(uint8_t *target, const uint8_t *source, size_t size)
{
    for (size_t at = 0; at < size; at += MAP_CHUNK) {
        const size_t part = size - at < MAP_CHUNK ? size - at : MAP_CHUNK;
        if (memcmp(target + at, source + at, part) != 0)
            memcpy(target + at, source + at, part);
    }
}

void device_map(struct device *device, uint32_t command, uint64_t address, size_t size, uint32_t flags,
                void *host)
{
    struct region *region = arena_find(&device->arena, address, size);
    if (!region)
        return;
    if (flags && !(flags & DEVICE_MAP_ASTRAY))
        arena_map(&device->arena, region, address, size, flags, command);
    region->read_mapped |= flags & DEVICE_MAP_READ && !(flags & DEVICE_MAP_WRITE);
    if (host) {
        copy_changed(byte_of(device, host), memory_byte(region, address), size);
        clock_tick(&device->clock, clock_copy_cost(size));
    }
    device_announce_command(device, command, ACCESS_READ, address, size, COMMAND_MAPS);
    if (flags & DEVICE_MAP_WRITE)
        device_announce_command(device, command, ACCESS_WRITE, address, size, COMMAND_OPENS);
}

/* All bytes that the host may have written count as initialised. */
void device_unmap(struct device *device, uint32_t command, uint32_t map, uint64_t address, size_t size,
                  uint32_t flags, const void *host)
{
    struct region *region = arena_find(&device->arena, address, size);
    if (!region)
        return;
    if (flags && !(flags & (DEVICE_MAP_ASTRAY | DEVICE_MAP_BYTES)))
        arena_unmap(&device->arena, region, address, size, flags, map);
    if (flags & DEVICE_MAP_WRITE && !(flags & DEVICE_MAP_ASTRAY)) {
        memory_set_valid(region, address, size, true);
        if (host)
            memcpy(memory_byte(region, address), byte_of(device, host), size);
        clock_tick(&device->clock, clock_copy_cost(size));
    }
    if (flags & DEVICE_MAP_BYTES)
        return;
    device_announce(device,
                    &(struct command_event){.command = command,
                                            .kind = flags & DEVICE_MAP_WRITE ? ACCESS_WRITE : ACCESS_READ,
                                            .address = address,
                                            .size_bytes = size,
                                            .role = COMMAND_UNMAPS,
                                            .map = map});
}

void device_unmap_any(struct device *device, uint32_t command, uint32_t map, uint64_t address, size_t least,
                      size_t most, uint32_t sorts)
{
    struct region *region = arena_find(&device->arena, address, most);
    const bool write = !(sorts & DEVICE_MAP_READ);
    if (!region)
        return;
    arena_unmap_any(&device->arena, region, address, least, write, map);
    if (sorts & DEVICE_MAP_WRITE)
        memory_set_valid(region, address, most, true);
    device_announce(device, &(struct command_event){.command = command,
                                                    .kind = write ? ACCESS_WRITE : ACCESS_READ,
                                                    .address = address,
                                                    .size_bytes = least,
                                                    .role = COMMAND_UNMAPS,
                                                    .map = map,
                                                    .most_bytes = most});
}
