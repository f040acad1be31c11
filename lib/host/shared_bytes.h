/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Notices the host's stores into fine-grained shared virtual memory while commands are under way.
 *          While races are looked for, the bytes are compared with a copy whenever a command is enqueued,
 *          starts, ends or was waited for. Bytes that have changed and that no command wrote were stored by
 *          the host; the device's race checker decides whether the stores race.
 *
 * Interface
 *   shared_bytes_begin     an allocation was made; no effect without observers or memory
 *   shared_bytes_end       it is about to be freed
 *   shared_bytes_forgo     from now on atomics may order host and kernels, which is not observed: nothing is
 *                          watched any more
 *   shared_bytes_look      before a host call that releases or acquires: an enqueue, or a wait for a command
 *                          (runtime_lock held)
 *   shared_bytes_started, shared_bytes_over   a command starts; ends (runtime_lock held)
 *
 * Limits   A store while a command runs and before the host's next release is not reported, since it may be
 *          before or after that call. Nor is a store into bytes that a command wrote while both were under
 *          way. At most WATCHED_MOST bytes are watched, those allocated first.
 */
#ifndef ORRERY_LIB_HOST_SHARED_BYTES_H
#define ORRERY_LIB_HOST_SHARED_BYTES_H
#include "lib/queue.h"

void shared_bytes_begin(void *pointer, size_t size, const struct context *context);
void shared_bytes_end(void *pointer);
void shared_bytes_forgo(void);
void shared_bytes_look(void);
void shared_bytes_started(void);
void shared_bytes_over(bool unsure); /* unsure: the device may not have observed all its stores */
#endif
