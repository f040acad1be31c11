/* SPDX-License-Identifier: Apache-2.0 */
/* Device memory: a reserved range of address space, divided into granules of equal size. A region takes
 * consecutive granules (first fit) and a gap after it, so that an overrun reaches no other region. Freed
 * ranges wait in a quarantine before they are used again, so that a use after free is found. The quarantine
 * is bounded: memory and time of a program that allocates for ever stay level. */
#include "memory_arena.h"
#include "memory_view.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "orrery/checked.h"
#include "orrery/limits.h"

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

enum {
    GRANULE_BYTES = 1 << GRANULE_SHIFT,
    CHUNK_SHIFT = 24,
    COLOUR_STEP = 128,
    COLOURS = 32,
    BASE_ALIGN = 128,
    QUARANTINE_MOST = HOSTILE(1024, 64)
};
static const uint64_t arena_default_size = UINT64_C(64) << 30;

/* Where the arena may lie.  The first serves every device of a process unless a tool (a
 * sanitizer, valgrind, a small address space) has it; a second device takes the next. */
static const uint64_t arena_bases[] = {
#ifndef ORRERY_TSAN /* which takes these for itself, and ends a program that asks for them */
    UINT64_C(0x200000000000), UINT64_C(0x210000000000), UINT64_C(0x220000000000), UINT64_C(0x230000000000),
    UINT64_C(0x240000000000), UINT64_C(0x250000000000), UINT64_C(0x260000000000), UINT64_C(0x270000000000),
    UINT64_C(0x300000000000), UINT64_C(0x310000000000), UINT64_C(0x320000000000), UINT64_C(0x330000000000),
    UINT64_C(0x100000000000), UINT64_C(0x7d0000000000), UINT64_C(0x7c0000000000), UINT64_C(0x0a0000000000),
    UINT64_C(0x064000000000),
#endif
    UINT64_C(0x004000000000), UINT64_C(0x002000000000), UINT64_C(0x001000000000),
};

/* ---- address space ---------------------------------------------------------- */

static void *reserve_at(uint64_t base, uint64_t size)
{
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE;
    void *got = mmap((void *)(uintptr_t)base, size, PROT_NONE, flags, -1, 0);
    if (got == MAP_FAILED)
        return NULL;
    if ((uintptr_t)got != base) { /* a kernel that takes the flag for a hint */
        munmap(got, size);
        return NULL;
    }
    return got;
}

/* Where little address space is available the arena is smaller. */
static bool reserve(struct memory *memory, uint64_t size)
{
    for (; size >= UINT64_C(1) << CHUNK_SHIFT; size /= 4) {
        for (size_t i = 0; i < sizeof arena_bases / sizeof arena_bases[0]; i++) {
            if (reserve_at(arena_bases[i], size)) {
                memory->base = arena_bases[i];
                memory->size = size;
                return true;
            }
        }
        size &= ~((UINT64_C(4) << CHUNK_SHIFT) - 1);
    }
    return false;
}

static void *table_new(size_t bytes)
{
    void *table =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return table == MAP_FAILED ? NULL : table;
}

static void table_free(void *table, size_t bytes)
{
    if (table)
        munmap(table, bytes);
}

/* Chunks are made accessible once and stay so: a few large mappings instead of one for each buffer. */
static bool commit(struct memory_arena *arena, uint64_t low, uint64_t high)
{
    uint64_t first = (low - arena->memory.base) >> CHUNK_SHIFT;
    uint64_t last = (high - 1 - arena->memory.base) >> CHUNK_SHIFT;
    for (uint64_t chunk = first; chunk <= last; chunk++) {
        if (arena->committed[chunk])
            continue;
        uint64_t end = chunk + 1;
        while (end <= last && !arena->committed[end])
            end++;
        void *start = (void *)(uintptr_t)(arena->memory.base + (chunk << CHUNK_SHIFT));
        if (mprotect(start, (end - chunk) << CHUNK_SHIFT, PROT_READ | PROT_WRITE) != 0)
            return false;
        memset(arena->committed + chunk, 1, end - chunk);
    }
    return true;
}

/* Gives pages back, so that the range reads as zero when it is handed out again. */
static void discard(struct memory_arena *arena, struct granule_range range)
{
    uint64_t start = arena->memory.base + ((uint64_t)range.first << GRANULE_SHIFT);
    madvise((void *)(uintptr_t)start, (size_t)range.count << GRANULE_SHIFT, MADV_DONTNEED);
}

static uint64_t granule_count(const struct memory_arena *arena)
{
    return arena->memory.size >> GRANULE_SHIFT;
}

static size_t region_room(const struct memory_arena *arena)
{
    return granule_count(arena) / 2 + 1; /* a region takes at least two granules */
}

enum status arena_init(struct memory_arena *arena, uint64_t size, uint64_t limit, bool track_validity,
                       struct diagnosis *diagnosis)
{
    memset(arena, 0, sizeof *arena);
    pthread_mutex_init(&arena->lock, NULL);
    if (!reserve(&arena->memory, size ? size : arena_default_size))
        return diagnose(diagnosis, STATUS_OUT_OF_MEMORY, "no address space for the device's memory");
    arena->limit = limit;
    arena->memory.track_validity = track_validity;
    arena->granules = table_new(granule_count(arena) * sizeof *arena->granules);
    arena->memory.regions = table_new(region_room(arena) * sizeof *arena->memory.regions);
    arena->records = table_new(region_room(arena) * sizeof *arena->records);
    arena->committed = calloc(arena->memory.size >> CHUNK_SHIFT, 1);
    arena->free.items = malloc(16 * sizeof *arena->free.items);
    const bool has_tables = arena->granules && arena->memory.regions && arena->records;
    if (!has_tables || !arena->committed || !arena->free.items) {
        arena_fini(arena);
        return diagnose(diagnosis, STATUS_OUT_OF_MEMORY, "no memory for the device's tables");
    }
    arena->memory.granule = arena->granules;
    arena->memory.regions[0] = (struct region){.low = 1,
                                               .high = 0,
                                               .deny = DENY_KERNEL_READ | DENY_KERNEL_WRITE,
                                               .denied = DENY_KERNEL_READ | DENY_KERNEL_WRITE};
    arena->memory.region_count = 1;
    arena->free.room = 16;
    arena->free.count = 1;
    arena->free.items[0] = (struct granule_range){1, (uint32_t)granule_count(arena) - 1};
    return STATUS_OK;
}

void arena_fini(struct memory_arena *arena)
{
    if (!arena->memory.size)
        return;
    for (uint32_t i = 1; arena->memory.regions && i < arena->memory.region_count; i++)
        free(arena->memory.regions[i].valid);
    for (uint32_t i = 1; arena->memory.regions && i < arena->memory.region_count; i++)
        memory_view_drop(&arena->memory.regions[i]);
    for (uint32_t i = 1; arena->records && i < arena->memory.region_count; i++)
        free(arena->records[i].maps);
    table_free(arena->granules, granule_count(arena) * sizeof *arena->granules);
    table_free(arena->memory.regions, region_room(arena) * sizeof *arena->memory.regions);
    table_free(arena->records, region_room(arena) * sizeof *arena->records);
    free(arena->committed);
    free(arena->free.items);
    free(arena->quarantine);
    free(arena->spare);
    munmap((void *)(uintptr_t)arena->memory.base, arena->memory.size);
    pthread_mutex_destroy(&arena->lock);
    memset(arena, 0, sizeof *arena);
}

/* ---- free ranges -------------------------------------------------------------- */

static bool grow(void **items, uint32_t *room, uint32_t count, size_t item_bytes)
{
    if (count < *room)
        return true;
    uint32_t wider = *room ? *room * 2 : 64;
    void *moved = realloc(*items, wider * item_bytes);
    if (!moved)
        return false;
    *items = moved;
    *room = wider;
    return true;
}

/* First fit.  The whole arena is one free range at first, so this is a bump pointer. */
static bool range_take(struct granule_list *list, uint32_t count, struct granule_range *out_range)
{
    for (uint32_t i = 0; i < list->count; i++) {
        struct granule_range *item = &list->items[i];
        if (item->count < count)
            continue;
        *out_range = (struct granule_range){item->first, count};
        CHECKED(count > 0 && item->first > 0); /* granule 0 belongs to no region */
        item->first += count;
        item->count -= count;
        if (item->count == 0)
            memmove(item, item + 1, (--list->count - i) * sizeof *item);
        return true;
    }
    return false;
}

static bool range_give(struct granule_list *list, struct granule_range range)
{
    CHECKED(range.first > 0 && range.count > 0);
    uint32_t at = 0;
    while (at < list->count && list->items[at].first < range.first)
        at++;
    bool joins_left = at > 0 && list->items[at - 1].first + list->items[at - 1].count == range.first;
    CHECKED(at == list->count || range.first + range.count <= list->items[at].first);
    CHECKED(at == 0 || list->items[at - 1].first + list->items[at - 1].count <= range.first);
    bool joins_right = at < list->count && range.first + range.count == list->items[at].first;
    if (joins_left && joins_right) {
        list->items[at - 1].count += range.count + list->items[at].count;
        memmove(&list->items[at], &list->items[at + 1], (--list->count - at) * sizeof range);
    } else if (joins_left) {
        list->items[at - 1].count += range.count;
    } else if (joins_right) {
        list->items[at].first = range.first;
        list->items[at].count += range.count;
    } else {
        if (!grow((void **)&list->items, &list->room, list->count, sizeof range))
            return false;
        memmove(&list->items[at + 1], &list->items[at], (list->count++ - at) * sizeof range);
        list->items[at] = range;
    }
    return true;
}

/* ---- quarantine ----------------------------------------------------------------- */

static void granules_set(struct memory_arena *arena, struct granule_range range, uint32_t index)
{
    for (uint32_t i = 0; i < range.count; i++)
        arena->granules[range.first + i] = index;
}

static bool quarantine_push(struct memory_arena *arena, uint32_t index)
{
    if (arena->quarantine_count == arena->quarantine_room) {
        uint32_t room = arena->quarantine_room ? arena->quarantine_room * 2 : 64;
        uint32_t *ring = malloc(room * sizeof *ring);
        if (!ring)
            return false;
        for (uint32_t i = 0; i < arena->quarantine_count; i++)
            ring[i] = arena->quarantine[(arena->quarantine_first + i) % arena->quarantine_room];
        free(arena->quarantine);
        arena->quarantine = ring;
        arena->quarantine_room = room;
        arena->quarantine_first = 0;
    }
    uint32_t last = (arena->quarantine_first + arena->quarantine_count++) % arena->quarantine_room;
    arena->quarantine[last] = index;
    return true;
}

/* A thread that runs a kernel may read the kind at any time, and the rest only where the kind is there. */
static void set_all_but_kind(struct region *region, const struct region *from)
{
    const size_t kind = offsetof(struct region, kind), after = kind + sizeof region->kind;
    memcpy(region, from, kind);
    memcpy((char *)region + after, (const char *)from + after, sizeof *region - after);
}

/* Makes the oldest freed range available again and forgets its region. */
static bool quarantine_drop_oldest(struct memory_arena *arena)
{
    if (arena->quarantine_count == 0)
        return false;
    uint32_t index = arena->quarantine[arena->quarantine_first];
    CHECKED(arena->memory.regions[index].flags & REGION_FLAG_FREED);
    if (!grow((void **)&arena->spare, &arena->spare_room, arena->spare_count, sizeof index) ||
        !range_give(&arena->free, arena->records[index].range))
        return false;
    arena->quarantine_first = (arena->quarantine_first + 1) % arena->quarantine_room;
    arena->quarantine_count--;
    granules_set(arena, arena->records[index].range, 0);
    __atomic_store_n(&arena->memory.regions[index].kind, REGION_NONE, __ATOMIC_RELEASE);
    set_all_but_kind(&arena->memory.regions[index], &arena->memory.regions[0]);
    arena->spare[arena->spare_count++] = index;
    return true;
}

/* ---- regions ---------------------------------------------------------------------- */

static uint32_t deny_of(uint32_t flags, enum region_kind kind)
{
    uint32_t deny = 0;
    if (flags & REGION_FLAG_READ_ONLY || kind == REGION_CONSTANT_DATA)
        deny |= DENY_KERNEL_WRITE;
    if (flags & REGION_FLAG_WRITE_ONLY)
        deny |= DENY_KERNEL_READ;
    if (flags & REGION_FLAG_SHARED)
        deny |= DENY_PLAIN_ATOMICS;
    return deny;
}

static bool counts_as_global(enum region_kind kind)
{
    return kind != REGION_LOCAL_VARIABLE;
}

/* Bytes before the region in its first granule: different for neighbours, so that
 * streams do not meet in the same cache sets; a larger alignment wins. */
static uint64_t colour_of(uint32_t id, uint64_t align)
{
    uint64_t colour = (uint64_t)(id % COLOURS) * COLOUR_STEP;
    return align > COLOUR_STEP ? colour & ~(align - 1) : colour;
}

/* A gap of a granule and an eighth of the size: cheap in address space, and an index
 * that runs away by a little does not land in the neighbour. */
static uint64_t granules_for(uint64_t bytes)
{
    uint64_t whole = (bytes + GRANULE_BYTES - 1) >> GRANULE_SHIFT;
    return (whole ? whole : 1) + 1 + whole / 8;
}

static uint32_t region_index(struct memory_arena *arena)
{
    return arena->spare_count ? arena->spare[--arena->spare_count] : arena->memory.region_count;
}

/* Its members stand; a thread that runs a kernel may see it from now on. */
static void publish(struct memory_arena *arena, uint32_t index, enum region_kind kind)
{
    __atomic_store_n(&arena->memory.regions[index].kind, kind, __ATOMIC_RELEASE);
    if (index == arena->memory.region_count)
        __atomic_store_n(&arena->memory.region_count, index + 1, __ATOMIC_RELEASE);
}

static void set_name(struct region *region, const char *name)
{
    snprintf(region->name, sizeof region->name, "%s", name ? name : "");
}

static enum status allocate_locked(struct memory_arena *arena, const struct allocation *wanted,
                                   struct region **out_region)
{
    uint64_t align = wanted->align ? wanted->align : BASE_ALIGN;
    bool global = counts_as_global(wanted->kind);
    if (wanted->size >= arena->memory.size || align > arena->memory.size / 4)
        return STATUS_OUT_OF_DEVICE_MEMORY;
    if (global && wanted->size > arena->limit - arena->used)
        return STATUS_OUT_OF_DEVICE_MEMORY;

    uint8_t *valid = NULL;
    bool tracked = arena->memory.track_validity && !(wanted->flags & REGION_FLAG_SHARED);
    if (tracked && !(valid = calloc(wanted->size / 8 + 9, 1)))
        return STATUS_OUT_OF_MEMORY;
    uint64_t colour = colour_of(arena->next_id, align);
    uint64_t slack = align > GRANULE_BYTES ? align - GRANULE_BYTES : 0;
    uint64_t count = granules_for(wanted->size + colour + slack);
    struct granule_range range;
    while (!range_take(&arena->free, (uint32_t)count, &range))
        if (!quarantine_drop_oldest(arena))
            goto full;

    uint64_t start = arena->memory.base + ((uint64_t)range.first << GRANULE_SHIFT);
    uint64_t low = ((start + align - 1) & ~(align - 1)) + colour;
    uint64_t end = start + ((uint64_t)(range.count - 1) << GRANULE_SHIFT);
    if (!commit(arena, start, end)) {
        range_give(&arena->free, range);
        goto full;
    }
    uint32_t index = region_index(arena);
    struct region *region = &arena->memory.regions[index];
    set_all_but_kind(region, &(struct region){.low = low,
                                              .high = low + wanted->size,
                                              .flags = wanted->flags,
                                              .deny = deny_of(wanted->flags, wanted->kind),
                                              .denied = deny_of(wanted->flags, wanted->kind),
                                              .id = ++arena->next_id,
                                              .valid = valid,
                                              .invalid = valid ? wanted->size : 0});
    set_name(region, wanted->name);
    arena->records[index] = (struct region_record){.range = range, .capacity = end - low};
    publish(arena, index, wanted->kind);
    granules_set(arena, range, index);
    if (global)
        arena->used += wanted->size;
    *out_region = region;
    return STATUS_OK;

full:
    free(valid);
    return STATUS_OUT_OF_DEVICE_MEMORY;
}

enum status arena_allocate(struct memory_arena *arena, const struct allocation *wanted,
                           struct region **out_region)
{
    pthread_mutex_lock(&arena->lock);
    enum status status = allocate_locked(arena, wanted, out_region);
    pthread_mutex_unlock(&arena->lock);
    return status;
}

static struct region_record *record_of(struct memory_arena *arena, const struct region *region)
{
    CHECKED(region > arena->memory.regions && region < arena->memory.regions + arena->memory.region_count);
    return &arena->records[region - arena->memory.regions];
}

/* arena_find reads the flags without the lock. */
static void set_flags(struct region *region, uint32_t flags)
{
    __atomic_store_n(&region->flags, flags, __ATOMIC_RELAXED);
}

void arena_release(struct memory_arena *arena, struct region *region)
{
    pthread_mutex_lock(&arena->lock);
    CHECKED(!(region->flags & REGION_FLAG_FREED));
    set_flags(region, region->flags | REGION_FLAG_FREED);
    region->deny = region->denied = DENY_KERNEL_READ | DENY_KERNEL_WRITE;
    region->map_count = 0;
    free(region->valid);
    region->valid = NULL;
    free(record_of(arena, region)->maps);
    record_of(arena, region)->maps = NULL;
    record_of(arena, region)->map_room = 0;
    if (counts_as_global(region->kind))
        arena->used -= region->high - region->low;
    memory_view_drop(region);
    discard(arena, record_of(arena, region)->range);
    /* If out of memory the range is never used again, which is a leak but safe. */
    if (quarantine_push(arena, (uint32_t)(region - arena->memory.regions)) &&
        arena->quarantine_count > QUARANTINE_MOST)
        quarantine_drop_oldest(arena);
    pthread_mutex_unlock(&arena->lock);
}

bool arena_resize(struct memory_arena *arena, struct region *region, uint64_t size)
{
    if (size > record_of(arena, region)->capacity)
        return false;
    if (region->valid) {
        uint8_t *valid = realloc(region->valid, size / 8 + 9);
        if (!valid)
            return false;
        region->valid = valid;
        memset(valid, 0, size / 8 + 9);
        region->invalid = size;
    }
    CHECKED(!(region->flags & REGION_FLAG_FREED));
    region->high = region->low + size;
    return true;
}

struct region *arena_find(struct memory_arena *arena, uint64_t address, uint64_t size)
{
    struct region *region = memory_region(&arena->memory, address);
    if (__atomic_load_n(&region->flags, __ATOMIC_RELAXED) & REGION_FLAG_FREED || address < region->low ||
        address > region->high)
        return NULL;
    return size <= region->high - address ? region : NULL;
}

/* ---- mappings ------------------------------------------------------------------------ */

static void apply_maps(struct region *region, const struct region_record *record)
{
    uint32_t flags = region->flags & ~(uint32_t)(REGION_FLAG_MAPPED_READ | REGION_FLAG_MAPPED_WRITE);
    region->deny = region->denied;
    region->maps = record->maps;
    for (uint32_t i = 0; i < region->map_count; i++) {
        region->deny |= record->maps[i].deny;
        if (record->maps[i].flags & ARENA_MAP_READ)
            flags |= REGION_FLAG_MAPPED_READ;
        if (record->maps[i].flags & ARENA_MAP_WRITE)
            flags |= REGION_FLAG_MAPPED_WRITE;
    }
    set_flags(region, flags);
}

bool arena_map(struct memory_arena *arena, struct region *region, uint64_t address, uint64_t size,
               uint32_t flags, uint32_t command)
{
    uint32_t deny = flags & ARENA_MAP_WRITE ? DENY_KERNEL_READ | DENY_KERNEL_WRITE : DENY_KERNEL_WRITE;
    pthread_mutex_lock(&arena->lock);
    struct region_record *record = record_of(arena, region);
    bool room = grow((void **)&record->maps, &record->map_room, region->map_count, sizeof *record->maps);
    if (room)
        record->maps[region->map_count++] =
            (struct region_map){address, address + size, deny, flags, command};
    apply_maps(region, record);
    pthread_mutex_unlock(&arena->lock);
    return room;
}

static void take_map(struct region *region, struct region_record *record, uint32_t index)
{
    if (index < region->map_count)
        record->maps[index] = record->maps[--region->map_count];
}

static bool is_same(const struct region_map *map, const struct region_map *other)
{
    return map->low == other->low && map->high == other->high && map->flags == other->flags;
}

/* A map that was shortened is found by its command. */
void arena_unmap(struct memory_arena *arena, struct region *region, uint64_t address, uint64_t size,
                 uint32_t flags, uint32_t command)
{
    const struct region_map wanted = {.low = address, .high = address + size, .flags = flags};
    pthread_mutex_lock(&arena->lock);
    struct region_record *record = record_of(arena, region);
    uint32_t i = 0, of_command = 0;
    while (i < region->map_count && !is_same(&record->maps[i], &wanted))
        i++;
    while (of_command < region->map_count &&
           (record->maps[of_command].low != address || record->maps[of_command].command != command))
        of_command++;
    take_map(region, record, i < region->map_count ? i : of_command);
    apply_maps(region, record);
    pthread_mutex_unlock(&arena->lock);
}

/* Reduces two aliased maps to their common part; the command's map is removed, or any if it is not there. */
static uint32_t cut_maps(struct region *region, struct region_record *record, uint64_t address,
                         uint64_t least, bool write, uint32_t command)
{
    uint32_t goes = region->map_count;
    for (uint32_t i = 0; i < region->map_count; i++) {
        struct region_map *map = &record->maps[i];
        if (map->low != address)
            continue;
        map->high = map->high < address + least ? map->high : address + least;
        map->flags = write ? map->flags : ARENA_MAP_READ;
        map->deny = write ? map->deny : DENY_KERNEL_WRITE;
        if (goes == region->map_count || map->command == command)
            goes = i;
    }
    return goes;
}

void arena_unmap_any(struct memory_arena *arena, struct region *region, uint64_t address, uint64_t least,
                     bool write, uint32_t command)
{
    pthread_mutex_lock(&arena->lock);
    struct region_record *record = record_of(arena, region);
    take_map(region, record, cut_maps(region, record, address, least, write, command));
    apply_maps(region, record);
    pthread_mutex_unlock(&arena->lock);
}

/* ---- shared allocations that a launch may access --------------------------------------------- */

static bool holds_any(const struct region *region, const uint64_t *addresses, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (addresses[i] >= region->low && addresses[i] < region->high)
            return true;
    return false;
}

void arena_permit(struct memory_arena *arena, const uint64_t *addresses, size_t count)
{
    pthread_mutex_lock(&arena->lock);
    for (uint32_t i = 1; i < arena->memory.region_count; i++) {
        struct region *region = &arena->memory.regions[i];
        if (!(region->flags & REGION_FLAG_SVM) || region->flags & REGION_FLAG_FREED)
            continue;
        const bool reported = !addresses || holds_any(region, addresses, count);
        const uint32_t rest = region->flags & ~(uint32_t)REGION_FLAG_NOT_SET;
        set_flags(region, reported ? rest : rest | REGION_FLAG_NOT_SET);
        region->denied =
            deny_of(region->flags, region->kind) | (reported ? 0u : DENY_KERNEL_READ | DENY_KERNEL_WRITE);
        apply_maps(region, record_of(arena, region));
    }
    pthread_mutex_unlock(&arena->lock);
}

/* ---- self-check -------------------------------------------------------------------------- */

static void check_region(struct memory_arena *arena, uint32_t index)
{
    const struct region *region = &arena->memory.regions[index];
    struct granule_range range = arena->records[index].range;
    uint64_t start = arena->memory.base + ((uint64_t)range.first << GRANULE_SHIFT);
    uint64_t end = start + ((uint64_t)(range.count - 1) << GRANULE_SHIFT);
    CHECKED(start <= region->low && region->low <= region->high && region->high <= end);
    for (uint32_t i = 0; i < range.count; i++)
        CHECKED(arena->granules[range.first + i] == index);
    (void)start, (void)end;
}

void arena_check(struct memory_arena *arena)
{
    pthread_mutex_lock(&arena->lock);
    uint64_t granules = 1, used = 0;
    for (uint32_t i = 1; i < arena->memory.region_count; i++) {
        const struct region *region = &arena->memory.regions[i];
        if (region->kind == REGION_NONE)
            continue;
        check_region(arena, i);
        granules += arena->records[i].range.count;
        if (!(region->flags & REGION_FLAG_FREED) && counts_as_global(region->kind))
            used += region->high - region->low;
    }
    for (uint32_t i = 0; i < arena->free.count; i++) {
        granules += arena->free.items[i].count;
        CHECKED(i == 0 ||
                arena->free.items[i - 1].first + arena->free.items[i - 1].count < arena->free.items[i].first);
    }
    CHECKED(granules == granule_count(arena) && used == arena->used);
    (void)granules, (void)used;
    pthread_mutex_unlock(&arena->lock);
}
