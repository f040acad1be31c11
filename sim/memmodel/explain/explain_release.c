/* SPDX-License-Identifier: Apache-2.0 */
/* Work-items of two work-groups hand a release on, but the race is between other work-items: a barrier is
 * missing after the acquire, before the release, or both. */
#include "explain_state.h"

enum { ENDS_MOST = 4 };

/* The operations by which a work-group may hand its vector clock on, or acquire that of others: the latest
 * first. */
struct ends {
    struct end {
        uint32_t site;
        struct code_place place;
        bool fits;
    } items[ENDS_MOST];
    uint32_t count;
};

bool is_release_clock_end(const struct question *question, const struct sync_op *sync_op, bool releases)
{
    const enum memory_ordering order = (enum memory_ordering)sync_op->order,
                               own = releases ? ORDER_RELEASE : ORDER_ACQUIRE;
    const bool strong = order == own || order >= ORDER_ACQ_REL;
    if (is_fence(sync_op))
        return strong && sync_op->regions >> question->region & 1;
    return is_atomic(sync_op) && strong && (releases ? sync_op->writes : sync_op->reads);
}

bool release_clock_end(const struct question *question, const struct meeting *meeting,
                       const struct sync_op *sync_op, bool releases)
{
    const uint64_t unit = releases ? meeting->first.unit : meeting->second.unit;
    return is_release_clock_end(question, sync_op, releases) &&
           unit_group(question, sync_op->by) == unit_group(question, unit);
}

/* Is there a place between it and the access, for a whole work-group? fits: one that a line of text can
 * name. */
static void list_end(const struct question *question, uint32_t site, bool releases, struct ends *ends)
{
    const struct checker_host *host = question->host;
    const struct meeting *meeting = question->meetings;
    const uint32_t first = releases ? meeting->first.site : site,
                   second = releases ? site : meeting->second.site;
    struct end *end = &ends->items[ends->count];
    for (uint32_t i = 0; i < ends->count; i++)
        if (ends->items[i].site == site)
            return;
    end->site = site;
    end->fits = host->between(host->self, first, second, &end->place) && end->place.first == 0 &&
                !end->place.branches;
    ends->count += end->fits || (host->precedes && host->precedes(host->self, first, second));
}

static void list_ends(const struct question *question, bool releases, struct ends *ends)
{
    const struct sync_op *items = question->sync_log->items;
    uint32_t latest = NO_END;
    ends->count = 0;
    for (uint32_t at = question->meetings->end; at-- > 0 && ends->count < ENDS_MOST;) {
        if (!release_clock_end(question, question->meetings, &items[at], releases) ||
            items[at].site == latest)
            continue;
        latest = items[at].site;
        list_end(question, latest, releases, ends);
    }
}

struct sought {
    const struct question *question;
    struct suggested_fix suggested_fix;
    uint32_t ordered;
    uint64_t work;
};

/* Keeps it if more meetings are ordered than by what was found before, the first one among them. */
static bool try_release_clock(struct sought *sought, const struct end *release, const struct end *acquire,
                              bool fits)
{
    const struct question *question = sought->question;
    struct suggested_fix suggested_fix = {.kind = fits ? FIX_RELEASE_CLOCK : FIX_NONE};
    uint32_t ordered = 0;
    if (fits && ((release && !release->fits) || (acquire && !acquire->fits)))
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
    for (uint32_t i = 0; i < question->meeting_count && sought->work < WORK_MOST && (ordered || i == 0);
         i++) {
        ordered += insert_release_clock_barriers(question, &question->meetings[i], &suggested_fix);
        sought->work += question->sync_log->count;
    }
    if (ordered > sought->ordered) {
        sought->ordered = ordered;
        sought->suggested_fix = suggested_fix;
    }
    return sought->ordered == question->meeting_count;
}

static bool find_release_clock(struct sought *sought, const struct ends *from, const struct ends *to,
                               bool fits)
{
    for (uint32_t i = 0; i < to->count; i++)
        if (try_release_clock(sought, NULL, &to->items[i], fits))
            return true;
    for (uint32_t i = 0; i < from->count; i++)
        if (try_release_clock(sought, &from->items[i], NULL, fits))
            return true;
    for (uint32_t i = 0; i < from->count * to->count; i++)
        if (try_release_clock(sought, &from->items[i / to->count], &to->items[i % to->count], fits))
            return true;
    return sought->ordered;
}

static void say_end_of(const struct question *question, bool releases, uint32_t site, struct wording *why)
{
    const struct meeting *meeting = question->meetings;
    wording_add(why, "%sthe %s at ", why->used ? ", and " : "", releases ? "release" : "acquire");
    wording_place(why, question->host, site);
    wording_add(why, " was done by another work-item of ");
    wording_group(why, question->launch,
                  unit_group(question, releases ? meeting->first.unit : meeting->second.unit));
    wording_add(why, releases ? ": no barrier before it orders the first access before it"
                              : ": no barrier after it orders the second access after it");
}

static void say_barriers(const struct question *question, const struct suggested_fix *suggested_fix,
                         struct wording *fix)
{
    const bool sends = suggested_fix->release_site != NO_END, takes = suggested_fix->acquire_site != NO_END;
    wording_add(fix, "work_group_barrier(%s)", region_flag(question->region));
    if (suggested_fix->kind == FIX_RELEASE_CLOCK) {
        say_at(question, &suggested_fix->place, fix);
        if (sends && takes)
            say_and_at(question, &suggested_fix->next, fix);
        return;
    }
    if (sends) {
        wording_add(fix, " before the release at ");
        wording_place(fix, question->host, suggested_fix->release_site);
    }
    if (takes) {
        wording_add(fix, "%s after the acquire at ", sends ? ", and" : "");
        wording_place(fix, question->host, suggested_fix->acquire_site);
    }
    wording_add(fix, ", where all work-items of the work-group reach it");
}

bool explain_release_clock(const struct question *question, struct wording *out_why, struct wording *out_fix,
                           struct suggested_fix *out_suggested_fix)
{
    const struct meeting *meeting = question->meetings;
    struct sought sought = {.question = question};
    struct ends from, to;
    *out_why = *out_fix = (struct wording){.used = 0};
    *out_suggested_fix = (struct suggested_fix){.kind = FIX_NONE};
    if (meeting->first.unit >= UNIT_COPIES || meeting->second.unit >= UNIT_COPIES ||
        !question->host->between || question->sync_log->full)
        return false;
    list_ends(question, true, &from);
    list_ends(question, false, &to);
    if (!find_release_clock(&sought, &from, &to, true) && !find_release_clock(&sought, &from, &to, false))
        return false;
    *out_suggested_fix = sought.suggested_fix;
    if (out_suggested_fix->release_site != NO_END)
        say_end_of(question, true, out_suggested_fix->release_site, out_why);
    if (out_suggested_fix->acquire_site != NO_END)
        say_end_of(question, false, out_suggested_fix->acquire_site, out_why);
    say_barriers(question, out_suggested_fix, out_fix);
    return true;
}

bool explain_release_clock_covers(const struct question *question, const struct suggested_fix *suggested_fix)
{
    for (uint32_t i = 0; i < question->meeting_count && !question->sync_log->full; i++)
        if (!insert_release_clock_barriers(question, &question->meetings[i], suggested_fix))
            return false;
    return true;
}
