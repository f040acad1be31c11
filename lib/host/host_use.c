/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A fixed array of uses: page ranges of the program's memory, or byte ranges of mapped allocations. Rows of a
 * rectangle that are contiguous count as one range. Whether pages may be closed is read from /proc/self/maps.
 */
#include "host_use.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/command.h"
#include "lib/command_order.h"
#include "lib/api_runtime.h"

enum { PAGE_BYTES = 4096, USES_MOST = 256 };

/* Pages, or (in_allocation) bytes, that a command reads or writes. */
struct host_use {
    uint64_t low, high;
    uint32_t command;
    bool written, in_allocation;
};
static struct {
    struct host_use items[USES_MOST];
    uint32_t count;
    bool lost;
} uses;

/* ---- which memory --------------------------------------------------------------------- */

/* /proc/self/maps, character by character: nothing is allocated, and the stack is small. */
struct maps {
    int file;
    ssize_t have, at;
    char bytes[1024];
};

static int next_char(struct maps *maps)
{
    if (maps->at == maps->have) {
        maps->at = 0;
        maps->have = read(maps->file, maps->bytes, sizeof maps->bytes);
    }
    return maps->have > maps->at ? (unsigned char)maps->bytes[maps->at++] : -1;
}

struct host_mapping {
    uint64_t low, high;
    char modes[4];
    bool is_stack;
};

static bool is_digit(int c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

static int next_number(struct maps *maps, uint64_t *out_number)
{
    int c;
    *out_number = 0;
    while (is_digit(c = next_char(maps)))
        *out_number = *out_number << 4 | (uint64_t)(c <= '9' ? c - '0' : c - 'a' + 10);
    return c;
}

/* "7f0c1000-7f0c9000 rw-p 00000000 00:00 0    [stack]" */
static bool next_mapping(struct maps *maps, struct host_mapping *out_mapping)
{
    int c, last = 0;
    if (next_number(maps, &out_mapping->low) != '-' || next_number(maps, &out_mapping->high) != ' ')
        return false;
    for (int i = 0; i < 4; i++)
        out_mapping->modes[i] = (char)next_char(maps);
    out_mapping->is_stack = false;
    for (; (c = next_char(maps)) >= 0 && c != '\n'; last = c)
        out_mapping->is_stack |= last == '[' && c == 's';
    return c >= 0;
}

/* Every byte is mapped for reading and writing, and not as the stack of the first thread. */
static bool is_plain(uint64_t low, uint64_t high)
{
    struct maps maps = {.file = open("/proc/self/maps", O_RDONLY | O_CLOEXEC)};
    struct host_mapping mapping;
    uint64_t plain = low;
    while (maps.file >= 0 && plain < high && next_mapping(&maps, &mapping)) {
        if (mapping.high <= plain)
            continue;
        if (mapping.low > plain || memcmp(mapping.modes, "rw-", 3) != 0 || mapping.is_stack)
            break;
        plain = mapping.high;
    }
    if (maps.file >= 0)
        close(maps.file);
    return plain >= high;
}

static bool meets_own_stack(uint64_t low, uint64_t high)
{
    static __thread struct host_extent stack;
    pthread_attr_t attributes;
    void *start = NULL;
    size_t size = 0;
    if (!stack.high && pthread_getattr_np(pthread_self(), &attributes) == 0) {
        pthread_attr_getstack(&attributes, &start, &size);
        pthread_attr_destroy(&attributes);
        stack = (struct host_extent){(uint64_t)(uintptr_t)start, (uint64_t)(uintptr_t)start + size};
    }
    return low < stack.high && high > stack.low;
}

static struct host_extent pages_inside(struct host_extent bytes)
{
    const uint64_t rest = PAGE_BYTES - 1;
    return (struct host_extent){(bytes.low + rest) & ~rest, bytes.high & ~rest};
}

struct host_extent host_use_pages(uint64_t low, uint64_t high)
{
    const struct host_extent pages = pages_inside((struct host_extent){low, high});
    uint64_t allocation, size;
    const bool fits = pages.low < pages.high &&
                      !device_allocation(runtime_device(), low, &allocation, &size) &&
                      !meets_own_stack(pages.low, pages.high) && is_plain(pages.low, pages.high);
    return fits ? pages : (struct host_extent){0, 0};
}

/* ---- what commands use -------------------------------------------------------------------- */

static struct host_extent rows_of(const struct rect *rect, uint64_t at)
{
    const uint64_t low = at + rect->host_origin[2] * rect->host_slice +
                         rect->host_origin[1] * rect->host_row + rect->host_origin[0];
    return (struct host_extent){low, low + (rect->region[2] - 1) * rect->host_slice +
                                         (rect->region[1] - 1) * rect->host_row + rect->region[0]};
}

struct host_extent host_use_written(const struct command *command)
{
    const uint64_t at = (uint64_t)(uintptr_t)command->u.transfer.host,
                   target = (uint64_t)(uintptr_t)command->u.svm_copy.target;
    switch (command->kind) {
    case COMMAND_READ_BUFFER: return (struct host_extent){at, at + command->u.transfer.size};
    case COMMAND_READ_BUFFER_RECT:
    case COMMAND_READ_IMAGE: return rows_of(&command->u.transfer.rect, at);
    case COMMAND_SVM_MEMCPY:
    case COMMAND_MEMCPY_INTEL: return (struct host_extent){target, target + command->u.svm_copy.size};
    case COMMAND_NATIVE_KERNEL: return (struct host_extent){0, UINT64_MAX};
    default: return (struct host_extent){0, 0};
    }
}

void host_use_extents(const struct command *command, struct host_extent *out_read,
                      struct host_extent *out_written)
{
    const uint64_t at = (uint64_t)(uintptr_t)command->u.transfer.host,
                   source = (uint64_t)(uintptr_t)command->u.svm_copy.source,
                   fill = (uint64_t)(uintptr_t)command->u.fill.svm;
    *out_read = (struct host_extent){0, 0};
    *out_written =
        command->kind == COMMAND_NATIVE_KERNEL ? (struct host_extent){0, 0} : host_use_written(command);
    switch (command->kind) {
    case COMMAND_WRITE_BUFFER: *out_read = (struct host_extent){at, at + command->u.transfer.size}; break;
    case COMMAND_WRITE_BUFFER_RECT:
    case COMMAND_WRITE_IMAGE: *out_read = rows_of(&command->u.transfer.rect, at); break;
    case COMMAND_SVM_MEMCPY:
    case COMMAND_MEMCPY_INTEL:
        *out_read = (struct host_extent){source, source + command->u.svm_copy.size};
        break;
    case COMMAND_SVM_MEMFILL:
    case COMMAND_MEMFILL_INTEL: *out_written = (struct host_extent){fill, fill + command->u.fill.size}; break;
    default: break;
    }
}

/* Collects the uses of one command. `whole`: the pages that may be closed, or the bytes in one allocation. */
struct use_listing {
    uint32_t command;
    bool own, written, in_allocation;
    bool (*is_mapped)(uint64_t low, uint64_t high);
    struct host_extent whole, piece;
    struct host_use *out;
    uint32_t count, room;
};

static void list_within(struct use_listing *listing, uint64_t low, uint64_t high)
{
    listing->in_allocation = listing->is_mapped(low, high);
    listing->whole = listing->in_allocation ? (struct host_extent){low, high}
                     : listing->own         ? host_use_pages(low, high)
                                            : (struct host_extent){0, 0};
}

static void list_piece(struct use_listing *listing)
{
    struct host_extent pages = listing->in_allocation ? listing->piece : pages_inside(listing->piece);
    if (pages.low < listing->whole.low)
        pages.low = listing->whole.low;
    if (pages.high > listing->whole.high)
        pages.high = listing->whole.high;
    if (pages.low < pages.high && listing->count < listing->room)
        listing->out[listing->count++] = (struct host_use){pages.low, pages.high, listing->command,
                                                           listing->written, listing->in_allocation};
}

static void list_rows(struct use_listing *listing, const struct rect *rect, uint64_t at)
{
    const struct host_extent all = rows_of(rect, at);
    list_within(listing, all.low, all.high);
    listing->piece = (struct host_extent){all.low, all.low};
    for (size_t z = 0; z < rect->region[2]; z++)
        for (size_t y = 0; y < rect->region[1] && listing->whole.high; y++) {
            const uint64_t low = all.low + z * rect->host_slice + y * rect->host_row;
            if (low != listing->piece.high) {
                list_piece(listing);
                listing->piece.low = low;
            }
            listing->piece.high = low + rect->region[0];
        }
    list_piece(listing);
}

static void list_bytes(struct use_listing *listing, uint64_t at, size_t size)
{
    listing->piece = (struct host_extent){at, at + size};
    list_within(listing, at, at + size);
    list_piece(listing);
}

static void list_command(struct use_listing *listing, const struct command *command)
{
    const uint64_t at = (uint64_t)(uintptr_t)command->u.transfer.host;
    switch (command->kind) {
    case COMMAND_READ_BUFFER:
    case COMMAND_WRITE_BUFFER: list_bytes(listing, at, command->u.transfer.size); break;
    case COMMAND_READ_BUFFER_RECT:
    case COMMAND_READ_IMAGE:
    case COMMAND_WRITE_BUFFER_RECT:
    case COMMAND_WRITE_IMAGE: list_rows(listing, &command->u.transfer.rect, at); break;
    case COMMAND_SVM_MEMCPY:
    case COMMAND_MEMCPY_INTEL:
        list_bytes(listing, (uint64_t)(uintptr_t)command->u.svm_copy.source, command->u.svm_copy.size);
        listing->written = true;
        list_bytes(listing, (uint64_t)(uintptr_t)command->u.svm_copy.target, command->u.svm_copy.size);
        break;
    default: break;
    }
}

static bool writes_memory(const struct command *command)
{
    return command->kind == COMMAND_READ_BUFFER || command->kind == COMMAND_READ_BUFFER_RECT ||
           command->kind == COMMAND_READ_IMAGE;
}

bool host_use_by(const struct command *command)
{
    if (uses.count >= USES_MOST)
        return false;
    switch (command->kind) {
    case COMMAND_WRITE_BUFFER:
    case COMMAND_WRITE_BUFFER_RECT:
    case COMMAND_WRITE_IMAGE:
    case COMMAND_SVM_MEMCPY:
    case COMMAND_MEMCPY_INTEL: return true;
    default: return writes_memory(command);
    }
}

/* ---- pages ------------------------------------------------------------------------------ */

static void set(const struct host_use *use, int protection)
{
    if (!use->in_allocation && mprotect((void *)(uintptr_t)use->low, use->high - use->low, protection) != 0 &&
        errno == ENOMEM)
        uses.lost = true;
}

/* Written ranges last: a page that one command reads and another writes is closed to loads, too. */
void host_use_close(void)
{
    for (int written = 0; written < 2; written++)
        for (uint32_t i = 0; i < uses.count; i++)
            if (uses.items[i].written == (written == 1))
                set(&uses.items[i], written ? PROT_NONE : PROT_READ);
}

void host_use_open(void)
{
    for (uint32_t i = 0; i < uses.count; i++)
        set(&uses.items[i], PROT_READ | PROT_WRITE);
}

bool host_use_next(uint64_t low, uint64_t high, uint32_t *at, struct host_extent *out_bytes,
                   bool *out_written)
{
    while (*at < uses.count && !(uses.items[*at].low < high && uses.items[*at].high > low))
        ++*at;
    if (*at == uses.count)
        return false;
    const struct host_use *use = &uses.items[(*at)++];
    *out_bytes = (struct host_extent){use->low, use->high};
    *out_written = use->written;
    return true;
}

bool host_use_meets(uint64_t low, uint64_t high)
{
    uint32_t at = 0;
    struct host_extent bytes;
    bool written;
    return host_use_next(low, high, &at, &bytes, &written);
}

static bool is_lost(const struct host_use *use)
{
    return !use->in_allocation && msync((void *)(uintptr_t)use->low, use->high - use->low, MS_ASYNC) != 0 &&
           errno == ENOMEM;
}

bool host_use_lost(void)
{
    for (uint32_t i = 0; i < uses.count && !uses.lost; i++)
        uses.lost = is_lost(&uses.items[i]);
    return uses.lost;
}

bool host_use_any(void)
{
    return uses.count;
}

void host_use_forget(void)
{
    uses.count = 0;
}

void host_use_begin(const struct command *command, bool own, bool (*is_mapped)(uint64_t low, uint64_t high),
                    struct owned_lock *lock)
{
    struct host_use found[USES_MOST];
    struct use_listing listing = {.command = command->serial,
                                  .own = own,
                                  .is_mapped = is_mapped,
                                  .written = writes_memory(command),
                                  .out = found,
                                  .room = USES_MOST - uses.count};
    list_command(&listing, command);
    if (!listing.count)
        return;
    owned_lock_take(lock);
    memcpy(uses.items + uses.count, found, listing.count * sizeof *found);
    uses.count += listing.count;
    owned_lock_release(lock);
}

bool host_use_end(struct owned_lock *lock)
{
    bool done[USES_MOST], in_allocation = false;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < uses.count; i++)
        done[i] = device_host_reported(runtime_device(), uses.items[i].command);
    owned_lock_take(lock);
    for (uint32_t i = 0; i < uses.count; i++) {
        in_allocation |= done[i] && uses.items[i].in_allocation;
        if (done[i])
            set(&uses.items[i], PROT_READ | PROT_WRITE);
        else
            uses.items[kept++] = uses.items[i];
    }
    uses.count = kept;
    owned_lock_release(lock);
    return in_allocation;
}
