/* SPDX-License-Identifier: Apache-2.0 */
#include "relatives.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cross_launch.h"
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
struct rest { uint64_t group; struct record record; }; /* what the group does not know at its end */
struct moment { uint64_t unit; struct record record; }; /* what a kernel does not know, of fine-grained memory, that this one enqueued */

/* One launch that has ended. */
struct member {
    struct member *next;
    uint32_t launch, parent, family, device;
    const char *kernel;
    enum launch_start start;
    uint64_t parent_group;
    uint32_t parent_moment; /* 1 + its number; 0: not known */
    enum memory_scope releases, acquires;
    struct launch_after *after; uint32_t after_count;
    struct record all;
    struct rest *rests; uint32_t rest_count;
    struct moment *moments; uint32_t moment_count;
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
    for (uint32_t i = 0; i < member->rest_count; i++)
        record_fini(&member->rests[i].record);
    for (uint32_t i = 0; i < member->moment_count; i++)
        record_fini(&member->moments[i].record);
    free(member->rests);
    free(member->moments);
    free(member->after);
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
    for (uint32_t i = 0; member->rests && i < footprint->rest_count; i++) {
        const struct footprint_rest *rest = &footprint->rests[i];
        member->rests[i].group = rest->group;
        member->rest_count++;
        whole &= copy_record(relatives, footprint->launch, rest->parts, rest->count, &member->rests[i].record);
    }
    return whole && member->rests;
}

static bool copy_moments(const struct relatives *relatives, const struct footprint *footprint, struct member *member)
{
    bool whole = true;
    member->moments = calloc(footprint->moment_count + 1, sizeof *member->moments);
    for (uint32_t i = 0; member->moments && i < footprint->moment_count; i++) {
        const struct footprint_moment *moment = &footprint->moments[i];
        member->moments[i].unit = moment->unit;
        member->moment_count++;
        whole &= copy_record(relatives, footprint->launch, moment->parts, moment->count, &member->moments[i].record);
    }
    return whole && member->moments;
}

static bool copy_after(const struct launch_info *launch, struct member *member)
{
    size_t size = launch->after_count * sizeof *member->after;
    member->after = malloc(size + 1);
    if (member->after && size)
        memcpy(member->after, launch->after, size);
    member->after_count = member->after ? launch->after_count : 0;
    return member->after != NULL;
}

static void take(struct relatives *relatives, const struct footprint *footprint)
{
    const struct launch_info *launch = footprint->launch;
    struct member *member = calloc(1, sizeof *member);
    if (!member) {
        relatives->lost = true;
        return;
    }
    *member = (struct member){.next = relatives->members, .launch = launch->launch, .parent = launch->parent,
                              .family = launch->family, .device = launch->device, .kernel = launch->kernel, .start = launch->start,
                              .parent_group = launch->parent_group, .parent_moment = launch->parent_moment, .releases = launch->releases, .acquires = launch->acquires};
    relatives->members = member;
    bool whole = copy_after(launch, member);
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

/* ---- who knows whom ----------------------------------------------------------------------------- */

/* A family, its members by launch, so that parents and what is waited for come before. Rows of bits: who is known. */
struct kin {
    struct member **members;
    uint32_t count, words;
    uint64_t *known;  /* count rows: all of the launch is known at the row's start */
    uint64_t *joined; /* atomics met */
    struct partly { uint32_t parent; uint64_t group; bool some, several; } *partly; /* known as its work-group knew it */
};

static bool bit(const struct kin *kin, const uint64_t *rows, uint32_t row, uint32_t column)
{
    return rows[(size_t)row * kin->words + column / 64] >> column % 64 & 1;
}

static void set_bit(const struct kin *kin, uint64_t *rows, uint32_t row, uint32_t column)
{
    rows[(size_t)row * kin->words + column / 64] |= UINT64_C(1) << column % 64;
}

/* `row` knows that `other` has ended, and so what that knew. */
static void learn(const struct kin *kin, uint32_t row, uint32_t other)
{
    for (uint32_t w = 0; w < kin->words; w++)
        kin->known[(size_t)row * kin->words + w] |= kin->known[(size_t)other * kin->words + w];
    set_bit(kin, kin->known, row, other);
}

static void learn_partly(const struct kin *kin, uint32_t row, const struct partly *more)
{
    struct partly *partly = &kin->partly[row];
    if (!more->some)
        return;
    partly->several |= more->several || (partly->some && (partly->parent != more->parent || partly->group != more->group));
    partly->parent = more->parent;
    partly->group = more->group;
    partly->some = true;
}

static uint32_t index_of(const struct kin *kin, uint32_t launch)
{
    uint32_t from = 0, to = kin->count;
    while (from < to) {
        uint32_t middle = from + (to - from) / 2;
        if (kin->members[middle]->launch < launch)
            from = middle + 1;
        else
            to = middle;
    }
    return from < kin->count && kin->members[from]->launch == launch ? from : UINT32_MAX;
}

static bool came_of(const struct kin *kin, uint32_t member, uint32_t ancestor)
{
    while (member != UINT32_MAX && member > ancestor)
        member = index_of(kin, kin->members[member]->parent);
    return member == ancestor;
}

/* What it knew when it began. */
static void learn_begun(const struct kin *kin, uint32_t row, uint32_t other)
{
    for (uint32_t w = 0; w < kin->words; w++)
        kin->known[(size_t)row * kin->words + w] |= kin->known[(size_t)other * kin->words + w];
    learn_partly(kin, row, &kin->partly[other]);
}

static void learn_after(const struct kin *kin, uint32_t row, const struct launch_after *after)
{
    uint32_t other = index_of(kin, after->launch);
    if (other == UINT32_MAX)
        return;
    if (after->marked) {
        learn_begun(kin, row, other);
        return;
    }
    learn(kin, row, other);
    learn_partly(kin, row, &kin->partly[other]);
    for (uint32_t i = other + 1; after->complete && i < row; i++)
        if (came_of(kin, i, other))
            learn(kin, row, i);
}

static void learn_parent(const struct kin *kin, uint32_t row)
{
    const struct member *member = kin->members[row];
    uint32_t parent = index_of(kin, member->parent);
    if (parent == UINT32_MAX)
        return;
    learn_begun(kin, row, parent);
    if (member->start == LAUNCH_AFTER_PARENT && RULE(3113))
        learn(kin, row, parent);
    if (member->start == LAUNCH_AFTER_GROUP && RULE(3114))
        learn_partly(kin, row, &(struct partly){parent, member->parent_group, true, false});
}

static void learn_joined(const struct kin *kin, uint32_t row)
{
    for (uint32_t other = 0; other < kin->count; other++)
        if (bit(kin, kin->joined, row, other))
            learn(kin, row, other);
}

/* Atomics may have ordered launches in either direction, so one pass does not do. False: no memory. */
static bool learn_all(const struct kin *kin)
{
    const size_t bytes = (size_t)kin->count * kin->words * sizeof *kin->known;
    uint64_t *before = malloc(bytes + 1);
    if (!before)
        return false;
    do {
        memcpy(before, kin->known, bytes);
        for (uint32_t row = 0; row < kin->count; row++) {
            learn_parent(kin, row);
            for (uint32_t i = 0; i < kin->members[row]->after_count && RULE(3102); i++)
                learn_after(kin, row, &kin->members[row]->after[i]);
            learn_joined(kin, row);
        }
    } while (memcmp(before, kin->known, bytes) != 0);
    free(before);
    return true;
}

static bool ordered(const struct kin *kin, uint32_t earlier, uint32_t later)
{
    return bit(kin, kin->known, later, earlier) || bit(kin, kin->known, earlier, later);
}

/* What of `earlier` the other does not know; NULL: nothing. */
static const struct record *unknown_part(const struct kin *kin, uint32_t earlier, uint32_t later)
{
    const struct partly *partly = &kin->partly[later];
    const struct member *member = kin->members[earlier];
    if (ordered(kin, earlier, later))
        return NULL;
    if (!partly->some || (partly->parent != earlier && !partly->several))
        return &member->all;
    for (uint32_t i = 0; i < member->rest_count && !partly->several; i++)
        if (member->rests[i].group == partly->group)
            return &member->rests[i].record;
    return NULL;
}

/* ---- what is known of fine-grained memory alone ------------------------------------------------------ */

/* When work-items of `of` enqueued kernels that one may have heard of: it knows what these did. latest: of one work-item, the latest. */
struct hearsay { uint32_t of; uint64_t *seen, group; const struct moment *latest; bool some, unsure; };

/* number: 1 + the call's; 0: not known. */
static void hear(const struct kin *kin, struct hearsay *hearsay, uint32_t number, uint64_t group)
{
    const struct member *from = kin->members[hearsay->of];
    const struct moment *moment = number && number <= from->moment_count ? &from->moments[number - 1] : NULL;
    hearsay->some = true;
    hearsay->unsure |= !moment || (hearsay->latest && hearsay->latest->unit != moment->unit);
    hearsay->group = group;
    if (moment && (!hearsay->latest || moment > hearsay->latest))
        hearsay->latest = moment;
}

static bool is_new(uint64_t *seen, uint32_t member)
{
    const uint64_t is = UINT64_C(1) << member % 64;
    const bool fresh = !(seen[member / 64] & is);
    seen[member / 64] |= is;
    return fresh;
}

static void gather_hearsay(const struct kin *kin, struct hearsay *hearsay, uint32_t row);

/* Of who enqueued it, or a marker. */
static void gather_from_caller(const struct kin *kin, struct hearsay *hearsay, uint32_t caller, uint32_t number, uint64_t group)
{
    if (caller == hearsay->of)
        hear(kin, hearsay, number, group);
    else
        gather_hearsay(kin, hearsay, caller);
}

static void gather_from_awaited(const struct kin *kin, struct hearsay *hearsay, uint32_t awaited, bool complete)
{
    gather_hearsay(kin, hearsay, awaited);
    for (uint32_t k = awaited + 1; complete && awaited != UINT32_MAX && k < kin->count; k++)
        if (came_of(kin, k, awaited))
            gather_hearsay(kin, hearsay, k);
}

/* All that `row` may know: itself, whom it waited for and whom atomics joined to it. */
static void gather_hearsay(const struct kin *kin, struct hearsay *hearsay, uint32_t row)
{
    if (row == UINT32_MAX || !is_new(hearsay->seen, row))
        return;
    const struct member *member = kin->members[row];
    gather_from_caller(kin, hearsay, index_of(kin, member->parent), member->parent_moment, member->parent_group);
    for (uint32_t i = 0; i < member->after_count; i++) {
        const struct launch_after *after = &member->after[i];
        if (after->marked)
            gather_from_caller(kin, hearsay, index_of(kin, after->launch), after->moment, after->group);
        else
            gather_from_awaited(kin, hearsay, index_of(kin, after->launch), after->complete);
    }
    for (uint32_t other = 0; other < kin->count; other++)
        if (bit(kin, kin->joined, row, other))
            gather_hearsay(kin, hearsay, other);
}

static bool is_joined(const struct kin *kin, uint32_t row)
{
    uint64_t some = 0;
    for (uint32_t w = 0; w < kin->words; w++)
        some |= kin->joined[(size_t)row * kin->words + w];
    return some;
}

/* Rule (1): an enqueueing call comes before what it enqueues, and orders fine-grained memory. What of that `later` does not know; NULL:
 * nothing, or it is not known what: several work-items, or what atomics ordered, may have told it more. */
static const struct record *unknown_fine(const struct kin *kin, uint32_t earlier, uint32_t later, const struct record *unknown)
{
    struct hearsay hearsay = {.of = earlier, .seen = calloc(kin->words, sizeof *hearsay.seen)};
    if (!hearsay.seen)
        return NULL;
    if (RULE(3101))
        gather_hearsay(kin, &hearsay, later);
    free(hearsay.seen);
    const bool whole = unknown == &kin->members[earlier]->all;
    if (hearsay.unsure || (hearsay.some && (is_joined(kin, earlier) || (!whole && hearsay.group != kin->partly[later].group))))
        return NULL;
    return hearsay.some && whole ? &hearsay.latest->record : unknown; /* the end of the call's work-group came later */
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

static void join_by_atomics(struct kin *kin)
{
    struct meeting meeting;
    for (uint32_t later = 1; later < kin->count; later++)
        for (uint32_t earlier = 0; earlier < later; earlier++) {
            uint32_t at[2] = {0, 0};
            if (ordered(kin, earlier, later) || !may_synchronise(kin->members[earlier], kin->members[later]) ||
                !records_meet(&kin->members[earlier]->all, &kin->members[later]->all, at, true, &meeting))
                continue;
            set_bit(kin, kin->joined, earlier, later);
            set_bit(kin, kin->joined, later, earlier);
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

static void name_launch(const struct kin *kin, uint32_t member, const char *argument, char by[TEXT_CHARS])
{
    const struct member *self = kin->members[member];
    uint32_t parent = index_of(kin, self->parent);
    if (parent == UINT32_MAX)
        format(by, "kernel %s (launch %" PRIu32 "), enqueued by the host%s", self->kernel, self->launch, argument);
    else
        format(by, "kernel %s (launch %" PRIu32 "), enqueued by kernel %s (launch %" PRIu32 ")%s", self->kernel, self->launch,
               kin->members[parent]->kernel, self->parent, argument);
}

/* The first byte's access, and how far it is one by the same instruction. */
static void describe(const struct kin *kin, uint32_t member, const struct deeds *deeds, enum footprint_use use, struct byte_run *run,
                     struct finding_access *out_access, char by[TEXT_CHARS])
{
    static const enum access_kind kinds[FOOTPRINT_USES] = {ACCESS_READ, ACCESS_WRITE, ACCESS_ATOMIC_UPDATE, ACCESS_ATOMIC_READ};
    uint64_t end;
    const uint32_t site = footprint_sites_at(&deeds->sites[use], run->low, &end);
    name_launch(kin, member, deeds->argument, by);
    *out_access = (struct finding_access){.kind = kinds[use], .what = some_action_of(kinds[use]), .by = by, .device_id = kin->members[member]->device};
    if (end < run->high)
        run->high = end;
    if (site == FOOTPRINT_SITES)
        return;
    out_access->what = action_of(kinds[use]);
    out_access->place = deeds->place[use][site];
}

/* The ancestor's child of which it came; NULL: it did not come of it. */
static const struct member *child_between(const struct kin *kin, uint32_t ancestor, uint32_t row)
{
    while (row != UINT32_MAX && kin->members[row]->parent != kin->members[ancestor]->launch)
        row = kin->members[row]->parent ? index_of(kin, kin->members[row]->parent) : UINT32_MAX;
    return row == UINT32_MAX ? NULL : kin->members[row];
}

static void explain(const struct kin *kin, uint32_t earlier, uint32_t later, bool fine, char why[TEXT_CHARS], char fix[TEXT_CHARS])
{
    const struct member *a = kin->members[earlier], *b = kin->members[later];
    const bool child = b->parent == a->launch;
    const struct member *between = child ? NULL : child_between(kin, earlier, later);
    if (child && b->start == LAUNCH_AFTER_GROUP)
        format(why, "kernel %s waits for the end of the work-group that enqueued it alone (CLK_ENQUEUE_FLAGS_WAIT_WORK_GROUP), and "
                    "another work-group of kernel %s made the access", b->kernel, a->kernel);
    else if (child && fine)
        format(why, "kernel %s does not wait for kernel %s, which enqueued it (CLK_ENQUEUE_FLAGS_NO_WAIT): it comes after what the work-item "
                    "that did so had done before, and all that was ordered before that, and this access is neither", b->kernel, a->kernel);
    else if (child)
        format(why, "kernel %s does not wait for kernel %s, which enqueued it (CLK_ENQUEUE_FLAGS_NO_WAIT), and does not even see what that "
                    "wrote before: enqueue_kernel orders fine-grained SVM alone", b->kernel, a->kernel);
    else if (between)
        format(why, "kernel %s came of kernel %s, which does not wait for kernel %s", b->kernel, between->kernel, a->kernel);
    else
        format(why, "neither of the kernels %s and %s waits for the other: a device queue is out of order", a->kernel, b->kernel);
    if (child || between)
        format(fix, "enqueue kernel %s with CLK_ENQUEUE_FLAGS_WAIT_KERNEL", between ? between->kernel : b->kernel);
    else
        format(fix, "pass the event of the one that is to come first in the wait list of the other");
}

static void tell(const struct relatives *relatives, const struct kin *kin, uint32_t earlier, uint32_t later,
                 const struct meeting *meeting)
{
    char why[TEXT_CHARS], fix[TEXT_CHARS], by[2][TEXT_CHARS];
    struct byte_run run = meeting->run;
    struct finding finding = {.kind = FINDING_RACE_COMMANDS, .launch = kin->members[later]->launch,
                              .kernel = kin->members[later]->kernel, .object = meeting->a->object, .has_offset = !meeting->a->of_host,
                              .offset_bytes = meeting->a->of_host ? 0 : meeting->run.low, .access_count = 2, .why = why, .fix = fix, .spec = spec_text};
    explain(kin, earlier, later, meeting->a->fine, why, fix);
    describe(kin, earlier, meeting->a, meeting->use_a, &run, &finding.access[0], by[0]);
    describe(kin, later, meeting->b, meeting->use_b, &run, &finding.access[1], by[1]);
    const uint64_t bytes = run.high - run.low;
    finding.access[0].size_bytes = finding.access[1].size_bytes = bytes > UINT32_MAX ? UINT32_MAX : (uint32_t)bytes;
    report_add(relatives->report, &finding);
}

/* Wherever the two uses meet, each two places of the program once. */
static void tell_uses(const struct relatives *relatives, const struct kin *kin, uint32_t earlier, uint32_t later, struct meeting *meeting)
{
    bool told[FOOTPRINT_SITES + 1][FOOTPRINT_SITES + 1] = {{false}};
    for (uint64_t from = 0, end[2]; byte_set_common(&meeting->a->bytes[meeting->use_a], &meeting->b->bytes[meeting->use_b], from, &meeting->run);) {
        const uint32_t one = footprint_sites_at(&meeting->a->sites[meeting->use_a], meeting->run.low, &end[0]);
        const uint32_t other = footprint_sites_at(&meeting->b->sites[meeting->use_b], meeting->run.low, &end[1]);
        if (!told[one][other])
            tell(relatives, kin, earlier, later, meeting);
        told[one][other] = true;
        from = meeting->run.high;
        for (int i = 0; i < 2; i++)
            from = end[i] < from ? end[i] : from;
    }
}

/* fine: of fine-grained memory, or of other. */
static void tell_some(const struct relatives *relatives, const struct kin *kin, uint32_t earlier, uint32_t later, const struct record *unknown, bool fine)
{
    struct meeting meeting;
    uint32_t at[2] = {0, 0};
    while (unknown && records_meet(unknown, &kin->members[later]->all, at, false, &meeting))
        for (enum footprint_use a = 0; a < FOOTPRINT_USES && meeting.a->fine == fine; a++)
            for (enum footprint_use b = 0; b < FOOTPRINT_USES; b++)
                if (uses_conflict(a, b, false)) {
                    meeting.use_a = a;
                    meeting.use_b = b;
                    tell_uses(relatives, kin, earlier, later, &meeting);
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

static void tell_all(const struct relatives *relatives, const struct kin *kin)
{
    for (uint32_t later = 1; later < kin->count; later++)
        for (uint32_t earlier = 0; earlier < later; earlier++) {
            const struct record *unknown = unknown_part(kin, earlier, later);
            if (!unknown)
                continue;
            tell_some(relatives, kin, earlier, later, unknown, false);
            if (meet_in_fine(unknown, &kin->members[later]->all))
                tell_some(relatives, kin, earlier, later, unknown_fine(kin, earlier, later, unknown), true);
        }
}

/* ---- packets of pipes ------------------------------------------------------------------------------- */

/* May what the one moved come after what the other did? Where work-groups of one launch know of each other, nobody knows when they moved theirs. */
static bool packets_race(const struct kin *kin, uint32_t earlier, uint32_t later, const struct packets_user *used)
{
    const struct member *member = kin->members[earlier];
    const struct record *unknown = unknown_part(kin, earlier, later);
    if (!unknown || unknown == &member->all)
        return unknown;
    return (used->several || used->group != kin->partly[later].group) && member->releases < SCOPE_DEVICE;
}

static void describe_packets(const struct kin *kin, uint32_t member, const struct packets_user *used, struct finding_access *out_access, char by[TEXT_CHARS])
{
    name_launch(kin, member, used->argument, by);
    *out_access = (struct finding_access){.kind = ACCESS_WRITE, .what = used->writes ? "writing of packets by a kernel" : "reading of packets by a kernel",
                                          .by = by, .device_id = kin->members[member]->device, .place = used->place};
}

static void tell_packets(const struct relatives *relatives, const struct kin *kin, const uint32_t row[2], const struct packets_user *const used[2])
{
    char why[TEXT_CHARS], fix[TEXT_CHARS], by[2][TEXT_CHARS];
    struct finding finding = {.kind = FINDING_RACE_COMMANDS, .launch = kin->members[row[1]]->launch, .kernel = kin->members[row[1]]->kernel,
                              .object = used[0]->object, .access_count = 2, .why = why, .fix = fix, .spec = spec_text};
    explain(kin, row[0], row[1], false, why, fix);
    snprintf(why + strlen(why), TEXT_CHARS - strlen(why), "; of the kernels that %s a pipe one may run at a time",
             used[0]->writes ? "write into" : "read from");
    for (int i = 0; i < 2; i++)
        describe_packets(kin, row[i], used[i], &finding.access[i], by[i]);
    report_add(relatives->report, &finding);
}

static void tell_all_packets(const struct relatives *relatives, const struct kin *kin)
{
    const struct packets *packets = &relatives->packets;
    for (uint32_t a = 0; a < packets->count; a++) {
        const uint32_t one = index_of(kin, packets->users[a].launch);
        for (uint32_t b = 0; b < a && one != UINT32_MAX; b++) {
            const uint32_t other = packets->users[a].side == packets->users[b].side ? index_of(kin, packets->users[b].launch) : UINT32_MAX;
            const bool after = one > other;
            const struct packets_user *const used[2] = {&packets->users[after ? b : a], &packets->users[after ? a : b]};
            const uint32_t row[2] = {after ? other : one, after ? one : other};
            if (other != UINT32_MAX && packets_race(kin, row[0], row[1], used[0]))
                tell_packets(relatives, kin, row, used);
        }
    }
}

/* ---- what atomics did not order ---------------------------------------------------------------------- */

struct crossing { struct relatives *relatives; const struct kin *kin; };

static bool counts_as_ordered(void *self, uint32_t a, uint32_t b, bool fine)
{
    const struct kin *kin = ((const struct crossing *)self)->kin;
    const uint32_t earlier = index_of(kin, a < b ? a : b), later = index_of(kin, a < b ? b : a);
    if (earlier == UINT32_MAX || later == UINT32_MAX)
        return false;
    const struct record *unknown = unknown_part(kin, earlier, later);
    return ordered(kin, earlier, later) || (fine && unknown && !unknown_fine(kin, earlier, later, unknown));
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
        name_launch(crossing->kin, index_of(crossing->kin, race->side[i].launch), argument, by[i]);
        finding.access[i].by = by[i];
        cross_launch_action(&race->side[i], what[i], sizeof what[i]);
        finding.access[i].what = what[i];
    }
    report_add(crossing->relatives->report, &finding);
}

static void tell_crossings(struct relatives *relatives, const struct kin *kin, uint32_t family)
{
    struct crossing crossing = {relatives, kin};
    if (relatives->cross)
        cross_launch_end_family(relatives->cross, family, &(struct cross_hearer){&crossing, counts_as_ordered, tell_crossing});
}

/* ---- a family ---------------------------------------------------------------------------------------------- */

static int by_launch(const void *a, const void *b)
{
    const struct member *x = *(struct member *const *)a, *y = *(struct member *const *)b;
    return x->launch < y->launch ? -1 : x->launch > y->launch;
}

/* Out of the list of all. */
static bool gather(struct relatives *relatives, uint32_t family, struct kin *kin)
{
    for (const struct member *member = relatives->members; member; member = member->next)
        kin->count += member->family == family;
    kin->words = (kin->count + 63) / 64;
    kin->members = calloc(kin->count + 1, sizeof *kin->members);
    kin->known = calloc((size_t)kin->count * kin->words + 1, sizeof *kin->known);
    kin->joined = calloc((size_t)kin->count * kin->words + 1, sizeof *kin->joined);
    kin->partly = calloc(kin->count + 1, sizeof *kin->partly);
    uint32_t at = 0;
    for (struct member *member = relatives->members; kin->members && member; member = member->next)
        if (member->family == family)
            kin->members[at++] = member;
    if (kin->members)
        qsort(kin->members, kin->count, sizeof *kin->members, by_launch);
    return kin->members && kin->known && kin->joined && kin->partly;
}

static void forget(struct relatives *relatives, uint32_t family)
{
    for (struct member **link = &relatives->members; *link;) {
        struct member *member = *link;
        if (member->family != family) {
            link = &member->next;
            continue;
        }
        *link = member->next;
        packets_forget(&relatives->packets, member->launch);
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

void relatives_complete(struct relatives *relatives, uint32_t family)
{
    struct kin kin = {0};
    bool fine = gather(relatives, family, &kin) && !relatives->lost;
    if (fine && kin.count > 1) {
        fine = learn_all(&kin);
        join_by_atomics(&kin);
        fine = fine && learn_all(&kin);
    }
    if (fine && kin.count > 1) {
        tell_all(relatives, &kin);
        tell_all_packets(relatives, &kin);
    }
    if (fine)
        tell_crossings(relatives, &kin, family);
    relatives->lost |= !fine;
    free(kin.members);
    free(kin.known);
    free(kin.joined);
    free(kin.partly);
    say_loss(relatives);
    forget(relatives, family);
}
