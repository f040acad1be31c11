/* SPDX-License-Identifier: Apache-2.0 */
/* An access on the wrong side of what its own work-item does: behind the release that should publish it, or before the acquire that
 * it should follow. */
#include "explain_state.h"

#include <inttypes.h>

enum { OPERATIONS_TRIED = 8, WRONG_WAYS = 2 };

/* The accesses of a meeting, and where in the history they are. */
struct pair { const struct asked *asked[2]; struct moment moment[2]; };

static struct pair pair_of(const struct search *search, uint32_t index)
{
    const struct meeting *meeting = &search->question->meetings[index];
    return (struct pair){{&meeting->first, &meeting->second},
                         {{meeting->first.unit, search->first_at[index]}, {meeting->second.unit, meeting->end}}};
}

static bool on_one_line(const struct question *question, uint32_t a, uint32_t b)
{
    struct source_place x, y;
    question->host->place(question->host->self, a, &x);
    question->host->place(question->host->self, b, &y);
    return x.line == y.line && same_text(x.file, y.file);
}

/* Then there are no two places to be named. */
static bool at_one_place(const struct question *question, uint32_t a, uint32_t b)
{
    struct source_place x, y;
    question->host->place(question->host->self, a, &x);
    question->host->place(question->host->self, b, &y);
    return on_one_line(question, a, b) && (x.column == y.column || !x.column || !y.column);
}

/* Is one access known to the other's work-item, when the mover is on the other side of what happened there? */
static bool orders(const struct question *question, const struct pair *pair, int mover, uint32_t at, bool before)
{
    const struct moment moved = {pair->moment[mover].unit, before ? at : at + 1}, other = pair->moment[!mover];
    const struct moment *from = before ? &moved : &other, *to = before ? &other : &moved;
    return from->at <= to->at && again_known(question, from, to);
}

/* The mover's own operations on that side, the nearest first that the other access may be ordered by: at the named place of the
 * source, if there is one. */
static bool try_side(const struct question *question, const struct pair *pair, int mover, bool before, uint32_t site, uint64_t *work, uint32_t *out_site)
{
    const struct history *history = question->history;
    const uint32_t own = pair->moment[mover].at, other = pair->moment[!mover].at;
    uint32_t tried = 0;
    for (uint32_t at = (own < other) == before ? own : other; before ? at > 0 : at < history->count; at += before ? -1 : 1) {
        const uint32_t place = before ? at - 1 : at;
        const struct happening *happening = &history->items[place];
        if (happening->by != pair->moment[mover].unit || !is_message_end(question, happening, before) || (site != NO_END && happening->site != site))
            continue;
        if (tried++ == OPERATIONS_TRIED || *work > WORK_OF_LAUNCH)
            return false;
        *work += history->count;
        *out_site = happening->site;
        if (!at_one_place(question, pair->asked[mover]->site, happening->site) && orders(question, pair, mover, place, before))
            return true;
    }
    return false;
}

static void say_place(const struct question *question, const struct side *side, uint32_t site, struct wording *text)
{
    struct source_place place;
    question->host->place(question->host->self, site, &place);
    wording_place(text, question->host, site);
    if (on_one_line(question, side->access, side->operation))
        wording_add(text, ":%" PRIu32, place.column);
}

static void say_side(const struct question *question, const struct side *side, struct wording *why, struct wording *fix)
{
    const struct checker_host *host = question->host;
    const char *access = host->what(host->self, side->access);
    wording_add(why, "the %s at ", access);
    say_place(question, side, side->access, why);
    wording_add(why, side->before ? " comes behind the release at " : " comes before the acquire at ");
    say_place(question, side, side->operation, why);
    wording_add(why, side->before ? ", which publishes only what was done before it" : ", which orders only what is done behind it");
    wording_add(fix, "the %s at ", access);
    say_place(question, side, side->access, fix);
    wording_add(fix, side->before ? " before " : " behind ");
    say_place(question, side, side->operation, fix);
}

bool explain_side(const struct question *question, uint64_t *work, struct side *out_side, struct wording *out_why, struct wording *out_fix)
{
    const struct meeting *meeting = question->meetings;
    struct search search = {.question = question};
    *out_why = *out_fix = (struct wording){.used = 0};
    if (question->history->full || meeting->first.unit >= UNIT_COPIES || meeting->second.unit >= UNIT_COPIES || !search_locate(&search))
        return false;
    const struct pair pair = pair_of(&search, 0);
    for (int way = 0; way < WRONG_WAYS * 2; way++) {
        uint32_t operation;
        if (!try_side(question, &pair, way % 2, way < WRONG_WAYS, NO_END, work, &operation))
            continue;
        *out_side = (struct side){pair.asked[way % 2]->site, operation, way < WRONG_WAYS};
        say_side(question, out_side, out_why, out_fix);
        return true;
    }
    *out_side = (struct side){.operation = NO_END};
    return false;
}

bool explain_side_covers(const struct question *question, const struct side *side)
{
    struct search search = {.question = question};
    uint64_t work = 0;
    if (question->history->full || !search_locate(&search))
        return true;
    for (uint32_t i = 0; i < search.meeting_count; i++) {
        const struct pair pair = pair_of(&search, i);
        const int mover = pair.asked[0]->site != side->access;
        uint32_t operation;
        if (!try_side(question, &pair, mover, side->before, side->operation, &work, &operation))
            return false;
    }
    return true;
}
