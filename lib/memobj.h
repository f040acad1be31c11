/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  What buffers and images share: flags, storage, properties.
 *
 * Interface
 *   memobj_new              an object that is not published; without kernel access flags it is read-write
 *   memobj_flags_valid      the flags agree with the table of memory flags (5.2.1)
 *   memobj_narrows          the flags of a part allow no access that the parent forbids
 *   memobj_inherit          the flags of a part, completed by those of the parent
 *   memobj_part             the object is a part of another, which it references
 *   memobj_provide_storage  bytes on the device, filled from host_ptr; or those of an SVM allocation. sort
 *                           names the allocation in findings
 *   memobj_keep_properties  keeps a list of properties, which must be empty, or NULL
 *   memobj_complete         publishes the object; destroys it if err is an error
 *   memobj_check_host_ptr   CL_INVALID_HOST_PTR unless host_ptr is given exactly if the flags require it
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
