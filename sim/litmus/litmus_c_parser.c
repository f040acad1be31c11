/* SPDX-License-Identifier: Apache-2.0 */
/* The C of a litmus test's threads, by recursive descent. */
#include "litmus_c_parser.h"
#include "sim/base/memory_words.h"

#include <string.h>

#define CALL_NAME(name, operands, orders) [CALL_##name] = #name,
#define CALL_OPERANDS(name, operands, orders) [CALL_##name] = operands,
#define CALL_ORDERS(name, operands, orders) [CALL_##name] = orders,
const char *const atomic_call_names[ATOMIC_CALL_COUNT] = {ATOMIC_CALL_LIST(CALL_NAME)};
const uint8_t atomic_call_operands[ATOMIC_CALL_COUNT] = {ATOMIC_CALL_LIST(CALL_OPERANDS)};
const uint8_t atomic_call_orders[ATOMIC_CALL_COUNT] = {ATOMIC_CALL_LIST(CALL_ORDERS)};

static struct expression *parse_expression(struct parser *parser);
static struct litmus_statement *parse_statement(struct parser *parser);

/* ---- names ------------------------------------------------------------------------------- */

static uint32_t find_register(const struct thread *thread, const char *name)
{
    for (uint32_t i = 0; i < thread->register_count; i++)
        if (strcmp(thread->registers[i], name) == 0)
            return i;
    return UINT32_MAX;
}

static uint32_t find_parameter(const struct thread *thread, const char *name)
{
    for (uint32_t i = 0; i < thread->parameter_count; i++)
        if (strcmp(thread->parameters[i].name, name) == 0)
            return i;
    return UINT32_MAX;
}

/* A register declared again in another block is the same one: the clause could not distinguish them. */
static uint32_t declare(struct parser *parser, struct litmus_place place, const char *name)
{
    struct thread *thread = parser->thread;
    uint32_t found = find_register(thread, name);
    if (find_parameter(thread, name) != UINT32_MAX)
        lexer_fail(&parser->lexer, place, "'%s' is a parameter", name);
    if (found != UINT32_MAX)
        return found;
    if (thread->register_count == REGISTERS_MOST)
        lexer_fail(&parser->lexer, place, "more than %d registers", REGISTERS_MOST);
    thread->registers[thread->register_count] = name;
    return thread->register_count++;
}

static struct expression *expression_new(struct parser *parser, enum expression_kind kind,
                                         struct litmus_place place)
{
    struct expression *expression = pool_take(&parser->test->pool, sizeof *expression);
    expression->kind = kind;
    expression->place = place;
    return expression;
}

/*
 * A chain of operators is a deep tree, too, and printed with parentheses. Kernels need less than the 256
 * brackets that clang allows.
 */
enum { EXPRESSION_DEPTH_MOST = 64, EXPRESSION_NESTING_MOST = 3 * EXPRESSION_DEPTH_MOST + 16 };

/* To be called when it has its operands, each time an operand changes. */
static struct expression *expression_complete(struct parser *parser, struct expression *expression)
{
    for (int i = 0; i < 3; i++)
        if (expression->operand[i] && expression->depth <= expression->operand[i]->depth)
            expression->depth = expression->operand[i]->depth + 1;
    if (expression->depth > EXPRESSION_DEPTH_MOST)
        lexer_fail(&parser->lexer, expression->place, "more than %d operators in one another",
                   EXPRESSION_DEPTH_MOST);
    return expression;
}

/*
 * Parentheses count, too, although they make no tree: the parser calls itself for each. For an operator in
 * printed parentheses it does so three times.
 */
static void enter_expression(struct parser *parser)
{
    if (++parser->expression_nesting > EXPRESSION_NESTING_MOST)
        lexer_fail(&parser->lexer, parser->lexer.word.place, "nested too deeply");
}

static void leave_expression(struct parser *parser)
{
    parser->expression_nesting--;
}

/* ---- orders, scopes, flags ------------------------------------------------------------------ */

static uint32_t parse_word_of(struct parser *parser, const char *const *words, uint32_t count,
                              const char *what)
{
    struct lexer *lexer = &parser->lexer;
    for (uint32_t i = 0; i < count; i++)
        if (lexer_take(lexer, words[i]))
            return i;
    lexer_expected(lexer, what);
}

static enum memory_ordering parse_order(struct parser *parser)
{
    return (enum memory_ordering)parse_word_of(parser, memory_order_words, MEMORY_ORDER_COUNT,
                                               "a memory order");
}

static enum memory_scope parse_scope(struct parser *parser)
{
    if (lexer_take(&parser->lexer, "memory_scope_all_devices")) /* its name in OpenCL 3.0 */
        return SCOPE_ALL_SVM;
    return (enum memory_scope)parse_word_of(parser, memory_scope_words, MEMORY_SCOPE_COUNT, "a memory scope");
}

static uint32_t parse_flags(struct parser *parser)
{
    static const char *const words[] = {"0", "CLK_GLOBAL_MEM_FENCE", "CLK_LOCAL_MEM_FENCE",
                                        "CLK_IMAGE_MEM_FENCE"};
    static const uint32_t flags[] = {0, REGION_GLOBAL, REGION_LOCAL, REGION_IMAGE};
    uint32_t all = 0;
    do
        all |= flags[parse_word_of(parser, words, sizeof words / sizeof *words, "flags of a fence")];
    while (lexer_take(&parser->lexer, "|"));
    return all;
}

/* ---- calls ------------------------------------------------------------------------------------- */

/* atomic_load or atomic_load_explicit. */
static bool is_call(const struct litmus_word *word, enum atomic_call call, bool *out_explicit)
{
    const char *name = atomic_call_names[call];
    size_t length = strlen(name);
    *out_explicit = word->length > length;
    if (word->kind != WORD_NAME || word->length < length || memcmp(word->start, name, length) != 0)
        return false;
    const char *suffix = word->start + length;
    return word->length == length || (word->length == length + 9 && memcmp(suffix, "_explicit", 9) == 0);
}

/* Words that begin something else where a register or parameter could stand. */
static bool is_reserved(const struct litmus_word *word)
{
    static const char *const words[] = {"if",
                                        "else",
                                        "while",
                                        "int",
                                        "uint",
                                        "unsigned",
                                        "barrier",
                                        "work_group_barrier",
                                        "atomic_work_item_fence"};
    bool with_order;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (lexer_word_is(word, words[i]))
            return true;
    for (enum atomic_call call = 0; call < ATOMIC_CALL_COUNT; call++)
        if (is_call(word, call, &with_order))
            return true;
    return false;
}

const char *c_parse_new_name(struct parser *parser, const char *what)
{
    if (is_reserved(&parser->lexer.word))
        lexer_expected(&parser->lexer, what);
    return lexer_name(&parser->lexer, what);
}

static bool is_pointer(const struct expression *expression)
{
    switch (expression->kind) {
    case EXPRESSION_PARAMETER: return true;
    case EXPRESSION_ADDRESS_OF: return expression->operand[0]->kind != EXPRESSION_REGISTER;
    case EXPRESSION_BINARY:
        return expression->operation[1] == '\0' && strchr("+-", expression->operation[0]) &&
               is_pointer(expression->operand[0]);
    default: return false;
    }
}

static bool is_register_address(const struct expression *expression)
{
    return expression->kind == EXPRESSION_ADDRESS_OF && expression->operand[0]->kind == EXPRESSION_REGISTER;
}

static void need_value(struct parser *parser, const struct expression *expression)
{
    if (is_pointer(expression) || is_register_address(expression))
        lexer_fail(&parser->lexer, expression->place, "expected a value, found an address");
}

static void need_pointer(struct parser *parser, const struct expression *expression)
{
    if (!is_pointer(expression))
        lexer_fail(&parser->lexer, expression->place, "expected a pointer to a location");
}

static void check_orders(struct parser *parser, const struct expression *call)
{
    bool acquires = call->order == ORDER_ACQUIRE || call->order == ORDER_ACQ_REL;
    bool releases = call->order == ORDER_RELEASE || call->order == ORDER_ACQ_REL;
    if (call->call == CALL_atomic_load && releases)
        lexer_fail(&parser->lexer, call->place, "a load cannot release");
    if (call->call == CALL_atomic_store && acquires)
        lexer_fail(&parser->lexer, call->place, "a store cannot acquire");
}

static void parse_orders(struct parser *parser, struct expression *call)
{
    struct lexer *lexer = &parser->lexer;
    lexer_need(lexer, ",");
    call->order = parse_order(parser);
    if (atomic_call_orders[call->call] == 2) {
        lexer_need(lexer, ",");
        call->failure_order = parse_order(parser);
    }
    if (lexer_take(lexer, ","))
        call->scope = parse_scope(parser);
}

static void check_operands(struct parser *parser, const struct expression *call)
{
    need_pointer(parser, call->operand[0]);
    bool compares = atomic_call_operands[call->call] == 3;
    if (compares && !is_register_address(call->operand[1]))
        need_pointer(parser, call->operand[1]);
    for (uint32_t i = compares ? 2 : 1; i < atomic_call_operands[call->call]; i++)
        need_value(parser, call->operand[i]);
}

static struct expression *parse_call(struct parser *parser, enum atomic_call which, bool with_order)
{
    struct lexer *lexer = &parser->lexer;
    struct expression *call = expression_new(parser, EXPRESSION_ATOMIC, lexer->word.place);
    call->call = which;
    call->order = call->failure_order = ORDER_SEQ_CST;
    call->scope = SCOPE_DEVICE;
    lexer_next(lexer);
    lexer_need(lexer, "(");
    for (uint32_t i = 0; i < atomic_call_operands[which]; i++) {
        if (i)
            lexer_need(lexer, ",");
        call->operand[i] = parse_expression(parser);
    }
    if (with_order)
        parse_orders(parser, call);
    lexer_need(lexer, ")");
    check_operands(parser, call);
    check_orders(parser, call);
    return expression_complete(parser, call);
}

/* ---- expressions ---------------------------------------------------------------------------------- */

static struct expression *parse_name(struct parser *parser)
{
    struct lexer *lexer = &parser->lexer;
    struct litmus_place place = lexer->word.place;
    const char *name = lexer_name(lexer, "an expression");
    struct expression *expression = expression_new(parser, EXPRESSION_REGISTER, place);
    if (lexer_word_is(&lexer->word, "("))
        lexer_fail(lexer, place, "a function that litmus tests do not have: '%s'", name);
    expression->index = find_register(parser->thread, name);
    if (expression->index != UINT32_MAX)
        return expression;
    expression->kind = EXPRESSION_PARAMETER;
    expression->index = find_parameter(parser->thread, name);
    if (expression->index == UINT32_MAX)
        lexer_fail(lexer, place, "'%s' is neither a register nor a parameter of this thread", name);
    return expression;
}

static struct expression *parse_primary(struct parser *parser)
{
    struct lexer *lexer = &parser->lexer;
    bool with_order;
    if (lexer_take(lexer, "(")) {
        struct expression *inner = parse_expression(parser);
        lexer_need(lexer, ")");
        return inner;
    }
    if (lexer->word.kind == WORD_NUMBER) {
        struct expression *number = expression_new(parser, EXPRESSION_NUMBER, lexer->word.place);
        number->number = lexer_number(lexer);
        return number;
    }
    for (enum atomic_call call = 0; call < ATOMIC_CALL_COUNT; call++)
        if (is_call(&lexer->word, call, &with_order))
            return parse_call(parser, call, with_order);
    return parse_name(parser);
}

static struct expression *parse_postfix(struct parser *parser)
{
    struct lexer *lexer = &parser->lexer;
    struct expression *left = parse_primary(parser);
    while (lexer_word_is(&lexer->word, "[")) {
        struct expression *element = expression_new(parser, EXPRESSION_INDEX, lexer->word.place);
        lexer_next(lexer);
        need_pointer(parser, left);
        element->operand[0] = left;
        element->operand[1] = parse_expression(parser);
        need_value(parser, element->operand[1]);
        lexer_need(lexer, "]");
        left = expression_complete(parser, element);
    }
    return left;
}

static struct expression *parse_address_of(struct parser *parser)
{
    struct lexer *lexer = &parser->lexer;
    struct expression *address = expression_new(parser, EXPRESSION_ADDRESS_OF, lexer->word.place);
    lexer_next(lexer);
    address->operand[0] = parse_postfix(parser);
    if (address->operand[0]->kind != EXPRESSION_INDEX && address->operand[0]->kind != EXPRESSION_REGISTER)
        lexer_fail(lexer, address->place, "the address of this cannot be taken");
    return address;
}

static struct expression *parse_unary(struct parser *parser)
{
    struct lexer *lexer = &parser->lexer;
    struct expression *unary;
    enter_expression(parser);
    if (lexer_word_is(&lexer->word, "*")) {
        unary = expression_new(parser, EXPRESSION_DEREFERENCE, lexer->word.place);
        lexer_next(lexer);
        unary->operand[0] = parse_unary(parser);
        need_pointer(parser, unary->operand[0]);
    } else if (lexer_word_is(&lexer->word, "&")) {
        unary = parse_address_of(parser);
    } else if (lexer_word_is(&lexer->word, "!") || lexer_word_is(&lexer->word, "-") ||
               lexer_word_is(&lexer->word, "~")) {
        unary = expression_new(parser, EXPRESSION_UNARY, lexer->word.place);
        unary->operation[0] = *lexer->word.start;
        lexer_next(lexer);
        unary->operand[0] = parse_unary(parser);
        need_value(parser, unary->operand[0]);
    } else {
        unary = parse_postfix(parser);
    }
    leave_expression(parser);
    return expression_complete(parser, unary);
}

static uint32_t precedence(const struct litmus_word *word)
{
    static const struct {
        const char *sign;
        uint32_t level;
    } table[] = {{"||", 1}, {"&&", 2}, {"|", 3}, {"^", 4},  {"&", 5},  {"==", 6},
                 {"!=", 6}, {"<", 7},  {">", 7}, {"<=", 7}, {">=", 7}, {"<<", 8},
                 {">>", 8}, {"+", 9},  {"-", 9}, {"*", 10}, {"/", 10}, {"%", 10}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (lexer_word_is(word, table[i].sign))
            return table[i].level;
    return 0;
}

static void need_divisor(struct parser *parser, const struct expression *binary)
{
    const struct expression *divisor = binary->operand[1];
    if ((*binary->operation == '/' || *binary->operation == '%') && divisor->kind == EXPRESSION_NUMBER &&
        divisor->number == 0)
        lexer_fail(&parser->lexer, divisor->place, "a division by zero");
}

static struct expression *parse_binary(struct parser *parser, uint32_t least)
{
    struct lexer *lexer = &parser->lexer;
    struct expression *left = parse_unary(parser);
    for (uint32_t level; (level = precedence(&lexer->word)) >= least;) {
        struct expression *binary = expression_new(parser, EXPRESSION_BINARY, left->place);
        memcpy(binary->operation, lexer->word.start, lexer->word.length);
        lexer_next(lexer);
        binary->operand[0] = left;
        binary->operand[1] = parse_binary(parser, level + 1);
        if (!is_pointer(binary))
            need_value(parser, left);
        need_value(parser, binary->operand[1]);
        need_divisor(parser, binary);
        left = expression_complete(parser, binary);
    }
    return left;
}

static struct expression *parse_expression(struct parser *parser)
{
    enter_expression(parser);
    struct expression *expression = parse_binary(parser, 1);
    leave_expression(parser);
    return expression;
}

static struct expression *parse_value(struct parser *parser)
{
    struct expression *expression = parse_expression(parser);
    need_value(parser, expression);
    return expression;
}

/* ---- statements -------------------------------------------------------------------------------------- */

static struct litmus_statement *statement_new(struct parser *parser, enum statement_kind kind,
                                              struct litmus_place place)
{
    struct litmus_statement *statement = pool_take(&parser->test->pool, sizeof *statement);
    statement->kind = kind;
    statement->place = place;
    return statement;
}

static struct litmus_statement *parse_block(struct parser *parser)
{
    struct litmus_statement *block = statement_new(parser, STATEMENT_BLOCK, parser->lexer.word.place),
                            **end = &block->body;
    lexer_need(&parser->lexer, "{");
    while (!lexer_word_is(&parser->lexer.word, "}")) {
        *end = parse_statement(parser);
        while (*end)
            end = &(*end)->next;
    }
    return block;
}

static struct litmus_statement *parse_braces(struct parser *parser)
{
    struct litmus_statement *block = parse_block(parser);
    lexer_need(&parser->lexer, "}");
    return block;
}

/* int a, b = 1; becomes a statement for each. */
static struct litmus_statement *parse_declaration(struct parser *parser)
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
            assign->value = parse_value(parser);
        }
        assign->target = declare(parser, place, name);
        *end = assign;
        end = &assign->next;
    } while (lexer_take(lexer, ","));
    lexer_need(lexer, ";");
    return first;
}

static struct litmus_statement *parse_fence(struct parser *parser)
{
    struct lexer *lexer = &parser->lexer;
    struct litmus_statement *fence = statement_new(parser, STATEMENT_FENCE, lexer->word.place);
    lexer_next(lexer);
    lexer_need(lexer, "(");
    fence->flags = parse_flags(parser);
    lexer_need(lexer, ",");
    fence->order = parse_order(parser);
    lexer_need(lexer, ",");
    fence->scope = parse_scope(parser);
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
    barrier->flags = parse_flags(parser);
    if (lexer_take(lexer, ","))
        barrier->scope = parse_scope(parser);
    lexer_need(lexer, ")");
    lexer_need(lexer, ";");
    return barrier;
}

static struct litmus_statement *parse_branch(struct parser *parser, enum statement_kind kind)
{
    struct lexer *lexer = &parser->lexer;
    struct litmus_statement *branch = statement_new(parser, kind, lexer->word.place);
    lexer_next(lexer);
    lexer_need(lexer, "(");
    branch->value = parse_value(parser);
    lexer_need(lexer, ")");
    branch->body = parse_statement(parser);
    if (kind == STATEMENT_IF && lexer_take(lexer, "else"))
        branch->otherwise = parse_statement(parser);
    return branch;
}

static struct litmus_statement *parse_assignment(struct parser *parser)
{
    struct lexer *lexer = &parser->lexer;
    struct litmus_place place = lexer->word.place;
    struct expression *left = parse_expression(parser);
    struct litmus_statement *statement = statement_new(parser, STATEMENT_EVALUATE, place);
    if (lexer_take(lexer, "=")) {
        statement->kind = left->kind == EXPRESSION_REGISTER ? STATEMENT_ASSIGN : STATEMENT_STORE;
        if (left->kind != EXPRESSION_REGISTER && left->kind != EXPRESSION_DEREFERENCE &&
            left->kind != EXPRESSION_INDEX)
            lexer_fail(lexer, place, "this cannot be assigned to");
        statement->target = left->index;
        statement->to = left;
        statement->value = parse_value(parser);
    } else {
        need_value(parser, left);
        statement->value = left;
    }
    lexer_need(lexer, ";");
    return statement;
}

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

static struct litmus_statement *parse_plain_statement(struct parser *parser)
{
    struct lexer *lexer = &parser->lexer;
    if (lexer_word_is(&lexer->word, "{"))
        return parse_braces(parser);
    if (lexer_take(lexer, ";"))
        return statement_new(parser, STATEMENT_NOTHING, lexer->word.place);
    if (parser_at_type(parser))
        return parse_declaration(parser);
    if (lexer_word_is(&lexer->word, "if"))
        return parse_branch(parser, STATEMENT_IF);
    if (lexer_word_is(&lexer->word, "while"))
        return parse_branch(parser, STATEMENT_WHILE);
    if (lexer_word_is(&lexer->word, "atomic_work_item_fence"))
        return parse_fence(parser);
    if (at_barrier(parser))
        return parse_barrier(parser, NULL);
    struct litmus_statement *labelled = parse_labelled(parser);
    return labelled ? labelled : parse_assignment(parser);
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
