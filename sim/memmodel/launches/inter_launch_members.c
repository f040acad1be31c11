/* SPDX-License-Identifier: Apache-2.0 */
/* Launches that are checked: their work-groups, and the clock of each at its begin. */
#include "inter_launch_state.h"

/* ---- room ----------------------------------------------------------------------------------- */

bool cross_room_for(void **items, uint32_t count, uint32_t *room, size_t size)
{
    if (count < *room)
        return true;
    const uint32_t more = 2 * *room + 8;
    void *grown = realloc(*items, more * size);
    if (!grown)
        return false;
    *items = grown;
    *room = more;
    return true;
}

static bool members_room(struct cross_launch *cross)
{
    const bool room = cross_room_for((void **)&cross->members, cross->member_count, &cross->member_room,
                                     sizeof *cross->members) &&
                      cross_room_for((void **)&cross->launches, cross->member_count, &cross->launch_room,
                                     sizeof *cross->launches);
    cross->order.launches = cross->launches;
    return room;
}

static bool groups_room(struct cross_launch *cross, uint64_t count)
{
    if (cross->group_count + count <= cross->group_room)
        return true;
    const uint64_t room = 2 * cross->group_room + count + 64;
    uint32_t *launch = realloc(cross->group_launch, room * sizeof *launch);
    cross->group_launch = launch ? launch : cross->group_launch;
    uint32_t *device = launch ? realloc(cross->group_device, room * sizeof *device) : NULL;
    cross->group_device = device ? device : cross->group_device;
    if (!device)
        return false;
    cross->group_room = room;
    cross->order.group_launch = cross->group_launch;
    cross->order.group_device = cross->group_device;
    return true;
}

static void add_groups(struct cross_launch *cross, uint64_t count, uint32_t device)
{
    for (uint64_t i = 0; i < count; i++) {
        cross->group_launch[cross->group_count] = cross->member_count;
        cross->group_device[cross->group_count++] = device;
    }
}

/* Such a map is queried for whole launches, and by work-groups. */
struct group_order *cross_open_group(struct cross_launch *cross, uint64_t number,
                                     struct vclock *const begun[ORDER_REGIONS])
{
    struct group_order *group = order_group(&cross->order, number);
    if (!group)
        return NULL;
    group->handoff_tried = true;
    share_all(group->acquired, begun);
    return group;
}

static uint64_t local_items(const struct launch_info *launch)
{
    return launch->local_size[0] * launch->local_size[1] * launch->local_size[2];
}

/* The host is the first member. */
bool cross_open_order(struct cross_launch *cross, const struct launch_info *first)
{
    static struct vclock *const nothing[ORDER_REGIONS];
    const uint64_t items = local_items(first) > GROUP_ITEMS_LEAST ? local_items(first) : GROUP_ITEMS_LEAST;
    if (cross->member_count)
        return true;
    cross->shadow.failed |= !members_room(cross) || !groups_room(cross, 1);
    if (cross->shadow.failed)
        return false;
    cross->members[0] = (struct member){.command = 0};
    cross->launches[0] = (struct order_launch){
        .sub_group_size = 1, .global_size = {1, 1, 1}, .local_size = {1, 1, 1}, .group_count = {1, 1, 1}};
    cross->all = (struct launch_info){.work_dim = 1,
                                      .kernel = "",
                                      .global_size = {UNITS_MOST, 1, 1},
                                      .local_size = {items, 1, 1},
                                      .group_count = {UNITS_MOST / items, 1, 1},
                                      .sub_group_size = 1};
    order_launch_begin(&cross->order, &cross->all);
    cross->order.group_keys = true; /* maps are looked at in every way */
    cross->order.group_launch = cross->group_launch;
    cross->order.group_device = cross->group_device;
    cross->order.launches = cross->launches;
    add_groups(cross, 1, UINT32_MAX);
    cross->member_count = 1;
    return cross_open_group(cross, 0, nothing);
}

bool cross_is_guaranteed(const struct region *region)
{
    return (region->kind == REGION_VARIABLE || region->flags & REGION_FLAG_SVM) &&
           !(region->flags & REGION_FLAG_FREED);
}

bool cross_has_guaranteed(const struct memory *memory)
{
    for (uint32_t i = 1; i < memory->region_count; i++)
        if (cross_is_guaranteed(&memory->regions[i]))
            return true;
    return false;
}

bool cross_has_svm_atomics(const struct memory *memory)
{
    for (uint32_t i = 1; i < memory->region_count; i++)
        if (memory->regions[i].flags & REGION_FLAG_SVM_ATOMICS && cross_is_guaranteed(&memory->regions[i]))
            return true;
    return false;
}

static uint64_t groups_of(const struct launch_info *launch)
{
    return launch->group_count[0] * launch->group_count[1] * launch->group_count[2];
}

bool cross_has_room(const struct cross_launch *cross, const struct launch_info *launch)
{
    const uint64_t items = cross->member_count ? cross->order.group_items : local_items(launch),
                   groups = groups_of(launch);
    const uint64_t most = UNITS_MOST / (items < GROUP_ITEMS_LEAST ? GROUP_ITEMS_LEAST : items);
    return cross->member_count <= MEMBERS_MOST && local_items(launch) <= items &&
           groups < most - cross->group_count - 1;
}

/* ---- the clock of a launch at its begin ------------------------------------------------------ */

/* Commands that are no launches have one each, which is no launch's. */
uint32_t cross_family_of(const struct member *member)
{
    if (!member->shape.launch)
        return member->command | UINT32_C(1) << 31;
    return member->shape.parent ? member->shape.family : member->shape.launch;
}

static uint32_t member_by_launch(const struct cross_launch *cross, uint32_t launch)
{
    uint32_t i = cross->member_count;
    while (i > 1 && cross->members[i - 1].shape.launch != launch)
        i--;
    return i > 1 ? i - 1 : 0; /* 0: the host, or it is not checked */
}

bool cross_is_running(const struct member *member)
{
    return member->launch || member->moves;
}

void cross_note_unchecked(struct cross_launch *cross, const struct launch_info *launch)
{
    if (!launch->parent)
        return;
    if (cross_room_for((void **)&cross->unchecked, cross->unchecked_count, &cross->unchecked_room,
                       sizeof *cross->unchecked))
        cross->unchecked[cross->unchecked_count++] =
            (struct unchecked){launch->launch, launch->parent, launch->family};
    else
        cross->shadow.failed = true;
}

void cross_forget_unchecked(struct cross_launch *cross, uint32_t family)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < cross->unchecked_count; i++)
        if (cross->unchecked[i].family != family)
            cross->unchecked[kept++] = cross->unchecked[i];
    cross->unchecked_count = kept;
}

/* 0: the host enqueued it. */
static uint32_t parent_of(const struct cross_launch *cross, uint32_t launch)
{
    const uint32_t member = member_by_launch(cross, launch);
    uint32_t parent = member ? cross->members[member].shape.parent : 0;
    for (uint32_t i = 0; !member && i < cross->unchecked_count; i++)
        if (cross->unchecked[i].launch == launch)
            parent = cross->unchecked[i].parent;
    return parent;
}

static bool came_of(const struct cross_launch *cross, uint32_t launch, uint32_t ancestor)
{
    while (launch && launch != ancestor)
        launch = parent_of(cross, launch);
    return launch == ancestor;
}

/* From its begin on. */
static bool knows_wholly(const struct cross_launch *cross, const struct member *member, uint32_t earlier)
{
    const struct order_launch *launch = cross_order_of(cross, member);
    return earlier / 64 < launch->begun_words && launch->begun[earlier / 64] >> earlier % 64 & 1;
}

/* That one's clock at its begin. */
static void know_begun(struct cross_launch *cross, struct member *member, uint32_t earlier)
{
    const struct order_launch *launch = cross_order_of(cross, member), *other = &cross->launches[earlier];
    for (uint32_t w = 0; w < other->begun_words; w++)
        launch->begun[w] |= other->begun[w];
}

static void join_all(struct cross_launch *cross, struct member *member,
                     struct vclock *const more[ORDER_REGIONS])
{
    for (int r = 0; r < ORDER_REGIONS; r++)
        join_into(&cross->order, &member->begun[r], more[r]);
}

static void put_all(struct cross_launch *cross, struct member *member, uint64_t key, uint64_t clock)
{
    for (int r = 0; r < ORDER_REGIONS; r++)
        put_into(&cross->order, &member->begun[r], key, clock);
}

static void name_launch(struct cross_launch *cross, struct member *member, uint32_t other)
{
    put_all(cross, member, launch_key(other), 1);
    know_begun(cross, member, other);
    cross_order_of(cross, member)->begun[other / 64] |= UINT64_C(1) << other % 64;
}

/* It has ended. */
static void know_launch(struct cross_launch *cross, struct member *member, uint32_t other)
{
    join_all(cross, member, cross->members[other].learned);
    name_launch(cross, member, other);
}

static void know_group(struct cross_launch *cross, struct member *member, uint64_t number)
{
    struct vclock *known[ORDER_REGIONS];
    order_group_vclock(&cross->order, number, known);
    join_all(cross, member, known);
    drop_all(&cross->order, known);
}

/* Commands of the host without order events come one after the other. */
bool cross_is_announced(const struct cross_launch *cross, const struct member *member)
{
    return command_graph_facts(cross->graph, member->command);
}

static bool knows_command(const struct cross_launch *cross, const struct member *member,
                          const struct member *earlier)
{
    if (cross_family_of(member) == cross_family_of(earlier))
        return false;
    return !cross_is_announced(cross, member) ||
           command_graph_is_after(cross->graph, member->command, earlier->command);
}

static bool has_shared(const struct memory *memory)
{
    for (uint32_t i = 1; i < memory->region_count; i++)
        if (memory->regions[i].flags & REGION_FLAG_SHARED)
            return true;
    return false;
}

/* If it is not checked, its children may be. */
static void know_awaited_launch(struct cross_launch *cross, struct member *member, uint32_t launch,
                                bool complete)
{
    const uint32_t other = member_by_launch(cross, launch);
    if (other)
        know_launch(cross, member, other);
    for (uint32_t i = 1; complete && i + 1 < cross->member_count; i++)
        if (i != other && came_of(cross, cross->members[i].shape.launch, launch))
            know_launch(cross, member, i);
}

/* The kernel that enqueued it, or a marker: that one's clock at its begin. While there is fine-grained
 * memory, and the call is not known, all that any of its work-items has acquired counts. */
static void know_caller(struct cross_launch *cross, struct member *member, uint32_t caller, uint32_t number)
{
    const struct member *from = &cross->members[caller];
    join_all(cross, member, from->begun);
    know_begun(cross, member, caller);
    if (!has_shared(cross->memory))
        return;
    cross_order_member(cross, member, caller, number);
    if (cross_is_call(from, number))
        return;
    join_all(cross, member, from->learned);
    for (const struct group_order *group = cross->order.groups; group; group = group->next)
        if (cross->group_launch[group->number] == caller)
            know_group(cross, member, group->number);
}

static void know_events(struct cross_launch *cross, struct member *member)
{
    for (uint32_t k = 0; k < member->shape.after_count; k++) {
        const struct launch_after *after = &member->shape.after[k];
        const uint32_t other = member_by_launch(cross, after->launch);
        if (other && after->marked)
            know_caller(cross, member, other, after->clock_snapshot);
        else if (!after->marked)
            know_awaited_launch(cross, member, after->launch, after->complete);
    }
}

/* All its operations, with its clock. */
static void know_awaited(struct cross_launch *cross, struct member *member, uint64_t number)
{
    for (uint32_t i = 0; i < cross->awaited_count; i++)
        if (cross->awaited[i].number == number)
            join_all(cross, member, cross->awaited[i].known);
    put_all(cross, member, group_key(number), cross->order.clock + 1);
}

static void know_parent(struct cross_launch *cross, struct member *member)
{
    const uint32_t parent = member_by_launch(cross, member->shape.parent);
    if (!parent)
        return;
    know_caller(cross, member, parent, member->shape.parent_clock_snapshot);
    if (member->shape.start == LAUNCH_AFTER_PARENT)
        know_launch(cross, member, parent);
    if (member->shape.start == LAUNCH_AFTER_GROUP)
        know_awaited(cross, member,
                     cross_order_of(cross, &cross->members[parent])->first_group +
                         member->shape.parent_group);
}

/* A launch that comes after one of them has by it what that one's clock had at its begin; for one after all
 * of them their names are enough. Latest first. */
static void know_commands(struct cross_launch *cross, struct member *member)
{
    bool all = true;
    for (uint32_t i = 1; i < cross->member_count; i++) {
        const struct member *earlier = &cross->members[i];
        all &= earlier == member || (!cross_is_running(earlier) && knows_command(cross, member, earlier));
    }
    for (uint32_t i = cross->member_count; i > 1; i--) {
        const struct member *earlier = &cross->members[i - 1];
        if (earlier == member || cross_is_running(earlier) || !knows_command(cross, member, earlier))
            continue;
        if (knows_wholly(cross, member, i - 1))
            continue;
        join_all(cross, member, all ? earlier->begun : earlier->learned);
        name_launch(cross, member, i - 1);
    }
}

static void know_host(struct cross_launch *cross, struct member *member)
{
    struct vclock *known[ORDER_REGIONS];
    cross_host_known(cross, member, known);
    join_all(cross, member, known);
    drop_all(&cross->order, known);
}

/* Of launches that it waited for, all; of the host, whatever that may have acquired by the call that it
 * comes after. */
static void begin_knowing(struct cross_launch *cross, struct member *member)
{
    know_host(cross, member);
    know_commands(cross, member);
    if (member->shape.parent) {
        know_parent(cross, member);
        know_events(cross, member);
    }
}

/* ---- life ----------------------------------------------------------------------------------- */

static bool open_launch(struct cross_launch *cross, const struct launch_info *launch)
{
    struct order_launch *opened = &cross->launches[cross->member_count];
    const uint32_t words = cross->member_count / 64 + 1;
    *opened = (struct order_launch){.sub_group_size = launch->sub_group_size ? launch->sub_group_size : 1,
                                    .first_group = cross->group_count,
                                    .begun = calloc(words, sizeof *opened->begun),
                                    .begun_words = words};
    memcpy(opened->global_size, launch->global_size, sizeof opened->global_size);
    memcpy(opened->local_size, launch->local_size, sizeof opened->local_size);
    memcpy(opened->group_count, launch->group_count, sizeof opened->group_count);
    return opened->begun;
}

bool cross_add_member(struct cross_launch *cross, const struct launch_info *launch)
{
    if (!cross_open_order(cross, launch) || !groups_room(cross, groups_of(launch)) || !members_room(cross)) {
        cross->shadow.failed = true;
        return false;
    }
    struct member *member = &cross->members[cross->member_count];
    *member = (struct member){.launch = launch,
                              .shape = *launch,
                              .partial = launch->in_launch_tree,
                              .kernel = strdup(launch->kernel),
                              .command = launch->command};
    if (!member->kernel || !open_launch(cross, launch)) {
        free(member->kernel);
        cross->shadow.failed = true;
        return false;
    }
    cross_order_of(cross, member)->family = cross_family_of(member);
    add_groups(cross, groups_of(launch), launch->device);
    cross->member_count++;
    cross_handle(cross, launch->command);
    begin_knowing(cross, member);
    return true;
}

struct member *cross_add_command(struct cross_launch *cross, uint32_t command, const char *kernel)
{
    const struct launch_info one = {.kernel = kernel ? kernel : "",
                                    .command = command,
                                    .local_size = {1, 1, 1},
                                    .group_count = {1, 1, 1},
                                    .global_size = {1, 1, 1}};
    if (!cross_has_room(cross, &one) || !cross_add_member(cross, &one))
        return NULL;
    struct member *member = &cross->members[cross->member_count - 1];
    member->launch = NULL; /* no query for it comes any more */
    return cross_open_group(cross, cross_order_of(cross, member)->first_group, member->begun) ? member : NULL;
}

void cross_close_group(struct cross_launch *cross, struct member *member, uint64_t number)
{
    if (!member->ended)
        share_all(member->learned, member->begun);
    member->ended = true;
    order_group_learned(&cross->order, number, member->begun, member->learned);
    order_group_end(&cross->order, number);
}

void cross_await_group(struct cross_launch *cross, const struct launch_info *launch, uint64_t group,
                       uint64_t number)
{
    bool is_awaited = false;
    for (uint32_t i = 0; i < launch->awaited_group_count; i++)
        is_awaited |= launch->awaited_groups[i] == group;
    if (!is_awaited)
        return;
    if (!cross_room_for((void **)&cross->awaited, cross->awaited_count, &cross->awaited_room,
                        sizeof *cross->awaited)) {
        cross->shadow.failed = true;
        return;
    }
    struct awaited *awaited = &cross->awaited[cross->awaited_count++];
    awaited->number = number;
    order_group_vclock(&cross->order, number, awaited->known);
}

void cross_end_moves(struct cross_launch *cross, uint32_t command)
{
    for (uint32_t i = cross->member_count; i > 1; i--) {
        struct member *member = &cross->members[i - 1];
        if (!member->moves || member->command != command)
            continue;
        cross_close_group(cross, member, cross_order_of(cross, member)->first_group);
        member->moves = false;
    }
}
