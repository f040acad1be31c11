/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Findings about atomics and fences that break a rule whatever else executes: scopes, orders and
 *          flags (OpenCL 2.2 API, 3.3.4 and 3.3.5). Each instruction is checked once for each launch.
 *
 * Interface
 *   misuse_begin     of a launch: no instruction has been checked
 *   misuse_access, misuse_sync   check an atomic, a fence or a barrier
 *   misuse_has       was the instruction checked?
 *   misuse_fini
 */
#ifndef ORRERY_SIM_MEMMODEL_RACE_MISUSE_H
#define ORRERY_SIM_MEMMODEL_RACE_MISUSE_H

#include "sim/memmodel/common/code_host.h"

struct misuse {
    struct report *report;
    const struct checker_host *host;
    const struct scenario *scenario;
    uint8_t *seen;
    uint32_t seen_count; /* by site */
};

/* Was the instruction checked? Only a failed exchange has to be checked again: its failure order counts,
 * too. */
static inline bool misuse_has(const struct misuse *misuse, uint32_t site)
{
    return site < misuse->seen_count && misuse->seen[site];
}

void misuse_begin(struct misuse *misuse);
void misuse_fini(struct misuse *misuse);
void misuse_access(struct misuse *misuse, const struct access_event *event);
void misuse_sync(struct misuse *misuse, const struct sync_event *event);

#endif
