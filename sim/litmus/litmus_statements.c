/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The statements of a litmus test's threads, by recursive descent. Those that C abbreviates are written out
 * here: `for (int i = 0; c; i++)` is an assignment and a while loop that has a step, `r += 1` an assignment.
 */
#include "litmus_c_parser.h"

#include <string.h>

static struct litmus_statement *parse_statement(struct parser *parser);

static struct litmus_statement *statement_new(struct parser *parser, enum statement_kind kind,
                                              struct litmus_place place)
{
    struct litmus_statement *statement = pool_take(&parser->test->pool, sizeof *statement);
    statement->kind = kind;
    statement->place = place;
    return statement;
}

/* What follows a thread begins here: its closing brace is missing. */
static bool at_next_part(const struct parser *parser)
{
    const struct lexer *lexer = &parser->lexer;
    const char after = lexer->at[strspn(lexer->at, " \t")];
    return lexer->word.kind == WORD_END || lexer_word_is(&lexer->word, "exists") ||
           lexer_word_is(&lexer->word, "forall") ||
           (parser_at_thread(parser) && (after == '@' || after == '('));
}

/* After the last statement of the list. */
static struct litmus_statement **append(struct litmus_statement **end, struct litmus_statement *statements)
{
    while (*end)
        end = &(*end)->next;
    *end = statements;
    return end;
}

/* Registers that are declared in the block are no longer visible after it. */
static struct litmus_statement *parse_block(struct parser *parser)
{
    struct litmus_statement *block = statement_new(parser, STATEMENT_BLOCK, parser->lexer.word.place),
                            **end = &block->body;
    const uint64_t visible = parser->visible;
    lexer_need(&parser->lexer, "{");
    while (!lexer_word_is(&parser->lexer.word, "}")) {
        if (at_next_part(parser))
            lexer_expected(&parser->lexer, "'}'");
        end = append(end, parse_statement(parser));
    }
    parser->visible = visible;
    return block;
}

static struct litmus_statement *parse_braces(struct parser *parser)
{
    struct litmus_statement *block = parse_block(parser);
    lexer_need(&parser->lexer, "}");
    return block;
}

/* int a, b = 1 becomes a statement for each. */
static struct litmus_statement *parse_declarators(struct parser *parser)
{
    struct lexer *lexer = &parser->lexer;
    struct litmus_statement *first = NULL, **end = &first;
    parser_plain_type(parser);
    do {
        struct litmus_place place = lexer->word.place;
        const char *name = c_parse_new_name(parser, "a register");
        struct litmus_statement *assign = statement_new(parser, STATEMENT_NOTHING, place);
        if (lexer_take(lexer, "=")) {
            assign->kind = STATEMENT_ASSIGN;
            assign->value = c_parse_value(parser);
        }
        assign->target = c_declare(parser, place, name);
        end = append(end, assign);
    } while (lexer_take(lexer, ","));
    return first;
}

static struct litmus_statement *parse_fence(struct parser *parser)
{
    struct lexer *lexer = &parser->lexer;
    struct litmus_statement *fence = statement_new(parser, STATEMENT_FENCE, lexer->word.place);
    lexer_next(lexer);
    lexer_need(lexer, "(");
    fence->flags = c_parse_flags(parser);
    lexer_need(lexer, ",");
    fence->order = c_parse_order(parser);
    lexer_need(lexer, ",");
    fence->scope = c_parse_scope(parser);
    lexer_need(lexer, ")");
    lexer_need(lexer, ";");
    return fence;
}

static uint32_t label_number(struct parser *parser, const char *label)
{
    struct litmus *test = parser->test;
    for (uint32_t i = 0; i < test->label_count; i++)
        if (strcmp(test->labels[i], label) == 0)
            return i + 1;
    test->labels =
        parser_grown(&test->pool, test->labels, test->label_count, &test->label_room, sizeof *test->labels);
    test->labels[test->label_count++] = label;
    return test->label_count;
}

static bool at_barrier(const struct parser *parser)
{
    return lexer_word_is(&parser->lexer.word, "barrier") ||
           lexer_word_is(&parser->lexer.word, "work_group_barrier");
}

static struct litmus_statement *parse_barrier(struct parser *parser, const char *label)
{
    struct lexer *lexer = &parser->lexer;
    struct litmus_statement *barrier = statement_new(parser, STATEMENT_BARRIER, lexer->word.place);
    barrier->label = label ? label_number(parser, label) : 0;
    barrier->scope = SCOPE_WORK_GROUP;
    lexer_next(lexer);
    lexer_need(lexer, "(");
    barrier->flags = c_parse_flags(parser);
    if (lexer_take(lexer, ","))
        barrier->scope = c_parse_scope(parser);
    lexer_need(lexer, ")");
    lexer_need(lexer, ";");
    return barrier;
}

/* ---- assignments ------------------------------------------------------------------------------ */

/* The operator of a compound assignment, such as "<<" of "<<=", or "" of "=". */
static bool take_assignment(struct lexer *lexer, char out_sign[3])
{
    static const char *const signs[] = {"", "+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"};
    const struct litmus_word word = lexer->word;
    if (word.kind != WORD_SIGN || word.start[word.length - 1] != '=')
        return false;
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        if (strlen(signs[i]) == word.length - 1 && memcmp(word.start, signs[i], word.length - 1) == 0) {
            strcpy(out_sign, signs[i]);
            lexer_next(lexer);
            return true;
        }
    }
    return false;
}

static bool calls(const struct expression *expression)
{
    return expression && (expression->kind == EXPRESSION_ATOMIC || calls(expression->operand[0]) ||
                          calls(expression->operand[1]) || calls(expression->operand[2]));
}

/* Where a compound assignment is written out, the place would be computed twice. */
static void need_repeatable(struct parser *parser, const struct expression *left)
{
    if (calls(left))
        lexer_fail(&parser->lexer, left->place,
                   "an atomic call in the place that is updated: assign its value to a register before");
}

static struct litmus_statement *assignment_new(struct parser *parser, struct expression *left,
                                               struct expression *value)
{
    const bool to_register = left->kind == EXPRESSION_REGISTER;
    if (!to_register && left->kind != EXPRESSION_DEREFERENCE && left->kind != EXPRESSION_INDEX)
        lexer_fail(&parser->lexer, left->place, "this cannot be assigned to");
    struct litmus_statement *statement =
        statement_new(parser, to_register ? STATEMENT_ASSIGN : STATEMENT_STORE, left->place);
    statement->target = left->index;
    statement->to = left;
    statement->value = value;
    return statement;
}

/* (*x)++ and x[0]++; registers are counted as expressions. `*x++` would move the pointer. */
static struct litmus_statement *parse_counted_location(struct parser *parser, struct expression *left,
                                                       bool starred)
{
    const char *sign = c_counting(&parser->lexer.word);
    if (starred)
        lexer_fail(&parser->lexer, parser->lexer.word.place,
                   "%s%s would change the pointer; parentheses are missing, as in (*x)%s%s", sign, sign, sign,
                   sign);
    lexer_next(&parser->lexer);
    need_repeatable(parser, left);
    return assignment_new(parser, left, c_counted(parser, sign, left));
}

/* r0++ and --r0 are written out with an assignment in them. As a statement, where their value is not used,
 * they are that assignment alone; NULL: there is none. */
static const struct expression *assignment_within(const struct expression *expression)
{
    const struct expression *within = expression;
    if (within->kind == EXPRESSION_BINARY && strchr("+-", *within->operation) &&
        within->operand[1]->kind == EXPRESSION_NUMBER)
        within = within->operand[0];
    return within->kind == EXPRESSION_BINARY && strcmp(within->operation, "=") == 0 ? within : NULL;
}

/* An assignment or a call, without its semicolon. */
static struct litmus_statement *parse_simple(struct parser *parser)
{
    struct lexer *lexer = &parser->lexer;
    const bool starred = lexer_word_is(&lexer->word, "*");
    struct litmus_place place = lexer->word.place;
    struct expression *left = c_parse_expression(parser);
    char sign[3];
    if (c_counting(&lexer->word))
        return parse_counted_location(parser, left, starred);
    if (take_assignment(lexer, sign)) {
        struct expression *value = c_parse_value(parser);
        if (*sign)
            need_repeatable(parser, left);
        return assignment_new(parser, left, *sign ? c_binary(parser, sign, left, value) : value);
    }
    if (assignment_within(left))
        return assignment_new(parser, assignment_within(left)->operand[0],
                              assignment_within(left)->operand[1]);
    c_need_value(parser, left);
    struct litmus_statement *statement = statement_new(parser, STATEMENT_EVALUATE, place);
    statement->value = left;
    return statement;
}

static struct litmus_statement *parse_simple_list(struct parser *parser)
{
    struct litmus_statement *first = NULL, **end = &first;
    do
        end = append(end, parse_simple(parser));
    while (lexer_take(&parser->lexer, ","));
    return first;
}

/* ---- branches and loops -------------------------------------------------------------------------- */

static struct expression *parse_condition(struct parser *parser)
{
    lexer_need(&parser->lexer, "(");
    struct expression *condition = c_parse_value(parser);
    lexer_need(&parser->lexer, ")");
    return condition;
}

static struct litmus_statement *parse_loop_body(struct parser *parser)
{
    parser->loops++;
    struct litmus_statement *body = parse_statement(parser);
    parser->loops--;
    return body;
}

static struct litmus_statement *parse_if(struct parser *parser)
{
    struct litmus_statement *branch = statement_new(parser, STATEMENT_IF, parser->lexer.word.place);
    lexer_next(&parser->lexer);
    branch->value = parse_condition(parser);
    branch->body = parse_statement(parser);
    if (lexer_take(&parser->lexer, "else"))
        branch->otherwise = parse_statement(parser);
    return branch;
}

static struct litmus_statement *parse_while(struct parser *parser)
{
    struct litmus_statement *loop = statement_new(parser, STATEMENT_WHILE, parser->lexer.word.place);
    lexer_next(&parser->lexer);
    loop->value = parse_condition(parser);
    loop->body = parse_loop_body(parser);
    return loop;
}

static struct litmus_statement *parse_do(struct parser *parser)
{
    struct litmus_statement *loop = statement_new(parser, STATEMENT_DO, parser->lexer.word.place);
    lexer_next(&parser->lexer);
    loop->body = parse_loop_body(parser);
    lexer_need(&parser->lexer, "while");
    loop->value = parse_condition(parser);
    lexer_need(&parser->lexer, ";");
    return loop;
}

/* A loop without a condition continues for ever. */
static struct expression *parse_for_condition(struct parser *parser)
{
    static const struct expression always = {.kind = EXPRESSION_NUMBER, .number = 1};
    struct litmus_place place = parser->lexer.word.place;
    if (!lexer_word_is(&parser->lexer.word, ";"))
        return c_parse_value(parser);
    struct expression *condition = pool_take(&parser->test->pool, sizeof *condition);
    *condition = always;
    condition->place = place;
    return condition;
}

static struct litmus_statement *parse_for(struct parser *parser)
{
    struct lexer *lexer = &parser->lexer;
    const uint64_t visible = parser->visible;
    struct litmus_statement *loop = statement_new(parser, STATEMENT_WHILE, lexer->word.place), *first = NULL;
    lexer_next(lexer);
    lexer_need(lexer, "(");
    if (!lexer_word_is(&lexer->word, ";"))
        first = parser_at_type(parser) ? parse_declarators(parser) : parse_simple_list(parser);
    lexer_need(lexer, ";");
    loop->value = parse_for_condition(parser);
    lexer_need(lexer, ";");
    if (!lexer_word_is(&lexer->word, ")"))
        loop->otherwise = parse_simple_list(parser);
    lexer_need(lexer, ")");
    loop->body = parse_loop_body(parser);
    parser->visible = visible;
    append(&first, loop);
    return first;
}

static struct litmus_statement *parse_jump(struct parser *parser, enum statement_kind kind)
{
    struct lexer *lexer = &parser->lexer;
    struct litmus_statement *jump = statement_new(parser, kind, lexer->word.place);
    if (kind == STATEMENT_RETURN)
        parser->thread->returns = true;
    else if (!parser->loops)
        lexer_fail(lexer, jump->place, "'%.*s' outside of a loop", (int)lexer->word.length,
                   lexer->word.start);
    lexer_next(lexer);
    lexer_need(lexer, ";");
    return jump;
}

/* ---- all statements --------------------------------------------------------------------------------- */

static struct litmus_statement *parse_labelled(struct parser *parser)
{
    struct lexer *lexer = &parser->lexer;
    struct lexer before = *lexer;
    if (lexer->word.kind != WORD_NAME)
        return NULL;
    const char *label = lexer_name(lexer, "a label");
    if (!lexer_take(lexer, ":")) {
        *lexer = before;
        return NULL;
    }
    if (!at_barrier(parser))
        lexer_expected(lexer, "a barrier after the label");
    return parse_barrier(parser, label);
}

static void refuse_other_words(struct parser *parser)
{
    struct lexer *lexer = &parser->lexer;
    if (c_is_other_statement(&lexer->word))
        lexer_expected(lexer,
                       "a statement (if, while, do, for, break, continue, return, an assignment, a call, "
                       "a fence or a barrier)");
    if (c_is_other_type(&lexer->word))
        lexer_expected(lexer, "int or uint, the types of registers");
}

/* Those that begin with a word of their own; NULL: another one. */
static struct litmus_statement *parse_keyword(struct parser *parser)
{
    static const struct {
        const char *word;
        struct litmus_statement *(*parse)(struct parser *parser);
    } table[] = {{"{", parse_braces}, {"if", parse_if},   {"while", parse_while},
                 {"do", parse_do},    {"for", parse_for}, {"atomic_work_item_fence", parse_fence}};
    static const struct {
        const char *word;
        enum statement_kind kind;
    } jumps[] = {{"break", STATEMENT_BREAK}, {"continue", STATEMENT_CONTINUE}, {"return", STATEMENT_RETURN}};
    const struct litmus_word *word = &parser->lexer.word;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (lexer_word_is(word, table[i].word))
            return table[i].parse(parser);
    for (size_t i = 0; i < sizeof jumps / sizeof *jumps; i++)
        if (lexer_word_is(word, jumps[i].word))
            return parse_jump(parser, jumps[i].kind);
    return at_barrier(parser) ? parse_barrier(parser, NULL) : parse_labelled(parser);
}

static struct litmus_statement *parse_plain_statement(struct parser *parser)
{
    struct lexer *lexer = &parser->lexer;
    if (lexer_take(lexer, ";"))
        return statement_new(parser, STATEMENT_NOTHING, lexer->word.place);
    refuse_other_words(parser);
    struct litmus_statement *statement = parse_keyword(parser);
    if (statement)
        return statement;
    statement = parser_at_type(parser) ? parse_declarators(parser) : parse_simple(parser);
    lexer_need(lexer, ";");
    return statement;
}

static struct litmus_statement *parse_statement(struct parser *parser)
{
    parser_enter(parser);
    struct litmus_statement *statement = parse_plain_statement(parser);
    parser_leave(parser);
    return statement;
}

/* Parses up to and including the closing brace; what follows is not C. */
struct litmus_statement *c_parse_body(struct parser *parser)
{
    struct lexer *lexer = &parser->lexer;
    lexer->in_c = true;
    struct litmus_statement *body = parse_block(parser);
    lexer->in_c = false;
    lexer_need(lexer, "}");
    return body;
}
