/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which pages are open is a function of the maps, of the commands under way and of the executor lock's owner.
 * guard.areas describes it; update_area() brings the kernel's page protection into line after each change.
 *
 * Lock rule: malloc's own memory may be closed, so a thread that holds malloc's lock may wait for guard.lock
 * in the signal handler. Hence nothing is allocated or freed under guard.lock, and the device, which may do
 * so, is not called. Queries of the device are made before (query_device).
 */
#include "guard_state.h"

#include <stdlib.h>
#include <sys/mman.h>

#include "orrery/checked.h"
#include "lib/command.h"
#include "lib/context.h"
#include "lib/device_info.h"
#include "lib/device_thread.h"
#include "host_place.h"
#include "lib/command_order.h"
#include "orrery/limits.h"
#include "lib/api_runtime.h"
#include "lib/memobj.h"

struct guard guard = {.lock = OWNED_LOCK_INITIALIZER};

bool guard_watching(void)
{
    return runtime_get()->scenario.shared_pages && order_observed() && !guard.shared;
}

/* ---- pages --------------------------------------------------------------------------- */

bool guard_set_pages(uint64_t low, uint64_t high, int protection)
{
    guard.closings += protection != (PROT_READ | PROT_WRITE);
    return low >= high || mprotect((void *)(uintptr_t)low, high - low, protection) == 0;
}

struct host_extent guard_pages_of(const struct guard_area *area)
{
    const uint64_t rest = PAGE_BYTES - 1;
    return area->buffer ? (struct host_extent){guard_page_of(area->low + rest), guard_page_of(area->high)}
                        : (struct host_extent){guard_page_of(area->low), guard_page_of(area->high + rest)};
}

void guard_open_area(const struct guard_area *area)
{
    const struct host_extent pages = guard_pages_of(area);
    if (!area->ambiguous)
        guard_set_pages(pages.low, pages.high, PROT_READ | PROT_WRITE);
}

/* The pages of the area that hold mapped bytes. */
static struct host_extent pages_of_map(const struct host_extent *pages, const struct mapped_range *map)
{
    CHECKED(map->low <= map->high);
    const uint64_t low = guard_page_of(map->low), high = guard_page_of(map->high + PAGE_BYTES - 1);
    return (struct host_extent){low > pages->low ? low : pages->low, high < pages->high ? high : pages->high};
}

/* A map has bytes in [low, high). */
static bool has_map_in(const struct guard_area *area, uint64_t low, uint64_t high)
{
    const struct mapped_range *map = low < high ? area->maps : NULL;
    while (map && !(low < map->high && high > map->low))
        map = map->next;
    return map;
}

/* The pages whose mapped bytes are all in the extent: other mapped bytes stay accessible to the host. */
static struct host_extent pages_wholly_in(const struct guard_area *area, const struct host_extent *bytes)
{
    struct host_extent pages = {guard_page_of(bytes->low), guard_page_of(bytes->high + PAGE_BYTES - 1)};
    if (has_map_in(area, pages.low, bytes->low))
        pages.low += PAGE_BYTES;
    if (has_map_in(area, bytes->high, pages.high))
        pages.high -= PAGE_BYTES;
    return pages;
}

/* Closes the mapped pages that commands use as host memory: to stores, or (closes_loads) to loads, too. */
static void close_uses(const struct guard_area *area, const struct mapped_range *map, bool closes_loads)
{
    const struct host_extent all = guard_pages_of(area), open = pages_of_map(&all, map);
    struct host_extent bytes;
    bool written;
    for (uint32_t at = 0; host_use_next(open.low, open.high, &at, &bytes, &written);) {
        const struct host_extent pages = pages_wholly_in(area, &bytes);
        if (written == closes_loads)
            guard_set_pages(pages.low > open.low ? pages.low : open.low,
                            pages.high < open.high ? pages.high : open.high, written ? PROT_NONE : PROT_READ);
    }
}

static void open_maps(const struct guard_area *area)
{
    const struct host_extent all = guard_pages_of(area);
    for (const struct mapped_range *map = area->maps; map; map = map->next) {
        const struct host_extent pages = pages_of_map(&all, map);
        if (map->acquired)
            guard_set_pages(pages.low, pages.high, PROT_READ | PROT_WRITE);
    }
    /* loads last: a page that one command reads and another writes is closed to both */
    for (int loads = 0; loads < 2; loads++)
        for (const struct mapped_range *map = area->maps; map; map = map->next)
            if (map->acquired && !area->buffer)
                close_uses(area, map, loads);
}

static void close_area(const struct guard_area *area)
{
    const struct host_extent pages = guard_pages_of(area);
    if (area->ambiguous)
        return;
    if (area->is_fine && !guard.under_way) {
        guard_open_area(area);
        return;
    }
    guard_set_pages(pages.low, pages.high, area->buffer && !area->device_dirty ? PROT_READ : PROT_NONE);
    open_maps(area);
}

struct guard_area *guard_area_at(uint64_t address)
{
    for (struct guard_area *area = guard.areas; area; area = area->next) {
        const struct host_extent pages = guard_pages_of(area);
        if (!area->ambiguous && address >= pages.low && address < pages.high)
            return area;
    }
    return NULL;
}

void guard_open_all(void)
{
    for (const struct guard_area *area = guard.areas; area; area = area->next)
        guard_open_area(area);
    host_use_open();
}

/* Opens the areas that the device reaches only at the host's addresses. */
static void open_for_device(void)
{
    for (const struct guard_area *area = guard.areas; area; area = area->next)
        if (!area->apart)
            guard_open_area(area);
    host_use_open();
}

/* ---- which memory is watched ---------------------------------------------------------------- */

/* First calls that allocate, and so must not happen under the lock. */
static void prepare(void)
{
    if (guard.prepared)
        return;
    guard.prepared = true;
    host_place_prepare();
    device_thread_watch_fork();
}

/* NULL: the address is in no allocation, or out of memory. */
static struct guard_area *area_new(uint64_t address, bool is_svm)
{
    uint64_t start, size;
    struct guard_area *area = NULL;
    if (!guard.shared && device_allocation(runtime_device(), address, &start, &size))
        area = calloc(1, sizeof *area);
    if (area)
        *area = (struct guard_area){.low = start, .high = start + size, .is_svm = is_svm};
    return area;
}

static void area_link(struct guard_area *area)
{
    area->next = guard.areas;
    __atomic_store_n(&guard.areas, area, __ATOMIC_RELAXED);
}

/* A second view takes a few of the mappings that a process may have. Areas past the limit are open while
 * commands run. */
static void set_apart(struct guard_area *area)
{
    enum { APART_MOST = HOSTILE(8192, 2) };
    if (area->apart || area->apart_refused || guard.apart_count >= APART_MOST)
        return;
    if (area->is_fine || area->buffer)
        return;
    area->apart = device_view_apart(runtime_device(), area->low, area->fresh);
    area->apart_refused = !area->apart;
    CHECKED(!area->is_fine && !area->buffer);
    area->fresh = false;
    guard.apart_count += area->apart;
}

static void set_joined(struct guard_area *area)
{
    if (!area->apart)
        return;
    device_view_joined(runtime_device(), area->low);
    CHECKED(guard.apart_count > 0);
    area->apart = false;
    guard.apart_count--;
}

/* The protection of its pages becomes what maps, commands and the executor lock's owner require. */
static void update_area(struct guard_area *area)
{
    if (!guard.executing)
        set_apart(area);
    if (guard.executing && !area->apart)
        return;
    guard_install();
    if (guard.installed)
        close_area(area);
}

/* After update_area of all areas: pages that commands use as host memory are closed in mapped ranges, too. */
static void update_uses(void)
{
    if (guard.executing || !host_use_any())
        return;
    guard_install();
    if (guard.installed) {
        guard.closings++;
        host_use_close();
    }
}

/* The answers of the device that update_area needs; before guard.lock is taken. */
static void query_device(void)
{
    guard.under_way = device_under_way(runtime_device());
    for (struct guard_area *area = guard.areas; area; area = area->next)
        area->device_dirty = area->used && device_unseen(runtime_device(), area->buffer);
}

static void add_area(struct guard_area *area)
{
    prepare();
    query_device();
    owned_lock_take(&guard.lock);
    area_link(area);
    update_area(area);
    owned_lock_release(&guard.lock);
}

static void add(void *pointer, bool of_device, bool is_fine)
{
    if (!order_observed())
        return;
    runtime_lock(); /* so that no thread begins to execute meanwhile */
    struct guard_area *area = area_new((uint64_t)(uintptr_t)pointer, true);
    if (area) {
        area->of_device = of_device;
        area->is_fine = is_fine;
        area->fresh = true;
        add_area(area);
    }
    runtime_unlock();
}

void guard_add(void *pointer, bool of_device)
{
    add(pointer, of_device, false);
}

void guard_add_shared(void *pointer)
{
    add(pointer, false, true);
}

/* The contents of buffers whose host memory overlaps are undefined (5.2.1), so these areas are not
 * watched. */
static void find_ambiguous(struct guard_area *area)
{
    CHECKED(area->buffer);
    for (struct guard_area *other = guard.areas; other; other = other->next)
        if (other->buffer && other->low < area->high && other->high > area->low) {
            guard_open_area(other);
            other->ambiguous = area->ambiguous = true;
        }
}

/* All pages are open meanwhile: host_use_pages accepts only memory that can be loaded and stored. */
static struct guard_area *area_of_buffer(const struct memobj *memobj)
{
    const uint64_t low = (uint64_t)(uintptr_t)memobj->host_ptr, high = low + memobj->size;
    const struct host_extent pages = host_use_pages(low, high);
    struct guard_area *area = pages.low < pages.high ? calloc(1, sizeof *area) : NULL;
    if (area)
        *area = (struct guard_area){.low = low, .high = high, .buffer = memobj->address};
    return area;
}

void guard_add_buffer(const struct memobj *memobj)
{
    const bool watched = memobj_has_host_memory(memobj) && guard_watching();
    if (!watched || context_any(memobj->context, device_supports_svm_system))
        return;
    runtime_lock();
    const bool paused = guard_pause();
    struct guard_area *area = area_of_buffer(memobj);
    if (area) {
        owned_lock_take(&guard.lock);
        find_ambiguous(area);
        owned_lock_release(&guard.lock);
        device_mirror(runtime_device(), memobj->address, memobj->host_ptr);
        add_area(area);
    }
    if (paused)
        guard_leave();
    runtime_unlock();
}

static void free_maps(struct mapped_range *maps)
{
    while (maps) {
        struct mapped_range *map = maps;
        maps = map->next;
        free(map);
    }
}

static void area_free(struct guard_area *area)
{
    free_maps(area->maps);
    free(area);
}

static struct guard_area **link_of(uint64_t address, uint64_t buffer)
{
    struct guard_area **link = &guard.areas;
    while (*link && !(address >= (*link)->low && address < (*link)->high && (*link)->buffer == buffer))
        link = &(*link)->next;
    return link;
}

static void remove_area(uint64_t address, uint64_t buffer)
{
    guard_report();
    runtime_lock();
    owned_lock_take(&guard.lock);
    struct guard_area **link = link_of(address, buffer), *area = *link;
    if (area) {
        __atomic_store_n(link, area->next, __ATOMIC_RELAXED); /* guard_active reads it without the lock */
        CHECKED(guard.apart_count >= area->apart);
        guard.apart_count -= area->apart;
        guard_open_area(area);
        update_uses();
    }
    owned_lock_release(&guard.lock);
    if (area && buffer)
        device_mirror(runtime_device(), buffer, NULL);
    runtime_unlock();
    if (area)
        area_free(area);
}

void guard_remove(void *pointer)
{
    remove_area((uint64_t)(uintptr_t)pointer, 0);
}

void guard_remove_buffer(const struct memobj *memobj)
{
    if (memobj->flags & CL_MEM_USE_HOST_PTR && !memobj->parent && guard_active())
        remove_area((uint64_t)(uintptr_t)memobj->host_ptr, memobj->address);
}

/* ---- commands ------------------------------------------------------------------------------- */

/* The area of a map's bytes: the host memory of its buffer, or an allocation. */
static struct guard_area *mapped_area(const struct map_record *record, uint64_t low)
{
    const struct memobj *root = memobj_root(record ? record->owner : NULL);
    const bool buffer = root && root->flags & CL_MEM_USE_HOST_PTR && !root->is_svm;
    return *link_of(low, buffer ? root->address : 0);
}

static void add_map(struct guard_area *area, uint64_t low, size_t size, const struct memobj *owner,
                    const struct command *command)
{
    struct mapped_range *map = calloc(1, sizeof *map);
    struct guard_area *made = map && !area ? area_new(low, false) : NULL;
    if (!map || (!area && !made)) {
        free(map);
        return;
    }
    *map = (struct mapped_range){.low = low,
                                 .high = low + size,
                                 .command = command->serial,
                                 .call = command_call(command->kind),
                                 .owner = owner};
    owned_lock_take(&guard.lock);
    if (made)
        area_link(area = made);
    map->next = area->maps;
    area->maps = map;
    CHECKED(low >= area->low && low < area->high);
    update_area(area);
    owned_lock_release(&guard.lock);
}

static bool begins_at(const struct mapped_range *map, uint64_t low, const struct memobj *owner)
{
    return map->low == low && map->owner == owner;
}

/* Another map with the same pointer has all its bytes, and the host is ordered after that map. */
static bool is_covered(const struct guard_area *area, const struct mapped_range *map)
{
    for (const struct mapped_range *other = area->maps; other; other = other->next)
        if (other != map && begins_at(other, map->low, map->owner) && other->acquired &&
            other->high >= map->high)
            return true;
    return false;
}

static bool is_mapped_at(const struct guard_area *area, uint64_t low, const struct memobj *owner)
{
    for (const struct mapped_range *map = area->maps; map; map = map->next)
        if (begins_at(map, low, owner) && !map->unmapped)
            return true;
    return false;
}

/*
 * Takes the maps that have ended. An unmap may mean any map with its pointer. So an unmapped map ends when
 * another one covers it, and all end when the last is unmapped.
 */
static struct mapped_range *take_ended(struct guard_area *area, uint64_t low, const struct memobj *owner)
{
    CHECKED(area->maps);
    const bool open = is_mapped_at(area, low, owner);
    struct mapped_range *taken = NULL;
    for (struct mapped_range **link = &area->maps; *link;) {
        struct mapped_range *map = *link;
        if (!begins_at(map, low, owner) || (open && !(map->unmapped && is_covered(area, map)))) {
            link = &map->next;
            continue;
        }
        *link = map->next;
        map->next = taken;
        taken = map;
    }
    return taken;
}

/* Marks the latest map at the pointer, as the runtime takes the latest record (enqueue_map.c). */
static void remove_map(struct guard_area *area, uint64_t low, const struct memobj *owner,
                       const struct command *command)
{
    struct mapped_range *map = area ? area->maps : NULL;
    while (map && (map->unmapped || !begins_at(map, low, owner)))
        map = map->next;
    if (!map)
        return;
    owned_lock_take(&guard.lock);
    map->unmapped = true;
    struct mapped_range *taken = take_ended(area, low, owner);
    if (!is_mapped_at(area, low, owner))
        area->unmap = command->serial;
    update_area(area);
    owned_lock_release(&guard.lock);
    free_maps(taken);
}

static void map_enqueued(const struct command *command)
{
    const bool maps = command->kind == COMMAND_MAP_BUFFER || command->kind == COMMAND_MAP_IMAGE;
    const bool buffer = maps || command->kind == COMMAND_UNMAP_MEM_OBJECT;
    const bool svm = command->kind == COMMAND_SVM_MAP || command->kind == COMMAND_SVM_UNMAP;
    const struct map_record *record = buffer ? command->u.map.record : NULL;
    const void *pointer = record ? record->pointer : svm ? command->u.svm_map.pointer : NULL;
    const uint64_t low = (uint64_t)(uintptr_t)pointer;
    if (!pointer)
        return;
    guard_report();
    prepare();
    struct guard_area *area = mapped_area(record, low);
    if (maps || command->kind == COMMAND_SVM_MAP)
        add_map(area, low, maps ? record->size : command->u.svm_map.size, record ? record->owner : NULL,
                command);
    else
        remove_map(area, low, record ? record->owner : NULL, command);
}

static void may_write(struct memobj *memobj)
{
    memobj = memobj_root(memobj);
    for (struct guard_area *area = memobj ? guard.areas : NULL; area; area = area->next)
        area->used |= area->buffer && area->buffer == memobj->address;
}

static void note_use(const struct command *command)
{
    if (command_transfers(command)) {
        may_write(command->u.transfer.target);
    } else if (command->kind == COMMAND_FILL_BUFFER || command->kind == COMMAND_FILL_IMAGE) {
        may_write(command->u.fill.target);
    } else if (command_launches(command)) {
        for (size_t i = 0; i < command->u.launch.memobj_count; i++)
            may_write(command->u.launch.memobjs[i]);
    }
}

static bool is_mapped(uint64_t low, uint64_t high)
{
    const struct guard_area *area = *link_of(low, 0);
    return area && !area->is_fine && has_map_in(area, low, high);
}

/* Lists the host memory of a non-blocking transfer. All pages are open while host_use_begin examines them. */
static void note_host_memory(const struct command *command)
{
    const bool own = guard_watching() && !context_any(command->queue->context, device_supports_svm_system);
    if (!host_use_by(command) || command->blocking || !(own || guard.areas))
        return;
    const bool paused = own && (guard.areas || host_use_any()) && guard_pause();
    prepare();
    host_use_begin(command, own, is_mapped, &guard.lock);
    if (paused)
        guard_leave();
}

/* The areas whose protection depends on commands under way. */
static void update_alternating(void)
{
    for (struct guard_area *area = guard.areas; area; area = area->next)
        if (area->is_fine || area->used || host_use_meets(area->low, area->high))
            update_area(area);
}

void guard_enqueued(const struct command *command)
{
    CHECKED(runtime_lock_held() && command->serial);
    if (guard_watching())
        note_use(command);
    note_host_memory(command);
    query_device();
    owned_lock_take(&guard.lock);
    update_alternating();
    owned_lock_release(&guard.lock);
    map_enqueued(command);
    owned_lock_take(&guard.lock);
    update_uses();
    owned_lock_release(&guard.lock);
}

static bool is_acquired(const struct guard_area *area, uint32_t command)
{
    return (area->buffer ? device_host_reported : device_host_is_after)(runtime_device(), command);
}

/* Updates which maps the host is ordered after; true: it is after more of them. */
static bool maps_acquired(struct guard_area *area)
{
    bool more = false;
    for (struct mapped_range *map = area->maps; map; map = map->next) {
        const bool acquired = map->acquired || is_acquired(area, map->command);
        owned_lock_take(&guard.lock);
        more |= acquired != map->acquired;
        map->acquired = acquired;
        owned_lock_release(&guard.lock);
    }
    return more;
}

void guard_waited(void)
{
    if (!guard_active())
        return;
    guard_report();
    const bool less = host_use_any() && host_use_end(&guard.lock);
    query_device();
    for (struct guard_area *area = guard.areas; area; area = area->next) {
        const bool more = maps_acquired(area) || (less && area->maps);
        owned_lock_take(&guard.lock);
        if (more || area->is_fine || area->buffer)
            update_area(area);
        owned_lock_release(&guard.lock);
    }
    owned_lock_take(&guard.lock);
    update_uses();
    owned_lock_release(&guard.lock);
}

void guard_share(void)
{
    guard_report();
    runtime_lock();
    owned_lock_take(&guard.lock);
    guard.shared = true;
    guard_open_all();
    host_use_forget();
    struct guard_area *areas = guard.areas;
    __atomic_store_n(&guard.areas, NULL, __ATOMIC_RELAXED);
    owned_lock_release(&guard.lock);
    while (areas) {
        struct guard_area *area = areas;
        areas = area->next;
        if (area->buffer)
            device_mirror(runtime_device(), area->buffer, NULL);
        area_free(area);
    }
    runtime_unlock();
}

bool guard_active(void)
{
    return __atomic_load_n(&guard.areas, __ATOMIC_RELAXED) != NULL || guard_watching();
}

void guard_enter(void)
{
    if (guard_active())
        guard_report();
    owned_lock_take(&guard.lock);
    open_for_device();
    guard.executing = true;
    guard.executor = pthread_self();
    owned_lock_release(&guard.lock);
}

bool guard_pause(void)
{
    const bool executing = __atomic_load_n(&guard.executing, __ATOMIC_RELAXED);
    if (!executing)
        guard_enter();
    return !executing;
}

void guard_leave(void)
{
    query_device();
    owned_lock_take(&guard.lock);
    CHECKED(guard.executing); /* guard_enter */
    guard.executing = false;
    for (struct guard_area *area = guard.areas; area; area = area->next)
        update_area(area);
    update_uses();
    owned_lock_release(&guard.lock);
    guard_report();
}

/*
 * Opens everything, and gives each area one view again, since memory with two views would be shared with the
 * child. guard.lock is not kept: fork takes malloc's lock next, and a thread that holds that one may wait for
 * ours. While all pages are open only the notes can change without runtime_lock.
 */
void guard_fork_prepare(void)
{
    guard_enter();
    owned_lock_take(&guard.lock);
    for (struct guard_area *area = guard.areas; area; area = area->next)
        set_joined(area);
    owned_lock_release(&guard.lock);
}

void guard_fork_parent(void)
{
    guard_leave();
}

/* Commands run only in the parent: the child forgets which memory they use. */
void guard_fork_child(void)
{
    owned_lock_reset(&guard.lock);
    guard.note_count = 0;
    host_use_forget();
    for (struct guard_area *area = guard.areas; area; area = area->next)
        area->ambiguous |= area->buffer != 0;
    guard_leave();
}
