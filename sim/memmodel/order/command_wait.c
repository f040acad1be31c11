/* SPDX-License-Identifier: Apache-2.0 */
/* Commands that wait for user events. A hash table has the commands of each event that may not be set yet;
 * when it is set they get the setter's clock. */
#include "command_graph_state.h"

#include "orrery/rule.h"
#include "sim/memmodel/common/room.h"

static struct user_wait *wait_find(const struct command_graph *graph, uint32_t event)
{
    struct user_wait *wait = NULL;
    HASH_FIND(hh, graph->waits, &event, sizeof event, wait);
    return wait;
}

void command_wait_add(struct command_graph *graph, uint32_t event, uint32_t command)
{
    struct user_wait *wait = wait_find(graph, event);
    if (!wait) {
        wait = calloc(1, sizeof *wait);
        if (!wait) {
            exhaust(graph);
            return;
        }
        wait->event = event;
        HASH_ADD(hh, graph->waits, event, sizeof wait->event, wait);
        if (!wait_find(graph, event)) {
            free(wait);
            exhaust(graph);
            return;
        }
    }
    if (!room_for_one((void **)&wait->commands, wait->count, &wait->room, 2, sizeof *wait->commands)) {
        exhaust(graph);
        return;
    }
    wait->commands[wait->count++] = command;
    CHECKED(wait->count <= wait->room && wait->event != command);
}

static void wait_drop(struct command_graph *graph, struct user_wait *wait)
{
    HASH_DEL(graph->waits, wait);
    free(wait->commands);
    free(wait);
}

static struct command_clock *clock_at_set(struct command_graph *graph, const struct command_node *node,
                                          const struct order_event *event, const struct host_thread *host)
{
    if (event->after_count)
        return command_clock_merge(graph, node->clock, event->after, event->after_count);
    return node->set_by_commands || host ? command_clock_join(graph, node->clock, caller_clock(graph, host))
                                         : clock_ref(graph->host);
}

/* Rule (12): the commands that wait for a user event get the host's clock when it sets the event; or the
 * clocks of the commands that set it (cl_khr_semaphore). */
void command_wait_user_set(struct command_graph *graph, const struct order_event *event,
                           const struct host_thread *host)
{
    struct user_wait *wait = wait_find(graph, event->command);
    if (!wait || !RULE(13112))
        return;
    for (size_t i = 0; i < wait->count && !graph->exhausted; i++) {
        struct command_node *node = node_of(graph, wait->commands[i]);
        if (!node || node->state != NODE_ENQUEUED)
            continue;
        struct command_clock *clock = clock_at_set(graph, node, event, host);
        if (!clock)
            return;
        clock_unref(node->clock);
        node->clock = clock;
        node->set_by_commands |= event->after_count;
        if (event->after_count)
            command_graph_join_seen_steps(graph, node, event->after, event->after_count);
        else
            node->saw = graph->step;
    }
    wait_drop(graph, wait);
}

void command_wait_forget(struct command_graph *graph, uint32_t serial, const struct command_node *node)
{
    for (size_t i = 0; graph->waits && i < node->after_count; i++) {
        struct user_wait *wait = wait_find(graph, node->after[i]);
        for (size_t at = 0; wait && at < wait->count; at++) {
            if (wait->commands[at] != serial)
                continue;
            wait->commands[at] = wait->commands[--wait->count];
            if (!wait->count)
                wait_drop(graph, wait);
            break;
        }
    }
}

void command_wait_free_all(struct command_graph *graph)
{
    struct user_wait *wait, *following;
    HASH_ITER(hh, graph->waits, wait, following)
    {
        HASH_DEL(graph->waits, wait);
        free(wait->commands);
        free(wait);
    }
}
