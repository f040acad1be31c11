/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory of CL_MEM_USE_HOST_PTR: a copy of the bytes is compared, chunk by chunk, whenever the host may have
 * stored.
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

enum { CHUNK = 1 << 14 };

/* Guarded by runtime_lock, as is what hangs on it. */
static struct {
    struct memobj *watched;
    uint32_t pending; /* commands that may write memory of the host */
} host;

/* ---- the bytes --------------------------------------------------------------------------- */

/* False: the program has them no more. */
static bool copy_of_host(char *target, const char *source, size_t size)
{
    struct iovec to = {target, size}, from = {(void *)(uintptr_t)source, size};
    return process_vm_readv(getpid(), &to, 1, &from, 1, 0) == (ssize_t)size;
}

static void forget(struct memobj *root)
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

static void see_again(struct memobj *root, size_t low, size_t high)
{
    if (root->seen && low < high &&
        !copy_of_host(root->seen + low, (const char *)root->host_ptr + low, high - low))
        forget(root);
}

static bool meets(const struct memobj *root, const struct extent *extent)
{
    const uint64_t low = (uint64_t)(uintptr_t)root->host_ptr;
    return extent->low < low + root->size && extent->high > low;
}

static void see_extent_again(const struct extent *extent)
{
    for (struct memobj *root = host.watched, *next; root; root = next) {
        next = root->next_watched;
        if (meets(root, extent))
            see_again(root, 0, root->size);
    }
}

/* The changed bytes, except those mapped from this record on. */
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
            forget(root);
        else if (memcmp(root->seen + at, now, size) != 0)
            compare_chunk(root, at, size, now, command);
    }
}

/* ---- which buffers ------------------------------------------------------------------------- */

void host_bytes_begin(struct memobj *memobj)
{
    const bool apart = memobj->flags & CL_MEM_USE_HOST_PTR && !memobj->is_svm && !memobj->parent;
    if (!apart || !order_observed() || context_any(memobj->context, device_supports_svm_system))
        return;
    runtime_lock();
    memobj->seen = malloc(memobj->size);
    if (memobj->seen) {
        /* some of it may be closed */
        const bool paused = runtime_get()->scenario.shared_pages && guard_pause();
        memobj->next_watched = host.watched;
        host.watched = memobj;
        see_again(memobj, 0, memobj->size);
        if (paused)
            guard_leave();
    }
    runtime_unlock();
}

void host_bytes_end(struct memobj *memobj)
{
    runtime_lock();
    if (memobj->seen)
        forget(memobj);
    runtime_unlock();
}

static void used(struct memobj *memobj, uint32_t command)
{
    while (memobj && memobj->parent)
        memobj = memobj->parent;
    if (memobj && memobj->seen)
        compare(memobj, command);
}

/* The host's stores during the map are the device's bytes now. */
static void unmapped(const struct map_record *record)
{
    struct memobj *root = record->owner;
    while (root->parent)
        root = root->parent;
    if (root->seen)
        see_again(root, record->offset, aliased_maps_end(record));
}

/* ---- commands -------------------------------------------------------------------------------- */

static bool writes_watched(const struct command *command)
{
    const struct extent extent = host_use_written(command);
    const struct memobj *root = host.watched;
    while (root && !meets(root, &extent))
        root = root->next_watched;
    return root;
}

static void compare_used(const struct command *command)
{
    if (command_transfers(command)) {
        used(command->u.transfer.source, command->serial);
        used(command->u.transfer.target, command->serial);
    } else if (command->kind == COMMAND_FILL_BUFFER || command->kind == COMMAND_FILL_IMAGE) {
        used(command->u.fill.target, command->serial);
    } else if (command_launches(command)) {
        for (size_t i = 0; i < command->u.launch.memobj_count; i++)
            used(command->u.launch.memobjs[i], command->serial);
    }
}

void host_bytes_enqueued(struct command *command)
{
    CHECKED(runtime_lock_held() && !command->writes_host);
    if (!host.watched)
        return;
    const bool paused = runtime_get()->scenario.shared_pages && guard_pause(); /* some of it may be closed */
    if (!host.pending)
        compare_used(command);
    if (command->kind == COMMAND_UNMAP_MEM_OBJECT)
        unmapped(command->u.map.record);
    if (paused)
        guard_leave();
    command->writes_host = writes_watched(command);
    host.pending += command->writes_host;
}

void host_bytes_settled(struct command *command)
{
    if (!command->writes_host)
        return;
    const struct extent extent = host_use_written(command);
    runtime_lock();
    command->writes_host = false;
    CHECKED(host.pending > 0);
    host.pending--;
    see_extent_again(&extent);
    runtime_unlock();
}
