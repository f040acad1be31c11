/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The pattern of every enqueueing call, with one path for errors: begin checks queue and wait list;
 *          the caller checks and fills the payload; end appends the command, or frees it if err is an error.
 *
 *      struct enqueue enqueue;
 *      cl_int err = enqueue_begin(&enqueue, queue, COMMAND_READ_BUFFER, count, waits);
 *      if (!err)
 *          err = ...check and fill enqueue.command->u...;
 *      return enqueue_end(&enqueue, err, blocking, event);
 *
 * References and memory that the caller puts into the payload belong to the command at once, so that end can
 * drop a half-filled one. The payload is zero at begin.
 */
#ifndef ORRERY_LIB_ENQUEUE_COMMAND_H
#define ORRERY_LIB_ENQUEUE_COMMAND_H
#include "queue.h"

struct enqueue {
    struct queue *queue;
    struct command *command;
};
cl_int enqueue_begin(struct enqueue *enqueue, cl_command_queue queue, enum command_kind kind,
                     cl_uint wait_count, const cl_event *waits);
cl_int enqueue_end(struct enqueue *enqueue, cl_int err, bool blocking, cl_event *out_event);

/* on: from now on this thread's commands are checked and filled, and then dropped instead of appended. */
void enqueue_rehearse(bool on);
/* This thread's commands from now on belong to that execution of a command buffer; 0: to none. */
void enqueue_batch(uint32_t number);

/* Looks up a buffer that a command of this queue may use: CL_INVALID_MEM_OBJECT, CL_INVALID_CONTEXT,
 * CL_MISALIGNED_SUB_BUFFER_OFFSET. */
cl_int enqueue_buffer(const struct queue *queue, cl_mem handle, struct memobj **out_memobj);
/* The same for an image (enqueue_image.c); CL_INVALID_OPERATION: the device has no images. */
cl_int enqueue_image(const struct queue *queue, cl_mem handle, struct memobj **out_memobj);
cl_int enqueue_buffer_aligned(const struct queue *queue, const struct memobj *memobj);
bool enqueue_pattern_ok(const void *pattern, size_t pattern_size);
bool enqueue_fill_ok(const void *target, size_t size, const void *pattern, size_t pattern_size);
#endif
