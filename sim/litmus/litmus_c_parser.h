/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The C of a thread: int registers, pointers to locations, branches, loops, atomics, fences,
 *          barriers.  Shared by litmus_parser.c (the test around it), litmus_statements.c and
 *          litmus_c_parser.c (expressions).
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
    uint64_t visible;            /* bits: the registers of the thread that are declared in open blocks */
    uint32_t loops;              /* that contain the statement that is being read */
    uint32_t nesting;            /* of statements, or of parts of the condition */
    uint32_t expression_nesting; /* of the expression that is being read */
    uint32_t condition_count;
};

struct litmus_statement *c_parse_body(struct parser *parser); /* including its braces */
/* The name of a register or parameter that is declared: no word of the language, such as a function. */
const char *c_parse_new_name(struct parser *parser, const char *what);

/* Of litmus_c_parser.c. A register that is declared again in a later block is the same one: the clause could
 * not distinguish them. One that would hide another is refused. */
uint32_t c_declare(struct parser *parser, struct litmus_place place, const char *name);
struct expression *c_parse_expression(struct parser *parser);
struct expression *c_parse_value(struct parser *parser); /* no address */
void c_need_value(struct parser *parser, const struct expression *expression);
struct expression *c_binary(struct parser *parser, const char *sign, struct expression *left,
                            struct expression *right);
/* Words of C that tests do not have: they name no register, and are refused where they begin a statement. */
bool c_is_other_statement(const struct litmus_word *word);
bool c_is_other_type(const struct litmus_word *word);
const char *c_counting(const struct litmus_word *word); /* "+" or "-" of ++ and --, or NULL */
struct expression *c_counted(struct parser *parser, const char *sign, struct expression *left); /* left + 1 */
enum memory_ordering c_parse_order(struct parser *parser);
enum memory_scope c_parse_scope(struct parser *parser);
uint32_t c_parse_flags(struct parser *parser);

/* of litmus_parser.c */
bool parser_at_thread(const struct parser *parser);
void *parser_grown(struct pool *pool, const void *items, uint32_t count, uint32_t *room, size_t size);
void parser_enter(struct parser *parser); /* one level of nesting deeper */
void parser_leave(struct parser *parser);
bool parser_at_type(const struct parser *parser);
void parser_plain_type(struct parser *parser);

#endif
