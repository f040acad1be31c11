/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two lists of commands that the host has not waited for. `writes` holds non-blocking writes, each with a
 * hash of its source at the time of the call. `others` holds commands during which the source may change
 * without a mistake: native kernels, commands that write host memory, and commands that wait for a user
 * event, since the program may set the event after it has changed the memory. A write is not watched if it
 * comes after such a command, or before one that writes the same memory.
 */
#include "host_changed.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "host_bytes.h"
#include "host_use.h"
#include "lib/api_runtime.h"
#include "lib/command.h"
#include "lib/command_order.h"
#include "lib/context.h"
#include "lib/device_info.h"
#include "lib/event.h"
#include "guard.h"
#include "orrery/checked.h"

enum { WRITES_MOST = 256, OTHERS_MOST = 1024, BYTES_MOST = 16 << 20, CHUNK = 1 << 14 };

/* Rows of bytes in host memory. */
struct host_rows {
    uint64_t low, bytes;
    uint64_t rows, row_pitch, slices, slice_pitch;
};

struct watched_write {
    struct watched_write *next;
    uint32_t command;
    enum command_kind kind;
    const struct enqueuer *enqueuer;
    struct host_rows source;
    struct host_extent extent;
    uint64_t hash;
};

struct other_command {
    struct other_command *next;
    uint32_t command;
    enum command_kind kind;
    const struct enqueuer *enqueuer;
    struct host_extent written; /* all memory: what the program does there, or before it */
    bool reads, ran;            /* reads: a read that does not block */
};

/* Guarded by runtime_lock. */
static struct {
    struct watched_write *writes;
    struct other_command *others;
    uint32_t write_count, other_count;
    uint64_t bytes; /* of the writes */
    bool lost;      /* `others` lacks a command, so no write is watched any more */
} changed;

/* ---- the bytes ------------------------------------------------------------------------------- */

static uint64_t add_bytes(uint64_t hash, const char *bytes, size_t size)
{
    for (size_t at = 0; at < size; at += sizeof hash) {
        uint64_t word = 0;
        memcpy(&word, bytes + at, size - at < sizeof word ? size - at : sizeof word);
        hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 32;
    }
    return hash;
}

/* False: the program has unmapped some of the bytes, which host_gone.c reports. */
static bool add_row(uint64_t *hash, uint64_t low, uint64_t bytes)
{
    static char now[CHUNK];
    for (uint64_t at = 0; at < bytes; at += CHUNK) {
        const size_t size = bytes - at < CHUNK ? (size_t)(bytes - at) : CHUNK;
        struct iovec to = {now, size}, from = {(void *)(uintptr_t)(low + at), size};
        if (process_vm_readv(getpid(), &to, 1, &from, 1, 0) != (ssize_t)size)
            return false;
        *hash = add_bytes(*hash, now, size);
    }
    return true;
}

static bool hash_rows(const struct host_rows *rows, uint64_t *out_hash)
{
    /* the guard may have closed some pages */
    const bool paused = runtime_get()->scenario.shared_pages && guard_pause();
    bool fine = true;
    *out_hash = 0;
    for (uint64_t z = 0; z < rows->slices && fine; z++)
        for (uint64_t y = 0; y < rows->rows && fine; y++)
            fine = add_row(out_hash, rows->low + z * rows->slice_pitch + y * rows->row_pitch, rows->bytes);
    if (paused)
        guard_leave();
    return fine;
}

/* ---- which commands -------------------------------------------------------------------------- */

static bool meet(const struct host_extent *a, const struct host_extent *b)
{
    return a->low < b->high && b->low < a->high;
}

/* The host memory that a write reads; bytes 0: the command is none. */
static struct host_rows source_of(const struct command *command, struct host_extent extent)
{
    const struct rect *rect = &command->u.transfer.rect;
    switch (command->kind) {
    case COMMAND_WRITE_BUFFER: return (struct host_rows){extent.low, extent.high - extent.low, 1, 0, 1, 0};
    case COMMAND_WRITE_BUFFER_RECT:
    case COMMAND_WRITE_IMAGE:
        return (struct host_rows){extent.low,     rect->region[0], rect->region[1],
                                  rect->host_row, rect->region[2], rect->host_slice};
    default: return (struct host_rows){0};
    }
}

/* The program sets a user event once it has done something, maybe changed memory. */
static bool waits_for_program(const struct command *command)
{
    for (cl_uint i = 0; i < command->wait_count; i++)
        if (!command->waits[i]->queue && command->waits[i]->user_status > CL_COMPLETE)
            return true;
    return false;
}

static const struct host_extent all_memory = {0, UINT64_MAX};

/* What the command writes, or the program within it. */
static struct host_extent changes(const struct command *command)
{
    return command_calls_program(command) ? all_memory : host_use_written(command);
}

/* What the command writes, or the program before it ends. */
static struct host_extent may_change(const struct command *command)
{
    return waits_for_program(command) ? all_memory : changes(command);
}

/* The guard watches the whole pages of what commands use, and finds the line of a store. */
static bool is_guarded(const struct host_extent *extent)
{
    enum { PAGE_BYTES = 4096 };
    const uint64_t rest = PAGE_BYTES - 1;
    return runtime_get()->scenario.shared_pages && ((extent->low + rest) & ~rest) < (extent->high & ~rest);
}

static bool is_own_memory(const struct command *command, const struct host_extent *extent)
{
    uint64_t allocation, size;
    return !is_guarded(extent) && !device_allocation(runtime_device(), extent->low, &allocation, &size) &&
           !host_bytes_watches(extent->low, extent->high) &&
           !context_any(command->queue->context, device_supports_svm_system);
}

/* ---- the lists ------------------------------------------------------------------------------- */

static bool is_over(uint32_t command)
{
    return device_host_reported(runtime_device(), command);
}

static void remove_write(struct watched_write **link)
{
    struct watched_write *write = *link;
    *link = write->next;
    changed.write_count--;
    changed.bytes -= write->extent.high - write->extent.low;
    free(write);
}

static void forget_over(void)
{
    for (struct watched_write **link = &changed.writes; *link;) {
        if (is_over((*link)->command))
            remove_write(link);
        else
            link = &(*link)->next;
    }
    for (struct other_command **link = &changed.others, *other; (other = *link);) {
        if (!is_over(other->command)) {
            link = &other->next;
            continue;
        }
        *link = other->next;
        changed.other_count--;
        free(other);
    }
    changed.lost &= changed.other_count > 0;
}

/* The command changes memory that earlier writes read: these are no longer watched. */
static void forget_changed_by(const struct command *command)
{
    const struct host_extent written = changes(command);
    for (struct watched_write **link = &changed.writes; *link;) {
        if (meet(&(*link)->extent, &written))
            remove_write(link);
        else
            link = &(*link)->next;
    }
}

static void add_other(const struct command *command, struct host_extent written)
{
    struct other_command *other = changed.other_count < OTHERS_MOST ? malloc(sizeof *other) : NULL;
    changed.lost |= !other;
    if (!other)
        return;
    *other = (struct other_command){.next = changed.others,
                                    .command = command->serial,
                                    .kind = command->kind,
                                    .enqueuer = command->enqueuer,
                                    .written = written,
                                    .reads = command_transfers(command) && !command->blocking};
    changed.others = other;
    changed.other_count++;
}

static bool may_be_changed(const struct host_extent *extent)
{
    for (const struct other_command *other = changed.others; other; other = other->next)
        if (meet(&other->written, extent))
            return true;
    return changed.lost;
}

static void add_write(const struct command *command, const struct host_rows *source,
                      struct host_extent extent)
{
    const uint64_t bytes = extent.high - extent.low;
    const bool room = changed.write_count < WRITES_MOST && bytes <= BYTES_MOST - changed.bytes;
    struct watched_write *write = room ? malloc(sizeof *write) : NULL;
    if (!write)
        return;
    *write = (struct watched_write){.command = command->serial,
                                    .kind = command->kind,
                                    .enqueuer = command->enqueuer,
                                    .source = *source,
                                    .extent = extent};
    if (!hash_rows(source, &write->hash)) {
        free(write);
        return;
    }
    struct watched_write **end = &changed.writes;
    while (*end)
        end = &(*end)->next;
    *end = write;
    changed.write_count++;
    changed.bytes += bytes;
}

void host_changed_enqueued(const struct command *command)
{
    struct host_extent read, written = may_change(command);
    CHECKED(runtime_lock_held());
    if (!order_observed())
        return;
    host_use_extents(command, &read, &(struct host_extent){0});
    const struct host_rows source = source_of(command, read);
    const bool watched = source.bytes && read.low < read.high && !command->blocking;
    if (!watched && written.low == written.high)
        return;
    forget_over();
    forget_changed_by(command);
    if (written.low < written.high)
        add_other(command, written);
    if (watched && !may_be_changed(&read) && is_own_memory(command, &read))
        add_write(command, &source, read);
}

void host_changed_runs(const struct command *command)
{
    if (!command_transfers(command) || !order_observed())
        return;
    runtime_lock();
    for (struct other_command *other = changed.others; other; other = other->next)
        other->ran |= other->command == command->serial;
    runtime_unlock();
}

/* ---- reports --------------------------------------------------------------------------------- */

static void report(enum finding_kind kind, uint32_t command, enum command_kind call,
                   const struct enqueuer *enqueuer, const char *why, const char *fix)
{
    char by[64];
    struct finding_access access = {.act = ACT_CALL, .what = command_call(call), .by = by};
    snprintf(by, sizeof by, "command %" PRIu32, command);
    if (enqueuer)
        enqueuer->find(enqueuer, &access.place);
    struct finding finding = {.kind = kind, .why = why, .fix = fix, .access_count = 1, .access[0] = access};
    report_add(runtime_get()->report, &finding);
}

static void report_changed(const struct watched_write *write)
{
    char why[240];
    snprintf(why, sizeof why,
             "the %" PRIu64 " bytes of host memory that command %" PRIu32
             " (%s) reads are not those that were there at the call, and the program has not waited for the "
             "command: it may copy either",
             write->source.bytes * write->source.rows * write->source.slices, write->command,
             command_call(write->kind));
    report(FINDING_RACE_HOST_DEVICE, write->command, write->kind, write->enqueuer, why,
           "leave the memory as it is until the command is complete, also where it belongs to a function "
           "that returns; or let the call block (CL_TRUE)");
}

/* Takes the next write from the list that has a changed source. False: there is none. */
static bool take_changed(struct watched_write *out_write)
{
    const bool locked = runtime_lock_held();
    bool found = false;
    uint64_t hash;
    if (!locked)
        runtime_lock();
    forget_over();
    for (struct watched_write **link = &changed.writes; *link && !found;) {
        *out_write = **link;
        const bool there = hash_rows(&out_write->source, &hash);
        found = there && hash != out_write->hash;
        if (found || !there)
            remove_write(link);
        else
            link = &(*link)->next;
    }
    if (!locked)
        runtime_unlock();
    return found;
}

/* Other memory may be mapped there soon, also by the report that the memory is gone. */
void host_changed_gone(const struct command *command)
{
    const bool locked = runtime_lock_held();
    if (!locked)
        runtime_lock();
    struct watched_write **link = &changed.writes;
    while (*link && (*link)->command != command->serial)
        link = &(*link)->next;
    if (*link)
        remove_write(link);
    if (!locked)
        runtime_unlock();
}

void host_changed_look(void)
{
    struct watched_write write;
    while (changed.writes && take_changed(&write))
        report_changed(&write);
}

void host_changed_end(void)
{
    runtime_lock();
    forget_over();
    struct other_command *others = changed.others, *next;
    changed.others = NULL;
    changed.other_count = 0;
    runtime_unlock();
    for (; others; others = next) {
        next = others->next;
        if (others->reads && others->ran)
            report(FINDING_READ_NOT_AWAITED, others->command, others->kind, others->enqueuer,
                   "the program ends, and it never waited for this read: what it read cannot be used",
                   "clFinish, or wait for the read's event, before the memory is used; or let the call block "
                   "(CL_TRUE)");
        free(others);
    }
}
