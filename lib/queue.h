/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Commands, the graph between them, and their execution.
 *
 * The log  Each host call that can make commands runnable appends one entry (queue_log.h). The executor
 *          consumes the entries in order:
 *
 *    ENQUEUE    a command joins its queue
 *    SUBMIT     a flush while several devices could run side by side: the queue's commands are submitted, but
 *               none starts before an entry RUN, USER or GO
 *    RUN        a flush, finish, wait, blocking call or repeated query: they are submitted and run
 *    GO         appended before the next wait or query after a SUBMIT
 *    USER       a user event was set
 *    CALLBACK   an event callback is attached
 *    TERMINATE  a context was terminated
 *
 *          After RUN, GO, USER and TERMINATE it executes everything that is submitted and ready before it
 *          looks at the next entry. The scenario's policy chooses among ready commands (lockstep and serial:
 *          the lowest serial number). So the order of execution is a function of the log and the seed.
 *          Launches whose compute units differ run at the same time (orrery/device.h, device_run). Others run
 *          one after another, unless all that run only spin.
 *
 *          SUBMIT lets kernels of different devices start together. A flush is a RUN all the same while all
 *          queues share a compute unit (queue_units.h), or once the host may see effects without a call that
 *          waits or queries: through callbacks, native kernels or shared memory.
 *
 *          Status, times and edges of an event are those of the consumed log. A host call that needs later
 *          ones drains the log first.
 *
 * The executor lock   One thread at a time executes. A host thread that waits takes the executor lock and
 *          executes itself; clFlush and clSetUserEventStatus wake the device thread (device_thread.h).
 *          Callbacks run on the callback thread, in order and without a lock.
 */
#ifndef ORRERY_LIB_QUEUE_H
#define ORRERY_LIB_QUEUE_H
#include "object.h"

enum command_kind {
#define COMMAND(name, call, type, run, drop) COMMAND_##name,
#include "command.def"
#undef COMMAND
    COMMAND_KIND_COUNT
};

/* clang-format off */
struct rect { size_t buffer_origin[3], host_origin[3], region[3], buffer_row, buffer_slice, host_row,
              host_slice; };

/* One row of command.def per kind: run_<run>(command) does the work with no lock held
 * and returns CL_SUCCESS or the negative error the event gets; drop_<drop> frees. */
struct command {
    enum command_kind kind;
    uint32_t serial;             /* its number in the log, in findings and in events; from 1 */
    struct queue *queue;         /* borrowed from the event */
    struct event *event;         /* referenced; never NULL */
    struct event **waits; cl_uint wait_count; /* the wait list; referenced */
    struct call_site *made;      /* the program's call that enqueued it; NULL: not recorded */
    const struct enqueuer *enqueuer; /* the same, as the race checker reports it */
    uint32_t batch;             /* see enqueue_batch */
    uint32_t *after;            /* command_order.c's: room for wait_count + 1 serial numbers; NULL without observers */
    /* owned by the executor */
    struct command *next, *previous; /* in the queue */
    struct command *next_running;
    struct live_launch *live;    /* of a launch that began and is not over */
    uint32_t unmet;              /* edges to events that are not complete */
    bool submitted, running, failed; /* failed: an event of its wait list failed */
    bool writes_host;            /* host_bytes.c's */
    bool blocking;               /* the call that enqueued it waits for it */
    bool alone;                  /* when it was enqueued, its queue was the context's only one, and in order */
    union {
        struct { struct memobj *target, *source; size_t target_offset, source_offset, size; void *host;
                 struct rect rect; } transfer;
        struct { struct memobj *target; void *svm; size_t offset, size; uint8_t pattern[128];
                 size_t pattern_size; struct rect rect; } fill;
        struct { struct memobj *memobj; struct map_record *record; bool done; } map;
        struct { struct kernel_object *kernel; struct launch_request request; struct launch_result result;
                 struct memobj **memobjs; size_t memobj_count; struct queue **queues; size_t queue_count; } launch;
        struct { void (CL_CALLBACK *function)(void *); void *args; size_t args_size; struct memobj **memobjs;
                 cl_uint memobj_count; } native;
        struct { void *target; const void *source; size_t size; } svm_copy;
        struct { void *pointer; size_t size; cl_map_flags flags; struct map_record *record; bool done; } svm_map;
        struct { void **pointers; cl_uint count;
                 void (CL_CALLBACK *function)(cl_command_queue, cl_uint, void **, void *);
                 void *data; } svm_free;
        struct { struct memobj **memobjs; cl_uint memobj_count; bool discards; } migrate;
        struct { struct svm_range { uint64_t address; size_t size; } *ranges; cl_uint count; bool discards; } svm_migrate;
        struct { struct semaphore **list; struct event **waiters; cl_uint count; } semaphore;
        struct command_buffer *command_buffer; /* referenced */
    } u;
};
/* clang-format on */

/* Appends ENQUEUE and takes the command. CL_OUT_OF_HOST_MEMORY leaves it with the caller. */
cl_int queue_append(struct command *command);
/* Waits until the present log is consumed. The executing thread and the callback thread return at once, since
 * the log may wait for them. */
void queue_drain(void);
/* The same, and waits for every callback that was posted: released objects are destroyed then. */
void queue_settle(void);
/*
 * For a host call that touches device memory itself: drains the log and keeps every thread from executing
 * until queue_resume. No effect on the executing thread. The caller does not wait in between.
 */
void queue_hold(void);
void queue_resume(void);
/* Flushes the queues of the events and waits until all events are complete or failed. A failed one gives
 * CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST. */
cl_int queue_wait_events(cl_uint count, struct event *const *events);
cl_int queue_finish(struct queue *queue);
void queue_finish_all(void); /* every live queue */
void queue_flush(struct queue *queue);
void queue_user_event_number(struct event *event); /* gives it its serial number */
cl_int queue_user_event_set(struct event *event, cl_int status);
/*
 * The same from a command, while it runs or is dropped: the commands that wait for the event run after it. No
 * effect on an event that is set.
 */
void queue_user_event_signal(struct event *event, cl_int status, const struct command *by);
/* Appends TERMINATE and waits: commands of the context that have not begun fail with
 * CL_CONTEXT_TERMINATED_KHR, and its launches stop. Takes the reference to the context. */
cl_int queue_terminate(struct context *context);
/* Appends CALLBACK and takes the callback. */
struct event_callback;
cl_int queue_event_callback(struct event *event, struct event_callback *callback);
/* At exit: runs what was flushed, then stops the device and callback threads. */
void queue_shutdown(void);
#endif
