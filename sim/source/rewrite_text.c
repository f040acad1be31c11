/* SPDX-License-Identifier: Apache-2.0 */
/* Tokens with matched brackets, and statements as a tree, by recursive descent up to a limit of nesting. */
#include "rewrite_text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MOST = 200 };

/* ---- tokens ------------------------------------------------------------------- */

static void *grow(struct syntax *syntax, void *items, uint32_t count, uint32_t *room, size_t size)
{
    if (count < *room)
        return items;
    const uint32_t wanted = *room ? *room * 2 : 256;
    void *bigger = realloc(items, wanted * size);
    syntax->failed |= !bigger;
    *room = bigger ? wanted : *room;
    return bigger ? bigger : items;
}

static void add_token(struct syntax *syntax, const char *at, size_t length, uint32_t line, uint32_t column)
{
    syntax->tokens =
        grow(syntax, syntax->tokens, syntax->token_count, &syntax->token_room, sizeof *syntax->tokens);
    if (!syntax->failed)
        syntax->tokens[syntax->token_count++] = (struct token){at, (uint32_t)length, line, column, NO_TOKEN};
}

static size_t mark_length(const char *at)
{
    static const char *const marks[] = {"<<=", ">>=", "->", "++", "--", "+=", "-=", "*=", "/=", "%=", "&=",
                                        "|=",  "^=",  "==", "!=", "<=", ">=", "&&", "||", "<<", ">>", "##"};
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++)
        if (strncmp(at, marks[i], strlen(marks[i])) == 0)
            return strlen(marks[i]);
    return 1;
}

static size_t quoted_length(const char *at)
{
    size_t length = 1;
    while (at[length] && at[length] != *at)
        length += at[length] == '\\' && at[length + 1] ? 2 : 1;
    return at[length] ? length + 1 : length;
}

/* Is at[length] the point, or the sign of the exponent, of a number that begins at `at`? */
static bool is_in_number(const char *at, size_t length)
{
    const char here = at[length];
    if (!isdigit((unsigned char)*at) && *at != '.')
        return false;
    const bool follows_exponent = length && strchr("eEpP", at[length - 1]) && strncmp(at, "0x", 2) != 0;
    return here == '.' || ((here == '+' || here == '-') && follows_exponent);
}

/* The length of a word, or of a number with its point, exponent and suffix. */
static size_t word_length(const char *at)
{
    size_t length = 0;
    while (isalnum((unsigned char)at[length]) || at[length] == '_' || is_in_number(at, length))
        length++;
    return length;
}

static size_t token_length(const char *at)
{
    if (*at == '"' || *at == '\'')
        return quoted_length(at);
    if (isalnum((unsigned char)*at) || *at == '_' || (*at == '.' && isdigit((unsigned char)at[1])))
        return word_length(at);
    return mark_length(at);
}

struct lines {
    bool in_comment, in_directive;
};

static void read_line(struct syntax *syntax, struct lines *lines, const char *text, uint32_t line)
{
    if (!lines->in_comment && !lines->in_directive && text[strspn(text, " \t")] == '#')
        lines->in_directive = true;
    if (lines->in_directive) {
        lines->in_directive = *text && text[strlen(text) - 1] == '\\';
        return;
    }
    for (const char *at = text; *at;) {
        if (lines->in_comment || strncmp(at, "/*", 2) == 0) {
            const char *over = strstr(lines->in_comment ? at : at + 2, "*/");
            lines->in_comment = !over;
            at = over ? over + 2 : at + strlen(at);
        } else if (strncmp(at, "//", 2) == 0) {
            break;
        } else if (isspace((unsigned char)*at) || *at == '\\') {
            at++;
        } else {
            const size_t length = token_length(at);
            add_token(syntax, at, length, line, (uint32_t)(at - text) + 1);
            at += length;
        }
    }
}

static bool is_other_bracket(char opens, char closes)
{
    return (opens == '(' && closes == ')') || (opens == '[' && closes == ']') ||
           (opens == '{' && closes == '}');
}

static bool match_brackets(struct syntax *syntax)
{
    /* the last open bracket; `match` links to the one outside of it until it closes */
    uint32_t open = NO_TOKEN;
    for (uint32_t i = 0; i < syntax->token_count; i++) {
        struct token *token = &syntax->tokens[i];
        if (token->length != 1 || !strchr("()[]{}", *token->at))
            continue;
        if (strchr("([{", *token->at)) {
            token->match = open;
            open = i;
            continue;
        }
        if (open == NO_TOKEN || !is_other_bracket(*syntax->tokens[open].at, *token->at))
            return false;
        const uint32_t around = syntax->tokens[open].match;
        syntax->tokens[open].match = i;
        token->match = open;
        open = around;
    }
    return open == NO_TOKEN;
}

bool token_is(const struct syntax *syntax, uint32_t token, const char *text)
{
    return token < syntax->token_count && strlen(text) == syntax->tokens[token].length &&
           memcmp(syntax->tokens[token].at, text, syntax->tokens[token].length) == 0;
}

bool token_is_word(const struct syntax *syntax, uint32_t token)
{
    return token < syntax->token_count &&
           (isalpha((unsigned char)*syntax->tokens[token].at) || *syntax->tokens[token].at == '_');
}

bool token_assigns(const struct syntax *syntax, uint32_t token)
{
    static const char *const marks[] = {"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="};
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++)
        if (token_is(syntax, token, marks[i]))
            return true;
    return false;
}

/* ---- statements --------------------------------------------------------------- */

static uint32_t add_node(struct syntax *syntax, enum node_kind kind, uint32_t first, uint32_t parent)
{
    syntax->nodes =
        grow(syntax, syntax->nodes, syntax->node_count, &syntax->node_room, sizeof *syntax->nodes);
    if (syntax->failed)
        return 0;
    syntax->nodes[syntax->node_count] =
        (struct syntax_node){.kind = kind, .first = first, .end = first, .parent = parent};
    return syntax->node_count++;
}

static uint32_t statement_read(struct syntax *syntax, uint32_t *at, uint32_t parent, uint32_t depth);

/* Reads statements up to the end of the block, or of the text. */
static uint32_t statements_of(struct syntax *syntax, uint32_t *at, uint32_t end, uint32_t parent,
                              uint32_t depth)
{
    uint32_t first = 0, last = 0;
    while (*at < end && !syntax->failed) {
        const uint32_t node = statement_read(syntax, at, parent, depth);
        if (last && node)
            syntax->nodes[last].next = node;
        first = first ? first : node;
        last = node;
    }
    return first;
}

static void head_read(struct syntax *syntax, uint32_t node, uint32_t *at)
{
    if (!token_is(syntax, *at, "(")) {
        syntax->failed = true;
        return;
    }
    syntax->nodes[node].head = *at + 1;
    syntax->nodes[node].head_end = syntax->tokens[*at].match;
    *at = syntax->nodes[node].head_end + 1;
}

static void if_read(struct syntax *syntax, uint32_t node, uint32_t *at, uint32_t depth)
{
    (*at)++;
    head_read(syntax, node, at);
    const uint32_t body = statement_read(syntax, at, node, depth + 1);
    uint32_t otherwise = 0;
    if (!syntax->failed && token_is(syntax, *at, "else")) {
        (*at)++;
        otherwise = statement_read(syntax, at, node, depth + 1);
    }
    if (syntax->failed)
        return;
    syntax->nodes[node].body = body;
    syntax->nodes[node].otherwise = otherwise;
}

static void loop_read(struct syntax *syntax, uint32_t node, uint32_t *at, uint32_t depth)
{
    (*at)++;
    head_read(syntax, node, at);
    const uint32_t body = statement_read(syntax, at, node, depth + 1);
    if (!syntax->failed)
        syntax->nodes[node].body = body;
}

static void do_read(struct syntax *syntax, uint32_t node, uint32_t *at, uint32_t depth)
{
    (*at)++;
    const uint32_t body = statement_read(syntax, at, node, depth + 1);
    if (syntax->failed)
        return;
    syntax->nodes[node].body = body;
    syntax->failed |= !token_is(syntax, *at, "while");
    (*at)++;
    if (!syntax->failed)
        head_read(syntax, node, at);
    *at += token_is(syntax, *at, ";");
}

static void block_read(struct syntax *syntax, uint32_t node, uint32_t *at, uint32_t depth)
{
    const uint32_t end = syntax->tokens[*at].match;
    (*at)++;
    const uint32_t body = statements_of(syntax, at, end, node, depth + 1);
    if (syntax->failed)
        return;
    syntax->nodes[node].body = body;
    *at = end + 1;
}

/* A label is a statement of its own. The head of a function or type ends where its block begins; members of
 * a type are then read as statements, which is harmless. */
static void plain_read(struct syntax *syntax, uint32_t *at)
{
    const bool label = token_is(syntax, *at, "case") || token_is(syntax, *at, "default") ||
                       (token_is_word(syntax, *at) && token_is(syntax, *at + 1, ":"));
    bool assigns = false;
    for (; *at < syntax->token_count; (*at)++) {
        assigns |= token_assigns(syntax, *at);
        if (token_is(syntax, *at, "}") || (token_is(syntax, *at, "{") && !assigns))
            return;
        if (token_is(syntax, *at, ";") || (label && token_is(syntax, *at, ":"))) {
            (*at)++;
            return;
        }
        if (syntax->tokens[*at].match != NO_TOKEN)
            *at = syntax->tokens[*at].match;
    }
}

static uint32_t statement_read(struct syntax *syntax, uint32_t *at, uint32_t parent, uint32_t depth)
{
    const uint32_t first = *at;
    const bool is_if = token_is(syntax, first, "if"), is_do = token_is(syntax, first, "do"),
               block = token_is(syntax, first, "{");
    const bool loop = token_is(syntax, first, "for") || token_is(syntax, first, "while") ||
                      token_is(syntax, first, "switch");
    const uint32_t node = add_node(syntax,
                                   is_if   ? NODE_IF
                                   : is_do ? NODE_DO
                                   : block ? NODE_BLOCK
                                   : loop  ? NODE_LOOP
                                           : NODE_PLAIN,
                                   first, parent);
    if (syntax->failed || depth == DEPTH_MOST || first >= syntax->token_count) {
        syntax->failed = true;
        return 0;
    }
    if (is_if)
        if_read(syntax, node, at, depth);
    else if (is_do)
        do_read(syntax, node, at, depth);
    else if (block)
        block_read(syntax, node, at, depth);
    else if (loop)
        loop_read(syntax, node, at, depth);
    else
        plain_read(syntax, at);
    syntax->failed |= *at == first; /* a closing bracket or else without its beginning */
    if (!syntax->failed)
        syntax->nodes[node].end = *at;
    return syntax->failed ? 0 : node;
}

bool syntax_read(struct syntax *syntax, char *const *lines, uint32_t line_count)
{
    struct lines state = {.in_comment = false};
    uint32_t at = 0;
    *syntax = (struct syntax){.tokens = NULL};
    for (uint32_t i = 0; i < line_count && !syntax->failed; i++)
        read_line(syntax, &state, lines[i], i + 1);
    add_node(syntax, NODE_PLAIN, 0, 0);
    if (!syntax->failed && match_brackets(syntax))
        statements_of(syntax, &at, syntax->token_count, 0, 0);
    else
        syntax->failed = true;
    return !syntax->failed;
}

void syntax_fini(struct syntax *syntax)
{
    free(syntax->tokens);
    free(syntax->nodes);
}

uint32_t syntax_token_at(const struct syntax *syntax, uint32_t line, uint32_t column)
{
    for (uint32_t i = 0; i < syntax->token_count; i++) {
        const struct token *token = &syntax->tokens[i];
        if (token->line == line && column >= token->column && column < token->column + token->length)
            return i;
    }
    return NO_TOKEN;
}

/* Nodes are ordered by their beginnings, so the last one that contains the token is the innermost. */
uint32_t syntax_leaf(const struct syntax *syntax, uint32_t token)
{
    uint32_t found = 0;
    for (uint32_t i = 1; i < syntax->node_count; i++)
        if (syntax->nodes[i].first <= token && token < syntax->nodes[i].end)
            found = i;
    return found;
}
