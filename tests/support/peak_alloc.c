/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Preloaded into a process: at its end, the most bytes that were allocated at one time are written
 *          to the file that PEAK_BYTES_FILE names. Every allocation counts, by its usable size.
 */
#include <malloc.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

/* glibc's own names of what is replaced here */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *memory);

static atomic_size_t live, peak;

static void *count(void *memory)
{
    const size_t now = atomic_fetch_add(&live, malloc_usable_size(memory)) + malloc_usable_size(memory);
    for (size_t most = peak; now > most && !atomic_compare_exchange_weak(&peak, &most, now);)
        ;
    return memory;
}

void *malloc(size_t size)
{
    return count(__libc_malloc(size));
}
void *calloc(size_t number, size_t size)
{
    return count(__libc_calloc(number, size));
}
void *memalign(size_t alignment, size_t size)
{
    return count(__libc_memalign(alignment, size));
}
void *aligned_alloc(size_t alignment, size_t size)
{
    return count(__libc_memalign(alignment, size));
}

void *realloc(void *old, size_t size)
{
    const size_t before = malloc_usable_size(old);
    void *memory = __libc_realloc(old, size);
    if (memory || !size)
        atomic_fetch_sub(&live, before);
    return memory ? count(memory) : NULL;
}

void free(void *memory)
{
    atomic_fetch_sub(&live, malloc_usable_size(memory));
    __libc_free(memory);
}

__attribute__((destructor)) static void write_peak(void)
{
    const char *name = getenv("PEAK_BYTES_FILE");
    FILE *file = name ? fopen(name, "w") : NULL;
    if (!file)
        return;
    fprintf(file, "%zu\n", (size_t)peak);
    fclose(file);
}
