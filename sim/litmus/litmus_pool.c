/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory of one test: each piece is an allocation in a list, all freed at once. Out of memory jumps to the
 * parser's handler, so that parsing reads straight.
 */
#include "litmus_pool.h"

#include <stdlib.h>
#include <string.h>

struct pool_piece {
    struct pool_piece *next;
    max_align_t bytes[];
};

void *pool_take(struct pool *pool, size_t size)
{
    struct pool_piece *piece = calloc(1, sizeof *piece + size);
    if (!piece)
        longjmp(*pool->fail, 1);
    piece->next = pool->first;
    pool->first = piece;
    return piece->bytes;
}

char *pool_text(struct pool *pool, const char *start, size_t length)
{
    char *text = pool_take(pool, length + 1);
    memcpy(text, start, length);
    return text;
}

void pool_fini(struct pool *pool)
{
    for (struct pool_piece *piece = pool->first, *next; piece; piece = next) {
        next = piece->next;
        free(piece);
    }
    pool->first = NULL;
}
