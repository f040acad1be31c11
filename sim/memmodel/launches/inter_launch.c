/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Selects the launches and commands that are checked, and feeds their events to one order and one shadow.
 * Units are numbered as in one launch whose work-groups are those of all launches, one launch after another.
 */
#include "inter_launch_state.h"

#include <stdio.h>

#include "orrery/pipe.h"

/* ---- begin and end ---------------------------------------------------------------------------- */

struct inter_launch *inter_launch_new(const struct memory *memory, enum scope_rule rule)
{
    struct inter_launch *detector = calloc(1, sizeof *detector);
    struct command_graph *graph = command_graph_new();
    if (!detector || !graph) {
        free(detector);
        command_graph_free(graph);
        return NULL;
    }
    detector->memory = memory;
    detector->graph = graph;
    pthread_mutex_init(&detector->lock, NULL);
    order_init(&detector->order, rule);
    detector->shadow = (struct shadow){.order = &detector->order,
                                       .self = detector,
                                       .race = inter_launch_on_race,
                                       .counters = detector->counters,
                                       .time = &detector->time,
                                       .enough = COUNTER_ENOUGH};
    return detector;
}

/* Every command is complete for the host, so that nothing races with them any more. */
void inter_launch_reset(struct inter_launch *detector)
{
    detector->was_lost = inter_launch_lacks_memory(detector);
    for (uint32_t i = 0; i < detector->sites.count; i++)
        if (!detector->states[detector->sites.items[i].state].launch)
            launch_names_free(&detector->sites.items[i].place);
    for (uint32_t i = 0; i < detector->state_count; i++) {
        drop_all(&detector->order, detector->states[i].initial);
        drop_all(&detector->order, detector->states[i].final);
        free(detector->states[i].kernel);
        free(detector->states[i].site);
        list_fini(&detector->states[i].arguments);
        list_fini(&detector->states[i].calls);
        inter_launch_within_fini(&detector->states[i]);
    }
    inter_launch_host_fini(detector);
    for (uint32_t i = 0; i < detector->awaited.count; i++)
        drop_all(&detector->order, detector->awaited.items[i].clock);
    for (uint32_t i = 0; i < detector->region_room; i++) {
        if (detector->regions[i])
            shadow_region_fini(detector->regions[i]);
        free(detector->regions[i]);
    }
    order_launch_end(&detector->order);
    free(detector->regions);
    free(detector->states);
    free(detector->launches);
    list_fini(&detector->sites);
    list_fini(&detector->races);
    list_fini(&detector->awaited);
    free(detector->group_launch);
    detector->regions = NULL;
    detector->states = NULL;
    detector->launches = NULL;
    detector->group_launch = NULL;
    detector->region_room = detector->state_count = detector->state_room = detector->launch_room =
        detector->latest = 0;
    detector->group_count = detector->group_room = 0;
    detector->gave_up = detector->full = false;
    detector->copies_noted = 0;
    detector->wave.wave = 0;
    deferred_copy_fini(&detector->held);
}

void inter_launch_free(struct inter_launch *detector)
{
    if (!detector)
        return;
    inter_launch_reset(detector);
    list_fini(&detector->unchecked);
    order_fini(&detector->order);
    command_graph_free(detector->graph);
    pthread_mutex_destroy(&detector->lock);
    free(detector);
}

/* ---- which launches are checked --------------------------------------------------------------- */

static bool synchronises(const struct launch_info *launch)
{
    return launch->releases >= SCOPE_DEVICE || launch->acquires >= SCOPE_DEVICE;
}

/* Do some checked commands happen before this one, and others not? Only atomics may order it with these
 * others. */
static bool is_partly_ordered(const struct inter_launch *detector, uint32_t command)
{
    bool some_before = false, some_not = false;
    for (uint32_t i = 1; i < detector->state_count; i++) {
        const uint32_t other = detector->states[i].command;
        const bool is_before = command_graph_is_after(detector->graph, command, other);
        some_before |= is_before;
        some_not |= !is_before && other != command;
    }
    const bool may_be_ordered = detector->host_acquired || (some_before && some_not);
    return may_be_ordered && command_graph_facts(detector->graph, command) && !inter_launch_failed(detector);
}

bool inter_launch_lost(struct inter_launch *detector)
{
    pthread_mutex_lock(&detector->lock);
    const bool is_lost = inter_launch_lacks_memory(detector) || command_graph_exhausted(detector->graph);
    pthread_mutex_unlock(&detector->lock);
    return is_lost;
}

/* May the host pass a release of one work-group on to another? */
static bool synchronises_with_host(const struct inter_launch *detector, const struct launch_info *launch)
{
    return launch->releases == SCOPE_ALL_SVM && launch->acquires == SCOPE_ALL_SVM &&
           inter_launch_has_region(detector->memory, REGION_FLAG_SVM_ATOMICS, true);
}

/* Does the launch belong to a launch tree of which a launch is checked? What happens after it may happen
 * after that one. */
static bool checks_tree(const struct inter_launch *detector, const struct launch_info *launch)
{
    for (uint32_t i = detector->state_count; launch->parent && i > 1; i--)
        if (inter_launch_tree_root(&detector->states[i - 1]) == launch->tree_root)
            return true;
    return false;
}

static bool should_check(const struct inter_launch *detector, const struct launch_info *launch)
{
    const bool announced = command_graph_facts(detector->graph, launch->command);
    if (launch->in_launch_tree || checks_tree(detector, launch))
        return true;
    /* relaxed atomics count, too: without inclusive scopes they race, and stores end release sequences */
    const bool has_atomics = synchronises(launch) || launch->atomics;
    if (has_atomics && launch->alone)
        return announced && synchronises_with_host(detector, launch);
    if (has_atomics)
        return announced && (detector->state_count || inter_launch_has_region(detector->memory, 0, true));
    return detector->state_count && !launch->parent && is_partly_ordered(detector, launch->command);
}

/* The observer that reports predecessors takes a lock of its own first, so our lock is released for the
 * call. */
static void ask_predecessors(struct inter_launch *detector, uint32_t command)
{
    if (!detector->report_predecessors)
        return;
    pthread_mutex_unlock(&detector->lock);
    detector->report_predecessors(detector->predecessors_self, command);
    pthread_mutex_lock(&detector->lock);
}

static bool open_with_predecessors(struct inter_launch *detector, const struct launch_info *launch)
{
    if (!inter_launch_open_order(detector, launch))
        return false;
    ask_predecessors(detector, launch->command);
    return !inter_launch_failed(detector) && inter_launch_has_room(detector, launch);
}

/* The launch is not checked, and may pass on what it acquires. */
static void give_up(struct inter_launch *detector, const struct launch_info *launch)
{
    const bool was_full = !inter_launch_failed(detector) && !inter_launch_has_room(detector, launch);
    detector->gave_up |=
        launch->in_launch_tree || detector->state_count || inter_launch_has_region(detector->memory, 0, true);
    detector->full |= was_full && detector->gave_up;
    if (was_full && detector->gave_up && !detector->reported_full)
        fputs("orrery: note: too many kernels that atomics may order: what those order is not checked until "
              "the host has waited for all of them\n",
              stderr);
    detector->reported_full |= was_full && detector->gave_up;
}

bool inter_launch_begin(struct inter_launch *detector, const struct launch_info *launch)
{
    pthread_mutex_lock(&detector->lock);
    const bool can_check = !inter_launch_failed(detector) && !command_graph_exhausted(detector->graph) &&
                           inter_launch_has_room(detector, launch);
    const bool checked = can_check && should_check(detector, launch) &&
                         open_with_predecessors(detector, launch) &&
                         inter_launch_add_launch(detector, launch);
    const bool may_pass_on = synchronises(launch) || launch->in_launch_tree || checks_tree(detector, launch);
    if (!checked && may_pass_on)
        give_up(detector, launch);
    if (!checked)
        inter_launch_note_unchecked(detector, launch);
    pthread_mutex_unlock(&detector->lock);
    return checked;
}

struct launch_state *inter_launch_state_of(struct inter_launch *detector, const struct launch_info *launch)
{
    if (inter_launch_failed(detector))
        return NULL;
    if (detector->latest < detector->state_count && detector->states[detector->latest].launch == launch)
        return &detector->states[detector->latest];
    for (uint32_t i = detector->state_count; i > 1; i--)
        if (detector->states[i - 1].launch == launch)
            return &detector->states[detector->latest = i - 1];
    return NULL;
}

/* ---- accesses ------------------------------------------------------------------------------- */

static uint64_t unit_of(const struct inter_launch *detector, const struct launch_state *state,
                        const struct origin *origin, uint32_t lane)
{
    struct item item;
    origin_item(origin, lane, &item);
    return (first_group(detector, state) + item.group_linear) * detector->order.group_items +
           item.local_linear;
}

/* The units of the wave's lanes. */
static const uint64_t *units_of(struct inter_launch *detector, const struct launch_state *state,
                                const struct origin *origin, uint32_t lane_count)
{
    struct inter_launch_wave *wave = &detector->wave;
    if (origin->wave && wave->wave == origin->wave && wave->state == (uint32_t)(state - detector->states))
        return wave->unit;
    wave->unit[0] = unit_of(detector, state, origin, 0);
    wave->unit[lane_count - 1] = unit_of(detector, state, origin, lane_count - 1);
    wave->group = order_unit_group(&detector->order, wave->unit[0]);
    wave->one_group = order_unit_group(&detector->order, wave->unit[lane_count - 1]) == wave->group;
    for (uint32_t lane = 1; lane + 1 < lane_count; lane++) /* lanes of one work-group are consecutive units */
        wave->unit[lane] = wave->one_group ? wave->unit[0] + lane : unit_of(detector, state, origin, lane);
    wave->state = (uint32_t)(state - detector->states);
    wave->wave = origin->wave;
    return wave->unit;
}

struct shadow_region *inter_launch_region_at(struct inter_launch *detector, uint64_t address)
{
    const struct region *region = memory_region(detector->memory, address);
    const uint32_t index = (uint32_t)(region - detector->memory->regions);
    const bool is_global =
        region->kind == REGION_BUFFER || region->kind == REGION_VARIABLE || region->kind == REGION_PIPE;
    if (!is_global || address < region->low || address >= region->high)
        return NULL;
    detector->shadow.failed |=
        !shadow_table_room(&detector->regions, &detector->region_room, detector->memory, index);
    if (detector->shadow.failed)
        return NULL;
    struct shadow_region *shadow = detector->regions[index];
    if (shadow && shadow_is_of(shadow, region))
        return shadow;
    if (shadow)
        shadow_region_fini(shadow);
    else
        shadow = detector->regions[index] = calloc(1, sizeof *shadow);
    detector->shadow.failed |= !shadow;
    if (!shadow)
        return NULL;
    shadow_region_init(shadow, region->id, region->low, region->high, IN_GLOBAL, &detector->spare);
    shadow->svm_atomics = region->flags & REGION_FLAG_SVM_ATOMICS;
    shadow->apart = !inter_launch_is_guaranteed(region);
    shadow->alone = region->kind == REGION_PIPE;
    shadow->affine_filter.replayed = true;
    return shadow;
}

static struct shadow_access access_by(struct unit_state *unit_state, uint64_t address, uint32_t size,
                                      enum access_kind kind, uint32_t site)
{
    return (struct shadow_access){
        .unit_state = unit_state,
        .address = address,
        .how = {
            .clock = (uint32_t)order_segment(unit_state), .site = site, .size = size, .kind = (uint8_t)kind}};
}

void inter_launch_put(struct inter_launch *detector, const struct launch_state *state,
                      struct shadow_region *region, uint64_t address, uint32_t size, enum access_kind kind,
                      uint32_t site)
{
    struct unit_state unit_state;
    order_unit_state(&detector->order, first_group(detector, state) * detector->order.group_items,
                     &unit_state);
    const struct shadow_access now = access_by(&unit_state, address, size, kind, site);
    shadow_access(&detector->shadow, region, &now);
}

static void synchronise(struct inter_launch *detector, const struct access_event *event, uint64_t lane,
                        struct unit_state *unit_state, struct shadow_access *now)
{
    const struct region *region = memory_region(detector->memory, now->address);
    const bool local = region->kind == REGION_LOCAL_VARIABLE,
               failed = event->failed && event->failed[lane / 64] >> lane % 64 & 1;
    if (failed) {
        now->how.kind = ACCESS_ATOMIC_READ;
        now->how.order = (uint8_t)event->failure_order;
    }
    const struct atomic_operation act = {.address = now->address,
                                         .size = now->how.size,
                                         .region = local ? IN_LOCAL : IN_GLOBAL,
                                         .reads = event->kind != ACCESS_ATOMIC_WRITE,
                                         .writes = now->how.kind != ACCESS_ATOMIC_READ,
                                         .order = (enum memory_ordering)now->how.order,
                                         .scope = event->scope,
                                         .site = now->how.site,
                                         .svm_atomics = region->flags & REGION_FLAG_SVM_ATOMICS,
                                         .apart = !local && !inter_launch_is_guaranteed(region)};
    const bool with_host = act.svm_atomics && act.scope == SCOPE_ALL_SVM;
    if (with_host && act.reads) {
        inter_launch_host_passes_on(detector, unit_state, &act);
        order_unit_state(&detector->order, unit_state->unit, unit_state);
    }
    now->follows = order_atomic(&detector->order, unit_state, &act);
    if (with_host && act.writes)
        inter_launch_host_acquires(detector, &act);
    order_unit_state(&detector->order, unit_state->unit, unit_state);
}

/* group: of the wave, if that is of one work-group. */
static void unit_state_of(const struct inter_launch *detector, uint64_t lane, struct group_order *group,
                          struct unit_state *out_unit_state)
{
    const struct inter_launch_wave *wave = &detector->wave;
    if (wave->one_group)
        order_member(&detector->order, wave->group, group,
                     wave->unit[lane] - wave->group * detector->order.group_items, out_unit_state);
    else
        order_unit_state(&detector->order, wave->unit[lane], out_unit_state);
}

static void check_access(struct inter_launch *detector, const struct access_event *event, uint64_t lane,
                         struct group_order *group, uint32_t site)
{
    struct unit_state unit_state;
    unit_state_of(detector, lane, group, &unit_state);
    const uint64_t address = lane_address(event, lane);
    struct shadow_region *region = inter_launch_region_at(detector, address);
    struct shadow_access now = access_by(&unit_state, address, event->size_bytes, event->kind, site);
    now.sampled = event->sampled;
    now.how.order = (uint8_t)event->order;
    if (event->kind >= ACCESS_ATOMIC_READ)
        synchronise(detector, event, lane, &unit_state, &now);
    if (!region)
        return;
    if (event->image)
        region->space = IN_IMAGE;
    region->atomic |= event->kind >= ACCESS_ATOMIC_READ;
    if (region->apart)
        unit_state.place.device = order_unit_tree_root(&detector->order, unit_state.unit);
    now.how.scope = (uint8_t)order_scope(&detector->order, event->scope, false, region->svm_atomics);
    shadow_access(&detector->shadow, region, &now);
}

/* Begins an event of the launch, whose sub-group size the order has to use. */
static struct launch_state *begin_event(struct inter_launch *detector, const struct launch_info *launch)
{
    struct launch_state *state = inter_launch_state_of(detector, launch);
    detector->order.event = ++detector->time;
    if (state)
        detector->order.sub_group_size = inter_launch_order_of(detector, state)->sub_group_size;
    return state;
}

static void check_accesses(struct inter_launch *detector, struct launch_state *state,
                           const struct access_event *event)
{
    const uint32_t site = event->kind >= ACCESS_ATOMIC_READ
                              ? inter_launch_site_with(detector, state, event->origin.site, event->scope)
                              : inter_launch_site_of(detector, state, event->origin.site);
    units_of(detector, state, &event->origin, event->lane_count);
    struct group_order *group = order_group_find(&detector->order, detector->wave.group);
    EACH_LANE_OF(event->mask, lane)
    if (!inter_launch_failed(detector))
        check_access(detector, event, lane, group, site);
}

static void check_copy_access(void *self, const struct deferred_access *access)
{
    struct inter_launch *detector = self;
    struct shadow_region *region = inter_launch_region_at(detector, access->address);
    struct unit_state unit_state;
    if (!region)
        return;
    order_unit_state(&detector->order, access->unit, &unit_state);
    const struct shadow_access now =
        access_by(&unit_state, access->address, access->size, access->kind, access->site);
    shadow_access(&detector->shadow, region, &now);
}

/* The accesses of a copy are by a unit of its own (R37), once all of the work-group have called it. */
static void check_copy(struct inter_launch *detector, struct launch_state *state,
                       const struct access_event *event)
{
    const uint32_t site = inter_launch_site_of(detector, state, event->origin.site);
    units_of(detector, state, &event->origin, event->lane_count);
    if (deferred_copy_add(&detector->held, &detector->order, detector->wave.group, event, event->mask,
                          site)) {
        detector->shadow.failed |= detector->held.failed;
        return;
    }
    const uint64_t unit = order_copy_unit(&detector->order, detector->wave.group, event->copy);
    EACH_LANE_OF(event->mask, lane)
    if (!inter_launch_failed(detector))
        check_copy_access(detector, &(struct deferred_access){unit, lane_address(event, lane), site,
                                                              event->size_bytes, event->kind});
}

/* ---- packets of pipes ----------------------------------------------------------------------- */

static void check_packets(struct inter_launch *detector, struct launch_state *state,
                          const struct origin *origin, const struct packets_use *use)
{
    struct unit_state unit_state;
    struct shadow_region *region = inter_launch_region_at(detector, use->side);
    if (!region)
        return;
    order_unit_state(&detector->order, unit_of(detector, state, origin, use->lane), &unit_state);
    unit_state.place.device = order_unit_launch(&detector->order, unit_state.unit);
    region->atomic = true;
    struct shadow_access now = access_by(&unit_state, use->side, sizeof(uint32_t), ACCESS_ATOMIC_UPDATE,
                                         inter_launch_site_of(detector, state, use->site));
    now.how.order = ORDER_RELAXED;
    now.how.scope = SCOPE_DEVICE;
    if (!inter_launch_failed(detector))
        shadow_access(&detector->shadow, region, &now);
}

void inter_launch_packets(struct inter_launch *detector, const struct origin *origin,
                          const struct packets_use *use)
{
    pthread_mutex_lock(&detector->lock);
    struct launch_state *state = begin_event(detector, origin->launch);
    if (state)
        check_packets(detector, state, origin, use);
    pthread_mutex_unlock(&detector->lock);
}

static void on_before(void *self)
{
    struct inter_launch *detector = self;
    pthread_mutex_lock(&detector->lock);
    detector->began = command_graph_step(detector->graph);
    pthread_mutex_unlock(&detector->lock);
}

/* Before a unit acquires from the host. The host may wait for further commands meanwhile, hence the loop. */
static void ask_predecessors_of_host(struct inter_launch *detector, const struct access_event *event)
{
    if (event->kind < ACCESS_ATOMIC_READ || event->kind == ACCESS_ATOMIC_WRITE ||
        event->scope != SCOPE_ALL_SVM)
        return;
    while (detector->host_unchecked && detector->state_count && !inter_launch_failed(detector)) {
        detector->host_unchecked = false;
        ask_predecessors(detector, INTER_LAUNCH_HOST);
    }
}

static void on_access(void *self, const struct access_event *event)
{
    struct inter_launch *detector = self;
    pthread_mutex_lock(&detector->lock);
    ask_predecessors_of_host(detector, event);
    struct launch_state *state = begin_event(detector, event->origin.launch);
    if (state && event->copy)
        check_copy(detector, state, event);
    else if (state)
        check_accesses(detector, state, event);
    pthread_mutex_unlock(&detector->lock);
}

/* ---- commands of the host ------------------------------------------------------------------- */

static bool is_to_be_checked(const struct inter_launch *detector, uint32_t command)
{
    if (!detector->state_count)
        return false;
    const struct launch_state *latest = &detector->states[detector->state_count - 1];
    const bool is_added = latest->command_runs && latest->command == command;
    return !is_added && is_partly_ordered(detector, command);
}

bool inter_launch_wants_predecessors(struct inter_launch *detector, uint32_t command)
{
    pthread_mutex_lock(&detector->lock);
    const bool wants = command == INTER_LAUNCH_HOST ? detector->state_count && !inter_launch_failed(detector)
                                                    : is_to_be_checked(detector, command);
    pthread_mutex_unlock(&detector->lock);
    return wants;
}

static struct launch_state *state_of_command(struct inter_launch *detector, uint32_t command)
{
    struct launch_state *latest = &detector->states[detector->state_count - 1];
    if (latest->command_runs && latest->command == command)
        return latest;
    latest = is_to_be_checked(detector, command) ? inter_launch_add_command(detector, command, NULL) : NULL;
    if (latest)
        latest->command_runs = true;
    return latest;
}

void inter_launch_command(struct inter_launch *detector, const struct command_event *event)
{
    pthread_mutex_lock(&detector->lock);
    struct launch_state *state = detector->state_count ? state_of_command(detector, event->command) : NULL;
    struct shadow_region *region = state ? inter_launch_region_at(detector, event->address) : NULL;
    if (state)
        state->partial |= (event->role != COMMAND_MOVES && event->role != COMMAND_MIGRATES) ||
                          event->size_bytes > UINT32_MAX;
    if (region && event->role != COMMAND_OPENS) {
        const uint32_t size = event->size_bytes > UINT32_MAX ? UINT32_MAX : (uint32_t)event->size_bytes;
        detector->order.event = ++detector->time;
        inter_launch_put(detector, state, region, event->address, size, event->kind,
                         inter_launch_site_of(detector, state, 0));
    }
    pthread_mutex_unlock(&detector->lock);
}

/* ---- fences and barriers -------------------------------------------------------------------- */

static void apply_fences(struct inter_launch *detector, const uint64_t *units, const struct sync_event *event,
                         uint32_t site)
{
    struct unit_state unit_state;
    EACH_LANE_OF(event->mask, lane)
    {
        order_unit_state(&detector->order, units[lane], &unit_state);
        order_fence(&detector->order, &unit_state, event->regions, event->order, event->scope, site);
    }
}

static void apply_sync(struct inter_launch *detector, struct launch_state *state,
                       const struct sync_event *event)
{
    const uint64_t *units = units_of(detector, state, &event->origin, event->lane_count),
                   group = order_unit_group(&detector->order, units[0]);
    const uint32_t site = inter_launch_site_with(detector, state, event->origin.site, event->scope);
    if (event->kind == SYNC_FENCE)
        apply_fences(detector, units, event, site);
    else
        order_sync_event(&detector->order, group, units, event, site);
    if (event->kind != SYNC_COPY)
        return;
    inter_launch_note_copies(detector);
    deferred_copy_perform(&detector->held, &detector->order, DEFERRED_COPY_NO_GROUP, check_copy_access,
                          detector);
}

static void on_sync(void *self, const struct sync_event *event)
{
    struct inter_launch *detector = self;
    pthread_mutex_lock(&detector->lock);
    struct launch_state *state = begin_event(detector, event->origin.launch);
    if (state)
        apply_sync(detector, state, event);
    pthread_mutex_unlock(&detector->lock);
}

void inter_launch_enqueue(struct inter_launch *detector, const struct origin *origin, uint32_t lane,
                          uint32_t number)
{
    pthread_mutex_lock(&detector->lock);
    struct launch_state *state = begin_event(detector, origin->launch);
    if (state)
        inter_launch_add_call(detector, state, unit_of(detector, state, origin, lane), number);
    pthread_mutex_unlock(&detector->lock);
}

/* ---- launches and their order --------------------------------------------------------------- */

static void close_group(struct inter_launch *detector, struct launch_state *state, uint64_t group)
{
    const uint64_t number = first_group(detector, state) + group;
    if (detector->held.count)
        deferred_copy_perform(&detector->held, &detector->order, number, check_copy_access, detector);
    inter_launch_await_group(detector, state->launch, group, number);
    inter_launch_close_group(detector, state, number);
}

static void on_launch(void *self, const struct launch_event *event)
{
    struct inter_launch *detector = self;
    pthread_mutex_lock(&detector->lock);
    struct launch_state *state = begin_event(detector, event->launch);
    if (state && event->phase == GROUP_BEGIN)
        inter_launch_open_group(detector, first_group(detector, state) + event->group_linear, state->initial);
    else if (state && event->phase == GROUP_END)
        close_group(detector, state, event->group_linear);
    /* also if checking stopped before its end */
    for (uint32_t i = 1; event->phase == LAUNCH_END && i < detector->state_count; i++)
        if (detector->states[i].launch == event->launch) {
            inter_launch_keep_places(detector, &detector->states[i]);
            inter_launch_keep_arguments(detector, &detector->states[i]);
            inter_launch_within_fini(&detector->states[i]);
            detector->states[i].launch = NULL;
        }
    pthread_mutex_unlock(&detector->lock);
}

void inter_launch_observer(struct inter_launch *detector, struct observer *out_observer)
{
    *out_observer = (struct observer){
        .self = detector, .access = on_access, .before = on_before, .sync = on_sync, .launch = on_launch};
}

void inter_launch_order(struct inter_launch *detector, const struct order_event *event)
{
    pthread_mutex_lock(&detector->lock);
    command_graph_order(detector->graph, event);
    if (event->kind == ORDER_HOST_WAITED || (event->kind == ORDER_BEGIN && event->program))
        detector->host_waited = detector->host_unchecked = true;
    if ((detector->state_count || detector->gave_up) && command_graph_idle(detector->graph))
        inter_launch_reset(detector);
    pthread_mutex_unlock(&detector->lock);
}
