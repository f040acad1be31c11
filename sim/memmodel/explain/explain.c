/* SPDX-License-Identifier: Apache-2.0 */
/* The entry to the search for an edit: it bounds the work, keeps the edits for explain_covers(), and has
 * reason and picture made. Then the replays of fixes for later instances. */
#include "explain_state.h"

static void keep_edits(const struct edit_search *search, const struct found_edits *found,
                       struct suggested_fix *fix)
{
    fix->kind = found->count ? FIX_EDITS : FIX_NONE;
    fix->edit_count = found->count;
    for (uint32_t i = 0; i < found->count; i++) {
        fix->edits[i] = found->edits[i];
        fix->edits[i].site = search->spots[found->edits[i].spot].site;
    }
}

/* Each question may take a quarter of the work that the launch has left, so that the first ones get most. */
static uint64_t work_of(const struct question *question)
{
    if (question->most)
        return question->most;
    const uint64_t spent = *question->spent, part = spent < WORK_OF_LAUNCH ? (WORK_OF_LAUNCH - spent) / 4 : 0;
    return part > WORK_LEAST ? part : WORK_LEAST;
}

bool explain_race(const struct question *question, struct answer *out_answer)
{
    struct edit_search search = {
        .question = question, .spots_most = SPOTS_MOST, .work_most = work_of(question)};
    struct found_edits found = {.count = 0};
    *out_answer = (struct answer){.covers_all = false};
    if (question->sync_log->full || !edit_search_spots(&search)) {
        edit_search_fini(&search);
        return false;
    }
    edit_search_edits(&search, &found);
    if (found.count)
        explain_say_edits(&search, &found, out_answer);
    keep_edits(&search, &found, &out_answer->proposal.suggested);
    out_answer->covers_all = found.ordered == question->instance_count;
    if (!question->device_dirty)
        explain_draw(&search, &found, out_answer);
    *question->spent += search.work;
    edit_search_fini(&search);
    return found.count > 0;
}

/* Two edits of one place share its spot. */
static uint32_t spot_at(struct edit_search *search, uint32_t site)
{
    uint32_t spot = 0;
    while (spot < search->spot_count && search->spots[spot].site != site)
        spot++;
    if (spot == search->spot_count)
        search->spots[search->spot_count++].site = site;
    return spot;
}

static bool edits_cover(const struct question *question, const struct suggested_fix *fix)
{
    struct edit_search search = {.question = question, .work_most = WORK_MOST};
    struct edit edits[2];
    bool covers = true;
    for (uint32_t i = 0; i < fix->edit_count; i++) {
        edits[i] = fix->edits[i];
        edits[i].spot = spot_at(&search, edits[i].site);
    }
    search.spots_most = search.spot_count;
    if (!question->sync_log->full && edit_search_spots(&search))
        covers = edit_search_count_ordered(&search, edits, fix->edit_count) == question->instance_count ||
                 search.failed;
    edit_search_fini(&search);
    return covers;
}

bool explain_covers(const struct question *question, const struct suggested_fix *fix)
{
    switch (fix->kind) {
    case FIX_EDITS: return edits_cover(question, fix);
    case FIX_FLAG: return explain_flag_covers(question, &fix->flag);
    case FIX_SIDE: return explain_side_covers(question, &fix->side);
    case FIX_RELEASE_CLOCK: return explain_release_clock_covers(question, fix);
    default: return true;
    }
}
