/* SPDX-License-Identifier: Apache-2.0 */
/* Turns a handler's fault into a finding: each kind of fault has a function that says what is wrong and which
 * rule is broken (fault_access.c: those of addresses). A fault that repeats an earlier one is only counted.
 */
#include "fault_state.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "group.h"
#include "object_name.h"
#include "orrery/checked.h"
#include "orrery/pipe.h"
#include "orrery/report.h"
#include "uninitialised.h"

static void examine_misuse(struct fault_description *description)
{
    description->finding.kind = FINDING_IMAGE_MISUSE;
    object_name_image(description->launch, description->fault->image, &description->object);
    sentence_add(&description->why, "%s", description->fault->misuse);
    description->finding.spec = "OpenCL C 3.0, 6.15.15 image read and write functions";
}

static void examine_uninitialised(struct fault_description *description, enum finding_kind kind)
{
    const struct region *region =
        memory_region(&description->launch->arena->memory, description->fault->address);
    const bool printed = description->site->what && strcmp(description->site->what, "printf") == 0,
               shared = description->site->act == ACT_COLLECTIVE;
    description->finding.kind = kind;
    if (printed && kind == FINDING_UNINITIALISED_STORE)
        description->finding.title = "a value that is printed depends on uninitialised memory";
    if (shared && kind == FINDING_UNINITIALISED_STORE)
        description->finding.title = "a value for a group function depends on uninitialised memory";
    uninitialised_say(&(struct uninitialised){description->launch, description->wave, description->fault,
                                              description->commands,
                                              kind == FINDING_UNINITIALISED_BRANCH    ? "condition"
                                              : kind == FINDING_UNINITIALISED_ADDRESS ? "address"
                                              : printed                               ? "printed value"
                                              : shared ? "group function's value"
                                                       : "stored value"},
                      &description->why, &description->advice);
    if (kind != FINDING_UNINITIALISED_BRANCH && region->kind != REGION_NONE &&
        !description->fault->private_space) {
        object_name(description->launch, region, &description->object);
        fault_set_offset(description, region->low);
    }
}

/* misuse NULL: the packet size of the call differs from the pipe's. */
static void examine_pipe(struct fault_description *description)
{
    const struct fault *fault = description->fault;
    const struct region *region = memory_region(&description->launch->arena->memory, fault->address);
    description->finding.kind = FINDING_PIPE_MISUSE;
    if (region->kind != REGION_NONE)
        object_name(description->launch, region, &description->object);
    if (fault->misuse) {
        sentence_add(&description->why, "%s", fault->misuse);
        return;
    }
    sentence_add(&description->why, "the packets of the kernel's pipe have ");
    sentence_bytes(&description->why, fault->size);
    sentence_add(&description->why, ", those of the pipe that was made have %" PRIu32,
                 ((const struct pipe *)(uintptr_t)region->low)->packet_bytes);
    description->finding.fix = "give clCreatePipe the size of the type that the kernel names";
}

static void say_argument(struct sentence *why, const struct disagreement *differ)
{
    if (differ->argument)
        sentence_add(why, "argument %" PRIu32, differ->argument);
    else
        sentence_add(why, "an event of the list");
}

/* Addresses are not reported, only their difference. */
static void examine_difference(struct fault_description *description)
{
    static const char spec_of_copies[] = "OpenCL C 2.0, 6.13.10, asynchronous copies and waits";
    const struct disagreement *differ = description->fault->differ;
    struct sentence *why = &description->why;
    struct item other;
    struct finding_access *access = &description->finding.access[1];
    description->finding.kind = FINDING_NON_UNIFORM_ARGUMENT;
    origin_item(&differ->origin, differ->lane, &other);
    say_argument(why, differ);
    sentence_add(why, " of %s has to be the same for all: ", description->site->what);
    if (differ->is_address) {
        const uint64_t apart = differ->value[1] - differ->value[0];
        sentence_add(why, "the pointers of the two work-items are ");
        sentence_bytes(why, apart >> 63 ? 0 - apart : apart);
        sentence_add(why, " apart");
    } else {
        sentence_add(why, "it is %" PRIu64 " for the first work-item and %" PRIu64 " for the second",
                     differ->value[0], differ->value[1]);
    }
    description->finding.fix = "a value that does not depend on the work-item";
    if (strcmp(description->site->what, "wait_group_events") == 0) {
        description->finding.fix =
            "let every work-item of the group make the same copies, and wait for the same events";
        description->finding.spec = spec_of_copies;
    } else if (strncmp(description->site->what, "async_", 6) == 0) {
        description->finding.spec = spec_of_copies;
    }
    description->finding.access_count = 2;
    launch_access(description->launch, description->fault->site, access);
    access->has_item = true;
    access->item = other;
}

static void examine_no_work_item(struct fault_description *description)
{
    const struct disagreement *differ = description->fault->differ;
    description->finding.kind = FINDING_COLLECTIVE_ARGUMENT;
    say_argument(&description->why, differ);
    sentence_add(&description->why, " of %s is %" PRIu64 ", and the %s has %" PRIu64 " work-item%s%s",
                 description->site->what, differ->value[0], differ->sub_group ? "sub-group" : "work-group",
                 differ->value[1], differ->value[1] == 1 ? "" : "s",
                 differ->sub_group ? "" : " in that dimension");
    description->finding.fix = "the place of a work-item of the group, counted from 0";
}

static void examine_event(struct fault_description *description)
{
    description->finding.kind = FINDING_COLLECTIVE_ARGUMENT;
    sentence_add(&description->why, "event %" PRId64 " of the list %s", description->fault->index,
                 description->fault->misuse);
    description->finding.fix = "wait once for the event that async_work_group_copy returned";
    description->finding.spec = "OpenCL C 3.0, 6.15.11, wait_group_events";
}

static void examine_printf(struct fault_description *description)
{
    description->finding.kind = FINDING_PRINTF_MISUSE;
    sentence_add(&description->why, "%s", description->fault->misuse);
    if (description->fault->instead)
        sentence_add(&description->advice, "%s", description->fault->instead);
}

/* For faults of an event, or of a null queue. */
static void examine_enqueue(struct fault_description *description)
{
    description->finding.kind = FINDING_ENQUEUE_MISUSE;
    sentence_add(&description->why, "%s", description->fault->misuse);
    if (!description->site->what || strncmp(description->site->what, "enqueue_", strlen("enqueue_")) != 0)
        return;
    description->finding.title = "a kernel enqueues a command to a queue that does not exist";
    description->finding.fix =
        "clCreateCommandQueueWithProperties with CL_QUEUE_ON_DEVICE and "
        "CL_QUEUE_ON_DEVICE_DEFAULT before the launch, or {queue: default} in a scenario";
    description->finding.spec = "OpenCL C 3.0, 6.15.18, enqueue_kernel and get_default_queue";
}

static void examine(struct fault_description *description)
{
    switch (description->fault->kind) {
    case FAULT_READ:
    case FAULT_WRITE: fault_examine_access(description); break;
    case FAULT_INDEX: fault_examine_index(description); break;
    case FAULT_MISALIGNED: fault_examine_misaligned(description); break;
    case FAULT_UNREACHABLE: description->finding.kind = FINDING_UNREACHABLE; break;
    case FAULT_UNINITIALISED_ADDRESS:
        examine_uninitialised(description, FINDING_UNINITIALISED_ADDRESS);
        break;
    case FAULT_UNINITIALISED_BRANCH: examine_uninitialised(description, FINDING_UNINITIALISED_BRANCH); break;
    case FAULT_UNINITIALISED_STORE: examine_uninitialised(description, FINDING_UNINITIALISED_STORE); break;
    case FAULT_IMAGE: examine_misuse(description); break;
    case FAULT_MISSING_WAIT:
        description->finding.kind = FINDING_MISSING_WAIT;
        sentence_add(&description->why, "the work-group has ended, and no wait_group_events was given this "
                                        "copy's event: nothing orders the copy before what uses its bytes");
        description->finding.fix =
            "wait_group_events with its event after this line, before the bytes are used "
            "and before the kernel ends";
        break;
    case FAULT_ATOMIC_PRIVATE:
        fault_private_access(description);
        sentence_init(&description->why);
        description->finding.kind = FINDING_ATOMIC_PRIVATE;
        sentence_add(&description->why,
                     "the object is in private memory, which no other work-item can reach");
        description->finding.fix = "a plain variable, or an atomic object in local or global memory";
        description->finding.spec = "OpenCL C 3.0, 6.15.12 atomic functions: global and local memory";
        break;
    case FAULT_PIPE: examine_pipe(description); break;
    case FAULT_NON_UNIFORM: examine_difference(description); break;
    case FAULT_EVENT: examine_event(description); break;
    case FAULT_NO_WORK_ITEM: examine_no_work_item(description); break;
    case FAULT_ENQUEUE: examine_enqueue(description); break;
    case FAULT_PRINTF: examine_printf(description); break;
    }
}

static bool writes(const struct fault *fault, const struct site *site)
{
    if (fault->kind == FAULT_READ)
        return false;
    if (fault->kind == FAULT_WRITE || fault->kind == FAULT_UNINITIALISED_STORE)
        return true;
    return site->access == ACCESS_WRITE || site->access == ACCESS_ATOMIC_WRITE ||
           (fault->kind == FAULT_INDEX && site->access == ACCESS_ATOMIC_UPDATE);
}

static bool stops_lanes(enum fault_kind kind)
{
    return kind == FAULT_READ || kind == FAULT_WRITE || kind == FAULT_MISALIGNED || kind == FAULT_UNREACHABLE;
}

/* Copies and functions of a group access memory, too. */
static bool touches_memory(enum fault_kind kind)
{
    return kind == FAULT_READ || kind == FAULT_WRITE || kind == FAULT_MISALIGNED ||
           kind == FAULT_UNINITIALISED_STORE;
}

/* ---- the same again -------------------------------------------------------------------------- */

enum { REPEATS = 64 };

/* What a finding's kind and key depend on. Addresses change the words only, and the words of the first
 * finding are kept. */
struct repeat_key {
    const struct region *region;
    uint32_t site, deny, flags; /* of the region, which may be freed meanwhile */
    enum fault_kind kind;
    bool null, own, private_space, contained, leaves_part, part_denies;
};
struct fault_repeats {
    struct repeat {
        bool used;
        struct repeat_key key;
        uint64_t *count, clears;
    } of_site[REPEATS];
    /* the latest report of indices past an inner array: their access comes next, and may miss, too */
    const struct wave *indexed_by;
    uint32_t indexed_site;
    uint64_t indexed_lanes;
};

/* False: the finding depends on more. In a region with maps it depends on the offset; if a suppression
 * names objects, on the nearest object. */
static bool repeat_key_of(const struct launch *launch, const struct fault *fault, struct repeat_key *out)
{
    const bool misses =
        fault->kind == FAULT_READ || fault->kind == FAULT_WRITE || fault->kind == FAULT_MISALIGNED;
    const struct region *region = memory_region(&launch->arena->memory, fault->address);
    const uint64_t address = fault->address;
    *out = (struct repeat_key){region,
                               fault->site,
                               region->deny,
                               region->flags,
                               fault->kind,
                               fault_is_null(address),
                               address >= PRIVATE_BASE && address - PRIVATE_BASE < launch->code->private_size,
                               fault->private_space,
                               fault_contains(region, address, fault->size),
                               fault->leaves_part,
                               fault->part_denies};
    return misses && !fault->image && !region->maps && !report_suppresses_objects(launch->report);
}

static bool same_repeat_key(const struct repeat_key *a, const struct repeat_key *b)
{
    return a->region == b->region && a->site == b->site && a->deny == b->deny && a->flags == b->flags &&
           a->kind == b->kind && a->null == b->null && a->own == b->own &&
           a->private_space == b->private_space && a->contained == b->contained &&
           a->leaves_part == b->leaves_part && a->part_denies == b->part_denies;
}

static struct repeat *repeat_of(const struct launch *launch, const struct repeat_key *key)
{
    return &launch->repeats->of_site[(key->site + (key->kind == FAULT_MISALIGNED)) % REPEATS];
}

static bool is_repeat(const struct launch *launch, const struct repeat_key *key, uint64_t lanes)
{
    const struct repeat *repeat = launch->repeats ? repeat_of(launch, key) : NULL;
    if (!repeat || !repeat->used || !same_repeat_key(&repeat->key, key))
        return false;
    return !repeat->count ||
           report_came_again(launch->report, repeat->count, repeat->clears, lanes ? lanes : 1);
}

static bool has_repeats(struct launch *launch)
{
    if (!launch->repeats)
        launch->repeats = calloc(1, sizeof *launch->repeats);
    return launch->repeats;
}

static void keep_indexed(struct launch *launch, const struct wave *wave, const struct fault *fault)
{
    if (!has_repeats(launch))
        return;
    launch->repeats->indexed_by = wave;
    launch->repeats->indexed_site = fault->site;
    launch->repeats->indexed_lanes = fault->lanes;
}

/* The lanes of the fault that were not reported already, for the index of this access. */
static uint64_t lanes_of(struct launch *launch, const struct wave *wave, const struct fault *fault)
{
    struct fault_repeats *repeats = launch->repeats;
    const bool again = (fault->kind == FAULT_READ || fault->kind == FAULT_WRITE) && repeats && wave &&
                       repeats->indexed_by == wave && repeats->indexed_site == fault->site;
    const uint64_t before = again ? repeats->indexed_lanes : 0;
    if (again)
        repeats->indexed_by = NULL;
    return fault->lanes > before ? fault->lanes - before : 0;
}

static void keep_repeat(struct launch *launch, const struct repeat_key *key, uint64_t *count, uint64_t clears)
{
    if (has_repeats(launch))
        *repeat_of(launch, key) = (struct repeat){true, *key, count, clears};
}

static void report_fault(struct launch *launch, const struct origin *origin, const struct wave *wave,
                         const struct fault *fault, struct commands *commands)
{
    struct repeat_key key;
    const bool may_repeat = repeat_key_of(launch, fault, &key);
    struct fault_description description = {
        .launch = launch, .wave = wave, .origin = origin, .fault = fault, .commands = commands};
    struct finding *finding = &description.finding;
    struct finding_access *access = &finding->access[0];

    description.site = launch_site(launch, fault->site);
    if (launch->running && stops_lanes(fault->kind) && !fault->continues)
        launch->running->faulted += fault->lanes ? fault->lanes : 1;
    const uint64_t lanes = lanes_of(launch, wave, fault);
    if (fault->lanes && !lanes)
        return;
    if (fault->kind == FAULT_INDEX)
        keep_indexed(launch, wave, fault);
    if (may_repeat && is_repeat(launch, &key, lanes))
        return;
    sentence_init(&description.object);
    sentence_init(&description.why);
    sentence_init(&description.advice);
    description.write = writes(fault, description.site);
    examine(&description);

    finding->launch = launch->info.launch;
    finding->kernel = launch->info.kernel;
    finding->object = description.object.used ? description.object.bytes : NULL;
    finding->why = description.why.used ? description.why.bytes : NULL;
    if (!finding->fix && description.advice.used)
        finding->fix = description.advice.bytes;
    finding->access_count = finding->access_count ? finding->access_count : 1;
    finding->count = lanes;
    launch_access(launch, fault->site, access);
    if (touches_memory(fault->kind))
        access->act = ACT_ACCESS;
    if (description.write && access->kind == ACCESS_READ)
        access->kind = ACCESS_WRITE;
    access->has_item = true;
    origin_item(origin, fault->lane, &access->item);
    access->size_bytes = fault->size;
    const uint64_t clears = report_clears(launch->report);
    uint64_t *count = report_add(launch->report, finding);
    if (may_repeat)
        keep_repeat(launch, &key, count, clears);
}

void fault_report(struct launch *launch, const struct wave *wave, const struct fault *fault,
                  struct commands *commands)
{
    report_fault(launch, &wave->origin, wave, fault, commands);
}

void fault_report_at(struct launch *launch, const struct origin *origin, const struct fault *fault)
{
    CHECKED(fault->leaves_part || fault->part_denies);
    report_fault(launch, origin, NULL, fault, NULL);
}
