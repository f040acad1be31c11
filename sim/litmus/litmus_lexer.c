/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Words of a litmus test, with line and column: names, numbers, and the longest sign that fits. One word of
 * look-ahead; comments of both kinds are blanks. (*p) of C is no comment, by the star before the parenthesis
 * that closes it.
 */
#include "litmus_lexer.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static struct litmus_place here(const struct lexer *lexer)
{
    return (struct litmus_place){lexer->line, (uint32_t)(lexer->at - lexer->line_start) + 1};
}

_Noreturn void lexer_fail(struct lexer *lexer, struct litmus_place place, const char *format, ...)
{
    char text[300];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    diagnose(lexer->diagnosis, STATUS_BAD_ARGUMENT, "%s:%u:%u: %s", lexer->file, place.line, place.column,
             text);
    longjmp(*lexer->pool->fail, 1);
}

_Noreturn void lexer_expected(struct lexer *lexer, const char *what)
{
    const struct litmus_word *word = &lexer->word;
    if (word->kind == WORD_END)
        lexer_fail(lexer, word->place, "expected %s, found the end of the file", what);
    lexer_fail(lexer, word->place, "expected %s, found '%.*s'", what,
               (int)(word->length < 40 ? word->length : 40), word->start);
}

/* ---- blanks --------------------------------------------------------------------------- */

static void step(struct lexer *lexer)
{
    if (*lexer->at++ == '\n') {
        lexer->line++;
        lexer->line_start = lexer->at;
    }
}

static bool starts(const struct lexer *lexer, const char *text)
{
    return strncmp(lexer->at, text, strlen(text)) == 0;
}

static void skip_comment(struct lexer *lexer, const char *end)
{
    struct litmus_place start = here(lexer);
    while (!starts(lexer, end)) {
        if (!*lexer->at)
            lexer_fail(lexer, start, "a comment without end");
        step(lexer);
    }
    lexer->at += strlen(end);
}

/* A comment "(* text *)", unlike (*p) of C, has a star before its closing parenthesis, too. */
static bool is_comment(const struct lexer *lexer)
{
    uint32_t open = 0;
    if (!starts(lexer, "(*"))
        return false;
    for (const char *at = lexer->at; lexer->in_c && *at; at++) {
        open += *at == '(';
        if (*at == ')' && --open == 0)
            return at > lexer->at + 2 && at[-1] == '*';
    }
    return !lexer->in_c;
}

static void skip_blanks(struct lexer *lexer)
{
    for (;;) {
        if (isspace((unsigned char)*lexer->at))
            step(lexer);
        else if (is_comment(lexer))
            skip_comment(lexer, "*)");
        else if (starts(lexer, "/*"))
            skip_comment(lexer, "*/");
        else if (starts(lexer, "//"))
            while (*lexer->at && *lexer->at != '\n')
                lexer->at++;
        else
            return;
    }
}

/* ---- words ------------------------------------------------------------------------------ */

static void scan_number(struct lexer *lexer)
{
    char *end;
    errno = 0;
    unsigned long long value = strtoull(lexer->at, &end, 0);
    if (errno || value > UINT32_MAX)
        lexer_fail(lexer, lexer->word.place, "a number that does not fit 32 bits");
    if (*end == 'u' || *end == 'U')
        end++;
    if (isalnum((unsigned char)*end) || *end == '_')
        lexer_fail(lexer, lexer->word.place, "'%c' in a number", *end);
    lexer->word.kind = WORD_NUMBER;
    lexer->word.number = (int32_t)(uint32_t)value;
    lexer->at = end;
}

static void scan_name(struct lexer *lexer)
{
    while (isalnum((unsigned char)*lexer->at) || *lexer->at == '_')
        lexer->at++;
    lexer->word.kind = WORD_NAME;
}

static void scan_sign(struct lexer *lexer)
{
    static const char *const long_signs[] = {
        "<<=", ">>=", "&&", "||", "==", "!=", "<=", ">=", "/\\", "\\/", "<<",
        ">>",  "++",  "--", "+=", "-=", "*=", "/=", "%=", "&=",  "|=",  "^="};
    lexer->word.kind = WORD_SIGN;
    for (size_t i = 0; i < sizeof long_signs / sizeof *long_signs; i++) {
        if (starts(lexer, long_signs[i])) {
            lexer->at += strlen(long_signs[i]);
            return;
        }
    }
    const unsigned char byte = (unsigned char)*lexer->at;
    if (!strchr("{}[]()<>=;:,.*&|^!~+-/%@?", byte))
        lexer_fail(lexer, lexer->word.place,
                   isprint(byte) ? "an unexpected character '%c'" : "an unexpected byte 0x%02x", byte);
    lexer->at++;
}

void lexer_next(struct lexer *lexer)
{
    skip_blanks(lexer);
    lexer->word = (struct litmus_word){.kind = WORD_END, .start = lexer->at, .place = here(lexer)};
    if (isdigit((unsigned char)*lexer->at))
        scan_number(lexer);
    else if (isalpha((unsigned char)*lexer->at) || *lexer->at == '_')
        scan_name(lexer);
    else if (*lexer->at)
        scan_sign(lexer);
    lexer->word.length = (size_t)(lexer->at - lexer->word.start);
}

void lexer_init(struct lexer *lexer, struct pool *pool, const char *text, const char *file,
                struct diagnosis *diagnosis)
{
    *lexer = (struct lexer){
        .pool = pool, .diagnosis = diagnosis, .file = file, .at = text, .line_start = text, .line = 1};
    lexer_next(lexer);
}

const char *lexer_rest_of_line(struct lexer *lexer)
{
    const char *start = lexer->at, *end = start + strcspn(start, "\r\n");
    lexer->at = end;
    while (start < end && isspace((unsigned char)*start))
        start++;
    while (end > start && isspace((unsigned char)end[-1]))
        end--;
    if (start == end)
        lexer_fail(lexer, lexer->word.place, "the test has no name");
    const char *text = pool_text(lexer->pool, start, (size_t)(end - start));
    lexer_next(lexer);
    return text;
}

bool lexer_word_is(const struct litmus_word *word, const char *text)
{
    return word->kind != WORD_END && word->length == strlen(text) &&
           memcmp(word->start, text, word->length) == 0;
}

bool lexer_take(struct lexer *lexer, const char *text)
{
    if (!lexer_word_is(&lexer->word, text))
        return false;
    lexer_next(lexer);
    return true;
}

void lexer_need(struct lexer *lexer, const char *text)
{
    char what[16];
    if (lexer_take(lexer, text))
        return;
    snprintf(what, sizeof what, "'%s'", text);
    lexer_expected(lexer, what);
}

const char *lexer_name(struct lexer *lexer, const char *what)
{
    if (lexer->word.kind != WORD_NAME)
        lexer_expected(lexer, what);
    const char *name = pool_text(lexer->pool, lexer->word.start, lexer->word.length);
    lexer_next(lexer);
    return name;
}

int32_t lexer_number(struct lexer *lexer)
{
    bool negative = lexer_take(lexer, "-");
    if (lexer->word.kind != WORD_NUMBER)
        lexer_expected(lexer, "a number");
    uint32_t bits = (uint32_t)lexer->word.number;
    lexer_next(lexer);
    return (int32_t)(negative ? 0u - bits : bits);
}
