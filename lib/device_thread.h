/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The device thread: it executes what no thread of the program executes while it waits. It starts on
 *          first need, so a program that forks before is not affected.
 *
 * Interface
 *   device_thread_wake         the log has to be consumed, and this thread does not wait: the device thread
 *                              does it, or this thread where there can be no other (runtime_lock held)
 *   device_thread_watch_fork   from now on fork(2) waits for the executor lock; a child has no device thread
 *   queue_shutdown             (queue.h) at exit
 */
#ifndef ORRERY_LIB_DEVICE_THREAD_H
#define ORRERY_LIB_DEVICE_THREAD_H

void device_thread_wake(void);
void device_thread_watch_fork(void);
#endif
