/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Commands, the graph between them, and their execution.
 *
 * The log. Every host call that can make commands runnable appends one entry: ENQUEUE, RUN (flush, finish,
 * wait, blocking call, status query of a flushed command), USER (a user event was set) or TERMINATE (a
 * context was). The executor consumes the log in order; at RUN it executes everything that is submitted and
 * ready, to quiescence, before it looks at the next entry. Among ready commands the scenario's policy chooses
 * (lockstep and serial: lowest serial number). So the order of execution is a function of the log and the
 * seed. Launches whose compute units differ run at the same time (orrery/device.h, device_run), others one
 * after another, unless all that run only spin. So that kernels of different devices start together, a flush
 * is a SUBMIT when the process has queues without a common compute unit: it lets run nothing; the next call
 * that waits or queries appends GO. It is a RUN nevertheless once the host may see effects without such a
 * call (callbacks, native kernels). CALLBACK entries attach event callbacks, so their order is one too. An
 * event's status, times and edges are "as of the consumed log"; a host call that needs later ones drains the
 * log first.
 *
 * The executor lock. One thread at a time executes. A host thread that must wait takes the
 * executor lock and executes itself; clFlush and clSetUserEventStatus wake the device thread,
 * which is started on first need (so fork before the first wake is harmless). Callbacks go to
 * the callback thread in order; no lock is held while they run.
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
    uint32_t serial;             /* in the log: what findings and events call it */
    struct queue *queue;         /* borrowed from the event */
    struct event *event;         /* always there; referenced */
    struct event **waits; cl_uint wait_count; /* the wait list; referenced */
    struct call_site *made;      /* where it was enqueued; NULL: not recorded */
    const struct enqueuer *enqueuer; /* likewise, for races */
    uint32_t batch;             /* see enqueue_batch */
    /* room for order.c: wait_count + 1 serial numbers; NULL without observers */
    uint32_t *after;
    /* owned by the executor */
    struct command *next, *previous; /* in the queue */
    struct command *next_running;
    struct live_launch *live;    /* a launch that began and is not over */
    uint32_t unmet;              /* events it waits for */
    bool submitted, running, failed; /* failed: an event of its wait list did */
    bool writes_host;            /* host_bytes.c's */
    bool blocking;               /* the call that enqueued it waits for it */
    /* when it was enqueued its queue was the only one of the context, and in order */
    bool alone;
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
/* Blocks until the log as it stands now is consumed. The executing thread and the
 * callback thread return at once: what they wait for may be themselves. */
void queue_drain(void);
/* The same, and every callback so far has returned: what the program released is gone. */
void queue_settle(void);
/*
 * For a host call that touches device memory itself: drains the log and keeps every thread from executing
 * until queue_let_go. A no-op on the executing thread. Short: no waiting inside.
 */
void queue_hold(void);
void queue_let_go(void);
/* Flushes their queues and waits until all are complete or failed; one that failed gives
 * CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST. */
cl_int queue_wait_events(cl_uint count, struct event *const *events);
cl_int queue_finish(struct queue *queue);
void queue_finish_all(void); /* every queue there is */
void queue_flush(struct queue *queue);
void queue_user_event_number(struct event *event); /* gives it its serial number */
cl_int queue_user_event_set(struct event *event, cl_int status);
/*
 * The same from a command, while it runs or is dropped: what waits continues after it. No effect when set
 * already.
 */
void queue_user_event_signal(struct event *event, cl_int status, const struct command *by);
/* Appends TERMINATE: every command of the context that has not run ends with CL_CONTEXT_TERMINATED_KHR,
 * launches stop. */
cl_int queue_terminate(struct context *context);
/* Appends CALLBACK and takes the callback. */
struct event_callback;
cl_int queue_event_callback(struct event *event, struct event_callback *callback);
/* At exit: runs what was flushed, then stops the device and callback threads. */
void queue_shutdown(void);
/* Runs function(data) on the callback thread, in order. */
void callback_post(void (*function)(void *), void *data);
#endif
