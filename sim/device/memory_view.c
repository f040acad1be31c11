/* SPDX-License-Identifier: Apache-2.0 */
/* Second mappings of regions, by a memory file, so that the first can be closed to the host. */
#include "memory_view.h"

#include <string.h>
#include <sys/mman.h>

enum { PAGE_BYTES = 4096 };

struct view_pages {
    uint8_t *first;
    size_t bytes;
};

/* The pages of a region; no other region has bytes in them. */
static struct view_pages pages_of(const struct region *region)
{
    const uint64_t low = region->low & ~(uint64_t)(PAGE_BYTES - 1), rest = PAGE_BYTES - 1;
    return (struct view_pages){(uint8_t *)(uintptr_t)low, (size_t)(((region->high + rest) & ~rest) - low)};
}

static uint8_t *map_some(size_t bytes, int how)
{
    void *got = bytes ? mmap(NULL, bytes, PROT_READ | PROT_WRITE, how | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
                      : MAP_FAILED;
    return got == MAP_FAILED ? NULL : got;
}

/* Copies to memory that is zero. Zero pages are skipped, so that they take no memory there. */
static void copy_pages(uint8_t *to, const uint8_t *from, size_t bytes)
{
    static const uint8_t zero[PAGE_BYTES];
    for (size_t at = 0; at < bytes; at += PAGE_BYTES)
        if (memcmp(from + at, zero, PAGE_BYTES))
            memcpy(to + at, from + at, PAGE_BYTES);
}

static bool map_single(const struct view_pages *pages)
{
    const int how = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED;
    return mmap(pages->first, pages->bytes, PROT_READ | PROT_WRITE, how, -1, 0) != MAP_FAILED;
}

/* length 0: those of a shared mapping a second time. The previous mapping may be gone when the kernel
 * refuses: it is restored. */
static bool put_in_place(const struct view_pages *pages, uint8_t *made, size_t length)
{
    if (mremap(made, length, pages->bytes, MREMAP_MAYMOVE | MREMAP_FIXED, pages->first) != MAP_FAILED)
        return true;
    if (map_single(pages))
        copy_pages(pages->first, made, pages->bytes);
    return false;
}

bool memory_view_make(struct region *region, bool fresh)
{
    const struct view_pages pages = pages_of(region);
    uint8_t *const view = region->view ? NULL : map_some(pages.bytes, MAP_SHARED);
    if (!view)
        return false;
    if (!fresh) {
        mprotect(pages.first, pages.bytes, PROT_READ);
        copy_pages(view, pages.first, pages.bytes);
    }
    if (!put_in_place(&pages, view, 0)) {
        munmap(view, pages.bytes);
        return false;
    }
    region->view = (int64_t)((uintptr_t)view - (uintptr_t)pages.first);
    return true;
}

bool memory_view_end(struct region *region)
{
    const struct view_pages pages = pages_of(region);
    uint8_t *const view = memory_byte(region, (uint64_t)(uintptr_t)pages.first);
    uint8_t *const single = region->view ? map_some(pages.bytes, MAP_PRIVATE) : NULL;
    if (!single)
        return !region->view;
    mprotect(pages.first, pages.bytes, PROT_READ);
    copy_pages(single, view, pages.bytes);
    if (!put_in_place(&pages, single, pages.bytes))
        munmap(single, pages.bytes);
    munmap(view, pages.bytes);
    region->view = 0;
    return true;
}

void memory_view_drop(struct region *region)
{
    const struct view_pages pages = pages_of(region);
    if (!region->view)
        return;
    munmap(memory_byte(region, (uint64_t)(uintptr_t)pages.first), pages.bytes);
    map_single(&pages);
    region->view = 0;
}
