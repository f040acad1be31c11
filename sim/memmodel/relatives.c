/* SPDX-License-Identifier: Apache-2.0 */
#include "relatives.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cross_launch.h"
#include "kinship.h"
#include "packets.h"
#include "wording.h"
#include "orrery/rule.h"

enum { TEXT_CHARS = 400 };
static const char spec_text[] = "OpenCL 2.2 API, 3.3.6 host-side and device-side commands";

/* What one launch did to one allocation. */
struct deeds {
    uint32_t region_id;
    uint64_t low;
    bool fine, of_host;      /* fine-grained SVM; the host's own memory */
    char object[120], argument[120]; /* ", argument 0 'data'", by which the kernel reached it; or nothing */
    struct byte_set bytes[FOOTPRINT_USES];
    struct footprint_sites sites[FOOTPRINT_USES];
    struct source_place place[FOOTPRINT_USES][FOOTPRINT_SITES]; /* strings of the program, which outlives its family */
};
struct record { struct deeds *deeds; uint32_t count; };

/* One launch that has ended. */
struct member {
    struct member *next;
    struct kin kin;
    uint32_t family, device;
    const char *kernel;
    enum memory_scope releases, acquires;
    struct record all;
    struct record *rests;   /* per kin.groups: what the group does not know at its end */
    struct record *moments; /* per kin.callers: what a kernel does not know, of fine-grained memory, that was enqueued then */
};

struct relatives {
    const struct memory *memory;
    struct report *report;
    struct footprint_sink next;
    struct cross_launch *cross;
    struct member *members; /* of every family, the latest to end first */
    struct packets packets; /* of all of them, and of what runs */
    bool lost, told_loss;   /* memory ran out: nothing is judged from here on */
};

/* ---- life ---------------------------------------------------------------------------------- */

struct relatives *relatives_new(const struct memory *memory, struct report *report, const struct footprint_sink *next)
{
    struct relatives *relatives = calloc(1, sizeof *relatives);
    if (relatives)
        *relatives = (struct relatives){.memory = memory, .report = report, .next = *next};
    return relatives;
}

void relatives_set_cross(struct relatives *relatives, struct cross_launch *cross) { relatives->cross = cross; }

static void record_fini(struct record *record)
{
    for (uint32_t i = 0; i < record->count; i++)
        for (int use = 0; use < FOOTPRINT_USES; use++) {
            byte_set_fini(&record->deeds[i].bytes[use]);
            footprint_sites_fini(&record->deeds[i].sites[use]);
        }
    free(record->deeds);
}

static void member_free(struct member *member)
{
    record_fini(&member->all);
    for (uint32_t i = 0; i < member->kin.group_count; i++)
        record_fini(&member->rests[i]);
    for (uint32_t i = 0; i < member->kin.caller_count; i++)
        record_fini(&member->moments[i]);
    free(member->rests);
    free(member->moments);
    free(member->kin.groups);
    free(member->kin.callers);
    free(member->kin.after);
    free(member);
}

void relatives_free(struct relatives *relatives)
{
    for (struct member *member = relatives ? relatives->members : NULL, *next; member; member = next) {
        next = member->next;
        member_free(member);
    }
    if (relatives)
        packets_fini(&relatives->packets);
    free(relatives);
}

/* ---- taking footprints ---------------------------------------------------------------------- */

static void name_object(const struct relatives *relatives, struct deeds *deeds)
{
    const struct region *region = memory_region(relatives->memory, deeds->low);
    deeds->of_host = region->kind == REGION_NONE;
    deeds->fine = deeds->of_host || region->flags & REGION_FLAG_SHARED;
    if (deeds->of_host) {
        snprintf(deeds->object, sizeof deeds->object, "host memory");
        return;
    }
    wording_region(region, deeds->object, sizeof deeds->object);
}

static bool copy_set(struct byte_set *to, const struct byte_set *from)
{
    struct byte_run run = {0, 0};
    byte_set_init(to, from->size);
    while (byte_set_next(from, run.high, &run))
        byte_set_add(to, run.low, run.high);
    return !to->failed && !from->failed;
}

static bool copy_sites(const struct launch_info *launch, const struct footprint_sites *from, struct footprint_sites *to,
                       struct source_place place[FOOTPRINT_SITES])
{
    bool whole = true;
    *to = *from;
    to->bytes = NULL;
    for (uint32_t i = 0; launch->program && i < from->count; i++)
        program_site(launch->program, from->site[i], &place[i]);
    if (!from->bytes || !footprint_sites_part(to, from->bytes[0].size))
        return !from->bytes;
    for (uint32_t i = 0; i < from->count; i++)
        whole &= copy_set(&to->bytes[i], &from->bytes[i]);
    return whole;
}

static bool copy_part(const struct relatives *relatives, const struct launch_info *launch, const struct footprint_part *part,
                      struct deeds *deeds)
{
    bool whole = true;
    deeds->region_id = part->region_id;
    deeds->low = part->low;
    name_object(relatives, deeds);
    char name[100];
    if (launch->argument && !deeds->of_host && launch->argument(launch, part->low, part->high, name, sizeof name))
        snprintf(deeds->argument, sizeof deeds->argument, ", %s", name);
    for (int use = 0; use < FOOTPRINT_USES; use++) {
        whole &= copy_set(&deeds->bytes[use], &part->bytes[use]);
        whole &= copy_sites(launch, &part->sites[use], &deeds->sites[use], deeds->place[use]);
    }
    return whole;
}

static bool copy_record(const struct relatives *relatives, const struct launch_info *launch, const struct footprint_part *parts,
                        uint32_t count, struct record *record)
{
    bool whole = true;
    record->deeds = calloc(count + 1, sizeof *record->deeds);
    for (uint32_t i = 0; record->deeds && i < count; i++)
        whole &= copy_part(relatives, launch, &parts[i], &record->deeds[record->count++]);
    return whole && record->deeds;
}

static bool copy_rests(const struct relatives *relatives, const struct footprint *footprint, struct member *member)
{
    bool whole = true;
    member->rests = calloc(footprint->rest_count + 1, sizeof *member->rests);
    member->kin.groups = calloc(footprint->rest_count + 1, sizeof *member->kin.groups);
    for (uint32_t i = 0; member->rests && member->kin.groups && i < footprint->rest_count; i++) {
        const struct footprint_rest *rest = &footprint->rests[i];
        member->kin.groups[member->kin.group_count++] = rest->group;
        whole &= copy_record(relatives, footprint->launch, rest->parts, rest->count, &member->rests[i]);
    }
    return whole && member->rests && member->kin.groups;
}

static bool copy_moments(const struct relatives *relatives, const struct footprint *footprint, struct member *member)
{
    bool whole = true;
    member->moments = calloc(footprint->moment_count + 1, sizeof *member->moments);
    member->kin.callers = calloc(footprint->moment_count + 1, sizeof *member->kin.callers);
    for (uint32_t i = 0; member->moments && member->kin.callers && i < footprint->moment_count; i++) {
        const struct footprint_moment *moment = &footprint->moments[i];
        member->kin.callers[member->kin.caller_count++] = moment->unit;
        whole &= copy_record(relatives, footprint->launch, moment->parts, moment->count, &member->moments[i]);
    }
    return whole && member->moments && member->kin.callers;
}

static bool copy_after(const struct launch_info *launch, struct kin *kin)
{
    size_t size = launch->after_count * sizeof *kin->after;
    kin->after = malloc(size + 1);
    if (kin->after && size)
        memcpy(kin->after, launch->after, size);
    kin->after_count = kin->after ? launch->after_count : 0;
    return kin->after != NULL;
}

static void take(struct relatives *relatives, const struct footprint *footprint)
{
    const struct launch_info *launch = footprint->launch;
    struct member *member = calloc(1, sizeof *member);
    if (!member) {
        relatives->lost = true;
        return;
    }
    *member = (struct member){.next = relatives->members, .family = launch->family, .device = launch->device, .kernel = launch->kernel,
                              .releases = launch->releases, .acquires = launch->acquires};
    member->kin = (struct kin){.launch = launch->launch, .parent = launch->parent, .start = launch->start,
                               .parent_group = launch->parent_group, .parent_moment = launch->parent_moment};
    relatives->members = member;
    bool whole = copy_after(launch, &member->kin);
    whole &= copy_record(relatives, launch, footprint->parts, footprint->count, &member->all);
    whole &= copy_rests(relatives, footprint, member);
    whole &= copy_moments(relatives, footprint, member);
    relatives->lost |= !whole;
}

static void on_launch_ended(void *self, const struct footprint *footprint)
{
    struct relatives *relatives = self;
    if (footprint->launch->family && !relatives->lost)
        take(relatives, footprint);
    else
        packets_forget(&relatives->packets, footprint->launch->launch);
    if (relatives->next.launch_ended)
        relatives->next.launch_ended(relatives->next.self, footprint);
}

static void on_settle(void *self, struct footprint_keeper *keeper)
{
    struct relatives *relatives = self;
    relatives->next.settle(relatives->next.self, keeper);
}

static bool on_follows(void *self, const struct launch_info *launch, const struct footprint_keeper *keeper)
{
    struct relatives *relatives = self;
    return relatives->next.follows(relatives->next.self, launch, keeper);
}

static void on_retire(void *self, const struct footprint_keeper *keeper, struct footprint_keeper *own)
{
    struct relatives *relatives = self;
    relatives->next.retire(relatives->next.self, keeper, own);
}

/* Of a launch that has a family the checker gives all bytes at once. */
struct footprint_sink relatives_footprints(struct relatives *relatives)
{
    const bool keeps = relatives->next.settle && relatives->next.follows;
    return (struct footprint_sink){relatives, on_launch_ended, keeps ? on_settle : NULL, keeps ? on_follows : NULL, keeps ? on_retire : NULL};
}

void relatives_packets(struct relatives *relatives, const struct launch_info *launch, const struct packets_use *use)
{
    if (!relatives->lost)
        packets_note(&relatives->packets, relatives->memory, launch, use);
    relatives->lost |= relatives->packets.failed;
}

/* ---- a family ---------------------------------------------------------------------------------------------- */

struct family { struct member **members; const struct kin **kin; uint32_t count; struct kinship *kinship; };

/* What of `earlier` is not known; NULL: nothing. */
static const struct record *record_of(const struct family *family, uint32_t earlier, struct unknown unknown)
{
    const struct member *member = family->members[earlier];
    switch (unknown.what) {
    case UNKNOWN_ALL: return &member->all;
    case UNKNOWN_AFTER_GROUP: return &member->rests[unknown.index];
    case UNKNOWN_AFTER_CALL: return &member->moments[unknown.index];
    case UNKNOWN_NOTHING: break;
    }
    return NULL;
}

/* ---- what meets --------------------------------------------------------------------------------------- */

struct meeting { const struct deeds *a, *b; enum footprint_use use_a, use_b; struct byte_run run; };

static bool is_atomic(enum footprint_use use)
{
    return use == FOOTPRINT_ATOMIC || use == FOOTPRINT_ATOMIC_READ;
}

static bool changes(enum footprint_use use)
{
    return use == FOOTPRINT_WRITTEN || use == FOOTPRINT_ATOMIC;
}

/* Of two atomic ones, or of others. */
static bool uses_conflict(enum footprint_use a, enum footprint_use b, bool atomics)
{
    return (is_atomic(a) && is_atomic(b)) == atomics && (changes(a) || changes(b));
}

static bool deeds_meet(struct meeting *meeting, bool atomics)
{
    for (enum footprint_use a = 0; a < FOOTPRINT_USES; a++)
        for (enum footprint_use b = 0; b < FOOTPRINT_USES; b++) {
            if (!uses_conflict(a, b, atomics) || !byte_set_intersection(&meeting->a->bytes[a], &meeting->b->bytes[b], &meeting->run))
                continue;
            meeting->use_a = a;
            meeting->use_b = b;
            return true;
        }
    return false;
}

/* The next that meets after *at, both lists ascending by allocation. */
static bool records_meet(const struct record *a, const struct record *b, uint32_t at[2], bool atomics, struct meeting *out_meeting)
{
    while (at[0] < a->count && at[1] < b->count) {
        const struct deeds *x = &a->deeds[at[0]], *y = &b->deeds[at[1]];
        at[0] += x->region_id <= y->region_id;
        at[1] += y->region_id <= x->region_id;
        *out_meeting = (struct meeting){.a = x, .b = y};
        if (x->region_id == y->region_id && deeds_meet(out_meeting, atomics))
            return true;
    }
    return false;
}

/* Either may have acquired what the other released. */
static bool may_synchronise(const struct member *a, const struct member *b)
{
    return (a->releases >= SCOPE_DEVICE && b->acquires >= SCOPE_DEVICE) || (b->releases >= SCOPE_DEVICE && a->acquires >= SCOPE_DEVICE) || !RULE(3202);
}

static void join_by_atomics(struct family *family)
{
    struct meeting meeting;
    for (uint32_t later = 1; later < family->count; later++)
        for (uint32_t earlier = 0; earlier < later; earlier++) {
            uint32_t at[2] = {0, 0};
            if (kinship_ordered(family->kinship, earlier, later) || !may_synchronise(family->members[earlier], family->members[later]) ||
                !records_meet(&family->members[earlier]->all, &family->members[later]->all, at, true, &meeting))
                continue;
            kinship_join(family->kinship, earlier, later);
        }
}

/* ---- telling -------------------------------------------------------------------------------------------- */

__attribute__((format(printf, 2, 3))) static void format(char text[TEXT_CHARS], const char *pattern, ...)
{
    va_list args;
    va_start(args, pattern);
    vsnprintf(text, TEXT_CHARS, pattern, args);
    va_end(args);
}

static const char *action_of(enum access_kind kind)
{
    return kind > ACCESS_WRITE ? "atomic access by a kernel" : kind == ACCESS_READ ? "read by a kernel" : "write by a kernel";
}

/* Of several lines nobody knows which. */
static const char *some_action_of(enum access_kind kind)
{
    return kind > ACCESS_WRITE ? "one of the atomic accesses by a kernel" : kind == ACCESS_READ ? "one of the reads by a kernel" : "one of the writes by a kernel";
}

static void name_launch(const struct family *family, uint32_t member, const char *argument, char by[TEXT_CHARS])
{
    const struct member *self = family->members[member];
    uint32_t parent = kinship_row(family->kinship, self->kin.parent);
    if (parent == UINT32_MAX)
        format(by, "kernel %s (launch %" PRIu32 "), enqueued by the host%s", self->kernel, self->kin.launch, argument);
    else
        format(by, "kernel %s (launch %" PRIu32 "), enqueued by kernel %s (launch %" PRIu32 ")%s", self->kernel, self->kin.launch,
               family->members[parent]->kernel, self->kin.parent, argument);
}

/* The first byte's access, and how far it is one by the same instruction. */
static void describe(const struct family *family, uint32_t member, const struct deeds *deeds, enum footprint_use use, struct byte_run *run,
                     struct finding_access *out_access, char by[TEXT_CHARS])
{
    static const enum access_kind kinds[FOOTPRINT_USES] = {ACCESS_READ, ACCESS_WRITE, ACCESS_ATOMIC_UPDATE, ACCESS_ATOMIC_READ};
    uint64_t end;
    const uint32_t site = footprint_sites_at(&deeds->sites[use], run->low, &end);
    name_launch(family, member, deeds->argument, by);
    *out_access = (struct finding_access){.kind = kinds[use], .what = some_action_of(kinds[use]), .by = by, .device_id = family->members[member]->device};
    if (end < run->high)
        run->high = end;
    if (site == FOOTPRINT_SITES)
        return;
    out_access->what = action_of(kinds[use]);
    out_access->place = deeds->place[use][site];
}

static void explain(const struct family *family, uint32_t earlier, uint32_t later, bool fine, char why[TEXT_CHARS], char fix[TEXT_CHARS])
{
    const struct member *a = family->members[earlier], *b = family->members[later];
    const bool child = b->kin.parent == a->kin.launch;
    const uint32_t row = child ? UINT32_MAX : kinship_child_between(family->kinship, earlier, later);
    const struct member *between = row == UINT32_MAX ? NULL : family->members[row];
    if (child && b->kin.start == LAUNCH_AFTER_GROUP)
        format(why, "kernel %s waits for the end of the work-group that enqueued it alone (CLK_ENQUEUE_FLAGS_WAIT_WORK_GROUP), and "
                    "another work-group of kernel %s made the access", b->kernel, a->kernel);
    else if (child && fine)
        format(why, "kernel %s does not wait for kernel %s, which enqueued it (CLK_ENQUEUE_FLAGS_NO_WAIT): it comes after what the work-item "
                    "that did so had done before, and all that was ordered before that, and this access is neither", b->kernel, a->kernel);
    else if (child)
        format(why, "kernel %s does not wait for kernel %s, which enqueued it (CLK_ENQUEUE_FLAGS_NO_WAIT), and does not even see what that "
                    "wrote before: enqueue_kernel orders fine-grained SVM alone", b->kernel, a->kernel);
    else if (between && between->kin.start == LAUNCH_AFTER_GROUP)
        format(why, "kernel %s came of kernel %s, which waits for the end of the work-group that enqueued it alone "
                    "(CLK_ENQUEUE_FLAGS_WAIT_WORK_GROUP), and another work-group of kernel %s made the access", b->kernel, between->kernel, a->kernel);
    else if (between)
        format(why, "kernel %s came of kernel %s, which does not wait for kernel %s", b->kernel, between->kernel, a->kernel);
    else
        format(why, "neither of the kernels %s and %s waits for the other: a device queue is out of order", a->kernel, b->kernel);
    if (child || between)
        format(fix, "enqueue kernel %s with CLK_ENQUEUE_FLAGS_WAIT_KERNEL", between ? between->kernel : b->kernel);
    else if (a->kin.parent == b->kin.parent)
        format(fix, "pass the event of the one that is to come first in the wait list of the other");
    else
        format(fix, "where one kernel enqueues what the two came of, pass the event of the one that is to come first in the wait list of the other: it "
                    "stands for what that enqueues, too");
}

static void tell(const struct relatives *relatives, const struct family *family, uint32_t earlier, uint32_t later,
                 const struct meeting *meeting)
{
    char why[TEXT_CHARS], fix[TEXT_CHARS], by[2][TEXT_CHARS];
    struct byte_run run = meeting->run;
    struct finding finding = {.kind = FINDING_RACE_COMMANDS, .launch = family->members[later]->kin.launch,
                              .kernel = family->members[later]->kernel, .object = meeting->a->object, .has_offset = !meeting->a->of_host,
                              .offset_bytes = meeting->a->of_host ? 0 : meeting->run.low, .access_count = 2, .why = why, .fix = fix, .spec = spec_text};
    explain(family, earlier, later, meeting->a->fine, why, fix);
    describe(family, earlier, meeting->a, meeting->use_a, &run, &finding.access[0], by[0]);
    describe(family, later, meeting->b, meeting->use_b, &run, &finding.access[1], by[1]);
    const uint64_t bytes = run.high - run.low;
    finding.access[0].size_bytes = finding.access[1].size_bytes = bytes > UINT32_MAX ? UINT32_MAX : (uint32_t)bytes;
    report_add(relatives->report, &finding);
}

/* Wherever the two uses meet, each two places of the program once. */
static void tell_uses(const struct relatives *relatives, const struct family *family, uint32_t earlier, uint32_t later, struct meeting *meeting)
{
    bool told[FOOTPRINT_SITES + 1][FOOTPRINT_SITES + 1] = {{false}};
    for (uint64_t from = 0, end[2]; byte_set_common(&meeting->a->bytes[meeting->use_a], &meeting->b->bytes[meeting->use_b], from, &meeting->run);) {
        const uint32_t one = footprint_sites_at(&meeting->a->sites[meeting->use_a], meeting->run.low, &end[0]);
        const uint32_t other = footprint_sites_at(&meeting->b->sites[meeting->use_b], meeting->run.low, &end[1]);
        if (!told[one][other])
            tell(relatives, family, earlier, later, meeting);
        told[one][other] = true;
        from = meeting->run.high;
        for (int i = 0; i < 2; i++)
            from = end[i] < from ? end[i] : from;
    }
}

/* fine: of fine-grained memory, or of other. */
static void tell_some(const struct relatives *relatives, const struct family *family, uint32_t earlier, uint32_t later, const struct record *unknown, bool fine)
{
    struct meeting meeting;
    uint32_t at[2] = {0, 0};
    while (unknown && records_meet(unknown, &family->members[later]->all, at, false, &meeting))
        for (enum footprint_use a = 0; a < FOOTPRINT_USES && meeting.a->fine == fine; a++)
            for (enum footprint_use b = 0; b < FOOTPRINT_USES; b++)
                if (uses_conflict(a, b, false)) {
                    meeting.use_a = a;
                    meeting.use_b = b;
                    tell_uses(relatives, family, earlier, later, &meeting);
                }
}

static bool meet_in_fine(const struct record *a, const struct record *b)
{
    struct meeting meeting;
    uint32_t at[2] = {0, 0};
    while (records_meet(a, b, at, false, &meeting))
        if (meeting.a->fine)
            return true;
    return false;
}

static void tell_all(const struct relatives *relatives, const struct family *family)
{
    for (uint32_t later = 1; later < family->count; later++)
        for (uint32_t earlier = 0; earlier < later; earlier++) {
            const struct record *unknown = record_of(family, earlier, kinship_unknown(family->kinship, earlier, later));
            if (!unknown)
                continue;
            tell_some(relatives, family, earlier, later, unknown, false);
            if (meet_in_fine(unknown, &family->members[later]->all))
                tell_some(relatives, family, earlier, later, record_of(family, earlier, kinship_unknown_fine(family->kinship, earlier, later)), true);
        }
}

/* ---- packets of pipes ------------------------------------------------------------------------------- */

/* Where work-groups of the earlier know of each other, here nobody knows when they moved theirs: cross_launch.h does. */
static bool packets_are_left(const struct family *family, uint32_t earlier, const struct unknown *unknown)
{
    return unknown->what == UNKNOWN_AFTER_GROUP && family->members[earlier]->releases >= SCOPE_DEVICE;
}

/* May what the one moved come after what the other did? */
static bool packets_race(const struct family *family, uint32_t earlier, uint32_t later, const struct packets_user *used)
{
    const struct unknown unknown = kinship_unknown(family->kinship, earlier, later);
    if (unknown.what != UNKNOWN_AFTER_GROUP)
        return unknown.what == UNKNOWN_ALL;
    return (used->several || used->group != family->kin[earlier]->groups[unknown.index]) && !packets_are_left(family, earlier, &unknown);
}

static void describe_packets(const struct family *family, uint32_t member, const struct packets_user *used, struct finding_access *out_access, char by[TEXT_CHARS])
{
    name_launch(family, member, used->argument, by);
    *out_access = (struct finding_access){.kind = ACCESS_WRITE, .what = used->writes ? "writing of packets by a kernel" : "reading of packets by a kernel",
                                          .by = by, .device_id = family->members[member]->device, .place = used->place};
}

static void tell_packets(const struct relatives *relatives, const struct family *family, const uint32_t row[2], const struct packets_user *const used[2])
{
    char why[TEXT_CHARS], fix[TEXT_CHARS], by[2][TEXT_CHARS];
    struct finding finding = {.kind = FINDING_RACE_COMMANDS, .launch = family->members[row[1]]->kin.launch, .kernel = family->members[row[1]]->kernel,
                              .object = used[0]->object, .access_count = 2, .why = why, .fix = fix, .spec = spec_text};
    explain(family, row[0], row[1], false, why, fix);
    wording_one_at_a_time(!used[0]->writes, why, TEXT_CHARS);
    for (int i = 0; i < 2; i++)
        describe_packets(family, row[i], used[i], &finding.access[i], by[i]);
    report_add(relatives->report, &finding);
}

static void tell_all_packets(const struct relatives *relatives, const struct family *family)
{
    const struct packets *packets = &relatives->packets;
    for (uint32_t a = 0; a < packets->count; a++) {
        const uint32_t one = kinship_row(family->kinship, packets->users[a].launch);
        for (uint32_t b = 0; b < a && one != UINT32_MAX; b++) {
            const uint32_t other = packets->users[a].side == packets->users[b].side ? kinship_row(family->kinship, packets->users[b].launch) : UINT32_MAX;
            const bool after = one > other;
            const struct packets_user *const used[2] = {&packets->users[after ? b : a], &packets->users[after ? a : b]};
            const uint32_t row[2] = {after ? other : one, after ? one : other};
            if (other != UINT32_MAX && packets_race(family, row[0], row[1], used[0]))
                tell_packets(relatives, family, row, used);
        }
    }
}

/* ---- what atomics did not order ---------------------------------------------------------------------- */

struct crossing { struct relatives *relatives; const struct family *family; };

static bool counts_as_ordered(void *self, uint32_t a, uint32_t b, enum cross_what what)
{
    const struct family *family = ((const struct crossing *)self)->family;
    const uint32_t earlier = kinship_row(family->kinship, a < b ? a : b), later = kinship_row(family->kinship, a < b ? b : a);
    if (earlier == UINT32_MAX || later == UINT32_MAX)
        return false;
    const struct unknown unknown = kinship_unknown(family->kinship, earlier, later);
    if (unknown.what == UNKNOWN_NOTHING)
        return true;
    if (what == CROSS_PACKETS)
        return packets_are_left(family, earlier, &unknown);
    return what == CROSS_FINE_MEMORY && kinship_unknown_fine(family->kinship, earlier, later).what == UNKNOWN_NOTHING;
}

static void tell_crossing(void *self, const struct cross_race *race)
{
    const struct crossing *crossing = self;
    struct finding finding;
    char by[2][TEXT_CHARS], what[2][TEXT_CHARS], argument[TEXT_CHARS];
    cross_launch_finding(race, &finding);
    finding.launch = race->side[1].launch;
    for (int i = 0; i < 2; i++) {
        format(argument, "%s%.200s", race->side[i].argument[0] ? ", " : "", race->side[i].argument);
        name_launch(crossing->family, kinship_row(crossing->family->kinship, race->side[i].launch), argument, by[i]);
        finding.access[i].by = by[i];
        cross_launch_action(&race->side[i], what[i], sizeof what[i]);
        finding.access[i].what = what[i];
    }
    report_add(crossing->relatives->report, &finding);
}

static void tell_crossings(struct relatives *relatives, const struct family *family, uint32_t number)
{
    struct crossing crossing = {relatives, family};
    if (relatives->cross)
        cross_launch_end_family(relatives->cross, number, &(struct cross_hearer){&crossing, counts_as_ordered, tell_crossing});
}

/* ---- life of a family --------------------------------------------------------------------------------------- */

static int by_launch(const void *a, const void *b)
{
    const struct member *x = *(struct member *const *)a, *y = *(struct member *const *)b;
    return x->kin.launch < y->kin.launch ? -1 : x->kin.launch > y->kin.launch;
}

/* Out of the list of all. */
static bool gather(struct relatives *relatives, uint32_t number, struct family *family)
{
    for (const struct member *member = relatives->members; member; member = member->next)
        family->count += member->family == number;
    family->members = calloc(family->count + 1, sizeof *family->members);
    family->kin = calloc(family->count + 1, sizeof *family->kin);
    if (!family->members || !family->kin)
        return false;
    uint32_t at = 0;
    for (struct member *member = relatives->members; member; member = member->next)
        if (member->family == number)
            family->members[at++] = member;
    qsort(family->members, family->count, sizeof *family->members, by_launch);
    for (uint32_t i = 0; i < family->count; i++)
        family->kin[i] = &family->members[i]->kin;
    family->kinship = kinship_new(family->kin, family->count);
    return family->kinship;
}

static void family_fini(struct family *family)
{
    kinship_free(family->kinship);
    free(family->kin);
    free(family->members);
}

static void forget(struct relatives *relatives, uint32_t number)
{
    for (struct member **link = &relatives->members; *link;) {
        struct member *member = *link;
        if (member->family != number) {
            link = &member->next;
            continue;
        }
        *link = member->next;
        packets_forget(&relatives->packets, member->kin.launch);
        member_free(member);
    }
}

static void say_loss(struct relatives *relatives)
{
    if (relatives->told_loss || !(relatives->lost || (relatives->cross && cross_launch_lost(relatives->cross))))
        return;
    relatives->told_loss = true;
    fputs("orrery: kernels that kernels enqueue are not checked for races from here on: out of memory\n", stderr);
    report_miss(relatives->report, CHECK_RACES);
}

void relatives_complete(struct relatives *relatives, uint32_t number, bool known)
{
    struct family family = {0};
    bool fine = known && gather(relatives, number, &family) && !relatives->lost;
    if (fine && family.count > 1) {
        fine = kinship_learn(family.kinship);
        if (fine)
            join_by_atomics(&family);
        fine = fine && kinship_learn(family.kinship);
    }
    if (fine && family.count > 1) {
        tell_all(relatives, &family);
        tell_all_packets(relatives, &family);
    }
    if (fine)
        tell_crossings(relatives, &family, number);
    relatives->lost |= !fine;
    family_fini(&family);
    say_loss(relatives);
    forget(relatives, number);
}
