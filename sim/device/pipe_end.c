/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When a launch is over, each pipe among its arguments is searched for reservations that this launch made and
 * did not commit: each is a finding at the line that reserved.
 */
#include "pipe_end.h"

#include <string.h>

#include "object_name.h"
#include "orrery/pipe.h"
#include "orrery/report.h"

static void report_reservation(struct launch *launch, const struct region *region,
                               const struct pipe_record *record)
{
    struct sentence object;
    struct finding finding = {.kind = FINDING_PIPE_MISUSE,
                              .launch = launch->info.launch,
                              .kernel = launch->info.kernel,
                              .why = "the kernel has ended, and this reservation was never committed",
                              .fix =
                                  "commit each valid reservation, in every path of the kernel that made it",
                              .access_count = 1};
    sentence_init(&object);
    object_name(launch, region, &object);
    finding.object = object.bytes;
    launch_access(launch, record->site, &finding.access[0]);
    finding.access[0].has_item = true;
    finding.access[0].item = record->item;
    report_add(launch->report, &finding);
}

static void settle(struct launch *launch, uint64_t address)
{
    const struct region *region = memory_region(&launch->arena->memory, address);
    if (region->kind != REGION_PIPE || region->low != address || region->flags & REGION_FLAG_FREED)
        return;
    const struct pipe *pipe = (const struct pipe *)(uintptr_t)address;
    for (uint32_t i = 0; pipe->records && i < PIPE_RESERVATIONS; i++)
        if (pipe->record[i].state == PIPE_OPEN && pipe->record[i].launch == launch->info.launch)
            report_reservation(launch, region, &pipe->record[i]);
}

void pipe_end(struct launch *launch)
{
    for (size_t i = 0; launch->arg_values && i < launch->kernel->arg_count; i++) {
        uint64_t address;
        if (launch->kernel->args[i].kind != ARG_PIPE || !launch->arg_values[i].value)
            continue;
        memcpy(&address, launch->arg_values[i].value, sizeof address);
        settle(launch, address);
    }
}
