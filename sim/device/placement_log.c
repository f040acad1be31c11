/* SPDX-License-Identifier: Apache-2.0 */
/* An observer that notes the compute unit of each work-group. */
#include "placement_log.h"

#include <stdlib.h>
#include <string.h>

static void begin(struct placed *placed, const struct launch_info *info)
{
    uint64_t groups = info->group_count[0] * info->group_count[1] * info->group_count[2];
    struct placed_launch *grown = realloc(placed->launches, (placed->count + 1) * sizeof *grown);
    uint32_t *units = grown && groups <= UINT32_MAX ? malloc((groups + 1) * sizeof *units) : NULL;
    placed->launches = grown ? grown : placed->launches;
    if (!units) {
        placed->lost = true;
        return;
    }
    memset(units, 0xff, (groups + 1) * sizeof *units);
    grown[placed->count++] = (struct placed_launch){info->command, {(uint32_t)groups, units}};
}

static void note_launch(void *self, const struct launch_event *event)
{
    struct placed *placed = self;
    if (event->phase == LAUNCH_BEGIN && !placed->lost)
        begin(placed, event->launch);
    for (size_t i = placed->count; event->phase == GROUP_BEGIN && i-- > 0;)
        if (placed->launches[i].command == event->launch->command) {
            placed->launches[i].units.units[event->group_linear] = event->compute_unit;
            break;
        }
}

struct observer placed_observer(struct placed *placed)
{
    return (struct observer){.self = placed, .launch = note_launch};
}

struct unit_list placed_take(struct placed *placed, uint32_t command)
{
    struct unit_list units = {0};
    for (size_t i = 0; i < placed->count; i++)
        if (placed->launches[i].command == command) {
            units = placed->launches[i].units;
            placed->launches[i].units = (struct unit_list){0};
        }
    return units;
}

void placed_fini(struct placed *placed)
{
    for (size_t i = 0; i < placed->count; i++)
        free(placed->launches[i].units.units);
    free(placed->launches);
    *placed = (struct placed){0};
}
