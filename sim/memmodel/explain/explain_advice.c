/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Advice: what is written where no candidate of explain_fix() orders the accesses, since the change is more
 * than a replay of the log can test.
 */
#include "explain_accesses.h"
#include "sim/base/memory_words.h"

/* Would some work-items not reach a barrier between the accesses, because of branches or a return? */
static bool is_branched(const struct question *question)
{
    const struct race_instance *instance = question->instances;
    const bool plain = !instance->first.atomic && !instance->second.atomic;
    struct code_order order;
    if (!plain || !accesses_in_one_group(question, instance) || accesses_of_one_operator(question))
        return false;
    if (!accesses_code_order(question, &order) || !order.branched)
        return false;
    return !accesses_on_one_line(question) || accesses_in_line(question, &order);
}

/* The latest atomic at the site that releases; NULL: none. */
static const struct sync_op *release_at(const struct question *question, uint32_t site)
{
    const struct sync_log *sync_log = question->sync_log;
    for (uint32_t at = sync_log->full ? 0 : sync_log->count; at-- > 0;)
        if (sync_log->items[at].site == site && is_atomic(&sync_log->items[at]) &&
            explain_is_release_or_acquire(question, &sync_log->items[at], true))
            return &sync_log->items[at];
    return NULL;
}

/* A lock between work-groups: wider scopes for its operations, as far as they are narrower than the
 * device. */
static bool advise_scopes(const struct question *question, const struct sync_op *release, struct wording *fix)
{
    enum { PLACES_MOST = 4 };
    const struct sync_log *sync_log = question->sync_log;
    uint32_t sites[PLACES_MOST], count = 0;
    for (uint32_t at = 0; at < sync_log->count && count < PLACES_MOST; at++) {
        const struct sync_op *sync_op = &sync_log->items[at];
        bool reported = !is_atomic(sync_op) || sync_op->address != release->address ||
                        sync_op_scope(sync_op) >= SCOPE_DEVICE;
        for (uint32_t i = 0; i < count; i++)
            reported |= sites[i] == sync_op->site;
        if (!reported)
            sites[count++] = sync_op->site;
    }
    for (uint32_t i = 0; i < count; i++) {
        wording_add(fix, "%s%s",
                    i == 0          ? "memory_scope_device at "
                    : i + 1 < count ? ", "
                                    : " and ",
                    AT(question->host, sites[i]));
    }
    return count > 0;
}

/* Both accesses are made under one lock: its release needs an order, or a scope. */
static bool advise_unlock(const struct question *question, struct wording *fix)
{
    const struct race_instance *instance = question->instances;
    struct code_place place;
    const struct lock *lock = ASK(question, between, instance->first.site, instance->second.site, &place)
                                  ? lock_held_at(question, &place)
                                  : NULL;
    const struct sync_op *release = lock ? release_at(question, lock->store) : NULL;
    if (release)
        return release->region != IN_LOCAL && !accesses_in_one_group(question, instance) &&
               advise_scopes(question, release, fix);
    if (!lock || lock->flags)
        return false;
    wording_add(fix, "an atomic store with memory_order_release where the lock is released, at %s",
                AT(question->host, lock->store));
    return true;
}

/* For a statement in a loop whose iterations the two work-items do not execute together: it is unknown
 * whether the accesses were of one iteration. */
static bool advise_iterations(const struct question *question, struct wording *fix)
{
    const uint32_t first = question->instances->first.site, second = question->instances->second.site;
    struct suggested_fix suggested_fix = {.kind = FIX_NEXT_ITERATION};
    if (question->one_wave || (!ASK(question, next_iteration, first, second, &suggested_fix.place) &&
                               !ASK(question, next_iteration, second, first, &suggested_fix.place)))
        return false;
    if (lock_held_at(question, &suggested_fix.place))
        return false;
    explain_say_iterations(question, &suggested_fix, fix);
    wording_add(fix, "; if the two are of one iteration, read into a variable, too, with another barrier "
                     "before the write");
    return true;
}

/* A read and a later write of the same one of two buffers that alternate: the write was meant for the
 * other. */
bool explain_other_buffer(const struct question *question, struct wording *fix)
{
    const struct race_instance *instance = question->instances;
    const bool second_writes = instance->second.writes;
    const uint32_t read = second_writes ? instance->first.site : instance->second.site,
                   write = second_writes ? instance->second.site : instance->first.site;
    struct code_order order;
    char name[CHECKER_NAME_CHARS];
    const bool plain = !instance->first.atomic && !instance->second.atomic;
    if (instance->first.writes == second_writes || !plain || !ASK(question, order, read, write, &order) ||
        order.first != 0 || !ASK(question, other_buffer, read, write, name, sizeof name))
        return false;
    wording_add(fix, "%s, the other buffer, for the write at %s", name, AT(question->host, write));
    wording_change(fix, &(struct code_change){.kind = CHANGE_BUFFER, .site = write, .other = read});
    return true;
}

/* Is each access in a loop whose condition differs between work-items? No barrier fits there. */
static bool is_uneven(const struct question *question)
{
    const struct checker_host *host = question->host;
    return host->even && !host->even(host->self, question->instances->first.site) &&
           !host->even(host->self, question->instances->second.site);
}

static bool advise_uneven(const struct question *question, struct wording *fix)
{
    if (question->region == IN_IMAGE || !is_uneven(question) ||
        !accesses_in_one_group(question, question->instances))
        return false;
    wording_add(fix, "atomic operations, or let each byte belong to one work-item: no barrier fits in a loop "
                     "whose condition "
                     "differs between work-items");
    return true;
}

bool explain_advice(const struct question *question, struct proposal *out_proposal)
{
    struct wording *fix = &out_proposal->fix;
    struct code_order order;
    if (advise_unlock(question, fix) || explain_other_buffer(question, fix))
        return true;
    if (explain_is_single_update(question) && explain_update_advice(question, fix))
        return true;
    if (accesses_are_stores_of_all(question)) {
        wording_add(fix, "let one work-item do both, or let each byte belong to one work-item");
        return true;
    }
    if (advise_uneven(question, fix))
        return true;
    if (question->region != IN_IMAGE && is_branched(question)) {
        wording_add(
            fix,
            "take the two apart, with work_group_barrier(%s) between them outside of any branch, and before "
            "any return, "
            "that only some work-items of the work-group take, or let each byte belong to one work-item",
            wording_region_flag(question->region));
        return true;
    }
    if (question->region != IN_IMAGE && accesses_in_one_group(question, question->instances) &&
        accesses_in_line(question, &order)) {
        explain_barrier_say_in_line(question, &order, fix);
        wording_add(fix, ", where all work-items reach it; in a loop, wait before the next iteration, too");
        return true;
    }
    if (question->region == IN_IMAGE && question->instances->first.site == question->instances->second.site) {
        wording_add(fix, "let one work-item do it, or let each texel belong to one work-item");
        return true;
    }
    if (question->region == IN_IMAGE ||
        (!accesses_on_one_line(question) && !accesses_read_then_write(question)))
        return false;
    if (accesses_of_one_operator(question)) {
        wording_add(fix, accesses_all_write(question)
                             ? "let one work-item do it, or let each byte belong to one work-item"
                             : "let each byte belong to one work-item");
        return true;
    }
    if (!accesses_in_one_group(question, question->instances))
        return false;
    if (advise_iterations(question, fix))
        return true;
    wording_add(fix,
                "read into a variable, work_group_barrier(%s) where all work-items reach it, and write after "
                "it, at %s; in a loop, wait before the next iteration, too",
                wording_region_flag(question->region), AT(question->host, question->instances->second.site));
    return true;
}
