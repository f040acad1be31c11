/* SPDX-License-Identifier: Apache-2.0 */
/* The words of memory orders and scopes, once: reports, fixes and litmus tests print and read the same. */
#include "memory_words.h"
#include "orrery/checked.h"

const char *const memory_order_words[MEMORY_ORDER_COUNT] = {
    [ORDER_RELAXED] = "memory_order_relaxed", [ORDER_ACQUIRE] = "memory_order_acquire",
    [ORDER_RELEASE] = "memory_order_release", [ORDER_ACQ_REL] = "memory_order_acq_rel",
    [ORDER_SEQ_CST] = "memory_order_seq_cst",
};

const char *const memory_scope_words[MEMORY_SCOPE_COUNT] = {
    [SCOPE_WORK_ITEM] = "memory_scope_work_item",     [SCOPE_SUB_GROUP] = "memory_scope_sub_group",
    [SCOPE_WORK_GROUP] = "memory_scope_work_group",   [SCOPE_DEVICE] = "memory_scope_device",
    [SCOPE_ALL_SVM] = "memory_scope_all_svm_devices",
};

const char *memory_order_word(enum memory_ordering order)
{
    CHECKED((int)order < MEMORY_ORDER_COUNT);
    return memory_order_words[order];
}

const char *memory_scope_word(enum memory_scope scope)
{
    CHECKED((int)scope < MEMORY_SCOPE_COUNT);
    return memory_scope_words[scope];
}
