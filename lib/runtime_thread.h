/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Threads of the runtime: the device thread and the callback thread.
 *
 * Interface
 *   runtime_thread_start   starts a thread that blocks all signals but SIGSEGV, so that they go to the
 *                          program's own threads. False: it could not
 *   runtime_thread_join    waits for the end of one
 *   runtime_thread_alone   the process has no threads but the runtime's own and `others` more
 *   runtime_thread_fork    in a forked child: it has none
 *
 * Threads  Any; no lock is needed.
 */
#ifndef ORRERY_LIB_RUNTIME_THREAD_H
#define ORRERY_LIB_RUNTIME_THREAD_H
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

bool runtime_thread_start(pthread_t *out_thread, void *(*run)(void *));
void runtime_thread_join(pthread_t thread);
bool runtime_thread_alone(uint32_t others);
void runtime_thread_fork(void);
#endif
