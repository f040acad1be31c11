/* SPDX-License-Identifier: Apache-2.0 */
/* Mutations of whole calls, and libFuzzer's own within one call, so that the others keep their operands. */
#include <stdlib.h>
#include <string.h>

#include "calls.h"

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *one, size_t one_size, const uint8_t *two, size_t two_size,
                                 uint8_t *out, size_t most, unsigned seed);

static uint32_t roll(uint32_t *random)
{
    *random = *random * 1664525 + 1013904223;
    return *random >> 8;
}

/* Few operands differ from 0, the ordinary one. */
static void draw_record(uint8_t *record, uint32_t *random)
{
    memset(record, 0, CALLS_RECORD);
    record[0] = (uint8_t)(roll(random) % calls_count);
    for (int i = 1; i < CALLS_RECORD; i++)
        if (roll(random) % 3 == 0)
            record[i] = (uint8_t)(roll(random) >> roll(random) % 8);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    uint32_t random = seed;
    size_t count = size / CALLS_RECORD;
    const size_t room = most / CALLS_RECORD;
    if (!room)
        return LLVMFuzzerMutate(data, size, most);
    uint8_t *const at = data + (count ? roll(&random) % count : 0) * CALLS_RECORD;
    const uint8_t *const other = data + (count ? roll(&random) % count : 0) * CALLS_RECORD;
    switch (count ? roll(&random) % 8 : 0) {
    case 0:
    case 1: /* one call more */
        if (count == room)
            break;
        memmove(at + CALLS_RECORD, at, (size_t)(data + count * CALLS_RECORD - at));
        draw_record(at, &random);
        count++;
        break;
    case 2: /* repeated */
        if (count == room)
            break;
        memmove(at + CALLS_RECORD, at, (size_t)(data + count * CALLS_RECORD - at));
        count++;
        break;
    case 3: /* left out */
        if (count == 1)
            break;
        count--;
        memmove(at, at + CALLS_RECORD, (size_t)(data + count * CALLS_RECORD - at));
        break;
    case 4: memmove(at, other, CALLS_RECORD); break;
    case 5: at[1 + roll(&random) % (CALLS_RECORD - 1)] = (uint8_t)(roll(&random) >> roll(&random) % 8); break;
    case 6: at[1 + roll(&random) % (CALLS_RECORD - 1)] = 0; break;
    default: LLVMFuzzerMutate(at, CALLS_RECORD, CALLS_RECORD);
    }
    return count * CALLS_RECORD;
}

size_t LLVMFuzzerCustomCrossOver(const uint8_t *one, size_t one_size, const uint8_t *two, size_t two_size,
                                 uint8_t *out, size_t most, unsigned seed)
{
    uint32_t random = seed;
    const size_t first = one_size / CALLS_RECORD, second = two_size / CALLS_RECORD,
                 room = most / CALLS_RECORD;
    size_t head = first ? roll(&random) % (first + 1) : 0, tail = second ? roll(&random) % (second + 1) : 0;
    head = head < room ? head : room;
    tail = tail < room - head ? tail : room - head;
    memcpy(out, one, head * CALLS_RECORD);
    memcpy(out + head * CALLS_RECORD, two + (second - tail) * CALLS_RECORD, tail * CALLS_RECORD);
    return (head + tail) * CALLS_RECORD;
}
