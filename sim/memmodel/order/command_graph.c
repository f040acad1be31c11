/* SPDX-License-Identifier: Apache-2.0 */
/* Happens-before of commands: a vector clock per command and for the host, extended by each order event. */
#include "command_graph.h"

#include <stdlib.h>
#include <string.h>

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#include "orrery/checked.h"
#include "orrery/limits.h"
#include "orrery/rule.h"

/* ---- vector clock -------------------------------------------------------------------- */

struct known_chain {
    uint32_t chain, serial;
}; /* its members up to serial */

struct vclock {
    uint32_t refs;
    uint32_t prefix; /* every command below happens before */
    uint32_t count;
    struct known_chain chains[]; /* ascending; all serials at least prefix */
};

static struct vclock *vclock_of_nothing(void)
{
    struct vclock *nothing = calloc(1, sizeof *nothing);
    if (nothing)
        *nothing = (struct vclock){.refs = 1, .prefix = 1};
    return nothing;
}

static struct vclock *vclock_ref(struct vclock *known)
{
    CHECKED(!known || known->refs > 0);
    if (known)
        known->refs++;
    return known;
}

static void vclock_unref(struct vclock *known)
{
    if (known && --known->refs == 0)
        free(known);
}

static bool vclock_has(const struct vclock *known, uint32_t chain, uint32_t serial)
{
    if (serial < known->prefix)
        return true;
    uint32_t low = 0, high = known->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (known->chains[middle].chain < chain)
            low = middle + 1;
        else
            high = middle;
    }
    return low < known->count && known->chains[low].chain == chain && known->chains[low].serial >= serial;
}

/* ---- the graph --------------------------------------------------------------------- */

enum node_state { NODE_ABSENT, NODE_ENQUEUED, NODE_BEGUN, NODE_ENDED }; /* absent: a user event's number */
struct node {
    enum node_state state;
    uint32_t chain;       /* once begun */
    struct vclock *known; /* enqueued: the host's; begun: its own, without itself */
    /* known is more than the host's: commands have set user events that it waits for */
    bool reported;
    uint32_t prefix;    /* of the host's when it was enqueued: no later command has less */
    uint32_t step, saw; /* of the host when it was enqueued; what the command comes after */
    /* a function of the program runs with it, and may learn from the program's other threads */
    bool program;
    uint32_t *after; /* until it begins */
    size_t after_count;
    uint64_t began, ended; /* counts events; 0: not yet */
    struct command_facts facts;
};

/* its members' serials ascend: a clock that has one has those below it */
struct chain {
    uint32_t tail;
    bool spare;
};

/* Commands that wait for a user event that may not be set yet. */
struct user_wait {
    uint32_t event;
    uint32_t *commands;
    size_t count, room;
    UT_hash_handle hh;
};

/* A thread of the host: its clock now, and after each of its calls that added to it. */
struct host_point {
    uint32_t call;
    struct vclock *known;
};
struct host {
    struct vclock *known; /* NULL: it has made no call */
    uint32_t *received;   /* of each thread: how many of its calls are in known */
    uint32_t received_count;
    struct host_point *points;
    uint32_t point_count, point_room;
};

/* Threads without an order between them may come late with an empty clock: so nothing is forgotten, up to so
 * many commands. */
/* Events, and the nodes of a graph that is walked then, in a build that checks. */
enum { CHECKED_EVERY = 16, CHECKED_NODES = 256 };
enum { HOSTS_REMEMBER = HOSTILE(1 << 18, 1 << 10) };

struct command_graph {
    bool exhausted;
    bool several;       /* the host's threads have clocks, and there is more than one */
    bool as_one;        /* there were too many commands: they count as one from then on */
    struct host *hosts; /* by number */
    uint32_t host_count;
    uint64_t events; /* so far */
    /* the host's, from 1: counts its ENQUEUED events, and commands that end with which it ran */
    uint32_t step;
    uint32_t seen_by_all; /* whoever has a node sees the steps below */
    struct node *nodes;   /* a ring: serial & (room - 1) */
    uint32_t room;
    uint32_t first, next; /* serials that have a node: [first, next) */
    uint32_t pending;     /* the lowest that has not ended */
    struct chain *chains;
    uint32_t chain_count, chain_room;
    uint32_t *spare; /* chains whose tail happens before every later command */
    uint32_t spare_count;
    struct vclock *host;
    /* the host's, and that of its functions that have begun, as commands; NULL: none has */
    struct vclock *program;
    struct vclock *reported; /* complete by what the host was reported without synchronising; NULL: nothing */
    struct user_wait *waits;
    /* of the last command that began with at most one predecessor */
    struct vclock *last_host, *last_known;
    uint32_t last_after;
    /* of merge(), kept between calls */
    struct known_chain *scratch;
    size_t scratch_count, scratch_room;
};

struct command_graph *command_graph_new(void)
{
    struct command_graph *graph = calloc(1, sizeof *graph);
    struct vclock *nothing = vclock_of_nothing();
    if (!graph || !nothing) {
        free(graph);
        free(nothing);
        return NULL;
    }
    graph->host = nothing;
    graph->first = graph->next = graph->pending = 1;
    graph->step = 1;
    return graph;
}

static struct node *node_of(const struct command_graph *graph, uint32_t serial)
{
    if (serial < graph->first || serial >= graph->next)
        return NULL;
    struct node *node = &graph->nodes[serial & (graph->room - 1)];
    return node->state == NODE_ABSENT ? NULL : node;
}

static void node_clear(struct node *node)
{
    vclock_unref(node->known);
    free(node->after);
    *node = (struct node){.state = NODE_ABSENT};
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
        struct host *host = &graph->hosts[i];
        for (uint32_t k = 0; k < host->point_count; k++)
            vclock_unref(host->points[k].known);
        vclock_unref(host->known);
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
    vclock_unref(graph->host);
    vclock_unref(graph->program);
    vclock_unref(graph->reported);
    vclock_unref(graph->last_host);
    vclock_unref(graph->last_known);
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

/* ---- merging of clocks ---------------------------------------------------------------- */

static void gather(struct command_graph *graph, const struct known_chain *chains, size_t count)
{
    if (graph->scratch_count + count > graph->scratch_room) {
        size_t room = 2 * (graph->scratch_count + count) + 16;
        struct known_chain *grown = realloc(graph->scratch, room * sizeof *grown);
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
    const struct known_chain *x = a, *y = b;
    if (x->chain != y->chain)
        return x->chain < y->chain ? -1 : 1;
    return x->serial > y->serial ? -1 : x->serial < y->serial;
}

/* Sorts; leaves the latest of each chain. */
static void settle_scratch(struct command_graph *graph)
{
    size_t kept = 0;
    if (graph->scratch_count > 1)
        qsort(graph->scratch, graph->scratch_count, sizeof *graph->scratch, by_chain_then_latest);
    for (size_t i = 0; i < graph->scratch_count; i++)
        if (!kept || graph->scratch[kept - 1].chain != graph->scratch[i].chain)
            graph->scratch[kept++] = graph->scratch[i];
    graph->scratch_count = kept;
}

static bool extends(const struct command_graph *graph, const struct vclock *known)
{
    if (known->prefix >= graph->next)
        return false;
    const struct node *node = node_of(graph, known->prefix);
    return !node || (node->state >= NODE_BEGUN && vclock_has(known, node->chain, known->prefix));
}

/* A chain need not repeat what the prefix has. */
static void trim(struct vclock *known)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < known->count; i++)
        if (known->chains[i].serial >= known->prefix)
            known->chains[kept++] = known->chains[i];
    known->count = kept;
}

static struct vclock *vclock_from_scratch(struct command_graph *graph, uint32_t prefix)
{
    settle_scratch(graph);
    struct vclock *known = malloc(sizeof *known + graph->scratch_count * sizeof *known->chains);
    if (!known)
        return exhaust(graph);
    *known = (struct vclock){.refs = 1, .prefix = prefix, .count = (uint32_t)graph->scratch_count};
    CHECKED(prefix > 0 && prefix <= graph->next);
    if (known->count)
        memcpy(known->chains, graph->scratch, known->count * sizeof *known->chains);
    while (extends(graph, known))
        known->prefix++;
    trim(known);
    return known;
}

/* base, and every command of after[] with its clock. */
static struct vclock *merge(struct command_graph *graph, struct vclock *base, const uint32_t *after,
                            size_t count)
{
    const struct vclock *gathered = base;
    uint32_t prefix = base->prefix;
    CHECKED(base->refs > 0);
    graph->scratch_count = 0;
    gather(graph, base->chains, base->count);
    for (size_t i = 0; i < count; i++) {
        const struct node *node = node_of(graph, after[i]);
        if (!node || node->state < NODE_BEGUN)
            continue;
        struct known_chain self = {node->chain, after[i]};
        gather(graph, &self, 1);
        if (node->known == gathered)
            continue;
        gathered = node->known;
        prefix = gathered->prefix > prefix ? gathered->prefix : prefix;
        gather(graph, gathered->chains, gathered->count);
    }
    return graph->exhausted ? NULL : vclock_from_scratch(graph, prefix);
}

static struct vclock *join(struct command_graph *graph, const struct vclock *a, const struct vclock *b)
{
    graph->scratch_count = 0;
    gather(graph, a->chains, a->count);
    gather(graph, b->chains, b->count);
    return graph->exhausted ? NULL
                            : vclock_from_scratch(graph, a->prefix > b->prefix ? a->prefix : b->prefix);
}

/* ---- threads of the host ---------------------------------------------------------------- */

static struct host *host_of(struct command_graph *graph, uint32_t thread)
{
    if (thread >= graph->host_count) {
        struct host *hosts = realloc(graph->hosts, (thread + 1) * sizeof *hosts);
        if (!hosts)
            return exhaust(graph);
        memset(hosts + graph->host_count, 0, (thread + 1 - graph->host_count) * sizeof *hosts);
        graph->hosts = hosts;
        graph->host_count = thread + 1;
    }
    struct host *host = &graph->hosts[thread];
    if (!host->known && !(host->known = vclock_of_nothing()))
        return exhaust(graph);
    return host;
}

static bool host_receives(struct command_graph *graph, struct host *host, uint32_t count)
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

/* The thread's clock after that many of its calls; NULL: empty. */
static const struct vclock *host_clock_at(const struct command_graph *graph, uint32_t thread, uint32_t calls)
{
    const struct host *host = thread < graph->host_count ? &graph->hosts[thread] : NULL;
    uint32_t low = 0, high = host ? host->point_count : 0;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (host->points[middle].call <= calls)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? host->points[low - 1].known : NULL;
}

/* The thread of the call, which now has what it received of the others; NULL: the threads count as one. */
static struct host *host_calls(struct command_graph *graph, const struct order_event *event)
{
    const struct host_clock *clock = event->host;
    if (!clock || graph->as_one)
        return NULL;
    graph->several |= clock->several;
    struct host *host = host_of(graph, clock->thread);
    if (!host || !host_receives(graph, host, clock->count))
        return NULL;
    CHECKED(clock->thread < clock->count);
    for (uint32_t i = 0; i < clock->count; i++) {
        const struct vclock *other = i != clock->thread && clock->at[i] > host->received[i]
                                         ? host_clock_at(graph, i, clock->at[i])
                                         : NULL;
        struct vclock *known = other ? join(graph, host->known, other) : NULL;
        host->received[i] = clock->at[i];
        if (!known)
            continue;
        vclock_unref(host->known);
        host->known = known;
    }
    return graph->exhausted ? NULL : host;
}

/* The call is over: others may receive its clock. */
static void host_called(struct command_graph *graph, struct host *host, uint32_t call)
{
    struct host_point *last = host->point_count ? &host->points[host->point_count - 1] : NULL;
    if (last && last->known == host->known)
        return;
    if (host->point_count == host->point_room) {
        const uint32_t room = 2 * host->point_room + 8;
        struct host_point *points = realloc(host->points, room * sizeof *points);
        if (!points) {
            exhaust(graph);
            return;
        }
        host->points = points;
        host->point_room = room;
    }
    host->points[host->point_count++] = (struct host_point){call, vclock_ref(host->known)};
}

/* The host's clock at this call. */
static struct vclock *caller_clock(const struct command_graph *graph, const struct host *host)
{
    return host ? host->known : graph->host;
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
    if (wait->count == wait->room) {
        size_t room = 2 * wait->room + 2;
        uint32_t *grown = realloc(wait->commands, room * sizeof *grown);
        if (!grown) {
            exhaust(graph);
            return;
        }
        wait->commands = grown;
        wait->room = room;
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

/* The host's steps that the commands before it saw. */
static void see_before(const struct command_graph *graph, struct node *node, const uint32_t *after,
                       size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct node *before = node_of(graph, after[i]);
        if (before && before->state >= NODE_BEGUN && before->saw > node->saw)
            node->saw = before->saw;
    }
}

static struct vclock *known_then(struct command_graph *graph, const struct node *node,
                                 const struct order_event *event, const struct host *host)
{
    if (event->after_count)
        return merge(graph, node->known, event->after, event->after_count);
    return node->reported || host ? join(graph, node->known, caller_clock(graph, host))
                                  : vclock_ref(graph->host);
}

/* (12) The host's clock as it sets a user event goes to the commands that wait for it; or the clocks of the
 * commands that set it (cl_khr_semaphore), to these. */
static void user_set(struct command_graph *graph, const struct order_event *event, const struct host *host)
{
    struct user_wait *wait = wait_find(graph, event->command);
    if (!wait || !RULE(13112))
        return;
    for (size_t i = 0; i < wait->count && !graph->exhausted; i++) {
        struct node *node = node_of(graph, wait->commands[i]);
        if (!node || node->state != NODE_ENQUEUED)
            continue;
        struct vclock *known = known_then(graph, node, event, host);
        if (!known)
            return;
        vclock_unref(node->known);
        node->known = known;
        node->reported |= event->after_count;
        if (event->after_count)
            see_before(graph, node, event->after, event->after_count);
        else
            node->saw = graph->step;
    }
    wait_drop(graph, wait);
}

/* It has begun, so every user event it waited for is set. */
static void forget_waits(struct command_graph *graph, uint32_t serial, const struct node *node)
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
        struct chain *chains = realloc(graph->chains, room * sizeof *chains);
        graph->chains = chains ? chains : graph->chains;
        uint32_t *spare = chains ? realloc(graph->spare, room * sizeof *spare) : NULL;
        if (!spare) {
            exhaust(graph);
            return 0;
        }
        graph->spare = spare;
        graph->chain_room = room;
    }
    graph->chains[graph->chain_count] = (struct chain){0, false};
    return graph->chain_count++;
}

enum { CHAINS_TRIED = 16 };

/* A chain whose tail happens before the command, so that it may be the next tail. By a user event a command
 * may follow commands that were enqueued after it: a command that follows such a tail need not follow this
 * one. */
static uint32_t chain_for(struct command_graph *graph, uint32_t serial, const struct node *node)
{
    const struct vclock *known = node->known;
    for (size_t i = 0; i < node->after_count; i++) {
        const uint32_t after = node->after[i];
        const struct node *before = after < serial ? node_of(graph, after) : NULL;
        if (before && before->state >= NODE_BEGUN && graph->chains[before->chain].tail == after)
            return before->chain;
    }
    for (uint32_t i = 0; i < known->count && i < CHAINS_TRIED; i++) {
        const struct known_chain *at = &known->chains[known->count - 1 - i];
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
    struct node *nodes = calloc(room, sizeof *nodes);
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

static void enqueued(struct command_graph *graph, const struct order_event *event, const struct host *host)
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
    graph->nodes[event->command & (graph->room - 1)] = (struct node){
        .state = NODE_ENQUEUED,
        .known = RULE(13101) ? vclock_ref(caller_clock(graph, host)) : vclock_of_nothing(),
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
        if (!node_of(graph, after[i])) /* a user event, or forgotten */
            wait_add(graph, after[i], event->command);
}

static void begin(struct command_graph *graph, uint32_t serial)
{
    struct node *node = node_of(graph, serial);
    struct vclock *host, *known;
    if (!node || node->state != NODE_ENQUEUED)
        return;
    uint32_t only = node->after_count ? node->after[0] : 0;
    host = node->known;
    if (node->after_count <= 1 && graph->last_known && graph->last_host == host && graph->last_after == only)
        known = vclock_ref(graph->last_known);
    else
        known = merge(graph, host, node->after, RULE(13102) ? node->after_count : 0);
    if (!known)
        return;
    if (node->after_count <= 1) {
        vclock_unref(graph->last_host);
        vclock_unref(graph->last_known);
        graph->last_host = vclock_ref(host);
        graph->last_known = vclock_ref(known);
        graph->last_after = only;
    }
    vclock_unref(host);
    node->known = known;
    see_before(graph, node, node->after, RULE(13102) ? node->after_count : 0);
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

/* No query comes for commands below the prefix of the host, and below its prefix at the enqueue of the oldest
 * command that has not ended. */
static void forget(struct command_graph *graph)
{
    const struct node *oldest = NULL;
    if (graph->several && !graph->as_one && graph->next - graph->first < HOSTS_REMEMBER)
        return;
    graph->as_one |= graph->several;
    while (graph->pending < graph->next) {
        oldest = node_of(graph, graph->pending);
        if (oldest && oldest->state != NODE_ENDED)
            break;
        graph->pending++;
        oldest = NULL;
    }
    uint32_t limit = graph->host->prefix;
    if (oldest && oldest->prefix < limit)
        limit = oldest->prefix;
    for (; graph->first < limit && graph->first < graph->pending; graph->first++) {
        struct node *node = &graph->nodes[graph->first & (graph->room - 1)];
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
    begin(graph, serial); /* one that failed never did */
    struct node *node = node_of(graph, serial);
    if (!node || graph->exhausted)
        return;
    if (node->program)
        node->saw = ++graph->step;
    node->state = NODE_ENDED;
    CHECKED(node->began > 0 && !node->after); /* begin() */
    node->ended = graph->events;
    forget(graph);
    if (CHECKS_ON && graph->events % CHECKED_EVERY == 0 && graph->next - graph->first <= CHECKED_NODES)
        command_graph_check(graph);
}

static void learn(struct command_graph *graph, struct vclock **known, const struct order_event *event)
{
    struct vclock *more = merge(graph, *known, event->after, RULE(13104) ? event->after_count : 0);
    if (!more)
        return;
    vclock_unref(*known);
    *known = more;
}

/* The thread that waited, and the host as a whole. */
static void host_waited(struct command_graph *graph, const struct order_event *event, struct host *host)
{
    learn(graph, &graph->host, event);
    if (host)
        learn(graph, &host->known, event);
    if (!graph->exhausted)
        forget(graph);
}

/* A function of the program begins, after what its command comes after. */
static void program_begins(struct command_graph *graph, uint32_t command)
{
    struct vclock *known = merge(graph, graph->program ? graph->program : graph->host, &command, 1);
    if (!known)
        return;
    vclock_unref(graph->program);
    graph->program = known;
}

static void host_reported(struct command_graph *graph, uint32_t command)
{
    struct vclock *reported = merge(graph, graph->reported ? graph->reported : graph->host, &command, 1);
    if (!reported)
        return;
    vclock_unref(graph->reported);
    graph->reported = reported;
}

void command_graph_order(struct command_graph *graph, const struct order_event *event)
{
    if (graph->exhausted)
        return;
    graph->events++;
    struct host *host = host_calls(graph, event);
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

/* ---- questions -------------------------------------------------------------------------- */

bool command_graph_is_after(const struct command_graph *graph, uint32_t later, uint32_t earlier)
{
    const struct node *node = node_of(graph, later), *before = node_of(graph, earlier);
    if (earlier < graph->first)
        return true;
    return node && before && node->state >= NODE_BEGUN && before->state >= NODE_BEGUN &&
           vclock_has(node->known, before->chain, earlier);
}

bool command_graph_host_is_after(const struct command_graph *graph, uint32_t command)
{
    const struct node *node = node_of(graph, command);
    if (command < graph->host->prefix)
        return true;
    return node && node->state >= NODE_BEGUN && vclock_has(graph->host, node->chain, command);
}

bool command_graph_host_hands_on(const struct command_graph *graph, uint32_t command)
{
    const struct node *node = node_of(graph, command);
    return command_graph_host_is_after(graph, command) ||
           (graph->program && node && node->state >= NODE_BEGUN &&
            vclock_has(graph->program, node->chain, command));
}

bool command_graph_reported(const struct command_graph *graph, uint32_t command)
{
    const struct node *node = node_of(graph, command);
    return command_graph_host_is_after(graph, command) ||
           (graph->reported && node && node->state >= NODE_BEGUN &&
            vclock_has(graph->reported, node->chain, command));
}

bool command_graph_in_sequence(const struct command_graph *graph, uint32_t later, uint32_t earlier)
{
    const struct node *node = node_of(graph, later), *before = node_of(graph, earlier);
    return node && before && node->began && before->ended && node->began > before->ended;
}

bool command_graph_under_way(const struct command_graph *graph, uint32_t command)
{
    const struct node *node = node_of(graph, command);
    return node && node->began && !node->ended;
}

uint64_t command_graph_ended(const struct command_graph *graph, uint32_t command)
{
    const struct node *node = node_of(graph, command);
    return node ? node->ended : 0;
}

/* known: the node's, with more; NULL: no memory. */
static void know_more(struct command_graph *graph, struct node *node, struct vclock *known)
{
    if (!known)
        return;
    vclock_unref(node->known);
    node->known = known;
    vclock_unref(graph->last_known); /* it may have been made from this command's clock */
    graph->last_known = NULL;
}

void command_graph_assume(struct command_graph *graph, uint32_t later, uint32_t earlier)
{
    struct node *node = node_of(graph, later);
    if (!graph->exhausted && node && node->state >= NODE_BEGUN)
        know_more(graph, node, merge(graph, node->known, &earlier, 1));
}

void command_graph_assume_host(struct command_graph *graph, uint32_t command)
{
    struct node *node = node_of(graph, command);
    if (!graph->exhausted && node && node->state >= NODE_BEGUN)
        know_more(graph, node, join(graph, node->known, graph->host));
    if (!graph->exhausted && graph->program && node && node->state >= NODE_BEGUN)
        know_more(graph, node, join(graph, node->known, graph->program));
}

uint32_t command_graph_step(const struct command_graph *graph)
{
    return graph->step;
}

uint32_t command_graph_saw(const struct command_graph *graph, uint32_t command)
{
    const struct node *node = node_of(graph, command);
    return node ? node->saw : graph->step;
}

void command_graph_sees(struct command_graph *graph, uint32_t command, uint32_t step)
{
    struct node *node = node_of(graph, command);
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
    const struct node *node = node_of(graph, command);
    return node ? &node->facts : NULL;
}

/* ---- invariants ----------------------------------------------------------------------- */

static void check_clock(const struct command_graph *graph, const struct vclock *known)
{
    CHECKED(known->refs > 0 && known->prefix > 0 && known->prefix <= graph->next);
    for (uint32_t i = 0; i < known->count; i++) {
        CHECKED(known->chains[i].chain < graph->chain_count && known->chains[i].serial < graph->next);
        CHECKED(known->chains[i].serial >= known->prefix);
        CHECKED(i == 0 || known->chains[i - 1].chain < known->chains[i].chain);
    }
}

static void check_node(const struct command_graph *graph, uint32_t serial, const struct node *node)
{
    CHECKED(node->known && node->prefix <= graph->host->prefix);
    check_clock(graph, node->known);
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
        const struct node *node = node_of(graph, serial);
        CHECKED(!node || serial >= graph->pending || node->state == NODE_ENDED);
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
        const struct host *host = &graph->hosts[i];
        CHECKED(host->point_count <= host->point_room && (host->known || !host->point_count));
        for (uint32_t k = 0; k < host->point_count; k++) {
            check_clock(graph, host->points[k].known);
            CHECKED(k == 0 || host->points[k - 1].call <= host->points[k].call);
        }
    }
}

void command_graph_check(const struct command_graph *graph)
{
    if (graph->exhausted) /* without memory entries are missing */
        return;
    CHECKED(graph->first > 0 && graph->first <= graph->pending && graph->pending <= graph->next);
    CHECKED(graph->seen_by_all <= graph->step + 1);
    check_clock(graph, graph->host);
    check_nodes(graph);
    check_chains(graph);
    check_hosts(graph);
    for (const struct user_wait *wait = graph->waits; wait; wait = wait->hh.next)
        CHECKED(wait->count > 0 && wait->count <= wait->room);
}
