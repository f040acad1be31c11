/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Words of a litmus test, with their places.  Skips blanks, comments of C's kinds
 *          and, outside of C, (* ... *).
 *
 * Errors   lexer_fail writes "FILE:LINE:COLUMN: text" into the diagnosis and jumps to the
 *          pool's fail.
 */
#ifndef ORRERY_SIM_LITMUS_LITMUS_LEXER_H
#define ORRERY_SIM_LITMUS_LITMUS_LEXER_H

#include "litmus_test.h"

enum word_kind { WORD_END, WORD_NAME, WORD_NUMBER, WORD_SIGN };
struct litmus_word {
    enum word_kind kind;
    const char *start;
    size_t length;
    struct litmus_place place;
    int32_t number;
};

struct lexer {
    struct pool *pool;
    struct diagnosis *diagnosis;
    const char *file, *at, *line_start;
    uint32_t line;
    bool in_c;               /* in C, "(*" is a parenthesis and a star */
    struct litmus_word word; /* the next one */
};

void lexer_init(struct lexer *lexer, struct pool *pool, const char *text, const char *file,
                struct diagnosis *diagnosis);
void lexer_next(struct lexer *lexer);
/* The rest of the current word's line, trimmed. */
const char *lexer_rest_of_line(struct lexer *lexer);

bool lexer_word_is(const struct litmus_word *word, const char *text);
bool lexer_take(struct lexer *lexer, const char *text); /* takes the word if it is the next one */
void lexer_need(struct lexer *lexer, const char *text);
const char *lexer_name(struct lexer *lexer, const char *what);
int32_t lexer_number(struct lexer *lexer);

_Noreturn void lexer_fail(struct lexer *lexer, struct litmus_place place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
_Noreturn void lexer_expected(struct lexer *lexer, const char *what);

#endif
