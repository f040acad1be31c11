/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Memory scopes: what they come down to in a region (R9 of the memory model), and
 *          when two operations include each other (R10; OpenCL 2.2 API, 3.3.5).
 */
#ifndef ORRERY_SIM_MEMMODEL_COMMON_SCOPE_H
#define ORRERY_SIM_MEMMODEL_COMMON_SCOPE_H

#include <stdbool.h>
#include <stdint.h>

#include "orrery/observer.h"
#include "orrery/scenario.h"

/* The work-item's place in the launch. */
struct place {
    uint64_t group;
    uint32_t sub_group, device;
};

/* The memory location: in local memory, or in fine-grained SVM with atomics. */
enum memory_scope scope_reduced(enum memory_scope scope, bool local, bool svm_atomics);

/* Both scopes reduced; of one kernel instance. */
bool scope_inclusive(enum scope_rule rule, enum memory_scope a, const struct place *at_a, enum memory_scope b,
                     const struct place *at_b);

#endif
