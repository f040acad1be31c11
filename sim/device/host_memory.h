/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The memory of the host that a kernel may touch when the device has fine-grained system sharing:
 *          the mappings of the process in /proc/self/maps.
 *
 * Interface
 *   host_memory_new, host_memory_free
 *   host_memory_forget    a launch begins: the mappings may have changed
 *   host_memory_port      for struct memory
 *   host_memory_touched   a read or write there was announced, ever; host_memory_writes: the number of writes
 *   host_memory_foreign   a mapping that another process may have, too, was touched
 *   host_memory_has       is this mapped at all? looks anew each time
 */
#ifndef ORRERY_SIM_DEVICE_HOST_MEMORY_H
#define ORRERY_SIM_DEVICE_HOST_MEMORY_H

#include "orrery/memory.h"

struct host_memory;
struct host_memory *host_memory_new(void); /* NULL: no memory */
void host_memory_free(struct host_memory *host);
void host_memory_forget(struct host_memory *host);
struct memory_host host_memory_port(struct host_memory *host);
bool host_memory_touched(const struct host_memory *host);
uint64_t host_memory_writes(const struct host_memory *host);
bool host_memory_foreign(const struct host_memory *host);
bool host_memory_has(uint64_t address, uint64_t bytes);

#endif
