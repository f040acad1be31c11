/* SPDX-License-Identifier: Apache-2.0 */
/* Findings about barriers and group functions that not all work-items reach. A census counts for each
 * place how many work-items wait there, and how many have returned from the kernel. */
#include "divergence.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "barrier.h"
#include "orrery/report.h"
#include "sim/base/sentence.h"
#include "sim/base/memory_words.h"

/* Lanes of the tile, or of one sub-group, that should have arrived. Lanes are numbered within the tile. */
struct census {
    uint32_t first, end;      /* the lanes that are counted */
    uint8_t *accounted;       /* one for each lane: it waits at some place */
    uint32_t here, gone;      /* lanes that wait at the reported place; lanes that have returned */
    uint32_t first_gone;      /* the lowest lane that has returned */
    const struct wave *other; /* the first wave that waits elsewhere */
};

/* The wave's active lanes that the census counts. */
static lane_mask lanes_of_census(const struct census *census, const struct wave *wave)
{
    lane_mask asked = {{0}};
    for (uint32_t lane = lane_mask_next(&wave->active, 0); lane < WAVE_LANES_MAX;
         lane = lane_mask_next(&wave->active, lane + 1)) {
        const uint32_t at = wave->origin.first_lane + lane;
        if (at >= census->first && at < census->end)
            asked.word[lane / 64] |= UINT64_C(1) << lane % 64;
    }
    return asked;
}

static uint32_t mark(struct census *census, const struct wave *wave)
{
    const lane_mask asked = lanes_of_census(census, wave);
    for (uint32_t lane = lane_mask_next(&asked, 0); lane < WAVE_LANES_MAX;
         lane = lane_mask_next(&asked, lane + 1))
        census->accounted[wave->origin.first_lane + lane - census->first] = 1;
    return lane_mask_count(&asked);
}

static bool among(const uint32_t *indices, uint32_t count, uint32_t index)
{
    for (uint32_t i = 0; i < count; i++)
        if (indices[i] == index)
            return true;
    return false;
}

static void count_waves(struct census *census, const struct group *group, const uint32_t *waiting,
                        uint32_t count)
{
    for (uint32_t i = 0; i < group->wave_count; i++) {
        if (group->waves[i].state != WAVE_WAITS)
            continue;
        const struct wave *wave = group->waves[i].wave;
        uint32_t marked = mark(census, wave);
        if (among(waiting, count, i))
            census->here += marked;
        else if (marked && !census->other)
            census->other = wave;
    }
}

static void count_gone(struct census *census)
{
    for (uint32_t i = census->end - census->first; i-- > 0;) {
        if (census->accounted[i])
            continue;
        census->gone++;
        census->first_gone = census->first + i;
    }
}

static bool census_take(struct census *census, const struct group *group, const uint32_t *waiting,
                        uint32_t count, uint32_t sub_group)
{
    *census = (struct census){.first = 0, .end = group->tile.lane_count};
    if (sub_group != DIVERGENCE_WORK_GROUP) {
        uint32_t size = group->launch->info.sub_group_size;
        census->first = sub_group * size;
        if (census->end - census->first > size)
            census->end = census->first + size;
    }
    census->accounted = calloc(census->end - census->first, 1);
    if (!census->accounted)
        return false;
    count_waves(census, group, waiting, count);
    count_gone(census);
    return true;
}

/* ---- words ------------------------------------------------------------------------ */

static void access_at(const struct launch *launch, const struct wave *wave, const lane_mask *lanes,
                      struct finding_access *out_access)
{
    launch_access(launch, wave->site, out_access);
    out_access->has_item = true;
    origin_item(&wave->origin, lane_mask_next(lanes, 0), &out_access->item);
}

/* ---- places: work-items that wait together are reported together ------------------------------ */

static uint32_t lanes_at(const struct group *group, const struct census *census, uint32_t index)
{
    uint32_t lanes = 0;
    for (uint32_t i = 0; i < group->wave_count; i++) {
        if (group->waves[i].state != WAVE_WAITS ||
            !barrier_waits_with(group->waves[i].wave, group->waves[index].wave))
            continue;
        const lane_mask asked = lanes_of_census(census, group->waves[i].wave);
        lanes += lane_mask_count(&asked);
    }
    return lanes;
}

static bool named_before(const struct group *group, uint32_t index)
{
    for (uint32_t i = 0; i < index; i++)
        if (group->waves[i].state == WAVE_WAITS &&
            barrier_waits_with(group->waves[i].wave, group->waves[index].wave))
            return true;
    return false;
}

static bool in_another_iteration(const struct wave *wave, const struct wave *lead)
{
    return wave->site == lead->site && wave_iteration(wave) != wave_iteration(lead);
}

static bool all_at_one_site(const struct group *group, uint32_t site)
{
    for (uint32_t i = 0; i < group->wave_count; i++)
        if (group->waves[i].state == WAVE_WAITS && group->waves[i].wave->site != site)
            return false;
    return true;
}

static void say_place(struct sentence *why, const char *how, const struct source_place *place)
{
    if (place->line)
        sentence_add(why, "%s %s:%" PRIu32, how, place->file ? place->file : "line ", place->line);
}

static void say_where(struct sentence *why, const struct finding_access *access)
{
    say_place(why, " at", &access->place);
    say_place(why, ", called from", &access->caller);
}

/* Iteration numbers of an outer loop differ by large steps: then no count is printed. */
static void say_iterations(struct sentence *why, const struct wave *wave, const struct wave *lead)
{
    const int64_t ahead = (int64_t)(wave_iteration(wave) - wave_iteration(lead));
    const int64_t iterations = ahead < 0 ? -ahead : ahead;
    if (iterations <= 0 || iterations > INT32_MAX)
        sentence_add(why, ", in another iteration of the loops around it");
    else
        sentence_add(why, ", %" PRId64 " iteration%s of the loop %s", iterations, iterations == 1 ? "" : "s",
                     ahead > 0 ? "ahead" : "behind");
}

static void say_elsewhere(struct sentence *why, const struct group *group, const struct census *census,
                          const struct wave *lead)
{
    for (uint32_t i = 0; i < group->wave_count; i++) {
        const struct wave *wave = group->waves[i].wave;
        if (group->waves[i].state != WAVE_WAITS || barrier_waits_with(wave, lead) || named_before(group, i))
            continue;
        const uint32_t lanes = lanes_at(group, census, i);
        struct finding_access access;
        if (!lanes)
            continue;
        sentence_add(why, "; %" PRIu32 " wait%s", lanes, lanes == 1 ? "s" : "");
        if (in_another_iteration(wave, lead)) {
            sentence_add(why, " here");
            say_iterations(why, wave, lead);
            continue;
        }
        launch_access(group->launch, wave->site, &access);
        if (access.what)
            sentence_add(why, " in %s", access.what);
        say_where(why, &access);
    }
}

static void say_gone(struct sentence *why, const struct census *census, const struct origin *tile_origin)
{
    struct origin origin = *tile_origin;
    struct item item;
    origin.first_lane = 0;
    origin_item(&origin, census->first_gone, &item);
    sentence_add(why, "; %" PRIu32 " will never come: %s returned from the kernel, the first is work-item ",
                 census->gone, census->gone == 1 ? "it has" : "they have");
    sentence_ids(why, item.global_id);
}

static void say_why(struct sentence *why, const struct group *group, const struct census *census,
                    const struct finding *finding, const struct wave *lead, uint32_t sub_group)
{
    uint32_t all = census->end - census->first;
    sentence_add(why, "%" PRIu32 " of the %" PRIu32 " work-items of ", census->here, all);
    if (sub_group != DIVERGENCE_WORK_GROUP)
        sentence_add(why, "sub-group %" PRIu32 " of ", sub_group);
    sentence_add(why, "work-group ");
    sentence_ids(why, finding->access[0].item.group_id);
    sentence_add(why, " wait here");
    say_elsewhere(why, group, census, lead);
    if (census->gone)
        say_gone(why, census, &lead->origin);
}

/* ---- different barriers ------------------------------------------------------------- */

static bool is_mismatch(const struct group *group, const struct census *census, const struct wave *lead,
                        uint32_t sub_group)
{
    if (sub_group != DIVERGENCE_WORK_GROUP || census->gone || all_at_one_site(group, lead->site))
        return false;
    for (uint32_t i = 0; i < group->wave_count; i++)
        if (group->waves[i].state == WAVE_WAITS && !barrier_waits_in_work_group(group->waves[i].wave))
            return false;
    return true;
}

static void say_flags(struct sentence *why, uint32_t regions)
{
    static const struct {
        uint32_t region;
        const char *word;
    } flags[] = {{REGION_LOCAL, "CLK_LOCAL_MEM_FENCE"},
                 {REGION_GLOBAL, "CLK_GLOBAL_MEM_FENCE"},
                 {REGION_IMAGE, "CLK_IMAGE_MEM_FENCE"}};
    const char *between = " with ";
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++) {
        if (!(regions & flags[i].region))
            continue;
        sentence_add(why, "%s%s", between, flags[i].word);
        between = " | ";
    }
    if (!regions)
        sentence_add(why, " without flags");
}

static void say_barrier(struct sentence *why, const struct group *group, const struct census *census,
                        uint32_t index)
{
    const struct wave *wave = group->waves[index].wave;
    const struct site *site = launch_site(group->launch, wave->site);
    struct finding_access access;
    launch_access(group->launch, wave->site, &access);
    sentence_add(why, " %" PRIu32, lanes_at(group, census, index));
    say_where(why, &access);
    sentence_add(why, "%s", access.caller.line ? "," : "");
    say_flags(why, site->regions);
    sentence_add(why, " and %s", memory_scope_word(site->scope));
    for (uint32_t i = 0; i < index; i++) {
        if (group->waves[i].state != WAVE_WAITS || !in_another_iteration(wave, group->waves[i].wave))
            continue;
        say_iterations(why, wave, group->waves[i].wave);
        break;
    }
}

static void say_mismatch(struct sentence *why, const struct group *group, const struct census *census,
                         const struct item *item)
{
    sentence_add(why, "the %" PRIu32 " work-items of work-group ", census->end - census->first);
    sentence_ids(why, item->group_id);
    sentence_add(why, " wait at different barriers:");
    const char *between = "";
    for (uint32_t i = 0; i < group->wave_count; i++) {
        if (group->waves[i].state != WAVE_WAITS || named_before(group, i))
            continue;
        sentence_add(why, "%s", between);
        say_barrier(why, group, census, i);
        between = ";";
    }
}

/* ---- the finding ------------------------------------------------------------------------ */

static enum finding_kind kind_of(const struct wave *lead, bool mismatch)
{
    if (lead->stop != RUN_BARRIER)
        return FINDING_COLLECTIVE_DIVERGENCE;
    return mismatch ? FINDING_BARRIER_MISMATCH : FINDING_BARRIER_DIVERGENCE;
}

static const char *fix_of(enum finding_kind kind, bool in_iterations)
{
    if (in_iterations)
        return "let every work-item of the group reach this place in each iteration of the loop, and iterate "
               "as often: no continue or branch past it";
    if (kind == FINDING_BARRIER_MISMATCH)
        return "one barrier for all, outside the branch, with all the flags and the widest scope that anyone "
               "needs";
    return kind == FINDING_BARRIER_DIVERGENCE
               ? "let every work-item of the group reach the same barrier: move it out of the branch or loop"
               : "let every work-item of the group call the function: move it out of the branch or loop";
}

/* The first waiting wave with lanes that the census counts. */
static const struct wave *lead_of(const struct group *group, const struct census *census,
                                  const uint32_t *waiting, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const lane_mask asked = lanes_of_census(census, group->waves[waiting[i]].wave);
        if (!lane_mask_empty(&asked))
            return group->waves[waiting[i]].wave;
    }
    return group->waves[waiting[0]].wave;
}

void divergence_report(struct group *group, const uint32_t *waiting, uint32_t count, uint32_t sub_group)
{
    const struct launch *launch = group->launch;
    struct census census;
    if (!census_take(&census, group, waiting, count, sub_group))
        return;

    const struct wave *lead = lead_of(group, &census, waiting, count);
    bool mismatch = is_mismatch(group, &census, lead, sub_group);
    lane_mask lanes = lanes_of_census(&census, lead);
    struct finding finding = {.kind = kind_of(lead, mismatch),
                              .launch = launch->info.launch,
                              .kernel = launch->info.kernel,
                              .access_count = 1};
    access_at(launch, lead, &lanes, &finding.access[0]);
    if (census.other) {
        finding.access_count = 2;
        lanes = lanes_of_census(&census, census.other);
        access_at(launch, census.other, &lanes, &finding.access[1]);
    }
    struct sentence why;
    sentence_init(&why);
    if (mismatch)
        say_mismatch(&why, group, &census, &finding.access[0].item);
    else
        say_why(&why, group, &census, &finding, lead, sub_group);
    finding.why = why.bytes;
    finding.fix = fix_of(finding.kind, !mismatch && census.other && in_another_iteration(census.other, lead));
    if (finding.kind == FINDING_COLLECTIVE_DIVERGENCE && sub_group != DIVERGENCE_WORK_GROUP)
        finding.spec = "OpenCL C 3.0, Sub-Group Functions";
    if (finding.kind == FINDING_BARRIER_DIVERGENCE && finding.access[0].what &&
        strcmp(finding.access[0].what, "wait_group_events") == 0)
        finding.spec = "OpenCL C 3.0, 6.15.11, wait_group_events";
    report_add(launch->report, &finding);
    free(census.accounted);
}

void divergence_report_named(struct group *group, uint32_t waiting, uint32_t come, uint32_t wanted)
{
    const struct launch *launch = group->launch;
    const struct wave *lead = group->waves[waiting].wave;
    struct finding finding = {.kind = FINDING_BARRIER_DIVERGENCE,
                              .launch = launch->info.launch,
                              .kernel = launch->info.kernel,
                              .access_count = 1};
    struct sentence why;
    access_at(launch, lead, &lead->active, &finding.access[0]);
    sentence_init(&why);
    if (wanted)
        sentence_add(&why,
                     "the named barrier is for %" PRIu32 " sub-groups, and %" PRIu32
                     " came with all their work-items; the others of work-group ",
                     wanted, come);
    else
        sentence_add(&why, "the named barrier is for no sub-group: it was not initialised, in work-group ");
    sentence_ids(&why, finding.access[0].item.group_id);
    if (wanted)
        sentence_add(&why, " returned or wait elsewhere");
    finding.why = why.bytes;
    finding.fix =
        "initialise the barrier for as many sub-groups as wait at it, and let all their work-items come";
    report_add(launch->report, &finding);
}

/* ---- asynchronous copies, where no wave waits ------------------------------------------------------ */

static struct item item_at(const struct group *group, uint32_t lane)
{
    struct origin origin = group_any_wave(group)->origin;
    struct item item;
    origin.first_lane = 0;
    origin_item(&origin, lane, &item);
    return item;
}

void divergence_report_copy(struct group *group, const struct copy_reached *copy)
{
    const struct launch *launch = group->launch;
    const uint32_t lanes = group->reached.lanes;
    uint32_t least = 0, most = 0, here = 0;
    for (uint32_t lane = 1; lane < lanes; lane++) {
        least = copy->times[lane] < copy->times[least] ? lane : least;
        most = copy->times[lane] > copy->times[most] ? lane : most;
    }
    for (uint32_t lane = 0; lane < lanes; lane++)
        here += copy->times[lane] == copy->times[most];
    if (here == lanes)
        return;
    const struct item missing = item_at(group, least);
    struct finding finding = {.kind = FINDING_COLLECTIVE_DIVERGENCE,
                              .launch = launch->info.launch,
                              .kernel = launch->info.kernel,
                              .access_count = 1,
                              .fix = fix_of(FINDING_COLLECTIVE_DIVERGENCE, false),
                              .spec = "OpenCL C 3.0, 6.15.11: all work-items of the group execute the copy"};
    struct sentence why;
    launch_access(launch, copy->site, &finding.access[0]);
    finding.access[0].has_item = true;
    finding.access[0].item = item_at(group, most);
    sentence_init(&why);
    if (copy->times[most] == 1)
        sentence_add(&why, "%" PRIu32 " of %" PRIu32 " work-items reached the copy; work-item ", here, lanes);
    else
        sentence_add(&why, "some work-items reached the copy %" PRIu32 " times; work-item ",
                     copy->times[most]);
    sentence_ids(&why, missing.local_id);
    if (copy->times[least])
        sentence_add(&why, " reached it %" PRIu32 " time%s", copy->times[least],
                     copy->times[least] == 1 ? "" : "s");
    else
        sentence_add(&why, " did not");
    finding.why = why.bytes;
    report_add(launch->report, &finding);
}
