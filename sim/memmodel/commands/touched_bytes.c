/* SPDX-License-Identifier: Apache-2.0 */
/* A list of host accesses, the oldest first. A touch is open while commands that come may race with it.
 * After that it stays only as the line of a store that a later finding may need. */
#include "touched_bytes.h"

#include <stdlib.h>
#include <string.h>

#include "orrery/checked.h"
#include "sim/memmodel/common/launch_names.h"

static void touch_free(struct touch *touch)
{
    launch_names_free(&touch->place);
    free(touch->what);
}

static void remove_touch(struct touches *touches, uint32_t at)
{
    CHECKED(at < touches->count);
    touch_free(&touches->items[at]);
    touches->count--;
    memmove(&touches->items[at], &touches->items[at + 1], (touches->count - at) * sizeof *touches->items);
}

void touches_fini(struct touches *touches)
{
    while (touches->count)
        remove_touch(touches, touches->count - 1);
}

struct touch *touches_add(struct touches *touches, const struct host_access *access, enum touch_of of,
                          uint32_t step)
{
    struct touch touch = {.address = access->address,
                          .write = access->write,
                          .of = of,
                          .open = !access->write || of != TOUCH_SHARED,
                          .step = step,
                          .place = access->place,
                          .what = strdup(access->what)};
    if (!launch_names_keep(&touch.place) || !touch.what) {
        touch_free(&touch);
        return NULL;
    }
    if (touches->count == TOUCHES_MOST)
        remove_touch(touches, 0);
    CHECKED(touches->count < TOUCHES_MOST);
    touches->items[touches->count] = touch;
    return &touches->items[touches->count++];
}

static bool lies_in(const struct touch *touch, uint64_t low, uint64_t high)
{
    return touch->address >= low && touch->address < high;
}

/* May a finding about the change need this line? */
static bool is_line(const struct touch *touch)
{
    return touch->write && touch->of == TOUCH_HOST_PTR;
}

const struct touch *touches_store(const struct touches *touches, uint64_t low, uint64_t high)
{
    for (uint32_t i = touches->count; i-- > 0;)
        if (touches->items[i].write && lies_in(&touches->items[i], low, high))
            return &touches->items[i];
    return NULL;
}

bool touches_meet(const struct touches *touches, uint64_t low, uint64_t high)
{
    for (uint32_t i = 0; i < touches->count; i++)
        if (touches->items[i].open && lies_in(&touches->items[i], low, high))
            return true;
    return false;
}

static void close_touch(struct touches *touches, uint32_t at)
{
    CHECKED(at < touches->count);
    touches->items[at].open = false;
    if (!is_line(&touches->items[at]))
        remove_touch(touches, at);
}

void touches_reported(struct touches *touches, struct touch *touch)
{
    close_touch(touches, (uint32_t)(touch - touches->items));
}

void touches_lines(struct touches *touches, uint64_t low, uint64_t high)
{
    for (uint32_t i = touches->count; i-- > 0;)
        if (is_line(&touches->items[i]) && lies_in(&touches->items[i], low, high))
            remove_touch(touches, i);
}

void touches_drop(struct touches *touches, uint32_t first)
{
    for (uint32_t i = touches->count; i-- > 0;)
        if (!touches->items[i].open || touches->items[i].step < first)
            close_touch(touches, i);
}
