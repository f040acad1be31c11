/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Release clocks, shared and counted, and lists of them.
 *
 * A list has at most one release for each set of readers (same_readers) and origin: adding a second one joins
 * the clocks.
 */
#include "order_state.h"

#include <stdlib.h>

#include "orrery/checked.h"
#include "sim/memmodel/common/room.h"

enum { BLOCK_RELEASES = HOSTILE(64, 2) };

/* ---- releases ---------------------------------------------------------------------------------- */

struct release_block {
    struct release_block *next;
    struct release items[BLOCK_RELEASES];
};

static bool refill(struct release_pool *pool)
{
    struct release_block *block = malloc(sizeof *block);
    if (!block)
        return false;
    block->next = pool->blocks;
    pool->blocks = block;
    for (uint32_t i = 0; i < BLOCK_RELEASES; i++) {
        block->items[i].next = pool->unused;
        pool->unused = &block->items[i];
    }
    return true;
}

struct release *order_release_new(struct order *order, uint64_t unit, uint32_t site)
{
    struct release_pool *pool = &order->releases;
    if (!pool->unused && !refill(pool)) {
        order->failed = true;
        pool->none.references += 2; /* the object is not of a block and must never be freed */
        return &pool->none;
    }
    struct release *release = pool->unused;
    pool->unused = release->next;
    *release = (struct release){.references = 1, .site = site, .unit = unit};
    return release;
}

void order_release_free(struct order *order, struct release *release)
{
    CHECKED(release->references == 0);
    drop_all(order, release->vclock);
    release->next = order->releases.unused;
    order->releases.unused = release;
}

/* In constant time. True: the earlier release adds nothing to what the later one publishes. False:
 * undecided. */
static bool release_dominates_quickly(const struct release *later, const struct release *earlier)
{
    return later == earlier ||
           (vclock_dominates_quickly(later->vclock[IN_GLOBAL], earlier->vclock[IN_GLOBAL]) &&
            vclock_dominates_quickly(later->vclock[IN_LOCAL], earlier->vclock[IN_LOCAL]) &&
            vclock_dominates_quickly(later->vclock[IN_IMAGE], earlier->vclock[IN_IMAGE]));
}

static struct release *release_join(struct order *order, struct release *earlier, struct release *later)
{
    if (release_dominates_quickly(later, earlier))
        return release_share(later);
    struct release *both = order_release_new(order, later->unit, later->site);
    for (int r = 0; r < ORDER_REGIONS; r++)
        set(order, &both->vclock[r], vclock_join(&order->pool, earlier->vclock[r], later->vclock[r]));
    return both;
}

void order_releases_fini(struct order *order)
{
    CHECKED(order->pool.block_count == 0); /* clocks are freed with their pool, which comes first */
    for (struct release_block *block = order->releases.blocks, *next; block; block = next) {
        next = block->next;
        free(block);
    }
    order->releases = (struct release_pool){0};
}

/* ---- lists ------------------------------------------------------------------------------------- */

bool order_grow(struct order *order, void **items, uint32_t *room, size_t size)
{
    const bool grown = room_grow(items, room, HOSTILE(4, 1), size);
    order->failed |= !grown;
    return grown;
}

static struct release_clock *order_list_find(const struct order *order, const struct release_clock_list *list,
                                             const struct release_clock *like)
{
    for (uint32_t i = list->count; i-- > 0;) /* the latest entry is the likeliest */
        if (same_readers(order, &list->items[i], like))
            return &list->items[i];
    return NULL;
}

void order_list_reserve_one(struct release_clock_list *list)
{
    if (!list->room && (list->items = malloc(sizeof *list->items)))
        list->room = 1;
}

/* The list has a reference of its own. */
static void list_append(struct order *order, struct release_clock_list *list,
                        const struct release_clock *release_clock)
{
    if (list->count == list->room &&
        !order_grow(order, (void **)&list->items, &list->room, sizeof *list->items))
        return;
    CHECKED(list->count < list->room && release_clock->release->references > 0);
    list->items[list->count++] = *release_clock;
    release_share(release_clock->release);
}

static void join_into_entry(struct order *order, struct release_clock *old,
                            const struct release_clock *release_clock)
{
    struct release *both = release_join(order, old->release, release_clock->release);
    release_drop(order, old->release);
    old->release = both;
    old->version = release_clock->version;
}

/* later: the release includes an earlier one that reaches the same readers. */
static void list_put(struct order *order, struct release_clock_list *list,
                     const struct release_clock *release_clock, bool later)
{
    struct release_clock *old = order_list_find(order, list, release_clock);
    order->searched += list->count;
    if (!old)
        list_append(order, list, release_clock);
    else if (later)
        replace_release_clock(order, old, release_clock);
    else
        join_into_entry(order, old, release_clock);
}

void order_list_add(struct order *order, struct release_clock_list *list,
                    const struct release_clock *release_clock)
{
    list_put(order, list, release_clock, false);
}

void order_list_replace(struct order *order, struct release_clock_list *list,
                        const struct release_clock *release_clock)
{
    list_put(order, list, release_clock, true);
}

void order_list_clear(struct order *order, struct release_clock_list *list)
{
    for (uint32_t i = 0; i < list->count; i++)
        release_drop(order, list->items[i].release);
    list->count = 0;
}

void order_list_free(struct order *order, struct release_clock_list *list)
{
    order_list_clear(order, list);
    free(list->items);
    *list = (struct release_clock_list){0};
}
