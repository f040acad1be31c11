/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Bytes of one allocation that the host has changed, in two uses:
 *          - of a CL_MEM_USE_HOST_PTR buffer without a map: the device may have an older copy (OpenCL 2.2
 *            API, 5.2.1) until a command writes or maps the bytes. `when` is a command;
 *          - of shared memory, while commands ran that the host had not waited for. `when` is a step of the
 *            host (command_graph.h).
 *
 * Interface
 *   host_dirty_add      the host changed [low, high) before it enqueued `command`
 *   host_dirty_renew    `command` wrote or mapped the bytes: later commands read its bytes
 *   host_dirty_read     does `command` read changed bytes, other than those that it writes itself (own:
 *                       plainly, by atomics)? The change is then forgotten, so that it is reported once
 *   host_dirty_store    the host stored [low, high) at a step. If the list is full, the bytes count as of the
 *                       latest step in it: a command that has not seen that step has not seen this one
 *   host_dirty_meets    which of the bytes did the host store at this step or later?
 *   host_dirty_drop     drops stores of steps below `first`
 *   host_dirty_empty    nothing is left
 *
 * Units    Offsets count from the start of the allocation. Commands have serial numbers in the order in which
 *          they were enqueued.
 * Errors   Out of memory changes are forgotten: less is reported.
 */
#ifndef ORRERY_SIM_MEMMODEL_COMMANDS_HOST_DIRTY_H
#define ORRERY_SIM_MEMMODEL_COMMANDS_HOST_DIRTY_H

#include "sim/memmodel/common/footprint.h"

/* When there are more, the two latest become one: with the number of the later command, or the earlier
 * step. */
enum { HOST_DIRTY_MOST = 8 };

struct host_dirty {
    /* ascending by `when` */
    struct {
        struct byte_set bytes;
        uint32_t when;
    } items[HOST_DIRTY_MOST];
    uint32_t count;
};

void host_dirty_fini(struct host_dirty *host_dirty);
void host_dirty_add(struct host_dirty *host_dirty, uint64_t size, uint64_t low, uint64_t high,
                    uint32_t command);
void host_dirty_renew(struct host_dirty *host_dirty, const struct byte_set *bytes, uint32_t command);
bool host_dirty_read(struct host_dirty *host_dirty, const struct byte_set *bytes,
                     const struct byte_set *own[2], uint32_t command, struct byte_run *out_run);
void host_dirty_store(struct host_dirty *host_dirty, uint64_t size, uint64_t low, uint64_t high,
                      uint32_t step);
bool host_dirty_meets(const struct host_dirty *host_dirty, const struct byte_set *bytes, uint32_t step,
                      struct byte_run *out_run);
void host_dirty_drop(struct host_dirty *host_dirty, uint32_t first);
bool host_dirty_empty(const struct host_dirty *host_dirty);

#endif
