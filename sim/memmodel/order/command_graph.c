/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Happens-before of commands: a vector clock for each command and for the host, extended by each order event.
 *
 * A command gets the host's clock when it is enqueued, and joins the clocks of the commands that it waits for
 * when it begins. Clocks are compressed by chains and by a prefix that grows whenever the next serial number
 * is in the clock, so a program that waits for its commands has clocks of constant size. Commands below the
 * host's prefix, and below that of every command which has not ended, are forgotten: they happen before all
 * that comes. A command that waits for a user event gets the setter's clock, also where another thread
 * enqueues it when the event is set already.
 */
#include "command_graph_state.h"

#include <string.h>

#include "orrery/limits.h"
#include "orrery/rule.h"

/* A build with assertions checks the whole graph after so many events, if it has no more nodes than that. */
enum { CHECKED_EVERY = 16, CHECKED_NODES = 256 };
/* A thread that the others have no order with may enqueue with an empty clock at any time. So with several
 * threads no command is forgotten, until there are so many. Commands that the host never waits for, as those
 * of a queue that was only released, are forgotten when so many came later: they count as ordered then. */
enum { HOSTS_REMEMBER = HOSTILE(1 << 18, 1 << 10), UNWAITED_REMEMBER = HOSTILE(1 << 16, 1 << 10) };

struct command_graph *command_graph_new(void)
{
    struct command_graph *graph = calloc(1, sizeof *graph);
    struct command_clock *nothing = clock_new_empty();
    if (!graph || !nothing) {
        free(graph);
        free(nothing);
        return NULL;
    }
    graph->host = nothing;
    graph->first = graph->next = graph->unended = 1;
    graph->step = 1;
    return graph;
}

static void node_clear(struct command_node *node)
{
    clock_unref(node->clock);
    free(node->after);
    *node = (struct command_node){.state = NODE_ABSENT};
}

void command_graph_free(struct command_graph *graph)
{
    if (!graph)
        return;
    if (CHECKS_ON)
        command_graph_check(graph);
    for (uint32_t serial = graph->first; serial < graph->next; serial++)
        node_clear(&graph->nodes[serial & (graph->room - 1)]);
    command_host_free_all(graph);
    clock_unref(graph->host);
    clock_unref(graph->program);
    clock_unref(graph->reported);
    free(graph->nodes);
    list_fini(&graph->tails);
    free(graph->scratch);
    free(graph);
}

/* ---- chains -------------------------------------------------------------------------- */

static uint32_t chain_new(struct command_graph *graph)
{
    while (graph->spare_from < graph->tails.count && graph->tails.items[graph->spare_from] >= graph->first)
        graph->spare_from++;
    if (graph->spare_from == graph->tails.count && !list_add(&graph->tails, 0))
        exhaust(graph);
    return graph->spare_from;
}

enum { CHAINS_TRIED = 16 };

/* A chain whose tail happens before the command and was enqueued before it, so that the command may be the
 * next tail. By a user event a command may follow one that was enqueued later: its successors need not
 * follow this command, so that chain does not do. */
static uint32_t chain_for(struct command_graph *graph, uint32_t serial, const struct command_node *node)
{
    const struct command_clock *clock = node->clock;
    CHECKED(clock && node->state == NODE_ENQUEUED);
    for (size_t i = 0; i < node->after_count; i++) {
        const uint32_t after = node->after[i];
        const struct command_node *before = after < serial ? node_of(graph, after) : NULL;
        if (before && before->state >= NODE_BEGUN && graph->tails.items[before->chain] == after)
            return before->chain;
    }
    for (uint32_t i = 0; i < clock->count && i < CHAINS_TRIED; i++) {
        const struct chain_entry *at = &clock->chains[clock->count - 1 - i];
        if (at->serial >= graph->first && at->serial < serial && graph->tails.items[at->chain] == at->serial)
            return at->chain;
    }
    return chain_new(graph);
}

/* ---- events --------------------------------------------------------------------------- */

/* The command sees the host's steps that the commands before it see. */
static void join_seen_steps(const struct command_graph *graph, struct command_node *node,
                            const uint32_t *after, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct command_node *before = node_of(graph, after[i]);
        if (before && before->state >= NODE_BEGUN && before->saw > node->saw)
            node->saw = before->saw;
    }
}

static bool reserve_nodes(struct command_graph *graph, uint32_t serial)
{
    uint32_t room = graph->room ? graph->room : 64;
    while (serial - graph->first >= room)
        room *= 2;
    if (room == graph->room)
        return true;
    struct command_node *nodes = calloc(room, sizeof *nodes);
    if (!nodes)
        return false;
    for (uint32_t i = graph->first; i < graph->next; i++)
        nodes[i & (room - 1)] = graph->nodes[i & (graph->room - 1)];
    free(graph->nodes);
    graph->nodes = nodes;
    graph->room = room;
    CHECKED(serial - graph->first < room && (room & (room - 1)) == 0);
    return true;
}

/* Rule (12), for user events that are set already. */
static void join_setters(struct command_graph *graph, struct command_node *node)
{
    for (size_t i = 0; i < node->after_count && graph->set_events.count && !graph->exhausted; i++) {
        const struct command_clock *set = command_host_clock_at_set(graph, node->after[i]);
        if (set)
            clock_replace(&node->clock, command_clock_join(graph, node->clock, set));
    }
}

static void enqueued(struct command_graph *graph, const struct order_event *event,
                     const struct host_thread *host)
{
    CHECKED(event->command >= graph->next);
    uint32_t *after = malloc((event->after_count + 1) * sizeof *after);
    if (!after || !reserve_nodes(graph, event->command)) {
        free(after);
        exhaust(graph);
        return;
    }
    if (event->after_count)
        memcpy(after, event->after, event->after_count * sizeof *after);
    graph->next = event->command + 1;
    graph->nodes[event->command & (graph->room - 1)] = (struct command_node){
        .state = NODE_ENQUEUED,
        .clock = RULE(13101) ? clock_ref(caller_clock(graph, host)) : clock_new_empty(),
        .prefix = graph->host->prefix,
        .step = graph->step,
        .saw = RULE(13101) ? graph->step : 0,
        .after = after,
        .after_count = event->after_count,
        .facts = {.call = event->call,
                  .queue = event->queue,
                  .device = event->device,
                  .enqueuer = event->enqueuer,
                  .batch = event->batch,
                  .thread = host ? 1 + event->host->thread : 0},
    };
    join_setters(graph, &graph->nodes[event->command & (graph->room - 1)]);
}

/* ---- user events ---------------------------------------------------------------------- */

static bool waits_for(const struct command_node *node, uint32_t event)
{
    bool waits = false;
    for (size_t i = 0; i < node->after_count && !waits; i++)
        waits = node->after[i] == event;
    return waits;
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
 * clocks of the commands that set it (cl_khr_semaphore). Commands that wait have not ended. */
static void user_event_is_set(struct command_graph *graph, const struct order_event *event,
                              const struct host_thread *host)
{
    for (uint32_t serial = graph->unended; serial < graph->next && RULE(13112); serial++) {
        struct command_node *node = node_of(graph, serial);
        if (!node || node->state != NODE_ENQUEUED || !waits_for(node, event->command))
            continue;
        if (!clock_replace(&node->clock, clock_at_set(graph, node, event, host)))
            return;
        node->set_by_commands |= event->after_count;
        if (event->after_count)
            join_seen_steps(graph, node, event->after, event->after_count);
        else
            node->saw = graph->step;
    }
    if (!event->after_count && RULE(13112))
        command_host_set(graph, event->command, caller_clock(graph, host));
}

/* ---- begin and end -------------------------------------------------------------------- */

/* The clock gets the commands in after[], and what they come after. False: out of memory. */
static bool merge_into(struct command_graph *graph, struct command_clock **clock, const uint32_t *after,
                       size_t count)
{
    CHECKED(*clock && (*clock)->refs > 0);
    return !count || clock_replace(clock, command_clock_merge(graph, *clock, after, count));
}

static void begin(struct command_graph *graph, uint32_t serial)
{
    struct command_node *node = node_of(graph, serial);
    if (!node || node->state != NODE_ENQUEUED)
        return;
    if (!merge_into(graph, &node->clock, node->after, RULE(13102) ? node->after_count : 0))
        return;
    join_seen_steps(graph, node, node->after, RULE(13102) ? node->after_count : 0);
    node->chain = chain_for(graph, serial, node);
    if (graph->exhausted)
        return;
    CHECKED(node->chain < graph->tails.count && graph->tails.items[node->chain] < serial);
    node->state = NODE_BEGUN;
    node->began = graph->events;
    graph->tails.items[node->chain] = serial;
    free(node->after);
    node->after = NULL;
    node->after_count = 0;
}

/* Commands are asked for only by commands that have not ended and by the host. What is below the host's
 * prefix, and below its prefix when the oldest command that has not ended was enqueued, happens before all
 * of these. */
static void forget(struct command_graph *graph)
{
    const struct command_node *oldest = NULL;
    if (graph->several && !graph->as_one && graph->next - graph->first < HOSTS_REMEMBER)
        return;
    graph->as_one |= graph->several;
    while (graph->unended < graph->next) {
        oldest = node_of(graph, graph->unended);
        if (oldest && oldest->state != NODE_ENDED)
            break;
        graph->unended++;
        oldest = NULL;
    }
    uint32_t limit = graph->host->prefix;
    if (oldest && oldest->prefix < limit)
        limit = oldest->prefix;
    if (graph->next > UNWAITED_REMEMBER && graph->next - UNWAITED_REMEMBER > limit)
        limit = graph->next - UNWAITED_REMEMBER;
    for (; graph->first < limit && graph->first < graph->unended; graph->first++) {
        struct command_node *node = &graph->nodes[graph->first & (graph->room - 1)];
        graph->spare_from = 0;
        if (node->state != NODE_ABSENT)
            graph->seen_by_all = node->step + 1;
        node_clear(node);
    }
}

static void end(struct command_graph *graph, uint32_t serial)
{
    begin(graph, serial); /* a command that failed never began */
    struct command_node *node = node_of(graph, serial);
    if (!node || graph->exhausted)
        return;
    if (node->program)
        node->saw = ++graph->step;
    node->state = NODE_ENDED;
    CHECKED(node->began > 0 && !node->after); /* begin() did it */
    node->ended = graph->events;
    forget(graph);
    if (CHECKS_ON && graph->events % CHECKED_EVERY == 0 && graph->next - graph->first <= CHECKED_NODES)
        command_graph_check(graph);
}

/* For the thread that waited, and for the host as a whole. */
static void host_waited(struct command_graph *graph, const struct order_event *event,
                        struct host_thread *host)
{
    const size_t count = RULE(13104) ? event->after_count : 0;
    merge_into(graph, &graph->host, event->after, count);
    if (host)
        merge_into(graph, &host->clock, event->after, count);
    if (!graph->exhausted)
        forget(graph);
}

/* The clock, which begins as the host's, gets the command. */
static void add_to(struct command_graph *graph, struct command_clock **clock, uint32_t command)
{
    if (!*clock)
        *clock = clock_ref(graph->host);
    merge_into(graph, clock, &command, 1);
}

void command_graph_order(struct command_graph *graph, const struct order_event *event)
{
    if (graph->exhausted)
        return;
    graph->events++;
    struct host_thread *host = command_host_calls(graph, event);
    switch (event->kind) {
    case ORDER_ENQUEUED:
        graph->step++;
        if (event->queue)
            enqueued(graph, event, host);
        else
            user_event_is_set(graph, event, host);
        break;
    case ORDER_BEGIN:
        begin(graph, event->command);
        if (node_of(graph, event->command))
            node_of(graph, event->command)->program = event->program;
        if (event->program) /* a function of the program begins, after all that its command comes after */
            add_to(graph, &graph->program, event->command);
        return;
    case ORDER_END: end(graph, event->command); return;
    case ORDER_HOST_WAITED: host_waited(graph, event, host); break;
    case ORDER_HOST_ASKED:
        if (node_of(graph, event->command))
            node_of(graph, event->command)->facts.asked = true;
        add_to(graph, &graph->reported, event->command);
        return;
    case ORDER_HOST_REPORTED: add_to(graph, &graph->reported, event->command); return;
    }
    if (host && !graph->exhausted)
        command_host_called(graph, host, event->host->at[event->host->thread]);
}

/* ---- queries ---------------------------------------------------------------------------------- */

/* NULL: the command has not begun, or is forgotten. */
static struct command_node *begun_node(const struct command_graph *graph, uint32_t command)
{
    struct command_node *node = node_of(graph, command);
    return node && node->state >= NODE_BEGUN ? node : NULL;
}

/* Is the command in the clock? clock NULL: no. */
static bool has_command(const struct command_graph *graph, const struct command_clock *clock,
                        uint32_t command)
{
    const struct command_node *node = begun_node(graph, command);
    return clock && node && clock_has(clock, node->chain, command);
}

bool command_graph_is_after(const struct command_graph *graph, uint32_t later, uint32_t earlier)
{
    const struct command_node *node = begun_node(graph, later);
    return earlier < graph->first || (node && has_command(graph, node->clock, earlier));
}

bool command_graph_host_is_after(const struct command_graph *graph, uint32_t command)
{
    return command < graph->first || command < graph->host->prefix ||
           has_command(graph, graph->host, command);
}

bool command_graph_host_passes_on(const struct command_graph *graph, uint32_t command)
{
    return command_graph_host_is_after(graph, command) || has_command(graph, graph->program, command);
}

bool command_graph_reported(const struct command_graph *graph, uint32_t command)
{
    return command_graph_host_is_after(graph, command) || has_command(graph, graph->reported, command);
}

bool command_graph_in_sequence(const struct command_graph *graph, uint32_t later, uint32_t earlier)
{
    const struct command_node *node = node_of(graph, later);
    const uint64_t ended = command_graph_ended(graph, earlier);
    return node && ended && node->began > ended;
}

bool command_graph_is_running(const struct command_graph *graph, uint32_t command)
{
    const struct command_node *node = node_of(graph, command);
    return node && node->began && !node->ended;
}

uint64_t command_graph_ended(const struct command_graph *graph, uint32_t command)
{
    const struct command_node *node = node_of(graph, command);
    return node ? node->ended : 0;
}

void command_graph_mark(struct command_graph *graph, uint32_t command)
{
    struct command_node *node = node_of(graph, command);
    if (node)
        node->marked = true;
}

bool command_graph_is_marked(const struct command_graph *graph, uint32_t command)
{
    const struct command_node *node = node_of(graph, command);
    return node && node->marked;
}

void command_graph_assume(struct command_graph *graph, uint32_t later, uint32_t earlier)
{
    struct command_node *node = begun_node(graph, later);
    if (!graph->exhausted && node)
        merge_into(graph, &node->clock, &earlier, 1);
}

void command_graph_assume_host(struct command_graph *graph, uint32_t command)
{
    struct command_node *node = begun_node(graph, command);
    if (graph->exhausted || !node)
        return;
    clock_replace(&node->clock, command_clock_join(graph, node->clock, graph->host));
    if (graph->program)
        clock_replace(&node->clock, command_clock_join(graph, node->clock, graph->program));
}

uint32_t command_graph_step(const struct command_graph *graph)
{
    return graph->step;
}

uint32_t command_graph_seen_step(const struct command_graph *graph, uint32_t command)
{
    const struct command_node *node = node_of(graph, command);
    return node ? node->saw : graph->step;
}

void command_graph_set_seen_step(struct command_graph *graph, uint32_t command, uint32_t step)
{
    struct command_node *node = node_of(graph, command);
    if (node && node->saw < step)
        node->saw = step;
}

uint32_t command_graph_first_step(const struct command_graph *graph)
{
    return command_graph_idle(graph) ? graph->step + 1 : graph->seen_by_all;
}

uint32_t command_graph_end(const struct command_graph *graph)
{
    return graph->next;
}

uint32_t command_graph_first(const struct command_graph *graph)
{
    return graph->first;
}

bool command_graph_idle(const struct command_graph *graph)
{
    return graph->first == graph->next;
}

bool command_graph_exhausted(const struct command_graph *graph)
{
    return graph->exhausted;
}

const struct command_facts *command_graph_facts(const struct command_graph *graph, uint32_t command)
{
    const struct command_node *node = node_of(graph, command);
    return node ? &node->facts : NULL;
}
