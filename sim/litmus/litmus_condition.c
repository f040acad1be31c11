/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Evaluates a final condition over the values of one outcome, from the leaves upwards. Terms are numbered
 * when the test is parsed; an address equals only an address, as no location lies at a number that a test
 * could write.
 */
#include "litmus_test.h"

bool condition_holds(const struct condition *condition, const struct term_value *values)
{
    switch (condition->kind) {
    case CONDITION_TRUE: return true;
    case CONDITION_EQUAL:
        /* No location lies at an address that a test could write as a number. */
        return values[condition->term].is_address == condition->to_address &&
               values[condition->term].value == condition->value;
    case CONDITION_NOT: return !condition_holds(condition->operand[0], values);
    case CONDITION_AND:
        return condition_holds(condition->operand[0], values) &&
               condition_holds(condition->operand[1], values);
    case CONDITION_OR:
        return condition_holds(condition->operand[0], values) ||
               condition_holds(condition->operand[1], values);
    }
    return false;
}
