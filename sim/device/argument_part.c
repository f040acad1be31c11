/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Accesses that leave the sub-buffer (OpenCL 3.0 API, 5.2.1, clCreateSubBuffer) that their argument was set
 * to, or that CL_MEM_READ_ONLY or CL_MEM_WRITE_ONLY of the sub-buffer forbids. The memory port cannot see
 * them, since the bytes belong to the buffer, too. Each access that takes place is announced, and the
 * argument of most is known from the code (sim/interp/written.c), so its part is compared.
 *
 * To report no false finding, three cases are left out: a pointer that passes through memory or may belong
 * to two arguments, so that its argument is unknown; a kernel that computes with pointers as numbers; and
 * bytes that lie in the sub-buffer of another argument.
 */
#include "argument_part.h"

#include <stdlib.h>
#include <string.h>

#include "device_state.h"
#include "fault.h"
#include "orrery/debug.h"

struct argument_parts {
    struct launch *launch;
    const struct device *device;
    const struct observer *next; /* of the waves, without this one; NULL: none */
    struct observer observer;
    uint32_t count;
    struct argument_part part[];
};

const struct argument_part *argument_part(const struct launch *launch, uint32_t argument)
{
    const struct argument_parts *parts = launch->parts;
    return parts && argument < parts->count && parts->part[argument].high ? &parts->part[argument] : NULL;
}

/* ---- accesses -------------------------------------------------------------------------------- */

static bool writes(const struct access_event *event)
{
    return event->kind != ACCESS_READ && event->kind != ACCESS_ATOMIC_READ;
}

/* The part of the argument that the access goes through; NULL: none, or not known. Of an asynchronous copy
 * only one side is an argument's. */
static const struct argument_part *part_of_access(const struct argument_parts *parts,
                                                  const struct access_event *event)
{
    const struct site *site = launch_site(parts->launch, event->origin.site);
    const bool of_copy = site->act == ACT_COPY;
    if (!site->argument || event->image || (!of_copy && site->storage == STORAGE_LOCAL))
        return NULL;
    if (of_copy && writes(event) == (site->storage == STORAGE_LOCAL))
        return NULL;
    return argument_part(parts->launch, site->argument - 1);
}

static bool is_inside(const struct argument_part *part, uint64_t address, uint64_t bytes)
{
    return address >= part->open_low && address <= part->open_high && bytes <= part->open_high - address;
}

/* The addresses of affine lanes lie between those of the corners of their grid. */
static bool all_inside(const struct argument_part *part, const struct access_event *event)
{
    const uint64_t last = event->lane_count - 1, row = event->row;
    const uint64_t x = last < row ? last : row - 1, y = last / row;
    const uint64_t across = (uint64_t)event->step_x * x, down = (uint64_t)event->step_y * y,
                   bytes = event->size_bytes;
    if (event->shape == ADDRESS_LIST)
        return false;
    return is_inside(part, event->base, bytes) &&
           (event->shape == ADDRESS_UNIFORM ||
            (is_inside(part, event->base + across, bytes) && is_inside(part, event->base + down, bytes) &&
             is_inside(part, event->base + across + down, bytes)));
}

static void report(const struct argument_parts *parts, const struct access_event *event,
                   const struct fault *fault)
{
    fault_report_at(parts->launch, &event->origin, fault);
    if (parts->device->scenario->debug)
        parts->device->scenario->debug->fault(parts->device->scenario->debug->debugger);
}

static bool reads(const struct access_event *event)
{
    return !writes(event) || event->kind == ACCESS_ATOMIC_UPDATE;
}

/* All bytes of a part have the same flags, so the first lane stands for all. */
static void judge_rights(const struct argument_parts *parts, const struct access_event *event,
                         const struct argument_part *part)
{
    const bool stores = part->denies & DENY_KERNEL_WRITE && writes(event),
               loads = part->denies & DENY_KERNEL_READ && reads(event);
    struct fault fault = {.kind = stores ? FAULT_WRITE : FAULT_READ,
                          .site = event->origin.site,
                          .size = event->size_bytes,
                          .continues = true,
                          .part_denies = true};
    for (uint32_t lane = event->lane_count; lane-- && (stores || loads);)
        if (lane_in(event->mask, lane)) {
            fault.lanes++;
            fault.lane = lane;
        }
    if (!fault.lanes)
        return;
    fault.address = lane_address(event, fault.lane);
    report(parts, event, &fault);
}

static void judge_place(const struct argument_parts *parts, const struct access_event *event,
                        const struct argument_part *part)
{
    struct fault fault = {.kind = writes(event) ? FAULT_WRITE : FAULT_READ,
                          .site = event->origin.site,
                          .size = event->size_bytes,
                          .continues = true,
                          .leaves_part = true};
    if (all_inside(part, event))
        return;
    for (uint32_t lane = 0; lane < event->lane_count; lane++) {
        const uint64_t address = lane_address(event, lane);
        if (!lane_in(event->mask, lane) || is_inside(part, address, event->size_bytes))
            continue;
        if (!fault.lanes++) {
            fault.lane = lane;
            fault.address = address;
        }
    }
    if (fault.lanes)
        report(parts, event, &fault);
}

static void judge(const struct argument_parts *parts, const struct access_event *event)
{
    const struct argument_part *part = part_of_access(parts, event);
    if (part && parts->device->scenario->checks[CHECK_BOUNDS] != SEVERITY_OFF)
        judge_place(parts, event, part);
    if (part && part->denies && parts->device->scenario->checks[CHECK_RIGHTS] != SEVERITY_OFF)
        judge_rights(parts, event, part);
}

/* ---- the observer: what waves announce passes through it -------------------------------------- */

static void part_access(void *self, const struct access_event *event)
{
    const struct argument_parts *parts = self;
    judge(parts, event);
    if (parts->next && parts->next->access)
        parts->next->access(parts->next->self, event);
}

static void part_before(void *self)
{
    const struct argument_parts *parts = self;
    parts->next->before(parts->next->self);
}

static void part_sync(void *self, const struct sync_event *event)
{
    const struct argument_parts *parts = self;
    parts->next->sync(parts->next->self, event);
}

/* ---- which arguments are parts --------------------------------------------------------------- */

static bool find_part(const struct launch *launch, uint32_t index, struct argument_part *out_part)
{
    const struct launch_arg *arg = &launch->arg_values[index];
    const enum arg_kind kind = launch->kernel->args[index].kind;
    uint64_t low;
    if (!arg->part_bytes || (kind != ARG_GLOBAL && kind != ARG_CONSTANT))
        return false;
    memcpy(&low, arg->value, sizeof low);
    const uint64_t high = low + arg->part_bytes;
    const struct region *region = memory_region(&launch->arena->memory, low);
    const uint32_t denies = arg->part_denies & ~region->denied;
    if (low < region->low || high > region->high || (low == region->low && high == region->high && !denies))
        return false;
    *out_part = (struct argument_part){low, high, low, high, denies};
    return true;
}

static void open_overlaps(struct argument_parts *parts)
{
    for (uint32_t i = 0; i < parts->count; i++)
        for (uint32_t k = 0; k < parts->count; k++) {
            struct argument_part *part = &parts->part[i];
            const struct argument_part *other = &parts->part[k];
            if (other->low >= part->high || part->low >= other->high)
                continue;
            part->open_low = other->low < part->open_low ? other->low : part->open_low;
            part->open_high = other->high > part->open_high ? other->high : part->open_high;
        }
}

bool argument_parts_begin(struct launch *launch, struct device *device)
{
    const uint32_t count = (uint32_t)launch->kernel->arg_count;
    bool any = false;
    for (uint32_t i = 0; i < count; i++)
        any |= launch->arg_values[i].part_bytes != 0;
    if (!any || !launch->code)
        return true;
    struct argument_parts *parts = calloc(1, sizeof *parts + count * sizeof parts->part[0]);
    if (!parts)
        return false;
    *parts = (struct argument_parts){launch, device, launch->wave_observer, {.self = parts}, count};
    bool found = false;
    for (uint32_t i = 0; i < count; i++)
        found |= find_part(launch, i, &parts->part[i]);
    open_overlaps(parts);
    parts->observer.access = part_access;
    if (parts->next && parts->next->before)
        parts->observer.before = part_before;
    if (parts->next && parts->next->sync)
        parts->observer.sync = part_sync;
    launch->parts = parts;
    const bool checks = device->scenario->checks[CHECK_BOUNDS] != SEVERITY_OFF ||
                        device->scenario->checks[CHECK_RIGHTS] != SEVERITY_OFF;
    if (found && checks && !launch->code->pointers_as_numbers)
        launch->wave_observer = &parts->observer;
    return true;
}

void argument_parts_end(struct launch *launch)
{
    free(launch->parts);
    launch->parts = NULL;
}
