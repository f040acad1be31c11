/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Memory of the host that a command uses, but that the host has given back to the system (munmap, or
 *          free of a large block) before the command runs: a finding (use-after-free) instead of a fault
 *          inside this library.
 *
 * Interface
 *   host_gone_find   before the command runs: reports what is gone; true: the command copies from or to such
 *                    memory itself, and must not run
 *   host_gone_begin, host_gone_end   a memory object was made; and is gone
 *   host_gone_enqueued               a command was (runtime_lock held)
 *   host_gone_look                   before the host is ordered after commands or releases an object: reports
 *                                    memory that went while a command could use it
 *   host_gone_bytes  are some of these bytes not mapped?
 *   host_gone        is some of this memory object's host memory (CL_MEM_USE_HOST_PTR) gone?
 *
 * Limits   What another thread gives back while the command runs is not noticed; nor memory that was given
 *          back and mapped again.
 */
#ifndef ORRERY_LIB_HOST_HOST_GONE_H
#define ORRERY_LIB_HOST_HOST_GONE_H
#include "lib/queue.h"

bool host_gone_find(const struct command *command);
bool host_gone(struct memobj *memobj);
void host_gone_begin(const struct memobj *memobj);
void host_gone_end(const struct memobj *memobj);
void host_gone_enqueued(const struct command *command);
void host_gone_look(void);
bool host_gone_bytes(const void *pointer, size_t size);
#endif
