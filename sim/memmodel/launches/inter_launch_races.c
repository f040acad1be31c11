/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Races between launches that are checked: their source places, why they race and what would order them, and
 * when they are reported. A race is kept until both commands have ended, because what orders them is complete
 * only then; races of one pair of source places and allocation are counted together.
 */
#include "inter_launch_state.h"

#include <inttypes.h>
#include <stdio.h>

#include "orrery/checked.h"
#include "sim/memmodel/race/race.h"
#include "sim/memmodel/explain/wording.h"
#include "orrery/device.h"
#include "orrery/pipe.h"
#include "sim/base/memory_words.h"

/* ---- sites ---------------------------------------------------------------------------------- */

static bool own_room(struct launch_state *state, uint32_t site)
{
    return site < state->site_count ||
           room_of_zeros((void **)&state->site, &state->site_count, site + 64, sizeof *state->site);
}

uint32_t inter_launch_site_of(struct inter_launch *detector, struct launch_state *state, uint32_t own)
{
    if (!own_room(state, own)) {
        detector->shadow.failed = true;
        return 0;
    }
    if (state->site[own])
        return state->site[own] - 1;
    if (!list_add(&detector->sites,
                  (struct inter_launch_site){.state = (uint32_t)(state - detector->states), .own = own})) {
        detector->shadow.failed = true;
        return 0;
    }
    return (state->site[own] = detector->sites.count) - 1;
}

uint32_t inter_launch_site_with(struct inter_launch *detector, struct launch_state *state, uint32_t own,
                                enum memory_scope scope)
{
    const uint32_t site = inter_launch_site_of(detector, state, own);
    if (site < detector->sites.count)
        detector->sites.items[site].scope = scope;
    return site;
}

/* Keeps source places before the program may be released. */
void inter_launch_keep_places(struct inter_launch *detector, struct launch_state *state)
{
    for (uint32_t own = 0; own < state->site_count; own++) {
        if (!state->site[own])
            continue;
        struct source_place *place = &detector->sites.items[state->site[own] - 1].place;
        *place = launch_names_place(state->launch, own);
        (void)launch_names_keep(place);
    }
    free(state->site);
    state->site = NULL;
    state->site_count = 0;
}

/* The argument by which the launch has the memory; the first one is kept. Without memory findings lack it. */
void inter_launch_keep_argument(struct launch_state *state, uint32_t region_id, const char *name)
{
    for (uint32_t i = 0; i < state->arguments.count; i++)
        if (state->arguments.items[i].region_id == region_id)
            return;
    struct kept_argument kept = {.region_id = region_id};
    snprintf(kept.name, sizeof kept.name, "%s", name);
    (void)list_add(&state->arguments, kept);
}

void inter_launch_keep_arguments(const struct inter_launch *detector, struct launch_state *state)
{
    char name[ARGUMENT_CHARS];
    for (uint32_t i = 0; i < detector->region_room; i++) {
        const struct shadow_region *region = detector->regions[i];
        if (region && launch_names_argument(state->launch, region->low, region->high, name))
            inter_launch_keep_argument(state, region->id, name);
    }
}

static struct source_place place_of(const struct inter_launch *detector, uint32_t number)
{
    const struct inter_launch_site *site = &detector->sites.items[number];
    const struct launch_info *launch = detector->states[site->state].launch;
    return launch ? launch_names_place(launch, site->own) : site->place;
}

/* ---- why ------------------------------------------------------------------------------------ */

static uint32_t index_of_unit(const struct inter_launch *detector, uint64_t unit)
{
    return detector->group_launch[order_unit_group(&detector->order, unit)];
}

static const struct launch_state *state_of_unit(const struct inter_launch *detector, uint64_t unit)
{
    return &detector->states[index_of_unit(detector, unit)];
}

static void say_place(const struct inter_launch *detector, uint32_t site, char *text, size_t size)
{
    const struct source_place place = place_of(detector, site);
    if (place.file)
        snprintf(text, size, "%s:%" PRIu32, place.file, place.line);
    else
        snprintf(text, size, "instruction %" PRIu32, detector->sites.items[site].own);
}

/* Two operations on an atomic object. counts: the scope that counts after reduction. */
struct scopes {
    uint32_t site[2];
    enum memory_scope counts[2];
    bool svm_atomics;
};

/* The scope as written. One site may execute operations of several scopes; then the one that counts is
 * named. */
static enum memory_scope scope_as_written(const struct inter_launch *detector, const struct scopes *scopes,
                                          int side)
{
    const uint32_t site = scopes->site[side];
    const enum memory_scope counts = scopes->counts[side],
                            scope = site < detector->sites.count ? detector->sites.items[site].scope : counts;
    return order_scope(&detector->order, scope, false, scopes->svm_atomics) == counts ? scope : counts;
}

static bool is_apart(const struct inter_launch *detector, const struct race *race,
                     const struct shadow_access *now)
{
    return order_unit_device(&detector->order, race->unit) !=
           order_unit_device(&detector->order, now->unit_state->unit);
}

#define WIDE_MEMORY "fine-grained shared virtual memory with atomics"

static void say_scopes(const struct inter_launch *detector, bool apart, const struct scopes *scopes,
                       const char *what, struct race_text *text)
{
    const enum memory_scope a = scope_as_written(detector, scopes, 0),
                            b = scope_as_written(detector, scopes, 1);
    const bool counts_less = apart && !scopes->svm_atomics && (a == SCOPE_ALL_SVM || b == SCOPE_ALL_SVM);
    snprintf(text->why, INTER_LAUNCH_WHY_CHARS, "%s: %s and %s do not include each other %s%s", what,
             memory_scope_word(a), memory_scope_word(b),
             apart ? "on different devices" : "in different launches",
             counts_less ? ": outside of " WIDE_MEMORY
                           " memory_scope_all_svm_devices counts as memory_scope_device (3.3.5)"
                         : "");
    if (counts_less && a == b)
        snprintf(text->fix, INTER_LAUNCH_WHY_CHARS,
                 WIDE_MEMORY " for the atomic object (CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS)");
    else
        snprintf(text->fix, INTER_LAUNCH_WHY_CHARS, "%s for both%s",
                 apart ? "memory_scope_all_svm_devices" : "memory_scope_device",
                 apart && !scopes->svm_atomics ? ", in " WIDE_MEMORY : "");
}

#define ONE_KERNELS                                                                                          \
    "the atomic operations of one kernel on a buffer that is not shared virtual memory are not for another " \
    "one (3.3.5, device scope)"

static void say_shared_memory(bool apart, struct race_text *text)
{
    snprintf(text->fix, INTER_LAUNCH_WHY_CHARS,
             apart ? WIDE_MEMORY " in place of the buffer, and memory_scope_all_svm_devices for both"
                   : "shared virtual memory, or a program-scope variable, in place of the buffer");
}

/* The fix: an operation gets the order that it lacks. */
static void say_order(bool apart, const struct missed_edge *edge, const char *order, enum memory_scope scope,
                      const char *where, struct race_text *text)
{
    snprintf(text->fix, INTER_LAUNCH_WHY_CHARS, "%s, %s %s%s", order,
             memory_scope_word(apart ? SCOPE_ALL_SVM : scope), where,
             apart && !edge->svm_atomics ? ", in " WIDE_MEMORY : "");
}

/* Atomics on a buffer synchronise within a launch tree only (3.3.5). */
static bool of_one_tree(const struct inter_launch *detector, const struct race *race,
                        const struct shadow_access *now)
{
    return inter_launch_tree_root(state_of_unit(detector, race->unit)) ==
           inter_launch_tree_root(state_of_unit(detector, now->unit_state->unit));
}

static void say_edge(const struct inter_launch *detector, const struct race *race,
                     const struct shadow_access *now, const struct missed_edge *edge, struct race_text *text)
{
    const bool apart = is_apart(detector, race, now);
    const uint32_t acquire_site = edge->acquire_site == UINT32_MAX ? edge->release_site : edge->acquire_site;
    const struct scopes scopes = {{edge->release_site, acquire_site},
                                  {edge->release_scope, order_scope(&detector->order, edge->acquire_scope,
                                                                    edge->local, edge->svm_atomics)},
                                  edge->svm_atomics};
    char release[160], acquire[160], what[400];
    say_place(detector, edge->release_site, release, sizeof release);
    say_place(detector, acquire_site, acquire, sizeof acquire);
    switch (edge->why) {
    case MISSED_SCOPE:
        if (edge->apart && !of_one_tree(detector, race, now)) {
            snprintf(text->why, INTER_LAUNCH_WHY_CHARS,
                     "the release at %s does not reach the acquire at %s: " ONE_KERNELS, release, acquire);
            say_shared_memory(apart, text);
            break;
        }
        snprintf(what, sizeof what, "the release at %s does not reach the acquire at %s", release, acquire);
        say_scopes(detector, apart, &scopes, what, text);
        break;
    case MISSED_ACQUIRE:
        snprintf(text->why, INTER_LAUNCH_WHY_CHARS,
                 "the kernel of the second access took the value released at %s with a relaxed operation, "
                 "and no acquire fence followed",
                 release);
        say_order(apart, edge, "memory_order_acquire", edge->release_scope,
                  "for the atomic that reads it, or an acquire fence after that", text);
        break;
    case MISSED_RELEASE:
        snprintf(text->why, INTER_LAUNCH_WHY_CHARS,
                 "the store at %s is relaxed: what was done before it does not become visible with it",
                 release);
        snprintf(what, sizeof what, "at %s", release);
        say_order(apart, edge, "memory_order_release", edge->acquire_scope, what, text);
        break;
    default:
        snprintf(text->why, INTER_LAUNCH_WHY_CHARS,
                 "the release at %s orders one kind of memory, and these accesses are of another", release);
        snprintf(text->fix, INTER_LAUNCH_WHY_CHARS,
                 "fences of all memory that is to be ordered, on both sides");
    }
}

static bool is_reading_side(uint64_t offset_bytes)
{
    return offset_bytes >= offsetof(struct pipe, read) &&
           offset_bytes < offsetof(struct pipe, read) + sizeof(struct pipe_side);
}

/* Two atomic operations that race, since their scopes are not inclusive. */
static void explain_atomics(const struct inter_launch *detector, const struct race *race,
                            const struct shadow_access *now, struct race_text *text)
{
    const bool apart = is_apart(detector, race, now);
    const struct scopes scopes = {
        {race->context->site, now->how.site},
        {(enum memory_scope)race->context->scope, (enum memory_scope)now->how.scope},
        race->region->svm_atomics};
    if (race->region->apart && !of_one_tree(detector, race, now)) {
        snprintf(text->why, INTER_LAUNCH_WHY_CHARS,
                 "nothing orders the two atomic operations, and they race: " ONE_KERNELS);
        say_shared_memory(apart, text);
        return;
    }
    say_scopes(detector, apart, &scopes, "nothing orders the two atomic operations, and they race", text);
}

/* No edge was missed for one reason alone. */
static void explain_without_edge(const struct launch_state *earlier, struct race_text *text)
{
    const bool has_kernel = !earlier->predecessor && earlier->kernel[0];
    snprintf(text->why, INTER_LAUNCH_WHY_CHARS,
             "the kernel of the second access acquires nothing before it that %s: "
             "%satomic operations order only what comes before a release with what comes after the "
             "acquire that reads it",
             has_kernel ? "the kernel of the first one released after its own"
                        : "a kernel after the first command released",
             has_kernel ? "their " : "");
    snprintf(text->fix, INTER_LAUNCH_WHY_CHARS, "put %s",
             has_kernel ? "the first access before a release by its kernel, and the second after the acquire "
                          "that reads what was released"
                        : "the second access after the acquire that reads what was released");
}

static void explain(const struct inter_launch *detector, const struct race *race,
                    const struct shadow_access *now, struct race_text *text)
{
    static const char otherwise[] =
        "; or, if neither kernel waits for the other in its atomic operations, order the two by an event";
    struct missed_edge edge;
    const bool atomics = race->context->kind > ACCESS_WRITE && now->how.kind > ACCESS_WRITE;
    if (atomics && !race->region->alone)
        explain_atomics(detector, race, now, text);
    else if (order_explain(&detector->order, now->unit_state, race->region->space, race->unit,
                           race->context->clock, &edge))
        say_edge(detector, race, now, &edge, text);
    else
        explain_without_edge(state_of_unit(detector, race->unit), text);
    if (race->unit >= UNIT_COPIES)
        snprintf(text->fix, INTER_LAUNCH_WHY_CHARS,
                 "wait for the asynchronous copy (wait_group_events) before a release by its kernel, and put "
                 "the second access after the acquire that reads what was released");
    if (race->region->alone)
        wording_one_at_a_time(is_reading_side(race->address - race->region->low), text->why,
                              INTER_LAUNCH_WHY_CHARS);
    const size_t used = strlen(text->fix);
    snprintf(text->fix + used, INTER_LAUNCH_WHY_CHARS - used, "%s", otherwise);
}

/* ---- races ---------------------------------------------------------------------------------- */

static void name_argument(const struct inter_launch *detector, const struct race *race, uint64_t unit,
                          char out[ARGUMENT_CHARS])
{
    const struct launch_state *state = state_of_unit(detector, unit);
    const struct launch_info *launch = state->launch;
    if (!launch || !launch_names_argument(launch, race->region->low, race->region->high, out))
        out[0] = '\0';
    for (uint32_t i = 0; !launch && i < state->arguments.count; i++)
        if (state->arguments.items[i].region_id == race->region->id)
            memcpy(out, state->arguments.items[i].name, ARGUMENT_CHARS);
}

static bool is_of_other_checkers(const struct inter_launch *detector, const struct race *race,
                                 const struct shadow_access *now, uint32_t earlier, uint32_t later)
{
    if (earlier == later || inter_launch_failed(detector))
        return true;
    return memory_region(detector->memory, race->address)->flags & REGION_FLAG_SHARED &&
           inter_launch_is_ordered_by_call(detector, now->unit_state, race->unit, race->context->clock);
}

static enum inter_launch_what what_of(const struct inter_launch *detector, const struct race *race)
{
    if (race->region->alone)
        return INTER_LAUNCH_PACKETS;
    return memory_region(detector->memory, race->address)->flags & REGION_FLAG_SHARED
               ? INTER_LAUNCH_FINE_MEMORY
               : INTER_LAUNCH_MEMORY;
}

void inter_launch_on_race(void *self, const struct race *race, const struct shadow_access *now)
{
    struct inter_launch *detector = self;
    const struct region *region = memory_region(detector->memory, race->address);
    const uint32_t earlier = index_of_unit(detector, race->unit),
                   later = index_of_unit(detector, now->unit_state->unit);
    if (is_of_other_checkers(detector, race, now, earlier, later))
        return;
    for (uint32_t i = 0; i < detector->races.count; i++) {
        struct found_race *found = &detector->races.items[i];
        if (found->site[0] == race->context->site && found->site[1] == now->how.site &&
            found->region_id == race->region->id) {
            found->count++;
            return;
        }
    }
    CHECKED(race->region->id);
    struct found_race found = {.site = {race->context->site, now->how.site},
                               .region_id = race->region->id,
                               .unit = {race->unit, now->unit_state->unit},
                               .how = {*race->context, now->how},
                               .offset_bytes = race->address - race->region->low,
                               .what = what_of(detector, race),
                               .count = 1};
    wording_region(region, found.object, sizeof found.object);
    name_argument(detector, race, race->unit, found.argument[0]);
    name_argument(detector, race, now->unit_state->unit, found.argument[1]);
    explain(detector, race, now, &found.text);
    const bool atomics = race->context->kind > ACCESS_WRITE && now->how.kind > ACCESS_WRITE,
               guaranteed = inter_launch_is_guaranteed(region) || of_one_tree(detector, race, now);
    found.always_reported = atomics && guaranteed && found.what != INTER_LAUNCH_PACKETS;
    detector->shadow.failed |= !list_add(&detector->races, found);
}

/* ---- reports -------------------------------------------------------------------------------- */

static void fill_side(const struct inter_launch *detector, const struct found_race *found, int i,
                      struct inter_launch_race *race)
{
    const struct launch_state *state = state_of_unit(detector, found->unit[i]);
    const struct order_launch *launch = inter_launch_order_of(detector, state);
    const struct access_context *how = &found->how[i];
    const bool copy = found->unit[i] >= UNIT_COPIES, has_kernel = state->kernel[0],
               atomic = how->kind > ACCESS_WRITE && !race->packets;
    const uint64_t group = order_unit_group(&detector->order, found->unit[i]) - launch->first_group,
                   local = copy ? 0 : found->unit[i] % detector->order.group_items;
    const char *what = !race->packets        ? wording_access((enum access_kind)how->kind)
                       : race->reads_packets ? "reading of packets"
                                             : "writing of packets";
    struct inter_launch_side *side = &race->side[i];
    struct finding_access *access = &race->finding.access[i];
    *side = (struct inter_launch_side){.command = state->command,
                                       .launch = state->shape.launch,
                                       .kernel = has_kernel ? state->kernel : NULL,
                                       .argument = found->argument[i],
                                       .site = detector->sites.items[found->site[i]].own,
                                       .copy = copy};
    *access = (struct finding_access){.kind = race->packets ? ACCESS_WRITE : (enum access_kind)how->kind,
                                      .device_id = state->shape.device,
                                      .place = place_of(detector, found->site[i]),
                                      .has_item = has_kernel && !copy && !state->predecessor,
                                      .has_order = atomic,
                                      .order = (enum memory_ordering)how->order,
                                      .scope = (enum memory_scope)how->scope,
                                      .size_bytes = race->packets ? 0 : how->size,
                                      .what = side->what};
    race_launch_item(&state->shape, group, local, &access->item);
    access->item.sub_group = (uint32_t)(local / launch->sub_group_size);
    if (copy)
        snprintf(side->what, sizeof side->what,
                 "%s by an asynchronous copy of work-group (%" PRIu64 ",%" PRIu64 ",%" PRIu64 ")", what,
                 access->item.group_id[0], access->item.group_id[1], access->item.group_id[2]);
    else
        snprintf(side->what, sizeof side->what, "%s%s", what, has_kernel ? " by a kernel" : "");
}

static void report(const struct inter_launch *detector, const struct found_race *found,
                   const struct inter_launch_reporter *reporter)
{
    const bool packets = found->what == INTER_LAUNCH_PACKETS;
    struct inter_launch_race race = {
        .finding = {.kind = FINDING_RACE_COMMANDS,
                    .object = found->object,
                    .has_offset = !packets,
                    .offset_bytes = packets ? 0 : found->offset_bytes,
                    .access_count = 2,
                    .why = found->text.why,
                    .fix = found->text.fix,
                    .count = found->count,
                    .spec = packets ? "OpenCL 2.2 API, glossary, pipe" : "OpenCL 2.2 API, 3.3.6 data race"},
        .by_scope = found->always_reported,
        .packets = packets,
        .reads_packets = is_reading_side(found->offset_bytes)};
    fill_side(detector, found, 0, &race);
    fill_side(detector, found, 1, &race);
    race.finding.kernel = race.side[1].kernel ? race.side[1].kernel : race.side[0].kernel;
    reporter->report(reporter->self, &race);
}

static bool belongs_to(const struct launch_state *state, uint32_t command, uint32_t tree_root)
{
    return tree_root ? inter_launch_tree_root(state) == tree_root : state->command == command;
}

static bool is_fully_checked(const struct inter_launch *detector, uint32_t command)
{
    bool checked = false;
    for (uint32_t i = 1; i < detector->state_count; i++) {
        const struct launch_state *state = &detector->states[i];
        if (state->command != command)
            continue;
        if (state->partial)
            return false;
        checked = true;
    }
    return checked;
}

static bool both_fully_checked(const struct inter_launch *detector, uint32_t a, uint32_t b)
{
    return !inter_launch_failed(detector) && is_fully_checked(detector, a) && is_fully_checked(detector, b);
}

static bool same_place(const struct inter_launch *detector, uint32_t a, uint32_t b)
{
    const struct source_place first = place_of(detector, a), second = place_of(detector, b);
    const bool same_line = first.line == second.line && first.column == second.column;
    return same_line && first.file && second.file && strcmp(first.file, second.file) == 0;
}

static bool is_same_pair(const struct inter_launch *detector, const struct found_race *a,
                         const struct found_race *b)
{
    for (int i = 0; i < 2; i++)
        if (index_of_unit(detector, a->unit[i]) != index_of_unit(detector, b->unit[i]) ||
            !same_place(detector, a->site[i], b->site[i]))
            return false;
    return a->region_id == b->region_id && a->always_reported == b->always_reported;
}

/* Adds the counts of later races of the same source places to the first one. */
static void merge_same_pairs(struct inter_launch *detector, uint32_t first)
{
    struct found_race *found = &detector->races.items[first];
    uint32_t kept = first + 1;
    for (uint32_t i = first + 1; i < detector->races.count; i++)
        if (is_same_pair(detector, found, &detector->races.items[i]))
            found->count += detector->races.items[i].count;
        else
            detector->races.items[kept++] = detector->races.items[i];
    detector->races.count = kept;
}

/* Can the launch's order to others still change? At its command's end, atomics count as having ordered
 * what they may have ordered. A kernel that enqueued others ends later than they do, which matters outside
 * of its launch tree. */
static bool is_open(const struct inter_launch *detector, const struct launch_state *state, uint32_t ending,
                    bool within)
{
    const bool runs = state->command != ending && command_graph_is_running(detector->graph, state->command);
    return state->launch || (!within && runs);
}

/* Does this detector report the race? */
static bool is_reported_here(const struct inter_launch *detector, const struct found_race *found,
                             bool of_tree, const struct inter_launch_reporter *reporter)
{
    const struct launch_state *a = state_of_unit(detector, found->unit[0]),
                              *b = state_of_unit(detector, found->unit[1]);
    if (found->always_reported || (!of_tree && both_fully_checked(detector, a->command, b->command)))
        return true;
    return reporter->counts_as_ordered(reporter->self, of_tree ? a->shape.launch : a->command,
                                       of_tree ? b->shape.launch : b->command, found->what);
}

/* tree_root 0: the races of the command with others. Else those within the launch tree. */
static void report_all(struct inter_launch *detector, uint32_t command, uint32_t tree_root,
                       const struct inter_launch_reporter *reporter)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < detector->races.count; i++) {
        struct found_race *found = &detector->races.items[i];
        const struct launch_state *a = state_of_unit(detector, found->unit[0]),
                                  *b = state_of_unit(detector, found->unit[1]);
        const bool within = inter_launch_tree_root(a) == inter_launch_tree_root(b);
        const bool open = is_open(detector, a, command, within) || is_open(detector, b, command, within),
                   concerned = within == (tree_root != 0) &&
                               (belongs_to(a, command, tree_root) || belongs_to(b, command, tree_root));
        if (open || !concerned) {
            detector->races.items[kept++] = *found;
            continue;
        }
        merge_same_pairs(detector, i);
        if (is_reported_here(detector, found, tree_root, reporter))
            report(detector, found, reporter);
    }
    detector->races.count = kept;
}

void inter_launch_end_command(struct inter_launch *detector, uint32_t command,
                              const struct inter_launch_reporter *reporter)
{
    pthread_mutex_lock(&detector->lock);
    inter_launch_end_of_command(detector, command);
    report_all(detector, command, 0, reporter);
    pthread_mutex_unlock(&detector->lock);
}

enum inter_launch_verdict inter_launch_decides(struct inter_launch *detector, uint32_t a, uint32_t b)
{
    pthread_mutex_lock(&detector->lock);
    const enum inter_launch_verdict verdict = inter_launch_failed(detector)        ? INTER_LAUNCH_GAVE_UP
                                              : both_fully_checked(detector, a, b) ? INTER_LAUNCH_DECIDED
                                                                                   : INTER_LAUNCH_UNDECIDED;
    pthread_mutex_unlock(&detector->lock);
    return verdict;
}

void inter_launch_end_tree(struct inter_launch *detector, uint32_t tree_root,
                           const struct inter_launch_reporter *reporter)
{
    pthread_mutex_lock(&detector->lock);
    report_all(detector, 0, tree_root, reporter);
    inter_launch_forget_unchecked(detector, tree_root);
    /* its commands are not announced: the host has waited for the whole launch tree */
    if (detector->state_count &&
        !inter_launch_is_announced(detector, &detector->states[detector->state_count - 1]))
        inter_launch_reset(detector);
    pthread_mutex_unlock(&detector->lock);
}

bool inter_launch_left_out(const struct inter_launch_race *race, const struct scenario *scenario)
{
    bool left_out = false;
    for (int i = 0; i < 2; i++) {
        const struct inter_launch_side *side = &race->side[i];
        left_out |= side->kernel && scenario_leaves_out(scenario, side->kernel, side->launch) != LEFT_OUT_NOT;
    }
    return left_out;
}
