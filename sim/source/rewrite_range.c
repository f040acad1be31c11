/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ranges of tokens: where the object and the variable that it was read into occur, and whether an
 * expression means the same at two places. All comparisons are of tokens; macros and types are not known.
 */
#include <ctype.h>
#include <string.h>

#include "rewrite_state.h"

/* The range without brackets around the whole of it. */
struct range range_strip(const struct rewriting *r, struct range range)
{
    while (!range_is_empty(range) && is_token(r, range.first, "(") &&
           r->syntax.tokens[range.first].match == range.end - 1)
        range = (struct range){range.first + 1, range.end - 1};
    return range;
}

/* The same tokens, apart from brackets around them. */
bool range_equals(const struct rewriting *r, struct range a, struct range b)
{
    a = range_strip(r, a);
    b = range_strip(r, b);
    if (range_is_empty(a) || a.end - a.first != b.end - b.first)
        return false;
    for (uint32_t i = 0; i < a.end - a.first; i++)
        if (!same_tokens(r, a.first + i, b.first + i))
            return false;
    return true;
}

/* Is the token the name of a member, after . or ->? */
static bool is_member(const struct rewriting *r, uint32_t token)
{
    return token && is_any_token(r, token - 1, ". ->");
}

/* Can an operand end with the token? Then an operator after it is binary. */
bool rewriting_ends_operand(const struct rewriting *r, uint32_t token)
{
    const unsigned char c = (unsigned char)*r->syntax.tokens[token].at;
    return (isalnum(c) || strchr("_)]", c)) && !is_any_token(r, token, "return else");
}

/* Does the object begin at the token? Not as a part of another expression: a member, a factor, or a longer
 * name. */
bool rewriting_object_at(const struct rewriting *r, uint32_t token, uint32_t end)
{
    const uint32_t count = r->object.end - r->object.first, next = token + count;
    if (next > end)
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (!same_tokens(r, token + i, r->object.first + i))
            return false;
    const bool multiplies = token && is_token(r, token, "*") && rewriting_ends_operand(r, token - 1);
    if (multiplies || is_member(r, token))
        return false;
    return next >= r->syntax.token_count || !is_any_token(r, next, "[ ( . ->");
}

/* Is the token the variable that the object was read into? */
bool rewriting_variable_at(const struct rewriting *r, uint32_t token)
{
    return r->definer && same_tokens(r, token, r->variable) && !is_member(r, token);
}

bool rewriting_has_object(const struct rewriting *r, struct range range)
{
    for (uint32_t i = range.first; i < range.end; i++)
        if (rewriting_object_at(r, i, range.end))
            return true;
    return false;
}

uint32_t rewriting_count_variable(const struct rewriting *r, struct range range)
{
    uint32_t count = 0;
    for (uint32_t i = range.first; i < range.end; i++)
        count += rewriting_variable_at(r, i);
    return count;
}

/* The value before the update: the object itself, or the variable that it was read into. */
bool rewriting_is_old(const struct rewriting *r, struct range range)
{
    range = range_strip(r, range);
    const uint32_t length = range.end - range.first;
    if (range_is_empty(range))
        return false;
    return (length == r->object.end - r->object.first && rewriting_object_at(r, range.first, range.end)) ||
           (length == 1 && rewriting_variable_at(r, range.first));
}

bool rewriting_has_old(const struct rewriting *r, struct range range)
{
    return rewriting_has_object(r, range) || rewriting_count_variable(r, range) > 0;
}

/* ---- effects --------------------------------------------------------------------------------- */

/* Does an expression assign or step a variable? */
bool rewriting_has_effects(const struct rewriting *r, struct range range)
{
    for (uint32_t i = range.first; i < range.end; i++)
        if (token_assigns(&r->syntax, i) || is_token(r, i, "++") || is_token(r, i, "--"))
            return true;
    return false;
}

/* Is the variable that a token names assigned, stepped, declared or passed by address in the range? */
bool rewriting_is_changed(const struct rewriting *r, uint32_t word, struct range range)
{
    for (uint32_t i = range.first; i < range.end; i++) {
        if (!same_tokens(r, i, word))
            continue;
        const bool declared =
            i > range.first && token_is_word(&r->syntax, i - 1) && !is_token(r, i - 1, "return");
        const bool before = declared || (i > range.first && is_any_token(r, i - 1, "++ -- &"));
        uint32_t next = i + 1;
        while (next < range.end && is_token(r, next, "["))
            next = r->syntax.tokens[next].match + 1;
        const bool after =
            next < range.end && (token_assigns(&r->syntax, next) || is_any_token(r, next, "++ --"));
        if (before || after)
            return true;
    }
    return false;
}

/* Does the expression have the same value before and after `across`? It does if no variable of it is
 * changed there. */
bool rewriting_means_same(const struct rewriting *r, struct range range, struct range across)
{
    for (uint32_t i = range.first; i < range.end; i++)
        if (token_is_word(&r->syntax, i) && rewriting_is_changed(r, i, across))
            return false;
    return true;
}

/* ---- operators ------------------------------------------------------------------------------- */

/* The next token; after an opening bracket, the token after its closing bracket. */
uint32_t rewriting_past(const struct rewriting *r, uint32_t token)
{
    const uint32_t match = r->syntax.tokens[token].match;
    return match != NO_TOKEN && match > token ? match + 1 : token + 1;
}

/* The last binary operator of the range, outside of brackets, among `operators`; NO_TOKEN: none. */
uint32_t rewriting_last_operator(const struct rewriting *r, struct range range, const char *const *operators,
                                 uint32_t *out_count)
{
    uint32_t found = NO_TOKEN;
    *out_count = 0;
    for (uint32_t i = range.first; i < range.end; i++) {
        if (r->syntax.tokens[i].match != NO_TOKEN) {
            i = rewriting_past(r, i) - 1;
            continue;
        }
        for (const char *const *op = operators; i > range.first && *op; op++) {
            if (is_token(r, i, *op) && rewriting_ends_operand(r, i - 1)) {
                found = i;
                (*out_count)++;
            }
        }
    }
    return found;
}
