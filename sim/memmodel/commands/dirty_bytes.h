/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Bytes of one allocation that one side has changed and the other side need not have, each with the
 *          operation that changed it. Four uses (struct command_area):
 *          - the host changed a CL_MEM_USE_HOST_PTR buffer without a map: the device may have an older copy
 *            (OpenCL 2.2 API, 5.2.1) until a command writes or maps the bytes. `when` is a command;
 *          - the host stored to shared memory while commands ran that it had not waited for. `when` is a step
 *            of the host (command_graph.h);
 *          - a command wrote the storage of such a buffer by the host's pointer. `when` is 0;
 *          - a command wrote such a buffer: the host has the latest bits once a map is complete (5.2.4).
 *            `when` is the command that maps the bytes, or that wrote them into the host's memory; 0: none.
 *
 * Interface
 *   dirty_bytes_add      the host changed [low, high). If the list is full and `when` is new, the bytes are
 *                        added to the latest part, which is then of `when` if `renews`, else as before
 *   dirty_bytes_write    a command wrote these bytes: they leave earlier parts. If the list is full its
 *                        oldest part is dropped
 *   dirty_bytes_map      `command` hands these bytes over once it is complete. Bytes that another command
 *                        hands over already are dropped: which of the two does it is not known
 *   dirty_bytes_forget   takes the bytes out of parts with `when` up to `last`
 *   dirty_bytes_drop     drops parts with `when` below `first`
 *   dirty_bytes_remove   drops the part of that index
 *   dirty_bytes_read     bytes of the part that a command reads and does not write itself. False: none
 *   dirty_bytes_at       the part that has the byte; NULL: none
 *   dirty_bytes_since    which of the bytes were changed at this step or later?
 *
 * Units    Offsets count from the start of the allocation. Commands have serial numbers in the order in which
 *          they were enqueued.
 * Errors   Out of memory changes are forgotten: less is reported.
 */
#ifndef ORRERY_SIM_MEMMODEL_COMMANDS_DIRTY_BYTES_H
#define ORRERY_SIM_MEMMODEL_COMMANDS_DIRTY_BYTES_H

#include "sim/memmodel/order/byte_map.h"
#include "sim/memmodel/order/command_graph.h"
#include "sim/memmodel/common/footprint.h"

enum { DIRTY_PARTS_MOST = 8 };

struct dirty_part {
    struct byte_set bytes;
    uint32_t when;
    struct byte_access writer;  /* of a command's write */
    struct command_facts facts; /* of the writer: a copy, since the graph forgets commands */
};
struct dirty_bytes {
    struct dirty_part parts[DIRTY_PARTS_MOST];
    uint32_t count; /* the latest last */
};

void dirty_bytes_fini(struct dirty_bytes *dirty);
void dirty_bytes_add(struct dirty_bytes *dirty, uint64_t size, uint64_t low, uint64_t high, uint32_t when,
                     bool renews);
void dirty_bytes_write(struct dirty_bytes *dirty, const struct byte_set *bytes,
                       const struct byte_access *writer, const struct command_facts *facts);
void dirty_bytes_map(struct dirty_bytes *dirty, const struct byte_set *bytes, uint32_t command);
void dirty_bytes_forget(struct dirty_bytes *dirty, const struct byte_set *bytes, uint32_t last);
void dirty_bytes_drop(struct dirty_bytes *dirty, uint32_t first);
void dirty_bytes_remove(struct dirty_bytes *dirty, uint32_t at);
bool dirty_bytes_read(const struct dirty_part *part, const struct byte_set *sets, enum footprint_use read,
                      struct byte_run *out_run);
const struct dirty_part *dirty_bytes_at(const struct dirty_bytes *dirty, uint64_t offset);
bool dirty_bytes_since(const struct dirty_bytes *dirty, const struct byte_set *bytes, uint32_t step,
                       struct byte_run *out_run);

#endif
