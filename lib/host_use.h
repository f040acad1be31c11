/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Which memory of the program itself commands read and write: what clEnqueueRead*, clEnqueueWrite* and their like
 *          were given. And the pages of it that are closed meanwhile: whole pages inside what one command uses, to stores
 *          when it reads them, to loads too when it writes them.
 *
 * Interface
 *   host_use_written     the bytes that a command may write; none: low == high
 *   host_use_by          does such a command use any, and is there room for it?
 *   host_use_begin       a command was enqueued: its pages are listed
 *   host_use_end         those of commands that the host knows to be complete, or was told are, are open, and listed no more
 *   host_use_close/open  all that are listed
 *   host_use_at          is the address in one?
 *   host_use_any, host_use_lost   are there some? Was some taken away while it was closed, and may be elsewhere?
 *   host_use_pages       the whole pages in [low, high), if they may be closed; else none
 *   host_use_forget      nothing is listed
 *
 * Locks    runtime_lock is held, but for host_use_at; and guard.c's lock, which begin and end are given and take themselves.
 *          Under that nothing is allocated or freed, since a thread that holds malloc's lock may wait for it in a signal
 *          handler.
 * Limits   USES_MOST at a time. Not the stack of the calling thread, nor that of the program's first: a signal may need it.
 *          Nor memory that cannot be loaded from and stored to, or that holds code.
 */
#ifndef ORRERY_LIB_HOST_USE_H
#define ORRERY_LIB_HOST_USE_H
#include <pthread.h>

#include "queue.h"

struct extent { uint64_t low, high; };

struct extent host_use_written(const struct command *command);
bool host_use_by(const struct command *command);
void host_use_begin(const struct command *command, pthread_mutex_t *lock);
void host_use_end(pthread_mutex_t *lock);
void host_use_close(void);
void host_use_open(void);
bool host_use_at(uint64_t address);
bool host_use_any(void);
bool host_use_lost(void);
void host_use_forget(void);
struct extent host_use_pages(uint64_t low, uint64_t high);
#endif
