/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The memory of one test: allocated in pieces, freed at once.
 *
 * Errors   pool_take jumps to *fail when out of memory.
 */
#ifndef ORRERY_SIM_LITMUS_LITMUS_POOL_H
#define ORRERY_SIM_LITMUS_LITMUS_POOL_H

#include <setjmp.h>
#include <stddef.h>

struct pool {
    struct pool_piece *first;
    jmp_buf *fail;
};

void *pool_take(struct pool *pool, size_t size); /* zeroed */
char *pool_text(struct pool *pool, const char *start, size_t length);
void pool_fini(struct pool *pool);

#endif
