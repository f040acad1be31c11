/* SPDX-License-Identifier: Apache-2.0 */
/* Divides an NDRange into tiles and waves (see launch.h), and computes the ids of work-items. Handlers of the
 * interpreter compute affine values for whole waves, so tiles prefer rows of a multiple of ROW_LANES. */
#include "launch.h"

#include <string.h>

#include "orrery/checked.h"
#include "orrery/observer.h"

enum { ROW_LANES = 16 }; /* lanes per vector of a handler: values along such rows stay affine */

static uint64_t divide_up(uint64_t value, uint64_t by)
{
    return value / by + (value % by != 0);
}

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static uint64_t common_multiple(uint64_t a, uint64_t b)
{
    return a / common_divisor(a, b) * b;
}

static uint64_t multiply_saturated(uint64_t a, uint64_t b)
{
    uint64_t product;
    return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* The number of groups along a dimension that share a wave, for a block of block_lanes that is repeated. */
static uint64_t groups_that_fit(const struct tiling_request *request, int dimension, uint64_t block_lanes,
                                uint64_t group_count)
{
    uint64_t fit = request->wave_lanes_max / block_lanes;
    if (fit < 2 || group_count == 0)
        return 1;
    uint64_t unit = dimension == 0 ? ROW_LANES / common_divisor(request->local_size[0], ROW_LANES) : 1;
    if (fit > unit)
        fit -= fit % unit;
    return smaller(fit, group_count);
}

/* Waves begin at a sub-group and, if possible, at a row. */
static uint32_t wave_lanes(const struct tiling_request *request, uint64_t lanes, uint64_t row)
{
    uint32_t most = request->wave_lanes_max, sub_group = request->sub_group_size;
    if (lanes <= most || sub_group > most)
        return most;
    uint64_t unit = common_multiple(sub_group, row);
    if (unit > most)
        unit = sub_group;
    return (uint32_t)(most - most % unit);
}

static uint64_t lanes_of(const struct tiling *tiling)
{
    uint64_t lanes = 1;
    for (int i = 0; i < 3; i++)
        lanes *= smaller(tiling->tile_step[i], tiling->global_size[i] ? tiling->global_size[i] : 1);
    return lanes;
}

/* A dimension is used when the tile spans all groups of the dimension before it. */
static void merge(struct tiling *tiling, const struct tiling_request *request)
{
    for (int i = 0; i < 3; i++) {
        uint64_t count = groups_that_fit(request, i, lanes_of(tiling), tiling->group_count[i]);
        tiling->tile_step[i] = count * request->local_size[i];
        tiling->merged |= count > 1;
        if (count < tiling->group_count[i])
            return;
    }
}

void tiling_init(struct tiling *tiling, const struct tiling_request *request)
{
    *tiling = (struct tiling){.sub_group_size = request->sub_group_size, .tile_total = 1};
    for (int i = 0; i < 3; i++) {
        CHECKED(request->local_size[i] > 0);
        tiling->global_size[i] = request->global_size[i];
        tiling->local_size[i] = tiling->tile_step[i] = request->local_size[i];
        tiling->group_count[i] = divide_up(request->global_size[i], request->local_size[i]);
    }
    if (request->may_merge)
        merge(tiling, request);
    for (int i = 0; i < 3; i++) {
        tiling->tile_count[i] =
            divide_up(tiling->group_count[i], tiling->tile_step[i] / tiling->local_size[i]);
        tiling->tile_total = multiply_saturated(tiling->tile_total, tiling->tile_count[i]);
    }
    tiling->wave_lanes = wave_lanes(request, lanes_of(tiling), tiling->tile_step[0]);
    CHECKED(tiling->wave_lanes > 0 && tiling->wave_lanes <= request->wave_lanes_max);
}

void tiling_tile(const struct tiling *tiling, uint64_t number, struct tile *out_tile)
{
    uint64_t index[3] = {number % tiling->tile_count[0], 0, 0};
    number /= tiling->tile_count[0];
    index[1] = number % tiling->tile_count[1];
    index[2] = number / tiling->tile_count[1];

    out_tile->lane_count = 1;
    for (int i = 0; i < 3; i++) {
        out_tile->origin[i] = index[i] * tiling->tile_step[i];
        out_tile->size[i] =
            (uint32_t)smaller(tiling->tile_step[i], tiling->global_size[i] - out_tile->origin[i]);
        out_tile->group_id[i] = out_tile->origin[i] / tiling->local_size[i];
        out_tile->groups[i] = divide_up(out_tile->size[i], tiling->local_size[i]);
        out_tile->lane_count *= out_tile->size[i];
        CHECKED(out_tile->size[i] > 0 && out_tile->group_id[i] < tiling->group_count[i]);
    }
}

uint32_t tiling_wave_count(const struct tiling *tiling, const struct tile *tile)
{
    return (uint32_t)divide_up(tile->lane_count, tiling->wave_lanes);
}

/* ---- work-items ------------------------------------------------------------- */

/* The last group of a dimension may be smaller than the others. */
static uint64_t group_extent(const struct launch_info *info, uint64_t group, int dimension)
{
    return smaller(info->local_size[dimension],
                   info->global_size[dimension] - group * info->local_size[dimension]);
}

void origin_item(const struct origin *origin, uint32_t lane, struct item *out_item)
{
    const struct launch_info *info = origin->launch;
    uint64_t tile_lane = (uint64_t)origin->first_lane + lane;
    uint64_t row = origin->tile_size[0], column = origin->tile_size[1];
    uint64_t within[3] = {tile_lane % row, tile_lane / row % column, tile_lane / row / column};
    uint64_t extent[3];

    for (int i = 0; i < 3; i++) {
        uint64_t id = origin->tile_origin[i] + within[i];
        out_item->global_id[i] = id + info->global_offset[i];
        out_item->group_id[i] = id / info->local_size[i];
        out_item->local_id[i] = id % info->local_size[i];
        extent[i] = group_extent(info, out_item->group_id[i], i);
    }
    const uint64_t *group = out_item->group_id, *local = out_item->local_id;
    out_item->group_linear = (group[2] * info->group_count[1] + group[1]) * info->group_count[0] + group[0];
    out_item->local_linear = (local[2] * extent[1] + local[1]) * extent[0] + local[0];
    out_item->sub_group =
        info->sub_group_size ? (uint32_t)(out_item->local_linear / info->sub_group_size) : 0;
    out_item->compute_unit = origin->compute_unit;
}

static uint64_t time_with(const struct launch *launch, uint64_t slice_work)
{
    return launch->began + CLOCK_LAUNCH_NS + launch->group_ns + launch->clock_reads * CLOCK_READ_NS +
           (launch->work + slice_work) / WORK_PER_NS;
}

uint64_t launch_time(const struct launch *launch)
{
    return time_with(launch, 0);
}

uint64_t launch_time_within(const struct launch *launch, const struct wave *wave)
{
    return time_with(launch, wave->work - launch->slice_work);
}
