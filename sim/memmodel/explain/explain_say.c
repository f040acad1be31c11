/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Why and fix of an edit as sentences. Each kind of edit has a function say_x() that writes to both and
 * records the change of the code. The sentences of scopes and release sequences name both ends of the edge
 * that the edit completes: these are found on a path of edges through the edited log (find_ends).
 */
#include "explain_say.h"

#include <stdlib.h>
#include <string.h>

/* Of a failed compare-exchange the order for failure counts. The order for success must be no weaker. */
static void say_failure(const struct edit_words *words, const struct edit *edit)
{
    const struct sync_op *failed = words->search->spots[edit->spot].failed;
    const enum memory_ordering success = (enum memory_ordering)(failed->success - 1);
    wording_add(words->why,
                "the compare-exchange at %s failed, and has %s for failure: what the store published does "
                "not become visible by it",
                AT_SPOT(words, edit->spot), memory_order_word((enum memory_ordering)failed->order));
    if (edit->success == ORDER_ACQ_REL && success != ORDER_ACQ_REL && success != ORDER_RELEASE)
        wording_add(words->why,
                    "; it has %s for success: what was written before it does not become visible with it",
                    memory_order_word(success));
    edit_words_fix_function(words, edit->spot);
    if (edit->success == edit->order && success != edit->success)
        wording_add(words->fix, "%s for success and failure", memory_order_word(edit->order));
    else if (success != edit->success)
        wording_add(words->fix, "%s for success and %s for failure", memory_order_word(edit->success),
                    memory_order_word(edit->order));
    else
        wording_add(words->fix, "%s for failure", memory_order_word(edit->order));
}

static void say_order(const struct edit_words *words, const struct edit *edit)
{
    const struct sync_op *sample = words->search->spots[edit->spot].sample;
    if (edit->fails) {
        say_failure(words, edit);
    } else {
        wording_add(words->why, "the %s at %s", explain_noun(sample), AT_SPOT(words, edit->spot));
        if (is_fence(sample))
            wording_add(words->why, " has %s only", memory_order_word((enum memory_ordering)sample->order));
        else
            wording_add(words->why, " is %s: %s", wording_order((enum memory_ordering)sample->order),
                        edit_words_acquires(words, edit)
                            ? "what the store published does not become visible by it"
                            : "what was written before it does not become visible with it");
        edit_words_fix_function(words, edit->spot);
        wording_add(words->fix, "%s", memory_order_word(edit->order));
    }
    const bool scoped = edit->kind == EDIT_ORDER_AND_SCOPE;
    if (scoped)
        wording_add(words->fix, ", %s", memory_scope_word(edit->scope));
    wording_add(words->fix, " at %s", AT_SPOT(words, edit->spot));
    edit_words_fix_call(words, edit->spot, 0, (int)(edit->fails ? edit->success : edit->order),
                        edit->fails ? (int)edit->order : NOT_GIVEN, scoped ? (int)edit->scope : NOT_GIVEN);
}

static void say_edit(const struct edit_words *words, const struct edit *edit)
{
    const struct sync_op *sample = words->search->spots[edit->spot].sample;
    switch (edit->kind) {
    case EDIT_FLAGS: explain_say_flags(words, edit); break;
    case EDIT_SCOPE:
        explain_say_scope(words, edit);
        edit_words_fix_function(words, edit->spot);
        wording_add(words->fix, "%s at %s", memory_scope_word(edit->scope), AT_SPOT(words, edit->spot));
        edit_words_fix_call(words, edit->spot, 0, NOT_GIVEN, NOT_GIVEN, (int)edit->scope);
        break;
    case EDIT_FENCE: explain_say_fence(words, edit); break;
    case EDIT_FENCES: explain_say_fences(words, edit); break;
    case EDIT_STORE: explain_say_store(words, edit); break;
    case EDIT_UPDATE: explain_say_update(words, edit); break;
    case EDIT_MOVE:
        wording_add(words->why, "the %s at %s%s", edit_words_role(words, sample), AT_SPOT(words, edit->spot),
                    moves_forward(sample) ? " comes before the atomic that reads the flag"
                                          : " comes after the atomic that sets the flag");
        words->fix->partial = true;
        wording_add(words->fix, "the fence of %s%s", AT_SPOT(words, edit->spot),
                    moves_forward(sample) ? " after that atomic" : " before that atomic");
        break;
    default: say_order(words, edit); break;
    }
}

/* Two seq_cst operations (R16): read literally, an atomic on a flag in local memory is no global action, so
 * no chain of global happens-before goes through it. A reader who relies on the intent has to learn that. */
static bool is_sequential(const struct edit_words *words, const struct edit *edits, uint32_t count)
{
    bool all = count == 2;
    for (uint32_t i = 0; i < count; i++)
        all &= edits[i].kind == EDIT_FENCES &&
               words->search->spots[edits[i].spot].sample->order == ORDER_SEQ_CST;
    return all;
}

/* Does the edit complete the edge? It changes one of the ends, or the store between them (EDIT_UPDATE). */
static bool is_completed(const struct edit_words *words, const struct edit *edit, const struct sync_op *head,
                         const struct sync_op *tail)
{
    const struct edit_search *search = words->search;
    const struct sync_op *items = search->question->sync_log->items,
                         *sample = search->spots[edit->spot].sample;
    return edit->kind == EDIT_UPDATE
               ? head->by != sample->by && tail->by != sample->by
               : search->spot_of[head - items] == edit->spot || search->spot_of[tail - items] == edit->spot;
}

static void find_ends(struct edit_words *words, struct edit_search *search, const struct found_edits *found)
{
    const struct sync_op *items = search->question->sync_log->items;
    uint32_t count;
    struct edge *path = edit_search_path(search, found, &count);
    for (uint32_t i = 0; i < count && !words->head; i++) {
        const struct sync_op *head = &items[path[i].from.at], *tail = &items[path[i].to.at];
        if (!is_completed(words, &found->edits[0], head, tail))
            continue;
        words->head = head;
        words->tail = tail;
    }
    free(path);
}

void explain_say_edits(struct edit_search *search, const struct found_edits *found, struct answer *answer)
{
    const struct edit *edits = found->edits;
    const uint32_t count = found->count;
    struct edit_words with = {.search = search,
                              .question = search->question,
                              .why = &answer->proposal.why,
                              .fix = &answer->proposal.fix,
                              .found = found,
                              .alone = count == 1};
    const struct edit_words *words = &with;
    bool scopes = count == 2 && edits[0].kind == EDIT_SCOPE && edits[1].kind == EDIT_SCOPE;
    bool fences = false;
    if (scopes) {
        explain_say_scopes(words, edits);
        return;
    }
    if (count == 1 && (edits[0].kind == EDIT_SCOPE || edits[0].kind == EDIT_UPDATE))
        find_ends(&with, search, found);
    const bool backward = count == 2 && edit_words_are_backward(words, edits),
               once = explain_say_has_one_flag(words, edits, count);
    for (uint32_t i = 0; i < count; i++) {
        const struct edit *edit = &edits[backward ? count - 1 - i : i];
        const bool reported = i && once;
        wording_add(words->why, "%s", i && !reported ? ", and " : "");
        if (explain_say_flag_of(words, edit) && !reported)
            explain_say_flag(words, edit, once ? &edits[backward ? 0 : 1] : NULL);
        wording_add(words->fix, "%s", i ? ", and " : "");
        say_edit(words, edit);
        fences |= edit->kind == EDIT_FENCES;
    }
    if (fences)
        wording_add(words->why,
                    ": only fences with both flags on both sides order one memory by the other (seq_cst "
                    "alone does not)");
    if (is_sequential(words, edits, count))
        wording_add(
            words->why,
            ". Only the intent of 3.3.6, Atomic Operations, orders the data here (of two seq_cst operations: "
            "\"If X "
            "local-synchronizes-with or global-synchronizes-with Y then X both local-synchronizes-with Y and "
            "global-synchronizes-with Y\"): by its letter they are no actions of that memory, and order "
            "nothing in it");
}
