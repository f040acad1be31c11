/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the write of the object at a place of the text, with its operator and its value, and the object
 * that is read at a place.
 */
#include "rewrite_state.h"

static uint32_t postfix_begin(const struct rewriting *r, uint32_t last)
{
    for (uint32_t i = last;;) {
        if (is_token(r, i, "]")) {
            i = r->syntax.tokens[i].match - 1;
            continue;
        }
        if (is_token(r, i, ")"))
            i = r->syntax.tokens[i].match;
        if (i < 2 || !(is_token(r, i - 1, ".") || is_token(r, i - 1, "->")))
            return i;
        i -= 2;
    }
}

static uint32_t unary_end(const struct rewriting *r, uint32_t first)
{
    uint32_t i = first;
    while (is_token(r, i, "*"))
        i++;
    i = is_token(r, i, "(") ? r->syntax.tokens[i].match + 1 : i + 1;
    while (is_token(r, i, "[") || is_token(r, i, ".") || is_token(r, i, "->"))
        i = is_token(r, i, "[") ? r->syntax.tokens[i].match + 1 : i + 2;
    return i;
}

/* The first token of an assignment's left side. The search ends at a token that no operand can contain. */
static uint32_t assigned_begin(const struct rewriting *r, uint32_t op, uint32_t least)
{
    uint32_t first = op;
    while (first > least) {
        const uint32_t before = first - 1;
        if (is_token(r, before, ")") || is_token(r, before, "]")) {
            first = r->syntax.tokens[before].match;
            continue;
        }
        if (is_any_token(r, before, "( [ { ; , ? : && ||") || token_assigns(&r->syntax, before))
            break;
        first = before;
    }
    return first;
}

uint32_t rewriting_value_end(const struct rewriting *r, uint32_t first, uint32_t most)
{
    uint32_t end = first;
    while (end < most && !is_any_token(r, end, ") ] } ; ,"))
        end = r->syntax.tokens[end].match != NO_TOKEN ? r->syntax.tokens[end].match + 1 : end + 1;
    return end;
}

static bool writes_at(const struct rewriting *r, uint32_t token)
{
    return token < r->syntax.token_count && (token_assigns(&r->syntax, token) || is_step(r, token));
}

uint32_t rewriting_count_writes(const struct rewriting *r, struct range range)
{
    uint32_t count = 0;
    for (uint32_t i = range.first; i < range.end; i++)
        count += rewriting_object_at(r, i, range.end) && (writes_at(r, i + r->object.end - r->object.first) ||
                                                          (i > range.first && is_step(r, i - 1)));
    return count;
}

/* The token itself if it writes, else the only writing operator of its statement; NO_TOKEN: none, or
 * several. */
static uint32_t find_operator(const struct rewriting *r, uint32_t token)
{
    uint32_t found = NO_TOKEN, count = 0;
    if (is_step(r, token) || token_assigns(&r->syntax, token))
        return token;
    const struct syntax_node *leaf = &r->syntax.nodes[syntax_leaf(&r->syntax, token)];
    for (uint32_t i = leaf->first; leaf->kind == NODE_PLAIN && i < leaf->end; i++) {
        if (is_step(r, i) || token_assigns(&r->syntax, i)) {
            found = i;
            count++;
        }
    }
    return count == 1 ? found : NO_TOKEN;
}

bool rewriting_find_write(struct rewriting *r)
{
    const uint32_t at = syntax_token_at(&r->syntax, r->request->write.line, r->request->write.column);
    const uint32_t op = at == NO_TOKEN ? NO_TOKEN : find_operator(r, at);
    r->leaf = op == NO_TOKEN ? 0 : syntax_leaf(&r->syntax, op);
    if (!r->leaf || !op)
        return false;
    const struct syntax_node *leaf = &r->syntax.nodes[r->leaf];
    r->op = op;
    if (is_step(r, op) && op > leaf->first && rewriting_ends_operand(r, op - 1)) {
        r->object = (struct range){postfix_begin(r, op - 1), op};
        r->whole = (struct range){r->object.first, op + 1};
    } else if (is_step(r, op)) {
        r->object = (struct range){op + 1, unary_end(r, op + 1)};
        r->whole = (struct range){op, r->object.end};
    } else {
        r->object = (struct range){assigned_begin(r, op, leaf->first), op};
        r->value = (struct range){op + 1, rewriting_value_end(r, op + 1, leaf->end)};
        r->whole = (struct range){r->object.first, r->value.end};
    }
    if (r->whole.first < leaf->first || r->whole.end > leaf->end || r->whole.first >= r->whole.end ||
        range_is_empty(r->object))
        return false;
    r->object = range_strip(r, r->object);
    r->alone = leaf->kind == NODE_PLAIN && r->whole.first == leaf->first && r->whole.end + 1 == leaf->end &&
               is_token(r, r->whole.end, ";");
    return !range_is_empty(r->object) && !rewriting_has_effects(r, r->object) &&
           (is_step(r, op) || !range_is_empty(r->value));
}

/* Finds the object that is read at a token. */
bool rewriting_find_read(struct rewriting *r)
{
    const uint32_t at = syntax_token_at(&r->syntax, r->request->read.line, r->request->read.column);
    if (at == NO_TOKEN || !(is_token(r, at, "*") || token_is_word(&r->syntax, at)))
        return false;
    const uint32_t first = is_token(r, at, "*") ? at : postfix_begin(r, at), end = unary_end(r, at);
    if (end > r->syntax.token_count || is_token(r, end, "(") || writes_at(r, end))
        return false;
    r->object = r->whole = (struct range){first, end};
    return true;
}

/* The write is L = E, and E neither has the old value nor effects. */
bool rewriting_assigns_new_value(const struct rewriting *r)
{
    return is_token(r, r->op, "=") && !rewriting_has_old(r, r->value) && !rewriting_has_effects(r, r->value);
}
