/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Edges between commands, made when the log is consumed. A command counts the events that it still waits for
 * (`unmet`), and an event lists its waiters; when the event is settled each waiter's count falls, and a
 * submitted command whose count is 0 is ready. Edges come from wait lists (OpenCL 3.0 API, 5.11), from
 * in-order queues, and from markers and barriers (5.12).
 */
#include "graph.h"

#include <stdlib.h>

#include "orrery/checked.h"
#include "api_runtime.h"
#include "command.h"
#include "event.h"

static bool waits_for(const struct command *command, const struct event *event)
{
    for (cl_uint i = 0; i < command->wait_count; i++)
        if (command->waits[i] == event)
            return true;
    return false;
}

/* A failed event fails the commands that have it in their wait list, not those that only follow in the
 * queue. */
static void depend(struct command *command, struct event *event)
{
    CHECKED(event != command->event);
    if (!event_pending(event))
        command->failed |= event->status < 0 && waits_for(command, event);
    else if (event_add_waiter(event, command))
        command->unmet++;
    else
        command->failed = true;
}

static void meet_edge(struct command *command, const struct event *event, struct ready *ready)
{
    CHECKED(command->unmet > 0 && !command->running);
    command->failed |= event->status < 0 && waits_for(command, event);
    if (--command->unmet == 0 && command->submitted)
        ready_add(ready, command);
}

static void link_order(struct command *command)
{
    struct queue *queue = command->queue;
    if (!(queue->properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)) {
        if (queue->last)
            depend(command, queue->last->event);
        return;
    }
    if (command_waits_for_all(command))
        for (struct command *earlier = queue->first; earlier; earlier = earlier->next)
            depend(command, earlier->event);
    else if (queue->barrier)
        depend(command, queue->barrier);
    if (command->kind == COMMAND_BARRIER)
        queue->barrier = command->event;
}

void graph_link(struct command *command)
{
    CHECKED(runtime_lock_held() && !command->submitted && !command->unmet);
    struct queue *queue = command->queue;
    command->event->time[EVENT_QUEUED] = device_clock(queue->device->device);
    CHECKED(!queue->last || queue->last->serial < command->serial);
    for (cl_uint i = 0; i < command->wait_count; i++)
        depend(command, command->waits[i]);
    link_order(command);
    command->previous = queue->last;
    *(queue->last ? &queue->last->next : &queue->first) = command;
    queue->last = command;
}

void graph_unlink(struct command *command)
{
    CHECKED(runtime_lock_held() && !command->unmet);
    CHECKED(command->previous ? command->previous->next == command : command->queue->first == command);
    struct queue *queue = command->queue;
    *(command->previous ? &command->previous->next : &queue->first) = command->next;
    *(command->next ? &command->next->previous : &queue->last) = command->previous;
    if (queue->barrier == command->event)
        queue->barrier = NULL;
}

static void submit(struct command *command, struct ready *ready)
{
    CHECKED(!command->submitted && command->event->status == CL_QUEUED);
    command->submitted = true;
    command->event->time[EVENT_SUBMIT] = device_clock_submit(command->queue->device->device);
    event_advance(command->event, CL_SUBMITTED);
    if (command->unmet == 0)
        ready_add(ready, command);
}

/* Commands are submitted in queue order, so those that are not are the last ones. */
void graph_submit(const struct queue *queue, struct ready *ready)
{
    struct command *first = NULL;
    for (struct command *command = queue->last; command && !command->submitted; command = command->previous)
        first = command;
    for (; first; first = first->next)
        submit(first, ready);
}

static uint32_t remove_waiter(struct event *event, const struct command *command)
{
    size_t kept = 0;
    for (size_t i = 0; i < event->waiter_count; i++)
        if (event->waiters[i] != command)
            event->waiters[kept++] = event->waiters[i];
    const uint32_t removed = (uint32_t)(event->waiter_count - kept);
    event->waiter_count = kept;
    CHECKED(kept <= event->waiter_room);
    return removed;
}

void graph_forget_host(struct command *command, struct ready *ready)
{
    const uint32_t before = command->unmet;
    CHECKED(runtime_lock_held());
    for (cl_uint i = 0; i < command->wait_count; i++)
        if (!command->waits[i]->queue)
            command->unmet -= remove_waiter(command->waits[i], command);
    if (before && command->unmet == 0)
        ready_add(ready, command);
}

/* A build with checks does not walk longer queues at each event, since that would be quadratic. */
static bool is_short(const struct queue *queue)
{
    enum { CHECKED_COMMANDS = 32 };
    uint32_t count = 0;
    for (const struct command *command = queue->first; command && count <= CHECKED_COMMANDS; count++)
        command = command->next;
    return count <= CHECKED_COMMANDS;
}
void graph_settle(struct event *event, cl_int status, struct ready *ready)
{
    CHECKED(runtime_lock_held() && status <= CL_COMPLETE && event_pending(event));
    struct command **waiters = event->waiters;
    size_t count = event->waiter_count;
    event->waiters = NULL;
    event->waiter_count = event->waiter_room = 0;
    event_advance(event, status);
    for (size_t i = 0; i < count; i++)
        meet_edge(waiters[i], event, ready);
    free(waiters);
    if (CHECKS_ON && event->queue && is_short(event->queue))
        graph_check(event->queue);
}

/* ---- invariants ------------------------------------------------------------------ */

/* How often the command is among the waiters of the event. */
static uint32_t edges_from(const struct event *event, const struct command *command)
{
    uint32_t count = 0;
    for (size_t i = 0; i < event->waiter_count; i++)
        count += event->waiters[i] == command;
    return count;
}

static bool waited_for_before(const struct command *command, cl_uint index)
{
    for (cl_uint i = 0; i < index; i++)
        if (command->waits[i] == command->waits[index])
            return true;
    return false;
}

/* Edges from the wait list, and from earlier commands of its queue. */
static uint32_t edges_to(const struct command *command)
{
    uint32_t count = 0;
    for (cl_uint i = 0; i < command->wait_count; i++)
        count += waited_for_before(command, i) ? 0 : edges_from(command->waits[i], command);
    for (const struct command *earlier = command->previous; earlier; earlier = earlier->previous)
        count += waits_for(command, earlier->event) ? 0 : edges_from(earlier->event, command);
    return count;
}

static void check_command(const struct queue *queue, const struct command *command)
{
    const struct command *previous = command->previous, *next = command->next;
    CHECKED(command->queue == queue && command->event->queue == queue);
    CHECKED(previous ? previous->next == command : queue->first == command);
    CHECKED(next ? next->previous == command : queue->last == command);
    CHECKED(!previous || previous->serial < command->serial);
    CHECKED(!previous || previous->submitted || !command->submitted);
    CHECKED(event_pending(command->event) && command->event->serial == command->serial);
    CHECKED(!command->running || (command->submitted && !command->unmet));
    CHECKED(command->unmet == edges_to(command));
}

void graph_check(const struct queue *queue)
{
    bool has_barrier = !queue->barrier;
    CHECKED(!queue->first == !queue->last);
    for (const struct command *command = queue->first; command; command = command->next) {
        check_command(queue, command);
        has_barrier |= command->event == queue->barrier;
    }
    CHECKED(has_barrier);
}
