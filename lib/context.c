/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Contexts (OpenCL 3.0 API, 4.4): properties, devices, error callbacks, and cl_khr_terminate_context. A
 * sub-device may be used in a context of a device that it is a part of; the specification requires the
 * sub-device itself, so that is noted.
 */
#include "lib/diagnose/call.h"
#include "context.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "orrery/checked.h"
#include "api.h"
#include "destructor.h"
#include "device_info.h"
#include "error.h"
#include "info.h"
#include "subdevice.h"
#include "queue.h"
#include "lib/record/saved_report.h"
#include "svm.h"
#include "tokens.h"
#include "version.h"

/* ---- properties ------------------------------------------------------------------ */

/* The number of words of the list, including its final 0; 0 for NULL. */
static size_t property_words(const cl_context_properties *properties)
{
    size_t count = 0;
    if (!properties)
        return 0;
    while (properties[count])
        count += 2;
    return count + 1;
}

enum {
    INITIALISED_MEMORY = CL_CONTEXT_MEMORY_INITIALIZE_LOCAL_KHR | CL_CONTEXT_MEMORY_INITIALIZE_PRIVATE_KHR
};

static cl_int check_property(cl_context_properties name, cl_context_properties value)
{
    switch (name) {
    case CL_CONTEXT_PLATFORM:
        return object_lookup((const void *)value, OBJECT_PLATFORM) ? CL_SUCCESS : CL_INVALID_PLATFORM;
    case CL_CONTEXT_MEMORY_INITIALIZE_KHR:
        return value & ~(cl_context_properties)INITIALISED_MEMORY ? CL_INVALID_PROPERTY : CL_SUCCESS;
    case CL_CONTEXT_TERMINATE_KHR:
    case CL_CONTEXT_INTEROP_USER_SYNC:
        return value == CL_TRUE || value == CL_FALSE ? CL_SUCCESS : CL_INVALID_PROPERTY;
    default: return CL_INVALID_PROPERTY;
    }
}

static cl_int check_properties(const cl_context_properties *properties)
{
    size_t count = property_words(properties);
    for (size_t i = 0; i + 1 < count; i += 2) {
        for (size_t before = 0; before < i; before += 2)
            if (properties[before] == properties[i])
                return CL_INVALID_PROPERTY;
        cl_int err = check_property(properties[i], properties[i + 1]);
        if (err)
            return err;
    }
    return CL_SUCCESS;
}

static cl_context_properties property(const cl_context_properties *properties, cl_context_properties name)
{
    for (size_t i = 0; i + 1 < property_words(properties); i += 2)
        if (properties[i] == name)
            return properties[i + 1];
    return 0;
}

static bool names_property(const cl_context_properties *properties, cl_context_properties name)
{
    for (size_t i = 0; i + 1 < property_words(properties); i += 2)
        if (properties[i] == name)
            return true;
    return false;
}

/* Properties of an extension are valid if the devices have the extension. */
static cl_int check_support(const struct context *context, const cl_context_properties *properties)
{
    bool initialises = true, terminates = true, supports_termination = false;
    for (cl_uint i = 0; i < context->device_count; i++) {
        const struct device_config *config = context->devices[i]->config;
        initialises &= config->initialize_memory;
        terminates &= config->terminate_context;
        supports_termination |= config->terminate_context;
    }
    if (names_property(properties, CL_CONTEXT_MEMORY_INITIALIZE_KHR) && !initialises)
        return CL_INVALID_PROPERTY;
    if (names_property(properties, CL_CONTEXT_TERMINATE_KHR) && !supports_termination)
        return CL_INVALID_PROPERTY;
    return property(properties, CL_CONTEXT_TERMINATE_KHR) && !terminates ? CL_INVALID_PROPERTY : CL_SUCCESS;
}

static bool copy_properties(struct context *context, const cl_context_properties *properties)
{
    size_t count = property_words(properties);
    if (!count)
        return true;
    context->properties = malloc(count * sizeof *properties);
    if (!context->properties)
        return false;
    memcpy(context->properties, properties, count * sizeof *properties);
    context->property_count = count;
    return true;
}

/* ---- the object ------------------------------------------------------------------ */

struct context *context_lookup(cl_context handle)
{
    return object_lookup(handle, OBJECT_CONTEXT);
}

bool context_has_device(const struct context *context, cl_device_id handle)
{
    for (cl_uint i = 0; i < context->device_count; i++)
        if ((cl_device_id)context->devices[i] == handle)
            return true;
    return false;
}

/* The core specification requires that the context was made of the sub-device itself;
 * cl_ext_device_fission and all implementations do not. */
static void report_ancestor(const struct context *context, const struct cl_device *device)
{
    char object[40], why[120];
    if (!call_finds())
        return;
    snprintf(object, sizeof object, "device %u", device->base.id);
    snprintf(why, sizeof why, "sub-device %u is used in context %u, which was made of devices above it",
             device->base.id, context->base.id);
    call_find(FINDING_SUB_DEVICE_CONTEXT,
              &(struct call_finding){
                  .object = object, .why = why, .fix = "give the sub-device to clCreateContext"});
}

bool context_serves(const struct context *context, cl_device_id handle)
{
    const struct cl_device *device = object_lookup(handle, OBJECT_DEVICE);
    if (context_has_device(context, handle))
        return true;
    for (cl_uint i = 0; device && i < context->device_count; i++)
        if (device_is_within(device, context->devices[i])) {
            report_ancestor(context, device);
            return true;
        }
    return false;
}

bool context_any(const struct context *context, bool (*holds)(const struct cl_device *device))
{
    for (cl_uint i = 0; i < context->device_count; i++)
        if (holds(context->devices[i]))
            return true;
    return false;
}

struct allocation_limits context_max_allocation(const struct context *context)
{
    CHECKED(context->device_count > 0);
    struct allocation_limits limits = {.least = UINT64_MAX};
    for (cl_uint i = 0; i < context->device_count; i++) {
        uint64_t bytes = device_max_allocation(context->devices[i]);
        limits.least = bytes < limits.least ? bytes : limits.least;
        limits.most = bytes > limits.most ? bytes : limits.most;
    }
    return limits;
}

cl_int context_check_devices(const struct context *context, cl_uint num_devices,
                             const cl_device_id *device_list)
{
    if (!device_list != !num_devices)
        return CL_INVALID_VALUE;
    for (cl_uint i = 0; i < num_devices; i++)
        if (!context_serves(context, device_list[i]))
            return CL_INVALID_DEVICE;
    return CL_SUCCESS;
}

void context_destroy(void *object)
{
    CHECKED(!((struct context *)object)->queues); /* each queue references its context */
    struct context *context = object;
    destructor_run(context->destructors, context);
    svm_drop(context);
    for (cl_uint i = 0; i < context->device_count; i++)
        object_unref(context->devices[i]);
    free(context->devices);
    free(context->properties);
}

/* A device that is given twice is added once. */
static cl_int add_devices(struct context *context, cl_uint count, const cl_device_id *devices)
{
    context->devices = calloc(count, sizeof *context->devices);
    if (!context->devices)
        return CL_OUT_OF_HOST_MEMORY;
    for (cl_uint i = 0; i < count; i++) {
        struct cl_device *device = object_lookup(devices[i], OBJECT_DEVICE);
        if (!device)
            return CL_INVALID_DEVICE;
        if (!context_has_device(context, devices[i]))
            context->devices[context->device_count++] = object_ref(device);
        CHECKED(context->device_count <= i + 1);
    }
    return CL_SUCCESS;
}

typedef void CL_CALLBACK notify_function(const char *, const void *, size_t, void *);

static cl_context create(const cl_context_properties *properties, cl_uint num_devices,
                         const cl_device_id *devices, notify_function *notify, void *data,
                         cl_int *errcode_ret)
{
    struct context *context = object_new(OBJECT_CONTEXT, sizeof *context);
    if (!context)
        return error_return(errcode_ret, CL_OUT_OF_HOST_MEMORY, NULL);
    context->notify = notify;
    context->notify_data = data;
    cl_int err = add_devices(context, num_devices, devices);
    if (!err)
        err = check_support(context, properties);
    context->zeroed = (cl_bitfield)property(properties, CL_CONTEXT_MEMORY_INITIALIZE_KHR);
    context->may_terminate = property(properties, CL_CONTEXT_TERMINATE_KHR);
    if (!err && !copy_properties(context, properties))
        err = CL_OUT_OF_HOST_MEMORY;
    if (err)
        object_unref(context);
    else
        object_publish(context);
    if (!err)
        saved_reached(REACH_CONTEXT, 0);
    return error_return(errcode_ret, err, context);
}

cl_context CL_API_CALL api_clCreateContext(const cl_context_properties *properties, cl_uint num_devices,
                                           const cl_device_id *devices, notify_function *pfn_notify,
                                           void *user_data, cl_int *errcode_ret)
{
    runtime_get();
    cl_int err = check_properties(properties);
    const bool data_without_callback = !pfn_notify && user_data;
    if (!err && (!devices || !num_devices || data_without_callback))
        err = CL_INVALID_VALUE;
    if (err)
        return error_return(errcode_ret, err, NULL);
    return create(properties, num_devices, devices, pfn_notify, user_data, errcode_ret);
}

static cl_context create_from_type(const struct platform *platform, const cl_context_properties *properties,
                                   cl_device_type type, notify_function *notify, void *data,
                                   cl_int *errcode_ret)
{
    cl_uint count = 0;
    cl_device_id *devices = calloc(platform->root_count, sizeof *devices);
    if (!devices)
        return error_return(errcode_ret, CL_OUT_OF_HOST_MEMORY, NULL);
    for (cl_uint i = 0; i < platform->root_count; i++)
        if (device_type_matches(platform->roots[i], type))
            devices[count++] = (cl_device_id)platform->roots[i];
    if (!count)
        saved_reached(REACH_NO_DEVICE, type);
    cl_context context = count ? create(properties, count, devices, notify, data, errcode_ret)
                               : error_return(errcode_ret, CL_DEVICE_NOT_FOUND, NULL);
    free(devices);
    return context;
}

cl_context CL_API_CALL api_clCreateContextFromType(const cl_context_properties *properties,
                                                   cl_device_type device_type, notify_function *pfn_notify,
                                                   void *user_data, cl_int *errcode_ret)
{
    const struct runtime *runtime = runtime_get();
    cl_int err = runtime->broken ? CL_INVALID_PLATFORM : check_properties(properties);
    if (!err && !pfn_notify && user_data)
        err = CL_INVALID_VALUE;
    if (!err && !device_type_valid(device_type))
        err = CL_INVALID_DEVICE_TYPE;
    if (err)
        return error_return(errcode_ret, err, NULL);
    return create_from_type(runtime->platform, properties, device_type, pfn_notify, user_data, errcode_ret);
}

cl_int CL_API_CALL api_clRetainContext(cl_context context)
{
    return object_retain(context, OBJECT_CONTEXT);
}

cl_int CL_API_CALL api_clReleaseContext(cl_context context)
{
    return object_release(context, OBJECT_CONTEXT);
}

cl_int CL_API_CALL api_clGetContextInfo(cl_context handle, cl_context_info param_name,
                                        size_t param_value_size, void *param_value,
                                        size_t *param_value_size_ret)
{
    const struct info_reply reply[] = {{param_value_size, param_value, param_value_size_ret}};
    const struct context *context = context_lookup(handle);
    if (!context)
        return CL_INVALID_CONTEXT;
    switch (param_name) {
    case CL_CONTEXT_REFERENCE_COUNT: return INFO_VALUE(reply, cl_uint, context->base.refs);
    case CL_CONTEXT_NUM_DEVICES: return INFO_VALUE(reply, cl_uint, context->device_count);
    case CL_CONTEXT_DEVICES:
        return info_bytes(reply, context->devices, context->device_count * sizeof *context->devices);
    case CL_CONTEXT_PROPERTIES:
        return info_bytes(reply, context->properties, context->property_count * sizeof *context->properties);
    default: return CL_INVALID_VALUE;
    }
}

cl_int CL_API_CALL api_clSetContextDestructorCallback(cl_context handle,
                                                      void(CL_CALLBACK *pfn_notify)(cl_context, void *),
                                                      void *user_data)
{
    struct context *context = context_lookup(handle);
    if (!context)
        return CL_INVALID_CONTEXT;
    if (!version_context_at_least(context, 3, 0))
        return CL_INVALID_OPERATION;
    if (!pfn_notify)
        return CL_INVALID_VALUE;
    return destructor_add(&context->destructors, (void *)pfn_notify, user_data);
}

/* ---- errors for the notify function ------------------------------------------------------------------ */

static void notify(const struct context *context, const char *text)
{
    if (context && context->notify)
        context->notify(text, NULL, 0, context->notify_data);
}

void context_error(struct context *context, const char *text)
{
    struct finding finding = {.kind = FINDING_API_ERROR, .why = text};
    if (!call_detail(text))
        report_add(runtime_get()->report, &finding);
    notify(context, text);
}

cl_int context_refuse(struct context *context, const char *call, cl_int err)
{
    char text[160];
    if (err == CL_SUCCESS)
        return err;
    snprintf(text, sizeof text, "%s returned %s (%d)", call, error_name(err), err);
    notify(context, text);
    return err;
}

/* ---- termination ------------------------------------------------------------------ */

static bool some_terminated; /* atomic: one of all contexts was terminated */

bool context_some_terminated(void)
{
    return __atomic_load_n(&some_terminated, __ATOMIC_RELAXED);
}

bool context_terminated(const struct context *context)
{
    return context && __atomic_load_n(&context->stop, __ATOMIC_RELAXED) != LAUNCH_GOES_ON;
}

cl_int CL_API_CALL api_clTerminateContextKHR(cl_context handle)
{
    struct context *context = context_lookup(handle);
    uint8_t before = LAUNCH_GOES_ON;
    if (!context)
        return CL_INVALID_CONTEXT;
    if (!context->may_terminate)
        return CL_INVALID_OPERATION;
    if (!__atomic_compare_exchange_n(&context->stop, &before, LAUNCH_STOPS_IN_TIME, false, __ATOMIC_RELAXED,
                                     __ATOMIC_RELAXED))
        return CL_CONTEXT_TERMINATED_KHR;
    __atomic_store_n(&some_terminated, true, __ATOMIC_RELAXED);
    cl_int err = queue_terminate(context);
    if (err)
        __atomic_store_n(&context->stop, LAUNCH_GOES_ON, __ATOMIC_RELAXED);
    else
        notify(context, "clTerminateContextKHR: the context is terminated");
    return err;
}
