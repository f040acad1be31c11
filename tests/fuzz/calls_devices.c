/* SPDX-License-Identifier: Apache-2.0 */
/* Platform, devices, sub-devices by every scheme, contexts and queues. */
#include <string.h>

#include "calls_sequence.h"
#include <CL/cl_orrery_cslice.h> /* after the versions that calls_sequence.h chooses */

void try_platform(struct sequence *s)
{
    cl_platform_id platform = NULL;
    cl_uint count = 0;
    const cl_uint room = draw(s) % 3;
    clGetPlatformIDs(room, room ? &platform : NULL, draw_odd(s, 4) ? NULL : &count);
    switch (draw(s) % 4) {
    case 0: clUnloadCompiler(); break;
    case 1: clUnloadPlatformCompiler(draw_odd(s, 3) ? NULL : world.platform); break;
    case 2: clGetExtensionFunctionAddress(draw_odd(s, 3) ? NULL : "clTerminateContextKHR"); break;
    default:
        clGetExtensionFunctionAddressForPlatform((cl_platform_id)draw_object(s, DEVICES), "clCreateContext");
    }
}

void try_list_devices(struct sequence *s)
{
    static const uint64_t types[] = {
        CL_DEVICE_TYPE_ALL, CL_DEVICE_TYPE_GPU,         CL_DEVICE_TYPE_DEFAULT, 0,
        CL_DEVICE_TYPE_CPU, CL_DEVICE_TYPE_ACCELERATOR, CL_DEVICE_TYPE_CUSTOM};
    cl_device_id list[4];
    cl_uint count;
    const cl_uint room = draw(s) % 5;
    const cl_device_type type = draw_flags(s, types, COUNT_OF(types));
    const uint8_t odd = draw(s);
    clGetDeviceIDs(odd & 64 ? (cl_platform_id)world.devices[0] : world.platform, type, room,
                   room && !(odd & 32) ? list : NULL, odd & 16 ? NULL : &count);
}

void try_timers(struct sequence *s)
{
    cl_ulong device_time, host_time;
    const cl_device_id device = DRAW_DEVICE(s);
    const uint8_t odd = draw(s);
    clGetDeviceAndHostTimer(device, odd & 64 ? NULL : &device_time, odd & 32 ? NULL : &host_time);
    clGetHostTimer(device, odd & 16 ? NULL : &host_time);
}

/* ---- sub-devices ---- */

enum { PARTS_MOST = 4, WORDS_MOST = 10 };

static void put_parts(struct sequence *s, cl_int err, cl_device_id *parts, cl_uint room)
{
    for (cl_uint i = 0; !err && i < room && parts[i]; i++)
        put(s, DEVICES, parts[i], CL_SUCCESS);
}

static const intptr_t domains[] = {CL_DEVICE_AFFINITY_DOMAIN_NUMA,
                                   CL_DEVICE_AFFINITY_DOMAIN_L4_CACHE,
                                   CL_DEVICE_AFFINITY_DOMAIN_L3_CACHE,
                                   CL_DEVICE_AFFINITY_DOMAIN_L2_CACHE,
                                   CL_DEVICE_AFFINITY_DOMAIN_L1_CACHE,
                                   CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE,
                                   0,
                                   CL_DEVICE_AFFINITY_DOMAIN_NUMA | CL_DEVICE_AFFINITY_DOMAIN_L3_CACHE};

void try_sub_devices(struct sequence *s)
{
    static const intptr_t schemes[] = {
        CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN, CL_DEVICE_PARTITION_EQUALLY,
        CL_DEVICE_PARTITION_BY_COUNTS,          CL_DEVICE_PARTITION_BY_NAMES_INTEL,
        CL_DEVICE_PARTITION_BY_CSLICE_ORRERY,   0x1234};
    cl_device_partition_property words[WORDS_MOST] = {0};
    cl_device_id parts[PARTS_MOST] = {NULL};
    cl_uint count;
    const cl_device_id device = DRAW_DEVICE(s);
    const cl_uint room = draw(s) % (PARTS_MOST + 1);
    const uint8_t scheme = draw(s);
    unsigned last = 1;
    words[0] = schemes[scheme % COUNT_OF(schemes)];
    if (scheme % COUNT_OF(schemes) == 0)
        words[last++] = domains[draw(s) % COUNT_OF(domains)];
    else if (scheme % COUNT_OF(schemes) == 1)
        words[last++] = (intptr_t)draw_size(s);
    else
        for (const unsigned stop = 1 + draw(s) % 5; last < stop; last++)
            words[last] = (intptr_t)draw_size(s);
    words[last] = scheme % COUNT_OF(schemes) == 3 ? CL_PARTITION_BY_NAMES_LIST_END_INTEL : 0;
    const uint8_t odd = draw(s);
    const cl_int err = clCreateSubDevices(device, odd == 255 ? NULL : words, room,
                                          room && odd < 240 ? parts : NULL, odd & 16 ? NULL : &count);
    put_parts(s, err, parts, room);
}

void try_sub_devices_ext(struct sequence *s)
{
    static const cl_device_partition_property_ext schemes[] = {
        CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN_EXT, CL_DEVICE_PARTITION_EQUALLY_EXT,
        CL_DEVICE_PARTITION_BY_COUNTS_EXT, CL_DEVICE_PARTITION_BY_NAMES_EXT, 99};
    cl_device_partition_property_ext words[WORDS_MOST] = {0};
    cl_device_id parts[PARTS_MOST] = {NULL};
    cl_uint count;
    const cl_device_id device = DRAW_DEVICE(s);
    const cl_uint room = draw(s) % (PARTS_MOST + 1);
    const uint8_t scheme = draw(s) % COUNT_OF(schemes);
    unsigned last = 1;
    words[0] = schemes[scheme];
    if (scheme == 0) {
        static const cl_device_partition_property_ext affinity[] = {0x10, 0x1, 0x2, 0x3, 0x4, 0x100, 0};
        words[last++] = affinity[draw(s) % COUNT_OF(affinity)];
    } else if (scheme == 1) {
        words[last++] = draw_size(s);
    } else {
        for (const unsigned stop = 1 + draw(s) % 5; last < stop; last++)
            words[last] = draw_size(s);
        words[last++] =
            scheme == 3 ? CL_PARTITION_BY_NAMES_LIST_END_EXT : CL_PARTITION_BY_COUNTS_LIST_END_EXT;
    }
    words[last] = CL_PROPERTIES_LIST_END_EXT;
    const uint8_t odd = draw(s);
    const cl_int err = NAMED(clCreateSubDevicesEXT)(
        device, odd == 255 ? NULL : words, room, room && odd < 240 ? parts : NULL, odd & 16 ? NULL : &count);
    put_parts(s, err, parts, room);
}

/* ---- contexts ---- */

void try_context(struct sequence *s)
{
    static const cl_context_properties names[] = {CL_CONTEXT_PLATFORM, CL_CONTEXT_INTEROP_USER_SYNC,
                                                  CL_CONTEXT_MEMORY_INITIALIZE_KHR, CL_CONTEXT_TERMINATE_KHR,
                                                  0x2008};
    const cl_device_id devices[2] = {DRAW_DEVICE(s), DRAW_DEVICE(s)};
    const uint8_t how = draw(s), words = draw(s) % 3;
    cl_context_properties list[5] = {0};
    for (unsigned i = 0; i < words; i++) {
        list[2 * i] = names[draw(s) % COUNT_OF(names)];
        list[2 * i + 1] = list[2 * i] == CL_CONTEXT_PLATFORM && !draw_odd(s, 8)
                              ? (cl_context_properties)world.platform
                              : (cl_context_properties)draw(s);
    }
    cl_int err = CL_SUCCESS;
    void *const data = draw_note(s);
    cl_context made =
        how < 32
            ? clCreateContextFromType(words ? list : NULL, how % 2 ? CL_DEVICE_TYPE_ALL : (cl_device_type)how,
                                      how % 3 ? on_error : NULL, data, &err)
            : clCreateContext(words ? list : NULL, how % 3 ? 1 : how / 3 % 3, how == 99 ? NULL : devices,
                              how % 5 ? on_error : NULL, data, &err);
    put(s, CONTEXTS, made, err);
}

void try_terminate(struct sequence *s)
{
    const cl_context context = DRAW_CONTEXT(s);
    if (!is_of_world(CONTEXTS, context))
        NAMED(clTerminateContextKHR)(context);
}

void try_context_callback(struct sequence *s)
{
    const cl_context context = DRAW_CONTEXT(s);
    const uint8_t odd = draw(s);
    if (!is_of_world(CONTEXTS, context))
        clSetContextDestructorCallback(context, odd & 64 ? NULL : on_context, draw_note(s));
}

/* ---- queues ---- */

static const uint64_t queue_flags[] = {0,
                                       CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE,
                                       CL_QUEUE_PROFILING_ENABLE,
                                       CL_QUEUE_ON_DEVICE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE,
                                       CL_QUEUE_ON_DEVICE,
                                       CL_QUEUE_ON_DEVICE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE |
                                           CL_QUEUE_ON_DEVICE_DEFAULT};

void try_queue(struct sequence *s)
{
    static const cl_queue_properties names[] = {
        CL_QUEUE_PROPERTIES,   CL_QUEUE_SIZE,         CL_QUEUE_FAMILY_INTEL,  CL_QUEUE_INDEX_INTEL,
        CL_QUEUE_PRIORITY_KHR, CL_QUEUE_THROTTLE_KHR, CL_QUEUE_DEVICE_DEFAULT};
    const cl_context context = DRAW_CONTEXT(s);
    const cl_device_id device = DRAW_DEVICE(s);
    const unsigned words = draw(s) % 4;
    cl_queue_properties list[7] = {0};
    cl_int err = CL_SUCCESS;
    for (unsigned i = 0; i < words; i++) {
        list[2 * i] = names[draw(s) % COUNT_OF(names)];
        list[2 * i + 1] = list[2 * i] == CL_QUEUE_PROPERTIES
                              ? draw_flags(s, queue_flags, COUNT_OF(queue_flags))
                              : draw_size(s);
    }
    cl_command_queue made =
        draw_odd(s, 8) ? clCreateCommandQueue(context, device, list[1], &err)
                       : clCreateCommandQueueWithProperties(context, device, words ? list : NULL, &err);
    put(s, QUEUES, made, err);
}

void try_change_queue(struct sequence *s)
{
    const cl_command_queue queue = DRAW_QUEUE(s);
    const cl_context context = DRAW_CONTEXT(s);
    const cl_device_id device = DRAW_DEVICE(s);
    const cl_command_queue_properties flags = draw_flags(s, queue_flags, COUNT_OF(queue_flags));
    cl_command_queue_properties old;
    const uint8_t way = draw(s);
    if (way & 1)
        clSetCommandQueueProperty(queue, flags, way & 2, way & 4 ? &old : NULL);
    else
        clSetDefaultDeviceCommandQueue(context, device, queue);
}

/* ---- references ---- */

void try_retain(struct sequence *s)
{
    const enum sort sort = (enum sort)(draw(s) % SORTS);
    const unsigned place = draw(s) % PLACES;
    void *const object = s->object[sort][place];
    if (object_change(sort, object, true))
        return;
    if (s->held[sort][place])
        s->held[sort][place]++;
    else if (is_of_world(sort, object))
        object_change(sort, object, false);
    else
        s->held[sort][place]++; /* it lives on inside of others: a context, a program or a sub-device */
}

static bool is_set_later(const struct sequence *s, const void *object)
{
    for (unsigned i = 0; i < PLACES; i++)
        if (s->users[i] == object || (const void *)s->signals[i] == object)
            return true;
    return false;
}

/* Also once too often, but for what the sequence itself has to set later. */
void try_release(struct sequence *s)
{
    const enum sort sort = (enum sort)(draw(s) % SORTS);
    const unsigned place = draw(s) % PLACES;
    void *const object = s->object[sort][place];
    if (s->held[sort][place])
        s->held[sort][place]--;
    else if (is_of_world(sort, object) || is_set_later(s, object))
        return;
    object_change(sort, object, false);
}

void try_release_wrong(struct sequence *s)
{
    const enum sort sort = (enum sort)(draw(s) % SORTS), other = (enum sort)(draw(s) % SORTS);
    if (sort != other)
        object_change(sort, s->object[other][draw(s) % PLACES], false);
}
