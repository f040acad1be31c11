/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The C of a thread: int registers, pointers to locations, if, while, atomics,
 *          fences, barriers.  Shared by litmus_parser.c and litmus_c_parser.c.
 *
 * Errors   lexer_fail.
 */
#ifndef ORRERY_SIM_LITMUS_LITMUS_C_PARSER_H
#define ORRERY_SIM_LITMUS_LITMUS_C_PARSER_H

#include "litmus_lexer.h"

struct parser {
    struct lexer lexer;
    struct litmus *test;
    struct thread *thread;
    uint32_t nesting;            /* of statements, or of parts of the condition */
    uint32_t expression_nesting; /* of the expression that is being read */
    uint32_t condition_count;
};

struct litmus_statement *c_parse_body(struct parser *parser); /* including its braces */
/* The name of a register or parameter that is declared: no word of the language, such as a function. */
const char *c_parse_new_name(struct parser *parser, const char *what);

/* of litmus_parser.c */
void *parser_grown(struct pool *pool, const void *items, uint32_t count, uint32_t *room, size_t size);
void parser_enter(struct parser *parser); /* one level of nesting deeper */
void parser_leave(struct parser *parser);
bool parser_at_type(const struct parser *parser);
void parser_plain_type(struct parser *parser);

#endif
