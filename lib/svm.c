/* SPDX-License-Identifier: Apache-2.0 */
/* clSVMAlloc and clSVMFree (OpenCL 3.0 API, 5.6), and the table of allocations: an array sorted by
 * address, which is searched by bisection. */
#include "svm.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api.h"
#include "lib/diagnose/call.h"
#include "context.h"
#include "device_info.h"
#include "executor.h"
#include "lib/host/guard.h"
#include "command_order.h"
#include "lib/host/shared_bytes.h"
#include "lib/diagnose/caller.h"
#include "lib/diagnose/usage.h"

/* Sorted by address. Allocations do not overlap, so a pointer is in the last one that starts at or before
 * it. */
static struct {
    pthread_mutex_t lock;
    struct svm_allocation **entry;
    size_t count, room;
    uint32_t serial;
} table = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* The first entry that starts after pointer. */
static size_t upper_bound(const void *pointer)
{
    size_t low = 0, high = table.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if ((uintptr_t)table.entry[middle]->pointer <= (uintptr_t)pointer)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool holds(const struct svm_allocation *allocation, const void *pointer)
{
    return (uintptr_t)pointer - (uintptr_t)allocation->pointer < allocation->size;
}

static bool insert(struct svm_allocation *allocation)
{
    if (table.count == table.room) {
        size_t room = table.room ? 2 * table.room : 32;
        struct svm_allocation **entry = realloc(table.entry, room * sizeof *entry);
        if (!entry)
            return false;
        table.entry = entry;
        table.room = room;
    }
    size_t place = upper_bound(allocation->pointer);
    memmove(table.entry + place + 1, table.entry + place, (table.count - place) * sizeof *table.entry);
    table.entry[place] = allocation;
    table.count++;
    return true;
}

static struct svm_allocation *take(size_t place)
{
    struct svm_allocation *allocation = table.entry[place];
    table.count--;
    memmove(table.entry + place, table.entry + place + 1, (table.count - place) * sizeof *table.entry);
    return allocation;
}

static void discard(struct svm_allocation *allocation)
{
    if (!allocation)
        return;
    free(allocation->made);
    guard_remove(allocation->pointer);
    shared_bytes_end(allocation->pointer);
    executor_release_memory((uint64_t)(uintptr_t)allocation->pointer);
    free(allocation);
}

/* The allocation of that kind that holds pointer. The lock is held. */
static struct svm_allocation *find(const struct context *context, const void *pointer, bool usm,
                                   size_t *out_place)
{
    *out_place = upper_bound(pointer) - 1;
    struct svm_allocation *found = *out_place < table.count ? table.entry[*out_place] : NULL;
    return found && holds(found, pointer) && found->context == context && !found->usm == !usm ? found : NULL;
}

struct svm_allocation *svm_find(struct context *context, const void *pointer)
{
    size_t place;
    pthread_mutex_lock(&table.lock);
    struct svm_allocation *found = find(context, pointer, false, &place);
    pthread_mutex_unlock(&table.lock);
    return found;
}

bool svm_seek(const void *pointer, struct svm_allocation *out_found)
{
    pthread_mutex_lock(&table.lock);
    const size_t place = upper_bound(pointer) - 1;
    const bool found = place < table.count && holds(table.entry[place], pointer);
    if (found) {
        *out_found = *table.entry[place];
        out_found->made = call_site_copy(out_found->made);
    }
    pthread_mutex_unlock(&table.lock);
    return found;
}

bool svm_find_usm(struct context *context, const void *pointer, struct svm_allocation *out_found)
{
    size_t place;
    pthread_mutex_lock(&table.lock);
    const struct svm_allocation *found = find(context, pointer, true, &place);
    if (found)
        *out_found = *found;
    pthread_mutex_unlock(&table.lock);
    return found != NULL;
}

size_t svm_list_usm(const struct context *context, cl_uint sort, uint64_t *out_addresses, size_t room)
{
    size_t found = 0;
    pthread_mutex_lock(&table.lock);
    for (size_t i = 0; i < table.count; i++) {
        if (table.entry[i]->context != context || table.entry[i]->usm != sort)
            continue;
        if (found < room)
            out_addresses[found] = (uint64_t)(uintptr_t)table.entry[i]->pointer;
        found++;
    }
    pthread_mutex_unlock(&table.lock);
    return found;
}

static bool release(const struct context *context, void *pointer, bool usm)
{
    size_t place;
    pthread_mutex_lock(&table.lock);
    struct svm_allocation *allocation = find(context, pointer, usm, &place);
    if (allocation && allocation->pointer == pointer)
        take(place);
    else
        allocation = NULL;
    pthread_mutex_unlock(&table.lock);
    discard(allocation);
    return allocation != NULL;
}

void svm_release(struct context *context, void *pointer)
{
    release(context, pointer, false);
}

bool svm_release_usm(struct context *context, void *pointer)
{
    return release(context, pointer, true);
}

void svm_drop(struct context *context)
{
    for (;;) {
        struct svm_allocation *allocation = NULL;
        pthread_mutex_lock(&table.lock);
        for (size_t i = 0; i < table.count && !allocation; i++)
            if (table.entry[i]->context == context)
                allocation = take(i);
        pthread_mutex_unlock(&table.lock);
        if (!allocation)
            return;
        usage_svm_left(allocation);
        discard(allocation);
    }
}

/* By address in the arena: in the order of allocation as long as no memory was freed. */
void svm_report_left(void)
{
    pthread_mutex_lock(&table.lock); /* a callback that has not returned may still free memory */
    for (size_t i = 0; i < table.count; i++)
        usage_svm_left(table.entry[i]);
    pthread_mutex_unlock(&table.lock);
}

/* ---- the calls -------------------------------------------------------------------- */

/* CL_MEM_SVM_ATOMICS requires fine-grained buffers; a capability that no device of the context has is
 * invalid. */
static bool flags_valid(const struct context *context, cl_svm_mem_flags flags)
{
    cl_svm_mem_flags access = flags & (CL_MEM_READ_WRITE | CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY);
    cl_svm_mem_flags grain = flags & (CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS);
    if (flags != (access | grain) || access & (access - 1) || grain == CL_MEM_SVM_ATOMICS)
        return false;
    return (!grain || context_any(context, device_supports_fine_svm)) &&
           (!(grain & CL_MEM_SVM_ATOMICS) || context_any(context, device_supports_svm_atomics));
}

static bool alignment_valid(cl_uint alignment)
{
    return alignment <= DEVICE_MAX_ALIGN && !(alignment & (alignment - 1));
}

static uint32_t next_serial(void)
{
    pthread_mutex_lock(&table.lock);
    uint32_t serial = ++table.serial;
    pthread_mutex_unlock(&table.lock);
    return serial;
}

static const char *sort_of(const struct svm_request *request)
{
    switch (request->usm) {
    case CL_MEM_TYPE_HOST_INTEL: return "host allocation";
    case CL_MEM_TYPE_DEVICE_INTEL: return "device allocation";
    case CL_MEM_TYPE_SHARED_INTEL: return "shared allocation";
    default: return "svm";
    }
}

/* Host and kernels may access it at the same time. */
static bool is_shared(const struct svm_request *request)
{
    return request->flags & CL_MEM_SVM_FINE_GRAIN_BUFFER ||
           (request->usm && request->usm != CL_MEM_TYPE_DEVICE_INTEL);
}

/* The devices report concurrent atomic access to unified shared memory. */
static bool has_atomics(const struct svm_request *request)
{
    return is_shared(request) && (request->usm || request->flags & CL_MEM_SVM_ATOMICS);
}

static uint32_t device_flags(const struct svm_request *request)
{
    return ALLOC_SVM | (request->flags & CL_MEM_READ_ONLY ? ALLOC_KERNEL_READ_ONLY : 0) |
           (request->flags & CL_MEM_WRITE_ONLY ? ALLOC_KERNEL_WRITE_ONLY : 0) |
           (is_shared(request) ? ALLOC_SHARED : 0) | (has_atomics(request) ? ALLOC_SVM_ATOMICS : 0);
}

static void share(const struct svm_allocation *allocation, bool atomics)
{
    const bool caught = runtime_get()->scenario.shared_pages && order_observed() && !atomics;
    executor_share(!caught);
    if (atomics)
        shared_bytes_forgo();
    else
        shared_bytes_begin(allocation->pointer, allocation->size, allocation->context);
    if (caught)
        guard_add_shared(allocation->pointer);
}

void *svm_allocate(struct context *context, const struct svm_request *request)
{
    char name[48];
    uint64_t address = 0;
    size_t alignment = request->alignment ? request->alignment : DEVICE_MAX_ALIGN;
    struct svm_allocation *allocation = malloc(sizeof *allocation);
    if (!allocation)
        return NULL;
    uint32_t serial = next_serial();
    snprintf(name, sizeof name, "%s %u", sort_of(request), serial);
    if (device_alloc(runtime_device(), request->size, alignment, device_flags(request), name, &address)) {
        free(allocation);
        return NULL;
    }
    device_made_by(runtime_device(), address, caller_here());
    void *pointer = (void *)(uintptr_t)address;
    *allocation = (struct svm_allocation){.context = context,
                                          .pointer = pointer,
                                          .size = request->size,
                                          .flags = request->flags,
                                          .usm = request->usm,
                                          .usm_flags = request->usm_flags,
                                          .device = request->device,
                                          .serial = serial,
                                          .made = call_site_new()};
    usage_svm_made(allocation);
    pthread_mutex_lock(&table.lock);
    bool inserted = insert(allocation);
    pthread_mutex_unlock(&table.lock);
    if (!inserted)
        discard(allocation);
    else if (is_shared(request))
        share(allocation, has_atomics(request));
    else
        guard_add(pointer, request->usm != 0);
    return inserted ? pointer : NULL;
}

void *CL_API_CALL api_clSVMAlloc(cl_context handle, cl_svm_mem_flags flags, size_t size, cl_uint alignment)
{
    struct context *context = context_lookup(handle);
    if (!context || !context_any(context, device_supports_svm))
        return NULL;
    if (!flags_valid(context, flags)) {
        (void)call_because(CL_INVALID_VALUE,
                           "flags is 0x%" PRIx64 ", which has bits that are unknown, that exclude "
                           "each other, or that no device of the context can do",
                           (uint64_t)flags);
        return NULL;
    }
    if (!alignment_valid(alignment)) {
        (void)call_because(CL_INVALID_VALUE, "alignment is %u: powers of two up to %d are allowed, and 0",
                           alignment, DEVICE_MAX_ALIGN);
        return NULL;
    }
    if (!size || size > context_max_allocation(context).least) {
        (void)call_because(CL_INVALID_VALUE, "size is %zu, CL_DEVICE_MAX_MEM_ALLOC_SIZE is %zu", size,
                           (size_t)context_max_allocation(context).least);
        return NULL;
    }
    return svm_allocate(context, &(struct svm_request){.flags = flags, .size = size, .alignment = alignment});
}

void CL_API_CALL api_clSVMFree(cl_context handle, void *svm_pointer)
{
    struct context *context = context_lookup(handle);
    if (!context || !svm_pointer || !context_any(context, device_supports_svm))
        return;
    usage_svm_free(context, svm_pointer);
    svm_release(context, svm_pointer);
}
