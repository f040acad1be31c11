/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The allocations of shared virtual memory (OpenCL 3.0 API, 5.6) and of unified shared memory, by
 *          address.
 *
 * Interface
 *   svm_find      (object.h) the allocation that holds a pointer
 *   svm_allocate  allocates by the request; NULL: out of memory
 *   svm_release   frees the allocation that starts at pointer; no effect on another pointer
 *   svm_find_usm, svm_release_usm   the same for unified shared memory, which is in the table, too; find
 *   copies svm_seek      copies the allocation that holds pointer, of any context and kind; the caller frees
 *   `made` svm_list_usm  how many allocations of unified shared memory a context has of a kind; the starts
 *   of the
 *                 first `room` of them
 *   svm_report_left   at the end: usage_svm_left for each allocation that was not freed
 *   svm_drop      frees the allocations of a context that is destroyed
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
bool svm_find_usm(struct context *context, const void *pointer, struct svm_allocation *out_found);
bool svm_release_usm(struct context *context, void *pointer);
size_t svm_list_usm(const struct context *context, cl_uint sort, uint64_t *out_addresses, size_t room);
void svm_release(struct context *context, void *pointer);
void svm_report_left(void);
void svm_drop(struct context *context);
#endif
