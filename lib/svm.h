/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The table of shared virtual memory allocations, by address.
 *
 * Interface
 *   svm_find      (object.h) the allocation that holds a pointer
 *   svm_release   frees the allocation that starts at pointer; others are left alone
 *   svm_tell_left at the end: usage_svm_left for each that was not freed
 *   svm_drop      frees what is left of a context that goes
 *
 * Locks    Its own: may be called with runtime_lock held.
 */
#ifndef ORRERY_LIB_SVM_H
#define ORRERY_LIB_SVM_H
#include "object.h"

void svm_release(struct context *context, void *pointer);
void svm_tell_left(void);
void svm_drop(struct context *context);
#endif
