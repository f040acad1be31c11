/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  What a unit of execution knows of others: a map from a unit (work-item, sub-group,
 *          work-group, copy) to a tick; everything it did before that tick is known.
 *          An immutable Patricia trie with counted references: a message costs one pointer,
 *          a join costs what differs. A leaf has the ticks of 64 neighbours: the members of a
 *          work-group mostly know of each other.
 *
 * Interface
 *   knowledge_get         tick of a key, 0: nothing is known
 *   knowledge_put, _join  make new maps (one reference), or return one of the old; they leave
 *                         the references of their arguments alone
 * NULL is the empty map. When memory runs out, or ticks no longer fit, pool->failed is set and maps lack entries.
 */
#ifndef ORRERY_MEMMODEL_KNOWLEDGE_H
#define ORRERY_MEMMODEL_KNOWLEDGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct knowledge;

/* Keys are numbers with a sort in their lowest two bits; ticks begin with 1. */

struct knowledge_pool {
    struct knowledge *unused[2]; /* branches, leaves */
    void *blocks;
    bool failed;
};

void knowledge_pool_init(struct knowledge_pool *pool);
void knowledge_pool_fini(struct knowledge_pool *pool); /* frees every map */

uint64_t knowledge_get(const struct knowledge *map, uint64_t key);
struct knowledge *knowledge_put(struct knowledge_pool *pool, struct knowledge *map, uint64_t key, uint64_t tick);
struct knowledge *knowledge_join(struct knowledge_pool *pool, struct knowledge *a, struct knowledge *b);
struct knowledge *knowledge_share(struct knowledge *map);
void knowledge_drop(struct knowledge_pool *pool, struct knowledge *map);

#endif
