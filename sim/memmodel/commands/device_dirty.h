/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Bytes of one buffer made with CL_MEM_USE_HOST_PTR that commands have written, and that no map has
 *          handed over. The host need not find them in its memory: it has the latest bits once a map is
 *          complete (OpenCL 2.2 API, 5.2.4).
 *
 * Interface
 *   device_dirty_write     a command wrote these bytes
 *   device_dirty_map       `command` mapped these bytes, or wrote them into the host's memory: they are
 *                          handed over once it is complete
 *   device_dirty_forget    drops [low, high): the host may have written there
 *   device_dirty_at        the command that wrote the byte; NULL: none, or the byte is handed over
 *   device_dirty_settle    drops bytes of maps that are complete, as done() says
 *   device_dirty_empty     no bytes are left
 *
 * Units    Offsets count from the start of the allocation.
 * Errors   Out of memory writes are forgotten: less is reported.
 */
#ifndef ORRERY_SIM_MEMMODEL_COMMANDS_DEVICE_DIRTY_H
#define ORRERY_SIM_MEMMODEL_COMMANDS_DEVICE_DIRTY_H

#include "sim/memmodel/order/byte_map.h"
#include "sim/memmodel/order/command_graph.h"
#include "sim/memmodel/common/footprint.h"

enum { DEVICE_DIRTY_MOST = 8 };

struct device_dirty_part {
    struct byte_set bytes;
    struct byte_access writer;
    struct command_facts facts; /* a copy: the graph forgets commands */
    uint32_t map;               /* the command that maps the bytes; 0: none yet */
};
struct device_dirty {
    struct device_dirty_part parts[DEVICE_DIRTY_MOST];
    uint32_t count; /* the latest last */
};

void device_dirty_fini(struct device_dirty *device_dirty);
void device_dirty_write(struct device_dirty *device_dirty, const struct byte_set *bytes,
                        const struct byte_access *writer, const struct command_facts *facts);
void device_dirty_map(struct device_dirty *device_dirty, const struct byte_set *bytes, uint32_t command);
void device_dirty_forget(struct device_dirty *device_dirty, uint64_t low, uint64_t high);
const struct device_dirty_part *device_dirty_at(const struct device_dirty *device_dirty, uint64_t offset);
void device_dirty_settle(struct device_dirty *device_dirty,
                         bool (*done)(const struct command_graph *graph, uint32_t command),
                         const struct command_graph *graph);
bool device_dirty_empty(const struct device_dirty *device_dirty);

#endif
