/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The operators of two operands in a debugger's expressions. expression.c parses them and loads the
 *          operands.
 *
 * Interface
 *   operator_apply   computes. Returns NULL, or what is wrong. The evaluation owns the type of a vector
 */
#ifndef ORRERY_DEBUG_OPERATORS_H
#define ORRERY_DEBUG_OPERATORS_H

#include "value.h"

enum operator{
    OR,
    AND,
    BIT_OR,
    BIT_XOR,
    BIT_AND,
    EQUAL,
    UNEQUAL,
    LESS_EQUAL,
    MORE_EQUAL,
    LEFT,
    RIGHT,
    LESS,
    MORE,
    ADD,
    SUBTRACT,
    MULTIPLY,
    DIVIDE,
    REMAINDER,
    OPERATORS
};

const char *operator_apply(struct evaluation *evaluation, enum operator op, const struct debug_value *a,
                           const struct debug_value *b, struct debug_value *out);

#endif
