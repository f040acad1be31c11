/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cl_khr_command_buffer, with the signatures of revision 0.9.4. A recorded command is its arguments.
 * Recording it checks the corresponding clEnqueue call without appending a command (enqueue_rehearse), and
 * returns its errors. clEnqueueCommandBufferKHR makes all the calls: sync points become wait lists; a marker
 * with the caller's wait list precedes all commands, and one command COMMAND_BUFFER_KHR, whose event the
 * caller gets, follows them.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "orrery/checked.h"
#include "api.h"
#include "command.h"
#include "context.h"
#include "api_device_queue.h"
#include "enqueue_command.h"
#include "error.h"
#include "event.h"
#include "info.h"
#include "lib/diagnose/call.h"
#include "api_runtime.h"
#include "tokens.h"

enum recorded_kind {
    RECORD_BARRIER,
    RECORD_COPY,
    RECORD_COPY_RECT,
    RECORD_TO_IMAGE,
    RECORD_IMAGE,
    RECORD_TO_BUFFER,
    RECORD_FILL,
    RECORD_FILL_IMAGE,
    RECORD_KERNEL,
    RECORD_SVM_COPY,
    RECORD_SVM_FILL
};
enum box { SOURCE_ORIGIN = 1, TARGET_ORIGIN = 2, REGION = 4, PATTERN = 8 };
enum { PATTERN_BYTES = 128, COLOUR_BYTES = 16 };

struct recorded_command {
    enum recorded_kind kind;
    cl_mem source, target; /* retained, as are the memory objects in the kernel's arguments */
    cl_kernel kernel;      /* a clone, which keeps the arguments as they are when recorded */
    void *svm_target;      /* the program's, as with the enqueued call */
    const void *svm_source;
    size_t source_offset, target_offset, size;
    size_t source_origin[3], target_origin[3], region[3], pitches[4];
    unsigned absent; /* which of origins, region and pattern are NULL: a bit of enum box each */
    uint8_t pattern[PATTERN_BYTES];
    size_t pattern_size;
    cl_uint dimensions;
    size_t offset[3], global[3], local[3];
    bool has_local;
    cl_sync_point_khr *waits;
    cl_uint wait_count;
};

struct command_buffer {
    struct object base;
    struct queue *queue;
    cl_command_buffer_properties_khr *properties;
    size_t property_count; /* words, incl. final 0 */
    /* guarded by runtime_lock */
    bool executable;
    size_t pending; /* executions that are enqueued and not complete */
    struct recorded_command *commands;
    size_t count, room;
};

/* ---- references of a recorded command ---- */

static void change_references(const struct recorded_command *recorded,
                              cl_int (*change)(const void *handle, enum object_kind kind))
{
    if (recorded->source)
        change(recorded->source, OBJECT_MEMOBJ);
    if (recorded->target)
        change(recorded->target, OBJECT_MEMOBJ);
    const struct kernel_object *kernel = (const struct kernel_object *)recorded->kernel;
    for (size_t i = 0; kernel && i < kernel->info->arg_count; i++)
        if (kernel->args[i].memobj)
            change(kernel->args[i].memobj, OBJECT_MEMOBJ);
}

static void forget(struct recorded_command *recorded)
{
    change_references(recorded, object_release);
    if (recorded->kernel)
        object_release(recorded->kernel, OBJECT_KERNEL);
    free(recorded->waits);
}

const struct queue *command_buffer_queue(const struct object *object)
{
    return ((const struct command_buffer *)object)->queue;
}

const struct context *command_buffer_context(const struct object *object)
{
    return ((const struct command_buffer *)object)->queue->context;
}

void command_buffer_destroy(void *object)
{
    struct command_buffer *buffer = object;
    for (size_t i = 0; i < buffer->count; i++)
        forget(&buffer->commands[i]);
    free(buffer->commands);
    free(buffer->properties);
    if (buffer->queue)
        object_release(buffer->queue, OBJECT_QUEUE);
    object_unref(buffer->queue);
}

/* ---- creation ---- */

static cl_int check_properties(const cl_command_buffer_properties_khr *list, size_t *out_count)
{
    size_t count = 0;
    for (; list && list[count]; count += 2)
        if (list[count] != CL_COMMAND_BUFFER_FLAGS_KHR || count ||
            list[count + 1] & ~(cl_command_buffer_properties_khr)CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR)
            return CL_INVALID_VALUE;
    *out_count = list ? count + 1 : 0;
    return CL_SUCCESS;
}

static struct command_buffer *create(struct queue *queue, const cl_command_buffer_properties_khr *list,
                                     size_t count)
{
    struct command_buffer *buffer = object_new(OBJECT_COMMAND_BUFFER, sizeof *buffer);
    if (!buffer)
        return NULL;
    buffer->property_count = count;
    buffer->properties = malloc((count + 1) * sizeof *list);
    if (!buffer->properties) {
        object_unref(buffer);
        return NULL;
    }
    if (count)
        memcpy(buffer->properties, list, count * sizeof *list);
    /* a program that releases the queue too often takes the reference of the user */
    object_retain(queue, OBJECT_QUEUE);
    buffer->queue = object_ref(queue);
    object_publish(buffer);
    return buffer;
}

cl_command_buffer_khr CL_API_CALL
api_clCreateCommandBufferKHR(cl_uint num_queues, const cl_command_queue *queues,
                             const cl_command_buffer_properties_khr *properties, cl_int *errcode_ret)
{
    struct queue *queue = queues && num_queues == 1 ? object_lookup(queues[0], OBJECT_QUEUE) : NULL;
    struct command_buffer *buffer = NULL;
    size_t count = 0;
    cl_int err = !queues || num_queues != 1           ? CL_INVALID_VALUE
                 : !queue || device_queue_is(queue)   ? CL_INVALID_COMMAND_QUEUE
                 : context_terminated(queue->context) ? CL_CONTEXT_TERMINATED_KHR
                                                      : check_properties(properties, &count);
    if (!err && !(buffer = create(queue, properties, count)))
        err = CL_OUT_OF_HOST_MEMORY;
    return error_return(errcode_ret, err, buffer);
}

cl_int CL_API_CALL api_clRetainCommandBufferKHR(cl_command_buffer_khr command_buffer)
{
    return object_retain(command_buffer, OBJECT_COMMAND_BUFFER);
}

cl_int CL_API_CALL api_clReleaseCommandBufferKHR(cl_command_buffer_khr command_buffer)
{
    return object_release(command_buffer, OBJECT_COMMAND_BUFFER);
}

cl_int CL_API_CALL api_clFinalizeCommandBufferKHR(cl_command_buffer_khr command_buffer)
{
    struct command_buffer *buffer = object_lookup(command_buffer, OBJECT_COMMAND_BUFFER);
    if (!buffer)
        return CL_INVALID_COMMAND_BUFFER_KHR;
    runtime_lock();
    bool recording = !buffer->executable;
    buffer->executable = true;
    runtime_unlock();
    return recording ? CL_SUCCESS : CL_INVALID_OPERATION;
}

/* The state after all calls so far: drains the log. */
static cl_command_buffer_state_khr state_of(const struct command_buffer *buffer)
{
    queue_drain();
    runtime_lock();
    cl_command_buffer_state_khr state = !buffer->executable ? CL_COMMAND_BUFFER_STATE_RECORDING_KHR
                                        : buffer->pending   ? CL_COMMAND_BUFFER_STATE_PENDING_KHR
                                                            : CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR;
    runtime_unlock();
    return state;
}

static bool may_overlap(const struct command_buffer *buffer)
{
    return buffer->property_count > 1 && buffer->properties[1] & CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR;
}

cl_int CL_API_CALL api_clGetCommandBufferInfoKHR(cl_command_buffer_khr command_buffer,
                                                 cl_command_buffer_info_khr param_name,
                                                 size_t param_value_size, void *param_value,
                                                 size_t *param_value_size_ret)
{
    const struct info_reply reply[] = {{param_value_size, param_value, param_value_size_ret}};
    const struct command_buffer *buffer = object_lookup(command_buffer, OBJECT_COMMAND_BUFFER);
    if (!buffer)
        return CL_INVALID_COMMAND_BUFFER_KHR;
    switch (param_name) {
    case CL_COMMAND_BUFFER_CONTEXT_KHR:
        return INFO_VALUE(reply, cl_context, (cl_context)buffer->queue->context);
    case CL_COMMAND_BUFFER_QUEUES_KHR:
        return INFO_VALUE(reply, cl_command_queue, (cl_command_queue)buffer->queue);
    case CL_COMMAND_BUFFER_NUM_QUEUES_KHR: return INFO_VALUE(reply, cl_uint, 1);
    case CL_COMMAND_BUFFER_REFERENCE_COUNT_KHR:
        return INFO_VALUE(reply, cl_uint, __atomic_load_n(&buffer->base.refs, __ATOMIC_RELAXED));
    case CL_COMMAND_BUFFER_STATE_KHR: return INFO_VALUE(reply, cl_command_buffer_state_khr, state_of(buffer));
    case CL_COMMAND_BUFFER_PROPERTIES_ARRAY_KHR:
        return info_bytes(reply, buffer->properties, buffer->property_count * sizeof *buffer->properties);
    default: return CL_INVALID_VALUE;
    }
}

/* ---- recording ---- */

static cl_int issue(const struct recorded_command *r, cl_command_queue queue, cl_uint count,
                    const cl_event *waits, cl_event *event)
{
    const size_t *p = r->pitches, *source_origin = r->absent & SOURCE_ORIGIN ? NULL : r->source_origin;
    const size_t *target_origin = r->absent & TARGET_ORIGIN ? NULL : r->target_origin;
    const size_t *region = r->absent & REGION ? NULL : r->region;
    const void *pattern = r->absent & PATTERN ? NULL : r->pattern;
    switch (r->kind) {
    case RECORD_COPY:
        return api_clEnqueueCopyBuffer(queue, r->source, r->target, r->source_offset, r->target_offset,
                                       r->size, count, waits, event);
    case RECORD_COPY_RECT:
        return api_clEnqueueCopyBufferRect(queue, r->source, r->target, source_origin, target_origin, region,
                                           p[0], p[1], p[2], p[3], count, waits, event);
    case RECORD_TO_IMAGE:
        return api_clEnqueueCopyBufferToImage(queue, r->source, r->target, r->source_offset, target_origin,
                                              region, count, waits, event);
    case RECORD_IMAGE:
        return api_clEnqueueCopyImage(queue, r->source, r->target, source_origin, target_origin, region,
                                      count, waits, event);
    case RECORD_TO_BUFFER:
        return api_clEnqueueCopyImageToBuffer(queue, r->source, r->target, source_origin, region,
                                              r->target_offset, count, waits, event);
    case RECORD_FILL:
        return api_clEnqueueFillBuffer(queue, r->target, pattern, r->pattern_size, r->target_offset, r->size,
                                       count, waits, event);
    case RECORD_FILL_IMAGE:
        return api_clEnqueueFillImage(queue, r->target, pattern, target_origin, region, count, waits, event);
    case RECORD_KERNEL:
        return api_clEnqueueNDRangeKernel(queue, r->kernel, r->dimensions, r->offset, r->global,
                                          r->has_local ? r->local : NULL, count, waits, event);
    case RECORD_SVM_COPY:
        return api_clEnqueueSVMMemcpy(queue, CL_FALSE, r->svm_target, r->svm_source, r->size, count, waits,
                                      event);
    case RECORD_SVM_FILL:
        return api_clEnqueueSVMMemFill(queue, r->svm_target, pattern, r->pattern_size, r->size, count, waits,
                                       event);
    case RECORD_BARRIER:
    default: return api_clEnqueueMarkerWithWaitList(queue, count, waits, event);
    }
}

static cl_int rehearse(const struct command_buffer *buffer, const struct recorded_command *recorded)
{
    enqueue_rehearse(true);
    cl_int err = issue(recorded, (cl_command_queue)buffer->queue, 0, NULL, NULL);
    enqueue_rehearse(false);
    return err;
}

static cl_int check_waits(const struct command_buffer *buffer, cl_uint count, const cl_sync_point_khr *waits)
{
    if (!count != !waits)
        return CL_INVALID_SYNC_POINT_WAIT_LIST_KHR;
    for (cl_uint i = 0; i < count; i++)
        if (!waits[i] || waits[i] > buffer->count) {
            char text[120];
            snprintf(text, sizeof text,
                     "sync_point_wait_list[%" PRIu32 "] is %" PRIu32
                     ", which is no sync point of the command-buffer",
                     i, waits[i]);
            call_detail(text);
            return CL_INVALID_SYNC_POINT_WAIT_LIST_KHR;
        }
    return CL_SUCCESS;
}

static cl_int keep(struct command_buffer *buffer, struct recorded_command recorded, cl_uint count,
                   const cl_sync_point_khr *waits)
{
    cl_int err = CL_SUCCESS;
    if (buffer->count == buffer->room) {
        size_t room = 2 * buffer->room + 8;
        struct recorded_command *grown = realloc(buffer->commands, room * sizeof *grown);
        if (!grown)
            return CL_OUT_OF_HOST_MEMORY;
        buffer->commands = grown;
        buffer->room = room;
    }
    recorded.waits = malloc((count + 1) * sizeof *waits);
    recorded.wait_count = count;
    if (!recorded.waits)
        return CL_OUT_OF_HOST_MEMORY;
    if (count)
        memcpy(recorded.waits, waits, count * sizeof *waits);
    if (recorded.kernel)
        recorded.kernel = api_clCloneKernel(recorded.kernel, &err);
    if (err) {
        free(recorded.waits);
        return err;
    }
    change_references(&recorded, object_retain);
    buffer->commands[buffer->count++] = recorded;
    CHECKED(buffer->count <= buffer->room && !buffer->executable);
    return CL_SUCCESS;
}

/* The arguments that every recording call has. */
struct recording_call {
    cl_command_buffer_khr buffer;
    cl_command_queue queue;
    cl_uint count;
    const cl_sync_point_khr *waits;
    cl_sync_point_khr *sync_point;
    cl_mutable_command_khr *handle;
};

static cl_int record(const struct recording_call *recording, const struct recorded_command *recorded)
{
    struct command_buffer *buffer = object_lookup(recording->buffer, OBJECT_COMMAND_BUFFER);
    if (!buffer)
        return CL_INVALID_COMMAND_BUFFER_KHR;
    if (buffer->executable)
        return CL_INVALID_OPERATION;
    if (recording->queue)
        return CL_INVALID_COMMAND_QUEUE;
    if (recording->handle)
        return CL_INVALID_VALUE;
    cl_int err = check_waits(buffer, recording->count, recording->waits);
    if (!err)
        err = rehearse(buffer, recorded);
    if (!err)
        err = keep(buffer, *recorded, recording->count, recording->waits);
    if (!err && recording->sync_point)
        *recording->sync_point = (cl_sync_point_khr)buffer->count;
    return err;
}

static void keep_box(struct recorded_command *recorded, enum box which, const size_t *box)
{
    CHECKED(!(recorded->absent & which));
    size_t *kept = which == SOURCE_ORIGIN   ? recorded->source_origin
                   : which == TARGET_ORIGIN ? recorded->target_origin
                                            : recorded->region;
    if (box)
        memcpy(kept, box, 3 * sizeof *box);
    else
        recorded->absent |= which;
}

/* clang-format off */
#define RECORDING \
    &(struct recording_call){command_buffer, command_queue, num_sync_points_in_wait_list, sync_point_wait_list, sync_point, mutable_handle}
#define SYNC_POINTS \
    cl_uint num_sync_points_in_wait_list, const cl_sync_point_khr *sync_point_wait_list, cl_sync_point_khr *sync_point, \
    cl_mutable_command_khr *mutable_handle
/* clang-format on */

cl_int CL_API_CALL api_clCommandBarrierWithWaitListKHR(cl_command_buffer_khr command_buffer,
                                                       cl_command_queue command_queue, SYNC_POINTS)
{
    return record(RECORDING, &(struct recorded_command){.kind = RECORD_BARRIER});
}

cl_int CL_API_CALL api_clCommandCopyBufferKHR(cl_command_buffer_khr command_buffer,
                                              cl_command_queue command_queue, cl_mem src_buffer,
                                              cl_mem dst_buffer, size_t src_offset, size_t dst_offset,
                                              size_t size, SYNC_POINTS)
{
    return record(RECORDING, &(struct recorded_command){.kind = RECORD_COPY,
                                                        .source = src_buffer,
                                                        .target = dst_buffer,
                                                        .source_offset = src_offset,
                                                        .target_offset = dst_offset,
                                                        .size = size});
}

cl_int CL_API_CALL api_clCommandCopyBufferRectKHR(cl_command_buffer_khr command_buffer,
                                                  cl_command_queue command_queue, cl_mem src_buffer,
                                                  cl_mem dst_buffer, const size_t *src_origin,
                                                  const size_t *dst_origin, const size_t *region,
                                                  size_t src_row_pitch, size_t src_slice_pitch,
                                                  size_t dst_row_pitch, size_t dst_slice_pitch, SYNC_POINTS)
{
    struct recorded_command recorded = {
        .kind = RECORD_COPY_RECT,
        .source = src_buffer,
        .target = dst_buffer,
        .pitches = {src_row_pitch, src_slice_pitch, dst_row_pitch, dst_slice_pitch}};
    keep_box(&recorded, SOURCE_ORIGIN, src_origin);
    keep_box(&recorded, TARGET_ORIGIN, dst_origin);
    keep_box(&recorded, REGION, region);
    return record(RECORDING, &recorded);
}

cl_int CL_API_CALL api_clCommandCopyBufferToImageKHR(cl_command_buffer_khr command_buffer,
                                                     cl_command_queue command_queue, cl_mem src_buffer,
                                                     cl_mem dst_image, size_t src_offset,
                                                     const size_t *dst_origin, const size_t *region,
                                                     SYNC_POINTS)
{
    struct recorded_command recorded = {
        .kind = RECORD_TO_IMAGE, .source = src_buffer, .target = dst_image, .source_offset = src_offset};
    keep_box(&recorded, TARGET_ORIGIN, dst_origin);
    keep_box(&recorded, REGION, region);
    return record(RECORDING, &recorded);
}

cl_int CL_API_CALL api_clCommandCopyImageKHR(cl_command_buffer_khr command_buffer,
                                             cl_command_queue command_queue, cl_mem src_image,
                                             cl_mem dst_image, const size_t *src_origin,
                                             const size_t *dst_origin, const size_t *region, SYNC_POINTS)
{
    struct recorded_command recorded = {.kind = RECORD_IMAGE, .source = src_image, .target = dst_image};
    keep_box(&recorded, SOURCE_ORIGIN, src_origin);
    keep_box(&recorded, TARGET_ORIGIN, dst_origin);
    keep_box(&recorded, REGION, region);
    return record(RECORDING, &recorded);
}

cl_int CL_API_CALL api_clCommandCopyImageToBufferKHR(cl_command_buffer_khr command_buffer,
                                                     cl_command_queue command_queue, cl_mem src_image,
                                                     cl_mem dst_buffer, const size_t *src_origin,
                                                     const size_t *region, size_t dst_offset, SYNC_POINTS)
{
    struct recorded_command recorded = {
        .kind = RECORD_TO_BUFFER, .source = src_image, .target = dst_buffer, .target_offset = dst_offset};
    keep_box(&recorded, SOURCE_ORIGIN, src_origin);
    keep_box(&recorded, REGION, region);
    return record(RECORDING, &recorded);
}

/* The bytes of an invalid pattern are not kept; then the check of the call fails. */
static void keep_pattern(struct recorded_command *recorded, const void *pattern, size_t pattern_size)
{
    recorded->pattern_size = pattern_size;
    if (!pattern)
        recorded->absent |= PATTERN;
    else if (enqueue_pattern_ok(pattern, pattern_size))
        memcpy(recorded->pattern, pattern, pattern_size);
}

cl_int CL_API_CALL api_clCommandFillBufferKHR(cl_command_buffer_khr command_buffer,
                                              cl_command_queue command_queue, cl_mem buffer,
                                              const void *pattern, size_t pattern_size, size_t offset,
                                              size_t size, SYNC_POINTS)
{
    struct recorded_command recorded = {
        .kind = RECORD_FILL, .target = buffer, .target_offset = offset, .size = size};
    keep_pattern(&recorded, pattern, pattern_size);
    return record(RECORDING, &recorded);
}

cl_int CL_API_CALL api_clCommandFillImageKHR(cl_command_buffer_khr command_buffer,
                                             cl_command_queue command_queue, cl_mem image,
                                             const void *fill_color, const size_t *origin,
                                             const size_t *region, SYNC_POINTS)
{
    struct recorded_command recorded = {
        .kind = RECORD_FILL_IMAGE, .target = image, .absent = fill_color ? 0 : PATTERN};
    const struct memobj *memobj = object_lookup(image, OBJECT_MEMOBJ);
    if (fill_color && memobj && memobj->image) {
        recorded.pattern_size =
            memobj->image->format.image_channel_order == CL_DEPTH ? sizeof(float) : COLOUR_BYTES;
        memcpy(recorded.pattern, fill_color, recorded.pattern_size);
    }
    keep_box(&recorded, TARGET_ORIGIN, origin);
    keep_box(&recorded, REGION, region);
    return record(RECORDING, &recorded);
}

cl_int CL_API_CALL api_clCommandNDRangeKernelKHR(cl_command_buffer_khr command_buffer,
                                                 cl_command_queue command_queue,
                                                 const cl_ndrange_kernel_command_properties_khr *properties,
                                                 cl_kernel kernel, cl_uint work_dim,
                                                 const size_t *global_work_offset,
                                                 const size_t *global_work_size,
                                                 const size_t *local_work_size, SYNC_POINTS)
{
    if (properties && properties[0] && object_lookup(command_buffer, OBJECT_COMMAND_BUFFER))
        return CL_INVALID_VALUE; /* this revision defines no properties */
    struct recorded_command recorded = {
        .kind = RECORD_KERNEL, .kernel = kernel, .dimensions = work_dim, .has_local = local_work_size};
    for (cl_uint d = 0; work_dim <= 3 && d < work_dim; d++) {
        recorded.offset[d] = global_work_offset ? global_work_offset[d] : 0;
        recorded.global[d] = global_work_size ? global_work_size[d] : 0;
        recorded.local[d] = local_work_size ? local_work_size[d] : 0;
    }
    return record(RECORDING, &recorded);
}

cl_int CL_API_CALL api_clCommandSVMMemcpyKHR(cl_command_buffer_khr command_buffer,
                                             cl_command_queue command_queue, void *dst_ptr,
                                             const void *src_ptr, size_t size, SYNC_POINTS)
{
    return record(RECORDING,
                  &(struct recorded_command){
                      .kind = RECORD_SVM_COPY, .svm_target = dst_ptr, .svm_source = src_ptr, .size = size});
}

cl_int CL_API_CALL api_clCommandSVMMemFillKHR(cl_command_buffer_khr command_buffer,
                                              cl_command_queue command_queue, void *svm_ptr,
                                              const void *pattern, size_t pattern_size, size_t size,
                                              SYNC_POINTS)
{
    struct recorded_command recorded = {.kind = RECORD_SVM_FILL, .svm_target = svm_ptr, .size = size};
    keep_pattern(&recorded, pattern, pattern_size);
    return record(RECORDING, &recorded);
}

/* ---- enqueuing ---- */

/* The event of the buffer covers the time from the first start of its commands to the last end. */
cl_int run_command_buffer(struct command *command)
{
    cl_ulong start = command->event->time[EVENT_START];
    for (cl_uint i = 0; i < command->wait_count; i++)
        if (command->waits[i]->time[EVENT_START] && command->waits[i]->time[EVENT_START] < start)
            start = command->waits[i]->time[EVENT_START];
    const cl_ulong submit = command->event->time[EVENT_SUBMIT];
    command->event->time[EVENT_START] = start > submit ? start : submit + 1;
    return CL_SUCCESS;
}

void drop_command_buffer(struct command *command)
{
    struct command_buffer *buffer = command->u.command_buffer;
    if (!buffer)
        return;
    runtime_lock();
    buffer->pending--;
    runtime_unlock();
    object_unref(buffer);
}

struct buffer_instance {
    struct command_buffer *buffer;
    cl_command_queue queue;
    cl_event *events; /* of each command; NULL: a barrier without anything to wait for */
    cl_event *waits;  /* the wait list of one command; most_waits() elements */
    cl_event start;   /* the marker with the caller's wait list; NULL: the list is empty */
    bool in_order;    /* the buffer was made for an in-order queue: each command waits for the one before */
    size_t barrier;   /* 1 + index of the last barrier; 0: none */
};

static void wait_for(const struct buffer_instance *instance, size_t index, cl_uint *count)
{
    if (instance->events[index])
        instance->waits[(*count)++] = instance->events[index];
}

static cl_uint waits_of(struct buffer_instance *instance, size_t index)
{
    const struct recorded_command *recorded = &instance->buffer->commands[index];
    cl_uint count = 0;
    if (instance->start)
        instance->waits[count++] = instance->start;
    if (instance->barrier)
        wait_for(instance, instance->barrier - 1, &count);
    for (cl_uint i = 0; i < recorded->wait_count; i++)
        wait_for(instance, recorded->waits[i] - 1, &count);
    if (instance->in_order && index)
        wait_for(instance, index - 1, &count);
    else if (recorded->kind == RECORD_BARRIER && !recorded->wait_count)
        for (size_t i = 0; i < index; i++)
            wait_for(instance, i, &count);
    return count;
}

/* The longest wait list: start, barrier, the command before or all before, and the sync points. */
static size_t most_waits(const struct command_buffer *buffer)
{
    size_t most = 0;
    for (size_t i = 0; i < buffer->count; i++)
        if (buffer->commands[i].wait_count > most)
            most = buffer->commands[i].wait_count;
    return 3 + buffer->count + most;
}

static cl_int issue_all(struct buffer_instance *instance)
{
    static uint32_t executions; /* guarded by runtime_lock */
    cl_int err = CL_SUCCESS;
    runtime_lock();
    const uint32_t number = ++executions;
    runtime_unlock();
    enqueue_batch(number);
    for (size_t i = 0; i < instance->buffer->count && !err; i++) {
        const struct recorded_command *recorded = &instance->buffer->commands[i];
        cl_uint count = waits_of(instance, i);
        /* a marker without a wait list would wait for commands outside of the buffer */
        if (recorded->kind == RECORD_BARRIER && !count)
            continue;
        err = issue(recorded, instance->queue, count, count ? instance->waits : NULL, &instance->events[i]);
        if (recorded->kind == RECORD_BARRIER)
            instance->barrier = i + 1;
    }
    enqueue_batch(0);
    return err;
}

static cl_int finish(struct buffer_instance *instance, cl_event *event)
{
    struct enqueue enqueue;
    cl_uint count = 0;
    if (instance->start)
        instance->waits[count++] = instance->start;
    for (size_t i = 0; i < instance->buffer->count; i++)
        wait_for(instance, i, &count);
    cl_int err = enqueue_begin(&enqueue, instance->queue, COMMAND_COMMAND_BUFFER_KHR, count,
                               count ? instance->waits : NULL);
    if (!err) {
        enqueue.command->u.command_buffer = object_ref(instance->buffer);
        runtime_lock();
        instance->buffer->pending++;
        runtime_unlock();
    }
    return enqueue_end(&enqueue, err, false, event);
}

static cl_int run_instance(struct buffer_instance *instance, cl_uint count, const cl_event *waits,
                           cl_event *event)
{
    cl_int err = CL_SUCCESS;
    if (count || waits)
        err = api_clEnqueueMarkerWithWaitList(instance->queue, count, waits, &instance->start);
    if (!err)
        err = issue_all(instance);
    if (!err)
        err = finish(instance, event);
    for (size_t i = 0; i < instance->buffer->count; i++)
        if (instance->events[i])
            object_release(instance->events[i], OBJECT_EVENT);
    if (instance->start)
        object_release(instance->start, OBJECT_EVENT);
    return err;
}

static cl_int choose_queue(const struct command_buffer *buffer, cl_uint count, const cl_command_queue *queues,
                           cl_command_queue *out_queue)
{
    *out_queue = (cl_command_queue)buffer->queue;
    if (!queues != !count || count > 1)
        return CL_INVALID_VALUE;
    if (!count)
        return CL_SUCCESS;
    const struct queue *queue = object_lookup(queues[0], OBJECT_QUEUE);
    if (!queue || device_queue_is(queue))
        return CL_INVALID_COMMAND_QUEUE;
    *out_queue = queues[0];
    if (queue->device != buffer->queue->device)
        return CL_INVALID_DEVICE;
    return queue->context == buffer->queue->context ? CL_SUCCESS : CL_INVALID_CONTEXT;
}

cl_int CL_API_CALL api_clEnqueueCommandBufferKHR(cl_uint num_queues, cl_command_queue *queues,
                                                 cl_command_buffer_khr command_buffer,
                                                 cl_uint num_events_in_wait_list,
                                                 const cl_event *event_wait_list, cl_event *event)
{
    struct command_buffer *buffer = object_lookup(command_buffer, OBJECT_COMMAND_BUFFER);
    struct buffer_instance instance = {.buffer = buffer};
    if (!buffer)
        return CL_INVALID_COMMAND_BUFFER_KHR;
    instance.in_order = !(buffer->queue->properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    const cl_command_buffer_state_khr state = state_of(buffer);
    if (state == CL_COMMAND_BUFFER_STATE_RECORDING_KHR) {
        call_detail("command_buffer is still being recorded: clFinalizeCommandBufferKHR ends that");
        return CL_INVALID_OPERATION;
    }
    if (state == CL_COMMAND_BUFFER_STATE_PENDING_KHR && !may_overlap(buffer)) {
        call_detail("command_buffer is pending from an earlier call, and was made without "
                    "CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR");
        return CL_INVALID_OPERATION;
    }
    cl_int err = choose_queue(buffer, num_queues, queues, &instance.queue);
    if (err)
        return err;
    instance.events = calloc(buffer->count + 1, sizeof *instance.events);
    instance.waits = calloc(most_waits(buffer), sizeof *instance.waits);
    err = instance.events && instance.waits
              ? run_instance(&instance, num_events_in_wait_list, event_wait_list, event)
              : CL_OUT_OF_HOST_MEMORY;
    free(instance.events);
    free(instance.waits);
    return err;
}
