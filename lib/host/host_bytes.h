/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Notices the host's stores into the host memory of a buffer or image (CL_MEM_USE_HOST_PTR) outside
 *          of maps. While races are looked for, the bytes are compared with a copy whenever a command that
 *          uses the buffer is enqueued. Changed bytes are announced to the device, where a later read of
 *          them becomes a finding.
 *
 * Interface
 *   host_bytes_begin      such a buffer was made; no effect without observers or memory
 *   host_bytes_end        it is destroyed
 *   host_bytes_enqueued   a command was enqueued, after order_enqueued (runtime_lock held)
 *   host_bytes_watches    some of [low, high) is the host memory of such a buffer (runtime_lock held)
 *   host_bytes_settled    a command that may have written host memory has ended (runtime_lock not held)
 *
 * Rules    Bytes of a map are the host's until its unmap is enqueued. Nothing is compared while a command
 *          that may write watched memory is incomplete. Memory that the program has unmapped is no longer
 *          watched.
 */
#ifndef ORRERY_LIB_HOST_HOST_BYTES_H
#define ORRERY_LIB_HOST_HOST_BYTES_H
#include "lib/queue.h"

void host_bytes_begin(struct memobj *memobj);
void host_bytes_end(struct memobj *memobj);
void host_bytes_enqueued(struct command *command);
bool host_bytes_watches(uint64_t low, uint64_t high);
void host_bytes_settled(struct command *command);
#endif
