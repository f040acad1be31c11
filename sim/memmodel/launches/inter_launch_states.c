/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The states of launches that are checked: their work-groups, and the clock of each launch at its begin.
 *
 * A launch's initial clock is the join of what happens before its begin: the host's clock at the enqueueing
 * call, the commands that the command graph says it comes after, and, for a kernel enqueued by a kernel, its
 * parent and the events that it waits for. Each launch has a key in clocks, whose value 1 stands for
 * everything that the launch did.
 */
#include "inter_launch_state.h"
#include "orrery/checked.h"

/* ---- room ----------------------------------------------------------------------------------- */

static bool states_room(struct inter_launch *detector)
{
    const bool room = room_for_one((void **)&detector->states, detector->state_count, &detector->state_room,
                                   LIST_ROOM, sizeof *detector->states) &&
                      room_for_one((void **)&detector->launches, detector->state_count,
                                   &detector->launch_room, LIST_ROOM, sizeof *detector->launches);
    detector->order.launches = detector->launches;
    return room;
}

static bool groups_room(struct inter_launch *detector, uint32_t count)
{
    const bool room = room_for_more((void **)&detector->group_launch, detector->group_count, count,
                                    &detector->group_room, sizeof *detector->group_launch);
    detector->order.group_launch = detector->group_launch;
    return room;
}

static void add_groups(struct inter_launch *detector, uint32_t count)
{
    CHECKED(detector->group_count + count <= detector->group_room);
    for (uint32_t i = 0; i < count; i++)
        detector->group_launch[detector->group_count++] = detector->state_count;
}

/* A group's clock begins with the initial clock of its launch. It takes part in no hand-off, which would
 * not have keys of launches. */
struct group_order *inter_launch_open_group(struct inter_launch *detector, uint64_t number,
                                            struct vclock *const initial[ORDER_REGIONS])
{
    struct group_order *group = order_group(&detector->order, number);
    if (!group)
        return NULL;
    group->handoff_tried = true;
    CHECKED(number < detector->group_count && !group->acquired[IN_GLOBAL]);
    share_all(group->acquired, initial);
    return group;
}

static uint64_t local_items(const struct launch_info *launch)
{
    return launch->local_size[0] * launch->local_size[1] * launch->local_size[2];
}

/* Opens the order with the host's state, which is the first. */
bool inter_launch_open_order(struct inter_launch *detector, const struct launch_info *first)
{
    static struct vclock *const nothing[ORDER_REGIONS];
    const uint64_t items = local_items(first) > GROUP_ITEMS_LEAST ? local_items(first) : GROUP_ITEMS_LEAST;
    if (detector->state_count)
        return true;
    detector->shadow.failed |= !states_room(detector) || !groups_room(detector, 1);
    if (detector->shadow.failed)
        return false;
    detector->states[0] = (struct launch_state){.command = 0};
    detector->launches[0] = (struct order_launch){.sub_group_size = 1,
                                                  .device = UINT32_MAX,
                                                  .global_size = {1, 1, 1},
                                                  .local_size = {1, 1, 1},
                                                  .group_count = {1, 1, 1}};
    detector->all = (struct launch_info){.work_dim = 1,
                                         .kernel = "",
                                         .global_size = {UNITS_MOST, 1, 1},
                                         .local_size = {items, 1, 1},
                                         .group_count = {UNITS_MOST / items, 1, 1},
                                         .sub_group_size = 1};
    order_launch_begin(&detector->order, &detector->all);
    detector->order.group_keys = true; /* all clocks may have keys of groups */
    detector->order.group_launch = detector->group_launch;
    detector->order.launches = detector->launches;
    add_groups(detector, 1);
    detector->state_count = 1;
    return inter_launch_open_group(detector, 0, nothing);
}

bool inter_launch_is_guaranteed(const struct region *region)
{
    return (region->kind == REGION_VARIABLE || region->flags & REGION_FLAG_SVM) &&
           !(region->flags & REGION_FLAG_FREED);
}

bool inter_launch_has_region(const struct memory *memory, uint32_t flags, bool guaranteed)
{
    for (uint32_t i = 1; i < memory_region_count(memory); i++) {
        const struct region *region = &memory->regions[i];
        if (region_is_there(region) && (region->flags & flags) == flags &&
            (!guaranteed || inter_launch_is_guaranteed(region)))
            return true;
    }
    return false;
}

static uint64_t groups_of(const struct launch_info *launch)
{
    return launch->group_count[0] * launch->group_count[1] * launch->group_count[2];
}

bool inter_launch_has_room(const struct inter_launch *detector, const struct launch_info *launch)
{
    const uint64_t items = detector->state_count ? detector->order.group_items : local_items(launch),
                   groups = groups_of(launch);
    const uint64_t most = UNITS_MOST / (items < GROUP_ITEMS_LEAST ? GROUP_ITEMS_LEAST : items);
    return detector->state_count <= STATES_MOST && local_items(launch) <= items &&
           groups < most - detector->group_count - 1;
}

/* ---- the clock of a launch at its begin ------------------------------------------------------- */

/* A command that is no launch is a launch tree of its own. */
uint32_t inter_launch_tree_root(const struct launch_state *state)
{
    if (!state->shape.launch)
        return state->command | UINT32_C(1) << 31;
    return state->shape.parent ? state->shape.tree_root : state->shape.launch;
}

static uint32_t index_of_launch(const struct inter_launch *detector, uint32_t launch)
{
    uint32_t i = detector->state_count;
    while (i > 1 && detector->states[i - 1].shape.launch != launch)
        i--;
    return i > 1 ? i - 1 : 0; /* 0: the host, or a launch that is not checked */
}

bool inter_launch_is_running(const struct launch_state *state)
{
    return state->launch || state->command_runs;
}

void inter_launch_note_unchecked(struct inter_launch *detector, const struct launch_info *launch)
{
    if (launch->parent)
        detector->shadow.failed |=
            !list_add(&detector->unchecked,
                      (struct unchecked_launch){launch->launch, launch->parent, launch->tree_root});
}

void inter_launch_forget_unchecked(struct inter_launch *detector, uint32_t tree_root)
{
    list_keep(&detector->unchecked, launch, launch->tree_root != tree_root);
}

/* 0: the host enqueued it. */
static uint32_t parent_of(const struct inter_launch *detector, uint32_t launch)
{
    const uint32_t state = index_of_launch(detector, launch);
    uint32_t parent = state ? detector->states[state].shape.parent : 0;
    for (uint32_t i = 0; !state && i < detector->unchecked.count; i++)
        if (detector->unchecked.items[i].launch == launch)
            parent = detector->unchecked.items[i].parent;
    return parent;
}

static bool descends_from(const struct inter_launch *detector, uint32_t launch, uint32_t ancestor)
{
    while (launch && launch != ancestor)
        launch = parent_of(detector, launch);
    return launch == ancestor;
}

/* Does the launch begin after the end of the earlier one? */
static bool begins_after_end_of(struct inter_launch *detector, const struct launch_state *state,
                                uint32_t earlier)
{
    CHECKED(earlier > 0 && earlier < detector->state_count);
    return vclock_has(&detector->order.pool, state->initial[IN_GLOBAL], launch_key(earlier), 0);
}

static void join_all(struct inter_launch *detector, struct launch_state *state,
                     struct vclock *const more[ORDER_REGIONS])
{
    for (int r = 0; r < ORDER_REGIONS; r++)
        join_into(&detector->order, &state->initial[r], more[r]);
}

static void put_all(struct inter_launch *detector, struct launch_state *state, uint64_t key, uint64_t clock)
{
    for (int r = 0; r < ORDER_REGIONS; r++)
        put_into(&detector->order, &state->initial[r], key, clock);
}

/* All of the other launch happens before this one. */
static void put_launch(struct inter_launch *detector, struct launch_state *state, uint32_t other)
{
    CHECKED(other < detector->state_count);
    put_all(detector, state, launch_key(other), 1);
}

/* The other launch has ended. */
static void acquire_launch(struct inter_launch *detector, struct launch_state *state, uint32_t other)
{
    CHECKED(other > 0 && other < detector->state_count); /* 0 is the host */
    join_all(detector, state, detector->states[other].final);
    put_launch(detector, state, other);
}

static void acquire_group(struct inter_launch *detector, struct launch_state *state, uint64_t number)
{
    struct vclock *clock[ORDER_REGIONS];
    order_group_vclock(&detector->order, number, clock);
    join_all(detector, state, clock);
    drop_all(&detector->order, clock);
}

/* Commands of the host without order events are done one after another. */
bool inter_launch_is_announced(const struct inter_launch *detector, const struct launch_state *state)
{
    return command_graph_facts(detector->graph, state->command);
}

static bool comes_after_command(const struct inter_launch *detector, const struct launch_state *state,
                                const struct launch_state *earlier)
{
    if (inter_launch_tree_root(state) == inter_launch_tree_root(earlier) || inter_launch_is_running(earlier))
        return false;
    return !inter_launch_is_announced(detector, state) ||
           command_graph_is_after(detector->graph, state->command, earlier->command);
}

/* If the launch that it waits for is not checked, launches that descend from it may be. */
static void acquire_awaited_launch(struct inter_launch *detector, struct launch_state *state, uint32_t launch,
                                   bool complete)
{
    const uint32_t other = index_of_launch(detector, launch);
    if (other)
        acquire_launch(detector, state, other);
    for (uint32_t i = 1; complete && i + 1 < detector->state_count; i++)
        if (i != other && descends_from(detector, detector->states[i].shape.launch, launch))
            acquire_launch(detector, state, i);
}

/* A kernel or marker is enqueued by a caller: everything before the caller's begin happens before it. In
 * fine-grained memory so does everything before the call. If the call is not known, all that any work-item
 * of the caller has acquired counts. */
static void acquire_caller(struct inter_launch *detector, struct launch_state *state, uint32_t caller,
                           uint32_t number)
{
    const struct launch_state *from = &detector->states[caller];
    join_all(detector, state, from->initial);
    if (!inter_launch_has_region(detector->memory, REGION_FLAG_SHARED, false))
        return;
    inter_launch_order_after_call(detector, state, caller, number);
    if (inter_launch_is_call(from, number))
        return;
    join_all(detector, state, from->final);
    for (const struct group_order *group = detector->order.groups; group; group = group->next)
        if (detector->group_launch[group->number] == caller)
            acquire_group(detector, state, group->number);
}

static void acquire_events(struct inter_launch *detector, struct launch_state *state)
{
    for (uint32_t k = 0; k < state->shape.after_count; k++) {
        const struct launch_after *after = &state->shape.after[k];
        const uint32_t other = index_of_launch(detector, after->launch);
        if (other && after->marked)
            acquire_caller(detector, state, other, after->clock_snapshot);
        else if (!after->marked)
            acquire_awaited_launch(detector, state, after->launch, after->complete);
    }
}

/* The group's operations and its clock. */
static void acquire_awaited(struct inter_launch *detector, struct launch_state *state, uint64_t number)
{
    for (uint32_t i = 0; i < detector->awaited.count; i++)
        if (detector->awaited.items[i].number == number)
            join_all(detector, state, detector->awaited.items[i].clock);
    put_all(detector, state, group_key(number), detector->order.clock + 1);
}

static void acquire_parent(struct inter_launch *detector, struct launch_state *state)
{
    const uint32_t parent = index_of_launch(detector, state->shape.parent);
    if (!parent)
        return;
    acquire_caller(detector, state, parent, state->shape.parent_clock_snapshot);
    if (state->shape.start == LAUNCH_AFTER_PARENT)
        acquire_launch(detector, state, parent);
    if (state->shape.start == LAUNCH_AFTER_GROUP)
        acquire_awaited(detector, state,
                        first_group(detector, &detector->states[parent]) + state->shape.parent_group);
}

/* Commands that happen before the launch, the latest first: what one of them begins after need not be
 * joined again. If all of them do, their keys say everything, and their initial clocks are enough. */
static void acquire_commands(struct inter_launch *detector, struct launch_state *state)
{
    bool all = true;
    for (uint32_t i = 1; i < detector->state_count; i++)
        all &= &detector->states[i] == state || comes_after_command(detector, state, &detector->states[i]);
    for (uint32_t i = detector->state_count; i > 1; i--) {
        const struct launch_state *earlier = &detector->states[i - 1];
        if (earlier == state || !comes_after_command(detector, state, earlier) ||
            begins_after_end_of(detector, state, i - 1))
            continue;
        join_all(detector, state, all ? earlier->initial : earlier->final);
        put_launch(detector, state, i - 1);
    }
}

static void acquire_host(struct inter_launch *detector, struct launch_state *state)
{
    struct vclock *clock[ORDER_REGIONS];
    inter_launch_host_clock(detector, state, clock);
    join_all(detector, state, clock);
    drop_all(&detector->order, clock);
}

/* The launch gets the host's clock at its enqueueing call, and everything of the commands that it waits
 * for. */
static void set_initial_clock(struct inter_launch *detector, struct launch_state *state)
{
    acquire_host(detector, state);
    acquire_commands(detector, state);
    if (state->shape.parent) {
        acquire_parent(detector, state);
        acquire_events(detector, state);
    }
}

/* ---- begin and end ---------------------------------------------------------------------------- */

static void open_launch(struct inter_launch *detector, const struct launch_info *launch)
{
    struct order_launch *opened = &detector->launches[detector->state_count];
    *opened = (struct order_launch){.sub_group_size = launch->sub_group_size ? launch->sub_group_size : 1,
                                    .device = launch->device,
                                    .first_group = detector->group_count};
    memcpy(opened->global_size, launch->global_size, sizeof opened->global_size);
    memcpy(opened->local_size, launch->local_size, sizeof opened->local_size);
    memcpy(opened->group_count, launch->group_count, sizeof opened->group_count);
}

bool inter_launch_add_launch(struct inter_launch *detector, const struct launch_info *launch)
{
    if (!inter_launch_open_order(detector, launch) || !groups_room(detector, (uint32_t)groups_of(launch)) ||
        !states_room(detector)) {
        detector->shadow.failed = true;
        return false;
    }
    struct launch_state *state = &detector->states[detector->state_count];
    *state = (struct launch_state){.launch = launch,
                                   .shape = *launch,
                                   .partial = launch->in_launch_tree,
                                   .kernel = strdup(launch->kernel),
                                   .command = launch->command};
    if (!state->kernel) {
        detector->shadow.failed = true;
        return false;
    }
    open_launch(detector, launch);
    inter_launch_order_of(detector, state)->tree_root = inter_launch_tree_root(state);
    add_groups(detector, (uint32_t)groups_of(launch));
    detector->state_count++;
    command_graph_mark(detector->graph, launch->command);
    set_initial_clock(detector, state);
    return true;
}

struct launch_state *inter_launch_add_command(struct inter_launch *detector, uint32_t command,
                                              const char *kernel)
{
    const struct launch_info one = {.kernel = kernel ? kernel : "",
                                    .command = command,
                                    .local_size = {1, 1, 1},
                                    .group_count = {1, 1, 1},
                                    .global_size = {1, 1, 1}};
    if (!inter_launch_has_room(detector, &one) || !inter_launch_add_launch(detector, &one))
        return NULL;
    struct launch_state *state = &detector->states[detector->state_count - 1];
    state->launch = NULL; /* it has no events of its own */
    return inter_launch_open_group(detector, first_group(detector, state), state->initial) ? state : NULL;
}

void inter_launch_close_group(struct inter_launch *detector, struct launch_state *state, uint64_t number)
{
    if (!state->ended)
        share_all(state->final, state->initial);
    state->ended = true;
    order_group_join_new(&detector->order, number, state->initial, state->final);
    order_group_end(&detector->order, number);
}

void inter_launch_await_group(struct inter_launch *detector, const struct launch_info *launch, uint64_t group,
                              uint64_t number)
{
    bool is_awaited = false;
    for (uint32_t i = 0; i < launch->awaited_group_count; i++)
        is_awaited |= launch->awaited_groups[i] == group;
    if (!is_awaited)
        return;
    if (list_add(&detector->awaited, (struct awaited_group){.number = number}))
        order_group_vclock(&detector->order, number,
                           detector->awaited.items[detector->awaited.count - 1].clock);
    else
        detector->shadow.failed = true;
}

void inter_launch_end_of_command(struct inter_launch *detector, uint32_t command)
{
    for (uint32_t i = detector->state_count; i > 1; i--) {
        struct launch_state *state = &detector->states[i - 1];
        if (!state->command_runs || state->command != command)
            continue;
        inter_launch_close_group(detector, state, first_group(detector, state));
        state->command_runs = false;
    }
}
