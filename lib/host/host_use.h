/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The host memory that commands read and write, from the arguments of clEnqueueRead*,
 *          clEnqueueWrite* and similar calls. And the pages of it that are closed meanwhile: whole pages
 *          inside what one command uses, to stores when it reads them, to loads too when it writes them. If
 *          it lies in an allocation of the device, which a map gave the host, the bytes are listed, and
 *          guard.c closes the pages together with its own.
 *
 * Interface
 *   host_use_written     the bytes that a command may write; none: low == high
 *   host_use_extents     those that it reads and those that it writes through a pointer that it was given;
 *                        the device's memory, too
 *   host_use_by          does such a command use any, and can it be listed?
 *   host_use_begin       a command was enqueued: its bytes in allocations that are mapped, and, if own, its
 *                        pages of the program's are listed
 *   host_use_end         those of commands that the host is ordered after, or whose completion was returned
 *                        to it, are open, and listed no more; true: of allocations, too
 *   host_use_close/open  all of the program's that are listed
 *   host_use_meets       does one reach into [low, high)?
 *   host_use_next        the first from *at on that does; *at is the one after it; false: none
 *   host_use_any, host_use_lost   are there some? Was some of the program's taken away while it was closed,
 *                                 and may be elsewhere?
 *   host_use_pages       the whole pages in [low, high), if they may be closed; else none
 *   host_use_forget      nothing is listed
 *
 * Locks    runtime_lock is held, but for host_use_meets and next; and guard.c's lock, which begin and end are
 *          given and take themselves.
 *          Under that nothing is allocated or freed, since a thread that holds malloc's lock may wait for it
 *          in a signal handler.
 * Limits   USES_MOST at a time. Not the stack of the calling thread, nor that of the program's first: a
 *          signal may need it. Nor memory that cannot be loaded from and stored to, or that holds code.
 */
#ifndef ORRERY_LIB_HOST_HOST_USE_H
#define ORRERY_LIB_HOST_HOST_USE_H

#include "lib/queue.h"
#include "owned_lock.h"

struct extent {
    uint64_t low, high;
};

struct extent host_use_written(const struct command *command);
void host_use_extents(const struct command *command, struct extent *out_read, struct extent *out_written);
bool host_use_by(const struct command *command);
void host_use_begin(const struct command *command, bool own, bool (*is_mapped)(uint64_t low, uint64_t high),
                    struct owned_lock *lock);
bool host_use_end(struct owned_lock *lock);
void host_use_close(void);
void host_use_open(void);
bool host_use_meets(uint64_t low, uint64_t high);
bool host_use_next(uint64_t low, uint64_t high, uint32_t *at, struct extent *out_bytes, bool *out_written);
bool host_use_any(void);
bool host_use_lost(void);
void host_use_forget(void);
struct extent host_use_pages(uint64_t low, uint64_t high);
#endif
