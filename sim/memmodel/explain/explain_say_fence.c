/* SPDX-License-Identifier: Apache-2.0 */
/* Sentences about fences that are missing: one beside an atomic, or two with both flags where the flag and
 * the data are in different memories. */
#include "explain_say.h"

/* The atomic beside which fences with both flags are put; NULL: the edit is another one. */
const struct sync_op *explain_say_flag_of(const struct edit_words *words, const struct edit *edit)
{
    const struct sync_op *sample = words->search->spots[edit->spot].sample;
    return edit->kind == EDIT_FENCES && !is_fence(sample) ? sample : NULL;
}

/* Do both edits put fences beside atomics in one memory? Then one sentence names both. */
bool explain_say_has_one_flag(const struct edit_words *words, const struct edit *edits, uint32_t count)
{
    const struct sync_op *flag = explain_say_flag_of(words, &edits[0]),
                         *other = count == 2 ? explain_say_flag_of(words, &edits[1]) : NULL;
    return flag && other && flag->region == other->region;
}

void explain_say_flag(const struct edit_words *words, const struct edit *edit, const struct edit *other)
{
    wording_add(words->why, "the flag at %s", AT_SPOT(words, edit->spot));
    if (other) {
        wording_add(words->why, " and %s", AT_SPOT(words, other->spot));
    }
    wording_add(words->why, " is in %s memory, the data is %s",
                wording_space_word(explain_say_flag_of(words, edit)->region),
                wording_space_word(words->question->region));
}

/* The scope of the operation after the edits. */
static enum memory_scope scope_at(const struct edit_words *words, uint32_t spot)
{
    for (uint32_t i = 0; i < words->found->count; i++) {
        const struct edit *edit = &words->found->edits[i];
        if (edit->spot == spot && (edit->kind == EDIT_SCOPE || edit->kind == EDIT_ORDER_AND_SCOPE))
            return edit->scope;
    }
    return (enum memory_scope)words->search->spots[spot].sample->scope;
}

static void say_fence_beside(const struct edit_words *words, uint32_t spot, enum memory_ordering order)
{
    struct wording statement = {.used = 0};
    wording_add(&statement, "atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE, %s, %s)",
                memory_order_word(order), memory_scope_word(scope_at(words, spot)));
    explain_say_statement_beside(words->question, words->search->spots[spot].site, order == ORDER_ACQUIRE,
                                 statement.bytes, words->fix);
}

void explain_say_fences(const struct edit_words *words, const struct edit *edit)
{
    const struct sync_op *sample = words->search->spots[edit->spot].sample;
    if (is_fence(sample)) {
        wording_add(words->why, "the fence at %s has %s only", AT_SPOT(words, edit->spot),
                    REGIONS(sample->regions));
        wording_add(words->fix, "CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE at %s",
                    AT_SPOT(words, edit->spot));
        edit_words_fix_call(words, edit->spot, 1u << IN_GLOBAL | 1u << IN_LOCAL, NOT_GIVEN, NOT_GIVEN,
                            NOT_GIVEN);
        return;
    }
    say_fence_beside(words, edit->spot, sample->writes ? ORDER_RELEASE : ORDER_ACQUIRE);
    if (sample->writes && sample->reads) { /* a read-modify-write may be both ends of the edge */
        wording_add(words->fix, ", and ");
        say_fence_beside(words, edit->spot, ORDER_ACQUIRE);
    }
}

/* Can the entry be the other end of the edge for a new fence? */
static bool is_counterpart(const struct edit_words *words, const struct edit *edit,
                           const struct sync_op *sync_op)
{
    const enum memory_ordering order = (enum memory_ordering)sync_op->order;
    const bool other_order = order != ORDER_RELAXED && order != edit->order;
    return is_fence(sync_op) && other_order && sync_op->scope == edit->scope &&
           sync_op->regions >> words->question->region & 1;
}

/* The site of the existing fence that the new one completes: the first release fence after the first access,
 * or the latest acquire fence before the second. 0: the fence is another unit's. */
static uint32_t counterpart_of(const struct edit_words *words, const struct edit *edit)
{
    const struct question *question = words->question;
    const struct race_instance *instance = question->instances;
    const bool acquires = edit->order == ORDER_ACQUIRE;
    const uint64_t unit = acquires ? instance->first.unit : instance->second.unit;
    for (uint32_t i = 0; i < instance->end; i++) {
        const uint32_t at = acquires ? i : instance->end - 1 - i;
        const struct sync_op *sync_op = &question->sync_log->items[at];
        if (sync_op->by == unit && (!acquires || at >= instance->first_at) &&
            is_counterpart(words, edit, sync_op))
            return sync_op->site;
    }
    return 0;
}

void explain_say_fence(const struct edit_words *words, const struct edit *edit)
{
    const struct sync_op *sample = words->search->spots[edit->spot].sample;
    const bool acquires = edit->order == ORDER_ACQUIRE, old = explain_is_opencl_c_1(words->question->host);
    const uint32_t there = words->alone ? counterpart_of(words, edit) : 0;
    if (there) {
        wording_add(words->why, "the fence at %s%s", AT(words->question->host, there),
                    acquires ? " releases what was written before it, and nothing acquires that: "
                             : " would acquire what was released, and nothing was: ");
    }
    wording_add(words->why, "no %s fence", acquires ? "acquire" : "release");
    if (!old)
        wording_add(words->why, " with %s", memory_scope_word(edit->scope));
    wording_add(words->why, " comes %s the %s at %s%s", acquires ? "after" : "before",
                edit_words_is_failed_exchange(words, sample) ? "failed compare-exchange"
                                                             : explain_noun(sample),
                AT_SPOT(words, edit->spot), sample->order == ORDER_RELAXED ? ", which is relaxed" : "");
    struct wording statement = {.used = 0};
    wording_add(&statement, old ? "mem_fence(%s" : "atomic_work_item_fence(%s",
                wording_region_flag(words->question->region));
    if (!old)
        wording_add(&statement, ", %s, %s", memory_order_word(edit->order), memory_scope_word(edit->scope));
    wording_add(&statement, ")");
    explain_say_statement_beside(words->question, words->search->spots[edit->spot].site, acquires,
                                 statement.bytes, words->fix);
}
