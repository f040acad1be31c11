/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Happens-before of commands: a vector clock for each command and for the host, extended by each order event.
 *
 * A command gets the host's clock when it is enqueued, and joins the clocks of the commands that it waits for
 * when it begins. Clocks are compressed by chains and by a prefix that grows whenever the next serial number
 * is in the clock, so a program that waits for its commands has clocks of constant size. Commands below the
 * host's prefix, and below that of every command which has not ended, are forgotten.
 */
#include "command_graph.h"

#include <stdlib.h>
#include <string.h>

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#include "orrery/checked.h"
#include "orrery/limits.h"
#include "orrery/rule.h"
#include "sim/memmodel/common/room.h"

/* ---- clocks ----------------------------------------------------------------------------------- */

struct chain_entry {
    uint32_t chain, serial;
}; /* the members of the chain up to serial */

struct command_clock {
    uint32_t refs;
    uint32_t prefix; /* every command below is in the clock */
    uint32_t count;
    struct chain_entry chains[]; /* ascending by chain; all serials at least prefix */
};

static struct command_clock *clock_new_empty(void)
{
    struct command_clock *nothing = calloc(1, sizeof *nothing);
    if (nothing)
        *nothing = (struct command_clock){.refs = 1, .prefix = 1};
    return nothing;
}

static struct command_clock *clock_ref(struct command_clock *clock)
{
    CHECKED(!clock || clock->refs > 0);
    if (clock)
        clock->refs++;
    return clock;
}

static void clock_unref(struct command_clock *clock)
{
    if (clock && --clock->refs == 0)
        free(clock);
}

static bool clock_has(const struct command_clock *clock, uint32_t chain, uint32_t serial)
{
    if (serial < clock->prefix)
        return true;
    uint32_t low = 0, high = clock->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (clock->chains[middle].chain < chain)
            low = middle + 1;
        else
            high = middle;
    }
    return low < clock->count && clock->chains[low].chain == chain && clock->chains[low].serial >= serial;
}

/* ---- the graph --------------------------------------------------------------------- */

/* absent: the number of a user event */
enum node_state { NODE_ABSENT, NODE_ENQUEUED, NODE_BEGUN, NODE_ENDED };
struct command_node {
    enum node_state state;
    uint32_t chain;              /* once it has begun */
    struct command_clock *clock; /* the host's while it is enqueued; then its own, without itself */
    /* `clock` is more than the host's: commands set user events that it waits for */
    bool set_by_commands;
    uint32_t prefix; /* the host's when it was enqueued; later commands have no lower one */
    /* the host's step when it was enqueued; below which the host's steps happen before the command */
    uint32_t step, saw;
    /* it runs a function of the program, which may acquire from the program's other threads */
    bool program;
    uint32_t *after; /* what it waits for; until it begins */
    size_t after_count;
    uint64_t began, ended; /* counts events; 0: not yet */
    struct command_facts facts;
};

/* Its members' serial numbers ascend, so a clock that has one of them has those below it. */
struct command_chain {
    uint32_t tail;
    bool spare;
};

/* The commands that wait for a user event which may not be set yet. */
struct user_wait {
    uint32_t event;
    uint32_t *commands;
    uint32_t count, room;
    UT_hash_handle hh;
};

/* A thread of the host: its clock now, and as it was after each call that added to it. */
struct host_point {
    uint32_t call;
    struct command_clock *clock;
};
struct host_thread {
    struct command_clock *clock; /* NULL: it has made no call */
    uint32_t *received;          /* by thread: how many of its calls are in `clock` */
    uint32_t received_count;
    struct host_point *points;
    uint32_t point_count, point_room;
};

/* A build with assertions checks the whole graph after so many events, if it has no more nodes than that. */
enum { CHECKED_EVERY = 16, CHECKED_NODES = 256 };
/* A thread that the others have no order with may enqueue with an empty clock at any time. So with several
 * threads no command is forgotten, until there are so many. */
enum { HOSTS_REMEMBER = HOSTILE(1 << 18, 1 << 10) };

struct command_graph {
    bool exhausted;
    bool several;              /* the host's threads have clocks, and there is more than one */
    bool as_one;               /* HOSTS_REMEMBER was exceeded: the threads count as one from then on */
    struct host_thread *hosts; /* by number of the thread */
    uint32_t host_count;
    uint64_t events; /* so far */
    /* the host's step, from 1 on: counts ENQUEUED events, and ends of commands that ran a function of the
     * program */
    uint32_t step;
    uint32_t seen_by_all;       /* the steps below are seen by every command that has a node */
    struct command_node *nodes; /* a ring: serial & (room - 1) */
    uint32_t room;
    uint32_t first, next; /* serials that have a node: [first, next) */
    uint32_t unended;     /* the lowest serial number that has not ended */
    struct command_chain *chains;
    uint32_t chain_count, chain_room;
    uint32_t *spare; /* whose tail happens before every later command */
    uint32_t spare_count;
    struct command_clock *host;
    /* the join of the host's clock and those of its functions that have begun as commands; NULL: none has */
    struct command_clock *program;
    struct command_clock
        /* complete, as reported to the host by a query, which does not synchronise; NULL: nothing was
         * reported */
        *reported;
    struct user_wait *waits;
    /* of the last command that began with at most one command in its list, to be reused for the next one */
    struct command_clock *last_host, *last_clock;
    uint32_t last_after;
    /* of merge(), kept between calls */
    struct chain_entry *scratch;
    size_t scratch_count, scratch_room;
};

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

static struct command_node *node_of(const struct command_graph *graph, uint32_t serial)
{
    if (serial < graph->first || serial >= graph->next)
        return NULL;
    struct command_node *node = &graph->nodes[serial & (graph->room - 1)];
    return node->state == NODE_ABSENT ? NULL : node;
}

static void node_clear(struct command_node *node)
{
    clock_unref(node->clock);
    free(node->after);
    *node = (struct command_node){.state = NODE_ABSENT};
}

static void waits_free(struct command_graph *graph)
{
    struct user_wait *wait, *following;
    HASH_ITER(hh, graph->waits, wait, following)
    {
        HASH_DEL(graph->waits, wait);
        free(wait->commands);
        free(wait);
    }
}

static void hosts_free(struct command_graph *graph)
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

void command_graph_free(struct command_graph *graph)
{
    if (!graph)
        return;
    if (CHECKS_ON)
        command_graph_check(graph);
    for (uint32_t serial = graph->first; serial < graph->next; serial++)
        node_clear(&graph->nodes[serial & (graph->room - 1)]);
    waits_free(graph);
    hosts_free(graph);
    clock_unref(graph->host);
    clock_unref(graph->program);
    clock_unref(graph->reported);
    clock_unref(graph->last_host);
    clock_unref(graph->last_clock);
    free(graph->nodes);
    free(graph->chains);
    free(graph->spare);
    free(graph->scratch);
    free(graph);
}

static void *exhaust(struct command_graph *graph)
{
    graph->exhausted = true;
    return NULL;
}

/* ---- joins of clocks -------------------------------------------------------------------------- */

static void gather(struct command_graph *graph, const struct chain_entry *chains, size_t count)
{
    if (graph->scratch_count + count > graph->scratch_room) {
        size_t room = 2 * (graph->scratch_count + count) + 16;
        struct chain_entry *grown = realloc(graph->scratch, room * sizeof *grown);
        if (!grown) {
            exhaust(graph);
            return;
        }
        graph->scratch = grown;
        graph->scratch_room = room;
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
    size_t kept = 0;
    if (graph->scratch_count > 1)
        qsort(graph->scratch, graph->scratch_count, sizeof *graph->scratch, by_chain_then_latest);
    for (size_t i = 0; i < graph->scratch_count; i++)
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
    *clock = (struct command_clock){.refs = 1, .prefix = prefix, .count = (uint32_t)graph->scratch_count};
    CHECKED(prefix > 0 && prefix <= graph->next);
    if (clock->count)
        memcpy(clock->chains, graph->scratch, clock->count * sizeof *clock->chains);
    while (prefix_can_grow(graph, clock))
        clock->prefix++;
    trim(clock);
    return clock;
}

/* The join of base, the commands in after[], and their clocks. */
static struct command_clock *merge(struct command_graph *graph, struct command_clock *base,
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

static struct command_clock *join(struct command_graph *graph, const struct command_clock *a,
                                  const struct command_clock *b)
{
    graph->scratch_count = 0;
    gather(graph, a->chains, a->count);
    gather(graph, b->chains, b->count);
    return graph->exhausted ? NULL : clock_from_scratch(graph, a->prefix > b->prefix ? a->prefix : b->prefix);
}

/* ---- threads of the host ---------------------------------------------------------------- */

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
    uint32_t low = 0, high = host ? host->point_count : 0;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (host->points[middle].call <= calls)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? host->points[low - 1].clock : NULL;
}

/* The thread of the call, after joining what it received of other threads. NULL: the threads count as one. */
static struct host_thread *host_calls(struct command_graph *graph, const struct order_event *event)
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
        struct command_clock *both = other ? join(graph, host->clock, other) : NULL;
        host->received[i] = clock->at[i];
        if (!both)
            continue;
        clock_unref(host->clock);
        host->clock = both;
    }
    return graph->exhausted ? NULL : host;
}

/* The call is over, and other threads may receive its clock. */
static void host_called(struct command_graph *graph, struct host_thread *host, uint32_t call)
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

/* The clock of the calling thread, or of the host. */
static struct command_clock *caller_clock(const struct command_graph *graph, const struct host_thread *host)
{
    return host ? host->clock : graph->host;
}

/* ---- user events --------------------------------------------------------------------- */

static struct user_wait *wait_find(const struct command_graph *graph, uint32_t event)
{
    struct user_wait *wait = NULL;
    HASH_FIND(hh, graph->waits, &event, sizeof event, wait);
    return wait;
}

static void wait_add(struct command_graph *graph, uint32_t event, uint32_t command)
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

static struct command_clock *clock_at_set(struct command_graph *graph, const struct command_node *node,
                                          const struct order_event *event, const struct host_thread *host)
{
    if (event->after_count)
        return merge(graph, node->clock, event->after, event->after_count);
    return node->set_by_commands || host ? join(graph, node->clock, caller_clock(graph, host))
                                         : clock_ref(graph->host);
}

/* Rule (12): the commands that wait for a user event get the host's clock when it sets the event; or the
 * clocks of the commands that set it (cl_khr_semaphore). */
static void user_set(struct command_graph *graph, const struct order_event *event,
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
            join_seen_steps(graph, node, event->after, event->after_count);
        else
            node->saw = graph->step;
    }
    wait_drop(graph, wait);
}

/* The command has begun, so every user event that it waited for is set. */
static void forget_waits(struct command_graph *graph, uint32_t serial, const struct command_node *node)
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

/* ---- chains -------------------------------------------------------------------------- */

static uint32_t chain_new(struct command_graph *graph)
{
    if (graph->spare_count) {
        uint32_t chain = graph->spare[--graph->spare_count];
        CHECKED(chain < graph->chain_count && graph->chains[chain].spare);
        graph->chains[chain].spare = false;
        return chain;
    }
    if (graph->chain_count == graph->chain_room) {
        uint32_t room = 2 * graph->chain_room + 8;
        struct command_chain *chains = realloc(graph->chains, room * sizeof *chains);
        graph->chains = chains ? chains : graph->chains;
        uint32_t *spare = chains ? realloc(graph->spare, room * sizeof *spare) : NULL;
        if (!spare) {
            exhaust(graph);
            return 0;
        }
        graph->spare = spare;
        graph->chain_room = room;
    }
    graph->chains[graph->chain_count] = (struct command_chain){0, false};
    return graph->chain_count++;
}

enum { CHAINS_TRIED = 16 };

/* A chain whose tail happens before the command and was enqueued before it, so that the command may be the
 * next tail. By a user event a command may follow one that was enqueued later: its successors need not
 * follow this command, so that chain does not do. */
static uint32_t chain_for(struct command_graph *graph, uint32_t serial, const struct command_node *node)
{
    const struct command_clock *clock = node->clock;
    for (size_t i = 0; i < node->after_count; i++) {
        const uint32_t after = node->after[i];
        const struct command_node *before = after < serial ? node_of(graph, after) : NULL;
        if (before && before->state >= NODE_BEGUN && graph->chains[before->chain].tail == after)
            return before->chain;
    }
    for (uint32_t i = 0; i < clock->count && i < CHAINS_TRIED; i++) {
        const struct chain_entry *at = &clock->chains[clock->count - 1 - i];
        if (at->serial < serial && graph->chains[at->chain].tail == at->serial &&
            !graph->chains[at->chain].spare)
            return at->chain;
    }
    return chain_new(graph);
}

/* ---- events --------------------------------------------------------------------------- */

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
    for (size_t i = 0; i < event->after_count; i++)
        if (!node_of(graph, after[i])) /* a user event, or a command that is forgotten */
            wait_add(graph, after[i], event->command);
}

static void begin(struct command_graph *graph, uint32_t serial)
{
    struct command_node *node = node_of(graph, serial);
    struct command_clock *host, *clock;
    if (!node || node->state != NODE_ENQUEUED)
        return;
    uint32_t only = node->after_count ? node->after[0] : 0;
    host = node->clock;
    if (node->after_count <= 1 && graph->last_clock && graph->last_host == host && graph->last_after == only)
        clock = clock_ref(graph->last_clock);
    else
        clock = merge(graph, host, node->after, RULE(13102) ? node->after_count : 0);
    if (!clock)
        return;
    if (node->after_count <= 1) {
        clock_unref(graph->last_host);
        clock_unref(graph->last_clock);
        graph->last_host = clock_ref(host);
        graph->last_clock = clock_ref(clock);
        graph->last_after = only;
    }
    clock_unref(host);
    node->clock = clock;
    join_seen_steps(graph, node, node->after, RULE(13102) ? node->after_count : 0);
    forget_waits(graph, serial, node);
    node->chain = chain_for(graph, serial, node);
    if (graph->exhausted)
        return;
    CHECKED(node->chain < graph->chain_count && graph->chains[node->chain].tail < serial);
    node->state = NODE_BEGUN;
    node->began = graph->events;
    graph->chains[node->chain].tail = serial;
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
    for (; graph->first < limit && graph->first < graph->unended; graph->first++) {
        struct command_node *node = &graph->nodes[graph->first & (graph->room - 1)];
        if (node->state == NODE_ENDED && graph->chains[node->chain].tail == graph->first &&
            !graph->chains[node->chain].spare) {
            graph->chains[node->chain].spare = true;
            graph->spare[graph->spare_count++] = node->chain;
            CHECKED(graph->spare_count <= graph->chain_count);
        }
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

static void join_awaited(struct command_graph *graph, struct command_clock **clock,
                         const struct order_event *event)
{
    struct command_clock *more = merge(graph, *clock, event->after, RULE(13104) ? event->after_count : 0);
    if (!more)
        return;
    clock_unref(*clock);
    *clock = more;
}

/* For the thread that waited, and for the host as a whole. */
static void host_waited(struct command_graph *graph, const struct order_event *event,
                        struct host_thread *host)
{
    join_awaited(graph, &graph->host, event);
    if (host)
        join_awaited(graph, &host->clock, event);
    if (!graph->exhausted)
        forget(graph);
}

/* A function of the program begins, after everything that its command comes after. */
static void program_begins(struct command_graph *graph, uint32_t command)
{
    struct command_clock *clock = merge(graph, graph->program ? graph->program : graph->host, &command, 1);
    if (!clock)
        return;
    clock_unref(graph->program);
    graph->program = clock;
}

static void host_reported(struct command_graph *graph, uint32_t command)
{
    struct command_clock *reported =
        merge(graph, graph->reported ? graph->reported : graph->host, &command, 1);
    if (!reported)
        return;
    clock_unref(graph->reported);
    graph->reported = reported;
}

void command_graph_order(struct command_graph *graph, const struct order_event *event)
{
    if (graph->exhausted)
        return;
    graph->events++;
    struct host_thread *host = host_calls(graph, event);
    switch (event->kind) {
    case ORDER_ENQUEUED:
        graph->step++;
        if (event->queue)
            enqueued(graph, event, host);
        else
            user_set(graph, event, host);
        break;
    case ORDER_BEGIN:
        begin(graph, event->command);
        if (node_of(graph, event->command))
            node_of(graph, event->command)->program = event->program;
        if (event->program)
            program_begins(graph, event->command);
        return;
    case ORDER_END: end(graph, event->command); return;
    case ORDER_HOST_WAITED: host_waited(graph, event, host); break;
    case ORDER_HOST_ASKED:
        if (node_of(graph, event->command))
            node_of(graph, event->command)->facts.asked = true;
        host_reported(graph, event->command);
        return;
    case ORDER_HOST_REPORTED: host_reported(graph, event->command); return;
    }
    if (host && !graph->exhausted)
        host_called(graph, host, event->host->at[event->host->thread]);
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
    return command < graph->host->prefix || has_command(graph, graph->host, command);
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

/* The node gets a clock that includes its own. NULL: out of memory. */
static void set_clock(struct command_graph *graph, struct command_node *node, struct command_clock *clock)
{
    if (!clock)
        return;
    clock_unref(node->clock);
    node->clock = clock;
    clock_unref(graph->last_clock); /* it may be made of this command's clock */
    graph->last_clock = NULL;
}

void command_graph_assume(struct command_graph *graph, uint32_t later, uint32_t earlier)
{
    struct command_node *node = begun_node(graph, later);
    if (!graph->exhausted && node)
        set_clock(graph, node, merge(graph, node->clock, &earlier, 1));
}

void command_graph_assume_host(struct command_graph *graph, uint32_t command)
{
    struct command_node *node = begun_node(graph, command);
    if (!graph->exhausted && node)
        set_clock(graph, node, join(graph, node->clock, graph->host));
    if (!graph->exhausted && node && graph->program)
        set_clock(graph, node, join(graph, node->clock, graph->program));
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

/* ---- invariants ----------------------------------------------------------------------- */

static void check_clock(const struct command_graph *graph, const struct command_clock *clock)
{
    CHECKED(clock->refs > 0 && clock->prefix > 0 && clock->prefix <= graph->next);
    for (uint32_t i = 0; i < clock->count; i++) {
        CHECKED(clock->chains[i].chain < graph->chain_count && clock->chains[i].serial < graph->next);
        CHECKED(clock->chains[i].serial >= clock->prefix);
        CHECKED(i == 0 || clock->chains[i - 1].chain < clock->chains[i].chain);
    }
}

static void check_node(const struct command_graph *graph, uint32_t serial, const struct command_node *node)
{
    CHECKED(node->clock && node->prefix <= graph->host->prefix);
    check_clock(graph, node->clock);
    CHECKED(node->step <= graph->step && node->saw <= graph->step);
    CHECKED((node->began > 0) == (node->state >= NODE_BEGUN) && node->began <= graph->events);
    CHECKED((node->ended > 0) == (node->state == NODE_ENDED) && node->ended <= graph->events);
    CHECKED(!node->ended || node->ended >= node->began);
    if (node->state < NODE_BEGUN)
        return;
    CHECKED(node->chain < graph->chain_count && graph->chains[node->chain].tail >= serial);
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
    uint32_t spare = 0;
    CHECKED(graph->chain_count <= graph->chain_room && graph->spare_count <= graph->chain_count);
    for (uint32_t i = 0; i < graph->chain_count; i++) {
        CHECKED(graph->chains[i].tail < graph->next);
        spare += graph->chains[i].spare;
    }
    for (uint32_t i = 0; i < graph->spare_count; i++)
        CHECKED(graph->spare[i] < graph->chain_count && graph->chains[graph->spare[i]].spare);
    CHECKED(spare == graph->spare_count);
}

static void check_hosts(const struct command_graph *graph)
{
    for (uint32_t i = 0; i < graph->host_count; i++) {
        const struct host_thread *host = &graph->hosts[i];
        CHECKED(host->point_count <= host->point_room && (host->clock || !host->point_count));
        for (uint32_t k = 0; k < host->point_count; k++) {
            check_clock(graph, host->points[k].clock);
            CHECKED(k == 0 || host->points[k - 1].call <= host->points[k].call);
        }
    }
}

void command_graph_check(const struct command_graph *graph)
{
    if (graph->exhausted) /* without memory entries are missing, and no invariant holds */
        return;
    CHECKED(graph->first > 0 && graph->first <= graph->unended && graph->unended <= graph->next);
    CHECKED(graph->seen_by_all <= graph->step + 1);
    check_clock(graph, graph->host);
    check_nodes(graph);
    check_chains(graph);
    check_hosts(graph);
    for (const struct user_wait *wait = graph->waits; wait; wait = wait->hh.next)
        CHECKED(wait->count > 0 && wait->count <= wait->room);
}
