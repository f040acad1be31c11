/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Memory of the host that a command uses, but that the host has given back to the system (munmap, or
 *          free of a large block) before the command runs: a finding (use-after-free) instead of a fault
 *          inside this library.
 *
 * Interface
 *   host_gone_find   before the command runs: reports what is gone; true: the command copies from or to such
 *                    memory itself, and must not run
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
bool host_gone_bytes(const void *pointer, size_t size);
#endif
