/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Notices the host's stores into fine-grained shared virtual memory while commands are under way:
 *          while races are looked for, the bytes are compared with what they were, whenever something is
 *          enqueued, begins, is over or was waited for. Bytes that have changed, and that no command wrote,
 *          the host stored; the device judges these stores.
 *
 * Interface
 *   shared_bytes_begin     an allocation was made; no effect without observers or memory
 *   shared_bytes_end       and is going
 *   shared_bytes_forgo     atomics may order host and kernels from now on, unseen: nothing is watched any
 *                          more
 *   shared_bytes_look      before a host call that releases or acquires: an enqueue, or a wait for a command
 *                          (runtime_lock held)
 *   shared_bytes_started, shared_bytes_over   of a command (runtime_lock held)
 *
 * Rules    A store while a command runs and before the host's next release is not reported, since it may be
 *          before or after that call; nor is a store into bytes that a command wrote while both were under
 *          way. Watched are WATCHED_MOST bytes, those allocated first.
 */
#ifndef ORRERY_LIB_HOST_SHARED_BYTES_H
#define ORRERY_LIB_HOST_SHARED_BYTES_H
#include "lib/queue.h"

void shared_bytes_begin(void *pointer, size_t size, const struct context *context);
void shared_bytes_end(void *pointer);
void shared_bytes_forgo(void);
void shared_bytes_look(void);
void shared_bytes_started(void);
void shared_bytes_over(bool unsure); /* unsure: it may have made stores that the device has not received */
#endif
