/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The host memory that commands read and write, by the arguments of clEnqueueRead*, clEnqueueWrite*
 *          and similar calls, as a list of uses. Memory of the program is closed while it is listed, in the
 *          whole pages inside one command's range: to stores if the command reads it, to loads, too, if it
 *          writes. Of memory in a mapped allocation of the device the bytes are listed, and guard.c closes
 *          the pages together with its own.
 *
 * Interface
 *   host_use_written     the host memory that a command may write; empty: low == high
 *   host_use_extents     the memory that it reads and writes through pointers that it was given, also of the
 *                        device
 *   host_use_by          the command uses host memory, and the list has room
 *   host_use_begin       a command was enqueued: lists its bytes in mapped allocations and, if `own`, its
 *                        pages in memory of the program
 *   host_use_end         removes and opens the uses of commands whose completion was reported to the host;
 *                        true: one of them was in an allocation
 *   host_use_close/open  the listed pages of the program
 *   host_use_meets       a use overlaps [low, high)
 *   host_use_next        the first such use from index *at on, which moves past it; false: none
 *   host_use_any         the list is not empty
 *   host_use_lost        closed memory of the program was unmapped or moved (mremap)
 *   host_use_pages       the whole pages in [low, high), if they may be closed; else none
 *   host_use_forget      empties the list
 *
 * Locks    runtime_lock is held, except for host_use_meets and host_use_next; and guard.lock, except for
 *          host_use_begin and host_use_end, which take it. Under guard.lock nothing is allocated or freed
 *          (guard.c).
 * Limits   USES_MOST at a time. Never closed are the stacks of the calling thread and of the first thread,
 *          since a signal handler needs them, and memory without read and write access, or with code.
 */
#ifndef ORRERY_LIB_HOST_HOST_USE_H
#define ORRERY_LIB_HOST_HOST_USE_H

#include "lib/queue.h"
#include "owned_lock.h"

struct host_extent {
    uint64_t low, high;
};

struct host_extent host_use_written(const struct command *command);
void host_use_extents(const struct command *command, struct host_extent *out_read,
                      struct host_extent *out_written);
bool host_use_by(const struct command *command);
void host_use_begin(const struct command *command, bool own, bool (*is_mapped)(uint64_t low, uint64_t high),
                    struct owned_lock *lock);
bool host_use_end(struct owned_lock *lock);
void host_use_close(void);
void host_use_open(void);
bool host_use_meets(uint64_t low, uint64_t high);
bool host_use_next(uint64_t low, uint64_t high, uint32_t *at, struct host_extent *out_bytes,
                   bool *out_written);
bool host_use_any(void);
bool host_use_lost(void);
void host_use_forget(void);
struct host_extent host_use_pages(uint64_t low, uint64_t high);
#endif
