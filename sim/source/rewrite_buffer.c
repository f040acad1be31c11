/* SPDX-License-Identifier: Apache-2.0 */
/* Two buffers that alternate: a kernel reads from one and writes to the other, and swaps them after each
 * iteration, as pointers (t = p; p = q; q = t;) or by an index (b[i], i = 1 - i). If a write goes to the
 * buffer that is read, the other buffer is proposed. */
#include <stdio.h>
#include <string.h>

#include "rewrite_state.h"

static bool same(const struct syntax *syntax, uint32_t a, uint32_t b)
{
    const struct token *x = &syntax->tokens[a], *y = &syntax->tokens[b];
    return x->length == y->length && memcmp(x->at, y->at, x->length) == 0;
}

/* Does A = B; begin at the token? */
static bool is_assignment(const struct syntax *syntax, uint32_t token)
{
    const bool names = token_is_word(syntax, token) && token_is_word(syntax, token + 2);
    return names && token_is(syntax, token + 1, "=") && token_is(syntax, token + 3, ";");
}

/* The first assignment at or after the token; token_count: none. */
static uint32_t next_assignment(const struct syntax *syntax, uint32_t token)
{
    while (token + 3 < syntax->token_count && !is_assignment(syntax, token))
        token++;
    return token + 3 < syntax->token_count ? token : syntax->token_count;
}

static bool is_assigned_to(const struct syntax *syntax, uint32_t to, uint32_t from)
{
    uint32_t i = 0;
    for (; (i = next_assignment(syntax, i)) < syntax->token_count; i++)
        if (same(syntax, i, to) && same(syntax, i + 2, from))
            return true;
    return false;
}

/* Is the name assigned from the other one, directly or by way of a variable? */
static bool gets(const struct syntax *syntax, uint32_t name, uint32_t other)
{
    uint32_t i = 0;
    for (; (i = next_assignment(syntax, i)) < syntax->token_count; i++)
        if (same(syntax, i, name) && (same(syntax, i + 2, other) || is_assigned_to(syntax, i + 2, other)))
            return true;
    return false;
}

/* The pointer that the name is swapped with; NO_TOKEN: none. In "t = P; P = Q; Q = t;" both Q and t pass
 * their value to P and get it from P. Assignments to the name are searched first, so Q is found. */
static uint32_t swapped_with(const struct syntax *syntax, uint32_t name)
{
    uint32_t i = 0;
    /* P = Q; where Q is assigned from P */
    for (; (i = next_assignment(syntax, i)) < syntax->token_count; i++)
        if (same(syntax, i, name) && !same(syntax, i + 2, name) && gets(syntax, i + 2, name))
            return i + 2;
    /* Q = P; where P is assigned from Q */
    for (i = 0; (i = next_assignment(syntax, i)) < syntax->token_count; i++)
        if (same(syntax, i + 2, name) && !same(syntax, i, name) && gets(syntax, name, i))
            return i;
    return NO_TOKEN;
}

/* 1 - i, i ^ 1, 1 ^ i or !i. */
static bool is_other_index(const struct syntax *syntax, uint32_t first, uint32_t end, uint32_t index)
{
    if (end - first == 2)
        return token_is(syntax, first, "!") && same(syntax, first + 1, index);
    if (end - first != 3)
        return false;
    const bool minus = token_is(syntax, first + 1, "-"), flips = token_is(syntax, first + 1, "^");
    if (token_is(syntax, first, "1"))
        return (minus || flips) && same(syntax, first + 2, index);
    return flips && same(syntax, first, index) && token_is(syntax, first + 2, "1");
}

static uint32_t end_of_value(const struct syntax *syntax, uint32_t first)
{
    uint32_t end = first;
    while (end < syntax->token_count && !token_is(syntax, end, ";") && !token_is(syntax, end, ","))
        end++;
    return end;
}

/* The index alternates between 0 and 1: some name is assigned the other index, or an element at the other
 * index is used. */
static bool alternates(const struct syntax *syntax, uint32_t index)
{
    for (uint32_t i = 0; i + 2 < syntax->token_count; i++) {
        const bool word = token_is_word(syntax, i);
        if (word && same(syntax, i, index) && token_is(syntax, i + 1, "^=") && token_is(syntax, i + 2, "1"))
            return true;
        if (word && token_is(syntax, i + 1, "=") &&
            is_other_index(syntax, i + 2, end_of_value(syntax, i + 2), index))
            return true;
        if (token_is(syntax, i, "[") && is_other_index(syntax, i + 1, syntax->tokens[i].match, index))
            return true;
    }
    return false;
}

/* The name of the buffer in the expression at the token; NO_TOKEN: none. */
static uint32_t buffer_at(const struct syntax *syntax, uint32_t token)
{
    while (token < syntax->token_count && !token_is_word(syntax, token) && !token_is(syntax, token, ";"))
        token++;
    return token_is_word(syntax, token) && token_is(syntax, token + 1, "[") ? token : NO_TOKEN;
}

/* b[i], where the index is a single name. */
static bool has_name_as_index(const struct syntax *syntax, uint32_t buffer)
{
    return token_is_word(syntax, buffer + 2) && syntax->tokens[buffer + 1].match == buffer + 3;
}

/* The text of the other buffer, for the tokens from `to` to *out_end. */
static bool name_other(const struct syntax *syntax, uint32_t from, uint32_t to, uint32_t *out_end,
                       char *out_name, size_t size)
{
    if (from == NO_TOKEN || to == NO_TOKEN || !same(syntax, from, to))
        return false;
    const struct token *buffer = &syntax->tokens[to], *index = &syntax->tokens[to + 2];
    const uint32_t other = swapped_with(syntax, to);
    if (other != NO_TOKEN) {
        snprintf(out_name, size, "%.*s", (int)syntax->tokens[other].length, syntax->tokens[other].at);
        *out_end = to + 1;
        return true;
    }
    if (!has_name_as_index(syntax, to) || !has_name_as_index(syntax, from) ||
        !same(syntax, to + 2, from + 2) || !alternates(syntax, to + 2))
        return false;
    snprintf(out_name, size, "%.*s[1 - %.*s]", (int)buffer->length, buffer->at, (int)index->length,
             index->at);
    *out_end = to + 4;
    return true;
}

/* rewrite NULL: no edit is needed. */
static bool other_buffer(char *const *lines, uint32_t line_count, struct rewrite_place read,
                         struct rewrite_place write, char *out_name, size_t size,
                         struct code_rewrite *rewrite)
{
    const struct rewrite_request request = {.lines = lines, .line_count = line_count, .write = write};
    struct code_rewrite unused;
    struct rewriting r = {.request = &request, .out = rewrite ? rewrite : &unused};
    bool found = false;
    if (syntax_read(&r.syntax, lines, line_count) && rewriting_find_write(&r)) {
        const uint32_t at = syntax_token_at(&r.syntax, read.line, read.column);
        const uint32_t from = at == NO_TOKEN ? at : buffer_at(&r.syntax, at);
        const uint32_t to = buffer_at(&r.syntax, r.object.first);
        uint32_t end;
        found = name_other(&r.syntax, from, to, &end, out_name, size);
        struct text_piece piece = {.used = 0};
        if (found && rewrite) {
            piece.used = (size_t)snprintf(piece.bytes, sizeof piece.bytes, "%s", out_name);
            found = rewriting_add_edit(&r, (struct range){to, end}, &piece);
        }
    }
    syntax_fini(&r.syntax);
    return found;
}

bool rewrite_other_buffer(char *const *lines, uint32_t line_count, struct rewrite_place read,
                          struct rewrite_place write, char *out_name, size_t size)
{
    return other_buffer(lines, line_count, read, write, out_name, size, NULL);
}

bool rewrite_buffer(const struct change_request *request, struct code_rewrite *rewrite)
{
    char name[CODE_STATEMENT_CHARS];
    return other_buffer(request->update.lines, request->update.line_count, request->other,
                        request->update.write, name, sizeof name, rewrite);
}
