/* SPDX-License-Identifier: Apache-2.0 */
/* The process's mappings as /proc/self/maps lists them, looked up by bisection. */
#include "host_memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "orrery/checked.h"

struct memory_extent {
    uint64_t low, high;
    bool writable, shared;
};
struct host_memory {
    struct memory_extent *extents;
    size_t count, room;
    bool fresh, touched, foreign;
    uint64_t writes;
};

struct host_memory *host_memory_new(void)
{
    return calloc(1, sizeof(struct host_memory));
}

void host_memory_free(struct host_memory *host)
{
    if (!host)
        return;
    free(host->extents);
    free(host);
}

void host_memory_forget(struct host_memory *host)
{
    host->fresh = false;
}

/* If out of memory the remaining mappings count as not permitted: a false finding is possible, a crash is
 * not. */
static bool add(struct host_memory *host, struct memory_extent extent)
{
    struct memory_extent *last = host->count ? &host->extents[host->count - 1] : NULL;
    if (last && last->high == extent.low && last->writable == extent.writable &&
        last->shared == extent.shared) {
        last->high = extent.high;
        return true;
    }
    if (host->count == host->room) {
        size_t room = host->room ? 2 * host->room : 64;
        struct memory_extent *extents = realloc(host->extents, room * sizeof *extents);
        if (!extents)
            return false;
        host->extents = extents;
        host->room = room;
    }
    CHECKED(host->count < host->room && extent.low < extent.high);
    host->extents[host->count++] = extent;
    return true;
}

static void look(struct host_memory *host)
{
    char line[512], modes[5];
    FILE *maps = fopen("/proc/self/maps", "re");
    struct memory_extent extent;
    host->count = 0;
    host->fresh = true;
    while (maps && fgets(line, sizeof line, maps)) {
        if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s", &extent.low, &extent.high, modes) != 3 ||
            modes[0] != 'r')
            continue; /* not readable, or the end of a long line */
        extent.writable = modes[1] == 'w';
        extent.shared = modes[3] == 's';
        if (!add(host, extent))
            break;
    }
    if (maps)
        fclose(maps);
}

/* A range may span several mappings with different permissions. */
static bool holds(struct host_memory *host, uint64_t address, uint64_t end, bool write)
{
    for (size_t i = 0; i < host->count && address < end; i++) {
        const struct memory_extent *extent = &host->extents[i];
        if (extent->high <= address)
            continue;
        if (extent->low > address || (write && !extent->writable))
            return false;
        host->foreign |= extent->shared;
        address = extent->high;
    }
    return address >= end;
}

static bool permits(void *self, uint64_t address, uint64_t bytes, bool write)
{
    struct host_memory *host = self;
    uint64_t end;
    host->touched = true;
    host->writes += write;
    if (__builtin_add_overflow(address, bytes, &end))
        return false;
    if (host->fresh && holds(host, address, end, write))
        return true;
    look(host);
    return holds(host, address, end, write);
}

bool host_memory_touched(const struct host_memory *host)
{
    return host->touched;
}

uint64_t host_memory_writes(const struct host_memory *host)
{
    return host->writes;
}

bool host_memory_foreign(const struct host_memory *host)
{
    return host->foreign;
}

struct memory_host host_memory_port(struct host_memory *host)
{
    return (struct memory_host){host, permits};
}

bool host_memory_has(uint64_t address, uint64_t bytes)
{
    struct host_memory host = {.count = 0};
    bool has = permits(&host, address, bytes, false);
    free(host.extents);
    return has;
}
