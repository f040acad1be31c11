/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  What the calls of a sequence share: the objects that it made, and the one place that draws
 *          operands from its bytes. A byte of 0, or one that is missing, stands for an ordinary operand.
 *
 * Interface
 *   world            what all sequences share; its objects have the first places of each sequence's tables
 *   draw_*           operands of the call at work
 *   put              a new object gets the next place; its errcode_ret must agree with it
 *   try_begin, try_end   queue, wait list and event of an enqueueing call; the event that came back
 *   may_block        a call that waits: first sets the user events and signals the semaphores of the
 *                    sequence, for which it would wait for ever. False: this sequence must not wait
 *
 * A callback runs a sequence of its own (nested), of one record of the same input, which never waits.
 */
#ifndef TESTS_FUZZ_CALLS_SEQUENCE_H
#define TESTS_FUZZ_CALLS_SEQUENCE_H

#include <stdbool.h>

#include "calls.h"
#include "lib/tokens.h"

enum sort {
    DEVICES,
    CONTEXTS,
    QUEUES,
    MEMORY,
    SAMPLERS,
    PROGRAMS,
    KERNELS,
    EVENTS,
    SEMAPHORES,
    COMMAND_BUFFERS,
    SORTS
};

/* The scenario bounds allocations to HOST_BYTES, so that the host's memory holds what any object does. */
enum { PLACES = 8, HOST_BYTES = 1 << 20, SLACK_BYTES = 1 << 12, CALLS_MOST = 100, NOTES = 64 };
enum { DEVICE_COUNT = 3, CONTEXT_COUNT = 3, QUEUE_COUNT = 4, PROGRAM_COUNT = 3 };

extern struct world {
    cl_platform_id platform;
    cl_device_id devices[DEVICE_COUNT];   /* with everything; without fine-grained SVM; OpenCL 1.2 */
    cl_context contexts[CONTEXT_COUNT];   /* of the first device; of the first two; of the third */
    cl_command_queue queues[QUEUE_COUNT]; /* in order and out of order; of the other contexts */
    cl_program programs[PROGRAM_COUNT];   /* of each context */
    cl_kernel kernels[PROGRAM_COUNT];     /* keep the programs from being built again; no sequence's */
    struct sequence *left;                /* over; callbacks may still get their notes; atomic */
    uint8_t host[HOST_BYTES + SLACK_BYTES];
} world;

struct shared { /* of SVM or USM */
    char *pointer;
    size_t size;
    cl_context context;
    cl_uint usm; /* the type of allocation; 0: of clSVMAlloc */
    bool freed;
};

struct map {
    char *pointer;
    size_t size; /* bytes that the host may access */
    cl_mem memory;
    cl_map_flags flags;
};

/* What a callback gets as its data. */
struct note {
    const uint8_t *record; /* a call that the callback makes */
    struct sequence *sequence;
};

struct sequence {
    const uint8_t *data, *end; /* the whole input */
    const uint8_t *at, *stop;  /* operands of the call at work */
    void *object[SORTS][PLACES];
    uint8_t held[SORTS][PLACES]; /* references of the sequence; 0: of the world, or released */
    uint8_t next[SORTS];
    /* one reference more of each, so that they can be set and signalled after their release */
    cl_event users[PLACES];
    cl_semaphore_khr signals[PLACES];
    bool awaited[PLACES]; /* a wait for the semaphore is enqueued */
    struct shared shared[PLACES];
    struct map maps[PLACES];
    unsigned next_user, next_signal, next_shared, next_map;
    struct note notes[NOTES];
    unsigned note_count;
    bool nested;
    cl_event fresh; /* of the call at work */
    cl_event list[4];
    struct sequence *next_left; /* of world.left */
};

/* The common operands of commands. */
struct command_operands {
    cl_command_queue queue;
    cl_uint count;
    const cl_event *waits;
    cl_event *event;
};
#define WAITS(operands) (operands).count, (operands).waits, (operands).event

/* ---- operands (calls_draw.c) ---- */

uint8_t draw(struct sequence *s);
bool draw_odd(struct sequence *s, unsigned one_in); /* false for 0 */
size_t draw_size(struct sequence *s);               /* below 128, or an odd one */
size_t draw_bytes(struct sequence *s);              /* mostly at most some thousands */
uint64_t draw_flags(struct sequence *s, const uint64_t *flags, size_t count);
void *draw_object(struct sequence *s, enum sort sort);
char *draw_host(struct sequence *s); /* into world.host, with HOST_BYTES after it; or NULL */
struct shared *draw_shared(struct sequence *s);
struct map *draw_map(struct sequence *s);
/* An address to which size bytes may be read and written: of the host, or of shared memory; *size shrinks. */
void *draw_address(struct sequence *s, size_t *size);
struct note *draw_note(struct sequence *s); /* the data of a callback; may be NULL */
struct command_operands try_begin(struct sequence *s);
void try_end(struct sequence *s);

/* With the type of the handle. */
#define DRAW_DEVICE(s) ((cl_device_id)draw_object(s, DEVICES))
#define DRAW_CONTEXT(s) ((cl_context)draw_object(s, CONTEXTS))
#define DRAW_QUEUE(s) ((cl_command_queue)draw_object(s, QUEUES))
#define DRAW_MEMORY(s) ((cl_mem)draw_object(s, MEMORY))
#define DRAW_SAMPLER(s) ((cl_sampler)draw_object(s, SAMPLERS))
#define DRAW_PROGRAM(s) ((cl_program)draw_object(s, PROGRAMS))
#define DRAW_KERNEL(s) ((cl_kernel)draw_object(s, KERNELS))
#define DRAW_EVENT(s) ((cl_event)draw_object(s, EVENTS))
#define DRAW_SEMAPHORE(s) ((cl_semaphore_khr)draw_object(s, SEMAPHORES))
#define DRAW_COMMAND_BUFFER(s) ((cl_command_buffer_khr)draw_object(s, COMMAND_BUFFERS))

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

/* ---- objects (calls.c) ---- */

void put(struct sequence *s, enum sort sort, void *handle, cl_int err);
bool is_of_world(enum sort sort, const void *handle);
bool may_block(struct sequence *s);
void signal_awaited(struct sequence *s, cl_semaphore_khr semaphore);
void unmap(const struct map *map);                                /* on a queue of its own */
cl_int object_change(enum sort sort, void *handle, bool retains); /* clRetainX or clReleaseX */

/* OpenCL 1.0, which newer headers leave out. */
cl_int CL_API_CALL clSetCommandQueueProperty(cl_command_queue queue, cl_command_queue_properties properties,
                                             cl_bool enable, cl_command_queue_properties *old_properties);

/* An extension's function, as programs find it. */
#define NAMED(call) ((__typeof__(&(call)))clGetExtensionFunctionAddressForPlatform(world.platform, #call))

/* ---- callbacks (calls_callbacks.c) ---- */

void try_from_note(struct note *note, enum sort sort, void *handle);
void CL_CALLBACK on_event(cl_event event, cl_int status, void *data);
void CL_CALLBACK on_memory(cl_mem memory, void *data);
void CL_CALLBACK on_context(cl_context context, void *data);
void CL_CALLBACK on_program(cl_program program, void *data);
void CL_CALLBACK on_error(const char *text, const void *binary, size_t size, void *data);
void CL_CALLBACK on_free(cl_command_queue queue, cl_uint count, void *pointers[], void *data);
void calls_nested(const uint8_t *record, struct sequence *outer, enum sort sort, void *handle);

#define CALL(name) void try_##name(struct sequence *s);
#include "calls.def"
#undef CALL

#endif
