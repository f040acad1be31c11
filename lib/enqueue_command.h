/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The enqueue pattern: begin checks queue and wait list; the caller checks and
 *          fills; end appends, or frees when err; blocking waits. One rollback path.
 *
 *      struct enqueue enqueue;
 *      cl_int err = enqueue_begin(&enqueue, queue, COMMAND_READ_BUFFER, count, waits);
 *      if (!err)
 *          err = ...check and fill enqueue.command->u...;
 *      return enqueue_end(&enqueue, err, blocking, event);
 *
 * What fill takes (references, memory) belongs to the command at once, so that end can
 * drop a half-filled one: u is zero at begin.
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

/* From now on this thread's commands are checked and filled, and then dropped instead of appended. */
void enqueue_rehearse(bool on);
/* the commands from here on are of that execution of a command buffer; 0: of none */
void enqueue_batch(uint32_t number);

/* A buffer a command of this queue may use: CL_INVALID_MEM_OBJECT, CL_INVALID_CONTEXT,
 * CL_MISALIGNED_SUB_BUFFER_OFFSET. */
cl_int enqueue_buffer(const struct queue *queue, cl_mem handle, struct memobj **out_memobj);
/* The same for an image (enqueue_image.c): CL_INVALID_OPERATION where there are none. */
cl_int enqueue_image(const struct queue *queue, cl_mem handle, struct memobj **out_memobj);
cl_int enqueue_buffer_aligned(const struct queue *queue, const struct memobj *memobj);
bool enqueue_pattern_ok(const void *pattern, size_t pattern_size);
#endif
