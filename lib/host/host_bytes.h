/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Notices the host's stores into the memory that a buffer or image was made with
 *          (CL_MEM_USE_HOST_PTR) while no map is open there: while races are looked for, the bytes are
 *          compared with what they were when the runtime last had to do with them, whenever a command that
 *          uses the buffer is enqueued. A later read of them becomes a finding of the device's.
 *
 * Interface
 *   host_bytes_begin      one was made; no effect without observers or memory
 *   host_bytes_end        and is gone
 *   host_bytes_enqueued   a command was, after order_enqueued (runtime_lock held)
 *   host_bytes_settled    a command that may have written memory of the host is over (runtime_lock not held)
 *
 * Rules    Bytes of an open map are the host's, until its unmap is enqueued. While a read that may write
 *          there is pending, nothing is compared. Memory that the program has taken away is watched no more.
 */
#ifndef ORRERY_LIB_HOST_HOST_BYTES_H
#define ORRERY_LIB_HOST_HOST_BYTES_H
#include "lib/queue.h"

void host_bytes_begin(struct memobj *memobj);
void host_bytes_end(struct memobj *memobj);
void host_bytes_enqueued(struct command *command);
void host_bytes_settled(struct command *command);
#endif
