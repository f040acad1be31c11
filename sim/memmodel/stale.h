/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Bytes of one allocation that the host has changed behind a buffer (CL_MEM_USE_HOST_PTR) without a map: the device
 *          may have a copy that does not know (OpenCL 2.2 API, 5.2.1), until a command writes or maps them. Counts from
 *          the start of the allocation; commands by their serial numbers, in the order of enqueueing.
 *
 * Interface
 *   stale_add      the host changed them before it enqueued `command`
 *   stale_renew    `command` wrote or mapped them: whoever comes later reads what it left
 *   stale_read     does `command` read some, other than bytes it writes itself? Told once: what the host did at that time
 *                  is forgotten then
 *   stale_empty    nothing is left
 *
 * Memory   What cannot be kept is forgotten: less is told.
 */
#ifndef ORRERY_MEMMODEL_STALE_H
#define ORRERY_MEMMODEL_STALE_H

#include "footprint.h"

/*
 * Bytes that the host stored at some of its steps (command_graph.h) while commands were under way which it had not waited for:
 *   stale_store    keeps them; when there are too many, as of the latest step that is there: whoever has not seen that has not
 *                  seen these
 *   stale_meets    what of it, from the step on, do these bytes meet?
 *   stale_drop     what is of steps below `first`
 */
enum { STALE_MOST = 8 }; /* then the latest two are one: of the later command, of the earlier step */

struct stale {
    struct { struct byte_set bytes; uint32_t when; } items[STALE_MOST]; /* a command or a step, the latest last */
    uint32_t count;
};

void stale_fini(struct stale *stale);
void stale_add(struct stale *stale, uint64_t size, uint64_t low, uint64_t high, uint32_t command);
void stale_renew(struct stale *stale, const struct byte_set *bytes, uint32_t command);
/* own: what it writes itself, by atomics or not. */
bool stale_read(struct stale *stale, const struct byte_set *bytes, const struct byte_set *own[2], uint32_t command,
                struct byte_run *out_run);
void stale_store(struct stale *stale, uint64_t size, uint64_t low, uint64_t high, uint32_t step);
bool stale_meets(const struct stale *stale, const struct byte_set *bytes, uint32_t step, struct byte_run *out_run);
void stale_drop(struct stale *stale, uint32_t first);
bool stale_empty(const struct stale *stale);

#endif
