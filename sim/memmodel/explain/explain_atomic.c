/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Atomic accesses in place of plain ones (R29): two atomics of one object do not race when their scopes
 * include each other. Only where the accesses are meant to touch one object at once: elsewhere the load may
 * be meant to read what another work-item stores, which atomics alone do not ensure.
 */
#include "explain_accesses.h"
#include "sim/base/memory_words.h"

/* Are the accesses meant to touch one object at once, so that atomics are right? Accesses of one operator or
 * update are, unless they store different values. Of other accesses of one line only those of two
 * work-groups: in a work-group the load may be meant to read what another work-item stores. */
static bool meant_to_meet(const struct question *question)
{
    if (question->differs && accesses_of_one_operator(question) && !explain_is_update(question) &&
        !lock_of_stores(question))
        return false; /* with atomics the last store wins */
    return accesses_of_one_operator(question) ||
           (accesses_on_one_line(question) && !accesses_in_one_group(question, question->instances));
}

const char *explain_store_function(const struct question *question, uint32_t load)
{
    static const char flag[] = "atomic_flag_";
    const char *text = text_at(question, load);
    return text && strncmp(text, flag, strlen(flag)) == 0 ? "atomic_flag_clear_explicit"
                                                          : "atomic_store_explicit";
}

bool explain_updates(const struct question *question, uint32_t site, const char **out_function)
{
    static const struct {
        const char *operator, * function;
    } operators[] = {
        {"++", "atomic_fetch_add_explicit"}, {"+=", "atomic_fetch_add_explicit"},
        {"--", "atomic_fetch_sub_explicit"}, {"-=", "atomic_fetch_sub_explicit"},
        {"|=", "atomic_fetch_or_explicit"},  {"&=", "atomic_fetch_and_explicit"},
        {"^=", "atomic_fetch_xor_explicit"}, {"*=", NULL},
    };
    const char *text = text_at(question, site);
    for (size_t i = 0; text && i < sizeof operators / sizeof operators[0]; i++) {
        if (strncmp(text, operators[i].operator, 2) != 0)
            continue;
        if (out_function)
            *out_function = operators[i].function;
        return true;
    }
    return false;
}

/* A store with release, which gives back the lock that is loaded at that site. */
static void say_release(const struct question *question, uint32_t load, enum memory_scope scope,
                        struct wording *fix)
{
    wording_add(fix, "%s with memory_order_release, %s at ", explain_store_function(question, load),
                memory_scope_word(scope));
    fix->partial |= strcmp(explain_store_function(question, load), "atomic_store_explicit") != 0;
}

static void say_atomics(const struct question *question, enum memory_scope scope, struct wording *fix)
{
    const bool one = accesses_of_one_operator(question);
    const struct lock *lock = lock_of_stores(question);
    if (one && question->instances->first.writes != question->instances->second.writes)
        wording_add(fix, "an atomic read-modify-write with memory_order_relaxed, %s at ",
                    memory_scope_word(scope));
    else if (lock)
        say_release(question, lock->load, scope, fix);
    else if (one && accesses_all_write(question))
        wording_add(fix,
                    "let one work-item do it, or atomic_store_explicit with memory_order_relaxed, %s at ",
                    memory_scope_word(scope));
    else
        wording_add(fix, "atomic operations with %s at ", memory_scope_word(scope));
    if (one && accesses_all_write(question))
        wording_access_change(fix, question->instances->first.site, true, question->region == IN_LOCAL,
                              lock ? ORDER_RELEASE : ORDER_RELAXED, scope);
    else
        fix->partial = true;
}

/* One access is atomic already: the other becomes so, too. A store that gives back a lock also releases. */
static void say_other_atomic(const struct question *question, const struct racing_access *atomic,
                             const struct racing_access *plain, struct wording *fix)
{
    const bool unlocks = plain->writes && ASK(question, spins_on, atomic->site, plain->site);
    if (unlocks)
        say_release(question, atomic->site, atomic->scope, fix);
    else
        wording_add(fix, "an atomic operation with %s at ", memory_scope_word(atomic->scope));
    wording_access_change(fix, plain->site, plain->writes, question->region == IN_LOCAL,
                          unlocks ? ORDER_RELEASE : ORDER_RELAXED, atomic->scope);
}

bool explain_atomics_cover(const struct question *question, enum memory_scope scope,
                           struct suggested_fix *suggested_fix)
{
    const struct suggested_fix atomics = {.kind = FIX_ATOMIC, .scope = scope};
    if (!explain_fix_covers(question->launch, question->rule, &atomics, question->instances->first.unit,
                            question->instances->second.unit))
        return false;
    *suggested_fix = atomics;
    return true;
}

/* A vector has no atomic operations, also one of four bytes. */
static bool is_of_vector(const struct question *question, const struct racing_access *access)
{
    struct finding_access said = {.type = NUMBER_INTEGER};
    if (question->host->access)
        question->host->access(question->host->self, access->site, &said);
    return said.type == NUMBER_VECTOR;
}

/* R29: two atomics on one object do not race when their scopes include each other. Accesses of 4 bytes that
 * overlap are of one object, since they are aligned. */
bool explain_make_atomic(const struct question *question, struct proposal *proposal)
{
    struct wording *fix = &proposal->fix;
    const bool one_atomic = question->instances->first.atomic != question->instances->second.atomic;
    const struct racing_access *atomic =
        question->instances->first.atomic ? &question->instances->first : &question->instances->second;
    const struct racing_access *plain =
        question->instances->first.atomic ? &question->instances->second : &question->instances->first;
    const enum memory_scope scope = one_atomic ? atomic->scope : launch_scope(question, question->region);
    if (question->region == IN_IMAGE || question->instances->first.size != 4 ||
        question->instances->second.size != 4 || is_of_vector(question, &question->instances->first) ||
        is_of_vector(question, &question->instances->second))
        return false;
    if ((!one_atomic && !meant_to_meet(question)) ||
        !explain_atomics_cover(question, scope, &proposal->suggested))
        return false;
    if (one_atomic)
        say_other_atomic(question, atomic, plain, fix);
    else
        say_atomics(question, scope, fix);
    wording_add(fix, "%s", AT(question->host, plain->site));
    return true;
}
