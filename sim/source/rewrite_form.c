/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Forms of an update without a variable: the write alone, or an if whose condition reads the object. Each
 * form checks all that it depends on before it adds edits.
 */
#include <ctype.h>
#include <string.h>

#include "rewrite_form.h"

struct rewritten_loop form_loop_of_write(const struct rewriting *r)
{
    return (struct rewritten_loop){
        .value = r->value, .compound = is_token(r, r->op, "=") ? NO_TOKEN : r->op, .step = is_step(r, r->op)};
}

/* The write alone is the update: L op= E, L++ or L = f(L). */
bool form_alone(struct rewriting *r)
{
    const struct update update = update_of_assignment(r, r->op, r->value);
    r->out->commutes = update_commutes(r, &update) || is_token(r, r->op, "*=");
    const struct rewritten_loop loop = form_loop_of_write(r);
    struct text_piece piece = {.used = 0};
    const bool used = !r->alone && r->syntax.nodes[r->leaf].kind == NODE_PLAIN,
               postfix = is_step(r, r->op) && r->whole.first != r->op;
    if (!update_has_function(r, &update))
        return r->alone && rewriting_replace_by_loop(r, node_range(r, r->leaf), &loop);
    if (used && !postfix && rewriting_has_effects(r, update.by))
        return false;
    if (used && !postfix)
        print_call_after(r, &piece, &update);
    else
        print_call(r, &piece, &update);
    return rewriting_add_edit(r, r->whole, &piece);
}

/* ---- an if ----------------------------------------------------------------------------------- */

/* if (L < E) L = E; the condition may have other parts before this one. */
bool form_guarded(struct rewriting *r)
{
    const struct syntax_node *guard = &r->syntax.nodes[r->guard];
    const struct update update =
        is_token(r, r->op, "=") ? update_of_comparison(r, r->condition, r->value) : update_any();
    const bool only = r->condition.first == guard->head;
    struct rewritten_loop loop = form_loop_of_write(r);
    struct text_piece piece = {.used = 0}, nothing = {.used = 0};
    r->out->commutes = update_commutes(r, &update);
    loop.condition = r->condition;
    if (!update_has_function(r, &update) && only)
        return rewriting_replace_by_loop(r, node_range(r, r->guard), &loop);
    if (!update_has_function(r, &update))
        return rewriting_replace_by_loop(r, node_range(r, r->leaf), &loop) &&
               rewriting_add_edit(r, (struct range){r->condition.first - 1, r->condition.end}, &nothing);
    print_call(r, &piece, &update);
    if (only) {
        print_text(&piece, ";");
        return rewriting_add_edit(r, node_range(r, r->guard), &piece);
    }
    return rewriting_add_edit(r, r->whole, &piece) &&
           rewriting_add_edit(r, (struct range){r->condition.first - 1, r->condition.end}, &nothing);
}

/* Is the rest of the body stores of numbers, such as flags? Other stores may belong to the value. */
static bool has_flags_only(const struct rewriting *r)
{
    const struct syntax_node *body = &r->syntax.nodes[r->syntax.nodes[r->guard].body];
    for (uint32_t node = body->kind == NODE_BLOCK ? body->body : 0; node; node = r->syntax.nodes[node].next) {
        const struct syntax_node *statement = &r->syntax.nodes[node];
        const bool number = statement->end - statement->first > 3 && is_token(r, statement->end - 3, "=") &&
                            isdigit((unsigned char)*r->syntax.tokens[statement->end - 2].at);
        if (node != r->leaf && (statement->kind != NODE_PLAIN || !number))
            return false;
    }
    return body->kind == NODE_BLOCK;
}

/* if (L < E) { L = E; flag = 1; }: the condition uses the value that the atomic update returns. */
bool form_guard_of_more(struct rewriting *r)
{
    const struct syntax_node *guard = &r->syntax.nodes[r->guard];
    const struct update update =
        is_token(r, r->op, "=") ? update_of_comparison(r, r->condition, r->value) : update_any();
    struct text_piece call = {.used = 0}, piece = {.used = 0};
    const bool only_write = rewriting_count_writes(r, node_range(r, guard->body)) == 1 && r->alone &&
                            r->syntax.nodes[r->leaf].parent == guard->body;
    if (!update_has_function(r, &update) || rewriting_has_effects(r, update.by) || !only_write ||
        !has_flags_only(r))
        return false;
    if (!rewriting_means_same(r, r->value, (struct range){guard->head_end, r->whole.first}))
        return false;
    r->out->commutes = update_commutes(r, &update);
    print_call(r, &call, &update);
    print_range(r, &piece, r->condition, call.bytes);
    return !call.cut && rewriting_add_edit(r, r->condition, &piece) && rewriting_drop(r, r->leaf);
}

/* L == C, C == L or !L. *out_expected: C; empty: 0. */
static bool read_equality(const struct rewriting *r, struct range condition, struct range *out_expected)
{
    static const char *const operators[] = {"==", NULL};
    uint32_t count;
    condition = range_strip(r, condition);
    if (is_token(r, condition.first, "!") &&
        rewriting_is_old(r, (struct range){condition.first + 1, condition.end})) {
        *out_expected = (struct range){0, 0};
        return true;
    }
    const uint32_t at = rewriting_last_operator(r, condition, operators, &count);
    if (count != 1)
        return false;
    const struct range left = {condition.first, at}, right = {at + 1, condition.end};
    *out_expected = rewriting_is_old(r, left) ? right : left;
    return (rewriting_is_old(r, left) || rewriting_is_old(r, right)) &&
           !rewriting_has_old(r, *out_expected) && !rewriting_has_effects(r, *out_expected);
}

/* Is the statement L = E;? */
static bool is_write(const struct rewriting *r, uint32_t node, struct range *out_value)
{
    const struct syntax_node *statement = &r->syntax.nodes[node];
    const uint32_t op = statement->first + r->object.end - r->object.first;
    if (statement->kind != NODE_PLAIN || !rewriting_object_at(r, statement->first, statement->end) ||
        op + 2 > statement->end || !is_token(r, op, "="))
        return false;
    *out_value = (struct range){op + 1, statement->end - 1};
    return !range_is_empty(*out_value);
}

/* Is the write a statement of its own that stores another integer? Then an exchange can replace it. */
static bool is_plain_assignment(const struct rewriting *r)
{
    return r->alone && rewriting_assigns_new_value(r) && !rewriting_is_float(r);
}

/* Is the write a statement of the body itself, and does its value mean the same at the condition? */
static bool may_exchange(const struct rewriting *r)
{
    const struct syntax_node *guard = &r->syntax.nodes[r->guard];
    const uint32_t parent = r->syntax.nodes[r->leaf].parent;
    const bool inside =
        r->leaf == guard->body || (parent == guard->body && r->syntax.nodes[parent].kind == NODE_BLOCK);
    return inside && is_plain_assignment(r) &&
           rewriting_means_same(r, r->value, (struct range){guard->head_end, r->whole.first});
}

static bool is_expected(const struct rewriting *r, struct range expected, struct range value)
{
    value = range_strip(r, value);
    return range_is_empty(expected) ? value.end - value.first == 1 && is_token(r, value.first, "0")
                                    : range_equals(r, expected, value);
}

/* The two statements of a block that write the object, and their values; false: not exactly two. */
static bool find_two_writes(const struct rewriting *r, const struct syntax_node *body, uint32_t found[2],
                            struct range values[2])
{
    uint32_t count = 0;
    struct range value;
    for (uint32_t node = body->kind == NODE_BLOCK ? body->body : 0; node; node = r->syntax.nodes[node].next)
        if (is_write(r, node, &value) && count++ < 2) {
            found[count - 1] = node;
            values[count - 1] = value;
        }
    return count == 2;
}

/* if (L == C) { L = D; ... L = C; ... }: a lock that is taken and released. The write is one of the two. */
static bool lock(struct rewriting *r, struct range expected)
{
    const struct syntax_node *guard = &r->syntax.nodes[r->guard], *body = &r->syntax.nodes[guard->body];
    uint32_t found[2] = {0, 0};
    struct range values[2];
    struct text_piece piece = {.used = 0}, taken = {.used = 0}, back = {.used = 0};
    if (!find_two_writes(r, body, found, values) ||
        rewriting_count_writes(r, node_range(r, guard->body)) != 2)
        return false;
    if ((r->leaf != found[0] && r->leaf != found[1]) || is_expected(r, expected, values[0]) ||
        !is_expected(r, expected, values[1]))
        return false;
    r->leaf = found[0];
    r->value = values[0];
    r->whole = (struct range){r->syntax.nodes[found[0]].first, values[0].end};
    r->alone = true;
    if (!may_exchange(r) || !rewriting_means_same(r, expected, node_range(r, guard->body)))
        return false;
    r->out->commutes = true;
    print_fence(r, &taken, "acquire");
    print_fence(r, &back, "release");
    print_text(&back, "%s", back.used ? " " : "");
    print_xchg(r, &back, expected);
    print_text(&back, ";");
    print_compare_exchange(r, &piece, expected);
    print_text(&piece, " == ");
    print_expected(r, &piece, expected);
    return rewriting_add_edit(r, r->condition, &piece) &&
           (taken.used ? rewriting_add_edit(r, node_range(r, found[0]), &taken)
                       : rewriting_drop(r, found[0])) &&
           rewriting_add_edit(r, node_range(r, found[1]), &back);
}

/* if (L == C) { L = D; ... }: a compare-exchange. */
bool form_exchange(struct rewriting *r)
{
    struct range expected;
    struct text_piece piece = {.used = 0};
    if (!may_exchange(r) || !read_equality(r, r->condition, &expected))
        return false;
    if (rewriting_count_writes(r, node_range(r, r->syntax.nodes[r->guard].body)) != 1)
        return lock(r, expected);
    if (is_expected(r, expected, r->value))
        return false;
    r->out->commutes = true;
    print_compare_exchange(r, &piece, expected);
    print_text(&piece, " == ");
    print_expected(r, &piece, expected);
    return rewriting_add_edit(r, r->condition, &piece) && rewriting_drop(r, r->leaf);
}

/* t = L; ... if (t == C) { L = D; ... } */
bool form_read_exchange(struct rewriting *r)
{
    struct range expected;
    struct text_piece piece = {.used = 0};
    const struct range between = {r->initial.end, r->whole.first};
    const struct syntax_node *guard = &r->syntax.nodes[r->guard];
    if (!may_exchange(r) || !read_equality(r, r->condition, &expected) || !rewriting_is_old(r, r->initial))
        return false;
    if (rewriting_count_writes(r, node_range(r, guard->body)) != 1 || r->condition.first != guard->head)
        return false;
    if (is_expected(r, expected, r->value) || !rewriting_means_same(r, r->value, between) ||
        !rewriting_means_same(r, expected, between))
        return false;
    r->out->commutes = true;
    print_compare_exchange(r, &piece, expected);
    return rewriting_add_edit(r, r->initial, &piece) && rewriting_drop(r, r->leaf);
}

/* ---- two statements, of which the first one reads -------------------------------------------- */

/* while (L != C), while (L), or while (L == D) where D is the value that L gets. *out_free: the value of L
 * that ends the loop; empty: 0. *out_other: every value but D ends it. */
static bool read_wait(const struct rewriting *r, struct range condition, struct range *out_free,
                      bool *out_other)
{
    static const char *const differs[] = {"!=", NULL}, *const equals[] = {"==", NULL};
    uint32_t count;
    condition = range_strip(r, condition);
    *out_free = (struct range){0, 0};
    *out_other = false;
    if (rewriting_is_old(r, condition))
        return true;
    const uint32_t unequal = rewriting_last_operator(r, condition, differs, &count);
    if (count == 1 && rewriting_is_old(r, (struct range){condition.first, unequal})) {
        *out_free = (struct range){unequal + 1, condition.end};
        return !rewriting_has_old(r, *out_free) && !rewriting_has_effects(r, *out_free);
    }
    const uint32_t equal = rewriting_last_operator(r, condition, equals, &count);
    *out_other = true;
    return count == 1 && rewriting_is_old(r, (struct range){condition.first, equal}) &&
           range_equals(r, (struct range){equal + 1, condition.end}, r->value);
}

/* while (L != C) ; L = D;: waits for a value and replaces it. */
bool form_wait(struct rewriting *r)
{
    const uint32_t loop = syntax_leaf(&r->syntax, r->read);
    const struct syntax_node *wait = &r->syntax.nodes[loop], *body = &r->syntax.nodes[wait->body];
    const bool idle = body->kind == NODE_BLOCK ? !body->body : is_token(r, body->first, ";");
    struct range wanted;
    struct text_piece piece = {.used = 0};
    bool other;
    const bool waits = wait->kind == NODE_LOOP && is_token(r, wait->first, "while") && idle;
    if (!waits || wait->next != r->leaf || !is_plain_assignment(r))
        return false;
    if (!read_wait(r, (struct range){wait->head, wait->head_end}, &wanted, &other))
        return false;
    r->out->commutes = true;
    if (other) {
        print_xchg(r, &piece, r->value);
        print_text(&piece, " == ");
        print_range(r, &piece, r->value, NULL);
    } else {
        print_compare_exchange(r, &piece, wanted);
        print_text(&piece, " != ");
        print_expected(r, &piece, wanted);
    }
    return rewriting_add_edit(r, (struct range){wait->head, wait->head_end}, &piece) &&
           rewriting_drop(r, r->leaf);
}

/* The only place of the object in the statement; NO_TOKEN: none, or several. */
static uint32_t only_object(const struct rewriting *r, const struct syntax_node *statement)
{
    uint32_t found = NO_TOKEN, count = 0;
    for (uint32_t i = statement->first; i < statement->end; i++)
        if (rewriting_object_at(r, i, statement->end)) {
            found = i;
            count++;
        }
    return count == 1 ? found : NO_TOKEN;
}

/* a[L] = v; L++;: a statement reads, the next one updates. The read becomes the update. */
bool form_used_first(struct rewriting *r)
{
    const uint32_t user = syntax_leaf(&r->syntax, r->read);
    const struct syntax_node *statement = &r->syntax.nodes[user];
    const struct update update = update_of_assignment(r, r->op, r->value);
    struct text_piece piece = {.used = 0};
    const uint32_t at = statement->kind == NODE_PLAIN ? only_object(r, statement) : NO_TOKEN;
    if (at == NO_TOKEN || statement->next != r->leaf || !r->alone)
        return false;
    if (!update_has_function(r, &update) || rewriting_has_effects(r, update.by) ||
        !rewriting_means_same(r, update.by, node_range(r, user)) ||
        !rewriting_means_same(r, r->object, node_range(r, user)))
        return false;
    r->out->commutes = update_commutes(r, &update);
    print_call(r, &piece, &update);
    return rewriting_add_edit(r, (struct range){at, at + r->object.end - r->object.first}, &piece) &&
           rewriting_drop(r, r->leaf);
}

/* Does an expression call a function that may have effects, or wait? Functions named get_ have none. */
static bool calls_others(const struct rewriting *r, struct range range)
{
    for (uint32_t i = range.first; i + 1 < range.end; i++)
        if (token_is_word(&r->syntax, i) && is_token(r, i + 1, "(") &&
            (r->syntax.tokens[i].length < 4 || memcmp(r->syntax.tokens[i].at, "get_", 4) != 0))
            return true;
    return false;
}

/* next[me] = L; ... L = me; where the value does not depend on the statements from the read on. The read
 * becomes the exchange. */
bool form_swap(struct rewriting *r)
{
    const uint32_t user = syntax_leaf(&r->syntax, r->read);
    const struct syntax_node *statement = &r->syntax.nodes[user];
    struct text_piece piece = {.used = 0};
    const uint32_t at = statement->kind == NODE_PLAIN ? only_object(r, statement) : NO_TOKEN;
    const struct range across = {statement->first, r->whole.first};
    uint32_t node = statement->next;
    while (node && node != r->leaf && !rewriting_has_object(r, node_range(r, node)))
        node = r->syntax.nodes[node].next;
    const bool independent = !rewriting_has_object(r, r->value) && !rewriting_has_effects(r, r->value) &&
                             !calls_others(r, r->value);
    const bool assigns = r->alone && is_token(r, r->op, "=");
    if (at == NO_TOKEN || node != r->leaf || !assigns || !independent)
        return false;
    if (!rewriting_has_atomic_size(r) || (r->request->size == 8 && rewriting_is_float(r)) ||
        calls_others(r, across))
        return false;
    if (!rewriting_means_same(r, r->value, across) || !rewriting_means_same(r, r->object, across))
        return false;
    r->out->commutes = true;
    print_exchange(r, &piece);
    return rewriting_add_edit(r, (struct range){at, at + r->object.end - r->object.first}, &piece) &&
           rewriting_drop(r, r->leaf);
}
