/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  OpenCL C's words for memory orders and scopes (OpenCL C 3.0, 6.15.12.4).
 *
 * Interface
 *   memory_order_words, memory_scope_words   by the enum: for what reads or writes text of OpenCL C
 *   memory_order_word, memory_scope_word     one of them: "memory_order_release", "memory_scope_device"
 */
#ifndef ORRERY_SIM_BASE_MEMORY_WORDS_H
#define ORRERY_SIM_BASE_MEMORY_WORDS_H

#include "orrery/observer.h"

enum { MEMORY_ORDER_COUNT = ORDER_SEQ_CST + 1, MEMORY_SCOPE_COUNT = SCOPE_ALL_SVM + 1 };

extern const char *const memory_order_words[MEMORY_ORDER_COUNT];
extern const char *const memory_scope_words[MEMORY_SCOPE_COUNT];

const char *memory_order_word(enum memory_ordering order);
const char *memory_scope_word(enum memory_scope scope);

#endif
