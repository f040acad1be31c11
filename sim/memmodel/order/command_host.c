/* SPDX-License-Identifier: Apache-2.0 */
/* Threads of the host. Each has a clock, and a point for each of its calls that added to the clock. A call
 * joins the points of other threads that its thread has received since, by a binary search over their
 * calls. */
#include "command_graph_state.h"

#include "sim/memmodel/common/list.h"

static struct host_thread *host_of(struct command_graph *graph, uint32_t thread)
{
    if (!room_of_zeros((void **)&graph->hosts, &graph->host_count, thread + 1, sizeof *graph->hosts))
        return exhaust(graph);
    struct host_thread *host = &graph->hosts[thread];
    if (!host->clock && !(host->clock = clock_new_empty()))
        return exhaust(graph);
    return host;
}

/* The thread's clock after so many of its calls; NULL: the empty one. */
static const struct command_clock *host_clock_at(const struct command_graph *graph, uint32_t thread,
                                                 uint32_t calls)
{
    const struct host_thread *host = thread < graph->host_count ? &graph->hosts[thread] : NULL;
    uint32_t at;
    bisect(host ? host->points.count : 0, at, host->points.items[at].call > calls);
    return at ? host->points.items[at - 1].clock : NULL;
}

/* The thread of the call, after joining what it received of other threads. NULL: the threads count as one. */
struct host_thread *command_host_calls(struct command_graph *graph, const struct order_event *event)
{
    const struct host_clock *clock = event->host;
    if (!clock || graph->as_one)
        return NULL;
    graph->several |= clock->several;
    struct host_thread *host = host_of(graph, clock->thread);
    if (!host)
        return NULL;
    if (!room_of_zeros((void **)&host->received, &host->received_count, clock->count, sizeof *host->received))
        return exhaust(graph);
    CHECKED(clock->thread < clock->count);
    for (uint32_t i = 0; i < clock->count; i++) {
        const struct command_clock *other = i != clock->thread && clock->at[i] > host->received[i]
                                                ? host_clock_at(graph, i, clock->at[i])
                                                : NULL;
        if (other)
            clock_replace(&host->clock, command_clock_join(graph, host->clock, other));
        host->received[i] = clock->at[i];
    }
    return graph->exhausted ? NULL : host;
}

/* The call is over, and other threads may receive its clock. */
void command_host_called(struct command_graph *graph, struct host_thread *host, uint32_t call)
{
    const uint32_t count = host->points.count;
    if (count && host->points.items[count - 1].clock == host->clock)
        return;
    if (list_add(&host->points, (struct host_point){call, host->clock}))
        clock_ref(host->clock);
    else
        exhaust(graph);
}

/* ---- user events ---------------------------------------------------------------------- */

/* A command that another thread enqueues later, and that waits for the event, comes after the call that set
 * it. With one thread the command has the clock of that call in any case. */
void command_host_set(struct command_graph *graph, uint32_t event, struct command_clock *clock)
{
    if (!graph->several || graph->as_one)
        return;
    if (!list_add(&graph->set_events, (struct set_event){0})) {
        exhaust(graph);
        return;
    }
    uint32_t at = graph->set_events.count - 1;
    for (; at && graph->set_events.items[at - 1].event > event; at--)
        graph->set_events.items[at] = graph->set_events.items[at - 1];
    graph->set_events.items[at] = (struct set_event){event, clock_ref(clock)};
}

const struct command_clock *command_host_clock_at_set(const struct command_graph *graph, uint32_t event)
{
    uint32_t at;
    bisect(graph->set_events.count, at, graph->set_events.items[at].event > event);
    const struct set_event *set = at && !graph->as_one ? &graph->set_events.items[at - 1] : NULL;
    return set && set->event == event ? set->clock : NULL;
}

void command_host_free_all(struct command_graph *graph)
{
    for (uint32_t i = 0; i < graph->host_count; i++) {
        struct host_thread *host = &graph->hosts[i];
        for (uint32_t k = 0; k < host->points.count; k++)
            clock_unref(host->points.items[k].clock);
        clock_unref(host->clock);
        list_fini(&host->points);
        free(host->received);
    }
    for (uint32_t i = 0; i < graph->set_events.count; i++)
        clock_unref(graph->set_events.items[i].clock);
    list_fini(&graph->set_events);
    free(graph->hosts);
    graph->hosts = NULL;
    graph->host_count = 0;
}
