/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which pages are open is a function of the maps, of the commands under way and of the executor lock's owner;
 * the kernel keeps it, and guard.areas is what it must be. The program's own memory may be malloc's, so a
 * thread may wait for guard.lock in the handler that holds malloc's lock: under guard.lock nothing is
 * allocated or freed, and the device is not called, as it may do so.
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

struct extent guard_pages_of(const struct area *area)
{
    const uint64_t rest = PAGE_BYTES - 1;
    return area->past ? (struct extent){guard_page_of(area->low + rest), guard_page_of(area->high)}
                      : (struct extent){guard_page_of(area->low), guard_page_of(area->high + rest)};
}

void guard_open_area(const struct area *area)
{
    const struct extent pages = guard_pages_of(area);
    if (!area->ambiguous)
        guard_set_pages(pages.low, pages.high, PROT_READ | PROT_WRITE);
}

/* The pages that hold some of it. */
static struct extent pages_of_window(const struct extent *pages, const struct window *window)
{
    CHECKED(window->low <= window->high);
    const uint64_t low = guard_page_of(window->low), high = guard_page_of(window->high + PAGE_BYTES - 1);
    return (struct extent){low > pages->low ? low : pages->low, high < pages->high ? high : pages->high};
}

/* Is some of it mapped? */
static bool is_window(const struct area *area, uint64_t low, uint64_t high)
{
    const struct window *window = low < high ? area->windows : NULL;
    while (window && !(low < window->high && high > window->low))
        window = window->next;
    return window;
}

/* Those whose mapped bytes are all in the extent: what else the host has there it may touch. */
static struct extent pages_wholly_in(const struct area *area, const struct extent *bytes)
{
    struct extent pages = {guard_page_of(bytes->low), guard_page_of(bytes->high + PAGE_BYTES - 1)};
    if (is_window(area, pages.low, bytes->low))
        pages.low += PAGE_BYTES;
    if (is_window(area, bytes->high, pages.high))
        pages.high -= PAGE_BYTES;
    return pages;
}

/* Written bytes last: they are closed to loads, too. All is closed if nothing is mapped. */
static void close_uses(const struct area *area, const struct window *window, bool closes_loads)
{
    const struct extent all = guard_pages_of(area), open = pages_of_window(&all, window);
    struct extent bytes;
    bool written;
    for (uint32_t at = 0; host_use_next(open.low, open.high, &at, &bytes, &written);) {
        const struct extent pages = pages_wholly_in(area, &bytes);
        if (written == closes_loads)
            guard_set_pages(pages.low > open.low ? pages.low : open.low,
                            pages.high < open.high ? pages.high : open.high, written ? PROT_NONE : PROT_READ);
    }
}

static void open_windows(const struct area *area)
{
    const struct extent all = guard_pages_of(area);
    for (const struct window *window = area->windows; window; window = window->next) {
        const struct extent pages = pages_of_window(&all, window);
        if (window->acquired)
            guard_set_pages(pages.low, pages.high, PROT_READ | PROT_WRITE);
    }
    for (int loads = 0; loads < 2; loads++)
        for (const struct window *window = area->windows; window; window = window->next)
            if (window->acquired && !area->past)
                close_uses(area, window, loads);
}

static void close_area(const struct area *area)
{
    const struct extent pages = guard_pages_of(area);
    if (area->ambiguous)
        return;
    if (area->is_shared && !guard.under_way) {
        guard_open_area(area);
        return;
    }
    guard_set_pages(pages.low, pages.high, area->past && !area->unseen ? PROT_READ : PROT_NONE);
    open_windows(area);
}

struct area *guard_area_at(uint64_t address)
{
    for (struct area *area = guard.areas; area; area = area->next) {
        const struct extent pages = guard_pages_of(area);
        if (!area->ambiguous && address >= pages.low && address < pages.high)
            return area;
    }
    return NULL;
}

void guard_open_all(void)
{
    for (const struct area *area = guard.areas; area; area = area->next)
        guard_open_area(area);
    host_use_open();
}

/* Those that the device needs where the host has them. */
static void open_for_device(void)
{
    for (const struct area *area = guard.areas; area; area = area->next)
        if (!area->apart)
            guard_open_area(area);
    host_use_open();
}

/* ---- what the host may touch ---------------------------------------------------------------- */

/* Steps that must not happen for the first time under the lock. */
static void prepare(void)
{
    if (guard.prepared)
        return;
    guard.prepared = true;
    host_place_prepare();
    device_thread_watch_fork();
}

/* NULL: there is no such allocation, or no memory. */
static struct area *area_new(uint64_t address, bool is_svm)
{
    uint64_t start, size;
    struct area *area = NULL;
    if (!guard.shared && device_allocation(runtime_device(), address, &start, &size))
        area = calloc(1, sizeof *area);
    if (area)
        *area = (struct area){.low = start, .high = start + size, .is_svm = is_svm};
    return area;
}

static void area_link(struct area *area)
{
    area->next = guard.areas;
    guard.areas = area;
}

/* Each takes a few of the mappings that a process may have: of very many allocations the rest is open
 * while commands run. */
static void set_apart(struct area *area)
{
    enum { APART_MOST = HOSTILE(8192, 2) };
    if (area->apart || area->together || area->is_shared || area->past || guard.apart_count >= APART_MOST)
        return;
    area->apart = device_view_apart(runtime_device(), area->low, area->fresh);
    area->together = !area->apart;
    CHECKED(!area->is_shared && !area->past);
    area->fresh = false;
    guard.apart_count += area->apart;
}

static void set_joined(struct area *area)
{
    if (!area->apart)
        return;
    device_view_joined(runtime_device(), area->low);
    CHECKED(guard.apart_count > 0);
    area->apart = false;
    guard.apart_count--;
}

static void apply(struct area *area)
{
    if (!guard.inside)
        set_apart(area);
    if (guard.inside && !area->apart)
        return;
    guard_install();
    if (guard.installed)
        close_area(area);
}

/* Overrides the areas. */
static void apply_uses(void)
{
    if (guard.inside || !host_use_any())
        return;
    guard_install();
    if (guard.installed) {
        guard.closings++;
        host_use_close();
    }
}

/* Before the lock: queries of the device. */
static void look(void)
{
    guard.under_way = device_under_way(runtime_device());
    for (struct area *area = guard.areas; area; area = area->next)
        area->unseen = area->used && device_unseen(runtime_device(), area->past);
}

static void add_area(struct area *area)
{
    prepare();
    look();
    owned_lock_take(&guard.lock);
    area_link(area);
    apply(area);
    owned_lock_release(&guard.lock);
}

static void add(void *pointer, bool of_device, bool is_shared)
{
    if (!order_observed())
        return;
    runtime_lock(); /* so that no thread begins to execute meanwhile */
    struct area *area = area_new((uint64_t)(uintptr_t)pointer, true);
    if (area) {
        area->of_device = of_device;
        area->is_shared = is_shared;
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

/* Of several buffers of the same memory it is undefined what is in them (5.2.1). */
static void find_ambiguous(struct area *area)
{
    CHECKED(area->past);
    for (struct area *other = guard.areas; other; other = other->next)
        if (other->past && other->low < area->high && other->high > area->low) {
            guard_open_area(other);
            other->ambiguous = area->ambiguous = true;
        }
}

/* While all is open: what is closed does not look like the program's. */
static struct area *area_after(const struct memobj *memobj)
{
    const uint64_t low = (uint64_t)(uintptr_t)memobj->host_ptr, high = low + memobj->size;
    const struct extent pages = host_use_pages(low, high);
    struct area *area = pages.low < pages.high ? calloc(1, sizeof *area) : NULL;
    if (area)
        *area = (struct area){.low = low, .high = high, .past = memobj->address};
    return area;
}

void guard_add_after(const struct memobj *memobj)
{
    const bool apart = memobj->flags & CL_MEM_USE_HOST_PTR && !memobj->is_svm && !memobj->parent;
    if (!apart || !guard_watching() || context_any(memobj->context, device_supports_svm_system))
        return;
    runtime_lock();
    const bool paused = guard_pause();
    struct area *area = area_after(memobj);
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

static void free_windows(struct window *windows)
{
    while (windows) {
        struct window *window = windows;
        windows = window->next;
        free(window);
    }
}

static void area_free(struct area *area)
{
    free_windows(area->windows);
    free(area);
}

static struct area **link_of(uint64_t address, uint64_t past)
{
    struct area **link = &guard.areas;
    while (*link && !(address >= (*link)->low && address < (*link)->high && (*link)->past == past))
        link = &(*link)->next;
    return link;
}

static void remove_area(uint64_t address, uint64_t past)
{
    guard_report();
    runtime_lock();
    owned_lock_take(&guard.lock);
    struct area **link = link_of(address, past), *area = *link;
    if (area) {
        *link = area->next;
        CHECKED(guard.apart_count >= area->apart);
        guard.apart_count -= area->apart;
        guard_open_area(area);
        apply_uses();
    }
    owned_lock_release(&guard.lock);
    if (area && past)
        device_mirror(runtime_device(), past, NULL);
    runtime_unlock();
    if (area)
        area_free(area);
}

void guard_remove(void *pointer)
{
    remove_area((uint64_t)(uintptr_t)pointer, 0);
}

void guard_remove_after(const struct memobj *memobj)
{
    if (memobj->flags & CL_MEM_USE_HOST_PTR && !memobj->parent && guard_active())
        remove_area((uint64_t)(uintptr_t)memobj->host_ptr, memobj->address);
}

/* ---- commands ------------------------------------------------------------------------------- */

/* Whose bytes start there: memory of the device, or, for maps of several buffers, of the program. */
static struct area *mapped_area(const struct map_record *record, uint64_t low)
{
    const struct memobj *root = record ? record->owner : NULL;
    while (root && root->parent)
        root = root->parent;
    const bool past = root && root->flags & CL_MEM_USE_HOST_PTR && !root->is_svm;
    return *link_of(low, past ? root->address : 0);
}

static void add_window(struct area *area, uint64_t low, size_t size, const struct memobj *owner,
                       const struct command *command)
{
    struct window *window = calloc(1, sizeof *window);
    struct area *made = window && !area ? area_new(low, false) : NULL;
    if (!window || (!area && !made)) {
        free(window);
        return;
    }
    *window = (struct window){.low = low,
                              .high = low + size,
                              .command = command->serial,
                              .call = command_call(command->kind),
                              .owner = owner};
    owned_lock_take(&guard.lock);
    if (made)
        area_link(area = made);
    window->next = area->windows;
    area->windows = window;
    CHECKED(low >= area->low && low < area->high);
    apply(area);
    owned_lock_release(&guard.lock);
}

static bool has_pointer(const struct window *window, uint64_t low, const struct memobj *owner)
{
    return window->low == low && window->owner == owner;
}

/* Another map gives the host more, and the host is ordered after it. */
static bool is_covered(const struct area *area, const struct window *window)
{
    for (const struct window *other = area->windows; other; other = other->next)
        if (other != window && has_pointer(other, window->low, window->owner) && other->acquired &&
            other->high >= window->high)
            return true;
    return false;
}

static bool is_open(const struct area *area, uint64_t low, const struct memobj *owner)
{
    for (const struct window *window = area->windows; window; window = window->next)
        if (has_pointer(window, low, owner) && !window->unmapped)
            return true;
    return false;
}

/* One whose unmap may mean another one goes when that has all it has; otherwise when the last is unmapped. */
static struct window *take_closed(struct area *area, uint64_t low, const struct memobj *owner)
{
    CHECKED(area->windows);
    const bool open = is_open(area, low, owner);
    struct window *taken = NULL;
    for (struct window **link = &area->windows; *link;) {
        struct window *window = *link;
        if (!has_pointer(window, low, owner) || (open && !(window->unmapped && is_covered(area, window)))) {
            link = &window->next;
            continue;
        }
        *link = window->next;
        window->next = taken;
        taken = window;
    }
    return taken;
}

/* The last one mapped at the pointer, as the runtime takes the last record. */
static void remove_window(struct area *area, uint64_t low, const struct memobj *owner,
                          const struct command *command)
{
    struct window *window = area ? area->windows : NULL;
    while (window && (window->unmapped || !has_pointer(window, low, owner)))
        window = window->next;
    if (!window)
        return;
    owned_lock_take(&guard.lock);
    window->unmapped = true;
    struct window *taken = take_closed(area, low, owner);
    if (!is_open(area, low, owner))
        area->unmap = command->serial;
    apply(area);
    owned_lock_release(&guard.lock);
    free_windows(taken);
}

static void map_enqueued(const struct command *command)
{
    const bool map = command->kind == COMMAND_MAP_BUFFER || command->kind == COMMAND_MAP_IMAGE;
    const bool buffer = map || command->kind == COMMAND_UNMAP_MEM_OBJECT;
    const bool svm = command->kind == COMMAND_SVM_MAP || command->kind == COMMAND_SVM_UNMAP;
    const struct map_record *record = buffer ? command->u.map.record : NULL;
    const void *pointer = record ? record->pointer : svm ? command->u.svm_map.pointer : NULL;
    const uint64_t low = (uint64_t)(uintptr_t)pointer;
    if (!pointer)
        return;
    guard_report();
    prepare();
    struct area *area = mapped_area(record, low);
    if (map || command->kind == COMMAND_SVM_MAP)
        add_window(area, low, map ? record->size : command->u.svm_map.size, record ? record->owner : NULL,
                   command);
    else
        remove_window(area, low, record ? record->owner : NULL, command);
}

static void may_write(const struct memobj *memobj)
{
    while (memobj && memobj->parent)
        memobj = memobj->parent;
    for (struct area *area = memobj ? guard.areas : NULL; area; area = area->next)
        area->used |= area->past && area->past == memobj->address;
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
    const struct area *area = *link_of(low, 0);
    return area && !area->is_shared && is_window(area, low, high);
}

/* The program's own memory may be closed by its protection: read while all is open. */
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

/* Those that close when something is under way, or uses them. */
static void apply_alternating(void)
{
    for (struct area *area = guard.areas; area; area = area->next)
        if (area->is_shared || area->used || host_use_meets(area->low, area->high))
            apply(area);
}

void guard_enqueued(const struct command *command)
{
    CHECKED(runtime_lock_held() && command->serial);
    if (guard_watching())
        note_use(command);
    note_host_memory(command);
    look();
    owned_lock_take(&guard.lock);
    apply_alternating();
    owned_lock_release(&guard.lock);
    map_enqueued(command);
    owned_lock_take(&guard.lock);
    apply_uses();
    owned_lock_release(&guard.lock);
}

static bool is_acquired(const struct area *area, uint32_t command)
{
    return (area->past ? device_host_reported : device_host_is_after)(runtime_device(), command);
}

/* Is the host ordered after more of the maps? */
static bool windows_acquired(struct area *area)
{
    bool more = false;
    for (struct window *window = area->windows; window; window = window->next) {
        const bool acquired = window->acquired || is_acquired(area, window->command);
        owned_lock_take(&guard.lock);
        more |= acquired != window->acquired;
        window->acquired = acquired;
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
    look();
    for (struct area *area = guard.areas; area; area = area->next) {
        const bool more = windows_acquired(area) || (less && area->windows);
        owned_lock_take(&guard.lock);
        if (more || area->is_shared || area->past)
            apply(area);
        owned_lock_release(&guard.lock);
    }
    owned_lock_take(&guard.lock);
    apply_uses();
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
    struct area *areas = guard.areas;
    guard.areas = NULL;
    owned_lock_release(&guard.lock);
    while (areas) {
        struct area *area = areas;
        areas = area->next;
        if (area->past)
            device_mirror(runtime_device(), area->past, NULL);
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
    guard.inside = true;
    guard.executes = pthread_self();
    owned_lock_release(&guard.lock);
}

bool guard_pause(void)
{
    const bool inside = __atomic_load_n(&guard.inside, __ATOMIC_RELAXED);
    if (!inside)
        guard_enter();
    return !inside;
}

void guard_leave(void)
{
    look();
    owned_lock_take(&guard.lock);
    CHECKED(guard.inside); /* guard_enter */
    guard.inside = false;
    for (struct area *area = guard.areas; area; area = area->next)
        apply(area);
    apply_uses();
    owned_lock_release(&guard.lock);
    guard_report();
}

/* Not with the lock: fork takes malloc's next, which a thread may hold that waits for ours. While all is open
 * nothing here changes without runtime_lock but the notes. Memory in two places is memory that processes
 * share. */
void guard_fork_prepare(void)
{
    guard_enter();
    owned_lock_take(&guard.lock);
    for (struct area *area = guard.areas; area; area = area->next)
        set_joined(area);
    owned_lock_release(&guard.lock);
}

void guard_fork_parent(void)
{
    guard_leave();
}

/* Which commands use which memory is the parent's affair. */
void guard_fork_child(void)
{
    owned_lock_reset(&guard.lock);
    guard.note_count = 0;
    host_use_forget();
    for (struct area *area = guard.areas; area; area = area->next)
        area->ambiguous |= area->past != 0;
    guard_leave();
}
