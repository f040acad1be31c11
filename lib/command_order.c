/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each call announces its edges as serial numbers of commands. The frontier of a queue is a set of commands
 * such that every earlier command of the queue is ordered before one of them: in an in-order queue the last
 * command; in an out-of-order queue the last command that waits for all before it, and those after it.
 * RULE(n) names the rule of 3.3.6: 13103 is rule (3), and so on.
 */
#include "command_order.h"

#include <stdlib.h>
#include <string.h>

#include "orrery/checked.h"
#include "callback.h"
#include "command.h"
#include "event.h"
#include "executor.h"
#include "lib/host/guard.h"
#include "lib/diagnose/host_gone.h"
#include "lib/host/host_changed.h"
#include "lib/record/host_clock.h"
#include "lib/record/host_log.h"
#include "orrery/rule.h"
#include "api_runtime.h"
#include "lib/host/shared_bytes.h"

bool order_observed(void)
{
    return device_observes_order(runtime_device());
}

/*
 * Waits for the posted callbacks; true: all have returned. A recorded run gives them the call lock even if
 * all have returned, because that is chance, and records whether it did so. In a replay all have returned
 * when the record gives the call lock back.
 */
static bool wait_for_callbacks(void)
{
    const enum host_log_yields yields = host_log_yields();
    if (!host_log_active())
        return callback_wait();
    if (yields == YIELDS_NOT || (!yields && !event_callbacks_posted()))
        return yields != YIELDS_NOT;
    host_log_pause();
    const bool all = yields || callback_wait();
    host_log_yield();
    return all;
}

/* Were callbacks attached or posted since then? A replay follows the record. */
static bool has_more(uint64_t before)
{
    const enum host_log_yields yields = host_log_yields();
    return yields ? yields == YIELDS : event_callbacks_steps() != before;
}

/* Callbacks may enqueue commands with callbacks, and so on for ever: hence the limit. drain: execute the
 * log, too. */
static void settle(bool drain)
{
    enum { ROUNDS = 64 };
    if (!order_observed() || executor_is_here() || callback_thread())
        return;
    bool more = true;
    for (int round = 0; more && round < ROUNDS; round++) {
        const uint64_t before = event_callbacks_steps();
        if (drain || event_callbacks_due())
            queue_drain();
        more = wait_for_callbacks();
        if (drain)
            queue_drain();
        more &= has_more(before);
    }
}

void order_settle(void)
{
    settle(false);
}

void order_settle_all(void)
{
    settle(true);
}

static bool in_order(const struct queue *queue)
{
    return !(queue->properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
}

/* ---- the frontier of a queue -------------------------------------------------------- */

static bool frontier_reserve(struct queue *queue, size_t count)
{
    if (count <= queue->frontier_room)
        return true;
    size_t room = 2 * count + 2;
    uint32_t *grown = realloc(queue->frontier, room * sizeof *grown);
    if (!grown)
        return false;
    queue->frontier = grown;
    queue->frontier_room = room;
    return true;
}

static void frontier_add(struct queue *queue, const struct command *command)
{
    CHECKED(runtime_lock_held() && command->serial);
    if (in_order(queue) || command_waits_for_all(command))
        queue->frontier_count = 0;
    queue->frontier[queue->frontier_count++] = command->serial;
    CHECKED(queue->frontier_count <= queue->frontier_room &&
            (!in_order(queue) || queue->frontier_count == 1));
    if (command->kind == COMMAND_BARRIER)
        queue->frontier_barrier = command->serial;
}

/* ---- commands ------------------------------------------------------------------------ */

/* The serial number of the map that an unmap ends; 0: another command, or one of several maps of its
 * range. */
static uint32_t map_of(const struct command *command)
{
    const bool svm = command->kind == COMMAND_SVM_UNMAP;
    const struct map_record *record = svm                                         ? command->u.svm_map.record
                                      : command->kind == COMMAND_UNMAP_MEM_OBJECT ? command->u.map.record
                                                                                  : NULL;
    return record && !record->aliased.any ? record->by : 0;
}

/* This call comes from a callback, or from a function that a command runs. */
static bool is_nested_call(void)
{
    return callback_thread() || executor_is_here();
}

/* The vector clock of a call by a host thread. Effects of callbacks and native kernels count as done by every
 * thread, so their calls have none. */
static const struct host_clock *clock_of_call(struct host_clock *clock)
{
    return !is_nested_call() && host_clock_tick(clock) ? clock : NULL;
}

static void announce(enum order_kind kind, const struct command *command, const uint32_t *after, size_t count,
                     bool program)
{
    const struct queue *queue = command->queue;
    struct host_clock clock;
    struct order_event event = {.kind = kind,
                                .host = kind == ORDER_ENQUEUED ? clock_of_call(&clock) : NULL,
                                .command = command->serial,
                                .queue = queue->base.id,
                                .device = queue->device->base.id,
                                .call = command_call(command->kind),
                                .after = after,
                                .after_count = count,
                                .enqueuer = command->enqueuer,
                                .batch = command->batch,
                                .program = program,
                                .map = kind == ORDER_ENQUEUED ? map_of(command) : 0,
                                .time = kind == ORDER_ENQUEUED ? 0 : device_clock(queue->device->device)};
    device_order(queue->device->device, &event);
}

/* Room for the wait list and one more: the predecessor in the queue, or its barrier. */
bool order_reserve(struct command *command)
{
    if (!order_observed())
        return true;
    command->after = malloc((command->wait_count + 1) * sizeof *command->after);
    return command->after && frontier_reserve(command->queue, command->queue->frontier_count + 1);
}

void order_enqueued(const struct command *command)
{
    CHECKED(!order_observed() || command->after); /* order_reserve */
    struct queue *queue = command->queue;
    size_t count = 0;
    if (!order_observed())
        return;
    shared_bytes_look();
    if (!in_order(queue) && command_waits_for_all(command)) {
        announce(ORDER_ENQUEUED, command, queue->frontier, RULE(13106) ? queue->frontier_count : 0,
                 is_nested_call());
    } else {
        for (cl_uint i = 0; i < command->wait_count && RULE(13103); i++)
            command->after[count++] = command->waits[i]->serial;
        if (in_order(queue) && queue->frontier_count && RULE(13105))
            command->after[count++] = queue->frontier[0];
        else if (!in_order(queue) && queue->frontier_barrier && RULE(13107))
            command->after[count++] = queue->frontier_barrier;
        announce(ORDER_ENQUEUED, command, command->after, count, is_nested_call());
    }
    frontier_add(queue, command);
    guard_enqueued(command);
}

bool order_alone(const struct queue *queue)
{
    return in_order(queue) && queue->context->queues == queue && !queue->next_in_context;
}

bool order_alone_still(const struct command *command)
{
    runtime_lock();
    const bool alone = command->alone && command->serial <= command->queue->alone_until;
    runtime_unlock();
    return alone;
}

void order_begin(const struct command *command, bool program)
{
    if (order_observed())
        announce(ORDER_BEGIN, command, NULL, 0, program);
}

void order_end(const struct command *command)
{
    if (order_observed())
        announce(ORDER_END, command, NULL, 0, false);
}

/* ---- the host ------------------------------------------------------------------------- */

void order_user_set(const struct event *event)
{
    struct order_event set = {.kind = ORDER_ENQUEUED,
                              .command = event->serial,
                              .call = "clSetUserEventStatus",
                              .program = is_nested_call()};
    struct host_clock clock;
    if (!order_observed())
        return;
    set.host = clock_of_call(&clock);
    shared_bytes_look();
    device_order(runtime_device(), &set);
}

void order_signalled(const struct event *event, const struct command *by)
{
    struct order_event set = {.kind = ORDER_ENQUEUED,
                              .command = event->serial,
                              .call = command_call(by->kind),
                              .after = &by->serial,
                              .after_count = 1};
    if (order_observed())
        device_order(runtime_device(), &set);
}

static void announce_wait(const uint32_t *serials, size_t count)
{
    struct order_event event = {.kind = ORDER_HOST_WAITED, .after = serials, .after_count = count};
    struct host_clock clock;
    if (!count)
        return;
    event.host = clock_of_call(&clock);
    shared_bytes_look();
    host_gone_look();
    host_changed_look();
    device_order(runtime_device(), &event);
    guard_waited();
}

void order_waited(struct event *const *events, size_t count)
{
    uint32_t serials[64];
    size_t some = 0;
    if (!order_observed())
        return;
    for (size_t i = 0; i < count; i++) {
        serials[some++] = events[i]->serial;
        CHECKED(events[i]->serial);
        if (some == sizeof serials / sizeof serials[0] || i + 1 == count) {
            announce_wait(serials, some);
            some = 0;
        }
    }
}

static void announce_query(enum order_kind kind, const struct event *event)
{
    struct order_event query = {.kind = kind, .command = event->serial};
    if (!order_observed())
        return;
    guard_report();
    host_gone_look();
    host_changed_look();
    device_order(runtime_device(), &query);
    guard_waited();
}

void order_queried(const struct event *event)
{
    announce_query(ORDER_HOST_ASKED, event);
}

void order_reported(const struct event *event)
{
    announce_query(ORDER_HOST_REPORTED, event);
}

bool order_finish_begin(const struct queue *queue, struct order_list *out_list)
{
    *out_list = (struct order_list){NULL, 0};
    if (!order_observed() || !queue->frontier_count)
        return true;
    out_list->serials = malloc(queue->frontier_count * sizeof *out_list->serials);
    if (!out_list->serials)
        return false;
    memcpy(out_list->serials, queue->frontier, queue->frontier_count * sizeof *out_list->serials);
    out_list->count = queue->frontier_count;
    return true;
}

void order_finish_end(struct order_list *list)
{
    announce_wait(list->serials, RULE(13108) ? list->count : 0);
    free(list->serials);
}
