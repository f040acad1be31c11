/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory for one module or lowering: blocks of 64 KiB from which pieces are cut in order, freed at once. What
 * is larger gets a block of its own. Pieces are aligned to 16 bytes and cleared as they are handed out. Out
 * of memory is a longjmp to the owner's handler.
 */
#include "arena.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "orrery/limits.h"

struct arena_block {
    struct arena_block *older;
    max_align_t bytes[];
};

enum { BLOCK_BYTES = HOSTILE(64 * 1024, 64), FIRST_ROOM = HOSTILE(8, 1) };

/* Cleared as it is handed out, since of most blocks little is; what fills a block of its own comes
 * cleared. */
void *arena_alloc(struct arena *arena, size_t size)
{
    size = (size + 15) & ~(size_t)15;
    const bool fills_block = size > BLOCK_BYTES;
    if (size > arena->size - arena->used || !arena->blocks) {
        const size_t room = fills_block ? size : BLOCK_BYTES;
        struct arena_block *block =
            fills_block ? calloc(1, sizeof *block + room) : malloc(sizeof *block + room);
        if (!block)
            longjmp(*arena->out_of_memory, 1);
        block->older = arena->blocks;
        arena->blocks = block;
        arena->used = 0;
        arena->size = room;
    }
    void *result = (char *)arena->blocks->bytes + arena->used;
    arena->used += size;
    return fills_block ? result : memset(result, 0, size);
}

void *arena_copy(struct arena *arena, const void *bytes, size_t size)
{
    void *copy = arena_alloc(arena, size);
    if (size)
        memcpy(copy, bytes, size);
    return copy;
}

char *arena_format(struct arena *arena, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int size = vsnprintf(NULL, 0, format, args);
    va_end(args);
    char *text = arena_alloc(arena, (size_t)size + 1);
    va_start(args, format);
    vsnprintf(text, (size_t)size + 1, format, args);
    va_end(args);
    return text;
}

void arena_free(struct arena *arena)
{
    while (arena->blocks) {
        struct arena_block *older = arena->blocks->older;
        free(arena->blocks);
        arena->blocks = older;
    }
    arena->used = arena->size = 0;
}

void *arena_grow(struct arena *arena, void *at, uint32_t count, uint32_t *room, size_t element)
{
    *room = *room ? *room * 2 : FIRST_ROOM;
    void *larger = arena_alloc(arena, *room * element);
    if (count)
        memcpy(larger, at, count * element);
    return larger;
}
