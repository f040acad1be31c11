/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Bytes of one allocation that the host has changed after a buffer (CL_MEM_USE_HOST_PTR) without a
 *          map: the device may have an older copy (OpenCL 2.2 API, 5.2.1), until a command writes
 *          or maps them. Counts from the start of the allocation; commands by their serial numbers, in the
 *          order of enqueueing.
 *
 * Interface
 *   host_dirty_add      the host changed them before it enqueued `command`
 *   host_dirty_renew    `command` wrote or mapped them: later commands read its bytes
 *   host_dirty_read     does `command` read some, other than bytes it writes itself? Reported once: the
 *                       host's change is forgotten then
 *   host_dirty_empty    nothing is left
 *
 * Memory   Out of memory, changes are forgotten: less is reported.
 */
#ifndef ORRERY_SIM_MEMMODEL_COMMANDS_HOST_DIRTY_H
#define ORRERY_SIM_MEMMODEL_COMMANDS_HOST_DIRTY_H

#include "sim/memmodel/common/footprint.h"

/*
 * Bytes that the host stored at some of its steps (command_graph.h) while commands were under way which it
 * had not waited for:
 *   host_dirty_store    keeps them; when there are too many, as of the latest step that is there: whoever has
 *                       not seen that has not
 *                  seen these
 *   host_dirty_meets    what of it, from the step on, do these bytes meet?
 *   host_dirty_drop     what is of steps below `first`
 */
enum { HOST_DIRTY_MOST = 8 }; /* then the latest two are one: of the later command, of the earlier step */

struct host_dirty {
    /* a command or a step, the latest last */
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
/* own: what it writes itself, by atomics or not. */
bool host_dirty_read(struct host_dirty *host_dirty, const struct byte_set *bytes,
                     const struct byte_set *own[2], uint32_t command, struct byte_run *out_run);
void host_dirty_store(struct host_dirty *host_dirty, uint64_t size, uint64_t low, uint64_t high,
                      uint32_t step);
bool host_dirty_meets(const struct host_dirty *host_dirty, const struct byte_set *bytes, uint32_t step,
                      struct byte_run *out_run);
void host_dirty_drop(struct host_dirty *host_dirty, uint32_t first);
bool host_dirty_empty(const struct host_dirty *host_dirty);

#endif
