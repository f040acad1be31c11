/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  What buffers and images share: flags, storage, properties.
 *
 * Interface
 *   memobj_new              not yet published; without kernel access flags it is read-write
 *   memobj_flags_valid      as the table of memory flags allows
 *   memobj_narrows          flags of a part may not give back what the whole forbids
 *   memobj_inherit          flags of a part, completed by the whole's
 *   memobj_part             an object within another's bytes: references it
 *   memobj_provide_storage  size bytes on the device, filled from host_ptr, or those of an SVM allocation;
 *                           sort names the allocation in findings
 *   memobj_keep_properties  an empty list, or none
 *   memobj_complete         a buffer or image is made, and published; after an error it goes
 *   memobj_check_host_ptr   CL_INVALID_HOST_PTR unless the pointer is there exactly when the flags want it
 */
#ifndef ORRERY_LIB_MEMOBJ_H
#define ORRERY_LIB_MEMOBJ_H
#include "object.h"

/* The object whose storage a sub-buffer, or an image of a buffer, is a part of; NULL for NULL. */
static inline struct memobj *memobj_root(struct memobj *memobj)
{
    while (memobj && memobj->parent)
        memobj = memobj->parent;
    return memobj;
}
/* Its storage is memory of the program, which is neither part of another object nor shared virtual memory. */
static inline bool memobj_has_host_memory(const struct memobj *memobj)
{
    return memobj->flags & CL_MEM_USE_HOST_PTR && !memobj->is_svm && !memobj->parent;
}

struct memobj *memobj_new(struct context *context, cl_mem_object_type type, cl_mem_flags flags, size_t size);
bool memobj_flags_valid(cl_mem_flags flags);
bool memobj_narrows(cl_mem_flags parent, cl_mem_flags flags);
cl_mem_flags memobj_inherit(cl_mem_flags parent, cl_mem_flags flags);
void memobj_part(struct memobj *memobj, struct memobj *parent, size_t origin);
cl_int memobj_provide_storage(struct memobj *memobj, void *host_ptr, const char *sort);
cl_int memobj_keep_properties(struct memobj *memobj, const cl_mem_properties *properties);
cl_int memobj_complete(struct memobj *memobj, cl_int err, struct memobj **out_memobj);
cl_int memobj_check_host_ptr(cl_mem_flags flags, const void *host_ptr);
#endif
