/* SPDX-License-Identifier: Apache-2.0 */
/* Races between launches that are checked: places, reasons, and the time of the report. */
#include "inter_launch_state.h"

#include <inttypes.h>
#include <stdio.h>

#include "sim/memmodel/race/race.h"
#include "sim/memmodel/explain/wording.h"
#include "orrery/device.h"
#include "orrery/pipe.h"
#include "sim/base/memory_words.h"

/* ---- sites ---------------------------------------------------------------------------------- */

void cross_site_fini(struct cross_site *site, bool owned)
{
    if (!owned)
        return;
    free((char *)(uintptr_t)site->place.file);
    free((char *)(uintptr_t)site->place.text);
}

void cross_site_keep(struct cross_site *site, const struct source_place *place)
{
    site->place = *place;
    site->place.file = place->file ? strdup(place->file) : NULL;
    site->place.text = place->text ? strdup(place->text) : NULL;
}

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

uint32_t cross_site_of(struct cross_launch *cross, struct member *member, uint32_t own)
{
    if (!own_room(member, own)) {
        cross->shadow.failed = true;
        return 0;
    }
    if (member->site[own])
        return member->site[own] - 1;
    if (!cross_room_for((void **)&cross->sites, cross->site_count, &cross->site_room, sizeof *cross->sites)) {
        cross->shadow.failed = true;
        return 0;
    }
    cross->sites[cross->site_count] =
        (struct cross_site){.member = (uint32_t)(member - cross->members), .own = own};
    return (member->site[own] = ++cross->site_count) - 1;
}

uint32_t cross_site_with(struct cross_launch *cross, struct member *member, uint32_t own,
                         enum memory_scope scope)
{
    const uint32_t site = cross_site_of(cross, member, own);
    if (site < cross->site_count)
        cross->sites[site].scope = scope;
    return site;
}

/* Before its program may go. */
void cross_keep_places(struct cross_launch *cross, struct member *member)
{
    for (uint32_t own = 0; own < member->site_count; own++) {
        struct source_place place = {0};
        if (!member->site[own])
            continue;
        struct cross_site *site = &cross->sites[member->site[own] - 1];
        if (member->launch->program)
            program_site(member->launch->program, own, &place);
        cross_site_keep(site, &place);
    }
    free(member->site);
    member->site = NULL;
    member->site_count = 0;
}

/* By which it reached the touched memory; the first is kept. No memory: findings are shorter. */
void cross_keep_argument(struct member *member, uint32_t region_id, const char *name)
{
    for (uint32_t i = 0; i < member->passed_count; i++)
        if (member->passed[i].region_id == region_id)
            return;
    if (!cross_room_for((void **)&member->passed, member->passed_count, &member->passed_room,
                        sizeof *member->passed))
        return;
    struct passed *passed = &member->passed[member->passed_count++];
    passed->region_id = region_id;
    snprintf(passed->name, sizeof passed->name, "%s", name);
}

void cross_keep_arguments(const struct cross_launch *cross, struct member *member)
{
    const struct launch_info *launch = member->launch;
    char name[CROSS_ARGUMENT_CHARS];
    for (uint32_t i = 0; launch->argument && i < cross->region_room; i++) {
        const struct shadow_region *region = cross->regions[i];
        if (region && launch->argument(launch, region->low, region->high, name, sizeof name))
            cross_keep_argument(member, region->id, name);
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

/* ---- why ------------------------------------------------------------------------------------ */

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

/* An operation on an atomic object. counts: as the order takes the scope. */
struct scopes {
    uint32_t site[2];
    enum memory_scope counts[2];
    bool svm_atomics;
};

/* As the source has it. One place may have several. */
static enum memory_scope written(const struct cross_launch *cross, const struct scopes *scopes, int side)
{
    const uint32_t site = scopes->site[side];
    const enum memory_scope counts = scopes->counts[side],
                            scope = site < cross->site_count ? cross->sites[site].scope : counts;
    return order_scope(&cross->order, scope, false, scopes->svm_atomics) == counts ? scope : counts;
}

static bool is_apart(const struct cross_launch *cross, const struct race *race,
                     const struct shadow_access *now)
{
    return order_unit_device(&cross->order, race->unit) !=
           order_unit_device(&cross->order, now->unit_state->unit);
}

#define WIDE_MEMORY "fine-grained shared virtual memory with atomics"

static void say_scopes(const struct cross_launch *cross, bool apart, const struct scopes *scopes,
                       const char *what, struct words *words)
{
    const enum memory_scope a = written(cross, scopes, 0), b = written(cross, scopes, 1);
    const bool counts_less = apart && !scopes->svm_atomics && (a == SCOPE_ALL_SVM || b == SCOPE_ALL_SVM);
    snprintf(words->why, CROSS_WHY_CHARS, "%s: %s and %s do not include each other %s%s", what,
             memory_scope_word(a), memory_scope_word(b),
             apart ? "on different devices" : "in different launches",
             counts_less ? ": outside of " WIDE_MEMORY
                           " memory_scope_all_svm_devices counts as memory_scope_device (3.3.5)"
                         : "");
    if (counts_less && a == b)
        snprintf(words->fix, CROSS_WHY_CHARS,
                 WIDE_MEMORY " for the atomic object (CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS)");
    else
        snprintf(words->fix, CROSS_WHY_CHARS, "%s for both%s",
                 apart ? "memory_scope_all_svm_devices" : "memory_scope_device",
                 apart && !scopes->svm_atomics ? ", in " WIDE_MEMORY : "");
}

#define ONE_KERNELS                                                                                          \
    "the atomic operations of one kernel on a buffer that is not shared virtual memory are not for another " \
    "one (3.3.5, device scope)"

static void say_for_several(bool apart, struct words *words)
{
    snprintf(words->fix, CROSS_WHY_CHARS,
             apart ? WIDE_MEMORY " in place of the buffer, and memory_scope_all_svm_devices for both"
                   : "shared virtual memory, or a program-scope variable, in place of the buffer");
}

/* Of the operation that is to have an order which it has not. */
static void say_order(bool apart, const struct missed_edge *edge, const char *order, enum memory_scope scope,
                      const char *where, struct words *words)
{
    snprintf(words->fix, CROSS_WHY_CHARS, "%s, %s %s%s", order,
             memory_scope_word(apart ? SCOPE_ALL_SVM : scope), where,
             apart && !edge->svm_atomics ? ", in " WIDE_MEMORY : "");
}

/* Their atomics on a buffer are those of one kernel and its children (3.3.5). */
static bool of_one_family(const struct cross_launch *cross, const struct race *race,
                          const struct shadow_access *now)
{
    return cross_family_of(&cross->members[member_of_unit(cross, race->unit)]) ==
           cross_family_of(&cross->members[member_of_unit(cross, now->unit_state->unit)]);
}

static void say_edge(const struct cross_launch *cross, const struct race *race,
                     const struct shadow_access *now, const struct missed_edge *edge, struct words *words)
{
    const bool apart = is_apart(cross, race, now);
    const uint32_t acquire_site = edge->acquire_site == UINT32_MAX ? edge->release_site : edge->acquire_site;
    const struct scopes scopes = {{edge->release_site, acquire_site},
                                  {edge->release_scope, order_scope(&cross->order, edge->acquire_scope,
                                                                    edge->local, edge->svm_atomics)},
                                  edge->svm_atomics};
    char release[160], acquire[160], what[400];
    say_place(cross, edge->release_site, release, sizeof release);
    say_place(cross, acquire_site, acquire, sizeof acquire);
    switch (edge->why) {
    case MISSED_SCOPE:
        if (edge->apart && !of_one_family(cross, race, now)) {
            snprintf(words->why, CROSS_WHY_CHARS,
                     "the release at %s does not reach the acquire at %s: " ONE_KERNELS, release, acquire);
            say_for_several(apart, words);
            break;
        }
        snprintf(what, sizeof what, "the release at %s does not reach the acquire at %s", release, acquire);
        say_scopes(cross, apart, &scopes, what, words);
        break;
    case MISSED_ACQUIRE:
        snprintf(words->why, CROSS_WHY_CHARS,
                 "the kernel of the second access took the value released at %s with a relaxed operation, "
                 "and no acquire fence followed",
                 release);
        say_order(apart, edge, "memory_order_acquire", edge->release_scope,
                  "for the atomic that reads it, or an acquire fence after that", words);
        break;
    case MISSED_RELEASE:
        snprintf(words->why, CROSS_WHY_CHARS,
                 "the store at %s is relaxed: what was done before it does not become visible with it",
                 release);
        snprintf(what, sizeof what, "at %s", release);
        say_order(apart, edge, "memory_order_release", edge->acquire_scope, what, words);
        break;
    default:
        snprintf(words->why, CROSS_WHY_CHARS,
                 "the release at %s orders one kind of memory, and these accesses are of another", release);
        snprintf(words->fix, CROSS_WHY_CHARS, "fences of all memory that is to be ordered, on both sides");
    }
}

static bool is_reading_side(uint64_t offset_bytes)
{
    return offset_bytes >= offsetof(struct pipe, read) &&
           offset_bytes < offsetof(struct pipe, read) + sizeof(struct pipe_side);
}

static void explain(const struct cross_launch *cross, const struct race *race,
                    const struct shadow_access *now, struct words *words)
{
    static const char otherwise[] =
        "; or, if neither kernel waits for the other in its atomic operations, order the two by an event";
    const struct member *earlier = &cross->members[member_of_unit(cross, race->unit)];
    struct missed_edge edge;
    const bool atomics =
        race->context->kind > ACCESS_WRITE && now->how.kind > ACCESS_WRITE && !race->region->alone;
    if (atomics && race->region->apart && !of_one_family(cross, race, now)) {
        snprintf(words->why, CROSS_WHY_CHARS,
                 "nothing orders the two atomic operations, and they race: " ONE_KERNELS);
        say_for_several(is_apart(cross, race, now), words);
    } else if (atomics) {
        const struct scopes scopes = {
            {race->context->site, now->how.site},
            {(enum memory_scope)race->context->scope, (enum memory_scope)now->how.scope},
            race->region->svm_atomics};
        say_scopes(cross, is_apart(cross, race, now), &scopes,
                   "nothing orders the two atomic operations, and they race", words);
    } else if (order_explain(&cross->order, now->unit_state, race->region->space, race->unit,
                             race->context->clock, &edge)) {
        say_edge(cross, race, now, &edge, words);
    } else if (earlier->predecessor || !earlier->kernel[0]) {
        snprintf(words->why, CROSS_WHY_CHARS,
                 "the kernel of the second access acquires nothing before it that a kernel after the first "
                 "command released: "
                 "atomic operations order only what comes before a release with what comes after the acquire "
                 "that reads it");
        snprintf(words->fix, CROSS_WHY_CHARS,
                 "put the second access after the acquire that reads what was released");
    } else {
        snprintf(words->why, CROSS_WHY_CHARS,
                 "the kernel of the second access acquires nothing before it that the kernel of the first "
                 "one released after its own: "
                 "their atomic operations order only what comes before a release with what comes after the "
                 "acquire that reads it");
        snprintf(words->fix, CROSS_WHY_CHARS,
                 "put the first access before a release by its kernel, and the second after the acquire that "
                 "reads what was released");
    }
    if (race->unit >= UNIT_COPIES)
        snprintf(words->fix, CROSS_WHY_CHARS,
                 "wait for the asynchronous copy (wait_group_events) before a release by its kernel, and put "
                 "the second access after the "
                 "acquire that reads what was released");
    if (race->region->alone)
        wording_one_at_a_time(is_reading_side(race->address - race->region->low), words->why,
                              CROSS_WHY_CHARS);
    const size_t used = strlen(words->fix);
    snprintf(words->fix + used, CROSS_WHY_CHARS - used, "%s", otherwise);
}

/* ---- races ---------------------------------------------------------------------------------- */

static void name_argument(const struct cross_launch *cross, const struct race *race, uint64_t unit,
                          char out[CROSS_ARGUMENT_CHARS])
{
    const struct member *member = &cross->members[member_of_unit(cross, unit)];
    const struct launch_info *launch = member->launch;
    out[0] = '\0';
    if (launch && launch->argument &&
        !launch->argument(launch, race->region->low, race->region->high, out, CROSS_ARGUMENT_CHARS))
        out[0] = '\0';
    for (uint32_t i = 0; !launch && i < member->passed_count; i++)
        if (member->passed[i].region_id == race->region->id)
            memcpy(out, member->passed[i].name, CROSS_ARGUMENT_CHARS);
}

static bool is_not_ours(const struct cross_launch *cross, const struct race *race,
                        const struct shadow_access *now, uint32_t earlier, uint32_t later)
{
    if (earlier == later || cross_failed(cross))
        return true;
    return memory_region(cross->memory, race->address)->flags & REGION_FLAG_SHARED &&
           cross_was_reported(cross, now->unit_state, race->unit, race->context->clock);
}

static enum cross_what what_of(const struct cross_launch *cross, const struct race *race)
{
    if (race->region->alone)
        return CROSS_PACKETS;
    return memory_region(cross->memory, race->address)->flags & REGION_FLAG_SHARED ? CROSS_FINE_MEMORY
                                                                                   : CROSS_MEMORY;
}

void cross_on_race(void *self, const struct race *race, const struct shadow_access *now)
{
    struct cross_launch *cross = self;
    const uint32_t earlier = member_of_unit(cross, race->unit),
                   later = member_of_unit(cross, now->unit_state->unit);
    if (is_not_ours(cross, race, now, earlier, later))
        return;
    for (uint32_t i = 0; i < cross->found_count; i++) {
        struct found *found = &cross->found[i];
        if (found->site[0] == race->context->site && found->site[1] == now->how.site &&
            found->region_id == race->region->id) {
            found->count++;
            return;
        }
    }
    if (!cross_room_for((void **)&cross->found, cross->found_count, &cross->found_room,
                        sizeof *cross->found)) {
        cross->shadow.failed = true;
        return;
    }
    struct found *found = &cross->found[cross->found_count++];
    *found = (struct found){.site = {race->context->site, now->how.site},
                            .region_id = race->region->id,
                            .unit = {race->unit, now->unit_state->unit},
                            .how = {*race->context, now->how},
                            .offset_bytes = race->address - race->region->low,
                            .count = 1};
    wording_region(memory_region(cross->memory, race->address), found->object, sizeof found->object);
    name_argument(cross, race, race->unit, found->argument[0]);
    name_argument(cross, race, now->unit_state->unit, found->argument[1]);
    explain(cross, race, now, &found->words);
    found->what = what_of(cross, race);
    found->in_any_case =
        found->what != CROSS_PACKETS && race->context->kind > ACCESS_WRITE && now->how.kind > ACCESS_WRITE &&
        (cross_is_guaranteed(memory_region(cross->memory, race->address)) ||
         cross_family_of(&cross->members[earlier]) == cross_family_of(&cross->members[later]));
}

/* ---- reports -------------------------------------------------------------------------------- */

static void fill_side(const struct cross_launch *cross, const struct found *found, int i,
                      struct cross_side *side)
{
    const struct member *member = &cross->members[member_of_unit(cross, found->unit[i])];
    const bool copy = found->unit[i] >= UNIT_COPIES;
    const uint64_t group =
        order_unit_group(&cross->order, found->unit[i]) - cross_order_of(cross, member)->first_group;
    const uint64_t local = copy ? 0 : found->unit[i] % cross->order.group_items;
    *side = (struct cross_side){.command = member->command,
                                .launch = member->shape.launch,
                                .device = member->shape.device,
                                .kernel = member->kernel[0] ? member->kernel : NULL,
                                .argument = found->argument[i],
                                .copy = copy,
                                .whole = member->predecessor,
                                .site = cross->sites[found->site[i]].own,
                                .place = place_of(cross, found->site[i]),
                                .kind = (enum access_kind)found->how[i].kind,
                                .order = (enum memory_ordering)found->how[i].order,
                                .scope = (enum memory_scope)found->how[i].scope,
                                .size_bytes = found->how[i].size,
                                .packets = found->what != CROSS_PACKETS           ? NULL
                                           : is_reading_side(found->offset_bytes) ? "reading of packets"
                                                                                  : "writing of packets"};
    race_launch_item(&member->shape, group, local, &side->item);
    side->item.sub_group = (uint32_t)(local / cross_order_of(cross, member)->sub_group_size);
}

static void report(const struct cross_launch *cross, const struct found *found,
                   const struct cross_hearer *hearer)
{
    struct cross_race race = {.object = found->object,
                              .why = found->words.why,
                              .fix = found->words.fix,
                              .offset_bytes = found->offset_bytes,
                              .count = found->count,
                              .by_scope = found->in_any_case,
                              .reads_packets = is_reading_side(found->offset_bytes)};
    fill_side(cross, found, 0, &race.side[0]);
    fill_side(cross, found, 1, &race.side[1]);
    hearer->report(hearer->self, &race);
}

static bool is_of(const struct member *member, uint32_t command, uint32_t family)
{
    return family ? cross_family_of(member) == family : member->command == command;
}

static bool is_followed(const struct cross_launch *cross, uint32_t command)
{
    bool checked = false;
    for (uint32_t i = 1; i < cross->member_count; i++) {
        const struct member *member = &cross->members[i];
        if (member->command != command)
            continue;
        if (member->partial)
            return false;
        checked = true;
    }
    return checked;
}

static bool are_followed(const struct cross_launch *cross, uint32_t a, uint32_t b)
{
    return !cross_failed(cross) && is_followed(cross, a) && is_followed(cross, b);
}

static bool same_place(const struct cross_launch *cross, uint32_t a, uint32_t b)
{
    const struct source_place first = place_of(cross, a), second = place_of(cross, b);
    return first.file && second.file && first.line == second.line && first.column == second.column &&
           strcmp(first.file, second.file) == 0;
}

static bool is_like(const struct cross_launch *cross, const struct found *a, const struct found *b)
{
    for (int i = 0; i < 2; i++)
        if (member_of_unit(cross, a->unit[i]) != member_of_unit(cross, b->unit[i]) ||
            !same_place(cross, a->site[i], b->site[i]))
            return false;
    return a->region_id == b->region_id && a->in_any_case == b->in_any_case;
}

/* The conflicts of others of the same two places of the source are reported with the first. */
static void gather_like(struct cross_launch *cross, uint32_t first)
{
    struct found *found = &cross->found[first];
    uint32_t kept = first + 1;
    for (uint32_t i = first + 1; i < cross->found_count; i++)
        if (is_like(cross, found, &cross->found[i]))
            found->count += cross->found[i].count;
        else
            cross->found[kept++] = cross->found[i];
    cross->found_count = kept;
}

/* At its end atomics count as having ordered the launches that they may have ordered; that is later for
 * kernels that enqueued others. */
static bool is_under_way(const struct cross_launch *cross, const struct member *member, uint32_t ending)
{
    return member->command != ending && command_graph_under_way(cross->graph, member->command);
}

/* Of a command and others, or within one family. */
static void report_all(struct cross_launch *cross, uint32_t command, uint32_t family,
                       const struct cross_hearer *hearer)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < cross->found_count; i++) {
        struct found *found = &cross->found[i];
        const struct member *a = &cross->members[member_of_unit(cross, found->unit[0])],
                            *b = &cross->members[member_of_unit(cross, found->unit[1])];
        const bool within = cross_family_of(a) == cross_family_of(b);
        const bool under_way =
            a->launch || b->launch ||
            (!within && (is_under_way(cross, a, command) || is_under_way(cross, b, command)));
        if (under_way || within != (family != 0) ||
            (!is_of(a, command, family) && !is_of(b, command, family))) {
            cross->found[kept++] = *found;
            continue;
        }
        gather_like(cross, i);
        if (found->in_any_case || (!family && are_followed(cross, a->command, b->command)) ||
            hearer->counts_as_ordered(hearer->self, family ? a->shape.launch : a->command,
                                      family ? b->shape.launch : b->command, found->what))
            report(cross, found, hearer);
    }
    cross->found_count = kept;
}

void cross_launch_end_command(struct cross_launch *cross, uint32_t command, const struct cross_hearer *hearer)
{
    pthread_mutex_lock(&cross->lock);
    cross_end_moves(cross, command);
    report_all(cross, command, 0, hearer);
    pthread_mutex_unlock(&cross->lock);
}

bool cross_launch_judges(struct cross_launch *cross, uint32_t a, uint32_t b)
{
    pthread_mutex_lock(&cross->lock);
    const bool judges = are_followed(cross, a, b);
    pthread_mutex_unlock(&cross->lock);
    return judges;
}

bool cross_launch_blind(struct cross_launch *cross)
{
    pthread_mutex_lock(&cross->lock);
    const bool is_blind = cross_failed(cross);
    pthread_mutex_unlock(&cross->lock);
    return is_blind;
}

void cross_launch_end_family(struct cross_launch *cross, uint32_t family, const struct cross_hearer *hearer)
{
    pthread_mutex_lock(&cross->lock);
    report_all(cross, 0, family, hearer);
    cross_forget_unchecked(cross, family);
    /* not announced: the host has it complete */
    if (cross->member_count && !cross_is_announced(cross, &cross->members[cross->member_count - 1]))
        cross_reset(cross);
    pthread_mutex_unlock(&cross->lock);
}

void cross_launch_finding(const struct cross_race *race, struct finding *out_finding)
{
    *out_finding = (struct finding){
        .kind = FINDING_RACE_COMMANDS,
        .kernel = race->side[1].kernel ? race->side[1].kernel : race->side[0].kernel,
        .object = race->object,
        .has_offset = !race->side[0].packets,
        .offset_bytes = race->side[0].packets ? 0 : race->offset_bytes,
        .access_count = 2,
        .why = race->why,
        .fix = race->fix,
        .count = race->count,
        .spec = race->side[0].packets ? "OpenCL 2.2 API, glossary, pipe" : "OpenCL 2.2 API, 3.3.6 data race"};
    for (int i = 0; i < 2; i++) {
        const struct cross_side *from = &race->side[i];
        const bool atomic = from->kind > ACCESS_WRITE && !from->packets;
        out_finding->access[i] =
            (struct finding_access){.kind = from->packets ? ACCESS_WRITE : from->kind,
                                    .device_id = from->device,
                                    .place = from->place,
                                    .has_item = from->kernel && !from->copy && !from->whole,
                                    .item = from->item,
                                    .has_order = atomic,
                                    .order = from->order,
                                    .scope = from->scope,
                                    .size_bytes = from->packets ? 0 : from->size_bytes,
                                    .what = from->packets               ? from->packets
                                            : atomic                    ? "atomic access"
                                            : from->kind == ACCESS_READ ? "read"
                                                                        : "write"};
    }
}

void cross_launch_action(const struct cross_side *side, char *out_text, size_t size)
{
    const char *what = side->packets               ? side->packets
                       : side->kind > ACCESS_WRITE ? "atomic access"
                       : side->kind == ACCESS_READ ? "read"
                                                   : "write";
    const uint64_t *group = side->item.group_id;
    if (side->copy)
        snprintf(out_text, size,
                 "%s by an asynchronous copy of work-group (%" PRIu64 ",%" PRIu64 ",%" PRIu64 ")", what,
                 group[0], group[1], group[2]);
    else
        snprintf(out_text, size, "%s by a kernel", what);
}

bool cross_launch_left_out(const struct cross_race *race, const struct scenario *scenario)
{
    bool left_out = false;
    for (int i = 0; i < 2; i++) {
        const struct cross_side *side = &race->side[i];
        left_out |= side->kernel && scenario_leaves_out(scenario, side->kernel, side->launch) != LEFT_OUT_NOT;
    }
    return left_out;
}
