/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The launch of a kernel without a scenario. Work-groups have the size for which the kernel seems to be
 * written: that which it requires, or that of its local memory or of a constant that local ids are compared
 * with. There are several of them where the kernel can distinguish them.
 */
#include <string.h>

#include "skeleton_state.h"

enum { TILE_MOST = 32, GROUPS_NUMBERED = 6, ITEMS = 64 };

/* ---- work-groups --------------------------------------------------------------------------- */

/* Halves the largest dimension until the device allows the work-group. */
static void keep_to_device(const struct device_config *device, uint64_t local[3])
{
    for (int d = 0; d < 3; d++)
        while (local[d] > 1 && device->max_work_item_sizes[d] && local[d] > device->max_work_item_sizes[d])
            local[d] /= 2;
    while (device->max_work_group_size && skeleton_product(local) > device->max_work_group_size) {
        int widest = 0;
        for (int d = 1; d < 3; d++)
            widest = local[d] > local[widest] ? d : widest;
        local[widest] /= 2;
    }
}

/* The power of two that an array for a work-group, and a border of it, has room for; 0: it is none such. */
static uint64_t items_of(uint64_t array)
{
    uint64_t items = array ? 1 : 0;
    while (2 * items <= array && items)
        items *= 2;
    return array - items <= items / 4 ? items : 0;
}

static bool is_any_group(const struct skeleton *skeleton)
{
    return skeleton->info->required_size[0] || skeleton->shape->any_group || !skeleton->shape->local_ids;
}

/* Work-groups of one dimension that the kernel may have been written for, the likeliest first. */
static size_t plan_rows(const struct skeleton *skeleton, uint64_t most, struct group_plan *out_plans)
{
    const struct kernel_shape *shape = skeleton->shape;
    const uint64_t tested = shape->tested_items, array = items_of(shape->array_items);
    const bool any = is_any_group(skeleton);
    size_t count = 0;
    out_plans[count++] = (struct group_plan){!any && tested > ITEMS && tested <= most ? tested : ITEMS, 1, 0};
    if (!any && array > 1 && array <= most && (array > out_plans[0].width || (array < ITEMS && !tested)))
        out_plans[count++] = (struct group_plan){array, 1, 0};
    return count;
}

/* The same for work-groups of two dimensions. */
static size_t plan_tiles(const struct skeleton *skeleton, uint64_t most, struct group_plan *out_plans)
{
    const uint64_t array = items_of(skeleton->shape->array_items);
    const bool any = is_any_group(skeleton) || skeleton->shape->tile > 1;
    size_t count = 0;
    out_plans[count++] = (struct group_plan){8, 8, 0};
    if (!any && most >= 256)
        out_plans[count++] = (struct group_plan){16, 16, 0};
    if (!any && array >= 16 && array <= most)
        out_plans[count++] = (struct group_plan){array, 1, 0};
    return count;
}

size_t launch_sizes_plan(const struct skeleton *skeleton, const struct device_config *device,
                         struct group_plan out_plans[PLANS_MOST])
{
    const struct kernel_shape *shape = skeleton->shape;
    const uint64_t most = device->max_work_group_size ? device->max_work_group_size : ITEMS;
    size_t count =
        shape->dimensions == 2 ? plan_tiles(skeleton, most, out_plans) : plan_rows(skeleton, most, out_plans);
    const struct group_plan first = out_plans[0];
    for (uint64_t times = 1; times <= 2 && shape->item_limits; times++)
        out_plans[count++] =
            (struct group_plan){first.width, first.height, times * first.width * first.height};
    return count;
}

/* The dimensions of the work-groups: what the kernel requires, a tile of local memory, or so many work-items,
 * 64 in several dimensions. */
static uint32_t size_groups(const struct kernel_info *info, const struct kernel_shape *shape,
                            const struct device_config *device, const struct group_plan *plan,
                            struct launch_sizes *sizes)
{
    const uint64_t shapes[][3] = {{plan->width, 1, 1}, {plan->width, plan->height, 1}, {4, 4, 4}};
    const uint64_t inner = items_of(shape->tile);
    const uint64_t tile =
        inner && (shape->tile - inner) % 2 == 0 ? inner : shape->tile; /* without its border */
    const bool tiled = shape->dimensions == 2 && tile > 1 && tile <= TILE_MOST;
    uint32_t dimensions = shape->dimensions;
    for (uint32_t d = 0; d < 3; d++) {
        sizes->local[d] = info->required_size[0] ? info->required_size[d]
                          : tiled && d < 2       ? tile
                                                 : shapes[shape->dimensions - 1][d];
        if (sizes->local[d] > 1 && d + 1 > dimensions)
            dimensions = d + 1;
    }
    if (!info->required_size[0] && !tiled)
        keep_to_device(device, sizes->local);
    return dimensions;
}

/* ---- the launch ------------------------------------------------------------------------------- */

/* Less than the work-items of a dimension, and odd: pairs and rows end in the middle of a work-group. */
uint64_t launch_sizes_fewer(uint64_t items, uint32_t dimensions)
{
    const uint64_t less = dimensions == 1 ? items * 7 / 32 : 1;
    return items > 1 ? (items - (less ? less : 1)) | (items > 2) : items;
}

/* Are there whole numbers, and does an id have to stay below one of them, or does nothing read any? Those of
 * `ones` are small: ids stay above them. */
static bool ends_before_ids(const struct kernel_info *info, const struct kernel_shape *shape, uint32_t ones)
{
    const uint32_t whole = skeleton_numbers(info, 1) & ~ones;
    return whole && (shape->limits & whole || !(whole & ~shape->unread));
}

/* Several work-groups in each dimension, for a kernel that can distinguish them: three, so that no size is a
 * power of two as kernels have them in their texts; of large tiles two. */
struct launch_sizes launch_sizes_of(const struct skeleton *skeleton, const struct device_config *device,
                                    const struct group_plan *plan, uint32_t ones)
{
    struct launch_sizes sizes;
    const struct kernel_info *info = skeleton->info;
    const struct kernel_shape *shape = skeleton->shape;
    const uint32_t dimensions = size_groups(info, shape, device, plan, &sizes);
    uint64_t least = UINT64_MAX;
    for (uint32_t d = 0; d < 3; d++) {
        const bool several = shape->several_groups && d < dimensions && (sizes.local[d] > 1 || d == 0);
        const bool numbered = shape->group_limits & skeleton_numbers(info, 1) & ~ones;
        const uint64_t groups = !several                                ? 1
                                : dimensions > 1 && sizes.local[d] > 16 ? 2
                                : dimensions == 1 && numbered           ? GROUPS_NUMBERED
                                                                        : 3;
        sizes.global[d] = groups * sizes.local[d];
        least = d < dimensions && sizes.global[d] < least ? sizes.global[d] : least;
    }
    memcpy(sizes.ids, sizes.global, sizeof sizes.ids);
    sizes.exact = !ends_before_ids(info, shape, ones);
    sizes.whole = sizes.width = sizes.height =
        sizes.exact ? sizes.global[0] : launch_sizes_fewer(least, dimensions);
    return sizes;
}
