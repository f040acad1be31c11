/* SPDX-License-Identifier: Apache-2.0 */
/* Memory objects (OpenCL 3.0 API, 5.2.1, 5.5): flags, storage, sub-buffers, destructor callbacks, queries. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "orrery/checked.h"
#include "api.h"
#include "context.h"
#include "destructor.h"
#include "device_info.h"
#include "error.h"
#include "executor.h"
#include "lib/diagnose/call.h"
#include "lib/diagnose/caller.h"
#include "lib/host/guard.h"
#include "lib/host/host_bytes.h"
#include "lib/diagnose/host_gone.h"
#include "info.h"
#include "memobj.h"
#include "queue.h"
#include "transfer.h"
#include "version.h"

static const cl_mem_flags kernel_access = CL_MEM_READ_WRITE | CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY;
static const cl_mem_flags host_access =
    CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS;
static const cl_mem_flags host_pointer = CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR;

enum { PAGE_BYTES = 4096 };

/* ---- checks ---------------------------------------------------------------------- */

static bool at_most_one(cl_mem_flags flags)
{
    return !(flags & (flags - 1));
}

/* The names of those flags that are given, with `and` between them. */
static void print_flags(cl_mem_flags flags, char *out, size_t size)
{
    static const struct {
        cl_mem_flags flag;
        const char *name;
    } names[] = {{CL_MEM_READ_WRITE, "CL_MEM_READ_WRITE"},
                 {CL_MEM_WRITE_ONLY, "CL_MEM_WRITE_ONLY"},
                 {CL_MEM_READ_ONLY, "CL_MEM_READ_ONLY"},
                 {CL_MEM_USE_HOST_PTR, "CL_MEM_USE_HOST_PTR"},
                 {CL_MEM_ALLOC_HOST_PTR, "CL_MEM_ALLOC_HOST_PTR"},
                 {CL_MEM_COPY_HOST_PTR, "CL_MEM_COPY_HOST_PTR"},
                 {CL_MEM_HOST_WRITE_ONLY, "CL_MEM_HOST_WRITE_ONLY"},
                 {CL_MEM_HOST_READ_ONLY, "CL_MEM_HOST_READ_ONLY"},
                 {CL_MEM_HOST_NO_ACCESS, "CL_MEM_HOST_NO_ACCESS"}};
    size_t used = 0;
    out[0] = '\0';
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (flags & names[i].flag && used < size)
            used += (size_t)snprintf(out + used, size - used, "%s%s", used ? " and " : "", names[i].name);
}

static bool refuse_both(cl_mem_flags flags)
{
    char names[160];
    print_flags(flags, names, sizeof names);
    (void)call_because(CL_INVALID_VALUE, "flags has %s, which exclude each other", names);
    return false;
}

bool memobj_flags_valid(cl_mem_flags flags)
{
    const cl_mem_flags unknown = flags & ~(kernel_access | host_access | host_pointer);
    if (unknown) {
        (void)call_because(CL_INVALID_VALUE, "flags has the bits 0x%" PRIx64 ", which mean nothing here",
                           (uint64_t)unknown);
        return false;
    }
    if ((flags & CL_MEM_USE_HOST_PTR) && (flags & (CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR)))
        return refuse_both(flags & host_pointer);
    if (!at_most_one(flags & kernel_access))
        return refuse_both(flags & kernel_access);
    return at_most_one(flags & host_access) || refuse_both(flags & host_access);
}

cl_int memobj_check_host_ptr(cl_mem_flags flags, const void *host_ptr)
{
    bool wants_pointer = flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR);
    return !host_ptr == wants_pointer ? CL_INVALID_HOST_PTR : CL_SUCCESS;
}

static cl_int check_size(struct context *context, cl_mem_flags flags, size_t size, const void *host_ptr)
{
    const size_t most = context_max_allocation(context).most;
    char text[120];
    if (!size || size > most) {
        snprintf(text, sizeof text, "size is %zu, CL_DEVICE_MAX_MEM_ALLOC_SIZE is %zu", size, most);
        call_detail(size ? text : "size is 0");
        return CL_INVALID_BUFFER_SIZE;
    }
    const struct svm_allocation *svm = host_ptr ? svm_find(context, host_ptr) : NULL;
    if (svm && (flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR)) &&
        size > svm->size - (size_t)((const char *)host_ptr - (const char *)svm->pointer))
        return CL_INVALID_BUFFER_SIZE;
    return CL_SUCCESS;
}

static cl_int check_buffer(struct context *context, const cl_mem_properties *properties, cl_mem_flags flags,
                           size_t size, const void *host_ptr)
{
    if (properties && properties[0])
        return CL_INVALID_PROPERTY;
    if (!memobj_flags_valid(flags))
        return CL_INVALID_VALUE;
    cl_int err = check_size(context, flags, size, host_ptr);
    return err ? err : memobj_check_host_ptr(flags, host_ptr);
}

/* ---- buffers ---------------------------------------------------------------------- */

void memobj_destroy(void *object)
{
    struct memobj *memobj = object;
    host_bytes_end(memobj);
    CHECKED(!memobj->seen);
    host_gone_end(memobj);
    guard_remove_buffer(memobj);
    destructor_run(memobj->destructors, memobj);
    if (memobj->owns_address) {
        guard_remove((void *)(uintptr_t)memobj->address);
        device_storage(runtime_device(), memobj->address, memobj->size, NULL);
        executor_release_memory(memobj->address);
    }
    while (memobj->maps) {
        struct map_record *record = memobj->maps;
        memobj->maps = record->next;
        free(record->made);
        free(record);
    }
    free(memobj->properties);
    free(memobj->image);
    object_unref(memobj->parent);
    object_unref(memobj->context);
}

static cl_int allocate(struct memobj *memobj, const char *sort)
{
    CHECKED(!memobj->owns_address && !memobj->parent);
    char name[32];
    uint32_t flags = 0;
    if (memobj->flags & CL_MEM_READ_ONLY)
        flags |= ALLOC_KERNEL_READ_ONLY;
    if (memobj->flags & CL_MEM_WRITE_ONLY)
        flags |= ALLOC_KERNEL_WRITE_ONLY;
    if (memobj->type == CL_MEM_OBJECT_PIPE)
        flags |= ALLOC_PIPE;
    snprintf(name, sizeof name, "%s %u", sort, memobj->base.id);
    enum status status =
        device_alloc(runtime_device(), memobj->size, DEVICE_BASE_ALIGN, flags, name, &memobj->address);
    memobj->owns_address = status == STATUS_OK;
    if (status == STATUS_OK)
        device_made_by(runtime_device(), memobj->address, caller_here());
    return status == STATUS_OUT_OF_RESOURCES ? CL_MEM_OBJECT_ALLOCATION_FAILURE : error_from_status(status);
}

/* Loads each page, since the host reads this memory as it makes the call: a closed page is reported
 * (guard.c). */
static void load_pages(const void *host_ptr, size_t size)
{
    const uintptr_t low = (uintptr_t)host_ptr;
    for (uintptr_t at = low; at < low + size; at = (at | (PAGE_BYTES - 1)) + 1)
        (void)*(const volatile char *)at;
}

static cl_int check_mapped(const void *host_ptr, size_t size)
{
    char text[160];
    if (!host_gone_bytes(host_ptr, size))
        return CL_SUCCESS;
    snprintf(text, sizeof text,
             "some of the %zu bytes that host_ptr points to are not mapped: the host has freed them, or "
             "never had them",
             size);
    call_detail(text);
    return CL_INVALID_HOST_PTR;
}

/* The bytes are in the SVM allocation that host_ptr points into, or in an allocation of their own. */
cl_int memobj_provide_storage(struct memobj *memobj, void *host_ptr, const char *sort)
{
    bool use = memobj->flags & CL_MEM_USE_HOST_PTR;
    if (use)
        memobj->host_ptr = host_ptr;
    memobj->is_svm = use && svm_find(memobj->context, host_ptr);
    if (memobj->is_svm) {
        memobj->address = (uint64_t)(uintptr_t)host_ptr;
        return CL_SUCCESS;
    }
    cl_int err = host_ptr ? check_mapped(host_ptr, memobj->size) : CL_SUCCESS;
    if (!err)
        err = allocate(memobj, sort);
    if (!err && host_ptr) {
        load_pages(host_ptr, memobj->size);
        queue_hold(); /* a command may be running, and device memory has one user at a time */
        err = error_from_status(device_write(runtime_device(), 0, memobj->address, host_ptr, memobj->size));
        queue_resume();
    }
    if (!err && use)
        device_storage(runtime_device(), memobj->address, memobj->size, host_ptr);
    return err;
}

cl_int memobj_keep_properties(struct memobj *memobj, const cl_mem_properties *properties)
{
    if (!properties)
        return CL_SUCCESS;
    memobj->properties = calloc(1, sizeof *memobj->properties); /* an empty list has its final 0 */
    memobj->property_count = 1;
    return memobj->properties ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
}

struct memobj *memobj_new(struct context *context, cl_mem_object_type type, cl_mem_flags flags, size_t size)
{
    struct memobj *memobj = object_new(OBJECT_MEMOBJ, sizeof *memobj);
    if (!memobj)
        return NULL;
    memobj->context = object_ref(context);
    memobj->type = type;
    memobj->flags = flags & kernel_access ? flags : flags | CL_MEM_READ_WRITE;
    memobj->size = size;
    return memobj;
}

cl_int memobj_complete(struct memobj *memobj, cl_int err, struct memobj **out_memobj)
{
    if (err) {
        object_unref(memobj);
        return err;
    }
    CHECKED(memobj->size > 0 && memobj->address);
    CHECKED(memobj->owns_address || memobj->is_svm || memobj->parent);
    host_bytes_begin(memobj);
    host_gone_begin(memobj);
    guard_add_buffer(memobj);
    object_publish(memobj);
    *out_memobj = memobj;
    return CL_SUCCESS;
}

static cl_int create_buffer(struct context *context, const cl_mem_properties *properties, cl_mem_flags flags,
                            size_t size, void *host_ptr, struct memobj **out_memobj)
{
    cl_int err = check_buffer(context, properties, flags, size, host_ptr);
    if (err)
        return err;
    struct memobj *memobj = memobj_new(context, CL_MEM_OBJECT_BUFFER, flags, size);
    if (!memobj)
        return CL_OUT_OF_HOST_MEMORY;
    err = memobj_keep_properties(memobj, properties);
    if (!err)
        err = memobj_provide_storage(memobj, host_ptr, "buffer");
    return memobj_complete(memobj, err, out_memobj);
}

/* since: the version that added the call. */
static cl_mem buffer_of_call(cl_context handle, uint32_t since, const cl_mem_properties *properties,
                             cl_mem_flags flags, size_t size, void *host_ptr, cl_int *errcode_ret)
{
    struct context *context = context_lookup(handle);
    struct memobj *memobj = NULL;
    if (!context)
        return error_return(errcode_ret, CL_INVALID_CONTEXT, NULL);
    cl_int err = CL_INVALID_OPERATION;
    if (version_context_at_least(context, since, 0))
        err = create_buffer(context, properties, flags, size, host_ptr, &memobj);
    return error_return(errcode_ret, context_refuse(context, "clCreateBuffer", err), memobj);
}

cl_mem CL_API_CALL api_clCreateBufferWithProperties(cl_context context, const cl_mem_properties *properties,
                                                    cl_mem_flags flags, size_t size, void *host_ptr,
                                                    cl_int *errcode_ret)
{
    return buffer_of_call(context, 3, properties, flags, size, host_ptr, errcode_ret);
}

cl_mem CL_API_CALL api_clCreateBuffer(cl_context context, cl_mem_flags flags, size_t size, void *host_ptr,
                                      cl_int *errcode_ret)
{
    return buffer_of_call(context, 1, NULL, flags, size, host_ptr, errcode_ret);
}

/* ---- sub-buffers -------------------------------------------------------------------- */

/* A sub-buffer may not allow an access that its parent forbids. */
bool memobj_narrows(cl_mem_flags parent, cl_mem_flags flags)
{
    if ((parent & CL_MEM_WRITE_ONLY) && (flags & (CL_MEM_READ_WRITE | CL_MEM_READ_ONLY)))
        return false;
    if ((parent & CL_MEM_READ_ONLY) && (flags & (CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY)))
        return false;
    if ((parent & CL_MEM_HOST_WRITE_ONLY) && (flags & CL_MEM_HOST_READ_ONLY))
        return false;
    if ((parent & CL_MEM_HOST_READ_ONLY) && (flags & CL_MEM_HOST_WRITE_ONLY))
        return false;
    return !(parent & CL_MEM_HOST_NO_ACCESS) || !(flags & (CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_WRITE_ONLY));
}

static cl_int check_region(const struct memobj *parent, const cl_buffer_region *region)
{
    CHECKED(!parent->parent);
    if (!region->size)
        return CL_INVALID_BUFFER_SIZE;
    if (!transfer_inside_buffer(parent, region->origin, region->size))
        return CL_INVALID_VALUE;
    if (region->origin % DEVICE_BASE_ALIGN == 0)
        return CL_SUCCESS;
    char text[120];
    snprintf(text, sizeof text,
             "origin is %zu, and not a multiple of the %d bytes of CL_DEVICE_MEM_BASE_ADDR_ALIGN",
             region->origin, DEVICE_BASE_ALIGN);
    call_detail(text);
    return CL_MISALIGNED_SUB_BUFFER_OFFSET;
}

static cl_int check_sub_buffer(const struct memobj *parent, cl_mem_flags flags, cl_buffer_create_type type,
                               const void *info)
{
    if (parent->parent || parent->type != CL_MEM_OBJECT_BUFFER)
        return CL_INVALID_MEM_OBJECT;
    char names[200];
    print_flags(flags & host_pointer ? flags & host_pointer : flags, names, sizeof names);
    if (!memobj_flags_valid(flags))
        return CL_INVALID_VALUE;
    if (flags & host_pointer)
        return call_because(CL_INVALID_VALUE, "flags has %s, and the memory is that of the buffer", names);
    if (!memobj_narrows(parent->flags, flags))
        return call_because(CL_INVALID_VALUE, "flags has %s, which buffer %" PRIu32 " does not allow", names,
                            parent->base.id);
    if (type != CL_BUFFER_CREATE_TYPE_REGION || !info)
        return call_because(CL_INVALID_VALUE, "%s",
                            info ? "buffer_create_type is not CL_BUFFER_CREATE_TYPE_REGION"
                                 : "buffer_create_info is NULL");
    return check_region(parent, info);
}

cl_mem_flags memobj_inherit(cl_mem_flags parent, cl_mem_flags flags)
{
    cl_mem_flags inherited = parent & host_pointer;
    if (!(flags & kernel_access))
        inherited |= parent & kernel_access;
    if (!(flags & host_access))
        inherited |= parent & host_access;
    return flags | inherited;
}

void memobj_part(struct memobj *memobj, struct memobj *parent, size_t origin)
{
    CHECKED(origin <= parent->size && !memobj->owns_address);
    memobj->parent = object_ref(parent);
    memobj->address = parent->address + origin;
    memobj->is_svm = parent->is_svm;
    if (parent->host_ptr)
        memobj->host_ptr = (char *)parent->host_ptr + origin;
}

static struct memobj *new_sub_buffer(struct memobj *parent, cl_mem_flags flags,
                                     const cl_buffer_region *region)
{
    struct memobj *memobj =
        memobj_new(parent->context, CL_MEM_OBJECT_BUFFER, memobj_inherit(parent->flags, flags), region->size);
    if (!memobj)
        return NULL;
    memobj_part(memobj, parent, region->origin);
    memobj->offset = region->origin;
    object_publish(memobj);
    return memobj;
}

cl_mem CL_API_CALL api_clCreateSubBuffer(cl_mem buffer, cl_mem_flags flags,
                                         cl_buffer_create_type buffer_create_type,
                                         const void *buffer_create_info, cl_int *errcode_ret)
{
    struct memobj *parent = object_lookup(buffer, OBJECT_MEMOBJ), *memobj = NULL;
    if (!parent)
        return error_return(errcode_ret, CL_INVALID_MEM_OBJECT, NULL);
    cl_int err = check_sub_buffer(parent, flags, buffer_create_type, buffer_create_info);
    if (!err && !(memobj = new_sub_buffer(parent, flags, buffer_create_info)))
        err = CL_OUT_OF_HOST_MEMORY;
    return error_return(errcode_ret, context_refuse(parent->context, "clCreateSubBuffer", err), memobj);
}

/* ---- every memory object -------------------------------------------------------------- */

cl_int CL_API_CALL api_clRetainMemObject(cl_mem memobj)
{
    return object_retain(memobj, OBJECT_MEMOBJ);
}

cl_int CL_API_CALL api_clReleaseMemObject(cl_mem memobj)
{
    host_gone_look();
    return object_release(memobj, OBJECT_MEMOBJ);
}

static cl_uint map_count(const struct memobj *memobj)
{
    runtime_lock();
    cl_uint count = memobj->map_count;
    runtime_unlock();
    return count;
}

cl_int CL_API_CALL api_clGetMemObjectInfo(cl_mem handle, cl_mem_info param_name, size_t param_value_size,
                                          void *param_value, size_t *param_value_size_ret)
{
    const struct info_reply reply[] = {{param_value_size, param_value, param_value_size_ret}};
    const struct memobj *memobj = object_lookup(handle, OBJECT_MEMOBJ);
    if (!memobj)
        return CL_INVALID_MEM_OBJECT;
    if (!version_context_has_query(memobj->context, param_name))
        return CL_INVALID_VALUE;
    switch (param_name) {
    case CL_MEM_TYPE: return INFO_VALUE(reply, cl_mem_object_type, memobj->type);
    case CL_MEM_FLAGS: return INFO_VALUE(reply, cl_mem_flags, memobj->flags);
    case CL_MEM_SIZE: return INFO_VALUE(reply, size_t, memobj->size);
    case CL_MEM_HOST_PTR: return INFO_VALUE(reply, void *, memobj->host_ptr);
    case CL_MEM_MAP_COUNT: return INFO_VALUE(reply, cl_uint, map_count(memobj));
    case CL_MEM_REFERENCE_COUNT: return INFO_VALUE(reply, cl_uint, memobj->base.refs);
    case CL_MEM_CONTEXT: return INFO_VALUE(reply, cl_context, (cl_context)memobj->context);
    case CL_MEM_ASSOCIATED_MEMOBJECT: return INFO_VALUE(reply, cl_mem, (cl_mem)memobj->parent);
    case CL_MEM_OFFSET: return INFO_VALUE(reply, size_t, memobj->offset);
    case CL_MEM_USES_SVM_POINTER: return INFO_VALUE(reply, cl_bool, memobj->is_svm);
    case CL_MEM_PROPERTIES:
        return info_bytes(reply, memobj->properties, memobj->property_count * sizeof *memobj->properties);
    default: return CL_INVALID_VALUE;
    }
}

cl_int CL_API_CALL api_clSetMemObjectDestructorCallback(cl_mem handle,
                                                        void(CL_CALLBACK *pfn_notify)(cl_mem, void *),
                                                        void *user_data)
{
    struct memobj *memobj = object_lookup(handle, OBJECT_MEMOBJ);
    if (!memobj)
        return CL_INVALID_MEM_OBJECT;
    if (!pfn_notify)
        return CL_INVALID_VALUE;
    return destructor_add(&memobj->destructors, (void *)pfn_notify, user_data);
}
