/* SPDX-License-Identifier: Apache-2.0 */
#include "stale.h"

static void remove_item(struct stale *stale, uint32_t at)
{
    byte_set_fini(&stale->items[at].bytes);
    for (stale->count--; at < stale->count; at++)
        stale->items[at] = stale->items[at + 1];
}

void stale_fini(struct stale *stale)
{
    while (stale->count)
        remove_item(stale, stale->count - 1);
}

bool stale_empty(const struct stale *stale)
{
    return !stale->count;
}

void stale_add(struct stale *stale, uint64_t size, uint64_t low, uint64_t high, uint32_t command)
{
    if (!stale->count || (stale->items[stale->count - 1].when != command && stale->count < STALE_MOST))
        byte_set_init(&stale->items[stale->count++].bytes, size);
    stale->items[stale->count - 1].when = command;
    byte_set_add(&stale->items[stale->count - 1].bytes, low, high);
}

void stale_store(struct stale *stale, uint64_t size, uint64_t low, uint64_t high, uint32_t step)
{
    const bool full = stale->count == STALE_MOST;
    stale_add(stale, size, low, high, full ? stale->items[STALE_MOST - 1].when : step);
}

bool stale_meets(const struct stale *stale, const struct byte_set *bytes, uint32_t step, struct byte_run *out_run)
{
    for (uint32_t i = 0; i < stale->count; i++)
        if (stale->items[i].when >= step && byte_set_intersection(&stale->items[i].bytes, bytes, out_run))
            return true;
    return false;
}

void stale_drop(struct stale *stale, uint32_t first)
{
    for (uint32_t i = stale->count; i-- > 0;)
        if (stale->items[i].when < first)
            remove_item(stale, i);
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

void stale_renew(struct stale *stale, const struct byte_set *bytes, uint32_t command)
{
    for (uint32_t i = stale->count; i-- > 0;) {
        if (stale->items[i].when > command)
            continue;
        subtract(&stale->items[i].bytes, bytes);
        if (stale->items[i].bytes.failed || byte_set_empty(&stale->items[i].bytes))
            remove_item(stale, i);
    }
}

bool stale_read(struct stale *stale, const struct byte_set *bytes, const struct byte_set *own[2], uint32_t command,
                struct byte_run *out_run)
{
    bool found = false;
    for (uint32_t i = stale->count; i-- > 0 && !found;) {
        struct byte_set once, rest;
        if (stale->items[i].when > command || !byte_set_intersection(&stale->items[i].bytes, bytes, out_run))
            continue;
        byte_set_difference(&stale->items[i].bytes, own[0], &once);
        byte_set_difference(&once, own[1], &rest);
        found = !once.failed && !rest.failed && byte_set_intersection(&rest, bytes, out_run);
        byte_set_fini(&once);
        byte_set_fini(&rest);
        if (found)
            remove_item(stale, i);
    }
    return found;
}
