/* SPDX-License-Identifier: Apache-2.0 */
#include "unseen.h"

static void remove_part(struct unseen *unseen, uint32_t at)
{
    byte_set_fini(&unseen->parts[at].bytes);
    for (unseen->count--; at < unseen->count; at++)
        unseen->parts[at] = unseen->parts[at + 1];
}

void unseen_fini(struct unseen *unseen)
{
    while (unseen->count)
        remove_part(unseen, unseen->count - 1);
}

bool unseen_empty(const struct unseen *unseen)
{
    return !unseen->count;
}

/* Takes the bytes; the oldest goes when there are too many. */
static void add(struct unseen *unseen, const struct unseen_part *part)
{
    if (unseen->count == UNSEEN_MOST)
        remove_part(unseen, 0);
    unseen->parts[unseen->count++] = *part;
}

/* Those that are there; they are no longer of the part, which goes when it has no others. */
static void take(struct unseen *unseen, uint32_t at, const struct byte_set *bytes, struct byte_set *out_taken)
{
    struct byte_set rest;
    struct unseen_part *part = &unseen->parts[at];
    byte_set_difference(&part->bytes, bytes, &rest);
    byte_set_difference(&part->bytes, &rest, out_taken);
    if (rest.failed || out_taken->failed)
        byte_set_fini(out_taken);
    byte_set_fini(&part->bytes);
    byte_set_take(&part->bytes, &rest);
    if (part->bytes.failed || byte_set_empty(&part->bytes))
        remove_part(unseen, at);
}

static bool meets(const struct unseen_part *part, const struct byte_set *bytes)
{
    struct byte_run run;
    return byte_set_intersection(&part->bytes, bytes, &run);
}

static void drop(struct unseen *unseen, const struct byte_set *bytes)
{
    for (uint32_t i = unseen->count; i-- > 0;) {
        struct byte_set taken;
        if (!meets(&unseen->parts[i], bytes))
            continue;
        take(unseen, i, bytes, &taken);
        byte_set_fini(&taken);
    }
}

void unseen_write(struct unseen *unseen, const struct byte_set *bytes, const struct byte_access *writer, const struct command_facts *facts)
{
    struct byte_set nothing;
    struct unseen_part part = {.writer = *writer, .facts = *facts};
    drop(unseen, bytes);
    byte_set_init(&nothing, bytes->size);
    byte_set_difference(bytes, &nothing, &part.bytes);
    if (part.bytes.failed || byte_set_empty(&part.bytes))
        byte_set_fini(&part.bytes);
    else
        add(unseen, &part);
}

/* Of two maps either may hand over: what is mapped already is dropped. */
void unseen_map(struct unseen *unseen, const struct byte_set *bytes, uint32_t command)
{
    struct unseen mapped = {.count = 0};
    for (uint32_t i = unseen->count; i-- > 0;) {
        struct unseen_part part = unseen->parts[i];
        if (!meets(&part, bytes))
            continue;
        take(unseen, i, bytes, &part.bytes);
        if (part.map || byte_set_empty(&part.bytes))
            byte_set_fini(&part.bytes);
        else
            mapped.parts[mapped.count++] = part;
    }
    while (mapped.count) {
        struct unseen_part *part = &mapped.parts[--mapped.count];
        part->map = command;
        add(unseen, part);
    }
}

void unseen_forget(struct unseen *unseen, uint64_t low, uint64_t high)
{
    struct byte_run run = {low, high};
    const struct byte_set bytes = {.runs = &run, .count = 1, .size = high};
    drop(unseen, &bytes);
}

const struct unseen_part *unseen_at(const struct unseen *unseen, uint64_t offset)
{
    struct byte_run run;
    for (uint32_t i = 0; i < unseen->count; i++)
        if (byte_set_next(&unseen->parts[i].bytes, offset, &run) && run.low == offset)
            return &unseen->parts[i];
    return NULL;
}

void unseen_settle(struct unseen *unseen, bool (*done)(const struct command_graph *graph, uint32_t command),
                   const struct command_graph *graph)
{
    for (uint32_t i = unseen->count; i-- > 0;)
        if (unseen->parts[i].map && done(graph, unseen->parts[i].map))
            remove_part(unseen, i);
}
