/* SPDX-License-Identifier: Apache-2.0 */
/* The launches and commands that are checked, and their operations, as events of one launch. */
#include "inter_launch_state.h"

#include <stdio.h>

#include "orrery/pipe.h"

/* ---- life ----------------------------------------------------------------------------------- */

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
    pthread_mutex_init(&cross->lock, NULL);
    order_init(&cross->order, rule);
    cross->shadow = (struct shadow){.order = &cross->order,
                                    .self = cross,
                                    .race = cross_on_race,
                                    .counters = cross->counters,
                                    .time = &cross->time,
                                    .enough = COUNTER_ENOUGH};
    return cross;
}

/* Everything is complete for the host: nothing races with it any more. */
void cross_reset(struct cross_launch *cross)
{
    cross->was_lost = cross_lost(cross);
    for (uint32_t i = 0; i < cross->site_count; i++)
        cross_site_fini(&cross->sites[i], !cross->members[cross->sites[i].member].launch);
    for (uint32_t i = 0; i < cross->member_count; i++) {
        drop_all(&cross->order, cross->members[i].begun);
        drop_all(&cross->order, cross->members[i].learned);
        free(cross->launches[i].begun);
        free(cross->members[i].kernel);
        free(cross->members[i].site);
        free(cross->members[i].passed);
        free(cross->members[i].calls);
        cross_within_fini(&cross->members[i]);
    }
    cross_host_fini(cross);
    for (uint32_t i = 0; i < cross->awaited_count; i++)
        drop_all(&cross->order, cross->awaited[i].known);
    for (uint32_t i = 0; i < cross->region_room; i++) {
        if (cross->regions[i])
            shadow_region_fini(cross->regions[i]);
        free(cross->regions[i]);
    }
    order_launch_end(&cross->order);
    free(cross->regions);
    free(cross->members);
    free(cross->launches);
    free(cross->sites);
    free(cross->found);
    free(cross->awaited);
    free(cross->group_launch);
    free(cross->group_device);
    free(cross->handled);
    cross->handled = NULL;
    cross->handled_words = cross->handled_from = 0;
    cross->regions = NULL;
    cross->members = NULL;
    cross->launches = NULL;
    cross->sites = NULL;
    cross->found = NULL;
    cross->awaited = NULL;
    cross->awaited_count = cross->awaited_room = 0;
    cross->group_launch = cross->group_device = NULL;
    cross->region_room = cross->member_count = cross->member_room = cross->launch_room = cross->latest = 0;
    cross->site_count = cross->site_room = cross->found_count = cross->found_room = 0;
    cross->group_count = cross->group_room = 0;
    cross->blind = cross->full = false;
    cross->copies_noted = 0;
    cross->wave.wave = 0;
    held_fini(&cross->held);
}

void cross_launch_free(struct cross_launch *cross)
{
    if (!cross)
        return;
    cross_reset(cross);
    free(cross->unchecked);
    order_fini(&cross->order);
    command_graph_free(cross->graph);
    pthread_mutex_destroy(&cross->lock);
    free(cross);
}

/* ---- the launches that are checked ---------------------------------------------------------- */

static bool synchronises(const struct launch_info *launch)
{
    return launch->releases >= SCOPE_DEVICE || launch->acquires >= SCOPE_DEVICE;
}

/* Do some of those that are checked happen before it, and others not? Atomics may be what orders it with
 * these. */
static bool is_between(const struct cross_launch *cross, uint32_t command)
{
    bool knows = false, lacks = false;
    for (uint32_t i = 1; i < cross->member_count; i++) {
        const bool known = command_graph_is_after(cross->graph, command, cross->members[i].command);
        knows |= known;
        lacks |= !known && cross->members[i].command != command;
    }
    return (cross->host_knows || (knows && lacks)) && command_graph_facts(cross->graph, command) &&
           !cross_failed(cross);
}

bool cross_launch_lost(struct cross_launch *cross)
{
    pthread_mutex_lock(&cross->lock);
    const bool is_lost = cross_lost(cross) || command_graph_exhausted(cross->graph);
    pthread_mutex_unlock(&cross->lock);
    return is_lost;
}

/* The host may pass one work-group's release to another one. */
static bool speaks_with_host(const struct cross_launch *cross, const struct launch_info *launch)
{
    return launch->releases == SCOPE_ALL_SVM && launch->acquires == SCOPE_ALL_SVM &&
           cross_has_svm_atomics(cross->memory);
}

/* A unit after it may be after those by it. */
static bool checks_family(const struct cross_launch *cross, const struct launch_info *launch)
{
    for (uint32_t i = cross->member_count; launch->parent && i > 1; i--)
        if (cross_family_of(&cross->members[i - 1]) == launch->family)
            return true;
    return false;
}

static bool may_matter(const struct cross_launch *cross, const struct launch_info *launch)
{
    const bool announced = command_graph_facts(cross->graph, launch->command);
    if (launch->in_launch_tree || checks_family(cross, launch))
        return true;
    if (launch->alone && (synchronises(launch) || launch->atomics))
        return announced && speaks_with_host(cross, launch);
    /* these may race with others whose scope does not include theirs, and end release sequences */
    if (synchronises(launch) || launch->atomics)
        return announced && (cross->member_count || cross_has_guaranteed(cross->memory));
    return cross->member_count && !launch->parent && is_between(cross, launch->command);
}

/* The observer that announces them has a lock that comes before ours. */
static void ask_predecessors(struct cross_launch *cross, uint32_t command)
{
    if (!cross->predecessors.report || !cross_lacks_predecessors(cross, command))
        return;
    pthread_mutex_unlock(&cross->lock);
    cross->predecessors.report(cross->predecessors.self, command);
    pthread_mutex_lock(&cross->lock);
}

static bool open_with_predecessors(struct cross_launch *cross, const struct launch_info *launch)
{
    if (!cross_open_order(cross, launch))
        return false;
    ask_predecessors(cross, launch->command);
    return !cross_failed(cross) && cross_has_room(cross, launch);
}

/* It may hand on what it acquires, unchecked. */
static void go_blind(struct cross_launch *cross, const struct launch_info *launch)
{
    const bool was_full = !cross->blind && !cross_lost(cross) && !cross_has_room(cross, launch);
    cross->blind |= launch->in_launch_tree || cross->member_count || cross_has_guaranteed(cross->memory);
    cross->full |= was_full && cross->blind;
    if (was_full && cross->blind && !cross->reported_full)
        fputs("orrery: note: too many kernels that atomics may order: what those order is not checked until "
              "the host knows that all are complete\n",
              stderr);
    cross->reported_full |= was_full && cross->blind;
}

bool cross_launch_begin(struct cross_launch *cross, const struct launch_info *launch)
{
    pthread_mutex_lock(&cross->lock);
    const bool checked = may_matter(cross, launch) && !cross_failed(cross) &&
                         !command_graph_exhausted(cross->graph) && cross_has_room(cross, launch) &&
                         open_with_predecessors(cross, launch) && cross_add_member(cross, launch);
    if (!checked && (synchronises(launch) || launch->in_launch_tree || checks_family(cross, launch)))
        go_blind(cross, launch);
    if (!checked)
        cross_note_unchecked(cross, launch);
    pthread_mutex_unlock(&cross->lock);
    return checked;
}

struct member *cross_member_of(struct cross_launch *cross, const struct launch_info *launch)
{
    if (cross_failed(cross))
        return NULL;
    if (cross->latest < cross->member_count && cross->members[cross->latest].launch == launch)
        return &cross->members[cross->latest];
    for (uint32_t i = cross->member_count; i > 1; i--)
        if (cross->members[i - 1].launch == launch)
            return &cross->members[cross->latest = i - 1];
    return NULL;
}

/* ---- accesses ------------------------------------------------------------------------------- */

static uint64_t unit_of(const struct cross_launch *cross, const struct member *member,
                        const struct origin *origin, uint32_t lane)
{
    struct item item;
    origin_item(origin, lane, &item);
    return (cross_order_of(cross, member)->first_group + item.group_linear) * cross->order.group_items +
           item.local_linear;
}

/* Of lanes. Units of the launch's first work-group stand at its first group. */
static const uint64_t *units_of(struct cross_launch *cross, const struct member *member,
                                const struct origin *origin, uint32_t lane_count)
{
    struct cross_wave *wave = &cross->wave;
    if (origin->wave && wave->wave == origin->wave && wave->member == (uint32_t)(member - cross->members))
        return wave->unit;
    wave->unit[0] = unit_of(cross, member, origin, 0);
    wave->unit[lane_count - 1] = unit_of(cross, member, origin, lane_count - 1);
    wave->group = order_unit_group(&cross->order, wave->unit[0]);
    wave->one_group = order_unit_group(&cross->order, wave->unit[lane_count - 1]) == wave->group;
    for (uint32_t lane = 1; lane + 1 < lane_count; lane++) /* of a work-group they stand in a row */
        wave->unit[lane] = wave->one_group ? wave->unit[0] + lane : unit_of(cross, member, origin, lane);
    wave->member = (uint32_t)(member - cross->members);
    wave->wave = origin->wave;
    return wave->unit;
}

struct shadow_region *cross_region_at(struct cross_launch *cross, uint64_t address)
{
    const struct region *region = memory_region(cross->memory, address);
    const uint32_t index = (uint32_t)(region - cross->memory->regions);
    if ((region->kind != REGION_BUFFER && region->kind != REGION_VARIABLE && region->kind != REGION_PIPE) ||
        address < region->low || address >= region->high)
        return NULL;
    cross->shadow.failed |= !shadow_table_room(&cross->regions, &cross->region_room, cross->memory, index);
    if (cross->shadow.failed)
        return NULL;
    struct shadow_region *shadow = cross->regions[index];
    if (shadow && shadow_is_of(shadow, region))
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
    shadow->apart = !cross_is_guaranteed(region);
    shadow->alone = region->kind == REGION_PIPE;
    shadow->affine_filter.spilt = true;
    return shadow;
}

void cross_put(struct cross_launch *cross, const struct member *member, struct shadow_region *region,
               uint64_t address, uint32_t size, enum access_kind kind, uint32_t site)
{
    struct unit_state unit_state;
    order_unit_state(&cross->order, cross_order_of(cross, member)->first_group * cross->order.group_items,
                     &unit_state);
    const struct shadow_access now = {
        .unit_state = &unit_state,
        .address = address,
        .how = {
            .clock = (uint32_t)order_slice(&unit_state), .site = site, .size = size, .kind = (uint8_t)kind}};
    shadow_access(&cross->shadow, region, &now);
}

static void synchronise(struct cross_launch *cross, const struct access_event *event, uint64_t lane,
                        struct unit_state *unit_state, struct shadow_access *now)
{
    const struct region *region = memory_region(cross->memory, now->address);
    const bool local = region->kind == REGION_LOCAL_VARIABLE,
               failed = event->failed && event->failed[lane / 64] >> lane % 64 & 1;
    if (failed) {
        now->how.kind = ACCESS_ATOMIC_READ;
        now->how.order = (uint8_t)event->failure_order;
    }
    const struct atomic_act act = {.address = now->address,
                                   .size = now->how.size,
                                   .region = local ? IN_LOCAL : IN_GLOBAL,
                                   .reads = event->kind != ACCESS_ATOMIC_WRITE,
                                   .writes = now->how.kind != ACCESS_ATOMIC_READ,
                                   .order = (enum memory_ordering)now->how.order,
                                   .scope = event->scope,
                                   .site = now->how.site,
                                   .svm_atomics = region->flags & REGION_FLAG_SVM_ATOMICS,
                                   .apart = !local && !cross_is_guaranteed(region)};
    const bool with_host = act.svm_atomics && act.scope == SCOPE_ALL_SVM;
    if (with_host && act.reads) {
        cross_host_hands_on(cross, unit_state, &act);
        order_unit_state(&cross->order, unit_state->unit, unit_state);
    }
    now->follows = order_atomic(&cross->order, unit_state, &act);
    if (with_host && act.writes)
        cross_host_acquires(cross, &act);
    order_unit_state(&cross->order, unit_state->unit, unit_state);
}

/* group: the wave's, if it is of one. */
static void unit_state_of(const struct cross_launch *cross, uint64_t lane, struct group_order *group,
                          struct unit_state *out_unit_state)
{
    const struct cross_wave *wave = &cross->wave;
    if (wave->one_group)
        order_member(&cross->order, wave->group, group,
                     wave->unit[lane] - wave->group * cross->order.group_items, out_unit_state);
    else
        order_unit_state(&cross->order, wave->unit[lane], out_unit_state);
}

static void access_by(struct cross_launch *cross, const struct access_event *event, uint64_t lane,
                      struct group_order *group, uint32_t site)
{
    struct unit_state unit_state;
    unit_state_of(cross, lane, group, &unit_state);
    const uint64_t address = lane_address(event, lane);
    struct shadow_region *region = cross_region_at(cross, address);
    struct shadow_access now = {.unit_state = &unit_state,
                                .address = address,
                                .sampled = event->sampled,
                                .how = {.clock = (uint32_t)order_slice(&unit_state),
                                        .site = site,
                                        .size = event->size_bytes,
                                        .kind = (uint8_t)event->kind,
                                        .order = (uint8_t)event->order}};
    if (event->kind >= ACCESS_ATOMIC_READ)
        synchronise(cross, event, lane, &unit_state, &now);
    if (!region)
        return;
    if (event->image)
        region->space = IN_IMAGE;
    region->atomic |= event->kind >= ACCESS_ATOMIC_READ;
    if (region->apart)
        unit_state.place.device = order_unit_family(&cross->order, unit_state.unit);
    now.how.scope = (uint8_t)order_scope(&cross->order, event->scope, false, region->svm_atomics);
    shadow_access(&cross->shadow, region, &now);
}

/* The member's: its sub-groups are as large as in its launch. */
static struct member *listen(struct cross_launch *cross, const struct launch_info *launch)
{
    struct member *member = cross_member_of(cross, launch);
    cross->order.event = ++cross->time;
    if (member)
        cross->order.sub_group_size = cross_order_of(cross, member)->sub_group_size;
    return member;
}

static void accesses(struct cross_launch *cross, struct member *member, const struct access_event *event)
{
    const uint32_t site = event->kind >= ACCESS_ATOMIC_READ
                              ? cross_site_with(cross, member, event->origin.site, event->scope)
                              : cross_site_of(cross, member, event->origin.site);
    units_of(cross, member, &event->origin, event->lane_count);
    struct group_order *group = order_group_find(&cross->order, cross->wave.group);
    for (uint64_t lane = 0; lane < event->lane_count && !cross_failed(cross); lane++)
        if (event->mask[lane / 64] >> lane % 64 & 1)
            access_by(cross, event, lane, group, site);
}

static void copy_accesses(void *self, const struct held_access *access)
{
    struct cross_launch *cross = self;
    struct shadow_region *region = cross_region_at(cross, access->address);
    struct unit_state unit_state;
    if (!region)
        return;
    order_unit_state(&cross->order, access->unit, &unit_state);
    const struct shadow_access now = {.unit_state = &unit_state,
                                      .address = access->address,
                                      .how = {.clock = (uint32_t)order_slice(&unit_state),
                                              .site = access->site,
                                              .size = access->size,
                                              .kind = (uint8_t)access->kind}};
    shadow_access(&cross->shadow, region, &now);
}

/* By a unit of its own (R37), once all of the work-group have reached it. */
static void copies(struct cross_launch *cross, struct member *member, const struct access_event *event)
{
    const uint32_t site = cross_site_of(cross, member, event->origin.site);
    units_of(cross, member, &event->origin, event->lane_count);
    if (held_take(&cross->held, &cross->order, cross->wave.group, event, event->mask, site)) {
        cross->shadow.failed |= cross->held.failed;
        return;
    }
    const uint64_t unit = order_copy_unit(&cross->order, cross->wave.group, event->copy);
    for (uint64_t lane = 0; lane < event->lane_count && !cross_failed(cross); lane++)
        if (event->mask[lane / 64] >> lane % 64 & 1)
            copy_accesses(cross, &(struct held_access){unit, lane_address(event, lane), site,
                                                       event->size_bytes, event->kind});
}

/* ---- packets of pipes ----------------------------------------------------------------------- */

static void moves_packets(struct cross_launch *cross, struct member *member, const struct origin *origin,
                          const struct packets_use *use)
{
    struct unit_state unit_state;
    struct shadow_region *region = cross_region_at(cross, use->side);
    if (!region)
        return;
    order_unit_state(&cross->order, unit_of(cross, member, origin, use->lane), &unit_state);
    unit_state.place.device = order_unit_launch(&cross->order, unit_state.unit);
    region->atomic = true;
    const struct shadow_access now = {.unit_state = &unit_state,
                                      .address = use->side,
                                      .how = {.clock = (uint32_t)order_slice(&unit_state),
                                              .site = cross_site_of(cross, member, use->site),
                                              .size = sizeof(uint32_t),
                                              .kind = ACCESS_ATOMIC_UPDATE,
                                              .order = ORDER_RELAXED,
                                              .scope = SCOPE_DEVICE}};
    if (!cross_failed(cross))
        shadow_access(&cross->shadow, region, &now);
}

void cross_launch_packets(struct cross_launch *cross, const struct origin *origin,
                          const struct packets_use *use)
{
    pthread_mutex_lock(&cross->lock);
    struct member *member = listen(cross, origin->launch);
    if (member)
        moves_packets(cross, member, origin, use);
    pthread_mutex_unlock(&cross->lock);
}

static void on_before(void *self)
{
    struct cross_launch *cross = self;
    pthread_mutex_lock(&cross->lock);
    cross_host_before(cross);
    pthread_mutex_unlock(&cross->lock);
}

/* Of the host, before it hands them on. It may wait for more meanwhile. */
static void ask_predecessors_of_host(struct cross_launch *cross, const struct access_event *event)
{
    if (event->kind < ACCESS_ATOMIC_READ || event->kind == ACCESS_ATOMIC_WRITE ||
        event->scope != SCOPE_ALL_SVM)
        return;
    while (cross->host_unchecked && cross->member_count && !cross_failed(cross)) {
        cross->host_unchecked = false;
        ask_predecessors(cross, CROSS_HOST);
    }
}

static void on_access(void *self, const struct access_event *event)
{
    struct cross_launch *cross = self;
    pthread_mutex_lock(&cross->lock);
    ask_predecessors_of_host(cross, event);
    struct member *member = listen(cross, event->origin.launch);
    if (member && event->copy)
        copies(cross, member, event);
    else if (member)
        accesses(cross, member, event);
    pthread_mutex_unlock(&cross->lock);
}

/* ---- commands of the host ------------------------------------------------------------------- */

static bool is_to_be_checked(const struct cross_launch *cross, uint32_t command)
{
    const struct member *latest = cross->member_count ? &cross->members[cross->member_count - 1] : NULL;
    return latest && !(latest->moves && latest->command == command) && is_between(cross, command);
}

bool cross_launch_lacks_predecessors(struct cross_launch *cross, uint32_t command)
{
    pthread_mutex_lock(&cross->lock);
    const bool is_checked = command == CROSS_HOST ? cross->member_count && !cross_failed(cross)
                                                  : is_to_be_checked(cross, command);
    const bool lacks = is_checked && cross_lacks_predecessors(cross, command);
    pthread_mutex_unlock(&cross->lock);
    return lacks;
}

static struct member *member_of_command(struct cross_launch *cross, uint32_t command)
{
    struct member *latest = &cross->members[cross->member_count - 1];
    if (latest->moves && latest->command == command)
        return latest;
    latest = is_to_be_checked(cross, command) ? cross_add_command(cross, command, NULL) : NULL;
    if (latest)
        latest->moves = true;
    return latest;
}

void cross_launch_command(struct cross_launch *cross, const struct command_event *event)
{
    pthread_mutex_lock(&cross->lock);
    struct member *member = cross->member_count ? member_of_command(cross, event->command) : NULL;
    struct shadow_region *region = member ? cross_region_at(cross, event->address) : NULL;
    if (member)
        member->partial |= (event->role != COMMAND_MOVES && event->role != COMMAND_MIGRATES) ||
                           event->size_bytes > UINT32_MAX;
    if (region && event->role != COMMAND_OPENS) {
        const uint32_t size = event->size_bytes > UINT32_MAX ? UINT32_MAX : (uint32_t)event->size_bytes;
        cross->order.event = ++cross->time;
        cross_put(cross, member, region, event->address, size, event->kind, cross_site_of(cross, member, 0));
    }
    pthread_mutex_unlock(&cross->lock);
}

/* ---- fences and barriers -------------------------------------------------------------------- */

static void sub_groups_come(struct cross_launch *cross, const uint64_t *units, const struct sync_event *event)
{
    uint64_t latest = UINT64_MAX;
    for (uint64_t lane = 0; lane < event->lane_count; lane++) {
        if (!(event->mask[lane / 64] >> lane % 64 & 1))
            continue;
        const uint64_t group = order_unit_group(&cross->order, units[lane]);
        const uint32_t sub_group = order_unit_sub_group(&cross->order, units[lane]);
        if (sub_group == latest)
            continue;
        latest = sub_group;
        if (event->kind == SYNC_NAMED_BARRIER)
            order_named_arrival(&cross->order, group, sub_group);
        else
            order_sub_group_arrival(&cross->order, group, sub_group);
    }
}

static void fences(struct cross_launch *cross, const uint64_t *units, const struct sync_event *event,
                   uint32_t site)
{
    struct unit_state unit_state;
    for (uint64_t lane = 0; lane < event->lane_count; lane++) {
        if (!(event->mask[lane / 64] >> lane % 64 & 1))
            continue;
        order_unit_state(&cross->order, units[lane], &unit_state);
        order_fence(&cross->order, &unit_state, event->regions, event->order, event->scope, site);
    }
}

static void take_sync(struct cross_launch *cross, struct member *member, const struct sync_event *event)
{
    const uint64_t *units = units_of(cross, member, &event->origin, event->lane_count),
                   group = order_unit_group(&cross->order, units[0]);
    const uint32_t site = cross_site_with(cross, member, event->origin.site, event->scope);
    switch (event->kind) {
    case SYNC_FENCE: fences(cross, units, event, site); break;
    case SYNC_SUB_GROUP_BARRIER:
        sub_groups_come(cross, units, event);
        if (event->last)
            order_sub_groups_meet(&cross->order, event->regions, event->scope, site);
        break;
    case SYNC_NAMED_BARRIER:
        sub_groups_come(cross, units, event);
        if (event->last)
            order_named_barrier(&cross->order, group, event->regions, event->scope, site);
        break;
    case SYNC_WORK_GROUP_BARRIER:
        if (event->parted)
            order_parted_arrivals(&cross->order, units, event);
        if (event->last && event->parted)
            order_parted_barrier(&cross->order, group, event->regions, event->scope, site);
        else if (event->last)
            order_barrier(&cross->order, group, event->regions, event->scope, site);
        break;
    case SYNC_COPY:
        order_copy_come(&cross->order, units, event, site);
        cross_note_copies(cross);
        held_let_go(&cross->held, &cross->order, HELD_NO_GROUP, copy_accesses, cross);
        break;
    case SYNC_COPY_WAIT:
        if (event->last)
            order_copy_wait(&cross->order, group, event->copy);
        break;
    case SYNC_COLLECTIVE: break; /* values pass, and no order */
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

void cross_launch_enqueue(struct cross_launch *cross, const struct origin *origin, uint32_t lane,
                          uint32_t number)
{
    pthread_mutex_lock(&cross->lock);
    struct member *member = listen(cross, origin->launch);
    if (member)
        cross_take_call(cross, member, unit_of(cross, member, origin, lane), number);
    pthread_mutex_unlock(&cross->lock);
}

/* ---- launches and their order --------------------------------------------------------------- */

static void close_group(struct cross_launch *cross, struct member *member, uint64_t group)
{
    const uint64_t number = cross_order_of(cross, member)->first_group + group;
    if (cross->held.count)
        held_let_go(&cross->held, &cross->order, number, copy_accesses, cross);
    cross_await_group(cross, member->launch, group, number);
    cross_close_group(cross, member, number);
}

static void on_launch(void *self, const struct launch_event *event)
{
    struct cross_launch *cross = self;
    pthread_mutex_lock(&cross->lock);
    struct member *member = listen(cross, event->launch);
    if (member && event->phase == GROUP_BEGIN)
        cross_open_group(cross, cross_order_of(cross, member)->first_group + event->group_linear,
                         member->begun);
    else if (member && event->phase == GROUP_END)
        close_group(cross, member, event->group_linear);
    /* whether or not it was checked to the end */
    for (uint32_t i = 1; event->phase == LAUNCH_END && i < cross->member_count; i++)
        if (cross->members[i].launch == event->launch) {
            cross_keep_places(cross, &cross->members[i]);
            cross_keep_arguments(cross, &cross->members[i]);
            cross_within_fini(&cross->members[i]);
            cross->members[i].launch = NULL;
        }
    pthread_mutex_unlock(&cross->lock);
}

void cross_launch_observer(struct cross_launch *cross, struct observer *out_observer)
{
    *out_observer = (struct observer){
        .self = cross, .access = on_access, .before = on_before, .sync = on_sync, .launch = on_launch};
}

void cross_launch_order(struct cross_launch *cross, const struct order_event *event)
{
    pthread_mutex_lock(&cross->lock);
    command_graph_order(cross->graph, event);
    if (event->kind == ORDER_HOST_WAITED || (event->kind == ORDER_BEGIN && event->program))
        cross->host_waited = cross->host_unchecked = true;
    if ((cross->member_count || cross->blind) && command_graph_idle(cross->graph))
        cross_reset(cross);
    pthread_mutex_unlock(&cross->lock);
}
