/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes that commands wrote and no map handed over: a short list of parts, each with the bytes of one
 * command. A later write or map takes its bytes out of earlier parts, so each byte is in one part at most.
 * When the list is full its oldest part is dropped, and less is reported.
 */
#include "device_dirty.h"
#include "orrery/checked.h"

static void remove_part(struct device_dirty *device_dirty, uint32_t at)
{
    CHECKED(at < device_dirty->count);
    byte_set_fini(&device_dirty->parts[at].bytes);
    for (device_dirty->count--; at < device_dirty->count; at++)
        device_dirty->parts[at] = device_dirty->parts[at + 1];
}

void device_dirty_fini(struct device_dirty *device_dirty)
{
    while (device_dirty->count)
        remove_part(device_dirty, device_dirty->count - 1);
}

bool device_dirty_empty(const struct device_dirty *device_dirty)
{
    return !device_dirty->count;
}

/* Takes ownership of the part. */
static void add(struct device_dirty *device_dirty, const struct device_dirty_part *part)
{
    if (device_dirty->count == DEVICE_DIRTY_MOST)
        remove_part(device_dirty, 0);
    device_dirty->parts[device_dirty->count++] = *part;
    CHECKED(device_dirty->count <= DEVICE_DIRTY_MOST && !byte_set_empty(&part->bytes));
}

/* Moves the bytes that the part has of these out of the part, which is removed when it is empty. */
static void take(struct device_dirty *device_dirty, uint32_t at, const struct byte_set *bytes,
                 struct byte_set *out_taken)
{
    struct byte_set rest;
    struct device_dirty_part *part = &device_dirty->parts[at];
    byte_set_difference(&part->bytes, bytes, &rest);
    byte_set_difference(&part->bytes, &rest, out_taken);
    if (rest.failed || out_taken->failed)
        byte_set_fini(out_taken);
    byte_set_fini(&part->bytes);
    byte_set_take(&part->bytes, &rest);
    if (part->bytes.failed || byte_set_empty(&part->bytes))
        remove_part(device_dirty, at);
}

static bool meets(const struct device_dirty_part *part, const struct byte_set *bytes)
{
    struct byte_run run;
    return byte_set_intersection(&part->bytes, bytes, &run);
}

static void drop(struct device_dirty *device_dirty, const struct byte_set *bytes)
{
    for (uint32_t i = device_dirty->count; i-- > 0;) {
        struct byte_set taken;
        if (!meets(&device_dirty->parts[i], bytes))
            continue;
        take(device_dirty, i, bytes, &taken);
        byte_set_fini(&taken);
    }
}

void device_dirty_write(struct device_dirty *device_dirty, const struct byte_set *bytes,
                        const struct byte_access *writer, const struct command_facts *facts)
{
    struct byte_set nothing;
    struct device_dirty_part part = {.writer = *writer, .facts = *facts};
    drop(device_dirty, bytes);
    byte_set_init(&nothing, bytes->size);
    byte_set_difference(bytes, &nothing, &part.bytes);
    if (part.bytes.failed || byte_set_empty(&part.bytes))
        byte_set_fini(&part.bytes);
    else
        add(device_dirty, &part);
}

/* Bytes that are mapped already are dropped: either map may hand them over, and which is not known. */
void device_dirty_map(struct device_dirty *device_dirty, const struct byte_set *bytes, uint32_t command)
{
    struct device_dirty mapped = {.count = 0};
    for (uint32_t i = device_dirty->count; i-- > 0;) {
        struct device_dirty_part part = device_dirty->parts[i];
        if (!meets(&part, bytes))
            continue;
        take(device_dirty, i, bytes, &part.bytes);
        if (part.map || byte_set_empty(&part.bytes))
            byte_set_fini(&part.bytes);
        else
            mapped.parts[mapped.count++] = part;
    }
    while (mapped.count) {
        struct device_dirty_part *part = &mapped.parts[--mapped.count];
        part->map = command;
        add(device_dirty, part);
    }
}

void device_dirty_forget(struct device_dirty *device_dirty, uint64_t low, uint64_t high)
{
    struct byte_run run = {low, high};
    const struct byte_set bytes = {.runs = &run, .count = 1, .size = high};
    drop(device_dirty, &bytes);
}

const struct device_dirty_part *device_dirty_at(const struct device_dirty *device_dirty, uint64_t offset)
{
    struct byte_run run;
    for (uint32_t i = 0; i < device_dirty->count; i++)
        if (byte_set_next(&device_dirty->parts[i].bytes, offset, &run) && run.low == offset)
            return &device_dirty->parts[i];
    return NULL;
}

void device_dirty_settle(struct device_dirty *device_dirty,
                         bool (*done)(const struct command_graph *graph, uint32_t command),
                         const struct command_graph *graph)
{
    for (uint32_t i = device_dirty->count; i-- > 0;)
        if (device_dirty->parts[i].map && done(graph, device_dirty->parts[i].map))
            remove_part(device_dirty, i);
}
