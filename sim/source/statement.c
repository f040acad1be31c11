/* SPDX-License-Identifier: Apache-2.0 */
/* A scanner of C that finds the lines on which statements begin. It keeps a stack of open brackets, each
 * with the statement around it. */
#include "statement.h"

#include <ctype.h>
#include <string.h>

#include "orrery/checked.h"

enum statement_word {
    WORD_OTHER,
    WORD_IF,
    WORD_LOOP,
    WORD_DO,
    WORD_ELSE,
    WORD_SWITCH,
    WORD_CASE,
    WORD_RETURN,
    WORD_JUMP,
    WORD_TYPE
};

/* The statement that is being read; line 0: none. */
struct parsed_statement {
    uint32_t line;
    enum statement_word first;
    bool assigns;      /* the next brace is an initialiser's */
    bool defines;      /* a type; a declarator may follow its braces */
    bool expects_body; /* its head has ended, so a body follows */
    bool is_body;
    bool leaves;             /* it contains return, break, continue or goto */
    uint32_t words, choices; /* choices: ? without their : */
};

enum bracket { BRACKET_HEAD, BRACKET_ROUND, BRACKET_SQUARE, BRACKET_VALUES, BRACKET_BLOCK };
enum { BRACKETS_MOST = 256, CONDITIONALS_MOST = 32 };

struct brackets {
    uint8_t kind[BRACKETS_MOST];
    struct parsed_statement around[BRACKETS_MOST];
    uint32_t count;
};

/* An #if with its branches. Each branch starts in the state before the #if, and must leave the same number
 * of brackets open. */
struct conditional {
    struct parsed_statement now;
    /* brackets at the #if; fewest since; at the end of the branches read so far */
    uint32_t open, least, open_after;
    bool has_branch; /* a branch has ended */
};

struct statement_reader {
    struct brackets open;
    struct parsed_statement now;
    enum statement_word last; /* the word before; OTHER: none */
    bool in_comment, in_directive, fails;
    bool leaves; /* the part of the line that is read contains a jump */
    struct conditional conditionals[CONDITIONALS_MOST];
    uint32_t conditional_count;
    uint32_t line;
};

static bool is_key(const char *at, size_t length, const char *key)
{
    return strlen(key) == length && memcmp(at, key, length) == 0;
}

static enum statement_word word_of(const char *at, size_t length)
{
    static const struct {
        const char *text;
        enum statement_word word;
    } words[] = {
        {"if", WORD_IF},         {"for", WORD_LOOP},      {"while", WORD_LOOP},    {"do", WORD_DO},
        {"else", WORD_ELSE},     {"switch", WORD_SWITCH}, {"case", WORD_CASE},     {"default", WORD_CASE},
        {"return", WORD_RETURN}, {"break", WORD_JUMP},    {"continue", WORD_JUMP}, {"goto", WORD_JUMP},
        {"struct", WORD_TYPE},   {"union", WORD_TYPE},    {"enum", WORD_TYPE},
    };
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (is_key(at, length, words[i].text))
            return words[i].word;
    return WORD_OTHER;
}

static uint32_t blocks(const struct statement_reader *reader)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < reader->open.count; i++)
        count += reader->open.kind[i] == BRACKET_BLOCK;
    return count;
}

/* Inside of brackets that are part of a statement. */
static bool is_inside(const struct statement_reader *reader)
{
    return reader->open.count && reader->open.kind[reader->open.count - 1] != BRACKET_BLOCK;
}

static void begin(struct statement_reader *reader, enum statement_word word)
{
    struct parsed_statement *now = &reader->now;
    if (now->expects_body)
        *now = (struct parsed_statement){.line = reader->line, .first = word, .is_body = true};
    else if (!now->line)
        *now = (struct parsed_statement){.line = reader->line, .first = word};
}

static void end(struct statement_reader *reader)
{
    reader->now = (struct parsed_statement){.line = 0};
}

static void open_bracket(struct statement_reader *reader, enum bracket kind)
{
    struct brackets *open = &reader->open;
    if (open->count == BRACKETS_MOST) {
        reader->fails = true;
        return;
    }
    open->kind[open->count] = (uint8_t)kind;
    open->around[open->count++] = reader->now;
    if (kind == BRACKET_BLOCK)
        end(reader);
}

/* A block ends its construct, except for the condition after do's block and the declarator after a type. */
static void close_block(struct statement_reader *reader, const struct parsed_statement *around)
{
    end(reader);
    if (around->first == WORD_DO || around->defines) {
        reader->now = *around;
        reader->now.expects_body = false;
    }
}

static void close_bracket(struct statement_reader *reader, char with)
{
    struct brackets *open = &reader->open;
    if (!open->count) {
        reader->fails = true;
        return;
    }
    const enum bracket kind = (enum bracket)open->kind[--open->count];
    CHECKED(open->count < BRACKETS_MOST);
    for (uint32_t i = 0; i < reader->conditional_count; i++)
        if (reader->conditionals[i].least > open->count)
            reader->conditionals[i].least = open->count;
    const struct parsed_statement around = open->around[open->count];
    reader->fails |= (with == ')') != (kind == BRACKET_HEAD || kind == BRACKET_ROUND) ||
                     (with == ']') != (kind == BRACKET_SQUARE);
    if (kind == BRACKET_BLOCK)
        close_block(reader, &around);
    else if (kind == BRACKET_HEAD)
        reader->now.expects_body = true;
}

static bool has_head(enum statement_word word)
{
    return word == WORD_IF || word == WORD_LOOP || word == WORD_SWITCH;
}

/* The condition after do's block ends the statement, so no body follows. */
static void open_round(struct statement_reader *reader)
{
    const bool head = !is_inside(reader) && has_head(reader->last) && reader->now.first != WORD_DO;
    begin(reader, WORD_OTHER);
    open_bracket(reader, head ? BRACKET_HEAD : BRACKET_ROUND);
}

static void open_brace(struct statement_reader *reader)
{
    const struct parsed_statement *now = &reader->now;
    const bool value_expected = now->assigns || now->first == WORD_RETURN;
    if (is_inside(reader) || (!now->expects_body && now->line && value_expected)) {
        open_bracket(reader, BRACKET_VALUES);
        return;
    }
    if (!now->line)
        begin(reader, WORD_OTHER);
    open_bracket(reader, BRACKET_BLOCK);
}

static void read_word(struct statement_reader *reader, const char *at, size_t length)
{
    const enum statement_word word = word_of(at, length);
    if (!is_inside(reader)) {
        begin(reader, word);
        reader->now.words++;
        reader->now.defines |= word == WORD_TYPE;
        reader->now.expects_body = word == WORD_DO || word == WORD_ELSE;
    }
    if (word == WORD_RETURN || word == WORD_JUMP)
        reader->leaves = reader->now.leaves = true;
    reader->last = word;
}

static void read_colon(struct statement_reader *reader)
{
    struct parsed_statement *now = &reader->now;
    if (is_inside(reader))
        return;
    if (now->choices)
        now->choices--;
    else if (now->first == WORD_CASE || (now->words == 1 && !now->assigns))
        end(reader);
}

static void read_mark(struct statement_reader *reader, const char *at, char before)
{
    switch (*at) {
    case '(': open_round(reader); break;
    case '[':
        begin(reader, WORD_OTHER);
        open_bracket(reader, BRACKET_SQUARE);
        break;
    case '{': open_brace(reader); break;
    case ')':
    case ']':
    case '}': close_bracket(reader, *at); break;
    case ';':
        if (!is_inside(reader))
            end(reader);
        break;
    case ':': read_colon(reader); break;
    default:
        if (is_inside(reader))
            break;
        begin(reader, WORD_OTHER);
        reader->now.choices += *at == '?';
        reader->now.assigns |= *at == '=' && at[1] != '=' && !strchr("=!<>", before);
    }
    reader->last = WORD_OTHER;
}

/* Skips a string, or what looks like a character constant. */
static const char *skip_quoted(const char *at)
{
    const char quote = *at++;
    while (*at && *at != quote)
        at += *at == '\\' && at[1] ? 2 : 1;
    return *at ? at + 1 : at;
}

static void end_part(struct statement_reader *reader, struct conditional *conditional)
{
    reader->fails |= conditional->has_branch && conditional->open_after != reader->open.count;
    conditional->open_after = reader->open.count;
    conditional->has_branch = true;
}

/* Constructs that the previous branch closed cannot be restored. */
static void begin_part(struct statement_reader *reader, const struct conditional *conditional)
{
    reader->fails |= conditional->least < conditional->open;
    reader->open.count = conditional->open;
    reader->now = conditional->now;
}

static void read_conditional(struct statement_reader *reader, const char *at)
{
    const size_t length = strcspn(at, " \t(\"/");
    const bool begins =
        is_key(at, length, "if") || is_key(at, length, "ifdef") || is_key(at, length, "ifndef");
    struct conditional *latest =
        reader->conditional_count ? &reader->conditionals[reader->conditional_count - 1] : NULL;
    if (begins && reader->conditional_count < CONDITIONALS_MOST) {
        reader->conditionals[reader->conditional_count++] =
            (struct conditional){.now = reader->now, .open = reader->open.count, .least = reader->open.count};
    } else if (begins || is_key(at, length, "line")) {
        reader->fails = true;
    } else if (latest && is_key(at, length, "endif")) {
        if (!latest->has_branch) /* without #else, the empty branch must leave the same brackets */
            reader->fails |= latest->least < latest->open || reader->open.count != latest->open;
        end_part(reader, latest);
        reader->conditional_count--;
        CHECKED(reader->conditional_count < CONDITIONALS_MOST);
    } else if (latest && (is_key(at, length, "else") || is_key(at, length, "elif"))) {
        end_part(reader, latest);
        begin_part(reader, latest);
    }
}

static const char *skip_comment(struct statement_reader *reader, const char *at)
{
    const char *over = strstr(at, "*/");
    reader->in_comment = !over;
    return over ? over + 2 : at + strlen(at);
}

static void read_line(struct statement_reader *reader, const char *text)
{
    const char *at = text;
    const size_t blank = strspn(text, " \t");
    char before = ' ';
    if (!reader->in_comment && !reader->in_directive && text[blank] == '#') {
        reader->in_directive = true;
        read_conditional(reader, text + blank + 1 + strspn(text + blank + 1, " \t"));
    }
    if (reader->in_directive) {
        reader->in_directive = *text && text[strlen(text) - 1] == '\\';
        return;
    }
    while (*at) {
        const char here = *at;
        if (reader->in_comment || (at[0] == '/' && at[1] == '*')) {
            at = skip_comment(reader, reader->in_comment ? at : at + 2);
        } else if (at[0] == '/' && at[1] == '/') {
            break;
        } else if (*at == '"' || *at == '\'') {
            begin(reader, WORD_OTHER);
            at = skip_quoted(at);
        } else if (isalnum((unsigned char)*at) || *at == '_') {
            size_t length = 1;
            while (isalnum((unsigned char)at[length]) || at[length] == '_')
                length++;
            read_word(reader, at, length);
            at += length;
        } else if (isspace((unsigned char)*at)) {
            at++;
        } else {
            read_mark(reader, at++, before);
        }
        before = here;
    }
}

static bool begins_with(const char *text, const char *word)
{
    const char *at = text + strspn(text, " \t");
    return strncmp(at, word, strlen(word)) == 0 && !isalnum((unsigned char)at[strlen(word)]) &&
           at[strlen(word)] != '_';
}

static enum line_kind kind_of(const struct statement_reader *reader, const char *text)
{
    const struct parsed_statement *now = &reader->now;
    if (!blocks(reader))
        return LINE_OUTSIDE;
    if (reader->in_comment || reader->in_directive)
        return LINE_WITHIN;
    if (now->expects_body || now->is_body || begins_with(text, "else"))
        return LINE_BODY;
    return is_inside(reader) || now->line ? LINE_WITHIN : LINE_BETWEEN;
}

/* Called before the line is read. */
static void judge_line(const struct statement_reader *reader, const char *text, struct source_line *line)
{
    const struct brackets *open = &reader->open;
    const bool cut = reader->in_comment || reader->in_directive;
    line->kind = kind_of(reader, text);
    line->depth = blocks(reader);
    line->begins = line->kind == LINE_OUTSIDE || cut || reader->now.expects_body ? 0 : reader->now.line;
    line->closes = text[strspn(text, " \t")] == '}';
    line->otherwise = begins_with(text, "else");
    line->loops = begins_with(text, "for") || begins_with(text, "while") || begins_with(text, "do") ||
                  (line->closes && open->count && open->around[open->count - 1].first == WORD_DO);
}

bool statements_read(char *const *lines, uint32_t count, struct source_line *out_lines)
{
    struct statement_reader reader = {.line = 0};
    for (uint32_t i = 0; i < count && !reader.fails; i++) {
        reader.line = i + 1;
        judge_line(&reader, lines[i], &out_lines[i]);
        reader.leaves = reader.now.leaves;
        read_line(&reader, lines[i]);
        out_lines[i].leaves = reader.leaves;
    }
    if (!reader.fails && !reader.open.count && !reader.in_comment)
        return true;
    memset(out_lines, 0, count * sizeof *out_lines);
    return false;
}
