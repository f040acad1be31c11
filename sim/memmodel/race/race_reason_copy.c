/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A race with an asynchronous copy of the same work-group. A copy comes after what a barrier before it
 * orders, and before what follows wait_group_events (OpenCL C 3.0, 6.15.11). So either no work-item waited
 * for it, or the wait was for another event, or it began too early.
 */
#include <string.h>

#include "race_reason.h"

/* A place between two instructions, if the code has the first of them `first` in order (0 or 1). */
static bool has_place_between(const struct checker_host *host, uint32_t a, uint32_t b, int first,
                              struct code_place *out_place)
{
    return CODE_ASK(host, between, a, b, out_place) && out_place->before && out_place->first == first;
}

/* Is the reason a wait between the copy and the other access that does not wait for this copy, or not for
 * the copy of each work-item? */
static bool waits_for_another(struct race_reason *reason, const struct checker_host *host, uint32_t copy,
                              uint32_t other)
{
    struct code_place place;
    if (!has_place_between(host, copy, other, 0, &place) ||
        strcmp(host->what(host->self, place.site), "wait_group_events") != 0)
        return false;
    const bool partly = host->uniform && !host->uniform(host->self, copy);
    wording_add(&reason->why,
                "the copy at %s was not waited for before the other access: wait_group_events at %s%s",
                AT(host, copy), AT(host, place.site),
                partly ? " waits for it in some work-items only" : " does not wait for it");
    if (partly)
        wording_add(&reason->fix,
                    "the copy at %s outside of the branch: every work-item of the work-group makes it and "
                    "waits for its event",
                    AT(host, copy));
    else
        wording_add(&reason->fix,
                    "the event of the copy at %s among those that wait_group_events at %s waits for",
                    AT(host, copy), AT(host, place.site));
    return true;
}

static void say_two_copies(struct race_reason *reason, const struct checker_host *host, uint32_t first,
                           uint32_t second)
{
    reason->searches = SEARCH_WAIT;
    wording_add(&reason->why,
                "the copy at %s was not waited for before the copy at %s, and copies are ordered by "
                "wait_group_events only",
                AT(host, first), AT(host, second));
    wording_add(&reason->fix, "wait_group_events before %s", AT(host, second));
}

/* The copy is the first access. */
static void say_copy_first(struct race_reason *reason, const struct checker_host *host, uint32_t copy)
{
    reason->searches = SEARCH_WAIT;
    wording_add(&reason->why, "the copy at %s was not waited for before the other access", AT(host, copy));
    wording_add(&reason->fix, "wait_group_events, then a barrier, before the bytes are used");
}

/* The copy is the second access. If the code has the other access after it, a work-item used the bytes before
 * all of the work-group had called the copy. */
static void say_copy_second(struct race_reason *reason, const struct racing_pair *pair, uint32_t copy)
{
    const struct checker_host *host = pair->host;
    struct code_place place;
    if (has_place_between(host, pair->first->site, copy, 1, &place)) {
        wording_add(&reason->why, "the copy at %s was not waited for before the other access",
                    AT(host, copy));
        wording_add(&reason->fix, "wait_group_events before %s", AT_LINE(host, place.site, place.line));
        return;
    }
    reason->searches = SEARCH_BARRIER_BEFORE;
    wording_add(
        &reason->why,
        "the copy at %s may begin before the other access is done: it comes only after what a barrier "
        "before it orders",
        AT(host, copy));
    wording_add(&reason->fix, "a barrier with %s before the copy", pair->region_flag);
}

bool race_reason_copy(struct race_reason *reason, const struct racing_pair *pair)
{
    const struct checker_host *host = pair->host;
    const struct access_context *first = pair->first;
    const bool copies_first = pair->race->unit >= UNIT_COPIES;
    const struct copy_order *second = pair->unit_state->copy;
    if (!pair->same_group || (!copies_first && !second))
        return false;
    if (waits_for_another(reason, host, second ? second->site : first->site,
                          second ? first->site : pair->second->site))
        return true;
    if (copies_first && second)
        say_two_copies(reason, host, first->site, second->site);
    else if (second)
        say_copy_second(reason, pair, second->site);
    else
        say_copy_first(reason, host, first->site);
    return true;
}
