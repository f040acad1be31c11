/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The table of shared virtual memory allocations, by address.
 *
 * Interface
 *   svm_find      (object.h) the allocation that holds a pointer
 *   svm_allocate  as in the request; NULL: out of memory
 *   svm_release   frees the allocation that starts at pointer; others are left alone
 *   usm_find, usm_release   the same for unified shared memory, which is in the table too; found: copied
 *   svm_seek      the allocation that holds pointer, of any context and kind: copied, `made` is the caller's
 *   svm_list_usm  how many allocations of unified shared memory a context has of a kind; the starts of the
 *                 first `room` of them
 *   svm_report_left at the end: usage_svm_left for each that was not freed
 *   svm_drop      frees the rest of a context that is destroyed
 *
 * Locks    Its own: may be called with runtime_lock held.
 */
#ifndef ORRERY_LIB_SVM_H
#define ORRERY_LIB_SVM_H
#include "object.h"

struct svm_request {
    cl_svm_mem_flags flags;
    size_t size, alignment; /* 0: the largest of any type */
    cl_uint usm;
    cl_ulong usm_flags;
    struct cl_device *device;
};
bool svm_seek(const void *pointer, struct svm_allocation *out_found);
void *svm_allocate(struct context *context, const struct svm_request *request);
bool usm_find(struct context *context, const void *pointer, struct svm_allocation *out_found);
bool usm_release(struct context *context, void *pointer);
size_t svm_list_usm(const struct context *context, cl_uint sort, uint64_t *out_addresses, size_t room);
void svm_release(struct context *context, void *pointer);
void svm_report_left(void);
void svm_drop(struct context *context);
#endif
