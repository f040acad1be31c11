/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cl_intel_command_queue_families: the families of a device are derived from its topology (tiles and
 * cslices). A queue with a family and index runs on the compute units of one cslice.
 */
#include "queue_family.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/diagnose/call.h"
#include "api_runtime.h"
#include "subdevice.h"

/* ---- the families ------------------------------------------------------------------ */

enum { FAMILY_COMPUTE, FAMILY_COPY, FAMILY_LINKED_COPY, FAMILY_COUNT, LINKED_COPY_ENGINES = 8 };
enum { HOST_PROPERTIES = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE };

/* The scenario uses the bits of the extension. */
_Static_assert((int)QUEUE_CAN_CROSS_WAITS == CL_QUEUE_CAPABILITY_CROSS_QUEUE_EVENT_WAIT_LIST_INTEL &&
                   (int)QUEUE_CAN_IMAGE_TO_BUFFER == CL_QUEUE_CAPABILITY_TRANSFER_IMAGE_BUFFER_INTEL &&
                   (int)QUEUE_CAN_KERNEL == CL_QUEUE_CAPABILITY_KERNEL_INTEL,
               "capabilities of queues");

bool queue_families_exist(const struct cl_device *device)
{
    return device_has_level(device, TOPOLOGY_CSLICE);
}

/* A device of several tiles, or of a part of one, has one engine with all capabilities. */
static size_t list_families(const struct cl_device *device,
                            cl_queue_family_properties_intel list[FAMILY_COUNT])
{
    uint32_t slices = topology_cslices(device->topology, &device->units);
    list[FAMILY_COMPUTE] = (cl_queue_family_properties_intel){
        HOST_PROPERTIES, CL_QUEUE_DEFAULT_CAPABILITIES_INTEL, slices ? slices : 1, "ccs"};
    if (!slices)
        return 1;
    cl_command_queue_capabilities_intel copies = device->config->copy_capabilities;
    list[FAMILY_COPY] = (cl_queue_family_properties_intel){HOST_PROPERTIES, copies, 1, "bcs"};
    list[FAMILY_LINKED_COPY] =
        (cl_queue_family_properties_intel){HOST_PROPERTIES, copies, LINKED_COPY_ENGINES, "linked bcs"};
    return FAMILY_COUNT;
}

cl_int queue_families_info(const struct info_reply *reply, const struct cl_device *device)
{
    cl_queue_family_properties_intel list[FAMILY_COUNT];
    if (!queue_families_exist(device))
        return CL_INVALID_VALUE;
    return info_bytes(reply, list, list_families(device, list) * sizeof *list);
}

cl_int queue_family_check(const struct cl_device *device, cl_ulong family, cl_ulong index)
{
    cl_queue_family_properties_intel list[FAMILY_COUNT];
    return family < list_families(device, list) && index < list[family].count ? CL_SUCCESS : CL_INVALID_VALUE;
}

/* ---- compute units -------------------------------------------------------------------- */

/* Converts units of the topology to numbers of the simulated machine. */
static void add_units(struct queue *queue, const struct unit_set *units)
{
    for (uint32_t i = 0; i < units->count; i++)
        queue->units.units[queue->units.count++] = units->units[i] + queue->device->config->first_unit;
}

/* The units of one cslice of a whole tile; queues of other cslices do not use them. */
static cl_int add_slice(struct queue *queue, const struct unit_set *units, cl_uint index)
{
    struct partition slices = {0};
    const struct cl_device *device = queue->device;
    enum partition_result result =
        partition_by_cslice(device->topology, units, device->config->cslice_seed, &slices);
    if (result == PARTITION_NO_MEMORY)
        return CL_OUT_OF_HOST_MEMORY;
    add_units(queue, result == PARTITION_OK ? &slices.sets[index] : units);
    partition_fini(&slices);
    return CL_SUCCESS;
}

static cl_int set_units(struct queue *queue, cl_uint index)
{
    const struct cl_device *device = queue->device;
    struct partition tiles = {0};
    queue->units = (struct unit_set){.units = malloc(device->units.count * sizeof *queue->units.units)};
    if (!queue->units.units)
        return CL_OUT_OF_HOST_MEMORY;
    if (queue->capabilities) {
        add_units(queue, &device->units);
        return CL_SUCCESS;
    }
    enum partition_result result =
        partition_by_level(device->topology, &device->units, TOPOLOGY_TILE, &tiles);
    if (result == PARTITION_NO_MEMORY)
        return CL_OUT_OF_HOST_MEMORY;
    if (result != PARTITION_OK)
        return add_slice(queue, &device->units, index);
    cl_int err = CL_SUCCESS;
    for (uint32_t i = 0; i < tiles.count && !err; i++)
        err = add_slice(queue, &tiles.sets[i], 0);
    partition_fini(&tiles);
    return err;
}

/* ---- queues ------------------------------------------------------------------------------ */

/* Another queue that was made for the same cslice, or NULL. runtime_lock is held. */
static const struct queue *other_on_slice(const struct queue *queue)
{
    const struct queue *other = queue->capabilities ? NULL : queue->next_named;
    while (other &&
           (other->capabilities != queue->capabilities || other->units.units[0] != queue->units.units[0] ||
            other->units.count != queue->units.count))
        other = other->next_named;
    return other;
}

/* A warning: queues of one process on one cslice run one at a time. */
static void report_shared(const struct queue *queue)
{
    char object[40], why[160] = "";
    struct call_site *made = NULL;
    runtime_lock();
    const struct queue *other = other_on_slice(queue);
    if (other) {
        snprintf(why, sizeof why, "command-queue %u and command-queue %u are both on cslice %u",
                 queue->base.id, other->base.id, queue->family_index);
        made = call_site_copy(other->base.made);
    }
    runtime_unlock();
    snprintf(object, sizeof object, "command-queue %u", queue->base.id);
    if (*why)
        call_find(FINDING_UNITS_SHARED, &(struct call_finding){.object = object,
                                                               .why = why,
                                                               .other = made,
                                                               .other_what = "the other one is made here",
                                                               .fix = "give each queue another index"});
    free(made);
}

cl_int queue_family_attach(struct queue *queue, bool named, cl_uint family, cl_uint index)
{
    struct platform *platform = runtime_get()->platform;
    cl_queue_family_properties_intel list[FAMILY_COUNT];
    list_families(queue->device, list);
    queue->family = family;
    queue->family_index = index;
    queue->capabilities = list[family].capabilities;
    cl_int err = set_units(queue, index);
    if (err || !named)
        return err;
    runtime_lock();
    queue->next_named = platform->named_queues;
    platform->named_queues = queue;
    runtime_unlock();
    if (call_finds())
        report_shared(queue);
    return CL_SUCCESS;
}

void queue_family_detach(struct queue *queue)
{
    runtime_lock();
    struct queue **link = &runtime_get()->platform->named_queues;
    while (*link && *link != queue)
        link = &(*link)->next_named;
    if (*link)
        *link = queue->next_named;
    runtime_unlock();
    unit_set_fini(&queue->units);
}

/* ---- commands ------------------------------------------------------------------------------ */

/* The capabilities for SVM commands: those for buffers, as in Intel's driver; the extension does not
 * mention SVM. */
static cl_command_queue_capabilities_intel needed_for_svm(enum command_kind kind)
{
    switch (kind) {
    case COMMAND_SVM_MEMCPY: return CL_QUEUE_CAPABILITY_TRANSFER_BUFFER_INTEL;
    case COMMAND_SVM_MEMFILL: return CL_QUEUE_CAPABILITY_FILL_BUFFER_INTEL;
    case COMMAND_SVM_MAP:
    case COMMAND_SVM_UNMAP: return CL_QUEUE_CAPABILITY_MAP_BUFFER_INTEL;
    default: return 0;
    }
}

/* The capability that a command needs; 0: only a queue with default capabilities may have it. */
static cl_command_queue_capabilities_intel needed_for(enum command_kind kind, enum answers answers)
{
    switch (kind) {
    case COMMAND_READ_BUFFER:
    case COMMAND_WRITE_BUFFER:
    case COMMAND_COPY_BUFFER: return CL_QUEUE_CAPABILITY_TRANSFER_BUFFER_INTEL;
    case COMMAND_READ_BUFFER_RECT:
    case COMMAND_WRITE_BUFFER_RECT:
    case COMMAND_COPY_BUFFER_RECT: return CL_QUEUE_CAPABILITY_TRANSFER_BUFFER_RECT_INTEL;
    case COMMAND_MAP_BUFFER: return CL_QUEUE_CAPABILITY_MAP_BUFFER_INTEL;
    case COMMAND_MAP_IMAGE: return CL_QUEUE_CAPABILITY_MAP_IMAGE_INTEL;
    case COMMAND_UNMAP_MEM_OBJECT:
        return CL_QUEUE_CAPABILITY_MAP_BUFFER_INTEL | CL_QUEUE_CAPABILITY_MAP_IMAGE_INTEL;
    case COMMAND_READ_IMAGE:
    case COMMAND_WRITE_IMAGE:
    case COMMAND_COPY_IMAGE: return CL_QUEUE_CAPABILITY_TRANSFER_IMAGE_INTEL;
    case COMMAND_COPY_BUFFER_TO_IMAGE: return CL_QUEUE_CAPABILITY_TRANSFER_BUFFER_IMAGE_INTEL;
    case COMMAND_COPY_IMAGE_TO_BUFFER: return CL_QUEUE_CAPABILITY_TRANSFER_IMAGE_BUFFER_INTEL;
    case COMMAND_FILL_IMAGE: return CL_QUEUE_CAPABILITY_FILL_IMAGE_INTEL;
    case COMMAND_FILL_BUFFER: return CL_QUEUE_CAPABILITY_FILL_BUFFER_INTEL;
    case COMMAND_NDRANGE_KERNEL:
    case COMMAND_TASK: return CL_QUEUE_CAPABILITY_KERNEL_INTEL;
    case COMMAND_MARKER: return CL_QUEUE_CAPABILITY_MARKER_INTEL;
    case COMMAND_BARRIER: return CL_QUEUE_CAPABILITY_BARRIER_INTEL;
    default: return answers == ANSWERS_NEO ? needed_for_svm(kind) : 0;
    }
}

cl_int queue_family_allows(const struct queue *queue, enum command_kind kind)
{
    if (queue->capabilities == CL_QUEUE_DEFAULT_CAPABILITIES_INTEL)
        return CL_SUCCESS;
    return queue->capabilities & needed_for(kind, queue->device->config->errors) ? CL_SUCCESS
                                                                                 : CL_INVALID_OPERATION;
}

/* ---- events ---------------------------------------------------------------------------------- */

static bool can(const struct queue *queue, cl_command_queue_capabilities_intel capability)
{
    return queue->capabilities == CL_QUEUE_DEFAULT_CAPABILITIES_INTEL || (queue->capabilities & capability);
}

/* The limits on cross-queue waits do not apply to a user event, which belongs to no queue. */
static bool may_wait_for(const struct queue *queue, const struct event *event)
{
    if (!event->queue || event->queue == queue)
        return true;
    return can(event->queue, CL_QUEUE_CAPABILITY_CREATE_CROSS_QUEUE_EVENTS_INTEL) &&
           can(queue, CL_QUEUE_CAPABILITY_CROSS_QUEUE_EVENT_WAIT_LIST_INTEL);
}

cl_int queue_family_allows_waits(const struct queue *queue, cl_uint count, struct event *const *events)
{
    bool neo = queue->device->config->errors == ANSWERS_NEO;
    bool waits = can(queue, CL_QUEUE_CAPABILITY_SINGLE_QUEUE_EVENT_WAIT_LIST_INTEL), fine = true;
    for (cl_uint i = 0; i < count && fine; i++)
        fine = may_wait_for(queue, events[i]) && (waits || (neo && !events[i]->queue));
    return fine ? CL_SUCCESS : neo ? CL_INVALID_OPERATION : CL_INVALID_EVENT_WAIT_LIST;
}

cl_int queue_family_allows_event(const struct queue *queue)
{
    if (can(queue, CL_QUEUE_CAPABILITY_CREATE_SINGLE_QUEUE_EVENTS_INTEL |
                       CL_QUEUE_CAPABILITY_CREATE_CROSS_QUEUE_EVENTS_INTEL))
        return CL_SUCCESS;
    return queue->device->config->errors == ANSWERS_NEO ? CL_INVALID_OPERATION : CL_INVALID_EVENT;
}
