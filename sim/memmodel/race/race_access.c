/* SPDX-License-Identifier: Apache-2.0 */
/* The two ends of a finding: which work-item made an access, and what kind of access it was. */
#include <string.h>

#include "race.h"

static uint64_t group_extent(const struct launch_info *info, uint64_t group, int dimension)
{
    uint64_t left = info->global_size[dimension] - group * info->local_size[dimension];
    return left < info->local_size[dimension] ? left : info->local_size[dimension];
}

void race_launch_item(const struct launch_info *info, uint64_t group, uint64_t local, struct item *out_item)
{
    const uint64_t *count = info->group_count;
    memset(out_item, 0, sizeof *out_item);
    out_item->group_linear = group;
    out_item->local_linear = local;
    out_item->group_id[0] = group % count[0];
    out_item->group_id[1] = group / count[0] % count[1];
    out_item->group_id[2] = group / count[0] / count[1];
    for (int i = 0; i < 3; i++) {
        uint64_t extent = group_extent(info, out_item->group_id[i], i);
        out_item->local_id[i] = local % extent;
        local /= extent;
        out_item->global_id[i] =
            out_item->group_id[i] * info->local_size[i] + out_item->local_id[i] + info->global_offset[i];
    }
}

void race_item(const struct races *races, uint64_t unit, struct item *out_item)
{
    const uint64_t group = order_unit_group(races->order, unit), local = unit % races->order->group_items;
    race_launch_item(races->launch, group, local, out_item);
    out_item->sub_group = (uint32_t)(local / races->order->sub_group_size);
    out_item->compute_unit = races->compute_units ? races->compute_units[group] : 0;
}

enum memory_scope race_scope(const struct races *races, uint32_t site, enum memory_scope counts)
{
    struct finding_access said = {.scope = counts};
    if (races->host->access)
        races->host->access(races->host->self, site, &said);
    return said.scope > counts ? said.scope : counts;
}

static void say_what(struct wording *text, const struct races *races, const struct access_context *how,
                     bool copy)
{
    if (copy) {
        wording_add(text, "%s by %s", how->kind == ACCESS_READ ? "load" : "store",
                    races->host->what(races->host->self, how->site));
        return;
    }
    wording_add(text, "%s", races->host->what(races->host->self, how->site));
    if (how->kind >= ACCESS_ATOMIC_READ)
        wording_add(text, ", %s, %s", wording_order((enum memory_ordering)how->order),
                    SCOPE(race_scope(races, how->site, (enum memory_scope)how->scope),
                          (enum memory_scope)how->scope));
}

void races_access(const struct races *races, uint64_t unit, const struct access_context *how,
                  struct finding_access *access, struct wording *what, struct wording *by)
{
    bool copy = unit >= UNIT_COPIES;
    if (races->host->access)
        races->host->access(races->host->self, how->site, access);
    else
        races->host->place(races->host->self, how->site, &access->place);
    access->act = ACT_ACCESS;
    access->kind = (enum access_kind)how->kind;
    access->size_bytes = how->size;
    access->has_order = how->kind >= ACCESS_ATOMIC_READ;
    access->order = (enum memory_ordering)how->order;
    access->scope = race_scope(races, how->site, (enum memory_scope)how->scope);
    access->has_item = !copy;
    if (copy) {
        wording_add(by, "an asynchronous copy of %s",
                    WORK_GROUP(races->launch, order_unit_group(races->order, unit)));
        access->by = by->bytes;
    } else {
        race_item(races, unit, &access->item);
    }
    say_what(what, races, how, copy);
    access->what = what->bytes;
}
