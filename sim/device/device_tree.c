/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs launch trees: a kernel that the host enqueued, and the kernels and markers that kernels of the tree
 * enqueue. A node becomes ready when the events that it waits for are complete and its flag allows it to
 * begin. A node is complete when its launch has ended and its children are complete; then its event is
 * complete.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "orrery/checked.h"
#include "device_enqueue.h"
#include "device_program.h"
#include "sim/base/sentence.h"

/* ---- nodes ------------------------------------------------------------------------------ */

void device_tree_event_changed(struct device_tree *tree, struct device_event *event)
{
    const bool user = event->kind == EVENT_OF_USER;
    device_event_settle(event);
    if (event->kind != EVENT_FREE)
        return;
    tree->user_events -= user;
    if (!user)
        device_queue_events(&tree->device->queues, event->queue, -1);
}

static void stop_waiting(struct device_tree *tree, struct launch_node *node)
{
    for (uint32_t i = 0; i < node->wait_count; i++) {
        struct device_event *event = device_event_find(&tree->events, node->waits[i]);
        CHECKED(event && event->waiters > 0);
        event->waiters--;
        device_tree_event_changed(tree, event);
    }
    node->wait_count = 0;
}

/* Releases arguments, code and place in the queue when the node's own launch has ended: it may remain for
 * long until its children are complete. */
static void release_resources(struct device_tree *tree, struct launch_node *node)
{
    if (node->literal)
        arena_release(&tree->device->arena, node->literal);
    if (node->queue_bytes)
        device_queue_give(&tree->device->queues, node->queue, node->queue_bytes);
    free((void *)(uintptr_t)node->request.compute_units);
    free(node->args);
    node->literal = NULL;
    node->queue_bytes = 0;
    node->request.compute_units = NULL;
    node->args = NULL;
}

void device_tree_node_free(struct device_tree *tree, struct launch_node *node)
{
    stop_waiting(tree, node);
    release_resources(tree, node);
    free(node->waits);
    free(node->after);
    free(node->awaited);
    free(node);
}

/* The node's flag of enqueue_kernel allows it to begin. */
static bool may_begin(const struct launch_node *node)
{
    return node->flags == ENQUEUE_NO_WAIT || node->parent->ended ||
           (node->flags == ENQUEUE_WAIT_WORK_GROUP && node->group_ended);
}

static bool is_ready(const struct device_tree *tree, const struct launch_node *node)
{
    if (!may_begin(node))
        return false;
    for (uint32_t i = 0; i < node->wait_count; i++)
        if (!device_event_done(device_event_find(&tree->events, node->waits[i])))
            return false;
    return true;
}

void device_tree_append(struct device_tree *tree, struct launch_node *parent, struct launch_node *node)
{
    CHECKED(!node->next && !*tree->last && !parent->ended);
    node->tree = tree;
    node->parent = parent;
    node->serial = ++tree->serial;
    parent->outstanding++;
    *tree->last = node;
    tree->last = &node->next;
    if (is_ready(tree, node))
        tree->device->concurrent.others_wait = true;
}

void device_tree_may_start(struct device_tree *tree)
{
    for (const struct launch_node *node = tree->first; node; node = node->next)
        if (is_ready(tree, node))
            tree->device->concurrent.others_wait = true;
}

void device_tree_group_ended(struct launch_node *parent, uint64_t group_linear)
{
    struct device_tree *tree = parent->tree;
    for (struct launch_node *node = tree->first; node; node = node->next)
        if (node->parent == parent && node->group == group_linear)
            node->group_ended = true;
    device_tree_may_start(tree);
}

void device_tree_describe(const struct launch_node *node, struct launch_info *info)
{
    static const enum launch_start starts[] = {LAUNCH_AT_ONCE, LAUNCH_AFTER_PARENT, LAUNCH_AFTER_GROUP};
    if (!node || !node->parent)
        return;
    info->parent = node->parent->launch;
    info->tree_root = node->tree->root.launch;
    info->start = starts[node->flags];
    info->parent_group = node->group;
    info->parent_clock_snapshot = node->clock_snapshot;
    info->after = node->after;
    info->after_count = node->after_count;
}

/* ---- completion --------------------------------------------------------------------------- */

static void device_tree_out_of_memory(struct device_tree *tree)
{
    if (tree->status == STATUS_OK)
        diagnose(&tree->diagnosis, tree->status = STATUS_OUT_OF_MEMORY, "%s",
                 status_name(STATUS_OUT_OF_MEMORY));
}

static void complete_event(struct device_tree *tree, const struct launch_node *node)
{
    CHECKED(node->ended && !node->outstanding);
    struct device_event *event = device_event_find(&tree->events, node->event);
    if (!event)
        return;
    event->status = node->status;
    event->start_time = node->start_time;
    event->end_time = node->end_time;
    event->complete_time = clock_now(&tree->device->clock);
    if (event->captured)
        device_enqueue_store_times(tree->device, event);
    const struct launch_after own = {.launch = node->launch, .complete = true};
    if (!device_event_after(event, node->launch ? &own : node->after, node->launch ? 1 : node->after_count))
        device_tree_out_of_memory(tree);
    device_tree_event_changed(tree, event);
}

/* Completes a node that has ended and whose children are complete, then perhaps its parent, and so on. */
static void complete_if_done(struct device_tree *tree, struct launch_node *node)
{
    while (node->ended && !node->outstanding && node->parent) {
        struct launch_node *parent = node->parent;
        if (node->status < 0 && parent->status == 0)
            parent->status = node->status;
        complete_event(tree, node);
        device_tree_node_free(tree, node);
        CHECKED(parent->outstanding > 0);
        parent->outstanding--;
        node = parent;
    }
}

/* ---- running -------------------------------------------------------------------------------- */

static bool wait_failed(const struct device_tree *tree, const struct launch_node *node)
{
    for (uint32_t i = 0; i < node->wait_count; i++)
        if (device_event_find(&tree->events, node->waits[i])->status < 0)
            return true;
    return false;
}

/* A device queue is out of order: ready commands may begin in any order, and the schedule's policy
 * chooses. */
static uint64_t choose(struct device_tree *tree, uint64_t ready)
{
    const struct schedule_config *schedule = &tree->device->scenario->schedule;
    if (schedule->policy == SCHEDULE_REVERSE)
        return ready - 1;
    return schedule->policy == SCHEDULE_RANDOM || schedule->policy == SCHEDULE_PCT
               ? rng_below(&tree->rng, ready)
               : 0;
}

static struct launch_node *take_at(struct device_tree *tree, struct launch_node **at)
{
    struct launch_node *node = *at;
    *at = node->next;
    CHECKED(!node->ended);
    if (tree->last == &node->next)
        tree->last = at;
    return node;
}

/* NULL: no node is ready. */
static struct launch_node *take_ready(struct device_tree *tree)
{
    uint64_t ready = 0;
    for (const struct launch_node *node = tree->first; node; node = node->next)
        ready += is_ready(tree, node);
    if (!ready)
        return NULL;
    uint64_t skip = choose(tree, ready);
    for (struct launch_node **at = &tree->first;; at = &(*at)->next)
        if (is_ready(tree, *at) && !skip--)
            return take_at(tree, at);
}

static int32_t event_status(enum status status)
{
    switch (status) {
    case STATUS_OK:
    /* The finding is reported, and the program continues. */
    case STATUS_ABORTED: return EVENT_COMPLETE;
    default: return ENQUEUE_OUT_OF_RESOURCES;
    }
}

static bool is_empty(const struct launch_request *request)
{
    return !request->global_size[0] || !request->global_size[1] || !request->global_size[2];
}

/* The status ends the whole tree. */
static bool is_final(enum status status)
{
    return status == STATUS_NO_PROGRESS || status == STATUS_BAD_SCENARIO || status == STATUS_STOPPED;
}

static void drop_pending(struct device_tree *tree)
{
    while (tree->first) {
        struct launch_node *node = take_at(tree, &tree->first);
        node->ended = true;
        complete_if_done(tree, node);
    }
}

static void fail(struct device_tree *tree, enum status status, const struct diagnosis *diagnosis)
{
    if (tree->status == STATUS_OK) {
        tree->status = status;
        tree->diagnosis = *diagnosis;
    }
    drop_pending(tree);
}

static void child_failed(struct device_tree *tree, struct launch_node *node, enum status status,
                         const struct diagnosis *diagnosis)
{
    node->status = event_status(status);
    if (node->status < 0 && diagnosis->text[0])
        diagnose(&tree->child, status, "kernel '%s', which a kernel enqueued: %s",
                 node->kernel ? node->kernel->info->name : "a marker", diagnosis->text);
}

static void node_ended(struct device_tree *tree, struct launch_node *node, enum status status,
                       const struct diagnosis *diagnosis)
{
    node->end_time = clock_now(&tree->device->clock);
    node->ended = true;
    if (node->parent)
        release_resources(tree, node);
    if (node->parent && status != STATUS_OK)
        child_failed(tree, node, status, diagnosis);
    complete_if_done(tree, node);
    if (is_final(status))
        fail(tree, status, diagnosis);
}

static bool take_after(const struct device_tree *tree, struct launch_node *node)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < node->wait_count; i++)
        count += device_event_find(&tree->events, node->waits[i])->after_count;
    node->after = malloc((count + 2) * sizeof *node->after);
    for (uint32_t i = 0; node->after && i < node->wait_count; i++) {
        const struct device_event *event = device_event_find(&tree->events, node->waits[i]);
        if (event->after_count)
            memcpy(node->after + node->after_count, event->after, event->after_count * sizeof *node->after);
        node->after_count += event->after_count;
    }
    if (node->after && !node->kernel)
        node->after[node->after_count++] = (struct launch_after){.launch = node->parent->launch,
                                                                 .marked = true,
                                                                 .clock_snapshot = node->clock_snapshot,
                                                                 .group = node->group};
    return node->after != NULL;
}

/* Describes the limit that the tree exceeds; false: none. */
static bool describe_limit(const struct device_tree *tree, struct sentence *why)
{
    const struct schedule_config *schedule = &tree->device->scenario->schedule;
    if (tree->serial > DEVICE_TREE_CHILDREN_MAX)
        sentence_add(why, "kernels enqueued more than %d commands", DEVICE_TREE_CHILDREN_MAX);
    else if (schedule->max_steps && tree->steps > schedule->max_steps)
        sentence_add(why,
                     "the launch and the kernels it enqueued took more than %" PRIu64
                     " loop iterations and launches (max_steps)",
                     schedule->max_steps);
    else if (deadline_passed(&tree->deadline))
        sentence_add(why, "the launch and the kernels it enqueued ran longer than %g seconds (timeout)",
                     schedule->timeout_seconds);
    else
        return false;
    return true;
}

/* NO_PROGRESS: a limit is exceeded. It is checked at each start, so a kernel that enqueues itself for ever
 * is caught. */
static enum status check_limits(struct device_tree *tree, struct diagnosis *diagnosis)
{
    const char *name = tree->root.request.kernel->info->name;
    const bool fixed = tree->serial > DEVICE_TREE_CHILDREN_MAX; /* no option raises that limit */
    struct sentence why;
    sentence_init(&why);
    if (tree->status != STATUS_OK || !describe_limit(tree, &why))
        return tree->status;
    struct finding finding = {.kind = FINDING_NO_PROGRESS,
                              .launch = tree->root.launch,
                              .kernel = name,
                              .why = why.bytes,
                              .fix =
                                  fixed ? "end the chain of kernels that enqueue kernels, or let the host "
                                          "enqueue what is left"
                                        : "end the chain of kernels that enqueue kernels, or raise max_steps "
                                          "or the timeout if it only needs longer"};
    report_stop(tree->device->report, &finding);
    return diagnose(diagnosis, STATUS_NO_PROGRESS, "kernel %s: %s", name, why.bytes);
}

/* True: the node's launch runs. A node without work has ended already. */
static bool start(struct device_tree *tree, struct launch_node *node)
{
    struct live_launch *live;
    struct diagnosis diagnosis = {0};
    enum status status = STATUS_OK;
    if (wait_failed(tree, node))
        node->status = EVENT_WAIT_LIST_FAILED;
    if (!take_after(tree, node))
        device_tree_out_of_memory(tree);
    stop_waiting(tree, node);
    node->start_time = clock_now(&tree->device->clock);
    status = check_limits(tree, &diagnosis);
    if (status == STATUS_OK && node->kernel && node->status == 0 && !is_empty(&node->request)) {
        const uint64_t before = report_add_count(tree->device->report);
        status = launch_begin(tree->device, &node->request, &live, &diagnosis);
        if (status == STATUS_OK) {
            node->launch = live->launch.info.launch;
            tree->running++;
            return true;
        }
        if (report_add_count(tree->device->report) > before)
            diagnosis.text[0] = '\0'; /* The finding describes it. */
    }
    node_ended(tree, node, status, &diagnosis);
    return false;
}

static void report_stuck(struct device_tree *tree)
{
    const struct launch_node *node = tree->first;
    const char *name = node->kernel ? node->kernel->info->name : "a marker";
    uint32_t waiting = 0;
    struct sentence why;
    struct diagnosis diagnosis = {0};
    for (const struct launch_node *each = node; each; each = each->next)
        waiting++;
    sentence_init(&why);
    sentence_add(&why,
                 "the host's kernel '%s' is not complete before all that kernels enqueued are, and %" PRIu32
                 " of them wait for events that nothing will complete: first %s%s",
                 tree->root.request.kernel->info->name, waiting, node->kernel ? "kernel " : "", name);
    struct finding finding = {.kind = FINDING_NO_PROGRESS,
                              .kernel = tree->root.request.kernel->info->name,
                              .why = why.bytes,
                              .fix = "set_user_event_status for each user event that a command waits for"};
    report_stop(tree->device->report, &finding);
    diagnose(&diagnosis, STATUS_NO_PROGRESS, "%s", why.bytes);
    fail(tree, STATUS_NO_PROGRESS, &diagnosis);
}

/* Starts nodes until a launch of the tree runs; false: the tree is complete. */
static bool run_next(struct device_tree *tree)
{
    while (!tree->running && tree->first) {
        struct launch_node *node = take_ready(tree);
        if (node)
            start(tree, node);
        else
            report_stuck(tree);
    }
    return tree->running;
}

/* One launch has ended. The root's is kept until device_launch_end(). */
static void end_one(struct live_launch *live)
{
    struct launch_node *node = live->launch.node;
    struct device_tree *tree = node->tree;
    uint64_t time;
    struct diagnosis diagnosis = {0};
    tree->steps += live->launch.steps + 1;
    enum status status = launch_end(live, &time, &diagnosis);
    tree->running--;
    if (!node->parent) {
        tree->end_time = time;
        if (status != STATUS_OK)
            fail(tree, status, &diagnosis);
    } else {
        live_launch_give(live);
    }
    node_ended(tree, node, status, &diagnosis);
}

/* ---- life --------------------------------------------------------------------------------------- */

static struct device_tree *device_tree_new(struct device *device, const struct launch_request *request)
{
    struct device_tree *tree = calloc(1, sizeof *tree), **link = &device->trees;
    if (!tree)
        return NULL;
    tree->device = device;
    tree->last = &tree->first;
    tree->root = (struct launch_node){.tree = tree, .request = *request};
    tree->root.request.node = &tree->root;
    deadline_set(&tree->deadline, device->scenario->schedule.timeout_seconds);
    rng_init(&tree->rng, device->scenario->schedule.seed, RNG_DEVICE_QUEUES, device_last_launch(device));
    while (*link)
        link = &(*link)->next;
    *link = tree;
    return tree;
}

/* Events that were not released end with the tree, whose kernels alone can name them. */
static void device_tree_free(struct device_tree *tree)
{
    struct device_tree **link = &tree->device->trees;
    while (*link != tree)
        link = &(*link)->next;
    *link = tree->next;
    for (uint32_t i = 0; i < tree->events.count; i++)
        if (tree->events.items[i].kind != EVENT_FREE && tree->events.items[i].kind != EVENT_OF_USER)
            device_queue_events(&tree->device->queues, tree->events.items[i].queue, -1);
    device_events_fini(&tree->events);
    free(tree->root.awaited);
    free(tree);
}

enum status device_launch_begin(struct device *device, const struct launch_request *request,
                                struct live_launch **out_launch, struct diagnosis *diagnosis)
{
    enum status status = program_construct(request->kernel->program, request, diagnosis);
    if (status != STATUS_OK)
        return status;
    struct device_tree *tree = device_tree_new(device, request);
    if (!tree)
        return diagnose(diagnosis, STATUS_OUT_OF_MEMORY, "%s", status_name(STATUS_OUT_OF_MEMORY));
    status = launch_begin(device, &tree->root.request, out_launch, diagnosis);
    if (status != STATUS_OK) {
        device_tree_free(tree);
        return status;
    }
    tree->live = *out_launch;
    tree->root.launch = tree->live->launch.info.launch;
    tree->running = 1;
    return STATUS_OK;
}

static struct device_tree *complete_tree(const struct device *device)
{
    struct device_tree *tree = device->trees;
    while (tree && run_next(tree))
        tree = tree->next;
    return tree;
}

/* Starts a ready node of any tree beside launches that only spin, since they may wait for it. */
static bool start_beside(const struct device *device)
{
    for (struct device_tree *tree = device->trees; tree; tree = tree->next) {
        struct launch_node *node = take_ready(tree);
        if (node) {
            start(tree, node);
            return true;
        }
    }
    return false;
}

static bool some_ready(const struct device *device)
{
    for (const struct device_tree *tree = device->trees; tree; tree = tree->next)
        for (const struct launch_node *node = tree->first; node; node = node->next)
            if (is_ready(tree, node))
                return true;
    return false;
}

/* Kernels of a tree run one after another, since they share the compute units, unless all running launches
 * only spin. */
struct live_launch *device_run(struct device *device, enum device_help help)
{
    for (;;) {
        const struct device_tree *tree = complete_tree(device);
        if (tree)
            return tree->live;
        struct live_launch *over = concurrent_run(device, some_ready(device) ? HELP_COMMANDS : help);
        if (over)
            end_one(over);
        else if (!start_beside(device) && help != HELP_NONE)
            return NULL;
    }
}

enum status device_launch_end(struct live_launch *live, uint64_t *out_time, struct diagnosis *diagnosis)
{
    struct device_tree *tree = live->launch.node->tree;
    struct launch_result *result = tree->root.request.result;
    enum status status = tree->status;
    *out_time = tree->serial ? clock_now(&tree->device->clock) : tree->end_time;
    if (result)
        *result = (struct launch_result){
            .end_time = tree->end_time, .child_error = tree->root.status, .steps = tree->steps};
    if (status != STATUS_OK)
        diagnose(diagnosis, status, "%s", tree->diagnosis.text);
    else if (tree->root.status < 0 && tree->child.text[0])
        diagnose(diagnosis, tree->child.status, "%s", tree->child.text);
    if (tree->serial && live->device->tree_races)
        tree_races_complete(live->device->tree_races, tree->root.launch, status != STATUS_OUT_OF_MEMORY);
    live_launch_give(live);
    device_tree_free(tree);
    return status;
}

enum status device_launch(struct device *device, const struct launch_request *request,
                          struct diagnosis *diagnosis)
{
    struct live_launch *live;
    uint64_t time;
    enum status status = device_launch_begin(device, request, &live, diagnosis);
    if (status != STATUS_OK)
        return status;
    while (device_run(device, HELP_NONE) != live)
        continue;
    return device_launch_end(live, &time, diagnosis);
}

/* Meanwhile the device has no other launches. */
enum status device_launch_alone(struct device *device, const struct launch_request *request,
                                struct diagnosis *diagnosis)
{
    struct concurrent *concurrent = &device->concurrent, others = *concurrent;
    struct device_tree *trees = device->trees;
    concurrent->live = NULL;
    concurrent->count = concurrent->room = 0;
    device->trees = NULL;
    enum status status = device_launch(device, request, diagnosis);
    free(concurrent->live);
    others.idle = concurrent->idle;
    *concurrent = others;
    device->trees = trees;
    return status;
}
