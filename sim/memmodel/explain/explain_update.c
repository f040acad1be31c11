/* SPDX-License-Identifier: Apache-2.0 */
/* Races between updates of one object, such as x = max(x, y): load and store become one atomic update. A
 * barrier between work-items would separate a load from its own store, and an atomic store would lose the
 * others' updates. */
#include "explain_state.h"
#include "orrery/checked.h"

#include "sim/base/memory_words.h"

enum { SIDES = 2 };

struct object_update {
    uint32_t load, store;
};

/* The updates that the plain accesses belong to; an atomic access needs none. One entry if both belong to
 * the same. False: an access belongs to no update. */
static bool find_updates(const struct question *question, struct object_update updates[SIDES],
                         uint32_t *out_count)
{
    const struct racing_access *const accesses[SIDES] = {&question->instances->first,
                                                         &question->instances->second};
    *out_count = 0;
    for (int side = 0; side < SIDES; side++) {
        const struct racing_access *access = accesses[side];
        struct object_update *update = &updates[*out_count];
        if (access->unit >= UNIT_COPIES || question->region == IN_IMAGE)
            return false;
        if (access->atomic)
            continue;
        if (!ASK(question, update, access->site, &update->load, &update->store))
            return false;
        *out_count += !*out_count || update->store != updates[0].store;
    }
    return *out_count > 0;
}

bool explain_is_update(const struct question *question)
{
    struct object_update updates[SIDES];
    uint32_t count;
    return find_updates(question, updates, &count) && count == 1;
}

static void say_rewrite(const struct question *question, uint32_t store, const struct code_rewrite *rewrite,
                        struct wording *fix)
{
    const struct checker_host *host = question->host;
    wording_add(fix, "%s", rewrite->function);
    if (strstr(rewrite->function, "_explicit"))
        wording_add(fix, " with memory_order_relaxed, %s",
                    memory_scope_word(launch_scope(question, question->region)));
    wording_add(fix, " at %s", AT_LINE(host, store, rewrite->edits[0].line));
    for (uint32_t i = 0; i < rewrite->edit_count; i++) {
        const struct code_edit *edit = &rewrite->edits[i];
        wording_add(fix, "%s%s in place of %s", i ? ", and " : ": ", edit->text[0] ? edit->text : "nothing",
                    edit->old[0] ? edit->old : "the statement");
        if (edit->line != rewrite->edits[0].line) {
            wording_add(fix, " at %s", AT_LINE(host, store, edit->line));
        }
    }
}

/* Does the source compile with the edits of all rewrites? */
static bool all_build(const struct checker_host *host, uint32_t site, const struct code_rewrite *rewrites,
                      uint32_t count)
{
    struct code_edit edits[REWRITES_MOST * CODE_EDITS_MOST];
    uint32_t edit_count = 0;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < rewrites[i].edit_count; k++)
            edits[edit_count++] = rewrites[i].edits[k];
    CHECKED(edit_count <= REWRITES_MOST * CODE_EDITS_MOST);
    return !host->builds || host->builds(host->self, site, edits, edit_count) == BUILDS;
}

bool explain_update(const struct question *question, bool commuting, struct proposal *proposal)
{
    const struct checker_host *host = question->host;
    const enum memory_scope scope = launch_scope(question, question->region);
    struct object_update updates[SIDES];
    uint32_t count;
    if (!find_updates(question, updates, &count))
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (!ASK(question, rewrite, updates[i].load, updates[i].store, question->region == IN_LOCAL,
                 scope == SCOPE_WORK_GROUP, &proposal->rewrites[i]) ||
            (commuting && !proposal->rewrites[i].commutes))
            return false;
    if (!all_build(host, updates[0].store, proposal->rewrites, count) ||
        !explain_atomics_cover(question, scope, &proposal->suggested))
        return false;
    proposal->rewrite_count = count;
    for (uint32_t i = 0; i < count; i++) {
        wording_add(&proposal->fix, "%s", i ? ", and " : "");
        say_rewrite(question, updates[i].store, &proposal->rewrites[i], &proposal->fix);
    }
    return true;
}

bool explain_update_advice(const struct question *question, struct wording *fix)
{
    struct object_update updates[SIDES];
    uint32_t count;
    if (!find_updates(question, updates, &count) || count != 1)
        return false;
    wording_add(fix,
                "one atomic update, such as atomic_inc, atomic_max or a loop with atomic_cmpxchg, for the "
                "read at %s and the write at %s",
                AT(question->host, updates[0].load), AT(question->host, updates[0].store));
    if (question->instances->first.size < 4)
        wording_add(fix, ", of an object of 4 bytes: smaller ones have no atomic functions");
    return true;
}
