/* SPDX-License-Identifier: Apache-2.0 */
/* The words for an edited operation: its noun, its place in an edge, and the call that is to be written. */
#include "explain_say.h"

#include <string.h>

const char *explain_noun(const struct sync_op *sample)
{
    if (is_barrier(sample))
        return sample->kind == SYNC_OP_BARRIER         ? "barrier"
               : sample->kind == SYNC_OP_NAMED_BARRIER ? "named barrier"
                                                       : "sub-group barrier";
    if (is_fence(sample))
        return "fence";
    return sample->reads && sample->writes ? "read-modify-write" : sample->writes ? "store" : "load";
}

/* Records that the call at the place gets those of the arguments that are not NOT_GIVEN. */
void edit_words_fix_call(const struct edit_words *words, uint32_t spot, uint32_t regions, int order,
                         int failure, int scope)
{
    const struct edit_spot *at = &words->search->spots[spot];
    wording_call(words->fix, at->site, is_atomic(at->sample) && at->sample->region == IN_LOCAL, regions,
                 order, failure, scope);
}

/* The source from the operation on, up to the end of its line; NULL: unknown. */
const char *edit_words_text(const struct edit_words *words, uint32_t spot)
{
    return text_at(words->question, words->search->spots[spot].site);
}

bool edit_words_begins(const char *text, const char *name)
{
    return text && strncmp(text, name, strlen(name)) == 0;
}

bool edit_words_is_old_fence(const char *text)
{
    return edit_words_begins(text, "mem_fence(") || edit_words_begins(text, "read_mem_fence(") ||
           edit_words_begins(text, "write_mem_fence(");
}

/* Names the _explicit function to write instead of one without order and scope: those of OpenCL 1.x,
 * atomic_load() and the like. */
void edit_words_fix_function(const struct edit_words *words, uint32_t spot)
{
    static const struct {
        const char *old, *now; /* NULL: the same name */
    } names[] = {
        {"inc", "fetch_add"}, {"dec", "fetch_sub"}, {"add", "fetch_add"},
        {"sub", "fetch_sub"}, {"min", "fetch_min"}, {"max", "fetch_max"},
        {"and", "fetch_and"}, {"or", "fetch_or"},   {"xor", "fetch_xor"},
        {"xchg", "exchange"}, {"load", NULL},       {"cmpxchg", "compare_exchange_strong"},
        {"store", NULL},      {"exchange", NULL},   {"compare_exchange_strong", NULL},
        {"fetch_add", NULL},  {"fetch_sub", NULL},  {"compare_exchange_weak", NULL},
        {"fetch_min", NULL},  {"fetch_max", NULL},  {"fetch_and", NULL},
        {"fetch_or", NULL},   {"fetch_xor", NULL},
    };
    const struct sync_op *sample = words->search->spots[spot].sample;
    const char *name = edit_words_text(words, spot);
    if (is_fence(sample) && edit_words_is_old_fence(name))
        wording_add(words->fix, "atomic_work_item_fence with ");
    const size_t prefix = edit_words_begins(name, "atomic_") ? 7 : edit_words_begins(name, "atom_") ? 5 : 0;
    for (size_t i = 0; is_atomic(sample) && prefix && i < sizeof names / sizeof names[0]; i++) {
        const size_t length = strlen(names[i].old);
        if (strncmp(name + prefix, names[i].old, length) == 0 && name[prefix + length] == '(')
            wording_add(words->fix, "atomic_%s_explicit with ", names[i].now ? names[i].now : names[i].old);
    }
}

/* A compare-exchange that failed is an atomic that only reads. */
bool edit_words_is_failed_exchange(const struct edit_words *words, const struct sync_op *sample)
{
    const struct checker_host *host = words->question->host;
    return is_atomic(sample) && !sample->writes &&
           strcmp(host->what(host->self, sample->site), "atomic compare-exchange") == 0;
}

/* The noun for an atomic or fence as one end of an edge. */
const char *edit_words_role(const struct edit_words *words, const struct sync_op *sample)
{
    bool releases = sample->order == ORDER_RELEASE ||
                    (sample->order >= ORDER_ACQ_REL && sample->writes && !sample->reads);
    if (is_fence(sample))
        return sample->order == ORDER_RELEASE   ? "release fence"
               : sample->order == ORDER_ACQUIRE ? "acquire fence"
                                                : "fence";
    if (sample->order == ORDER_RELAXED)
        return edit_words_is_failed_exchange(words, sample) ? "failed compare-exchange"
                                                            : explain_noun(sample);
    return releases ? "release" : sample->writes ? "read-modify-write" : "acquire";
}

/* Is the edited operation the acquire of the edge? */
bool edit_words_acquires(const struct edit_words *words, const struct edit *edit)
{
    const struct edit_spot *spot = &words->search->spots[edit->spot];
    if (edit->kind == EDIT_FENCE)
        return edit->order == ORDER_ACQUIRE;
    if (!spot->writes)
        return true;
    if (edit->kind == EDIT_ORDER || edit->kind == EDIT_ORDER_AND_SCOPE)
        return edit->fails || edit->order == ORDER_ACQUIRE || spot->sample->order == ORDER_RELEASE;
    return spot->sample->order == ORDER_ACQUIRE;
}

/* Sentences name the release first: are the edits in the reverse order? */
bool edit_words_are_backward(const struct edit_words *words, const struct edit edits[2])
{
    return edit_words_acquires(words, &edits[0]) && !edit_words_acquires(words, &edits[1]);
}
