/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operands from bytes. A place of a table that is empty stands for the next one that is not, so that most
 * handles are objects; some bytes stand for NULL, for an object of another sort and for no object at all.
 * Handles that were released stay in the tables.
 */
#include <string.h>

#include "calls_sequence.h"

uint8_t draw(struct sequence *s)
{
    return s->at < s->stop ? *s->at++ : 0;
}

bool draw_odd(struct sequence *s, unsigned one_in)
{
    return draw(s) % one_in == one_in - 1;
}

size_t draw_size(struct sequence *s)
{
    static const size_t odd[] = {128,
                                 129,
                                 255,
                                 256,
                                 257,
                                 300,
                                 500,
                                 512,
                                 1000,
                                 1023,
                                 1024,
                                 1025,
                                 2048,
                                 4095,
                                 4096,
                                 4097,
                                 65535,
                                 65536,
                                 HOST_BYTES,
                                 HOST_BYTES + 1,
                                 INT32_MAX,
                                 UINT32_MAX,
                                 1ULL << 32,
                                 1ULL << 33,
                                 1ULL << 40,
                                 SIZE_MAX / 4,
                                 SIZE_MAX / 3,
                                 SIZE_MAX / 2,
                                 SIZE_MAX / 2 + 1,
                                 SIZE_MAX - 128,
                                 SIZE_MAX - 1,
                                 SIZE_MAX};
    const uint8_t byte = draw(s);
    return byte < 128 ? byte : odd[byte % COUNT_OF(odd)];
}

size_t draw_bytes(struct sequence *s)
{
    static const size_t sizes[] = {256, 64, 128, 4, 16, 1, 3, 100, 512, 1000, 1024, 4096, 8, 65536};
    const uint8_t byte = draw(s);
    return byte % 16 < COUNT_OF(sizes) ? sizes[byte % 16] : draw_size(s);
}

uint64_t draw_flags(struct sequence *s, const uint64_t *flags, size_t count)
{
    const uint8_t byte = draw(s);
    if (byte < 192)
        return flags[byte % count];
    return byte < 240 ? flags[byte % count] | flags[byte / 7 % count] : UINT64_C(1) << draw(s) % 64;
}

void *draw_object(struct sequence *s, enum sort sort)
{
    const uint8_t byte = draw(s), place = byte % PLACES;
    switch (byte / PLACES) {
    case 31: return NULL;
    case 30: return s->object[(sort + place + 1) % SORTS][0];
    case 29: return world.host + place;
    default:
        for (unsigned i = 0; i < PLACES; i++)
            if (s->object[sort][(place + i) % PLACES])
                return s->object[sort][(place + i) % PLACES];
        return NULL;
    }
}

char *draw_host(struct sequence *s)
{
    const uint8_t byte = draw(s);
    return byte == 255 ? NULL : (char *)world.host + (byte < 128 ? 0 : byte);
}

struct shared *draw_shared(struct sequence *s)
{
    return &s->shared[draw(s) % PLACES];
}

struct map *draw_map(struct sequence *s)
{
    return &s->maps[draw(s) % PLACES];
}

void *draw_address(struct sequence *s, size_t *size)
{
    const uint8_t byte = draw(s);
    const struct shared *shared = &s->shared[byte % PLACES];
    const struct map *map = &s->maps[byte % PLACES];
    const size_t offset = byte & 64 ? draw(s) : 0;
    if (byte >= 250)
        return NULL;
    if (byte & 8 && map->pointer) {
        *size = *size < map->size ? *size : map->size;
        return map->pointer;
    }
    if (byte & 16 || !shared->pointer || shared->freed) {
        *size = *size < HOST_BYTES ? *size : HOST_BYTES;
        return world.host + offset;
    }
    return shared->pointer + offset % shared->size; /* its size is Orrery's to check */
}

struct note *draw_note(struct sequence *s)
{
    const uint8_t byte = draw(s);
    const size_t records = (size_t)(s->end - s->data) / CALLS_RECORD;
    if (s->nested || byte == 255 || s->note_count == NOTES || !records)
        return NULL;
    struct note *note = &s->notes[s->note_count++];
    *note = (struct note){s->data + byte % records * CALLS_RECORD, s};
    return note;
}

struct command_operands try_begin(struct sequence *s)
{
    struct command_operands operands = {.queue = DRAW_QUEUE(s)};
    const uint8_t byte = draw(s), count = byte % 4;
    if (byte >= 248) {
        operands.waits = byte & 1 ? s->list : NULL;
        operands.count = byte & 1 ? 0 : 1;
    } else if (count) {
        operands.count = count;
        operands.waits = s->list;
    }
    for (unsigned i = 0; i < COUNT_OF(s->list); i++)
        s->list[i] = s->object[EVENTS][(byte / 4 + i) % PLACES];
    s->fresh = NULL;
    operands.event = draw(s) % 4 == 3 ? NULL : &s->fresh;
    return operands;
}

void try_end(struct sequence *s)
{
    if (s->fresh)
        put(s, EVENTS, s->fresh, CL_SUCCESS);
    s->fresh = NULL;
}
