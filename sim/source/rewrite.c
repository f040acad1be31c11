/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Replaces a read of an object and a write that depends on it by one atomic update. In four steps:
 *   1. rewrite_write.c finds the write: L = R, L op= E or L++. Here find_definer() finds an earlier statement
 *      that reads L into a variable (t = X), and find_guard() the if around the write that reads L or t.
 *   2. rewrite_update.c reads the value that L gets as an operation on the value that it had.
 *   3. A form (rewrite_form.h) that fits these statements puts the update where the read or the write was.
 *   4. rewrite_print.c prints it: an atomic function if there is one for the operation and the type, else a
 *      compare-exchange loop.
 *
 * Each form keeps the meaning for a work-item that executes the statements alone. The write may move to the
 * read, or the read to the write, only if no statement in between assigns a variable of either.
 */
#include "rewrite.h"

#include "rewrite_form.h"

/* ---- the statements that the write depends on ------------------------------------------------ */

/* Does the read's statement assign what it reads to a variable, t = X? */
static bool find_definer(struct rewriting *r, uint32_t read)
{
    const uint32_t node = syntax_leaf(&r->syntax, read);
    const struct syntax_node *statement = &r->syntax.nodes[node];
    uint32_t assign = statement->first;
    while (assign < read && !is_token(r, assign, "="))
        assign++;
    if (statement->kind != NODE_PLAIN || assign >= read || assign == statement->first)
        return false;
    const bool indirect = assign - 1 > statement->first && is_any_token(r, assign - 2, "* . ->");
    if (indirect || !token_is_word(&r->syntax, assign - 1))
        return false;
    r->definer = node;
    r->variable = assign - 1;
    r->initial = (struct range){assign + 1, rewriting_value_end(r, assign + 1, statement->end)};
    return rewriting_has_object(r, r->initial) && read < r->initial.end;
}

/* The last operand of a condition that is a conjunction; else the whole condition. */
static struct range last_part(const struct rewriting *r, struct range condition)
{
    static const char *const ands[] = {"&&", NULL}, *const ors[] = {"||", "?", NULL};
    uint32_t count;
    if (rewriting_last_operator(r, condition, ors, &count) != NO_TOKEN)
        return condition;
    const uint32_t at = rewriting_last_operator(r, condition, ands, &count);
    return at == NO_TOKEN ? condition : (struct range){at + 1, condition.end};
}

/* Finds the nearest if around the write whose condition reads the object in its last part. False: another
 * condition reads it, too. */
static bool find_guard(struct rewriting *r)
{
    for (uint32_t node = r->syntax.nodes[r->leaf].parent, below = r->leaf; node;
         below = node, node = r->syntax.nodes[node].parent) {
        const struct syntax_node *at = &r->syntax.nodes[node];
        const struct range head = {at->head, at->head_end};
        if (range_is_empty(head) || !rewriting_has_old(r, head))
            continue;
        const struct range part = last_part(r, head);
        if (r->guard || at->kind != NODE_IF || below != at->body ||
            rewriting_has_old(r, (struct range){head.first, part.first}))
            return false;
        r->guard = node;
        r->condition = part;
    }
    return true;
}

/* Is the write the whole body of the if, and is there no else? */
static bool is_sole(const struct rewriting *r)
{
    const struct syntax_node *guard = &r->syntax.nodes[r->guard], *body = &r->syntax.nodes[guard->body];
    const bool in_block = body->kind == NODE_BLOCK && body->body == r->leaf && !r->syntax.nodes[r->leaf].next;
    return !guard->otherwise && r->alone && (guard->body == r->leaf || in_block);
}

/* Is the read in the head of an if, a loop or a switch? */
static bool is_in_head(const struct rewriting *r, uint32_t read)
{
    const struct syntax_node *node = &r->syntax.nodes[syntax_leaf(&r->syntax, read)];
    return node->head <= read && read < node->head_end;
}

/* ---- forms ----------------------------------------------------------------------------------- */

/* A form that does not fit leaves no edits. */
static bool try_form(struct rewriting *r, bool (*form)(struct rewriting *r))
{
    r->out->edit_count = 0;
    return form(r);
}

static bool rewrite_read_and_guard(struct rewriting *r)
{
    return (is_sole(r) && try_form(r, form_read_guarded)) || try_form(r, form_read_exchange);
}

static bool rewrite_guard(struct rewriting *r)
{
    return try_form(r, form_exchange) ||
           (is_sole(r) ? try_form(r, form_guarded) : try_form(r, form_guard_of_more));
}

static bool rewrite_any(struct rewriting *r)
{
    const uint32_t read = syntax_token_at(&r->syntax, r->request->read.line, r->request->read.column);
    if (read == NO_TOKEN)
        return false;
    r->read = read;
    rewriting_find_type(r);
    if (read < r->whole.first && (try_form(r, form_used_first) || try_form(r, form_wait)))
        return true;
    if (read < r->whole.first && r->request->exchanges && try_form(r, form_swap))
        return true;
    r->out->edit_count = 0;
    const bool inside = r->whole.first <= read && read < r->whole.end,
               in_head = !inside && is_in_head(r, read);
    if (!inside && !in_head && !find_definer(r, read))
        return false;
    if (!find_guard(r) || (in_head && !r->guard))
        return false;
    if (!r->definer)
        return r->guard ? rewrite_guard(r) : form_alone(r);
    if (rewriting_has_object(r, r->value) || !is_token(r, r->op, "="))
        return !r->guard && form_read_and_update(r);
    return r->guard ? rewrite_read_and_guard(r) : form_read_first(r);
}

bool rewrite_update(const struct rewrite_request *request, struct code_rewrite *out_rewrite)
{
    struct rewriting r = {.request = request, .out = out_rewrite};
    *out_rewrite = (struct code_rewrite){.edit_count = 0};
    const bool done = syntax_read(&r.syntax, request->lines, request->line_count) &&
                      rewriting_find_write(&r) && rewrite_any(&r);
    syntax_fini(&r.syntax);
    return done;
}

/* ---- an access that becomes atomic ----------------------------------------------------------- */

bool rewrite_access(const struct change_request *request, struct code_rewrite *rewrite)
{
    const struct code_change *change = request->change;
    struct rewriting r = {.request = &request->update, .out = rewrite};
    struct text_piece piece = {.used = 0};
    bool done = false;
    if (rewriting_is_opencl_c_1(&r) || change->order < 0 || change->scope < 0)
        return false;
    if (syntax_read(&r.syntax, request->update.lines, request->update.line_count) &&
        (change->kind == CHANGE_STORE ? rewriting_find_write(&r) && r.alone && is_token(&r, r.op, "=")
                                      : rewriting_find_read(&r))) {
        rewriting_find_type(&r);
        if (r.type)
            print_access(&r, &piece, change);
        done = r.type && rewriting_add_edit(&r, r.whole, &piece);
    }
    syntax_fini(&r.syntax);
    return done;
}
