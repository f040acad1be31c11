/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  What the files that put an edit into sentences share.
 *
 * Interface
 *   edit_words_fix_call       records that the call at the place gets those of the arguments that are not
 *                             NOT_GIVEN
 *   edit_words_fix_function   names the _explicit function to write instead of one without order and scope
 *   edit_words_text           the source from the operation on, up to the end of its line; NULL: unknown
 *   edit_words_begins, edit_words_is_old_fence   does such a text begin with the name, or with a fence of
 *                             OpenCL 1.x?
 *   edit_words_role           the noun for an atomic or fence as one end of an edge
 *   edit_words_is_failed_exchange   a compare-exchange that failed is an atomic that only reads
 *   edit_words_acquires       is the edited operation the acquire of the edge?
 *   edit_words_are_backward   are the edits in another order than sentences, which name the release first?
 *   explain_say_flags, _scope, _scopes    (explain_say_scope.c) flags of fences; one or two scopes
 *   explain_say_fence, _fences, _flag     (explain_say_fence.c) a new fence; fences with both flags, and the
 *                                         atomic that needs them
 *   explain_say_flag_of, explain_say_has_one_flag   the atomic beside which fences with both flags are put;
 *                             do two edits put them beside atomics in one memory, so that one sentence names
 *                             both?
 *   explain_say_store, _update            (explain_say_store.c) a plain store; one that broke a sequence
 */
#ifndef ORRERY_SIM_MEMMODEL_EXPLAIN_SAY_H
#define ORRERY_SIM_MEMMODEL_EXPLAIN_SAY_H

#include "edges.h"
#include "explain_state.h"
#include "sim/base/memory_words.h"

/* alone: there is only one edit. head, tail: release and acquire of the edge that it completes, as the log
 * has them; NULL: unknown. */
struct edit_words {
    const struct edit_search *search;
    const struct question *question; /* of the search */
    struct wording *why, *fix;       /* of the answer */
    const struct found_edits *found;
    const struct sync_op *head, *tail;
    bool alone;
};

/* The place of an edit, as a text. */
#define AT_SPOT(words, spot) AT((words)->question->host, (words)->search->spots[spot].site)

void edit_words_fix_call(const struct edit_words *words, uint32_t spot, uint32_t regions, int order,
                         int failure, int scope);
void edit_words_fix_function(const struct edit_words *words, uint32_t spot);
const char *edit_words_text(const struct edit_words *words, uint32_t spot);
bool edit_words_begins(const char *text, const char *name);
bool edit_words_is_old_fence(const char *text);
const char *edit_words_role(const struct edit_words *words, const struct sync_op *sample);
bool edit_words_is_failed_exchange(const struct edit_words *words, const struct sync_op *sample);
bool edit_words_acquires(const struct edit_words *words, const struct edit *edit);
bool edit_words_are_backward(const struct edit_words *words, const struct edit edits[2]);

void explain_say_flags(const struct edit_words *words, const struct edit *edit);
void explain_say_scope(const struct edit_words *words, const struct edit *edit);
void explain_say_scopes(const struct edit_words *words, const struct edit edits[2]);

const struct sync_op *explain_say_flag_of(const struct edit_words *words, const struct edit *edit);
bool explain_say_has_one_flag(const struct edit_words *words, const struct edit *edits, uint32_t count);
void explain_say_flag(const struct edit_words *words, const struct edit *edit, const struct edit *other);
void explain_say_fence(const struct edit_words *words, const struct edit *edit);
void explain_say_fences(const struct edit_words *words, const struct edit *edit);

void explain_say_store(const struct edit_words *words, const struct edit *edit);
void explain_say_update(const struct edit_words *words, const struct edit *edit);

#endif
