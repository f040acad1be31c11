/* SPDX-License-Identifier: Apache-2.0 */
#include "touches.h"

#include <stdlib.h>
#include <string.h>

static void touch_free(struct touch *touch)
{
    free((char *)(uintptr_t)touch->place.file);
    free((char *)(uintptr_t)touch->place.text);
    free(touch->what);
}

void touches_remove(struct touches *touches, uint32_t at)
{
    touch_free(&touches->items[at]);
    touches->count--;
    memmove(&touches->items[at], &touches->items[at + 1], (touches->count - at) * sizeof *touches->items);
}

void touches_fini(struct touches *touches)
{
    while (touches->count)
        touches_remove(touches, touches->count - 1);
}

void touches_add(struct touches *touches, const struct host_access *access, uint32_t latest)
{
    struct touch touch = {.address = access->address, .write = access->write, .latest = latest, .place = access->place,
                          .what = strdup(access->what)};
    touch.place.file = access->place.file ? strdup(access->place.file) : NULL;
    touch.place.text = access->place.text ? strdup(access->place.text) : NULL;
    if (!touch.what || !touch.place.file != !access->place.file || !touch.place.text != !access->place.text) {
        touch_free(&touch);
        return;
    }
    if (touches->count == TOUCHES_MOST)
        touches_remove(touches, 0);
    touches->items[touches->count++] = touch;
}

const struct touch *touches_store(const struct touches *touches, uint64_t low, uint64_t high)
{
    for (uint32_t i = touches->count; i-- > 0;)
        if (touches->items[i].write && touches->items[i].address >= low && touches->items[i].address < high)
            return &touches->items[i];
    return NULL;
}

bool touches_meet(const struct touches *touches, uint64_t low, uint64_t high)
{
    for (uint32_t i = 0; i < touches->count; i++)
        if (!touches->items[i].write && touches->items[i].address >= low && touches->items[i].address < high)
            return true;
    return false;
}

void touches_drop(struct touches *touches, uint32_t first)
{
    for (uint32_t i = touches->count; i-- > 0;)
        if (touches->items[i].write || touches->items[i].latest < first)
            touches_remove(touches, i);
}
