/* SPDX-License-Identifier: Apache-2.0 */
#include "history.h"

#include <stdlib.h>

/* No memory is no more room: a history explains, it decides nothing. */
struct happening *history_add(struct history *history, const struct happening *happening)
{
    if (history->count == history->room && !history->full) {
        uint32_t room = history->room ? 2 * history->room : 16;
        struct happening *items = history->count < HISTORY_MOST ? realloc(history->items, room * sizeof *items) : NULL;
        history->full = !items;
        if (items) {
            history->items = items;
            history->room = room;
        }
    }
    if (history->full)
        return NULL;
    history->items[history->count] = *happening;
    return &history->items[history->count++];
}

void history_value(struct history *history, uint64_t unit, uint64_t address, const struct lane_values *values)
{
    struct happening *latest = history->count ? &history->items[history->count - 1] : NULL;
    if (latest && !history->full && latest->kind == HAPPENED_ATOMIC && latest->by == unit && latest->address == address &&
        !latest->values.has_read && !latest->values.has_written)
        latest->values = *values;
}

void history_clear(struct history *history)
{
    history->count = 0;
    history->full = history->forgone;
}

void history_fini(struct history *history)
{
    free(history->items);
    *history = (struct history){.items = NULL};
}
