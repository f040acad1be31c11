/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Forms of an update whose read puts the object into a variable, t = L. The update goes where the read
 * was, if an atomic function returns the value that the variable needs; else a loop goes where the write
 * was, if the variable has no other use.
 */
#include "rewrite_form.h"

/* The whole function, which has all uses of the variable. */
static struct range function_of(const struct rewriting *r)
{
    uint32_t node = r->leaf;
    while (r->syntax.nodes[node].parent)
        node = r->syntax.nodes[node].parent;
    return node_range(r, node);
}

/* The statement between the definer and the write that changes the variable: t += E or t = f(t). 0: none.
 * *out_many: several, or one of another kind. */
static uint32_t changer_of(const struct rewriting *r, bool *out_many)
{
    uint32_t found = 0;
    const uint32_t last = r->guard ? r->guard : r->leaf;
    *out_many = false;
    for (uint32_t node = r->syntax.nodes[r->definer].next; node && node != last;
         node = r->syntax.nodes[node].next) {
        if (!rewriting_is_changed(r, r->variable, node_range(r, node)))
            continue;
        *out_many |= found != 0 || r->syntax.nodes[node].kind != NODE_PLAIN;
        found = node;
    }
    return found;
}

/* Reads operator and value of such a statement; false: it has another form. */
static bool read_changer(const struct rewriting *r, uint32_t node, uint32_t *out_operator,
                         struct range *out_value)
{
    const struct syntax_node *statement = &r->syntax.nodes[node];
    const bool prefix_step = is_step(r, statement->first) && rewriting_variable_at(r, statement->first + 1);
    *out_operator = prefix_step ? statement->first : statement->first + 1;
    *out_value = (struct range){0, 0};
    if (prefix_step || (rewriting_variable_at(r, statement->first) && is_step(r, *out_operator)))
        return statement->end - statement->first == 3;
    *out_value = (struct range){statement->first + 2, statement->end - 1};
    return rewriting_variable_at(r, statement->first) && token_assigns(&r->syntax, *out_operator);
}

static bool is_sibling(const struct rewriting *r, uint32_t node)
{
    for (uint32_t next = r->syntax.nodes[r->definer].next; next; next = r->syntax.nodes[next].next)
        if (next == node)
            return true;
    return false;
}

/* Puts the update where the read was: the variable gets the old value, and the write is removed. */
static bool update_at_read(struct rewriting *r, const struct update *update, bool after, uint32_t dropped)
{
    struct text_piece piece = {.used = 0};
    const struct range between = {r->initial.end, r->syntax.nodes[dropped].first};
    if (!update_has_function(r, update) || rewriting_has_effects(r, update->by) ||
        !rewriting_means_same(r, update->by, between) || !rewriting_means_same(r, r->object, between))
        return false;
    if (after)
        print_call_after(r, &piece, update);
    else
        print_call(r, &piece, update);
    return rewriting_add_edit(r, r->initial, &piece) && rewriting_drop(r, dropped);
}

/* Puts the update where the write was. The variable has no other use, and is removed. */
static bool update_at_write(struct rewriting *r, const struct rewritten_loop *loop, uint32_t replaced,
                            uint32_t changer)
{
    const uint32_t uses = rewriting_count_variable(r, node_range(r, r->definer)) +
                          rewriting_count_variable(r, node_range(r, replaced)) +
                          (changer ? rewriting_count_variable(r, node_range(r, changer)) : 0);
    const struct range between = {r->initial.end, r->syntax.nodes[replaced].first};
    const bool declares = r->variable > r->syntax.nodes[r->definer].first,
               single = r->initial.end + 1 == r->syntax.nodes[r->definer].end;
    if (!declares || !single || uses != rewriting_count_variable(r, function_of(r)) ||
        !rewriting_means_same(r, r->initial, between))
        return false;
    return rewriting_replace_by_loop(r, node_range(r, replaced), loop) && rewriting_drop(r, r->definer) &&
           (!changer || rewriting_drop(r, changer));
}

/* ---- forms ----------------------------------------------------------------------------------- */

/* t = L; t += E; L = t; */
static bool update_changed_variable(struct rewriting *r, uint32_t changer)
{
    struct range value;
    uint32_t op;
    if (!read_changer(r, changer, &op, &value))
        return false;
    const struct update update = update_of_assignment(r, op, value);
    r->out->commutes = update_commutes(r, &update);
    const struct rewritten_loop loop = {
        .value = value, .compound = is_token(r, op, "=") ? NO_TOKEN : op, .step = is_step(r, op)};
    return update_at_read(r, &update, false, r->leaf) || update_at_write(r, &loop, r->leaf, changer);
}

/* t = L; ... L = g(t); or t = f(L); ... L = t; or t = L; t += E; L = t; */
bool form_read_first(struct rewriting *r)
{
    bool many;
    const uint32_t changer = changer_of(r, &many);
    const bool reads = rewriting_is_old(r, r->initial), writes = is_token(r, r->op, "=") &&
                                                                 rewriting_count_variable(r, r->value) == 1 &&
                                                                 rewriting_is_old(r, r->value);
    if (many || !r->alone || !is_sibling(r, r->leaf))
        return false;
    if (changer)
        return reads && writes && update_changed_variable(r, changer);
    const struct range assigned = reads ? r->value : r->initial;
    const struct rewritten_loop loop = {.value = assigned, .compound = NO_TOKEN};
    if (!is_token(r, r->op, "=") || (!reads && !writes))
        return false;
    const struct update update = update_of_value(r, assigned);
    r->out->commutes = update_commutes(r, &update);
    return update_at_read(r, &update, !reads, r->leaf) || update_at_write(r, &loop, r->leaf, 0);
}

/* t = L; ... L op= E; */
bool form_read_and_update(struct rewriting *r)
{
    bool many;
    const struct update update = update_of_assignment(r, r->op, r->value);
    r->out->commutes = update_commutes(r, &update);
    const bool changed = changer_of(r, &many) || many;
    if (changed || !r->alone || !is_sibling(r, r->leaf))
        return false;
    return rewriting_is_old(r, r->initial) && !rewriting_count_variable(r, r->value) &&
           update_at_read(r, &update, false, r->leaf);
}

/* t = L; ... if (t < E) L = E; */
bool form_read_guarded(struct rewriting *r)
{
    bool many;
    const struct update update =
        is_token(r, r->op, "=") ? update_of_comparison(r, r->condition, r->value) : update_any();
    struct rewritten_loop loop = form_loop_of_write(r);
    const bool changed = changer_of(r, &many) || many;
    const bool whole_condition = r->condition.first == r->syntax.nodes[r->guard].head;
    if (changed || !rewriting_is_old(r, r->initial) || !is_sibling(r, r->guard) || !whole_condition)
        return false;
    r->out->commutes = update_commutes(r, &update);
    loop.condition = r->condition;
    return update_at_read(r, &update, false, r->guard) || update_at_write(r, &loop, r->guard, 0);
}
