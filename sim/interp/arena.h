/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Memory for one module or one lowering: allocated piece by piece, freed at
 *          once. Running out of memory longjmps to the arena's handler, so that
 *          lowering code reads straight.
 *
 * Interface
 *   arena_alloc   zeroed
 *   LIST(T)       a growing array in an arena; list_push returns a pointer to the new element
 */
#ifndef ORRERY_INTERP_ARENA_H
#define ORRERY_INTERP_ARENA_H

#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>

struct arena {
    struct arena_block *blocks;
    size_t used, size; /* of the newest block */
    jmp_buf *out_of_memory;
};

void *arena_alloc(struct arena *arena, size_t size);
void *arena_copy(struct arena *arena, const void *bytes, size_t size);
char *arena_format(struct arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));
void arena_free(struct arena *arena);

#define LIST(type)            \
    struct {                  \
        type *at;             \
        uint32_t count, room; \
    }
#define ARENA_NEW(arena, type) ((type *)arena_alloc((arena), sizeof(type)))
#define ARENA_ARRAY(arena, type, n) ((type *)arena_alloc((arena), (size_t)(n) * sizeof(type)))

void *arena_grow(struct arena *arena, void *at, uint32_t count, uint32_t *room, size_t element);
#define list_push(arena, list)                                                                           \
    (((list)->count == (list)->room ? (void)((list)->at = arena_grow((arena), (list)->at, (list)->count, \
                                                                     &(list)->room, sizeof *(list)->at)) \
                                    : (void)0),                                                          \
     &(list)->at[(list)->count++])

#endif
