/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes that one side changed: a short list of parts. A later write or map by a command takes its bytes out
 * of earlier parts, so each byte that commands wrote is in one part at most.
 */
#include "dirty_bytes.h"
#include "orrery/checked.h"

void dirty_bytes_remove(struct dirty_bytes *dirty, uint32_t at)
{
    CHECKED(at < dirty->count);
    byte_set_fini(&dirty->parts[at].bytes);
    for (dirty->count--; at < dirty->count; at++)
        dirty->parts[at] = dirty->parts[at + 1];
}

void dirty_bytes_fini(struct dirty_bytes *dirty)
{
    while (dirty->count)
        dirty_bytes_remove(dirty, dirty->count - 1);
}

void dirty_bytes_drop(struct dirty_bytes *dirty, uint32_t first)
{
    for (uint32_t i = dirty->count; i-- > 0;)
        if (dirty->parts[i].when < first)
            dirty_bytes_remove(dirty, i);
}

void dirty_bytes_add(struct dirty_bytes *dirty, uint64_t size, uint64_t low, uint64_t high, uint32_t when,
                     bool renews)
{
    struct dirty_part *latest = dirty->count ? &dirty->parts[dirty->count - 1] : NULL;
    if (!latest || (latest->when != when && dirty->count < DIRTY_PARTS_MOST)) {
        latest = &dirty->parts[dirty->count++];
        *latest = (struct dirty_part){.when = when};
        byte_set_init(&latest->bytes, size);
    }
    CHECKED(dirty->count > 0 && dirty->count <= DIRTY_PARTS_MOST);
    if (renews)
        latest->when = when;
    byte_set_add(&latest->bytes, low, high);
}

/* Takes ownership of the part. */
static void add_latest(struct dirty_bytes *dirty, const struct dirty_part *part)
{
    if (dirty->count == DIRTY_PARTS_MOST)
        dirty_bytes_remove(dirty, 0);
    dirty->parts[dirty->count++] = *part;
    CHECKED(dirty->count <= DIRTY_PARTS_MOST && !byte_set_empty(&part->bytes));
}

static bool has_some(const struct dirty_part *part, const struct byte_set *bytes)
{
    struct byte_run run;
    return byte_set_intersection(&part->bytes, bytes, &run);
}

/* Moves the bytes that the part has of these out of the part, which is removed when it is empty. */
static void take(struct dirty_bytes *dirty, uint32_t at, const struct byte_set *bytes,
                 struct byte_set *out_taken)
{
    struct byte_set rest;
    struct dirty_part *part = &dirty->parts[at];
    CHECKED(at < dirty->count && !byte_set_empty(&part->bytes));
    byte_set_difference(&part->bytes, bytes, &rest);
    byte_set_difference(&part->bytes, &rest, out_taken);
    if (rest.failed || out_taken->failed)
        byte_set_fini(out_taken);
    byte_set_fini(&part->bytes);
    byte_set_take(&part->bytes, &rest);
    if (part->bytes.failed || byte_set_empty(&part->bytes))
        dirty_bytes_remove(dirty, at);
}

void dirty_bytes_forget(struct dirty_bytes *dirty, const struct byte_set *bytes, uint32_t last)
{
    for (uint32_t i = dirty->count; i-- > 0;) {
        struct byte_set taken;
        if (dirty->parts[i].when > last || !has_some(&dirty->parts[i], bytes))
            continue;
        take(dirty, i, bytes, &taken);
        byte_set_fini(&taken);
    }
}

void dirty_bytes_write(struct dirty_bytes *dirty, const struct byte_set *bytes,
                       const struct byte_access *writer, const struct command_facts *facts)
{
    struct dirty_part part = {.writer = *writer, .facts = *facts};
    dirty_bytes_forget(dirty, bytes, UINT32_MAX);
    byte_set_init(&part.bytes, bytes->size);
    byte_set_join(&part.bytes, bytes);
    if (part.bytes.failed || byte_set_empty(&part.bytes))
        byte_set_fini(&part.bytes);
    else
        add_latest(dirty, &part);
}

void dirty_bytes_map(struct dirty_bytes *dirty, const struct byte_set *bytes, uint32_t command)
{
    struct dirty_bytes mapped = {.count = 0};
    CHECKED(command); /* 0 stands for no command */
    for (uint32_t i = dirty->count; i-- > 0;) {
        struct dirty_part part = dirty->parts[i];
        if (!has_some(&part, bytes))
            continue;
        take(dirty, i, bytes, &part.bytes);
        if (part.when || byte_set_empty(&part.bytes))
            byte_set_fini(&part.bytes);
        else
            mapped.parts[mapped.count++] = part;
    }
    while (mapped.count) {
        struct dirty_part *part = &mapped.parts[--mapped.count];
        part->when = command;
        add_latest(dirty, part);
    }
}

bool dirty_bytes_read(const struct dirty_part *part, const struct byte_set *sets, enum footprint_use read,
                      struct byte_run *out_run)
{
    struct byte_set once, rest;
    CHECKED(read == FOOTPRINT_READ || read == FOOTPRINT_ATOMIC_READ);
    if (!byte_set_intersection(&part->bytes, &sets[read], out_run))
        return false;
    byte_set_difference(&part->bytes, &sets[FOOTPRINT_WRITTEN], &once);
    byte_set_difference(&once, &sets[FOOTPRINT_ATOMIC], &rest);
    const bool found = !once.failed && !rest.failed && byte_set_intersection(&rest, &sets[read], out_run);
    byte_set_fini(&once);
    byte_set_fini(&rest);
    return found;
}

const struct dirty_part *dirty_bytes_at(const struct dirty_bytes *dirty, uint64_t offset)
{
    struct byte_run run;
    for (uint32_t i = 0; i < dirty->count; i++)
        if (byte_set_next(&dirty->parts[i].bytes, offset, &run) && run.low == offset)
            return &dirty->parts[i];
    return NULL;
}

bool dirty_bytes_since(const struct dirty_bytes *dirty, const struct byte_set *bytes, uint32_t step,
                       struct byte_run *out_run)
{
    for (uint32_t i = 0; i < dirty->count; i++)
        if (dirty->parts[i].when >= step && byte_set_intersection(&dirty->parts[i].bytes, bytes, out_run))
            return true;
    return false;
}
