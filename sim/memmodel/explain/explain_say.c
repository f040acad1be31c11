/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Why and fix of an edit as sentences. Each kind of edit has a function say_x() that writes to both and
 * records the change of the code. The sentences of scopes and release sequences name both ends of the edge
 * that the edit completes: these are found on a path of edges through the edited log (find_ends).
 */
#include <stdlib.h>

#include "edges.h"
#include "explain_state.h"
#include "sim/base/memory_words.h"

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

/* alone: there is only one edit. head, tail: release and acquire of the edge that it completes, as the log
 * has them; NULL: unknown. */
struct edit_words {
    const struct edit_search *search;
    struct answer *answer;
    const struct found_edits *found;
    const struct sync_op *head, *tail;
    bool alone;
};

/* The place of an edit, as a text. */
#define AT_SPOT(words, spot) AT((words)->search->question->host, (words)->search->spots[spot].site)

/* Records that the call at the place gets those of the arguments that are not NOT_GIVEN. */
static void fix_call(const struct edit_words *words, uint32_t spot, uint32_t regions, int order, int failure,
                     int scope)
{
    const struct edit_spot *at = &words->search->spots[spot];
    const struct code_change change = {.kind = CHANGE_CALL,
                                       .site = at->site,
                                       .regions = regions,
                                       .order = order,
                                       .failure = failure,
                                       .scope = scope,
                                       .local = is_atomic(at->sample) && at->sample->region == IN_LOCAL};
    wording_change(&words->answer->fix, &change);
}

/* The source from the operation on, up to the end of its line; NULL: unknown. */
static const char *text_at(const struct edit_words *words, uint32_t spot)
{
    const struct checker_host *host = words->search->question->host;
    struct source_place place;
    host->place(host->self, words->search->spots[spot].site, &place);
    return text_from(&place);
}

static bool begins(const char *text, const char *name)
{
    return text && strncmp(text, name, strlen(name)) == 0;
}

static bool is_old_fence(const char *text)
{
    return begins(text, "mem_fence(") || begins(text, "read_mem_fence(") || begins(text, "write_mem_fence(");
}

/* Names the _explicit function to write instead of one without order and scope: those of OpenCL 1.x,
 * atomic_load() and the like. */
static void fix_function(const struct edit_words *words, uint32_t spot)
{
    static const struct {
        const char *old, *now;
    } names[] = {
        {"inc(", "fetch_add"},
        {"dec(", "fetch_sub"},
        {"add(", "fetch_add"},
        {"sub(", "fetch_sub"},
        {"xchg(", "exchange"},
        {"cmpxchg(", "compare_exchange_strong"},
        {"min(", "fetch_min"},
        {"max(", "fetch_max"},
        {"and(", "fetch_and"},
        {"or(", "fetch_or"},
        {"xor(", "fetch_xor"},
        {"load(", "load"},
        {"store(", "store"},
        {"exchange(", "exchange"},
        {"fetch_add(", "fetch_add"},
        {"fetch_sub(", "fetch_sub"},
        {"fetch_min(", "fetch_min"},
        {"fetch_max(", "fetch_max"},
        {"fetch_and(", "fetch_and"},
        {"fetch_or(", "fetch_or"},
        {"fetch_xor(", "fetch_xor"},
        {"compare_exchange_strong(", "compare_exchange_strong"},
        {"compare_exchange_weak(", "compare_exchange_weak"},
    };
    const struct edit_spot *at = &words->search->spots[spot];
    const char *name = text_at(words, spot);
    if (is_fence(at->sample) && is_old_fence(name))
        wording_add(&words->answer->fix, "atomic_work_item_fence with ");
    if (!is_atomic(at->sample) || !name)
        return;
    const size_t prefix = strncmp(name, "atomic_", 7) == 0 ? 7 : strncmp(name, "atom_", 5) == 0 ? 5 : 0;
    for (size_t i = 0; prefix && i < sizeof names / sizeof names[0]; i++) {
        if (strncmp(name + prefix, names[i].old, strlen(names[i].old)) == 0)
            wording_add(&words->answer->fix, "atomic_%s_explicit with ", names[i].now);
    }
}

/* A compare-exchange that failed is an atomic that only reads. */
static bool is_failed_exchange(const struct edit_words *words, const struct sync_op *sample)
{
    const struct checker_host *host = words->search->question->host;
    return is_atomic(sample) && !sample->writes &&
           strcmp(host->what(host->self, sample->site), "atomic compare-exchange") == 0;
}

/* The noun for an atomic or fence as one end of an edge. */
static const char *role(const struct edit_words *words, const struct sync_op *sample)
{
    bool releases = sample->order == ORDER_RELEASE ||
                    (sample->order >= ORDER_ACQ_REL && sample->writes && !sample->reads);
    if (is_fence(sample))
        return sample->order == ORDER_RELEASE   ? "release fence"
               : sample->order == ORDER_ACQUIRE ? "acquire fence"
                                                : "fence";
    if (sample->order == ORDER_RELAXED)
        return is_failed_exchange(words, sample) ? "failed compare-exchange" : explain_noun(sample);
    return releases ? "release" : sample->writes ? "read-modify-write" : "acquire";
}

static void say_flags(const struct edit_words *words, const struct edit *edit)
{
    const struct edit_spot *spot = &words->search->spots[edit->spot];
    int region = words->search->question->region;
    struct answer *answer = words->answer;
    wording_add(&answer->why, "the %s at ", explain_noun(spot->sample));
    wording_add(&words->answer->why, "%s", AT_SPOT(words, edit->spot));
    wording_add(&answer->why, " has %s", REGIONS(spot->sample->regions));
    wording_add(&answer->why,
                spot->sample->regions ? " only; these are %s accesses"
                                      : ": it orders no memory; these are %s accesses",
                wording_space_word(region));
    wording_add(&answer->fix, "%s at ", REGIONS(spot->sample->regions | 1u << region));
    wording_add(&words->answer->fix, "%s", AT_SPOT(words, edit->spot));
    fix_call(words, edit->spot, spot->sample->regions | 1u << region, NOT_GIVEN, NOT_GIVEN, NOT_GIVEN);
}

/* Would the edge exist if the other end had the scope of this one? */
static bool scope_reaches(const struct edit_words *words, const struct sync_op *end,
                          const struct sync_op *other)
{
    const struct launch_info *launch = words->search->question->launch;
    const enum memory_scope scope = (enum memory_scope)end->scope;
    if (words->search->question->rule != SCOPE_RULE_EQUAL || is_barrier(end) || is_barrier(other) ||
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
    const uint64_t *size = words->search->question->launch->local_size;
    return sample->kind == SYNC_OP_FENCE || sample->kind == SYNC_OP_ATOMIC
               ? sample->by / (size[0] * size[1] * size[2])
               : sample->by;
}

static void say_end(const struct edit_words *words, const struct sync_op *end)
{
    const enum memory_scope scope = (enum memory_scope)end->scope;
    struct wording *why = &words->answer->why;
    wording_add(why, "the %s at %s has %s", role(words, end), AT(words->search->question->host, end->site),
                SCOPE(scope, is_atomic(end) ? scope_reduced(scope, end->region == IN_LOCAL, end->svm_atomics)
                                            : scope));
}

static void say_differing(const struct edit_words *words, const struct sync_op *end,
                          const struct sync_op *other)
{
    say_end(words, end);
    wording_add(&words->answer->why, ", and ");
    say_end(words, other);
    wording_add(&words->answer->why, words->head
                                         ? ": before OpenCL 3.1 both ends of an edge need the same scope"
                                         : ": before OpenCL 3.1 the two must be the same");
}

static void say_scope(const struct edit_words *words, const struct edit *edit)
{
    const struct sync_op *sample = words->search->spots[edit->spot].sample,
                         *other = differing_end(words, edit);
    struct wording *why = &words->answer->why;
    if (other) {
        say_differing(words, sample, other);
        return;
    }
    wording_add(why, "the %s at %s has %s", role(words, sample), AT_SPOT(words, edit->spot),
                memory_scope_word((enum memory_scope)sample->scope));
    if (sample->scope == SCOPE_WORK_ITEM) {
        wording_add(why, ": it reaches no other work-item");
    } else if (sample->scope <= SCOPE_WORK_GROUP) {
        wording_add(why, ": it reaches %s%s only",
                    sample->scope == SCOPE_SUB_GROUP ? "its sub-group of " : "",
                    WORK_GROUP(words->search->question->launch, group_of(words, sample)));
    } else if (sample->scope != edit->scope) {
        wording_add(why, ": before OpenCL 3.1 both ends of an edge need the same scope");
    }
}

/* Is the edited operation the acquire of the edge? */
static bool acquires_with(const struct edit_words *words, const struct edit *edit)
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
static bool is_backward(const struct edit_words *words, const struct edit edits[2])
{
    return acquires_with(words, &edits[0]) && !acquires_with(words, &edits[1]);
}

static void say_both(const struct edit_words *words, const struct edit *from, const struct edit *to)
{
    const struct sync_op *head = words->search->spots[from->spot].sample,
                         *tail = words->search->spots[to->spot].sample;
    const uint64_t group = group_of(words, tail);
    struct wording *why = &words->answer->why;
    if (scope_reaches(words, head, tail)) {
        say_differing(words, head, tail);
        return;
    }
    say_scope(words, from);
    wording_add(why, ", and the %s at %s", role(words, tail), AT_SPOT(words, to->spot));
    if (head->scope > SCOPE_WORK_ITEM && tail->scope > SCOPE_WORK_ITEM && tail->scope <= SCOPE_WORK_GROUP &&
        group != group_of(words, head)) {
        wording_add(why, " that meets it is in %s", WORK_GROUP(words->search->question->launch, group));
    } else {
        wording_add(why, " has %s", memory_scope_word((enum memory_scope)tail->scope));
    }
}

/* Two edits of scopes, for the two ends of one edge. */
static void say_scopes(const struct edit_words *words, const struct edit edits[2])
{
    bool swapped = is_backward(words, edits);
    const struct edit *from = &edits[swapped], *to = &edits[!swapped];
    struct wording *fix = &words->answer->fix;
    say_both(words, from, to);
    fix_function(words, from->spot);
    wording_add(fix, "%s at %s and ", memory_scope_word(from->scope), AT_SPOT(words, from->spot));
    if (is_fence(words->search->spots[to->spot].sample) && is_old_fence(text_at(words, to->spot)) &&
        !is_old_fence(text_at(words, from->spot)))
        wording_add(fix, "an atomic_work_item_fence with it at ");
    wording_add(fix, "%s", AT_SPOT(words, to->spot));
    fix_call(words, from->spot, 0, NOT_GIVEN, NOT_GIVEN, (int)from->scope);
    fix_call(words, to->spot, 0, NOT_GIVEN, NOT_GIVEN, (int)from->scope);
}

/* Of a failed compare-exchange the order for failure counts. The order for success must be no weaker. */
static void say_failure(const struct edit_words *words, const struct edit *edit)
{
    const struct sync_op *failed = words->search->spots[edit->spot].failed;
    const enum memory_ordering success = (enum memory_ordering)(failed->success - 1);
    struct wording *why = &words->answer->why, *fix = &words->answer->fix;
    wording_add(why,
                "the compare-exchange at %s failed, and has %s for failure: what the store published does "
                "not become visible by it",
                AT_SPOT(words, edit->spot), memory_order_word((enum memory_ordering)failed->order));
    if (edit->success == ORDER_ACQ_REL && success != ORDER_ACQ_REL && success != ORDER_RELEASE)
        wording_add(why,
                    "; it has %s for success: what was written before it does not become visible with it",
                    memory_order_word(success));
    fix_function(words, edit->spot);
    if (edit->success == edit->order && success != edit->success)
        wording_add(fix, "%s for success and failure", memory_order_word(edit->order));
    else if (success != edit->success)
        wording_add(fix, "%s for success and %s for failure", memory_order_word(edit->success),
                    memory_order_word(edit->order));
    else
        wording_add(fix, "%s for failure", memory_order_word(edit->order));
}

static void say_order(const struct edit_words *words, const struct edit *edit)
{
    const struct sync_op *sample = words->search->spots[edit->spot].sample;
    struct wording *why = &words->answer->why, *fix = &words->answer->fix;
    if (edit->fails) {
        say_failure(words, edit);
    } else {
        wording_add(why, "the %s at %s", explain_noun(sample), AT_SPOT(words, edit->spot));
        if (is_fence(sample))
            wording_add(why, " has %s only", memory_order_word((enum memory_ordering)sample->order));
        else
            wording_add(why, " is %s: %s",
                        memory_order_word((enum memory_ordering)sample->order) + strlen("memory_order_"),
                        acquires_with(words, edit)
                            ? "what the store published does not become visible by it"
                            : "what was written before it does not become visible with it");
        fix_function(words, edit->spot);
        wording_add(fix, "%s", memory_order_word(edit->order));
    }
    const bool scoped = edit->kind == EDIT_ORDER_AND_SCOPE;
    if (scoped)
        wording_add(fix, ", %s", memory_scope_word(edit->scope));
    wording_add(fix, " at %s", AT_SPOT(words, edit->spot));
    fix_call(words, edit->spot, 0, (int)(edit->fails ? edit->success : edit->order),
             edit->fails ? (int)edit->order : NOT_GIVEN, scoped ? (int)edit->scope : NOT_GIVEN);
}

/* The atomic beside which fences with both flags are put; NULL: the edit is another one. */
static const struct sync_op *flag_of(const struct edit_words *words, const struct edit *edit)
{
    const struct sync_op *sample = words->search->spots[edit->spot].sample;
    return edit->kind == EDIT_FENCES && !is_fence(sample) ? sample : NULL;
}

/* Do both edits put fences beside atomics in one memory? Then one sentence names both. */
static bool one_flag(const struct edit_words *words, const struct edit *edits, uint32_t count)
{
    const struct sync_op *flag = flag_of(words, &edits[0]),
                         *other = count == 2 ? flag_of(words, &edits[1]) : NULL;
    return flag && other && flag->region == other->region;
}

static void say_flag(const struct edit_words *words, const struct edit *edit, const struct edit *other)
{
    struct wording *why = &words->answer->why;
    wording_add(why, "the flag at %s", AT_SPOT(words, edit->spot));
    if (other) {
        wording_add(why, " and %s", AT_SPOT(words, other->spot));
    }
    wording_add(why, " is in %s memory, the data is %s", wording_space_word(flag_of(words, edit)->region),
                wording_space_word(words->search->question->region));
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
    explain_say_statement_beside(words->search->question, words->search->spots[spot].site,
                                 order == ORDER_ACQUIRE, statement.bytes, &words->answer->fix);
}

static void say_fences(const struct edit_words *words, const struct edit *edit)
{
    const struct sync_op *sample = words->search->spots[edit->spot].sample;
    struct wording *why = &words->answer->why, *fix = &words->answer->fix;
    if (is_fence(sample)) {
        wording_add(why, "the fence at %s has %s only", AT_SPOT(words, edit->spot), REGIONS(sample->regions));
        wording_add(fix, "CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE at %s", AT_SPOT(words, edit->spot));
        fix_call(words, edit->spot, 1u << IN_GLOBAL | 1u << IN_LOCAL, NOT_GIVEN, NOT_GIVEN, NOT_GIVEN);
        return;
    }
    say_fence_beside(words, edit->spot, sample->writes ? ORDER_RELEASE : ORDER_ACQUIRE);
    if (sample->writes && sample->reads) { /* a read-modify-write may be both ends of the edge */
        wording_add(fix, ", and ");
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
           sync_op->regions >> words->search->question->region & 1;
}

/* The site of the existing fence that the new one completes: the first release fence after the first access,
 * or the latest acquire fence before the second. 0: the fence is another unit's. */
static uint32_t counterpart_of(const struct edit_words *words, const struct edit *edit)
{
    const struct question *question = words->search->question;
    const struct race_instance *instance = question->instances;
    const bool acquires = edit->order == ORDER_ACQUIRE;
    const uint64_t unit = acquires ? instance->first.unit : instance->second.unit;
    for (uint32_t i = 0; i < instance->end; i++) {
        const uint32_t at = acquires ? i : instance->end - 1 - i;
        const struct sync_op *sync_op = &question->sync_log->items[at];
        if (sync_op->by == unit && (!acquires || at >= words->search->first_at[0]) &&
            is_counterpart(words, edit, sync_op))
            return sync_op->site;
    }
    return 0;
}

static void say_fence(const struct edit_words *words, const struct edit *edit)
{
    const struct sync_op *sample = words->search->spots[edit->spot].sample;
    const bool acquires = edit->order == ORDER_ACQUIRE,
               old = explain_has_old_atomics(words->search->question);
    struct wording *why = &words->answer->why, *fix = &words->answer->fix;
    const uint32_t there = words->alone ? counterpart_of(words, edit) : 0;
    if (there) {
        wording_add(why, "the fence at %s%s", AT(words->search->question->host, there),
                    acquires ? " releases what was written before it, and nothing acquires that: "
                             : " would acquire what was released, and nothing was: ");
    }
    wording_add(why, "no %s fence", acquires ? "acquire" : "release");
    if (!old)
        wording_add(why, " with %s", memory_scope_word(edit->scope));
    wording_add(why, " comes %s the %s at %s%s", acquires ? "after" : "before",
                is_failed_exchange(words, sample) ? "failed compare-exchange" : explain_noun(sample),
                AT_SPOT(words, edit->spot), sample->order == ORDER_RELAXED ? ", which is relaxed" : "");
    struct wording statement = {.used = 0};
    wording_add(&statement, old ? "mem_fence(%s" : "atomic_work_item_fence(%s",
                wording_region_flag(words->search->question->region));
    if (!old)
        wording_add(&statement, ", %s, %s", memory_order_word(edit->order), memory_scope_word(edit->scope));
    wording_add(&statement, ")");
    explain_say_statement_beside(words->search->question, words->search->spots[edit->spot].site, acquires,
                                 statement.bytes, fix);
}

/* Does the store release: by itself, or by a fence before it? */
static bool releases_something(const struct edit_words *words, const struct sync_op *store)
{
    const struct sync_log *sync_log = words->search->question->sync_log;
    if (store->order == ORDER_RELEASE || store->order >= ORDER_ACQ_REL)
        return is_atomic(store);
    for (const struct sync_op *before = sync_log->items; is_atomic(store) && before < store; before++)
        if (is_fence(before) && before->by == store->by && before->order != ORDER_RELAXED &&
            before->order != ORDER_ACQUIRE)
            return true;
    return false;
}

/* The head of the release sequence that the store broke; NULL: unknown. */
static const struct sync_op *head_of_sequence(const struct edit_words *words, const struct sync_op *store)
{
    const struct sync_log *sync_log = words->search->question->sync_log;
    for (const struct sync_op *head = words->head; head && head < sync_log->items + sync_log->count; head++)
        if (is_atomic(head) && head->writes && head->by == words->head->by && head->address == store->address)
            return head->by != store->by ? head : NULL;
    return NULL;
}

/* The latest release fence of the store's work-item before the store; NULL: none. */
static const struct sync_op *fence_before_store(const struct edit_words *words, const struct sync_op *store)
{
    const struct sync_op *items = words->search->question->sync_log->items, *found = NULL;
    for (const struct sync_op *before = items; before < store; before++)
        if (is_fence(before) && before->by == store->by && before->order != ORDER_RELAXED &&
            before->order != ORDER_ACQUIRE)
            found = before;
    return found;
}

/* The fix is a store with release, although a relaxed one after the fence would do: it has to be the same
 * fix as for the race on the flag itself. */
static void say_store(const struct edit_words *words, const struct edit *edit)
{
    const struct question *question = words->search->question;
    const struct sync_op *sample = words->search->spots[edit->spot].sample,
                         *fence = fence_before_store(words, sample);
    struct wording *why = &words->answer->why;
    wording_add(why, "the store at %s is plain: ", AT_SPOT(words, edit->spot));
    if (fence) {
        wording_add(why, "the fence at %s has no atomic after it that would release what was written before",
                    AT(question->host, fence->site));
    } else {
        wording_add(why, "it releases nothing");
    }
    wording_add(&words->answer->fix, "atomic_store_explicit with memory_order_release, %s at %s",
                memory_scope_word(edit->scope), AT_SPOT(words, edit->spot));
    wording_store(&words->answer->fix, words->search->spots[edit->spot].site, question->region == IN_LOCAL,
                  ORDER_RELEASE, edit->scope);
}

static void say_update(const struct edit_words *words, const struct edit *edit)
{
    const struct sync_op *sample = words->search->spots[edit->spot].sample,
                         *head = head_of_sequence(words, sample);
    struct wording *why = &words->answer->why;
    wording_add(why, "the store at %s broke the release sequence", AT_SPOT(words, edit->spot));
    if (head && words->search->spot_of[head - words->search->question->sync_log->items] == edit->spot) {
        wording_add(why, " of another work-item's there");
    } else if (head) {
        wording_add(why, " of %s", AT(words->search->question->host, head->site));
    }
    wording_add(why, releases_something(words, sample)
                         ? ": its value was read, and it released what its "
                           "own work-item had done or acquired before it, no more"
                         : ": its value was read, and it released nothing");
    wording_add(&words->answer->fix, "an atomic read-modify-write at %s", AT_SPOT(words, edit->spot));
    struct code_change change = {.kind = CHANGE_CALL,
                                 .site = words->search->spots[edit->spot].site,
                                 .order = NOT_GIVEN,
                                 .failure = NOT_GIVEN,
                                 .scope = NOT_GIVEN,
                                 .text = "atomic_exchange_explicit"};
    if (begins(text_at(words, edit->spot), "atomic_store"))
        wording_change(&words->answer->fix, &change);
    else
        words->answer->fix.partial = true;
}

static void say_edit(const struct edit_words *words, const struct edit *edit)
{
    struct wording *why = &words->answer->why, *fix = &words->answer->fix;
    const struct sync_op *sample = words->search->spots[edit->spot].sample;
    switch (edit->kind) {
    case EDIT_FLAGS: say_flags(words, edit); break;
    case EDIT_SCOPE:
        say_scope(words, edit);
        fix_function(words, edit->spot);
        wording_add(fix, "%s at %s", memory_scope_word(edit->scope), AT_SPOT(words, edit->spot));
        fix_call(words, edit->spot, 0, NOT_GIVEN, NOT_GIVEN, (int)edit->scope);
        break;
    case EDIT_FENCE: say_fence(words, edit); break;
    case EDIT_FENCES: say_fences(words, edit); break;
    case EDIT_STORE: say_store(words, edit); break;
    case EDIT_UPDATE: say_update(words, edit); break;
    case EDIT_MOVE:
        wording_add(why, "the %s at %s%s", role(words, sample), AT_SPOT(words, edit->spot),
                    moves_forward(sample) ? " comes before the atomic that reads the flag"
                                          : " comes after the atomic that sets the flag");
        fix->partial = true;
        wording_add(fix, "the fence of %s%s", AT_SPOT(words, edit->spot),
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
    const struct question *question = search->question;
    const struct sync_op *items = question->sync_log->items;
    struct edited_log list = {.count = 0};
    uint32_t first = 0, count = 0;
    struct edge *path = NULL;
    if (edit_search_write_log(search, found, &list, &first)) {
        struct edges_world world = {question->launch, question->rule, question->region,
                                    list.items,       list.count,     WORK_MOST};
        path = edges_path(&world, (struct edge_end){question->instances->first.unit, first},
                          question->instances->second.unit, &count);
    }
    for (uint32_t i = 0; i < count && !words->head; i++) {
        const struct sync_op *head = &items[list.was[path[i].from.at]],
                             *tail = &items[list.was[path[i].to.at]];
        if (!is_completed(words, &found->edits[0], head, tail))
            continue;
        words->head = head;
        words->tail = tail;
    }
    free(path);
    free(list.items);
    free(list.was);
}

void explain_say_edits(struct edit_search *search, const struct found_edits *found, struct answer *answer)
{
    const struct edit *edits = found->edits;
    const uint32_t count = found->count;
    struct edit_words with = {.search = search, .answer = answer, .found = found, .alone = count == 1};
    const struct edit_words *words = &with;
    struct wording *why = &answer->why;
    bool scopes = count == 2 && edits[0].kind == EDIT_SCOPE && edits[1].kind == EDIT_SCOPE;
    bool fences = false;
    if (scopes) {
        say_scopes(words, edits);
        return;
    }
    if (count == 1 && (edits[0].kind == EDIT_SCOPE || edits[0].kind == EDIT_UPDATE))
        find_ends(&with, search, found);
    const bool backward = count == 2 && is_backward(words, edits), once = one_flag(words, edits, count);
    for (uint32_t i = 0; i < count; i++) {
        const struct edit *edit = &edits[backward ? count - 1 - i : i];
        const bool reported = i && once;
        wording_add(why, "%s", i && !reported ? ", and " : "");
        if (flag_of(words, edit) && !reported)
            say_flag(words, edit, once ? &edits[backward ? 0 : 1] : NULL);
        wording_add(&words->answer->fix, "%s", i ? ", and " : "");
        say_edit(words, edit);
        fences |= edit->kind == EDIT_FENCES;
    }
    if (fences)
        wording_add(why, ": only fences with both flags on both sides order one memory by the other (seq_cst "
                         "alone does not)");
    if (is_sequential(words, edits, count))
        wording_add(
            why,
            ". Only the intent of 3.3.6, Atomic Operations, orders the data here (of two seq_cst operations: "
            "\"If X "
            "local-synchronizes-with or global-synchronizes-with Y then X both local-synchronizes-with Y and "
            "global-synchronizes-with Y\"): by its letter they are no actions of that memory, and order "
            "nothing in it");
}
