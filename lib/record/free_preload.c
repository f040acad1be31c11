/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Preloaded with sync_preload.c: notices that the program frees memory that a memory object was made with
 * (CL_MEM_USE_HOST_PTR), or that a read or write uses. Pages of a small block stay mapped after free, so
 * host_gone.c would not find out. A call of free compares its block with the watched addresses, which are
 * mostly none.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <malloc.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

enum { WATCHES_MOST = 256 };

/* By name, for host_gone.c. False: there is no room. The callback runs before the memory is freed. */
bool orrery_free_watch(const void *address, void (*freed)(const void *address));
void orrery_free_unwatch(const void *address);

static struct {
    atomic_flag lock;
    atomic_uint count;
    _Atomic(uintptr_t) address[WATCHES_MOST]; /* 0: free */
    void (*_Atomic freed)(const void *address);
} watches = {.lock = ATOMIC_FLAG_INIT};

static void enter(void)
{
    while (atomic_flag_test_and_set_explicit(&watches.lock, memory_order_acquire))
        sched_yield();
}

static void leave(void)
{
    atomic_flag_clear_explicit(&watches.lock, memory_order_release);
}

/* Puts `with` where `old` was. */
static bool replace(uintptr_t old, uintptr_t with)
{
    for (uint32_t i = 0; i < WATCHES_MOST; i++)
        if (atomic_load_explicit(&watches.address[i], memory_order_relaxed) == old) {
            atomic_store_explicit(&watches.address[i], with, memory_order_relaxed);
            return true;
        }
    return false;
}

bool orrery_free_watch(const void *address, void (*freed)(const void *address))
{
    enter();
    const bool found = replace(0, (uintptr_t)address);
    atomic_store(&watches.freed, freed);
    watches.count += found;
    leave();
    return found;
}

void orrery_free_unwatch(const void *address)
{
    enter();
    watches.count -= replace((uintptr_t)address, 0);
    leave();
}

/* Watched addresses may be anywhere in a block. Each is reported once: other blocks will be there later. */
static void find_watched(uintptr_t block, size_t size)
{
    for (uint32_t i = 0; i < WATCHES_MOST; i++) {
        uintptr_t at = atomic_load_explicit(&watches.address[i], memory_order_relaxed);
        if (!at || at - block >= size || !atomic_compare_exchange_strong(&watches.address[i], &at, 0))
            continue;
        atomic_fetch_sub(&watches.count, 1);
        atomic_load (&watches.freed)((const void *)at);
    }
}

/* 0: nothing is watched. */
static size_t watched_size(void *block)
{
    const bool watched = block && atomic_load_explicit(&watches.count, memory_order_relaxed);
    return watched ? malloc_usable_size(block) : 0;
}

/* The functions of the next library. They are sought once it is initialised: a sanitizer that is being
 * initialised has no dlsym yet. */
static void (*next_free)(void *block);
static void *(*next_realloc)(void *block, size_t size);

__attribute__((constructor)) static void find_next(void)
{
    next_realloc = (void *(*)(void *, size_t))(uintptr_t)dlsym(RTLD_NEXT, "realloc");
    next_free = (void (*)(void *))(uintptr_t)dlsym(RTLD_NEXT, "free");
}

/* What initialisation frees before that is lost. */
void free(void *block)
{
    const size_t size = watched_size(block);
    if (size)
        find_watched((uintptr_t)block, size);
    if (next_free)
        next_free(block);
}

/* A block that moves is freed where it was. */
void *realloc(void *block, size_t size)
{
    const size_t before = watched_size(block);
    const uintptr_t from = (uintptr_t)block;
    if (!next_realloc)
        find_next();
    void *moved = next_realloc(block, size);
    if (before && (uintptr_t)moved != from && (moved || !size))
        find_watched(from, before);
    return moved;
}
