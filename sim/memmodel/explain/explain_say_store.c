/* SPDX-License-Identifier: Apache-2.0 */
/* Sentences about stores that release too little: a plain one, and one that broke a release sequence. */
#include "explain_say.h"

/* The head of the release sequence that the store broke; NULL: unknown. */
static const struct sync_op *head_of_sequence(const struct edit_words *words, const struct sync_op *store)
{
    const struct sync_log *sync_log = words->question->sync_log;
    for (const struct sync_op *head = words->head; head && head < sync_log->items + sync_log->count; head++)
        if (is_atomic(head) && head->writes && head->by == words->head->by && head->address == store->address)
            return head->by != store->by ? head : NULL;
    return NULL;
}

/* The latest release fence of the store's work-item before the store; NULL: none. */
static const struct sync_op *fence_before_store(const struct edit_words *words, const struct sync_op *store)
{
    const struct sync_op *items = words->question->sync_log->items, *found = NULL;
    for (const struct sync_op *before = items; before < store; before++)
        if (is_fence(before) && before->by == store->by && before->order != ORDER_RELAXED &&
            before->order != ORDER_ACQUIRE)
            found = before;
    return found;
}

/* Does the store release: by itself, or by a fence before it? */
static bool releases_something(const struct edit_words *words, const struct sync_op *store)
{
    return is_atomic(store) &&
           (has_order((enum memory_ordering)store->order, true) || fence_before_store(words, store));
}

/* The fix is a store with release, although a relaxed one after the fence would do: it has to be the same
 * fix as for the race on the flag itself. */
void explain_say_store(const struct edit_words *words, const struct edit *edit)
{
    const struct question *question = words->question;
    const struct sync_op *sample = words->search->spots[edit->spot].sample,
                         *fence = fence_before_store(words, sample);
    wording_add(words->why, "the store at %s is plain: ", AT_SPOT(words, edit->spot));
    if (fence) {
        wording_add(words->why,
                    "the fence at %s has no atomic after it that would release what was written before",
                    AT(question->host, fence->site));
    } else {
        wording_add(words->why, "it releases nothing");
    }
    wording_add(words->fix, "atomic_store_explicit with memory_order_release, %s at %s",
                memory_scope_word(edit->scope), AT_SPOT(words, edit->spot));
    wording_access_change(words->fix, words->search->spots[edit->spot].site, true,
                          question->region == IN_LOCAL, ORDER_RELEASE, edit->scope);
}

void explain_say_update(const struct edit_words *words, const struct edit *edit)
{
    const struct sync_op *sample = words->search->spots[edit->spot].sample,
                         *head = head_of_sequence(words, sample);
    wording_add(words->why, "the store at %s broke the release sequence", AT_SPOT(words, edit->spot));
    if (head && words->search->spot_of[head - words->question->sync_log->items] == edit->spot) {
        wording_add(words->why, " of another work-item's there");
    } else if (head) {
        wording_add(words->why, " of %s", AT(words->question->host, head->site));
    }
    wording_add(words->why, releases_something(words, sample)
                                ? ": its value was read, and it released what its "
                                  "own work-item had done or acquired before it, no more"
                                : ": its value was read, and it released nothing");
    wording_add(words->fix, "an atomic read-modify-write at %s", AT_SPOT(words, edit->spot));
    struct code_change change = {.kind = CHANGE_CALL,
                                 .site = words->search->spots[edit->spot].site,
                                 .order = NOT_GIVEN,
                                 .failure = NOT_GIVEN,
                                 .scope = NOT_GIVEN,
                                 .text = "atomic_exchange_explicit"};
    if (edit_words_begins(edit_words_text(words, edit->spot), "atomic_store"))
        wording_change(words->fix, &change);
    else
        words->fix->partial = true;
}
