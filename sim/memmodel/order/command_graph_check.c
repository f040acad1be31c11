/* SPDX-License-Identifier: Apache-2.0 */
/* The invariants of the command graph, for builds with assertions. */
#include "command_graph_state.h"

static void check_node(const struct command_graph *graph, uint32_t serial, const struct command_node *node)
{
    CHECKED(node->clock && node->prefix <= graph->host->prefix);
    command_clock_check(graph, node->clock);
    CHECKED(node->step <= graph->step && node->saw <= graph->step);
    CHECKED((node->began > 0) == (node->state >= NODE_BEGUN) && node->began <= graph->events);
    CHECKED((node->ended > 0) == (node->state == NODE_ENDED) && node->ended <= graph->events);
    CHECKED(!node->ended || node->ended >= node->began);
    if (node->state < NODE_BEGUN)
        return;
    CHECKED(node->chain < graph->tails.count && graph->tails.items[node->chain] >= serial);
}

static void check_nodes(const struct command_graph *graph)
{
    CHECKED((graph->room & (graph->room - 1)) == 0 && graph->next - graph->first <= graph->room);
    for (uint32_t i = graph->next - graph->first; i < graph->room; i++)
        CHECKED(graph->nodes[(graph->first + i) & (graph->room - 1)].state == NODE_ABSENT);
    for (uint32_t serial = graph->first; serial < graph->next; serial++) {
        const struct command_node *node = node_of(graph, serial);
        CHECKED(!node || serial >= graph->unended || node->state == NODE_ENDED);
        if (node)
            check_node(graph, serial, node);
    }
}

static void check_chains(const struct command_graph *graph)
{
    CHECKED(graph->tails.count <= graph->tails.room && graph->spare_from <= graph->tails.count);
    for (uint32_t i = 0; i < graph->tails.count; i++)
        CHECKED(graph->tails.items[i] < graph->next &&
                (i >= graph->spare_from || graph->tails.items[i] >= graph->first));
}

static void check_hosts(const struct command_graph *graph)
{
    for (uint32_t i = 0; i < graph->host_count; i++) {
        const struct host_thread *host = &graph->hosts[i];
        CHECKED(host->points.count <= host->points.room && (host->clock || !host->points.count));
        for (uint32_t k = 0; k < host->points.count; k++) {
            command_clock_check(graph, host->points.items[k].clock);
            CHECKED(k == 0 || host->points.items[k - 1].call <= host->points.items[k].call);
        }
    }
}

static void check_set_events(const struct command_graph *graph)
{
    for (uint32_t i = 0; i < graph->set_events.count; i++) {
        command_clock_check(graph, graph->set_events.items[i].clock);
        CHECKED(i == 0 || graph->set_events.items[i - 1].event < graph->set_events.items[i].event);
    }
}

void command_graph_check(const struct command_graph *graph)
{
    if (graph->exhausted) /* without memory entries are missing, and no invariant holds */
        return;
    CHECKED(graph->first > 0 && graph->first <= graph->unended && graph->unended <= graph->next);
    CHECKED(graph->seen_by_all <= graph->step + 1);
    command_clock_check(graph, graph->host);
    check_nodes(graph);
    check_chains(graph);
    check_hosts(graph);
    check_set_events(graph);
}
