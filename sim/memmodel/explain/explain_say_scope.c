/* SPDX-License-Identifier: Apache-2.0 */
/* Sentences about scopes, and about the flags of fences. Before OpenCL 3.1 both ends of an edge need the
 * same scope (R10), so a sentence may have to name both. */
#include "explain_say.h"

void explain_say_flags(const struct edit_words *words, const struct edit *edit)
{
    const struct edit_spot *spot = &words->search->spots[edit->spot];
    int region = words->question->region;
    wording_add(words->why, "the %s at %s has %s", explain_noun(spot->sample), AT_SPOT(words, edit->spot),
                REGIONS(spot->sample->regions));
    wording_add(words->why,
                spot->sample->regions ? " only; these are %s accesses"
                                      : ": it orders no memory; these are %s accesses",
                wording_space_word(region));
    wording_add(words->fix, "%s at %s", REGIONS(spot->sample->regions | 1u << region),
                AT_SPOT(words, edit->spot));
    edit_words_fix_call(words, edit->spot, spot->sample->regions | 1u << region, NOT_GIVEN, NOT_GIVEN,
                        NOT_GIVEN);
}

/* Would the edge exist if the other end had the scope of this one? */
static bool scope_reaches(const struct edit_words *words, const struct sync_op *end,
                          const struct sync_op *other)
{
    const struct launch_info *launch = words->question->launch;
    const enum memory_scope scope = (enum memory_scope)end->scope;
    if (words->question->rule != SCOPE_RULE_EQUAL || is_barrier(end) || is_barrier(other) ||
        end->scope == other->scope)
        return false;
    const struct place a = edges_unit_place(launch, end->by), b = edges_unit_place(launch, other->by);
    return scope_inclusive(SCOPE_RULE_EQUAL, scope, &a, scope, &b);
}

/* Where the racing accesses are atomics themselves: an entry of the one that is not at the site. NULL: they
 * are not. */
static const struct sync_op *racing_end(const struct edit_words *words, uint32_t site)
{
    const struct edit_search *search = words->search;
    const struct racing_access *first = &search->question->instances->first,
                               *second = &search->question->instances->second;
    if (!first->atomic || !second->atomic || (site != first->site && site != second->site))
        return NULL;
    for (uint32_t i = 0; i < search->spot_count; i++)
        if (search->spots[i].site != site &&
            search->spots[i].site == (site == first->site ? second->site : first->site))
            return search->spots[i].sample;
    return NULL;
}

/* The other end of the edge, where the only fault is that the two scopes differ (R10). NULL: it is another
 * fault. */
static const struct sync_op *differing_end(const struct edit_words *words, const struct edit *edit)
{
    const struct edit_search *search = words->search;
    const struct edit_spot *spot = &search->spots[edit->spot];
    const bool is_head =
        words->head && search->spot_of[words->head - search->question->sync_log->items] == edit->spot;
    const struct sync_op *own = is_head ? words->head : words->tail,
                         *other = is_head ? words->tail : words->head;
    if (!other && words->alone && (other = racing_end(words, spot->site)))
        own = spot->sample;
    return other && scope_reaches(words, own, other) ? other : NULL;
}

static uint64_t group_of(const struct edit_words *words, const struct sync_op *sample)
{
    return is_own(sample) ? unit_group(words->question, sample->by) : sample->by;
}

static void say_end(const struct edit_words *words, const struct sync_op *end)
{
    const enum memory_scope scope = (enum memory_scope)end->scope;
    wording_add(words->why, "the %s at %s has %s", edit_words_role(words, end),
                AT(words->question->host, end->site), SCOPE(scope, sync_op_scope(end)));
}

static void say_differing(const struct edit_words *words, const struct sync_op *end,
                          const struct sync_op *other)
{
    say_end(words, end);
    wording_add(words->why, ", and ");
    say_end(words, other);
    wording_add(words->why, words->head ? ": before OpenCL 3.1 both ends of an edge need the same scope"
                                        : ": before OpenCL 3.1 the two must be the same");
}

void explain_say_scope(const struct edit_words *words, const struct edit *edit)
{
    const struct sync_op *sample = words->search->spots[edit->spot].sample,
                         *other = differing_end(words, edit);
    if (other) {
        say_differing(words, sample, other);
        return;
    }
    wording_add(words->why, "the %s at %s has %s", edit_words_role(words, sample), AT_SPOT(words, edit->spot),
                memory_scope_word((enum memory_scope)sample->scope));
    if (sample->scope == SCOPE_WORK_ITEM) {
        wording_add(words->why, ": it reaches no other work-item");
    } else if (sample->scope <= SCOPE_WORK_GROUP) {
        wording_add(words->why, ": it reaches %s%s only",
                    sample->scope == SCOPE_SUB_GROUP ? "its sub-group of " : "",
                    WORK_GROUP(words->question->launch, group_of(words, sample)));
    } else if (sample->scope != edit->scope) {
        wording_add(words->why, ": before OpenCL 3.1 both ends of an edge need the same scope");
    }
}

static void say_both(const struct edit_words *words, const struct edit *from, const struct edit *to)
{
    const struct sync_op *head = words->search->spots[from->spot].sample,
                         *tail = words->search->spots[to->spot].sample;
    const uint64_t group = group_of(words, tail);
    if (scope_reaches(words, head, tail)) {
        say_differing(words, head, tail);
        return;
    }
    explain_say_scope(words, from);
    wording_add(words->why, ", and the %s at %s", edit_words_role(words, tail), AT_SPOT(words, to->spot));
    if (head->scope > SCOPE_WORK_ITEM && tail->scope > SCOPE_WORK_ITEM && tail->scope <= SCOPE_WORK_GROUP &&
        group != group_of(words, head)) {
        wording_add(words->why, " that meets it is in %s", WORK_GROUP(words->question->launch, group));
    } else {
        wording_add(words->why, " has %s", memory_scope_word((enum memory_scope)tail->scope));
    }
}

/* Two edits of scopes, for the two ends of one edge. */
void explain_say_scopes(const struct edit_words *words, const struct edit edits[2])
{
    bool swapped = edit_words_are_backward(words, edits);
    const struct edit *from = &edits[swapped], *to = &edits[!swapped];
    say_both(words, from, to);
    edit_words_fix_function(words, from->spot);
    wording_add(words->fix, "%s at %s and ", memory_scope_word(from->scope), AT_SPOT(words, from->spot));
    if (is_fence(words->search->spots[to->spot].sample) &&
        edit_words_is_old_fence(edit_words_text(words, to->spot)) &&
        !edit_words_is_old_fence(edit_words_text(words, from->spot)))
        wording_add(words->fix, "an atomic_work_item_fence with it at ");
    wording_add(words->fix, "%s", AT_SPOT(words, to->spot));
    edit_words_fix_call(words, from->spot, 0, NOT_GIVEN, NOT_GIVEN, (int)from->scope);
    edit_words_fix_call(words, to->spot, 0, NOT_GIVEN, NOT_GIVEN, (int)from->scope);
}
