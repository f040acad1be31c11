/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The objects of the host program as JSON, for a debugger in its process. A command is freed as it ends, so
 * the latest DEBUG_HOST_KEPT ended commands are kept in a ring while a debugger is attached.
 */
#include "debug_host.h"

#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "executor.h"
#include "lib/diagnose/caller.h"

struct ended_command {
    uint32_t serial, queue;
    enum command_kind kind;
    cl_int err;
    const struct enqueuer *enqueuer;
};

static struct {
    bool watches;
    struct ended_command ended[DEBUG_HOST_KEPT]; /* a ring; guarded by runtime_lock */
    uint64_t count;
} kept;

void debug_host_watch(void)
{
    caller_always();
    __atomic_store_n(&kept.watches, true, __ATOMIC_RELEASE);
}

void debug_host_over(const struct command *command, cl_int err)
{
    if (!__atomic_load_n(&kept.watches, __ATOMIC_ACQUIRE))
        return;
    kept.ended[kept.count++ % DEBUG_HOST_KEPT] = (struct ended_command){
        command->serial, command->queue->base.id, command->kind, err, command->enqueuer};
}

/* ---- places and states ------------------------------------------------------------------------------- */

static void add_place(json_t *row, const struct enqueuer *enqueuer)
{
    const struct host_place *found = enqueuer ? caller_place(enqueuer) : NULL;
    if (!found)
        return;
    /* without the suffix of a function that the compiler has changed: launch.isra.0 */
    if (found->function[0])
        json_object_set_new(row, "function", json_stringn(found->function, strcspn(found->function, ".")));
    if (found->text[0])
        json_object_set_new(row, "file", json_string(found->text));
    if (found->place.line)
        json_object_set_new(row, "line", json_integer(found->place.line));
}

static const char *state_name(cl_int status)
{
    static const char *const names[] = {"complete", "running", "submitted", "queued"};
    _Static_assert(CL_COMPLETE == 0 && CL_RUNNING == 1 && CL_SUBMITTED == 2 && CL_QUEUED == 3, "names[]");
    return status < 0 ? "failed" : names[status & 3];
}

static void add_state(json_t *row, cl_int status)
{
    json_object_set_new(row, "state", json_string(state_name(status)));
    if (status < 0)
        json_object_set_new(row, "error", json_integer(status));
}

/* ---- commands ---------------------------------------------------------------------------------------- */

static json_t *row_of_command(uint32_t serial, enum command_kind kind, uint32_t queue)
{
    return json_pack("{s:I,s:s,s:I}", "command", (json_int_t)serial, "call", command_call(kind), "queue",
                     (json_int_t)queue);
}

static json_t *describe_over(const struct ended_command *ended)
{
    json_t *row = row_of_command(ended->serial, ended->kind, ended->queue);
    add_state(row, ended->err < 0 ? ended->err : CL_COMPLETE);
    add_place(row, ended->enqueuer);
    return row;
}

static json_t *describe_command(const struct command *command)
{
    json_t *row = row_of_command(command->serial, command->kind, command->queue->base.id);
    if (command_launches(command))
        json_object_set_new(row, "kernel", json_string(kernel_info(command->u.launch.request.kernel)->name));
    add_state(row, command->event->status);
    add_place(row, command->enqueuer);
    return row;
}

struct host_listing {
    json_t *commands;
    uint32_t wanted; /* a serial number; 0: all commands */
    json_t *found;
};

static void visit(void *self, const struct command *command)
{
    struct host_listing *listing = self;
    if (!listing->wanted)
        json_array_append_new(listing->commands, describe_command(command));
    else if (listing->wanted == command->serial && !listing->found)
        listing->found = describe_command(command);
}

static void visit_queues(struct object *const *objects, size_t count, struct host_listing *listing)
{
    for (size_t i = 0; i < count; i++) {
        if (objects[i]->kind != OBJECT_QUEUE)
            continue;
        const struct queue *queue = (const struct queue *)(const void *)objects[i];
        for (const struct command *command = queue->first; command; command = command->next)
            visit(listing, command);
    }
}

static json_int_t number_of(const json_t *row)
{
    return json_integer_value(json_object_get(row, "command"));
}

static int by_number(const void *a, const void *b)
{
    const json_int_t x = number_of(*(json_t *const *)a), y = number_of(*(json_t *const *)b);
    return x < y ? -1 : x > y;
}

/* Removes duplicates: a command that leaves the log during the visit is found in its queue, too. */
static json_t *each_once(json_t *list)
{
    const size_t count = json_array_size(list);
    json_t **at = calloc(count + 1, sizeof *at), *out = json_array();
    for (size_t i = 0; at && i < count; i++)
        at[i] = json_array_get(list, i);
    if (at)
        qsort(at, count, sizeof *at, by_number);
    for (size_t i = 0; at && i < count; i++)
        if (!i || number_of(at[i]) != number_of(at[i - 1]))
            json_array_append(out, at[i]);
    free(at);
    json_decref(list);
    return out;
}

static json_t *list_commands(struct object *const *objects, size_t count)
{
    struct host_listing listing = {.commands = json_array()};
    for (uint64_t i = kept.count > DEBUG_HOST_KEPT ? kept.count - DEBUG_HOST_KEPT : 0; i < kept.count; i++)
        json_array_append_new(listing.commands, describe_over(&kept.ended[i % DEBUG_HOST_KEPT]));
    visit_queues(objects, count, &listing);
    executor_visit(visit, &listing);
    return each_once(listing.commands);
}

/* ---- queues and events ------------------------------------------------------------------------------- */

static json_t *describe_queue(const struct queue *queue)
{
    json_int_t commands = 0;
    for (const struct command *command = queue->first; command; command = command->next)
        commands++;
    return json_pack("{s:I,s:b,s:b,s:I,s:I}", "queue", (json_int_t)queue->base.id, "out_of_order",
                     (queue->properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) != 0, "on_device",
                     (queue->properties & CL_QUEUE_ON_DEVICE) != 0, "device",
                     (json_int_t)queue->device->base.id, "unfinished", commands);
}

/* A user event is queued or set; another event has the state of its command. */
static json_t *describe_event(const struct event *event)
{
    json_t *row = json_pack("{s:I,s:b}", "event", (json_int_t)event->base.id, "user", event->queue == NULL);
    if (event->queue) {
        json_object_set_new(row, "command", json_integer(event->serial));
        json_object_set_new(row, "queue", json_integer(event->queue->base.id));
    }
    add_state(row, event->status);
    return row;
}

json_t *debug_host_program(void *self)
{
    (void)self;
    size_t count = 0;
    json_t *queues = json_array(), *events = json_array();
    runtime_lock();
    struct object **objects = object_list(1u << OBJECT_QUEUE | 1u << OBJECT_EVENT, &count);
    for (size_t i = 0; i < count; i++) {
        if (objects[i]->kind == OBJECT_QUEUE)
            json_array_append_new(queues, describe_queue((const struct queue *)(const void *)objects[i]));
        if (objects[i]->kind == OBJECT_EVENT)
            json_array_append_new(events, describe_event((const struct event *)(const void *)objects[i]));
    }
    json_t *commands = list_commands(objects, count);
    runtime_unlock();
    object_list_free(objects, count);
    return json_pack("{s:o,s:o,s:o}", "queues", queues, "commands", commands, "events", events);
}

json_t *debug_host_enqueued(void *self, uint32_t command)
{
    (void)self;
    struct host_listing listing = {.wanted = command};
    if (!command)
        return NULL;
    size_t count = 0;
    runtime_lock();
    struct object **objects = object_list(1u << OBJECT_QUEUE | 1u << OBJECT_EVENT, &count);
    visit_queues(objects, count, &listing);
    executor_visit(visit, &listing);
    runtime_unlock();
    object_list_free(objects, count);
    return listing.found;
}
