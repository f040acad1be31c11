/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What to add where no edit of an existing operation orders the accesses: a barrier between them or in a
 * loop, a second kernel, atomic accesses. Each candidate is one function that asks the code for a place,
 * replays the log with the operation there, and writes the sentence and the change of the code.
 * explain_fix() tries the candidates from specific to general. What cannot be replayed is advice
 * (explain_advice).
 *
 * A barrier never stands where a work-item holds a lock: a work-item that waits for the lock would never
 * reach it.
 */
#include <ctype.h>
#include <stdio.h>

#include "orrery/checked.h"
#include "edges.h"
#include "explain_state.h"
#include "sim/base/memory_words.h"

void explain_say_at(const struct question *question, const struct code_place *place, struct wording *fix)
{
    wording_add(fix, place->before ? " before " : " after ");
    wording_line(fix, question->host, place->site, place->line);
}

static bool in_one_group(const struct question *question, const struct race_instance *instance)
{
    return unit_group(question, instance->first.unit) == unit_group(question, instance->second.unit);
}

static bool all_in_one_group(const struct question *question)
{
    for (uint32_t i = 0; i < question->instance_count; i++) {
        if (!in_one_group(question, &question->instances[i]))
            return false;
    }
    return true;
}

/* The site of the work-group's latest barrier before the second access; 0: there was none. False: the
 * barrier came between the two accesses. */
static bool last_barrier(const struct question *question, uint32_t *out_site)
{
    const struct sync_log *sync_log = question->sync_log;
    const struct race_instance *instance = question->instances;
    const uint64_t group = unit_group(question, instance->second.unit);
    uint32_t at = instance->end;
    while (at > 0 &&
           !(sync_log->items[at - 1].kind == SYNC_OP_BARRIER && sync_log->items[at - 1].by == group))
        at--;
    *out_site = at ? sync_log->items[at - 1].site : 0;
    return !at || instance->first.clock >= sync_log->items[at - 1].clock;
}

/* Is the place after the loop that waits for the lock, and before the store that gives it back? */
static bool holds_lock(const struct question *question, const struct code_place *place,
                       const struct lock *lock)
{
    const struct checker_host *host = question->host;
    struct code_order order;
    if (!host->spins_on || !host->order || !host->spins_on(host->self, lock->load, place->site))
        return false;
    return place->site == lock->store
               ? place->before
               : host->order(host->self, place->site, lock->store, &order) && order.first == 0;
}

/* The lock that a work-item holds at the place; NULL: none. Others wait for it until the holder is past the
 * place. With a barrier there, or at the end of a kernel, the holder would wait for them. */
static const struct lock *lock_at(const struct question *question, const struct code_place *place)
{
    for (uint32_t i = 0; question->locks && i < question->locks->count; i++)
        if (holds_lock(question, place, &question->locks->items[i]))
            return &question->locks->items[i];
    return NULL;
}

static bool is_in_lock(const struct question *question, const struct code_place *place)
{
    return lock_at(question, place) != NULL;
}

/* For a place on the line of the first access, before a branch that begins on it: the next line would be
 * within the branch. */
static void say_before_branch(const struct question *question, const struct suggested_fix *suggested_fix,
                              struct wording *fix)
{
    const struct checker_host *host = question->host;
    const char *flag = wording_region_flag(question->region);
    if (suggested_fix->kind == FIX_SPLIT)
        wording_add(fix, "two kernels, split between the access and the branch at ");
    else if (host->controls_branch && host->controls_branch(host->self, suggested_fix->place.site))
        wording_add(fix,
                    "read into a variable before the branch, with work_group_barrier(%s) between that and "
                    "the branch, at ",
                    flag);
    else
        wording_add(fix, "work_group_barrier(%s) between the access and the branch at ", flag);
    wording_place(fix, host, suggested_fix->place.site);
}

void explain_say_and_at(const struct question *question, const struct code_place *place, struct wording *fix)
{
    wording_add(fix, ", and");
    explain_say_at(question, place, fix);
}

static void say_iterations(const struct question *question, const struct suggested_fix *suggested_fix,
                           struct wording *fix)
{
    wording_add(fix, "work_group_barrier(%s)", wording_region_flag(question->region));
    explain_say_at(question, &suggested_fix->place, fix);
    if (suggested_fix->kind == FIX_ITERATIONS)
        explain_say_and_at(question, &suggested_fix->next, fix);
    wording_add(fix, ", in each iteration of the loop%s",
                suggested_fix->place.braces ? ", which needs braces" : "");
}

/* Does a barrier at the place order the accesses, and does no work-item hold a lock there? */
static bool barrier_orders(const struct question *question, const struct code_place *place)
{
    return !is_in_lock(question, place) && explain_insert_barrier(question, place);
}

/* A loop without a barrier, whose iterations the two work-items execute together, as lanes of one wave. The
 * access that was made later is earlier in the code, so it belongs to a later iteration. */
static bool separate_next_iteration(const struct question *question, struct wording *fix,
                                    struct suggested_fix *suggested_fix)
{
    const struct checker_host *host = question->host;
    const struct race_instance *instance = question->instances;
    const bool together = question->one_wave && !question->sync_log->full && in_one_group(question, instance);
    if (!together || !host->next_iteration ||
        !host->next_iteration(host->self, instance->first.site, instance->second.site,
                              &suggested_fix->place) ||
        !barrier_orders(question, &suggested_fix->place))
        return false;
    suggested_fix->kind = FIX_NEXT_ITERATION;
    say_iterations(question, suggested_fix, fix);
    return true;
}

/* Accesses of one iteration of a loop, after the same barrier. */
static bool separate_iterations(const struct question *question, struct wording *fix,
                                struct suggested_fix *suggested_fix)
{
    const struct checker_host *host = question->host;
    const struct race_instance *instance = question->instances;
    uint32_t since;
    const bool known = host->in_iteration && !question->sync_log->full;
    if (!known || !all_in_one_group(question) || !last_barrier(question, &since) ||
        !host->in_iteration(host->self, instance->first.site, instance->second.site, since,
                            &suggested_fix->place) ||
        !barrier_orders(question, &suggested_fix->place))
        return false;
    suggested_fix->kind = FIX_ITERATION;
    suggested_fix->since = since;
    say_iterations(question, suggested_fix, fix);
    return true;
}

/* Either work-item may be an iteration ahead: a barrier after each of the two accesses covers both cases. */
static bool separate_each_iteration(const struct question *question, struct wording *fix,
                                    struct suggested_fix *suggested_fix)
{
    const struct checker_host *host = question->host;
    const struct race_instance *instance = question->instances;
    struct code_place places[2];
    if (!host->each_iteration || question->sync_log->full || !all_in_one_group(question) ||
        !host->each_iteration(host->self, instance->first.site, instance->second.site, places))
        return false;
    if (is_in_lock(question, &places[0]) || is_in_lock(question, &places[1]))
        return false;
    for (int first = 0; first < 2; first++) {
        places[0].first = first;
        if (!explain_insert_barrier(question, &places[0]))
            return false;
    }
    *suggested_fix = (struct suggested_fix){.kind = FIX_ITERATIONS, .place = places[0], .next = places[1]};
    say_iterations(question, suggested_fix, fix);
    return true;
}

/* A barrier between the two places, or two kernels split there. Of two kernels only the place is in
 * question: all of one launch happens before a later one. */
static bool separate(const struct question *question, struct wording *fix,
                     struct suggested_fix *suggested_fix)
{
    const struct checker_host *host = question->host;
    const struct race_instance *instance = question->instances;
    const bool barrier =
        in_one_group(question, instance) && (question->region == IN_LOCAL || all_in_one_group(question));
    if (!host->between ||
        !host->between(host->self, instance->first.site, instance->second.site, &suggested_fix->place))
        return false;
    if ((!barrier && question->region == IN_LOCAL) || is_in_lock(question, &suggested_fix->place))
        return false;
    if (barrier && !explain_insert_barrier(question, &suggested_fix->place))
        return false;
    suggested_fix->kind = barrier ? FIX_BARRIER : FIX_SPLIT;
    if (suggested_fix->place.branches) {
        say_before_branch(question, suggested_fix, fix);
        return true;
    }
    if (barrier)
        wording_add(fix, "work_group_barrier(%s)", wording_region_flag(question->region));
    else
        wording_add(fix, "two kernels, split");
    explain_say_at(question, &suggested_fix->place, fix);
    return true;
}

static void places_of(const struct question *question, struct source_place *a, struct source_place *b)
{
    const struct checker_host *host = question->host;
    host->place(host->self, question->instances->first.site, a);
    host->place(host->self, question->instances->second.site, b);
}

static bool on_one_line(const struct question *question)
{
    struct source_place a, b;
    places_of(question, &a, &b);
    return question->instances->first.site == question->instances->second.site ||
           (a.line && a.line == b.line && same_text(a.file, b.file));
}

/* How the two accesses stand in the code; false: unknown. */
static bool code_order(const struct question *question, struct code_order *out_order)
{
    const struct checker_host *host = question->host;
    const struct race_instance *instance = question->instances;
    return host->order && host->order(host->self, instance->first.site, instance->second.site, out_order);
}

/* Is it one statement over several lines, which loads before it stores? */
static bool reads_then_writes_over_lines(const struct question *question)
{
    const struct race_instance *instance = question->instances;
    struct code_order order;
    return code_order(question, &order) && order.entwined &&
           !(order.first == 0 ? instance->first : instance->second).writes;
}

/* Are the accesses of one operator: one store, or the load and store of x++? */
static bool of_one_operator(const struct question *question)
{
    struct source_place a, b;
    places_of(question, &a, &b);
    return question->instances->first.site == question->instances->second.site ||
           (on_one_line(question) && a.column == b.column);
}

/* Does a semicolon stand between the two columns of the line, other than in the head of a for loop? */
static bool statement_ends(const struct source_place *first, const struct source_place *second)
{
    int depth = 0;
    bool ends = false;
    if (!first->text || !first->column || first->column >= second->column ||
        strlen(first->text) < second->column)
        return false;
    for (const char *at = first->text; at < first->text + second->column - 1; at++) {
        depth += (*at == '(') - (*at == ')');
        ends |= *at == ';' && depth == 0 && at >= first->text + first->column - 1;
        ends &= depth >= 0; /* below 0: the head of a loop began on an earlier line */
        depth = depth < 0 ? 0 : depth;
    }
    return ends;
}

/* Are the accesses on one line, in two statements? */
static bool in_two_statements(const struct question *question, const struct code_order *order)
{
    struct source_place place[2];
    places_of(question, &place[0], &place[1]);
    return on_one_line(question) && statement_ends(&place[order->first], &place[!order->first]);
}

static void say_between(const struct question *question, uint32_t first, uint32_t second, struct wording *fix)
{
    const struct checker_host *host = question->host;
    struct source_place place[2];
    host->place(host->self, first, &place[0]);
    host->place(host->self, second, &place[1]);
    wording_add(fix, " between the two %s of ",
                statement_ends(&place[0], &place[1]) ? "statements" : "accesses");
    wording_place(fix, host, first);
}

/* Records the change that puts the statement at the place. */
static void put_at(const struct code_place *place, const char *statement, struct wording *fix)
{
    const struct fence_place at = {.side = place->before ? FENCE_BEFORE : FENCE_AFTER,
                                   .site = place->site,
                                   .line = place->line,
                                   .braces = place->braces};
    wording_statement(fix, statement, &at);
}

static uint32_t access_beside(const struct question *question, bool past)
{
    return past ? question->instances->second.site : question->instances->first.site;
}

bool explain_has_fence_place(const struct question *question, uint32_t site, bool past)
{
    const struct checker_host *host = question->host;
    struct fence_place place;
    return !host->beside || !host->beside(host->self, site, access_beside(question, past), past, &place) ||
           place.side != FENCE_NOWHERE;
}

void explain_say_beside(const struct question *question, uint32_t site, bool past, struct wording *fix)
{
    static const char *const sides[] = {
        [FENCE_BEFORE] = " before ", [FENCE_AFTER] = " after ", [FENCE_LOOP] = " after the loop of "};
    const struct checker_host *host = question->host;
    const uint32_t access = access_beside(question, past);
    struct fence_place place;
    if (!host->beside || !host->beside(host->self, site, access, past, &place) ||
        place.side == FENCE_NOWHERE) {
        wording_add(fix, past ? " after " : " before ");
        wording_place(fix, host, site);
    } else if (place.side == FENCE_BETWEEN) {
        say_between(question, past ? site : access, past ? access : site, fix);
    } else {
        wording_add(fix, "%s", sides[place.side]);
        wording_line(fix, host, place.site, place.line);
        wording_add(fix, "%s", place.braces ? ", which needs braces" : "");
    }
}

void explain_say_statement_beside(const struct question *question, uint32_t site, bool past,
                                  const char *statement, struct wording *fix)
{
    const struct checker_host *host = question->host;
    const uint32_t access = access_beside(question, past);
    struct fence_place place;
    struct code_change change = {.kind = CHANGE_STATEMENT, .site = site};
    wording_add(fix, "%s", statement);
    explain_say_beside(question, site, past, fix);
    if (!host->beside || !host->beside(host->self, site, access, past, &place) ||
        place.side == FENCE_NOWHERE || strlen(statement) >= sizeof change.text) {
        fix->partial = true;
        return;
    }
    strcpy(change.text, statement);
    change.place = place;
    if (place.side == FENCE_BETWEEN) {
        change.other = past ? access : site; /* the later one in the code */
        change.place.site = site;
    }
    if (place.side == FENCE_LOOP)
        change.place.site = 0;
    wording_change(fix, &change);
}

/* Can a barrier stand between two accesses of one line or statement? Not if the first is a load of the same
 * statement: that is read into a variable instead. */
static bool in_line(const struct question *question, struct code_order *out_order)
{
    const struct race_instance *instance = question->instances;
    if (of_one_operator(question) || !code_order(question, out_order) ||
        !(on_one_line(question) || out_order->entwined))
        return false;
    return (out_order->first == 0 ? instance->first : instance->second).writes ||
           in_two_statements(question, out_order);
}

static void say_in_line(const struct question *question, const struct code_order *order, struct wording *fix)
{
    const bool two = in_two_statements(question, order);
    wording_add(
        fix,
        two ? "work_group_barrier(%s) between the two statements of "
            : "two statements instead of one, with work_group_barrier(%s) between the two accesses, at ",
        wording_region_flag(question->region));
    wording_place(fix, question->host, order->entwined ? order->statement : question->instances->second.site);
    struct code_change change = {.kind = CHANGE_STATEMENT, .place.side = FENCE_BETWEEN};
    const struct race_instance *instance = question->instances;
    change.site = change.place.site = order->first == 0 ? instance->first.site : instance->second.site;
    change.other = order->first == 0 ? instance->second.site : instance->first.site;
    snprintf(change.text, sizeof change.text, "work_group_barrier(%s)",
             wording_region_flag(question->region));
    if (two)
        wording_change(fix, &change);
    else
        fix->partial = true;
}

static bool separate_in_line(const struct question *question, struct wording *fix,
                             struct suggested_fix *suggested_fix)
{
    const struct race_instance *instance = question->instances;
    struct code_order order;
    if (!in_one_group(question, instance) || (question->region != IN_LOCAL && !all_in_one_group(question)) ||
        !in_line(question, &order) || !order.parted)
        return false;
    suggested_fix->place = (struct code_place){
        .site = order.first == 0 ? instance->first.site : instance->second.site, .first = order.first};
    if (!barrier_orders(question, &suggested_fix->place))
        return false;
    suggested_fix->kind = FIX_BARRIER;
    say_in_line(question, &order, fix);
    return true;
}

static bool ends_operand(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == ']' || c == ')';
}

/* The place is at the = of an assignment: where the second x of `x = x + y` begins in the text, and the
 * operator after it. NULL: it is no such assignment. */
static const char *same_again(const struct source_place *place, const char **out_sign)
{
    const char *at = text_from(place);
    if (!at || at == place->text || *at != '=' || at[1] == '=' || strchr("+-*/%&|^<>=!", at[-1]))
        return NULL;
    const char *end = at, *again = at + 1 + strspn(at + 1, " \t");
    while (end > place->text && isspace((unsigned char)end[-1]))
        end--;
    for (const char *begin = place->text; begin < end; begin++) {
        const size_t length = (size_t)(end - begin);
        const bool begins = begin == place->text || strchr(" \t;{}", begin[-1]);
        if (!begins || isspace((unsigned char)*begin) || strncmp(again, begin, length) != 0)
            continue;
        *out_sign = again + length + strspn(again + length, " \t");
        return ends_operand(end[-1]) && !(ends_operand(again[length]) || strchr(".[(", again[length])) ? again
                                                                                                       : NULL;
    }
    return NULL;
}

/* Are the accesses the store of x = x + y and its load of x, or both of them the store? Then the text from
 * the operator on, else NULL. */
static const char *update_operator(const struct question *question)
{
    struct source_place place[2];
    places_of(question, &place[0], &place[1]);
    const struct racing_access *accesses[2] = {&question->instances->first, &question->instances->second};
    for (int i = 0; i < 2 && on_one_line(question); i++) {
        const char *sign = NULL, *again = accesses[i]->writes ? same_again(&place[i], &sign) : NULL;
        if (again && (accesses[!i]->writes ? place[!i].column == place[i].column
                                           : (size_t)(again - place[i].text) + 1 == place[!i].column))
            return sign;
    }
    return NULL;
}

static bool all_write(const struct question *question)
{
    return question->instances->first.writes && question->instances->second.writes;
}

/* The lock that the two stores give back; NULL: they are not such stores. */
static const struct lock *lock_of_stores(const struct question *question)
{
    for (uint32_t i = 0; question->locks && i < question->locks->count && all_write(question); i++)
        if (question->locks->items[i].store == question->instances->first.site &&
            question->locks->items[i].store == question->instances->second.site)
            return &question->locks->items[i];
    return NULL;
}

/* Are the accesses meant to touch one object at once, so that atomics are right? Accesses of one operator or
 * update are, unless they store different values. Of other accesses of one line only those of two
 * work-groups: in a work-group the load may be meant to read what another work-item stores. */
static bool meant_to_meet(const struct question *question)
{
    if (question->differs && of_one_operator(question) && !explain_is_update(question) &&
        !lock_of_stores(question))
        return false; /* with atomics the last store wins */
    return of_one_operator(question) || update_operator(question) ||
           (on_one_line(question) && !in_one_group(question, question->instances));
}

/* In OpenCL C 1.x atomics are relaxed. Their scope is the device, on local memory the work-group. */
bool explain_has_old_atomics(const struct question *question)
{
    const uint32_t version = question->host->opencl_c ? question->host->opencl_c(question->host->self) : 0;
    return version && version < 200;
}

/* Does the operator bind all that follows up to the end of the statement, as in x = x + (a & b)? */
static bool binds_all(const char *sign)
{
    const char *looser = *sign == '|' ? "?," : *sign == '^' ? "?,|" : *sign == '&' ? "?,|^" : "?,|^&<>=";
    int depth = 0;
    for (const char *at = sign + 1; *at && *at != ';'; at++) {
        const bool logical = (*at == '&' || *at == '|') && at[1] == *at;
        depth += (*at == '(' || *at == '[') - (*at == ')' || *at == ']');
        if (depth == 0 && (logical || strchr(looser, *at)))
            return false;
    }
    return true;
}

/* The atomic function for the assignment at whose operator the accesses are; NULL: there is none. */
static const char *atomic_update(const struct question *question)
{
    static const struct {
        char sign[3];
        const char *old, *name;
    } names[] = {
        {"++", "atomic_inc", "atomic_fetch_add_explicit"}, {"+=", "atomic_add", "atomic_fetch_add_explicit"},
        {"--", "atomic_dec", "atomic_fetch_sub_explicit"}, {"-=", "atomic_sub", "atomic_fetch_sub_explicit"},
        {"|=", "atomic_or", "atomic_fetch_or_explicit"},   {"&=", "atomic_and", "atomic_fetch_and_explicit"},
        {"^=", "atomic_xor", "atomic_fetch_xor_explicit"},
    };
    struct source_place place, other;
    places_of(question, &place, &other);
    const char *of_two = update_operator(question), *at = of_two && binds_all(of_two) ? of_two : NULL;
    if (!of_two)
        at = text_from(&place);
    for (size_t i = 0; at && i < sizeof names / sizeof names[0]; i++) {
        const bool assigns = names[i].sign[1] == '=';
        const bool fits = of_two ? assigns && *at == names[i].sign[0] && at[1] != at[0]
                                 : strncmp(at, names[i].sign, 2) == 0;
        if (fits)
            return explain_has_old_atomics(question) ? names[i].old : names[i].name;
    }
    return NULL;
}

const char *explain_store_function(const struct question *question, uint32_t load)
{
    static const char flag[] = "atomic_flag_";
    struct source_place place;
    question->host->place(question->host->self, load, &place);
    const char *text = text_from(&place);
    return text && strncmp(text, flag, strlen(flag)) == 0 ? "atomic_flag_clear_explicit"
                                                          : "atomic_store_explicit";
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
    const bool one = of_one_operator(question);
    const struct lock *lock = lock_of_stores(question);
    const bool updates = update_operator(question);
    const char *update = one || updates ? atomic_update(question) : NULL;
    if (update && explain_has_old_atomics(question))
        wording_add(fix, "%s at ", update);
    else if (update || updates ||
             (one && question->instances->first.writes != question->instances->second.writes))
        wording_add(fix, "%s with memory_order_relaxed, %s at ",
                    update ? update : "an atomic read-modify-write", memory_scope_word(scope));
    else if (lock)
        say_release(question, lock->load, scope, fix);
    else if (one && all_write(question))
        wording_add(fix,
                    "let one work-item do it, or atomic_store_explicit with memory_order_relaxed, %s at ",
                    memory_scope_word(scope));
    else
        wording_add(fix, "atomic operations with %s at ", memory_scope_word(scope));
    if (one && all_write(question) && !update && !updates)
        wording_store(fix, question->instances->first.site, question->region == IN_LOCAL,
                      lock ? ORDER_RELEASE : ORDER_RELAXED, scope);
    else
        fix->partial = true;
}

/* One access is atomic already: the other becomes so, too. A store that gives back a lock also releases. */
static void say_other_atomic(const struct question *question, const struct racing_access *atomic,
                             const struct racing_access *plain, struct wording *fix)
{
    const struct checker_host *host = question->host;
    const bool local = question->region == IN_LOCAL,
               unlocks =
                   plain->writes && host->spins_on && host->spins_on(host->self, atomic->site, plain->site);
    if (unlocks)
        say_release(question, atomic->site, atomic->scope, fix);
    else
        wording_add(fix, "an atomic operation with %s at ", memory_scope_word(atomic->scope));
    if (plain->writes)
        wording_store(fix, plain->site, local, unlocks ? ORDER_RELEASE : ORDER_RELAXED, atomic->scope);
    else
        wording_load(fix, plain->site, local, ORDER_RELAXED, atomic->scope);
}

/* R29: two atomics on one object do not race when their scopes include each other. Accesses of 4 bytes that
 * overlap are of one object, since they are aligned. */
static bool make_atomic(const struct question *question, struct wording *fix,
                        struct suggested_fix *suggested_fix)
{
    const bool one_atomic = question->instances->first.atomic != question->instances->second.atomic;
    const struct racing_access *atomic =
        question->instances->first.atomic ? &question->instances->first : &question->instances->second;
    const struct racing_access *plain =
        question->instances->first.atomic ? &question->instances->second : &question->instances->first;
    const enum memory_scope scope = one_atomic ? atomic->scope : launch_scope(question, question->region);
    if (question->region == IN_IMAGE || question->instances->first.size != 4 ||
        question->instances->second.size != 4)
        return false;
    if (!one_atomic && !meant_to_meet(question))
        return false;
    *suggested_fix = (struct suggested_fix){.kind = FIX_ATOMIC, .scope = scope};
    if (!explain_fix_covers(question->launch, question->rule, suggested_fix, question->instances->first.unit,
                            question->instances->second.unit))
        return false;
    if (one_atomic)
        say_other_atomic(question, atomic, plain, fix);
    else
        say_atomics(question, scope, fix);
    wording_place(fix, question->host, plain->site);
    return true;
}

/* Would some work-items not reach a barrier between the accesses, because of branches or a return? */
static bool is_branched(const struct question *question)
{
    const struct race_instance *instance = question->instances;
    const bool plain = !instance->first.atomic && !instance->second.atomic;
    struct code_order order;
    if (!plain || !in_one_group(question, instance) || of_one_operator(question) ||
        !code_order(question, &order) || !order.branched)
        return false;
    return !on_one_line(question) || in_line(question, &order);
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
        wording_add(fix, "%s", i == 0 ? "memory_scope_device at " : i + 1 < count ? ", " : " and ");
        wording_place(fix, question->host, sites[i]);
    }
    return count > 0;
}

/* Both accesses are made under one lock: its release needs an order, or a scope. */
static bool advise_unlock(const struct question *question, struct wording *fix)
{
    const struct checker_host *host = question->host;
    const struct race_instance *instance = question->instances;
    struct code_place place;
    const struct lock *lock =
        host->between && host->between(host->self, instance->first.site, instance->second.site, &place)
            ? lock_at(question, &place)
            : NULL;
    const struct sync_op *release = lock ? release_at(question, lock->store) : NULL;
    if (release)
        return release->region != IN_LOCAL && !in_one_group(question, instance) &&
               advise_scopes(question, release, fix);
    if (!lock)
        return false;
    wording_add(fix, "an atomic store with memory_order_release where the lock is released, at ");
    wording_place(fix, host, lock->store);
    return true;
}

/* For a statement in a loop whose iterations the two work-items do not execute together: it is unknown
 * whether the accesses were of one iteration. */
static bool advise_iterations(const struct question *question, struct wording *fix)
{
    const struct checker_host *host = question->host;
    const uint32_t first = question->instances->first.site, second = question->instances->second.site;
    struct suggested_fix suggested_fix = {.kind = FIX_NEXT_ITERATION};
    if (question->one_wave || !host->next_iteration ||
        !(host->next_iteration(host->self, first, second, &suggested_fix.place) ||
          host->next_iteration(host->self, second, first, &suggested_fix.place)) ||
        is_in_lock(question, &suggested_fix.place))
        return false;
    say_iterations(question, &suggested_fix, fix);
    wording_add(fix, "; if the two are of one iteration, read into a variable, too, with another barrier "
                     "before the write");
    return true;
}

/* A read and a later write of the same one of two buffers that alternate: the write was meant for the
 * other. */
static bool find_other_buffer(const struct question *question, struct wording *fix)
{
    const struct checker_host *host = question->host;
    const struct race_instance *instance = question->instances;
    const bool second_writes = instance->second.writes;
    const uint32_t read = second_writes ? instance->first.site : instance->second.site,
                   write = second_writes ? instance->second.site : instance->first.site;
    struct code_order order;
    char name[CHECKER_NAME_CHARS];
    const bool plain = !instance->first.atomic && !instance->second.atomic;
    if (instance->first.writes == second_writes || !plain || !host->other_buffer || !host->order)
        return false;
    const bool read_first = host->order(host->self, read, write, &order) && order.first == 0;
    if (!read_first || !host->other_buffer(host->self, read, write, name, sizeof name))
        return false;
    wording_add(fix, "%s, the other buffer, for the write at ", name);
    wording_place(fix, host, write);
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
    if (question->region == IN_IMAGE || !is_uneven(question) || !in_one_group(question, question->instances))
        return false;
    wording_add(fix, "atomic operations, or let each byte belong to one work-item: no barrier fits in a loop "
                     "whose condition "
                     "differs between work-items");
    return true;
}

/* Is the update the one that takes a lock, as `while (*x) ; *x = 1;`? */
static bool takes_lock(const struct question *question)
{
    uint32_t load, store;
    const struct checker_host *host = question->host;
    if (!host->update(host->self,
                      question->instances->first.atomic ? question->instances->second.site
                                                        : question->instances->first.site,
                      &load, &store))
        return false;
    for (uint32_t i = 0; question->locks && i < question->locks->count; i++)
        if (question->locks->items[i].load == load)
            return true;
    return false;
}

/* Are the accesses of one update that no lock guards? A barrier would separate a load from its own store. */
static bool is_single_update(const struct question *question)
{
    const struct code_place places[2] = {{.site = question->instances->first.site},
                                         {.site = question->instances->second.site}};
    return explain_is_update(question) &&
           (takes_lock(question) || (!is_in_lock(question, &places[0]) && !is_in_lock(question, &places[1])));
}

bool explain_advice(const struct question *question, struct wording *out_fix)
{
    struct code_order order;
    *out_fix = (struct wording){.used = 0};
    if (advise_unlock(question, out_fix) || find_other_buffer(question, out_fix) ||
        (is_single_update(question) && explain_update_advice(question, out_fix)) ||
        advise_uneven(question, out_fix))
        return true;
    if (question->region != IN_IMAGE && is_branched(question)) {
        wording_add(
            out_fix,
            "take the two apart, with work_group_barrier(%s) between them outside of any branch, and before "
            "any return, "
            "that only some work-items of the work-group take, or let each byte belong to one work-item",
            wording_region_flag(question->region));
        return true;
    }
    if (question->region != IN_IMAGE && in_one_group(question, question->instances) &&
        in_line(question, &order)) {
        say_in_line(question, &order, out_fix);
        wording_add(out_fix,
                    ", where all work-items reach it; in a loop, wait before the next iteration, too");
        return true;
    }
    if (question->region == IN_IMAGE && question->instances->first.site == question->instances->second.site) {
        wording_add(out_fix, "let one work-item do it, or let each texel belong to one work-item");
        return true;
    }
    if (question->region == IN_IMAGE || (!on_one_line(question) && !reads_then_writes_over_lines(question)))
        return false;
    if (of_one_operator(question)) {
        const bool stores = all_write(question) && !atomic_update(question);
        wording_add(out_fix, stores ? "let one work-item do it, or let each byte belong to one work-item"
                                    : "let each byte belong to one work-item");
        return true;
    }
    if (!in_one_group(question, question->instances))
        return false;
    if (advise_iterations(question, out_fix))
        return true;
    wording_add(
        out_fix,
        "read into a variable, work_group_barrier(%s) where all work-items reach it, and write after it, at ",
        wording_region_flag(question->region));
    wording_place(out_fix, question->host, question->instances->second.site);
    wording_add(out_fix, "; in a loop, wait before the next iteration, too");
    return true;
}

/* Atomics of local memory are all of one work-group. The device's scope includes any two work-items of the
 * launch, unless the launch's work-groups run on several devices. */
bool explain_covers_all(const struct launch_info *launch, bool local,
                        const struct suggested_fix *suggested_fix)
{
    if (suggested_fix->kind != FIX_ATOMIC)
        return suggested_fix->kind == FIX_SPLIT || suggested_fix->kind == FIX_RELEASE_CLOCK;
    return local ? suggested_fix->scope >= SCOPE_WORK_GROUP
                 : suggested_fix->scope >= SCOPE_DEVICE && !launch->group_device;
}

bool explain_fix_covers(const struct launch_info *launch, enum scope_rule rule,
                        const struct suggested_fix *suggested_fix, uint64_t first, uint64_t second)
{
    /* explain_release_clock_covers() asks for the first; the caller compares the work-groups of a WAIT */
    if (suggested_fix->kind == FIX_RELEASE_CLOCK || suggested_fix->kind == FIX_WAIT)
        return true;
    if (first >= UNIT_COPIES || second >= UNIT_COPIES)
        return suggested_fix->kind == FIX_SPLIT;
    const struct place a = edges_unit_place(launch, first), b = edges_unit_place(launch, second);
    switch (suggested_fix->kind) {
    case FIX_BARRIER:
    case FIX_ITERATION:
    case FIX_ITERATIONS:
    case FIX_NEXT_ITERATION: return a.group == b.group;
    case FIX_ATOMIC: return scope_inclusive(rule, suggested_fix->scope, &a, suggested_fix->scope, &b);
    default: return true;
    }
}

static bool has_text(const struct question *question)
{
    struct source_place a, b;
    places_of(question, &a, &b);
    return a.text && b.text;
}

static void edit_barrier(const struct question *question, const struct code_place *place,
                         struct code_rewrite *rewrite)
{
    CHECKED(rewrite->edit_count < CODE_EDITS_MOST);
    struct code_edit *edit = &rewrite->edits[rewrite->edit_count++];
    struct source_place at = {.line = place->line};
    if (!at.line)
        question->host->place(question->host->self, place->site, &at);
    const uint32_t line = place->before ? at.line : at.line + 1;
    *edit = (struct code_edit){.line = line, .column = 1, .end_line = line, .end_column = 1};
    snprintf(edit->text, sizeof edit->text, "%s(%s); ",
             explain_has_old_atomics(question) ? "barrier" : "work_group_barrier",
             wording_region_flag(question->region));
}

/* A barrier on a line of its own becomes an edit, and is refused if that does not compile. Other barriers
 * are in words. */
static bool barrier_builds(const struct question *question, const struct suggested_fix *suggested_fix,
                           struct proposal *proposal)
{
    const struct checker_host *host = question->host;
    const bool lines = suggested_fix->kind == FIX_BARRIER || suggested_fix->kind == FIX_ITERATION ||
                       suggested_fix->kind == FIX_NEXT_ITERATION || suggested_fix->kind == FIX_ITERATIONS;
    struct code_rewrite *rewrite = &proposal->rewrites[0];
    if (!lines || !suggested_fix->place.site || suggested_fix->place.branches || !host->builds)
        return true;
    if (suggested_fix->place.braces || suggested_fix->next.braces) {
        char statement[CODE_STATEMENT_CHARS];
        snprintf(statement, sizeof statement, "work_group_barrier(%s)",
                 wording_region_flag(question->region));
        put_at(&suggested_fix->place, statement, &proposal->fix);
        if (suggested_fix->kind == FIX_ITERATIONS)
            put_at(&suggested_fix->next, statement, &proposal->fix);
        return true;
    }
    *rewrite = (struct code_rewrite){.edit_count = 0};
    edit_barrier(question, &suggested_fix->place, rewrite);
    if (suggested_fix->kind == FIX_ITERATIONS)
        edit_barrier(question, &suggested_fix->next, rewrite);
    const enum code_builds builds =
        host->builds(host->self, suggested_fix->place.site, rewrite->edits, rewrite->edit_count);
    proposal->rewrite_count = builds == BUILDS;
    return builds != BUILDS_NOT;
}

static bool separate_by_barrier(const struct question *question, bool update, struct proposal *proposal,
                                struct suggested_fix *suggested_fix)
{
    struct wording *fix = &proposal->fix;
    if (!update && separate(question, fix, suggested_fix) &&
        barrier_builds(question, suggested_fix, proposal))
        return true;
    *fix = (struct wording){.used = 0};
    if (!update && separate_in_line(question, fix, suggested_fix)) /* in words, without an edit */
        return true;
    if ((separate_iterations(question, fix, suggested_fix) ||
         separate_next_iteration(question, fix, suggested_fix)) &&
        barrier_builds(question, suggested_fix, proposal))
        return true;
    *fix = (struct wording){.used = 0};
    return false;
}

/* An update whose order does not matter becomes atomic at once. For others a barrier is tried first: they
 * may be meant to follow one another, as in iterations of a loop. */
bool explain_fix(const struct question *question, struct proposal *out_proposal,
                 struct suggested_fix *out_suggested_fix)
{
    const struct race_instance *instance = question->instances;
    struct wording *fix = &out_proposal->fix;
    *fix = (struct wording){.used = 0};
    out_proposal->rewrite_count = 0;
    *out_suggested_fix = (struct suggested_fix){.kind = FIX_NONE};
    if (instance->first.unit >= UNIT_COPIES || instance->second.unit >= UNIT_COPIES)
        return false;
    const bool update = is_single_update(question);
    struct wording other = {.used = 0};
    if (find_other_buffer(question, &other))
        return false;
    if (update && explain_update(question, true, out_proposal, out_suggested_fix))
        return true;
    if (separate_by_barrier(question, update, out_proposal, out_suggested_fix) ||
        explain_update(question, false, out_proposal, out_suggested_fix))
        return true;
    /* of an update whose source is known, a relaxed store alone would lose what other work-items add */
    if (!(update && has_text(question)) && make_atomic(question, fix, out_suggested_fix))
        return true;
    if (separate_each_iteration(question, fix, out_suggested_fix) &&
        barrier_builds(question, out_suggested_fix, out_proposal))
        return true;
    out_suggested_fix->kind = FIX_NONE;
    return false;
}

bool explain_barrier_at(const struct question *question, uint32_t site, uint32_t regions,
                        struct wording *out_fix, struct suggested_fix *out_suggested_fix)
{
    const struct checker_host *host = question->host;
    const struct race_instance *instance = question->instances;
    struct source_place a, b;
    *out_fix = (struct wording){.used = 0};
    *out_suggested_fix = (struct suggested_fix){.kind = FIX_BARRIER};
    host->place(host->self, site, &a);
    if (instance->first.unit >= UNIT_COPIES || instance->second.unit >= UNIT_COPIES || !host->between ||
        !host->between(host->self, instance->first.site, instance->second.site, &out_suggested_fix->place)) {
        out_suggested_fix->kind = FIX_NONE;
        return false;
    }
    host->place(host->self, out_suggested_fix->place.site, &b);
    if (!out_suggested_fix->place.before || !a.line || a.line != b.line || !same_text(a.file, b.file) ||
        !explain_insert_barrier(question, &out_suggested_fix->place)) {
        out_suggested_fix->kind = FIX_NONE;
        return false;
    }
    wording_add(out_fix, "work_group_barrier(");
    wording_regions(out_fix, regions | 1u << question->region);
    wording_add(out_fix, ") at ");
    wording_place(out_fix, host, site);
    struct code_change change = {.kind = CHANGE_CALL,
                                 .site = site,
                                 .regions = regions | 1u << question->region,
                                 .order = NOT_GIVEN,
                                 .failure = NOT_GIVEN,
                                 .scope = NOT_GIVEN,
                                 .text = "work_group_barrier"};
    wording_change(out_fix, &change);
    return true;
}

/* Does the code have the first access first, and between the two a place that is before a line? */
static bool is_place_before_second(const struct question *question, struct code_place *out_place)
{
    const struct checker_host *host = question->host;
    const struct race_instance *instance = question->instances;
    return host->between &&
           host->between(host->self, instance->first.site, instance->second.site, out_place) &&
           out_place->before && out_place->first == 0;
}

bool explain_barrier_before(const struct question *question, struct wording *out_fix)
{
    struct code_place place;
    *out_fix = (struct wording){.used = 0};
    if (question->instances->first.unit >= UNIT_COPIES || !is_place_before_second(question, &place) ||
        !explain_insert_barrier_before_copy(question, place.site))
        return false;
    wording_add(out_fix, "work_group_barrier(%s)", wording_region_flag(question->region));
    put_at(&place, out_fix->bytes, out_fix);
    explain_say_at(question, &place, out_fix);
    return true;
}

bool explain_image_fence(const struct question *question, struct wording *out_fix)
{
    const struct checker_host *host = question->host;
    const struct race_instance *instance = question->instances;
    struct code_place place;
    *out_fix = (struct wording){.used = 0};
    if (!host->between || !host->between(host->self, instance->first.site, instance->second.site, &place) ||
        place.branches || !explain_insert_image_fence(question, &place))
        return false;
    wording_add(out_fix,
                "atomic_work_item_fence(CLK_IMAGE_MEM_FENCE, memory_order_acq_rel, memory_scope_work_item)");
    put_at(&place, out_fix->bytes, out_fix);
    explain_say_at(question, &place, out_fix);
    return true;
}

static bool waits_already(const struct checker_host *host, uint32_t site)
{
    return strcmp(host->what(host->self, site), "wait_group_events") == 0;
}

bool explain_wait(const struct question *question, struct wording *out_fix)
{
    const struct checker_host *host = question->host;
    const struct race_instance *instance = question->instances;
    struct code_place place;
    *out_fix = (struct wording){.used = 0};
    if (!is_place_before_second(question, &place) || waits_already(host, place.site) ||
        !explain_insert_wait(question))
        return false;
    wording_add(out_fix, "wait_group_events");
    explain_say_at(question, &place, out_fix);
    struct code_change change = {.kind = CHANGE_WAIT, .site = place.site, .other = instance->first.site};
    change.place = (struct fence_place){.side = FENCE_BEFORE, .site = place.site, .line = place.line};
    wording_change(out_fix, &change);
    return true;
}
