/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One work-item of each work-group executes a release and an acquire for all, as "if (local id is 0)" does.
 * The race is between other work-items of the two: a barrier is missing before the release, after the
 * acquire, or both. The latest releases and acquires of the two work-groups are tried, first with one
 * barrier and then with two.
 */
#include "explain_state.h"

enum { SITES_MOST = 4 };

/* Places of releases of the first access's work-group, or of acquires of the second's, the latest first.
 * fits: a line of text can name the place of the barrier. */
struct barrier_sites {
    struct barrier_site {
        uint32_t site;
        struct code_place place;
        bool fits;
    } items[SITES_MOST];
    uint32_t count;
};

bool explain_is_release_or_acquire(const struct question *question, const struct sync_op *sync_op,
                                   bool releases)
{
    const bool strong = has_order((enum memory_ordering)sync_op->order, releases);
    if (is_fence(sync_op))
        return strong && sync_op->regions >> question->region & 1;
    return is_atomic(sync_op) && strong && (releases ? sync_op->writes : sync_op->reads);
}

bool explain_is_group_release_or_acquire(const struct question *question,
                                         const struct race_instance *instance, const struct sync_op *sync_op,
                                         bool releases)
{
    const uint64_t unit = releases ? instance->first.unit : instance->second.unit;
    return explain_is_release_or_acquire(question, sync_op, releases) &&
           unit_group(question, sync_op->by) == unit_group(question, unit);
}

/* Adds the operation's place if a whole work-group passes some point between it and the access. */
static void list_site(const struct question *question, uint32_t site, bool releases,
                      struct barrier_sites *sites)
{
    const struct race_instance *instance = question->instances;
    const uint32_t first = releases ? instance->first.site : site,
                   second = releases ? site : instance->second.site;
    struct barrier_site *end = &sites->items[sites->count];
    for (uint32_t i = 0; i < sites->count; i++)
        if (sites->items[i].site == site)
            return;
    end->site = site;
    end->fits =
        ASK(question, between, first, second, &end->place) && end->place.first == 0 && !end->place.branches;
    sites->count += end->fits || ASK(question, precedes, first, second);
}

static void list_sites(const struct question *question, bool releases, struct barrier_sites *sites)
{
    const struct sync_op *items = question->sync_log->items;
    uint32_t latest = NO_END;
    sites->count = 0;
    for (uint32_t at = question->instances->end; at-- > 0 && sites->count < SITES_MOST;) {
        if (!explain_is_group_release_or_acquire(question, question->instances, &items[at], releases) ||
            items[at].site == latest)
            continue;
        latest = items[at].site;
        list_site(question, latest, releases, sites);
    }
}

struct barrier_search {
    const struct question *question;
    struct suggested_fix suggested_fix;
    uint32_t ordered;
    uint64_t work;
};

/* Keeps the barriers if they order more instances than the best so far, the question's own among them. True:
 * they order all. */
static bool try_barriers(struct barrier_search *search, const struct barrier_site *release,
                         const struct barrier_site *acquire, bool fits)
{
    const struct question *question = search->question;
    struct suggested_fix suggested_fix = {.kind = fits ? FIX_RELEASE_CLOCK : FIX_NONE};
    uint32_t ordered = 0;
    const bool both_fit = (!release || release->fits) && (!acquire || acquire->fits);
    if (fits && !both_fit)
        return false;
    if (acquire) {
        suggested_fix.acquire_site = acquire->site;
        suggested_fix.place = acquire->place;
    }
    if (release) {
        suggested_fix.release_site = release->site;
        suggested_fix.next = suggested_fix.place;
        suggested_fix.place = release->place;
    }
    for (uint32_t i = 0; i < question->instance_count && search->work < WORK_MOST && (ordered || i == 0);
         i++) {
        ordered += explain_insert_release_barriers(question, &question->instances[i], &suggested_fix);
        search->work += question->sync_log->count;
    }
    if (ordered > search->ordered) {
        search->ordered = ordered;
        search->suggested_fix = suggested_fix;
    }
    return search->ordered == question->instance_count;
}

static bool find_barriers(struct barrier_search *search, const struct barrier_sites *from,
                          const struct barrier_sites *to, bool fits)
{
    for (uint32_t i = 0; i < to->count; i++)
        if (try_barriers(search, NULL, &to->items[i], fits))
            return true;
    for (uint32_t i = 0; i < from->count; i++)
        if (try_barriers(search, &from->items[i], NULL, fits))
            return true;
    for (uint32_t i = 0; i < from->count * to->count; i++)
        if (try_barriers(search, &from->items[i / to->count], &to->items[i % to->count], fits))
            return true;
    return search->ordered;
}

static void say_why_at(const struct question *question, bool releases, uint32_t site, struct wording *why)
{
    const struct race_instance *instance = question->instances;
    wording_add(why, "%sthe %s at %s was done by another work-item of %s%s", why->used ? ", and " : "",
                releases ? "release" : "acquire", AT(question->host, site),
                WORK_GROUP(question->launch,
                           unit_group(question, releases ? instance->first.unit : instance->second.unit)),
                releases ? ": no barrier before it orders the first access before it"
                         : ": no barrier after it orders the second access after it");
}

static void say_barriers(const struct question *question, const struct suggested_fix *suggested_fix,
                         struct wording *fix)
{
    const bool has_release = suggested_fix->release_site != NO_END,
               has_acquire = suggested_fix->acquire_site != NO_END;
    wording_add(fix, "work_group_barrier(%s)", wording_region_flag(question->region));
    if (suggested_fix->kind == FIX_RELEASE_CLOCK) {
        explain_say_at(question, &suggested_fix->place, fix);
        if (has_release && has_acquire)
            explain_say_and_at(question, &suggested_fix->next, fix);
        return;
    }
    if (has_release) {
        wording_add(fix, " before the release at %s", AT(question->host, suggested_fix->release_site));
    }
    if (has_acquire) {
        wording_add(fix, "%s after the acquire at %s", has_release ? ", and" : "",
                    AT(question->host, suggested_fix->acquire_site));
    }
    wording_add(fix, ", where all work-items of the work-group reach it");
}

bool explain_release_clock(const struct question *question, struct proposal *out_proposal)
{
    const struct suggested_fix *found = &out_proposal->suggested;
    struct barrier_search search = {.question = question};
    struct barrier_sites from, to;
    if (is_by_copy(question->instances) || !question->host->between || question->sync_log->full)
        return false;
    list_sites(question, true, &from);
    list_sites(question, false, &to);
    if (!find_barriers(&search, &from, &to, true) && !find_barriers(&search, &from, &to, false))
        return false;
    out_proposal->suggested = search.suggested_fix;
    if (found->release_site != NO_END)
        say_why_at(question, true, found->release_site, &out_proposal->why);
    if (found->acquire_site != NO_END)
        say_why_at(question, false, found->acquire_site, &out_proposal->why);
    say_barriers(question, found, &out_proposal->fix);
    return true;
}

bool explain_release_clock_covers(const struct question *question, const struct suggested_fix *suggested_fix)
{
    for (uint32_t i = 0; i < question->instance_count && !question->sync_log->full; i++)
        if (!explain_insert_release_barriers(question, &question->instances[i], suggested_fix))
            return false;
    return true;
}
