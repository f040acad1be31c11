/* SPDX-License-Identifier: Apache-2.0 */
/* Joins of clocks: the entries of all operands are gathered, sorted by chain, and the latest of each chain is
 * kept. Then the prefix grows while the next serial number is in the clock, and entries below it are dropped:
 * so a program that waits for its commands has clocks of constant size. */
#include "command_graph_state.h"

#include <string.h>

#include "sim/memmodel/common/room.h"

static void gather(struct command_graph *graph, const struct chain_entry *chains, uint32_t count)
{
    if (!room_for_more((void **)&graph->scratch, graph->scratch_count, count, &graph->scratch_room,
                       sizeof *graph->scratch)) {
        exhaust(graph);
        return;
    }
    if (count)
        memcpy(graph->scratch + graph->scratch_count, chains, count * sizeof *chains);
    graph->scratch_count += count;
}

static int by_chain_then_latest(const void *a, const void *b)
{
    const struct chain_entry *x = a, *y = b;
    if (x->chain != y->chain)
        return x->chain < y->chain ? -1 : 1;
    return x->serial > y->serial ? -1 : x->serial < y->serial;
}

/* Sorts the entries, and keeps the latest of each chain. */
static void sort_scratch(struct command_graph *graph)
{
    uint32_t kept = 0;
    if (graph->scratch_count > 1)
        qsort(graph->scratch, graph->scratch_count, sizeof *graph->scratch, by_chain_then_latest);
    for (uint32_t i = 0; i < graph->scratch_count; i++)
        if (!kept || graph->scratch[kept - 1].chain != graph->scratch[i].chain)
            graph->scratch[kept++] = graph->scratch[i];
    graph->scratch_count = kept;
}

static bool prefix_can_grow(const struct command_graph *graph, const struct command_clock *clock)
{
    if (clock->prefix >= graph->next)
        return false;
    const struct command_node *node = node_of(graph, clock->prefix);
    return !node || (node->state >= NODE_BEGUN && clock_has(clock, node->chain, clock->prefix));
}

/* Removes the chains that have nothing beyond the prefix. */
static void trim(struct command_clock *clock)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < clock->count; i++)
        if (clock->chains[i].serial >= clock->prefix)
            clock->chains[kept++] = clock->chains[i];
    clock->count = kept;
}

static struct command_clock *clock_from_scratch(struct command_graph *graph, uint32_t prefix)
{
    sort_scratch(graph);
    struct command_clock *clock = malloc(sizeof *clock + graph->scratch_count * sizeof *clock->chains);
    if (!clock)
        return exhaust(graph);
    *clock = (struct command_clock){
        .refs = 1, .prefix = prefix > graph->first ? prefix : graph->first, .count = graph->scratch_count};
    CHECKED(prefix > 0 && prefix <= graph->next);
    if (clock->count)
        memcpy(clock->chains, graph->scratch, clock->count * sizeof *clock->chains);
    while (prefix_can_grow(graph, clock))
        clock->prefix++;
    trim(clock);
    return clock;
}

/* The join of base, the commands in after[], and their clocks. */
struct command_clock *command_clock_merge(struct command_graph *graph, struct command_clock *base,
                                          const uint32_t *after, size_t count)
{
    const struct command_clock *gathered = base;
    uint32_t prefix = base->prefix;
    CHECKED(base->refs > 0);
    graph->scratch_count = 0;
    gather(graph, base->chains, base->count);
    for (size_t i = 0; i < count; i++) {
        const struct command_node *node = node_of(graph, after[i]);
        if (!node || node->state < NODE_BEGUN)
            continue;
        struct chain_entry self = {node->chain, after[i]};
        gather(graph, &self, 1);
        if (node->clock == gathered)
            continue;
        gathered = node->clock;
        prefix = gathered->prefix > prefix ? gathered->prefix : prefix;
        gather(graph, gathered->chains, gathered->count);
    }
    return graph->exhausted ? NULL : clock_from_scratch(graph, prefix);
}

struct command_clock *command_clock_join(struct command_graph *graph, const struct command_clock *a,
                                         const struct command_clock *b)
{
    graph->scratch_count = 0;
    gather(graph, a->chains, a->count);
    gather(graph, b->chains, b->count);
    return graph->exhausted ? NULL : clock_from_scratch(graph, a->prefix > b->prefix ? a->prefix : b->prefix);
}

void command_clock_check(const struct command_graph *graph, const struct command_clock *clock)
{
    CHECKED(clock->refs > 0 && clock->prefix > 0 && clock->prefix <= graph->next);
    for (uint32_t i = 0; i < clock->count; i++) {
        CHECKED(clock->chains[i].chain < graph->tails.count && clock->chains[i].serial < graph->next);
        CHECKED(clock->chains[i].serial >= clock->prefix);
        CHECKED(i == 0 || clock->chains[i - 1].chain < clock->chains[i].chain);
    }
}
