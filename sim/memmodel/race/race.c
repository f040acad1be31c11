/* SPDX-License-Identifier: Apache-2.0 */
/* Pairs of racing instructions, hashed by their sites. The first race of a pair is explained and reported at
 * the end of the event, before memory and order change; later ones are counted, and test whether the
 * suggested fix covers them. Pairs at the same two places of the source (the load and the store of x++) have
 * one representative, which is reported. */
#include "race.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "orrery/checked.h"
#include "race_why.h"

/* ---- units ---------------------------------------------------------------------------- */

static uint64_t group_extent(const struct launch_info *info, uint64_t group, int dimension)
{
    uint64_t left = info->global_size[dimension] - group * info->local_size[dimension];
    return left < info->local_size[dimension] ? left : info->local_size[dimension];
}

void race_launch_item(const struct launch_info *info, uint64_t group, uint64_t local, struct item *out_item)
{
    const uint64_t *count = info->group_count;
    memset(out_item, 0, sizeof *out_item);
    out_item->group_linear = group;
    out_item->local_linear = local;
    out_item->group_id[0] = group % count[0];
    out_item->group_id[1] = group / count[0] % count[1];
    out_item->group_id[2] = group / count[0] / count[1];
    for (int i = 0; i < 3; i++) {
        uint64_t extent = group_extent(info, out_item->group_id[i], i);
        out_item->local_id[i] = local % extent;
        local /= extent;
        out_item->global_id[i] =
            out_item->group_id[i] * info->local_size[i] + out_item->local_id[i] + info->global_offset[i];
    }
}

void race_item(const struct races *races, uint64_t unit, struct item *out_item)
{
    const uint64_t group = order_unit_group(races->order, unit), local = unit % races->order->group_items;
    race_launch_item(races->launch, group, local, out_item);
    out_item->sub_group = (uint32_t)(local / races->order->sub_group_size);
    out_item->compute_unit = races->compute_units ? races->compute_units[group] : 0;
}

/* ---- what ------------------------------------------------------------------------------- */

static const char *order_word(uint8_t order)
{
    static const char *const words[] = {"relaxed", "acquire", "release", "acq_rel", "seq_cst"};
    return words[order];
}

enum memory_scope race_scope(const struct races *races, uint32_t site, enum memory_scope counts)
{
    struct finding_access said = {.scope = counts};
    if (races->host->access)
        races->host->access(races->host->self, site, &said);
    return said.scope > counts ? said.scope : counts;
}

static void say_what(struct wording *text, const struct races *races, const struct access_context *how,
                     bool copy)
{
    if (copy) {
        wording_add(text, "%s by async_work_group_copy", how->kind == ACCESS_READ ? "load" : "store");
        return;
    }
    wording_add(text, "%s", races->host->what(races->host->self, how->site));
    if (how->kind >= ACCESS_ATOMIC_READ)
        wording_add(text, ", %s, ", order_word(how->order));
    if (how->kind >= ACCESS_ATOMIC_READ)
        wording_scope(text, race_scope(races, how->site, (enum memory_scope)how->scope),
                      (enum memory_scope)how->scope);
}

void races_access(const struct races *races, uint64_t unit, const struct access_context *how,
                  struct finding_access *access, struct wording *what, struct wording *by)
{
    bool copy = unit >= UNIT_COPIES;
    if (races->host->access)
        races->host->access(races->host->self, how->site, access);
    else
        races->host->place(races->host->self, how->site, &access->place);
    access->act = ACT_ACCESS;
    access->kind = (enum access_kind)how->kind;
    access->size_bytes = how->size;
    access->has_order = how->kind >= ACCESS_ATOMIC_READ;
    access->order = (enum memory_ordering)how->order;
    access->scope = race_scope(races, how->site, (enum memory_scope)how->scope);
    access->has_item = !copy;
    if (copy) {
        wording_add(by, "an asynchronous copy of ");
        wording_group(by, races->launch, order_unit_group(races->order, unit));
        access->by = by->bytes;
    } else {
        race_item(races, unit, &access->item);
    }
    say_what(what, races, how, copy);
    access->what = what->bytes;
}

/* ---- pairs ------------------------------------------------------------------------------------- */

static enum finding_kind kind_in(int space)
{
    return space == IN_LOCAL   ? FINDING_RACE_LOCAL
           : space == IN_IMAGE ? FINDING_RACE_IMAGE
                               : FINDING_RACE_GLOBAL;
}

static enum finding_kind kind_of(const struct race *race)
{
    return race->device_dirty ? FINDING_IMAGE_READ_AFTER_WRITE : kind_in(race->region->space);
}

/* The bytes that both accesses touch, from the address of the race on. The earlier access ends at the next
 * multiple of its size: past that, the same instruction may have touched the bytes in another iteration of a
 * loop. */
static uint64_t common_bytes(const struct race_unreported *unreported)
{
    const uint64_t bytes = unreported->end - unreported->race.address,
                   offset = unreported->race.address - unreported->race.region->low;
    const uint64_t earlier = unreported->context.size - offset % unreported->context.size,
                   later = unreported->now.address + unreported->now.how.size - unreported->race.address;
    const uint64_t least = earlier < later ? earlier : later;
    return bytes < least ? bytes : least;
}

/* A finding with its texts. */
struct reporting {
    struct finding finding;
    struct wording what[2], by[2];
    struct answer answer, *later; /* later: instead of it; NULL: nothing */
    char object[CHECKER_NAME_CHARS], element[CHECKER_NAME_CHARS];
    struct race_pair *pair;
    struct reporting *next;
};

static void name_element(const struct races *races, const struct race *race, struct finding *finding,
                         struct reporting *reporting)
{
    const struct checker_host *host = races->host;
    if (host->element && !race->region->of_host)
        host->element(host->self, race->address, finding_bytes(finding), reporting->element,
                      sizeof reporting->element);
    finding->element = reporting->element[0] ? reporting->element : NULL;
}

static void prepare(struct races *races, const struct race_event *under_way, struct race_pair *pair,
                    const struct race *race, const struct shadow_access *now, struct reporting *reporting)
{
    struct finding *finding = &pair->finding;
    *reporting = (struct reporting){.pair = pair};
    finding->kind = kind_of(race);
    finding->launch = races->launch->launch;
    finding->kernel = races->launch->kernel;
    finding->access_count = 2;
    finding->has_offset = !race->region->of_host;
    finding->offset_bytes = race->region->of_host ? 0 : race->address - race->region->low;
    finding->common_bytes = common_bytes(&pair->unreported);
    races->host->object(races->host->self, race->address, reporting->object, sizeof reporting->object);
    finding->object = reporting->object[0] ? reporting->object : NULL;
    races_access(races, race->unit, race->context, &finding->access[0], &reporting->what[0],
                 &reporting->by[0]);
    races_access(races, now->unit_state->unit, &now->how, &finding->access[1], &reporting->what[1],
                 &reporting->by[1]);
    name_element(races, race, finding, reporting);
    race_values(races->memory, under_way, !races->accompanied, race, now, pair->unreported.end, finding);
    race_why(&reporting->answer, races, pair, race, now);
    finding->spec = race->device_dirty
                        ? "OpenCL C 3.0, 6.15.15.1 reading and writing to the same image in a kernel"
                        : "OpenCL 2.2 API, 3.3.6 data race";
    finding->known = 1 + report_count(races->report);
    finding->event_number = report_event_number(races->report);
    reporting->finding = *finding;
    pair->object = finding->object ? strdup(finding->object) : NULL;
    finding->object = pair->object;
    finding->why = finding->fix = finding->element = NULL;
    finding->steps = NULL;
    finding->edges = NULL;
    finding->edits = NULL;
    finding->step_count = finding->edge_count = finding->edit_count = 0;
    for (int i = 0; i < 2; i++) {
        snprintf(pair->what[i], sizeof pair->what[i], "%.95s", reporting->what[i].bytes);
        finding->access[i].what = pair->what[i];
        snprintf(pair->by[i], sizeof pair->by[i], "%.119s", reporting->by[i].bytes);
        finding->access[i].by = finding->access[i].by ? pair->by[i] : NULL;
    }
}

/* ---- what waits for those that may follow from it ------------------------------------------ */

enum { HELD_MOST = HOSTILE(32, 2), ASKS_MOST = 1024 };

static void drop_instances(struct race_pair *pair)
{
    free(pair->instances);
    pair->instances = NULL;
    pair->instance_count = 0;
}

/* The fix was for two work-items of one work-group. By now other work-groups may have raced at the same
 * sites: an edit for all of these is searched. */
static void search_fix_for_groups(struct races *races, struct reporting *reporting)
{
    struct race_pair *pair = reporting->pair;
    reporting->later = pair->compact && pair->tried_edit_count ? malloc(sizeof *reporting->later) : NULL;
    if (reporting->later)
        race_why_all(reporting->later, races, pair, &reporting->finding);
    pair->compact = false;
}

/* At the end of the launch, for a pair whose cause was not found: the operation that the later access should
 * have waited for may have executed since. */
static void explain_again(struct races *races, struct reporting *reporting)
{
    struct race_pair *pair = reporting->pair;
    search_fix_for_groups(races, reporting);
    if (!pair->apart)
        return;
    if (race_why_later(&reporting->answer, races, pair)) {
        pair->finding.fix_orders = reporting->finding.fix_orders = true;
        race_why_edits(&reporting->answer, races, &reporting->finding);
    } else {
        drop_instances(pair);
    }
    pair->apart = false;
}

static void report_held(struct races *races)
{
    for (struct reporting *reporting = races->held, *next; reporting; reporting = next) {
        next = reporting->next;
        explain_again(races, reporting);
        report_add(races->report, &reporting->finding);
        free(reporting->later);
        free(reporting);
    }
    races->held = NULL;
    races->held_count = 0;
}

static bool only_reads(const struct finding_access *access)
{
    return access->kind == ACCESS_READ || access->kind == ACCESS_ATOMIC_READ;
}

/* The number of the access that may read what the other one stores; 2: neither. An update counts, as of a
 * lock. */
static int load_of(const struct finding_access access[2])
{
    const bool updates[2] = {access[0].kind == ACCESS_ATOMIC_UPDATE, access[1].kind == ACCESS_ATOMIC_UPDATE};
    if (only_reads(&access[0]) || only_reads(&access[1]))
        return only_reads(&access[0]) == only_reads(&access[1]) ? 2 : only_reads(&access[1]);
    return updates[0] == updates[1] ? 2 : updates[1];
}

/* A load that a branch depends on, and another unit's store. */
static bool may_be_flag(const struct races *races, const struct race_pair *pair)
{
    const struct finding_access *access = pair->finding.access;
    const int load = load_of(access);
    return load < 2 && access[0].size_bytes == 4 && access[1].size_bytes == 4 && access[0].has_item &&
           access[1].has_item &&
           (access[0].kind < ACCESS_ATOMIC_READ || access[1].kind < ACCESS_ATOMIC_READ) &&
           pair->counter.space != IN_IMAGE && !race_takes_barrier(pair) && races->host->controls_branch &&
           races->host->controls_branch(races->host->self, pair->counter.site[load]);
}

static bool is_of_flag(const struct race_pair *pair, const struct flag *flag)
{
    return counter_is_of(&pair->counter, flag->store, flag->load, flag->region, false);
}

/* Gives the race on a flag the fix that was found for a race that follows from it: that edit removes both. */
static void suggest_flag_fix(struct races *races, const struct reporting *follower)
{
    const struct flag *flag = &follower->pair->flag;
    struct reporting *reporting = races->held;
    while (reporting && !is_of_flag(reporting->pair, flag))
        reporting = reporting->next;
    if (!reporting)
        return;
    struct race_pair *pair = reporting->pair;
    struct finding *finding = &reporting->finding;
    reporting->answer.fix = follower->answer.fix;
    reporting->answer.rewrite_count = 0;
    race_why_edits(&reporting->answer, races, finding);
    pair->finding.fix_orders = finding->fix_orders = true;
    pair->finding.blamed_count = finding->blamed_count = follower->finding.blamed_count;
    memcpy(finding->blamed, follower->finding.blamed, sizeof finding->blamed);
    pair->suggested_fix = (struct suggested_fix){.kind = FIX_ATOMIC, .scope = flag->scope};
    pair->tried_edit_count = 0;
    pair->not_covered = false;
    for (uint32_t i = 0; i < pair->instance_count; i++)
        pair->not_covered |=
            !explain_fix_covers(races->launch, races->order->rule, &pair->suggested_fix,
                                pair->instances[i].first.unit, pair->instances[i].second.unit);
}

static void report_pair(struct races *races, const struct race_event *under_way, struct race_pair *pair,
                        const struct race *race, const struct shadow_access *now)
{
    struct reporting spare, *reporting = malloc(sizeof *reporting);
    const bool own = !reporting;
    reporting = own ? &spare : reporting;
    prepare(races, under_way, pair, race, now, reporting);
    if (pair->follows)
        suggest_flag_fix(races, reporting);
    if (pair->follows || own || races->held_count == HELD_MOST)
        report_held(races);
    pair->asks = may_be_flag(races, pair);
    if (!own && !pair->follows && (races->held || pair->asks || pair->apart || pair->compact)) {
        *(races->held ? races->held_end : &races->held) = reporting;
        races->held_end = &reporting->next;
        races->held_count++;
        return;
    }
    pair->apart = pair->compact = false;
    report_add(races->report, &reporting->finding);
    if (!own)
        free(reporting);
}

/* A suppression may name an object, and then does not hide races of the same sites on another. */
static bool is_suppressed(const struct races *races, const struct race *race, uint32_t later)
{
    char object[CHECKER_NAME_CHARS] = "";
    struct finding finding = {.kind = kind_of(race), .kernel = races->launch->kernel, .access_count = 2};
    races->host->object(races->host->self, race->address, object, sizeof object);
    finding.object = object[0] ? object : NULL;
    races->host->place(races->host->self, race->context->site, &finding.access[0].place);
    races->host->place(races->host->self, later, &finding.access[1].place);
    return report_suppresses(races->report, &finding);
}

static bool is_hidden(const struct races *races, const struct race *race, uint32_t later)
{
    return races->by_object && is_suppressed(races, race, later);
}

static struct race_pair *find_pair(struct races *races, uint32_t a, uint32_t b, const struct race *race,
                                   bool hidden)
{
    const uint32_t slot = counter_slot(a, b);
    struct race_pair *pair = races->by_sites[slot];
    while (pair && !(pair->hidden == hidden &&
                     counter_is_of(&pair->counter, a, b, race->region->space, race->device_dirty)))
        pair = pair->next_there;
    if (pair && !races->by_object) /* the shadow's counters do not distinguish objects */
        races->recent[slot] = &pair->counter;
    return pair;
}

/* An older pair at the same two places of the source, in either order; NULL: none. */
static struct race_pair *find_representative(const struct races *races, const struct race_pair *pair)
{
    struct race_pair *other = pair->next;
    for (; other; other = other->next)
        if (!other->like && other->hidden == pair->hidden && other->counter.space == pair->counter.space &&
            other->counter.device_dirty == pair->counter.device_dirty &&
            ((race_same_place(races, other->counter.site[0], pair->counter.site[0]) &&
              race_same_place(races, other->counter.site[1], pair->counter.site[1])) ||
             (race_same_place(races, other->counter.site[0], pair->counter.site[1]) &&
              race_same_place(races, other->counter.site[1], pair->counter.site[0]))))
            break;
    return other;
}

void races_begin(struct races *races, const struct launch_info *launch)
{
    races->launch = launch;
    races->explaining = 0;
    races->by_object = report_suppresses_objects(races->report);
    races->accompanied = false;
    races->flag_reads.count = races->flag_reads.next = 0;
    races->flag_reads.lost = false;
    races->locks.count = 0;
}

static bool may_be_passing(const struct races *races, const struct race *race,
                           const struct shadow_access *now)
{
    const struct access_context *store = race->context, *load = &now->how;
    /* of an atomic store the sync log has the unit that read its value */
    const bool latest = race->in_memory || store->kind > ACCESS_WRITE;
    return latest && store->size == 4 && load->size == 4 && race->address == now->address &&
           race->bytes == 4 && store->kind != ACCESS_READ && store->kind != ACCESS_ATOMIC_READ &&
           load->kind != ACCESS_WRITE && load->kind != ACCESS_ATOMIC_WRITE &&
           (store->kind == ACCESS_WRITE || load->kind == ACCESS_READ) && race->unit < UNIT_COPIES &&
           !now->unit_state->copy && !race->device_dirty && race->region->space != IN_IMAGE &&
           races->host->controls_branch && races->host->controls_branch(races->host->self, load->site);
}

/* Records that the load may have read the store's value and that a branch depends on it, for races on
 * flags. */
static void record_passing(struct races *races, const struct race *race, const struct shadow_access *now,
                           uint64_t time)
{
    struct flag_reads *flag_reads = &races->flag_reads;
    flag_reads->lost |=
        race->region->incomplete; /* the origin of the value in memory is not known any more */
    if (!may_be_passing(races, race, now))
        return;
    flag_reads->lost |= flag_reads->count == FLAG_READS_MOST;
    flag_reads->items[flag_reads->next] = (struct flag_read){
        .store = race_asked(race->unit, race->context),
        .load = race_asked(now->unit_state->unit, &now->how),
        .region = race->region->space,
        .address = race->address,
        .end = races->order->sync_log->count,
        .when = time,
        .order = {(enum memory_ordering)race->context->order, (enum memory_ordering)now->how.order}};
    flag_reads->next = (flag_reads->next + 1) % FLAG_READS_MOST;
    flag_reads->count += flag_reads->count < FLAG_READS_MOST;
}

enum {
    INSTANCES_FIRST = RACE_INSTANCES_MOST / 2,
    INSTANCES_REVERSED = RACE_INSTANCES_MOST / 4,
    INSTANCES_ASKED = 1 << 16
};

static bool wants_instance(struct race_pair *pair, const struct race *race)
{
    if (pair->instance_count < INSTANCES_FIRST)
        return true;
    if (race->context->site != pair->instances[0].first.site && pair->reversed_count < INSTANCES_REVERSED) {
        pair->reversed_count++;
        return true;
    }
    if (pair->seen < pair->next_instance)
        return false;
    pair->next_instance = 2 * pair->seen;
    return true;
}

static bool wants_no_instance(const struct race_pair *pair)
{
    return !pair->instances || pair->instance_count == RACE_INSTANCES_MOST || pair->seen >= INSTANCES_ASKED;
}

static void add_pair(const struct races *races, struct race_pair *pair, const struct race *race,
                     const struct shadow_access *now, uint64_t time)
{
    if (wants_no_instance(pair) || !wants_instance(pair, race))
        return;
    CHECKED(pair->instance_count < RACE_INSTANCES_MOST);
    pair->instances[pair->instance_count++] =
        (struct race_instance){.first = race_asked(race->unit, race->context),
                               .second = race_asked(now->unit_state->unit, &now->how),
                               .end = races->order->sync_log->count,
                               .when = time};
}

static bool in_one_wave(const struct races *races, uint64_t a, uint64_t b)
{
    return a - races->wave.first < races->wave.count && b - races->wave.first < races->wave.count;
}

/* Does the later access belong to the next iteration of a loop? It does if the earlier access is the second
 * in the code and a barrier of the work-group was between. The suggested barrier separates accesses of one
 * iteration only. */
static bool is_of_next_iteration(const struct races *races, const struct race_pair *pair,
                                 const struct race *race, const struct shadow_access *now)
{
    const struct group_order *group = now->unit_state->group;
    const uint32_t first_in_code = pair->counter.site[pair->suggested_fix.place.first];
    return (pair->suggested_fix.kind == FIX_BARRIER || pair->suggested_fix.kind == FIX_ITERATION) &&
           pair->counter.site[0] != pair->counter.site[1] && group &&
           group->number == order_unit_group(races->order, race->unit) &&
           race->context->clock < group->joint &&
           /* not the same instruction: the load and the store of x++ are one place */
           !race_same_place(races, race->context->site, first_in_code);
}

/* Tests for each later race of the pair whether the suggested fix covers it. */
static void test_fix(const struct races *races, struct race_pair *pair, const struct race *race,
                     const struct shadow_access *now)
{
    if (is_of_next_iteration(races, pair, race, now))
        pair->not_covered = true;
    if (pair->suggested_fix.kind == FIX_WAIT &&
        order_unit_group(races->order, race->unit) != now->unit_state->place.group)
        pair->not_covered = true;
    if (pair->suggested_fix.kind != FIX_NONE && !pair->not_covered)
        pair->not_covered = !explain_fix_covers(races->launch, races->order->rule, &pair->suggested_fix,
                                                race->unit, now->unit_state->unit);
}

/* Are these two insertions at the same place of the source? */
static bool is_same_insertion(const struct races *races, const struct code_place *a,
                              const struct code_place *b)
{
    return a->before == b->before && a->line == b->line && race_same_place(races, a->site, b->site);
}

static bool fix_covers_iterations(const struct races *races, const struct race_pair *pair,
                                  const struct suggested_fix *suggested_fix)
{
    struct code_place places[2];
    return races->host->each_iteration(races->host->self, pair->counter.site[0], pair->counter.site[1],
                                       places) &&
           is_same_insertion(races, &places[0], &suggested_fix->place) &&
           is_same_insertion(races, &places[1], &suggested_fix->next);
}

/* Is the suggested barrier in the loop also between these two sites, in one of the two orders? */
static bool fix_covers_iteration(const struct races *races, const struct race_pair *pair,
                                 const struct suggested_fix *suggested_fix)
{
    const struct checker_host *host = races->host;
    const uint32_t *site = pair->counter.site, *other = pair->like->counter.site;
    struct code_place place;
    for (int swapped = 0; swapped < 2; swapped++) {
        const uint32_t a = site[swapped], b = site[!swapped];
        if (suggested_fix->kind == FIX_ITERATION
                ? host->in_iteration(host->self, a, b, suggested_fix->since, &place)
                : host->next_iteration(host->self, a, b, &place))
            return is_same_insertion(races, &place, &suggested_fix->place);
    }
    return suggested_fix->kind == FIX_NEXT_ITERATION && site[0] == site[1] &&
           (site[0] == other[0] || site[0] == other[1]);
}

/* One site is in the loop and the other after it: does the barrier of the last iteration separate them? */
static bool fix_covers_last_iteration(const struct races *races, const struct race_pair *pair,
                                      const struct suggested_fix *suggested_fix)
{
    const struct checker_host *host = races->host;
    const uint32_t *site = pair->counter.site;
    return host->last_iteration &&
           (host->last_iteration(host->self, site[0], &suggested_fix->place, site[1]) ||
            host->last_iteration(host->self, site[1], &suggested_fix->place, site[0]));
}

/* Do release and acquire of the fix separate these two sites, too? */
static bool fix_covers_release(const struct races *races, const struct race_pair *pair,
                               const struct suggested_fix *suggested_fix)
{
    const struct checker_host *host = races->host;
    const bool sends = suggested_fix->release_site != NO_END, takes = suggested_fix->acquire_site != NO_END;
    struct code_place place;
    return (!sends ||
            (host->between(host->self, pair->counter.site[0], suggested_fix->release_site, &place) &&
             is_same_insertion(races, &place, &suggested_fix->place))) &&
           (!takes ||
            (host->between(host->self, suggested_fix->acquire_site, pair->counter.site[1], &place) &&
             is_same_insertion(races, &place, sends ? &suggested_fix->next : &suggested_fix->place)));
}

/* Tests a wait for an asynchronous copy on the recorded races of the pair: it orders within a work-group
 * only. */
static void test_fix_on_instances(const struct races *races, struct race_pair *pair)
{
    for (uint32_t i = 0; pair->suggested_fix.kind == FIX_WAIT && i < pair->instance_count; i++)
        pair->not_covered |= order_unit_group(races->order, pair->instances[i].first.unit) !=
                             order_unit_group(races->order, pair->instances[i].second.unit);
}

static void test_fix_on_pair(const struct races *races, const struct race_pair *pair)
{
    const struct suggested_fix *suggested_fix = &pair->like->suggested_fix;
    struct code_place place;
    if (suggested_fix->kind == FIX_ITERATIONS) {
        pair->like->not_covered |= !fix_covers_iterations(races, pair, suggested_fix);
        return;
    }
    if (suggested_fix->kind == FIX_RELEASE_CLOCK) {
        pair->like->not_covered |= !fix_covers_release(races, pair, suggested_fix);
        return;
    }
    if (suggested_fix->kind == FIX_ITERATION || suggested_fix->kind == FIX_NEXT_ITERATION) {
        pair->like->not_covered |= !fix_covers_iteration(races, pair, suggested_fix) &&
                                   !fix_covers_last_iteration(races, pair, suggested_fix);
        return;
    }
    if ((suggested_fix->kind != FIX_BARRIER && suggested_fix->kind != FIX_SPLIT) || pair->like->not_covered)
        return;
    pair->like->not_covered =
        !races->host->between(races->host->self, pair->counter.site[0], pair->counter.site[1], &place) ||
        !is_same_insertion(races, &place, &suggested_fix->place);
}

/* If a unit spins on the load before it reaches the store, the two are of a lock: only the lock's owner
 * reaches the store. */
static void record_lock(struct races *races, const struct access_context *load,
                        const struct access_context *store)
{
    const struct checker_host *host = races->host;
    struct locks *locks = &races->locks;
    const bool reads = load->kind != ACCESS_WRITE && load->kind != ACCESS_ATOMIC_WRITE;
    const bool writes = store->kind != ACCESS_READ && store->kind != ACCESS_ATOMIC_READ;
    if (reads && writes && locks->count < LOCKS_MOST && host->spins_on &&
        host->spins_on(host->self, load->site, store->site))
        locks->items[locks->count++] = (struct lock){load->site, store->site};
}

static struct race_pair *new_pair(struct races *races, const struct race *race,
                                  const struct shadow_access *now, bool hidden)
{
    struct race_pair *pair = calloc(1, sizeof *pair);
    if (!pair || !(pair->instances = calloc(RACE_INSTANCES_MOST, sizeof *pair->instances))) {
        free(pair);
        races->failed = true;
        return NULL;
    }
    pair->counter.site[0] = race->context->site;
    pair->counter.site[1] = now->how.site;
    pair->counter.space = race->region->space;
    pair->svm_atomics = race->region->svm_atomics;
    pair->hidden = hidden;
    pair->counter.device_dirty = race->device_dirty;
    pair->unreported = (struct race_unreported){*race, *race->context, *now, now->unit_state->unit,
                                                race->address + race->bytes};
    pair->next = races->pairs;
    races->pairs = pair;
    struct race_pair **there = &races->by_sites[counter_slot(pair->counter.site[0], pair->counter.site[1])];
    pair->next_there = *there;
    *there = pair;
    record_lock(races, race->context, &now->how);
    record_lock(races, &now->how, race->context);
    pair->like = find_representative(races, pair);
    if (pair->like) {
        drop_instances(pair);
        return pair;
    }
    *(races->unreported_pairs ? races->unreported_end : &races->unreported_pairs) = pair;
    races->unreported_end = &pair->next_unreported;
    return pair;
}

bool races_explain(struct races *races, const struct race *race, const struct shadow_access *now,
                   struct answer *out_answer)
{
    struct wording texts[4] = {{.used = 0}};
    struct race_pair *pair = calloc(1, sizeof *pair);
    if (!pair || !(pair->instances = calloc(1, sizeof *pair->instances))) {
        free(pair);
        return false;
    }
    pair->counter.site[0] = race->context->site;
    pair->counter.site[1] = now->how.site;
    pair->counter.space = race->region->space;
    pair->counter.device_dirty = race->device_dirty;
    pair->svm_atomics = race->region->svm_atomics;
    add_pair(races, pair, race, now, 0);
    races_access(races, race->unit, race->context, &pair->finding.access[0], &texts[0], &texts[1]);
    races_access(races, now->unit_state->unit, &now->how, &pair->finding.access[1], &texts[2], &texts[3]);
    race_why(out_answer, races, pair, race, now);
    free(pair->instances);
    free(pair);
    return true;
}

/* Is this race the same pair of accesses at the next bytes? Then the unreported race becomes longer. */
static bool continues(const struct race_pair *pair, const struct race *race, const struct shadow_access *now)
{
    return pair->unreported.race.region == race->region && pair->unreported.end == race->address &&
           pair->unreported.race.unit == race->unit && pair->unreported.unit == now->unit_state->unit &&
           pair->unreported.now.address == now->address;
}

static void continue_unreported(struct race_unreported *unreported, const struct race *race)
{
    unreported->end += race->bytes;
    unreported->race.in_memory &= race->in_memory;
}

/* The fix is tested on each of the first FIX_ASKED races and on one in FIX_SAMPLE of the later ones: a prime,
 * so that it has no common period with lanes or with the accesses that a cell keeps. */
enum { FIX_ASKED = HOSTILE(4096, 64), FIX_SAMPLE = 61 };

/* Decides whether the shadow may count further races of the pair by itself, and up to which count. It may
 * once another race cannot change the report of `main`, the representative. */
static void allow_counting(const struct races *races, struct race_pair *pair, const struct race_pair *main)
{
    struct race_counter *counter = &pair->counter;
    const bool sure = main->suggested_fix.kind == FIX_NONE || main->not_covered ||
                      explain_covers_all(races->launch, counter->space == IN_LOCAL, &main->suggested_fix);
    counter->saturated = main->reported && (!main->asks || main->seen >= ASKS_MOST) &&
                         wants_no_instance(main) && (sure || main->seen >= FIX_ASKED);
    counter->look = sure ? UINT64_MAX : counter->count + FIX_SAMPLE;
}

void races_add(struct races *races, const struct race *race, const struct shadow_access *now, uint64_t time)
{
    const bool hidden = is_hidden(races, race, now->how.site);
    struct race_pair *pair = find_pair(races, race->context->site, now->how.site, race, hidden);
    record_passing(races, race, now, time);
    if (!pair && !(pair = new_pair(races, race, now, hidden)))
        return;
    struct race_pair *main = pair->like ? pair->like : pair;
    const struct counted earlier = {race->unit, context_begin(race->context, race->address),
                                    race->context->clock};
    const bool counted =
        now->how.size > race->bytes && counter_has(&pair->counter, &earlier, now->unit_state->unit, time);
    if (!pair->like && pair->seen && continues(pair, race, now))
        continue_unreported(&pair->unreported, race);
    pair->counter.uncounted |= race->region->thinned;
    if (counted)
        return;
    pair->counter.count++;
    main->seen++;
    if (!pair->like || main->tried_edit_count)
        add_pair(races, main, race, now, time);
    test_fix(races, main, race, now);
    allow_counting(races, pair, main);
    /* the shadow does not pass them on any more */
    races->flag_reads.lost |= pair->asks && pair->counter.saturated;
}

void races_report(struct races *races, const struct race_event *under_way)
{
    struct race_pair *next = races->unreported_pairs;
    races->unreported_pairs = NULL;
    for (struct race_pair *pair = next; pair; pair = next) {
        struct unit_state unit_state;
        next = pair->next_unreported;
        pair->unreported.race.context = &pair->unreported.context;
        pair->unreported.now.unit_state = &unit_state;
        order_unit_state(races->order, pair->unreported.unit, &unit_state);
        pair->one_wave = under_way->event && !under_way->event->origin.parted &&
                         in_one_wave(races, pair->unreported.race.unit, pair->unreported.unit);
        report_pair(races, under_way, pair, &pair->unreported.race, &pair->unreported.now);
        pair->reported = true;
        test_fix_on_instances(races, pair);
        if (!pair->tried_edit_count && !pair->follows && pair->suggested_fix.kind != FIX_RELEASE_CLOCK &&
            pair->side.operation == NO_END && !pair->apart)
            drop_instances(pair);
    }
}

static void report_lost(struct races *races)
{
    for (int space = 0; space < ORDER_REGIONS; space++)
        if (races->lost[space])
            report_incomplete(races->report, kind_in(space));
    memset(races->lost, 0, ORDER_REGIONS * sizeof *races->lost);
}

/* Does the reported fix cover all races of the pair? */
static bool fix_covers_pairs(const struct races *races, const struct race_pair *pair)
{
    const struct question question = race_question(races, pair);
    if (pair->suggested_fix.kind == FIX_RELEASE_CLOCK)
        return explain_release_clock_covers(&question, &pair->suggested_fix);
    if (pair->side.operation != NO_END)
        return explain_side_covers(&question, &pair->side);
    return pair->instance_count <= 1 ||
           (pair->follows ? explain_flag_covers(&question, &races->flag_reads, &pair->flag)
                          : explain_covers(&question, pair->tried_edits, pair->tried_edit_count));
}

void races_end(struct races *races)
{
    report_held(races);
    for (const struct race_pair *pair = races->pairs; pair; pair = pair->next) {
        if (pair->like)
            test_fix_on_pair(races, pair);
    }
    for (struct race_pair *pair = races->pairs, *next; pair; pair = next) {
        next = pair->next;
        if (pair->like || pair->counter.count > 1)
            report_again(races->report, pair->like ? &pair->like->finding : &pair->finding,
                         pair->counter.count - !pair->like);
        if (pair->counter.uncounted)
            report_uncounted(races->report, pair->like ? &pair->like->finding : &pair->finding);
        if (pair->not_covered || !fix_covers_pairs(races, pair))
            report_not_covered(races->report, &pair->finding);
        free(pair->instances);
        free(pair->object);
        free(pair);
    }
    report_lost(races);
    races->pairs = races->unreported_pairs = NULL;
    memset(races->recent, 0, sizeof races->recent);
    memset(races->by_sites, 0, sizeof races->by_sites);
}
