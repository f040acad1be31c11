/* SPDX-License-Identifier: Apache-2.0 */
/* Release clocks: shared lists of what each release published, and the readers' positions in them. */
#include "order_state.h"

#include <stdlib.h>

#include "orrery/checked.h"

enum { STREAMS_MOST = HOSTILE(16, 2), BLOCK_RELEASES = HOSTILE(64, 2) };

/* ---- releases ---------------------------------------------------------------------------------- */

struct block {
    struct block *next;
    struct release items[BLOCK_RELEASES];
};

static bool refill(struct release_pool *pool)
{
    struct block *block = malloc(sizeof *block);
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
        pool->none.references += 2; /* it has no owner that could give it back */
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
    drop_all(order, release->known);
    release->next = order->releases.unused;
    order->releases.unused = release;
}

struct release *order_release_join(struct order *order, struct release *earlier, struct release *later)
{
    if (release_holds(later, earlier))
        return release_share(later);
    struct release *both = order_release_new(order, later->unit, later->site);
    for (int r = 0; r < ORDER_REGIONS; r++)
        set(order, &both->known[r], vclock_join(&order->pool, earlier->known[r], later->known[r]));
    return both;
}

void order_releases_fini(struct order *order)
{
    CHECKED(order->pool.block_count == 0); /* the clocks that releases published are gone */
    for (struct block *block = order->releases.blocks, *next; block; block = next) {
        next = block->next;
        free(block);
    }
    order->releases = (struct release_pool){0};
}

/* ---- lists ------------------------------------------------------------------------------------- */

bool order_grow(struct order *order, void **items, uint32_t *room, size_t size)
{
    CHECKED(size > 0 && *room <= UINT32_MAX / 2);
    uint32_t wanted = *room ? *room * 2 : HOSTILE(4, 1);
    void *grown = realloc(*items, wanted * size);
    if (!grown) {
        order->failed = true;
        return false;
    }
    *items = grown;
    *room = wanted;
    return true;
}

struct release_clock *order_list_find(const struct order *order, const struct release_clock_list *list,
                                      const struct release_clock *like, uint64_t stream)
{
    for (uint32_t i = list->count; i-- > 0;) /* the latest to come is the likeliest */
        if (list->items[i].stream == stream && same_sender(order, &list->items[i], like))
            return &list->items[i];
    return NULL;
}

void order_list_begin_small(struct release_clock_list *list)
{
    if (!list->room && (list->items = malloc(sizeof *list->items)))
        list->room = 1;
}

/* The list keeps references of its own. */
static uint32_t list_append(struct order *order, struct release_clock_list *list,
                            const struct release_clock *release_clock)
{
    if (list->count == list->room &&
        !order_grow(order, (void **)&list->items, &list->room, sizeof *list->items))
        return UINT32_MAX;
    list->items[list->count] = *release_clock;
    CHECKED(list->count < list->room && release_clock->release->references > 0);
    release_share(release_clock->release);
    return list->count++;
}

uint32_t order_list_add(struct order *order, struct release_clock_list *list,
                        const struct release_clock *release_clock)
{
    struct release_clock *old = order_list_find(order, list, release_clock, 0);
    order->searched += list->count;
    if (!old)
        return list_append(order, list, release_clock);
    join_release_clock(order, old, release_clock);
    return (uint32_t)(old - list->items);
}

/* Within one generation of an object a later message holds all of an earlier one. A result of it is kept by
 * itself, while there is room: replacing is cheaper than joining. */
uint32_t order_list_renew(struct order *order, struct release_clock_list *list,
                          const struct release_clock *release_clock, uint64_t stream)
{
    struct release_clock *old = order_list_find(order, list, release_clock, stream);
    order->searched += list->count;
    if (old) {
        replace_release_clock(order, old, release_clock);
        return (uint32_t)(old - list->items);
    }
    if (list->count >= STREAMS_MOST)
        return order_list_add(order, list, release_clock);
    struct release_clock own = *release_clock;
    own.stream = stream;
    return list_append(order, list, &own);
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
