/* SPDX-License-Identifier: Apache-2.0 */
/* An access on the wrong side of what its own work-item does: after the release that should publish it, or
 * before the acquire that it should follow; or on the right side of an acquire that came too early. */
#include "explain_state.h"

#include <inttypes.h>

enum { OPERATIONS_TRIED = 8, WRONG_WAYS = 2 };

/* The accesses of a meeting, and where in the history they are. */
struct pair {
    const struct asked *asked[2];
    struct clock_snapshot clock_snapshot[2];
};

static struct pair pair_of(const struct search *search, uint32_t index)
{
    const struct meeting *meeting = &search->question->meetings[index];
    return (struct pair){
        {&meeting->first, &meeting->second},
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

/* Does one access happen before the other's work-item's next operation, with the mover on the other side of
 * the operation there? */
static bool orders(const struct question *question, const struct pair *pair, int mover, uint32_t at,
                   bool before)
{
    const struct clock_snapshot moved = {pair->clock_snapshot[mover].unit, before ? at : at + 1},
                                other = pair->clock_snapshot[!mover];
    const struct clock_snapshot *from = before ? &moved : &other, *to = before ? &other : &moved;
    return from->at <= to->at && again_known(question, from, to);
}

static bool takes_lock(const struct question *question, const struct sync_op *sync_op, uint32_t site)
{
    const struct checker_host *host = question->host;
    return sync_op->reads && sync_op->writes && host->spins_on &&
           host->spins_on(host->self, sync_op->site, site);
}

/* The value read there decides whether the access after it is done, or when it may be. */
static bool holds_back(const struct question *question, const struct sync_op *sync_op, uint32_t access,
                       bool before)
{
    const struct checker_host *host = question->host;
    if (!host->decides)
        return false;
    return before ? host->decides(host->self, sync_op->site, access) || takes_lock(question, sync_op, access)
                  : host->decides(host->self, access, sync_op->site);
}

/* The mover's own operations on that side, the nearest first that the other access may be ordered by: at the
 * named place of the source, if there is one. */
static bool try_side(const struct question *question, const struct pair *pair, int mover, bool before,
                     uint32_t site, uint64_t *work, uint32_t *out_site)
{
    const struct sync_log *sync_log = question->sync_log;
    const uint32_t own = pair->clock_snapshot[mover].at, other = pair->clock_snapshot[!mover].at;
    uint32_t tried = 0;
    for (uint32_t at = (own < other) == before ? own : other; before ? at > 0 : at < sync_log->count;
         at = before ? at - 1 : at + 1) {
        const uint32_t place = before ? at - 1 : at;
        const struct sync_op *sync_op = &sync_log->items[place];
        if (sync_op->by != pair->clock_snapshot[mover].unit || !is_own(sync_op))
            continue;
        if (holds_back(question, sync_op, pair->asked[mover]->site, before))
            return false;
        if (!is_release_clock_end(question, sync_op, before) || (site != NO_END && sync_op->site != site))
            continue;
        if (tried++ == OPERATIONS_TRIED || *work > WORK_OF_LAUNCH)
            return false;
        *work += sync_log->count;
        *out_site = sync_op->site;
        if (!at_one_place(question, pair->asked[mover]->site, sync_op->site) &&
            orders(question, pair, mover, place, before))
            return true;
    }
    return false;
}

static void say_place(const struct question *question, const struct side *side, uint32_t site,
                      struct wording *text)
{
    struct source_place place;
    question->host->place(question->host->self, site, &place);
    wording_place(text, question->host, site);
    if (on_one_line(question, side->access, side->operation))
        wording_add(text, ":%" PRIu32, place.column);
}

static void say_side(const struct question *question, const struct side *side, struct wording *why,
                     struct wording *fix)
{
    const struct checker_host *host = question->host;
    const char *access = host->what(host->self, side->access);
    wording_add(why, "the %s at ", access);
    say_place(question, side, side->access, why);
    wording_add(why, side->before ? " comes after the release at " : " comes before the acquire at ");
    say_place(question, side, side->operation, why);
    wording_add(why, side->before ? ", which publishes only what was done before it"
                                  : ", which orders only what is done after it");
    wording_add(fix, "the %s at ", access);
    say_place(question, side, side->access, fix);
    wording_add(fix, side->before ? " before " : " after ");
    say_place(question, side, side->operation, fix);
    struct code_change change = {.kind = CHANGE_MOVE, .site = side->access, .other = side->operation};
    change.place.side = side->before ? FENCE_BEFORE : FENCE_AFTER;
    wording_change(fix, &change);
}

bool explain_side(const struct question *question, uint64_t *work, struct side *out_side,
                  struct wording *out_why, struct wording *out_fix)
{
    const struct meeting *meeting = question->meetings;
    struct search search = {.question = question};
    *out_why = *out_fix = (struct wording){.used = 0};
    if (question->sync_log->full || meeting->first.unit >= UNIT_COPIES ||
        meeting->second.unit >= UNIT_COPIES || !search_locate(&search))
        return false;
    const struct pair pair = pair_of(&search, 0);
    for (int fast_path = 0; fast_path < WRONG_WAYS * 2; fast_path++) {
        uint32_t operation;
        if (!try_side(question, &pair, fast_path % 2, fast_path < WRONG_WAYS, NO_END, work, &operation))
            continue;
        *out_side = (struct side){pair.asked[fast_path % 2]->site, operation, fast_path < WRONG_WAYS, NO_END};
        say_side(question, out_side, out_why, out_fix);
        return true;
    }
    *out_side = (struct side){.operation = NO_END};
    return false;
}

/* ---- a value that was not the one that counts ---------------------------------------------------- */

/* A read before the one access, and the store after the other one that it did not see. */
struct host_dirty {
    uint32_t read, store;
};

static bool is_read_of(const struct sync_op *read, const struct sync_op *store)
{
    return is_atomic(read) && read->reads && is_atomic(store) && store->writes &&
           read->address == store->address && read->size == store->size;
}

/* The value would be no evidence, if it were the same. */
static bool differs(const struct sync_op *read, const struct sync_op *store)
{
    return read->values.has_read && store->values.has_written && read->values.read != store->values.written;
}

static bool would_order(const struct question *question, const struct pair *pair, int reader,
                        const struct host_dirty *host_dirty)
{
    const struct sync_op *items = question->sync_log->items, *read = &items[host_dirty->read],
                         *store = &items[host_dirty->store];
    const struct clock_snapshot late = {read->by, host_dirty->read};
    return is_read_of(read, store) && differs(read, store) &&
           host_dirty->read < pair->clock_snapshot[reader].at &&
           host_dirty->store >= pair->clock_snapshot[!reader].at &&
           again_read(question, &pair->clock_snapshot[!reader], host_dirty->store, &late,
                      pair->clock_snapshot[reader].at);
}

/* Its reads, the nearest to the access first, and the first store of the other one that each came too early
 * for: at the named places of the source, if there are some. */
static bool try_stale(const struct question *question, const struct pair *pair, int reader,
                      const struct side *named, uint64_t *work, struct host_dirty *out)
{
    const struct sync_log *sync_log = question->sync_log;
    const struct sync_op *items = sync_log->items;
    uint32_t tried = 0;
    for (out->read = pair->clock_snapshot[reader].at; out->read-- > 0;) {
        if (items[out->read].by != pair->clock_snapshot[reader].unit || !is_atomic(&items[out->read]) ||
            (named && items[out->read].site != named->operation))
            continue;
        const uint32_t least =
            out->read > pair->clock_snapshot[!reader].at ? out->read : pair->clock_snapshot[!reader].at;
        for (out->store = least; out->store < sync_log->count; out->store++) {
            if (items[out->store].by != pair->clock_snapshot[!reader].unit ||
                !is_read_of(&items[out->read], &items[out->store]) ||
                (named && items[out->store].site != named->store))
                continue;
            if (tried++ == OPERATIONS_TRIED || *work > WORK_OF_LAUNCH)
                return false;
            *work += sync_log->count;
            if (would_order(question, pair, reader, out))
                return true;
        }
    }
    return false;
}

/* NULL: none. */
static const struct sync_op *store_before(const struct question *question, const struct sync_op *read)
{
    const struct sync_op *items = question->sync_log->items;
    for (const struct sync_op *before = read; before-- > items;)
        if ((is_atomic(before) || before->kind == HAPPENED_OVERWRITE) && before->writes &&
            before->address < read->address + read->size && read->address < before->address + before->size)
            return before;
    return NULL;
}

static void say_stale(const struct question *question, const struct host_dirty *host_dirty, uint32_t access,
                      struct wording *why, struct wording *fix)
{
    const struct checker_host *host = question->host;
    const struct sync_op *read = &question->sync_log->items[host_dirty->read],
                         *store = &question->sync_log->items[host_dirty->store];
    const struct sync_op *before = store_before(question, read);
    const char *reads = is_release_clock_end(question, read, false) ? "acquire" : sync_op_noun(read);
    wording_add(why, "the %s at ", reads);
    wording_place(why, host, read->site);
    wording_add(why, " read %" PRIu64 ", ", read->values.read);
    wording_add(why, before ? "which the store at " : "the value before any atomic store");
    if (before) {
        wording_place(why, host, before->site);
        wording_add(why, " wrote");
    }
    wording_add(why, ", and not %" PRIu64 ", which the %s at ", store->values.written,
                is_release_clock_end(question, store, true) ? "release" : "store");
    wording_place(why, host, store->site);
    wording_add(why, " wrote after the other access: it came too early to order anything");
    wording_add(fix, "the %s at ", host->what(host->self, access));
    wording_place(fix, host, access);
    wording_add(fix, " only where the %s at ", reads);
    wording_place(fix, host, read->site);
    wording_add(fix, " has read what ");
    wording_place(fix, host, store->site);
    wording_add(fix, " writes: after a branch, or a loop that waits for it");
}

bool explain_stale(const struct question *question, uint64_t *work, struct side *out_side,
                   struct wording *out_why, struct wording *out_fix)
{
    const struct meeting *meeting = question->meetings;
    struct search search = {.question = question};
    struct host_dirty host_dirty;
    *out_why = *out_fix = (struct wording){.used = 0};
    *out_side = (struct side){.operation = NO_END};
    if (question->sync_log->full || meeting->first.unit >= UNIT_COPIES ||
        meeting->second.unit >= UNIT_COPIES || !search_locate(&search))
        return false;
    const struct pair pair = pair_of(&search, 0);
    for (int reader = 1; reader >= 0; reader--) {
        if (!try_stale(question, &pair, reader, NULL, work, &host_dirty))
            continue;
        *out_side = (struct side){pair.asked[reader]->site, question->sync_log->items[host_dirty.read].site,
                                  false, question->sync_log->items[host_dirty.store].site};
        say_stale(question, &host_dirty, out_side->access, out_why, out_fix);
        return true;
    }
    return false;
}

bool explain_side_covers(const struct question *question, const struct side *side)
{
    struct search search = {.question = question};
    struct host_dirty host_dirty;
    uint64_t work = 0;
    if (question->sync_log->full || !search_locate(&search))
        return true;
    for (uint32_t i = 0; i < search.meeting_count; i++) {
        const struct pair pair = pair_of(&search, i);
        const int mover = pair.asked[0]->site != side->access;
        uint32_t operation;
        if (side->store != NO_END) {
            if (!try_stale(question, &pair, mover, side, &work, &host_dirty))
                return false;
            continue;
        }
        if (!try_side(question, &pair, mover, side->before, side->operation, &work, &operation))
            return false;
    }
    return true;
}
