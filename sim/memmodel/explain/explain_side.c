/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An access on the wrong side of a synchronising operation of its own work-item: after the release that
 * should publish it, or before the acquire that it should follow. Or it is on the right side of an acquire
 * that executed too early to read the value. The log is replayed with the access, or with the read and all
 * up to the access, at another place.
 */
#include "explain_replay.h"

#include <inttypes.h>

enum { OPERATIONS_TRIED = 8 };

/* The two accesses of an instance, and where in the log they are. */
struct side_pair {
    const struct racing_access *accesses[2];
    uint32_t at[2];
};

static struct side_pair pair_of(const struct question *question, uint32_t index)
{
    const struct race_instance *instance = &question->instances[index];
    return (struct side_pair){{&instance->first, &instance->second}, {instance->first_at, instance->end}};
}

/* On one line, also on an unknown one. */
static bool on_one_line(const struct question *question, uint32_t a, uint32_t b)
{
    return code_same_line(question->host, a, b) ||
           (!code_source(question->host, a).line && !code_source(question->host, b).line);
}

/* Are the two operations at one place? Then a sentence cannot distinguish them. */
static bool at_one_place(const struct question *question, uint32_t a, uint32_t b)
{
    const uint32_t x = code_source(question->host, a).column, y = code_source(question->host, b).column;
    return on_one_line(question, a, b) && (x == y || !x || !y);
}

/* Does the first access happen before the second if the mover's access is on the other side of log entry
 * `at`? before: the mover's access is then before the entry, and has to happen before the other one. */
static bool orders(const struct question *question, const struct side_pair *pair, int mover, uint32_t at,
                   bool before)
{
    const struct clock_snapshot moved = {pair->accesses[mover]->unit, before ? at : at + 1},
                                other = {pair->accesses[!mover]->unit, pair->at[!mover]};
    const struct clock_snapshot *from = before ? &moved : &other, *to = before ? &other : &moved;
    return replay_happens_before(question, from, NULL, to);
}

static bool takes_lock(const struct question *question, const struct sync_op *sync_op, uint32_t site)
{
    return sync_op->reads && sync_op->writes && ASK(question, spins_on, sync_op->site, site);
}

/* Does the access depend on the value read there, or the read on the access? Then they cannot change
 * places. */
static bool depends_on(const struct question *question, const struct sync_op *sync_op, uint32_t access,
                       bool before)
{
    if (!before)
        return ASK(question, decides, access, sync_op->site);
    return ASK(question, decides, sync_op->site, access) ||
           (question->host->decides && takes_lock(question, sync_op, access));
}

/* The mover's own releases before its access (before), or acquires after it, the nearest first. It starts at
 * the access or, if that is farther, at the other access: operations between them order nothing. site: only
 * operations of that place count; NO_END: all. */
static bool try_side(const struct question *question, const struct side_pair *pair, int mover, bool before,
                     uint32_t site, uint64_t *work, uint32_t *out_site)
{
    const struct sync_log *sync_log = question->sync_log;
    const uint32_t own = pair->at[mover], other = pair->at[!mover];
    uint32_t tried = 0;
    for (uint32_t at = (own < other) == before ? own : other; before ? at > 0 : at < sync_log->count;
         at = before ? at - 1 : at + 1) {
        const uint32_t place = before ? at - 1 : at;
        const struct sync_op *sync_op = &sync_log->items[place];
        if (sync_op->by != pair->accesses[mover]->unit || !is_own(sync_op))
            continue;
        if (depends_on(question, sync_op, pair->accesses[mover]->site, before))
            return false;
        if (!explain_is_release_or_acquire(question, sync_op, before) ||
            (site != NO_END && sync_op->site != site))
            continue;
        if (tried++ == OPERATIONS_TRIED || *work > WORK_OF_LAUNCH)
            return false;
        *work += sync_log->count;
        *out_site = sync_op->site;
        if (!at_one_place(question, pair->accesses[mover]->site, sync_op->site) &&
            orders(question, pair, mover, place, before))
            return true;
    }
    return false;
}

static void say_place(const struct question *question, const struct side *side, uint32_t site,
                      struct wording *text)
{
    wording_add(text, "%s", AT(question->host, site));
    if (on_one_line(question, side->access, side->operation))
        wording_add(text, ":%" PRIu32, code_source(question->host, site).column);
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

bool explain_side(const struct question *question, struct proposal *out_proposal)
{
    if (question->sync_log->full || is_by_copy(question->instances))
        return false;
    const struct side_pair pair = pair_of(question, 0);
    for (int attempt = 0; attempt < 4; attempt++) { /* each access before a release, then after an acquire */
        const int mover = attempt % 2;
        const bool before = attempt < 2;
        uint32_t operation;
        if (!try_side(question, &pair, mover, before, NO_END, question->spent, &operation))
            continue;
        const struct side side = {pair.accesses[mover]->site, operation, before, NO_END};
        out_proposal->suggested = (struct suggested_fix){.kind = FIX_SIDE, .side = side};
        say_side(question, &side, &out_proposal->why, &out_proposal->fix);
        return true;
    }
    return false;
}

/* ---- a read that came too early ------------------------------------------------------------------ */

/* A read before one access, and the store after the other access whose value it did not get. Both index the
 * log. */
struct early_read {
    uint32_t read, store;
};

static bool is_read_of(const struct sync_op *read, const struct sync_op *store)
{
    const bool same_object = read->address == store->address && read->size == store->size,
               loads = is_atomic(read) && read->reads, stores = is_atomic(store) && store->writes;
    return same_object && loads && stores;
}

/* A read of the same value may have been a read of that store. */
static bool differs(const struct sync_op *read, const struct sync_op *store)
{
    return read->values.has_read && store->values.has_written && read->values.read != store->values.written;
}

/* Does the work-item wait at that barrier? It cannot put off a read until after it. */
static bool is_barrier_of(const struct question *question, const struct sync_op *sync_op, uint64_t unit)
{
    return sync_op->kind == SYNC_OP_BARRIER && sync_op->by == unit_group(question, unit);
}

/* The reader's reads, the nearest to its access first, each with the other unit's first store after it.
 * named: only reads and stores of these places count; NULL: all. */
static bool try_early_read(const struct question *question, const struct side_pair *pair, int reader,
                           const struct side *named, uint64_t *work, struct early_read *out)
{
    const struct sync_log *sync_log = question->sync_log;
    const struct sync_op *items = sync_log->items;
    const struct clock_snapshot other = {pair->accesses[!reader]->unit, pair->at[!reader]};
    uint32_t tried = 0;
    for (out->read = pair->at[reader]; out->read-- > 0;) {
        if (items[out->read].by != pair->accesses[reader]->unit || !is_atomic(&items[out->read]) ||
            (named && items[out->read].site != named->operation))
            continue;
        const uint32_t least = out->read > pair->at[!reader] ? out->read : pair->at[!reader];
        for (out->store = out->read;
             out->store < sync_log->count &&
             !is_barrier_of(question, &items[out->store], pair->accesses[reader]->unit);
             out->store++) {
            if (out->store < least || items[out->store].by != pair->accesses[!reader]->unit ||
                !is_read_of(&items[out->read], &items[out->store]) ||
                (named && items[out->store].site != named->store))
                continue;
            if (tried++ == OPERATIONS_TRIED || *work > WORK_OF_LAUNCH)
                return false;
            *work += sync_log->count;
            if (differs(&items[out->read], &items[out->store]) &&
                replay_late_read(question, &other, out->store,
                                 &(struct clock_snapshot){pair->accesses[reader]->unit, out->read},
                                 pair->at[reader]))
                return true;
        }
    }
    return false;
}

/* The latest store before the read that overlaps it; NULL: none. */
static const struct sync_op *store_before(const struct question *question, const struct sync_op *read)
{
    const struct sync_op *items = question->sync_log->items;
    for (const struct sync_op *before = read; before-- > items;) {
        const bool is_store = before->writes && (is_atomic(before) || before->kind == SYNC_OP_OVERWRITE);
        if (is_store && before->address < read->address + read->size &&
            read->address < before->address + before->size)
            return before;
    }
    return NULL;
}

static void say_early_read(const struct question *question, const struct early_read *early, uint32_t access,
                           struct wording *why, struct wording *fix)
{
    const struct checker_host *host = question->host;
    const struct sync_op *read = &question->sync_log->items[early->read],
                         *store = &question->sync_log->items[early->store];
    const struct sync_op *before = store_before(question, read);
    const char *reads = explain_is_release_or_acquire(question, read, false) ? "acquire" : explain_noun(read);
    wording_add(why, "the %s at %s read %" PRIu64 ", %s", reads, AT(host, read->site), read->values.read,
                before ? "which the store at " : "the value before any atomic store");
    if (before) {
        wording_add(why, "%s wrote", AT(host, before->site));
    }
    wording_add(why,
                ", and not %" PRIu64
                ", which the %s at %s wrote after the other access: it came too early to order anything",
                store->values.written,
                explain_is_release_or_acquire(question, store, true) ? "release" : "store",
                AT(host, store->site));
    wording_add(fix,
                "the %s at %s only where the %s at %s has read what %s writes: after a branch, or a loop "
                "that waits for it",
                host->what(host->self, access), AT(host, access), reads, AT(host, read->site),
                AT(host, store->site));
}

bool explain_early_read(const struct question *question, struct proposal *out_proposal)
{
    const struct sync_op *items = question->sync_log->items;
    struct early_read early;
    if (question->sync_log->full || is_by_copy(question->instances))
        return false;
    const struct side_pair pair = pair_of(question, 0);
    for (int reader = 1; reader >= 0; reader--) {
        if (!try_early_read(question, &pair, reader, NULL, question->spent, &early))
            continue;
        const struct side side = {pair.accesses[reader]->site, items[early.read].site, false,
                                  items[early.store].site};
        out_proposal->suggested = (struct suggested_fix){.kind = FIX_SIDE, .side = side};
        say_early_read(question, &early, side.access, &out_proposal->why, &out_proposal->fix);
        return true;
    }
    return false;
}

bool explain_side_covers(const struct question *question, const struct side *side)
{
    struct early_read early;
    uint64_t work = 0;
    for (uint32_t i = 0; i < question->instance_count && !question->sync_log->full; i++) {
        const struct side_pair pair = pair_of(question, i);
        const int mover = pair.accesses[0]->site != side->access;
        uint32_t operation;
        if (side->store != NO_END) {
            if (!try_early_read(question, &pair, mover, side, &work, &early))
                return false;
            continue;
        }
        if (!try_side(question, &pair, mover, side->before, side->operation, &work, &operation))
            return false;
    }
    return true;
}
