/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes that the host changed, in a short list sorted by command or step. When it is full the two latest
 * entries become one. */
#include "host_dirty.h"
#include "orrery/checked.h"

static void remove_item(struct host_dirty *host_dirty, uint32_t at)
{
    CHECKED(at < host_dirty->count);
    byte_set_fini(&host_dirty->items[at].bytes);
    for (host_dirty->count--; at < host_dirty->count; at++)
        host_dirty->items[at] = host_dirty->items[at + 1];
}

void host_dirty_fini(struct host_dirty *host_dirty)
{
    while (host_dirty->count)
        remove_item(host_dirty, host_dirty->count - 1);
}

bool host_dirty_empty(const struct host_dirty *host_dirty)
{
    return !host_dirty->count;
}

void host_dirty_add(struct host_dirty *host_dirty, uint64_t size, uint64_t low, uint64_t high,
                    uint32_t command)
{
    if (!host_dirty->count ||
        (host_dirty->items[host_dirty->count - 1].when != command && host_dirty->count < HOST_DIRTY_MOST))
        byte_set_init(&host_dirty->items[host_dirty->count++].bytes, size);
    CHECKED(host_dirty->count > 0 && host_dirty->count <= HOST_DIRTY_MOST);
    host_dirty->items[host_dirty->count - 1].when = command;
    byte_set_add(&host_dirty->items[host_dirty->count - 1].bytes, low, high);
}

void host_dirty_store(struct host_dirty *host_dirty, uint64_t size, uint64_t low, uint64_t high,
                      uint32_t step)
{
    const bool full = host_dirty->count == HOST_DIRTY_MOST;
    host_dirty_add(host_dirty, size, low, high, full ? host_dirty->items[HOST_DIRTY_MOST - 1].when : step);
}

bool host_dirty_meets(const struct host_dirty *host_dirty, const struct byte_set *bytes, uint32_t step,
                      struct byte_run *out_run)
{
    for (uint32_t i = 0; i < host_dirty->count; i++)
        if (host_dirty->items[i].when >= step &&
            byte_set_intersection(&host_dirty->items[i].bytes, bytes, out_run))
            return true;
    return false;
}

void host_dirty_drop(struct host_dirty *host_dirty, uint32_t first)
{
    for (uint32_t i = host_dirty->count; i-- > 0;)
        if (host_dirty->items[i].when < first)
            remove_item(host_dirty, i);
}

static void subtract(struct byte_set *from, const struct byte_set *less)
{
    struct byte_set rest;
    struct byte_run run;
    if (!byte_set_intersection(from, less, &run))
        return;
    byte_set_difference(from, less, &rest);
    byte_set_fini(from);
    *from = rest;
}

void host_dirty_renew(struct host_dirty *host_dirty, const struct byte_set *bytes, uint32_t command)
{
    for (uint32_t i = host_dirty->count; i-- > 0;) {
        if (host_dirty->items[i].when > command)
            continue;
        subtract(&host_dirty->items[i].bytes, bytes);
        if (host_dirty->items[i].bytes.failed || byte_set_empty(&host_dirty->items[i].bytes))
            remove_item(host_dirty, i);
    }
}

bool host_dirty_read(struct host_dirty *host_dirty, const struct byte_set *bytes,
                     const struct byte_set *own[2], uint32_t command, struct byte_run *out_run)
{
    bool found = false;
    for (uint32_t i = host_dirty->count; i-- > 0 && !found;) {
        struct byte_set once, rest;
        if (host_dirty->items[i].when > command ||
            !byte_set_intersection(&host_dirty->items[i].bytes, bytes, out_run))
            continue;
        byte_set_difference(&host_dirty->items[i].bytes, own[0], &once);
        byte_set_difference(&once, own[1], &rest);
        found = !once.failed && !rest.failed && byte_set_intersection(&rest, bytes, out_run);
        byte_set_fini(&once);
        byte_set_fini(&rest);
        if (found)
            remove_item(host_dirty, i);
    }
    return found;
}
