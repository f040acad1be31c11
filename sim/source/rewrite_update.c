/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The value that the object gets, as an operation on the value that it had: add, sub, and, or, xor, min,
 * max with an operand, or ANY expression.
 */
#include <string.h>

#include "rewrite_state.h"

struct update update_any(void)
{
    return (struct update){.operation = UPDATE_ANY};
}

/* The update of the old value by an operand; ANY if the operand has the old value, too. */
static struct update update_by(const struct rewriting *r, enum update_operation operation, struct range by)
{
    return rewriting_has_old(r, by) ? update_any() : (struct update){.operation = operation, .by = by};
}

static uint32_t first_comma(const struct rewriting *r, struct range range)
{
    uint32_t at = range.first;
    while (at < range.end && !is_token(r, at, ","))
        at = rewriting_past(r, at);
    return at;
}

/* max(L, E) and the like, where L is one of the two arguments. */
static struct update update_of_call(const struct rewriting *r, struct range range)
{
    const bool most = is_token(r, range.first, "max") || is_token(r, range.first, "fmax"),
               least = is_token(r, range.first, "min") || is_token(r, range.first, "fmin");
    if (!(most || least) || !is_token(r, range.first + 1, "(") ||
        r->syntax.tokens[range.first + 1].match != range.end - 1)
        return update_any();
    const struct range inner = {range.first + 2, range.end - 1};
    const uint32_t comma = first_comma(r, inner);
    const struct range a = {inner.first, comma}, b = {comma + 1, inner.end};
    const enum update_operation operation = most ? UPDATE_MAX : UPDATE_MIN;
    return comma == inner.end       ? update_any()
           : rewriting_is_old(r, a) ? update_by(r, operation, b)
           : rewriting_is_old(r, b) ? update_by(r, operation, a)
                                    : update_any();
}

/* a < b and the like: which operand is larger if the comparison holds? */
static bool read_comparison(const struct rewriting *r, struct range range, struct range *out_large,
                            struct range *out_small)
{
    static const char *const operators[] = {"<", ">", "<=", ">=", NULL};
    uint32_t count;
    range = range_strip(r, range);
    const uint32_t at = rewriting_last_operator(r, range, operators, &count);
    if (count != 1)
        return false;
    const struct range left = {range.first, at}, right = {at + 1, range.end};
    const bool less = *r->syntax.tokens[at].at == '<';
    *out_large = less ? right : left;
    *out_small = less ? left : right;
    return true;
}

/* The update that assigns `value` to L if the comparison holds, and nothing otherwise. */
struct update update_of_comparison(const struct rewriting *r, struct range comparison, struct range value)
{
    struct range large, small;
    if (!read_comparison(r, comparison, &large, &small))
        return update_any();
    if (rewriting_is_old(r, small) && range_equals(r, large, value))
        return update_by(r, UPDATE_MAX, value);
    return rewriting_is_old(r, large) && range_equals(r, small, value) ? update_by(r, UPDATE_MIN, value)
                                                                       : update_any();
}

/* C ? A : B, where A or B is the old value. */
static struct update update_of_choice(const struct rewriting *r, struct range range)
{
    static const char *const marks[] = {"?", ":", NULL};
    struct range large, small;
    uint32_t count, mark;
    const uint32_t colon = rewriting_last_operator(r, range, marks, &count);
    for (mark = range.first; mark < range.end && !is_token(r, mark, "?");)
        mark = rewriting_past(r, mark);
    if (count != 2 || mark >= colon || !is_token(r, colon, ":"))
        return update_any();
    const struct range condition = {range.first, mark}, yes = {mark + 1, colon}, no = {colon + 1, range.end};
    if (rewriting_is_old(r, no))
        return update_of_comparison(r, condition, yes);
    if (!rewriting_is_old(r, yes) || !read_comparison(r, condition, &large, &small))
        return update_any();
    if (rewriting_is_old(r, large) && range_equals(r, small, no))
        return update_by(r, UPDATE_MAX, no);
    return rewriting_is_old(r, small) && range_equals(r, large, no) ? update_by(r, UPDATE_MIN, no)
                                                                    : update_any();
}

/* L + a - b, or a + L: sums whose first or last operand is the old value. */
static struct update update_of_sum(const struct rewriting *r, struct range range)
{
    static const char *const sums[] = {"+", "-", NULL};
    uint32_t count, first;
    const uint32_t last = rewriting_last_operator(r, range, sums, &count);
    for (first = rewriting_past(r, range.first);
         first < last && !(is_any_token(r, first, "+ -") && rewriting_ends_operand(r, first - 1));)
        first = rewriting_past(r, first);
    const struct range left = {range.first, first}, right = {last + 1, range.end};
    if (rewriting_is_old(r, left) && is_token(r, first, "+"))
        return update_by(r, UPDATE_ADD, (struct range){first + 1, range.end});
    if (rewriting_is_old(r, left))
        return count == 1 ? update_by(r, UPDATE_SUB, right)
                          : update_by(r, UPDATE_ADD, (struct range){first, range.end});
    return rewriting_is_old(r, right) && is_token(r, last, "+")
               ? update_by(r, UPDATE_ADD, (struct range){range.first, last})
               : update_any();
}

/* L & a, or a & L. */
static struct update update_of_bits(const struct rewriting *r, struct range range,
                                    enum update_operation operation, const char *op)
{
    const char *const operators[] = {op, NULL};
    uint32_t count, first;
    const uint32_t last = rewriting_last_operator(r, range, operators, &count);
    for (first = rewriting_past(r, range.first); first < last && !is_token(r, first, op);)
        first = rewriting_past(r, first);
    if (rewriting_is_old(r, (struct range){range.first, first}))
        return update_by(r, operation, (struct range){first + 1, range.end});
    return rewriting_is_old(r, (struct range){last + 1, range.end})
               ? update_by(r, operation, (struct range){range.first, last})
               : update_any();
}

/* The update that an expression with the old value computes; the operator of lowest precedence decides. */
struct update update_of_value(const struct rewriting *r, struct range range)
{
    static const char *const levels[][7] = {
        {"?", NULL},        {"||", "&&", NULL}, {"|", NULL},
        {"^", NULL},        {"&", NULL},        {"==", "!=", "<", ">", "<=", ">="},
        {"<<", ">>", NULL}, {"+", "-", NULL},   {"*", "/", "%", NULL}};
    uint32_t count, level = 0;
    range = range_strip(r, range);
    while (level < sizeof levels / sizeof levels[0]) {
        const char *operators[8] = {NULL};
        memcpy(operators, levels[level], sizeof levels[level]);
        if (rewriting_last_operator(r, range, operators, &count) != NO_TOKEN)
            break;
        level++;
    }
    switch (level) {
    case 0: return update_of_choice(r, range);
    case 2: return update_of_bits(r, range, UPDATE_OR, "|");
    case 3: return update_of_bits(r, range, UPDATE_XOR, "^");
    case 4: return update_of_bits(r, range, UPDATE_AND, "&");
    case 7: return update_of_sum(r, range);
    case 9: return update_of_call(r, range);
    default: return update_any();
    }
}

static enum update_operation operation_of(const struct rewriting *r, uint32_t token)
{
    static const struct {
        const char *op;
        enum update_operation operation;
    } rows[] = {
        {"++", UPDATE_ADD}, {"--", UPDATE_SUB}, {"+=", UPDATE_ADD}, {"-=", UPDATE_SUB},
        {"&=", UPDATE_AND}, {"|=", UPDATE_OR},  {"^=", UPDATE_XOR},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (is_token(r, token, rows[i].op))
            return rows[i].operation;
    return UPDATE_ANY;
}

/* The update that an operator makes with the value after it. */
struct update update_of_assignment(const struct rewriting *r, uint32_t op, struct range value)
{
    if (is_step(r, op))
        return (struct update){.operation = operation_of(r, op), .one = true};
    return is_token(r, op, "=") ? update_of_value(r, value) : update_by(r, operation_of(r, op), value);
}

/* ---- what the language has for it ------------------------------------------------------------ */

bool rewriting_has_atomic_size(const struct rewriting *r)
{
    return r->request->size == 4 || r->request->size == 8;
}

/* Does OpenCL C have an atomic function for the update? */
bool update_has_function(const struct rewriting *r, const struct update *update)
{
    const bool integers = !rewriting_is_float(r) && !rewriting_may_be_float(r, update->by);
    return update->operation != UPDATE_ANY && integers && rewriting_has_atomic_size(r);
}

/* Do two such updates give the same result in either order? */
bool update_commutes(const struct rewriting *r, const struct update *update)
{
    return update->operation != UPDATE_ANY && !rewriting_has_object(r, update->by);
}
