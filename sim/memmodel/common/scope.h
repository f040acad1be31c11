/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Memory scopes: their reduction by memory region (R9), and whether those of two operations are
 *          inclusive (R10; OpenCL 2.2 API, 3.3.5).
 */
#ifndef ORRERY_SIM_MEMMODEL_COMMON_SCOPE_H
#define ORRERY_SIM_MEMMODEL_COMMON_SCOPE_H

#include <stdbool.h>
#include <stdint.h>

#include "orrery/observer.h"
#include "orrery/scenario.h"

/* Where a work-item stands in the launch. */
struct place {
    uint64_t group;
    uint32_t sub_group, device;
};

/* The scope that counts for an operation on local memory, or on fine-grained SVM with atomics. */
enum memory_scope scope_reduced(enum memory_scope scope, bool local, bool svm_atomics);

/* Are the scopes inclusive, of operations at these places? Both are reduced, and of one kernel instance. */
bool scope_inclusive(enum scope_rule rule, enum memory_scope a, const struct place *at_a, enum memory_scope b,
                     const struct place *at_b);

#endif
