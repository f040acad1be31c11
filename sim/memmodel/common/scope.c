/* SPDX-License-Identifier: Apache-2.0 */
/* Reduction of scopes (R9) and their inclusion (R10). Under the rule of 3.1 the narrower of two scopes
 * decides; under that of 2.x they have to be equal. */
#include "scope.h"

#include "orrery/rule.h"

enum memory_scope scope_reduced(enum memory_scope scope, bool local, bool svm_atomics)
{
    if (local && scope > SCOPE_WORK_GROUP)
        return RULE(9) ? SCOPE_WORK_GROUP : scope;
    const bool as_written = svm_atomics && RULE(902);
    return scope == SCOPE_ALL_SVM && !as_written && RULE(901) ? SCOPE_DEVICE : scope;
}

static bool same_instance(enum memory_scope scope, const struct place *a, const struct place *b)
{
    switch (scope) {
    case SCOPE_WORK_ITEM: return false;
    case SCOPE_SUB_GROUP: return a->group == b->group && a->sub_group == b->sub_group;
    case SCOPE_WORK_GROUP: return a->group == b->group;
    case SCOPE_DEVICE: return a->device == b->device;
    default: return true;
    }
}

bool scope_inclusive(enum scope_rule rule, enum memory_scope a, const struct place *at_a, enum memory_scope b,
                     const struct place *at_b)
{
    if (!RULE(10))
        return true;
    if (rule == SCOPE_RULE_EQUAL && a != b)
        return false;
    return same_instance(a < b ? a : b, at_a, at_b);
}
