/* SPDX-License-Identifier: Apache-2.0 */
/* The expressions of a litmus test's threads, by recursive descent. */
#include "litmus_c_parser.h"
#include "sim/base/memory_words.h"

#include <string.h>

#define CALL_NAME(name, operands, orders) [CALL_##name] = #name,
#define CALL_OPERANDS(name, operands, orders) [CALL_##name] = operands,
#define CALL_ORDERS(name, operands, orders) [CALL_##name] = orders,
const char *const atomic_call_names[ATOMIC_CALL_COUNT] = {ATOMIC_CALL_LIST(CALL_NAME)};
const uint8_t atomic_call_operands[ATOMIC_CALL_COUNT] = {ATOMIC_CALL_LIST(CALL_OPERANDS)};
const uint8_t atomic_call_orders[ATOMIC_CALL_COUNT] = {ATOMIC_CALL_LIST(CALL_ORDERS)};

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

static uint32_t find_or_add_register(struct parser *parser, struct litmus_place place, const char *name)
{
    struct thread *thread = parser->thread;
    uint32_t found = find_register(thread, name);
    if (found != UINT32_MAX)
        return found;
    if (thread->register_count == REGISTERS_MOST)
        lexer_fail(&parser->lexer, place, "more than %d registers", REGISTERS_MOST);
    thread->registers[thread->register_count] = name;
    return thread->register_count++;
}

uint32_t c_declare(struct parser *parser, struct litmus_place place, const char *name)
{
    if (find_parameter(parser->thread, name) != UINT32_MAX)
        lexer_fail(&parser->lexer, place, "'%s' is a parameter", name);
    const uint32_t index = find_or_add_register(parser, place, name);
    const uint64_t bit = UINT64_C(1) << index;
    if (parser->visible & bit)
        lexer_fail(&parser->lexer, place,
                   "'%s' is declared already; a register of an inner block needs another name", name);
    parser->visible |= bit;
    return index;
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

enum memory_ordering c_parse_order(struct parser *parser)
{
    return (enum memory_ordering)parse_word_of(parser, memory_order_words, MEMORY_ORDER_COUNT,
                                               "a memory order");
}

enum memory_scope c_parse_scope(struct parser *parser)
{
    if (lexer_take(&parser->lexer, "memory_scope_all_devices")) /* its name in OpenCL 3.0 */
        return SCOPE_ALL_SVM;
    return (enum memory_scope)parse_word_of(parser, memory_scope_words, MEMORY_SCOPE_COUNT, "a memory scope");
}

uint32_t c_parse_flags(struct parser *parser)
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

static bool is_one_of(const struct litmus_word *word, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (lexer_word_is(word, words[i]))
            return true;
    return false;
}

bool c_is_other_statement(const struct litmus_word *word)
{
    static const char *const words[] = {"switch", "case", "default", "goto", "else"};
    return is_one_of(word, words, sizeof words / sizeof *words);
}

bool c_is_other_type(const struct litmus_word *word)
{
    static const char *const words[] = {"bool",    "char",     "uchar",      "short",      "ushort",
                                        "long",    "ulong",    "float",      "half",       "size_t",
                                        "double",  "void",     "signed",     "local",      "global",
                                        "private", "volatile", "atomic_int", "atomic_uint"};
    return is_one_of(word, words, sizeof words / sizeof *words);
}

/* Words that begin something else where a register or parameter could stand. */
static bool is_reserved(const struct litmus_word *word)
{
    static const char *const words[] = {"if",
                                        "else",
                                        "while",
                                        "do",
                                        "for",
                                        "break",
                                        "continue",
                                        "return",
                                        "exists",
                                        "forall",
                                        "int",
                                        "uint",
                                        "unsigned",
                                        "const",
                                        "barrier",
                                        "work_group_barrier",
                                        "atomic_work_item_fence"};
    bool with_order;
    if (is_one_of(word, words, sizeof words / sizeof *words) || c_is_other_statement(word) ||
        c_is_other_type(word))
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

void c_need_value(struct parser *parser, const struct expression *expression)
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
    call->order = c_parse_order(parser);
    if (atomic_call_orders[call->call] == 2) {
        lexer_need(lexer, ",");
        call->failure_order = c_parse_order(parser);
    }
    if (lexer_take(lexer, ","))
        call->scope = c_parse_scope(parser);
}

static void check_operands(struct parser *parser, const struct expression *call)
{
    need_pointer(parser, call->operand[0]);
    bool compares = atomic_call_operands[call->call] == 3;
    if (compares && !is_register_address(call->operand[1]))
        need_pointer(parser, call->operand[1]);
    for (uint32_t i = compares ? 2 : 1; i < atomic_call_operands[call->call]; i++)
        c_need_value(parser, call->operand[i]);
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
        call->operand[i] = c_parse_expression(parser);
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
        lexer_fail(lexer, place,
                   "the function '%s' is not supported; litmus tests have atomic_load, atomic_store, "
                   "atomic_exchange, atomic_fetch_* and atomic_compare_exchange_*, also with _explicit",
                   name);
    expression->index = find_register(parser->thread, name);
    if (expression->index != UINT32_MAX)
        return expression;
    expression->kind = EXPRESSION_PARAMETER;
    expression->index = find_parameter(parser->thread, name);
    if (expression->index == UINT32_MAX)
        lexer_fail(lexer, place, "'%s' is neither a register nor a parameter of this thread", name);
    return expression;
}

/* (r0 = value) has a value, as in C; without parentheses an assignment is a statement. */
static struct expression *parse_parenthesised(struct parser *parser)
{
    struct expression *left = c_parse_expression(parser);
    const struct litmus_place place = parser->lexer.word.place;
    if (!lexer_take(&parser->lexer, "="))
        return left;
    if (left->kind != EXPRESSION_REGISTER)
        lexer_fail(&parser->lexer, place, "among other operators, only registers are assigned to");
    return c_binary(parser, "=", left, c_parse_value(parser));
}

static struct expression *one(struct parser *parser, struct litmus_place place)
{
    struct expression *number = expression_new(parser, EXPRESSION_NUMBER, place);
    number->number = 1;
    return number;
}

/* The operator of ++ or --, or NULL. */
const char *c_counting(const struct litmus_word *word)
{
    return lexer_word_is(word, "++") ? "+" : lexer_word_is(word, "--") ? "-" : NULL;
}

struct expression *c_counted(struct parser *parser, const char *sign, struct expression *left)
{
    return c_binary(parser, sign, left, one(parser, left->place));
}

/* r0++ becomes ((r0 = (r0 + 1)) - 1). */
static struct expression *parse_postfix_count(struct parser *parser, struct expression *left)
{
    const char *sign = c_counting(&parser->lexer.word);
    if (!sign || left->kind != EXPRESSION_REGISTER)
        return left;
    lexer_next(&parser->lexer);
    struct expression *after = c_binary(parser, "=", left, c_counted(parser, sign, left));
    return c_counted(parser, *sign == '+' ? "-" : "+", after);
}

static struct expression *parse_prefix_count(struct parser *parser)
{
    const char *sign = c_counting(&parser->lexer.word);
    lexer_next(&parser->lexer);
    if (parser->lexer.word.kind != WORD_NAME)
        lexer_expected(&parser->lexer, *sign == '+' ? "a register after '++'" : "a register after '--'");
    struct expression *counted = parse_name(parser);
    if (counted->kind != EXPRESSION_REGISTER)
        lexer_fail(&parser->lexer, counted->place, "expected a register, found an address");
    return c_binary(parser, "=", counted, c_counted(parser, sign, counted));
}

static struct expression *parse_primary(struct parser *parser)
{
    struct lexer *lexer = &parser->lexer;
    bool with_order;
    if (lexer_take(lexer, "(")) {
        struct expression *inner = parse_parenthesised(parser);
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
        element->operand[1] = c_parse_expression(parser);
        c_need_value(parser, element->operand[1]);
        lexer_need(lexer, "]");
        left = expression_complete(parser, element);
    }
    return parse_postfix_count(parser, left);
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
    } else if (c_counting(&lexer->word)) {
        unary = parse_prefix_count(parser);
    } else if (lexer_word_is(&lexer->word, "!") || lexer_word_is(&lexer->word, "-") ||
               lexer_word_is(&lexer->word, "~")) {
        unary = expression_new(parser, EXPRESSION_UNARY, lexer->word.place);
        unary->operation[0] = *lexer->word.start;
        lexer_next(lexer);
        unary->operand[0] = parse_unary(parser);
        c_need_value(parser, unary->operand[0]);
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

struct expression *c_binary(struct parser *parser, const char *sign, struct expression *left,
                            struct expression *right)
{
    struct expression *binary = expression_new(parser, EXPRESSION_BINARY, left->place);
    snprintf(binary->operation, sizeof binary->operation, "%s", sign);
    binary->operand[0] = left;
    binary->operand[1] = right;
    if (!is_pointer(binary))
        c_need_value(parser, left);
    c_need_value(parser, right);
    need_divisor(parser, binary);
    return expression_complete(parser, binary);
}

static struct expression *parse_binary(struct parser *parser, uint32_t least)
{
    struct lexer *lexer = &parser->lexer;
    struct expression *left = parse_unary(parser);
    for (uint32_t level; (level = precedence(&lexer->word)) >= least;) {
        char sign[sizeof left->operation] = "";
        memcpy(sign, lexer->word.start, lexer->word.length);
        lexer_next(lexer);
        left = c_binary(parser, sign, left, parse_binary(parser, level + 1));
    }
    return left;
}

static struct expression *parse_conditional(struct parser *parser, struct expression *condition)
{
    struct expression *choice = expression_new(parser, EXPRESSION_CONDITIONAL, condition->place);
    c_need_value(parser, condition);
    choice->operand[0] = condition;
    choice->operand[1] = c_parse_value(parser);
    lexer_need(&parser->lexer, ":");
    choice->operand[2] = c_parse_value(parser);
    return expression_complete(parser, choice);
}

struct expression *c_parse_expression(struct parser *parser)
{
    enter_expression(parser);
    struct expression *expression = parse_binary(parser, 1);
    if (lexer_take(&parser->lexer, "?"))
        expression = parse_conditional(parser, expression);
    leave_expression(parser);
    return expression;
}

struct expression *c_parse_value(struct parser *parser)
{
    struct expression *expression = c_parse_expression(parser);
    c_need_value(parser, expression);
    return expression;
}
