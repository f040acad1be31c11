/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The tokens and statements of a text of OpenCL C, for the rewrite_*.c files.
 *
 * Interface
 *   syntax_read, syntax_fini     false: out of memory, or brackets do not match
 *   syntax_token_at              the token at a place; NO_TOKEN: none
 *   syntax_leaf                  the innermost statement, or head of one, that contains a token; 0: none
 *   token_is, token_is_word, token_assigns   properties of a token
 */
#ifndef ORRERY_SIM_REWRITE_TEXT_H
#define ORRERY_SIM_REWRITE_TEXT_H

#include <stdbool.h>
#include <stdint.h>

enum { NO_TOKEN = UINT32_MAX };

struct token {
    const char *at;
    uint32_t length, line, column;
    uint32_t match; /* the matching bracket */
};

enum node_kind { NODE_PLAIN, NODE_BLOCK, NODE_IF, NODE_LOOP, NODE_DO };

/* Tokens [first, end). body: the first statement of a block, or the body of an if or loop; otherwise: the
 * statement after else. 0: none. */
struct syntax_node {
    enum node_kind kind;
    uint32_t first, end;
    uint32_t head, head_end; /* the condition, without its brackets */
    uint32_t body, otherwise, next, parent;
};

struct syntax {
    struct token *tokens;
    uint32_t token_count, token_room;
    struct syntax_node *nodes; /* nodes[0] stands for none */
    uint32_t node_count, node_room;
    bool failed;
};

struct range {
    uint32_t first, end;
};

bool syntax_read(struct syntax *syntax, char *const *lines, uint32_t line_count);
void syntax_fini(struct syntax *syntax);
uint32_t syntax_token_at(const struct syntax *syntax, uint32_t line, uint32_t column);
uint32_t syntax_leaf(const struct syntax *syntax, uint32_t token);
bool token_is(const struct syntax *syntax, uint32_t token, const char *text);
bool token_is_word(const struct syntax *syntax, uint32_t token);
bool token_assigns(const struct syntax *syntax, uint32_t token); /* =, += and the like, but not ++ */

#endif
