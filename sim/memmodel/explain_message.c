/* SPDX-License-Identifier: Apache-2.0 */
/* Work-items of two work-groups pass a message, but those who race are others: a barrier is missing behind the acquire, before the
 * release, or both. */
#include "explain_state.h"

enum { ENDS_MOST = 4 };

/* Where a work-group does what may hand its knowledge on, or take what others hand it: the latest first. */
struct ends { struct end { uint32_t site; struct code_place place; bool fits; } items[ENDS_MOST]; uint32_t count; };

bool is_message_end(const struct question *question, const struct happening *happening, bool releases)
{
    const enum memory_order order = (enum memory_order)happening->order, own = releases ? ORDER_RELEASE : ORDER_ACQUIRE;
    const bool strong = order == own || order >= ORDER_ACQ_REL;
    if (is_fence(happening))
        return strong && happening->regions >> question->region & 1;
    return is_atomic(happening) && strong && (releases ? happening->writes : happening->reads);
}

bool message_end(const struct question *question, const struct meeting *meeting, const struct happening *happening, bool releases)
{
    const uint64_t unit = releases ? meeting->first.unit : meeting->second.unit;
    return is_message_end(question, happening, releases) && unit_group(question, happening->by) == unit_group(question, unit);
}

/* Is there a place between it and the access, for a whole work-group? fits: one that a line of text can name. */
static void list_end(const struct question *question, uint32_t site, bool releases, struct ends *ends)
{
    const struct checker_host *host = question->host;
    const struct meeting *meeting = question->meetings;
    const uint32_t first = releases ? meeting->first.site : site, second = releases ? site : meeting->second.site;
    struct end *end = &ends->items[ends->count];
    for (uint32_t i = 0; i < ends->count; i++)
        if (ends->items[i].site == site)
            return;
    end->site = site;
    end->fits = host->between(host->self, first, second, &end->place) && end->place.first == 0 && !end->place.branches;
    ends->count += end->fits || (host->precedes && host->precedes(host->self, first, second));
}

static void list_ends(const struct question *question, bool releases, struct ends *ends)
{
    const struct happening *items = question->history->items;
    uint32_t latest = NO_END;
    ends->count = 0;
    for (uint32_t at = question->meetings->end; at-- > 0 && ends->count < ENDS_MOST;) {
        if (!message_end(question, question->meetings, &items[at], releases) || items[at].site == latest)
            continue;
        latest = items[at].site;
        list_end(question, latest, releases, ends);
    }
}

struct sought { const struct question *question; struct remedy remedy; uint32_t ordered; uint64_t work; };

/* Keeps it if more meetings are ordered than by what was found before, the first one among them. */
static bool try_message(struct sought *sought, const struct end *release, const struct end *acquire, bool fits)
{
    const struct question *question = sought->question;
    struct remedy remedy = {.kind = fits ? REMEDY_MESSAGE : REMEDY_NONE};
    uint32_t ordered = 0;
    if (fits && ((release && !release->fits) || (acquire && !acquire->fits)))
        return false;
    if (acquire) {
        remedy.acquire_site = acquire->site;
        remedy.place = acquire->place;
    }
    if (release) {
        remedy.release_site = release->site;
        remedy.next = remedy.place;
        remedy.place = release->place;
    }
    for (uint32_t i = 0; i < question->meeting_count && sought->work < WORK_MOST && (ordered || i == 0); i++) {
        ordered += insert_message_barriers(question, &question->meetings[i], &remedy);
        sought->work += question->history->count;
    }
    if (ordered > sought->ordered) {
        sought->ordered = ordered;
        sought->remedy = remedy;
    }
    return sought->ordered == question->meeting_count;
}

static bool find_message(struct sought *sought, const struct ends *from, const struct ends *to, bool fits)
{
    for (uint32_t i = 0; i < to->count; i++)
        if (try_message(sought, NULL, &to->items[i], fits))
            return true;
    for (uint32_t i = 0; i < from->count; i++)
        if (try_message(sought, &from->items[i], NULL, fits))
            return true;
    for (uint32_t i = 0; i < from->count * to->count; i++)
        if (try_message(sought, &from->items[i / to->count], &to->items[i % to->count], fits))
            return true;
    return sought->ordered;
}

static void say_end_of(const struct question *question, bool releases, uint32_t site, struct wording *why)
{
    const struct meeting *meeting = question->meetings;
    wording_add(why, "%sthe %s at ", why->used ? ", and " : "", releases ? "release" : "acquire");
    wording_place(why, question->host, site);
    wording_add(why, " was done by another work-item of ");
    wording_group(why, question->launch, unit_group(question, releases ? meeting->first.unit : meeting->second.unit));
    wording_add(why, releases ? ": no barrier before it orders the first access before it" : ": no barrier behind it orders the second access behind it");
}

static void say_barriers(const struct question *question, const struct remedy *remedy, struct wording *fix)
{
    const bool sends = remedy->release_site != NO_END, takes = remedy->acquire_site != NO_END;
    wording_add(fix, "work_group_barrier(%s)", region_flag(question->region));
    if (remedy->kind == REMEDY_MESSAGE) {
        say_at(question, &remedy->place, fix);
        if (sends && takes)
            say_and_at(question, &remedy->next, fix);
        return;
    }
    if (sends) {
        wording_add(fix, " before the release at ");
        wording_place(fix, question->host, remedy->release_site);
    }
    if (takes) {
        wording_add(fix, "%s behind the acquire at ", sends ? ", and" : "");
        wording_place(fix, question->host, remedy->acquire_site);
    }
    wording_add(fix, ", where all work-items of the work-group come by");
}

bool explain_message(const struct question *question, struct wording *out_why, struct wording *out_fix, struct remedy *out_remedy)
{
    const struct meeting *meeting = question->meetings;
    struct sought sought = {.question = question};
    struct ends from, to;
    *out_why = *out_fix = (struct wording){.used = 0};
    *out_remedy = (struct remedy){.kind = REMEDY_NONE};
    if (meeting->first.unit >= UNIT_COPIES || meeting->second.unit >= UNIT_COPIES || !question->host->between || question->history->full)
        return false;
    list_ends(question, true, &from);
    list_ends(question, false, &to);
    if (!find_message(&sought, &from, &to, true) && !find_message(&sought, &from, &to, false))
        return false;
    *out_remedy = sought.remedy;
    if (out_remedy->release_site != NO_END)
        say_end_of(question, true, out_remedy->release_site, out_why);
    if (out_remedy->acquire_site != NO_END)
        say_end_of(question, false, out_remedy->acquire_site, out_why);
    say_barriers(question, out_remedy, out_fix);
    return true;
}

bool explain_message_covers(const struct question *question, const struct remedy *remedy)
{
    for (uint32_t i = 0; i < question->meeting_count && !question->history->full; i++)
        if (!insert_message_barriers(question, &question->meetings[i], remedy))
            return false;
    return true;
}
