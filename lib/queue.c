/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Command queues (OpenCL 3.0 API, 5.1): creation, properties and queries. The commands of a queue, and the
 * log that makes them run, are in queue_append.c, graph.c and executor.c.
 */
#include "queue.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "orrery/checked.h"
#include "lib/diagnose/call.h"
#include "api.h"
#include "context.h"
#include "api_device_queue.h"
#include "error.h"
#include "queue_units.h"
#include "info.h"
#include "queue_family.h"
#include "version.h"

static void join_context(struct queue *queue)
{
    runtime_lock();
    queue->alone_until = UINT32_MAX;
    CHECKED(!queue->next_in_context && queue->context->queues != queue);
    for (struct queue *other = queue->context->queues; other; other = other->next_in_context)
        if (other->alone_until == UINT32_MAX)
            other->alone_until = other->flushed;
    queue->next_in_context = queue->context->queues;
    queue->context->queues = queue;
    runtime_unlock();
}

static void leave_context(struct queue *queue)
{
    runtime_lock();
    struct queue **link = &queue->context->queues;
    while (*link && *link != queue)
        link = &(*link)->next_in_context;
    if (*link)
        *link = queue->next_in_context;
    runtime_unlock();
}

void queue_destroy(void *object)
{
    struct queue *queue = object;
    device_queue_detach(queue);
    CHECKED(!queue->first && !queue->last && !queue->barrier); /* a command has a reference to its queue */
    queue_family_detach(queue);
    leave_context(queue);
    free(queue->property_list);
    free(queue->frontier);
    object_unref(queue->device);
    object_unref(queue->context);
}

/* ---- creation -------------------------------------------------------------------- */

enum {
    HOST_PROPERTIES = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE,
    DEVICE_PROPERTIES = CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT,
};

static cl_int check_owners(cl_context context, cl_device_id device)
{
    if (!object_lookup(context, OBJECT_CONTEXT))
        return CL_INVALID_CONTEXT;
    return context_serves((struct context *)context, device) ? CL_SUCCESS : CL_INVALID_DEVICE;
}

/* A bit that is no property is CL_INVALID_VALUE; a property that the device does not have, another error. */
static cl_int check_properties(const struct cl_device *device, cl_command_queue_properties properties,
                               cl_queue_properties size)
{
    cl_command_queue_properties on_device = properties & DEVICE_PROPERTIES;
    const cl_command_queue_properties unknown =
        properties & ~(cl_command_queue_properties)(HOST_PROPERTIES | DEVICE_PROPERTIES);
    if (unknown)
        return call_because(CL_INVALID_VALUE,
                            "CL_QUEUE_PROPERTIES has the bits 0x%" PRIx64 ", which mean nothing",
                            (uint64_t)unknown);
    if (!on_device)
        return CL_SUCCESS;
    return device_queue_check(device, properties, size);
}

/* The properties in a list of clCreateCommandQueueWithProperties. */
struct queue_request {
    cl_command_queue_properties properties;
    size_t count; /* of words, the final 0 included */
    bool family_given, index_given;
    cl_queue_properties family, index, size;
    bool hinted; /* a priority or a throttle */
};

enum { NAME_PROPERTIES, NAME_SIZE, NAME_FAMILY, NAME_INDEX, NAME_PRIORITY, NAME_THROTTLE, NAME_UNKNOWN };

static unsigned name_of(const struct cl_device *device, cl_queue_properties name)
{
    bool families = queue_families_exist(device);
    if (name == CL_QUEUE_PROPERTIES)
        return NAME_PROPERTIES;
    if (name == CL_QUEUE_SIZE)
        return NAME_SIZE;
    if (name == CL_QUEUE_PRIORITY_KHR)
        return NAME_PRIORITY;
    if (name == CL_QUEUE_THROTTLE_KHR)
        return NAME_THROTTLE;
    if (name == CL_QUEUE_FAMILY_INTEL && families)
        return NAME_FAMILY;
    return name == CL_QUEUE_INDEX_INTEL && families ? NAME_INDEX : NAME_UNKNOWN;
}

/* cl_intel_command_queue_families. Intel's driver returns another error, which its profile repeats. */
static cl_int check_family(const struct cl_device *device, const struct queue_request *request)
{
    cl_int err = CL_INVALID_VALUE;
    if (request->family_given && request->index_given)
        err = queue_family_check(device, request->family, request->index);
    else if (!request->family_given && !request->index_given)
        err = CL_SUCCESS;
    return err && device->config->errors == ANSWERS_NEO ? CL_INVALID_QUEUE_PROPERTIES : err;
}

/*
 * cl_khr_priority_hints and cl_khr_throttle_hints use the same bits for high, medium and low. Simulated time
 * has neither priority nor throttling, so the hints are kept and have no effect.
 */
static bool is_hint(cl_queue_properties value)
{
    return value == CL_QUEUE_PRIORITY_HIGH_KHR || value == CL_QUEUE_PRIORITY_MED_KHR ||
           value == CL_QUEUE_PRIORITY_LOW_KHR;
}

/* A name that appears twice is an error. */
static cl_int read_list(const struct cl_device *device, const cl_queue_properties *list,
                        struct queue_request *out_request)
{
    bool seen[NAME_UNKNOWN] = {false};
    cl_queue_properties value[NAME_UNKNOWN] = {0};
    size_t count = 0;
    for (; list && list[count]; count += 2) {
        unsigned name = name_of(device, list[count]);
        if (name == NAME_UNKNOWN || seen[name])
            return call_because(CL_INVALID_VALUE, "the property 0x%" PRIx64 " %s", (uint64_t)list[count],
                                name == NAME_UNKNOWN ? "is none of a command-queue" : "is given twice");
        seen[name] = true;
        value[name] = list[count + 1];
        if ((name == NAME_PRIORITY || name == NAME_THROTTLE) && !is_hint(value[name]))
            return call_because(CL_INVALID_VALUE, "0x%" PRIx64 " is no %s", (uint64_t)value[name],
                                name == NAME_PRIORITY ? "priority (CL_QUEUE_PRIORITY_KHR)"
                                                      : "throttle (CL_QUEUE_THROTTLE_KHR)");
    }
    *out_request =
        (struct queue_request){.properties = (cl_command_queue_properties)value[NAME_PROPERTIES],
                               .count = list ? count + 1 : 0,
                               .family_given = seen[NAME_FAMILY],
                               .index_given = seen[NAME_INDEX],
                               .size = seen[NAME_SIZE] ? value[NAME_SIZE] : DEVICE_QUEUE_PREFERRED_BYTES,
                               .family = value[NAME_FAMILY],
                               .index = value[NAME_INDEX],
                               .hinted = seen[NAME_PRIORITY] || seen[NAME_THROTTLE]};
    if (seen[NAME_SIZE] && !(out_request->properties & CL_QUEUE_ON_DEVICE))
        return call_because(CL_INVALID_VALUE,
                            "CL_QUEUE_SIZE is given, and CL_QUEUE_PROPERTIES lacks CL_QUEUE_ON_DEVICE");
    if (out_request->hinted && out_request->properties & CL_QUEUE_ON_DEVICE)
        return CL_INVALID_QUEUE_PROPERTIES;
    cl_int err = check_family(device, out_request);
    return err ? err : check_properties(device, out_request->properties, out_request->size);
}

static struct queue *queue_new(struct context *context, struct cl_device *device,
                               const struct queue_request *request, const cl_queue_properties *list,
                               cl_int *out_err)
{
    struct queue *queue = object_new(OBJECT_QUEUE, sizeof *queue);
    *out_err = CL_OUT_OF_HOST_MEMORY;
    if (!queue)
        return NULL;
    queue->context = object_ref(context);
    queue->device = object_ref(device);
    queue->properties = request->properties;
    queue->property_list = request->count ? malloc(request->count * sizeof *list) : NULL;
    bool room = !request->count || queue->property_list;
    if (!room ||
        queue_family_attach(queue, request->family_given, (cl_uint)request->family,
                            (cl_uint)request->index) ||
        !queue_units_add(&queue->units)) {
        object_unref(queue);
        *out_err = CL_OUT_OF_HOST_MEMORY;
        return NULL;
    }
    *out_err = device_queue_is(queue) ? device_queue_attach(queue, (cl_uint)request->size) : CL_SUCCESS;
    if (*out_err) {
        object_unref(queue);
        return NULL;
    }
    if (request->count)
        memcpy(queue->property_list, list, request->count * sizeof *list);
    queue->property_count = request->count;
    join_context(queue);
    object_publish(queue);
    return queue;
}

static void *finish_creation(cl_context context, const char *call, cl_int err, cl_int *errcode_ret,
                             struct queue *queue)
{
    if (err != CL_INVALID_CONTEXT)
        context_refuse((struct context *)context, call, err);
    return error_return(errcode_ret, err, queue);
}

cl_command_queue CL_API_CALL api_clCreateCommandQueueWithProperties(cl_context context, cl_device_id device,
                                                                    const cl_queue_properties *properties,
                                                                    cl_int *errcode_ret)
{
    struct queue_request request = {0};
    struct queue *queue = NULL;
    cl_int err = check_owners(context, device);
    if (!err)
        err = read_list((struct cl_device *)device, properties, &request);
    if (!err && request.properties & CL_QUEUE_ON_DEVICE_DEFAULT)
        queue = device_queue_default((struct context *)context, (struct cl_device *)device);
    if (queue) {
        object_retain(queue, OBJECT_QUEUE);
        object_unref(queue);
    } else if (!err)
        queue = queue_new((struct context *)context, (struct cl_device *)device, &request, properties, &err);
    return finish_creation(context, "clCreateCommandQueueWithProperties", err, errcode_ret, queue);
}

cl_command_queue CL_API_CALL api_clCreateCommandQueue(cl_context context, cl_device_id device,
                                                      cl_command_queue_properties properties,
                                                      cl_int *errcode_ret)
{
    const struct queue_request request = {.properties = properties};
    struct queue *queue = NULL;
    cl_int err = check_owners(context, device);
    if (!err && properties & ~(cl_command_queue_properties)HOST_PROPERTIES)
        err = CL_INVALID_VALUE;
    if (!err)
        queue = queue_new((struct context *)context, (struct cl_device *)device, &request, NULL, &err);
    return finish_creation(context, "clCreateCommandQueue", err, errcode_ret, queue);
}

/* ---- the other calls ---------------------------------------------------------------- */

cl_int CL_API_CALL api_clRetainCommandQueue(cl_command_queue command_queue)
{
    return object_retain(command_queue, OBJECT_QUEUE);
}

cl_int CL_API_CALL api_clReleaseCommandQueue(cl_command_queue command_queue)
{
    struct queue *queue = object_lookup(command_queue, OBJECT_QUEUE);
    if (queue)
        queue_flush(queue);
    return object_release(command_queue, OBJECT_QUEUE);
}

static cl_int reply_size(const struct info_reply *reply, const struct queue *queue)
{
    return queue->properties & CL_QUEUE_ON_DEVICE ? INFO_VALUE(reply, cl_uint, queue->size)
                                                  : CL_INVALID_COMMAND_QUEUE;
}

static cl_int reply_family(const struct info_reply *reply, const struct queue *queue, cl_uint answer)
{
    return queue_families_exist(queue->device) ? INFO_VALUE(reply, cl_uint, answer) : CL_INVALID_VALUE;
}

static cl_int reply_default(const struct info_reply *reply, const struct queue *queue)
{
    struct queue *found = device_queue_default(queue->context, queue->device);
    object_unref(found);
    return INFO_VALUE(reply, cl_command_queue, (cl_command_queue)found);
}

cl_int CL_API_CALL api_clGetCommandQueueInfo(cl_command_queue command_queue, cl_command_queue_info param_name,
                                             size_t param_value_size, void *param_value,
                                             size_t *param_value_size_ret)
{
    const struct queue *queue = object_lookup(command_queue, OBJECT_QUEUE);
    const struct info_reply *reply =
        &(struct info_reply){param_value_size, param_value, param_value_size_ret};
    if (!queue)
        return CL_INVALID_COMMAND_QUEUE;
    if (!version_has_query(queue->device, param_name))
        return CL_INVALID_VALUE;
    switch (param_name) {
    case CL_QUEUE_CONTEXT: return INFO_VALUE(reply, cl_context, (cl_context)queue->context);
    case CL_QUEUE_DEVICE: return INFO_VALUE(reply, cl_device_id, (cl_device_id)queue->device);
    case CL_QUEUE_REFERENCE_COUNT:
        return INFO_VALUE(reply, cl_uint, __atomic_load_n(&queue->base.refs, __ATOMIC_RELAXED));
    case CL_QUEUE_PROPERTIES: return INFO_VALUE(reply, cl_command_queue_properties, queue->properties);
    case CL_QUEUE_PROPERTIES_ARRAY:
        return info_bytes(reply, queue->property_list, queue->property_count * sizeof *queue->property_list);
    case CL_QUEUE_SIZE: return reply_size(reply, queue);
    case CL_QUEUE_FAMILY_INTEL: return reply_family(reply, queue, queue->family);
    case CL_QUEUE_INDEX_INTEL: return reply_family(reply, queue, queue->family_index);
    case CL_QUEUE_DEVICE_DEFAULT: return reply_default(reply, queue);
    default: return CL_INVALID_VALUE;
    }
}

/* Deprecated by OpenCL 1.1. An implementation may refuse: the order of execution is fixed at creation. */
cl_int CL_API_CALL api_clSetCommandQueueProperty(cl_command_queue command_queue,
                                                 cl_command_queue_properties properties, cl_bool enable,
                                                 cl_command_queue_properties *old_properties)
{
    struct queue *queue = object_lookup(command_queue, OBJECT_QUEUE);
    if (!queue)
        return CL_INVALID_COMMAND_QUEUE;
    if (properties & ~(cl_command_queue_properties)HOST_PROPERTIES)
        return CL_INVALID_VALUE;
    (void)enable;
    if (old_properties)
        *old_properties = queue->properties;
    return CL_INVALID_OPERATION;
}

cl_int CL_API_CALL api_clFlush(cl_command_queue command_queue)
{
    struct queue *queue = object_lookup(command_queue, OBJECT_QUEUE);
    if (!queue || device_queue_is(queue))
        return CL_INVALID_COMMAND_QUEUE;
    queue_flush(queue);
    return CL_SUCCESS;
}

/* The reference: another thread may release the queue while this one waits. */
cl_int CL_API_CALL api_clFinish(cl_command_queue command_queue)
{
    struct queue *queue = object_lookup(command_queue, OBJECT_QUEUE);
    if (!queue || device_queue_is(queue))
        return CL_INVALID_COMMAND_QUEUE;
    object_ref(queue);
    cl_int err = queue_finish(queue);
    device_host_waited(queue->device->device);
    object_unref(queue);
    return err;
}
