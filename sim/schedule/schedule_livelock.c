/* SPDX-License-Identifier: Apache-2.0 */
/* Livelocks. When the resident waves repeat their state (schedule_cycle.c) and nothing else can begin,
 * the launch ends with a finding that lists what they read. While the host may still end the wait,
 * device_say_spin() says what is waited for. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "orrery/checked.h"
#include "sim/device/device_state.h"
#include "sim/device/host_memory.h"
#include "orrery/report.h"
#include "schedule_livelock.h"

/* ---- the finding ------------------------------------------------------------------------ */

enum {
    WAVES_OBSERVED = 64,
    GROUPS_OBSERVED = WAVES_OBSERVED + 1 /* one more: whether there are others */,
    WAITS_REPORTED = 8,
    WAITS_SAID = 4
};

/* The reads of all spinning waves, one for each address. */
struct waits {
    uint32_t count;
    bool more;    /* there are more than are listed */
    bool updates; /* the first one is a read-modify-write that succeeds */
    bool may_write;
    bool constant; /* the kernel itself never writes what is read, as the list that a loop follows */
    uint64_t address[WAITS_REPORTED];
    struct finding_wait list[WAITS_REPORTED];
    struct sentence object[WAITS_REPORTED];
};

static void add_wait(struct waits *waits, struct launch *launch, const struct observed *observed,
                     uint32_t lane)
{
    uint32_t i = 0;
    while (i < waits->count && waits->address[i] != observed->at[lane])
        i++;
    if (i == WAITS_REPORTED) {
        waits->more = true;
        return;
    }
    struct finding_wait *wait = &waits->list[i];
    if (i < waits->count) {
        wait->work_items++;
        return;
    }
    struct finding named = {.object = NULL};
    struct observed here = *observed;
    here.address = waits->address[i] = observed->at[lane];
    sentence_init(&waits->object[i]);
    spinner_object(launch, &here, &named, &waits->object[i]);
    *wait =
        (struct finding_wait){.work_items = 1, .object = named.object, .offset_bytes = named.offset_bytes};
    origin_item(&observed->event.origin, lane, &wait->item);
    launch_place(launch, observed->event.origin.site, &wait->place);
    wait->size_bytes = observed->event.size_bytes <= sizeof wait->value ? observed->event.size_bytes : 0;
    waits->count++;
}

/* Reads the values after all waves were observed: observing runs them. */
static void read_values(struct waits *waits, const struct launch *launch)
{
    CHECKED(waits->count <= WAITS_REPORTED);
    for (uint32_t i = 0; i < waits->count; i++) {
        const uint64_t address = waits->address[i], size = waits->list[i].size_bytes;
        const struct region *region = memory_region(&launch->arena->memory, address);
        if (address >= region->low && address <= region->high && size <= region->high - address)
            memcpy(&waits->list[i].value, memory_byte(region, address), size);
    }
}

static bool is_spinning(const struct group *group, uint32_t index)
{
    return group->waves[index].state == WAVE_READY ||
           (group->laps.cycles && group->waves[index].state == WAVE_WAITS);
}

static bool any_spins(const struct group *group)
{
    for (uint32_t i = 0; i < group->wave_count; i++)
        if (is_spinning(group, i))
            return true;
    return false;
}

/* Inserts the group into the ascending list of the lowest groups; returns the list's new length. */
static uint32_t insert_lowest(struct group **lowest, uint32_t count, struct group *group)
{
    uint32_t place = count < GROUPS_OBSERVED ? count : GROUPS_OBSERVED - 1;
    if (count == GROUPS_OBSERVED && lowest[place]->number < group->number)
        return count;
    for (; place > 0 && lowest[place - 1]->number > group->number; place--)
        lowest[place] = lowest[place - 1];
    lowest[place] = group;
    CHECKED(place == 0 || lowest[place - 1]->number < group->number);
    return count < GROUPS_OBSERVED ? count + 1 : count;
}

/* The spinning groups with the lowest ids, ascending. Not in order of admission, which differs in a
 * replay. */
static uint32_t lowest_spinning(const struct schedule *schedule, struct group *out_lowest[GROUPS_OBSERVED])
{
    uint32_t count = 0;
    for (uint32_t g = 0; g < schedule->count; g++)
        if (any_spins(schedule->resident[g]))
            count = insert_lowest(out_lowest, count, schedule->resident[g]);
    return count;
}

static bool reads_constants(const struct observed *observed)
{
    return observed->rank == WAIT_CONSTANT || observed->rank == WAIT_BRANCH_CONSTANT;
}

/* Observes up to WAVES_OBSERVED spinning waves; the first two become the finding's accesses. False: they read
 * nothing that another unit could write, so none of them waits. A group that passes barriers may have waves
 * that read nothing; within: reads of the group's own local memory count, too. */
static bool observe_all(struct schedule *schedule, bool within, struct finding *finding, struct waits *waits,
                        struct sentence *object)
{
    struct launch *launch = schedule->launch;
    struct observed observed;
    struct group *lowest[GROUPS_OBSERVED];
    uint32_t waves = 0, listened = 0;
    const uint32_t count = lowest_spinning(schedule, lowest);
    for (uint32_t g = 0; g < count; g++) {
        struct group *group = lowest[g];
        for (uint32_t i = 0; i < group->wave_count; i++) {
            const bool laps = group->laps.cycles;
            if (!is_spinning(group, i))
                continue;
            if (listened++ == WAVES_OBSERVED) {
                waits->more = waits->may_write = true;
                return waves > 0;
            }
            spinner_observe(group, i, laps, &observed);
            if (laps && !(within ? observed.known : spinner_observes_others(launch, &observed)))
                continue;
            if (waves < 2)
                spinner_access(launch, group->waves[i].wave, &observed,
                               &finding->access[finding->access_count++]);
            if (waves == 0 && !observed.known)
                return false;
            waits->may_write |= spinner_may_write(launch, &observed);
            waits->constant = (waves == 0 || waits->constant) && reads_constants(&observed);
            launch->running = group;
            if (waves++ == 0) {
                waits->updates = observed.updates;
                spinner_object(launch, &observed, finding, object);
            }
            for (uint32_t lane = 0; observed.known && lane < observed.event.lane_count; lane++)
                if (observed.at[lane])
                    add_wait(waits, launch, &observed, lane);
            launch->running = NULL;
        }
    }
    return waves > 0;
}

/* Lists the reads: without the work-item if there is only one. */
static void say_waits(struct sentence *why, const struct waits *waits)
{
    const bool one = waits->count == 1 && !waits->more;
    const char *named = NULL;
    for (uint32_t i = 0; i < waits->count && i < WAITS_SAID; i++) {
        const struct finding_wait *wait = &waits->list[i];
        sentence_add(why, i ? ", " : " (");
        if (!one) {
            sentence_add(why, "work-item ");
            sentence_ids(why, wait->item.global_id);
            sentence_add(why, " finds ");
        }
        sentence_add(why, "%" PRIu64 " at byte %" PRIu64, wait->value, wait->offset_bytes);
        if (wait->object && (!named || strcmp(named, wait->object) != 0))
            sentence_add(why, " of %s", wait->object);
        named = wait->object;
    }
    if (waits->count)
        sentence_add(why, waits->more || waits->count > WAITS_SAID ? ", and more)" : ")");
}

static void say_why(struct sentence *why, struct schedule *schedule, const struct spinners *spinners,
                    const struct waits *waits)
{
    const bool unchanged = schedule_chooses(schedule->config) || !waits->may_write;
    sentence_add(why, "%" PRIu64 " work-item%s %s%s the same bytes again and again", spinners->spin,
                 spinners->spin == 1 ? "" : "s", waits->updates ? "update" : "read",
                 spinners->spin == 1 ? "s" : "");
    say_waits(why, waits);
    if (waits->constant)
        sentence_add(why, ", which this kernel never writes");
    if (spinners->wait)
        sentence_add(why, ", %" PRIu64 " wait%s at barriers", spinners->wait, spinners->wait == 1 ? "s" : "");
    sentence_add(why, unchanged ? "; memory has not changed, and no other work-item can run"
                                : "; memory comes back to what it was, and no other work-item can run");
    if (cycle_host_may_write(&schedule->launch->arena->memory))
        sentence_add(why, ": the host, which could write it, waits, too");
    if (choose_admits(schedule) ? choose_more(schedule) : schedule->next < schedule->total)
        sentence_add(why, ": no more work-groups fit beside these %" PRIu32, schedule->count);
}

static bool report(struct schedule *schedule)
{
    struct launch *launch = schedule->launch;
    struct finding finding = {.kind = FINDING_LIVELOCK, .kernel = launch->info.kernel};
    struct spinners spinners;
    struct waits waits = {.count = 0};
    struct sentence why, object;
    spinners_count(schedule, &spinners);
    sentence_init(&why);
    sentence_init(&object);
    if (!observe_all(schedule, false, &finding, &waits, &object) &&
        !observe_all(schedule, true, &finding, &waits, &object))
        return false;
    read_values(&waits, launch);
    say_why(&why, schedule, &spinners, &waits);
    finding.waits = waits.list;
    finding.wait_count = waits.count;
    finding.fix =
        waits.constant
            ? "other values before the launch, or a bound on the iterations of the loop"
            : "let the work-item that is waited for run first, or end the wait: cut the launch in two";
    finding.why = why.bytes;
    report_stop(launch->report, &finding);
    return true;
}

/* ---- verdict ---------------------------------------------------------------------------- */

static void end_livelock(struct schedule *schedule)
{
    bool waits = !schedule->livelock.endless && report(schedule);
    schedule->livelock.endless = !waits;
    schedule->status = waits ? STATUS_NO_PROGRESS : STATUS_OK;
}

bool livelock_check(struct schedule *schedule, enum helper helper)
{
    struct concurrent *concurrent = schedule->concurrent;
    if (schedule->status != STATUS_OK || schedule->livelock.endless || !cycle_of_launch(schedule))
        return false;
    const bool proof = cycle_is_proof(concurrent, &schedule->launch->arena->memory);
    if ((!proof && !concurrent->host_helps) || livelock_release_held(schedule, proof))
        return false;
    concurrent->cycles = helper == HELPER_NONE && concurrent->host_helps;
    if (helper == HELPER_NONE && !concurrent->cycles) {
        end_livelock(schedule);
        return false;
    }
    if (proof)
        /* whatever the host does later is another command */
        progress_wait(schedule, helper == HELPER_NONE ? HELPER_COMMAND : helper);
    return true;
}

void schedule_check_all_stuck(struct concurrent *concurrent)
{
    CHECKED(concurrent->count > 1);
    bool freed = false;
    if (!cycle_of_all(concurrent) ||
        (!cycle_is_proof(concurrent, &concurrent->live[0]->launch.arena->memory) && !concurrent->host_helps))
        return;
    for (uint32_t i = 0; i < concurrent->count; i++)
        freed |= livelock_release_held(concurrent->live[i]->schedule, false);
    concurrent->cycles = !freed && concurrent->host_helps;
    if (freed || concurrent->cycles)
        return;
    for (uint32_t i = 0; i < concurrent->count; i++) {
        concurrent_focus(concurrent->live[i]);
        end_livelock(concurrent->live[i]->schedule);
    }
}

/* ---- notes while the host may still end the wait ---------------------------------------------- */

static void say_spinner(struct schedule *schedule, struct group *group, uint32_t index, struct sentence *text)
{
    struct launch *launch = schedule->launch;
    struct finding finding = {.object = NULL};
    struct finding_access access = {.kind = ACCESS_READ};
    struct observed observed;
    struct sentence object;
    sentence_init(&object);
    spinner_observe_in_slice(schedule, group, index, &observed);
    if (group->waves[index].state != WAVE_READY)
        return;
    spinner_access(launch, group->waves[index].wave, &observed, &access);
    launch->running = group;
    spinner_object(launch, &observed, &finding, &object);
    launch->running = NULL;
    sentence_add(text, "%skernel '%s', work-item ", text->used ? "; " : "", launch->info.kernel);
    sentence_ids(text, access.item.global_id);
    if (observed.known && finding.object)
        sentence_add(text, " reads %s, byte %" PRIu64, finding.object, finding.offset_bytes);
    else if (observed.known)
        sentence_add(text, " reads memory of the host");
    if (access.has_value)
        sentence_add(text, ": %" PRIu64, access.value);
    if (access.place.line)
        sentence_add(text, " (%s:%" PRIu32 ":%" PRIu32 ")", access.place.file ? access.place.file : "",
                     access.place.line, access.place.column);
}

/* Describes the lowest spinning work-item of each launch. */
void device_say_spin(struct device *device, char *text, size_t size)
{
    const struct concurrent *concurrent = &device->concurrent;
    struct sentence said;
    sentence_init(&said);
    for (uint32_t i = 0; i < concurrent->count; i++) {
        struct schedule *schedule = concurrent->live[i]->schedule;
        struct spinners spinners = {.lowest = NULL};
        concurrent_focus(concurrent->live[i]);
        if (schedule && schedule->status == STATUS_OK)
            spinners_count(schedule, &spinners);
        for (uint32_t w = 0; spinners.lowest && w < spinners.lowest->wave_count; w++)
            if (spinners.lowest->waves[w].state == WAVE_READY) {
                say_spinner(schedule, spinners.lowest, w, &said);
                break;
            }
    }
    snprintf(text, size, "%s", said.bytes);
}

bool device_touches_host(const struct device *device)
{
    return device->host_memory && host_memory_touched(device->host_memory);
}

bool device_is_still(struct device *device)
{
    const uint64_t memory = cycle_memory_hash(&device->arena.memory), before = device->concurrent.still;
    device->concurrent.still = memory;
    return memory == before;
}
