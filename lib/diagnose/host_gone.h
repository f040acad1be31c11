/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Host memory that a command uses, but that the host has freed (munmap, or free) before the command
 *          runs, becomes a finding (use-after-free) instead of a fault inside this library.
 *
 * Interface
 *   host_gone_find       before the command runs: reports unmapped memory; true: the command copies from or
 *                        to it, and must not run
 *   host_gone_begin, host_gone_end   a memory object was made; is destroyed
 *   host_gone_enqueued   a command was enqueued (runtime_lock held)
 *   host_gone_look       before the host is ordered after commands or releases an object: reports memory that
 *                        was unmapped while a command could use it
 *   host_gone_ending     the program ends: from now on no stack holds memory of it
 *   host_gone_bytes      some of these bytes are not mapped
 *   host_gone            some of this memory object's host memory (CL_MEM_USE_HOST_PTR) is not mapped
 *
 * Memory on the stack of a function that has returned counts as gone, too. A command that writes there is
 * found if it runs on the thread of that stack.
 *
 * A block of malloc that stays mapped is noticed only with free_preload.c, which `orrery run` loads while
 * races are looked for.
 *
 * Limits   Memory that another thread unmaps while the command runs is not noticed; nor is memory that was
 *          unmapped and mapped again.
 */
#ifndef ORRERY_LIB_DIAGNOSE_HOST_GONE_H
#define ORRERY_LIB_DIAGNOSE_HOST_GONE_H
#include "lib/queue.h"

bool host_gone_find(const struct command *command);
bool host_gone(struct memobj *memobj);
void host_gone_begin(const struct memobj *memobj);
void host_gone_end(const struct memobj *memobj);
void host_gone_enqueued(const struct command *command);
void host_gone_look(void);
bool host_gone_bytes(const void *pointer, size_t size);
void host_gone_ending(void);
#endif
