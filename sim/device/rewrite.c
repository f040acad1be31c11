/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A read of an object and a write that depends on it become one atomic update. In four steps:
 *   the write, L = R, L op= E or L++, and the statement, if any, that reads L into a variable before it (t =
 * X); the if, if any, that the write is the body of, and whose condition reads L or t; the value that L gets,
 * as an operation on the value that it had: add, sub, and, or, xor, min, max, or any expression; the text: an
 * atomic function where there is one for the operation and the type, else a compare-exchange loop.
 *
 * Each form keeps what the statements do when one work-item executes them alone. The write is done where the
 * read was, or the read where the write was, and so only where nothing in between assigns what either uses.
 */
#include "rewrite.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "orrery/checked.h"
#include "rewrite_state.h"
#include "sim/base/memory_words.h"

enum rewrite_operation {
    UPDATE_NONE,
    UPDATE_ADD,
    UPDATE_SUB,
    UPDATE_AND,
    UPDATE_OR,
    UPDATE_XOR,
    UPDATE_MIN,
    UPDATE_MAX,
    UPDATE_ANY
};

/* The operand of an update, `one` for ++ and --. Of ANY there is none. */
struct change {
    enum rewrite_operation operation;
    struct range by;
    bool one;
};

/* ---- ranges of tokens ----------------------------------------------------------- */

static bool same_tokens(const struct rewriting *r, uint32_t a, uint32_t b)
{
    const struct token *x = &r->syntax.tokens[a], *y = &r->syntax.tokens[b];
    return x->length == y->length && memcmp(x->at, y->at, x->length) == 0;
}

static bool is(const struct rewriting *r, uint32_t token, const char *text)
{
    return token_is(&r->syntax, token, text);
}

/* The token is one of the words, which are separated by blanks. */
static bool is_any(const struct rewriting *r, uint32_t token, const char *words)
{
    const struct token *t = &r->syntax.tokens[token];
    if (token >= r->syntax.token_count)
        return false;
    for (const char *word = words; *word; word += strspn(word, " ")) {
        const size_t length = strcspn(word, " ");
        if (t->length == length && memcmp(t->at, word, length) == 0)
            return true;
        word += length;
    }
    return false;
}

static bool is_empty(struct range range)
{
    return range.first >= range.end;
}

static struct range strip(const struct rewriting *r, struct range range)
{
    while (!is_empty(range) && is(r, range.first, "(") &&
           r->syntax.tokens[range.first].match == range.end - 1)
        range = (struct range){range.first + 1, range.end - 1};
    return range;
}

static bool same_range(const struct rewriting *r, struct range a, struct range b)
{
    a = strip(r, a);
    b = strip(r, b);
    if (is_empty(a) || a.end - a.first != b.end - b.first)
        return false;
    for (uint32_t i = 0; i < a.end - a.first; i++)
        if (!same_tokens(r, a.first + i, b.first + i))
            return false;
    return true;
}

/* The token is a member's name: after . or -> */
static bool is_member(const struct rewriting *r, uint32_t token)
{
    return token && is_any(r, token - 1, ". ->");
}

/* An operand may end with the token, so that the next token is a binary operator. */
static bool ends_operand(const struct rewriting *r, uint32_t token)
{
    const unsigned char c = (unsigned char)*r->syntax.tokens[token].at;
    return (isalnum(c) || strchr("_)]", c)) && !is_any(r, token, "return else");
}

/* Does the object stand there, and no other that begins or ends like it? */
static bool object_at(const struct rewriting *r, uint32_t token, uint32_t end)
{
    const uint32_t count = r->object.end - r->object.first, next = token + count;
    if (next > end)
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (!same_tokens(r, token + i, r->object.first + i))
            return false;
    const bool multiplies = token && is(r, token, "*") && ends_operand(r, token - 1);
    if (multiplies || is_member(r, token))
        return false;
    return next >= r->syntax.token_count || !is_any(r, next, "[ ( . ->");
}

static bool variable_at(const struct rewriting *r, uint32_t token)
{
    return r->definer && same_tokens(r, token, r->variable) && !is_member(r, token);
}

static bool has_object(const struct rewriting *r, struct range range)
{
    for (uint32_t i = range.first; i < range.end; i++)
        if (object_at(r, i, range.end))
            return true;
    return false;
}

static uint32_t count_variable(const struct rewriting *r, struct range range)
{
    uint32_t count = 0;
    for (uint32_t i = range.first; i < range.end; i++)
        count += variable_at(r, i);
    return count;
}

/* The value before the update: the object, or the variable that it was read into. */
static bool is_old(const struct rewriting *r, struct range range)
{
    range = strip(r, range);
    const uint32_t length = range.end - range.first;
    if (is_empty(range))
        return false;
    return (length == r->object.end - r->object.first && object_at(r, range.first, range.end)) ||
           (length == 1 && variable_at(r, range.first));
}

static bool has_old(const struct rewriting *r, struct range range)
{
    return has_object(r, range) || count_variable(r, range) > 0;
}

static bool has_effects(const struct rewriting *r, struct range range)
{
    for (uint32_t i = range.first; i < range.end; i++)
        if (token_assigns(&r->syntax, i) || is(r, i, "++") || is(r, i, "--"))
            return true;
    return false;
}

/* Is the variable that a token names assigned, declared or passed on by its address there? */
static bool is_changed(const struct rewriting *r, uint32_t word, struct range range)
{
    for (uint32_t i = range.first; i < range.end; i++) {
        if (!same_tokens(r, i, word))
            continue;
        const bool declared = i > range.first && token_is_word(&r->syntax, i - 1) && !is(r, i - 1, "return");
        const bool before = declared || (i > range.first && is_any(r, i - 1, "++ -- &"));
        uint32_t next = i + 1;
        while (next < range.end && is(r, next, "["))
            next = r->syntax.tokens[next].match + 1;
        const bool after = next < range.end && (token_assigns(&r->syntax, next) || is_any(r, next, "++ --"));
        if (before || after)
            return true;
    }
    return false;
}

/* Does a range mean the same before and after another one? */
static bool means_same(const struct rewriting *r, struct range range, struct range across)
{
    for (uint32_t i = range.first; i < range.end; i++)
        if (token_is_word(&r->syntax, i) && is_changed(r, i, across))
            return false;
    return true;
}

/* ---- text ------------------------------------------------------------------------ */

static void put(struct text_piece *piece, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void put(struct text_piece *piece, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int length =
        vsnprintf(piece->bytes + piece->used, sizeof piece->bytes - piece->used, format, arguments);
    va_end(arguments);
    piece->cut |= length < 0 || piece->used + (size_t)length >= sizeof piece->bytes;
    piece->used = piece->cut ? sizeof piece->bytes - 1 : piece->used + (size_t)length;
}

static bool follows_space(const struct rewriting *r, uint32_t token)
{
    const struct token *now = &r->syntax.tokens[token], *before = now - 1;
    return now->line != before->line || now->column != before->column + before->length;
}

/* old: what to write for the value before the update; NULL: as it stands. */
static void put_range(const struct rewriting *r, struct text_piece *piece, struct range range,
                      const char *old)
{
    for (uint32_t i = range.first; i < range.end; i++) {
        if (i > range.first && follows_space(r, i))
            put(piece, " ");
        if (old && object_at(r, i, range.end)) {
            put(piece, "%s", old);
            i += r->object.end - r->object.first - 1;
        } else if (old && variable_at(r, i)) {
            put(piece, "%s", old);
        } else {
            put(piece, "%.*s", (int)r->syntax.tokens[i].length, r->syntax.tokens[i].at);
        }
    }
}

/* A pointer to the object, which a cast may precede. */
static void put_pointer(const struct rewriting *r, struct text_piece *piece)
{
    const struct range object = strip(r, r->object);
    if (!is(r, object.first, "*")) {
        put(piece, "&");
        put_range(r, piece, object, NULL);
        return;
    }
    put_range(r, piece, (struct range){object.first + 1, object.end}, NULL);
}

static const char *space(const struct rewriting *r)
{
    return r->request->local ? "local" : "global";
}

static bool is_old_language(const struct rewriting *r)
{
    return r->request->opencl_c && r->request->opencl_c < 200;
}

static bool is_float(const struct rewriting *r)
{
    return r->request->type != NUMBER_INTEGER;
}

static const char *scope(const struct rewriting *r)
{
    return r->request->local || r->request->one_group ? "memory_scope_work_group" : "memory_scope_device";
}

/* ---- types ------------------------------------------------------------------------ */

static const char *type_of_words(const struct rewriting *r, uint32_t last)
{
    static const char *const types[] = {"int", "uint", "long", "ulong", "float", "double"};
    const bool is_unsigned = (last && is(r, last - 1, "unsigned")) || is(r, last, "unsigned");
    if (is(r, last, "unsigned") || (is(r, last, "int") && is_unsigned))
        return "uint";
    if (is(r, last, "long") && is_unsigned)
        return "ulong";
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (is(r, last, types[i]))
            return types[i];
    return NULL;
}

/* Of the declaration of a name that stands nearest before a token, or of a member's anywhere; NULL: none with
 * a scalar type. */
static const char *type_of_name(const struct rewriting *r, uint32_t name, uint32_t before)
{
    for (uint32_t i = before; i-- > 1;) {
        uint32_t last = i - 1;
        if (!same_tokens(r, i, name))
            continue;
        while (last && is_any(r, last, "* restrict const volatile __restrict global local __global __local"))
            last--;
        const char *type = type_of_words(r, last);
        if (type)
            return type;
    }
    return NULL;
}

/* The name that the type belongs to: the last one outside of brackets. */
static uint32_t name_of(const struct rewriting *r, struct range object)
{
    uint32_t name = NO_TOKEN;
    object = strip(r, object);
    for (uint32_t i = object.first; i < object.end; i++) {
        if (is(r, i, "[") || (is(r, i, "(") && name != NO_TOKEN))
            i = r->syntax.tokens[i].match;
        else if (token_is_word(&r->syntax, i))
            name = i;
    }
    return name;
}

static bool has_size(const char *type, uint32_t size)
{
    const bool eight = strcmp(type, "long") == 0 || strcmp(type, "ulong") == 0 || strcmp(type, "double") == 0;
    return size == (eight ? 8 : 4);
}

static void find_type(struct rewriting *r)
{
    const uint32_t name = name_of(r, r->object);
    const bool member = name != NO_TOKEN && name && (is(r, name - 1, ".") || is(r, name - 1, "->"));
    r->type = r->request->type == NUMBER_FLOAT    ? "float"
              : r->request->type == NUMBER_DOUBLE ? "double"
                                                  : NULL;
    if (!r->type && r->request->type == NUMBER_INTEGER && name != NO_TOKEN)
        r->type = type_of_name(r, name, member ? r->syntax.token_count : name);
    if (r->type && !has_size(r->type, r->request->size))
        r->type = NULL;
}

/* A decimal number with a point, an exponent or the suffix f. */
static bool is_float_number(const struct token *token)
{
    const bool number = isdigit((unsigned char)*token->at) || *token->at == '.';
    const bool hex = token->length > 1 && token->at[0] == '0' && (token->at[1] | 0x20) == 'x';
    if (!number || hex || token->length == 1)
        return false;
    for (size_t i = 0; i < token->length; i++)
        if (strchr(".ef", token->at[i]))
            return true;
    return false;
}

/* An operand has a floating-point number or variable, so the update is not one of integers. */
static bool may_be_float(const struct rewriting *r, struct range range)
{
    for (uint32_t i = range.first; i < range.end; i++) {
        const struct token *token = &r->syntax.tokens[i];
        if (is_float_number(token))
            return true;
        const char *type = token_is_word(&r->syntax, i) ? type_of_name(r, i, i) : NULL;
        if (type && (strcmp(type, "float") == 0 || strcmp(type, "double") == 0))
            return true;
    }
    return false;
}

/* ---- what is written ---------------------------------------------------------------- */

static uint32_t postfix_begin(const struct rewriting *r, uint32_t last)
{
    for (uint32_t i = last;;) {
        if (is(r, i, "]")) {
            i = r->syntax.tokens[i].match - 1;
            continue;
        }
        if (is(r, i, ")"))
            i = r->syntax.tokens[i].match;
        if (i < 2 || !(is(r, i - 1, ".") || is(r, i - 1, "->")))
            return i;
        i -= 2;
    }
}

static uint32_t unary_end(const struct rewriting *r, uint32_t first)
{
    uint32_t i = first;
    while (is(r, i, "*"))
        i++;
    i = is(r, i, "(") ? r->syntax.tokens[i].match + 1 : i + 1;
    while (is(r, i, "[") || is(r, i, ".") || is(r, i, "->"))
        i = is(r, i, "[") ? r->syntax.tokens[i].match + 1 : i + 2;
    return i;
}

/* From the last mark before the operator that no operand on its left can hold. */
static uint32_t assigned_begin(const struct rewriting *r, uint32_t operator, uint32_t least)
{
    uint32_t first = operator;
    while (first > least) {
        const uint32_t before = first - 1;
        if (is(r, before, ")") || is(r, before, "]")) {
            first = r->syntax.tokens[before].match;
            continue;
        }
        if (is_any(r, before, "( [ { ; , ? : && ||") || token_assigns(&r->syntax, before))
            break;
        first = before;
    }
    return first;
}

static uint32_t value_end(const struct rewriting *r, uint32_t first, uint32_t most)
{
    uint32_t end = first;
    while (end < most && !is_any(r, end, ") ] } ; ,"))
        end = r->syntax.tokens[end].match != NO_TOKEN ? r->syntax.tokens[end].match + 1 : end + 1;
    return end;
}

static bool is_step(const struct rewriting *r, uint32_t token)
{
    return is_any(r, token, "++ --");
}

/* The operator there, or the only one of the statement. */
static uint32_t find_operator(const struct rewriting *r, uint32_t token)
{
    uint32_t found = NO_TOKEN, count = 0;
    if (is_step(r, token) || token_assigns(&r->syntax, token))
        return token;
    const struct syntax_node *leaf = &r->syntax.nodes[syntax_leaf(&r->syntax, token)];
    for (uint32_t i = leaf->first; leaf->kind == NODE_PLAIN && i < leaf->end; i++) {
        if (is_step(r, i) || token_assigns(&r->syntax, i)) {
            found = i;
            count++;
        }
    }
    return count == 1 ? found : NO_TOKEN;
}

bool rewriting_find_write(struct rewriting *r)
{
    const uint32_t at = syntax_token_at(&r->syntax, r->request->write.line, r->request->write.column);
    const uint32_t operator= at == NO_TOKEN ? NO_TOKEN : find_operator(r, at);
    r->leaf = operator== NO_TOKEN ? 0 : syntax_leaf(&r->syntax, operator);
    if (!r->leaf || !operator)
        return false;
    const struct syntax_node *leaf = &r->syntax.nodes[r->leaf];
    r->operator= operator;
    if (is_step(r, operator) && operator> leaf->first && ends_operand(r, operator- 1)) {
        r->object = (struct range){postfix_begin(r, operator- 1), operator};
        r->whole = (struct range){r->object.first, operator+ 1 };
    } else if (is_step(r, operator)) {
        r->object = (struct range){operator+ 1, unary_end(r, operator+ 1)};
        r->whole = (struct range){operator, r->object.end };
    } else {
        r->object = (struct range){assigned_begin(r, operator, leaf->first), operator};
        r->value = (struct range){operator+ 1, value_end(r, operator+ 1, leaf->end)};
        r->whole = (struct range){r->object.first, r->value.end};
    }
    if (r->whole.first < leaf->first || r->whole.end > leaf->end || r->whole.first >= r->whole.end ||
        is_empty(r->object))
        return false;
    r->object = strip(r, r->object);
    r->alone = leaf->kind == NODE_PLAIN && r->whole.first == leaf->first && r->whole.end + 1 == leaf->end &&
               is(r, r->whole.end, ";");
    return !is_empty(r->object) && !has_effects(r, r->object) &&
           (is_step(r, operator) || !is_empty(r->value));
}

/* ---- the value that it gets -------------------------------------------------------- */

static struct change any_change(void)
{
    return (struct change){.operation = UPDATE_ANY};
}

/* A two-operand change of what one operand is the old value of; ANY if the other one has it, too. */
static struct change change_by(const struct rewriting *r, enum rewrite_operation operation, struct range by)
{
    return has_old(r, by) ? any_change() : (struct change){.operation = operation, .by = by};
}

/* The token after this one, or after the bracket that closes if this one opens it. */
static uint32_t past(const struct rewriting *r, uint32_t token)
{
    const uint32_t match = r->syntax.tokens[token].match;
    return match != NO_TOKEN && match > token ? match + 1 : token + 1;
}

/* The last operator of the text, outside of brackets, that is one of those, as a binary one; NO_TOKEN: none.
 */
static uint32_t last_binary(const struct rewriting *r, struct range range, const char *const *operators,
                            uint32_t *out_count)
{
    uint32_t found = NO_TOKEN;
    *out_count = 0;
    for (uint32_t i = range.first; i < range.end; i++) {
        if (r->syntax.tokens[i].match != NO_TOKEN) {
            i = past(r, i) - 1;
            continue;
        }
        for (const char *const *operator= operators; i > range.first && *operator; operator++) {
            if (is(r, i, *operator) && ends_operand(r, i - 1)) {
                found = i;
                (*out_count)++;
            }
        }
    }
    return found;
}

static uint32_t first_comma(const struct rewriting *r, struct range range)
{
    uint32_t at = range.first;
    while (at < range.end && !is(r, at, ","))
        at = past(r, at);
    return at;
}

/* max(L, E), of any of the functions that there are. */
static struct change change_of_call(const struct rewriting *r, struct range range)
{
    const bool most = is(r, range.first, "max") || is(r, range.first, "fmax"),
               least = is(r, range.first, "min") || is(r, range.first, "fmin");
    if (!(most || least) || !is(r, range.first + 1, "(") ||
        r->syntax.tokens[range.first + 1].match != range.end - 1)
        return any_change();
    const struct range inner = {range.first + 2, range.end - 1};
    const uint32_t comma = first_comma(r, inner);
    const struct range a = {inner.first, comma}, b = {comma + 1, inner.end};
    const enum rewrite_operation operation = most ? UPDATE_MAX : UPDATE_MIN;
    return comma == inner.end ? any_change()
           : is_old(r, a)     ? change_by(r, operation, b)
           : is_old(r, b)     ? change_by(r, operation, a)
                              : any_change();
}

/* a < b and its like: what is the larger one, where it holds? */
static bool read_comparison(const struct rewriting *r, struct range range, struct range *out_large,
                            struct range *out_small)
{
    static const char *const operators[] = {"<", ">", "<=", ">=", NULL};
    uint32_t count;
    range = strip(r, range);
    const uint32_t at = last_binary(r, range, operators, &count);
    if (count != 1)
        return false;
    const struct range left = {range.first, at}, right = {at + 1, range.end};
    const bool less = *r->syntax.tokens[at].at == '<';
    *out_large = less ? right : left;
    *out_small = less ? left : right;
    return true;
}

/* The result for L where the comparison holds and L gets `value`, and stays as it is elsewhere. */
static struct change change_of_comparison(const struct rewriting *r, struct range comparison,
                                          struct range value)
{
    struct range large, small;
    if (!read_comparison(r, comparison, &large, &small))
        return any_change();
    if (is_old(r, small) && same_range(r, large, value))
        return change_by(r, UPDATE_MAX, value);
    return is_old(r, large) && same_range(r, small, value) ? change_by(r, UPDATE_MIN, value) : any_change();
}

/* C ? A : B, of which one is the old value. */
static struct change change_of_choice(const struct rewriting *r, struct range range)
{
    static const char *const marks[] = {"?", ":", NULL};
    struct range large, small;
    uint32_t count, mark;
    const uint32_t colon = last_binary(r, range, marks, &count);
    for (mark = range.first; mark < range.end && !is(r, mark, "?");)
        mark = past(r, mark);
    if (count != 2 || mark >= colon || !is(r, colon, ":"))
        return any_change();
    const struct range condition = {range.first, mark}, yes = {mark + 1, colon}, no = {colon + 1, range.end};
    if (is_old(r, no))
        return change_of_comparison(r, condition, yes);
    if (!is_old(r, yes) || !read_comparison(r, condition, &large, &small))
        return any_change();
    if (is_old(r, large) && same_range(r, small, no))
        return change_by(r, UPDATE_MAX, no);
    return is_old(r, small) && same_range(r, large, no) ? change_by(r, UPDATE_MIN, no) : any_change();
}

/* L + a - b, a + L: sums whose first or last operand is the old value. */
static struct change change_of_sum(const struct rewriting *r, struct range range)
{
    static const char *const sums[] = {"+", "-", NULL};
    uint32_t count, first;
    const uint32_t last = last_binary(r, range, sums, &count);
    for (first = past(r, range.first);
         first < last && !(is_any(r, first, "+ -") && ends_operand(r, first - 1));)
        first = past(r, first);
    const struct range left = {range.first, first}, right = {last + 1, range.end};
    if (is_old(r, left) && is(r, first, "+"))
        return change_by(r, UPDATE_ADD, (struct range){first + 1, range.end});
    if (is_old(r, left))
        return count == 1 ? change_by(r, UPDATE_SUB, right)
                          : change_by(r, UPDATE_ADD, (struct range){first, range.end});
    return is_old(r, right) && is(r, last, "+") ? change_by(r, UPDATE_ADD, (struct range){range.first, last})
                                                : any_change();
}

static struct change change_of_bits(const struct rewriting *r, struct range range,
                                    enum rewrite_operation operation, const char *operator)
{
    const char *const operators[] = {operator, NULL };
    uint32_t count, first;
    const uint32_t last = last_binary(r, range, operators, &count);
    for (first = past(r, range.first); first < last && !is(r, first, operator);)
        first = past(r, first);
    if (is_old(r, (struct range){range.first, first}))
        return change_by(r, operation, (struct range){first + 1, range.end});
    return is_old(r, (struct range){last + 1, range.end})
               ? change_by(r, operation, (struct range){range.first, last})
               : any_change();
}

/* Of an expression that has the old value; the operator that binds least decides. */
static struct change change_of_value(const struct rewriting *r, struct range range)
{
    static const char *const looser[][7] = {
        {"?", NULL},        {"||", "&&", NULL}, {"|", NULL},
        {"^", NULL},        {"&", NULL},        {"==", "!=", "<", ">", "<=", ">="},
        {"<<", ">>", NULL}, {"+", "-", NULL},   {"*", "/", "%", NULL}};
    uint32_t count, level = 0;
    range = strip(r, range);
    while (level < sizeof looser / sizeof looser[0]) {
        const char *operators[8] = {NULL};
        memcpy(operators, looser[level], sizeof looser[level]);
        if (last_binary(r, range, operators, &count) != NO_TOKEN)
            break;
        level++;
    }
    switch (level) {
    case 0: return change_of_choice(r, range);
    case 2: return change_of_bits(r, range, UPDATE_OR, "|");
    case 3: return change_of_bits(r, range, UPDATE_XOR, "^");
    case 4: return change_of_bits(r, range, UPDATE_AND, "&");
    case 7: return change_of_sum(r, range);
    case 9: return change_of_call(r, range);
    default: return any_change();
    }
}

static enum rewrite_operation operation_of(const struct rewriting *r, uint32_t token)
{
    static const struct {
        const char *operator;
        enum rewrite_operation operation;
    } rows[] = {
        {"++", UPDATE_ADD}, {"--", UPDATE_SUB}, {"+=", UPDATE_ADD}, {"-=", UPDATE_SUB},
        {"&=", UPDATE_AND}, {"|=", UPDATE_OR},  {"^=", UPDATE_XOR},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (is(r, token, rows[i].operator))
            return rows[i].operation;
    return UPDATE_ANY;
}

/* Of the operator there, with its value. */
static struct change change_of_assignment(const struct rewriting *r, uint32_t operator, struct range value)
{
    if (is_step(r, operator))
        return (struct change){.operation = operation_of(r, operator), .one = true};
    return is(r, operator, "=") ? change_of_value(r, value) : change_by(r, operation_of(r, operator), value);
}

/* ---- the text of an update ---------------------------------------------------------- */

/* Is there an atomic function for it? */
static bool has_function(const struct rewriting *r, const struct change *change)
{
    return change->operation != UPDATE_ANY && !is_float(r) && !may_be_float(r, change->by) &&
           (r->request->size == 4 || r->request->size == 8);
}

static const char *const old_names[] = {
    [UPDATE_ADD] = "add", [UPDATE_SUB] = "sub", [UPDATE_AND] = "and", [UPDATE_OR] = "or",
    [UPDATE_XOR] = "xor", [UPDATE_MIN] = "min", [UPDATE_MAX] = "max"};

static const char *prefix(const struct rewriting *r)
{
    return r->request->size == 8 ? "atom_" : "atomic_";
}

static bool commutes(const struct rewriting *r, const struct change *change)
{
    return change->operation != UPDATE_ANY && !has_object(r, change->by);
}

static void put_operand(const struct rewriting *r, struct text_piece *piece, const struct change *change)
{
    if (change->one)
        put(piece, "1");
    else
        put_range(r, piece, change->by, NULL);
}

/* The type is in the name of the function of OpenCL C 1.x, and in the pointer of a later one. */
static void put_call(const struct rewriting *r, struct text_piece *piece, const struct change *change)
{
    const bool old = is_old_language(r) || !r->type;
    char *function = r->out->function;
    if (!old) {
        snprintf(function, sizeof r->out->function, "atomic_fetch_%s_explicit", old_names[change->operation]);
        put(piece, "%s((volatile %s atomic_%s *)", function, space(r), r->type);
        put_pointer(r, piece);
        put(piece, ", ");
        put_operand(r, piece, change);
        put(piece, ", memory_order_relaxed, %s)", scope(r));
        return;
    }
    const bool step = change->one || (change->by.end - change->by.first == 1 && is(r, change->by.first, "1"));
    const char *name = !step                             ? old_names[change->operation]
                       : change->operation == UPDATE_ADD ? "inc"
                       : change->operation == UPDATE_SUB ? "dec"
                                                         : NULL;
    const bool with_operand = !step || !name;
    snprintf(function, sizeof r->out->function, "%s%s", prefix(r),
             name ? name : old_names[change->operation]);
    put(piece, "%s(", function);
    put_pointer(r, piece);
    put(piece, with_operand ? ", " : "");
    if (with_operand)
        put_operand(r, piece, change);
    put(piece, ")");
}

/* The value after the update, from the call, which gives the one before. */
static void put_call_after(const struct rewriting *r, struct text_piece *piece, const struct change *change)
{
    static const char *const marks[] = {
        [UPDATE_ADD] = "+", [UPDATE_SUB] = "-", [UPDATE_AND] = "&", [UPDATE_OR] = "|", [UPDATE_XOR] = "^"};
    const bool ordered = change->operation == UPDATE_MIN || change->operation == UPDATE_MAX;
    put(piece, "%s(", ordered ? old_names[change->operation] : "");
    put_call(r, piece, change);
    put(piece, ordered ? ", " : " %s ", ordered ? "" : marks[change->operation]);
    put(piece, ordered ? "" : "(");
    put_operand(r, piece, change);
    put(piece, ordered ? ")" : "))");
}

/* Names of the loop's variables that the text does not use. */
static void free_suffix(const struct rewriting *r, char out_suffix[8])
{
    static const char *const names[] = {"cell", "was", "seen", "by"};
    out_suffix[0] = '\0';
    for (bool used = true; used && strlen(out_suffix) < 6;) {
        used = false;
        for (size_t n = 0; n < sizeof names / sizeof names[0]; n++) {
            char name[16];
            snprintf(name, sizeof name, "%s%s", names[n], out_suffix);
            for (uint32_t i = 0; i < r->syntax.token_count; i++)
                used |= is(r, i, name);
        }
        if (used)
            strcat(out_suffix, "_");
    }
}

/* A loop that computes the new value from the old one until no other unit has written meanwhile. condition:
 * the update is done only where it holds; empty: always. compound: the operator of L op= E. */
struct rewritten_loop {
    struct range condition, value;
    uint32_t compound;
    bool step;
};

static void put_new_value(const struct rewriting *r, struct text_piece *piece,
                          const struct rewritten_loop *loop, const char *old, const char *by)
{
    if (!is_empty(loop->condition)) {
        put(piece, "(");
        put_range(r, piece, loop->condition, old);
        put(piece, ") ? (");
    }
    if (loop->step) {
        put(piece, "%s %c 1", old, *r->syntax.tokens[loop->compound].at);
    } else if (loop->compound != NO_TOKEN) {
        put(piece, "%s %.*s (", old, (int)r->syntax.tokens[loop->compound].length - 1,
            r->syntax.tokens[loop->compound].at);
        if (*by)
            put(piece, "%s", by);
        else
            put_range(r, piece, loop->value, old);
        put(piece, ")");
    } else {
        put_range(r, piece, loop->value, old);
    }
    if (!is_empty(loop->condition))
        put(piece, ") : %s", old);
}

static bool put_loop(const struct rewriting *r, struct text_piece *piece, const struct rewritten_loop *loop)
{
    const uint32_t size = r->request->size;
    const char *bits = !is_float(r) ? r->type : size == 8 ? "ulong" : "uint", *type = r->type;
    char suffix[8], old[32], by[16] = "", was[16];
    const bool hoists = loop->compound != NO_TOKEN && !loop->step && has_effects(r, loop->value);
    if (!type || (size != 4 && size != 8) || has_effects(r, loop->condition) ||
        (has_effects(r, loop->value) && !(hoists && is_float(r))))
        return false;
    free_suffix(r, suffix);
    snprintf(was, sizeof was, "was%s", suffix);
    snprintf(old, sizeof old, is_float(r) ? "as_%s(%s)" : "%.0s%s", type, was);
    if (hoists)
        snprintf(by, sizeof by, "by%s", suffix);
    const bool of_old = is_old_language(r);
    put(piece, "{ volatile %s %s%s *cell%s = (volatile %s %s%s *)", space(r), of_old ? "" : "atomic_", bits,
        suffix, space(r), of_old ? "" : "atomic_", bits);
    put_pointer(r, piece);
    put(piece, "; ");
    if (hoists) {
        put(piece, "%s %s = ", type, by);
        put_range(r, piece, loop->value, NULL);
        put(piece, "; ");
    }
    if (of_old) {
        snprintf(r->out->function, sizeof r->out->function, "a compare-exchange loop (%scmpxchg)", prefix(r));
        put(piece, "%s %s = 0, seen%s; while ((seen%s = %scmpxchg(cell%s, %s, ", bits, was, suffix, suffix,
            prefix(r), suffix, was);
    } else {
        snprintf(r->out->function, sizeof r->out->function,
                 "a compare-exchange loop (atomic_compare_exchange_weak_explicit)");
        put(piece,
            "%s %s = atomic_load_explicit(cell%s, memory_order_relaxed, %s); while "
            "(!atomic_compare_exchange_weak_explicit(cell%s, &%s, ",
            bits, was, suffix, scope(r), suffix, was);
    }
    if (is_float(r))
        put(piece, "as_%s(", bits);
    put_new_value(r, piece, loop, old, by);
    put(piece, is_float(r) ? ")" : "");
    if (of_old)
        put(piece, ")) != %s) %s = seen%s; }", was, was, suffix);
    else
        put(piece, ", memory_order_relaxed, memory_order_relaxed, %s)) {} }", scope(r));
    return true;
}

/* ---- edits --------------------------------------------------------------------------- */

bool rewriting_add_edit(struct rewriting *r, struct range range, const struct text_piece *piece)
{
    const struct token *first = &r->syntax.tokens[range.first], *last = &r->syntax.tokens[range.end - 1];
    struct text_piece old = {.used = 0};
    if (r->out->edit_count == CODE_EDITS_MOST || piece->cut || is_empty(range))
        return false;
    struct code_edit *edit = &r->out->edits[r->out->edit_count++];
    CHECKED(range.first < range.end && range.end <= r->syntax.token_count && piece->used < sizeof edit->text);
    *edit = (struct code_edit){first->line, first->column, last->line, last->column + last->length, "", ""};
    memcpy(edit->text, piece->bytes, piece->used + 1);
    put_range(r, &old, range, NULL);
    snprintf(edit->old, sizeof edit->old, "%.*s", (int)sizeof edit->old - 1,
             old.used < sizeof edit->old ? old.bytes : "");
    return true;
}

/* A statement goes; where it is all that an if or a loop has, an empty one stays. */
static bool drop(struct rewriting *r, uint32_t node)
{
    const struct syntax_node *statement = &r->syntax.nodes[node];
    struct text_piece piece = {.used = 0};
    if (r->syntax.nodes[statement->parent].kind != NODE_BLOCK)
        put(&piece, ";");
    return rewriting_add_edit(r, (struct range){statement->first, statement->end}, &piece);
}

static struct range range_of(const struct rewriting *r, uint32_t node)
{
    return (struct range){r->syntax.nodes[node].first, r->syntax.nodes[node].end};
}

static bool replace_by_loop(struct rewriting *r, struct range range, const struct rewritten_loop *loop)
{
    struct text_piece piece = {.used = 0};
    return put_loop(r, &piece, loop) && rewriting_add_edit(r, range, &piece);
}

static struct rewritten_loop loop_of_write(const struct rewriting *r)
{
    return (struct rewritten_loop){.value = r->value,
                                   .compound = is(r, r->operator, "=") ? NO_TOKEN : r->operator,
                                   .step = is_step(r, r->operator)};
}

/* The write alone is the update: L op= E, L++ or L = f(L). */
static bool rewrite_alone(struct rewriting *r)
{
    const struct change change = change_of_assignment(r, r->operator, r->value);
    r->out->commutes = commutes(r, &change) || is(r, r->operator, "*=");
    const struct rewritten_loop loop = loop_of_write(r);
    struct text_piece piece = {.used = 0};
    const bool used = !r->alone && r->syntax.nodes[r->leaf].kind == NODE_PLAIN,
               postfix = is_step(r, r->operator) && r->whole.first != r->operator;
    if (!has_function(r, &change))
        return r->alone && replace_by_loop(r, range_of(r, r->leaf), &loop);
    if (used && !postfix && has_effects(r, change.by))
        return false;
    if (used && !postfix)
        put_call_after(r, &piece, &change);
    else
        put_call(r, &piece, &change);
    return rewriting_add_edit(r, r->whole, &piece);
}

/* if (L < E) L = E; the condition may have other parts before that one. */
static bool rewrite_guarded(struct rewriting *r)
{
    const struct syntax_node *guard = &r->syntax.nodes[r->guard];
    const struct change change =
        is(r, r->operator, "=") ? change_of_comparison(r, r->condition, r->value) : any_change();
    const bool only = r->condition.first == guard->head;
    struct rewritten_loop loop = loop_of_write(r);
    struct text_piece piece = {.used = 0}, nothing = {.used = 0};
    r->out->commutes = commutes(r, &change);
    loop.condition = r->condition;
    if (!has_function(r, &change) && only)
        return replace_by_loop(r, range_of(r, r->guard), &loop);
    if (!has_function(r, &change))
        return replace_by_loop(r, range_of(r, r->leaf), &loop) &&
               rewriting_add_edit(r, (struct range){r->condition.first - 1, r->condition.end}, &nothing);
    put_call(r, &piece, &change);
    if (only) {
        put(&piece, ";");
        return rewriting_add_edit(r, range_of(r, r->guard), &piece);
    }
    return rewriting_add_edit(r, r->whole, &piece) &&
           rewriting_add_edit(r, (struct range){r->condition.first - 1, r->condition.end}, &nothing);
}

static bool writes_at(const struct rewriting *r, uint32_t token)
{
    return token < r->syntax.token_count && (token_assigns(&r->syntax, token) || is_step(r, token));
}

static uint32_t count_writes(const struct rewriting *r, struct range range)
{
    uint32_t count = 0;
    for (uint32_t i = range.first; i < range.end; i++)
        count += object_at(r, i, range.end) && (writes_at(r, i + r->object.end - r->object.first) ||
                                                (i > range.first && is_step(r, i - 1)));
    return count;
}

/* Does the body have nothing besides the write but stores of numbers, as of a flag? What else it stores
 * belongs to the value. */
static bool has_flags_only(const struct rewriting *r)
{
    const struct syntax_node *body = &r->syntax.nodes[r->syntax.nodes[r->guard].body];
    for (uint32_t node = body->kind == NODE_BLOCK ? body->body : 0; node; node = r->syntax.nodes[node].next) {
        const struct syntax_node *statement = &r->syntax.nodes[node];
        const bool number = statement->end - statement->first > 3 && is(r, statement->end - 3, "=") &&
                            isdigit((unsigned char)*r->syntax.tokens[statement->end - 2].at);
        if (node != r->leaf && (statement->kind != NODE_PLAIN || !number))
            return false;
    }
    return body->kind == NODE_BLOCK;
}

/* if (L < E) { L = E; flag = 1; }: the update gives the value that the condition needs. */
static bool rewrite_guard_of_more(struct rewriting *r)
{
    const struct syntax_node *guard = &r->syntax.nodes[r->guard];
    const struct change change =
        is(r, r->operator, "=") ? change_of_comparison(r, r->condition, r->value) : any_change();
    struct text_piece call = {.used = 0}, piece = {.used = 0};
    if (!has_function(r, &change) || has_effects(r, change.by) ||
        count_writes(r, range_of(r, guard->body)) != 1 || r->syntax.nodes[r->leaf].parent != guard->body ||
        !r->alone || !has_flags_only(r) ||
        !means_same(r, r->value, (struct range){guard->head_end, r->whole.first}))
        return false;
    r->out->commutes = commutes(r, &change);
    put_call(r, &call, &change);
    put_range(r, &piece, r->condition, call.bytes);
    return !call.cut && rewriting_add_edit(r, r->condition, &piece) && drop(r, r->leaf);
}

/* L == C, C == L or !L: what L has to be; empty: 0. */
static bool read_equality(const struct rewriting *r, struct range condition, struct range *out_expected)
{
    static const char *const operators[] = {"==", NULL};
    uint32_t count;
    condition = strip(r, condition);
    if (is(r, condition.first, "!") && is_old(r, (struct range){condition.first + 1, condition.end})) {
        *out_expected = (struct range){0, 0};
        return true;
    }
    const uint32_t at = last_binary(r, condition, operators, &count);
    if (count != 1)
        return false;
    const struct range left = {condition.first, at}, right = {at + 1, condition.end};
    *out_expected = is_old(r, left) ? right : left;
    return (is_old(r, left) || is_old(r, right)) && !has_old(r, *out_expected) &&
           !has_effects(r, *out_expected);
}

static void put_expected(const struct rewriting *r, struct text_piece *piece, struct range expected)
{
    if (is_empty(expected))
        put(piece, "0");
    else
        put_range(r, piece, expected, NULL);
}

static void put_exchange(const struct rewriting *r, struct text_piece *piece, struct range expected)
{
    snprintf(r->out->function, sizeof r->out->function, "%scmpxchg", prefix(r));
    put(piece, "%s(", r->out->function);
    put_pointer(r, piece);
    put(piece, ", ");
    put_expected(r, piece, expected);
    put(piece, ", ");
    put_range(r, piece, r->value, NULL);
    put(piece, ")");
}

/* L = E; as a statement of its own. */
static bool is_write(const struct rewriting *r, uint32_t node, struct range *out_value)
{
    const struct syntax_node *statement = &r->syntax.nodes[node];
    const uint32_t operator= statement->first + r->object.end - r->object.first;
    if (statement->kind != NODE_PLAIN || !object_at(r, statement->first, statement->end) ||
                                         operator+ 2> statement->end || !is(r, operator, "="))
        return false;
    *out_value = (struct range){operator+ 1, statement->end - 1};
    return !is_empty(*out_value);
}

/* Is the write a statement of the body itself, whose value means the same at the condition? */
static bool may_exchange(const struct rewriting *r)
{
    const struct syntax_node *guard = &r->syntax.nodes[r->guard];
    const uint32_t parent = r->syntax.nodes[r->leaf].parent;
    const bool inside =
        r->leaf == guard->body || (parent == guard->body && r->syntax.nodes[parent].kind == NODE_BLOCK);
    return inside && r->alone && is(r, r->operator, "=") && !is_float(r) && !has_old(r, r->value) &&
           !has_effects(r, r->value) &&
           means_same(r, r->value, (struct range){guard->head_end, r->whole.first});
}

static bool is_expected(const struct rewriting *r, struct range expected, struct range value)
{
    value = strip(r, value);
    return is_empty(expected) ? value.end - value.first == 1 && is(r, value.first, "0")
                              : same_range(r, expected, value);
}

/* OpenCL C 1.x has none between work-groups. */
static void put_fence(const struct rewriting *r, struct text_piece *piece, const char *order)
{
    if (!is_old_language(r))
        put(piece, "atomic_work_item_fence(CLK_%s_MEM_FENCE, memory_order_%s, %s);",
            r->request->local ? "LOCAL" : "GLOBAL", order, scope(r));
}

/* if (L == C) { L = D; ... L = C; ... }: a lock, taken and given back; the write is one of the two. */
static bool rewrite_lock(struct rewriting *r, struct range expected)
{
    const struct syntax_node *guard = &r->syntax.nodes[r->guard], *body = &r->syntax.nodes[guard->body];
    uint32_t found[2] = {0, 0}, count = 0;
    struct range values[2], value;
    struct text_piece piece = {.used = 0}, taken = {.used = 0}, back = {.used = 0};
    for (uint32_t node = body->kind == NODE_BLOCK ? body->body : 0; node; node = r->syntax.nodes[node].next)
        if (is_write(r, node, &value) && count++ < 2) {
            found[count - 1] = node;
            values[count - 1] = value;
        }
    if (count != 2 || count_writes(r, range_of(r, guard->body)) != 2 ||
        (r->leaf != found[0] && r->leaf != found[1]) || is_expected(r, expected, values[0]) ||
        !is_expected(r, expected, values[1]))
        return false;
    r->leaf = found[0];
    r->value = values[0];
    r->whole = (struct range){r->syntax.nodes[found[0]].first, values[0].end};
    r->alone = true;
    if (!may_exchange(r) || !means_same(r, expected, range_of(r, guard->body)))
        return false;
    r->out->commutes = true;
    put_fence(r, &taken, "acquire");
    put_fence(r, &back, "release");
    put(&back, "%s%sxchg(", back.used ? " " : "", prefix(r));
    put_pointer(r, &back);
    put(&back, ", ");
    put_expected(r, &back, expected);
    put(&back, ");");
    put_exchange(r, &piece, expected);
    put(&piece, " == ");
    put_expected(r, &piece, expected);
    return rewriting_add_edit(r, r->condition, &piece) &&
           (taken.used ? rewriting_add_edit(r, range_of(r, found[0]), &taken) : drop(r, found[0])) &&
           rewriting_add_edit(r, range_of(r, found[1]), &back);
}

/* if (L == C) { L = D; ... } */
static bool rewrite_exchange(struct rewriting *r)
{
    struct range expected;
    struct text_piece piece = {.used = 0};
    if (!may_exchange(r) || !read_equality(r, r->condition, &expected))
        return false;
    if (count_writes(r, range_of(r, r->syntax.nodes[r->guard].body)) != 1)
        return rewrite_lock(r, expected);
    if (is_expected(r, expected, r->value))
        return false;
    r->out->commutes = true;
    put_exchange(r, &piece, expected);
    put(&piece, " == ");
    put_expected(r, &piece, expected);
    return rewriting_add_edit(r, r->condition, &piece) && drop(r, r->leaf);
}

/* t = L; ... if (t == C) { L = D; ... } */
static bool rewrite_read_exchange(struct rewriting *r)
{
    struct range expected;
    struct text_piece piece = {.used = 0};
    if (!may_exchange(r) || !read_equality(r, r->condition, &expected) || !is_old(r, r->initial) ||
        count_writes(r, range_of(r, r->syntax.nodes[r->guard].body)) != 1 ||
        is_expected(r, expected, r->value) || r->condition.first != r->syntax.nodes[r->guard].head ||
        !means_same(r, r->value, (struct range){r->initial.end, r->whole.first}) ||
        !means_same(r, expected, (struct range){r->initial.end, r->whole.first}))
        return false;
    r->out->commutes = true;
    put_exchange(r, &piece, expected);
    return rewriting_add_edit(r, r->initial, &piece) && drop(r, r->leaf);
}

/* ---- a variable in between -------------------------------------------------------------- */

/* All of the function, where the variable is what it is. */
static struct range function_of(const struct rewriting *r)
{
    uint32_t node = r->leaf;
    while (r->syntax.nodes[node].parent)
        node = r->syntax.nodes[node].parent;
    return range_of(r, node);
}

/* The statement between the definer and the write that changes the variable: t += E or t = f(t). 0: none, or
 * *out_many. */
static uint32_t changer_of(const struct rewriting *r, bool *out_many)
{
    uint32_t found = 0;
    const uint32_t last = r->guard ? r->guard : r->leaf;
    *out_many = false;
    for (uint32_t node = r->syntax.nodes[r->definer].next; node && node != last;
         node = r->syntax.nodes[node].next) {
        if (!is_changed(r, r->variable, range_of(r, node)))
            continue;
        *out_many |= found != 0 || r->syntax.nodes[node].kind != NODE_PLAIN;
        found = node;
    }
    return found;
}

/* The change of t, at its start or end, in a statement that is no more than that. */
static bool read_changer(const struct rewriting *r, uint32_t node, uint32_t *out_operator,
                         struct range *out_value)
{
    const struct syntax_node *statement = &r->syntax.nodes[node];
    const bool prefix_step = is_step(r, statement->first) && variable_at(r, statement->first + 1);
    *out_operator = prefix_step ? statement->first : statement->first + 1;
    *out_value = (struct range){0, 0};
    if (prefix_step || (variable_at(r, statement->first) && is_step(r, *out_operator)))
        return statement->end - statement->first == 3;
    *out_value = (struct range){statement->first + 2, statement->end - 1};
    return variable_at(r, statement->first) && token_assigns(&r->syntax, *out_operator);
}

static bool is_sibling(const struct rewriting *r, uint32_t node)
{
    for (uint32_t next = r->syntax.nodes[r->definer].next; next; next = r->syntax.nodes[next].next)
        if (next == node)
            return true;
    return false;
}

/* The update at the read: its value is the old one, and what follows stays but for the write. */
static bool update_at_read(struct rewriting *r, const struct change *change, bool after, uint32_t dropped)
{
    struct text_piece piece = {.used = 0};
    const struct range between = {r->initial.end, r->syntax.nodes[dropped].first};
    if (!has_function(r, change) || has_effects(r, change->by) || !means_same(r, change->by, between) ||
        !means_same(r, r->object, between))
        return false;
    if (after)
        put_call_after(r, &piece, change);
    else
        put_call(r, &piece, change);
    return rewriting_add_edit(r, r->initial, &piece) && drop(r, dropped);
}

/* The update at the write: the variable is used for nothing else, and goes. */
static bool update_at_write(struct rewriting *r, const struct rewritten_loop *loop, uint32_t replaced,
                            uint32_t changer)
{
    const uint32_t uses = count_variable(r, range_of(r, r->definer)) +
                          count_variable(r, range_of(r, replaced)) +
                          (changer ? count_variable(r, range_of(r, changer)) : 0);
    const struct range between = {r->initial.end, r->syntax.nodes[replaced].first};
    const bool declares = r->variable > r->syntax.nodes[r->definer].first,
               single = r->initial.end + 1 == r->syntax.nodes[r->definer].end;
    if (!declares || !single || uses != count_variable(r, function_of(r)) ||
        !means_same(r, r->initial, between))
        return false;
    return replace_by_loop(r, range_of(r, replaced), loop) && drop(r, r->definer) &&
           (!changer || drop(r, changer));
}

/* t = L; ... L = g(t); or t = f(L); ... L = t; or t = L; t += E; L = t; */
static bool rewrite_read_first(struct rewriting *r)
{
    bool many;
    const uint32_t changer = changer_of(r, &many);
    const bool reads = is_old(r, r->initial),
               writes = is(r, r->operator, "=") && count_variable(r, r->value) == 1 && is_old(r, r->value);
    struct change change;
    struct range value;
    uint32_t operator;
    if (many || !r->alone || !is_sibling(r, r->leaf) || (changer && !(reads && writes)))
        return false;
    if (changer) {
        if (!read_changer(r, changer, &operator, & value))
            return false;
        change = change_of_assignment(r, operator, value);
        r->out->commutes = commutes(r, &change);
        const struct rewritten_loop loop = {.value = value,
                                            .compound = is(r, operator, "=") ? NO_TOKEN : operator,
                                            .step = is_step(r, operator)};
        return update_at_read(r, &change, false, r->leaf) || update_at_write(r, &loop, r->leaf, changer);
    }
    const struct range assigned = reads ? r->value : r->initial;
    const struct rewritten_loop loop = {.value = assigned, .compound = NO_TOKEN};
    if (!is(r, r->operator, "=") || (!reads && !writes))
        return false;
    change = change_of_value(r, assigned);
    r->out->commutes = commutes(r, &change);
    return update_at_read(r, &change, !reads, r->leaf) || update_at_write(r, &loop, r->leaf, 0);
}

/* t = L; ... L op= E; */
static bool rewrite_read_and_update(struct rewriting *r)
{
    bool many;
    const struct change change = change_of_assignment(r, r->operator, r->value);
    r->out->commutes = commutes(r, &change);
    return !changer_of(r, &many) && !many && r->alone && is_sibling(r, r->leaf) && is_old(r, r->initial) &&
           !count_variable(r, r->value) && update_at_read(r, &change, false, r->leaf);
}

/* t = L; ... if (t < E) L = E; */
static bool rewrite_read_guarded(struct rewriting *r)
{
    bool many;
    const struct change change =
        is(r, r->operator, "=") ? change_of_comparison(r, r->condition, r->value) : any_change();
    struct rewritten_loop loop = loop_of_write(r);
    if (changer_of(r, &many) || many || !is_old(r, r->initial) || !is_sibling(r, r->guard) ||
        r->condition.first != r->syntax.nodes[r->guard].head)
        return false;
    r->out->commutes = commutes(r, &change);
    loop.condition = r->condition;
    return update_at_read(r, &change, false, r->guard) || update_at_write(r, &loop, r->guard, 0);
}

/* ---- what it depends on ------------------------------------------------------------------ */

/* The read's statement assigns what it reads to a variable: t = X. */
static bool find_definer(struct rewriting *r, uint32_t read)
{
    const uint32_t node = syntax_leaf(&r->syntax, read);
    const struct syntax_node *statement = &r->syntax.nodes[node];
    uint32_t assign = statement->first;
    while (assign < read && !is(r, assign, "="))
        assign++;
    if (statement->kind != NODE_PLAIN || assign >= read || assign == statement->first ||
        !token_is_word(&r->syntax, assign - 1) ||
        (assign - 1 > statement->first &&
         (is(r, assign - 2, "*") || is(r, assign - 2, ".") || is(r, assign - 2, "->"))))
        return false;
    r->definer = node;
    r->variable = assign - 1;
    r->initial = (struct range){assign + 1, value_end(r, assign + 1, statement->end)};
    return has_object(r, r->initial) && read < r->initial.end;
}

/* The last part of a condition whose parts are joined by &&. */
static struct range last_part(const struct rewriting *r, struct range condition)
{
    static const char *const ands[] = {"&&", NULL}, *const ors[] = {"||", "?", NULL};
    uint32_t count;
    if (last_binary(r, condition, ors, &count) != NO_TOKEN)
        return condition;
    const uint32_t at = last_binary(r, condition, ands, &count);
    return at == NO_TOKEN ? condition : (struct range){at + 1, condition.end};
}

/* The nearest if around the write that reads the object in the last part of its condition. False: another one
 * reads it. */
static bool find_guard(struct rewriting *r)
{
    for (uint32_t node = r->syntax.nodes[r->leaf].parent, below = r->leaf; node;
         below = node, node = r->syntax.nodes[node].parent) {
        const struct syntax_node *at = &r->syntax.nodes[node];
        const struct range head = {at->head, at->head_end};
        if (is_empty(head) || !has_old(r, head))
            continue;
        const struct range part = last_part(r, head);
        if (r->guard || at->kind != NODE_IF || below != at->body ||
            has_old(r, (struct range){head.first, part.first}))
            return false;
        r->guard = node;
        r->condition = part;
    }
    return true;
}

/* The write is all that the if has. */
static bool is_sole(const struct rewriting *r)
{
    const struct syntax_node *guard = &r->syntax.nodes[r->guard], *body = &r->syntax.nodes[guard->body];
    return !guard->otherwise && r->alone &&
           (guard->body == r->leaf ||
            (body->kind == NODE_BLOCK && body->body == r->leaf && !r->syntax.nodes[r->leaf].next));
}

/* A form that does not fit leaves nothing. */
static bool try_form(struct rewriting *r, bool (*form)(struct rewriting *r))
{
    r->out->edit_count = 0;
    return form(r);
}

static bool rewrite_read_and_guard(struct rewriting *r)
{
    return (is_sole(r) && try_form(r, rewrite_read_guarded)) || try_form(r, rewrite_read_exchange);
}

static bool rewrite_guard(struct rewriting *r)
{
    return try_form(r, rewrite_exchange) ||
           (is_sole(r) ? try_form(r, rewrite_guarded) : try_form(r, rewrite_guard_of_more));
}

/* Is the read in the head of an if, a loop or a switch? */
static bool is_in_head(const struct rewriting *r, uint32_t read)
{
    const struct syntax_node *node = &r->syntax.nodes[syntax_leaf(&r->syntax, read)];
    return node->head <= read && read < node->head_end;
}

/* L != C, L, or L == D of a D that is what L gets: what L has to be for the loop to end, empty: 0;
 * *out_other: anything but D. */
static bool read_wait(const struct rewriting *r, struct range condition, struct range *out_free,
                      bool *out_other)
{
    static const char *const differs[] = {"!=", NULL}, *const equals[] = {"==", NULL};
    uint32_t count;
    condition = strip(r, condition);
    *out_free = (struct range){0, 0};
    *out_other = false;
    if (is_old(r, condition))
        return true;
    const uint32_t unequal = last_binary(r, condition, differs, &count);
    if (count == 1 && is_old(r, (struct range){condition.first, unequal})) {
        *out_free = (struct range){unequal + 1, condition.end};
        return !has_old(r, *out_free) && !has_effects(r, *out_free);
    }
    const uint32_t equal = last_binary(r, condition, equals, &count);
    *out_other = true;
    return count == 1 && is_old(r, (struct range){condition.first, equal}) &&
           same_range(r, (struct range){equal + 1, condition.end}, r->value);
}

/* while (L != C) ; L = D; */
static bool rewrite_wait(struct rewriting *r)
{
    const uint32_t loop = syntax_leaf(&r->syntax, r->read);
    const struct syntax_node *wait = &r->syntax.nodes[loop], *body = &r->syntax.nodes[wait->body];
    const bool idle = body->kind == NODE_BLOCK ? !body->body : is(r, body->first, ";");
    struct range wanted;
    struct text_piece piece = {.used = 0};
    bool other;
    if (wait->kind != NODE_LOOP || !is(r, wait->first, "while") || wait->next != r->leaf || !idle ||
        !r->alone || !is(r, r->operator, "=") || is_float(r) || has_effects(r, r->value) ||
        has_old(r, r->value) || !read_wait(r, (struct range){wait->head, wait->head_end}, &wanted, &other))
        return false;
    r->out->commutes = true;
    if (other) {
        snprintf(r->out->function, sizeof r->out->function, "%sxchg", prefix(r));
        put(&piece, "%s(", r->out->function);
        put_pointer(r, &piece);
        put(&piece, ", ");
        put_range(r, &piece, r->value, NULL);
        put(&piece, ") == ");
        put_range(r, &piece, r->value, NULL);
    } else {
        put_exchange(r, &piece, wanted);
        put(&piece, " != ");
        if (is_empty(wanted))
            put(&piece, "0");
        else
            put_range(r, &piece, wanted, NULL);
    }
    return rewriting_add_edit(r, (struct range){wait->head, wait->head_end}, &piece) && drop(r, r->leaf);
}

/* a[L] = v; L++; the one statement reads, and the next one updates: the read is the update. */
static bool rewrite_used_first(struct rewriting *r)
{
    const uint32_t user = syntax_leaf(&r->syntax, r->read);
    const struct syntax_node *statement = &r->syntax.nodes[user];
    const struct change change = change_of_assignment(r, r->operator, r->value);
    struct text_piece piece = {.used = 0};
    uint32_t at = statement->first, count = 0;
    for (uint32_t i = statement->first; i < statement->end; i++) {
        count += object_at(r, i, statement->end);
        at = count == 0 ? i + 1 : at;
    }
    if (statement->kind != NODE_PLAIN || statement->next != r->leaf || !r->alone || count != 1 ||
        !has_function(r, &change) || has_effects(r, change.by) ||
        !means_same(r, change.by, range_of(r, user)) || !means_same(r, r->object, range_of(r, user)))
        return false;
    r->out->commutes = commutes(r, &change);
    put_call(r, &piece, &change);
    return rewriting_add_edit(r, (struct range){at, at + r->object.end - r->object.first}, &piece) &&
           drop(r, r->leaf);
}

/* Does an expression call what may have effects, or wait? The functions of work-items have none. */
static bool calls(const struct rewriting *r, struct range range)
{
    for (uint32_t i = range.first; i + 1 < range.end; i++)
        if (token_is_word(&r->syntax, i) && is(r, i + 1, "(") &&
            (r->syntax.tokens[i].length < 4 || memcmp(r->syntax.tokens[i].at, "get_", 4) != 0))
            return true;
    return false;
}

/* The only place of the object in the statement; NO_TOKEN: there are none, or several. */
static uint32_t only_object(const struct rewriting *r, const struct syntax_node *statement)
{
    uint32_t found = NO_TOKEN, count = 0;
    for (uint32_t i = statement->first; i < statement->end; i++)
        if (object_at(r, i, statement->end)) {
            found = i;
            count++;
        }
    return count == 1 ? found : NO_TOKEN;
}

static void put_swap(const struct rewriting *r, struct text_piece *piece)
{
    const bool old = is_old_language(r) || !r->type;
    snprintf(r->out->function, sizeof r->out->function, old ? "%sxchg" : "atomic_exchange_explicit",
             prefix(r));
    put(piece, "%s(", r->out->function);
    if (!old)
        put(piece, "(volatile %s atomic_%s *)", space(r), r->type);
    put_pointer(r, piece);
    put(piece, ", ");
    put_range(r, piece, r->value, NULL);
    if (!old)
        put(piece, ", memory_order_relaxed, %s", scope(r));
    put(piece, ")");
}

/* next[me] = L; ... L = me; of which the value depends on no statement from the read on: the read is the
 * exchange. */
static bool rewrite_swap(struct rewriting *r)
{
    const uint32_t user = syntax_leaf(&r->syntax, r->read);
    const struct syntax_node *statement = &r->syntax.nodes[user];
    struct text_piece piece = {.used = 0};
    const uint32_t at = statement->kind == NODE_PLAIN ? only_object(r, statement) : NO_TOKEN;
    const struct range across = {statement->first, r->whole.first};
    uint32_t node = statement->next;
    while (node && node != r->leaf && !has_object(r, range_of(r, node)))
        node = r->syntax.nodes[node].next;
    if (at == NO_TOKEN || node != r->leaf || !r->alone || !is(r, r->operator, "=") ||
        (r->request->size != 4 && (r->request->size != 8 || is_float(r))) || has_object(r, r->value) ||
        has_effects(r, r->value) || calls(r, across) || calls(r, r->value) ||
        !means_same(r, r->value, across) || !means_same(r, r->object, across))
        return false;
    r->out->commutes = true;
    put_swap(r, &piece);
    return rewriting_add_edit(r, (struct range){at, at + r->object.end - r->object.first}, &piece) &&
           drop(r, r->leaf);
}

static bool rewrite_any(struct rewriting *r)
{
    const uint32_t read = syntax_token_at(&r->syntax, r->request->read.line, r->request->read.column);
    if (read == NO_TOKEN)
        return false;
    r->read = read;
    find_type(r);
    if (read < r->whole.first && (try_form(r, rewrite_used_first) || try_form(r, rewrite_wait) ||
                                  (r->request->exchanges && try_form(r, rewrite_swap))))
        return true;
    r->out->edit_count = 0;
    const bool inside = r->whole.first <= read && read < r->whole.end,
               in_head = !inside && is_in_head(r, read);
    if ((!inside && !in_head && !find_definer(r, read)) || !find_guard(r) || (in_head && !r->guard))
        return false;
    if (!r->definer)
        return r->guard ? rewrite_guard(r) : rewrite_alone(r);
    if (has_object(r, r->value) || !is(r, r->operator, "="))
        return !r->guard && rewrite_read_and_update(r);
    return r->guard ? rewrite_read_and_guard(r) : rewrite_read_first(r);
}

bool rewrite_update(const struct rewrite_request *request, struct code_rewrite *out_rewrite)
{
    struct rewriting r = {.request = request, .out = out_rewrite};
    *out_rewrite = (struct code_rewrite){.edit_count = 0};
    const bool done = syntax_read(&r.syntax, request->lines, request->line_count) &&
                      rewriting_find_write(&r) && rewrite_any(&r);
    syntax_fini(&r.syntax);
    return done;
}

/* ---- an access that becomes atomic ------------------------------------------------------------ */

/* The object that is read at a token. */
static bool find_read(struct rewriting *r)
{
    const uint32_t at = syntax_token_at(&r->syntax, r->request->read.line, r->request->read.column);
    if (at == NO_TOKEN || !(is(r, at, "*") || token_is_word(&r->syntax, at)))
        return false;
    const uint32_t first = is(r, at, "*") ? at : postfix_begin(r, at), end = unary_end(r, at);
    if (end > r->syntax.token_count || is(r, end, "(") || (end < r->syntax.token_count && is_step(r, end)) ||
        (end < r->syntax.token_count && token_assigns(&r->syntax, end)))
        return false;
    r->object = r->whole = (struct range){first, end};
    return true;
}

static void put_atomic(const struct rewriting *r, struct text_piece *piece, const struct code_change *change)
{
    const bool stores = change->kind == CHANGE_STORE;
    put(piece, "atomic_%s_explicit((volatile %s atomic_%s *)", stores ? "store" : "load", space(r), r->type);
    put_pointer(r, piece);
    if (stores) {
        put(piece, ", ");
        put_range(r, piece, r->value, NULL);
    }
    put(piece, ", %s, %s)", memory_order_words[change->order], memory_scope_words[change->scope]);
}

bool rewrite_access(const struct change_request *request, struct code_rewrite *rewrite)
{
    const struct code_change *change = request->change;
    struct rewriting r = {.request = &request->update, .out = rewrite};
    struct text_piece piece = {.used = 0};
    bool done = false;
    if (is_old_language(&r) || change->order < 0 || change->scope < 0)
        return false;
    if (syntax_read(&r.syntax, request->update.lines, request->update.line_count) &&
        (change->kind == CHANGE_STORE ? rewriting_find_write(&r) && r.alone && is(&r, r.operator, "=")
                                      : find_read(&r))) {
        find_type(&r);
        if (r.type)
            put_atomic(&r, &piece, change);
        done = r.type && rewriting_add_edit(&r, r.whole, &piece);
    }
    syntax_fini(&r.syntax);
    return done;
}
