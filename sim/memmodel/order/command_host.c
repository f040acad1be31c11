/* SPDX-License-Identifier: Apache-2.0 */
/* Threads of the host. Each has a clock, and a point for each of its calls that added to the clock. A call
 * joins the points of other threads that its thread has received since, by a binary search over their
 * calls. */
#include "command_graph_state.h"

#include <string.h>

#include "sim/memmodel/common/list.h"

static struct host_thread *host_of(struct command_graph *graph, uint32_t thread)
{
    if (thread >= graph->host_count) {
        struct host_thread *hosts = realloc(graph->hosts, (thread + 1) * sizeof *hosts);
        if (!hosts)
            return exhaust(graph);
        memset(hosts + graph->host_count, 0, (thread + 1 - graph->host_count) * sizeof *hosts);
        graph->hosts = hosts;
        graph->host_count = thread + 1;
    }
    struct host_thread *host = &graph->hosts[thread];
    if (!host->clock && !(host->clock = clock_new_empty()))
        return exhaust(graph);
    return host;
}

static bool host_receives(struct command_graph *graph, struct host_thread *host, uint32_t count)
{
    if (count <= host->received_count)
        return true;
    uint32_t *received = realloc(host->received, count * sizeof *received);
    if (!received)
        return exhaust(graph);
    memset(received + host->received_count, 0, (count - host->received_count) * sizeof *received);
    host->received = received;
    host->received_count = count;
    return true;
}

/* The thread's clock after so many of its calls; NULL: the empty one. */
static const struct command_clock *host_clock_at(const struct command_graph *graph, uint32_t thread,
                                                 uint32_t calls)
{
    const struct host_thread *host = thread < graph->host_count ? &graph->hosts[thread] : NULL;
    uint32_t at;
    bisect(host ? host->point_count : 0, at, host->points[at].call > calls);
    return at ? host->points[at - 1].clock : NULL;
}

/* The thread of the call, after joining what it received of other threads. NULL: the threads count as one. */
struct host_thread *command_host_calls(struct command_graph *graph, const struct order_event *event)
{
    const struct host_clock *clock = event->host;
    if (!clock || graph->as_one)
        return NULL;
    graph->several |= clock->several;
    struct host_thread *host = host_of(graph, clock->thread);
    if (!host || !host_receives(graph, host, clock->count))
        return NULL;
    CHECKED(clock->thread < clock->count);
    for (uint32_t i = 0; i < clock->count; i++) {
        const struct command_clock *other = i != clock->thread && clock->at[i] > host->received[i]
                                                ? host_clock_at(graph, i, clock->at[i])
                                                : NULL;
        struct command_clock *both = other ? command_clock_join(graph, host->clock, other) : NULL;
        host->received[i] = clock->at[i];
        if (!both)
            continue;
        clock_unref(host->clock);
        host->clock = both;
    }
    return graph->exhausted ? NULL : host;
}

/* The call is over, and other threads may receive its clock. */
void command_host_called(struct command_graph *graph, struct host_thread *host, uint32_t call)
{
    struct host_point *last = host->point_count ? &host->points[host->point_count - 1] : NULL;
    if (last && last->clock == host->clock)
        return;
    if (!room_for_one((void **)&host->points, host->point_count, &host->point_room, 8,
                      sizeof *host->points)) {
        exhaust(graph);
        return;
    }
    host->points[host->point_count++] = (struct host_point){call, clock_ref(host->clock)};
}

void command_host_free_all(struct command_graph *graph)
{
    for (uint32_t i = 0; i < graph->host_count; i++) {
        struct host_thread *host = &graph->hosts[i];
        for (uint32_t k = 0; k < host->point_count; k++)
            clock_unref(host->points[k].clock);
        clock_unref(host->clock);
        free(host->points);
        free(host->received);
    }
    free(graph->hosts);
    graph->hosts = NULL;
    graph->host_count = 0;
}
