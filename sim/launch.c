/* SPDX-License-Identifier: Apache-2.0 */
#include "launch.h"

#include <assert.h>
#include <string.h>

#include "memmodel/checker.h"
#include "orrery/observer.h"

enum { ROW_LANES = 16 }; /* handlers compute lanes by sixteens: rows that are a multiple stay affine */

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

/* How many groups along a dimension share a wave, when a block of block_lanes is repeated. */
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

/* Waves of a tile start at whole sub-groups and, where that is possible too, whole rows. */
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

/* A dimension is taken up when the tile spans all of the one before it. */
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
        assert(request->local_size[i] > 0);
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

uint64_t launch_time(const struct launch *launch)
{
    return launch->began + CLOCK_LAUNCH_NS + launch->group_ns + launch->steps * CLOCK_STEP_NS + launch->clock_reads * CLOCK_READ_NS;
}

/* ---- places ------------------------------------------------------------------- */

const struct site *launch_site(const struct launch *launch, uint32_t site)
{
    static const struct site nowhere = {.what = "an instruction"};
    return launch->code && site < launch->code->site_count ? &launch->code->sites[site] : &nowhere;
}

void launch_access(const struct launch *launch, uint32_t number, struct finding_access *out_access)
{
    const struct site *site = launch_site(launch, number);
    *out_access = (struct finding_access){.act = site->act, .kind = site->access, .type = site->type, .what = site->what};
    launch_place(launch, number, &out_access->place);
    if (launch->info.program)
        program_caller(launch->info.program, number, &out_access->caller);
}

void launch_place(const struct launch *launch, uint32_t site, struct source_place *out_place)
{
    memset(out_place, 0, sizeof *out_place);
    if (launch->info.program)
        program_site(launch->info.program, site, out_place);
}

static bool same_line(const struct site *a, const struct site *b)
{
    return a->file == b->file && a->line == b->line;
}

/* Both are of one statement over several lines: in one function, what is done later stands behind what is done first, but for loops. */
static bool is_entwined(const struct site *first, const struct site *later)
{
    return first->file == later->file && first->call == later->call && later->line && later->line < first->line;
}

/* Is there an end of a line between the two? */
static bool begins_behind(const struct site *later, const struct site *first)
{
    return !same_line(later, first) && !is_entwined(first, later);
}

/* Does a whole line of the source stand where every work-item comes by once? It may be several instructions, or be inlined
 * in several places. */
static bool is_milestone(const struct code *code, const struct site *site)
{
    if (!site->rank || !site->line)
        return false;
    for (uint32_t i = 1; i < code->site_count; i++)
        if (code->sites[i].rank && same_line(&code->sites[i], site) && !code->sites[i].always)
            return false;
    return true;
}

/* Is it what of its line is done first, and is nothing of another line done within? A function that is inlined twice, or
 * the head of a loop, has other lines within. */
static bool opens_line(const struct code *code, const struct site *site)
{
    uint32_t last = site->rank;
    if (!site->rank || !site->line)
        return false;
    for (uint32_t i = 1; i < code->site_count; i++) {
        const struct site *other = &code->sites[i];
        if (!other->rank || !same_line(other, site))
            continue;
        if (other->rank < site->rank)
            return false;
        last = other->rank > last ? other->rank : last;
    }
    for (uint32_t i = 1; i < code->site_count; i++) {
        const struct site *other = &code->sites[i];
        if (other->rank > site->rank && other->rank < last && other->line && !same_line(other, site))
            return false;
    }
    return true;
}

static bool branches_before(const struct code *code, const struct site *from, const struct site *to)
{
    for (uint32_t i = 1; i < code->site_count; i++) {
        const struct site *site = &code->sites[i];
        if (site->rank > from->rank && site->rank < to->rank && same_line(site, from) && site->act == ACT_BRANCH)
            return true;
    }
    return false;
}

/* The order of code is that of execution, but for loops, which are contiguous: an instruction that is in none comes behind
 * all that stands before it. */
bool launch_between(const struct launch *launch, uint32_t a, uint32_t b, struct code_place *out_place)
{
    const struct code *code = launch->code;
    const struct site *from = launch_site(launch, a), *to = launch_site(launch, b), *found = NULL;
    const int first = from->rank < to->rank ? 0 : 1;
    if (first == 1) {
        const struct site *later = from;
        from = to;
        to = later;
    }
    if (!code || !from->rank || !to->rank || from == to || !begins_behind(to, from))
        return false;
    for (uint32_t i = 1; i < code->site_count; i++) {
        const struct site *site = &code->sites[i];
        if (site->rank > from->rank && site->rank <= to->rank && (!found || site->rank < found->rank) && begins_behind(site, from) &&
            (is_milestone(code, site) || (site->always && opens_line(code, site))))
            found = site;
    }
    if (found)
        *out_place = (struct code_place){.site = (uint32_t)(found - code->sites), .before = true, .first = first};
    else if (is_milestone(code, from))
        *out_place = (struct code_place){.site = first ? b : a, .first = first, .branches = branches_before(code, from, to)};
    return found || is_milestone(code, from);
}

bool launch_order(const struct launch *launch, uint32_t a, uint32_t b, struct code_order *out_order)
{
    const struct site *from = launch_site(launch, a), *to = launch_site(launch, b);
    const int first = from->rank < to->rank ? 0 : 1;
    const bool parted = from->always || to->always || from->stage != to->stage;
    *out_order = (struct code_order){.first = first, .entwined = first == 0 ? is_entwined(from, to) : is_entwined(to, from),
                                     .parted = parted,
                                     .branched = !parted && from->stage && !from->loop && !to->loop};
    return from->rank && to->rank;
}

static bool loop_holds(const struct code_loop *loop, const struct site *site)
{
    return site->rank && loop->low <= site->rank && site->rank <= loop->high;
}

/* In the innermost loop that holds both, of an access and a later one that stands before it. A place at which one turn can be
 * parted from the next: every work-item of the work-group comes by in each turn. */
bool launch_next_turn(const struct launch *launch, uint32_t a, uint32_t b, struct code_place *out_place)
{
    const struct code *code = launch->code;
    const struct site *first = launch_site(launch, a), *second = launch_site(launch, b), *found = NULL;
    const struct code_loop *loop = NULL;
    if (!code || first->rank <= second->rank)
        return false;
    for (uint32_t i = 0; i < code->loop_count; i++) {
        const struct code_loop *other = &code->loops[i];
        if (loop_holds(other, first) && loop_holds(other, second) && (!loop || other->high - other->low < loop->high - loop->low))
            loop = other;
    }
    if (!loop || !loop->level)
        return false;
    for (uint32_t i = 1; i < code->site_count; i++) {
        const struct site *site = &code->sites[i];
        const bool between = site->rank > first->rank || site->rank <= second->rank;
        if (site->rank && site->turn && code->loops + site->loop - 1 == loop && between && opens_line(code, site) &&
            (!found || (site->rank <= second->rank) > (found->rank <= second->rank) ||
             ((site->rank <= second->rank) == (found->rank <= second->rank) && site->rank > found->rank)))
            found = site;
    }
    if (found)
        *out_place = (struct code_place){.site = (uint32_t)(found - code->sites), .before = true, .first = 0};
    return found;
}

/* Where no loop holds both, layout order is execution order. */
bool launch_precedes(const struct launch *launch, uint32_t a, uint32_t b)
{
    const struct code *code = launch->code;
    const struct site *first = launch_site(launch, a), *second = launch_site(launch, b);
    if (!code || !first->rank || !second->rank || first->rank >= second->rank)
        return false;
    for (uint32_t i = 0; i < code->loop_count; i++)
        if (loop_holds(&code->loops[i], first) && loop_holds(&code->loops[i], second))
            return false;
    return true;
}

bool launch_collective(const struct launch *launch, uint32_t a, uint32_t b, uint32_t *out_site)
{
    const struct code *code = launch->code;
    const uint32_t ranks[2] = {launch_site(launch, a)->rank, launch_site(launch, b)->rank};
    const int first = ranks[0] < ranks[1] ? 0 : 1;
    for (uint32_t i = 1; code && ranks[first] && i < code->site_count; i++) {
        const struct site *site = &code->sites[i];
        if (!site->always || site->rank <= ranks[first] || site->rank >= ranks[!first] || site->act != ACT_COLLECTIVE)
            continue;
        *out_site = i;
        return true;
    }
    return false;
}

static bool is_barrier_of_turns(const struct site *site, uint32_t loop)
{
    return site->rank && site->turn && site->loop == loop + 1 && site->act == ACT_BARRIER && site->of_work_group;
}

/* The innermost loop that holds both and in each turn of which the work-group waits, so that all its work-items go round
 * equally often; loop_count: there is none. */
static uint32_t common_loop(const struct code *code, const struct site *a, const struct site *b)
{
    uint32_t best = code->loop_count;
    for (uint32_t i = 1; i < code->site_count; i++) {
        const uint32_t loop = code->sites[i].loop - 1;
        if (!code->sites[i].loop || !is_barrier_of_turns(&code->sites[i], loop) || !loop_holds(&code->loops[loop], a) ||
            !loop_holds(&code->loops[loop], b))
            continue;
        if (best == code->loop_count || code->loops[loop].low > code->loops[best].low)
            best = loop;
    }
    return best;
}

static bool waits_behind(const struct code *code, uint32_t loop, uint32_t rank)
{
    for (uint32_t i = 1; i < code->site_count; i++)
        if (is_barrier_of_turns(&code->sites[i], loop) && code->sites[i].rank > rank)
            return true;
    return false;
}

/* What stands before the barrier that all have passed is of the next turn. */
static uint64_t turned(const struct site *site, const struct site *since, uint32_t ranks)
{
    return site->rank > since->rank ? site->rank : (uint64_t)site->rank + ranks;
}

bool launch_in_turn(const struct launch *launch, uint32_t a, uint32_t b, uint32_t since_site, struct code_place *out_place)
{
    static const struct site before_all = {.rank = 0};
    const struct code *code = launch->code;
    const struct site *sides[2] = {launch_site(launch, a), launch_site(launch, b)}, *since = launch_site(launch, since_site), *found = NULL;
    const uint32_t loop = code ? common_loop(code, sides[0], sides[1]) : 0;
    if (!code || loop == code->loop_count)
        return false;
    const uint32_t ranks = code->loops[loop].high;
    if (!loop_holds(&code->loops[loop], since)) { /* it is the first turn, and its barrier is to come */
        if (!waits_behind(code, loop, sides[0]->rank > sides[1]->rank ? sides[0]->rank : sides[1]->rank))
            return false;
        since = &before_all;
    } else if (!is_barrier_of_turns(since, loop)) {
        return false;
    }
    const uint64_t turns[2] = {turned(sides[0], since, ranks), turned(sides[1], since, ranks)};
    const int first = turns[0] < turns[1] ? 0 : 1;
    for (uint32_t i = 1; i < code->site_count; i++) {
        const struct site *site = &code->sites[i];
        if (site->turn && site->loop == loop + 1 && turned(site, since, ranks) > turns[first] && turned(site, since, ranks) <= turns[!first] &&
            (!found || turned(site, since, ranks) > turned(found, since, ranks)) && !same_line(site, sides[first]) && opens_line(code, site))
            found = site;
    }
    if (found)
        *out_place = (struct code_place){.site = (uint32_t)(found - code->sites), .before = true, .first = first};
    return found;
}
