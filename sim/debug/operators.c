/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operators of OpenCL C on two loaded values. Both are converted to one type first: float or double if an
 * operand is, else int, uint, long or ulong, as C does. Vectors are computed by component; a scalar beside
 * a vector counts for each component. Shifts take their count modulo the number of bits, and division by
 * zero is refused.
 */
#include "operators.h"

#include <string.h>

static const char no_numbers[] = "the operands are no numbers";

static bool is_number(const struct debug_value *value)
{
    return value->type->kind >= DEBUG_INTEGER &&
           (value->type->kind <= DEBUG_POINTER || value->type->kind == DEBUG_ENUM);
}

/* Returns the type in which C computes with both: the usual arithmetic conversions. */
static const struct debug_type *common_type(const struct debug_value *a, const struct debug_value *b)
{
    if (a->type->kind == DEBUG_FLOAT || b->type->kind == DEBUG_FLOAT) {
        const bool wide = (a->type->kind == DEBUG_FLOAT && a->type->size == 8) ||
                          (b->type->kind == DEBUG_FLOAT && b->type->size == 8);
        return value_basic_type(wide ? "double" : "float");
    }
    const uint64_t size = a->type->size > b->type->size ? a->type->size : b->type->size;
    const bool is_unsigned = (size >= 4 && a->type->size == size &&
                              (a->type->kind == DEBUG_UNSIGNED || a->type->kind == DEBUG_POINTER)) ||
                             (size >= 4 && b->type->size == size &&
                              (b->type->kind == DEBUG_UNSIGNED || b->type->kind == DEBUG_POINTER));
    return value_integer_type(size == 8 ? 8 : 4, is_unsigned);
}

static bool is_comparison(enum operator op)
{
    return op <= AND || (op >= EQUAL && op <= MORE_EQUAL) || op == LESS || op == MORE;
}

static const char *real_operation(enum operator op, double a, double b, const struct debug_type *type,
                                  struct debug_value *out)
{
    double result = 0;
    switch (op) {
    case OR: result = a != 0 || b != 0; break;
    case AND: result = a != 0 && b != 0; break;
    case EQUAL: result = a == b; break;
    case UNEQUAL: result = a != b; break;
    case LESS: result = a < b; break;
    case MORE: result = a > b; break;
    case LESS_EQUAL: result = a <= b; break;
    case MORE_EQUAL: result = a >= b; break;
    case ADD: result = a + b; break;
    case SUBTRACT: result = a - b; break;
    case MULTIPLY: result = a * b; break;
    case DIVIDE: result = a / b; break;
    default: return "this operator wants integers";
    }
    struct debug_value real = {.type = value_basic_type("double")};
    memcpy(real.bytes, &result, sizeof result);
    return value_set_number(out, is_comparison(op) ? value_integer_type(4, false) : type, &real) ? NULL
                                                                                                 : no_numbers;
}

static const char *integer_operation(enum operator op, const struct debug_value *a,
                                     const struct debug_value *b, const struct debug_type *type,
                                     struct debug_value *out)
{
    const bool is_unsigned = type->kind == DEBUG_UNSIGNED;
    struct debug_value left, right;
    if (!value_set_number(&left, type, a) || !value_set_number(&right, type, b))
        return no_numbers;
    const int64_t x = value_integer(&left), y = value_integer(&right);
    const uint64_t ux = (uint64_t)x, uy = (uint64_t)y, bits = type->size * 8;
    uint64_t result = 0;
    switch (op) {
    case OR: result = x || y; break;
    case AND: result = x && y; break;
    case BIT_OR: result = ux | uy; break;
    case BIT_XOR: result = ux ^ uy; break;
    case BIT_AND: result = ux & uy; break;
    case EQUAL: result = x == y; break;
    case UNEQUAL: result = x != y; break;
    case LESS: result = is_unsigned ? ux < uy : x < y; break;
    case MORE: result = is_unsigned ? ux > uy : x > y; break;
    case LESS_EQUAL: result = is_unsigned ? ux <= uy : x <= y; break;
    case MORE_EQUAL: result = is_unsigned ? ux >= uy : x >= y; break;
    case LEFT: result = ux << (uy % bits); break;
    case RIGHT: result = is_unsigned ? ux >> (uy % bits) : (uint64_t)(x >> (uy % bits)); break;
    case ADD: result = ux + uy; break;
    case SUBTRACT: result = ux - uy; break;
    case MULTIPLY: result = ux * uy; break;
    default:
        if (!y)
            return "division by zero";
        if (!is_unsigned && y == -1)
            result = op == DIVIDE ? 0 - ux : 0;
        else if (op == DIVIDE)
            result = is_unsigned ? ux / uy : (uint64_t)(x / y);
        else
            result = is_unsigned ? ux % uy : (uint64_t)(x % y);
    }
    *out = (struct debug_value){.type = is_comparison(op) ? value_integer_type(4, false) : type};
    memcpy(out->bytes, &result, out->type->size);
    return NULL;
}

static const char *pointer_operation(enum operator op, const struct debug_value *a,
                                     const struct debug_value *b, struct debug_value *out)
{
    const uint64_t x = (uint64_t)value_integer(a), y = (uint64_t)value_integer(b),
                   size = a->type->element->size ? a->type->element->size : 1;
    if (op == SUBTRACT && b->type->kind == DEBUG_POINTER) {
        const int64_t elements = (int64_t)(x - y) / (int64_t)size;
        *out = (struct debug_value){.type = value_basic_type("long")};
        memcpy(out->bytes, &elements, sizeof elements);
        return NULL;
    }
    if (op != ADD && op != SUBTRACT)
        return integer_operation(op, a, b, value_basic_type("ulong"), out);
    const uint64_t address = op == ADD ? x + y * size : x - y * size;
    const struct debug_type *type = a->type;
    *out = (struct debug_value){.type = type};
    memcpy(out->bytes, &address, sizeof address);
    return NULL;
}

static const char *scalar_operation(enum operator op, const struct debug_value *a,
                                    const struct debug_value *b, struct debug_value *out)
{
    if (!is_number(a) || !is_number(b))
        return no_numbers;
    if (a->type->kind == DEBUG_POINTER)
        return pointer_operation(op, a, b, out);
    if (b->type->kind == DEBUG_POINTER && op == ADD)
        return pointer_operation(op, b, a, out);
    const struct debug_type *type = common_type(a, b);
    return type->kind == DEBUG_FLOAT ? real_operation(op, value_double(a), value_double(b), type, out)
                                     : integer_operation(op, a, b, type, out);
}

/* A comparison of vectors gives integers as wide as the elements, 0 or -1 (OpenCL C, 6.3.d). */
static const struct debug_type *truths_of(struct evaluation *e, const struct debug_type *vector)
{
    return expression_vector_type(e, value_integer_type(vector->element->size, false), vector->count);
}

const char *operator_apply(struct evaluation *e, enum operator op, const struct debug_value *a,
                           const struct debug_value *b, struct debug_value *out)
{
    const struct debug_type *vector = a->type->kind == DEBUG_VECTOR   ? a->type
                                      : b->type->kind == DEBUG_VECTOR ? b->type
                                                                      : NULL;
    if (!vector)
        return scalar_operation(op, a, b, out);
    const struct debug_type *type = is_comparison(op) ? truths_of(e, vector) : vector;
    if (!type)
        return "the expression is too large";
    struct debug_value result = {.type = type};
    for (uint64_t k = 0; k < vector->count; k++) {
        const struct debug_value x = value_component(a, k), y = value_component(b, k);
        struct debug_value part;
        const char *wrong = scalar_operation(op, &x, &y, &part);
        if (wrong || !value_set_number(&part, type->element, &part))
            return wrong ? wrong : "the operator is not supported for these vectors";
        memcpy(result.bytes + k * type->element->size, part.bytes, type->element->size);
        if (is_comparison(op) && value_is_true(&part))
            memset(result.bytes + k * type->element->size, 0xff, type->element->size);
    }
    *out = result;
    return NULL;
}
