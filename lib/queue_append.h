/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  What the waiting calls need besides queue.h.
 *
 * Interface
 *   queue_append_run   appends RUN if the queue has commands to flush; false: out of memory. runtime_lock is
 *                      held
 */
#ifndef ORRERY_LIB_QUEUE_APPEND_H
#define ORRERY_LIB_QUEUE_APPEND_H
#include "queue.h"

bool queue_append_run(struct queue *queue);
#endif
