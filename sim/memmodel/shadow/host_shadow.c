/* SPDX-License-Identifier: Apache-2.0 */
/* Shadows of the host's memory: an array of windows, sorted by address. */
#include "host_shadow.h"

#include <stdlib.h>
#include <string.h>

#include "sim/memmodel/common/list.h"

/* The index of the first window that ends after the address. */
static uint32_t place_of(const struct windows *windows, uint64_t address)
{
    uint32_t at;
    bisect(windows->count, at, windows->items[at]->high > address);
    return at;
}

static struct shadow_region *insert(struct windows *windows, uint32_t place, uint64_t low,
                                    struct spare *spare)
{
    struct shadow_region *window =
        room_for_one((void **)&windows->items, windows->count, &windows->room, HOSTILE(16, 1), sizeof window)
            ? calloc(1, sizeof *window)
            : NULL;
    if (!window)
        return NULL;
    shadow_region_init(window, WINDOW_FIRST_ID + windows->count, low, low + WINDOW_BYTES, IN_GLOBAL, spare);
    memmove(windows->items + place + 1, windows->items + place,
            (windows->count++ - place) * sizeof(struct shadow_region *));
    return windows->items[place] = window;
}

struct shadow_region *windows_at(struct windows *windows, uint64_t address, bool svm_atomics,
                                 struct spare *spare)
{
    const uint64_t low = address & ~(uint64_t)(WINDOW_BYTES - 1);
    if (windows->latest && windows->latest->low == low)
        return windows->latest;
    const uint32_t place = place_of(windows, address);
    struct shadow_region *window = place < windows->count && windows->items[place]->low == low
                                       ? windows->items[place]
                                       : insert(windows, place, low, spare);
    if (window) {
        window->of_host = true;
        window->svm_atomics = svm_atomics;
        windows->latest = window;
    }
    return window;
}

void windows_fini(struct windows *windows)
{
    for (uint32_t i = 0; i < windows->count; i++) {
        shadow_region_fini(windows->items[i]);
        free(windows->items[i]);
    }
    free(windows->items);
}
