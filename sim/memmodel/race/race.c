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
#include "race_fix.h"
#include "race_report.h"
#include "race_why.h"

static enum finding_kind kind_in(int space)
{
    return space == IN_LOCAL   ? FINDING_RACE_LOCAL
           : space == IN_IMAGE ? FINDING_RACE_IMAGE
                               : FINDING_RACE_GLOBAL;
}

enum finding_kind race_kind(const struct race *race)
{
    return race->device_dirty ? FINDING_IMAGE_READ_AFTER_WRITE : kind_in(race->region->space);
}

void race_pair_drop_instances(struct race_pair *pair)
{
    free(pair->instances);
    pair->instances = NULL;
    pair->instance_count = 0;
}

/* A suppression may name an object, and then does not hide races of the same sites on another. */
static bool is_suppressed(const struct races *races, const struct race *race, uint32_t later)
{
    char object[CHECKER_NAME_CHARS] = "";
    struct finding finding = {.kind = race_kind(race), .kernel = races->launch->kernel, .access_count = 2};
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

/* Are the two pairs at the same two places of the source, in either order? */
static bool are_at_same_places(const struct races *races, const struct race_pair *a,
                               const struct race_pair *b)
{
    const uint32_t *x = a->counter.site, *y = b->counter.site;
    return (code_same_place(races->host, x[0], y[0]) && code_same_place(races->host, x[1], y[1])) ||
           (code_same_place(races->host, x[0], y[1]) && code_same_place(races->host, x[1], y[0]));
}

/* A function that is called for two objects has a finding of each. */
static bool is_on_same_object(const struct races *races, const struct race_pair *a, const struct race_pair *b)
{
    char objects[2][CHECKER_NAME_CHARS] = {"", ""};
    const struct race_pair *pairs[] = {a, b};
    for (int i = 0; i < 2; i++) {
        if (pairs[i]->reported)
            snprintf(objects[i], sizeof objects[i], "%s", pairs[i]->object ? pairs[i]->object : "");
        else
            races->host->object(races->host->self, pairs[i]->unreported.race.address, objects[i],
                                sizeof objects[i]);
    }
    const size_t length = finding_object_name_length(objects[0]);
    return length == finding_object_name_length(objects[1]) && !memcmp(objects[0], objects[1], length);
}

/* An older pair of the same kind at the same places, which represents this one; NULL: none. */
static struct race_pair *find_representative(const struct races *races, const struct race_pair *pair)
{
    struct race_pair *other = pair->next;
    for (; other; other = other->next) {
        const bool same_kind = other->hidden == pair->hidden && other->counter.space == pair->counter.space &&
                               other->counter.device_dirty == pair->counter.device_dirty;
        if (!other->like && same_kind && are_at_same_places(races, other, pair) &&
            is_on_same_object(races, other, pair))
            break;
    }
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

/* Do both access one whole word? */
static bool is_of_one_word(const struct race *race, const struct shadow_access *now)
{
    return race->context->size == 4 && now->how.size == 4 && race->address == now->address &&
           race->bytes == 4;
}

static bool is_of_copy(const struct race *race, const struct shadow_access *now)
{
    return race->unit >= UNIT_COPIES || now->unit_state->copy;
}

static bool is_of_image(const struct race *race)
{
    return race->device_dirty || race->region->space == IN_IMAGE;
}

/* May the later access read what the earlier one stored, as of a flag? At least one of them is plain. */
static bool may_be_flag_read(const struct races *races, const struct race *race,
                             const struct shadow_access *now)
{
    const struct access_context *store = race->context, *load = &now->how;
    /* of an atomic store the sync log has the unit that read its value */
    const bool latest = race->in_memory || store->kind > ACCESS_WRITE;
    if (!latest || is_of_copy(race, now) || is_of_image(race))
        return false;
    const bool any_plain = store->kind == ACCESS_WRITE || load->kind == ACCESS_READ;
    if (!any_plain || !race_writes(store->kind) || !race_reads(load->kind) || !is_of_one_word(race, now))
        return false;
    return CODE_ASK(races->host, controls_branch, load->site);
}

/* Records that the load may have read the store's value and that a branch depends on it, for races on
 * flags. */
static void record_flag_read(struct races *races, const struct race *race, const struct shadow_access *now,
                             uint64_t time)
{
    struct flag_reads *flag_reads = &races->flag_reads;
    flag_reads->lost |=
        race->region->incomplete; /* the origin of the value in memory is not known any more */
    if (!may_be_flag_read(races, race, now))
        return;
    flag_reads->lost |= flag_reads->count == FLAG_READS_MOST;
    flag_reads->items[flag_reads->next] = (struct flag_read){
        .store = race_question_access(race->unit, race->context),
        .load = race_question_access(now->unit_state->unit, &now->how),
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
    INSTANCES_OF = 1 << 16
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

static bool has_enough_instances(const struct race_pair *pair)
{
    return !pair->instances || pair->instance_count == RACE_INSTANCES_MOST || pair->seen >= INSTANCES_OF;
}

static void add_instance(const struct races *races, struct race_pair *pair, const struct race *race,
                         const struct shadow_access *now, uint64_t time)
{
    if (has_enough_instances(pair) || !wants_instance(pair, race))
        return;
    CHECKED(pair->instance_count < RACE_INSTANCES_MOST);
    const struct sync_log *sync_log = races->order->sync_log;
    struct race_instance *instance = &pair->instances[pair->instance_count++];
    *instance = (struct race_instance){.first = race_question_access(race->unit, race->context),
                                       .second = race_question_access(now->unit_state->unit, &now->how),
                                       .end = sync_log->count,
                                       .when = time};
    instance->first_at = explain_locate(sync_log, &instance->first, instance->end);
}

static bool in_one_wave(const struct races *races, uint64_t a, uint64_t b)
{
    return a - races->wave.first < races->wave.count && b - races->wave.first < races->wave.count;
}

/* After so many races of a pair that may be on a flag, further ones are not recorded. */
enum { FLAG_RACES_MOST = 1024 };

/* If a unit spins on the load before it reaches the store, the two are of a lock: only the lock's owner
 * reaches the store. */
static void record_lock(struct races *races, const struct access_context *load,
                        const struct access_context *store)
{
    struct locks *locks = &races->locks;
    if (race_reads(load->kind) && race_writes(store->kind) && locks->count < LOCKS_MOST &&
        CODE_ASK(races->host, spins_on, load->site, store->site))
        locks->items[locks->count++] = (struct lock){
            load->site, store->site, races->host->takes && !CODE_ASK(races->host, takes, load->site)};
}

/* A pair with room for so many recorded races; NULL: no memory. */
static struct race_pair *create_pair(const struct race *race, const struct shadow_access *now, uint32_t room)
{
    struct race_pair *pair = calloc(1, sizeof *pair);
    if (!pair || !(pair->instances = calloc(room, sizeof *pair->instances))) {
        free(pair);
        return NULL;
    }
    pair->counter.site[0] = race->context->site;
    pair->counter.site[1] = now->how.site;
    pair->counter.space = race->region->space;
    pair->counter.device_dirty = race->device_dirty;
    pair->svm_atomics = race->region->svm_atomics;
    return pair;
}

static struct race_pair *new_pair(struct races *races, const struct race *race,
                                  const struct shadow_access *now, bool hidden)
{
    struct race_pair *pair = create_pair(race, now, RACE_INSTANCES_MOST);
    if (!pair) {
        races->failed = true;
        return NULL;
    }
    pair->hidden = hidden;
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
        race_pair_drop_instances(pair);
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
    struct race_pair *pair = create_pair(race, now, 1);
    if (!pair)
        return false;
    add_instance(races, pair, race, now, 0);
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
    const bool sure = main->not_covered ||
                      explain_covers_all(races->launch, counter->space == IN_LOCAL, &main->suggested_fix);
    const bool recorded = has_enough_instances(main) && (!main->maybe_flag || main->seen >= FLAG_RACES_MOST);
    counter->saturated = main->reported && recorded && (sure || main->seen >= FIX_ASKED);
    counter->look = sure ? UINT64_MAX : counter->count + FIX_SAMPLE;
}

void races_add(struct races *races, const struct race *race, const struct shadow_access *now, uint64_t time)
{
    const bool hidden = is_hidden(races, race, now->how.site);
    struct race_pair *pair = find_pair(races, race->context->site, now->how.site, race, hidden);
    record_flag_read(races, race, now, time);
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
    if (!pair->like || main->suggested_fix.kind == FIX_EDITS)
        add_instance(races, main, race, now, time);
    race_fix_test(races, main, race, now);
    allow_counting(races, pair, main);
    /* the shadow does not pass them on any more */
    races->flag_reads.lost |= pair->maybe_flag && pair->counter.saturated;
}

/* Are the pair's recorded races needed at the end of the launch, to test its fix or to find one? */
static bool is_tested_at_end(const struct race_pair *pair)
{
    switch (pair->suggested_fix.kind) {
    case FIX_EDITS:
    case FIX_FLAG:
    case FIX_SIDE:
    case FIX_RELEASE_CLOCK: return true;
    default: return pair->side_later;
    }
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
        race_report_pair(races, under_way, pair, &pair->unreported.race, &pair->unreported.now);
        pair->reported = true;
        race_fix_test_instances(races, pair);
        if (!is_tested_at_end(pair))
            race_pair_drop_instances(pair);
    }
}

static void report_lost(struct races *races)
{
    for (int space = 0; space < ORDER_REGIONS; space++)
        if (races->lost[space])
            report_incomplete(races->report, kind_in(space));
    memset(races->lost, 0, ORDER_REGIONS * sizeof *races->lost);
}

void races_end(struct races *races)
{
    race_report_held(races);
    for (const struct race_pair *pair = races->pairs; pair; pair = pair->next) {
        if (pair->like)
            race_fix_test_pair(races, pair);
    }
    for (struct race_pair *pair = races->pairs, *next; pair; pair = next) {
        next = pair->next;
        if (pair->like || pair->counter.count > 1)
            report_again(races->report, pair->like ? &pair->like->finding : &pair->finding,
                         pair->counter.count - !pair->like);
        if (pair->counter.uncounted)
            report_uncounted(races->report, pair->like ? &pair->like->finding : &pair->finding);
        if (pair->not_covered || !race_fix_covers_all(races, pair))
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
