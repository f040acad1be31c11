/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Notices that the host memory which a non-blocking write reads was changed before the program was
 *          ordered after the command: it may have read either (OpenCL 2.2 API, 5.2.2). The memory may be an
 *          array of a function that has returned. Also notices non-blocking reads that the program never
 *          waits for: it cannot know when the bytes are there.
 *
 * Interface
 *   host_changed_enqueued   a command was enqueued, after order_enqueued (runtime_lock held)
 *   host_changed_runs       it is about to run
 *   host_changed_gone       its memory is gone, which is reported: it is no longer compared
 *   host_changed_look       before the host is ordered after commands: reports memory that was changed
 *   host_changed_end        the program ends: reports the reads
 *
 * Rules    The bytes are compared by a hash, when the host is about to be ordered after the command, so the
 *          finding does not depend on when the command runs. Not watched is memory that a command, a native
 *          kernel or, after a user event, the program may rightly change before the command reads it.
 * Limits   WRITES_MOST commands and BYTES_MOST bytes at a time; no memory of a device or of a buffer
 *          (CL_MEM_USE_HOST_PTR).
 */
#ifndef ORRERY_LIB_HOST_HOST_CHANGED_H
#define ORRERY_LIB_HOST_HOST_CHANGED_H
#include "lib/queue.h"

void host_changed_enqueued(const struct command *command);
void host_changed_runs(const struct command *command);
void host_changed_gone(const struct command *command);
void host_changed_look(void);
void host_changed_end(void);
#endif
