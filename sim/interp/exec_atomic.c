/* SPDX-License-Identifier: Apache-2.0 */
#include "access.h"
#include "lanes.h"

HANDLER(atomic_32)
{
    if (access_atomic(insn, frame, wave, 4))
        NEXT_AFTER_FAULT(insn, frame, wave);
    NEXT;
}

HANDLER(atomic_64)
{
    if (access_atomic(insn, frame, wave, 8))
        NEXT_AFTER_FAULT(insn, frame, wave);
    NEXT;
}

static __attribute__((noinline)) void announce_fence(const struct insn *insn, const struct wave *wave)
{
    const struct site *site = &wave->code->sites[insn->e];
    struct sync_event event = {.origin = wave->origin, .kind = SYNC_FENCE, .regions = site->regions, .order = site->order,
                               .scope = site->scope, .lane_count = wave->lane_count, .mask = wave->active.word};
    event.origin.site = insn->e;
    if (wave->memory->port.fence)
        wave->memory->port.fence(wave->memory->port.self, &event);
    if (wave->observer && wave->observer->sync)
        wave->observer->sync(wave->observer->self, &event);
}

HANDLER(fence)
{
    (void)frame;
    if ((wave->observer && wave->observer->sync) || wave->memory->port.fence)
        announce_fence(insn, wave);
    NEXT;
}
