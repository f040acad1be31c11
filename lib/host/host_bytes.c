/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each watched buffer has a copy of its host memory (memobj->seen). A comparison reads the memory in chunks
 * through process_vm_readv, which fails instead of faulting if the program has unmapped it. Bytes that
 * differ, and that no map gives to the host, were stored by the host. The copy is refreshed after an unmap
 * and after a command that wrote host memory.
 */
#include "host_bytes.h"

#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "orrery/checked.h"
#include "lib/command.h"
#include "lib/context.h"
#include "lib/device_info.h"
#include "guard.h"
#include "host_use.h"
#include "aliased_maps.h"
#include "lib/command_order.h"
#include "lib/api_runtime.h"
#include "lib/memobj.h"

enum { CHUNK = 1 << 14 };

/* Guarded by runtime_lock, with the list. */
static struct {
    struct memobj *watched;
    uint32_t writers; /* incomplete commands that may write watched memory */
} host;

/* ---- the bytes --------------------------------------------------------------------------- */

/* False: the program has unmapped some of the bytes. */
static bool copy_of_host(char *target, const char *source, size_t size)
{
    struct iovec to = {target, size}, from = {(void *)(uintptr_t)source, size};
    return process_vm_readv(getpid(), &to, 1, &from, 1, 0) == (ssize_t)size;
}

static void unwatch(struct memobj *root)
{
    CHECKED(root->seen && !root->parent);
    struct memobj **link = &host.watched;
    while (*link && *link != root)
        link = &(*link)->next_watched;
    if (*link)
        *link = root->next_watched;
    free(root->seen);
    root->seen = NULL;
}

static void refresh(struct memobj *root, size_t low, size_t high)
{
    if (root->seen && low < high &&
        !copy_of_host(root->seen + low, (const char *)root->host_ptr + low, high - low))
        unwatch(root);
}

static bool meets(const struct memobj *root, const struct host_extent *extent)
{
    const uint64_t low = (uint64_t)(uintptr_t)root->host_ptr;
    return extent->low < low + root->size && extent->high > low;
}

static void refresh_extent(const struct host_extent *extent)
{
    for (struct memobj *root = host.watched, *next; root; root = next) {
        next = root->next_watched;
        if (meets(root, extent))
            refresh(root, 0, root->size);
    }
}

/* Announces the changed bytes that are in none of the maps from this record on. */
static void announce_stores(struct memobj *root, const struct map_record *record, size_t low, size_t high,
                            const char *now, uint32_t command)
{
    CHECKED(low < high && high <= root->size);
    while (record && (record->offset >= high || aliased_maps_end(record) <= low))
        record = record->next;
    if (!record) {
        memcpy(root->seen + low, now, high - low);
        device_host_wrote(runtime_device(), command, root->address + low, high - low);
        return;
    }
    const size_t from = record->offset, to = aliased_maps_end(record);
    if (low < from)
        announce_stores(root, record->next, low, from, now, command);
    if (to < high)
        announce_stores(root, record->next, to, high, now + (to - low), command);
}

static void compare_chunk(struct memobj *root, size_t at, size_t size, const char *now, uint32_t command)
{
    const char *const then = root->seen + at;
    for (size_t low = 0, high; low < size; low = high) {
        while (low < size && then[low] == now[low])
            low++;
        for (high = low; high < size && then[high] != now[high]; high++)
            ;
        if (low < high)
            announce_stores(root, root->maps, at + low, at + high, now + low, command);
    }
}

static void compare(struct memobj *root, uint32_t command)
{
    static char now[CHUNK];
    for (size_t at = 0; at < root->size && root->seen; at += CHUNK) {
        const size_t size = root->size - at < CHUNK ? root->size - at : CHUNK;
        if (!copy_of_host(now, (const char *)root->host_ptr + at, size))
            unwatch(root);
        else if (memcmp(root->seen + at, now, size) != 0)
            compare_chunk(root, at, size, now, command);
    }
}

/* ---- which buffers ------------------------------------------------------------------------- */

void host_bytes_begin(struct memobj *memobj)
{
    const bool watched = memobj_has_host_memory(memobj) && order_observed();
    if (!watched || context_any(memobj->context, device_supports_svm_system))
        return;
    runtime_lock();
    memobj->seen = malloc(memobj->size);
    if (memobj->seen) {
        /* the guard may have closed some pages */
        const bool paused = runtime_get()->scenario.shared_pages && guard_pause();
        memobj->next_watched = host.watched;
        host.watched = memobj;
        refresh(memobj, 0, memobj->size);
        if (paused)
            guard_leave();
    }
    runtime_unlock();
}

void host_bytes_end(struct memobj *memobj)
{
    runtime_lock();
    if (memobj->seen)
        unwatch(memobj);
    runtime_unlock();
}

static void compare_object(struct memobj *memobj, uint32_t command)
{
    memobj = memobj_root(memobj);
    if (memobj && memobj->seen)
        compare(memobj, command);
}

/* The unmap hands the host's stores to the device, so they are not compared any more. */
static void refresh_unmapped(const struct map_record *record)
{
    struct memobj *root = memobj_root(record->owner);
    if (root->seen)
        refresh(root, record->offset, aliased_maps_end(record));
}

/* ---- commands -------------------------------------------------------------------------------- */

static bool writes_watched(const struct command *command)
{
    const struct host_extent extent = host_use_written(command);
    const struct memobj *root = host.watched;
    while (root && !meets(root, &extent))
        root = root->next_watched;
    return root;
}

static void compare_used(const struct command *command)
{
    if (command_transfers(command)) {
        compare_object(command->u.transfer.source, command->serial);
        compare_object(command->u.transfer.target, command->serial);
    } else if (command->kind == COMMAND_FILL_BUFFER || command->kind == COMMAND_FILL_IMAGE) {
        compare_object(command->u.fill.target, command->serial);
    } else if (command_launches(command)) {
        for (size_t i = 0; i < command->u.launch.memobj_count; i++)
            compare_object(command->u.launch.memobjs[i], command->serial);
    }
}

void host_bytes_enqueued(struct command *command)
{
    CHECKED(runtime_lock_held() && !command->writes_host);
    if (!host.watched)
        return;
    const bool paused =
        runtime_get()->scenario.shared_pages && guard_pause(); /* the guard may have closed pages */
    if (!host.writers)
        compare_used(command);
    if (command->kind == COMMAND_UNMAP_MEM_OBJECT)
        refresh_unmapped(command->u.map.record);
    if (paused)
        guard_leave();
    command->writes_host = writes_watched(command);
    host.writers += command->writes_host;
}

bool host_bytes_watches(uint64_t low, uint64_t high)
{
    const struct memobj *root = host.watched;
    while (root && !meets(root, &(struct host_extent){low, high}))
        root = root->next_watched;
    return root;
}

void host_bytes_settled(struct command *command)
{
    if (!command->writes_host)
        return;
    const struct host_extent extent = host_use_written(command);
    runtime_lock();
    command->writes_host = false;
    CHECKED(host.writers > 0);
    host.writers--;
    refresh_extent(&extent);
    runtime_unlock();
}
