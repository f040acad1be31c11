/* SPDX-License-Identifier: Apache-2.0 */
/* enqueue_kernel and similar functions as a wave calls them: checks ranges, flags, wait lists and local
 * sizes, and appends a node to the launch tree. */
#include "device_enqueue.h"

#include <stdlib.h>
#include <string.h>

#include "device_program.h"

enum { COMMAND_BYTES = 256, CLK_PROFILING_COMMAND_EXEC_TIME = 1, CAPTURED_BYTES = 16 };

/* One call: the calling lanes and their arguments. */
struct enqueue_attempt {
    struct device *device;
    struct launch *launch;
    struct device_tree *tree;
    const struct program *program;
    const struct wave *wave;
    struct enqueue_call *call;
    struct kernel *kernel;             /* the kernel of the block */
    struct device_queue_request queue; /* owns the compute units until a node takes them */
};

/* ---- what a block may be run with ------------------------------------------------------ */

static uint64_t volume(const uint64_t size[3])
{
    uint64_t plane, all;
    return __builtin_mul_overflow(size[0], size[1], &plane) || __builtin_mul_overflow(plane, size[2], &all)
               ? UINT64_MAX
               : all;
}

static bool is_before(const struct device_config *config, uint32_t major, uint32_t minor)
{
    return config->version_major < major || (config->version_major == major && config->version_minor < minor);
}

static bool is_empty(const struct ndrange *range)
{
    return !range->global_size[0] || !range->global_size[1] || !range->global_size[2];
}

static bool divides(const struct ndrange *range)
{
    for (int i = 0; i < 3; i++)
        if (range->local_size[i] && range->global_size[i] % range->local_size[i])
            return false;
    return true;
}

/* Dimensions that the descriptor lacks get one work-item. */
static bool take_range(struct enqueue_attempt *attempt, const struct device_config *config)
{
    struct ndrange *range = &attempt->call->range;
    if (range->work_dim < 1 || range->work_dim > 3)
        return false;
    bool chosen = range->local_size[0] || range->local_size[1] || range->local_size[2];
    for (uint32_t i = range->work_dim; i < 3; i++) {
        range->global_size[i] = 1;
        range->local_size[i] = chosen;
        range->offset[i] = 0;
    }
    for (uint32_t i = 0; i < 3; i++) {
        const uint64_t size = range->local_size[i];
        if (chosen && (!size || size > config->max_work_item_sizes[i]))
            return false;
        if (range->global_size[i] > UINT64_MAX - range->offset[i])
            return false;
    }
    bool ragged = config->non_uniform_groups && !attempt->program->uniform_groups;
    const bool may_be_empty = !is_before(config, 2, 1);
    if (volume(range->local_size) > config->max_work_group_size)
        return false;
    return (ragged || divides(range)) && (may_be_empty || !is_empty(range));
}

static void choose_local(const struct enqueue_attempt *attempt, const struct device_config *config,
                         struct ndrange *range)
{
    if (range->local_size[0] || is_empty(range))
        return;
    device_suggest_local_size(config, attempt->kernel, range->work_dim, range->global_size,
                              range->local_size);
    for (int i = 0; i < 3 && attempt->program->uniform_groups; i++)
        while (range->global_size[i] % range->local_size[i])
            range->local_size[i]--;
}

static const struct device_config *config_of(const struct enqueue_attempt *attempt)
{
    return attempt->launch->config;
}

static uint32_t sub_group_size(const struct enqueue_attempt *attempt, uint64_t items)
{
    return device_sub_group_size(config_of(attempt), attempt->kernel, items);
}

static int64_t answer_of_range(struct enqueue_attempt *attempt, bool count)
{
    struct ndrange *range = &attempt->call->range;
    if (!take_range(attempt, config_of(attempt)) || is_empty(range))
        return 0;
    choose_local(attempt, config_of(attempt), range);
    uint64_t items = volume(range->local_size), size = sub_group_size(attempt, items);
    return (int64_t)(count ? (items + size - 1) / size : size < items ? size : items);
}

static int64_t answer_query(struct enqueue_attempt *attempt)
{
    const uint64_t most = config_of(attempt)->max_work_group_size, width = sub_group_size(attempt, most);
    const uint64_t number = (uint64_t)attempt->call->number;
    switch (attempt->call->op) {
    case ENQUEUE_WORK_GROUP_SIZE: return (int64_t)most;
    case ENQUEUE_PREFERRED_MULTIPLE: return (int64_t)width;
    case ENQUEUE_SUB_GROUP_COUNT: return answer_of_range(attempt, true);
    case ENQUEUE_SUB_GROUP_SIZE: return answer_of_range(attempt, false);
    case ENQUEUE_LOCAL_SIZE: return number <= most / width ? (int64_t)(number * width) : 0;
    default: return (int64_t)((most + width - 1) / width);
    }
}

/* Notes that the host is out of memory, which no error of OpenCL C means: the launch ends with it. */
static bool check_memory(const struct enqueue_attempt *attempt, bool memory)
{
    attempt->launch->exhausted |= !memory;
    return memory;
}

/* ---- what can be wrong with a command ----------------------------------------------------- */

static enum enqueue_error check_queue(struct enqueue_attempt *attempt)
{
    enum status status =
        device_queue_describe(&attempt->device->queues, attempt->call->handle, &attempt->queue);
    if (!check_memory(attempt, status != STATUS_OUT_OF_MEMORY))
        return ENQUEUE_OUT_OF_RESOURCES;
    if (status != STATUS_OK)
        return ENQUEUE_INVALID_QUEUE;
    return attempt->queue.device == attempt->launch->info.device ? ENQUEUE_SUCCESS : ENQUEUE_INVALID_QUEUE;
}

static enum enqueue_error check_waits(const struct enqueue_attempt *attempt, bool needed)
{
    const struct enqueue_call *call = attempt->call;
    if (call->waits_given != (call->wait_count != 0) || (needed && !call->wait_count) ||
        call->wait_count > ENQUEUE_WAITS_MOST)
        return ENQUEUE_INVALID_EVENT_WAIT_LIST;
    for (uint64_t i = 0; i < call->wait_count; i++)
        if (!device_event_find(&attempt->tree->events, call->waits[i]))
            return ENQUEUE_INVALID_EVENT_WAIT_LIST;
    return ENQUEUE_SUCCESS;
}

static enum enqueue_error check_locals(const struct enqueue_attempt *attempt)
{
    const struct enqueue_call *call = attempt->call;
    uint64_t used = attempt->kernel->info->local_bytes;
    for (uint32_t i = 0; i < call->local_count; i++) {
        if (!call->local_bytes[i])
            return ENQUEUE_INVALID_ARG_SIZE;
        if (__builtin_add_overflow(used, call->local_bytes[i], &used))
            return ENQUEUE_OUT_OF_RESOURCES;
    }
    return used <= config_of(attempt)->local_memory ? ENQUEUE_SUCCESS : ENQUEUE_OUT_OF_RESOURCES;
}

static enum enqueue_error check_kernel(struct enqueue_attempt *attempt)
{
    enum enqueue_error error = check_queue(attempt);
    if (error == ENQUEUE_SUCCESS && !take_range(attempt, config_of(attempt)))
        error = ENQUEUE_INVALID_NDRANGE;
    if (error == ENQUEUE_SUCCESS)
        error = check_waits(attempt, false);
    if (error == ENQUEUE_SUCCESS)
        error = check_locals(attempt);
    if (error == ENQUEUE_SUCCESS && (uint64_t)attempt->call->number > ENQUEUE_WAIT_WORK_GROUP)
        error = ENQUEUE_FAILURE;
    return error;
}

static enum enqueue_error check_marker(struct enqueue_attempt *attempt)
{
    enum enqueue_error error = check_queue(attempt);
    return error == ENQUEUE_SUCCESS ? check_waits(attempt, true) : error;
}

/* ---- making a command ------------------------------------------------------------------------- */

/* The block's own argument, then the sizes of its local arguments. */
static bool make_args(const struct enqueue_attempt *attempt, struct launch_node *node)
{
    const struct enqueue_call *call = attempt->call;
    const size_t count = 1 + (size_t)call->local_count;
    node->args = calloc(count, sizeof *node->args + sizeof(uint64_t));
    if (!check_memory(attempt, node->args))
        return false;
    uint64_t *values = (uint64_t *)(void *)(node->args + count);
    values[0] = node->literal ? node->literal->low : 0;
    for (size_t i = 0; i < count; i++) {
        if (i)
            values[i] = call->local_bytes[i - 1];
        node->args[i] = (struct launch_arg){&values[i], sizeof values[i], 0, 0};
    }
    node->request.args = node->args;
    node->request.arg_count = count;
    return true;
}

static bool make_literal(const struct enqueue_attempt *attempt, struct launch_node *node)
{
    const struct allocation wanted = {.kind = REGION_CONSTANT_DATA,
                                      .size = attempt->call->literal_size,
                                      .align = 128,
                                      .name = "captured variables"};
    enum status status =
        wanted.size ? arena_allocate(&attempt->device->arena, &wanted, &node->literal) : STATUS_OK;
    return check_memory(attempt, status != STATUS_OUT_OF_MEMORY) && status == STATUS_OK;
}

static void make_request(struct enqueue_attempt *attempt, struct launch_node *node)
{
    struct ndrange range = attempt->call->range;
    choose_local(attempt, config_of(attempt), &range);
    struct launch_request *request = &node->request;
    request->kernel = attempt->kernel;
    request->command = attempt->launch->info.command;
    request->stop = attempt->tree->root.request.stop;
    request->reported = attempt->tree->root.request.reported;
    request->reported_count = attempt->tree->root.request.reported_count;
    request->default_queue = attempt->tree->root.request.default_queue;
    request->work_dim = range.work_dim;
    memcpy(request->global_size, range.global_size, sizeof range.global_size);
    memcpy(request->global_offset, range.offset, sizeof range.offset);
    memcpy(request->local_size, range.local_size, sizeof range.local_size);
}

/* The queue's compute units move to the node. */
static void make_place(struct enqueue_attempt *attempt, struct launch_node *node)
{
    struct launch_request *request = &node->request;
    request->root = attempt->queue.root;
    request->device = attempt->queue.device;
    request->compute_units = attempt->queue.compute_units;
    request->compute_unit_count = attempt->queue.compute_unit_count;
    request->node = node;
    attempt->queue.compute_units = NULL;
}

static bool make_waits(const struct enqueue_attempt *attempt, struct launch_node *node)
{
    const struct enqueue_call *call = attempt->call;
    node->waits = malloc((call->wait_count + 1) * sizeof *node->waits);
    for (uint64_t i = 0; node->waits && i < call->wait_count; i++) {
        node->waits[i] = call->waits[i];
        device_event_find(&attempt->tree->events, call->waits[i])->waiters++;
        node->wait_count++;
    }
    return check_memory(attempt, node->waits);
}

static bool make_event(const struct enqueue_attempt *attempt, struct launch_node *node)
{
    struct device_queues *queues = &attempt->device->queues;
    if (!attempt->call->event_wanted)
        return true;
    if (!device_queue_events(queues, node->queue, 1))
        return false;
    struct device_event *event = device_event_new(
        &attempt->tree->events, node->kernel ? EVENT_OF_KERNEL : EVENT_OF_MARKER, &node->event);
    if (!check_memory(attempt, event)) {
        device_queue_events(queues, node->queue, -1);
        return false;
    }
    event->queue = (uint32_t)node->queue;
    return true;
}

static bool take_room(const struct enqueue_attempt *attempt, struct launch_node *node)
{
    const struct enqueue_call *call = attempt->call;
    uint64_t bytes = COMMAND_BYTES + (call->wait_count + call->local_count) * sizeof(uint64_t);
    if (__builtin_add_overflow(bytes, call->literal_size, &bytes) ||
        !device_queue_take(&attempt->device->queues, call->handle, bytes))
        return false;
    node->queue_bytes = bytes;
    return true;
}

static enum enqueue_error fill(struct enqueue_attempt *attempt, struct launch_node *node)
{
    node->queue = attempt->call->handle;
    node->flags = (uint32_t)attempt->call->number;
    node->kernel = attempt->kernel;
    if (!take_room(attempt, node))
        return ENQUEUE_QUEUE_FULL;
    if (node->kernel && (!make_literal(attempt, node) || !make_args(attempt, node)))
        return ENQUEUE_OUT_OF_RESOURCES;
    if (!make_waits(attempt, node))
        return ENQUEUE_OUT_OF_RESOURCES;
    return make_event(attempt, node) ? ENQUEUE_SUCCESS : ENQUEUE_EVENT_ALLOCATION_FAILURE;
}

/* Notes, once, that kernels wait for the end of this work-group. */
static bool note_awaited_group(struct launch_node *parent, uint64_t group)
{
    for (uint32_t i = 0; i < parent->awaited_count; i++)
        if (parent->awaited[i] == group)
            return true;
    uint64_t *grown = realloc(parent->awaited, (parent->awaited_count + 1) * sizeof *grown);
    if (!grown)
        return false;
    parent->awaited = grown;
    parent->awaited[parent->awaited_count++] = group;
    return true;
}

static void announce_to_tree_races(struct enqueue_attempt *attempt, struct launch_node *node)
{
    struct launch *launch = attempt->launch;
    struct item item;
    origin_item(&attempt->wave->origin, attempt->call->lane, &item);
    node->group = item.group_linear;
    if (attempt->device->checkers)
        node->clock_snapshot = checkers_enqueue(attempt->device->checkers, &attempt->wave->origin,
                                                attempt->wave->lane_count, attempt->call->lane);
    if (node->flags == ENQUEUE_WAIT_WORK_GROUP)
        check_memory(attempt, note_awaited_group(launch->node, node->group));
    launch->info.tree_root = attempt->tree->root.launch;
    launch->info.awaited_groups = launch->node->awaited;
    launch->info.awaited_group_count = launch->node->awaited_count;
}

static enum enqueue_error put(struct enqueue_attempt *attempt)
{
    struct device_tree *tree = attempt->tree;
    struct launch_node *node = calloc(1, sizeof *node);
    enum enqueue_error error = check_memory(attempt, node) ? fill(attempt, node) : ENQUEUE_OUT_OF_RESOURCES;
    if (error != ENQUEUE_SUCCESS) {
        if (node)
            device_tree_node_free(tree, node);
        return error;
    }
    make_place(attempt, node);
    if (node->kernel)
        make_request(attempt, node);
    announce_to_tree_races(attempt, node);
    device_tree_append(tree, attempt->launch->node, node);
    attempt->call->event = node->event;
    attempt->call->literal = node->literal ? node->literal->low : 0;
    return ENQUEUE_SUCCESS;
}

static const char *no_queue(const struct enqueue_attempt *attempt)
{
    if (attempt->tree->root.request.default_queue)
        return "the queue is null: nothing is enqueued, and the call returns an error";
    return "the queue is null: nothing is enqueued, and the call returns an error. The context has no "
           "default queue on the device, so that get_default_queue() is null";
}

static const char *refusal(enum enqueue_error error)
{
    switch (error) {
    case ENQUEUE_QUEUE_FULL: return "the queue on the device is full";
    case ENQUEUE_EVENT_ALLOCATION_FAILURE: return "no event on the device is left";
    case ENQUEUE_INVALID_NDRANGE: return "the range is not valid";
    case ENQUEUE_INVALID_EVENT_WAIT_LIST: return "an event of the list is not valid";
    case ENQUEUE_INVALID_ARG_SIZE: return "the size of local memory is 0";
    case ENQUEUE_OUT_OF_RESOURCES: return "it needs more than the device has";
    case ENQUEUE_INVALID_QUEUE: return "the queue is not valid";
    case ENQUEUE_SUCCESS:
    case ENQUEUE_FAILURE:
    default: return "an argument is not valid";
    }
}

/* Kernels ignore the error as host programs do. */
static void count_refusal(struct enqueue_attempt *attempt, enum enqueue_error error)
{
    struct launch *launch = attempt->launch;
    if (launch->refused.count++)
        return;
    launch->refused.why = refusal(error);
    launch->refused.site = attempt->call->site;
}

static int64_t enqueue(struct enqueue_attempt *attempt)
{
    enum enqueue_error error = attempt->kernel ? check_kernel(attempt) : check_marker(attempt);
    bool nothing = !attempt->kernel && !attempt->call->event_wanted;
    if (error == ENQUEUE_SUCCESS && !nothing)
        error = put(attempt);
    free((void *)(uintptr_t)attempt->queue.compute_units);
    if (error == ENQUEUE_INVALID_QUEUE && !attempt->call->handle)
        attempt->call->misuse = no_queue(attempt);
    else if (error != ENQUEUE_SUCCESS)
        count_refusal(attempt, error);
    return error == ENQUEUE_SUCCESS || attempt->program->detailed_errors ? error : ENQUEUE_FAILURE;
}

/* ---- events ------------------------------------------------------------------------------------- */

static int64_t new_user_event(const struct enqueue_attempt *attempt)
{
    uint64_t handle = 0;
    if (attempt->tree->user_events < DEVICE_QUEUE_EVENTS &&
        check_memory(attempt, device_event_new(&attempt->tree->events, EVENT_OF_USER, &handle)))
        attempt->tree->user_events++;
    return (int64_t)handle;
}

/* Approximation: a command that waits for the event is ordered after everything that this kernel does,
 * although it is ordered only after what the kernel did before the call. Races with later accesses of the
 * kernel are missed. */
static void complete_user_event(const struct enqueue_attempt *attempt, struct device_event *event,
                                int32_t status)
{
    const struct launch_after setter = {.launch = attempt->launch->info.launch};
    event->status = status;
    check_memory(attempt, device_event_after(event, &setter, 1));
    device_tree_may_start(attempt->tree);
}

static void set_status(const struct enqueue_attempt *attempt, struct device_event *event)
{
    struct enqueue_call *call = attempt->call;
    if (event->kind != EVENT_OF_USER)
        call->misuse =
            "the event was not made by create_user_event, and only such events have a status to be set";
    else if (call->number > EVENT_COMPLETE)
        call->misuse = "the status is neither CL_COMPLETE nor a negative number";
    else if (!device_event_done(event))
        complete_user_event(attempt, event, (int32_t)call->number);
}

/* OpenCL C 3.0, 6.15.18.8: the time in which its own work-items ran, and the time until its children were
 * complete. */
void device_enqueue_store_times(struct device *device, const struct device_event *event)
{
    const uint64_t times[2] = {event->end_time - event->start_time, event->complete_time - event->start_time};
    struct region *region = arena_find(&device->arena, event->captured, sizeof times);
    if (!region)
        return;
    memcpy((void *)(uintptr_t)event->captured, times, sizeof times);
    memory_set_valid(region, event->captured, sizeof times, true);
}

static void capture(const struct enqueue_attempt *attempt, struct device_event *event)
{
    struct enqueue_call *call = attempt->call;
    const struct region *region = arena_find(&attempt->device->arena, call->target, CAPTURED_BYTES);
    if (event->kind != EVENT_OF_KERNEL)
        call->misuse = "the event is not one of enqueue_kernel, and other commands have no times";
    else if (call->number != CLK_PROFILING_COMMAND_EXEC_TIME)
        call->misuse = "what is to be captured is not CLK_PROFILING_COMMAND_EXEC_TIME";
    else if (!region || region->deny & DENY_KERNEL_WRITE)
        call->misuse = "two 64-bit values do not fit at the address for the times";
    else {
        event->captured = call->target;
        if (device_event_done(event)) /* the event is complete, so its times are known */
            device_enqueue_store_times(attempt->device, event);
    }
}

static void use_event(const struct enqueue_attempt *attempt)
{
    struct enqueue_call *call = attempt->call;
    struct device_event *event = device_event_find(&attempt->tree->events, call->handle);
    if (!event || !event->references) {
        call->misuse =
            "the event is not valid: nothing returned it, or it was released as often as it was retained";
        return;
    }
    switch (call->op) {
    case ENQUEUE_RETAIN: event->references++; break;
    case ENQUEUE_RELEASE: event->references--; break;
    case ENQUEUE_SET_STATUS: set_status(attempt, event); break;
    default: capture(attempt, event); break;
    }
    device_tree_event_changed(attempt->tree, event);
}

static bool is_valid(const struct enqueue_attempt *attempt)
{
    const struct device_event *event = device_event_find(&attempt->tree->events, attempt->call->handle);
    return event && event->references;
}

void device_enqueue(struct device *device, struct launch *launch, const struct wave *wave,
                    struct enqueue_call *call)
{
    struct enqueue_attempt attempt = {.device = device,
                                      .launch = launch,
                                      .wave = wave,
                                      .call = call,
                                      .tree = launch->node->tree,
                                      .program = launch->info.program};
    if (call->op == ENQUEUE_KERNEL || call->op >= ENQUEUE_WORK_GROUP_SIZE)
        attempt.kernel = &launch->info.program->kernels[call->kernel];
    switch (call->op) {
    case ENQUEUE_KERNEL:
    case ENQUEUE_MARKER: call->result = enqueue(&attempt); break;
    case ENQUEUE_DEFAULT_QUEUE: call->result = attempt.tree->root.request.default_queue; break;
    case ENQUEUE_USER_EVENT: call->result = new_user_event(&attempt); break;
    case ENQUEUE_IS_VALID: call->result = is_valid(&attempt); break;
    case ENQUEUE_RETAIN:
    case ENQUEUE_RELEASE:
    case ENQUEUE_SET_STATUS:
    case ENQUEUE_CAPTURE: use_event(&attempt); break;
    default: call->result = answer_query(&attempt); break;
    }
}
