/* SPDX-License-Identifier: Apache-2.0 */
#include "cross_launch.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command_graph.h"
#include "order_state.h"
#include "race.h"
#include "shadow.h"
#include "orrery/device.h"

/* Work-groups of all launches are numbered one behind the other; the first is the host's. */
enum { MEMBERS_MOST = HOSTILE(4096, 8), GROUP_ITEMS_LEAST = 1024, OBJECT_CHARS = 120, ARGUMENT_CHARS = 120, WHY_CHARS = 480 };
static const uint64_t UNITS_MOST = UINT64_C(1) << 32, HANDED_ON = 8; /* an address that no allocation has */

struct member {
    const struct launch_info *launch; /* while it runs */
    struct launch_info shape;         /* of which the sizes alone are looked at */
    char *kernel;
    uint32_t command, sub_group_size;
    uint64_t first_group;
    bool partial;                     /* some of its accesses are not followed */
    bool moves;                       /* a command that is no launch, and has not ended */
    struct knowledge *begun[ORDER_REGIONS];   /* what each of its work-groups knows from the start */
    struct knowledge *learned[ORDER_REGIONS]; /* what those knew that have ended */
    uint32_t *site; uint32_t site_count;      /* 1 + its number below, by its own; while it runs */
    struct passed *passed; uint32_t passed_count, passed_room; /* when it has ended: its arguments */
};

struct passed { uint32_t region_id; char name[ARGUMENT_CHARS]; };

struct cross_site { uint32_t member, own; struct source_place place; /* of a launch that is over: owned */ };

struct words { char why[WHY_CHARS], fix[WHY_CHARS]; };

struct found {
    uint32_t site[2], region_id;
    uint64_t unit[2];
    struct context how[2];
    uint64_t offset_bytes, count;
    char object[OBJECT_CHARS], argument[2][ARGUMENT_CHARS];
    struct words words;
    bool in_any_case;                 /* atomics: commands that nothing orders do not conflict by them */
};

struct cross_launch {
    const struct memory *memory;
    pthread_mutex_t lock;          /* guards what follows */
    struct command_graph *graph;   /* without what atomics may have ordered */
    struct order order;
    struct shadow shadow;
    struct spare spare;
    struct race_tally *tallies[TALLIES]; /* none */
    struct shadow_region **regions; uint32_t region_room; /* by index of struct memory */
    uint64_t time;                 /* counts events */
    struct launch_info all;        /* the one launch that they are for the order */
    struct member *members; uint32_t member_count, member_room; /* [0] is the host */
    uint32_t *sub_group_sizes, size_room; /* of members */
    uint32_t latest;               /* who was heard last */
    uint32_t *group_launch, *group_device; uint64_t group_count, group_room;
    struct cross_site *sites; uint32_t site_count, site_room;
    struct found *found; uint32_t found_count, found_room;
    bool host_knows;               /* of something that was released for it */
    bool was_lost;                 /* memory was out once */
    bool blind;                    /* somebody may have handed on what we did not hear */
    enum scope_rule rule;
};

/* ---- life ---------------------------------------------------------------------------------- */

static void on_race(void *self, const struct race *race, const struct shadow_access *now);

struct cross_launch *cross_launch_new(const struct memory *memory, enum scope_rule rule)
{
    struct cross_launch *cross = calloc(1, sizeof *cross);
    struct command_graph *graph = command_graph_new();
    if (!cross || !graph) {
        free(cross);
        command_graph_free(graph);
        return NULL;
    }
    cross->memory = memory;
    cross->graph = graph;
    cross->rule = rule;
    pthread_mutex_init(&cross->lock, NULL);
    order_init(&cross->order, rule);
    cross->shadow = (struct shadow){.order = &cross->order, .self = cross, .race = on_race, .tallies = cross->tallies, .time = &cross->time,
                                    .enough = TALLY_ENOUGH};
    return cross;
}

static void site_fini(struct cross_site *site, bool owned)
{
    if (!owned)
        return;
    free((char *)(uintptr_t)site->place.file);
    free((char *)(uintptr_t)site->place.text);
}

static bool lost(const struct cross_launch *cross)
{
    return cross->was_lost || cross->order.failed || cross->order.pool.failed || cross->shadow.failed || cross->order.tick > UINT32_MAX;
}

static bool failed(const struct cross_launch *cross)
{
    return cross->blind || lost(cross);
}

/* Everything is complete, and the host knows it: nobody races with it any more. */
static void reset(struct cross_launch *cross)
{
    cross->was_lost = lost(cross);
    for (uint32_t i = 0; i < cross->site_count; i++)
        site_fini(&cross->sites[i], !cross->members[cross->sites[i].member].launch);
    for (uint32_t i = 0; i < cross->member_count; i++) {
        drop_all(&cross->order, cross->members[i].begun);
        drop_all(&cross->order, cross->members[i].learned);
        free(cross->members[i].kernel);
        free(cross->members[i].site);
        free(cross->members[i].passed);
    }
    for (uint32_t i = 0; i < cross->region_room; i++) {
        if (cross->regions[i])
            shadow_region_fini(cross->regions[i]);
        free(cross->regions[i]);
    }
    order_launch_end(&cross->order);
    free(cross->regions);
    free(cross->members);
    free(cross->sub_group_sizes);
    free(cross->sites);
    free(cross->found);
    free(cross->group_launch);
    free(cross->group_device);
    cross->regions = NULL;
    cross->members = NULL;
    cross->sub_group_sizes = NULL;
    cross->sites = NULL;
    cross->found = NULL;
    cross->group_launch = cross->group_device = NULL;
    cross->region_room = cross->member_count = cross->member_room = cross->size_room = cross->latest = cross->site_count = cross->site_room = cross->found_count = cross->found_room = 0;
    cross->group_count = cross->group_room = 0;
    cross->blind = cross->host_knows = false;
}

void cross_launch_free(struct cross_launch *cross)
{
    if (!cross)
        return;
    reset(cross);
    order_fini(&cross->order);
    command_graph_free(cross->graph);
    pthread_mutex_destroy(&cross->lock);
    free(cross);
}

/* ---- launches that are heard ------------------------------------------------------------------ */

static bool room_for(void **items, uint32_t count, uint32_t *room, size_t size)
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
    const bool room = room_for((void **)&cross->members, cross->member_count, &cross->member_room, sizeof *cross->members) &&
                      room_for((void **)&cross->sub_group_sizes, cross->member_count, &cross->size_room, sizeof *cross->sub_group_sizes);
    cross->order.sub_group_sizes = cross->sub_group_sizes;
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

/* Such a map is asked for whole launches, and by work-groups. */
static struct group_order *open_group(struct cross_launch *cross, uint64_t number, struct knowledge *const begun[ORDER_REGIONS])
{
    struct group_order *group = order_group(&cross->order, number);
    if (!group)
        return NULL;
    group->relay_tried = true;
    share_all(group->acquired, begun);
    return group;
}

static uint64_t local_items(const struct launch_info *launch)
{
    return launch->local_size[0] * launch->local_size[1] * launch->local_size[2];
}

/* The host is the first member. */
static bool open_order(struct cross_launch *cross, const struct launch_info *first)
{
    static struct knowledge *const nothing[ORDER_REGIONS];
    const uint64_t items = local_items(first) > GROUP_ITEMS_LEAST ? local_items(first) : GROUP_ITEMS_LEAST;
    if (!members_room(cross) || !groups_room(cross, 1))
        return false;
    cross->members[0] = (struct member){.sub_group_size = 1};
    cross->sub_group_sizes[0] = 1;
    cross->all = (struct launch_info){.work_dim = 1, .kernel = "", .global_size = {UNITS_MOST, 1, 1}, .local_size = {items, 1, 1},
                                      .group_count = {UNITS_MOST / items, 1, 1}, .sub_group_size = 1};
    order_launch_begin(&cross->order, &cross->all);
    cross->order.group_keys = true; /* maps are looked at in every way */
    cross->order.group_launch = cross->group_launch;
    cross->order.group_device = cross->group_device;
    cross->order.sub_group_sizes = cross->sub_group_sizes;
    add_groups(cross, 1, UINT32_MAX);
    cross->member_count = 1;
    return open_group(cross, 0, nothing);
}

static bool is_guaranteed(const struct region *region)
{
    return (region->kind == REGION_VARIABLE || region->flags & REGION_FLAG_SVM) && !(region->flags & REGION_FLAG_FREED);
}

static bool has_guaranteed(const struct memory *memory)
{
    for (uint32_t i = 1; i < memory->region_count; i++)
        if (is_guaranteed(&memory->regions[i]))
            return true;
    return false;
}

static bool synchronises(const struct launch_info *launch)
{
    return launch->releases >= SCOPE_DEVICE || launch->acquires >= SCOPE_DEVICE;
}

static uint64_t groups_of(const struct launch_info *launch)
{
    return launch->group_count[0] * launch->group_count[1] * launch->group_count[2];
}

static bool has_room(const struct cross_launch *cross, const struct launch_info *launch)
{
    const uint64_t items = cross->member_count ? cross->order.group_items : local_items(launch), groups = groups_of(launch);
    return cross->member_count <= MEMBERS_MOST && local_items(launch) <= items && groups < UNITS_MOST / (items < GROUP_ITEMS_LEAST ? GROUP_ITEMS_LEAST : items) - cross->group_count - 1;
}

/* ---- what a launch knows when it begins ----------------------------------------------------------- */

/* Commands that are no launches have one each, which is no launch's. */
static uint32_t family_of(const struct member *member)
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
    return i > 1 ? i - 1 : 0; /* 0: the host, or it is not heard */
}

static bool is_running(const struct member *member)
{
    return member->launch || member->moves;
}

static bool came_of(const struct cross_launch *cross, uint32_t member, uint32_t ancestor)
{
    while (member && member != ancestor)
        member = cross->members[member].shape.parent ? member_by_launch(cross, cross->members[member].shape.parent) : 0;
    return member == ancestor;
}

static void join_all(struct cross_launch *cross, struct member *member, struct knowledge *const more[ORDER_REGIONS])
{
    for (int r = 0; r < ORDER_REGIONS; r++)
        join_into(&cross->order, &member->begun[r], more[r]);
}

static void put_all(struct cross_launch *cross, struct member *member, uint64_t key, uint64_t tick)
{
    for (int r = 0; r < ORDER_REGIONS; r++)
        put_into(&cross->order, &member->begun[r], key, tick);
}

/* It has ended. */
static void know_launch(struct cross_launch *cross, struct member *member, uint32_t other)
{
    join_all(cross, member, cross->members[other].learned);
    put_all(cross, member, launch_key(other), 1);
}

static void know_group(struct cross_launch *cross, struct member *member, uint64_t number)
{
    struct knowledge *known[ORDER_REGIONS];
    order_group_knowledge(&cross->order, number, known);
    join_all(cross, member, known);
    drop_all(&cross->order, known);
}

/* Commands of the host without order events come one behind the other. */
static bool is_announced(const struct cross_launch *cross, const struct member *member)
{
    return command_graph_facts(cross->graph, member->command);
}

static bool knows_command(const struct cross_launch *cross, const struct member *member, const struct member *earlier)
{
    if (family_of(member) == family_of(earlier))
        return false;
    return !is_announced(cross, member) || command_graph_knows(cross->graph, member->command, earlier->command);
}

static bool has_shared(const struct memory *memory)
{
    for (uint32_t i = 1; i < memory->region_count; i++)
        if (memory->regions[i].flags & REGION_FLAG_SHARED)
            return true;
    return false;
}

static void know_events(struct cross_launch *cross, struct member *member)
{
    for (uint32_t k = 0; k < member->shape.after_count; k++) {
        const struct launch_after *after = &member->shape.after[k];
        const uint32_t other = member_by_launch(cross, after->launch);
        if (other)
            know_launch(cross, member, other);
        for (uint32_t i = 1; other && after->complete && i + 1 < cross->member_count; i++)
            if (i != other && came_of(cross, i, other))
                know_launch(cross, member, i);
    }
}

/* What its work-groups acquired that have ended counts for the one that it waits for. A call by which one work-item enqueues it orders
 * fine-grained memory alone; while there is such, what anybody of the parent knows counts. */
static void know_parent(struct cross_launch *cross, struct member *member)
{
    const uint32_t parent = member_by_launch(cross, member->shape.parent);
    const struct member *from = &cross->members[parent];
    if (!parent)
        return;
    join_all(cross, member, from->begun);
    if (member->shape.start == LAUNCH_AFTER_PARENT)
        know_launch(cross, member, parent);
    if (member->shape.start == LAUNCH_AFTER_GROUP) {
        join_all(cross, member, from->learned);
        put_all(cross, member, group_key(from->first_group + member->shape.parent_group), cross->order.tick + 1);
    }
    if (!has_shared(cross->memory))
        return;
    join_all(cross, member, from->learned);
    for (const struct group_order *group = cross->order.groups; group; group = group->next)
        if (cross->group_launch[group->number] == parent)
            know_group(cross, member, group->number);
}

/* What one of them knows that it knew when it began, it has by that one; of one who knows all of them their names are enough. Latest first. */
static void know_commands(struct cross_launch *cross, struct member *member)
{
    bool all = true;
    for (uint32_t i = 1; i < cross->member_count; i++) {
        const struct member *earlier = &cross->members[i];
        all &= earlier == member || (!is_running(earlier) && knows_command(cross, member, earlier));
    }
    for (uint32_t i = cross->member_count; i > 1; i--) {
        const struct member *earlier = &cross->members[i - 1];
        if (earlier == member || is_running(earlier) || !knows_command(cross, member, earlier))
            continue;
        if (knowledge_get(&cross->order.pool, member->begun[IN_GLOBAL], launch_key(i - 1)))
            continue;
        join_all(cross, member, all ? earlier->begun : earlier->learned);
        put_all(cross, member, launch_key(i - 1), 1);
    }
}

/* Of launches that it waited for, all; of the host, whatever that may have acquired. */
static void begin_knowing(struct cross_launch *cross, struct member *member)
{
    know_group(cross, member, 0);
    know_commands(cross, member);
    if (member->shape.parent) {
        know_parent(cross, member);
        know_events(cross, member);
    }
}

static bool add_member(struct cross_launch *cross, const struct launch_info *launch)
{
    if ((!cross->member_count && !open_order(cross, launch)) || !groups_room(cross, groups_of(launch)) ||
        !members_room(cross)) {
        cross->shadow.failed = true;
        return false;
    }
    struct member *member = &cross->members[cross->member_count];
    *member = (struct member){.launch = launch, .shape = *launch, .partial = launch->kin, .kernel = strdup(launch->kernel), .command = launch->command,
                              .sub_group_size = launch->sub_group_size ? launch->sub_group_size : 1, .first_group = cross->group_count};
    cross->shadow.failed |= !member->kernel;
    if (!member->kernel)
        return false;
    add_groups(cross, groups_of(launch), launch->device);
    cross->sub_group_sizes[cross->member_count] = member->sub_group_size;
    cross->member_count++;
    begin_knowing(cross, member);
    return true;
}

/* Does it know some of those that are heard, and others not? Atomics may be what orders it with these. */
static bool is_between(const struct cross_launch *cross, uint32_t command)
{
    bool knows = false, lacks = false;
    for (uint32_t i = 1; i < cross->member_count; i++) {
        const bool known = command_graph_knows(cross->graph, command, cross->members[i].command);
        knows |= known;
        lacks |= !known && cross->members[i].command != command;
    }
    return (cross->host_knows || (knows && lacks)) && command_graph_facts(cross->graph, command) && !failed(cross);
}

bool cross_launch_lost(struct cross_launch *cross)
{
    pthread_mutex_lock(&cross->lock);
    const bool is_lost = lost(cross) || command_graph_exhausted(cross->graph);
    pthread_mutex_unlock(&cross->lock);
    return is_lost;
}

/* Atomics of others may be too far away for its own: then they race. */
static bool is_narrow(const struct launch_info *launch)
{
    return launch->narrowest < (launch->among_devices ? SCOPE_ALL_SVM : SCOPE_DEVICE);
}

static bool may_matter(const struct cross_launch *cross, const struct launch_info *launch)
{
    const bool announced = command_graph_facts(cross->graph, launch->command);
    if (launch->kin)
        return true;
    if (synchronises(launch) || is_narrow(launch))
        return !launch->alone && announced && (cross->member_count || has_guaranteed(cross->memory));
    if (launch->atomics && cross->member_count) /* its stores may end release sequences */
        return !launch->alone && announced;
    return cross->member_count && !launch->parent && is_between(cross, launch->command);
}

bool cross_launch_begin(struct cross_launch *cross, const struct launch_info *launch)
{
    pthread_mutex_lock(&cross->lock);
    const bool heard = may_matter(cross, launch) && !failed(cross) && !command_graph_exhausted(cross->graph) && has_room(cross, launch) &&
                       add_member(cross, launch);
    if (!heard && (synchronises(launch) || launch->kin))
        cross->blind |= launch->kin || cross->member_count || has_guaranteed(cross->memory);
    pthread_mutex_unlock(&cross->lock);
    return heard;
}

/* NULL: it is not heard, or no longer. */
static struct member *member_of(struct cross_launch *cross, const struct launch_info *launch)
{
    if (failed(cross))
        return NULL;
    for (uint32_t i = cross->member_count; (!cross->latest || cross->members[cross->latest].launch != launch) && i > 0; i--)
        cross->latest = i - 1;
    return cross->latest ? &cross->members[cross->latest] : NULL;
}

/* ---- sites ---------------------------------------------------------------------------------------- */

static bool own_room(struct member *member, uint32_t site)
{
    if (site < member->site_count)
        return true;
    const uint32_t count = site + 64;
    uint32_t *grown = realloc(member->site, count * sizeof *grown);
    if (!grown)
        return false;
    memset(grown + member->site_count, 0, (count - member->site_count) * sizeof *grown);
    member->site = grown;
    member->site_count = count;
    return true;
}

static uint32_t site_of(struct cross_launch *cross, struct member *member, uint32_t own)
{
    if (!own_room(member, own)) {
        cross->shadow.failed = true;
        return 0;
    }
    if (member->site[own])
        return member->site[own] - 1;
    if (!room_for((void **)&cross->sites, cross->site_count, &cross->site_room, sizeof *cross->sites)) {
        cross->shadow.failed = true;
        return 0;
    }
    cross->sites[cross->site_count] = (struct cross_site){.member = (uint32_t)(member - cross->members), .own = own};
    return (member->site[own] = ++cross->site_count) - 1;
}

static char *copy_text(const char *text)
{
    return text ? strdup(text) : NULL;
}

/* Before its program may go. */
static void keep_places(struct cross_launch *cross, struct member *member)
{
    for (uint32_t own = 0; own < member->site_count; own++) {
        struct source_place place = {0};
        if (!member->site[own])
            continue;
        struct cross_site *site = &cross->sites[member->site[own] - 1];
        if (member->launch->program)
            program_site(member->launch->program, own, &place);
        site->place = place;
        site->place.file = copy_text(place.file);
        site->place.text = copy_text(place.text);
    }
    free(member->site);
    member->site = NULL;
    member->site_count = 0;
}

/* By which it reached what somebody touched. No memory: findings say less. */
static void keep_arguments(const struct cross_launch *cross, struct member *member)
{
    const struct launch_info *launch = member->launch;
    for (uint32_t i = 0; launch->argument && i < cross->region_room; i++) {
        const struct shadow_region *region = cross->regions[i];
        struct passed passed = {.region_id = region ? region->id : 0};
        if (!region || !launch->argument(launch, region->low, region->high, passed.name, sizeof passed.name) ||
            !room_for((void **)&member->passed, member->passed_count, &member->passed_room, sizeof passed))
            continue;
        member->passed[member->passed_count++] = passed;
    }
}

static struct source_place place_of(const struct cross_launch *cross, uint32_t number)
{
    const struct cross_site *site = &cross->sites[number];
    const struct launch_info *launch = cross->members[site->member].launch;
    struct source_place place = site->place;
    if (launch && launch->program)
        program_site(launch->program, site->own, &place);
    return place;
}

/* ---- races ------------------------------------------------------------------------------------------- */

static uint32_t member_of_unit(const struct cross_launch *cross, uint64_t unit)
{
    return cross->group_launch[order_unit_group(&cross->order, unit)];
}

static void say_place(const struct cross_launch *cross, uint32_t site, char *text, size_t size)
{
    const struct source_place place = place_of(cross, site);
    if (place.file)
        snprintf(text, size, "%s:%" PRIu32, place.file, place.line);
    else
        snprintf(text, size, "instruction %" PRIu32, cross->sites[site].own);
}

static void say_scopes(const struct cross_launch *cross, const struct race *race, const struct shadow_access *now, enum memory_scope a, enum memory_scope b,
                       const char *what, struct words *words)
{
    const bool apart = order_unit_device(&cross->order, race->unit) != order_unit_device(&cross->order, now->agent->unit);
    snprintf(words->why, WHY_CHARS, "%s: %s and %s do not include each other %s", what, scope_name(a), scope_name(b),
             apart ? "on different devices" : "in different launches");
    snprintf(words->fix, WHY_CHARS, "%s for both%s", apart ? "memory_scope_all_svm_devices" : "memory_scope_device",
             apart && !race->region->svm_atomics ? ", in fine-grained shared virtual memory with atomics" : "");
}

static void say_edge(const struct cross_launch *cross, const struct race *race, const struct shadow_access *now, const struct missed_edge *edge,
                     struct words *words)
{
    char release[160], acquire[160], what[WHY_CHARS];
    say_place(cross, edge->release_site, release, sizeof release);
    say_place(cross, edge->acquire_site == UINT32_MAX ? edge->release_site : edge->acquire_site, acquire, sizeof acquire);
    switch (edge->why) {
    case MISSED_SCOPE:
        snprintf(what, sizeof what, "the release at %s does not reach the acquire at %s", release, acquire);
        say_scopes(cross, race, now, edge->release_scope, edge->acquire_scope, what, words);
        break;
    case MISSED_ACQUIRE:
        snprintf(words->why, WHY_CHARS, "the kernel of the second access took the value released at %s with a relaxed operation, and no acquire fence followed",
                 release);
        snprintf(words->fix, WHY_CHARS, "memory_order_acquire, %s for the atomic that reads it, or an acquire fence behind that",
                 scope_name(edge->release_scope));
        break;
    case MISSED_RELEASE:
        snprintf(words->why, WHY_CHARS, "the store at %s is relaxed: what was done before it does not become visible with it", release);
        snprintf(words->fix, WHY_CHARS, "memory_order_release, %s at %s", scope_name(edge->acquire_scope), release);
        break;
    default:
        snprintf(words->why, WHY_CHARS, "the release at %s orders one kind of memory, and these accesses are of another", release);
        snprintf(words->fix, WHY_CHARS, "fences of all memory that is to be ordered, on both sides");
    }
}

static void explain(const struct cross_launch *cross, const struct race *race, const struct shadow_access *now, struct words *words)
{
    static const char otherwise[] = "; or, if neither kernel waits for the other in its atomic operations, order the two by an event";
    struct missed_edge edge;
    if (race->context->kind > ACCESS_WRITE && now->how.kind > ACCESS_WRITE) {
        say_scopes(cross, race, now, (enum memory_scope)race->context->scope, (enum memory_scope)now->how.scope,
                   "nothing orders the two atomic operations, and they race", words);
    } else if (order_explain(&cross->order, now->agent, race->region->space, race->unit, race->context->tick, &edge)) {
        say_edge(cross, race, now, &edge, words);
    } else {
        snprintf(words->why, WHY_CHARS, "the kernel of the second access acquires nothing before it that the kernel of the first one released behind its own: "
                 "their atomic operations order only what comes before a release with what comes behind the acquire that reads it");
        snprintf(words->fix, WHY_CHARS, "put the first access before a release by its kernel, and the second behind the acquire that reads what was released");
    }
    const size_t used = strlen(words->fix);
    snprintf(words->fix + used, WHY_CHARS - used, "%s", otherwise);
}

static void name_argument(const struct cross_launch *cross, const struct race *race, uint64_t unit, char out[ARGUMENT_CHARS])
{
    const struct member *member = &cross->members[member_of_unit(cross, unit)];
    const struct launch_info *launch = member->launch;
    out[0] = '\0';
    if (launch && launch->argument && !launch->argument(launch, race->region->low, race->region->high, out, ARGUMENT_CHARS))
        out[0] = '\0';
    for (uint32_t i = 0; !launch && i < member->passed_count; i++)
        if (member->passed[i].region_id == race->region->id)
            memcpy(out, member->passed[i].name, ARGUMENT_CHARS);
}

static void name_object(const struct cross_launch *cross, const struct race *race, char out[OBJECT_CHARS])
{
    const struct region *region = memory_region(cross->memory, race->address);
    const bool variable = region->kind == REGION_VARIABLE;
    snprintf(out, OBJECT_CHARS, "%s%s%s (%" PRIu64 " bytes)", variable ? "program-scope variable '" : "", region->name, variable ? "'" : "",
             region->high - region->low);
}

static bool is_shared(const struct cross_launch *cross, const struct race *race)
{
    return memory_region(cross->memory, race->address)->flags & REGION_FLAG_SHARED;
}

static void on_race(void *self, const struct race *race, const struct shadow_access *now)
{
    struct cross_launch *cross = self;
    const uint32_t earlier = member_of_unit(cross, race->unit), later = member_of_unit(cross, now->agent->unit);
    if (earlier == later || failed(cross) || (is_shared(cross, race) && (came_of(cross, later, earlier) || came_of(cross, earlier, later))))
        return;
    for (uint32_t i = 0; i < cross->found_count; i++) {
        struct found *found = &cross->found[i];
        if (found->site[0] == race->context->site && found->site[1] == now->how.site && found->region_id == race->region->id) {
            found->count++;
            return;
        }
    }
    if (!room_for((void **)&cross->found, cross->found_count, &cross->found_room, sizeof *cross->found)) {
        cross->shadow.failed = true;
        return;
    }
    struct found *found = &cross->found[cross->found_count++];
    *found = (struct found){.site = {race->context->site, now->how.site}, .region_id = race->region->id, .unit = {race->unit, now->agent->unit},
                            .how = {*race->context, now->how}, .offset_bytes = race->address - race->region->low, .count = 1};
    name_object(cross, race, found->object);
    name_argument(cross, race, race->unit, found->argument[0]);
    name_argument(cross, race, now->agent->unit, found->argument[1]);
    explain(cross, race, now, &found->words);
    found->in_any_case = race->context->kind > ACCESS_WRITE && now->how.kind > ACCESS_WRITE && is_guaranteed(memory_region(cross->memory, race->address));
}

static void fill_side(const struct cross_launch *cross, const struct found *found, int i, struct cross_side *side)
{
    const struct member *member = &cross->members[member_of_unit(cross, found->unit[i])];
    const uint64_t group = order_unit_group(&cross->order, found->unit[i]) - member->first_group, local = found->unit[i] % cross->order.group_items;
    *side = (struct cross_side){.command = member->command, .launch = member->shape.launch, .device = member->shape.device, .kernel = member->kernel[0] ? member->kernel : NULL, .argument = found->argument[i],
                                .site = cross->sites[found->site[i]].own, .place = place_of(cross, found->site[i]), .kind = (enum access_kind)found->how[i].kind,
                                .order = (enum memory_order)found->how[i].order, .scope = (enum memory_scope)found->how[i].scope,
                                .size_bytes = found->how[i].size};
    race_launch_item(&member->shape, group, local, &side->item);
    side->item.sub_group = (uint32_t)(local / member->sub_group_size);
}

static void tell(const struct cross_launch *cross, const struct found *found, const struct cross_hearer *hearer)
{
    struct cross_race race = {.object = found->object, .why = found->words.why, .fix = found->words.fix, .offset_bytes = found->offset_bytes, .count = found->count};
    fill_side(cross, found, 0, &race.side[0]);
    fill_side(cross, found, 1, &race.side[1]);
    hearer->tell(hearer->self, &race);
}

static bool is_of(const struct member *member, uint32_t command, uint32_t family)
{
    return family ? family_of(member) == family : member->command == command;
}

/* Of a command and others, or within one family. */
static void tell_all(struct cross_launch *cross, uint32_t command, uint32_t family, const struct cross_hearer *hearer)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < cross->found_count; i++) {
        struct found *found = &cross->found[i];
        const struct member *a = &cross->members[member_of_unit(cross, found->unit[0])], *b = &cross->members[member_of_unit(cross, found->unit[1])];
        const bool within = family_of(a) == family_of(b);
        if (a->launch || b->launch || within != (family != 0) || (!is_of(a, command, family) && !is_of(b, command, family))) {
            cross->found[kept++] = *found;
            continue;
        }
        if (found->in_any_case || hearer->counts_as_ordered(hearer->self, family ? a->shape.launch : a->command, family ? b->shape.launch : b->command))
            tell(cross, found, hearer);
    }
    cross->found_count = kept;
}

static void close_group(struct cross_launch *cross, struct member *member, uint64_t number)
{
    struct knowledge *known[ORDER_REGIONS];
    order_group_knowledge(&cross->order, number, known);
    for (int r = 0; r < ORDER_REGIONS; r++)
        join_into(&cross->order, &member->learned[r], known[r]);
    drop_all(&cross->order, known);
    order_group_end(&cross->order, number);
}

static void end_moves(struct cross_launch *cross, uint32_t command)
{
    for (uint32_t i = cross->member_count; i > 1; i--) {
        struct member *member = &cross->members[i - 1];
        if (!member->moves || member->command != command)
            continue;
        close_group(cross, member, member->first_group);
        member->moves = false;
    }
}

void cross_launch_end_command(struct cross_launch *cross, uint32_t command, const struct cross_hearer *hearer)
{
    pthread_mutex_lock(&cross->lock);
    end_moves(cross, command);
    tell_all(cross, command, 0, hearer);
    pthread_mutex_unlock(&cross->lock);
}

static bool is_followed(const struct cross_launch *cross, uint32_t command)
{
    bool heard = false;
    for (uint32_t i = 1; i < cross->member_count; i++) {
        const struct member *member = &cross->members[i];
        if (member->command != command)
            continue;
        if (member->partial)
            return false;
        heard = true;
    }
    return heard;
}

bool cross_launch_clears(struct cross_launch *cross, uint32_t a, uint32_t b, uint32_t region_id)
{
    pthread_mutex_lock(&cross->lock);
    bool clear = !failed(cross) && is_followed(cross, a) && is_followed(cross, b);
    for (uint32_t i = 0; clear && i < cross->found_count; i++) {
        const struct found *found = &cross->found[i];
        const uint32_t one = cross->members[member_of_unit(cross, found->unit[0])].command, other = cross->members[member_of_unit(cross, found->unit[1])].command;
        clear = found->region_id != region_id || !((one == a && other == b) || (one == b && other == a));
    }
    pthread_mutex_unlock(&cross->lock);
    return clear;
}

void cross_launch_end_family(struct cross_launch *cross, uint32_t family, const struct cross_hearer *hearer)
{
    pthread_mutex_lock(&cross->lock);
    tell_all(cross, 0, family, hearer);
    if (cross->member_count && !is_announced(cross, &cross->members[cross->member_count - 1])) /* nobody tells that the host knows of it */
        reset(cross);
    pthread_mutex_unlock(&cross->lock);
}

void cross_launch_finding(const struct cross_race *race, struct finding *out_finding)
{
    *out_finding = (struct finding){.kind = FINDING_RACE_COMMANDS, .kernel = race->side[1].kernel ? race->side[1].kernel : race->side[0].kernel,
                                    .object = race->object, .has_offset = true, .offset_bytes = race->offset_bytes, .access_count = 2, .why = race->why,
                                    .fix = race->fix, .count = race->count, .spec = "OpenCL 2.2 API, 3.3.6 data race"};
    for (int i = 0; i < 2; i++) {
        const struct cross_side *from = &race->side[i];
        const bool atomic = from->kind > ACCESS_WRITE;
        out_finding->access[i] = (struct finding_access){.kind = from->kind, .device_id = from->device, .place = from->place, .has_item = from->kernel,
                                                         .item = from->item, .has_order = atomic, .order = from->order, .scope = from->scope,
                                                         .size_bytes = from->size_bytes,
                                                         .what = atomic ? "atomic access" : from->kind == ACCESS_READ ? "read" : "write"};
    }
}

/* ---- events: accesses ----------------------------------------------------------------------------------- */

/* Units of the launch's first work-group stand at its first group. */
static uint64_t unit_of(const struct cross_launch *cross, const struct member *member, const struct origin *origin, uint64_t lane)
{
    struct item item;
    origin_item(origin, (uint32_t)lane, &item);
    return (member->first_group + item.group_linear) * cross->order.group_items + item.local_linear;
}

static bool regions_room(struct cross_launch *cross, uint32_t index)
{
    if (index < cross->region_room)
        return true;
    const uint32_t room = cross->memory->region_count > index ? cross->memory->region_count : index + 1;
    struct shadow_region **regions = realloc(cross->regions, room * sizeof(struct shadow_region *));
    if (!regions)
        return false;
    memset(regions + cross->region_room, 0, (room - cross->region_room) * sizeof *regions);
    cross->regions = regions;
    cross->region_room = room;
    return true;
}

static bool is_same(const struct shadow_region *shadow, const struct region *region)
{
    return shadow->id == region->id && shadow->low == region->low && shadow->high == region->high;
}

/* NULL: nobody asks what happens there, or there is no memory. */
static struct shadow_region *shadow_at(struct cross_launch *cross, uint64_t address)
{
    const struct region *region = memory_region(cross->memory, address);
    const uint32_t index = (uint32_t)(region - cross->memory->regions);
    if ((region->kind != REGION_BUFFER && region->kind != REGION_VARIABLE) || address < region->low || address >= region->high)
        return NULL;
    cross->shadow.failed |= !regions_room(cross, index);
    if (cross->shadow.failed)
        return NULL;
    struct shadow_region *shadow = cross->regions[index];
    if (shadow && is_same(shadow, region))
        return shadow;
    if (shadow)
        shadow_region_fini(shadow);
    else
        shadow = cross->regions[index] = calloc(1, sizeof *shadow);
    cross->shadow.failed |= !shadow;
    if (!shadow)
        return NULL;
    shadow_region_init(shadow, region->id, region->low, region->high, IN_GLOBAL, &cross->spare);
    shadow->svm_atomics = region->flags & REGION_FLAG_SVM_ATOMICS;
    shadow->journal.spilt = true;
    return shadow;
}

static void host_agent(const struct cross_launch *cross, struct agent *out_agent)
{
    order_agent(&cross->order, 0, out_agent);
}

/* It may have read what was released there, and hand it on. */
static void host_acquires(struct cross_launch *cross, const struct atomic_act *released)
{
    struct atomic_act act = *released;
    struct agent host;
    cross->host_knows = true;
    act.reads = true;
    act.writes = false;
    act.order = ORDER_ACQUIRE;
    host_agent(cross, &host);
    order_atomic(&cross->order, &host, &act);
    act = (struct atomic_act){.address = HANDED_ON, .size = 4, .region = IN_GLOBAL, .reads = true, .writes = true, .order = ORDER_ACQ_REL,
                              .scope = SCOPE_ALL_SVM, .site = released->site, .svm_atomics = true};
    host_agent(cross, &host);
    order_atomic(&cross->order, &host, &act);
}

static void acquire_of_host(struct cross_launch *cross, struct agent *agent, const struct atomic_act *read)
{
    struct atomic_act act = *read;
    act.address = HANDED_ON;
    act.size = 4;
    act.writes = false;
    order_atomic(&cross->order, agent, &act);
}

static void synchronise(struct cross_launch *cross, const struct access_event *event, uint64_t lane, struct agent *agent, struct shadow_access *now)
{
    const struct region *region = memory_region(cross->memory, now->address);
    const bool local = region->kind == REGION_LOCAL_VARIABLE, failed = event->failed && event->failed[lane / 64] >> lane % 64 & 1;
    if (failed) {
        now->how.kind = ACCESS_ATOMIC_READ;
        now->how.order = (uint8_t)event->failure_order;
    }
    const struct atomic_act act = {.address = now->address, .size = now->how.size, .region = local ? IN_LOCAL : IN_GLOBAL,
                                   .reads = event->kind != ACCESS_ATOMIC_WRITE, .writes = now->how.kind != ACCESS_ATOMIC_READ,
                                   .order = (enum memory_order)now->how.order, .scope = event->scope, .site = now->how.site,
                                   .svm_atomics = region->flags & REGION_FLAG_SVM_ATOMICS};
    const bool with_host = act.svm_atomics && act.scope == SCOPE_ALL_SVM;
    if (with_host && act.reads) {
        acquire_of_host(cross, agent, &act);
        order_agent(&cross->order, agent->unit, agent);
    }
    order_atomic(&cross->order, agent, &act);
    if (with_host && act.writes)
        host_acquires(cross, &act);
    order_agent(&cross->order, agent->unit, agent);
}

static void access_by(struct cross_launch *cross, const struct access_event *event, uint64_t lane, uint64_t unit, uint32_t site)
{
    struct agent agent;
    order_agent(&cross->order, unit, &agent);
    const uint64_t address = lane_address(event, lane);
    struct shadow_region *region = shadow_at(cross, address);
    struct shadow_access now = {.agent = &agent, .address = address, .sampled = event->sampled,
                                .how = {.tick = (uint32_t)order_slice(&agent), .site = site, .size = event->size_bytes, .kind = (uint8_t)event->kind,
                                        .order = (uint8_t)event->order}};
    if (event->kind >= ACCESS_ATOMIC_READ)
        synchronise(cross, event, lane, &agent, &now);
    if (!region)
        return;
    if (event->image)
        region->space = IN_IMAGE;
    region->atomic |= event->kind >= ACCESS_ATOMIC_READ;
    now.how.scope = (uint8_t)order_scope(&cross->order, event->scope, false, region->svm_atomics);
    shadow_access(&cross->shadow, region, &now);
}

/* The member's, for whom sub-groups are as large as its launch has them. */
static struct member *listen(struct cross_launch *cross, const struct launch_info *launch)
{
    struct member *member = member_of(cross, launch);
    cross->order.event = ++cross->time;
    if (member)
        cross->order.sub_group_size = member->sub_group_size;
    return member;
}

static void on_access(void *self, const struct access_event *event)
{
    struct cross_launch *cross = self;
    pthread_mutex_lock(&cross->lock);
    struct member *member = listen(cross, event->origin.launch);
    if (member && event->copy)
        member->partial = true;
    const uint32_t site = member && !event->copy ? site_of(cross, member, event->origin.site) : 0;
    for (uint64_t lane = 0; member && !event->copy && lane < event->lane_count && !failed(cross); lane++)
        if (event->mask[lane / 64] >> lane % 64 & 1)
            access_by(cross, event, lane, unit_of(cross, member, &event->origin, lane), site);
    pthread_mutex_unlock(&cross->lock);
}

/* ---- events: commands of the host ---------------------------------------------------------------------------- */

static struct member *member_of_command(struct cross_launch *cross, uint32_t command)
{
    static const struct launch_info one = {.kernel = "", .local_size = {1, 1, 1}, .group_count = {1, 1, 1}, .global_size = {1, 1, 1}};
    struct launch_info launch = one;
    struct member *latest = cross->member_count ? &cross->members[cross->member_count - 1] : NULL;
    if (latest && latest->command == command && !latest->kernel[0])
        return latest;
    launch.command = command;
    if (!cross->member_count || !is_between(cross, command) || !has_room(cross, &launch) || !add_member(cross, &launch))
        return NULL;
    latest = &cross->members[cross->member_count - 1];
    latest->launch = NULL; /* nothing more is asked of it */
    latest->moves = open_group(cross, latest->first_group, latest->begun);
    return latest->moves ? latest : NULL;
}

void cross_launch_command(struct cross_launch *cross, const struct command_event *event)
{
    pthread_mutex_lock(&cross->lock);
    struct member *member = cross->member_count ? member_of_command(cross, event->command) : NULL;
    struct shadow_region *region = member ? shadow_at(cross, event->address) : NULL;
    if (member)
        member->partial |= event->role != COMMAND_MOVES;
    if (region && event->role != COMMAND_OPENS) {
        struct agent agent;
        cross->order.event = ++cross->time;
        const uint32_t size = event->size_bytes > UINT32_MAX ? UINT32_MAX : (uint32_t)event->size_bytes, number = site_of(cross, member, 0);
        order_agent(&cross->order, member->first_group * cross->order.group_items, &agent);
        const struct shadow_access now = {.agent = &agent, .address = event->address,
                                          .how = {.tick = (uint32_t)order_slice(&agent), .site = number, .size = size, .kind = (uint8_t)event->kind}};
        shadow_access(&cross->shadow, region, &now);
    }
    pthread_mutex_unlock(&cross->lock);
}

/* ---- events: fences and barriers -------------------------------------------------------------------------- */

static void sub_groups_meet(struct cross_launch *cross, const struct member *member, const struct sync_event *event, uint32_t site)
{
    uint64_t latest = UINT64_MAX;
    for (uint64_t lane = 0; lane < event->lane_count; lane++) {
        if (!(event->mask[lane / 64] >> lane % 64 & 1))
            continue;
        const uint64_t unit = unit_of(cross, member, &event->origin, lane), group = order_unit_group(&cross->order, unit);
        const uint32_t sub_group = order_unit_sub_group(&cross->order, unit);
        if (sub_group == latest)
            continue;
        latest = sub_group;
        if (event->kind == SYNC_NAMED_BARRIER)
            order_named_arrival(&cross->order, group, sub_group);
        else
            order_sub_group_barrier(&cross->order, group, sub_group, event->regions, event->scope, site);
    }
}

static void fences(struct cross_launch *cross, const struct member *member, const struct sync_event *event, uint32_t site)
{
    struct agent agent;
    for (uint64_t lane = 0; lane < event->lane_count; lane++) {
        if (!(event->mask[lane / 64] >> lane % 64 & 1))
            continue;
        order_agent(&cross->order, unit_of(cross, member, &event->origin, lane), &agent);
        order_fence(&cross->order, &agent, event->regions, event->order, event->scope, site);
    }
}

static void take_sync(struct cross_launch *cross, struct member *member, const struct sync_event *event)
{
    const uint64_t group = order_unit_group(&cross->order, unit_of(cross, member, &event->origin, 0));
    const uint32_t site = site_of(cross, member, event->origin.site);
    switch (event->kind) {
    case SYNC_FENCE: fences(cross, member, event, site); break;
    case SYNC_SUB_GROUP_BARRIER: sub_groups_meet(cross, member, event, site); break;
    case SYNC_NAMED_BARRIER:
        sub_groups_meet(cross, member, event, site);
        if (event->last)
            order_named_barrier(&cross->order, group, event->regions, event->scope, site);
        break;
    case SYNC_WORK_GROUP_BARRIER:
        if (event->last)
            order_barrier(&cross->order, group, event->regions, event->scope, site);
        break;
    default: break; /* values pass, and no order; copies are not followed */
    }
}

static void on_sync(void *self, const struct sync_event *event)
{
    struct cross_launch *cross = self;
    pthread_mutex_lock(&cross->lock);
    struct member *member = listen(cross, event->origin.launch);
    if (member)
        take_sync(cross, member, event);
    pthread_mutex_unlock(&cross->lock);
}

/* ---- events: launches and commands -------------------------------------------------------------------------- */

static void on_launch(void *self, const struct launch_event *event)
{
    struct cross_launch *cross = self;
    pthread_mutex_lock(&cross->lock);
    struct member *member = listen(cross, event->launch);
    if (member && event->phase == GROUP_BEGIN)
        open_group(cross, member->first_group + event->group_linear, member->begun);
    else if (member && event->phase == GROUP_END)
        close_group(cross, member, member->first_group + event->group_linear);
    for (uint32_t i = 1; event->phase == LAUNCH_END && i < cross->member_count; i++) /* whether or not it was heard to the end */
        if (cross->members[i].launch == event->launch) {
            keep_places(cross, &cross->members[i]);
            keep_arguments(cross, &cross->members[i]);
            cross->members[i].launch = NULL;
        }
    pthread_mutex_unlock(&cross->lock);
}

void cross_launch_observer(struct cross_launch *cross, struct observer *out_observer)
{
    *out_observer = (struct observer){.self = cross, .access = on_access, .sync = on_sync, .launch = on_launch};
}

void cross_launch_order(struct cross_launch *cross, const struct order_event *event)
{
    pthread_mutex_lock(&cross->lock);
    command_graph_order(cross->graph, event);
    if ((cross->member_count || cross->blind) && command_graph_idle(cross->graph))
        reset(cross);
    pthread_mutex_unlock(&cross->lock);
}
